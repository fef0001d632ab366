"""Places along a parameter: how the order of algorithms changes with alpha, weights or costs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.order_path_axes import (
    OrderPathAxes,
    are_numbers,
    draw_axes,
    draw_mark,
    order_path_axes,
)
from foldwise.figures.series_styles import SeriesStyle, draw_line, looks
from foldwise.figures.theme import Style
from stats_core.core.errors import SettingError


def order_paths(
    places: pd.DataFrame,
    *,
    style: Style,
    x_title: str,
    colours: Mapping[str, str] | None = None,
    marked: float | str | None = None,
    hover: pd.DataFrame | None = None,
    log: bool = False,
) -> go.Figure:
    """Draw the place of every algorithm at every value of a parameter, one line each.

    Parameters
    ----------
    places : DataFrame, value x algorithm
        The places 1 (best, on top) to the number of algorithms, none twice in a row. The index
        holds the parameter: increasing numbers, or texts such as names of costs.
    style : Style
        Surface and width.
    x_title : str
        What the parameter is.
    colours : mapping of algorithm to str, optional
        Colour per algorithm; by default :func:`foldwise.figures.theme.colours` of the columns.
    marked : float or str, optional
        The value in use, as a vertical line. A number may lie between two of the index.
    hover : DataFrame, value x algorithm, optional
        What hover adds, in plain text, a line break between lines.
    log : bool
        Whether the axis is logarithmic.

    Returns
    -------
    Figure
        Names stand at both ends. Points carry ``[algorithm, value]`` as customdata.

    Raises
    ------
    SettingError
        There is no place, a row does not hold every place once, the index is neither
        increasing numbers nor distinct texts, `marked` lies outside it, or a logarithmic axis
        is asked for values that are not all positive.
    """
    table = _checked(places, log)
    frame = order_path_axes(table, style, log)
    drawn = looks(list(frame.names), style, _plain_keys(colours))
    fig = theme.new_figure(
        style, frame.plot + frame.margin["t"] + frame.margin["b"], margin=frame.margin
    )
    draw_axes(fig, frame, x_title)
    draw_mark(fig, frame, marked)
    said = {name: _said(table, name, x_title, hover) for name in frame.names}
    _others(fig, frame, table, drawn, said)
    for name in frame.names:
        if drawn[name].own:
            _path(fig, frame, name, table[name], drawn[name], said[name])
    for row, side in ((table.iloc[0], "left"), (table.iloc[-1], "right")):
        _names(fig, frame, row, drawn, side)
    return fig


def _plain_keys(colours: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if colours is None else {str(name): hue for name, hue in colours.items()}


def _checked(places: pd.DataFrame, log: bool) -> pd.DataFrame:
    """Return whole places with columns as text; refuse what cannot be drawn."""
    if places.empty:
        raise SettingError(
            "Paths need at least one algorithm and one value. None arrived. Pass a table of "
            "places with a row per value and a column per algorithm."
        )
    table = places.set_axis([str(name) for name in places.columns], axis=1)
    every = np.arange(1, table.shape[1] + 1)
    for value, row in zip(table.index, table.to_numpy(dtype=float), strict=True):
        if not np.array_equal(np.sort(row), every):
            raise SettingError(
                f"Every row must hold each place from 1 to {len(every)} once. The row "
                f"{value!r} does not. Break ties before drawing."
            )
    _check_index(list(table.index), log)
    return table.astype(int)


def _check_index(values: list[object], log: bool) -> None:
    numbers = are_numbers(values)
    rising = numbers and all(a < b for a, b in itertools.pairwise(values))
    texts = all(isinstance(value, str) for value in values) and len(set(values)) == len(values)
    if not (texts or (rising and all(math.isfinite(v) for v in values))):
        raise SettingError(
            "The index must hold increasing numbers or distinct texts. "
            f"{text.join_escaped(map(repr, values), 5)} arrived. Sort the rows and leave each value "
            "once."
        )
    if log and not (numbers and values[0] > 0):
        raise SettingError(
            "A logarithmic axis needs positive numbers. "
            f"{values[0]!r} arrived. Leave out `log`, or the values that are not positive."
        )


def _others(
    fig: go.Figure,
    frame: OrderPathAxes,
    table: pd.DataFrame,
    drawn: Mapping[str, SeriesStyle],
    said: Mapping[str, list[str]],
) -> None:
    """Draw the lines of all algorithms without a look of their own, as one trace."""
    names = [name for name in frame.names if not drawn[name].own]
    if not names:
        return
    grey = drawn[names[0]]
    fig.add_scatter(
        x=[*frame.at, None] * len(names),
        y=[y for name in names for y in (*table[name].tolist(), None)],
        mode="lines" if len(frame.at) > 1 else "markers",
        name="other algorithms",
        line={"color": grey.colour, "width": frame.style.px(1.4, 0.7)},
        marker={"color": grey.colour, "size": frame.style.px(8, 4.8), "opacity": 1},
        hovertext=[words for name in names for words in (*said[name], "")],
        hoverinfo="text",
        customdata=[[name, value] for name in names for value in (*frame.values, None)],
    )


def _path(
    fig: go.Figure,
    frame: OrderPathAxes,
    name: str,
    row: pd.Series,
    look: SeriesStyle,
    said: list[str],
) -> None:
    """Draw the line of one algorithm, and its symbol at both ends and now and then between."""
    style, y = frame.style, row.tolist()
    draw_line(
        fig,
        list(frame.at),
        y,
        look,
        style,
        width=style.px(2.4, 1.1),
        name=text.escape(name),
        marked=_marked_points(frame),
        size=style.px(8, 4.8),
        said=said,
        customdata=[[name, value] for value in frame.values],
    )


def _marked_points(frame: OrderPathAxes) -> list[int]:
    """Return which values carry symbols: the ends and those well apart between them."""
    apart = frame.style.px(56, 30) * frame.per_px
    last = len(frame.at) - 1
    spots = [0]
    for i, x in enumerate(frame.at):
        if x - frame.at[spots[-1]] >= apart and frame.at[last] - x >= apart:
            spots.append(i)
    return spots if last == 0 else [*spots, last]


def _names(
    fig: go.Figure,
    frame: OrderPathAxes,
    row: pd.Series,
    drawn: Mapping[str, SeriesStyle],
    side: str,
) -> None:
    """Write the names beside the places of one end."""
    style = frame.style
    left = side == "left"
    beyond = text.text_width(str(len(frame.names)), frame.size, style.serif) + style.px(20, 12)
    words = [
        {
            "text": text.escape(frame.words[name]),
            "name": f"name at the {side}",
            "xref": "paper",
            "x": 0 if left else 1,
            "xanchor": "right" if left else "left",
            "xshift": -beyond if left else style.px(4, 3),
            "y": place,
            "yanchor": "middle",
            "font": {"size": frame.size, "color": _ink(drawn[name], style)},
        }
        for name, place in row.items()
    ]
    add_annotations(fig, words)


def _ink(look: SeriesStyle, style: Style) -> str:
    """Return the colour of a name: that of its line, if it has one of its own."""
    return look.colour if look.own else style.second


def _said(table: pd.DataFrame, name: str, x_title: str, hover: pd.DataFrame | None) -> list[str]:
    added = None if hover is None else hover.set_axis(map(str, hover.columns), axis=1)[name]
    said = []
    for value, place in table[name].items():
        lines = [f"<b>{text.escape(name)}</b> rank {place} in the cost-aware order"]
        lines.append(f"{text.escape(x_title)} {_word(value)}")
        if added is not None:
            lines += [text.escape(line) for line in str(added[value]).split("\n")]
        said.append("<br>".join(lines))
    return said


def _word(value: float | str) -> str:
    return text.escape(value) if isinstance(value, str) else f"{value:g}"


def alt_order_paths(places: pd.DataFrame, *, x_title: str) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Examples
    --------
    >>> table = pd.DataFrame({"svr": [1, 2], "mlp": [2, 1]}, index=[0.01, 0.1])
    >>> alt_order_paths(table, x_title="alpha")
    'Ranks of 2 algorithms in the cost-aware order at 2 values of alpha. Order at 0.01: 1 svr, 2 mlp. Order at 0.1: 1 mlp, 2 svr.'
    """
    table = _checked(places, log=False)
    k, n = table.shape[1], len(table)
    head = f"Ranks of {k} algorithm{'s' * (k != 1)} in the cost-aware order "
    head += f"at {n} value{'s' * (n != 1)} of "
    head += f"{text.truncate_text(text.plain_text(x_title), 60)}. "
    ends = [table.iloc[0], table.iloc[-1]][: min(n, 2)]
    for most in range(k, 0, -1):
        said = "".join(f"Order at {_value(end.name)}: {_order(end, most)}. " for end in ends)
        if len(head + said) <= 301:  # with the blank at its end
            return (head + said).strip()
    return head.strip()


def _value(value: float | str) -> str:
    return (
        text.truncate_text(text.plain_text(value), 40) if isinstance(value, str) else f"{value:g}"
    )


def _order(row: pd.Series, most: int) -> str:
    """Return the first algorithms of a row with their places."""
    names = row.sort_values().items()
    return text.join_escaped(
        (f"{place} {text.truncate_text(text.plain_text(n), 40)}" for n, place in names), most
    )


def caption_order_paths(*, x_title: str, marked: float | str | None = None) -> str:
    """Return what the lines mean, for the caption."""
    said = (
        f"Rank of every algorithm in the cost-aware order, 1 on top, by {text.plain_text(x_title)}. "
        "A line that rises or falls changes its rank between the values at its two ends."
    )
    return said if marked is None else f"{said} The vertical line marks {_value(marked)}."
