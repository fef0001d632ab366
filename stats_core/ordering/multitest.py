"""MultiTest and Multi2Test: order by cost, unless a more expensive algorithm is significantly better."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import (
    as_table,
    check_names,
    check_one_of,
    check_probability,
    significant,
)
from stats_core.data.costs import average_cost, prior_order, same_sets
from stats_core.inference import inference_text
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import FAMILY_WISE
from stats_core.inference.ranks import RankTestResult, friedman, nemenyi, post_hoc_z

if TYPE_CHECKING:
    import networkx as nx

TEST = "test"
COST = "cost"


@dataclass(frozen=True, slots=True, kw_only=True)
class SortStep:
    """One step of the topological sort.

    Attributes
    ----------
    place : int
        The rank assigned, 1 is best.
    chosen : str
        The algorithm that gets it.
    candidates : tuple of str
        Algorithms to which no remaining one is preferred, cheapest first; the first is chosen.
    remaining : tuple of str
        Algorithms without a rank before this step, cheapest first.
    """

    place: int
    chosen: str
    candidates: tuple[str, ...]
    remaining: tuple[str, ...]

    @property
    def text(self) -> str:
        """Description of the step in one sentence, for a prior order by cost."""
        return self.describe()

    def describe(self, *, typed: bool = False) -> str:
        """Return the step as a sentence; `typed` if the user gave the prior order instead of a cost."""
        values = {"chosen": self.chosen, "candidates": self.candidates, "place": self.place}
        return inference_text("order.step", **values, typed=typed, last=len(self.remaining) == 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ordering:
    """Order of algorithms from best to worst, with the graph it is sorted from.

    Attributes
    ----------
    prior : tuple of str
        The algorithms from cheapest to most expensive.
    edges : tuple of (str, str)
        (cheaper, better): the second, more expensive algorithm is significantly better than the
        first.
    steps : tuple of SortStep
        Steps of the topological sort.
    """

    prior: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    steps: tuple[SortStep, ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The algorithms from best to worst."""
        return tuple(step.chosen for step in self.steps)

    @property
    def places(self) -> pd.Series:
        """Rank of each algorithm in the order (1 is best), listed in the prior order."""
        return pd.Series({name: i for i, name in enumerate(self.order, 1)}).loc[list(self.prior)]

    @property
    def graph(self) -> "nx.DiGraph":
        """Directed graph with an edge from each algorithm to each more expensive, significantly better one."""
        return _graph(self.prior, self.edges)

    @property
    def decisions(self) -> tuple[tuple[str, str, str], ...]:
        """Each pair of neighbours in the order, with the reason for it: (first, second, "test" or "cost")."""
        edges = set(self.edges)
        return tuple(
            (first, second, TEST if (second, first) in edges else COST)
            for first, second in zip(self.order, self.order[1:], strict=False)
        )

    @property
    def by_test(self) -> int:
        """Number of neighbouring pairs whose order a test decided; cost decided the others."""
        return sum(decision == TEST for *_, decision in self.decisions)


def multitest(prior: Sequence[str], better: pd.DataFrame) -> Ordering:
    """Order algorithms by MultiTest: cheaper first, unless the more expensive one is significantly better.

    Parameters
    ----------
    prior : sequence of str
        The algorithms from cheapest to most expensive, without ties.
    better : DataFrame of bool, algorithm x algorithm
        Whether the row is significantly better than the column. Has no effect where the better
        algorithm is also the cheaper one.

    Returns
    -------
    Ordering
        An edge leads from each algorithm to every more expensive algorithm that is better. At each
        step the cheapest algorithm without an edge to a remaining one gets the next rank.

    Raises
    ------
    DataError
        `prior` is empty; names differ or repeat; `better` is not boolean; two algorithms are each
        better than the other, or one than itself.

    Notes
    -----
    Edges lead only from cheaper to more expensive algorithms, so a node without outgoing edges always
    exists and the order is complete and unique. Neighbours in the order were decided by the test if an
    edge joins them, otherwise by cost. A single algorithm has rank 1.

    References
    ----------
    Yildiz and Alpaydin, IEEE TPAMI 28 (2006) 392; Ulas, Yildiz and Alpaydin, Pattern Recognition
    45 (2012) 1772, section 3.1.

    Examples
    --------
    C costs most and is better than A and B, which do not differ:

    >>> import pandas as pd
    >>> better = pd.DataFrame(False, list("ABC"), list("ABC"))
    >>> better.loc["C", ["A", "B"]] = True
    >>> multitest("ABC", better).order
    ('C', 'A', 'B')
    """
    names = check_names(prior, "prior")
    table = _check(names, better)
    return sort_by_edges(names, _edges_of(names, table))


def _edges_of(prior: tuple[str, ...], better: pd.DataFrame) -> tuple[tuple[str, str], ...]:
    """Return (cheaper, more expensive) for each pair whose more expensive algorithm is significantly better."""
    positions = better.index.get_indexer(list(prior))
    costlier_wins = np.triu(better.to_numpy()[np.ix_(positions, positions)].T, 1)
    return tuple((prior[cheap], prior[costly]) for cheap, costly in np.argwhere(costlier_wins))


