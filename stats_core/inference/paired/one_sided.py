"""One-sided tests of paired differences, for many rows at once."""

from collections.abc import Callable
from math import sqrt

import numpy as np
from scipy import special

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.validation import check_one_of
from stats_core.inference.paired.cv52 import FIVE_BY_TWO
from stats_core.inference.paired.t_tests import CONSERVATIVE, PUBLISHED, corrected_df, overlap_factor

_NOISE = 1e-12  # as `core.checks.near_nothing`


def one_sided(
    differences: np.ndarray, test: str, *, test_fraction: float | None = None, undivided: bool = False
) -> np.ndarray:
    """Is the mean difference greater than 0? One p-value for each row of differences.

    Notes
    -----
    All differences zero: p = 1. No variation to test against but a difference: p is the limit, 0
    if it is above zero and 1 if it is below, where the tests of two algorithms refuse. Noise up
    to 1e-12 counts as zero, relative to the largest difference if that exceeds 1.

    References
    ----------
    Yildiz and Alpaydin 2006; Alpaydin, Neural Comput. 11 (1999) 1885; Nadeau and Bengio 2003.

    Examples
    --------
    >>> import numpy as np
    >>> one_sided(np.array([[1.0, 2, 3, 1], [-1, -2, -3, -1]]), "paired t").round(4)
    array([0.0177, 0.9823])
    """
    check_one_of(test, ONE_SIDED, "test")
    differences = np.asarray(differences, dtype=float)
    _check(differences.shape, test, test_fraction, undivided)
    size = np.abs(differences).max(axis=-1)
    noise = _NOISE * np.maximum(1, size)
    pvalues = ONE_SIDED[test](differences, noise, test_fraction)
    if undivided:  # twice the half is the two-sided p again
        pvalues = np.where(pvalues >= 0.5, 1.0, 2 * pvalues)
    return np.where(size <= noise, 1.0, pvalues)


def _check(shape: tuple[int, ...], test: str, fraction: float | None, undivided: bool) -> None:
    if test in (PUBLISHED, CONSERVATIVE) and fraction is None:
        raise SettingError(
            "The corrected t test needs the share of cases that is tested. `test_fraction` is "
            "None. Give it, 0.1 for ten folds, or use the paired t test."
        )
    if undivided and test != "5x2 cv F":
        raise SettingError(
            f"Only the 5x2 cv F test has an undivided form. The test is {test}. Leave `undivided` False."
        )
    n_results = shape[-1] if shape else 0
    if test in FIVE_BY_TWO and n_results != 10:
        raise DesignError(f"The 5x2 tests need ten differences. There are {n_results}. Use a t test on the folds.")
    if n_results < 2:
        raise DesignError(
            f"A test on folds needs at least 2 of them. There are {n_results}. "
            "Upload the result of every fold, not their average."
        )


def _folds_t(differences: np.ndarray, noise: np.ndarray, fraction: float | None, df: int | None = None) -> np.ndarray:
    """Return p of the t test on folds, corrected for overlap if there is a fraction."""
    n = differences.shape[-1]
    mean = differences.mean(axis=-1)
    residuals = differences - mean[..., None]
    constant = np.abs(residuals).max(axis=-1) <= noise
    squares = np.einsum("...j,...j->...", residuals, residuals)
    error = np.sqrt(squares * (overlap_factor(n, fraction) / (n * (n - 1))))
    return _upper_t(mean, error, n - 1 if df is None else df, constant)


def _conservative_t(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    n = differences.shape[-1]
    return _folds_t(differences, noise, fraction, corrected_df(n, n - 1))


def _paired_t(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    return _folds_t(differences, noise, None)


def _first_t(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    """Return p of Dietterich's 5x2 cv t test: the first difference decides."""
    variances, constant = _halves(differences, noise)
    return _upper_t(differences[..., 0], np.sqrt(variances / 5), 5, constant)


def _combined_t(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    variances, constant = _halves(differences, noise)
    return _upper_t(sqrt(10) * differences.mean(axis=-1), np.sqrt(variances / 5), 5, constant)


def _cv52_f(differences: np.ndarray, noise: np.ndarray, fraction: float | None) -> np.ndarray:
    """Return half of p of the F test on the side of the mean, 1 minus it on the other."""
    variances, constant = _halves(differences, noise)
    squares = np.einsum("...j,...j->...", differences, differences)
    f = np.divide(squares, 2 * variances, out=np.full_like(squares, np.inf), where=~constant)
    half = special.fdtrc(10, 5, f) / 2
    mean = differences.mean(axis=-1)
    return np.where(np.abs(mean) <= noise, 0.5, np.where(mean < 0, 1 - half, half))


def _halves(differences: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of the five variances, and the rows without any variance."""
    apart = differences[..., 0::2] - differences[..., 1::2]
    return np.einsum("...i,...i->...", apart, apart) / 2, np.abs(apart).max(axis=-1) <= noise


def _upper_t(estimate: np.ndarray, error: np.ndarray, df: int, constant: np.ndarray) -> np.ndarray:
    """Return P(T > estimate / error), or its limit without variation."""
    t = np.divide(estimate, error, out=np.zeros_like(estimate), where=~constant)
    return np.where(constant, 0.5 - 0.5 * np.sign(estimate), special.stdtr(df, -t))


ONE_SIDED: dict[str, Callable[[np.ndarray, np.ndarray, float | None], np.ndarray]] = {
    "paired t": _paired_t,
    PUBLISHED: _folds_t,
    CONSERVATIVE: _conservative_t,
    "5x2 cv F": _cv52_f,
    "5x2 cv t": _first_t,
    "combined 5x2 cv t": _combined_t,
}
