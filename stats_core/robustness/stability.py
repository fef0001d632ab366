"""Stability of decisions when one data set or one algorithm is left out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
from stats_core.core.formatting import (
    format_count,
    format_percent,
    format_set,
    join_names,
    p_phrase,
)
from stats_core.core.messages import Message
from stats_core.core.significance import significant
from stats_core.inference.multiplicity.corrections import replaced_without
from stats_core.robustness.leave_one_out import (
    LeaveOneOutDecision,
    Run,
    check_all_or_two,
    full_decision,
    runs_without,
)

LOST, GAINED = "no longer separated", "then separated"
_NOW = {LOST: LOST, GAINED: "separated"}  # text after "without it,"
# possible changes, most severe first, in the order of `_severity`
_CHANGES = ("the result of the first test", "the top group", "at least one pair")
_PAIRS = 2  # index of the last change


def in_braces(group: Sequence[str]) -> str:
    """Return a group as "{a, b}"."""
    return format_set(str(name) for name in group)


def change_in_words(
    *,
    best: tuple[Sequence[str], Sequence[str]],
    omnibus: tuple[float, float] | None,
    flips: Sequence[dict],
    alpha: float,
) -> str:
    """Return the differences between the full analysis and a run as text."""
    parts = []
    if omnibus is not None and changes_side(omnibus, alpha):
        verb = "rejects" if significant(omnibus[1], alpha) else "no longer rejects"
        parts.append(f"Iman-Davenport {verb} ({p_phrase(omnibus[1], alpha)})")
    parts += [_pairs(flips, change, alpha) for change in (LOST, GAINED)]
    before, after = best
    if set(before) != set(after):
        ranks = "ranks" if len(after) == 1 else "rank"
        parts.append(f"{join_names(after, 3)} {ranks} best instead of {join_names(before, 3)}")
    return "; ".join(part for part in parts if part)


def changes_side(pvalues: tuple[float, float], alpha: float) -> bool:
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


Progress = Callable[[int, int], None]

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

    Ranks on the other data sets stay, and rank sums change by those on the one left out; nothing
    is ranked anew (`pairs_without_each`).

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
    datasets = _datasets(analysis)
    algorithms = analysis.order if isinstance(analysis, RanksComparison) else []
    runs, total = [], len(datasets) + len(algorithms)
    for count, run in enumerate(runs_without(analysis, datasets, algorithms), start=1):
        runs.append(run)
        if progress is not None:
            progress(count, total)
    result = _summarise(full_decision(analysis), runs, analysis.settings.alpha)
    replaced_runs = tuple(run.name for run in runs if run.decision and run.decision.stood_in)
    return replace(result, note=replaced_without(analysis.settings.correction, replaced_runs))


def _summarise(full: LeaveOneOutDecision, runs: list[Run], alpha: float) -> Stability:
    flips = [_flips(full, run, alpha) for run in runs]
    rows = [_row(full, run, run_flips, alpha) for run, run_flips in zip(runs, flips, strict=True)]
    severity = [
        _severity(full, run, run_flips, alpha) for run, run_flips in zip(runs, flips, strict=True)
    ]
    table = pd.DataFrame(rows, columns=RUNS)
    changed = pd.DataFrame(list(chain.from_iterable(flips)), columns=CHANGED)
    by_dataset = [run.decision for run in runs if run.kind == "data set" and run.decision]
    shares = _winner_share(full, by_dataset)
    return Stability(
        runs=table,
        groups=_groups(full, by_dataset),
        winner_share=shares,
        changed_pairs=changed,
        text=describe_stability(table, severity, shares, changed),
    )


def _datasets(analysis: RanksComparison | TwoComparison) -> list[str]:
    """Return the data sets that can be left out."""
    names = list(analysis.scores.index)
    return names if len(names) > 2 else []


def _flips(full: LeaveOneOutDecision, run: Run, alpha: float) -> list[dict]:
    """Return the pairs whose decision changes in a run."""
    if run.decision is None:
        return []
    remaining = run.decision.adjusted.index
    names = [name for name in full.adjusted.index if name in remaining]
    before, after = (
        table.to_numpy()[np.ix_(*2 * [table.index.get_indexer(names)])]
        for table in (full.adjusted, run.decision.adjusted)
    )
    changed_positions = np.argwhere(
        np.triu(significant(before, alpha) != significant(after, alpha), 1)
    )
    return [
        {
            "left out": run.kind,
            "name": run.name,
            "first": names[i],
            "second": names[j],
            "p with": before[i, j],
            "p without": after[i, j],
            "change": GAINED if significant(after[i, j], alpha) else LOST,
        }
        for i, j in changed_positions
    ]


def _row(full: LeaveOneOutDecision, run: Run, flips: list[dict], alpha: float) -> dict:
    """Return the row of `Stability.runs` for one run."""
    row = {"left out": run.kind, "name": run.name}
    decision = run.decision
    if decision is None:
        empty = {"p": np.nan, "best": "", "groups": "", "separated": 0, "changed": False}
        return {**row, **empty, "change": run.refusal}
    separated = significant(decision.adjusted.to_numpy(), alpha)
    tests = _first_tests(full, decision)
    change = change_in_words(
        best=(full.best(decision.standing.index), decision.best()),
        omnibus=tests,
        flips=flips,
        alpha=alpha,
    )
    return {
        **row,
        "p": decision.pvalue,
        "best": ", ".join(decision.best()),
        "groups": " ".join(in_braces(group) for group in decision.groups if len(group) > 1),
        "separated": int(np.triu(separated, 1).sum()),
        "changed": bool(flips) or (tests is not None and changes_side(tests, alpha)),
        "change": change,
    }


def _first_tests(
    full: LeaveOneOutDecision, decision: LeaveOneOutDecision
) -> tuple[float, float] | None:
    """Return p-values of the first test before and after; None if pairs already show it."""
    if "Wilcoxon" in (full.test, decision.test):
        return None
    return full.pvalue, decision.pvalue


def _severity(full: LeaveOneOutDecision, run: Run, flips: list[dict], alpha: float) -> tuple:
    """Return the severity of a run: first test, leaders, number of pairs, best algorithm."""
    decision = run.decision
    if decision is None:
        return ()
    remaining = list(decision.standing.index)
    tests = _first_tests(full, decision)
    return (
        tests is not None and changes_side(tests, alpha),
        full.leaders(remaining, alpha) != decision.leaders(remaining, alpha),
        len(flips),
        set(full.best(remaining)) != set(decision.best()),
    )


def _groups(full: LeaveOneOutDecision, runs: list[LeaveOneOutDecision]) -> pd.DataFrame:
    groups_by_run = [[frozenset(group) for group in run.groups] for run in runs]
    return pd.DataFrame(_survivals(full, groups_by_run), columns=GROUPS)


def _survivals(full: LeaveOneOutDecision, groups_by_run: list[list[frozenset]]) -> Iterator[dict]:
    for group in full.groups:
        members = frozenset(group)
        exactly = sum(members in groups for groups in groups_by_run)
        within = sum(any(members < other for other in groups) for groups in groups_by_run)
        yield {
            "group": in_braces(group),
            "size": len(group),
            "exactly": exactly,
            "within a larger one": within,
            "broken": len(groups_by_run) - exactly - within,
            "runs": len(groups_by_run),
        }


def _winner_share(full: LeaveOneOutDecision, runs: list[LeaveOneOutDecision]) -> pd.Series:
    shares = dict.fromkeys(full.standing.index, 0.0)
    for best in (run.best() for run in runs):
        for name in best:
            shares[name] += 1 / len(best)
    share = pd.Series(shares, name="share")
    share = share[share > 0] / max(len(runs), 1)
    return share.sort_values(ascending=False, kind="stable")
