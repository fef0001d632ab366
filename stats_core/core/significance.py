"""The comparison of p-values with alpha, which allows for rounding errors."""

from typing import Any

# relative: an exact p of 1/20 may be computed as 0.05000000000000001, a sum as 0.0500000000001
P_ROUNDING = 1e-9


def significant(p: Any, alpha: Any) -> Any:
    """Return whether p is at most alpha up to rounding errors.

    The answer is a bool for a number, elementwise for arrays and tables.

    Examples
    --------
    >>> significant(0.05000000000000001, 0.05), significant(0.0500001, 0.05)
    (True, False)
    """
    at_most_alpha = p <= alpha * (1 + P_ROUNDING)
    return bool(at_most_alpha) if getattr(at_most_alpha, "ndim", 0) == 0 else at_most_alpha


def equals_alpha(p: float, alpha: float) -> bool:
    """Return whether p is alpha up to rounding errors.

    Examples
    --------
    >>> equals_alpha(0.05 + 1e-13, 0.05), equals_alpha(0.05001, 0.05)
    (True, False)
    """
    return abs(p - alpha) <= alpha * P_ROUNDING
