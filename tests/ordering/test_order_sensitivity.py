"""Tests of differences between two orders, and of orders at several levels, weights, costs and scales.

Most expected values were computed by hand.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from foldwise.figures.order_paths import changes_of_order
from stats_core.core.errors import DesignError, SettingError
from stats_core.data.costs import COST_SCALES
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.ordering.multitest import multi2test
from stats_core.ordering.one_sided_evidence import evidence_over
from stats_core.ordering.order import OrderRules, Shared, order_of
from stats_core.ordering.order_sensitivity import (
    ALPHAS,
    WEIGHTS,
    OrderPaths,
    order_by_alpha,
    order_by_cost,
    order_by_scale,
    order_by_weight,
    order_changes,
    shared_order_parts,
)
from stats_core.report.order_text import describe_order_changes, describe_order_paths
from tests.ordering.test_order import ERRORS, NOISE, TYPED, folds
from tests.samples import shipped

# nothing is separated here: the order is that of the cost
ALIKE = pd.DataFrame({"a": NOISE, "b": NOISE[::-1], "c": -NOISE}) + 0.3
SIZES = {"a": 9.0, "b": 3.0, "c": 6.0}


def both(first, second, dataset="d"):
    """Return rows with error and test error, costs 1, 2, 3 and sizes 9, 3, 6."""
    rows = folds(dataset, first)
    return rows.assign(
        test_error=folds(dataset, second)["error"], size=rows["algorithm"].map(SIZES)
    )


def results_of(*tables):
    low = {"error": "lower", "test_error": "lower"}
    return Results.from_frame(pd.concat(tables), directions=low, costs=["cost", "size"])


def changes(results, rules=None):
    orders = [
        order_of(results, Settings(measure=measure), rules) for measure in ("error", "test_error")
    ]
    return order_changes(*orders)


# -- from one measure to the other -------------------------------------------------------------


def test_the_figure_of_changes_has_both_orders():
    results = results_of(both(ERRORS, ALIKE))
    figure = changes_of_order(order_of(results, Settings(measure="error")), changes(results))

    assert figure.places.to_dict("list") == {"a": [3, 1], "b": [1, 2], "c": [2, 3]}
    assert figure.alt.endswith("Order at error: 1 b, 2 c, 3 a. Order at test error: 1 a, 2 b, 3 c.")


def test_one_data_set_by_hand():
    """By error, the order is b, c, a; by test error, no pair differs significantly, so it is a, b, c."""
    found = changes(results_of(both(ERRORS, ALIKE)))

    assert (found.first, found.second) == ("error", "test error")
    assert found.places.to_dict("list") == {"a": [3, 1], "b": [1, 2], "c": [2, 3]}
    # d^2 4 + 1 + 1: 1 - 6 6 / (3 8); of three pairs b and c alone keep their order
    assert found.correlation == pytest.approx(-0.5)
    assert found.kendall == pytest.approx(-1 / 3)
    assert found.table.loc["d"].to_dict() == {
        "same": False,
        "correlation": pytest.approx(-0.5),
        "largest": 2,
        "moved": "a",
    }
    assert found.movers.to_dict() == {"a": 1, "b": 0, "c": 0}
    assert describe_order_changes(found) == (
        "The final orders based on error and on test error have a Spearman rank correlation of \u22120.50."
    )


def test_the_same_order_is_said_in_words():
    found = changes(results_of(both(ALIKE, ALIKE[::-1].reset_index(drop=True))))

    assert (found.same, found.correlation, found.kendall) == (1, 1, 1)
    assert describe_order_changes(found) == (
        "Ordering by error and ordering by test error give the same final order."
    )


def test_several_data_sets_are_counted():
    tables = [both(ERRORS, ALIKE, "d"), both(ALIKE, ERRORS, "e"), both(ALIKE, ALIKE, "f")]
    found = changes(results_of(*tables))

    assert found.table["same"].tolist() == [False, False, True]
    assert found.same == 1
    assert found.movers.to_dict() == {"a": 2, "b": 0, "c": 0}
    assert list(found.movers.index)[0] == "a"  # most first
    assert describe_order_changes(found) == (
        "Ordering by error and ordering by test error give the same final order. The two orders are the same on 1 of 3 data sets."
    )


def test_half_of_two_places_is_any_change():
    pair = ERRORS[["a", "c"]].set_axis(["a", "b"], axis=1)
    rows = folds("d", pair, costs=(1.0, 2.0)).assign(size=1.0)
    rows["test_error"] = folds("d", ALIKE[["a", "b"]], costs=(1.0, 2.0))["error"]
    found = changes(results_of(rows))

    assert (found.correlation, found.kendall) == (pytest.approx(-1), pytest.approx(-1))
    assert found.table.loc["d", "moved"] == "a, b"


def test_one_algorithm_cannot_move():
    rows = folds("d", ERRORS[["a"]], costs=(1.0,)).assign(size=1.0, test_error=0.2)
    found = changes(results_of(rows))

    assert np.isnan(found.correlation)
    assert "nan" not in describe_order_changes(found)
    assert describe_order_changes(found).startswith("Ordering by error and")


def test_data_sets_that_both_could_order_are_compared():
    broken = both(ERRORS, ALIKE, "e")
    broken.loc[2, "test_error"] = np.nan
    tables = [both(ALIKE, ALIKE, "d"), broken, both(ALIKE, ALIKE, "f")]
    assert list(changes(results_of(*tables)).table.index) == ["d", "f"]


def test_without_folds_ranks_are_compared():
    """Ranks 1.5, 1.5, 3 and 1, 2, 3 differ by at most one half."""
    rows = pd.DataFrame(
        {
            "dataset": list("ddd" + "eee"),
            "algorithm": list("abc") * 2,
            "error": [0.1, 0.1, 0.2, 0.1, 0.2, 0.3],
            "test_error": [0.1, 0.2, 0.3, 0.2, 0.2, 0.2],
            "cost": [1.0, 2, 3] * 2,
            "size": 1.0,
        }
    )
    found = changes(results_of(rows))

    assert found.table["largest"].tolist() == [0.5, 1]
    assert found.table["moved"].tolist() == ["", ""]
    assert found.table.loc["d", "correlation"] == pytest.approx(np.sqrt(3) / 2)  # one tie of 3
    assert np.isnan(found.table.loc["e", "correlation"])  # all tie
    assert "nan" not in describe_order_changes(found)


def test_orders_of_others_are_not_compared():
    results = results_of(both(ERRORS, ALIKE))
    other = results_of(both(ERRORS, ALIKE, "e"))
    few = results.select(algorithms=["a", "b"])
    for second in (other, few):
        with pytest.raises(DesignError, match="same algorithms and a shared data set"):
            order_changes(order_of(results), order_of(second))


def test_the_sample_keeps_most_of_its_orders():
    """As in section 4.7 of the paper, at least half of the orders are equal, and final ranks differ by at most 1."""
    results = shipped("uci38_5x2.csv")
    found = changes(results, OrderRules(cost="train_s"))

    moves = (found.places.iloc[0] - found.places.iloc[1]).abs()
    assert found.table["same"].sum() >= 19
    assert (moves <= 1).all()
    assert f"on {found.same} of 38 data sets" in describe_order_changes(found)


# -- what tells two orders apart ---------------------------------------------------------------


def told_apart(*orders):
    found = order_changes(*orders)
    assert list(found.places.index) == [found.first, found.second]
    return found.first, found.second


def test_orders_by_two_costs_are_told_apart_by_the_cost():
    """No pair differs significantly: by cost, the order is a, b, c; by size, it is b, c, a."""
    results = results_of(both(ALIKE, ALIKE))
    by_cost, by_size = (order_of(results, rules=OrderRules(cost=name)) for name in ("cost", "size"))

    assert told_apart(by_cost, by_size) == ("cost", "size")
    said = describe_order_changes(order_changes(by_cost, by_size))
    assert said.startswith("The final orders based on cost and on size")
    typed = order_of(results, rules=OrderRules(prior=("c", "b", "a")))
    assert told_apart(by_size, typed) == ("size", "your order c, b and a")
    weighed = order_of(results, rules=OrderRules(weights=(("cost", 1), ("size", 2))))
    assert told_apart(by_cost, weighed) == ("cost", "cost + 2 size")


def test_orders_by_risk_are_told_apart_by_theta_not_by_a_measure_they_do_not_use():
    counts = both(ERRORS, ALIKE).assign(tp=40, fp=10, tn=40, fn=[10 + i % 3 for i in range(30)])
    results = results_of(counts)
    risks = [
        order_of(results, Settings(measure=measure), OrderRules(theta=theta, family="none"))
        for measure, theta in (("error", 0.1), ("test_error", 0.5))
    ]

    assert told_apart(*risks) == ("expected cost at θ = 0.1", "expected cost at θ = 0.5")
    by_error = order_of(results, rules=OrderRules(family="none"))
    assert told_apart(by_error, risks[0]) == ("error", "expected cost at θ = 0.1")


def test_orders_by_other_tests_levels_and_corrections_are_told_apart_by_them():
    results = results_of(both(ERRORS, ALIKE))
    plain = order_of(results, Settings(test="5x2 cv F"))
    others = {
        "paired t test": order_of(results, Settings(test="paired t")),
        "5x2 cv F test, undivided": order_of(
            results, Settings(test="5x2 cv F"), OrderRules(undivided=True)
        ),
        "α = 0.1": order_of(results, Settings(test="5x2 cv F", alpha=0.1)),
        "unadjusted on each data set": order_of(
            results, Settings(test="5x2 cv F"), OrderRules(family="none")
        ),
    }
    for label, order in others.items():
        assert told_apart(plain, order)[1] == label
    assert told_apart(plain, others["α = 0.1"])[0] == "α = 0.05"


def test_orders_over_data_sets_are_told_apart_by_scale_and_post_hoc_test():
    results = results_of(*(both(ALIKE, ALIKE, name) for name in "def"))
    plain, other, single = (
        order_of(results, rules=OrderRules(scale="rank", post_hoc="nemenyi")),
        order_of(results, rules=OrderRules(scale="sum", post_hoc="none")),
        order_of(results.select(datasets=["d"]), rules=OrderRules(cost="size")),
    )
    assert told_apart(plain, other) == (
        "Nemenyi over data sets, costs: ranks",
        "unadjusted over data sets, costs: divided by sum",
    )
    # on one data set neither has a say
    assert told_apart(plain, single) == ("cost", "size")


def test_two_files_are_two_parts():
    parts = [
        replace(results_of(both(rows, ALIKE)), files=(name,))
        for rows, name in ((ERRORS, "validation.csv"), (ALIKE, "test.csv"))
    ]
    assert told_apart(*map(order_of, parts)) == ("validation.csv", "test.csv")


def test_an_order_and_itself_are_told_apart_by_their_turn():
    order = order_of(results_of(both(ERRORS, ALIKE)))
    assert told_apart(order, order) == ("error (first)", "error (second)")


# -- what an order hangs on --------------------------------------------------------------------


@pytest.fixture
def ordered():
    """The order of one data set by cost, which is b, c, a at alpha = 0.05, and its evidence."""
    results = results_of(both(ERRORS, ALIKE))
    return order_of(results), evidence_over(results, Settings())


def test_the_order_changes_where_alpha_passes_the_adjusted_p(ordered):
    order, found = ordered
    p = order.each["d"].adjusted("a", "c")
    assert 0.0001 < p < 0.05

    paths = order_by_alpha(order, found, [p * 0.99, p, 0.06])

    assert paths.what == "alpha"
    assert list(paths.places.index) == [p * 0.99, p, 0.05, 0.06]  # that of the order is added
    assert paths.orders.tolist() == ["a < b < c", *["b < c < a"] * 3]
    assert list(paths.places.columns) == ["a", "b", "c"]  # as at the first value
    assert describe_order_paths(paths) == (
        "There are 2 different orders for 4 significance levels. a or b is first."
    )
    assert paths.refused == {}


def test_many_levels_are_tried_unless_others_are_named(ordered):
    order, found = ordered
    assert list(order_by_alpha(order, found).places.index) == list(ALPHAS)
    with_own = replace(order, settings=replace(order.settings, alpha=0.06))
    assert 0.06 in order_by_alpha(with_own, found).places.index


def test_levels_that_cannot_be_are_refused_with_the_reason(ordered):
    order, found = ordered
    with pytest.raises(SettingError, match="must lie strictly between 0 and 1"):
        order_by_alpha(order, found, [1.5])


@pytest.fixture
def tied():
    """An order by cost alone, since no pair differs significantly, and its evidence."""
    results = results_of(both(ALIKE, ALIKE))
    return order_of(results), evidence_over(results, Settings())


def test_weights_by_hand(tied):
    """The shares of a, b, c are 1/3, 2/3, 1 for cost, and 1, 1/3, 2/3 for size."""
    paths = order_by_weight(*tied, ("cost", "size"), [0, 0.5, 0.7, 1])

    # half: a 2/3, b 1/2, c 5/6; at .7 a is .533, b .567
    assert paths.orders.tolist() == ["b < c < a", "b < a < c", "a < b < c", "a < b < c"]
    assert describe_order_paths(paths) == (
        "There are 3 different orders for 4 weights of cost. b or a is first."
    )
    assert paths.what == "weight of cost"


def test_weights_run_from_0_to_1_and_need_two_costs(tied):
    paths = order_by_weight(*tied, ("cost", "size"))
    assert list(paths.places.index) == list(WEIGHTS)
    assert paths.orders.iloc[-1] == "a < b < c"
    with pytest.raises(SettingError, match="Weights need two different costs, but both"):
        order_by_weight(*tied, ("size", "size"))


def test_each_cost_gives_its_order(tied):
    paths = order_by_cost(*tied, ["cost", "size", "price"])

    assert paths.orders.to_dict() == {"cost": "a < b < c", "size": "b < c < a"}
    assert '"price" is not a cost' in paths.refused["price"]
    assert (
        describe_order_paths(paths) == "There are 2 different orders for 2 costs. a or b is first."
    )


def test_a_typed_order_gives_way_to_each_cost(tied):
    typed = replace(tied[0], rules=OrderRules(prior=("c", "a", "b")))
    assert order_by_cost(typed, tied[1], ["size"]).orders.tolist() == ["b < c < a"]
    weighed = order_by_weight(typed, tied[1], ("cost", "size"), [1])
    assert weighed.orders.tolist() == ["a < b < c"]


def test_scales_by_hand():
    """a, b and c cost 0, 9, 10; 10, 1, 0; and 1, 2, 2.1 on three data sets; no pair differs significantly."""
    costs = {"d": (0.0, 9.0, 10.0), "e": (10.0, 1.0, 0.0), "f": (1.0, 2.0, 2.1)}
    tables = [
        folds(name, ALIKE, given).assign(test_error=0.1, size=1.0) for name, given in costs.items()
    ]
    results = results_of(*tables)
    order, found = order_of(results), evidence_over(results, Settings())

    paths = order_by_scale(order, found)

    assert order.second.rejected is False
    # largest: a (0 + 1 + .476)/3, b (.9 + .1 + .952)/3, c (1 + 0 + 1)/3; ranks 5, 6, 7 thirds
    assert paths.orders["largest"] == "a < b < c"
    # sum: a (0 + .909 + .196)/3, b (.474 + .091 + .392)/3, c (.526 + 0 + .412)/3
    assert paths.orders["sum"] == "c < b < a"
    # min-max: a (0 + 1 + 0)/3, b (.9 + .1 + .909)/3, c (1 + 0 + 1)/3
    assert paths.orders["min-max"] == "a < b < c"
    assert paths.orders["rank"] == "a < b < c"
    assert list(paths.refused) == ["log"]
    assert "Logarithms need costs above 0" in paths.refused["log"]
    assert describe_order_paths(paths) == (
        "There are 2 different orders for 4 cost scales. a or c is first."
    )


def test_scales_do_not_matter_on_one_data_set(tied):
    paths = order_by_scale(*tied)
    assert list(paths.places.index) == list(COST_SCALES)
    assert describe_order_paths(paths) == "The order is the same for every cost scale."


def test_without_folds_nothing_has_to_be_found_first():
    results = shipped("demsar_2006_auc.csv", "auc")
    order = order_of(results, rules=OrderRules(prior=TYPED, post_hoc="none"))
    paths = order_by_alpha(order, ({}, {}), [0.01])
    # z of the farthest pair is 2.49, p .0128; at .01 none is separated
    assert paths.orders.loc[0.01] == " < ".join(TYPED)
    assert paths.orders.loc[0.05] == " < ".join(order.ordering.order)


def test_if_nothing_gives_an_order_it_says_so(tied):
    paths = order_by_cost(*tied, ["price"])
    assert paths.places.empty
    assert describe_order_paths(paths) == "No order is possible for any cost."


def test_names_that_look_like_orders_stay_whole():
    places = pd.DataFrame({"a < b": [1, 2], "c": [2, 1]}, index=[0.1, 0.2])
    paths = OrderPaths(noun="alpha", of="", places=places, refused={})
    assert describe_order_paths(paths) == (
        "There are 2 different orders for 2 significance levels. a < b or c is first."
    )


# -- computing once what orders share ----------------------------------------------------------


@pytest.mark.parametrize("family", ["holm", "bergmann_hommel"])
def test_orders_that_share_their_work_are_those_made_alone(family):
    """Each path is compared with single orders of the sample, which has 38 data sets and three costs."""
    results = shipped("uci38_5x2.csv")
    rules = OrderRules(cost="train_s", family=family)
    order, found = order_of(results, rules=rules), evidence_over(results, Settings())
    costs = ("train_s", "size")
    by_level, by_weight, by_cost, by_scale = (
        order_by_alpha(order, found, [0.01, 0.2]),
        order_by_weight(order, found, costs, [0, 0.3, 0.35, 1]),
        order_by_cost(order, found, results.costs),
        order_by_scale(order, found),
    )

    def alone(settings, **changed):
        return order_of(results, settings, replace(rules, **changed), found=found).ordering.places

    made = Settings(measure=order.settings.measure)
    for level in by_level.places.index:
        check_places(by_level, level, alone(replace(made, alpha=level)))
    for weight in by_weight.places.index:
        weights = tuple(zip(costs, (weight, round(1 - weight, 10)), strict=True))
        check_places(by_weight, weight, alone(made, weights=weights))
    for cost in results.costs:
        check_places(by_cost, cost, alone(made, cost=cost))
    for scale in by_scale.places.index:
        check_places(by_scale, scale, alone(made, scale=scale))
    assert by_cost.orders.nunique() > 1  # so that a mix-up would show


def test_orders_at_several_levels_share_their_tests():
    """At each level, paths with shared parts equal those without, whichever level comes first."""
    results = shipped("uci38_5x2.csv")
    rules, found = OrderRules(cost="train_s"), evidence_over(results, Settings())
    first = order_of(results, rules=rules, found=found)
    shared, asked = shared_order_parts(first, found), (("train_s", "size"), [0, 0.35, 1])
    orders = set()
    for alpha in (0.05, 0.2, 1e-6, 0.05):
        order = order_of(results, Settings(alpha=alpha), rules, found=found)
        paths = order_by_weight(order, found, *asked, shared=shared)
        pd.testing.assert_frame_equal(paths.places, order_by_weight(order, found, *asked).places)
        orders |= set(paths.orders)
    assert len(orders) > len(set(paths.orders))  # the level has a say


def check_places(paths, value, wanted):
    assert paths.places.loc[value].to_dict() == wanted.to_dict()


def test_the_shared_second_pass_is_that_of_its_own_prior_order():
    """The tests of equal positions are shared, but each prior order gives its own order."""
    places = pd.DataFrame([[3.0, 1, 2]] * 6, columns=list("abc"))
    shared, given = Shared(results=None), {"scale": "largest", "post_hoc": "holm", "alpha": 0.05}
    for prior in ("abc", "cba", "bac"):
        made = shared.join(places, tuple(prior), costs=None, **given)
        alone = multi2test(places, tuple(prior), post_hoc="holm")
        assert made.ordering.order == alone.ordering.order
        assert made.ordering.edges == alone.ordering.edges
    costs = pd.DataFrame([[2.0, 1, 1]] * 6, columns=list("abc"))
    made = shared.join(places, None, costs=costs, **given)
    assert made.ties == (("b", "c"),)
    assert made.average_cost.to_dict() == {"a": 1, "b": 0.5, "c": 0.5}
