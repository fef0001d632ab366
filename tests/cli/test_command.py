"""Tests of the command line: the analysis of the library, clear error messages, documented exit codes."""

import argparse
import ast
import io
import json
import re
import shlex
import subprocess
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_predict

import stats_core as fw
from foldwise.cli import COMMANDS
from foldwise.cli.commands import format_columns
from foldwise.cli.main import ANSWERED, REFUSED, _parser, main
from foldwise.cli.options import add_command, results_from_options, settings_from_options
from stats_core.core.formatting import format_number, p_text
from stats_core.curves.thresholds import at_threshold
from stats_core.data.settings import Settings
from stats_core.inference.paired import hodges_lehmann_interval
from stats_core.report.reproduce import to_json
from stats_core.report.robustness_text import describe_leave_one_out
from stats_core.report.tables.table import ResultTable
from stats_core.robustness.leave_one_out import leave_one_out
from tests.io.bad_files import FILES, message
from tests.samples import SAMPLES

ROOT = Path(__file__).parents[2]
UCI = str(SAMPLES / "uci38_5x2.csv")
COUNTS = str(SAMPLES / "twoclass_counts.csv")
SCORES = str(SAMPLES / "twoclass_scores.csv.gz")
PUBLISHED = str(SAMPLES / "garcia_herrera_2008_accuracy.csv")
GAPS = "dataset,rf,svm,knn\na,0.1,0.2,0.3\nb,0.1,,0.2\nc,0.3,0.4,0.5\nd,0.2,0.3,0.1\n"


@pytest.fixture
def gaps(tmp_path):
    """The path of a wide table with one missing result."""
    path = tmp_path / "gaps_accuracy.csv"
    path.write_text(GAPS)
    return str(path)


