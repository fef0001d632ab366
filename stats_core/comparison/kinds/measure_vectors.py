"""Comparisons on several measures on the folds of one data set."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import isclose, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison import plan, result
from stats_core.comparison.kinds import fold_comparisons, fold_pair
from stats_core.comparison.kinds.fold_pair import CHECK_LEVEL, FoldPairComparison, OnOneDataset
from stats_core.comparison.pairs import Pairs, ordered_pairs, pair_values, pairs_frame
from stats_core.comparison.plan import PlannedTest, Reason, Role
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.formatting import measure_name
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, cached
from stats_core.core.validation import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference import anova, assumptions, fold_pairs
from stats_core.inference.anova import AnovaResult
from stats_core.inference.assumptions import MardiaResult
from stats_core.inference.fold_pairs import FoldData
from stats_core.inference.methods import Assumption, Unit
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import FAMILY_METHODS
from stats_core.inference.multivariate import learned_measures
from stats_core.inference.multivariate.hotelling import (
    EffectiveSpace,
    HotellingResult,
    effective_space,
    hotelling_paired,
    hotelling_two_sample,
    mean_region,
    pairwise_hotelling,
)
from stats_core.inference.multivariate.learned_measures import LearnedMeasures
from stats_core.inference.multivariate.manova import (
    DimensionResult,
    ManovaResult,
    dimension_after,
    manova,
)
from stats_core.inference.paired import TTestResult, corrected_t, overlap_factor, paired_t
from stats_core.inference.paired.t_tests import MOST_RESULTS

_NEARLY = 0.99  # correlation within algorithms above which two measures are reported
_DISTINCT = 0.9  # highest correlation of two measures that are compared together by default
# measures that are often compared together
_PRESETS = (
    ("fpr", "tpr"),
    ("recall", "precision"),
    ("sensitivity", "specificity"),
    ("tp", "fp", "tn", "fn"),
    ("error", "auc"),
)


def presets_of(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the predefined sets of measures that these results contain, by label.

    Examples
    --------
    >>> table = pd.DataFrame({"algorithm": ["a"], "fpr": [0.1], "tpr": [0.8], "error": [0.2]})
    >>> presets_of(Results.from_frame(table))
    {'fpr, tpr': ('fpr', 'tpr')}
    """
    presets: dict[str, tuple[str, ...]] = {}
    for preset in _PRESETS:
        try:
            names = [results.resolve_name(name) for name in preset]
        except FoldwiseError:
            continue
        if len(set(names)) == len(names):
            presets[", ".join(preset)] = preset
    return presets


