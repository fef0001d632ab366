"""What changes when something is left out, in words."""

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
_NOW = {LOST: LOST, GAINED: "separated"}  # after "without it,"
# what can change without something, gravest first, as in the severities of `summary`
_CHANGES = ("the result of the first test", "the top group", "at least one pair")
_PAIRS = 2  # the place of the last


def in_braces(group: Sequence[str]) -> str:
    """Write a group as "{a, b}"."""
    return format_set(str(name) for name in group)


def change_in_words(
    *,
    best: tuple[Sequence[str], Sequence[str]],
    omnibus: tuple[float, float] | None,
    flips: Sequence[dict],
    alpha: float,
) -> str:
    """Say what differs between the full analysis and the one without something."""
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
    """Tell whether two p-values lie on different sides of alpha."""
    return significant(pvalues[0], alpha) != significant(pvalues[1], alpha)


def _pairs(flips: Sequence[dict], change: str, alpha: float) -> str:
    """Say which pairs are then separated, or no longer."""
    turned = [flip for flip in flips if flip["change"] == change]
    if not turned:
        return ""
    if len(turned) == 1:
        flip = turned[0]
        p = p_phrase(flip["p without"], alpha)
        return f"{flip['first']} and {flip['second']} are {_NOW[change]} ({p})"
    names = join_names([f"{flip['first']} vs {flip['second']}" for flip in turned], 3)
    return f"{format_count(len(turned), 'pair')} are {_NOW[change]} ({names})"


def describe_stability(
    runs: pd.DataFrame, severity: Sequence[tuple], shares: pd.Series, changed: pd.DataFrame
) -> str:
    """Say how many runs without one data set change the first test, the top group, or a pair.

    The top group are the algorithms that no other is significantly better than.
    """
    is_set = runs["left out"] == "data set"
    n, said = int(is_set.sum()), _worst(runs, severity, "data set")
    if said is None:
        steady, pool = _steady(n, shares), _worst(runs, severity, "algorithm")
        return f"{steady}." if pool is None else f"{steady}. {_without(pool)}"
    of_sets = [change for change, one in zip(severity, is_set, strict=True) if one]
    runs_of = [sum(bool(change and change[place]) for change in of_sets) for place in range(3)]
    if is_set.all():  # of two algorithms
        verb = "changes" if runs_of[_PAIRS] == 1 else "change"
        counted = f"{runs_of[_PAIRS]} of {format_count(n, 'run')} without one data set {verb} the decision"
    else:
        parts = [f"{what} in {many}" for what, many in zip(_CHANGES, runs_of, strict=True) if many]
        counted = f"{format_count(n, 'run')} without one data set change {join_names(parts)}"
    return f"{counted}{_most_often(changed)}. {_without(said)}"


def _without(run: pd.Series) -> str:
    """Say what one run changes."""
    return f"Without {run['name']}, {run['change']}."


def _most_often(changed: pd.DataFrame) -> str:
    """Name the pair that is decided otherwise in most runs; goes on after "at least one pair in 9"."""
    turned = changed[changed["left out"] == "data set"]
    often = turned.groupby(["first", "second"], sort=False).size()
    if len(often) < 2 or often.max() < 2:
        return ""
    (a, b), times = often.idxmax(), often.max()
    return f" (most often {a} vs. {b}, in {times})"


def _steady(n: int, shares: pd.Series) -> str:
    """Say that no data set changes a decision, and who then ranks best."""
    if not n:
        return "Two data sets are too few to leave one out"
    steady = f"None of {format_count(n, 'run')} without one data set changes a decision"
    if len(shares) == 1:
        return f"{steady}. {shares.index[0]} always ranks best"
    often = [f"{name} ({format_percent(round(share, 2))})" for name, share in shares.items()]
    return f"{steady}. The best average rank has {join_names(often, 3)}"


def _worst(runs: pd.DataFrame, severity: Sequence[tuple], kind: str) -> pd.Series | None:
    """Return the run that changes most, the first of several, or None."""
    places = np.flatnonzero(runs["changed"] & (runs["left out"] == kind))
    if not len(places):
        return None
    return runs.iloc[max(places, key=lambda place: severity[int(place)])]


Progress = Callable[[int, int], None]

