"""Pairs of algorithms on a table with holes, each pair on the data sets that both have."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.result_types import Method, PairwiseResult, labeled_matrix
from stats_core.core.validation import check_one_of, check_scores
from stats_core.inference.paired import sign_test, wilcoxon


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncompletePairsResult(PairwiseResult):
    """The tests of all pairs; `n` is the largest number of data sets that two share.

    Attributes
    ----------
    shared : DataFrame of int, algorithm x algorithm
        Data sets that both have; on the diagonal those of one.
    estimates : DataFrame, algorithm x algorithm
        Typical difference, row minus column: by Hodges and Lehmann, or the median (sign test).
    wins, ties : DataFrame of int, algorithm x algorithm
        Shared data sets on which the row is better than, or ties with, the column.
    """

    shared: pd.DataFrame
    estimates: pd.DataFrame
    wins: pd.DataFrame
    ties: pd.DataFrame


def present_pairs(
    scores: pd.DataFrame, test: str, *, higher_is_better: bool
) -> IncompletePairsResult:
    """Which pairs of algorithms differ, each tested on the data sets that both have?

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        One average per cell, NaN where the algorithm was not run.
    test : {"wilcoxon", "sign"}
        The test for two paired samples; its default variant.
    higher_is_better : bool
        Direction of the measure, for wins.

    Returns
    -------
    PresentOutcome
        Unadjusted two-sided p-values. Two that share no data set have p = 1, nothing being known.

    Raises
    ------
    DataError, SettingError
        Infinite cells, repeated names, unknown test.

    Notes
    -----
    Holes must not depend on the result. Pairs are tested on different data sets, so a = b and
    b = c do not make a = c: of the corrections, Holm's and Bonferroni's hold whatever the pairs
    have in common, those that use logical relations (Shaffer, Bergmann-Hommel) do not apply.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.1; McElfresh et al., NeurIPS 36 (2023), who rank those present.

    Examples
    --------
    >>> nan = float("nan")
    >>> scores = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6], "b": [2.0, 4, 6, 8, 10, nan]})
    >>> found = present_pairs(scores, "wilcoxon", higher_is_better=False)
    >>> found.pvalue, int(found.shared.loc["a", "b"]), int(found.wins.loc["a", "b"])
    (0.0625, 5, 5)
    """
    check_one_of(test, ("wilcoxon", "sign"), "test")
    table = check_scores(scores, allow_missing=True)
    values, seen = table.to_numpy(), table.notna().to_numpy()
    k = values.shape[1]
    shared = seen.T.astype(int) @ seen.astype(int)
    statistics, estimates = np.zeros((k, k)), np.zeros((k, k))
    pvalues, wins, ties = np.ones((k, k)), np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j in combinations(range(k), 2):
        both = seen[:, i] & seen[:, j]
        if not both.any():
            continue
        x, y = values[both, i], values[both, j]
        signs = sign_test(x, y)
        statistic, estimate = float(signs.wins - signs.losses), float(np.median(x - y))
        pvalue = signs.pvalue
        if test == "wilcoxon":
            ranked = wilcoxon(x, y)
            statistic, estimate, pvalue = ranked.rank_biserial, ranked.estimate, ranked.pvalue
        statistics[i, j], statistics[j, i] = statistic, -statistic
        estimates[i, j], estimates[j, i] = estimate, -estimate
        pvalues[i, j] = pvalues[j, i] = pvalue
        won = (signs.wins, signs.losses) if higher_is_better else (signs.losses, signs.wins)
        wins[i, j], wins[j, i] = won
        ties[i, j] = ties[j, i] = signs.ties
    row, column = np.unravel_index(pvalues.argmin(), pvalues.shape)
    return IncompletePairsResult(
        about=f"all pairs of {k} algorithms, each over the data sets that both have",
        statistic=float(statistics[row, column]),
        pvalue=float(pvalues[row, column]),
        method=Method("sign test", ("unadjusted",))
        if test == "sign"
        else Method("Wilcoxon signed-rank test", ("Pratt zeros", "unadjusted")),
        n=int(shared[np.triu_indices(k, 1)].max(initial=0)),
        statistics=labeled_matrix(statistics, table.columns),
        pvalues=labeled_matrix(pvalues, table.columns),
        shared=labeled_matrix(shared, table.columns),
        estimates=labeled_matrix(estimates, table.columns),
        wins=labeled_matrix(wins, table.columns),
        ties=labeled_matrix(ties, table.columns),
    )


def present_ranks(ranks: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return average rank among those present, and data sets it is taken over, by algorithm.

    Parameters
    ----------
    ranks : DataFrame, data set x algorithm
        Mid-ranks among those that ran, as `skillings_mack` gives them.
    scores : DataFrame, data set x algorithm
        NaN where the algorithm was not run.

    Returns
    -------
    DataFrame
        average rank, data sets; best first, one that met nobody, without a rank, last.

    Examples
    --------
    >>> nan = float("nan")
    >>> ranks = pd.DataFrame({"a": [1, 1.5], "b": [2, 1.5]})
    >>> present_ranks(ranks, pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, nan]})).to_numpy().tolist()
    [[1.25, 2.0], [2.0, 1.0]]
    """
    seen = scores.loc[ranks.index, ranks.columns].notna()
    table = pd.DataFrame(
        {"average rank": ranks.where(seen).mean(), "data sets": seen.sum().astype(int)}
    )
    return table.sort_values("average rank", kind="stable")
