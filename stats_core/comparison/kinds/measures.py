"""Algorithms on several measures at once, on the folds of one data set."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.outcomes import PairwiseOutcome
from stats_core.data.settings import Settings
from stats_core.inference.anova import AnovaOutcome, anova
from stats_core.inference.families.adjust import FAMILY_METHODS, adjust_family, adjust_pairs
from stats_core.inference.families.cliques import cliques
from stats_core.inference.families.corrections import usable_correction
from stats_core.inference.fold_pairs import folds_of
from stats_core.inference.multivariate.effective import EffectiveSpace
from stats_core.inference.multivariate.hotelling import (
    HotellingOutcome,
    hotelling_paired,
    hotelling_two_sample,
    pairwise_hotelling,
)
from stats_core.inference.multivariate.manova import (
    DimensionOutcome,
    ManovaOutcome,
    manova,
    manova_dimension,
)
from stats_core.inference.multivariate.multinormal import MardiaOutcome, mardia
from stats_core.inference.paired import TOutcome, corrected_t, paired_t

# what is often looked at together
PRESETS = (
    ("fpr", "tpr"),
    ("recall", "precision"),
    ("sensitivity", "specificity"),
    ("tp", "fp", "tn", "fn"),
    ("error", "auc"),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnMeasures(Comparison):
    """Algorithms compared on several measures on the folds of one data set.

    Attributes
    ----------
    dataset : str
        Its name.
    measures : tuple of str
        What counts together.
    vectors : array, algorithm x fold x measure
        What was measured, none missing.
    folds : MultiIndex
        (repetition, fold) of each.
    names : tuple of str
        The algorithms, in the order of `vectors`.
    design, design_label : str
        The resampling design, and in words with its numbers.
    test_fraction : float or None
        n_test / (n_train + n_test); None where overlap is not corrected.
    space : EffectiveSpace
        What the measures amount to within a fold.
    normality : dict of str to MardiaOutcome or str
        Of each algorithm's folds, or why it cannot be checked.
    """

    dataset: str
    measures: tuple[str, ...]
    vectors: np.ndarray
    folds: pd.MultiIndex
    names: tuple[str, ...]
    design: str
    design_label: str
    test_fraction: float | None
    space: EffectiveSpace
    normality: dict[str, MardiaOutcome | str]

    @property
    def n_folds(self) -> int:
        """Number of results of each algorithm."""
        return len(self.folds)

    @property
    def means(self) -> pd.DataFrame:
        """Mean of each algorithm on each measure."""
        table = self.vectors.mean(axis=1)
        return pd.DataFrame(table, index=list(self.names), columns=list(self.measures))

    @property
    def label(self) -> str:
        """The measures as a vector, for example "(fpr, tpr)"."""
        return f"({', '.join(self.measures)})"

    def cloud(self, name: str) -> pd.DataFrame:
        """Return one algorithm's folds, (repetition, fold) x measure."""
        values = self.vectors[self.names.index(name)]
        return pd.DataFrame(values, index=self.folds, columns=list(self.measures))

    def covariance(self, name: str) -> np.ndarray:
        """Return the covariance of one algorithm's folds."""
        return np.cov(self.vectors[self.names.index(name)], rowvar=False)

    @property
    def positive_share(self) -> float | None:
        """Share of positive cases, from the counts; None without them."""
        rows = self.results.frame
        if not {"tp", "fp", "tn", "fn"} <= set(rows):
            return None
        sums = rows.loc[rows["dataset"] == self.dataset, ["tp", "fp", "tn", "fn"]].sum()
        share = float((sums["tp"] + sums["fn"]) / sums.sum()) if sums.sum() else 0.0
        return share if 0 < share < 1 else None

    @property
    def pooled(self) -> np.ndarray:
        """The covariance pooled over the algorithms, each about its own mean."""
        return np.mean([self.covariance(name) for name in self.names], axis=0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairOnMeasures(OnMeasures):
    """Two algorithms on several measures.

    Attributes
    ----------
    first, second : str
        The two; differences are first minus second.
    hotelling : HotellingOutcome
        The paired test that decides.
    two_sample : HotellingOutcome or None
        The test that forgets the pairing, as in Aslan's thesis.
    after : DataFrame
        One row per measure: difference, low, high, p, p adjusted (t tests, corrected for overlap
        where the Hotelling test is), loading.
    normality_of_differences : MardiaOutcome or str
        Or why it cannot be checked.
    """

    first: str
    second: str
    hotelling: HotellingOutcome
    two_sample: HotellingOutcome | None
    after: pd.DataFrame
    normality_of_differences: MardiaOutcome | str

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
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
    groups : tuple of tuple of str
        Maximal groups without a separated pair.
    after : dict of str to AnovaOutcome
        Analysis of variance of each measure alone, where it can be done.
    """

    manova: ManovaOutcome
    one_way: ManovaOutcome | None
    dimension: DimensionOutcome
    dimension_one_way: DimensionOutcome | None
    raw: PairwiseOutcome
    adjusted: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    after: dict[str, AnovaOutcome]

    def separated(self, first: str, second: str) -> bool:
        """Tell whether two algorithms differ at the chosen level."""
        return bool(self.adjusted.loc[first, second] <= self.settings.alpha)

    def pairs(self) -> pd.DataFrame:
        """Return one row per pair, smallest adjusted p on top.

        Columns: first, second, one difference of means per measure, T2, p raw, p adjusted,
        separated.
        """
        rows, columns = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        means = self.means.to_numpy()
        table = pd.DataFrame({"first": names[rows], "second": names[columns]})
        for place, measure in enumerate(self.measures):
            table[measure] = means[rows, place] - means[columns, place]
        table["T2"] = self.raw.statistics.to_numpy()[rows, columns]
        table["p raw"] = self.raw.pvalues.to_numpy()[rows, columns]
        table["p adjusted"] = self.adjusted.to_numpy()[rows, columns]
        table["separated"] = table["p adjusted"] <= self.settings.alpha
        return table.sort_values(["p adjusted", "p raw"], kind="stable", ignore_index=True)


def compare_on_measures(common: dict) -> OnMeasures:
    """Compare two or more algorithms on the measures the settings name, on one data set."""
    results, settings = common["results"], common["settings"]
    if len(results.datasets) > 1:
        raise DesignError(
            "Several measures are compared on one data set at a time. "
            f"There are {len(results.datasets)}. Choose one."
        )
    dataset = results.datasets[0]
    measures = tuple(settings.measures)
    shared = folds_of(results, dataset, settings)
    folds = shared["matrix"].index
    for measure in measures:
        folds_of(results, dataset, replace(settings, measure=measure))
    vectors = results.vectors(dataset, measures)
    fraction = shared["test_fraction"] if settings.overlap == "corrected" else None
    model = manova(vectors, blocked=True, test_fraction=fraction, names=measures)
    parts = {
        "dataset": dataset,
        "measures": measures,
        "vectors": vectors,
        "folds": folds,
        "names": results.algorithms,
        "design": shared["design"],
        "design_label": shared["design_label"],
        "test_fraction": fraction,
        "space": model.space,
        "normality": {
            name: _or_reason(mardia, vectors[i]) for i, name in enumerate(results.algorithms)
        },
    }
    if len(results.algorithms) == 2:
        return _pair(common, parts)
    return _several(common, parts, model)


def _pair(common: dict, parts: dict) -> PairOnMeasures:
    settings, vectors, names = common["settings"], parts["vectors"], parts["names"]
    first, second = settings.pair or names
    x, y = (vectors[names.index(name)] for name in (first, second))
    test = hotelling_paired(x, y, test_fraction=parts["test_fraction"], names=parts["measures"])
    try:
        apart = hotelling_two_sample(x, y, names=parts["measures"])
    except FoldwiseError:
        apart = None
    return PairOnMeasures(
        **common,
        **parts,
        first=first,
        second=second,
        hotelling=test,
        two_sample=apart,
        after=_after(x, y, parts, settings, test),
        normality_of_differences=_or_reason(mardia, x - y),
    )


def _after(
    x: np.ndarray, y: np.ndarray, parts: dict, settings: Settings, test: HotellingOutcome
) -> pd.DataFrame:
    """Test each measure alone; the p-values are adjusted over the measures."""
    rows = {}
    for place, measure in enumerate(parts["measures"]):
        said = _t_test(x[:, place], y[:, place], parts["test_fraction"], 1 - settings.alpha)
        rows[measure] = {
            "difference": test.difference[measure],
            "low": said.low if said else np.nan,
            "high": said.high if said else np.nan,
            "p": said.pvalue if said else 1.0,
        }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["p adjusted"] = adjust_family(table["p"].to_numpy(), _over_measures(settings))
    length = float(np.sqrt((test.direction**2).sum()))
    table["loading"] = test.direction / length if length else test.direction
    return table


def _t_test(x, y, fraction: float | None, confidence: float) -> TOutcome | None:
    try:
        if fraction is None:
            return paired_t(x, y, confidence=confidence)
        return corrected_t(x, y, test_fraction=fraction, confidence=confidence)
    except FoldwiseError:
        return None


def _several(common: dict, parts: dict, model: ManovaOutcome) -> SeveralOnMeasures:
    settings, vectors = common["settings"], parts["vectors"]
    options = {"test_fraction": parts["test_fraction"], "names": parts["measures"]}
    raw = pairwise_hotelling(vectors, parts["names"], **options)
    correction = usable_correction(settings.correction, len(parts["names"]))
    adjusted = adjust_pairs(raw.pvalues, correction)
    return SeveralOnMeasures(
        **common,
        **parts,
        manova=model,
        one_way=_or_none(lambda: manova(vectors, blocked=False, **options)),
        dimension=manova_dimension(vectors, blocked=True, alpha=settings.alpha, **options),
        dimension_one_way=_or_none(
            lambda: manova_dimension(vectors, blocked=False, alpha=settings.alpha, **options)
        ),
        raw=raw,
        adjusted=adjusted,
        groups=tuple(cliques(adjusted, settings.alpha)),
        after={
            measure: outcome
            for place, measure in enumerate(parts["measures"])
            if (outcome := _or_none(lambda place=place: _anova(parts, place))) is not None
        },
    )


def _anova(parts: dict, place: int) -> AnovaOutcome:
    matrix = pd.DataFrame(parts["vectors"][:, :, place].T, columns=list(parts["names"]))
    return anova(matrix, blocked=True, test_fraction=parts["test_fraction"])


def _over_measures(settings: Settings) -> str:
    """Return the correction over measures; those that reason about pairs give way to Holm."""
    return settings.correction if settings.correction in FAMILY_METHODS else "holm"


def _or_none(make: Callable):
    try:
        return make()
    except FoldwiseError:
        return None


def _or_reason(check: Callable, values: np.ndarray):
    try:
        return check(values)
    except FoldwiseError as error:
        return str(error)