@pytest.fixture
def run(capsys):
    """A function that runs a command in this process, and returns its exit code, output and errors."""

    def run_command(*words, command="analyse"):
        capsys.readouterr()
        code = main([command, *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_command


def test_the_text_is_the_verdict_and_all_pairs(run):
    code, out, err = run(UCI)
    analysis = fw.analyse(fw.read_results(UCI))
    lines = out.splitlines()

    assert (code, err) == (ANSWERED, "")
    robust = describe_leave_one_out(leave_one_out(analysis))
    assert out.startswith(f"{fw.to_text(analysis)}\n\n{robust}\n\nalgorithm A ")
    assert re.split(" {2,}", lines[6])[:3] == ["SVM (degree 2)", "Multivariate tree", "−0.0358"]
    assert len(lines) == 6 + 28


def test_the_number_style_drops_zeros_before_the_point(run, tmp_path):
    _, plain, _ = run(UCI)
    _, out, err = run(UCI, "--number-style", "APA")

    assert err == ""
    assert "adjusted p > 0.999" in plain
    assert "adjusted p > .999" in out
    assert "α = .05" in out
    assert not re.search(r"[pα] [<>=≤] 0\.", out)
    assert out.replace(" .", " 0.") == plain

    table = tmp_path / "accuracy.csv"
    table.write_text(
        "dataset,rf,svm,knn\n"
        + "".join(f"d{i},0.{80 + i},0.{81 + i - 2 * (i % 2)},0.{50 + i}\n" for i in range(14))
    )
    code, _, _ = run(
        str(table), "-o", str(tmp_path), "--number-style", "APA", "--no-pdf", command="report"
    )
    tex = (tmp_path / "results.tex").read_text()
    assert code == ANSWERED
    assert "$p < .001$" in tex
    assert "$p < 0.001$" not in tex
    page = (tmp_path / "report.html").read_text().partition("<footer")[0]  # a script is there
    assert "p &lt; .001" in page
    assert "p &lt; 0.001" not in page


@pytest.mark.parametrize(("n_algorithms", "n_rows"), [(11, 55), (12, 60)])
def test_only_the_first_rows_of_a_long_table_are_printed(run, tmp_path, n_algorithms, n_rows):
    path = tmp_path / "accuracy.csv"
    scores = np.random.default_rng(0).random((20, n_algorithms)).round(3)
    names = [f"model{i:02}" for i in range(n_algorithms)]
    pd.DataFrame(scores, columns=names).rename_axis("dataset").to_csv(path)

    _, out, _ = run(str(path), "--rows", "data-sets")

    rows = [line for line in out.splitlines() if re.match(r"model\d+ +model\d+", line)]
    assert len(rows) == n_rows
    assert ("These are 60 of 66 rows" in out) == (n_algorithms == 12)
    _, as_csv, _ = run(str(path), "--rows", "data-sets", "--format", "csv")
    assert len(as_csv.splitlines()) == 1 + n_algorithms * (n_algorithms - 1) // 2


def test_a_table_of_the_report_is_printed_by_its_name(run):
    asked = ("--correction", "holm", "--table", "procedures")
    code, out, err = run(UCI, *asked)
    title, head, *rows, caption = out.splitlines()
    heads = re.split(" {2,}", head)

    assert (code, err) == (ANSWERED, "")
    assert (title, heads[2]) == ("Adjusted p-values by procedure", "unadjusted p")
    analysis = fw.analyse(fw.read_results(UCI), fw.Settings(correction="holm"))
    place = heads.index("Holm")
    starred = sum(re.split(r" {2,}", row.strip())[place].endswith("*") for row in rows)
    assert starred == analysis.pairs.decisions["separated"].sum() > 0
    assert caption.endswith("* = bold.")

    _, as_csv, _ = run(UCI, *asked, "--format", "csv")
    assert len(as_csv.splitlines()) == 1 + len(rows)
    code, _, err = run(UCI, "--table", "tables")
    assert code == REFUSED
    assert "scores, tests, pairs, procedures" in err
    code, _, err = run(UCI, "--table", "comparisons")
    assert code == REFUSED
    assert "This analysis has no table comparisons (no control)." in err
    code, _, err = run(UCI, "--table", "bayes")
    assert code == REFUSED
    assert "This analysis has no table bayes (no equivalence margin)." in err
    code, out, _ = run(UCI, "--table", "bayes", "--margin", "0.02")
    assert code == ANSWERED
    assert "±0.02" in out
    code, _, err = run(UCI, *asked, "--json")
    assert code == REFUSED
    assert "--table cannot be combined with --format json" in err


def test_notes_of_the_reader_are_printed(run):
    _, out, _ = run(SCORES, "--dataset", "pima", "--pair", "Random forest", "LDA")

    assert "Notes on the files:\n  The positive class is 1 (" in out


# one option each -> the field of the settings and its value; together every field
OPTIONS = {
    "measure": (["--measure", "test_error"], "test_error"),
    "alpha": (["--alpha", "0.1"], 0.1),
    "correction": (["--correction", "bonferroni-dunn"], "bonferroni_dunn"),
    "control": (["--control", "SVM (RBF)"], "SVM (RBF)"),
    "source": (["--source", "sign"], "sign"),
    "without_algorithms": (
        ["--without-algorithm", "Multivariate tree", "--without-algorithm", "C4.5"],
        ("Multivariate tree", "C4.5"),
    ),
    "without_datasets": (["--without-dataset", "zoo"], ("zoo",)),
    "only": (["--only", "domain=vision"], ("domain", "vision")),
    "measures": (["--measures", "fpr, tpr"], ("fpr", "tpr")),
    "dataset": (["--dataset", "pima"], "pima"),
    "pair": (["--pair", "Random forest", "LDA"], ("Random forest", "LDA")),
    "test": (["--test", "paired t"], "paired t"),
    "overlap": (["--overlap", "ignored"], "ignored"),
    "df": (["--df", "published"], "published"),
    "test_fraction": (["--test-fraction", "0.25"], 0.25),
    "thresholds": (["--all-thresholds"], True),
    "win": (["--win", "thesis"], "thesis"),
    "prior": (["--prior", "nb,svm,rf"], ("nb", "svm", "rf")),
    "margin": (["--margin", "0.02"], 0.02),
    "wish": (["--target", "recall=0.9"], ("recall", 0.9)),
    "horizon": (["--horizon", "2"], 2),
}
CASES = [
    (UCI, ("measure", "alpha", "correction", "control", "source", "without_algorithms")),
    (UCI, ("margin", "wish")),
    (UCI, ("without_datasets",)),
    (COUNTS, ("measures", "dataset", "pair", "overlap", "test_fraction")),
    (COUNTS, ("dataset", "test")),
    (COUNTS, ("dataset", "df")),
    (str(SAMPLES / "two_models.csv"), ("horizon",)),
    (SCORES, ("dataset", "thresholds")),
    (COUNTS, ("measures", "win")),
]


@pytest.mark.parametrize(("file", "names"), CASES, ids=[", ".join(names) for _, names in CASES])
def test_options_are_the_settings_of_the_library(run, file, names):
    settings = fw.Settings(**{name: OPTIONS[name][1] for name in names})

    code, out, err = run(file, "--json", *(word for name in names for word in OPTIONS[name][0]))

    assert (code, err) == (ANSWERED, "")
    assert out == to_json(fw.analyse(fw.read_results(file), settings)) + "\n"


def test_every_setting_has_an_option_that_was_tried():
    assert list(OPTIONS) == [field.name for field in fields(fw.Settings)]
    tried = {name for _, names in CASES for name in names}
    assert tried | {"prior", "only"} == set(OPTIONS)  # these where they can be


def test_tables_that_sum_up_results_get_their_numbers_as_options(run, tmp_path):
    ranks, ones = tmp_path / "ranks.csv", tmp_path / "ones.csv"
    ranks.write_text("algorithm,average rank\nsvm,1.50\nrf,1.70\nnb,3.05\n1nn,3.75\n")
    ones.write_text("d,svm,rf,nb\nsvm,0,0,1\nrf,0,0,1\nnb,0,0,0\n")

    code, _, err = run(str(ranks))
    assert (code, "Add --n-datasets N." in err) == (REFUSED, True)
    code, out, _ = run(str(ranks), "--n-datasets", "20")
    assert (code, out.startswith("20 data sets, 4 algorithms, average ranks only")) == (
        ANSWERED,
        True,
    )
    _, _, err = run(str(ones))
    assert "Add --winner row (or column)." in err

    code, out, err = run(str(ones), "--winner", "row", *OPTIONS["prior"][0], "--json")
    expected = fw.analyse(
        fw.read_results(ones, mapping=fw.Mapping(winner="row")),
        fw.Settings(prior=OPTIONS["prior"][1]),
    )
    assert (code, out, err) == (ANSWERED, to_json(expected) + "\n", "")


def test_mapping_threshold_and_holes_reach_the_library(run, tmp_path):
    odd = tmp_path / "odd.csv"
    odd.write_text("t,who,nr,q=1\nx,p,1,3\nx,q,1,2\ny,p,1,4\ny,q,1,\nz,p,1,4\nz,q,1,7\n")
    words = "--roles dataset=t --roles algorithm=who --roles fold=nr --roles measure=q=1"
    words += " --direction q=1=lower --missing drop-data-sets --json"
    mapping = fw.Mapping(
        roles={"t": "dataset", "who": "algorithm", "nr": "fold", "q=1": "measure"},
        directions={"q=1": "lower"},
    )
    results = fw.read_results(odd, mapping=mapping).resolve("drop data sets", "q=1")

    assert run(str(odd), *words.split())[1] == to_json(fw.analyse(results)) + "\n"

    words = "--positive-class 0 --score-direction lower --threshold 0.3 --dataset pima --pair 'Random forest' LDA"
    mapping = fw.Mapping(positive="0", score_direction="lower")
    results = at_threshold(fw.read_results(SCORES, mapping=mapping), 0.3)
    expected = fw.analyse(results, fw.Settings(dataset="pima", pair=("Random forest", "LDA")))

    assert run(SCORES, *shlex.split(words), "--json")[1] == to_json(expected) + "\n"


def test_holes_are_those_of_the_measures_compared(run, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(
        "algorithm,fold,error,auc\nrf,1,.1,.9\nrf,2,.2,.8\nrf,3,.2,.7\nrf,4,.3,.9\n"
        "svm,1,.2,\nsvm,2,.1,.7\nsvm,3,.4,.5\nsvm,4,.5,.6\n"
    )

    _, one, _ = run(str(file), "--json", "--missing", "drop folds")
    _, other, _ = run(str(file), "--json", "--missing", "drop folds", "--measure", "auc")

    assert json.loads(one)["inputs"]["choices"] == []
    assert json.loads(other)["inputs"]["choices"][0].startswith("1 of 4 folds was left out")


def test_formats(run):
    analysis = fw.analyse(fw.read_results(UCI), fw.Settings(control="5-NN"))
    table = analysis.table()

    _, csv, _ = run(UCI, "--control", "5-NN", "--format", "csv")
    _, latex, _ = run(UCI, "--control", "5-NN", "--format", "latex")
    _, script, _ = run(UCI, "--control", "5-NN", "--format", "script")

    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(csv)), table, check_dtype=False)
    assert latex.startswith(r"\begin{table}")
    row = table.set_index("first").loc["SVM (degree 2)"]  # one of R significant of 7, by Holm
    rate = 0.05 * max(table["separated"].mean(), row["p"] / row["p adjusted"])
    scores = analysis.scores
    ends = hodges_lehmann_interval(
        scores["SVM (degree 2)"], scores["5-NN"], confidence_level=1 - rate
    )
    said = " & ".join(f"$-${-value:.4f}" for value in (row["estimate"], *ends))
    assert f"SVM (degree 2) & {said}" in latex
    assert fw.verdict(analysis).headline in latex
    assert f"FILES = [{UCI!r}]" in script


def test_a_script_of_the_command_line_gives_its_json(run, gaps, monkeypatch, capsys):
    words = [gaps, "--measure", "accuracy", "--missing", "worst rank", "--alpha", "0.1"]
    _, script, _ = run(*words, "--format", "script")
    scope = {}
    exec(compile(script, "script.py", "exec"), scope)

    assert run(*words, "--json")[1] == to_json(scope["analysis"]) + "\n"


def test_output_goes_to_a_file_that_is_no_input(run, gaps, tmp_path):
    target = tmp_path / "out.json"

    code, out, err = run(PUBLISHED, "--json", "-o", str(target))
    assert (code, out, err) == (ANSWERED, "", "")
    assert target.read_text() == run(PUBLISHED, "--json")[1]

    code, _, err = run(
        gaps, "--missing", "worst rank", "-o", str(tmp_path / "." / "gaps_accuracy.csv")
    )
    assert code == REFUSED
    assert "would overwrite an input file" in err
    assert Path(gaps).read_text() == GAPS

    code, _, err = run(PUBLISHED, "-o", str(tmp_path))
    assert code == REFUSED
    assert err.startswith("The output cannot be written to")


# a file of a thousand columns takes seconds; its message is checked in test_bad_input
BROKEN = [file for file in FILES if file[0] != "transposed wide table"]


@pytest.mark.parametrize(("title", "name", "content"), BROKEN, ids=[file[0] for file in BROKEN])
def test_broken_files_end_with_1_and_every_problem(run, tmp_path, title, name, content):
    path = tmp_path / name
    path.write_bytes(content)

    code, out, err = run(str(path))

    assert (code, out) == (REFUSED, "")
    for line in message(name, content).splitlines():  # a question has the remedy of the command
        assert ". ".join(line.split(". ")[:2]) in err
    check_readable(err, [str(path)])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.csv"], "none.csv: The file cannot be read. No such file"),
        ([str(SAMPLES)], "sample_results: The file cannot be read. Is a directory"),
        ([UCI, "--alpha", "1.5"], "--alpha must lie strictly between 0 and 1, but is 1.5."),
        ([UCI, "--alpha", "nan"], "--alpha must lie strictly between 0 and 1, but is nan."),
        ([UCI, "--measure", "auc"], 'no measure "auc".'),
        ([UCI, "--correction", "mine"], "--correction must be one of"),
        ([UCI, "--control", "me"], 'The control "me" is not one of the algorithms'),
        ([UCI, "--source", "me"], "--source must be one of"),
        (
            [UCI, "--source", "sign", "--correction", "bergmann-hommel"],
            "Bergmann-Hommel cannot be combined with the sign test.",
        ),
        ([UCI, "--dataset", "me"], 'no data set "me"'),
        ([UCI, "--without-dataset", "me"], 'no data set "me"'),
        ([UCI, "--without-algorithm", "me"], 'no algorithm "me"'),
        ([UCI, "--pair", "SVM (RBF)", "SVM (RBF)"], "--pair must name two different algorithms"),
        ([UCI, "--pair", "SVM (RBF)", "me"], 'no algorithm "me"'),
        (
            [UCI, "--measures", "error"],
            "--measures must name at least 2 different measures, but names only error.",
        ),
        ([UCI, "--target", "recall=2"], "recall target must be above 0 and at most 1, but is 2"),
        ([UCI, "--only", "domain=me"], "domain"),
        (
            [UCI, "--measures", "error,test_error"],
            "Wins by expected cost need the counts tp, fp, tn, fn",
        ),
        ([UCI, "--dataset", "zoo", "--test", "me"], "--test must be one of"),
        ([UCI, "--missing", "me"], "--missing must be one of"),
        ([UCI, "--threshold", "0.5"], "needs a score for each instance"),
        ([SCORES, "--threshold", "7"], "7"),
        ([UCI, "--roles", "king=x"], 'There is no role "king"'),
        ([UCI, "--direction", "x=up"], "The direction of a measure must be lower or higher"),
        ([UCI, "--score-direction", "up"], "The direction of scores must be"),
        (
            ["-", "--measure", "error", "--format", "script"],
            "cannot read standard input a second time",
        ),
    ],
)
def test_what_cannot_be_analysed_ends_with_1(run, monkeypatch, words, said):
    wide = io.TextIOWrapper(io.BytesIO(b"dataset,rf,svm\na,0.1,0.2\nb,0.2,0.4\n"))
    monkeypatch.setattr(sys, "stdin", wide)

    code, out, err = run(*words)

    assert (code, out) == (REFUSED, "")
    assert said.replace(" and ", "").replace(", ", "") in err.replace(" and ", "").replace(", ", "")
    check_readable(err, words)


