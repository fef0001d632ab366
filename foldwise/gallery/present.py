"""Figures of comparisons over data sets that not all algorithms have."""

import plotly.graph_objects as go

from foldwise.figures.pair_matrix import alt_matrix, caption_matrix, pair_matrix
from foldwise.figures.rank_map import alt_rank_map, caption_rank_map, rank_map
from foldwise.figures.theme import Style
from foldwise.gallery.drawing import Drawing, kept
from foldwise.gallery.parts import MOST_NAMES, tested
from stats_core.comparison.kinds.present import PresentComparison

HOW_PRESENT = (
    "Above the diagonal how much better the row typically is on the data sets that both have, "
    "\u25b2 where it is better and \u25bc where the column is; below it the adjusted p-value, bold where "
    "the pair differs. Pairs rest on different data sets: the table says on how many."
)
HOW_RANKS_PRESENT = (
    "Each cell is the rank of an algorithm among those that have a result on the data set, {best} is "
    "best; a cross is a missing result. Look for columns with many crosses: their average says less."
)


@kept
def matrix_drawing(analysis: PresentComparison, *, most: int = MOST_NAMES) -> Drawing:
    """Return the matrix of all pairs: median difference above the diagonal, adjusted p below."""
    order, raw = analysis.order[:most], analysis.raw
    sign = 1 if analysis.higher_is_better else -1
    effects = sign * raw.estimates.loc[order, order]
    adjusted = analysis.adjusted.loc[order, order]
    won, tied = raw.wins.loc[order, order], raw.ties.loc[order, order]
    records = won.astype(str) + "/" + tied.astype(str) + "/" + won.T.astype(str)
    alpha, measure = analysis.settings.alpha, analysis.settings.measure
    effect = f"median advantage in {measure}"

    def build(style: Style) -> go.Figure:
        return pair_matrix(
            effects,
            adjusted,
            alpha=alpha,
            style=style,
            order=order,
            beats=analysis.beats,
            wins=records,
            effect_name=effect,
        )

    over = f"up to {raw.n} shared data sets"
    return Drawing(
        name=f"pairs_{measure}",
        title="All pairs at a glance",
        how_to_read=HOW_PRESENT,
        alt=alt_matrix(effects, adjusted, alpha=alpha, order=order, measure=measure, over=over),
        data=analysis.details().set_index(["first", "second"]),
        build=build,
        caption=lambda style: caption_matrix(
            effects,
            adjusted,
            alpha=alpha,
            style=style,
            order=order,
            beats=analysis.beats,
            effect_name=effect,
            tests=analysis.post,
            total=len(analysis.order),
        ),
        tested=tested(analysis),
    )


@kept
def rank_drawing(
    analysis: PresentComparison, *, dark: bool = False, most: int = MOST_NAMES
) -> Drawing:
    """Return the map of the ranks among those present, a cross where a result is missing."""
    order = analysis.order[:most]
    scores = analysis.scores[order]
    ranks = analysis.omnibus.ranks[order]
    scores = scores.loc[ranks.index]
    ranks = ranks.where(scores.notna()).rank(axis=1)
    ranks = ranks[ranks.notna().any(axis=1)]
    return Drawing(
        name=f"rank_map_{analysis.settings.measure}",
        title="Ranks on each data set",
        how_to_read=HOW_RANKS_PRESENT.format(best="light" if dark else "dark"),
        alt=alt_rank_map(ranks),
        data=ranks,
        build=lambda style: rank_map(ranks, scores, style=style),
        caption=lambda style: caption_rank_map(ranks, style=style, total=len(analysis.order)),
    )
