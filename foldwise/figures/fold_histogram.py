"""Histograms of results over folds, one unit cell per fold, with common bins."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import clouds, text, theme, traces
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, colors_of, figure_text, fold_labels
from foldwise.figures.theme import FADED, GREY, Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures
from stats_core.core.formatting import capitalize_first, format_count
from stats_core.inference.multivariate.learned_measures import LearnedMeasures

Form = Literal["automatic", "facing", "rows", "overlaid"]
#: With more algorithms rows of ticks replace the bricks.
MOST_ROWS = 8
#: With more folds each bin is one ordinary bar.
_MOST_BRICKS = 60
#: With more folds the links are thinner and fainter.
_MOST_PLAIN = 30
#: With more algorithms print uses text of seven points.
_MOST_LARGE = 12
_MOST_BINS = 14
_STEPS = (1.0, 2.0, 2.5, 5.0)
_CLEAR, _GREY_FILL = "rgba(0,0,0,0)", "#BDBDBD"
#: Ratio of the length of a line-ns marker to its size.
_LINE_FACTOR = 1.4
#: Width in px of a plot on a phone, in which tick labels must still fit.
_NARROW = 200.0
_DIRECTIONS = {None: "", True: ", higher is better", False: ", lower is better"}


def _step_format(step: float) -> str:
    """Return Plotly's number format with the decimals that a tick distance needs.

    Examples
    --------
    >>> _step_format(0.025), _step_format(0.5), _step_format(2000.0)
    (',.3f', ',.1f', ',.0f')
    """
    n_decimals = next((decimals for decimals in range(12) if math.isclose(round(step, decimals), step)), 12)
    return f",.{n_decimals}f"


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldHistogram(FigureSpec):
    """Histograms of results over folds, in bins shared by all algorithms.

    The ``customdata`` of a box (one fold) or tick is the label of its fold. With more than 60 folds,
    or if boxes would be too flat, bins are ordinary bars without customdata. Triangles mark the means.

    Attributes
    ----------
    values : DataFrame
        One row per fold, the index its label such as ``"7"`` or ``"2.7"``; one column per
        algorithm, best first. No missing results.
    measure : str
        Name of the measure, for the axis. ``"... (%)"`` marks values as percentages.
    higher_is_better : bool, optional
        Direction of the measure; it decides which links are solid. None for values without a
        direction, such as residuals.
    form : {"automatic", "facing", "rows", "overlaid"}
        Facing and overlaid are for two algorithms, otherwise rows are drawn; automatic is
        facing for two. More than eight algorithms are always drawn as rows of ticks.
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
    how : str
        Key of how to read the figure.
    """

    values: pd.DataFrame
    measure: str
    higher_is_better: bool | None = None
    form: Form = "automatic"
    colours: Colours = None
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    lit: Collection[str] = ()
    selected: Collection[str] = ()
    unit: str = "fold"
    shown: Sequence[str] | None = None
    how: str = "folds"

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; raise ValueError without values or with non-finite values."""
        draw = {"facing": _draw_facing, "rows": _draw_rows, "overlaid": _draw_overlaid, "strips": _draw_strips}
        plot = self.plot(style)
        draw[self.drawn_form](plot)
        return plot.fig

    def plot(self, style: Style) -> HistogramPlot:
        """Return values, bins and styles with an empty figure, for drawing."""
        values = self.drawn
        data = values.to_numpy(dtype=float)
        if not data.size or not np.isfinite(data).all():
            raise ValueError(figure_text("fold_histogram.no_values"))
        labels = list(map(str, values.index))
        is_selected = np.isin(np.array(labels, dtype=object), list(self.selected))
        return HistogramPlot(
            spec=self,
            style=style,
            names=list(map(str, values.columns)),
            labels=labels,
            values=data,
            bins=Bins.of(data),
            numbers=Numbers.of(values, self.measure),
            fills=self._fills(style),
            lit=is_selected if is_selected.any() else np.ones(len(labels), dtype=bool),
            fig=go.Figure(),
        )

    def _fills(self, style: Style) -> list[str]:
        """Return the fill of every algorithm: its colour, or a grey in print without colour."""
        if style.printed and not style.colour:
            pairs = {"facing": ["#000000", "#FFFFFF"], "overlaid": [_GREY_FILL, _CLEAR]}
            return pairs.get(self.drawn_form, [_GREY_FILL] * self.drawn.shape[1])
        palette = colors_of(self.colours, self.algorithms or list(self.values), self.highlight, style)
        if self.lit and not style.printed:
            palette |= {name: style.hairline for name in self.values if name not in self.lit}
        return [palette.get(name, GREY) for name in map(str, self.drawn.columns)]

    def caption(self, style: Style) -> str:
        """Return the caption.

        Examples
        --------
        >>> values = pd.DataFrame({"rf": [0.90, 0.95, 1.0]})
        >>> FoldHistogram(values=values, measure="accuracy").caption(theme.screen())
        'One box per fold, in bins of 0.01. Triangles: means.'
        """
        values, form = self.drawn, self.drawn_form
        bins, joined = Bins.of(values.to_numpy(dtype=float)), {}
        points = " points" if Numbers.of(values, self.measure).unit else ""
        if form == "facing":
            ties = (values.iloc[:, 0].to_numpy() == values.iloc[:, 1].to_numpy()).any()
            joined = {**dict(zip(("first", "second"), map(text.plain_text, values.columns), strict=True)), "ties": ties}
        return figure_text(
            "fold_histogram.caption",
            form=form,
            unit=self.unit,
            n=len(values),
            bars=form != "strips" and self._has_bars(style),
            width="" if bins.constant else text.format_minus(bins.width, bins.places) + points,
            **{"first": "", **joined},
        )

    def _has_bars(self, style: Style) -> bool:
        """Return whether bins are drawn as bars instead of one cell per fold."""
        if len(self.values) > _MOST_BRICKS:
            return True
        return all(trace.customdata is None for trace in self.figure(style).select_traces({"type": "bar"}))

    @property
    def drawn(self) -> pd.DataFrame:
        """Results of the algorithms that are drawn."""
        return self.values if self.shown is None else self.values[list(self.shown)]

    @property
    def drawn_form(self) -> Literal["facing", "rows", "overlaid", "strips"]:
        """Form of the histogram, resolved from "automatic"."""
        if self.form not in ("automatic", "facing", "rows", "overlaid"):
            raise ValueError(figure_text("fold_histogram.unknown_form", form=self.form))
        k = self.drawn.shape[1]
        if k > MOST_ROWS:
            return "strips"
        if k != 2 or self.form == "rows":
            return "rows"
        return "overlaid" if self.form == "overlaid" else "facing"

    @property
    def data(self) -> pd.DataFrame:
        """The results of all folds."""
        return self.values

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return figure_text(f"fold_histogram.how_to_read_{self.how}", unit=self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values = self.drawn
        numbers = Numbers.of(values, self.measure)
        head = figure_text(
            "fold_histogram.alt",
            measure=text.truncate_text(text.plain_text(self.measure), 60),
            k=values.shape[1],
            counted=format_count(len(values), self.unit),
            direction=_DIRECTIONS[self.higher_is_better],
        )
        parts = []
        for name, column in values.astype(float).items():
            short = text.truncate_text(text.plain_text(name), 48)
            parts.append(f"{short}: mean {numbers.say(column.to_numpy().mean())}, range {numbers.span(column)}")
        return text.fit_alt_text(f"{head} ", parts, ". ", ".", head, more=", ")


def brick_names(analysis: OnFolds, highlight: Collection[str] = ()) -> list[str]:
    """Return the algorithms to draw: all, or the highlighted or best ones."""
    if analysis.shape.two:
        return [analysis.first, analysis.second]
    names = list(analysis.means.index)
    if len(names) <= MOST_ROWS:
        return names
    return [name for name in names if name in highlight] or names[:MOST_ROWS]


@cached_figure(at_every_level=True)
def bricks_drawing(analysis: OnFolds, *, highlight: Collection[str] = (), **styling: Any) -> FoldHistogram:
    """Return the histograms of results over folds."""
    measure = analysis.settings.measure
    return FoldHistogram(
        name=f"folds_{analysis.dataset}_{measure}",
        title=figure_text(
            "fold_histogram.title", measure=capitalize_first(measure), unit=analysis.unit, dataset=analysis.dataset
        ),
        values=fold_labels(analysis.matrix[brick_names(analysis, highlight)]),
        measure=measure,
        higher_is_better=analysis.higher_is_better,
        algorithms=analysis.results.algorithms,
        highlight=highlight,
        unit=analysis.unit,
        **styling,
    )


@cached_figure(at_every_level=True)
def spread_drawing(analysis: FoldsComparison, *, colours: Colours = None) -> FoldHistogram:
    """Return the histograms of residuals of the analysis of variance."""
    measure = analysis.settings.measure
    return FoldHistogram(
        name=f"residuals_{analysis.dataset}_{measure}",
        title=figure_text("fold_histogram.title_residuals", dataset=analysis.dataset),
        values=fold_labels(analysis.anova.residuals),
        measure=f"residual of {measure}",
        form="rows",
        colours=colours,
        shown=analysis.means.index[:MOST_ROWS],
        unit=analysis.unit,
        how="residuals",
    )


@cached_figure(at_every_level=True)
def first_drawing(
    analysis: OnMeasures, model: LearnedMeasures, *, measure: str, colours: Colours = None
) -> FoldHistogram:
    """Return the histograms of folds on the first learned measure."""
    values = pd.DataFrame({name: table["M1"] for name, table in clouds.learned_folds(analysis, model).items()})
    return FoldHistogram(
        name=f"m1_{analysis.dataset}",
        title=figure_text("fold_histogram.title", measure="M1", unit=analysis.unit, dataset=analysis.dataset),
        values=values,
        measure=measure,
        form="rows",
        colours=colours,
        unit=analysis.unit,
        shown=values.mean().sort_values(kind="stable").index[:MOST_ROWS],
    )


@cached_figure(at_every_level=True)
def projected_drawing(analysis: PairOnMeasures) -> FoldHistogram:
    """Return the histogram of differences projected on the discriminant direction."""
    return FoldHistogram(
        name=f"projected_{analysis.dataset}",
        title=f"Projected differences on {analysis.dataset}",
        values=fold_labels(analysis.projected).rename("difference").to_frame(),
        measure=f"{analysis.first} \N{MINUS SIGN} {analysis.second}, projected",
        form="rows",
        colours={"difference": GREY},
        unit=analysis.unit,
    )


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of equal width, with edges at multiples of the width; closed below, open above.

    If the largest value is 1, the last bin is also closed above, since shares cannot exceed 1.
    """

    edges: np.ndarray  # ascending, rounded to `places` decimals
    width: float  # of one bin
    places: int  # number of decimals of an edge
    # whether all values are equal; there is then one bin, centred at the value
    constant: bool = False

    @classmethod
    def of(cls, values: np.ndarray) -> Bins:
        """Return the narrowest bins such that at most 14 cover all values.

        The width is the smallest of 1, 2, 2.5 and 5 times a power of ten. A value on an edge
        belongs to the bin above it, regardless of rounding errors.

        Examples
        --------
        >>> Bins.of(np.array([0.1, 0.3, 1.1])).edges
        array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. , 1.1, 1.2])
        >>> Bins.of(np.array([0.55, 0.9, 1.0])).edges
        array([0.55, 0.6 , 0.65, 0.7 , 0.75, 0.8 , 0.85, 0.9 , 0.95, 1.  ])
        """
        low, high = float(np.min(values)), float(np.max(values))
        size = max(abs(low), abs(high))
        if high - low <= 1e-12 * size:
            width = 0.1 * size or 0.1
            edges = np.array([low - width / 2, low + width / 2])
            return cls(edges, width, max(0, 1 - math.floor(math.log10(width))), True)
        for width, places in _widths(math.floor(math.log10((high - low) / _MOST_BINS)) - 1):
            first, last = _multiple(np.array([low, high]), width)
            if last - first < _MOST_BINS:
                last_edge = last if low >= 0 and high == 1 else last + 1
                return cls(np.round(np.arange(first, last_edge + 1) * width, places), width, places)
        raise AssertionError  # the widths have no end

    def index(self, values: np.ndarray) -> np.ndarray:
        """Return the bin index of every value."""
        if self.constant:
            return np.zeros(len(values), dtype=int)
        first = round(self.edges[0] / self.width)
        return np.clip(_multiple(values, self.width) - first, 0, len(self.edges) - 2)

    def middle(self, index: int) -> float:
        """Return the middle of a bin."""
        return float(self.edges[index] + self.edges[index + 1]) / 2

    def name(self, index: int) -> str:
        """Return the range of a bin as text."""
        low, high = (text.format_minus(float(self.edges[index + i]), self.places) for i in (0, 1))
        return f"{low} to {high}" if self.edges[index] < 0 else f"{low}\N{EN DASH}{high}"


def _widths(power: int) -> Iterator[tuple[float, int]]:
    """Yield bin widths 1, 2, 2.5, 5 times powers of ten, from `power` on, with their decimals."""
    while True:
        for step in _STEPS:
            yield float(f"{step}e{power}"), max(0, (step == 2.5) - power)
        power += 1


def _multiple(values: np.ndarray, width: float) -> np.ndarray:
    """Return floor(values / width), with tolerance for rounding errors."""
    quotient = np.asarray(values, dtype=float) / width
    nearest = np.round(quotient)
    slack = 1e-9 + 8 * np.finfo(float).eps * np.abs(quotient)
    near = np.abs(quotient - nearest) <= slack
    return np.where(near, nearest, np.floor(quotient)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Number format for one table; standard errors keep two digits."""

    places: int | None  # None: three significant digits
    unit: str

    @classmethod
    def of(cls, values: pd.DataFrame, measure: str) -> Numbers:
        """Return the number format for some values."""
        percent = measure.rstrip().endswith("(%)") or measure.strip() == "%"
        unit = "%" if percent else ""
        data = values.to_numpy(dtype=float)
        size = float(np.abs(data).max())
        if size and not 1e-3 <= size < 1e9:
            return cls(None, unit)
        spread = [float(np.ptp(data))]
        if len(data) > 1:
            errors = data.std(axis=0, ddof=1) / math.sqrt(len(data))
            spread = [float(error) for error in errors if error > 1e-9 * size] or spread
        if max(spread) <= 1e-9 * size:
            fitting = (decimals for decimals in (2, 3) if math.isclose(round(data.flat[0], decimals), data.flat[0]))
            return cls(next(fitting, 4), unit)
        places = text.decimals_for(spread)
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
    """Return fill and edge colour of cells: pale fill with coloured edge, or greys in print."""
    if style.colour:
        return theme.light_fill(colour, style), colour
    return colour, style.page if colour == style.ink else style.ink


