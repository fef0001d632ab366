"""Text on orders of algorithms, for the user and, in the past tense, for a paper."""

from collections import Counter
from collections.abc import Iterable

from stats_core.comparison import conclusion_scope
from stats_core.comparison.cards import method_card
from stats_core.comparison.decide import DECIDED, LIMITED, decide
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import (
    MANY,
    format_count,
    format_number,
    format_set,
    join_names,
    measure_name,
    p_phrase,
)
from stats_core.core.messages import Message, TextCatalog, message
from stats_core.core.result_types import cached
from stats_core.data.costs import cost_name
from stats_core.inference import inference_text
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.ordering.multitest import COST
from stats_core.ordering.one_sided_evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.order import Order, OrderRules, SecondPass
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
            headline=_one_algorithm(ordering.order[0], in_paper=in_paper),
            notes=order.results.choices,
        )
    decided = LIMITED if _doubts(order) else DECIDED
    by_cost = BY_COST if _overridden(order) else BY_COST_ALONE
    if order.rules.prior:
        by_cost = BY_PRIOR
    reversed_pairs = against(order, comparison, in_paper=in_paper)
    first = first_worse(order, comparison, in_paper=in_paper)
    return Verdict(
        badge=decided if ordering.edges else by_cost,
        headline=f"{_by_criterion(order, _NAMED, in_paper=in_paper)}{first}",
        full=f"{_by_criterion(order, len(ordering.order), in_paper=in_paper)}{first}",
        size=_decided(order),
        notes=(*([reversed_pairs] if reversed_pairs else []), *_notes(order, in_paper=in_paper)),
    )


def _one_algorithm(name: str, *, in_paper: bool) -> str:
    is_only = "was" if in_paper else "is"
    return f"There {is_only} only one algorithm ({name}), so there {is_only} nothing to order."


def _by_criterion(order: Order, limit: int, *, in_paper: bool) -> str:
    """Return by what algorithms are ordered, whether tests change it, and at most `limit` names."""
    names, cost = order.ordering.order, describe_costs(order.rules)
    if in_paper:
        placed = "placed in our prior order" if order.rules.prior else f"ordered by {cost}"
        ordered = f"The algorithms were {placed}"
    else:
        ordered = "Ordered as you entered" if order.rules.prior else f"Ordered by {cost}"
    but = "except where a" if order.ordering.edges else "because no"
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (
        f"{ordered}, {but} {_comparative(order)} algorithm was significantly better {_where(order)}:"
        f" {', '.join(names[:limit])}{more}."
    )


def _comparative(order: Order) -> str:
    """Return the comparative for a later algorithm in the order by cost."""
    if order.rules.prior:
        return "later"
    return "slower" if describe_costs(order.rules).endswith("time") else "more expensive"


def _opposite(order: Order) -> str:
    """Return the opposite of `_comparative`, for an earlier algorithm, with its article."""
    return {"later": "an earlier", "slower": "a faster"}.get(_comparative(order), "a cheaper")


def _where(order: Order) -> str:
    """Return in what algorithms are compared, on which data sets, by which tests."""
    tests = _deciding_tests(order)
    if order.second is not None:
        return f"overall ({tests})"
    theta = order.rules.theta
    measured = (
        measure_name(order.settings.measure) if theta is None else f"expected cost at θ = {theta:g}"
    )
    return f"in {measured} {verdict.describe_datasets(list(order.each))} ({tests})"


def _deciding_tests(order: Order) -> str:
    second = order.second
    if second is None:
        return f"{_sides(order)}-sided tests of all pairs, {_adjusted(order)}"
    ranks = _ranks(order)
    if not second.rejected:
        return f"Friedman test of {ranks}"
    adjusted = (
        "unadjusted"
        if second.post_hoc == "none"
        else f"with {CORRECTIONS[second.post_hoc]} adjustment"
    )
    return f"tests of {ranks}, {adjusted}"


def _ranks(order: Order) -> str:
    return "cost-aware ranks" if order.each else "ranks"


def _sides(order: Order) -> str:
    return "one" if _one_sided(order) else "two"


