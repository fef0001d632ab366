"""Tests and intervals of the proportions of correct answers: McNemar, Cochran's Q, Wilson, Newcombe, odds ratio."""

from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special, stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.messages import message
from stats_core.core.result_types import Alternative, Method, PairedResult, TestResult
from stats_core.core.validation import (
    as_numbers,
    as_table,
    check_count,
    check_paired,
    check_probability,
)
from stats_core.inference import inference_text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class McNemarResult(PairedResult):
    """Result of McNemar's test.

    Attributes
    ----------
    only_first, only_second : int
        Cases that the first, or the second, alone classified correctly.
    estimate : float
        Accuracy of the first minus that of the second.
    low, high : float
        Newcombe's interval for the difference, which can disagree with the exact test.
    """

    only_first: int
    only_second: int
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CochranQResult(TestResult):
    """Result of Cochran's Q test.

    Attributes
    ----------
    df : int
        Number of algorithms minus 1.
    accuracy : Series by algorithm
        Share of cases classified correctly.
    """

    df: int
    accuracy: pd.Series


def mcnemar(
    correct_a: ArrayLike,
    correct_b: ArrayLike,
    *,
    exact: bool = True,
    mid_p: bool = False,
    alternative: Alternative = "two-sided",
    confidence_level: float = 0.95,
) -> McNemarResult:
    """McNemar's test of the error rates of two classifiers on the same instances.

    Parameters
    ----------
    correct_a, correct_b : array or Series of bool, one value per case
        Whether each classified the case correctly; two Series are paired by label.
    exact : bool
        The binomial test; otherwise chi-square with continuity correction, 1 df.
    mid_p : bool
        Whether the observed numbers count half in the binomial test. This is more powerful, but its
        type I error rate can slightly exceed the level.
    alternative : {"two-sided", "greater", "less"}
        "greater" tests whether the first is correct more often, "less" whether the second is.
    confidence_level : float
        Coverage of the interval, which is two-sided for any alternative.

    Returns
    -------
    McNemarResult
        With b and c cases that only one got right, exact p = min(1, 2 P(Bin(b + c, 1/2) <=
        min(b, c))), the mid-p is smaller by P(Bin(b + c, 1/2) = min(b, c)), and 1 for b = c;
        chi-square = max(|b - c| - 1, 0)^2 / (b + c).

    Raises
    ------
    DataError, SettingError
        Cases do not pair up, or a value is not 0 or 1; `confidence_level` outside (0, 1), an
        unknown `alternative`, or `mid_p` without `exact`.

    Notes
    -----
    The conclusion is on these two classifiers: variability between runs is not covered.
    If they disagree on no case, p = 1. `pvalue_greater` is for the first being correct more often.

    References
    ----------
    McNemar 1947; Dietterich, Neural Comput. 10 (1998) 1895, section 3.1; Newcombe, Stat. Med. 17
    (1998) 2635; mid-p: Fagerland, Lydersen and Laake, BMC Med. Res. Methodol. 13 (2013) 91.

    Examples
    --------
    >>> a, b = [1] * 8 + [0] * 2, [0] * 6 + [1] * 4
    >>> mcnemar(a, b).pvalue
    0.2890625
    >>> mcnemar(a, b, alternative="greater").pvalue
    0.14453125
    """
    check_probability(confidence_level, "confidence_level")
    if mid_p and not exact:
        raise SettingError.of("mid-p of a chi-square test")
    first, second = _booleans(*check_paired(correct_a, correct_b))
    n = len(first)
    n_both = int((first & second).sum())
    only_first = int((first & ~second).sum())
    only_second = int((~first & second).sum())
    n_discordant = only_first + only_second
    n_neither = n - n_both - n_discordant
    if n_discordant == 0:
        statistic = 0.0
        pvalue = greater = less = 1.0
    elif exact:
        statistic = float(min(only_first, only_second))
        half = float(stats.binom.pmf(only_first, n_discordant, 0.5)) / 2 if mid_p else 0.0
        greater = float(stats.binom.sf(only_first - 1, n_discordant, 0.5)) - half
        less = float(stats.binom.sf(only_second - 1, n_discordant, 0.5)) - half
        pvalue = min(1.0, 2 * min(greater, less))
    else:
        corrected = max(abs(only_first - only_second) - 1, 0)
        statistic = corrected**2 / n_discordant
        pvalue = float(stats.chi2.sf(statistic, 1))
        greater = pvalue / 2 if only_first >= only_second else 1 - pvalue / 2
        less = 1 - pvalue / 2 if only_first >= only_second else pvalue / 2
    if exact:
        how = "binomial, mid-p" if mid_p else "exact binomial"
    else:
        how = inference_text("method.continuity")
    low, high = newcombe_interval(
        n_both, only_first, only_second, n_neither, confidence_level=confidence_level
    )
    return McNemarResult(
        about=inference_text("about.discordant", total=n, n=n_discordant),
        statistic=statistic,
        pvalue=pvalue,
        pvalue_greater=greater,
        pvalue_less=less,
        method=Method("McNemar's test", ("two-sided", how), exact=exact and not mid_p),
        n=n,
        warnings=() if n_discordant > 0 else (message("same cases", who="The two"),),
        only_first=only_first,
        only_second=only_second,
        estimate=(only_first - only_second) / n,
        low=low,
        high=high,
    ).at_alternative(alternative)


