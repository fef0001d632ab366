"""Wins table over data sets: counts of row over column, bold where the sign test is significant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis
from foldwise.figures.spec import MOST_NAMES, FigureSpec, cached_figure
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.core.formatting import format_count
from stats_core.inference.multiplicity.win_counts import Wins

_REFERENCE_WIDTH = 820  # px for which the layout is computed; screen figures stretch
_GAP = 0.3  # space before the column of totals, in column widths
_CLEAR = "rgba(0,0,0,0)"
_HOVER_LINE = 60  # characters of a line of data sets in hover


@dataclass(frozen=True, kw_only=True, eq=False)
class WinsTable(FigureSpec):
    """On how many data sets each row wins over each column.

    A count per cell with a thin bar below it of that length, bold where the pair differs and the
    row has more wins. More than 12 algorithms do without bars; where the columns get too narrow for
    numbers, a triangle marks what would be bold. Cells carry ``[row, column]``.

    Attributes
    ----------
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    differs : DataFrame, algorithm x algorithm
        Whether the sign test over data sets separates the pair.
    total : Series by algorithm
        Data sets on which it wins over at least one other.
    order : sequence of str, optional
        Algorithms from best to worst; rows and columns follow it, that of `wins` by default.
    n_sets : int, optional
        Number of data sets: the longest a bar can be, and named in hover. By default the
        largest count.
    won : mapping of (row, column) to sequence of str, optional
        The data sets behind each count, listed in hover.
    hover : DataFrame, optional
        Additional hover text of each cell of `wins`, plain, with line breaks between lines.
    measure, over : str
        Measure and data in words.
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
    how_to_read: ClassVar[str] = (
        "Each number counts the data sets on which the row wins over the column; bold where the sign test "
        "over data sets separates the two. Read along a row for wins, down a column for losses. A win "
        "by average needs no test on the data set; a win by a test does, so those counts are smaller."
    )

    @property
    def _table(self) -> _Table:
        """The numbers of all cells in the same order."""
        names = [str(name) for name in (self.wins.index if self.order is None else self.order)]
        counts = _aligned(self.wins, names).astype(int)
        differs = _aligned(self.differs, names).astype(bool)
        differs |= differs.T
        total = self.total.set_axis([str(name) for name in self.total.index])[names]
        total = total.astype(int).tolist()
        np.fill_diagonal(counts, 0)
        np.fill_diagonal(differs, False)
        most = self.n_sets or max(1, int(counts.max()), *total)
        bold = differs & (counts > counts.T)
        return _Table(names, counts, bold, differs, total, most, self.n_sets)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table = self._table
        frame = _WinsFrame.of(table, style)
        fig = theme.new_figure(style, frame.height, margin=frame.margin, bargap=0, barmode="overlay")
        _targets(fig, table, frame, self.won, self.hover, style)
        if frame.bars:
            _bars(fig, table, frame, style)
        _words(fig, table, frame, style)
        _separator(fig, table, style)
        _axes(fig, table, frame, style)
        return fig

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        table, names = self._table, [text.plain_text(name) for name in self._table.order]
        head = "Wins table" + (f" of {self.measure}" if self.measure else "")
        head += f" for {len(names)} algorithms" + (f" on {self.over}" if self.over else "")
        most = int(np.argmax(table.total))
        best = f"Most data sets with a win: {names[most]}, {table.total[most]}."
        pairs = [f"{names[i]} over {names[j]}, {table.wins[i, j]}" for i, j in np.argwhere(table.bold)]
        listed = text.join_escaped(pairs, 4) if pairs else "none"
        return text.truncate_text(f"{head}. {best} Wins that differ by the sign test: {listed}.")

    def caption(self, style: Style) -> str:
        """Return the caption: numbers, bold type and bars."""
        return (
            "Numbers, and bars if there are any, count data sets on which the row wins over the column. "
            "Bold, or a triangle where there is no room for numbers: the row wins more "
            "often, by the two-tailed sign test over data sets. Total counts data sets on which the row wins over "
            "at least one other."
        )


