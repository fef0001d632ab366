"""Analysis over data sets without one data set or one algorithm."""

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
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multiplicity.corrections import adjust_by_nearest, fallback_correction
from stats_core.inference.paired import WilcoxonResult, wilcoxon
from stats_core.inference.pairwise import omnibus_without_each, pairs_without_each
from stats_core.inference.rank_differences import exact_rank_pairs
from stats_core.inference.ranks import RankTestResult, iman_davenport, nemenyi


def check_all_or_two(analysis: Comparison, needs: str) -> None:
    """Raise DesignError unless all pairs or two algorithms are compared over data sets."""
    if not isinstance(analysis, RanksComparison | TwoComparison):
        control = analysis.settings.control
        actual = f"is with the control {control}" if control else f"is over {analysis.counted}"
        raise DesignError(
            f"{needs} a comparison of all pairs, or of two algorithms, over data sets. "
            f"This one {actual}. Choose all pairs on Many data sets."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaveOneOutDecision:
    """Decisions of one analysis.

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
        Whether Shaffer replaced Bergmann-Hommel.
    """

    test: str
    pvalue: float
    standing: pd.Series
    adjusted: pd.DataFrame
    ahead: pd.DataFrame
    groups: tuple[tuple[str, ...], ...]
    stood_in: bool = False

    def best(self, among: Iterable[str] | None = None) -> tuple[str, ...]:
        """Return the best ranked of the given or all algorithms, several if they tie."""
        names = self.standing.index if among is None else pd.Index(list(among))
        values = self.standing.to_numpy()[self.standing.index.get_indexer(names)]
        return tuple(names[values <= values.min() + 1e-9])

    def leaders(self, among: list[str], alpha: float) -> set[str]:
        """Return the given algorithms that none of the others given is better than."""
        positions = self.adjusted.index.get_indexer(among)
        better = significant(self.adjusted.to_numpy(), alpha) & (self.ahead.to_numpy() > 0)
        beaten = better[np.ix_(positions, positions)].any(axis=0)
        return {name for name, worse in zip(among, beaten, strict=True) if not worse}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """Analysis without one data set or algorithm: its decision, or the reason for having none."""

    kind: str
    name: str
    decision: LeaveOneOutDecision | None
    refusal: str = ""


def full_decision(analysis: RanksComparison | TwoComparison) -> LeaveOneOutDecision:
    """Return the decision of the full analysis."""
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
    """Yield the analyses without each given data set, then without each given algorithm."""
    if isinstance(analysis, TwoComparison):
        yield from (_tried(name, partial(_two_without, analysis, name)) for name in datasets)
        return
    yield from _ranks_without_datasets(analysis, datasets)
    drop = _ranks_without_algorithm if len(analysis.order) > 3 else _last_two
    for name in algorithms:
        yield _tried(name, partial(drop, analysis, name), "algorithm")


def _tried(name: str, decide: Callable[[], LeaveOneOutDecision], kind: str = "data set") -> Run:
    """Return the run, with the reason if it cannot be decided."""
    try:
        return Run(kind=kind, name=name, decision=decide())
    except FoldwiseError as error:
        return Run(kind=kind, name=name, decision=None, refusal=str(error))


def _ranks_without_datasets(analysis: RanksComparison, names: Sequence[str]) -> Iterator[Run]:
    """Yield runs without each data set, reusing the ranks on the other data sets."""
    order, source = analysis.order, analysis.settings.source
    ranks, scores = analysis.friedman.ranks[order], analysis.scores[order]
    omnibus_pvalues = omnibus_without_each(ranks.to_numpy())
    pair_tests: Iterable = repeat(None)
    if source != "ranks":
        pair_tests = pairs_without_each(scores.to_numpy(), source)
    groups: dict[bytes, tuple] = {}
    for position, (name, raw) in enumerate(zip(scores.index, pair_tests, strict=False)):
        if name in names:
            arguments = (analysis, ranks, position, float(omnibus_pvalues[position]), raw, groups)
            yield _tried(name, partial(_without_dataset, *arguments))


def _without_dataset(
    analysis: RanksComparison,
    ranks: pd.DataFrame,
    position: int,
    pvalue: float,
    raw: tuple[np.ndarray, np.ndarray] | None,
    groups: dict[bytes, tuple],
) -> LeaveOneOutDecision:
    """Return the decision without one data set; `groups` caches maximal groups."""
    settings, names = analysis.settings, ranks.columns
    remaining = np.delete(ranks.to_numpy(), position, axis=0)
    standing = pd.Series(remaining.sum(axis=0) / len(remaining), names)
    ahead = _ahead(standing)
    if settings.correction == "nemenyi":
        adjusted = nemenyi(standing, len(remaining)).pvalues
    elif raw is None:
        by_ranks = exact_rank_pairs(pd.DataFrame(remaining, columns=names)).pvalues
        adjusted = adjust_by_nearest(by_ranks, settings.correction, average_ranks=standing)
    else:
        upper = np.triu_indices(len(names), 1)
        pvalues, statistics = np.ones((len(names),) * 2), np.zeros((len(names),) * 2)
        pvalues[upper] = pvalues.T[upper] = raw[0]
        statistics[upper], statistics.T[upper] = raw[1], -raw[1]
        adjusted = adjust_by_nearest(labeled_matrix(pvalues, names), settings.correction)
        ahead = _sign(analysis) * labeled_matrix(statistics, names)
    differs_key = significant(adjusted.to_numpy(), settings.alpha).tobytes()
    if differs_key not in groups:
        groups[differs_key] = tuple(cliques(adjusted, settings.alpha))
    return LeaveOneOutDecision(
        test="Iman-Davenport",
        pvalue=pvalue,
        standing=standing,
        adjusted=adjusted,
        ahead=ahead,
        groups=groups[differs_key],
        stood_in=fallback_correction(adjusted),
    )


def _ranks_without_algorithm(analysis: RanksComparison, name: str) -> LeaveOneOutDecision:
    """Return the decision without one algorithm; pairwise tests of the others are reused."""
    remaining = [other for other in analysis.order if other != name]
    raw = None if analysis.settings.source == "ranks" else analysis.raw
    return _ranked(analysis, analysis.scores[remaining], raw)


def _ranked(
    analysis: RanksComparison, scores: pd.DataFrame, raw: PairwiseResult | None
) -> LeaveOneOutDecision:
    """Return the decision on ranked scores; `raw` are pairwise tests that do not use ranks."""
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
        names = list(scores.columns)
        adjusted = adjust_by_nearest(raw.pvalues.loc[names, names], settings.correction)
        ahead = _sign(analysis) * raw.statistics.loc[names, names]
    return _decide(omnibus.pvalue, ranks, adjusted, ahead, settings.alpha)


def _ahead(standing: pd.Series) -> pd.DataFrame:
    """Return the difference in standing of each row and column, above 0 if the row is ahead."""
    values = standing.to_numpy()
    return pd.DataFrame(values[None, :] - values[:, None], standing.index, standing.index)


def _sign(analysis: RanksComparison) -> int:
    """Return 1 if larger statistics favour an algorithm, else -1."""
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
    """Return the decision for the two remaining algorithms, as `analyse` would make it."""
    settings = analysis.settings
    without = (*settings.without_algorithms, name)
    comparison = analyse(analysis.results, replace(settings, without_algorithms=without))
    return _two(cast(TwoComparison, comparison))


def _two(analysis: TwoComparison) -> LeaveOneOutDecision:
    return _decide_two(analysis, analysis.wilcoxon)


def _two_without(analysis: TwoComparison, name: str) -> LeaveOneOutDecision:
    scores = analysis.scores.drop(index=name)
    return _decide_two(analysis, wilcoxon(scores[analysis.first], scores[analysis.second]))


def _decide_two(analysis: TwoComparison, outcome: WilcoxonResult) -> LeaveOneOutDecision:
    names = [analysis.better, analysis.worse]
    advantage = outcome.estimate if analysis.higher_is_better else -outcome.estimate
    p, standing = (
        outcome.pvalue,
        pd.Series({analysis.first: -advantage, analysis.second: advantage})[names],
    )
    return _decide(
        p,
        standing,
        pd.DataFrame([[1.0, p], [p, 1.0]], index=names, columns=names),
        _ahead(standing),
        analysis.settings.alpha,
        test="Wilcoxon",
    )
