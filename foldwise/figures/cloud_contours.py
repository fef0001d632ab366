"""What is drawn over the folds: contours of their spread, regions of the means, the means."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.cloud_parts import Clouds, CloudStyle, short_hover, trace_group_name
from foldwise.figures.ellipses import ellipse, gaussian_radius
from foldwise.figures.theme import FADED
from stats_core.core.formatting import format_percent

#: Strength of the shade of a region, in colour and without.
_SHADE, _GREY_SHADE = 0.35, 0.2


def draw_rings(fig: go.Figure, clouds: Clouds, *, outer_only: bool = False, **where: int) -> None:
    """Draw the regions of the means, then the contours of the folds, a trace for each level."""
    groups = clouds.by_look()
    for pens in groups if clouds.regions else ():
        _region(fig, clouds, pens, **where)
    for pens in groups:
        every = sorted(clouds.levels)
        for level in every[-1:] if outer_only or len(pens) > 1 else every:
            inner = len(every) > 1 and level == every[0]
            _contour(fig, clouds, pens, level, inner=inner, **where)


def _contour(
    fig: go.Figure,
    clouds: Clouds,
    pens: Sequence[CloudStyle],
    level: float,
    *,
    inner: bool,
    **where: int,
) -> None:
    """Draw the contours of one level of algorithms that look alike."""
    style, unit, shaded = clouds.style, clouds.unit, bool(clouds.regions)
    inside = (
        f"{format_percent(level)} of {unit}s would fall inside<br>{traces.click_hint('algorithm')}"
    )
    rings = _outlines(clouds, pens, clouds.covariances, gaussian_radius(level), inside)
    fig.add_scatter(
        **rings,
        **traces.line_click_mode(style),
        name=f"{trace_group_name(pens)} {format_percent(level)}",
        line={
            "color": pens[0].colour,
            "width": style.px(1.8, 0.9) if inner and not shaded else style.px(1.2, 0.6),
            "dash": "dot" if inner and shaded else pens[0].dash,  # not to be taken for its edge
        },
        **where,
    )


def _region(fig: go.Figure, clouds: Clouds, pens: Sequence[CloudStyle], **where: int) -> None:
    """Shade the regions of the means of algorithms that look alike; lines are for the spread of folds."""
    style = clouds.style
    red, green, blue = (int(pens[0].colour[i : i + 2], 16) for i in (1, 3, 5))
    fig.add_scatter(
        **_region_line(clouds, pens),
        **traces.line_click_mode(style),
        name=f"{trace_group_name(pens)} region",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},{_SHADE if style.colour else _GREY_SHADE:g})",
        line={"width": 0},
        hoveron="points",
        **where,
    )


def _region_line(clouds: Clouds, pens: Sequence[CloudStyle]) -> dict:
    """Return where the regions of the means end, and what they say: all of them that hangs on the level."""
    said = f"{clouds.level} region of the mean<br>{traces.click_hint('algorithm')}"
    return _outlines(clouds, pens, clouds.regions, 1.0, said)


def with_new_regions(traces: Iterable[dict], clouds: Clouds) -> None:
    """Put the regions of the means into traces of the same clouds with others, as Plotly's JSON."""
    for trace in traces:
        if trace.get("fill") == "toself":
            inside = {owner[0] for owner in trace["customdata"] if owner}
            pens = [pen for pen in clouds.pens if pen.name in inside]
            trace.update(_region_line(clouds, pens))


def _outlines(
    clouds: Clouds,
    pens: Sequence[CloudStyle],
    shapes: Mapping[str, np.ndarray],
    radius: float,
    said: str,
) -> dict:
    """Return the ellipses of algorithms that look alike as one line with holes, and what they say."""
    step = 1 if len(pens) == 1 else 2  # half the points of a contour, which nobody can tell
    points, owners = [], []
    for pen in pens:
        ring = ellipse(clouds.mean(pen.name), shapes[pen.name], radius)[::step]
        points += [*_rounded(ring).tolist(), (None, None)]
        owners += [*[[pen.name]] * len(ring), None]
    names = [owner and text.escape(owner[0]) for owner in owners[:-1]]
    return {
        "x": [x for x, _ in points[:-1]],
        "y": [y for _, y in points[:-1]],
        "opacity": pens[0].strength,
        "customdata": owners[:-1],
        "meta": "algorithm",
        "hovertext": f"<b>{names[0]}</b><br>{said}" if len(pens) == 1 else names,
        "hoverinfo": "text",
        **short_hover(pens, said),
    }


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return the points to a ten-thousandth of their extent, in half the letters."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring


def draw_means(fig: go.Figure, clouds: Clouds, *, small: bool = False, **where: int) -> None:
    """Draw the crosses at the means, with an edge of the ground that keeps them off the marks."""
    for strength in (FADED, 1.0):
        names = [pen.name for pen in clouds.pens if pen.strength == strength]
        if names:
            _crosses(fig, clouds, names, strength, small=small, **where)


def _crosses(
    fig: go.Figure,
    clouds: Clouds,
    names: Sequence[str],
    strength: float,
    *,
    small: bool,
    **where: int,
) -> None:
    style, share = clouds.style, 0.7 if small else 1.0
    size, line = share * style.px(13, 8), style.px(1.8, 1)
    edge = {"width": line + share * style.px(4, 2.4), "color": style.page}
    centres = [clouds.mean(name).tolist() for name in names]
    fig.add_scatter(
        x=[x for x, _ in centres],
        y=[y for _, y in centres],
        mode="markers",
        name="halo",
        opacity=strength,
        hoverinfo="skip",
        marker={
            "symbol": "cross-thin",
            "opacity": 1,
            "size": size + share * style.px(3, 1.8),
            "line": edge,
        },
        **where,
    )
    draw_crosses(fig, clouds, names, (size, line, style.ink), opacity=strength, **where)


def draw_crosses(
    fig: go.Figure,
    clouds: Clouds,
    names: Sequence[str],
    look: tuple[float, float, str],
    **more: Any,
) -> None:
    """Draw a thin cross at each mean; `look` is its size, the width and the colour of its lines."""
    centres = [clouds.mean(name).tolist() for name in names]
    fig.add_scatter(
        x=[x for x, _ in centres],
        y=[y for _, y in centres],
        mode="markers",
        customdata=[[name] for name in names],
        meta="algorithm",
        hovertext=[
            f"<b>{text.escape(name)}, mean</b><br>{x:.4g}, {y:.4g}<br>{traces.click_hint('algorithm')}"
            for name, (x, y) in zip(names, centres, strict=True)
        ],
        hoverinfo="text",
        marker={
            "symbol": "cross-thin",
            "opacity": 1,
            "size": look[0],
            "line": {"width": look[1], "color": look[2]},
        },
        **{"name": "means", **more},
    )
