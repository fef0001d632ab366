"""Many data sets: which algorithms differ in general."""

from dataclasses import replace

import streamlit as st

from foldwise.ui import (
    agreement_view,
    cached,
    group_views,
    inputs,
    published_views,
    rank_views,
    region_views,
    set_views,
    show,
    state,
    table_views,
    views,
)
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.present import PresentComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.data.settings import ASKED_SOURCES

FORMS = ("automatic", "diagram", "list")

context = state.context()
if context.results is None:
    show.refusal("This page needs results.", "No file is open, or it could not be read.")
    st.stop()
published_views.needs(context, "This page needs results on each data set.")

settings = context.settings
card = st.container()
several = len(inputs.kept(context).algorithms) > 2
if several and not context.undecided:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = views.choice("p-values from", "source", ASKED_SOURCES)
        form = views.choice("Form", "form", {name: name for name in FORMS})
        best = views.choice("Best on the", "best", {"left": "left", "right": "right"})
    settings = views.allowed(replace(settings, source=source))

analysis = views.compare(context, settings, card)

if not isinstance(
    analysis, RanksComparison | PresentComparison | TwoComparison | ControlComparison
):
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

views.say(context, analysis, card, {"pages/overview.py": "Overview"}, robust=True)

if isinstance(analysis, TwoComparison):
    differences, scatter, stable, other, *grouped = st.tabs(
        [
            "Differences",
            "One against the other",
            "Stability",
            "Why another number?",
            *group_views.tab(analysis),
        ],
        key="two",
        on_change="rerun",
        bind="query-params",
    )
    if stable.open:
        with stable:
            set_views.stability(inputs.kept_key(context), analysis)
    if other.open:
        with other:
            set_views.other_definitions(inputs.kept_key(context), analysis)
    if differences.open:
        with differences:
            views.difference_figure(context.key, analysis)
            table_views.tables(analysis, "tests", "symmetry")
            region_views.region(context.key, analysis)
            table_views.tables(analysis, "scores")
    if scatter.open:
        with scatter:
            views.scatter_figure(analysis)
    for one in grouped:
        if one.open:
            with one:
                group_views.by_group(context, analysis)
    st.stop()

if isinstance(analysis, PresentComparison):
    table_views.tables(analysis, "standing", "pairs")
    region_views.regions(context.key, analysis)
    views.present_figures(analysis)
    table_views.tables(analysis, "tests", "groups", "scores")
    set_views.robustness(inputs.kept_key(context), analysis)
    st.stop()

if isinstance(analysis, ControlComparison):
    views.control_figure(analysis, form=form, best=best)
    table_views.tables(analysis, "comparisons", "symmetry")
    views.intervals_figure(analysis)
    region_views.regions(context.key, analysis)
    rank_views.first_tests(context.key, analysis)
    views.rank_figure(analysis)
    table_views.tables(analysis, "scores")
    set_views.robustness(inputs.kept_key(context), analysis)
    if group_views.tab(analysis):
        st.markdown("## By group")
        group_views.by_group(context, analysis)
    st.stop()

has_folds = bool(analysis.results.with_folds)
diagram, pairs, ranks, won, stable, other, *more = st.tabs(
    [
        "Diagram",
        "Pairs",
        "Ranks by data set",
        "Wins",
        "Stability",
        "Why another number?",
        *(["Agreement"] if has_folds else []),
        *group_views.tab(analysis),
    ],
    key="tab",
    on_change="rerun",
    bind="query-params",
)
if diagram.open:
    with diagram:
        show.selection_chip()
        views.cd_figure(analysis, context.highlight, form=form, best=best)
        views.groups_line(analysis)
        rank_views.first_tests(context.key, analysis)
if pairs.open:
    with pairs:
        show.selection_chip()
        table_views.pairs(analysis)
        region_views.regions(context.key, analysis)
        views.intervals_figure(analysis)
        views.matrix_figure(analysis)
        rank_views.contrasts(analysis)
        table_views.tables(analysis, "procedures", "steps", "acceptance", "symmetry")
if ranks.open:
    with ranks:
        views.rank_figure(analysis)
        table_views.tables(analysis, "scores")
if won.open:
    with won:
        set_views.wins(context, analysis)
if stable.open:
    with stable:
        set_views.stability(inputs.kept_key(context), analysis)
if other.open:
    with other:
        set_views.other_definitions(inputs.kept_key(context), analysis)
if has_folds and more[0].open:
    with more[0]:
        agreement_view.agreement(context, settings)
for one in more[has_folds:]:
    if one.open:
        with one:
            group_views.by_group(context, analysis)
