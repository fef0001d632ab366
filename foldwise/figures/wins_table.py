"""Matrix of wins over data sets, bold where the sign test is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypedDict

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
        order = self.wins.index if self.order is None else self.order
        return [str(name) for name in order]

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
        k, sizes = len(self._names), self._layout(style)
        fig = theme.new_figure(
            style, sizes.height, margin=sizes.margin, bargap=0, barmode="overlay"
        )
        self._draw_cells(fig, sizes, style)
        numbers = [
            _Number(i, float(j), int(self._counts[i, j]), bool(self._bold[i, j]))
            for i, j in self._cells
        ]
        if sizes.bars:
            self._draw_bars(fig, [*numbers, *self._total_cells(sizes)], style)
        self._draw_numbers(fig, numbers, sizes, style)
        x = k - 0.5 + _GAP / 2
        width = style.px(1, 0.5)
        ends = [-0.5, k - 0.5]
        traces.add_line(fig, [x, x], ends, "totals", style.leader, width, cliponaxis=False)
        self._draw_axes(fig, sizes)
        return fig

    def _draw_cells(self, fig: go.Figure, sizes: _TableLayout, style: Style) -> None:
        """Draw the cells of pairs, of the diagonal and of the totals, which have hover text."""
        names, rows = self._names, range(len(self._names))
        pairs = [(j, i) for i, j in self._cells]
        traces.add_cells(
            fig,
            pairs,
            "cells",
            _CLEAR,
            [self._hover(i, j) for i, j in self._cells],
            customdata=[[names[i], names[j]] for i, j in self._cells],
            meta="pair",
            **_CELL_SIZE,
        )
        blank = _CLEAR if style.printed else style.blank
        titles = [f"<b>{text.escape(name)}</b>" for name in names]
        diagonal = [(i, i) for i in rows]
        traces.add_cells(fig, diagonal, "diagonal", blank, titles, **_CELL_SIZE)
        totals = [
            figure_text("wins_table.total", name=title, n=total, of=self._of)
            for title, total in zip(titles, self._totals, strict=True)
        ]
        column_of_totals = [(sizes.total_at, i) for i in rows]
        traces.add_cells(fig, column_of_totals, "total", _CLEAR, totals, **_CELL_SIZE)

    def _draw_axes(self, fig: go.Figure, sizes: _TableLayout) -> None:
        """Write the names of rows and, if they fit, of columns."""
        k = len(self._names)
        rows = list(range(k))
        row_names = [text.escape(sizes.shown[name]) for name in self._names]
        positions, labels = [sizes.total_at], [_ANY]
        if sizes.named:
            positions, labels = [*rows, *positions], [*row_names, *labels]
        columns = names_axis(positions, labels, [-0.5, sizes.last], sizes.heads)
        fig.update_xaxes(side="top", tickangle=-90 if sizes.upright else 0, **columns)
        fig.update_yaxes(**names_axis(rows, row_names, [k - 0.5, -0.5], sizes.names))

    def _layout(self, style: Style) -> _TableLayout:
        return _TableLayout(self._names, int(self._counts.max()), max(self._totals), style)

    def _hover(self, row: int, column: int) -> str:
        """Return the hover text of a cell: wins, losses, significance, and the data sets won."""
        names = self._names[row], self._names[column]
        a, b = (text.escape(name) for name in names)
        wins, losses = self._counts[row, column], self._counts[column, row]
        verdict = "significant difference"
        if not self._differs[row, column]:
            verdict = f"no {verdict}"
        lines = [f"<b>{a} over {b}</b>: {wins:,}{self._of}", f"{b} over {a}: {losses:,}, {verdict}"]
        if self.won:
            lines.append(_list_datasets(self.won.get(names, ())) or "no data set")
        if self._extra is not None:
            lines += [text.escape(line) for line in str(self._extra[row, column]).split("\n")]
        return "<br>".join([*lines, traces.click_hint("pair")])

    @cached_property
    def _extra(self) -> np.ndarray | None:
        return None if self.hover is None else aligned(self.hover, self._names)

    def _total_cells(self, sizes: _TableLayout) -> list[_Number]:
        return [
            _Number(row, sizes.total_at, total, False) for row, total in enumerate(self._totals)
        ]

    def _draw_bars(self, fig: go.Figure, numbers: Sequence[_Number], style: Style) -> None:
        """Draw thin bars below the numbers, in ink for bold numbers."""
        offset = style.px(0.3, 0.36)
        most = self.n_sets or max(1, int(self._counts.max()), *self._totals)
        for name, bold, colour in (("bars", False, style.leader), ("bold bars", True, style.ink)):
            paths = []
            for number in numbers:
                if number.n and number.bold == bold:
                    half, y = 0.36 * number.n / most, number.row + offset
                    paths.append(((number.x - half, y), (number.x + half, y)))
            traces.add_paths(fig, paths, name, colour, style.px(2, 1.3))

    def _draw_numbers(
        self, fig: go.Figure, numbers: Sequence[_Number], sizes: _TableLayout, style: Style
    ) -> None:
        """Write the counts; triangles replace bold counts if numbers do not fit."""
        totals = self._total_cells(sizes)
        size = sizes.font or min(sizes.names, 0.85 * sizes.row)
        if sizes.font:
            inks = [style.ink if self._differs[cell] else style.second for cell in self._cells]
            labels = [_label(number, sizes) for number in numbers]
        else:
            self._draw_triangles(fig, numbers, sizes, style)
            numbers, inks, labels = [], [], []
        labels += [f"{total.n:,}" for total in totals]
        inks += [style.ink] * len(totals)
        lift = 0.07 * size / sizes.row - (0.08 if sizes.bars else 0)  # centres the digits
        x = [number.x for number in [*numbers, *totals]]
        y = [number.row + lift for number in [*numbers, *totals]]
        traces.add_cell_text(fig, x, y, "numbers", labels, size, inks, textposition=None)

    def _draw_triangles(
        self, fig: go.Figure, numbers: Sequence[_Number], sizes: _TableLayout, style: Style
    ) -> None:
        """Draw a triangle in place of each bold number."""
        marked = [number for number in numbers if number.bold]
        if not marked:
            return
        x = [number.x for number in marked]
        y = [number.row for number in marked]
        size = min(0.75 * sizes.row, sizes.column)
        traces.add_points(fig, x, y, "wins", size, "triangle-up", style.ink)

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
    match wins:
        case WinsComparison():
            return "_".join(wins.measures) + ("_thresholds" if wins.sweeps else "")
        case OnWins():
            return "published"
        case _:
            return "_".join(wins.measures)


class _Number(NamedTuple):
    """A count, its row and position in a row, and whether it is bold."""

    row: int
    x: float
    n: int
    bold: bool


class _CellSize(TypedDict):
    width: float
    height: float


_CELL_SIZE: _CellSize = {"width": 0.98, "height": 0.96}  # in columns and rows


def _label(number: _Number, sizes: _TableLayout) -> str:
    """Return the text of a count; a dot for zero where there are no bars."""
    if number.bold:
        return f"<b>{number.n:,}</b>"
    return f"{number.n:,}" if number.n or sizes.bars else "\u00b7"


class _TableLayout:
    """Sizes in px, positions and printed names of a wins table."""

    def __init__(
        self, algorithms: list[str], largest: int, largest_total: int, style: Style
    ) -> None:
        """Compute sizes, positions and names; `largest` and `largest_total` are the largest count and total."""
        k = len(algorithms)
        self.bars = k <= 12
        if self.bars:
            row = style.px(36, 17)
        else:
            row = style.px(22, 12) if k <= 30 else style.px(15, 9.6)
        self.row = row
        self.names = min(style.tick_size, max(0.8 * row, 8))
        self.shown = text.shorten(algorithms, 0.22 * style.width, self.names, serif=style.serif)
        left = text.widest(self.shown.values(), self.names, style.serif) + style.px(16, 9)
        right = style.px(6, 3)
        width = style.width if style.printed else min(style.width, _REFERENCE_WIDTH)
        room = width - left - right
        least_total = text.widest([f"{largest_total}"], self.names, style.serif) + 4
        self.column = min(room / (k + _GAP + 1), (room - least_total) / (k + _GAP))
        total_width = max(1.0, least_total / self.column)  # in columns
        self.total_at = k - 0.5 + _GAP + total_width / 2
        self.last = k - 0.5 + _GAP + total_width
        self.heads = min(self.names, max(self.column - 1, 8))
        heads, serif = [*self.shown.values(), _ANY], style.serif
        head, self.upright = text.header_height(heads, self.column, self.heads, serif=serif)
        # whether columns have printed names
        self.named = not self.upright or self.column >= self.heads + 0.5
        if not self.named:
            head, self.upright = text.header_height(
                [_ANY], total_width * self.column, self.heads, serif=serif
            )
        top = style.px(12, 8) + head
        self.margin = {"l": left, "r": right, "t": top, "b": right}
        self.height = top + k * row + right
        # Counts smaller than 8 px are left out.
        if self.bars:
            most = style.px(13, 9.6)
        else:
            most = min(style.px(12, 9), max(0.75 * row, 8))
        width_per_px = text.text_width(f"{largest:,}", 1.0, style.serif, bold=True)
        font = min(most, (self.column - 1.5) / width_per_px)
        self.font = font if font >= 8 else 0.0


def _list_datasets(names: Sequence[str]) -> str:
    """Return as many names as fit on one line, and the number of others."""
    lengths = np.cumsum([len(str(name)) + 2 for name in names[:_HOVER_LINE]])
    n_fitting = int((lengths <= _HOVER_LINE).sum())
    fits = max(n_fitting, min(len(names), 1))  # at least one, truncated
    shown = [text.escape(text.truncate_text(str(name), _HOVER_LINE)) for name in names[:fits]]
    return text.join_escaped([*shown, *names[fits:]], fits)
