"""What changes when something is left out, in words."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.formatting import (
    format_count,
    format_percent,
    format_set,
    join_names,
    p_phrase,
)
from stats_core.core.significance import significant

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
    """Say what differs between the full analysis and the one without something.

    Parameters
    ----------
    best : (before, after)
        The best ranked of the algorithms that are left.
    omnibus : (before, after) or None
        p-values of the Iman-Davenport test; None if there is none.
    flips : sequence of dict
        Rows of `Stability.changed_pairs`.
    alpha : float
        The level.

    Returns
    -------
    str
        Without a full stop, to follow "without it,"; "" if nothing changes.
    """
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

    Parameters
    ----------
    runs : DataFrame
        `Stability.runs`.
    severity : sequence of tuple, one per run
        How much changes, to be compared: whether the first test turns, whether others lead, how
        many pairs turn, whether another ranks best.
    shares : Series by algorithm
        `Stability.winner_share`.
    changed : DataFrame
        `Stability.changed_pairs`.

    Returns
    -------
    str
        The numbers of runs and the data set that changes most, or that none changes a decision.
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
