"""Decisions over data sets without each data set or each algorithm."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.control_and_pairs import TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison, compare_ranks
from stats_core.comparison.result import Comparison
from stats_core.core.errors import DesignError
from stats_core.core.formatting import (
    format_count,
    format_percent,
    format_set,
    join_names,
    p_phrase,
)
from stats_core.core.messages import Message
from stats_core.core.result_types import labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import check_kind
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multiplicity.corrections import fallback_correction, replaced_without
from stats_core.inference.paired import sign_test, wilcoxon
from stats_core.inference.pairwise import pairs_without_each, pairwise_result
from stats_core.robustness.variations import GAINED, LOST, Variation, first_pvalue

Progress = Callable[[int, int], None]

FEWEST = 3  # minimum number of data sets for leave-one-out
WITH_A_BEST = ("leads", "better")  # claims that name a best algorithm
_KEPT = "kept leave_one_out"  # attribute of a comparison that caches the result
# possible changes of a run, most severe first, in the order of `_severity`
_CHANGES = ("the result of the first test", "the top group", "at least one pair")
_PAIRS = 2  # index of the last change
_NOW = {LOST: LOST, GAINED: "separated"}  # text after "without it,"


def check_all_or_two(analysis: Comparison, needs: str) -> None:
    """Raise DesignError unless all pairs or two algorithms are compared over data sets."""
    if not isinstance(analysis, RanksComparison | TwoComparison):
        control = analysis.settings.control
        actual = f"is with the control {control}" if control else f"is over {analysis.counted}"
        raise DesignError(
            f"{needs} a comparison of all pairs, or of two algorithms, over data sets. "
            f"This one {actual}. Choose all pairs on Many data sets."
        )


def without_each_dataset(comparison: Comparison) -> Iterator[Variation]:
    """Yield the comparison without each of its data sets; nothing if they are too few."""
    n = len(comparison.units)
    if n < FEWEST:
        return
    raw: Iterable = repeat(None)
    if isinstance(comparison, RanksComparison) and comparison.settings.source != "ranks":
        scores = comparison.scores[comparison.order].to_numpy()
        raw = pairs_without_each(scores, comparison.settings.source)
    for position, (name, tests) in enumerate(zip(comparison.units, raw, strict=False)):
        others = np.delete(np.arange(n), position)
        yield Variation.of(name, partial(_on_datasets, comparison, others, tests))


def _on_datasets(
    comparison: Comparison, others: np.ndarray, tests: tuple[np.ndarray, np.ndarray] | None
) -> Comparison:
    """Return the comparison on the other data sets; `tests` are p-values and effects of pairs."""
    if isinstance(comparison, RanksComparison):
        scores = comparison.scores[comparison.order].iloc[others]
        raw = None
        if tests is not None:
            raw = pairwise_result(comparison.settings.source, scores.columns, len(scores), *tests)
        return compare_ranks(replace(comparison.inputs, scores=scores), raw)
    if isinstance(comparison, TwoComparison):
        scores = comparison.scores.iloc[others]
        x, y = scores[comparison.first], scores[comparison.second]
        return replace(
            comparison,
            scores=scores,
            wilcoxon=wilcoxon(x, y),
            sign=sign_test(x, y),
            interval=(np.nan, np.nan),  # slow, and not asked for
        )
    return comparison.resampled(others)


def without_each_algorithm(comparison: RanksComparison) -> Iterator[Variation]:
    """Yield the comparison without each algorithm; the last two are compared by Wilcoxon."""
    for name in comparison.order:
        yield Variation.of(name, partial(_without_algorithm, comparison, name))


def _without_algorithm(comparison: RanksComparison, name: str) -> Comparison:
    settings, others = comparison.settings, [n for n in comparison.order if n != name]
    if len(others) == 2:
        without = (*settings.without_algorithms, name)
        return analyse(comparison.results, replace(settings, without_algorithms=without))
    raw = None
    if settings.source != "ranks":  # tests of single pairs stay
        statistics, pvalues = (
            table.loc[others, others]
            for table in (comparison.raw.statistics, comparison.raw.pvalues)
        )
        raw = replace(comparison.raw, statistics=statistics, pvalues=pvalues)
    return compare_ranks(replace(comparison.inputs, scores=comparison.scores[others]), raw)


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
    claims, runs = claims_of(comparison), []
    for variation in without_each_dataset(comparison):
        runs.append(lost_claims(comparison, claims, variation.comparison))
        if progress is not None:
            progress(len(runs), len(units))
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
        pairs=table_of_claims(comparison, claims, runs=lost_pairs.sum(axis=0)),
    )


def claims_of(comparison: Comparison, names: Sequence[str] | None = None) -> np.ndarray:
    """Return whether the row is significantly better than the column, in data order."""
    names, beats = list(comparison.scores.columns if names is None else names), comparison.beats
    rows, columns = beats.index.get_indexer(names), beats.columns.get_indexer(names)
    return beats.to_numpy(dtype=bool)[np.ix_(rows, columns)]


def lost_claims(
    comparison: Comparison, claims: np.ndarray, run: Comparison | None
) -> tuple[np.ndarray, str]:
    """Return the claims that a run loses, and the best algorithm there if it changed."""
    names_best = comparison.claim in WITH_A_BEST
    if run is None:
        return claims.copy(), "none" if names_best else ""
    lost = claims & ~claims_of(run, list(comparison.scores.columns))
    if not names_best or comparison.order[0] in run.top:
        return lost, ""
    return lost, ", ".join(run.top)


def _named(comparison: Comparison, pairs: np.ndarray) -> list[str]:
    names = list(comparison.scores.columns)
    return [f"{names[i]} vs. {names[j]}" for i, j in np.argwhere(pairs)]


def table_of_claims(
    comparison: Comparison, claims: np.ndarray, **values: np.ndarray
) -> pd.DataFrame:
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


RUNS = ["left out", "name", "p", "best", "groups", "separated", "changed", "change"]
CHANGED = ["left out", "name", "first", "second", "p with", "p without", "change"]
GROUPS = ["group", "size", "exactly", "within a larger one", "broken", "runs"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stability:
    """Decisions without each data set and without each algorithm.

    Attributes
    ----------
    runs : DataFrame
        One row per thing left out: left out ("data set" or "algorithm"), name, p (Iman-Davenport;
        Wilcoxon if two algorithms are left), best (the best ranked), groups (maximal groups of
        two or more), separated (number of pairs), changed (whether the first test or a pair is
        decided otherwise), change (in words; also the best ranked then; "" if nothing).
    groups : DataFrame
        One row per maximal group of the full analysis: group, size, and in how many of the
        runs without one data set it stays a group exactly, lies within a larger one, or is
        broken because two of its members are then separated.
    winner_share : Series by algorithm
        In which share of the runs without one data set each algorithm ranks best, largest
        first; algorithms that never do are not listed, a shared first place counts in parts.
    changed_pairs : DataFrame
        One row per pair and thing left out that turns the pair's decision: left out, name,
        first (better ranked over all), second, p with, p without (adjusted), change.
    text : str
        How many runs without one data set change the first test, the top group, or a pair.
    note : Note, optional
        Runs in which Shaffer replaced Bergmann-Hommel, so that decisions can change.
    """

    runs: pd.DataFrame
    groups: pd.DataFrame
    winner_share: pd.Series
    changed_pairs: pd.DataFrame
    text: str
    note: Message | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per run."""
        return self.runs.copy()


