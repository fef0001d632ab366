"""Marks and tolerances for simulations, with few draws by default and many in `./fw test --all`."""

from math import sqrt

import pytest


def draws(few, many):
    """Return a mark that runs a simulation with few draws and, if slow tests run, with many."""
    return pytest.mark.parametrize("draws", [few, pytest.param(many, marks=pytest.mark.slow)])


def share(expected, draws):
    """Return an expected share of draws, with a tolerance of four standard errors."""
    return pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / draws))