def check_readable(err, words):
    """Assert that an error message names no place on a page, no Python and no option that was not given."""
    assert "Traceback" not in err
    assert not re.search(r"\bbelow\b[,.]|\b(it|them|what .* means) below\b|^Choose below", err)
    assert not re.search(r"\('|',?\)", err)
    blamed = re.findall(r"(?:^|[.:] )(--[a-z-]+) must", err)
    assert set(blamed) <= set(words)


def test_a_message_of_the_reader_is_true_wherever_it_is_read():
    """No remedy in stats_core refers to a place on a page, since the command line prints remedies, too."""
    found = [
        f"{path.name}:{node.lineno}"
        for path in sorted((ROOT / "stats_core").rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg in ("do", "must", "found")
        for node in ast.walk(keyword.value)
        if isinstance(node, ast.Constant)
        and re.search(r"\b(below|above|on the left|this page)\b(?! \d| 0)", str(node.value))
    ]
    assert found == []


def test_refusals_say_which_option_helps(run, gaps, tmp_path):
    unnamed = tmp_path / "a.csv"
    unnamed.write_text("task,kind,fold,error\nx,p,1,0.1\nx,q,1,0.2\n")
    classes = tmp_path / "b.csv"
    classes.write_text("algorithm,true,score\na,x,0.9\na,y,0.1\na,z,0.2\n")

    refused = run(gaps)[2]
    assert "Add --missing with one of drop-data-sets" in refused
    listed = re.search(r"--missing with one of (.*)\.", refused)[1].split(", ")
    offered = [line.split()[0] for line in refused.split("\n\n")[1].splitlines()[1:]]
    assert offered
    assert set(offered) <= set(listed)
    assert "drop-data-sets" in refused.split("\n\n")[1]
    assert "treatments of missing results with which tests are possible" in refused
    assert "--baseline needs --missing baseline" in run(gaps, "--baseline", "rf")[2]
    assert run(gaps, "--missing", "drop data sets")[0] == ANSWERED
    plain = tmp_path / "plain.csv"
    plain.write_text("dataset,rf,svm\na,1.1,0.2\nb,2.1,0.4\n")

    asked = run(str(plain))[2]
    assert "Add --measure NAME, such as --measure accuracy." in asked
    assert run(str(plain), *"--measure score --direction score=lower".split())[0] == ANSWERED
    assert "--roles algorithm=kind" in run(str(unnamed))[2]
    assert run(str(unnamed), "--roles", "algorithm=kind")[0] == ANSWERED
    assert "--positive-class" in run(str(classes))[2]
    assert run(str(classes), "--positive-class", "y")[0] == ANSWERED
    assert "--roles cost=NAME, or give your own order with --prior" in run(gaps, command="order")[2]
    cases = tmp_path / "c.csv"
    cases.write_text("algorithm,fold,error\n" + "p,1,0.1\np,2,0.2\nq,1,\nq,2,0.3\n")
    assert "Exclude the incomplete folds" in run(str(cases))[2]
    assert "Add --missing with one of" in run(str(cases))[2]


def test_options_without_use_are_named(run, tmp_path):
    code, _, err = run(UCI, "--dataset", "zoo", "--control", "SVM (RBF)", "--source", "sign")
    assert (code, err) == (ANSWERED, "This analysis does not use --control and --source.\n")

    marks = [[1] * 40, [1] * 30 + [0] * 10, [0] * 35 + [1] * 5]
    rows = [
        f"q{i},{name},{mark}"
        for name, column in zip("abc", marks, strict=True)
        for i, mark in enumerate(column)
    ]
    (tmp_path / "marks.csv").write_text("\n".join(["item,model,correct", *rows]))
    code, out, err = run(str(tmp_path / "marks.csv"), "--control", "b")
    assert (code, err) == (ANSWERED, "")
    assert (
        "a is significantly better than b in accuracy on the test set. c is significantly worse than b."
        in " ".join(out.split())
    )
    _, _, err = run(str(tmp_path / "marks.csv"), "--control", "b", "--pair", "a", "b")
    assert err == "This analysis does not use --control.\n"

    _, _, err = run(UCI, "--test", "paired t", "--overlap", "ignored", "--test-fraction", "0.1")
    assert err.endswith(" --test, --overlap and --test-fraction.\n")


@pytest.mark.parametrize(
    "words",
    [
        (UCI, "--dataset", "zoo", "--pair", "SVM (RBF)", "5-NN", "--overlap", "ignored"),
        (COUNTS, "--measures", "fpr,tpr", "--overlap", "ignored", "--df", "published"),
    ],
)
def test_options_that_change_the_tests_of_folds_are_used(run, words):
    code, _, err = run(*words)

    assert (code, err) == (ANSWERED, "")


def test_the_pairwise_test_is_used_if_results_are_missing(run, tmp_path):
    rows = [f"d{i},{i % 7 / 10},{i % 5 / 10},{i % 3 / 10}" for i in range(12)]
    rows[0] = "d0,,0.1,0.2"
    (tmp_path / "error.csv").write_text("\n".join(["dataset,a,b,c", *rows]))

    asked = ("--measure", "error", "--missing", "present", "--source", "sign")
    code, out, err = run(str(tmp_path / "error.csv"), *asked)

    assert (code, err) == (ANSWERED, "")
    assert "Sign tests" in out or "sign tests" in out


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["analyse"],
        ["analyse", UCI, "--alpha", "x"],
        ["analyse", UCI, "--pair", "SVM (RBF)"],
        ["analyse", UCI, "--roles", "algorithm"],
        ["analyse", UCI, "--format", "pdf"],
        ["analyse", UCI, "--no-such-option"],
    ],
)
def test_wrong_usage_ends_with_2(capsys, words):
    with pytest.raises(SystemExit) as stop:
        main(words)

    assert stop.value.code == 2
    assert "usage: foldwise" in capsys.readouterr().err


