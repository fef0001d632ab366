"""Analysis of each group of data sets, side by side."""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.claims import LIMITED
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.table import ResultTable, unused_label, write_p, write_scores
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import FoldwiseError, NeedsCost
from stats_core.core.formatting import format_count, format_number, join_names
from stats_core.data.groups import groups_of
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings, select
from stats_core.inference.multiplicity.adjust import adjust_family
from stats_core.inference.resolve_settings import pvalue_source
from stats_core.ordering.one_sided_evidence import evidence_over
from stats_core.ordering.order import Order, OrderRules, order_of

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
        "first test p": _first_p(comparison),
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


def _first_p(comparison: Comparison) -> float | None:
    """Return the p-value of the omnibus test; of two algorithms that of their test."""
    if comparison.first_test is not None:
        return float(comparison.first_test.outcome.pvalue)
    pairs = comparison.pairs()
    return float(pairs["p adjusted"].iloc[0]) if len(pairs) == 1 else None


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


def tables_by_group(found: ByGroup, number_of: str = "") -> list[ResultTable]:
    """Return the table of groups, and the orders by cost if there are any."""
    orders = [_orders_side_by_side(found, f"orders_by_group{number_of}")] if found.orders else []
    return [_side_by_side(found, f"by_group{number_of}"), *orders]


def _side_by_side(groups: ByGroup, name: str) -> ResultTable:
    table, settings = groups.table, groups.settings
    scores = pd.to_numeric(table["average"]).to_frame()
    frame = table.assign(
        **{
            "first test p": pd.to_numeric(table["first test p"]),
            "p Holm over groups": pd.to_numeric(table["p Holm over groups"]),
            "average": scores["average"],
            "average rank": pd.to_numeric(table["average rank"]),
            "pairs separated": _of_all(table),
        }
    ).drop(columns=["pairs", "by more", "equivalent"])
    if table["by more"].notna().any():
        frame[f"±{settings.region:g}"] = _of_region(table)
    frame = frame[[*(name for name in frame if name != "verdict"), "verdict"]]
    empty = ["p Holm over groups", "average", "average rank"]
    frame = frame.drop(columns=[column for column in empty if frame[column].isna().all()])
    k = len(groups.groups)
    untagged_text = f" In no group: {join_names(groups.untagged, 6)}." if groups.untagged else ""
    return ResultTable(
        name=name,
        title=f"By {groups.tag}",
        frame=frame,
        formats={
            "first test p": write_p(settings.alpha),
            "p Holm over groups": write_p(settings.alpha),
            "average": write_scores(scores),
            "average rank": format_number,
        },
        caption=f"The same analysis on the data sets of each {groups.tag}; the average is that of the best. "
        f"{_doubts(k, settings, holm='p Holm over groups' in frame)}{_region_told(settings, frame)}{untagged_text}",
    )


def _doubts(k: int, settings: Settings, *, holm: bool) -> str:
    """Return sentences on the error rate over several groups."""
    if k < 2:
        return f"There is one group, tested at {settings.alpha:g}."
    holm_text = " Holm over groups bounds it for the first tests alone." if holm else ""
    return (
        f"{k} groups are {k} families, each tested at {settings.alpha:g}; nothing bounds the chance "
        f"of a false difference over all of them together.{holm_text} That one group decides and another "
        "does not is no sign that they differ."
    )


def _of_all(table: pd.DataFrame) -> list[str]:
    return [
        f"{int(n_separated)} of {int(n_pairs)}" if n_pairs == n_pairs and n_pairs else ""
        for n_separated, n_pairs in zip(table["pairs separated"], table["pairs"], strict=True)
    ]


def _region_told(settings: Settings, frame: pd.DataFrame) -> str:
    """Return the caption of the equivalence column; "" if there is none."""
    if settings.region is None or (head := f"±{settings.region:g}") not in frame:
        return ""
    return f" {head}: pairs shown to differ by more than that, or to be equivalent within it."


def _of_region(table: pd.DataFrame) -> list[str]:
    """Return texts with the numbers of pairs beyond the region and equivalent."""
    return [
        f"{int(n_beyond)} by more, {int(n_equivalent)} equivalent" if n_beyond == n_beyond else ""
        for n_beyond, n_equivalent in zip(table["by more"], table["equivalent"], strict=True)
    ]


def _orders_side_by_side(groups: ByGroup, name: str) -> ResultTable:
    columns = {value: list(order.ordering.order) for value, order in groups.orders.items()}
    frame = pd.DataFrame(columns)
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="place")
    by = next(iter(groups.orders.values())).rules.cost_label
    reasons = "".join(f" {value}: {reason}" for value, reason in groups.unordered.items())
    return ResultTable(
        name=name,
        title=f"Order by {by}, by {groups.tag}",
        frame=frame,
        caption=f"Cost-aware order on the data sets of each {groups.tag}: by {by}, unless a more expensive "
        f"algorithm is significantly better (\N{GREEK SMALL LETTER ALPHA} = {groups.settings.alpha:g} in each group).{reasons}",
    )