def first_worse(order: Order, comparison: Comparison | None, *, in_paper: bool = False) -> str:
    """Return a sentence, after a blank, if an algorithm is significantly better than the first in order, else ""."""
    better = better_than_first(order, comparison)
    if not better or comparison is None:
        return ""
    measure, first = measure_name(comparison.settings.measure), order.ordering.order[0]
    is_worse = "was" if in_paper else "is"
    named = join_names(better, MANY if in_paper else 3)
    return f" In {measure} alone, {first} {is_worse} significantly worse than {named}."


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
    row = comparison.pairs.of(better, worse)
    contradicts, precedes = (
        ("contradicted", "preceded") if in_paper else ("contradicts", "precedes")
    )
    pairs = format_count(len(reversed_pairs), "pair")
    scope, test = verdict.describe_scope(comparison), comparison.test_name
    p = p_phrase(row["p adjusted"], comparison.settings.alpha, effect_text.pvalue_name(comparison))
    return (
        f"For {pairs}, the order {contradicts} a significant difference {scope} ({test})."
        f" For example, {worse} {precedes} {better} ({p})."
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
    on_datasets, over_datasets = _method_on_datasets(order, in_paper), ""
    if order.second is not None:
        over_datasets = _method_over_datasets(order, in_paper)
    between = ", " if in_paper else ". "
    method = between.join(part for part in (on_datasets, over_datasets) if part)
    if in_paper:
        return method
    if order.rules.prior:
        return f"{method}. Prior order: {join_names(order.rules.prior, MANY, last='then')}."
    return f"{method}. Cost: {describe_costs(order.rules)}."


def _method_on_datasets(order: Order, in_paper: bool) -> str:
    """Return the tests on single data sets; "" if there are none."""
    if not order.each:
        return ""
    names = dict.fromkeys(on_dataset.evidence.name for on_dataset in order.each.values())
    sided = f"{_sides(order)}-sided {join_names(list(names))}"
    tests = f"the {sided}" if in_paper else f"MultiTest with the {sided}"
    each = " on each data set" if len(order.each) > 1 else ""
    undivided = ", undivided" if order.rules.undivided else ""
    level = f" (α = {order.settings.alpha:g})" if order.second is None else ""
    return f"{tests}{each}{undivided}, {_adjusted(order)}{level}"


def _method_over_datasets(order: Order, in_paper: bool) -> str:
    """Return the tests of average ranks over data sets."""
    assert order.second is not None
    post_hoc, unadjusted = order.second.post_hoc, order.second.post_hoc == "none"
    pairs = "pairwise tests of average ranks"
    pairs = (
        f"unadjusted {pairs}" if unadjusted else f"{pairs} with {CORRECTIONS[post_hoc]} adjustment"
    )
    if not in_paper:
        opening = "Multi2Test over data sets with the"
    else:
        opening = "then the" if order.each else "the"
    ranks = _ranks(order) if order.each else f"ranks by {measure_name(order.settings.measure)}"
    prior = "the prior order" if order.rules.prior else "order of average normalised cost"
    level = f"α = {order.settings.alpha:g}"
    return f"{opening} Friedman test of the {ranks} and {pairs}, in {prior} ({level})"


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


def _not_overturned(order: Order) -> str:
    """Return the sentence on an order that tests on data sets contradict but average ranks do not."""
    edge_counts = Counter(
        edge for order_on_dataset in order.each.values() for edge in order_on_dataset.ordering.edges
    )
    (cheaper, better), times = edge_counts.most_common(1)[0]
    n, sets = len(_overridden(order)), format_count(len(order.each), "data set")
    return (
        f"On {n} of {sets}, a {_comparative(order)} algorithm was significantly better than"
        f" {_opposite(order)} algorithm. Most often, {better} was better than {cheaper}"
        f" ({format_count(times, 'data set')})."
    )


def _decided(order: Order) -> str:
    """Return a sentence on how neighbours were ordered: by tests, by cost and by name."""
    ordering, ties = order.ordering, order.ties
    if not ordering.by_test and order.second is not None and _overridden(order):
        return _not_overturned(order)
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
    return _decided_by(steps, {name: n for name, n in counts.items() if n})


def _decided_by(steps: int, counts: dict[str, int]) -> str:
    """Return a sentence on the number of steps that each of the named criteria decides."""
    (first, n_first), *others = counts.items()
    if not others:
        every = {1: "The only step was", 2: "Both steps were"}.get(steps, f"All {steps} steps were")
        return f"{every} decided by {first}."
    was = "was" if n_first == 1 else "were"
    between = ", " if len(counts) > 2 else " and "
    listed = join_names([f"{n} by {name}" for name, n in others])
    return f"Of {steps} steps, {n_first} {was} decided by {first}{between}{listed}."


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
    if order.second is not None:
        yield _friedman(order, order.second, in_paper=in_paper)
    yield from _doubts(order)
    yield from _replacement_notes(order)
    if order.ties:
        were, groups = "were" if in_paper else "are", join_names(list(map(format_set, order.ties)))
        yield f"Algorithms of equal cost {were} ordered by name: {groups}."
    if not order.each:
        was = "was" if in_paper else "is"
        yield (
            f"There {was} one result per algorithm and data set, so no test {was} possible on a"
            " single data set."
        )
    if order.skipped:
        name, reason = next(iter(order.skipped.items()))
        were = "was" if len(order.skipped) == 1 else "were"
        yield f"{format_count(len(order.skipped), 'data set')} {were} left out. {name}: {reason}"
    yield from order.results.choices


def _friedman(order: Order, second: SecondPass, *, in_paper: bool) -> str:
    """Return sentences on Friedman's test of the ranks, and on what follows for the order."""
    test, ranks = second.friedman, _ranks(order)
    if second.same_everywhere:
        sets, had = "Both" if test.n == 2 else f"All {test.n}", "had" if in_paper else "have"
        tested = f"{sets} data sets {had} the same order."
    else:
        gave, sets = "gave" if in_paper else "gives", format_count(test.n, "data set")
        p = p_phrase(test.pvalue, order.settings.alpha)
        tested = (
            f"The Friedman test of the {ranks} over {sets} {gave}"
            f" χ²({int(test.df[0])}) = {test.statistic:.1f}, {p}."
        )
    if not second.same_everywhere and not second.rejected:
        did, determined = ("did", "determined") if in_paper else ("do", "determines")
        cost = describe_costs(order.rules)
        alone = f"so {cost} alone {determined} the order"
        return f"{tested} The {ranks} {did} not differ significantly, {alone}."
    if order.each:
        measure = measure_name(order.settings.measure)
        return f"{tested} The ranks combine cost and {measure}."
    return tested


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


_VARIED = {
    "alpha": "significance level",
    "weight": "weight",
    "cost": "cost",
    "scale": "cost scale",
}  # what varies along paths of orders


def describe_order_paths(paths: OrderPaths) -> str:
    """Return the number of distinct orders and the algorithms ranked first, as text."""
    noun, of = _VARIED[paths.noun], f" of {paths.of}" if paths.of else ""
    if not len(paths.places):
        return f"No order is possible for any {noun}{of}."
    n_orders = len(paths.places.drop_duplicates())
    if n_orders == 1:
        return f"The order is the same for every {noun}{of}."
    firsts = list(dict.fromkeys(paths.places.idxmin(axis=1)))
    first = (
        f"{firsts[0]} is always first"
        if len(firsts) == 1
        else f"{join_names(firsts, last='or')} is first"
    )
    places = format_count(len(paths.places), noun)
    return f"There are {n_orders} different orders for {places}{of}. {first}."


def describe_order_changes(changes: OrderChanges) -> str:
    """Return a description of the agreement of two orders."""
    first, second = changes.first, changes.second
    if changes.places.iloc[0].equals(changes.places.iloc[1]):
        agreement = f"Ordering by {first} and ordering by {second} give the same final order."
    else:
        agreement = (
            f"The final orders based on {first} and on {second} have a Spearman rank correlation"
            f" of {format_number(changes.correlation)}."
        )
    n_sets = len(changes.table)
    if n_sets < 2:
        return agreement
    sets = format_count(n_sets, "data set")
    return f"{agreement} The two orders are the same on {changes.same} of {sets}."


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
