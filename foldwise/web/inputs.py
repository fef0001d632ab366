"""Widgets for settings of pages, and the sidebar."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from foldwise.web import browser, choices, components, session
from foldwise.web.cache import cached
from foldwise.web.settings_registry import (
    ALL_SETS,
    ASKED_THETA,
    COMPARE,
    EVERY_SET,
    LEVELS,
    LINKED,
    NEUTRAL,
    PRIOR,
    RECOMMENDED,
    SETTINGS,
    control,
    is_default,
    labels,
    linked,
    unbound_parameters,
)
from foldwise.web.texts import page_text
from stats_core.comparison.kinds import fold_comparisons, instances, measure_vectors
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, measure_name
from stats_core.curves import thresholds
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.thresholds import SCALES
from stats_core.curves.trained_models import USUAL
from stats_core.data.missing import HoleCount
from stats_core.data.predictions import TIME, case_table
from stats_core.data.published import DECISIONS, RANKS, WINS
from stats_core.data.results import Results
from stats_core.data.settings import (
    ASKED_SOURCES,
    DFS,
    OVERLAPS,
    SOURCES,
    TUKEY,
    Settings,
    Source,
    corrected_share,
    select,
    share_is_unknown,
    tested_share,
)
from stats_core.inference import inference_text
from stats_core.inference.fold_pairs import max_df, possible_tests
from stats_core.inference.multiplicity.adjust import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    corrections_for,
    fallback_message,
)
from stats_core.robustness import algorithm_standing

MANY = 8  # largest number of algorithms with a colour each
# setting -> pages that do not use it
WITHOUT = {
    "measure": {"Help"},
    "compare": {"Explore", "Trade-offs", "Help"},
    "correction": {"Trade-offs", "Help"},
    "region": {"Data", "Explore", "Trade-offs", "Plan", "Help"},
}
OWN = "custom"
USUAL_WISHES = "common targets"
# label of a goal for a threshold -> key
_WISHES = {
    "cost ratio": "cost",
    "recall": "recall",
    "precision": "precision",
    "share of alerts": "alerts",
}


def _non_default_settings(alpha: float) -> dict:
    """Return the URL parameters of this view: those without a widget, and settings that differ from their defaults."""
    values = {name: st.session_state.get(name) for name in LINKED}
    values["alpha"] = "" if alpha == 0.05 else f"{alpha:g}"
    choice = {name: value for name, value in values.items() if not is_default(name, value)}
    return {**unbound_parameters(), **choice}


def draw_tabs(views: Mapping[str, Callable[[], Any]], key: str, **options: Any) -> None:
    """Draw tabs and the content of the open tab, which the URL records."""
    tabs = st.tabs(list(views), key=key, on_change="rerun", bind="query-params", **options)
    for tab, draw in zip(tabs, views.values(), strict=True):
        if tab.open:
            with tab:
                draw()


def open_tab(key: str) -> str:
    """Return the label of the open tab."""
    return st.session_state.get(key) or st.query_params.get(key) or SETTINGS[key].default


def draw_sections(views: Mapping[str, Callable[[], Any]], key: str) -> None:
    """Draw the first view directly and the others in expanders, whose state the URL records."""
    first, *others = views
    views[first]()
    for label in others:
        name = f"{key}_{label.lower().replace(' ', '_')}"
        section = st.expander(label, key=name, on_change="rerun", bind="query-params")
        if section.open:
            with section:
                views[label]()


def page_option(
    label: str,
    key: str,
    options: Collection[str] | Mapping[str, Any],
    *,
    width: int = 180,
    begin: str = "",
    help: str | None = None,
    name_of: Callable[[str], str] = str,
) -> Any:
    """Draw a selectbox for a page setting that the URL records; return the chosen value.

    The preset is `begin`, or else the first option. With a mapping of labels, return the value of
    the chosen one. `name_of` returns the name under which an option is displayed.
    """
    if st.session_state.get(key) not in options:
        st.session_state.pop(key, None)
        from_address = st.query_params.get(key)
        if from_address in options:
            st.session_state[key] = from_address
        elif begin in options:
            st.session_state[key] = begin
            if begin != next(
                iter(options)
            ):  # the address holds it; a widget drawn before writes it
                with suppress(st.errors.StreamlitAPIException):
                    st.query_params[key] = begin
    shown = display_names(options, name_of)
    choice = st.selectbox(
        label,
        list(options),
        **linked(key),
        width=width,
        help=help,
        format_func=lambda name: shown.get(name, name),
    )
    return options[choice] if isinstance(options, Mapping) else choice


def display_names(
    names: Iterable[str], name_of: Callable[[str], str] = measure_name
) -> dict[str, str]:
    """Return the displayed name of each option; the name in the file if the displayed one is not unique.

    Examples
    --------
    >>> display_names(["auc", "test_error", "test error"])
    {'auc': 'AUC', 'test_error': 'test_error', 'test error': 'test error'}
    """
    counts = Counter(map(name_of, names))
    return {name: name_of(name) if counts[name_of(name)] == 1 else name for name in names}


def measures_name(preset: str) -> str:
    """Return the displayed name of several measures, such as "FPR, TPR" for "fpr, tpr"."""
    return ", ".join(map(measure_name, preset.split(", ")))


def labels_of(names: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mapping from names to keys, as options of a widget."""
    return {label: key for key, label in names.items()}


