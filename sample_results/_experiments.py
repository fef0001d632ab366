"""Experiments: 5x2 and tenfold cross-validation, also of several classes and numbers, 30 training sets, and retrieval."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from _data import Table, make_encoder, seed_of
from _learners import (
    EIGHT,
    FIVE,
    GRADED,
    REGRESSORS,
    SEVEN,
    SEVERAL,
    FeatureShape,
    Maker,
    positive_score,
    stored_numbers,
)
from scipy.spatial.distance import cdist
from sklearn.base import ClassifierMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier

NEIGHBOURS = (1, 3, 5, 7, 11, 21)
"""The k that the 30-fold experiment chooses from on the validation fold."""


def five_by_two(table: Table, algorithms: dict[str, Maker] = EIGHT) -> pd.DataFrame:
    """Return errors, seconds and sizes of 5x2 cross-validation on two thirds of the rows; the rest is a test set."""
    codes = table.codes()
    train_all, test = _third(table.name, codes)
    lines = []
    for repetition in range(1, 6):
        seed = seed_of("five_by_two", table.name, repetition)
        halves = StratifiedKFold(2, shuffle=True, random_state=seed)
        for fold, split in enumerate(halves.split(train_all, codes[train_all]), start=1):
            train, validation = (train_all[indices] for indices in split)
            train = _shuffled(train, seed_of(seed, fold))
            X, X_validation, X_test = _encode(table.inputs, train, validation, test)
            for name, maker in algorithms.items():
                model, train_s = _fit(maker, X, codes[train], seed_of(seed, fold, name))
                predicted, predict_s = _timed(model.predict, X_validation)
                line = {
                    "dataset": table.name,
                    "algorithm": name,
                    "repetition": repetition,
                    "fold": fold,
                    "error": np.mean(predicted != codes[validation]),
                    "test_error": np.mean(model.predict(X_test) != codes[test]),
                    "train_s": train_s,
                    "predict_s": predict_s,
                    "size": stored_numbers(model, *X.shape),
                    "n_train": len(train),
                    "n_test": len(validation),
                }
                lines.append(line)
    return pd.DataFrame(lines)


def ten_by_ten(
    table: Table, algorithms: dict[str, Maker] = SEVEN, repetitions: int = 10
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return confusion counts of repeated tenfold cross-validation on two classes, and scores of repetition 1."""
    codes = table.codes()
    counts, scores = [], []
    for repetition in range(1, repetitions + 1):
        seed = seed_of("ten_by_ten", table.name, repetition)
        folds = StratifiedKFold(10, shuffle=True, random_state=seed)
        splits = folds.split(codes, codes)
        for name, fold, test, model, train_s, _, X_test in _fitted(
            table.inputs, codes, splits, algorithms, seed
        ):
            score, predict_s = _timed(positive_score, model, X_test)
            score = _significant(score)
            line = {"dataset": table.name, "algorithm": name, "repetition": repetition}
            line |= {"fold": fold, **_confusion(codes[test], score)}
            counts.append(line | {"train_s": train_s, "predict_s": predict_s})
            if repetition == 1:
                scores.append(_score_lines(table.name, name, fold, test, codes[test], score))
    return pd.DataFrame(counts), pd.concat(scores, ignore_index=True)


def tenfold(table: Table, algorithms: dict[str, Maker] = GRADED) -> pd.DataFrame:
    """Return errors, training times and sizes of stratified tenfold cross-validation on any number of classes."""
    codes = table.codes()
    seed = seed_of("tenfold", table.name)
    splits = StratifiedKFold(10, shuffle=True, random_state=seed).split(codes, codes)
    lines = []
    for name, fold, test, model, train_s, X, X_test in _fitted(
        table.inputs, codes, splits, algorithms, seed
    ):
        line = {"dataset": table.name, "algorithm": name, "repetition": 1, "fold": fold}
        line |= {"error": np.mean(model.predict(X_test) != codes[test]), "train_s": train_s}
        lines.append(line | {"size": stored_numbers(model, *X.shape)})
    return pd.DataFrame(lines)


