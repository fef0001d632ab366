"""How large the difference is that a claim rests on, in words."""

from math import isfinite, nan

from stats_core.comparison.claims import Decision
from stats_core.comparison.interval_text import interval_said
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first, format_number


def describe_effect(c: Comparison, d: Decision) -> tuple[str, str]:
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
    said = f"{capitalize_first(c.estimated(first, second))}: {format_number(estimate, c.digits)}"
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