def title_with_direction(measure: object, higher_is_better: bool | None, room: float, style: Style) -> str:
    """Return the escaped axis title: measure with direction, the latter omitted if it does not fit."""
    title = text.plain_text(measure) + _DIRECTIONS[higher_is_better]
    if text.text_width(title, style.size, style.serif) <= room:
        return text.escape(title)
    plain = text.plain_text(measure)
    return text.escape(text.shorten([plain], room, style.size, serif=style.serif)[plain])


@dataclass(slots=True, kw_only=True)
class HistogramPlot:
    """Values, bins, styles and figure of a histogram in drawing."""

    spec: FoldHistogram
    style: Style
    names: list[str]  # names, labels: algorithms and folds
    labels: list[str]
    values: np.ndarray  # folds by algorithms
    bins: Bins
    numbers: Numbers
    fills: list[str]  # colour per algorithm
    lit: np.ndarray  # folds at full opacity
    fig: go.Figure

    @property
    def binned(self) -> bool:
        """Whether values are drawn in bins."""
        return self.spec.drawn_form != "strips"

    @property
    def means(self) -> list[float]:
        """Mean of each algorithm."""
        return self.values.mean(axis=0).tolist()

    @property
    def right_margin(self) -> float:
        """Right margin in px that holds half of the widest tick label."""
        return max(self.style.px(12, 8), self._tick_width() / 2)

    @property
    def bottom_margin(self) -> float:
        """Bottom margin in px for the axis labels."""
        return self.style.px(4, 3) + 1.3 * self.style.tick_size + 1.6 * self.style.size

    def tallest(self) -> list[int]:
        """Return the largest bin count of each algorithm."""
        return [int(np.bincount(self.bins.index(column)).max()) for column in self.values.T]

    def start(self, height: float, left: float, right: float, top: float, size: float) -> float:
        """Start the figure with a plot of `height` px; return the plot's width in px."""
        style = self.style
        margin = {"l": left, "r": right, "t": top, "b": self.bottom_margin}
        self.fig = theme.new_figure(style, top + height + margin["b"], margin=margin, barmode="overlay")
        plot = style.width - left - right
        self._value_axis(plot, plot + 2 * (min(left, right) - style.px(6, 3)))
        heights = {"range": [0, height], "showline": False, "ticks": "", "tickmode": "array", "fixedrange": True}
        self.fig.update_yaxes(ticklabelstandoff=4, tickfont={"size": size}, **heights)
        return plot

    def _value_axis(self, plot: float, title_room: float) -> None:
        """Configure the value axis, with ticks at bin edges."""
        bins, places, spec = self.bins, self.numbers.places, self.spec
        low, high = float(bins.edges[0]), float(bins.edges[-1])
        pad = 6.5 * bins.width if bins.constant else 0.035 * (high - low)
        title = title_with_direction(spec.measure, spec.higher_is_better, title_room, self.style)
        self.fig.update_xaxes(
            range=[low - pad, high + pad],
            title={"text": title, "standoff": 4},
            tickangle=0,
            separatethousands=True,
            exponentformat="none" if places is not None else "power",
            fixedrange=True,
        )
        if bins.constant:
            value = float(self.values.flat[0])
            self.fig.update_xaxes(tickmode="array", tickvals=[value], ticktext=[self.numbers.say(value)])
            return
        least_width = plot if self.style.printed else min(plot, _NARROW)
        room = (self._tick_width() + 1.4 * self.style.tick_size) * (high - low + 2 * pad) / least_width
        step = next(
            width
            for width, _ in _widths(math.floor(math.log10(bins.width)) - 1)
            if width >= room and width > 0.99 * bins.width and _is_whole(width / bins.width)
        )
        self.fig.update_xaxes(tick0=0, dtick=step, tickformat=None if places is None else _step_format(step))

    def _tick_width(self) -> float:
        """Return the width in px of the widest tick label."""
        numbers = [text.format_minus(float(edge), self.bins.places) for edge in self.bins.edges[[0, -1]]]
        if self.bins.constant:
            numbers = [self.numbers.say(float(self.values.flat[0]))]
        elif self.numbers.places is None:
            numbers = ["\N{MINUS SIGN}2.5×10−88"]
        return max(text.text_width(f"{number}0", self.style.tick_size, self.style.serif) for number in numbers)

    def short_names(self, share: float, size: float, pitch: float = math.inf) -> tuple[list[str], float]:
        """Return shortened, escaped names and the largest width; none is wider than `share` of the figure.

        Names may take two lines if `pitch`, the distance between rows in px, allows it.
        """
        style = self.style
        lines = 2 if pitch >= text.row_height(["\n"], size) else 1
        short = text.shorten(self.names, share * style.width, size, serif=style.serif, lines=lines)
        widest = max(text.text_width(name, size, style.serif) for name in short.values())
        return [text.shortened_markup(short[name]) for name in self.names], widest

    def hovers(self, algorithm: int) -> list[str]:
        """Return the hover text of each fold of an algorithm."""
        values, unit = self.values[:, algorithm], self.spec.unit
        in_bins = [""] * len(values)
        if self.binned and not self.bins.constant:
            index = self.bins.index(values)
            counts = np.bincount(index)
            in_bins = [f"<br>bin {self.bins.name(int(i))}: {counts[i]}" for i in index]
        return [
            f"<b>{text.escape(self.names[algorithm])}, {unit} {text.escape(label)}</b>: "
            f"{self.numbers.full(float(value))}{in_bin}<br>{traces.click_hint('fold', noun=unit)}"
            for label, value, in_bin in zip(self.labels, values, in_bins, strict=True)
        ]

    def bricks(self, algorithm: int, baseline: float, unit: float, *, hatch: str = "", legend: bool = False) -> None:
        """Draw the histogram of one algorithm from `baseline`, `unit` px per fold; negative is downwards.

        With up to 60 folds there is one cell per fold, sorted by value, with the fold's label as
        customdata. With more folds, or if cells would be too flat, each bin is one bar without
        customdata.
        """
        style = self.style
        fill, edge = (_CLEAR, hatch) if hatch else fill_and_edge(self.fills[algorithm], style)
        marker = {"color": fill, "line": {"width": style.px(0.8, 0.7), "color": edge}}
        if hatch:
            size = style.px(6, 5)
            marker["pattern"] = {"shape": "/", "fgcolor": hatch, "bgcolor": fill, "size": size, "solidity": 0.22}
        whole = len(self.labels) > _MOST_BRICKS or abs(unit) < style.px(4.0, 2.4)
        blocks = self._bars(algorithm) if whole else self._bricks(algorithm)
        blocks["below"] = blocks.groupby("bin")["count"].cumsum() - blocks["count"]
        for is_emphasised in (True, False):
            part = blocks[blocks["lit"] == is_emphasised]
            if part.empty:
                continue
            self.fig.add_bar(
                x=[self.bins.middle(index) for index in part["bin"]],
                y=(part["count"] * unit).to_list(),
                base=(baseline + part["below"] * unit).to_list(),
                width=self.bins.width,
                name=text.escape(self.names[algorithm]),
                customdata=None if whole else part["label"].to_list(),
                meta=None if whole else "fold",
                hovertext=part["hover"].to_list(),
                hoverinfo="text",
                marker=marker,
                opacity=1 if is_emphasised else FADED,
                unselected={"marker": {"opacity": 1}},
                showlegend=legend and (is_emphasised or not self.lit.any()),
            )

    def _bricks(self, algorithm: int) -> pd.DataFrame:
        """Return one row per fold, sorted by value."""
        values = self.values[:, algorithm]
        columns = {"bin": self.bins.index(values), "lit": self.lit, "label": self.labels}
        table = pd.DataFrame({**columns, "hover": self.hovers(algorithm), "count": 1})
        return table.iloc[np.argsort(values, kind="stable")].copy()

    def _bars(self, algorithm: int) -> pd.DataFrame:
        """Return one row per bin, or two if only some of its folds are faded."""
        table = pd.DataFrame({"bin": self.bins.index(self.values[:, algorithm]), "lit": self.lit, "count": 1})
        hovers = {}
        for index, folds in table.groupby("bin"):
            labels = text.join_escaped([text.escape(self.labels[i]) for i in folds.index], 6)
            bin_text = "" if self.bins.constant else f"bin {self.bins.name(index)}: {len(folds)}<br>"
            hovers[index] = f"<b>{text.escape(self.names[algorithm])}</b><br>{bin_text}{self.spec.unit}s {labels}"
        table = table.groupby(["bin", "lit"], as_index=False)["count"].sum()
        table = table.sort_values(["bin", "lit"], ascending=[True, False])
        return table.assign(hover=table["bin"].map(hovers))

    def ticks(self, algorithm: int, middle: float, length: float, colour: str | None = None) -> None:
        """Draw a tick of `length` px, centred at `middle`, at each value of an algorithm."""
        style = self.style
        values, hovers = self.values[:, algorithm].tolist(), self.hovers(algorithm)
        for is_emphasised in (True, False):
            indices = np.flatnonzero(self.lit == is_emphasised)
            if len(indices):
                traces.add_points(
                    self.fig,
                    [values[i] for i in indices],
                    [middle] * len(indices),
                    "folds",
                    length / _LINE_FACTOR,
                    "line-ns",
                    edge=(style.px(1.3, 0.8), colour or style.ink),
                    hover_text=[hovers[i] for i in indices],
                    customdata=[self.labels[i] for i in indices],
                    meta="fold",
                    opacity=1 if is_emphasised else FADED,
                )

    def triangles(
        self, heights: Sequence[float], symbols: Sequence[str], size: float, fills: Sequence[str] | None = None
    ) -> None:
        """Draw a triangle at the mean of each algorithm."""
        style, numbers = self.style, self.numbers
        hover_text = [
            f"<b>{text.escape(name)}</b><br>mean {numbers.full(mean)}<br>range {numbers.span(column)}"
            for name, mean, column in zip(self.names, self.means, self.values.T, strict=True)
        ]
        edge = (style.px(0.8, 0.7), style.ink)
        marker = (size, list(symbols), list(fills) if fills else style.ink, edge)
        traces.add_points(self.fig, self.means, list(heights), "means", *marker, hover_text=hover_text)

    def baselines(self, heights: Sequence[float], colour: str) -> None:
        """Draw a horizontal line across the plot at each height."""
        low, high = self.fig.layout.xaxis.range
        x = [value for _ in heights for value in (low, high, None)]
        y = [value for height in heights for value in (height, height, None)]
        traces.add_line(self.fig, x, y, "baselines", colour, self.style.px(1.2, 0.7))

    def rows(self, baselines: Sequence[float], room: float) -> None:
        """Draw a histogram up to `room` px high on each baseline, with ticks and mean below."""
        style = self.style
        tick, spacing, size = style.px(8, 5.5), style.px(2, 1.5), style.px(9, 6)
        unit = min(style.px(12, 7), room / max(self.tallest()))
        for algorithm, y in enumerate(baselines):
            if self.binned:
                self.bricks(algorithm, y, unit)
        self.baselines(baselines, style.px(style.leader, style.ink))
        for algorithm, y in enumerate(baselines):
            self.ticks(algorithm, y - spacing / 2 - tick / 2, tick)
        self.triangles([y - spacing - tick - size / 2 for y in baselines], ["triangle-up"] * len(self.names), size)

    def write(
        self, words: str, x: float, y: float, size: float | None = None, colour: str | None = None, **how: Any
    ) -> None:
        """Add an annotation at x in data units and y in px above the bottom."""
        font = {"size": size or self.style.size, "color": colour or self.style.ink}
        position = {"xref": "x", "yref": "y", "x": x, "y": y, "yanchor": "middle"}
        self.fig.add_annotation({"text": words, "font": font, **position, **how})

    def write_constant(self, x: float, y: float, **how: Any) -> None:
        """Write that all values are equal, if they are."""
        if self.bins.constant:
            n_folds, unit = len(self.labels), self.spec.unit
            subject = f"the only {unit}" if n_folds == 1 else f"all {n_folds} {unit}s"
            self.write(f"{subject} {self.numbers.say(float(self.values.flat[0]))}", x, y, **how)

    def write_constant_right(self, y: float) -> None:
        """Write at the right of a single bin that all values are equal."""
        self.write_constant(float(self.bins.edges[1]), y, xanchor="left", xshift=self.style.px(8, 5))

    def mean_width(self) -> float:
        """Return the width in px of the column of means."""
        words = [*map(self.numbers.say, self.means), "mean"]
        return max(text.text_width(word, self.style.size, self.style.serif) for word in words)

    def write_margins(self, heights: Sequence[float], size: float, lift: float) -> None:
        """Write names at the left of the rows, and means at the right."""
        style = self.style
        pitch = heights[0] - heights[1] if len(heights) > 1 else math.inf
        self.fig.update_yaxes(tickvals=heights, ticktext=self.short_names(0.32, size, pitch)[0])
        at_right = {"xref": "paper", "xanchor": "right", "xshift": self.fig.layout.margin.r - style.px(8, 5)}
        for y, mean in zip(heights, self.means, strict=True):
            self.write(self.numbers.say(mean), 1, y, size, **at_right)
        if len(self.values) > 1:  # else there is nothing to average
            self.write("mean", 1, 1, style.tick_size, style.second, yref="paper", yshift=lift, **at_right)


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) < 1e-9


