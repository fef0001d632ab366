"""Tests of tick labels, which state their values and are distinct."""

import numpy as np
import pytest

from foldwise.figures.axis_parts import ticks


def value_of(label):
    return float(label.replace("\N{MINUS SIGN}", "-").replace(",", ""))


def test_ticks_of_small_and_large_numbers_have_the_digits_of_their_step():
    assert ticks(0, 2e-7, 4)[1] == [
        "0",
        "5e\N{MINUS SIGN}8",
        *(f"{n}e\N{MINUS SIGN}7" for n in ("1.0", "1.5", "2.0")),
    ]
    assert ticks(1e7, 2.5e7, 3)[1] == ["1.0e7", "1.5e7", "2.0e7", "2.5e7"]
    assert ticks(0, 3e5, 3)[1] == ["0", "1e5", "2e5", "3e5"]


@pytest.mark.parametrize("power", range(-12, 10))
def test_every_label_states_the_value_of_its_tick(power):
    rng = np.random.default_rng([20261126, power + 12])
    for _ in range(50):
        span = 10.0 ** (power + rng.random())
        low = rng.choice([0, rng.uniform(-5, 5), rng.uniform(-1e3, 1e3)]) * span
        at, labels = ticks(low, low + span, rng.choice([2, 3, 5, 8, 10]))
        assert [value_of(label) for label in labels] == pytest.approx(
            at, rel=1e-11, abs=1e-7 * span
        )
        assert len(set(labels)) == len(labels)