def threshold_slider(results: Results) -> float:
    """Draw the slider of the score threshold, which all pages share; return the threshold."""
    choice = st.slider(**linked("theta"))
    cases = results.predictions
    if cases is not None and "predicted" in cases and choice == NEUTRAL:
        st.caption(page_text("inputs.neutral"))
    return choice


def offer_theta(context: session.Context) -> None:
    """Draw the threshold slider if results have scores."""
    if not thresholds.needs_scores(context.read):
        threshold_slider(context.read)


def current_threshold(results: Results) -> tuple[float | None, str]:
    """Return threshold and scale of scores; the threshold is None without scores or if both have their defaults."""
    from_link = st.session_state.get(ASKED_THETA, NEUTRAL)  # before a slider has been drawn
    value, scale = st.session_state.get("theta", from_link), st.session_state.get("scale")
    scale = scale if scale in SCALES else next(iter(SCALES))
    if value == NEUTRAL and scale == next(iter(SCALES)) or thresholds.needs_scores(results):
        return None, scale
    return float(value), scale


def threshold_goal() -> tuple[str, float] | tuple[()]:
    """Draw widgets for the target of the best thresholds; return (target, value), or () for all default targets."""
    with components.row():
        choice = page_option("Target", "wish", [USUAL_WISHES, *_WISHES], width=180)
        if choice == USUAL_WISHES:
            return ()
        goal = _WISHES[choice]
        amount = st.number_input(
            **linked(f"wish_{goal}", value=USUAL[goal], help=inference_text(f"target.{goal}"))
        )
    return goal, amount


def current_threshold_goal() -> tuple[str, float] | tuple[()]:
    """Return (target, value) of the best thresholds as set on the page Explore, or () for all default targets."""
    goal = _WISHES.get(st.session_state.get("wish", ""), "")
    return (goal, float(st.session_state.get(f"wish_{goal}", USUAL[goal]))) if goal else ()


def best_first(context: session.Context) -> tuple[str, ...]:
    """Return the selected algorithms from best to worst average rank."""
    return algorithm_standing.best_first(selected_results(context), context.settings.measure)


def choose_pair(context: session.Context, places: list[str]) -> tuple[str, str, str]:
    """Draw widgets for two algorithms and for the data set, or all; return the three choices."""
    names = best_first(context)
    with st.container(key="pair", horizontal=True, vertical_alignment="bottom"):
        first, second = choose_two(names)
        st.button(
            "Swap",
            icon=":material/swap_horiz:",
            key="swap",
            on_click=st.session_state.update,
            args=({"a": second, "b": first},),
        )
        dataset = page_option("Data set", "ds", places, width=220) if len(places) > 1 else places[0]
    return first, second, dataset


def choose_two(names: Sequence[str], labels: Sequence[str] = (), **options: Any) -> tuple[str, str]:
    """Draw selectboxes for two distinct algorithms; return both names."""
    if not labels:
        noun = components.page_context().read.noun
        labels = (f"First {noun}", f"Second {noun}")
    first = page_option(labels[0], "a", names, **options)
    others = [name for name in names if name != first]
    return first, page_option(labels[1], "b", others, begin=others[0], **options)


def datasets_with_items(results: Results, measure: str) -> list[str]:
    """Return the data sets with one right or wrong answer per instance of three or more models, or in clusters."""
    measure = results.resolve_name(measure) if measure else results.measures[0]
    names = [name for name in results.datasets if instances.can_test_cases(results, name)]
    tables = {name: case_table(results, name, measure) for name in names}
    return [
        name
        for name, table in tables.items()
        if table is not None
        and table.has_one_answer
        and (len(table.names) > 2 or table.cluster is not None)
    ]


