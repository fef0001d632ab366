"""Text on orders of algorithms."""

from collections import Counter
from collections.abc import Iterable

from stats_core.comparison.cards.method_card import reference_of
from stats_core.comparison.conclusion_scope import may_cite
from stats_core.comparison.decide import DECIDED, LIMITED, decide
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import (
    MANY,
    capitalize_first,
    format_count,
    format_number,
    format_set,
    join_names,
    p_phrase,
)
from stats_core.core.messages import TO_USER, Audience, Message, message
from stats_core.data.costs import COST_NAMES
from stats_core.data.settings import SOURCES
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, PAIR_TESTS
from stats_core.inference.multiplicity.corrections import CORRECTIONS, describe_fallback, fallback_message
from stats_core.ordering.multitest import COST, RULE, SecondPass
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order, OrderRules
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report.advice import Advice
from stats_core.report.verdict import Verdict, datasets_said, scope_said

_NAMED = 12  # maximum number of algorithms in the headline
_BETTER = 3  # maximum number of better algorithms that are named
# badges of orders not decided by tests: contradicted on some data sets, on none, order of the user
BY_COST, BY_COST_ALONE, BY_PRIOR = "By cost", "By cost alone", "By your order"


def order_verdict(order: Order, beside: Comparison | None = None) -> Verdict:
    """Return the verdict on an order: criterion, order and steps decided by tests."""
    ordering = order.ordering
    if len(ordering.order) == 1:
        return Verdict(
            badge=LIMITED,
            headline=f"There is one algorithm, {ordering.order[0]}. There is nothing to order.",
            notes=order.results.choices,
        )
    decided = LIMITED if _doubts(order) else DECIDED
    by_cost = BY_COST if _overridden(order) else BY_COST_ALONE
    if order.rules.prior:
        by_cost = BY_PRIOR
    reversed_pairs = against(order, beside)
    first = first_worse(order, beside)
    return Verdict(
        badge=decided if ordering.edges else by_cost,
        headline=f"{_by_criterion(order, _NAMED)}{first}",
        full=f"{_by_criterion(order, len(ordering.order))}{first}",
        size=_decided(order),
        notes=(*([reversed_pairs] if reversed_pairs else []), *_notes(order)),
    )


def _by_criterion(order: Order, limit: int) -> str:
    """Return a sentence with the cost, the reason and the algorithms in order."""
    rules = order.rules
    by = "In your order" if rules.prior else f"Ordered by {cost_said(rules)}"
    dearer = "later" if rules.prior else "more expensive"
    test_text, edges = _where(order), order.ordering.edges
    if edges:
        reason = f"except where a {dearer} algorithm was significantly better {test_text}"
    else:
        reason = f"because no {dearer} algorithm was significantly better {test_text}"
    names = list(order.ordering.order)
    n_more = len(names) - limit
    shown = ", ".join(names[:limit]) + (f" and {n_more} more" if n_more > 0 else "")
    return f"{by}, {reason}: {shown}."


def _where(order: Order) -> str:
    """Return a phrase for the test behind the order: "on iris", "in average rank over ..."."""
    measure = order.settings.measure
    if order.rules.theta is not None:
        measure = f"risk at theta {order.rules.theta:g}"
    if order.second is None:
        return f"in {measure} {datasets_said(list(order.each))}"
    over = f"over {format_count(len(order.second.positions), 'data set')}"
    ranks = "cost-aware rank" if order.each else f"rank by {measure}"
    return f"in average {ranks} {over}"


def first_worse(order: Order, beside: Comparison | None) -> str:
    """Return a sentence if other algorithms are significantly better than the first.

    It starts with a blank; "" if no other algorithm is better.
    """
    better = better_than_first(order, beside)
    if not better or beside is None:
        return ""
    without = "order given" if order.rules.prior else "cost"
    return (
        f" Without the {without}, {order.ordering.order[0]} is significantly worse than "
        f"{join_names(better, _BETTER)} {scope_said(beside)}."
    )


def better_than_first(order: Order, beside: Comparison | None) -> list[str]:
    """Return the algorithms significantly better than the first by the measure alone."""
    names, reversed_pairs = order.ordering.order, _reversed(order, beside)
    return [name for name in names if (name, names[0]) in reversed_pairs]


