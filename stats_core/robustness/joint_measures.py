"""A second look at a comparison on several measures: shuffled, learned, over all data sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures_base import OnMeasures
from stats_core.data.settings import Settings
from stats_core.inference.anova import AnovaResult
from stats_core.inference.fold_pairs import max_df
from stats_core.inference.multiplicity.cliques import cliques
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
from stats_core.robustness.agreement import Rule


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """The measures that separate most, and what may be said of them.

    Attributes
    ----------
    model : LearnedMeasures
        Learned on all folds.
    permuted, crossed : ShuffleOutcome, AnovaOutcome
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

    Parameters
    ----------
    measures : sequence of str
    settings : Settings
        Gives `measure` and `alpha`.

    Returns
    -------
    tuple of (Rule, Rule)
        For `agreement`: the one measure by paired t tests, and the several by Hotelling's, both
        unadjusted and without allowance for overlap.

    Examples
    --------
    >>> one, several = one_or_several(("fpr", "tpr"), Settings(measure="error"))
    >>> one.test, several.measures
    ('paired t', ('fpr', 'tpr'))
    """
    one = Rule(measure=settings.measure, test="paired t", overlap=False, alpha=settings.alpha)
    return one, replace(one, measure="", measures=tuple(measures), test="")
