"""Comparison of two algorithms on several measures on the folds of one data set."""

from dataclasses import dataclass
from math import isclose, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.detectable_inputs import DetectableInput, VectorDetectableInput
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.kinds.folds_base import or_none
from stats_core.comparison.kinds.several_measures import (
    OnMeasures,
    non_normal,
    or_reason,
    shared_fields,
)
from stats_core.comparison.result import ErrorControl, Inputs, Shape, cached_method, one_pair
from stats_core.core.formatting import p_phrase
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

SMALL = 0.2  # test fraction below which many random partitions inflate the error rate


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
    shape = Shape(over="folds", two=True, several_measures=True)
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
        """Differences, first minus second, (repetition, fold) x measure."""
        return self.cloud(self.first) - self.cloud(self.second)

    @property
    def projected(self) -> pd.Series:
        """Differences projected on the unit vector that best separates the two algorithms."""
        w = self.hotelling.direction
        length = float(np.sqrt((w**2).sum()))
        return self.differences @ (w / length if length else w)

    @property
    def order(self) -> list[str]:
        """The two algorithms in the order requested, since vectors have no order."""
        return [self.first, self.second]

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row: the pair with the Mahalanobis distance of its means as estimate.

        Columns: those of `pairs`, where the statistic is T2; then p published (where it differs)
        and the difference in each measure.
        """
        test, published = self.hotelling, self.published_p(self.first, self.second)
        return one_pair(
            self,
            **({} if published is None else {"p published": published}),
            estimate=sqrt(test.t2 * test.factor / self.n_folds),
            statistic=test.t2,
            p=test.pvalue,
            **{measure: test.difference[measure] for measure in self.measures},
        )

    def published_p(self, first: str, second: str) -> float | None:
        """Return the p-value with the published degrees of freedom; None if it is the same."""
        published = self.hotelling.published_pvalue
        return None if isclose(published, self.hotelling.pvalue) else published

    @property
    def obstacle(self) -> str:
        """Return "identical" if the vectors are the same in every fold, else ""."""
        return "identical" if self.hotelling.nothing_to_test else ""

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: none if the overlap of folds is not corrected."""
        controlled = self.test_fraction is not None and not self.small_partitions
        return ErrorControl(bounds="one" if controlled else "nothing", comparisons=1)

    @property
    def small_partitions(self) -> bool:
        """Whether there are many random partitions with small test sets (inflated error)."""
        many = self.n_folds > MOST_RESULTS
        return self.design == "holdout" and many and (self.test_fraction or 1) < SMALL

    @property
    def post(self) -> str:
        """Name of the test."""
        return "paired Hotelling T2"

    def table(self) -> pd.DataFrame:
        """Return the tests of single measures, one row each."""
        return self.after.reset_index()

    def gap(self) -> DetectableInput:
        """Return the input for the smallest distance that Hotelling's test can detect."""
        return VectorDetectableInput(
            family=one_pair_family(self.settings.alpha),
            n=self.n_folds,
            dimensions=[self.hotelling.df[0]],
            factor=overlap_factor(self.n_folds, self.test_fraction),
            alpha=self.settings.alpha,
            max_df=self.max_df,
        )

    def doubts(self) -> list[Message]:
        """Return notes on overlap and on multivariate normality."""
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
        """Notes of the comparison; only choices if the results are identical."""
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


def compare_pair_on_measures(inputs: Inputs) -> PairOnMeasures:
    """Compare two algorithms on the measures of the settings, on one data set."""
    parts, _ = shared_fields(inputs)
    settings, vectors, names = inputs.settings, parts["vectors"], parts["names"]
    first, second = settings.pair or names
    x, y = (vectors[names.index(name)] for name in (first, second))
    n, fraction = len(x), parts["test_fraction"]
    max_df_single, max_df_joint = (
        max_df(settings, n, fraction, m) for m in (1, parts["space"].dimension)
    )
    options = {"test_fraction": fraction, "max_df": max_df_joint, "names": parts["measures"]}
    test = hotelling_paired(x, y, **options)
    two_sample = or_none(hotelling_two_sample, x, y, names=parts["measures"])
    return PairOnMeasures(
        **vars(inputs),
        **parts,
        first=first,
        second=second,
        hotelling=test,
        two_sample=two_sample,
        after=_after(x, y, parts, settings, test, max_df_single),
        normality_of_differences=or_reason(mardia, x - y),
    )


def _after(
    x: np.ndarray,
    y: np.ndarray,
    parts: dict,
    settings: Settings,
    test: HotellingResult,
    df_bound: int | None,
) -> pd.DataFrame:
    """Return a t test of each measure, with p-values adjusted over the measures."""
    rows, published = {}, []
    for position, measure in enumerate(parts["measures"]):
        test_of_measure = _t_test(
            x[:, position], y[:, position], parts["test_fraction"], 1 - settings.alpha, df_bound
        )
        published.append(test_of_measure.published_pvalue if test_of_measure else 1.0)
        rows[measure] = {
            "difference": test.difference[measure],
            "low": test_of_measure.low if test_of_measure else np.nan,
            "high": test_of_measure.high if test_of_measure else np.nan,
            "p": test_of_measure.pvalue if test_of_measure else 1.0,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["p adjusted"] = adjust_family(table["p"].to_numpy(), _over_measures(settings))
    if df_bound is not None:
        table["p published"] = adjust_family(np.array(published), _over_measures(settings))
    length = float(np.sqrt((test.direction**2).sum()))
    table["loading"] = test.direction / length if length else test.direction
    return table


def _t_test(
    x: np.ndarray, y: np.ndarray, fraction: float | None, confidence: float, df_bound: int | None
) -> TTestResult | None:
    if fraction is None:
        return or_none(paired_t, x, y, confidence=confidence)
    options = {"test_fraction": fraction, "max_df": df_bound}
    return or_none(corrected_t, x, y, confidence=confidence, **options)


def _over_measures(settings: Settings) -> str:
    """Return the correction over measures; Holm if the chosen one is for pairs only."""
    return settings.correction if settings.correction in FAMILY_METHODS else "holm"
