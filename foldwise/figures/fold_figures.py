"""Figures of the folds of one data set: histograms, order, paired folds, normality."""

from collections.abc import Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.fold_histogram import (
    alt_fold_histogram,
    caption_fold_histogram,
    fold_histogram,
)
from foldwise.figures.ordering_strip import alt_strip, caption_strip, ordering_strip
from foldwise.figures.pair_figures import Effects, matrix_of, pairs_drawing
from foldwise.figures.spec import (
    MOST_NAMES,
    BuiltSpec,
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    fold_labels,
    pairwise_differences,
    screen_selection,
    tested_line,
    win_tie_loss_texts,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.folds_base import OnFolds

MOST_INTERVALS = 1_000  # largest number of pairs drawn with intervals
MAX_HISTOGRAMS = 8  # largest number of algorithms with a histogram each

_HOW_BRICKS = (
    "Each brick is one {unit}, in bins that all algorithms share; the tick below it is its exact "
    "value, the triangle the mean. Look for how far the piles stand apart compared with their "
    "spread. Piles that overlap can still differ {unit} by {unit}, so do not judge by overlap."
)
_ORDERED = "Algorithms are ordered from best to worst mean."
HOW_STRIP = {
    "maximal groups": f"{_ORDERED} A line joins algorithms of which no two differ significantly; "
    "algorithms that share no line do. No significant difference does not mean equal. Dotted parts "
    "of a line skip algorithms outside the group.",
    "underlines": f"{_ORDERED} The two algorithms at the ends of a line do not differ significantly; "
    "algorithms between them may. No significant difference does not mean equal.",
    "letters": f"{_ORDERED} Algorithms that share a letter do not differ significantly; algorithms "
    "that share none do. No significant difference does not mean equal.",
}
_JOINED = {"letters": "sharing a letter"}
HOW_SPREAD = (
    "Each brick is a result less what its algorithm and its {unit} explain. Look for algorithms "
    "whose bricks spread much wider than others'. With few {unit}s spreads differ by chance."
)


def how_to_read_histogram(unit: str = "fold") -> str:
    """Return how to read the histograms; `unit` is a fold, run or training set."""
    return _HOW_BRICKS.format(unit=unit)


def _about(analysis: OnFolds) -> dict:
    return {"measure": analysis.settings.measure, "higher_is_better": analysis.higher_is_better}


def brick_names(analysis: OnFolds, highlight: Collection[str] = ()) -> list[str]:
    """Return the algorithms with histograms: all, or the highlighted or best ones."""
    if analysis.shape.two:
        return [analysis.first, analysis.second]
    names = list(analysis.means.index)
    if len(names) <= MAX_HISTOGRAMS:
        return names
    return [name for name in names if name in highlight] or names[:MAX_HISTOGRAMS]


@cached_figure(at_every_level=True)
def bricks_drawing(
    analysis: OnFolds,
    *,
    form: str = "automatic",
    highlight: Collection[str] = (),
    colours: Colours = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> FigureSpec:
    """Return the histograms of the results per fold, the best algorithm on top."""
    values = fold_labels(analysis.matrix[brick_names(analysis, highlight)])
    about = {**_about(analysis), "unit": analysis.unit}

    def build(style: Style) -> go.Figure:
        palette = colors_of(colours, analysis.results.algorithms, highlight, style)
        if lit and not style.printed:
            palette |= {name: style.hairline for name in values if name not in lit}
        marked = screen_selection(selected, style)
        return fold_histogram(
            values, **about, style=style, form=form, colours=palette, selected=marked
        )

    return BuiltSpec(
        name=f"folds_{analysis.dataset}_{about['measure']}",
        title=f"{about['measure']} by {analysis.unit}",
        how_to_read=how_to_read_histogram(analysis.unit),
        alt=alt_fold_histogram(values, **about),
        data=values,
        build=build,
        caption=lambda style: caption_fold_histogram(
            values, measure=about["measure"], form=form, style=style, unit=analysis.unit
        ),
    )


def plain_bricks_drawing(
    values: pd.DataFrame,
    *,
    measure: str,
    name: str,
    title: str,
    colours: Colours = None,
    how_to_read: str = "",
    unit: str = "fold",
    shown: Collection[str] | None = None,
) -> FigureSpec:
    """Return histograms of any values per fold, without a direction."""
    if shown is None:
        shown = values.mean().sort_values(kind="stable").index[:MAX_HISTOGRAMS]
    selected_values = values[list(shown)]
    about = {"measure": measure, "higher_is_better": None, "unit": unit}

    def build(style: Style) -> go.Figure:
        palette = colors_of(colours, list(values), (), style)
        return fold_histogram(selected_values, **about, style=style, form="rows", colours=palette)

    return BuiltSpec(
        name=name,
        title=title,
        how_to_read=how_to_read or how_to_read_histogram(unit),
        alt=alt_fold_histogram(selected_values, **about),
        data=values,
        build=build,
        caption=lambda style: caption_fold_histogram(
            selected_values, measure=measure, form="rows", style=style, unit=unit
        ),
    )


@cached_figure(at_every_level=True)
def spread_drawing(analysis: FoldsComparison, *, colours: Colours = None) -> FigureSpec:
    """Return the histograms of the residuals of the analysis of variance."""
    measure = analysis.settings.measure
    return plain_bricks_drawing(
        fold_labels(analysis.anova.residuals),
        measure=f"residual of {measure}",
        name=f"residuals_{analysis.dataset}_{measure}",
        title="Spread by algorithm",
        colours=colours,
        how_to_read=HOW_SPREAD.format(unit=analysis.unit),
        shown=analysis.means.index[:MAX_HISTOGRAMS],
    )


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
        how_to_read=HOW_STRIP[notation],
        alt=alt_strip(
            analysis.means, groups, **about, joined=_JOINED.get(notation, "underlined together")
        ),
        data=analysis.letters.rename_axis("algorithm")
        .to_frame("letters")
        .assign(mean=analysis.means),
        build=_of_groups(analysis, groups_drawn, letters, **look).figure,
        caption=lambda _: " ".join(
            sentence
            for sentence in (
                _order_words(analysis, groups_drawn, notation),
                caption_strip(
                    analysis.means, groups_drawn, higher_is_better=analysis.higher_is_better
                ),
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


def _order_words(
    analysis: FoldsComparison, groups: Collection[Collection[str]], notation: str
) -> str:
    """Return a sentence that explains the order and the lines."""
    by = f"({analysis.post}, \u03b1 = {analysis.settings.alpha:g})"
    opening = f"Algorithms by mean {analysis.settings.measure}, the best first."
    if notation == "letters":
        return f"{opening} Those that share a letter are not separated {by}."
    if not any(len(group) > 1 for group in groups):
        return f"{opening} There is no line, as all pairs differ {by}."
    if notation == "underlines":
        return (
            f"{opening} The two ends of a line are not separated {by}; inside, a pair may differ."
        )
    return (
        f"{opening} A line joins those that are not separated {by}, which does not make them equal."
    )


@cached_figure
def strip_drawings(analysis: FoldsComparison, **options) -> list[FigureSpec]:
    """Return the figure of the order; two if underlines and maximal groups disagree."""
    if not analysis.notations_disagree:
        return [strip_drawing(analysis, **options)]
    titles = {
        "maximal groups": "Order, maximal groups: no pair inside is separated",
        "underlines": "Order, underlined as published: the two ends are not separated",
    }
    return [
        strip_drawing(analysis, notation=notation, title=title, **options)
        for notation, title in titles.items()
    ]


@cached_figure
def matrix_drawing(analysis: FoldsComparison, *, most: int = MOST_NAMES) -> FigureSpec:
    """Return the matrix of all pairs of the `most` best algorithms on one data set."""
    measure, order = analysis.settings.measure, analysis.order[:most]
    gap = pairwise_differences(analysis.means[order]) * (1 if analysis.higher_is_better else -1)
    return matrix_of(
        analysis,
        Effects(values=gap, name=analysis.effect),
        analysis.adjusted.loc[order, order],
        order,
        name=f"pairs_{analysis.dataset}_{measure}",
        measure=measure,
        over=str(analysis.counted),
        data=analysis.details(),
        wins=win_tie_loss_texts(analysis.wins.loc[order, order], analysis.ties.loc[order, order]),
    )


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
