"""How far apart two algorithms are in the measure's units, as the test of average ranks sees it."""

import numpy as np
import pandas as pd

Shift = tuple[float, float, float]


def rank_shift(
    badness: np.ndarray, ranks: np.ndarray, pair: tuple[int, int], critical: float
) -> Shift:
    """Which differences of two algorithms would the test of average ranks not reject?

    Parameters
    ----------
    badness : array, data set x algorithm
        Scores, smaller is better; infinite where a run failed.
    ranks : array, data set x algorithm
        Mid-ranks of it.
    pair : (int, int)
        The columns.
    critical : float
        The smallest difference of their rank sums that is rejected.

    Returns
    -------
    (estimate, low, high) : tuple of float
        Of the badness of the first less that of the second.

    Notes
    -----
    All results of the first are shifted by the same amount and ranked anew among the others. The
    rank sums of the two part as the shift moves, so the shifts that are not rejected form an
    interval; the estimate is the shift at which both rank sums are the same (Hodges and Lehmann's
    principle). As the test, it depends on which other algorithms take part. No tie is allowed for
    but those that are there.

    References
    ----------
    Hodges and Lehmann 1963.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[1.0, 3.0, 9.0], [2.0, 5.0, 9.0], [2.0, 4.5, 9.0]])
    >>> rank_shift(scores, np.tile([1.0, 2.0, 3.0], (3, 1)), (0, 1), 4.0)
    (-2.5, -7.0, inf)
    """
    first, second = pair
    steps, weights, start = _steps(badness, ranks, first, second)
    order = np.argsort(steps, kind="stable")
    steps, after = steps[order], start - weights[order].cumsum()
    low = -np.inf if start < critical else _where(steps, after < critical)
    high = _where(steps, after <= -critical)
    return _middle(_where(steps, after <= 1e-9), _where(steps, after < -1e-9)), low, high


def as_loss(scores: pd.DataFrame, *, higher_is_better: bool) -> np.ndarray:
    """Return scores as smaller is better, infinite where a run failed."""
    values = scores.to_numpy(dtype=float) * (-1 if higher_is_better else 1)
    return np.where(np.isnan(values), np.inf, values)


def _steps(
    badness: np.ndarray, ranks: np.ndarray, first: int, second: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the shifts past which the first overtakes, by how much that parts the rank sums.

    And how far apart they are where the first comes last everywhere.
    """
    k = badness.shape[1]
    others = [place for place in range(k) if place != first]
    own = badness[:, [first]]
    with np.errstate(invalid="ignore"):
        steps = own - badness[:, others]
    weights = np.broadcast_to(np.where(np.array(others) == second, 2.0, 1.0), steps.shape).copy()
    both = np.isnan(steps)  # two failures tie whatever is done
    steps[both], weights[both] = -np.inf, weights[both] / 2
    mine, theirs = ranks[:, first], ranks[:, second]
    beaten = np.where(mine < theirs, 1.0, np.where(mine > theirs, 0.0, 0.5))
    return steps.ravel(), weights.ravel(), float((k - (theirs - beaten)).sum())


def _where(steps: np.ndarray, reached: np.ndarray) -> float:
    """Return the first shift at which it is reached, infinite if it never is."""
    return float(steps[reached.argmax()]) if reached.any() else np.inf


def _middle(one: float, other: float) -> float:
    """Return the middle of two shifts, or the finite one of them."""
    if np.isfinite(one) and np.isfinite(other):
        return (one + other) / 2
    return next((shift for shift in (one, other) if np.isfinite(shift)), 0.0)