def choose_dataset(context: session.Context, names: list[str]) -> str:
    """Draw a data set selectbox with previous and next buttons, and the list for a narrow window; return the name."""
    key, begin = "ds", ""
    if len(names) == 1:
        return names[0]
    if st.session_state.get(key) not in names:
        results = selected_results(context)
        begin = _most_different_first(context, results, names)[0]
    with st.container(horizontal=True, vertical_alignment="bottom", width="content"):
        choice = page_option(
            "Data set", key, names, width=260, begin=begin, help=page_text("inputs.first_shown")
        )
        position = names.index(choice)
        for step, icon, label in (
            (-1, ":material/chevron_left:", "Previous"),
            (1, ":material/chevron_right:", "Next"),
        ):
            st.button(
                label,
                icon=icon,
                help=f"{label} data set",
                key=f"walk{step}",
                disabled=not 0 <= position + step < len(names),
                on_click=st.session_state.update,
                args=({key: names[min(max(position + step, 0), len(names) - 1)]},),
            )
        every = partial(
            list_datasets, context, names, "dataset_popover"
        )  # hidden where the list is in sight
        components.in_popover("All data sets", "all_datasets", every, icon=":material/list:")
    return choice


def list_datasets(context: session.Context, names: list[str], key: str) -> None:
    """Draw a clickable list of the data sets, by decreasing difference of the algorithms."""
    results, measure = selected_results(context), context.settings.measure
    ordered = tuple(_most_different_first(context, results, names))
    cache_key = (selection_key(context), measure, ordered)
    st.dataframe(
        cached(cache_key, algorithm_standing.advantages_by_dataset, results, measure, ordered),
        hide_index=True,
        column_config={
            "data set": st.column_config.TextColumn(width=90),
            "advantages": st.column_config.BarChartColumn(
                "advantage", width=100, help=page_text("inputs.over_worst"), y_min=0
            ),
        },
        on_select=lambda: _open_listed(key, ordered),
        selection_mode="single-cell",
        key=key,
        height=min(420, 40 + 35 * len(ordered)),
    )


def _open_listed(key: str, listed: Sequence[str]) -> None:
    """Open the data set of the clicked cell."""
    cells = st.session_state[key]["selection"]["cells"]
    if cells:
        st.session_state["ds"] = listed[cells[0][0]]
        st.session_state["all_datasets"] = False


def _most_different_first(
    context: session.Context, results: Results, names: Sequence[str]
) -> list[str]:
    """Return those of `names` that are selected, or else all data sets, by decreasing difference of the algorithms."""
    among = tuple(name for name in names if name in results.datasets) or results.datasets
    key = (selection_key(context), context.settings.measure, among)
    return cached(
        key, algorithm_standing.datasets_by_difference, results, context.settings.measure, among
    )


def fold_test(
    results: Results, dataset: str, settings: Settings, *, label: str = "Test"
) -> Settings:
    """Draw a selectbox for the pairwise test on folds; return the settings with it."""
    settings = choose_test_fraction(results, dataset, settings)
    tests = possible_tests(results, dataset, settings)
    choice = page_option(
        label, "test", tests, width=240, help=page_text("inputs.recommended", test=tests[0])
    )
    return replace(settings, test=choice)


def post_hoc(results: Results, dataset: str, settings: Settings) -> Settings:
    """Draw widgets for the test of all pairs on folds; return the settings with it."""
    return choose_test_of_all_pairs(
        results, dataset, choose_test_fraction(results, dataset, settings)
    )


def choose_test_of_all_pairs(results: Results, dataset: str, settings: Settings) -> Settings:
    """Draw widgets for the test of all pairs, given the test fraction; return the settings."""
    tests = fold_comparisons.possible_post_hocs(results, dataset, settings)
    why = page_text("inputs.recommended", test=tests[0])
    choice = page_option("Pairwise test", "posthoc", tests, width=240, help=why)
    settings = replace(settings, test=choice)
    if choice != TUKEY:
        return settings
    return degrees(results, dataset, choose_overlap(results, dataset, settings))


