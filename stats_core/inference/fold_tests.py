"""The pairwise tests run on one pair of algorithms, and the one recommended for a design."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from stats_core.core import validation
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.result_types import PairedResult
from stats_core.inference import inference_text, paired
from stats_core.inference.methods import (
    CONSERVATIVE_T,
    CORRECTED_T,
    PAIR_TESTS,
    PAIRED_T,
    Estimate,
    FoldPair,
    Interval,
    PairMethod,
)
from stats_core.inference.paired import signed_ranks
from stats_core.inference.paired.proportions import McNemarResult
from stats_core.inference.paired.t_tests import MOST_RESULTS

OVERLAP = inference_text("reason.independent")
ONE_SIDED = tuple(key for key, method in PAIR_TESTS.items() if method.one_sided is not None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairAnswer:
    """Result of a pairwise test, or the reason why it does not apply.

    Attributes
    ----------
    key, name, assumes : str
        Key and name of the test; its assumptions in words.
    applies : bool
        Whether the design and the data allow it.
    outcome : PairedResult or None
        Result of the test; None if it does not apply or raised an error.
    reason : str
        Reason for no outcome, else a caution, else "".
    estimate, low, high : float
        Estimate of the difference and its interval by this test, NaN if it has none.
    """

    key: str
    name: str
    assumes: str
    applies: bool
    outcome: PairedResult | None
    reason: str
    estimate: float = np.nan
    low: float = np.nan
    high: float = np.nan


def advised_test(test_fraction: float | None, n_results: int, df: str = "conservative") -> str:
    """Return the key of the recommended pairwise test for a test fraction and a number of results.

    Notes
    -----
    The corrected t test is recommended even on 5x2 folds, where Alpaydin's F is more powerful:
    measured on real learners (docs/methods.md), the type I error rate of F exceeds twice alpha on
    some data, and more in a family of pairs. The corrected t test controls its error rate there.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004.

    Examples
    --------
    >>> advised_test(0.5, 10), advised_test(0.1, 100), advised_test(None, 10)
    ('corrected t', 'corrected t, conservative', 'paired t')
    """
    if test_fraction is None:
        return PAIRED_T.key
    bounded = df == "conservative" and n_results > MOST_RESULTS
    return CONSERVATIVE_T.key if bounded else CORRECTED_T.key


def redundant(key: str, n_results: int) -> bool:
    """Return whether a test is identical to another one for this number of results.

    Examples
    --------
    >>> redundant("corrected t, conservative", 10), redundant("corrected t, conservative", 11)
    (True, False)
    """
    return PAIR_TESTS[key].bounded_df and paired.conservative_df(n_results) is None


def run_pair_test(pair: FoldPair, key: str, *, confidence_level: float = 0.95) -> PairAnswer:
    """Return the result of one test of two algorithms on one data set, or the reason why there is none.

    Examples
    --------
    >>> import pandas as pd
    >>> folds = pd.MultiIndex.from_product([["1"], list("1234")], names=["repetition", "fold"])
    >>> x, y = (pd.Series(v, index=folds) for v in ([6.0, 7, 9, 8], [5.0, 5, 6, 7]))
    >>> pair = FoldPair(x=x, y=y, measure="error", design="k-fold", label="4-fold",
    ...                 test_fraction=0.25)
    >>> run_pair_test(pair, "5x2 cv F").reason
    'needs 5 repetitions of 2-fold cross-validation, not 4-fold'
    """
    validation.check_one_of(key, PAIR_TESTS, "test")
    test = PAIR_TESTS[key]
    reason = test.refuses(pair)
    outcome = None
    applies = not reason
    if applies:
        try:
            outcome = test.run(pair, confidence_level)
        except FoldwiseError as error:
            reason = str(error)
    low, high = _interval(pair, test, outcome, confidence_level)
    if outcome is not None and test.ignores_overlap and pair.overlaps:
        reason = OVERLAP
    return PairAnswer(
        key=key,
        name=test.name,
        assumes=test.assumes,
        applies=applies,
        outcome=outcome,
        reason=reason,
        estimate=_ESTIMATES[test.estimate](pair) if applies else np.nan,
        low=low,
        high=high,
    )


def _mean_difference(pair: FoldPair) -> float:
    """Return the mean difference, 0 if it is a rounding error."""
    mean = float((pair.x - pair.y).mean())
    return 0.0 if validation.all_within_rounding(mean, pair.x, pair.y) else mean


def _median_difference(pair: FoldPair) -> float:
    return float(np.median(validation.paired_differences(pair.x, pair.y)))


def _pseudo_median(pair: FoldPair) -> float:
    """Return the Hodges-Lehmann estimate of the difference."""
    differences = validation.paired_differences(pair.x, pair.y)
    return float(signed_ranks.median_differences(differences[None], np.zeros(1))[0])


def _first_difference(pair: FoldPair) -> float:
    return float(pair.x.iloc[0] - pair.y.iloc[0])


def _difference_of_instances(pair: FoldPair) -> float:
    """Return the difference in error or accuracy of all instances together."""
    assert pair.correct is not None  # or `refuses` has a reason
    first, second = pair.correct.mean()
    return float(second - first if pair.measure == "error" else first - second)


_ESTIMATES: dict[Estimate, Callable[[FoldPair], float]] = {
    Estimate.MEAN: _mean_difference,
    Estimate.MEDIAN: _median_difference,
    Estimate.PSEUDO_MEDIAN: _pseudo_median,
    Estimate.FIRST_FOLD: _first_difference,
    Estimate.INSTANCES: _difference_of_instances,
}


def _interval(
    pair: FoldPair, test: PairMethod, outcome: PairedResult | None, confidence_level: float
) -> tuple[float, float]:
    """Return the confidence interval of a test, NaN if it has none or there is no outcome."""
    if outcome is None:
        return np.nan, np.nan
    match test.interval:
        case Interval.NONE:
            return np.nan, np.nan
        case Interval.OF_TEST:
            if isinstance(outcome, McNemarResult):
                return _newcombe(outcome, confidence_level)
            return getattr(outcome, "low", np.nan), getattr(outcome, "high", np.nan)
        case Interval.HODGES_LEHMANN:
            return paired.hodges_lehmann_interval(pair.x, pair.y, confidence_level=confidence_level)
        case _:
            assert_never(test.interval)


def _newcombe(outcome: McNemarResult, confidence_level: float) -> tuple[float, float]:
    """Return Newcombe's interval, changed so that it includes zero exactly if the test does not reject."""
    return signed_ranks.consistent_interval(
        (outcome.low, outcome.high),
        rejects=bool(validation.significant(outcome.pvalue, 1 - confidence_level)),
        ahead=outcome.estimate,
        scale=1.0,
    )


