"""Comparison of p-values with a significance level."""

from typing import Any

ROUNDING = 1e-12  # relative: an exact p of 1/20 may be computed as 0.05000000000000001


def significant(p: Any, alpha: Any) -> Any:
    """Return whether p is at most alpha, up to rounding errors of the computation.

    Examples
    --------
    >>> significant(0.05000000000000001, 0.05), significant(0.0500001, 0.05)
    (True, False)
    """
    at_most_alpha = p <= alpha * (1 + ROUNDING)
    return bool(at_most_alpha) if getattr(at_most_alpha, "ndim", 0) == 0 else at_most_alpha
