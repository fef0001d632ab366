"""What confidence intervals of pairs allow for, in words: one place for every output."""

from collections.abc import Iterable
from math import isnan

from stats_core.comparison.cited_text import CitedText, ending_sentence
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_interval

ADJUSTED = "adjusted for selection"


def interval_words(c: Comparison) -> str:
    """Name the intervals beside decisions: "95% CI, adjusted for selection" or "unadjusted 95% CI"."""
    allowed = c.intervals_allow_for
    if allowed == ADJUSTED:
        return f"{ci(c.settings.alpha)}, {allowed}"
    return f"{allowed} {ci(c.settings.alpha)}".strip()


def interval_said(c: Comparison, low: float, high: float) -> str:
    """Write the interval of a pair with what it allows for; "" where there is none."""
    if isnan(low) or isnan(high):
        return ""
    allowed, ends = c.intervals_allow_for, format_interval(low, high, c.digits)
    if allowed == ADJUSTED:
        return f"{ci(c.settings.alpha)} {ends}, {allowed}"
    return f"{allowed} {ci(c.settings.alpha)} {ends}".strip()


def interval_methods(c: Comparison) -> Iterable[CitedText]:
    """Say, for a paper, how the intervals of pairs allow for selection; nothing where they do not."""
    if c.intervals_allow_for != ADJUSTED:
        return
    named = f" {ci(c.settings.alpha)}s of the differences were adjusted for selection"
    yield CitedText(named, ("benjamini2005",))
    yield ending_sentence(", so that they exclude 0 exactly where a pair differs significantly")


def ci(alpha: float) -> str:
    """Name a confidence interval by its level.

    Examples
    --------
    >>> ci(0.05), ci(0.005)
    ('95% CI', '99.5% CI')
    """
    return f"{100 * (1 - alpha):.4g}% CI"
