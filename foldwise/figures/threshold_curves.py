"""The risk curves under the threshold sweep, and the key to their lines and symbols."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.series_styles import SeriesStyle, draw_line, draw_marks, with_gaps
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import SweepAxes, SweepData, loss_words

#: A line carries its symbol at every sixth theta, each line at others.
_MARKED = 6


def draw_risks(
    fig: go.Figure,
    sweep: SweepData,
    frame: SweepAxes,
    drawn: Mapping[str, SeriesStyle],
    style: Style,
) -> None:
    """Draw the mean risk of every algorithm over theta, and the key beside it."""
    if not frame.curves:
        return
    names = list(sweep.risks.columns)
    # Grey ones first, so that they never cover a colour.
    for name in sorted(names, key=lambda n: drawn[n].own):
        _curve(fig, sweep, name, drawn[name], names.index(name), style)
    _key(fig, sweep, frame, drawn, style)


def _curve(
    fig: go.Figure, sweep: SweepData, name: str, look: SeriesStyle, place: int, style: Style
) -> None:
    values = with_gaps(sweep.risks[name])
    draw_line(
        fig,
        sweep.thetas,
        values,
        look,
        style,
        width=_width(look, style),
        name=text.escape(name),
        marked=range((1 + place) % _MARKED, len(values), _MARKED) if look.own else None,
        size=style.px(7, 4.6),
        **traces.line_click_mode(style),
        customdata=sweep.thetas,
        meta="theta",
        said=[
            f"<b>{text.escape(name)}, {loss_words(theta)}</b><br>"
            f"mean risk {'undefined' if value is None else f'{value:.4g}'}<br>{traces.click_hint('theta')}"
            for theta, value in zip(sweep.thetas, values, strict=True)
        ],
    )


def _width(look: SeriesStyle, style: Style) -> float:
    return style.px(2, 0.9) if look.own else style.px(1, 0.5)


def _key(
    fig: go.Figure,
    sweep: SweepData,
    frame: SweepAxes,
    drawn: Mapping[str, SeriesStyle],
    style: Style,
) -> None:
    """Show line, symbol and name of every algorithm, the one with the highest risk on top.

    Where there is no room for all, those with a colour of their own remain.
    """
    names = _by_risk(sweep)
    pitch = 1.25 * sweep.size
    if len(names) * pitch > frame.curves:
        names = [name for name in names if drawn[name].own][: int(frame.curves / pitch)]
    per_px = frame.top / frame.curves
    start, end = style.px(8, 4) / style.px(34, 22), 1.0
    for place, name in enumerate(names):
        look = drawn[name]
        y = frame.top - (place + 0.5) * pitch * per_px
        axes = {"xaxis": "x2", "yaxis": "y"}
        draw_line(
            fig, [start, end], [y, y], look, style, width=_width(look, style), name="key", **axes
        )
        draw_marks(
            fig,
            [(start + end) / 2],
            [y],
            look,
            style.px(8, 5),
            style,
            name="key",
            **axes,
            cliponaxis=None,
        )
        fig.add_annotation(
            text=text.escape(sweep.key[name]),
            name="key",
            xref="paper",
            yref="y",
            x=1,
            y=y,
            xanchor="left",
            yanchor="middle",
            xshift=style.px(5, 3),
            font={"size": sweep.size, "color": style.ink},
        )


def _by_risk(sweep: SweepData) -> list[str]:
    """Return the algorithms by their mean risk over all thetas, highest first."""
    means = sweep.risks.replace([np.inf, -np.inf], np.nan).mean()
    return list(means.sort_values(ascending=False, kind="stable", na_position="last").index)
