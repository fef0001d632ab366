"""Where two tests decide alike and where they do not, one picture for each pair and data set."""

from functools import lru_cache, partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figure_specs import robustness_tables
from foldwise.figure_specs.figure_spec import FigureSpec, fold_names
from foldwise.figures.cloud_parts import gaussian_ellipse
from foldwise.figures.pair_panels import (
    CurvePanel,
    HistogramPanel,
    Panel,
    ScatterPanel,
    alt_pair_panels,
    caption_pair_panels,
    pair_panels,
)
from foldwise.figures.theme import MARKERS, Style
from foldwise.web import cached_calls, components, inputs, session
from foldwise.web.displayed_table import CELLS_SHOWN
from foldwise.web.session import Context
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import fold_views
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, p_phrase, p_text
from stats_core.core.significance import significant
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.fold_pairs import resampling_unit
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.robustness.agreement import Agreement, Rule

# what is compared -> the two measures whose tests decide, and the panels of each picture
COMPARED = {
    "error and AUC": ("error", "auc", ("error", "auc", "roc")),
    "error and AUC-PR": ("error", "auc_pr", ("error", "auc_pr", "pr")),
    "AUC and AUC-PR": ("auc", "auc_pr", ("pr", "roc", "auc_pr", "auc")),
    "five views of error and AUC": ("error", "auc", ("error", "auc", "points", "roc", "pr")),
}
OVERLAPS = {"allowed for": True, "ignored, as in the papers": False}
LABELS = {"error": "error", "auc": "AUC", "auc_pr": "AUC-PR"}
AT_A_TIME = 4
HOW_CASES = (
    "Each picture is one pair on one data set. Look what one test sees and the other does not: "
    "histograms that overlap where the other pair of histograms parts. One of many pictures chosen "
    "for its test is an illustration, not evidence."
)


