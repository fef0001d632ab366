"""Tests of invalid arguments of public functions, which raise errors of Foldwise and never return NaN."""

from math import inf, nan

import numpy as np
import pandas as pd
import pytest

import stats_core as fw
from stats_core.comparison.kinds.control import dunn_difference
from stats_core.core.errors import DataError, DesignError, FoldwiseError, SettingError
from stats_core.core.validation import check_probability, check_sizes, check_whole
from stats_core.curves.thresholds import loss_ratio
from stats_core.curves.trained_models import threshold_for_costs
from stats_core.data.costs import average_cost, combined_costs, prior_order
from stats_core.inference.assumptions import box_m
from stats_core.inference.multiplicity.adjust import adjust_family
from stats_core.inference.paired import cochran_q, cv52_combined_t, overlap_factor
from stats_core.ordering.order import best_of_underlines
from stats_core.report.varied_verdicts import sensitivity
from stats_core.robustness.variations import every_omnibus

TWO = pd.Series({"a": 1.25, "b": 1.75})
COSTS = pd.DataFrame([[1.0, 2, 3]] * 3, list("xyz"), list("abc"))
PLACES = pd.DataFrame([[1.0, 2, 3], [2, 1, 3], [1, 3, 2]], list("xyz"), list("abc"))
BETTER = pd.DataFrame(False, list("abc"), list("abc"))
TEXT = pd.DataFrame({"a": ["x", "y"], "b": ["z", "w"]})

