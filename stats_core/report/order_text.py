"""Text on orders of algorithms; sentences are in `order.jinja`."""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from stats_core.comparison import conclusion_scope
from stats_core.comparison.cards import method_card
from stats_core.comparison.decide import DECIDED, LIMITED, decide
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, TextCatalog, message, read_macros
from stats_core.core.result_types import cached
from stats_core.data.costs import cost_name
from stats_core.inference import inference_text
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.multitest import COST
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order, OrderRules
from stats_core.ordering.order_sensitivity import OrderChanges, OrderPaths
from stats_core.report import effect_text, verdict
from stats_core.report.advice import Advice
from stats_core.report.verdict import Verdict

_order_words = TextCatalog("stats_core", "report/order.toml")
_NAMED = 12  # maximum number of algorithms in the headline
# badges of orders not decided by tests: contradicted on some data sets, on none, order of the user
BY_COST, BY_COST_ALONE, BY_PRIOR = "By cost", "By cost alone", "By your order"


@cached
def order_verdict(
    order: Order, comparison: Comparison | None = None, *, in_paper: bool = False
) -> Verdict:
    """Return the verdict on an order, with contradictions by `comparison`; in the past tense for a paper."""
    ordering = order.ordering
    if len(ordering.order) == 1:
        return Verdict(
            badge=LIMITED,
            headline=_macros().one_algorithm(ordering.order[0], in_paper),
            notes=order.results.choices,
        )
    decided = LIMITED if _doubts(order) else DECIDED
    by_cost = BY_COST if _overridden(order) else BY_COST_ALONE
    if order.rules.prior:
        by_cost = BY_PRIOR
    macros, reversed_pairs = _macros(), against(order, comparison, in_paper=in_paper)
    first = first_worse(order, comparison, in_paper=in_paper)
    return Verdict(
        badge=decided if ordering.edges else by_cost,
        headline=f"{macros.by_criterion(order, _NAMED, in_paper)}{first}",
        full=f"{macros.by_criterion(order, len(ordering.order), in_paper)}{first}",
        size=_decided(order, in_paper=in_paper),
        notes=(*([reversed_pairs] if reversed_pairs else []), *_notes(order, in_paper=in_paper)),
    )


@cache
def _macros() -> Any:
    functions = {
        "describe_costs": describe_costs,
        "describe_datasets": verdict.describe_datasets,
        "describe_scope": verdict.describe_scope,
        "adjusted": _adjusted,
        "one_sided": _one_sided,
        "pvalue_name": effect_text.pvalue_name,
    }
    return read_macros("report/order.jinja", **functions, CORRECTIONS=CORRECTIONS)


def first_worse(order: Order, comparison: Comparison | None, *, in_paper: bool = False) -> str:
    """Return a sentence, after a blank, if an algorithm is significantly better than the first in order, else ""."""
    better = better_than_first(order, comparison)
    return _macros().first_worse(order, comparison, better, in_paper) if better else ""


def better_than_first(order: Order, comparison: Comparison | None) -> list[str]:
    """Return the algorithms significantly better than the first in the order, by the measure alone."""
    names, reversed_pairs = order.ordering.order, _reversed(order, comparison)
    return [name for name in names if (name, names[0]) in reversed_pairs]


def against(order: Order, comparison: Comparison | None, *, in_paper: bool = False) -> str:
    """Return a sentence on the pairs ordered contrary to a significant difference; "" if there are none."""
    reversed_pairs = _reversed(order, comparison)
    if not reversed_pairs or comparison is None:
        return ""
    position_of = {name: position for position, name in enumerate(order.ordering.order)}
    better, worse = min(
        reversed_pairs, key=lambda pair: (position_of[pair[1]], position_of[pair[0]])
    )
    row = comparison.sized(better, worse)
    return _macros().against(
        order, comparison, len(reversed_pairs), better, worse, row["p adjusted"], in_paper
    )


def _reversed(order: Order, pairwise: Comparison | None) -> list[tuple[str, str]]:
    """Return (better, worse) of pairs ordered contrary to a significant difference; [] if `pairwise` is not citable."""
    if pairwise is None or not conclusion_scope.may_cite(order, pairwise):
        return []
    position_of = {name: position for position, name in enumerate(order.ordering.order)}
    beats = pairwise.beats
    return [
        (a, b)
        for a, b in decide(pairwise).apart
        if position_of[b] < position_of[a] and beats.loc[a, b]
    ]


def describe_costs(rules: OrderRules) -> str:
    """Return the cost of an order as a noun phrase, "training time".

    Examples
    --------
    >>> describe_costs(OrderRules(cost="train_s")), describe_costs(OrderRules(cost="size"))
    ('training time', 'size')
    """
    return rules.label_cost(cost_name)


def describe_order_method(order: Order) -> str:
    """Return the method behind an order as sentences for the user."""
    return _method(order, in_paper=False)


def paper_method(order: Order) -> str:
    """Return the method behind an order as a clause for a paper."""
    return _method(order, in_paper=True)


def _method(order: Order, *, in_paper: bool) -> str:
    tests = list(
        dict.fromkeys(order_on_dataset.evidence.name for order_on_dataset in order.each.values())
    )
    return _macros().method(order, tests, in_paper)


def _one_sided(order: Order) -> bool:
    return order.rules.family not in TWO_SIDED_FAMILIES


def _adjusted(order: Order) -> str:
    """Return a phrase on the corrections used on the data sets."""
    requested = order.rules.family
    if requested == "none":
        return "unadjusted"
    if requested not in TWO_SIDED_FAMILIES:
        return f"with {CORRECTIONS[requested]} adjustment"
    used = dict.fromkeys(
        order_on_dataset.evidence.used(requested) for order_on_dataset in order.each.values()
    )
    return f"with {join_names([CORRECTIONS[name] for name in used])} adjustment"


