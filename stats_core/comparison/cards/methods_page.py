"""Text of the method cards for docs/methods.md and the Help page."""

import re

from stats_core.comparison.cards.bibliography import cite, reference_text
from stats_core.comparison.cards.method_card import CHAPTERS, Card, Chapter
from stats_core.core.formatting import capitalize_first
from stats_core.data.measures import COUNTS, MEASURES

_INTRODUCTION = """# Methods

Each method of Foldwise: the question it answers, its formula, what it assumes, where it comes from.
Names in `code` are functions of `stats_core`; their docstrings say the same in more detail.
This page is made from the cards by `python -m stats_core.comparison.cards > docs/methods.md`."""
_MARK = re.compile(r"@([a-z]+\d{4})")


def methods_page() -> str:
    """Return docs/methods.md."""
    parts = [_INTRODUCTION]
    for chapter in CHAPTERS:
        parts += [f"## {chapter.title}", chapter_introduction(chapter)]
        for card in chapter.cards:
            parts += [f"### {method_title(card)}", method_summary(card)]
            parts += [f"```math\n{card.formula}\n```"] if card.formula else []
            parts += [method_details(card)]
    publications = "\n".join(f"* {reference_text(key)}" for key in cited_keys())
    return "\n\n".join([*parts, "## References", publications]) + "\n"


def chapter_introduction(chapter: Chapter) -> str:
    """Return the introduction of a chapter in Markdown."""
    return _with_names(chapter.text.replace("{levels}", _levels()))


def method_title(card: Card) -> str:
    """Return the name of a method as a heading."""
    return capitalize_first(card.name)


def method_summary(card: Card) -> str:
    """Return the question and plain description of a method in Markdown."""
    return f"*{card.question}* {card.plain}".strip()


def method_details(card: Card) -> str:
    """Return everything after the formula of a method in Markdown."""
    fields = {
        "When": card.when,
        "Assumes": " ".join(card.assumes),
        "Refused": " ".join(card.refused),
        "Elsewhere": " ".join(card.also),
        "Rejects true hypotheses, at 0.05": "; ".join(map(": ".join, card.levels.items())),
        "In code": ", ".join(f"`{name.split('.')[-1]}`" for name in card.runs),
        "Papers": card.reference,
    }
    lines = "\n".join(f"* **{name}:** {text}" for name, text in fields.items() if text)
    return _with_names(f"{card.text.replace('{measures}', _measures())}\n\n{lines}".strip())


def cited_keys() -> list[str]:
    """Return the sorted keys of all publications cited by cards."""
    cards = [card for chapter in CHAPTERS for card in chapter.cards]
    texts = [chapter.text for chapter in CHAPTERS]
    texts += [" ".join((card.text, *card.also)) for card in cards]
    in_text = {key for text in texts for key in _MARK.findall(text)}
    return sorted(in_text.union(*(card.papers for card in cards)))


def _with_names(text: str) -> str:
    """Replace citation keys marked in a text by citations."""
    return _MARK.sub(lambda match: cite(match[1]), text)


def _levels() -> str:
    """Return the measured type I error rates of all methods as a table."""
    cards = [card for chapter in CHAPTERS for card in chapter.cards if card.levels]
    designs = list(dict.fromkeys(design for card in cards for design in card.levels))
    rows = [["test", *designs], [":--"] + ["--:"] * len(designs)]
    rows += [[method_title(card), *(card.levels.get(name, "") for name in designs)] for card in cards]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _measures() -> str:
    """Return the formulas of measures computed from counts."""
    measures = (measure for measure in MEASURES.values() if any(count in measure.formula for count in (*COUNTS, "tpr")))
    return "; ".join(f"{measure.name} {measure.formula}" for measure in measures)
