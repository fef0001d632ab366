"""Raw data sets: reading, selection of classes, encoding, properties."""

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
    """Return a seed derived from names, the same on every machine."""
    return zlib.crc32("/".join(map(str, parts)).encode())


@dataclass(frozen=True)
class Table:
    """A classification data set, with a record of the rows left out.

    Attributes
    ----------
    name : str
        Name used in the sample results.
    inputs : pandas.DataFrame
        Features; numeric columns are measurements, all others nominal.
    labels : pandas.Series
        Class labels as text.
    raw : dict
        Properties before rows were removed; see `describe`.
    notes : tuple of str
        Descriptions of what was removed.
    """

    name: str
    inputs: pd.DataFrame
    labels: pd.Series
    raw: dict
    notes: tuple[str, ...] = ()

    def keep(self, rows: np.ndarray, note: str | None = None) -> Table:
        """Return the table restricted to some rows (mask or positions), with a note if one is given."""
        notes = self.notes if note is None else (*self.notes, note)
        inputs = self.inputs.iloc[rows].reset_index(drop=True)
        labels = self.labels.iloc[rows].reset_index(drop=True)
        return replace(self, inputs=inputs, labels=labels, notes=notes)

    def codes(self) -> np.ndarray:
        """Return the classes as 0, 1, ... in the order of their labels."""
        return np.unique(self.labels.to_numpy(dtype=str), return_inverse=True)[1]


def make_table(name: str, frame: pd.DataFrame) -> Table:
    """Return the `Table` of a frame with the classes in the column `class`."""
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
    """Return the table in NAME.csv, or in `stored_as`.csv: a column `class`, and empty cells for missing values."""
    path = directory / f"{stored_as or name}.csv"
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"class": str})
    return make_table(name, frame)


def drop_rare_classes(table: Table, smallest: int = SMALLEST_CLASS) -> Table:
    """Return the table without classes of fewer than `smallest` rows; the table itself if there are none."""
    sizes = table.labels.value_counts().sort_index()
    rare = sizes[sizes < smallest]
    if rare.empty:
        return table
    names = ", ".join(f"{label} ({size})" for label, size in rare.items())
    return table.keep(~table.labels.isin(rare.index).to_numpy(), f"classes left out: {names}")


def two_classes(table: Table, positive: str, negative: str, reason: str) -> Table:
    """Return the table restricted to two classes, labelled 1 (positive) and 0 (negative)."""
    note = f"positive class {positive}, negative class {negative}{reason}"
    selected = table.keep(table.labels.isin([positive, negative]).to_numpy(), note)
    return replace(selected, labels=(selected.labels == positive).astype(int).astype(str))


def most_confused(table: Table) -> tuple[str, str, int]:
    """Return the two classes most often confused by 1-nearest neighbour, the rarer first, and how often."""
    seed = seed_of("confused", table.name)
    # Shuffled, since neighbours at equal distance are taken in the order of the rows.
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
    rarer, larger = sorted(pair, key=lambda code: (sizes[code], code))
    labels = np.unique(table.labels.to_numpy(dtype=str))
    return str(labels[rarer]), str(labels[larger]), int(between.max())


def make_encoder(inputs: pd.DataFrame) -> ColumnTransformer:
    """Return an unfitted encoder of the columns, to be fitted on the training rows of every fold.

    Numeric columns: missing values are replaced by the mean, and the values are standardised.
    Nominal columns: one-hot encoding. A missing value is a category of its own, and a category
    not seen in training is all zeros.
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
    """Return the row of `properties.csv` for a table."""
    used = table.labels.value_counts().sort_index()
    return {
        "name": table.name,
        "sample": sample,
        **table.raw,
        "instances_used": len(table.labels),
        "class_sizes_used": "/".join(map(str, used)),
        "note": "; ".join(table.notes),
    }
