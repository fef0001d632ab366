"""The page Results: verdict, main figures, and details in tabs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, cast

import streamlit as st

from foldwise.figures import (
    cd_diagram,
    instance_figures,
    ordering_graph,
    ranks_with_intervals,
    registry,
)
from foldwise.figures.spec import MOST_NAMES, FigureSpec
from foldwise.web import browser, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.texts import page_text
from foldwise.web.views import comparison_views, curve_views, data_views, dataset_views, order_views
from stats_core.comparison.kinds import strata
from stats_core.comparison.kinds.datasets import ByAverageRanks
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.core.messages import Message
from stats_core.curves import thresholds
from stats_core.data.published import DECISIONS
from stats_core.power import detectable
from stats_core.power.detectable import NO_FAMILY
from stats_core.report import entry, methods_text, power_text
from stats_core.report.analysis_steps import chain
from stats_core.report.entry import Entry, Place
from stats_core.report.paper_sentence import copied_sentence
from stats_core.report.tables import instance_tables, table_registry
from stats_core.report.verdict import verdict
from stats_core.robustness import other_measures, variations

FORMS = ("automatic", "diagram", "list")
# option for many algorithms -> number of algorithms in the diagram, None for all
TOP = {f"best {MOST_NAMES}": MOST_NAMES, "best 20": 20, "all": None}
Tabs = dict[str, Callable[[], None]]
WIDE, NARROW = 560, 460  # px, widths of two figures side by side


def answer(context: session.Context, analysis: Comparison, drawing: FigureSpec | None) -> None:
    """Draw the verdict headline, with buttons that copy the sentence and download the figure."""
    left, right = st.columns([0.72, 0.28], vertical_alignment="top")
    left.markdown(components.heading(cached(context.key, verdict, analysis).headline, 1))
    with right.container(horizontal=True, horizontal_alignment="right"):
        browser.copy_button(
            components.COPY, cached(context.key, copied_sentence, analysis), "copy_answer"
        )
        if drawing is not None:
            components.save_popover("Download figure", drawing, key="answer")


def notes_on_answer(analysis: Comparison) -> list[Message]:
    """Return the notes without which the answer is misread: threshold, averaged runs, doubtful folds."""
    averaged = [n for n in analysis.notes if n.code == "repeated answers" and n["of_runs"]]
    folds = [n for n in analysis.results.notes if n.code == "column splits instances"]
    return [*methods_text.threshold_notes(analysis), *averaged, *folds]


def evidence(context: session.Context, analysis: Comparison) -> None:
    """Draw effect size, sensitivity, other measures and, on instances, where risks differ."""
    words = cached(context.key, verdict, analysis)
    line = " ".join([words.size or words.numbers, *map(str, notes_on_answer(analysis))])
    st.markdown(components.escape(line))
    if analysis.units:
        comparison_views.leave_one_out_line(inputs.selection_key(context), analysis)
    comparison_views.other_measures_note(inputs.selection_key(context), analysis)
    over_instances = analysis.shape.over == "cases"
    if over_instances and not thresholds.needs_scores(context.read):
        components.paragraph(curve_views.test_set_figures(context, analysis)[2], bold=True)
    if over_instances or analysis.shape.over == "benchmarks":
        effect = cached(inputs.selection_key(context), detectable.detectable, analysis)
        st.markdown(components.escape(power_text.describe_detectable(effect)))
        other_units = [note for note in analysis.notes if note.code == "other units"]
        data_views.suggest_cluster_columns(context, answers=other_units)


def figures(context: session.Context, analysis: Comparison, drawings: list[FigureSpec]) -> None:
    """Draw the main figures side by side, or tables, with the level slider below."""
    if not drawings:
        for table in table_registry.tables_in(analysis, Place.RESULTS):
            components.show_table(table)
        return
    if len(drawings) == 1:
        components.show_figure(drawings[0])
    else:
        left, right = components.side_by_side(WIDE, NARROW)
        with left:
            components.show_figure(drawings[0], width=WIDE)
        with right:
            components.show_figure(drawings[1], width=NARROW)
    if analysis.shape.ranked_pairs:
        dataset_views.note_best("diagram", len(analysis.order))
    components.show_selected_group(analysis)
    if isinstance(analysis, ByAverageRanks):
        inputs.level_slider(
            cd_diagram.slider_levels(analysis, list(analysis.adjusted.index)),
            analysis.settings.alpha,
        )


def diagram_options(analysis: Comparison) -> dict[str, Any]:
    """Draw the options of the critical-difference diagram; return them, {} for other figures."""
    if not analysis.shape.ranks or analysis.shape.control:
        return {}
    with components.options("Diagram options"):
        options = {
            "form": inputs.page_option("Form", "form", FORMS),
            "best": inputs.page_option("Best rank", "best", ("left", "right")),
        }
        if len(analysis.order) > MOST_NAMES:
            options["most"] = inputs.page_option("Algorithms shown", "top", TOP)
    return options


def main_figures(
    context: session.Context, analysis: Comparison, options: dict[str, Any]
) -> list[FigureSpec]:
    """Return the main figures, the most important one first; `options` are those of the diagram."""
    hues, selected = _palette(context), session.highlighted()
    shown = replace(
        registry.to_show(analysis, results=context.read, highlight=context.highlight, colours=hues),
        selected=selected,
        diagram={"selected": selected, **options},
    )
    own = _own_figures(context, analysis)
    drawings: list[FigureSpec] = []
    for each in entry.offered(registry.FIGURES, shown, Place.RESULTS):
        drawn = own[each.make]() if each.make in own else each.make(shown)
        drawings += registry.figures_of(drawn)
    return drawings


def _palette(context: session.Context) -> dict[str, str]:
    return components.palette(context.results.algorithms, context.highlight)


def _own_figures(
    context: session.Context, analysis: Comparison
) -> dict[Callable, Callable[[], FigureSpec | None]]:
    """Return the functions that make figures with the choices and the cache of the page, by that of the entry."""
    of_test_set = cache(partial(curve_views.test_set_figures, context, analysis))
    return {
        registry.differences_of_two: lambda: dataset_views.difference_drawing(
            context.key, analysis
        ),
        registry.roc_curves: lambda: of_test_set()[0],
        registry.risk_differences: lambda: of_test_set()[1],
    }


def show_disagreements(analysis: CasesComparison) -> None:
    """Draw the 2 x 2 tables of several models, and the instances on which two models disagree, by default the best."""
    pair = analysis.compared_pairs()[0]
    if len(analysis.order) > 2:
        components.show_figure(instance_figures.agreement_drawing(analysis))
        with components.row():
            pair = inputs.choose_two(analysis.order)
    tables = instance_tables.disagreements(analysis, pair)
    if tables[0].frame.empty:
        components.caption(page_text("results_views.no_disagreements"))
    for table in tables:
        if len(table.frame):
            components.show_table(table)
        if "text" in table.frame:
            components.caption(page_text("results_views.item_texts"))


def _benchmarks_tab(context: session.Context, analysis: Comparison) -> None:
    """Draw the comparison by benchmark and over all instances; of several algorithms also the ranks with intervals."""
    components.show_tables(analysis, "benchmarks")
    effect = cached(
        inputs.selection_key(context), detectable.detectable, analysis, over_instances=True
    )
    components.paragraph(power_text.describe_detectable(effect))
    ranks = ranks_with_intervals.ranks_over_instances(analysis, _palette(context))
    if ranks is not None:
        components.show_figure(ranks)


def _ranks_tab(context: session.Context, analysis: Comparison) -> None:
    """Draw the ranks with intervals, as a figure and a table."""
    components.show_figure(ranks_with_intervals.ranks_drawing(analysis, _palette(context)))
    components.show_tables(analysis, "ranks")


def why_this_test(context: session.Context, analysis: Comparison) -> None:
    """Draw omnibus tests, the order by cost, exploratory findings, the detectable difference and analysis steps."""
    if analysis.shape.averages and analysis.shape.ranked_pairs:
        dataset_views.first_tests(context.key, analysis)
    order_views.on_overview(context, analysis)
    key, results = inputs.selection_key(context), inputs.selected_results(context)
    findings = cached(key, other_measures.findings, results, context.settings)
    if findings:
        with st.expander("Exploratory findings", key="findings"):
            for finding in findings:
                comparison_views.finding_link(finding)
            st.caption(page_text("results_views.exploratory"))
    detectable_difference(context, analysis)
    analysis_steps(context, analysis)


def ordering_page(context: session.Context) -> None:
    """Draw MultiTest on published decisions, or why published results do not allow it, and end the page.

    Nothing is drawn if no published results are open.
    """
    results = context.results
    if results is None or results.published is None:
        return
    if results.published.what != DECISIONS or not results.published.sided:
        components.page_context(page_text("results_views.order_needs"))
    order_views.own_order(results, results.published.names)
    card = st.container()
    analysis = comparison_views.run_comparison(context, context.settings, card)
    comparison_views.show_verdict(context, analysis, card)
    if analysis.shape.published and analysis.shape.over == "nothing":
        components.show_figure(ordering_graph.graph_of_ordered_decisions(analysis))
        components.show_tables(analysis, "order", "decisions")
    components.selection_chip()
    st.stop()


def detectable_difference(context: session.Context, analysis: Comparison) -> None:
    """Draw the difference that an experiment of this size could detect, in an expander."""

    def draw() -> None:
        with components.refusing():
            effect = cached(inputs.selection_key(context), detectable.detectable, analysis)
            components.paragraph(power_text.describe_detectable(effect))
            if effect.family != NO_FAMILY.name:
                components.caption(f"Family: {effect.family}.")
            components.caption(effect.method)

    components.in_expander("Detectable difference", "detectable", draw)


def analysis_steps(context: session.Context, analysis: Comparison) -> None:
    """Draw the analysis steps with reasons and references, in an expander."""
    settings = context.settings
    if analysis.shape.averages:  # by the pairwise test of the page
        settings = replace(settings, source=analysis.settings.source)

    def draw() -> None:
        """Draw the scenario and its steps."""
        with components.refusing():
            key, results = inputs.selection_key(context), inputs.selected_results(context)
            steps = cached(key, chain, results, settings, doing="Analysis steps ...")
            if steps.scenario:
                components.caption(f"{steps.scenario}. {steps.case}.")
            for number, step in enumerate(steps.steps, 1):
                fields = ("question", "test", "why", "reference", "papers", "fails")
                texts = {name: components.escape(getattr(step, name)) for name in fields}
                st.markdown(page_text("results_views.step", number=number, **texts))

    components.in_expander("Analysis steps", "chain", draw)


@dataclass(frozen=True, kw_only=True, eq=False)
class Opened:
    """The open results, and the comparison that the page Results shows."""

    context: session.Context
    analysis: Comparison

    @property
    def key(self) -> str:
        """Key of the selected results in the cache."""
        return inputs.selection_key(self.context)


Need = Callable[[Opened], str | None]


def _of(*needs: entry.Need) -> Need:
    """Return the need that is met if the comparison meets all of these."""
    condition = entry.every(*needs)
    return lambda opened: condition(opened.analysis)


def _one_answer(analysis: Comparison) -> str | None:
    """One answer of each model to each instance."""
    cases = cast(CasesComparison, analysis)
    return entry.instances(analysis) or (None if cases.has_one_answer else "several answers")


def _rank_intervals(analysis: Comparison) -> str | None:
    """Ranks of models with intervals."""
    cases = cast(CasesComparison, analysis)
    return entry.instances(analysis) or (None if cases.has_rank_intervals else "two models")


def _stratified(analysis: Comparison) -> str | None:
    """Instances behind the averages on data sets."""
    why = _ALL_COMPARED(analysis)
    if why is not None:
        return why
    return None if strata.stratified_of(analysis) is not None else "no instances"


def _other_measures(analysis: Comparison) -> str | None:
    """Ranks of several algorithms, and measures that are not equivalent to the one compared."""
    why = entry.ranked(analysis) or entry.all_pairs(analysis)
    if why is not None:
        return why
    return None if variations.distinct_measures(analysis) else "one measure"


_INCOMPLETE = entry.every(entry.averages, entry.incomplete)
_ALL_COMPARED = entry.every(entry.averages, entry.complete, entry.all_pairs)
_ALL_RANKED = _of(entry.ranked, entry.all_pairs)


def _sensitivity_sections(opened: Opened) -> Tabs:
    """Return the sections of the tab Sensitivity by label."""
    context, analysis = opened.context, opened.analysis
    sections: Tabs = {"Leave-one-out": partial(dataset_views.stability_tab, opened.key, analysis)}
    if dataset_views.has_groups(analysis):
        sections["By group"] = partial(dataset_views.group_comparison, context, analysis)
    if _compares_folds(analysis) and not variations.distinct_measures(analysis):
        sections["Agreement"] = partial(comparison_views.agreement_tab, context, context.settings)
    return sections


def _measure_sections(opened: Opened) -> Tabs:
    """Return the sections of the tab Other measures by label."""
    context, analysis = opened.context, opened.analysis
    sections: Tabs = {"By measure": partial(dataset_views.measures_tab, opened.key, analysis)}
    if _compares_folds(analysis):
        sections["Agreement"] = partial(comparison_views.agreement_tab, context, context.settings)
    return sections


def _compares_folds(analysis: Comparison) -> bool:
    """Return whether two measures, or two adjustments, can be compared on the folds of several algorithms."""
    return not analysis.shape.two and bool(analysis.results.with_folds)


def _in_sections(sections: Callable[[Opened], Tabs], key: str) -> Callable[[Opened], None]:
    """Return the function that draws the sections of a tab; `key` is that of their choice."""
    return lambda opened: inputs.draw_sections(sections(opened), key)


def _tab(name: str, make: Callable[[Opened], None], needs: Need) -> Entry[Opened, None]:
    return Entry(name=name, make=make, needs=needs, where=frozenset({Place.RESULTS}))


# tabs of the page Results, in order; entries of one name have needs that exclude each other
TABS: tuple[Entry[Opened, None], ...] = (
    _tab("Why this test", lambda opened: why_this_test(opened.context, opened.analysis), _of()),
    _tab(
        "All pairs",
        lambda opened: components.show_tables(opened.analysis, "pairs", "scores"),
        _of(entry.models, entry.all_pairs),
    ),
    _tab(
        "Against the control",
        lambda opened: components.show_tables(opened.analysis, "pairs", "scores"),
        _of(entry.models, entry.control),
    ),
    _tab(
        "Disagreements",
        lambda opened: show_disagreements(cast(CasesComparison, opened.analysis)),
        _of(_one_answer),
    ),
    _tab("Ranks", lambda opened: _ranks_tab(opened.context, opened.analysis), _of(_rank_intervals)),
    _tab(
        "By benchmark",
        lambda opened: _benchmarks_tab(opened.context, opened.analysis),
        _of(entry.benchmarks),
    ),
    _tab(
        "All pairs",
        lambda opened: dataset_views.present_pairs(opened.context.key, opened.key, opened.analysis),
        _of(_INCOMPLETE),
    ),
    _tab(
        "Against the control",
        lambda opened: dataset_views.against_control(
            opened.context, cast(ByAverageRanks, opened.analysis)
        ),
        _of(entry.ranked, entry.control),
    ),
    _tab(
        "Differences",
        lambda opened: dataset_views.differences_tab(opened.context.key, opened.analysis),
        _of(entry.averages, entry.two_algorithms),
    ),
    _tab(
        "All pairs",
        lambda opened: dataset_views.pairs_tab(opened.context.key, opened.analysis),
        _ALL_RANKED,
    ),
    _tab(
        "Ranks",
        lambda opened: dataset_views.ranks_tab(cast(ByAverageRanks, opened.analysis)),
        _ALL_RANKED,
    ),
    _tab(
        "Wins", lambda opened: dataset_views.wins_tab(opened.context, opened.analysis), _ALL_RANKED
    ),
    _tab(
        "By benchmark",
        lambda opened: _benchmarks_tab(opened.context, opened.analysis),
        _of(_stratified),
    ),
    _tab("Sensitivity", _in_sections(_sensitivity_sections, "sensitivity"), _of(_ALL_COMPARED)),
    _tab("Other measures", _in_sections(_measure_sections, "measures"), _of(_other_measures)),
    _tab(
        "Other software",
        lambda opened: dataset_views.other_software(opened.key, opened.analysis),
        _of(_ALL_COMPARED),
    ),
)


def details(context: session.Context, analysis: Comparison) -> Tabs:
    """Return the detail views of a comparison by tab label."""
    opened = Opened(context=context, analysis=analysis)
    return {
        tab.name: partial(tab.make, opened) for tab in entry.offered(TABS, opened, Place.RESULTS)
    }


_TITLES = {"compare": "Compare", "explore": "Explore", "tradeoffs": "Trade-offs", "plan": "Plan"}


def name_hidden_pages(context: session.Context) -> None:
    """Draw a line on the pages that the open results cannot support; nothing if there are none."""
    hidden = [page for page in _TITLES if page in st.session_state.get(session.HIDDEN_PAGES, ())]
    shared = "all" if context.results.published is not None else "two" if "plan" in hidden else ""
    alone = [page for page in hidden if not shared or (shared == "two" and page == "explore")]
    names = [_TITLES[page] for page in hidden if page not in alone]
    components.name_missing(
        *([page_text(f"components.lacks_{shared}", names=names)] if names else []),
        *(page_text(f"components.lacks_{page}") for page in alone),
    )
