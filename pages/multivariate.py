"""Multivariate: do they differ when several measures count together."""

from dataclasses import replace

import streamlit as st

from foldwise.ui import (
    clique_views,
    fold_views,
    help_views,
    inputs,
    measure_views,
    over_measure_views,
    published_views,
    show,
    state,
    views,
)
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.kinds.measures import SeveralOnMeasures

LEVELS = {"50 % and 90 %": (0.5, 0.9), "90 %": (0.9,), "50 %": (0.5,), "95 %": (0.95,)}
COVARIANCES = ("of each algorithm", "pooled")
FORMS = {"automatic": "automatic", "yes": "apart", "no": "together"}
PANELS_HELP = (
    "Automatic: a panel each from six algorithms on, and where most of fewer means lie inside "
    "another's inner contour."
)

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
published_views.needs(context, "Multivariate needs results per fold.")
results = context.results
if not inputs.several_measures(results):
    show.refusal(
        "Multivariate needs two or more measures.",
        f"{results.source} has {results.measures[0]} only.",
        sample="twoclass_counts.csv",
    )
    st.stop()
with_folds = inputs.sets_with_folds(context)
if not with_folds:
    show.refusal(
        "Multivariate needs results per fold.",
        f"{results.source} has {results.design_label}.",
        sample="twoclass_counts.csv",
    )
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    dataset = inputs.walk(context, with_folds, width=150)
    measures = inputs.measures(results)
    pair = inputs.who(context)
    more = st.popover("More", type="tertiary", icon=":material/tune:")
card = st.container()
settings = replace(context.settings, dataset=dataset, measures=measures, pair=pair)
with more:
    settings = inputs.given_fraction(results, dataset, settings)
    settings = inputs.overlap(results, dataset, settings)
    settings = inputs.degrees(results, dataset, settings)
    levels = LEVELS[inputs.option("Contours", "levels", LEVELS)]
    pooled = inputs.option("Covariance", "covariance", COVARIANCES) == "pooled"
    form = FORMS["automatic"]
    if len(measures) == 2:
        form = FORMS[inputs.option("One panel per algorithm", "panels", FORMS, help=PANELS_HELP)]
    inputs.offer_theta(context)
analysis = views.compare(context, settings, card)
alone = {"pages/one_data_set.py": f"{settings.measure} alone"}
if not isinstance(analysis, PairOnMeasures | SeveralOnMeasures):
    views.say_pair(context, analysis, replace(settings, pair=()), card, alone)
    st.stop()

folds, tests, means, cliques, learned, assumptions, over = st.tabs(
    ["Folds", "Tests", "Means", "Cliques", "Learned measure", "Assumptions", "Over data sets"],
    key="mtab",
    on_change="rerun",
    bind="query-params",
)
everyone = results.algorithms
if not over.open:
    views.say_pair(context, analysis, replace(settings, pair=()), card, alone)
if folds.open:
    with folds:
        show.selection_chip()
        clouds = {"highlight": context.highlight, "pooled": pooled, "form": form}
        if isinstance(analysis, PairOnMeasures):
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
        measure_views.tests(analysis)
        help_views.explain("Dimension", "MANOVA")
        if isinstance(analysis, PairOnMeasures):
            measure_views.projected_figure(analysis)
if means.open:
    with means:
        show.selection_chip()
        measure_views.one_measure(context, settings)
        measure_views.means(analysis)
if cliques.open:
    with cliques:
        if isinstance(analysis, SeveralOnMeasures):
            clique_views.groups(context, analysis)
            measure_views.orderings(context, analysis, settings)
        else:
            st.caption("Groups need three algorithms or more. Choose All algorithms above.")
if learned.open:
    with learned:
        measure_views.learned(context.key, analysis, everyone)
if assumptions.open:
    with assumptions:
        measure_views.assumptions(context.key, analysis)
if over.open:
    with over:
        over_measure_views.over_datasets(context, measures, settings, card)
