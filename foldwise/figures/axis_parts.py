"""Axes, ticks, zero line, equivalence region, side labels, zoom and sliders, shared by figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import Style
from stats_core.core.errors import SettingError


class AxisOptions(TypedDict, total=False):
    """Plotly properties of an axis with fixed ticks."""

    range: Sequence[float]
    tickmode: str
    tickvals: Sequence[float]
    ticktext: Sequence[str]
    tickfont: dict[str, Any]
    ticks: str
    ticklabelstandoff: float
    showline: bool
    fixedrange: bool


class SliderStep(TypedDict):
    """A step of a slider: its label, and the arguments of the Plotly method that it calls."""

    method: str
    label: str
    args: list[Any]


def ticks(low: float, high: float, most: float) -> tuple[list[float], list[str]]:
    """Return at most `most` + 1 round values between `low` and a larger `high`, and their labels.

    Examples
    --------
    >>> ticks(0.175, 0.215, 4)[1]
    ['0.18', '0.19', '0.20', '0.21']
    """
    least = (high - low) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    round_steps = (factor * power for factor in (1, 2, 5, 10))
    step = next(each for each in round_steps if each >= 0.999 * least)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    values = [multiple * step for multiple in range(first, last + 1)]
    return values, [_tick(value, decimals, step) for value in values]


def _tick(value: float, decimals: int, step: float) -> str:
    """Return a tick label with the decimals of the step, in scientific notation for very small or large steps."""
    if decimals <= 4 and step < 1e5:
        sign = "\N{MINUS SIGN}" if round(value, decimals) < 0 else ""
        return f"{sign}{abs(value):,.{decimals}f}"
    if abs(value) < step / 2:
        return "0"
    # The last digit is that of the step, so that neighbours differ.
    power_of_value = math.floor(math.log10(abs(value)) + 1e-9)
    power_of_step = math.floor(math.log10(step) + 1e-9)
    digits = max(power_of_value - power_of_step, 0)
    mantissa, power = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(power)}".replace("-", "\N{MINUS SIGN}")


def add_panels(
    count: int,
    titles: Sequence[str] | Callable[[float], Iterable[str]],
    style: Style,
    *,
    left: float,
    height: float,
    shared: bool = False,
) -> tuple[go.Figure, list[traces.Subplot], float]:
    """Return a figure of `count` subplots in rows as even as possible, row and column of each, and their width in px.

    `titles` are names to be shortened, or a function of the width that returns the titles. The
    margin `left` is in text sizes, and the `height` of a row in px. Without `shared`, each subplot
    has numbers of its own at the left.
    """
    em = style.size
    rows, columns = _grid(count, style)
    width = style.width - (left + 1) * em
    between = (2.4 if shared else 3) * em
    panel_width = (width - (columns - 1) * between) / columns
    if callable(titles):
        shown = list(titles(panel_width))
    else:
        shown = list(text.shorten(titles, panel_width, em, serif=style.serif).values())
    margin = {"l": left * em, "r": em, "t": (2.4 if shown else 1) * em, "b": 3.4 * em}
    fig = theme.new_figure(style, rows * height, margin=margin)
    plot_height = rows * height - margin["t"] - margin["b"]
    fig.set_subplots(
        rows,
        columns,
        subplot_titles=[text.escape(title) for title in shown] or None,
        horizontal_spacing=between / width,
        vertical_spacing=5 * em / plot_height if rows > 1 else 0,
        shared_yaxes="all" if shared else False,
    )
    fig.update_annotations(font_size=em, yshift=style.px(6, 4))
    subplots: list[traces.Subplot] = [
        {"row": row, "col": column}
        for row in range(1, rows + 1)
        for column in range(1, columns + 1)
    ]
    for unused in subplots[count:]:
        fig.update_xaxes(visible=False, **unused).update_yaxes(visible=False, **unused)
    return fig, subplots[:count], panel_width


def _grid(count: int, style: Style) -> tuple[int, int]:
    """Return the numbers of rows and columns of `count` subplots, in rows as even as possible."""
    most_columns = int(max(style.width // style.px(300, 150), 1))
    fewest_rows = math.ceil(count / most_columns)
    columns = math.ceil(count / fewest_rows)
    return math.ceil(count / columns), columns


def padded_range(low: float, high: float) -> tuple[float, float]:
    """Return an axis range with 6% more on either side; an empty one is widened by 5% of its value, or 0.5 at zero."""
    pad = 0.06 * (high - low)
    if pad == 0:
        pad = 0.05 * abs(high) or 0.5
    return low - pad, high + pad


def tick_step(reach: float, most: float) -> float:
    """Return the smallest of 1, 2 and 5 times powers of ten that divides a length `reach` into at most `most` steps."""
    power = 10.0 ** math.floor(math.log10(reach / most))
    round_steps = (power * factor for factor in (1, 2, 5, 10))
    return next(step for step in round_steps if reach / step <= most)


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
        spacing = math.log10(digits[1]) / (high - low)  # of the first two ticks, as a share
        if spacing * most >= 1:
            values = [digit * 10.0**power for power in powers for digit in digits]
            break
    else:
        inside = [power for power in powers if low <= power <= high]
        every = math.ceil(len(inside) / most)
        values = [10.0**power for power in inside[::every]]
    shown = [value for value in values if low <= math.log10(value) <= high]
    return [math.log10(value) for value in shown], [_power_tick(value) for value in shown]


def _power_tick(value: float) -> str:
    """Return the tick label of a value on a logarithmic axis."""
    return f"{value:,.0f}" if 1 <= value < 1e6 else f"{value:g}"


def tick_axis(
    at: Sequence[float], words: Sequence[str], span: Sequence[float] | None = None
) -> AxisOptions:
    """Return Plotly axis properties with fixed ticks `at`, tick labels `words` and, if given, range `span`."""
    axis: AxisOptions = {"tickmode": "array", "tickvals": at, "ticktext": words, "fixedrange": True}
    if span is not None:
        axis["range"] = span
    return axis


def names_axis(
    at: Sequence[float],
    words: Sequence[str],
    span: Sequence[float] | None = None,
    size: float | None = None,
) -> AxisOptions:
    """Return Plotly axis properties for names, without line and tick marks."""
    axis = tick_axis(at, words, span)
    axis["showline"] = False
    axis["ticks"] = ""
    if size is not None:
        axis["tickfont"] = {"size": size}
        axis["ticklabelstandoff"] = 3
    return axis


def value_axis(low: float, high: float, most: float, least: int = 0) -> AxisOptions:
    """Return Plotly axis properties for `low` to `high`: at most `most` + 1 ticks, unless `least` ticks need more."""
    positions, labels = ticks(low, high, most)
    while len(positions) < least:
        most += 1
        positions, labels = ticks(low, high, most)
    return tick_axis(positions, labels, [low, high])


#: Label of the zero line.
ZERO = "no difference"


def draw_zero(fig: go.Figure, low: float, high: float, style: Style) -> None:
    """Draw the zero line of differences."""
    traces.add_line(fig, [0, 0], [low, high], ZERO, style.ink, style.px(1.4, 0.9))


def draw_region(
    fig: go.Figure, region: float | None, low: float, high: float, style: Style
) -> None:
    """Draw the equivalence region as a background band, if there is one."""
    if not region:
        return
    traces.add_line(
        fig,
        [-region, region, region, -region],
        [low, low, high, high],
        zero_label(region),
        None,
        0,
        fill="toself",
        fillcolor=style.tint if style.colour else style.blank,
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
    size = style.size
    side_lift, zero_lift = lifts
    for x, side, label, right in ((0, "left", words[0], start), (1, "right", words[1], 0.0)):
        side_position: traces.TextOptions = {
            "refs": "paper, paper",
            "anchor": f"{side}, {anchor}",
            "shift": (right, side_lift),
        }
        traces.add_text(fig, text.escape(label), x, 1, size, **side_position)
    zero_position: traces.TextOptions = {
        "refs": "x, paper",
        "anchor": f"{_side_of_zero(*fig.layout.xaxis.range)}, {anchor}",
        "shift": (0, zero_lift),
    }
    traces.add_text(fig, zero_label(region), 0, 1, size, style.second, **zero_position)


def _side_of_zero(low: float, high: float) -> str:
    """Return the side of its label that zero is at: the nearer end of the axis, or the centre."""
    share = -low / (high - low)
    if share < 0.12:
        return "left"
    return "right" if share > 0.88 else "center"


def difference_axis_title(
    measure: object, joint: str, first: str, second: str, room: float, share: float, style: Style
) -> str:
    """Return an escaped axis title such as "error, a − b", shortened to `room` px.

    If it is too long, the measure takes at most `share` of the room; a short name leaves room for
    the other.
    """
    what, a, b = (text.plain_text(name) for name in (measure, first, second))

    def joined(what: str, a: str, b: str) -> str:
        return f"{what}{joint}{a} \N{MINUS SIGN} {b}"

    def width_of(words: str) -> float:
        return text.text_width(words, style.size, style.serif)

    def shorten(names: Sequence[str], most_px: float) -> list[str]:
        shown = text.shorten(names, most_px, style.size, serif=style.serif)
        return [shown[name] for name in names]

    if width_of(joined(what, a, b)) > room:
        room -= width_of(joined("", "", ""))
        (what,) = shorten([what], share * room)
        room -= width_of(what)
        narrower = min(width_of(a), width_of(b))
        a, b = shorten([a, b], max(room / 2, room - narrower))
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
    directions = [name[0] for name in free]  # "x" or "y"
    has_panels = len(set(directions)) < len(directions)
    return [] if has_panels or not can_zoom(fig) else free


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


def _fix(axis: Any) -> None:
    axis.fixedrange = True


def _free(axis: Any) -> None:
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


def _stops(form: str) -> list[dict[str, Any]]:
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


def _say_where(labels: Iterable[str], positions: Iterable[float]) -> bool:
    """Return whether tick labels state their positions as numbers, so that automatic labels can replace them."""
    try:
        values = [float(str(label).translate({0x2212: "-", ord(","): None})) for label in labels]
    except ValueError:
        return False
    return all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(values, positions, strict=True))


#: Gap above the label of a slider, and height added for the slider, in px.
_SLIDER_GAP, _SLIDER_HEIGHT = 6, 86


def slider_step(value: float, is_default: bool, args: Sequence[Any]) -> SliderStep:
    """Return a slider step: label, and arguments of Plotly's `update` method."""
    label = f"{value:g}, chosen" if is_default else f"{value:g}"
    return {"method": "update", "label": label, "args": list(args)}


def add_slider(
    fig: go.Figure, steps: Sequence[SliderStep], active: int, prefix: str, style: Style
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
