"""Tests of the pairs of a comparison: the same row by every way, and no interval that nobody asked for."""

import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.pairs import PAIR_COLUMNS
from stats_core.data.settings import Settings
from stats_core.inference import pair_intervals
from tests.comparison.test_at_level import afresh
from tests.report.report_cases import KINDS, case
from tests.samples import shipped


@pytest.mark.parametrize("name", KINDS)
def test_a_row_is_the_same_alone_and_among_all(name):
    comparison, _ = case(name)
    pairs = comparison.pairs

    some = pairs.with_intervals(pairs.decisions.iloc[::2])

    assert list(pairs.decisions) == list(pairs.frame)
    assert list(pairs.frame)[: len(PAIR_COLUMNS)] == list(PAIR_COLUMNS)
    pd.testing.assert_frame_equal(some, pairs.frame.iloc[::2])
    for row in pairs.frame.to_dict("records"):
        assert pairs.of(row["second"], row["first"])["statistic"] == pytest.approx(
            row["statistic"], nan_ok=True
        )
    assert len(pairs.differing) == pairs.decisions["separated"].sum()


@pytest.fixture
def computed(monkeypatch):
    """Return a list that gets the number of pairs of each computation of intervals."""
    numbers, compute = [], pair_intervals.pair_intervals

    def counted(compared):
        numbers.append(len(compared.pairs))
        return compute(compared)

    monkeypatch.setattr(pair_intervals, "pair_intervals", counted)
    return numbers


@pytest.mark.parametrize("source", ["wilcoxon", "sign", "ranks"])
def test_intervals_are_computed_for_the_pairs_asked_for_and_once(computed, source):
    results = afresh(shipped("garcia_herrera_2008_accuracy.csv"))
    comparison = analyse(results, Settings(source=source, correction="holm"))
    pairs = comparison.pairs

    decide(comparison)
    assert computed == []
    first, second = comparison.order[:2]
    alone = pairs.of(first, second)
    assert pairs.of(second, first).equals(alone)
    assert computed == [1]
    everything = pairs.frame
    assert computed == [1, len(pairs)]
    pd.testing.assert_series_equal(everything.loc[alone.name], alone)
    pairs.with_intervals(pairs.decisions.head(3))
    assert computed == [1, len(pairs)]


def test_a_pair_that_is_not_compared_has_no_row():
    comparison, _ = case("control")
    one, other = [name for name in comparison.order if name != comparison.control][:2]

    assert comparison.pairs.of(comparison.control, one)["first"] == one
    with pytest.raises(KeyError):
        comparison.pairs.of(one, other)
