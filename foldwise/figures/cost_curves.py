"""Cost curves: the expected cost of every algorithm by class skew and misclassification cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import ticks
from foldwise.figures.label_placement import (
    Candidates,
    Label,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    join_points,
    points_along,
    text_size,
)
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, draw_key, draw_line, draw_marks, key_height, looks, with_gaps
from stats_core.core.errors import SettingError

#: Cost of the trivial classifiers at probability cost 0.5.
_APEX = 0.5
#: If all curves stay below this cost, the axis is scaled to their maximum instead.
_LOW = 0.25
#: Costs of always predicting one class, as the two ends of a line.
_TRIVIAL = {"always negative": ((0.0, 0.0), (1.0, 1.0)), "always positive": ((0.0, 1.0), (1.0, 0.0))}
#: Distances in px: between a name and its curve, least to any other curve, and sufficient.
_GAP, _CLEAR, _ENOUGH = 3.0, 3.0, 30.0
#: Candidate positions of a name along its curve, the middle first.
_SHARES = sorted(np.linspace(0.12, 0.88, 39).tolist(), key=lambda share: abs(share - 0.5))
#: Positions of symbols on envelopes, shifted slightly from one algorithm to the next.
_MARKS = np.array([0.12, 0.3, 0.48, 0.66, 0.84])


def cost_curves(
    envelopes: Mapping[str, pd.DataFrame],
    *,
    style: Style,
    lines: Mapping[str, pd.DataFrame] | None = None,
    at: float | None = None,
    colours: Mapping[str, str] | None = None,
    symbols_of: Mapping[str, str] | None = None,
) -> go.Figure:
    """Draw the lower envelope of normalised expected cost against probability cost.

    Parameters
    ----------
    envelopes : mapping of algorithm to DataFrame
        Columns ``pc`` (ascending, 0 to 1) and ``cost``.
    style : Style
        Surface; at most 600 px wide on the screen when fully laid out.
    lines : mapping of algorithm to DataFrame, optional
        Columns ``fpr`` and ``fnr``: operating points, each a thin straight line
        ``fnr pc + fpr (1 - pc)``.
    at : float, optional
        The current probability cost, marked by a line.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.

    Returns
    -------
    Figure
        The two trivial classifiers are dotted. Envelopes carry the name of their algorithm.

    Raises
    ------
    SettingError
        Without any envelope.

    References
    ----------
    Drummond and Holte 2006, Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65.
    """
    if not envelopes:
        raise SettingError("Cost curves need at least one envelope. None arrived. Pass one per algorithm.")
    tables = {str(name): table for name, table in envelopes.items()}
    points = {str(name): table for name, table in (lines or {}).items()}
    names = list(dict.fromkeys([*tables, *points]))
    styles = looks(names, style, colours, symbols_of)
    margin, plane = _frame(_top(tables), style)
    named_curves = [name for name in tables if styles[name].own or len(tables) == 1]
    short_names = text.shorten(named_curves, 0.3 * plane.width, style.size, serif=style.serif)
    others = [*_straight_lines(points, at), *_trivial_words(plane, style)]
    labels = place_names(short_names, {name: _points(tables[name]) for name in tables}, others, plane, style)
    if labels is None:
        margin["t"] += key_height(list(short_names.values()), plane.width, style)
    fig = theme.new_figure(style, plane.height + margin["t"] + margin["b"], margin=margin)
    _axes(fig, plane, style)
    _trivial(fig, plane, style)
    _current(fig, at, plane.y[1], style)
    for name, table in points.items():
        _straight(fig, name, table, styles[name], style)
    for name, table in tables.items():
        _envelope(fig, name, table, styles[name], names.index(name), style)
    if labels is None:
        draw_key(fig, short_names, styles, style)
        return fig
    options = {"name": "algorithm", "font": {"size": style.size, "color": style.ink}}
    new_annotations = [
        annotation_at(short_names[name], label, plane, style, **options) for name, label in labels.items()
    ]
    add_annotations(fig, new_annotations)
    return fig


def place_names(
    words: Mapping[str, str], curves: Mapping[str, np.ndarray], others: Sequence[np.ndarray], plane: Plane, style: Style
) -> dict[str, Label] | None:
    """Return the label of each named curve, above or below it; None if one does not fit."""
    board = PlacementBoard(plane.width, plane.height, gap=_CLEAR, inset=(2, 2, 2, 0))
    paths = {name: points_along(plane.px(curve), 3) for name, curve in curves.items()}
    board.draw(paths, gap=_CLEAR)
    board.draw(join_points(points_along(plane.px(line), 3) for line in others), gap=_CLEAR)
    labels = {}
    for name in [name for name in words if len(paths[name])]:
        candidates = _beside(paths[name], text_size(words[name], style))
        candidates = replace(candidates, cost=-board.room(candidates, _ENOUGH, name))
        labels[name] = board.put(candidates, name)
        if labels[name] is None:
            return None
    return labels


def _beside(path: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name just above and just below its curve."""
    positions, offset = [], []
    for share in _SHARES:
        point = path[round(share * (len(path) - 1))]
        curve_offsets = path[np.abs(path[:, 0] - point[0]) <= size[0] / 2 + _GAP, 1] - point[1]
        positions += [point, point]
        offset += [(0, curve_offsets.max() + _GAP + size[1] / 2), (0, curve_offsets.min() - _GAP - size[1] / 2)]
    return Candidates.of(np.array(positions), np.array(offset), size)


