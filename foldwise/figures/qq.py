"""Normal Q-Q plots of residuals, with a simulated envelope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import padded_range, value_axis
from foldwise.figures.theme import Style

SIDE = 300  # px of one panel on the screen
_MOST_NAMED, _MOST_RINGED = 8, 24
_NEAR = 0.12  # share of an axis within which the names of two points would overlap


def qq(
    panels: Mapping[str, pd.DataFrame],
    *,
    notes: Mapping[str, str],
    style: Style,
    unit: str = "standard deviations",
) -> go.Figure:
    """Draw a Q-Q plot per table: points, the line of normality, the envelope.

    Parameters
    ----------
    panels : mapping of title to DataFrame
        Index the labels of the points; columns expected, observed, low, high.
    notes : mapping of title to str
        The result of a check, written into the corner of its panel.
    style : Style
        Surface and width.
    unit : str
        Unit of the axes.

    Returns
    -------
    Figure
        Points outside the band are ringed (up to 24) and the farthest eight named. Points carry
        their label.
    """
    columns = max(1, min(len(panels), style.width // SIDE)) if not style.printed else 1
    columns = min(columns, max(len(panels), 1))
    rows = -(-len(panels) // columns)
    titled = len(panels) > 1
    em = style.size
    margin = {
        "l": 3.6 * em,
        "r": style.px(10, 6),
        "t": em if not titled else 2.2 * em,
        "b": 3.4 * em,
    }
    side = style.px(SIDE, min(style.width, 312))
    fig = theme.new_figure(style, rows * side, margin=margin)
    if not style.printed and columns == 1:
        fig.update_layout(width=min(style.width, side + 60), autosize=False)
    fig.set_subplots(
        rows,
        columns,
        subplot_titles=[text.escape(title) for title in panels] if titled else None,
        horizontal_spacing=0.08,
        vertical_spacing=0.18 / (rows - 1) if rows > 1 else 0,
    )
    for position, (title, table) in enumerate(panels.items()):
        subplot = {"row": position // columns + 1, "col": position % columns + 1}
        _panel(fig, table, subplot, style)
        fig.add_annotation(
            text=text.escape(notes.get(title, "")),
            xref="x domain",
            yref="y domain",
            x=0.03,
            y=0.98,
            xanchor="left",
            yanchor="top",
            font={"size": style.tick_size, "color": style.second},
            **subplot,
        )
    fig.update_xaxes(title="if normal" if titled else f"if normal ({unit})", fixedrange=True)
    fig.update_yaxes(title=f"found ({unit})" if titled else "found", fixedrange=True)
    return fig


def _panel(fig: go.Figure, table: pd.DataFrame, subplot: dict[str, int], style: Style) -> None:
    expected = table["expected"].to_list()
    observed_range = table[["low", "high", "observed"]].to_numpy(dtype=float)
    fig.update_xaxes(**_value_axis(np.asarray(expected, dtype=float)), **subplot)
    fig.update_yaxes(**_value_axis(observed_range), **subplot)
    band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    fig.add_scatter(x=expected, y=table["low"].to_list(), name="low", **band, **subplot)
    fig.add_scatter(
        x=expected,
        y=table["high"].to_list(),
        name="95 % of simulated residuals",
        fill="tonexty",
        fillcolor="rgba(138,143,152,0.28)",
        **band,
        **subplot,
    )
    ends = [min(expected), max(expected)]
    traces.add_line(fig, ends, ends, "normal", style.leader, style.px(1.2, 0.7), **subplot)
    is_outside = (table["observed"] < table["low"]) | (table["observed"] > table["high"])
    fig.add_scatter(
        x=expected,
        y=table["observed"].to_list(),
        mode="markers",
        name="residuals",
        customdata=[str(label) for label in table.index],
        hovertext=[
            _hover(str(label), row, bool(is_outside.iloc[i]))
            for i, (label, row) in enumerate(table.iterrows())
        ],
        hoverinfo="text",
        marker={
            "size": style.px(6, 3.4),
            "opacity": 1,
            "color": [style.accent if outside else style.ink for outside in is_outside],
        },
        cliponaxis=False,
        **subplot,
    )
    if 0 < is_outside.sum() <= _MOST_RINGED:
        _rings(fig, table[is_outside], _named(table, is_outside), subplot, style)


def _value_axis(values: np.ndarray) -> dict[str, Any]:
    """Return an axis that contains all values plus 6 % at either end."""
    return value_axis(*padded_range(float(np.nanmin(values)), float(np.nanmax(values))), 5)


def _named(table: pd.DataFrame, is_outside: pd.Series) -> set[str]:
    """Return labels of the outlying points to name: the farthest, none close to another."""
    distances = (
        (table["observed"] - (table["low"] + table["high"]) / 2).abs()[is_outside].to_numpy()
    )
    positions = table[["expected", "observed"]]
    positions = ((positions - positions.min()) / (positions.max() - positions.min()))[
        is_outside
    ].to_numpy()
    named: list[int] = []
    for index in np.argsort(-distances):
        if (np.abs(positions[named] - positions[index]).max(axis=1, initial=0) >= _NEAR).all():
            named.append(index)
    return set(table.index[is_outside][named[:_MOST_NAMED]])


def _rings(
    fig: go.Figure, table: pd.DataFrame, named: set[str], subplot: dict[str, int], style: Style
) -> None:
    """Ring the points outside the band, and write the names in `named`."""
    traces.add_points(
        fig,
        table["expected"].to_list(),
        table["observed"].to_list(),
        "outside",
        style.px(12, 7),
        "circle-open",
        style.accent,
        edge=(style.px(1.6, 0.9), style.accent),
        mode="markers+text",
        text=[text.escape(label) if label in named else "" for label in table.index],
        textposition=[("top left", "bottom right")[position % 2] for position in range(len(table))],
        textfont={"size": style.tick_size * 0.9, "color": style.ink},
        **subplot,
    )


def _hover(label: str, row: pd.Series, outside: bool) -> str:
    note = ", outside" if outside else ""
    return (
        f"<b>{text.escape(label)}</b><br>expected {text.format_minus(float(row['expected']), 2)}, found "
        f"{text.format_minus(float(row['observed']), 2)}{note}"
    )


def alt_qq(panels: Mapping[str, pd.DataFrame], *, what: str = "Residuals") -> str:
    """Return the alternative text, at most 300 characters; `what` says what the points are."""
    total = sum(len(table) for table in panels.values())
    n_outside = sum(
        int(((table["observed"] < table["low"]) | (table["observed"] > table["high"])).sum())
        for table in panels.values()
    )
    titles = text.join_escaped([text.plain_text(title) for title in panels], 4)
    ending = f" {n_outside} of {total} points outside the envelope."
    return (
        text.truncate_text(f"{what} against their expected values: {titles}.", 300 - len(ending))
        + ending
    )
