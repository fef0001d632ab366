"""Axes, styles and data shared by figures of lines and marks over a parameter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis, tick_axis, ticks
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
        return SeriesStyle(
            colour=colour, fill=colour, symbol=symbol, dash="solid", own=index is not None
        )
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
    rows = (
        1
        if sum(item_widths) <= room
        else math.ceil(len(item_widths) / max(int(room / max(item_widths)), 1))
    )
    return rows * 1.55 * style.size + style.px(6, 3)


def draw_key(
    fig: go.Figure, words: Mapping[str, str], drawn: Mapping[str, SeriesStyle], style: Style
) -> None:
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


#: Largest shares of the width for text at the left and at the right of the plot.
_MOST_LEFT, _MOST_RIGHT = 0.26, 0.31
#: Text sizes in px beside the rows in print; the first that fits on both sides is used.
_PRINT_SIZES = (9.33, 8.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepData:
    """The tables and strings of a threshold sweep figure."""

    # winners: row x theta; risks: theta x algorithm; labels are strings, thetas floats
    winners: pd.DataFrame
    risks: pd.DataFrame
    thetas: list[float]  # ascending
    half: float  # half the width of a column
    size: float  # of the text beside the rows and curves, in px
    # rows, tallies, key: text of row labels, of tallies, and of the legend of risk curves; not
    # escaped
    rows: dict[str, str]
    tallies: dict[str, str]
    told: dict[str, str]  # hover text of each tally
    key: dict[str, str]
    counts: bool  # whether cells are numbers of wins

    @classmethod
    def of(
        cls, winners: pd.DataFrame, risks: pd.DataFrame, tallies: pd.DataFrame | None, style: Style
    ) -> SweepData:
        """Return the data with all strings shortened to the available width."""
        thetas = [float(theta) for theta in winners.columns]
        counts = are_win_counts(winners)
        winners = winners.set_axis([str(label) for label in winners.index]).set_axis(thetas, axis=1)
        risks = risks.set_axis(thetas).set_axis([str(column) for column in risks.columns], axis=1)
        tally_texts, hover_texts = {}, {}
        if tallies is not None:
            tally_table = tallies.set_axis([str(label) for label in tallies.index])
            labels = [str(label) for label in winners.index if str(label) in tally_table.index]
            tally_texts = {label: str(tally_table.at[label, "text"]) for label in labels}
            if "hover" in tally_table:
                hover_texts = {label: str(tally_table.at[label, "hover"]) for label in labels}
        size = _size(list(winners.index), list(tally_texts.values()), style)
        left, right = _MOST_LEFT * style.width, _MOST_RIGHT * style.width
        return cls(
            winners=winners,
            risks=risks,
            thetas=thetas,
            half=min(np.diff(thetas), default=0.05) / 2,
            size=size,
            rows=text.shorten(list(winners.index), left, size, serif=style.serif),
            tallies={
                label: _cut_name(words, list(risks.columns), right, size, style)
                for label, words in tally_texts.items()
            },
            told=hover_texts,
            key=text.shorten(list(risks.columns), 0.7 * right, size, serif=style.serif),
            counts=counts,
        )


def _size(rows: list[str], tallies: list[str], style: Style) -> float:
    """Return the largest text size at which no text beside the rows needs shortening."""
    if not style.printed:
        return style.tick_size
    for size in (style.tick_size, *_PRINT_SIZES):
        left, right = (
            max(text_widths(strings, size, style), default=0.0) for strings in (rows, tallies)
        )
        if left <= _MOST_LEFT * style.width and right <= _MOST_RIGHT * style.width:
            return size
    return _PRINT_SIZES[-1]


def _cut_name(tally: str, names: Sequence[str], room: float, size: float, style: Style) -> str:
    """Return a tally that fits: the name at its start is shortened, its numbers are not."""
    if text.text_width(tally, size, style.serif) <= room:
        return tally
    name = max(
        (candidate for candidate in names if tally.startswith(candidate)), key=len, default=tally
    )
    suffix = tally.removeprefix(name)
    name_room = room - text.text_width(suffix, size, style.serif)
    return text.shorten([name], name_room, size, serif=style.serif)[name] + suffix


def are_win_counts(winners: pd.DataFrame) -> bool:
    """Return whether the cells of `winners` are numbers of wins rather than names."""
    return all(pd.api.types.is_numeric_dtype(dtype) for dtype in winners.dtypes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepAxes:
    """Geometry of a sweep figure: margins and heights in px, other positions on the axes."""

    margin: dict[str, float]
    height: float
    row: float  # row, column: size of a cell in px
    column: float
    curves: float  # height of the risk curves in px
    base: float  # lower end of the cells as a share of the plot height
    span: tuple[float, float]  # ends of the theta axis
    key: float  # left end of the legend as a share of the plot width
    top: float  # upper end of the risk axis
    risk_ticks: tuple[list[float], list[str]]


def sweep_axes(sweep: SweepData, style: Style) -> SweepAxes:
    """Return the geometry of a sweep figure."""
    count = len(sweep.winners)
    largest_height = style.px(1100, 640)
    row = min(style.px(24, 13), max(largest_height / count, style.px(14, 9)))
    curves = style.px(190, 104) if sweep.risks.shape[1] else 0.0
    gap = style.px(18, 11) if curves else 0.0
    finite = sweep.risks.to_numpy(dtype=float)
    finite = finite[np.isfinite(finite)]
    top = 1.06 * float(finite.max(initial=0.0)) or 1.0
    risk_ticks = ticks(0.0, top, style.px(5, 3))
    size = style.tick_size
    label_width = max(text_widths(sweep.rows.values(), sweep.size, style))
    axis_width = max(text_widths(risk_ticks[1], size, style)) + 1.5 * style.size + style.px(8, 6)
    left = max(label_width, axis_width, *text_widths(["lambda"], size, style)) + style.px(14, 9)
    key = style.px(34, 22) if curves else style.px(8, 4)  # line and symbol beside the curves
    tally_width = max(text_widths(sweep.tallies.values(), sweep.size, style), default=0.0)
    name_width = max(text_widths(sweep.key.values(), sweep.size, style), default=0.0)
    right = max(tally_width + style.px(8, 4) - key, name_width + style.px(5, 3)) + style.px(9, 6)
    margin = {
        "l": left,
        "r": right,
        "t": style.px(6, 4),
        "b": style.px(4, 3) + 2.75 * size + style.px(6, 3),
    }
    plot = style.width - left - right
    low, high = sweep.thetas[0] - 1.15 * sweep.half, sweep.thetas[-1] + 1.15 * sweep.half
    height = curves + gap + count * row
    return SweepAxes(
        margin=margin,
        height=height + margin["t"] + margin["b"],
        row=row,
        column=2 * sweep.half / (high - low) * (plot - key),
        curves=curves,
        base=(curves + gap) / height,
        span=(low, high),
        key=1 - key / plot,
        top=top,
        risk_ticks=risk_ticks,
    )


def text_widths(words: Sequence[str], size: float, style: Style) -> list[float]:
    """Return the width of every string in px."""
    return [text.text_width(word, size, style.serif) for word in words]


def loss_words(theta: float) -> str:
    """Return a threshold with its loss ratio.

    Examples
    --------
    >>> loss_words(0.8), loss_words(1.0)
    ('theta 0.8, lambda 4', 'theta 1, lambda ∞')
    """
    return f"theta {theta:.6g}, lambda {_ratio(theta, 3)}"


def _ratio(theta: float, digits: int) -> str:
    """Return lambda = theta / (1 - theta) as text."""
    if theta >= 1:
        return "∞"
    return f"{theta / (1 - theta):.{digits}g}"


def draw_axes(fig: go.Figure, sweep: SweepData, frame: SweepAxes, style: Style) -> None:
    """Set the axes: theta with lambda below it, the rows, and the mean risk."""
    size = style.tick_size
    positions = _theta_ticks(sweep, frame, style)
    grey = f'<span style="color:{style.second}">{{}}</span>'
    fig.update_layout(
        xaxis={
            **tick_axis(
                positions,
                [f"{theta:.6g}<br>{grey.format(_ratio(theta, 2))}" for theta in positions],
                list(frame.span),
            ),
            "domain": [0, frame.key],
            "anchor": "y" if frame.curves else "y2",
            "tickangle": 0,
        },
        xaxis2={"range": [0, 1], "domain": [frame.key, 1], "visible": False, "fixedrange": True},
        yaxis={
            **tick_axis(frame.risk_ticks[0], frame.risk_ticks[1], [0, frame.top]),
            "domain": [0, frame.curves / (frame.height - frame.margin["t"] - frame.margin["b"])],
            "title": {"text": "mean risk", "standoff": 4},
            "visible": frame.curves > 0,
        },
        yaxis2={
            **names_axis(
                list(range(len(sweep.winners))),
                [text.escape(sweep.rows[label]) for label in sweep.winners.index],
                [len(sweep.winners) - 0.5, -0.5],
            ),
            "domain": [frame.base, 1],
            "tickfont": {"size": sweep.size},
            "ticklabelstandoff": 4,
        },
    )
    fig.add_annotation(
        text=f"theta<br>{grey.format('lambda')}",
        xref="paper",
        yref="paper",
        x=0,
        y=0,
        align="right",
        xanchor="right",
        yanchor="top",
        xshift=-style.px(8, 5),
        yshift=-style.px(8.5, 7.5),
        font={"size": size, "color": style.ink},
    )


def _theta_ticks(sweep: SweepData, frame: SweepAxes, style: Style) -> list[float]:
    """Return the thetas to label: round multiples with enough distance between labels."""
    per_px = 2 * sweep.half / frame.column
    for step in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0):
        chosen = [theta for theta in sweep.thetas if abs(theta / step - round(theta / step)) < 1e-6]
        labels = [f"{theta:.6g}" for theta in chosen] + [_ratio(theta, 2) for theta in chosen]
        room = max(text_widths(labels, style.tick_size, style), default=0.0) + 0.7 * style.tick_size
        room *= style.px(1.9, 1)  # a window may be half as wide as the layout
        if chosen and min(np.diff(chosen), default=math.inf) >= room * per_px:
            return chosen
    return [sweep.thetas[0], sweep.thetas[-1]]


def draw_current(fig: go.Figure, sweep: SweepData, theta: float | None, style: Style) -> None:
    """Draw a frame around the column of the current threshold."""
    if theta is None:
        return
    fig.add_shape(
        type="rect",
        name="theta",
        xref="x",
        yref="paper",
        x0=theta - sweep.half,
        x1=theta + sweep.half,
        y0=0,
        y1=1,
        line={"color": style.second, "width": style.px(1, 0.6)},
    )
