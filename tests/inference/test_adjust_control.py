"""Tests of p-values adjusted for comparisons with a control: other programs, definitions, order of the procedures."""

from math import factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Polynomial

from stats_core.core.errors import DataError, SettingError
from stats_core.inference.multiplicity.adjust import CONTROL_METHODS, adjust_control, rom_constants
from stats_core.inference.ranks import friedman, post_hoc_z
from tests.conftest import load_reference

families = st.lists(
    st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.02, 1.0])), min_size=1, max_size=9
).map(lambda values: pd.Series(values, index=[f"a{i}" for i in range(len(values))]))


def against(reference, control):
    """Return the unadjusted p-values of all other algorithms against the control."""
    ranks = friedman(reference.scores, higher_is_better=True).average_ranks
    return post_hoc_z(ranks, len(reference.scores)).pvalues[control].drop(control)


@pytest.mark.parametrize("name", ["A_gh2008", "C_demsar2006", "C_demsar2006_untied"])
@pytest.mark.parametrize(
    "method", ["bonferroni_dunn", "holm", "hochberg", "hommel", "finner", "li"]
)
def test_agrees_with_r_and_scmamp(name, method):
    reference = load_reference(name)
    key = f"control.apv.{method}"
    control = reference.oracles[key]["params"]["control"]

    reference.assert_close(adjust_control(against(reference, control), method), key)


def test_rom_on_the_published_table(garcia_herrera):
    # by hand from Rom's recursion: c_2 = alpha / 2, c_3 = alpha / 3 + alpha^2 / 12; the smallest
    # p is so small that c_4 = alpha / 4
    p = against(garcia_herrera, "C4.5")

    actual = adjust_control(p, "rom")

    assert actual["NaiveBayes"] == pytest.approx(p["NaiveBayes"])
    assert actual["CN2"] == pytest.approx(2 * p["CN2"])
    assert actual["1-NN"] == pytest.approx(2 * (np.sqrt(1 + 3 * p["1-NN"]) - 1))
    assert actual["Kernel"] == pytest.approx(4 * p["Kernel"], rel=1e-6)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("m", range(1, 9))
def test_rom_constants_spend_exactly_alpha_on_independent_tests(m, alpha):
    # P(the i-th largest of m uniform values exceeds c_i for every i), by integrating
    # from the smallest value outwards: the chance that nothing is rejected
    constants = rom_constants(m, alpha)

    inside = Polynomial([1.0])
    for constant in constants[::-1]:
        whole = inside.integ()
        inside = whole - whole(constant)

    assert factorial(m) * inside(1.0) == pytest.approx(1 - alpha, rel=1e-12)


@given(families, st.floats(0.001, 0.4))
def test_rom_rejects_where_the_step_up_procedure_does(p, alpha):
    descending = np.sort(p.to_numpy())[::-1]
    constants = rom_constants(len(p), alpha)
    passed = np.flatnonzero(descending <= constants)
    near = np.isclose(descending, constants, rtol=1e-8, atol=0)
    expected = len(p) - passed[0] if len(passed) else 0

    rejected = (adjust_control(p, "rom") <= alpha).sum()

    assert rejected == expected or near.any()


@given(families)
def test_finner_and_li_by_their_definitions(p):
    values, m = np.sort(p.to_numpy()), len(p)

    finner = np.sort(adjust_control(p, "finner").to_numpy())
    li = np.sort(adjust_control(p, "li").to_numpy())

    for i in range(m):
        steps = [1 - (1 - values[j]) ** (m / (j + 1)) for j in range(i + 1)]
        assert finner[i] == pytest.approx(max(steps), abs=1e-12)
        if values[i] > 0:
            assert li[i] == pytest.approx(values[i] / (values[i] + (1 - values[-1])))
        else:
            assert li[i] == 0


@given(families)
def test_the_procedures_are_ordered(p):
    adjusted = {method: adjust_control(p, method).to_numpy() for method in CONTROL_METHODS}

    for smaller, larger in [
        ("none", "rom"),
        ("none", "li"),
        ("none", "finner"),
        ("rom", "hochberg"),
        ("hommel", "hochberg"),
        ("hochberg", "holm"),
        ("finner", "holm"),
        ("holm", "bonferroni_dunn"),
    ]:
        assert (adjusted[smaller] <= adjusted[larger] * (1 + 1e-8) + 1e-300).all(), (
            smaller,
            larger,
        )
    assert (adjusted["bonferroni_dunn"] <= 1).all()


@given(families, st.sampled_from(CONTROL_METHODS))
def test_order_and_ties_are_kept_and_names_stay(p, method):
    adjusted = adjust_control(p, method)
    reversed_too = adjust_control(p[::-1], method)[::-1]

    pd.testing.assert_series_equal(adjusted, reversed_too)
    order = np.argsort(p.to_numpy(), kind="stable")
    assert (np.diff(adjusted.to_numpy()[order]) >= -1e-12).all()
    for value in set(p):
        assert adjusted[p == value].nunique() == 1


def test_tiny_p_values_keep_their_digits():
    p = pd.Series([1e-300, 1e-20, 0.5], index=list("abc"))

    assert adjust_control(p, "finner")["b"] == pytest.approx(1.5e-20, rel=1e-9)
    assert adjust_control(p, "rom")["b"] == pytest.approx(2e-20, rel=1e-9)
    assert adjust_control(p, "rom")["a"] == pytest.approx(3e-300, rel=1e-9)


@pytest.mark.parametrize("method", CONTROL_METHODS)
def test_one_p_value_is_unchanged_and_none_is_empty(method):
    assert adjust_control(pd.Series({"a": 0.03}), method)["a"] == pytest.approx(0.03)
    assert adjust_control(pd.Series([], dtype=float), method).empty


@pytest.mark.parametrize(
    ("values", "message"), [({"a": 1.5}, r"in \[0, 1\]"), ({"a": np.nan, "b": 0.1}, r"in \[0, 1\]")]
)
def test_bad_p_values_are_refused_with_the_reason(values, message):
    with pytest.raises(DataError, match=message):
        adjust_control(pd.Series(values), "holm")


def test_repeated_names_and_unknown_procedures_are_refused():
    with pytest.raises(DataError, match="Repeated: a"):
        adjust_control(pd.Series([0.1, 0.2], index=["a", "a"]), "holm")
    with pytest.raises(SettingError, match="`method` must be one of none"):
        adjust_control(pd.Series({"a": 0.1}), "shaffer")
