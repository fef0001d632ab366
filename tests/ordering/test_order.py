"""Tests of cost-aware orders of results: the whole procedure by hand, and special cases."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.data.costs import COST_SCALES
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.multiplicity.cliques import cliques, underlines
from stats_core.inference.paired import cv52_f
from stats_core.inference.ranks import friedman, post_hoc_z
from stats_core.ordering.multitest import COST, TEST, multi2test, multitest
from stats_core.ordering.one_sided_evidence import evidence, evidence_over
from stats_core.ordering.order import OrderRules, order_of
from tests.ordering.test_one_sided_evidence import counted
from tests.samples import SAMPLES, shipped

EIGHT = tuple(shipped("uci38_5x2.csv").algorithms)
PUBLISHED = Settings(test="5x2 cv F")  # the test that MultiTest was published with
TYPED = ("C4.5", "C4.5+cf", "C4.5+m", "C4.5+m+cf")


@pytest.fixture(scope="session")
def uci():
    """Results of eight algorithms on 38 data sets, 5 x 2 folds each, with three costs."""
    return shipped("uci38_5x2.csv")


@pytest.fixture(scope="session")
def found(uci):
    return evidence_over(uci, PUBLISHED)


@pytest.fixture(scope="session")
def published():
    """Demsar 2006: AUC of 4 algorithms on 14 data sets."""
    return shipped("demsar_2006_auc.csv", "auc")


# differences of the errors below: c is clearly better than a, the others are not separated
NOISE = np.array([0.01, -0.02, 0.015, -0.01, 0.02, -0.015, 0.01, -0.01, 0.02, -0.02])
ERRORS = pd.DataFrame({"a": 0.4 + NOISE, "b": 0.35 + 9 * NOISE, "c": 0.2 - NOISE})


def folds(dataset="d", errors=ERRORS, costs=(1.0, 2.0, 3.0)):
    """Return the rows of one data set: ten errors of each algorithm in 5 x 2 folds, and a cost."""
    rows = [
        (dataset, name, place // 2 + 1, place % 2 + 1, error, cost)
        for name, cost in zip(errors, costs, strict=True)
        for place, error in enumerate(errors[name])
    ]
    return pd.DataFrame(
        rows, columns=["dataset", "algorithm", "repetition", "fold", "error", "cost"]
    )


def results_of(*tables, costs=("cost",)):
    return Results.from_frame(pd.concat(tables), costs=list(costs))


# -- the whole chain ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def larger():
    """One-sided p-values of "the row has the larger error" by data set of the sample, from single tests."""
    raw, found = pd.read_csv(SAMPLES / "uci38_5x2.csv"), {}
    for dataset, table in raw.groupby("dataset"):
        errors = table.pivot(index=["repetition", "fold"], columns="algorithm", values="error")
        halves = {name: errors[name].to_numpy().reshape(5, 2) for name in EIGHT}
        found[dataset] = pd.DataFrame(1.0, index=EIGHT, columns=EIGHT)
        for a, b in combinations(EIGHT, 2):
            outcome = cv52_f(halves[a] - halves[b])
            found[dataset].loc[a, b] = outcome.pvalue_greater
            found[dataset].loc[b, a] = outcome.pvalue_less
    return found


def first_pass(larger, costs, alpha):
    """Return ranks on one data set: Holm over pairs of a cheaper and a more expensive algorithm, then MultiTest."""
    prior = list(costs.sort_values(kind="stable").index)
    pairs = list(combinations(prior, 2))
    raw = np.array([larger.at[pair] for pair in pairs])
    smallest_first = raw.argsort()
    steps = raw[smallest_first] <= alpha / np.arange(28, 0, -1)  # Holm 1979
    rejected = np.zeros(28, dtype=bool)
    rejected[smallest_first] = np.logical_and.accumulate(steps)
    better = np.zeros((8, 8), dtype=bool)
    better[np.triu_indices(8, 1)] = rejected  # pairs in the same order; row cheaper
    return multitest(prior, pd.DataFrame(better.T, index=prior, columns=prior)).places


@pytest.mark.parametrize(
    ("cost", "alpha", "overrides"),
    [
        ("train_s", 0.05, False),
        ("predict_s", 0.05, False),
        ("size", 0.05, False),
        ("train_s", 0.2, True),
    ],
)
def test_by_each_cost_it_is_the_published_procedure(uci, found, larger, cost, alpha, overrides):
    """Expected: the procedure of Ulas, Yildiz and Alpaydin 2012, Table 2, line by line."""
    raw = pd.read_csv(SAMPLES / "uci38_5x2.csv")
    costs = raw.groupby(["dataset", "algorithm"])[cost].mean().unstack()[list(EIGHT)]
    places = pd.DataFrame(
        {name: first_pass(larger[name], costs.loc[name], alpha) for name in costs.index}
    ).T[list(EIGHT)]
    average = costs.div(costs.max(axis=1), axis=0).mean()
    ranks = places.mean()
    assert friedman(places, higher_is_better=False).pvalue < alpha
    adjusted = adjust_pairs(post_hoc_z(ranks, 38).pvalues, "bergmann_hommel", average_ranks=ranks)
    lower = np.less.outer(ranks.to_numpy(), ranks.to_numpy())
    wanted = multitest(list(average.sort_values().index), (adjusted <= alpha) & lower)

    settings = replace(PUBLISHED, alpha=alpha)
    order = order_of(uci, settings, OrderRules(cost=cost), found=found)

    positions = order.second.positions.loc[places.index, list(EIGHT)]
    assert (positions == places).all(axis=None)
    assert order.average_cost.to_dict() == pytest.approx(average.to_dict())
    assert order.ordering.order == wanted.order
    assert set(order.ordering.edges) == set(wanted.edges)
    assert (order.ordering.by_test > 0) == overrides
    assert (list(order.each), order.skipped) == (list(uci.datasets), {})
    assert order.measure == "error (lower is better)"


def test_what_was_found_before_gives_the_same_as_testing_anew(uci, found):
    few = uci.select(datasets=uci.datasets[:9])
    calls = []
    anew = order_of(few, PUBLISHED, progress=lambda *at: calls.append(at))
    again = order_of(few, PUBLISHED, found=({name: found[0][name] for name in few.datasets}, {}))

    assert anew.ordering.steps == again.ordering.steps
    pd.testing.assert_frame_equal(anew.table(), again.table())
    assert calls == [(done, 9) for done in range(1, 10)]


def test_what_was_found_serves_other_levels_families_and_costs(uci, found):
    settings = replace(PUBLISHED, alpha=0.2)
    rules = OrderRules(cost="size", family="none", post_hoc="holm")
    one = order_of(uci, settings, rules, found=found).each["optdigits"]

    tests = evidence(uci, "optdigits", settings).tests(one.ordering.prior, family="none", alpha=0.2)
    pd.testing.assert_frame_equal(one.tests, tests)
    row = tests.iloc[4]
    assert one.adjusted(row["cheaper"], row["costlier"]) == row["p adjusted"]
    assert one.dataset == "optdigits"


def test_the_first_cost_serves_if_none_is_named(uci, found):
    order = order_of(uci, found=found)
    assert (order.rules.cost, order.settings.measure) == (uci.costs[0], "error")


def test_a_measure_to_be_kept_low_can_be_the_cost(uci, found):
    assert order_of(uci, rules=OrderRules(cost="test_error"), found=found).rules.cost_label == (
        "test_error"
    )


# -- one data set ------------------------------------------------------------------------------


def test_one_data_set_is_ordered_by_multitest():
    order = order_of(results_of(folds()))

    one = order.each["d"]
    assert order.second is None
    assert order.ordering is one.ordering
    assert order.ordering.edges == (("a", "c"),)  # a errs .2 more than c, ten times the noise
    assert order.ordering.order == ("b", "c", "a")
    assert order.average_cost.to_dict() == {"a": 1, "b": 2, "c": 3}
    assert list(order.scores.index) == ["c", "b", "a"]  # best first
    assert order.ties == ()


def test_the_table_of_one_data_set_names_mean_cost_and_what_decided():
    order = order_of(results_of(folds()))
    table = order.table()

    assert list(table.columns) == ["place", "algorithm", "mean", "cost", "placed by", "p adjusted"]
    assert table["place"].tolist() == [1, 2, 3]
    assert table["algorithm"].tolist() == ["b", "c", "a"]
    assert table["mean"].tolist() == pytest.approx([0.35, 0.2, 0.4])  # the noise adds up to 0
    assert table["cost"].tolist() == [2, 3, 1]
    assert table["placed by"].tolist() == [COST, TEST, ""]
    tests = order.each["d"].tests.set_index(["cheaper", "costlier"])["p adjusted"]
    # by cost two-sided, by the test one-sided: each of the claim that its step could make
    assert table["p adjusted"].tolist()[:2] == [order.adjusted.loc["b", "c"], tests["a", "c"]]
    assert np.isnan(table["p adjusted"].iloc[2])


def test_groups_of_one_data_set_are_by_two_sided_tests():
    order = order_of(results_of(folds()))
    adjusted = adjust_pairs(order.each["d"].evidence.two_sided, "bergmann_hommel")
    best_first = ["c", "b", "a"]

    pd.testing.assert_frame_equal(order.adjusted, adjusted)
    assert order.groups == tuple(cliques(adjusted.loc[best_first, best_first], 0.05))
    assert order.groups == (("c", "b"), ("b", "a"))
    assert order.underlined == tuple(underlines(best_first, adjusted, 0.05))


def test_scores_of_a_measure_to_be_kept_high_start_with_the_highest():
    table = folds().assign(accuracy=lambda rows: 1 - rows["error"]).drop(columns="error")
    order = order_of(results_of(table))
    assert list(order.scores.index) == ["c", "b", "a"]
    assert order.measure == "accuracy (higher is better)"
    assert order.ordering.order == order_of(results_of(folds())).ordering.order


def test_one_algorithm_has_the_only_place():
    order = order_of(results_of(folds(errors=ERRORS[["a"]], costs=[1.0])))
    assert order.ordering.order == ("a",)
    assert order.groups == (("a",),)
    assert order.table()["p adjusted"].isna().all()


@pytest.mark.parametrize("names", ["ac", "ca", "ab"])
def test_two_algorithms(names):
    order = order_of(results_of(folds(errors=ERRORS[list(names)], costs=[1.0, 2.0])))
    assert order.ordering.order == {"ac": ("c", "a"), "ca": ("c", "a"), "ab": ("a", "b")}[names]


# -- several data sets -------------------------------------------------------------------------


def test_one_order_everywhere_is_rejected_by_definition():
    alike = ERRORS.assign(a=ERRORS["b"][::-1].to_numpy(), c=ERRORS["b"].sort_values().to_numpy())
    order = order_of(results_of(folds("d", alike), folds("e", alike)))

    # two data sets: chi-square 4, 2 df, p .135, which alone would not reject
    assert order.second.friedman.pvalue == pytest.approx(np.exp(-2))
    assert order.second.same_everywhere
    assert order.second.rejected
    assert order.ordering.order == ("a", "b", "c")


def test_without_a_consistent_order_the_cost_decides():
    tables = [
        folds("d", costs=(1.0, 2.0, 3.0)),
        folds("e", costs=(3.0, 1.0, 2.0)),
        folds("f", costs=(2.0, 3.0, 0.5)),
    ]
    order = order_of(results_of(*tables))

    assert not order.second.rejected
    # shares of the largest: a 1/3 + 1 + 2/3, b 2/3 + 1/3 + 1, c 1 + 2/3 + 1/6
    assert order.ordering.order == order.ordering.prior == ("c", "a", "b")
    assert order.ties == (("a", "b"),)
    assert order.adjusted is None
    assert order.groups == order.underlined == (tuple(order.scores.index),)
    assert order.table()["p adjusted"].isna().all()


def test_the_table_of_several_data_sets_names_average_ranks(uci, found):
    order = order_of(uci, rules=OrderRules(cost="train_s"), found=found)
    table = order.table().set_index("algorithm")

    assert table["average cost-aware rank"].to_dict() == order.second.positions.mean().to_dict()
    first, second = order.ordering.order[:2]
    assert table.loc[first, "p adjusted"] == order.second.adjusted.loc[first, second]
    assert order.pvalue(second, first) == order.pvalue(first, second)
    assert list(order.scores) == sorted(order.scores)
    assert order.underlined == tuple(
        underlines(list(order.scores.index), order.second.adjusted, 0.05)
    )


@pytest.mark.parametrize("post_hoc", ["holm", "nemenyi", "none"])
def test_the_rules_reach_the_second_pass(uci, found, post_hoc):
    rules = OrderRules(cost="size", scale="rank", post_hoc=post_hoc)
    order = order_of(uci, Settings(alpha=0.01), rules, found=found)

    options = {"scale": "rank", "post_hoc": post_hoc, "alpha": 0.01}
    wanted = multi2test(order.second.positions, costs=uci.averages("size"), **options)
    pd.testing.assert_frame_equal(order.adjusted, wanted.adjusted)
    assert order.ordering.order == wanted.ordering.order
    assert order.average_cost.equals(wanted.average_cost)


def test_data_sets_that_cannot_be_tested_are_left_out():
    holed = folds("holed")
    holed.loc[3, "error"] = np.nan
    good = [folds("d"), folds("e", costs=(2.0, 1.0, 4.0))]

    order, without = order_of(results_of(*good, holed)), order_of(results_of(*good))

    assert list(order.skipped) == ["holed"]
    assert order.ordering.steps == without.ordering.steps
    assert order.average_cost.equals(without.average_cost)  # the costs of those left out, too
    assert list(order.second.positions.index) == ["d", "e"]


def test_if_one_data_set_is_left_it_is_ordered_alone():
    holed = folds("holed")
    holed.loc[3, "error"] = np.nan
    order = order_of(results_of(folds("d"), holed))
    assert order.second is None
    assert order.ordering.order == ("b", "c", "a")


def test_if_no_data_set_is_left_the_first_reason_is_given():
    holed = folds("holed")
    holed.loc[3, "error"] = np.nan
    with pytest.raises(
        DesignError, match=r"The algorithms cannot be ordered on any data set\. holed: Tests on"
    ):
        order_of(results_of(holed))


# -- costs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", COST_SCALES)
def test_a_weight_of_1_beside_0_is_that_cost_alone(uci, found, scale):
    alone = order_of(uci, rules=OrderRules(cost="train_s", scale=scale), found=found)
    weights = (("train_s", 1.0), ("size", 0.0))
    weighed = order_of(uci, rules=OrderRules(weights=weights, scale=scale), found=found)

    assert weighed.ordering.steps == alone.ordering.steps
    assert weighed.second.positions.equals(alone.second.positions)
    if scale != "log":  # costs are divided by the largest first, which shifts logarithms
        assert weighed.average_cost.to_dict() == pytest.approx(alone.average_cost.to_dict())
    assert weighed.rules.cost_label == "train_s"


def test_several_costs_count_by_their_weights():
    table = folds().assign(size=lambda rows: rows["algorithm"].map({"a": 9.0, "b": 3.0, "c": 6.0}))
    rules = OrderRules(weights=(("cost", 1.0), ("size", 2.0)))
    order = order_of(results_of(table, costs=["cost", "size"]), rules=rules)

    # a third of 1/3, 2/3, 1 and two thirds of 1, 1/3, 2/3
    wanted = {"a": 1 / 9 + 2 / 3, "b": 2 / 9 + 2 / 9, "c": 1 / 3 + 4 / 9}
    assert order.average_cost.to_dict() == pytest.approx(wanted)
    # a and c cost alike, so the cheapest of both by name is a, which errs more than c
    assert order.ties == (("a", "c"),)
    assert order.ordering.order == ("b", "c", "a")
    assert rules.cost_label == "cost + 2 size"


def test_a_typed_order_needs_no_cost():
    table = folds().drop(columns="cost")
    order = order_of(results_of(table, costs=[]), rules=OrderRules(prior=("c", "x", "b", "a")))

    assert (order.costs, order.average_cost, order.ties) == (None, None, ())
    assert order.ordering.prior == ("c", "b", "a")
    assert order.ordering.order == ("c", "b", "a")
    assert order.table()["cost"].isna().all()
    assert order.rules.cost_label == "your order"


def test_a_typed_order_holds_on_every_data_set(uci, found):
    prior = EIGHT[::-1]
    order = order_of(uci, rules=OrderRules(prior=prior, cost="size"), found=found)
    assert {one.ordering.prior for one in order.each.values()} == {prior}
    assert order.ordering.prior == prior


def test_a_missing_cost_names_the_algorithm():
    table = folds()
    table.loc[table["algorithm"] == "b", "cost"] = np.nan
    with pytest.raises(
        DataError,
        match="b has no cost on some data sets, for example d. Add the cost, or exclude b",
    ):
        order_of(results_of(table))


def test_without_a_cost_an_order_has_to_be_typed():
    results = results_of(folds().drop(columns="cost"), costs=[])
    with pytest.raises(SettingError, match="there is no cost column. Assign the role cost"):
        order_of(results)
    with pytest.raises(
        SettingError, match=r"The order must name every algorithm once\. Missing: b"
    ):
        order_of(results, rules=OrderRules(prior=("a", "c")))


# -- one number per cell -----------------------------------------------------------------------


def test_without_folds_the_ranks_of_the_measure_are_the_positions(published, demsar):
    order = order_of(published, rules=OrderRules(prior=TYPED))

    ranks = friedman(demsar.scores, higher_is_better=True)
    assert order.each == {}
    assert order.second.average_ranks.to_dict() == pytest.approx(ranks.average_ranks.to_dict())
    assert order.second.friedman.pvalue == pytest.approx(ranks.pvalue)
    assert order.measure == "AUC (higher is better)"
    # Bergmann-Hommel separates no pair at .05: the order is the typed one
    assert order.ordering.order == TYPED


def test_without_folds_unadjusted_tests_override_the_typed_order(published):
    order = order_of(published, rules=OrderRules(prior=TYPED, post_hoc="none"))

    # average ranks 3.143, 2.929, 2, 1.929; 1.96 sqrt(4 5 / (6 14)) = .956 apart or more
    assert set(order.ordering.edges) == {
        ("C4.5", "C4.5+m"),
        ("C4.5", "C4.5+m+cf"),
        ("C4.5+cf", "C4.5+m+cf"),
    }
    assert order.ordering.order == ("C4.5+m", "C4.5+m+cf", "C4.5", "C4.5+cf")


def test_one_data_set_without_folds_is_refused(published):
    one = published.select(datasets=published.datasets[:1])
    with pytest.raises(DesignError, match="needs results per fold, or at least 2 data sets"):
        order_of(one, rules=OrderRules(prior=TYPED))


# -- risks and settings ------------------------------------------------------------------------


def test_an_order_by_risk_goes_by_its_tests():
    prior = ("nb", "tree", "knn", "svc", "logreg", "rf")
    rules = OrderRules(prior=prior, theta=0.3, family="none", undivided=True)
    order = order_of(counted(), PUBLISHED, rules=rules)

    said = evidence(counted(), "bc", PUBLISHED, theta=0.3, undivided=True)
    assert order.measure == "expected cost at θ = 0.3 (lower is better)"
    assert order.scores.to_dict() == said.means.to_dict()
    assert set(order.ordering.edges) == {
        pair for pair in combinations(prior, 2) if said.pvalues.loc[pair[::-1]] <= 0.05
    }


def test_risk_needs_folds(published):
    with pytest.raises(DesignError, match="expected cost needs results per fold"):
        order_of(published, rules=OrderRules(prior=TYPED, theta=0.5))


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"family": "hommel"}, "`family` must be one of"),
        ({"scale": "median"}, "`scale` must be one of"),
        ({"post_hoc": "tukey"}, "`post_hoc` must be one of"),
        ({"cost": "price"}, "Choose one of cost and error"),
        ({"weights": (("price", 1.0),)}, "Choose one of cost and error"),
        ({"weights": (("cost", -1.0),)}, "Weights must be nonnegative"),
    ],
)
def test_wrong_rules_are_refused(rules, words):
    with pytest.raises(SettingError, match=words):
        order_of(results_of(folds()), rules=OrderRules(**rules))


def test_wrong_settings_are_refused():
    results = results_of(folds())
    with pytest.raises(SettingError, match="`alpha` must lie strictly between 0 and 1"):
        order_of(results, Settings(alpha=0.0))
    with pytest.raises(SettingError, match='no measure "speed"'):
        order_of(results, Settings(measure="speed"))


@pytest.mark.parametrize("nothing", [{"datasets": []}, {"algorithms": []}])
def test_nothing_left_is_refused(nothing):
    with pytest.raises(DataError, match="none are left. Exclude fewer"):
        order_of(results_of(folds()).select(**nothing))


def test_shuffling_the_file_changes_nothing(rng):
    table = pd.concat([folds("d"), folds("e", costs=(2.0, 1.0, 4.0)), folds("f")])
    order = order_of(results_of(table))
    shuffled = order_of(results_of(table.sample(frac=1, random_state=rng)))
    pd.testing.assert_frame_equal(order.table(), shuffled.table())


def test_hostile_names_are_text():
    names = ["<b>", "a < b", "$x$ {0}"]
    odd = order_of(results_of(folds(errors=ERRORS.set_axis(names, axis=1))))
    plain = order_of(results_of(folds()))
    back = dict(zip(names, "abc", strict=True))
    assert tuple(back[name] for name in odd.ordering.order) == plain.ordering.order


def test_the_given_rules_are_kept():
    rules = OrderRules()
    assert order_of(results_of(folds()), rules=rules).rules == replace(rules, cost="cost")
