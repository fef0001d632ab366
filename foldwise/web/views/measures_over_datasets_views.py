"""Several measures over all data sets: who wins, in how many dimensions, and what one measure hides."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.figure_specs import robustness_tables
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.views import comparison_views, dataset_views
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.robustness.joint_measures import one_or_several

EVEN = 0.5  # the weight of a false positive in the verdict
RULES = {
    "a significant difference of risk": "risk",
    "the multivariate test and lower risk": "thesis",
}


def over_datasets(
    context: session.Context, measures: tuple[str, ...], settings: Settings, card: DeltaGenerator
) -> None:
    """Show the verdict, wins, dimensions, and agreement of one measure with several, over all data sets."""
    results = inputs.kept_input(context)
    if len(results.datasets) < 2:
        with card:
            components.show_refusal(
                "This needs at least two data sets.", f"There is {results.datasets[0]} only."
            )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        rule = RULES[inputs.page_option("A win needs", "rule", RULES, width=320)]
        if needs_scores(context.read):
            theta = st.number_input(
                "Weight of a false positive (theta)", 0.05, 0.95, 0.5, 0.05, key="weight"
            )
        else:  # the slider above says it for all pages
            theta = float(st.session_state["theta"])
    key = inputs.selection_key(context)
    asked = replace(settings, win=rule, dataset="", pair=())
    decided = _say(context, asked, card)
    won = decided.counts if isinstance(decided, WinsComparison) else None
    if theta != EVEN and won is not None:
        won = cached_calls.wins_by_risk(key, asked, measures, theta, results)
        st.markdown(f"**{components.escape(won.text)}**")
        st.caption("The verdict above weighs a false positive like a false negative.")
    _wins(won, decided)
    if len(results.algorithms) > 2:
        dims = cached_calls.dimensions(key, asked, measures, results)
        components.show_table(robustness_tables.dimension_table(dims, measures, settings.alpha))
    with suppress(FoldwiseError):  # no data set can be decided by both
        agree = cached_calls.agreement(key, *one_or_several(measures, settings), results)
        one, together = settings.measure, f"({', '.join(measures)})"
        components.show_table(robustness_tables.agreement_table(agree, one, together))


def _wins(won: Wins | None, decided: Comparison | None) -> None:
    """Draw who wins on how many data sets, and on significantly more."""
    if won is None or decided is None:
        st.caption("Wins by risk need the counts tp, fp, tn, fn of every fold.")
        return
    dataset_views.draw_wins(won, decided.order, "wins less losses")
    st.caption(
        "A win needs that the paired Hotelling test of the measures rejects and that the risk is "
        "lower: significantly lower, too, or by the thesis' rule just lower, which names a winner at "
        "random where risks are equal."
    )


def _say(context: session.Context, asked: Settings, card: DeltaGenerator) -> Comparison | None:
    """Give the verdict over all data sets and what it is of, or say why there is none."""
    try:
        found = cached_calls.analysis(
            inputs.selection_key(context), asked, inputs.kept_input(context)
        )
    except FoldwiseError as error:
        with card:
            components.show_refusal(
                "There is no verdict on these measures over all data sets.", error
            )
        return None
    comparison_views.show_verdict(context, found, card, {})
    return found
