"""How large the difference is that a claim rests on, and what makes the claim another one, in words."""

from math import isfinite

from stats_core.comparison.base import Comparison
from stats_core.comparison.claims import Decision, Turned
from stats_core.comparison.decide import STRICTER
from stats_core.core.words import MANY, capital, count, interval, listed, number, score_digits


def size_said(c: Comparison, d: Decision) -> str:
    """Say the difference that counts with its interval: of the best and the runner-up, mostly."""
    if d.size is None:
        return ""
    first, second = d.size
    pairs = c.pairs()
    row = pairs[pairs["first"].isin(d.size) & pairs["second"].isin(d.size)].iloc[0]
    label = c.estimated(row["first"], row["second"])
    if not label or not isfinite(row["estimate"]):
        return ""
    if row["separated"] and row["low"] <= 0 <= row["high"]:
        return ""  # an interval that does not belong to the test that decides
    digits = score_digits(pairs[["estimate"]])
    level = f"{100 * (1 - c.settings.alpha):.4g} %"
    if not isfinite(row["low"]) or not isfinite(row["high"]):
        said = f"{capital(label)}: {number(row['estimate'], digits)}"
        return f"{said} (no bounded interval at {level} with {c.counted})."
    which = f"{level}, for all pairs at once" if c.simultaneous else f"{level}, of this pair alone"
    if not row["separated"] and not row["low"] <= 0 <= row["high"]:
        which += "; adjusted for being many the two are not separated"
    return (
        f"{capital(label)}: {number(row['estimate'], digits)} "
        f"{interval(row['low'], row['high'], digits)} ({which})."
    )


def fragility(c: Comparison, d: Decision) -> str:
    """Say what makes the claim another one, in one sentence; "" if nothing that was looked at."""
    found = d.fragile
    if found is None:
        return ""
    where = f"without {found.left_out}" if found.left_out else f"at a level of {STRICTER:g}"
    also = []
    if found.others:
        verb = "changes" if found.others == 1 else "change"
        also.append(f"{count(found.others, 'other data set')} {verb} it too")
    if found.left_out and found.level:
        also.append(f"so does a level of {STRICTER:g}")
    beside = f" ({', and '.join(also)})" if also else ""
    return f"Fragile: {where} {_then(c, found)}{beside}."


def _then(c: Comparison, found: Turned) -> str:
    """Say what is then decided otherwise."""
    if found.nothing:
        return "nothing could be decided"
    if found.leads:
        return f"{listed(found.leads, MANY)} {'leads' if len(found.leads) == 1 else 'lead'}"
    parts = [f"{found.best} {c.tops}"] if found.best else []
    for pairs, how in ((found.lost, "no longer"), (found.gained, "then")):
        if pairs:
            first, second = pairs[0]
            rest = len(pairs) - 1
            nor = f", nor {'is' if rest == 1 else 'are'} {count(rest, 'other pair')}"
            more = nor if rest and how == "no longer" else ""
            parts.append(f"{first} and {second} are {how} separated{more}")
    return " and ".join(parts[:2]) or "something else holds"
