"""One test set on the page Curves: risks along theta, best thresholds, calibration."""

from dataclasses import replace

import streamlit as st

from foldwise.gallery import on_cases
from foldwise.ui import fold_views, inputs, show, state, table_views
from foldwise.ui.memory import keep
from foldwise.ui.work import Long
from stats_core.comparison.base import Comparison
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.tables.cases import away_of
from stats_core.curves.calibration import calibration_bins
from stats_core.curves.risk_bands import RiskBands, risk_bands
from stats_core.data.case_table import CaseTable, case_table
from stats_core.data.results import Results
from stats_core.data.settings import Settings


@keep
def of_cases(key: str, dataset: str, names: tuple[str, ...], _results: Results) -> CaseTable | None:
    """Return one test set case by case, None where folds hold different cases."""
    return case_table(_results.select(algorithms=list(names)), dataset)


def _cost_of_bands(call: Long) -> float:
    table: CaseTable = call.args[0]
    return 2e-5 * len(table.cases) * len(table.names)


@keep(said="Drawing cases anew ...", cost=_cost_of_bands)
def bands(
    key: str, names: tuple[str, ...], scale: str, level: float, _table: CaseTable
) -> RiskBands:
    """Return the differences of risk along theta."""
    return Long(risk_bands, _table, scale=scale, level=level)


@keep
def wishing(key: str, settings: Settings, _analysis: CasesComparison) -> CasesComparison:
    """Return the same comparison with what is asked of thresholds; it keeps what it computes."""
    return replace(_analysis, settings=settings)


def risks(context: state.Context, key: str, table: CaseTable, scale: str, theta: float) -> None:
    """Draw the differences of risk along theta with their bands, and say where they leave 0."""
    found = bands(key, table.names, scale, 1 - context.settings.alpha, table)
    show.figure_of(on_cases.risks_drawing(table, found, theta))
    show.table_of(away_of(table.dataset, found))


def calibrated(context: state.Context, table: CaseTable) -> None:
    """Draw calibration, or say why not."""
    if not table.probabilities:
        st.caption("Calibration needs probabilities in [0, 1]; these scores are on another scale.")
        return
    palette = fold_views.palette(context.read.algorithms, context.highlight)
    show.figure_of(on_cases.calibration_drawing(table, calibration_bins(table), palette))


def beside(context: state.Context, table: CaseTable, analysis: Comparison | None) -> None:
    """Ask for a wish and show the best threshold of each; draw calibration and test losses."""
    if not isinstance(analysis, CasesComparison):
        return
    st.markdown("## Best thresholds")
    settings = replace(analysis.settings, wish=inputs.wish())
    with st.spinner("Choosing thresholds ..."):
        wished = wishing(context.key, settings, analysis)
        table_views.tables(wished, "thresholds")
    calibrated(context, table)
    with st.spinner("Testing losses ..."):
        table_views.tables(analysis, "calibration", "losses")
