"""Resampling designs, inferred from the numbers of results and the sizes of test sets."""

from math import exp

# n_test / (n_train + n_test) of a test on the instances that a bootstrap leaves out, counting
# drawn instances with and without repetitions
_LEFT_OUT = exp(-1) / (1 + exp(-1)), exp(-1)
# texts of designs whose names need explanation
IN_WORDS = {"single": "one number per cell", "unknown": "unequal numbers of folds"}


def share_left_out(measured: float | None) -> float | None:
    """Return the share of instances that a bootstrap tests on, None for other test shares.

    Examples
    --------
    >>> round(share_left_out(None), 3), round(share_left_out(0.27), 3), share_left_out(0.5)
    (0.368, 0.368, None)
    """
    fits = measured is None or any(abs(measured - share) < 0.05 for share in _LEFT_OUT)
    return exp(-1) if fits else None


def design_of(repetitions: int, folds: int, *, declared: str, fraction: float | None, one_case: bool) -> str:
    """Return the resampling design of one data set.

    Examples
    --------
    >>> design_of(5, 2, declared="", fraction=0.5, one_case=False)
    '5x2'
    """
    if repetitions * max(folds, 1) == 1:
        return "single"
    if declared:
        return declared
    if folds == 0:
        return "unknown"
    if folds == 1 or (fraction is not None and abs(fraction * folds - 1) > 0.2):
        return "holdout"
    if (repetitions, folds) == (5, 2):
        return "5x2"
    if repetitions > 1:
        return "r x k-fold"
    return "leave-one-out" if one_case else "k-fold"
