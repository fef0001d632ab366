"""Clusters of data sets with similar rankings of the algorithms."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.validation import check_scores

#: Minimum number of groups.
FEWEST = 2
_MOST = 8  # groups
_MOST_SETS = 5000
_MOST_CHOSEN = 300  # maximum number of data sets for choosing the number of groups
_MOST_CLUSTERED = 2000  # above, data sets are ordered by their best algorithm
_MOST_OPTIMAL = 200  # above, the leaves of the tree are not reordered
_SHUFFLED = 39  # tables without groups; exceeding all but one has probability 0.05
_JITTER = 0.01  # breaks ties of shuffled ranks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimilarSets:
    """Clusters of data sets with similar rankings of the algorithms.

    Attributes
    ----------
    order : tuple
        All data sets by group, similar ones adjacent; those in `apart` last.
    labels : Series by data set
        Number of the group of each data set, 1 is the largest. Data sets in `apart` have none.
    average_ranks : DataFrame, group x algorithm
        Average rank of each algorithm in the group; 1 is best.
    concordance : Series by group
        Kendall's W of the rankings in the group: 0 no agreement, 1 one ranking. NaN for a group
        of one data set.
    silhouette : Series by number of groups
        Mean silhouette width of every number considered; empty if there is none. Near 1 the groups
        are well separated, but random rankings of few algorithms also reach high values.
    apart : tuple
        Data sets on which all algorithms tie: they have no ranking to compare.
    """

    order: tuple
    labels: pd.Series
    average_ranks: pd.DataFrame
    concordance: pd.Series
    silhouette: pd.Series
    apart: tuple

    @property
    def sizes(self) -> pd.Series:
        """Number of data sets in each cluster."""
        return self.labels.value_counts().reindex(self.concordance.index)


def similar_sets(ranks: pd.DataFrame, *, groups: int | None = None) -> SimilarSets:
    """Return clusters of data sets with similar rankings, `groups` of them or a number chosen from the data.

    Raise SettingError if `groups` is not from 2 to 8, exceeds the number of different rankings, or
    is not given for over 300 data sets with a ranking; DesignError for over 5000 data sets;
    DataError for rows of `ranks` that are no mid-ranks.

    Notes
    -----
    This is a description, not a test. Groups are formed by the rankings, so a test within a group on
    the same data has an inflated type I error rate. Confirm a group on other data sets, or form
    groups by properties known in advance (the application, the number of instances).

    The distance of two data sets is 1 minus the Spearman correlation of their ranks, clustered by
    average linkage. The number of groups, if not given, follows a gap rule on the mean silhouette
    width: 39 reference tables without groups are made by shuffling the ranks of each algorithm over
    the data sets and ranking again, which nearly preserves the average ranks. The number with the
    largest excess over their mean is used if that excess is larger than the largest excess of all
    but one of the reference tables; otherwise there is one group. With few algorithms even real
    groups are often not detected.

    Kendall's W is corrected for ties: with ranks minus their mean (k + 1)/2 and N data sets, it is
    the sum of the squared column sums over N times the sum of squares.

    References
    ----------
    Kaufman and Rousseeuw, Finding Groups in Data (1990), chapters 2 and 5; Rousseeuw 1987
    (silhouettes); Tibshirani, Walther and Hastie 2001 (gap); Kendall and Babington Smith 1939 (W).

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [[1, 2, 3, 4], [4, 3, 2, 1], [1, 2, 4, 3], [1, 3, 2, 4], [4, 3, 1, 2]]
    >>> found = similar_sets(pd.DataFrame(rows, columns=["rf", "svm", "knn", "nb"]), groups=2)
    >>> found.labels.tolist()
    [1, 2, 1, 1, 2]
    """
    table = _checked(ranks)
    is_tied = table.eq(table.iloc[:, 0], axis=0).all(axis=1)
    untied = table[~is_tied]
    rows, ordered = _canonical(untied)
    _check_groups(groups, ordered)
    row_groups, silhouette = _grouped(ordered, groups)
    labels = pd.Series(0, index=untied.index, name="group")
    labels.iloc[rows] = _by_size(row_groups)
    parts = [table.loc[labels.index[labels == number]] for number in sorted(labels.unique())]
    order: list = []
    for part in parts:
        order += list(part.index[similarity_order(part)])
    tied_sets = tuple(table.index[is_tied])
    numbers = pd.RangeIndex(1, len(parts) + 1, name="group")
    averages = np.array([part.mean() for part in parts]).reshape(len(parts), table.shape[1])
    concordances = [_concordance(part) for part in parts]
    return SimilarSets(
        order=(*order, *tied_sets),
        labels=labels,
        average_ranks=pd.DataFrame(averages, index=numbers, columns=table.columns),
        concordance=pd.Series(concordances, index=numbers, dtype=float),
        silhouette=silhouette,
        apart=tied_sets,
    )


def similarity_order(ranks: pd.DataFrame) -> list[int]:
    """Return an order of the data sets (row numbers) in which similar rankings are adjacent.

    Missing ranks count as the average rank. More than 2000 data sets are ordered by their best
    algorithm.

    Examples
    --------
    >>> import pandas as pd
    >>> similarity_order(pd.DataFrame([[1, 2, 3], [3, 2, 1], [1, 2, 3.0], [3, 2, 1]]))
    [0, 2, 3, 1]
    """
    middle_rank = (ranks.shape[1] + 1) / 2
    filled = ranks.astype(float).fillna(middle_rank)
    if len(ranks) > _MOST_CLUSTERED:
        values = filled.to_numpy()
        best = values.argmin(axis=1)
        return np.lexsort((*values.T[::-1], best)).tolist()
    rows, ordered = _canonical(filled)
    if len(ranks) < 3:
        return rows.tolist()
    distances = squareform(_distances(ordered), checks=False)
    is_optimal = len(ranks) < _MOST_OPTIMAL
    tree = hierarchy.linkage(distances, "average", optimal_ordering=is_optimal)
    return rows[hierarchy.leaves_list(tree)].tolist()


def _checked(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return the ranks as a table; DesignError for too many data sets, DataError for rows that are no mid-ranks."""
    table = check_scores(ranks)
    if len(table) > _MOST_SETS:
        raise DesignError.of("too many data sets", most=_MOST_SETS, n=len(table))
    invalid = ~np.isclose(stats.rankdata(table, axis=1), table).all(axis=1)
    if invalid.any():
        raise DataError.of("no mid-ranks", names=list(table.index[invalid]))
    return table


