"""Residuals against normal ones, with the band in which simulated residuals lie."""

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
_NEAR = 0.12  # share of an axis within which the names of two points would collide


def qq(
    panels: Mapping[str, pd.DataFrame],
    *,
    notes: Mapping[str, str],
    style: Style,
    unit: str = "standard deviations",
) -> go.Figure:
    """Draw one panel per table: points, the line of normality, the band.

    Parameters
    ----------
    panels : mapping of title to DataFrame
        Index the labels of the points; columns expected, observed, low, high.
    notes : mapping of title to str
        The result of a check, written into the corner of its panel.
    style : Style
        Surface and width.
    unit : str
        What the axes count.

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
    for place, (title, table) in enumerate(panels.items()):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        _panel(fig, table, where, style)
        fig.add_annotation(
            text=text.escape(notes.get(title, "")),
            xref="x domain",
            yref="y domain",
            x=0.03,
            y=0.98,
            xanchor="left",
            yanchor="top",
            font={"size": style.tick_size, "color": style.second},
            **where,
        )
    fig.update_xaxes(title="if normal" if titled else f"if normal ({unit})", fixedrange=True)
    fig.update_yaxes(title=f"found ({unit})" if titled else "found", fixedrange=True)
    return fig


def _panel(fig: go.Figure, table: pd.DataFrame, where: dict[str, int], style: Style) -> None:
    expected = table["expected"].to_list()
    found = table[["low", "high", "observed"]].to_numpy(dtype=float)
    fig.update_xaxes(**_value_axis(np.asarray(expected, dtype=float)), **where)
    fig.update_yaxes(**_value_axis(found), **where)
    band = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip"}
    fig.add_scatter(x=expected, y=table["low"].to_list(), name="low", **band, **where)
    fig.add_scatter(
        x=expected,
        y=table["high"].to_list(),
        name="95 % of simulated residuals",
        fill="tonexty",
        fillcolor="rgba(138,143,152,0.28)",
        **band,
        **where,
    )
    ends = [min(expected), max(expected)]
    traces.add_line(fig, ends, ends, "normal", style.leader, style.px(1.2, 0.7), **where)
    out = (table["observed"] < table["low"]) | (table["observed"] > table["high"])
    fig.add_scatter(
        x=expected,
        y=table["observed"].to_list(),
        mode="markers",
        name="residuals",
        customdata=[str(label) for label in table.index],
        hovertext=[
            _hover(str(label), row, bool(out.iloc[i]))
            for i, (label, row) in enumerate(table.iterrows())
        ],
        hoverinfo="text",
        marker={
            "size": style.px(6, 3.4),
            "opacity": 1,
            "color": [style.accent if outside else style.ink for outside in out],
        },
        cliponaxis=False,
        **where,
    )
    if 0 < out.sum() <= _MOST_RINGED:
        _rings(fig, table[out], _named(table, out), where, style)


def _value_axis(values: np.ndarray) -> dict[str, Any]:
    """Return an axis that holds all values, 6 % more at either end."""
    return value_axis(*padded_range(float(np.nanmin(values)), float(np.nanmax(values))), 5)


def _named(table: pd.DataFrame, out: pd.Series) -> set[str]:
    """Name of those outside the farthest, but no two that lie so near that their names collide."""
    far = (table["observed"] - (table["low"] + table["high"]) / 2).abs()[out].to_numpy()
    places = table[["expected", "observed"]]
    places = ((places - places.min()) / (places.max() - places.min()))[out].to_numpy()
    named: list[int] = []
    for place in np.argsort(-far):
        if (np.abs(places[named] - places[place]).max(axis=1, initial=0) >= _NEAR).all():
            named.append(place)
    return set(table.index[out][named[:_MOST_NAMED]])


def _rings(
    fig: go.Figure, table: pd.DataFrame, named: set[str], where: dict[str, int], style: Style
) -> None:
    """Ring who lies outside the band, with the names of some."""
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
        textposition=[("top left", "bottom right")[place % 2] for place in range(len(table))],
        textfont={"size": style.tick_size * 0.9, "color": style.ink},
        **where,
    )


def _hover(label: str, row: pd.Series, outside: bool) -> str:
    said = ", outside" if outside else ""
    return (
        f"<b>{text.escape(label)}</b><br>expected {text.format_minus(float(row['expected']), 2)}, found "
        f"{text.format_minus(float(row['observed']), 2)}{said}"
    )


def alt_qq(panels: Mapping[str, pd.DataFrame], *, what: str = "Residuals") -> str:
    """Return the alternative text of the figure, at most 300 characters; `what` the points are."""
    total = sum(len(table) for table in panels.values())
    out = sum(
        int(((table["observed"] < table["low"]) | (table["observed"] > table["high"])).sum())
        for table in panels.values()
    )
    titles = text.join_escaped([text.plain_text(title) for title in panels], 4)
    end = f" {out} of {total} points outside the envelope."
    return (
        text.truncate_text(f"{what} against their expected values: {titles}.", 300 - len(end)) + end
    )
