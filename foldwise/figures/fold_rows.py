"""Results per fold in one row per algorithm: the common parts of histograms and rainclouds."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, TypedDict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import axis_parts, histogram_bins, text, theme, traces
from foldwise.figures.histogram_bins import Bins
from foldwise.figures.spec import FigureSpec, colors_of, figure_text, thinned
from foldwise.figures.theme import FADED, GREY, Style
from stats_core.core.formatting import capitalize_first, format_count

GREY_FILL = "#BDBDBD"
#: Beyond this number of algorithms rows are lower, and print uses text of seven points.
MOST_HIGH = 8
#: Width in px of a plot on a phone, in which tick labels must still fit.
_NARROW = 260.0
#: The widest tick label in scientific notation.
_WIDEST_POWER = "\N{MINUS SIGN}2.5×10−88"
DIRECTIONS = {None: "", True: ", higher is better", False: ", lower is better"}


def step_format(step: float) -> str:
    """Return Plotly's number format with as many decimals as a tick distance requires.

    Examples
    --------
    >>> step_format(0.025), step_format(0.5), step_format(2000.0)
    (',.3f', ',.1f', ',.0f')
    """
    n_decimals = next(
        (decimals for decimals in range(12) if math.isclose(round(step, decimals), step)), 12
    )
    return f",.{n_decimals}f"


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldRows(FigureSpec):
    """The results of all folds, one row per algorithm.

    Algorithms share an axis and, in histograms, bins. An algorithm whose results are far from the
    others has an axis of its own. Clicks on the mark of a fold return its label.

    Attributes
    ----------
    values : DataFrame
        One row per fold, the index its label such as ``"7"`` or ``"2.7"``; one column per
        algorithm, best first. No missing results.
    measure : str
        Name of the measure, for the axis. ``"... (%)"`` marks values as percentages.
    higher_is_better : bool, optional
        Direction of the measure. None for values without a direction, such as residuals.
    colours : mapping, optional
        Colour per algorithm; by default by position in `algorithms`, or in the columns. Print
        without colour ignores it.
    algorithms, highlight, lit : collection of str
        All algorithms; those that have colours if they are many; those not in grey, all if empty.
    selected : collection of str
        Folds that keep full opacity while the others fade. Unknown labels are ignored.
    unit : str
        Source of one value per algorithm: "fold" or "run".
    shown : sequence of str, optional
        The algorithms drawn, if not all.
    total : int
        Number of algorithms compared, if more than drawn.
    zero : str
        Label of zero, which is then the middle of the axis; "" for an axis that follows the
        results.
    how : str
        Key of the text on how to read the figure.
    """

    kind: ClassVar[str] = ""  # table of texts
    values: pd.DataFrame
    measure: str
    higher_is_better: bool | None = None
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    lit: Collection[str] = ()
    selected: Collection[str] = ()
    unit: str = "fold"
    shown: Sequence[str] | None = None
    total: int = 0
    zero: str = ""
    how: str = "folds"

    def plot(self, style: Style) -> RowsPlot:
        """Return values, bins and styles, with an empty figure; raise ValueError unless values are finite."""
        values = self.drawn
        data = values.to_numpy(dtype=float)
        if not data.size or not np.isfinite(data).all():
            raise ValueError(figure_text("fold_rows.no_values"))
        labels = list(map(str, values.index))
        is_selected = np.isin(np.array(labels, dtype=object), list(self.selected))
        return RowsPlot(
            spec=self,
            style=style,
            names=list(map(str, values.columns)),
            labels=labels,
            values=data,
            axes=self.axes,
            numbers=Numbers.of(values, self.measure),
            fills=self._fills(style),
            lit=is_selected if is_selected.any() else np.ones(len(labels), dtype=bool),
            fig=go.Figure(),
        )

    @cached_property
    def axes(self) -> list[tuple[list[int], Bins]]:
        """The positions of the algorithms on each axis, and its bins."""
        columns = list(self.drawn.to_numpy(dtype=float).T)
        return [
            (axis, Bins.of([columns[i] for i in axis]))
            for axis in histogram_bins.shared_axes(columns)
        ]

    def _fills(self, style: Style) -> list[str]:
        """Return the fill of every algorithm: its colour; grey in print without colour, or on screen if not `lit`."""
        if style.printed and not style.colour:
            return [GREY_FILL] * self.drawn.shape[1]
        palette = colors_of(
            self.colours, self.algorithms or list(self.values), self.highlight, style
        )
        if self.lit and not style.printed:
            palette |= {name: style.hairline for name in self.values if name not in self.lit}
        return [palette.get(name, GREY) for name in map(str, self.drawn.columns)]

    def caption(self, style: Style) -> str:
        """Return the caption sentences on marks, bins and axes."""
        names = list(map(text.plain_text, self.drawn))
        points = " points" if Numbers.of(self.drawn, self.measure).unit else ""

        widths = [
            "" if bins.constant else text.format_minus(bins.width, bins.places) + points
            for _, bins in self.axes
        ]
        main_axis = max((members for members, _ in self.axes), key=len)
        on_other_axes = [name for i, name in enumerate(names) if i not in main_axis]
        caption = self.describe(
            f"{self.kind}.caption",
            widths=list(dict.fromkeys(widths)),
            own=text.join_escaped(on_other_axes, 4),
            several=len(on_other_axes) > 1,
            n=len(self.values),
            k=len(names),
        )
        return caption + thinned(len(self.values), self.unit, len(names))

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """The results that are drawn."""
        return self.values if self.shown is None else self.values[list(self.shown)]

    @property
    def data(self) -> pd.DataFrame:
        """The results of all folds."""
        return self.values

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return self.describe(f"{self.kind}.how_to_read_{self.how}")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values = self.drawn
        numbers = Numbers.of(values, self.measure)
        head = figure_text(
            "fold_rows.alt",
            kind=capitalize_first(self.kind.removeprefix("fold_")),
            measure=text.short_name(self.measure, 60),
            k=values.shape[1],
            counted=format_count(len(values), self.unit),
            direction=DIRECTIONS[self.higher_is_better],
        )
        parts = []
        for name, column in values.astype(float).items():
            short = text.short_name(name, 48)
            mean = numbers.say(column.to_numpy().mean())
            parts.append(f"{short}: mean {mean}, range {numbers.span(column)}")
        return text.fit_alt_text(f"{head} ", parts, ". ", ".", head, more=", ")


@dataclass(frozen=True, slots=True)
class Numbers:
    """Number format of one table, such that a standard error keeps two digits."""

    places: int | None  # None: three significant digits
    unit: str

    @classmethod
    def of(cls, values: pd.DataFrame, measure: str) -> Numbers:
        """Return the number format for `values`, with percent as unit if `measure` is "%" or ends in "(%)"."""
        percent = measure.rstrip().endswith("(%)") or measure.strip() == "%"
        unit = "%" if percent else ""
        data = values.to_numpy(dtype=float)
        largest = float(np.abs(data).max())
        if largest and not 1e-3 <= largest < 1e9:
            return cls(None, unit)
        rounding_error = 1e-9 * largest
        spreads = [float(np.ptp(data))]
        if len(data) > 1:
            standard_errors = data.std(axis=0, ddof=1) / math.sqrt(len(data))
            positive = [float(error) for error in standard_errors if error > rounding_error]
            spreads = positive or spreads
        if max(spreads) <= rounding_error:
            value = data.flat[0]
            exact = (places for places in (2, 3) if math.isclose(round(value, places), value))
            return cls(next(exact, 4), unit)
        places = text.decimals_for(spreads)
        return cls(min(max(places, 1), 3) if percent else places, unit)

    def say(self, value: float) -> str:
        """Return a number without its unit, with U+2212 as minus sign."""
        if self.places is None:
            return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")
        size = f"{abs(value):,.{self.places}f}"
        negative = value < 0 and any(character in "123456789" for character in size)
        return f"\N{MINUS SIGN}{size}" if negative else size

    def full(self, value: float) -> str:
        """Return a number with its unit."""
        return self.say(value) + self.unit

    def span(self, values: np.ndarray) -> str:
        """Return the range of `values` as text."""
        return f"{self.say(float(values.min()))} to {self.say(float(values.max()))}"


def fill_and_edge(colour: str, style: Style) -> tuple[str, str]:
    """Return fill and edge: a light fill with a coloured edge, or greys in print without colour."""
    if style.colour:
        return theme.light_fill(colour, style), colour
    return colour, style.page if colour == style.ink else style.ink


def title_with_direction(
    measure: object, higher_is_better: bool | None, room: float, style: Style
) -> str:
    """Return a measure and its direction, escaped; if they do not fit, only the measure, shortened to `room` px."""
    title = text.plain_text(measure) + DIRECTIONS[higher_is_better]
    if text.text_width(title, style.size, style.serif) <= room:
        return text.escape(title)
    plain = text.plain_text(measure)
    return text.escape(text.shorten([plain], room, style.size, serif=style.serif)[plain])


class TraceAxes(TypedDict):
    """The axes of a trace, such as "x2" and "y2", as keyword arguments."""

    xaxis: str
    yaxis: str


@dataclass(frozen=True, slots=True)
class Place:
    """The row of one algorithm: its axes, its bins, and the y coordinate of its lower end."""

    algorithm: int
    bins: Bins
    x: str  # such as "x2"
    y: str
    bottom: float

    @property
    def on(self) -> TraceAxes:
        """The axes, as arguments of a trace."""
        return {"xaxis": self.x, "yaxis": self.y}


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows that share both axes: their algorithms, the x axis in `FoldRows.axes`, and the column."""

    rows: list[int]
    axis: int
    column: int
    is_last: bool = False  # in its column


