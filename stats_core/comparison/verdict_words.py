"""What verdicts are made of: the card, and the sentence about who leads."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from stats_core.core.words import count, listed, p_phrase

NO_PAIR = "No pair named"  # the badge where all at once differ and no pair does


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer in words.

    Attributes
    ----------
    badge : {"Decided", "Not separated", "No pair named", "By cost alone", "Limited"}
        "Decided" if the headline names a difference, "No pair named" if all at once differ and
        no pair does, "Limited" if holes, an assumption or too little data stand in the way.
    headline : str
        One sentence, at most 20 words when names are short.
    detail : str
        The numbers behind it.
    notes : tuple of str
        Choices and warnings the reader must know.
    """

    badge: str
    headline: str
    detail: str
    notes: tuple[str, ...] = ()

    @property
    def sentences(self) -> str:
        """Headline, detail and notes as one paragraph."""
        return " ".join(part for part in (self.headline, self.detail, *self.notes) if part)


def leading(
    ahead: Sequence[str], k: int, *, one_group: bool, what: str, noun: str = "algorithms"
) -> str:
    """Say who leads k algorithms: the best and all that are not separated from it."""
    if len(ahead) == 1:
        return f"{ahead[0]} leads {k} {noun} {what}."
    if one_group and len(ahead) < k:
        return f"{listed(ahead, 3)} lead {k} {noun} {what}; the data cannot separate these."
    verb = "is" if len(ahead) == 2 else "are"
    return f"{ahead[0]} leads; {listed(ahead[1:], 3)} {verb} not separated from it."


def differ_without_pair(
    omnibus: str, post: str, closest: pd.Series, alpha: float
) -> tuple[str, str]:
    """Say that the first test rejects while no pair does."""
    return (
        "The algorithms differ, but no single pair can be named.",
        f"{capital(omnibus)}; smallest adjusted {p_phrase(closest['p adjusted'], alpha)} "
        f"({closest['first']}, {closest['second']}; {post}). The first test looks at all at once "
        "and sees what no pair shows alone.",
    )


def pairs_without_omnibus(omnibus: str, post: str, separated: int) -> tuple[str, str]:
    """Say that pairs differ while the first test does not reject."""
    verb = "differs" if separated == 1 else "differ"
    guard = f"{capital(post)} guards the family by itself, so the pairs stand;"
    if "unadjusted" in post:
        guard = "The pairs are not adjusted for being many, so some differ by chance alone;"
    return (
        f"Overall no difference is shown, though {count(separated, 'pair')} {verb}.",
        f"{capital(omnibus)}. {guard} "
        "papers that follow Demsar stop at the first test. State which you follow.",
    )


def capital(text: str) -> str:
    """Write the first letter large, as a sentence begins."""
    return text[:1].upper() + text[1:]
