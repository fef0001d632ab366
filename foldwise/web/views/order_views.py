"""Views of the page Trade-offs: costs, user-defined order, tests; graph, steps, data sets."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from foldwise.figures import cd_diagram, order_paths, ordering_graph, rank_map
from foldwise.figures.cost_plane import cost_plane_of
from foldwise.web import cache, components, inputs, session
from foldwise.web.cache import cached
from foldwise.web.settings_registry import ELSEWHERE, PRIOR, linked
from foldwise.web.texts import page_text
from stats_core.comparison import conclusion_scope
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import join_names, measure_name
from stats_core.data.costs import COST_SCALES, cost_columns, cost_name
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.fold_pairs import possible_tests
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FAMILY_WISE
from stats_core.ordering import one_sided_evidence, order_sensitivity
from stats_core.ordering.one_sided_evidence import FAMILIES, TWO_SIDED_FAMILIES, OneSidedEvidence
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.ordering.order_sensitivity import Found, OrderPaths
from stats_core.report import order_text
from stats_core.report.tables import order_tables


def order_by_cost_tab(context: session.Context, order: Order, evidence: Found) -> None:
    """Draw the orders by other costs and levels, and on demand by weights and scales of costs."""
    costs = order.results.costs
    if len(costs) > 1:
        marked = order.rules.cost if order.rules.cost in costs else None
        _paths(
            context, order, evidence, "cost", costs, page_text("order_views.by_cost"), marked=marked
        )
    level = page_text("order_views.by_level", alpha=order.settings.alpha)
    _paths(context, order, evidence, "alpha", (), level, marked=order.settings.alpha, log=True)
    if len(costs) > 1:
        components.in_expander(
            "Weights of two costs", "cost_weights", partial(_weighted, context, order, evidence)
        )
    if order.second is not None and not order.rules.prior:
        components.in_expander(
            "Scales of the cost", "cost_scales", partial(_scales, context, order, evidence)
        )


def _weighted(context: session.Context, order: Order, evidence: Found) -> None:
    """Draw the orders by weights of two costs."""
    costs = order.results.costs
    with components.row():
        first = inputs.page_option("First cost", "wfirst", costs, width=180, name_of=cost_name)
        other_costs = [name for name in costs if name != first]
        second = inputs.page_option(
            "Second cost", "wsecond", other_costs, width=180, name_of=cost_name
        )
    title = page_text("order_views.by_weight", first=first, second=second)
    _paths(context, order, evidence, "weight", (first, second), title)


def cost_plane(context: session.Context, order: Order) -> None:
    """Draw performance against cost, or nothing if that is not possible."""
    results = order.results
    dataset = results.datasets[0] if len(results.datasets) == 1 else ""
    with suppress(FoldwiseError):
        settings = replace(inputs.settings_of_results(context), control="", dataset=dataset)
        components.show_figure(
            cost_plane_of(cache.analysis(context.key, settings, context.results), order)
        )


def _paths(
    context: session.Context,
    order: Order,
    evidence: Found,
    varied: str,
    costs: tuple[str, ...],
    title: str,
    *,
    marked: str | float | None = None,
    log: bool = False,
) -> None:
    """Draw the orders over a varied setting, and the reasons why some values have none."""
    with components.refusing():
        paths = _order_paths(inputs.selection_key(context), order, evidence, varied, costs)
        for why, values in _by_reason(paths.refused).items():
            several = f" to {values[-1]}" if len(values) > 1 else ""
            components.caption(f"{varied} {values[0]}{several}: {why}")
        hues = components.palette(context.results.algorithms, context.highlight)
        drawing = order_paths.paths_of_order(
            order, paths, name=f"paths_{varied}", title=title, colours=hues, marked=marked, log=log
        )
        components.show_figure(drawing)


def _by_reason(refused: dict[Any, str]) -> dict[str, list]:
    """Return values without an order, grouped by the reason."""
    reasons: dict[str, list] = {}
    for value, why in refused.items():
        reasons.setdefault(why, []).append(value)
    return reasons


def _order_paths(
    key: str, order: Order, evidence: Found, varied: str, costs: tuple[str, ...] = ()
) -> OrderPaths:
    """Return the orders over varying levels, costs, weights or scales; cached."""
    functions: dict[str, Callable[..., OrderPaths]] = {
        "alpha": order_sensitivity.order_by_levels,
        "scale": order_sensitivity.order_by_scale,
        "weight": order_sensitivity.order_by_weight,
        "cost": order_sensitivity.order_by_cost,
    }
    settings = order.settings if varied != "alpha" else replace(order.settings, alpha=0.05)
    tested = _tested(order.settings, order.rules, order.results)
    shared = cached((key, *tested), partial(order_sensitivity.shared_order_parts, order, evidence))
    call = partial(
        functions[varied],
        order,
        evidence,
        *([costs] if varied in ("cost", "weight") else []),
        shared=shared,
    )
    query = (settings, order.rules, order.results.datasets, varied, costs)
    paths = cache.cached_repeats((key, *query), call, doing="Ordering again ...")
    return order_sensitivity.with_own_level(paths, order) if varied == "alpha" else paths


def order_evidence(
    key: str, settings: Settings, rules: OrderRules, results: Results
) -> tuple[dict[str, OneSidedEvidence], dict[str, str]]:
    """Return the one-sided tests on every data set; cached for all settings they do not depend on."""
    call = partial(
        one_sided_evidence.evidence_over,
        results,
        settings,
        theta=rules.theta,
        undivided=rules.undivided,
    )
    return cached((key, *_tested(settings, rules, results)), call, doing="Testing data sets ...")


def _tested(settings: Settings, rules: OrderRules, results: Results) -> tuple:
    """Return the data sets and the settings on which the one-sided tests depend."""
    test_settings = (settings.measure, settings.test, settings.test_fraction, settings.overlap)
    return results.datasets, test_settings, rules.theta, rules.undivided


def cached_order(key: str, settings: Settings, rules: OrderRules, results: Results) -> Order:
    """Return the order, reusing cached tests."""
    evidence = order_evidence(key, settings, rules, results)
    call = partial(order_of, results, settings, rules, found=evidence)
    return cached((key, settings, rules, results.datasets), call)


def _scales(context: session.Context, order: Order, evidence: Found) -> None:
    """Draw the order by each way of scaling costs."""
    paths = _order_paths(inputs.selection_key(context), order, evidence, "scale")
    components.show_table(order_tables.cost_scale_table(paths))
    for value, why in paths.refused.items():
        components.caption(f"{COST_SCALES.get(value, value)}: {why}")


def order_on_test_part(context: session.Context, order: Order) -> None:
    """Draw the order by another measure, such as the error on a test set, or why there is none."""
    results = order.results
    other_measures = [name for name in results.measures if name != order.settings.measure]
    if order.rules.theta is not None:
        components.show_refusal(
            page_text("order_views.two_measures"), page_text("order_views.by_risk_now")
        )
        return
    if not other_measures:
        components.show_refusal(
            page_text("order_views.second_measure"),
            page_text(
                "order_views.one_measure",
                source=results.source,
                measure=measure_name(order.settings.measure),
            ),
            sample=session.first_sample(),
        )
        return
    other_measures.sort(key=lambda name: "test" not in name.lower())
    other_measure = inputs.page_option(
        "Second measure", "other_measure", other_measures, width=220, name_of=measure_name
    )
    settings = replace(order.settings, measure=other_measure)
    with components.refusing(page_text("order_views.not_comparable")):
        key = inputs.selection_key(context)
        second = cached_order(key, settings, order.rules, results)
        query = (order.settings, settings, order.rules, results.datasets)
        changes = cached((key, *query), partial(order_sensitivity.order_changes, order, second))
        components.paragraph(order_text.describe_order_changes(changes), bold=True)
        hues = components.palette(context.results.algorithms, context.highlight)
        components.show_figure(order_paths.changes_of_order(order, changes, colours=hues))
        several = len(changes.places.columns) > 1
        values = {"spearman": changes.correlation, "kendall": changes.kendall, "several": several}
        if changes.kendall < 1:
            st.caption(page_text("order_views.correlation", **values))
        if len(changes.table) > 1:
            components.show_table(order_tables.order_changes_table(changes))


MOST_IN_MATRIX = 60


def order_parts_tab(order: Order) -> None:
    """Draw ranks, groups and the matrix of significant pairs of an order."""
    bars = cd_diagram.cd_diagram_of_order(order)
    if bars is not None:
        components.show_figure(bars)
        if order.second is not None and not order.second.rejected:
            st.caption(page_text("order_views.not_rejected"))
    else:
        braces = join_names(["{" + ", ".join(group) + "}" for group in order.groups], 12)
        st.markdown(f"**Groups (two-sided tests).** {components.escape(braces)}")
    best = components.escape(order.best_by_groups.text)
    st.markdown(page_text("order_views.best_by_groups", text=best))
    _matrix(order)
    components.show_table(order_tables.prior_order_table(order))
    components.show_figure(rank_map.rank_map_of_order(order, dark=components.is_dark()))


def _matrix(order: Order) -> None:
    """Draw the matrix of significant pairs, as 0 and 1 or as p-values; nothing without tests of pairs."""
    if order.adjusted is None:
        return
    if len(order.ordering.prior) > MOST_IN_MATRIX:
        st.caption(page_text("order_views.large_matrix", most=MOST_IN_MATRIX))
        return
    as_p = st.toggle("Show p-values", key="order_matrix_p")
    components.show_table(order_tables.edge_matrix_table(order, as_p=as_p))


MOST_UNASKED = 20_000  # largest number of pairwise tests on data sets run without a request
STEP = "_order_step"  # session key: (order, step of the sort shown)


def no_order_yet(results: Results) -> None:
    """Draw a note on what an order requires."""
    with st.container(border=True):
        st.markdown(page_text("order_views.prior_order", costs=bool(results.costs)))
        st.text(page_text("order_views.prior_how", costs=bool(results.costs)))


def _methods(order: Order) -> Iterator[str]:
    """Yield the tests on data sets and those of average ranks, each with its correction."""
    names = dict.fromkeys(on_dataset.evidence.name for on_dataset in order.each.values())
    if names:
        yield ", ".join([*names, CORRECTIONS[order.rules.family]])
    if order.second is not None:
        yield f"average ranks, {CORRECTIONS[order.rules.post_hoc]}"


def verdict(context: session.Context, order: Order) -> None:
    """Draw the verdict on the order."""
    pairwise = _pairwise_comparison(context, order)
    inputs.name_methods(context, " \u00b7 ".join(_methods(order)))
    components.verdict_card(
        order_text.order_verdict(order, pairwise), order_text.order_advice(order), brief=True
    )
    if tests := _tests_of_results(context):
        components.caption(page_text("order_views.other_tests", tests=tests))
    if order.rules.theta is not None:
        st.caption(page_text("order_views.by_risk", theta=order.rules.theta))


def order_tab(order: Order) -> None:
    """Draw the graph of the order and the final ranks."""
    order_graph_view(order)
    components.show_table(order_tables.places(order))
    components.in_expander("Steps of the sort", "order_steps", partial(order_steps_view, order))
    components.in_expander("Ranks and groups", "order_parts", partial(order_parts_tab, order))


def order_graph_view(order: Order) -> None:
    """Draw the graph at one step of the sort, with buttons to other steps."""
    ordering = order.ordering
    n_steps = len(ordering.steps)
    key = (ordering.prior, ordering.edges)
    shown_order, step = st.session_state.get(STEP, (None, n_steps))
    step = min(step, n_steps) if shown_order == key else n_steps
    choice = (
        session.selection().get("ids", []) if session.selection().get("kind") == "algorithm" else []
    )
    selected = next((name for name in choice if name in ordering.prior), None)
    current_step = ordering.steps[step] if step < n_steps else None
    sets = order.results.datasets
    drawing = ordering_graph.graph_of_order(order, step=step, selected=selected)
    components.show_figure(drawing, on=sets[0] if len(sets) == 1 else "")
    description = current_step.describe(typed=bool(order.rules.prior)) if current_step else ""
    buttons = {"Start": ("first_page", 0), "Back": ("chevron_left", step - 1)}
    buttons |= {"Next": ("chevron_right", step + 1), "End": ("last_page", n_steps)}
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, (icon, to) in buttons.items():
            st.button(
                label,
                icon=f":material/{icon}:",
                type="tertiary",
                key=f"step_{label}",
                disabled=not 0 <= to <= n_steps or to == step,
                on_click=st.session_state.update,
                args=({STEP: (key, to)},),
                shortcut={"Back": "left", "Next": "right"}.get(label),
            )
        position = f"Step {step + 1} of {n_steps}" if step < n_steps else "Final order"
        st.markdown(f"**{position}.** {components.escape(description)}".rstrip(), width="stretch")


def order_steps_view(order: Order) -> None:
    """Draw tables of the steps of the sort and of the edges, or a note without edges."""
    components.show_table(order_tables.order_steps_table(order))
    edges = order_tables.edge_table(order)
    if not len(edges.frame):
        st.caption(page_text("order_views.no_edge"))
        return
    components.show_table(edges)


def saved_order(context: session.Context, results: Results) -> tuple[Order | None, str]:
    """Return the order chosen on the page Trade-offs, or None and the reason.

    The reason is "" if no cost was chosen, there is nothing to order, or missing results are
    undecided.
    """
    choice = None if results.published is not None else saved_order_inputs(results)
    pairs = len(results.algorithms) * (len(results.algorithms) - 1) // 2
    if choice is None or not pairs or context.undecided:
        return None, ""
    if pairs * len(results.datasets) > MOST_UNASKED:
        return None, page_text("order_views.too_many")
    test, rules = choice
    settings, key = replace(context.settings, test=test, margin=None), inputs.selection_key(context)
    try:
        return cached_order(key, settings, rules, results), ""
    except FoldwiseError as error:
        return None, components.without_code(error)


def _pairwise_comparison(context: session.Context, order: Order) -> Comparison | None:
    """Return the pairwise comparison of the ordered results, None if not possible."""
    with suppress(FoldwiseError):
        settings = conclusion_scope.pairwise_settings(order, inputs.settings_of_results(context))
        return cache.analysis(context.key, settings, context.results)
    return None


def _tests_of_results(context: session.Context) -> str:
    """Return the name of the tests on the page Results; "" if it compares no pairs."""
    with suppress(FoldwiseError):
        settings = inputs.settings_of_results(context)
        comparison = cache.analysis(context.key, settings, context.results)
        return comparison.test_name if comparison.guarantee.comparisons else ""
    return ""


def on_overview(context: session.Context, analysis: Comparison) -> None:
    """Draw the order by the chosen cost on the page Results; nothing without an order."""
    results = inputs.selected_results(context)
    order, _ = saved_order(context, results)
    if order is None:
        return
    words = order_text.order_verdict(order, _pairwise_comparison(context, order))
    by = (
        ""
        if order.rules.prior
        else f" by {components.escape(order_text.describe_costs(order.rules))}"
    )
    st.markdown(f"## Cost-aware order{by}")
    components.paragraph(f"{words.headline} {words.detail}")
    components.caption(*words.notes[:1])
    components.show_figure(cost_plane_of(analysis, order))


OWN = "own order"
WEIGHTS = "weights"
ALL = "all data sets"
MOST_WEIGHTS = 5
ROW, MOST_HIGH = 35, 320  # px, height of a row, and of the editor of the user's own order


def order_inputs(context: session.Context) -> tuple[Results, Settings, OrderRules | None]:
    """Draw all widgets of an order; return results, settings and rules.

    The rules are None if the user's own order is selected but none was given yet.
    """
    results = inputs.selected_results(context)
    low = [name for name in cost_columns(results) if name not in results.costs]
    options = [*results.costs, *(n for n in low if n != context.settings.measure), OWN]
    if len(results.costs) > 1:
        options.insert(len(results.costs), WEIGHTS)
    if not results.costs:
        options.remove(OWN)
        options.insert(0, OWN)
    with components.row():
        cost = inputs.page_option("Cost", "ocost", options, width=200, name_of=cost_name)
        choice = ALL
        if len(results.datasets) > 1:
            choice = inputs.page_option("Data set", "oset", [ALL, *results.datasets], width=200)
            if choice != ALL:
                results = results.select(datasets=[choice])
        with components.options("More"):
            settings, rules = _tests(context, results, own_order_chosen=cost == OWN)
            if cost in results.costs[:1]:
                st.toggle(
                    "Use in reports",
                    **linked(ELSEWHERE, help=page_text("order_views.elsewhere", cost=cost)),
                )
    if settings.margin is not None:
        st.caption(page_text("order_views.no_margin"))
        settings = replace(settings, margin=None)
    if cost == OWN:
        prior = own_order(results)
        return results, settings, replace(rules, prior=prior) if prior else None
    if cost == WEIGHTS:
        return results, settings, replace(rules, weights=_weights(results.costs))
    return results, settings, replace(rules, cost=cost)


def saved_order_inputs(results: Results) -> tuple[str, OrderRules] | None:
    """Return the test and rules chosen on the page Trade-offs, None if no cost was chosen and no order was typed.

    The preset cost of the page counts as chosen only if the user applied it to other pages.
    """
    state_of = st.session_state.get
    cost = state_of("ocost", "")
    named = cost in (WEIGHTS, *cost_columns(results)) and (
        cost not in results.costs[:1] or state_of(ELSEWHERE)
    )
    if not named and not (cost == OWN and state_of(PRIOR)):
        return None
    test = state_of("otest", "")
    undivided = bool(state_of("undivided", False)) and _is_halved(test)
    test = _or_each_its_own(test, results)
    rules = OrderRules(
        family=_key(FAMILIES, state_of("ofamily"), "holm"),
        post_hoc=_key(FAMILY_WISE, state_of("opost"), "bergmann_hommel"),
        scale=_key(COST_SCALES, state_of("oscale"), "largest"),
        undivided=undivided,
    )
    if cost == OWN:
        return test, replace(rules, prior=inputs.typed_order(results))
    if cost == WEIGHTS:
        weights = [
            (name, float(state_of(f"w{number}", 1.0)))
            for number, name in enumerate(results.costs[:MOST_WEIGHTS], 1)
        ]
        return test, replace(rules, weights=_or_alike(weights))
    return test, replace(rules, cost=cost)


def _key(names: dict[str, str], label: str | None, default: str) -> str:
    """Return the key of a label, or `default` if there is none."""
    return next((key for key, name in names.items() if name == label), default)


def _is_halved(test: str) -> bool:
    """Return whether the one-sided p-values of a test are halves of a p-value without direction."""
    return test in PAIR_TESTS and not PAIR_TESTS[test].signed


def _or_each_its_own(test: str, results: Results) -> str:
    """Return the test, or "" if it is the recommended test of the first of several data sets with folds."""
    folds = results.with_folds
    unchanged = len(folds) > 1 and test == possible_tests(results, folds[0], Settings())[0]
    return "" if unchanged else test


def _tests(
    context: session.Context, results: Results, *, own_order_chosen: bool
) -> tuple[Settings, OrderRules]:
    """Draw widgets for test and adjustment on data sets; return settings and rules."""
    settings = context.settings
    rules, test = OrderRules(), ""
    folds = results.with_folds
    if folds:
        settings = inputs.choose_test_fraction(results, folds[0], settings)
        tests = possible_tests(results, folds[0], settings)
        two_sided = st.session_state.get("ofamily") in TWO_SIDED_FAMILIES.values()
        sided = "Two-sided" if two_sided else "One-sided"
        why = page_text("inputs.recommended", test=tests[0])
        test = inputs.page_option(f"{sided} test", "otest", tests, width=220, help=why)
        family = inputs.page_option("Correction", "ofamily", inputs.labels_of(FAMILIES), width=200)
        rules = replace(rules, family=family)
    halved = test if _is_halved(test) else None
    rules = _more(results, rules, own_order_chosen=own_order_chosen, halved=halved)
    if folds and test == tests[0] and len(folds) > 1:
        test = ""  # the test suited to each design
    return replace(settings, test=test), rules


def _more(
    results: Results, rules: OrderRules, *, own_order_chosen: bool, halved: str | None
) -> OrderRules:
    """Draw the widgets of rarely changed rules; return the rules."""
    several_datasets = len(results.datasets) > 1
    label = page_text("order_views.post_hoc", several=several_datasets)
    rules = replace(
        rules, post_hoc=inputs.page_option(label, "opost", inputs.labels_of(FAMILY_WISE))
    )
    if several_datasets and not own_order_chosen:
        scales = inputs.labels_of(COST_SCALES)
        scale = inputs.page_option("Average cost", "oscale", scales, width=330)
        rules = replace(rules, scale=scale)
    if halved is not None and st.toggle(**linked("undivided", label=f"{halved} undivided")):
        rules = replace(rules, undivided=True)
    counted = all(name in results.frame.columns for name in COUNTS)
    if counted and st.toggle(**linked("orisk")):
        rules = replace(rules, theta=float(st.number_input(**linked("otheta"))))
    return rules


def _weights(costs: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Draw an input for the weight of each of the first `MOST_WEIGHTS` costs; return the weights."""
    with st.container(horizontal=True):
        weights = []
        for number, name in enumerate(costs[:MOST_WEIGHTS], 1):
            label = f"Weight of {components.escape(name)}"
            weight = st.number_input(label, 0.0, 100.0, 1.0, 0.5, **linked(f"w{number}"), width=160)
            weights.append((name, float(weight)))
    st.caption(page_text("order_views.weights", zero=not any(weight for _, weight in weights)))
    return _or_alike(weights)


