"""Tests of coded columns of predictions: natural order and missing values."""

import numpy as np
import pandas as pd
import pytest

from stats_core.data.predictions import group_numbers, stack_predictions, to_category


@pytest.mark.parametrize("names", [["f2", "f10", "x"], ["x", "f10", "f2"]])
def test_texts_become_codes_in_natural_order_and_missing_ones_stay_missing(names):
    found = to_category(np.array([0, 2, -1, 1]), names)

    assert list(found.categories) == ["f2", "f10", "x"]
    assert list(found.astype(object)[[0, 1, 3]]) == [names[0], names[2], names[1]]
    assert list(pd.isna(found)) == [False, False, True, False]


def test_a_file_without_predicted_labels_gets_none_from_another():
    labels = pd.DataFrame({"predicted": pd.Categorical(["no", "yes"]), "score": [0.1, 0.9]})
    scores = pd.DataFrame({"score": [0.3, 0.4]})

    together = stack_predictions([labels, scores])

    assert together["predicted"].isna().tolist() == [False, False, True, True]
    assert together["score"].tolist() == [0.1, 0.9, 0.3, 0.4]


def test_a_column_with_one_name_does_not_change_the_numbers():
    table = pd.DataFrame({"a": pd.Categorical(list("yxyx")), "b": pd.Categorical(["only"] * 4)})

    numbers, names = group_numbers(table, ["b", "a", "b"])

    assert numbers.tolist() == [1, 0, 1, 0]
    assert names["a"].tolist() == ["x", "y"]
