"""Results of scikit-learn estimators: cross-validated on the same folds here, or read from reports of skore.

Scikit-learn is imported when it is used. Skore is not imported; its reports are recognized by their
attributes.
"""

import inspect
import io
import pickle
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, SettingError
from stats_core.data.measures import known_name
from stats_core.data.results import Results
from stats_core.data.row_checks import KEYS
from stats_core.io import fold_arrays
from stats_core.io.mapping import Mapping as ColumnMapping
from stats_core.io.read import read_results

_COSTS = ("train_s", "predict_s")
_TIMES = {"fit_time": "train_s", "predict_time": "predict_s"}  # skore -> ours


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
        Scorers of scikit-learn; by default "accuracy" or, for regressors, "r2". Negated errors such
        as "neg_log_loss" are returned without the sign, and lower is better.
    predictions : bool
        Whether to return the predictions of each test instance instead of scores, with
        probabilities if the classifiers provide them. `scoring` must then be None.
    folder : path, optional
        Folder for the results of each estimator on each data set. A repeated call reads them
        instead of fitting again, for example after a crash. Results of other estimators, data or
        settings are not reused: the contents of all of these and the code of the estimators are
        compared, though not the code of functions that your own code calls. Nothing is stored for
        objects that cannot be pickled.
    rng : int
        Seed of the folds, unless `cv` is a splitter.

    Returns
    -------
    Results
        For `foldwise.compare` and `foldwise.analyse`, with the sizes of training and test sets, and
        with costs `train_s` and `predict_s` in seconds unless `predictions` is True.

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

    sets = {"data": datasets} if isinstance(datasets, tuple) else dict(datasets)
    if not estimators or not sets:
        raise SettingError.of("nothing to cross-validate")
    if predictions and scoring is not None:
        raise SettingError.of("scoring of predictions")
    classify = all(map(is_classifier, estimators.values()))
    scorers = [] if predictions else _scorers(scoring, "accuracy" if classify else "r2")
    if not hasattr(cv, "split"):
        cv = _shuffled(cv, rng, stratified=classify)
    parts = [
        part
        for dataset, (X, y) in sets.items()
        for part in _cross_validated(dataset, X, y, estimators, cv, scorers, folder)
    ]
    table = pd.concat(parts, ignore_index=True)
    if predictions:
        return read_results(table.assign(design=_design(cv)) if _design(cv) else table)
    directions = {
        _plain(scorer): "lower" if scorer != _plain(scorer) else "higher" for scorer in scorers
    }
    return Results.from_frame(table, directions=directions, costs=_COSTS, design_hint=_design(cv))


def _scorers(scoring: str | Sequence[str] | None, usual: str) -> list[str]:
    """Return the names of the scorers, by default `usual`; raise SettingError for none."""
    if scoring is None:
        return [usual]
    scorers = [scoring] if isinstance(scoring, str) else list(scoring)
    if not scorers:
        raise SettingError.of("no scorers")
    return scorers


def _shuffled(folds: int, rng: int, *, stratified: bool) -> Any:
    """Return a splitter into shuffled folds."""
    from sklearn.model_selection import KFold, StratifiedKFold

    return (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=rng)


