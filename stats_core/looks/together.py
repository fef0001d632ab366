"""A second look at a comparison on several measures: shuffled, learned, over all data sets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.on_measures import OnMeasures
from stats_core.comparison.over_measures import dimensions, wins
from stats_core.core.errors import FoldwiseError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.anova import AnovaOutcome
from stats_core.inference.families.win_counts import Wins
from stats_core.inference.multivariate.learned import (
    LearnedMeasures,
    learned_crossfit,
    learned_groups,
    learned_measures,
    learned_permutation,
)
from stats_core.inference.multivariate.shuffles import (
    ShuffleOutcome,
    shuffled_hotelling,
    shuffled_manova,
)
from stats_core.inference.settled import selected
from stats_core.looks.agreement import Rule


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """The measures that separate most, and what may be said of them.

    Attributes
    ----------
    model : LearnedMeasures
        Learned on all folds.
    permuted, crossed : ShuffleOutcome, AnovaOutcome
        The two honest tests of M1.
    groups : list of tuple of str
        Maximal groups along the learned measures; a description.
    """

    model: LearnedMeasures
    permuted: ShuffleOutcome
    crossed: AnovaOutcome
    groups: list[tuple[str, ...]]


def learned(comparison: OnMeasures) -> Learned:
    """Along which combination of the measures do the algorithms differ most?

    Examples
    --------
    See the page Multivariate, Learned measure.
    """
    vectors, names = comparison.vectors, comparison.measures
    fraction, alpha = comparison.test_fraction, comparison.settings.alpha
    model = learned_measures(vectors, names)
    return Learned(
        model=model,
        permuted=learned_permutation(vectors, names),
        crossed=learned_crossfit(vectors, names, test_fraction=fraction),
        groups=learned_groups(model, comparison.names, alpha=alpha, test_fraction=fraction),
    )


def shuffled(comparison: OnMeasures) -> ShuffleOutcome:
    """What does a permutation test say of what the comparison tests?

    Examples
    --------
    See the page Multivariate, Assumptions.
    """
    if isinstance(comparison, PairOnMeasures):
        pair = (comparison.first, comparison.second)
        return shuffled_hotelling(*(comparison.cloud(name).to_numpy() for name in pair))
    return shuffled_manova(comparison.vectors)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OverSets:
    """Several measures over many data sets, each None where it cannot be told.

    Attributes
    ----------
    dimensions : DataFrame or None
        From `dimensions`, of three or more algorithms.
    wins : Wins or None
        From `wins`.
    """

    dimensions: pd.DataFrame | None
    wins: Wins | None


def over_sets(
    results: Results, measures: Sequence[str], settings: Settings, *, theta: float = 0.5
) -> OverSets:
    """What do several measures show over all data sets?

    Parameters
    ----------
    results : Results
    measures : sequence of str
    settings : Settings
        Only `alpha`, `correction`, `overlap`, `test_fraction`, `win` and what is left out count.
    theta : float
        As `wins`.

    Returns
    -------
    OverSets

    Examples
    --------
    See the page Multivariate, Over data sets.
    """
    results, settings = selected(results, settings)
    several = len(results.algorithms) > 2
    return OverSets(
        dimensions=dimensions(results, measures, settings) if several else None,
        wins=_wins(results, measures, settings, theta),
    )


def _wins(
    results: Results, measures: Sequence[str], settings: Settings, theta: float
) -> Wins | None:
    try:
        return wins(results, measures, settings, theta=theta)
    except FoldwiseError:
        return None


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
