"""From the facts of a comparison to what may be claimed, and how firmly: one rule for every kind."""

from dataclasses import replace

from stats_core.comparison.base import Comparison, once
from stats_core.comparison.claims import (
    DECIDED,
    FRAGILE,
    LIMITED,
    NO_PAIR,
    NOT_SEPARATED,
    OBSTACLES,
    Decision,
    Turned,
    claimed,
    leaders,
)

__all__ = [
    "DECIDED",
    "FRAGILE",
    "LIMITED",
    "NOT_SEPARATED",
    "NO_PAIR",
    "OBSTACLES",
    "Decision",
    "Turned",
    "decide",
    "leaders",
]

STRICTER = 0.01  # a claim that does not hold at this level is fragile


def decide(comparison: Comparison) -> Decision:
    r"""What do the facts of a comparison allow to claim, and how firmly?

    Parameters
    ----------
    comparison : Comparison
        Of any kind.

    Returns
    -------
    Decision

    Notes
    -----
    Pairs decide wherever they can. A first test that does not reject is said beside pairs that
    differ, and a first test that rejects beside pairs that do not.

    A claim is fragile if another one holds at a level of 0.01, or without one of the data sets.
    Each is left out in turn where that is quick (`Comparison.without_each`); elsewhere only the
    level is looked at.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> decide(analyse(read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")))).claim
    'too few'
    """
    return _decided(comparison)


@once
def _decided(comparison: Comparison) -> Decision:
    found = claimed(comparison)
    if found.badge != DECIDED:
        return found
    turned = _turned(comparison, found)
    return found if turned is None else replace(found, badge=FRAGILE, fragile=turned)


def _turned(comparison: Comparison, found: Decision) -> Turned | None:
    """Return what makes another claim of the same results, None if nothing that was looked at."""
    level = _at_level(comparison, found)
    changed = [
        (name, other)
        for name, other in comparison.without_each()
        if claimed(other).said != found.said
    ]
    if changed:
        name, other = changed[0]
        then = _change(found, claimed(other), comparison, other)
        return replace(then, left_out=name, others=len(changed) - 1, level=level is not None)
    return level


def _at_level(comparison: Comparison, found: Decision) -> Turned | None:
    """Return what a level of 0.01 changes; only where p-values stand behind decisions."""
    if comparison.settings.alpha <= STRICTER or comparison.tested()["p adjusted"].isna().any():
        return None
    then = claimed(comparison, level=STRICTER)
    if then.said == found.said:
        return None
    return replace(_change(found, then, comparison, comparison, STRICTER), level=True)


def _change(
    found: Decision,
    then: Decision,
    comparison: Comparison,
    other: Comparison,
    level: float | None = None,
) -> Turned:
    """Return which pairs turn, those first that the claim speaks of."""
    if not then.apart and then.badge == LIMITED:
        return Turned(nothing=True)
    before = {frozenset(pair): pair for pair in comparison.differing()}
    after = {frozenset(pair): pair for pair in other.differing(level)}
    told = set({"leads": found.ahead, "behind": found.behind}.get(found.claim, found.near[:1]))
    lost = [pair for key, pair in before.items() if key not in after]
    gained = [pair for key, pair in after.items() if key not in before]
    first = other.order[0]
    alone = [one.claim == "pairs only" for one in (found, then)]
    return Turned(
        lost=tuple(sorted(lost, key=lambda pair: not told & {*pair})),
        gained=tuple(sorted(gained, key=lambda pair: not told & {*pair})),
        best=first if first != comparison.order[0] else "",
        leads=then.ahead if then.claim == "leads" and found.said != then.said else (),
        first=None if alone[0] == alone[1] else alone[0],
    )
