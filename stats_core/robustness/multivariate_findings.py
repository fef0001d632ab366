"""A second look at a comparison on several measures: shuffled, learned, over all data sets."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.several_measures import OnMeasures
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import labeled_matrix
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share
from stats_core.inference.anova import AnovaResult
from stats_core.inference.fold_pairs import fold_data, fold_matrix, max_df
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multivariate.hotelling import pairwise_hotelling
from stats_core.inference.multivariate.learned_measures import (
    LearnedMeasures,
    learned_crossfit,
    learned_measures,
    learned_pairs,
    learned_permutation,
)
from stats_core.inference.multivariate.multivariate_permutation import (
    PermutationResult,
    shuffled_hotelling,
    shuffled_manova,
)
from stats_core.inference.pairwise import pairwise_t
from stats_core.inference.resolve_settings import apply_selection
from stats_core.robustness.agreement import Rule


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """The measures that separate most, and what may be said of them.

    Attributes
    ----------
    model : LearnedMeasures
        Learned on all folds.
    permuted, crossed : PermutationResult, AnovaResult
        The two honest tests of M1.
    pairs : DataFrame, algorithm x algorithm
        Adjusted p-values along the learned measures; a description.
    """

    model: LearnedMeasures
    permuted: PermutationResult
    crossed: AnovaResult
    pairs: pd.DataFrame

    def groups(self, alpha: float) -> list[tuple[str, ...]]:
        """Return the maximal groups along the learned measures."""
        return cliques(self.pairs, alpha)


def learned_measures_of(comparison: OnMeasures) -> Learned:
    """Along which combination of the measures do the algorithms differ most?

    Examples
    --------
    See the page Multivariate, Learned measure.
    """
    vectors, names = comparison.vectors, comparison.measures
    fraction, n = comparison.test_fraction, comparison.n_folds
    one, two = (max_df(comparison.settings, n, fraction, m) for m in (1, 2))
    model = learned_measures(vectors, names)
    return Learned(
        model=model,
        permuted=learned_permutation(vectors, names),
        crossed=learned_crossfit(vectors, names, test_fraction=fraction, max_df=one),
        pairs=learned_pairs(model, comparison.names, test_fraction=fraction, max_df=two),
    )


def permutation_test_of(comparison: OnMeasures) -> PermutationResult:
    """What does a permutation test say of what the comparison tests?

    Examples
    --------
    See the page Multivariate, Assumptions.
    """
    if isinstance(comparison, PairOnMeasures):
        pair = (comparison.first, comparison.second)
        return shuffled_hotelling(*(comparison.cloud(name).to_numpy() for name in pair))
    return shuffled_manova(comparison.vectors)


def one_or_several(measures: Sequence[str], settings: Settings) -> tuple[Rule, Rule]:
    """By which rules is one measure compared with several, as in the papers?

    Examples
    --------
    >>> one, several = one_or_several(("fpr", "tpr"), Settings(measure="error"))
    >>> one.test, several.measures
    ('paired t', ('fpr', 'tpr'))
    """
    one = Rule(measure=settings.measure, test="paired t", overlap=False, alpha=settings.alpha)
    return one, replace(one, measure="", measures=tuple(measures), test="")


# one measure -> the measures that may show what it does not
LOOKS = {"error": ("fpr", "tpr"), "f": ("recall", "precision")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something one measure hides.

    Attributes
    ----------
    text : str
        In one sentence.
    dataset : str
    measures : tuple of str
        The measures that show it.
    measure : str
        The one that does not.
    pair : tuple of str
        The two algorithms, () for a finding about groups.
    group : tuple of str
        The algorithms not separated, () for a finding about a pair.
    """

    text: str
    dataset: str
    measures: tuple[str, ...]
    measure: str
    pair: tuple[str, ...] = ()
    group: tuple[str, ...] = ()


def findings(results: Results, settings: Settings) -> list[Finding]:
    """Where does one measure not separate what several do?

    Notes
    -----
    These are looked for among all data sets and pairs, each at the unadjusted level: they point
    to something to look at, they are not tests.

    Examples
    --------
    See the page Overview.
    """
    results, settings = apply_selection(results, settings)
    found = []
    for measure, measures in LOOKS.items():
        seen = list(_datasets(results, measure, measures, settings))
        pair = _pair(seen, measure, measures, settings.alpha)
        if pair is not None:
            found.append(pair)
        if measure == "error" and (groups := _groups(seen, measures, settings.alpha)) is not None:
            found.append(groups)
    return found


def _datasets(
    results: Results, measure: str, measures: tuple[str, ...], settings: Settings
) -> Iterator[tuple[str, pd.Series, pd.DataFrame, pd.DataFrame]]:
    """Yield each data set with its means, p-values by one measure and by several."""
    for dataset in results.with_folds:
        try:
            shared = fold_data(results, dataset, replace(settings, measure=measure))
            layers = [fold_matrix(results, dataset, name).to_numpy().T for name in measures]
            fraction = corrected_share(results, dataset, settings)
            matrix, names = shared["matrix"].to_numpy(), results.algorithms
            most = [max_df(settings, len(matrix), fraction, m) for m in (1, len(measures))]
            one = labeled_matrix(pairwise_t(matrix, fraction, max_df=most[0]), names)
            many = pairwise_hotelling(
                np.stack(layers, axis=2), names, test_fraction=fraction, max_df=most[1]
            ).pvalues
        except FoldwiseError:
            continue
        yield dataset, shared["matrix"].mean(), one, many


def _pair(
    seen: Iterable[tuple], measure: str, measures: tuple[str, ...], alpha: float
) -> Finding | None:
    """Return the pair most clearly apart on several measures among those alike on one."""
    best, least = None, alpha
    for dataset, _, one, many in seen:
        rows, columns = np.triu_indices(len(one), 1)
        p_one, p_many = one.to_numpy()[rows, columns], many.to_numpy()[rows, columns]
        alike = np.where(p_one > max(0.2, alpha), p_many, 1.0)
        place = int(alike.argmin()) if len(alike) else 0
        if len(alike) and alike[place] < least:
            least = float(alike[place])
            best = dataset, one.index[rows[place]], one.index[columns[place]]
    if best is None:
        return None
    dataset, first, second = best
    return Finding(
        text=f"{dataset}: {measure} does not separate {first} and {second}, "
        f"({', '.join(measures)}) do (looked for among all pairs, unadjusted).",
        dataset=dataset,
        measures=measures,
        measure=measure,
        pair=(first, second),
    )


def _groups(seen: Iterable[tuple], measures: tuple[str, ...], alpha: float) -> Finding | None:
    """Return a data set whose groups on several measures skip over the order by one."""
    for dataset, means, _, many in seen:
        order = list(means.sort_values(kind="stable").index)
        place = {name: i for i, name in enumerate(order)}
        for group in cliques(many.loc[order, order], alpha):
            places = [place[name] for name in group]
            between = [name for name in order[places[0] : places[-1]] if name not in group]
            if len(group) > 1 and between:
                verb = "lies" if len(between) == 1 else "lie"
                return Finding(
                    text=f"{dataset}: ({', '.join(measures)}) do not separate {join_names(group)}, "
                    f"although {join_names(between)} {verb} between them in error.",
                    dataset=dataset,
                    measures=measures,
                    measure="error",
                    group=tuple(group),
                )
    return None
