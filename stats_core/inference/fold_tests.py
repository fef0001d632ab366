"""Tests of two algorithms on one data set: assumptions, and the resampling designs they apply to."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import cast

import numpy as np
import pandas as pd

from stats_core.core.errors import FoldwiseError
from stats_core.core.result_types import PairedResult
from stats_core.core.validation import check_one_of, paired_differences
from stats_core.inference import inference_text, paired
from stats_core.inference.paired.t_tests import CONSERVATIVE, MOST_RESULTS, PUBLISHED

OVERLAP = inference_text("reason.independent")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldPair:
    """Results of two algorithms on the folds of one data set, with the resampling design.

    Attributes
    ----------
    x, y : Series by (repetition, fold)
        Results of the first and the second algorithm, none missing.
    measure : str
        The measure.
    design, label : str
        The resampling design, and its label with numbers, such as "10 x 10-fold".
    test_fraction : float or None
        n_test / (n_train + n_test), None if not known or not meaningful.
    correct : DataFrame, case x algorithm, or None
        Whether each of the two classified each case correctly.
    """

    x: pd.Series
    y: pd.Series
    measure: str
    design: str
    label: str
    test_fraction: float | None = None
    correct: pd.DataFrame | None = None

    @property
    def overlaps(self) -> bool:
        """Whether the training sets of the folds share instances."""
        return self.design not in ("single", "unknown") and len(self.x) > 1

    def five_by_two(self) -> np.ndarray:
        """Return the differences, replication x half."""
        return paired_differences(self.x.to_numpy(), self.y.to_numpy()).reshape(5, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """A test of two algorithms that can be requested by name.

    Attributes
    ----------
    name : str
        Name in text and tables.
    assumes : str
        Assumptions of the test.
    refuses : callable
        Function of a FoldPair that returns why the test does not apply, "" if it does.
    run : callable
        Function of a FoldPair and the confidence level that returns the outcome.
    """

    name: str
    assumes: str
    refuses: Callable[[FoldPair], str]
    run: Callable[[FoldPair, float], PairedResult]


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
    low, high : float
        Interval of the difference by this test, NaN if it has none.
    """

    key: str
    name: str
    assumes: str
    applies: bool
    outcome: PairedResult | None
    reason: str
    low: float = np.nan
    high: float = np.nan


def _wants_fraction(pair: FoldPair) -> str:
    """Return why a test that corrects for overlap does not apply, "" if the test fraction is known."""
    if pair.test_fraction is not None:
        return ""
    if pair.design == "common test set":
        return inference_text("reason.common_test_set")
    return inference_text("reason.test_fraction")


def _wants_5x2(pair: FoldPair) -> str:
    """Return why a test of 5x2 cross-validation does not apply, "" if it does."""
    if pair.design != "5x2":
        return inference_text("reason.five_by_two", design=pair.label)
    return inference_text("reason.ten_results", n=len(pair.x)) if len(pair.x) != 10 else ""


def _wants_cases(pair: FoldPair) -> str:
    """Return why a test on instances does not apply, "" if it does."""
    if pair.measure not in ("error", "accuracy"):
        return inference_text("reason.errors_only", measure=pair.measure)
    return inference_text("reason.instances") if pair.correct is None else ""


def _anything(pair: FoldPair) -> str:
    return ""


def _cases(pair: FoldPair, *, exact: bool, confidence_level: float) -> PairedResult:
    """Return McNemar's test of a pair; "greater" means a larger error if the measure is the error."""
    assert pair.correct is not None  # or `_wants_cases` has refused
    first, second = (pair.correct.iloc[:, column].astype(float) for column in (0, 1))
    if pair.measure == "error":  # so that "greater" means a larger error of the first
        first, second = 1 - first, 1 - second
    return paired.mcnemar(first, second, exact=exact, confidence_level=confidence_level)


def _corrected(pair: FoldPair, confidence_level: float, max_df: int | None = None) -> PairedResult:
    """Return the corrected t test of a pair with a known test fraction."""
    fraction = cast(float, pair.test_fraction)  # or `_wants_fraction` has refused
    return paired.corrected_t(
        pair.x, pair.y, test_fraction=fraction, confidence_level=confidence_level, max_df=max_df
    )


