"""Confidence intervals of pairwise differences, consistent with the test used, and equivalence decisions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor, inf, log10, nan
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.formatting import ABOVE_ZERO
from stats_core.core.significance import P_ROUNDING, significant
from stats_core.core.validation import check_margin
from stats_core.data.settings import Settings
from stats_core.inference.paired import sign_interval, signed_ranks
from stats_core.inference.ranks import LARGEST_EXACT, Shift, critical_difference, two_sided_tail

Place = Literal["above", "below", "equivalent", "not known"]
Ends = tuple[float, float]  # low and high of an interval


def rank_shift(badness: np.ndarray, pair: tuple[int, int], critical: float) -> Shift:
    """Return the rank-based estimate of the difference of two algorithms, and the ends of its interval.

    `critical` is the smallest significant difference of rank sums; `badness` is lower where an
    algorithm is better.

    Notes
    -----
    All results of the first algorithm are shifted by half of an amount, and those of the second
    one by the same in the other direction, and all are ranked again. The difference of the two rank
    sums is monotone in the amount, so the amounts that are not rejected form an interval; the
    estimate is the amount at which both rank sums are equal (Hodges and Lehmann's principle). With
    the algorithms in the other order, all signs change. Like the test, the result depends on which
    other algorithms are compared. Ties created by the shift are ignored.

    References
    ----------
    Hodges and Lehmann 1963.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[1.0, 3.0, 9.0], [2.0, 5.0, 9.0], [2.0, 4.5, 9.0]])
    >>> rank_shift(scores, (0, 1), 4.0), rank_shift(scores, (1, 0), 4.0)
    ((-2.5, -14.0, 8.0), (2.5, -8.0, 14.0))
    """
    steps, weights, start = _steps(badness, *pair)
    order = np.argsort(steps, kind="stable")
    steps = steps[order]
    distances = start - weights[order].cumsum()
    first_zero = _first_shift(steps, distances <= 1e-9)
    first_negative = _first_shift(steps, distances < -1e-9)
    low = -np.inf if start < critical else _first_shift(steps, distances < critical)
    high = _first_shift(steps, distances <= -critical)
    return _mean_shift(first_zero, first_negative), low, high


def _as_loss(scores: pd.DataFrame, *, higher_is_better: bool) -> np.ndarray:
    """Return scores with lower as better; missing scores become infinite."""
    values = scores.to_numpy(dtype=float)
    losses = -values if higher_is_better else values
    return np.where(np.isnan(losses), np.inf, losses)


def _steps(badness: np.ndarray, first: int, second: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the shifts at which two algorithms change places, the changes of D, and D at the start.

    D is the difference of the two rank sums. At the start, the first algorithm is last and the
    second one is first on every data set. A shift is -inf where both have failed.
    """
    n, k = badness.shape
    others = [column for column in range(k) if column not in (first, second)]
    of_first = badness[:, [first]]
    of_second = badness[:, [second]]
    of_others = badness[:, others]
    with np.errstate(invalid="ignore"):
        past_second = of_first - of_second
        past_others = 2 * (of_first - of_others)
        others_past = 2 * (of_others - of_second)
    steps = np.hstack([past_second, past_others, others_past])
    weights = np.ones_like(steps)
    weights[:, 0] = 2.0
    both_failed = np.isnan(steps)  # two failures tie at any shift
    steps[both_failed] = -np.inf
    weights[both_failed] /= 2
    return steps.ravel(), weights.ravel(), float(n * (k - 1))


def _first_shift(steps: np.ndarray, reached: np.ndarray) -> float:
    """Return the first shift at which `reached` is True, infinite if there is none."""
    return float(steps[reached.argmax()]) if reached.any() else np.inf


def _mean_shift(first: float, second: float) -> float:
    """Return the mean of two shifts, the finite one if only one is finite, 0 if none is."""
    if np.isfinite(first) and np.isfinite(second):
        return (first + second) / 2
    if np.isfinite(first):
        return first
    return second if np.isfinite(second) else 0.0


