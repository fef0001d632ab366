"""The tests of two algorithms that can be requested by name, each with all its properties."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib.resources import files
from typing import Literal, assert_never

import numpy as np
import pandas as pd

from stats_core.core.result_types import PairedResult
from stats_core.core.validation import paired_differences
from stats_core.inference import inference_text, paired
from stats_core.inference.paired import t_tests
from stats_core.inference.paired.signed_ranks import MAX_ALL_FLIPS


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
        The resampling design, and its label with numbers, such as "10-fold cross-validation".
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
        resampled = self.design not in ("single", "unknown") or self.test_fraction is not None
        return resampled and len(self.x) > 1

    def five_by_two(self) -> np.ndarray:
        """Return the differences, replication x half."""
        return paired_differences(self.x.to_numpy(), self.y.to_numpy()).reshape(5, 2)


class Unit(Enum):
    """Unit of analysis of a test."""

    DATA_SET = "data set"
    RESULT = "result"
    INSTANCE = "instance"
    THRESHOLD = "threshold"
    CLUSTER = "cluster"
    INSTANCE_AND_RUN = "instance and run"
    CLUSTER_AND_RUN = "cluster and run"


class Assumption(Enum):
    """Assumption that a test makes."""

    INDEPENDENT_RESULTS = "independent results"
    INDEPENDENT_HALVES = "independent halves"
    BOUNDED_CORRELATION = "bounded correlation"
    INDEPENDENT_INSTANCES = "independent instances"
    NORMAL_DIFFERENCES = "normal differences"
    SYMMETRIC_DIFFERENCES = "symmetric differences"
    SPHERICITY = "sphericity"
    LARGE_SAMPLE = "large sample"
    NO_TIES = "no ties"
    SHARED_UNITS = "shared units"
    UNCORRELATED_LATER = "uncorrelated beyond the horizon"


class Overlap(Enum):
    """Treatment of training sets that share instances."""

    CORRECTED = "corrected"
    IGNORED = "ignored"
    BY_DESIGN = "by design"
    ABSENT = "absent"


class Requires(Enum):
    """Results that a test needs."""

    RESULTS = "results"
    TEST_FRACTION = "test fraction"
    FIVE_BY_TWO = "5 x 2 folds"
    INSTANCES = "predictions"


class Scale(Enum):
    """Scale of what a test uses: size of differences, signs or ranks, correct predictions."""

    INTERVAL = "interval"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


class Statistic(Enum):
    """Test statistic, which determines the power of a test and how it is vectorized."""

    MEAN_T = "mean t"
    CV52_F = "5x2 cv F"
    CV52_FIRST_T = "5x2 cv first t"
    CV52_MEAN_T = "5x2 cv mean t"
    SIGNED_RANKS = "signed ranks"
    SIGNS = "signs"
    SIGN_FLIPS = "sign flips"
    DISAGREEMENTS = "disagreements"
    DISAGREEMENTS_CHI_SQUARE = "disagreements, chi-square"


class Interval(Enum):
    """Confidence interval of the difference that belongs to a test."""

    NONE = "none"
    OF_TEST = "of the test"
    HODGES_LEHMANN = "Hodges-Lehmann"


class Estimate(Enum):
    """What the estimate of a difference estimates; only the first five have functions of a pair."""

    MEAN = "mean"
    MEDIAN = "median"
    PSEUDO_MEDIAN = "Hodges-Lehmann"
    FIRST_FOLD = "first fold"
    INSTANCES = "instances"
    CONTRAST = "contrast"
    AVERAGE_RANK = "average rank"


PairTest = Literal[
    "corrected t, conservative",
    "corrected t",
    "paired t",
    "5x2 cv F",
    "5x2 cv t",
    "combined 5x2 cv t",
    "Wilcoxon",
    "sign test",
    "sign flips",
    "McNemar",
    "McNemar chi-square",
]  # keys of the tests of two algorithms
RequestedTest = Literal["Tukey", PairTest]  # also Tukey's test, which compares all algorithms


@dataclass(frozen=True, slots=True)
class MethodTexts:
    """Texts of a test: its name in text and tables, and its assumptions as sentences."""

    name: str
    assumes: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairMethod:
    """A test of two algorithms, with all its properties.

    No field has a default, so that a new test states each property.

    Attributes
    ----------
    key : PairTest
        Name by which settings request the test; a name missing from `PairTest` is an error of mypy.
    texts : MethodTexts
        Name and assumptions as text.
    card : str
        Key of its method card (`comparison/cards`).
    unit : Unit
        Unit of analysis.
    requires : Requires
        Results that the test needs; `refuses` returns why it does not apply.
    assumptions : frozenset of Assumption
        Assumptions of the test.
    overlap : Overlap
        Treatment of overlapping training sets.
    bounded_df : bool
        Whether the degrees of freedom have the maximum of conservative tests
        (`paired.conservative_df`).
    statistic : Statistic
        Test statistic.
    symbol : str or None
        Symbol of the statistic in tables; None for a statistic without a common symbol.
    signed : bool
        Whether the sign of the statistic shows which algorithm has larger values.
    scale : Scale
        What the test uses of the results.
    transitive : bool
        Whether, under the assumptions, a = b and b = c imply a = c for the null hypotheses.
    smallest_pvalue : callable
        Function of the number of results that returns the smallest possible two-sided p-value; 0
        if differences can be large enough for any p-value.
    estimate : Estimate
        What the test estimates, the centre of its interval if it is symmetric.
    interval : Interval
        Confidence interval of the difference.
    on_request : bool
        Whether the test is used on folds only on request, not recommended for any design.
    one_sided : callable or None
        Function of differences (..., fold), their rounding errors and the test fraction that returns
        one-sided p-values; None if one-sided p-values are computed pair by pair.
    run : callable
        Function of a FoldPair and the confidence level that returns the outcome.
    """

    key: PairTest
    texts: MethodTexts
    card: str
    unit: Unit
    requires: Requires
    assumptions: frozenset[Assumption]
    overlap: Overlap
    bounded_df: bool
    statistic: Statistic
    symbol: str | None
    signed: bool
    scale: Scale
    transitive: bool
    smallest_pvalue: Callable[[int], float]
    estimate: Estimate
    interval: Interval
    on_request: bool
    one_sided: Callable[[np.ndarray, np.ndarray, float | None], np.ndarray] | None
    run: Callable[[FoldPair, float], PairedResult]

    @property
    def name(self) -> str:
        """Name in text and tables."""
        return self.texts.name

    @property
    def assumes(self) -> str:
        """Assumptions as sentences."""
        return self.texts.assumes

    @property
    def corrects_overlap(self) -> bool:
        """Whether the test corrects for overlapping training sets by the test fraction."""
        return self.overlap is Overlap.CORRECTED

    @property
    def ignores_overlap(self) -> bool:
        """Whether the test treats the results of folds as independent."""
        return self.overlap is Overlap.IGNORED

    @property
    def five_by_two(self) -> bool:
        """Whether the test needs the ten results of 5 x 2 folds."""
        return self.requires is Requires.FIVE_BY_TWO

    @property
    def on_instances(self) -> bool:
        """Whether instances, not results of folds, are the units."""
        return self.unit is Unit.INSTANCE

    def assumes_that(self, assumption: Assumption) -> bool:
        """Return whether the test makes an assumption."""
        return assumption in self.assumptions

    def refuses(self, pair: FoldPair) -> str:
        """Return why the test does not apply to a pair, "" if it does."""
        match self.requires:
            case Requires.RESULTS:
                return ""
            case Requires.TEST_FRACTION:
                return _without_fraction(pair)
            case Requires.FIVE_BY_TWO:
                return _not_five_by_two(pair)
            case Requires.INSTANCES:
                return _without_instances(pair)
            case _:
                assert_never(self.requires)


def _without_fraction(pair: FoldPair) -> str:
    """Return why a correction for overlap is not possible, "" if the test fraction is known."""
    if pair.test_fraction is not None:
        return ""
    if pair.design == "common test set":
        return inference_text("reason.common_test_set")
    return inference_text("reason.test_fraction")


def _not_five_by_two(pair: FoldPair) -> str:
    """Return why a test of 5x2 cross-validation does not apply, "" if it does."""
    if pair.design != "5x2":
        return inference_text("reason.five_by_two", design=pair.label)
    return inference_text("reason.ten_results", n=len(pair.x)) if len(pair.x) != 10 else ""


def _without_instances(pair: FoldPair) -> str:
    """Return why a test on instances does not apply, "" if it does."""
    if pair.measure not in ("error", "accuracy"):
        return inference_text("reason.errors_only", measure=pair.measure)
    return inference_text("reason.instances") if pair.correct is None else ""


def _without_bound(n_results: int) -> float:
    return 0.0


def _one_of_all_signs(n_results: int) -> float:
    """Return the two-sided p-value if all differences have the same sign."""
    return 2.0 ** (1 - n_results)


def _one_of_sampled_signs(n_results: int) -> float:
    """Return the smallest p-value of all sign assignments, or of those drawn for many results."""
    smallest = _one_of_all_signs(n_results)
    return max(smallest, 1e-4) if n_results > MAX_ALL_FLIPS else smallest


def _mcnemar(pair: FoldPair, confidence_level: float, *, exact: bool) -> PairedResult:
    """Return McNemar's test of a pair; "greater" means a larger error if the measure is the error."""
    assert pair.correct is not None  # or `refuses` has a reason
    first, second = (pair.correct.iloc[:, column].astype(float) for column in (0, 1))
    if pair.measure == "error":  # so that "greater" means a larger error of the first
        first, second = 1 - first, 1 - second
    return paired.mcnemar(first, second, exact=exact, confidence_level=confidence_level)


