"""From the facts of a comparison to what may be claimed: one rule for every kind."""

from dataclasses import dataclass

from stats_core.comparison.base import Comparison

DECIDED = "Decided"
NOT_SEPARATED = "Not separated"
NO_PAIR = "No pair named"  # all at once differ and no pair does
LIMITED = "Limited"
# what stands in the way -> its badge; where results are the same there is an answer
OBSTACLES = {
    "one algorithm": LIMITED,
    "one number": LIMITED,
    "test refused": LIMITED,
    "identical": NOT_SEPARATED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What may be claimed.

    Attributes
    ----------
    badge : {"Decided", "Not separated", "No pair named", "Limited"}
        "Decided" if a difference is named, "No pair named" if all at once differ and no pair
        does, "Limited" if too little data or a refused test stand in the way, or if the test
        that names a difference does not keep its level or speaks of this test set only.
    claim : str
        A key of the words: an obstacle, "too few", "pairs only" (pairs differ, all at once do
        not), "no pair", "nothing", or the claim of the kind where pairs differ.
    separated : int
        Pairs that differ.
    ahead : tuple of str
        The algorithms that no other is better than, best first; none if the tests of pairs go
        round in a circle.
    near : tuple of str
        The first of them and all that are not separated from it, best first.
    """

    badge: str
    claim: str
    separated: int = 0
    ahead: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


def decide(comparison: Comparison) -> Decision:
    r"""What do the facts of a comparison allow to claim?

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

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> decide(analyse(read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")))).claim
    'too few'
    """
    alpha = comparison.settings.alpha
    if comparison.obstacle:
        return Decision(badge=OBSTACLES[comparison.obstacle], claim=comparison.obstacle)
    if comparison.least.pvalue > alpha:
        return Decision(badge=LIMITED, claim="too few")
    separated = int(comparison.pairs()["separated"].sum())
    first = comparison.first_test
    rejects = None if first is None else first.rejects(alpha)
    if not separated:
        badge, claim = (NO_PAIR, "no pair") if rejects else (NOT_SEPARATED, "nothing")
        return Decision(badge=badge, claim=claim)
    ahead = leaders(comparison)
    claim = "pairs only" if rejects is False else comparison.claim
    promised = comparison.guarantee.bounds != "nothing" and comparison.scope != "test set"
    return Decision(
        badge=DECIDED if promised else LIMITED,
        claim=claim,
        separated=separated,
        ahead=tuple(ahead),
        near=tuple(_near(comparison, ahead[0])) if ahead else (),
    )


def leaders(comparison: Comparison) -> list[str]:
    """Return the algorithms that no other is better than, best first.

    No two of them are separated. Tests of single pairs can go round in a circle, a better than
    b, b than c, c than a; so there may be none.
    """
    beaten = comparison.beats.any()
    return [name for name in comparison.order if not beaten[name]]


def _near(comparison: Comparison, first: str) -> list[str]:
    """Return the first, then all that are not separated from it, best first."""
    pairs = comparison.pairs()
    apart = pairs[pairs["separated"]]
    away = {*apart.loc[apart["first"] == first, "second"]}
    away |= {*apart.loc[apart["second"] == first, "first"]}
    others = (name for name in comparison.order if name != first)
    return [first, *(name for name in others if name not in away)]
