"""Matrix of wins over data sets, bold where the sign test is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.spec import (
    MOST_NAMES,
    FigureSpec,
    aligned,
    alt_head,
    cached_figure,
    figure_text,
    tested_line,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.core.formatting import format_count

if TYPE_CHECKING:
    from stats_core.inference.multiplicity.win_counts import Wins

_REFERENCE_WIDTH = 820  # px for which the layout is computed; screen figures stretch
_ANY = "any win"  # head of the column of totals
_GAP = 0.3  # space before the column of totals, in column widths
_CLEAR = "rgba(0,0,0,0)"
_HOVER_LINE = 60  # characters of a line of data sets in hover


@dataclass(frozen=True, kw_only=True, eq=False)
class WinsTable(FigureSpec):
    """Numbers of data sets on which the row algorithm wins over the column algorithm.

    Each cell has a count with a thin bar of that length below it, bold if the pair differs and the
    row has more wins. With more than 12 algorithms bars are omitted; if columns are too narrow for
    numbers, a triangle replaces bold. The customdata of a cell is ``[row, column]``.

    Attributes
    ----------
    wins : DataFrame, algorithm x algorithm
        Number of data sets on which the row wins over the column.
    differs : DataFrame, algorithm x algorithm
        Whether the pair differs significantly by the sign test over data sets.
    total : Series by algorithm
        Number of data sets on which an algorithm wins over at least one other algorithm.
    order : sequence of str, optional
        Algorithms from best to worst, the order of rows and columns; by default as in `wins`.
    n_sets : int, optional
        Number of data sets, to which bars are relative and which hover text names. By default bars
        are relative to the largest number.
    won : mapping of (row, column) to sequence of str, optional
        The data sets behind each count, listed in hover.
    hover : DataFrame, optional
        Additional hover text of each cell of `wins`, plain, with line breaks between lines.
    measure, over : str
        Measure and data as text.
    data : DataFrame, optional
        The table of numbers.
    """

    wins: pd.DataFrame
    differs: pd.DataFrame
    total: pd.Series
    order: Sequence[str] | None = None
    n_sets: int | None = None
    won: Mapping[tuple[str, str], Sequence[str]] | None = None
    hover: pd.DataFrame | None = None
    measure: str = ""
    over: str = ""
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: ClassVar[str] = figure_text("wins_table.how_to_read")

    @cached_property
    def _names(self) -> list[str]:
        return [str(name) for name in (self.wins.index if self.order is None else self.order)]

    @cached_property
    def _cells(self) -> list[tuple[int, int]]:
        """Off-diagonal cells as (row, column)."""
        return list(permutations(range(len(self._names)), 2))

    @cached_property
    def _counts(self) -> np.ndarray:
        counts = aligned(self.wins, self._names).astype(int)
        np.fill_diagonal(counts, 0)
        return counts

    @cached_property
    def _differs(self) -> np.ndarray:
        differs = aligned(self.differs, self._names).astype(bool)
        differs |= differs.T
        np.fill_diagonal(differs, False)
        return differs

    @cached_property
    def _bold(self) -> np.ndarray:
        """Whether the row algorithm wins significantly more often."""
        return self._differs & (self._counts > self._counts.T)

    @cached_property
    def _totals(self) -> list[int]:
        return self.total.rename(str)[self._names].astype(int).tolist()

    @cached_property
    def _of(self) -> str:
        """Hover text after a count: the number of data sets, "" if it is unknown."""
        return f" of {self.n_sets:,}" if self.n_sets else ""

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names, k, sizes = self._names, len(self._names), self._layout(style)
        fig = theme.new_figure(
            style, sizes.height, margin=sizes.margin, bargap=0, barmode="overlay"
        )
        size = {"width": 0.98, "height": 0.96}
        pairs = [(j, i) for i, j in self._cells]
        clicked = [[names[i], names[j]] for i, j in self._cells]
        hover_texts = [self._hover(i, j) for i, j in self._cells]
        traces.add_cells(
            fig, pairs, "cells", _CLEAR, hover_texts, customdata=clicked, meta="pair", **size
        )
        blank = _CLEAR if style.printed else style.blank
        titles = [f"<b>{text.escape(name)}</b>" for name in names]
        traces.add_cells(fig, [(i, i) for i in range(k)], "diagonal", blank, titles, **size)
        added = [
            figure_text("wins_table.total", name=title, n=total, of=self._of)
            for title, total in zip(titles, self._totals, strict=True)
        ]
        traces.add_cells(
            fig, [(sizes.total_at, i) for i in range(k)], "total", _CLEAR, added, **size
        )
        numbers = [
            (i, float(j), int(self._counts[i, j]), bool(self._bold[i, j])) for i, j in self._cells
        ]
        if sizes.bars:
            self._draw_bars(fig, [*numbers, *self._total_cells(sizes)], style)
        self._draw_numbers(fig, numbers, sizes, style)
        x = k - 0.5 + _GAP / 2
        separator = [(x, -0.5), (x, k - 0.5)]
        traces.add_line(
            fig,
            *zip(*separator, strict=True),
            "totals",
            style.leader,
            style.px(1, 0.5),
            cliponaxis=False,
        )
        row_names = [text.escape(sizes.shown[name]) for name in names]
        positions, labels = [sizes.total_at], [_ANY]
        if sizes.named:
            positions, labels = [*range(k), *positions], [*row_names, *labels]
        angle = -90 if sizes.upright else 0
        ends = [-0.5, sizes.last]
        fig.update_xaxes(
            side="top", tickangle=angle, **names_axis(positions, labels, ends, sizes.heads)
        )
        fig.update_yaxes(**names_axis(list(range(k)), row_names, [k - 0.5, -0.5], sizes.names))
        return fig

    def _layout(self, style: Style) -> _TableLayout:
        return _TableLayout(self._names, int(self._counts.max()), max(self._totals), style)

    def _hover(self, row: int, column: int) -> str:
        """Return the hover text of a cell: wins, losses, significance, and the data sets won."""
        names = self._names[row], self._names[column]
        a, b = map(text.escape, names)
        wins, losses = self._counts[row, column], self._counts[column, row]
        verdict = f"{'' if self._differs[row, column] else 'no '}significant difference"
        lines = [f"<b>{a} over {b}</b>: {wins:,}{self._of}", f"{b} over {a}: {losses:,}, {verdict}"]
        if self.won:
            lines.append(_list_datasets(self.won.get(names, ())) or "no data set")
        if self.hover is not None:
            lines += map(text.escape, str(self._extra[row, column]).split("\n"))
        return "<br>".join([*lines, traces.click_hint("pair")])

    @cached_property
    def _extra(self) -> np.ndarray:
        return aligned(self.hover, self._names)

    def _total_cells(self, sizes: _TableLayout) -> list[_Number]:
        return [(i, sizes.total_at, total, False) for i, total in enumerate(self._totals)]

    def _draw_bars(self, fig: go.Figure, numbers: Sequence[_Number], style: Style) -> None:
        """Draw thin bars below the numbers, in ink for bold numbers."""
        offset, most = (
            style.px(0.3, 0.36),
            self.n_sets or max(1, int(self._counts.max()), *self._totals),
        )
        for name, heavy, colour in (("bars", False, style.leader), ("bold bars", True, style.ink)):
            bars = [
                (row + offset, x, 0.36 * count / most)
                for row, x, count, bold in numbers
                if count and bold == heavy
            ]
            paths = [((x - half, y), (x + half, y)) for y, x, half in bars]
            traces.add_paths(fig, paths, name, colour, style.px(2, 1.3))

    def _draw_numbers(
        self, fig: go.Figure, numbers: Sequence[_Number], sizes: _TableLayout, style: Style
    ) -> None:
        """Write the counts; triangles replace bold counts if numbers do not fit."""
        inks = [style.ink if self._differs[cell] else style.second for cell in self._cells]
        if not sizes.font:
            size = min(0.75 * sizes.row, sizes.column)
            if marked := [(x, row) for row, x, _, bold in numbers if bold]:
                traces.add_points(
                    fig, *zip(*marked, strict=True), "wins", size, "triangle-up", style.ink
                )
            numbers, inks = [], []
        labels = [
            f"<b>{n:,}</b>" if bold else f"{n:,}" if n or sizes.bars else "\u00b7"
            for _, _, n, bold in numbers
        ]
        labels += [f"{total:,}" for total in self._totals]
        numbers = [*numbers, *self._total_cells(sizes)]
        size = sizes.font or min(sizes.names, 0.85 * sizes.row)
        lift = 0.07 * size / sizes.row - (0.08 if sizes.bars else 0)  # centres the digits
        x, y = [x for _, x, _, _ in numbers], [row + lift for row, _, _, _ in numbers]
        inks += [style.ink] * len(self._totals)
        traces.add_cell_text(fig, x, y, "numbers", labels, size, inks, textposition=None)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        names = [text.plain_text(name) for name in self._names]
        most = int(np.argmax(self._totals))
        pairs = [
            f"{names[i]} over {names[j]}, {self._counts[i, j]}" for i, j in np.argwhere(self._bold)
        ]
        alt = figure_text(
            "wins_table.alt",
            head=alt_head("Wins table", len(names), self.measure, self.over),
            best=names[most],
            most=self._totals[most],
            pairs=text.join_escaped(pairs, 4) if pairs else "none",
        )
        return text.truncate_text(alt)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return self.describe("wins_table.caption", sizes=self._layout(style))


@cached_figure
def wins_over_datasets(comparison: Wins | WinsComparison, order: Sequence[str]) -> WinsTable:
    """Return the matrix of wins of the first `MOST_NAMES` algorithms, in the given order."""
    order = list(order)[:MOST_NAMES]
    return WinsTable(
        name=f"wins_{wins_label(comparison)}",
        title=f"Wins over {format_count(comparison.n, 'data set')}",
        wins=comparison.wins.loc[order, order],
        differs=comparison.differs.loc[order, order],
        total=comparison.total[order],
        order=order,
        n_sets=comparison.n,
        won=comparison.won,
        tested=tested_wins(comparison),
        data=comparison.wins.assign(**{_ANY: comparison.total}).rename_axis("algorithm"),
    )


def tested_wins(wins: Wins | OnWins) -> str:
    """Return test and level of a comparison of wins as one line."""
    if isinstance(wins, OnWins):
        return tested_line(wins)
    return f"{wins.method}, \N{GREEK SMALL LETTER ALPHA} = {wins.alpha:g}, {format_count(wins.n, 'data set')}"


def wins_label(wins: Wins | OnWins) -> str:
    """Return the part of a file name that identifies the wins."""
    if not isinstance(wins, OnWins):
        return "_".join(wins.measures)
    if wins.shape.published:
        return "published"
    return "_".join(wins.measures) + ("_thresholds" if wins.sweeps else "")


_Number = tuple[int, float, int, bool]  # row, x, count and whether it is bold


class _TableLayout:
    """Sizes in px, positions and printed names of a wins table."""

    def __init__(
        self, algorithms: list[str], largest: int, largest_total: int, style: Style
    ) -> None:
        """Compute sizes, positions and names; `largest` and `largest_total` are the largest count and total."""
        k = len(algorithms)
        self.bars = k <= 12
        self.row = row = (
            style.px(36, 17) if self.bars else style.px(22, 12) if k <= 30 else style.px(15, 9.6)
        )
        self.names = min(style.tick_size, max(0.8 * row, 8))
        self.shown = text.shorten(algorithms, 0.22 * style.width, self.names, serif=style.serif)
        left, right = (
            text.widest(self.shown.values(), self.names, style.serif) + style.px(16, 9),
            style.px(6, 3),
        )
        room = (style.width if style.printed else min(style.width, _REFERENCE_WIDTH)) - left - right
        least_total = text.widest([f"{largest_total}"], self.names, style.serif) + 4
        self.column = min(room / (k + _GAP + 1), (room - least_total) / (k + _GAP))
        end = max(1.0, least_total / self.column)
        self.total_at, self.last = (
            k - 0.5 + _GAP + end / 2,
            k - 0.5 + _GAP + end,
        )  # centre and end of the totals
        self.heads = min(self.names, max(self.column - 1, 8))
        heads, serif = [*self.shown.values(), _ANY], style.serif
        head, self.upright = text.header_height(heads, self.column, self.heads, serif=serif)
        self.named = (
            not self.upright or self.column >= self.heads + 0.5
        )  # whether columns have printed names
        if not self.named:
            head, self.upright = text.header_height(
                [_ANY], end * self.column, self.heads, serif=style.serif
            )
        top = style.px(12, 8) + head
        self.margin = {"l": left, "r": right, "t": top, "b": right}
        self.height = top + k * row + right
        # Counts smaller than 8 px are left out.
        most = style.px(13, 9.6) if self.bars else min(style.px(12, 9), max(0.75 * row, 8))
        font = min(
            most, (self.column - 1.5) / text.text_width(f"{largest:,}", 1.0, style.serif, bold=True)
        )
        self.font = font if font >= 8 else 0.0


def _list_datasets(names: Sequence[str]) -> str:
    """Return as many names as fit on one line, and the number of others."""
    lengths = np.cumsum([len(str(name)) + 2 for name in names[:_HOVER_LINE]])
    fits = max(int((lengths <= _HOVER_LINE).sum()), min(len(names), 1))
    shown = [text.escape(text.truncate_text(str(name), _HOVER_LINE)) for name in names[:fits]]
    return text.join_escaped([*shown, *names[fits:]], fits)