RUNS = ["left out", "name", "p", "best", "groups", "separated", "changed", "change"]
CHANGED = ["left out", "name", "first", "second", "p with", "p without", "change"]
GROUPS = ["group", "size", "exactly", "within a larger one", "broken", "runs"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stability:
    """What the verdict becomes without each data set and without each algorithm.

    Attributes
    ----------
    runs : DataFrame
        One row per thing left out: left out ("data set" or "algorithm"), name, p (Iman-Davenport;
        Wilcoxon if two algorithms are left), best (the best ranked), groups (maximal groups of
        two or more), separated (number of pairs), changed (whether the first test or a pair is
        decided otherwise), change (in words; also who then ranks best; "" if nothing).
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
        In which runs Shaffer stands in for Bergmann-Hommel, which is why decisions there can turn.
    """

    runs: pd.DataFrame
    groups: pd.DataFrame
    winner_share: pd.Series
    changed_pairs: pd.DataFrame
    text: str
    note: Message | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one row per thing left out."""
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
    two average ranks depends on who stands between them. Decisions are compared among the
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
    for done, run in enumerate(runs_without(analysis, datasets, algorithms), start=1):
        runs.append(run)
        if progress is not None:
            progress(done, total)
    found = _summarise(full_decision(analysis), runs, analysis.settings.alpha)
    instead = tuple(run.name for run in runs if run.decision and run.decision.stood_in)
    return replace(found, note=replaced_without(analysis.settings.correction, instead))


def _summarise(full: LeaveOneOutDecision, runs: list[Run], alpha: float) -> Stability:
    flips = [_flips(full, run, alpha) for run in runs]
    rows = [_row(full, run, turned, alpha) for run, turned in zip(runs, flips, strict=True)]
    severity = [
        _severity(full, run, turned, alpha) for run, turned in zip(runs, flips, strict=True)
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
    """Return the pairs whose decision is another without what was left out."""
    if run.decision is None:
        return []
    there = run.decision.adjusted.index
    names = [name for name in full.adjusted.index if name in there]
    before, after = (
        table.to_numpy()[np.ix_(*2 * [table.index.get_indexer(names)])]
        for table in (full.adjusted, run.decision.adjusted)
    )
    turned = np.argwhere(np.triu(significant(before, alpha) != significant(after, alpha), 1))
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
        for i, j in turned
    ]


def _row(full: LeaveOneOutDecision, run: Run, flips: list[dict], alpha: float) -> dict:
    """Return the row of `Stability.runs` of one run."""
    row = {"left out": run.kind, "name": run.name}
    decision = run.decision
    if decision is None:
        nothing = {"p": np.nan, "best": "", "groups": "", "separated": 0, "changed": False}
        return {**row, **nothing, "change": run.refusal}
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
    """Return p-values of the first test before and after; None if the pairs already say it."""
    if "Wilcoxon" in (full.test, decision.test):
        return None
    return full.pvalue, decision.pvalue


def _severity(full: LeaveOneOutDecision, run: Run, flips: list[dict], alpha: float) -> tuple:
    """Tell how much changes: the first test, who leads, how many pairs, who ranks best."""
    decision = run.decision
    if decision is None:
        return ()
    left = list(decision.standing.index)
    tests = _first_tests(full, decision)
    return (
        tests is not None and changes_side(tests, alpha),
        full.leaders(left, alpha) != decision.leaders(left, alpha),
        len(flips),
        set(full.best(left)) != set(decision.best()),
    )


def _groups(full: LeaveOneOutDecision, runs: list[LeaveOneOutDecision]) -> pd.DataFrame:
    found = [[frozenset(group) for group in run.groups] for run in runs]
    return pd.DataFrame(_survivals(full, found), columns=GROUPS)


def _survivals(full: LeaveOneOutDecision, found: list[list[frozenset]]) -> Iterator[dict]:
    for group in full.groups:
        members = frozenset(group)
        exactly = sum(members in groups for groups in found)
        within = sum(any(members < other for other in groups) for groups in found)
        yield {
            "group": in_braces(group),
            "size": len(group),
            "exactly": exactly,
            "within a larger one": within,
            "broken": len(found) - exactly - within,
            "runs": len(found),
        }


def _winner_share(full: LeaveOneOutDecision, runs: list[LeaveOneOutDecision]) -> pd.Series:
    shares = dict.fromkeys(full.standing.index, 0.0)
    for best in (run.best() for run in runs):
        for name in best:
            shares[name] += 1 / len(best)
    share = pd.Series(shares, name="share")
    share = share[share > 0] / max(len(runs), 1)
    return share.sort_values(ascending=False, kind="stable")
