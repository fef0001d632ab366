"""Tests of Bergmann-Hommel: all set partitions, both implementations, special cases, published decisions."""

import json
from itertools import combinations, combinations_with_replacement

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, DesignError
from stats_core.inference.multiplicity.adjust import (
    adjust_by_nearest,
    adjust_rows,
    fallback_message,
    used_correction,
)
from stats_core.inference.multiplicity.bergmann_hommel import (
    bergmann_hommel,
    bergmann_hommel_rows,
    falls_along,
    largest_products,
    products_by_search,
)
from stats_core.inference.pairwise import pairwise
from stats_core.inference.ranks import post_hoc_z
from tests.conftest import REFERENCE

MILP = REFERENCE / "bergmann_hommel_milp.json"
ULAS_NAMES = ["c45", "mdt", "mlp", "lnp", "svl", "sv2", "svr", "5nn"]


def set_partitions(k):
    """Yield every set partition of k items, as the block number of each item."""

    def extend(blocks, used):
        if len(blocks) == k:
            yield blocks
            return
        for block in range(used + 1):
            yield from extend((*blocks, block), max(used, block + 1))

    yield from extend((), 0)


def by_brute_force(p):
    """Return the adjusted p-values (plain form) by their definition."""
    k = len(p)
    adjusted = np.zeros((k, k))
    for blocks in set_partitions(k):
        inside = [(u, v) for u, v in combinations(range(k), 2) if blocks[u] == blocks[v]]
        if inside:
            product = len(inside) * min(p[pair] for pair in inside)
            for pair in inside:
                adjusted[pair] = max(adjusted[pair], product)
    adjusted = np.minimum(adjusted + adjusted.T, 1)
    np.fill_diagonal(adjusted, 1)
    return adjusted


def random_matrix(rng, k, distinct):
    """Return a symmetric matrix of random p-values, drawn with replacement from `distinct` values unless that is None."""
    m = k * (k - 1) // 2
    pool = rng.beta(0.3, 2, size=distinct or m)
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = rng.choice(pool, size=m, replace=bool(distinct))
    return pd.DataFrame(np.minimum(table, table.T))


def of_ranks(ranks, n):
    """Return the unadjusted p-values of all pairs of average ranks."""
    return post_hoc_z(pd.Series(ranks), n).pvalues


def random_ranks(rng, k, ties):
    ranks = rng.integers(2, 2 * k + 1, size=k) / 2 if ties else rng.uniform(1, k, size=k)
    return pd.Series(ranks)


def upper(table):
    return np.asarray(table)[np.triu_indices(len(table), 1)]


@pytest.mark.parametrize("k", range(2, 10))
@pytest.mark.parametrize("distinct", [None, 3])
def test_any_p_values_agree_with_every_set_partition(rng, k, distinct):
    for _ in range(2):
        raw = random_matrix(rng, k, distinct)

        actual = bergmann_hommel(raw, monotone=False)

        np.testing.assert_allclose(actual, by_brute_force(raw.to_numpy()), rtol=1e-8)


@pytest.mark.parametrize("k", range(2, 9))
@pytest.mark.parametrize("ties", [True, False])
def test_p_values_of_ranks_agree_with_every_set_partition(rng, k, ties):
    for n in (8, 60):
        ranks = random_ranks(rng, k, ties)
        raw = of_ranks(ranks, n)

        actual = bergmann_hommel(raw, average_ranks=ranks, monotone=False)

        np.testing.assert_allclose(actual, by_brute_force(raw.to_numpy()), rtol=1e-8)


@pytest.mark.parametrize("k", range(9, 14))
@pytest.mark.parametrize("ties", [True, False])
def test_both_routes_agree(rng, k, ties):
    for n in (5, 80):
        ranks = random_ranks(rng, k, ties)
        raw = of_ranks(ranks, n)

        np.testing.assert_allclose(
            bergmann_hommel(raw, average_ranks=ranks, monotone=False),
            bergmann_hommel(raw, monotone=False),
            rtol=1e-12,
        )


def reach_functions(k):
    """Yield every non-decreasing assignment of the farthest point that each of k points reaches."""
    for ends in combinations_with_replacement(range(k), k):
        if all(end >= point for point, end in enumerate(ends)):
            yield ends


def levels_of(reach):
    """Return a matrix with 1 where two points reach each other, else 0."""
    k = len(reach)
    points = np.arange(k)
    may_equal = (points > points[:, None]) & (points <= np.array(reach)[:, None])
    return (may_equal | may_equal.T).astype(int)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 7, 6])
