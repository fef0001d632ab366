"""Widgets of the page Ordering: cost, own order, weights, tests."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from foldwise.web import components, inputs, session
from foldwise.web.settings_registry import PRIOR, linked
from stats_core.data.costs import COST_SCALES, cost_columns
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.fold_pairs import possible_tests
from stats_core.inference.multiplicity.corrections import CORRECTIONS
from stats_core.ordering.one_sided_evidence import FAMILIES, TWO_SIDED_FAMILIES
from stats_core.ordering.order import OrderRules

OWN = "my own order"
WEIGHTS = "weights"
ALL = "all data sets"
ELSEWHERE = "oelsewhere"  # query parameter: apply the first cost on other pages, too
MOST_WEIGHTS = 5
HALVED = "5x2 cv F"  # the only test whose one-sided p-value has an undivided form
ROW, MOST_HIGH = 35, 320  # px, height of a row, and of the editor of the user's own order


def order_inputs(context: session.Context) -> tuple[Results, Settings, OrderRules | None]:
    """Draw all widgets of an order; return the results to order, settings and rules.

    The rules are None if the user's own order is selected but none was given yet.
    """
    results = inputs.kept_input(context)
    low = [name for name in cost_columns(results) if name not in results.costs]
    options = [*results.costs, *(n for n in low if n != context.settings.measure), OWN]
    if len(results.costs) > 1:
        options.insert(len(results.costs), WEIGHTS)
    if not results.costs:
        options.remove(OWN)
        options.insert(0, OWN)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        cost = inputs.page_option("Cost (less is preferred)", "ocost", options, width=200)
        chosen = ALL
        if len(results.datasets) > 1:
            chosen = inputs.page_option("On", "oset", [ALL, *results.datasets], width=200)
            if chosen != ALL:
                results = results.select(datasets=[chosen])
        settings, rules = _tests(context, results, own_order_chosen=cost == OWN)
    if cost in results.costs[:1]:
        st.toggle(
            f"Order by {components.escape(cost)} on Overview and in reports, too",
            **linked(ELSEWHERE),
        )
    if cost == OWN:
        prior = own_order(results)
        rules = replace(rules, prior=prior) if prior else None
    elif cost == WEIGHTS:
        rules = replace(rules, weights=_weights(results.costs))
    else:
        rules = replace(rules, cost=cost)
    return results, settings, rules


def saved_order_inputs(results: Results) -> tuple[str, OrderRules] | None:
    """Return the test and the rules chosen on the page Ordering.

    None unless a cost was chosen or an order was typed: the preset of the page counts as chosen
    only if the user applied it to other pages.
    """
    state_of = st.session_state.get
    cost = state_of("ocost", "")
    named = cost in (WEIGHTS, *cost_columns(results)) and (
        cost not in results.costs[:1] or state_of(ELSEWHERE)
    )
    if not named and not (cost == OWN and state_of(PRIOR)):
        return None
    test = state_of("otest", "")
    undivided = bool(state_of("undivided", False)) and test == HALVED
    test = _or_each_its_own(test, results)
    rules = OrderRules(
        family=_key(FAMILIES, state_of("ofamily"), "holm"),
        post_hoc=_key(CORRECTIONS, state_of("opost"), "bergmann_hommel"),
        scale=_key(COST_SCALES, state_of("oscale"), "largest"),
        undivided=undivided,
    )
    if cost == OWN:
        return test, replace(rules, prior=typed_order(results))
    if cost == WEIGHTS:
        weights = [
            (name, float(state_of(f"w{number}", 1.0)))
            for number, name in enumerate(results.costs[:MOST_WEIGHTS], 1)
        ]
        return test, replace(rules, weights=_or_alike(weights))
    return test, replace(rules, cost=cost)


def _key(names: dict[str, str], label: str | None, default: str) -> str:
    """Return the key with this label."""
    return next((key for key, name in names.items() if name == label), default)


def _or_each_its_own(test: str, results: Results) -> str:
    """Return the test, or "" for the test suited to each design if it is the advised one."""
    folds = results.with_folds
    unchanged = len(folds) > 1 and test == possible_tests(results, folds[0], Settings())[0]
    return "" if unchanged else test


def _tests(
    context: session.Context, results: Results, *, own_order_chosen: bool
) -> tuple[Settings, OrderRules]:
    """Draw widgets for the test on a data set and its adjustment; return settings and rules."""
    settings = context.settings
    rules, test = OrderRules(), ""
    folds = results.with_folds
    if folds:
        settings = inputs.choose_test_fraction(results, folds[0], settings)
        tests = possible_tests(results, folds[0], settings)
        two_sided = st.session_state.get("ofamily") in TWO_SIDED_FAMILIES.values()
        sided = "Two-sided" if two_sided else "One-sided"
        test = inputs.page_option(
            f"{sided} test ({tests[0]} recommended)", "otest", tests, width=220
        )
        family = inputs.page_option("Adjusted by", "ofamily", inputs.labels_of(FAMILIES), width=200)
        rules = replace(rules, family=family)
    with st.popover("More", type="tertiary", icon=":material/tune:"):
        rules = _more(results, rules, own_order_chosen=own_order_chosen, halved=test == HALVED)
    if folds and test == tests[0] and len(folds) > 1:
        test = ""  # the test suited to each design
    if settings.region is not None:
        st.caption(
            "Differences that do not matter have no part here: an order knows better or not."
        )
    return replace(settings, test=test, region=None), rules


def _more(
    results: Results, rules: OrderRules, *, own_order_chosen: bool, halved: bool
) -> OrderRules:
    """Draw the widgets of rarely changed rules."""
    several_datasets = len(results.datasets) > 1
    question = (
        "Average ranks over data sets by" if several_datasets else "Groups under the graph by"
    )
    rules = replace(
        rules, post_hoc=inputs.page_option(question, "opost", inputs.labels_of(CORRECTIONS))
    )
    if several_datasets and not own_order_chosen:
        scales = inputs.labels_of(COST_SCALES)
        scale = inputs.page_option("Average cost from costs", "oscale", scales, width=330)
        rules = replace(rules, scale=scale)
    if halved and st.toggle(
        f"{HALVED} undivided",
        **linked("undivided"),
        help="As in the code that came with the method: the whole p-value where the mean favours "
        "the costlier, instead of half of it.",
    ):
        rules = replace(rules, undivided=True)
    counted = all(name in results.frame.columns for name in COUNTS)
    if counted and st.toggle(
        "Order by risk",
        **linked("orisk"),
        help="Risk is theta times the false positives plus 1 - theta times the false negatives.",
    ):
        theta = st.number_input(
            "theta: weight of a false positive", 0.0, 1.0, 0.5, 0.05, **linked("otheta")
        )
        rules = replace(rules, theta=float(theta))
    return rules


def _weights(costs: tuple[str, ...]) -> tuple[tuple[str, float], ...]:
    """Draw an input for the weight of each cost; all 0 means equal weights."""
    with st.container(horizontal=True):
        weights = [
            (
                name,
                float(
                    st.number_input(
                        f"Weight of {components.escape(name)}",
                        0.0,
                        100.0,
                        1.0,
                        0.5,
                        **linked(f"w{number}"),
                        width=160,
                    )
                ),
            )
            for number, name in enumerate(costs[:MOST_WEIGHTS], 1)
        ]
    st.caption(
        "Each cost is divided by its largest on the data set, then weighted; only ratios matter."
    )
    if not any(weight for _, weight in weights):
        st.caption("All weights are 0, so all costs count alike.")
    return _or_alike(weights)


def _or_alike(weights: list[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Return the weights, or 1 for each if all are 0."""
    if any(weight for _, weight in weights):
        return tuple(weights)
    return tuple((name, 1.0) for name, _ in weights)