def against_region(decides: Ends, narrow: Ends, region: float) -> Place:
    """Return the position of a difference relative to the equivalence region.

    Parameters
    ----------
    decides : (float, float)
        Interval that decides superiority, at confidence level 1 - alpha.
    narrow : (float, float)
        Interval at confidence level 1 - 2 alpha.
    region : float
        Half-width of the region around 0, in units of the measure.

    Returns
    -------
    {"above", "below", "equivalent", "not known"}
        "equivalent" if the difference lies inside the region.

    Raises
    ------
    SettingError
        `region` is negative or infinite.

    Notes
    -----
    An interval at 1 - 2 alpha inside the region is equivalent to two one-sided tests (TOST), each at
    alpha. The ends do not belong to the region, so with a region of 0 nothing is equivalent. "Not
    known" is evidence for neither.

    References
    ----------
    Schuirmann, J. Pharmacokinet. Biopharm. 15 (1987) 657.

    Examples
    --------
    >>> against_region((0.02, 0.05), (0.022, 0.048), 0.01)
    'above'
    >>> against_region((-0.012, 0.006), (-0.009, 0.004), 0.01)
    'equivalent'
    >>> against_region((-0.02, 0.05), (-0.01, 0.04), 0.01)
    'not known'
    """
    check_margin(region)
    low, high = decides
    if low > region:
        return "above"
    if high < -region:
        return "below"
    is_inside = -region < narrow[0] and narrow[1] < region
    return "equivalent" if is_inside else "not known"


def turning_widths(
    intervals: Iterable[tuple[Ends, Ends]], separated: Iterable[bool], *, digits: int = 3
) -> list[float]:
    """Return the half-widths of the equivalence region at which any decision changes, ascending.

    Half-widths are rounded up to `digits` significant digits. A pair that does not differ
    significantly is neither better nor worse, even if its interval excludes zero, as it may if the
    test is not the one that the interval inverts.

    Examples
    --------
    >>> ends = [((0.0204, 0.05), (0.022, 0.04802)), ((-0.012, 0.006), (-0.009, 0.004))]
    >>> turning_widths(ends, [True, False])
    [0.00901, 0.0205, 0.0481]
    >>> turning_widths(ends, [False, False])
    [0.00901, 0.0481]
    """
    widths = set()
    for ((low, high), narrow), differs in zip(intervals, separated, strict=True):
        ends = [max(-narrow[0], narrow[1])]
        if differs:
            ends.append(max(low, -high))
        for end in ends:
            if ABOVE_ZERO < end < inf:
                widths.add(_beyond(end, digits))
    return sorted(widths)


def _beyond(width: float, digits: int) -> float:
    """Return the next larger number with this many significant digits."""
    decimals = digits - 1 - floor(log10(width))
    unit = 10.0**-decimals
    rounded = round(ceil(width * 10.0**decimals) * unit, decimals)
    return rounded if rounded > width else round(rounded + unit, decimals)


SIMULTANEOUS = ("nemenyi", "bonferroni", "bonferroni_dunn")  # one level for all of the family
Guarantee = Literal["", "unadjusted", "simultaneous", "selection-adjusted"]


def error_rates(
    p: ArrayLike,
    adjusted: ArrayLike,
    alpha: float,
    *,
    correction: str = "holm",
    family: int = 0,
    selected: int = -1,
) -> np.ndarray:
    """Return 1 - confidence_level for the interval of each pair, such that it excludes 0 if the pair is significant.

    `p` and `adjusted` are the p-values of each pair before and after the correction. If other pairs
    belong to the same family, `family` is the number of all its pairs (0: those given) and
    `selected` that of its significant pairs (negative: to be counted).
    `guarantee_of` names what the intervals guarantee.

    Notes
    -----
    An interval that inverts the test of p excludes zero exactly if its error rate is at least p.
    Without a correction all rates are alpha, and with one of `SIMULTANEOUS` alpha / m for m pairs.
    Otherwise they depend on the decision. Intervals of the R significant pairs at alpha R / m have
    a false coverage rate of at most alpha (Benjamini and Yekutieli 2005). Shaffer's and Bergmann
    and Hommel's procedures can reject beyond alpha R / m; there the error rate is
    alpha p / adjusted, the smallest one that excludes zero. This guarantee concerns selected
    pairs only. Intervals of the other pairs are at alpha / m: all of them cover their differences
    with probability 1 - alpha at least, whichever pairs are significant. They contain zero, as a
    pair with p <= alpha / m is significant by every procedure but Li's, whose rate is
    alpha p / adjusted where that is smaller.

    References
    ----------
    Benjamini and Yekutieli 2005, JASP 100, 71-81, doi:10.1198/016214504000001907.

    Examples
    --------
    Holm, two of four significant:

    >>> error_rates([0.001, 0.01, 0.1, 0.6], [0.004, 0.03, 0.2, 0.6], 0.05).round(4).tolist()
    [0.025, 0.025, 0.0125, 0.0125]
    """
    p = np.asarray(p, dtype=float)
    adjusted = np.asarray(adjusted, dtype=float)
    is_tested = ~np.isnan(adjusted)
    n_tests = max(family or int(np.count_nonzero(is_tested)), 1)
    if correction == "none":
        return np.where(is_tested, alpha, nan)
    if correction in SIMULTANEOUS:
        return np.where(is_tested, alpha / n_tests, nan)
    share = np.zeros_like(p)  # p and adjusted are both 0 where the latter is
    np.divide(p, adjusted, out=share, where=~(adjusted == 0))
    rates = alpha * np.minimum(share, 1)
    is_significant = significant(adjusted, alpha)
    n_selected = is_significant.sum() if selected < 0 else selected
    of_selected = np.maximum(rates, alpha * n_selected / n_tests)
    of_others = np.minimum(rates, alpha / n_tests)
    return np.where(is_significant, of_selected, of_others)