def test_both_routes_agree_for_every_reach_function(k):
    for reach in reach_functions(k):
        levels = levels_of(reach)
        if not levels.any():
            continue
        assert falls_along(levels)
        values = np.array([1e-9, 1e-3])

        by_ranks = largest_products(levels, values)

        by_search = products_by_search(levels, values, monotone=False)
        np.testing.assert_allclose(upper(by_ranks), upper(by_search), rtol=1e-12)


def test_two_neighbours_that_compete_for_the_same_points():
    # found by comparing the routes for every reach function: shapes 4b and 4c are needed
    ranks = pd.Series([3.46] * 3 + [4.73] * 2 + [6] + [7.27] * 2 + [8.54] * 3)
    raw = of_ranks(ranks, 30)

    actual = bergmann_hommel(raw, average_ranks=ranks, monotone=False)

    for u in (3, 4):
        for v in (6, 7):
            assert actual.loc[u, v] == pytest.approx(0.0512756, abs=5e-8)
    np.testing.assert_allclose(actual, bergmann_hommel(raw, monotone=False), rtol=1e-12)


@pytest.mark.parametrize("x", [7, 8, 9])
@pytest.mark.parametrize(("r1", "r2"), [(5, 5), (5, 6), (6, 6)])
def test_nine_reach_functions_of_eleven_points(r1, r2, x):
    levels = levels_of((5, r1, r2, 7, x, 10, 10, 10, 10, 10, 10))

    actual = largest_products(levels, np.array([1e-9, 1e-3]))

    assert actual[3, 7] == pytest.approx(17e-3)
    by_search = products_by_search(levels, np.array([1e-9, 1e-3]), monotone=False)
    assert by_search[3, 7] == pytest.approx(17e-3)


@pytest.mark.parametrize(
    ("reach", "u", "v"),
    [
        # the smallest cases where one of the shapes 4b and 4c alone gives 22, all others 21
        ((6, 6, 6, 6, 6, 8, 11, 11, 11, 11, 11, 11), 5, 8),
        ((6, 6, 6, 6, 8, 9, 11, 11, 11, 11, 11, 11), 4, 8),
        ((5, 5, 5, 6, 6, 11, 11, 11, 11, 11, 11, 11), 3, 6),
        ((5, 7, 7, 8, 10, 11, 11, 11, 11, 11, 11, 11), 3, 8),
    ],
)
def test_the_larger_neighbour_takes_what_both_reach(reach, u, v):
    levels = levels_of(reach)

    actual = largest_products(levels, np.array([1e-9, 1e-3]))

    assert actual[u, v] == pytest.approx(22e-3)
    by_search = products_by_search(levels, np.array([1e-9, 1e-3]), monotone=False)
    assert by_search[u, v] == pytest.approx(22e-3)


def test_equal_ranks_get_equal_adjusted_values(rng):
    for _ in range(20):
        ranks = random_ranks(rng, 12, ties=True)
        noisy = ranks + rng.choice([0, 1e-15], size=12)
        raw = of_ranks(noisy, 25)

        for monotone in (True, False):
            actual = bergmann_hommel(raw, average_ranks=noisy, monotone=monotone).to_numpy()

            for u, v in combinations(range(12), 2):
                if ranks[u] == ranks[v]:
                    others = [i for i in range(12) if i not in (u, v)]
                    assert (actual[u, others] == actual[v, others]).all()


def test_equal_p_values_share_the_largest_in_the_monotone_form():
    # by the definition, names 0 to 3: with 0 and 1 equal, nothing else may be (p = 0), so 0.5;
    # with 0 and 2 equal, 1 and 3 may be, so 2 x 0.5. Both raw p are 0.5 but for rounding.
    table = np.ones((4, 4))
    table[np.triu_indices(4, 1)] = [0.5, 0.5 + 1e-15, 0.0, 0.0, 1.0, 0.0]
    raw = pd.DataFrame(np.minimum(table, table.T))

    plain, monotone = bergmann_hommel(raw, monotone=False), bergmann_hommel(raw)

    assert (plain.loc[0, 1], plain.loc[0, 2]) == pytest.approx((0.5, 1.0))
    assert (monotone.loc[0, 1], monotone.loc[0, 2]) == (1.0, 1.0)


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(3, 200), st.booleans())
def test_order_of_the_procedures_for_ranks(seed, k, n, ties):
    ranks = random_ranks(np.random.default_rng(seed), k, ties)
    raw = of_ranks(ranks, n)

    plain = upper(bergmann_hommel(raw, average_ranks=ranks, monotone=False))
    monotone = upper(bergmann_hommel(raw, average_ranks=ranks))

    p = upper(raw)
    assert (p <= plain).all()
    assert (plain <= monotone).all()
    assert (monotone <= adjust_rows(p, "shaffer") * (1 + 1e-8)).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(monotone[order]) >= 0).all()


