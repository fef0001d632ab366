"""Tests of the equivalence margin in every kind of comparison."""

import json
from dataclasses import replace
from functools import cache

import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds import KINDS
from stats_core.core.errors import SettingError
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.report.effect_text import CELLS
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_json, to_script
from stats_core.report.tables.robustness_tables import (
    equivalence,
    equivalence_table,
    equivalences_table,
)
from stats_core.report.tables.table_registry import main_table
from stats_core.report.verdict import verdict
from tests.report.report_cases import KINDS as CASES
from tests.report.report_cases import case

WITH_UNITS = {
    *("ranks", "present", "control", "two", "folds", "fold pair"),
    *("cases", "trainings", "benchmarks"),
}
NAMES = [name for name in CASES if "threshold" not in name]
# by their names: an analysis of each while tests are collected would be made in every worker
WITHOUT = ("wins", "untested", "one ", "published", "pair on measures", "several")
IN_UNITS = [name for name in NAMES if not name.startswith(WITHOUT)]


@cache
def against(name, region):
    """Return the analysis of one of the cases with an equivalence margin."""
    known, _ = case(name)
    return analyse(known.results, replace(known.settings, margin=region))


@pytest.mark.parametrize("name", NAMES)
def test_no_region_changes_nothing(name):
    known, _ = case(name)

    assert known.equivalence.results == ()
    assert "matter" not in methods_paragraph(known)


@pytest.mark.parametrize("name", NAMES)
def test_a_region_changes_no_test(name):
    known, found = case(name)[0], against(name, 0.02)

    assert (known.kind in WITH_UNITS) == (name in IN_UNITS)
    assert found.pairs.frame.equals(known.pairs.frame)
    assert verdict(found).headline == verdict(known).headline
    assert verdict(found).badge == verdict(known).badge


@pytest.mark.parametrize("name", IN_UNITS)
def test_within_nothing_none_is_equivalent_and_within_all_every_pair_is(name):
    nothing, everything = against(name, 0.0), against(name, 1e6)

    assert "equivalent" not in nothing.equivalence.results
    assert set(everything.equivalence.results) == {"equivalent"}


@pytest.mark.parametrize("name", IN_UNITS)
def test_answers_change_at_turning_widths_and_nowhere_else(name):
    known, _ = case(name)
    at = {
        1e-12: known.equivalence.results_at(1e-12)
    }  # an end that is open at zero lies beyond nothing
    for width in known.equivalence.turning_widths(slice(None)):
        last = max(at)
        just_below = width * 0.98  # a width is rounded up by less than one in a hundred
        assert just_below <= last or known.equivalence.results_at(just_below) == at[last]
        at[width] = known.equivalence.results_at(width)
        assert at[width] != at[last]
    assert set(at[max(at)]) == {"equivalent"}
    assert all(against(name, width).equivalence.results == at[width] for width in list(at)[1:2])


@pytest.mark.parametrize("name", IN_UNITS)
def test_better_by_more_is_said_of_separated_pairs_only(name):
    for region in (0.0, 0.01, 0.05):
        found = against(name, region)
        pairs = found.pairs.frame
        for place, first, second, apart in zip(
            found.equivalence.results,
            pairs["first"],
            pairs["second"],
            pairs["separated"],
            strict=True,
        ):
            if place in ("better", "worse"):
                assert apart
                ahead = (first, second) if place == "better" else (second, first)
                if found.kind != "folds" or found.test != "5x2 cv F":
                    assert found.beats.loc[ahead]


@pytest.mark.parametrize("name", NAMES)
def test_every_output_says_it_or_why_not(name):
    found = against(name, 0.02)
    said, methods = verdict(found).detail, methods_paragraph(found)

    assert ("0.02" in said) == bool(len(found.pairs))
    assert ("two one-sided tests" in methods) == bool(found.equivalence.results)
    if found.equivalence.results:
        (table,) = (one for one in main_table(found) if "±0.02" in one.frame)
        assert {*table.frame["±0.02"].dropna()} <= {*CELLS.values()}
        assert "±0.02" in table.caption
        assert json.loads(to_json(found))["analysis"]["regions"] == list(found.equivalence.results)
        assert found.table()["region"].isin([*CELLS, "", None]).all()
        if found.results.files:
            assert "margin=0.02" in to_script(found)


