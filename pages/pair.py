"""The page Pair: whether two algorithms differ, and by how much."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.settings_registry import ALL_SETS
from foldwise.web.views import (
    comparison_views,
    dataset_views,
    fold_views,
    next_steps,
    overview_views,
    pair_views,
)
from stats_core.comparison.compare_instances import can_test_cases, can_test_trainings
from stats_core.comparison.kinds.control_and_pairs import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import ASKED_SOURCES
from stats_core.report.tables import robustness_tables

FORMS = ("facing", "rows", "overlaid")


def sets_tests(analysis: TwoComparison) -> None:
    """Draw the tests of two algorithms over all data sets, and the equivalence region."""
    next_steps.tables(analysis, "tests")
    pair_views.equivalence_view(context.key, analysis)


context = session.context()
if context.results is None:
    components.show_refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
overview_views.needs(context, "Pair needs results on folds or data sets.")
results = context.results
kept = inputs.kept_input(context)
names = list(kept.algorithms)
if len(names) < 2:
    components.show_refusal(
        "Pair needs two algorithms.",
        f"{results.source} has {'one (' + names[0] + ')' if names else 'none'}.",
        sample=cached_calls.catalogue()[0]["file"],
    )
    st.stop()

with_folds = kept.with_folds
with_cases = [n for n in kept.datasets if n not in with_folds and can_test_cases(results, n)]
places = [*([ALL_SETS] if len(kept.datasets) > 1 else []), *with_folds, *with_cases]
if not places:
    components.show_refusal(
        "Pair needs results per fold, predictions for named cases, or two data sets.",
        f"{results.source} has one number for each algorithm.",
        sample=cached_calls.catalogue()[0]["file"],
    )
    st.stop()
first, second, place = inputs.choose_pair(context, places)
if first == second:
    components.show_refusal("Choose two different algorithms.", f"Both are {first}.")
    st.stop()

card = st.container()
settings = replace(context.settings, pair=(first, second))
if place == ALL_SETS:
    family = context.settings
    if len(names) > 2:
        source = inputs.page_option(
            "p-values from", "source", inputs.labels_of(ASKED_SOURCES), width=160
        )
        family = comparison_views.allowed_settings(replace(family, source=source))
    analysis = comparison_views.run_comparison(context, settings, card)
    comparison_views.say_pair(
        context, analysis, family, card, {"pages/many_data_sets.py": "All algorithms"}
    )
    if analysis.shape.averages and analysis.shape.two:
        comparison_views.difference_figure(context.key, analysis)
        comparison_views.in_expander("Tests", "ptests", partial(sets_tests, analysis))
        comparison_views.in_expander(
            "Each data set", "pscores", partial(next_steps.tables, analysis, "scores")
        )
        comparison_views.in_expander(
            "One against the other", "pscatter", partial(comparison_views.scatter_figure, analysis)
        )
    st.stop()

settings, family = replace(settings, dataset=place), replace(context.settings, dataset=place)
if place in with_cases:
    try:
        found = pair_views.instance_pair(context.key, settings, results)
    except FoldwiseError as error:
        with card:
            components.show_refusal("These two cannot be compared on cases.", error)
    else:
        comparison_views.say_pair(context, found, family, card, {})
        pair_views.two_tables(found)
    st.stop()
with st.container(horizontal=True, vertical_alignment="bottom"):
    label = "Test of this pair" if len(names) > 2 else "Test"
    settings = inputs.fold_test(results, place, settings, label=label)
    family = replace(family, test_fraction=settings.test_fraction)
    if len(names) > 2 and not can_test_trainings(results, place):
        family = inputs.choose_test_of_all_pairs(results, place, family)
    form = inputs.page_option("Form", "bricks", FORMS)
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
assert analysis.shape.two  # nothing else to show

everyone = {"pages/one_data_set.py": f"All algorithms on {place}"}
on_cases = None
if can_test_trainings(results, place):  # other instances would give other numbers, too
    with suppress(FoldwiseError):
        on_cases = pair_views.instance_pair(context.key, settings, results)
if on_cases is not None:
    by_cases = replace(context, key=f"{context.key}/cases")  # the same settings, with another test
    comparison_views.say_pair(by_cases, on_cases, family, card, everyone)
    pair_views.over_trainings(context.key, on_cases, analysis, among=len(names))
else:
    comparison_views.say_pair(context, analysis, family, card, everyone)
components.selection_chip()
left, right = st.columns(2)
with left:
    fold_views.bricks_figure(
        analysis, results.algorithms, form=form, highlight=context.highlight, width=fold_views.HALF
    )
with right:
    pair_views.paired_figure(analysis)

more = inputs.page_tabs(["Interval and tests", "Fold by fold", "By measure", "Normality"], "more")
if more[0].open:
    with more[0]:
        pair_views.interval_figure(analysis)
        pair_views.pair_tables(analysis)
        comparison_views.in_expander(
            "Compare with other software",
            "psoftware",
            partial(dataset_views.other_definitions, context.key, analysis),
        )
        pair_views.equivalence_view(context.key, analysis)
if more[1].open:
    with more[1]:
        fold_views.folds_table(analysis)
if more[2].open:
    with more[2]:
        table = cached_calls.measures(context.key, analysis.settings, analysis)
        components.show_table(robustness_tables.by_measure_table(analysis, table))
if more[3].open:
    with more[3]:
        pair_views.differences_qq_figure(analysis)
