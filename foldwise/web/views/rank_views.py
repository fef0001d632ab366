"""What stands beside the diagram of ranks: other first tests, effects."""

import streamlit as st

from foldwise.figure_specs import robustness_tables
from foldwise.web import cached_calls, components
from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.core.errors import FoldwiseError
from stats_core.inference.contrasts import contrast_estimation


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Show every test of all algorithms at once; the slow exact one when asked."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached_calls.first_tests(key, analysis.settings, exact, analysis)
    components.show_table(robustness_tables.first_tests(analysis, rows))
    for name, why in refused.items():
        st.caption(components.escape(f"{name}: {why}"))


def contrast_view(analysis: RanksComparison) -> None:
    """Show the median-based estimate of every difference, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    components.show_table(robustness_tables.contrast_table(analysis, table))
