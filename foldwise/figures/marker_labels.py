"""Names beside the marks of a plane, off the lines drawn there."""

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.label_placement import (
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    candidate_positions,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.theme import Style

# what a name pays for leaving the plot, touching another, lying on a mark or on a px of a line
_OUTSIDE, _TOUCHING, _MARK, _LINE = 2000.0, 1000.0, 200.0, 2.0


def name_marks(
    fig: go.Figure,
    marks: Mapping[str, np.ndarray],
    lines: Sequence[np.ndarray],
    plane: Plane,
    style: Style,
) -> None:
    """Write each name beside its mark, off the lines where that is possible.

    Parameters
    ----------
    fig : Figure
        Gets the names as annotations.
    marks : mapping from name to array (2,)
        Where the mark stands, in px of the plane.
    lines : sequence of array (n, 2)
        What names keep off, in px of the plane.
    plane : Plane
    style : Style
    """
    shown = text.shorten(list(marks), 0.3 * style.width, style.size, serif=style.serif)
    board = PlacementBoard(
        plane.width,
        plane.height,
        gap=style.px(3, 2),
        squeezes=width_scales(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.draw({name: mark[None] for name, mark in marks.items()}, cost=_MARK, gap=style.px(7, 4))
    for line in lines:
        board.draw(points_along(line), cost=_LINE)
    gaps, led = (style.px(7, 4), style.px(28, 15)), style.px(16, 9)
    notes = []
    for name, mark in marks.items():
        places, _ = candidate_positions(mark[None], text_size(shown[name], style), gaps, led=led)
        notes.append(annotation_at(shown[name], board.put(places, name), plane, style))
    add_annotations(fig, notes)
