"""Raw data sets: read, choose classes, encode, describe."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

SMALLEST_CLASS = 6
"""Classes with fewer rows cannot be in the test set and in both halves of a 5x2 split."""


def seed_of(*parts: object) -> int:
    """Return the seed that belongs to a name, the same on every machine."""
    return zlib.crc32("/".join(map(str, parts)).encode())


@dataclass(frozen=True)
class Table:
    """A classification data set, and what has been done to it so far.

    Attributes
    ----------
    name : str
        Name used in the sample results.
    inputs : pandas.DataFrame
        Features; numeric columns are measurements, all others nominal.
    labels : pandas.Series
        Class labels as text.
    raw : dict
        Properties before rows were left out; see `describe`.
    notes : tuple of str
        What was left out, in words.
    """

    name: str
    inputs: pd.DataFrame
    labels: pd.Series
    raw: dict
    notes: tuple[str, ...] = ()

    def keep(self, rows: np.ndarray, note: str | None = None) -> Table:
        """Return the table with the given rows (mask or positions) only."""
        notes = self.notes if note is None else (*self.notes, note)
        inputs = self.inputs.iloc[rows].reset_index(drop=True)
        labels = self.labels.iloc[rows].reset_index(drop=True)
        return replace(self, inputs=inputs, labels=labels, notes=notes)

    def codes(self) -> np.ndarray:
        """Return the classes as 0, 1, ... in the order of their labels."""
        return np.unique(self.labels.to_numpy(dtype=str), return_inverse=True)[1]


def make_table(name: str, frame: pd.DataFrame) -> Table:
    """Split a frame whose last column is the class into a `Table`."""
    inputs = frame.drop(columns="class")
    nominal = inputs.columns.difference(inputs.select_dtypes("number").columns)
    inputs = inputs.astype(dict.fromkeys(nominal, "str"))
    labels = frame["class"].astype(str)
    sizes = labels.value_counts().sort_index()
    raw = {
        "instances": len(frame),
        "features": inputs.shape[1],
        "numeric_features": inputs.select_dtypes("number").shape[1],
        "classes": len(sizes),
        "class_sizes": "/".join(map(str, sizes)),
        "missing_cells": int(inputs.isna().to_numpy().sum()),
    }
    return Table(name, inputs, labels, raw)


def read_table(directory: Path, name: str, stored_as: str | None = None) -> Table:
    """Read one CSV: header, last column `class`, empty cell = missing."""
    path = directory / f"{stored_as or name}.csv"
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"class": str})
    return make_table(name, frame)


def drop_rare_classes(table: Table, smallest: int = SMALLEST_CLASS) -> Table:
    """Leave out the rows of classes with fewer than `smallest` rows."""
    sizes = table.labels.value_counts().sort_index()
    rare = sizes[sizes < smallest]
    if rare.empty:
        return table
    names = ", ".join(f"{label} ({size})" for label, size in rare.items())
    return table.keep(~table.labels.isin(rare.index).to_numpy(), f"classes left out: {names}")


def two_classes(table: Table, positive: str, negative: str, reason: str) -> Table:
    """Keep two classes and call them 1 (positive) and 0."""
    note = f"positive class {positive}, negative class {negative}{reason}"
    kept = table.keep(table.labels.isin([positive, negative]).to_numpy(), note)
    return replace(kept, labels=(kept.labels == positive).astype(int).astype(str))


def most_confused(table: Table) -> tuple[str, str, int]:
    """Find the two classes that 1-nearest neighbour mistakes for each other most often."""
    seed = seed_of("confused", table.name)
    # Shuffled first: neighbours at equal distance are taken in the order of the rows.
    table = table.keep(np.random.default_rng(seed).permutation(len(table.labels)))
    codes = table.codes()
    splitter = StratifiedKFold(3, shuffle=True, random_state=seed)
    nearest = make_pipeline(make_encoder(table.inputs), KNeighborsClassifier(1))
    predicted = cross_val_predict(nearest, table.inputs, codes, cv=splitter)
    n_classes = codes.max() + 1
    confusion = np.zeros((n_classes, n_classes), dtype=int)
    np.add.at(confusion, (codes, predicted), 1)
    between = confusion + confusion.T
    between[np.tril_indices(n_classes)] = -1  # each pair once, never a class with itself
    pair = np.unravel_index(between.argmax(), between.shape)
    sizes = np.bincount(codes)
    rarer, other = sorted(pair, key=lambda code: (sizes[code], code))
    labels = np.unique(table.labels.to_numpy(dtype=str))
    return str(labels[rarer]), str(labels[other]), int(between.max())


def make_encoder(inputs: pd.DataFrame) -> ColumnTransformer:
    """Build the encoding that is fitted on the training rows of every fold.

    Numeric columns: missing = mean of the column, then standardised. Nominal
    columns: one-hot, missing is a category of its own, and a category unseen in
    training is all zeros.
    """
    numeric = inputs.select_dtypes("number").columns
    nominal = inputs.columns.difference(numeric, sort=False)
    scale = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    one_hot = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    return ColumnTransformer(
        [("numeric", scale, list(numeric)), ("nominal", one_hot, list(nominal))]
    )


def describe(table: Table, sample: str) -> dict:
    """Make the line of `properties.csv` for a table as it entered a sample."""
    used = table.labels.value_counts().sort_index()
    return {
        "name": table.name,
        "sample": sample,
        **table.raw,
        "instances_used": len(table.labels),
        "class_sizes_used": "/".join(map(str, used)),
        "note": "; ".join(table.notes),
    }
