"""ROC, precision-recall and sensitivity-specificity curves, with an inset of the best corner."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shapely import LineString, clip_by_rect, get_coordinates, get_parts

from foldwise.figures import text, theme, traces
from foldwise.figures.label_placement import Box, Candidates, PlacementBoard, even_path, join_points
from foldwise.figures.roc_traces import (
    AXES,
    PRINTED_DASHES,
    TITLES,
    CurveLegend,
    CurveStyle,
    Kind,
    average_width,
    check_kind,
    draw_average,
    draw_band,
    draw_folds,
    draw_marks,
    draw_symbols,
    edge_labels,
    key_rows,
    write_names,
)
from foldwise.figures.theme import DASHES, MARKERS, Style

#: The inset is drawn if the two largest areas under curves exceed this value.
CROWDED = 0.95
#: Candidate sides of the corner, ascending, and of the inset, descending, as shares of the square.
_CORNERS, _SIDES = (0.02, 0.05, 0.1, 0.2, 0.25), (0.5, 0.44, 0.38, 0.32)
#: Least side of the corner as a multiple of the largest distance of a curve from it.
_REACH = 1.7
_STEPS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Inset:
    """The enlarged corner of a plot and the position of its inset, in units of the unit square.

    Attributes
    ----------
    corner : (float, float)
        Left and lower edge of the corner.
    size : float
        Its side.
    at : (float, float)
        Left and lower edge of the inset.
    side : float
        Its side.
    taken : Box
        Area of the inset in px, including its tick labels.
    """

    corner: tuple[float, float]
    size: float
    at: tuple[float, float]
    side: float
    taken: Box

    @property
    def frame(self) -> np.ndarray:
        """The outline of the corner as a closed path, points x 2."""
        (left, low), size = self.corner, self.size
        right, top = left + size, low + size
        return np.array([(left, low), (right, low), (right, top), (left, top), (left, low)])

    def larger(self, points: np.ndarray) -> np.ndarray:
        """Map points of the corner to their positions in the inset."""
        return np.array(self.at) + (points - np.array(self.corner)) * self.side / self.size


def find_inset(
    averages: Mapping[str, pd.DataFrame],
    at_left: bool,
    side: float,
    marks: Sequence[np.ndarray],
    taken: Sequence[Box],
    room: tuple[float, float],
    style: Style,
) -> Inset | None:
    """Return an inset of the crowded corner; None if areas are small or it does not fit."""
    areas = sorted(
        float(np.trapezoid(curve["y"], curve["x"])) for curve in averages.values() if len(curve) > 1
    )
    if not areas or areas[-min(2, len(areas))] <= CROWDED:
        return None
    best_corner = np.array([0.0 if at_left else 1.0, 1.0])
    paths = [even_path(curve[["x", "y"]].to_numpy(dtype=float), 400) for curve in averages.values()]
    nearest = max(np.abs(path - best_corner).max(axis=1).min() for path in paths)
    size = next(
        (corner_size for corner_size in _CORNERS if corner_size >= _REACH * nearest), _CORNERS[-1]
    )
    corner = (0.0 if at_left else 1 - size, 1 - size)
    inset = _place(paths, at_left, side, marks, taken, room, style)
    return None if inset is None else Inset(corner=corner, size=size, **inset)


def _place(paths, at_left, side, marks, taken, room, style) -> dict | None:
    """Return position and size of the largest inset clear of curves, marks and text, or None.

    Among positions of one size the farthest from the corner is preferred, then the nearest.
    """
    occupied = join_points([*paths, *marks]) * side
    label_width, bottom = 2.9 * style.tick_size, 1.5 * style.tick_size
    steps = np.linspace(0, side, _STEPS)
    grid = np.array([(x, y) for x in steps for y in steps])
    far_corner = np.array([side if at_left else 0.0, 0.0])
    for side_share, sign in product(_SIDES, (1, -1)):
        side_px = side_share * side
        board = PlacementBoard(side, side, gap=style.px(8, 5), inset=(style.px(6, 4),) * 4)
        board.draw(occupied, gap=style.px(8, 5))
        for box in taken:
            board.take(box)
        preference = sign * np.hypot(*(grid - far_corner).T)
        label = board.put(
            Candidates.of(grid, (0, 0), (side_px + label_width, side_px + bottom), preference)
        )
        if label is not None and board.put(Candidates.of(grid, (0, 0), room)) is not None:
            position = ((label.box.left + label_width) / side, (label.box.bottom + bottom) / side)
            return {"at": position, "side": side_share, "taken": label.box}
    return None


def draw_inset(
    fig: go.Figure,
    inset: Inset,
    averages: Mapping[str, pd.DataFrame],
    pens: Mapping[str, CurveStyle],
    style: Style,
) -> None:
    """Draw the frame around the corner, the inset with its tick labels, and the curves in it."""
    frame_line = {"color": style.leader, "width": style.px(1, 0.6)}
    traces.add_line(
        fig, *inset.frame.T, "corner", frame_line["color"], frame_line["width"], cliponaxis=False
    )
    x, y = inset.larger(inset.frame).T
    fill = {"fill": "toself", "fillcolor": style.page}
    traces.add_line(fig, x, y, "inset", frame_line["color"], frame_line["width"], **fill)
    for name, table in averages.items():
        _curve(fig, inset, table[["x", "y"]].to_numpy(dtype=float), pens[name], style)
    _ends(fig, inset, style)


def _curve(fig: go.Figure, inset: Inset, points: np.ndarray, pen: CurveStyle, style: Style) -> None:
    """Draw the part of a curve that lies in the corner."""
    if len(points) < 2:
        return
    (left, bottom), size = inset.corner, inset.size
    inside = clip_by_rect(LineString(points), left, bottom, left + size, bottom + size)
    for part in get_parts(inside):
        coordinates = inset.larger(get_coordinates(part))
        if len(coordinates) < 2:
            continue
        fig.add_scatter(
            x=coordinates[:, 0],
            y=coordinates[:, 1],
            mode="lines",
            name=f"{text.escape(pen.name)} inset",
            opacity=pen.strength,
            line={"color": pen.colour, "width": average_width(style), "dash": pen.dash},
            hovertext=f"<b>{text.escape(pen.name)}</b>, the corner enlarged",
            hoverinfo="text",
            cliponaxis=False,
        )


def _ends(fig: go.Figure, inset: Inset, style: Style) -> None:
    """Print the coordinates of the corner's edges beside and below the inset."""
    (x, y), side, gap = inset.at, inset.side, style.px(4, 2)
    (left, bottom), size = inset.corner, inset.size
    font = {"size": style.tick_size, "colour": style.second}
    for share, edge in ((0.0, "left"), (1.0, "right")):
        label = f"{left + share * size:.2f}"
        traces.add_text(
            fig, label, x + share * side, y, **font, anchor=f"{edge}, top", shift=(0, -gap)
        )
    for share, edge in ((0.0, "bottom"), (1.0, "top")):
        label = f"{bottom + share * size:.2f}"
        traces.add_text(
            fig, label, x, y + share * side, **font, anchor=f"right, {edge}", shift=(-gap, 0)
        )