def choose_test_fraction(results: Results, dataset: str, settings: Settings) -> Settings:
    """Draw an input for the test fraction if it is unknown; return the settings with it."""
    if not share_is_unknown(results, dataset):
        return settings
    share = st.number_input(**control("fraction"))
    return replace(settings, test_fraction=share or None)


def several_measures(results: Results) -> bool:
    """Return whether the results have measures that can be compared together."""
    return bool(measure_vectors.presets_of(results)) or len(results.measures) > 1


def measures(results: Results) -> tuple[str, ...]:
    """Draw widgets for the measures compared together; return their names."""
    presets = measure_vectors.presets_of(results)
    choice = page_option("Measures", "together", [*presets, OWN], width=150, name_of=measures_name)
    if choice != OWN:
        return presets[choice]
    default = measure_vectors.distinct_measures(results)
    names = display_names(results.measures)
    picked = st.multiselect(
        "Custom measures",
        results.measures,
        key="own",
        max_selections=5,
        default=default,
        format_func=lambda name: names.get(name, name),
    )
    return tuple(picked) if len(picked) > 1 else default


def choose_all_or_pair(context: session.Context) -> tuple[str, ...]:
    """Draw a choice between all algorithms and two; return the pair, or () for all."""
    if len(selected_results(context).algorithms) < 3:
        return ()
    if page_option("Algorithms", "who", ("all", "two"), width=100) == "all":
        return ()
    return choose_two(best_first(context), ("First", "Second"), width=105)


def datasets_with_folds(context: session.Context) -> list[str]:
    """Return the names of the data sets with results per fold."""
    return list(selected_results(context).with_folds)


def selected_results(context: session.Context) -> Results:
    """Return the results without excluded algorithms and data sets; cached."""
    return cached(selection_key(context), select, context.results, context.settings)


def selected_before_missing(context: session.Context) -> Results:
    """Return the selected results before the treatment of missing results."""
    key = key_without(context.raw_key, context.settings)
    return cached(key, select, context.raw, context.settings)


def with_curves(context: session.Context, data: DataCurves) -> list[str]:
    """Return the selected algorithms that have scores on a data set."""
    return [name for name in data.names if name not in context.settings.without_algorithms]


def selection_key(context: session.Context) -> str:
    """Return the cache key of `selected_results`."""
    return key_without(context.key, context.settings)


def key_without(key: str, settings: Settings) -> str:
    """Return a cache key that includes the exclusions in the settings."""
    out = ",".join(
        (*settings.without_algorithms, "/", *settings.without_datasets, "/", *settings.only)
    )
    return f"{key}/{out}"


def choose_overlap(results: Results, dataset: str, settings: Settings) -> Settings:
    """Draw a selectbox for the correction of overlap, if training sets overlap; return the settings."""
    if tested_share(results, dataset, settings) is None:
        return settings
    choice = page_option("Training-set overlap", "overlap", labels_of(OVERLAPS), width=220)
    return replace(settings, overlap=choice)


def degrees(results: Results, dataset: str, settings: Settings) -> Settings:
    """Draw a selectbox for degrees of freedom, if the test corrects for overlap; return the settings."""
    fraction = corrected_share(results, dataset, settings)
    if max_df(settings, len(results.matrix(dataset, settings.measure)), fraction) is None:
        return settings
    choice = page_option("Degrees of freedom", "df", labels_of(DFS), width=220)
    return replace(settings, df=choice)


def offer_pair(names: list[str], dataset: str) -> None:
    """Draw a link to the page Compare for two algorithms; nothing unless they differ."""
    if len(set(names)) == 2:
        label = components.escape(f"Compare {names[0]} and {names[1]} on {dataset}")
        components.link("compare", label, a=names[0], b=names[1], ds=dataset)


