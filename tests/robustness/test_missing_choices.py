"""Missing cells: what each choice leaves, whether the verdict depends on it, those present."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError, MissingCells, SettingError
from stats_core.data.missing import count_holes, list_holes
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.incomplete_blocks import skillings_mack
from stats_core.inference.paired import wilcoxon
from stats_core.report.text_report import to_text
from stats_core.robustness.variations import describe_missing_choices, hole_choices, sensitivity
from tests.report.report_cases import with_holes


def test_a_failed_run_counts_once_whatever_it_lacks():
    frame = with_holes().frame
    frame["other"] = frame["error"] / 2
    both = Results.from_frame(frame, directions={"error": "lower", "other": "lower"})

    found = count_holes(both)
    assert (found.runs, found.of_runs, found.cells, found.of_cells) == (12, 168, 5, 56)
    assert (found.datasets, found.algorithms, found.undefined) == (4, ("b", "c"), 0)
    assert str(count_holes(both.select(algorithms=["a", "b"]))) == (
        "6 runs of b on 3 of 14 data sets have no error: 3 of 28 cells"
    )


def test_holes_are_listed_a_cell_a_row():
    listed = list_holes(with_holes())

    assert listed[["data set", "algorithm", "missing", "folds"]].to_numpy().tolist() == [
        ["d1", "b", "2 of 3", "1, 2"],
        ["d2", "b", "2 of 3", "1, 2"],
        ["d2", "c", "3 of 3", "all"],
        ["d5", "b", "2 of 3", "1, 2"],
        ["d7", "c", "3 of 3", "all"],
    ]
    assert listed["why"].tolist() == [
        "no value",
        "no value",
        "row absent",
        "no value",
        "row absent",
    ]


def test_a_choice_is_about_the_measure_that_is_compared():
    frame = with_holes().frame
    frame["other"] = frame["error"].where(frame["dataset"] != "d9")
    both = Results.from_frame(frame, directions={"error": "lower", "other": "lower"})

    assert both.resolve("drop data sets") == both.resolve("drop data sets", "error")
    assert "d9" in both.resolve("drop data sets").datasets
    assert "d9" not in both.resolve("drop data sets", "other").datasets


def test_a_missing_run_takes_the_value_of_the_baseline():
    results = with_holes()
    filled = results.resolve("baseline", baseline="d")

    assert filled.holes("error").empty
    assert filled.matrix("d2", "error")["c"].tolist() == results.matrix("d2", "error")["d"].tolist()
    assert filled.matrix("d1", "error")["b"].iloc[0] == results.matrix("d1", "error")["b"].iloc[0]
    assert "For 12 missing runs of b and c on 4 of 14 data sets stands the error of d" in to_text(
        analyse(filled)
    )
    two = to_text(analyse(filled, Settings(without_algorithms=("c", "d"))))
    assert "For 6 missing runs of b on 3 of 14 data sets stands the error of d" in two


@pytest.mark.parametrize(
    ("baseline", "error", "said"),
    [
        ("", SettingError, "None is named"),
        ("zero", SettingError, '"zero" is none of them'),
        ("c", DataError, r"c lacks 6 runs: d2 \(fold 0\)"),
    ],
)
def test_a_baseline_that_cannot_stand_for_others_is_refused(baseline, error, said):
    with pytest.raises(error, match=said):
        with_holes().resolve("baseline", baseline=baseline)


def test_those_present_are_compared_on_what_both_have():
    results = with_holes()
    found = analyse(results.resolve("present"))
    scores = results.averages("error")

    both = scores[["a", "b"]].dropna()
    row = found.details().set_index(["first", "second"]).loc[("a", "b")]
    assert (row["data sets"], len(both)) == (11, 11)
    assert row["p"] == wilcoxon(both["a"], both["b"]).pvalue
    assert found.omnibus.statistic == skillings_mack(scores, higher_is_better=False).statistic
    assert found.standing.loc["c"].tolist() == [scores.rank(axis=1)["c"].mean(), 12]
    assert (found.settings.source, found.settings.correction) == ("wilcoxon", "holm")
    said = to_text(found)
    assert "runs that fail usually are" in said
    assert "Bergmann-Hommel on Wilcoxon would need every algorithm on every data set" in said


def test_without_holes_those_present_are_all():
    whole = with_holes().select(algorithms=["a", "d"]).resolve("present")
    assert whole.failures == "none"
    results = with_holes().resolve("present").select(datasets=["d0", "d3", "d4", "d6", "d8"])
    found = analyse(results)
    assert found.kind == "ranks"
    assert found.results.choices == ()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(control="a"), "Comparisons with a need every cell"),
        (Settings(dataset="d1"), "on the folds of one data set need every run"),
    ],
)
def test_where_those_present_mean_nothing_it_is_said(settings, said):
    with pytest.raises(MissingCells, match=said):
        analyse(with_holes().resolve("present"), settings)


def test_two_are_compared_on_shared_folds_and_data_sets():
    frame = with_holes().frame
    more = pd.concat([frame, frame.assign(fold=(frame["fold"].astype(int) + 3).astype(str))])
    results = Results.from_frame(more).resolve("present")

    assert analyse(results, Settings(pair=("a", "c"))).counted.n == 12
    assert analyse(results, Settings(pair=("a", "b"), dataset="d1")).counted.n == 2


def test_choices_are_told_before_one_is_made():
    table = hole_choices(with_holes())
    by = table.set_index("choice")

    assert by["baseline"].to_dict()["baseline"] == "d"
    assert by["runs"].to_dict() == {
        "drop data sets": 120,
        "drop algorithms": 84,
        "drop folds": 0,
        "worst rank": 156,
        "baseline": 168,
        "present": 156,
    }
    assert not by.loc["drop folds", "decided"]
    assert by.loc["drop folds", "decides"] == 0
    for name in ("worst rank", "present"):
        comparison = analyse(with_holes().resolve(name))
        assert by.loc[name, "separated"] == int(comparison.pairs()["separated"].sum())
    assert describe_missing_choices(table).startswith("The ")
    whole = with_holes().select(algorithms=["a", "d"])
    assert hole_choices(whole).empty


def test_only_holes_of_what_is_compared_count():
    assert hole_choices(with_holes(), Settings(without_algorithms=("b", "c"))).empty
    table = hole_choices(with_holes(), Settings(without_algorithms=("c",)))
    assert table.set_index("choice").loc["drop data sets", "data sets"] == 11


def test_sensitivity_lists_the_other_choices():
    found = sensitivity(analyse(with_holes().resolve("drop data sets")))
    labels = [label for label in found["setting"] if label.startswith("missing cells")]

    assert len(labels) == 5
    assert "missing cells: the value of a baseline (d)" in labels
    assert not [label for label in labels if "leave out those data sets" in label]


def test_undefined_is_not_called_failed():
    counts = pd.DataFrame(
        [
            (f"d{i}", name, 0 if (i, name) == (0, "a") else 3, 0 if (i, name) == (0, "a") else 1)
            for i in range(6)
            for name in "abc"
        ],
        columns=["dataset", "algorithm", "tp", "fp"],
    )
    counts["fn"], counts["tn"] = 5 - counts["tp"], 5 - counts["fp"]
    counts["precision"] = counts["tp"] / (counts["tp"] + counts["fp"]).replace(0, np.nan)
    results = Results.from_frame(counts, directions={"precision": "higher"})

    said = to_text(analyse(results.resolve("worst rank"), Settings(measure="precision")))
    assert "a on 1 of 6 data sets has an undefined precision (0/0): 1 of 18 cells" in said
    assert "failed" not in said


@pytest.mark.parametrize("control", ["", "a"])
def test_runs_ranked_worst_are_offered_no_test_of_their_numbers(control):
    worst = with_holes().resolve("worst rank")
    table = sensitivity(analyse(worst, Settings(measure="error", control=control)))

    assert not table["setting"].str.startswith("p from").any()
    assert not table["verdict then"].str.contains("`").any()
    for source, named in (("wilcoxon", "Wilcoxon"), ("sign", "sign")):
        with pytest.raises(MissingCells, match=f"The {named} test needs .* average ranks"):
            analyse(worst, Settings(measure="error", control=control, source=source))
