"""Mean results on two measures, with outlines around groups without significant differences."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shapely import LineString, MultiPoint, Point, unary_union
from shapely.geometry.base import BaseGeometry

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import value_axis
from foldwise.figures.label_placement import Plane, name_marks
from foldwise.figures.spec import (
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    figure_text,
    tested_line,
)
from foldwise.figures.theme import DASHES, FADED, Style
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.core.formatting import measure_name

_MOST = 12  # largest number of algorithms with distinguishable names


@dataclass(frozen=True, kw_only=True, eq=False)
class CliquePlane(FigureSpec):
    """Mean of each algorithm on two measures, with outlines around groups without significant differences.

    Attributes
    ----------
    means : DataFrame, algorithm x measure
        Two measures: x, then y.
    groups : sequence of sequence of str
        Maximal groups in which no pair differs. A group of one algorithm has no outline.
    colours : mapping, optional
        Colour per algorithm; by default by position in `algorithms`.
    algorithms, highlight, lit : collection of str
        All algorithms; those that have colours if they are many; those not faded, all if empty.
    text_below : str
        The caption.
    drawn : function of a style, optional
        Returns the figure that all significance levels with these groups share; used in place of
        `draw`.
    """

    zoom: ClassVar[str] = "xy"
    how_to_read: ClassVar[str] = figure_text("clique_plane.how_to_read")
    means: pd.DataFrame
    groups: Sequence[Sequence[str]]
    algorithms: Sequence[str] = ()
    highlight: Collection[str] = ()
    lit: Collection[str] = ()
    drawn: Callable[[Style], go.Figure] | None = None

    def figure(self, style: Style) -> go.Figure:
        """Return the Plotly figure, by `drawn` if it is set."""
        return super().figure(style) if self.drawn is None else self.drawn(style)

    def without_selection(self) -> CliquePlane:
        """Return the figure in which no algorithm is faded."""
        return replace(self, lit=())

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        height = style.px(460, 262)
        margin = {
            "l": style.px(58, 38),
            "r": style.px(20, 12),
            "t": style.px(16, 9),
            "b": style.px(46, 32),
        }
        fig = theme.new_figure(style, height, margin=margin)
        plane = self._plane(
            style.width - margin["l"] - margin["r"],
            height - margin["t"] - margin["b"],
            free=style.px(44, 24),
        )
        positions = dict(zip(self.means.index, plane.px(self.means.to_numpy()), strict=True))
        outlines = []
        for index, group in enumerate(_outlined(self.groups)):
            radius = style.px(13, 7.5) + (index % 4) * style.px(5, 3)
            outline = np.array(_shape(group, positions, radius).exterior.coords)
            outlines.append(outline)
            dash = DASHES[index % len(DASHES)]
            self._draw_outline(fig, plane.values(outline), group, dash, style)
        self._draw_means(fig, style)
        name_marks(fig, positions, outlines, plane, style, numbers=False)  # the caption has no key
        first, second = map(text.escape, self.means)
        fig.update_xaxes(title=first, **value_axis(*plane.x, 7))
        return fig.update_yaxes(title=second, **value_axis(*plane.y, 7))

    def _plane(self, width: float, height: float, free: float) -> Plane:
        """Return the plane of the means, with `free` px empty at each end of both axes."""
        first, second = self.means.columns
        return Plane(
            x=_axis_range(self.means[first], free / width),
            y=_axis_range(self.means[second], free / height),
            width=width,
            height=height,
        )

    def _draw_outline(
        self, fig: go.Figure, points: np.ndarray, group: Sequence[str], dash: str, style: Style
    ) -> None:
        """Draw the outline of a group: heavier if it is the selected one, faded if none of its members is selected."""
        is_selected = set(self.lit) == set(group)
        is_faded = self.lit and not set(self.lit) & set(group)
        names = text.escape(text.join_escaped(list(group), 8))
        x, y = points.T.tolist()
        traces.add_line(
            fig,
            x,
            y,
            text.escape("{" + ", ".join(group) + "}"),
            style.second,
            style.px(2.6, 1.4) if is_selected else style.px(1.4, 0.8),
            dash=dash,
            hover_text=f"<b>{names}</b><br>no significant difference<br>{traces.click_hint('group')}",
            **traces.line_click_mode(style),
            fill="toself",
            fillcolor="rgba(128,128,128,0.10)",
            hoveron="points",
            customdata=[list(group)] * len(points),
            meta="group",
            opacity=FADED if is_faded else 1.0,
        )

    def _draw_means(self, fig: go.Figure, style: Style) -> None:
        """Draw the mean of each algorithm; those not in `lit` fade if any is."""
        first, second = map(text.escape, self.means)
        colours = colors_of(
            self.colours, self.algorithms or list(self.means.index), self.highlight, style
        )
        for is_emphasised, indices in traces.split_by_selection(list(self.means.index), self.lit):
            rows = self.means.iloc[indices]
            x, y = rows.to_numpy().T.tolist()
            hint = traces.click_hint("algorithm")
            traces.add_points(
                fig,
                x,
                y,
                "means",
                style.px(10, 5.4),
                "circle",
                [colours[name] if style.colour else style.ink for name in rows.index],
                (style.px(1, 0.6), style.ink),
                hover_text=[
                    f"<b>{text.escape(name)}</b><br>{first} {mean:.4g}, {second} {other:.4g}<br>{hint}"
                    for name, mean, other in rows.itertuples()
                ],
                opacity=1.0 if is_emphasised else FADED,
                customdata=list(rows.index),
                meta="algorithm",
            )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        unnamed = len(self.figure(style).layout.annotations) < len(self.means)
        return f"{self.text_below} {figure_text('clique_plane.unnamed') if unnamed else ''}".strip()

    @property
    def data(self) -> pd.DataFrame:
        """Table of means, algorithm x measure."""
        return self.means.rename_axis("algorithm")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        measures = list(map(text.plain_text, self.means))
        shown = [
            "{" + ", ".join(map(text.plain_text, group)) + "}" for group in _outlined(self.groups)
        ]
        groups = text.join_escaped(shown, 6)
        return text.truncate_text(
            figure_text("clique_plane.alt", n=len(self.means), measures=measures, groups=groups)
        )


@cached_figure
def plane_drawing(
    analysis: SeveralOnMeasures,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    lit: Collection[str] = (),
) -> CliquePlane | None:
    """Return means and groups in the plane of the first two measures; None for many algorithms or groups."""
    if len(analysis.names) > _MOST or len(_outlined(analysis.groups)) > len(DASHES):
        return None
    spec = _plane_of_groups(
        analysis, analysis.groups, highlight=highlight, colours=colours, lit=lit
    )
    below = figure_text(
        "clique_plane.caption",
        tested=tested_line(analysis),
        label=analysis.label if len(analysis.measures) > 2 else "",
        singles=[group[0] for group in analysis.groups if len(group) == 1],
    )
    return replace(spec, text_below=below, tested=tested_line(analysis), drawn=spec.figure)


@cached_figure(at_every_level=True)
def _plane_of_groups(
    analysis: SeveralOnMeasures,
    groups: Sequence[Sequence[str]],
    *,
    highlight: Collection[str],
    colours: Colours,
    lit: Collection[str],
) -> CliquePlane:
    """Return the figure that `plane_drawing` completes; significance levels with equal groups share it."""
    means = analysis.means.iloc[:, :2].rename(columns=measure_name)
    return CliquePlane(
        name=f"cliques_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=figure_text("clique_plane.title", measures=list(means)),
        means=means,
        groups=groups,
        algorithms=analysis.results.algorithms,
        highlight=highlight,
        colours=colours,
        lit=lit,
    )


def _outlined(groups: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the groups of several algorithms, which have an outline."""
    return [group for group in groups if len(group) > 1]


