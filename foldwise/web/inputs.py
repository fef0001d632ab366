"""What pages ask beyond the sidebar: one of several options, a pair, a threshold, holes."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from foldwise.web import cached_calls, components, session
from foldwise.web.address import NEUTRAL
from stats_core.comparison.kinds.folds import possible_post_hocs
from stats_core.comparison.kinds.several_measures import presets_of
from stats_core.curves.best_threshold import USUAL, WISHES
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.thresholds import SCALES, needs_scores
from stats_core.data.results import Results
from stats_core.data.settings import (
    DFS,
    OVERLAPS,
    TUKEY,
    Settings,
    corrected_share,
    share_is_unknown,
    tested_share,
)
from stats_core.inference.fold_pairs import max_df, possible_tests
from stats_core.robustness import group_evidence

OWN = "own choice"
TYPICAL = (
    "The first one shown is that whose order is most like the average order over all data sets."
)
USUAL_WISHES = "each usual one"
# what is shown of a wish for a threshold -> its key, the label of its number, and its largest value
_WISHES = {
    "a ratio of costs": ("cost", "Cost of a false positive, in false negatives", 100.0),
    "a recall": ("recall", "At least", 1.0),
    "a precision": ("precision", "At least", 1.0),
    "a share of alerts": ("alerts", "At most", 1.0),
}


def page_option(
    label: str, key: str, options, *, width: int = 180, begin: str = "", help: str | None = None
) -> str:
    """Ask for one of a page's own settings; kept in the address and across pages.

    Nothing chosen, it begins with `begin`, or else with the first.
    """
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
        if begin and key not in st.query_params:
            st.session_state[key] = begin
    return st.selectbox(
        label,
        list(options),
        key=key,
        bind="query-params",
        persist_state="session",
        width=width,
        help=help,
    )


def threshold_slider(results: Results) -> float:
    """Ask from which probability on a case counts as positive; one number for all pages."""
    chosen = st.slider(
        "Threshold theta",
        0.0,
        1.0,
        NEUTRAL,
        0.01,
        key="theta",
        bind="query-params",
        persist_state="session",
        width=300,
        help="Instances with a score of at least theta are predicted positive. If the scores are "
        "calibrated probabilities, this threshold minimises the expected cost where a false "
        "positive costs theta / (1 - theta) times a false negative.",
    )
    if "predicted" in results.predictions and chosen == NEUTRAL:
        st.caption("At 0.50 the other pages use the predicted labels of the file.")
    return chosen


def offer_theta(context: session.Context) -> None:
    """Ask for the threshold where there are scores to cut."""
    if not needs_scores(context.read):
        threshold_slider(context.read)


def current_threshold(results: Results) -> tuple[float | None, str]:
    """Return the threshold that the visitor moved away from one half, and the scale of scores."""
    asked = st.session_state.get(session.ASKED_THETA, NEUTRAL)  # until a slider was drawn
    value, scale = st.session_state.get("theta", asked), st.session_state.get("scale")
    scale = scale if scale in SCALES else next(iter(SCALES))
    if value == NEUTRAL and scale == next(iter(SCALES)) or needs_scores(results):
        return None, scale
    return float(value), scale


def threshold_goal() -> tuple[str, float] | tuple[()]:
    """Ask what the best threshold of each model is to grant; () for each usual wish."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = page_option("Wish", "wish", [USUAL_WISHES, *_WISHES], width=180)
        if chosen == USUAL_WISHES:
            return ()
        what, label, most = _WISHES[chosen]
        amount = st.number_input(
            label,
            0.01,
            most,
            USUAL[what],
            0.5 if what == "cost" else 0.05,
            key=f"wish_{what}",
            bind="query-params",
            persist_state="session",
            width=300 if what == "cost" else 140,
            help=WISHES[what],
        )
    return what, amount


def current_threshold_goal() -> tuple[str, float] | tuple[()]:
    """Return what was asked of thresholds on Curves."""
    what, *_ = _WISHES.get(st.session_state.get("wish", ""), ("",))
    return (what, float(st.session_state.get(f"wish_{what}", USUAL[what]))) if what else ()


def best_first(context: session.Context) -> tuple[str, ...]:
    """Return the algorithms that are kept, the best and the runner-up on top."""
    return group_evidence.best_first(kept_input(context), context.settings.measure)


def choose_pair(context: session.Context, places: list[str]) -> tuple[str, str, str]:
    """Ask for two algorithms, with a button that swaps them, and where to compare them."""
    names = best_first(context)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = page_option("First (best on top)", "a", names)
        st.markdown("against", width="content")
        second = page_option("Second", "b", names, begin=_other(first, names))
        st.button(
            "Swap", icon=":material/swap_horiz:", on_click=_swap, args=(first, second), key="swap"
        )
        place = page_option("On", "ds", places, width=220)
    return first, second, place


def _other(first: str, names: Sequence[str]) -> str:
    """Return the second algorithm of an address without one: it leaves out the first of the names."""
    return names[1] if first == names[0] else names[0]


def _swap(first: str, second: str) -> None:
    st.session_state["a"], st.session_state["b"] = second, first


def choose_dataset(context: session.Context, names: list[str], *, width: int = 260) -> str:
    """Ask for a data set, with buttons to the one before and after; it begins with a typical one."""
    key, begin = "ds", ""
    if st.session_state.get(key) not in names:
        results = kept_input(context)
        among = [name for name in names if name in results.datasets] or results.datasets
        begin = group_evidence.typical_dataset(results, context.settings.measure, among)
    with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
        chosen = page_option("Data set", key, names, width=width, begin=begin, help=TYPICAL)
        at = names.index(chosen)
        for step, icon, said in (
            (-1, ":material/chevron_left:", "Previous"),
            (1, ":material/chevron_right:", "Next"),
        ):
            st.button(
                said,
                icon=icon,
                help=f"{said} data set",
                key=f"walk{step}",
                disabled=not 0 <= at + step < len(names),
                on_click=_set,
                args=(key, names[min(max(at + step, 0), len(names) - 1)]),
            )
    return chosen


