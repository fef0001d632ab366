"""Tests of cross-validation of scikit-learn estimators and of reports of skore."""

from copy import deepcopy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.model_selection import cross_validate as by_sklearn
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import foldwise as fw
from foldwise.cross_validation import StoredResults
from stats_core.core.errors import DataError, SettingError

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
        assert results.matrix("iris", "accuracy")[name].tolist() == pytest.approx(
            expected["test_accuracy"].tolist()
        )
        assert results.matrix("iris", "log_loss")[name].to_numpy() == pytest.approx(
            -expected["test_neg_log_loss"]
        )


def test_predictions_and_data_frames():
    frame = load_iris(return_X_y=True, as_frame=True)
    results = fw.cross_validate(MODELS, frame, cv=3, predictions=True)

    assert (results.datasets, results.design, len(results.predictions)) == (
        ("data",),
        "k-fold",
        300,
    )
    assert {"accuracy", "macro_auc"} <= set(results.measures)
    with pytest.raises(SettingError, match="computed from the predictions"):
        fw.cross_validate(MODELS, frame, predictions=True, scoring="accuracy")


def test_regressors_on_random_partitions():
    models = {"ridge": Ridge(), "mean": DummyRegressor()}
    cv = ShuffleSplit(15, test_size=0.2, random_state=0)
    results = fw.cross_validate(models, {"diabetes": load_diabetes(return_X_y=True)}, cv=cv)

    assert (results.design, results.measures) == ("holdout", ("r2",))
    assert fw.compare(results).verdict.headline.startswith(
        "ridge is significantly better than mean"
    )


RUN = SimpleNamespace(fits=0, fails=True)


class Fragile(ClassifierMixin, BaseEstimator):
    """A classifier that predicts the first class, and fails from the third fit on while `RUN.fails`."""

    def fit(self, X, y):
        RUN.fits += 1
        if RUN.fails and RUN.fits > 2:
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

    RUN.fails = False
    results = fw.cross_validate(models, sets, cv=2, folder=tmp_path)
    assert RUN.fits == 5  # of the first data set none again
    assert results == fw.cross_validate(models, sets, cv=2, folder=tmp_path)
    assert RUN.fits == 5
    fw.cross_validate(models, {"first": (IRIS[0] + 1, IRIS[1])}, cv=2, folder=tmp_path)
    assert RUN.fits == 7  # other data, other results


def _chosen(columns):
    """Return a pipeline on some of 400 columns; the middle of the list is missing in its repr."""
    return make_pipeline(ColumnTransformer([("kept", "passthrough", columns)]), GaussianNB())


def _halved(X):
    return X / 2


class Edited(ClassifierMixin, BaseEstimator):
    """A classifier whose method `fit` the tests replace."""


class Unknown:
    """An object that cannot be pickled."""

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError


_TEXTS = np.array([f"text {i}" for i in range(2000)], dtype=object)
_NUMBERS = np.arange(12.0)
# pairs of data or estimators that differ, though their texts (repr) or their bytes agree
OTHERS = {
    "sparse matrix": (sparse.eye(9, format="csr"), sparse.eye(9, format="csr") * 2),
    "texts in an array": (_TEXTS, np.where(np.arange(2000) == 999, "x", _TEXTS)),
    "texts in a list": ([*"abc"], [*"abd"]),
    "shape": (_NUMBERS.reshape(3, 4), _NUMBERS.reshape(4, 3)),
    "type of numbers": (np.zeros(2), np.zeros(2, dtype="int64")),
    "names of columns": (pd.DataFrame({"a": _NUMBERS}), pd.DataFrame({"b": _NUMBERS})),
    "long pipeline": tuple(_chosen([*range(150), middle, *range(250, 400)]) for middle in (1, 2)),
    "function": (FunctionTransformer(_halved), FunctionTransformer(_chosen)),
    "nested": ({"a": [_TEXTS]}, {"a": [_TEXTS[::-1]]}),
}


def _file(data, estimator, folder="."):
    """Return the name of the file with the results of an estimator on data."""
    return StoredResults(Path(folder), data).path("data", "model", estimator)


@pytest.mark.parametrize("kind", OTHERS)
def test_stored_results_are_named_by_content(kind):
    first, other = OTHERS[kind]
    if isinstance(first, BaseEstimator):
        files = [_file(IRIS, each) for each in (first, clone(first), other)]
    else:
        files = [_file(each, GaussianNB()) for each in (first, deepcopy(first), other)]
    assert files[0] == files[1] is not None
    assert files[0] != files[2]


