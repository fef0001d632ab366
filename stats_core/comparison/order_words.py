"""Orders in words."""

from collections import Counter
from collections.abc import Iterable

from stats_core.comparison.advice import Advice
from stats_core.comparison.base import Comparison
from stats_core.comparison.cards.card import reference_of
from stats_core.comparison.claims import claimed
from stats_core.comparison.verdict import Verdict
from stats_core.core.notes import TO_USER, Note, Voice, note
from stats_core.core.words import MANY, braced, capital, count, listed, p_phrase
from stats_core.data.settings import SOURCES
from stats_core.inference.families.corrections import (
    CORRECTIONS,
    nearest_said,
    replaced,
)
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT
from stats_core.ordering.evidence import TWO_SIDED_FAMILIES
from stats_core.ordering.multitest import COST, UNLESS
from stats_core.ordering.order import Order, SecondPass

_NAMED = 12  # algorithms in the headline


def order_verdict(order: Order, beside: Comparison | None = None) -> Verdict:
    """Say the order, and how much of it the test decided.

    Parameters
    ----------
    order : Order
        From `order_of`.
    beside : Comparison, optional
        Of the same results without costs; where it finds one worse than another that stands behind
        it, a note says why both can hold.

    Returns
    -------
    Verdict
    """
    ordering = order.ordering
    k = len(ordering.order)
    cost = order.rules.cost_label
    if k == 1:
        return Verdict(
            badge="Limited",
            headline=f"There is one algorithm, {ordering.order[0]}; there is nothing to order.",
            notes=order.results.choices,
        )
    detail = f"{_decided(order, cost)} {capital(rule_said(order))}."
    decided = "Limited" if _doubts(order) else "Decided"
    by_cost = "By cost" if _overridden(order) else "By cost alone"
    if order.rules.prior:
        by_cost = "By your order"
    return Verdict(
        badge=decided if ordering.edges else by_cost,
        headline=f"Order: {numbered(ordering.order)}.",
        size=detail,
        notes=(*([said] if (said := against(order, beside)) else []), *_notes(order)),
    )


def against(order: Order, beside: Comparison | None) -> str:
    """Say of the earliest in order that a comparison without costs finds worse why it stands there.

    Examples
    --------
    See the page Ordering.
    """
    if beside is None or beside.settings.measure != order.settings.measure:
        return ""
    names = order.ordering.order
    place = {name: at for at, name in enumerate(names)}
    found = [(a, b) for a, b in claimed(beside).apart if place.get(b, 0) < place.get(a, -1)]
    if not found:
        return ""
    worse = min((b for _, b in found), key=names.index)
    better = [name for name in names if (name, worse) in found]
    rest = len(found) - len(better)
    also = f"; {count(rest, 'other pair')} stand{'s' * (rest == 1)} likewise" if rest else ""
    return (
        f"{worse} stands before {listed(better, 3)}, as no test of this order puts "
        f"{'it' if len(better) == 1 else 'them'} first. Without costs, {beside.post} finds {worse} "
        f"worse in {beside.settings.measure}{also}."
    )


def numbered(names: Iterable[str]) -> str:
    """Write "1 svr, 2 svl"; long orders are cut.

    Examples
    --------
    >>> numbered(["svr", "svl"])
    '1 svr, 2 svl'
    """
    names = list(names)
    shown = ", ".join(f"{place} {name}" for place, name in enumerate(names[:_NAMED], 1))
    return shown if len(names) <= _NAMED else f"{shown}, and {len(names) - _NAMED} more"


def method_of(order: Order, voice: Voice = TO_USER) -> str:
    """Return how the order was made, in one sentence."""
    return f"{method_clause(order, voice)}."


