"""Conversion of Plotly figures to a scene, and export to PDF, SVG, PNG and TikZ without a browser."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from foldwise.rendering import scene
from foldwise.rendering.scene import (
    CLEAR,
    LINE,
    Box,
    Colour,
    Disc,
    LineStyle,
    Scene,
    ScenePath,
    rendering_text,
)
from stats_core.core.validation import check_one_of

Format = Literal["pdf", "svg", "png", "tikz"]
_DASHES = {
    "dot": (1, 1),
    "dash": (3, 3),
    "longdash": (5, 5),
    "dashdot": (3, 1, 1, 1),
    "longdashdot": (5, 2, 1, 2),
}
_TEXT_PAD = 3  # px between a bar and the text beyond its end
_INK = "#444444"  # Plotly's default colour
_ROOM = {True: 80, False: 40}  # px per automatic tick label: horizontal, vertical
# baselines of upright tick labels in font sizes, 0.5 otherwise
_UPRIGHT: dict[tuple[float, int], float] = {(-90, 1): 0.7, (90, -1): 0.35}
_ALIGNED: dict[str | None, str] = {"left": "start", "right": "end"}
_OUT = {"bottom": 1, "right": 1, "top": -1, "left": -1}  # direction away from the plot
_TO_WORDS, _GAP, _SWATCH = 40.0, 5.0, (5.0, 35.0)  # px, of legend items


def scene_from_figure(figure: go.Figure) -> Scene:
    """Return the scene of a figure: lines, areas and text at page positions.

    Only features used by the builders of this package are supported: numeric axes with explicit
    ranges, and traces of type scatter, bar and heatmap. Others raise ValueError.
    """
    printed = PrintedFigure(figure)
    printed.draw_shapes("below")
    for axis in printed.axes.values():
        printed.draw_zero(axis)
    printed.draw_traces()
    for axis in printed.axes.values():
        printed.draw_axis(axis)
    printed.draw_shapes("above")
    printed.draw_title()
    printed.draw_legend()
    printed.draw_annotations()
    return printed.scene


def export(figure: go.Figure, fmt: str, dpi: int = 300) -> bytes:
    """Return a figure as file content, at the size its layout states; raise ValueError for other formats."""
    printed = scene_from_figure(figure)
    if fmt == "tikz":
        from foldwise.rendering import tikz  # shapely and matplotlib load slowly

        return tikz.tikz(printed).encode()
    from foldwise.rendering import painter

    painted: painter.Format = check_one_of(fmt, ("pdf", "svg", "png"), "fmt")
    return painter.paint(printed, painted, dpi)


def _not_printable(what: str) -> ValueError:
    return ValueError(rendering_text("from_plotly.not_printable", what=what))


# containers of other values; an absent container is read as an empty one
_PARTS = {
    "annotationdefaults",
    "error_x",
    "error_y",
    "font",
    "layout",
    "legend",
    "line",
    "margin",
    "marker",
    "pad",
}
_PARTS |= {"template", "textfont", "tickfont", "title"}


class PlainFigure:
    """Figure properties with attribute access; unset properties are None, unset containers are empty.

    Examples
    --------
    >>> axis = PlainFigure({"title": {"text": "error"}, "range": [0, 1]})
    >>> axis.title.text, axis["range"], axis.dtick, axis.tickfont.size
    ('error', [0, 1], None, None)
    """

    __slots__ = ("_properties",)

    def __init__(self, properties: dict[str, Any]) -> None:
        self._properties = properties

    def __getattr__(self, name: str) -> Any:
        """Return a property: a value, a nested PlainFigure, or a tuple of them."""
        value = self._properties.get(name)
        if isinstance(value, dict) or (value is None and name in _PARTS):
            return PlainFigure(value or {})
        if name in ("annotations", "data", "shapes"):
            return tuple(map(PlainFigure, value or ()))
        return value

    __getitem__ = __getattr__

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the properties that are set."""
        return iter(self._properties)


def plain_values(figure: go.Figure) -> PlainFigure:
    """Return the traces and the layout of a figure as plain values.

    Examples
    --------
    >>> plain_figure = plain_values(go.Figure(go.Bar(y=[1, 2]), layout={"width": 300}))
    >>> plain_figure.data[0].type, plain_figure.layout.width, plain_figure.layout.margin.l
    ('bar', 300, None)
    """
    # The JSON of a figure has encoded arrays.
    traces = [trace.to_plotly_json() for trace in figure.data]
    return PlainFigure({"data": traces, "layout": figure.layout.to_plotly_json()})


def _first(*values: Any) -> Any:
    """Return the first value that is not None."""
    return next(value for value in values if value is not None)


def _each(value: str | float | Iterable[Any] | None, n: int, default: object = None) -> Sequence:
    """Return one value per point; a scalar, or `default` in place of None, is repeated."""
    if value is None or isinstance(value, str | int | float):
        return [default if value is None else value] * n
    return list(value)


def dash_lengths(name: str | None, width: float) -> tuple[float, ...]:
    """Return the lengths of dashes and gaps in px, () for a solid line.

    Examples
    --------
    >>> dash_lengths("dash", 1), dash_lengths("4px,2px", 1), dash_lengths("solid", 1)
    ((9, 9), (4.0, 2.0), ())
    """
    if name in (None, "", "solid"):
        return ()
    if name in _DASHES:
        return tuple(max(width, 3) * part for part in _DASHES[name])
    return tuple(float(part.removesuffix("px")) for part in name.replace(" ", "").split(","))


