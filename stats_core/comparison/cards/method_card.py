"""Method cards, read from the TOML files of this folder."""

import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from stats_core.comparison.cards.bibliography import cite
from stats_core.core.errors import SettingError
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.corrections import CONTROL_CORRECTIONS, CORRECTIONS

_FILES = ("two", "several", "measures", "many", "corrections", "curves", "orders", "numbers")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Description of one method.

    Attributes
    ----------
    key : str
        Name in code.
    name : str
        Displayed name.
    question : str
        Question that it answers.
    plain : str
        Further explanation without formulas.
    when : str
        When to use it.
    why : str
        Reason for using it, in one sentence.
    phrase : str
        Name in a methods paragraph; default is the name without authors.
    formulas : tuple of str
        In LaTeX, the one that says most first.
    text : str
        The rest, in Markdown; "@key" names a publication.
    assumes, refused : tuple of str
        Assumptions; cases in which it is refused, with the reason.
    also : tuple of str
        Other definitions under the same name.
    levels : dict of str to str
        Share of true hypotheses rejected at 0.05, by design.
    runs : tuple of str
        Functions of `stats_core` that run it, dotted, the first one above all.
    cites : tuple of (str, str)
        Keys of `REFERENCES`, each with the place in it.
    asked : tuple of str
        Other names by which settings ask for it.
    """

    key: str
    name: str
    question: str
    plain: str = ""
    when: str = ""
    why: str = ""
    phrase: str = ""
    formulas: tuple[str, ...] = ()
    text: str = ""
    assumes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    levels: dict[str, str] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    cites: tuple[tuple[str, str], ...] = ()
    asked: tuple[str, ...] = ()

    @property
    def formula(self) -> str:
        """All formulas in one line of LaTeX."""
        return r",\quad ".join(self.formulas)

    @property
    def papers(self) -> tuple[str, ...]:
        """Keys in `REFERENCES` of the publications."""
        return tuple(key for key, _ in self.cites)

    @property
    def reference(self) -> str:
        """Citations of the publications."""
        return "; ".join(cite(key, place) for key, place in self.cites)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Cards of methods for one kind of question, with an introduction."""

    title: str
    text: str
    cards: tuple[Card, ...]


def method_card(key: str) -> Card:
    """Return the card of a method.

    Examples
    --------
    >>> method_card("holm").name, method_card("holm").reference, method_card("corrected t").papers
    ('Holm', 'Holm, Scand. J. Stat. 6 (1979) 65', ('nadeau2003', 'bouckaert2004'))
    """
    if key not in _CARDS:
        raise SettingError(f'There is no card of "{key}". Take a key of `CHAPTERS`.')
    return _CARDS[key]


def reference_of(*keys: str) -> str:
    """Return the citations of several methods, each publication once.

    Examples
    --------
    >>> reference_of("corrected t", "overlap_factor")
    'Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004'
    """
    return "; ".join(dict.fromkeys(cite(*citation) for key in keys for citation in method_card(key).cites))


def _chapter(name: str) -> Chapter:
    content = tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    cards = tuple(_card(key, fields) for key, fields in content.items() if isinstance(fields, dict))
    return Chapter(title=content["title"], text=content["text"].strip(), cards=cards)


def _card(key: str, content: dict) -> Card:
    """Return a card, completed by names and assumptions registered in `inference`."""
    names = {name: test.name for name, test in PAIR_TESTS.items()}
    names |= CORRECTIONS | CONTROL_CORRECTIONS
    fields: dict[str, Any] = {
        field_name: tuple(value) if isinstance(value, list) else value for field_name, value in content.items()
    }
    aliases = fields.get("asked", ())
    for registered in (key, *aliases):
        if registered in names:
            fields["name"] = names[registered]
        if registered in PAIR_TESTS:
            assumption = PAIR_TESTS[registered].assumes
            fields["assumes"] = (assumption, *fields.get("assumes", ()))
    formula = fields.pop("formula", ())
    fields["formulas"] = (formula,) if isinstance(formula, str) else formula
    cites = (paper.partition(", ") for paper in fields.pop("papers", ()))
    fields["cites"] = tuple((paper, location) for paper, _, location in cites)
    fields["text"] = fields.get("text", "").strip()
    return Card(key=key, **{"phrase": fields["name"].split(" (")[0]} | fields)


CHAPTERS = tuple(_chapter(name) for name in _FILES)
_CARDS = {name: one for chapter in CHAPTERS for one in chapter.cards for name in (one.key, *one.asked)}