def method_clause(order: Order, voice: Voice = TO_USER) -> str:
    """Return how the order was made, to go on after a colon."""
    alpha = order.settings.alpha
    parts = []
    if order.each:
        tests = list(dict.fromkeys(one.evidence.name for one in order.each.values()))
        sided = "two-sided" if order.rules.family in TWO_SIDED_FAMILIES else "one-sided"
        undivided = ", undivided" if order.rules.undivided else ""
        where = "on each data set " if len(order.each) > 1 else ""
        parts.append(
            f"MultiTest {where}with the {sided} {listed(tests)}{undivided}, {_adjusted(order)}"
        )
    if order.second is not None:
        post = CORRECTIONS[order.second.post_hoc]
        ranks = "positions" if order.each else f"ranks by {order.settings.measure}"
        by = "that order" if order.rules.prior else "average normalised cost"
        parts.append(
            f"Friedman's test on the {ranks}, then {post if post != 'none' else 'unadjusted tests'} "
            f"on {SOURCES['ranks']} and MultiTest by {by}"
        )
    return f"{'; '.join(parts)}; alpha {alpha:g}; {_prior(order, voice)}"


def _prior(order: Order, voice: Voice) -> str:
    """Name the cost, or list the order that stands for it."""
    if not order.rules.prior:
        return f"cost: {order.rules.cost_label}"
    return f"{voice.your} order: {listed(order.rules.prior, MANY, last='then')}"


def _adjusted(order: Order) -> str:
    """Name the correction really used on a data set."""
    asked = order.rules.family
    if asked == "none":
        return "unadjusted"
    if asked not in TWO_SIDED_FAMILIES:
        return f"adjusted by {CORRECTIONS[asked]}"
    used = dict.fromkeys(one.evidence.used(asked) for one in order.each.values())
    return f"adjusted by {listed([CORRECTIONS[one] for one in used])}"


def _instead(order: Order) -> list[Note]:
    """Say which corrections stand in for those asked for, and why."""
    asked, rules, k = order.rules.family, order.rules, len(order.ordering.order)
    said: list[Note] = []
    if asked in TWO_SIDED_FAMILIES:
        sets = [name for name, one in order.each.items() if one.evidence.used(asked) != asked]
        said += nearest_said(asked, k, tuple(sets))
    if order.second is not None:
        post = replaced(rules.post_hoc, k, source="ranks", used=order.second.post_hoc)
    else:
        (one,) = order.each.values()
        post = replaced(rules.post_hoc, k, used=one.evidence.used(rules.post_hoc))
    return said if post is None or post in said else [*said, post]


def rule_said(order: Order) -> str:
    """Say the rule, to go on: "the cheaper goes first unless the costlier ... is better"."""
    if order.rules.prior:
        return f"the earlier goes first {UNLESS.replace('costlier', 'later')}"
    return f"the cheaper goes first {UNLESS}"


def _overridden(order: Order) -> list[str]:
    """Return the data sets on which a test puts a costlier one first."""
    return [name for name, one in order.each.items() if one.ordering.edges]


def _not_overturned(order: Order, cost: str) -> str:
    """Say that tests on data sets go against the cost, and average places do not."""
    often = Counter(edge for one in order.each.values() for edge in one.ordering.edges)
    (cheaper, better), times = often.most_common(1)[0]
    n, of = len(_overridden(order)), len(order.each)
    later = "later" if order.rules.prior else "costlier"
    by = cost if order.rules.prior else f"the order of {cost}"
    return (
        f"On {n} of {count(of, 'data set')} a test put a {later} one first (most often {better} "
        f"before {cheaper}, on {times}); the average places do not overturn {by}."
    )


def _decided(order: Order, cost: str) -> str:
    """Say how many steps the test, the cost and, where costs are equal, the name decided."""
    ordering, ties = order.ordering, order.ties
    if not ordering.by_test and order.second is not None and _overridden(order):
        return _not_overturned(order, cost)
    by_test, steps = ordering.by_test, len(ordering.decisions)
    by_name = sum(
        what == COST and any({first, second} <= set(group) for group in ties)
        for first, second, what in ordering.decisions
    )
    by_cost = steps - by_test - by_name
    every = {1: "the one step", 2: "both steps"}.get(steps, f"all {steps} steps")
    if by_test == steps:
        return f"The test decided {every}."
    if not by_test:
        goes = "goes" if steps == 1 else "go"
        if not by_cost:
            return f"No test separates them and {cost} is equal: {every} {goes} by name."
        also = f", {by_name} of them by name, where it is equal" if by_name else ""
        return f"No test overrides {cost}: {every} {goes} by it{also}."
    said = f"The test decided {by_test} of {count(steps, 'step')}"
    if not by_name:
        return f"{said}, {cost} the rest."
    if not by_cost:
        return f"{said}; where {cost} is equal, the name decided the rest."
    return f"{said}, {cost} {by_cost}; where it is equal, the name decided {by_name}."