def against(order: Order, beside: Comparison | None) -> str:
    """Return a sentence with the number of pairs ordered against a significant difference.

    Examples
    --------
    See the page Ordering.
    """
    reversed_pairs = _reversed(order, beside)
    if not reversed_pairs or beside is None:
        return ""
    position_of = {name: position for position, name in enumerate(order.ordering.order)}
    better, worse = min(reversed_pairs, key=lambda pair: (position_of[pair[1]], position_of[pair[0]]))
    row = beside.sized(better, worse)
    kind = "adjusted " if beside.guarantee.adjusted else ""
    p = f"{kind}{p_phrase(row['p adjusted'], beside.settings.alpha)}"
    n, verb = format_count(len(reversed_pairs), "pair"), "is" if len(reversed_pairs) == 1 else "are"
    return (
        f"Pairwise comparison {scope_said(beside)} ({beside.post}): {n} {verb} ordered against a "
        f"significant difference, for example {worse} before {better} ({p})."
    )


def _reversed(order: Order, pairwise: Comparison | None) -> list[tuple[str, str]]:
    """Return (better, worse) for pairs that differ and are ordered the other way.

    Empty for a comparison with another scope.
    """
    if pairwise is None or not may_cite(order, pairwise):
        return []
    position_of = {name: position for position, name in enumerate(order.ordering.order)}
    return [(a, b) for a, b in decide(pairwise).apart if position_of[b] < position_of[a] and pairwise.beats.loc[a, b]]


def cost_said(rules: OrderRules) -> str:
    """Return the cost of an order with its column: "training time (train_s)".

    Examples
    --------
    >>> cost_said(OrderRules(cost="train_s")), cost_said(OrderRules(cost="size"))
    ('training time (train_s)', 'size')
    """
    column = rules.cost_label
    words = COST_NAMES.get(column.lower(), "")
    return f"{words} ({column})" if words.replace(" ", "_") != column.lower() and words else (words or column)


def describe_order_method(order: Order, voice: Audience = TO_USER) -> str:
    """Return the method behind an order as a sentence."""
    return f"{method_clause(order, voice)}."


def method_clause(order: Order, voice: Audience = TO_USER) -> str:
    """Return the method behind an order as a clause."""
    alpha = order.settings.alpha
    parts = []
    if order.each:
        tests = list(dict.fromkeys(order_on_dataset.evidence.name for order_on_dataset in order.each.values()))
        sided = "two-sided" if order.rules.family in TWO_SIDED_FAMILIES else "one-sided"
        undivided = ", undivided" if order.rules.undivided else ""
        on_datasets = "on each data set " if len(order.each) > 1 else ""
        parts.append(f"MultiTest {on_datasets}with the {sided} {join_names(tests)}{undivided}, {_adjusted(order)}")
    if order.second is not None:
        post = CORRECTIONS[order.second.post_hoc]
        ranks = "positions" if order.each else f"ranks by {order.settings.measure}"
        by = "that order" if order.rules.prior else "average normalised cost"
        parts.append(
            f"Friedman's test on the {ranks}, then {post if post != 'none' else 'unadjusted tests'} "
            f"on {SOURCES['ranks']} and MultiTest by {by}"
        )
    return f"{'; '.join(parts)}; alpha {alpha:g}; {_prior(order, voice)}"


def _prior(order: Order, voice: Audience) -> str:
    """Return a phrase with the cost, or with the order given instead."""
    if not order.rules.prior:
        return f"cost: {order.rules.cost_label}"
    return f"{voice.your} order: {join_names(order.rules.prior, MANY, last='then')}"


def _adjusted(order: Order) -> str:
    """Return a phrase with the corrections actually used on the data sets."""
    requested = order.rules.family
    if requested == "none":
        return "unadjusted"
    if requested not in TWO_SIDED_FAMILIES:
        return f"adjusted by {CORRECTIONS[requested]}"
    used = dict.fromkeys(order_on_dataset.evidence.used(requested) for order_on_dataset in order.each.values())
    return f"adjusted by {join_names([CORRECTIONS[name] for name in used])}"


