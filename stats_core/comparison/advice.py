"""Recommendation of a test in words."""

from dataclasses import dataclass

from stats_core.comparison.cards.method_card import method_card


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A recommended test with its reasons.

    Attributes
    ----------
    question : str
        Research question.
    test : str
        The test, or the chain of tests, that answers it.
    because : tuple of str
        Reasons, one line each.
    assumes : tuple of str
        Assumptions, and whether they hold here.
    alternatives : tuple of (str, str)
        Other tests that could be used, and how they differ.
    not_allowed : tuple of (str, str)
        Tests that do not apply here, and why.
    reference : str
        Publications that argue for the choice.
    """

    question: str
    test: str
    because: tuple[str, ...]
    assumes: tuple[str, ...]
    alternatives: tuple[tuple[str, str], ...]
    not_allowed: tuple[tuple[str, str], ...]
    reference: str


NO_ADVICE = Advice(question="", test="", because=(), assumes=(), alternatives=(), not_allowed=(), reference="")


def alternatives_from_cards(*keys: str) -> tuple[tuple[str, str], ...]:
    """Return alternative methods with the situation each is meant for.

    Examples
    --------
    >>> alternatives_from_cards("finner")
    (('Finner', 'A control, comparisons that do not depend on each other negatively; sharper than Holm.'),)
    """
    return tuple((method_card(key).name, method_card(key).when) for key in keys)


def not_allowed_from_cards(*keys: str) -> tuple[tuple[str, str], ...]:
    """Return methods that do not apply, with the main reason.

    Examples
    --------
    >>> not_allowed_from_cards("mcnemar")
    (("McNemar's test, exact", 'Needs predictions that name their cases.'),)
    """
    return tuple((method_card(key).name, method_card(key).refused[0]) for key in keys)
