"""Conversion of a Plotly figure to a printable scene, and to PDF, SVG, PNG and TikZ without a browser."""

from __future__ import annotations

from typing import Literal

import plotly.graph_objects as go

from foldwise.rendering.annotations import draw_annotations, draw_key, draw_shapes, draw_title, printed_legend
from foldwise.rendering.draw_axes import axis_geometry, draw_axis, draw_zero
from foldwise.rendering.plain_figure import FigureValues
from foldwise.rendering.scene import Scene, parse_color
from foldwise.rendering.trace_shapes import draw_traces


def scene_from_figure(figure: go.Figure) -> Scene:
    """Return the lines, areas and text of a figure at their positions on the page.

    Only features used by the builders of this package are supported: numeric axes with explicit
    ranges, and traces of type scatter, bar and heatmap.
    """
    values = FigureValues(figure)
    layout, template = values.layout, values.layout.template.layout
    if not layout.width or not layout.height:
        raise ValueError("`figure` must have a width and a height; build it with foldwise.figures.theme.paper")
    scene = Scene(layout.width, layout.height, "Serif," in _words(template.font.family))
    ground = parse_color(template.paper_bgcolor or "#FFFFFF")
    scene.box((0, 0, scene.width, scene.height), ground)
    key = printed_legend(values, scene.serif)
    frame = axis_geometry(values, key.height)
    draw_shapes(scene, values, frame, "below")
    for axis in frame.axes.values():
        draw_zero(scene, frame, axis)
    draw_traces(scene, values, frame)
    for axis in frame.axes.values():
        draw_axis(scene, frame, axis)
    draw_shapes(scene, values, frame, "above")
    draw_title(scene, values)
    draw_key(scene, key)
    draw_annotations(scene, values, frame)
    return scene


def _words(family: str) -> str:
    """Return the last word of the first font family with a comma, such as "Serif,"."""
    return family.split(",")[0].strip("'\" ").split(" ")[-1] + ","


Format = Literal["pdf", "svg", "png", "tikz"]


def export(figure: go.Figure, fmt: Format, dpi: int = 300) -> bytes:
    """Return a figure as a file, at the size its layout states."""
    scene = scene_from_figure(figure)
    if fmt == "tikz":
        from foldwise.rendering.tikz import tikz  # shapely and matplotlib load slowly

        return tikz(scene).encode()
    if fmt not in ("pdf", "svg", "png"):
        raise ValueError(f"`fmt` must be pdf, svg, png or tikz; got {fmt!r}")
    from foldwise.rendering.painter import paint

    return paint(scene, fmt, dpi)