def _set(key: str, value: str) -> None:
    st.session_state[key] = value


def fold_test(
    results: Results, dataset: str, settings: Settings, *, label: str = "Test"
) -> Settings:
    """Ask which test of two algorithms decides; the recommended one comes first."""
    settings = choose_test_fraction(results, dataset, settings)
    tests = possible_tests(results, dataset, settings)
    chosen = page_option(f"{label} ({tests[0]} recommended)", "test", tests, width=240)
    return replace(settings, test=chosen)


def post_hoc(results: Results, dataset: str, settings: Settings) -> Settings:
    """Ask for the test of all pairs, the recommended one first, and how Tukey's treats overlap."""
    return choose_test_of_all_pairs(
        results, dataset, choose_test_fraction(results, dataset, settings)
    )


def choose_test_of_all_pairs(results: Results, dataset: str, settings: Settings) -> Settings:
    """Return `post_hoc` where the share that is tested was asked for."""
    tests = possible_post_hocs(results, dataset, settings)
    chosen = page_option(f"Test of all pairs ({tests[0]} recommended)", "posthoc", tests, width=240)
    settings = replace(settings, test=chosen)
    if chosen != TUKEY:
        return settings
    return degrees(results, dataset, choose_overlap(results, dataset, settings))


def choose_test_fraction(results: Results, dataset: str, settings: Settings) -> Settings:
    """Ask for the share that is tested where neither file nor design tells it."""
    if not share_is_unknown(results, dataset):
        return settings
    share = st.number_input(
        "Share of cases tested (0: not known)",
        0.0,
        0.99,
        0.0,
        0.05,
        key="fraction",
        width=240,
        help="Test cases divided by all cases: 0.1 for 10 folds, 0.33 for a third. Runs that share one "
        "test set have none: add a column design that says common test set.",
    )
    return replace(settings, test_fraction=share or None)


def several_measures(results: Results) -> bool:
    """Tell whether there are two measures to look at together."""
    return bool(presets_of(results)) or len(results.measures) > 1


def measures(results: Results) -> tuple[str, ...]:
    """Ask which measures count together: a preset or an own choice."""
    known = presets_of(results)
    chosen = page_option("Measures", "together", [*known, OWN], width=150)
    if chosen != OWN:
        return known[chosen]
    picked = st.multiselect(
        "Own choice", results.measures, default=results.measures[:2], key="own", max_selections=5
    )
    return tuple(picked) if len(picked) > 1 else results.measures[:2]


def choose_all_or_pair(context: session.Context) -> tuple[str, ...]:
    """Ask whether all algorithms are compared or two of them."""
    if len(kept_input(context).algorithms) < 3:
        return ()
    if page_option("Algorithms", "who", ("all", "two"), width=100) == "all":
        return ()
    names = best_first(context)
    first = page_option("First", "a", names, width=105)
    second = page_option("Second", "b", names, width=105, begin=_other(first, names))
    return (first, second) if first != second else ()


def datasets_with_folds(context: session.Context) -> list[str]:
    """Return the data sets that have results per fold."""
    return list(kept_input(context).with_folds)


def kept_input(context: session.Context) -> Results:
    """Return the results without what is left out."""
    return cached_calls.kept(selection_key(context), context.settings, context.results)


def selected_before_missing(context: session.Context) -> Results:
    """Return the same before the choice about missing cells."""
    key = key_without(context.raw_key, context.settings)
    return cached_calls.kept(key, context.settings, context.raw)


def with_curves(context: session.Context, data: DataCurves) -> list[str]:
    """Return the algorithms that have curves on a data set and are not left out."""
    return [name for name in data.names if name not in context.settings.without_algorithms]


def selection_key(context: session.Context) -> str:
    """Return what identifies the results without what is left out."""
    return key_without(context.key, context.settings)


def key_without(key: str, settings: Settings) -> str:
    """Return what identifies results without what the settings leave out."""
    out = ",".join(
        (*settings.without_algorithms, "/", *settings.without_datasets, "/", *settings.only)
    )
    return f"{key}/{out}"


def choose_overlap(results: Results, dataset: str, settings: Settings) -> Settings:
    """Ask for the treatment of overlapping training sets, where there is one."""
    if tested_share(results, dataset, settings) is None:
        return settings
    names = {label: key for key, label in OVERLAPS.items()}
    chosen = page_option("Overlap of training sets", "overlap", list(names), width=220)
    return replace(settings, overlap=names[chosen])


def degrees(results: Results, dataset: str, settings: Settings) -> Settings:
    """Ask for the degrees of freedom of tests that correct for overlap, where there is a choice."""
    fraction = corrected_share(results, dataset, settings)
    if max_df(settings, len(results.matrix(dataset, settings.measure)), fraction) is None:
        return settings
    names = {label: key for key, label in DFS.items()}
    chosen = page_option("Degrees of freedom", "df", list(names), width=220)
    return replace(settings, df=names[chosen])


def offer_pair(names: list[str], dataset: str) -> None:
    """Offer to open two algorithms on the page Pair."""
    if len(set(names)) == 2:
        st.page_link(
            "pages/pair.py",
            label=f"Open the pair: {components.escape(names[0])} against {components.escape(names[1])} on "
            f"{components.escape(dataset)}",
            icon=":material/arrow_forward:",
            query_params={"a": names[0], "b": names[1], "ds": dataset},
        )
