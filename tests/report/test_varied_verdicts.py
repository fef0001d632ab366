"""Tests of verdicts with other treatments of missing results, and by group of data sets."""

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED
from stats_core.core.errors import DataError, MissingCells, SettingError
from stats_core.data.missing import count_missing, missing_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.omnibus import skillings_mack
from stats_core.inference.paired import wilcoxon
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_script
from stats_core.report.tables.robustness_tables import tables_by_group
from stats_core.report.text_report import to_text
from stats_core.report.varied_verdicts import (
    EVERY,
    by_group,
    compare_missing_choices,
    describe_missing_choices,
    describe_remainder,
    remaining_by_choice,
    sensitivity,
)
from stats_core.robustness.variations import NAMES
from tests.report.report_cases import with_holes


def tagged(rng, *, sizes=(8, 10, 1), untagged=1, names="abc", costs=True, folds=1):
    """Return results on data sets in groups g0, g1 and so on; algorithms differ in g0 only."""
    rows, tags = [], {}
    groups = [f"g{k}" for k, n in enumerate(sizes) for _ in range(n)] + [""] * untagged
    for i, group in enumerate(groups):
        tags[f"d{i}"] = group
        for j, name in enumerate(names):
            for fold in range(folds):
                gap = 0.1 * j if group == "g0" else 0.0
                rows.append(
                    (f"d{i}", name, str(fold), 0.2 + gap + rng.uniform(0, 0.02), float(3 - j))
                )
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "error", "time"])
    return Results.from_frame(
        frame, costs=["time"] if costs else [], groups=pd.DataFrame({"kind": pd.Series(tags)})
    )


def test_each_row_is_the_analysis_of_its_data_sets(rng):
    results = tagged(rng)
    found = by_group(results, None, "kind")

    assert found.table["data sets"].to_dict() == {EVERY: 20, "g0": 8, "g1": 10, "g2": 1}
    assert found.untagged == ("d19",)
    for value in ("g0", "g1"):
        alone = analyse(results, Settings(only=("kind", value)))
        row = found.table.loc[value]
        assert row["first test p"] == pytest.approx(alone.omnibus.pvalue)
        assert row["pairs separated"] == alone.pairs.decisions["separated"].sum()
        assert row["average"] == pytest.approx(alone.scores[row["best"]].mean())
        assert row["average rank"] == pytest.approx(alone.friedman.average_ranks.min())
    assert found.table.loc["g0", "badge"].startswith(DECIDED)
    assert found.table.loc["g2", "badge"] == LIMITED
    assert (
        found.table.loc["g2", "verdict"]
        == "There is 1 data set, but a test over data sets needs at least two."
    )


def test_holm_over_groups_counts_the_groups_with_a_test(rng):
    table = by_group(tagged(rng), None, "kind").table

    raw = table.loc[["g0", "g1"], "first test p"].astype(float)
    adjusted = table["p Holm over groups"].astype(float)
    assert adjusted["g0"] == pytest.approx(min(1, 2 * raw["g0"]))
    assert adjusted["g1"] == pytest.approx(max(raw["g1"], adjusted["g0"]))
    assert adjusted[[EVERY, "g2"]].isna().all()


def test_orders_by_cost_stand_side_by_side(rng):
    results = tagged(rng, folds=4)
    found = by_group(results, None, "kind", rules=OrderRules())

    assert by_group(results, None, "kind").orders == {}
    for value in ("g0", "g1"):
        part = select(results, Settings(only=("kind", value)))
        assert found.orders[value].ordering.order == order_of(part).ordering.order
    table = tables_by_group(found)[1]
    assert list(table.frame) == [EVERY, "g0", "g1", "g2"]
    assert "in each group)" in table.caption


def test_without_a_cost_there_is_no_order(rng):
    found = by_group(tagged(rng, costs=False), None, "kind", rules=OrderRules())

    assert found.orders == {}
    assert [table.name for table in tables_by_group(found)] == ["by_group"]


