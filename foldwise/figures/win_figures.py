"""Figures of wins over data sets: counts, and significant differences."""

from collections.abc import Sequence

import plotly.graph_objects as go

from foldwise.figures.curve_figures import sweep_drawing
from foldwise.figures.sign_test_graph import (
    alt_sign_test_graph,
    caption_sign_test_graph,
    sign_test_graph,
)
from foldwise.figures.spec import MOST_NAMES, BuiltSpec, FigureSpec, cached_figure
from foldwise.figures.theme import Style
from foldwise.figures.wins_table import alt_wins_table, caption_wins_table, wins_table
from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.core.formatting import format_count
from stats_core.curves.curve_comparison import curves_of_folds
from stats_core.inference.multiplicity.win_counts import Wins

HOW_WINS = (
    "Each number counts the data sets on which the row wins over the column; bold where the sign test "
    "over data sets separates the two. Read along a row for wins, down a column for losses. A win "
    "by average needs no test on the data set; a win by a test does, so those counts are smaller."
)
HOW_GRAPH = (
    "Each arrow leads from the worse to the better of two that the sign test separates. Look for "
    "algorithms no arrow leaves: nobody beats them. No arrow is not evidence that two are equal."
)


@cached_figure
def wins_drawing(found: Wins | WinsComparison, order: Sequence[str]) -> FigureSpec:
    """Return the table of wins as a figure, with the algorithms in the given order."""
    order = list(order)[:MOST_NAMES]
    counts = (found.wins.loc[order, order], found.differs.loc[order, order], found.total[order])

    def build(style: Style) -> go.Figure:
        return wins_table(*counts, style=style, order=order, n_sets=found.n, won=found.won)

    return BuiltSpec(
        name=f"wins_{_about(found)}",
        title=f"Wins over {format_count(found.n, 'data set')}",
        how_to_read=HOW_WINS,
        alt=alt_wins_table(*counts),
        data=found.wins.assign(total=found.total).rename_axis("algorithm"),
        build=build,
        caption=lambda _: caption_wins_table(),
    )


@cached_figure
def graph_drawing(
    found: Wins | OnWins,
    order: Sequence[str],
    *,
    selected: str | None = None,
    ordered_by: str = "average rank",
) -> FigureSpec:
    """Return the graph of the sign test, with the algorithms in the given order."""
    counted = isinstance(found, Wins)
    opens = counted or not found.shape.published
    total, order = len(found.beats), list(order)[:MOST_NAMES]
    better = found.beats.loc[order, order]

    def build(style: Style) -> go.Figure:
        return sign_test_graph(order, better, style=style, selected=selected, opens=opens)

    by = ordered_by if counted else "wins less losses"
    data = found.to_frame() if counted else found.details()
    return BuiltSpec(
        name=f"sign_graph_{_about(found)}",
        title="Who wins on significantly more data sets",
        how_to_read=HOW_GRAPH,
        alt=alt_sign_test_graph(order, better),
        data=data,
        build=build,
        caption=lambda _: caption_sign_test_graph(
            better=better, order=order, total=total, ordered_by=by
        ),
    )


def wins_drawings(analysis: WinsComparison) -> list[FigureSpec]:
    """Return the figures of wins over data sets, and sweeps over thresholds if any."""
    specs = [wins_drawing(analysis, analysis.order), graph_drawing(analysis, analysis.order)]
    for dataset, sweep in analysis.sweeps.items():
        data = curves_of_folds(analysis.results, dataset)
        specs.append(sweep_drawing(data, sweep, algorithms=analysis.results.algorithms))
    return specs


def _about(wins: Wins | OnWins) -> str:
    """Return the part of file names that identifies the wins."""
    if isinstance(wins, Wins):
        return "_".join(wins.measures)
    if wins.shape.published:
        return "published"
    return "_".join(wins.measures) + ("_thresholds" if wins.sweeps else "")
