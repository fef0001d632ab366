"""Pairs whose results are the same, everywhere or mostly: what is said instead of a test."""

import numpy as np

from stats_core.comparison.base import Comparison
from stats_core.core.checks import TIE_TOLERANCE, near_nothing, near_zero, shares_of_ties
from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.words import count, listed, number
from stats_core.inference.paired.intervals import mostly_equal

_NAMED = 3  # pairs in one sentence


def everywhere(c: Comparison) -> str:
    """Say where all results come from: "on all 20 data sets", "in all 15 folds"."""
    n, noun = len(c.scores if c.paired_results is None else c.paired_results), c.counted.noun
    where = "on" if noun == "data set" else "in"
    return f"{where} {'both' if n == 2 else f'all {n:,}'} {noun}s"


def instead_of_interval(c: Comparison, first: str, second: str) -> str:
    """Say what stands instead of a median difference with interval; "" where there is one.

    Where more than half of the differences are zero the median is zero, whatever the others are.
    """
    if {first, second} in map(set, c.identical):
        return f"{first} and {second} are identical {everywhere(c)}."
    both = c.scores[[first, second]].dropna()
    x, y = (both[name].to_numpy() for name in (first, second))
    if not len(both) or not mostly_equal(x, y):
        return ""
    measure, mean = c.settings.measure, number(float((x - y).mean()), c.digits)
    return (
        f"Difference in mean {measure}, {first} − {second}: {mean}. There is no confidence interval: "
        f"{first} and {second} have the same {measure} on {int(near_zero(x, y).sum())} of "
        f"{count(len(both), 'data set')}."
    )


def same_notes(c: Comparison) -> list[Note]:
    """Name the pairs that are identical, whose differences are rounding errors, or mostly zero."""
    found = c.paired_results
    if found is None:
        return []
    said, values = [], {name: found[name].to_numpy(dtype=float) for name in c.order}
    below = [pair for pair in _small(c, values) if not _exact(*(values[name] for name in pair))]
    if below:
        tolerance = TIE_TOLERANCE if {*below} <= {*c.identical} else 1e-12
        said.append(note("below tolerance", pairs=_names(below), tolerance=tolerance))
    if c.identical and not c.obstacle:
        said.append(note("identical pairs", pairs=_names(c.identical), where=everywhere(c)))
    return said


def mostly_equal_note(c: Comparison) -> list[Note]:
    """Name the pairs of the table that have no interval, as most of their differences are zero."""
    names = list(c.order)
    shares = shares_of_ties(c.scores[names].to_numpy(dtype=float))
    places = np.argwhere(np.triu((shares > 0.5) & (shares < 1), 1))
    pairs = [(names[i], names[j]) for i, j in places]
    if c.settings.control:
        pairs = [pair for pair in pairs if c.settings.control in pair]
    return [note("mostly equal", pairs=_names(pairs), measure=c.settings.measure)] if pairs else []


def _small(c: Comparison, values: dict[str, np.ndarray]) -> list[tuple[str, str]]:
    """Return the pairs that count as identical by some test: of means all below 1e-12, too."""
    pairs = list(c.identical)
    if c.counted.noun != "data set" and len(values) < 60:
        names = list(values)
        pairs += [
            (a, b)
            for i, a in enumerate(names)
            for b in names[i + 1 :]
            if (a, b) not in pairs and near_nothing(values[a] - values[b], values[a], values[b])
        ]
    return pairs


def _exact(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(np.array_equal(x, y, equal_nan=True))


def _names(pairs: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return tuple(f"{first} and {second}" for first, second in pairs)


@worded("identical pairs")
def _identical(voice: Voice, pairs: tuple[str, ...], where: str) -> str:
    return f"{listed(pairs, _NAMED)} are identical {where}, so there is nothing to test."


@worded("below tolerance")
def _below(voice: Voice, pairs: tuple[str, ...], tolerance: float) -> str:
    relative = "relative to the values" if tolerance == TIE_TOLERANCE else "in the measure's units"
    return (
        f"All differences between {listed(pairs, _NAMED)} are below the tolerance for rounding errors "
        f"({tolerance:g} {relative}) and count as zero."
        + ("" if voice.in_paper else " Give the measure in other units, or without a constant.")
    )


@worded("mostly equal")
def _mostly(voice: Voice, pairs: tuple[str, ...], measure: str) -> str:
    return (
        f"No confidence interval of the difference is given for {listed(pairs, _NAMED)}: more than half "
        f"of the differences in {measure} are zero, so their median is zero, too."
    )
