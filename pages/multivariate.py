"""The page Multivariate: differences in several measures together."""

from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, measure_views

NEED = page_text("page_multivariate.need_folds")
SAMPLE = "twoclass_counts.csv"
LEVELS = {"50% and 90%": (0.5, 0.9), "90%": (0.9,), "50%": (0.5,), "95%": (0.95,)}
COVARIANCES = ("of each algorithm", "pooled")
FORMS = {"automatic": "automatic", "yes": "apart", "no": "together"}

context = components.page_context(NEED)
results = context.results
if not inputs.several_measures(results):
    arrived = f"{results.source} has {results.measures[0]} only."
    components.end_page(page_text("page_multivariate.need_measures"), arrived, SAMPLE)
with_folds = inputs.datasets_with_folds(context)
if not with_folds:
    components.end_page(NEED, f"{results.source} has {results.design_label}.", SAMPLE)

with components.row():
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
        form = inputs.page_option("Separate panels", "panels", FORMS, help=page_text("page_multivariate.panels"))
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
family = replace(settings, pair=())
if not analysis.shape.several_measures:
    comparison_views.show_pair_verdict(context, analysis, family, card)
    st.stop()
if (tab := inputs.open_tab("mtab")) != measure_views.OVER:  # that tab has a verdict of its own
    comparison_views.show_pair_verdict(context, analysis, family, card, brief=tab != "Folds")
figure_options = {"levels": levels, "pooled": pooled, "form": form}
everyone = results.algorithms
inputs.draw_tabs(
    {
        "Folds": partial(measure_views.folds_tab, context, analysis, **figure_options),
        "Tests": partial(measure_views.joint_tests_view, analysis),
        "Means": partial(measure_views.means_view, context, analysis, settings),
        "Cliques": partial(measure_views.cliques_tab, context, analysis, settings),
        "Learned measure": partial(measure_views.learned_measures_view, context.key, analysis, everyone),
        "Assumptions": partial(measure_views.assumptions, context.key, analysis),
        measure_views.OVER: partial(measure_views.over_datasets, context, measures, settings, card),
    },
    "mtab",
)
