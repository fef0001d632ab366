"""Tests of algorithms on tables with missing results."""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats
from scipy.sparse.csgraph import connected_components

from stats_core.core.errors import DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import Method, PairwiseResult, TestResult, labeled_matrix
from stats_core.core.validation import check_one_of, check_scores
from stats_core.inference.multivariate.multivariate_permutation import PermutationResult, check_draws, shuffle_outcome
from stats_core.inference.paired import sign_test, wilcoxon
from stats_core.inference.ranks import FEW, TIES, rank_rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncompleteBlocksResult(TestResult):
    """The Skillings-Mack test. `n` counts the data sets with at least two results.

    Attributes
    ----------
    df : tuple of float
        Number of algorithms less the number of groups that never meet: (k - 1,) for one group.
    ranks : DataFrame, data set x algorithm
        Mid-ranks among those that ran; the middle rank stands where one did not.
    adjusted_sums : Series by algorithm
        Weighted sum of rank less middle rank; below 0 is better than expected.
    runs : Series by algorithm
        Data sets each algorithm is compared on.
    uncorrected_statistic, uncorrected_pvalue : float
        The same without the correction for ties, as in the paper.
    """

    df: tuple[float, ...]
    ranks: pd.DataFrame
    adjusted_sums: pd.Series
    runs: pd.Series
    uncorrected_statistic: float
    uncorrected_pvalue: float


def skillings_mack(scores: pd.DataFrame, *, higher_is_better: bool) -> IncompleteBlocksResult:
    """Do the algorithms differ if some results are missing? The Skillings-Mack test.

    Notes
    -----
    On data set i with k_i >= 2 results, A_j adds sqrt(12 / (k_i + 1)) (r_ij - (k_i + 1)/2);
    T = A' S^- A. In the paper -S_jl counts the data sets with both j and l; here each counts by
    12 sum_j (r_ij - (k_i + 1)/2)^2 / ((k_i + 1) k_i (k_i - 1)), which is 1 without ties and
    makes T Friedman's chi-square on a complete table. Holes must not depend on the result:
    failed runs belong to `friedman(..., missing="worst")`. For few data sets see
    `shuffled_skillings_mack`. All results equal: 0 and p = 1.

    References
    ----------
    Skillings and Mack, Technometrics 23 (1981) 171.

    Examples
    --------
    >>> import pandas as pd
    >>> nan = float("nan")
    >>> scores = pd.DataFrame([[1, 2, 3], [1, nan, 2], [1, 3, 2], [nan, 1, 2]], columns=list("abc"))
    >>> round(skillings_mack(scores, higher_is_better=False).statistic, 3)
    4.25
    """
    ranks, seen, dropped = _rank_seen(scores, higher_is_better)
    deviations, shares = _adjusted(ranks.to_numpy(), seen)
    n, k = ranks.shape
    sums = deviations.sum(axis=0)
    statistic, df = _generalised_square(sums[None, :], seen, shares)
    plain, plain_df = _generalised_square(sums[None, :], seen, np.ones(n))
    return IncompleteBlocksResult(
        about=f"ranks of {k} algorithms over {n} data sets, {int((~seen).sum())} cells not run",
        statistic=float(statistic[0]),
        pvalue=_chi_square_tail(statistic[0], df),
        method=Method("Skillings-Mack test", (f"chi-square with {df} df", TIES)),
        n=n,
        warnings=_hole_warnings(ranks, seen, dropped),
        df=(df,),
        ranks=ranks,
        adjusted_sums=pd.Series(sums, index=ranks.columns),
        runs=pd.Series(seen.sum(axis=0), index=ranks.columns),
        uncorrected_statistic=float(plain[0]),
        uncorrected_pvalue=_chi_square_tail(plain[0], plain_df),
    )


def shuffled_skillings_mack(
    scores: pd.DataFrame, *, higher_is_better: bool, draws: int = 9999, seed: int = 0
) -> PermutationResult:
    """Do the algorithms differ on an incomplete table of few data sets or many ties?

    References
    ----------
    Skillings and Mack, Technometrics 23 (1981) 171.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3]] * 4, columns=list("abc"))
    >>> shuffled_skillings_mack(scores, higher_is_better=False).pvalue < 0.01
    True
    """
    check_draws(draws)
    base = skillings_mack(scores, higher_is_better=higher_is_better)
    ranks, seen, _ = _rank_seen(scores, higher_is_better)
    deviations, shares = _adjusted(ranks.to_numpy(), seen)
    rng = np.random.default_rng(seed)
    sums = np.zeros((draws, ranks.shape[1]))
    for row, present in zip(deviations, seen, strict=True):
        sums[:, present] += rng.permuted(np.tile(row[present], (draws, 1)), axis=1)
    statistic, df = _generalised_square(sums, seen, shares)
    kind = "shuffles within data sets" if df else ""
    outcome = shuffle_outcome(base.statistic, statistic, exact=False, about=base.about, n=base.n, kind=kind)
    others = (warning for warning in base.warnings if warning.code != "few data sets, with holes")
    return replace(outcome, warnings=(*outcome.warnings, *others))