def sort_by_edges(prior: tuple[str, ...], edges: tuple[tuple[str, str], ...]) -> Ordering:
    """Return the MultiTest order, given edges (cheaper, more expensive but significantly better)."""
    better = dict.fromkeys(prior, 0)  # number of remaining algorithms that are better
    cheaper: dict[str, list[str]] = {name: [] for name in prior}
    for cheap, costly in edges:
        better[cheap] += 1
        cheaper[costly].append(cheap)
    remaining = prior
    steps: list[SortStep] = []
    while remaining:
        candidates = tuple(name for name in remaining if not better[name])
        chosen = candidates[0]
        steps.append(
            SortStep(
                place=len(steps) + 1, chosen=chosen, candidates=candidates, remaining=remaining
            )
        )
        remaining = tuple(name for name in remaining if name != chosen)
        for name in cheaper[chosen]:
            better[name] -= 1
    return Ordering(prior=prior, edges=edges, steps=tuple(steps))


@dataclass(frozen=True, kw_only=True, eq=False)  # no slots, for cached properties
class PlaceTests:
    """Friedman's test and post hoc tests of ranks over data sets, valid for any significance level.

    Attributes
    ----------
    positions : DataFrame, data set x algorithm
        Ranks on each data set, 1 is best.
    friedman : RankTestResult
        Friedman's test of the average ranks.
    post_hoc : str
        The correction actually used, one of `CORRECTIONS`.
    """

    positions: pd.DataFrame
    friedman: RankTestResult
    post_hoc: str

    @cached_property
    def same_everywhere(self) -> bool:
        """Whether all data sets have the same order (not all tied), which counts as a rejection at every level."""
        ranks = self.friedman.ranks
        return bool((ranks == ranks.iloc[0]).to_numpy().all()) and ranks.iloc[0].nunique() > 1

    @cached_property
    def adjusted(self) -> pd.DataFrame:
        """Two-sided adjusted p-values of differences of average ranks, algorithm x algorithm."""
        return _post_hoc(self.friedman, self.post_hoc)

    def at(
        self,
        alpha: float,
        prior: tuple[str, ...],
        average_cost: pd.Series | None,
        ties: tuple[tuple[str, ...], ...],
    ) -> "SecondPass":
        """Return the second pass of Multi2Test at a level, for a prior order; costs and ties are only recorded."""
        rejected = self.same_everywhere or significant(self.friedman.pvalue, alpha)
        adjusted = self.adjusted if rejected else None
        better = _better(self.friedman.average_ranks, adjusted, alpha)
        return SecondPass(
            positions=self.positions,
            friedman=self.friedman,
            same_everywhere=self.same_everywhere,
            rejected=rejected,
            post_hoc=self.post_hoc,
            adjusted=adjusted,
            better=better,
            average_cost=average_cost,
            ties=ties,
            ordering=sort_by_edges(prior, _edges_of(prior, better)),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecondPass:
    """Second pass of Multi2Test, which combines the orders of many data sets.

    Attributes
    ----------
    positions : DataFrame, data set x algorithm
        Ranks on each data set, 1 is best (ranks of averages without folds).
    friedman : RankTestResult
        Friedman's test of the average ranks.
    same_everywhere : bool
        Whether every data set has the same order, which counts as a rejection by Friedman's test.
    rejected : bool
        Whether the pairs were tested; if not, the order is that of the cost.
    post_hoc : str
        The correction actually used, one of `CORRECTIONS`.
    adjusted : DataFrame, algorithm x algorithm, or None
        Two-sided adjusted p-values of average ranks, None if Friedman's test does not reject.
    better : DataFrame of bool, algorithm x algorithm
        Whether the row has a significantly lower average rank than the column.
    average_cost : Series by algorithm or None
        Average normalised cost, None if the user gave the order.
    ties : tuple of tuple of str
        Algorithms of equal average cost, in the order of the columns of the costs.
    ordering : Ordering
        The final graph, the steps of its sort and the order.
    """

    positions: pd.DataFrame
    friedman: RankTestResult
    same_everywhere: bool
    rejected: bool
    post_hoc: str
    adjusted: pd.DataFrame | None
    better: pd.DataFrame
    average_cost: pd.Series | None
    ties: tuple[tuple[str, ...], ...]
    ordering: Ordering

    @property
    def average_ranks(self) -> pd.Series:
        """Average rank of each algorithm over data sets."""
        return self.friedman.average_ranks


def multi2test(
    positions: pd.DataFrame,
    prior: Sequence[str] | None = None,
    *,
    costs: pd.DataFrame | None = None,
    scale: str = "largest",
    post_hoc: str = "bergmann_hommel",
    alpha: float = 0.05,
) -> SecondPass:
    """Combine the MultiTest orders of many data sets into one order (second pass of Multi2Test).

    Parameters
    ----------
    positions : DataFrame, data set x algorithm
        Ranks by MultiTest on each data set, 1 is best.
    prior : sequence of str, optional
        The algorithms from cheapest to most expensive; by default ordered by `costs`.
    costs : DataFrame, data set x algorithm, optional
        Costs, scaled within each data set and then averaged over data sets; not used if `prior` is
        given.
    scale : str
        How costs of a data set are made comparable: "largest" (divided by the maximum), "sum",
        "min-max", "rank" or "log" (mean logarithm).
    post_hoc : str
        Correction of the two-sided tests of average ranks: "bergmann_hommel", "shaffer", "holm",
        "hommel", "hochberg", "bonferroni", "nemenyi" or "none". Shaffer replaces Bergmann-Hommel
        for many algorithms.
    alpha : float
        Level of Friedman's test and of the post hoc family.

    Returns
    -------
    SecondPass
        Friedman's test, adjusted p-values of the average ranks, and in `ordering` the final order.

    Raises
    ------
    SettingError, DataError, DesignError
        Neither prior nor costs; positions and prior name different algorithms, positions and
        costs different data sets; a position or a cost is missing; fewer than two data sets or
        algorithms; unknown scale or correction; alpha outside (0, 1).

    Notes
    -----
    If Friedman's test does not reject, the order is that of the cost. If all data sets have the same order,
    it counts as rejected, however few they are. Algorithms of equal average cost keep their order in `costs`.

    References
    ----------
    Ulas, Yildiz and Alpaydin 2012, Table 2, lines 8 to 16.

    Examples
    --------
    >>> import pandas as pd
    >>> places = pd.DataFrame([[3, 1, 2]] * 6, columns=["a", "b", "c"])
    >>> multi2test(places, "abc").ordering.order
    ('b', 'a', 'c')
    """
    check_probability(alpha, "alpha")
    positions = as_table(positions, "positions")
    average = None
    ties: tuple[tuple[str, ...], ...] = ()
    if prior is None:
        if costs is None:
            raise SettingError.of("no prior")
        average = average_cost(costs, scale)
        prior, ties = prior_order(average)
    prior = check_names(prior, "prior")
    tests = place_tests(positions, prior, post_hoc)
    if average is not None:
        same_sets(
            as_table(costs, "costs").rename(columns=str), tests.positions, "costs", "positions"
        )
    return tests.at(alpha, prior, average, ties)


def place_tests(positions: pd.DataFrame, prior: tuple[str, ...], post_hoc: str) -> PlaceTests:
    """Return the tests used by `multi2test`, valid at every level; an error for unsuitable ranks or `post_hoc`."""
    check_one_of(post_hoc, FAMILY_WISE, "post_hoc")
    if len(positions) < 2:
        raise DesignError.of("few positions", n=len(positions))
    if len(prior) == 1:
        raise DesignError.of("order of one")
    table = positions.rename(columns=str)
    if sorted(table.columns) != sorted(prior):
        raise DataError.of(
            "positions must have one column for each algorithm",
            columns=join_names(table.columns, 8),
            prior=join_names(prior, 8),
        )
    table = table[list(prior)]
    return PlaceTests(
        positions=table,
        friedman=friedman(table, higher_is_better=False),
        post_hoc=adjust.usable_correction(post_hoc, len(prior), source="ranks"),
    )


def _check(names: tuple[str, ...], better: pd.DataFrame) -> pd.DataFrame:
    """Return `better` as a boolean table in the order of `names`; DataError for other names or invalid cells."""
    table = as_table(better, "better").rename(index=str, columns=str)
    if not names or len(set(names)) < len(names):
        raise DataError.of("prior incomplete")
    if sorted(table.index) != sorted(names) or sorted(table.columns) != sorted(names):
        raise DataError.of(
            "better must name the algorithms of prior",
            index=join_names(table.index, 8),
            columns=join_names(table.columns, 8),
            names=join_names(names, 8),
        )
    if not table.isin([True, False]).to_numpy().all():
        raise DataError.of("better not boolean")
    table = table.loc[list(names), list(names)].astype(bool)
    reflexive = table.index[np.diag(table)]
    if len(reflexive):
        raise DataError.of(
            "No algorithm can be better than itself", reflexive=join_names(reflexive, 4)
        )
    both = table & table.T
    if both.to_numpy().any():
        first = both.any(axis=1).idxmax()
        second = both.loc[first].idxmax()
        raise DataError.of("Of two algorithms one can be better", first=first, second=second)
    return table


def _graph(names: Sequence[str], edges: Sequence[tuple[str, str]]) -> "nx.DiGraph":
    import networkx as nx  # imported late: it takes 0.2 s

    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(edges)
    return graph


def _post_hoc(ranked: RankTestResult, correction: str) -> pd.DataFrame:
    if correction == "nemenyi":
        return nemenyi(ranked.average_ranks, ranked.n).pvalues
    raw = post_hoc_z(ranked.average_ranks, ranked.n).pvalues
    return adjust.adjust_by_nearest(raw, correction, average_ranks=ranked.average_ranks)


def _better(ranks: pd.Series, adjusted: pd.DataFrame | None, alpha: float) -> pd.DataFrame:
    if adjusted is None:
        return labeled_matrix(False, ranks.index)
    lower = ranks.to_numpy()[:, None] < ranks.to_numpy()[None, :]
    return significant(adjusted, alpha) & lower
