"""Comparisons with a control as a figure and a table."""

from functools import partial

import pandas as pd

from foldwise.gallery import over_datasets
from foldwise.ui import show
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.core.words import count, number, p_text


def control_figure(analysis: ControlComparison, **options) -> None:
    """Draw the average ranks with the control marked."""
    show.figure_of(over_datasets.control_drawing(analysis, **options))


def control_table(analysis: ControlComparison) -> None:
    """Show every comparison with the control."""
    found = analysis.details()
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "rank difference": found["estimate"],
            "statistic": found["statistic"],
            "p raw": found["p"],
            "p adjusted": found["p adjusted"],
            "W/T/L": [
                f"{wins}/{ties}/{losses}"
                for wins, ties, losses in zip(
                    found["wins"], found["ties"], found["losses"], strict=True
                )
            ],
            "verdict": found["verdict"],
        }
    ).set_index(pd.Index(found["first"], name="algorithm"))
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
