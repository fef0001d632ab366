"""Line chart of the ranks of algorithms along a parameter."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import tick_axis
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.paired_folds import ticks
from foldwise.figures.spec import MOST_NAMES, Colours, FigureSpec, cached_figure, colors_of
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, draw_line, looks
from stats_core.core.errors import SettingError
from stats_core.ordering.order import Order
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report.order_text import describe_order_paths

#: Names at one side take at most this share of the width.
_MOST_NAMES = 0.28
#: Least distance between names and least text size, in px.
_LEAST_ROW, _LEAST_SIZE = 9.0, 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPathAxes:
    """Axis positions, names and sizes of the chart: x in axis units, sizes in px."""

    names: tuple[str, ...]
    values: tuple[float | str, ...]
    at: tuple[float, ...]  # x of the values
    log: bool
    texts: bool  # whether the values are strings
    style: Style
    size: float  # of names and ranks
    words: dict[str, str]
    margin: dict[str, float]
    plot: float  # height of the plot area
    room: float  # width of the plot area

    @property
    def pad(self) -> float:
        """Space beside the first and the last value, in axis units."""
        return (self.at[-1] - self.at[0]) * self.style.px(8, 5) / self.room or 0.5

    @property
    def per_px(self) -> float:
        """Axis units per px."""
        return (self.at[-1] - self.at[0] + 2 * self.pad) / self.room


def order_path_axes(table: pd.DataFrame, style: Style, log: bool) -> OrderPathAxes:
    """Return the axes of a table of ranks, value x algorithm, with room for every name."""
    names, values = tuple(table.columns), tuple(table.index)
    k = len(names)
    texts = not are_numbers(values)
    plot = max(min(style.px(26, 11) * k, style.px(520, math.inf)), _LEAST_ROW * k)
    size = max(min(style.size, 0.97 * plot / k), _LEAST_SIZE)
    short_names = text.shorten(names, _MOST_NAMES * style.width, size, serif=style.serif)
    name_width = max(text.text_width(short_name, size, style.serif) for short_name in short_names.values())
    rank_width = text.text_width(str(k), size, style.serif)
    margin = {
        "l": name_width + rank_width + style.px(28, 17),
        "r": name_width + style.px(14, 8),
        "t": 1.9 * style.tick_size,
        "b": 3.4 * style.size,
    }
    positions = tuple(float(index) for index in range(len(values))) if texts else tuple(map(float, values))
    return OrderPathAxes(
        names=names,
        values=values,
        at=tuple(math.log10(value) for value in positions) if log else positions,
        log=log,
        texts=texts,
        style=style,
        size=size,
        words=short_names,
        margin=margin,
        plot=plot,
        room=style.width - margin["l"] - margin["r"],
    )


def draw_axes(fig: go.Figure, frame: OrderPathAxes, x_title: str) -> None:
    """Draw the axis of values and the axis of ranks, with 1 on top."""
    style, k = frame.style, len(frame.names)
    positions, labels = _ticks(frame)
    fig.update_layout(
        xaxis={
            **tick_axis(positions, labels, [frame.at[0] - frame.pad, frame.at[-1] + frame.pad]),
            "tickangle": 0,
            "title": {"text": text.escape(x_title), "standoff": 4},
        },
        yaxis={
            "range": [k + 0.5, 0.5],
            "tickmode": "array",
            "tickvals": list(range(1, k + 1)),
            "ticktext": [str(rank) for rank in range(1, k + 1)],
            "tickfont": {"size": frame.size, "color": style.faint},
            "ticks": "outside",  # transparent: they keep the numbers clear of the first marks
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
    """Return tick positions and labels of the axis of values."""
    style = frame.style
    if frame.texts:
        step = frame.room / max(len(frame.at) - 1, 1)
        limit = min(step - style.px(10, 6), 2 * frame.margin["r"])
        shown = text.shorten(frame.values, max(limit, 1), style.tick_size, serif=style.serif)
        return list(frame.at), [text.escape(shown[value]) for value in frame.values]
    if len(frame.at) == 1:
        return list(frame.at), [f"{frame.values[0]:g}"]
    if frame.log:
        return _log_ticks(frame)
    limit = max(min(10, frame.room / (4 * style.tick_size)), 2)
    return ticks(frame.at[0], frame.at[-1], limit)


def _log_ticks(frame: OrderPathAxes) -> tuple[list[float], list[str]]:
    """Return ticks at 1, 2 and 5 of every decade, or at fewer values if they would be too close."""
    low, high = frame.at[0], frame.at[-1]
    decades = range(math.floor(low), math.ceil(high) + 1)
    least_gap = 2.6 * frame.style.tick_size * frame.per_px
    for factors in ((1, 2, 5), (1, 5), (1,)):
        candidates = [math.log10(factor) + decade for decade in decades for factor in factors]
        positions = [position for position in candidates if low - 1e-9 <= position <= high + 1e-9]
        if all(b - a >= least_gap for a, b in itertools.pairwise(positions)):
            break
    positions = positions or [low, high]
    return positions, [f"{10**position:.6g}" for position in positions]


def draw_mark(fig: go.Figure, frame: OrderPathAxes, marked: float | str | None) -> None:
    """Draw a line at the current value, labelled if it is a number."""
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
    """Return whether all values are real numbers (not booleans)."""
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderPathFigure(FigureSpec):
    """The rank of every algorithm at every value of a parameter, one line each.

    Names are written at both ends. Points carry ``[algorithm, value]`` as customdata.

    Attributes
    ----------
    places : DataFrame, value x algorithm
        Ranks from 1 (best, on top) to the number of algorithms, without ties in a row. The index
        holds the parameter: increasing numbers, or strings such as names of costs.
    x_title : str
        Name of the parameter.
    colours : mapping of algorithm to str, optional
        Colour per algorithm; by default by position in `algorithms`, or in `places`.
    marked : float or str, optional
        The value in use, as a vertical line. A number may lie between two of the index.
    hover : DataFrame, value x algorithm, optional
        Additional hover text, plain, with line breaks between lines.
    log : bool
        Whether the axis is logarithmic.
    finding : str
        What the caption begins with.
    algorithms, highlight : collection of str
        All algorithms, and those that keep their colour.
    data : DataFrame
        The ranks of all algorithms.

    Raises
    ------
    SettingError
        The table is empty, a row does not contain every rank once, the index is neither
        increasing numbers nor distinct strings, `marked` lies outside it, or `log` is set for
        values that are not all positive.
    """

    places: pd.DataFrame
    x_title: str
    colours: Colours = None
    marked: float | str | None = None
    hover: pd.DataFrame | None = None
    log: bool = False
    finding: str = ""
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    zoom: ClassVar[str] = "x"
    how_to_read: ClassVar[str] = (
        "Each line is an algorithm. Its height is its rank in the cost-aware order, 1 on top. The order "
        "changes where lines cross. Crossings far from the marked value do not change your conclusion."
    )

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table = _checked(self.places, self.log)
        frame = order_path_axes(table, style, self.log)
        colours = self.colours
        if self.algorithms:
            colours = colors_of(colours, self.algorithms, self.highlight, style)
        styles = looks(list(frame.names), style, _plain_keys(colours))
        fig = theme.new_figure(style, frame.plot + frame.margin["t"] + frame.margin["b"], margin=frame.margin)
        draw_axes(fig, frame, self.x_title)
        draw_mark(fig, frame, self.marked)
        hover_texts = {name: _said(table, name, self.x_title, self.hover) for name in frame.names}
        _others(fig, frame, table, styles, hover_texts)
        for name in frame.names:
            if styles[name].own:
                _path(fig, frame, name, table[name], styles[name], hover_texts[name])
        for row, side in ((table.iloc[0], "left"), (table.iloc[-1], "right")):
            _names(fig, frame, row, styles, side)
        return fig

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        table = _checked(self.places, log=False)
        k, n = table.shape[1], len(table)
        head = f"Ranks of {k} algorithm{'s' * (k != 1)} in the cost-aware order "
        head += f"at {n} value{'s' * (n != 1)} of "
        head += f"{text.truncate_text(text.plain_text(self.x_title), 60)}. "
        ends = [table.iloc[0], table.iloc[-1]][: min(n, 2)]
        for most in range(k, 0, -1):
            orders = "".join(f"Order at {_value(end.name)}: {_order(end, most)}. " for end in ends)
            if len(head + orders) <= 301:  # with a trailing blank
                return (head + orders).strip()
        return head.strip()

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return (
            f"{self.finding} Rank of every algorithm in the cost-aware order, 1 on top, by "
            f"{text.plain_text(self.x_title)}. "
            "A line that rises or falls changes its rank between the values at its two ends."
        ).strip()


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderChangeFigure(OrderPathFigure):
    """The ranks of every algorithm by two measures."""

    zoom: ClassVar[str] = ""
    how_to_read: ClassVar[str] = (
        "Each line is an algorithm: its rank in the cost-aware order by one measure on the left, by the "
        "other on the right, 1 on top. The rank of an algorithm with a steep line is not reliable."
    )

    def caption(self, style: Style) -> str:
        """Return no caption, as the title says everything."""
        return ""


def order_paths(places: pd.DataFrame, *, style: Style, x_title: str, **options: Any) -> go.Figure:
    """Draw ranks along a parameter; options are the attributes of `OrderPathFigure`."""
    return OrderPathFigure(places=places, x_title=x_title, **options).draw(style)


def paths_of_order(
    order: Order, paths: OrderPaths, *, marked: float | str | None = None, **options: Any
) -> OrderPathFigure | None:
    """Return the ranks of algorithms over a varied setting; None with a single value."""
    if len(paths.places) < 2:
        return None
    if marked not in (None, *paths.places.index):
        marked = None  # the current cost has no order to mark
    options |= {"x_title": paths.what, "finding": describe_order_paths(paths), "marked": marked}
    make = cached_figure(_paths, at_every_level=paths.noun != "alpha")
    return make(order, paths.places, **options)


def _paths(order: Order, every: pd.DataFrame, **options: Any) -> OrderPathFigure:
    algorithms = order.results.algorithms
    places = _best(every, algorithms)
    return OrderPathFigure(places=places, algorithms=algorithms, data=every, **options)


@cached_figure
def changes_of_order(order: Order, changes: OrderChanges, *, colours: Colours = None) -> OrderChangeFigure:
    """Return the figure of final ranks by one measure and by another."""
    algorithms = order.results.algorithms
    return OrderChangeFigure(
        name="order_changes",
        title=f"Final order by {changes.first} and by {changes.second}",
        places=_best(changes.places, algorithms),
        x_title="order by",
        colours=colours,
        algorithms=algorithms,
        data=changes.places.rename_axis("order by"),
    )


def _best(places: pd.DataFrame, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the ranks among the best algorithms, in fixed order to keep their symbols."""
    best = set(places.iloc[0].sort_values().index[:MOST_NAMES])
    return places[[name for name in algorithms if name in best]].rank(axis=1).astype(int)


