"""Traces, names and inset of ROC and related curves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shapely import LineString, clip_by_rect, get_coordinates, get_parts

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
from foldwise.figures.theme import FADED, PX_PER_POINT, Style

Kind = Literal["roc", "pr", "sensitivity"]
#: Short names of x and y, for hover and alternative text.
AXES = {"roc": ("fpr", "tpr"), "pr": ("recall", "precision"), "sensitivity": ("specificity", "sensitivity")}
TITLES = {
    "roc": ("false positive rate (fpr)", "true positive rate (tpr)"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}


#: Opacity of fold curves, and of unselected ones while others are selected.
FOLD, OTHER_FOLD = 0.35, 0.15
#: Dashes in px for print, whose lines are too thin for Plotly's named dashes.
PRINTED_DASHES = {
    "solid": "solid",
    "dash": "5px,3px",
    "dot": "1.5px,2px",
    "dashdot": "5px,2px,1.5px,2px",
    "longdash": "9px,3.5px",
    "longdashdot": "9px,2.5px,1.5px,2.5px",
}
#: Decimals of fold curves; more would enlarge the page without a visible effect.
_DIGITS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveStyle:
    """Colour, dash and symbol of one algorithm, and whether it is faded."""

    name: str
    colour: str
    dash: str
    symbol: str
    faint: bool

    @property
    def strength(self) -> float:
        """Opacity of the algorithm's average curve."""
        return FADED if self.faint else 1.0


def draw_folds(
    fig: go.Figure,
    curves: Mapping[str, pd.DataFrame],
    pen: CurveStyle,
    axes: tuple[str, str],
    selected: Collection[str],
    style: Style,
    *,
    unit: str = "fold",
) -> None:
    """Draw the curves of all folds as one trace, and the selected ones as a second.

    Points carry the label of the fold and the threshold. The infinite threshold at the origin of
    a ROC curve is given as ``above all scores``.
    """
    labels = [label for label, table in curves.items() if len(table)]
    chosen = {str(label) for label in selected} & {str(label) for label in labels}
    for is_selected in (False, True):
        trace_labels = [label for label in labels if (str(label) in chosen) == is_selected]
        if not trace_labels:
            continue
        faded = OTHER_FOLD if chosen else FOLD
        fig.add_scatter(
            mode="lines",
            name=f"{text.escape(pen.name)} folds",
            opacity=pen.strength * (1.0 if is_selected else faded),
            line={"color": pen.colour, "width": style.px(1.6, 1) if is_selected else style.px(0.8, 0.5)},
            hovertemplate=_curve_hover(axes),
            connectgaps=False,
            cliponaxis=False,
        )
        # Set afterwards, since adding a trace copies every object in it, here up to 200,000.
        trace_curves = {str(label): curves[label] for label in trace_labels}
        for key, array in _joined(f"{pen.name}, {unit}", trace_curves).items():
            fig.data[-1][key] = array


def _joined(of: str, curves: Mapping[str, pd.DataFrame]) -> dict[str, np.ndarray]:
    """Return curves concatenated end to end, with a gap after each.

    Plotly validates every element of a list, but not those of an array.
    """
    total = sum(len(table) + 1 for table in curves.values()) - 1
    joined = {key: np.full(total, None, dtype=object) for key in ("x", "y", "text")}
    joined["customdata"] = np.full((total, 2), None, dtype=object)
    start = 0
    for label, table in curves.items():
        x, y, threshold = (table[key].to_numpy(dtype=float) for key in ("x", "y", "threshold"))
        span = slice(start, start + len(table))
        start = span.stop + 1
        joined["x"][span] = _holes(x)
        joined["y"][span] = _holes(y)
        joined["text"][span] = f"{text.escape(of)} {text.escape(label)}"
        joined["customdata"][span, 0] = label
        joined["customdata"][span, 1] = _thresholds(threshold)
    return joined


def _holes(values: np.ndarray) -> np.ndarray:
    """Return rounded values, with None for missing ones."""
    return np.where(np.isfinite(values), np.round(values, _DIGITS).astype(object), None)


def _thresholds(values: np.ndarray) -> list[float | str | None]:
    """Return thresholds with four significant digits, infinite ones in words."""
    finite = np.isfinite(values)
    sizes = np.where(finite & (values != 0), np.maximum(np.abs(values), 1e-290), 1.0)
    shift = 10.0 ** (3 - np.floor(np.log10(sizes)))
    rounded = (np.round(np.where(finite, values, 0.0) * shift) / shift).tolist()
    for position in np.flatnonzero(~finite):
        words = {np.inf: "above all scores", -np.inf: "below all scores"}
        rounded[position] = words.get(values[position])
    return rounded


