"""Lines and marks of algorithms: by colour or, in print without colour, by dash and symbol."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import GREY, MARKERS, Style

#: The theme's dashes in px, short enough for lines of one inch in print.
_DASHES = ("solid", "4px,2px", "1px,2px", "4px,2px,1px,2px", "9px,2px", "9px,2px,1px,2px")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesStyle:
    """Colour, fill, symbol and dash of one algorithm."""

    colour: str  # of lines; ink in print without colour
    fill: str  # of marks; in print without colour every second algorithm is white
    # symbol, dash: marker and, in print without colour, dash; lines in colour are solid
    symbol: str
    dash: str
    own: bool  # whether the algorithm has a colour or, in print, a dash of its own


def looks(
    names: Sequence[str],
    style: Style,
    colours: Mapping[str, str] | None = None,
    symbols: Mapping[str, str] | None = None,
) -> dict[str, SeriesStyle]:
    """Return the line and mark style of every algorithm."""
    hues = theme.colours(list(names), dark=style.dark) if colours is None else colours
    coloured = [name for name in names if hues.get(name, GREY) != GREY]
    return {
        name: _look(
            hues.get(name, GREY),
            (symbols or {}).get(name, MARKERS[index % len(MARKERS)]),
            coloured.index(name) if name in coloured else None,
            style,
        )
        for index, name in enumerate(names)
    }


def _look(colour: str, symbol: str, index: int | None, style: Style) -> SeriesStyle:
    """Return the style of an algorithm; `index` is its index among coloured ones, or None."""
    if style.colour:
        return SeriesStyle(colour=colour, fill=colour, symbol=symbol, dash="solid", own=index is not None)
    if index is None:
        return SeriesStyle(colour=style.leader, fill=GREY, symbol=symbol, dash="solid", own=False)
    return SeriesStyle(
        colour=style.ink,
        fill="#FFFFFF" if index % 2 else style.ink,
        symbol=symbol,
        dash=_DASHES[index % len(_DASHES)],
        own=True,
    )


def with_gaps(values: Iterable[float]) -> list[float | None]:
    """Return `values` as a list with None for values that are not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


def draw_line(
    fig: go.Figure,
    x: Sequence[float | None],
    y: Sequence[float | None],
    look: SeriesStyle,
    style: Style,
    *,
    width: float,
    name: str,
    marked: Sequence[int] | None = None,
    size: float = 0,
    **options: Any,
) -> None:
    """Draw a line in the style of its algorithm.

    Symbols of the given size are drawn at the indices `marked`.
    """
    axes = {key: options[key] for key in ("xaxis", "yaxis") if key in options}
    traces.add_line(fig, x, y, name, look.colour, width, dash=look.dash, **options)
    if marked is not None:
        marked_points = [x[i] for i in marked], [y[i] for i in marked]
        draw_marks(fig, *marked_points, look, size, style, name=f"{name} marks", **axes)


def draw_marks(
    fig: go.Figure,
    x: Sequence[float],
    y: Sequence[float | None],
    look: SeriesStyle,
    size: float,
    style: Style,
    **options: Any,
) -> None:
    """Draw the symbols of a line, without hover."""
    options = {"mode": "markers", "hoverinfo": "skip", "cliponaxis": False, **options}
    fig.add_scatter(x=x, y=y, marker=algorithm_marker(look, size, style), **options)


def algorithm_marker(look: SeriesStyle, size: float, style: Style) -> dict[str, Any]:
    """Return the marker of an algorithm, with an edge in ink."""
    return {
        "symbol": look.symbol,
        "size": size,
        "color": look.fill,
        "opacity": 1,
        "line": {"width": style.px(0.7, 0.6), "color": style.ink},
    }


def key_height(words: Sequence[str], room: float, style: Style) -> float:
    """Return the height in px of a legend of `words` that is `room` px wide."""
    swatch = style.px(50, 44)  # line, symbol and the space around a name
    item_widths = [text.text_width(word, style.size, style.serif) + swatch for word in words]
    rows = 1 if sum(item_widths) <= room else math.ceil(len(item_widths) / max(int(room / max(item_widths)), 1))
    return rows * 1.55 * style.size + style.px(6, 3)


def draw_key(fig: go.Figure, words: Mapping[str, str], drawn: Mapping[str, SeriesStyle], style: Style) -> None:
    """Draw a legend of line, symbol and name of every algorithm along the upper edge."""
    for name, word in words.items():
        line_style = drawn[name]
        fig.add_scatter(
            x=[None],
            y=[None],
            mode="lines+markers",
            name=text.escape(word),
            line={"color": line_style.colour, "width": style.px(2.2, 1.1), "dash": line_style.dash},
            marker=algorithm_marker(line_style, style.px(8, 5), style),
            showlegend=True,
            hoverinfo="skip",
        )
    for trace in fig.data[: -len(words)]:
        trace.showlegend = False
    fig.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 1,
            "yanchor": "top",
            "itemclick": False,
            "itemdoubleclick": False,
            "tracegroupgap": 0,
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": style.size, "color": style.ink},
        },
    )
