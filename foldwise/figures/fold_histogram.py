"""Histograms of results per fold, with one brick per fold and common bins."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.fold_histogram_parts import (
    CLEAR,
    MOST_BRICKS,
    Bins,
    HistogramFolds,
    Numbers,
    annotate_at,
    axis_margin,
    describe_range,
    draw_baselines,
    draw_bricks,
    draw_means,
    draw_ticks,
    fills_by_algorithm,
    set_axes,
    short_names,
    tick_width,
)
from foldwise.figures.clouds import learned_folds
from foldwise.figures.spec import Colours, FigureSpec, cached_figure, colors_of, fold_labels
from foldwise.figures.theme import FADED, GREY, Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures
from stats_core.inference.multivariate.learned_measures import LearnedMeasures

Form = Literal["automatic", "facing", "rows", "overlaid"]
#: With more algorithms rows of ticks replace the bricks.
MOST_ROWS = 8


_HOW = (
    "Each brick is one {unit}, in bins that all algorithms share; the tick below it is its exact "
    "value, the triangle the mean. Look for how far the piles stand apart compared with their "
    "spread. Piles that overlap can still differ {unit} by {unit}, so do not judge by overlap."
)
_HOW_SPREAD = (
    "Each brick is a result less what its algorithm and its {unit} explain. Look for algorithms "
    "whose bricks spread much wider than others'. With few {unit}s spreads differ by chance."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldHistogram(FigureSpec):
    """The results of all folds as bricks, in bins shared by all algorithms.

    Bricks and ticks carry the label of their fold as ``customdata``. With more than 60 folds, or if
    bricks would be too flat, bins are ordinary bars without customdata, but ticks still carry
    labels. Triangles at the means carry none.

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
        How to read the figure, with a place for the unit.
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
    how: str = _HOW

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure; ValueError without values or with values that are not finite."""
        draw = {
            "facing": _facing_histograms,
            "rows": _histogram_rows,
            "overlaid": _overlaid_histograms,
            "strips": _tick_rows,
        }
        return draw[self.drawn_form](self.folds(style))

    def folds(self, style: Style) -> HistogramFolds:
        """Return values, bins and styles."""
        values = self.drawn
        data = values.to_numpy(dtype=float)
        if not data.size or not np.isfinite(data).all():
            raise ValueError("`values` needs at least one fold and one algorithm, all values finite")
        names, labels = list(map(str, values.columns)), list(map(str, values.index))
        form = self.drawn_form
        is_selected = np.isin(np.array(labels, dtype=object), list(self.selected))
        return HistogramFolds(
            names=names,
            labels=labels,
            values=data,
            measure=self.measure,
            higher_is_better=self.higher_is_better,
            bins=Bins.of(data),
            numbers=Numbers.of(values, self.measure),
            style=style,
            fills=fills_by_algorithm(names, self._palette(style), style, form),
            lit=is_selected if is_selected.any() else np.ones(len(labels), dtype=bool),
            binned=form != "strips",
            unit=self.unit,
        )

    def _palette(self, style: Style) -> dict[str, str]:
        algorithms = self.algorithms or list(self.values)
        palette = colors_of(self.colours, algorithms, self.highlight, style)
        if self.lit and not style.printed:
            palette |= {name: style.hairline for name in self.values if name not in self.lit}
        return palette

    def caption(self, style: Style) -> str:
        """Return the caption sentences on bricks, bins, means and links.

        Examples
        --------
        >>> values = pd.DataFrame({"rf": [0.90, 0.95, 1.0]})
        >>> FoldHistogram(values=values, measure="accuracy").caption(theme.screen())
        'One brick per fold; bins of 0.01. Triangles are means.'
        """
        values, unit, form = self.drawn, self.unit, self.drawn_form
        if form == "strips":
            return f"One tick per {unit}. Triangles are means."
        bins = Bins.of(values.to_numpy(dtype=float))
        numbers = Numbers.of(values, self.measure)
        width = "one bin, as all values are equal"
        if not bins.constant:
            points = " points" if numbers.unit else ""
            width = f"bins of {text.format_minus(bins.width, bins.places)}{points}"
        marks = f"Bars count {unit}s" if self._has_bars(style) else f"One brick per {unit}"
        sentences = f"{marks}; {width}. Triangles are means."
        if form == "facing":
            first, second = map(text.plain_text, values.columns)
            sentences += (
                f" Lines join the two values of a {unit}: solid where {first} is better, dashed where {second} is"
            )
            equal = values.iloc[:, 0].to_numpy() == values.iloc[:, 1].to_numpy()
            sentences += ", dotted where they are equal." if equal.any() else "."
        return sentences

    def _has_bars(self, style: Style) -> bool:
        """Return whether bins are drawn as bars instead of bricks."""
        if len(self.values) > MOST_BRICKS:
            return True
        bars = self.figure(style).select_traces({"type": "bar"})
        return all(trace.customdata is None for trace in bars)

    @property
    def drawn(self) -> pd.DataFrame:
        """The results that are drawn."""
        return self.values if self.shown is None else self.values[list(self.shown)]

    @property
    def drawn_form(self) -> Literal["facing", "rows", "overlaid", "strips"]:
        """The form in which the results are drawn."""
        if self.form not in ("automatic", "facing", "rows", "overlaid"):
            raise ValueError(f"`form` must be automatic, facing, rows or overlaid; got {self.form!r}")
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
        """What bricks, ticks and triangles mean."""
        return self.how.format(unit=self.unit)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        values, unit = self.drawn, self.unit
        numbers = Numbers.of(values, self.measure)
        k, count = values.shape[1], len(values)
        directions = {None: "", True: ", higher is better", False: ", lower is better"}
        head = (
            f"{unit.capitalize()} histogram of "
            f"{text.truncate_text(text.plain_text(self.measure), 60)} for {k} "
            f"algorithm{'s' * (k > 1)} on {count} {unit}{'s' * (count > 1)}"
            f"{directions[self.higher_is_better]}."
        )
        parts = []
        for name in values.columns:
            column = values[name].to_numpy(dtype=float)
            mean = numbers.say(float(column.mean()))
            short = text.truncate_text(text.plain_text(name), 48)
            parts.append(f"{short} mean {mean}, range {describe_range(column, numbers)}")
        return text.fit_alt_text(f"{head} ", parts, "; ", ".", head)


def fold_histogram(values: pd.DataFrame, *, style: Style, **options: Any) -> go.Figure:
    """Draw the results of all folds; `options` are the fields of `FoldHistogram`."""
    return FoldHistogram(values=values, **options).draw(style)


def brick_names(analysis: OnFolds, highlight: Collection[str] = ()) -> list[str]:
    """Return the algorithms with histograms: all, or the highlighted or best ones."""
    if analysis.shape.two:
        return [analysis.first, analysis.second]
    names = list(analysis.means.index)
    if len(names) <= MOST_ROWS:
        return names
    return [name for name in names if name in highlight] or names[:MOST_ROWS]


@cached_figure(at_every_level=True)
def bricks_drawing(
    analysis: OnFolds,
    *,
    form: Form = "automatic",
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> FoldHistogram:
    """Return the histograms of the results per fold, the best algorithm on top."""
    measure = analysis.settings.measure
    return FoldHistogram(
        name=f"folds_{analysis.dataset}_{measure}",
        title=f"{measure} by {analysis.unit}",
        values=fold_labels(analysis.matrix[brick_names(analysis, highlight)]),
        measure=measure,
        higher_is_better=analysis.higher_is_better,
        form=form,
        colours=colours,
        algorithms=analysis.results.algorithms,
        highlight=highlight,
        lit=lit,
        selected=selected,
        unit=analysis.unit,
    )


@cached_figure(at_every_level=True)
def spread_drawing(analysis: FoldsComparison, *, colours: Colours = None) -> FoldHistogram:
    """Return the histograms of the residuals of the analysis of variance."""
    measure = analysis.settings.measure
    return FoldHistogram(
        name=f"residuals_{analysis.dataset}_{measure}",
        title="Spread by algorithm",
        values=fold_labels(analysis.anova.residuals),
        measure=f"residual of {measure}",
        form="rows",
        colours=colours,
        shown=analysis.means.index[:MOST_ROWS],
        how=_HOW_SPREAD.format(unit=analysis.unit),
    )


@cached_figure(at_every_level=True)
def first_drawing(
    analysis: OnMeasures, model: LearnedMeasures, *, measure: str, colours: Colours = None
) -> FoldHistogram:
    """Return the histograms of the folds on the first learned measure."""
    scores = {name: table["M1"] for name, table in learned_folds(analysis, model).items()}
    values = pd.DataFrame(scores)
    return FoldHistogram(
        name=f"m1_{analysis.dataset}",
        title=f"M1 by {analysis.unit}",
        values=values,
        measure=measure,
        form="rows",
        colours=colours,
        unit=analysis.unit,
        shown=values.mean().sort_values(kind="stable").index[:MOST_ROWS],
    )


@cached_figure(at_every_level=True)
def projected_drawing(analysis: PairOnMeasures) -> FoldHistogram:
    """Return the histogram of the differences projected on the direction that separates most."""
    return FoldHistogram(
        name=f"projected_{analysis.dataset}",
        title="Differences along the direction in which the two differ most",
        values=fold_labels(analysis.projected).rename("difference").to_frame(),
        measure=f"{analysis.first} \N{MINUS SIGN} {analysis.second} along the direction",
        form="rows",
        colours={"difference": GREY},
        unit=analysis.unit,
    )


#: With more folds the links are thinner and fainter.
_MOST_PLAIN = 30


def _facing_histograms(folds: HistogramFolds) -> go.Figure:
    """Draw the first algorithm upwards, the second downwards, and a line for every fold.

    The line connects the two values of the fold: solid if the first algorithm is better,
    dashed if the second is, dotted if they are equal.
    """
    style = folds.style
    names, widest = short_names(folds, 0.3, style.size)
    left, right = widest + style.px(16, 10), _right(folds)
    margin = {"l": left, "r": right, "t": style.px(4, 2), "b": axis_margin(style)}
    total = style.px(255, 176)
    height = total - margin["t"] - margin["b"]
    fig = theme.new_figure(style, total, margin=margin, barmode="overlay")
    plot = style.width - left - right
    set_axes(fig, folds, plot, height, style.size)

    text_height, mark, gap = 1.25 * style.size, style.px(10, 6.5), style.px(3, 2)
    block = text_height + mark + 2 * gap  # height of a mean with its number, above and below
    tallest = (folds.tallest(0), folds.tallest(1))
    gutter = style.px(44, 26)
    foot = style.px(6, 4)
    free = height - 2 * block - gutter - foot
    unit = min(style.px(14, 8), style.px(70, 36) / max(tallest), free / sum(tallest))
    slack = free - unit * sum(tallest)
    gutter += min(slack, gutter)
    slack = max(0.0, free + style.px(44, 26) - unit * sum(tallest) - gutter)
    upper = height - slack / 2 - block - unit * tallest[0]
    lower = upper - gutter

    draw_bricks(fig, folds, 0, upper, unit)
    draw_bricks(fig, folds, 1, lower, -unit)
    draw_baselines(fig, [upper, lower], style.px(style.leader, style.ink), style)
    tick = style.px(5, 3)
    _links(fig, folds, upper - tick, lower + tick)
    draw_ticks(fig, folds, 0, upper - tick / 2, tick)
    draw_ticks(fig, folds, 1, lower + tick / 2, tick)
    top, bottom = upper + unit * tallest[0] + gap, lower - unit * tallest[1] - gap
    draw_means(fig, folds, [top + mark / 2, bottom - mark / 2], ["triangle-down", "triangle-up"], size=mark)
    offset = mark + gap / 2 + text_height / 2
    for j, y in enumerate((top + offset, bottom - offset)):
        _mean(fig, folds, j, y, plot)
    fig.update_yaxes(tickvals=[upper + unit * tallest[0] / 2, lower - unit * tallest[1] / 2], ticktext=names)
    if folds.bins.constant:
        _beside(fig, folds, (upper + lower) / 2)
    return fig


def _right(folds: HistogramFolds) -> float:
    """Return a right margin that holds half of the widest tick label."""
    return max(folds.style.px(12, 8), tick_width(folds) / 2)


def _links(fig: go.Figure, folds: HistogramFolds, upper: float, lower: float) -> None:
    style = folds.style
    first, second = folds.values[:, 0], folds.values[:, 1]
    advantage = first - second if folds.higher_is_better else second - first
    is_crowded = len(first) > _MOST_PLAIN
    for mask, name, dash in (
        (advantage > 0, f"{text.escape(folds.names[0])} better", "solid"),
        (advantage < 0, f"{text.escape(folds.names[1])} better", style.px("5px,3px", "3px,2px")),
        (advantage == 0, "equal values", style.px("1px,3px", "0.8px,2px")),
    ):
        for is_emphasised in (True, False):
            indices = [i for i in range(len(first)) if mask[i] and folds.lit[i] == is_emphasised]
            if not indices:
                continue
            fig.add_scatter(
                x=[value for i in indices for value in (float(first[i]), float(second[i]), None)],
                y=[upper, lower, None] * len(indices),
                mode="lines",
                name=name,
                line={
                    "color": style.faint if is_crowded else style.ink,
                    "width": style.px(0.7, 0.4) if is_crowded else style.px(1.3, 0.8),
                    "dash": dash,
                },
                opacity=1 if is_emphasised else FADED,
                hoverinfo="skip",
            )


def _mean(fig: go.Figure, folds: HistogramFolds, algorithm: int, y: float, plot: float) -> None:
    """Write a mean at its triangle, turned inwards near the edges of the plot."""
    style = folds.style
    mean = float(folds.values[:, algorithm].mean())
    label = f"mean {folds.numbers.say(mean)}"
    low, high = fig.layout.xaxis.range
    position = (mean - low) / (high - low) * plot
    half_width = text.text_width(label, style.size, style.serif) / 2
    anchor = "left" if position < half_width else "right" if position > plot - half_width else "center"
    annotate_at(fig, label, mean, y, style, xanchor=anchor)


def _overlaid_histograms(folds: HistogramFolds) -> go.Figure:
    """Draw the second algorithm hatched over the first, with a count axis at the left."""
    style = folds.style
    tallest = max(folds.tallest(0), folds.tallest(1))
    digits = text.text_width(str(tallest), style.tick_size, style.serif)
    left, right = digits + 1.3 * style.size + style.px(18, 11), _right(folds)
    key, on_one_line = _key_words(folds, style.width - left - right)
    top = style.px(48, 22 if on_one_line else 40)
    margin = {"l": left, "r": right, "t": top, "b": axis_margin(style)}
    total = style.px(255, 150)
    height = total - margin["t"] - margin["b"]
    fig = theme.new_figure(style, total, margin=margin, barmode="overlay")
    fig.update_layout(showlegend=True)
    plot = style.width - left - right
    set_axes(fig, folds, plot, height)

    mark, gap = style.px(10, 6.5), style.px(4, 3)
    unit = (height - mark - 2 * gap) / tallest
    plain = style.printed and not style.colour
    hatch = style.ink if plain else folds.fills[1]
    draw_bricks(fig, folds, 0, 0, unit, legend=True)
    draw_bricks(fig, folds, 1, 0, unit, hatch=hatch, legend=True)
    top = [unit * tallest + gap + mark / 2] * 2
    fills = [folds.fills[0], style.page]
    draw_means(fig, folds, top, ["triangle-down"] * 2, fills=fills, size=mark)
    fig.data[-1].showlegend = False
    _key(fig, key, on_one_line, style)
    step = _whole_step(tallest, max(1, int(height / (1.6 * style.tick_size))))
    counts = list(range(0, tallest + 1, step))
    fig.update_yaxes(
        tickvals=[count * unit for count in counts],
        ticktext=[str(count) for count in counts],
        tickfont={"size": style.tick_size},
        showline=True,
        ticks="outside",
        ticklabelstandoff=0,
        title={"text": f"{folds.unit}s", "standoff": 4},
    )
    if folds.bins.constant:
        _beside(fig, folds, unit * tallest / 2)
    return fig


def _key_words(folds: HistogramFolds, room: float) -> tuple[dict[str, str], bool]:
    """Return the legend text of each algorithm, and whether print fits it on one line."""
    style = folds.style
    means = folds.values.mean(axis=0)
    tails = [f", mean {folds.numbers.say(float(mean))}" for mean in means]
    swatch = style.px(50, 46)

    def wide(words: str) -> float:
        return text.text_width(words, style.size, style.serif) + swatch

    full_texts = [text.plain_text(name) + tail for name, tail in zip(folds.names, tails, strict=True)]
    on_one_line = style.printed and sum(wide(words) for words in full_texts) <= 0.95 * room
    most = room - max(wide(tail) for tail in tails)
    short = text.shorten(folds.names, most, style.size, serif=style.serif)
    return {
        text.escape(name): text.escape(short[name]) + tail for name, tail in zip(folds.names, tails, strict=True)
    }, on_one_line


def _key(fig: go.Figure, legend_texts: dict[str, str], on_one_line: bool, style: Style) -> None:
    """Draw the legend of both fills above the plot, with the means."""
    for trace in fig.data:
        if trace.type == "bar":
            trace.name = legend_texts[trace.name]
    fig.update_layout(
        legend={
            "orientation": "h" if on_one_line else "v",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "itemclick": False,
            "itemdoubleclick": False,
            "tracegroupgap": 0,
            "bgcolor": CLEAR,
            "font": {"size": style.size, "color": style.ink},
        }
    )


def _whole_step(most: int, labels: int) -> int:
    """Return the smallest of 1, 2, 5, 10 ... that needs at most `labels` labels."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if most // step + 1 <= max(labels, 2):
                return step
        power *= 10


