"""Check that arrays over folds of several algorithms belong to the same folds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stats_core.io.problems import data_error


def check_numbers_of_folds(folds: Mapping[str, int]) -> None:
    """Raise DataError unless all algorithms have the same number of folds."""
    first = next(iter(folds), "")
    for name, n in folds.items():
        if n != folds[first]:
            raise data_error(
                "other numbers of folds", first=first, n_first=folds[first], second=name, n_second=n
            )


def check_test_instances(tests: Mapping[str, Sequence[Any]]) -> None:
    """Raise DataError unless all algorithms have the same test instances in each fold."""
    first = next(iter(tests), "")
    for name, of_folds in tests.items():
        pairs = zip(tests[first], of_folds, strict=False)
        for number, (expected, actual) in enumerate(pairs, start=1):
            if not np.array_equal(np.sort(expected), np.sort(actual)):
                raise data_error("other test instances", first=first, second=name, fold=number)


def test_instances(arrays: Mapping[str, Any]) -> list[np.ndarray] | None:
    """Return the test indices of each fold, as scikit-learn returns them; None if there are none."""
    indices = arrays.get("indices")
    test = indices.get("test") if isinstance(indices, Mapping) else None
    return None if test is None else [np.asarray(fold) for fold in test]
