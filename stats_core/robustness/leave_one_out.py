"""The analysis over data sets without one data set or one algorithm."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from typing import Literal, cast

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.result_types import PairwiseResult, labeled_matrix
from stats_core.core.significance import significant
from stats_core.inference.leave_one_out_tests import (
    omnibus_without_each,
    pairs_without_each,
)
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multiplicity.corrections import (
    adjust_by_nearest,
    fallback_correction,
)
from stats_core.inference.paired import WilcoxonResult, wilcoxon
from stats_core.inference.rank_differences import exact_rank_pairs
from stats_core.inference.ranks import RankTestResult, iman_davenport, nemenyi


def check_all_or_two(analysis: Comparison, needs: str) -> None:
    """Refuse what compares neither all pairs nor two algorithms over data sets."""
    if not isinstance(analysis, RanksComparison | TwoComparison):
        control = analysis.settings.control
        found = f"is with the control {control}" if control else f"is over {analysis.counted}"
        raise DesignError(
            f"{needs} a comparison of all pairs, or of two algorithms, over data sets. "
            f"This one {found}. Choose all pairs on Many data sets."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaveOneOutDecision:
    """What one analysis decides.

    Attributes
    ----------
    test : str
        The first test, "Iman-Davenport" or "Wilcoxon".
    pvalue : float
        Its p-value.
    standing : Series by algorithm
        Smaller is better: average ranks, or the median difference of two algorithms.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values, both sides in the order of the full analysis.
    ahead : DataFrame, algorithm x algorithm
        Above 0 where the test of the pair favours the row over the column.
    groups : tuple of tuple of str
        Maximal groups.
    stood_in : bool
        Whether Shaffer stands in for Bergmann-Hommel.
    """

    test: str
    pvalue: float
    standing: pd.Series
    adjusted: pd.DataFrame
    ahead: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    stood_in: bool = False

    def best(self, among: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the best ranked of some or all, several if they tie."""
        names = self.standing.index if among is None else pd.Index(list(among))
        values = self.standing.to_numpy()[self.standing.index.get_indexer(names)]
        return tuple(names[values <= values.min() + 1e-9])

    def leaders(self, among: list[str], alpha: float) -> set[str]:
        """Return those of some that none of them is better than, as `stats_core.verdict.leaders`."""
        places = self.adjusted.index.get_indexer(among)
        better = significant(self.adjusted.to_numpy(), alpha) & (self.ahead.to_numpy() > 0)
        beaten = better[np.ix_(places, places)].any(axis=0)
        return {name for name, worse in zip(among, beaten, strict=True) if not worse}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """The analysis without one data set or algorithm: a decision, or why there is none."""

    kind: str
    name: str
    decision: LeaveOneOutDecision | None
    refusal: str = ""


def full_decision(analysis: RanksComparison | TwoComparison) -> LeaveOneOutDecision:
    """Return what the analysis decides with everything in."""
    if isinstance(analysis, TwoComparison):
        return _two(analysis)
    order, ranks = analysis.order, analysis.friedman.average_ranks[analysis.order]
    raw = None if analysis.settings.source == "ranks" else analysis.raw.statistics
    return _decide(
        analysis.omnibus.pvalue,
        ranks,
        analysis.adjusted.loc[order, order],
        _ahead(ranks) if raw is None else _sign(analysis) * raw.loc[order, order],
        analysis.settings.alpha,
    )


def runs_without(
    analysis: RanksComparison | TwoComparison, datasets: Sequence[str], algorithms: Sequence[str]
) -> Iterator[Run]:
    """Yield the analysis without each of some data sets, then without each of some algorithms."""
    if isinstance(analysis, TwoComparison):
        yield from (_tried(name, partial(_two_without, analysis, name)) for name in datasets)
        return
    yield from _ranks_without_datasets(analysis, datasets)
    drop = _ranks_without_algorithm if len(analysis.order) > 3 else _last_two
    for name in algorithms:
        yield _tried(name, partial(drop, analysis, name), "algorithm")


def _tried(name: str, decide: Callable[[], LeaveOneOutDecision], kind: str = "data set") -> Run:
    """Return what is decided without something, or why nothing is."""
    try:
        return Run(kind=kind, name=name, decision=decide())
    except FoldwiseError as error:
        return Run(kind=kind, name=name, decision=None, refusal=str(error))


def _ranks_without_datasets(analysis: RanksComparison, names: Sequence[str]) -> Iterator[Run]:
    """Yield the decisions without each data set: ranks on the others, and most sums, stay."""
    order, source = analysis.order, analysis.settings.source
    ranks, scores = analysis.friedman.ranks[order], analysis.scores[order]
    first = omnibus_without_each(ranks.to_numpy())
    own: Iterable = repeat(None)
    if source != "ranks":
        own = pairs_without_each(scores.to_numpy(), source)
    groups: dict[bytes, tuple] = {}
    for place, (name, raw) in enumerate(zip(scores.index, own, strict=False)):
        if name in names:
            given = (analysis, ranks, place, float(first[place]), raw, groups)
            yield _tried(name, partial(_without_dataset, *given))


