"""Loss of claims without one data set, and their estimated replication probability."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.formatting import format_count
from stats_core.core.validation import check_kind, check_whole

Progress = Callable[[int, int], None]

FEWEST = 3  # minimum number of data sets for leave-one-out
RESAMPLES = 200  # default of `replication`
WITH_A_BEST = ("leads", "better")  # claims that name a best algorithm
_KEPT = "kept leave_one_out"  # attribute of a comparison that caches the result
_LARGEST_Z = 8.0  # cap, as exact p-values are bounded below


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaveOneOut:
    """Numbers of leave-one-out runs in which claims are lost.

    Attributes
    ----------
    n : int
        Runs, one without each data set; 0 where none can be left out.
    lost : int
        Runs in which a significant difference or the best algorithm is lost.
    differences : int
        Runs in which at least one significant difference is lost.
    best : int or None
        Runs in which the best algorithm is lost; None where none is named.
    claimed : int
        Significant differences with all data sets.
    which : DataFrame
        One row per run in which something is lost: left out, differences (how many are lost),
        lost ("a vs. b" of each), best (the best algorithm then; "" if the same).
    pairs : DataFrame
        One row per significant difference: first (the better one), second, runs (in which it is
        lost).
    """

    n: int
    lost: int
    differences: int
    best: int | None
    claimed: int
    which: pd.DataFrame
    pairs: pd.DataFrame

    @property
    def text(self) -> str:
        """The result in one sentence."""
        if not self.n:
            return f"Leave-one-out: not possible, it needs at least {FEWEST} data sets."
        runs = f"{self.lost} of {format_count(self.n, 'run')}"
        if not self.claimed:
            text = "Leave-one-out: no significant difference to lose."
            return text if self.best is None else f"{text} In {runs} another algorithm is best."
        text = f"Leave-one-out: in {runs} at least one significant difference"
        if self.best is None:
            return f"{text} is lost."
        details = f" (a difference in {self.differences}, the best algorithm in {self.best})"
        return f"{text}, or the best algorithm, is lost{details if self.lost else ''}."


def leave_one_out(comparison: Comparison, *, progress: Progress | None = None) -> LeaveOneOut:
    """In how many leave-one-out runs is a claimed difference, or the best algorithm, lost?

    Notes
    -----
    Each run repeats the comparison without one data set, by the same tests and settings. A
    difference is lost if it is then not significant, or significant in the other direction. The
    best algorithm is lost if another one has the best average rank (most wins less losses, better
    estimate) and it does not tie for it; comparisons with a control name no best algorithm. A run
    that cannot be tested loses everything. Differences that become significant do not count.

    Examples
    --------
    Seven wins of seven: with six data sets the Wilcoxon test cannot reach 0.02.

    >>> import pandas as pd
    >>> from stats_core.comparison.analyse import Settings, analyse
    >>> from stats_core.data.results import Results
    >>> scores = pd.DataFrame({"a": range(1, 8), "b": [0] * 7, "dataset": list("tuvwxyz")})
    >>> results = Results.from_frame(scores.melt("dataset", var_name="algorithm", value_name="error"))
    >>> found = leave_one_out(analyse(results, Settings(alpha=0.02)))
    >>> found.lost, found.n
    (7, 7)
    """
    check_kind(comparison, Comparison, "comparison", "Use `analyse`")
    cache = vars(comparison)
    if _KEPT not in cache:
        cache[_KEPT] = _leave_one_out(comparison, progress)
    return cache[_KEPT]


def _leave_one_out(comparison: Comparison, progress: Progress | None) -> LeaveOneOut:
    units = comparison.units if len(comparison.units) >= FEWEST else ()
    claims, runs = _claims(comparison), []
    for position in range(len(units)):
        others = np.delete(np.arange(len(units)), position)
        runs.append(_lost(comparison, claims, others))
        if progress is not None:
            progress(position + 1, len(units))
    lost_pairs = np.array([lost for lost, _ in runs]).reshape(len(runs), *claims.shape)
    by_run, other_best = lost_pairs.sum(axis=(1, 2)), [best for _, best in runs]
    is_lost = [bool(pairs or best) for pairs, best in zip(by_run, other_best, strict=True)]
    return LeaveOneOut(
        n=len(units),
        lost=sum(is_lost),
        differences=int((by_run > 0).sum()),
        best=sum(map(bool, other_best)) if comparison.claim in WITH_A_BEST else None,
        claimed=int(claims.sum()),
        which=pd.DataFrame(
            [
                (
                    units[i],
                    int(by_run[i]),
                    ", ".join(_named(comparison, lost_pairs[i])),
                    other_best[i],
                )
                for i in np.flatnonzero(is_lost)
            ],
            columns=["left out", "differences", "lost", "best"],
        ),
        pairs=_of_pairs(comparison, claims, runs=lost_pairs.sum(axis=0)),
    )


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
    n, claims = len(comparison.units), _claims(comparison)
    if n < FEWEST:
        raise DesignError(
            f"Replication needs results on at least {FEWEST} data sets. There are {n}."
        )
    rng, shrinkage = np.random.default_rng(check_whole(seed, "seed")), _shrinkage(comparison)
    lost, n_all_repeated, n_best_repeated = np.zeros(claims.shape, dtype=int), 0, 0
    for count in range(1, resamples + 1):
        positions = rng.choice(n, size=n, p=rng.dirichlet(np.ones(n)))
        columns = _columns(comparison, positions, rng.random(n) > shrinkage, rng)
        lost_now, other_best = _lost(comparison, claims, positions, columns)
        lost += lost_now
        n_all_repeated += not lost_now.any()
        n_best_repeated += not other_best
        if progress is not None:
            progress(count, resamples)
    table = _of_pairs(comparison, claims, probability=1 - lost / resamples)
    error = np.sqrt(table["probability"] * (1 - table["probability"]) / resamples)
    return Replication(
        resamples=resamples,
        seed=seed,
        shrinkage=shrinkage,
        every=n_all_repeated / resamples,
        best=n_best_repeated / resamples if comparison.claim in WITH_A_BEST else None,
        pairs=table.assign(**{"standard error": error}),
    )


def _claims(comparison: Comparison) -> np.ndarray:
    """Return whether the row is significantly better than the column, in data order."""
    names, beats = list(comparison.scores.columns), comparison.beats
    rows, columns = beats.index.get_indexer(names), beats.columns.get_indexer(names)
    return beats.to_numpy(dtype=bool)[np.ix_(rows, columns)]


def _lost(
    comparison: Comparison,
    claims: np.ndarray,
    positions: np.ndarray,
    columns: np.ndarray | None = None,
) -> tuple[np.ndarray, str]:
    """Return the claims lost on other data sets, and the best algorithm there if it changed."""
    try:
        resampled = comparison.resampled(positions, columns)
        lost_claims = claims & ~_claims(resampled)
    except FoldwiseError:
        return claims.copy(), "none" if comparison.claim in WITH_A_BEST else ""
    if comparison.claim not in WITH_A_BEST or comparison.order[0] in resampled.top:
        return lost_claims, ""
    return lost_claims, ", ".join(resampled.top)


def _named(comparison: Comparison, pairs: np.ndarray) -> list[str]:
    names = list(comparison.scores.columns)
    return [f"{names[i]} vs. {names[j]}" for i, j in np.argwhere(pairs)]


def _of_pairs(comparison: Comparison, claims: np.ndarray, **values: np.ndarray) -> pd.DataFrame:
    """Return one row per significant difference with given values, smallest adjusted p first."""
    names = list(comparison.scores.columns)
    rows = {
        frozenset((names[i], names[j])): (
            names[i],
            names[j],
            *(matrix[i, j] for matrix in values.values()),
        )
        for i, j in np.argwhere(claims)
    }
    tested = comparison.tested()[["first", "second"]].itertuples(index=False)
    ordered_rows = [rows[pair] for pair in map(frozenset, tested) if pair in rows]
    return pd.DataFrame(ordered_rows, columns=["first", "second", *values])


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
