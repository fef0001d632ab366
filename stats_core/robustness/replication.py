"""Estimated probability that a new experiment repeats the significant differences."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.validation import check_kind, check_whole
from stats_core.robustness.leave_one_out import (
    FEWEST,
    WITH_A_BEST,
    Progress,
    claims_of,
    lost_claims,
    table_of_claims,
)
from stats_core.robustness.variations import Variation

RESAMPLES = 200  # default of `replication`
_LARGEST_Z = 8.0  # cap, as exact p-values are bounded below


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replication:
    """Estimated probability that a new experiment of the same size repeats the differences.

    Attributes
    ----------
    resamples, seed : int
        Simulated experiments, and where their random numbers begin.
    shrinkage : float
        By which factor effects are shrunken towards none.
    every : float
        Share of experiments in which every difference is significant in the same direction.
    best : float or None
        Share in which the best algorithm is best, alone or with others; None where none is named.
    pairs : DataFrame
        One row per significant difference: first (the better one), second, probability,
        standard error (of simulation).
    """

    resamples: int
    seed: int
    shrinkage: float
    every: float
    best: float | None
    pairs: pd.DataFrame

    def error(self, share: float) -> float:
        """Return the standard error of a share due to simulation."""
        return float(np.sqrt(share * (1 - share) / self.resamples))

    @property
    def text(self) -> str:
        """The estimates in sentences."""
        if not len(self.pairs):
            return "Replication: no significant difference to repeat."
        low, high = self.pairs["probability"].min(), self.pairs["probability"].max()
        range_text = f"{low:.2f}" if len(self.pairs) == 1 else f"between {low:.2f} and {high:.2f}"
        text = (
            "Replication: the estimated probability that a new experiment of this size repeats a "
            f"significant difference is {range_text}."
        )
        if len(self.pairs) > 1:
            text += f" For all {len(self.pairs)} together it is {self._with_error(self.every)}."
        if self.best is not None:
            text += f" For the best algorithm to stay best it is {self._with_error(self.best)}."
        return text

    def _with_error(self, share: float) -> str:
        return f"{share:.2f} (standard error {self.error(share):.2f})"


def replication(
    comparison: Comparison,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Replication:
    """How probably does a new experiment of this size repeat the significant differences?

    Notes
    -----
    Each experiment has as many data sets as the comparison. They are drawn by the Bayesian
    bootstrap: weights of the data sets from a flat Dirichlet distribution, then data sets by these
    weights. Resampling alone repeats too much, since significant effects are overestimated. So
    each drawn data set keeps its results with probability s only; else they are permuted among
    the algorithms, which removes every difference. s = max(0, 1 - 1 / mean(z^2)) over all pairs,
    with z the normal quantile of the unadjusted p: the factor by which empirical Bayes shrinks
    effects that vary around none (James and Stein). `benchmarks/replication_probability.py` compares estimates with what new data
    sets repeat.

    References
    ----------
    Rubin, Annals of Statistics 9 (1981): the Bayesian bootstrap. Efron and Morris, JASA 68 (1973).

    Examples
    --------
    >>> import pandas as pd
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.data.results import Results
    >>> scores = pd.DataFrame({"a": range(1, 13), "b": [0] * 12, "dataset": list("abcdefghijkl")})
    >>> results = Results.from_frame(scores.melt("dataset", var_name="algorithm", value_name="error"))
    >>> replication(analyse(results), resamples=50).pairs["probability"].round(2).tolist()
    [1.0]
    """
    check_kind(comparison, Comparison, "comparison", "Use `analyse`")
    if check_whole(resamples, "resamples") < 1:
        raise SettingError("`resamples` must be at least 1. It is 0. Try 200.")
    n, claims = len(comparison.units), claims_of(comparison)
    if n < FEWEST:
        raise DesignError(
            f"Replication needs results on at least {FEWEST} data sets. There are {n}."
        )
    rng, shrinkage = np.random.default_rng(check_whole(seed, "seed")), _shrinkage(comparison)
    lost, n_all_repeated, n_best_repeated = np.zeros(claims.shape, dtype=int), 0, 0
    for count in range(1, resamples + 1):
        positions = rng.choice(n, size=n, p=rng.dirichlet(np.ones(n)))
        columns = _columns(comparison, positions, rng.random(n) > shrinkage, rng)
        run = Variation.of(str(count), partial(comparison.resampled, positions, columns))
        lost_now, other_best = lost_claims(comparison, claims, run.comparison)
        lost += lost_now
        n_all_repeated += not lost_now.any()
        n_best_repeated += not other_best
        if progress is not None:
            progress(count, resamples)
    table = table_of_claims(comparison, claims, probability=1 - lost / resamples)
    error = np.sqrt(table["probability"] * (1 - table["probability"]) / resamples)
    return Replication(
        resamples=resamples,
        seed=seed,
        shrinkage=shrinkage,
        every=n_all_repeated / resamples,
        best=n_best_repeated / resamples if comparison.claim in WITH_A_BEST else None,
        pairs=table.assign(**{"standard error": error}),
    )


def _shrinkage(comparison: Comparison) -> float:
    """Return the factor by which effects are shrunken, from unadjusted p-values of all pairs."""
    p = comparison.tested()["p"].to_numpy(dtype=float)
    z = np.minimum(stats.norm.isf(p[np.isfinite(p)] / 2), _LARGEST_Z)
    mean = float((z**2).mean()) if len(z) else 0.0
    return max(0.0, 1 - 1 / mean) if mean else 0.0


def _columns(
    comparison: Comparison, positions: np.ndarray, mixed: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the column each algorithm takes its result from: its own, or permuted if mixed.

    Missing results stay missing.
    """
    available = comparison.scores.notna().to_numpy()[positions % len(comparison.scores)]
    columns = np.tile(np.arange(available.shape[1]), (len(positions), 1))
    for row in np.flatnonzero(mixed):
        present = np.flatnonzero(available[row])
        columns[row, present] = rng.permutation(present)
    return columns
