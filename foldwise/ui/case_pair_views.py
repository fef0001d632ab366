"""Two trained models on the cases of one test set."""

import streamlit as st

from foldwise.ui import cached, show, table_views
from foldwise.ui.memory import keep
from foldwise.ui.work import Long, cost_on_cases
from stats_core.comparison.among_all import if_chosen_beforehand
from stats_core.comparison.base import Comparison
from stats_core.comparison.compare_cases import compare_pair_on_cases
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.tables.cases import both_forms, who_is_right
from stats_core.data.results import Results
from stats_core.data.settings import Settings


@keep(said="Comparing cases ...", cost=cost_on_cases)
def of_pair(key: str, settings: Settings, _results: Results) -> CasesComparison:
    """Return two trained models on the cases of one test set."""
    return Long(compare_pair_on_cases, _results, settings)


def two_tables(analysis: CasesComparison) -> None:
    """Show the four counts of two models, and McNemar's test in both forms."""
    show.table_of(who_is_right(analysis))
    show.table_of(both_forms(analysis))


def over_trainings(
    key: str, on_cases: CasesComparison, analysis: Comparison, *, among: int
) -> None:
    """Show the test over cases and trainings, then what a test over trainings alone gives.

    Of a pair `among` more than two algorithms no second headline is shown.
    """
    table_views.tables(on_cases, "pairs")
    if among > 2:
        found = if_chosen_beforehand(analysis)
    else:
        said = cached.words(key, analysis.settings, analysis)
        found = f"{said.headline} {said.detail}"
    st.markdown(f"## Training runs on this test set only  \n{show.escape(found)}")
    st.caption(
        "These results compare training runs on the same instances. A difference may be specific to "
        "this test set."
    )
