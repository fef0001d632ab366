"""Where the names of curves go: beside them at the widest gap, or into a key in a free corner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.roc_traces import Pen, average_width, draw_edge
from foldwise.figures.theme import PX_PER_POINT, Style

#: Places along a curve at which its name is tried, and points that stand for the whole curve.
_PLACES, _POINTS = 48, 240
#: Where a name may lie, seen from its place on the curve.
_SIDES = ((1, 1), (0, 1), (-1, 1), (1, 0), (-1, 0), (1, -1), (0, -1), (-1, -1))
#: A key never takes more of the height.
_MOST_HEIGHT = 0.66


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in px from the lower left corner of the square."""

    left: float
    bottom: float
    right: float
    top: float

    def overlaps(self, other: Box, gap: float = 0.0) -> bool:
        """Whether two boxes come closer than `gap`."""
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.bottom < other.top + gap
            and other.bottom < self.top + gap
        )

    def distances(self, points: np.ndarray) -> np.ndarray:
        """Return how far points are from the box, 0 inside it."""
        middle = np.array([self.left + self.right, self.bottom + self.top]) / 2
        half = np.array([self.right - self.left, self.top - self.bottom]) / 2
        return np.hypot(*np.maximum(np.abs(points - middle) - half, 0).T)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What is needed to write names: pens by algorithm, side of the square in px, the surface.

    `backed` tells whether fold curves run below the names, which then get a ground of their own.
    """

    pens: Mapping[str, Pen]
    side: float
    style: Style
    backed: bool


def write_names(
    fig: go.Figure,
    averages: Mapping[str, pd.DataFrame],
    others: Sequence[str],
    key: Key,
    straight: Sequence[np.ndarray],
    marks: Sequence[np.ndarray],
    curves: Mapping[str, Mapping[str, pd.DataFrame]],
    taken: Sequence[Box],
) -> None:
    """Write every name at its average, or if one of them finds no room, all into a key.

    Parameters
    ----------
    averages : mapping of algorithm to DataFrame
        Columns x and y.
    others : sequence of str
        Algorithms of which only folds are drawn; they too call for the key.
    straight : sequence of (2, 2) arrays
        Ends of straight lines, marks : sequence of (n, 2) arrays, curves : curves of folds:
        what names keep clear of, or what the key avoids.
    taken : sequence of Box
        Words that are there already.
    """
    paths = {
        name: even_path(table[["x", "y"]].to_numpy(dtype=float)) for name, table in averages.items()
    }
    scaled = {name: path * key.side for name, path in paths.items()}
    lines = [even_path(ends) * key.side for ends in straight if len(ends)]
    points = [np.asarray(table, dtype=float) * key.side for table in marks if len(table)]
    drawn = list(dict.fromkeys([*averages, *others]))
    placed = _beside(scaled, key, lines, points, list(taken))
    if len(placed) == len(drawn):
        for words, box in placed.values():
            _write(fig, words, box, key)
        return
    tables = (table for each in curves.values() for table in each.values())
    folds = [np.column_stack([table["x"], table["y"]]) * key.side for table in tables]
    _write_key(fig, drawn, key, [*scaled.values(), *points, *lines], folds, list(taken))


def even_path(points: np.ndarray, count: int = _POINTS) -> np.ndarray:
    """Return points evenly spaced along a path, given by its corners."""
    steps = np.hypot(*np.diff(points, axis=0).T) if len(points) > 1 else np.zeros(0)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    if along[-1] == 0:
        return points[:1]
    at = np.linspace(0, along[-1], count)
    return np.column_stack([np.interp(at, along, points[:, i]) for i in (0, 1)])


def _beside(paths, key, lines, marks, taken) -> dict[str, tuple[str, Box]]:
    """Place every name beside its curve: the text and box of each; stop where one has no room."""
    style, placed = key.style, {}
    shown = text.shorten(list(paths), 0.4 * key.side, style.size, serif=style.serif)
    dots = np.concatenate([*marks, np.empty((0, 2))])
    for name, path in paths.items():
        width = text.width(shown[name], style.size, style.serif) + 4
        others = [other for label, other in paths.items() if label != name]
        rest = np.concatenate([*others, *lines, np.empty((0, 2))])
        boxes = _candidates(path, (width, 1.15 * style.size), key)
        best = _widest(boxes, path, rest, dots, taken, style)
        if best is None:
            break
        placed[name] = (shown[name], best)
        taken.append(best)
    return placed


def _candidates(path: np.ndarray, size: tuple[float, float], key: Key) -> np.ndarray:
    """Return the boxes beside a curve that lie inside the square: left, bottom, right, top."""
    half = np.array(size) / 2
    places = path[:: max(1, len(path) // _PLACES)]
    away = np.array(_SIDES) * (half + key.style.px(6, 3.5))
    middles = (places[:, None] + away).reshape(-1, 2)
    boxes = np.hstack([middles - half, middles + half])
    return boxes[((boxes >= 3) & (boxes <= key.side - 3)).all(axis=1)]


def _widest(boxes, path, rest, dots, taken, style) -> Box | None:
    """Return the box that is farthest from everything but its own curve, if one is clear."""
    near, clear = style.px(4, 2.5), style.px(12, 8)
    gaps = np.minimum(_nearest(boxes, rest), 10 * clear)
    free = (gaps > clear) & (_nearest(boxes, path) >= near)
    free &= _nearest(boxes, dots) >= 2 * near
    for place in np.argsort(-gaps, kind="stable"):
        box = Box(*boxes[place].tolist())
        if free[place] and not any(box.overlaps(other, near) for other in taken):
            return box
    return None


def _nearest(boxes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return how far each box is from the nearest of some points, infinity without points."""
    if not len(points) or not len(boxes):
        return np.full(len(boxes), np.inf)
    away = [
        np.maximum(np.maximum(boxes[:, [i]] - points[:, i], points[:, i] - boxes[:, [i + 2]]), 0)
        for i in (0, 1)
    ]
    return np.hypot(*away).min(axis=1)


