"""Tail probabilities of the studentized range and of F, and quantiles of the studentized range."""

import math
from collections.abc import Sequence
from functools import lru_cache
from math import nan

import numpy as np
from scipy import fft, optimize, special, stats

_LEAST_TAIL = 1e-150  # so that the square of its quantile of t with 1 df is finite
_SCALES = 96  # nodes of the two integrals
_PLACES = 160
_TURN = 5.0  # q / (q + 5) takes all q into [0, 1], half of them the usual ones
_BLOCK = 256  # values at a time, to bound memory
_CELLS = 20_000  # number of nodes times values at a time


def studentized_range_sf(q: np.ndarray, k: int, df: int) -> np.ndarray:
    """Return P(Q > q) of the studentized range of k means with df error degrees of freedom.

    Notes
    -----
    P(Q <= q) is the mean of W(q s) over s^2 ~ chi-square(df) / df. W(w) is the distribution function of the
    range of k standard normal values: k times the integral over z of phi(z) (Phi(z) - Phi(z - w))^(k-1). Both
    integrals are computed by Gauss-Legendre quadrature. If `q` has more values than a Chebyshev series in
    q / (q + 5) has terms, the probabilities are computed from that series, with an error below 1e-12.

    Examples
    --------
    >>> studentized_range_sf(np.array([3.5]), 3, 20).round(6).tolist()
    [0.055892]
    """
    q = np.asarray(q, dtype=float)
    if len(q) <= _terms(k):
        return integrated_sf(q, k, df)
    turned = np.divide(q, q + _TURN, out=np.ones_like(q), where=np.isfinite(q))
    tail = np.polynomial.chebyshev.chebval(2 * turned - 1, _series(k, df))
    return np.clip(tail, 0, 1)


def integrated_sf(q: np.ndarray, k: int, df: int) -> np.ndarray:
    """Return `studentized_range_sf` by numerical integration at each q, without interpolation.

    Examples
    --------
    >>> integrated_sf(np.array([3.5]), 3, 20).round(6).tolist()
    [0.055892]
    """
    nodes, weights = _scales(df)
    n_blocks = max(1, math.ceil(len(q) / _BLOCK))
    inside = []
    for block in np.array_split(q, n_blocks):
        inside.append(_range_cdf(np.outer(block, nodes), k) @ weights)
    return np.clip(1 - np.concatenate(inside), 0, 1)


def _terms(k: int) -> int:
    return max(256, 2 * k)  # the law of more means is steeper


@lru_cache(maxsize=64)
def _series(k: int, df: int) -> np.ndarray:
    """Return the Chebyshev coefficients of P(Q > q) as a function of q / (q + 5)."""
    n_terms = _terms(k)
    angles = np.pi * (np.arange(n_terms) + 0.5) / n_terms
    turned = (np.cos(angles) + 1) / 2
    q = _TURN * turned / (1 - turned)
    series = fft.dct(integrated_sf(q, k, df)) / n_terms
    series[0] /= 2
    return series


@lru_cache(maxsize=256)
def studentized_range_isf(p: float, k: int, df: int) -> float:
    """Return the q for which P(Q > q) = p.

    Examples
    --------
    >>> round(studentized_range_isf(0.05, 3, 20), 4)
    3.5779
    """

    def excess(q: float) -> float:
        return float(studentized_range_sf(np.array([q]), k, df)[0]) - p

    high = 8.0
    while excess(high) > 0:
        high *= 2
    return float(optimize.brentq(excess, 0, high, xtol=1e-12))


@lru_cache(maxsize=256)
def _scales(df: int) -> tuple[np.ndarray, np.ndarray]:
    """Return quadrature nodes and weights for the distribution of sqrt(chi-square(df) / df)."""
    chi2 = stats.chi2(df)
    low = np.sqrt(chi2.ppf(1e-17) / df)
    high = np.sqrt(chi2.isf(1e-17) / df)
    nodes, node_weights = _legendre(low, high, _SCALES)
    density = np.exp(chi2.logpdf(df * nodes**2)) * 2 * df * nodes
    weights = node_weights * density
    return nodes, weights / weights.sum()


def _range_cdf(w: np.ndarray, k: int) -> np.ndarray:
    """Return P(range of k standard normal values <= w)."""
    z, weights = _legendre(-8.5, 8.5, _PLACES)
    density = weights * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    upper = special.ndtr(z)
    total = np.zeros_like(w)
    at_once = max(1, _CELLS // w.size)
    for begin in range(0, len(z), at_once):
        part = slice(begin, begin + at_once)
        within = upper[part, None, None] - special.ndtr(z[part, None, None] - w)
        total += (density[part, None, None] * within ** (k - 1)).sum(axis=0)
    return k * total


@lru_cache(maxsize=256)
def _legendre(low: float, high: float, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and weights of the Gauss-Legendre quadrature between two limits."""
    x, weights = np.polynomial.legendre.leggauss(nodes)
    half = (high - low) / 2
    return low + half * (x + 1), weights * half


def f_tail(statistic: float, df1: float, df2: float) -> float:
    """Return P(F > statistic); NaN if `df2` is not positive.

    Examples
    --------
    >>> round(f_tail(4.0, 2, 10), 4)
    0.0529
    """
    if df2 <= 0:
        return nan
    return float(special.fdtrc(df1, df2, max(statistic, 0.0)))


def summed_t_isf(tail: float, variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Return the critical value of an estimate divided by the root of a sum of estimated variances.

    `tail` is the level of one side, at most 1/2; variance i has dfs[i] degrees of freedom.

    Notes
    -----
    c^2 is the mean of the squared quantiles of t with the df of each variance, weighted by the
    variances. For normal estimates the level is at most 2 `tail`, whatever the true variances
    (Banerjee 1960): the distribution function of a squared normal value is concave, so that of a
    mean is at least the mean of those. Satterthwaite's df do not hold the level if a variance with
    few df dominates.

    Examples
    --------
    >>> [round(summed_t_isf(0.025, [1.0, runs], [9, 1]), 3) for runs in (0.0, 1.0)]
    [2.262, 9.126]
    """
    parts = np.asarray(variances, dtype=float)
    is_used = parts > 0
    quantiles = special.stdtrit(np.asarray(dfs, dtype=float)[is_used], tail)
    mean_square = parts[is_used] @ quantiles**2 / parts.sum()
    return float(np.sqrt(mean_square))


def summed_t_sf(t: float, variances: Sequence[float], dfs: Sequence[float]) -> float:
    """Return the smallest `tail` whose `summed_t_isf` is at most t; for t < 0, 1 minus that of -t.

    Examples
    --------
    >>> [round(2 * summed_t_sf(t, [1.0, runs], [9, 1]), 3) for t, runs in ((2.2622, 0), (9.126, 1))]
    [0.05, 0.05]
    """
    if t < 0:
        return 1 - summed_t_sf(-t, variances, dfs)
    used = [df for variance, df in zip(variances, dfs, strict=True) if variance > 0]
    least = float(special.stdtr(max(used), -t))
    most = float(special.stdtr(min(used), -t))
    if least == most:
        return most

    def excess(log_tail: float) -> float:
        return summed_t_isf(float(np.exp(log_tail)), variances, dfs) - t

    low = np.log(max(least, _LEAST_TAIL))
    high = np.log(most)
    if excess(low) <= 0:
        return least
    if excess(high) >= 0:  # by rounding
        return most
    log_tail = optimize.brentq(excess, low, high, xtol=1e-14, rtol=1e-14)
    return float(np.exp(log_tail))
