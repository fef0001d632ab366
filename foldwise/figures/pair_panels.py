"""Panels that compare two algorithms on one data set: histograms, curves, scatter plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import clouds, fold_rows, text, theme, traces
from foldwise.figures.axis_parts import AxisOptions, tick_axis, tick_step, ticks
from foldwise.figures.corner_inset import draw_inset, find_inset
from foldwise.figures.histogram_bins import Bins
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from foldwise.figures.traces import (
    SeriesStyle,
    algorithm_marker,
    draw_key,
    draw_line,
    key_height,
    series_styles,
)
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count

_MOST_PANELS, _MOST_COLUMNS = 12, 3
#: Largest number of lines of a note.
_MOST_LINES = 2
_THIN = 0.35  # opacity of the curves of single folds on the screen
_UNIT = (0.0, 1.0)

Ticks = tuple[list[float], list[str]]


class _Axis(AxisOptions, total=False):
    """Plotly properties of an axis of a panel, without its position."""

    tickangle: float
    title: dict[str, Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class Panel:
    """One panel of a comparison of two algorithms.

    Attributes
    ----------
    label : str
        The measure, such as ``"error"``, or the kind of plot, such as ``"ROC"``.
    note : str
        Result of the test, such as ``"p = 0.41, not significant"``.
    unit : str
        Source of one value per algorithm, such as "fold".
    """

    label: str
    note: str = ""
    unit: str = "fold"

    def axes(self, names: Sequence[str], grid: PanelGrid) -> tuple[_Axis, _Axis]:
        """Return the Plotly properties of x and y axis; subclasses define this."""
        raise NotImplementedError

    def draw(self, canvas: PanelPlace) -> None:
        """Draw the panel into its axes; subclasses define this."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramPanel(Panel):
    """Facing histograms of one measure over folds.

    Attributes
    ----------
    values : DataFrame
        Fold by algorithm, for the two algorithms of the pair. Undefined values are left out.
    """

    values: pd.DataFrame

    def defined(self, name: str) -> pd.Series:
        """Return the finite values of one algorithm."""
        labels = [str(label) for label in self.values.columns]
        column = self.values.set_axis(labels, axis=1)[name].astype(float)
        return column[np.isfinite(column)]

    def bins(self, names: Sequence[str]) -> Bins | None:
        """Return the bins shared by both algorithms, None without values."""
        columns = [self.defined(name).to_numpy() for name in names]
        columns = [column for column in columns if len(column)]
        return Bins.of(columns) if columns else None

    def counts(self, name: str, bins: Bins) -> np.ndarray:
        """Return the number of folds of an algorithm in every bin."""
        bin_of_value = bins.index(self.defined(name).to_numpy())
        return np.bincount(bin_of_value, minlength=len(bins.edges) - 1)

    def axes(self, names: Sequence[str], grid: PanelGrid) -> tuple[_Axis, _Axis]:
        """Return the axes of values and of fold counts; empty axes without values."""
        bins = self.bins(names)
        if bins is None:
            return grid.axis(_UNIT, ([], []), ""), grid.axis((-1, 1), ([], []), f"{self.unit}s")
        up, down = (int(self.counts(name, bins).max()) for name in names)
        room = 1.3 * grid.small + grid.style.px(16, 10)  # for a mean, above and below
        per_px = (up + down) / (grid.side - 2 * room)
        y = (-down - room * per_px, up + room * per_px)
        step = max(1, round(tick_step(2.2 * grid.small * per_px, 1)))
        counts = [i for i in range(-down, up + 1) if i % step == 0]
        y_ticks = ([float(i) for i in counts], [str(abs(i)) for i in counts])
        low, high = float(bins.edges[0]), float(bins.edges[-1])
        pad = 2.5 * bins.width if bins.constant else 0.05 * (high - low)
        x = (low - pad, high + pad)
        x_ticks = grid.fitting_ticks(x)
        if bins.constant:
            middle = (low + high) / 2
            x_ticks = ([middle], [f"{middle:.4g}".replace("-", "\N{MINUS SIGN}")])
        return grid.axis(x, x_ticks, self.label), grid.axis(y, y_ticks, f"{self.unit}s")

    def draw(self, canvas: PanelPlace) -> None:
        """Draw the bars, and a triangle at each mean; without values, the text "no values"."""
        fig, style, axes, names = canvas.fig, canvas.style, canvas.axes, list(canvas.styles)
        bins = self.bins(names)
        if bins is None:
            refs = f"{axes['xaxis']}, {axes['yaxis']}"
            traces.add_text(fig, "no values", 0.5, 0, refs=refs, name="empty")
            return
        both = pd.DataFrame({name: self.defined(name) for name in names}).dropna()
        if both.empty:
            both = pd.concat([self.defined(name) for name in names]).to_frame()
        numbers = fold_rows.Numbers.of(both, self.label)
        for (name, series), direction in zip(canvas.styles.items(), (1, -1), strict=True):
            counts = self.counts(name, bins)
            self._draw_bars(canvas, name, series, direction * counts, bins)
            self._draw_mean(canvas, name, direction, int(counts.max()), numbers)
        width = style.px(1, 0.7)
        traces.add_line(fig, list(canvas.x), [0, 0], "baseline", style.ink, width, **axes)

    def _draw_bars(
        self, canvas: PanelPlace, name: str, series: SeriesStyle, heights: np.ndarray, bins: Bins
    ) -> None:
        """Draw the bars of an algorithm; negative heights point down."""
        style, occupied = canvas.style, np.flatnonzero(heights).tolist()
        fill, edge = fold_rows.fill_and_edge(series.fill, style)
        title = f"<b>{text.escape(name)}</b><br>{text.escape(self.label)}"
        counted = [format_count(abs(int(heights[i])), self.unit) for i in occupied]
        canvas.fig.add_bar(
            x=[bins.middle(i) for i in occupied],
            y=[int(heights[i]) for i in occupied],
            width=bins.width,
            name=text.escape(name),
            marker={"color": fill, "line": {"width": style.px(0.7, 0.6), "color": edge}},
            hovertext=[
                f"{title} {bins.name(i)}: {count}"
                for i, count in zip(occupied, counted, strict=True)
            ],
            hoverinfo="text",
            **canvas.axes,
        )

    def _draw_mean(
        self,
        canvas: PanelPlace,
        name: str,
        direction: int,
        tallest: int,
        numbers: fold_rows.Numbers,
    ) -> None:
        """Draw a triangle at the mean, with its value, beyond the tallest bar; nothing without values."""
        values, style = self.defined(name), canvas.style
        if values.empty:
            return
        mean = float(values.mean())
        (left, right), (lowest, highest) = canvas.x, canvas.y
        room = (highest if direction > 0 else -lowest) - tallest
        share = (mean - left) / (right - left)
        above_or_below, symbol = ("top", "triangle-down")
        if direction < 0:
            above_or_below, symbol = ("bottom", "triangle-up")
        side = "right" if share < 0.2 else "left" if share > 0.8 else "center"
        traces.add_points(
            canvas.fig,
            [mean],
            [direction * (tallest + style.px(0.26, 0.3) * room)],
            "mean",
            style.px(8, 5.5),
            symbol,
            style.ink,
            edge=(0, style.ink),
            hover_text=[f"mean {numbers.full(mean)}"],
            mode="markers+text",
            text=[numbers.say(mean)],
            textposition=f"{above_or_below} {side}",
            textfont={"size": style.px(style.tick_size, 8.0), "color": style.ink},
            **canvas.axes,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class CurvePanel(Panel):
    """ROC or precision-recall curves of every fold, with their averages.

    Attributes
    ----------
    folds : mapping of algorithm to sequence of DataFrame
        Columns ``x`` and ``y`` per fold.
    averages : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``.
    x_title, y_title : str
        Titles of the axes.
    """

    folds: Mapping[str, Sequence[pd.DataFrame]]
    averages: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str

    def axes(self, names: Sequence[str], grid: PanelGrid) -> tuple[_Axis, _Axis]:
        """Return axes from 0 to 1."""
        numbers = ticks(0.0, 1.0, 5 if grid.plot > 140 else 2)
        return grid.axis(_UNIT, numbers, self.x_title), grid.axis(_UNIT, numbers, self.y_title)

    def draw(self, canvas: PanelPlace) -> None:
        """Draw fold curves thin (in print only without an average), averages thick, and a crowded corner enlarged."""
        fig, style, axes = canvas.fig, canvas.style, canvas.axes
        is_roc = self.label.strip().upper() == "ROC"
        if is_roc:
            width = style.px(1, 0.6)
            traces.add_line(
                fig, [0, 1], [0, 1], "diagonal", style.leader, width, dash="dot", **axes
            )
        for name, series in canvas.styles.items():
            folds = self.folds.get(name, ())
            has_average = self.averages.get(name) is not None
            if not len(folds) or (style.printed and has_average):
                continue
            x, y = _joined(folds)
            traces.add_line(
                fig,
                x,
                y,
                f"{text.escape(name)} folds",
                series.colour,
                style.px(0.8, 0.4),
                dash=series.dash,
                opacity=style.px(_THIN, 1.0),
                **axes,
            )
        average = f"average over {self.unit}s"
        canvas.draw_lines(self.averages, style.px(2.4, 1.1), description=average)
        averages = [self.averages[name].dropna() for name in canvas.styles if name in self.averages]
        curves = [
            table[["x", "y"]].sort_values("x", kind="stable").to_numpy(dtype=float)
            for table in averages
        ]
        small = replace(style, tick_size=canvas.small)
        inset = find_inset(curves, at_left=is_roc, side=canvas.side, style=small)
        if inset is not None:
            drawn = [trace for trace in fig.data if trace.xaxis == axes["xaxis"]]
            draw_inset(fig, inset, drawn, small, f"{axes['xaxis']}, {axes['yaxis']}")


@dataclass(frozen=True, kw_only=True, eq=False)
class ScatterPanel(Panel):
    """Scatter plot of folds on two measures, with an ellipse per algorithm.

    Attributes
    ----------
    points : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``, one row per fold, the index its label.
    ellipses : mapping of algorithm to DataFrame
        Columns ``x`` and ``y``: a closed line.
    x_title, y_title : str
        Titles of the axes.
    """

    points: Mapping[str, pd.DataFrame]
    ellipses: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    x_title: str
    y_title: str

    def axes(self, names: Sequence[str], grid: PanelGrid) -> tuple[_Axis, _Axis]:
        """Return axes that contain all points and ellipses."""
        tables = [*self.points.values(), *self.ellipses.values()]
        arrays = [table[["x", "y"]].to_numpy(dtype=float) for table in tables]
        points = np.concatenate([np.zeros((0, 2)), *arrays])
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            points = np.array([[0.0, 0.0], [1.0, 1.0]])
        low, high = points.min(axis=0), points.max(axis=0)
        pad_of_point = 0.05 * np.maximum(np.abs(high), 1e-3)
        pad = np.where(high > low, 0.07 * (high - low), pad_of_point)
        x, y = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
        y_ticks = ticks(*y, 5 if grid.side > 140 else 3)
        x_axis = grid.axis(x, grid.fitting_ticks(x), self.x_title)
        return x_axis, grid.axis(y, y_ticks, self.y_title)

    def draw(self, canvas: PanelPlace) -> None:
        """Draw the folds of both algorithms as marks, with their ellipses."""
        style = canvas.style
        canvas.draw_lines(self.ellipses, style.px(1.6, 0.8), " ellipse")
        x_title, y_title = text.escape(self.x_title), text.escape(self.y_title)
        for name, series in canvas.styles.items():
            if (table := self.points.get(name)) is None:
                continue
            table = table.astype({"x": float, "y": float})
            table = table[np.isfinite(table[["x", "y"]]).all(axis=1)]
            canvas.fig.add_scatter(
                x=table["x"].tolist(),
                y=table["y"].tolist(),
                mode="markers",
                name=text.escape(name),
                customdata=[str(label) for label in table.index],
                hovertext=[
                    f"<b>{text.escape(name)}, {self.unit} {text.escape(label)}</b><br>"
                    f"{x_title} {x:.4g}, {y_title} {y:.4g}"
                    for label, x, y in zip(table.index, table["x"], table["y"], strict=True)
                ],
                hoverinfo="text",
                marker=algorithm_marker(series, style.px(8, 4.5), style),
                unselected={"marker": {"opacity": 1}},
                cliponaxis=False,
                **canvas.axes,
            )


def gaussian_contours(points: pd.DataFrame, measures: Sequence[str]) -> pd.DataFrame | None:
    """Return contours of a fitted Gaussian, cut at limits of the measures; None for fewer than three or equal points.

    Examples
    --------
    >>> gaussian_contours(pd.DataFrame({"x": [0.0, 0, 0], "y": [1.0, 1, 1]}), ["fpr", "tpr"])
    >>> gaussian_contours(pd.DataFrame({"x": [0.0], "y": [1.0]}), ["fpr", "tpr"])
    """
    if len(points) < 3:
        return None
    spread = np.cov(points.to_numpy().T)
    if np.linalg.eigvalsh(spread)[-1] <= 0:
        return None
    mean = points.mean().to_numpy()
    lowest, highest = clouds.limits(measures)
    separator = np.full((1, 2), np.nan)
    parts: list[np.ndarray] = []
    for level in clouds.LEVELS:
        ring = traces.ellipse(mean, spread, traces.gaussian_radius(level))
        for piece in traces.cut_ring(ring, lowest, highest):
            parts += [piece, separator]
    return pd.DataFrame(np.concatenate(parts), columns=["x", "y"])


def _joined(tables: Sequence[pd.DataFrame]) -> tuple[list[float | None], list[float | None]]:
    """Return several polylines as one, with None as gaps."""
    separator = np.full((1, 2), np.nan)
    parts: list[np.ndarray] = []
    for table in tables:
        parts += [table[["x", "y"]].to_numpy(dtype=float), separator]
    points = np.concatenate(parts[:-1])
    points[~np.isfinite(points).all(axis=1)] = np.nan
    return traces.with_gaps(points[:, 0]), traces.with_gaps(points[:, 1])


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelPlace:
    """Subplot of one panel: figure, axes, and styles of both algorithms."""

    fig: go.Figure
    style: Style
    styles: Mapping[str, SeriesStyle]
    axes: traces.Axes
    x: tuple[float, float]
    y: tuple[float, float]
    side: float  # of the plot, and size of small text, in px
    small: float

    def draw_lines(
        self,
        tables: Mapping[str, pd.DataFrame],
        width: float,
        suffix: str = "",
        description: str | None = None,
    ) -> None:
        """Draw one line per algorithm that has a table."""
        for name, series in self.styles.items():
            table = tables.get(name)
            if table is None:
                continue
            x, y = _joined([table])
            label = text.escape(name)
            hover = description and f"<b>{label}</b><br>{description}"
            draw_line(
                self.fig,
                x,
                y,
                series,
                self.style,
                width=width,
                name=f"{label}{suffix}",
                hover_text=hover,
                **self.axes,
            )


class PanelGrid:
    """Sizes in px and shortened texts of all panels."""

    def __init__(self, spec: PairPanels, style: Style, numbers: float = 0.0) -> None:
        """Compute all sizes; `numbers` is the width in px of the widest tick label of a y axis."""
        panels, self.style = spec.panels, style
        column = style.printed and style.width < 480
        # size, small: of text: titles; numbers and notes
        self.size = size = 9.33 if column else style.size
        self.small = small = 8.0 if column else style.px(style.tick_size, 9.33)
        fitting = int(style.width / style.px(240, 150))
        self.columns = min(len(panels), max(fitting, 1), _MOST_COLUMNS)
        numbers = max(2.6 * small, numbers)
        left = numbers + 0.7 * small + 1.3 * size
        pad = max(style.px(10, 6), numbers / 2)  # half a number at the right
        self.spacing = left + pad  # between plots
        # plot, side: width and height of the plot of one panel
        self.plot = (style.width - self.columns * self.spacing) / self.columns
        self.side = min(self.plot, style.px(260, 190))
        cell = self.plot + 0.6 * left
        self.notes = [self._wrapped(panel.note, cell) for panel in panels]
        titles = [
            f"({letter}) {text.plain_text(p.label)}"
            for letter, p in zip(ascii_lowercase, panels, strict=False)
        ]
        short = text.shorten(titles, cell, size, serif=style.serif, bold=True)
        self.titles = [short[title] for title in titles]
        self.key = text.shorten(
            [spec.first, spec.second], 0.36 * style.width, style.size, serif=style.serif
        )
        legend = key_height(list(self.key.values()), style.width - left, style) + style.px(6, 4)
        foot = style.px(4, 3) + 1.4 * small + 1.9 * size
        # heads, tops: per row of panels: room above the plots, and top of the plots, from the
        # upper edge of the first
        self.heads = []
        for start in range(0, len(panels), self.columns):
            n_lines = max(len(note) for note in self.notes[start : start + self.columns])
            self.heads.append(1.5 * size + 1.3 * small * n_lines + style.px(8, 4))
        self.tops = [
            row * (self.side + foot) + sum(self.heads[1 : row + 1])
            for row in range(len(self.heads))
        ]
        self.margin = {"l": left, "r": pad, "t": legend + self.heads[0], "b": foot}
        self.height = legend + self.heads[0] + self.tops[-1] + self.side + foot

    def _wrapped(self, note: str, room: float) -> list[str]:
        """Return a note wrapped into at most `_MOST_LINES` lines of at most `room` px, shortened if needed."""
        size, serif = self.small, self.style.serif
        return text.wrap_text(
            note,
            room,
            wide=lambda line: text.text_width(line, size, serif),
            cut=lambda line: text.shorten([line], room, size, serif=serif)[line],
            most=_MOST_LINES,
        )

    def axis(self, span: Sequence[float], numbers: Ticks, title: str) -> _Axis:
        """Return Plotly axis properties with range, ticks and title."""
        positions, labels = numbers
        return {
            **tick_axis(positions, labels, list(span)),
            "tickangle": 0,
            "tickfont": {"size": self.small},
            "title": {"text": text.escape(title), "standoff": 3, "font": {"size": self.size}},
        }

    def fitting_ticks(self, span: tuple[float, float]) -> Ticks:
        """Return as many ticks as fit below a panel, with labels."""
        for most in (5, 4, 3, 2, 1):
            positions, labels = ticks(*span, most)
            widths = [text.text_width(label, self.small, self.style.serif) for label in labels]
            if sum(widths) + 0.9 * self.small * len(labels) <= self.plot:
                return positions, labels
        return positions[:1], labels[:1]


class _TextPosition(TypedDict):
    refs: str
    anchor: str
    shift: tuple[float, float]
    align: str


def _above_plot(right: float, up: float) -> _TextPosition:
    """Return the position of a text whose upper left corner is moved from that of a plot."""
    return {"refs": "paper, paper", "anchor": "left, top", "shift": (right, up), "align": "left"}


@dataclass(frozen=True, kw_only=True, eq=False)
class PairPanels(FigureSpec):
    """Panels of a pair of algorithms side by side, with a common legend.

    Attributes
    ----------
    panels : sequence of Panel
        One to twelve panels, lettered (a), (b) and so on; at most three per row.
    first, second : str
        The two algorithms.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.

    Raises
    ------
    SettingError
        If there is no panel or more than twelve, or if `first` equals `second`.
    """

    panels: Sequence[Panel]
    first: str
    second: str
    colours: Mapping[str, str] | None = None
    symbols_of: Mapping[str, str] | None = None
    how_to_read: str = figure_text("pair_panels.how_to_read")

    def __post_init__(self) -> None:
        count = len(self.panels)
        if not 1 <= count <= _MOST_PANELS:
            raise SettingError(figure_text("pair_panels.wrong_number", most=_MOST_PANELS, n=count))
        if self.first == self.second:
            raise SettingError(figure_text("pair_panels.same_algorithm", name=self.first))

    @property
    def data(self) -> pd.DataFrame:
        """Values drawn in histograms, else the points of scatter plots; empty without either."""
        histograms = [panel for panel in self.panels if isinstance(panel, HistogramPanel)]
        tables = {panel.label: panel.values for panel in histograms}
        if not tables:
            points = [panel.points for panel in self.panels if isinstance(panel, ScatterPanel)]
            tables = {name: table for each in points for name, table in each.items()}
        return pd.concat(tables, axis=1) if tables else pd.DataFrame()

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names = (self.first, self.second)
        styles = series_styles(names, style, self.colours, self.symbols_of)
        grid = PanelGrid(self, style)
        y_axes = [panel.axes(names, grid)[1] for panel in self.panels]
        labels = [label for axis in y_axes for label in axis["ticktext"]]
        widest = text.widest(labels, grid.small, style.serif)
        grid = PanelGrid(self, style, widest)
        fig = theme.new_figure(style, grid.height, margin=grid.margin, barmode="overlay", bargap=0)
        axes = [panel.axes(names, grid) for panel in self.panels]
        for index, (x_axis, y_axis) in enumerate(axes):
            self._frame(fig, grid, index, x_axis, y_axis)
        for index, (panel, (x_axis, y_axis)) in enumerate(zip(self.panels, axes, strict=True)):
            number = str(index + 1) if index else ""
            low_x, high_x = x_axis["range"]
            low_y, high_y = y_axis["range"]
            canvas = PanelPlace(
                fig=fig,
                style=style,
                styles=styles,
                axes={"xaxis": f"x{number}", "yaxis": f"y{number}"},
                x=(low_x, high_x),
                y=(low_y, high_y),
                side=min(grid.side, grid.plot),
                small=grid.small,
            )
            panel.draw(canvas)
        draw_key(fig, grid.key, styles, style)
        # Aligned with the titles.
        return fig.update_layout(legend={"xref": "container", "x": 0.01})

    def _frame(
        self, fig: go.Figure, grid: PanelGrid, index: int, x_axis: _Axis, y_axis: _Axis
    ) -> None:
        """Configure the axes of a panel, and write its title and note above."""
        style, columns = grid.style, grid.columns
        width = columns * grid.plot + (columns - 1) * grid.spacing
        height = grid.tops[-1] + grid.side
        row, column = divmod(index, columns)
        left = column * (grid.plot + grid.spacing)
        right = left + grid.plot
        top = height - grid.tops[row]
        bottom = top - grid.side
        number = str(index + 1) if index else ""
        x_domain = [left / width, min(right / width, 1.0)]
        y_domain = [max(bottom / height, 0.0), min(top / height, 1.0)]
        placed_x: dict[str, Any] = {**x_axis, "domain": x_domain, "anchor": f"y{number}"}
        placed_y: dict[str, Any] = {**y_axis, "domain": y_domain, "anchor": f"x{number}"}
        if isinstance(self.panels[index], CurvePanel):  # both axes have the same scale
            placed_x |= {"constrain": "domain", "constraintoward": "left"}
            placed_y |= {"constrain": "domain", "scaleanchor": f"x{number}", "scaleratio": 1}
        fig.update_layout({f"xaxis{number}": placed_x, f"yaxis{number}": placed_y})
        x, y, indent = left / width, top / height, -0.6 * grid.spacing
        if lines := grid.notes[index]:
            note = "<br>".join(text.escape(line) for line in lines)
            note_position = _above_plot(indent, grid.heads[row] - 1.5 * grid.size - style.px(2, 1))
            traces.add_text(fig, note, x, y, grid.small, style.second, name="note", **note_position)
        title = f"<b>{text.escape(grid.titles[index])}</b>"
        title_position = _above_plot(indent, grid.heads[row] - style.px(2, 1))
        traces.add_text(fig, title, x, y, grid.size, style.ink, name="title", **title_position)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        histograms = [panel for panel in self.panels if isinstance(panel, HistogramPanel)]
        curves = [panel for panel in self.panels if isinstance(panel, CurvePanel)]
        scatters = [panel for panel in self.panels if isinstance(panel, ScatterPanel)]
        lengths = [len(panel.values) for panel in histograms if panel.values is not None]
        ellipses = [table for panel in scatters for table in panel.ellipses.values()]
        caption = self.describe(
            "pair_panels.caption",
            unit=self.panels[0].unit,
            n=max(lengths, default=0),
            histograms=histograms,
            curves=curves,
            inset=bool(curves) and self._has_inset(style),
            averages=any(len(panel.folds[self.first]) > 1 for panel in curves),
            points=scatters,
            several=scatters and (scatters[0].ellipses or len(scatters[0].points[self.first]) > 1),
            ellipses=bool(ellipses),
            cut=any(table.isin([0.0, 1.0]).any(axis=None) for table in ellipses),
        )
        return caption.strip()

    def _has_inset(self, style: Style) -> bool:
        return any(trace.meta == "inset" for trace in self.figure(style).data)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> panel = HistogramPanel(label="error", values=None, note="p = 0.41, not significant")
        >>> PairPanels(panels=[panel], first="knn", second="mdt").alt
        'knn and mdt, 1 panel: (a) error, p = 0.41, not significant.'
        """
        a, b = (text.short_name(name, 60) for name in (self.first, self.second))
        parts = []
        for letter, panel in zip(ascii_lowercase, self.panels, strict=False):
            label, note = text.plain_text(panel.label), text.plain_text(panel.note)
            parts.append(f"({letter}) {label}, {note}" if note else f"({letter}) {label}")
        head = figure_text("pair_panels.alt", first=a, second=b, n=len(parts))
        return text.fit_alt_text(head, parts, ". ", ".", f"{head}{parts[0]}")


@cached_figure(at_every_level=True)
def scores_drawing(comparison: CasesComparison, colours: Colours = None) -> PairPanels | None:
    """Return histograms of the scores of two models on one test set, by class; None without scores."""
    table, names = comparison.scored, comparison.names
    values = table.value
    everything = np.ones(0 if values is None else values.shape[1], dtype=bool)
    classes = {comparison.measure_name: everything}
    if table.score is not None and table.positive is not None:
        values = table.score
        classes = {
            "score, positive class": table.positive,
            "score, negative class": ~table.positive,
        }
    if values is None:
        return None
    names_of_models = list(table.names)
    tables = {
        label: pd.DataFrame(
            values[:, rows].reshape(-1, len(names_of_models)), columns=names_of_models
        )
        for label, rows in classes.items()
    }
    return PairPanels(
        name=f"scores_{comparison.dataset}",
        title=figure_text("pair_panels.title_scores", dataset=comparison.dataset_label),
        panels=[
            HistogramPanel(label=label, values=scores, unit="instance")
            for label, scores in tables.items()
        ],
        first=names[0],
        second=names[1],
        colours=colours,
        how_to_read=figure_text("pair_panels.how_to_read_scores", classes=len(tables) > 1).strip(),
    )
