"""Leave-one-out robustness over data sets and algorithms, and the probability of replication."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.result import Comparison, HasComparison, Standing, comparison_of
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.formatting import format_set
from stats_core.core.messages import Message
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_whole, significant
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.robustness.variations import GAINED, LOST, Variation, first_pvalue

Progress = Callable[[int, int], None]

FEWEST = 3  # minimum number of data sets for leave-one-out
_WITH_A_BEST = ("leads", "better")  # claims that name a best algorithm


def check_all_or_two(analysis: Comparison, needs: str) -> None:
    """Raise DesignError unless all pairs or two algorithms are compared over data sets."""
    shape = analysis.shape
    if not (shape.averages and (shape.two or shape.ranked_pairs)):
        values = {"needs": needs, "control": analysis.settings.control, "counted": analysis.counted}
        raise DesignError.of("all pairs or two needed", **values)


def without_each_dataset(comparison: Comparison) -> Iterator[Variation]:
    """Yield the comparison with each data set left out in turn; nothing with fewer than `FEWEST` data sets."""
    if len(comparison.units) >= FEWEST:
        yield from map(Variation.of, comparison.units, comparison.without_each_unit())


def without_each_algorithm(comparison: Comparison) -> Iterator[Variation]:
    """Yield the comparison with each algorithm left out in turn; two remaining ones are compared by Wilcoxon."""
    for name in comparison.order:
        yield Variation.of(name, partial(_without_algorithm, comparison, name))


def _without_algorithm(comparison: Comparison, name: str) -> Comparison:
    settings = comparison.settings
    others = [n for n in comparison.order if n != name]
    if len(others) > 2:
        return comparison.restricted(others)
    without = (*settings.without_algorithms, name)
    return analyse(comparison.results, replace(settings, without_algorithms=without))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LeaveOneOut:
    """Number of leave-one-out runs in which significant differences or the best algorithm are lost.

    Attributes
    ----------
    n : int
        Number of runs, one without each data set; 0 if none can be left out.
    lost : int
        Runs in which a significant difference or the best algorithm is lost.
    differences : int
        Runs in which at least one significant difference is lost.
    best : int or None
        Runs in which the best algorithm is lost; None if the comparison has no best algorithm.
    claimed : int
        Number of significant differences with all data sets.
    which : DataFrame
        One row per run in which something is lost: left out, differences (how many are lost),
        lost ("a vs. b" of each), best (the best algorithm then; "" if the same, "none" if refused).
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


@dataclass(frozen=True, kw_only=True, eq=False)
class Decisions:
    """Decisions of a comparison at every level.

    Attributes
    ----------
    names : list of str
        The algorithms, in the order of the arrays.
    standing : Standing or None
        Values that order the algorithms; None if there are none.
    top : tuple of str
        The best algorithms of the comparison.
    adjusted : array, algorithm x algorithm
        Adjusted p-values; 1 unless averages over data sets are compared.
    ahead : array of bool, algorithm x algorithm
        Whether the pair's test favours the row; with `fixed`, whether the row is significantly
        better at the level of the comparison.
    fixed : bool
        Whether the decisions hold at no other level.
    first_p : float
        p-value of the omnibus test, or of the only pair; NaN without either.
    of_two : bool
        Whether two algorithms are compared.
    correction : str
        Correction of the comparison.
    """

    names: list[str]
    standing: Standing | None
    top: tuple[str, ...]
    adjusted: np.ndarray
    ahead: np.ndarray
    fixed: bool
    first_p: float
    of_two: bool
    correction: str

    def beats(self, alpha: float) -> np.ndarray:
        """Return whether the row is significantly better than the column; at the comparison's own level if `fixed`."""
        return self.ahead if self.fixed else self.ahead & significant(self.adjusted, alpha)

    def leaders(self, alpha: float) -> list[bool]:
        """Return for each algorithm whether no other is significantly better."""
        return [not column.any() for column in self.beats(alpha).T]

    @cached_property
    def best(self) -> tuple[str, ...]:
        """The best algorithm among the names, and those tied with it."""
        best = self.top
        if self.standing is not None:
            of_names = self.standing.values[self.names]
            best = replace(self.standing, values=of_names).leaders
        return tuple(name for name in self.names if name in best)

    def of(self, names: Sequence[str]) -> "Decisions":
        """Return the decisions about the algorithms `names`, in this order; the object itself if it has these names."""
        if list(names) == self.names:
            return self
        positions = [self.names.index(name) for name in names]
        square = np.ix_(positions, positions)
        return replace(
            self, names=list(names), adjusted=self.adjusted[square], ahead=self.ahead[square]
        )


