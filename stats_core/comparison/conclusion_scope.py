"""Scope of a conclusion (files, population, data sets, measures), and whether it may cite another comparison."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import singledispatch
from typing import Any

from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison, population_of_folds
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import Settings
from stats_core.ordering.order import Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Scope of a conclusion.

    Attributes
    ----------
    files : str
        The digest of the files; "" for a table in memory.
    population : str
        Population that its tests generalise to, one of `SCOPES`.
    measures, datasets, algorithms : frozenset of str
        Measures, data sets and algorithms compared.
    alpha : float
        The significance level.
    """

    files: str
    population: str
    measures: frozenset[str]
    datasets: frozenset[str]
    algorithms: frozenset[str]
    alpha: float

    def differences(self, other: "Scope") -> frozenset[str]:
        """Return the names of the attributes in which two scopes differ."""
        names = (field.name for field in fields(self))
        return frozenset(name for name in names if getattr(self, name) != getattr(other, name))


@singledispatch
def scope_of(about: Any) -> Scope:
    """Return the scope of a comparison or an order."""
    return _scope(about, about.results.datasets, about.measures_compared, about.scope)


@scope_of.register
def _scope_of_order(order: Order) -> Scope:
    results = order.results
    population = "data sets"
    if order.second is None:
        population = population_of_folds(results.design_of(results.datasets[0]))
    measure = order.settings.measure if order.rules.theta is None else order.measure
    return _scope(order, order.each or results.datasets, (measure,), population)


def _scope(
    about: Comparison | Order, datasets: Collection[str], measures: Collection[str], population: str
) -> Scope:
    """Return the scope of a comparison or an order with the given data sets, measures and population."""
    return Scope(
        files=about.results.digest,
        population=population,
        measures=frozenset(measures),
        datasets=frozenset(datasets),
        algorithms=frozenset(about.results.algorithms),
        alpha=about.settings.alpha,
    )


def may_cite(about: Comparison | Order, cited: Comparison, *, naming: Collection[str] = ()) -> bool:
    """Return whether a conclusion may cite another comparison: of the same scope except for attributes in `naming`.

    `cited` must include all algorithms of `about`.

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core import Results, analyse
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.3, 0.2]})
    >>> results = Results.from_frame(table)
    >>> pair, every = analyse(results, Settings(pair=("a", "b"))), analyse(results)
    >>> may_cite(pair, every), may_cite(pair, every, naming=["algorithms"])
    (False, True)
    """
    scope, cited_scope = scope_of(about), scope_of(cited)
    return (
        scope.differences(cited_scope) <= {*naming} and scope.algorithms <= cited_scope.algorithms
    )


def pairwise_settings(order: Order, settings: Settings) -> Settings:
    """Return `settings` changed to those of a pairwise comparison with the same scope as an order."""
    datasets = tuple(order.each or order.results.datasets)
    skipped = tuple(name for name in order.results.datasets if name not in datasets)
    return replace(
        settings,
        measure=order.settings.measure,
        alpha=order.settings.alpha,
        test_fraction=order.settings.test_fraction,
        correction="" if settings.control else settings.correction,
        control="",
        pair=(),
        measures=(),
        thresholds=False,
        test="",
        source="" if len(datasets) == 1 else settings.source,
        without_datasets=(*settings.without_datasets, *skipped),
        dataset=datasets[0] if len(datasets) == 1 else "",
    )


def pairwise_comparison(order: Order, available: Comparison | None = None) -> Comparison | None:
    """Return a comparison an order may cite: `available` if possible, else a new one; None if neither is possible."""
    if available is not None and may_cite(order, available):
        return available
    settings = replace(order.settings, without_algorithms=(), without_datasets=(), only=())
    with suppress(FoldwiseError):
        comparison = analyse(order.results, pairwise_settings(order, settings))
        return comparison if may_cite(order, comparison) else None
    return None
