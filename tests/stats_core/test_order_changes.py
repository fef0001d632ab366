"""How orders differ between measures, and what they hang on: by hand on tiny results."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.analysis import Settings
from stats_core.costs import COST_SCALES
from stats_core.errors import DesignError, SettingError
from stats_core.evidence import evidence_over
from stats_core.order import OrderRules, order_of
from stats_core.order_changes import order_changes
from stats_core.order_sensitivity import (
    ALPHAS,
    WEIGHTS,
    OrderPaths,
    order_by_alpha,
    order_by_cost,
    order_by_scale,
    order_by_weight,
)
from stats_core.reading import Mapping, read_results
from stats_core.results import Results
from tests.stats_core.test_order import ERRORS, NOISE, SAMPLES, TYPED, folds

# nothing is separated here: the order is that of the cost
ALIKE = pd.DataFrame({"a": NOISE, "b": NOISE[::-1], "c": -NOISE}) + 0.3
SIZES = {"a": 9.0, "b": 3.0, "c": 6.0}


def both(first, second, dataset="d"):
    """Rows with an error and a test error, costs 1, 2, 3, and sizes 9, 3, 6."""
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


def test_one_data_set_by_hand():
    """By error b, c, a; by test error nothing is separated, so a, b, c."""
    found = changes(results_of(both(ERRORS, ALIKE)))

    assert (found.first, found.second) == ("error", "test_error")
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
    assert found.text == (
        "By error and by test_error, the final orders correlate by \u22120.50 (Spearman). "
        "Moving half the places or more: a (1)."
    )


def test_the_same_order_is_said_in_words():
    found = changes(results_of(both(ALIKE, ALIKE[::-1].reset_index(drop=True))))

    assert (found.same, found.correlation, found.kendall) == (1, 1, 1)
    assert found.text == (
        "By error and by test_error, the final order is the same. "
        "No algorithm moves half the places or more."
    )


def test_several_data_sets_are_counted():
    tables = [both(ERRORS, ALIKE, "d"), both(ALIKE, ERRORS, "e"), both(ALIKE, ALIKE, "f")]
    found = changes(results_of(*tables))

    assert found.table["same"].tolist() == [False, False, True]
    assert found.same == 1
    assert found.movers.to_dict() == {"a": 2, "b": 0, "c": 0}
    assert list(found.movers.index)[0] == "a"  # most first
    assert found.text == (
        "By error and by test_error, the final order is the same; on 1 of 3 data sets the orders "
        "are the same. Moving half the places or more: a (2)."
    )


def test_half_of_two_places_is_any_change():
    pair = ERRORS[["a", "c"]].set_axis(["a", "b"], axis=1)
    rows = folds("d", pair, costs=(1.0, 2.0)).assign(size=1.0)
    rows["test_error"] = folds("d", ALIKE[["a", "b"]], costs=(1.0, 2.0))["error"]
    found = changes(results_of(rows))

    assert (found.correlation, found.kendall) == (pytest.approx(-1), pytest.approx(-1))
    assert found.table.loc["d", "moved"] == "a, b"
    assert found.text.endswith("Moving half the places or more: a (1) and b (1).")


def test_one_algorithm_cannot_move():
    rows = folds("d", ERRORS[["a"]], costs=(1.0,)).assign(size=1.0, test_error=0.2)
    found = changes(results_of(rows))

    assert np.isnan(found.correlation)
    assert "nan" not in found.text
    assert found.text.startswith("By error and by test_error, the final order is the same.")


def test_data_sets_that_both_could_order_are_compared():
    broken = both(ERRORS, ALIKE, "e")
    broken.loc[2, "test_error"] = np.nan
    tables = [both(ALIKE, ALIKE, "d"), broken, both(ALIKE, ALIKE, "f")]
    assert list(changes(results_of(*tables)).table.index) == ["d", "f"]


def test_without_folds_ranks_are_compared():
    """One pair of equal values: ranks 1.5, 1.5, 3 against 1, 2, 3 move by one half."""
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
    assert "nan" not in found.text


def test_orders_of_others_are_not_compared():
    results = results_of(both(ERRORS, ALIKE))
    other = results_of(both(ERRORS, ALIKE, "e"))
    few = results.select(algorithms=["a", "b"])
    for second in (other, few):
        with pytest.raises(DesignError, match="have the same algorithms and a data set in common"):
            order_changes(order_of(results), order_of(second))


def test_the_sample_keeps_most_of_its_orders():
    """As the paper found in section 4.7: half of the orders and more, and the final one."""
    results = read_results(SAMPLES / "uci38_5x2.csv")
    found = changes(results, OrderRules(cost="train_s"))

    moves = (found.places.iloc[0] - found.places.iloc[1]).abs()
    assert found.table["same"].sum() >= 19
    assert (moves <= 1).all()
    assert f"on {found.same} of 38 data sets" in found.text


# -- what an order hangs on --------------------------------------------------------------------


@pytest.fixture
def ordered():
    """The order of one data set by cost: b, c, a at .05, and its evidence."""
    results = results_of(both(ERRORS, ALIKE))
    return order_of(results), evidence_over(results, Settings())


def test_the_order_changes_where_alpha_passes_the_adjusted_p(ordered):
    order, found = ordered
    p = order.each["d"].adjusted("a", "c")
    assert 0.001 < p < 0.05

    paths = order_by_alpha(order, found, [p * 0.99, p, 0.06])

    assert paths.what == "alpha"
    assert list(paths.places.index) == [p * 0.99, p, 0.05, 0.06]  # that of the order is added
    assert paths.orders.tolist() == ["a < b < c", *["b < c < a"] * 3]
    assert list(paths.places.columns) == ["a", "b", "c"]  # as at the first value
    assert paths.text == "2 orders over 4 alphas; a or b comes first."
    assert paths.refused == {}


def test_many_levels_are_tried_unless_others_are_named(ordered):
    order, found = ordered
    assert list(order_by_alpha(order, found).places.index) == list(ALPHAS)
    with_own = replace(order, settings=replace(order.settings, alpha=0.06))
    assert 0.06 in order_by_alpha(with_own, found).places.index


def test_levels_that_cannot_be_are_refused_with_the_reason(ordered):
    order, found = ordered
    paths = order_by_alpha(order, found, [1.5])
    assert list(paths.places.index) == [0.05]
    assert "must lie between 0 and 1" in paths.refused["1.5"]


@pytest.fixture
def tied():
    """Nothing separated, so that the order is that of the cost."""
    results = results_of(both(ALIKE, ALIKE))
    return order_of(results), evidence_over(results, Settings())


def test_weights_by_hand(tied):
    """Shares of cost 1/3, 2/3, 1 and of size 1, 1/3, 2/3."""
    paths = order_by_weight(*tied, ("cost", "size"), [0, 0.5, 0.7, 1])

    # half: a 2/3, b 1/2, c 5/6; at .7 a is .533, b .567
    assert paths.orders.tolist() == ["b < c < a", "b < a < c", "a < b < c", "a < b < c"]
    assert paths.text == "3 orders over 4 weights of cost; b or a comes first."
    assert paths.what == "weight of cost"


def test_weights_run_from_0_to_1_and_need_two_costs(tied):
    paths = order_by_weight(*tied, ("cost", "size"))
    assert list(paths.places.index) == list(WEIGHTS)
    assert paths.orders.iloc[-1] == "a < b < c"
    with pytest.raises(SettingError, match="two different costs. Both are size"):
        order_by_weight(*tied, ("size", "size"))


def test_each_cost_gives_its_order(tied):
    paths = order_by_cost(*tied, ["cost", "size", "price"])

    assert paths.orders.to_dict() == {"cost": "a < b < c", "size": "b < c < a"}
    assert '"price" is none of' in paths.refused["price"]
    assert paths.text == "2 orders over 2 costs; a or b comes first."


def test_a_typed_order_gives_way_to_each_cost(tied):
    typed = replace(tied[0], rules=OrderRules(prior=("c", "a", "b")))
    assert order_by_cost(typed, tied[1], ["size"]).orders.tolist() == ["b < c < a"]
    weighed = order_by_weight(typed, tied[1], ("cost", "size"), [1])
    assert weighed.orders.tolist() == ["a < b < c"]


def test_scales_by_hand():
    """Costs 0, 9, 10 and 10, 1, 0 and 1, 2, 2.1 of a, b, c; nothing separated."""
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
    assert paths.text == "2 orders over 4 scales; a or c comes first."


def test_scales_do_not_matter_on_one_data_set(tied):
    paths = order_by_scale(*tied)
    assert list(paths.places.index) == list(COST_SCALES)
    assert paths.text == "The order is the same at every scale tried."


def test_without_folds_nothing_has_to_be_found_first():
    results = read_results(SAMPLES / "demsar_2006.csv", mapping=Mapping(measure_name="auc"))
    order = order_of(results, rules=OrderRules(prior=TYPED, post_hoc="none"))
    paths = order_by_alpha(order, ({}, {}), [0.01])
    # z of the farthest pair is 2.49, p .0128; at .01 none is separated
    assert paths.orders.loc[0.01] == " < ".join(TYPED)
    assert paths.orders.loc[0.05] == " < ".join(order.ordering.order)


def test_if_nothing_gives_an_order_it_says_so(tied):
    paths = order_by_cost(*tied, ["price"])
    assert paths.places.empty
    assert paths.text == "No cost gives an order."


def test_names_that_look_like_orders_stay_whole():
    places = pd.DataFrame({"a < b": [1, 2], "c": [2, 1]}, index=[0.1, 0.2])
    paths = OrderPaths(what="alpha", places=places, refused={})
    assert paths.text == "2 orders over 2 alphas; a < b or c comes first."