def _curve_hover(axes: tuple[str, str]) -> str:
    """Return the hover template; the browser fills in fold, threshold and coordinates."""
    return (
        "<b>%{text}</b><br>threshold %{customdata[1]}<br>"
        f"{axes[0]} %{{x:.3~g}}, {axes[1]} %{{y:.3~g}}<extra></extra>"
    )


def draw_average(
    fig: go.Figure, table: pd.DataFrame, pen: CurveStyle, axes: tuple[str, str], average: str, band: str, style: Style
) -> None:
    """Draw the average curve; its points carry a list with the algorithm as customdata."""
    x, y = table["x"].tolist(), table["y"].tolist()
    fig.add_scatter(
        x=x,
        y=y,
        name=text.escape(pen.name),
        opacity=pen.strength,
        line={"color": pen.colour, "width": average_width(style), "dash": pen.dash},
        **traces.line_click_mode(style),
        customdata=[[pen.name]] * len(x),
        meta="algorithm",
        hovertext=_average_hover(table, pen.name, axes, average, band),
        hoverinfo="text",
        cliponaxis=False,
    )


def average_width(style: Style) -> float:
    """Return the line width of average curves."""
    return style.px(2.4, 1.4)


def draw_symbols(fig: go.Figure, path: np.ndarray, pen: CurveStyle, style: Style) -> None:
    """Repeat the symbol of an algorithm along its average, if dashes alone are ambiguous."""
    fig.add_scatter(
        x=path[:, 0].tolist(),
        y=path[:, 1].tolist(),
        mode="markers",
        name=f"{text.escape(pen.name)} symbols",
        opacity=pen.strength,
        hoverinfo="skip",
        **_marker(pen, style.px(7, 4.6), style.px(0.7, 0.4), style),
    )


def _average_hover(table, name, axes, average, band) -> list[str]:
    head = f"<b>{text.escape(name)}, {text.escape(average or 'average')}</b><br>"
    hover_texts = []
    for x, y, low, high in table[["x", "y", "low", "high"]].to_numpy(dtype=float):
        hover = f"{head}{axes[0]} {x:.3g}, {axes[1]} {y:.3g}"
        if np.isfinite([low, high]).all():
            hover += f"<br>{text.escape(band or 'band')}: {low:.3g} to {high:.3g}"
        hover_texts.append(f"{hover}<br>{traces.click_hint('algorithm')}")
    return hover_texts


def draw_band(fig: go.Figure, table: pd.DataFrame, pen: CurveStyle, style: Style) -> None:
    """Fill the band between low and high; in print draw its edges only."""
    table = table.dropna(subset=["low", "high"])
    x, low, high = (table[column].tolist() for column in ("x", "low", "high"))
    fig.add_scatter(
        x=[*x, None, *x] if style.printed else x + x[::-1],
        y=[*low, None, *high] if style.printed else low + high[::-1],
        mode="lines",
        name=f"{text.escape(pen.name)} band",
        opacity=pen.strength,
        line={"color": pen.colour, "width": style.px(0, 0.5), "dash": style.px("solid", pen.dash)},
        fill="none" if style.printed else "toself",
        fillcolor=None if style.printed else _veil(pen.colour, 0.15),
        hoverinfo="skip",
        cliponaxis=False,
    )


