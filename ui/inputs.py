"""Widgets in, one settings object out."""

from urllib.parse import urlencode

import streamlit as st

from stats_core.analyse import CORRECTIONS, SOURCES, Settings
from stats_core.results import Results
from stats_core.wording import count
from ui import state

ADVISED = "holm"
LEVELS = ("0.01", "0.05", "0.10", "other")
# what a link holds: settings bound to the address, and what names the results
LINKED = ("measure", "correction", "out", "outset", "hi", "source", "form", "best", "tab", "two")
KEPT = ("sample", "src", "holes")
DEFAULTS = {
    "correction": CORRECTIONS[ADVISED],
    "source": SOURCES["ranks"],
    "form": "automatic",
    "best": "left",
    "tab": "Diagram",
    "two": "Differences",
}
MANY = 8  # algorithms that can each have a colour


def sidebar(results: Results, missing: int) -> tuple[Settings, tuple[str, ...]]:
    """Draw the shared settings and return them with the highlighted algorithms."""
    with st.sidebar:
        _data_line(results, missing)
        measure = _measure(results)
        alpha = _alpha()
        correction = _correction(
            len(set(results.algorithms) - set(st.session_state.get("out", [])))
        )
        without_algorithms = st.multiselect(
            "Leave out algorithms",
            results.algorithms,
            key="out",
            bind="query-params",
            placeholder="none",
        )
        without_datasets = st.multiselect(
            "Leave out data sets",
            results.datasets,
            key="outset",
            bind="query-params",
            placeholder="none",
        )
        highlight = _highlight(results)
        _link(alpha)
        st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")
    settings = Settings(
        measure=measure,
        alpha=alpha,
        correction=correction,
        without_algorithms=tuple(without_algorithms),
        without_datasets=tuple(without_datasets),
    )
    return settings, highlight


def _data_line(results: Results, missing: int) -> None:
    parts = [
        count(len(results.datasets), "data set"),
        count(len(results.algorithms), "algorithm"),
        results.design_label,
    ]
    st.text(f"{results.source}\n{' / '.join(parts)}")
    if missing:
        st.badge(f"{count(missing, 'cell')} missing", color="orange")
    st.page_link("pages/data.py", label="Change data", icon=":material/arrow_forward:")


def _measure(results: Results) -> str:
    """Ask for the measure; the direction stands in the label, since the address holds options."""
    now = st.session_state.get("measure")
    direction = results.direction(now if now in results.measures else results.measures[0])
    return st.selectbox(
        f"Measure ({direction} is better)",
        results.measures,
        key="measure",
        bind="query-params",
    )


def _alpha() -> float:
    level = st.segmented_control(
        "Significance level",
        LEVELS,
        default="0.05",
        key="alpha",
        bind="query-params",
        required=True,
    )
    if level != "other":
        return float(level or "0.05")
    typed = st.number_input(
        "Other level",
        min_value=0.0001,
        max_value=0.5,
        value=0.05,
        step=0.005,
        format="%.4f",
        key="level",
        bind="query-params",
    )
    return min(max(float(typed), 0.0001), 0.5)


def _correction(algorithms: int) -> str:
    names = {label: key for key, label in CORRECTIONS.items()}
    chosen = st.selectbox(
        f"Correction ({CORRECTIONS[ADVISED]} advised)",
        list(names),
        key="correction",
        bind="query-params",
    )
    if algorithms == 2:
        st.caption("No effect here: one pair, one test.")
    return names[chosen]


def _link(alpha: float) -> None:
    """Offer the address of this view, without what is at its default."""
    copy = st.popover(
        "Copy link", type="tertiary", icon=":material/link:", on_change="rerun", key="copy_link"
    )
    if not copy.open:
        return
    values = {name: st.session_state.get(name) for name in LINKED}
    values["alpha"] = "" if alpha == 0.05 else f"{alpha:g}"
    chosen = {
        name: value for name, value in values.items() if value and value != DEFAULTS.get(name)
    }
    asked = {**{name: st.query_params[name] for name in KEPT if name in st.query_params}, **chosen}
    query = urlencode(asked, doseq=True)
    copy.code(f"{st.context.url}?{query}" if query else st.context.url, language=None)


def _highlight(results: Results) -> tuple[str, ...]:
    if len(results.algorithms) <= MANY:
        return ()
    return tuple(
        st.multiselect(
            "Highlight",
            results.algorithms,
            max_selections=MANY,
            key="hi",
            bind="query-params",
            placeholder=f"up to {MANY}",
        )
    )


def hole_choice(missing: int) -> None:
    """Ask what to do with missing cells; nothing is preset."""
    labels = {
        "sets": "Leave out those data sets",
        "algorithms": "Leave out those algorithms",
        "worst": "Failures get the worst rank",
    }
    chosen = st.session_state.get(state.HOLES, "")
    st.radio(
        f"What to do with {count(missing, 'missing cell')}?",
        list(labels),
        index=list(labels).index(chosen) if chosen else None,
        format_func=labels.get,
        key="hole_choice",
        horizontal=True,
        on_change=_take_hole_choice,
    )


def _take_hole_choice() -> None:
    st.session_state[state.HOLES] = st.session_state["hole_choice"] or ""
