"""The cells of the threshold sweep: the winner's symbol, or the number of wins."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.series_styles import SeriesStyle, algorithm_marker
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import SweepAxes, SweepData, are_win_counts, loss_words

__all__ = ["are_win_counts", "draw_cells", "draw_tallies"]

#: Text in print is never smaller.
_LEAST = 8.0


def draw_cells(
    fig: go.Figure,
    sweep: SweepData,
    frame: SweepAxes,
    drawn: Mapping[str, SeriesStyle],
    hover: pd.DataFrame | None,
    style: Style,
) -> None:
    """Draw what each cell holds, over bars that take hover and clicks."""
    _targets(fig, sweep, hover)
    size = min(style.px(11, 6.2), 0.84 * frame.column, 0.66 * frame.row)
    if sweep.counts:
        _numbers(fig, sweep, frame, size, style)
    else:
        _symbols(fig, sweep, drawn, size, style)


def _targets(fig: go.Figure, sweep: SweepData, hover: pd.DataFrame | None) -> None:
    rows, columns = sweep.winners.shape
    grid = [(i, j) for i in range(rows) for j in range(columns)]
    traces.add_areas(
        fig,
        [sweep.thetas[j] for _, j in grid],
        [1.0] * len(grid),
        "cells",
        "rgba(0,0,0,0)",
        [_hover(sweep, hover, i, j) for i, j in grid],
        base=[i - 0.5 for i, _ in grid],
        width=[2 * sweep.half] * len(grid),
        yaxis="y2",
        customdata=[sweep.thetas[j] for _, j in grid],
        meta="theta",
    )


def _hover(sweep: SweepData, hover: pd.DataFrame | None, row: int, column: int) -> str:
    said = [_said(sweep, row, column)]
    if hover is not None:
        said = str(hover.iat[row, column]).split("\n")
    head = f"<b>{loss_words(sweep.thetas[column])}</b>"
    return "<br>".join([head, *(text.escape(line) for line in said), traces.click_hint("theta")])


def _said(sweep: SweepData, row: int, column: int) -> str:
    label, cell = sweep.winners.index[row], sweep.winners.iat[row, column]
    if sweep.counts:
        return f"{label} wins over {int(cell)} of {len(sweep.winners) - 1} others"
    return f"{label}: {cell} wins" if _named(cell) else f"{label}: no difference shown"


def _named(cell: object) -> bool:
    return isinstance(cell, str) and cell != ""


def _symbols(
    fig: go.Figure, sweep: SweepData, drawn: Mapping[str, SeriesStyle], size: float, style: Style
) -> None:
    table = sweep.winners.to_numpy(dtype=object)
    cells = [(i, j) for i in range(table.shape[0]) for j in range(table.shape[1])]
    for name, look in drawn.items():
        won = [(i, j) for i, j in cells if table[i, j] == name]
        if won:
            _marks(fig, sweep, won, text.escape(name), algorithm_marker(look, size, style))
    blank = [(i, j) for i, j in cells if not _named(table[i, j])]
    if blank:
        _marks(fig, sweep, blank, "no difference", _dot(style))


def _dot(style: Style) -> dict[str, object]:
    """Return the mark of a cell without a winner."""
    return {"symbol": "circle", "size": style.px(2.4, 1.4), "color": style.faint, "opacity": 1}


def _marks(fig: go.Figure, sweep: SweepData, cells: list[tuple[int, int]], name: str, mark) -> None:
    fig.add_scatter(
        x=[sweep.thetas[j] for _, j in cells],
        y=[i for i, _ in cells],
        yaxis="y2",
        mode="markers",
        name=name,
        marker=mark,
        hoverinfo="skip",
        cliponaxis=False,
    )


def _numbers(fig: go.Figure, sweep: SweepData, frame: SweepAxes, size: float, style: Style) -> None:
    """Print the numbers of wins, the most of a column bold; marks of their size if too narrow."""
    table = sweep.winners.to_numpy(dtype=int)
    cells = [(i, j) for i, j in np.argwhere(table > 0).tolist()]
    blank = [(i, j) for i, j in np.argwhere(table <= 0).tolist()]
    if blank:
        _marks(fig, sweep, blank, "no wins", _dot(style))
    if not cells:
        return
    wide = text.text_width(str(table.max()), 1.0, style.serif, bold=True)
    letters = min(style.tick_size, 0.8 * frame.row, (frame.column - 2.5) / wide)
    if letters < _LEAST:
        most = float(table.max())
        sizes = [max(size * np.sqrt(table[i, j] / most), 1.0) for i, j in cells]
        mark = {"symbol": "circle", "size": sizes, "color": style.ink, "opacity": 1}
        _marks(fig, sweep, cells, "wins", mark | {"line": {"width": 0}})
        return
    best = table.max(axis=0)
    bold = [table[i, j] == best[j] for i, j in cells]
    traces.add_cell_text(
        fig,
        [sweep.thetas[j] for _, j in cells],
        [i + 0.07 * letters / frame.row for i, _ in cells],  # centres the digits, not the line
        "wins",
        [
            f"<b>{table[cell]}</b>" if b else str(table[cell])
            for cell, b in zip(cells, bold, strict=True)
        ],
        letters,
        [style.ink if b else style.second for b in bold],
        yaxis="y2",
    )


def draw_tallies(fig: go.Figure, sweep: SweepData, frame: SweepAxes, style: Style) -> None:
    """Print the tally of every row at its right."""
    for place, label in enumerate(sweep.winners.index):
        if not sweep.tallies.get(label):
            continue
        told = [text.escape(line) for line in sweep.told.get(label, "").split("\n")]
        fig.add_annotation(
            text=text.escape(sweep.tallies[label]),
            name="tally",
            xref="paper",
            yref="y2",
            x=frame.key,
            y=place,
            xanchor="left",
            yanchor="middle",
            xshift=style.px(8, 4),
            hovertext="<br>".join([f"<b>{text.escape(label)}</b>", *told]) if any(told) else None,
            font={"size": sweep.size, "color": style.ink},
        )
