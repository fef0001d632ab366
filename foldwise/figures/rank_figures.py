"""Figures of average ranks and groups: critical-difference diagrams, planes, matrices."""

from collections.abc import Collection, Sequence
from typing import Any

import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.clique_plane import alt_clique_plane, clique_plane
from foldwise.figures.spec import (
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    screen_selection,
    tested_line,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.measure_vectors import SeveralOnMeasures
from stats_core.core.formatting import join_names

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