def _plain_keys(colours: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if colours is None else {str(name): hue for name, hue in colours.items()}


def _checked(ranks_given: pd.DataFrame, log: bool) -> pd.DataFrame:
    """Return integer ranks with string columns; raise SettingError for invalid tables."""
    if ranks_given.empty:
        raise SettingError(
            "Paths need at least one algorithm and one value. None arrived. Pass a table of "
            "places with a row per value and a column per algorithm."
        )
    table = ranks_given.set_axis([str(name) for name in ranks_given.columns], axis=1)
    ranks = np.arange(1, table.shape[1] + 1)
    for value, row in zip(table.index, table.to_numpy(dtype=float), strict=True):
        if not np.array_equal(np.sort(row), ranks):
            raise SettingError(
                f"Every row must hold each place from 1 to {len(ranks)} once. The row "
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
    styles: Mapping[str, SeriesStyle],
    hover_texts: Mapping[str, list[str]],
) -> None:
    """Draw the lines of all algorithms without a style of their own as one trace."""
    names = [name for name in frame.names if not styles[name].own]
    if not names:
        return
    grey = styles[names[0]]
    fig.add_scatter(
        x=[*frame.at, None] * len(names),
        y=[y for name in names for y in (*table[name].tolist(), None)],
        mode="lines" if len(frame.at) > 1 else "markers",
        name="other algorithms",
        line={"color": grey.colour, "width": frame.style.px(1.4, 0.7)},
        marker={"color": grey.colour, "size": frame.style.px(8, 4.8), "opacity": 1},
        hovertext=[hover_text for name in names for hover_text in (*hover_texts[name], "")],
        hoverinfo="text",
        customdata=[[name, value] for name in names for value in (*frame.values, None)],
    )


def _path(
    fig: go.Figure, frame: OrderPathAxes, name: str, row: pd.Series, line_style: SeriesStyle, hover_texts: list[str]
) -> None:
    """Draw the line of one algorithm, with symbols at both ends and at intervals between."""
    style, y = frame.style, row.tolist()
    draw_line(
        fig,
        list(frame.at),
        y,
        line_style,
        style,
        width=style.px(2.4, 1.1),
        name=text.escape(name),
        marked=_marked_points(frame),
        size=style.px(8, 4.8),
        said=hover_texts,
        customdata=[[name, value] for value in frame.values],
    )


def _marked_points(frame: OrderPathAxes) -> list[int]:
    """Return the indices of values with symbols: the ends, and values well apart between them."""
    least_gap = frame.style.px(56, 30) * frame.per_px
    last = len(frame.at) - 1
    indices = [0]
    for i, x in enumerate(frame.at):
        if x - frame.at[indices[-1]] >= least_gap and frame.at[last] - x >= least_gap:
            indices.append(i)
    return indices if last == 0 else [*indices, last]


def _names(fig: go.Figure, frame: OrderPathAxes, row: pd.Series, styles: Mapping[str, SeriesStyle], side: str) -> None:
    """Write the names beside the ranks at one end."""
    style = frame.style
    left = side == "left"
    offset = text.text_width(str(len(frame.names)), frame.size, style.serif) + style.px(20, 12)
    notes = [
        {
            "text": text.escape(frame.words[name]),
            "name": f"name at the {side}",
            "xref": "paper",
            "x": 0 if left else 1,
            "xanchor": "right" if left else "left",
            "xshift": -offset if left else style.px(4, 3),
            "y": rank,
            "yanchor": "middle",
            "font": {"size": frame.size, "color": _ink(styles[name], style)},
        }
        for name, rank in row.items()
    ]
    add_annotations(fig, notes)


def _ink(line_style: SeriesStyle, style: Style) -> str:
    """Return the colour of a name: that of its line, or grey."""
    return line_style.colour if line_style.own else style.second


def _said(table: pd.DataFrame, name: str, x_title: str, hover: pd.DataFrame | None) -> list[str]:
    added = None if hover is None else hover.set_axis(map(str, hover.columns), axis=1)[name]
    hover_texts = []
    for value, rank in table[name].items():
        lines = [f"<b>{text.escape(name)}</b> rank {rank} in the cost-aware order"]
        lines.append(f"{text.escape(x_title)} {_word(value)}")
        if added is not None:
            lines += [text.escape(line) for line in str(added[value]).split("\n")]
        hover_texts.append("<br>".join(lines))
    return hover_texts


def _word(value: float | str) -> str:
    return text.escape(value) if isinstance(value, str) else f"{value:g}"


def _value(value: float | str) -> str:
    return text.truncate_text(text.plain_text(value), 40) if isinstance(value, str) else f"{value:g}"


def _order(row: pd.Series, most: int) -> str:
    """Return the first algorithms of a row with their ranks."""
    names = row.sort_values().items()
    return text.join_escaped((f"{rank} {text.truncate_text(text.plain_text(name), 40)}" for name, rank in names), most)
