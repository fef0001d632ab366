"""Two algorithms on several measures on the folds of one data set: Hotelling's paired test."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isclose, nan, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.cited_text import CitedText, cite_test, ending_sentence
from stats_core.comparison.detectable_inputs import DetectableInput, VectorDetectableInput
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds_base import or_none
from stats_core.comparison.kinds.several_measures import (
    OnMeasures,
    each_measure,
    non_normal,
    one_pair_step,
    or_reason,
    shared_fields,
)
from stats_core.comparison.plan_steps import Step
from stats_core.comparison.result import ErrorControl, cached_method, one_pair
from stats_core.core.formatting import (
    format_count,
    format_number,
    join_names,
    p_phrase,
    published_said,
    score_digits,
)
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.data.settings import Settings
from stats_core.inference.fold_pairs import max_df
from stats_core.inference.multiplicity.adjust import FAMILY_METHODS, adjust_family
from stats_core.inference.multivariate.hotelling import (
    HotellingResult,
    hotelling_paired,
    hotelling_two_sample,
)
from stats_core.inference.multivariate.multivariate_normality import MardiaResult, mardia
from stats_core.inference.paired import TTestResult, corrected_t, overlap_factor, paired_t
from stats_core.inference.paired.t_tests import MOST_RESULTS

SMALL = 0.2  # share tested below which many partitions are small


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOnMeasures(OnMeasures):
    """Two algorithms on several measures.

    Attributes
    ----------
    first, second : str
        The two; differences are first minus second.
    hotelling : HotellingResult
        The paired test that decides.
    two_sample : HotellingResult or None
        The test that forgets the pairing, as in Aslan's thesis.
    after : DataFrame
        One row per measure: difference, low, high, p, p adjusted (t tests, corrected for overlap
        where the Hotelling test is), p published where it differs, loading.
    normality_of_differences : MardiaResult or str
        Or why it cannot be checked.
    """

    kind: ClassVar[str] = "pair on measures"
    derived: ClassVar[tuple[str, ...]] = ("means", "differences", "projected")
    claim: ClassVar[str] = "differ"
    first: str
    second: str
    hotelling: HotellingResult
    two_sample: HotellingResult | None
    after: pd.DataFrame
    normality_of_differences: MardiaResult | str

    @property
    def differences(self) -> pd.DataFrame:
        """First minus second, (repetition, fold) x measure."""
        return self.cloud(self.first) - self.cloud(self.second)

    @property
    def projected(self) -> pd.Series:
        """The differences along the direction that separates the two most, of unit length."""
        w = self.hotelling.direction
        length = float(np.sqrt((w**2).sum()))
        return self.differences @ (w / length if length else w)

    @property
    def order(self) -> list[str]:
        """The two, as asked for: vectors have no order."""
        return [self.first, self.second]

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return the one pair; the estimate is the Mahalanobis distance of the means.

        Columns: those of `pairs`, where the statistic is T2; then p published (where it differs)
        and the difference in each measure.
        """
        test, published = self.hotelling, self.published_p(self.first, self.second)
        return one_pair(
            self,
            **({} if published is None else {"p published": published}),
            estimate=distance(test.t2, test.factor, self.n_folds),
            low=nan,
            high=nan,
            statistic=test.t2,
            p=test.pvalue,
            **{measure: test.difference[measure] for measure in self.measures},
        )

    def published_p(self, first: str, second: str) -> float | None:
        """As in every kind."""
        found = self.hotelling.published_pvalue
        return None if isclose(found, self.hotelling.pvalue) else found

    @property
    def obstacle(self) -> str:
        """The same vectors in every fold."""
        return "identical" if self.hotelling.nothing_to_test else ""

    @property
    def guarantee(self) -> ErrorControl:
        """There is one comparison; its level is not kept if overlap is not allowed for."""
        kept = self.test_fraction is not None and not self.small_partitions
        return ErrorControl(bounds="one" if kept else "nothing", comparisons=1)

    @property
    def small_partitions(self) -> bool:
        """Whether many random partitions test few cases: there the level was measured not to hold."""
        many = self.n_folds > MOST_RESULTS
        return self.design == "holdout" and many and (self.test_fraction or 1) < SMALL

    @property
    def post(self) -> str:
        """The test of the two."""
        return "paired Hotelling T2"

    def sizes(self, near: Sequence[str]) -> str:
        """Say in which measures each of the two is better, by their means."""
        ahead: dict[str, list[str]] = {self.first: [], self.second: []}
        means, digits = self.means, score_digits(self.means)
        for measure in self.measures:
            a, b = means.loc[self.first, measure], means.loc[self.second, measure]
            if a == b:
                continue
            higher = self.results.direction(measure) == "higher"
            winner = self.first if (a > b) == higher else self.second
            best, other = (a, b) if winner == self.first else (b, a)
            ahead[winner].append(
                f"{'higher' if higher else 'lower'} {measure} ({format_number(best, digits)} against "
                f"{format_number(other, digits)})"
            )
        parts = [f"{name} has {join_names(what, 4)}" for name, what in ahead.items() if what]
        return f"{', '.join(parts)}." if parts else ""

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Hold what the vectors show against what one measure shows."""
        if claim == "identical":
            return None
        one, alpha, names = self.settings.measure, self.settings.alpha, (self.first, self.second)
        alone = self.on_one_measure
        outcome = alone.chosen.outcome if isinstance(alone, FoldPairComparison) else None
        by_one = outcome is not None and significant(outcome.pvalue, alpha)
        published = published_said(self.published_p(*names), alpha, ", ")
        said = (
            f"{self.label}: {p_phrase(self.hotelling.pvalue, alpha)}{published} ({self.post}, "
            f"{self.counted})."
        )
        if outcome is not None and alone is not None:
            published = published_said(alone.published_p(*names), alpha, ", ")
            said = f"{one}: {p_phrase(outcome.pvalue, alpha)}{published}. {said}"
        if claim == "differ" and outcome is not None and not by_one:
            headline = f"{one} does not separate {join_names(names)}, but they err differently."
        elif claim == "differ":
            headline = f"{join_names(names)} differ {self.where}."
        elif by_one:
            headline = f"{one} separates {join_names(names)}; {self.label} together does not."
        else:
            headline = (
                f"The data do not separate {join_names(names)} on {self.label}, at this level."
            )
        tail = self.sizes([]) if separated else "This is not evidence that they are equal."
        return headline, f"{said} {tail}".strip(), ""

    def table(self) -> pd.DataFrame:
        """Return each measure alone, one row each."""
        return self.after.reset_index()

    def alternatives(self) -> list[tuple[str, Settings]]:
        """None."""
        return []

    def gap(self) -> DetectableInput:
        """The distance at which the paired Hotelling test finds two."""
        return VectorDetectableInput(
            family=one_pair_family(self.settings.alpha),
            n=self.n_folds,
            dimensions=[self.hotelling.df[0]],
            factor=overlap_factor(self.n_folds, self.test_fraction),
            alpha=self.settings.alpha,
            max_df=self.max_df,
        )

    def steps(self) -> list[Step]:
        """Two algorithms on several measures on one data set."""
        corrected = ", corrected for overlap" if self.test_fraction is not None else ""
        return [self.one_result(), one_pair_step(corrected), each_measure()]

    def methods(self) -> Iterable[CitedText]:
        """Describe the paired Hotelling test and the tests of single measures after it."""
        yield cite_test(" The vectors of measures were compared by the", "hotelling_paired")
        yield ending_sentence(f" at alpha {self.settings.alpha:g}")
        yield from self.dimensions_used()
        yield from self.allowance(self.hotelling.factor)
        yield ending_sentence(
            "Each measure alone was then compared by a t test, with p-values adjusted over the "
            f"{format_count(len(self.measures), 'measure')}"
        )

    def doubts(self) -> list[Message]:
        """Say what overlap changes and whether the differences are normal together."""
        notes, test, alpha = OnMeasures.doubts(self), self.hotelling, self.settings.alpha
        if self.design != "common test set" and self.test_fraction is not None:
            if significant(test.plain_pvalue, alpha) != significant(test.pvalue, alpha):
                notes.append(message("overlap changes p", plain=test.plain_pvalue, alpha=alpha))
        if self.small_partitions:
            notes.append(message("small partitions"))
        if non_normal(self.normality_of_differences):
            notes.append(message("not normal together"))
        return notes

    @property
    def notes(self) -> tuple[Message, ...]:
        """As in every kind; of identical results choices only."""
        return self.results.choices if self.obstacle else super().notes


@message_text("small partitions")
def _small_partitions(voice: Audience) -> str:
    return (
        "On many random partitions that test few cases this test was measured to reject a little "
        "more often than it says on some data."
    )


@message_text("overlap changes p")
def _overlap_changes(voice: Audience, plain: float, alpha: float) -> str:
    return (
        f"Taking the folds as independent would give {p_phrase(plain, alpha)}; their training sets "
        "overlap."
    )


def distance(t2: float, factor: float, n: int) -> float:
    """Return the Mahalanobis distance of two means behind a T2 that overlap has divided."""
    return sqrt(t2 * factor / n)


def compare_pair_on_measures(common: dict) -> PairOnMeasures:
    """Compare two algorithms on the measures the settings name, on one data set."""
    parts, _ = shared_fields(common)
    settings, vectors, names = common["settings"], parts["vectors"], parts["names"]
    first, second = settings.pair or names
    x, y = (vectors[names.index(name)] for name in (first, second))
    n, fraction = len(x), parts["test_fraction"]
    one, most = (max_df(settings, n, fraction, m) for m in (1, parts["space"].dimension))
    options = {"test_fraction": fraction, "max_df": most, "names": parts["measures"]}
    test = hotelling_paired(x, y, **options)
    apart = or_none(hotelling_two_sample, x, y, names=parts["measures"])
    return PairOnMeasures(
        **common,
        **parts,
        first=first,
        second=second,
        hotelling=test,
        two_sample=apart,
        after=_after(x, y, parts, settings, test, one),
        normality_of_differences=or_reason(mardia, x - y),
    )


def _after(
    x: np.ndarray,
    y: np.ndarray,
    parts: dict,
    settings: Settings,
    test: HotellingResult,
    most: int | None,
) -> pd.DataFrame:
    """Test each measure alone; the p-values are adjusted over the measures."""
    rows, published = {}, []
    for place, measure in enumerate(parts["measures"]):
        said = _t_test(x[:, place], y[:, place], parts["test_fraction"], 1 - settings.alpha, most)
        published.append(said.published_pvalue if said else 1.0)
        rows[measure] = {
            "difference": test.difference[measure],
            "low": said.low if said else np.nan,
            "high": said.high if said else np.nan,
            "p": said.pvalue if said else 1.0,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["p adjusted"] = adjust_family(table["p"].to_numpy(), _over_measures(settings))
    if most is not None:
        table["p published"] = adjust_family(np.array(published), _over_measures(settings))
    length = float(np.sqrt((test.direction**2).sum()))
    table["loading"] = test.direction / length if length else test.direction
    return table


def _t_test(
    x: np.ndarray, y: np.ndarray, fraction: float | None, confidence: float, most: int | None
) -> TTestResult | None:
    if fraction is None:
        return or_none(paired_t, x, y, confidence=confidence)
    options = {"test_fraction": fraction, "max_df": most}
    return or_none(corrected_t, x, y, confidence=confidence, **options)


def _over_measures(settings: Settings) -> str:
    """Return the correction over measures; those that reason about pairs give way to Holm."""
    return settings.correction if settings.correction in FAMILY_METHODS else "holm"