#: With more algorithms fold curves are drawn only for requested or emphasised ones.
MOST_WITH_FOLDS = 3
#: Denser than the browser's own dots, which look like dashes on thin lines.
DOTTED = "1.5px,2.5px"
#: Slope, intercept and label of a cost line.
Line = tuple[float, float, str]


def roc(
    folds: Mapping[str, Mapping[str, pd.DataFrame]],
    averages: Mapping[str, pd.DataFrame],
    *,
    kind: Kind,
    style: Style,
    marks: Mapping[str, pd.DataFrame] | None = None,
    average: str = "vertical average",
    band: str = "one standard error",
    baseline: float | None = None,
    lines: Sequence[Line] = (),
    colours: Mapping[str, str] | None = None,
    show_folds: bool | None = None,
    detailed: Collection[str] | None = None,
    unit: str = "fold",
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> go.Figure:
    """Draw how each algorithm trades one kind of error for the other over all thresholds.

    Parameters
    ----------
    folds : mapping of algorithm to mapping of fold label to DataFrame
        The curve of every fold, columns x, y and threshold: fpr and tpr, recall and precision,
        or specificity and sensitivity. A missing y interrupts the curve.
    averages : mapping of algorithm to DataFrame
        Columns x, y, low and high, ascending in x. Algorithms may be absent or their table
        empty; missing low or high leave the band out there.
    kind : {"roc", "pr", "sensitivity"}
        Meaning of x and y.
    style : Style
        Surface; the plot is square, in a figure of 600 x 520 px or 3.25 x 3.1 inches.
    marks : mapping of algorithm to DataFrame, optional
        Operating points at one threshold: one row per fold (the index its label), columns x and
        y. A larger mark is drawn at their mean.
    average, band : str
        How the average was taken and what the band shows; an empty `band` is not mentioned.
    baseline : float, optional
        Share of positive instances, the precision of random guessing; only for "pr".
    lines : sequence of (slope, intercept, label)
        Lines of equal cost, clipped to the square; "pr" has none.
    colours : mapping, optional
        Colour per algorithm. Print without colour ignores it.
    show_folds : bool, optional
        Whether to draw the curves and marks of single folds; by default on the screen only.
    detailed : collection of str, optional
        Algorithms whose single folds are drawn; by default all, of more than three the lit ones.
    unit : str
        Source of one curve per algorithm: "fold" or "run".
    selected : collection of str
        Folds that keep full opacity while the others fade. Unknown labels are ignored.
    lit : collection of str
        Algorithms that keep full opacity while the others fade; all if empty.

    Returns
    -------
    Figure
        If the two largest areas exceed 0.95, an inset enlarges the best corner. All fold curves of
        an algorithm are one trace, whose points carry ``[fold label, threshold]``; fold marks
        carry the label, averages and means a list with the algorithm.

    Raises
    ------
    ValueError
        If `kind` is none of the three.
    """
    check_kind(kind)
    names = list(dict.fromkeys([*folds, *averages, *(marks or {})]))
    pens = _pens(names, colours, lit, style)
    known = {name: _known(table) for name, table in averages.items() if len(table)}
    known = {name: known[name] for name in names if name in known and len(known[name])}
    marks = {name: table.dropna() for name, table in (marks or {}).items()}
    detailed = _detailed(names, lit, style, show_folds, detailed)
    curves = {name: folds[name] for name in detailed if folds.get(name)}
    lines = [] if kind == "pr" else _clipped(lines)

    with_band = _banded(known, names, lit, style)
    fig, frame = _frame(kind, average if known else "", band if with_band else "", lines, style)
    for name in with_band:
        draw_band(fig, known[name], pens[name], style)
    reference = _reference(fig, kind, baseline, style)
    _cost_lines(fig, lines, style)
    for name, table in curves.items():
        draw_folds(fig, table, pens[name], AXES[kind], selected, style, unit=unit)
    for name, table in known.items():
        draw_average(fig, table, pens[name], AXES[kind], average, band, style)
    for position, (name, table) in enumerate(known.items()):
        if len(names) > len(DASHES):
            path = even_path(table[["x", "y"]].to_numpy(dtype=float), 121)
            draw_symbols(fig, path[10 + 5 * (position % 8) : 112 : 40], pens[name], style)
    for name, table in marks.items():
        if len(table):
            shown = name in detailed
            draw_marks(fig, table, pens[name], AXES[kind], selected, style, folds=shown, unit=unit)

    occupied = [frame.box_of_baseline(baseline)] if kind == "pr" and baseline is not None else []
    points = [table[["x", "y"]].to_numpy() for table in marks.values()]
    legend = CurveLegend(pens=pens, side=frame.side, style=style, backed=bool(curves))
    straight = [reference, *(np.array(line.ends) for line in lines)]
    key_size = key_rows(list(known), legend).extent if known else (0.0, 0.0)
    inset = find_inset(known, kind == "roc", frame.side, points, occupied, key_size, style)
    if inset is not None:
        draw_inset(fig, inset, known, pens, style)
        occupied.append(inset.taken)
        straight.append(inset.frame)
    write_names(fig, known, list(curves), legend, straight, points, curves, occupied)
    edge_labels(fig, [(line.ends, line.label) for line in lines], frame.side, style)
    return fig


def _pens(names, colours, emphasised, style) -> dict[str, CurveStyle]:
    """Return the colour, dash and symbol of each algorithm."""
    hues = dict(colours or theme.colours(names, dark=style.dark))
    inked = style.printed and not style.colour
    return {
        name: CurveStyle(
            name=name,
            colour=style.ink if inked else hues.get(name, theme.GREY),
            dash=PRINTED_DASHES[dash] if style.printed else dash,
            symbol=MARKERS[position % len(MARKERS)],
            faint=bool(emphasised) and name not in emphasised,
        )
        for position, (name, dash) in enumerate(zip(names, cycle(DASHES), strict=False))
    }


def _known(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of an average without missing x or y, ascending in x."""
    return (
        table[["x", "y", "low", "high"]].dropna(subset=["x", "y"]).sort_values("x", kind="stable")
    )


def _detailed(names, emphasised, style, show_folds, detailed) -> list[str]:
    """Return the algorithms whose single folds are drawn."""
    if show_folds is None:
        show_folds = not style.printed
    if not show_folds:
        return []
    if detailed is None and len(names) <= MOST_WITH_FOLDS:
        return names
    return [name for name in names if name in (emphasised if detailed is None else detailed)]


def _banded(averages, names, emphasised, style) -> list[str]:
    """Return the algorithms whose band is drawn; in print at most three, since more overlap."""
    known = [n for n, table in averages.items() if (table["high"] - table["low"]).notna().any()]
    if not style.printed or len(names) <= MOST_WITH_FOLDS:
        return known
    return [name for name in known if name in emphasised]


@dataclass(frozen=True, slots=True)
class _Clipped:
    """A cost line inside the unit square: its left and its right end, and its label."""

    ends: tuple[tuple[float, float], tuple[float, float]]
    label: str


def _clipped(lines: Sequence[Line]) -> list[_Clipped]:
    """Clip straight lines to the unit square."""
    parts = []
    for slope, intercept, label in lines:
        if not np.isfinite([slope, intercept]).all():
            continue
        left, right = 0.0, 1.0
        if slope != 0:
            crossings = sorted([-intercept / slope, (1 - intercept) / slope])
            left, right = max(left, crossings[0]), min(right, crossings[1])
        elif not 0 <= intercept <= 1:
            continue
        if right - left > 1e-9:
            ends = [(x, min(max(slope * x + intercept, 0.0), 1.0)) for x in (left, right)]
            parts.append(_Clipped((ends[0], ends[1]), label))
    return parts


@dataclass(frozen=True, slots=True)
class _RocFrame:
    """The plot area: side in px when fully laid out, and style."""

    side: float
    style: Style

    def box_of_baseline(self, share: float) -> Box:
        """Return the box in px occupied by the label of the baseline."""
        width = text.text_width(_baseline_words(share), self.style.tick_size, self.style.serif)
        low = share * self.side - (1.5 * self.style.tick_size if share > 0.9 else 0)
        return Box(0, low, width + 8, low + 1.5 * self.style.tick_size)


def _frame(kind, average, band, lines, style) -> tuple[go.Figure, _RocFrame]:
    """Return the empty square plot with its axes and the note on average and band above it."""
    width = style.width if style.printed else min(style.width, 600)
    height = min(300 / 312 * width, 420) if style.printed else 520
    at_right = [line.label for line in lines if line.ends[1][0] > 1 - 1e-9]
    label_widths = [
        text.text_width(text.plain_text(label), style.tick_size, style.serif) for label in at_right
    ]
    margin = {
        "l": style.px(58, 38),
        "r": max(
            style.px(20, 12), *(label_width + style.px(10, 7) for label_width in label_widths), 0
        ),
        "b": style.px(46, 34),
    }
    across = width - margin["l"] - margin["r"]
    note = _note(average, band, across, style)
    at_top = any(max(end[1] for end in line.ends) > 1 - 1e-9 for line in lines)
    rows = len(note) + at_top
    margin["t"] = style.px(8, 6) + 1.3 * style.tick_size * max(rows, 0.5)
    side = min(across, height - margin["t"] - margin["b"])
    fig = theme.new_figure(style, side + margin["t"] + margin["b"], margin=margin)
    axis = {"range": [0, 1], "dtick": 0.2, "tickformat": ".1f", "fixedrange": True}
    x_title, y_title = TITLES[kind]
    fig.update_xaxes(title={"text": x_title, "standoff": 4}, constrain="domain", **axis)
    fig.update_yaxes(
        title={"text": y_title, "standoff": 4},
        constrain="domain",
        scaleanchor="x",
        scaleratio=1,
        **axis,
    )
    if note:
        fig.add_annotation(
            text="<br>".join(text.escape(row) for row in note),
            xref="x domain",
            yref="y domain",
            x=0,
            y=1,
            xanchor="left",
            yanchor="bottom",
            align="left",
            yshift=style.px(5, 4) + 1.3 * style.tick_size * at_top,
            font={"size": style.tick_size, "color": style.second},
        )
    return fig, _RocFrame(side, style)


def _note(average: str, band: str, room: float, style: Style) -> list[str]:
    """Return one or two lines that describe the average curves and the bands."""
    rows = [text.plain_text(average), f"band: {text.plain_text(band)}" if band else ""]
    rows = [row for row in rows if row]
    joined = ", ".join(rows)
    if rows and text.text_width(joined, style.tick_size, style.serif) <= room:
        return [joined]
    short = text.shorten(rows, room, style.tick_size, serif=style.serif)
    return list(short.values())


def _reference(fig, kind, baseline, style) -> np.ndarray:
    """Draw the line of random guessing and return its two ends."""
    ends = {"roc": [[0, 0], [1, 1]], "sensitivity": [[0, 1], [1, 0]]}.get(kind)
    if kind == "pr":
        if baseline is None:
            return np.empty((0, 2))
        ends = [[0, baseline], [1, baseline]]
    fig.add_scatter(
        x=[ends[0][0], ends[1][0]],
        y=[ends[0][1], ends[1][1]],
        mode="lines",
        name="guessing",
        line={"color": style.leader, "width": style.px(1.2, 0.7), "dash": DOTTED},
        hoverinfo="skip",
    )
    if kind == "pr":
        fig.add_annotation(
            text=_baseline_words(baseline),
            x=0,
            y=baseline,
            xanchor="left",
            yanchor="top" if baseline > 0.9 else "bottom",
            xshift=4,
            yshift=-2 if baseline > 0.9 else 2,
            font={"size": style.tick_size, "color": style.second},
        )
    return np.array(ends, dtype=float)


def _baseline_words(share: float) -> str:
    return f"share of positives {share:.2g}" if share < 0.1 else f"share of positives {share:.2f}"


def _cost_lines(fig, lines, style) -> None:
    for line in lines:
        fig.add_scatter(
            x=[end[0] for end in line.ends],
            y=[end[1] for end in line.ends],
            mode="lines",
            name="equal cost",
            line={"color": style.second, "width": style.px(0.8, 0.5), "dash": DOTTED},
            hovertext=text.escape(line.label),
            hoverinfo="text",
        )
