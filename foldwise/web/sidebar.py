"""The sidebar: settings shared by all pages."""

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.web import choice_history, inputs
from foldwise.web.components import escape, in_popover
from foldwise.web.session import WORKSPACE, Context
from foldwise.web.settings_registry import (
    ALL_SETS,
    COMPARE,
    EVERY_SET,
    PRIOR,
    RECOMMENDED,
    linked,
    non_default_settings,
)
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count
from stats_core.data.missing import HoleCount
from stats_core.data.published import DECISIONS, RANKS, WINS
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings, groups_of, tags_with_groups
from stats_core.inference.multiplicity.corrections import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    corrections_for,
    fallback_message,
)

LEVELS = ("0.01", "0.05", "0.10", "other")
MANY = 8  # largest number of algorithms with a colour each
# setting -> pages that do not use it
WITHOUT = {
    "measure": {"Curves", "Map", "Help"},
    "compare": {"One data set", "Multivariate", "Curves", "Ordering", "Map", "Help"},
    "correction": {"Ordering", "Map", "Help"},
    "region": {"Data", "Multivariate", "Curves", "Ordering", "Lab", "Map", "Help"},
}
# choice about missing results -> suffix of the badge
CHOSEN = {
    "sets": ": data sets left out",
    "algorithms": ": algorithms left out",
    "folds": ": folds left out",
    "worst": ": ranked worst",
    "baseline": ": replaced by the baseline",
    "present": ": common data sets",
    "zero": ": 0/0 as 0",
    "one": ": 0/0 as 1",
}


def sidebar(results: Results, slot: DeltaGenerator, title: str) -> tuple[Settings, tuple[str, ...], DeltaGenerator]:
    """Draw the shared settings that a page uses, and return their values."""
    with slot:
        _data_line(results)
    with st.sidebar:
        if results.published is not None:
            return _of_published(results)
        used = _used(results, title)
        measure = _measure(results, shown="measure" in used)
        alpha = _alpha()
        control = _control(results) if "compare" in used else ""
        correction = _correction(control, _test_of_pairs(title)) if "correction" in used else ""
        tests = st.empty()
        region = _region(measure) if "region" in used else None
        without_algorithms = _left_out("algorithms", "out", results.algorithms)
        without_datasets = _left_out("data sets", "outset", results.datasets)
        only = _only(results)
        highlight = _highlight(results)
        _foot(alpha)
    settings = Settings(
        measure=measure,
        alpha=alpha,
        correction=correction,
        control=control,
        without_algorithms=without_algorithms,
        without_datasets=without_datasets,
        only=only,
        region=region,
    )
    return settings, highlight, tests


def name_tests(context: Context, comparison: Comparison) -> None:
    """Show the name of the pairwise tests and their correction."""
    if context.tests is not None:
        context.tests.caption(escape(f"Pairwise test: {comparison.post}"))


def _used(results: Results, title: str) -> set[str]:
    """Return which of the settings in `WITHOUT` a page uses."""
    used = {name for name, unused in WITHOUT.items() if title not in unused}
    left = set(results.algorithms) - set(st.session_state.get("out", []))
    tukey = title == "One data set" and st.session_state.get("posthoc") == TUKEY
    if len(left) == 2 or tukey:
        used.discard("correction")
    return used


def _of_published(results: Results) -> tuple[Settings, tuple[str, ...], DeltaGenerator]:
    """Draw the settings that apply to published ranks, wins or decisions."""
    published = results.published
    assert published is not None
    decided, ranked = published.what == DECISIONS, published.what == RANKS
    alpha = 0.05 if decided else _alpha()
    correction = "" if decided else _correction("", "sign" if published.what == WINS else "")
    tests = st.empty()
    left_out = () if ranked else _left_out("algorithms", "out", results.algorithms)
    highlight = _highlight(results)
    _foot(alpha)
    settings = Settings(
        measure=results.measures[0],
        alpha=alpha,
        correction=correction,
        without_algorithms=left_out,
        prior=inputs.typed_order(results, published.names) if decided and st.session_state.get(PRIOR) else (),
    )
    return settings, highlight, tests


def _foot(alpha: float) -> None:
    """Draw the link to this view, the undo button and the link to Help."""
    with st.container(horizontal=True, vertical_alignment="center"):
        _copy_link(alpha)
        st.button(
            "Undo",
            icon=":material/undo:",
            type="tertiary",
            on_click=choice_history.undo,
            disabled=not choice_history.can_undo(),
            key="undo",
            help="Undoes the last change of columns or settings.",
        )
    st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")


def _copy_link(alpha: float) -> None:
    """Draw a popover with the URL of this view, without settings at their defaults."""

    def draw() -> None:
        named = non_default_settings(alpha)
        if "w" in named:  # a shared link is read-only
            named["v"] = st.session_state[WORKSPACE].view
            del named["w"]
        query = urlencode(named, doseq=True)
        st.code(f"{st.context.url}?{query}" if query else st.context.url, language=None)

    in_popover("Copy link", "copy_link", draw, icon=":material/link:")


def _left_out(noun: str, key: str, names: Sequence[str]) -> tuple[str, ...]:
    """Draw a multiselect of the algorithms or data sets to exclude."""
    if set(st.session_state.get(key) or ()) - set(names):  # names of other results, after an upload or an undo
        st.session_state[key] = [name for name in st.session_state[key] if name in names]
    return tuple(st.multiselect(f"Leave out {noun}", names, **linked(key, kept=False), placeholder="none"))


