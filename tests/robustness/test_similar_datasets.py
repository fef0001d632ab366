"""Tests of groups of data sets with similar rankings."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.ranks import friedman, rank_rows
from stats_core.report.robustness_text import describe_similar_sets
from stats_core.robustness.similar_datasets import similar_sets, similarity_order

NAMES = list("abcdefgh")


def planted(sizes, spread=0.6, seed=0):
    """Return ranks of eight algorithms on data sets of up to three groups, each with a different order and noise."""
    orders = (np.arange(8.0), np.arange(8.0)[::-1], np.array([4, 0, 6, 2, 1, 7, 3, 5.0]))
    rng = np.random.default_rng(seed)
    rows = [orders[g] for g, size in enumerate(sizes) for _ in range(size)]
    scores = np.array(rows) + rng.normal(scale=spread, size=(len(rows), 8))
    names = [f"set {i}" for i in range(len(rows))]
    return rank_rows(pd.DataFrame(scores, index=names, columns=NAMES), higher_is_better=False)


@pytest.mark.parametrize("sizes", [(9, 5), (25, 13), (10, 8, 6)])
def test_planted_groups_are_found_and_numbered_by_size(sizes):
    found = similar_sets(planted(sizes))

    assert found.labels.tolist() == list(np.repeat(np.arange(1, len(sizes) + 1), sizes))
    assert found.sizes.tolist() == list(sizes)
    assert found.silhouette.idxmax() == len(sizes)


def test_the_sentence_names_who_leads():
    """By construction, a is best in the first group, and h in the second."""
    ranks = planted((25, 13), spread=0.1)

    assert describe_similar_sets(similar_sets(ranks)) == (
        "2 groups of similar data sets were found. The best average ranks are those of a on 25 data sets and h on 13 data sets."
    )
    assert describe_similar_sets(similar_sets(ranks.iloc[:25])) == (
        "No groups of similar data sets were found. The best average rank is that of a on 25 data sets."
    )


def test_the_same_leader_twice_is_said():
    """a is best everywhere, and the order of the others is reversed in the second group."""
    ranks = pd.DataFrame([[1, 2, 3, 4, 5]] * 3 + [[1, 5, 4, 3, 2]] * 2, columns=list("abcde"))

    assert describe_similar_sets(similar_sets(ranks, groups=2)).endswith(
        "The best average ranks are those of a on 3 data sets and a on 2 data sets."
    )


@pytest.mark.parametrize(("n", "k"), [(38, 3), (38, 5), (20, 8), (38, 15)])
def test_random_rankings_rarely_fall_into_groups(n, k):
    """The gap rule has a level of 5%: more than 4 of 20 tables have groups with probability 0.3%."""
    rng = np.random.default_rng(7)
    tables = [pd.DataFrame(stats.rankdata(rng.random((n, k)), axis=1)) for _ in range(20)]

    assert sum(len(similar_sets(table).concordance) > 1 for table in tables) <= 4


@pytest.mark.parametrize("groups", [None, 2, 5])
def test_shuffling_rows_and_columns_changes_nothing(groups):
    rng = np.random.default_rng(3)
    ranks = rank_rows(
        pd.DataFrame(rng.integers(0, 3, (14, 4)), columns=list("wxyz")), higher_is_better=True
    )
    one = similar_sets(ranks, groups=groups)
    for seed in range(5):
        mixed = ranks.sample(frac=1, random_state=seed).sample(frac=1, axis=1, random_state=seed)
        other = similar_sets(mixed, groups=groups)

        assert other.order == one.order
        assert describe_similar_sets(other) == describe_similar_sets(one)
        pd.testing.assert_series_equal(other.labels.sort_index(), one.labels.sort_index())
        pd.testing.assert_frame_equal(other.average_ranks[list("wxyz")], one.average_ranks)
        pd.testing.assert_series_equal(other.concordance, one.concordance)


def test_the_groups_are_those_of_scipy():
    """Without ties, pdist with correlation distance and fcluster give the same partition."""
    ranks = planted((7, 6, 5), spread=3)
    tree = hierarchy.linkage(pdist(ranks, "correlation"), "average")
    for groups in range(2, 9):
        theirs = hierarchy.fcluster(tree, groups, "maxclust")
        mine = similar_sets(ranks, groups=groups).labels.to_numpy()

        np.testing.assert_array_equal(
            mine[:, None] == mine, theirs[:, None] == theirs, err_msg=str(groups)
        )


def test_the_silhouette_of_a_small_case_by_hand():
    """Rankings 123, 123, 132, 321: rho is 1, 1/2, -1 and -1/2, so distances are 0, 1/2, 2 and 3/2.

    Groups {1, 2, 3} and {4}: widths are 1 - (1/4)/2 twice, 1 - (1/2)/(3/2), and 0 for the single
    one.
    """
    ranks = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [3, 2, 1]])
    width = similar_sets(ranks, groups=2).silhouette[2]

    assert width == pytest.approx((2 * (1 - 0.25 / 2) + (1 - 0.5 / 1.5)) / 4)


def test_kendalls_w_is_that_of_the_friedman_test():
    rng = np.random.default_rng(5)
    scores = pd.DataFrame(rng.integers(0, 4, (20, 5)).astype(float))
    scores[5] = np.arange(20) / 7
    ranks = rank_rows(scores, higher_is_better=False)
    found = similar_sets(ranks, groups=3)
    for number, w in found.concordance.items():
        inside = scores.loc[found.labels.index[found.labels == number]]
        if len(inside) == 1:
            assert np.isnan(w)
        else:
            assert w == pytest.approx(friedman(inside, higher_is_better=False).kendall_w)
            np.testing.assert_allclose(
                found.average_ranks.loc[number], ranks.loc[inside.index].mean()
            )


def test_the_order_keeps_groups_together():
    ranks = planted((6, 5, 4), spread=2).sample(frac=1, random_state=1)
    found = similar_sets(ranks, groups=3)

    assert sorted(found.order) == sorted(ranks.index)
    assert found.labels.loc[list(found.order)].is_monotonic_increasing


def test_data_sets_where_all_tie_are_kept_apart():
    ranks = planted((8, 6), spread=0.1)
    ranks.loc["even"] = 4.5
    found = similar_sets(ranks)

    assert found.apart == ("even",)
    assert found.order[-1] == "even"
    assert "even" not in found.labels.index
    assert describe_similar_sets(found).endswith(
        "a on 8 data sets and h on 6 data sets. All algorithms tie on 1 data set (even)."
    )


def test_data_sets_on_which_all_algorithms_tie_form_no_group():
    found = similar_sets(pd.DataFrame([[1.5, 1.5]] * 3))

    assert describe_similar_sets(found) == "All algorithms tie on 3 data sets (0, 1 and 2)."
    assert found.average_ranks.shape == (0, 2)
    assert len(found.apart) == 3


def test_one_and_two_data_sets():
    """W is 0 for two opposite rankings, and undefined for a single one."""
    two = pd.DataFrame([[1, 2, 3], [3, 2, 1.0]], columns=list("abc"))
    one = similar_sets(two.iloc[:1])

    assert describe_similar_sets(one).endswith("The best average rank is that of a on 1 data set.")
    assert np.isnan(one.concordance[1])
    assert similar_sets(two).concordance.tolist() == [0.0]
    assert describe_similar_sets(similar_sets(two)).endswith(
        "rank is that of a, b and c on 2 data sets."
    )
    assert describe_similar_sets(similar_sets(two, groups=2)).endswith(
        "The best average ranks are those of a on 1 data set and c on 1 data set."
    )


def test_the_same_ranking_everywhere_is_one_group():
    found = similar_sets(pd.DataFrame([[1, 2, 3]] * 9))

    assert found.concordance.tolist() == [1.0]
    assert found.silhouette.empty


@pytest.mark.parametrize("groups", [1, 9, 2.5, True, "2"])
def test_groups_outside_two_to_eight_are_refused(groups):
    with pytest.raises(SettingError, match="Omit `groups` to select the number"):
        similar_sets(planted((5, 5)), groups=groups)


def test_identical_rankings_are_never_parted():
    with pytest.raises(SettingError, match="`groups` is 3, but there are only 2"):
        similar_sets(pd.DataFrame([[1, 2, 3], [1, 2, 3], [3, 2, 1]]), groups=3)


def test_what_is_no_ranking_is_refused():
    good = planted((3, 3))
    with pytest.raises(DataError, match="`ranks` must contain the mid-ranks of the"):
        similar_sets(good / 10)
    with pytest.raises(DataError, match="finite"):
        similar_sets(good.mask(good == 1))
    with pytest.raises(DesignError, match="is empty"):
        similar_sets(good.iloc[:0])
    with pytest.raises(SettingError, match="more than 300"):
        similar_sets(pd.DataFrame([[1, 2]] * 301))


def test_similar_data_sets_are_neighbours_whatever_their_order():
    ranks = planted((6, 6), spread=1)
    mixed = ranks.sample(frac=1, random_state=0)
    order = [mixed.index[i] for i in similarity_order(mixed)]
    numbers = [int(name.split()[1]) // 6 for name in order]

    assert numbers in ([0] * 6 + [1] * 6, [1] * 6 + [0] * 6)
    assert order == [ranks.index[i] for i in similarity_order(ranks)]
