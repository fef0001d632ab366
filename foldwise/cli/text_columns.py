"""Tables as columns of text, for a terminal."""

import pandas as pd
from pandas.api.types import is_numeric_dtype

from stats_core.comparison.tables.table import ResultTable

STAR = "*"  # what is printed bold elsewhere


def format_columns(table: ResultTable, *, marked: bool = False) -> str:
    """Return a table as text, names to the left and numbers to the right; a star for bold if marked."""
    shown = table.printed(longest=len(table.frame))
    cells_of = mark_best(shown) if marked else shown.texts
    texts, numbers = (shown.headed(cells).reset_index() for cells in (cells_of, shown.frame))
    columns = []
    for name in texts:
        cells = [str(name), *map(str, texts[name])]
        width = max(map(len, cells))
        right = is_numeric_dtype(numbers[name])
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    return "\n".join("  ".join(row).rstrip() for row in zip(*columns, strict=True))


def mark_best(table: ResultTable) -> pd.DataFrame:
    """Return the cells as text, every one with room for a star, which stands behind bold ones."""
    texts = table.texts
    for label, (bold, _) in table.best.items():
        for name in bold:
            texts.loc[label, name] += STAR
    for name in {name for bold, _ in table.best.values() for name in bold}:
        texts[name] = [text if text.endswith(STAR) else f"{text} " for text in texts[name]]
    return texts
