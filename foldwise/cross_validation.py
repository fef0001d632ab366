"""Cross-validation of scikit-learn estimators on the same folds; scikit-learn is imported when it is used."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.row_checks import KEYS
from stats_core.io.read import read_results

_COSTS = ("train_s", "predict_s")


def cross_validate(
    estimators: Mapping[str, Any],
    datasets: Mapping[str, tuple[Any, Any]] | tuple[Any, Any],
    *,
    cv: Any = 10,
    scoring: str | Sequence[str] | None = None,
    predictions: bool = False,
    folder: str | PathLike[str] | None = None,
    rng: int = 0,
) -> Results:
    """Cross-validate several estimators on the same folds of each data set.

    Parameters
    ----------
    estimators : dict of name to estimator
        Classifiers or regressors of scikit-learn, or pipelines. Each fold fits a clone.
    datasets : dict of name to (X, y), or one (X, y)
        The data sets.
    cv : int or splitter
        Number of shuffled folds, stratified for classifiers, or a splitter of scikit-learn.
    scoring : str or list of str, optional
        Scorers of scikit-learn; by default "accuracy" or, for regressors, "r2". Negated errors such as
        "neg_log_loss" are returned without the sign, and lower is better.
    predictions : bool
        Whether to return the predictions of each test instance instead of scores, with probabilities if the
        classifiers provide them. `scoring` must then be None.
    folder : path, optional
        Folder for the results of each estimator on each data set. A repeated call reads them instead of fitting
        again, for example after a crash. Results of other estimators, data or settings are not reused.
    rng : int
        Seed of the folds, unless `cv` is a splitter.

    Returns
    -------
    Results
        For `foldwise.compare` and `foldwise.analyse`, with the sizes of training and test sets, and with costs
        `train_s` and `predict_s` in seconds unless `predictions` is True.

    Raises
    ------
    SettingError
        There are no estimators or data sets, or `scoring` is given with predictions.

    Notes
    -----
    Exceptions of an estimator are not caught.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    >>> results = cross_validate(models, {"iris": load_iris(return_X_y=True)})
    >>> results.design, round(results.test_fraction("iris"), 3), results.measures
    ('k-fold', 0.1, ('accuracy',))
    """
    from sklearn.base import is_classifier
    from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

    sets = {"data": datasets} if isinstance(datasets, tuple) else dict(datasets)
    if not estimators or not sets:
        raise SettingError.of("nothing to cross-validate")
    if predictions and scoring is not None:
        raise SettingError.of("scoring of predictions")
    classify = all(map(is_classifier, estimators.values()))
    scorers = [scoring] if isinstance(scoring, str) else list(scoring or ["accuracy" if classify else "r2"])
    if not hasattr(cv, "split"):
        cv = (StratifiedKFold if classify else KFold)(cv, shuffle=True, random_state=rng)
    parts = []
    for dataset, (X, y) in sets.items():
        splits = list(cv.split(X, y))
        folds = len(splits) // getattr(cv, "n_repeats", 1)
        for name, estimator in estimators.items():
            key = _digest(dataset, name, repr(estimator), X, y, splits, "predictions" if predictions else scorers)
            path = None if folder is None else Path(folder) / f"{key}.csv"
            if path is not None and path.exists():
                parts.append(pd.read_csv(path, dtype=dict.fromkeys(KEYS, str), keep_default_na=False, na_values=[""]))
                continue
            rows = [_run(estimator, X, y, train, test, [] if predictions else scorers) for train, test in splits]
            for number, frame in enumerate(rows):
                frame["dataset"], frame["algorithm"] = dataset, name
                frame["repetition"], frame["fold"] = str(number // folds + 1), str(number % folds + 1)
            parts.append(pd.concat(rows, ignore_index=True))
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                parts[-1].to_csv(path.with_suffix(".part"), index=False)
                path.with_suffix(".part").replace(path)  # a stopped run leaves no incomplete file
    table = pd.concat(parts, ignore_index=True)
    random = isinstance(cv, ShuffleSplit | StratifiedShuffleSplit)
    if predictions:
        return read_results(table.assign(design="holdout") if random else table)
    directions = {_plain(scorer): "lower" if scorer != _plain(scorer) else "higher" for scorer in scorers}
    return Results.from_frame(table, directions=directions, costs=_COSTS, design_hint="holdout" if random else "")


def _plain(scorer: str) -> str:
    """Return the name of a scorer without the sign of negated errors."""
    return scorer.removeprefix("neg_")


def _digest(*values: Any) -> str:
    """Return a digest of what determines the results of an estimator on a data set."""
    digest = hashlib.sha256()
    for value in values:
        if isinstance(value, pd.DataFrame | pd.Series):
            digest.update(pd.util.hash_pandas_object(value).to_numpy().tobytes())
        elif isinstance(value, np.ndarray) and value.dtype != object:
            digest.update(np.ascontiguousarray(value).tobytes())
        elif isinstance(value, list | tuple) and value and not isinstance(value[0], str):
            digest.update(_digest(*value).encode())
        else:
            digest.update(repr(value).encode())
        digest.update(b"|")
    return digest.hexdigest()[:32]


def _run(estimator: Any, X: Any, y: Any, train: np.ndarray, test: np.ndarray, scorers: Sequence[str]) -> pd.DataFrame:
    """Return one row of scores and seconds for a fold or, without scorers, one row per test instance."""
    from sklearn.base import clone
    from sklearn.metrics import get_scorer
    from sklearn.utils import _safe_indexing as rows_of

    model, start = clone(estimator), time.perf_counter()
    model.fit(rows_of(X, train), rows_of(y, train))
    trained = time.perf_counter()
    X_test, y_test = rows_of(X, test), rows_of(y, test)
    predicted = model.predict(X_test)
    seconds = {"train_s": trained - start, "predict_s": time.perf_counter() - trained}
    sizes = {"n_train": len(train), "n_test": len(test)}
    if scorers:
        scores = {_plain(name): get_scorer(name)(model, X_test, y_test) for name in scorers}
        signed = {name: -scores[_plain(name)] if name != _plain(name) else scores[name] for name in scorers}
        return pd.DataFrame([{_plain(name): score for name, score in signed.items()} | seconds | sizes])
    columns = {"instance": test + 1, "true": np.asarray(y_test), "predicted": predicted}
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X_test)
        columns |= {f"prob_{label}": probabilities[:, i] for i, label in enumerate(model.classes_)}
    return pd.DataFrame(columns)