def typed_order(results: Results, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the user's order of algorithms, followed by the others in natural order.

    With `names`, the others follow in that order instead.
    """
    typed = [name for name in st.session_state.get(PRIOR, ()) if name in results.algorithms]
    candidates = [name for name in names or results.algorithms if name in results.algorithms]
    return (*typed, *(name for name in candidates if name not in typed))


def sidebar(results: Results, slot: DeltaGenerator, title: str) -> dict[str, Any]:
    """Draw the settings that a page uses; return the fields of its context."""
    published = results.published
    what, used = published.what if published else "", _used(results, title)
    control, correction, margin, horizon = "", "", None, 1
    with slot:
        _data_line(results)
    with st.sidebar:
        measure = results.measures[0] if published else _measure(results, shown="measure" in used)
        algorithms = st.container()
        tests = st.empty()
        here = " ".join(
            [title, *(str(st.session_state.get(key)) for key in ("look", "ltab", "power_of", "ds"))]
        )
        page, line = st.session_state.get(session.STATISTICS, ("", ""))
        with browser.labelled_box(tests, components.escape(line or "Statistics"), "statistics"):
            alpha = 0.05 if what == DECISIONS else _alpha()
            if "compare" in used:
                control = _control(results)
            if "correction" in used:
                correction = _correction(control, "sign" if what == WINS else _test_of_pairs(title))
            if "region" in used:
                margin = _margin(measure)
            if results.predictions is not None and TIME in results.predictions:
                horizon = int(st.number_input(**linked("horizon")))
            source = st.container()
        selected, highlight = _selection(results)
        settings = Settings(
            measure=measure,
            alpha=alpha,
            correction=correction,
            control=control,
            margin=margin,
            horizon=horizon,
            prior=_prior_of_decisions(results),
            **selected,
        )
        _unselect(settings)
        if len(results.algorithms) > MANY:  # the others have no colour
            highlight = tuple(dict.fromkeys((*highlight, *session.highlighted())))[:MANY]
        with algorithms:  # last, since the widgets above read their values from the address
            _algorithms(results, settings, highlight, can_leave_out=what != RANKS)
        compared = _compared(settings, results)
        if page != here or not line.startswith(compared):  # until the page names its tests
            name_used(tests, here, compared)
        _foot(alpha)
    return {
        "settings": settings,
        "highlight": highlight,
        "tests": tests,
        "source": source,
        "here": here,
    }


def _selection(results: Results) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Draw the selection of results; return its settings by field, and the highlighted algorithms."""
    what = results.published.what if results.published else ""
    selected: dict[str, Any] = {}
    is_empty = what == RANKS and len(results.algorithms) <= MANY
    box = nullcontext() if is_empty else st.expander("Selection of results", key="selected_results")
    with box:
        if what != RANKS:
            selected["without_algorithms"] = _left_out("algorithms", "out", results.algorithms)
        if results.published is None:
            selected["without_datasets"] = _left_out("data sets", "outset", results.datasets)
            selected["only"] = _only(results)
        return selected, _highlight(results)


def _prior_of_decisions(results: Results) -> tuple[str, ...]:
    """Return the user's order of algorithms for published decisions; () for other results."""
    published = results.published
    if published is None or published.what != DECISIONS or not st.session_state.get(PRIOR):
        return ()
    return typed_order(results, published.names)


# label of each button in the list of algorithms
_LIST_WORDS = {
    "select": "Select {}",
    "star": "Use {} as the control",
    "rename": "Rename {}",
    "eye": "Leave out {}",
}


def _unselect(settings: Settings) -> None:
    """Clear the selection if an algorithm or data set of it is left out."""
    is_dataset, ids = (
        session.selection().get("kind") == "data set",
        set(session.selection().get("ids", ())),
    )
    left_out = (
        ids & set(settings.without_datasets)
        if is_dataset
        else ids & set(settings.without_algorithms)
    )
    if left_out:
        session.clear_selection()


def _algorithms(
    results: Results, settings: Settings, highlight: tuple[str, ...], *, can_leave_out: bool
) -> None:
    """Draw the list of algorithms in the sidebar."""
    palette, selected = components.palette(results.algorithms, highlight), session.highlighted()
    items = [
        {
            "name": name,
            "color": palette[name],
            "out": name in settings.without_algorithms,
            "control": name == settings.control,
            "selected": name in selected,
        }
        for name in results.algorithms
    ]
    starred = (
        len(results.algorithms) > 2 and len(results.datasets) > 1 and results.published is None
    )
    browser.algorithm_list(
        items, _LIST_WORDS, starred=starred, can_leave_out=can_leave_out, act=_act_on_algorithm
    )


def _act_on_algorithm(action: str, name: str, value: str) -> None:
    """Apply an action of the algorithm list: select, rename, exclude, or make it the control."""
    if action == "select":
        session.select("algorithm", [name])
    elif action == "rename":
        choices.rename_algorithm(name, value)
    elif action == "eye":
        out = list(st.session_state.get("out") or ())
        st.session_state["out"] = (
            [other for other in out if other != name] if name in out else [*out, name]
        )
    elif st.session_state.get("compare") == COMPARE[1] and st.session_state.get("control") == name:
        st.session_state["compare"] = COMPARE[0]
    else:
        if (
            st.session_state.get("compare") != COMPARE[1]
        ):  # a widget that is drawn anew does not write its value
            st.query_params["control"] = name
        st.session_state.update(compare=COMPARE[1], control=name)


def _compared(settings: Settings, results: Results) -> str:
    """Return the beginning of the line of statistics: level and comparisons."""
    n_algorithms = len(set(results.algorithms) - set(settings.without_algorithms))
    pairs = "all pairs" if n_algorithms > 2 else "one pair"
    compared = f"against {settings.control}" if settings.control else pairs
    return f"\u03b1 = {settings.alpha:g} \u00b7 {compared}"


def name_used(slot: DeltaGenerator, here: str, line: str) -> None:
    """Set the label of the box of statistics in the sidebar, which keeps its content."""
    st.session_state[session.STATISTICS] = here, line
    browser.labelled_box(slot, components.escape(line), "statistics")


def name_methods(context: session.Context, *methods: str) -> None:
    """Name in the sidebar the methods that the page uses."""
    if context.tests is not None:
        begin = _compared(context.settings, context.results)
        name_used(
            context.tests, context.here, " \u00b7 ".join([begin, ", ".join(filter(None, methods))])
        )


def name_tests(context: session.Context, comparison: Comparison) -> None:
    """Name in the sidebar the test and the correction used.

    If Shaffer's correction replaces the requested one, the reason is added.
    """
    if context.source is None:
        return
    settings = comparison.settings
    lines = [f"{_compared(settings, comparison.results)} \u00b7 {comparison.test_name}"]
    used = getattr(comparison, "correction", settings.correction)
    if (
        used == "shaffer"
        and (requested := context.settings.correction or next(iter(CORRECTIONS))) != used
    ):
        source = "" if settings.dataset else settings.source
        lines.append(
            str(fallback_message(requested, len(comparison.order), source=source, used=used))
        )
    test = getattr(comparison, "test", "") or (
        "" if settings.dataset else SOURCES.get(settings.source, "")
    )
    names = (
        [test, (CORRECTIONS | CONTROL_CORRECTIONS).get(used, "")]
        if test
        else [comparison.test_name]
    )
    name_methods(replace(context, settings=settings), *names)
    context.source.caption("  \n".join(map(components.escape, lines)))


def _used(results: Results, title: str) -> set[str]:
    """Return the settings that a page uses."""
    if results.published is not None:
        return set() if results.published.what == DECISIONS else {"correction"}
    used = {name for name, unused in WITHOUT.items() if title not in unused}
    left = set(results.algorithms) - set(st.session_state.get("out", []))
    tukey = title == "Explore" and st.session_state.get("posthoc") == TUKEY
    return used - {"correction"} if len(left) == 2 or tukey else used


def _foot(alpha: float) -> None:
    """Draw the end of the sidebar: link to this view, undo, help."""
    with st.container(horizontal=True, vertical_alignment="center"):
        _copy_link(alpha)
        st.button(**control("undo"), on_click=choices.undo, disabled=not choices.can_undo())
    st.page_link("pages/help.py", label="Help and glossary", icon=":material/help:")


def _copy_link(alpha: float) -> None:
    """Draw a popover with the URL of this view, without settings at their defaults."""

    def draw() -> None:
        named = _non_default_settings(alpha)
        if named.pop("w", "") and (workspace := choices.workspace()):  # a shared link is read-only
            named["v"] = workspace.view
        texts = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in named.items()
        }
        query = urlencode(texts, doseq=True)
        st.code(f"{st.context.url}?{query}" if query else st.context.url, language=None)

    components.in_popover("Copy link", "copy_link", draw, icon=":material/link:")


