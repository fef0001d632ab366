"""The breast cancer experiment of tests/reference: results per fold, and reference values of other programs."""

from functools import cache

import numpy as np
import pandas as pd

from tests.conftest import REFERENCE, load_oracles

MEASURES = ("error", "auc_roc", "auc_pr_trapz")


@cache
def runs(scheme, measure):
    """Return the results of the breast cancer experiment, (repetition, fold) x algorithm."""
    table = pd.read_csv(REFERENCE / f"D_bc_{scheme}_folds.csv")
    return table.pivot(index=["repeat", "fold"], columns="algorithm", values=measure)


@cache
def oracles():
    """Return the reference values of other programs, by key."""
    return load_oracles("D_bc")


def assert_expected(actual, oracle, expected):
    """Assert that `actual` equals `expected` within the tolerance of the reference value `oracle`."""
    tolerance = oracle["tolerance"]
    np.testing.assert_allclose(actual, expected, rtol=tolerance["rel"], atol=tolerance["abs"])
