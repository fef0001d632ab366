"""Names of ROC curves: beside the curves where there is room, else in a legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.label_placement import (
    Box,
    Candidates,
    Label,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    candidate_positions,
    even_path,
    join_points,
    text_size,
)
from foldwise.figures.roc_traces import CurveStyle, average_width
from foldwise.figures.theme import PX_PER_POINT, Style

#: Number of candidate positions along a curve, and of points that represent the curve.
_PLACES, _POINTS = 48, 240
#: Distance in px of names and legend from the edges of the square.
_INSET = (3.0, 3.0, 3.0, 3.0)
#: Largest share of the height used by the legend.
_MOST_HEIGHT = 0.66
#: Height of a legend row on the screen, in text sizes: in a narrow window the square
#: shrinks, but the text does not.
_SCREEN_ROW = 1.9


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveLegend:
    """Data for writing names: styles by algorithm, side of the square in px, figure style.

    `backed` is True if fold curves run below the names, which then get a background.
    """

    pens: Mapping[str, CurveStyle]
    side: float
    style: Style
    backed: bool


def write_names(
    fig: go.Figure,
    averages: Mapping[str, pd.DataFrame],
    others: Sequence[str],
    key: CurveLegend,
    straight: Sequence[np.ndarray],
    marks: Sequence[np.ndarray],
    curves: Mapping[str, Mapping[str, pd.DataFrame]],
    taken: Sequence[Box],
) -> None:
    """Write each name beside its average curve, or all into a legend if one does not fit."""
    paths = {name: _path(table[["x", "y"]], key.side) for name, table in averages.items()}
    lines = join_points(_path(ends, key.side) for ends in straight if len(ends))
    dots = join_points(np.asarray(table, dtype=float) * key.side for table in marks)
    drawn = list(dict.fromkeys([*averages, *others]))
    labels = _beside(paths, key, lines, dots, taken)
    if len(labels) < len(drawn):
        occupied = np.concatenate([join_points(paths.values()), dots])
        tables = (table for fold_curves in curves.values() for table in fold_curves.values())
        folds = (
            join_points(np.column_stack([curve["x"], curve["y"]]) for curve in tables) * key.side
        )
        _write_key(fig, drawn, key, occupied, [*lines, *folds], taken)
        return
    plane = Plane(x=(0, 1), y=(0, 1), width=key.side, height=key.side)
    ground = {"bgcolor": key.style.veil if key.backed else None}
    new_annotations = [
        annotation_at(name_text, label, plane, key.style, **ground)
        for name_text, label in labels.values()
    ]
    add_annotations(fig, new_annotations)


def _path(points: pd.DataFrame | np.ndarray, side: float) -> np.ndarray:
    return even_path(np.asarray(points, dtype=float), _POINTS) * side


def _beside(
    paths: Mapping[str, np.ndarray],
    key: CurveLegend,
    lines: np.ndarray,
    dots: np.ndarray,
    taken: Sequence[Box],
) -> dict[str, tuple[str, Label]]:
    """Return text and position of each name beside its curve, up to the first that does not fit."""
    style, labels = key.style, {}
    gap, least_room = style.px(4, 2.5), style.px(9, 6)
    shown = text.shorten(list(paths), 0.4 * key.side, style.size, serif=style.serif)
    clearance_board, board = (
        PlacementBoard(key.side, key.side),
        PlacementBoard(key.side, key.side, gap=gap, inset=_INSET),
    )
    clearance_board.draw({**paths, None: lines})
    board.draw(join_points(paths.values()), gap=gap)
    board.draw(dots, gap=2 * gap)
    for box in taken:
        board.take(box)
    for name, path in paths.items():
        points = path[:: max(1, len(path) // _PLACES)]
        candidates, _ = candidate_positions(
            points, text_size(shown[name], style), [style.px(6, 3.5)]
        )
        room = clearance_board.room(candidates, 10 * least_room, name)
        label = board.put(replace(candidates, cost=np.where(room >= least_room, -room, np.inf)))
        if label is None:
            break
        labels[name] = (shown[name], label)
    return labels


@dataclass(frozen=True, slots=True)
class _RocRows:
    """The rows of a legend: text and style (None for the last row), and sizes in px."""

    words: list[tuple[str, CurveStyle | None]]
    size: float
    row: float
    dash: float
    pad: float
    extent: tuple[float, float]


def key_rows(names: Sequence[str], key: CurveLegend) -> _RocRows:
    """Return the rows of a legend; if too many, the last row gives the number of omitted names."""
    style, size = key.style, key.style.size
    dash, pad = style.px(42, 34), style.px(8, 5)
    if 1.35 * size * len(names) > _MOST_HEIGHT * key.side:
        size = min(size, style.px(12, 7 * PX_PER_POINT))
    row = 1.35 * size
    if not style.printed and _SCREEN_ROW * size * len(names) <= _MOST_HEIGHT * key.side:
        row = _SCREEN_ROW * size
    max_rows = int(_MOST_HEIGHT * key.side // row)
    ordered = sorted(names, key=lambda name: key.pens[name].faint)
    shown = names if len(names) <= max_rows else ordered[: max_rows - 1]
    short = text.shorten(list(shown), 0.4 * key.side, size, serif=style.serif)
    rows: list[tuple[str, CurveStyle | None]] = [(short[name], key.pens[name]) for name in shown]
    if len(shown) < len(names):
        rows.append((f"and {len(names) - len(shown)} more", None))
    text_width_px = max(text.text_width(row_text, size, style.serif) for row_text, _ in rows)
    return _RocRows(rows, size, row, dash, pad, (dash + 2.5 * pad + text_width_px, row * len(rows)))


def _write_key(fig, names, key, solid, faint, taken) -> None:
    """Write a legend of all names, with line and symbol, into the emptiest corner."""
    style, rows = key.style, key_rows(names, key)
    size, row, dash, pad = rows.size, rows.row, rows.dash, rows.pad
    box = _emptiest(rows.extent, key.side, solid, faint, taken, pad)
    for index, (row_text, pen) in enumerate(rows.words):
        y = (box.top - (index + 0.5) * row) / key.side
        if pen is not None:
            sample_x = [box.left, box.left + dash, box.left + dash + 1.2 * pad]
            _sample(fig, pen, [x / key.side for x in sample_x], y, style)
        fig.add_annotation(
            text=text.escape(row_text),
            x=(box.left + dash + 2.5 * pad) / key.side,
            y=y,
            xanchor="left",
            yanchor="middle",
            font={"size": size},
            bgcolor=style.veil,
        )


def _sample(fig: go.Figure, pen: CurveStyle, sample_x: list[float], y: float, style: Style) -> None:
    """Draw a legend sample: a line from the first to the second x, and a symbol at the third."""
    hover = f"<b>{text.escape(pen.name)}</b><br>{traces.click_hint('algorithm')}"
    fig.add_scatter(
        x=[sample_x[0], sample_x[1], None, sample_x[2]],
        y=[y, y, None, y],
        mode="lines+markers",
        name=f"{text.escape(pen.name)} key",
        opacity=pen.strength,
        line={"color": pen.colour, "width": average_width(style), "dash": pen.dash},
        marker={
            "symbol": pen.symbol,
            "size": [0, 0, 0, style.px(8, 4.6)],
            "color": pen.colour,
            "opacity": 1,
            "line": {"width": style.px(0.7, 0.5), "color": style.ink},
        },
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        customdata=[[pen.name]] * 4,
        meta="algorithm",
        hovertext=hover,
        hoverinfo="text",
        cliponaxis=False,
    )


def _emptiest(
    size: tuple[float, float],
    side: float,
    solid: np.ndarray,
    faint: np.ndarray,
    taken: Sequence[Box],
    pad: float,
) -> Box:
    """Return the corner box with the fewest points; average curves weigh more than fold curves."""
    board = PlacementBoard(side, side, gap=pad)
    board.draw(solid, cost=100, gap=pad)
    board.draw(np.array(faint).reshape(-1, 2), cost=1)
    half = np.array(size) / 2
    low, high = half + 1.5 * pad, side - half - 1.5 * pad
    corners = [(high[0], low[1]), tuple(low), tuple(high), (low[0], high[1])]
    if len(taken) > 1:  # an inset occupies a corner
        steps = np.linspace(low, high, 25)
        corners += [(x, y) for x in steps[:, 0] for y in steps[:, 1]]
    candidates = Candidates.of(np.array(corners), (0, 0), size)
    for box in taken:
        board.take(box)
    return (board.put(candidates) or candidates.take(0)).box


def edge_labels(
    fig: go.Figure,
    lines: Iterable[tuple[tuple[tuple[float, float], tuple[float, float]], str]],
    side: float,
    style: Style,
) -> None:
    """Write the label of each line where it leaves the square, unless it would overlap another."""
    plane = Plane(x=(0, 1), y=(0, 1), width=side, height=side)
    board = PlacementBoard(side, side, gap=style.px(4, 2), inset=(-np.inf,) * 4)
    font = {"size": style.tick_size, "color": style.second}
    for (left, right), label in lines:
        size = text_size(label, style, style.tick_size)
        at_top = left if left[1] > right[1] else right
        if right[0] > 1 - 1e-9:
            end, offset = right, (style.px(4, 2) + size[0] / 2, 0)
        elif at_top[1] > 1 - 1e-9:
            end, offset = at_top, (0, style.px(4, 3) + size[1] / 2)
        else:
            end, offset = left, (4 + size[0] / 2, 2 + size[1] / 2)
        placed = board.put(Candidates.of(plane.px(np.array(end)), offset, size))
        if placed is not None:
            add_annotations(fig, [annotation_at(label, placed, plane, style, font=font)])