#: With more algorithms print uses text of seven points.
_MOST_LARGE = 12


def _histogram_rows(folds: HistogramFolds) -> go.Figure:
    """Draw a row of bricks per algorithm, with ticks and mean below its baseline."""
    style = folds.style
    pitch, room = style.px(69, 41), style.px(44, 26)
    tick, gap = style.px(8, 5.5), style.px(2, 1.5)
    tallest = max(folds.tallest(j) for j in range(len(folds.names)))
    unit = min(style.px(12, 7), room / tallest)
    fig, height = _frame(folds, pitch, style.tick_size)
    baselines = [height - i * pitch - room for i in range(len(folds.names))]
    for j, y in enumerate(baselines):
        draw_bricks(fig, folds, j, y, unit)
    draw_baselines(fig, baselines, style.px(style.leader, style.ink), style)
    for j, y in enumerate(baselines):
        draw_ticks(fig, folds, j, y - gap / 2 - tick / 2, tick)
    size = style.px(9, 6)
    mean_heights = [y - gap - tick - size / 2 for y in baselines]
    draw_means(fig, folds, mean_heights, ["triangle-up"] * len(mean_heights), size=size)
    write_margins(fig, folds, [y + room / 2 for y in baselines], style.tick_size, 6)
    if folds.bins.constant:
        for y in baselines:
            _beside(fig, folds, y + room / 2)
    return fig


