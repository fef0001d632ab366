"""How numbers and names are written in sentences, tables and figures."""

from collections.abc import Sequence
from math import isnan

import pandas as pd

MINUS = "\u2212"


def p_text(p: float, alpha: float | None = None) -> str:
    """Write a p-value with three decimals, more if rounding would print alpha itself.

    Examples
    --------
    >>> p_text(0.00004), p_text(0.0389577), p_text(0.04996, alpha=0.05), p_text(1.0)
    ('<0.001', '0.039', '0.04996', '1.000')
    """
    if isnan(p):
        return "n/a"
    if p < 0.001 and not (alpha is not None and alpha < 0.001):
        return "<0.001"
    p, digits = min(p, 1.0), 3
    while alpha is not None and p != alpha and digits < 12 and round(p, digits) == alpha:
        digits += 1
    return f"{p:.{digits}f}"


def p_phrase(p: float, alpha: float | None = None) -> str:
    """Write "p 0.039" or "p <0.001" for a sentence."""
    return f"p {p_text(p, alpha)}"


def number(value: float, digits: int = 2) -> str:
    """Write a number with fixed decimals, a true minus and no negative zero.

    Examples
    --------
    >>> number(-0.004), number(-1.5, 1), number(2730, 0)
    ('0.00', '−1.5', '2,730')
    """
    if value == float("inf"):
        return "infinite"
    text = f"{value:,.{digits}f}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.,") else MINUS + text[1:]
    return text


def interval(low: float, high: float, digits: int = 2) -> str:
    """Write an interval as "[−0.90, 0.30]"."""
    return f"[{number(low, digits)}, {number(high, digits)}]"


def score_digits(scores: pd.DataFrame) -> int:
    """Return the decimals to write scores with: 4 for fractions, 2 for larger numbers."""
    return 2 if float(scores.abs().max().max()) > 10 else 4


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write "1 pair" or "2,730 pairs"."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def listed(names: Sequence[str], limit: int = 4, last: str = "and") -> str:
    """Join names for a sentence: "a", "a and b", "a, b and c", "a, b and 5 others".

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(list("abcdefg"), limit=3)
    ('a, b and c', 'a, b and 5 others')
    >>> listed(["a", "b"], last="or")
    'a or b'
    """
    names = [str(name) for name in names]
    if len(names) > limit:
        names = [*names[: limit - 1], f"{len(names) - limit + 1} others"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"
