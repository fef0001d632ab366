"""Measures of several classes and of numbers, against scikit-learn (imported here) on random predictions."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from stats_core.data import class_measures
from stats_core.data.class_measures import BY_CLASSES, OF_NUMBERS
from stats_core.data.measures import MEASURES
from stats_core.io.read import read_results

LABELS = ("ant", "bee", "cow", "dog")


def random_predictions(seed, n=90, labels=LABELS, folds=3):
    """Return predictions of two algorithms with probabilities of each class; some labels are rare."""
    rng = np.random.default_rng(seed)
    true = rng.choice(len(labels), size=n, p=rng.dirichlet(np.ones(len(labels)) * 2))
    true[: 2 * folds * len(labels)] = np.tile(
        np.arange(len(labels)), 2 * folds
    )  # every class in every fold
    rows = []
    for name, skill in (("a", 2.0), ("b", 0.5)):
        score = rng.normal(size=(n, len(labels))) + skill * np.eye(len(labels))[true]
        share = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
        table = pd.DataFrame(share, columns=[f"prob_{label}" for label in labels])
        table.insert(0, "predicted", np.array(labels)[share.argmax(axis=1)])
        table.insert(0, "true", np.array(labels)[true])
        table.insert(0, "instance", np.arange(n))
        table.insert(0, "fold", np.arange(n) // len(labels) % folds)
        table.insert(0, "algorithm", name)
        rows.append(table)
    return pd.concat(rows, ignore_index=True)


def read(table):
    return read_results(("animals.csv", table.to_csv(index=False).encode()))


EXPECTED = {
    "accuracy": lambda t, p, s: metrics.accuracy_score(t, p),
    "error": lambda t, p, s: metrics.zero_one_loss(t, p),
    "balanced_accuracy": lambda t, p, s: metrics.balanced_accuracy_score(t, p),
    "mcc": lambda t, p, s: metrics.matthews_corrcoef(t, p),
    "kappa": lambda t, p, s: metrics.cohen_kappa_score(t, p),
    "macro_f1": lambda t, p, s: metrics.f1_score(t, p, average="macro"),
    "weighted_f1": lambda t, p, s: metrics.f1_score(t, p, average="weighted"),
    "logloss": lambda t, p, s: metrics.log_loss(t, s, labels=LABELS),
    "brier": lambda t, p, s: metrics.brier_score_loss(t, s, labels=LABELS),
    "macro_auc": lambda t, p, s: metrics.roc_auc_score(t, s, multi_class="ovr", labels=LABELS),
    "top2_accuracy": lambda t, p, s: metrics.top_k_accuracy_score(t, s, k=2, labels=LABELS),
    "top3_accuracy": lambda t, p, s: metrics.top_k_accuracy_score(t, s, k=3, labels=LABELS),
}


@pytest.mark.parametrize("seed", range(5))
def test_measures_of_several_classes_are_those_of_scikit_learn(seed):
    table = random_predictions(seed)
    results = read(table)
    assert set(results.directions) == set(EXPECTED)
    for (algorithm, fold), block in table.groupby(["algorithm", "fold"]):
        scores = block[[f"prob_{label}" for label in LABELS]].to_numpy()
        for measure, expected in EXPECTED.items():
            found = results.matrix("animals", measure).loc[("1", str(fold)), algorithm]
            assert found == pytest.approx(
                expected(block["true"], block["predicted"], scores), abs=1e-12
            ), measure


def test_folds_may_lack_classes_and_have_other_predicted_labels():
    rng = np.random.default_rng(3)
    group, true, predicted = rng.integers(0, 6, 60), rng.integers(0, 5, 60), rng.integers(0, 7, 60)
    found = class_measures.fold_class_measures(group, true, predicted)
    for fold in range(6):
        t, p = true[group == fold], predicted[group == fold]
        assert found["macro_f1"][fold] == pytest.approx(
            metrics.f1_score(t, p, average="macro"), abs=1e-12
        )
        assert found["kappa"][fold] == pytest.approx(metrics.cohen_kappa_score(t, p), abs=1e-12)
        recall = metrics.recall_score(
            t, p, average="macro", labels=np.unique(t)
        )  # of the classes of the fold
        assert found["balanced_accuracy"][fold] == pytest.approx(recall, abs=1e-12)


def test_one_predicted_class_has_kappa_zero_and_no_mcc():
    found = class_measures.fold_class_measures(
        np.zeros(6, int), np.array([0, 0, 1, 1, 2, 2]), np.zeros(6, int)
    )
    assert found["kappa"][0] == 0
    assert np.isnan(found["mcc"][0])


def test_undefined_mcc_has_a_reason_and_can_be_set_to_zero():
    table = random_predictions(0)
    table.loc[table["algorithm"] == "b", "predicted"] = "ant"
    results = read(table.drop(columns=[f"prob_{label}" for label in LABELS]))
    assert set(results.missing_of("mcc")["reason"].str[:3]) == {"0/0"}
    assert len(results.missing_of("kappa")) == 0
    assert results.resolve("undefined as 0", "mcc").averages("mcc")["b"].tolist() == [0]


def test_a_failed_run_has_no_measure():
    table = random_predictions(0)
    failed = (table["algorithm"] == "b") & (table["fold"] == 1)
    table.loc[failed, table.columns[4:]] = np.nan
    missing = read(table).missing
    assert set(missing["measure"]) == set(EXPECTED)
    assert set(missing["fold"]) == {"1"}
    assert not missing["reason"].str.startswith("0/0").any()


def test_equal_scores_share_their_places():
    scores = np.array([[0.5, 0.25, 0.25, 0.0], [0.25, 0.25, 0.25, 0.25], [0.0, 0.0, 0.5, 0.5]])
    found = class_measures.fold_score_measures(np.zeros(3, int), np.array([1, 0, 3]), scores, 4)
    assert found["top2_accuracy"][0] == pytest.approx((1 / 2 + 2 / 4 + 1) / 3)
    assert "top3_accuracy" in found
    assert "top3_accuracy" not in class_measures.fold_score_measures(
        np.zeros(3, int), np.array([1, 0, 2]), scores, 3
    )


def test_five_highest_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(4)
    true, scores = rng.integers(0, 7, 50), rng.normal(size=(50, 7))
    found = class_measures.fold_score_measures(np.zeros(50, int), true, scores, 7)
    assert found["top5_accuracy"][0] == pytest.approx(
        metrics.top_k_accuracy_score(true, scores, k=5), abs=1e-12
    )


def test_no_log_loss_without_probabilities_or_with_probability_zero():
    group, true = np.zeros(3, int), np.array([0, 1, 2])
    sure = np.eye(3)[[0, 1, 0]]
    assert "logloss" not in class_measures.fold_score_measures(group, true, sure, 3)
    assert "logloss" not in class_measures.fold_score_measures(group, true, 5 * np.eye(3) + 0.1, 3)
    assert "logloss" in class_measures.fold_score_measures(group, true, np.full((3, 3), 1 / 3), 3)


def test_row_order_does_not_change_a_bit():
    table = random_predictions(1)
    mixed = read(table.sample(frac=1, random_state=0))
    for measure in EXPECTED:
        pd.testing.assert_frame_equal(
            read(table).matrix("animals", measure), mixed.matrix("animals", measure), rtol=0, atol=0
        )


@pytest.mark.parametrize("measure", BY_CLASSES)
def test_gradients_of_classes_are_those_of_finite_differences(measure):
    rng = np.random.default_rng(0)
    table = rng.integers(1, 20, size=(4, 4)).astype(float)

    def value(counts):
        parts = np.diag(counts).copy(), counts.sum(axis=1), counts.sum(axis=0)
        return class_measures.class_measure_and_gradient(measure, *parts)

    _, slopes = value(table)
    for i, j in ((0, 0), (1, 3), (2, 1), (3, 3)):
        step = np.zeros((4, 4))
        step[i, j] = 1e-5
        numeric = (value(table + step)[0][0] - value(table - step)[0][0]) / 2e-5
        assert (i == j) * slopes[0][i] + slopes[1][i] + slopes[2][j] == pytest.approx(
            numeric, abs=1e-8
        )


@pytest.mark.parametrize("seed", range(3))
def test_measures_of_numbers_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    group, true = np.repeat([0, 1, 2], [30, 9, 2]), rng.normal(50, 9, 41)
    predicted = true + rng.normal(0, 5, 41)
    found = class_measures.fold_number_measures(group, true, predicted)
    for fold in range(3):
        t, p = true[group == fold], predicted[group == fold]
        assert found["rmse"][fold] == pytest.approx(
            metrics.root_mean_squared_error(t, p), abs=1e-12
        )
        assert found["mae"][fold] == pytest.approx(metrics.mean_absolute_error(t, p), abs=1e-12)
        assert found["r2"][fold] == pytest.approx(metrics.r2_score(t, p), rel=1e-12, abs=1e-12)
        assert found["medae"][fold] == pytest.approx(metrics.median_absolute_error(t, p), abs=1e-12)


@pytest.mark.parametrize("measure", OF_NUMBERS)
def test_gradients_of_numbers_are_those_of_finite_differences(measure):
    rng = np.random.default_rng(0)
    true = rng.normal(3, 2, 30)
    predicted = true + rng.normal(size=30)
    sums = class_measures.number_sums(measure, true, predicted).sum(axis=0)
    value, slope = class_measures.number_measure_and_gradient(measure, sums)
    assert value == pytest.approx(
        class_measures.fold_number_measures(np.zeros(30, int), true, predicted)[measure][0]
    )
    for i, step in enumerate(1e-6 * np.eye(len(sums))):
        ends = [
            class_measures.number_measure_and_gradient(measure, sums + sign * step)[0]
            for sign in (1, -1)
        ]
        assert slope[i] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


def test_r2_of_equal_true_values_is_undefined():
    assert np.isnan(
        class_measures.fold_number_measures(np.zeros(3, int), np.ones(3), np.arange(3.0))["r2"][0]
    )


def test_every_measure_has_a_direction():
    for name in (*EXPECTED, *OF_NUMBERS, "medae"):
        assert MEASURES[name].direction == (
            "lower" if name in ("error", "brier", "logloss", "rmse", "mae", "medae") else "higher"
        )


def test_confusion_matrices_are_those_of_scikit_learn():
    table = random_predictions(2)
    matrices = class_measures.confusion_matrices(read(table), "animals")
    for name, block in table.groupby("algorithm"):
        expected = metrics.confusion_matrix(block["true"], block["predicted"], labels=LABELS)
        assert matrices[name].to_numpy().tolist() == expected.tolist()
        assert list(matrices[name].index) == list(LABELS)


def test_confusion_matrices_of_two_classes_follow_the_threshold():
    rows = "instance,y,a,b\n1,yes,0.9,0.2\n2,yes,0.4,0.6\n3,no,0.7,0.1\n4,no,0.2,0.3\n"
    matrices = class_measures.confusion_matrices(read_results(("d.csv", rows.encode())), "d")
    assert matrices["a"].loc["yes"].to_dict() == {"no": 1, "yes": 1}
    assert matrices["b"].loc["no"].to_dict() == {"no": 2, "yes": 0}


def test_predicted_numbers_have_no_confusion_matrix():
    rows = "".join(f"{m},{i},{i / 7},{i / 7 + 0.01}\n" for m in "ab" for i in range(20))
    results = read_results(("d.csv", f"model,case,true,pred\n{rows}".encode()))
    assert class_measures.confusion_matrices(results, "d") == {}


def test_predicted_labels_that_are_never_true_are_other():
    rows = (
        "algorithm,instance,true,predicted\na,1,x,x\na,2,y,q\na,3,z,r\nb,1,x,y\nb,2,y,y\nb,3,z,z\n"
    )
    matrices = class_measures.confusion_matrices(read_results(("d.csv", rows.encode())), "d")
    assert list(matrices["a"].columns) == ["x", "y", "z", "other"]
    assert matrices["a"]["other"].tolist() == [0, 1, 1, 0]
