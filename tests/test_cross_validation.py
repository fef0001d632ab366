"""Tests of cross-validation of scikit-learn estimators."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit
from sklearn.model_selection import cross_validate as by_sklearn
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import foldwise as fw
from stats_core.core.errors import SettingError

MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
IRIS = load_iris(return_X_y=True)


def test_scores_are_those_of_scikit_learn_on_the_same_folds():
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    names = ["accuracy", "neg_log_loss"]
    results = fw.cross_validate(MODELS, {"iris": IRIS}, cv=cv, scoring=names)

    assert (results.design, results.test_fraction("iris"), results.costs) == (
        "r x k-fold",
        pytest.approx(0.2),
        ("train_s", "predict_s"),
    )
    assert results.directions == {"accuracy": "higher", "log_loss": "lower"}
    for name, model in MODELS.items():
        expected = by_sklearn(model, *IRIS, cv=cv, scoring=names)
        assert results.matrix("iris", "accuracy")[name].tolist() == pytest.approx(expected["test_accuracy"].tolist())
        assert results.matrix("iris", "log_loss")[name].to_numpy() == pytest.approx(-expected["test_neg_log_loss"])


def test_predictions_and_data_frames():
    frame = load_iris(return_X_y=True, as_frame=True)
    results = fw.cross_validate(MODELS, frame, cv=3, predictions=True)

    assert (results.datasets, results.design, len(results.predictions)) == (("data",), "k-fold", 300)
    assert {"accuracy", "macro_auc"} <= set(results.measures)
    with pytest.raises(SettingError, match="computed from the predictions"):
        fw.cross_validate(MODELS, frame, predictions=True, scoring="accuracy")


def test_regressors_on_random_partitions():
    models = {"ridge": Ridge(), "mean": DummyRegressor()}
    cv = ShuffleSplit(15, test_size=0.2, random_state=0)
    results = fw.cross_validate(models, {"diabetes": load_diabetes(return_X_y=True)}, cv=cv)

    assert (results.design, results.measures) == ("holdout", ("r2",))
    assert fw.compare(results).verdict.headline.startswith("ridge is significantly better than mean")


class Fragile(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the first class, and fails from the third fit on while `fails`."""

    fits, fails = 0, True

    def fit(self, X, y):
        type(self).fits += 1
        if self.fails and type(self).fits > 2:
            raise MemoryError
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_a_run_that_stopped_is_resumed(tmp_path):
    sets = {"first": IRIS, "second": (IRIS[0][:100], IRIS[1][:100])}
    models = {"fragile": Fragile()}
    with pytest.raises(MemoryError):
        fw.cross_validate(models, sets, cv=2, folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == 1

    Fragile.fails = False
    results = fw.cross_validate(models, sets, cv=2, folder=tmp_path)
    assert Fragile.fits == 5  # of the first data set none again
    assert results == fw.cross_validate(models, sets, cv=2, folder=tmp_path)
    assert Fragile.fits == 5
    fw.cross_validate(models, {"first": (IRIS[0] + 1, IRIS[1])}, cv=2, folder=tmp_path)
    assert Fragile.fits == 7  # other data, other results


@pytest.mark.parametrize(("models", "sets"), [({}, {"iris": IRIS}), (MODELS, {})])
def test_nothing_to_validate_is_refused(models, sets):
    with pytest.raises(SettingError, match="at least one estimator and one data set"):
        fw.cross_validate(models, sets)
