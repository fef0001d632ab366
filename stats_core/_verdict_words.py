"""What verdicts are made of: the card, and the sentence about who leads."""

from collections.abc import Sequence
from dataclasses import dataclass

from stats_core.wording import listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer in words.

    Attributes
    ----------
    badge : {"Decided", "Not separated", "Limited"}
        "Decided" if the headline names a difference, "Limited" if holes, an assumption or too
        little data stand in the way.
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


def leading(ahead: Sequence[str], k: int, *, one_group: bool, what: str) -> str:
    """Say who leads k algorithms: the best and all that are not separated from it."""
    if len(ahead) == 1:
        return f"{ahead[0]} leads {k} algorithms {what}."
    if one_group and len(ahead) < k:
        return f"{listed(ahead, 3)} lead {k} algorithms {what}; the data cannot separate these."
    verb = "is" if len(ahead) == 2 else "are"
    return f"{ahead[0]} leads; {listed(ahead[1:], 3)} {verb} not separated from it."
