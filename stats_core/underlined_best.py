"""Which algorithm is best, told from underlines and costs alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from stats_core.errors import DataError
from stats_core.wording import listed

CONDITIONS = (
    "the first is not underlined",
    "the line under the first overlaps no other, so its cheapest member is the best",
    "the line under the first overlaps others, but not at the first, which is its cheapest member",
    "the line under the first overlaps others, but its cheapest member lies outside the overlap",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderlinedBest:
    """The best algorithm, if underlines name one.

    Attributes
    ----------
    best : str
        Its name, "" if none can be named.
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
    """Which algorithm is best, if all there is are underlines and costs?

    Parameters
    ----------
    order : sequence of str
        The algorithms by mean or average rank, best first.
    underlined : sequence of sequence of str
        Stretches of the order that no test separates.
    prior : sequence of str
        The algorithms from cheapest to costliest.

    Returns
    -------
    UnderlinedBest
        The first if nothing underlines it; else the cheapest member of the line under it,
        provided no other line holds that member, too. Otherwise a cheaper algorithm may tie with
        it without tying with the first, and none can be named.

    Raises
    ------
    DataError
        `order` and `prior` name different algorithms, or a line names an unknown one.

    Notes
    -----
    The paper's four conditions, read so that its five examples come out. MultiTest needs none
    of them: it always names one.

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
    names, place = [str(name) for name in order], {str(name): i for i, name in enumerate(prior)}
    lines = [tuple(str(name) for name in line) for line in underlined if len(line) > 1]
    if (
        not names
        or sorted(names) != sorted(place)
        or not {n for line in lines for n in line} <= set(names)
    ):
        raise DataError(
            [
                "`order`, `underlined` and `prior` must name the same algorithms. "
                f"They name {listed(names, 6)} and {listed(list(place), 6)}. Correct them."
            ]
        )
    first = names[0]
    under = [line for line in lines if first in line]
    if not under:
        return _named(first, 1)
    if len(under) > 1:
        return _none(first)
    line, others = under[0], [line for line in lines if line is not under[0]]
    overlap = {name for name in line for other in others if name in other}
    cheapest = min(line, key=place.__getitem__)
    if not overlap:
        return _named(cheapest, 2)
    if cheapest in overlap:
        return _none(first)
    return _named(cheapest, 3 if cheapest == first else 4)


def _named(best: str, condition: int) -> UnderlinedBest:
    return UnderlinedBest(
        best=best,
        condition=condition,
        text=f"Underlines alone name {best} as the best: {CONDITIONS[condition - 1]}.",
    )


def _none(first: str) -> UnderlinedBest:
    return UnderlinedBest(
        best="",
        condition=0,
        text=f"Underlines alone name no best: the cheapest algorithm that is not separated from "
        f"{first} lies under another line, too. MultiTest needs no underlines and names one.",
    )
