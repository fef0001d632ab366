"""Where two tests decide alike and where they do not, one picture for each pair and data set."""

from functools import lru_cache
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figure_specs import robustness_tables
from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figure_specs.spec_parts import fold_names
from foldwise.figures.ellipses import gaussian_ellipse
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
from foldwise.web.session_cache import cached_in_session
from foldwise.web.views import fold_views
from foldwise.web.views.agreement_views import CELLS
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import p_phrase
from stats_core.core.significance import significant
from stats_core.inference.fold_pairs import resampling_unit
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
