"""Tests of the published scenarios: samples that lead to each, and the reports of the command.

Scenarios: Irsoy, Yildiz and Alpaydin 2012, Table II. Cases: Aslan's thesis 2009, Figure 7.1.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import stats_core as fw
from foldwise.cli.main import main
from stats_core.report.analysis_steps import chain
from tests.samples import SAMPLES, shipped

ROOT = Path(__file__).parents[2]
TOGETHER = ["--measures", "fpr,tpr"]

# name -> sample, words of the command, scenario and case of the chain
LEADING = {
    "irsoy 1: two on one": (
        "uci38_5x2.csv",
        ["--dataset", "optdigits", "--pair", "SVM (RBF)", "C4.5"],
    ),
    "irsoy 2: several on one": ("uci38_5x2.csv", ["--dataset", "optdigits"]),
    "irsoy 3: two over many": ("uci38_5x2.csv", ["--pair", "SVM (RBF)", "SVM (linear)"]),
    "irsoy 4: several over many": ("uci38_5x2.csv", []),
    "thesis 1: one measure, two on one": (
        "thesis_counts.csv",
        ["--dataset", "ada", "--pair", "Decision tree", "Logistic regression"],
    ),
    "thesis 2: one measure, several on one": ("thesis_counts.csv", ["--dataset", "ada"]),
    "thesis 3: measures, several on one": (
        "twoclass_counts.csv",
        ["--dataset", "donors", *TOGETHER],
    ),
    "thesis 4: one measure, several over many": ("thesis_counts.csv", []),
    "thesis 5: measures, several over many": ("thesis_counts.csv", TOGETHER),
    "thesis 6: thresholds, several over many": (
        "thesis_scores.csv.gz",
        ["--all-thresholds", *TOGETHER],
    ),
}


# Of these, a report of the same kind is made above.
ALIKE = [
    "thesis 1: one measure, two on one",
    "thesis 2: one measure, several on one",
    "thesis 4: one measure, several over many",
]
WRITTEN = [pytest.param(k, marks=[pytest.mark.slow] if k in ALIKE else []) for k in LEADING]


@pytest.fixture(scope="module", params=WRITTEN)
def report(request, tmp_path_factory):
    """The name of a scenario, and the folder that the command writes for it."""
    sample, words = LEADING[request.param]
    folder = tmp_path_factory.mktemp("report")
    assert main(["report", str(SAMPLES / sample), *words, "-o", str(folder)]) == 0
    return request.param, folder


def settings_of(name):
    """Return the settings that correspond to the options of the command for a scenario."""
    words = LEADING[name][1]
    options = dict.fromkeys(("dataset", "measures", "pair", "thresholds"))
    for place, word in enumerate(words):
        if word == "--pair":
            options["pair"] = tuple(words[place + 1 : place + 3])
        elif word == "--measures":
            options["measures"] = tuple(words[place + 1].split(","))
        elif word == "--dataset":
            options["dataset"] = words[place + 1]
        elif word == "--all-thresholds":
            options["thresholds"] = True
    return fw.Settings(**{key: value for key, value in options.items() if value})


@pytest.mark.parametrize("name", LEADING)
def test_the_sample_leads_there(name):
    paper, number = re.match(r"(\w+) (\d)", name).groups()
    results = shipped(LEADING[name][0])

    found = chain(results, settings_of(name))

    said = found.scenario if paper == "irsoy" else found.case
    assert said.startswith(f"{'scenario' if paper == 'irsoy' else 'case'} {number}:")


def test_the_folder_is_complete(report):
    name, folder = report
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

    assert {"report.html", "report.tex", "results.tex", "references.bib"} <= files
    assert {"analysis.json", "repeat.py"} <= files
    assert any(path.startswith("figures/") for path in files), name
    assert any(path.startswith("tables/") for path in files), name
    assert "NOTE.txt" not in files
    assert json.loads((folder / "analysis.json").read_text())["format"] == 4
    for path in folder.glob("tables/*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) > 1
        assert len({len(row) for row in rows}) == 1


PAST = {"is": "was", "are": "were", "has": "had", "differ": "differed", "wins": "won"}


def test_the_verdict_stands_in_both_documents(report):
    _, folder = report
    headline = json.loads((folder / "analysis.json").read_text())["verdict"]["headline"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    tex = (folder / "results.tex").read_text(encoding="utf-8").replace("\n", " ")

    assert headline in page
    if headline.endswith("too few for a significant difference."):
        assert "no difference could be significant" in tex
        return
    # the paper has the data sets first, the past tense, the names of all algorithms, and numbers in
    # parentheses
    claim = re.split(r" (?:on|over) |[^\w ]", headline)[0].strip()
    past = re.sub(r"\b(is|are|has|differ|wins)\b", lambda word: PAST[word[0]], claim)
    assert re.search(
        re.sub(r"each of the other \d+ algorithms", r"[\\w, -]+", past),
        re.sub(r" \([^()]*\)", "", tex),
    )
    scope = re.search(r"\b(?:on|over) [\w ]+?(?=,? but|\.)", headline)[0]
    assert scope.replace("single ", "") in tex.lower()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX on this machine")
def test_latex_compiles(report):
    _, folder = report
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    for command in (tex, ["bibtex", "report"], tex, tex):
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
        log = done.stdout.decode("latin-1")
        assert done.returncode == 0, log[-2000:]

    assert "undefined" not in log
    assert "is missing" not in (folder / "report.log").read_text(encoding="latin-1")
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


def test_the_html_needs_no_network(report):
    _, folder = report
    page = (folder / "report.html").read_text(encoding="utf-8")
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)

    assert not re.search(r"(?:src|href)=[\"']https?://", re.sub(r"<a [^>]*>", "", outside))
    assert page.count("plotly-graph-div") >= 1


@pytest.mark.parametrize("report", ["thesis 3: measures, several on one"], indirect=True)
def test_the_script_repeats_it(report):
    _, folder = report
    done = subprocess.run(
        [sys.executable, str(folder / "repeat.py")],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    headline = json.loads((folder / "analysis.json").read_text())["verdict"]["headline"]
    assert headline in done.stdout