def _frame(top: float, style: Style) -> tuple[dict[str, float], Plane]:
    """Return the margins and the plot area."""
    margin = {"l": 4.2 * style.size, "r": style.px(14, 8), "t": style.px(8, 5), "b": 3.3 * style.size}
    total = style.px(min(style.width, 600), style.width)
    return margin, Plane(x=(0.0, 1.0), y=(0.0, top), width=total - margin["l"] - margin["r"], height=style.px(370, 186))


def _points(table: pd.DataFrame) -> np.ndarray:
    return table[["pc", "cost"]].to_numpy(dtype=float)


def _straight_lines(lines: Mapping[str, pd.DataFrame], at: float | None) -> list[np.ndarray]:
    """Return the ends of all straight lines in the plot."""
    straight = [
        np.array([[0.0, fpr], [1.0, fnr]])
        for table in lines.values()
        for fpr, fnr in table[["fpr", "fnr"]].to_numpy(dtype=float)
    ]
    trivial = [np.array(ends) for ends in _TRIVIAL.values()]
    current = [] if at is None else [np.array([[at, 0.0], [at, _APEX]])]
    return [*straight, *trivial, *current]


def _top(tables: Mapping[str, pd.DataFrame]) -> float:
    """Return the upper end of the cost axis.

    The axis includes the triangle of the trivial classifiers unless all curves are far below its
    top and would be indistinguishable.
    """
    costs = np.concatenate([table["cost"].to_numpy(dtype=float) for table in tables.values()])
    highest = float(np.max(costs[np.isfinite(costs)], initial=0.0))
    if 0 < highest < _LOW:
        return 1.4 * highest
    return 1.06 * max(_APEX, highest)


def _axes(fig: go.Figure, plane: Plane, style: Style) -> None:
    positions, labels = ticks(0.0, 1.0, 10 if plane.width > 300 else 5)
    levels, costs = ticks(0.0, plane.y[1], 6)
    shared = {"tickmode": "array", "fixedrange": True}
    fig.update_xaxes(
        range=[0, 1], tickvals=positions, ticktext=labels, title={"text": "probability cost", "standoff": 4}, **shared
    )
    fig.update_yaxes(
        range=[0, plane.y[1]],
        tickvals=levels,
        ticktext=costs,
        title={"text": "normalised expected cost", "standoff": 4},
        **shared,
    )


def _trivial(fig: go.Figure, plane: Plane, style: Style) -> None:
    """Draw the costs of always predicting one class, labelled near the top of the triangle."""
    dash = style.px("2px,4px", "1px,2px")
    room = 0.4 * plane.width - style.px(14, 8)
    for name, ends in _TRIVIAL.items():
        fig.add_scatter(
            x=[x for x, _ in ends],
            y=[y for _, y in ends],
            mode="lines",
            name=name,
            line={"color": style.leader, "width": style.px(1.3, 0.8), "dash": dash},
            hoverinfo="skip",
        )
        rising = ends[1][1] > 0
        fits = text.text_width(name, style.tick_size, style.serif) <= room
        triangle_shown = plane.y[1] > _APEX
        # Outside the triangle near its top, or inside if the top is cut off.
        x, y = (0.42, 0.42) if triangle_shown else (0.9 * plane.y[1], 0.9 * plane.y[1])
        label_right_of_line = rising is not triangle_shown
        fig.add_annotation(
            text=name if (fits if triangle_shown else plane.width > 400) else name.replace(" ", "<br>"),
            name="trivial",
            x=x if rising else 1 - x,
            y=y,
            align="left" if label_right_of_line else "right",
            xanchor="left" if label_right_of_line else "right",
            yanchor="middle",
            xshift=style.px(10, 6) if label_right_of_line else style.px(-10, -6),
            font={"size": style.tick_size, "color": style.second},
        )