def _veil(colour: str, strength: float) -> str:
    """Return a hexadecimal colour with an opacity, as rgba()."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def draw_marks(
    fig: go.Figure,
    table: pd.DataFrame,
    pen: CurveStyle,
    axes: tuple[str, str],
    selected: Collection[str],
    style: Style,
    *,
    folds: bool,
    unit: str = "fold",
) -> None:
    """Mark the operating point of every fold, if `folds` is set, and their mean."""
    labels = [str(label) for label in table.index]
    values = table[["x", "y"]].to_numpy(dtype=float)
    name = text.escape(pen.name)
    for is_emphasised, indices in traces.split_by_selection(labels, selected) if folds else ():
        fig.add_scatter(
            x=values[indices, 0].tolist(),
            y=values[indices, 1].tolist(),
            mode="markers",
            name=f"{name} marks",
            opacity=pen.strength * (1.0 if is_emphasised else FADED),
            customdata=[labels[i] for i in indices],
            meta="fold",
            hovertext=[
                f"<b>{name}, {unit} {text.escape(labels[i])}</b><br>{axes[0]} {values[i, 0]:.3g}, "
                f"{axes[1]} {values[i, 1]:.3g}<br>{traces.click_hint('fold', noun=unit)}"
                for i in indices
            ],
            hoverinfo="text",
            **_marker(pen, style.px(7, 4), style.px(0.7, 0.5), style),
        )
    x, y = values.mean(axis=0).tolist()
    count = f"{len(labels)} {unit}s" if len(labels) != 1 else f"one {unit}"
    fig.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        name=f"{name} mean",
        opacity=pen.strength,
        customdata=[[pen.name]],
        meta="algorithm",
        hovertext=f"<b>{name}, mean of {count}</b><br>{axes[0]} {x:.3g}, {axes[1]} {y:.3g}<br>"
        + traces.click_hint("algorithm"),
        hoverinfo="text",
        **_marker(pen, style.px(12, 7), style.px(1.4, 0.8), style),
    )


def _marker(pen: CurveStyle, size: float, edge: float, style: Style) -> dict:
    inked = style.printed and not style.colour
    return {
        "marker": {
            "symbol": pen.symbol,
            "size": size,
            # A black edge would vanish on black; white separates the mark from its curve.
            "color": pen.colour,
            "opacity": 1,
            "line": {"width": edge, "color": "#FFFFFF" if inked else style.ink},
        },
        "unselected": {"marker": {"opacity": 1}},
        "cliponaxis": False,
    }


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
        folds = join_points(np.column_stack([curve["x"], curve["y"]]) for curve in tables) * key.side
        _write_key(fig, drawn, key, occupied, [*lines, *folds], taken)
        return
    plane = Plane(x=(0, 1), y=(0, 1), width=key.side, height=key.side)
    ground = {"bgcolor": key.style.veil if key.backed else None}
    new_annotations = [
        annotation_at(name_text, label, plane, key.style, **ground) for name_text, label in labels.values()
    ]
    add_annotations(fig, new_annotations)


def _path(points: pd.DataFrame | np.ndarray, side: float) -> np.ndarray:
    return even_path(np.asarray(points, dtype=float), _POINTS) * side


def _beside(
    paths: Mapping[str, np.ndarray], key: CurveLegend, lines: np.ndarray, dots: np.ndarray, taken: Sequence[Box]
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
        candidates, _ = candidate_positions(points, text_size(shown[name], style), [style.px(6, 3.5)])
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
    size: tuple[float, float], side: float, solid: np.ndarray, faint: np.ndarray, taken: Sequence[Box], pad: float
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
    areas = sorted(float(np.trapezoid(curve["y"], curve["x"])) for curve in averages.values() if len(curve) > 1)
    if not areas or areas[-min(2, len(areas))] <= CROWDED:
        return None
    best_corner = np.array([0.0 if at_left else 1.0, 1.0])
    paths = [even_path(curve[["x", "y"]].to_numpy(dtype=float), 400) for curve in averages.values()]
    nearest = max(np.abs(path - best_corner).max(axis=1).min() for path in paths)
    size = next((corner_size for corner_size in _CORNERS if corner_size >= _REACH * nearest), _CORNERS[-1])
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
        label = board.put(Candidates.of(grid, (0, 0), (side_px + label_width, side_px + bottom), preference))
        if label is not None and board.put(Candidates.of(grid, (0, 0), room)) is not None:
            position = ((label.box.left + label_width) / side, (label.box.bottom + bottom) / side)
            return {"at": position, "side": side_share, "taken": label.box}
    return None


def draw_inset(
    fig: go.Figure, inset: Inset, averages: Mapping[str, pd.DataFrame], pens: Mapping[str, CurveStyle], style: Style
) -> None:
    """Draw the frame around the corner, the inset with its tick labels, and the curves in it."""
    frame_line = {"color": style.leader, "width": style.px(1, 0.6)}
    traces.add_line(fig, *inset.frame.T, "corner", frame_line["color"], frame_line["width"], cliponaxis=False)
    x, y = inset.larger(inset.frame).T
    fill = {"fill": "toself", "fillcolor": style.page}
    traces.add_line(fig, x, y, "inset", frame_line["color"], frame_line["width"], **fill)
    for name, table in averages.items():
        _curve_in_corner(fig, inset, table[["x", "y"]].to_numpy(dtype=float), pens[name], style)
    _print_corner(fig, inset, style)


def _curve_in_corner(fig: go.Figure, inset: Inset, points: np.ndarray, pen: CurveStyle, style: Style) -> None:
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


def _print_corner(fig: go.Figure, inset: Inset, style: Style) -> None:
    """Print the coordinates of the corner's edges beside and below the inset."""
    (x, y), side, gap = inset.at, inset.side, style.px(4, 2)
    (left, bottom), size = inset.corner, inset.size
    font = {"size": style.tick_size, "colour": style.second}
    for share, edge in ((0.0, "left"), (1.0, "right")):
        label = f"{left + share * size:.2f}"
        traces.add_text(fig, label, x + share * side, y, **font, anchor=f"{edge}, top", shift=(0, -gap))
    for share, edge in ((0.0, "bottom"), (1.0, "top")):
        label = f"{bottom + share * size:.2f}"
        traces.add_text(fig, label, x, y + share * side, **font, anchor=f"right, {edge}", shift=(-gap, 0))