def _left_out(noun: str, key: str, names: Sequence[str]) -> tuple[str, ...]:
    """Draw a multiselect for algorithms or data sets to exclude; return their names."""
    if set(st.session_state.get(key) or ()) - set(
        names
    ):  # names of other results, after an upload or an undo
        st.session_state[key] = [name for name in st.session_state[key] if name in names]
    return tuple(
        st.multiselect(
            f"Leave out {noun}", names, **linked(key, in_session=False), placeholder="none"
        )
    )


def say_missing(slot: DeltaGenerator, missing: HoleCount, choice: str) -> None:
    """Draw a badge with the number of missing results and their treatment; nothing if none is missing."""
    if missing:
        slot.badge(
            f"{format_count(missing.runs, 'result')} missing{labels('missing').get(choice, '')}",
            color="orange",
        )


def _data_line(results: Results) -> None:
    """Draw source, size and design of the results, with a link to the page Data."""
    fields = [
        *([results.size_label] if results.size_label else []),
        format_count(len(results.algorithms), results.noun),
        results.design_label,
    ]
    line = " / ".join(fields).replace("-", "\N{NON-BREAKING HYPHEN}")
    st.text(f"{results.source}\n{line}")
    st.page_link("pages/data.py", label="Change", icon=":material/edit:")