def _cross_validated(
    dataset: str,
    X: Any,
    y: Any,
    estimators: Mapping[str, Any],
    cv: Any,
    scorers: Sequence[str],
    folder: str | PathLike[str] | None,
) -> Iterator[pd.DataFrame]:
    """Yield the scores of each estimator on a data set; without scorers, its predictions."""
    splits = list(cv.split(X, y))
    folds = len(splits) // getattr(cv, "n_repeats", 1)
    measured = scorers or "predictions"
    stored = None if folder is None else StoredResults(Path(folder), X, y, splits, measured)
    for name, estimator in estimators.items():
        path = None if stored is None else stored.path(dataset, name, estimator)
        if path is not None and path.exists():
            texts = dict.fromkeys(KEYS, str)
            yield pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=[""])
            continue
        rows = [_run(estimator, X, y, train, test, scorers) for train, test in splits]
        for number, frame in enumerate(rows):
            frame["dataset"], frame["algorithm"] = dataset, name
            frame["repetition"] = str(number // folds + 1)
            frame["fold"] = str(number % folds + 1)
        part = pd.concat(rows, ignore_index=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.to_csv(path.with_suffix(".part"), index=False)
            path.with_suffix(".part").replace(path)  # a stopped run leaves no incomplete file
        yield part


def results_of_reports(data: Any) -> Results | None:
    """Return the results in reports of skore 0.28; None for other data.

    These are a ComparisonReport, one report or several in a dict by algorithm, and a dict of these
    by data set. They give the measures and times of each fold and, where the targets are at hand,
    the predictions.
    """
    sets = {"data": _by_algorithm(data)}
    if not sets["data"] and isinstance(data, Mapping):
        sets = {str(name): _by_algorithm(each) for name, each in data.items()}
    if not sets or not all(sets.values()):
        return None
    for reports in sets.values():
        _check_folds(reports)
    runs = [
        ({"dataset": dataset, "algorithm": str(name), **keys}, fold, test)
        for dataset, reports in sets.items()
        for name, report in reports.items()
        for keys, fold, test in _folds_of(report)
    ]
    table, directions = _scores_of_runs(runs)
    costs = tuple(cost for cost in _COSTS if cost in table and table[cost].notna().all())
    design = _design(next(iter(next(iter(sets.values())).values())))
    results = Results.from_frame(table, directions=directions, costs=costs, design_hint=design)
    return _with_instances(results, runs)


_Runs = Sequence[tuple[dict[str, Any], Any, np.ndarray | None]]  # keys, report, test indices


def _with_instances(results: Results, runs: _Runs) -> Results:
    """Return the results with the predictions of all folds; unchanged if a fold has none."""
    without_probabilities = {
        keys["dataset"] for keys, fold, _ in runs if not hasattr(fold.estimator_, "predict_proba")
    }
    predictions = [
        _predictions_of(keys, fold, test, keys["dataset"] not in without_probabilities)
        for keys, fold, test in runs
    ]
    if any(each is None for each in predictions):
        return results
    positives = {fold.pos_label for _, fold, _ in runs}
    positive = str(*positives) if len(positives) == 1 and None not in positives else ""
    return _with_predictions(results, pd.concat(predictions, ignore_index=True), positive)


def _check_folds(reports: Mapping[str, Any]) -> None:
    """Raise DataError unless the reports of all algorithms have the same folds."""
    tests = {name: [test for *_, test in _folds_of(each)] for name, each in reports.items()}
    fold_arrays.check_numbers_of_folds({name: len(test) for name, test in tests.items()})
    fold_arrays.check_test_instances(
        {name: test for name, test in tests.items() if all(fold is not None for fold in test)}
    )


def _scores_of_runs(runs: _Runs) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return scores and seconds of folds, and directions of measures of every data set."""
    scores: list[dict[str, Any]] = []
    directions: dict[str, str] = {}
    for keys, fold, _ in runs:
        summary = getattr(fold.metrics.summarize(), "summary", None)
        if summary is None:
            raise DataError.of("older skore")
        row, better = _scores_of(summary)
        scores.append(keys | row)
        directions |= better
    table = pd.DataFrame(scores)
    complete = table.groupby(["dataset", "algorithm"], sort=False).count().gt(0).all()
    return table, {name: direction for name, direction in directions.items() if complete[name]}


def _by_algorithm(data: Any) -> Mapping[str, Any]:
    """Return the reports of algorithms in an object, {} if it contains none."""
    if isinstance(reports := getattr(data, "reports_", None), dict):
        return reports
    if _is_report(data):
        return {data.estimator_name_: data}
    return data if isinstance(data, Mapping) and all(map(_is_report, data.values())) else {}


def _is_report(data: Any) -> bool:
    """Return whether an object is a report of one estimator, by names that no data frame has for columns."""
    return type(data).__name__ in ("EstimatorReport", "CrossValidationReport") and hasattr(
        data, "estimator_name_"
    )


def _folds_of(report: Any) -> Iterator[tuple[dict[str, Any], Any, np.ndarray | None]]:
    """Yield the keys and sizes, the report and the test indices of each fold of a report; one fold for one test set."""
    folds = getattr(report, "reports_", None)
    if folds is None:
        yield {"repetition": "1", "fold": "1"}, report, None
        return
    per_repetition = len(folds) // getattr(report.splitter, "n_repeats", 1)
    for number, (fold, (train, test)) in enumerate(zip(folds, report.split_indices, strict=True)):
        keys = {
            "repetition": str(number // per_repetition + 1),
            "fold": str(number % per_repetition + 1),
        }
        yield keys | {"n_train": len(train), "n_test": len(test)}, fold, test


def _scores_of(summary: pd.DataFrame) -> tuple[dict[str, float], dict[str, str]]:
    """Return the scores and seconds in a summary, and the directions of the scores; default_score if nothing else."""
    row, directions = {}, {}
    for each in summary.to_dict("records"):
        about = [each[key] for key in ("label", "average", "output") if not pd.isna(each[key])]
        name = "_".join(
            map(str, [each["name"].removesuffix("_avg") if about else each["name"], *about])
        )
        if name in _TIMES or isinstance(each["greater_is_better"], bool | np.bool_):
            row[_TIMES.get(name, name)] = float("nan" if each["score"] is None else each["score"])
        if name in row:
            directions[name] = "higher" if each["greater_is_better"] else "lower"
    if len(directions) > 1:
        directions.pop("default_score", None)
    return row, directions


def _predictions_of(
    keys: dict[str, Any], fold: Any, test: np.ndarray | None, probabilities: bool
) -> pd.DataFrame | None:
    """Return the predictions of a fold, None without the targets or for several outputs."""
    true = None if fold.y_test is None else np.asarray(fold.y_test)
    if (
        true is None
        or true.ndim != 1
        or not fold.ml_task.startswith(("regression", "binary", "multiclass-"))
    ):
        return None
    predicted = np.asarray(fold.get_predictions(data_source="test"))
    instances = np.arange(len(true)) if test is None else test
    columns = {**keys, "instance": instances + 1, "true": true, "predicted": predicted}
    if probabilities:
        shares = fold.get_predictions(data_source="test", response_method="predict_proba")
        if shares.ndim == 1:  # of the positive class only
            first = fold.pos_label == fold.estimator_.classes_[0]
            shares = np.column_stack([shares, 1 - shares] if first else [1 - shares, shares])
        columns |= {
            f"prob_{label}": shares[:, i] for i, label in enumerate(fold.estimator_.classes_)
        }
    return pd.DataFrame(columns).drop(columns=["n_train", "n_test"], errors="ignore")


def _with_predictions(results: Results, predictions: pd.DataFrame, positive: str) -> Results:
    """Return the results with predictions, and with the measures that are computed from these after their own."""
    table = predictions.assign(design=results.design_hint) if results.design_hint else predictions
    read = read_results(table, mapping=ColumnMapping(positive=positive))
    computed = {known_name(name): name for name in read.directions if known_name(name)}
    directions = {
        computed.get(known_name(name), name): better for name, better in results.directions.items()
    }
    directions |= {
        name: better for name, better in read.directions.items() if name not in directions
    }
    numbers = {*directions, *results.costs, "n_train", "n_test"} - {*read.frame}
    own = results.frame[[name for name in results.frame if name in KEYS or name in numbers]]
    rows = read.frame.merge(own, on=list(KEYS), validate="1:1")
    if len(rows) < len(own):  # the reader changed a name, such as one of blanks
        return results
    return read.with_rows(rows, directions=directions, costs=results.costs, digest="")


def _design(cv: Any) -> str:
    """Return the design that a splitter, or that of a report, states."""
    splitter = getattr(cv, "splitter", cv)
    return (
        "holdout" if type(splitter).__name__ in ("ShuffleSplit", "StratifiedShuffleSplit") else ""
    )


def _plain(scorer: str) -> str:
    """Return the name of a scorer without the sign of negated errors."""
    return scorer.removeprefix("neg_")


class StoredResults:
    """The files of stored results on one data set, named by the content of what determines them."""

    def __init__(self, folder: Path, *data: Any) -> None:
        self.folder = folder
        self.data = _digest(*data)

    def path(self, dataset: str, name: str, estimator: Any) -> Path | None:
        """Return the file of an estimator; None if the data or the estimator cannot be pickled."""
        content = _content_of(estimator)
        if self.data is None or content is None:
            return None
        key = _digest(self.data, dataset, name, content)
        return None if key is None else self.folder / f"{key}.csv"


def _digest(*values: Any) -> str | None:
    """Return a digest of the contents of values; None if one of them cannot be pickled."""
    import joblib

    try:
        return joblib.hash(values, hash_name="sha1")
    except Exception:  # an object may raise any exception when it is pickled
        return None


def _content_of(estimator: Any) -> tuple[Any, ...] | None:
    """Return the parameters and the code of an estimator; None if it cannot be pickled."""
    from sklearn.base import clone

    unfitted = clone(estimator)  # as in each fold
    used = _UsedCode(io.BytesIO())
    try:
        used.dump(unfitted)
    except Exception:  # as in `_digest`
        return None
    code = sorted(map(_code_of, used.seen.values()), key=lambda each: each[:2])
    return unfitted, code


class _UsedCode(pickle.Pickler):
    """A pickler that collects the classes and functions of which an object consists."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.seen: dict[int, type | FunctionType] = {}

    def reducer_override(self, obj: Any) -> Any:
        """Add a function, or a class with its bases, and let pickle continue as usual."""
        if isinstance(obj, FunctionType):
            self.seen[id(obj)] = obj
        else:
            kind = obj if isinstance(obj, type) else type(obj)
            self.seen |= {id(each): each for each in kind.__mro__}
        return NotImplemented


def _code_of(defined: type | FunctionType) -> tuple[Any, ...]:
    """Return name, package version, instructions and constants of a function or class."""
    package = sys.modules.get(str(defined.__module__).partition(".")[0])
    version = str(getattr(package, "__version__", ""))
    parts = {"": defined} if isinstance(defined, FunctionType) else vars(defined)
    written = [
        (name, _written(part))
        for name, part in sorted(parts.items())
        if callable(part) or not name.startswith("__")  # without the place and text of a class
    ]
    return str(defined.__module__), defined.__qualname__, version, written


def _written(part: Any) -> Any:
    """Return the instructions of a function or property, a constant, or None for other parts."""
    if isinstance(part, property):
        return [_written(each) for each in (part.fget, part.fset)]
    function = inspect.unwrap(getattr(part, "__func__", part))
    if isinstance(function, FunctionType):
        defaults = repr(function.__defaults__), repr(function.__kwdefaults__)
        return _instructions(function.__code__), defaults
    return part if isinstance(part, int | float | str) else None


def _instructions(code: CodeType) -> tuple[Any, ...]:
    """Return the instructions, names and constants of code, without its place in a file."""
    return code.co_code, code.co_names, code.co_varnames, [*map(_constant, code.co_consts)]


def _constant(value: Any) -> Any:
    """Return a constant of code in a form that is the same in each process."""
    if isinstance(value, CodeType):
        return _instructions(value)
    return sorted(map(repr, value)) if isinstance(value, frozenset) else repr(value)


def _run(
    estimator: Any, X: Any, y: Any, train: np.ndarray, test: np.ndarray, scorers: Sequence[str]
) -> pd.DataFrame:
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
        signed = {
            name: -scores[_plain(name)] if name != _plain(name) else scores[name]
            for name in scorers
        }
        return pd.DataFrame(
            [{_plain(name): score for name, score in signed.items()} | seconds | sizes]
        )
    columns = {"instance": test + 1, "true": np.asarray(y_test), "predicted": predicted}
    if hasattr(model, "predict_proba"):
        probabilities = model.predict_proba(X_test)
        columns |= {f"prob_{label}": probabilities[:, i] for i, label in enumerate(model.classes_)}
    return pd.DataFrame(columns)
