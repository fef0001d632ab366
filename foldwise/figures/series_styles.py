"""How each algorithm looks in figures of lines and marks: colour, symbol, dash and fill."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import GREY, MARKERS, Style

#: The dashes of the theme in px, short enough for lines of one inch in print.
_DASHES = ("solid", "4px,2px", "1px,2px", "4px,2px,1px,2px", "9px,2px", "9px,2px,1px,2px")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesStyle:
    """One algorithm on one surface."""

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
    """Return the look of every algorithm.

    Parameters
    ----------
    names : sequence of str
        Algorithms in the order of the data.
    style : Style
        Surface. Print without colour tells those that have one by fill and dash.
    colours, symbols : mapping, optional
        Colour and marker per algorithm; by default as everywhere, by place.

    Returns
    -------
    dict
        Look per algorithm.
    """
    hues = theme.colours(list(names), dark=style.dark) if colours is None else colours
    own = [name for name in names if hues.get(name, GREY) != GREY]
    return {
        name: _look(
            hues.get(name, GREY),
            (symbols or {}).get(name, MARKERS[place % len(MARKERS)]),
            own.index(name) if name in own else None,
            style,
        )
        for place, name in enumerate(names)
    }


def _look(colour: str, symbol: str, place: int | None, style: Style) -> SeriesStyle:
    """Return the look of the algorithm at `place` among those with a colour, if it has one."""
    if style.colour:
        return SeriesStyle(
            colour=colour,
            fill=colour,
            symbol=symbol,
            dash="solid",
            own=place is not None,
        )
    if place is None:
        return SeriesStyle(colour=style.leader, fill=GREY, symbol=symbol, dash="solid", own=False)
    return SeriesStyle(
        colour=style.ink,
        fill="#FFFFFF" if place % 2 else style.ink,
        symbol=symbol,
        dash=_DASHES[place % len(_DASHES)],
        own=True,
    )


def with_gaps(values: Iterable[float]) -> list[float | None]:
    """Return `values` as a list in which what is not finite is a gap."""
    return [float(v) if np.isfinite(v) else None for v in values]


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
    **more: Any,
) -> None:
    """Draw a line in the look of its algorithm, as `ink.line`.

    Symbols of this size stand on the points that are `marked`.
    """
    axes = {key: more[key] for key in ("xaxis", "yaxis") if key in more}
    traces.add_line(fig, x, y, name, look.colour, width, dash=look.dash, **more)
    if marked is not None:
        at = [x[i] for i in marked], [y[i] for i in marked]
        draw_marks(fig, *at, look, size, style, name=f"{name} marks", **axes)


def draw_marks(
    fig: go.Figure,
    x: Sequence[float],
    y: Sequence[float | None],
    look: SeriesStyle,
    size: float,
    style: Style,
    **more: Any,
) -> None:
    """Draw the symbols of a line, over which hover passes."""
    more = {"mode": "markers", "hoverinfo": "skip", "cliponaxis": False, **more}
    fig.add_scatter(x=x, y=y, marker=algorithm_marker(look, size, style), **more)


def algorithm_marker(look: SeriesStyle, size: float, style: Style) -> dict[str, Any]:
    """Return the mark of an algorithm, with an edge in ink."""
    return {
        "symbol": look.symbol,
        "size": size,
        "color": look.fill,
        "opacity": 1,
        "line": {"width": style.px(0.7, 0.6), "color": style.ink},
    }


def key_height(words: Sequence[str], room: float, style: Style) -> float:
    """Return how high, in px, a key to `words` is that is `room` px wide."""
    swatch = style.px(50, 44)  # line, symbol and the space around a word
    each = [text.text_width(word, style.size, style.serif) + swatch for word in words]
    rows = 1 if sum(each) <= room else math.ceil(len(each) / max(int(room / max(each)), 1))
    return rows * 1.55 * style.size + style.px(6, 3)


def draw_key(
    fig: go.Figure, words: Mapping[str, str], drawn: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Show line, symbol and name of every algorithm along the upper edge.

    Parameters
    ----------
    fig : Figure
        Its upper margin has room for the key, see :func:`key_height`.
    words : mapping
        What is printed for each algorithm, not escaped.
    drawn : mapping
        Look per algorithm.
    style : Style
        Surface.
    """
    for name, word in words.items():
        look = drawn[name]
        fig.add_scatter(
            x=[None],
            y=[None],
            mode="lines+markers",
            name=text.escape(word),
            line={"color": look.colour, "width": style.px(2.2, 1.1), "dash": look.dash},
            marker=algorithm_marker(look, style.px(8, 5), style),
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
