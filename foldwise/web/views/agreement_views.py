"""Views of the agreement of two tests, with one picture for each pair and data set."""

from functools import lru_cache, partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figures.clouds import gaussian_ellipse
from foldwise.figures.pair_panels import (
    CurvePanel,
    HistogramPanel,
    Panel,
    ScatterPanel,
    alt_pair_panels,
    caption_pair_panels,
    pair_panels,
)
from foldwise.figures.spec import BuiltSpec, FigureSpec, fold_names
from foldwise.figures.theme import MARKERS, Style
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.components import CELLS_SHOWN
from foldwise.web.session import Context
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import fold_views
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, p_phrase, p_text
from stats_core.core.significance import significant
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.report.tables import robustness_tables
from stats_core.robustness.dataset_decisions import Agreement, Rule

# label -> the two measures whose tests are compared, and the panels of each picture
COMPARED = {
    "error and AUC": ("error", "auc", ("error", "auc", "roc")),
    "error and AUC-PR": ("error", "auc_pr", ("error", "auc_pr", "pr")),
    "AUC and AUC-PR": ("auc", "auc_pr", ("pr", "roc", "auc_pr", "auc")),
    "five views of error and AUC": ("error", "auc", ("error", "auc", "points", "roc", "pr")),
}
OVERLAPS = {"corrected": True, "ignored, as in the papers": False}
LABELS = {"error": "error", "auc": "AUC", "auc_pr": "AUC-PR"}
AT_A_TIME = 4
HOW_CASES = (
    "Each figure shows one pair on one data set. Compare the overlap of the histograms of both "
    "measures. The figures were selected by the test results, so they are illustrations, not evidence."
)


