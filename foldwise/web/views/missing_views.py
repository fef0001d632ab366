"""Missing cells: how many, which, and the choice about them with what each would lead to."""

import streamlit as st

from foldwise.web import cached_calls, components, inputs, session
from stats_core.data.missing_counts import HoleCount, count_holes, list_holes
from stats_core.robustness.missing_choices import (
    NAMES,
    describe_missing_choices,
    describe_remainder,
)

PAGE = 200  # rows of the list that are shown at once


def choose_missing_treatment(context: session.Context) -> None:
    """Ask what to do with missing cells; nothing is preset, and what each leads to can be seen."""
    holes = describe_missing(context)
    labels = {
        key: NAMES[choice]
        for key, choice in session.HOLE_CHOICES.items()
        if (holes.undefined or key not in ("zero", "one"))
        and (key != "folds" or holes.of_runs > holes.of_cells)
    }
    chosen = st.session_state.get(session.HOLES, "")
    st.radio(
        "What to do with the missing cells?",
        list(labels),
        index=list(labels).index(chosen) if chosen in labels else None,
        format_func=labels.get,
        key="hole_choice",
        on_change=_take_choice,
    )
    if chosen == "baseline":
        _ask_for_baseline(context)
    _every_choice(context)


def describe_missing(context: session.Context) -> HoleCount:
    """Return what was missing in what is compared, before any choice."""
    return count_holes(inputs.selected_before_missing(context), context.settings.measure)


def list_missing(context: session.Context) -> None:
    """List the missing cells, one data set and algorithm a row, in pages."""
    table = list_holes(inputs.selected_before_missing(context), context.settings.measure)
    first = 0
    if len(table) > PAGE:
        starts = list(range(0, len(table), PAGE))
        first = st.selectbox(
            "Rows",
            starts,
            format_func=lambda at: f"{at + 1:,} to {min(at + PAGE, len(table)):,}",
            key="hole_rows",
            width=200,
        )
    page = table.iloc[first : first + PAGE]
    st.dataframe(
        page,
        hide_index=True,
        column_config={"data set": st.column_config.TextColumn(pinned=True)},
        height=min(400, 38 + 35 * len(page)),
    )


def _ask_for_baseline(context: session.Context) -> None:
    """Ask whose value stands for a missing run, of the algorithms that lack none."""
    lacking = count_holes(context.raw, context.settings.measure).algorithms
    names = [name for name in context.raw.algorithms if name not in lacking]
    if not names:
        st.caption("No algorithm has every run, so none can stand for others.")
        return
    known = st.session_state.get(session.BASELINE, "")
    st.selectbox(
        "Baseline",
        names,
        index=names.index(known) if known in names else None,
        placeholder="whose value stands for a missing run",
        key="hole_baseline",
        on_change=_take_baseline,
        width=360,
    )


def _every_choice(context: session.Context) -> None:
    """Show on demand what each choice leaves and decides."""
    details = st.expander("What would each choice lead to?", key="hole_verdicts", on_change="rerun")
    if not details.open:
        return
    baseline = st.session_state.get(session.BASELINE, "")
    key = f"{context.raw_key}/{baseline}"
    table = cached_calls.hole_choices(key, context.settings, baseline, context.raw)
    rows = [
        {
            "choice": f"{NAMES[row['choice']]}{f' ({name})' if (name := row['baseline']) else ''}",
            "leaves": describe_remainder(row),
            "verdict": row["verdict"],
            "pairs separated": str(row["separated"]) if row["decided"] else "",
        }
        for _, row in table.iterrows()
    ]
    with details:
        st.markdown(f"**{components.escape(describe_missing_choices(table))}**")
        st.table(
            [{name: components.escape(text) for name, text in row.items()} for row in rows],
            hide_index=True,
        )
        st.caption("Choose for a reason, not for the verdict that suits; report which you chose.")


def _take_choice() -> None:
    st.session_state[session.HOLES] = st.session_state["hole_choice"] or ""


def _take_baseline() -> None:
    st.session_state[session.BASELINE] = st.session_state["hole_baseline"] or ""
