"""Tables as columns of text, for a terminal."""

from pandas.api.types import is_numeric_dtype

from stats_core.comparison.tables.table import Table


def in_columns(table: Table) -> str:
    """Return a table as text, names to the left and numbers to the right."""
    shown = table.printed(longest=len(table.frame))
    texts, numbers = (shown.headed(cells).reset_index() for cells in (shown.texts, shown.frame))
    columns = []
    for name in texts:
        cells = [str(name), *map(str, texts[name])]
        width = max(map(len, cells))
        right = is_numeric_dtype(numbers[name])
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))
