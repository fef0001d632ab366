"""Agreement of decisions between rules."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from stats_core.core.errors import DesignError, SettingError
from stats_core.data.settings import Settings
from stats_core.inference.fold_pairs import fold_data, fold_pairs
from stats_core.inference.fold_tests import run_pair_test
from stats_core.inference.paired import paired_t
from stats_core.inference.paired.vectorized_pairs import QUICK, quick_pvalues
from stats_core.robustness.dataset_decisions import Rule, agreement
from tests.comparison.test_folds import folds
from tests.samples import shipped


@pytest.fixture(scope="module")
def counts():
    return shipped("twoclass_counts.csv")


def test_every_pair_of_every_repetition_is_one_decision(counts):
    """840 decisions: 4 data sets, 21 pairs, 10 repetitions, as the paper counts them."""
    four = counts.select(datasets=counts.datasets[:4])
    found = agreement(four, Rule(measure="error"), Rule(measure="f"))

    assert len(found.decisions) == 840
    assert found.counts.loc["total", "total"] == 840
    assert found.percent.loc["total", "total"] == 100
    assert found.counts.iloc[:2, :2].to_numpy().sum() == 840
    np.testing.assert_array_equal(
        found.counts.loc["total"].iloc[:2], found.counts.iloc[:2, :2].sum()
    )


def test_one_decision_is_the_test_on_its_repetition(counts):
    rule = Rule(measure="error", test="paired t")
    found = agreement(counts.select(datasets=["pima"]), rule, rule)
    row = found.decisions[found.decisions["repetition"] == "3"].iloc[0]
    matrix = counts.matrix("pima", "error").loc["3"]

    assert row["p one"] == paired_t(matrix[row["first"]], matrix[row["second"]]).pvalue
    assert len(matrix) == 10


def test_a_rule_agrees_with_itself(counts):
    rule = Rule(measure="error", test="corrected t")
    table = agreement(counts.select(datasets=["pima", "german"]), rule, rule).counts

    assert table.loc["rejects", "does not reject"] == 0
    assert table.loc["does not reject", "rejects"] == 0


def test_another_level_decides_as_tests_made_there(counts):
    two = counts.select(datasets=["pima", "german"])
    rules = (Rule(measure="error"), Rule(measures=("fpr", "tpr"), correction="holm"))
    anew = agreement(two, *(replace(rule, alpha=0.2) for rule in rules))
    found = agreement(two, *rules)

    pd.testing.assert_frame_equal(found.at_level(0.2, 0.2).decisions, anew.decisions)
    assert not found.decisions.equals(anew.decisions)


def test_a_correction_only_takes_rejections_away(counts):
    some = counts.select(datasets=["pima"])
    plain, holm = Rule(measure="error"), Rule(measure="error", correction="holm")

    assert agreement(some, plain, holm).counts.loc["does not reject", "rejects"] == 0


def test_5x2_tests_look_at_all_replications_and_so_does_the_other():
    found = agreement(
        folds("cv5x2"),
        Rule(measure="error", test="5x2 cv F"),
        Rule(measure="error", test="paired t"),
    )

    assert set(found.decisions["repetition"]) == {"all"}
    assert len(found.decisions) == 15


def test_cells_hold_their_pairs(counts):
    found = agreement(counts, Rule(measure="error"), Rule(measure="fpr"))
    cell = found.cell(first=True, second=False)

    assert len(cell) == found.counts.loc["rejects", "does not reject"]
    assert ((cell["p one"] <= 0.05) & (cell["p other"] > 0.05)).all()
    assert sum(
        len(found.cell(first=a, second=b)) for a in (True, False) for b in (True, False)
    ) == (len(found.decisions))


def test_what_cannot_be_decided_is_named():
    results = folds("cv10")
    with pytest.raises(DesignError, match="needs 5 repetitions"):
        agreement(results, Rule(measure="error", test="5x2 cv F"), Rule(measure="error"))
    with pytest.raises(SettingError, match="correction"):
        agreement(results, Rule(measure="error", correction="shaffer?"), Rule(measure="error"))
    with pytest.raises(SettingError, match="no measure"):
        agreement(results, Rule(measure="error"), Rule(measure="speed"))


def test_a_data_set_that_cannot_be_decided_is_left_out_with_its_reason():
    good = folds("cv10").frame
    single = good[good["fold"] == "0"].assign(dataset="single")
    results = type(folds("cv10")).from_frame(pd.concat([good, single], ignore_index=True))
    found = agreement(results, Rule(measure="error"), Rule(measure="error", test="Wilcoxon"))

    assert list(found.skipped) == ["single"]
    assert set(found.decisions["dataset"]) == {"bc"}


def test_one_algorithm_makes_no_decision(counts):
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        agreement(counts.select(algorithms=["lda"]), Rule(measure="error"), Rule(measure="f"))


@pytest.mark.parametrize("test", QUICK)
def test_all_pairs_at_once_are_the_tests_pair_by_pair(test):
    """Columns that are the same, too: p is 1 there."""
    results = shipped("uci38_5x2.csv")
    shared = fold_data(results, "iris", Settings(measure="error"))
    matrix = shared["matrix"].assign(twin=shared["matrix"].iloc[:, 0])
    pairs = fold_pairs(
        results, {**shared, "matrix": matrix}, "error", combinations(matrix.columns, 2)
    )

    quick = quick_pvalues(matrix.to_numpy(), test, shared["test_fraction"])

    expected = [run_pair_test(pair, test).outcome.pvalue for pair in pairs.values()]
    np.testing.assert_allclose(quick[np.triu_indices(len(quick), 1)], expected, rtol=1e-9)
    assert quick[0, -1] == 1


def test_a_constant_difference_is_left_to_the_test_that_refuses_it():
    folds_with_one = np.arange(10.0)[:, None] + [0, 1]

    assert quick_pvalues(folds_with_one, "paired t", None) is None
    assert quick_pvalues(folds_with_one, "5x2 cv F", None) is None
    assert quick_pvalues(folds_with_one, "Wilcoxon", None)[0, 1] == 2**-9
