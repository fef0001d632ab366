"""Line chart of the ranks of algorithms along a varied setting."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, ClassVar

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
        return _Chart(self, table, series_styles(list(table), style, colours), style).fig

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        table = _checked(self.places, log=False)
        k, n = table.shape[1], len(table)
        values = {"k": k, "n": n, "x": text.short_name(self.x_title, 60)}
        ends = [table.iloc[0], table.iloc[-1]][: min(n, 2)]
        every = (
            [(_value(end.name), _order(end, most)) for end in ends] for most in range(k, 0, -1)
        )
        texts = (figure_text("order_paths.alt", orders=orders, **values) for orders in (*every, ()))
        return next(words for words in texts if len(words) <= 300)

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
    order: Order, paths: OrderPaths, *, marked: float | str | None = None, **options: Any
) -> OrderPathFigure | None:
    """Return the figure of ranks over a varied setting; None with a single value.

    `marked` is ignored unless it is one of the values. `options` are attributes of
    `OrderPathFigure`.
    """
    if len(paths.places) < 2:
        return None
    if marked not in (None, *paths.places.index):
        marked = None  # the current cost has no order to mark
    options |= {
        "x_title": paths.what,
        "finding": order_text.describe_order_paths(paths),
        "marked": marked,
    }
    make = cached_figure(_paths, at_every_level=paths.noun != "alpha")
    return make(order, paths.places, **options)


def _paths(order: Order, every: pd.DataFrame, **options: Any) -> OrderPathFigure:
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


def _check_index(values: list[object], log: bool) -> None:
    numbers = _are_numbers(values)
    rising = numbers and all(a < b for a, b in itertools.pairwise(values))
    texts = all(isinstance(value, str) for value in values) and len(set(values)) == len(values)
    if not (texts or (rising and all(math.isfinite(v) for v in values))):
        raise SettingError(
            figure_text("order_paths.bad_index", values=text.join_escaped(map(repr, values), 5))
        )
    if log and not (numbers and values[0] > 0):
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
        span, ranks = [self.x[0] - self.pad, self.x[-1] + self.pad], list(range(1, self.k + 1))
        self.fig.update_xaxes(**tick_axis(*self.ticks(), span), tickangle=0, title=title)
        self.fig.update_yaxes(
            **tick_axis(ranks, list(map(str, ranks)), [self.k + 0.5, 0.5]),
            tickfont={"size": self.size, "color": style.faint},
            ticks="outside",  # transparent: they keep the numbers clear of the first marks
            ticklen=style.px(6, 3),
            tickcolor="rgba(0,0,0,0)",
            showline=False,
        )
        at = {"refs": "paper, paper", "anchor": "right, bottom", "shift": (-style.px(4, 3), None)}
        traces.add_text(
            self.fig, "rank", 0, 1, style.tick_size, style.faint, name="title of ranks", **at
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
            return log_ticks(
                self.x[0] - self.pad, self.x[-1] + self.pad, self.room / (2.6 * style.tick_size)
            )
        return ticks(self.x[0], self.x[-1], max(min(10, self.room / (4 * style.tick_size)), 2))

    def draw_mark(self) -> None:
        """Draw a vertical line at the marked value, if there is one; a number is written above.

        Raises SettingError for a value outside the axis or, on an axis of texts, an unknown one.
        """
        marked, values, style = self.spec.marked, self.values, self.style
        if marked is None:
            return
        inside = (
            marked in values
            if self.are_texts
            else _are_numbers([marked]) and values[0] <= marked <= values[-1]
        )
        if not inside:
            raise SettingError(
                figure_text("order_paths.not_marked", value=marked, low=values[0], high=values[-1])
            )
        x, line = self.position(marked), {"color": style.second, "width": style.px(1, 0.6)}
        ends = {"x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1}
        self.fig.add_shape(type="line", name="marked", layer="below", line=line, **ends)
        if not self.are_texts:
            side = "left" if (x - self.x[0]) / self.per_px < 30 else "center"
            at = {"refs": "x, paper", "anchor": f"{side}, bottom"}
            traces.add_text(
                self.fig,
                f"{float(marked):g}",
                x,
                1,
                style.tick_size,
                style.second,
                name="marked",
                **at,
            )

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

    def write_names(self, row: pd.Series, side: str) -> None:
        """Write the names next to the ranks at one end."""
        style, left = self.style, side == "left"
        at = {
            "xref": "paper",
            "x": 0,
            "xanchor": "right",
            "xshift": -self.rank_width - style.px(22, 15),
        }
        if not left:
            at |= {"x": 1, "xanchor": "left", "xshift": style.px(4, 3)}
        at |= {"name": f"name at the {side}", "yanchor": "middle"}
        inks = {
            name: series.colour if series.own else style.second
            for name, series in self.styles.items()
        }
        notes = [
            {
                **at,
                "text": text.escape(self.shown[name]),
                "y": rank,
                "font": {"size": self.size, "color": inks[name]},
            }
            for name, rank in row.items()
        ]
        add_annotations(self.fig, notes)

    def hover(self, name: str) -> list[str]:
        """Return the hover text of each point of a line."""
        added = self.spec.hover
        hover_texts = []
        for value, rank in self.table[name].items():
            lines = [f"<b>{text.escape(name)}</b> rank {rank}"]
            lines.append(f"{text.escape(self.spec.x_title)} {text.escape(_value(value, math.inf))}")
            if added is not None:
                more = added.rename(columns=str)[name][value]
                lines += map(text.escape, str(more).split("\n"))
            hover_texts.append("<br>".join(lines))
        return hover_texts


def _value(value: float | str, most: float = 40) -> str:
    """Return a value of the setting as text of at most `most` characters."""
    return text.short_name(value, most) if isinstance(value, str) else f"{value:g}"


def _order(row: pd.Series, most: int) -> str:
    """Return the first `most` algorithms of a row with their ranks, as text."""
    names = row.sort_values().items()
    return text.join_escaped((f"{rank} {text.short_name(name, 40)}" for name, rank in names), most)
