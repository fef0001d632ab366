"""Claim that a comparison supports: best algorithms, worst algorithms, or single pairs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stats_core.comparison.pairs import names_of_pairs
from stats_core.comparison.result import Comparison
from stats_core.core.result_types import cached
from stats_core.core.validation import significant

DECIDED = "Significant differences"
NOT_SEPARATED = "No significant difference"
NO_PAIR = "No significant pair"  # only the omnibus test rejects
LIMITED = "Limited evidence"
NOT_KEPT = ("nothing", "global null")  # error rates under which a difference is limited evidence
# obstacle to a test -> badge; identical results are an answer, not a lack of evidence
OBSTACLES = {
    "one algorithm": LIMITED,
    "one number": LIMITED,
    "unnamed cases": LIMITED,
    "test refused": LIMITED,
    "identical": NOT_SEPARATED,
}
FEW = 3  # maximum number of differing pairs that are listed by name

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Claim that a comparison supports.

    Attributes
    ----------
    badge : {DECIDED, NOT_SEPARATED, NO_PAIR, LIMITED}
        `LIMITED` if there are too few data or the test is refused, or if the test that finds a
        difference has no error control, controls it only if no algorithms differ, or generalises to
        this test set or these benchmarks only.
    claim : str
        Key of the text: an obstacle, "too few", "pairs only" (pairs differ, but not by the omnibus
        test), "no pair", "nothing", or if pairs differ the claim of the kind. Kinds that claim
        leaders: "leads" (fewer than half, or one of two, each better than all the others), "behind"
        (fewer than half, each worse than all the others, which do not differ from the first), "few"
        (at most `FEW` pairs differ), "best" (the first in order and
        those that do not differ significantly from it), "contested" (another algorithm is better
        than the first in order), "circle" (each is worse than some other).
    apart : tuple of pairs
        The pairs that differ, the better algorithm first if the direction is known, smallest p
        first.
    ahead : tuple of str
        The algorithms that no other is significantly better than, best first; () if each is worse
        than some other, or no pairs differ.
    near : tuple of str
        The first in order and all that do not differ significantly from it, best first; () if no
        pairs differ.
    behind : tuple of str
        The largest group, of fewer than half of the algorithms, that every algorithm outside it is
        better than; () if there is none, or no pairs differ.
    size : pair or None
        The pair whose difference is reported, with the first in order, which the figures compare
        with the others: for "leads" the first algorithm in `ahead` and the first not in it, for
        "behind" the first in order and the first in `behind`, for "best" and "contested" the first
        two in order, otherwise the first pair in `apart`, if possible with the first in order. None
        for "circle", and if no pairs differ.
    """

    badge: str
    claim: str
    apart: tuple[Pair, ...] = ()
    ahead: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    size: Pair | None = None

    @property
    def separated(self) -> int:
        """Number of pairs that differ significantly."""
        return len(self.apart)

    @property
    def named(self) -> tuple[Pair, ...]:
        """Pairs that differ significantly; () if they are more than `FEW`."""
        return self.apart if len(self.apart) <= FEW else ()


@cached
def decide(comparison: Comparison) -> Decision:
    r"""Return the claim that a comparison supports.

    Notes
    -----
    The pairwise tests decide. If the omnibus test and the pairwise tests disagree, the claim is "pairs only"
    (the omnibus test does not reject) or "no pair" (only the omnibus test rejects). The sensitivity to the
    data sets is computed elsewhere (`leave_one_out`, `replication`).

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> decide(analyse(read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")))).claim
    'too few'
    """
    alpha = comparison.settings.alpha
    if comparison.obstacle:
        return Decision(badge=OBSTACLES[comparison.obstacle], claim=comparison.obstacle)
    if not significant(comparison.least.pvalue, alpha):
        return Decision(badge=LIMITED, claim="too few")
    pairs = comparison.pairs.differing
    first = comparison.first_test
    rejects = None if first is None else first.rejects(alpha)
    if not pairs:
        badge, claim = (NO_PAIR, "no pair") if rejects else (NOT_SEPARATED, "nothing")
        return Decision(badge=badge, claim=claim)
    standing = _standing(comparison, pairs)
    if rejects is False:
        return replace(
            standing, claim="pairs only", size=with_first(comparison.order, standing.apart)
        )
    claim = comparison.shape.claim
    if claim != "leads":
        return replace(standing, claim=claim, size=with_first(comparison.order, standing.apart))
    return standing


