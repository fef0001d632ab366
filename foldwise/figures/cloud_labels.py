"""Names of clouds: beside their contours, or with their marks."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.cloud_parts import Clouds
from foldwise.figures.ellipses import ellipse, gaussian_radius
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    annotation_box,
    join_points,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.theme import MARKERS

#: How far out a name may stand, in radii of its contour; beyond the second a line leads to it.
_OUT = np.array((1.0, 1.12, 1.3, 1.55, 1.85, 2.2))
_DIRECTIONS = 24
#: A name stands beside its contour, not above or below it, that much off the middle.
_OFF_CENTRE = 0.35
#: What a name costs that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _TOUCHING, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4
#: So many names at most stand beside contours; hover says the others.
_NAMED = 20
_SIGNS = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))


def write_names(fig: go.Figure, clouds: Clouds) -> None:
    """Write each name beside its outer contour where no mark lies; a line leads to a distant one."""
    style = clouds.style
    names = [pen.name for pen in clouds.pens if pen.own][:_NAMED] or list(clouds.folds)[:_NAMED]
    folds = {name: clouds.folds[name] for name in names}
    radius = gaussian_radius(max(clouds.levels)) if clouds.levels else 1.0
    margin = fig.layout.margin
    plane = Plane(
        x=clouds.window[0],
        y=clouds.window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    rings = {
        name: plane.px(ellipse(clouds.mean(name), clouds.covariances[name], radius))
        for name in folds
    }
    tables = [table.to_numpy(dtype=float) for table in folds.values()]
    marks = plane.px(np.concatenate([*tables, *(table.mean(axis=0)[None] for table in tables)]))
    board = PlacementBoard(
        plane.width,
        plane.height,
        gap=style.px(4, 2.5),
        squeezes=width_scales(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.draw(marks, cost=_MARK, gap=style.px(4, 2.5))
    lines = {name: points_along(ring) for name, ring in rings.items()}
    board.draw(lines, cost=_RING, gap=style.px(12, 7))
    board.draw(join_points(lines.values()), cost=_RING)
    for note in fig.layout.annotations:
        board.take(annotation_box(note, plane, style))
    shown = text.shorten(list(folds), 0.35 * style.width, style.size, serif=style.serif)
    labels = {
        name: board.put(_around(rings[name], text_size(words, style)), name)
        for name, words in shown.items()
    }
    add_annotations(
        fig, [annotation_at(shown[name], label, plane, style) for name, label in labels.items()]
    )


def _around(ring: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return the places of a name around a contour, and farther out with a line that leads there."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    centre, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    steps = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    out = np.repeat(_OUT, len(steps))
    points = np.tile(ring[steps], (len(_OUT), 1))
    away = points - centre
    far = np.abs(away / half) > _OFF_CENTRE
    offset = np.sign(away) * far * (np.array(size) / 2)
    offset[:, 1][(offset == 0).all(axis=1)] = size[1] / 2
    return Candidates.of(
        points, offset + (out - 1)[:, None] * away, size, 8 * (out - 1), out > _OUT[1]
    )


def write_key(fig: go.Figure, clouds: Clouds) -> None:
    """Write the names with their marks into the empty upper triangle."""
    size = clouds.style.size
    for place, pen in enumerate(clouds.pens[:12]):
        at = {"refs": "paper, paper", "anchor": "right, top", "shift": (0, -1.5 * size * place)}
        # the mark comes last: its font may be wider than is measured
        mark = f'<span style="color:{pen.colour}">{_SIGNS[pen.symbol]}</span>'
        traces.add_text(fig, f"{text.escape(pen.name)} {mark}", 1, 1, size, **at)
