"""The settings that hold on every page, in the sidebar."""

import streamlit as st

from stats_core.analyse import CONTROL_CORRECTIONS, CORRECTIONS, Settings
from stats_core.results import Results
from stats_core.wording import count
from ui.link import COMPARE, copy_link

LEVELS = ("0.01", "0.05", "0.10", "other")
MANY = 8  # algorithms that can each have a colour


def sidebar(results: Results, missing: int) -> tuple[Settings, tuple[str, ...]]:
    """Draw the shared settings and return them with the highlighted algorithms."""
    with st.sidebar:
        _data_line(results, missing)
        measure = _measure(results)
        alpha = _alpha()
        control = _control(results)
        correction = _correction(
            len(set(results.algorithms) - set(st.session_state.get("out", []))), control
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
        copy_link(alpha)
        st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")
    settings = Settings(
        measure=measure,
        alpha=alpha,
        correction=correction,
        control=control,
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
    line = " / ".join(parts).replace("-", "\N{NON-BREAKING HYPHEN}")
    st.text(f"{results.source}\n{line}")
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


def _control(results: Results) -> str:
    """Ask whether all pairs are compared or all with one, over data sets; "" for all pairs."""
    if len(results.algorithms) < 3 or len(results.datasets) < 2:
        return ""
    compare = st.segmented_control(
        "Compare over data sets",
        COMPARE,
        default=COMPARE[0],
        key="compare",
        bind="query-params",
        required=True,
    )
    if compare != COMPARE[1]:
        return ""
    names = [n for n in results.algorithms if n not in st.session_state.get("out", [])]
    if st.session_state.get("control") not in names:
        st.session_state.pop("control", None)
    return st.selectbox("Control", names, key="control", bind="query-params") or ""


def _correction(algorithms: int, control: str) -> str:
    """Ask for the correction, the advised one first; each way of comparing has its own."""
    known = CONTROL_CORRECTIONS if control else CORRECTIONS
    names = {label: key for key, label in known.items()}
    chosen = st.selectbox(
        f"Correction ({next(iter(names))} advised)",
        list(names),
        key="control_correction" if control else "correction",
        bind="query-params",
    )
    if algorithms == 2:
        st.caption("No effect here: one pair, one test.")
    return names[chosen]


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
