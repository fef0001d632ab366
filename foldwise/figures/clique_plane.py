"""Mean results in two measures, with outlines of groups without significant differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shapely import LineString, MultiPoint, Point, unary_union
from shapely.geometry.base import BaseGeometry

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import enable_zoom, value_axis
from foldwise.figures.label_placement import Plane, name_marks
from foldwise.figures.spec import (
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    screen_selection,
    tested_line,
)
from foldwise.figures.theme import DASHES, FADED, Style
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.core.formatting import join_names


def clique_plane(
    means: pd.DataFrame,
    groups: Sequence[Sequence[str]],
    *,
    style: Style,
    colours: Mapping[str, str] | None = None,
    lit: Collection[str] = (),
) -> go.Figure:
    """Draw each algorithm's mean in two measures, and outlines of groups without differences."""
    margin = {"l": style.px(58, 38), "r": style.px(20, 12), "t": style.px(16, 9)}
    margin["b"] = style.px(46, 32)
    height = style.px(460, 262)
    fig = theme.new_figure(style, height, margin=margin)
    size = (style.width - margin["l"] - margin["r"], height - margin["t"] - margin["b"])
    ranges = [_ends(means.iloc[:, i], style.px(44, 24) / px) for i, px in enumerate(size)]
    plane = Plane(x=ranges[0], y=ranges[1], width=size[0], height=size[1])
    positions = dict(zip(means.index, plane.px(means.to_numpy()), strict=True))
    outlines = []
    for index, group in enumerate([group for group in groups if len(group) > 1]):
        radius = style.px(13, 7.5) + (index % 4) * style.px(5, 3)
        outlines.append(np.array(_shape(group, positions, radius).exterior.coords))
        _outline(fig, plane.values(outlines[-1]), group, index, lit, style)
    _marks(fig, means, colours or theme.colours(list(means.index), dark=style.dark), lit, style)
    name_marks(fig, positions, outlines, plane, style)
    first, second = (text.escape(name) for name in means)
    fig.update_xaxes(title=first, **value_axis(*plane.x, 7))
    fig.update_yaxes(title=second, **value_axis(*plane.y, 7))
    return fig


def _ends(values: pd.Series, share: float) -> tuple[float, float]:
    """Return an axis range with room for outlines, a `share` of it on either side."""
    low, high = float(values.min()), float(values.max())
    room = (high - low) * share / (1 - 2 * share) or max(0.05 * abs(high), 1e-3)
    return low - room, high + room


def _shape(group: Sequence[str], positions: Mapping[str, np.ndarray], radius: float) -> BaseGeometry:
    """Return the buffered hull of the members, or a band that excludes all others."""
    members = [Point(positions[name]) for name in group]
    others = MultiPoint([positions[name] for name in positions if name not in group])
    shapes = [MultiPoint(members).convex_hull.buffer(gap) for gap in (radius, radius / 2)]
    shapes += [_band(members, others, gap) for gap in (radius / 2, radius / 4, radius / 8)]
    valid = (shape for shape in shapes if others.is_empty or not shape.intersects(others))
    return next(valid, shapes[-1])


def _band(members: Sequence[Point], others: MultiPoint, air: float) -> BaseGeometry:
    """Return a band along the minimum spanning tree of the members, bent around others."""
    graph = nx.Graph()
    for i, first in enumerate(members):
        for j in range(i):
            graph.add_edge(i, j, weight=first.distance(members[j]))
    edges = nx.minimum_spanning_edges(graph, data=False)
    return unary_union([_link(members[i], members[j], others, air) for i, j in edges])


def _link(first: Point, second: Point, others: MultiPoint, air: float) -> BaseGeometry:
    """Return a band between two points, straight or bent just enough to avoid the others."""
    ends = np.array([first.coords[0], second.coords[0]])
    direction = ends[1] - ends[0]
    normal = np.array([-direction[1], direction[0]]) / max(np.hypot(*direction), 1e-9)
    bands = [
        LineString([ends[0], ends.mean(axis=0) + bend * air * normal, ends[1]]).buffer(air)
        for bend in (0, 3, -3, 6, -6, 12, -12)
    ]
    return next((band for band in bands if not band.intersects(others)), bands[0])


