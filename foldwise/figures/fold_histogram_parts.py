"""Shared parts of fold histograms: bins, bricks, ticks, baselines, means and axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import step_format
from foldwise.figures.theme import FADED, Style

MOST_BINS = 14
_STEPS = (1.0, 2.0, 2.5, 5.0)


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of equal width whose edges are multiples of it, closed below and open above.

    If the largest value is 1, the last bin is also closed above, since shares cannot exceed 1.
    """

    edges: np.ndarray  # ascending, rounded to `places` decimals
    width: float  # of one bin
    places: int  # number of decimals of an edge
    # whether all values are equal; there is then one bin, centred at the value
    constant: bool = False

    @classmethod
    def of(cls, values: np.ndarray) -> Bins:
        """Return the narrowest bins of which at most 14 cover all `values`."""
        low, high = float(np.min(values)), float(np.max(values))
        size = max(abs(low), abs(high))
        if high - low <= 1e-12 * size:
            width = 0.1 * size or 0.1
            edges = np.array([low - width / 2, low + width / 2])
            return cls(edges, width, max(0, 1 - math.floor(math.log10(width))), True)
        power = math.floor(math.log10((high - low) / MOST_BINS)) - 1
        while True:
            for step in _STEPS:
                places = max(0, (step == 2.5) - power)
                width = float(f"{step}e{power}")
                first, last = _multiple(np.array([low, high]), width)
                if last - first < MOST_BINS:
                    last_edge = last if low >= 0 and high == 1 else last + 1
                    edges = np.round(np.arange(first, last_edge + 1) * width, places)
                    return cls(edges, width, places)
            power += 1

    def index(self, values: np.ndarray) -> np.ndarray:
        """Return the index of the bin of every value."""
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
        negative = self.edges[index] < 0
        return f"{low} to {high}" if negative else f"{low}\N{EN DASH}{high}"


def bin_edges(values: np.ndarray) -> np.ndarray:
    """Return the edges of the bins of `values`.

    The width is the smallest of 1, 2, 2.5 and 5 times a power of ten that needs at most 14
    bins; edges are multiples of it. A value on an edge belongs to the bin above it, regardless
    of rounding errors; only if 1 is the largest value does it belong to the last bin.

    Examples
    --------
    >>> bin_edges(np.array([0.1, 0.3, 1.1]))
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. , 1.1, 1.2])
    >>> bin_edges(np.array([0.55, 0.9, 1.0]))
    array([0.55, 0.6 , 0.65, 0.7 , 0.75, 0.8 , 0.85, 0.9 , 0.95, 1.  ])
    """
    return Bins.of(np.asarray(values, dtype=float).ravel()).edges


