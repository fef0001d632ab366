"""Inputs for the smallest detectable difference: one class per kind of test, made of a comparison."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import combinations
from math import nan
from typing import Any

import numpy as np

from stats_core.comparison.kinds.control_and_pairs import ControlComparison, PresentComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedRanks, UntestedComparison
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import TukeyResult
from stats_core.inference.fold_tests import FoldPair
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.multivariate.hotelling import effective_space
from stats_core.inference.paired import overlap_factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Hypotheses tested together: their name and the level of the first step."""

    name: str
    short: str
    level: float
    step: str = ""
    correction: str = ""


_LI_IN_STEPS = (
    "The level of Li's procedure depends on the largest p-value. This discrete test often gives a "
    "largest p-value of 1, so no comparison can be significant."
)
# units and whether published -> why no detectable difference is known
_UNKNOWN = {
    ("cases", False): "The detectable difference depends on how often two models disagree, which the "
    "size of the test set does not determine.",
    ("nothing", False): "There is no test, so no difference can be significant.",
    ("nothing", True): "The detectable difference of published decisions is unknown.",
}
NO_FAMILY = Family(name="none", short="", level=nan)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DetectableInput:
    """Base class: the family of hypotheses."""

    family: Family = NO_FAMILY


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnknownDetectableInput(DetectableInput):
    """Reason why no detectable difference is computed."""

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


def _one_pair(alpha: float) -> Family:
    """Return the family of a single comparison."""
    return Family(name="one pair", short="", level=alpha)


def _all_pairs(k: int, alpha: float, correction: str) -> Family:
    """Return the family of all pairs.

    Examples
    --------
    >>> family = _all_pairs(8, 0.05, "holm")
    >>> family.name, round(family.level, 5)
    ('all 28 pairs of 8 algorithms', 0.00179)
    """
    m = k * (k - 1) // 2
    name = f"all {format_count(m, 'pair')} of {k} algorithms"
    return _family(name, format_count(m, "pair"), m, alpha, correction, CORRECTIONS)


def _against_control(control: str, k: int, alpha: float, correction: str) -> Family:
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


@singledispatch
def detectable_input(comparison: Comparison) -> DetectableInput:
    """Return the input for the smallest difference that the test of a comparison can detect."""
    raise NotImplementedError(comparison.kind)


def _of_averages(c: Comparison, family: Family, pairs: Iterable[tuple[str, str]]) -> DetectableInput:
    """Return the input for Wilcoxon or sign tests of averages on data sets."""
    scores, settings = c.scores, c.settings
    if settings.source == "sign":
        return ProportionDetectableInput(family=family, n=len(scores))
    averages = dict(zip(scores, scores.to_numpy().T, strict=True))
    values = [(averages[a], averages[b]) for a, b in pairs]
    return AverageDetectableInput(family=family, pairs=values, unit=settings.measure)


@detectable_input.register
def _ranks_input(c: RanksComparison | PublishedRanks) -> DetectableInput:
    settings, k = c.settings, len(c.order)
    family = _all_pairs(k, settings.alpha, settings.correction)
    if settings.source != "ranks":
        return _of_averages(c, family, combinations(c.scores.columns, 2))
    ranked: dict[str, Any] = {"k": k, "n": c.friedman.n, "alpha": settings.alpha, "critical": c.critical_difference}
    return RankDetectableInput(family=family, exact=not c.shape.published, **ranked)


@detectable_input.register
def _control_input(c: ControlComparison) -> DetectableInput:
    k, settings = len(c.order), c.settings
    family = _against_control(c.control, k, settings.alpha, settings.correction)
    if settings.source == "ranks":
        exact = settings.correction != "bonferroni_dunn"
        return RankDetectableInput(family=family, k=k, n=c.friedman.n, alpha=settings.alpha, exact=exact)
    if settings.correction == "li":
        return UnknownDetectableInput(family=family, reason=_LI_IN_STEPS)
    return _of_averages(c, family, c.compared_pairs())


@detectable_input.register
def _two_input(c: TwoComparison) -> DetectableInput:
    pair = c.scores[c.first].to_numpy(), c.scores[c.second].to_numpy()
    return AverageDetectableInput(family=_one_pair(c.settings.alpha), pairs=[pair], unit=c.settings.measure)


@detectable_input.register
def _present_input(c: PresentComparison) -> DetectableInput:
    settings = c.settings
    family = _all_pairs(len(c.order), settings.alpha, settings.correction)
    if settings.source == "sign":
        reason = "Pairs share different numbers of data sets, so there is no common win probability."
        return UnknownDetectableInput(family=family, reason=reason)
    rows = c.details()[["first", "second"]].itertuples(index=False)
    pairs = [pair for pair in (c.shared_results(*names) for names in rows) if len(pair[0]) > 1]
    return AverageDetectableInput(family=family, pairs=pairs, unit=settings.measure)


@detectable_input.register
def _folds_input(c: FoldsComparison) -> DetectableInput:
    k, alpha, unit = len(c.order), c.settings.alpha, c.settings.measure
    if isinstance(c.raw, TukeyResult):
        return TukeyDetectableInput(family=_all_pairs(k, alpha, TUKEY), outcome=c.raw, k=k, alpha=alpha, unit=unit)
    pairs = c.pairs_of_folds(combinations(c.order, 2))
    return FoldDetectableInput(family=_all_pairs(k, alpha, c.correction), test=c.test, pairs=pairs, unit=unit)


@detectable_input.register
def _fold_pair_input(c: FoldPairComparison) -> DetectableInput:
    return FoldDetectableInput(
        family=_one_pair(c.settings.alpha),
        test=c.test,
        pairs=c.pairs_of_folds([(c.first, c.second)]),
        unit=c.settings.measure,
        refused="" if c.chosen.outcome is not None else c.chosen.reason,
    )


@detectable_input.register
def _measures_input(c: SeveralOnMeasures) -> DetectableInput:
    k, alpha = len(c.names), c.settings.alpha
    pairs = combinations(range(k), 2)  # each pair has its own effective dimension
    return VectorDetectableInput(
        family=_all_pairs(k, alpha, c.correction),
        dimensions=[effective_space(c.vectors[[i, j]]).dimension for i, j in pairs],
        k=k,
        manova_dimension=c.space.dimension,
        **_of_folds(c),
    )


@detectable_input.register
def _measure_pair_input(c: PairOnMeasures) -> DetectableInput:
    family = _one_pair(c.settings.alpha)
    return VectorDetectableInput(family=family, dimensions=[c.hotelling.df[0]], **_of_folds(c))


def _of_folds(c: OnMeasures) -> dict[str, Any]:
    factor = overlap_factor(c.n_folds, c.test_fraction)
    return {"n": c.n_folds, "factor": factor, "alpha": c.settings.alpha, "max_df": c.max_df}


@detectable_input.register
def _wins_input(c: OnWins) -> DetectableInput:
    k, alpha = len(c.wins), c.settings.alpha
    family = _one_pair(alpha) if k == 2 else _all_pairs(k, alpha, c.correction)
    return ProportionDetectableInput(family=family, n=c.n)


@detectable_input.register
def _unknown_input(c: CasesComparison | UntestedComparison | PublishedDecisions) -> DetectableInput:
    return UnknownDetectableInput(reason=_UNKNOWN[c.shape.over, c.shape.published])
