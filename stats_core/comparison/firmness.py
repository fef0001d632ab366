"""How large the difference is that a claim rests on, and what makes the claim another one, in words."""

from math import isfinite, nan

from stats_core.comparison.base import Comparison
from stats_core.comparison.claims import Decision, Turned
from stats_core.comparison.decide import STRICTER
from stats_core.comparison.interval_words import interval_said
from stats_core.core.words import MANY, capital, count, listed, number


def size_said(c: Comparison, d: Decision) -> tuple[str, str]:
    """Say the difference that counts with its interval: of the best and the runner-up, mostly.

    Then where it goes against the order; both "" where there is none to tell.
    """
    if d.size is None:
        return "", ""
    row = c.sized(*d.size)
    first, second, estimate = row["first"], row["second"], float(row["estimate"])
    if said := c.unsized(first, second):
        return said, against_order(c, first, second, nan)
    if not c.estimated(first, second) or not isfinite(estimate):
        return "", ""
    said = f"{capital(c.estimated(first, second))}: {number(estimate, c.digits)}"
    if interval := interval_said(c, row["low"], row["high"]):
        said = f"{said}, {interval}"
    return f"{said}.", against_order(c, first, second, estimate)


def against_order(c: Comparison, first: str, second: str, estimate: float) -> str:
    """Say that average rank and difference of two disagree; "" where they agree.

    `estimate` is the difference that is shown, NaN where there is none; the mean is looked at, too.
    """
    if not c.ordered_by_ranks:
        return ""
    ahead, other = sorted((first, second), key=c.order.index)
    means = c.scores[[first, second]].dropna().mean()
    sign = (1 if c.higher_is_better else -1) * (1 if ahead == first else -1)
    shown = {"difference": estimate, "mean": float(means[first] - means[second])}
    against = [name for name, value in shown.items() if sign * value < 0]
    if not against:
        return ""
    return (
        f"Average rank and {against[0]} disagree: {ahead} has the better average rank, "
        f"but the {against[0]} favours {other}."
    )


def fragility(c: Comparison, d: Decision) -> str:
    """Say what makes the claim another one, in one sentence; "" if nothing that was looked at."""
    found = d.fragile
    if found is None:
        return ""
    where = f"without {found.left_out}" if found.left_out else f"at alpha {STRICTER:g}"
    also = [count(found.others, "other set")] if found.others else []
    if found.left_out and found.level:
        also.append(f"alpha {STRICTER:g}")
    verb = "changes" if len(also) == 1 and found.others < 2 else "change"
    beside = f"; {listed(also)} {verb} it" if also else ""
    return f"Fragile: {where} {_then(c, found)}{beside}."


def _then(c: Comparison, found: Turned) -> str:
    """Say what is then decided otherwise."""
    if found.nothing:
        return "nothing could be decided"
    if found.leads:
        return f"{listed(found.leads, MANY)} {'leads' if len(found.leads) == 1 else 'lead'}"
    parts = [f"{found.best} {c.tops}"] if found.best else []
    for pairs, how in ((found.lost, "not"), (found.gained, "then")):
        if pairs:
            first, second = pairs[0]
            rest = len(pairs) - 1
            nor = f", nor {count(rest, 'other pair')}"
            more = nor if rest and how == "not" else ""
            parts.append(f"{first} and {second} are {how} separated{more}")
    if not parts and found.first is not None:
        return f"the test of all at once {'rejects' if found.first else 'does not reject'}"
    return " and ".join(parts[:2]) or "another claim holds"