def decisions_of(comparison: Comparison) -> Decisions:
    """Return the decisions of a comparison."""
    names = list(comparison.order)
    ahead = comparison.in_favour if isinstance(comparison, RanksComparison) else None
    shape = comparison.shape
    adjusted = np.ones((len(names), len(names)))
    if shape.averages:
        adjusted = comparison.adjusted_pvalues.loc[names, names].to_numpy()
    has_first_test = shape.two or comparison.first_test
    return Decisions(
        names=names,
        standing=comparison.ordered_by,
        top=comparison.top,
        adjusted=adjusted,
        ahead=claims_of(comparison, names) if ahead is None else ahead.loc[names, names].to_numpy(),
        fixed=ahead is None,
        first_p=first_pvalue(comparison) if has_first_test else np.nan,
        of_two=shape.two,
        correction=comparison.settings.correction,
    )


# "data set" or "algorithm" that is left out, or the number of resamples and the seed
What = str | tuple[int, int]
Runs = list[tuple[str, Decisions | str]]  # name and decisions of each run, or why there are none


def runs_key(comparison: Comparison, what: What) -> tuple[str, What, float | None]:
    """Return the cache key of runs, which ends with the level of the comparison if they hold at no other level."""
    two_remain = what == "algorithm" and len(comparison.order) == FEWEST
    fixed = two_remain or not isinstance(comparison, RanksComparison)
    return "runs", what, comparison.settings.alpha if fixed else None


def repeated(comparison: Comparison, what: What, *, progress: Progress | None = None) -> Runs:
    """Return (name, decisions or refusal) by run, with one data set or algorithm left out or sets resampled; cached."""

    def compute() -> Runs:
        """Return name and decisions of each run, or why there are none."""
        if isinstance(what, tuple):
            variations = _resampled(comparison, *what)
            total = what[0]
        elif what == "data set":
            variations = without_each_dataset(comparison)
            total = len(comparison.units)
        else:
            variations = without_each_algorithm(comparison)
            total = len(comparison.order)
        runs: Runs = []
        for variation in variations:
            run = variation.comparison
            runs.append((variation.name, variation.refusal if run is None else decisions_of(run)))
            if progress is not None:
                progress(len(runs), total)
        return runs

    return comparison.cache.recall(runs_key(comparison, what), compute)