REFUSED = [
    # how many, and how likely
    (lambda: fw.nemenyi(TWO, nan), SettingError, "`n_datasets` must be a nonnegative integer"),
    (lambda: fw.nemenyi(TWO, None), SettingError, "`n_datasets`.*, but is None"),
    (lambda: fw.nemenyi(TWO, 1.5), SettingError, "`n_datasets`.*, but is 1.5"),
    (lambda: fw.nemenyi(TWO, 0), DesignError, "1 data set, but there are 2 and 0"),
    (lambda: fw.post_hoc_z(TWO, nan), SettingError, "`n_datasets`.*, but is nan"),
    (lambda: fw.post_hoc_z(TWO, "x"), SettingError, "`n_datasets`.*, but is 'x'"),
    (lambda: fw.post_hoc_z(TWO, inf), SettingError, "`n_datasets`.*, but is inf"),
    (lambda: fw.critical_difference(4, nan, 0.05), SettingError, "`n_datasets`"),
    (lambda: fw.critical_difference("x", 4, 0.05), SettingError, "`k`"),
    (lambda: fw.critical_difference(4, 14, "x"), SettingError, "between 0 and 1, but is 'x'"),
    (lambda: dunn_difference(1, 30, 0.05), DesignError, "1 data set, but there are 1 and 30"),
    (lambda: dunn_difference(5, 0, 0.05), DesignError, "1 data set, but there are 5 and 0"),
    (lambda: dunn_difference(5, 30, nan), SettingError, "between 0 and 1, but is nan"),
    (lambda: dunn_difference(5, 30, 2), SettingError, "between 0 and 1, but is 2"),
    (lambda: overlap_factor(nan, 0.1), SettingError, "`n_results`.*, but is nan"),
    (lambda: overlap_factor(None, 0.1), SettingError, "`n_results`.*, but is None"),
    (lambda: overlap_factor(-1, 0.1), SettingError, "`n_results`.*, but is -1"),
    # ranks and p-values
    (lambda: fw.nemenyi(TWO * 8, 10), DataError, "between 1 and 2, but range from 10 to 14"),
    (lambda: fw.post_hoc_z(-TWO, 10), DataError, "between 1 and 2"),
    (lambda: fw.post_hoc_z(None, 10), DataError, "must be a Series by algorithm, but is None"),
    (lambda: fw.post_hoc_z(["x", "y"], 10), DataError, "`average_ranks` must contain only numbers"),
    (lambda: adjust_family(np.array([0.1, nan]), "holm"), DataError, r"must lie in \[0, 1\]"),
    (lambda: adjust_family(np.array([0.1, nan]), "none"), DataError, r"must lie in \[0, 1\]"),
    (lambda: adjust_family(np.array([0.1, nan]), "hommel"), DataError, r"must lie in \[0, 1\]"),
    (lambda: adjust_family(np.array([2.0, -1.0]), "none"), DataError, r"must lie in \[0, 1\]"),
    (lambda: adjust_family(["x"], "holm"), DataError, "`pvalues` must contain only numbers"),
    (
        lambda: fw.adjust_control(pd.Series(["x"]), "holm"),
        DataError,
        "`pvalues` must contain only numbers",
    ),
    (lambda: fw.adjust_pairs(TEXT, "holm"), DataError, "`pvalues` must contain only numbers"),
    # costs and orders
    (lambda: prior_order(pd.Series({"a": nan, "b": 1.0})), DataError, "Missing: a. Add this cost"),
    (
        lambda: prior_order(pd.Series({"a": inf, "b": nan})),
        DataError,
        "Missing: a and b. Add these costs",
    ),
    (lambda: prior_order(pd.Series(dtype=float)), DataError, "There is no algorithm"),
    (lambda: prior_order(pd.Series(["x"])), DataError, "`costs` must contain only numbers"),
    (lambda: average_cost(COSTS.iloc[:0]), DataError, "but have 0 and 3"),
    (lambda: average_cost(COSTS.iloc[:, :0]), DataError, "but have 3 and 0"),
    (lambda: average_cost(None), DataError, "`costs` must be a table, but is a NoneType"),
    (lambda: average_cost("abc"), DataError, "`costs` must be a table, but is a str"),
    (lambda: average_cost(TEXT), DataError, "`costs` must contain only numbers"),
    (lambda: combined_costs(None, {"x": 1}), SettingError, "`tables` must be a mapping"),
    (lambda: combined_costs({"x": COSTS}, 1), SettingError, "`weights` must be a mapping"),
    (
        lambda: combined_costs({"x": COSTS}, {"x": "y"}),
        DataError,
        "`weights` must contain only numbers",
    ),
    (lambda: combined_costs({"x": None}, {"x": 1}), DataError, "`costs` must be a table"),
    (
        lambda: combined_costs({"u": COSTS, "v": COSTS.iloc[:2]}, {"u": 1, "v": 1}),
        DataError,
        '"v" and "u" must have the same data sets, but share only 2 of 3',
    ),
    (lambda: fw.multi2test(None, "abc"), DataError, "`positions` must be a table"),
    (lambda: fw.multi2test("abc", "abc"), DataError, "`positions` must be a table"),
    (
        lambda: fw.multi2test(PLACES, 5),
        DataError,
        "`prior` must be a list of algorithm names, but is 5",
    ),
    (lambda: fw.multi2test(PLACES, costs="x"), DataError, "`costs` must be a table"),
    (
        lambda: fw.multi2test(PLACES, costs=COSTS.set_axis(list("uvx"))),
        DataError,
        '"costs" and "positions" must have the same data sets, but share only 1 of 5',
    ),
    (
        lambda: fw.multitest(None, BETTER),
        DataError,
        "`prior` must be a list of algorithm names, but is None",
    ),
    (lambda: fw.multitest("abc", None), DataError, "`better` must be a table"),
    (
        lambda: fw.multitest("abc", BETTER | np.diag([True, False, True])),
        DataError,
        "better than itself, but `better` is true for a and c. Set the diagonal to False",
    ),
    (
        lambda: best_of_underlines(None, [], "abc"),
        DataError,
        "`order` must be a list of algorithm names, but is None",
    ),
    (lambda: best_of_underlines("abc", [1], "abc"), DataError, "list of algorithm names, but is 1"),
    (
        lambda: best_of_underlines("abc", None, "abc"),
        DataError,
        "list of algorithm names, but is None",
    ),
    # tables and rows of numbers
    (lambda: fw.friedman("abc", higher_is_better=True), DataError, "`scores` must be a table"),
    (
        lambda: fw.friedman(TEXT, higher_is_better=True),
        DataError,
        "`scores` must contain only numbers",
    ),
    (lambda: fw.anova("abc"), DataError, "`matrix` must be a table, but is a str"),
    (lambda: fw.paired_t(["a"], ["b"]), DataError, "`x` must contain only numbers.*'a'"),
    (lambda: fw.wilcoxon([1.0], ["b"]), DataError, "`y` must contain only numbers.*'b'"),
    (lambda: fw.mcnemar(["a"], ["b"]), DataError, "`x` must contain only numbers"),
    (lambda: fw.cv52_t("x"), DataError, "`differences` must be a table"),
    (lambda: fw.cv52_f("x"), DataError, "`differences` must be a table"),
    (lambda: cv52_combined_t([["x", 1]] * 5), DataError, "`differences` must contain only numbers"),
    (lambda: cochran_q("x"), DataError, "`correct` must be a table"),
    (lambda: cochran_q(TEXT), DataError, "`correct` must contain only numbers"),
    (lambda: fw.manova("x"), DataError, "`vectors` must contain only numbers"),
    (lambda: fw.manova([[[1.0], [2.0, 3.0]]]), DataError, "`vectors` must contain only numbers"),
    (lambda: box_m(None), DesignError, "at least 2 groups.*, but there are none"),
    (lambda: box_m("ab"), DataError, "`results` must contain only numbers"),
    (
        lambda: box_m([np.ones((9, 2)), np.ones((9, 3))]),
        DesignError,
        "there are groups of 9 × 2, 9 × 3",
    ),
    (lambda: threshold_for_costs("x"), SettingError, "must be 0 or positive, but is 'x'"),
    (lambda: threshold_for_costs(None), SettingError, "must be 0 or positive, but is None"),
    (lambda: loss_ratio("x"), DataError, "`theta` must contain only numbers"),
    # an analysis is wanted
    (
        lambda: every_omnibus(PLACES),
        SettingError,
        "type Comparison, but has the type DataFrame. Use `compare`",
    ),
    (lambda: sensitivity(PLACES), SettingError, "Comparison, but has the type DataFrame"),
    (lambda: sensitivity(None), SettingError, "but has the type NoneType. Use `compare`"),
    (lambda: fw.verdict(PLACES), SettingError, "Comparison, but has the type DataFrame"),
]