def say_missing(slot: DeltaGenerator, holes: HoleCount, choice: str) -> None:
    """Draw a badge with the number of missing results and their treatment."""
    if not holes:
        return
    count = format_count(holes.runs, "run") if holes.of_datasets == 1 else format_count(holes.cells, "cell")
    slot.badge(f"{count} missing{CHOSEN.get(choice, '')}", color="orange")


def _data_line(results: Results) -> None:
    fields = [
        *([results.size_label] if results.size_label else []),
        format_count(len(results.algorithms), "algorithm"),
        results.design_label,
    ]
    line = " / ".join(fields).replace("-", "\N{NON-BREAKING HYPHEN}")
    st.text(f"{results.source}\n{line}")


def _measure(results: Results, *, shown: bool) -> str:
    """Draw the selectbox of the measure, with its direction in the label."""
    _forget_others("measure", results.measures)
    if not shown:
        return st.session_state["measure"]
    direction = results.direction(st.session_state["measure"])
    return st.selectbox(f"Measure ({direction} is better)", results.measures, **linked("measure"))


def _forget_others(key: str, options: Sequence[str]) -> None:
    """Reset a choice that is not among the options of the open results.

    Deleting the key is not enough: the browser would keep showing the previous value.
    """
    if st.session_state.get(key) not in options:
        from_address = st.query_params.get(key)
        st.session_state[key] = from_address if from_address in options else options[0]


def _alpha() -> float:
    level = st.segmented_control(
        "Significance level", LEVELS, default="0.05", **linked("alpha", kept=False), required=True
    )
    if level != "other":
        return float(level or "0.05")
    typed = st.number_input(
        "Custom level",
        min_value=0.0001,
        max_value=0.5,
        value=0.05,
        step=0.005,
        format="%.4f",
        **linked("level", kept=False),
    )
    return min(max(float(typed), 0.0001), 0.5)


def _control(results: Results) -> str:
    """Draw the choice between all pairs and one control; return the control, "" for all pairs."""
    if len(results.algorithms) < 3 or len(results.datasets) < 2:
        return ""
    compare = st.segmented_control(
        "Comparisons over data sets", COMPARE, default=COMPARE[0], **linked("compare"), required=True
    )
    if compare != COMPARE[1]:
        return ""
    names = [n for n in results.algorithms if n not in st.session_state.get("out", [])]
    if names:
        _forget_others("control", names)
    control = st.selectbox("Control", names, **linked("control"))
    return control or ""


def _test_of_pairs(title: str) -> str:
    """Return the pairwise test chosen on a page, by its label; "" if there is none."""
    over_datasets = st.session_state.get("ds", ALL_SETS) == ALL_SETS
    keys = {"Many data sets": "source", "One data set": "posthoc"}
    key = (keys | {"Pair": "source" if over_datasets else "posthoc"}).get(title, "")
    return st.session_state.get(key) or st.query_params.get(key, "") if key else ""


def _correction(control: str, test: str) -> str:
    """Draw the selectbox of the correction for this kind of comparison.

    Return "" for the recommended one, which depends on the pairwise tests, see `name_tests`.
    """
    corrections, key, why = CONTROL_CORRECTIONS if control else CORRECTIONS, "correction", None
    if control:
        key = "control_correction"
    elif next(iter(CORRECTIONS)) not in corrections_for(test):
        corrections, key = corrections_for(test), "sign_correction"
        why = str(fallback_message(next(iter(CORRECTIONS)), 0, source=test))
    names = {RECOMMENDED: "", **{label: name for name, label in corrections.items()}}
    chosen = st.selectbox("Correction", list(names), **linked(key), help=why)
    return names[chosen]


def _region(measure: str) -> float | None:
    """Draw an input for the equivalence region; return None if it is empty."""
    return st.number_input(
        f"Equivalence margin ({measure})",
        min_value=0.0,
        value=None,
        step=0.005,
        format="%g",
        **linked("region"),
        placeholder="none",
        help="Adds an equivalence test: each pair is classed as different, equivalent or inconclusive. "
        "With two algorithms, also a Bayesian (ROPE) analysis.",
    )


def _only(results: Results) -> tuple[str, ...]:
    """Draw a selectbox of the groups of data sets, if there are any; return () for all."""
    groups = groups_to_choose(results)
    if len(groups) < 2:
        st.session_state.pop("only", None)
        return ()
    _forget_others("only", list(groups))
    chosen = st.selectbox("Data set group", list(groups), **linked("only", kept=False))
    return groups[chosen or EVERY_SET]


def groups_to_choose(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the groups of data sets by their names in a link, all data sets first."""
    return {EVERY_SET: ()} | {
        f"{tag} = {value}": (tag, value) for tag in tags_with_groups(results) for value in groups_of(results, tag)
    }


def _highlight(results: Results) -> tuple[str, ...]:
    if len(results.algorithms) <= MANY:
        return ()
    if set(st.session_state.get("hi") or ()) - set(results.algorithms):
        st.session_state["hi"] = []
    return tuple(
        st.multiselect(
            "Highlight",
            results.algorithms,
            max_selections=MANY,
            **linked("hi", kept=False),
            placeholder=f"up to {MANY}",
        )
    )
