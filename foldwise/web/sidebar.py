"""The settings that hold on every page, in the sidebar."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.web import choice_history
from foldwise.web.address import ALL_SETS, COMPARE, EVERY_SET, RECOMMENDED, copy_link
from foldwise.web.components import escape
from foldwise.web.session import PRIOR, Context
from foldwise.web.views.order_inputs import typed_order
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count
from stats_core.data.groups import groups_of, tags_with_groups
from stats_core.data.missing_counts import HoleCount
from stats_core.data.published import DECISIONS, RANKS, WINS
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.multiplicity.corrections import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    corrections_for,
    fallback_message,
)

LEVELS = ("0.01", "0.05", "0.10", "other")
MANY = 8  # algorithms that can each have a colour
# settings -> the pages that have no use for them
WITHOUT = {
    "measure": {"Curves", "Map", "Help"},
    "compare": {"One data set", "Multivariate", "Curves", "Ordering", "Map", "Help"},
    "correction": {"Ordering", "Map", "Help"},
    "region": {"Data", "Multivariate", "Curves", "Ordering", "Lab", "Map", "Help"},
}
# what became of missing cells, by the choice about them
CHOSEN = {
    "sets": ": data sets left out",
    "algorithms": ": algorithms left out",
    "folds": ": folds left out",
    "worst": ": ranked worst",
    "baseline": ": as the baseline",
    "present": ": what both have",
    "zero": ": 0/0 as 0",
    "one": ": 0/0 as 1",
}


def sidebar(
    results: Results, slot: DeltaGenerator, title: str
) -> tuple[Settings, tuple[str, ...], DeltaGenerator]:
    """Draw the shared settings that the page of this title uses."""
    with slot:
        _data_line(results)
    with st.sidebar:
        st.page_link("pages/data.py", label="Change data", icon=":material/arrow_forward:")
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
        _link_and_undo(alpha)
        st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")
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
    """Name the tests of the pairs and their correction, as they were made on this page."""
    if context.tests is not None:
        context.tests.caption(escape(f"Pairwise test: {comparison.post}"))


def _used(results: Results, title: str) -> set[str]:
    """Return which of the settings that not every page uses this one uses."""
    used = {name for name, unused in WITHOUT.items() if title not in unused}
    left = set(results.algorithms) - set(st.session_state.get("out", []))
    tukey = title == "One data set" and st.session_state.get("posthoc") == TUKEY
    if len(left) == 2 or tukey:
        used.discard("correction")
    return used


def _of_published(results: Results) -> tuple[Settings, tuple[str, ...], DeltaGenerator]:
    """Draw the settings that average ranks, wins or decisions have a use for."""
    published = results.published
    assert published is not None
    decided, ranked = published.what == DECISIONS, published.what == RANKS
    alpha = 0.05 if decided else _alpha()
    correction = "" if decided else _correction("", "sign" if published.what == WINS else "")
    tests = st.empty()
    left_out = () if ranked else _left_out("algorithms", "out", results.algorithms)
    highlight = _highlight(results)
    _link_and_undo(alpha)
    st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")
    settings = Settings(
        measure=results.measures[0],
        alpha=alpha,
        correction=correction,
        without_algorithms=left_out,
        prior=typed_order(results, published.names)
        if decided and st.session_state.get(PRIOR)
        else (),
    )
    return settings, highlight, tests


def _link_and_undo(alpha: float) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        copy_link(alpha)
        st.button(
            "Undo",
            icon=":material/undo:",
            type="tertiary",
            on_click=choice_history.undo,
            disabled=not choice_history.can_undo(),
            key="undo",
            help="Takes back the last choice of reading or settings.",
        )


def _left_out(what: str, key: str, names: Sequence[str]) -> tuple[str, ...]:
    """Ask what is left out."""
    if set(st.session_state.get(key) or ()) - set(
        names
    ):  # of other results, by a file or a step back
        st.session_state[key] = [one for one in st.session_state[key] if one in names]
    return tuple(
        st.multiselect(f"Leave out {what}", names, key=key, bind="query-params", placeholder="none")
    )


def say_missing(slot: DeltaGenerator, holes: HoleCount, choice: str) -> None:
    """Say below the data how much is missing of what is compared, and what became of it."""
    if not holes:
        return
    one = (
        format_count(holes.runs, "run")
        if holes.of_datasets == 1
        else format_count(holes.cells, "cell")
    )
    slot.badge(f"{one} missing{CHOSEN.get(choice, '')}", color="orange")


def _data_line(results: Results) -> None:
    parts = [
        *([results.size_label] if results.size_label else []),
        format_count(len(results.algorithms), "algorithm"),
        results.design_label,
    ]
    line = " / ".join(parts).replace("-", "\N{NON-BREAKING HYPHEN}")
    st.text(f"{results.source}\n{line}")


def _measure(results: Results, *, shown: bool) -> str:
    """Ask for the measure; the direction stands in the label, since the address holds options."""
    _forget_others("measure", results.measures)
    if not shown:
        return st.session_state["measure"]
    direction = results.direction(st.session_state["measure"])
    return st.selectbox(
        f"Measure ({direction} is better)",
        results.measures,
        key="measure",
        bind="query-params",
        persist_state="session",
    )


def _forget_others(key: str, options: Sequence[str]) -> None:
    """Choose anew where what is chosen belongs to other results.

    To leave it unset is not enough: the browser goes on showing what it had.
    """
    if st.session_state.get(key) not in options:
        asked = st.query_params.get(key)
        st.session_state[key] = asked if asked in options else options[0]


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
        persist_state="session",
        required=True,
    )
    if compare != COMPARE[1]:
        return ""
    names = [n for n in results.algorithms if n not in st.session_state.get("out", [])]
    if names:
        _forget_others("control", names)
    control = st.selectbox(
        "Control", names, key="control", bind="query-params", persist_state="session"
    )
    return control or ""


def _test_of_pairs(title: str) -> str:
    """Return the test of pairs asked for on the page of this title, by its label; "" if none is."""
    over = st.session_state.get("ds", ALL_SETS) == ALL_SETS
    keys = {"Many data sets": "source", "One data set": "posthoc"}
    key = (keys | {"Pair": "source" if over else "posthoc"}).get(title, "")
    return st.session_state.get(key) or st.query_params.get(key, "") if key else ""


def _correction(control: str, test: str) -> str:
    """Ask for the correction; each way of comparing has its own, "" for the recommended one.

    Which one that is depends on the tests of the pairs, see `name_tests`.
    """
    known, key, why = CONTROL_CORRECTIONS if control else CORRECTIONS, "correction", None
    if control:
        key = "control_correction"
    elif next(iter(CORRECTIONS)) not in corrections_for(test):
        known, key = corrections_for(test), "sign_correction"
        why = str(fallback_message(next(iter(CORRECTIONS)), 0, source=test))
    names = {RECOMMENDED: "", **{label: name for name, label in known.items()}}
    chosen = st.selectbox(
        "Correction",
        list(names),
        key=key,
        bind="query-params",
        persist_state="session",
        help=why,
    )
    return names[chosen]


def _region(measure: str) -> float | None:
    """Ask up to which difference nobody would care; None while nobody said."""
    return st.number_input(
        f"Differences in {measure} that do not matter, up to",
        min_value=0.0,
        value=None,
        step=0.005,
        format="%g",
        key="region",
        bind="query-params",
        persist_state="session",
        placeholder="not said",
        help="Beside p then stands whether a pair differs by more than that, is equivalent, or neither "
        "is known; two algorithms get the Bayesian answer, too.",
    )


def _only(results: Results) -> tuple[str, ...]:
    """Ask for one group of data sets, where something tags them; () for all."""
    groups = groups_to_choose(results)
    if len(groups) < 2:
        st.session_state.pop("only", None)
        return ()
    _forget_others("only", list(groups))
    chosen = st.selectbox("Only data sets of", list(groups), key="only", bind="query-params")
    return groups[chosen or EVERY_SET]


def groups_to_choose(results: Results) -> dict[str, tuple[str, ...]]:
    """Return the groups of data sets by their names in a link, all data sets first."""
    return {EVERY_SET: ()} | {
        f"{tag} = {value}": (tag, value)
        for tag in tags_with_groups(results)
        for value in groups_of(results, tag)
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
            key="hi",
            bind="query-params",
            placeholder=f"up to {MANY}",
        )
    )
