"""Figures of comparisons over data sets with missing results."""

from foldwise.figures.rank_map import alt_rank_map, caption_rank_map, rank_map
from foldwise.figures.spec import MOST_NAMES, BuiltSpec, FigureSpec, cached_figure
from stats_core.comparison.kinds.incomplete import PresentComparison

HOW_RANKS_PRESENT = (
    "Each cell is the rank of an algorithm among those that have a result on the data set, {best} is "
    "best; a cross is a missing result. Look for columns with many crosses: their average says less."
)


@cached_figure
def rank_drawing(
    analysis: PresentComparison, *, dark: bool = False, most: int = MOST_NAMES
) -> FigureSpec:
    """Return the heat map of ranks, with a cross for each missing result."""
    order = analysis.order[:most]
    scores = analysis.scores[order]
    ranks = analysis.omnibus.ranks[order]
    scores = scores.loc[ranks.index]
    ranks = ranks.where(scores.notna()).rank(axis=1)
    ranks = ranks[ranks.notna().any(axis=1)]
    return BuiltSpec(
        name=f"rank_map_{analysis.settings.measure}",
        title="Ranks on each data set",
        how_to_read=HOW_RANKS_PRESENT.format(best="light" if dark else "dark"),
        alt=alt_rank_map(ranks),
        data=ranks,
        build=lambda style: rank_map(ranks, scores, style=style),
        caption=lambda style: caption_rank_map(ranks, style=style, total=len(analysis.order)),
    )