@pytest.mark.parametrize(("call", "kind", "message"), REFUSED)
def test_it_is_refused_with_what_must_hold_what_arrived_and_what_to_do(call, kind, message):
    with pytest.raises(kind, match=message) as refusal:
        call()

    text = str(refusal.value)
    assert isinstance(refusal.value, FoldwiseError)
    assert text.endswith(".")
    assert ".." not in text
    assert len([part for part in text.split(". ") if part]) >= 2


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float64(3)])
def test_a_whole_number_may_come_as_any_kind_of_number(value):
    assert check_whole(value, "n") == 3
    check_sizes(value, value)


@pytest.mark.parametrize("value", ["x", None, nan, 0, 1, True, [0.5], 1j])
def test_what_is_no_probability(value):
    with pytest.raises(SettingError, match="must lie strictly between 0 and 1"):
        check_probability(value, "alpha")


def test_a_list_or_an_array_of_costs_is_a_table_too():
    """Expected by hand: each cost divided by the largest in its row, averaged over rows."""
    assert average_cost([[1.0, 2.0], [3.0, 4.0]]).tolist() == [0.625, 1.0]
    assert average_cost(np.array([[1.0, 2.0]])).tolist() == [0.5, 1.0]
    assert prior_order({"a": 2.0, "b": 1.0}) == (("b", "a"), ())


def test_places_and_costs_of_the_same_data_sets_in_another_order_go_together():
    shuffled = COSTS.loc[list("zxy"), list("cab")]
    found = fw.multi2test(PLACES, costs=shuffled)

    assert found.ordering.order == fw.multi2test(PLACES, costs=COSTS).ordering.order


def test_p_values_of_one_family_are_not_changed_in_place():
    raw = np.array([0.01, 0.04])
    adjust_family(raw, "none")[0] = 1

    assert raw.tolist() == [0.01, 0.04]


def test_manova_says_which_statistic_has_no_p():
    """3 algorithms on 2 folds without blocks leave v_E = 3; McKeon's F needs v_E > p + 3 = 5."""
    found = fw.manova(np.random.default_rng(0).normal(size=(3, 2, 2)), blocked=False)

    assert found.scatter_df == (2, 3)
    assert found.table.index[found.table["p"].isna()].tolist() == ["Hotelling-Lawley (McKeon)"]
    assert tuple(map(str, found.warnings)) == (
        "Hotelling-Lawley (McKeon) has no p-value, because 3 residual degrees of freedom are too few for 2 dimensions. Add folds "
        "or use fewer measures.",
    )
    enough = fw.manova(np.random.default_rng(0).normal(size=(3, 8, 2)))
    assert enough.warnings == ()
    assert enough.table["p"].notna().all()
