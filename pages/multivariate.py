"""The page Multivariate: differences in several measures together."""

from dataclasses import replace

import streamlit as st

from foldwise.web import components, inputs, session
from foldwise.web.views import (
    comparison_views,
    dataset_views,
    fold_views,
    help_views,
    measure_views,
    overview_views,
)

LEVELS = {"50 % and 90 %": (0.5, 0.9), "90 %": (0.9,), "50 %": (0.5,), "95 %": (0.95,)}
COVARIANCES = ("of each algorithm", "pooled")
FORMS = {"automatic": "automatic", "yes": "apart", "no": "together"}
PANELS_HELP = (
    "Automatic: a panel each from six algorithms on, and where most of fewer means lie inside "
    "another's inner contour."
)

context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.needs(context, "Multivariate needs results per fold.")
results = context.results
if not inputs.several_measures(results):
    components.show_refusal(
        "Multivariate needs two or more measures.",
        f"{results.source} has {results.measures[0]} only.",
        sample="twoclass_counts.csv",
    )
    st.stop()
with_folds = inputs.datasets_with_folds(context)
if not with_folds:
    components.show_refusal(
        "Multivariate needs results per fold.",
        f"{results.source} has {results.design_label}.",
        sample="twoclass_counts.csv",
    )
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    dataset = inputs.choose_dataset(context, with_folds, width=150)
    measures = inputs.measures(results)
    pair = inputs.choose_all_or_pair(context)
    more = st.popover("More", type="tertiary", icon=":material/tune:")
card = st.container()
settings = replace(context.settings, dataset=dataset, measures=measures, pair=pair)
with more:
    settings = inputs.choose_test_fraction(results, dataset, settings)
    settings = inputs.choose_overlap(results, dataset, settings)
    settings = inputs.degrees(results, dataset, settings)
    levels = inputs.page_option("Contours", "levels", LEVELS)
    pooled = inputs.page_option("Covariance", "covariance", COVARIANCES) == "pooled"
    form = FORMS["automatic"]
    if len(measures) == 2:
        form = inputs.page_option("One panel per algorithm", "panels", FORMS, help=PANELS_HELP)
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
alone = {"pages/one_data_set.py": f"{settings.measure} alone"}
if not analysis.shape.several_measures:
    comparison_views.say_pair(context, analysis, replace(settings, pair=()), card, alone)
    st.stop()

folds, tests, means, cliques, learned, assumptions, over = inputs.page_tabs(
    ["Folds", "Tests", "Means", "Cliques", "Learned measure", "Assumptions", "Over data sets"],
    "mtab",
)
everyone = results.algorithms
if not over.open:
    comparison_views.say_pair(context, analysis, replace(settings, pair=()), card, alone)
if folds.open:
    with folds:
        components.selection_chip()
        clouds = {"highlight": context.highlight, "pooled": pooled, "form": form}
        if analysis.shape.two:
            left, right = st.columns(2)
            with left:
                measure_views.clouds_figure(
                    analysis, everyone, levels, width=fold_views.HALF, **clouds
                )
            with right:
                measure_views.difference_figure(analysis)
        else:
            measure_views.clouds_figure(analysis, everyone, levels, width=980, **clouds)
if tests.open:
    with tests:
        measure_views.joint_tests_view(analysis)
        help_views.glossary_popover("Dimension", "MANOVA")
        if analysis.shape.two:
            measure_views.projected_figure(analysis)
if means.open:
    with means:
        components.selection_chip()
        measure_views.one_measure(context, settings)
        measure_views.means_view(analysis)
if cliques.open:
    with cliques:
        if not analysis.shape.two:
            dataset_views.groups(context, analysis)
            measure_views.orders_by_measure(context, analysis, settings)
        else:
            st.caption("Groups need three algorithms or more. Choose All algorithms above.")
if learned.open:
    with learned:
        measure_views.learned_measures_view(context.key, analysis, everyone)
if assumptions.open:
    with assumptions:
        measure_views.assumptions(context.key, analysis)
if over.open:
    with over:
        measure_views.over_datasets(context, measures, settings, card)
