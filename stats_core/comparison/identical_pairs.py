"""Pairs with identical or mostly equal results, and the text shown instead of a test."""

from collections.abc import Sequence

import numpy as np

from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, format_number
from stats_core.core.messages import Message, message
from stats_core.core.validation import shares_of_ties, ties_mask
from stats_core.inference.paired.signed_ranks import mostly_equal

Pair = tuple[str, str]


def everywhere(c: Comparison) -> str:
    """Return a phrase for all units compared: "on all 20 data sets", "in all 15 folds"."""
    n, noun = len(c.scores if c.paired_results is None else c.paired_results), c.counted.noun
    preposition = "on" if noun == "data set" else "in"
    return f"{preposition} {'both' if n == 2 else f'all {n:,}'} {noun}s"


def instead_of_interval(c: Comparison, first: str, second: str) -> str:
    """Return the text shown instead of a median with interval; "" if there is an interval.

    If more than half of the differences are zero, the median is zero regardless of the others.
    """
    if text := identical_said(c, first, second):
        return text
    paired = c.scores[[first, second]].dropna()
    x, y = (paired[name].to_numpy() for name in (first, second))
    if not len(paired) or not mostly_equal(x, y):
        return ""
    measure, mean = c.settings.measure, format_number(float((x - y).mean()), c.digits)
    return (
        f"Difference in mean {measure}, {first} − {second}: {mean}. There is no confidence interval: "
        f"{first} and {second} have the same {measure} on {int(ties_mask(x, y).sum())} of "
        f"{format_count(len(paired), 'data set')}."
    )


def identical_said(c: Comparison, first: str, second: str) -> str:
    """Return a sentence if two algorithms are identical, else ""."""
    are_identical = {first, second} in map(set, c.identical)
    return f"{first} and {second} are identical {everywhere(c)}." if are_identical else ""


def rounding_only(c: Comparison) -> list[Pair]:
    """Return the pairs that are identical only up to rounding errors."""
    values = c.paired_results
    if values is None:
        return []
    return [(a, b) for a, b in c.identical if not values[a].equals(values[b])]


def same_notes(c: Comparison) -> list[Message]:
    """Return notes on identical pairs and on pairs that differ by rounding errors only."""
    notes, rounded, values = [], rounding_only(c), c.paired_results
    if rounded and values is not None:
        shares = shares_of_ties(values[list({name for pair in rounded for name in pair})].to_numpy())
        notes.append(message("below tolerance", pairs=_minus(rounded), relative=bool((shares == 1).all())))
    if c.identical and not c.obstacle:
        labels = tuple(f"{first} and {second}" for first, second in c.identical)
        notes.append(message("identical pairs", pairs=labels, where=everywhere(c)))
    return notes


def mostly_equal_note(c: Comparison) -> list[Message]:
    """Return a note on pairs without interval, as most of their differences are zero."""
    names = list(c.order)
    shares = shares_of_ties(c.scores[names].to_numpy(dtype=float))
    positions = np.argwhere(np.triu((shares > 0.5) & (shares < 1), 1))
    pairs = [(names[i], names[j]) for i, j in positions]
    if c.settings.control:
        pairs = [pair for pair in pairs if c.settings.control in pair]
    return [message("mostly equal", pairs=_minus(pairs), measure=c.settings.measure)] if pairs else []


def _minus(pairs: Sequence[Pair]) -> tuple[str, ...]:
    return tuple(f"{first} − {second}" for first, second in pairs)