def test_stored_results_of_a_class_whose_code_was_changed_are_not_reused(monkeypatch):
    files = []
    for constant in (1, 1, 2):
        defined = {}
        exec(f"def fit(self, X, y):\n    self.shift = {constant}\n    return self\n", defined)
        monkeypatch.setattr(Edited, "fit", defined["fit"], raising=False)
        files.append(_file(IRIS, Edited()))
    assert files[0] == files[1] != files[2]


@pytest.mark.parametrize("unknown", [lambda X: X, Unknown()], ids=["lambda", "unpicklable"])
def test_results_of_unknown_objects_are_not_stored(unknown, tmp_path):
    model = make_pipeline(FunctionTransformer(unknown), GaussianNB())
    assert _file(IRIS, model) is None
    assert _file(unknown, GaussianNB()) is None
    if not isinstance(unknown, Unknown):
        results = fw.cross_validate({"model": model}, IRIS, cv=2, folder=tmp_path)
        assert len(results.frame) == 2
        assert not list(tmp_path.iterdir())


def test_results_of_other_sparse_data_are_not_reused(tmp_path):
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    sets = [sparse.csr_matrix(rng.normal(size=(60, 200)) + labels[:, None] * i) for i in (0, 2)]
    models = {"model": LogisticRegression()}
    stored = [fw.cross_validate(models, (X, labels), cv=3, folder=tmp_path) for X in sets]
    fresh = [fw.cross_validate(models, (X, labels), cv=3) for X in sets]
    assert [each.averages("accuracy").iat[0, 0] for each in stored] == [
        each.averages("accuracy").iat[0, 0] for each in fresh
    ]


@pytest.mark.parametrize(("models", "sets"), [({}, {"iris": IRIS}), (MODELS, {})])
def test_nothing_to_validate_is_refused(models, sets):
    with pytest.raises(SettingError, match="at least one estimator and one data set"):
        fw.cross_validate(models, sets)


class EstimatorReport:
    """A stand-in with the attributes that Foldwise reads of the EstimatorReport of skore 0.28."""

    def __init__(self, estimator, train, test, *, multioutput=False, pos_label=None):
        self.estimator_ = clone(estimator).fit(*train)
        self.estimator_name_, self.pos_label = type(estimator).__name__, pos_label
        self.X_test, self.y_test = test[0], np.c_[test[1], test[1]] if multioutput else test[1]
        self.ml_task = (
            "multiclass-classification" if hasattr(estimator, "predict_proba") else "regression"
        )
        score = self.estimator_.score(*test)
        rows = [
            ("default_score", score, True, None, None),
            ("accuracy" if self.ml_task != "regression" else "r2", score, True, None, None),
            ("recall", 0.5, True, "setosa", None),
            ("recall_avg", 0.25 + score / 2, True, None, "macro"),
            ("own_loss", 1 - score, False, None, None),
            ("fit_time", 0.5, False, None, None),
            ("predict_time", 0.25, False, None, None),
        ]
        summary = pd.DataFrame(
            rows, columns=["name", "score", "greater_is_better", "label", "average"]
        )
        display = SimpleNamespace(summary=summary.assign(output=None, data_source="test"))
        self.metrics = SimpleNamespace(summarize=lambda: display)

    def get_predictions(self, *, data_source, response_method="predict"):
        assert data_source == "test"
        predicted = getattr(self.estimator_, response_method)(self.X_test)
        if self.pos_label is None or response_method == "predict":
            return predicted
        return predicted[
            :, list(self.estimator_.classes_).index(self.pos_label)
        ]  # one column, as skore


class CrossValidationReport:
    """A stand-in with the attributes that Foldwise reads of the CrossValidationReport of skore 0.28."""

    def __init__(self, estimator, X, y, splitter, **options):
        self.estimator_name_, self.splitter = type(estimator).__name__, splitter
        self.split_indices = tuple(splitter.split(X, y))
        self.reports_ = [
            EstimatorReport(estimator, (X[train], y[train]), (X[test], y[test]), **options)
            for train, test in self.split_indices
        ]


def comparison_report(models, X, y, splitter, **options):
    """Return a stand-in for the ComparisonReport of skore 0.28."""
    return SimpleNamespace(
        reports_={
            name: CrossValidationReport(model, X, y, splitter, **options)
            for name, model in models.items()
        }
    )