def class_scores(table: Table, algorithms: dict[str, Maker] = SEVERAL) -> pd.DataFrame:
    """Return the predicted class and the probability of each class in stratified tenfold cross-validation."""
    codes, labels = table.codes(), np.unique(table.labels.to_numpy(dtype=str))
    seed = seed_of("class_scores", table.name)
    splits = StratifiedKFold(10, shuffle=True, random_state=seed).split(codes, codes)
    frames = []
    for name, fold, test, model, _, _, X_test in _fitted(
        table.inputs, codes, splits, algorithms, seed
    ):
        shares = model.predict_proba(X_test)
        frame = _score_lines(
            table.name, name, fold, test, labels[codes[test]], labels[shares.argmax(axis=1)]
        )
        frame = frame.rename(columns={"score": "predicted"})
        columns = {f"prob_{label}": share for label, share in zip(labels, shares.T, strict=True)}
        frames.append(
            frame.assign(
                **{key: [f"{value:.4g}" for value in share] for key, share in columns.items()}
            )
        )
    return pd.concat(frames, ignore_index=True)


def predicted_numbers(
    table: Table, target: str, algorithms: dict[str, Maker] = REGRESSORS
) -> pd.DataFrame:
    """Return the predictions of a numeric column by all other columns but the class in tenfold cross-validation."""
    true, inputs = table.inputs[target].to_numpy(), table.inputs.drop(columns=target)
    seed = seed_of("predicted_numbers", table.name)
    splits = KFold(10, shuffle=True, random_state=seed).split(true)
    frames = [
        _score_lines(table.name, name, fold, test, true[test], model.predict(X_test))
        for name, fold, test, model, _, _, X_test in _fitted(inputs, true, splits, algorithms, seed)
    ]
    return pd.concat(frames, ignore_index=True).rename(columns={"score": "predicted"})


def retrieval(table: Table, queries: int = 400, gallery: int = 2000) -> pd.DataFrame:
    """Return NDCG@10 and reciprocal rank of the rows of the same class, nearest first, for each query and distance."""
    codes, rng = table.codes(), np.random.default_rng(seed_of("retrieval", table.name))
    rows = rng.permutation(len(codes))[: queries + gallery]
    query, searched = np.sort(rows[:queries]), rows[queries:]
    X, X_query = _encode(table.inputs, searched, query)
    projection = LinearDiscriminantAnalysis().fit(X, codes[searched])
    inverse = np.linalg.inv(np.cov(X.T))
    distances = {
        "Euclidean distance": cdist(X_query, X),
        "Manhattan distance": cdist(X_query, X, "cityblock"),
        "Cosine distance": cdist(X_query, X, "cosine"),
        "Mahalanobis distance": cdist(X_query, X, "mahalanobis", VI=inverse),
        "LDA distance": cdist(projection.transform(X_query), projection.transform(X)),
    }
    same = codes[query][:, None] == codes[searched]
    gains = 1 / np.log2(np.arange(2, 12))
    ideal = np.cumsum(gains)[np.minimum(same.sum(axis=1), 10) - 1]
    frames = []
    for name, distance in distances.items():
        ranked = np.take_along_axis(same, np.argsort(distance, axis=1, kind="stable"), axis=1)
        frame = {"dataset": table.name, "query": query + 1, "algorithm": name}
        ndcg, mrr = (ranked[:, :10] @ gains) / ideal, 1 / (1 + ranked.argmax(axis=1))
        frames.append(pd.DataFrame(frame | {"ndcg@10": ndcg, "mrr": mrr}))
    return pd.concat(frames, ignore_index=True).sort_values("query", kind="stable")


