"""How often something happens among random draws: few by default, many with `./fw test --all`."""

from math import sqrt

import pytest


def draws(few, many):
    """Run a simulation with few draws, and where slow tests run, too, with many."""
    return pytest.mark.parametrize("draws", [few, pytest.param(many, marks=pytest.mark.slow)])


def share(expected, draws):
    """Expect a share of the draws, within four standard errors."""
    return pytest.approx(expected, abs=4 * sqrt(expected * (1 - expected) / draws))
