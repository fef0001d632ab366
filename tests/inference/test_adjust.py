"""Tests of adjusted p-values: other programs, published values, and the order of the procedures."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.multiplicity.adjust import (
    LOGICAL,
    PAIR_METHODS,
    adjust_control,
    adjust_family,
    adjust_pairs,
    adjust_rows,
    corrections_for,
    shaffer_factors,
    true_counts,
)
from stats_core.inference.multiplicity.bergmann_hommel import bergmann_hommel_rows
from stats_core.inference.paired.signed_ranks import sign_pvalues
from stats_core.inference.ranks import friedman, post_hoc_z
from tests.conftest import load_reference

# Garcia and Herrera 2008, Table 5: Nemenyi (here Bonferroni), Holm, Shaffer, Bergmann-Hommel
GARCIA_HERRERA_TABLE_5 = {
    ("C4.5", "Kernel"): (4.487e-7, 4.487e-7, 4.487e-7, 4.487e-7),
    ("NaiveBayes", "Kernel"): (1.736e-6, 1.563e-6, 1.042e-6, 1.042e-6),
    ("Kernel", "CN2"): (0.0288, 0.0230, 0.0173, 0.0115),
    ("C4.5", "1-NN"): (0.0485, 0.0339, 0.0291, 0.0291),
    ("1-NN", "Kernel"): (0.0796, 0.0478, 0.0478, 0.0319),
    ("1-NN", "NaiveBayes"): (0.1011, 0.0506, 0.0478, 0.0319),
    ("C4.5", "CN2"): (0.1276, 0.0511, 0.0511, 0.0383),
    ("NaiveBayes", "CN2"): (0.2474, 0.0742, 0.0742, 0.0383),
    ("1-NN", "CN2"): (1.0, 1.0, 1.0, 1.0),
    ("C4.5", "NaiveBayes"): (1.0, 1.0, 1.0, 1.0),
}


def matrix(values, k):
    """Return a symmetric matrix with the given p-values above the diagonal."""
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = values
    return pd.DataFrame(np.minimum(table, table.T))


def test_the_logic_of_equalities_does_not_hold_for_sign_tests():
    """b wins as often as a and as c, but a beats c: Shaffer and Bergmann-Hommel then exceed the level.

    The probabilities of the four orders of a, b and c are chosen accordingly.
    """
    orders = {"abc": 0.1, "acb": 0.4, "bac": 0.4, "cba": 0.1}
    n, draws, rng = 67, 20_000, np.random.default_rng(2)
    counts = rng.multinomial(n, list(orders.values()), size=draws)
    pairs = ("ab", "ac", "bc")
    wins = np.stack(
        [
            counts[:, [order.index(one) < order.index(two) for order in orders]].sum(axis=1)
            for one, two in pairs
        ],
        axis=1,
    )
    raw = sign_pvalues(wins, n - wins, n, two_sided=True)
    true = np.array([True, False, True])  # who wins as often as the other
    error = np.sqrt(0.05 * 0.95 / draws)
    wrong = {
        "holm": adjust_rows(raw, "holm"),
        "shaffer": adjust_rows(raw, "shaffer"),
        "bergmann_hommel": bergmann_hommel_rows(raw),
    }
    rates = {name: (p[:, true] <= 0.05).any(axis=1).mean() for name, p in wrong.items()}

    for name, rate in rates.items():
        allowed = name in corrections_for("sign")
        assert (rate <= 0.05 + 3 * error) == allowed, (name, rate)
    assert {*LOGICAL} == {*rates} - {*corrections_for("sign test")}


families = st.integers(2, 6).flatmap(
    lambda k: st.lists(
        st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.03])),
        min_size=k * (k - 1) // 2,
        max_size=k * (k - 1) // 2,
    ).map(lambda values: matrix(values, k))
)


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006"])
@pytest.mark.parametrize("method", ["bonferroni", "holm", "hochberg", "hommel"])
def test_agrees_with_r_p_adjust(name, method):
    reference = load_reference(name)
    ranks = friedman(reference.scores, higher_is_better=True).average_ranks
    raw = post_hoc_z(ranks, len(reference.scores)).pvalues

    reference.assert_close(adjust_pairs(raw, method), f"posthoc.apv.{method}")


def test_benjamini_hochberg_agrees_with_r_p_adjust():
    """Expected: p.adjust(c(0.012, 0.3, 0.001, 0.04, 0.008, 0.012), "BH") in R 4.2."""
    found = adjust_family(np.array([0.012, 0.3, 0.001, 0.04, 0.008, 0.012]), "benjamini_hochberg")
    assert found == pytest.approx([0.018, 0.3, 0.006, 0.048, 0.018, 0.018])


@given(
    st.lists(
        st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.02, 1.0])), min_size=1, max_size=10
    )
)
def test_benjamini_hochberg_agrees_with_statsmodels(raw):
    found = adjust_control(pd.Series(raw, index=range(len(raw))), "benjamini_hochberg")
    np.testing.assert_allclose(found, multipletests(raw, method="fdr_bh")[1], atol=1e-12)


@given(families)
def test_the_procedures_are_ordered(raw):
    names = ("none", "benjamini_hochberg", "hommel", "hochberg", "holm", "bonferroni")
    adjusted = [adjust_pairs(raw, method).to_numpy() for method in names]

    for smaller, larger in itertools.pairwise(adjusted):
        assert (smaller <= larger + 1e-9).all()
    assert (adjusted[-1] <= 1).all()


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006", "C_demsar2006_untied"])
@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("shaffer", "shaffer"),
        ("bergmann_hommel", "bergmann_hommel.monotone"),
        ("bergmann_hommel_plain", "bergmann_hommel.no_monotone_step"),
    ],
)
@pytest.mark.parametrize("with_ranks", [True, False])
def test_agrees_with_scmamp_and_with_closed_testing(name, method, key, with_ranks):
    reference = load_reference(name)
    ranks = friedman(reference.scores, higher_is_better=True).average_ranks
    raw = post_hoc_z(ranks, len(reference.scores)).pvalues

    actual = adjust_pairs(raw, method, average_ranks=ranks if with_ranks else None)

    reference.assert_close(actual, f"posthoc.apv.{key}")


def test_the_published_table_in_full(garcia_herrera):
    ranks = friedman(garcia_herrera.scores, higher_is_better=True).average_ranks
    raw = post_hoc_z(ranks, 30).pvalues
    methods = ["bonferroni", "holm", "shaffer", "bergmann_hommel"]

    adjusted = [adjust_pairs(raw, method, average_ranks=ranks) for method in methods]

    for pair, printed in GARCIA_HERRERA_TABLE_5.items():
        actual = [table.loc[pair] for table in adjusted]
        digits = 4 if printed[0] > 1e-4 else 9
        np.testing.assert_allclose(actual, printed, atol=0.5001 * 10.0**-digits, rtol=0)
    for table, rejections in zip(adjusted, [4, 5, 6, 8], strict=True):
        assert (np.triu(table <= 0.05, 1)).sum() == rejections


@given(families)
def test_the_procedures_that_use_the_logic_of_pairs_are_ordered(raw):
    none, plain, monotone, shaffer, holm = (
        adjust_pairs(raw, method).to_numpy()
        for method in ("none", "bergmann_hommel_plain", "bergmann_hommel", "shaffer", "holm")
    )

    for smaller, larger in [(none, plain), (plain, monotone), (monotone, shaffer), (shaffer, holm)]:
        assert (smaller <= larger * (1 + 1e-8)).all()


def test_shaffer_counts_the_equalities_that_can_hold_together():
    # Garcia and Herrera 2008, section 2.1: k = 5
    assert shaffer_factors(5).tolist() == [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    # by hand: of three algorithms all are equal, or at most one pair is
    assert shaffer_factors(3).tolist() == [3, 1, 1]
    assert shaffer_factors(2).tolist() == [1]
    assert shaffer_factors(1).tolist() == []


@pytest.mark.parametrize("k", range(2, 8))
def test_the_possible_numbers_of_equalities_are_those_of_the_partitions(k):
    labels = itertools.combinations_with_replacement(range(k), k)  # up to the names of groups

    counts = {sum(a == b for a, b in itertools.combinations(label, 2)) for label in labels}

    assert set(true_counts(k)) == counts


def test_shaffer_needs_all_pairs():
    with pytest.raises(DesignError, match="Shaffer's procedure needs the p-values of"):
        adjust_rows(np.full(5, 0.1), "shaffer")
    with pytest.raises(DesignError, match="at least 0, but is -1"):
        true_counts(-1)


@pytest.mark.parametrize("method", ["shaffer", "bergmann_hommel"])
def test_procedures_for_pairs_are_refused_for_other_families(method):
    with pytest.raises(SettingError, match=method):
        adjust_family(np.array([0.1, 0.2]), method)


@pytest.mark.parametrize("method", PAIR_METHODS)
def test_one_and_two_algorithms(method):
    assert adjust_pairs(matrix([], 1), method).to_numpy().tolist() == [[1.0]]
    assert adjust_pairs(matrix([0.04], 2), method).loc[0, 1] == 0.04


@given(families, st.sampled_from([m for m in PAIR_METHODS if m != "bergmann_hommel_plain"]))
def test_adjusted_values_keep_the_order_and_the_ties(raw, method):
    adjusted = adjust_pairs(raw, method)
    rows, columns = np.triu_indices(len(raw), 1)
    p, q = raw.to_numpy()[rows, columns], adjusted.to_numpy()[rows, columns]
    order = np.argsort(p, kind="stable")

    assert (np.diff(q[order]) >= -1e-12).all()
    for value in set(p):
        assert len(set(q[p == value])) == 1
    assert (adjusted.to_numpy() == adjusted.to_numpy().T).all()
    assert (np.diag(adjusted) == 1).all()


@given(families, st.sampled_from(PAIR_METHODS))
def test_order_of_the_algorithms_changes_nothing(raw, method):
    order = list(raw.index)[::-1]

    actual = adjust_pairs(raw.loc[order, order], method).loc[raw.index, raw.columns]

    pd.testing.assert_frame_equal(actual, adjust_pairs(raw, method))


@given(families)
def test_bonferroni_and_holm_by_their_definitions(raw):
    rows, columns = np.triu_indices(len(raw), 1)
    p = raw.to_numpy()[rows, columns]
    m = len(p)

    bonferroni = adjust_pairs(raw, "bonferroni").to_numpy()[rows, columns]
    holm = adjust_pairs(raw, "holm").to_numpy()[rows, columns]

    np.testing.assert_allclose(bonferroni, np.minimum(1, m * p))
    for i in range(m):
        smaller = p <= p[i]
        steps = [(m - (p < p[j]).sum()) * p[j] for j in np.flatnonzero(smaller)]
        assert holm[i] == pytest.approx(min(1, max(steps)))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pd.DataFrame([[1, 0.5], [0.4, 1]]), "symmetric"),
        (pd.DataFrame([[1, 1.5], [1.5, 1]]), r"in \[0, 1\]"),
        (pd.DataFrame([[1, np.nan], [np.nan, 1]]), r"in \[0, 1\]"),
        (pd.DataFrame([[1, 0.5]]), "square"),
    ],
)
def test_bad_matrices_are_refused_with_the_reason(table, message):
    with pytest.raises(DataError, match=message):
        adjust_pairs(table, "holm")


def test_an_unknown_procedure_is_refused_with_the_known_ones():
    with pytest.raises(SettingError, match="bonferroni, holm"):
        adjust_pairs(matrix([0.5], 2), "fdr")
