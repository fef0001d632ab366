"""What --by prints: the same for each group of data sets, side by side."""

import json

from foldwise.cli.text_columns import format_columns
from stats_core.core.errors import SettingError
from stats_core.core.serialize import to_plain
from stats_core.report.text_report import table_to_csv, table_to_latex
from stats_core.robustness.by_group import ByGroup, tables_by_group


def compare_by_tag(found: ByGroup, form: str, *, orders_first: bool = False) -> str:
    """Return the analyses and orders of all groups in the format asked for."""
    tables = tables_by_group(found)
    first, *others = reversed(tables) if orders_first else tables
    match form:
        case "json":
            return json.dumps(groups_as_data(found), indent=2)
        case "latex":
            return "\n".join(map(table_to_latex, (first, *others)))
        case "csv":
            return table_to_csv(first.data).removesuffix("\n")
        case "script":
            raise SettingError(
                "A script repeats one analysis. --by asks for several. Take it away, or ask for "
                "each group with --only."
            )
    parts = [
        f"{table.title}\n{format_columns(table)}\n{table.caption}" for table in (first, *others)
    ]
    return "\n\n".join(parts)


def groups_as_data(found: ByGroup) -> dict:
    """Return every number as plain data."""
    return to_plain(
        {
            "format": 1,
            "tag": found.tag,
            "alpha": found.settings.alpha,
            "groups": found.table.rename_axis("group").reset_index(),
            "orders": {value: list(one.ordering.order) for value, one in found.orders.items()},
            "unordered": found.unordered,
            "untagged": list(found.untagged),
        }
    )
