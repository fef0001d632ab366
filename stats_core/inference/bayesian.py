"""Bayesian tests of two algorithms with a region of practical equivalence.

Both tests follow the definitions of the library baycomp, whose numbers they are checked against.
Foldwise does not use baycomp, which requires matplotlib and leaves degenerate results undefined.
"""

from dataclasses import dataclass
from math import sqrt
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core import validation
from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.messages import Message
from stats_core.core.result_types import scalar_frame
from stats_core.inference import inference_text
from stats_core.inference.paired import t_tests

_PRIOR_WEIGHT = 0.5  # of one imagined data set without a difference
_LEAST = 1.0  # size of the results, if their differences are smaller
NOISE = 1e-12  # sums of differences this close to an end of the region are floating point noise
_BLOCK = 2_000_000  # random weights at a time, to bound memory


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorResult:
    """Posterior probabilities of a difference below, inside and above the equivalence region.

    Attributes
    ----------
    about : str
        Description of the differences.
    left, rope, right : float
        Probability that the difference lies below, inside and above the region of practical
        equivalence; for the signed-rank test, the share of draws in which this part has the largest
        of the `shares`. They sum to 1.
    half_width : float
        Half-width of the region of practical equivalence.
    estimate : float
        Mean difference on folds, median difference over data sets.
    method : str
        The model, and how the probabilities were computed.
    n : int
        Number of differences.
    warnings : tuple of Message
        Cautions on the result.
    """

    about: str
    left: float
    rope: float
    right: float
    half_width: float
    estimate: float
    method: str
    n: int
    warnings: tuple[Message, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """Return the scalar fields as a table of one row."""
        return scalar_frame(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CorrelatedTResult(PosteriorResult):
    """Posterior of a mean difference, Student t with location `estimate`.

    Attributes
    ----------
    scale : float
        Scale of the distribution, 0 if all differences are zero.
    df : int
        Degrees of freedom.
    """

    scale: float
    df: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SignedRankResult(PosteriorResult):
    """Result of the Bayesian signed-rank test.

    Attributes
    ----------
    shares : array, draw x 3
        In each draw, the weighted share of pairs of data sets whose mean difference lies below,
        inside and above the region: the points of the triangle plot.
    draws, seed : int
        Number of posterior draws, and random seed.
    """

    shares: np.ndarray
    draws: int
    seed: int


def correlated_t(
    differences: ArrayLike, *, rope: float, test_fraction: float | None, max_df: int | None = None
) -> CorrelatedTResult:
    """Bayesian correlated t test: posterior probability of a mean difference below, inside and above the ROPE.

    `differences` are those of one pair on each of J folds, `rope` is the half-width of the region,
    0 or more, `test_fraction` is the share f of instances in a test set (None: no correction for
    overlap), `max_df` the largest degrees of freedom (None: J - 1). Raises DataError for
    differences that are not finite or not one-dimensional, DesignError for fewer than two,
    DegenerateError if all are equal but not zero, SettingError for an invalid `rope`,
    `test_fraction` or `max_df`.

    Notes
    -----
    The posterior of the mean difference is Student t, located at the mean of the differences, with scale
    sqrt((1/J + f/(1 - f)) s^2), where s^2 is their variance, and min(J - 1, `max_df`) df. The prior is
    flat, so with `rope` 0 the smaller tail is the one-sided p of `corrected_t` with the same `max_df`.
    If all differences are zero, the posterior probability of the ROPE is 1, with a warning.

    References
    ----------
    Corani and Benavoli, Mach. Learn. 100 (2015) 285; Benavoli et al., JMLR 18(77) (2017).

    Examples
    --------
    >>> outcome = correlated_t([0.02, 0.01, 0.04, 0.03], rope=0.01, test_fraction=0.25)
    >>> round(outcome.right, 3)
    0.887
    """
    values = _check_differences(differences, rope)
    n = validation.check_results(len(values))
    df = t_tests.at_most(n - 1, max_df)
    varies = validation.differences_vary(values, values, _LEAST)
    unit = validation.unit_of(values)
    scale = unit * sqrt((values / unit).var(ddof=1) / n * t_tests.overlap_factor(n, test_fraction))
    estimate = float(values.mean())
    left = 0.0
    right = 0.0
    if varies:
        left = float(stats.t.cdf((-rope - estimate) / scale, df))
        right = float(stats.t.sf((rope - estimate) / scale, df))
    overlap = (
        "no overlap correction" if test_fraction is None else f"test fraction {test_fraction:g}"
    )
    return CorrelatedTResult(
        about=inference_text("about.mean_difference"),
        left=left,
        rope=max(0.0, 1 - left - right),
        right=right,
        half_width=float(rope),
        estimate=estimate,
        method=inference_text("method.correlated_t", df=df, overlap=overlap),
        n=n,
        warnings=() if varies else (validation.IDENTICAL,),
        scale=scale,
        df=df,
    )


def bayesian_signed_rank(
    differences: ArrayLike, *, rope: float, seed: int = 0, draws: int = 50_000
) -> SignedRankResult:
    """Bayesian signed-rank test: posterior probabilities that the difference is below, inside or above the ROPE.

    `differences` are those of one pair on each of two or more data sets, otherwise DesignError is
    raised; DataError if they are not finite or not one-dimensional. `rope` is the half-width of the
    region of practical equivalence, 0 or more. SettingError is raised for an invalid `rope` or
    `draws` below 1.

    Notes
    -----
    The prior adds a pseudo-observation z_0 = 0 to the N differences z_i. Each draw gives them Dirichlet
    weights w_i with parameters (1/2, 1, ..., 1); theta_left is the sum of w_i w_j over pairs with
    z_i + z_j < -2 rope, and theta_right and theta_rope are defined likewise. Each probability is the share of
    draws in which its theta is the largest. A pair on the boundary counts as inside; baycomp splits such
    pairs. With `rope` 0 only exact ties are inside. If all differences are 0, the posterior probability of the ROPE
    is 1, with a warning. The result does not depend on the order of the data sets.

    References
    ----------
    Benavoli et al., ICML 2014; Benavoli et al., JMLR 18(77) (2017).

    Examples
    --------
    >>> outcome = bayesian_signed_rank([0.03, 0.05, 0.02, 0.06, -0.01, 0.04], rope=0.01)
    >>> outcome.right > 0.9, outcome.draws, outcome.seed
    (True, 50000, 0)
    """
    values = np.sort(_check_differences(differences, rope))
    validation.check_draws(draws, usual=50000)
    n = len(values)
    if n < 2:
        raise DesignError.of("A test over data sets needs 2 data sets, not folds", n=n)
    shares = _draw_shares(values, float(rope), seed, draws)
    left, inside, right = np.bincount(shares.argmax(axis=1), minlength=3) / draws
    return SignedRankResult(
        about=inference_text("about.differences_over_datasets"),
        left=float(left),
        rope=float(inside),
        right=float(right),
        half_width=float(rope),
        estimate=float(np.median(values)),
        method=(
            inference_text(
                "method.bayesian_signed_rank", draws=draws, seed=seed, weight=_PRIOR_WEIGHT
            )
        ),
        n=n,
        warnings=(validation.IDENTICAL,)
        if validation.all_within_rounding(values, values, _LEAST)
        else (),
        shares=shares,
        draws=draws,
        seed=seed,
    )


def _draw_shares(values: np.ndarray, rope: float, seed: int, draws: int) -> np.ndarray:
    """Return theta_left, theta_rope and theta_right of each posterior draw; `values` must be sorted."""
    rng = np.random.default_rng(seed)
    prior = np.array([_PRIOR_WEIGHT] + [1.0] * len(values))
    z = np.concatenate([[0.0], values])
    order = np.argsort(z, kind="stable")
    z = z[order]
    near = max(validation.TIE_TOLERANCE * np.abs(z).max(), NOISE)
    below = np.searchsorted(z, -2 * rope - z - near, side="left")  # partners of z_i on the left
    above = np.searchsorted(z, 2 * rope - z + near, side="right")  # first partner on the right
    shares = np.empty((draws, 3))
    size = max(1, _BLOCK // len(z))
    for start in range(0, draws, size):
        weights = rng.dirichlet(prior, min(size, draws - start))[:, order]
        summed = np.concatenate([np.zeros((len(weights), 1)), weights.cumsum(axis=1)], axis=1)
        left = (weights * summed[:, below]).sum(axis=1)
        right = (weights * (summed[:, -1:] - summed[:, above])).sum(axis=1)
        shares[start : start + size] = np.stack([left, 1 - left - right, right], axis=1)
    return shares.clip(0, 1)


def _check_differences(differences: ArrayLike, rope: float) -> np.ndarray:
    """Return the differences as a float array; DataError if they are invalid, SettingError if `rope` is."""
    if not (isinstance(rope, Real) and 0 <= rope < np.inf):
        raise SettingError.of("rope negative", rope=rope)
    values = np.asarray(differences, dtype=float)
    if values.ndim != 1 or not len(values):
        raise DataError.of("differences must be one row of numbers", shape=values.shape)
    if not (np.abs(values) <= validation.LARGEST).all():
        raise DataError.of("differences must be finite", largest=validation.LARGEST)
    return values