def test_many_algorithms_are_never_below_a_partition(rng):
    # the adjusted value is a maximum over partitions, so that of any partition is at most it
    ranks = pd.Series(np.sort(rng.uniform(1, 40, size=40)))
    raw = of_ranks(ranks, 60)
    actual = bergmann_hommel(raw, average_ranks=ranks, monotone=False).to_numpy()
    best = raw.to_numpy().copy()
    for _ in range(3000):
        blocks = np.repeat(np.arange(40), rng.integers(1, 9, size=40))[:40]
        inside = np.triu(blocks[:, None] == blocks, 1)
        product = inside.sum() * raw.to_numpy()[inside].min()
        best[inside] = np.maximum(best[inside], product)

    assert (actual >= np.minimum(best, 1) * (1 - 1e-9))[np.triu_indices(40, 1)].all()
    assert (upper(actual) < 1).sum() > 100


@pytest.mark.parametrize("place", range(3))
def test_twelve_algorithms_agree_with_integer_programmes(place):
    case = json.loads(MILP.read_text(encoding="utf-8"))["cases"][place]
    k = case["algorithms"]
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = case["pvalues"]
    raw = pd.DataFrame(np.minimum(table, table.T))

    actual = upper(bergmann_hommel(raw, monotone=False))

    np.testing.assert_allclose(actual, case["adjusted"], rtol=1e-8)
    assert not np.allclose(actual, adjust_rows(upper(raw), "shaffer"), rtol=1e-3)


@given(st.integers(0, 10_000), st.integers(3, 12), st.sampled_from([None, 4]))
def test_the_search_may_leave_out_what_the_monotone_form_does_not_need(seed, k, distinct):
    raw = random_matrix(np.random.default_rng(seed), k, distinct)
    order = np.argsort(upper(raw), kind="stable")

    monotone = upper(bergmann_hommel(raw))

    plain = upper(bergmann_hommel(raw, monotone=False))
    largest = np.array([plain[upper(raw) <= p * (1 + 1e-9)].max() for p in upper(raw)])
    np.testing.assert_allclose(monotone, largest, rtol=1e-12)
    assert (np.diff(monotone[order]) >= 0).all()
    assert (upper(raw) <= plain).all()
    assert (monotone <= adjust_rows(upper(raw), "shaffer") * (1 + 1e-8)).all()


def test_thirty_algorithms_on_the_pairs_own_tests_are_finished(rng):
    scores = pd.DataFrame(rng.normal(size=(20, 30)) + np.linspace(0, 2, 30))
    raw = pairwise(scores, "wilcoxon").pvalues

    adjusted = adjust_by_nearest(raw, "bergmann_hommel")

    assert used_correction("bergmann_hommel", adjusted) == "bergmann_hommel"
    by_shaffer = adjust_rows(upper(raw), "shaffer")
    assert (upper(adjusted) <= by_shaffer * (1 + 1e-8)).all()
    assert (upper(adjusted) < 0.9 * by_shaffer).sum() > 50


def test_the_monotone_form_searches_each_pair_at_its_own_p_value_only(rng, monkeypatch):
    raw = pairwise(
        pd.DataFrame(rng.normal(size=(29, 20)) + np.linspace(-2, 2, 20)), "wilcoxon"
    ).pvalues
    monkeypatch.setattr("stats_core.inference.multiplicity.bergmann_hommel.MOST_STEPS", 50_000)
    with pytest.raises(
        DesignError, match="steps"
    ):  # the plain form searches the smaller p-values, too
        bergmann_hommel(raw, monotone=False)
    bergmann_hommel(raw)


def test_where_the_search_ends_shaffer_stands_in_and_is_named(rng, monkeypatch):
    monkeypatch.setattr("stats_core.inference.multiplicity.bergmann_hommel.MOST_STEPS", 50)
    raw = random_matrix(rng, 12, None)
    with pytest.raises(DesignError, match="12 algorithms needs more than 50 steps. Use Shaffer"):
        bergmann_hommel(raw)

    adjusted = adjust_by_nearest(raw, "bergmann_hommel")

    used = used_correction("bergmann_hommel", adjusted)
    assert used == "shaffer"
    np.testing.assert_array_equal(upper(adjusted), adjust_rows(upper(raw), "shaffer"))
    said = str(fallback_message("bergmann_hommel", 12, used=used))
    assert "did not finish within 4,000,000 steps. The Shaffer procedure" in said


