"""The frame of places along a parameter: room for names, both axes, and the value in use."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.paired_folds import ticks
from foldwise.figures.theme import Style
from foldwise.figures.ticks import tick_axis
from stats_core.core.errors import SettingError

#: Names at one side take at most this share of the width.
_MOST_NAMES = 0.28
#: Names never stand closer than this, in px, nor are they smaller than it.
_LEAST_ROW, _LEAST_SIZE = 9.0, 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPathAxes:
    """Where everything lies: x in the units of the axis, sizes in px."""

    names: tuple[str, ...]
    values: tuple[float | str, ...]
    at: tuple[float, ...]  # x of the values
    log: bool
    texts: bool  # whether the values are texts
    style: Style
    size: float  # of names and places
    words: dict[str, str]
    margin: dict[str, float]
    plot: float  # height
    room: float  # width

    @property
    def pad(self) -> float:
        """Space beside the first and the last value, in units of the axis."""
        return (self.at[-1] - self.at[0]) * self.style.px(8, 5) / self.room or 0.5

    @property
    def per_px(self) -> float:
        """Units of the axis in a px."""
        return (self.at[-1] - self.at[0] + 2 * self.pad) / self.room


def order_path_axes(table: pd.DataFrame, style: Style, log: bool) -> OrderPathAxes:
    """Return the frame of a table of places, value x algorithm, with room for every name."""
    names, values = tuple(table.columns), tuple(table.index)
    k = len(names)
    texts = not are_numbers(values)
    plot = max(min(style.px(26, 11) * k, style.px(520, math.inf)), _LEAST_ROW * k)
    size = max(min(style.size, 0.97 * plot / k), _LEAST_SIZE)
    words = text.shorten(names, _MOST_NAMES * style.width, size, serif=style.serif)
    wide = max(text.text_width(word, size, style.serif) for word in words.values())
    number = text.text_width(str(k), size, style.serif)
    margin = {
        "l": wide + number + style.px(28, 17),
        "r": wide + style.px(14, 8),
        "t": 1.9 * style.tick_size,
        "b": 3.4 * style.size,
    }
    at = tuple(float(i) for i in range(len(values))) if texts else tuple(map(float, values))
    return OrderPathAxes(
        names=names,
        values=values,
        at=tuple(math.log10(v) for v in at) if log else at,
        log=log,
        texts=texts,
        style=style,
        size=size,
        words=words,
        margin=margin,
        plot=plot,
        room=style.width - margin["l"] - margin["r"],
    )


def draw_axes(fig: go.Figure, frame: OrderPathAxes, x_title: str) -> None:
    """Draw the axis of values and that of places, 1 on top."""
    style, k = frame.style, len(frame.names)
    spots, words = _ticks(frame)
    fig.update_layout(
        xaxis={
            **tick_axis(spots, words, [frame.at[0] - frame.pad, frame.at[-1] + frame.pad]),
            "tickangle": 0,
            "title": {"text": text.escape(x_title), "standoff": 4},
        },
        yaxis={
            "range": [k + 0.5, 0.5],
            "tickmode": "array",
            "tickvals": list(range(1, k + 1)),
            "ticktext": [str(place) for place in range(1, k + 1)],
            "tickfont": {"size": frame.size, "color": style.faint},
            "ticks": "outside",  # without ink: keeps the numbers clear of the first marks
            "ticklen": style.px(6, 3),
            "tickcolor": "rgba(0,0,0,0)",
            "showline": False,
            "fixedrange": True,
        },
    )
    fig.add_annotation(
        text="rank",
        name="title of ranks",
        xref="paper",
        yref="paper",
        x=0,
        xanchor="right",
        xshift=-style.px(4, 3),
        y=1,
        yanchor="bottom",
        font={"size": style.tick_size, "color": style.faint},
    )


def _ticks(frame: OrderPathAxes) -> tuple[list[float], list[str]]:
    """Return the places of labels on the axis of values and what to print there."""
    style = frame.style
    if frame.texts:
        step = frame.room / max(len(frame.at) - 1, 1)
        most = min(step - style.px(10, 6), 2 * frame.margin["r"])
        shown = text.shorten(frame.values, max(most, 1), style.tick_size, serif=style.serif)
        return list(frame.at), [text.escape(shown[value]) for value in frame.values]
    if len(frame.at) == 1:
        return list(frame.at), [f"{frame.values[0]:g}"]
    if frame.log:
        return _log_ticks(frame)
    most = max(min(10, frame.room / (4 * style.tick_size)), 2)
    return ticks(frame.at[0], frame.at[-1], most)


def _log_ticks(frame: OrderPathAxes) -> tuple[list[float], list[str]]:
    """Return 1, 2 and 5 of every decade, as far as there is room, or else fewer."""
    low, high = frame.at[0], frame.at[-1]
    decades = range(math.floor(low), math.ceil(high) + 1)
    apart = 2.6 * frame.style.tick_size * frame.per_px
    for factors in ((1, 2, 5), (1, 5), (1,)):
        every = [math.log10(f) + d for d in decades for f in factors]
        spots = [spot for spot in every if low - 1e-9 <= spot <= high + 1e-9]
        if all(b - a >= apart for a, b in itertools.pairwise(spots)):
            break
    spots = spots or [low, high]
    return spots, [f"{10**spot:.6g}" for spot in spots]


def draw_mark(fig: go.Figure, frame: OrderPathAxes, marked: float | str | None) -> None:
    """Draw a line at the value in use; a number stands above it."""
    if marked is None:
        return
    inside = (
        marked in frame.values
        if frame.texts
        else are_numbers([marked]) and frame.values[0] <= marked <= frame.values[-1]
    )
    if not inside:
        raise SettingError(
            f"`marked` must be a value of the index or lie between two. {marked!r} arrived. "
            f"Pass one from {frame.values[0]!r} to {frame.values[-1]!r}."
        )
    style = frame.style
    number = float(frame.values.index(marked)) if frame.texts else float(marked)
    x = math.log10(number) if frame.log else number
    fig.add_shape(
        type="line",
        name="marked",
        x0=x,
        x1=x,
        yref="paper",
        y0=0,
        y1=1,
        layer="below",
        line={"color": style.second, "width": style.px(1, 0.6)},
    )
    if not frame.texts:
        fig.add_annotation(
            text=f"{number:g}",
            name="marked",
            x=x,
            xanchor="left" if (x - frame.at[0]) / frame.per_px < 30 else "center",
            yref="paper",
            y=1,
            yanchor="bottom",
            font={"size": style.tick_size, "color": style.second},
        )


def are_numbers(values: Sequence[object]) -> bool:
    """Whether values are numbers, truth values apart."""
    return all(isinstance(v, Real) and not isinstance(v, bool) for v in values)
