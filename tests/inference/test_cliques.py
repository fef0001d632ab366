"""Tests of groups of algorithms, which are maximal and complete and may skip algorithms."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import SettingError
from stats_core.inference.multiplicity.cliques import cliques, split_levels
from stats_core.inference.ranks import friedman, nemenyi


@st.composite
def decisions(draw):
    """Draw a symmetric matrix of p-values, some of them equal to 0.05."""
    k = draw(st.integers(2, 8))
    values = draw(
        st.lists(
            st.sampled_from([0.001, 0.05, 0.06, 0.9]),
            min_size=k * (k - 1) // 2,
            max_size=k * (k - 1) // 2,
        )
    )
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = values
    names = [f"a{i}" for i in range(k)]
    return pd.DataFrame(np.minimum(table, table.T), index=names, columns=names)


@given(decisions())
def test_two_algorithms_share_a_group_exactly_if_not_separated(pvalues):
    groups = cliques(pvalues, 0.05)

    for i in pvalues.index:
        for j in pvalues.columns:
            together = any(i in group and j in group for group in groups)
            assert together == (i == j or pvalues.loc[i, j] > 0.05)


@given(decisions())
def test_no_group_lies_in_another(pvalues):
    groups = [set(group) for group in cliques(pvalues, 0.05)]

    assert not any(a < b for a in groups for b in groups)
    assert len(groups) == len({frozenset(group) for group in groups})


@pytest.mark.parametrize("name", ["garcia_herrera", "demsar"])
def test_nemenyi_groups_agree_with_other_programs(name, request):
    reference = request.getfixturevalue(name)
    ranks = friedman(reference.scores, higher_is_better=True).average_ranks
    expected = reference.expected("nemenyi.cliques.alpha_0.05")

    actual = cliques(nemenyi(ranks, len(reference.scores)).pvalues, 0.05)

    assert {frozenset(group) for group in actual} == {frozenset(group) for group in expected}


def test_a_group_may_pass_over_an_algorithm_between_its_members():
    names = ["best", "between", "last"]
    p = pd.DataFrame([[1, 0.01, 0.5], [0.01, 1, 0.01], [0.5, 0.01, 1]], names, names)

    assert cliques(p, 0.05) == [("best", "last"), ("between",)]


def test_alpha_must_be_a_probability():
    with pytest.raises(SettingError, match="between 0 and 1"):
        cliques(pd.DataFrame([[1.0]]), 1)


@given(
    st.lists(st.floats(1e-6, 0.3), min_size=1, max_size=10),
    st.sampled_from([0.00099, 0.0123451, 0.05, 0.1999]),
)
def test_groups_change_at_split_levels_and_nowhere_else(values, between):
    k = next(k for k in range(2, 6) if k * (k - 1) // 2 >= len(values))
    table = np.ones((k, k))
    table[tuple(part[: len(values)] for part in np.triu_indices(k, 1))] = values
    pvalues = pd.DataFrame(np.minimum(table, table.T))
    levels = [0.001, *split_levels(pvalues)]
    assert levels == sorted(set(levels))
    found = [cliques(pvalues, level) for level in levels]
    assert all(a != b for a, b in zip(found, found[1:], strict=False))
    # between two levels nothing changes, but for p-values that share a level's three digits
    below = max((level for level in levels if level <= between), default=None)
    apart = [p for p in values if below and below < p <= between]
    if below and below >= 0.001 and not apart:
        assert cliques(pvalues, between) == cliques(pvalues, below)
    assert split_levels(pd.Series(values)) == levels[1:], "a control has the same levels"