def _corrected(pair: FoldPair, confidence_level: float, max_df: int | None = None) -> PairedResult:
    """Return the corrected t test of a pair with a known test fraction."""
    assert pair.test_fraction is not None  # or `refuses` has a reason
    return paired.corrected_t(
        pair.x,
        pair.y,
        test_fraction=pair.test_fraction,
        confidence_level=confidence_level,
        max_df=max_df,
    )


def _conservative(pair: FoldPair, confidence_level: float) -> PairedResult:
    """Return the corrected t test with the maximum degrees of freedom."""
    return _corrected(pair, confidence_level, paired.conservative_df(len(pair.x)))


_TEXTS = {
    key: MethodTexts(**texts)
    for key, texts in tomllib.loads(
        files(__package__).joinpath("methods.toml").read_text(encoding="utf-8")
    ).items()
}

CONSERVATIVE_T = PairMethod(
    key="corrected t, conservative",
    texts=_TEXTS["corrected t, conservative"],
    card="conservative_t",
    unit=Unit.RESULT,
    requires=Requires.TEST_FRACTION,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.BOUNDED_CORRELATION}),
    overlap=Overlap.CORRECTED,
    bounded_df=True,
    statistic=Statistic.MEAN_T,
    symbol="t",
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.MEAN,
    interval=Interval.OF_TEST,
    on_request=False,
    one_sided=t_tests.conservative_t_rows,
    run=_conservative,
)
CORRECTED_T = PairMethod(
    key="corrected t",
    texts=_TEXTS["corrected t"],
    card="corrected_t",
    unit=Unit.RESULT,
    requires=Requires.TEST_FRACTION,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.BOUNDED_CORRELATION}),
    overlap=Overlap.CORRECTED,
    bounded_df=False,
    statistic=Statistic.MEAN_T,
    symbol="t",
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.MEAN,
    interval=Interval.OF_TEST,
    on_request=False,
    one_sided=t_tests.corrected_t_rows,
    run=_corrected,
)
PAIRED_T = PairMethod(
    key="paired t",
    texts=_TEXTS["paired t"],
    card="paired_t",
    unit=Unit.RESULT,
    requires=Requires.RESULTS,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.INDEPENDENT_RESULTS}),
    overlap=Overlap.IGNORED,
    bounded_df=False,
    statistic=Statistic.MEAN_T,
    symbol="t",
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.MEAN,
    interval=Interval.OF_TEST,
    on_request=False,
    one_sided=t_tests.paired_t_rows,
    run=lambda pair, level: paired.paired_t(pair.x, pair.y, confidence_level=level),
)
CV52_F = PairMethod(
    key="5x2 cv F",
    texts=_TEXTS["5x2 cv F"],
    card="cv52_f",
    unit=Unit.RESULT,
    requires=Requires.FIVE_BY_TWO,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.INDEPENDENT_HALVES}),
    overlap=Overlap.BY_DESIGN,
    bounded_df=False,
    statistic=Statistic.CV52_F,
    symbol="F",
    signed=False,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.MEAN,
    interval=Interval.OF_TEST,
    on_request=False,
    one_sided=t_tests.cv52_f_rows,
    run=lambda pair, level: paired.cv52_f(pair.five_by_two(), confidence_level=level),
)
CV52_T = PairMethod(
    key="5x2 cv t",
    texts=_TEXTS["5x2 cv t"],
    card="cv52_t",
    unit=Unit.RESULT,
    requires=Requires.FIVE_BY_TWO,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.INDEPENDENT_HALVES}),
    overlap=Overlap.BY_DESIGN,
    bounded_df=False,
    statistic=Statistic.CV52_FIRST_T,
    symbol="t",
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.FIRST_FOLD,
    interval=Interval.OF_TEST,
    on_request=True,
    one_sided=t_tests.cv52_t_rows,
    run=lambda pair, level: paired.cv52_t(pair.five_by_two(), confidence_level=level),
)
CV52_COMBINED_T = PairMethod(
    key="combined 5x2 cv t",
    texts=_TEXTS["combined 5x2 cv t"],
    card="cv52_combined_t",
    unit=Unit.RESULT,
    requires=Requires.FIVE_BY_TWO,
    assumptions=frozenset({Assumption.NORMAL_DIFFERENCES, Assumption.INDEPENDENT_RESULTS}),
    overlap=Overlap.IGNORED,
    bounded_df=False,
    statistic=Statistic.CV52_MEAN_T,
    symbol="t",
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.MEAN,
    interval=Interval.OF_TEST,
    on_request=True,
    one_sided=t_tests.cv52_combined_t_rows,
    run=lambda pair, level: paired.cv52_combined_t(pair.five_by_two(), confidence_level=level),
)
WILCOXON = PairMethod(
    key="Wilcoxon",
    texts=_TEXTS["Wilcoxon"],
    card="wilcoxon",
    unit=Unit.RESULT,
    requires=Requires.RESULTS,
    assumptions=frozenset({Assumption.SYMMETRIC_DIFFERENCES, Assumption.INDEPENDENT_RESULTS}),
    overlap=Overlap.IGNORED,
    bounded_df=False,
    statistic=Statistic.SIGNED_RANKS,
    symbol=None,
    signed=True,
    scale=Scale.ORDINAL,
    transitive=True,
    smallest_pvalue=_one_of_all_signs,
    estimate=Estimate.PSEUDO_MEDIAN,
    interval=Interval.HODGES_LEHMANN,
    on_request=True,
    one_sided=None,
    run=lambda pair, level: paired.wilcoxon(pair.x, pair.y),
)
SIGN_TEST = PairMethod(
    key="sign test",
    texts=_TEXTS["sign test"],
    card="sign_test",
    unit=Unit.RESULT,
    requires=Requires.RESULTS,
    assumptions=frozenset({Assumption.INDEPENDENT_RESULTS}),
    overlap=Overlap.IGNORED,
    bounded_df=False,
    statistic=Statistic.SIGNS,
    symbol=None,
    signed=True,
    scale=Scale.ORDINAL,
    transitive=False,
    smallest_pvalue=_one_of_all_signs,
    estimate=Estimate.MEDIAN,
    interval=Interval.NONE,
    on_request=True,
    one_sided=None,
    run=lambda pair, level: paired.sign_test(pair.x, pair.y),
)
SIGN_FLIPS = PairMethod(
    key="sign flips",
    texts=_TEXTS["sign flips"],
    card="sign_flip_test",
    unit=Unit.RESULT,
    requires=Requires.RESULTS,
    assumptions=frozenset({Assumption.SYMMETRIC_DIFFERENCES, Assumption.INDEPENDENT_RESULTS}),
    overlap=Overlap.IGNORED,
    bounded_df=False,
    statistic=Statistic.SIGN_FLIPS,
    symbol=None,
    signed=True,
    scale=Scale.INTERVAL,
    transitive=True,
    smallest_pvalue=_one_of_sampled_signs,
    estimate=Estimate.MEAN,
    interval=Interval.NONE,
    on_request=True,
    one_sided=None,
    run=lambda pair, level: paired.sign_flip_test(pair.x, pair.y),
)
MCNEMAR = PairMethod(
    key="McNemar",
    texts=_TEXTS["McNemar"],
    card="mcnemar",
    unit=Unit.INSTANCE,
    requires=Requires.INSTANCES,
    assumptions=frozenset({Assumption.INDEPENDENT_INSTANCES}),
    overlap=Overlap.ABSENT,
    bounded_df=False,
    statistic=Statistic.DISAGREEMENTS,
    symbol=None,
    signed=True,
    scale=Scale.NOMINAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.INSTANCES,
    interval=Interval.OF_TEST,
    on_request=True,
    one_sided=None,
    run=partial(_mcnemar, exact=True),
)
MCNEMAR_CHI_SQUARE = PairMethod(
    key="McNemar chi-square",
    texts=_TEXTS["McNemar chi-square"],
    card="mcnemar_chi_square",
    unit=Unit.INSTANCE,
    requires=Requires.INSTANCES,
    assumptions=frozenset({Assumption.INDEPENDENT_INSTANCES}),
    overlap=Overlap.ABSENT,
    bounded_df=False,
    statistic=Statistic.DISAGREEMENTS_CHI_SQUARE,
    symbol=None,
    signed=True,
    scale=Scale.NOMINAL,
    transitive=True,
    smallest_pvalue=_without_bound,
    estimate=Estimate.INSTANCES,
    interval=Interval.OF_TEST,
    on_request=True,
    one_sided=None,
    run=partial(_mcnemar, exact=False),
)

_METHODS = (
    CONSERVATIVE_T,
    CORRECTED_T,
    PAIRED_T,
    CV52_F,
    CV52_T,
    CV52_COMBINED_T,
    WILCOXON,
    SIGN_TEST,
    SIGN_FLIPS,
    MCNEMAR,
    MCNEMAR_CHI_SQUARE,
)
PAIR_TESTS: dict[str, PairMethod] = {method.key: method for method in _METHODS}
# sources of p-values over data sets that are tests of two algorithms
_OVER_DATASETS = {"wilcoxon": WILCOXON, "sign": SIGN_TEST}


def pair_method(source: str) -> PairMethod | None:
    """Return a test of two algorithms by its key, or by that of a source of p-values over data sets.

    None for average ranks and Tukey's test, which compare all algorithms together.
    """
    return PAIR_TESTS.get(source) or _OVER_DATASETS.get(source)
