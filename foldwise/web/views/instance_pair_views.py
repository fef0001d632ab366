"""Two trained models on the cases of one test set."""

import streamlit as st

from foldwise.web import cached_calls, components
from foldwise.web.background_calls import BackgroundCall, instances_seconds
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import table_views
from stats_core.comparison.compare_instances import compare_pair_on_cases
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.pair_in_family import if_chosen_beforehand
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.instance_tables import agreement_counts, both_forms
from stats_core.data.results import Results
from stats_core.data.settings import Settings


@cached_in_session(said="Comparing cases ...", cost=instances_seconds)
def instance_pair(key: str, settings: Settings, _results: Results) -> CasesComparison:
    """Return two trained models on the cases of one test set."""
    return BackgroundCall(compare_pair_on_cases, _results, settings)


def two_tables(analysis: CasesComparison) -> None:
    """Show the four counts of two models, and McNemar's test in both forms."""
    components.show_table(agreement_counts(analysis))
    components.show_table(both_forms(analysis))


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
        said = cached_calls.words(key, analysis.settings, analysis)
        found = f"{said.headline} {said.detail}"
    st.markdown(f"## Training runs on this test set only  \n{components.escape(found)}")
    st.caption(
        "These results compare training runs on the same instances. A difference may be specific to "
        "this test set."
    )
