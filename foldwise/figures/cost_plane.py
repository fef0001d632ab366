"""Scatter plot of algorithms by cost and result, with a line through the undominated ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import log_ticks, padded_range, tick_axis, ticks
from foldwise.figures.label_placement import Plane, name_marks
from foldwise.figures.theme import Style

_LOGARITHMIC = 20  # ratio of largest to least cost from which on the cost axis is logarithmic


def cost_plane(
    table: pd.DataFrame,
    *,
    cost: str,
    value: str,
    higher_is_better: bool,
    marks: Mapping[str, str],
    style: Style,
) -> go.Figure:
    """Draw the result of each algorithm (upwards) against its cost (to the right)."""
    log = table["cost"].min() > 0 and table["cost"].max() >= _LOGARITHMIC * table["cost"].min()
    positions = table.assign(x=np.log10(table["cost"]) if log else table["cost"])
    margin = {
        "l": 4.2 * style.size,
        "r": style.px(14, 8),
        "t": style.px(12, 7),
        "b": 3.4 * style.size,
    }
    height = style.px(340, 175)
    fig = theme.new_figure(style, height, margin=margin)
    plane = Plane(
        x=padded_range(positions["x"].min(), positions["x"].max()),
        y=padded_range(positions["value"].min(), positions["value"].max()),
        width=style.width - margin["l"] - margin["r"],
        height=height - margin["t"] - margin["b"],
    )
    front = positions[positions["standing"] == next(iter(marks))]
    step_line = _steps(front)
    traces.add_line(
        fig, *step_line.T.tolist(), "undominated", style.leader, style.px(1.4, 0.8), dash="dot"
    )
    for standing, symbol in marks.items():
        rows = positions[positions["standing"] == standing]
        if len(rows):
            _marks(fig, rows, standing, symbol, (cost, value), style)
    _axes(fig, plane, log, cost, value, higher_is_better, style)
    points = dict(zip(positions.index, plane.px(positions[["x", "value"]].to_numpy()), strict=True))
    name_marks(fig, points, [plane.px(step_line)], plane, style)
    return fig


def _steps(front: pd.DataFrame) -> np.ndarray:
    """Return the corners of the step line through the undominated algorithms."""
    points = front[["x", "value"]].to_numpy(dtype=float)
    corners = [points[:1]]
    for before, after in zip(points[:-1], points[1:], strict=True):
        corners.append(np.array([[after[0], before[1]], after]))
    return np.concatenate(corners)


def _marks(
    fig: go.Figure, rows: pd.DataFrame, standing: str, symbol: str, axes: tuple, style: Style
) -> None:
    cost, value = (text.escape(title) for title in axes)
    hover_texts = [
        "<br>".join(
            [
                f"<b>{text.escape(name)}</b>",
                f"{value}: {row['value']:.4g}",
                f"{cost}: {row['cost']:.4g}",
                text.escape(f"{standing}: {row['by']}" if row["by"] else standing),
                traces.click_hint("algorithm", opens=False),
            ]
        )
        for name, row in rows.iterrows()
    ]
    traces.add_points(
        fig,
        rows["x"].to_list(),
        rows["value"].to_list(),
        text.escape(standing),
        style.px(10, 5.4),
        symbol,
        style.ink,
        (style.px(1.6, 0.9), style.ink),
        said=hover_texts,
        customdata=list(map(str, rows.index)),
        meta="algorithm",
    )


def _axes(
    fig: go.Figure, plane: Plane, log: bool, cost: str, value: str, higher: bool, style: Style
) -> None:
    x_positions, x_labels = ticks(*plane.x, max(plane.width / (5 * style.tick_size), 2))
    if log:
        x_positions, x_labels = log_ticks(*plane.x, plane.width / (4 * style.tick_size))
    y_positions, y_labels = ticks(*plane.y, max(plane.height / (3 * style.tick_size), 2))
    title = f"{value}, {'higher' if higher else 'lower'} is better"
    if text.text_width(title, style.size, style.serif) > plane.height:
        title = value
    fig.update_layout(
        xaxis={
            **tick_axis(x_positions, x_labels, list(plane.x)),
            "title": {"text": text.escape(f"{cost}, less is preferred"), "standoff": 4},
        },
        yaxis={
            **tick_axis(y_positions, y_labels, list(plane.y)),
            "title": {"text": text.escape(title), "standoff": 4},
        },
    )


def alt_cost_plane(table: pd.DataFrame, *, cost: str, value: str) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first = table[table["by"] == ""].index
    return text.truncate_text(
        f"{text.plain_text(value)} against {text.plain_text(cost)} of {len(table)} algorithms. Undominated, "
        f"cheapest first: {text.join_escaped(map(text.plain_text, first), 8)}."
    )
