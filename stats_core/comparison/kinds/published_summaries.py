"""Comparisons of published summaries, and of results that allow no test."""

from dataclasses import dataclass, replace
from math import comb, sqrt
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison import result
from stats_core.comparison.kinds import datasets
from stats_core.comparison.kinds.datasets import ByAverageRanks
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.pairs import PAIR_COLUMNS, Pairs, ordered_pairs, pair_values, pairs_frame
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import PairwiseResult, cached, labeled_matrix
from stats_core.core.validation import significant
from stats_core.data.published import Published, rounding_error
from stats_core.data.settings import Settings
from stats_core.inference import pair_intervals, pairwise
from stats_core.inference.methods import Estimate
from stats_core.inference.multiplicity import adjust, win_counts
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.ranks import (
    critical_difference,
    friedman_of_ranks,
    iman_davenport_of_ranks,
    post_hoc_z,
)
from stats_core.ordering import multitest
from stats_core.ordering.multitest import Ordering


@dataclass(frozen=True, kw_only=True, eq=False)
class UntestedComparison(result.Comparison):
    """Averages of algorithms when no test is possible."""

    kind: ClassVar[str] = "untested"
    shape = result.Shape(over="nothing")
    groups = ()
    scope = "none"  # nothing is inferred
    test_name = "no test"
    guarantee = result.ErrorControl(bounds="nothing", comparisons=0)

    @property
    def least(self) -> result.SmallestPValue:
        """Smallest p-value 1, as there is no test."""
        return result.SmallestPValue(pvalue=1.0, counted=self.counted)

    @property
    def order(self) -> list[str]:
        """Algorithms from best to worst average over data sets."""
        means = self.scores.mean().sort_values(
            ascending=not self.higher_is_better, kind="stable", na_position="last"
        )
        return list(means.index)

    @property
    def pairs(self) -> Pairs:
        """No pairs."""
        return self._pairs_of(pd.DataFrame(columns=list(PAIR_COLUMNS)))

    @property
    def beats(self) -> pd.DataFrame:
        """All False, because nothing is tested."""
        return pd.DataFrame(False, index=self.order, columns=self.order)

    @property
    def counted(self) -> result.Units:
        """Number of data sets."""
        return result.Units(n=len(self.results.datasets), noun="data set")

    @property
    def obstacle(self) -> str:
        """Key of the reason why no test is possible."""
        if len(self.results.algorithms) < 2:
            return "one algorithm"
        cases = self.results.predictions
        return "one number" if cases is None or "instance" in cases else "unnamed cases"

    def table(self) -> pd.DataFrame:
        """Return the averages, one row per data set."""
        return self.scores.rename_axis("dataset").reset_index()


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedRanks(ByAverageRanks):
    """Published average ranks of two or more algorithms, without the underlying results.

    Attributes
    ----------
    published : Published
        The summary as read.
    raw : PairwiseResult
        z tests of all pairs, unadjusted.
    adjusted : DataFrame, algorithm x algorithm
        Adjusted p-values.
    """

    kind: ClassVar[str] = "published ranks"
    shape = result.Shape(ranks=True, published=True)
    published: Published
    raw: PairwiseResult
    adjusted: pd.DataFrame
    estimate = Estimate.AVERAGE_RANK
    digits = 2  # of rank differences

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm has a significantly better average rank than the column algorithm."""
        ranks = self.friedman.average_ranks[self.adjusted.index].to_numpy()
        return significant(self.adjusted, self.settings.alpha) & (ranks[None, :] > ranks[:, None])

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the better ranked first, smallest adjusted p on top.

        The estimate is the difference of average ranks, with an interval at the error rate of
        `error_rates`.
        """
        order, ranks = self.order, self.friedman.average_ranks
        first, second = ordered_pairs(order)
        difference = ranks[first].to_numpy() - ranks[second].to_numpy()
        p, adjusted = (pair_values(self.raw.pvalues, order), pair_values(self.adjusted, order))
        margin = self._margins(p, adjusted)
        columns = {
            "estimate": difference,
            "low": difference - margin,
            "high": difference + margin,
            "statistic": self.raw.statistics,
            "p": p,
            "p adjusted": adjusted,
        }
        return self._pairs_of(pairs_frame(order, columns, self.settings.alpha))

    def _margins(self, p: np.ndarray, adjusted: np.ndarray) -> np.ndarray | float:
        """Return the half-width of the interval of each pair, or a number if all are equal."""
        k, n, alpha = len(self.order), self.friedman.n, self.settings.alpha
        if self.settings.correction == "nemenyi":
            return critical_difference(k, n, alpha)
        rates = pair_intervals.error_rates(p, adjusted, alpha, correction=self.settings.correction)
        return stats.norm.isf(rates / 2) * sqrt(k * (k + 1) / (6 * n))

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable: one algorithm is first and another last on all data sets."""
        return pairwise.smallest_pvalue(len(self.order), n, self.settings, exact=False)

    @property
    def ordered_by(self) -> result.Standing:
        """Average ranks, by which the algorithms are ordered."""
        return datasets.by_rank(self.friedman.average_ranks)

    def alternatives(self) -> list[tuple[str, Settings]]:
        """Return labelled settings, one per other correction."""
        return datasets.other_corrections(self.settings, CORRECTIONS)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on error control, ranks that do not fit, the omnibus test, sensitivity to rounding, and choices."""
        near = self.near_by_rounding
        rounding = (
            (message("near by rounding", pairs=near, digits=self.published.digits),) if near else ()
        )
        mismatch = tuple(note for note in self.results.notes if note.code == "ranks do not fit")
        return (
            *datasets.weak_control(self.guarantee),
            *mismatch,
            *self.omnibus.warnings,
            *rounding,
            *self.results.choices,
        )

    @property
    def near_by_rounding(self) -> tuple[str, ...]:
        """Pairs ("a and b") whose decision could change with more decimals of the average ranks."""
        k, alpha = len(self.order), self.settings.alpha
        z_error = rounding_error(self.published.digits) / sqrt(k * (k + 1) / (6 * self.friedman.n))
        table = self.pairs.frame
        z = table["estimate"].abs().to_numpy() / sqrt(k * (k + 1) / (6 * self.friedman.n))
        ratio = table["p adjusted"] / np.maximum(table["p"], 1e-300)
        low = ratio * 2 * stats.norm.sf(z + z_error)
        high = ratio * 2 * stats.norm.sf(np.maximum(z - z_error, 0))
        near = significant(low, alpha) & ~significant(high, alpha)
        return tuple(f"{a} and {b}" for a, b in table.loc[near, ["first", "second"]].to_numpy())


