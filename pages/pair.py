"""The page Pair: whether two algorithms differ, and by how much."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.web import components, inputs
from foldwise.web.settings_registry import ALL_SETS
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, dataset_views, fold_views
from stats_core.comparison.kinds.instances import can_test_cases, can_test_trainings
from stats_core.core.errors import FoldwiseError

FORMS = ("facing", "rows", "overlaid")

context = components.page_context(page_text("page_pair.needs"))
results, selected = context.results, inputs.selected_results(context)
names = list(selected.algorithms)
if len(names) < 2:
    components.end_page(
        page_text("page_pair.needs_two"), page_text("page_pair.has", source=results.source, names=names)
    )
with_folds = selected.with_folds
with_cases = [n for n in selected.datasets if n not in with_folds and can_test_cases(results, n)]
places = [*([ALL_SETS] if len(selected.datasets) > 1 else []), *with_folds, *with_cases]
if not places:
    components.end_page(page_text("page_pair.needs_results"), page_text("page_pair.one_number", source=results.source))
first, second, dataset = inputs.choose_pair(context, places)
if first == second:
    components.end_page(page_text("page_pair.same"), page_text("page_pair.both", name=first), sample="")

card = st.container()
settings = replace(context.settings, pair=(first, second))
if dataset == ALL_SETS:
    family = context.settings
    if len(names) > 2:
        family = inputs.choose_pairwise_test(family)
    analysis = comparison_views.run_comparison(context, settings, card)
    comparison_views.show_pair_verdict(context, analysis, family, card)
    if analysis.shape.averages and analysis.shape.two:
        dataset_views.pair_over_datasets(context.key, analysis)
    st.stop()

settings, family = replace(settings, dataset=dataset), replace(context.settings, dataset=dataset)
if dataset in with_cases:
    on_cases = None
    with card, components.refusing(page_text("page_pair.refused")):
        on_cases = fold_views.instance_pair(context.key, settings, results)
    if on_cases is not None:
        comparison_views.show_pair_verdict(context, on_cases, family, card)
        fold_views.two_tables(on_cases)
    st.stop()
with components.row():
    label = "Pairwise test" if len(names) > 2 else "Test"
    settings = inputs.fold_test(results, dataset, settings, label=label)
    family = replace(family, test_fraction=settings.test_fraction)
    if len(names) > 2 and not can_test_trainings(results, dataset):
        family = inputs.choose_test_of_all_pairs(results, dataset, family)
    form = inputs.page_option("Form", "bricks", FORMS)
    inputs.offer_theta(context)
analysis = comparison_views.run_comparison(context, settings, card)
assert analysis.shape.two  # nothing else to show

on_cases = None
if can_test_trainings(results, dataset):  # other instances would give other numbers, too
    with suppress(FoldwiseError):
        on_cases = fold_views.instance_pair(context.key, settings, results)
if on_cases is not None:
    by_cases = replace(context, key=f"{context.key}/cases")  # the same settings, with another test
    comparison_views.show_pair_verdict(by_cases, on_cases, family, card)
    fold_views.over_trainings(context.key, on_cases, analysis, among=len(names))
else:
    comparison_views.show_pair_verdict(context, analysis, family, card)
components.selection_chip()
left, right = st.columns(2)
with left:
    fold_views.bricks_figure(
        analysis, results.algorithms, form=form, highlight=context.highlight, width=fold_views.HALF
    )
with right:
    fold_views.paired_figure(analysis)
inputs.draw_tabs(
    {
        "Interval and tests": partial(dataset_views.pair_tests_tab, context.key, analysis),
        "Fold by fold": partial(fold_views.folds_table, analysis),
        "By measure": partial(fold_views.measures_tab, context.key, analysis),
        "Normality": partial(fold_views.normality_tab, analysis),
    },
    "more",
)