def leave_one_out(
    comparison: Comparison | HasComparison, *, progress: Progress | None = None
) -> LeaveOneOut:
    """Return how many leave-one-out runs lose a significant difference or the best algorithm.

    Notes
    -----
    Each run repeats the comparison without one data set, by the same tests and settings. A
    difference is lost if it is then not significant, or significant in the other direction. The
    best algorithm is lost if it no longer has the best average rank (most wins minus losses, better
    estimate), not even tied; comparisons with a control have no best algorithm. In a run that
    cannot be tested, all are lost. Differences that become significant do not count. With fewer than
    three data sets there are no runs. Raises SettingError if `comparison` is not a `Comparison`.

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
    comparison = comparison_of(comparison)
    key = "leave_one_out", comparison.settings.alpha
    return comparison.cache.recall(key, partial(_leave_one_out, comparison, progress))


def _leave_one_out(comparison: Comparison, progress: Progress | None) -> LeaveOneOut:
    """Return the counts of `leave_one_out`, which caches them."""
    units = comparison.units if len(comparison.units) >= FEWEST else ()
    claims = claims_of(comparison)
    without = repeated(comparison, "data set", progress=progress)
    runs = [
        lost_claims(comparison, claims, None if isinstance(run, str) else run) for _, run in without
    ]
    lost_pairs = np.array([lost for lost, _ in runs]).reshape(len(runs), *claims.shape)
    by_run = lost_pairs.sum(axis=(1, 2))
    other_best = [best for _, best in runs]
    is_lost = [bool(pairs or best) for pairs, best in zip(by_run, other_best, strict=True)]
    return LeaveOneOut(
        n=len(units),
        lost=sum(is_lost),
        differences=int((by_run > 0).sum()),
        best=sum(map(bool, other_best)) if comparison.shape.claim in _WITH_A_BEST else None,
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
        pairs=_table_of_claims(comparison, claims, runs=lost_pairs.sum(axis=0)),
    )


def claims_of(comparison: Comparison, names: Sequence[str] | None = None) -> np.ndarray:
    """Return whether the row is significantly better than the column algorithm; in the order of `names` or the data."""
    names = list(comparison.scores.columns if names is None else names)
    beats = comparison.beats
    rows = beats.index.get_indexer(names)
    columns = beats.columns.get_indexer(names)
    return beats.to_numpy(dtype=bool)[np.ix_(rows, columns)]


def lost_claims(
    comparison: Comparison, claims: np.ndarray, run: Decisions | None
) -> tuple[np.ndarray, str]:
    """Return the claims that a run loses and, if the best is lost, its own best ("none" if it is refused), else ""."""
    names_best = comparison.shape.claim in _WITH_A_BEST
    if run is None:
        return claims.copy(), "none" if names_best else ""
    lost = claims & ~run.of(comparison.scores.columns).beats(comparison.settings.alpha)
    if not names_best or comparison.order[0] in run.top:
        return lost, ""
    return lost, ", ".join(run.top)


def _named(comparison: Comparison, pairs: np.ndarray) -> list[str]:
    names = list(comparison.scores.columns)
    return [f"{names[i]} vs. {names[j]}" for i, j in np.argwhere(pairs)]


def _table_of_claims(
    comparison: Comparison, claims: np.ndarray, **values: np.ndarray
) -> pd.DataFrame:
    """Return one row per significant difference, smallest adjusted p first, with a column for each of `values`."""
    names = list(comparison.scores.columns)
    rows = {
        frozenset((names[i], names[j])): (
            names[i],
            names[j],
            *(matrix[i, j] for matrix in values.values()),
        )
        for i, j in np.argwhere(claims)
    }
    tested = comparison.pairs.decisions[["first", "second"]].itertuples(index=False)
    ordered_rows = [rows[pair] for pair in map(frozenset, tested) if pair in rows]
    return pd.DataFrame(ordered_rows, columns=["first", "second", *values])


# changes of a run, most severe first
_CHANGES = ["omnibus test", "top group", "pairs", "best"]
_RUNS = ["left out", "name", "p", "best", "groups", "separated", "changed", "refusal"]
_CHANGED = ["left out", "name", "first", "second", "p with", "p without", "change"]
_GROUPS = ["group", "size", "exactly", "within a larger one", "broken", "runs"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Stability:
    """Decisions with each data set and each algorithm left out in turn.

    Attributes
    ----------
    runs : DataFrame
        One row per run: left out ("data set" or "algorithm"), name, p (Iman-Davenport; Wilcoxon if
        two algorithms remain), best (the best ranked), groups (maximal groups of two or more),
        separated (number of significant pairs), changed (whether the decision on the omnibus test
        or a pair changes), refusal (why there is no result; "" if there is one).
    changes : DataFrame
        By run, whether it changes the omnibus test and the top group, the number of pairs it
        changes, and the best algorithms that it replaces.
    groups : DataFrame
        One row per maximal group of the full analysis: group, size, and the numbers of runs without
        one data set in which it remains exactly a group, is part of a larger group, or splits
        because two of its members then differ.
    winner_share : Series by algorithm
        Share of the tested runs without one data set in which each algorithm is best, largest
        first. Algorithms that never do are omitted; a shared first rank is divided equally.
    changed_pairs : DataFrame
        One row per pair and run that changes the pair's decision: left out, name,
        first (better ranked over all), second, p with, p without (adjusted), change.
    alpha : float
        Significance level.
    note : Message, optional
        Runs in which Shaffer replaced Bergmann-Hommel, so that decisions can change.
    """

    runs: pd.DataFrame
    changes: pd.DataFrame
    groups: pd.DataFrame
    winner_share: pd.Series
    changed_pairs: pd.DataFrame
    alpha: float
    note: Message | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per run."""
        return self.runs.copy()


