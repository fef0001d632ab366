"""What stands beside the diagram of ranks: other first tests, effects."""

import streamlit as st

from foldwise.gallery import tables_of_sets
from foldwise.ui import cached, show
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.core.errors import FoldwiseError
from stats_core.inference.contrasts import contrast_estimation


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Show every test of all algorithms at once; the slow exact one when asked."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached.first_tests(key, analysis.settings, exact, analysis)
    show.table_of(tables_of_sets.first_tests(analysis, rows))
    for name, why in refused.items():
        st.caption(show.escape(f"{name}: {why}"))


def contrasts(analysis: RanksComparison) -> None:
    """Show the median-based estimate of every difference, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    show.table_of(tables_of_sets.contrasts(analysis, table))