def distinct_measures(results: Results) -> tuple[str, ...]:
    """Return the first measure and the first one that is not nearly collinear with it, else the least correlated one.

    Correlations are those of the folds of the first data set within algorithms; of single results,
    those over algorithms.

    Examples
    --------
    >>> table = pd.DataFrame({"algorithm": ["a", "b", "c"], "error": [0.1, 0.2, 0.3], "accuracy": [0.9, 0.8, 0.7]})
    >>> distinct_measures(Results.from_frame(table.assign(seconds_to_train=[3.0, 1.0, 2.0], auc=[0.9, 0.7, 0.8])))
    ('error', 'auc')
    """
    first, *others = results.measures
    columns = []
    for name in results.measures:
        values = results.matrix(results.datasets[0], name).to_numpy(dtype=float)
        centred = pd.DataFrame(values if len(values) > 1 else values.T)
        columns.append((centred - centred.mean()).fillna(0.0).to_numpy().ravel())
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = (
            np.abs(np.nan_to_num(np.corrcoef(np.round(columns, 12))[0], nan=1.0))
            if others
            else np.ones(1)
        )
    sizes = dict(zip(others, correlation[1:], strict=True))
    return first, next(
        (name for name, r in sizes.items() if r <= _DISTINCT), min(sizes, key=sizes.__getitem__)
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class OnMeasures(OnOneDataset):
    """Algorithms compared on several measures on the folds of one data set.

    Attributes
    ----------
    vectors : array, algorithm x fold x measure
        Values of the measures, none missing.
    space : EffectiveSpace
        Effective dimensions of the measures within a fold.
    normality : dict of str to MardiaResult or str
        Mardia's tests of each algorithm's folds, or why they are not possible.
    """

    derived: ClassVar[tuple[str, ...]] = (*OnOneDataset.derived, "measures", "folds", "names")
    vectors: np.ndarray
    space: EffectiveSpace
    normality: dict[str, MardiaResult | str]

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures compared as one vector."""
        return tuple(self.settings.measures)

    @property
    def folds(self) -> pd.MultiIndex:
        """(repetition, fold) of each fold."""
        return self.fold_data.matrix.index

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms, in the order of `vectors`."""
        return self.results.algorithms

    @property
    def test_fraction(self) -> float | None:
        """n_test / (n_train + n_test); None where overlap is not corrected."""
        return _test_fraction(self.fold_data, self.settings)

    @property
    def max_df(self) -> int | None:
        """Upper bound on the degrees of freedom of multivariate tests; None for no bound."""
        return fold_pairs.max_df(
            self.settings, self.n_folds, self.test_fraction, self.space.dimension
        )

    @property
    def max_df_of_one(self) -> int | None:
        """Upper bound on the degrees of freedom of tests of one measure; None for no bound."""
        return fold_pairs.max_df(self.settings, self.n_folds, self.test_fraction)

    @property
    def means(self) -> pd.DataFrame:
        """Means over folds, algorithm x measure."""
        table = self.vectors.mean(axis=1)
        return pd.DataFrame(table, index=list(self.names), columns=list(self.measures))

    @property
    def label(self) -> str:
        """The measures as a vector, for example "(FPR, TPR)"."""
        return f"({', '.join(map(measure_name, self.measures))})"

    def cloud(self, name: str) -> pd.DataFrame:
        """Return the fold results of one algorithm, (repetition, fold) x measure."""
        values = self.vectors[self.names.index(name)]
        return pd.DataFrame(values, index=self.folds, columns=list(self.measures))

    @property
    @cached(across_alpha=True)
    def learned(self) -> LearnedMeasures:
        """Weighted sums of the measures that best separate the algorithms."""
        return learned_measures.learned_measures(self.vectors, self.measures)

    def distance_quantiles(self, points: pd.DataFrame) -> pd.DataFrame:
        """Return the points of the Q-Q plot of squared Mahalanobis distances of folds (rows) from their mean."""
        return assumptions.distances_qq(points.to_numpy(), points.index)

    def covariance(self, name: str) -> np.ndarray:
        """Return the covariance matrix of one algorithm's fold results."""
        return np.cov(self.vectors[self.names.index(name)], rowvar=False)

    @property
    def positive_share(self) -> float | None:
        """Share of positive instances, from the confusion counts; None without counts, or if it is 0 or 1."""
        frame = self.results.frame
        if not {"tp", "fp", "tn", "fn"} <= set(frame):
            return None
        sums = frame.loc[frame["dataset"] == self.dataset, ["tp", "fp", "tn", "fn"]].sum()
        share = float((sums["tp"] + sums["fn"]) / sums.sum()) if sums.sum() else 0.0
        return share if 0 < share < 1 else None

    @property
    def pooled(self) -> np.ndarray:
        """Pooled within-algorithm covariance matrix."""
        return np.mean([self.covariance(name) for name in self.names], axis=0)

    def mean_region(self, name: str, *, pooled: bool = False) -> np.ndarray | None:
        """Return the matrix of a mean's confidence region, by own or pooled covariance; None with too few folds."""
        return fold_pair.or_none(
            mean_region,
            self.pooled if pooled else self.covariance(name),
            self.n_folds,
            test_fraction=self.test_fraction,
            max_df=self.max_df,
            confidence_level=1 - self.settings.alpha,
            dimension=self.space.dimension or None,
        )

    @property
    def correlation(self) -> np.ndarray:
        """Pooled correlation matrix, 0 where a measure does not vary."""
        scale = np.sqrt(np.diag(self.pooled))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.nan_to_num(self.pooled / np.outer(scale, scale))

    @property
    def together(self) -> tuple[str, ...]:
        """Names of the measures compared as one vector."""
        return self.measures

    least = result.SmallestPValue()  # Hotelling's test is continuous

    @property
    def _keeps_its_level(self) -> bool:
        """Whether the test corrects for overlapping training sets."""
        return self.test_fraction is not None

    @property
    def beats(self) -> pd.DataFrame:
        """All False, since vectors have no order."""
        return pd.DataFrame(False, index=self.order, columns=self.order)

    @property
    def on_one_measure(self) -> result.Comparison | None:
        """Comparison by the single measure of the settings; None if not possible."""
        return self._alone()

    @cached
    def _alone(self) -> result.Comparison | None:
        comparison = self._alone_at_some_level()
        if comparison is None or comparison.settings.alpha == self.settings.alpha:
            return comparison
        return comparison.at_level(self.settings.alpha) or self._compared_alone()

    @cached(across_alpha=True)
    def _alone_at_some_level(self) -> result.Comparison | None:
        return self._compared_alone()

    def _compared_alone(self) -> result.Comparison | None:
        settings = replace(self.settings, measures=(), test="")
        compare = (
            fold_pair.compare_pair_on_folds
            if len(self.names) == 2
            else fold_comparisons.compare_on_folds
        )
        return fold_pair.or_none(compare, self.inputs.varied(settings=settings))

    def _hotelling(self, correction: str | None, not_normal: list[Message]) -> PlannedTest:
        """Return the planned paired Hotelling test, with the notes on normality."""
        return PlannedTest(
            role=Role.PAIRWISE,
            card="hotelling_paired",
            label="hotelling",
            method=None,
            correction=correction,
            unit=Unit.RESULT,
            population=self.scope,
            reason=Reason.SUITED,
            failed=plan.fails(Assumption.NORMAL_DIFFERENCES, not_normal, check="mardia"),
            corrects_overlap=self.test_fraction is not None,
        )

    def doubts(self) -> list[Message]:
        """Return notes on the measures and the design."""
        notes = [self.space.note] if self.space.note else []
        if correlated := self._nearly_the_same():
            notes.append(message("nearly the same", pairs=correlated))
        if self.design == "common test set":
            notes.append(message("common test set"))
        elif self.design == "seeds" and self.test_fraction is None:
            notes.append(message("runs"))
        elif self.test_fraction is None:
            notes.append(message("overlap not corrected"))
        return notes

    def _nearly_the_same(self) -> tuple[tuple[str, str, float], ...]:
        """Return (measure, measure, correlation) of pairs correlated beyond `_NEARLY` but not linearly dependent."""
        correlation, pairs = self.correlation, []
        for i, j in combinations(range(len(self.measures)), 2):
            if abs(correlation[i, j]) > _NEARLY:
                if effective_space(self.vectors[:, :, [i, j]]).dimension == 2:
                    pairs.append((self.measures[i], self.measures[j], float(correlation[i, j])))
        return tuple(pairs)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on limits of the analysis, results significant only with published degrees of freedom, and choices."""
        return (*self.doubts(), *fold_pair.published_notes(self), *self.results.choices)


def _non_normal(check: object, comparisons: int = 1) -> bool:
    """Return whether Mardia's test rejects by skewness or kurtosis, by Bonferroni; False if `check` is no test."""
    level = CHECK_LEVEL / 2 / comparisons
    return isinstance(check, MardiaResult) and significant(
        min(check.pvalue, check.kurtosis_pvalue), level
    )


def _test_fraction(data: FoldData, settings: Settings) -> float | None:
    return data.test_fraction if settings.overlap == "corrected" else None


def _data_and_model(inputs: result.Inputs) -> tuple[FoldData, np.ndarray, ManovaResult]:
    """Return the folds by one measure, the vectors of all measures, and MANOVA; DesignError for several data sets."""
    results, settings = inputs.results, inputs.settings
    if len(results.datasets) > 1:
        raise DesignError.of("several data sets", n=len(results.datasets))
    dataset = results.datasets[0]
    measures = tuple(settings.measures)
    data = fold_pairs.fold_data(results, dataset, settings)
    for measure in measures:
        fold_pairs.fold_data(results, dataset, replace(settings, measure=measure))
    vectors = results.vectors(dataset, measures)
    fraction = _test_fraction(data, settings)
    space = effective_space(vectors, measures)
    df_bound = fold_pairs.max_df(settings, vectors.shape[1], fraction, space.dimension)
    return data, vectors, manova(vectors, test_fraction=fraction, max_df=df_bound, names=measures)


def _normality(names: Sequence[str], vectors: np.ndarray) -> dict[str, MardiaResult | str]:
    return {
        name: fold_pair.or_reason(assumptions.mardia, vectors[i]) for i, name in enumerate(names)
    }


@dataclass(frozen=True, kw_only=True, eq=False)
class SeveralOnMeasures(OnMeasures):
    """Three or more algorithms on several measures.

    Attributes
    ----------
    manova, dimension : ManovaResult, DimensionResult
        MANOVA with folds as blocks, and the dimension of the means by it.
    one_way, dimension_one_way : ManovaResult or None, DimensionResult or None
        The same without blocks; None if that is not possible.
    raw : PairwiseResult
        Paired Hotelling tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    published : DataFrame or None
        Adjusted p-values with all degrees of freedom; None if that is the same.
    after : dict of str to AnovaResult
        Analysis of variance of each measure alone, where it can be done.
    """

    kind: ClassVar[str] = "measures"
    shape = result.Shape(over="folds", several_measures=True)
    manova: ManovaResult
    one_way: ManovaResult | None
    dimension: DimensionResult
    dimension_one_way: DimensionResult | None
    raw: PairwiseResult
    adjusted: pd.DataFrame
    published: pd.DataFrame | None
    after: dict[str, AnovaResult]

    def at_level(self, alpha: float) -> "SeveralOnMeasures":
        """Return the same comparison at another significance level."""
        one_way = self.dimension_one_way
        return replace(
            self,
            inputs=self.inputs.at_level(alpha),
            dimension=self.dimension.at_level(alpha),
            dimension_one_way=None if one_way is None else one_way.at_level(alpha),
        )

    @property
    def order(self) -> list[str]:
        """Algorithms in the order of the data, since vectors have no order."""
        return list(self.names)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, smallest adjusted p on top.

        Columns: `PAIR_COLUMNS`, where the estimate is the Mahalanobis distance of the means and
        the statistic T2; then p published (where it differs) and one difference of means per
        measure.
        """
        order, means = self.order, self.means
        first, second = ordered_pairs(order)
        t2 = pair_values(self.raw.statistics, order)
        factor = overlap_factor(self.n_folds, self.test_fraction)
        columns = {
            "estimate": np.sqrt(t2 * factor / self.n_folds),
            "statistic": t2,
            "p": self.raw.pvalues,
            "p adjusted": self.adjusted,
            "p published": self.published,
            **{
                measure: values[first].to_numpy() - values[second].to_numpy()
                for measure, values in means.items()
            },
        }
        return self._pairs_of(pairs_frame(order, columns, self.settings.alpha))

    @property
    def correction(self) -> str:
        """Correction actually used over the pairs."""
        return adjust.used_correction(self.settings.correction, self.adjusted)

    @property
    def first_test(self) -> result.OmnibusTest:
        """MANOVA by Wilks' lambda."""
        return result.OmnibusTest(name="MANOVA", outcome=self.manova)

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """MANOVA and the paired Hotelling tests; also an analysis of variance of each measure."""
        each = plan.of_all("anova", Role.ADDITIONAL, Unit.RESULT, self.scope)
        return (
            plan.of_all("manova", Role.OMNIBUS, Unit.RESULT, self.scope),
            self._hotelling(self.correction, self._not_normal()),
            *([replace(each, label="anova_of_each")] if self.after else []),
        )

    def _not_normal(self) -> list[Message]:
        """Return the note on algorithms whose vectors are not multivariate normal; [] without."""
        names = tuple(
            name for name, check in self.normality.items() if _non_normal(check, len(self.names))
        )
        return [message("not normal together", names=names)] if names else []

    def doubts(self) -> list[Message]:
        """Return notes on measures, design, multivariate normality and a replaced correction."""
        fallback = adjust.fallback_message(
            self.settings.correction, len(self.names), used=self.correction
        )
        return [*OnMeasures.doubts(self), *self._not_normal(), *([fallback] if fallback else [])]


def compare_several_on_measures(inputs: result.Inputs) -> SeveralOnMeasures:
    """Return the comparison of three or more algorithms on several measures, on the folds of one data set."""
    data, vectors, model = _data_and_model(inputs)
    settings, names = inputs.settings, inputs.results.algorithms
    n, fraction = vectors.shape[1], _test_fraction(data, settings)
    max_df_single, max_df_joint = (
        fold_pairs.max_df(settings, n, fraction, m) for m in (1, model.space.dimension)
    )
    unblocked = partial(manova, vectors, blocked=False, test_fraction=fraction, max_df=max_df_joint)
    one_way = fold_pair.or_none(unblocked, names=settings.measures)
    test_pairs = partial(
        pairwise_hotelling, vectors, names, test_fraction=fraction, names=settings.measures
    )
    raw = test_pairs(max_df=max_df_joint)
    correction = adjust.usable_correction(settings.correction, len(names))
    adjusted = adjust.adjust_by_nearest(raw.pvalues, correction)
    published = None
    if max_df_joint is not None:
        published = adjust.adjust_by_nearest(test_pairs().pvalues, correction)
    return SeveralOnMeasures(
        inputs=inputs,
        fold_data=data,
        vectors=vectors,
        space=model.space,
        normality=_normality(names, vectors),
        manova=model,
        one_way=one_way,
        dimension=dimension_after(model, settings.alpha),
        dimension_one_way=None if one_way is None else dimension_after(one_way, settings.alpha),
        raw=raw,
        adjusted=adjusted,
        published=published,
        after={
            measure: outcome
            for position, measure in enumerate(settings.measures)
            if (
                outcome := fold_pair.or_none(
                    _anova, vectors[:, :, position], names, fraction, max_df_single
                )
            )
            is not None
        },
    )


def _anova(
    values: np.ndarray, names: Sequence[str], fraction: float | None, df_bound: int | None
) -> AnovaResult:
    matrix = pd.DataFrame(values.T, columns=list(names))
    return anova.anova(matrix, blocked=True, test_fraction=fraction, max_df=df_bound)


SMALL = 0.2  # test fraction below which many random partitions inflate the error rate


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOnMeasures(OnMeasures):
    """Two algorithms on several measures.

    Attributes
    ----------
    first, second : str
        The two algorithms; differences are first minus second.
    hotelling : HotellingResult
        The paired test, which is reported.
    two_sample : HotellingResult or None
        The unpaired test, as in Aslan's thesis; None if it is not possible.
    after : DataFrame
        One row per measure: difference, low, high, p, p adjusted (t tests, corrected for overlap
        where the Hotelling test is), p published where it differs, loading.
    normality_of_differences : MardiaResult or str
        Mardia's tests of the differences, or the reason for none.
    """

    kind: ClassVar[str] = "pair on measures"
    shape = result.Shape(over="folds", two=True, several_measures=True)
    derived: ClassVar[tuple[str, ...]] = (*OnMeasures.derived, "differences", "projected")
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

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row: the pair with the Mahalanobis distance of its means as estimate.

        Columns: `PAIR_COLUMNS`, where the statistic is T2; then p published (where it differs)
        and the difference in each measure.
        """
        test = self.hotelling
        columns = {
            "estimate": sqrt(test.t2 * test.factor / self.n_folds),
            "statistic": test.t2,
            "p": test.pvalue,
            "p adjusted": test.pvalue,
            "p published": self.published_pvalue,
            **{measure: test.difference[measure] for measure in self.measures},
        }
        rows = pairs_frame([self.first, self.second], columns, self.settings.alpha)
        return self._pairs_of(rows)

    @property
    def published_pvalue(self) -> float | None:
        """The p-value with the published degrees of freedom; None if it is the same."""
        published = self.hotelling.published_pvalue
        return None if isclose(published, self.hotelling.pvalue) else published

    @property
    def on_one_measure(self) -> FoldPairComparison | None:
        """Comparison by the single measure of the settings; None if not possible."""
        single = super().on_one_measure
        return single if isinstance(single, FoldPairComparison) else None

    @property
    def obstacle(self) -> str | None:
        """Key of the reason why no test is possible: "identical" if the vectors are equal in every fold; else None."""
        return "identical" if self.hotelling.nothing_to_test else None

    @property
    def _keeps_its_level(self) -> bool:
        """Whether the test corrects for overlap and was accurate in simulations of this design."""
        return super()._keeps_its_level and not self._small_partitions

    @property
    def _small_partitions(self) -> bool:
        """Whether there are many random partitions with small test sets, which inflates the type I error."""
        many = self.n_folds > MOST_RESULTS
        return self.design == "holdout" and many and (self.test_fraction or 1) < SMALL

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The paired Hotelling test, and a t test of each measure."""
        bounded = self.max_df_of_one is not None
        corrected = "conservative_t" if bounded else "corrected_t"
        card = "paired_t" if self.test_fraction is None else corrected
        each = plan.of_all(card, Role.ADDITIONAL, Unit.RESULT, self.scope)
        return (self._hotelling(None, self._not_normal()), replace(each, label="t_of_each"))

    def _not_normal(self) -> list[Message]:
        """Return the note on differences that are not multivariate normal; [] without."""
        is_doubtful = _non_normal(self.normality_of_differences)
        return [message("not normal together", names=())] if is_doubtful else []

    def table(self) -> pd.DataFrame:
        """Return `after` as a table with the measure as first column."""
        return self.after.reset_index()

    def doubts(self) -> list[Message]:
        """Return notes on measures, design, multivariate normality, and a decision that the correction changes."""
        notes, test, alpha = OnMeasures.doubts(self), self.hotelling, self.settings.alpha
        if self.design != "common test set" and self.test_fraction is not None:
            if significant(test.plain_pvalue, alpha) != significant(test.pvalue, alpha):
                notes.append(message("overlap changes p", plain=test.plain_pvalue, alpha=alpha))
        if self._small_partitions:
            notes.append(message("small partitions"))
        return [*notes, *self._not_normal()]

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes of the comparison; choices only, if the results are identical."""
        return self.results.choices if self.obstacle else super().notes


def compare_pair_on_measures(inputs: result.Inputs) -> PairOnMeasures:
    """Return the comparison of two algorithms on several measures, on the folds of one data set."""
    data, vectors, model = _data_and_model(inputs)
    settings, names = inputs.settings, inputs.results.algorithms
    first, second = settings.pair or names
    x, y = (vectors[names.index(name)] for name in (first, second))
    n, fraction = len(x), _test_fraction(data, settings)
    max_df_single, max_df_joint = (
        fold_pairs.max_df(settings, n, fraction, m) for m in (1, model.space.dimension)
    )
    test = hotelling_paired(
        x, y, test_fraction=fraction, max_df=max_df_joint, names=settings.measures
    )
    two_sample = fold_pair.or_none(hotelling_two_sample, x, y, names=settings.measures)
    return PairOnMeasures(
        inputs=inputs,
        fold_data=data,
        vectors=vectors,
        space=model.space,
        normality=_normality(names, vectors),
        first=first,
        second=second,
        hotelling=test,
        two_sample=two_sample,
        after=_after(x, y, fraction, settings, test, max_df_single),
        normality_of_differences=fold_pair.or_reason(assumptions.mardia, x - y),
    )


def _after(
    x: np.ndarray,
    y: np.ndarray,
    fraction: float | None,
    settings: Settings,
    test: HotellingResult,
    df_bound: int | None,
) -> pd.DataFrame:
    """Return `PairOnMeasures.after`: t test and loading of each measure, p-values adjusted over the measures."""
    rows, published = {}, []
    for position, measure in enumerate(settings.measures):
        test_of_measure = _t_test(
            x[:, position], y[:, position], fraction, 1 - settings.alpha, df_bound
        )
        published.append(test_of_measure.published_pvalue if test_of_measure else 1.0)
        rows[measure] = {
            "difference": test.difference[measure],
            "low": test_of_measure.low if test_of_measure else np.nan,
            "high": test_of_measure.high if test_of_measure else np.nan,
            "p": test_of_measure.pvalue if test_of_measure else 1.0,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["p adjusted"] = adjust.adjust_family(table["p"].to_numpy(), _over_measures(settings))
    if df_bound is not None:
        table["p published"] = adjust.adjust_family(np.array(published), _over_measures(settings))
    length = float(np.sqrt((test.direction**2).sum()))
    table["loading"] = test.direction / length if length else test.direction
    return table


def _t_test(
    x: np.ndarray,
    y: np.ndarray,
    fraction: float | None,
    confidence_level: float,
    df_bound: int | None,
) -> TTestResult | None:
    if fraction is None:
        return fold_pair.or_none(paired_t, x, y, confidence_level=confidence_level)
    options = {"test_fraction": fraction, "max_df": df_bound}
    return fold_pair.or_none(corrected_t, x, y, confidence_level=confidence_level, **options)


def _over_measures(settings: Settings) -> str:
    """Return the correction over measures; Holm replaces corrections that exist for pairs only."""
    return settings.correction if settings.correction in FAMILY_METHODS else "holm"
