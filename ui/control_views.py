"""Comparisons with a control as a figure and a table."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go

from figures.cd_control import alt_control, cd_diagram_control
from figures.theme import Style
from stats_core.analyse import ControlAnalysis
from stats_core.wording import count, number, p_text
from ui import show

HOW_CONTROL = (
    "The diamond is the control at its average rank, 1 is best; a filled dot differs from it, a hollow "
    "one is not separated. Look which filled dots stand on the better side. Two dots are not "
    "compared with each other here, only each with the control."
)


def control_figure(analysis: ControlAnalysis, **options) -> None:
    """Draw the average ranks with the control marked."""
    ranks, alpha = analysis.friedman.average_ranks, analysis.settings.alpha
    ruler = None
    if analysis.critical_difference is not None:
        ruler = (analysis.critical_difference, f"Bonferroni-Dunn, \u03b1 = {alpha:g}")

    def build(style: Style) -> go.Figure:
        return cd_diagram_control(
            ranks,
            analysis.control,
            analysis.adjusted,
            alpha,
            style=style,
            critical_difference=ruler,
            **options,
        )

    show.figure(
        f"Average ranks of {analysis.settings.measure} against {analysis.control}",
        build,
        name=f"control_{analysis.settings.measure}",
        how_to_read=HOW_CONTROL,
        alt=alt_control(
            ranks,
            analysis.control,
            analysis.adjusted,
            alpha,
            over=count(analysis.friedman.n, "data set"),
        ),
        data=analysis.comparisons().set_index("algorithm"),
    )


def control_table(analysis: ControlAnalysis) -> None:
    """Show every comparison with the control."""
    found = analysis.comparisons()
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "rank difference": found["difference"],
            "statistic": found["statistic"],
            "p raw": found["p raw"],
            "p adjusted": found["p adjusted"],
            "W/T/L": [
                f"{wins}/{ties}/{losses}"
                for wins, ties, losses in zip(
                    found["wins"], found["ties"], found["losses"], strict=True
                )
            ],
            "verdict": found["verdict"],
        }
    ).set_index(pd.Index(found["algorithm"], name="algorithm"))
    show.table(
        table,
        title=f"{count(len(table), 'comparison')} with {analysis.control}",
        name="control",
        formats={
            "rank difference": number,
            "statistic": number,
            "p raw": write_p,
            "p adjusted": write_p,
        },
        caption=f"Against {analysis.control} by {analysis.settings.measure}: difference of average "
        "ranks (positive: better than the control), p-values, wins/ties/losses.",
    )
