"""Overview: what can be said, and how sure."""

import streamlit as st

from foldwise.ui import (
    cached,
    cluster_views,
    inputs,
    kind_views,
    onward,
    ordering_views,
    show,
    state,
    views,
)
from stats_core.comparison.kinds.cases import CasesComparison
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
view = kind_views.OF_KIND[analysis.kind]
views.say(context, analysis, card, view.links_of(analysis), robust=True)
if isinstance(analysis, CasesComparison):
    cluster_views.suggest(context)
st.caption(show.escape(compared(analysis)))
onward.by_other_measures(context, analysis)
view.draw(context, analysis)

onward.seen(context, analysis)
ordering_views.on_overview(context, analysis)

found = cached.findings(inputs.kept_key(context), context.settings, inputs.kept(context))
if found:
    st.markdown("## Worth a look")
    for finding in found:
        views.finding_link(finding)
    st.caption("Found by looking at every pair and data set, each at its own level: not tests.")

onward.chain(context)
onward.go_on(context, analysis)
