"""Figures of the folds of one data set: histograms, order, paired folds, normality."""

from collections.abc import Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.differences import pairs_drawing
from foldwise.figures.ordering_strip import alt_strip, caption_strip, ordering_strip
from foldwise.figures.spec import (
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    how_text,
    screen_selection,
    tested_line,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds

MOST_INTERVALS = 1_000  # largest number of pairs drawn with intervals

_JOINED = {"letters": "sharing a letter"}


def _about(analysis: OnFolds) -> dict:
    return {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}


@cached_figure
def strip_drawing(
    analysis: FoldsComparison,
    *,
    notation: str = "maximal groups",
    title: str = "",
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
) -> FigureSpec:
    """Return the order by mean with a line under each group that is not separated."""
    groups = analysis.underlined if notation == "underlines" else analysis.groups
    letters = analysis.letters if notation == "letters" else None
    groups_drawn = () if notation == "letters" else groups
    about = _about(analysis)
    look = {"highlight": highlight, "colours": colours, "selected": selected}

    return BuiltSpec(
        name=f"order_{notation}_{analysis.dataset}_{about['measure']}",
        title=title or f"Order by mean {about['measure']}",
        how_to_read=how_text(f"ordering_strip_{notation.split()[-1]}"),
        alt=alt_strip(analysis.means, groups, **about, joined=_JOINED.get(notation, "underlined together")),
        data=analysis.letters.rename_axis("algorithm").to_frame("letters").assign(mean=analysis.means),
        build=_of_groups(analysis, groups_drawn, letters, **look).figure,
        caption=lambda _: " ".join(
            sentence
            for sentence in (
                _order_words(analysis, groups_drawn, notation),
                caption_strip(analysis.means, groups_drawn, higher_is_better=analysis.higher_is_better),
            )
            if sentence
        ),
        tested=tested_line(analysis),
    )


@cached_figure(at_every_level=True)
def _of_groups(
    analysis: FoldsComparison,
    groups: Sequence[Sequence[str]],
    letters: pd.Series | None = None,
    *,
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
) -> FigureSpec:
    """Return the part of `strip_drawing` that depends on the level by the groups only."""
    about = _about(analysis)

    def build(style: Style) -> go.Figure:
        return ordering_strip(
            analysis.means,
            groups,
            style=style,
            **about,
            letters=letters,
            selected=screen_selection(selected, style),
            highlight=highlight,
            colours=colors_of(colours, analysis.results.algorithms, highlight, style),
        )

    return BuiltSpec(
        name=f"order_{analysis.dataset}_{about['measure']}",
        title=f"Order by mean {about['measure']}",
        how_to_read="",
        alt=alt_strip(analysis.means, groups, **about),
        data=analysis.means.to_frame(),
        build=build,
    )


def _order_words(analysis: FoldsComparison, groups: Collection[Collection[str]], notation: str) -> str:
    """Return a sentence that explains the order and the lines."""
    by = f"({analysis.post}, \u03b1 = {analysis.settings.alpha:g})"
    opening = f"Algorithms by mean {analysis.settings.measure}, the best first."
    if notation == "letters":
        return f"{opening} Those that share a letter are not separated {by}."
    if not any(len(group) > 1 for group in groups):
        return f"{opening} There is no line, as all pairs differ {by}."
    if notation == "underlines":
        return f"{opening} The two ends of a line are not separated {by}; inside, a pair may differ."
    return f"{opening} A line joins those that are not separated {by}, which does not make them equal."


@cached_figure
def strip_drawings(analysis: FoldsComparison, **options) -> list[FigureSpec]:
    """Return the figure of the order; two if underlines and maximal groups disagree."""
    if not analysis.notations_disagree:
        return [strip_drawing(analysis, **options)]
    titles = {
        "maximal groups": "Order, maximal groups: no pair inside is separated",
        "underlines": "Order, underlined as published: the two ends are not separated",
    }
    return [strip_drawing(analysis, notation=notation, title=title, **options) for notation, title in titles.items()]


@cached_figure
def intervals_drawing(analysis: FoldsComparison) -> FigureSpec | None:
    """Return the figure of all pairwise intervals; None without or with too many."""
    pairs = analysis.pairs()
    if pairs["low"].isna().all() or len(pairs) > MOST_INTERVALS:
        return None
    table = (
        pairs[["estimate", "low", "high", "separated"]]
        .rename(columns={"estimate": "difference", "separated": "differs"})
        .set_axis(pairs.set_index(["first", "second"]).index)
    )
    return pairs_drawing(
        analysis,
        table,
        name=f"intervals_{analysis.dataset}_{analysis.settings.measure}",
        title="Pairwise differences",
        tested=tested_line(analysis),
    )