def four_cases(context: session.Context) -> None:
    """Draw the counts of the four outcomes of two tests, and the pairs with one outcome."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first_measure, second_measure, panels = inputs.page_option("Measures", "case", COMPARED, width=240)
        overlap = True
        if context.read.with_folds:
            overlap = inputs.page_option("Overlap of training sets", "cases", OVERLAPS, width=220)
    level = {"alpha": context.settings.alpha, "overlap": overlap}
    test = {"test": "" if overlap else "paired t"}
    rules = (Rule(measure=first_measure, **level, **test), Rule(measure=second_measure, **level, **test))
    try:
        result = cached_calls.agreement(inputs.selection_key(context), *rules, inputs.kept_input(context))
    except FoldwiseError as error:
        components.show_refusal("These tests cannot be compared.", str(error))
        return
    names = (LABELS[first_measure], LABELS[second_measure])
    components.show_table(robustness_tables.agreement_table(result, *(f"{name} test" for name in names)))
    for dataset, why in result.skipped.items():
        st.caption(components.escape(f"{dataset} is left out: {why}"))
    _gallery(context, result, names, panels)


def _gallery(context: session.Context, result: Agreement, names: tuple[str, str], panels: tuple[str, ...]) -> None:
    """Draw the pictures of the pairs with one outcome, a few per page."""
    cells = {cell: result.cell(first=cell[0], second=cell[1]) for cell in CELLS.values()}
    labels = {f"{_case(names, *cell)} ({len(pairs):,})": cell for cell, pairs in cells.items()}
    filled = [text for text, cell in labels.items() if len(cells[cell])]
    apart = [text for text in filled if labels[text][0] != labels[text][1]]
    preset = (apart or filled)[-1 if apart else 0]
    chosen = st.segmented_control("Test results", list(labels), default=preset, key="which_case", required=True)
    pairs = cells[labels.get(chosen or preset, next(iter(cells)))]
    if pairs.empty:
        st.caption("No pair.")
        return
    pages = -(-len(pairs) // AT_A_TIME)
    page = 1
    if pages > 1:
        page = st.pagination(pages, key=f"page_{chosen}") or 1
    for _, row in pairs.iloc[AT_A_TIME * (page - 1) : AT_A_TIME * page].iterrows():
        _card(context, row, names, panels)


def _case(names: tuple[str, str], first_rejects: bool, second_rejects: bool) -> str:
    verdicts = ["p ≤ α" if rejects else "p > α" for rejects in (first_rejects, second_rejects)]
    return f"{names[0]}: {verdicts[0]}, {names[1]}: {verdicts[1]}"


def _card(context: session.Context, row: pd.Series, names: tuple[str, str], panels: tuple[str, ...]) -> None:
    first, second, dataset = row["first"], row["second"], row["dataset"]
    hues = fold_views.palette(context.read.algorithms, context.highlight)
    look = (names, panels, context.settings.alpha, tuple(hues.items()))
    try:
        components.show_figure(_drawing(inputs.selection_key(context), tuple(row.items()), *look, context))
    except FoldwiseError as error:
        st.caption(components.escape(f"{first} and {second} on {dataset}: {error}"))
        return
    inputs.offer_pair([first, second], dataset)


@cached_in_session
def _drawing(
    key: str,
    asked: tuple[tuple[str, Any], ...],
    names: tuple[str, str],
    panels: tuple[str, ...],
    alpha: float,
    hues: tuple[tuple[str, str], ...],
    _context: session.Context,
) -> FigureSpec:
    """Return the figure of one pair on one data set."""
    row, everyone = pd.Series(dict(asked), dtype=object), _context.read.algorithms
    first, second, dataset, repetition = row[["first", "second", "dataset", "repetition"]]
    figure_panels = _panels(_context, row, names, panels)
    symbols = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(everyone)}

    @lru_cache(maxsize=2)
    def build(style: Style) -> go.Figure:
        return pair_panels(
            figure_panels, first=first, second=second, style=style, colours=dict(hues), symbols_of=symbols
        )

    suffix = "" if repetition in ("all", "1") else f", repetition {repetition}"
    histograms = {p.label: p.values for p in figure_panels if isinstance(p, HistogramPanel)}
    return BuiltSpec(
        name=f"case_{dataset}_{first}_{second}_{repetition}_{len(panels)}",
        title=f"{first} and {second} on {dataset}{suffix}",
        how_to_read=HOW_CASES,
        alt=alt_pair_panels(figure_panels, first, second),
        data=pd.concat(histograms, axis=1) if histograms else row.to_frame().T,
        build=build,
        caption=lambda _: caption_pair_panels(figure_panels, first, second),
    )


def _panels(context: session.Context, row: pd.Series, names: tuple[str, str], kinds: tuple[str, ...]) -> list[Panel]:
    """Return the panels of one figure."""
    two, dataset = [row["first"], row["second"]], row["dataset"]
    alpha = context.settings.alpha
    notes = {
        name: f"{p_phrase(row[p], alpha)}, " + ("significant" if significant(row[p], alpha) else "not significant")
        for name, p in zip(names, ("p one", "p other"), strict=True)
    }
    panels: list[Panel] = []
    unit = resampling_unit(context.read.design_of(dataset))
    if context.read.design_of(dataset) == "single":  # a histogram needs more than one result
        kinds = tuple(dict.fromkeys([*(kind for kind in kinds if kind not in LABELS), "points"]))
    for kind in kinds:
        if kind in LABELS:
            values = _folds(context, dataset, kind, row["repetition"])[two]
            panels.append(
                HistogramPanel(label=LABELS[kind], values=values, note=notes.get(LABELS[kind], ""), unit=unit)
            )
        elif kind == "points":
            panels.append(_points(context, dataset, row["repetition"], two))
        else:
            panels.append(_curves(context, dataset, kind, row["repetition"], two))
    return panels


def _folds(context: session.Context, dataset: str, measure: str, repetition: str) -> pd.DataFrame:
    """Return one measure on the tested folds, fold x algorithm."""
    matrix = inputs.kept_input(context).matrix(dataset, measure)
    if repetition != "all":
        matrix = matrix[matrix.index.get_level_values("repetition") == repetition]
    return fold_views.fold_labels(matrix)


def _points(context: session.Context, dataset: str, repetition: str, two: list[str]) -> Panel:
    rates = {m: _folds(context, dataset, m, repetition) for m in ("fpr", "tpr")}
    points = {n: pd.DataFrame({"x": rates["fpr"][n], "y": rates["tpr"][n]}) for n in two}
    rings = {name: ring for name, table in points.items() if (ring := gaussian_ellipse(table)) is not None}
    return ScatterPanel(
        label="(fpr, tpr)",
        points=points,
        ellipses=rings,
        x_title="fpr",
        y_title="tpr",
        unit=resampling_unit(context.read.design_of(dataset)),
    )


def _curves(context: session.Context, dataset: str, kind: str, repetition: str, two: list[str]) -> Panel:
    key = f"{context.read_key}/{dataset}"
    data = cached_calls.curves(key, dataset, context.read)
    paths = cached_calls.fold_paths(key, kind, data)
    averages = cached_calls.curve_averages(key, kind, "vertical average", "one standard error", None, data)
    fold_set = set(fold_names(data.folds))
    if repetition != "all":
        inside = (data.folds["repetition"] == repetition).to_numpy()
        fold_set = {n for n, inside_repetition in zip(fold_names(data.folds), inside, strict=True) if inside_repetition}
    titles = ("fpr", "tpr") if kind == "roc" else ("recall", "precision")
    return CurvePanel(
        label={"roc": "ROC", "pr": "PR"}[kind],
        folds={n: [c[["x", "y"]] for fold, c in paths[n].items() if fold in fold_set] for n in two},
        averages={n: averages[n][["x", "y"]] for n in two},
        x_title=titles[0],
        y_title=titles[1],
        unit=data.unit,
    )


RECOMMENDED_TEST = "recommended test"
CELLS = {
    "both significant": (True, True),
    "only the first": (True, False),
    "only the second": (False, True),
    "neither": (False, False),
}
ADJUSTMENTS = {"none": "none", "Holm": "holm", "Bonferroni": "bonferroni"}


def agreement_tab(context: Context, settings: Settings) -> None:
    """Draw widgets for two rules, how often they agree, and the pairs in a cell."""
    results = context.results
    st.caption("Agreement of both tests over all pairs of algorithms and all data sets.")
    first_rule = _rule(results.measures, settings, "1", results.measures.index(settings.measure))
    second_rule = _rule(results.measures, settings, "2", _another(results.measures, settings.measure))
    key, selected = inputs.selection_key(context), inputs.kept_input(context)
    try:
        result = cached_calls.agreement(key, first_rule, second_rule, selected)
    except FoldwiseError as error:
        components.show_refusal("These tests cannot be compared.", str(error))
        return
    first, second = _name(first_rule, second_rule)
    components.show_table(robustness_tables.agreement_table(result, first, second))
    for note in result.notes:
        st.caption(components.escape(str(note)))
    if result.skipped:
        skipped = "  \n".join(f"{name}: {reason}" for name, reason in result.skipped.items())
        with st.expander(f"{format_count(len(result.skipped), 'data set')} left out"):
            st.caption(components.escape(skipped))
    _cell(result, first, second)


def _another(measures: tuple[str, ...], measure: str) -> int:
    """Return the position of a different measure: AUC, F, or the next one."""
    for name in ("auc", "f", "auc_pr", *measures):
        if name in measures and {name, measure} not in ({name}, {"error", "accuracy"}):
            return measures.index(name)
    return measures.index(measure)


def _rule(measures: tuple[str, ...], settings: Settings, position: str, preset: int) -> Rule:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ordinal = {"1": "First", "2": "Second"}[position]
        measure = st.selectbox(f"{ordinal}: measure", measures, index=preset, key=f"m{position}", width=170)
        test = st.selectbox(f"{ordinal}: test", (RECOMMENDED_TEST, TUKEY, *PAIR_TESTS), key=f"t{position}", width=200)
        correction = st.selectbox(f"{ordinal}: correction", list(ADJUSTMENTS), key=f"c{position}", width=150)
    return Rule(
        measure=measure,
        test="" if test == RECOMMENDED_TEST else test,
        correction=ADJUSTMENTS[correction],
        alpha=settings.alpha,
        test_fraction=settings.test_fraction,
    )


def _name(first_rule: Rule, second_rule: Rule) -> tuple[str, str]:
    """Return names of two rules that mention what differs."""
    fields = [("measure", "measure"), ("test", "test"), ("correction", "correction")]
    names = []
    for rule in (first_rule, second_rule):
        differing = [
            (getattr(rule, field) or RECOMMENDED_TEST)
            for field, _ in fields
            if getattr(first_rule, field) != getattr(second_rule, field)
        ]
        names.append(", ".join(differing) or f"{rule.measure}, {rule.test or RECOMMENDED_TEST}")
    return (names[0], names[1]) if names[0] != names[1] else (f"{names[0]} (1)", f"{names[1]} (2)")


def _cell(result: Agreement, first: str, second: str) -> None:
    """Draw the pairs in one cell of the table; a selected row gets a link to its page."""
    sizes = {
        name: len(result.cell(first=first_rejects, second=second_rejects))
        for name, (first_rejects, second_rejects) in CELLS.items()
    }
    labels = {f"{name} ({size:,})": name for name, size in sizes.items()}
    preset = list(labels)[list(CELLS).index("only the first")]
    chosen = st.segmented_control("Test results", list(labels), default=preset, key="cell", required=True)
    first_rejects, second_rejects = CELLS[labels.get(chosen or preset, "both significant")]
    pairs = result.cell(first=first_rejects, second=second_rejects)
    if pairs.empty:
        st.caption("No pair.")
        return
    pairs = _page(pairs)
    table = pairs[["dataset", "repetition", "first", "second", "p one", "p other"]]
    table = table.set_axis(
        ["data set", "repetition", "algorithm", "against", f"p by {first}", f"p by {second}"], axis=1
    )
    write = partial(p_text, alpha=None)
    event = st.dataframe(
        table.style.format(dict.fromkeys(table.columns[4:], write)),
        hide_index=True,
        height=min(420, 40 + 35 * len(table)),
        on_select="rerun",
        selection_mode="single-row",
        key="cell_pairs",
    )
    rows = event.selection.rows
    if rows and rows[0] < len(pairs):
        row = pairs.iloc[rows[0]]
        inputs.offer_pair([row["first"], row["second"]], row["dataset"])
    else:
        st.caption("Select a row to compare its pair.")


def _page(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one page of the pairs, with a widget for the page number if needed."""
    step = CELLS_SHOWN // pairs.shape[1]
    if len(pairs) <= step:
        return pairs
    n_pages = -(-len(pairs) // step)
    start = step * (min(st.pagination(n_pages, key="page_cell_pairs") or 1, n_pages) - 1)
    st.caption(f"Rows {start + 1:,} to {min(start + step, len(pairs)):,} of {len(pairs):,}")
    return pairs.iloc[start : start + step]
