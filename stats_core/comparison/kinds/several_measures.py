"""Three or more algorithms on several measures on the folds of one data set: MANOVA and pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.advice import Advice
from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_test,
    ending_sentence,
)
from stats_core.comparison.detectable_inputs import (
    DetectableInput,
    VectorDetectableInput,
    all_pairs,
)
from stats_core.comparison.kinds.folds_base import or_none
from stats_core.comparison.kinds.measures_base import (
    OnMeasures,
    all_and_pairs,
    each_measure,
    non_normal,
    shared_fields,
)
from stats_core.comparison.plan_steps import Step, groups
from stats_core.comparison.result import ErrorControl, OmnibusTest, cached_method
from stats_core.core.formatting import format_count
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult
from stats_core.core.significance import significant
from stats_core.data.settings import Settings
from stats_core.inference.anova import AnovaResult, anova
from stats_core.inference.fold_pairs import max_df
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    adjust_by_nearest,
    fallback_message,
    usable_correction,
    used_correction,
)
from stats_core.inference.multivariate.hotelling import pairwise_hotelling
from stats_core.inference.multivariate.manova import (
    DimensionResult,
    ManovaResult,
    dimension_after,
    manova,
)
from stats_core.inference.multivariate.rank_deficiency import effective_space
from stats_core.inference.paired import overlap_factor


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralOnMeasures(OnMeasures):
    """Three or more algorithms on several measures.

    Attributes
    ----------
    manova, one_way : ManovaOutcome or None
        With folds as blocks, and without (None where it refuses).
    dimension, dimension_one_way : DimensionOutcome or None
        In how many dimensions the means differ.
    raw : PairwiseOutcome
        Paired Hotelling tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    published : DataFrame or None
        What they would be with all degrees of freedom; None where that is the same.
    after : dict of str to AnovaOutcome
        Analysis of variance of each measure alone, where it can be done.
    """

    kind: ClassVar[str] = "measures"
    derived: ClassVar[tuple[str, ...]] = ("means",)
    claim: ClassVar[str] = "differ"
    manova: ManovaResult
    one_way: ManovaResult | None
    dimension: DimensionResult
    dimension_one_way: DimensionResult | None
    raw: PairwiseResult
    adjusted: pd.DataFrame
    published: pd.DataFrame | None
    after: dict[str, AnovaResult]

    def separated(self, first: str, second: str) -> bool:
        """Tell whether two algorithms differ at the chosen level."""
        return significant(self.adjusted.loc[first, second], self.settings.alpha)

    def at_level(self, alpha: float, advice: Advice) -> "SeveralOnMeasures":
        """As in every kind."""
        one_way = self.dimension_one_way
        found = replace(
            self,
            settings=replace(self.settings, alpha=alpha),
            advice=advice,
            dimension=self.dimension.at_level(alpha),
            dimension_one_way=None if one_way is None else one_way.at_level(alpha),
        )
        alone = self.on_one_measure
        found.__dict__["kept _alone"] = alone and alone.at_level(alpha, advice)
        return found

    @property
    def order(self) -> list[str]:
        """The algorithms as they stand in the data: vectors have no order."""
        return list(self.names)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the Mahalanobis distance of the means and
        the statistic T2; then p published (where it differs) and one difference of means per measure.
        """
        rows, columns = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        means = self.means.to_numpy()
        t2 = self.raw.statistics.to_numpy()[rows, columns]
        factor = overlap_factor(self.n_folds, self.test_fraction)
        adjusted = self.adjusted.to_numpy()[rows, columns]
        table = pd.DataFrame(
            {
                "first": names[rows],
                "second": names[columns],
                "estimate": np.sqrt(t2 * factor / self.n_folds),
                "low": np.nan,
                "high": np.nan,
                "statistic": t2,
                "p": self.raw.pvalues.to_numpy()[rows, columns],
                "p adjusted": adjusted,
                "separated": significant(adjusted, self.settings.alpha),
            }
        )
        if self.published is not None:
            table["p published"] = self.published.to_numpy()[rows, columns]
        for place, measure in enumerate(self.measures):
            table[measure] = means[rows, place] - means[columns, place]
        return table.sort_values(["p adjusted", "p"], kind="stable", ignore_index=True)

    def published_p(self, first: str, second: str) -> float | None:
        """As in every kind."""
        return None if self.published is None else float(self.published.loc[first, second])

    @property
    def correction(self) -> str:
        """The correction really used over the pairs."""
        return used_correction(self.settings.correction, self.adjusted)

    @property
    def first_test(self) -> OmnibusTest:
        """Wilks' lambda."""
        return OmnibusTest(name="MANOVA", outcome=self.manova)

    @property
    def guarantee(self) -> ErrorControl:
        """The family of all pairs, if it is paid for and overlap is allowed for."""
        bounds = "each" if self.correction == "none" else "family"
        pairs = len(self.names) * (len(self.names) - 1) // 2
        bounds = "nothing" if self.test_fraction is None else bounds
        return ErrorControl(bounds=bounds, comparisons=pairs, adjusted=self.correction != "none")

    @property
    def post(self) -> str:
        """Hotelling's test with its correction."""
        by = "unadjusted" if self.correction == "none" else CORRECTIONS[self.correction]
        return f"paired Hotelling T2, {by}"

    @property
    def effect(self) -> str:
        """Nothing: a distance has no unit."""
        return ""

    def sizes(self, near: Sequence[str]) -> str:
        """Say in how many dimensions the means spread, and what one measure alone separates."""
        parts = []
        if significant(self.manova.pvalue, self.settings.alpha):
            parts.append(f"Their means spread over {self._dimension()}.")
        alone = self.on_one_measure
        if alone is not None:
            by_one = int(alone.pairs()["separated"].sum())
            parts.append(f"{self.settings.measure} alone separates {format_count(by_one, 'pair')}.")
        return " ".join(parts)

    def _dimension(self) -> str:
        found, words = self.dimension, {0: "point", 1: "line", 2: "plane"}
        shape = f" (a {words[found.dimension]})" if found.dimension in words else ""
        return f"{found.dimension} of {format_count(found.largest, 'dimension')}{shape}"

    def alternatives(self) -> list[tuple[str, Settings]]:
        """None."""
        return []

    def gap(self) -> DetectableInput:
        """The distance at which the paired Hotelling test finds two, and MANOVA."""
        k, alpha = len(self.names), self.settings.alpha
        pairs = combinations(range(k), 2)  # each is tested in its own space
        return VectorDetectableInput(
            family=all_pairs(k, alpha, self.correction),
            n=self.n_folds,
            dimensions=[effective_space(self.vectors[[i, j]]).dimension for i, j in pairs],
            factor=overlap_factor(self.n_folds, self.test_fraction),
            alpha=alpha,
            max_df=self.max_df,
            k=k,
            manova_dimension=self.space.dimension,
        )

    def steps(self) -> list[Step]:
        """Several measures on one data set (case 3 of the thesis)."""
        both = all_and_pairs(self.correction, gate=False)
        return [self.one_result(), *both, groups(), each_measure()]

    def methods(self) -> Iterable[CitedText]:
        """Describe MANOVA, the paired Hotelling tests and the dimension of the means."""
        yield cite_test(" A", "manova", " (Wilks' lambda by Rao's F)")
        yield ending_sentence(" asked of all at once whether they differ")
        pairs = format_count(self.guarantee.comparisons, "pair")
        yield cite_test(f" Then the {pairs} of algorithms were compared by the", "hotelling_paired")
        yield from adjustment_text(
            self.correction, self.settings.alpha, self.guarantee.bounds, sided=""
        )
        yield CitedText(
            " The dimension of the differences between mean vectors was determined by Bartlett's "
            "sequential \N{GREEK SMALL LETTER CHI}\N{SUPERSCRIPT TWO} tests",
            method_card("manova_dimension").papers,
        )
        yield CitedText(".")
        yield from self.dimensions_used()
        yield from self.allowance(self.manova.factor)

    def doubts(self) -> list[Message]:
        """Say whose folds are not normal together."""
        names = tuple(
            name for name, check in self.normality.items() if non_normal(check, len(self.names))
        )
        more = [message("not normal together", names=names)] if names else []
        instead = fallback_message(self.settings.correction, len(self.names), used=self.correction)
        return [*OnMeasures.doubts(self), *more, *([instead] if instead else [])]


