"""How large the difference is that a claim rests on, and what makes the claim another one, in words."""

from math import isfinite

import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.comparison.claims import Decision, Turned
from stats_core.comparison.decide import STRICTER
from stats_core.core.words import MANY, capital, count, interval, listed, number, percent


def size_said(c: Comparison, d: Decision) -> tuple[str, str]:
    """Say the difference that counts with its interval: of the best and the runner-up, mostly.

    Then what the interval holds for, and at which level; both "" where there is none to tell.
    """
    row = _row(c, d)
    if row is None:
        return "", ""
    digits, level = c.digits, percent(1 - c.settings.alpha)
    said = f"{capital(c.estimated(row['first'], row['second']))}: {number(row['estimate'], digits)}"
    if not _bounded(row):
        return f"{said}.", f"With {c.counted} the difference has no bounded interval at {level}."
    said = f"{said} {interval(row['low'], row['high'], digits)}"
    which = "for all pairs at once" if c.simultaneous else "for this pair alone"
    holds = f"Interval of the difference: {level}, {which}"
    if _clear_of_zero(row) and not row["separated"]:
        return (
            f"{said}, of this pair alone.",
            f"{holds}; adjusted for being many the two are not separated.",
        )
    return f"{said}.", f"{holds}."


def _row(c: Comparison, d: Decision) -> pd.Series | None:
    """Return the row of the pair that says the size; None if its difference cannot be told."""
    if d.size is None:
        return None
    row = c.sized(*d.size)
    if not c.estimated(row["first"], row["second"]) or not isfinite(row["estimate"]):
        return None
    if row["separated"] and not _clear_of_zero(row):
        return None  # an interval that does not belong to the test that decides
    return row


def _bounded(row: pd.Series) -> bool:
    return isfinite(row["low"]) and isfinite(row["high"])


def _clear_of_zero(row: pd.Series) -> bool:
    return not row["low"] <= 0 <= row["high"]


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