def _axis_range(values: pd.Series, share: float) -> tuple[float, float]:
    """Return an axis range that leaves the share `share` of its length free at each end."""
    low = float(values.min())
    high = float(values.max())
    room = (high - low) * share / (1 - 2 * share) or max(0.05 * abs(high), 1e-3)
    return low - room, high + room


def _shape(
    group: Sequence[str], positions: Mapping[str, np.ndarray], radius: float
) -> BaseGeometry:
    """Return the outline of a group: its buffered convex hull, else a band that excludes non-members if possible."""
    members = [Point(positions[name]) for name in group]
    others = MultiPoint([positions[name] for name in positions if name not in group])
    shapes = [MultiPoint(members).convex_hull.buffer(distance) for distance in (radius, radius / 2)]
    shapes += [
        _band(members, others, distance) for distance in (radius / 2, radius / 4, radius / 8)
    ]
    valid = (shape for shape in shapes if others.is_empty or not shape.intersects(others))
    return next(valid, shapes[-1])


def _band(members: Sequence[Point], others: MultiPoint, air: float) -> BaseGeometry:
    """Return a band along the minimum spanning tree of the members, bent around non-members."""
    graph = nx.Graph()
    for i, first in enumerate(members):
        for j in range(i):
            graph.add_edge(i, j, weight=first.distance(members[j]))
    edges = nx.minimum_spanning_edges(graph, data=False)
    return unary_union([_link(members[i], members[j], others, air) for i, j in edges])


def _link(first: Point, second: Point, others: MultiPoint, air: float) -> BaseGeometry:
    """Return a band between two points, curved as little as needed to avoid non-members; straight if no curve does."""
    ends = np.array([first.coords[0], second.coords[0]])
    direction = ends[1] - ends[0]
    normal = np.array([-direction[1], direction[0]]) / max(np.hypot(*direction), 1e-9)
    bands = [
        LineString([ends[0], ends.mean(axis=0) + bend * air * normal, ends[1]]).buffer(air)
        for bend in (0, 3, -3, 6, -6, 12, -12)
    ]
    return next((band for band in bands if not band.intersects(others)), bands[0])
