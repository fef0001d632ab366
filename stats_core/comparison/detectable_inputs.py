"""Inputs for the smallest detectable difference, one class per kind of test."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from stats_core.core.formatting import format_count
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import TukeyResult
from stats_core.inference.fold_tests import FoldPair
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Hypotheses tested together: their name and the level of the first step."""

    name: str
    short: str
    level: float
    step: str = ""
    correction: str = ""


NO_FAMILY = Family(name="none", short="", level=nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectableInput:
    """Base class: the family of hypotheses."""

    family: Family = NO_FAMILY


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnknownDetectableInput(DetectableInput):
    """No detectable difference is known, with the reason."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankDetectableInput(DetectableInput):
    """Average ranks of k algorithms on n data sets; `critical` is a critical difference.

    `exact` is True for exact p-values and False for the normal approximation.
    """

    k: int
    n: int
    alpha: float
    critical: float | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AverageDetectableInput(DetectableInput):
    """Averages on data sets of each pair, tested by Wilcoxon."""

    pairs: Sequence[tuple[np.ndarray, np.ndarray]]
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProportionDetectableInput(DetectableInput):
    """Shares of wins on n data sets, tested by the sign test."""

    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TukeyDetectableInput(DetectableInput):
    """Means of k algorithms, tested by Tukey's test."""

    outcome: TukeyResult
    k: int
    alpha: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldDetectableInput(DetectableInput):
    """Paired results of each pair on folds or instances, tested by one pairwise test."""

    test: str
    pairs: Sequence[FoldPair]
    unit: str
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorDetectableInput(DetectableInput):
    """Vectors of measures on n folds, with the dimension of each pair and of the MANOVA."""

    n: int
    dimensions: Sequence[int]
    factor: float
    alpha: float
    max_df: int | None = None
    k: int = 0
    manova_dimension: int = 0


def one_pair(alpha: float) -> Family:
    """Return the family of a single comparison."""
    return Family(name="one pair", short="", level=alpha)


def all_pairs(k: int, alpha: float, correction: str) -> Family:
    """Return the family of all pairs.

    Examples
    --------
    >>> family = all_pairs(8, 0.05, "holm")
    >>> family.name, round(family.level, 5)
    ('all 28 pairs of 8 algorithms', 0.00179)
    """
    m = k * (k - 1) // 2
    name = f"all {format_count(m, 'pair')} of {k} algorithms"
    return _family(name, format_count(m, "pair"), m, alpha, correction, CORRECTIONS)


def against_control(control: str, k: int, alpha: float, correction: str) -> Family:
    """Return the family of all comparisons with one algorithm."""
    name = f"{format_count(k - 1, 'comparison')} with {control}"
    return _family(name, name, k - 1, alpha, correction, CONTROL_CORRECTIONS)


def _family(name: str, short: str, m: int, alpha: float, correction: str, names: dict[str, str]) -> Family:
    if correction == "none":
        return Family(name=f"{name}, not adjusted", short=short, level=alpha, correction="none")
    if correction in (TUKEY, "nemenyi"):
        return Family(name=name, short=short, level=alpha / m, correction=correction)
    level = 1 - (1 - alpha) ** (1 / m) if correction == "finner" else alpha / m
    step = f" The level is {level:.3g}, the first step of {names[correction]}. Later steps are more powerful."
    if correction == "li":
        level = alpha / m
        step = (
            " Li's level depends on the largest p-value. All other algorithms are assumed equal to the "
            "control, the least favourable case."
        )
    if correction in ("bonferroni", "bonferroni_dunn"):
        step = f" The level is {level:.3g} ({names[correction]})."
    return Family(name=name, short=short, level=level, step=step, correction=correction)