def four_cases(context: session.Context) -> None:
    """Count the four cases of two tests, and show the pairs of one case."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        one, other, panels = COMPARED[inputs.page_option("Tests of", "case", COMPARED, width=240)]
        overlap = True
        if context.read.with_folds:
            overlap = OVERLAPS[inputs.page_option("Overlap of folds", "cases", OVERLAPS, width=220)]
    level = {"alpha": context.settings.alpha, "overlap": overlap}
    test = {"test": "" if overlap else "paired t"}
    rules = (Rule(measure=one, **level, **test), Rule(measure=other, **level, **test))
    try:
        found = cached_calls.agreement(
            inputs.selection_key(context), *rules, inputs.kept_input(context)
        )
    except FoldwiseError as error:
        components.show_refusal("These two tests cannot be compared.", str(error))
        return
    names = (LABELS[one], LABELS[other])
    components.show_table(
        robustness_tables.agreement_table(found, *(f"{name} test" for name in names))
    )
    for dataset, why in found.skipped.items():
        st.caption(components.escape(f"{dataset} is left out: {why}"))
    _gallery(context, found, names, panels)


def _gallery(
    context: session.Context, found: Agreement, names: tuple[str, str], panels: tuple[str, ...]
) -> None:
    """Show the pictures of one case, a few at a time."""
    cells = {cell: found.cell(first=cell[0], second=cell[1]) for cell in CELLS.values()}
    labels = {f"{_case(names, *cell)} ({len(pairs):,})": cell for cell, pairs in cells.items()}
    filled = [text for text, cell in labels.items() if len(cells[cell])]
    apart = [text for text in filled if labels[text][0] != labels[text][1]]
    preset = (apart or filled)[-1 if apart else 0]
    chosen = st.segmented_control(
        "Case", list(labels), default=preset, key="which_case", required=True
    )
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


def _case(names: tuple[str, str], one: bool, other: bool) -> str:
    verdicts = ["rejects" if done else "does not" for done in (one, other)]
    return f"{names[0]} test {verdicts[0]}, {names[1]} test {verdicts[1]}"


def _card(
    context: session.Context, row: pd.Series, names: tuple[str, str], panels: tuple[str, ...]
) -> None:
    first, second, dataset = row["first"], row["second"], row["dataset"]
    hues = fold_views.palette(context.read.algorithms, context.highlight)
    look = (names, panels, context.settings.alpha, tuple(hues.items()))
    try:
        components.show_figure(
            _drawing(inputs.selection_key(context), tuple(row.items()), *look, context)
        )
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
    """Return the picture of one pair on one data set."""
    row, everyone = pd.Series(dict(asked), dtype=object), _context.read.algorithms
    first, second, dataset, repetition = row[["first", "second", "dataset", "repetition"]]
    drawn = _panels(_context, row, names, panels)
    symbols = {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(everyone)}

    @lru_cache(maxsize=2)
    def build(style: Style) -> go.Figure:
        return pair_panels(
            drawn, first=first, second=second, style=style, colours=dict(hues), symbols_of=symbols
        )

    part = "" if repetition in ("all", "1") else f", repetition {repetition}"
    histograms = {p.label: p.values for p in drawn if isinstance(p, HistogramPanel)}
    return FigureSpec(
        name=f"case_{dataset}_{first}_{second}_{repetition}_{len(panels)}",
        title=f"{first} and {second} on {dataset}{part}",
        how_to_read=HOW_CASES,
        alt=alt_pair_panels(drawn, first, second),
        data=pd.concat(histograms, axis=1) if histograms else row.to_frame().T,
        build=build,
        caption=lambda _: caption_pair_panels(drawn, first, second),
    )


def _panels(
    context: session.Context, row: pd.Series, names: tuple[str, str], wanted: tuple[str, ...]
) -> list[Panel]:
    """Return the panels of one picture."""
    two, dataset = [row["first"], row["second"]], row["dataset"]
    alpha = context.settings.alpha
    said = {
        name: f"{p_phrase(row[p], alpha)}, "
        + ("rejects" if significant(row[p], alpha) else "does not reject")
        for name, p in zip(names, ("p one", "p other"), strict=True)
    }
    panels: list[Panel] = []
    unit = resampling_unit(context.read.design_of(dataset))
    if context.read.design_of(dataset) == "single":  # one result of each has no histogram
        wanted = tuple(dict.fromkeys([*(what for what in wanted if what not in LABELS), "points"]))
    for what in wanted:
        if what in LABELS:
            values = _folds(context, dataset, what, row["repetition"])[two]
            panels.append(
                HistogramPanel(
                    label=LABELS[what], values=values, note=said.get(LABELS[what], ""), unit=unit
                )
            )
        elif what == "points":
            panels.append(_points(context, dataset, row["repetition"], two))
        else:
            panels.append(_curves(context, dataset, what, row["repetition"], two))
    return panels


def _folds(context: session.Context, dataset: str, measure: str, repetition: str) -> pd.DataFrame:
    """Return one measure on the folds that were tested."""
    matrix = inputs.kept_input(context).matrix(dataset, measure)
    if repetition != "all":
        matrix = matrix[matrix.index.get_level_values("repetition") == repetition]
    return fold_views.fold_labels(matrix)


def _points(context: session.Context, dataset: str, repetition: str, two: list[str]) -> Panel:
    rates = {m: _folds(context, dataset, m, repetition) for m in ("fpr", "tpr")}
    points = {n: pd.DataFrame({"x": rates["fpr"][n], "y": rates["tpr"][n]}) for n in two}
    rings = {
        name: ring
        for name, table in points.items()
        if (ring := gaussian_ellipse(table)) is not None
    }
    return ScatterPanel(
        label="(fpr, tpr)",
        points=points,
        ellipses=rings,
        x_title="fpr",
        y_title="tpr",
        unit=resampling_unit(context.read.design_of(dataset)),
    )


def _curves(
    context: session.Context, dataset: str, kind: str, repetition: str, two: list[str]
) -> Panel:
    key = f"{context.read_key}/{dataset}"
    data = cached_calls.curves(key, dataset, context.read)
    paths = cached_calls.fold_paths(key, kind, data)
    averages = cached_calls.curve_averages(
        key, kind, "vertical average", "one standard error", None, data
    )
    kept = set(fold_names(data.folds))
    if repetition != "all":
        inside = (data.folds["repetition"] == repetition).to_numpy()
        kept = {n for n, has in zip(fold_names(data.folds), inside, strict=True) if has}
    titles = ("fpr", "tpr") if kind == "roc" else ("recall", "precision")
    return CurvePanel(
        label={"roc": "ROC", "pr": "PR"}[kind],
        folds={n: [c[["x", "y"]] for fold, c in paths[n].items() if fold in kept] for n in two},
        averages={n: averages[n][["x", "y"]] for n in two},
        x_title=titles[0],
        y_title=titles[1],
        unit=data.unit,
    )


ADVISED = "advised test"
CELLS = {
    "both reject": (True, True),
    "only the first": (True, False),
    "only the second": (False, True),
    "neither": (False, False),
}
ADJUSTMENTS = {"none": "none", "Holm": "holm", "Bonferroni": "bonferroni"}


def agreement_tab(context: Context, settings: Settings) -> None:
    """Ask for two rules, count how often they decide alike, and list the pairs of a cell."""
    results = context.results
    st.caption(
        "Two ways to decide, each pair of algorithms on each data set: how often do they agree?"
    )
    one = _rule(results.measures, settings, "1", results.measures.index(settings.measure))
    other = _rule(results.measures, settings, "2", _another(results.measures, settings.measure))
    key, kept = inputs.selection_key(context), inputs.kept_input(context)
    try:
        found = cached_calls.agreement(key, one, other, kept)
    except FoldwiseError as error:
        components.show_refusal("These two cannot be compared.", str(error))
        return
    first, second = _name(one, other)
    components.show_table(robustness_tables.agreement_table(found, first, second))
    for note in found.notes:
        st.caption(components.escape(str(note)))
    if found.skipped:
        skipped = "; ".join(f"{name}: {reason}" for name, reason in found.skipped.items())
        with st.expander(f"{format_count(len(found.skipped), 'data set')} left out"):
            st.caption(components.escape(skipped))
    _cell(found, first, second)


def _another(measures: tuple[str, ...], measure: str) -> int:
    """Return the place of a measure that says something else: AUC, F, or whatever comes next."""
    for name in ("auc", "f", "auc_pr", *measures):
        if name in measures and {name, measure} not in ({name}, {"error", "accuracy"}):
            return measures.index(name)
    return measures.index(measure)


def _rule(measures: tuple[str, ...], settings: Settings, place: str, preset: int) -> Rule:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = {"1": "First", "2": "Second"}[place]
        measure = st.selectbox(
            f"{who}: measure", measures, index=preset, key=f"m{place}", width=170
        )
        test = st.selectbox(
            f"{who}: test", (ADVISED, TUKEY, *PAIR_TESTS), key=f"t{place}", width=200
        )
        correction = st.selectbox(
            f"{who}: correction", list(ADJUSTMENTS), key=f"c{place}", width=150
        )
    return Rule(
        measure=measure,
        test="" if test == ADVISED else test,
        correction=ADJUSTMENTS[correction],
        alpha=settings.alpha,
        test_fraction=settings.test_fraction,
    )


def _name(one: Rule, other: Rule) -> tuple[str, str]:
    """Name two rules by what tells them apart."""
    parts = [("measure", "measure"), ("test", "test"), ("correction", "correction")]
    names = []
    for rule in (one, other):
        said = [
            (getattr(rule, field) or ADVISED)
            for field, _ in parts
            if getattr(one, field) != getattr(other, field)
        ]
        names.append(", ".join(said) or f"{rule.measure}, {rule.test or ADVISED}")
    return (names[0], names[1]) if names[0] != names[1] else (f"{names[0]} (1)", f"{names[1]} (2)")


def _cell(found: Agreement, first: str, second: str) -> None:
    """List the pairs of one cell; a chosen row opens its page."""
    sizes = {name: len(found.cell(first=one, second=other)) for name, (one, other) in CELLS.items()}
    labels = {f"{name} ({size:,})": name for name, size in sizes.items()}
    preset = list(labels)[list(CELLS).index("only the first")]
    chosen = st.segmented_control(
        "Pairs of a cell", list(labels), default=preset, key="cell", required=True
    )
    one, other = CELLS[labels.get(chosen or preset, "both reject")]
    pairs = found.cell(first=one, second=other)
    if pairs.empty:
        st.caption("No pair.")
        return
    pairs = _page(pairs)
    shown = pairs[["dataset", "repetition", "first", "second", "p one", "p other"]]
    shown = shown.set_axis(
        ["data set", "repetition", "algorithm", "against", f"p by {first}", f"p by {second}"],
        axis=1,
    )
    write = partial(p_text, alpha=None)
    event = st.dataframe(
        shown.style.format(dict.fromkeys(shown.columns[4:], write)),
        hide_index=True,
        height=min(420, 40 + 35 * len(shown)),
        on_select="rerun",
        selection_mode="single-row",
        key="cell_pairs",
    )
    rows = event.selection.rows
    if rows and rows[0] < len(pairs):
        row = pairs.iloc[rows[0]]
        inputs.offer_pair([row["first"], row["second"]], row["dataset"])
    else:
        st.caption("Select a row to open its pair.")


def _page(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return as many rows as a table shows at a time; ask which where there are more."""
    step = CELLS_SHOWN // pairs.shape[1]
    if len(pairs) <= step:
        return pairs
    many = -(-len(pairs) // step)
    start = step * (min(st.pagination(many, key="page_cell_pairs") or 1, many) - 1)
    st.caption(f"Rows {start + 1:,} to {min(start + step, len(pairs)):,} of {len(pairs):,}.")
    return pairs.iloc[start : start + step]