@pytest.mark.parametrize(
    ("name", "together"),
    [("folds by Tukey", True), ("folds 5x2", False), ("folds by Wilcoxon", False)],
)
def test_only_tukeys_intervals_of_folds_hold_together(name, together):
    found = against(name, 0.02)

    assert found.intervals(0.05).together == together
    assert ("which are simultaneous" in methods_paragraph(found)) == together


def test_what_is_not_shown_is_not_denied():
    assert verdict(against("folds by Wilcoxon", 0.02)).detail.endswith(
        "The equivalence test within ±0.02 is inconclusive for all 28 pairs."
    )
    assert "Of 10 pairs, 3 differ by more than 0.02, " in verdict(against("ranks", 0.02)).detail


def test_kinds_without_common_units_are_named():
    assert WITH_UNITS < set(KINDS)


def test_the_family_is_paid_for_unless_nothing_is_adjusted():
    known, _ = case("ranks")
    adjusted = analyse(known.results, Settings(margin=0.02))
    alone = analyse(known.results, Settings(margin=0.02, correction="none"))
    pair = analyse(known.results, Settings(margin=0.02, pair=("C4.5", "CN2")))

    row = next(
        place
        for place, one in enumerate(alone.pairs.frame[["first", "second"]].to_numpy().tolist())
        if set(one) == {"C4.5", "CN2"}
    )
    low, high = pair.intervals(0.05).ends[0]
    own = alone.intervals(0.05).ends[row]
    assert own in ((low, high), (-high, -low))
    widths = [high - low for low, high in adjusted.intervals(0.05).ends]
    assert sum(widths) > sum(high - low for low, high in alone.intervals(0.05).ends)


@pytest.mark.parametrize("name", ["two", "pair on folds"])
def test_bayesian_numbers_say_what_they_are(name):
    found = against(name, 0.01)
    table = equivalence_table(found)

    assert table.frame.iloc[:, 0].sum() == pytest.approx(1)
    if name == "two":
        assert list(table.frame) == ["largest in", "mean share"]
        assert "nor probabilities of equivalence" in table.caption
        assert "2017" in table.caption
    else:
        assert list(table.frame) == ["probability", "probability (no limit on df)"]
        assert table.frame["probability (no limit on df)"].sum() == pytest.approx(1)
        assert "Posterior probability" in table.caption


def test_bayesian_numbers_of_all_pairs_are_those_of_each():
    table = equivalences_table(against("ranks", 0.01))
    first, second, better, within, worse = table.frame.iloc[0]
    known, _ = case("ranks")
    one = equivalence(analyse(known.results, Settings(margin=0.01, pair=(first, second))))

    assert (better, within, worse) == (one.right, one.rope, one.left)


def test_without_a_region_bayesian_tests_say_what_they_need():
    with pytest.raises(SettingError, match="Set `margin`"):
        equivalence(case("two")[0])


def test_two_that_never_disagree_on_few_cases_are_not_called_equivalent():
    rows = "".join(
        f"i,{name},{case},{case % 2},{case % 2}\n" for name in "ab" for case in range(20)
    )
    results = read_results(
        ("one.csv", f"dataset,algorithm,instance,true,predicted\n{rows}".encode())
    )

    assert analyse(results, Settings(margin=0.05)).equivalence.results == ("not known",)
    assert analyse(results, Settings(margin=0.2)).equivalence.results == ("equivalent",)


def test_a_region_that_cannot_be_is_refused():
    with pytest.raises(SettingError, match="0 or a positive number"):
        against("two", -1)


@pytest.mark.parametrize(("name", "rows"), [("pair on folds", 3), ("two", 3), ("control", 4)])
def test_a_report_has_the_bayesian_table_where_a_region_is_set(name, rows):
    (table,) = [one for one in report_tables(against(name, 0.02)) if one.name == "bayes"]

    assert len(table.frame) == rows
    assert "±0.02" in table.title
    assert "bayes" not in {one.name for one in report_tables(case(name)[0])}
