"""The order of several algorithms on one data set as figures and tables."""

import streamlit as st

from foldwise.figure_specs import fold_figures, robustness_tables
from foldwise.web import cached_calls, components, session
from foldwise.web.views import table_views
from foldwise.web.views.fold_views import palette
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.tables.fold_tables import one_way
from stats_core.core.formatting import format_set, join_names
from stats_core.data.results import Results

NOTATIONS = ("maximal groups", "underlines", "letters")


def fold_order_view(
    analysis: FoldsComparison, all_algorithms, notation: str, highlight: tuple[str, ...]
) -> None:
    """Draw the order; where underlines and maximal groups disagree, draw both."""
    look = _look(all_algorithms, highlight)
    if notation == "letters" or not analysis.notations_disagree:
        components.show_figure(fold_figures.strip_drawing(analysis, notation=notation, **look))
    else:
        for drawing in fold_figures.strip_drawings(analysis, **look):
            components.show_figure(drawing)
        st.caption(components.escape(str(analysis.disagreement)))
    notation_lines(analysis)


def ordering_figure(
    analysis: FoldsComparison, all_algorithms, *, highlight: tuple[str, ...] = ()
) -> None:
    """Draw the order by mean with a line under each maximal group; clicks select."""
    components.show_figure(fold_figures.strip_drawing(analysis, **_look(all_algorithms, highlight)))


def _look(all_algorithms, highlight: tuple[str, ...]) -> dict:
    """Return colours and what is selected."""
    return {
        "highlight": highlight,
        "colours": palette(all_algorithms, highlight),
        "selected": session.highlighted(),
    }


def notation_lines(analysis: FoldsComparison) -> None:
    """Name the groups in words, by both procedures where they differ, and explain a selected one."""
    table_views.selected_group(analysis)
    groups = [group for group in analysis.groups if len(group) > 1]
    named = " ".join(format_set(group) for group in groups[:12]) or "none"
    st.markdown(components.escape(f"Groups not separated: {named}"))
    letters = join_names([f"{name} {text}" for name, text in analysis.letters.items()], 40)
    same = "" if analysis.notations_disagree else "Underlines as published are the same groups. "
    st.caption(components.escape(f"{same}Compact letters, differ where none is shared: {letters}."))


def anova_tables(analysis: FoldsComparison) -> None:
    """Show the analysis of variance, folds as blocks first."""
    table_views.tables(analysis, "anova")
    components.show_table(one_way(analysis))


def other_orderings(
    analysis: FoldsComparison, results: Results, key: str, highlight: tuple[str, ...]
) -> None:
    """Draw the order by other measures of the user's choice, and the decisions that change."""
    others = [name for name in results.measures if name != analysis.settings.measure]
    if not others:
        return
    opened = st.expander("The same by other measures", key="other_measures", on_change="rerun")
    if not opened.open:
        return
    with opened:
        preset = [name for name in ("error", "auc", "auc_pr") if name in others] or others[:2]
        chosen = st.multiselect(
            "Measures", others, default=preset[:2], max_selections=4, key="beside"
        )
        done, refused = cached_calls.orders(key, analysis.settings, tuple(chosen), analysis)
        for other in done:
            ordering_figure(other, results.algorithms, highlight=highlight)
        for measure, reason in refused.items():
            st.caption(components.escape(f"{measure}: {reason}"))
        if done:
            _changed_table([analysis, *done])


def _changed_table(analyses: list[FoldsComparison]) -> None:
    table = robustness_tables.changed_pairs_table(analyses)
    names = join_names([analysis.settings.measure for analysis in analyses], 6)
    if table.frame.empty:
        st.caption(components.escape(f"Every pair is decided alike by {names}."))
        return
    components.show_table(table)
