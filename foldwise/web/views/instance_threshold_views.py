"""One test set on the page Curves: risks along theta, best thresholds, calibration."""

from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import instance_figures
from foldwise.web import components, inputs, session
from foldwise.web.background_calls import BackgroundCall
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import fold_views, table_views
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.instance_tables import away_of
from stats_core.curves.reliability import calibration_bins
from stats_core.curves.risk_difference_bands import RiskBands, risk_bands
from stats_core.data.instance_table import CaseTable, case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings


@cached_in_session
def instance_comparison(
    key: str, dataset: str, names: tuple[str, ...], _results: Results
) -> CaseTable | None:
    """Return one test set case by case, None where folds hold different cases."""
    return case_table(_results.select(algorithms=list(names)), dataset)


def _cost_of_bands(call: BackgroundCall) -> float:
    table: CaseTable = call.args[0]
    return 2e-5 * len(table.cases) * len(table.names)


@cached_in_session(said="Drawing cases anew ...", cost=_cost_of_bands)
def risk_bands_cached(
    key: str, names: tuple[str, ...], scale: str, level: float, _table: CaseTable
) -> RiskBands:
    """Return the differences of risk along theta."""
    return BackgroundCall(risk_bands, _table, scale=scale, level=level)


@cached_in_session
def with_threshold_goal(
    key: str, settings: Settings, _analysis: CasesComparison
) -> CasesComparison:
    """Return the same comparison with what is asked of thresholds; it keeps what it computes."""
    return replace(_analysis, settings=settings)


def risk_difference_view(
    context: session.Context, key: str, table: CaseTable, scale: str, theta: float
) -> None:
    """Draw the differences of risk along theta with their bands, and say where they leave 0."""
    found = risk_bands_cached(key, table.names, scale, 1 - context.settings.alpha, table)
    components.show_figure(instance_figures.risks_drawing(table, found, theta))
    components.show_table(away_of(table.dataset, found))


def calibration_view(context: session.Context, table: CaseTable) -> None:
    """Draw calibration, or say why not."""
    if not table.probabilities:
        st.caption("Calibration needs probabilities in [0, 1]; these scores are on another scale.")
        return
    palette = fold_views.palette(context.read.algorithms, context.highlight)
    components.show_figure(
        instance_figures.calibration_drawing(table, calibration_bins(table), palette)
    )


def best_threshold_view(
    context: session.Context, table: CaseTable, analysis: Comparison | None
) -> None:
    """Ask for a wish and show the best threshold of each; draw calibration and test losses."""
    if not isinstance(analysis, CasesComparison):
        return
    st.markdown("## Best thresholds")
    settings = replace(analysis.settings, wish=inputs.threshold_goal())
    with st.spinner("Choosing thresholds ..."):
        wished = with_threshold_goal(context.key, settings, analysis)
        table_views.tables(wished, "thresholds")
    calibration_view(context, table)
    with st.spinner("Testing losses ..."):
        table_views.tables(analysis, "calibration", "losses")