def _measure(results: Results, *, shown: bool) -> str:
    """Draw the selectbox for the measure; return its name."""
    names = display_names(results.measures)
    _forget_others("measure", names)
    if not shown:
        return st.session_state["measure"]
    direction = results.direction(st.session_state["measure"])
    label = f"Measure ({direction} is better)"
    return st.selectbox(
        label, results.measures, **linked("measure"), format_func=lambda name: names.get(name, name)
    )


def _forget_others(key: str, options: Mapping[str, str]) -> None:
    """Reset a choice that is not an option for the open results, given the displayed name of each option.

    Deleting the key is not enough: the browser would keep showing the previous value.
    """
    if st.session_state.get(key) not in options:
        from_address = st.query_params.get(key)
        named = (option for option, shown in options.items() if from_address in (option, shown))
        st.session_state[key] = next(named, next(iter(options)))


def _alpha() -> float:
    level = st.segmented_control(
        "Significance level",
        LEVELS,
        default="0.05",
        **linked("alpha", in_session=False),
        required=True,
    )
    if level != "other":
        return float(level or "0.05")
    typed = st.number_input(**linked("level", in_session=False))
    return min(max(float(typed), 0.0001), 0.5)


def _control(results: Results) -> str:
    """Draw the selectbox for the control; return its name, "" for all pairs."""
    if not _can_have_control(results):
        return ""
    compare = st.segmented_control(
        "Comparisons", COMPARE, default=COMPARE[0], **linked("compare"), required=True
    )
    if compare != COMPARE[1]:
        return ""
    names = [n for n in results.algorithms if n not in st.session_state.get("out", [])]
    if names:
        _forget_others("control", display_names(names, str))
    control = st.selectbox("Control", names, **linked("control"))
    return control or ""


def _can_have_control(results: Results) -> bool:
    """Return whether all other algorithms can be compared with one of them."""
    over_units = len(results.datasets) > 1 or results.is_one_test_set
    return len(results.algorithms) > 2 and over_units


def _choice(key: str) -> Any:
    """Return the option of a widget that this page may not draw; "" if there is none."""
    return st.session_state.get(key) or st.query_params.get(key, "")


def _test_of_pairs(title: str) -> str:
    """Return the pairwise test chosen for a page; "" if there is none."""
    over_datasets = st.session_state.get("ds", ALL_SETS) == ALL_SETS
    keys = {
        "Results": "source",
        "Explore": "posthoc",
        "Compare": "source" if over_datasets else "posthoc",
        "Export": "source" if st.session_state.get("eset", ALL_SETS) == ALL_SETS else "",
        "Plan": "source",
    }
    return _choice(keys[title]) if keys.get(title) else ""


def _corrections(control: str, test: str) -> tuple[str, Mapping[str, str]]:
    """Return the session key of the correction, and the corrections that pairwise tests allow."""
    if control:
        return "control_correction", CONTROL_CORRECTIONS
    if next(iter(CORRECTIONS)) not in corrections_for(test):
        return "sign_correction", corrections_for(test)
    return "correction", CORRECTIONS


def _correction(control: str, test: str) -> str:
    """Draw the selectbox for the correction; return its key, "" for the recommended one.

    The recommended one depends on the pairwise tests, see `name_tests`.
    """
    key, corrections = _corrections(control, test)
    why = page_text("inputs.error_rates")
    if key == "sign_correction":
        why = f"{why} {fallback_message(next(iter(CORRECTIONS)), 0, source=test)}"
    names = {RECOMMENDED: "", **choices.correction_labels(corrections)}
    choice = st.selectbox("Correction", list(names), **linked(key), help=why)
    return names[choice]


def _margin(measure: str) -> float | None:
    """Draw an input for the equivalence margin; return it, None if empty."""
    return st.number_input(
        **linked("region", label=f"Equivalence margin ({measure_name(measure)})", value=None)
    )


