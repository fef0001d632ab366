"""What the pages about one data set share: folds, their names and colours."""

from dataclasses import replace

import streamlit as st

from foldwise.figure_specs import fold_figures
from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figure_specs.spec_parts import fold_labels
from foldwise.figures.fold_histogram import (
    alt_fold_histogram,
    caption_fold_histogram,
    fold_histogram,
    form_of,
)
from foldwise.figures.theme import colours
from foldwise.web import components, session
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.kinds.folds_base import OnFolds
from stats_core.comparison.tables.fold_tables import fold_by_fold
from stats_core.data.results import Results
from stats_core.inference.fold_pairs import resampling_unit

HALF = 482  # px of one of two columns


def selected_folds() -> tuple[str, ...]:
    """Return the folds that are selected, () if something else is."""
    chosen = session.selection()
    return tuple(chosen["ids"]) if chosen.get("kind") == "fold" else ()


def palette(all_algorithms, highlight: tuple[str, ...]) -> dict[str, str]:
    """Give algorithms the colour they have on every page: by family, or by their place."""
    families = {n: f for n, f in session.families().items() if n in set(all_algorithms)}
    return colours(
        list(all_algorithms), highlight, dark=components.is_dark(), families=families or None
    )


def bricks_figure(
    analysis: OnFolds,
    all_algorithms,
    *,
    form: str = "automatic",
    highlight: tuple[str, ...] = (),
    width: int = 980,
) -> None:
    """Draw the results of every fold as bricks, best algorithm on top."""
    shown, every = fold_figures.brick_names(analysis, highlight), analysis.matrix.shape[1]
    if not isinstance(analysis, FoldPairComparison) and every > fold_figures.MAX_HISTOGRAMS:
        st.caption(f"{len(shown)} of {every} shown: change in Highlight.")
    drawing = fold_figures.bricks_drawing(
        analysis,
        form=form,
        highlight=highlight,
        colours=palette(all_algorithms, highlight),
        selected=selected_folds(),
        lit=session.highlighted(),
    )
    components.show_figure(drawing, on=analysis.dataset, width=width)
    if form == "overlaid" and form_of(drawing.data, form) != "overlaid":
        st.caption("Overlaying more than two hides bars; rows are used.")


def folds_of_one(results: Results, dataset: str, measure: str, name: str) -> None:
    """Draw the results of one algorithm in every fold, where there is nothing to compare."""
    values = fold_labels(results.matrix(dataset, measure)[[name]].dropna())
    if values.empty:
        return
    unit = resampling_unit(results.design_of(dataset))
    about = {
        "measure": measure,
        "higher_is_better": results.direction(measure) == "higher",
        "unit": unit,
    }
    drawing = FigureSpec(
        name=f"folds_{dataset}_{measure}",
        title=f"{measure} of {name} by {unit}",
        how_to_read=fold_figures.how_to_read_histogram(unit),
        alt=alt_fold_histogram(values, **about),
        data=values,
        build=lambda style: fold_histogram(values, **about, style=style),
        caption=lambda _: caption_fold_histogram(values, measure=measure, unit=unit),
    )
    components.show_figure(drawing)


def folds_table(analysis: OnFolds) -> None:
    """Show the results fold by fold, or those of the folds that are selected."""
    table = fold_by_fold(analysis)
    table = replace(table, frame=fold_labels(table.frame))
    chosen = table.frame.index.isin(selected_folds())
    components.show_table(table.only(chosen) if chosen.any() else table)


def matrix_figure(analysis: FoldsComparison) -> None:
    """Draw all pairs; a click on a cell selects its pair."""
    components.show_figure(fold_figures.matrix_drawing(analysis), on=analysis.dataset)


def intervals_figure(analysis: FoldsComparison) -> None:
    """Draw the difference of every pair with its interval, largest first."""
    drawing, pairs = fold_figures.intervals_drawing(analysis), len(analysis.tested())
    if drawing is not None:
        components.show_figure(drawing)
    elif pairs > fold_figures.MOST_INTERVALS:
        most = f"{fold_figures.MOST_INTERVALS:,}"
        st.caption(
            f"Intervals are drawn for up to {most} pairs. The {pairs:,} here are in the table."
        )
