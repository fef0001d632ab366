"""Vectorized tests on folds for many samples, checked against `stats_core`.

Samples are arrays sample x result x algorithm (x measure, if there are several); differences of two
algorithms are sample x result.
"""

from collections.abc import Iterable

import numpy as np
from scipy import stats

from stats_core.inference.distributions import studentized_range_isf

ALPHA = 0.05
MAX_DF = 9  # largest degrees of freedom of the conservative tests
_FLAT = 1e-12  # spread or eigenvalue below which results do not vary


def check(what: str, ours: Iterable, theirs: Iterable) -> None:
    """Exit if the numbers differ from the library's."""
    if not np.allclose(np.asarray(ours, float), np.asarray(theirs, float), atol=1e-6):
        raise SystemExit(f"{what}: the simulation and stats_core disagree")


def pair_differences(x: np.ndarray) -> np.ndarray:
    """Return the differences of every pair, sample x pair x result."""
    first, second = np.triu_indices(x.shape[2], 1)
    return (x[..., first] - x[..., second]).swapaxes(1, 2)


def t_pvalues(d: np.ndarray, df: int, factor: float = 1.0) -> np.ndarray:
    """Return two-sided p-values of the (corrected) paired t test, 1 without variance; results are the last axis."""
    spread = d.std(axis=-1, ddof=1)
    varies = spread > _FLAT
    error = np.where(varies, spread, 1.0) * np.sqrt(factor / d.shape[-1])
    return np.where(varies, 2 * stats.t.sf(np.abs(d.mean(axis=-1)) / error, df), 1.0)


def sign_flip_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of the sign-flip test over all sign choices."""
    choices = np.arange(2 ** d.shape[1])[:, None] >> np.arange(d.shape[1]) & 1
    sums = np.abs(d @ (2.0 * choices - 1).T)
    return (sums >= np.abs(d.sum(axis=1))[:, None] - 1e-9).mean(axis=1)


def wilcoxon_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided exact p-values of the signed-rank test, without ties."""
    return stats.wilcoxon(d, axis=1, method="exact").pvalue


def sign_pvalues(d: np.ndarray) -> np.ndarray:
    """Return two-sided p-values of the sign test, without ties."""
    wins = (d > 0).sum(axis=1)
    most = np.maximum(wins, d.shape[1] - wins)
    return np.minimum(1, 2 * stats.binom.sf(most - 1, d.shape[1], 0.5))


def five_by_two(d: np.ndarray) -> dict[str, np.ndarray]:
    """Return the p-values of the three 5x2 tests, 1 without variance; the last axis has ten results."""
    variances = d.reshape(*d.shape[:-1], 5, 2).var(axis=-1) * 2
    within = variances.sum(axis=-1)
    varies = within > 0
    within = np.where(varies, within, 1)
    scale = np.sqrt(within / 5)
    pvalues = {
        "5x2 cv t": 2 * stats.t.sf(np.abs(d[..., 0]) / scale, 5),
        "5x2 cv F": stats.f.sf((d**2).sum(axis=-1) / (2 * within), 10, 5),
        "combined 5x2 cv t": 2 * stats.t.sf(np.abs(d.mean(axis=-1)) * np.sqrt(10) / scale, 5),
    }
    return {name: np.where(varies, p, 1.0) for name, p in pvalues.items()}


def anova_f(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, tuple[int, int]]:
    """Return F of the blocked analysis of variance, the residual mean square and the degrees of freedom."""
    _, n, a = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    grand = x.mean(axis=(1, 2), keepdims=True)
    error = ((x - means - folds + grand) ** 2).sum(axis=(1, 2)) / ((a - 1) * (n - 1))
    effect = n * ((means - grand) ** 2).sum(axis=(1, 2)) / (a - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return effect / error, error, (a - 1, (a - 1) * (n - 1))


def tukey_rejects(
    x: np.ndarray, df: int, factor: float, true: slice | np.ndarray = slice(None)
) -> np.ndarray:
    """Return whether Tukey's test rejects any of the pairs `true`, per sample."""
    first, second = (side[true] for side in np.triu_indices(x.shape[2], 1))
    means = x.mean(axis=1)
    reach = np.abs(means[:, first] - means[:, second]).max(axis=1)
    return reach > studentized_range_isf(ALPHA, x.shape[2], df) * np.sqrt(
        anova_f(x)[1] / x.shape[1] * factor
    )


def hotelling_pvalues(d: np.ndarray, df: int, factor: float = 1.0) -> np.ndarray:
    """Return the p-values of Hotelling's paired T2, 1 for a singular covariance; d is sample x result x measure."""
    _, n, p = d.shape
    mean = d.mean(axis=1)
    centred = d - mean[:, None]
    scatter = centred.swapaxes(1, 2) @ centred / (n - 1)
    varies = np.linalg.eigvalsh(scatter)[:, 0] > _FLAT
    pvalues = np.ones(len(d))
    weights = np.linalg.solve(scatter[varies], mean[varies][:, :, None])[:, :, 0]
    t2 = n * (mean[varies] * weights).sum(axis=1) / factor
    pvalues[varies] = stats.f.sf((df + 1 - p) / (p * df) * t2, p, df + 1 - p)
    return pvalues


def manova_pvalues(x: np.ndarray, df: int, factor: float = 1.0) -> np.ndarray:
    """Return p-values of blocked MANOVA on two measures by Wilks' lambda (exact F), 1 for collinear residuals."""
    samples, n, a, p = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    grand = x.mean(axis=(1, 2), keepdims=True)
    residuals, effects = (x - means - folds + grand).reshape(samples, -1, p), (means - grand)[:, 0]
    e = residuals.swapaxes(1, 2) @ residuals / ((a - 1) * (n - 1)) * df
    h = n * effects.swapaxes(1, 2) @ effects
    varies = np.linalg.eigvalsh(e)[:, 0] > _FLAT
    roots = np.linalg.eigvals(np.linalg.solve(e[varies], h[varies])).real.clip(0) / factor
    root = np.sqrt(1 / (1 + roots).prod(axis=1))
    df1, df2 = p * (a - 1), 2 * (df - 1)
    pvalues = np.ones(samples)
    pvalues[varies] = stats.f.sf((1 - root) / root * df2 / df1, df1, df2)
    return pvalues
