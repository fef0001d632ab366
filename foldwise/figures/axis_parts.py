"""Axes, ticks, zero line, equivalence region, side labels, zoom and sliders, shared by figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import Style
from stats_core.core.errors import SettingError


def ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return at most `most` + 1 round values between `low` and a larger `high`, and their labels.

    Examples
    --------
    >>> ticks(0.175, 0.215, 4)[1]
    ['0.18', '0.19', '0.20', '0.21']
    """
    least = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= 0.999 * least)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    multiples = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [multiple * step for multiple in multiples], [
        _tick(multiple * step, decimals, step) for multiple in multiples
    ]


def _tick(value: float, decimals: int, step: float) -> str:
    """Return a tick label with the decimals of the step, in scientific notation for very small or large steps."""
    if decimals <= 4 and step < 1e5:
        sign = "\N{MINUS SIGN}" if round(value, decimals) < 0 else ""
        return f"{sign}{abs(value):,.{decimals}f}"
    if abs(value) < step / 2:
        return "0"
    # The last digit is that of the step, so that neighbours differ.
    first, last = (math.floor(math.log10(number) + 1e-9) for number in (abs(value), step))
    digits = max(first - last, 0)
    mantissa, power = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(power)}".replace("-", "\N{MINUS SIGN}")


def add_panels(
    count: int,
    titles: Sequence[str] | Callable[[float], Sequence[str]],
    style: Style,
    *,
    left: float,
    height: float,
    shared: bool = False,
) -> tuple[go.Figure, list[dict[str, int]], float]:
    """Return a figure of `count` subplots in rows as even as possible, row and column of each, and their width in px.

    `titles` are names to be shortened, or a function of the width that returns the titles. The
    margin `left` is in text sizes, and the `height` of a row in px. Without `shared`, each subplot
    has numbers of its own at the left.
    """
    em, fitting = style.size, max(style.width // style.px(300, 150), 1)
    columns = -(-count // -(-count // fitting))
    rows = -(-count // columns)
    width, between = style.width - (left + 1) * em, (2.4 if shared else 3) * em
    room = (width - (columns - 1) * between) / columns
    names = (
        titles(room)
        if callable(titles)
        else text.shorten(titles, room, em, serif=style.serif).values()
    )
    margin = {"l": left * em, "r": em, "t": (2.4 if names else 1) * em, "b": 3.4 * em}
    fig = theme.new_figure(style, rows * height, margin=margin)
    plot = rows * height - margin["t"] - margin["b"]
    spacing = {
        "horizontal_spacing": between / width,
        "vertical_spacing": 5 * em / plot if rows > 1 else 0,
    }
    how = {"shared_yaxes": "all" if shared else False}
    fig.set_subplots(
        rows, columns, subplot_titles=list(map(text.escape, names)) or None, **spacing, **how
    )
    fig.update_annotations(font_size=em, yshift=style.px(6, 4))
    subplots = [{"row": i // columns + 1, "col": i % columns + 1} for i in range(rows * columns)]
    for unused in subplots[count:]:
        fig.update_xaxes(visible=False, **unused).update_yaxes(visible=False, **unused)
    return fig, subplots[:count], room


def padded_range(low: float, high: float) -> tuple[float, float]:
    """Return an axis range with 6% more on either side; an empty one is widened by 5% of its value, or 0.5 at zero."""
    pad = 0.06 * (high - low) or 0.05 * abs(high) or 0.5
    return low - pad, high + pad


def tick_step(reach: float, most: float) -> float:
    """Return the smallest of 1, 2 and 5 times powers of ten that divides a length `reach` into at most `most` steps."""
    power = 10.0 ** math.floor(math.log10(reach / most))
    return next(power * factor for factor in (1, 2, 5, 10) if reach / (power * factor) <= most)


LOGARITHMIC = 20  # ratio of the ends of positive numbers from which on their axis is logarithmic


def log_ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return ticks at 1, 2 and 5, or 1 and 3, times powers of ten (fewer if they do not fit), and their labels.

    Ends and positions are decimal logarithms; `most` is the number of labels that fit.

    Examples
    --------
    >>> log_ticks(-1.4, -0.2, 20)[1], log_ticks(-1.4, 4.2, 4)[1]
    (['0.05', '0.1', '0.2', '0.5'], ['0.1', '10', '1,000'])
    """
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 5), (1, 3)):
        values = [digit * 10.0**power for power in powers for digit in digits]
        if math.log10(digits[1]) / (high - low) * most >= 1:
            break
    else:
        inside = [power for power in powers if low <= power <= high]
        values = [10.0**power for power in inside[:: math.ceil(len(inside) / most)]]
    shown = [value for value in values if low <= math.log10(value) <= high]
    return [math.log10(value) for value in shown], [
        f"{value:,.0f}" if 1 <= value < 1e6 else f"{value:g}" for value in shown
    ]


def tick_axis(
    at: Sequence[float], words: Sequence[str], span: Sequence[float] | None = None
) -> dict[str, Any]:
    """Return Plotly axis properties with fixed ticks `at`, tick labels `words` and, if given, range `span`."""
    axis = {"tickmode": "array", "tickvals": at, "ticktext": words, "fixedrange": True}
    return axis if span is None else {"range": span, **axis}


def names_axis(
    at: Sequence[float],
    words: Sequence[str],
    span: Sequence[float] | None = None,
    size: float | None = None,
) -> dict[str, Any]:
    """Return Plotly axis properties for names, without line and tick marks."""
    spaced = {} if size is None else {"tickfont": {"size": size}, "ticklabelstandoff": 3}
    return {"showline": False, "ticks": "", **spaced, **tick_axis(at, words, span)}


def value_axis(low: float, high: float, most: float, least: int = 0) -> dict[str, Any]:
    """Return Plotly axis properties for `low` to `high`: at most `most` + 1 ticks, unless `least` ticks need more."""
    while len((numbers := ticks(low, high, most))[0]) < least:
        most += 1
    return tick_axis(*numbers, [low, high])


#: Label of the zero line.
ZERO = "no difference"


def draw_zero(fig: go.Figure, low: float, high: float, style: Style) -> None:
    """Draw the zero line of differences."""
    traces.add_line(fig, [0, 0], [low, high], ZERO, style.ink, style.px(1.4, 0.9))


def draw_region(
    fig: go.Figure, region: float | None, low: float, high: float, style: Style
) -> None:
    """Draw the equivalence region as a background band, if there is one."""
    if region:
        fill, y = style.tint if style.colour else style.blank, [low, low, high, high]
        traces.add_line(
            fig,
            [-region, region, region, -region],
            y,
            zero_label(region),
            None,
            0,
            fill="toself",
            fillcolor=fill,
        )


def zero_label(region: float | None) -> str:
    """Return the label of the equivalence region, or of the zero line without one."""
    return f"equivalence margin: \N{PLUS-MINUS SIGN}{region:g}" if region else ZERO


def side_labels(low: str, high: str, *, upright: bool = False) -> tuple[str, str]:
    """Return unescaped labels of the low and high side of a difference axis: left and right, or below and above."""
    if upright:
        return f"\N{DOWNWARDS ARROW} {low} better", f"\N{UPWARDS ARROW} {high} better"
    return f"\N{LEFTWARDS ARROW} {low} better", f"{high} better \N{RIGHTWARDS ARROW}"


def write_sides(
    fig: go.Figure,
    words: tuple[str, str],
    anchor: str,
    lifts: tuple[float, float],
    style: Style,
    region: float | None = None,
    start: float = 0.0,
) -> None:
    """Write side labels and the label of zero (or of the equivalence region) above the plot.

    `lifts` are the heights of both in px above the plot; the x range must already be set. The left
    label begins `start` px from the left end of the plot.
    """
    for x, side, label, right in ((0, "left", words[0], start), (1, "right", words[1], 0.0)):
        at = {"refs": "paper, paper", "anchor": f"{side}, {anchor}", "shift": (right, lifts[0])}
        traces.add_text(fig, text.escape(label), x, 1, style.size, **at)
    low, high = fig.layout.xaxis.range
    zero = -low / (high - low)
    side = "left" if zero < 0.12 else "right" if zero > 0.88 else "center"
    at = {"refs": "x, paper", "anchor": f"{side}, {anchor}", "shift": (0, lifts[1])}
    traces.add_text(fig, zero_label(region), 0, 1, style.size, style.second, **at)


def difference_axis_title(
    measure: object, joint: str, first: str, second: str, room: float, share: float, style: Style
) -> str:
    """Return an escaped axis title such as "error, a − b", shortened to `room` px.

    If it is too long, the measure takes at most `share` of the room; a short name leaves room for
    the other.
    """
    size, serif = style.size, style.serif

    def joined(what: str, a: str, b: str) -> str:
        return f"{what}{joint}{a} \N{MINUS SIGN} {b}"

    what, a, b = text.plain_text(measure), text.plain_text(first), text.plain_text(second)
    if text.text_width(joined(what, a, b), size, serif) > room:
        room -= text.text_width(joined("", "", ""), size, serif)
        what = text.shorten([what], share * room, size, serif=serif)[what]
        room -= text.text_width(what, size, serif)
        least = min(text.text_width(name, size, serif) for name in (a, b))
        short = text.shorten([a, b], max(room / 2, room - least), size, serif=serif)
        a, b = short[a], short[b]
    return text.escape(joined(what, a, b))


_TICKS = 6  # number of ticks on axes that had a fixed tick distance
_FINEST = 8  # decimals


def enable_zoom(fig: go.Figure, axes: str) -> None:
    """Make visible "x", "y" or both ("xy") axes zoomable by dragging a box, and fix all other axes.

    Examples
    --------
    >>> fig = go.Figure()
    >>> enable_zoom(fig, "xy")
    >>> fig.layout.dragmode
    'zoom'
    """
    fig.update_layout(dragmode="zoom", modebar={"bgcolor": "rgba(0,0,0,0)"})
    fig.for_each_xaxis(_free if "x" in axes else _fix)
    fig.for_each_yaxis(_free if "y" in axes else _fix)


def free_axes(fig: go.Figure) -> list[str]:
    """Return the zoomable axes, such as ``["xaxis", "yaxis"]``; [] without zoom or with several panels."""
    axes = [*fig.select_xaxes(), *fig.select_yaxes()]
    free = [
        axis.plotly_name for axis in axes if axis.fixedrange is False and axis.range is not None
    ]
    return free if can_zoom(fig) and len(free) == len({name[0] for name in free}) else []


def crop_axes(fig: go.Figure, ranges: Mapping[str, tuple[float, float]]) -> go.Figure:
    """Return a copy of a printed figure with other axis ranges and ticks; raise SettingError unless low < high."""
    fig = go.Figure(fig)
    for name, (low, high) in ranges.items():
        if low >= high:
            raise SettingError.of(
                "The range of an axis needs an end above its beginning", low=low, high=high
            )
        axis = fig.layout[name]
        ends = (high, low) if axis.range[0] > axis.range[1] else (low, high)
        axis.update(range=ends, tickmode="auto", dtick=None, tickvals=None, ticktext=None)
        axis.update(nticks=_TICKS, tickformat=None)
    fig.update_traces(cliponaxis=True, selector={"type": "scatter"})
    return fig


def can_zoom(fig: go.Figure) -> bool:
    """Return whether a figure can be zoomed."""
    return fig.layout.dragmode == "zoom"


def _fix(axis) -> None:
    axis.fixedrange = True


def _free(axis) -> None:
    """Make an axis zoomable, with automatic ticks unless its tick labels are names; fix it if it is invisible."""
    if axis.visible is False:
        axis.fixedrange = True
        return
    axis.fixedrange = False
    if axis.tickmode == "array" and _say_where(axis.ticktext or (), axis.tickvals or ()):
        # no limit along x, where Plotly would rotate many labels into the axis title
        count = len(axis.tickvals) + 1 if axis.plotly_name.startswith("y") else None
        axis.update(tickmode="auto", nticks=count, tickvals=None, ticktext=None)
        axis.tickformatstops = _stops("")
    elif axis.dtick is not None:
        form = axis.tickformat or ""
        axis.update(dtick=None, tickmode="auto", nticks=_TICKS, tickformat=None)
        axis.tickformatstops = _stops(form)


def _stops(form: str) -> list[dict]:
    """Return Plotly tick formats by tick distance, with as many decimals as each needs, in percent if `form` is."""
    unit = "%" if form.endswith("%") else "f"
    spared = 2 if unit == "%" else 0
    stops = [
        {
            "dtickrange": [0.99 * 10.0**-places, 9.9 * 10.0**-places],
            "value": f".{max(places - spared, 0)}{unit}",
        }
        for places in range(1, _FINEST + 1)
    ]
    return [*stops, {"dtickrange": [0.99, None], "value": f",.0{unit}"}]


def _say_where(labels: Iterable, positions: Iterable) -> bool:
    """Return whether tick labels state their positions as numbers, so that automatic labels can replace them."""
    try:
        values = [float(str(label).translate({0x2212: "-", ord(","): None})) for label in labels]
    except ValueError:
        return False
    return all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(values, positions, strict=True))


#: Gap above the label of a slider, and height added for the slider, in px.
_SLIDER_GAP, _SLIDER_HEIGHT = 6, 86


def slider_step(value: float, is_default: bool, args: Sequence[Any]) -> dict[str, Any]:
    """Return a slider step: label, and arguments of Plotly's `update` method."""
    label = f"{value:g}, chosen" if is_default else f"{value:g}"
    return {"method": "update", "label": label, "args": list(args)}


def add_slider(
    fig: go.Figure, steps: Sequence[dict[str, Any]], active: int, prefix: str, style: Style
) -> None:
    """Add a slider below a figure in place, and increase the height of the figure."""
    bottom_margin = fig.layout.margin.b or 0
    font = {"family": style.family, "color": style.ink}
    fig.update_layout(
        height=fig.layout.height + _SLIDER_HEIGHT,
        margin_b=bottom_margin + _SLIDER_HEIGHT,
        sliders=[
            {
                "active": active,
                "steps": list(steps),
                "x": 0,
                "len": 1,
                "y": 0,
                "yanchor": "top",
                "pad": {"t": bottom_margin + _SLIDER_GAP, "b": 0, "l": 0, "r": 0},
                "currentvalue": {
                    "prefix": prefix,
                    "xanchor": "left",
                    "font": {**font, "size": style.size},
                },
                "font": {**font, "size": style.tick_size},
                "bgcolor": style.leader,
                "activebgcolor": style.accent,
                "bordercolor": style.leader,
                "borderwidth": 1,
                "tickcolor": style.leader,
                "ticklen": 5,
                "minorticklen": 5,
                "transition": {"duration": 0},
            }
        ],
    )
