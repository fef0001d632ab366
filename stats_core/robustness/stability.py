"""Decisions without each data set and without each algorithm."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.average_ranks import RanksComparison
from stats_core.comparison.kinds.two_algorithms import TwoComparison
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
from stats_core.robustness.stability_text import (
    GAINED,
    LOST,
    change_in_words,
    changes_side,
    describe_stability,
    in_braces,
)

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

    Parameters
    ----------
    analysis : RanksComparison or TwoComparison
        From `analyse`.
    progress : callable, optional
        Called as progress(done, total) after each run; what it raises ends the work.

    Returns
    -------
    Stability

    Raises
    ------
    DesignError
        The analysis is not one of all pairs, or of two algorithms, over data sets.

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