def _trivial_words(plane: Plane, style: Style) -> list[np.ndarray]:
    """Return lines through the labels of the trivial classifiers inside the triangle."""
    if plane.y[1] > _APEX:
        return []
    y = 0.9 * plane.y[1]
    label_width = max(text.text_width(name, style.tick_size, style.serif) for name in _TRIVIAL)
    extent = (label_width + style.px(10, 6)) / plane.width
    line_height = style.tick_size / plane.height * plane.y[1]
    ends = ((y, y + extent), (1 - y, 1 - y - extent))
    return [
        np.array([[start, y + offset], [end, y + offset]])
        for start, end in ends
        for offset in (-line_height, 0, line_height)
    ]


def _current(fig: go.Figure, current: float | None, top: float, style: Style) -> None:
    """Draw a hairline at the current probability cost, up to the trivial classifiers."""
    if current is None:
        return
    fig.add_scatter(
        x=[current, current],
        y=[0.0, min(max(min(current, 1 - current), 0.03), top)],
        mode="lines",
        name="at",
        line={"color": style.px(style.second, style.leader), "width": style.px(1, 0.6)},
        hoverinfo="skip",
    )


def _straight(fig: go.Figure, name: str, table: pd.DataFrame, line_style: SeriesStyle, style: Style) -> None:
    """Draw the operating points of one algorithm as one trace with gaps."""
    if table.empty:
        return
    x: list[float | None] = []
    y: list[float | None] = []
    for fpr, fnr in table[["fpr", "fnr"]].to_numpy(dtype=float):
        if np.isfinite([fpr, fnr]).all():
            x += [0.0, 1.0, None]
            y += [float(fpr), float(fnr), None]
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines",
        name=f"{text.escape(name)} operating points",
        line={"color": line_style.colour, "width": style.px(0.9, 0.45), "dash": line_style.dash},
        opacity=style.px(0.55, 1),
        hoverinfo="skip",
    )


def _envelope(
    fig: go.Figure, name: str, table: pd.DataFrame, line_style: SeriesStyle, index: int, style: Style
) -> None:
    x, y = table["pc"].to_numpy(dtype=float), table["cost"].to_numpy(dtype=float)
    draw_line(
        fig,
        with_gaps(x),
        with_gaps(y),
        line_style,
        style,
        width=style.px(2.4, 1.1) if line_style.own else style.px(1, 0.5),
        name=text.escape(name),
        customdata=[[name]] * len(x),
        said=[
            f"<b>{text.escape(name)}</b><br>probability cost {probability_cost:.3g}<br>expected cost {cost:.3g}"
            for probability_cost, cost in zip(x, y, strict=True)
        ],
    )
    finite = np.isfinite(x) & np.isfinite(y)
    if not line_style.own or not finite.any():
        return
    positions = _MARKS + 0.02 * (index % 8)
    positions = positions[(positions >= x[finite].min()) & (positions <= x[finite].max())]
    draw_marks(
        fig,
        positions.tolist(),
        np.interp(positions, x[finite], y[finite]).tolist(),
        line_style,
        style.px(7, 4.6),
        style,
        name=f"{text.escape(name)} marks",
        cliponaxis=None,
    )


def alt_cost_curves(envelopes: Mapping[str, pd.DataFrame]) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame({"pc": [0.0, 0.5, 1.0], "cost": [0.0, 0.1, 0.0]})
    >>> alt_cost_curves({"knn": table})
    'Cost curves for 1 algorithm. Largest expected cost knn 0.1.'
    """
    largest = {
        text.truncate_text(text.plain_text(name), 60): float(np.nanmax(table["cost"]))
        for name, table in envelopes.items()
    }
    parts = [f"{name} {cost:.3g}" for name, cost in sorted(largest.items(), key=lambda item: item[1])]
    count = len(envelopes)
    return text.truncate_text(
        f"Cost curves for {count} algorithm{'s' * (count > 1)}. Largest expected cost {text.join_escaped(parts, 6)}."
    )


def caption_cost_curves(*, lines: bool = False, folds: int = 2, unit: str = "fold") -> str:
    """Return the caption sentences on the lines."""
    summed_over = f", its counts summed over {unit}s" if folds > 1 else ""
    thin_sentence = (
        f" Thin lines are the operating points at the current threshold, one per algorithm{summed_over}."
        if lines
        else ""
    )
    return (
        "Each curve is the least expected cost an algorithm reaches over its thresholds, as a "
        "share of the largest cost possible; probability cost joins class skew and loss. Dotted: "
        f"always saying positive or negative.{thin_sentence}"
    )
