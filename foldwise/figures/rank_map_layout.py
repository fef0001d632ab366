"""Where rows, columns and names of a rank map lie."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from foldwise.figures import text
from foldwise.figures.theme import PX_PER_INCH, Style
from stats_core.robustness.similar_datasets import similarity_order


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that stand together below a head."""

    label: str
    start: int  # its rows are start to end - 1
    end: int


def width_for_names(ranks: pd.DataFrame, parts: list[Group], style: Style) -> float:
    """Return the least width in inches, to a quarter, at which every algorithm is named."""
    inches = math.ceil(4 * style.width / PX_PER_INCH) / 4
    while inches < 40:
        wider = replace(style, width=round(inches * PX_PER_INCH))
        if RankMapSizes.of(ranks, parts, wider).every == 1:
            break
        inches += 0.25
    return inches


def sort_rows_and_columns(
    ranks: pd.DataFrame, groups: pd.Series | None, concordance: pd.Series | None
) -> tuple[pd.DataFrame, list[Group]]:
    """Sort the columns by average rank and the rows by group and similarity."""
    ranks = ranks[ranks.mean().sort_values(kind="stable").index]
    if groups is None:
        return ranks.iloc[similarity_order(ranks)], []
    names = groups.dropna().unique().tolist()
    if not any(isinstance(name, str) for name in names):
        names.sort()
    groups = groups.reindex(ranks.index)
    tables, parts, start = [], [], 0
    for name in [*names, None]:
        part = ranks[groups.isna() if name is None else groups.eq(name)]
        if len(part):
            tables.append(part.iloc[similarity_order(part)])
            parts.append(Group(_label(name, concordance), start, start + len(part)))
            start += len(part)
    return pd.concat(tables), parts


def _label(name: object, concordance: pd.Series | None) -> str:
    if name is None:
        return "no group"
    label = name if isinstance(name, str) else f"group {name:g}"
    w = float("nan") if concordance is None else concordance.get(name, float("nan"))
    return label if np.isnan(w) else f"{label}, W {w:.2f}"


def row_positions(count: int, parts: list[Group], sizes: RankMapSizes) -> list[float]:
    """Return the height of every row, counted in rows; each group leaves room for its head."""
    if not parts:
        return list(range(count))
    head = sizes.head / sizes.row
    return [i + n * head for n, part in enumerate(parts, 1) for i in range(part.start, part.end)]


@dataclass(frozen=True, slots=True)
class RankMapSizes:
    """Sizes in px, and the strings to print."""

    row: float
    margin: dict[str, float]
    height: float
    named: bool
    numbers: float  # text size in the cells, 0 for none
    heads: float
    upright: bool
    columns: dict[str, str]
    rows: dict[str, str]
    groups: list[str]
    average: float  # height of the row of average ranks
    head: float  # the same above a group, with room for the hairline
    turned: bool  # whether they stand upright
    every: int  # of so many algorithms one is named, for want of room

    @staticmethod
    def of(ranks: pd.DataFrame, parts: list[Group], style: Style) -> RankMapSizes:
        """Return the sizes that ranks, in the order of `sort_rows_and_columns`, have in a style."""
        count, k = ranks.shape
        most = style.px(1100, 800)
        row = min(style.px(24, 13), max(most / (count + 1), style.px(1.0, 0.7)))
        named = row >= style.px(11, 8.4)
        # Small rows lower the text with them, but never under six points.
        size = min(style.tick_size, max(0.85 * row, 8)) if named else style.tick_size
        rows = text.shorten(
            [str(n) for n in ranks.index], 0.28 * style.width, size, serif=style.serif
        )
        widest = max(text.text_width(s, size, style.serif) for s in rows.values()) if named else 0
        groups = _short([part.label for part in parts], 0.35 * style.width, size, style)
        labels = ["average rank", *groups]
        label = max(text.text_width(s, size, style.serif) for s in labels)
        left = max(widest, label) + style.px(16, 10)
        total = style.width if style.printed else min(style.width, 820)
        column = (total - left - 8) / k
        heads = min(style.tick_size, max(0.9 * column, 8))
        high = style.px(0.3, 0.46) * style.width
        every = [str(n) for n in ranks.columns]
        columns = text.column_headers(every, column, high, heads, serif=style.serif)
        head = max(text.text_width(s, heads, style.serif) for s in columns.values())
        upright = head > column - 4
        widest_mean = text.text_width("00.00"[k < 10 :], heads, style.serif)
        turned = widest_mean > column - 3
        # Upright text is as wide as its line is high; on the screen a page stretches.
        every = max(math.ceil(1.05 * heads / column - 1e-9), 1) if style.printed else 1
        average = max(1.5 * style.tick_size, widest_mean + 6 if turned else 0.0)
        numbers = _number_size(ranks, row, column, style)
        top = (head if upright else text.row_height(columns.values(), heads, heads)) + style.px(
            12, 8
        )
        margin = {"l": left, "r": style.px(8, 6), "t": top, "b": style.px(6, 4)}
        head = average + style.px(6, 4)
        height = top + count * row + average + len(parts) * head + margin["b"]
        names = (columns, rows, groups)
        text_sizes = (numbers, heads, upright)
        return RankMapSizes(
            row, margin, height, named, *text_sizes, *names, average, head, turned, every
        )


def _short(labels: list[str], room: float, size: float, style: Style) -> list[str]:
    shown = text.shorten(labels, room, size, serif=style.serif)
    return [shown[label] for label in labels]


def _number_size(ranks: pd.DataFrame, row: float, column: float, style: Style) -> float:
    """Return the text size of the ranks in the cells, 0 if the widest does not fit."""
    if row < style.px(22, 9.4) or column < style.px(22, 11):
        return 0.0
    every = pd.unique(ranks.to_numpy(dtype=float).ravel())
    one = max((text.text_width(f"{r:g}", 1.0, style.serif) for r in every if r == r), default=0.5)
    size = min(style.tick_size, 0.7 * row, (column - 2) / one)
    return size if size >= 8 else 8.0 if row >= 9.4 and 8 * one <= column - 1 else 0.0
