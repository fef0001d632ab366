"""What every analysis starts from and carries: the settings, the results, the advice."""

from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd

from stats_core._check import check_one_of, check_probability
from stats_core.advise import Advice
from stats_core.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.errors import SettingError
from stats_core.fold_tests import PAIR_TESTS
from stats_core.results import Results
from stats_core.wording import listed

# where the p-values of the pairs come from -> the name shown
SOURCES = {"ranks": "average ranks", "wilcoxon": "Wilcoxon", "sign": "sign test"}

TUKEY = "Tukey"  # the test of all pairs after an analysis of variance
# what is done about training sets that overlap -> the name shown
OVERLAPS = {"corrected": "corrected", "ignored": "ignored, as in the papers"}

# what makes a winner of two whose vectors of measures differ -> the name shown
WINS = {"risk": "lower risk, significantly so", "thesis": "lower risk, as in Aslan's thesis"}

Source = Literal["ranks", "wilcoxon", "sign"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the user chose.

    Attributes
    ----------
    measure : str
        The measure to compare on; the first of the results if empty.
    alpha : float
        Level of the whole family.
    correction : str
        One of `CORRECTIONS`, or of `CONTROL_CORRECTIONS` if there is a control; the advised one
        if empty.
    control : str
        Over data sets, the algorithm that all others are compared with; all pairs if empty.
    source : {"ranks", "wilcoxon", "sign"}
        The test each pair's p-value comes from.
    without_algorithms, without_datasets : tuple of str
        What is left out.
    measures : tuple of str
        Two or more measures to be compared together; none if empty.
    dataset : str
        The one data set to look at, by its folds; all of them if empty.
    pair : tuple of str
        The two algorithms to compare, in this order; all of them if empty.
    test : str
        The test of a pair on the folds of one data set, one of `PAIR_TESTS` or "Tukey"; the
        advised one if empty.
    overlap : {"corrected", "ignored"}
        Whether analysis of variance and Tukey allow for training sets that overlap.
    test_fraction : float, optional
        n_test / (n_train + n_test) where neither the file nor the design tells it.
    thresholds : bool
        Whether 21 thresholds on scores are looked at instead of one.
    win : {"risk", "thesis"}
        On several measures over data sets, who wins where the vectors of two differ: the lower
        risk if that difference is significant, too; or, as in Aslan's thesis, the lower risk.
    """

    measure: str = ""
    alpha: float = 0.05
    correction: str = ""
    control: str = ""
    source: Source = "ranks"
    without_algorithms: tuple[str, ...] = ()
    without_datasets: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    dataset: str = ""
    pair: tuple[str, ...] = ()
    test: str = ""
    overlap: Literal["corrected", "ignored"] = "corrected"
    test_fraction: float | None = None
    thresholds: bool = False
    win: Literal["risk", "thesis"] = "risk"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis:
    """What every analysis carries, and all there is when nothing can be tested.

    Attributes
    ----------
    results : Results
        The results the analysis speaks of, after leaving out.
    settings : Settings
        With the measure filled in.
    higher_is_better : bool
        Direction of the measure.
    scores : DataFrame, data set x algorithm
        The averages that were compared.
    advice : Advice
        The recommended test and why.
    """

    results: Results
    settings: Settings
    higher_is_better: bool
    scores: pd.DataFrame
    advice: Advice

    @property
    def measure_label(self) -> str:
        """The measure with its direction, for example "error (lower is better)"."""
        return (
            f"{self.settings.measure} ({'higher' if self.higher_is_better else 'lower'} is better)"
        )


def _check_control(results: Results, settings: Settings) -> None:
    if settings.control and settings.control not in results.algorithms:
        raise SettingError(
            f'The control must be one of the algorithms. "{settings.control}" is none of '
            f"{listed(results.algorithms, 8)}. Choose one of them."
        )
    if settings.correction:
        known = CONTROL_CORRECTIONS | CORRECTIONS if settings.control else CORRECTIONS
        check_one_of(settings.correction, known, "correction")


def with_correction(settings: Settings, *, control: bool) -> Settings:
    """Return the settings for comparisons with the control, or for all pairs without it.

    The correction is the one asked for, or the advised one; one that exists for the other kind of
    comparison only counts as not asked for where there is no control to compare with.
    """
    if control:
        correction = settings.correction or next(iter(CONTROL_CORRECTIONS))
        check_one_of(correction, CONTROL_CORRECTIONS, "correction")
        return replace(settings, correction=correction)
    known = settings.correction in CORRECTIONS
    correction = settings.correction if known else next(iter(CORRECTIONS))
    return replace(settings, control="", correction=correction)


def check_settings(results: Results, settings: Settings) -> Settings:
    """Return the settings with the measure filled in, or say which of them cannot be."""
    check_probability(settings.alpha, "alpha")
    _check_control(results, settings)
    check_one_of(settings.source, SOURCES, "source")
    check_one_of(settings.overlap, OVERLAPS, "overlap")
    check_one_of(settings.win, WINS, "win")
    if settings.test:
        check_one_of(settings.test, (TUKEY, *PAIR_TESTS), "test")
    if settings.test_fraction is not None:
        check_probability(settings.test_fraction, "test_fraction")
    if settings.correction == "nemenyi" and settings.source != "ranks":
        raise SettingError(
            "Nemenyi needs p-values from average ranks. "
            f"They come from the {SOURCES[settings.source]}. Choose Holm."
        )
    if settings.pair and len(set(settings.pair)) != 2:
        raise SettingError(
            f"`pair` must name two different algorithms. It is {settings.pair!r}. Choose another."
        )
    measure = settings.measure or results.measures[0]
    results.direction(measure)
    if settings.measures and len(set(settings.measures)) < 2:
        raise SettingError(
            f"`measures` needs two or more different ones. It is {settings.measures!r}. Add another."
        )
    for name in settings.measures:
        results.resolve_name(name)
    return replace(settings, measure=measure)
