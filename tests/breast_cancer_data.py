"""The breast cancer experiment of tests/reference: its runs, and what other programs give."""

from functools import cache

import numpy as np
import pandas as pd

from tests.conftest import REFERENCE, load_oracles

MEASURES = ("error", "auc_roc", "auc_pr_trapz")


@cache
def runs(scheme, measure):
    """Results (repetition, fold) x algorithm of the breast cancer experiment."""
    table = pd.read_csv(REFERENCE / f"D_bc_{scheme}_folds.csv")
    return table.pivot(index=["repeat", "fold"], columns="algorithm", values=measure)


@cache
def oracles():
    """Return what other programs give, by key."""
    return load_oracles("D_bc")


def assert_expected(actual, oracle, expected):
    """Compare within the tolerance that the other program's numbers state."""
    tolerance = oracle["tolerance"]
    np.testing.assert_allclose(actual, expected, rtol=tolerance["rel"], atol=tolerance["abs"])