def _notes(order: Order) -> Iterable[Note | str]:
    if order.second is not None:
        yield _friedman(order, order.second)
    yield from _doubts(order)
    yield from _instead(order)
    if order.ties:
        tied = listed([braced(group) for group in order.ties])
        yield f"Equal cost: {tied}; ordered by name."
    if not order.each:
        yield (
            "There is one number per data set and algorithm, so nothing can be tested on a single "
            f"data set: the ranks are those of {order.settings.measure}."
        )
    if order.skipped:
        name, why = next(iter(order.skipped.items()))
        n = len(order.skipped)
        left = "1 data set left out," if n == 1 else f"{n} data sets left out, first"
        yield f"{left} {name}: {why}"
    yield from order.results.choices


def _doubts(order: Order) -> list[Note]:
    """Say why the tests of the one data set there is do not bound how often they are wrong."""
    if order.second is not None or not order.ordering.edges:
        return []
    (one,) = order.each.values()
    shared = order.results.design_of(one.dataset) == "common test set"
    ignores = one.evidence.test in AS_IF_INDEPENDENT
    return [
        *([note("common test set")] if shared else []),
        *([note("as if independent", test=one.evidence.test)] if ignores else []),
    ]


def _friedman(order: Order, second: SecondPass) -> str:
    test, alpha = second.friedman, order.settings.alpha
    what = "Positions" if order.each else "Ranks"
    if second.same_everywhere:
        every = "Both" if test.n == 2 else f"All {test.n}"
        return (
            f"{every} data sets have the same order, so Friedman's test rejects by definition."
            f"{_meaning(order)}"
        )
    said = (
        f"{what} over {count(test.n, 'data set')}: Friedman {test.statistic:.2f} "
        f"({int(test.df[0])}), {p_phrase(test.pvalue, alpha)}"
    )
    if not second.rejected:
        return f"{said}: no consistent order is shown, so {order.rules.cost_label} alone decides."
    return f"{said}.{_meaning(order)}"


def _meaning(order: Order) -> str:
    if not order.each:
        return ""
    return " That means a consistent order of cost and error together, not different errors."


def order_for(analysis: Comparison) -> str:
    """Return the column an order of these results would go by, "" if they have no cost."""
    costs = analysis.results.costs
    return costs[0] if costs and len(analysis.results.algorithms) > 1 else ""


def order_advice(order: Order) -> Advice:
    """Explain why algorithms are ordered this way."""
    test = next((one.evidence.name for one in order.each.values()), "")
    one_sided = bool(test) and order.rules.family not in TWO_SIDED_FAMILIES
    return Advice(
        question="Which algorithm to choose, and which next, if error and cost both count?",
        test=method_of(order),
        because=(
            "Tests separate algorithms, but do not say which to take of those they do not separate. "
            "The cost does.",
            "The costlier goes first only where a test finds it better"
            + ("; on a data set only that direction is tested." if one_sided else "."),
        ),
        assumes=(
            *([f"What the {test} assumes on each data set."] if test else []),
            "That cost matters where tests show no difference, however small that in cost.",
        ),
        alternatives=(
            ("Bonferroni, or no correction", "more cautious, or more eager to override the cost"),
            (
                "Bergmann-Hommel or Shaffer on a data set",
                "they reason about equalities, so they need two-sided tests; the mean gives the "
                "direction",
            ),
        ),
        not_allowed=(),
        reference=reference_of("multitest"),
    )