def guarantee_of(correction: str, *, separated: bool) -> Guarantee:
    """Return what the interval of a pair of several guarantees at its rate of `error_rates`.

    `separated` if its difference is significant.

    Notes
    -----
    "selection-adjusted": the expected share of intervals that miss among those of significant pairs
    is at most alpha. "simultaneous": with probability 1 - alpha, none of the intervals with this
    guarantee misses. "unadjusted": each covers with probability 1 - alpha if its pair was chosen
    before the results were seen.

    Examples
    --------
    >>> guarantee_of("holm", separated=True), guarantee_of("holm", separated=False)
    ('selection-adjusted', 'simultaneous')
    """
    if correction == "none":
        return "unadjusted"
    return "selection-adjusted" if separated and correction not in SIMULTANEOUS else "simultaneous"


Said = tuple[float, float, float, float]  # estimate, low, high and scale of two algorithms


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """Inputs and results of the pairwise tests over data sets.

    Attributes
    ----------
    scores, ranks : DataFrame, data set x algorithm
        Averages, and their ranks.
    settings : Settings
        Gives the source of the p-values, the correction and the level.
    higher_is_better : bool
        Direction of the measure.
    pairs : sequence of (str, str)
        Each pair once.
    p, adjusted : array, one per pair
        p-values before and after the correction.
    ahead : array, one per pair
        Positive if the test favours larger scores of the first algorithm, negative if smaller ones.
    family : int
        Number of pairs tested together; 0 for the number of `pairs`.
    selected : int
        Number of significant pairs in the family; -1 to count those in `pairs`.
    medians : dict of pair to float
        Hodges-Lehmann estimates, which hold at every level; those that are computed are added.
    """

    scores: pd.DataFrame
    ranks: pd.DataFrame
    settings: Settings
    higher_is_better: bool
    pairs: Sequence[tuple[str, str]]
    p: np.ndarray
    adjusted: np.ndarray
    ahead: np.ndarray
    family: int = 0
    selected: int = -1
    medians: dict[tuple[str, str], float] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray]:
        """Averages of the first and of the second algorithm of each pair, pair x data set."""
        names = self.scores.columns
        values = self.scores.to_numpy().T
        first = names.get_indexer([pair[0] for pair in self.pairs])
        second = names.get_indexer([pair[1] for pair in self.pairs])
        return values[first], values[second]

    @property
    def rates(self) -> np.ndarray:
        """Error rate of each interval, 1 - confidence_level."""
        return error_rates(
            self.p,
            self.adjusted,
            self.settings.alpha,
            correction=self.settings.correction,
            family=self.family or len(self.pairs),
            selected=self.selected,
        )


