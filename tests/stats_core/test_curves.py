"""Areas under ROC and precision-recall curves: other programs and identities."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from stats_core.curves import pr_auc, roc_auc
from stats_core.errors import DataError, DegenerateError
from stats_core.reading import read_results
from tests.conftest import REFERENCE, load_oracles
from tests.stats_core.test_folds import assert_expected

rankings = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=20).filter(
    lambda cases: len({positive for positive, _ in cases}) == 2
)


@pytest.fixture(scope="module")
def scored():
    return read_results(REFERENCE / "D_bc_cv10_instances.csv")


@pytest.mark.parametrize(
    ("measure", "key"), [("auc", "per_fold.auc_roc"), ("auc_pr", "per_fold.auc_pr.trapezoid")]
)
def test_areas_of_every_fold_agree_with_scikit_learn_and_r(scored, measure, key):
    oracle = load_oracles("D_bc_roc")[key]
    matrix = scored.matrix(scored.datasets[0], measure)
    for cell, expected in oracle["expected"].items():
        fold, algorithm = cell.split("|")

        assert_expected(matrix[algorithm].iloc[int(fold)], oracle, expected)


def test_cases_know_whether_they_were_classified_correctly(scored):
    cases = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")

    assert scored.predictions["correct"].tolist() == (cases["y"] == cases["pred"]).tolist()


@given(rankings)
def test_areas_equal_those_of_scikit_learn(cases):
    labels, scores = np.array(cases).T
    pairs = list(product(scores[labels == 1], scores[labels == 0]))
    wilcoxon = np.mean([(a > b) + (a == b) / 2 for a, b in pairs])

    assert roc_auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    assert roc_auc(labels, scores) == pytest.approx(wilcoxon)
    assert roc_auc(labels, -scores) == pytest.approx(1 - wilcoxon)
    assert pr_auc(labels, scores, method="average precision") == pytest.approx(
        average_precision_score(labels, scores)
    )
    assert roc_auc(labels[::-1], scores[::-1]) == pytest.approx(wilcoxon)


def test_a_perfect_and_a_useless_ranking():
    assert (roc_auc([1, 1, 0], [3, 2, 1]), pr_auc([1, 1, 0], [3, 2, 1])) == (1, 1)
    assert roc_auc([1, 0, 1, 0], [0.5] * 4) == 0.5


def test_bad_input_is_refused():
    with pytest.raises(DegenerateError, match="Only one class"):
        roc_auc([1, 1], [0.1, 0.2])
    with pytest.raises(DataError, match="same length"):
        roc_auc([1, 0], [0.1])
    with pytest.raises(DataError, match="finite"):
        pr_auc([1, 0], [0.1, np.nan])


def test_a_fold_of_one_class_is_a_hole_with_its_reason():
    rows = [("a", 1, 1, 0.9), ("a", 1, 0, 0.2), ("a", 2, 1, 0.7), ("a", 2, 1, 0.4)]
    text = "algorithm,fold,true,score\n" + "\n".join(",".join(map(str, row)) for row in rows)
    results = read_results(("scores.csv", text.encode()))
    holes = results.missing[results.missing["measure"] == "auc"]

    assert holes[["fold", "reason"]].to_numpy().tolist() == [
        ["2", "0/0: only one class in the fold"]
    ]
    assert results.matrix("scores", "auc").iloc[0, 0] == 1