@dataclass(slots=True, kw_only=True)
class RowsPlot:
    """Fold values, bins and styles of a figure in rows, and the figure drawn."""

    spec: FoldRows
    style: Style
    names: list[str]  # names, labels: algorithms and folds
    labels: list[str]
    values: np.ndarray  # folds by algorithms
    axes: list[tuple[list[int], Bins]]
    numbers: Numbers
    fills: list[str]  # colour per algorithm
    lit: np.ndarray  # folds at full opacity
    fig: go.Figure
    places: list[Place] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)  # range of every x axis
    # annotations, added together at the end
    notes: list[dict[str, Any]] = field(default_factory=list)
    width: float = 0  # of one column, in px

    @property
    def is_small(self) -> bool:
        """Whether print needs smaller text."""
        return self.style.printed and len(self.names) > MOST_HIGH

    @property
    def size(self) -> float:
        """Size of tick labels and names in px."""
        return (
            min(self.style.tick_size, 7 * theme.PX_PER_POINT)
            if self.is_small
            else self.style.tick_size
        )

    @property
    def means(self) -> list[float]:
        """The mean of every algorithm."""
        return self.values.mean(axis=0).tolist()

    def start(
        self,
        pitch: float,
        left: float,
        right: float,
        top: float,
        *,
        columns: int = 1,
        spans: Sequence[tuple[float, float]] = (),
    ) -> None:
        """Begin the figure with rows `pitch` px high, in columns with margins `left` and `right`.

        `spans` are the ranges of the x axes, by default those of the bins.
        """
        style = self.style
        panels = self._panels_in(columns)
        tick_labels = style.px(5, 4) + 1.35 * self.size
        title = 1.5 * style.size
        between = tick_labels + style.px(10, 6)  # panels of a column
        height = max(
            sum(len(panel.rows) * pitch + between for panel in panels if panel.column == column)
            - between
            for column in range(columns)
        )
        bottom = tick_labels + title
        margin = {"l": left, "r": right, "t": top, "b": bottom}
        self.fig = theme.new_figure(style, top + height + bottom, margin=margin, barmode="overlay")
        whole = style.width - left - right
        self.width = (whole - (columns - 1) * (left + right)) / columns
        self.spans = [
            spans[i] if spans else self._span(bins) for i, (_, bins) in enumerate(self.axes)
        ]
        title_room = self.width + 2 * (min(left, right) - style.px(6, 3))
        upper = height
        previous = panels[0]
        for position, panel in enumerate(panels):
            if panel.column != previous.column:
                upper = height
            previous = panel
            panel_height = len(panel.rows) * pitch
            lower = upper - panel_height
            start = panel.column * (self.width + left + right)
            number = "" if position == 0 else str(position + 1)
            x_axis = {
                "fixedrange": True,
                "anchor": f"y{number}",
                "domain": [max(start / whole, 0), min((start + self.width) / whole, 1)],
                **self._value_axis(panel, title_room),
            }
            y_axis = {
                "range": [0, upper - lower],
                "domain": [max(lower / height, 0), min(upper / height, 1)],
                "anchor": f"x{number}",
                "fixedrange": True,
                "showline": False,
                "ticks": "",
                "tickmode": "array",
                "tickvals": [],
                "ticktext": [],
                "tickfont": {"size": self.size},
            }
            self.fig.update_layout({f"xaxis{number}": x_axis, f"yaxis{number}": y_axis})
            bins = self.axes[panel.axis][1]
            for rows_below, algorithm in zip(
                range(len(panel.rows) - 1, -1, -1), panel.rows, strict=True
            ):
                self.places.append(
                    Place(algorithm, bins, f"x{number}", f"y{number}", rows_below * pitch)
                )
            upper = lower - between

    def _panels_in(self, columns: int) -> list[Panel]:
        """Return the panels, column by column, with as many rows in each column but the last."""
        per_column = math.ceil(len(self.names) / columns)
        algorithms = (
            (algorithm, axis)
            for axis, (members, _) in enumerate(self.axes)
            for algorithm in members
        )
        panels: list[Panel] = []
        for position, (algorithm, axis) in enumerate(algorithms):
            column = position // per_column
            if not panels or (panels[-1].axis, panels[-1].column) != (axis, column):
                panels.append(Panel(rows=[], axis=axis, column=column))
            panels[-1].rows.append(algorithm)
        lasts = {panel.column: panel for panel in panels}
        return [replace(panel, is_last=panel is lasts[panel.column]) for panel in panels]

    def _span(self, bins: Bins) -> tuple[float, float]:
        """Return the range of an axis with all bins, symmetric if zero is its middle."""
        low = float(bins.edges[0])
        high = float(bins.edges[-1])
        if self.spec.zero:
            high = max(abs(low), abs(high))
            low = -high
        pad = 6.5 * bins.width if bins.constant else 0.035 * (high - low)
        return low - pad, high + pad

    def _value_axis(self, panel: Panel, title_room: float) -> dict[str, Any]:
        """Return the properties of an axis of values, with a title below the last panel of a column."""
        spec = self.spec
        places = self.numbers.places
        members, bins = self.axes[panel.axis]
        low, high = self.spans[panel.axis]
        title = title_with_direction(spec.measure, spec.higher_is_better, title_room, self.style)
        options = {
            "range": [low, high],
            "title": {"text": title if panel.is_last else "", "standoff": 4},
            "tickangle": 0,
            "separatethousands": True,
            "exponentformat": "none" if places is not None else "power",
            "tickfont": {"size": self.size},
        }
        if bins.constant and len(self.labels) > 1:
            value = float(self.values[0, members[0]])
            value_text = self.numbers.say(value)
            return options | {"tickmode": "array", "tickvals": [value], "ticktext": [value_text]}
        ends = [_WIDEST_POWER]
        if places is not None:
            ends = [text.format_minus(end, bins.places) for end in (low, high)]
        with_a_digit_more = [f"{end}0" for end in ends]
        label_width = text.widest(with_a_digit_more, self.size, self.style.serif)
        step = self._tick_step(low, high, label_width)
        return options | {
            "tick0": 0,
            "dtick": step,
            "tickformat": None if places is None else step_format(step),
        }

    def _tick_step(self, low: float, high: float, label_width: float) -> float:
        """Return the distance of at least three ticks with labels `label_width` px wide."""
        reach = high - low
        width = self.width if self.style.printed else min(self.width, _NARROW)
        step = axis_parts.tick_step(reach, max(width / (label_width + self.size), 3))
        while math.floor(high / step) - math.ceil(low / step) < 2:
            step = axis_parts.tick_step(reach, 2.6 * reach / step)  # 2.5, but for rounding
        return step

    def spans_of(self, row: Place) -> tuple[float, float]:
        """Return the range of the x axis of a row."""
        low, high = self.fig.layout[f"xaxis{row.x[1:]}"].range
        return low, high

    def hovers(self, row: Place, folds: np.ndarray, in_bins: bool) -> list[str]:
        """Return the hover text of an algorithm's values in some folds, with their bins if `in_bins`."""
        values = self.values[:, row.algorithm]
        unit = self.spec.unit
        bins = row.bins
        words = [""] * len(folds)
        if in_bins and not bins.constant:
            index = bins.index(values)
            counts = np.bincount(index)
            words = [f"<br>bin {bins.name(int(i))}: {counts[i]}" for i in index[folds]]
        return [
            f"<b>{text.escape(self.names[row.algorithm])}, {unit} {text.escape(self.labels[i])}</b>: "
            f"{self.numbers.full(float(values[i]))}{in_bin}<br>{traces.click_hint('fold', noun=unit)}"
            for i, in_bin in zip(folds, words, strict=True)
        ]

    def draw_folds(
        self,
        row: Place,
        heights: np.ndarray,
        size: float,
        symbol: str,
        *,
        colour: str | None = None,
        edge: tuple[float, str],
    ) -> None:
        """Mark the values of an algorithm, of many folds some, at a height per fold."""
        values = self.values[:, row.algorithm]
        selected = () if self.lit.all() else np.flatnonzero(self.lit)
        drawn = traces.thin_marks(values, len(self.names), selected)
        for is_emphasised in (True, False):
            indices = drawn[self.lit[drawn] == is_emphasised]
            if len(indices):
                traces.add_points(
                    self.fig,
                    values[indices].tolist(),
                    heights[indices].tolist(),
                    "folds",
                    size,
                    symbol,
                    colour,
                    edge,
                    hover_text=self.hovers(row, indices, in_bins=symbol == "line-ns"),
                    customdata=[self.labels[i] for i in indices],
                    meta="fold",
                    opacity=1 if is_emphasised else FADED,
                    **row.on,
                )

    def panels(self) -> Iterator[list[Place]]:
        """Yield the rows of every pair of axes."""
        for x in dict.fromkeys(row.x for row in self.places):
            yield [row for row in self.places if row.x == x]

    def draw_means(self, height: float, size: float, symbol: str, fill: str) -> None:
        """Draw the mean of every algorithm, `height` px above the lower end of its row, unaffected by selection."""
        style, numbers = self.style, self.numbers
        for rows in self.panels():
            columns = [self.values[:, row.algorithm] for row in rows]
            means = [float(column.mean()) for column in columns]
            hovers = [
                f"<b>{text.escape(self.names[row.algorithm])}</b><br>mean {numbers.full(mean)}"
                f"<br>range {numbers.span(column)}"
                for row, mean, column in zip(rows, means, columns, strict=True)
            ]
            traces.add_points(
                self.fig,
                means,
                [row.bottom + height for row in rows],
                "means",
                size,
                symbol,
                fill,
                (style.px(0.8, 0.6), style.ink),
                hover_text=hovers,
                **rows[0].on,
            )

    def draw_zeros(self, below: float = 0) -> None:
        """Draw the line of zero across all rows, up to `below` px below the upper end."""
        for rows in self.panels():
            top = self.fig.layout[f"yaxis{rows[0].y[1:]}"].range[1] - below
            traces.add_line(
                self.fig,
                [0, 0],
                [0, top],
                self.spec.zero,
                self.style.ink,
                self.style.px(1.2, 0.8),
                dash="dot",
                **rows[0].on,
            )

    def short_names(self, room: float, pitch: float = 0) -> dict[str, str]:
        """Return names shortened to `room` px, on two lines if rows `pitch` px high allow it."""
        lines = 2 if pitch >= text.row_height(["\n"], self.size) else 1
        return text.shorten(self.names, room, self.size, serif=self.style.serif, lines=lines)

    def write(
        self,
        words: str,
        row: Place,
        at: tuple[float, float],
        *,
        anchor: str = "left, middle",
        shift: float | None = None,
        align: str | None = None,
        colour: str | None = None,
    ) -> None:
        """Store a text, in ink by default.

        `at` is a share of the width of the column, and a height in px above the lower end of the
        row. `anchor` applies to both, and `shift` is in px to the right.
        """
        x, y = at
        x_anchor, y_anchor = anchor.split(", ")
        self.notes.append(
            {
                "text": words,
                "font": {"size": self.size, "color": self.style.ink if colour is None else colour},
                "xref": f"{row.x} domain",
                "yref": row.y,
                "x": x,
                "y": row.bottom + y,
                "xanchor": x_anchor,
                "yanchor": y_anchor,
                "xshift": shift,
                "align": align,
            }
        )

    def finish(self, short: Mapping[str, str]) -> None:
        """Draw the stored texts, and make the algorithm names, shortened as in `short`, clickable."""
        self.fig.update_layout(annotations=self.notes)
        labels = [text.shortened_markup(short[name]) for name in self.names]
        traces.add_names(self.fig, self.names, labels, self.style)
