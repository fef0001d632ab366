"""Many data sets: which algorithms differ in general."""

from dataclasses import replace

import streamlit as st

from stats_core.analyse import SOURCES, RanksAnalysis, TwoAnalysis
from ui import agreement_view, cached, show, state, views

FORMS = ("automatic", "diagram", "list")

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()

settings = context.settings
card = st.container()
several = len(context.results.algorithms) - len(settings.without_algorithms) > 2
if several:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = views.choice("p-values from", "source", SOURCES)
        form = views.choice("Form", "form", {name: name for name in FORMS})
        best = views.choice("Best on the", "best", {"left": "left", "right": "right"})
    if source != "ranks" and settings.correction == "nemenyi":
        settings = replace(settings, correction="holm")
        st.caption(
            f"Nemenyi needs p-values from average ranks; they come from {SOURCES[source]}, so Holm "
            "is used here."
        )
    settings = replace(settings, source=source)

analysis = views.compare(context, settings, card)

if not isinstance(analysis, RanksAnalysis | TwoAnalysis):
    sets, names = analysis.results.datasets, analysis.results.algorithms
    few_sets = len(sets) < 2
    what, has = ("data sets", sets) if few_sets else ("algorithms", names)
    with card:
        show.refusal(
            f"This page needs at least two {what}.",
            f"{analysis.results.source} has one ({', '.join(has)}).",
            sample=cached.catalogue()[0]["file"],
        )
    st.stop()

views.say(context, analysis, card, {"pages/overview.py": "Overview"})

if isinstance(analysis, TwoAnalysis):
    differences, scatter = st.tabs(
        ["Differences", "One against the other"], key="two", on_change="rerun", bind="query-params"
    )
    if differences.open:
        with differences:
            views.difference_figure(context.key, analysis)
            views.two_lines(analysis)
            views.differences_table(analysis)
    if scatter.open:
        with scatter:
            views.scatter_figure(analysis)
    st.stop()

has_folds = any(context.results.design_of(name) != "single" for name in analysis.results.datasets)
diagram, pairs, ranks, *more = st.tabs(
    ["Diagram", "Pairs", "Ranks by data set", *(["Agreement"] if has_folds else [])],
    key="tab",
    on_change="rerun",
    bind="query-params",
)
if diagram.open:
    with diagram:
        show.selection_chip()
        views.cd_figure(analysis, context.highlight, form=form, best=best)
        views.omnibus_lines(analysis)
if pairs.open:
    with pairs:
        show.selection_chip()
        views.pairs_table(analysis)
        views.matrix_figure(analysis)
if ranks.open:
    with ranks:
        views.rank_figure(analysis)
        views.scores_table(analysis)
for agreement in more:
    if agreement.open:
        with agreement:
            agreement_view.agreement(context, settings)