def _draw_facing(plot: HistogramPlot) -> None:
    """Draw two algorithms as facing histograms, with a line joining the values of each fold."""
    style = plot.style
    names, widest = plot.short_names(0.3, style.size)
    top = style.px(4, 2)
    height = style.px(255, 176) - top - plot.bottom_margin
    width = plot.start(height, widest + style.px(16, 10), plot.right_margin, top, style.size)

    text_height, mark, spacing = 1.25 * style.size, style.px(10, 6.5), style.px(3, 2)
    block = text_height + mark + 2 * spacing  # height of a mean with its number, above and below
    tallest = plot.tallest()
    gutter = style.px(44, 26)
    free = height - 2 * block - gutter - style.px(6, 4)
    unit = min(style.px(14, 8), style.px(70, 36) / max(tallest), free / sum(tallest))
    slack = free - unit * sum(tallest)
    gutter += min(slack, gutter)
    slack = max(0.0, free + style.px(44, 26) - unit * sum(tallest) - gutter)
    upper = height - slack / 2 - block - unit * tallest[0]
    lower = upper - gutter

    plot.bricks(0, upper, unit)
    plot.bricks(1, lower, -unit)
    plot.baselines([upper, lower], style.px(style.leader, style.ink))
    tick = style.px(5, 3)
    _draw_links(plot, upper - tick, lower + tick)
    plot.ticks(0, upper - tick / 2, tick)
    plot.ticks(1, lower + tick / 2, tick)
    top, bottom = upper + unit * tallest[0] + spacing, lower - unit * tallest[1] - spacing
    plot.triangles([top + mark / 2, bottom - mark / 2], ["triangle-down", "triangle-up"], mark)
    offset = mark + spacing / 2 + text_height / 2
    low, high = plot.fig.layout.xaxis.range
    for mean, y in zip(plot.means, (top + offset, bottom - offset), strict=True):
        label, position = f"mean {plot.numbers.say(mean)}", (mean - low) / (high - low) * width
        half_width = text.text_width(label, style.size, style.serif) / 2
        anchor = "left" if position < half_width else "right" if position > width - half_width else "center"
        plot.write(label, mean, y, xanchor=anchor)
    plot.fig.update_yaxes(tickvals=[upper + unit * tallest[0] / 2, lower - unit * tallest[1] / 2], ticktext=names)
    plot.write_constant_right((upper + lower) / 2)