def _only(results: Results) -> tuple[str, ...]:
    """Draw a selectbox for the groups of data sets, if there are any; return (tag, value), () for all."""
    groups = choices.groups_to_choose(results)
    if len(groups) < 2:
        st.session_state.pop("only", None)
        return ()
    _forget_others("only", display_names(groups, str))
    choice = st.selectbox("Data set group", list(groups), **linked("only", in_session=False))
    return groups[choice or EVERY_SET]


def _highlight(results: Results) -> tuple[str, ...]:
    if len(results.algorithms) <= MANY:
        return ()
    if set(st.session_state.get("hi") or ()) - set(results.algorithms):
        st.session_state["hi"] = []
    return tuple(
        st.multiselect(
            "Highlight",
            results.algorithms,
            **linked("hi", in_session=False),
            max_selections=MANY,
            placeholder=f"up to {MANY}",
        )
    )


def choose_pairwise_test(settings: Settings) -> Settings:
    """Draw a selectbox for the pairwise test over data sets; return the settings with it and a valid correction."""
    options = labels_of(ASKED_SOURCES)
    source = page_option("Pairwise test", "source", options, width=160)
    return _allowed_settings(replace(settings, source=source))


def settings_over_datasets(context: session.Context) -> Settings:
    """Draw the selectbox for the pairwise test in the sidebar, if it applies; return the settings with the test."""
    if context.source is None or not _offers_pairwise_tests(context):
        return context.settings
    with context.source:
        return choose_pairwise_test(context.settings)


def _offers_pairwise_tests(context: session.Context) -> bool:
    """Return whether pairs over data sets can be compared by one of several tests."""
    selected = selected_results(context)
    decided = selected.published is None and not context.undecided
    return decided and len(selected.algorithms) > 2 and len(selected.datasets) > 1


def pairwise_test_of_results(context: session.Context) -> Source | Literal[""]:
    """Return the key of the pairwise test chosen in the sidebar of other pages; "" for the recommended one."""
    if not _offers_pairwise_tests(context):
        return ""
    sources: dict[str, Source | Literal[""]] = labels_of(ASKED_SOURCES)
    return sources.get(_choice("source"), "")


def settings_of_results(context: session.Context) -> Settings:
    """Return the settings of the page Results, on a page that draws no widgets for its tests."""
    selected, source = selected_results(context), pairwise_test_of_results(context)
    against = _choice("compare") == COMPARE[1] and _can_have_control(context.results)
    control = _choice("control") if against else ""
    key, corrections = _corrections(control, source)
    correction = choices.correction_labels(corrections).get(_choice(key), "")
    settings = replace(
        context.settings,
        source=source,
        control=control if control in selected.algorithms else "",
        correction=correction if len(selected.algorithms) > 2 else "",
    )
    return settings if _allows_correction(settings) else replace(settings, correction="holm")


def level_slider(levels: Sequence[float], alpha: float) -> None:
    """Draw a slider of usual significance levels and of levels at which groups split."""
    options = sorted({*(float(level) for level in LEVELS[:-1]), *levels, alpha})
    st.session_state["level_slider"] = alpha
    st.select_slider(
        "Significance level α",
        options,
        key="level_slider",
        format_func="{:g}".format,
        on_change=_take_level,
    )


def _take_level() -> None:
    """Apply the slider's level to all pages."""
    level = st.session_state["level_slider"]
    labels_of_levels = {float(label): label for label in LEVELS[:-1]}
    if level not in labels_of_levels:
        st.session_state["level"] = level
        if (
            st.session_state.get("alpha") != LEVELS[-1]
        ):  # a widget that is drawn anew does not write its value
            st.query_params["level"] = f"{level:g}"
    st.session_state["alpha"] = labels_of_levels.get(level, LEVELS[-1])


def _allowed_settings(settings: Settings) -> Settings:
    """Return the settings; if their correction is not valid for the pairwise test, with Holm's, and draw a note."""
    if _allows_correction(settings):
        return settings
    st.caption(str(fallback_message(settings.correction, 0, source=settings.source)))
    return replace(settings, correction="holm")


def _allows_correction(settings: Settings) -> bool:
    """Return whether the correction is valid for p-values of the pairwise test."""
    correction = settings.correction
    return bool(settings.control) or correction in ("", *corrections_for(settings.source))
