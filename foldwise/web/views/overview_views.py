"""What the Overview draws for each kind of comparison, and where it leads."""

from collections.abc import Callable
from dataclasses import dataclass, field

from foldwise.web import components, session
from foldwise.web.views import (
    comparison_views,
    fold_order_views,
    fold_pair_views,
    fold_views,
    published_views,
    table_views,
)
from stats_core.comparison.result import Comparison

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

    draw: Callable[[session.Context, Comparison], None]
    links: dict[str, str] = field(default_factory=dict)
    with_folds: dict[str, str] = field(default_factory=dict)

    def links_of(self, comparison: Comparison) -> dict[str, str]:
        """Return where this comparison leads."""
        more = {} if comparison.results.design == "single" else self.with_folds
        return {**self.links, **more}


def _ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    comparison_views.cd_figure(comparison, context.highlight)
    comparison_views.from_best_figure(comparison)


def _present(context: session.Context, comparison: Comparison) -> None:
    comparison_views.present_figures(comparison)
    table_views.tables(comparison, "standing", "pairs")


def _control(context: session.Context, comparison: Comparison) -> None:
    comparison_views.control_figure(comparison)
    comparison_views.intervals_figure(comparison)
    table_views.tables(comparison, "comparisons")


def _two(context: session.Context, comparison: Comparison) -> None:
    comparison_views.difference_figure(context.key, comparison)


def _folds(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    everyone = context.results.algorithms
    fold_order_views.fold_order_view(comparison, everyone, "maximal groups", context.highlight)
    comparison_views.from_best_figure(comparison)
    fold_views.bricks_figure(comparison, everyone, highlight=context.highlight)


def _fold_pair(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    fold_views.bricks_figure(comparison, context.results.algorithms)
    fold_pair_views.interval_figure(comparison)


def _scores(context: session.Context, comparison: Comparison) -> None:
    comparison_views.averages_view(comparison)


def _published_ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    comparison_views.cd_figure(comparison, context.highlight)
    table_views.tables(comparison, "pairs", "tests", "ranks")


def _published_wins(context: session.Context, comparison: Comparison) -> None:
    table_views.tables(comparison, "wins", "pairs")
    published_views.wins_graph(comparison)


def _published_decisions(context: session.Context, comparison: Comparison) -> None:
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
