"""Groups on several measures: the plane, the pairs, and who stands alone."""

import streamlit as st

from foldwise.figure_specs import clique_figures
from foldwise.web import components, session
from foldwise.web.views import fold_views, table_views
from stats_core.comparison.kinds.several_measures import SeveralOnMeasures
from stats_core.core.formatting import format_set, join_names

MOST_LISTED = 20


def groups(context: session.Context, analysis: SeveralOnMeasures) -> None:
    """Draw the groups in the plane, list them with those alone, and draw and list the pairs."""
    components.selection_chip()
    colours = fold_views.palette(context.results.algorithms, context.highlight)
    plane = clique_figures.plane_drawing(analysis, colours=colours, lit=session.highlighted())
    if plane is not None:
        components.show_figure(plane, on=analysis.dataset)
    _list(analysis)
    table_views.selected_group(analysis)
    components.show_figure(clique_figures.matrix_drawing(analysis), on=analysis.dataset)
    table_views.pairs(analysis)
    table_views.tables(analysis, "procedures", "steps", "acceptance")


def _list(analysis: SeveralOnMeasures) -> None:
    """List the maximal groups, and those in none; a click lights one everywhere."""
    st.markdown("## Groups not separated")
    real = [group for group in analysis.groups if len(group) > 1]
    alone = [group[0] for group in analysis.groups if len(group) == 1]
    if not real:
        st.caption("Every pair differs.")
    for place, group in enumerate(real[:MOST_LISTED]):
        st.button(
            components.escape(format_set(group)),
            key=f"group_{place}",
            type="tertiary",
            on_click=session.select,
            args=("group", list(group)),
        )
    if real and alone:
        st.caption(
            components.escape(
                f"In no group, as separated from all others: {join_names(alone, 60)}."
            )
        )
