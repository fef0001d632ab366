"""Two algorithms against a region that does not matter: three shares beside the p-value."""

import streamlit as st

from foldwise.ui import show
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two import TwoComparison
from stats_core.core.errors import FoldwiseError
from stats_core.looks.equivalence import equivalence, equivalence_table


def region(analysis: TwoComparison | FoldPairComparison) -> None:
    """Show the Bayesian answer for the region of the sidebar; say where it is set if it is not."""
    if analysis.settings.region is None:
        st.caption(
            show.escape(
                "Not significant is not equivalent. Say in the sidebar which differences in "
                f"{analysis.settings.measure} do not matter, and here stands what speaks for equivalence."
            )
        )
        return
    try:
        found = equivalence(analysis)
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    show.table_of(equivalence_table(analysis, found))