def wins_table(
    wins: pd.DataFrame, differs: pd.DataFrame, total: pd.Series, *, style: Style, **options: Any
) -> go.Figure:
    """Draw a table of wins; options are the attributes of `WinsTable`."""
    return WinsTable(wins=wins, differs=differs, total=total, **options).draw(style)


@cached_figure
def wins_over_datasets(found: Wins | WinsComparison, order: Sequence[str]) -> WinsTable:
    """Return the table of wins, with the algorithms in the given order."""
    order = list(order)[:MOST_NAMES]
    return WinsTable(
        name=f"wins_{wins_label(found)}",
        title=f"Wins over {format_count(found.n, 'data set')}",
        wins=found.wins.loc[order, order],
        differs=found.differs.loc[order, order],
        total=found.total[order],
        order=order,
        n_sets=found.n,
        won=found.won,
        data=found.wins.assign(total=found.total).rename_axis("algorithm"),
    )


def wins_label(wins: Wins | OnWins) -> str:
    """Return the part of file names that identifies the wins."""
    if isinstance(wins, Wins):
        return "_".join(wins.measures)
    if wins.shape.published:
        return "published"
    return "_".join(wins.measures) + ("_thresholds" if wins.sweeps else "")


@dataclass(frozen=True, slots=True)
class _Table:
    order: list[str]
    wins: np.ndarray
    bold: np.ndarray  # where the row wins and the pair differs
    differs: np.ndarray
    total: list[int]
    most: int  # count of a bar of full length
    n_sets: int | None

    def pairs(self) -> list[tuple[int, int]]:
        k = len(self.order)
        return [(i, j) for i in range(k) for j in range(k) if i != j]


@dataclass(frozen=True, slots=True)
class _Place:
    row: int
    x: float
    number: int
    bold: bool = False
    recedes: bool = False


def _aligned(table: pd.DataFrame, order: list[str]) -> np.ndarray:
    named = table.set_axis([str(name) for name in table.index], axis=0)
    named = named.set_axis([str(name) for name in table.columns], axis=1)
    return named.loc[order, order].to_numpy(copy=True)


@dataclass(frozen=True, slots=True)
class _WinsFrame:
    bars: bool
    font: float  # of the numbers in px, 0 where they do not fit
    row: float
    column: float
    total_at: float  # x of the column of totals, in column widths
    last: float  # right end of the column of totals
    names: float
    heads: float
    shown: dict[str, str]
    upright: bool
    margin: dict[str, float]
    height: float

    @staticmethod
    def of(table: _Table, style: Style) -> _WinsFrame:
        k = len(table.order)
        bars = k <= 12
        row = style.px(36, 17) if bars else style.px(22, 12) if k <= 30 else style.px(15, 9.6)
        names = min(style.tick_size, max(0.8 * row, 8))
        shown = text.shorten(table.order, 0.22 * style.width, names, serif=style.serif)
        widest = max(text.text_width(label, names, style.serif) for label in shown.values())
        left, right = widest + style.px(16, 9), style.px(6, 3)
        room = (style.width if style.printed else min(style.width, _REFERENCE_WIDTH)) - left - right
        least_total = text.text_width(f"{max(table.total)}", names, style.serif) + 4  # of the totals
        column = min(room / (k + _GAP + 1), (room - least_total) / (k + _GAP))
        end = max(1.0, least_total / column)
        heads = min(names, max(column - 1, 8))
        upright = max(widest, text.text_width("total", names, style.serif)) > column - 4
        head = style.px(12, 8) + (
            max(text.text_width(label, heads, style.serif) for label in [*shown.values(), "total"])
            if upright
            else heads
        )
        return _WinsFrame(
            bars=bars,
            font=_number_size(table, row, column, bars, style),
            row=row,
            column=column,
            total_at=k - 0.5 + _GAP + end / 2,
            last=k - 0.5 + _GAP + end,
            names=names,
            heads=heads,
            shown=shown,
            upright=upright,
            margin={"l": left, "r": right, "t": head, "b": right},
            height=head + k * row + right,
        )

    @property
    def named(self) -> bool:
        """Whether columns carry names; if not, they follow the order of the rows."""
        return not self.upright or self.column >= self.heads + 0.5