def _multiple(values: np.ndarray, width: float) -> np.ndarray:
    """Return floor(values / width), tolerating rounding errors just below a multiple."""
    quotient = np.asarray(values, dtype=float) / width
    nearest = np.round(quotient)
    slack = 1e-9 + 8 * np.finfo(float).eps * np.abs(quotient)
    near = np.abs(quotient - nearest) <= slack
    return np.where(near, nearest, np.floor(quotient)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Number format of one table, such that a standard error keeps two digits."""

    places: int | None  # None: three significant digits
    unit: str

    @classmethod
    def of(cls, values: pd.DataFrame, measure: str) -> Numbers:
        """Return the number format for `values`."""
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


#: With more folds each bin is one ordinary bar.
MOST_BRICKS = 60
CLEAR = "rgba(0,0,0,0)"
GREY_FILL = "#BDBDBD"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramFolds:
    """Fold values, bins and styles shared by all forms of the histogram."""

    names: list[str]  # names, labels: algorithms and folds
    labels: list[str]
    values: np.ndarray  # folds by algorithms
    measure: str
    higher_is_better: bool | None
    bins: Bins
    numbers: Numbers
    style: Style
    fills: list[str]  # colour per algorithm
    lit: np.ndarray  # folds at full opacity
    binned: bool  # whether the form draws bins
    unit: str = "fold"  # source of one value per algorithm

    @property
    def single(self) -> bool:
        """Whether every fold has a brick of its own."""
        return len(self.labels) <= MOST_BRICKS

    def plain(self, unit: float) -> bool:
        """Return whether a bin is one bar: too many folds, or bricks of `unit` px too flat."""
        return not self.single or abs(unit) < self.style.px(4.0, 2.4)

    def tallest(self, algorithm: int) -> int:
        """Return the number of folds in the highest stack of an algorithm."""
        return int(np.bincount(self.bins.index(self.values[:, algorithm])).max())

    def constant_words(self) -> str:
        """Return the label printed if all values are equal."""
        count = len(self.labels)
        subject = f"the only {self.unit}" if count == 1 else f"all {count} {self.unit}s"
        return f"{subject} {self.numbers.say(float(self.values.flat[0]))}"

    def hovers(self, algorithm: int) -> list[str]:
        """Return the hover text of every value of an algorithm."""
        values = self.values[:, algorithm]
        bins = [""] * len(values)
        if self.binned and not self.bins.constant:
            index = self.bins.index(values)
            counts = np.bincount(index)
            bins = [f"<br>bin {self.bins.name(int(i))} holds {counts[i]}" for i in index]
        name = text.escape(self.names[algorithm])
        return [
            f"<b>{name}, {self.unit} {text.escape(label)}</b>: {self.numbers.full(float(value))}{bin_text}"
            f"<br>{traces.click_hint('fold', noun=self.unit)}"
            for label, value, bin_text in zip(self.labels, values, bins, strict=True)
        ]


def fill_and_edge(colour: str, style: Style) -> tuple[str, str]:
    """Return fill and edge: a light fill with a coloured edge, or greys in print without colour."""
    if style.colour:
        return theme.light_fill(colour, style), colour
    return colour, style.page if colour == style.ink else style.ink


def describe_range(values: np.ndarray, numbers: Numbers) -> str:
    """Return the range of `values` as text."""
    return f"{numbers.say(float(values.min()))} to {numbers.say(float(values.max()))}"


def short_names(folds: HistogramFolds, share: float, size: float, pitch: float = math.inf) -> tuple[list[str], float]:
    """Return the shortened, escaped names, none wider than a share, and the largest width.

    Names may take two lines if `pitch`, the distance between rows in px, allows it.
    """
    style = folds.style
    lines = 2 if pitch >= text.row_height(["\n"], size) else 1
    short = text.shorten(folds.names, share * style.width, size, serif=style.serif, lines=lines)
    widest = max(text.text_width(s, size, style.serif) for s in short.values())
    return [text.shortened_markup(short[name]) for name in folds.names], widest


def fills_by_algorithm(names: Sequence[str], colours: dict[str, str] | None, style: Style, form: str) -> list[str]:
    """Return the fill of every algorithm: its colour, or a grey in print without colour."""
    if style.printed and not style.colour:
        pair = {"facing": ["#000000", "#FFFFFF"], "overlaid": [GREY_FILL, CLEAR]}
        return pair.get(form, [GREY_FILL] * len(names))
    known = theme.colours(list(names), dark=style.dark) if colours is None else colours
    return [known.get(name, theme.GREY) for name in names]


#: Ratio of the length of a line-ns marker to its size.
_LINE_FACTOR = 1.4
#: Width in px of a plot on a phone, in which tick labels must still fit.
_NARROW = 200.0


def draw_bricks(
    fig: go.Figure,
    folds: HistogramFolds,
    algorithm: int,
    baseline: float,
    unit: float,
    *,
    hatch: str = "",
    legend: bool = False,
) -> None:
    """Stack the folds of one algorithm on `baseline`, `unit` px each, downwards if negative.

    With up to 60 folds there is one brick per fold, sorted by value, with the fold's label as
    customdata. With more folds, or if bricks would be too flat, each bin is one bar without
    customdata.
    """
    style = folds.style
    fill, edge = (CLEAR, hatch) if hatch else fill_and_edge(folds.fills[algorithm], style)
    marker = {"color": fill, "line": {"width": style.px(0.8, 0.7), "color": edge}}
    if hatch:
        marker["pattern"] = {"shape": "/", "fgcolor": hatch, "bgcolor": fill, "size": style.px(6, 5), "solidity": 0.22}
    plain = folds.plain(unit)
    stacks = _whole(folds, algorithm) if plain else _single(folds, algorithm)
    for is_emphasised in (True, False):
        blocks = [block for block in stacks if block.lit == is_emphasised]
        if not blocks:
            continue
        fig.add_bar(
            x=[folds.bins.middle(block.bin) for block in blocks],
            y=[block.count * unit for block in blocks],
            base=[baseline + block.level * unit for block in blocks],
            width=folds.bins.width,
            name=text.escape(folds.names[algorithm]),
            customdata=None if plain else [block.label for block in blocks],
            meta=None if plain else "fold",
            hovertext=[block.hover for block in blocks],
            hoverinfo="text",
            marker=marker,
            opacity=1 if is_emphasised else FADED,
            unselected={"marker": {"opacity": 1}},
            showlegend=legend and (is_emphasised or not folds.lit.any()),
        )


@dataclass(frozen=True, slots=True)
class _Block:
    """A brick or bar: its bin, the number of folds below it, and the number in it."""

    bin: int
    level: int
    count: int
    lit: bool
    label: str
    hover: str


def _single(folds: HistogramFolds, algorithm: int) -> list[_Block]:
    values = folds.values[:, algorithm]
    index = folds.bins.index(values)
    hovers = folds.hovers(algorithm)
    heights: dict[int, int] = {}
    blocks = []
    for fold in np.argsort(values, kind="stable"):
        bin_index = int(index[fold])
        n_below = heights.get(bin_index, 0)
        heights[bin_index] = n_below + 1
        is_emphasised, label = bool(folds.lit[fold]), folds.labels[fold]
        blocks.append(_Block(bin_index, n_below, 1, is_emphasised, label, hovers[fold]))
    return blocks


def _whole(folds: HistogramFolds, algorithm: int) -> list[_Block]:
    index = folds.bins.index(folds.values[:, algorithm])
    blocks = []
    for bin_index in sorted(set(index.tolist())):
        n_below = 0
        inside = index == bin_index
        hover = f"<b>{text.escape(folds.names[algorithm])}</b><br>"
        if not folds.bins.constant:
            hover += f"bin {folds.bins.name(bin_index)} holds {int(inside.sum())}<br>"
        labels = [text.escape(folds.labels[i]) for i in np.flatnonzero(inside)]
        hover += f"{folds.unit}s {text.join_escaped(labels, 6)}"
        for is_emphasised in (True, False):
            count = int((inside & (folds.lit == is_emphasised)).sum())
            if count:
                blocks.append(_Block(bin_index, n_below, count, is_emphasised, "", hover))
                n_below += count
    return blocks


def draw_ticks(
    fig: go.Figure, folds: HistogramFolds, algorithm: int, middle: float, length: float, colour: str | None = None
) -> None:
    """Mark every value of one algorithm by a tick `length` px long centred at `middle`."""
    style = folds.style
    values, hovers = folds.values[:, algorithm], folds.hovers(algorithm)
    for is_emphasised in (True, False):
        indices = np.flatnonzero(folds.lit == is_emphasised)
        if not len(indices):
            continue
        traces.add_points(
            fig,
            [float(values[i]) for i in indices],
            [middle] * len(indices),
            "folds",
            length / _LINE_FACTOR,
            "line-ns",
            edge=(style.px(1.3, 0.8), colour or style.ink),
            said=[hovers[i] for i in indices],
            customdata=[folds.labels[i] for i in indices],
            meta="fold",
            opacity=1 if is_emphasised else FADED,
        )


def draw_means(
    fig: go.Figure,
    folds: HistogramFolds,
    heights: Sequence[float],
    symbols: Sequence[str],
    *,
    fills: Sequence[str] | None = None,
    size: float | None = None,
) -> None:
    """Draw a triangle at the mean of every algorithm, unaffected by selection."""
    style = folds.style
    means = folds.values.mean(axis=0)
    traces.add_points(
        fig,
        [float(mean) for mean in means],
        list(heights),
        "means",
        size or style.px(10, 6.5),
        list(symbols),
        list(fills) if fills else style.ink,
        edge=(style.px(0.8, 0.7), style.ink),
        said=[
            f"<b>{text.escape(name)}</b><br>mean {folds.numbers.full(float(means[j]))}<br>"
            f"range {describe_range(folds.values[:, j], folds.numbers)}"
            for j, name in enumerate(folds.names)
        ],
    )


def draw_baselines(fig: go.Figure, heights: Sequence[float], colour: str, style: Style) -> None:
    """Draw a line across the plot at every height; the x range must already be set."""
    low, high = fig.layout.xaxis.range
    fig.add_scatter(
        x=[value for _ in heights for value in (low, high, None)],
        y=[value for height in heights for value in (height, height, None)],
        mode="lines",
        name="baselines",
        line={"color": colour, "width": style.px(1.2, 0.7)},
        hoverinfo="skip",
    )


def set_axes(
    fig: go.Figure, folds: HistogramFolds, plot_width: float, height: float, size: float | None = None
) -> None:
    """Set the axis of values, with ticks on bin edges, and the axis of heights in px."""
    style, bins = folds.style, folds.bins
    low, high = float(bins.edges[0]), float(bins.edges[-1])
    pad = 6.5 * bins.width if bins.constant else 0.035 * (high - low)
    margin = fig.layout.margin
    title = _title(folds, plot_width + 2 * (min(margin.l, margin.r) - style.px(6, 3)))
    fig.update_xaxes(
        range=[low - pad, high + pad],
        title={"text": title, "standoff": 4},
        tickangle=0,
        separatethousands=True,
        exponentformat="none" if folds.numbers.places is not None else "power",
        fixedrange=True,
    )
    if bins.constant:
        value = float(folds.values.flat[0])
        fig.update_xaxes(tickmode="array", tickvals=[value], ticktext=[folds.numbers.say(value)])
    else:
        least_width = plot_width if style.printed else min(plot_width, _NARROW)
        step = _step(folds, least_width, high - low + 2 * pad)
        fig.update_xaxes(tick0=0, dtick=step)
        if folds.numbers.places is not None:
            fig.update_xaxes(tickformat=step_format(step))
    fig.update_yaxes(
        range=[0, height],
        showline=False,
        ticks="",
        tickmode="array",
        ticklabelstandoff=4,
        tickfont={"size": size or style.tick_size},
        fixedrange=True,
    )


def _title(folds: HistogramFolds, room: float) -> str:
    """Return the measure and its direction; the direction is omitted if they do not fit."""
    style = folds.style
    directions = {None: "", True: ", higher is better", False: ", lower is better"}
    direction = directions[folds.higher_is_better]
    measure = text.plain_text(folds.measure)
    if text.text_width(measure + direction, style.size, style.serif) <= room:
        return text.escape(measure + direction)
    short = text.shorten([measure], room, style.size, serif=style.serif)[measure]
    return text.escape(short)


def _step(folds: HistogramFolds, plot_width: float, reach: float) -> float:
    """Return the smallest tick distance that leaves room between the labels."""
    style, bins = folds.style, folds.bins
    room = (tick_width(folds) + 1.4 * style.tick_size) * reach / plot_width
    power = math.floor(math.log10(bins.width)) - 1
    while True:
        for step in (1.0, 2.0, 2.5, 5.0):
            distance = float(f"{step}e{power}")
            ratio = distance / bins.width
            if distance >= room and ratio > 0.99 and abs(ratio - round(ratio)) < 1e-9:
                return distance
        power += 1


def tick_width(folds: HistogramFolds) -> float:
    """Return the width in px of the widest label on the axis of values."""
    style, bins = folds.style, folds.bins
    numbers = [text.format_minus(float(edge), bins.places) for edge in bins.edges[[0, -1]]]
    if bins.constant:
        numbers = [folds.numbers.say(float(folds.values.flat[0]))]
    elif folds.numbers.places is None:
        numbers = ["\N{MINUS SIGN}2.5×10−88"]
    return max(text.text_width(f"{number}0", style.tick_size, style.serif) for number in numbers)


def annotate_at(fig: go.Figure, words: str, x: float, y: float, style: Style, **how: object) -> None:
    """Add an annotation at x in values and y in px from below; `how` holds further options."""
    font = {"size": how.pop("size", style.size), "color": how.pop("colour", style.ink)}
    place = {"xref": "x", "yref": "y", "x": x, "y": y, "yanchor": "middle", "font": font}
    fig.add_annotation({**place, "text": words, **how})


def axis_margin(style: Style) -> float:
    """Return the height in px that the axis needs below the plot."""
    return style.px(4, 3) + 1.3 * style.tick_size + 1.6 * style.size
