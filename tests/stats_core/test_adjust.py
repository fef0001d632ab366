"""Adjusted p-values: other programs, the papers, ordering of the procedures."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.adjust import PAIR_METHODS, adjust_pairs
from stats_core.errors import DataError, SettingError
from stats_core.ranks import friedman, post_hoc_z
from tests.conftest import load_reference


def matrix(values, k):
    """Return a symmetric matrix with these p-values above the diagonal."""
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = values
    return pd.DataFrame(np.minimum(table, table.T))


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


@given(families)
def test_the_procedures_are_ordered(raw):
    none, bonferroni, holm, hochberg, hommel = (
        adjust_pairs(raw, method).to_numpy()
        for method in ("none", "bonferroni", "holm", "hochberg", "hommel")
    )

    for smaller, larger in [
        (none, hommel),
        (hommel, hochberg),
        (hochberg, holm),
        (holm, bonferroni),
    ]:
        assert (smaller <= larger + 1e-9).all()
    assert (bonferroni <= 1).all()


@given(families, st.sampled_from(PAIR_METHODS))
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
