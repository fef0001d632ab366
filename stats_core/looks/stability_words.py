"""What changes when something is left out, in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.significance import significant
from stats_core.core.words import braced, capital, count, listed, p_phrase, percent

LOST, GAINED = "no longer separated", "then separated"
_NOW = {LOST: LOST, GAINED: "separated"}  # after "without it,"
# what can hang on something left out, gravest first, as in the severities of `summary`
_HANGS = (
    "whether the algorithms differ at all hangs",
    "who is unbeaten hangs",
    "single pairs hang",
)
_PAIRS = 2  # the place of the last


def in_braces(group: Sequence[str]) -> str:
    """Write a group as "{a, b}"."""
    return braced(str(name) for name in group)


def change_in_words(
    *,
    best: tuple[Sequence[str], Sequence[str]],
    omnibus: tuple[float, float] | None,
    flips: Sequence[dict],
    alpha: float,
) -> str:
    """Say what differs between the full analysis and the one without something.

    Parameters
    ----------
    best : (before, after)
        The best ranked of the algorithms that are left.
    omnibus : (before, after) or None
        p-values of the Iman-Davenport test; None if there is none.
    flips : sequence of dict
        Rows of `Stability.fragile`.
    alpha : float
        The level.

    Returns
    -------
    str
        Without a full stop, to follow "without it,"; "" if nothing changes.
    """
    parts = []
    if omnibus is not None and turns(omnibus, alpha):
        verb = "rejects" if significant(omnibus[1], alpha) else "no longer rejects"
        parts.append(f"Iman-Davenport {verb} ({p_phrase(omnibus[1], alpha)})")
    parts += [_pairs(flips, change, alpha) for change in (LOST, GAINED)]
    before, after = best
    if set(before) != set(after):
        ranks = "ranks" if len(after) == 1 else "rank"
        parts.append(f"{listed(after, 3)} {ranks} best instead of {listed(before, 3)}")
    return "; ".join(part for part in parts if part)


def turns(pvalues: tuple[float, float], alpha: float) -> bool:
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
    names = listed([f"{flip['first']} vs {flip['second']}" for flip in turned], 3)
    return f"{count(len(turned), 'pair')} are {_NOW[change]} ({names})"


def summary(
    runs: pd.DataFrame, severity: Sequence[tuple], shares: pd.Series, fragile: pd.DataFrame
) -> str:
    """Say what hangs on one data set: the first test, who leads, or single pairs.

    Parameters
    ----------
    runs : DataFrame
        `Stability.runs`.
    severity : sequence of tuple, one per run
        How much changes, to be compared: whether the first test turns, whether others lead, how
        many pairs turn, whether another ranks best.
    shares : Series by algorithm
        `Stability.winner_share`.
    fragile : DataFrame
        `Stability.fragile`.

    Returns
    -------
    str
        "Who is unbeaten hangs on ...: without it, ..." and on how many data sets single pairs hang, or
        that no single data set changes a decision.
    """
    is_set = runs["left out"] == "data set"
    n, said = int(is_set.sum()), _worst(runs, severity, "data set")
    if said is None:
        steady, pool = _steady(n, shares), _worst(runs, severity, "algorithm")
        if pool is None:
            return f"{steady}."
        what = _HANGS[_level(severity[pool.name])]
        return f"{steady}, but {what} on who takes part: without {pool['name']}, {pool['change']}."
    level = _level(severity[said.name])
    of_sets = [change for change, one in zip(severity, is_set, strict=True) if one]
    hang = [sum(bool(change and change[place]) for change in of_sets) for place in range(3)]
    which = "most on" if list(severity).count(severity[said.name]) == 1 else "for example"
    several = f"{hang[level]} of {count(n, 'data set')}, {which} " if hang[level] > 1 else ""
    what = "the verdict hangs" if is_set.all() else _HANGS[level]  # of two algorithms
    sentence = f"{what} on {several}{said['name']}: without it, {said['change']}."
    beside = "" if is_set.all() else _beside(level, hang, n, fragile)
    return f"{capital(sentence)}{beside}"


def _level(change: tuple) -> int:
    """Return the place of the gravest thing that changes."""
    return next(place for place in range(3) if change[place])


def _beside(level: int, hang: Sequence[int], n: int, fragile: pd.DataFrame) -> str:
    """Say of the less grave changes on how many data sets they hang, of graver ones that none do."""
    if level == _PAIRS:
        return " Who is unbeaten stays the same without any one of them."
    if hang[_PAIRS] <= hang[level]:
        return ""
    turned = fragile[fragile["left out"] == "data set"]
    often = turned.groupby(["first", "second"], sort=False).size()
    (a, b), times = often.idxmax(), often.max()
    mostly = f", most often {a} vs {b} ({times} times)" if times > 1 else ""
    return f" Single pairs hang on {hang[_PAIRS]} of {count(n, 'data set')}{mostly}."


def _steady(n: int, shares: pd.Series) -> str:
    """Say that no data set changes a decision, and who then ranks best."""
    if not n:
        return "Two data sets are too few to leave one out"
    steady = f"Leaving out any one of the {count(n, 'data set')} changes no decision"
    if len(shares) == 1:
        return f"{steady}; {shares.index[0]} always ranks best"
    often = [f"{name} ({percent(round(share, 2))})" for name, share in shares.items()]
    return f"{steady}; best then ranks {listed(often, 3)}"


def _worst(runs: pd.DataFrame, severity: Sequence[tuple], kind: str) -> pd.Series | None:
    """Return the run that changes most, the first of several, or None."""
    places = np.flatnonzero(runs["changed"] & (runs["left out"] == kind))
    if not len(places):
        return None
    return runs.iloc[max(places, key=lambda place: severity[int(place)])]
