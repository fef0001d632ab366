"""Tests of the exact Friedman test: printed tables, enumeration, simulation, identities, invalid input."""

from importlib import import_module
from itertools import permutations, product
from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from stats_core.core.errors import DataError, DesignError
from stats_core.inference.omnibus import exact_friedman
from stats_core.inference.ranks import friedman, iman_davenport
from tests.conftest import load_reference

module = import_module("stats_core.inference.omnibus")

tables = arrays(
    float, st.tuples(st.integers(2, 4), st.integers(2, 4)), elements=st.integers(0, 3).map(float)
).map(lambda values: pd.DataFrame(values, columns=[f"a{j}" for j in range(values.shape[1])]))


def enumerated(scores):
    """Return the p-value by enumeration of every order of every row."""
    ranks = stats.rankdata(scores.to_numpy(), axis=1)
    sums = np.zeros((1, ranks.shape[1]))
    for row in ranks:
        sums = (sums[:, None] + np.array(list(permutations(row)))).reshape(-1, ranks.shape[1])
    return np.mean((sums**2).sum(axis=1) >= (ranks.sum(axis=0) ** 2).sum() - 1e-9)


@pytest.mark.parametrize(
    ("scores", "statistic", "pvalue"),
    [
        ([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], 6.5, 0.0417),
        ([[1, 2, 3]] * 3 + [[1, 3, 2], [2, 1, 3]], 6.4, 0.0394),
        ([[1, 2, 3, 4]] * 3 + [[1, 4, 3, 2], [4, 1, 2, 3], [1, 2, 4, 3]], 7.4, 0.0558),
    ],
)
def test_printed_tables(scores, statistic, pvalue):
    """Exact tables of Friedman's test in Hollander and Wolfe 1999: k = 3, N = 4, 5; k = 4, N = 6."""
    outcome = exact_friedman(pd.DataFrame(scores), higher_is_better=False)

    assert outcome.statistic == pytest.approx(statistic)
    assert round(outcome.pvalue, 4) == pvalue
    assert outcome.method.exact
    assert "exact" in str(outcome.method)


@given(tables)
@settings(max_examples=25)
def test_enumeration_of_all_orders_gives_the_same(scores):
    actual = exact_friedman(scores, higher_is_better=False).pvalue

    assert actual == pytest.approx(enumerated(scores), rel=1e-12)


@pytest.mark.parametrize("name", ["C_demsar2006", "C_demsar2006_untied"])
def test_simulation_gives_nearly_the_same(name, rng):
    """100,000 random permutations within rows have a standard error of 0.0004."""
    scores = load_reference(name).scores
    outcome = exact_friedman(scores, higher_is_better=True)
    ranks = outcome.ranks.to_numpy()
    sums = np.zeros((100_000, ranks.shape[1]))
    for row in ranks:
        sums += rng.permuted(np.tile(row, (len(sums), 1)), axis=1)
    observed = (ranks.sum(axis=0) ** 2).sum()

    assert outcome.pvalue == pytest.approx(
        np.mean((sums**2).sum(axis=1) >= observed - 1e-9), abs=0.0016
    )
    assert outcome.statistic == friedman(scores, higher_is_better=True).statistic


def test_chi_square_is_close_for_many_data_sets(rng):
    scores = pd.DataFrame(rng.random((60, 3)) + [0, 0.1, 0.15])

    exact, rough = (test(scores, higher_is_better=True) for test in (exact_friedman, friedman))

    assert exact.pvalue == pytest.approx(rough.pvalue, abs=0.01)


@given(st.integers(2, 20), st.integers(0, 20), st.integers(0, 5))
def test_two_algorithms_give_the_exact_sign_test(n, wins, ties):
    """Expected: scipy's binomtest without tied data sets."""
    wins = min(wins, n)
    values = [[0, 1]] * wins + [[1, 0]] * (n - wins) + [[1, 1]] * ties

    outcome = exact_friedman(pd.DataFrame(values), higher_is_better=False)

    assert outcome.pvalue == pytest.approx(stats.binomtest(wins, n).pvalue, rel=1e-12)
    assert "sign test" in str(outcome.warnings[0])