def _number_size(table: _Table, row: float, column: float, bars: bool, style: Style) -> float:
    """Return the text size of the counts in px, 0 if it would be below 8 px."""
    largest = style.px(13, 9.6) if bars else min(style.px(12, 9), max(0.75 * row, 8))
    relative_width = text.text_width(f"{table.wins.max():,}", 1.0, style.serif, bold=True)
    size = min(largest, (column - 1.5) / relative_width)
    return size if size >= 8 else 0.0


def _targets(
    fig: go.Figure,
    table: _Table,
    frame: _WinsFrame,
    won: Mapping[tuple[str, str], Sequence[str]] | None,
    hover: pd.DataFrame | None,
    style: Style,
) -> None:
    """Draw one bar per cell, since heat map cells do not report clicks."""
    names, k = table.order, len(table.order)
    extra = None if hover is None else _aligned(hover, names)
    pairs = [(i, j, float(j)) for i, j in table.pairs()]
    hover_texts = [_hover(table, i, j, won, extra) for i, j, _ in pairs]
    clicked = [[names[i], names[j]] for i, j in table.pairs()]
    _areas(fig, "cells", pairs, _CLEAR, hover_texts, customdata=clicked, meta="pair")
    hover_texts = [f"<b>{text.escape(name)}</b>" for name in names]
    blank = _CLEAR if style.printed else style.blank
    _areas(fig, "diagonal", [(i, i, float(i)) for i in range(k)], blank, hover_texts)
    hover_texts = [_hover_total(table, i) for i in range(k)]
    _areas(fig, "total", [(i, i, frame.total_at) for i in range(k)], _CLEAR, hover_texts)


def _areas(
    fig: go.Figure,
    name: str,
    cells: Sequence[tuple[int, int, float]],
    fill: str,
    hover_texts: Sequence[str],
    **options: object,
) -> None:
    """Draw clickable cells given by row, column and x position."""
    traces.add_areas(
        fig,
        [x for _, _, x in cells],
        [0.96] * len(cells),
        name,
        fill,
        hover_texts,
        base=[i - 0.48 for i, _, _ in cells],
        width=0.98,
        **options,
    )


def _hover(
    table: _Table, row: int, column: int, won: Mapping[tuple[str, str], Sequence[str]] | None, extra: np.ndarray | None
) -> str:
    a, b = table.order[row], table.order[column]
    wins, losses = table.wins[row, column], table.wins[column, row]
    of = f" of {table.n_sets:,}" if table.n_sets else ""
    verdict = "differ" if table.differs[row, column] else "not separated"
    lines = [
        f"<b>{text.escape(a)} over {text.escape(b)}</b>: {wins:,}{of}",
        f"{text.escape(b)} over {text.escape(a)}: {losses:,}; {verdict}",
    ]
    if won:
        lines.append(_list(won.get((a, b), ())) or "on no data set")
    if extra is not None:
        lines += [text.escape(line) for line in str(extra[row, column]).split("\n")]
    return "<br>".join([*lines, traces.click_hint("pair")])


def _list(sets: Sequence[str]) -> str:
    """Return the names that fit on one line, and the number of others."""
    fits, length = 0, 0
    for name in sets:
        length += len(str(name)) + 2
        if fits and length > _HOVER_LINE:
            break
        fits += 1
    shown = [text.escape(text.truncate_text(str(s), _HOVER_LINE)) for s in sets[:fits]]
    return text.join_escaped([*shown, *sets[fits:]], fits)


