"""Groups on several measures: the plane, the pairs, and who stands alone."""

import streamlit as st

from foldwise.gallery import cliques
from foldwise.ui import fold_views, show, state, table_views
from stats_core.comparison.kinds.measures import SeveralOnMeasures
from stats_core.core.words import braced, listed

MOST_LISTED = 20


def groups(context: state.Context, analysis: SeveralOnMeasures) -> None:
    """Draw the groups in the plane, list them with those alone, and draw and list the pairs."""
    show.selection_chip()
    colours = fold_views.palette(context.results.algorithms, context.highlight)
    plane = cliques.plane_drawing(analysis, colours=colours, lit=state.lit())
    if plane is not None:
        show.figure_of(plane, on=analysis.dataset)
    _list(analysis)
    table_views.selected_group(analysis)
    show.figure_of(cliques.matrix_drawing(analysis), on=analysis.dataset)
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
            show.escape(braced(group)),
            key=f"group_{place}",
            type="tertiary",
            on_click=state.select,
            args=("group", list(group)),
        )
    if real and alone:
        st.caption(show.escape(f"In no group, as separated from all others: {listed(alone, 60)}."))
