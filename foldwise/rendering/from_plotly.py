"""From a Plotly figure to what is printed."""

from __future__ import annotations

import plotly.graph_objects as go

from foldwise.rendering.annotations import draw_annotations, draw_shapes, draw_title
from foldwise.rendering.draw_axes import axis_geometry, draw_axis, draw_zero
from foldwise.rendering.legend import draw_key, printed_legend
from foldwise.rendering.plain_figure import FigureValues
from foldwise.rendering.scene import Scene, parse_color
from foldwise.rendering.trace_shapes import draw_traces


def scene_from_figure(figure: go.Figure) -> Scene:
    """Which lines, areas and words does a figure consist of, and where do they stand?

    Only what the builders of this package use is understood: numbers on the axes, ranges given,
    traces of the kinds scatter, bar and heatmap.
    """
    said = FigureValues(figure)
    layout, template = said.layout, said.layout.template.layout
    if not layout.width or not layout.height:
        raise ValueError(
            "`figure` must have a width and a height; build it with foldwise.figures.theme.paper"
        )
    scene = Scene(layout.width, layout.height, "Serif," in _words(template.font.family))
    ground = parse_color(template.paper_bgcolor or "#FFFFFF")
    scene.box((0, 0, scene.width, scene.height), ground)
    key = printed_legend(said, scene.serif)
    frame = axis_geometry(said, key.height)
    draw_shapes(scene, said, frame, "below")
    for axis in frame.axes.values():
        draw_zero(scene, frame, axis)
    draw_traces(scene, said, frame)
    for axis in frame.axes.values():
        draw_axis(scene, frame, axis)
    draw_shapes(scene, said, frame, "above")
    draw_title(scene, said)
    draw_key(scene, key)
    draw_annotations(scene, said, frame)
    return scene


def _words(family: str) -> str:
    """Return the first family of a list as "Serif," or "Sans,"."""
    return family.split(",")[0].strip("'\" ").split(" ")[-1] + ","