def test_the_table_says_what_alpha_does_not_bound(rng):
    (table,) = tables_by_group(by_group(tagged(rng), Settings(alpha=0.01), "kind"))

    assert (
        "Each of the 3 groups is tested at α = 0.01, and the p-values of the omnibus tests are adjusted over groups (Holm)."
        in table.caption
    )
    assert "Data sets without a group: d19." in table.caption
    assert table.texts.loc["g0", "significant pairs"] == "1 of 3"
    assert table.texts.loc["g2", "p of the omnibus test"] == ""
    assert not table.texts.map(lambda text: "nan" in text.lower()).to_numpy().any()


def test_the_region_that_does_not_matter_holds_in_every_group(rng):
    found = by_group(tagged(rng), Settings(margin=1e-9), "kind")
    (table,) = tables_by_group(found)

    more = found.table.loc["g0", "by more"]
    assert 0 < more <= found.table.loc["g0", "pairs separated"]
    assert (
        table.texts.loc["g0", "±1e-09"]
        == f"{more:.0f} differ by more than the margin, 0 are equivalent"
    )
    assert "how many pairs differ by more than this margin" in table.caption


def test_two_algorithms_have_one_test_per_group(rng):
    table = by_group(tagged(rng, names="ab"), None, "kind").table

    assert table.loc["g0", "pairs"] == 1
    assert table.loc["g0", "first test p"] == pytest.approx(2 / 2**8)


def test_what_is_left_out_is_left_out_of_every_group(rng):
    settings = Settings(without_datasets=("d0",), without_algorithms=("c",), control="a")
    table = by_group(tagged(rng), settings, "kind").table

    assert table["data sets"].to_dict() == {EVERY: 19, "g0": 7, "g1": 10, "g2": 1}
    assert table.loc["g0", "pairs"] == 1


def test_missing_cells_are_told_in_every_row(rng):
    results = tagged(rng)
    rows = results.frame
    rows.loc[rows["dataset"] == "d0", "error"] = np.nan
    table = by_group(results.with_rows(rows), None, "kind").table

    assert "missing" in table.loc["g0", "verdict"]
    assert table.loc["g1", "badge"] != LIMITED


def test_an_unknown_tag_is_refused(rng):
    with pytest.raises(
        SettingError, match='No column "x" groups the data sets. Choose one of kind'
    ):
        by_group(tagged(rng), None, "x")


def test_only_one_group(rng):
    results = tagged(rng)
    analysis = analyse(results, Settings(only=("kind", "g1"), without_datasets=("d8",)))

    assert analysis.results.datasets == tuple(f"d{i}" for i in range(9, 18))
    assert "on the 9 data sets with kind = g1 by error" in methods_paragraph(analysis)
    assert to_text(analysis).startswith("9 data sets with kind = g1, 3 algorithms")
    assert "only=('kind', 'g1',)" in to_script(analysis, ["x.csv"])


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (("kind", "x"), "Choose one of g0, g1 and g2"),
        (("x", "g1"), 'No column "x" groups the data sets. Choose one of kind'),
        (("kind",), "`only` must name a tag and its value"),
    ],
)
def test_a_group_that_there_is_not(rng, only, said):
    with pytest.raises(SettingError, match=said):
        analyse(tagged(rng), Settings(only=only))


def test_a_report_has_the_tables_of_every_tag(rng):
    results = tagged(rng)
    analysis = analyse(results)
    ordered = [table.name for table in report_tables(analysis, order_of(results))]

    assert report_tables(analysis)[-1].name == "by_group"
    assert ordered[-2:] == ["by_group", "orders_by_group"]
    one = report_tables(analyse(results, Settings(only=("kind", "g1"))))
    assert "by_group" not in [table.name for table in one]


def test_the_methods_name_other_names_once_and_the_script_gives_them_again(rng):
    results = tagged(rng).rename(algorithms={"a": "svm"}, datasets={"d0": "iris"})
    analysis = analyse(results)

    assert methods_paragraph(analysis).count("svm for a") == 1
    script = to_script(analysis, ["x.csv"])
    assert "results = results.rename(algorithms={'a': 'svm'}, datasets={'d0': 'iris'})" in script


def test_a_failed_run_counts_once_whatever_it_lacks():
    frame = with_holes().frame
    frame["other"] = frame["error"] / 2
    both = Results.from_frame(frame, directions={"error": "lower", "other": "lower"})

    found = count_missing(both)
    assert (found.runs, found.of_runs, found.cells, found.of_cells) == (12, 168, 5, 56)
    assert (found.datasets, found.algorithms, found.undefined) == (4, ("b", "c"), 0)
    assert str(count_missing(both.select(algorithms=["a", "b"]))) == (
        "6 error values of b are missing on 3 of 14 data sets (3 of 28 cells)"
    )