def reported_pair(comparison: Comparison, decision: Decision) -> Pair | None:
    """Return the pair whose difference is reported: `size`, or if no pair differs, that with the smallest p-value."""
    if decision.size is not None or decision.claim not in ("nothing", "no pair"):
        return decision.size
    return names_of_pairs(comparison.pairs.decisions)[0]


def _standing(comparison: Comparison, pairs: list[Pair]) -> Decision:
    """Return the decision when some pairs differ: best and worst algorithms, and the claim."""
    order, better = comparison.order, _better(comparison, pairs)
    position_of = {name: i for i, name in enumerate(order)}
    differing = [(b, a) if better[position_of[b], position_of[a]] else (a, b) for a, b in pairs]
    ahead = [name for i, name in enumerate(order) if not better[:, i].any()]
    behind, near = _behind(order, better), _near(order, differing)
    claim, size = _claim(order, differing, better, ahead, near, behind)
    is_general = comparison.scope not in ("test set", "benchmarks")
    controlled = comparison.guarantee.bounds not in NOT_KEPT and is_general
    return Decision(
        badge=DECIDED if controlled else LIMITED,
        claim=claim,
        apart=tuple(differing),
        ahead=tuple(ahead),
        near=tuple(near),
        behind=tuple(behind),
        size=size,
    )


def _claim(
    order: list[str],
    differing: list[Pair],
    better: np.ndarray,
    ahead: list[str],
    near: list[str],
    behind: list[str],
) -> tuple[str, Pair | None]:
    """Return the claim when some pairs differ, and the pair that is reported, None in a circle."""
    if not ahead:
        return "circle", None
    k = len(order)
    if 2 * len(ahead) < max(k, 3) and _clear(better, [order.index(name) for name in ahead]):
        return "leads", (ahead[0], _rest(order, ahead)[0])
    if behind and {*near, *behind} == {*order}:
        return "behind", (_rest(order, behind)[0], behind[0])
    if len(differing) <= FEW and len(differing) < k * (k - 1) // 2:
        return "few", with_first(order, differing)
    return "best" if order[0] in ahead else "contested", (order[0], order[1])


def with_first(order: list[str], pairs: Sequence[Pair]) -> Pair:
    """Return the first pair that the first algorithm in order belongs to, else the first pair."""
    return next((pair for pair in pairs if order[0] in pair), pairs[0])


def _better(comparison: Comparison, pairs: list[Pair]) -> np.ndarray:
    """Return whether the row algorithm is significantly better than the column; rows and columns as `order`."""
    order, beats = comparison.order, comparison.beats
    position_of = {name: i for i, name in enumerate(order)}
    rows, columns = ([*map([*axis].index, order)] for axis in beats.axes)
    differ = np.zeros((len(order), len(order)), dtype=bool)
    for a, b in pairs:
        differ[position_of[a], position_of[b]] = differ[position_of[b], position_of[a]] = True
    return beats.to_numpy(dtype=bool)[np.ix_(rows, columns)] & differ


def _clear(better: np.ndarray, ahead: list[int]) -> bool:
    """Return whether each algorithm at positions `ahead` is better than every algorithm outside `ahead`."""
    others = np.delete(np.arange(len(better)), ahead)
    return bool(better[ahead][:, others].all())


def _behind(order: list[str], better: np.ndarray) -> list[str]:
    """Return the largest group, of fewer than half of the algorithms, that all others are better than; [] if none."""
    worst = np.argsort(-better.sum(axis=0), kind="stable")
    for size in range((len(order) - 1) // 2, 0, -1):
        if _clear(better, list(worst[size:])):
            return [order[i] for i in sorted(worst[:size])]
    return []


def _near(order: list[str], differing: list[Pair]) -> list[str]:
    """Return the first algorithm and all that do not differ significantly from it, best first."""
    separated_names = {name for pair in differing if order[0] in pair for name in pair}
    return [order[0], *(name for name in order[1:] if name not in separated_names)]


def _rest(order: list[str], excluded: list[str]) -> list[str]:
    return [name for name in order if name not in excluded]