def _instead(order: Order) -> list[Message]:
    """Return notes on corrections that were replaced, and why."""
    requested, rules, k = order.rules.family, order.rules, len(order.ordering.order)
    notes: list[Message] = []
    if requested in TWO_SIDED_FAMILIES:
        datasets = [
            name
            for name, order_on_dataset in order.each.items()
            if order_on_dataset.evidence.used(requested) != requested
        ]
        notes += describe_fallback(requested, k, tuple(datasets))
    if order.second is not None:
        post = fallback_message(rules.post_hoc, k, source="ranks", used=order.second.post_hoc)
    else:
        (only_order,) = order.each.values()
        post = fallback_message(rules.post_hoc, k, used=only_order.evidence.used(rules.post_hoc))
    return notes if post is None or post in notes else [*notes, post]


def describe_rule(order: Order) -> str:
    """Return the rule of the order as a sentence."""
    if order.rules.prior:
        return RULE.format(first="the first algorithm of your order", later="later")
    return RULE.format(first="the cheapest algorithm", later="more expensive")


def _overridden(order: Order) -> list[str]:
    """Return the data sets on which a test puts a more expensive algorithm first."""
    return [name for name, order_on_dataset in order.each.items() if order_on_dataset.ordering.edges]


def _not_overturned(order: Order) -> str:
    """Return a sentence if tests on data sets contradict the cost but average ranks do not."""
    edge_counts = Counter(edge for order_on_dataset in order.each.values() for edge in order_on_dataset.ordering.edges)
    (cheaper, better), times = edge_counts.most_common(1)[0]
    n, n_datasets = len(_overridden(order)), len(order.each)
    dearer, before = "later", "an earlier one"
    by = order.rules.cost_label
    if not order.rules.prior:
        dearer, before, by = "more expensive", "a cheaper one", f"the order by {by}"
    return (
        f"On {n} of {format_count(n_datasets, 'data set')}, a {dearer} algorithm was significantly better than "
        f"{before}, most often {better} better than {cheaper} (on {times}). The average cost-aware "
        f"ranks do not change {by}."
    )


def _decided(order: Order) -> str:
    """Return a sentence on steps decided by differences, by cost and by name."""
    ordering, ties = order.ordering, order.ties
    if not ordering.by_test and order.second is not None and _overridden(order):
        return _not_overturned(order)
    by_test, steps = ordering.by_test, len(ordering.decisions)
    by_name = sum(
        decided_by == COST and any({first, second} <= set(group) for group in ties)
        for first, second, decided_by in ordering.decisions
    )
    counts = {
        "significant differences": by_test,
        order.rules.cost_label: steps - by_test - by_name,
        "the name (equal cost)": by_name,
    }
    decided = [(name, n) for name, n in counts.items() if n]
    if len(decided) == 1:
        all_steps = {1: "the one step", 2: "both steps"}.get(steps, f"all {steps} steps")
        return f"{capitalize_first(decided[0][0])} decided {all_steps}."
    (first, n), *others_decided = decided
    others = join_names([f"{name} {count}" for name, count in others_decided])
    return f"Of {steps} steps, {first} decided {n}{', ' if len(others_decided) > 1 else ' and '}{others}."


def _notes(order: Order) -> Iterable[Message | str]:
    if order.second is not None:
        yield _friedman(order, order.second)
    yield from _doubts(order)
    yield from _instead(order)
    if order.ties:
        tied = join_names([format_set(group) for group in order.ties])
        yield f"Algorithms of equal cost are ordered by name: {tied}."
    if not order.each:
        yield (
            "There is one result per data set and algorithm, so no single data set can be tested. "
            f"The ranks are those of {order.settings.measure}."
        )
    if order.skipped:
        name, reason = next(iter(order.skipped.items()))
        n = len(order.skipped)
        left_out = "1 data set left out," if n == 1 else f"{n} data sets left out, first"
        yield f"{left_out} {name}: {reason}"
    yield from order.results.choices