def _check_groups(groups: int | None, ranks: np.ndarray) -> None:
    """Raise SettingError for an invalid number of groups, or for none with too many data sets to choose it."""
    if groups is None:
        if len(ranks) > _MOST_CHOSEN:
            raise SettingError.of(
                "groups needed", most=_MOST, limit=_MOST_CHOSEN, n=len(ranks), least=FEWEST
            )
        return
    if isinstance(groups, bool) or groups not in range(FEWEST, _MOST + 1):
        raise SettingError.of("number of groups", most=_MOST, groups=groups, least=FEWEST)
    n_rankings = len(np.unique(ranks, axis=0))
    if groups > n_rankings:
        raise SettingError.of("too many groups", groups=groups, n=n_rankings)


def _canonical(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return a row order that depends on names and ranks only, and the ranks in that order."""
    columns = np.argsort([str(name) for name in table.columns], kind="stable")
    values = table.to_numpy()[:, columns]
    names = np.array([str(name) for name in table.index], dtype=str)
    rows = np.lexsort((names, *values.T[::-1]))
    return rows, values[rows]


def _distances(ranks: np.ndarray) -> np.ndarray:
    """Return 1 minus Spearman's correlation between all rows; 1 between a row whose values are all tied and others."""
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    units = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
    distances = np.clip(np.round(1 - units @ units.T, 12), 0, 2)
    np.fill_diagonal(distances, 0)
    return distances


def _grouped(ranks: np.ndarray, groups: int | None) -> tuple[np.ndarray, pd.Series]:
    """Return the cluster label of each row, and the mean silhouette width of each number of clusters considered."""
    largest = min(_MOST, len(np.unique(ranks, axis=0)), len(ranks) - 1)
    numbers = range(FEWEST, largest + 1) if groups is None else [groups]
    single_group = np.zeros(len(ranks), dtype=int)
    if not len(numbers):
        return single_group, pd.Series(dtype=float)
    cuts, widths = _cuts(ranks, numbers)
    silhouette = pd.Series(widths, index=list(numbers), dtype=float)
    number = groups or _number_of_groups(ranks, silhouette)
    return cuts.get(number, single_group), silhouette


def _cuts(ranks: np.ndarray, numbers: Sequence[int]) -> tuple[dict[int, np.ndarray], list[float]]:
    """Return cluster labels by number of clusters, and the mean silhouette width of each."""
    n = len(ranks)
    distances = _distances(ranks)
    tree = hierarchy.linkage(squareform(distances, checks=False), "average")
    labels = np.arange(n)
    cuts = {}
    for step, (first, second) in enumerate(tree[:, :2]):
        n_clusters = n - step
        if n_clusters in numbers:
            cuts[n_clusters] = labels.copy()
        is_merged = (labels == first) | (labels == second)
        labels[is_merged] = n + step
    return cuts, [_silhouette(distances, cuts[number]) for number in numbers]


def _silhouette(distances: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean silhouette width (b - a) / max(a, b): a to own cluster, b to the nearest other."""
    is_member = labels[:, None] == np.unique(labels)
    sizes = is_member.sum(axis=0)
    sums = distances @ is_member
    own = is_member.argmax(axis=1)
    own_sum = sums[np.arange(len(labels)), own]
    own_size = sizes[own]
    inside = own_sum / np.maximum(own_size - 1, 1)
    outside = np.where(is_member, np.inf, sums / sizes).min(axis=1)
    larger = np.maximum(inside, outside)
    widths = np.divide(outside - inside, larger, out=np.zeros(len(labels)), where=larger > 0)
    return float(np.where(own_size == 1, 0, widths).mean())


def _number_of_groups(ranks: np.ndarray, silhouette: pd.Series) -> int:
    """Return the number of clusters chosen by the gap rule of `similar_sets`, 1 if no silhouette width is large."""
    rng = np.random.default_rng(0)
    shuffled = []
    for _ in range(_SHUFFLED):
        mixed = rng.permuted(ranks, axis=0) + rng.uniform(0, _JITTER, ranks.shape)
        _, widths = _cuts(stats.rankdata(mixed, axis=1), silhouette.index)
        shuffled.append(widths)
    expected = np.mean(shuffled, axis=0)
    excess = silhouette - expected
    largest_by_chance = np.sort((shuffled - expected).max(axis=1))
    exceeds_chance = excess.max() > largest_by_chance[-2] + 1e-12
    return int(excess.idxmax()) if exceeds_chance else 1


def _by_size(labels: np.ndarray) -> np.ndarray:
    """Return cluster numbers from 1 by decreasing size, ties in order of appearance."""
    names, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    by_size = np.lexsort((first, -sizes))
    number_of = {names[i]: number for number, i in enumerate(by_size, start=1)}
    return np.array([number_of[label] for label in labels], dtype=int)


def _concordance(ranks: pd.DataFrame) -> float:
    """Return Kendall's W, corrected for ties; NaN for one data set."""
    n, k = ranks.shape
    if n == 1:
        return float("nan")
    deviations = ranks.to_numpy() - (k + 1) / 2
    of_sums = (deviations.sum(axis=0) ** 2).sum()
    total = (deviations**2).sum()
    return float(of_sums / (n * total))
