"""Tests of analysis of variance and Tukey's test over folds: other programs, identities, invalid input."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.inference.anova import anova, tukey
from stats_core.inference.assumptions import (
    differences_qq,
    equal_variances,
    normal_qq,
    normality,
    sphericity,
)
from stats_core.inference.distributions import (
    integrated_sf,
    studentized_range_isf,
    studentized_range_sf,
)
from stats_core.inference.paired import overlap_factor, paired_t
from stats_core.inference.ranks import friedman
from tests.breast_cancer_data import MEASURES, assert_expected, runs
from tests.conftest import load_oracles

tables = st.integers(2, 5).flatmap(
    lambda a: st.lists(
        st.lists(st.integers(0, 50), min_size=a, max_size=a), min_size=3, max_size=6
    ).map(lambda rows: pd.DataFrame(rows, dtype=float).rename(columns=lambda i: f"a{i}"))
)


@cache
def oracles():
    return load_oracles("D_bc")


@pytest.mark.parametrize("measure", MEASURES)
def test_one_way_anova_agrees_with_scipy_statsmodels_and_r(measure):
    oracle = oracles()[f"{measure}.anova"]
    model = anova(runs("cv10", measure), blocked=False)

    assert_expected(
        [model.statistic, model.pvalue], oracle, [oracle["expected"][x] for x in ("F", "p")]
    )
    sums = [oracle["params"][name] for name in ("SSB", "SSW", "df1", "df2")]
    table = model.table
    actual = [*table.loc[["algorithms", "residual"], "SS"], *model.df]
    np.testing.assert_allclose(actual, sums, rtol=1e-9)


@pytest.mark.parametrize("measure", MEASURES)
def test_blocked_anova_agrees_with_statsmodels_r_and_pingouin(measure):
    oracle = oracles()[f"{measure}.anova_blocked"]
    model = anova(runs("cv10", measure), blocked=True)

    actual = [
        *model.table.loc[["folds", "algorithms", "residual"], "SS"],
        *model.df,
        model.statistic,
        model.pvalue,
    ]
    fields = ("SS_block", "SS_alg", "SSE", "df1", "df2", "F", "p")
    assert_expected(actual, oracle, [oracle["expected"][field] for field in fields])


@pytest.mark.parametrize("measure", MEASURES)
def test_sphericity_agrees_with_r_and_pingouin(measure):
    oracle, table = oracles()[f"{measure}.sphericity"], runs("cv10", measure)
    test, model = sphericity(table), anova(table)

    actual = [test.epsilon_gg, test.epsilon_hf, test.statistic, model.pvalue_gg]
    fields = ("gg_eps", "hf_eps_uncapped", "mauchly_W", "p_gg")
    assert_expected(actual, oracle, [oracle["expected"][field] for field in fields])
    # R 4.2.2 has the number of algorithms where Anderson's second term has that of contrasts
    assert test.pvalue == pytest.approx(oracle["params"]["R mauchly p"], rel=5e-3)
    assert model.epsilon == pytest.approx(test.epsilon_gg)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("blocked", "key"), [(False, "tukey_hsd"), (True, "tukey_hsd_blocked")])
def test_tukey_agrees_with_r_and_statsmodels(measure, blocked, key):
    oracle = oracles()[f"{measure}.{key}"]
    test = tukey(runs("cv10", measure), blocked=blocked)
    for pair, expected in oracle["expected"].items():
        place = tuple(pair.split("|"))
        difference = test.differences.loc[place]
        actual = [
            difference,
            difference - test.half_width,
            difference + test.half_width,
            test.pvalues.loc[place],
        ]
        assert_expected(actual, oracle, [expected[x] for x in ("diff", "low", "high", "p")])


@pytest.mark.parametrize("measure", MEASURES)
def test_spread_agrees_with_scipy_and_r(measure):
    oracle = oracles()[f"{measure}.levene_median"]
    test = equal_variances(runs("cv10", measure))

    expected = [oracle["expected"][field] for field in ("stat", "p")]
    assert_expected([test.statistic, test.pvalue], oracle, expected)


@pytest.mark.parametrize("measure", MEASURES)
def test_friedman_over_folds_agrees_with_scipy_and_r(measure):
    oracle = oracles()[f"{measure}.friedman_over_folds.tie_corrected"]
    test = friedman(runs("cv10", measure), higher_is_better=False)

    expected = [oracle["expected"][field] for field in ("chi2", "p")]
    assert_expected([test.statistic, test.pvalue], oracle, expected)


def test_normality_of_residuals_is_scipys():
    table = runs("cv10", "error")
    residuals = anova(table).residuals.to_numpy().ravel()

    assert normality(table).statistic == pytest.approx(stats.shapiro(residuals).statistic)


@given(tables)
def test_two_algorithms_reduce_to_the_t_tests(table):
    pair = table.iloc[:, :2]
    x, y = pair.T.to_numpy()
    if np.ptp(x - y) == 0 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return
    plain = paired_t(x, y)

    assert anova(pair).statistic == pytest.approx(plain.statistic**2)
    assert anova(pair).pvalue == pytest.approx(plain.pvalue)
    assert anova(pair, blocked=False).statistic == pytest.approx(
        stats.ttest_ind(x, y).statistic ** 2
    )
    assert tukey(pair).pvalue == pytest.approx(plain.pvalue, abs=1e-6)


@given(tables)
def test_folds_have_no_order_and_flipping_changes_signs_only(table):
    try:
        expected = anova(table)
    except DegenerateError:
        return
    test = tukey(table)
    for other in (table.iloc[::-1], -table, table * 3 + 7, table.iloc[:, ::-1]):
        assert anova(other).pvalue == pytest.approx(expected.pvalue, abs=1e-9)
    flipped = tukey(-table)
    np.testing.assert_allclose(flipped.differences, -test.differences, atol=1e-9)
    np.testing.assert_allclose(flipped.pvalues, test.pvalues, atol=1e-6)
    np.testing.assert_allclose(test.pvalues, test.pvalues.T)


def test_the_parts_add_up():
    table = anova(runs("cv10", "error")).table

    assert table.loc["total", "SS"] == pytest.approx(table["SS"].iloc[:-1].sum())
    assert table.loc["total", "df"] == 59
    assert list(table.index) == ["algorithms", "folds", "residual", "total"]


def test_the_overlap_factor_divides_f_and_widens_intervals():
    table, c = runs("cv10", "error"), overlap_factor(10, 0.1)
    plain, corrected = anova(table), anova(table, test_fraction=0.1)

    assert corrected.statistic == pytest.approx(plain.statistic / c)
    assert (corrected.plain_statistic, corrected.plain_pvalue) == (plain.statistic, plain.pvalue)
    assert list(corrected.table.columns) == [
        "SS",
        "df",
        "MS",
        "F",
        "p",
        "F corrected",
        "p corrected",
    ]
    widths = tukey(table, test_fraction=0.1).half_width / tukey(table).half_width
    assert widths == pytest.approx(np.sqrt(c))


def test_the_interval_of_tukey_excludes_zero_where_p_is_below_its_level():
    test = tukey(runs("cv10", "error"), confidence_level=0.9)
    excludes = test.differences.abs() > test.half_width

    assert (excludes == (test.pvalues < 0.1)).all().all()
    assert excludes.any().any()


@pytest.mark.parametrize(
    ("k", "df"), [(2, 2), (2, 594), (3, 9), (3, 2), (8, 9), (8, 45), (34, 45), (34, 594)]
)
def test_the_studentized_range_is_scipys(k, df):
    q = np.array([0.0, 0.3, 1, 2, 3.5, 5, 8])
    expected = stats.studentized_range.sf(q, k, df)

    np.testing.assert_allclose(studentized_range_sf(q, k, df), expected, atol=2e-8)
    assert studentized_range_isf(0.05, k, df) == pytest.approx(
        stats.studentized_range.isf(0.05, k, df), rel=1e-6
    )


@pytest.mark.parametrize(("k", "df"), [(24, 23), (112, 3219), (179, 178), (300, 5980)])
def test_many_studentized_ranges_at_once_are_those_one_by_one(k, df):
    q = np.concatenate([np.linspace(0, 15, 40), [30.0, 1e3, 1e9, np.inf]])
    many = studentized_range_sf(np.tile(q, 20), k, df)[: len(q)]

    np.testing.assert_allclose(many, integrated_sf(np.minimum(q, 1e6), k, df), atol=4e-12)
    assert len(q) < 2 * k < 20 * len(q)


def test_identical_and_constant_results():
    same = pd.DataFrame({"a": [1.0, 2, 3], "b": [1.0, 2, 3], "c": [1.0, 2, 3]})
    test = tukey(same)

    assert (anova(same).statistic, anova(same).pvalue) == (0, 1)
    assert (test.pvalues == 1).all().all()
    assert test.half_width == 0
    assert anova(same).epsilon == 1
    with pytest.raises(DegenerateError, match="no variation"):
        anova(same + [0, 1, 2])
    assert anova(same + [0, 1, 2], blocked=False).pvalue < 1
    for check in (normality, normal_qq, sphericity):
        with pytest.raises(DegenerateError):
            check(same)
    with pytest.raises(DegenerateError):
        equal_variances(same * 0)


def test_too_little_is_refused_in_words():
    with pytest.raises(DesignError, match="at least 2"):
        anova(pd.DataFrame({"a": [1.0], "b": [2.0]}))
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        anova(pd.DataFrame({"a": [1.0, 2]}))
    with pytest.raises(DataError, match="finite"):
        anova(pd.DataFrame({"a": [1.0, np.nan], "b": [2.0, 1]}))
    with pytest.raises(SettingError, match="test_fraction"):
        anova(pd.DataFrame({"a": [1.0, 3], "b": [2.0, 1]}), test_fraction=1.5)
    with pytest.raises(DesignError, match="as many folds"):
        sphericity(runs("cv10", "error").iloc[:4])


def test_the_envelope_holds_what_is_normal_and_shows_what_is_not(rng):
    normal = pd.DataFrame(rng.normal(size=(20, 4)))
    skewed = pd.DataFrame(np.exp(2 * rng.normal(size=(20, 4))))

    def outside(table):
        return ((table["observed"] < table["low"]) | (table["observed"] > table["high"])).mean()

    assert outside(normal_qq(normal)) < 0.15
    assert outside(normal_qq(skewed)) > 0.5
    assert normal_qq(normal).equals(normal_qq(normal))
    folds = differences_qq(normal[0], normal[1])
    assert set(folds.index) == set(normal.index)
    assert folds["observed"].is_monotonic_increasing
