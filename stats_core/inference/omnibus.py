"""Alternatives to Friedman's test (aligned ranks, Quade, Kendall's W, exact), and tests with missing results."""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import factorial, inf, prod
from typing import cast

import numpy as np
import pandas as pd
from scipy import stats
from scipy.sparse.csgraph import connected_components

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import (
    Method,
    PairwiseResult,
    Rng,
    TestResult,
    labeled_matrix,
    square_matrix,
)
from stats_core.core.validation import (
    TIE_TOLERANCE,
    check_draws,
    check_one_of,
    check_scores,
    check_size,
)
from stats_core.inference import inference_text
from stats_core.inference.multivariate import manova
from stats_core.inference.multivariate.manova import PermutationResult
from stats_core.inference.paired import sign_test, wilcoxon
from stats_core.inference.pairwise import METHODS
from stats_core.inference.ranks import (
    FEW,
    TIES,
    Missing,
    RankTestResult,
    friedman,
    rank_rows,
    small_sample_warnings,
    unanimous_probability,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RanksResult(TestResult):
    """Result of a test on ranks.

    Attributes
    ----------
    df : tuple of float
        Degrees of freedom: (k - 1,) for aligned ranks, (k - 1, (k - 1)(N - 1)) for Quade's test.
    average_ranks : Series by algorithm
        Lower is better: the mean aligned rank, between 1 and k N, or the weighted mean rank, 1 to
        k.
    ranks : DataFrame, data set x algorithm
        1 to k N over the whole table, or mid-ranks within each data set.
    """

    df: tuple[float, ...]
    average_ranks: pd.Series
    ranks: pd.DataFrame


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignedRanksResult(RanksResult):
    """Result of Friedman's test on aligned ranks.

    Attributes
    ----------
    corrected_statistic, corrected_pvalue : float
        `statistic` and `pvalue` with correction for ties; the literature prints the statistic
        without it.
    """

    corrected_statistic: float
    corrected_pvalue: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QuadeResult(RanksResult):
    """Result of Quade's test.

    Attributes
    ----------
    weights : Series by data set
        Rank of the range of the results on each data set: 1 where the algorithms are closest.
    """

    weights: pd.Series


def friedman_aligned(scores: pd.DataFrame, *, higher_is_better: bool) -> AlignedRanksResult:
    """Friedman's test on aligned ranks, which rank differences jointly over all data sets.

    `scores` are data set x algorithm. Raises DataError for missing results, DesignError for fewer
    than two algorithms or data sets.

    Notes
    -----
    The mean of its data set is subtracted from each result; the kN aligned values of k algorithms on N data
    sets are ranked together, rank 1 the best. With rank sums R_j of the algorithms and R_i of the data sets,
    T = (k - 1)(sum R_j^2 - k N^2 (kN + 1)^2 / 4)
    / (kN (kN + 1)(2kN + 1) / 6 - sum R_i^2 / k), compared with chi-square with k - 1 df.
    More powerful than Friedman's test for few algorithms. Ties make it conservative;
    `corrected_statistic` uses the actual sum of the squared ranks in place of the first
    term of the denominator. If all results are equal, the statistic is 0 and p = 1.

    References
    ----------
    Hodges and Lehmann 1962; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 4], [3, 5, 8], [2, 6, 7]], columns=list("abc"))
    >>> round(friedman_aligned(scores, higher_is_better=False).statistic, 3)
    5.415
    """
    table = _check_complete(scores)
    n, k = table.shape
    values = -table.to_numpy() if higher_is_better else table.to_numpy()
    aligned = values - values.mean(axis=1, keepdims=True)
    scale = np.repeat(np.abs(values).max(axis=1), k)
    ranks = _pooled_ranks(aligned.ravel(), scale).reshape(n, k)
    total = n * k
    between = (ranks.sum(axis=0) ** 2).sum() - k * n**2 * (total + 1) ** 2 / 4
    blocks = (ranks.sum(axis=1) ** 2).sum() / k
    statistic = (k - 1) * between / (total * (total + 1) * (2 * total + 1) / 6 - blocks)
    spread = (ranks**2).sum() - blocks
    corrected = (k - 1) * between / spread if spread > 0 else 0.0
    labelled = pd.DataFrame(ranks, index=table.index, columns=table.columns)
    return AlignedRanksResult(
        about=inference_text("about.aligned_ranks", k=k, n=n),
        statistic=float(statistic),
        pvalue=float(stats.chi2.sf(statistic, k - 1)),
        method=Method(inference_text("method.aligned"), (f"chi-square with {k - 1} df",)),
        n=n,
        warnings=small_sample_warnings(n, k, is_sign=False),
        df=(k - 1,),
        average_ranks=labelled.mean(),
        ranks=labelled,
        corrected_statistic=float(corrected),
        corrected_pvalue=float(stats.chi2.sf(corrected, k - 1)),
    )


def quade(scores: pd.DataFrame, *, higher_is_better: bool) -> QuadeResult:
    """Quade's test: a Friedman-type test with data sets weighted by the spread of their results.

    `scores` are data set x algorithm. Raises DataError for missing results, DesignError for fewer
    than two algorithms or data sets.

    Notes
    -----
    With mid-rank r_ij of algorithm j among k on data set i, and Q_i the rank of the range of data set i among
    N, S_ij = Q_i (r_ij - (k+1)/2), A = sum S_ij^2, B = sum_j (sum_i S_ij)^2 / N and
    F = (N - 1) B / (A - B) with k - 1 and (k - 1)(N - 1) df. If all data sets
    give the same S, so that A = B, F is infinite and p is the exact probability that all have the same
    order. If all results are equal, F = 0 and p = 1. For two algorithms it is a form of Wilcoxon's test.

    References
    ----------
    Quade 1979; Conover 1999, 5.8; Garcia et al., Inf. Sci. 180 (2010) 2044.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 4], [5, 3, 8], [2, 6, 7]], columns=list("abc"))
    >>> round(quade(scores, higher_is_better=False).statistic, 3)
    4.113
    """
    table = _check_complete(scores)
    n, k = table.shape
    ranks = rank_rows(table, higher_is_better=higher_is_better)
    values = table.to_numpy()
    ranges = values.max(axis=1) - values.min(axis=1)
    weights = pd.Series(_pooled_ranks(ranges, np.abs(values).max(axis=1)), index=table.index)
    signed = weights.to_numpy()[:, None] * (ranks.to_numpy() - (k + 1) / 2)
    df = (k - 1, (k - 1) * (n - 1))
    method = Method("Quade test", (f"F with {df[0]} and {df[1]} df",))
    statistic, pvalue = _quade_f(signed, df)
    if statistic == inf:
        same = inference_text("method.unanimous_weights")
        method = Method("Quade test", (same,), exact=True)
        pvalue = cast(float, unanimous_probability(ranks.to_numpy()))
    return QuadeResult(
        about=inference_text("about.weighted_ranks", k=k, n=n),
        statistic=statistic,
        pvalue=pvalue,
        method=method,
        n=n,
        warnings=small_sample_warnings(n, k, is_sign=False, exact=method.exact),
        df=df,
        average_ranks=ranks.mul(weights, axis=0).sum() / weights.sum(),
        ranks=ranks,
        weights=weights,
    )


def kendall_w(
    scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse"
) -> RankTestResult:
    """Kendall's W: concordance of the rankings of the data sets, with Friedman's test.

    Arguments and errors are those of `friedman`.

    Notes
    -----
    W = chi2 / (N (k - 1)) with Friedman's chi-square of k algorithms on N data sets, whose p is returned.
    Without ties the rank correlation of two data sets is (N W - 1) / (N - 1) on average. If all results are
    equal, W = 0 and p = 1.

    References
    ----------
    Kendall and Babington Smith 1939; Conover 1999, 5.8.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> kendall_w(scores, higher_is_better=False).statistic
    0.8125
    """
    base = friedman(scores, higher_is_better=higher_is_better, missing=missing)
    n, k = base.ranks.shape
    return replace(
        base,
        about=inference_text("about.agreement", n=n, k=k),
        statistic=base.kendall_w,
        uncorrected_statistic=base.uncorrected_statistic / (n * (k - 1)),
        method=Method("Kendall's W", (inference_text("method.kendall", df=k - 1),)),
    )


def _check_complete(scores: pd.DataFrame) -> pd.DataFrame:
    table = check_scores(scores, allow_missing=True)
    missing = int(table.isna().to_numpy().sum())
    if missing:
        raise DataError.of("This test needs a result in every cell", missing=missing)
    check_size(table.to_numpy())
    check_many(len(table))
    return table


def _pooled_ranks(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return ranks over all data sets together; ties are judged relative to `scale`."""
    order = np.argsort(values, kind="stable")
    scale = scale[order]
    tolerance = TIE_TOLERANCE * np.maximum(scale[1:], scale[:-1])
    is_step = np.diff(values[order]) > tolerance
    groups = np.zeros(len(values), dtype=int)
    groups[order[1:]] = is_step.cumsum()
    return stats.rankdata(groups)


def _quade_f(signed: np.ndarray, df: tuple[int, int]) -> tuple[float, float]:
    """Return F and p: (0, 1) if all weighted ranks are 0, (inf, 0) if all rows are identical."""
    total = (signed**2).sum()
    if total == 0:
        return 0.0, 1.0
    if (signed == signed[0]).all():
        return inf, 0.0
    n = len(signed)
    between = (signed.sum(axis=0) ** 2).sum() / n
    statistic = (n - 1) * between / (total - between)
    return float(statistic), float(stats.f.sf(statistic, *df))


STATE_LIMIT = 2_000_000  # sorted rank sums kept at a time
STEP_LIMIT = 100_000_000  # rank sums formed in all, five to ten seconds
_BLOCK = 100_000  # rank sums formed at a time, to bound memory
_KEY_LIMIT = 2**62  # numbers of sums must fit 64 bits


def exact_friedman(
    scores: pd.DataFrame, *, higher_is_better: bool, missing: Missing = "refuse"
) -> RankTestResult:
    """Friedman's test with the exact distribution of its statistic.

    Arguments and errors are those of `friedman`. DesignError is also raised if the table is too
    large.

    Notes
    -----
    p is the probability of a statistic at least as large if the mid-ranks of each data set, ties
    included, are permuted at random. The distribution of the rank sums is updated data set by data
    set, with rank sums sorted, since the order of the algorithms does not matter; those that must end
    above or below the observed statistic are counted early. Feasible up to about 200 data sets for
    three algorithms, 80 for four, 20 for five, 8 for six and 4 for seven, fewer with many ties; the
    largest take seconds, and so can the error for a table that is too large. For two algorithms it is
    the sign test without ties. If the order is the same on all N data sets, p is the number of orders
    to the power -(N - 1). If all results tie, p = 1.

    References
    ----------
    Friedman 1937; Conover 1999, 5.8.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame([[1, 2, 3], [1, 2, 3], [1, 3, 2], [1, 2, 3]], columns=list("abc"))
    >>> outcome = exact_friedman(scores, higher_is_better=False)
    >>> outcome.statistic, round(outcome.pvalue, 4)
    (6.5, 0.0417)
    """
    base = friedman(scores, higher_is_better=higher_is_better, missing=missing)
    n, k = base.ranks.shape
    pvalue = _exact_tail(base.ranks.to_numpy())
    return replace(
        base,
        pvalue=pvalue,
        uncorrected_pvalue=pvalue,
        method=Method("Friedman test", (inference_text("method.exact_ranks"),), exact=True),
        warnings=(message("two algorithms", is_sign=True),) if k == 2 else (),
    )


def _exact_tail(ranks: np.ndarray) -> float:
    """Return P(sum of squared rank-sum deviations >= observed) under permutation within rows, or raise DesignError."""
    doubled = np.rint(2 * ranks).astype(np.int64) - (ranks.shape[1] + 1)  # rows sum to 0
    observed = int((doubled.sum(axis=0) ** 2).sum())
    if observed == 0:
        return 1.0
    rows = [tuple(row) for row in np.sort(doubled, axis=1).tolist() if any(row)]
    rows.sort(key=_count_arrangements, reverse=True)
    if _count_arrangements(rows[0]) > STATE_LIMIT:
        raise _too_large(ranks.shape)
    remaining = np.sum(rows, axis=0)  # the largest sums the remaining rows can add
    states = np.zeros((1, len(remaining)), dtype=np.int32)
    weights = np.ones(1)
    above = 0.0
    n_steps = 0
    for number, row in enumerate(rows):
        # the first row may stay sorted: its order only names the algorithms
        orders = _arrangements(row) if number > 0 else np.array([row], dtype=np.int32)
        n_steps += len(states) * len(orders)
        if n_steps > STEP_LIMIT:
            raise _too_large(ranks.shape)
        states, weights = _add_row(states, weights, orders)
        remaining = remaining - row
        is_above, is_below = _decided_states(states, remaining, observed)
        above += float(weights[is_above].sum())
        is_undecided = ~(is_above | is_below)
        states = states[is_undecided]
        weights = weights[is_undecided]
        if len(states) > STATE_LIMIT:
            raise _too_large(ranks.shape)
        if not len(states):
            break
    return min(1.0, above)


def _add_row(
    states: np.ndarray, weights: np.ndarray, orders: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank-sum states and weights after adding every permutation of a row."""
    n_orders = len(orders)
    size = max(1, _BLOCK // n_orders)
    parts = []
    for start in range(0, len(states), size):
        block = states[start : start + size]
        sums = (block[:, None, :] + orders).reshape(-1, states.shape[1])
        weight_of_order = weights[start : start + size] / n_orders
        parts.append(_merge(np.sort(sums, axis=1), np.repeat(weight_of_order, n_orders)))
    if len(parts) == 1:
        return parts[0]
    all_states = np.concatenate([part_states for part_states, _ in parts])
    all_weights = np.concatenate([part_weights for _, part_weights in parts])
    return _merge(all_states, all_weights)


def _merge(states: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, with the weights of equal rows summed."""
    key = np.zeros(len(states), dtype=np.int64)
    n_keys = 1
    for column in states.T[:-1]:  # the last follows from the others
        low = int(column.min())
        span = int(column.max() - low) + 1
        if n_keys * span > _KEY_LIMIT:
            key, distinct = pd.factorize(key)
            n_keys = len(distinct)
        key = key * span + (column - low)
        n_keys *= span
    codes, distinct = pd.factorize(key)
    backwards = np.arange(len(codes))[::-1]
    first = np.empty(len(distinct), dtype=np.int64)
    first[codes[backwards]] = backwards  # the first of each is written last
    return states[first], np.bincount(codes, weights)


def _decided_states(
    states: np.ndarray, remaining: np.ndarray, observed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return masks of the states certain to end at or above the observed sum of squares, and below it.

    The other rows add at most `remaining` in the order of the state, and at least `remaining`
    against it, which bounds the final sums along the direction of the state.
    """
    states = states.astype(np.int64)
    square = (states**2).sum(axis=1)
    along = square + states @ remaining[::-1]
    settled = (along > 0) & (along**2 >= observed * square)
    lost = ((states + remaining) ** 2).sum(axis=1) < observed
    return settled, lost


@cache
def _arrangements(row: tuple[int, ...]) -> np.ndarray:
    """Return the distinct permutations of a row, one per output row."""
    if not row:
        return np.zeros((1, 0), dtype=np.int32)
    parts = []
    for value in sorted(set(row)):
        position = row.index(value)
        others = _arrangements(row[:position] + row[position + 1 :])
        parts.append(np.insert(others, 0, value, axis=1))
    return np.concatenate(parts)


def _count_arrangements(row: tuple[int, ...]) -> int:
    return factorial(len(row)) // prod(factorial(count) for count in Counter(row).values())


def _too_large(shape: tuple[int, int]) -> DesignError:
    n, k = shape
    return DesignError.of(
        "The exact distribution has too many rank sums",
        states=STATE_LIMIT,
        steps=STEP_LIMIT,
        k=k,
        n=n,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncompleteBlocksResult(TestResult):
    """The Skillings-Mack test. `n` counts the data sets with at least two results.

    Attributes
    ----------
    df : tuple of float
        Number of algorithms minus the number of groups that share no data set: (k - 1,) for one
        group.
    ranks : DataFrame, data set x algorithm
        Mid-ranks among the algorithms with a result; missing ones get the middle rank.
    adjusted_sums : Series by algorithm
        Weighted sum of rank minus middle rank; below 0 is better than expected.
    runs : Series by algorithm
        Number of data sets on which each algorithm is compared.
    uncorrected_statistic, uncorrected_pvalue : float
        `statistic` and `pvalue` without the correction for ties, as in the paper.
    """

    df: tuple[float, ...]
    ranks: pd.DataFrame
    adjusted_sums: pd.Series
    runs: pd.Series
    uncorrected_statistic: float
    uncorrected_pvalue: float


def skillings_mack(scores: pd.DataFrame, *, higher_is_better: bool) -> IncompleteBlocksResult:
    """Skillings-Mack test: a Friedman-type test for tables with missing results.

    `scores` are data set x algorithm, NaN if missing. Data sets with fewer than two results are
    left out, with a warning. Raises DesignError if fewer than two are left or for fewer than two
    algorithms, DataError for infinite results or repeated names.

    Notes
    -----
    With mid-ranks r_ij, data set i with k_i >= 2 results adds sqrt(12 / (k_i + 1)) (r_ij - (k_i + 1)/2) to A_j.
    T = A' S^- A, S the covariance of A, is compared with chi-square, with the rank of S as df. In the paper -S_jl
    counts the data sets with both j and l; here each counts by
    12 sum_j (r_ij - (k_i + 1)/2)^2 / ((k_i + 1) k_i (k_i - 1)), which is 1 without ties and makes T Friedman's
    chi-square on a complete table. Missing values must not depend on the result: failed runs belong to
    `friedman(..., missing="worst")`. For few data sets see `shuffled_skillings_mack`. If all results are equal, the
    statistic is 0 and p = 1.

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
        about=inference_text("about.incomplete_ranks", k=k, n=n, missing=int((~seen).sum())),
        statistic=float(statistic[0]),
        pvalue=_chi_square_tail(statistic[0], df),
        method=Method("Skillings-Mack test", (f"chi-square with {df} df", TIES)),
        n=n,
        warnings=_missing_warnings(ranks, seen, dropped),
        df=(df,),
        ranks=ranks,
        adjusted_sums=pd.Series(sums, index=ranks.columns),
        runs=pd.Series(seen.sum(axis=0), index=ranks.columns),
        uncorrected_statistic=float(plain[0]),
        uncorrected_pvalue=_chi_square_tail(plain[0], plain_df),
    )


def shuffled_skillings_mack(
    scores: pd.DataFrame, *, higher_is_better: bool, draws: int = 9999, rng: Rng = 0
) -> PermutationResult:
    """Skillings-Mack test by `draws` random permutations of ranks within data sets, for few data sets or many ties.

    The statistic is that of `skillings_mack`, as are scores and errors. SettingError is raised for
    `draws` below 1.

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
    rng = np.random.default_rng(rng)
    sums = np.zeros((draws, ranks.shape[1]))
    for row, present in zip(deviations, seen, strict=True):
        sums[:, present] += rng.permuted(np.tile(row[present], (draws, 1)), axis=1)
    statistic, df = _generalised_square(sums, seen, shares)
    kind = inference_text("method.within_datasets") if df else ""
    outcome = manova.shuffle_outcome(
        base.statistic, statistic, exact=False, about=base.about, n=base.n, kind=kind
    )
    others = (warning for warning in base.warnings if warning.code != "few data sets, with holes")
    return replace(outcome, warnings=(*outcome.warnings, *others))


def check_many(n: int) -> None:
    """Raise DesignError for fewer than two data sets."""
    if n < 2:
        raise DesignError.of("A test over data sets needs 2 data sets with 2 results", n=n)


def _rank_seen(
    scores: pd.DataFrame, higher_is_better: bool
) -> tuple[pd.DataFrame, np.ndarray, int]:
    """Return ranks (the middle rank if missing), a mask of present results, and the number of dropped rows."""
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
    """Return weighted deviations from the middle rank, and for each row the share of variance that ties leave."""
    count = seen.sum(axis=1, keepdims=True)
    deviations = np.sqrt(12 / (count + 1)) * (ranks - (count + 1) / 2)
    shares = (deviations**2).sum(axis=1) / (count * (count - 1)).ravel()
    return deviations, shares


def _generalised_square(
    sums: np.ndarray, seen: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, int]:
    """Return A' S^- A for each row A of `sums`, and the rank of S, the covariance of A given `seen` and `shares`."""
    covariance = -(seen.T * shares) @ seen
    np.fill_diagonal(covariance, 0)
    n_groups, label = connected_components(covariance < 0, directed=False)
    np.fill_diagonal(covariance, -covariance.sum(axis=1))
    # S is 0 along the indicator of each group, and so is A: filling those directions inverts S
    same_group = label[:, None] == label
    solved = np.linalg.solve(covariance + same_group, sums.T).T
    return (solved * sums).sum(axis=1), len(label) - n_groups


def _chi_square_tail(statistic: float, df: int) -> float:
    return float(stats.chi2.sf(statistic, df)) if df else 1.0


def _missing_warnings(ranks: pd.DataFrame, seen: np.ndarray, dropped: int) -> tuple[Message, ...]:
    """Return warnings on dropped data sets, groups that share no data set, two algorithms, and few data sets."""
    warnings = []
    if dropped:
        warnings.append(message("data sets without two results", n=dropped))
    shared = seen.T.astype(int) @ seen
    groups, label = connected_components(shared, directed=False)
    if groups > 1:
        names = tuple(tuple(map(str, ranks.columns[label == group])) for group in range(groups))
        warnings.append(message("groups not linked", groups=names))
    if seen.shape[1] == 2:
        warnings.append(message("two algorithms", is_sign=True))
    if len(seen) < FEW:
        warnings.append(message("few data sets, with holes", n=len(seen)))
    return tuple(warnings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IncompletePairsResult(PairwiseResult):
    """Tests of all pairs; `n` is the largest number of data sets shared by a pair.

    Attributes
    ----------
    shared : DataFrame of int, algorithm x algorithm
        Number of data sets with results of both; on the diagonal those with a result of one.
    estimates : DataFrame, algorithm x algorithm
        Median difference, row minus column: Hodges-Lehmann, or the sample median (sign test).
    wins, ties : DataFrame of int, algorithm x algorithm
        Numbers of shared data sets on which the row is better than, or ties with, the column.
    """

    shared: pd.DataFrame
    estimates: pd.DataFrame
    wins: pd.DataFrame
    ties: pd.DataFrame


def present_pairs(
    scores: pd.DataFrame, test: str, *, higher_is_better: bool
) -> IncompletePairsResult:
    """Return the unadjusted test of each pair of algorithms on the data sets for which both have results.

    `scores` are data set x algorithm, NaN if missing. `test` is "wilcoxon" or "sign", otherwise
    SettingError is raised; DataError for infinite scores or repeated names, DesignError for fewer
    than two algorithms or no data set. A pair that shares no data set has p = 1.

    Notes
    -----
    Missing values must not depend on the result. Pairs are tested on different data sets, so a = b and
    b = c do not imply a = c: Holm's and Bonferroni's corrections are valid under any
    dependence; corrections that use logical relations (Shaffer, Bergmann-Hommel) do not apply.

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
    check_one_of(test, METHODS, "test")
    table = check_scores(scores, allow_missing=True)
    values = table.to_numpy()
    seen = table.notna().to_numpy()
    names = table.columns
    k = values.shape[1]
    shared = seen.T.astype(int) @ seen.astype(int)
    rows = []
    for i, j in combinations(range(k), 2):
        both = seen[:, i] & seen[:, j]
        if both.any():
            rows.append(_test_of_pair(values[both, i], values[both, j], test))
        else:
            rows.append((0.0, 0.0, 1.0, 0, 0, 0))
    statistics, estimates, pvalues, wins, losses, ties = np.array(rows).T
    if not higher_is_better:
        wins, losses = losses, wins
    return IncompletePairsResult.of(
        square_matrix(k, statistics, -statistics),
        square_matrix(k, pvalues, diagonal=1.0),
        names,
        about=inference_text("about.shared_pairs", k=k),
        method=METHODS[test],
        n=int(shared[np.triu_indices(k, 1)].max(initial=0)),
        shared=labeled_matrix(shared, names),
        estimates=labeled_matrix(square_matrix(k, estimates, -estimates), names),
        wins=labeled_matrix(square_matrix(k, wins, losses).astype(int), names),
        ties=labeled_matrix(square_matrix(k, ties).astype(int), names),
    )


def _test_of_pair(x: np.ndarray, y: np.ndarray, test: str) -> tuple[float, ...]:
    """Return effect (rank-biserial, or wins minus losses), estimate, p, wins, losses and ties of one pair."""
    signs = sign_test(x, y)
    counts = signs.wins, signs.losses, signs.ties
    if test == "sign":
        return signs.wins - signs.losses, float(np.median(x - y)), signs.pvalue, *counts
    ranked = wilcoxon(x, y)
    return ranked.rank_biserial, ranked.estimate, ranked.pvalue, *counts


def present_ranks(ranks: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Return each algorithm's average rank over the data sets with a result, and their number; best first.

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