def test_help_names_every_option_and_the_exit_codes(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["analyse", "--help-all"])
    text = capsys.readouterr().out

    assert stop.value.code == 0
    assert all(option[0] in text for option, _ in OPTIONS.values())
    assert re.search(r"0 +success\n +1 .*\n +2 ", text)
    examples = re.findall(r"foldwise (analyse .*)", text.split("examples:")[1])
    assert len(examples) == 9
    for example in examples:
        assert _parser().parse_args(shlex.split(example)).files


@pytest.mark.parametrize("command", ["analyse", "order", "power", "level", "plan", "report"])
def test_help_shows_at_most_eight_options(capsys, command):
    with pytest.raises(SystemExit):
        main([command, "--help"])
    listed = re.findall(r"^  (-.*)", capsys.readouterr().out.split("Help:")[0], re.MULTILINE)
    assert 6 <= len(listed) <= 8


def test_standard_input_and_unprintable_names(run, monkeypatch):
    table = "dataset,r\u00f6f,svm\n" + "".join(f"{n},0.{n},0.3\n" for n in range(1, 9))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.encode())))
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", ascii_only)

    assert main(["analyse", "-", "--measure", "error"]) == ANSWERED

    out = ascii_only.buffer.getvalue().decode("ascii")
    assert out.startswith("8 data sets, 2 algorithms")
    assert "r\\xf6f" in out