@pytest.mark.parametrize(("row", "ties"), [([1, 2, 3, 4], 1), ([1, 2, 2, 4], 2), ([1, 1, 1, 2], 6)])
def test_one_order_everywhere_has_the_p_of_iman_davenport(row, ties):
    scores = pd.DataFrame([row] * 5)

    outcome = exact_friedman(scores, higher_is_better=False)

    assert outcome.pvalue == pytest.approx((factorial(4) / ties) ** -4, rel=1e-12)
    assert outcome.pvalue == pytest.approx(
        iman_davenport(scores, higher_is_better=False).pvalue, rel=1e-12
    )


def test_all_ties_give_p_one():
    outcome = exact_friedman(pd.DataFrame(np.ones((5, 3))), higher_is_better=True)

    assert (outcome.statistic, outcome.pvalue) == (0, 1)


def test_a_tied_data_set_adds_nothing(rng):
    scores = pd.DataFrame(rng.random((6, 3)))
    more = pd.concat([scores, pd.DataFrame(np.ones((2, 3)))], ignore_index=True)

    expected = exact_friedman(scores, higher_is_better=True).pvalue

    assert exact_friedman(more, higher_is_better=True).pvalue == pytest.approx(expected)


@given(tables, st.randoms(use_true_random=False))
def test_order_direction_and_monotone_maps_change_nothing(scores, random):
    rows, columns = list(scores.index), list(scores.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    expected = exact_friedman(scores, higher_is_better=True).pvalue

    for same in (scores.loc[rows, columns], np.exp(scores)):
        assert exact_friedman(same, higher_is_better=True).pvalue == pytest.approx(expected)
    assert exact_friedman(-scores, higher_is_better=False).pvalue == pytest.approx(expected)


def test_a_larger_statistic_never_has_a_larger_p():
    """All statistics for k = 3 and N = 4 occur if the last two rows vary."""
    orders = list(permutations([1, 2, 3]))
    found = [
        exact_friedman(pd.DataFrame([[1, 2, 3], [1, 2, 3], a, b]), higher_is_better=False)
        for a, b in product(orders, orders)
    ]
    found.sort(key=lambda outcome: outcome.statistic)

    for lower, higher in zip(found, found[1:], strict=False):
        assert higher.pvalue <= lower.pvalue + 1e-12


def test_blocks_and_wide_keys_change_nothing(rng, monkeypatch):
    """The sums of ten algorithms need more than 62 bits unless they are renumbered."""
    scores = pd.DataFrame(np.where(rng.random((6, 10)) < 0.1, 1.0, 0.0))
    scores.iloc[:, 0] = [1, 1, 1, 0, 0, 1]
    small = pd.DataFrame(rng.random((6, 4)))
    expected = [exact_friedman(table, higher_is_better=True).pvalue for table in (scores, small)]

    monkeypatch.setattr(module, "_BLOCK", 50)
    monkeypatch.setattr(module, "_KEY_LIMIT", 100)

    actual = [exact_friedman(table, higher_is_better=True).pvalue for table in (scores, small)]
    assert actual == pytest.approx(expected, rel=1e-12)


def test_failures_may_rank_worst():
    scores = pd.DataFrame([[1, 2, np.nan]] * 3)

    outcome = exact_friedman(scores, higher_is_better=False, missing="worst")

    assert outcome.pvalue == pytest.approx(1 / 36)
    with pytest.raises(DataError, match="but 3 values are not"):
        exact_friedman(scores, higher_is_better=False)


def test_too_many_states_are_refused_with_the_way_out(rng, monkeypatch):
    with pytest.raises(DesignError, match=r"12 algorithms on 3 data sets.*iman_davenport"):
        exact_friedman(pd.DataFrame(rng.random((3, 12))), higher_is_better=True)
    for limit in ("STATE_LIMIT", "STEP_LIMIT"):
        with monkeypatch.context() as patch:
            patch.setattr(module, limit, 200)
            with pytest.raises(DesignError, match="chi-square"):
                exact_friedman(pd.DataFrame(rng.random((12, 4))), higher_is_better=True)


def test_one_data_set_is_refused():
    with pytest.raises(DesignError, match="at least 2 data sets"):
        exact_friedman(pd.DataFrame([[1.0, 2, 3]]), higher_is_better=True)