def _hover_total(table: _Table, row: int) -> str:
    of = f" of {table.n_sets:,}" if table.n_sets else ""
    return (
        f"<b>{text.escape(table.order[row])}</b>: {table.total[row]:,}{of}"
        "<br>data sets with a win over at least one other"
    )


def _places(table: _Table, frame: _WinsFrame) -> list[_Place]:
    places = [
        _Place(i, float(j), int(table.wins[i, j]), bool(table.bold[i, j]), not table.differs[i, j])
        for i, j in table.pairs()
    ]
    return places + [_Place(i, frame.total_at, number) for i, number in enumerate(table.total)]


def _bars(fig: go.Figure, table: _Table, frame: _WinsFrame, style: Style) -> None:
    """Draw thin bars below the numbers, in ink for bold numbers."""
    offset = style.px(0.3, 0.36)
    for name, heavy, colour in (("bars", False, style.leader), ("bold bars", True, style.ink)):
        x: list[float | None] = []
        y: list[float | None] = []
        for cell in _places(table, frame):
            if cell.number and cell.bold == heavy:
                half = 0.36 * cell.number / table.most
                x += [cell.x - half, cell.x + half, None]
                y += [cell.row + offset, cell.row + offset, None]
        if x:
            traces.add_line(fig, x, y, name, colour, style.px(2, 1.3), cliponaxis=False)


def _words(fig: go.Figure, table: _Table, frame: _WinsFrame, style: Style) -> None:
    """Print the numbers, or triangles for the bold ones if numbers do not fit."""
    cells = _places(table, frame)
    if not frame.font:
        marked = [cell for cell in cells if cell.bold]
        size = min(0.75 * frame.row, frame.column)
        triangle = {"symbol": "triangle-up", "size": size, "color": style.ink, "opacity": 1}
        _add(fig, marked, "wins", 0.0, mode="markers", marker=triangle)
        cells = cells[len(table.pairs()) :]
    size = frame.font or min(frame.names, 0.85 * frame.row)
    lift = 0.07 * size / frame.row - (0.08 if frame.bars else 0)  # centres the digits
    words = [f"<b>{item.number:,}</b>" if item.bold else f"{item.number:,}" for item in cells]
    inks = [style.second if cell.recedes else style.ink for cell in cells]
    font = {"size": size, "color": inks}
    _add(fig, cells, "numbers", lift, mode="text", text=words, textfont=font)


def _add(fig: go.Figure, cells: list[_Place], name: str, lift: float, **options: object) -> None:
    if cells:
        fig.add_scatter(
            x=[cell.x for cell in cells],
            y=[cell.row + lift for cell in cells],
            name=name,
            hoverinfo="skip",
            cliponaxis=False,
            **options,
        )


def _separator(fig: go.Figure, table: _Table, style: Style) -> None:
    """Draw the hairline before the column of totals."""
    x = len(table.order) - 0.5 + _GAP / 2
    fig.add_scatter(
        x=[x, x],
        y=[-0.5, len(table.order) - 0.5],
        mode="lines",
        name="totals",
        line={"width": style.px(1, 0.5), "color": style.leader},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _axes(fig: go.Figure, table: _Table, frame: _WinsFrame, style: Style) -> None:
    k = len(table.order)
    names = [text.escape(frame.shown[name]) for name in table.order]
    positions, labels = [frame.total_at], ["total"]
    if frame.named:
        positions, labels = [*range(k), *positions], [*names, *labels]
    fig.update_xaxes(
        side="top",
        tickangle=-90 if frame.upright else 0,
        tickfont={"size": frame.heads, "color": style.ink},
        ticklabelstandoff=3,
        **names_axis(positions, labels, [-0.5, frame.last]),
    )
    fig.update_yaxes(
        tickfont={"size": frame.names, "color": style.ink},
        ticklabelstandoff=3,
        **names_axis(list(range(k)), names, [k - 0.5, -0.5]),
    )