def _draw_links(plot: HistogramPlot, upper: float, lower: float) -> None:
    """Join both values of each fold: solid if the first algorithm is better, dashed if the second is."""
    style, names = plot.style, list(map(text.escape, plot.names))
    first, second = plot.values.T
    advantage = first - second if plot.spec.higher_is_better else second - first
    pen = (style.faint, style.px(0.7, 0.4)) if len(first) > _MOST_PLAIN else (style.ink, style.px(1.3, 0.8))
    for mask, name, dash in (
        (advantage > 0, f"{names[0]} better", "solid"),
        (advantage < 0, f"{names[1]} better", style.px("5px,3px", "3px,2px")),
        (advantage == 0, "equal values", style.px("1px,3px", "0.8px,2px")),
    ):
        for is_emphasised in (True, False):
            ends = plot.values[mask & (plot.lit == is_emphasised)].tolist()
            if ends:
                x = [value for pair in ends for value in (*pair, None)]
                opacity = 1 if is_emphasised else FADED
                traces.add_line(plot.fig, x, [upper, lower, None] * len(ends), name, *pen, dash=dash, opacity=opacity)


def _draw_overlaid(plot: HistogramPlot) -> None:
    """Draw the second algorithm hatched over the first, with a count axis."""
    style = plot.style
    tallest = max(plot.tallest())
    digits = text.text_width(str(tallest), style.tick_size, style.serif)
    left, right = digits + 1.3 * style.size + style.px(18, 11), plot.right_margin
    legend, on_one_line = _legend_texts(plot, style.width - left - right)
    top = style.px(48, 22 if on_one_line else 40)
    height = style.px(255, 150) - top - plot.bottom_margin
    plot.start(height, left, right, top, style.tick_size)

    mark, spacing = style.px(10, 6.5), style.px(4, 3)
    unit = (height - mark - 2 * spacing) / tallest
    plot.bricks(0, 0, unit, legend=True)
    hatch = style.ink if style.printed and not style.colour else plot.fills[1]
    plot.bricks(1, 0, unit, hatch=hatch, legend=True)
    plot.triangles(
        [unit * tallest + spacing + mark / 2] * 2, ["triangle-down"] * 2, mark, fills=[plot.fills[0], style.page]
    )
    plot.fig.data[-1].showlegend = False
    for trace in plot.fig.select_traces({"type": "bar"}):
        trace.name = legend[trace.name]
    plot.fig.update_layout(
        showlegend=True,
        legend={
            "orientation": "h" if on_one_line else "v",
            **{"x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"},
            **{"itemclick": False, "itemdoubleclick": False, "tracegroupgap": 0, "bgcolor": _CLEAR},
            "font": {"size": style.size, "color": style.ink},
        },
    )
    counts = list(range(0, tallest + 1, _whole_step(tallest, max(1, int(height / (1.6 * style.tick_size))))))
    plot.fig.update_yaxes(
        tickvals=[count * unit for count in counts],
        ticktext=list(map(str, counts)),
        showline=True,
        ticks="outside",
        ticklabelstandoff=0,
        title={"text": f"{plot.spec.unit}s", "standoff": 4},
    )
    plot.write_constant_right(unit * tallest / 2)


