"""The page Compare: matrix of all pairs, and details of one pair."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from foldwise.figures import pair_matrix
from foldwise.figures.spec import FigureSpec
from foldwise.web import cache, components, inputs, session
from foldwise.web.session import Context
from foldwise.web.settings_registry import ALL_SETS
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, dataset_views, fold_views
from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.errors import FoldwiseError
from stats_core.data.settings import Settings
from stats_core.report import entry
from stats_core.report.entry import Entry, Evidence, Needs, Place

MATRIX, PAIR = 460, 560  # px, widths of the two columns


def compare(context: Context) -> None:
    """Draw the choice of a pair, the matrix of all pairs, and the comparison of that pair."""
    selected = inputs.selected_results(context)
    names, places = list(selected.algorithms), _places(context)
    if len(names) < 2:
        has = page_text("compare_views.has", source=selected.source, names=names)
        components.end_page(page_text("compare_views.needs_two"), has)
    if not places:
        has = page_text("compare_views.one_number", source=selected.source)
        components.end_page(page_text("compare_views.needs_results"), has)
    take_selected_pair(names)
    first, second, dataset = inputs.choose_pair(context, places)
    pair = replace(
        context.settings, pair=(first, second), dataset="" if dataset == ALL_SETS else dataset
    )
    left = right = st.container()
    if len(names) > 2:
        session.mark_pair(first, second)
        left, right = components.side_by_side(MATRIX, PAIR)
    with right:
        if dataset == ALL_SETS:
            family = _over_datasets(context, pair, many=len(names) > 2)
        elif dataset in selected.with_folds:
            family = _on_folds(context, pair, many=len(names) > 2)
        else:
            family = _on_instances(context, pair, many=len(names) > 2)
    if len(names) > 2:
        with left:
            components.show_figure(_matrix(context, family), on=family.dataset, width=MATRIX)


def take_selected_pair(names: list[str]) -> None:
    """Compare the pair selected by a click, if both of its algorithms are among `names`."""
    selection = session.linked_selection()
    if selection.get("kind") == "pair" and set(selection["ids"]) <= set(names):
        st.session_state["a"], st.session_state["b"] = selection["ids"]


def _places(context: Context) -> list[str]:
    """Return the options for where to compare two algorithms: over all data sets, or one data set."""
    selected = inputs.selected_results(context)
    by_instances = [
        name
        for name in selected.datasets
        if name not in selected.with_folds and instances.can_test_cases(context.results, name)
    ]
    return [
        *([ALL_SETS] if len(selected.datasets) > 1 else []),
        *selected.with_folds,
        *by_instances,
    ]


def _matrix(context: Context, family: Settings) -> FigureSpec | None:
    """Return the matrix of all pairs, None if their comparison is refused or has none."""
    with suppress(FoldwiseError):
        all_pairs = replace(family, control="", correction="") if family.control else family
        return pair_matrix.matrix_of_pairs(cache.analysis(context.key, all_pairs, context.results))
    return None


def _over_datasets(context: Context, pair: Settings, *, many: bool) -> Settings:
    """Draw the comparison of a pair over data sets; return the settings of the comparison of all pairs."""
    family = inputs.settings_over_datasets(context) if many else context.settings
    card = st.container()
    comparison = comparison_views.run_comparison(context, pair, card)
    comparison_views.show_pair_verdict(context, comparison, family, card)
    if comparison.shape.averages and comparison.shape.two:
        dataset_views.pair_over_datasets(context.key, comparison)
    elif comparison.shape.over == "benchmarks":
        components.show_tables(comparison, "pairs")
        components.show_tables(comparison, "benchmarks")
    return family


def _on_instances(context: Context, pair: Settings, *, many: bool) -> Settings:
    """Draw the comparison of two models on one test set; return the settings of the comparison of all pairs."""
    family, card, comparison = replace(pair, pair=()), st.container(), None
    with card, components.refusing(page_text("compare_views.refused")):
        comparison = fold_views.instance_pair(context.key, pair, context.results)
    if comparison is not None:
        comparison_views.show_pair_verdict(context, comparison, family, card)
        fold_views.answers_of_two(comparison, context.results.algorithms, apart=not many)
    return family


def _on_folds(context: Context, pair: Settings, *, many: bool) -> Settings:
    """Draw the comparison of a pair on the folds of a data set; return the settings of the comparison of all pairs."""
    results, dataset = context.results, pair.dataset
    card = st.container()
    with components.options():
        pair = inputs.fold_test(results, dataset, pair, label="Pairwise test" if many else "Test")
        family = replace(context.settings, dataset=dataset, test_fraction=pair.test_fraction)
        if many and not instances.can_test_trainings(results, dataset):
            family = inputs.choose_test_of_all_pairs(results, dataset, family)
        form = fold_views.form_of_folds()
        inputs.offer_theta(context)
    comparison = comparison_views.run_comparison(context, pair, card)
    assert isinstance(comparison, FoldPairComparison)  # of two algorithms on a data set with folds
    on_instances = None
    # Other instances would give other numbers, too.
    if instances.can_test_trainings(results, dataset):
        with suppress(FoldwiseError):
            on_instances = fold_views.instance_pair(context.key, pair, results)
    if on_instances is not None:
        # The same settings, with another test.
        by_instances = replace(context, key=f"{context.key}/cases")
        comparison_views.show_pair_verdict(by_instances, on_instances, family, card)
        fold_views.over_trainings(
            context.key, on_instances, comparison, among=len(results.algorithms)
        )
    else:
        comparison_views.show_pair_verdict(context, comparison, family, card)
    pair_on_folds = PairOnFolds(context=context, comparison=comparison, form=form)
    sections = entry.offered(SECTIONS, pair_on_folds, Place.COMPARE)
    inputs.draw_sections(
        {each.name: partial(each.make, pair_on_folds) for each in sections}, "more"
    )
    components.name_missing(*entry.lacking(SECTIONS, pair_on_folds, Place.COMPARE).values())
    return family


@dataclass(frozen=True, kw_only=True, eq=False)
class PairOnFolds:
    """The comparison of two algorithms on the folds of one data set, and how folds are drawn.

    Attributes
    ----------
    context : Context
        The open results.
    comparison : FoldPairComparison
        The comparison of the pair.
    form : str
        Form of the figure of folds.
    """

    context: Context
    comparison: FoldPairComparison
    form: str


def _folds(pair: PairOnFolds) -> None:
    """Draw histograms or rainclouds and paired results of two algorithms over folds, and a table in an expander."""
    context, comparison = pair.context, pair.comparison
    everyone, highlight = context.results.algorithms, context.highlight
    fold_views.folds_figure(comparison, everyone, form=pair.form, highlight=highlight, width=PAIR)
    fold_views.paired_figure(comparison)
    components.in_expander(
        "Fold by fold", "fold_by_fold", partial(fold_views.folds_table, comparison)
    )


def _measures_lacking(pair: PairOnFolds) -> str | None:
    """Return that the results have one measure only, None if they have several."""
    if inputs.several_measures(pair.context.results):
        return None
    return page_text("components.lacks_second_measure")


def _no_more(pair: PairOnFolds) -> str | None:
    """Return None: nothing more is needed."""
    return None


MEASURES: Evidence[PairOnFolds] = Evidence(name="measures", lacking=_measures_lacking)


def _section(
    name: str, make: Callable[[PairOnFolds], None], needs: Callable[[PairOnFolds], str | None]
) -> Entry[PairOnFolds, None]:
    return Entry(name=name, make=make, needs=needs, where=frozenset({Place.COMPARE}))


# sections on two algorithms on the folds of one data set, in order
SECTIONS: tuple[Entry[PairOnFolds, None], ...] = (
    _section("Folds", _folds, _no_more),
    _section(
        "Interval and tests",
        lambda pair: dataset_views.pair_tests_tab(pair.context.key, pair.comparison),
        _no_more,
    ),
    _section(
        "By measure",
        lambda pair: fold_views.measures_tab(pair.context.key, pair.comparison),
        Needs(MEASURES, _no_more),
    ),
    _section("Normality", lambda pair: fold_views.normality_tab(pair.comparison), _no_more),
)