def _tick_rows(folds: HistogramFolds) -> go.Figure:
    """Draw a narrow row of ticks per algorithm with a triangle at its mean."""
    style = folds.style
    small = style.printed and len(folds.names) > _MOST_LARGE
    size = 7 * theme.PX_PER_POINT if small else style.tick_size
    pitch = style.px(22, 1.3 * size)
    fig, height = _frame(folds, pitch, size)
    middles = [height - (i + 0.5) * pitch for i in range(len(folds.names))]
    draw_baselines(fig, middles, style.hairline, style)
    tick, mark = style.px(9, 5.5), style.px(9, 5.5)
    for j, y in enumerate(middles):
        draw_ticks(fig, folds, j, y + tick / 4, tick, style.px(style.second, style.ink))
    mean_heights = [y - tick / 4 - mark / 2 - style.px(0.5, 0.3) for y in middles]
    fills = None if style.printed and not style.colour else folds.fills
    draw_means(fig, folds, mean_heights, ["triangle-up"] * len(mean_heights), fills=fills, size=mark)
    write_margins(fig, folds, middles, size, 6)
    if folds.bins.constant:
        value = float(folds.values.flat[0])
        options = {"yref": "paper", "yshift": style.px(6, 6), "size": style.tick_size}
        annotate_at(fig, folds.constant_words(), value, 1, style, **options)
    return fig


