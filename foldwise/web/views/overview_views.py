"""Views of the page Overview and of published ranks, wins and decisions."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import streamlit as st

from foldwise.figures.ordering_graph import graph_of_ordered_decisions
from foldwise.figures.sign_test_graph import sign_graph_of_wins
from foldwise.web import components, session
from foldwise.web.views import comparison_views, fold_views, next_steps, order_inputs, pair_views
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, PublishedWins
from stats_core.comparison.result import Comparison
from stats_core.core.errors import NeedsMapping
from stats_core.data.published import DECISIONS
from stats_core.io.mapping import Mapping

SIDES = {"row": "The row wins", "column": "The column wins"}


def needs(context: session.Context, what: str) -> None:
    """End the page with an explanation if only published summaries are open."""
    if context.results is None or context.results.published is None:
        return
    components.show_refusal(what, context.results.published.lacks)
    st.page_link("pages/overview.py", label="What can be said", icon=":material/arrow_forward:")
    st.stop()


def published_question(asked: NeedsMapping, *, key: str) -> Mapping | None:
    """Draw widgets for what a published table leaves open; return the mapping once given."""
    guess: Mapping = asked.guess
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = guess.n_datasets or None
        if "n_datasets" in asked.fields:
            n = st.number_input(
                "Number of data sets", min_value=2, value=n, step=1, key=f"n_{key}", width=220
            )
        ways = SIDES if "winner" in asked.fields else {"": "Read it so"}
        chosen = [
            winner
            for winner, words in ways.items()
            if st.button(
                words, key=f"way_{winner}_{key}", type="secondary" if winner else "primary"
            )
        ]
    if not chosen:
        return None
    if "n_datasets" in asked.fields and n is None:
        st.error("Give the number of data sets first.", icon=":material/warning:")
        return None
    return replace(guess, n_datasets=int(n or 0), winner=chosen[0] or guess.winner)


def other_number(context: session.Context) -> Mapping | None:
    """Draw an input for the number of data sets; return the mapping if it changed."""
    mapping = session.mapping(context.source_key)
    if mapping is None or not (mapping.holds and mapping.n_datasets):
        return None
    n = st.number_input(
        "Number of data sets",
        min_value=2,
        value=mapping.n_datasets,
        step=1,
        key=f"again_{context.source_key[-8:]}",
        width=220,
    )
    return replace(mapping, n_datasets=int(n)) if n and int(n) != mapping.n_datasets else None


def wins_graph(comparison: PublishedWins) -> None:
    """Draw which algorithms win on significantly more data sets, if any."""
    if comparison.beats.to_numpy().any():
        components.show_figure(sign_graph_of_wins(comparison, comparison.order))


def order_figure(comparison: PublishedDecisions) -> None:
    """Draw the order by MultiTest; nothing if decisions have no direction."""
    drawing = graph_of_ordered_decisions(comparison)
    if drawing is not None:
        components.show_figure(drawing)


def ordering_page(context: session.Context) -> None:
    """Draw MultiTest on published decisions and the user's own order, and end the page."""
    results = context.results
    if results is None or results.published is None:
        return
    if results.published.what != DECISIONS or not results.published.sided:
        needs(context, "An order needs results, or decisions that say who is better.")
    order_inputs.own_order(results, results.published.names)
    card = st.container()
    analysis = comparison_views.run_comparison(context, context.settings, card)
    comparison_views.show_verdict(context, analysis, card, {})
    if analysis.shape.published and analysis.shape.over == "nothing":
        order_figure(analysis)
        next_steps.tables(analysis, "order", "decisions")
    st.stop()


_ALL_PAIRS = {"pages/many_data_sets.py": "All pairs and ranks"}
_ONE_SET = {"pages/one_data_set.py": "One data set at a time"}


@dataclass(frozen=True, slots=True)
class KindView:
    """How a kind of comparison is drawn on the Overview.

    Attributes
    ----------
    draw : callable
        Function of (context, comparison) that draws the main figures.
    links : dict of page to label
        Links to other pages.
    with_folds : dict of page to label
        Further links if there are results per fold.
    """

    draw: Callable[[session.Context, Comparison], None]
    links: dict[str, str] = field(default_factory=dict)
    with_folds: dict[str, str] = field(default_factory=dict)

    def links_of(self, comparison: Comparison) -> dict[str, str]:
        """Return the links for a comparison."""
        fold_links = {} if comparison.results.design == "single" else self.with_folds
        return {**self.links, **fold_links}


def _ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    comparison_views.cd_figure(comparison, context.highlight)
    comparison_views.from_best_figure(comparison)


def _present(context: session.Context, comparison: Comparison) -> None:
    comparison_views.present_figures(comparison)
    next_steps.tables(comparison, "standing", "pairs")


def _control(context: session.Context, comparison: Comparison) -> None:
    comparison_views.control_figure(comparison)
    comparison_views.intervals_figure(comparison)
    next_steps.tables(comparison, "comparisons")


def _two(context: session.Context, comparison: Comparison) -> None:
    comparison_views.difference_figure(context.key, comparison)


def _folds(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    everyone = context.results.algorithms
    fold_views.fold_order_view(comparison, everyone, "maximal groups", context.highlight)
    comparison_views.from_best_figure(comparison)
    fold_views.bricks_figure(comparison, everyone, highlight=context.highlight)


def _fold_pair(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    fold_views.bricks_figure(comparison, context.results.algorithms)
    pair_views.interval_figure(comparison)


def _scores(context: session.Context, comparison: Comparison) -> None:
    comparison_views.averages_view(comparison)


def _published_ranks(context: session.Context, comparison: Comparison) -> None:
    components.selection_chip()
    comparison_views.cd_figure(comparison, context.highlight)
    next_steps.tables(comparison, "pairs", "tests", "ranks")


def _published_wins(context: session.Context, comparison: Comparison) -> None:
    next_steps.tables(comparison, "wins", "pairs")
    wins_graph(comparison)


def _published_decisions(context: session.Context, comparison: Comparison) -> None:
    order_figure(comparison)
    next_steps.tables(comparison)


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
