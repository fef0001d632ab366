"""The page Many data sets: which algorithms differ over data sets."""

from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, dataset_views

FORMS = ("automatic", "diagram", "list")

context = components.page_context(page_text("page_many_data_sets.needs"))
settings = context.settings
card = st.container()
figure_options = {}
if len(inputs.selected_results(context).algorithms) > 2 and not context.undecided:
    with components.row():
        settings = inputs.choose_pairwise_test(settings)
        figure_options["form"] = inputs.page_option("Form", "form", FORMS, width=160)
        figure_options["best"] = inputs.page_option("Best rank", "best", ("left", "right"), width=160)
analysis = comparison_views.run_comparison(context, settings, card)
if not analysis.shape.averages:
    sets, names = analysis.results.datasets, analysis.results.algorithms
    noun, present = ("data set", sets) if len(sets) < 2 else ("algorithm", names)
    with card:
        components.end_page(
            page_text("page_many_data_sets.needs_two", noun=noun),
            page_text("page_many_data_sets.has", source=analysis.results.source, names=present, noun=noun),
        )
comparison_views.show_verdict(context, analysis, card, brief=True)
key = inputs.selection_key(context)
if analysis.shape.incomplete:
    dataset_views.present_pairs(context.key, key, analysis)
    st.stop()
if analysis.shape.control:
    dataset_views.against_control(context, analysis, **figure_options)
    st.stop()
shared = {
    "Stability": partial(dataset_views.stability_tab, key, analysis),
    "Other software": partial(dataset_views.other_software, key, analysis),
}
if dataset_views.has_groups(analysis):
    by_group = {"By group": partial(dataset_views.group_comparison, context, analysis)}
else:
    by_group = {}
if analysis.shape.averages and analysis.shape.two:
    differences = partial(dataset_views.differences_tab, context.key, analysis)
    scatter = partial(dataset_views.scatter_figure, analysis)
    inputs.draw_tabs({"Differences": differences, "Scatter plot": scatter, **shared, **by_group}, "two")
    st.stop()
agreement = {"Agreement": partial(comparison_views.agreement_tab, context, settings)}
inputs.draw_tabs(
    {
        "Diagram": partial(dataset_views.diagram_tab, context, analysis, **figure_options),
        "Pairs": partial(dataset_views.pairs_tab, context.key, analysis),
        page_text("page_many_data_sets.ranks"): partial(dataset_views.ranks_tab, analysis),
        "Wins": partial(dataset_views.wins_tab, context, analysis),
        **shared,
        **(agreement if analysis.results.with_folds else {}),
        **by_group,
    },
    "tab",
)
