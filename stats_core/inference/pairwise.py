"""Pairwise tests over data sets, contrast estimates, smallest possible p-values, and resolution of settings."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf, sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core import validation
from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import Method, PairwiseResult, labeled_matrix, square_matrix
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, TUKEY, Settings, Source, select
from stats_core.inference import inference_text
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.paired import at_most, overlap_factor, signed_ranks
from stats_core.inference.paired.signed_ranks import EXACT_LIMIT

_CELLS = 2_000_000  # differences ranked at a time
METHODS = {
    "wilcoxon": Method("Wilcoxon signed-rank test", ("Pratt zeros", "unadjusted")),
    "sign": Method("sign test", ("unadjusted",)),
}


def least_rank_pvalue(k: int, n: int) -> float:
    """Return the smallest possible p of the exact test of average ranks for a pair of k algorithms on n data sets.

    Examples
    --------
    >>> least_rank_pvalue(3, 2) == 2 / 36
    True
    """
    return min(1.0, 2.0 * float(k * (k - 1)) ** -n)


def pairs_without_each(values: np.ndarray, test: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield p-values and effects of all pairs, in `np.triu_indices` order, with each data set left out in turn.

    `values` are data set x algorithm, `test` is "wilcoxon" or "sign".

    Notes
    -----
    Without a difference of rank r, the rank of each larger difference decreases by 1 and that of each
    tied one by 1/2. Sums of ranks and of their squares therefore follow from sums over groups of
    ties, without ranking again. This requires that ties remain ties whichever data set is left out,
    and normal p-values; other pairs are tested again.

    Examples
    --------
    >>> values = np.array([[3.0, 1], [4, 1], [6, 2], [9, 4], [8, 9]])
    >>> [float(p[0]) for p, _ in pairs_without_each(values, "wilcoxon")]
    [0.25, 0.25, 0.25, 0.25, 0.125]
    """
    n = len(values)
    if test == "sign":
        for i in range(n):
            yield signed_ranks.sign_pairs(np.delete(values, i, axis=0))
        return
    rows, columns = np.triu_indices(values.shape[1], 1)
    x = values.T[rows]
    y = values.T[columns]
    step = max(1, _CELLS // n)
    parts = []
    for start in range(0, len(x), step):
        parts.append(_updated(x[start : start + step], y[start : start + step]))
    pvalues, effects, is_valid = (np.concatenate(part) for part in zip(*parts, strict=True))
    anew = ~is_valid
    for i in range(n):
        p = pvalues[:, i].copy()
        effect = effects[:, i].copy()
        if anew.any():
            x_without = np.delete(x[anew], i, axis=1)
            y_without = np.delete(y[anew], i, axis=1)
            p[anew], effect[anew] = signed_ranks.signed_rank_rows(x_without, y_without)
        yield p, effect


def _updated(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return leave-one-out p-values and effects, pair x data set, and a mask of the pairs for which both are valid."""
    signs = np.sign(np.where(validation.ties_mask(x, y), 0.0, x - y))
    is_nonzero = np.abs(signs)  # 1 or 0
    sizes = np.where(signs == 0, -np.inf, np.abs(x - y))
    scales = np.sort(np.maximum(np.abs(x), np.abs(y)), axis=1)
    largest = scales[:, -1]
    second_largest = scales[:, -2]
    groups = validation.tie_groups(sizes, largest)
    ranks = validation.mid_ranks(groups)
    is_normal = is_nonzero.sum(axis=1) > EXACT_LIMIT + 1
    is_valid = is_normal & _ties_remain(sizes, groups, second_largest)
    signed = _rank_sums_without(groups, ranks, signs)
    total = _rank_sums_without(groups, ranks, is_nonzero)
    squares = _squares_without(groups, ranks, is_nonzero)
    z = np.divide(np.abs(signed), np.sqrt(squares), out=np.zeros_like(signed), where=squares > 0)
    effects = np.divide(signed, total, out=np.zeros_like(signed), where=total > 0)
    return np.minimum(2 * stats.norm.sf(z), 1.0), effects, is_valid


def _group_sums(groups: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return for each difference the sum of weights over larger differences, and over tied ones."""
    n_pairs, n = groups.shape
    cell = groups + n * np.arange(n_pairs)[:, None]
    sums = np.bincount(cell.ravel(), weights.ravel(), cell.size).reshape(groups.shape)
    above = sums.sum(axis=1, keepdims=True) - sums.cumsum(axis=1)
    of_larger = np.take_along_axis(above, groups, axis=1)
    of_tied = np.take_along_axis(sums, groups, axis=1)
    return of_larger, of_tied


def _rank_sums_without(groups: np.ndarray, ranks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sum of ranks of each pair without each data set, pair x data set."""
    of_larger, of_tied = _group_sums(groups, weights)
    weighted = weights * ranks
    full_sum = weighted.sum(axis=1, keepdims=True)
    return full_sum - weighted - of_larger - (of_tied - weights) / 2


def _squares_without(groups: np.ndarray, ranks: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted sum of squared ranks without each data set, pair x data set."""
    of_larger, of_tied = _group_sums(groups, weights)
    weighted = weights * ranks
    ranks_of_larger, ranks_of_tied = _group_sums(groups, weighted)
    squares = weighted * ranks
    remaining = squares.sum(axis=1, keepdims=True) - squares
    # (r - 1)^2 = r^2 - (2r - 1) for larger ranks, (r - 1/2)^2 = r^2 - (r - 1/4) for tied ones
    decrease = 2 * ranks_of_larger - of_larger
    decrease = decrease + (ranks_of_tied - weighted) - (of_tied - weights) / 4
    return remaining - decrease


def _ties_remain(sizes: np.ndarray, groups: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Return a mask of the pairs whose ties do not change if the data set with the largest score is left out."""
    order = np.argsort(sizes, axis=1, kind="stable")
    ordered_sizes = np.take_along_axis(sizes, order, axis=1)
    ordered_groups = np.take_along_axis(groups, order, axis=1)
    starts = np.diff(ordered_groups, axis=1, prepend=-1) > 0
    positions = np.where(starts, np.arange(sizes.shape[1]), 0)
    start_of_group = np.maximum.accumulate(positions, axis=1)
    smallest = np.take_along_axis(ordered_sizes, start_of_group, axis=1)
    with np.errstate(invalid="ignore"):  # zeros rank below all other differences
        spread = np.nan_to_num(ordered_sizes - smallest, nan=0.0)
    return spread.max(axis=1) <= validation.TIE_TOLERANCE * scales


def contrast_estimators(scores: pd.DataFrame) -> pd.Series:
    """Return the median-based estimate of each algorithm's deviation from the mean of all.

    `scores` are data set x algorithm. Raises DataError for missing or too large scores, DesignError
    for fewer than two algorithms or no data set.

    Notes
    -----
    For algorithms u and v with scores x, Z_uv is the median of x_u - x_v over data sets, Z_uu = 0. The estimate of u
    is m_u, the mean of Z_uv over v.

    References
    ----------
    Doksum 1967; Garcia et al., Inf. Sci. 180 (2010) 2044, section 3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 5, 3], "b": [0.0, 3, 3], "c": [-1.0, 2, 1]})
    >>> contrast_estimators(scores).tolist()
    [1.0, 0.0, -1.0]
    """
    table = validation.check_scores(scores)
    validation.check_size(table.to_numpy())
    columns = table.to_numpy().T
    medians = np.array([np.median(column - columns, axis=1) for column in columns])
    return pd.Series(medians.mean(axis=1), index=table.columns)


def contrast_estimation(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the median-based contrast estimate of each pair of algorithms.

    `scores` and errors are those of `contrast_estimators`.

    Notes
    -----
    The contrast is m_u - m_v of `contrast_estimators`. Unlike medians of differences, contrasts are
    additive over algorithms; unlike means, they are robust to an outlying data set. It is an
    estimate, not a test. For two algorithms it is the median difference.

    References
    ----------
    Doksum 1967; Garcia et al., Inf. Sci. 180 (2010) 2044, section 3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 5, 3], "b": [0.0, 3, 3], "c": [-1.0, 2, 1]})
    >>> contrast_estimation(scores).loc["a"].tolist()
    [0.0, 1.0, 2.0]
    """
    estimators = contrast_estimators(scores)
    values = estimators.to_numpy()
    return labeled_matrix(values[:, None] - values, estimators.index)


def pairwise(scores: pd.DataFrame, test: str) -> PairwiseResult:
    """Return the unadjusted "wilcoxon" or "sign" tests of all pairs of algorithms over data sets.

    Parameters
    ----------
    scores : DataFrame, data set x algorithm
        Average result of each algorithm on each data set.
    test : {"wilcoxon", "sign"}
        The two-sided test of each pair.

    Returns
    -------
    PairwiseResult
        Statistics and unadjusted p-values, algorithm x algorithm.

    Raises
    ------
    DataError, DesignError, SettingError
        Scores are missing, infinite or above 1e70; there are fewer than two algorithms or no data
        set; the test is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [3.0, 4, 6, 9, 8], "b": [1.0, 1, 2, 4, 9]})
    >>> pairwise(scores, "wilcoxon").pvalue
    0.125
    """
    validation.check_one_of(test, METHODS, "test")
    table = validation.check_scores(scores)
    values = table.to_numpy()
    validation.check_size(values)
    run = signed_ranks.signed_rank_pairs if test == "wilcoxon" else signed_ranks.sign_pairs
    p, effects = run(values)
    return pairwise_result(test, table.columns, len(table), p, effects)


def pairwise_result(
    test: str, names: pd.Index, n: int, p: np.ndarray, effects: np.ndarray
) -> PairwiseResult:
    """Return a PairwiseResult from arrays of p-values and effects in `np.triu_indices` order."""
    k = len(names)
    return PairwiseResult.of(
        square_matrix(k, effects, -effects),
        square_matrix(k, p, diagonal=1.0),
        names,
        about=inference_text("about.pairs_over_datasets", k=k, n=n),
        method=METHODS[test],
        n=n,
    )


def pairwise_t(
    matrix: np.ndarray, test_fraction: float | None, *, max_df: int | None = None
) -> np.ndarray:
    """Return the two-sided p-values, column x column, of t tests of all pairs of columns of `matrix`, run x column.

    Equal columns have p = 1; a constant difference that is not zero cannot be tested and has p =
    NaN. The tests have n - 1 df for n runs, at most `max_df`, and with `test_fraction` are
    corrected for overlapping training sets as in `corrected_t`. Raises SettingError for
    `test_fraction` outside (0, 1) or `max_df` below 1.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.array([[6.0, 5], [7, 5], [9, 6], [8, 7]])
    >>> round(float(pairwise_t(runs, None)[0, 1]), 4)
    0.0354
    """
    values = np.asarray(matrix, dtype=float)
    n = len(values)
    differences = values[:, :, None] - values[:, None, :]
    means = differences.mean(axis=0)
    rounding = validation.rounding_error(values)
    varies = np.abs(differences - means).max(axis=0) > rounding
    unit = validation.unit_of(differences, axis=0)
    standard_deviation = np.where(varies, (differences / unit).std(axis=0, ddof=1), 1.0)
    standard_error = standard_deviation * np.sqrt(overlap_factor(n, test_fraction) / n)
    t = np.abs(means / unit) / standard_error
    pvalues = 2 * stats.t.sf(t, at_most(n - 1, max_df))
    of_constant = np.where(np.abs(means) > rounding, np.nan, 1.0)
    return np.where(varies, pvalues, of_constant)


def count_wins(
    scores: pd.DataFrame, *, higher_is_better: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the matrices of wins and ties: numbers of data sets on which the row wins over, or ties with, the column.

    A missing score loses against any other score, and ties with another missing score. Raises
    DataError for infinite scores or repeated names, DesignError for fewer than two algorithms or no
    data set.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [3.0, 4, 6], "b": [1.0, 4, 7]})
    >>> wins, ties = count_wins(scores, higher_is_better=True)
    >>> int(wins.loc["a", "b"]), int(wins.loc["b", "a"]), int(ties.loc["a", "b"])
    (1, 1, 1)
    """
    table = validation.check_scores(scores, allow_missing=True)
    values = table.to_numpy()
    wins, ties = _wins_and_ties(values if higher_is_better else -values)
    return labeled_matrix(wins, table.columns), labeled_matrix(ties, table.columns)


def wins_without_each(
    wins: pd.DataFrame, ties: pd.DataFrame, scores: pd.DataFrame, *, higher_is_better: bool
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Yield the wins and ties of `count_wins` with each data set left out in turn."""
    values = scores[wins.columns].to_numpy()
    for row in values if higher_is_better else -values:
        wins_of_row, ties_of_row = _wins_and_ties(row[None])
        yield wins - wins_of_row, ties - ties_of_row


