"""Tests that numbering and sorting of many rows, which work on codes, agree with plain loops over tuples."""

import numpy as np
import pandas as pd
import pytest

from stats_core.data.row_checks import (
    KEYS,
    distinct_rows,
    is_mean,
    natural_key,
    natural_order,
    number_labels,
    sort_rows,
)

N = 20_500  # more rows than are numbered by a plain loop
NAMES = np.array(
    ["b10", "b9", "B1", "", "10", "9", "<b>x</b>", "\u968f\u673a\u68ee\u6797", "a\u0301", "f 2"]
)


def table(rng, n, *, shuffled=True):
    """Return rows with distinct keys, the four columns of which have names, folds as texts, and numbers."""
    places = np.indices((4, 10, 6, n // 240 + 1)).reshape(4, -1)
    columns = [
        NAMES[places[0]],
        NAMES[places[1]],
        places[2].astype(str),
        (places[3] * 7 % 101).astype(str),
    ]
    frame = pd.DataFrame(dict(zip(KEYS, columns, strict=True))).assign(
        error=rng.random(places.shape[1])
    )
    return frame.sample(n, random_state=int(rng.integers(99))) if shuffled else frame.head(n)


@pytest.mark.parametrize("keys", [KEYS, ("fold", "dataset"), ("algorithm",), ("error", "fold")])
@pytest.mark.parametrize("dtype", ["str", "object", "category"])
def test_labels_of_many_rows_are_those_of_a_plain_loop(rng, keys, dtype):
    rows = table(rng, N).astype(dict.fromkeys(KEYS, dtype))

    labels, places = number_labels(rows, keys)

    index_of = {}
    expected = [
        index_of.setdefault(row, len(index_of))
        for row in zip(*(rows[key].to_list() for key in keys), strict=True)
    ]
    assert places.tolist() == expected
    assert labels == list(index_of)
    assert distinct_rows(rows, keys) == len(index_of)


def test_a_missing_label_is_one_label_of_many_rows():
    cluster = np.where(np.arange(N) % 3 == 0, None, np.arange(N) % 7)

    labels, places = number_labels(
        pd.DataFrame({"cluster": cluster, "fold": 1}), ["cluster", "fold"]
    )

    assert len(labels) == 8  # 0 to 6, and missing
    assert len(set(places[::3])) == 1
    assert pd.isna(labels[places[0]][0])


@pytest.mark.parametrize("n", [7, N])
@pytest.mark.parametrize("shuffled", [True, False])
def test_rows_are_sorted_by_all_keys_in_natural_order(rng, n, shuffled):
    rows = table(rng, n, shuffled=shuffled)

    found = sort_rows(rows)

    records = rows.to_dict("records")
    expected = sorted(records, key=lambda row: [natural_key(row[key]) for key in KEYS])
    assert found.to_dict("records") == expected
    assert found.index.tolist() == list(range(n))


@pytest.mark.parametrize(
    "names",
    [
        ["f10", "f9", "f09"],
        ["10", "9"],
        ["f1", "F2"],
        ["f1b2", "f1b10", "f3"],
        ["f\u0663", "f12"],
        [],
    ],
)
def test_names_of_one_word_and_a_number_are_in_the_order_of_their_keys(names):
    assert natural_order(names) == tuple(sorted(names, key=natural_key))


@pytest.mark.parametrize("huge", [1e300, 1e308, np.inf])
def test_numbers_whose_squares_overflow_are_no_means(huge):
    rows = np.array([[huge, 1.0], [2.0, 3.0]])
    assert not is_mean(np.array([huge / 2, 2.5]), rows)
    assert not is_mean(np.array([0.5, 2.5]), rows)
