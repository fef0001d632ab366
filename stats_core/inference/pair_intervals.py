"""The interval beside the decision about each pair over data sets, by the test that decides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.significance import significant
from stats_core.data.settings import Settings
from stats_core.inference.paired import sign_interval
from stats_core.inference.paired.intervals import agreeing, typical_differences
from stats_core.inference.rank_differences import LARGEST_EXACT, two_sided_tail
from stats_core.inference.rank_shifts import badness_of, rank_shift
from stats_core.inference.ranks import critical_difference

Said = tuple[float, float, float, float]  # estimate, low, high and scale of two algorithms
SIMULTANEOUS = ("nemenyi", "bonferroni", "bonferroni_dunn")  # one level for all of the family


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Compared:
    """The pairs that were tested over data sets, and what the tests said.

    Attributes
    ----------
    scores, ranks : DataFrame, data set x algorithm
        Averages, and their ranks.
    settings : Settings
        Gives the source of the p-values, the correction and the level.
    higher_is_better : bool
        Direction of the measure.
    pairs : sequence of (str, str)
        Each pair once.
    p, adjusted : array, one per pair
        p-values before and after the correction.
    ahead : array, one per pair
        Above 0 where the test favours larger scores of the first, below 0 where smaller ones.
    family : int
        How many pairs were tested together; 0 for these ones.
    """

    scores: pd.DataFrame
    ranks: pd.DataFrame
    settings: Settings
    higher_is_better: bool
    pairs: Sequence[tuple[str, str]]
    p: np.ndarray
    adjusted: np.ndarray
    ahead: np.ndarray
    family: int = 0

    @property
    def simultaneous(self) -> bool:
        """Whether all intervals hold together, at the level of the family."""
        return self.settings.correction in SIMULTANEOUS

    @property
    def level(self) -> float:
        """The level of one interval."""
        paid = (self.family or len(self.pairs)) if self.simultaneous else 1
        return self.settings.alpha / max(paid, 1)

    @property
    def rejects(self) -> np.ndarray:
        """Where the test of the pair rejects at the level of its interval."""
        return significant(self.adjusted if self.simultaneous else self.p, self.settings.alpha)


def pair_intervals(compared: Compared) -> pd.DataFrame:
    """How large may each difference be, by the test that decides about it?

    Parameters
    ----------
    compared : Compared

    Returns
    -------
    DataFrame
        One row per pair: estimate, low, high of the first less the second, in the measure's units.

    Notes
    -----
    Under Wilcoxon the typical difference of Hodges and Lehmann, under the sign test the median
    difference, under average ranks the shift of `rank_shift`. Nemenyi's and Bonferroni's are
    simultaneous and leave out zero exactly for the pairs that are separated; the others are the
    pair's own, at 1 - alpha, and leave out zero exactly where p before the correction is at most
    alpha. No separated pair has zero inside, as an adjusted p is never below the raw one.

    References
    ----------
    Hodges and Lehmann 1963; Hollander and Wolfe 1999, sections 3.3 and 3.6.
    """
    said = {"ranks": _by_ranks, "sign": _by_signs, "wilcoxon": _by_signed_ranks}
    rows = []
    for place, (estimate, low, high, scale) in enumerate(said[compared.settings.source](compared)):
        rejects, ahead = bool(compared.rejects[place]), float(compared.ahead[place])
        rows.append((estimate, *agreeing((low, high), rejects=rejects, ahead=ahead, scale=scale)))
    return pd.DataFrame(rows, columns=["estimate", "low", "high"], dtype=float)


def _by_signed_ranks(compared: Compared) -> Iterator[Said]:
    names, values = compared.scores.columns, compared.scores.to_numpy().T
    if not len(compared.pairs):
        return
    x, y = (values[names.get_indexer(side)] for side in zip(*compared.pairs, strict=True))
    scales = np.maximum(np.abs(x), np.abs(y)).max(axis=1).tolist()
    found = typical_differences(x, y, confidence=1 - compared.level).tolist()
    for (estimate, low, high), scale in zip(found, scales, strict=True):
        yield estimate, low, high, scale


def _by_signs(compared: Compared) -> Iterator[Said]:
    for pair in compared.pairs:
        x, y = (compared.scores[name].to_numpy() for name in pair)
        low, high = sign_interval(x, y, confidence=1 - compared.level)
        yield float(np.median(x - y)), low, high, float(max(np.abs(x).max(), np.abs(y).max()))


def _by_ranks(compared: Compared) -> Iterator[Said]:
    badness = badness_of(compared.scores, higher_is_better=compared.higher_is_better)
    ranks, names = compared.ranks.to_numpy(), list(compared.scores.columns)
    critical, higher = critical_rank_sum(compared), compared.higher_is_better
    finite = np.abs(badness[np.isfinite(badness)])
    scale = float(finite.max(initial=0.0))
    for first, second in compared.pairs:
        pair = (names.index(first), names.index(second))
        estimate, low, high = rank_shift(badness, ranks, pair, critical)
        yield (-estimate, -high, -low, scale) if higher else (estimate, low, high, scale)


def critical_rank_sum(compared: Compared) -> float:
    """Return the smallest difference of two rank sums that is rejected at the intervals' level."""
    ranks, settings = compared.ranks.to_numpy(), compared.settings
    n, k = ranks.shape
    if settings.correction == "nemenyi":
        return n * critical_difference(k, n, settings.alpha)
    if settings.correction == "bonferroni_dunn" or n * k > LARGEST_EXACT:
        return float(stats.norm.isf(compared.level / 2)) * float(np.sqrt(n * k * (k + 1) / 6))
    rejected = np.flatnonzero(significant(two_sided_tail(ranks), compared.level))
    return float(rejected[0]) / 2 if len(rejected) else np.inf