def check_many(n: int) -> None:
    """Refuse a single block."""
    if n < 2:
        raise DesignError(
            f"A test over data sets needs at least 2 of them with 2 results. There is {n}. "
            "Add data sets, or compare the folds of one on One data set."
        )


def _rank_seen(scores: pd.DataFrame, higher_is_better: bool) -> tuple[pd.DataFrame, np.ndarray, int]:
    """Return ranks (middle rank if missing), which cells are present, and the dropped rows."""
    table = check_scores(scores, allow_missing=True)
    enough = table.notna().sum(axis=1) >= 2
    check_many(int(enough.sum()))
    table = table[enough]
    seen = table.notna().to_numpy()
    ranks = rank_rows(table, higher_is_better=higher_is_better, missing="worst")
    middle = (seen.sum(axis=1, keepdims=True) + 1) / 2
    ranks = pd.DataFrame(np.where(seen, ranks, middle), index=ranks.index, columns=ranks.columns)
    return ranks, seen, int((~enough).sum())


def _adjusted(ranks: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted deviations from the middle rank, and the variance shares left by ties."""
    count = seen.sum(axis=1, keepdims=True)
    deviations = np.sqrt(12 / (count + 1)) * (ranks - (count + 1) / 2)
    shares = (deviations**2).sum(axis=1) / (count * (count - 1)).ravel()
    return deviations, shares


def _generalised_square(sums: np.ndarray, seen: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, int]:
    """Return A' S^- A for each row A of `sums`, and the rank of S."""
    covariance = -(seen.T * shares) @ seen
    np.fill_diagonal(covariance, 0)
    groups, label = connected_components(covariance < 0, directed=False)
    np.fill_diagonal(covariance, -covariance.sum(axis=1))
    # S is 0 along the indicator of each group, and so is A: filling those directions inverts S
    filled = covariance + (label[:, None] == label)
    return (np.linalg.solve(filled, sums.T).T * sums).sum(axis=1), len(label) - groups


def _chi_square_tail(statistic: float, df: int) -> float:
    return float(stats.chi2.sf(statistic, df)) if df else 1.0


def _hole_warnings(ranks: pd.DataFrame, seen: np.ndarray, dropped: int) -> tuple[Message, ...]:
    warnings = []
    if dropped:
        warnings.append(message("data sets without two results", n=dropped))
    shared = seen.T.astype(int) @ seen
    groups, label = connected_components(shared, directed=False)
    if groups > 1:
        names = tuple(tuple(map(str, ranks.columns[label == group])) for group in range(groups))
        warnings.append(message("groups not linked", groups=names))
    if seen.shape[1] == 2:
        so = "this is a sign test; the Wilcoxon test sees more"
        warnings.append(message("two algorithms", so=so))
    if len(seen) < FEW:
        warnings.append(message("few data sets, with holes", n=len(seen)))
    return tuple(warnings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncompletePairsResult(PairwiseResult):
    """Tests of all pairs; `n` is the largest number of data sets that two share.

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


def present_pairs(scores: pd.DataFrame, test: str, *, higher_is_better: bool) -> IncompletePairsResult:
    """Which pairs of algorithms differ, each tested on the data sets that both have?

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
    """Return the average rank of each algorithm among those present, and its data sets.

    Examples
    --------
    >>> nan = float("nan")
    >>> ranks = pd.DataFrame({"a": [1, 1.5], "b": [2, 1.5]})
    >>> present_ranks(ranks, pd.DataFrame({"a": [0.1, 0.2], "b": [0.2, nan]})).to_numpy().tolist()
    [[1.25, 2.0], [2.0, 1.0]]
    """
    seen = scores.loc[ranks.index, ranks.columns].notna()
    table = pd.DataFrame({"average rank": ranks.where(seen).mean(), "data sets": seen.sum().astype(int)})
    return table.sort_values("average rank", kind="stable")
