"""A slider below a figure that applies stored updates in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from foldwise.figures.theme import Style

#: Gap above the slider's label, and height added for the slider, in px.
_GAP, _HEIGHT = 6, 86


def slider_step(value: float, chosen: bool, args: Sequence[Any]) -> dict[str, Any]:
    """Return one slider step: its label and the arguments of `Plotly.update`."""
    label = f"{value:g}, chosen" if chosen else f"{value:g}"
    return {"method": "update", "label": label, "args": list(args)}


def put_slider(fig: go.Figure, steps: Sequence[dict[str, Any]], active: int, said: str, style: Style) -> None:
    """Add a slider below a figure and increase its height accordingly."""
    bottom_margin = fig.layout.margin.b or 0
    font = {"family": style.family, "color": style.ink}
    fig.update_layout(
        height=fig.layout.height + _HEIGHT,
        margin_b=bottom_margin + _HEIGHT,
        sliders=[
            {
                "active": active,
                "steps": list(steps),
                "x": 0,
                "len": 1,
                "y": 0,
                "yanchor": "top",
                "pad": {"t": bottom_margin + _GAP, "b": 0, "l": 0, "r": 0},
                "currentvalue": {"prefix": said, "xanchor": "left", "font": {**font, "size": style.size}},
                "font": {**font, "size": style.tick_size},
                "bgcolor": style.leader,
                "activebgcolor": style.accent,
                "bordercolor": style.leader,
                "borderwidth": 1,
                "tickcolor": style.leader,
                "ticklen": 5,
                "minorticklen": 5,
                "transition": {"duration": 0},
            }
        ],
    )
