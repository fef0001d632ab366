"""The Diebold-Mariano test, against R's forecast 8.20 (numbers printed by dm.test) and statsmodels' HAC variances."""

import numpy as np
import pytest
import statsmodels.api as sm

from stats_core.core.errors import DataError, DesignError, SettingError
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
    found, t = diebold_mariano(FIRST**2, SECOND**2), paired_t(FIRST**2, SECOND**2)
    assert (found.statistic, found.pvalue, found.low, found.high) == pytest.approx(
        (t.statistic, t.pvalue, t.low, t.high), rel=1e-12
    )


def test_equal_and_shifted_losses_have_defined_results():
    same, shifted = diebold_mariano(FIRST, FIRST), diebold_mariano(FIRST + 1, FIRST)
    assert (same.pvalue, same.statistic, len(same.warnings)) == (1, 0, 1)
    assert (shifted.pvalue, shifted.statistic, shifted.low) == (0, np.inf, pytest.approx(1))


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