def stability(
    analysis: RanksComparison | TwoComparison, *, progress: Progress | None = None
) -> Stability:
    """Would the verdict be another without one of the data sets, or one of the algorithms?

    Notes
    -----
    The whole chain runs again each time with the same settings: ranks, first test, tests of all
    pairs, correction, groups. Without a data set the ranks on the others stay; without an
    algorithm they change, and so can the decision about two others, because the difference of
    two average ranks depends on the algorithms between them. Decisions are compared among the
    algorithms that are left. If two are left their averages are compared by Wilcoxon. Two data
    sets are too few to leave one out. One data set less also means less power, so decisions
    near alpha turn easily.

    References
    ----------
    Benavoli, Corani and Mangili, JMLR 17 (2016) 5: decisions that hang on the pool of algorithms.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) by Holm: C4.5 and CN2 are not separated
    (p 0.051), but are if Kernel takes no part (p 0.017).

    >>> import pandas as pd
    >>> from stats_core.comparison.analyse import Settings, analyse
    >>> from stats_core.data.results import Results
    >>> scores = pd.DataFrame({"a": [1, 2, 3, 4, 5, 6, 7, 8, 0], "b": [0] * 8 + [9]})
    >>> scores["dataset"] = ["d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "odd"]
    >>> long = scores.melt("dataset", var_name="algorithm", value_name="error")
    >>> results = Results.from_frame(long, directions={"error": "lower"})
    >>> stability(analyse(results, Settings(alpha=0.01))).text
    '1 of 9 runs without one data set changes the decision. Without odd, b and a are separated (p 0.008).'
    """
    check_all_or_two(analysis, "Stability needs")
    whole = _decided(analysis, analysis.order)
    groups = _Groups(analysis.settings.alpha)
    total = len(analysis.units) if len(analysis.units) >= FEWEST else 0
    total += len(analysis.order) if isinstance(analysis, RanksComparison) else 0
    runs: list[_Run] = []

    def add(run: _Run) -> None:
        runs.append(run)
        if progress is not None:
            progress(len(runs), total)

    for variation in without_each_dataset(analysis):
        add(_run("data set", whole, variation, groups))
    if isinstance(analysis, RanksComparison):
        for variation in without_each_algorithm(analysis):
            others = [name for name in analysis.order if name != variation.name]
            add(_run("algorithm", _decided(analysis, others), variation, groups))
    table = pd.DataFrame([run.row for run in runs], columns=RUNS)
    changed = pd.DataFrame(chain.from_iterable(run.flips for run in runs), columns=CHANGED)
    by_dataset = [run for run in runs if run.kind == "data set" and run.best]
    shares = _winner_share(analysis, by_dataset)
    replaced = tuple(run.row["name"] for run in runs if run.stood_in)
    return Stability(
        runs=table,
        groups=pd.DataFrame(_survivals(groups.of(whole), by_dataset), columns=GROUPS),
        winner_share=shares,
        changed_pairs=changed,
        text=describe_stability(table, [run.severity for run in runs], shares, changed),
        note=replaced_without(analysis.settings.correction, replaced),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Run:
    """What one run changes; `groups`, `best` and `severity` are empty if it is refused."""

    kind: str
    row: dict
    flips: list[dict]
    severity: tuple = ()
    groups: tuple = ()
    best: tuple = ()
    stood_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Decided:
    """Decisions of a comparison about some algorithms, all arrays in their order.

    `standing` is small for good algorithms: average ranks, or a signed difference of two.
    """

    names: list[str]
    standing: np.ndarray
    adjusted: np.ndarray
    beats: np.ndarray
    first_p: float
    of_two: bool

    @property
    def best(self) -> tuple[str, ...]:
        """The best ranked, several if they tie."""
        positions = np.flatnonzero(self.standing <= self.standing.min() + 1e-9)
        return tuple(self.names[i] for i in positions)

    @property
    def leaders(self) -> list[bool]:
        """Whether none of the others is better."""
        return [not column.any() for column in self.beats.T]


def _decided(comparison: Comparison, names: list[str]) -> _Decided:
    """Return the decisions of a comparison about some of its algorithms."""
    if isinstance(comparison, RanksComparison):
        standing, adjusted = comparison.friedman.average_ranks, comparison.adjusted
    else:
        assert isinstance(comparison, TwoComparison)
        advantage, p = comparison.wilcoxon.estimate, comparison.wilcoxon.pvalue
        sign = -1 if comparison.higher_is_better else 1
        pair = [comparison.first, comparison.second]
        standing = pd.Series([sign * advantage, -sign * advantage], pair)
        adjusted = labeled_matrix(np.array([[1.0, p], [p, 1.0]]), pair)
    rows = adjusted.index.get_indexer(names)
    return _Decided(
        names=names,
        standing=standing.to_numpy()[standing.index.get_indexer(names)],
        adjusted=adjusted.to_numpy()[np.ix_(rows, rows)],
        beats=claims_of(comparison, names),
        first_p=first_pvalue(comparison),
        of_two=isinstance(comparison, TwoComparison),
    )


class _Groups:
    """Maximal groups, searched once for each set of pairs that differ."""

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self._known: dict[tuple, tuple] = {}

    def of(self, decided: _Decided) -> tuple[tuple[str, ...], ...]:
        """Return the maximal groups without a pair that differs."""
        key = (*decided.names, significant(decided.adjusted, self.alpha).tobytes())
        if key not in self._known:
            adjusted = labeled_matrix(decided.adjusted, decided.names)
            self._known[key] = tuple(cliques(adjusted, self.alpha))
        return self._known[key]


def _run(kind: str, before: _Decided, variation: Variation, known: _Groups) -> _Run:
    """Return the changes of one run."""
    run, alpha = variation.comparison, known.alpha
    row: dict = {"left out": kind, "name": variation.name}
    if run is None:
        empty = {"p": np.nan, "best": "", "groups": "", "separated": 0, "changed": False}
        return _Run(kind=kind, row={**row, **empty, "change": variation.refusal}, flips=[])
    after = _decided(run, before.names)
    last_two = after.of_two and not before.of_two
    groups = known.of(_decided(run, run.order) if last_two else after)
    flips = _flips(row, before, after, alpha)
    # of two algorithms the pair already shows the first test
    first_tests = None if after.of_two else (before.first_p, after.first_p)
    first_turns = first_tests is not None and _changes_side(first_tests, alpha)
    row |= {
        "p": after.first_p,
        "best": ", ".join(after.best),
        "groups": " ".join(_in_braces(group) for group in groups if len(group) > 1),
        "separated": int(np.triu(significant(after.adjusted, alpha), 1).sum()),
        "changed": bool(flips) or first_turns,
        "change": _change_in_words(
            best=(before.best, after.best), omnibus=first_tests, flips=flips, alpha=alpha
        ),
    }
    return _Run(
        kind=kind,
        row=row,
        flips=flips,
        severity=(
            first_turns,
            before.leaders != after.leaders,
            len(flips),
            before.best != after.best,
        ),
        groups=groups,
        best=after.best,
        stood_in=isinstance(run, RanksComparison) and fallback_correction(run.adjusted),
    )


def _flips(row: dict, before: _Decided, after: _Decided, alpha: float) -> list[dict]:
    """Return the pairs whose decision changes."""
    names, p_with, p_without = before.names, before.adjusted, after.adjusted
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


def _change_in_words(
    *,
    best: tuple[Sequence[str], Sequence[str]],
    omnibus: tuple[float, float] | None,
    flips: Sequence[dict],
    alpha: float,
) -> str:
    """Return the differences between the full analysis and a run as text."""
    parts = []
    if omnibus is not None and _changes_side(omnibus, alpha):
        verb = "rejects" if significant(omnibus[1], alpha) else "no longer rejects"
        parts.append(f"Iman-Davenport {verb} ({p_phrase(omnibus[1], alpha)})")
    parts += [_pairs(flips, change, alpha) for change in (LOST, GAINED)]
    before, after = best
    if set(before) != set(after):
        ranks = "ranks" if len(after) == 1 else "rank"
        parts.append(f"{join_names(after, 3)} {ranks} best instead of {join_names(before, 3)}")
    return "; ".join(part for part in parts if part)


def _changes_side(pvalues: tuple[float, float], alpha: float) -> bool:
    """Return whether two p-values lie on different sides of alpha."""
    return significant(pvalues[0], alpha) != significant(pvalues[1], alpha)


def _pairs(flips: Sequence[dict], change: str, alpha: float) -> str:
    """Return text on the pairs with one kind of change."""
    changed_pairs = [flip for flip in flips if flip["change"] == change]
    if not changed_pairs:
        return ""
    if len(changed_pairs) == 1:
        flip = changed_pairs[0]
        p = p_phrase(flip["p without"], alpha)
        return f"{flip['first']} and {flip['second']} are {_NOW[change]} ({p})"
    names = join_names([f"{flip['first']} vs {flip['second']}" for flip in changed_pairs], 3)
    return f"{format_count(len(changed_pairs), 'pair')} are {_NOW[change]} ({names})"


def describe_stability(
    runs: pd.DataFrame, severity: Sequence[tuple], shares: pd.Series, changed: pd.DataFrame
) -> str:
    """Return how many runs change the first test, the top group or a pair, as text.

    The top group consists of the algorithms that no other is significantly better than.
    """
    is_set = runs["left out"] == "data set"
    n, worst_run = int(is_set.sum()), _worst(runs, severity, "data set")
    if worst_run is None:
        unchanged_text, worst_algorithm = _steady(n, shares), _worst(runs, severity, "algorithm")
        return (
            f"{unchanged_text}."
            if worst_algorithm is None
            else f"{unchanged_text}. {_without(worst_algorithm)}"
        )
    of_sets = [change for change, is_dataset in zip(severity, is_set, strict=True) if is_dataset]
    runs_of = [sum(bool(change and change[index]) for change in of_sets) for index in range(3)]
    if is_set.all():  # of two algorithms
        verb = "changes" if runs_of[_PAIRS] == 1 else "change"
        counted = f"{runs_of[_PAIRS]} of {format_count(n, 'run')} without one data set {verb} the decision"
    else:
        parts = [
            f"{change_name} in {count}"
            for change_name, count in zip(_CHANGES, runs_of, strict=True)
            if count
        ]
        counted = f"{format_count(n, 'run')} without one data set change {join_names(parts)}"
    return f"{counted}{_most_often(changed)}. {_without(worst_run)}"


def _without(run: pd.Series) -> str:
    """Return the changes of one run as a sentence."""
    return f"Without {run['name']}, {run['change']}."


def _most_often(changed: pd.DataFrame) -> str:
    """Return a phrase on the pair that changes in most runs; continues a sentence."""
    rows = changed[changed["left out"] == "data set"]
    counts = rows.groupby(["first", "second"], sort=False).size()
    if len(counts) < 2 or counts.max() < 2:
        return ""
    (a, b), times = counts.idxmax(), counts.max()
    return f" (most often {a} vs. {b}, in {times})"


def _steady(n: int, shares: pd.Series) -> str:
    """Return a sentence that no decision changes, with the algorithms that rank best."""
    if not n:
        return "Two data sets are too few to leave one out"
    steady = f"None of {format_count(n, 'run')} without one data set changes a decision"
    if len(shares) == 1:
        return f"{steady}. {shares.index[0]} always ranks best"
    labels = [f"{name} ({format_percent(round(share, 2))})" for name, share in shares.items()]
    return f"{steady}. The best average rank has {join_names(labels, 3)}"


def _worst(runs: pd.DataFrame, severity: Sequence[tuple], kind: str) -> pd.Series | None:
    """Return the run with the most severe change, the first if tied; None without changes."""
    positions = np.flatnonzero(runs["changed"] & (runs["left out"] == kind))
    if not len(positions):
        return None
    return runs.iloc[max(positions, key=lambda position: severity[int(position)])]
