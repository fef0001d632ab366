"""Tests of the decision whether variation is only rounding, which is the same in any unit."""

import numpy as np
import pandas as pd
import pytest

import stats_core as fw
from stats_core.core.errors import DataError, DegenerateError
from stats_core.core.formatting import p_text
from stats_core.core.validation import all_within_rounding, differences_vary, unit_of
from stats_core.inference.fold_pairs import FoldDifferences, pvalues_of_pairs
from stats_core.inference.fold_tests import one_sided
from stats_core.inference.methods import FoldPair
from stats_core.inference.paired import cv52_combined_t
from stats_core.inference.pairwise import pairwise_t

UNITS = [2.0**-1000, 2.0**-600, 2.0**-40, 1.0, 2.0**200]
FIRST = np.array([0.91, 0.93, 0.88, 0.95, 0.9, 0.86, 0.97, 0.92, 0.89, 0.94])
SECOND = np.array([0.9, 0.89, 0.89, 0.9, 0.88, 0.85, 0.93, 0.9, 0.9, 0.9])
TABLE = np.stack([FIRST, SECOND], axis=1)
HALVES = (FIRST - SECOND).reshape(5, 2)

P_VALUES = {
    "paired t": lambda unit: fw.paired_t(FIRST * unit, SECOND * unit).pvalue,
    "corrected t": lambda unit: (
        fw.corrected_t(FIRST * unit, SECOND * unit, test_fraction=0.1).pvalue
    ),
    "5x2 cv t": lambda unit: fw.cv52_t(HALVES * unit).pvalue,
    "combined 5x2 cv t": lambda unit: cv52_combined_t(HALVES * unit).pvalue,
    "5x2 cv F": lambda unit: fw.cv52_f(HALVES * unit).pvalue,
    "all pairs by t": lambda unit: pairwise_t(TABLE * unit, 0.1)[0, 1],
    "all pairs by corrected t": lambda unit: pvalues_of_pairs(TABLE * unit, "corrected t", 0.1)[0],
    "all pairs by 5x2 cv F": lambda unit: pvalues_of_pairs(TABLE * unit, "5x2 cv F", None)[0],
    "one-sided t": lambda unit: one_sided((FIRST - SECOND) * unit, "paired t"),
    "one-sided 5x2 cv F": lambda unit: one_sided((FIRST - SECOND) * unit, "5x2 cv F"),
    "Wilcoxon": lambda unit: fw.wilcoxon(FIRST * unit, SECOND * unit).pvalue,
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", P_VALUES)
def test_a_p_value_does_not_depend_on_the_unit(name, unit):
    assert float(P_VALUES[name](unit)) == pytest.approx(float(P_VALUES[name](1.0)), rel=1e-12)


def test_results_whose_variance_underflows_have_the_t_of_the_same_results_in_another_unit():
    """t = 3 sqrt 3 and p by hand: differences 2, 3, 4 have mean 3 and standard deviation 1."""
    t_test = fw.paired_t(np.array([2.0, 3, 4]) * 2.0**-600, np.zeros(3))
    assert t_test.statistic == pytest.approx(27**0.5, rel=1e-14)
    assert t_test.pvalue == pytest.approx(0.03509871864598465, rel=1e-12)
    assert t_test.low / 2.0**-600 == pytest.approx(3 - 4.302652729749464 / 3**0.5, rel=1e-12)
    assert not t_test.warnings


@pytest.mark.parametrize("unit", UNITS)
def test_rounding_is_no_variation_in_any_unit(unit):
    x, y = np.array([0.3, 0.6, 0.9]) * unit, np.array([0.1 + 0.2, 0.2 * 3, 0.3 * 3]) * unit
    assert (x != y).any() or unit == UNITS[0]
    assert fw.paired_t(x, y).pvalue == 1.0
    assert FoldDifferences.of(np.stack([x, y], axis=1)).identical.all()
    shifted = x - 0.1 * unit
    assert not all_within_rounding(x - shifted, x, shifted)
    with pytest.raises(DegenerateError, match="no variation"):
        differences_vary(x - shifted, x, shifted)


@pytest.mark.parametrize("unit", UNITS)
def test_constant_differences_of_halves_are_refused_though_rounding_varies(unit):
    pair = FoldPair(
        x=pd.Series(FIRST * unit),
        y=pd.Series((FIRST - 1e-6) * unit),
        measure="cost",
        design="5x2",
        label="5 x 2-fold",
    )
    with pytest.raises(DegenerateError, match="In all five replications"):
        fw.cv52_f(pair.five_by_two())
    assert pvalues_of_pairs(np.stack([pair.x, pair.y], axis=1), "5x2 cv F", None) is None


VECTORS = np.stack([TABLE, TABLE[::-1] * [1.1, 0.9]])


@pytest.mark.parametrize(
    "test",
    [
        lambda unit: fw.anova(pd.DataFrame(TABLE * unit)),
        lambda unit: fw.tukey(pd.DataFrame(TABLE * unit)),
        lambda unit: fw.hotelling_paired(*VECTORS * [unit, 1.0]),
        lambda unit: fw.manova(VECTORS * [1.0, unit], blocked=True),
        lambda unit: fw.mardia(TABLE * unit),
    ],
)
def test_tests_of_several_columns_refuse_results_that_are_too_small(test):
    """One of two measures is enough: fourth powers would underflow without a word."""
    with pytest.raises(DataError, match="1e-70 .* Change the unit"):
        test(1e-100)
    assert test(1e-60).method is not None


def test_the_unit_is_a_power_of_two():
    assert [unit_of([size, -size / 3]) for size in (0.3, 5.0, 2.0**-1074)] == [0.25, 4, 2.0**-1074]


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001, 1e-5])
@pytest.mark.parametrize("error", [2e-12, -2e-12, 1e-10])
def test_a_p_that_is_alpha_up_to_rounding_is_printed_as_alpha(alpha, error):
    assert p_text(alpha * (1 + error), alpha) == p_text(alpha, alpha)
    above = p_text(alpha * (1 + 1e-6), alpha)
    assert float(above) > alpha