def cochran_q(correct: pd.DataFrame) -> CochranQResult:
    """Cochran's Q test of the error rates of several classifiers on the same instances.

    `correct` is case x algorithm, of 0 and 1, otherwise DataError is raised; DesignError for fewer
    than two algorithms. The statistic Q of k algorithms has a chi-square distribution with k - 1
    df.

    Notes
    -----
    With two algorithms Q is McNemar's chi-square without continuity correction. If they
    disagree on no case, Q = 0 and p = 1.

    References
    ----------
    Cochran 1950.

    Examples
    --------
    >>> import pandas as pd
    >>> cochran_q(pd.DataFrame({"a": [1, 1, 1, 0], "b": [1, 0, 0, 0], "c": [1, 1, 0, 0]})).statistic
    3.0
    """
    table = as_table(correct, "correct")
    a = table.shape[1]
    if a < 2:
        raise DesignError.of("Cochran needs algorithms", a=a)
    (values,) = _booleans(as_numbers(table, "correct"))
    statistic = 0.0
    pvalue = 1.0
    is_discordant = values.min(axis=1) < values.max(axis=1)
    if is_discordant.any():
        from statsmodels.stats.contingency_tables import cochrans_q  # loads for a third of a second

        outcome = cochrans_q(values.astype(int))
        statistic = float(outcome.statistic)
        pvalue = float(outcome.pvalue)
    return CochranQResult(
        about=f"{a} algorithms on {len(values)} cases",
        statistic=statistic,
        pvalue=pvalue,
        method=Method("Cochran's Q", ("chi-square", f"{a - 1} df")),
        n=len(values),
        warnings=() if is_discordant.any() else (message("same cases", who="All"),),
        df=a - 1,
        accuracy=pd.Series(values.mean(axis=0), index=table.columns),
    )


def _booleans(*arrays: np.ndarray) -> list[np.ndarray]:
    """Return arrays of 0 and 1 as booleans; raise DataError for empty ones or other values."""
    for array in arrays:
        if not len(array) or not np.isin(array, (0, 1)).all():
            raise DataError.of("correctness not binary")
    return [array.astype(bool) for array in arrays]


def wilson_interval(
    successes: float, n: float, *, confidence_level: float = 0.95, df: float = inf
) -> tuple[float, float]:
    """Wilson's score interval of a proportion.

    Parameters
    ----------
    successes, n : float
        Numbers of successes and of trials. With clusters, both are divided by the design effect.
    confidence_level : float
        Coverage of the interval.
    df : float
        Degrees of freedom of the t quantile that replaces the normal quantile; infinite by default.

    Returns
    -------
    tuple of float
        Lower and upper limit, within [0, 1].

    Raises
    ------
    DataError, SettingError
        `successes` outside [0, n] or `n` not positive; `confidence_level` outside (0, 1).

    Notes
    -----
    The limits are the proportions that the score test does not reject:
    (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n).

    References
    ----------
    Wilson, JASA 22 (1927) 209; Newcombe, Stat. Med. 17 (1998) 857.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(81, 263)]
    [0.2553, 0.3662]
    """
    check_probability(confidence_level, "confidence_level")
    if not (0 <= successes <= n and 0 < n < inf):
        raise DataError.of("counts are no proportion", successes=successes, n=n)
    tail = (1 - confidence_level) / 2
    z = float(-special.ndtri(tail) if df == inf else stats.t.isf(tail, df))
    return score_interval(successes, n, z)


