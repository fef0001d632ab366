"""One test set on the page Curves: risks along theta, best thresholds, calibration."""

import streamlit as st

from foldwise.gallery import on_cases
from foldwise.ui import fold_views, inputs, show, state
from stats_core.core.errors import FoldwiseError
from stats_core.curves.best_threshold import WISHES
from stats_core.curves.calibration import calibration_bins
from stats_core.curves.risk_bands import RiskBands, risk_bands
from stats_core.data.case_table import CaseTable, case_table
from stats_core.data.results import Results

LABELS = {
    "a ratio of costs": ("cost", 1.0, 0.01, 100.0),
    "a recall": ("recall", 0.8, 0.01, 1.0),
    "a precision": ("precision", 0.8, 0.01, 1.0),
    "a share of alerts": ("alerts", 0.1, 0.01, 1.0),
}


@st.cache_resource(max_entries=16, show_spinner=False)
def of_cases(key: str, dataset: str, names: tuple[str, ...], _results: Results) -> CaseTable | None:
    """Return one test set case by case, None where folds hold different cases."""
    return case_table(_results.select(algorithms=list(names)), dataset)


@st.cache_resource(max_entries=16, show_spinner="Drawing cases anew ...")
def bands(
    key: str, names: tuple[str, ...], scale: str, level: float, _table: CaseTable
) -> RiskBands:
    """Return the differences of risk along theta."""
    return risk_bands(_table, scale=scale, level=level)


@st.cache_resource(max_entries=32, show_spinner="Choosing thresholds ...")
def thresholds(key: str, names: tuple[str, ...], wish: str, amount: float, _table: CaseTable):
    """Return the table of best thresholds."""
    return on_cases.thresholds_table(_table, wish, amount)


@st.cache_resource(max_entries=32, show_spinner="Testing losses ...")
def losses(key: str, names: tuple[str, ...], alpha: float, correction: str, _table: CaseTable):
    """Return the table of Brier score and log loss."""
    return on_cases.losses_table(_table, alpha, correction)


def risks(context: state.Context, key: str, table: CaseTable, scale: str, theta: float) -> None:
    """Draw the differences of risk along theta with their bands, and say where they leave 0."""
    found = bands(key, table.names, scale, 1 - context.settings.alpha, table)
    show.figure_of(on_cases.risks_drawing(table, found, theta))
    show.table_of(on_cases.away_table(table, found))


def best(key: str, table: CaseTable) -> None:
    """Ask for a wish and show the best threshold of each model for it."""
    st.markdown("### Best threshold for a wish")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wish, preset, low, high = LABELS[inputs.option("Wish", "wish", LABELS, width=180)]
        amount = st.number_input(
            {"cost": "Cost of a false positive, in false negatives"}.get(wish, "Share"),
            low,
            high,
            preset,
            0.05 if wish != "cost" else 0.5,
            key=f"wish_{wish}",
            width=300 if wish == "cost" else 140,
            help=f"{WISHES[wish]}",
        )
    try:
        show.table_of(thresholds(key, table.names, wish, amount, table))
    except FoldwiseError as error:
        show.refusal("No best threshold can be found.", error)


def calibrated(context: state.Context, key: str, table: CaseTable) -> None:
    """Draw calibration and test Brier score and log loss."""
    if not table.probabilities:
        st.caption("Calibration needs probabilities in [0, 1]; these scores are on another scale.")
        return
    palette = fold_views.palette(context.read.algorithms, context.highlight)
    show.figure_of(on_cases.calibration_drawing(table, calibration_bins(table), palette))
    settings = context.settings
    found = losses(key, table.names, settings.alpha, settings.correction, table)
    if found is not None:
        show.table_of(found)
