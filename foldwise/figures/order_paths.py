"""Line chart of the ranks of algorithms along a varied setting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar, Literal, TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import log_ticks, tick_axis, ticks
from foldwise.figures.label_placement import add_annotations
from foldwise.figures.spec import (
    MOST_NAMES,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    figure_text,
)
from foldwise.figures.theme import Style
from foldwise.figures.traces import SeriesStyle, draw_line, series_styles
from stats_core.core.errors import SettingError
from stats_core.ordering.order import Order
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report import order_text

#: Names at one side take at most this share of the width.
_MOST_NAMES = 0.28
#: Least distance between names and least text size, in px.
_LEAST_ROW, _LEAST_SIZE = 9.0, 8.0


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderPathFigure(FigureSpec):
    """Rank of every algorithm at every value of a setting, one line per algorithm.

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
        First sentence of the caption.
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
    marked: float | str | None = None
    hover: pd.DataFrame | None = None
    log: bool = False
    finding: str = ""
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    zoom: ClassVar[str] = "x"
    how_to_read: ClassVar[str] = figure_text("order_paths.how_to_read")

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table = _checked(self.places, self.log)
        colours = colors_of(self.colours, self.algorithms or list(table), self.highlight, style)
        colours = {str(name): colour for name, colour in colours.items()}
        styles = series_styles(list(table), style, colours)
        return _Chart(self, table, styles, style).fig

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        table = _checked(self.places, log=False)
        k, n = table.shape[1], len(table)
        x = text.short_name(self.x_title, 60)
        ends = [table.iloc[0]] if n == 1 else [table.iloc[0], table.iloc[-1]]
        for most in range(k, -1, -1):  # algorithms named per order
            orders = [(_value(end.name), _order(end, most)) for end in ends] if most else ()
            words = figure_text("order_paths.alt", orders=orders, k=k, n=n, x=x)
            if len(words) <= 300:
                break
        return words

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return self.describe("order_paths.caption", x=text.plain_text(self.x_title)).strip()


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderChangeFigure(OrderPathFigure):
    """Ranks of every algorithm by two measures."""

    zoom: ClassVar[str] = ""
    how_to_read: ClassVar[str] = figure_text("order_paths.how_to_read_changes")

    def caption(self, style: Style) -> str:
        """Return "", since the title is sufficient."""
        return ""


def paths_of_order(
    order: Order,
    paths: OrderPaths,
    *,
    name: str,
    title: str,
    marked: float | str | None = None,
    log: bool = False,
    colours: Colours = None,
    tested: str = "",
) -> OrderPathFigure | None:
    """Return the figure of ranks over a varied setting; None with a single value.

    `marked` is ignored unless it is one of the values.
    """
    if len(paths.places) < 2:
        return None
    if marked not in (None, *paths.places.index):
        marked = None  # the current cost has no order to mark
    make = cached_figure(_paths, at_every_level=paths.noun != "alpha")
    return make(
        order,
        paths.places,
        name=name,
        title=title,
        x_title=paths.what,
        finding=order_text.describe_order_paths(paths),
        marked=marked,
        log=log,
        colours=colours,
        tested=tested,
    )


class _PathFields(TypedDict):
    """Fields of the figure of a varied setting."""

    name: str
    title: str
    x_title: str
    finding: str
    marked: float | str | None
    log: bool
    colours: Colours
    tested: str


def _paths(order: Order, every: pd.DataFrame, **options: Unpack[_PathFields]) -> OrderPathFigure:
    algorithms = order.results.algorithms
    places = _best(every, algorithms)
    return OrderPathFigure(places=places, algorithms=algorithms, data=every, **options)


@cached_figure
def changes_of_order(
    order: Order, changes: OrderChanges, *, colours: Colours = None
) -> OrderChangeFigure:
    """Return the figure of final ranks by one measure and by another."""
    algorithms = order.results.algorithms
    return OrderChangeFigure(
        name="order_changes",
        title=figure_text("order_paths.title_changes", first=changes.first, second=changes.second),
        places=_best(changes.places, algorithms),
        x_title="order by",
        colours=colours,
        algorithms=algorithms,
        data=changes.places.rename_axis("order by"),
    )


