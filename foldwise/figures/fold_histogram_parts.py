"""What all forms of the fold histogram draw: bricks, ticks, baselines, means and the axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.fold_histogram_values import (
    CLEAR,
    HistogramFolds,
    describe_range,
    fill_and_edge,
)
from foldwise.figures.theme import FADED, Style
from foldwise.figures.ticks import step_format

#: A line-ns marker is longer than its size.
_LINE_FACTOR = 1.4
#: On the screen ticks have room in a window of a phone, too, which makes a plot of so many px.
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

    Up to 60 folds there is one brick per fold, in the order of the values, that carries the
    label of its fold. Beyond, or where bricks would be so flat that their edges cover them, each
    bin is one bar that carries nothing.
    """
    style = folds.style
    fill, edge = (CLEAR, hatch) if hatch else fill_and_edge(folds.fills[algorithm], style)
    marker = {"color": fill, "line": {"width": style.px(0.8, 0.7), "color": edge}}
    if hatch:
        marker["pattern"] = {
            "shape": "/",
            "fgcolor": hatch,
            "bgcolor": fill,
            "size": style.px(6, 5),
            "solidity": 0.22,
        }
    plain = folds.plain(unit)
    stacks = _whole(folds, algorithm) if plain else _single(folds, algorithm)
    for lit in (True, False):
        rows = [row for row in stacks if row.lit == lit]
        if not rows:
            continue
        fig.add_bar(
            x=[folds.bins.middle(row.bin) for row in rows],
            y=[row.count * unit for row in rows],
            base=[baseline + row.level * unit for row in rows],
            width=folds.bins.width,
            name=text.escape(folds.names[algorithm]),
            customdata=None if plain else [row.label for row in rows],
            meta=None if plain else "fold",
            hovertext=[row.hover for row in rows],
            hoverinfo="text",
            marker=marker,
            opacity=1 if lit else FADED,
            unselected={"marker": {"opacity": 1}},
            showlegend=legend and (lit or not folds.lit.any()),
        )


@dataclass(frozen=True, slots=True)
class _Block:
    """A brick or bar: its bin, the folds below it, the folds in it."""

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
    level: dict[int, int] = {}
    blocks = []
    for fold in np.argsort(values, kind="stable"):
        place = int(index[fold])
        below = level.get(place, 0)
        level[place] = below + 1
        lit, label = bool(folds.lit[fold]), folds.labels[fold]
        blocks.append(_Block(place, below, 1, lit, label, hovers[fold]))
    return blocks


def _whole(folds: HistogramFolds, algorithm: int) -> list[_Block]:
    index = folds.bins.index(folds.values[:, algorithm])
    blocks = []
    for place in sorted(set(index.tolist())):
        below = 0
        inside = index == place
        hover = f"<b>{text.escape(folds.names[algorithm])}</b><br>"
        if not folds.bins.constant:
            hover += f"bin {folds.bins.name(place)} holds {int(inside.sum())}<br>"
        labels = [text.escape(folds.labels[i]) for i in np.flatnonzero(inside)]
        hover += f"{folds.unit}s {text.join_escaped(labels, 6)}"
        for lit in (True, False):
            count = int((inside & (folds.lit == lit)).sum())
            if count:
                blocks.append(_Block(place, below, count, lit, "", hover))
                below += count
    return blocks


def draw_ticks(
    fig: go.Figure,
    folds: HistogramFolds,
    algorithm: int,
    middle: float,
    length: float,
    colour: str | None = None,
) -> None:
    """Mark every value of one algorithm by a tick `length` px long around `middle`."""
    style = folds.style
    values, hovers = folds.values[:, algorithm], folds.hovers(algorithm)
    for lit in (True, False):
        chosen = np.flatnonzero(folds.lit == lit)
        if not len(chosen):
            continue
        traces.add_points(
            fig,
            [float(values[i]) for i in chosen],
            [middle] * len(chosen),
            "folds",
            length / _LINE_FACTOR,
            "line-ns",
            edge=(style.px(1.3, 0.8), colour or style.ink),
            said=[hovers[i] for i in chosen],
            customdata=[folds.labels[i] for i in chosen],
            meta="fold",
            opacity=1 if lit else FADED,
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
    """Put a triangle at the mean of every algorithm; it is never dimmed and selects nothing."""
    style = folds.style
    means = folds.values.mean(axis=0)
    traces.add_points(
        fig,
        [float(m) for m in means],
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
    """Draw a line across the plot at every height; the axis must be set before."""
    low, high = fig.layout.xaxis.range
    fig.add_scatter(
        x=[v for _ in heights for v in (low, high, None)],
        y=[v for h in heights for v in (h, h, None)],
        mode="lines",
        name="baselines",
        line={"color": colour, "width": style.px(1.2, 0.7)},
        hoverinfo="skip",
    )


def set_axes(
    fig: go.Figure,
    folds: HistogramFolds,
    plot_width: float,
    height: float,
    size: float | None = None,
) -> None:
    """Set the axis of values, with ticks on edges of bins, and heights in pixels from below."""
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
        narrow = plot_width if style.printed else min(plot_width, _NARROW)
        step = _step(folds, narrow, high - low + 2 * pad)
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
    """Return the measure and its direction; a measure too long comes without."""
    style = folds.style
    directions = {None: "", True: ", higher is better", False: ", lower is better"}
    direction = directions[folds.higher_is_better]
    measure = text.plain_text(folds.measure)
    if text.text_width(measure + direction, style.size, style.serif) <= room:
        return text.escape(measure + direction)
    short = text.shorten([measure], room, style.size, serif=style.serif)[measure]
    return text.escape(short)


def _step(folds: HistogramFolds, plot_width: float, reach: float) -> float:
    """Return the closest tick distance that leaves room between the labels."""
    style, bins = folds.style, folds.bins
    room = (tick_width(folds) + 1.4 * style.tick_size) * reach / plot_width
    power = math.floor(math.log10(bins.width)) - 1
    while True:
        for step in (1.0, 2.0, 2.5, 5.0):
            distance = float(f"{step}e{power}")
            times = distance / bins.width
            if distance >= room and times > 0.99 and abs(times - round(times)) < 1e-9:
                return distance
        power += 1


def tick_width(folds: HistogramFolds) -> float:
    """Return the width of the widest number on the axis of values."""
    style, bins = folds.style, folds.bins
    numbers = [text.format_minus(float(edge), bins.places) for edge in bins.edges[[0, -1]]]
    if bins.constant:
        numbers = [folds.numbers.say(float(folds.values.flat[0]))]
    elif folds.numbers.places is None:
        numbers = ["\N{MINUS SIGN}2.5×10−88"]
    return max(text.text_width(f"{n}0", style.tick_size, style.serif) for n in numbers)


def annotate_at(
    fig: go.Figure, words: str, x: float, y: float, style: Style, **how: object
) -> None:
    """Write at a place given in values and pixels from below, as `how` says."""
    font = {"size": how.pop("size", style.size), "color": how.pop("colour", style.ink)}
    place = {"xref": "x", "yref": "y", "x": x, "y": y, "yanchor": "middle", "font": font}
    fig.add_annotation({**place, "text": words, **how})


def axis_margin(style: Style) -> float:
    """Return the room that the axis needs below the plot."""
    return style.px(4, 3) + 1.3 * style.tick_size + 1.6 * style.size
