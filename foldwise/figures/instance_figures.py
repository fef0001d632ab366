"""Figures of the instances of one test set: differences of risk, calibration."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.reliability_diagram import alt_calibration, calibration, caption_calibration
from foldwise.figures.risk_differences import alt_case_risks, caption_case_risks, case_risks
from foldwise.figures.spec import BuiltSpec, Colours, FigureSpec, cached_figure, colors_of
from foldwise.figures.theme import Style
from stats_core.curves.trained_models import RiskBands, calibration_bins, risk_bands
from stats_core.data.predictions import CaseTable

HOW_RISKS = (
    "Each panel is one pair. The line is the risk per case of the first minus that of the second, "
    "if theta is the weight of a false positive and both use it as their threshold. Look where the "
    "band leaves 0. The band is pointwise: do not conclude that it holds everywhere at once."
)
HOW_CALIBRATION = (
    "Each point is a bin of cases to which the model gives about the same probability. Above the "
    "diagonal more cases are positive than said, below fewer. Bars are 95% intervals; with ten bins "
    "one may lie off by chance."
)


@cached_figure
def risks_drawing(table: CaseTable, found: RiskBands, theta: float | None = None) -> FigureSpec:
    """Return the figure of the differences of risk over theta."""

    def build(style: Style) -> go.Figure:
        return case_risks(found.bands, style=style, theta=theta)

    return BuiltSpec(
        name=f"risk_differences_{table.dataset}",
        title="Which costs less at which theta",
        how_to_read=HOW_RISKS,
        alt=alt_case_risks(found.bands),
        data=found.to_frame(),
        build=enable_zoom(build),
        caption=lambda _: caption_case_risks(found.bands, found.level),
    )


@cached_figure
def calibration_drawing(table: CaseTable, bins: Mapping[str, pd.DataFrame], colours: Colours = None) -> FigureSpec:
    """Return the figure of the calibration of each model."""

    def build(style: Style) -> go.Figure:
        return calibration(bins, style=style, colours=colors_of(colours, list(bins), (), style))

    return BuiltSpec(
        name=f"calibration_{table.dataset}",
        title="Do probabilities mean what they say",
        how_to_read=HOW_CALIBRATION,
        alt=alt_calibration(bins),
        data=pd.concat(dict(bins), names=["algorithm", "bin"]).reset_index(),
        build=enable_zoom(build),
        caption=lambda _: caption_calibration(bins),
    )


def case_drawings(table: CaseTable, colours: Colours = None, theta: float = 0.5) -> list[FigureSpec]:
    """Return the figures of one test set except its curves."""
    if table.score is None or table.positive is None or len(table.names) < 2:
        return []
    specs = [risks_drawing(table, risk_bands(table), theta)]
    if table.probabilities:
        specs.append(calibration_drawing(table, calibration_bins(table), colours))
    return specs
