"""All pairs of algorithms on one data set as figures and tables."""

from functools import partial

import pandas as pd

from foldwise.gallery import on_folds
from foldwise.ui import show, state
from foldwise.ui.fold_views import flat
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.core.words import count, interval, number, p_text, score_digits


def matrix_figure(analysis: FoldsComparison) -> list[str]:
    """Draw all pairs; return the two names of a clicked cell."""
    points = show.figure_of(on_folds.matrix_drawing(analysis), select=True)
    picked = next((point["customdata"] for point in points if point.get("customdata")), None)
    return flat(picked)[:2] if picked is not None else []


def intervals_figure(analysis: FoldsComparison) -> None:
    """Draw the difference of every pair with its interval, largest first."""
    drawing = on_folds.intervals_drawing(analysis)
    if drawing is not None:
        show.figure_of(drawing)


def pairs_table(analysis: FoldsComparison) -> None:
    """Show every pair with its difference, interval, p-values and wins."""
    pairs = analysis.details()
    chosen = state.selection()
    if chosen.get("kind") in ("group", "algorithm"):
        inside = pairs[["first", "second"]].isin(chosen["ids"])
        pairs = pairs[inside.all(axis=1) if len(chosen["ids"]) > 1 else inside.any(axis=1)]
    digits = score_digits(analysis.matrix)
    write_p = partial(p_text, alpha=analysis.settings.alpha)
    table = pd.DataFrame(
        {
            "better": pairs["first"],
            "other": pairs["second"],
            "difference": pairs["estimate"],
            "interval": [
                "" if pd.isna(low) else interval(low, high, digits)
                for low, high in zip(pairs["low"], pairs["high"], strict=True)
            ],
            "statistic": pairs["statistic"],
            "p raw": pairs["p"],
            "p adjusted": pairs["p adjusted"],
        }
    )
    if "p uncorrected" in pairs:
        table[f"p if {analysis.unit}s were independent"] = pairs["p uncorrected"]
    table["W/T/L"] = [
        f"{wins}/{ties}/{losses}"
        for wins, ties, losses in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    ]
    table["verdict"] = ["better" if done else "not separated" for done in pairs["separated"]]
    show.table(
        table.set_index(["better", "other"]),
        title=count(len(table), "pair"),
        name="fold_pairs",
        formats={
            "difference": partial(number, digits=digits),
            "statistic": number,
            **{name: write_p for name in table if name.startswith("p ")},
        },
        caption=f"All pairs on {analysis.dataset} by {analysis.settings.measure}: difference of "
        f"means with interval, p-values, {analysis.unit}s won/tied/lost.",
    )
