"""Tests that tables in memory are read in the same way as files."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from stats_core.core.errors import DataError
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, read_results

FRAME = pd.DataFrame(
    {
        "dataset": ["iris", "iris", "wine", "wine"],
        "model": ["rf", "svm", "rf", "svm"],
        "accuracy": [0.1 + 0.2, 1 / 3, 2 / 3, 1e-9],
    }
)
WIDE = FRAME.pivot(index="dataset", columns="model", values="accuracy")
ACCURACY = Mapping(measure_name="accuracy")


def averages(source, mapping=None):
    return read_results(source, mapping=mapping).averages("accuracy").to_numpy().tolist()


@pytest.mark.parametrize(
    "source",
    [
        FRAME,
        pa.Table.from_pandas(FRAME),
        FRAME.to_dict("list"),
        {name: column.to_numpy() for name, column in FRAME.items()},
        FRAME.set_index(["dataset", "model"]),
        FRAME.astype({"dataset": "category"}).convert_dtypes(),
        FRAME.iloc[::-1],
        ("mine", FRAME),
    ],
    ids=["pandas", "pyarrow", "lists", "arrays", "index", "dtypes", "reversed", "named"],
)
def test_a_frame_is_read_with_all_digits(source):
    assert averages(source) == WIDE.to_numpy().tolist()


def test_an_index_of_names_is_the_first_column():
    assert averages(WIDE, ACCURACY) == WIDE.to_numpy().tolist()
    assert averages(WIDE.rename_axis(None), ACCURACY) == WIDE.to_numpy().tolist()
    assert describe_columns(WIDE)["column"].tolist() == ["dataset", "rf", "svm"]


def test_singles_keep_the_digits_they_have():
    singles = FRAME.astype({"accuracy": "float32"})

    shown = describe_columns(singles).set_index("column").loc["accuracy", "example"]

    assert shown == str(np.float32(0.3))
    assert averages(singles) == averages(pa.Table.from_pandas(singles))


def test_missing_values_are_holes():
    frame = FRAME.assign(accuracy=[0.1, None, float("nan"), 0.2])

    assert len(read_results(frame).missing_of("accuracy")) == 2


def test_cross_validate_by_name_gives_one_row_a_fold():
    runs = {
        name: {
            "fit_time": np.array([0.1, 0.2, 0.3]),
            "score_time": np.array([0.1, 0.1, 0.1]),
            "test_accuracy": scores,
            "train_accuracy": scores + 0.1,
            "estimator": [object()] * 3,
            "indices": {"train": [[1]], "test": [[2]]},
        }
        for name, scores in (("rf", np.array([0.5, 0.6, 0.7])), ("svm", np.array([0.4, 0.6, 0.8])))
    }

    results = read_results(("iris", runs))

    assert results.datasets == ("iris",)
    assert results.matrix("iris", "test_accuracy").to_numpy().tolist() == [
        [0.5, 0.4],
        [0.6, 0.6],
        [0.7, 0.8],
    ]


def test_a_grid_search_is_a_dict_of_columns():
    searched = {
        "mean_fit_time": np.array([0.1, 0.2]),
        "param_C": np.ma.masked_array([1, 2], [False, True], dtype=object),
        "params": [{"C": 1}, {}],
        "split0_test_score": np.array([0.5, 0.6]),
        "split1_test_score": np.array([0.4, 0.3]),
        "mean_test_score": np.array([0.45, 0.45]),
    }

    results = read_results(searched)

    assert results.n_rows == 4
    assert len(results.algorithms) == 2


def test_several_frames_are_joined():
    halves = [FRAME[FRAME["model"] == name] for name in ("rf", "svm")]

    assert read_results(*halves).algorithms == ("rf", "svm")


@pytest.mark.parametrize(
    "text",
    ["{a}", "[1", "@relation x", "| a |", "\\begin{tabular}", "# remark", "sep=;", '"', "<b>"],
)
def test_no_name_makes_a_frame_another_format(text):
    frame = FRAME.rename(columns={"dataset": text})

    assert describe_columns(frame)["column"].tolist()[0] == text


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ({}, "a dict of other objects"),
        ({"rf": 0.5}, "a dict of other objects"),
        ({"rf": [1, 2], "svm": [1]}, "columns of different lengths"),
        (FRAME["accuracy"], "a Series"),
        (None, "a NoneType"),
        (5, "an int"),
    ],
)
def test_what_holds_no_table_is_refused_in_words(source, found):
    with pytest.raises(DataError) as refused:
        read_results(source)

    assert found.split()[-1] in str(refused.value)


def test_two_columns_of_one_name_are_named():
    with pytest.raises(DataError, match="Every column needs a unique name"):
        read_results(pd.concat([FRAME, FRAME["accuracy"]], axis=1))
