"""Tests of steps and exhaustive sets: published tables, and agreement with adjusted p-values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.multiplicity.adjust import STEP_METHODS, adjust_pairs, step_table
from stats_core.inference.multiplicity.bergmann_hommel import count_exhaustive_sets, exhaustive_sets
from stats_core.inference.ranks import friedman, post_hoc_z

NAMES = ["C4.5", "1-NN", "NaiveBayes", "Kernel", "CN2"]


@pytest.fixture
def published(garcia_herrera):
    """Tests of all pairs by normal approximation, on which Tables 3 to 5 are based."""
    ranks = friedman(garcia_herrera.scores, higher_is_better=True).average_ranks
    return post_hoc_z(ranks, 30)


def matrix(values, k):
    table = np.ones((k, k))
    table[np.triu_indices(k, 1)] = values
    names = list("abcdefg")[:k]
    return pd.DataFrame(np.minimum(table, table.T), index=names, columns=names)


families = st.integers(2, 5).flatmap(
    lambda k: st.lists(
        st.one_of(st.floats(0, 1), st.sampled_from([0.005, 0.01, 0.0125])),
        min_size=k * (k - 1) // 2,
        max_size=k * (k - 1) // 2,
    ).map(lambda values: matrix(values, k))
)


def test_garcia_and_herrera_table_3(published):
    steps = step_table(published.pvalues, 0.05, statistics=published.statistics)

    table = steps.table
    assert list(zip(table["first"], table["second"], strict=True)) == [
        ("C4.5", "Kernel"),
        ("NaiveBayes", "Kernel"),
        ("Kernel", "CN2"),
        ("C4.5", "1-NN"),
        ("1-NN", "Kernel"),
        ("1-NN", "NaiveBayes"),
        ("C4.5", "CN2"),
        ("NaiveBayes", "CN2"),
        ("1-NN", "CN2"),
        ("C4.5", "NaiveBayes"),
    ]
    assert table["step"].tolist() == list(range(1, 11))
    np.testing.assert_allclose(
        table["z"].abs(),
        [5.471, 5.226, 2.98, 2.817, 2.654, 2.572, 2.49, 2.245, 0.327, 0.245],
        atol=5.01e-4,
    )
    np.testing.assert_allclose(
        table["p"],
        [4.487e-8, 1.736e-7, 0.0029, 0.0048, 0.008, 0.0101, 0.0128, 0.0247, 0.744, 0.8065],
        atol=5.01e-5,
    )
    np.testing.assert_allclose(table["bonferroni"], 0.005)
    # 0.05 / 9 = 0.00556 is printed as 0.0055
    np.testing.assert_allclose(
        table["holm"],
        [0.005, 0.0055, 0.0063, 0.0071, 0.0083, 0.01, 0.0125, 0.0167, 0.025, 0.05],
        atol=6e-5,
    )
    np.testing.assert_allclose(
        table["shaffer"],
        [0.005, 0.0083, 0.0083, 0.0083, 0.0083, 0.0125, 0.0125, 0.0167, 0.025, 0.05],
        atol=5.01e-5,
    )
    assert steps.rejected.to_dict() == {"bonferroni": 4, "holm": 5, "shaffer": 6}


def test_garcia_and_herrera_table_4(published):
    found = exhaustive_sets(NAMES, published.pvalues, 0.05)

    sizes = found.table["size"].value_counts().sort_index().to_dict()
    assert sizes == {1: 10, 2: 15, 3: 10, 4: 10, 6: 5, 10: 1}
    numbers = {name: str(i) for i, name in enumerate(NAMES, start=1)}
    printed = [
        ",".join(numbers[a] + numbers[b] for a, b in pairs) for pairs in found.table["pairs"]
    ]
    for row in ["12,34", "34,35,45", "12,34,35,45", "13,14,25,34", "23,24,25,34,35,45"]:
        assert row in printed
    bold = [text for text, bold in zip(printed, found.table["accepted"], strict=True) if bold]
    assert bold == ["13", "25", "13,25"]
    assert found.retained == (("C4.5", "NaiveBayes"), ("1-NN", "CN2"))
    assert len(found.rejected) == 8
    assert found.to_frame() is found.table


def test_the_published_numbers_of_exhaustive_sets():
    # Garcia and Herrera 2008, Table 1
    assert [count_exhaustive_sets(k) for k in range(4, 10)] == [14, 51, 202, 876, 4139, 21146]
    assert [count_exhaustive_sets(k) for k in (1, 2, 3)] == [0, 1, 4]
    with pytest.raises(DesignError, match="but is 0"):
        count_exhaustive_sets(0)


@pytest.mark.parametrize("k", range(2, 7))
def test_as_many_sets_are_listed_as_counted_each_once(k):
    raw = matrix(np.linspace(0.01, 0.9, k * (k - 1) // 2), k)

    sets = exhaustive_sets(raw.index, raw, 0.05).table["pairs"]

    assert len(set(sets)) == len(sets) == count_exhaustive_sets(k)


@given(families, st.sampled_from([0.01, 0.05, 0.2]))
def test_the_acceptance_set_is_what_plain_bergmann_hommel_does_not_reject(raw, alpha):
    found = exhaustive_sets(raw.index, raw, alpha)

    adjusted = adjust_pairs(raw, "bergmann_hommel_plain")
    for pair in found.rejected:
        assert adjusted.loc[pair] <= alpha
    for pair in found.retained:
        assert adjusted.loc[pair] > alpha
    k = len(raw)
    assert len(found.rejected) + len(found.retained) == k * (k - 1) // 2


@given(families, st.sampled_from([0.01, 0.05, 0.2]))
def test_each_procedure_rejects_until_its_level_is_passed(raw, alpha):
    steps = step_table(raw, alpha)

    p = steps.table["p"].to_numpy()
    for method in STEP_METHODS:
        levels = steps.table[method].to_numpy()
        stops = np.flatnonzero(p > levels)
        expected = stops[0] if len(stops) else len(p)
        close = np.isclose(p, levels, rtol=1e-8, atol=0).any()
        assert steps.rejected[method] == expected or close
    assert (steps.rejected.diff().dropna() >= 0).all()


def test_order_of_the_names_is_the_order_of_the_pairs():
    raw = matrix([0.01, 0.2, 0.3], 3)

    forward = exhaustive_sets(["a", "b", "c"], raw, 0.05).rejected
    backward = exhaustive_sets(["c", "b", "a"], raw, 0.05).rejected

    assert forward == (("a", "b"),)
    assert backward == (("b", "a"),)


def test_what_cannot_be_listed_is_refused_with_the_reason():
    raw = matrix(np.full(21, 0.5), 7)
    with pytest.raises(DesignError, match="2 to 6 algorithms, but there are 7"):
        exhaustive_sets(raw.index, raw, 0.05)
    with pytest.raises(DataError, match="`names` must be the algorithms of `pvalues`"):
        exhaustive_sets(["a", "b", "x"], matrix([0.1, 0.2, 0.3], 3), 0.05)
    with pytest.raises(SettingError, match="alpha"):
        exhaustive_sets(["a", "b"], matrix([0.1], 2), 5)
    with pytest.raises(SettingError, match="alpha"):
        step_table(matrix([0.1], 2), 0)
    with pytest.raises(DataError, match="is 2 × 2 for 3 algorithms"):
        step_table(matrix([0.1, 0.2, 0.3], 3), 0.05, statistics=matrix([0.1], 2))