def _wins_and_ties(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return numbers of rows in which one column is larger than, or ties with, another, column x column."""
    k = values.shape[1]
    wins = np.zeros((k, k), dtype=int)
    ties = np.zeros((k, k), dtype=int)
    for part in validation.batches(len(values), k * k):
        x = values[part, :, None]
        y = values[part, None, :]
        x_failed = np.isnan(x)
        y_failed = np.isnan(y)
        is_tied = validation.ties_mask(x, y) | (x_failed & y_failed)  # NaN is near nothing
        is_larger = (x > y) & ~is_tied
        is_only_value = y_failed & ~x_failed
        wins += (is_larger | is_only_value).sum(axis=0)
        ties += is_tied.sum(axis=0)
    np.fill_diagonal(ties, 0)
    return wins, ties


# corrections by which the last of equal p-values is not paid for
_STEP_UP = ("hochberg", "hommel", "rom", "li", "benjamini_hochberg")


def advised_source(k: int, n: int, settings: Settings) -> Source:
    """Return "wilcoxon" if its smallest possible adjusted p-value is significant, else "ranks".

    Corrections defined for average ranks (Nemenyi, Bonferroni-Dunn) require "ranks".

    References
    ----------
    Benavoli, Corani and Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    >>> advised_source(8, 10, Settings()), advised_source(8, 11, Settings())
    ('ranks', 'wilcoxon')
    >>> advised_source(8, 8, Settings(control="a"))
    'ranks'
    """
    if settings.correction in ("nemenyi", "bonferroni_dunn"):  # tests of average ranks by name
        return "ranks"
    least = smallest_control_pvalue if settings.control else smallest_pvalue
    reached = least(k, n, replace(settings, source="wilcoxon"))
    return "wilcoxon" if validation.significant(reached, settings.alpha) else "ranks"


def smallest_pvalue(k: int, n: int, settings: Settings, *, exact: bool = True) -> float:
    """Return the smallest possible adjusted p-value of one pair of k algorithms over n data sets.

    Without `exact`, p-values from average ranks are normal approximations. Step-up corrections
    leave p-values that are all equal unadjusted; with average ranks, this is a lower bound.

    Examples
    --------
    With ten data sets, no pair of eight algorithms can be significant by Wilcoxon tests, but by ranks:

    >>> smallest_pvalue(8, 10, Settings(source="wilcoxon"))
    0.0546875
    >>> print(f"{smallest_pvalue(8, 3, Settings(source='ranks')):.5f}")
    0.00032
    """
    is_unadjusted = settings.correction in ("none", *_STEP_UP)
    n_pairs = 1 if is_unadjusted else k * (k - 1) // 2
    if settings.source != "ranks":
        return min(1.0, n_pairs * 2.0 ** (1 - n))
    z = _largest_rank_z(k, n)
    if settings.correction == "nemenyi":
        return float(stats.studentized_range.sf(sqrt(2) * z, k, inf))
    least = least_rank_pvalue(k, n) if exact else 2 * float(stats.norm.sf(z))
    return min(1.0, n_pairs * least)


def _largest_rank_z(k: int, n: int) -> float:
    """Return the largest z of a difference of two average ranks."""
    standard_error = sqrt(k * (k + 1) / (6 * n))
    return (k - 1) / standard_error


def smallest_control_pvalue(k: int, n: int, settings: Settings) -> float:
    """Return the smallest possible adjusted p-value of a comparison with a control over n data sets.

    Examples
    --------
    >>> smallest_control_pvalue(4, 7, Settings(source="wilcoxon", correction="holm"))
    0.046875
    """
    if settings.source != "ranks":
        least = 2.0 ** (1 - n)
    elif settings.correction == "bonferroni_dunn":
        least = 2 * float(stats.norm.sf(_largest_rank_z(k, n)))
    else:
        least = least_rank_pvalue(k, n)
    least = min(least, 1.0)
    # step-up corrections can use that all comparisons are extreme
    others = least if settings.correction in _STEP_UP else 1.0
    family = pd.Series([least] + [others] * (k - 2))
    return float(adjust.adjust_control(family, settings.correction or "holm").iloc[0])


def resolve_settings(results: Results, settings: Settings) -> tuple[Results, Settings]:
    """Return the selected results, and the settings with measure, correction and source of p-values resolved.

    A control is used only for one measure of three or more algorithms, over several data sets or on
    the instances of one test set. Otherwise it is dropped, as is a correction that requires a
    control. On one data set, the source is returned as requested.
    """
    settings = check_settings(results, settings)
    selected = select(results, settings)
    together = settings.measures or settings.thresholds
    many_pairs = len(selected.algorithms) > 2 and not together
    controlled = many_pairs and (len(selected.datasets) > 1 or selected.is_one_test_set)
    resolved = _with_correction(settings, control=bool(settings.control and controlled))
    if not many_pairs or len(selected.datasets) < 2:
        return selected, resolved
    resolved = replace(resolved, source=pvalue_source(selected, resolved))
    if not settings.correction and not resolved.control:
        correction = adjust.usable_correction("", len(selected.algorithms), source=resolved.source)
        resolved = replace(resolved, correction=correction)
    return selected, resolved


def apply_selection(results: Results, settings: Settings) -> tuple[Results, Settings]:
    """Return the selected results and the checked settings, without a control.

    For analyses without a control: it is dropped, and so is a correction that needs a control.
    """
    if settings.control:
        correction = settings.correction if settings.correction in adjust.CORRECTIONS else ""
        settings = replace(settings, control="", correction=correction)
    settings = check_settings(results, settings)
    return select(results, settings), settings


def resolve_missing(
    before: Results, settings: Settings, choice: str, baseline: str = ""
) -> Results:
    """Return the selected results with missing results treated by `choice`; `baseline` is always selected.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, None, 0.1, 0.2, 0.3]})
    >>> settings = Settings(without_algorithms=("c",))
    >>> resolve_missing(Results.from_frame(table), settings, "drop data sets").datasets
    ('u', 'v')
    """
    left_out = tuple(name for name in settings.without_algorithms if name != baseline)
    pair = settings.pair
    if pair and baseline in before.algorithms and baseline not in pair:
        pair = (*pair, baseline)
    selected = select(before, replace(settings, without_algorithms=left_out, pair=pair))
    for measure in settings.measures or (settings.measure or selected.measures[0],):
        selected = selected.resolve(choice, measure, baseline=baseline)
    return selected


def check_settings(results: Results, settings: Settings) -> Settings:
    """Return the settings with an empty measure filled in; raise SettingError if they are invalid."""
    validation.check_kind(results, Results, "results", "Use `read_results`")
    _check_control(results, settings)
    if settings.test:
        validation.check_one_of(settings.test, (TUKEY, *PAIR_TESTS), "test")
    if settings.correction == "nemenyi" and settings.source not in ("", "ranks"):
        raise SettingError.of(
            "Nemenyi needs p-values from average ranks", source=SOURCES[settings.source]
        )
    if settings.correction in adjust.LOGICAL and not adjust.is_transitive(settings.source):
        raise SettingError.of(
            "The sign test does not allow correction",
            correction=adjust.CORRECTIONS[settings.correction],
            why=adjust.WHY_NOT_TRANSITIVE,
        )
    measure = settings.measure or results.measures[0]
    results.direction(measure)
    if settings.measures and len(set(settings.measures)) < 2:
        raise SettingError.of(
            "measures must name two or more different measures", measure=settings.measures[0]
        )
    for name in settings.measures:
        results.resolve_name(name)
    return replace(settings, measure=measure)


def _with_correction(settings: Settings, *, control: bool) -> Settings:
    """Return settings with the correction resolved, for a control or for all pairs.

    The correction is the requested one, else the recommended one. Without a control, a correction
    that exists only for comparisons with a control is ignored.
    """
    if control:
        correction = settings.correction or next(iter(adjust.CONTROL_CORRECTIONS))
        validation.check_one_of(correction, adjust.CONTROL_CORRECTIONS, "correction")
        return replace(settings, correction=correction)
    is_pairwise = settings.correction in adjust.CORRECTIONS
    correction = settings.correction if is_pairwise else next(iter(adjust.CORRECTIONS))
    return replace(settings, control="", correction=correction)


def pvalue_source(results: Results, settings: Settings) -> Source:
    """Return the requested source of pairwise p-values over data sets, else the recommended one.

    Average ranks are recommended if they are published, or if failed runs are ranked worst: such
    runs have no values.
    """
    if settings.source:
        return settings.source
    if results.published is not None or has_failed_runs(results, settings.measure):
        return "ranks"
    return advised_source(len(results.algorithms), len(results.datasets), settings)


def has_failed_runs(results: Results, measure: str) -> bool:
    """Return whether failed runs are ranked worst, so that they have ranks but no values."""
    if results.failures != "worst rank":
        return False
    return bool(results.averages(measure).isna().to_numpy().any())


def _check_control(results: Results, settings: Settings) -> None:
    """Raise SettingError unless the control is an algorithm and the correction applies with or without it."""
    if settings.control and settings.control not in results.algorithms:
        raise SettingError.of(
            "The control must be one of the algorithms",
            control=settings.control,
            algorithms=join_names(results.algorithms, 8),
        )
    if settings.correction:
        corrections = dict(adjust.CORRECTIONS)
        if settings.control:
            corrections = adjust.CONTROL_CORRECTIONS | adjust.CORRECTIONS
        validation.check_one_of(settings.correction, corrections, "correction")