def compare_several_on_measures(common: dict) -> SeveralOnMeasures:
    """Compare several algorithms on the measures the settings name, on one data set."""
    parts, model = shared_fields(common)
    settings, vectors = common["settings"], parts["vectors"]
    n, fraction = vectors.shape[1], parts["test_fraction"]
    one, most = (max_df(settings, n, fraction, m) for m in (1, parts["space"].dimension))
    options = {"test_fraction": fraction, "names": parts["measures"]}
    one_way = or_none(manova, vectors, blocked=False, max_df=most, **options)
    raw = pairwise_hotelling(vectors, parts["names"], max_df=most, **options)
    correction = usable_correction(settings.correction, len(parts["names"]))
    adjusted = adjust_by_nearest(raw.pvalues, correction)
    published = None
    if most is not None:
        plain = pairwise_hotelling(vectors, parts["names"], **options).pvalues
        published = adjust_by_nearest(plain, correction)
    return SeveralOnMeasures(
        **common,
        **parts,
        manova=model,
        one_way=one_way,
        dimension=dimension_after(model, settings.alpha),
        dimension_one_way=None if one_way is None else dimension_after(one_way, settings.alpha),
        raw=raw,
        adjusted=adjusted,
        published=published,
        after={
            measure: outcome
            for place, measure in enumerate(parts["measures"])
            if (outcome := or_none(_anova, parts, place, one)) is not None
        },
    )


def _anova(parts: dict, place: int, most: int | None) -> AnovaResult:
    matrix = pd.DataFrame(parts["vectors"][:, :, place].T, columns=list(parts["names"]))
    return anova(matrix, blocked=True, test_fraction=parts["test_fraction"], max_df=most)