def compare_published_ranks(inputs: result.Inputs, published: Published) -> PublishedRanks:
    """Return tests of published average ranks; DesignError if algorithms were left out or other tests asked for."""
    results, settings = inputs.results, inputs.settings
    if set(results.algorithms) != set(published.names):
        raise DesignError.of("ranked together")
    if settings.source not in ("", "ranks"):
        raise DesignError.of("published summary only", lacks=published.lacks)
    inputs = datasets.with_usable_correction(
        replace(inputs, settings=replace(settings, source="ranks"))
    )
    settings = inputs.settings
    n, k, ranks = published.n, len(published.names), published.average_ranks
    friedman = friedman_of_ranks(ranks, n, digits=published.digits)
    raw = post_hoc_z(ranks, n)
    return PublishedRanks(
        inputs=inputs,
        published=published,
        friedman=friedman,
        omnibus=iman_davenport_of_ranks(ranks, n, digits=published.digits),
        raw=raw,
        adjusted=datasets.adjust_ranks(friedman, raw, settings),
        critical_difference=datasets.nemenyi_difference(k, n, settings),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedDecisions(result.Comparison):
    """Published decisions: which pairs differ, or which algorithm of a pair is better.

    Attributes
    ----------
    published : Published
        The summary as read.
    decided : DataFrame, algorithm x algorithm
        Whether the row is better than the column; for decisions without direction, whether they
        differ.
    ordering : Ordering or None
        By MultiTest; None if decisions have no direction.
    """

    kind: ClassVar[str] = "published decisions"
    shape = result.Shape(over="nothing", published=True)
    measure_label = "published decisions"
    scope = "none"  # the population behind the decisions is not known
    test_name = "decisions as published"
    published: Published
    decided: pd.DataFrame
    ordering: Ordering | None

    @property
    def order(self) -> list[str]:
        """Algorithms in MultiTest order, or in table order if decisions have no direction."""
        return list(self.decided.index if self.ordering is None else self.ordering.order)

    @property
    def differs(self) -> pd.DataFrame:
        """Whether each pair differs, as a symmetric matrix."""
        return self.decided | self.decided.T

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, differing pairs on top; the better algorithm first if known, numbers NaN."""
        order, differs = self.order, self.differs
        first, second = ordered_pairs(order)
        turned = pair_values(self.decided.T, order) & (self.ordering is not None)
        first, second = np.where(turned, (second, first), (first, second))
        columns = {"first": first, "second": second, "separated": differs}
        table = pairs_frame(order, columns, self.settings.alpha)
        table = table.sort_values("separated", ascending=False, kind="stable", ignore_index=True)
        return self._pairs_of(table)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm is better than the column; all False if decisions have no direction."""
        return labeled_matrix(False, self.decided.index) if self.ordering is None else self.decided

    @property
    @cached
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Maximal groups of algorithms without a differing pair."""
        differs = self.differs.loc[self.order, self.order]
        return tuple(cliques(labeled_matrix(np.where(differs, 0.0, 1.0), self.order), 0.5))

    @property
    def counted(self) -> result.Units:
        """Number of decisions."""
        return result.Units(n=comb(len(self.order), 2), noun="decision")

    @property
    def least(self) -> result.SmallestPValue:
        """No bound (p-value 0), because no p-values are known."""
        return result.SmallestPValue(counted=self.counted)

    @property
    def guarantee(self) -> result.ErrorControl:
        """No guarantee, because the adjustment behind the decisions is unknown."""
        return result.ErrorControl(bounds="nothing", comparisons=self.counted.n, adjusted=False)

    @property
    def notes(self) -> tuple[Message, ...]:
        """Note on the prior order, if decisions have a direction, and the choices made on reading."""
        if self.ordering is None:
            return tuple(self.results.choices)
        typed = bool(self.settings.prior)
        prior = message("prior taken", prior=self.ordering.prior, typed=typed)
        return (prior, *self.results.choices)


def compare_published_decisions(inputs: result.Inputs, published: Published) -> PublishedDecisions:
    """Return the comparison by published decisions; SettingError if `prior` omits algorithms or has unknown ones."""
    results, settings = inputs.results, inputs.settings
    present = set(results.algorithms)
    names = [name for name in published.names if name in present]
    prior = tuple(name for name in settings.prior if name in present) or tuple(names)
    if set(prior) != present or set(settings.prior) - set(published.names):
        raise SettingError.of("prior of published", order=settings.prior, names=names)
    decided = published.matrix("decided").loc[names, names]
    return PublishedDecisions(
        inputs=inputs,
        published=published,
        decided=decided,
        ordering=multitest.multitest(prior, decided) if published.sided else None,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedWins(OnWins):
    """Published numbers of wins of each algorithm against each other algorithm.

    Attributes
    ----------
    published : Published
        The summary as read.
    ties : DataFrame, algorithm x algorithm
        Numbers of data sets on which two algorithms tie.
    """

    kind: ClassVar[str] = "published wins"
    shape = result.Shape(wins=True, published=True)
    published: Published
    ties: pd.DataFrame


def compare_published_wins(inputs: result.Inputs, published: Published) -> PublishedWins:
    """Return the comparison of published counts of wins by sign tests."""
    results, settings = inputs.results, inputs.settings
    names = list(results.algorithms)
    wins, n = published.matrix("wins").loc[names, names], published.n
    raw = win_counts.sign_matrix(wins, n)
    correction = win_counts.wins_correction(settings.correction)
    ties = (n - wins - wins.T).where(~np.eye(len(names), dtype=bool), 0)
    return PublishedWins(
        inputs=inputs,
        published=published,
        wins=wins,
        ties=ties,
        raw=raw,
        adjusted=adjust.adjust_pairs(raw, correction),
        n=n,
        correction=correction,
    )
