"""Reliability diagrams: observed share of positives against predicted probability."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import Style

#: Largest number of panels.
MOST = 6
_SIDE = 300


def calibration(bins: Mapping[str, pd.DataFrame], *, style: Style, colours: Mapping[str, str]) -> go.Figure:
    """Draw a panel per model: observed share against predicted probability, with intervals."""
    names = list(bins)[:MOST]
    columns = 1 if style.printed else max(1, min(len(names), style.width // _SIDE))
    rows = -(-len(names) // columns)
    font_size = style.size
    margin = {"l": 4 * font_size, "r": style.px(10, 6), "t": 2.4 * font_size, "b": 3.4 * font_size}
    side = style.px(_SIDE, min(style.width, 250))
    fig = theme.new_figure(style, rows * side, margin=margin)
    title_room = (style.width - 5 * font_size) / columns - font_size
    short = text.shorten(names, title_room, style.size, serif=style.serif)
    fig.set_subplots(
        rows,
        columns,
        subplot_titles=[text.escape(short[name]) for name in names],
        horizontal_spacing=0.06,
        vertical_spacing=0.22 / (rows - 1) if rows > 1 else 0,
    )
    for position, name in enumerate(names):
        subplot = {"row": position // columns + 1, "col": position % columns + 1}
        _panel(fig, name, bins[name], colours.get(name, style.ink), style, subplot)
    fig.update_xaxes(title="probability said", range=[0, 1], fixedrange=True)
    fig.update_yaxes(range=[0, 1], fixedrange=True)
    fig.update_yaxes(title="share positive", col=1)
    return fig


def _panel(fig: go.Figure, name: str, table: pd.DataFrame, colour: str, style: Style, subplot: dict[str, int]) -> None:
    traces.add_line(fig, [0, 1], [0, 1], "calibrated", style.leader, style.px(1.2, 0.7), **subplot)
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
        **subplot,
    )


def caption_calibration(bins: Mapping[str, pd.DataFrame]) -> str:
    """Return the caption sentences on points and intervals."""
    counts = pd.concat(list(bins.values()))["cases"]
    bin_sizes = f"{int(counts.min()):,} to {int(counts.max()):,}"
    return (
        f"Observed share of positive instances against the mean predicted probability, one point "
        f"per bin ({bin_sizes} instances), with 95% CI (Clopper and Pearson; clustered where several "
        "training runs or clusters share instances). On the diagonal, a model is calibrated."
    )


def alt_calibration(bins: Mapping[str, pd.DataFrame]) -> str:
    """Return the alternative text of the figure."""
    parts = []
    for name, table in list(bins.items())[:MOST]:
        n_off = int(((table["low"] > table["said"]) | (table["high"] < table["said"])).sum())
        parts.append(f"{name}: {n_off} of {len(table)} bins off the diagonal")
    return f"Calibration in bins. {'; '.join(parts)}."
