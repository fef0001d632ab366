"""Figures of average ranks and groups: critical-difference diagrams, planes, matrices."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from foldwise.figure_specs.figure_spec import (
    MOST_NAMES,
    Colours,
    FigureSpec,
    FigureVariants,
    SliderLevels,
    cached_figure,
    colors_of,
    screen_selection,
    tested_line,
)
from foldwise.figure_specs.pair_figures import Effects, matrix_of
from foldwise.figures import cd_diagram as cd
from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.cd_against_control import alt_control, caption_control, cd_diagram_control
from foldwise.figures.clique_plane import alt_clique_plane, clique_plane
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.comparison.kinds.several_measures import SeveralOnMeasures
from stats_core.core.formatting import format_count, format_set, join_names
from stats_core.core.significance import significant
from stats_core.inference.multiplicity.cliques import cliques, split_levels

MOST_IN_PLANE = 20  # largest number of algorithms with distinguishable names and groups
DISTANCE = "Mahalanobis distance of the means"
HOW_PLANE = (
    "Each mark is the mean of an algorithm, each outline a group of which no pair is separated; an "
    "algorithm may stand in several. Look for marks without an outline: they differ from all others. "
    "Marks that lie apart within an outline are not alike, the test just does not tell them apart."
)
HOW_MATRIX = (
    "A vector of measures has no direction. The table of means shows which algorithm is better in each "
    "measure."
)


@cached_figure
def plane_drawing(
    analysis: SeveralOnMeasures,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    lit: Collection[str] = (),
) -> FigureSpec | None:
    """Return means and groups in the plane of two measures; None for many algorithms."""
    if len(analysis.names) > MOST_IN_PLANE:
        return None
    means, groups = analysis.means.iloc[:, :2], analysis.groups
    first, second = means
    look = {"highlight": highlight, "colours": colours, "lit": lit}
    singles = [group[0] for group in groups if len(group) == 1]
    scope = f" Groups are those of all of {analysis.label}." if len(analysis.measures) > 2 else ""
    separated = (
        f" In none: {join_names(singles, 12)}, separated from all others." if singles else ""
    )
    return FigureSpec(
        name=f"cliques_{analysis.dataset}_{'_'.join(analysis.measures)}",
        title=f"Groups not separated, by {first} and {second}",
        how_to_read=HOW_PLANE,
        alt=alt_clique_plane(means, groups),
        data=means.rename_axis("algorithm"),
        build=_of_groups(analysis, groups, **look).build,
        caption=lambda _: (
            "Means over "
            f"{analysis.counted}; an outline holds a group of which no pair is separated at "
            f"{analysis.settings.alpha:g}, and no other mean.{scope}{separated}"
        ),
        tested=tested_line(analysis),
    )


@cached_figure(at_every_level=True)
def _of_groups(
    analysis: SeveralOnMeasures, groups: Sequence[Sequence[str]], **look: Any
) -> FigureSpec:
    """Return the part of `plane_drawing` that depends on the level by the groups only."""
    means = analysis.means.iloc[:, :2]

    def build(style: Style) -> go.Figure:
        lit = screen_selection(look["lit"], style)
        palette = colors_of(look["colours"], analysis.results.algorithms, look["highlight"], style)
        return clique_plane(means, groups, style=style, colours=palette, lit=lit)

    return FigureSpec(
        name=f"groups_{analysis.dataset}",
        title="Groups not separated",
        how_to_read=HOW_PLANE,
        alt=alt_clique_plane(means, groups),
        data=means,
        build=enable_zoom(build),
    )


@cached_figure
def matrix_drawing(analysis: SeveralOnMeasures, *, most: int = MOST_NAMES) -> FigureSpec:
    """Return the matrix of all pairs: distances above, adjusted p-values below."""
    order = analysis.order[:most]
    half = analysis.details().pivot(index="first", columns="second", values="estimate")
    half = half.reindex(index=order, columns=order).fillna(0.0)
    return matrix_of(
        analysis,
        Effects(values=half + half.T, name=DISTANCE, sided=False),
        analysis.adjusted.loc[order, order],
        order,
        name=f"pairs_{analysis.dataset}_{'_'.join(analysis.measures)}",
        measure=analysis.label,
        over=str(analysis.counted),
        data=analysis.details(),
        more=HOW_MATRIX,
    )


_SLIDES = (
    " The slider shows the groups at other levels by the same test. A level that is chosen after seeing "
    "its groups does not bound the error rate."
)
HOW_CONTROL = (
    "The diamond is the control at its average rank, 1 is best; a filled dot differs from it, a hollow "
    "one is not separated. Look which filled dots stand on the better side. Two dots are not "
    "compared with each other here, only each with the control."
)

#: More steps cannot be distinguished on a slider, which then has the usual levels.
_MOST_STEPS = 60
_USUAL = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
#: With more algorithms, the groups at all levels would make the page too large.
_MOST_SLIDING = 24
_MOST_SAID = 12  # largest number of groups in a sentence


def how_cd(what: str, *, slides: bool) -> str:
    """Return how to read the diagram; `what` is averaged, `slides` says if it has a slider."""
    return (
        f"Each stem is an algorithm at its average {what} over the data sets; {cd.FIRST_OF[what]}. "
        "A bar joins "
        "algorithms that do not differ significantly, so algorithms that share no bar do. No "
        "significant difference does not mean equal. Dotted parts of a bar skip algorithms outside "
        f"the group.{_SLIDES if slides else ''}"
    )


def slider_levels(
    adjusted: pd.DataFrame | pd.Series, alpha: float, what: str = "a group splits"
) -> tuple[list[float], str]:
    """Return the levels of the slider and their description; none for many algorithms."""
    if len(adjusted) > _MOST_SLIDING:
        return [], ""
    levels: Collection[float] = split_levels(adjusted)
    words = f"the levels at which {what}"
    if len(levels) > _MOST_STEPS:
        levels, words = _USUAL, f"usual levels, as {what} at more than {_MOST_STEPS}"
    return sorted({_USUAL[0], alpha, *levels}), words


def groups_by_level(
    adjusted: pd.DataFrame, alpha: float
) -> tuple[dict[float, list[tuple[str, ...]]], str]:
    """Return the groups at each level of `slider_levels`, and a description of the levels."""
    levels, words = slider_levels(adjusted, alpha)
    return {level: cliques(adjusted, level) for level in levels}, words


def describe_groups(groups: Iterable[Collection[str]], level: float) -> str:
    """Return a sentence that names the groups of which no pair is separated.

    Examples
    --------
    >>> describe_groups([("a", "b"), ("c",)], 0.05)
    'Groups not separated at 0.05: {a, b}'
    """
    real = [group for group in groups if len(group) > 1]
    named = " ".join(format_set(group) for group in real[:_MOST_SAID])
    omission = f" and {len(real) - _MOST_SAID} more" if len(real) > _MOST_SAID else ""
    return f"Groups not separated at {level:g}: {named or 'none'}{omission}"


def _against_said(adjusted: pd.Series, control: str, level: float) -> str:
    """Return a sentence on which algorithms differ from the control."""
    others = adjusted.drop(control, errors="ignore")
    differ, open_ = (
        ", ".join(others.index[mask])
        for mask in (significant(others, level), ~significant(others, level))
    )
    return (
        f"At {level:g} differ from {control}: {differ or 'none'}. Not separated: {open_ or 'none'}."
    )


def best_ranked(
    analysis: RanksComparison | PublishedRanks, most: int | None
) -> tuple[pd.Series, tuple[tuple[str, ...], ...]]:
    """Return the average ranks and groups of the `most` best algorithms."""
    ranks = analysis.friedman.average_ranks
    if most is None or len(ranks) <= most:
        return ranks, analysis.groups
    best = analysis.order[:most]
    among = cliques(analysis.adjusted.loc[best, best], analysis.settings.alpha)
    return ranks[best], tuple(sorted(among, key=lambda group: ranks[list(group)].mean()))


@cached_figure
def cd_drawing(
    analysis: RanksComparison | PublishedRanks,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    most: int | None = MOST_NAMES,
    **options,
) -> FigureSpec:
    """Return the critical-difference diagram of average ranks."""
    ranks, groups = best_ranked(analysis, most)
    published = isinstance(analysis, PublishedRanks)
    measure, alpha = analysis.settings.measure, analysis.settings.alpha
    ruler = None
    if analysis.critical_difference is not None:
        ruler = (analysis.critical_difference, f"Nemenyi, \u03b1 = {alpha:g}")
    shape = dict(options)
    levels, steps = groups_by_level(analysis.adjusted.loc[ranks.index, ranks.index], alpha)
    options |= {"levels": levels}
    about = {
        "ruler": ruler is not None,
        "steps": steps,
        "tests": f"{analysis.post}, \u03b1 = {alpha:g}",
        "total": len(analysis.order),
    }

    def build(style: Style) -> go.Figure:
        return cd.cd_diagram(
            ranks,
            groups,
            style=style,
            critical_difference=ruler,
            pvalues=analysis.adjusted,
            selected=screen_selection(selected, style),
            highlight=highlight,
            colours=colours,
            chosen=alpha,
            **options,
        )

    return FigureSpec(
        name="average_ranks" if published else f"ranks_{measure}",
        title="Average ranks" if published else f"Average ranks of {measure}",
        how_to_read=how_cd("rank", slides=bool(levels)),
        alt=cd.alt(
            ranks,
            groups,
            measure=measure,
            over=format_count(analysis.friedman.n, "data set"),
            alpha=alpha,
        ),
        data=ranks.rename("average rank").rename_axis("algorithm").sort_values().to_frame(),
        build=build,
        caption=lambda style: cd.caption(ranks, groups, style=style, **options, **about),
        tested=tested_line(analysis),
        steps=SliderLevels(
            of="Level",
            said={
                level: describe_groups(groups_at_level, level)
                for level, groups_at_level in levels.items()
            },
            chosen=alpha,
        )
        if levels
        else None,
        forms=FigureVariants(
            taken=lambda style: cd.diagram_form(
                ranks, groups, style=style, critical_difference=ruler, highlight=highlight, **shape
            ),
            made=lambda form: cd_drawing(
                analysis,
                highlight=highlight,
                colours=colours,
                selected=selected,
                most=most,
                **{**shape, "form": form},
            ),
        ),
    )


@cached_figure
def control_drawing(analysis: ControlComparison, **options) -> FigureSpec:
    """Return the diagram of average ranks with the control marked."""
    ranks, alpha = analysis.friedman.average_ranks, analysis.settings.alpha
    ruler = None
    if analysis.critical_difference is not None:
        ruler = (analysis.critical_difference, f"Bonferroni-Dunn, \u03b1 = {alpha:g}")
    against = (ranks, analysis.control, analysis.adjusted, alpha)
    shape = dict(options)
    levels, steps = slider_levels(analysis.adjusted, alpha, "a dot changes")
    options |= {"levels": levels}

    def build(style: Style) -> go.Figure:
        return cd_diagram_control(*against, style=style, critical_difference=ruler, **options)

    return FigureSpec(
        name=f"control_{analysis.settings.measure}",
        title=f"Average ranks of {analysis.settings.measure} against {analysis.control}",
        how_to_read=HOW_CONTROL,
        alt=alt_control(*against, over=format_count(analysis.friedman.n, "data set")),
        data=analysis.details().set_index("first"),
        build=build,
        caption=lambda style: caption_control(
            *against,
            style=style,
            tests=f"{analysis.post}, \u03b1 = {alpha:g}",
            steps=steps,
            **options,
        ),
        tested=tested_line(analysis),
        steps=SliderLevels(
            of="Level",
            said={
                level: _against_said(analysis.adjusted, analysis.control, level) for level in levels
            },
            chosen=alpha,
        )
        if levels
        else None,
        forms=FigureVariants(
            taken=lambda style: cd.diagram_form(
                ranks, (), style=style, highlight=(analysis.control,), **shape
            ),
            made=lambda form: control_drawing(analysis, **{**shape, "form": form}),
        ),
    )