def test_holes_are_listed_a_cell_a_row():
    listed = missing_table(with_holes())

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

    assert filled.missing_of("error").empty
    assert filled.matrix("d2", "error")["c"].tolist() == results.matrix("d2", "error")["d"].tolist()
    assert filled.matrix("d1", "error")["b"].iloc[0] == results.matrix("d1", "error")["b"].iloc[0]
    assert (
        "12 missing results of b and c on 4 of 14 data sets are replaced by the error of d"
        in to_text(analyse(filled))
    )
    two = to_text(analyse(filled, Settings(without_algorithms=("c", "d"))))
    assert "6 missing results of b on 3 of 14 data sets are replaced by the error of d" in two


@pytest.mark.parametrize(
    ("baseline", "error", "said"),
    [
        ("", SettingError, "No algorithm is named"),
        ("zero", SettingError, '"zero" is not an algorithm of these results'),
        ("c", DataError, r"c lacks 6 runs: d2 \(fold 0\)"),
    ],
)
def test_a_baseline_that_cannot_stand_for_others_is_refused(baseline, error, said):
    with pytest.raises(error, match=said):
        with_holes().resolve("baseline", baseline=baseline)


def test_pairs_are_compared_on_data_sets_that_both_have():
    results = with_holes()
    found = analyse(results.resolve("present"))
    scores = results.averages("error")

    both = scores[["a", "b"]].dropna()
    row = found.pairs.frame.set_index(["first", "second"]).loc[("a", "b")]
    assert (row["data sets"], len(both)) == (11, 11)
    assert row["p"] == wilcoxon(both["a"], both["b"]).pvalue
    assert found.omnibus.statistic == skillings_mack(scores, higher_is_better=False).statistic
    assert found.standing.loc["c"].tolist() == [scores.rank(axis=1)["c"].mean(), 12]
    assert (found.settings.source, found.settings.correction) == ("wilcoxon", "holm")
    said = to_text(found)
    assert "which results are missing does not depend on the results" in said
    assert "replace Wilcoxon signed-rank tests with Bergmann-Hommel adjustment" in said


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
        (Settings(control="a"), r"Comparisons with the control a need every result"),
        (Settings(dataset="d1"), "on one data set need every result"),
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
    table = compare_missing_choices(with_holes())
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
        assert by.loc[name, "separated"] == int(comparison.pairs.decisions["separated"].sum())
    assert describe_missing_choices(table).startswith("The ")
    whole = with_holes().select(algorithms=["a", "d"])
    assert compare_missing_choices(whole).empty


def test_each_treatment_says_what_it_leaves_or_why_it_is_not_possible():
    phrases = remaining_by_choice(with_holes(), Settings())

    assert phrases["drop data sets"].endswith("120 results")  # as counted above
    assert phrases["drop folds"].startswith(
        "Excluding folds with missing results would leave no fold of"
    )


def test_only_holes_of_what_is_compared_count():
    assert compare_missing_choices(with_holes(), Settings(without_algorithms=("b", "c"))).empty
    table = compare_missing_choices(with_holes(), Settings(without_algorithms=("c",)))
    assert table.set_index("choice").loc["drop data sets", "data sets"] == 11


def test_sensitivity_lists_the_other_choices():
    found = sensitivity(analyse(with_holes().resolve("drop data sets")))
    choices = {name.lower() for name in NAMES.values()}
    labels = [label for label in found["setting"] if label.removesuffix(" (d)") in choices]

    assert len(labels) == 5
    assert "replace missing results by a baseline (d)" in labels
    assert not [label for label in labels if "exclude data sets with missing results" in label]


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
    assert "1 precision value of a is undefined (0/0) on 1 of 6 data sets (1 of 18 cells)" in said
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


def test_runs_are_counted_as_runs_of_the_design():
    row = pd.Series({"data sets": 2, "algorithms": 3, "folds": 10, "runs": 30})
    assert describe_remainder(row, "seeds") == "2 data sets, 3 algorithms, 10 runs, 30 results"