def _or_alike(weights: list[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Return the weights, or 1 for each cost if all are 0."""
    if any(weight for _, weight in weights):
        return tuple(weights)
    return tuple((name, 1.0) for name, _ in weights)


def own_order(results: Results, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Draw an editor of a user-defined order; return the order, () until it is confirmed.

    The order is confirmed by moving an algorithm or by accepting the alphabetical order. With
    `names`, the editor starts from that order.
    """
    start = inputs.typed_order(results, names)
    table = pd.DataFrame({"rank": range(1, len(start) + 1), "algorithm": start}, dtype=object)
    table["rank"] = table["rank"].astype(float)
    st.caption(page_text("order_views.own_order"))
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["algorithm"],
        key=f"own_order_{'/'.join(start)}",
        column_config={
            "rank": st.column_config.NumberColumn(min_value=0.0, format="%g", required=True),
            "algorithm": st.column_config.TextColumn(width=240),
        },
        height=min(ROW * (len(start) + 1) + 2, MOST_HIGH),
        width=360,
    )
    order = tuple(edited.sort_values("rank", kind="stable")["algorithm"])
    if order != start:
        st.session_state[PRIOR] = order
        st.rerun()
    if any(name in results.algorithms for name in st.session_state.get(PRIOR, ())):
        return order
    if names:
        return ()
    if st.button("Use alphabetical order"):
        st.session_state[PRIOR] = order
        st.rerun()
    return ()