def score_interval(successes: float, n: float, z: float) -> tuple[float, float]:
    """Return the proportions whose score test has a statistic of at most `z` in size.

    Examples
    --------
    >>> [round(end, 4) for end in score_interval(81, 263, 1.959964)]
    [0.2553, 0.3662]
    """
    p = successes / n
    middle = p + z**2 / (2 * n)
    margin = z * sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    divisor = 1 + z**2 / n
    low = (middle - margin) / divisor if successes > 0 else 0.0
    high = (middle + margin) / divisor if successes < n else 1.0
    return low, high


def newcombe_interval(
    both: int, only_first: int, only_second: int, neither: int, *, confidence_level: float = 0.95
) -> tuple[float, float]:
    """Newcombe's interval for the difference of two paired proportions (his method 10).

    Parameters
    ----------
    both, only_first, only_second, neither : int
        Numbers of instances that both models, only the first, only the second, and neither
        classified correctly.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    tuple of float
        Limits for the accuracy of the first minus that of the second, within [-1, 1].

    Raises
    ------
    DataError, SettingError
        A count that is no nonnegative whole number, or no instance; `confidence_level` outside
        (0, 1).

    Notes
    -----
    Wilson intervals of both proportions are combined, with the correlation phi of the table. With p and q the two
    proportions and l and u the limits of their Wilson intervals, the lower limit is
    p - q - sqrt((p - l_p)^2 - 2 phi (p - l_p)(u_q - q) + (u_q - q)^2), and the upper limit accordingly. A positive
    ad - bc in the numerator of phi is reduced by n / 2, at most to 0.

    References
    ----------
    Newcombe, Stat. Med. 17 (1998) 2635.

    Examples
    --------
    >>> [round(end, 4) for end in newcombe_interval(36, 12, 2, 0)]
    [0.0569, 0.3404]
    """
    a = check_count(both, "both")
    b = check_count(only_first, "only_first")
    c = check_count(only_second, "only_second")
    d = check_count(neither, "neither")
    n = a + b + c + d
    if n == 0:
        raise DataError.of("counts are no proportion", successes=0, n=0)
    p = (a + b) / n
    q = (a + c) / n
    low_p, high_p = wilson_interval(a + b, n, confidence_level=confidence_level)
    low_q, high_q = wilson_interval(a + c, n, confidence_level=confidence_level)
    phi = _corrected_phi(a, b, c, d)

    def reach(of_p: float, of_q: float) -> float:
        return sqrt(max(of_p**2 - 2 * phi * of_p * of_q + of_q**2, 0.0))

    below = reach(p - low_p, high_q - q)
    above = reach(high_p - p, q - low_q)
    return p - q - below, p - q + above


def _corrected_phi(a: int, b: int, c: int, d: int) -> float:
    """Return the correlation of two proportions, continuity corrected if it is positive."""
    scale = sqrt((a + b) * (c + d) * (a + c) * (b + d))
    if scale == 0:
        return 0.0
    cross = a * d - b * c
    if cross > 0:
        n = a + b + c + d
        return max(cross - n / 2, 0.0) / scale
    return cross / scale


def conditional_odds_ratio(
    only_first: int, only_second: int, *, confidence_level: float = 0.95
) -> tuple[float, float, float]:
    """Conditional odds ratio of two paired proportions, with an exact interval.

    Parameters
    ----------
    only_first, only_second : int
        Numbers of instances that only the first, and only the second, model classified correctly.
    confidence_level : float
        Coverage of the interval.

    Returns
    -------
    tuple of float
        Estimate b / c and its limits. The estimate is NaN, and the interval (0, inf), if both
        counts are 0.

    Raises
    ------
    DataError, SettingError
        A count that is no nonnegative whole number; `confidence_level` outside (0, 1).

    Notes
    -----
    The limits are those of Clopper and Pearson for b / (b + c), transformed to odds. The interval belongs to McNemar's
    exact test: it excludes 1 if and only if p is less than 1 - confidence_level.

    References
    ----------
    Breslow and Day, Statistical Methods in Cancer Research 1 (1980), section 5.2.

    Examples
    --------
    >>> [round(value, 3) for value in conditional_odds_ratio(60, 27)]
    [2.222, 1.389, 3.641]
    """
    check_probability(confidence_level, "confidence_level")
    b = check_count(only_first, "only_first")
    c = check_count(only_second, "only_second")
    if b + c == 0:
        return nan, 0.0, inf
    tail = (1 - confidence_level) / 2
    low = float(special.betaincinv(b, c + 1, tail)) if b > 0 else 0.0
    high = float(special.betainccinv(b + 1, c, tail)) if c > 0 else 1.0
    ratio = b / c if c > 0 else inf
    highest_ratio = high / (1 - high) if high < 1 else inf
    return ratio, low / (1 - low), highest_ratio
