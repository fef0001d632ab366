"""The Diebold-Mariano test, against R's forecast 8.20 (numbers printed by dm.test) and statsmodels' HAC variances."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import signal, stats

from stats_core.core.errors import DataError, DegenerateError, DesignError, SettingError
from stats_core.inference.paired import paired_t
from stats_core.inference.paired.forecast_test import autocovariances, diebold_mariano

FIRST = np.array([0.5, -1.2, 0.3, 2.1, -0.7, 0.9, -0.1, 1.4, -2.0, 0.6, 0.8, -0.4])
SECOND = np.array([0.9, -1.0, 0.8, 1.1, -1.7, 0.2, -0.6, 2.4, -1.5, 1.6, 0.1, -1.4])


@pytest.mark.parametrize(
    ("horizon", "power", "statistic", "pvalue"),
    [  # dm.test(e1, e2, h, power), with varestimator = "bartlett" for h = 2, where R refuses the negative variance
        (1, 1, -0.864448432728669, 0.405798112378487),
        (1, 2, -0.7235419125387, 0.484449537148268),
        (2, 1, -1.564984713638, 0.14588169869375),
        (2, 2, -1.04441784931589, 0.318701306532426),
        (3, 1, -1.0544248126738, 0.314298261310877),
        (4, 2, -0.742406514775298, 0.473396782307913),
    ],
)
def test_the_test_is_that_of_r(horizon, power, statistic, pvalue):
    found = diebold_mariano(np.abs(FIRST) ** power, np.abs(SECOND) ** power, horizon=horizon)
    assert (found.statistic, found.pvalue) == pytest.approx((statistic, pvalue), rel=1e-12)
    assert ("Newey-West" in str(found.method)) == (horizon == 2)


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_the_standard_error_is_that_of_statsmodels(horizon):
    errors = np.random.default_rng(0).normal(size=(2, 60)) ** 2
    options = {"maxlags": horizon - 1, "kernel": "uniform", "use_correction": False}
    fit = sm.OLS(errors[0] - errors[1], np.ones(60)).fit(cov_type="HAC", cov_kwds=options)
    factor = np.sqrt((61 - 2 * horizon + horizon * (horizon - 1) / 60) / 60)
    found = diebold_mariano(*errors, horizon=horizon)
    assert found.error == pytest.approx(fit.bse[0] / factor, rel=1e-12)
    assert found.estimate == pytest.approx(fit.params[0], rel=1e-12)


def test_one_step_ahead_it_is_the_paired_t_test():
    found, t = diebold_mariano(FIRST**2, SECOND**2, horizon=1), paired_t(FIRST**2, SECOND**2)
    assert (found.statistic, found.pvalue, found.low, found.high) == pytest.approx(
        (t.statistic, t.pvalue, t.low, t.high), rel=1e-12
    )


@pytest.mark.parametrize("horizon", [None, 1, 2])
def test_losses_without_variation_have_p_1_or_are_refused(horizon):
    same = diebold_mariano(FIRST, FIRST + 1e-17, horizon=horizon)
    assert (same.pvalue, same.statistic, len(same.warnings)) == (1, 0, 1)
    for first, second in [([1.0] * 4, [0.0] * 4), (FIRST + 0.1, FIRST)]:
        with pytest.raises(DegenerateError, match="no variation to test against"):
            diebold_mariano(first, second, horizon=horizon)


@pytest.mark.parametrize("horizon", [None, 1, 3])
@pytest.mark.parametrize("unit", [2.0**-600, 2.0**-40, 2.0**100])
def test_the_unit_of_the_losses_does_not_matter(horizon, unit):
    scaled = diebold_mariano(FIRST * unit, SECOND * unit, horizon=horizon)
    usual = diebold_mariano(FIRST, SECOND, horizon=horizon)
    assert scaled.pvalue == pytest.approx(usual.pvalue, rel=1e-12)
    assert scaled.low / unit == pytest.approx(usual.low, rel=1e-12)


def test_without_a_horizon_the_variance_is_that_of_cosine_regressions():
    """The coefficients as least squares on the cosines, by statsmodels, instead of a transform."""
    losses = np.random.default_rng(2).normal(size=(2, 101)) ** 2
    difference, n, df = losses[0] - losses[1], 101, 8
    times = np.arange(1, n + 1) - 0.5
    waves = np.cos(np.pi * np.outer(times, np.arange(df + 1)) / n)
    fit = sm.OLS(difference, waves).fit()
    variance = float((fit.params[1:] ** 2).mean()) * n / 2
    tested = diebold_mariano(*losses)
    assert tested.error == pytest.approx(np.sqrt(variance / n), rel=1e-10)
    assert tested.pvalue == pytest.approx(
        2 * stats.t.sf(abs(fit.params[0]) / np.sqrt(variance / n), df), rel=1e-9
    )
    assert "8 df" in str(tested.method)


def test_losses_that_cancel_at_low_frequency_keep_a_variance():
    """Differences that are the same backwards have no first cosine, the only one for four."""
    tested = diebold_mariano([1.0, 3, 3, 1], [0.0] * 4)
    assert tested.error == pytest.approx(np.std([1, 3, 3, 1], ddof=1) / 2)
    assert tested.pvalue == pytest.approx(2 * stats.t.sf(2 / tested.error, 1))


@pytest.mark.parametrize("horizon", [None, 1, 2])
def test_one_sided_p_values_are_halves_of_the_two_sided_one(horizon):
    greater, less = (
        diebold_mariano(FIRST, SECOND, horizon=horizon, alternative=side)
        for side in ("greater", "less")
    )
    two_sided = diebold_mariano(FIRST, SECOND, horizon=horizon)
    assert greater.pvalue + less.pvalue == pytest.approx(1, rel=1e-12)
    assert 2 * min(greater.pvalue, less.pvalue) == pytest.approx(two_sided.pvalue, rel=1e-12)
    assert (greater.pvalue < less.pvalue) == (FIRST.mean() > SECOND.mean())
    assert (greater.low, greater.high) == (two_sided.low, two_sided.high)
    assert "greater" in str(greater.method)
    with pytest.raises(SettingError, match="alternative"):
        diebold_mariano(FIRST, SECOND, alternative="larger")


def test_correlated_losses_do_not_inflate_the_level_without_a_horizon():
    """Rates of an autoregression with coefficient 0.5; the paired t test rejects one in four."""
    rng, rejected = np.random.default_rng(4), np.zeros(2)
    for _ in range(400):
        losses = signal.lfilter([1], [1, -0.5], rng.normal(size=150))[50:]
        tests = (diebold_mariano(losses, np.zeros(100), horizon=h) for h in (None, 1))
        rejected += [test.pvalue <= 0.05 for test in tests]
    assert rejected[0] / 400 < 0.09
    assert rejected[1] / 400 > 0.18


def test_impossible_horizons_and_values_are_refused():
    for horizon in (0, 1.5, -2):
        with pytest.raises(SettingError, match="positive whole number"):
            diebold_mariano(FIRST, SECOND, horizon=horizon)
    with pytest.raises(DesignError, match="shorter horizon"):
        diebold_mariano(FIRST, SECOND, horizon=7)
    with pytest.raises(DataError):
        diebold_mariano(FIRST, SECOND[1:])


def test_the_level_depends_on_the_horizon_if_errors_are_correlated():
    rng, rejected = np.random.default_rng(3), np.zeros(2)
    for _ in range(400):
        noise = rng.normal(size=(2, 103))
        errors = sum(
            noise[:, lag : lag + 100] for lag in range(4)
        )  # as of optimal predictions four steps ahead
        rejected += [diebold_mariano(*errors**2, horizon=h).pvalue <= 0.05 for h in (1, 4)]
    assert rejected[0] / 400 > 0.15
    assert 0.03 < rejected[1] / 400 < 0.09


def test_autocovariances_are_those_of_statsmodels():
    expected = sm.tsa.acovf(FIRST, nlag=3, fft=False)
    assert autocovariances(FIRST, 4) == pytest.approx(expected, rel=1e-12)
