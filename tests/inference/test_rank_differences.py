"""Tests of exact tests of differences of average ranks: enumeration and simulation."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.core.errors import DataError
from stats_core.inference.pairwise import least_rank_pvalue
from stats_core.inference.ranks import (
    exact_critical_gap,
    exact_rank_pairs,
    post_hoc_z,
    rank_rows,
    two_sided_tail,
    untied_tail,
)

ROWS = [
    [[1, 2, 3], [1, 2, 3]],
    [[1, 2, 3, 4], [1, 2, 3, 4]],
    [[1, 2.5, 2.5], [1.5, 1.5, 3], [2, 2, 2]],
    [[1, 2, 3, 4], [1.5, 1.5, 3.5, 3.5]],
    [[2.5, 2.5, 2.5, 2.5], [1, 3, 3, 3]],
]


def enumerated(rows):
    """Return P(2 |D| >= i) for every i, by enumeration of every order of every row."""
    orders = product(*(list(permutations(row)) for row in rows))
    differences = np.array([abs(sum(2 * (row[0] - row[1]) for row in order)) for order in orders])
    largest = int(sum(2 * (max(row) - min(row)) for row in rows))
    return [(differences >= i - 1e-9).mean() for i in range(largest + 1)]


@pytest.mark.parametrize("rows", ROWS, ids=str)
def test_the_tail_is_that_of_all_orders(rows):
    tail = two_sided_tail(np.array(rows, dtype=float))

    np.testing.assert_allclose(tail, enumerated(rows), atol=1e-14)


def test_p_is_the_tail_at_the_difference_of_rank_sums():
    ranks = pd.DataFrame(ROWS[3], columns=list("abcd"))
    found = exact_rank_pairs(ranks)
    tail = enumerated(ROWS[3])

    for first, second in combinations("abcd", 2):
        doubled = int(abs(2 * (ranks[first].sum() - ranks[second].sum())))
        assert found.pvalues.loc[first, second] == pytest.approx(tail[doubled])
    assert (np.diag(found.pvalues) == 1).all()
    assert found.pvalues.equals(found.pvalues.T)
    pd.testing.assert_frame_equal(found.statistics, post_hoc_z(ranks.mean(), 2).statistics)


def test_shuffled_tables_reject_as_often_as_p_says(rng):
    """20,000 tables of 5 algorithms on 8 data sets, half of them with ties."""
    rows = np.array([[1, 2, 3, 4, 5], [1.5, 1.5, 3, 4.5, 4.5]] * 4)
    drawn = rng.permuted(np.tile(rows, (20_000, 1, 1)), axis=2).sum(axis=1)
    doubled = np.abs(2 * (drawn[:, 0] - drawn[:, 1])).round().astype(int)
    tail = two_sided_tail(rows)

    for place in (6, 12, 18, 24):
        p = tail[place]
        assert (doubled >= place).mean() == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 20_000))


def test_the_normal_approximation_is_near_for_many_data_sets(garcia_herrera):
    ranks = rank_rows(garcia_herrera.scores, higher_is_better=True)
    exact, normal = exact_rank_pairs(ranks).pvalues, post_hoc_z(ranks.mean(), len(ranks)).pvalues

    off = ~np.eye(5, dtype=bool)
    np.testing.assert_allclose(exact.to_numpy()[off], normal.to_numpy()[off], atol=0.02)


def test_the_least_p_is_that_of_the_largest_gap():
    for k, n in ((3, 2), (5, 4), (8, 3)):
        assert untied_tail(k, n)[-1] == pytest.approx(least_rank_pvalue(k, n))


def test_the_critical_gap_is_the_first_that_rejects():
    gap = exact_critical_gap(0.05, 4, 8)
    tail = untied_tail(4, 8)

    assert tail[round(2 * 8 * gap)] <= 0.05 < tail[round(2 * 8 * gap) - 2]
    assert exact_critical_gap(0.001, 3, 2) == np.inf


def test_very_many_take_the_normal_approximation():
    ranks = pd.DataFrame(np.tile(np.arange(1.0, 102), (200, 1)))

    assert exact_rank_pairs(ranks).method.name == "z test of average ranks"


def test_no_ranks_are_refused():
    with pytest.raises(DataError, match="must sum to 6 .*rank_rows"):
        exact_rank_pairs(pd.DataFrame([[1.0, 2.0, 2.0]], columns=list("abc")))


def test_blocks_of_data_sets_are_those_one_after_another(rng):
    ranks = stats.rankdata(rng.normal(size=(150, 5)).round(1), axis=1)
    slowly = np.ones(1)
    for row in np.rint(2 * ranks).astype(int):
        apart = (row[:, None] - row)[~np.eye(5, dtype=bool)] + 8
        slowly = np.convolve(slowly, np.bincount(apart, minlength=17) / 20)
    reach = len(slowly) // 2
    expected = [slowly[: reach - i + 1].sum() + slowly[reach + i :].sum() for i in range(1, 400)]

    np.testing.assert_allclose(two_sided_tail(ranks)[1:400], expected, rtol=1e-11)
