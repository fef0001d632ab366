"""Tests that frames are read by their structure; answers are the arrays they were built from."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import foldwise as fw
from stats_core.core.errors import FoldwiseError

SETS = ["iris", "wine", "glass", "zoo", "sonar", "heart", "ecoli", "yeast"]
NAMES = ["rf", "svm", "knn"]
NUMBERS = [str(i + 1) for i in range(8)]
RNG = np.random.default_rng(3)
VALUES = np.round(0.6 + 0.3 * RNG.random((8, 3)), 3)
VALUES[0, 0] = 1 / 3  # which a text of few digits would change
OTHER = np.round(0.5 + 0.5 * RNG.random((8, 3)), 3)
WIDE = pd.DataFrame(VALUES, index=SETS, columns=NAMES)
LONG = WIDE.stack().rename_axis(["dataset", "algorithm"]).rename("accuracy").reset_index()
TWO = LONG.assign(auc=OTHER.ravel())
PIVOT = TWO.pivot(index="dataset", columns="algorithm")
FOLDS = pd.DataFrame(
    [(d, a, f, int(RNG.integers(64)) / 64) for d in SETS[:3] for a in NAMES for f in range(5)],
    columns=["dataset", "algorithm", "fold", "accuracy"],
)
MEANS = FOLDS.groupby(["dataset", "algorithm"])["accuracy"].mean().unstack().loc[SETS[:3], NAMES]
BOOLS = pd.DataFrame(RNG.random((60, 3)) < [0.7, 0.6, 0.8], columns=NAMES)
DATES = WIDE.set_axis(pd.date_range("2026-01-01", periods=8))
SHUFFLED = {name: WIDE[name].iloc[:: -1 if name == "svm" else 1] for name in NAMES}
LEVELS = pd.MultiIndex.from_product([["p", "q"], ["r", "s"]])
UNKNOWN = pd.DataFrame(RNG.random((6, 4)).round(3), index=list("uvwxyz"), columns=LEVELS)

ACCURACY = {"measure": "accuracy"}
DATASETS = {"measure": "accuracy", "rows": "data sets"}
ITEMS = {"measure": "accuracy", "rows": "items"}
FOLD_TABLE = FOLDS.pivot(index=["dataset", "fold"], columns="algorithm", values="accuracy")


def renamed(columns, rows=None):
    return WIDE.set_axis(columns, axis=1).set_axis(rows or SETS)


# what the frame is -> frame, arguments, names of the columns and of the rows of VALUES
TABLES = {
    "names in the index": (WIDE, ACCURACY, NAMES, SETS),
    "index named dataset": (WIDE.rename_axis("dataset"), ACCURACY, NAMES, SETS),
    "index with an unknown name": (WIDE.rename_axis("problem"), ACCURACY, NAMES, SETS),
    "columns named algorithm": (WIDE.rename_axis(columns="algorithm"), ACCURACY, NAMES, SETS),
    "columns named accuracy": (WIDE.rename_axis(columns="accuracy"), {}, NAMES, SETS),
    "default index": (WIDE.reset_index(drop=True), DATASETS, NAMES, NUMBERS),
    "d0 and a0": (
        renamed(["a0", "a1", "a2"], [f"d{i}" for i in range(8)]),
        ACCURACY,
        ["a0", "a1", "a2"],
        [f"d{i}" for i in range(8)],
    ),
    "x0 and m0": (
        renamed(["m0", "m1", "m2"], [f"x{i}" for i in range(8)]),
        ACCURACY,
        ["m0", "m1", "m2"],
        [f"x{i}" for i in range(8)],
    ),
    "integers name columns": (renamed([1, 2, 4]), ACCURACY, ["1", "2", "4"], SETS),
    "fractions name columns": (renamed([0.01, 0.1, 1.0]), ACCURACY, ["0.01", "0.1", "1.0"], SETS),
    "seeds are columns": (
        renamed(["seed0", "seed1", "seed2"]),
        DATASETS,
        ["seed0", "seed1", "seed2"],
        SETS,
    ),
    "numbered columns": (pd.DataFrame(VALUES, index=SETS), ACCURACY, ["0", "1", "2"], SETS),
    "frame of an array": (pd.DataFrame(VALUES), DATASETS, ["0", "1", "2"], NUMBERS),
    "transposed, named": (
        WIDE.T.rename_axis(index="algorithm", columns="dataset"),
        ACCURACY,
        NAMES,
        SETS,
    ),
    "transposed, index named": (WIDE.T.rename_axis(index="algorithm"), ACCURACY, NAMES, SETS),
    "transposed, rows are models": (WIDE.T, ACCURACY, NAMES, SETS),
    "a column of sizes": (WIDE.assign(n_instances=range(150, 310, 20)), ACCURACY, NAMES, SETS),
    "long": (LONG, {}, NAMES, SETS),
    "long, rows of two levels": (LONG.set_index(["dataset", "algorithm"]), {}, NAMES, SETS),
    "index named like a column": (LONG.set_index("dataset", drop=False), {}, NAMES, SETS),
    "long, shuffled": (LONG.sample(frac=1, random_state=0), {}, NAMES, SETS),
    "series of two levels": (LONG.set_index(["dataset", "algorithm"])["accuracy"], {}, NAMES, SETS),
    "unnamed series": (
        WIDE.rename_axis(index="dataset", columns="algorithm").stack(),
        ACCURACY,
        NAMES,
        SETS,
    ),
    "measure above algorithm": (PIVOT, ACCURACY, NAMES, SETS),
    "algorithm above measure": (PIVOT.swaplevel(axis=1).sort_index(axis=1), ACCURACY, NAMES, SETS),
    "unnamed levels": (PIVOT.rename_axis(columns=[None, None]), ACCURACY, NAMES, SETS),
    "measure above data set": (
        TWO.pivot(index="algorithm", columns="dataset"),
        ACCURACY,
        NAMES,
        SETS,
    ),
    "unknown measures": (
        TWO.rename(columns={"accuracy": "foo", "auc": "bar"}).pivot(
            index="dataset", columns="algorithm"
        ),
        {"measure": "foo", "higher_is_better": True},
        NAMES,
        SETS,
    ),
    "categories": (LONG.astype({"dataset": "category", "algorithm": "category"}), {}, NAMES, SETS),
    "nullable": (LONG.convert_dtypes().astype({"dataset": "string[pyarrow]"}), {}, NAMES, SETS),
    "types of Arrow": (LONG.convert_dtypes(dtype_backend="pyarrow"), {}, NAMES, SETS),
    "objects": (WIDE.astype(object), ACCURACY, NAMES, SETS),
    "texts": (WIDE.map(str), ACCURACY, NAMES, SETS),
    "series by label": (SHUFFLED, ACCURACY, NAMES, SETS),
    "arrays by name": ({name: WIDE[name].to_numpy() for name in NAMES}, DATASETS, NAMES, NUMBERS),
    "dicts by name": ({name: WIDE[name].to_dict() for name in NAMES}, ACCURACY, NAMES, SETS),
    "records": (LONG.to_dict("records"), {}, NAMES, SETS),
    "Arrow, long": (pa.Table.from_pandas(LONG), {}, NAMES, SETS),
    "Arrow, wide": (
        pa.Table.from_pandas(WIDE.rename_axis("dataset").reset_index()),
        ACCURACY,
        NAMES,
        SETS,
    ),
}


@pytest.mark.parametrize(("frame", "arguments", "columns", "rows"), TABLES.values(), ids=TABLES)
def test_a_frame_keeps_its_structure_and_its_digits(frame, arguments, columns, rows):
    compared = fw.compare(frame, **arguments)

    averages = compared.results.averages(compared.settings.measure)
    assert sorted(averages.columns) == sorted(columns)
    assert sorted(averages.index) == sorted(rows)
    assert averages.loc[rows, columns].to_numpy().tolist() == VALUES.tolist()


@pytest.mark.parametrize(
    "scores",
    [
        {"a": VALUES[:, 0], "b": VALUES[:, 0] + 0.05, "c": VALUES[:, 0] + 0.1},  # as limits are
        {"a": VALUES[:, 0], "b": VALUES[:, 0] / 100, "c": VALUES[:, 0] * 100},  # far apart
        {"a": VALUES[:, 0], "b": VALUES[:, 0] * 2, "c": np.arange(len(VALUES))},
        {f"model {i:02}": VALUES[:, i % 3] + i / 1000 for i in range(20)},
    ],
    ids=["shifted", "scaled", "with whole numbers", "more columns than rows"],
)
def test_columns_are_algorithms_if_the_caller_names_the_measure(scores):
    frame = pd.DataFrame(scores, index=[f"set {i}" for i in range(len(VALUES))])

    compared = fw.compare(frame, measure="loss", higher_is_better=False)

    assert list(compared.results.algorithms) == list(frame.columns)
    averages = compared.results.averages("loss").loc[frame.index]
    assert averages.to_numpy().tolist() == frame.to_numpy(dtype=float).tolist()


def test_the_other_measure_of_a_pivot_table_is_read_from_its_level():
    table = TWO.pivot_table(index="dataset", columns="algorithm", values=["accuracy", "auc"])

    compared = fw.compare(table, measure="auc")

    assert compared.results.averages("auc").loc[SETS, NAMES].to_numpy().tolist() == OTHER.tolist()


@pytest.mark.parametrize(
    "frame",
    [
        FOLD_TABLE,
        FOLD_TABLE.rename_axis(columns=None),
        FOLDS.pivot(index="fold", columns=["dataset", "algorithm"], values="accuracy"),
    ],
    ids=["named", "unnamed", "data set above algorithm"],
)
def test_levels_of_data_sets_and_folds_keep_their_roles(frame):
    results = fw.compare(frame, measure="accuracy").results

    averages = results.averages("accuracy").loc[SETS[:3], NAMES]
    assert averages.to_numpy() == pytest.approx(MEANS.to_numpy(), rel=1e-12)
    assert results.frame.groupby(["dataset", "algorithm"]).size().unique().tolist() == [5]


@pytest.mark.parametrize(
    ("frame", "arguments"),
    [
        (BOOLS, ITEMS),
        (BOOLS, ACCURACY),
        (BOOLS.astype("boolean"), ITEMS),
        (BOOLS.astype(object), ITEMS),
        (BOOLS.astype("Int64"), ITEMS),
        (pa.Table.from_pandas(BOOLS), ITEMS),
    ],
    ids=["bool", "rows not stated", "boolean", "object", "Int64", "Arrow"],
)
def test_truth_values_are_right_and_wrong_answers(frame, arguments):
    predictions = fw.compare(frame, **arguments).results.predictions

    answers = predictions.pivot(index="instance", columns="algorithm", values="correct")
    answers = answers.loc[sorted(answers.index, key=int), NAMES]
    assert answers.to_numpy().tolist() == BOOLS.to_numpy().tolist()


@pytest.mark.parametrize("seed", range(5))
def test_a_leaderboard_of_marks_is_read_when_its_rows_are_stated(seed):
    marks = np.random.default_rng(seed).random((500, 8)) < 0.6 + 0.03 * np.arange(8)
    frame = pd.DataFrame(marks.astype(int)).add_prefix("model")

    averages = fw.compare(frame, **ITEMS).results.averages("accuracy")

    assert averages[list(frame)].iloc[0].tolist() == pytest.approx(marks.mean(axis=0))


@pytest.mark.parametrize(
    ("frame", "argument"),
    [
        (WIDE.reset_index(drop=True), "`rows"),
        (pd.DataFrame(VALUES), "`rows"),
        (DATES, "`rows"),
        (WIDE.mask(WIDE == VALUES[2, 1]), "`missing"),
        (WIDE.astype(object).where(WIDE != VALUES[2, 1], None), "`missing"),
        (WIDE.set_axis([*SETS[:7], "iris"]), "`rows`"),
        (UNKNOWN, "`roles`"),
    ],
    ids=["default index", "array", "dates", "NaN", "None", "repeated row", "unknown levels"],
)
def test_what_a_frame_leaves_open_is_asked_with_an_argument(frame, argument):
    with pytest.raises(FoldwiseError, match=argument):
        fw.compare(frame, **ACCURACY)


def test_frames_of_polars_are_read_as_those_of_pandas():
    pl = pytest.importorskip("polars")
    long, marks = pl.DataFrame(LONG.to_dict("list")), pl.DataFrame(BOOLS.to_dict("list"))

    for frame in (long, long.lazy()):
        averages = fw.compare(frame).results.averages("accuracy")
        assert averages.loc[SETS, NAMES].to_numpy().tolist() == VALUES.tolist()
    assert fw.compare(marks, **ITEMS).results.averages("accuracy")[NAMES].iloc[
        0
    ].tolist() == pytest.approx(BOOLS.mean().tolist())


def test_arrays_of_xarray_are_read_by_their_coordinates():
    xr = pytest.importorskip("xarray")
    labels = {"dataset": SETS, "algorithm": NAMES}
    array = xr.DataArray(VALUES, dims=("dataset", "algorithm"), coords=labels, name="accuracy")

    averages = fw.compare(array).results.averages("accuracy")

    assert averages.loc[SETS, NAMES].to_numpy().tolist() == VALUES.tolist()