def stability(
    analysis: Comparison | HasComparison, *, progress: Progress | None = None
) -> Stability:
    """Return which decisions change without each data set and without each algorithm.

    Notes
    -----
    Each run repeats the whole analysis with the same settings: ranks, omnibus test, pairwise tests,
    correction, groups. Without a data set, the ranks on the remaining data sets do not change.
    Without an algorithm they do, and so can the decision on a pair of remaining algorithms, because
    the difference of two average ranks depends on the algorithms between them. Decisions are compared
    among the remaining algorithms; two remaining algorithms are compared by Wilcoxon's test. With two
    algorithms, neither is left out. Two data sets are too few to leave one out. A run with one fewer data
    set also has less power, so decisions with p near alpha change easily. DesignError if the analysis
    compares neither two algorithms nor all pairs over data sets.

    References
    ----------
    Benavoli, Corani and Mangili, JMLR 17 (2016) 5: decisions that depend on the pool of algorithms.

    Examples
    --------
    The difference is not significant, but it is without the data set "odd":

    >>> import pandas as pd
    >>> from stats_core.comparison.analyse import Settings, analyse
    >>> from stats_core.data.results import Results
    >>> scores = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8, 0], "b": [0] * 8 + [9]})
    >>> scores["dataset"] = ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "odd"]
    >>> long = scores.melt("dataset", var_name="algorithm", value_name="error")
    >>> results = Results.from_frame(long, directions={"error": "lower"})
    >>> stability(analyse(results, Settings(alpha=0.01))).changed_pairs["name"].tolist()
    ['odd']
    """
    analysis = comparison_of(analysis, "analysis")
    check_all_or_two(analysis, "Stability needs")
    whole = decisions_of(analysis)
    groups = _Groups(analysis.settings.alpha)
    n_units = len(analysis.units) if len(analysis.units) >= FEWEST else 0
    starts = {"data set": 0} if analysis.shape.two else {"data set": 0, "algorithm": n_units}
    total = n_units if analysis.shape.two else n_units + len(analysis.order)
    runs: list[_Run] = []
    for kind, start in starts.items():
        on_run = (
            None if progress is None else lambda done, _, start=start: progress(start + done, total)
        )
        for name, after in repeated(analysis, kind, progress=on_run):
            before = (
                whole
                if kind == "data set"
                else whole.of([other for other in whole.names if other != name])
            )
            runs.append(_run(kind, before, name, after, groups))
    by_dataset = [run for run in runs if run.kind == "data set" and run.best]
    replaced = tuple(run.row["name"] for run in runs if run.stood_in)
    flips = chain.from_iterable(run.flips for run in runs)
    return Stability(
        runs=pd.DataFrame([run.row for run in runs], columns=_RUNS),
        changes=pd.DataFrame([run.changes for run in runs], columns=_CHANGES),
        groups=pd.DataFrame(_survivals(groups.of(whole), by_dataset), columns=_GROUPS),
        winner_share=_winner_share(analysis, by_dataset),
        changed_pairs=pd.DataFrame(flips, columns=_CHANGED),
        alpha=analysis.settings.alpha,
        note=adjust.replaced_without(analysis.settings.correction, replaced),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Run:
    """Changes in one leave-one-out run; `groups` and `best` are empty if the test is refused.

    `row`, `flips` and `changes` are the rows of `Stability.runs`, `changed_pairs` and `changes`;
    `stood_in` is whether another correction was used.
    """

    kind: str
    row: dict
    flips: list[dict]
    changes: tuple = (False, False, 0, ())
    groups: tuple = ()
    best: tuple = ()
    stood_in: bool = False


class _Groups:
    """Cache of maximal groups by the matrix of significant differences."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self._cliques: dict[tuple, tuple] = {}

    def of(self, decided: Decisions) -> tuple[tuple[str, ...], ...]:
        """Return the maximal groups without a pair that differs."""
        key = (*decided.names, significant(decided.adjusted, self.alpha).tobytes())
        if key not in self._cliques:
            adjusted = labeled_matrix(decided.adjusted, decided.names)
            self._cliques[key] = tuple(cliques(adjusted, self.alpha))
        return self._cliques[key]


def _run(
    kind: str, before: Decisions, name: str, run: Decisions | str, groups_cache: _Groups
) -> _Run:
    """Return the changes from `before`, the full comparison's decisions about the same algorithms, or the refusal."""
    alpha = groups_cache.alpha
    row: dict = {"left out": kind, "name": name}
    if isinstance(run, str):
        empty = {"p": np.nan, "best": "", "groups": "", "separated": 0, "changed": False}
        return _Run(kind=kind, row={**row, **empty, "refusal": run}, flips=[])
    after = run.of(before.names)
    last_two = after.of_two and not before.of_two
    groups = groups_cache.of(run if last_two else after)
    flips = _flips(row, before, after, alpha)
    # of two algorithms the pair already shows the first test
    first_turns = not after.of_two and bool(
        significant(before.first_p, alpha) != significant(after.first_p, alpha)
    )
    row |= {
        "p": after.first_p,
        "best": ", ".join(after.best),
        "groups": " ".join(_in_braces(group) for group in groups if len(group) > 1),
        "separated": int(np.triu(significant(after.adjusted, alpha), 1).sum()),
        "changed": bool(flips) or first_turns,
        "refusal": "",
    }
    return _Run(
        kind=kind,
        row=row,
        flips=flips,
        changes=(
            first_turns,
            before.leaders(alpha) != after.leaders(alpha),
            len(flips),
            before.best if set(before.best) != set(after.best) else (),
        ),
        groups=groups,
        best=after.best,
        stood_in=not after.of_two and after.correction != before.correction,
    )


def _flips(row: dict, before: Decisions, after: Decisions, alpha: float) -> list[dict]:
    """Return a row of `Stability.changed_pairs` for each pair whose decision changes."""
    names = before.names
    p_with = before.adjusted
    p_without = after.adjusted
    turned = np.triu(significant(p_with, alpha) != significant(p_without, alpha), 1)
    return [
        {
            **row,
            "first": names[i],
            "second": names[j],
            "p with": p_with[i, j],
            "p without": p_without[i, j],
            "change": GAINED if significant(p_without[i, j], alpha) else LOST,
        }
        for i, j in np.argwhere(turned)
    ]


def _survivals(groups: tuple, runs: list[_Run]) -> Iterator[dict]:
    """Yield the row of `Stability.groups` for each maximal group of the full analysis."""
    groups_by_run = [[frozenset(group) for group in run.groups] for run in runs]
    for group in groups:
        members = frozenset(group)
        exactly = sum(members in groups for groups in groups_by_run)
        within = sum(any(members < other for other in groups) for groups in groups_by_run)
        yield {
            "group": _in_braces(group),
            "size": len(group),
            "exactly": exactly,
            "within a larger one": within,
            "broken": len(groups_by_run) - exactly - within,
            "runs": len(groups_by_run),
        }


def _winner_share(full: Comparison, runs: list[_Run]) -> pd.Series:
    shares = dict.fromkeys(full.order, 0.0)
    for run in runs:
        for name in run.best:
            shares[name] += 1 / len(run.best)
    share = pd.Series(shares, name="share")
    share = share[share > 0] / max(len(runs), 1)
    return share.sort_values(ascending=False, kind="stable")


def _in_braces(group: Sequence[str]) -> str:
    """Return a group as "{a, b}"."""
    return format_set(str(name) for name in group)


RESAMPLES = 200  # default of `replication`
_LARGEST_Z = 8.0  # cap, as exact p-values are bounded below


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replication:
    """Estimated probability that a new experiment of the same size replicates the differences.

    Attributes
    ----------
    resamples, seed : int
        Number of simulated experiments; random seed.
    shrinkage : float
        Factor by which effects are shrunk towards zero.
    every : float
        Share of experiments in which every difference is significant in the same direction.
    best : float or None
        Share of experiments in which the best algorithm is again best, alone or tied; None if the
        comparison has no best algorithm.
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
        """Return the Monte Carlo standard error of a proportion."""
        return float(np.sqrt(share * (1 - share) / self.resamples))


def replication(
    comparison: Comparison | HasComparison,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Replication:
    """Return the estimated probability that a new experiment of the same size replicates the differences.

    Raises SettingError for fewer than one resample, a `seed` that is not whole or anything but a
    `Comparison`, DesignError for fewer than three data sets.

    Notes
    -----
    Each experiment has as many data sets as the comparison. They are drawn by the Bayesian
    bootstrap: weights of the data sets from a flat Dirichlet distribution, then data sets by these
    weights. Resampling alone overestimates replication, since significant effects are overestimated.
    Each drawn data set therefore keeps its results only with probability s; otherwise they are
    permuted among the algorithms, which removes every difference. s = max(0, 1 - 1 / mean(z^2)) over
    all pairs, with z the normal quantile of the unadjusted p, is the empirical Bayes shrinkage factor
    of effects distributed around zero (James and Stein). `benchmarks/replication_probability.py`
    compares these estimates with replication on new data sets.

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
    comparison = comparison_of(comparison)
    if check_whole(resamples, "resamples") < 1:
        raise SettingError.of("no resamples")
    n = len(comparison.units)
    claims = claims_of(comparison)
    if n < FEWEST:
        raise DesignError.of("replication needs data sets", n=n, least=FEWEST)
    check_whole(seed, "seed")
    lost = np.zeros(claims.shape, dtype=int)
    n_all_repeated = 0
    n_best_repeated = 0
    for _, run in repeated(comparison, (resamples, seed), progress=progress):
        lost_now, other_best = lost_claims(
            comparison, claims, None if isinstance(run, str) else run
        )
        lost += lost_now
        n_all_repeated += not lost_now.any()
        n_best_repeated += not other_best
    table = _table_of_claims(comparison, claims, probability=1 - lost / resamples)
    error = np.sqrt(table["probability"] * (1 - table["probability"]) / resamples)
    return Replication(
        resamples=resamples,
        seed=seed,
        shrinkage=_shrinkage(comparison),
        every=n_all_repeated / resamples,
        best=n_best_repeated / resamples if comparison.shape.claim in _WITH_A_BEST else None,
        pairs=table.assign(**{"standard error": error}),
    )


def _resampled(comparison: Comparison, resamples: int, seed: int) -> Iterator[Variation]:
    """Yield the comparison on resampled data sets, with results permuted on a random share 1 - s of them."""
    rng = np.random.default_rng(seed)
    shrinkage = _shrinkage(comparison)
    n = len(comparison.units)
    for count in range(1, resamples + 1):
        positions = rng.choice(n, size=n, p=rng.dirichlet(np.ones(n)))
        columns = _columns(comparison, positions, rng.random(n) > shrinkage, rng)
        yield Variation.of(str(count), partial(comparison.resampled, positions, columns))


def _shrinkage(comparison: Comparison) -> float:
    """Return the factor by which effects are shrunk, estimated from all unadjusted p-values; 0 without any."""
    p = comparison.pairs.decisions["p"].to_numpy(dtype=float)
    z = np.minimum(stats.norm.isf(p[np.isfinite(p)] / 2), _LARGEST_Z)
    mean = float((z**2).mean()) if len(z) else 0.0
    return max(0.0, 1 - 1 / mean) if mean else 0.0


def _columns(
    comparison: Comparison, positions: np.ndarray, mixed: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return the column whose result each algorithm gets: its own or, in rows marked in `mixed`, a permuted one.

    Missing results stay in place.
    """
    available = comparison.scores.notna().to_numpy()[positions % len(comparison.scores)]
    columns = np.tile(np.arange(available.shape[1]), (len(positions), 1))
    for row in np.flatnonzero(mixed):
        present = np.flatnonzero(available[row])
        columns[row, present] = rng.permutation(present)
    return columns
