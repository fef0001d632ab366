"""Views of several algorithms on the folds of one data set: order, ANOVA, histograms."""

from dataclasses import replace

import streamlit as st

from foldwise.figures import fold_figures, qq
from foldwise.figures.fold_histogram import (
    MOST_ROWS,
    FoldHistogram,
    brick_names,
    bricks_drawing,
    spread_drawing,
)
from foldwise.figures.pair_matrix import matrix_of_folds
from foldwise.figures.spec import FigureSpec, fold_labels
from foldwise.figures.theme import colours
from foldwise.web import cached_calls, components, session
from foldwise.web.views import next_steps
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import OnFolds
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, format_set, join_names
from stats_core.data.results import Results
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.report.tables import robustness_tables
from stats_core.report.tables.fold_tables import fold_by_fold, one_way


def assumption_figures(analysis: FoldsComparison, all_algorithms) -> None:
    """Draw the checks of the assumptions and the residuals."""
    next_steps.tables(analysis, "checks")
    try:
        drawing = qq.qq_drawing(analysis)
    except FoldwiseError as error:
        st.caption(components.escape(error))
        return
    left, right = st.columns(2)
    with left:
        qq_figure(analysis, drawing)
    with right:
        hues = palette(all_algorithms, ())
        components.show_figure(spread_drawing(analysis, colours=hues), width=HALF)


def qq_figure(analysis: OnFolds, drawing: FigureSpec) -> None:
    """Draw a normal Q-Q plot of residuals or differences."""
    components.show_figure(drawing, width=HALF)
    if analysis.n_folds < 8:
        st.caption(
            f"With {format_count(analysis.n_folds, 'fold')} no check of normality can say much."
        )


NOTATIONS = ("maximal groups", "underlines", "letters")


def fold_order_view(
    analysis: FoldsComparison, all_algorithms, notation: str, highlight: tuple[str, ...]
) -> None:
    """Draw the order; twice if underlines and maximal groups disagree."""
    look = _look(all_algorithms, highlight)
    if notation == "letters" or not analysis.notations_disagree:
        components.show_figure(fold_figures.strip_drawing(analysis, notation=notation, **look))
    else:
        for drawing in fold_figures.strip_drawings(analysis, **look):
            components.show_figure(drawing)
        st.caption(components.escape(str(analysis.disagreement)))
    notation_lines(analysis)


def ordering_figure(
    analysis: FoldsComparison, all_algorithms, *, highlight: tuple[str, ...] = ()
) -> None:
    """Draw the order by mean with a line under each maximal group; clicks select."""
    components.show_figure(fold_figures.strip_drawing(analysis, **_look(all_algorithms, highlight)))


def _look(all_algorithms, highlight: tuple[str, ...]) -> dict:
    """Return highlight, colours and selection as keyword arguments of figures."""
    return {
        "highlight": highlight,
        "colours": palette(all_algorithms, highlight),
        "selected": session.highlighted(),
    }


def notation_lines(analysis: FoldsComparison) -> None:
    """Draw the groups and compact letters as text."""
    next_steps.selected_group(analysis)
    groups = [group for group in analysis.groups if len(group) > 1]
    named = " ".join(format_set(group) for group in groups[:12]) or "none"
    st.markdown(components.escape(f"Groups not separated: {named}"))
    letters = join_names([f"{name} {text}" for name, text in analysis.letters.items()], 40)
    same = "" if analysis.notations_disagree else "Underlines as published are the same groups. "
    st.caption(components.escape(f"{same}Compact letters, differ where none is shared: {letters}."))


def anova_tables(analysis: FoldsComparison) -> None:
    """Draw the analysis of variance, first with folds as blocks, then one-way."""
    next_steps.tables(analysis, "anova")
    components.show_table(one_way(analysis))


