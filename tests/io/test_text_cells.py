"""Tests of small helpers: cells, names of files and columns, meanings of rows, limits."""

import pandas as pd
import pytest

from stats_core.core.errors import DataError
from stats_core.io import text_cells, vocabulary
from stats_core.io.layouts import prediction_tables
from stats_core.io.mapping import Mapping, possible_rows
from stats_core.io.problems import Budget


def test_invisible_characters_are_removed_and_the_first_is_named():
    frame, notes = text_cells.remove_invisible(pd.DataFrame([["rf", "s\u200bvm", "n\u00a0b"]]))

    assert frame.iloc[0].tolist() == ["rf", "svm", "n b"]
    assert [note.code for note in notes] == ["invisible letters"]
    assert str(notes[0]).endswith('from 1 cell. For example, U+200B was removed from "svm".')


def test_a_name_is_put_on_one_line_without_invisible_characters():
    assert text_cells.visible_text(" balanced\u00a0accu\u200bracy\n") == "balanced accuracy"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [(["set", "acc"], True), (["iris", "0.9"], False), (["-", "3 (1)"], False)],
)
def test_a_row_of_names_has_no_number(cells, expected):
    assert text_cells.names_only(cells) == expected


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["out/rf/scores.csv", "out/svm/scores.csv"], ["rf/scores.csv", "svm/scores.csv"]),
        (["out/rf.csv", "out/svm.csv"], ["rf.csv", "svm.csv"]),
        (["out/a/x.csv", "out/x.csv"], ["a/x.csv", "x.csv"]),
    ],
)
def test_file_names_keep_only_the_folders_that_tell_them_apart(paths, names):
    assert vocabulary.short_paths(paths) == names


def test_an_exceeded_limit_is_named_with_a_remedy():
    with pytest.raises(
        DataError, match="at most 3 columns. This table has 4 columns. If the table is transposed"
    ):
        Budget(columns=3).check("a.csv", "columns", 4)


@pytest.mark.parametrize(
    ("n", "keys", "expected"),
    [
        (10, [], ["folds", "seeds", "cases", "datasets"]),
        (1000, [], ["cases", "datasets"]),
        (10, ["dataset"], ["folds", "seeds"]),
    ],
)
def test_meanings_of_rows_depend_on_their_number_and_the_keys(n, keys, expected):
    assert possible_rows(Mapping(), n, keys=keys) == expected


def test_columns_that_differ_only_in_the_class_are_a_family():
    families = prediction_tables._families_of(["id", "rf_cat", "rf_dog", "cat"], ["cat", "dog"])

    assert families == {"rf": {"rf_cat": "cat", "rf_dog": "dog"}}
