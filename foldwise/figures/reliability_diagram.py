"""Calibration: how often cases are positive where a model gives them some probability."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import Style

#: Panels that are drawn.
MOST = 6
_SIDE = 300


def calibration(
    bins: Mapping[str, pd.DataFrame], *, style: Style, colours: Mapping[str, str]
) -> go.Figure:
    """Draw one panel per model: the share found against the probability said, with intervals."""
    names = list(bins)[:MOST]
    columns = 1 if style.printed else max(1, min(len(names), style.width // _SIDE))
    rows = -(-len(names) // columns)
    em = style.size
    margin = {"l": 4 * em, "r": style.px(10, 6), "t": 2.4 * em, "b": 3.4 * em}
    side = style.px(_SIDE, min(style.width, 250))
    fig = theme.new_figure(style, rows * side, margin=margin)
    room = (style.width - 5 * em) / columns - em
    short = text.shorten(names, room, style.size, serif=style.serif)
    fig.set_subplots(
        rows,
        columns,
        subplot_titles=[text.escape(short[name]) for name in names],
        horizontal_spacing=0.06,
        vertical_spacing=0.22 / (rows - 1) if rows > 1 else 0,
    )
    for place, name in enumerate(names):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        _panel(fig, name, bins[name], colours.get(name, style.ink), style, where)
    fig.update_xaxes(title="probability said", range=[0, 1], fixedrange=True)
    fig.update_yaxes(range=[0, 1], fixedrange=True)
    fig.update_yaxes(title="share positive", col=1)
    return fig


def _panel(
    fig: go.Figure, name: str, table: pd.DataFrame, colour: str, style: Style, where: dict[str, int]
) -> None:
    traces.add_line(fig, [0, 1], [0, 1], "calibrated", style.leader, style.px(1.2, 0.7), **where)
    fig.add_scatter(
        x=table["said"].to_list(),
        y=table["found"].to_list(),
        error_y={
            "type": "data",
            "symmetric": False,
            "array": (table["high"] - table["found"]).to_list(),
            "arrayminus": (table["found"] - table["low"]).to_list(),
            "color": colour,
            "thickness": style.px(1.2, 0.7),
            "width": style.px(3, 2),
        },
        mode="lines+markers",
        name=text.escape(name),
        line={"color": colour, "width": style.px(1.6, 0.9)},
        marker={"color": colour, "size": style.px(7, 4)},
        hovertext=[
            f"<b>{text.escape(name)}</b><br>said {row['said']:.3f}, found {row['found']:.3f} "
            f"[{row['low']:.3f}, {row['high']:.3f}]<br>{int(row['cases']):,} instances"
            for _, row in table.iterrows()
        ],
        hoverinfo="text",
        showlegend=False,
        cliponaxis=False,
        **where,
    )


def caption_calibration(bins: Mapping[str, pd.DataFrame]) -> str:
    """Say what a point is."""
    counts = pd.concat(list(bins.values()))["cases"]
    each = f"{int(counts.min()):,} to {int(counts.max()):,}"
    return (
        f"Observed share of positive instances against the mean predicted probability, one point "
        f"per bin ({each} instances), with 95% CI (Clopper and Pearson; clustered where several "
        "training runs or clusters share instances). On the diagonal, a model is calibrated."
    )


def alt_calibration(bins: Mapping[str, pd.DataFrame]) -> str:
    """Describe the figure for screen readers."""
    told = []
    for name, table in list(bins.items())[:MOST]:
        off = int(((table["low"] > table["said"]) | (table["high"] < table["said"])).sum())
        told.append(f"{name}: {off} of {len(table)} bins off the diagonal")
    return f"Calibration in bins. {'; '.join(told)}."
