"""Risk differences along theta with pointwise bands, one panel per pair of trained models."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import padded_range, value_axis
from foldwise.figures.theme import Style
from stats_core.core.formatting import format_percent

#: Largest number of panels; the table lists the other pairs.
MOST_PAIRS = 6
_SIDE = 300  # px of one panel on the screen
_BAND = "rgba(138,143,152,0.28)"


def case_risks(bands: Mapping[tuple[str, str], pd.DataFrame], *, style: Style, theta: float | None = None) -> go.Figure:
    """Draw the risk difference of each pair along theta, with its pointwise band."""
    pairs = list(bands)[:MOST_PAIRS]
    columns = 1 if style.printed else max(1, min(len(pairs), style.width // _SIDE))
    rows = -(-len(pairs) // columns)
    em = style.size
    margin = {"l": 5 * em, "r": style.px(10, 6), "t": 2.4 * em, "b": 3.4 * em}
    fig = theme.new_figure(style, rows * style.px(270, 190), margin=margin)
    title_room = (style.width - 6 * em) / columns - em
    fig.set_subplots(
        rows,
        columns,
        subplot_titles=[_title(a, b, title_room, style) for a, b in pairs],
        horizontal_spacing=0.06,
        vertical_spacing=0.24 / (rows - 1) if rows > 1 else 0,
        shared_yaxes="all" if columns > 1 else False,
    )
    ends = np.concatenate([bands[pair][["low", "high"]].to_numpy().ravel() for pair in pairs])
    axis = value_axis(*padded_range(min(0.0, float(ends.min())), max(0.0, float(ends.max()))), 5)
    for position, pair in enumerate(pairs):
        subplot = {"row": position // columns + 1, "col": position % columns + 1}
        _panel(fig, pair, bands[pair], theta, style, subplot)
        fig.update_yaxes(**axis, **subplot)
    fig.update_xaxes(title="theta", range=[0, 1], fixedrange=True)
    fig.update_yaxes(title="difference of risk", col=1)
    return fig


def _title(first: str, second: str, room: float, style: Style) -> str:
    short = text.shorten([first, second], (room - 2 * style.size) / 2, style.size, serif=style.serif)
    return text.escape(f"{short[first]} \N{MINUS SIGN} {short[second]}")


def _panel(
    fig: go.Figure,
    pair: tuple[str, str],
    band: pd.DataFrame,
    theta: float | None,
    style: Style,
    subplot: dict[str, int],
) -> None:
    thetas = band.index.to_list()
    hidden = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    fig.add_scatter(x=thetas, y=band["low"].to_list(), name="low", **hidden, **subplot)
    fig.add_scatter(
        x=thetas, y=band["high"].to_list(), name="band", fill="tonexty", fillcolor=_BAND, **hidden, **subplot
    )
    traces.add_line(fig, [0, 1], [0, 0], "no difference", style.leader, style.px(1.2, 0.7), **subplot)
    if theta is not None:
        low, high = float(band["low"].min()), float(band["high"].max())
        traces.add_line(
            fig, [theta, theta], [min(0, low), max(0, high)], "theta", style.hairline,
            style.px(1.2, 0.7), **subplot,
        )  # fmt: skip
    fig.add_scatter(
        x=thetas,
        y=band["difference"].to_list(),
        mode="lines",
        name="difference",
        line={"color": style.ink, "width": style.px(1.2, 0.7)},
        hovertext=[_hover(pair, value, row) for value, row in band.iterrows()],
        hoverinfo="text",
        showlegend=False,
        **subplot,
    )
    excludes_zero = ((band["low"] > 0) | (band["high"] < 0)).to_numpy()
    traces.add_line(
        fig,
        thetas,
        [
            float(difference) if significant else None
            for difference, significant in zip(band["difference"], excludes_zero, strict=True)
        ],
        "away from 0",
        style.accent,
        style.px(3, 1.6),
        **subplot,
    )


def _hover(pair: tuple[str, str], theta: object, row: pd.Series) -> str:
    a, b = map(text.escape, pair)
    return (
        f"<b>{a} \N{MINUS SIGN} {b}, theta {theta:.2f}</b><br>{row['difference']:.4f} "
        f"[{row['low']:.4f}, {row['high']:.4f}]"
    )


def caption_case_risks(bands: Mapping[tuple[str, str], pd.DataFrame], level: float) -> str:
    """Return the caption sentences that explain the band."""
    n_omitted = len(bands) - MOST_PAIRS
    more = f" {n_omitted} more pairs stand in the table." if n_omitted > 0 else ""
    return (
        "Difference of risk per case, first minus second: below 0 the first costs less. The band is "
        f"pointwise: at each theta alone it holds the difference with {format_percent(level)}; thick where it "
        f"leaves 0.{more}"
    )


def alt_case_risks(bands: Mapping[tuple[str, str], pd.DataFrame]) -> str:
    """Return the alternative text of the figure."""
    parts = [
        f"{a} minus {b}: {int(((band['low'] > 0) | (band['high'] < 0)).sum())} of {len(band)} thetas away from 0"
        for (a, b), band in list(bands.items())[:MOST_PAIRS]
    ]
    return f"Differences of risk along theta. {'; '.join(parts)}."