def _pen(line: PlainFigure, opacity: float = 1.0, width: float = 2) -> LineStyle:
    """Return the line style of a Plotly line."""
    width = _first(line.width, width)
    colour = scene.parse_color(line.color or _INK, opacity)
    return LineStyle(colour, width, dash_lengths(line.dash, width))


@dataclass(slots=True, eq=False)
class Axis:
    """An axis: its properties, template defaults, and position on the page.

    Attributes
    ----------
    name : str
        Name as in traces, such as "x", "x2" or "y".
    settings, defaults : PlainFigure
        The axis in the figure and in the template.
    start, length : float
        Position of its left or top end, and its length, in px.
    low, high : float
        Ends of the range, at the left or bottom and at the right or top.
    """

    name: str
    settings: PlainFigure
    defaults: PlainFigure
    start: float
    length: float
    low: float
    high: float

    def of(self, path: str, default: Any = None) -> Any:
        """Return a property from the figure, else from the template, else `default`."""
        for value in (self.settings, self.defaults):
            for key in path.split("."):
                value = None if value is None else value[key]
            if value is not None:
                return value
        return default

    @property
    def across(self) -> bool:
        """Whether the axis is horizontal."""
        return self.name.startswith("x")

    @property
    def side(self) -> str:
        """Side of the plot at which the axis is drawn."""
        return self.of("side", "bottom" if self.across else "left")

    def px(self, value: float | str | None) -> float:
        """Return the position of a value in px; NaN for None."""
        if value is None:
            return math.nan
        return self.share((float(value) - self.low) / (self.high - self.low))

    def share(self, value: float) -> float:
        """Return the px position at a share of the axis length."""
        return self.start + (value if self.across else 1 - value) * self.length

    def within(self, value: float, slack: float = 1e-9) -> bool:
        """Return whether a value is in the axis range."""
        share = (float(value) - self.low) / (self.high - self.low)
        return -slack <= share <= 1 + slack

    def point(self, along: float, across: float) -> tuple[float, float]:
        """Return the page position of px along the axis and px across it."""
        return (along, across) if self.across else (across, along)

    def ticks(self) -> list[tuple[float, str]]:
        """Return values and labels of the ticks within the range of the axis."""
        if self.of("tickmode") == "array" or self.settings.tickvals is not None:
            values = [float(value) for value in self.settings.tickvals or ()]
            labels = self.settings.ticktext
            if labels is None:
                labels = [self._label(value, _decimals(values)) for value in values]
            labelled = zip(values, labels, strict=False)
            return [(value, label) for value, label in labelled if self.within(value, 1e-4)]
        step = self.of("dtick") or self._step()
        start = self.of("tick0") or 0.0
        low, high = sorted((self.low, self.high))
        first = math.ceil((low - start) / step - 1e-4)
        last = math.floor((high - start) / step + 1e-4)
        values = [start + multiple * step for multiple in range(first, last + 1)]
        return [(value, self._label(value, _decimals([step]))) for value in values]

    def _step(self) -> float:
        """Return the distance between ticks, 1, 2 or 5 times a power of ten, as Plotly chooses it."""
        n_labels = min(max(self.length / _ROOM[self.across], 4), 9)
        n_ticks = self.of("nticks") or n_labels + 1
        least = abs(self.high - self.low) / n_ticks
        power = 10.0 ** math.floor(math.log10(least))
        steps = (factor * power for factor in (1, 2, 5, 10))
        return next(step for step in steps if step >= least * (1 - 1e-9))

    def _label(self, value: float, decimals: int) -> str:
        value = 0.0 if abs(value) < 1e-12 else value
        label = format(value, self.of("tickformat") or f".{decimals}f")
        return label.replace("-", "\N{MINUS SIGN}")


def _decimals(values: list[float]) -> int:
    """Return the largest number of decimals that values need, at most six."""
    fractions = [f"{value:.6f}".rstrip("0").partition(".")[2] for value in values]
    return max(map(len, fractions), default=0)


def _label_distance(axis: Axis, font: scene.Font, length: float, turn: float) -> float:
    """Return the distance of tick labels from an axis in px; `turn` is their angle."""
    distance = length * math.cos(math.radians(turn))
    if turn and length:
        distance += 1
    if axis.of("ticks") == "outside" or axis.of("showline"):
        distance += 0.2 * font.size
    return distance + axis.of("linewidth", 1) / 2 + axis.of("ticklabelstandoff", 0)


def _shift_of(note: PlainFigure) -> np.ndarray:
    """Return the shift of an annotation in px, right and down."""
    return np.array([note.xshift or 0, -(note.yshift or 0)])


def _panel_box(x: Axis, y: Axis) -> Box:
    """Return the plot area of an x axis and a y axis."""
    return x.start, y.start, x.start + x.length, y.start + y.length


def _outside(panel: Box, x: float, y: float) -> bool:
    """Return whether a point lies more than a pixel outside a panel."""
    left, top, right, bottom = panel
    is_inside_across = left - 1 <= x <= right + 1
    is_inside_down = top - 1 <= y <= bottom + 1
    return not (is_inside_across and is_inside_down)


#: Points of the latest trace on each pair of axes.
Previous = dict[tuple[str, str], np.ndarray]