def _replacement_notes(order: Order) -> list[Message]:
    """Return notes on corrections that were replaced, with reasons."""
    requested, rules, k = order.rules.family, order.rules, len(order.ordering.order)
    notes: list[Message] = []
    if requested in TWO_SIDED_FAMILIES:
        datasets = [
            name
            for name, order_on_dataset in order.each.items()
            if order_on_dataset.evidence.used(requested) != requested
        ]
        notes += adjust.describe_fallback(requested, k, tuple(datasets))
    if order.second is not None:
        post = adjust.fallback_message(
            rules.post_hoc, k, source="ranks", used=order.second.post_hoc
        )
    else:
        (only_order,) = order.each.values()
        post = adjust.fallback_message(
            rules.post_hoc, k, used=only_order.evidence.used(rules.post_hoc)
        )
    return notes if post is None or post in notes else [*notes, post]


def describe_rule(order: Order) -> str:
    """Return the rule of the order as a sentence."""
    if order.rules.prior:
        return inference_text(
            "order.rule", first=_order_words("steps.first_of_prior"), later="later"
        )
    return inference_text(
        "order.rule", first=_order_words("steps.cheapest"), later="more expensive"
    )


def _overridden(order: Order) -> list[str]:
    """Return the data sets on which a test places a more expensive algorithm before a cheaper one."""
    return [
        name for name, order_on_dataset in order.each.items() if order_on_dataset.ordering.edges
    ]


def _not_overturned(order: Order, *, in_paper: bool) -> str:
    """Return the sentence on an order that tests on data sets contradict but average ranks do not."""
    edge_counts = Counter(
        edge for order_on_dataset in order.each.values() for edge in order_on_dataset.ordering.edges
    )
    (cheaper, better), times = edge_counts.most_common(1)[0]
    return _macros().not_overturned(
        order, len(_overridden(order)), cheaper, better, times, in_paper
    )


def _decided(order: Order, *, in_paper: bool) -> str:
    """Return a sentence on how neighbours were ordered: by tests, by cost and by name."""
    ordering, ties = order.ordering, order.ties
    if not ordering.by_test and order.second is not None and _overridden(order):
        return _not_overturned(order, in_paper=in_paper)
    by_test, steps = ordering.by_test, len(ordering.decisions)
    by_name = sum(
        decided_by == COST and any({first, second} <= set(group) for group in ties)
        for first, second, decided_by in ordering.decisions
    )
    counts = {
        _order_words("steps.significant"): by_test,
        _cost_in_steps(order.rules): steps - by_test - by_name,
        _order_words("steps.name"): by_name,
    }
    return _macros().decided(steps, [(name, n) for name, n in counts.items() if n])


def _cost_in_steps(rules: OrderRules) -> str:
    """Return the cost as the subject of a sentence, which must not begin with a column name."""
    words = describe_costs(rules)
    return (
        words
        if rules.prior or words != rules.cost_label or words.lower() == "cost"
        else f"cost ({words})"
    )


def _notes(order: Order, *, in_paper: bool) -> Iterable[Message | str]:
    """Yield notes on Friedman's test, doubts, replaced corrections, ties, single results, skipped sets and choices."""
    macros = _macros()
    if order.second is not None:
        yield macros.friedman(order, order.second, in_paper)
    yield from _doubts(order)
    yield from _replacement_notes(order)
    if order.ties:
        yield macros.ties(order.ties, in_paper)
    if not order.each:
        yield macros.one_result(order, in_paper)
    if order.skipped:
        yield macros.skipped(len(order.skipped), *next(iter(order.skipped.items())))
    yield from order.results.choices


def _doubts(order: Order) -> list[Message]:
    """Return notes on why tests on a single data set may not control the type I error rate; [] without edges."""
    if order.second is not None or not order.ordering.edges:
        return []
    (order_on_dataset,) = order.each.values()
    shared = order.results.design_of(order_on_dataset.dataset) == "common test set"
    notes = [message("common test set")] if shared else []
    method = PAIR_TESTS[order_on_dataset.evidence.test]
    if method.ignores_overlap:
        notes.append(message("as if independent", test=method.key, name=method.name))
    return notes


def describe_order_paths(paths: OrderPaths) -> str:
    """Return the number of distinct orders and the algorithms ranked first, as text."""
    firsts = list(dict.fromkeys(paths.places.idxmin(axis=1))) if len(paths.places) else []
    return _macros().paths(paths, firsts, len(paths.places.drop_duplicates()))


def describe_order_changes(changes: OrderChanges) -> str:
    """Return a description of the agreement of two orders."""
    same = changes.places.iloc[0].equals(changes.places.iloc[1])
    return _macros().changes(changes, same)


def order_advice(order: Order) -> Advice:
    """Return the recommendation shown for an order."""
    test = next((order_on_dataset.evidence.name for order_on_dataset in order.each.values()), "")
    one_sided = bool(test) and _one_sided(order)
    return Advice(
        question=_order_words("advice.question"),
        test=describe_order_method(order),
        because=(
            _order_words("advice.cost"),
            describe_rule(order),
            *([_order_words("advice.one_sided")] if one_sided else []),
        ),
        assumes=(
            *([_order_words("advice.test", test=test)] if test else []),
            _order_words("advice.any_cost"),
        ),
        alternatives=(
            ("Bonferroni", _order_words("advice.bonferroni")),
            ("No correction", _order_words("advice.uncorrected")),
            ("Bergmann-Hommel or Shaffer", _order_words("advice.two_sided")),
        ),
        not_allowed=(),
        reference=method_card.reference_of("multitest"),
    )