def _doubts(order: Order) -> list[Message]:
    """Return notes on why the tests on the only data set do not control the error rate."""
    if order.second is not None or not order.ordering.edges:
        return []
    (order_on_dataset,) = order.each.values()
    shared = order.results.design_of(order_on_dataset.dataset) == "common test set"
    test = order_on_dataset.evidence.test
    ignores = test in AS_IF_INDEPENDENT
    return [
        *([message("common test set")] if shared else []),
        *([message("as if independent", test=test, name=PAIR_TESTS[test].name)] if ignores else []),
    ]


def _friedman(order: Order, second: SecondPass) -> str:
    test, alpha = second.friedman, order.settings.alpha
    if second.same_everywhere:
        all_datasets = "Both" if test.n == 2 else f"All {test.n}"
        return (
            f"{all_datasets} data sets have the same order, so the Friedman test rejects by definition."
            f"{_meaning(order)}"
        )
    ranks = "cost-aware ranks" if order.each else "ranks"
    text = (
        f"Friedman test of the {ranks} over {format_count(test.n, 'data set')}: "
        f"\N{GREEK SMALL LETTER CHI}\N{SUPERSCRIPT TWO}({int(test.df[0])}) = "
        f"{test.statistic:.2f}, {p_phrase(test.pvalue, alpha)}."
    )
    if not second.rejected:
        return f"{text} It shows no consistent order, so {order.rules.cost_label} alone decides."
    return f"{text}{_meaning(order)}"


def _meaning(order: Order) -> str:
    if not order.each:
        return ""
    return f" It compares cost and {order.settings.measure} together, not {order.settings.measure} alone."


_VARIED = {"alpha": "significance level", "weight": "weight", "cost": "cost", "scale": "cost scale"}


def describe_order_paths(paths: OrderPaths) -> str:
    """Return how many different orders there are, and which algorithms come first."""
    noun, of = _VARIED[paths.noun], f" of {paths.of}" if paths.of else ""
    if not len(paths.places):
        return f"No {noun}{of} gives an order."
    n_orders = len(paths.places.drop_duplicates())
    if n_orders == 1:
        return f"The order is the same for every {noun}{of}."
    firsts = list(dict.fromkeys(paths.places.idxmin(axis=1)))
    first = f"{firsts[0]} is always first"
    if len(firsts) > 1:
        first = f"{join_names(firsts, last='or')} is first"
    return f"{n_orders} different orders over {format_count(len(paths.places), noun)}{of}. {first}."


def describe_order_changes(changes: OrderChanges) -> str:
    """Return how much two orders of the same algorithms agree."""
    n = len(changes.table)
    if changes.places.iloc[0].equals(changes.places.iloc[1]):
        text = f"The final order is the same by {changes.first} and by {changes.second}."
    else:
        text = (
            f"The final orders by {changes.first} and by {changes.second} have Spearman correlation "
            f"{format_number(changes.correlation)}."
        )
    if n > 1:
        text += f" On {changes.same} of {format_count(n, 'data set')}, both orders are the same."
    moved = changes.movers[changes.movers > 0]
    if not len(moved):
        return f"{text} No algorithm moves by half of the ranks or more."
    names = [f"{name} on {format_count(times, 'data set')}" for name, times in moved.items()]
    return f"{text} Moving by half of the ranks or more: {join_names(names, 5)}."


def order_advice(order: Order) -> Advice:
    """Return the advice that explains the order."""
    test = next((order_on_dataset.evidence.name for order_on_dataset in order.each.values()), "")
    one_sided = bool(test) and order.rules.family not in TWO_SIDED_FAMILIES
    return Advice(
        question="Which algorithm to choose, and which next, if error and cost both count?",
        test=describe_order_method(order),
        because=(
            "Where two algorithms do not differ significantly, no test says which to choose. The cost does.",
            describe_rule(order),
            *(["On a data set, only that direction is tested."] if one_sided else []),
        ),
        assumes=(
            *([f"What the {test} assumes on each data set."] if test else []),
            "That cost matters wherever no difference is significant, however small the difference in cost.",
        ),
        alternatives=(
            ("Bonferroni", "less powerful, so the cost decides more often"),
            ("No correction", "more false differences, so the cost decides less often"),
            (
                "Bergmann-Hommel or Shaffer on a data set",
                "these use the logical relations among two-sided hypotheses, and the mean gives the direction",
            ),
        ),
        not_allowed=(),
        reference=reference_of("multitest"),
    )
