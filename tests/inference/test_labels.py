"""Tests that labelled arguments of all public functions are paired by label."""

import inspect

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise import stats
from stats_core.core.errors import DataError
from stats_core.core.serialize import to_plain
from stats_core.core.validation import align

RNG = np.random.default_rng(0)
N = 12
LABELS = [f"q{i}" for i in range(N)]
TRUTH = pd.Series(np.arange(N) % 2, LABELS)
A, B = (pd.Series(TRUTH + RNG.normal(0, 0.8, N), LABELS) for _ in range(2))
RIGHT_A, RIGHT_B = (pd.Series(RNG.integers(0, 2, N), LABELS) for _ in range(2))
CLUSTERS = pd.Series([0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5], LABELS)
TABLE_A, TABLE_B = (pd.DataFrame(RNG.normal(size=(N, 2)), LABELS, ["u", "v"]) for _ in range(2))

# function -> its labelled arguments and the others
CASES = {
    **{
        name: ([A, B], {})
        for name in (
            "paired_t",
            "wilcoxon",
            "sign_test",
            "sign_flip_test",
            "sign_interval",
            "hodges_lehmann_interval",
            "effect_sizes",
            "normal_differences",
            "symmetric_differences",
            "diebold_mariano",
        )
    },
    **{
        name: ([TRUTH, A], {})
        for name in (
            "roc_curve",
            "pr_curve",
            "roc_auc",
            "pr_auc",
            "partial_auc",
            "auc_interval",
            "delong_variance",
        )
    },
    "corrected_t": ([A, B], {"test_fraction": 0.1}),
    "mcnemar": ([RIGHT_A, RIGHT_B], {}),
    "delong": ([TRUTH, A, B], {}),
    "delong_all": ([TRUTH, TABLE_A], {}),
    "delong_covariance": ([TRUTH, TABLE_A], {}),
    "hotelling_paired": ([TABLE_A, TABLE_B], {}),
    "shuffled_hotelling": ([TABLE_A, TABLE_B], {}),
    "welch_test": ([A, B.abs() + 0.1, CLUSTERS + 5], {}),
    "rank_intervals": ([TABLE_A], {"clusters": CLUSTERS, "higher_is_better": True, "draws": 1999}),
    "swap_test": (["error", TRUTH, RIGHT_A, RIGHT_B], {"clusters": CLUSTERS}),
    "two_way_test": (
        ["error", TRUTH, [RIGHT_A, RIGHT_B], [RIGHT_B, RIGHT_A[::-1]]],
        {"clusters": CLUSTERS},
    ),
}
# of points of a curve, thresholds, or tables that are matched by their own checks
NOT_PAIRED = {
    "cost_envelope",
    "crossings",
    "dominates",
    "error_rates",
    "hotelling_two_sample",
    "multi2test",
    "raw_thresholds",
    "risk",
    "step_table",
    "sweep",
}


def _changed(arguments, change):
    """Return the arguments with the last labelled one changed."""
    changed = list(arguments)
    last = max(i for i, value in enumerate(changed) if not isinstance(value, str))
    value = changed[last]
    changed[last] = [*value[:-1], change(value[-1])] if isinstance(value, list) else change(value)
    return changed


@pytest.mark.parametrize("name", CASES)
def test_labelled_arguments_are_paired_by_label(name):
    positional, options = CASES[name]
    function = getattr(stats, name)
    expected = to_plain(function(*positional, **options))
    if len(positional) == 1:
        options = options | {"clusters": options["clusters"][::-1]}
    else:
        positional = _changed(positional, lambda value: value[::-1])
    assert repr(to_plain(function(*positional, **options))) == repr(expected)


@pytest.mark.parametrize("name", [name for name in CASES if name != "rank_intervals"])
def test_other_labels_are_refused(name):
    positional, options = CASES[name]
    other = _changed(positional, lambda value: value.rename({"q3": "q99"}))
    with pytest.raises(DataError, match="share only 11 of 13"):
        getattr(stats, name)(*other, **options)


def test_every_public_function_of_several_arrays_is_among_the_cases():
    arrays = ("ArrayLike", "_SupportsArray", "DataFrame")
    several = {
        name
        for module in (fw, stats)
        for name in dir(module)
        if inspect.isfunction(getattr(module, name))
        and sum(
            any(kind in str(parameter.annotation) for kind in arrays)
            for parameter in inspect.signature(getattr(module, name)).parameters.values()
        )
        > 1
    }
    assert several == {*CASES, *NOT_PAIRED}


def test_values_without_labels_keep_their_order():
    series, array = align(pd.Series([1, 2], ["a", "b"]), np.array([3, 4]))
    assert (series.tolist(), array.tolist()) == ([1, 2], [3, 4])


def test_repeated_labels_are_refused_unless_the_order_is_the_same():
    first = pd.Series([1, 2, 3], ["a", "a", "b"])
    assert align(first, first + 1)[1].tolist() == [2, 3, 4]
    with pytest.raises(DataError, match="each label once"):
        align(first, first[::-1])
