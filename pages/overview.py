"""Overview: what can be said, and how sure."""

import streamlit as st

from foldwise.ui import (
    cached,
    control_views,
    fold_views,
    inputs,
    onward,
    order_views,
    ordering_views,
    pair_views,
    show,
    state,
    views,
)
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.papers.report import compared

context = state.context()
if context.results is None:
    show.refusal(
        "An overview needs results.",
        "Nothing could be read yet; Data says what is missing."
        if context.error
        else "No file is open.",
        sample=cached.catalogue()[0]["file"],
    )
    st.stop()

card = st.container()
analysis = views.compare(context, context.settings, card)
many = isinstance(analysis, RanksComparison | TwoComparison | ControlComparison)
links = {"pages/many_data_sets.py": "All pairs and ranks"} if many else {}
if isinstance(analysis, FoldsComparison):
    links = {"pages/one_data_set.py": "Order, pairs and assumptions"}
elif isinstance(analysis, FoldPairComparison):
    links = {"pages/pair.py": "Every test of these two"}
elif isinstance(analysis, RanksComparison) and analysis.results.design != "single":
    links["pages/one_data_set.py"] = "One data set at a time"
views.say(context, analysis, card, links)
st.caption(show.escape(compared(analysis)))

match analysis:
    case RanksComparison():
        show.selection_chip()
        views.cd_figure(analysis, context.highlight)
    case ControlComparison():
        control_views.control_figure(analysis)
        control_views.control_table(analysis)
    case TwoComparison():
        views.difference_figure(context.key, analysis)
    case FoldsComparison():
        show.selection_chip()
        everyone = context.results.algorithms
        order_views.orderings(analysis, everyone, "maximal groups", context.highlight)
        fold_views.bricks_figure(analysis, everyone, highlight=context.highlight)
    case FoldPairComparison():
        show.selection_chip()
        fold_views.bricks_figure(analysis, context.results.algorithms)
        pair_views.interval_figure(analysis)
    case _:
        views.scores_table(analysis)

onward.seen(context, analysis)
ordering_views.on_overview(context)

found = cached.findings(inputs.kept_key(context), context.settings, inputs.kept(context))
if found:
    st.markdown("### Worth a look")
    for finding in found:
        views.finding_link(finding)
    st.caption("Found by looking at every pair and data set, each at its own level: not tests.")

onward.chain(context)
onward.go_on(context, analysis)