def test_order_of_the_algorithms_changes_nothing(rng):
    ranks = random_ranks(rng, 20, ties=True)
    raw = of_ranks(ranks, 30)
    order = rng.permutation(20)

    actual = bergmann_hommel(raw.loc[order, order], average_ranks=ranks)

    pd.testing.assert_frame_equal(
        actual.loc[raw.index, raw.columns], bergmann_hommel(raw, average_ranks=ranks)
    )


def test_ranks_that_the_p_values_do_not_follow_are_not_relied_on(rng):
    raw = random_matrix(rng, 7, None)
    ranks = random_ranks(rng, 7, ties=False)

    actual = bergmann_hommel(raw, average_ranks=ranks, monotone=False)

    np.testing.assert_allclose(actual, by_brute_force(raw.to_numpy()), rtol=1e-8)


@pytest.mark.parametrize("with_ranks", [True, False])
def test_too_many_algorithms_without_ranks_name_the_alternative(rng, with_ranks):
    raw = random_matrix(rng, 31, None)
    ranks = random_ranks(rng, 31, ties=False) if with_ranks else None

    with pytest.raises(DesignError, match="at most 30 algorithms .* there are 31. Use Shaffer"):
        bergmann_hommel(raw, average_ranks=ranks)


def test_ranks_of_other_algorithms_are_refused():
    raw = of_ranks([1.5, 2.0, 2.5], 10)
    with pytest.raises(DataError, match="but has 2 names, 2 of them"):
        bergmann_hommel(raw, average_ranks=pd.Series([1.0, 2.0]))
    with pytest.raises(DataError, match="behind the p-values"):
        bergmann_hommel(raw, average_ranks=pd.Series([1, 2, 3, 3.0], index=[0, 1, 2, 2]))
    with pytest.raises(DataError, match="must be finite"):
        bergmann_hommel(raw, average_ranks=pd.Series([1, 2, np.nan]))


def between(group, others):
    return {frozenset((a, b)) for a in group for b in others if a != b}


ULAS = [
    # Ulas, Yildiz and Alpaydin 2012, Tables 5(a), 7(a), 8(a): printed average ranks, decisions
    (
        [5.37, 5.45, 4.57, 4.87, 3.05, 5.07, 2.45, 5.18],
        between(["svl", "svr"], ULAS_NAMES)
        - {frozenset(("svl", "svr")), frozenset(("svl", "mlp"))},
    ),
    (
        [3.11, 5.05, 4.37, 3.13, 5.50, 6.24, 6.11, 2.50],
        between(["c45", "lnp", "5nn"], ["mdt", "svl", "sv2", "svr"])
        | between(["mlp"], ["sv2", "svr", "5nn"]),
    ),
    (
        [2.50, 2.95, 2.71, 3.68, 5.71, 6.13, 5.32, 7.00],
        between(["c45", "mdt", "mlp", "lnp"], ["svl", "sv2", "svr", "5nn"])
        | between(["svr"], ["5nn"]),
    ),
]


@pytest.mark.parametrize(("ranks", "expected"), ULAS)
def test_published_decisions_for_eight_algorithms(ranks, expected):
    ranks = pd.Series(ranks, index=ULAS_NAMES)
    raw = post_hoc_z(ranks, 38).pvalues

    adjusted = bergmann_hommel(raw, average_ranks=ranks)

    found = {frozenset(pair) for pair in combinations(ULAS_NAMES, 2) if adjusted.loc[pair] <= 0.05}
    assert found == expected


@pytest.mark.parametrize("k", [2, 4, 9])
def test_many_families_at_once_are_adjusted_as_one(k):
    pvalues = np.random.default_rng(k).beta(0.3, 0.6, size=(4, k * (k - 1) // 2))
    pvalues[2:] = pvalues[2:].round(1)  # ties, and zeros

    for one, found in zip(pvalues, bergmann_hommel_rows(pvalues), strict=True):
        table = np.ones((k, k))
        table[np.triu_indices(k, 1)] = one
        alone = bergmann_hommel(pd.DataFrame(np.minimum(table, table.T))).to_numpy()
        np.testing.assert_array_equal(found, alone[np.triu_indices(k, 1)])


def test_many_families_of_many_algorithms_are_refused():
    with pytest.raises(DesignError, match="at most 10 algorithms, but there are 11"):
        bergmann_hommel_rows(np.ones((1, 55)))
