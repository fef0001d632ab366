"""The sign-flip permutation test of paired differences."""

import numpy as np
from numpy.typing import ArrayLike

from stats_core.core.errors import SettingError
from stats_core.core.result_types import Method, PairedResult
from stats_core.core.validation import IDENTICAL, all_within_rounding, check_paired

EXACT_LIMIT = 14  # pairs up to which all 2^J sign choices are tried


def sign_flip_test(x: ArrayLike, y: ArrayLike, *, draws: int = 9999, seed: int = 0) -> PairedResult:
    """Is the mean difference larger than sign flips would explain?

    Notes
    -----
    Assumes that differences are symmetric about 0 and independent; it does away with normality,
    not with the overlap of training sets. The mean orders sign choices as t does. With J pairs
    p is never below 2^(1 - J), with B draws never below 1 / (B + 1).

    References
    ----------
    Fisher 1935, section 21; Phipson and Smyth, Stat. Appl. Genet. Mol. Biol. 9 (2010) 39.

    Examples
    --------
    >>> sign_flip_test([6.0, 7, 9, 8], [5.0, 5, 6, 7]).pvalue
    0.125
    """
    if draws < 1:
        raise SettingError(f"`draws` must be at least 1. It is {draws!r}. Try 9999.")
    x, y = check_paired(x, y)
    differences = x - y
    n, exact = len(x), len(x) <= EXACT_LIMIT
    identical = all_within_rounding(differences, x, y)
    observed = 0.0 if identical else float(differences.sum())
    sums = _all_sums(differences) if exact else _random_sums(differences, draws, seed)
    slack = 1e-9 * np.abs(differences).sum()
    added, total = (0, len(sums)) if exact else (1, len(sums) + 1)

    def share(hits: np.ndarray) -> float:
        return 1.0 if identical else (int(hits.sum()) + added) / total

    how = f"all {total:,} sign choices" if exact else f"{draws:,} random sign choices"
    return PairedResult(
        about="paired differences",
        statistic=observed / n,
        pvalue=share(np.abs(sums) >= abs(observed) - slack),
        pvalue_greater=share(sums >= observed - slack),
        pvalue_less=share(sums <= observed + slack),
        method=Method("sign-flip permutation test", ("two-sided", how), exact=exact),
        n=n,
        warnings=(IDENTICAL,) if identical else (),
    )


def _all_sums(differences: np.ndarray) -> np.ndarray:
    """Return the sum under every choice of signs."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums


def _random_sums(differences: np.ndarray, draws: int, seed: int) -> np.ndarray:
    signs = np.random.default_rng(seed).integers(0, 2, size=(draws, len(differences)), dtype=np.int8)
    return (2.0 * signs - 1) @ differences
