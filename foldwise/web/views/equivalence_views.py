"""Two algorithms against a region that does not matter: three shares beside the p-value."""

import streamlit as st

from foldwise.web import cached_calls, components
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.robustness.equivalence import MOST_PAIRS


def equivalence_view(key: str, analysis: TwoComparison | FoldPairComparison) -> None:
    """Show the Bayesian answer for the region of the sidebar; say where it is set if it is not."""
    if analysis.settings.region is None:
        st.caption(
            components.escape(
                "Not significant is not equivalent. Say in the sidebar which differences in "
                f"{analysis.settings.measure} do not matter, and here stands what speaks for equivalence."
            )
        )
        return
    try:
        table = cached_calls.bayes(key, analysis.settings, analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    components.show_table(table)


def equivalence_of_pairs_view(key: str, analysis: Comparison) -> None:
    """Show the Bayesian answers for every pair over data sets, if a region is set."""
    if analysis.settings.region is None:
        return
    table = cached_calls.every_bayes(key, analysis.settings, analysis)
    if table is None:
        st.caption(f"Bayesian tests are shown for up to {MOST_PAIRS} pairs; leave algorithms out.")
    else:
        components.show_table(table)
