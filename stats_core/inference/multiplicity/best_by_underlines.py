"""Best algorithm by underlines and costs alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stats_core.core.errors import DataError
from stats_core.core.formatting import join_names
from stats_core.core.validation import check_names

CONDITIONS = (
    "it has the best place, and all others are separated from it",
    "of those not separated from the best place it is first in the prior order; no line overlaps theirs",
    "it has the best place and, of those not separated from it, is first in the prior order; no other line holds it",
    "of those not separated from the best place it is first in the prior order; no other line holds it",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderlinedBest:
    """The best algorithm by underlines and costs, if there is one.

    Attributes
    ----------
    best : str
        Name of the best algorithm, "" if there is none.
    condition : int
        Which of the four conditions holds, 0 if none.
    text : str
        The answer in a sentence.
    """

    best: str
    condition: int
    text: str


def best_of_underlines(
    order: Sequence[str], underlined: Sequence[Sequence[str]], prior: Sequence[str]
) -> UnderlinedBest:
    """Which algorithm is best, given only underlines and costs?

    Notes
    -----
    The paper's four conditions, read so that its five examples come out. A line that lies within
    another says nothing more and does not count. MultiTest needs none of them: it always names
    one.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 2.2.

    Examples
    --------
    >>> best_of_underlines("4321", ["432", "321"], "1234").best
    ''
    >>> best_of_underlines("4132", ["413", "32"], "1234").best
    '1'
    """
    names, cheapest_first = check_names(order, "order"), check_names(prior, "prior")
    stretches = underlined if np.iterable(underlined) else [underlined]
    drawn = {frozenset(check_names(line, "underlined")) for line in stretches}
    position_of = {name: i for i, name in enumerate(cheapest_first)}
    if (
        not names
        or len(position_of) < len(cheapest_first)
        or sorted(names) != sorted(position_of)
        or not frozenset().union(*drawn) <= set(names)
    ):
        raise DataError(
            [
                "`order`, `underlined` and `prior` must name the same algorithms. "
                f"They name {join_names(names, 6)} and {join_names(cheapest_first, 6)}. Correct them."
            ]
        )
    for line in drawn:
        _check_stretch(line, names)
    lines = [line for line in drawn if len(line) > 1 and not any(line < other for other in drawn)]
    first = names[0]
    under = next((line for line in lines if first in line), None)
    if under is None:
        return _named(first, 1)
    others = [other for other in lines if other != under]
    overlap = {name for name in under for other in others if name in other}
    cheapest = min(under, key=position_of.__getitem__)
    if not overlap:
        return _named(cheapest, 2)
    if cheapest in overlap:
        return _none(first)
    return _named(cheapest, 3 if cheapest == first else 4)


def _check_stretch(line: frozenset[str], names: tuple[str, ...]) -> None:
    """Refuse an underline that skips an algorithm of the order."""
    positions = [i for i, name in enumerate(names) if name in line]
    if positions and positions[-1] - positions[0] >= len(line):
        over = [names[i] for i in positions]
        between = [name for name in names[positions[0] : positions[-1]] if name not in line]
        raise DataError(
            [
                f"A line must be a stretch of the order. One is under {join_names(over, 6)}, but not "
                f"under {join_names(between, 6)} between them. Draw it through, or part it."
            ]
        )


def _named(best: str, condition: int) -> UnderlinedBest:
    return UnderlinedBest(
        best=best,
        condition=condition,
        text=f"Underlines alone would put {best} first: {CONDITIONS[condition - 1]}.",
    )


def _none(first: str) -> UnderlinedBest:
    return UnderlinedBest(
        best="",
        condition=0,
        text=f"Underlines alone put nobody first: of those not separated from {first} the first "
        "in the prior order lies under another line, too. MultiTest needs no underlines and names one.",
    )