def _frame(folds: HistogramFolds, pitch: float, size: float) -> tuple[go.Figure, float]:
    """Return an empty figure with its axes, and the height of the plot."""
    style = folds.style
    left = short_names(folds, 0.32, size, pitch)[1] + style.px(16, 10)
    means = [*format_means(folds), "mean"]
    right = max(text.text_width(mean_text, style.size, style.serif) for mean_text in means) + style.px(20, 13)
    top = style.px(14, 12)
    margin = {"l": left, "r": right, "t": top, "b": axis_margin(style)}
    height = len(folds.names) * pitch + style.px(4, 3)
    fig = theme.new_figure(style, top + height + margin["b"], margin=margin, barmode="overlay")
    set_axes(fig, folds, style.width - left - right, height, size)
    return fig, height


def format_means(folds: HistogramFolds) -> list[str]:
    """Return the formatted mean of every algorithm."""
    return [folds.numbers.say(float(mean)) for mean in folds.values.mean(axis=0)]


def write_margins(fig: go.Figure, folds: HistogramFolds, heights: list[float], size: float, lift: float) -> None:
    """Write names at the left of the rows and means at the right, below a heading."""
    style = folds.style
    pitch = heights[0] - heights[1] if len(heights) > 1 else math.inf
    fig.update_yaxes(tickvals=heights, ticktext=short_names(folds, 0.32, size, pitch)[0])
    shift = fig.layout.margin.r - style.px(8, 5)
    options = {"xref": "paper", "xanchor": "right", "xshift": shift}
    for y, mean in zip(heights, format_means(folds), strict=True):
        annotate_at(fig, mean, 1, y, style, size=size, **options)
    if len(folds.values) == 1:  # there is nothing to average
        return
    heading = {"yref": "paper", "yshift": lift, "size": style.tick_size, "colour": style.second}
    annotate_at(fig, "mean", 1, 1, style, **heading, **options)


def _beside(fig: go.Figure, folds: HistogramFolds, y: float) -> None:
    """Write at the right of the only bin that all values are equal."""
    edge = float(folds.bins.edges[1])
    label = folds.constant_words()
    annotate_at(fig, label, edge, y, folds.style, xanchor="left", xshift=folds.style.px(8, 5))