def _write(fig: go.Figure, words: str, box: Box, key: Key) -> None:
    fig.add_annotation(
        text=text.escape(words),
        x=(box.left + box.right) / 2 / key.side,
        y=(box.bottom + box.top) / 2 / key.side,
        xanchor="center",
        yanchor="middle",
        font={"size": key.style.size},
        bgcolor=_ground(key) if key.backed else None,
    )


def _ground(key: Key) -> str:
    """Return the colour of the page, a little transparent."""
    return "rgba(14,17,23,0.75)" if key.style.dark else "rgba(255,255,255,0.75)"


def _write_key(fig, names, key, solid, faint, taken) -> None:
    """Write all names, each with its line and symbol, into the emptiest corner."""
    style, size = key.style, key.style.size
    dash, pad = style.px(42, 34), style.px(8, 5)
    if 1.35 * size * len(names) > _MOST_HEIGHT * key.side:
        size = min(size, style.px(12, 7 * PX_PER_POINT))
    row = 1.35 * size
    most = int(_MOST_HEIGHT * key.side // row)
    ordered = sorted(names, key=lambda name: key.pens[name].faint)
    shown = names if len(names) <= most else ordered[: most - 1]
    short = text.shorten(list(shown), 0.4 * key.side, size, serif=style.serif)
    rows = [(short[name], key.pens[name]) for name in shown]
    if len(shown) < len(names):
        rows.append((f"and {len(names) - len(shown)} more", None))
    wide = max(text.width(words, size, style.serif) for words, _ in rows)
    extent = (dash + 2.5 * pad + wide, row * len(rows))
    box = _emptiest(extent, key.side, solid, faint, taken, pad)
    for place, (words, pen) in enumerate(rows):
        y = (box.top - (place + 0.5) * row) / key.side
        if pen is not None:
            at = [box.left, box.left + dash, box.left + dash + 1.2 * pad]
            _sample(fig, pen, [x / key.side for x in at], y, style)
        fig.add_annotation(
            text=text.escape(words),
            x=(box.left + dash + 2.5 * pad) / key.side,
            y=y,
            xanchor="left",
            yanchor="middle",
            font={"size": size},
            bgcolor=_ground(key),
        )


def _sample(fig: go.Figure, pen: Pen, at: list[float], y: float, style: Style) -> None:
    """Draw a piece of a curve, from the first to the second place, and its symbol at the third."""
    if pen.edged(style):
        draw_edge(fig, at[:2], [y, y], pen, style)
    fig.add_scatter(
        x=[at[0], at[1], None, at[2]],
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
        hoverinfo="skip",
        cliponaxis=False,
    )


def _emptiest(size, side, solid, faint, taken, pad) -> Box:
    """Return the corner with the least in it; averages and marks weigh more than fold curves."""
    right, top = side - size[0] - 1.5 * pad, side - size[1] - 1.5 * pad
    best, least = None, np.inf
    for left, bottom in (
        (right, 1.5 * pad),
        (1.5 * pad, 1.5 * pad),
        (right, top),
        (1.5 * pad, top),
    ):
        box = Box(left, bottom, left + size[0], bottom + size[1])
        if any(box.overlaps(other) for other in taken):
            continue
        load = 10.0 * sum(int((box.distances(points) < pad).sum()) for points in solid)
        load += sum(int((box.distances(points) == 0).sum()) for points in faint)
        if load < least:
            best, least = box, load
    return best or Box(right, 1.5 * pad, right + size[0], 1.5 * pad + size[1])


def edge_labels(
    fig: go.Figure,
    lines: Iterable[tuple[tuple[tuple[float, float], tuple[float, float]], str]],
    side: float,
    style: Style,
) -> None:
    """Write the label of each line where it leaves the square, unless another is there.

    Parameters
    ----------
    lines : iterable of (ends, label)
        The left and the right end of each line, in the unit square.
    """
    size = style.tick_size
    taken: list[Box] = []
    for (left, right), label in lines:
        words = text.plain(label)
        width = text.width(words, size, style.serif)
        at_top = left if left[1] > right[1] else right
        if right[0] > 1 - 1e-9:
            end, anchors, shift = right, ("left", "middle"), (style.px(6, 4), 0)
            x0, y0 = side + shift[0], right[1] * side - 0.6 * size
        elif at_top[1] > 1 - 1e-9:
            end, anchors, shift = at_top, ("center", "bottom"), (0, style.px(4, 3))
            x0, y0 = at_top[0] * side - width / 2, side + shift[1]
        else:
            end, anchors, shift = left, ("left", "bottom"), (4, 2)
            x0, y0 = left[0] * side + 4, left[1] * side + 2
        box = Box(x0, y0, x0 + width, y0 + 1.2 * size)
        if any(box.overlaps(other, style.px(4, 2)) for other in taken):
            continue
        taken.append(box)
        fig.add_annotation(
            text=text.escape(words),
            x=end[0],
            y=end[1],
            xanchor=anchors[0],
            yanchor=anchors[1],
            xshift=shift[0],
            yshift=shift[1],
            font={"size": size, "color": style.second},
        )