def thirty_training_sets(
    table: Table, algorithms: dict[str, Maker] = FIVE, folds: int = 30
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return confusion counts and scores on one common test set of models trained on 30 training sets.

    The test set is a third of the rows. The other rows are divided into 30 parts; each training
    set leaves one part out, on which the number of nearest neighbours is chosen.
    """
    codes = table.codes()
    train_all, test = _third(table.name, codes)
    seed = seed_of("thirty_training_sets", table.name)
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    counts, scores = [], []
    for fold, split in enumerate(splitter.split(train_all, codes[train_all]), start=1):
        train, validation = (train_all[indices] for indices in split)
        train = _shuffled(train, seed_of(seed, fold))
        X, X_validation, X_test = _encode(table.inputs, train, validation, test)
        for name, maker in algorithms.items():
            model, train_s = _fit(maker, X, codes[train], seed_of(seed, fold, name))
            if isinstance(model, KNeighborsClassifier):
                model.set_params(n_neighbors=_best_k(model, X_validation, codes[validation]))
            score, predict_s = _timed(positive_score, model, X_test)
            score = _significant(score)
            line = {"dataset": table.name, "algorithm": name, "repetition": 1, "fold": fold}
            line |= _confusion(codes[test], score)
            counts.append(line | {"train_s": train_s, "predict_s": predict_s})
            scores.append(_score_lines(table.name, name, fold, test, codes[test], score))
    return pd.DataFrame(counts), pd.concat(scores, ignore_index=True)


def _fitted(
    inputs: pd.DataFrame,
    y: np.ndarray,
    splits: Iterable[tuple],
    algorithms: dict[str, Maker],
    seed: int,
) -> Iterator[tuple]:
    """Yield name, fold, test rows, fitted model, seconds of the fit, and encoded training and test inputs."""
    for fold, (train, test) in enumerate(splits, start=1):
        train = _shuffled(train, seed_of(seed, fold))
        X, X_test = _encode(inputs, train, test)
        for name, maker in algorithms.items():
            yield name, fold, test, *_fit(maker, X, y[train], seed_of(seed, fold, name)), X, X_test


def _third(name: str, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the training set, and those of the test set, a stratified third of all."""
    rows = np.arange(len(codes))
    train_all, test = train_test_split(
        rows, test_size=1 / 3, stratify=codes, random_state=seed_of("third", name)
    )
    return np.sort(train_all), np.sort(test)


def _shuffled(rows: np.ndarray, seed: int) -> np.ndarray:
    """Return training rows in random order, since nearest neighbours at equal distance are taken in order."""
    return np.random.default_rng(seed).permutation(rows)


def _encode(inputs: pd.DataFrame, train: np.ndarray, *others: np.ndarray) -> Iterator[np.ndarray]:
    """Return an iterator over training rows and other rows, encoded by an encoder fitted on the training rows only."""
    encoder = make_encoder(inputs).fit(inputs.iloc[train])
    return (encoder.transform(inputs.iloc[rows]) for rows in (train, *others))


def _fit(maker: Maker, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[ClassifierMixin, float]:
    """Return a fitted classifier and the seconds of the fit."""
    model = maker(FeatureShape(*X.shape, len(np.unique(y)), seed))
    with warnings.catch_warnings():
        # The perceptrons stop after a fixed number of passes on purpose; see README.md.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return _timed(model.fit, X, y)


def _timed(function, *args) -> tuple:
    """Return the result of a call, and the seconds it took."""
    start = time.perf_counter()
    result = function(*args)
    return result, time.perf_counter() - start


def _best_k(model: KNeighborsClassifier, X: np.ndarray, y: np.ndarray) -> int:
    """Return the k with the fewest errors on the validation rows, the smallest if tied."""
    errors = {}
    for k in NEIGHBOURS:
        errors[k] = np.mean(model.set_params(n_neighbors=k).predict(X) != y)
    return min(errors, key=errors.get)


def _significant(score: np.ndarray, digits: int = 5) -> np.ndarray:
    """Return scores rounded to `digits` significant digits, and to six decimals at most."""
    return np.array([round(float(f"{value:.{digits}g}"), 6) for value in score])


def _confusion(y: np.ndarray, score: np.ndarray) -> dict[str, int]:
    """Return the confusion counts at a threshold of 0.5."""
    called, positive = score >= 0.5, y == 1
    return {
        "tp": int(np.sum(called & positive)),
        "fp": int(np.sum(called & ~positive)),
        "tn": int(np.sum(~called & ~positive)),
        "fn": int(np.sum(~called & positive)),
    }


def _score_lines(
    dataset: str, algorithm: str, fold: int, rows: np.ndarray, y: np.ndarray, score: np.ndarray
) -> pd.DataFrame:
    """Return the scores of one fold as rows; instances are numbered from 1."""
    return pd.DataFrame(
        {
            "dataset": dataset,
            "algorithm": algorithm,
            "fold": fold,
            "instance": rows + 1,
            "true": y,
            "score": score,
        }
    )