def _outline(
    fig: go.Figure, points: np.ndarray, group: Sequence[str], index: int, emphasised: Collection[str], style: Style
) -> None:
    is_selected = set(emphasised) == set(group)
    width = style.px(2.6, 1.4) if is_selected else style.px(1.4, 0.8)
    fig.add_scatter(
        x=points[:, 0].tolist(),
        y=points[:, 1].tolist(),
        **traces.line_click_mode(style),
        name=text.escape("{" + ", ".join(group) + "}"),
        fill="toself",
        fillcolor="rgba(128,128,128,0.10)",
        hoveron="points",
        customdata=[list(group)] * len(points),
        meta="group",
        hovertext=f"<b>{text.escape(text.join_escaped(list(group), 8))}</b><br>no pair is separated<br>"
        + traces.click_hint("group"),
        hoverinfo="text",
        opacity=FADED if emphasised and not is_selected and not set(emphasised) & set(group) else 1.0,
        line={"color": style.second, "width": width, "dash": DASHES[index % len(DASHES)]},
    )


def _marks(
    fig: go.Figure, means: pd.DataFrame, colours: Mapping[str, str], emphasised: Collection[str], style: Style
) -> None:
    first, second = (text.escape(name) for name in means)
    for is_emphasised, indices in traces.split_by_selection(list(means.index), emphasised):
        rows = means.iloc[indices]
        traces.add_points(
            fig,
            rows.iloc[:, 0].to_list(),
            rows.iloc[:, 1].to_list(),
            "means",
            style.px(10, 5.4),
            "circle",
            [colours[name] if style.colour else style.ink for name in rows.index],
            (style.px(1, 0.6), style.ink),
            said=[
                f"<b>{text.escape(name)}</b><br>{first} {x:.4g}, {second} {y:.4g}<br>" + traces.click_hint("algorithm")
                for name, (x, y) in zip(rows.index, rows.to_numpy(), strict=True)
            ],
            opacity=1.0 if is_emphasised else FADED,
            customdata=list(rows.index),
            meta="algorithm",
        )


def alt_clique_plane(means: pd.DataFrame, groups: Sequence[Sequence[str]]) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    measures = ", ".join(text.plain_text(name) for name in means)
    shown_groups = ["{" + ", ".join(map(text.plain_text, group)) + "}" for group in groups if len(group) > 1]
    finding = (
        f"groups not separated: {text.join_escaped(shown_groups, 6)}" if shown_groups else "every pair is separated"
    )
    return text.truncate_text(f"Means of {len(means)} algorithms in ({measures}); {finding}.")


MOST_IN_PLANE = 20  # largest number of algorithms with distinguishable names and groups
HOW_PLANE = (
    "Each mark is the mean of an algorithm, each outline a group of which no pair is separated; an "
    "algorithm may stand in several. Look for marks without an outline: they differ from all others. "
    "Marks that lie apart within an outline are not alike, the test just does not tell them apart."
)


@cached_figure
def plane_drawing(
    analysis: SeveralOnMeasures, *, highlight: Collection[str] = (), colours: Colours = None, lit: Collection[str] = ()
) -> FigureSpec | None:
    """Return means and groups in the plane of two measures; None for many algorithms."""
    if len(analysis.names) > MOST_IN_PLANE:
        return None
    means, groups = analysis.means.iloc[:, :2], analysis.groups
    first, second = means
    look = {"highlight": highlight, "colours": colours, "lit": lit}
    singles = [group[0] for group in groups if len(group) == 1]
    scope = f" Groups are those of all of {analysis.label}." if len(analysis.measures) > 2 else ""
    separated = f" In none: {join_names(singles, 12)}, separated from all others." if singles else ""
    return BuiltSpec(
        name=f"cliques_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=f"Groups not separated, by {first} and {second}",
        how_to_read=HOW_PLANE,
        alt=alt_clique_plane(means, groups),
        data=means.rename_axis("algorithm"),
        build=_of_groups(analysis, groups, **look).figure,
        caption=lambda _: (
            "Means over "
            f"{analysis.counted}; an outline holds a group of which no pair is separated at "
            f"{analysis.settings.alpha:g}, and no other mean.{scope}{separated}"
        ),
        tested=tested_line(analysis),
    )


@cached_figure(at_every_level=True)
def _of_groups(analysis: SeveralOnMeasures, groups: Sequence[Sequence[str]], **look: Any) -> FigureSpec:
    """Return the part of `plane_drawing` that depends on the level by the groups only."""
    means = analysis.means.iloc[:, :2]

    def build(style: Style) -> go.Figure:
        lit = screen_selection(look["lit"], style)
        palette = colors_of(look["colours"], analysis.results.algorithms, look["highlight"], style)
        return clique_plane(means, groups, style=style, colours=palette, lit=lit)

    return BuiltSpec(
        name=f"groups_{analysis.dataset}",
        title="Groups not separated",
        how_to_read=HOW_PLANE,
        alt=alt_clique_plane(means, groups),
        data=means,
        build=enable_zoom(build),
    )