class PrintedFigure:
    """Figure while it is converted: properties, axes at page positions, and the scene."""

    def __init__(self, figure: go.Figure) -> None:
        """Convert properties and axes of a figure to the page; raise ValueError if its layout has no size."""
        values = plain_values(figure)
        self.traces = values.data
        self.layout = values.layout
        self.template = self.layout.template.layout
        if not self.layout.width or not self.layout.height:
            raise ValueError(rendering_text("from_plotly.no_size"))
        family = self.template.font.family.split(",")[0].strip("'\" ")
        has_serifs = family.split(" ")[-1] == "Serif"
        self.scene = Scene(self.layout.width, self.layout.height, has_serifs)
        ground = scene.parse_color(self.template.paper_bgcolor or "#FFFFFF")
        self.scene.box((0, 0, self.scene.width, self.scene.height), ground)
        self.legend = self._legend()
        # The axis pairs of the traces.
        pairs = ((trace.xaxis or "x", trace.yaxis or "y") for trace in self.traces)
        self.pairs = tuple(dict.fromkeys(pairs))
        self.box = self._plot_area()
        self.axes = self._axes()

    def _font(self, font: PlainFigure, default: PlainFigure | None = None) -> scene.Font:
        default = default or self.template.font
        size = font.size or default.size
        colour = font.color or default.color
        return scene.Font(size, colour, self.scene.serif)

    def _plot_area(self) -> Box:
        """Return the ends of the plot area below the legend, with margins rounded to whole px as in Plotly."""
        margins = {}
        for side, default in (("l", 80), ("r", 80), ("t", 100), ("b", 80)):
            margin = _first(self.layout.margin[side], self.template.margin[side], default)
            margins[side] = math.floor(margin + 0.5)
        top = max(margins["t"], self.legend.height)
        right = self.layout.width - margins["r"]
        return margins["l"], top, right, self.layout.height - margins["b"]

    def _axes(self) -> dict[str, Axis]:
        """Return the axes that have a range, by name, at their positions on the page."""
        configured = [name for name in sorted(self.layout) if name.startswith(("xaxis", "yaxis"))]
        referenced = {f"{axis[0]}axis{axis[1:]}" for pair in self.pairs for axis in pair}
        axes = {}
        for name in dict.fromkeys(["xaxis", "yaxis", *configured, *sorted(referenced)]):
            axis = self._axis(name, self.layout[name] or PlainFigure({}))
            if axis is not None:
                axes[axis.name] = axis
        for axis in axes.values():
            if axis.settings.scaleanchor:
                _square(axis, axes[axis.settings.scaleanchor])
        return axes

    def _axis(self, name: str, settings: PlainFigure) -> Axis | None:
        """Return an axis at its position on the page, None without a range; raise ValueError if it is not linear."""
        if settings.type not in (None, "-", "linear"):
            raise _not_printable(f"an {name} of type {settings.type}")
        if settings.range is None:
            return None
        first, last = _first(settings.domain, (0, 1))
        left, top, right, bottom = self.box
        if name.startswith("x"):
            whole = right - left
            start = left + first * whole
        else:
            whole = bottom - top
            start = top + (1 - last) * whole
        low, high = settings.range
        return Axis(
            name=name[0] + name[5:],
            settings=settings,
            defaults=self.template[name[:5]],
            start=start,
            length=(last - first) * whole,
            low=float(low),
            high=float(high),
        )

    def _crossing(self, axis: Axis) -> Axis:
        """Return the perpendicular axis to which an axis is anchored."""
        own, opposite = (0, 1) if axis.across else (1, 0)
        partners = (pair[opposite] for pair in self.pairs if pair[own] == axis.name)
        return self.axes[axis.of("anchor") or next(partners, "yx"[own])]

    def _position(self, reference: str, value: float, letter: str) -> float:
        """Return the px position of a coordinate relative to axis, axis domain or plot area."""
        if reference == "paper":
            left, top, right, bottom = self.box
            if letter == "x":
                return left + value * (right - left)
            return bottom - value * (bottom - top)
        name, _, domain = reference.partition(" ")
        axis = self.axes[name]
        return axis.share(value) if domain else axis.px(value)

    # Axes

    def draw_zero(self, axis: Axis) -> None:
        """Draw the zero line of an axis, if it has one and zero is inside its range."""
        is_shown = axis.of("visible") is not False and axis.of("zeroline")
        if not is_shown or not axis.within(0, -1e-9):
            return
        colour = scene.parse_color(axis.of("zerolinecolor", _INK))
        pen = LineStyle(colour, axis.of("zerolinewidth", 1))
        position = axis.px(0)
        crossing = self._crossing(axis)
        ends = (crossing.start, crossing.start + crossing.length)
        self.scene.line([axis.point(position, end) for end in ends], pen)

    def draw_axis(self, axis: Axis) -> None:
        """Draw line, ticks, tick labels and title of an axis, unless it is invisible."""
        if axis.of("visible") is False:
            return
        direction = _OUT[axis.side]
        crossing = self._crossing(axis)
        line_width = axis.of("linewidth", 1)
        edge = crossing.start + (crossing.length if direction > 0 else 0)
        middle = edge + direction * line_width / 2
        if axis.of("showline"):
            start = axis.start
            end = axis.start + axis.length
            if axis.across:  # the line covers the corner
                has_line = crossing.of("showline") and crossing.of("visible") is not False
                corner = crossing.of("linewidth", 1) if has_line else 0
                start -= corner if crossing.side == "left" else 0
                end += corner if crossing.side == "right" else 0
            pen = LineStyle(scene.parse_color(axis.of("linecolor")), line_width)
            self.scene.line([axis.point(start, middle), axis.point(end, middle)], pen)
        ticks = axis.ticks()
        length = axis.of("ticklen", 5) if axis.of("ticks") == "outside" else 0
        if axis.of("ticks") == "outside":
            pen = LineStyle(scene.parse_color(axis.of("tickcolor")), axis.of("tickwidth", 1))
            start = middle + direction * line_width / 2
            for value, _ in ticks:
                ends = (start, start + direction * length)
                self.scene.line([axis.point(axis.px(value), end) for end in ends], pen)
        label_end = self._draw_tick_labels(axis, ticks, middle, direction, length)
        self._draw_axis_title(axis, edge, direction, max(direction * (label_end - edge), length))

    def _draw_tick_labels(
        self,
        axis: Axis,
        ticks: list[tuple[float, str]],
        middle: float,
        direction: int,
        length: float,
    ) -> float:
        """Draw the tick labels and return the px of their outer edge, `middle` without labels."""
        if axis.of("showticklabels") is False:
            return middle
        font = self._axis_font(axis, "tickfont")
        angle = axis.of("tickangle")
        is_turned = axis.across and isinstance(angle, int | float) and angle != 0
        turn = float(angle) if is_turned else 0.0
        distance = _label_distance(axis, font, length, turn)
        outer = max if direction > 0 else min
        edge = middle
        for value, label in ticks:
            if not str(label).strip():
                continue
            block = scene.layout_markup(label, font)
            position = axis.px(value)
            offset = middle + direction * distance
            if not axis.across:
                edge = outer(edge, self._write_at_side(block, offset, position, direction))
            elif turn:
                position += direction * length * math.sin(math.radians(turn))
                self._write_turned(block, position, offset, direction, turn)
                edge += direction * block.width
            else:
                edge = outer(edge, self._write_level(block, position, offset, direction))
        return edge

    def _write_at_side(
        self, block: scene.TextBlock, offset: float, position: float, direction: int
    ) -> float:
        """Write a tick label next to a vertical axis; return its outer edge in px."""
        further_lines = LINE * block.font.size * (len(block.lines) - 1)
        baseline = position + 0.35 * block.font.size - further_lines / 2
        self.scene.write(block, offset, baseline, "end" if direction < 0 else "start")
        return offset + direction * block.width

    def _write_level(
        self, block: scene.TextBlock, position: float, offset: float, direction: int
    ) -> float:
        """Write a tick label above or below an axis; return its outer edge in px."""
        if direction > 0:
            baseline = offset + block.font.size
        else:
            further_lines = LINE * block.font.size * (len(block.lines) - 1)
            baseline = offset - 0.2 * block.font.size - further_lines
        self.scene.write(block, position, baseline, "middle")
        top = baseline - block.ascent
        return top + block.height if direction > 0 else top

    def _write_turned(
        self, block: scene.TextBlock, position: float, offset: float, direction: int, angle: float
    ) -> None:
        """Write a tick label turned by an angle above or below a horizontal axis."""
        size = block.font.size
        if abs(angle) == 90:
            baseline = offset + _UPRIGHT.get((angle, direction), 0.5) * size
            position += 0.175 * angle / 90 * size
        elif direction > 0:
            baseline = offset + size
        else:
            baseline = offset - 0.2 * size - LINE * size * (len(block.lines) - 1)
        anchor = "end" if angle * direction < 0 else "start"
        turn = (angle, position, baseline - size / 2)
        self.scene.write(block, position, baseline, anchor, turn=turn)

    def _axis_font(self, axis: Axis, path: str) -> scene.Font:
        size = axis.of(f"{path}.size")
        colour = axis.of(f"{path}.color")
        return scene.Font(size, colour, self.scene.serif)

    def _draw_axis_title(self, axis: Axis, edge: float, direction: int, depth: float) -> None:
        """Write the title of an axis, if it has one, beyond its tick labels, which take `depth` px."""
        title = axis.of("title.text")
        if not title:
            return
        block = scene.layout_markup(title, self._axis_font(axis, "title.font"))
        size = block.font.size
        standoff = axis.of("title.standoff", 6)
        middle = axis.start + axis.length / 2
        if axis.across and direction > 0:
            correction = max(0.0, 2 - standoff - (0.7 * size - block.ascent))
            baseline = edge + depth + standoff + 0.7 * size + correction
            largest_baseline = self.scene.height - (block.height - block.ascent)
            self.scene.write(block, middle, min(baseline, largest_baseline), "middle")
            return
        distance = depth + standoff
        if direction > 0:
            distance += 0.7 * size
        else:
            distance += 0.35 * size + LINE * size * (len(block.lines) - 1)
        position = edge + direction * distance
        if axis.across:
            self.scene.write(block, middle, position, "middle")
        else:
            position = max(position, block.ascent)  # keeps the title on the page
            self.scene.write(block, position, middle, "middle", turn=(-90, position, middle))

    # Traces

    def draw_traces(self) -> None:
        """Draw all traces in Plotly's order: heatmaps, then bars, then lines and points.

        Raises ValueError for a trace of another type.
        """
        for kind, draw in (
            ("heatmap", self._draw_cells),
            ("bar", self._draw_bars),
            ("scatter", self._draw_scatter),
        ):
            previous: Previous = {}
            for trace in self.traces:
                if trace.type == kind and trace.visible in (None, True):
                    x = self.axes[trace.xaxis or "x"]
                    y = self.axes[trace.yaxis or "y"]
                    is_clipped = kind == "heatmap" or trace.cliponaxis is not False
                    draw(trace, x, y, _panel_box(x, y) if is_clipped else None, previous)
        if unknown := {trace.type for trace in self.traces} - {"heatmap", "bar", "scatter"}:
            raise _not_printable(f"a trace of type {unknown.pop()}")

    def _draw_scatter(
        self, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, previous: Previous
    ) -> None:
        """Draw area, error bars, line, markers and texts of a trace, and record its points in `previous`."""
        pairs = zip(_first(trace.x, ()), _first(trace.y, ()), strict=False)
        positions = [(x.px(x_value), y.px(y_value)) for x_value, y_value in pairs]
        points = np.array(positions).reshape(-1, 2)
        opacity = _first(trace.opacity, 1.0)
        mode = trace.mode or "lines"
        if trace.fill not in (None, "none"):
            self._fill(trace, points, previous.get((x.name, y.name)), clip, opacity)
        previous[x.name, y.name] = points
        for bar, axis in ((trace.error_x, x), (trace.error_y, y)):
            if bar.array is not None and bar.visible is not False:
                self._draw_errors(bar, axis, trace[axis.name[0]], points, clip)
        if "lines" in mode:
            pen = _pen(trace.line, opacity)
            check_one_of(trace.line.shape or "linear", ("linear",), "shape")
            for segment in _runs(points):
                self.scene.line(segment, pen, clip)
        panel = _panel_box(x, y) if clip else None
        if "markers" in mode:
            self._draw_markers(trace, points, panel, opacity)
        if "text" in mode:
            self._draw_texts(trace, points, panel, opacity)

    def _fill(
        self,
        trace: PlainFigure,
        points: np.ndarray,
        previous: np.ndarray | None,
        clip: Box | None,
        opacity: float,
    ) -> None:
        """Fill the area of a trace, or between it and any previous one on the same axes; ValueError for other fills."""
        check_one_of(trace.fill, ("toself", "tonexty"), "fill")
        colour = scene.parse_color(trace.fillcolor, opacity)
        rings = tuple(_runs(points))
        if trace.fill == "tonexty":
            if previous is None:
                return
            closed = np.concatenate([points, previous[::-1]])
            rings = (closed[np.isfinite(closed).all(axis=1)],)
        self.scene.parts.append(ScenePath(rings, True, colour, clip=clip))

    def _draw_errors(
        self,
        bar: PlainFigure,
        axis: Axis,
        values: Sequence[float],
        points: np.ndarray,
        clip: Box | None,
    ) -> None:
        """Draw the error bars of a trace along an axis, with caps."""
        pen = LineStyle(scene.parse_color(bar.color), _first(bar.thickness, 2))
        rows = zip(points, values, bar.array, _first(bar.arrayminus, bar.array), strict=False)
        for point, value, plus, minus in rows:
            middle = point[1 if axis.across else 0]
            ends = [axis.px(value + plus), axis.px(value - minus)]
            self.scene.line([axis.point(end, middle) for end in ends], pen, clip)
            for end in ends:
                caps = (middle - bar.width, middle + bar.width)
                self.scene.line([axis.point(end, cap) for cap in caps], pen, clip)

    def _draw_markers(
        self, trace: PlainFigure, points: np.ndarray, panel: Box | None, opacity: float
    ) -> None:
        """Draw the markers of a trace, but none outside the panel if one is given."""
        marker = trace.marker
        count = len(points)
        attributes = zip(
            points,
            _each(marker.symbol, count, "circle"),
            _each(marker.size, count, 6),
            _each(marker.color, count, _INK),
            _each(marker.line.color, count, _INK),
            _each(marker.line.width, count, 0),
            _each(marker.opacity, count, 1.0),
            _each(marker.angle, count, 0.0),
            strict=False,
        )
        for (x, y), symbol, size, fill, edge, edge_width, own_opacity, angle in attributes:
            if not math.isfinite(x + y) or not size or (panel and _outside(panel, x, y)):
                continue
            strength = opacity * own_opacity
            pen = LineStyle(scene.parse_color(edge, strength), edge_width)
            colour = scene.parse_color(fill, strength)
            self._draw_mark((x, y), symbol, size / 2, colour, pen, angle)

    def _draw_mark(
        self,
        at: tuple[float, float],
        symbol: str,
        radius: float,
        fill: Colour,
        pen: LineStyle,
        angle: float = 0.0,
    ) -> None:
        """Draw one symbol, rotated clockwise by `angle`; draw nothing if it is invisible."""
        kind = symbol.removesuffix("-open")
        if kind != symbol:
            fill, pen = CLEAR, LineStyle(fill, pen.width or 1)
        visible_pen = pen if pen.seen else None
        if not fill[3] and visible_pen is None:
            return
        if kind == "circle":
            self.scene.parts.append(Disc(*at, radius, fill, visible_pen))
            return
        rings = tuple(ring + np.array(at) for ring in scene.mark_outline(kind, radius, angle))
        closed = kind in scene.CLOSED
        self.scene.parts.append(ScenePath(rings, closed, fill if closed else CLEAR, visible_pen))

    def _draw_texts(
        self, trace: PlainFigure, points: np.ndarray, panel: Box | None, opacity: float
    ) -> None:
        """Write the texts of a trace next to its points, but none outside the panel if one is given."""
        count = len(points)
        default = self.template.font
        attributes = zip(
            points,
            _each(trace.text, count, ""),
            _each(trace.textposition, count, "middle center"),
            _each(trace.textfont.size, count, default.size),
            _each(trace.textfont.color, count, default.color),
            _each(trace.marker.size if "markers" in trace.mode else 0, count, 6),
            strict=False,
        )
        for (x, y), markup, position, size, colour, marker_size in attributes:
            if not markup or not math.isfinite(x + y) or (panel and _outside(panel, x, y)):
                continue
            block = scene.layout_markup(markup, scene.Font(size, colour, self.scene.serif))
            clearance = marker_size / 2 / 0.8 + 1 if marker_size else 0
            vertical = ("bottom" in position) - ("top" in position)
            horizontal = ("right" in position) - ("left" in position)
            lines = (len(block.lines) - 1) * LINE + 1
            block_shift = (vertical - 1) * lines * size / 2
            baseline_shift = 0.75 * size + vertical * clearance + block_shift
            anchor = {-1: "end", 1: "start", 0: "middle"}[horizontal]
            self.scene.write(
                block, x + horizontal * clearance, y + baseline_shift, anchor, opacity=opacity
            )

    def _draw_bars(
        self, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, previous: Previous
    ) -> None:
        """Draw the bars of a trace with their outlines, and their texts beyond their ends."""
        horizontal = trace.orientation == "h"
        along, across = (x, y) if horizontal else (y, x)
        values, positions = (trace.x, trace.y) if horizontal else (trace.y, trace.x)
        count = len(values)
        marker = trace.marker
        opacity = _first(trace.opacity, 1.0)
        attributes = zip(
            positions,
            values,
            _each(trace.base, count, 0),
            _each(trace.width, count, 0.8),
            _each(marker.color, count, _INK),
            _each(marker.line.color, count, _INK),
            _each(marker.line.width, count, 0),
            _each(trace.text, count, ""),
            strict=False,
        )
        for position, value, base, bar_width, fill, edge, pen_width, markup in attributes:
            if value is None or not math.isfinite(value):
                continue
            sides = across.px(position - bar_width / 2), across.px(position + bar_width / 2)
            start = along.px(base or 0)
            end = along.px((base or 0) + value)
            left, top = along.point(min(start, end), min(sides))
            right, bottom = along.point(max(start, end), max(sides))
            box = (left, top, right, bottom)
            if left != right and top != bottom:
                colour = scene.parse_color(fill, opacity)
                pen = LineStyle(scene.parse_color(edge, opacity), pen_width)
                self.scene.box(box, colour, pen if pen.seen else None, clip)
            if markup:
                block = scene.layout_markup(markup, self._font(trace.textfont))
                self._write_beyond(box, horizontal, end >= start, block)

    def _write_beyond(
        self, box: Box, horizontal: bool, forward: bool, block: scene.TextBlock
    ) -> None:
        """Write a text beyond the end of a bar."""
        left, top, right, bottom = box
        breadth = bottom - top if horizontal else right - left
        pad = _TEXT_PAD if breadth > 2 * _TEXT_PAD else 0
        if horizontal:
            distance = pad + block.width / 2
            x = right + distance if forward else left - distance
            y = (top + bottom) / 2
        else:
            distance = pad + block.height / 2
            x = (left + right) / 2
            y = bottom + distance if forward else top - distance
        self.scene.write(block, x, y - block.height / 2 + block.ascent, "middle")

    def _draw_cells(
        self, trace: PlainFigure, x: Axis, y: Axis, clip: Box | None, previous: Previous
    ) -> None:
        """Draw the cells of a heat map; missing cells remain empty."""
        shares = [share for share, _ in trace.colorscale]
        channels = np.array([scene.parse_color(name) for _, name in trace.colorscale]).T
        low, high = trace.zmin, trace.zmax
        xs = _edges(trace.x)
        ys = _edges(trace.y)
        for row, values in enumerate(trace.z):
            for column, value in enumerate(values):
                if value is None or not math.isfinite(value):
                    continue
                left, right = sorted(map(x.px, xs[column : column + 2]))
                top, bottom = sorted(map(y.px, ys[row : row + 2]))
                share = (value - low) / (high - low) if high > low else 0.0
                red, green, blue, opacity = (
                    float(np.interp(share, shares, channel)) for channel in channels
                )
                fill = red, green, blue, opacity
                self.scene.box((left, top, right, bottom), fill, LineStyle(fill, 0.2), clip)

    # Shapes and annotations

    def draw_shapes(self, layer: str) -> None:
        """Draw the lines and rectangles of a layer, "below" or "above"; raise ValueError for other shapes."""
        for shape in self.layout.shapes:
            if (shape.layer or "above") != layer or shape.visible is False:
                continue
            x0, x1 = self._shape_ends(shape, "x")
            y0, y1 = self._shape_ends(shape, "y")
            pen = _pen(shape.line, _first(shape.opacity, 1.0))
            x = self.axes.get(shape.xref or "x")
            y = self.axes.get(shape.yref or "y")
            clip = None if x is None or y is None else _panel_box(x, y)
            if shape.type == "line":
                self.scene.line([(x0, y0), (x1, y1)], pen, clip)
            elif shape.type == "rect":
                fill = CLEAR if shape.fillcolor is None else scene.parse_color(shape.fillcolor)
                box = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
                self.scene.box(box, fill, pen if pen.seen else None, clip)
            else:
                raise _not_printable(f"a shape of type {shape.type}")

    def _shape_ends(self, shape: PlainFigure, letter: str) -> tuple[float, ...]:
        """Return both ends of a shape in px."""
        reference = shape[f"{letter}ref"] or letter
        values = (shape[f"{letter}0"], shape[f"{letter}1"])
        if shape[f"{letter}sizemode"] == "pixel":
            base = self._position(reference, shape[f"{letter}anchor"], letter)
            return tuple(base + (value if letter == "x" else -value) for value in values)
        return tuple(self._position(reference, value, letter) for value in values)

    def draw_annotations(self) -> None:
        """Draw the visible annotations within the ranges of their axes, with backgrounds and arrows."""
        for note in self.layout.annotations:
            if note.visible is False or not str(note.text or ""):
                continue
            x_is_inside = self._is_inside(note.xref or "x", note.x)
            if x_is_inside and self._is_inside(note.yref or "y", note.y):
                self._draw_note(note)

    def _is_inside(self, reference: str, value: float) -> bool:
        """Return whether a coordinate is in the range of its axis, if it refers to one."""
        axis = self.axes.get(reference)
        return axis is None or axis.within(value)

    def _draw_note(self, note: PlainFigure) -> None:
        """Draw an annotation: background, border, text, and the shaft of its arrow."""
        defaults = self.template.annotationdefaults
        block = scene.layout_markup(note.text, self._font(note.font))
        border = _first(note.borderwidth, defaults.borderwidth, 1)
        pad = _first(note.borderpad, defaults.borderpad, 1) + border
        width = block.width + 2 * pad
        height = block.height + 2 * pad
        if _first(note.showarrow, defaults.showarrow, False):
            middle = self._middle_with_arrow(note, width, height)
        else:
            middle = self._middle_without_arrow(note, width, height)
        x, y = middle.tolist()
        left = x - width / 2
        top = y - height / 2
        self._draw_background(note, left, top, width, height)
        align = _ALIGNED.get(note.align, "middle")
        start = left + pad + {"start": 0, "middle": 0.5, "end": 1}[align] * block.width
        angle = note.textangle or 0
        turn = (angle, x, y) if angle else None
        opacity = _first(note.opacity, 1.0)
        self.scene.write(block, start, top + pad + block.ascent, align, turn=turn, opacity=opacity)

    def _labelled_point(self, note: PlainFigure) -> np.ndarray:
        """Return the position of an annotation in px, without its shift."""
        x = self._position(note.xref or "x", note.x, "x")
        return np.array([x, self._position(note.yref or "y", note.y, "y")])

    def _middle_with_arrow(self, note: PlainFigure, width: float, height: float) -> np.ndarray:
        """Draw the arrow of an annotation, and return the centre of its box."""
        head = self._labelled_point(note)
        shift = _shift_of(note)
        tail = head + (note.ax or 0, note.ay or 0)
        right = _fraction(note.xanchor, 0.5, "left", "right")
        down = _fraction(note.yanchor, 0.5, "top", "bottom")
        turned = math.radians(note.textangle or 0)
        upright = turned - math.pi / 2
        along = np.array([math.cos(turned), math.cos(upright)])
        across = np.array([math.sin(turned), math.sin(upright)])
        offset = width * along * right - height * across * down
        middle = tail + offset + shift
        half = np.array([width, height]) / 2
        self._draw_arrow(note, tail + shift, head + shift, middle - half, middle + half)
        return middle

    def _middle_without_arrow(self, note: PlainFigure, width: float, height: float) -> np.ndarray:
        """Return the centre of the box of an annotation without an arrow."""
        turned = math.radians(note.textangle or 0)
        sine = abs(math.sin(turned))
        cosine = abs(math.cos(turned))
        extent = np.array([width * cosine + height * sine, width * sine + height * cosine])
        right = _fraction(note.xanchor, _auto(note.xref, note.x), "left", "right")
        down = _fraction(note.yanchor, _auto(note.yref, 1 - note.y), "top", "bottom")
        return self._labelled_point(note) + extent * (right, down) + _shift_of(note)

    def _draw_background(
        self, note: PlainFigure, left: float, top: float, width: float, height: float
    ) -> None:
        """Draw the background and the border of an annotation, if they are visible."""
        colour = scene.parse_color(note.bordercolor or "rgba(0,0,0,0)")
        pen = LineStyle(colour, note.borderwidth or 0)
        fill = scene.parse_color(note.bgcolor) if note.bgcolor else CLEAR
        if pen.seen or fill[3]:
            inset = pen.width / 2
            box = (left + inset, top + inset, left + width - inset, top + height - inset)
            self.scene.box(box, fill, pen if pen.seen else None)

    def _draw_arrow(
        self,
        note: PlainFigure,
        tail: np.ndarray,
        head: np.ndarray,
        low: np.ndarray,
        high: np.ndarray,
    ) -> None:
        """Draw the shaft of an arrow outside of the box of its text; raise ValueError for an arrowhead."""
        if note.arrowhead not in (None, 0):
            raise _not_printable("an arrowhead")
        step = head - tail
        ends = np.where(step > 0, high, low)  # of the box, in the direction of the arrow
        moves = step != 0
        shares = (ends[moves] - tail[moves]) / step[moves]  # of the arrow that the box covers
        tail = tail + min([1.0, *shares]) * step
        length = float(np.hypot(*(head - tail)))
        before = note.startstandoff or 0
        after = note.standoff or 0
        if length > before + after:
            unit = (head - tail) / length
            pen = LineStyle(scene.parse_color(note.arrowcolor or _INK), note.arrowwidth or 1)
            self.scene.line([tail + unit * before, head - unit * after], pen)

    # Title and legend

    def draw_title(self) -> None:
        """Draw the title above a figure, left-aligned, if it has one."""
        title = self.layout.title
        if title.text:
            block = scene.layout_markup(title.text, self._font(title.font))
            baseline = (title.pad.t or 0) + 0.7 * block.font.size
            self.scene.write(block, title.pad.l or 0, baseline, "start")

    def _legend(self) -> _PrintedLegend:
        """Return the legend of the figure, without items if the figure hides it."""
        font = self._font(self.layout.legend.font)
        items = []
        for trace in self.traces if self.layout.showlegend else ():
            if trace.showlegend is not False and trace.visible in (None, True):
                items.append((trace, scene.layout_markup(trace.name, font)))
        left = self.layout.margin.l or 0
        room = self.layout.width - left - (self.layout.margin.r or 0)
        return _PrintedLegend(tuple(items), font, left, room)

    def draw_legend(self) -> None:
        """Draw swatch and name of every legend item."""
        lift = 0.3 * LINE * self.legend.font.size
        for trace, block, x, middle in self.legend.places():
            self._draw_swatch(trace, x, middle)
            self.scene.write(block, x + _TO_WORDS, middle + lift, "start")

    def _draw_swatch(self, trace: PlainFigure, x: float, y: float) -> None:
        """Draw the sample of a legend item: a box for bars, else its line and marker."""
        middle = x + sum(_SWATCH) / 2
        marker = trace.marker
        edge_colour = scene.parse_color(marker.line.color or _INK)
        edge = LineStyle(edge_colour, marker.line.width or 0)
        if trace.type == "bar":
            box = (middle - 6, y - 6, middle + 6, y + 6)
            self.scene.box(box, scene.parse_color(marker.color), edge)
            return
        if "lines" in (trace.mode or "lines"):
            width = min(trace.line.width or 2, 10)
            dashes = dash_lengths(trace.line.dash, width)
            pen = LineStyle(scene.parse_color(trace.line.color), width, dashes)
            self.scene.line([(x + end, y) for end in _SWATCH], pen)
        if "markers" in (trace.mode or ""):
            radius = min(max(marker.size or 6, 2), 16) / 2
            fill = scene.parse_color(marker.color)
            self._draw_mark((middle, y), marker.symbol or "circle", radius, fill, edge)


