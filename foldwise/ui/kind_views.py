"""What the Overview draws for each kind of comparison, and where it leads."""

from collections.abc import Callable
from dataclasses import dataclass, field

from foldwise.ui import (
    fold_views,
    order_views,
    pair_views,
    published_views,
    show,
    state,
    table_views,
    views,
)
from stats_core.comparison.base import Comparison

_ALL_PAIRS = {"pages/many_data_sets.py": "All pairs and ranks"}
_ONE_SET = {"pages/one_data_set.py": "One data set at a time"}


@dataclass(frozen=True, slots=True)
class KindView:
    """How one kind stands on the Overview.

    Attributes
    ----------
    draw : callable
        (context, comparison) in; draws the figures that answer first.
    links : dict of page to label
        Where to go on.
    with_folds : dict of page to label
        Where to go on, too, if there are results per fold.
    """

    draw: Callable[[state.Context, Comparison], None]
    links: dict[str, str] = field(default_factory=dict)
    with_folds: dict[str, str] = field(default_factory=dict)

    def links_of(self, comparison: Comparison) -> dict[str, str]:
        """Return where this comparison leads."""
        more = {} if comparison.results.design == "single" else self.with_folds
        return {**self.links, **more}


def _ranks(context: state.Context, comparison: Comparison) -> None:
    show.selection_chip()
    views.cd_figure(comparison, context.highlight)
    views.from_best_figure(comparison)


def _present(context: state.Context, comparison: Comparison) -> None:
    views.present_figures(comparison)
    table_views.tables(comparison, "standing", "pairs")


def _control(context: state.Context, comparison: Comparison) -> None:
    views.control_figure(comparison)
    views.intervals_figure(comparison)
    table_views.tables(comparison, "comparisons")


def _two(context: state.Context, comparison: Comparison) -> None:
    views.difference_figure(context.key, comparison)


def _folds(context: state.Context, comparison: Comparison) -> None:
    show.selection_chip()
    everyone = context.results.algorithms
    order_views.orderings(comparison, everyone, "maximal groups", context.highlight)
    views.from_best_figure(comparison)
    fold_views.bricks_figure(comparison, everyone, highlight=context.highlight)


def _fold_pair(context: state.Context, comparison: Comparison) -> None:
    show.selection_chip()
    fold_views.bricks_figure(comparison, context.results.algorithms)
    pair_views.interval_figure(comparison)


def _scores(context: state.Context, comparison: Comparison) -> None:
    views.averages(comparison)


def _published_ranks(context: state.Context, comparison: Comparison) -> None:
    show.selection_chip()
    views.cd_figure(comparison, context.highlight)
    table_views.tables(comparison, "pairs", "tests", "ranks")


def _published_wins(context: state.Context, comparison: Comparison) -> None:
    table_views.tables(comparison, "wins", "pairs")
    published_views.wins_graph(comparison)


def _published_decisions(context: state.Context, comparison: Comparison) -> None:
    published_views.order_figure(comparison)
    table_views.tables(comparison)


OF_KIND: dict[str, KindView] = {
    "ranks": KindView(_ranks, _ALL_PAIRS, _ONE_SET),
    "present": KindView(_present, _ALL_PAIRS, _ONE_SET),
    "control": KindView(_control, _ALL_PAIRS),
    "two": KindView(_two, _ALL_PAIRS),
    "folds": KindView(_folds, {"pages/one_data_set.py": "Order, pairs and assumptions"}),
    "fold pair": KindView(_fold_pair, {"pages/pair.py": "Every test of these two"}),
    "measures": KindView(_scores),
    "pair on measures": KindView(_scores),
    "wins": KindView(_scores),
    "cases": KindView(_scores),
    "trainings": KindView(_scores),
    "untested": KindView(_scores),
    "published ranks": KindView(_published_ranks),
    "published wins": KindView(_published_wins),
    "published decisions": KindView(_published_decisions),
}
