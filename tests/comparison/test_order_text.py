"""Tests of the texts on cost-aware orders."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED, decide
from stats_core.core.formatting import join_names
from stats_core.data.costs import COST_SCALES
from stats_core.data.settings import Settings
from stats_core.ordering.one_sided_evidence import FAMILIES
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.order_text import (
    against,
    better_than_first,
    describe_order_method,
    order_advice,
    order_verdict,
)
from stats_core.report.tables.order_tables import places
from tests.ordering.test_order import ERRORS, NOISE, TYPED, folds, results_of
from tests.ordering.test_order_sensitivity import ALIKE
from tests.samples import shipped

TOGETHER = "The ranks combine cost and error."
BY_COST = "Ordered by cost, because no more expensive algorithm was significantly better in"
EXCEPT = "Ordered by cost, except where a more expensive algorithm was significantly better in"
HOLM = "(one-sided tests of all pairs, with Holm adjustment)"


@pytest.fixture(scope="module")
def published():
    return shipped("demsar_2006_auc.csv", "auc")


@pytest.fixture(scope="module")
def uci():
    return shipped("uci38_5x2.csv")


def everything(order):
    """Return all sentences about an order as one text."""
    said, advice = order_verdict(order), order_advice(order)
    return " ".join(
        [
            *(said.headline, said.detail, *map(str, said.notes)),
            *(advice.question, advice.test, *advice.because, *advice.assumes),
            *(" ".join(pair) for pair in advice.alternatives),
            *(step.text for step in order.ordering.steps),
        ]
    )


# -- the verdict -------------------------------------------------------------------------------


def test_pairs_that_differ_against_the_order_are_counted_with_their_scope(uci):
    order, beside = order_of(uci), analyse(uci)
    names = order.ordering.order
    against_it = [p for p in decide(beside).apart if names.index(p[1]) < names.index(p[0])]
    better = [name for name in names if (name, names[0]) in against_it]
    said, found = against(order, beside), order_verdict(order, beside)

    assert said.startswith(
        f"For {len(against_it)} pairs, the order contradicts a significant difference in error over "
        "38 data sets ("
    )
    assert found.notes[0] == said
    assert better_than_first(order, beside) == better
    assert found.headline.endswith(
        f" In error alone, {names[0]} is significantly worse than {join_names(better, 3)}."
    )
    best_first = order_of(uci, rules=OrderRules(prior=tuple(beside.order)))
    assert against(best_first, beside) == ""
    assert "worse" not in order_verdict(best_first, beside).headline


def test_some_steps_by_the_test():
    order = order_of(results_of(folds()))  # b, c, a: c before a by the test
    said = order_verdict(order)

    assert order.ordering.by_test == 1
    assert said.badge == DECIDED
    assert said.headline == f"{EXCEPT} error on d {HOLM}: b, c, a."
    assert said.detail == "Of 2 steps, 1 was decided by significant differences and 1 by cost."
    assert said.notes == ()


@pytest.mark.parametrize(
    ("family", "said"),
    [
        ("none", "(one-sided tests of all pairs, unadjusted): "),
        ("bergmann_hommel", "(two-sided tests of all pairs, with Bergmann-Hommel adjustment): "),
    ],
)
def test_the_headline_names_the_tests_that_decide(family, said):
    assert (
        said
        in order_verdict(order_of(results_of(folds()), rules=OrderRules(family=family))).headline
    )


def test_without_a_difference_of_ranks_the_friedman_test_decides():
    order = order_of(shipped("twoclass_counts.csv"))
    assert not order.second.rejected
    assert (
        "significantly better overall (Friedman test of cost-aware ranks): "
        in order_verdict(order).headline
    )


@pytest.mark.parametrize(
    ("test", "badge", "words"),
    [
        ("corrected t", DECIDED, ""),
        ("5x2 cv F", DECIDED, ""),
        ("paired t", LIMITED, "The paired t test assumes independent folds"),
    ],
)
def test_an_order_is_decided_by_tests_that_keep_their_level(test, badge, words):
    said = order_verdict(order_of(results_of(folds()), Settings(test=test)))

    assert said.badge == badge
    assert words in " ".join(map(str, said.notes))


def test_an_order_on_a_common_test_set_is_limited():
    results = replace(results_of(folds()), design_hint="common test set")
    said = order_verdict(order_of(results))

    assert said.badge == LIMITED
    assert "share one test set" in str(said.notes[0])
    # over data sets the second pass keeps its level, whatever the tests of the first
    both = replace(results_of(folds("d"), folds("e")), design_hint="common test set")
    assert order_verdict(order_of(both)).badge != LIMITED


def test_no_step_by_the_test():
    order = order_of(results_of(folds(errors=ALIKE)))
    said = order_verdict(order)

    assert order.ordering.by_test == 0
    assert said.badge == "By cost alone"
    assert said.headline == f"{BY_COST} error on d {HOLM}: a, b, c."
    assert said.detail == "Both steps were decided by cost."


def test_at_equal_costs_the_name_decides_not_the_cost():
    """All three algorithms have the same cost, or only a and b."""
    some = order_verdict(order_of(results_of(folds(costs=(1.0, 1.0, 1.0)))))
    none = order_verdict(order_of(results_of(folds(errors=ALIKE, costs=(1.0, 1.0, 1.0)))))
    part = order_verdict(order_of(results_of(folds(errors=ALIKE, costs=(1.0, 1.0, 2.0)))))

    assert (
        some.detail
        == "Of 2 steps, 1 was decided by significant differences and 1 by the name (equal cost)."
    )
    assert none.detail == "Both steps were decided by the name (equal cost)."
    assert part.detail == "Of 2 steps, 1 was decided by cost and 1 by the name (equal cost)."


def test_the_test_the_cost_and_the_name_each_decide_a_step():
    """d is significantly better than the others and comes first; a and b have equal costs, c a higher one."""
    four = ALIKE.assign(d=ALIKE["a"] - 0.3 + 0.1 * NOISE)
    order = order_of(results_of(folds(errors=four, costs=(1.0, 1.0, 2.0, 3.0))))

    assert order.ordering.order == ("d", "a", "b", "c")
    assert order_verdict(order).detail == (
        "Of 3 steps, 1 was decided by significant differences, 1 by cost and 1 by the name (equal cost)."
    )


def test_every_step_by_the_test():
    # each .1 below the last, and a little less noisy, so that differences vary
    steep = pd.DataFrame({"a": 0.4 + NOISE, "b": 0.3 + 0.9 * NOISE, "c": 0.2 + 0.8 * NOISE})
    said = order_verdict(order_of(results_of(folds(errors=steep))))

    assert said.headline == f"{EXCEPT} error on d {HOLM}: c, b, a."
    assert said.detail == "Both steps were decided by significant differences."


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("ac", "The only step was decided by significant differences."),
        ("ab", "The only step was decided by cost."),
    ],
)
def test_two_algorithms_have_one_step(names, words):
    order = order_of(results_of(folds(errors=ERRORS[list(names)], costs=(1.0, 2.0))))
    assert order_verdict(order).detail == f"{words}"


def test_one_algorithm_is_nothing_to_order():
    said = order_verdict(order_of(results_of(folds(errors=ERRORS[["a"]], costs=(1.0,)))))
    assert said.badge == LIMITED
    assert said.headline == "There is only one algorithm (a), so there is nothing to order."


def test_the_verdict_on_the_sample(uci):
    order = order_of(uci, rules=OrderRules(cost="train_s"))
    said = order_verdict(order)

    assert said.headline == (
        "Ordered by training time, because no slower algorithm was significantly better overall "
        f"(tests of cost-aware ranks, with Bergmann-Hommel adjustment): {', '.join(order.ordering.order)}."
    )
    assert said.badge == "By cost"  # not by cost alone: tests go against it on 14 data sets
    assert said.detail == (
        "On 14 of 38 data sets, a slower algorithm was significantly better than a faster algorithm. "
        "Most often, SVM (degree 2) was better than 5-NN (9 data sets)."
    )
    chi2 = order.second.friedman.statistic
    assert tuple(map(str, said.notes)) == (
        f"The Friedman test of the cost-aware ranks over 38 data sets gives χ²(7) = {chi2:.1f}, p < 0.001. {TOGETHER}",
    )


def test_long_orders_are_cut_on_the_screen_and_whole_in_a_paper(rng):
    names = [f"a{place:02}" for place in range(14)]
    many = pd.DataFrame(rng.random((10, 14)), columns=names)
    said = order_verdict(order_of(results_of(folds(errors=many, costs=range(14)))))

    assert said.headline.endswith("a10, a11 and 2 more.")
    assert said.full.endswith("a10, a11, a12, a13.")


# -- notes -------------------------------------------------------------------------------------


def notes(*tables, rules=None):
    said = order_verdict(order_of(results_of(*tables), rules=rules))
    return tuple(map(str, said.notes))


def test_one_order_everywhere_is_said_to_be_rejected_by_definition():
    assert notes(folds("d", ALIKE), folds("e", ALIKE)) == (
        f"Both data sets have the same order. {TOGETHER}",
    )


def test_without_a_consistent_order_the_cost_is_named():
    tables = [folds("d", ALIKE), folds("e", ALIKE, (3.0, 1.0, 2.5))]
    assert notes(*tables) == (
        # places 1, 2, 3 and 3, 1, 2: sums 4, 3, 5, so chi-square 1 with 2 df, p exp(-1/2)
        "The Friedman test of the cost-aware ranks over 2 data sets gives χ²(2) = 1.0, p = 0.607. The cost-aware ranks "
        "do not differ significantly, so cost alone determines the order.",
    )


def test_ties_in_cost_are_named():
    assert notes(folds(costs=(2.0, 1.0, 2.0))) == (
        "Algorithms of equal cost are ordered by name: {a, c}.",
    )
    four = ALIKE.assign(d=ALIKE["c"][::-1].to_numpy())
    assert notes(folds(errors=four, costs=(1.0, 2.0, 1.0, 2.0))) == (
        "Algorithms of equal cost are ordered by name: {a, c} and {b, d}.",
    )


@pytest.mark.parametrize(
    ("holed", "words"),
    [
        (["e"], "1 data set was left out. e: Tests on folds need every result"),
        (["e", "f"], "2 data sets were left out. e: Tests on folds need every result"),
    ],
)
def test_data_sets_left_out_are_counted_and_the_first_named(holed, words):
    tables = [folds("d")]
    for name in holed:
        table = folds(name)
        table.loc[0, "error"] = np.nan
        tables.append(table)
    (note,) = notes(*tables)
    assert note.startswith(words)


def test_numbers_without_folds_are_said_to_be_ranked(published):
    said = order_verdict(order_of(published, rules=OrderRules(prior=TYPED)))

    assert said.detail == "All 3 steps were decided by your order."
    assert tuple(map(str, said.notes)) == (
        # 10.952 by R, see test_ranks
        "The Friedman test of the ranks over 14 data sets gives χ²(3) = 11.0, p = 0.012.",
        "There is one result per algorithm and data set, so no test is possible on a single data set.",
    )


def test_what_the_user_chose_about_holes_is_repeated():
    table = folds("d")
    table.loc[0, "error"] = np.nan
    results = results_of(table, folds("e")).resolve("drop data sets")
    assert order_verdict(order_of(results)).notes == results.choices


# -- the method --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "one-sided Nadeau-Bengio corrected t test, with Holm adjustment"),
        ({"family": "none"}, "one-sided Nadeau-Bengio corrected t test, unadjusted"),
        (
            {"family": "bonferroni"},
            "one-sided Nadeau-Bengio corrected t test, with Bonferroni adjustment",
        ),
        (
            {"family": "shaffer"},
            "two-sided Nadeau-Bengio corrected t test, with Shaffer adjustment",
        ),
    ],
)
def test_the_method_on_one_data_set(rules, words):
    order = order_of(results_of(folds()), rules=OrderRules(**rules))
    assert describe_order_method(order) == f"MultiTest with the {words} (α = 0.05). Cost: cost."


def test_the_method_of_the_f_test_undivided():
    rules = OrderRules(family="bergmann_hommel", undivided=True)
    order = order_of(results_of(folds()), Settings(test="5x2 cv F"), rules)
    assert describe_order_method(order) == (
        "MultiTest with the two-sided 5x2 cv F test, undivided, with Bergmann-Hommel adjustment (α = 0.05). Cost: cost."
    )


def test_the_method_names_the_correction_that_stands_in(rng):
    names = [f"a{place:02}" for place in range(31)]
    many = pd.DataFrame(rng.random((10, 31)), columns=names)
    results = results_of(folds(errors=many, costs=range(31)))
    order = order_of(results, rules=OrderRules(family="bergmann_hommel"))
    assert "with Shaffer adjustment" in describe_order_method(order)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (
            {},
            "Bergmann-Hommel adjustment, in order of average normalised cost (α = 0.1). Cost: cost.",
        ),
        ({"post_hoc": "none"}, "unadjusted pairwise tests of average ranks, in order of average"),
        (
            {"prior": ("c", "b", "a")},
            "adjustment, in the prior order (α = 0.1). Prior order: c, b then a.",
        ),
    ],
)
def test_the_method_on_several_data_sets(rules, words):
    results = results_of(folds("d"), folds("e"))
    said = describe_order_method(order_of(results, Settings(alpha=0.1), OrderRules(**rules)))
    assert said.startswith(
        "MultiTest with the one-sided Nadeau-Bengio corrected t test on each data set"
    )
    assert ". Multi2Test over data sets with the Friedman test of the cost-aware ranks and " in said
    assert words in said


def test_the_method_without_folds(published):
    order = order_of(published, rules=OrderRules(prior=TYPED, post_hoc="holm"))
    assert describe_order_method(order) == (
        "Multi2Test over data sets with the Friedman test of the ranks by AUC and pairwise tests of average ranks "
        "with Holm adjustment, in the prior order "
        f"(α = 0.05). Prior order: {join_names(TYPED, 4, last='then')}."
    )


def test_different_designs_name_different_tests():
    uneven = folds("e").query("repetition == 1 or (repetition == 2 and fold == 1)")
    order = order_of(results_of(folds("d"), uneven))
    assert "Nadeau-Bengio corrected t test and paired t test" in describe_order_method(order)


# -- advice ------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_advice_speaks_of_one_direction_only_where_one_is_tested(family):
    advice = order_advice(order_of(results_of(folds()), rules=OrderRules(family=family)))
    one = "are one-sided" in " ".join(advice.because)
    assert one == (family in ("holm", "bonferroni", "none"))
    assert advice.assumes[0].endswith("Nadeau-Bengio corrected t test.")


def test_advice_without_folds_names_no_test_of_folds(published):
    advice = order_advice(order_of(published, rules=OrderRules(prior=TYPED)))
    assert len(advice.assumes) == 1
    assert "one-sided" not in " ".join(advice.because)


# -- all of it ---------------------------------------------------------------------------------


def orders(uci, published):
    yield order_of(results_of(folds()))
    yield order_of(results_of(folds(errors=ALIKE)))
    yield order_of(results_of(folds("d", ALIKE), folds("e", ALIKE, (3.0, 1.0, 2.5))))
    yield order_of(uci, rules=OrderRules(weights=(("train_s", 1.0), ("size", 0.5))))
    yield order_of(uci, Settings(alpha=0.2), OrderRules(cost="train_s", family="shaffer"))
    yield order_of(published, rules=OrderRules(prior=TYPED, post_hoc="none"))


def test_no_sentence_calls_algorithms_equal(uci, published):
    for order in orders(uci, published):
        said = everything(order)
        assert not re.search(r"\b(nan|None|inf)\b", said)
        assert not re.search(r"\b(equal|identical|same)\b", said.replace("equal cost", ""))
        assert not re.search(r"\b1 (steps|data sets|algorithms)\b", said)
        assert ".." not in said
        assert "  " not in said


def test_the_count_of_steps_is_that_of_the_order(uci, published):
    for order in orders(uci, published):
        k, by_test = len(order.ordering.order), order.ordering.by_test
        detail = order_verdict(order).detail
        if 0 < by_test < k - 1:
            assert f"Of {k - 1} steps, {by_test} w" in detail
        else:
            differ = any(one.ordering.edges for one in order.each.values())
            assert (by_test == 0) == ("ignificant differences" not in detail)
            assert (by_test == 0 and differ) == ("Most often, " in detail)


def test_hostile_names_are_kept_as_text():
    names = ["<b>", "{0}", "%s"]
    order = order_of(results_of(folds(errors=ERRORS.set_axis(names, axis=1))))
    # b, c, a of the plain names
    assert order_verdict(order).headline == f"{EXCEPT} error on d {HOLM}: {{0}}, %s, <b>."


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (OrderRules(cost="train_s"), ", then averaged."),
        (OrderRules(cost="train_s", scale="log"), f"{COST_SCALES['log']}."),
        (OrderRules(prior=shipped("uci38_5x2.csv").algorithms), ""),
    ],
    ids=["scaled", "log", "no cost"],
)
def test_the_table_says_what_an_average_cost_is(uci, rules, said):
    caption = places(order_of(uci, rules=rules)).caption

    assert said in caption
    assert ("Costs over data sets: " in caption) == bool(said)
