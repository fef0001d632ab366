"""Tables of the analysis of each group of data sets."""

import pandas as pd

from stats_core.core.formatting import format_number, join_names
from stats_core.data.settings import Settings
from stats_core.report.tables.table import ResultTable, write_p, write_scores
from stats_core.report.tables.table_parts import table_text
from stats_core.report.varied_verdicts import ByGroup


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
        frame=frame,
        formats={
            "first test p": write_p(settings.alpha),
            "p Holm over groups": write_p(settings.alpha),
            "average": write_scores(scores),
            "average rank": format_number,
        },
        **table_text(
            "group",
            "side_by_side",
            groups=groups,
            doubts=_doubts(k, settings, holm="p Holm over groups" in frame),
            region_told=_region_told(settings, frame),
            untagged_text=untagged_text,
        ),
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
        name=name, frame=frame, **table_text("group", "orders_side_by_side", by=by, groups=groups, reasons=reasons)
    )
