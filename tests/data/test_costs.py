"""Tests of costs and the orders by cost: scales by hand, ties, missing costs, weights, given orders."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, SettingError
from stats_core.data.costs import (
    COST_SCALES,
    average_cost,
    check_prior,
    combined_costs,
    cost_columns,
    cost_table,
    prior_order,
)
from stats_core.data.results import Results

SCALES = list(COST_SCALES)
TWO_SETS = pd.DataFrame([[1.0, 4.0, 5.0], [30.0, 10.0, 20.0]], ["d", "e"], list("abc"))

costs_above_0 = (
    st.integers(1, 5)
    .flatmap(lambda k: st.lists(st.lists(st.integers(1, 999), min_size=k, max_size=k), min_size=1))
    .map(lambda rows: pd.DataFrame(rows, dtype=float).rename(columns=lambda place: f"a{place}"))
)


def results(**columns):
    """Return results of algorithms a and b on two folds of two data sets, with further columns."""
    keys = {"dataset": list("ddddeeee"), "algorithm": list("aabb") * 2, "fold": list("1212") * 2}
    table = pd.DataFrame(keys | {"error": [0.1, 0.3, 0.2, 0.2] * 2} | columns)
    return Results.from_frame(table, costs=[name for name in columns if name != "accuracy"])


# -- averages over data sets -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scale", "wanted"),
    [  # by hand, mean of the two rows of TWO_SETS
        ("largest", [(1 / 5 + 1) / 2, (4 / 5 + 1 / 3) / 2, (1 + 2 / 3) / 2]),
        ("sum", [(1 / 10 + 1 / 2) / 2, (4 / 10 + 1 / 6) / 2, (5 / 10 + 1 / 3) / 2]),
        ("min-max", [(0 + 1) / 2, (3 / 4 + 0) / 2, (1 + 1 / 2) / 2]),
        ("rank", [(1 + 3) / 2, (2 + 1) / 2, (3 + 2) / 2]),
        ("log", [np.log(30) / 2, np.log(40) / 2, np.log(100) / 2]),
    ],
)
def test_each_scale_by_hand(scale, wanted):
    found = average_cost(TWO_SETS, scale)

    assert found.tolist() == pytest.approx(wanted)
    assert list(found.index) == ["a", "b", "c"]


def test_scales_can_give_different_orders():
    orders = {scale: prior_order(average_cost(TWO_SETS, scale))[0] for scale in SCALES}
    assert orders["largest"] == ("b", "a", "c")  # .567, .6, .833
    assert orders["sum"] == ("b", "a", "c")  # .283, .3, .417
    assert orders["min-max"] == ("b", "a", "c")  # .375, .5, .75
    assert orders["rank"] == ("b", "a", "c")  # 1.5, 2, 2.5
    assert orders["log"] == ("a", "b", "c")  # the logarithms of the products 30, 40, 100


@given(costs_above_0, st.data())
def test_the_unit_of_a_data_set_matters_to_no_scale_and_shifts_the_logarithm(costs, data):
    """Costs are in seconds on one data set, and in hours on another."""
    units = data.draw(st.lists(st.sampled_from([1e-3, 1.0, 60.0, 3600.0]), min_size=len(costs)))
    units = units[: len(costs)]
    stretched = costs.mul(units, axis=0)

    for scale in ("largest", "sum", "min-max", "rank"):
        np.testing.assert_allclose(average_cost(stretched, scale), average_cost(costs, scale))
    shift = average_cost(stretched, "log") - average_cost(costs, "log")
    np.testing.assert_allclose(shift, np.log(units).mean(), atol=1e-9)


@given(costs_above_0)
def test_shares_add_up(costs):
    assert average_cost(costs, "sum").sum() == pytest.approx(1)
    assert average_cost(costs, "rank").sum() == pytest.approx(
        costs.shape[1] * (costs.shape[1] + 1) / 2
    )
    assert average_cost(costs, "largest").max() <= 1 + 1e-12
    assert average_cost(costs, "min-max").min() >= 0


def test_tied_costs_share_their_rank():
    tied = pd.DataFrame([[5.0, 5.0 * (1 + 1e-12), 1.0]], columns=list("abc"))
    assert average_cost(tied, "rank").tolist() == [2.5, 2.5, 1]


@pytest.mark.parametrize(
    ("values", "scale", "wanted"),
    [
        ([0.0, 0.0], "largest", [0, 0]),
        ([0.0, 0.0], "sum", [0, 0]),
        ([0.0, 0.0], "min-max", [0, 0]),
        ([0.0, 0.0], "rank", [1.5, 1.5]),
        ([7.0, 7.0], "largest", [1, 1]),
        ([7.0, 7.0], "sum", [0.5, 0.5]),
        ([7.0, 7.0], "min-max", [0, 0]),
        ([7.0, 7.0], "rank", [1.5, 1.5]),
        ([7.0, 7.0], "log", [np.log(7), np.log(7)]),
        ([0.0, 8.0], "largest", [0, 1]),
        ([-3.0, 8.0], "rank", [1, 2]),
    ],
)
def test_zero_and_all_alike(values, scale, wanted):
    assert average_cost(pd.DataFrame([values]), scale).tolist() == pytest.approx(wanted)


@pytest.mark.parametrize("scale", ["largest", "sum", "min-max", "log"])
def test_negative_costs_are_refused_by_name(scale):
    table = TWO_SETS.assign(b=[-1.0, 2.0])
    with pytest.raises(DataError, match="Costs must be nonnegative, but b has"):
        average_cost(table, scale)


def test_the_logarithm_of_nothing_is_refused_by_name():
    with pytest.raises(DataError, match="Logarithms need costs above 0, but c has a"):
        average_cost(TWO_SETS.assign(c=[1.0, 0.0]), "log")


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_costs_are_refused_by_name(scale, value):
    table = TWO_SETS.assign(a=[1.0, value], c=[value, 1.0])
    with pytest.raises(DataError, match="Costs must be known for every algorithm on"):
        average_cost(table, scale)


def test_an_unknown_scale_is_refused():
    with pytest.raises(SettingError, match="`scale` must be one of largest, sum, min-max, rank"):
        average_cost(TWO_SETS, "median")


# -- several costs -----------------------------------------------------------------------------


def test_weights_add_shares_of_the_largest():
    size = pd.DataFrame([[8.0, 2.0, 4.0], [8.0, 8.0, 2.0]], ["d", "e"], list("abc"))
    found = combined_costs({"time": TWO_SETS, "size": size}, {"time": 1, "size": 3})

    # by hand: a quarter of 1/5, 4/5, 5/5 and three quarters of 8/8, 2/8, 4/8
    assert found.loc["d"].tolist() == pytest.approx([0.8, 0.3875, 0.625])
    assert found.loc["e"].tolist() == pytest.approx([1, 1 / 12 + 3 / 4, 1 / 6 + 3 / 16])


@given(st.integers(1, 50), st.integers(0, 50), st.floats(0.01, 100))
def test_only_ratios_of_weights_matter(first, second, factor):
    tables = {"x": TWO_SETS, "y": TWO_SETS[::-1].set_axis(TWO_SETS.index)}
    one = combined_costs(tables, {"x": first, "y": second})
    other = combined_costs(tables, {"x": factor * first, "y": factor * second})
    np.testing.assert_allclose(one, other)


def test_a_weight_of_0_leaves_the_other_cost_alone():
    alone = combined_costs({"x": TWO_SETS}, {"x": 1})
    other = TWO_SETS[::-1].set_axis(TWO_SETS.index)
    assert combined_costs({"x": TWO_SETS, "y": other}, {"x": 1, "y": 0}).equals(alone)
    assert average_cost(alone).tolist() == pytest.approx(average_cost(TWO_SETS).tolist())


@pytest.mark.parametrize(
    "weights", [{"x": -1, "y": 2}, {"x": 0, "y": 0}, {"x": np.nan}, {"x": np.inf}, {}]
)
def test_wrong_weights_are_refused(weights):
    with pytest.raises(SettingError, match="Weights must be nonnegative"):
        combined_costs({"x": TWO_SETS, "y": TWO_SETS}, weights)


def test_a_weight_without_a_cost_is_refused_by_name():
    with pytest.raises(SettingError, match="Each weight needs a cost with the same name"):
        combined_costs({"x": TWO_SETS}, {"x": 1, "memory": 1})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-1.0, "Costs must be nonnegative, but b has"),
        (np.nan, "Costs must be known for every algorithm on"),
    ],
)
def test_costs_that_cannot_be_weighed_are_refused_by_name(value, words):
    with pytest.raises(DataError, match=words):
        combined_costs({"x": TWO_SETS, "y": TWO_SETS.assign(b=value)}, {"x": 1, "y": 1})


# -- the prior order ---------------------------------------------------------------------------


def test_ties_go_by_column_and_are_reported():
    found = prior_order(pd.Series({"d": 2.0, "c": 1.0, "b": 2.0, "a": 1.0, "e": 3.0}))
    assert found == (("c", "a", "d", "b", "e"), (("c", "a"), ("d", "b")))


def test_rounding_noise_breaks_no_tie():
    assert prior_order(pd.Series({"a": 0.1 + 0.2, "b": 0.3}))[1] == (("a", "b"),)
    assert prior_order(pd.Series({"a": 0.3 + 1e-6, "b": 0.3})) == (("b", "a"), ())


def test_the_order_of_nothing_and_of_one():
    assert prior_order(pd.Series({"a": 0.0, "b": 0.0})) == (("a", "b"), (("a", "b"),))
    assert prior_order(pd.Series({"a": 5.0})) == (("a",), ())
    assert prior_order(pd.Series({"a": -1.0, "b": -2.0}))[0] == ("b", "a")


@given(costs_above_0)
def test_the_order_is_that_of_the_costs(costs):
    means = costs.mean()
    prior, ties = prior_order(means)

    assert sorted(prior) == sorted(means.index)
    assert means[list(prior)].is_monotonic_increasing
    assert {name for group in ties for name in group} == set(means.index[means.duplicated(False)])


def test_a_typed_order_may_name_those_left_out():
    assert check_prior(("c", "x", "a", "b"), ["a", "b", "c"]) == ("c", "a", "b")


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (("a", "b"), "Missing: c. Add this"),
        (("a",), "Missing: b and c. Add these"),
        ((), "Missing: a, b and c"),
        (("a", "b", "c", "a"), "Repeated: a. Remove"),
    ],
)
def test_a_typed_order_must_name_everyone_once(prior, words):
    with pytest.raises(SettingError, match=f"must name every algorithm once. {words}"):
        check_prior(prior, ["a", "b", "c"])


# -- costs of results --------------------------------------------------------------------------


def test_the_table_holds_averages_over_folds():
    found = cost_table(results(train_s=[1.0, 3, 5, 5, 2, 2, 0, 4]), "train_s")
    assert found.to_dict("index") == {"d": {"a": 2, "b": 5}, "e": {"a": 2, "b": 2}}


def test_costs_and_measures_to_be_kept_low_can_break_ties():
    made = results(train_s=[1.0] * 8, accuracy=[0.5] * 8)
    assert cost_columns(made) == ("train_s", "error")
    assert cost_table(made, "error").loc["d"].tolist() == pytest.approx([0.2, 0.2])
    with pytest.raises(SettingError, match="Choose one of train_s and error"):
        cost_table(made, "accuracy")


def test_without_any_column_to_be_kept_low_none_is_listed():
    table = pd.DataFrame({"algorithm": ["a", "b"], "accuracy": [0.5, 0.6]})
    with pytest.raises(SettingError, match="Assign the role cost to a column"):
        cost_table(Results.from_frame(table), "time")


def test_a_missing_cost_names_the_algorithm_and_the_data_set():
    one = [1.0, 1, 1, 1, 1, 1, np.nan, np.nan]
    with pytest.raises(
        DataError,
        match="b has no train_s on some data sets, for example e. Add the cost, or exclude b",
    ):
        cost_table(results(train_s=one), "train_s")
    both = [1.0, 1, 1, 1, np.nan, np.nan, np.nan, np.nan]
    with pytest.raises(DataError, match="An order by train_s needs the cost of every"):
        cost_table(results(train_s=both), "train_s")
