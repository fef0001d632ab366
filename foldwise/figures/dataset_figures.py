"""Figures of comparisons over data sets: pairs, ranks, differences, scatter plots."""

import pandas as pd

from foldwise.figures import traces
from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.differences import MOST_NAMED, alt_differences, caption_differences, differences
from foldwise.figures.pair_figures import pairs_drawing
from foldwise.figures.spec import BuiltSpec, FigureSpec, cached_figure, tested_line
from stats_core.comparison.kinds.control_and_pairs import ControlComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.robustness.dataset_decisions import by_dataset

HOW_DIFFERENCES = (
    "Each dot is the difference of the two averages on one data set, sorted. Look at how many "
    "lie on each side of the zero line and how far. The dots say nothing about the spread of "
    "folds within a data set."
)
HOW_FOLD_DIFFERENCES = (
    "Each dot is the difference of the two averages on one data set, sorted; its bar holds what "
    "the folds of that data set do not rule out. Look at how many bars exclude zero, and on "
    "which side. The bars are unadjusted, so some exclude zero by chance."
)


@cached_figure
def difference_drawing(analysis: TwoComparison, table: pd.DataFrame | None = None) -> FigureSpec:
    """Return the sorted differences over data sets, with intervals if there are folds."""
    table = by_dataset(analysis) if table is None else table
    has_folds = bool(table["wins"].any())
    columns = table[["difference", "low", "high", *(["wins"] if has_folds else [])]]
    about = {
        "first": analysis.first,
        "second": analysis.second,
        "measure": analysis.settings.measure,
        "higher_is_better": analysis.higher_is_better,
    }
    return BuiltSpec(
        name=f"differences_{analysis.settings.measure}",
        title=f"{analysis.first} against {analysis.second} by data set",
        how_to_read=HOW_FOLD_DIFFERENCES if has_folds else HOW_DIFFERENCES,
        alt=alt_differences(columns, **about),
        data=table,
        build=enable_zoom(
            lambda style: differences(
                columns,
                **about,
                style=style,
                region=analysis.settings.region,
                click=traces.click_hint("data set") if has_folds else "",
            ),
            "x",
        ),
        caption=lambda _: caption_differences(columns, "data set"),
    )


@cached_figure
def intervals_drawing(analysis: RanksComparison | ControlComparison) -> FigureSpec | None:
    """Return the figure of all pairwise intervals; None without intervals."""
    if len(analysis.tested()) > MOST_NAMED:
        return None
    details = analysis.details()
    if details["low"].isna().all():
        return None
    control = analysis.control if analysis.shape.control else ""
    heads = ["first"] if control else ["first", "second"]
    table = (
        details[["estimate", "low", "high", "separated"]]
        .rename(columns={"estimate": "difference", "separated": "differs"})
        .set_axis(details.set_index(heads).index)
    )
    return pairs_drawing(
        analysis,
        table,
        second=control,
        name=f"intervals_{analysis.settings.measure}",
        title=f"Differences from {control}" if control else "Pairwise differences",
        tested=tested_line(analysis),
    )