def typed_order(results: Results, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the user's order, followed by the algorithms it lacks in order of their names.

    With `names`, they follow in that order instead.
    """
    typed = [name for name in st.session_state.get(PRIOR, ()) if name in results.algorithms]
    candidates = [name for name in names or results.algorithms if name in results.algorithms]
    return (*typed, *(name for name in candidates if name not in typed))


def own_order(results: Results, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Draw an editor of the user's own order, which sorts itself after each change.

    Return () until a place is changed or the alphabetical order is confirmed. With `names`, the
    editor starts from that order.
    """
    start = typed_order(results, names)
    table = pd.DataFrame({"place": range(1, len(start) + 1), "algorithm": start}, dtype=object)
    table["place"] = table["place"].astype(float)
    st.caption("Cheapest first. Change a place to move an algorithm; 1.5 puts it after the first.")
    edited = st.data_editor(
        table,
        hide_index=True,
        disabled=["algorithm"],
        key=f"own_order_{'/'.join(start)}",
        column_config={
            "place": st.column_config.NumberColumn(min_value=0.0, format="%g", required=True),
            "algorithm": st.column_config.TextColumn(width=240),
        },
        height=min(ROW * (len(start) + 1) + 2, MOST_HIGH),
        width=360,
    )
    order = tuple(edited.sort_values("place", kind="stable")["algorithm"])
    if order != start:
        st.session_state[PRIOR] = order
        st.rerun()
    if any(name in results.algorithms for name in st.session_state.get(PRIOR, ())):
        return order
    if names:
        return ()
    if st.button("Take the order of the names"):
        st.session_state[PRIOR] = order
        st.rerun()
    return ()