def one_sided(
    differences: np.ndarray,
    test: str,
    *,
    test_fraction: float | None = None,
    undivided: bool = False,
) -> np.ndarray:
    """Return one-sided p-values (alternative: mean difference above 0), one per row of differences.

    With `undivided`, the 5x2 cv F test is not halved: its two-sided p if the mean is above 0, else
    1.

    Notes
    -----
    If all differences are zero, p = 1. If they are equal but not zero, p is the limit (0 if positive,
    1 if negative), where the tests of two algorithms raise an error. Variation up to 1e-12 of the
    largest difference is a rounding error.

    References
    ----------
    Yildiz and Alpaydin 2006; Alpaydin, Neural Comput. 11 (1999) 1885; Nadeau and Bengio 2003.

    Examples
    --------
    >>> import numpy as np
    >>> one_sided(np.array([[1.0, 2, 3, 1], [-1, -2, -3, -1]]), "paired t").round(4)
    array([0.0177, 0.9823])
    """
    validation.check_one_of(test, ONE_SIDED, "test")
    method = PAIR_TESTS[test]
    differences = np.asarray(differences, dtype=float)
    _check_rows(differences.shape, method, test_fraction, undivided)
    differences = differences / validation.unit_of(differences, axis=-1)[..., None]
    noise = validation.rounding_error(differences, axis=-1)
    assert method.one_sided is not None  # checked above
    pvalues = method.one_sided(differences, noise, test_fraction)
    if undivided:  # twice the half is the two-sided p again
        pvalues = np.where(pvalues >= 0.5, 1.0, 2 * pvalues)
    return np.where((differences == 0).all(axis=-1), 1.0, pvalues)


def _check_rows(
    shape: tuple[int, ...], method: PairMethod, fraction: float | None, undivided: bool
) -> None:
    """Raise SettingError or DesignError if the test does not apply to differences of this shape."""
    if method.corrects_overlap and fraction is None:
        raise SettingError.of("The corrected t test needs the share")
    if undivided and method.signed:
        raise SettingError.of("undivided needs F", test=method.key)
    n_results = shape[-1] if shape else 0
    if method.five_by_two and n_results != 10:
        raise DesignError.of("no ten differences", n=n_results)
    if n_results < 2:
        raise DesignError.of("A test on folds needs 2 results", n_results=n_results)