def _best(places: pd.DataFrame, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the ranks among the `MOST_NAMES` algorithms best in the first row, columns as in `algorithms`."""
    best = set(places.iloc[0].sort_values().index[:MOST_NAMES])
    return places[[name for name in algorithms if name in best]].rank(axis=1).astype(int)


def _checked(ranks_given: pd.DataFrame, log: bool) -> pd.DataFrame:
    """Return integer ranks with string columns; raise SettingError for an invalid table."""
    if ranks_given.empty:
        raise SettingError(figure_text("order_paths.empty"))
    table = ranks_given.set_axis([str(name) for name in ranks_given.columns], axis=1)
    ranks = np.arange(1, table.shape[1] + 1)
    for value, row in zip(table.index, table.to_numpy(dtype=float), strict=True):
        if not np.array_equal(np.sort(row), ranks):
            raise SettingError(figure_text("order_paths.bad_row", n=len(ranks), row=value))
    _check_index(list(table.index), log)
    return table.astype(int)


def _check_index(values: Sequence[Any], log: bool) -> None:
    """Raise SettingError unless the values are increasing numbers or distinct strings."""
    are_numbers = _are_numbers(values)
    if are_numbers:
        rising = all(a < b for a, b in itertools.pairwise(values))
        suitable = rising and all(math.isfinite(value) for value in values)
    else:
        are_texts = all(isinstance(value, str) for value in values)
        suitable = are_texts and len(set(values)) == len(values)
    if not suitable:
        shown = text.join_escaped((repr(value) for value in values), 5)
        raise SettingError(figure_text("order_paths.bad_index", values=shown))
    if log and not (are_numbers and values[0] > 0):
        raise SettingError(figure_text("order_paths.not_positive", value=values[0]))


def _are_numbers(values: Sequence[object]) -> bool:
    """Return whether all values are real numbers (not booleans)."""
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)


class _Chart:
    """Chart of ranks (value x algorithm) while it is drawn; x in axis units, sizes in px."""

    def __init__(
        self,
        spec: OrderPathFigure,
        table: pd.DataFrame,
        styles: dict[str, SeriesStyle],
        style: Style,
    ) -> None:
        """Compute sizes and positions, and draw the chart."""
        self.spec, self.table, self.styles, self.style = spec, table, styles, style
        self.names, self.values, self.k = list(table.columns), list(table.index), table.shape[1]
        self.are_texts = not _are_numbers(self.values)
        plot = max(min(style.px(26, 11) * self.k, style.px(520, math.inf)), _LEAST_ROW * self.k)
        self.size = max(min(style.size, 0.97 * plot / self.k), _LEAST_SIZE)  # of names and ranks
        self.shown = text.shorten(
            self.names, _MOST_NAMES * style.width, self.size, serif=style.serif
        )
        name_width = text.widest(self.shown.values(), self.size, style.serif)
        self.rank_width = text.text_width(str(self.k), self.size, style.serif)
        margin = {
            "l": name_width + self.rank_width + style.px(30, 20),
            "r": name_width + style.px(14, 8),
            "t": 1.9 * style.tick_size,
            "b": 3.4 * style.size,
        }
        self.right = margin["r"]
        self.room = style.width - margin["l"] - margin["r"]  # width of the plot area
        self.x = [self.position(value) for value in self.values]
        self.pad = (self.x[-1] - self.x[0]) * style.px(8, 5) / self.room or 0.5
        self.per_px = (self.x[-1] - self.x[0] + 2 * self.pad) / self.room
        self.fig = theme.new_figure(style, plot + margin["t"] + margin["b"], margin=margin)
        self.draw_axes()
        self.draw_mark()
        self.draw_others()
        for name in self.names:
            if styles[name].own:
                self.draw_path(name)
        self.write_names(table.iloc[0], "left")
        self.write_names(table.iloc[-1], "right")

    def position(self, value: float | str) -> float:
        """Return the x coordinate of a value of the setting."""
        number = float(self.values.index(value)) if self.are_texts else float(value)
        return math.log10(number) if self.spec.log else number

    def draw_axes(self) -> None:
        """Configure the axis of values and the axis of ranks, with rank 1 on top."""
        style = self.style
        title = {"text": text.escape(self.spec.x_title), "standoff": 4}
        x_axis = tick_axis(*self.ticks(), [self.x[0] - self.pad, self.x[-1] + self.pad])
        self.fig.update_xaxes(**x_axis, tickangle=0, title=title)
        ranks = list(range(1, self.k + 1))
        rank_labels = [str(rank) for rank in ranks]
        self.fig.update_yaxes(
            **tick_axis(ranks, rank_labels, [self.k + 0.5, 0.5]),
            tickfont={"size": self.size, "color": style.faint},
            ticks="outside",  # transparent: they keep the numbers clear of the first marks
            ticklen=style.px(6, 3),
            tickcolor="rgba(0,0,0,0)",
            showline=False,
        )
        traces.add_text(
            self.fig,
            "rank",
            0,
            1,
            style.tick_size,
            style.faint,
            name="title of ranks",
            refs="paper, paper",
            anchor="right, bottom",
            shift=(-style.px(4, 3), None),
        )

    def ticks(self) -> tuple[list[float], list[str]]:
        """Return tick positions and labels of the x axis."""
        style = self.style
        if self.are_texts:
            step = self.room / max(len(self.x) - 1, 1)
            limit = min(step - style.px(10, 6), 2 * self.right)
            shown = text.shorten(self.values, max(limit, 1), style.tick_size, serif=style.serif)
            return self.x, [text.escape(shown[value]) for value in self.values]
        if len(self.x) == 1:
            return self.x, [f"{self.values[0]:g}"]
        if self.spec.log:
            most = self.room / (2.6 * style.tick_size)
            return log_ticks(self.x[0] - self.pad, self.x[-1] + self.pad, most)
        most = max(min(10, self.room / (4 * style.tick_size)), 2)
        return ticks(self.x[0], self.x[-1], most)

    def draw_mark(self) -> None:
        """Draw a vertical line at the marked value, if there is one; a number is written above.

        Raises SettingError for a value outside the axis or, on an axis of texts, an unknown one.
        """
        marked, values, style = self.spec.marked, self.values, self.style
        if marked is None:
            return
        if not self._contains(marked):
            raise SettingError(
                figure_text("order_paths.not_marked", value=marked, low=values[0], high=values[-1])
            )
        x, line = self.position(marked), {"color": style.second, "width": style.px(1, 0.6)}
        ends = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
        self.fig.add_shape(type="line", name="marked", layer="below", line=line, **ends)
        if self.are_texts:
            return
        px_from_left = (x - self.x[0]) / self.per_px
        traces.add_text(
            self.fig,
            f"{float(marked):g}",
            x,
            1,
            style.tick_size,
            style.second,
            name="marked",
            refs="x, paper",
            anchor="left, bottom" if px_from_left < 30 else "center, bottom",
        )

    def _contains(self, value: float | str) -> bool:
        """Return whether the axis contains a value: a text, or a number between its ends."""
        if self.are_texts:
            return value in self.values
        if isinstance(value, str) or not _are_numbers([value]):
            return False
        return self.values[0] <= value <= self.values[-1]

    def draw_others(self) -> None:
        """Draw the lines of all algorithms without their own style as one trace."""
        names = [name for name in self.names if not self.styles[name].own]
        if not names:
            return
        colour = self.styles[names[0]].colour
        self.fig.add_scatter(
            x=[*self.x, None] * len(names),
            y=[y for name in names for y in (*self.table[name].tolist(), None)],
            mode="lines" if len(self.x) > 1 else "markers",
            name="other algorithms",
            line={"color": colour, "width": self.style.px(1.4, 0.7)},
            marker={"color": colour, "size": self.style.px(8, 4.8), "opacity": 1},
            hovertext=[hover_text for name in names for hover_text in (*self.hover(name), "")],
            hoverinfo="text",
            customdata=[[name, value] for name in names for value in (*self.values, None)],
        )

    def draw_path(self, name: str) -> None:
        """Draw the line of one algorithm, with symbols at the ends and at intervals."""
        style = self.style
        draw_line(
            self.fig,
            self.x,
            self.table[name].tolist(),
            self.styles[name],
            style,
            width=style.px(2.4, 1.1),
            name=text.escape(name),
            symbols=traces.LineSymbols(self.marked_points(), style.px(8, 4.8)),
            hover_text=self.hover(name),
            customdata=[[name, value] for value in self.values],
        )

    def marked_points(self) -> list[int]:
        """Return the indices of values with symbols."""
        least_gap = self.style.px(56, 30) * self.per_px
        last, indices = len(self.x) - 1, [0]
        for i, x in enumerate(self.x):
            if x - self.x[indices[-1]] >= least_gap and self.x[last] - x >= least_gap:
                indices.append(i)
        return indices if last == 0 else [*indices, last]

    def write_names(self, row: pd.Series, side: Literal["left", "right"]) -> None:
        """Write the names next to the ranks at one end."""
        style = self.style
        if side == "left":
            shift = -self.rank_width - style.px(22, 15)
            position = {"xref": "paper", "x": 0, "xanchor": "right", "xshift": shift}
        else:
            position = {"xref": "paper", "x": 1, "xanchor": "left", "xshift": style.px(4, 3)}
        notes = []
        for name, rank in row.items():
            series = self.styles[name]
            ink = series.colour if series.own else style.second
            note = {
                **position,
                "name": f"name at the {side}",
                "yanchor": "middle",
                "text": text.escape(self.shown[name]),
                "y": rank,
                "font": {"size": self.size, "color": ink},
            }
            notes.append(note)
        add_annotations(self.fig, notes)

    def hover(self, name: str) -> list[str]:
        """Return the hover text of each point of a line."""
        title = f"<b>{text.escape(name)}</b>"
        x_title = text.escape(self.spec.x_title)
        added = None if self.spec.hover is None else self.spec.hover.rename(columns=str)[name]
        hover_texts = []
        for value, rank in self.table[name].items():
            shown = value if isinstance(value, str) else _value(value)
            lines = [f"{title} rank {rank}", f"{x_title} {text.escape(shown)}"]
            if added is not None:
                lines += [text.escape(line) for line in str(added[value]).split("\n")]
            hover_texts.append("<br>".join(lines))
        return hover_texts


def _value(value: float | str) -> str:
    """Return a value of the setting as text of at most 40 characters."""
    return text.short_name(value, 40) if isinstance(value, str) else f"{value:g}"


def _order(row: pd.Series, most: int) -> str:
    """Return the first `most` algorithms of a row with their ranks, as text."""
    ranks = row.sort_values().items()
    return text.join_escaped((f"{rank} {text.short_name(name, 40)}" for name, rank in ranks), most)
