"""Views shared by pages: tables, selected groups, the chain of tests, links to other pages."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.layout import unfit_pages
from stats_core.comparison.detectable_inputs import NO_FAMILY
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count
from stats_core.report.tables.table_registry import tables_of
from stats_core.robustness.group_evidence import inside_group


def tables(comparison: Comparison, *names: str) -> None:
    """Draw tables of a comparison by name."""
    for table in tables_of(comparison, *names):
        components.show_table(table)


def selected_group(comparison: Comparison) -> None:
    """Draw the evidence for a selected group, and what would split it."""
    chosen = session.selection()
    if chosen.get("kind") == "group":
        evidence = inside_group(comparison, chosen["ids"])
        if evidence is not None:
            components.selection_chip()
            st.markdown(components.escape(str(evidence)))


def pairs(comparison: Comparison, *, name: str = "pairs", title: str = "") -> None:
    """Draw the table of all pairs, or of those that the selection concerns."""
    for table in tables_of(comparison, "pairs", late=True):  # computes intervals of these rows
        if names := session.highlighted():
            inside = table.frame[["first", "second"]].isin(names)
            mask = inside.all(axis=1) if len(names) > 1 else inside.any(axis=1)
            if mask.any():
                table = table.only(mask)
                table = replace(table, title=format_count(len(table.frame), "pair"))
        if (name, title or table.title) != (table.name, table.title):
            table = replace(table, name=name, title=title or table.title)
        components.show_table(table, on=getattr(comparison, "dataset", ""))


def other_measures_note(context: session.Context, analysis: Comparison) -> None:
    """Draw which other measures lead to other decisions, if any."""
    with suppress(FoldwiseError):
        key = inputs.selection_key(context)
        if sentence := cached_calls.otherwise(key, analysis.settings, analysis).text:
            st.markdown(components.escape(sentence), width=920)


def detectable_caption(context: session.Context, analysis: Comparison) -> None:
    """Draw the difference that an experiment of this size could detect."""
    try:
        effect = cached_calls.detectable(inputs.selection_key(context), analysis.settings, analysis)
    except FoldwiseError:
        return
    if effect.text:
        family = f" Family: {effect.family}." if effect.family != NO_FAMILY.name else ""
        st.caption(components.escape(f"{effect.text}{family}"), help=effect.method)


def analysis_steps(context: session.Context) -> None:
    """Draw the chain of tests with reasons and references."""
    expander = st.expander(
        "The chain of tests, and what the papers use", key="chain", on_change="rerun"
    )
    if not expander.open:
        return
    with expander:
        try:
            chain = cached_calls.chain(
                inputs.selection_key(context), context.settings, inputs.kept_input(context)
            )
        except FoldwiseError as error:
            st.caption(components.escape(str(error)))
            return
        st.caption(components.escape(f"{chain.scenario}. {chain.case}."))
        for number, step in enumerate(chain.steps, 1):
            lines = [
                f"**{number}. {components.escape(step.question)}** {components.escape(step.test)}."
            ]
            lines.append(f"{components.escape(step.why)} ({components.escape(step.reference)})")
            if step.papers:
                lines.append(f"In the papers: {components.escape(step.papers)}")
            if step.fails:
                lines.append(f"Does not hold here: {components.escape(step.fails)}")
            st.markdown("  \n".join(lines))


def next_page_links(context: session.Context, analysis: Comparison) -> None:
    """Draw links to the other pages that apply to these results."""
    lines = list(_lines(context, analysis))
    st.markdown("## Go on to")
    st.page_link(
        "pages/map.py",
        label="The map: the cases and scenarios of the papers, and where you are",
        icon=":material/map:",
    )
    for page, label, parameters in lines:
        st.page_link(
            f"pages/{page}.py",
            label=components.escape(label),
            icon=":material/arrow_forward:",
            query_params=parameters or None,
        )


def _lines(context: session.Context, analysis: Comparison):
    results = inputs.kept_input(context)
    names, measure = results.algorithms, analysis.settings.measure
    unfit = unfit_pages(context)
    if "pair" not in unfit:
        best_name, second_name = inputs.best_first(context)[:2]
        parameters = {"a": best_name, "b": second_name}
        best = ", the best two" if len(names) > 2 else ""
        yield "pair", f"Pair: {best_name} against {second_name}{best}, by every test", parameters
    on_one = analysis.shape.folds
    if "one_data_set" not in unfit and not on_one:
        content = "the order" if len(names) > 1 else f"the folds of {names[0]}"
        sets = format_count(len(results.with_folds), "data set")
        yield "one_data_set", f"One data set: {content} on each of {sets}", {}
    if "multivariate" not in unfit and len(names) > 1:
        yield (
            "multivariate",
            "Multivariate: do they differ when several measures count together?",
            {},
        )
    if "curves" not in unfit:
        yield "curves", "Curves: ROC and precision-recall, areas, every threshold", {}
    if "many_data_sets" not in unfit:
        yield "many_data_sets", _many(analysis, measure), {}
    if "ordering" not in unfit:
        cost = "cost" if results.costs else "an order of your own"
        label = f"Ordering: from best to worst by {measure} and {cost}"
        if results.published is not None:
            label = "Ordering: MultiTest on these decisions, by an order of your own"
        yield "ordering", label, {}
    if len(names) > 1 and results.published is None:
        yield (
            "lab",
            "Lab: would a procedure find it, does it keep its level, how much more to run?",
            {},
        )
    yield "export", "Export: all figures, a report, tables, and a script that repeats it", {}


def _many(analysis: Comparison, measure: str) -> str:
    if analysis.shape.averages and not (analysis.shape.two or analysis.shape.control):
        pairs = analysis.tested()
        differ = len(pairs[pairs["separated"]])
        verb = "differs" if differ == 1 else "differ"
        summary = f"{differ:,} of {format_count(len(pairs), 'pair')} {verb} on {measure}"
        return f"Many data sets: {summary}; ranks, wins, stability"
    return f"Many data sets: {measure} on each of them, wins, stability"
