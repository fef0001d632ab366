"""The fold histogram of two algorithms: face to face with their pairing, or overlaid."""

from __future__ import annotations

import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.fold_histogram_parts import (
    annotate_at,
    axis_margin,
    draw_baselines,
    draw_bricks,
    draw_means,
    draw_ticks,
    set_axes,
    tick_width,
)
from foldwise.figures.fold_histogram_values import CLEAR, HistogramFolds, short_names
from foldwise.figures.theme import FADED, Style

#: With more folds the links are finer and fainter.
_MOST_PLAIN = 30


def facing_histograms(folds: HistogramFolds) -> go.Figure:
    """Draw the first algorithm upwards, the second downwards, and a line for every fold.

    The line joins the two values of the fold: solid where the first algorithm is better,
    dashed where the second is, dotted where they are equal.
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

    words, mark, gap = 1.25 * style.size, style.px(10, 6.5), style.px(3, 2)
    block = words + mark + 2 * gap  # the mean and its number, above and below
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
    draw_means(
        fig, folds, [top + mark / 2, bottom - mark / 2], ["triangle-down", "triangle-up"], size=mark
    )
    offset = mark + gap / 2 + words / 2
    for j, y in enumerate((top + offset, bottom - offset)):
        _mean(fig, folds, j, y, plot)
    fig.update_yaxes(
        tickvals=[upper + unit * tallest[0] / 2, lower - unit * tallest[1] / 2], ticktext=names
    )
    if folds.bins.constant:
        edge, y = float(folds.bins.edges[1]), (upper + lower) / 2
        annotate_at(
            fig, folds.constant_words(), edge, y, style, xanchor="left", xshift=style.px(8, 5)
        )
    return fig


def _right(folds: HistogramFolds) -> float:
    """Return a right margin into which half a number of the axis fits."""
    return max(folds.style.px(12, 8), tick_width(folds) / 2)


def _links(fig: go.Figure, folds: HistogramFolds, upper: float, lower: float) -> None:
    style = folds.style
    first, second = folds.values[:, 0], folds.values[:, 1]
    ahead = first - second if folds.higher_is_better else second - first
    many = len(first) > _MOST_PLAIN
    for chosen, name, dash in (
        (ahead > 0, f"{text.escape(folds.names[0])} better", "solid"),
        (ahead < 0, f"{text.escape(folds.names[1])} better", style.px("5px,3px", "3px,2px")),
        (ahead == 0, "equal values", style.px("1px,3px", "0.8px,2px")),
    ):
        for lit in (True, False):
            rows = [i for i in range(len(first)) if chosen[i] and folds.lit[i] == lit]
            if not rows:
                continue
            fig.add_scatter(
                x=[v for i in rows for v in (float(first[i]), float(second[i]), None)],
                y=[upper, lower, None] * len(rows),
                mode="lines",
                name=name,
                line={
                    "color": style.faint if many else style.ink,
                    "width": style.px(0.7, 0.4) if many else style.px(1.3, 0.8),
                    "dash": dash,
                },
                opacity=1 if lit else FADED,
                hoverinfo="skip",
            )


def _mean(fig: go.Figure, folds: HistogramFolds, algorithm: int, y: float, plot: float) -> None:
    """Write a mean at its triangle, turned inwards where it would leave the plot."""
    style = folds.style
    mean = float(folds.values[:, algorithm].mean())
    words = f"mean {folds.numbers.say(mean)}"
    low, high = fig.layout.xaxis.range
    place = (mean - low) / (high - low) * plot
    half = text.text_width(words, style.size, style.serif) / 2
    anchor = "left" if place < half else "right" if place > plot - half else "center"
    annotate_at(fig, words, mean, y, style, xanchor=anchor)


def overlaid_histograms(folds: HistogramFolds) -> go.Figure:
    """Draw the second algorithm hatched over the first, folds counted at the left."""
    style = folds.style
    tallest = max(folds.tallest(0), folds.tallest(1))
    digits = text.text_width(str(tallest), style.tick_size, style.serif)
    left, right = digits + 1.3 * style.size + style.px(18, 11), _right(folds)
    key, across = _key_words(folds, style.width - left - right)
    top = style.px(48, 22 if across else 40)
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
    _key(fig, key, across, style)
    step = _whole_step(tallest, max(1, int(height / (1.6 * style.tick_size))))
    counts = list(range(0, tallest + 1, step))
    fig.update_yaxes(
        tickvals=[c * unit for c in counts],
        ticktext=[str(c) for c in counts],
        tickfont={"size": style.tick_size},
        showline=True,
        ticks="outside",
        ticklabelstandoff=0,
        title={"text": "folds", "standoff": 4},
    )
    if folds.bins.constant:
        edge = float(folds.bins.edges[1])
        y = unit * tallest / 2
        annotate_at(
            fig, folds.constant_words(), edge, y, style, xanchor="left", xshift=style.px(8, 5)
        )
    return fig


def _key_words(folds: HistogramFolds, room: float) -> tuple[dict[str, str], bool]:
    """Return what the key says for each algorithm, and whether print has it on one line."""
    style = folds.style
    means = folds.values.mean(axis=0)
    tails = [f", mean {folds.numbers.say(float(mean))}" for mean in means]
    swatch = style.px(50, 46)

    def wide(words: str) -> float:
        return text.text_width(words, style.size, style.serif) + swatch

    plain = [text.plain_text(name) + tail for name, tail in zip(folds.names, tails, strict=True)]
    across = style.printed and sum(wide(words) for words in plain) <= 0.95 * room
    most = room - max(wide(tail) for tail in tails)
    short = text.shorten(folds.names, most, style.size, serif=style.serif)
    return {
        text.escape(name): text.escape(short[name]) + tail
        for name, tail in zip(folds.names, tails, strict=True)
    }, across


def _key(fig: go.Figure, words: dict[str, str], across: bool, style: Style) -> None:
    """Name the two fills above the plot, with their means."""
    for trace in fig.data:
        if trace.type == "bar":
            trace.name = words[trace.name]
    fig.update_layout(
        legend={
            "orientation": "h" if across else "v",
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
    """Return the smallest of 1, 2, 5, 10 ... that needs at most so many labels."""
    power = 1
    while True:
        for step in (power, 2 * power, 5 * power):
            if most // step + 1 <= max(labels, 2):
                return step
        power *= 10