def other_orderings(
    analysis: FoldsComparison, results: Results, key: str, highlight: tuple[str, ...]
) -> None:
    """Draw the orders by other measures and the decisions that change."""
    other_names = [name for name in results.measures if name != analysis.settings.measure]
    if not other_names:
        return
    opened = st.expander("The same by other measures", key="other_measures", on_change="rerun")
    if not opened.open:
        return
    with opened:
        preset = [
            name for name in ("error", "auc", "auc_pr") if name in other_names
        ] or other_names[:2]
        chosen = st.multiselect(
            "Measures", other_names, default=preset[:2], max_selections=4, key="beside"
        )
        analyses, refused = cached_calls.orders(key, analysis.settings, tuple(chosen), analysis)
        for other_analysis in analyses:
            ordering_figure(other_analysis, results.algorithms, highlight=highlight)
        for measure, reason in refused.items():
            st.caption(components.escape(f"{measure}: {reason}"))
        if analyses:
            _changed_table([analysis, *analyses])


def _changed_table(analyses: list[FoldsComparison]) -> None:
    table = robustness_tables.changed_pairs_table(analyses)
    names = join_names([analysis.settings.measure for analysis in analyses], 6)
    if table.frame.empty:
        st.caption(components.escape(f"Every pair is decided alike by {names}."))
        return
    components.show_table(table)


HALF = 482  # px, width of one of two columns


def selected_folds() -> tuple[str, ...]:
    """Return the selected folds, () if there are none."""
    chosen = session.selection()
    return tuple(chosen["ids"]) if chosen.get("kind") == "fold" else ()


def palette(all_algorithms, highlight: tuple[str, ...]) -> dict[str, str]:
    """Return the colour of each algorithm, by family or by position."""
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
    """Draw histograms of the results per fold, the best algorithm on top."""
    shown, n_algorithms = brick_names(analysis, highlight), analysis.matrix.shape[1]
    if not analysis.shape.two and n_algorithms > MOST_ROWS:
        st.caption(f"{len(shown)} of {n_algorithms} shown: change in Highlight.")
    drawing = bricks_drawing(
        analysis,
        form=form,
        highlight=highlight,
        colours=palette(all_algorithms, highlight),
        selected=selected_folds(),
        lit=session.highlighted(),
    )
    components.show_figure(drawing, on=analysis.dataset, width=width)
    if form == "overlaid" and drawing.drawn_form != "overlaid":
        st.caption("Overlaying more than two hides bars; rows are used.")


def folds_of_one(results: Results, dataset: str, measure: str, name: str) -> None:
    """Draw the histogram of the folds of a single algorithm."""
    values = fold_labels(results.matrix(dataset, measure)[[name]].dropna())
    if values.empty:
        return
    unit = resampling_unit(results.design_of(dataset))
    drawing = FoldHistogram(
        name=f"folds_{dataset}_{measure}",
        title=f"{measure} of {name} by {unit}",
        values=values,
        measure=measure,
        higher_is_better=results.direction(measure) == "higher",
        unit=unit,
    )
    components.show_figure(drawing)


def folds_table(analysis: OnFolds) -> None:
    """Draw the results of every fold, or of the selected folds."""
    table = fold_by_fold(analysis)
    table = replace(table, frame=fold_labels(table.frame))
    chosen = table.frame.index.isin(selected_folds())
    components.show_table(table.only(chosen) if chosen.any() else table)


def matrix_figure(analysis: FoldsComparison) -> None:
    """Draw the matrix of all pairs; a click on a cell selects its pair."""
    components.show_figure(matrix_of_folds(analysis), on=analysis.dataset)


def intervals_figure(analysis: FoldsComparison) -> None:
    """Draw the interval of every pairwise difference, largest first."""
    drawing, pairs = fold_figures.intervals_drawing(analysis), len(analysis.tested())
    if drawing is not None:
        components.show_figure(drawing)
    elif pairs > fold_figures.MOST_INTERVALS:
        most = f"{fold_figures.MOST_INTERVALS:,}"
        st.caption(
            f"Intervals are drawn for up to {most} pairs. The {pairs:,} here are in the table."
        )
