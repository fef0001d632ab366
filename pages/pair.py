"""Pair: are these two different here, and by how much."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import streamlit as st

from foldwise.gallery import tables_of_sets
from foldwise.ui import (
    cached,
    case_pair_views,
    fold_views,
    inputs,
    pair_views,
    published_views,
    region_views,
    set_views,
    show,
    state,
    table_views,
    views,
)
from foldwise.ui.link import ALL_SETS
from stats_core.comparison.compare_cases import can_test_cases, can_test_trainings
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import ASKED_SOURCES

FORMS = ("facing", "rows", "overlaid")


def sets_tests(analysis: TwoComparison) -> None:
    """Show the tests of the two over all data sets, and what is known against the region."""
    table_views.tables(analysis, "tests")
    region_views.region(context.key, analysis)


context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
published_views.needs(context, "Pair needs results on folds or data sets.")
results = context.results
kept = inputs.kept(context)
names = list(kept.algorithms)
if len(names) < 2:
    show.refusal(
        "Pair needs two algorithms.",
        f"{results.source} has {'one (' + names[0] + ')' if names else 'none'}.",
        sample=cached.catalogue()[0]["file"],
    )
    st.stop()

with_folds = kept.with_folds
with_cases = [n for n in kept.datasets if n not in with_folds and can_test_cases(results, n)]
places = [*([ALL_SETS] if len(kept.datasets) > 1 else []), *with_folds, *with_cases]
if not places:
    show.refusal(
        "Pair needs results per fold, predictions for named cases, or two data sets.",
        f"{results.source} has one number for each algorithm.",
        sample=cached.catalogue()[0]["file"],
    )
    st.stop()
first, second, place = inputs.pair(context, places)
if first == second:
    show.refusal("Choose two different algorithms.", f"Both are {first}.")
    st.stop()

card = st.container()
settings = replace(context.settings, pair=(first, second))
if place == ALL_SETS:
    family = context.settings
    if len(names) > 2:
        source = views.choice("p-values from", "source", ASKED_SOURCES)
        family = views.allowed(replace(family, source=source))
    analysis = views.compare(context, settings, card)
    views.say_pair(context, analysis, family, card, {"pages/many_data_sets.py": "All algorithms"})
    if isinstance(analysis, TwoComparison):
        views.difference_figure(context.key, analysis)
        views.folded("Tests", "ptests", partial(sets_tests, analysis))
        views.folded("Each data set", "pscores", partial(table_views.tables, analysis, "scores"))
        views.folded("One against the other", "pscatter", partial(views.scatter_figure, analysis))
    st.stop()

settings, family = replace(settings, dataset=place), replace(context.settings, dataset=place)
if place in with_cases:
    try:
        found = case_pair_views.of_pair(context.key, settings, results)
    except FoldwiseError as error:
        with card:
            show.refusal("These two cannot be compared on cases.", error)
    else:
        views.say_pair(context, found, family, card, {})
        case_pair_views.two_tables(found)
    st.stop()
with st.container(horizontal=True, vertical_alignment="bottom"):
    label = "Test of this pair" if len(names) > 2 else "Test"
    settings = inputs.fold_test(results, place, settings, label=label)
    family = replace(family, test_fraction=settings.test_fraction)
    if len(names) > 2 and not can_test_trainings(results, place):
        family = inputs.test_of_all_pairs(results, place, family)
    form = inputs.option("Form", "bricks", FORMS)
    inputs.offer_theta(context)
analysis = views.compare(context, settings, card)
assert isinstance(analysis, FoldPairComparison)  # a pair on one data set with folds is nothing else

everyone = {"pages/one_data_set.py": f"All algorithms on {place}"}
on_cases = None
if can_test_trainings(results, place):  # other cases would give other numbers, too
    with suppress(FoldwiseError):
        on_cases = case_pair_views.of_pair(context.key, settings, results)
if on_cases is not None:
    by_cases = replace(context, key=f"{context.key}/cases")  # the same settings, another test
    views.say_pair(by_cases, on_cases, family, card, everyone)
    case_pair_views.over_trainings(context.key, on_cases, analysis, among=len(names))
else:
    views.say_pair(context, analysis, family, card, everyone)
show.selection_chip()
left, right = st.columns(2)
with left:
    fold_views.bricks_figure(
        analysis, results.algorithms, form=form, highlight=context.highlight, width=fold_views.HALF
    )
with right:
    pair_views.paired_figure(analysis)

more = st.tabs(
    ["Interval and tests", "Fold by fold", "By measure", "Normality"],
    key="more",
    on_change="rerun",
    bind="query-params",
)
if more[0].open:
    with more[0]:
        pair_views.interval_figure(analysis)
        pair_views.tables(analysis)
        views.folded(
            "Compare with other software",
            "psoftware",
            partial(set_views.other_definitions, context.key, analysis),
        )
        region_views.region(context.key, analysis)
if more[1].open:
    with more[1]:
        fold_views.folds_table(analysis)
if more[2].open:
    with more[2]:
        table = cached.measures(context.key, analysis.settings, analysis)
        show.table_of(tables_of_sets.by_measure(analysis, table))
if more[3].open:
    with more[3]:
        pair_views.differences_qq_figure(analysis)
