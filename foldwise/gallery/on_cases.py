"""One test set, case by case, as drawings and tables: risks along theta, thresholds, calibration."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.calibration import alt_calibration, calibration, caption_calibration
from foldwise.figures.case_risks import alt_case_risks, caption_case_risks, case_risks
from foldwise.figures.theme import Style
from foldwise.gallery.drawing import Drawing
from foldwise.gallery.parts import Colours, hues
from foldwise.gallery.tables_of_sets import four_decimals
from stats_core.comparison.on_cases import measures_on_cases, pair_tests, values_on_cases
from stats_core.comparison.tables.table import Table, indexed, numbered, write_p
from stats_core.core.outcomes import square
from stats_core.core.words import count
from stats_core.curves.best_threshold import best_thresholds
from stats_core.curves.calibration import calibration_bins
from stats_core.curves.risk_bands import RiskBands, risk_bands
from stats_core.data.case_table import CaseTable
from stats_core.inference.families.adjust import adjust_pairs
from stats_core.inference.families.corrections import CORRECTIONS, usable_correction
from stats_core.inference.paired.case_moves import LOSSES

HOW_RISKS = (
    "Each panel is one pair. The line is the risk per case of the first minus that of the second, "
    "if theta is the weight of a false positive and both use it as their threshold. Look where the "
    "band leaves 0. The band is pointwise: do not conclude that it holds everywhere at once."
)
HOW_CALIBRATION = (
    "Each point is a bin of cases to which the model gives about the same probability. Above the "
    "diagonal more cases are positive than said, below fewer. Bars are 95 % intervals; with ten bins "
    "one may lie off by chance."
)


def risks_drawing(table: CaseTable, found: RiskBands, theta: float | None = None) -> Drawing:
    """Return the differences of risk along theta."""

    def build(style: Style) -> go.Figure:
        return case_risks(found.bands, style=style, theta=theta)

    return Drawing(
        name=f"risk_differences_{table.dataset}",
        title="Which costs less at which theta",
        how_to_read=HOW_RISKS,
        alt=alt_case_risks(found.bands),
        data=found.to_frame(),
        build=build,
        caption=lambda _: caption_case_risks(found.bands, found.level),
    )


def calibration_drawing(
    table: CaseTable, bins: Mapping[str, pd.DataFrame], colours: Colours = None
) -> Drawing:
    """Return the calibration of each model."""

    def build(style: Style) -> go.Figure:
        return calibration(bins, style=style, colours=hues(colours, list(bins), (), style))

    return Drawing(
        name=f"calibration_{table.dataset}",
        title="Do probabilities mean what they say",
        how_to_read=HOW_CALIBRATION,
        alt=alt_calibration(bins),
        data=pd.concat(dict(bins), names=["algorithm", "bin"]).reset_index(),
        build=build,
        caption=lambda _: caption_calibration(bins),
    )


def case_drawings(table: CaseTable, colours: Colours = None, theta: float = 0.5) -> list[Drawing]:
    """Return the figures of one test set beside its curves."""
    if table.score is None or table.positive is None or len(table.names) < 2:
        return []
    found = [risks_drawing(table, risk_bands(table), theta)]
    if table.probabilities:
        found.append(calibration_drawing(table, calibration_bins(table), colours))
    return found


def away_table(table: CaseTable, found: RiskBands) -> Table:
    """Return where each pair differs in risk."""
    drawn = f"{found.draws:,} draws of {found.unit}s"
    return Table(
        name="risk_away",
        title="Thetas at which one costs less",
        frame=numbered(found.away()),
        caption=f"Thetas at which the pointwise {found.level:.0%} band leaves 0 on {table.dataset} "
        f"(bootstrap, {drawn}, seed 0). At each theta alone; some may differ by chance.",
        heads=("first", "second"),
    )


def thresholds_table(table: CaseTable, wish: str, amount: float) -> Table:
    """Return the best threshold of each model for a wish, and its value on new cases."""
    frame = best_thresholds(table, wish, amount)
    asked = {
        "cost": f"least cost if a false positive costs {amount:g} times a false negative",
        "recall": f"a recall of {amount:g} or more",
        "precision": f"a precision of {amount:g} or more",
        "alerts": f"at most {amount:.0%} of the cases called positive",
    }[wish]
    return Table(
        name="best_thresholds",
        title="Best threshold of each",
        frame=indexed(frame, "algorithm"),
        formats=dict.fromkeys(frame.columns, lambda v: f"{v:.3f}"),
        caption=f"Wished: {asked}, on {table.dataset}. Threshold with its 95 % interval (bootstrap over "
        f"{'clusters' if table.n_clusters else 'cases'}), what it does on these cases, and on new "
        "cases (each tenth called by the threshold chosen on the other nine): that is what to expect. "
        "cost is risk per case. Blank: no threshold grants it.",
    )


def losses_table(table: CaseTable, alpha: float, correction: str) -> Table | None:
    """Return Brier score and log loss of every pair, tested; None without probabilities."""
    if not set(LOSSES) <= set(measures_on_cases(table)) or len(table.names) < 2:
        return None
    used, rows = usable_correction(correction, len(table.names)), []
    for measure, label in zip(LOSSES, ("Brier score", "log loss"), strict=True):
        values = values_on_cases(table, measure)
        if not (values < float("inf")).all():
            continue
        tests = pair_tests(table, measure, table.names, 1 - alpha)
        raw = square(np.ones((len(table.names),) * 2), table.names)
        for (a, b), test in tests.items():
            raw.loc[a, b] = raw.loc[b, a] = test.pvalue
        adjusted = adjust_pairs(raw, used)
        for (a, b), test in tests.items():
            rows.append(
                {
                    "loss": label, "first": a, "second": b, "of first": values[a],
                    "of second": values[b], "difference": test.estimate, "low": test.low,
                    "high": test.high, "p raw": test.pvalue, "p adjusted": adjusted.loc[a, b],
                }
            )  # fmt: skip
    frame = pd.DataFrame(rows)
    numbers = ["of first", "of second", "difference", "low", "high"]
    by = "not adjusted" if used == "none" else f"adjusted by {CORRECTIONS[used]} for each loss"
    return Table(
        name="probability_losses",
        title="Brier score and log loss",
        frame=numbered(frame),
        formats={
            **dict.fromkeys(numbers, four_decimals),
            **dict.fromkeys(["p raw", "p adjusted"], write_p(alpha)),
        },
        best={i: (["p adjusted"], []) for i, p in enumerate(frame["p adjusted"], 1) if p <= alpha},
        caption=f"Lower is better, on {count(len(table.cases), 'case')} of {table.dataset}; swapped "
        f"{'clusters' if table.n_clusters else 'cases'}, two-sided, p {by}; intervals are those of the "
        f"same test for the pair alone; bold where it differs at {alpha:g}. A model that is sure and "
        "wrong has no log loss.",
        heads=("loss", "first", "second"),
    )
