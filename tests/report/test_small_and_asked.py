"""Tests of requests that commands refuse, and of numbers of any size in texts and tables."""

import re

import numpy as np
import pandas as pd
import pytest

from foldwise.cli.commands import order_with_costs
from foldwise.cli.main import main
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.ranks import iman_davenport
from stats_core.ordering.order import order_of
from stats_core.report.advice import advise
from stats_core.report.html_report import to_html
from stats_core.report.latex_characters import to_latex_text
from stats_core.report.latex_report import to_latex
from stats_core.report.order_text import order_verdict
from stats_core.report.report_content import report_tables
from stats_core.report.tables.table import deviations
from stats_core.report.verdict import verdict
from tests.report.report_cases import case

NAMES = ("a", "b", "c")


def table(scale=1.0, sets=4, names=NAMES):
    """Return a table of three algorithms on ten folds of each data set; more expensive ones are better."""
    draw = np.random.default_rng(1)
    return pd.DataFrame(
        [
            (f"d{d}", name, fold, scale * (3 - i + 0.1 * draw.normal()), 1.0 + i)
            for d in range(sets)
            for i, name in enumerate(names)
            for fold in range(10)
        ],
        columns=["dataset", "algorithm", "fold", "error", "time_s"],
    )


@pytest.fixture
def run(tmp_path, capsys):
    """A function that runs a command on a table, and returns its exit code, output and errors."""
    path = tmp_path / "in.csv"

    def command(name, *words, data=None):
        (table() if data is None else data).to_csv(path, index=False)
        code = main([name, str(path), *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


PRIOR = ("--prior", "a", "--prior", "b", "--prior", "c")


@pytest.mark.parametrize(
    ("command", "words", "said"),
    [
        (
            "analyse",
            ("--test-fraction", "2"),
            "--test-fraction must lie between 0 and 1, but its value is 2",
        ),
        (
            "order",
            ("--test-fraction", "3"),
            "--test-fraction must lie between 0 and 1, but its value is 3",
        ),
        ("order", (*PRIOR, "--cost", "time_s"), "--cost and --prior cannot be combined"),
        ("order", (*PRIOR, "--prior", "zz"), 'no algorithm "zz"'),
        (
            "order",
            ("--cost", "time_s=1", "--cost", "time_s=5"),
            "--cost names time_s more than once",
        ),
        ("order", ("--dataset", "d0", "--without-dataset", "d0"), "both name d0"),
        ("analyse", ("--dataset", "d0", "--without-dataset", "d0"), "both name d0"),
        ("analyse", ("--correction", "finner"), "needs a control algorithm. Add --control"),
        ("order", ("--test", "paired t", "--undivided"), "Omit --undivided."),
        ("analyse", ("--alpha", "2"), "--alpha must lie"),
        ("report", ("-o", ""), "-o needs the name of a folder"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_words_of_the_command(run, command, words, said):
    code, out, error = run(command, *words)

    assert (code, out) == (1, "")
    assert said in error
    assert "`" not in error
    assert "On Data" not in error


def test_an_empty_file_name_is_said_to_be_empty(capsys):
    assert main(["analyse", ""]) == 1
    assert "A file name is empty." in capsys.readouterr().err


def test_families_take_both_spellings(run):
    said = [
        run("order", "--family", name, "--json") for name in ("bergmann-hommel", "bergmann_hommel")
    ]

    assert said[0] == said[1]
    assert said[0][0] == 0


def test_a_full_disk_is_said(monkeypatch, capsys):
    class Full:
        """Replaces the standard output by one on a full disk."""

        encoding = "utf-8"

        def write(self, text):
            raise OSError(28, "No space left on device")

        def flush(self):
            raise OSError(28, "No space left on device")

        def fileno(self):
            return 1

    monkeypatch.setattr("sys.stdout", Full())
    monkeypatch.setattr("os.dup2", lambda *_: None)

    assert main(["analyse", "sample_results/garcia_herrera_2008_accuracy.csv"]) == 1
    assert "No space left on device" in capsys.readouterr().err


def test_an_order_in_latex_is_rounded_and_has_no_holes(run):
    by_cost = run("order", "--format", "latex")[1]
    by_prior = run("order", *PRIOR, "--format", "latex")[1]

    assert not re.search(r"\bnan\b|None|\d\.\d{6}", by_cost + by_prior)
    assert "(scaled) &" in by_cost.split("midrule")[0]
    assert "(scaled) &" not in by_prior.split("midrule")[0]
    assert "your" not in by_prior


@pytest.mark.parametrize("where", [(), ("--dataset", "d0")])
@pytest.mark.parametrize("folds", [True, False])
def test_one_algorithm_left_is_answered_alike(run, where, folds):
    data = table(0.1) if folds else table(0.1).query("fold == 0").drop(columns="fold")
    code, out, error = run(
        "order", "--without-algorithm", "a", "--without-algorithm", "b", *where, data=data
    )
    data = data[data["dataset"] == "d0"] if where else data
    mean = data.loc[data["algorithm"] == "c", "error"].mean()

    assert (code, error) == (0, "")
    assert out.startswith("There is only one algorithm (c), so there is nothing to order.")
    assert f"{mean:.4f}" in out
    assert "alpha" not in out  # nothing was tested


def test_no_failed_result_is_said_to_be_ranked_worst_where_none_is():
    data = table()
    data.loc[
        (data["dataset"] == "d1") & (data["algorithm"] == "b") & (data["fold"] == 3), "error"
    ] = np.nan
    order = order_of(Results.from_frame(data, costs=["time_s"]).resolve("worst rank"))
    said = order_verdict(order).sentences

    assert list(order.skipped) == ["d1"]
    assert "ranked worst, by your choice" not in said
    assert "missing results cannot be ranked worst" in said


@pytest.mark.parametrize("scale", [1e-12, 1e-5, 1e-3, 1.0, 1e4, 1e60, 1e200])
def test_numbers_of_any_size_are_seen_in_words_and_tables(scale):
    results = Results.from_frame(table(scale).drop(columns="time_s"))
    asked = [Settings()]
    if 1e-9 < scale < 1e70:  # else refused on folds, where squares are needed
        asked += [Settings(dataset="d0"), Settings(dataset="d0", pair=("a", "b"))]
    for settings in asked:
        analysis = analyse(results, settings)
        said = verdict(analysis).sentences
        texts = report_tables(analysis)[0].texts
        cells = [text for name in texts for text in texts[name]][:3]
        assert not re.search(r"\b0\.0+\b(?!\d)", said)
        assert not re.search(r"\d{14}|inf|nan", said + "".join(cells))
        assert all(re.search(r"[1-9]", cell.split("±")[0]) for cell in cells)


def test_a_power_of_ten_is_one_in_latex(run):
    data = table(1e-6)
    out = run("order", "--dataset", "d0", "--format", "latex", data=data)[1]

    assert re.search(r"& \d\.\d\d\$\\times10\^\{-6\}\$ &", out)
    assert to_latex_text("1.23×10⁻⁵ and a²") == r"1.23$\times10^{-5}$ and a$^{\mathrm{2}}$"


def test_deviations_of_huge_and_tiny_numbers():
    # by hand: of 1, 2 and 3 it is 1
    for scale in (1e-300, 1.0, 1e200):
        found = deviations(pd.DataFrame({"a": [scale, 2 * scale, 3 * scale]}))
        assert found["a"] == pytest.approx(scale, rel=1e-12)


@pytest.mark.parametrize("broken", [np.nan, -1.0])
def test_an_order_is_made_by_a_cost_that_was_named_only(broken):
    data = table()
    data.loc[data["algorithm"] == "b", "time_s"] = broken
    analysis = analyse(Results.from_frame(data, costs=["time_s"]))

    assert order_with_costs(analysis, "") is None
    with pytest.raises(DataError):
        order_with_costs(analysis, "time_s")


@pytest.mark.parametrize("kind", ["ranks with folds, order", "folds, order", "pair on measures"])
def test_p_values_in_sentences_are_in_tables(kind):
    analysis, order = case(kind)
    cells = {
        text
        for shown in report_tables(analysis, order)
        for name in shown.texts
        for text in shown.texts[name]
    }
    said = verdict(analysis).detail
    if order is not None:
        said += " ".join(map(str, order_verdict(order).notes))
        for statistic in re.findall(r"Friedman (\d+\.\d\d)", said):
            assert statistic in cells

    for p in re.findall(r"p (?:= )?((?:< )?\d\.\d+)", said):
        assert p in cells


def test_where_nothing_is_cited_the_software_is():
    made = to_latex(case("one algorithm")[0])

    assert r"\nocite{foldwise}" in made.document
    assert "@misc{foldwise," in made.bibliography


def test_long_words_can_break_anywhere():
    word = "W" * 150
    results = Results.from_frame(table(names=(word, "b", "c")).drop(columns="time_s"))
    tex, page = to_latex(analyse(results)).results, to_html(analyse(results))

    assert "WWW" not in tex.split(r"\subsection{Methods}")[1].split(r"\begin{")[0]
    assert "body { overflow-wrap: anywhere; }" in page


def test_the_same_order_everywhere_has_an_exact_p_and_no_caution():
    """Six data sets with the same order: p = (3!)^-5 = 0.000129 is exact."""
    scores = pd.DataFrame([[0.1, 0.2, 0.3]] * 6, columns=list("abc")) + np.arange(6)[:, None] / 100
    scores.index = pd.Index([f"d{i}" for i in range(6)], name="dataset")
    results = Results.from_frame(
        scores.stack().rename("error").rename_axis(["dataset", "algorithm"]).reset_index()
    )
    c = analyse(results)
    davenport = iman_davenport(scores, higher_is_better=False)

    assert davenport.method.exact
    assert davenport.pvalue == pytest.approx(6**-5)
    assert not [w for w in davenport.warnings if w.code == "few data sets"]
    assert "approximate" not in " ".join(
        [*advise(results, Settings(measure="error")).assumes, *map(str, c.notes)]
    )