def _square(axis: Axis, other: Axis) -> None:
    """Shorten the longer of two axes with a common scale, in place."""
    reach = abs(axis.high - axis.low) * (axis.settings.scaleratio or 1)
    scale = axis.length / reach
    other_scale = other.length / abs(other.high - other.low)
    longer = axis
    share = other_scale / scale
    if scale <= other_scale:
        longer = other
        share = scale / other_scale
    longer.start += (1 - share) / 2 * longer.length
    longer.length *= share


def _runs(points: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the segments of a line, split at missing points; single points are omitted."""
    is_finite = np.isfinite(points).all(axis=1)
    for indices in np.split(np.arange(len(points)), np.flatnonzero(~is_finite)):
        indices = indices[is_finite[indices]]
        if len(indices) > 1:
            yield points[indices]


def _edges(middles: Sequence[float]) -> list[float]:
    """Return the edges of cells from their centres."""
    centres = [float(value) for value in middles]
    if len(centres) == 1:
        return [centres[0] - 0.5, centres[0] + 0.5]
    inner = [(a + b) / 2 for a, b in zip(centres, centres[1:], strict=False)]
    first = 2 * centres[0] - inner[0]
    last = 2 * centres[-1] - inner[-1]
    return [first, *inner, last]


def _auto(reference: str | None, share: float) -> float:
    """Return the share of the plot area that decides an "auto" anchor, 0.5 for a position on an axis."""
    return share if reference and ("paper" in reference or "domain" in reference) else 0.5


def _fraction(anchor: str | None, share: float, low: str, high: str) -> float:
    """Return the offset from an anchor to the text centre, as a fraction of the text size."""
    if anchor in (None, "auto"):
        anchor = low if share < 1 / 3 else high if share > 2 / 3 else "middle"
    return {low: 0.5, high: -0.5}.get(anchor, 0.0)


@dataclass(frozen=True, slots=True)
class _PrintedLegend:
    """Layout of a legend in rows: items, font, left edge and available width in px."""

    items: tuple[tuple[PlainFigure, scene.TextBlock], ...]
    font: scene.Font
    left: float
    room: float

    @property
    def row(self) -> float:
        """Height of a row in px."""
        return max(LINE * self.font.size, 16) + 3

    def places(self) -> Iterator[tuple[PlainFigure, scene.TextBlock, float, float]]:
        """Yield trace, name, left edge and vertical centre of each item."""
        widths = [block.width + _TO_WORDS for _, block in self.items]
        if sum(widths) + _GAP * (len(widths) - 1) > self.room:
            widths = [max(widths)] * len(widths)
        x, row = 0.0, 0
        for (trace, block), item_width in zip(self.items, widths, strict=True):
            if x and x + item_width > self.room:
                x = 0.0
                row = row + 1
            yield trace, block, self.left + x, _GAP + (row + 0.5) * self.row
            x += item_width + _GAP

    @property
    def height(self) -> float:
        """Height of all rows with their padding, in px; 0 without items."""
        lowest = max((middle for *_, middle in self.places()), default=None)
        return 0.0 if lowest is None else lowest + self.row / 2 + _GAP
