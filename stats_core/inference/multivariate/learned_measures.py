"""Discriminant measures: linear combinations of measures that best discriminate between algorithms, and their tests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import linalg

from stats_core.core.errors import DegenerateError, DesignError
from stats_core.core.result_types import Rng
from stats_core.core.validation import check_draws
from stats_core.inference import inference_text
from stats_core.inference.anova import AnovaResult, anova
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multivariate import hotelling, manova
from stats_core.inference.multivariate.hotelling import EffectiveSpace
from stats_core.inference.multivariate.manova import PermutationResult

# measures of which more means worse; the sign of a discriminant measure follows the first there is
_WORSE = ("error", "fp", "fn", "fpr", "fnr")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LearnedMeasures:
    """Linear combinations of measures, from the eigenvectors of E^-1 H.

    Attributes
    ----------
    loadings : DataFrame, measure x component
        Weights of unit length; larger values of a component are worse if an error measure is
        included.
    eigenvalues, shares : Series by component
        Eigenvalues of E^-1 H, and the share of each in their sum.
    scores : array, algorithm x fold x component
        Results of the folds, projected on the components.
    naive : AnovaResult
        Analysis of variance on M1, blocked if `blocked`, as if M1 had not been learned on the same
        folds.
    space : EffectiveSpace
        Effective space of the measures, without collinear directions.
    """

    loadings: pd.DataFrame
    eigenvalues: pd.Series
    shares: pd.Series
    scores: np.ndarray
    naive: AnovaResult
    space: EffectiveSpace


def learned_measures(
    vectors: ArrayLike, names: Sequence[str] = (), *, blocked: bool = True
) -> LearnedMeasures:
    """Return the linear combinations of measures that best discriminate between algorithms (M1, M2 ...).

    Parameters
    ----------
    vectors : array, algorithm x fold x measure
        Results on the same folds, usually of tp, fp, tn and fn.
    names : sequence of str, optional
        The measures.
    blocked : bool
        Whether fold effects are removed from the residuals.

    Returns
    -------
    LearnedMeasures
        As many components as min(dimension, algorithms - 1).

    Raises
    ------
    DataError, DesignError, DegenerateError
        As `manova`; all results are equal.

    Notes
    -----
    Components w_i are uncorrelated within algorithms (w_i' E w_j = 0), not orthogonal; H and E are those of `manova`.
    For collinear measures the loadings of minimum norm on the scaled measures are returned. A test on M1 that ignores
    that M1 was learned on the same folds rejects 0.17 of true null hypotheses with two measures, 0.5 with four: use
    `learned_permutation` or `learned_crossfit`.

    References
    ----------
    Yildiz and Alpaydin, multivariate comparison, section 3.6; Rencher, section 8.4.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> learned_measures(runs, ["tpr", "fpr"]).loadings.shape
    (2, 2)
    """
    values = hotelling.check_vectors(vectors)
    model = manova.manova(values, blocked=blocked, names=names)
    space = model.space
    if not space.dimension:
        raise DegenerateError.of("nothing to learn")
    weights, eigenvalues = _directions(model.h, model.e, space, len(model.eigenvalues))
    weights = _signed(weights, values, space.names)
    components = [f"M{i + 1}" for i in range(weights.shape[1])]
    scores = values @ weights
    total = float(eigenvalues.sum())
    return LearnedMeasures(
        loadings=pd.DataFrame(weights, index=list(space.names), columns=components),
        eigenvalues=pd.Series(eigenvalues, index=components),
        shares=pd.Series(eigenvalues / total if total else eigenvalues, index=components),
        scores=scores,
        naive=anova(pd.DataFrame(scores[:, :, 0].T), blocked=blocked),
        space=space,
    )


def learned_groups(
    learned: LearnedMeasures,
    algorithms: Sequence[str],
    *,
    alpha: float = 0.05,
    correction: str = "holm",
    test_fraction: float | None = None,
    max_df: int | None = None,
) -> list[tuple]:
    """Return the maximal groups of algorithms that do not differ significantly on (M1, M2).

    Pairs are tested by `learned_pairs` at `alpha`; groups are those of `cliques`. Raises
    SettingError for an unknown `correction`, `alpha` or `test_fraction` outside (0, 1) or `max_df`
    below 1, DesignError or DegenerateError as `pairwise_hotelling`.

    Notes
    -----
    The tests ignore that the measures were learned on the same folds, so their type I error rate is inflated.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> learned_groups(learned_measures(runs), ["a", "b", "c"])
    [('a', 'b', 'c')]
    """
    pairs = learned_pairs(
        learned, algorithms, correction=correction, test_fraction=test_fraction, max_df=max_df
    )
    return cliques(pairs, alpha)


def learned_pairs(
    learned: LearnedMeasures,
    algorithms: Sequence[str],
    *,
    correction: str = "holm",
    test_fraction: float | None = None,
    max_df: int | None = None,
) -> pd.DataFrame:
    """Return the adjusted p-values of `pairwise_hotelling` on (M1, M2), or on M1 if it is the only component."""
    scores = learned.scores[:, :, :2]
    raw = hotelling.pairwise_hotelling(
        scores, algorithms, test_fraction=test_fraction, max_df=max_df
    )
    return adjust.adjust_by_nearest(raw.pvalues, correction)


def learned_permutation(
    vectors: ArrayLike, names: Sequence[str] = (), *, draws: int = 1999, rng: Rng = 0
) -> PermutationResult:
    """Permutation test of the first discriminant measure (M1), refitted after each random permutation within folds.

    `vectors` are algorithm x fold x measure. Each of `draws` permutations exchanges the algorithms
    of each fold at random. The statistic is the largest eigenvalue of E^-1 H, with the folds as
    blocks. Raises SettingError for `draws` below 1, DataError or DesignError for `vectors` of
    another shape or not finite, DegenerateError if the results of all algorithms are equal.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> 0.05 < learned_permutation(runs, draws=199).pvalue < 1
    True
    """
    check_draws(draws)
    values = hotelling.check_vectors(vectors)
    space = hotelling.effective_space(values, names)
    if not space.dimension:
        raise DegenerateError.of("nothing to learn")
    a, n, _ = values.shape
    points = space.coordinates(values - values.mean(axis=0)).transpose(1, 0, 2)
    scatter = manova.permuted_scatter(points)

    def largest(orders: np.ndarray) -> np.ndarray:
        share = np.clip(np.linalg.eigvalsh(scatter(orders))[:, -1], 0, 1 - 1e-12)
        return share / (1 - share)

    observed = float(largest(np.arange(a)[None, None, :].repeat(n, axis=1))[0])
    permuted = np.concatenate(
        [largest(o) for o in manova.shuffle_orders(a, n, draws, rng, exact=False)]
    )
    return manova.shuffle_outcome(
        observed,
        permuted,
        exact=False,
        about=f"{a} algorithms on {n} folds",
        n=n,
        kind=inference_text("method.relearned"),
    )


def learned_crossfit(
    vectors: ArrayLike,
    names: Sequence[str] = (),
    *,
    test_fraction: float | None = None,
    max_df: int | None = None,
) -> AnovaResult:
    """Cross-fitted test of M1: project each fold on loadings fitted on the other folds.

    `vectors` are algorithm x fold x measure, with two or more algorithms and three or more folds,
    otherwise DesignError is raised; DataError for another shape or values that are not finite,
    DegenerateError if algorithms do not differ or residuals do not vary in every direction.
    `test_fraction` and `max_df` are as in `anova`, whose F of the projections, blocked by fold, is
    returned.

    Notes
    -----
    Directions of different folds are scaled alike (unit residual variance) and turned to agree
    with the direction learned from all.

    Examples
    --------
    >>> import numpy as np
    >>> runs = np.random.default_rng(1).normal(size=(3, 10, 2))
    >>> learned_crossfit(runs).df
    (2, 18)
    """
    values = hotelling.check_vectors(vectors)
    n = values.shape[1]
    if n < 3:
        raise DesignError.of("cross-fitting needs folds", n=n)
    space = hotelling.effective_space(values, names)
    if not space.dimension:
        raise DegenerateError.of("nothing to learn")
    points = space.coordinates(values)
    direction = _first(points)
    projected = np.empty(values.shape[:2])
    for fold in range(n):
        others = np.delete(points, fold, axis=1)
        w = _first(others)
        projected[:, fold] = points[:, fold] @ (w if w @ direction >= 0 else -w)
    return anova(pd.DataFrame(projected.T), test_fraction=test_fraction, max_df=max_df)


def _first(points: np.ndarray) -> np.ndarray:
    """Return the first discriminant direction, of residual variance 1; DegenerateError if a direction has none."""
    centred = points - points.mean(axis=0)
    means = centred.mean(axis=1)
    residuals = (centred - means[:, None]).reshape(-1, points.shape[2])
    df = (points.shape[0] - 1) * (points.shape[1] - 1)
    e = residuals.T @ residuals / df
    if np.linalg.eigvalsh(e)[0] <= 1e-20:
        raise DegenerateError.of("Residuals must vary in every direction")
    _, axes = linalg.eigh(means.T @ means, e)
    return axes[:, -1]


def _directions(
    h: np.ndarray, e: np.ndarray, space: EffectiveSpace, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return unit-length loadings on the original measures, and eigenvalues, largest first."""
    values, axes = linalg.eigh(h, e)
    weights = space.basis @ axes[:, ::-1][:, :count]
    return weights / np.linalg.norm(weights, axis=0), np.clip(values[::-1][:count], 0, None)


def _signed(weights: np.ndarray, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """Return loadings signed to correlate positively with the errors; if impossible, the largest is positive."""
    flat = values.reshape(-1, values.shape[2])
    worse = [i for i, name in enumerate(names) if name in _WORSE]
    if {"fp", "fn"} <= set(names):
        target = flat[:, names.index("fp")] + flat[:, names.index("fn")]
    else:
        target = flat[:, worse[0]] if worse else None
    turned = weights.copy()
    for component in range(weights.shape[1]):
        w = weights[:, component]
        if target is not None and target.std() > 0 and (flat @ w).std() > 0:
            sign = np.sign(np.corrcoef(flat @ w, target)[0, 1]) or 1.0
        else:
            sign = np.sign(w[np.abs(w).argmax()])
        turned[:, component] = sign * w
    return turned
