"""Agreement of decisions: two tests, or two measures, over all pairs and data sets."""

from functools import partial

import pandas as pd
import streamlit as st

from foldwise.figure_specs import robustness_tables
from foldwise.web import cached_calls, components, inputs
from foldwise.web.displayed_table import CELLS_SHOWN
from foldwise.web.session import Context
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, p_text
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.robustness.agreement import Agreement, Rule

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
