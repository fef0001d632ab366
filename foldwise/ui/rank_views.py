"""What stands beside the diagram of ranks: other first tests, procedures step by step, effects."""

import streamlit as st

from foldwise.gallery import tables_of_sets
from foldwise.ui import cached, show
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.ranks import RanksComparison
from stats_core.core.errors import FoldwiseError
from stats_core.inference.contrasts import contrast_estimation
from stats_core.inference.families.exhaustive import LARGEST_LISTED

MOST_STEPS = 60


def first_tests(key: str, analysis: RanksComparison | ControlComparison) -> None:
    """Show every test of all algorithms at once; the slow exact one when asked."""
    exact = st.toggle("Add the exact Friedman test (seconds)", key="exact_friedman")
    rows, refused = cached.first_tests(key, analysis.settings, exact, analysis)
    show.table_of(tables_of_sets.first_tests(analysis, rows))
    for name, why in refused.items():
        st.caption(show.escape(f"{name}: {why}"))


def steps(analysis: RanksComparison) -> None:
    """Show each procedure hypothesis by hypothesis, and the exhaustive sets of few algorithms."""
    if len(analysis.order) > MOST_STEPS:
        st.caption(f"Step by step: shown up to {MOST_STEPS} algorithms.")
        return
    ranked = analysis.settings.source == "ranks"
    statistics = analysis.raw.statistics if ranked else None
    found = cached.steps(analysis.raw.pvalues, analysis.settings.alpha, statistics)
    show.table_of(tables_of_sets.steps(found, analysis.settings.alpha))
    if len(analysis.order) <= LARGEST_LISTED:
        sets = cached.sets(analysis.raw.pvalues, tuple(analysis.order), analysis.settings.alpha)
        show.table_of(tables_of_sets.exhaustive(sets))


def contrasts(analysis: RanksComparison) -> None:
    """Show the median-based estimate of every difference, in units of the measure."""
    try:
        table = contrast_estimation(analysis.scores[analysis.order])
    except FoldwiseError as error:
        st.caption(show.escape(error))
        return
    show.table_of(tables_of_sets.contrasts(analysis, table))