def test_reports_of_skore_give_measures_costs_and_predictions_of_each_fold():
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    shown = fw.compare(comparison_report(MODELS, *IRIS, cv))
    results, own = shown.results, fw.cross_validate(MODELS, {"data": IRIS}, cv=cv)

    assert (results.design, results.costs) == ("r x k-fold", own.costs)
    assert results.test_fraction("data") == pytest.approx(0.2)
    assert results.measures[:4] == ("accuracy", "recall_setosa", "recall_macro", "own_loss")
    assert (results.direction("own_loss"), results.direction("recall_macro")) == ("lower", "higher")
    pd.testing.assert_frame_equal(
        results.matrix("data", "accuracy"), own.matrix("data", "accuracy")
    )
    assert results.matrix("data", "own_loss").to_numpy() == pytest.approx(
        1 - own.matrix("data", "accuracy").to_numpy()
    )
    assert (results.frame["train_s"].unique(), results.frame["predict_s"].unique()) == (0.5, 0.25)
    assert (len(results.predictions), "macro_auc" in results.measures) == (
        2 * 2 * len(IRIS[1]),
        True,
    )
    assert shown.pairs.p.item() == pytest.approx(fw.compare(own).pairs.p.item())


def test_reports_on_one_test_set_are_compared_on_its_instances():
    X, y = IRIS[0][IRIS[1] > 0], np.array(["no", "yes"])[IRIS[1][IRIS[1] > 0] - 1]
    reports = {
        name: EstimatorReport(model, (X[::2], y[::2]), (X[1::2], y[1::2]), pos_label="no")
        for name, model in MODELS.items()
    }
    shown = fw.compare(reports, measure="auc")
    probabilities = [report.estimator_.predict_proba(X[1::2])[:, 0] for report in reports.values()]

    assert shown.comparison.test_name.startswith("DeLong")
    assert shown.pairs.p.item() == pytest.approx(fw.delong(y[1::2] == "no", *probabilities).pvalue)
    assert fw.compare(reports["tree"]).results.algorithms == ("DecisionTreeClassifier",)


def test_reports_by_data_set_regression_and_several_outputs():
    X, y = load_diabetes(return_X_y=True)
    models, cv = (
        {"ridge": Ridge(), "mean": DummyRegressor()},
        ShuffleSplit(4, test_size=0.2, random_state=0),
    )
    sets = {f"set {i}": (X[i::6], y[i::6]) for i in range(6)}
    results = fw.compare(
        {name: comparison_report(models, *data, cv) for name, data in sets.items()}
    ).results
    assert (results.datasets, results.design, results.measures[0]) == (tuple(sets), "holdout", "r2")
    assert {"rmse", "mae"} < set(results.measures)  # of the predictions

    results = fw.compare(comparison_report(models, X, y, cv, multioutput=True)).results
    assert (results.predictions, results.design) == (None, "holdout")
    assert results.measures == ("r2", "recall_setosa", "recall_macro", "own_loss")


def test_probabilities_that_some_algorithms_lack_are_left_out():
    class Plain(DecisionTreeClassifier):
        predict_proba = property()

    models = {**MODELS, "plain": Plain(random_state=0)}
    report = comparison_report(MODELS, *IRIS, StratifiedKFold(3))
    report.reports_["plain"] = CrossValidationReport(models["plain"], *IRIS, StratifiedKFold(3))
    for fold in report.reports_["plain"].reports_:
        fold.ml_task = "multiclass-classification"
    results = fw.compare(report).results
    assert ("macro_auc" in results.measures, len(results.predictions)) == (False, 3 * 150)


def test_reports_of_an_older_skore_and_of_different_folds_are_refused():
    report = comparison_report(MODELS, *IRIS, StratifiedKFold(3))
    other = CrossValidationReport(
        MODELS["tree"], *IRIS, StratifiedKFold(3, shuffle=True, random_state=0)
    )
    with pytest.raises(DataError, match="has other test instances than that of"):
        fw.compare({"bayes": report.reports_["bayes"], "tree": other})
    other.reports_[0].metrics.summarize = SimpleNamespace
    with pytest.raises(DataError, match=r"Use skore 0\.28 or newer"):
        fw.compare({"tree": other})


def test_real_reports_of_skore():
    skore = pytest.importorskip(
        "skore", reason="skore is not installed; the stand-ins above copy its version 0.28"
    )
    report = skore.compare(
        {
            name: skore.CrossValidationReport(model, *IRIS, splitter=4)
            for name, model in MODELS.items()
        }
    )
    results = fw.compare(report).results
    expected = report.reports_["tree"].metrics.summarize().summary.query("name == 'accuracy'")
    assert results.matrix("data", "accuracy")["tree"].tolist() == expected["score"].tolist()
    assert (results.design, len(results.predictions), results.costs) == (
        "k-fold",
        300,
        ("train_s", "predict_s"),
    )
