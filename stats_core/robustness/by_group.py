"""Analysis of each group of data sets, side by side."""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED
from stats_core.comparison.kinds.control_and_pairs import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError, NeedsCost
from stats_core.core.formatting import format_count, unused_label
from stats_core.data.groups import groups_of
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings, select
from stats_core.inference.multiplicity.adjust import adjust_family
from stats_core.inference.resolve_settings import pvalue_source
from stats_core.ordering.one_sided_evidence import evidence_over
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.report.verdict import verdict
from stats_core.robustness.variations import first_pvalue

EVERY = "all data sets"
COLUMNS = [
    *("data sets", "badge", "verdict", "first test p", "p Holm over groups"),
    *("best", "average", "average rank", "pairs separated", "pairs", "by more", "equivalent"),
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ByGroup:
    """Analyses of all groups of data sets.

    Attributes
    ----------
    tag : str
        Tag that groups the data sets.
    settings : Settings
        Settings of every analysis.
    table : DataFrame
        One row per group, and the first for all data sets together: data sets (how many), badge
        and verdict (the headline, or why there is no test), first test p, p Holm over groups,
        best (algorithm), average (of the best), average rank (of the best), pairs separated, pairs,
        by more and equivalent (pairs that are, where a region is set).
    orders : dict of str to Order
        The order by cost of each group that has one.
    unordered : dict of str to str
        Groups without an order, and why.
    untagged : tuple of str
        Data sets in no group.
    """

    tag: str
    settings: Settings
    table: pd.DataFrame
    orders: dict[str, Order] = field(default_factory=dict)
    unordered: dict[str, str] = field(default_factory=dict)
    untagged: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups."""
        return tuple(self.table.index[1:])


def by_group(
    results: Results,
    settings: Settings | None,
    tag: str,
    *,
    rules: OrderRules | None = None,
    whole: Comparison | None = None,
) -> ByGroup:
    """What does the same analysis say of each group of data sets?

    Notes
    -----
    Each group is a family of its own at the level alpha. Holm over groups bounds the chance that
    any first test rejects where nothing differs, for the groups have no data set in common; the
    pairs within groups are not adjusted for the number of groups. That one group decides and
    another does not is no test of a difference between them.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": list("uvwxyz") * 2, "algorithm": ["a"] * 6 + ["b"] * 6,
    ...                       "error": [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.2, 0.4, 0.6, 0.3, 0.5, 0.7]})
    >>> tags = pd.DataFrame({"kind": list("ssstt")}, index=list("uvwxy"))
    >>> found = by_group(Results.from_frame(table, groups=tags), None, "kind")
    >>> found.table["data sets"].to_dict(), found.untagged
    ({'all data sets': 6, 's': 3, 't': 2}, ('z',))
    """
    settings = settings or Settings()
    selected, test = select(results, settings), settings.test
    settings = replace(
        settings, only=(), without_datasets=(), without_algorithms=(), dataset="", pair=(), test=""
    )
    if settings.source and settings.source == pvalue_source(selected, replace(settings, source="")):
        settings = replace(settings, source="")  # advised source, so choose it again for each group
    groups = groups_of(selected, tag)
    tagged = {name for names in groups.values() for name in names}
    all_label = unused_label(EVERY, list(groups))
    parts = {
        all_label: selected,
        **{value: selected.select(datasets=names) for value, names in groups.items()},
    }
    rows = {
        value: _row(part, settings, whole if value == all_label else None)
        for value, part in parts.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=COLUMNS).rename_axis(tag)
    tests = table["first test p"].iloc[1:].dropna().astype(float)
    if len(tests) > 1:
        table.loc[tests.index, "p Holm over groups"] = adjust_family(tests.to_numpy(), "holm")
    order_settings = replace(
        settings, measures=(), thresholds=False, region=None, test="" if test == TUKEY else test
    )
    orders, unordered = _orders(parts, order_settings, rules) if rules else ({}, {})
    return ByGroup(
        tag=tag,
        settings=settings,
        table=table,
        orders=orders,
        unordered=unordered,
        untagged=tuple(name for name in selected.datasets if name not in tagged),
    )


def _row(part: Results, settings: Settings, known: Comparison | None) -> dict[str, Any]:
    """Return the row of one group, with the reason if it cannot be analysed."""
    n = len(part.datasets)
    untested = {"data sets": n, "badge": LIMITED, "best": ""}
    if n < 2:
        return {
            **untested,
            "verdict": f"{format_count(n, 'data set')}: a test over data sets needs two.",
        }
    try:
        comparison = known or analyse(part, settings)
    except FoldwiseError as error:
        return {**untested, "verdict": str(error)}
    group_verdict, pairs = verdict(comparison), comparison.pairs()
    row = {
        "data sets": n,
        "badge": group_verdict.badge,
        "verdict": group_verdict.headline,
        "first test p": first_pvalue(comparison),
        "best": comparison.order[0] if len(comparison.order) > 1 else "",
        "pairs separated": int(pairs["separated"].sum()),
        "pairs": len(pairs),
    }
    if region_results := comparison.regions():
        row["by more"] = sum(result in ("better", "worse") for result in region_results)
        row["equivalent"] = region_results.count("equivalent")
    if row["best"] and not comparison.together:
        row["average"] = comparison.scores[row["best"]].mean(skipna=False)
    if isinstance(comparison, RanksComparison | ControlComparison):
        row["average rank"] = comparison.friedman.average_ranks[row["best"]]
    return row


def _orders(
    parts: dict[str, Results], settings: Settings, rules: OrderRules
) -> tuple[dict[str, Order], dict[str, str]]:
    """Return the order by cost on each group; nothing without costs."""
    first = next(iter(parts.values()))
    if len(first.algorithms) < 2 or not first.datasets:
        return {}, {}
    orders, unordered = {}, {}
    try:
        evidence = evidence_over(first, settings, theta=rules.theta, undivided=rules.undivided)
    except FoldwiseError:
        evidence = None  # `order_of` raises the reason
    for value, part in parts.items():
        try:
            orders[value] = order_of(
                part, settings, rules, found=evidence if part.with_folds else None
            )
        except NeedsCost:
            return {}, {}
        except FoldwiseError as error:
            unordered[value] = str(error)
    return orders, unordered
