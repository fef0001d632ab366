"""Claims in sentences on algorithms named a0, a1, ...: which pairs differ, by how much, with which p-value."""

import re
from dataclasses import dataclass
from itertools import combinations, product

NAME = r"\ba\d\b"
VERB = r"(?:is|are|was|were|wins|won|differs?|differed|does|do|did)\b"
NAMES = rf"{NAME}(?:(?:, | and | or ){NAME})*(?! {VERB})"  # without the subject of a next clause
SUBJECT = rf"{NAME}(?:(?:, | and | or ){NAME})*"
NUMBER = r"[−+]?(?:\d[\d,]*(?:\.\d+)?|∞)"
OTHERS = r"(?:each of the other|any other|the other) [\w ]+?"
BETTER = re.compile(
    rf"({SUBJECT}) (?:is|are|was|were) significantly better than (?:the control )?({NAMES}|{OTHERS})"
)
WORSE = re.compile(
    rf"({SUBJECT}) (?:is|are|was|were) significantly worse than (?:the control )?({NAMES}|{OTHERS})"
)
WINS = re.compile(rf"({SUBJECT}) (?:wins|won) significantly more often than ({NAMES})")
DIFFERENT = re.compile(
    rf"({SUBJECT}) (?:differs?|differed) significantly from (?:the control )?({NAMES})"
)
SAME = re.compile(
    rf"({SUBJECT}) (?:does|do|did) not differ significantly from (?:the control )?({NAMES}|{OTHERS})"
)
SAME_AMONG = re.compile(rf"[Nn]o two of ({SUBJECT}) (?:differ|differed) significantly")
SAME_TWO = re.compile(rf"({NAME} and {NAME}) (?:do|did) not differ significantly")
NONE = re.compile(r"[Nn]o two of the (\w+) (?:algorithms|models) differ(?:ed)? significantly")
COUNT = re.compile(r"\b(\d+) of (\d+) (?:pairs|comparisons) (?:differ|differs|were significant)")
P = r"(?:(?:un)?adjusted )?p ([=<>]) (\d\.\d+)"
EFFECT = re.compile(
    rf"({NAME}) − ({NAME})(?:: |\) (?:is|was) )({NUMBER})(?![\d×])"
    rf"(?:,? \(?(?:[\w-]+ )?[\d.]+% CI [\[(]({NUMBER}), ({NUMBER})[\])])?(?:\)?, {P})?"
)
MORE = re.compile(rf"({NAME}) is better than ({NAME}) by more than")
EQUIVALENT = re.compile(rf"({NAME}) and ({NAME}) (?:are|differ significantly but are) equivalent")
UNKNOWN = re.compile(rf"equivalence test of ({NAME}) and ({NAME}) within ±\S+ is inconclusive")
_BRACKETS = re.compile(r" \((?!a\d, )[^()]*\)")


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A printed difference of two algorithms, as text; None for what is not printed."""

    first: str
    second: str
    estimate: str
    low: str | None
    high: str | None
    sign: str | None
    p: str | None


def names_in(text, order, besides=()):
    """Return the algorithms that a phrase names, or the others of `order`."""
    named = re.findall(NAME, text)
    return named or [name for name in order if name not in besides]


def better_pairs(text, order):
    """Return the pairs of which a text says that the first is significantly better than the second."""
    pairs, plain = set(), _BRACKETS.sub("", text)
    for pattern, turned in ((BETTER, False), (WORSE, True), (WINS, False)):
        for subject, others in pattern.findall(plain):
            first = names_in(subject, order)
            for a, b in product(first, names_in(others, order, first)):
                pairs.add((b, a) if turned else (a, b))
    return pairs


def different_pairs(text, order):
    """Return the pairs of which a text says only that they differ significantly."""
    return {
        frozenset(pair)
        for subject, others in DIFFERENT.findall(_BRACKETS.sub("", text))
        for pair in product(names_in(subject, order), names_in(others, order))
    }


def same_pairs(text, order):
    """Return the pairs of which a text says that they do not differ significantly."""
    plain, pairs = _BRACKETS.sub("", text), set()
    for subject, others in SAME.findall(plain):
        first = names_in(subject, order)
        pairs |= set(map(frozenset, product(first, names_in(others, order, first))))
    for named in (*SAME_AMONG.findall(plain), *SAME_TWO.findall(plain)):
        pairs |= set(map(frozenset, combinations(names_in(named, order), 2)))
    return pairs


def effects(text):
    """Return the differences that a text prints."""
    keys = ("first", "second", "estimate", "low", "high", "sign", "p")
    return [
        Effect(**dict(zip(keys, (part or None for part in found), strict=True)))
        for found in EFFECT.findall(text)
    ]


def number(printed):
    """Return a printed number."""
    return float(printed.replace("−", "-").replace(",", "").replace("∞", "inf"))


def is_printed(value, printed):
    """Return whether a printed number is a value, rounded."""
    if "∞" in printed:
        return number(printed) == value
    decimals = len(printed.partition(".")[2])
    return abs(number(printed) - value) <= 0.5000001 * 10.0**-decimals


def is_printed_p(value, sign, printed):
    """Return whether a printed p-value is a value, rounded."""
    match sign:
        case "=":
            return is_printed(value, printed)
        case "<":
            return value < float(printed)
        case _:
            return value > float(printed)