def test_columns_stand_under_each_other():
    frame = pd.DataFrame(
        {
            "name": ["a", "long one"],
            "p": [0.0001, np.nan],
            "x": [-1.5, np.inf],
            "why": ["wide", "wide"],
            "yes": ["yes", "no"],
        }
    )
    formats = {"p": p_text, "x": partial(format_number, digits=4)}
    table = ResultTable(
        name="x", title="X", frame=frame, formats=formats, heads=("name",), aside=("why",)
    )

    assert format_columns(table).splitlines() == [
        "name           p        x  yes",
        "a         <0.001  \u22121.5000  yes",
        "long one                ∞  no",
    ]


def test_as_a_program_it_leaves_quietly_when_its_reader_does():
    """The output is larger than the buffer of a pipe, so the command notices that its reader has ended."""
    words = f"{sys.executable} -m foldwise analyse {COUNTS} --dataset pima --measures fpr,tpr"
    command = f"{words} --json | head -c 20; exit ${{PIPESTATUS[0]}}"

    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (ANSWERED, "")
    assert done.stdout == '{\n  "format": 4,\n  "'


# ---------------------------------------------------------------- docs/scikit-learn.md


@pytest.fixture(scope="module")
def from_scikit_learn(tmp_path_factory):
    """The variables set by the code of docs/scikit-learn.md, and the folder of its files."""
    page = (ROOT / "docs" / "scikit-learn.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    folder, names = tmp_path_factory.mktemp("sklearn"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(blocks[0], names)
        names["X"], names["y"] = names["X"][:150, :4], names["y"][:150]
        for block in blocks[1:]:
            exec(block, names)
    return names, folder


def one_fold(names, model, train, test):
    """Return the accuracy of a model on one fold, computed without scikit-learn's helpers."""
    fitted = names["models"][model].fit(names["X"][train], names["y"][train])
    return (fitted.predict(names["X"][test]) == names["y"][test]).mean()


def test_cross_validate_is_paired_by_repetition_and_fold(from_scikit_learn):
    names, folder = from_scikit_learn
    results = fw.read_results(folder / "scores.csv")
    splitter = names["RepeatedStratifiedKFold"](n_splits=10, n_repeats=3, random_state=0)
    splits = list(splitter.split(names["X"], names["y"]))

    assert results.design_label == "3 × 10-fold cross-validation"
    assert results.measures == ("test_accuracy", "test_roc_auc")
    assert results.costs == ("fit_time", "score_time")
    assert len(results.missing) == 0
    matrix = results.matrix("breast cancer", "test_accuracy")
    for repetition, fold in ((1, 1), (2, 10), (3, 4)):
        split = splits[10 * (repetition - 1) + fold - 1]
        for model in ("bayes", "tree"):
            found = matrix.loc[(str(repetition), str(fold)), model]
            assert found == pytest.approx(one_fold(names, model, *split), abs=1e-12)


def test_cross_val_predict_gives_cases_in_their_folds(from_scikit_learn):
    names, folder = from_scikit_learn
    results = fw.read_results(folder / "predictions.csv")
    splitter = names["StratifiedKFold"](n_splits=10, shuffle=True, random_state=0)
    splits = list(splitter.split(names["X"], names["y"]))

    assert results.design_label == "10-fold cross-validation"
    assert {"auc", "error", "tpr"} <= set(results.measures)
    matrix = results.matrix("breast cancer", "accuracy")
    for fold, split in enumerate(splits, start=1):
        found = matrix.loc[("1", str(fold)), "bayes"]
        assert found == pytest.approx(one_fold(names, "bayes", *split), abs=1e-12)
    pair = fw.analyse(results, fw.Settings(measure="error"))
    assert pair.answer("McNemar").outcome is not None


def test_a_grid_search_is_read_as_it_is(from_scikit_learn):
    names, folder = from_scikit_learn
    results = fw.read_results(folder / "grid.csv")
    table = names["search"].cv_results_

    assert len(results.algorithms) == 3
    assert results.design_label == "10-fold cross-validation"
    matrix = results.matrix("grid", "test_score")
    for place, parameters in enumerate(table["params"]):
        expected = [table[f"split{fold}_test_score"][place] for fold in range(10)]
        assert matrix[str(parameters)].tolist() == expected


def test_what_the_page_says_beside_its_code(from_scikit_learn):
    names, _ = from_scikit_learn
    rows = "dataset,algorithm,fold,test_neg_log_loss,n_train,n_test,design\n"
    for name in ("a", "b"):
        rows += "".join(f"x,{name},{i},-0.{i},100,50,holdout\n" for i in range(1, 6))
    results = fw.read_results(("a.csv", rows.encode()))

    assert results.design_of("x") == "holdout"
    assert results.test_fraction("x") == pytest.approx(1 / 3)
    assert results.direction("test_neg_log_loss") == "higher"

    labels = names["cases"].assign(
        algorithm="bayes",
        predicted=cross_val_predict(
            names["models"]["bayes"], names["X"], names["y"], cv=names["folds"]
        ),
    )
    results = fw.read_results(("a.csv", labels.to_csv(index=False).encode()))
    assert results.matrix("a", "error").shape == (10, 1)


@pytest.mark.parametrize(
    "command", [name for name in COMMANDS if name not in ("run", "workspaces")]
)
def test_help_lists_the_main_options_and_help_all_every_one_by_task(capsys, command):
    def listed(flag):
        subparsers = argparse.ArgumentParser().add_subparsers()
        add_command(subparsers, command, run=print)
        with pytest.raises(SystemExit, match="0"):
            subparsers.choices[command].parse_args([flag])
        text = capsys.readouterr().out
        return set(re.findall(r"^  (?:-\w \S+, )?(--[a-z-]+)", text, re.M)), re.findall(
            r"^([A-Z]\w+):$", text, re.M
        )

    main_options, titles = listed("--help")
    every_option, all_titles = listed("--help-all")

    assert main_options - {"--help", "--help-all"} == set(COMMANDS[command]["listed"])
    assert len(COMMANDS[command]["listed"]) == 8
    assert len(every_option) > 20
    assert titles == all_titles == [*COMMANDS[command]["groups"], "Help"]


def test_options_give_the_settings_and_the_results_to_analyse(gaps):
    words = ["--missing", "drop-data-sets", "--alpha", "0.01", "--rename", "rf=forest"]
    arguments = _parser().parse_args(["analyse", gaps, *words])
    results, mapping = results_from_options(arguments)

    assert settings_from_options(arguments) == Settings(alpha=0.01)
    assert (results.algorithms, results.datasets) == (("forest", "knn", "svm"), ("a", "c", "d"))
    assert mapping.roles == {}