_RUNS: dict[str, tuple[Callable[[FoldPair], str], Callable[[FoldPair, float], PairedResult]]] = {
    CONSERVATIVE: (
        _wants_fraction,
        lambda pair, level: _corrected(pair, level, paired.conservative_df(len(pair.x))),
    ),
    PUBLISHED: (_wants_fraction, _corrected),
    "paired t": (
        _anything,
        lambda pair, level: paired.paired_t(pair.x, pair.y, confidence_level=level),
    ),
    "5x2 cv F": (
        _wants_5x2,
        lambda pair, level: paired.cv52_f(pair.five_by_two(), confidence_level=level),
    ),
    "5x2 cv t": (
        _wants_5x2,
        lambda pair, level: paired.cv52_t(pair.five_by_two(), confidence_level=level),
    ),
    "combined 5x2 cv t": (
        _wants_5x2,
        lambda pair, level: paired.cv52_combined_t(pair.five_by_two(), confidence_level=level),
    ),
    "Wilcoxon": (_anything, lambda pair, level: paired.wilcoxon(pair.x, pair.y)),
    "sign test": (_anything, lambda pair, level: paired.sign_test(pair.x, pair.y)),
    "sign flips": (_anything, lambda pair, level: paired.sign_flip_test(pair.x, pair.y)),
    "McNemar": (_wants_cases, lambda pair, level: _cases(pair, exact=True, confidence_level=level)),
    "McNemar chi-square": (
        _wants_cases,
        lambda pair, level: _cases(pair, exact=False, confidence_level=level),
    ),
}
_TEXTS = tomllib.loads(files(__package__).joinpath("fold_tests.toml").read_text(encoding="utf-8"))
PAIR_TESTS = {
    key: PairTest(refuses=refuses, run=run, **_TEXTS[key]) for key, (refuses, run) in _RUNS.items()
}
CORRECTED = (PUBLISHED, CONSERVATIVE)
AS_IF_INDEPENDENT = ("paired t", "combined 5x2 cv t", "Wilcoxon", "sign test", "sign flips")
ON_CASES = ("McNemar", "McNemar chi-square")
# tests whose p is never below 2^(1 - J), whatever the size of the differences
DISCRETE = ("Wilcoxon", "sign test", "sign flips")
WITHOUT_INTERVAL = ("sign test", "sign flips")  # the same at every level


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
        return "paired t"
    return CONSERVATIVE if df == "conservative" and n_results > MOST_RESULTS else PUBLISHED


def redundant(key: str, n_results: int) -> bool:
    """Return whether a test is identical to another one for this number of results.

    Examples
    --------
    >>> redundant("corrected t, conservative", 10), redundant("corrected t, conservative", 11)
    (True, False)
    """
    return key == CONSERVATIVE and paired.conservative_df(n_results) is None


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
    check_one_of(key, PAIR_TESTS, "test")
    test = PAIR_TESTS[key]
    reason, outcome = test.refuses(pair), None
    applies = not reason
    if applies:
        try:
            outcome = test.run(pair, confidence_level)
        except FoldwiseError as error:
            reason = str(error)
    low, high = _interval(pair, key, outcome, confidence_level)
    if outcome is not None and key in AS_IF_INDEPENDENT and pair.overlaps:
        reason = OVERLAP
    return PairAnswer(
        key=key,
        name=test.name,
        assumes=test.assumes,
        applies=applies,
        outcome=outcome,
        reason=reason,
        low=low,
        high=high,
    )


def _interval(
    pair: FoldPair, key: str, outcome: PairedResult | None, confidence_level: float
) -> tuple[float, float]:
    """Return the confidence interval of a test, NaN if it has none or there is no outcome."""
    if outcome is None:
        return np.nan, np.nan
    if key == "Wilcoxon":
        return paired.hodges_lehmann_interval(pair.x, pair.y, confidence_level=confidence_level)
    return getattr(outcome, "low", np.nan), getattr(outcome, "high", np.nan)
