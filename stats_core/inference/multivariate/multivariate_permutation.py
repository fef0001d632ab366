"""Permutation tests on several measures: sign flips for two algorithms, shuffles within folds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import SettingError
from stats_core.core.messages import message
from stats_core.core.result_types import Method, TestResult
from stats_core.inference.multivariate.rank_deficiency import check_vectors, effective_space

_IDENTICAL = message("nothing to test", who="All", have="have the same results on every measure")
_BLOCK = 2000  # arrangements at a time, to bound memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PermutationResult(TestResult):
    """Result of a permutation test.

    Attributes
    ----------
    arrangements : int
        How many were tried, the observed one included.
    exact : bool
        Whether those were all.
    low, high : float
        95% Clopper-Pearson interval of the p-value that all arrangements would give.
    """

    arrangements: int
    exact: bool
    low: float
    high: float


def shuffled_hotelling(
    x: ArrayLike, y: ArrayLike, *, draws: int = 9999, seed: int = 0, names: Sequence[str] = ()
) -> PermutationResult:
    """Do two algorithms differ on several measures? Permutation test by sign flips.

    Notes
    -----
    Does without normality, not without independent folds: overlapping training sets make it
    reject too easily, as they do T2.

    References
    ----------
    Pesarin and Salmaso, Permutation Tests for Complex Data, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).normal(size=(8, 2))
    >>> shuffled_hotelling(x + 2, np.zeros((8, 2))).pvalue
    0.0078125
    """
    check_draws(draws)
    values = check_vectors(np.stack([np.asarray(x, dtype=float), np.asarray(y, dtype=float)]))
    space = effective_space(values, names)
    d = space.coordinates(values[0] - values[1])
    n = len(d)
    exact = 2**n <= draws + 1
    if not space.dimension:
        return shuffle_outcome(0.0, np.zeros(1), exact=True, about="paired differences", n=n, kind="")
    inverse = np.linalg.pinv(d.T @ d)

    def statistic(signs: np.ndarray) -> np.ndarray:
        means = signs @ d / n
        return (means @ inverse * means).sum(axis=1)

    observed = float(statistic(np.ones((1, n)))[0])
    if exact:
        choices = np.arange(2**n)[:, None] >> np.arange(n) & 1
        permuted = statistic(2.0 * choices - 1)
    else:
        rng = np.random.default_rng(seed)
        signs = rng.integers(0, 2, size=(draws, n), dtype=np.int8)
        permuted = statistic(2.0 * signs - 1)
    return shuffle_outcome(observed, permuted, exact=exact, about=f"{n} paired differences", n=n, kind="sign choices")


def shuffled_manova(
    vectors: ArrayLike, *, draws: int = 9999, seed: int = 0, names: Sequence[str] = ()
) -> PermutationResult:
    """Do several algorithms differ on several measures? Permutation test within folds.

    Notes
    -----
    Tests that algorithms are exchangeable within folds, not equal means alone. Does without
    normality, not without independent folds.

    References
    ----------
    Anderson, Austral Ecol. 26 (2001) 32.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 8, 2))
    >>> shuffled_manova(runs, draws=199).arrangements
    200
    """
    check_draws(draws)
    values = check_vectors(vectors)
    space = effective_space(values, names)
    a, n, _ = values.shape
    about = f"{a} algorithms on {n} folds"
    if not space.dimension:
        return shuffle_outcome(0.0, np.zeros(1), exact=True, about=about, n=n, kind="")
    points = space.coordinates(values - values.mean(axis=0)).transpose(1, 0, 2)  # fold, alg, p
    statistic = _wilks_of(points)
    observed = float(statistic(np.arange(a)[None, None, :].repeat(n, axis=1))[0])
    exact = factorial(a) ** n <= draws + 1
    permuted = np.concatenate([statistic(order) for order in shuffle_orders(a, n, draws, seed, exact=exact)])
    return shuffle_outcome(observed, permuted, exact=exact, about=about, n=n, kind="shuffles within folds")


def _wilks_of(points: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from orders (draw x fold x algorithm) to -ln Wilks."""
    n, a, p = points.shape
    flat = points.reshape(n * a, p)
    # coordinates in which the total within-fold scatter is the unit matrix
    values, axes = np.linalg.eigh(flat.T @ flat)
    white = points @ (axes / np.sqrt(values))
    offsets = (np.arange(n) * a)[None, :, None]
    pool = white.reshape(n * a, p)

    def statistic(orders: np.ndarray) -> np.ndarray:
        means = pool[orders + offsets].mean(axis=1)
        h = n * np.einsum("dap,daq->dpq", means, means)
        inside = np.clip(np.linalg.eigvalsh(np.eye(p) - h), 1e-300, None)
        return -np.log(inside).sum(axis=1)

    return statistic


def shuffle_orders(a: int, n: int, draws: int, seed: int, *, exact: bool) -> Iterator[np.ndarray]:
    """Yield batches of permutations of the algorithms within folds."""
    if exact:
        all_orders = np.array(list(permutations(range(a))))
        indices = np.indices((len(all_orders),) * n).reshape(n, -1).T
        yield all_orders[indices]
        return
    rng = np.random.default_rng(seed)
    for start in range(0, draws, _BLOCK):
        size = min(_BLOCK, draws - start)
        yield rng.random((size, n, a)).argsort(axis=2)


def check_draws(draws: int) -> None:
    """Refuse a number of draws below one."""
    if draws < 1:
        raise SettingError(f"`draws` must be at least 1. It is {draws!r}. Try 9999.")


def shuffle_outcome(
    observed: float, found: np.ndarray, *, exact: bool, about: str, n: int, kind: str
) -> PermutationResult:
    """Compare an observed statistic with its permutation distribution."""
    hits = int((found >= observed - 1e-9 * max(1.0, abs(observed))).sum())
    total = len(found) if exact else len(found) + 1
    hits = hits if exact else hits + 1
    pvalue = hits / total
    low = high = pvalue
    if not exact:
        low = float(stats.beta.ppf(0.025, hits, total - hits + 1))
        high = float(stats.beta.ppf(0.975, hits + 1, total - hits)) if hits < total else 1.0
    how = f"{'all' if exact else 'random'} {total:,} {kind or 'arrangements'}"
    return PermutationResult(
        about=about,
        statistic=observed,
        pvalue=pvalue,
        method=Method("permutation test", (how,), exact=exact),
        n=n,
        warnings=() if kind else (_IDENTICAL,),
        arrangements=total,
        exact=exact,
        low=low,
        high=high,
    )