def _without_dataset(
    analysis: RanksComparison,
    ranks: pd.DataFrame,
    place: int,
    pvalue: float,
    raw: tuple[np.ndarray, np.ndarray] | None,
    groups: dict[bytes, tuple],
) -> LeaveOneOutDecision:
    """Adjust the tests without one data set; `groups` are those of decisions that came before."""
    settings, names = analysis.settings, ranks.columns
    left = np.delete(ranks.to_numpy(), place, axis=0)
    standing = pd.Series(left.sum(axis=0) / len(left), names)
    ahead = _ahead(standing)
    if settings.correction == "nemenyi":
        adjusted = nemenyi(standing, len(left)).pvalues
    elif raw is None:
        by_ranks = exact_rank_pairs(pd.DataFrame(left, columns=names)).pvalues
        adjusted = adjust_by_nearest(by_ranks, settings.correction, average_ranks=standing)
    else:
        upper = np.triu_indices(len(names), 1)
        pvalues, statistics = np.ones((len(names),) * 2), np.zeros((len(names),) * 2)
        pvalues[upper] = pvalues.T[upper] = raw[0]
        statistics[upper], statistics.T[upper] = raw[1], -raw[1]
        adjusted = adjust_by_nearest(labeled_matrix(pvalues, names), settings.correction)
        ahead = _sign(analysis) * labeled_matrix(statistics, names)
    apart = significant(adjusted.to_numpy(), settings.alpha).tobytes()
    if apart not in groups:
        groups[apart] = tuple(cliques(adjusted, settings.alpha))
    return LeaveOneOutDecision(
        test="Iman-Davenport",
        pvalue=pvalue,
        standing=standing,
        adjusted=adjusted,
        ahead=ahead,
        groups=groups[apart],
        stood_in=fallback_correction(adjusted),
    )


def _ranks_without_algorithm(analysis: RanksComparison, name: str) -> LeaveOneOutDecision:
    """Rank the others anew; tests of two columns do not see a third, so those p-values stay."""
    left = [other for other in analysis.order if other != name]
    raw = None if analysis.settings.source == "ranks" else analysis.raw
    return _ranked(analysis, analysis.scores[left], raw)


def _ranked(
    analysis: RanksComparison, scores: pd.DataFrame, raw: PairwiseResult | None
) -> LeaveOneOutDecision:
    """Rank the scores, test and adjust; `raw` are the tests of pairs that are not from ranks."""
    settings = analysis.settings
    omnibus = _omnibus(analysis, scores)
    ranks = omnibus.average_ranks
    ahead = _ahead(ranks)
    if settings.correction == "nemenyi":
        adjusted = nemenyi(ranks, omnibus.n).pvalues
    elif raw is None:
        by_ranks = exact_rank_pairs(omnibus.ranks).pvalues
        adjusted = adjust_by_nearest(by_ranks, settings.correction, average_ranks=ranks)
    else:
        left = list(scores.columns)
        adjusted = adjust_by_nearest(raw.pvalues.loc[left, left], settings.correction)
        ahead = _sign(analysis) * raw.statistics.loc[left, left]
    return _decide(omnibus.pvalue, ranks, adjusted, ahead, settings.alpha)


def _ahead(standing: pd.Series) -> pd.DataFrame:
    """Return by how much each row stands before each column."""
    values = standing.to_numpy()
    return pd.DataFrame(values[None, :] - values[:, None], standing.index, standing.index)


def _sign(analysis: RanksComparison) -> int:
    """Return 1 if statistics of larger scores are in favour, else -1."""
    return 1 if analysis.higher_is_better else -1


def _omnibus(analysis: RanksComparison, scores: pd.DataFrame) -> RankTestResult:
    failed = analysis.results.failures == "worst rank"
    missing: Literal["worst", "refuse"] = "worst" if failed else "refuse"
    return iman_davenport(scores, higher_is_better=analysis.higher_is_better, missing=missing)


def _decide(
    pvalue: float,
    ranks: pd.Series,
    adjusted: pd.DataFrame,
    ahead: pd.DataFrame,
    alpha: float,
    test: str = "Iman-Davenport",
) -> LeaveOneOutDecision:
    return LeaveOneOutDecision(
        test=test,
        pvalue=pvalue,
        standing=ranks,
        adjusted=adjusted,
        ahead=ahead,
        groups=tuple(cliques(adjusted, alpha)),
        stood_in=fallback_correction(adjusted),
    )


def _last_two(analysis: RanksComparison, name: str) -> LeaveOneOutDecision:
    """Compare the two algorithms that are left, as `analyse` would."""
    settings = analysis.settings
    without = (*settings.without_algorithms, name)
    left = analyse(analysis.results, replace(settings, without_algorithms=without))
    return _two(cast(TwoComparison, left))


def _two(analysis: TwoComparison) -> LeaveOneOutDecision:
    return _decide_two(analysis, analysis.wilcoxon)


def _two_without(analysis: TwoComparison, name: str) -> LeaveOneOutDecision:
    scores = analysis.scores.drop(index=name)
    return _decide_two(analysis, wilcoxon(scores[analysis.first], scores[analysis.second]))


def _decide_two(analysis: TwoComparison, outcome: WilcoxonResult) -> LeaveOneOutDecision:
    names = [analysis.better, analysis.worse]
    lead = outcome.estimate if analysis.higher_is_better else -outcome.estimate
    p, standing = outcome.pvalue, pd.Series({analysis.first: -lead, analysis.second: lead})[names]
    return _decide(
        p,
        standing,
        pd.DataFrame([[1.0, p], [p, 1.0]], index=names, columns=names),
        _ahead(standing),
        analysis.settings.alpha,
        test="Wilcoxon",
    )
