"""Tests on single instances classified by every algorithm: McNemar and Cochran's Q."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import message
from stats_core.core.result_types import Method, PairedResult, TestResult
from stats_core.core.validation import as_numbers, as_table, check_paired, check_probability


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
        Interval for it, from the counts of disagreement (normal approximation).
    """

    only_first: int
    only_second: int
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CochranQResult(TestResult):
    """Cochran's Q; `df` is the number of algorithms less one, `accuracy` the share correct."""

    df: int
    accuracy: pd.Series


def mcnemar(
    correct_a: ArrayLike, correct_b: ArrayLike, *, exact: bool = True, confidence: float = 0.95
) -> McNemarResult:
    """Does one of two classifiers err more often on the same instances?

    Parameters
    ----------
    correct_a, correct_b : array or Series of bool, one value per case
        Whether each classified the case correctly; two Series are paired by label.
    exact : bool
        The binomial test; otherwise chi-square with continuity correction, 1 df.
    confidence : float
        Coverage of the interval.

    Returns
    -------
    McNemarResult
        With b and c cases that only one got right, exact p = min(1, 2 P(Bin(b + c, 1/2) <=
        min(b, c))); chi-square = max(|b - c| - 1, 0)^2 / (b + c).

    Raises
    ------
    DataError
        Cases do not pair up, or a value is not 0 or 1.

    Notes
    -----
    Speaks of these two trained classifiers on this test set: training randomness is not seen.
    No case on which they disagree: p = 1. One-sided p-values are of the first being correct
    more often.

    References
    ----------
    McNemar 1947; Dietterich, Neural Comput. 10 (1998) 1895, section 3.1.

    Examples
    --------
    >>> a, b = [1] * 8 + [0] * 2, [0] * 6 + [1] * 4
    >>> mcnemar(a, b).pvalue
    0.2890625
    """
    check_probability(confidence, "confidence")
    first, second = _booleans(*check_paired(correct_a, correct_b))
    b, c = int((first & ~second).sum()), int((~first & second).sum())
    n, total = b + c, len(first)
    chi2 = max(abs(b - c) - 1, 0) ** 2 / n if n else 0.0
    if exact:
        greater, less = (float(stats.binom.sf(k - 1, n, 0.5)) for k in (b, c))
        pvalue = min(1.0, 2 * min(greater, less))
    else:
        pvalue = float(stats.chi2.sf(chi2, 1))
        greater, less = (pvalue / 2, 1 - pvalue / 2)[:: 1 if b >= c else -1]
    how = "exact binomial" if exact else "chi-square with continuity correction, 1 df"
    difference = (b - c) / total
    margin = float(stats.norm.isf((1 - confidence) / 2) * np.sqrt(n - (b - c) ** 2 / total) / total)
    return McNemarResult(
        about=f"{total} cases, {n} on which the two disagree",
        statistic=float(min(b, c)) if exact else chi2,
        pvalue=pvalue if n else 1.0,
        pvalue_greater=greater if n else 1.0,
        pvalue_less=less if n else 1.0,
        method=Method("McNemar's test", ("two-sided", how), exact=exact),
        n=total,
        warnings=() if n else (message("same cases", who="The two"),),
        only_first=b,
        only_second=c,
        estimate=difference,
        low=difference - margin,
        high=difference + margin,
    )


def cochran_q(correct: pd.DataFrame) -> CochranQResult:
    """Do several classifiers err equally often on the same instances?

    Notes
    -----
    With two algorithms Q is McNemar's chi-square without continuity correction. No case on
    which they disagree: Q = 0, p = 1.

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
        raise DesignError(f"Cochran's Q needs at least 2 algorithms. There is {a}. Add another.")
    (values,) = _booleans(as_numbers(table, "correct"))
    from statsmodels.stats.contingency_tables import cochrans_q  # loads for a third of a second

    differ = bool((values.min(axis=1) < values.max(axis=1)).any())
    outcome = cochrans_q(values.astype(int)) if differ else None
    return CochranQResult(
        about=f"{a} algorithms on {len(values)} cases",
        statistic=float(outcome.statistic) if outcome else 0.0,
        pvalue=float(outcome.pvalue) if outcome else 1.0,
        method=Method("Cochran's Q", ("chi-square", f"{a - 1} df")),
        n=len(values),
        warnings=() if differ else (message("same cases", who="All"),),
        df=a - 1,
        accuracy=pd.Series(values.mean(axis=0), index=table.columns),
    )


def _booleans(*arrays: np.ndarray) -> list[np.ndarray]:
    """Return arrays of 0 and 1 as booleans."""
    for array in arrays:
        if not len(array) or not np.isin(array, (0, 1)).all():
            raise DataError(["Each case is classified correctly (1) or not (0). Other values arrived. Recode."])
    return [array.astype(bool) for array in arrays]