def _legend_texts(plot: HistogramPlot, room: float) -> tuple[dict[str, str], bool]:
    """Return the legend text of each algorithm, and whether both fit on one line in print."""
    style = plot.style
    tails = {name: f", mean {plot.numbers.say(mean)}" for name, mean in zip(plot.names, plot.means, strict=True)}

    def wide(words: str) -> float:
        return text.text_width(words, style.size, style.serif) + style.px(50, 46)  # with the swatch

    full = sum(wide(text.plain_text(name) + tail) for name, tail in tails.items())
    most = room - max(map(wide, tails.values()))
    short = text.shorten(plot.names, most, style.size, serif=style.serif)
    texts = {text.escape(name): text.escape(short[name]) + tail for name, tail in tails.items()}
    return texts, style.printed and full <= 0.95 * room


def _whole_step(most: int, labels: int) -> int:
    """Return the smallest of 1, 2, 5, 10 ... for which at most `labels` ticks are needed."""
    steps = (digit * 10**power for power in count() for digit in (1, 2, 5))
    return next(step for step in steps if most // step + 1 <= max(labels, 2))


def _draw_rows(plot: HistogramPlot) -> None:
    """Draw one histogram row per algorithm, with ticks and mean below."""
    style = plot.style
    pitch, room = style.px(69, 41), style.px(44, 26)
    height = _start_rows(plot, pitch, style.tick_size)
    baselines = [height - i * pitch - room for i in range(len(plot.names))]
    plot.rows(baselines, room)
    plot.write_margins([y + room / 2 for y in baselines], style.tick_size, 6)
    for y in baselines:
        plot.write_constant_right(y + room / 2)


def _draw_strips(plot: HistogramPlot) -> None:
    """Draw one row of ticks per algorithm, with a triangle at the mean."""
    style, n_rows = plot.style, len(plot.names)
    small = style.printed and n_rows > _MOST_LARGE
    size = 7 * theme.PX_PER_POINT if small else style.tick_size
    pitch = style.px(22, 1.3 * size)
    height = _start_rows(plot, pitch, size)
    middles = [height - (i + 0.5) * pitch for i in range(n_rows)]
    plot.baselines(middles, style.hairline)
    tick = style.px(9, 5.5)  # also the size of the triangles
    for algorithm, y in enumerate(middles):
        plot.ticks(algorithm, y + tick / 4, tick, style.px(style.second, style.ink))
    heights = [y - tick / 4 - tick / 2 - style.px(0.5, 0.3) for y in middles]
    fills = None if style.printed and not style.colour else plot.fills
    plot.triangles(heights, ["triangle-up"] * n_rows, tick, fills)
    plot.write_margins(middles, size, 6)
    plot.write_constant(float(plot.values.flat[0]), 1, yref="paper", yshift=style.px(6, 6), size=style.tick_size)


def _start_rows(plot: HistogramPlot, pitch: float, size: float) -> float:
    """Start a figure with one row per algorithm; return the plot's height in px."""
    style, height = plot.style, len(plot.names) * pitch + plot.style.px(4, 3)
    left = plot.short_names(0.32, size, pitch)[1] + style.px(16, 10)
    plot.start(height, left, plot.mean_width() + style.px(20, 13), style.px(14, 12), size)
    return height