def pair_intervals(compared: Compared) -> pd.DataFrame:
    """Return estimate, low and high of each pair, by the test that was used for it; NaN if there is no interval.

    Notes
    -----
    The estimate is the Hodges-Lehmann median difference for Wilcoxon tests, the median of the
    differences for sign tests, and the shift of `rank_shift` for average ranks. Intervals have the
    error rates of `error_rates`. An
    interval excludes zero exactly if the pair is significant. If more than half of the differences
    are zero there is no estimate and no interval.

    References
    ----------
    Benjamini and Yekutieli 2005; Hodges and Lehmann 1963; Hollander and Wolfe 1999, sections 3.3
    and 3.6.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = pd.DataFrame({"a": [1.0, 2, 3, 4, 5, 6.5], "b": [0.0] * 6})
    >>> p = np.array([0.03125])
    >>> compared = Compared(scores=scores, ranks=scores.rank(axis=1, ascending=False), higher_is_better=True,
    ...                     settings=Settings(source="wilcoxon"), pairs=[("a", "b")], p=p, adjusted=p,
    ...                     ahead=np.array([1.0]))
    >>> pair_intervals(compared).iloc[0].tolist()
    [3.5, 1.0, 6.5]
    """
    by_source = {"ranks": _by_ranks, "sign": _by_signs, "wilcoxon": _by_signed_ranks}
    intervals = by_source[compared.settings.source](compared)
    rejects = significant(compared.adjusted, compared.settings.alpha)
    x, y = compared.columns
    rows = []
    for index, (estimate, low, high, scale) in enumerate(intervals):
        if signed_ranks.mostly_equal(x[index], y[index]):
            rows.append((nan, nan, nan))
            continue
        ends = signed_ranks.consistent_interval(
            (low, high),
            rejects=bool(rejects[index]),
            ahead=float(compared.ahead[index]),
            scale=scale,
        )
        rows.append((estimate, *ends))
    return pd.DataFrame(rows, columns=["estimate", "low", "high"], dtype=float)


def median_differences(compared: Compared) -> list[float]:
    """Return the Hodges-Lehmann estimate of each pair, NaN if more than half of its differences are zero."""
    medians = compared.medians
    new = [pair for pair in compared.pairs if pair not in medians]
    if new:
        x, y = replace(compared, pairs=new).columns
        medians.update(zip(new, signed_ranks.median_differences(x, y), strict=True))
    estimates = []
    for pair, x, y in zip(compared.pairs, *compared.columns, strict=True):
        estimates.append(nan if signed_ranks.mostly_equal(x, y) else medians[pair])
    return estimates


def _by_signed_ranks(compared: Compared) -> Iterator[Said]:
    """Yield the Hodges-Lehmann estimate, its interval and the scale of each pair."""
    x, y = compared.columns
    medians = compared.medians
    scales = np.maximum(np.abs(x), np.abs(y)).max(axis=1, initial=0.0).tolist()
    estimates = np.array([medians.get(pair, nan) for pair in compared.pairs])
    intervals = signed_ranks.typical_differences(
        x, y, confidence_level=1 - compared.rates, estimates=estimates
    )
    for pair, interval, scale in zip(compared.pairs, intervals.tolist(), scales, strict=True):
        estimate, low, high = interval
        medians[pair] = estimate
        yield estimate, low, high, scale


def _by_signs(compared: Compared) -> Iterator[Said]:
    """Yield the median difference, its sign-test interval and the scale of each pair."""
    for x, y, rate in zip(*compared.columns, compared.rates.tolist(), strict=True):
        low, high = sign_interval(x, y, confidence_level=1 - rate)
        scale = max(np.abs(x).max(), np.abs(y).max())
        yield float(np.median(x - y)), low, high, float(scale)


def _by_ranks(compared: Compared) -> Iterator[Said]:
    """Yield the rank-based estimate of the difference, its interval and the scale of each pair."""
    badness = _as_loss(compared.scores, higher_is_better=compared.higher_is_better)
    names = list(compared.scores.columns)
    finite = np.abs(badness[np.isfinite(badness)])
    scale = float(finite.max(initial=0.0))
    criticals = _critical_rank_sums(compared).tolist()
    for (first, second), critical in zip(compared.pairs, criticals, strict=True):
        pair = (names.index(first), names.index(second))
        estimate, low, high = rank_shift(badness, pair, critical)
        if compared.higher_is_better:
            estimate, low, high = 0.0 - estimate, -high, -low
        yield estimate, low, high, scale


def _critical_rank_sums(compared: Compared) -> np.ndarray:
    """Return for each pair the smallest rank-sum difference significant at its error rate, inf if there is none."""
    ranks = compared.ranks.to_numpy()
    n, k = ranks.shape
    settings = compared.settings
    rates = compared.rates
    if settings.correction == "nemenyi":
        return np.full(len(rates), n * critical_difference(k, n, settings.alpha))
    if settings.correction == "bonferroni_dunn" or n * k > LARGEST_EXACT:
        return stats.norm.isf(rates / 2) * np.sqrt(n * k * (k + 1) / 6)
    tail = two_sided_tail(ranks)
    first = np.searchsorted(-tail, -rates * (1 + P_ROUNDING))  # index of the first rejected p
    return np.where(first < len(tail), first / 2, np.inf)
