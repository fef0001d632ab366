"""Method cards and references, read from the TOML and BibTeX files of this folder; source of docs/methods.md."""

import re
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from stats_core.core.errors import SettingError
from stats_core.core.formatting import capitalize_first, join_names
from stats_core.core.messages import TextCatalog
from stats_core.data.measures import COUNTS, MEASURES
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS

_card_text = TextCatalog("stats_core", "comparison/cards/page.toml")
_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reference:
    """Publication, as in a BibTeX entry.

    Attributes
    ----------
    kind : str
        BibTeX's type of entry.
    authors : tuple of str
        "Last, First", in the order of the paper.
    title : str
        In BibTeX, with braces around capitals that citation styles must keep.
    year : int
        Year of publication.
    fields : dict of str to str
        Journal, volume, pages and so on, by their names in BibTeX.
    short : str
        Short name of the journal or the conference; "" if citations give the year only.
    """

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str]
    short: str = ""


def parse_bibtex(text: str) -> dict[str, Reference]:
    r"""Return the publications of a BibTeX text by key; each field must be on its own line, in braces.

    Examples
    --------
    >>> found = parse_bibtex("@book{a2001,\n  author = {A, B},\n  title = {T},\n  year = {2001},\n}")
    >>> found["a2001"].authors, found["a2001"].year
    (('A, B',), 2001)
    """
    return {
        key: _entry(kind, dict(_FIELD.findall(body))) for kind, key, body in _ENTRY.findall(text)
    }


def reference(key: str) -> Reference:
    """Return the publication with this key; raise SettingError if there is none."""
    if key not in REFERENCES:
        raise SettingError.of("unknown reference", key=key)
    return REFERENCES[key]


def cited_as(key: str) -> str:
    """Return an author-year citation without brackets: "García and Herrera, 2008".

    Examples
    --------
    >>> cited_as("garcia2008"), cited_as("irsoy2012")
    ('García and Herrera, 2008', 'İrsoy et al., 2012')
    """
    return f"{_authors(key, 2)}, {reference(key).year}"


def cite(key: str, location: str = "") -> str:
    """Return a short citation of a publication (authors, journal, year), followed by `location` unless this is "".

    Examples
    --------
    >>> cite("demsar2006", "section 3.2.2"), cite("bouckaert2004"), cite("conover1999")
    ('Demšar, JMLR 7 (2006) 1, section 3.2.2', 'Bouckaert and Frank, PAKDD 2004', 'Conover 1999')
    """
    publication = reference(key)
    volume, first = (
        publication.fields.get("volume"),
        publication.fields.get("pages", "").split("--")[0],
    )
    if not publication.short:
        citation = f"{_authors(key, 3)} {publication.year}"
    elif volume:
        citation = (
            f"{_authors(key, 3)}, {publication.short} {volume} ({publication.year}) {first}".strip()
        )
    else:
        citation = f"{_authors(key, 3)}, {publication.short} {publication.year}"
    return f"{citation}, {location}" if location else citation


def reference_text(key: str) -> str:
    """Return a publication as an entry of a list of references.

    Examples
    --------
    >>> reference_text("nadeau2003")
    'Nadeau, Claude and Bengio, Yoshua (2003). Inference for the Generalization Error. Machine Learning 52(3), 239–281. https://doi.org/10.1023/A:1024068626366'
    """
    publication = reference(key)
    parts = [
        f"{join_names(publication.authors, 9)} ({publication.year})",
        _without_markup(publication.title),
        _published_in(publication),
    ]
    text = f"{'. '.join(part for part in parts if part)}.".replace("?.", "?")
    return f"{text} {address(publication)}".rstrip()


def address(entry: Reference) -> str:
    """Return the URL of a publication, from its DOI if known; "" if it has neither."""
    doi = entry.fields.get("doi", "")
    return f"https://doi.org/{doi}" if doi else entry.fields.get("url", "")


def _entry(kind: str, fields: dict[str, str]) -> Reference:
    authors = tuple(fields.pop("author").split(" and "))
    title, year = fields.pop("title"), int(fields.pop("year"))
    short = fields.pop("shortjournal", "") or fields.get("journal", "")
    return Reference(kind, authors, title, year, fields, short)


def _authors(key: str, limit: int) -> str:
    """Return the authors' last names; more than `limit` are shortened to the first and "et al."."""
    names = [author.split(", ")[0] for author in reference(key).authors]
    return join_names(names, limit) if len(names) <= limit else f"{names[0]} et al."


def _published_in(publication: Reference) -> str:
    """Return where a publication appeared (journal, book, publisher ...), with volume and pages; "" if unknown."""
    fields = publication.fields
    names = ("journal", "booktitle", "school", "edition", "publisher", "address", "note")
    if "edition" in fields:
        fields = {**fields, "edition": f"{fields['edition']} edition"}
    text = ", ".join(_without_markup(fields[name]) for name in names if name in fields)
    if "volume" in fields:
        text += f" {fields['volume']}"
    if "number" in fields:
        text += f"({_without_markup(fields['number'])})"
    if "pages" in fields:
        text += f", {_without_markup(fields['pages'])}"
    return text


def _without_markup(text: str) -> str:
    """Return text without BibTeX braces and $, with its dashes and quotes as Unicode characters."""
    text = re.sub(r"[{}$]", "", text)
    return text.replace("--", "–").replace("``", "“").replace("''", "”")


REFERENCES = parse_bibtex(files(__package__).joinpath("references.bib").read_text(encoding="utf-8"))


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
    definition : str
        Noun phrase that begins with the class of the method: "A test of whether ...".
    plain : str
        Further explanation without formulas.
    when : str
        When to use it.
    why : str
        Reason for using it, in one sentence.
    phrase : str
        Name in a methods paragraph; default is `name` up to the first parenthesis.
    formulas : tuple of str
        In LaTeX, the most informative first.
    text : str
        Details after the formulas, in Markdown; "@key" cites a publication.
    assumes, refused : tuple of str
        Assumptions; cases in which it is refused, with the reason.
    also : tuple of str
        Other definitions under the same name.
    limits : tuple of str
        Where measured error rates or coverage differ from the nominal ones. "{lowest ranks}" is
        the lowest entry of the column "ranks" of a table in `text`, "{highest ranks in KEY}" the
        highest of a table of another card or a chapter.
    levels : dict of str to str
        Measured type I error rate at alpha 0.05, as text, by resampling design.
    runs : tuple of str
        Functions of `stats_core` that run it, as dotted names, the main one first; `foldwise.stats`
        and `foldwise.power` have them.
    cites : tuple of (str, str)
        Keys of `REFERENCES`, each with the place in it.
    aliases : tuple of str
        Other names by which settings ask for it.
    """

    key: str
    name: str
    definition: str
    plain: str = ""
    when: str = ""
    why: str = ""
    phrase: str = ""
    formulas: tuple[str, ...] = ()
    text: str = ""
    assumes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    levels: dict[str, str] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    cites: tuple[tuple[str, str], ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def formula(self) -> str:
        """All formulas in one line of LaTeX."""
        return r",\quad ".join(self.formulas)

    @property
    def papers(self) -> tuple[str, ...]:
        """Keys in `REFERENCES` of the method's publications."""
        return tuple(key for key, _ in self.cites)

    @property
    def reference(self) -> str:
        """Citations of the method's publications."""
        return "; ".join(cite(key, location) for key, location in self.cites)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Method cards for one kind of research question, with an introduction."""

    key: str
    title: str
    text: str
    cards: tuple[Card, ...]


def method_card(key: str) -> Card:
    """Return the card with this key or alias; raise SettingError if there is none.

    Examples
    --------
    >>> method_card("holm").name, method_card("holm").reference, method_card("corrected t").papers
    ('Holm', 'Holm, Scand. J. Stat. 6 (1979) 65', ('nadeau2003', 'bouckaert2004'))
    """
    if key not in _CARDS:
        raise SettingError.of("unknown card", key=key)
    return _CARDS[key]


def reference_of(*keys: str) -> str:
    """Return the citations of several methods, each publication once.

    Examples
    --------
    >>> reference_of("corrected t", "overlap_factor")
    'Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Bouckaert and Frank, PAKDD 2004'
    """
    return "; ".join(
        dict.fromkeys(cite(*citation) for key in keys for citation in method_card(key).cites)
    )


def _chapter(name: str) -> Chapter:
    content = tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    cards = tuple(_card(key, fields) for key, fields in content.items() if isinstance(fields, dict))
    return Chapter(key=name, title=content["title"], text=content["text"].strip(), cards=cards)


def _card(key: str, content: dict) -> Card:
    """Return the card of a TOML table, completed with the name and assumptions registered in `inference`."""
    fields: dict[str, Any] = {
        field_name: tuple(value) if isinstance(value, list) else value
        for field_name, value in content.items()
    }
    for names in (CORRECTIONS, CONTROL_CORRECTIONS):
        if key in names:
            fields["name"] = names[key]
    test = _TEST_OF_CARD.get(key)
    if test is not None:
        fields["name"] = test.name
        fields["assumes"] = (test.assumes, *fields.get("assumes", ()))
        fields["aliases"] = (test.key, *fields.get("aliases", ()))
    formula = fields.pop("formula", ())
    fields["formulas"] = (formula,) if isinstance(formula, str) else formula
    cites = (paper.partition(", ") for paper in fields.pop("papers", ()))
    fields["cites"] = tuple((paper, location) for paper, _, location in cites)
    fields["text"] = fields.get("text", "").strip()
    return Card(key=key, **{"phrase": fields["name"].split(" (")[0]} | fields)


_TEST_OF_CARD = {test.card: test for test in PAIR_TESTS.values()}
CHAPTERS = tuple(_chapter(name) for name in _FILES)
_CARDS = {
    name: definition
    for chapter in CHAPTERS
    for definition in chapter.cards
    for name in (definition.key, *definition.aliases)
}
if _without_card := PAIR_TESTS.keys() - _CARDS.keys():
    raise KeyError(f"no card: {sorted(_without_card)}")

_MARK = re.compile(r"@([a-z]+\d{4})")
_MEASURED = re.compile(r"\{(lowest|highest) ([^{}]+?)(?: in (\w+))?\}")


def methods_page() -> str:
    """Return the text of docs/methods.md."""
    parts = [_card_text("page.introduction").strip()]
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
    """Return definition and plain explanation of a method in Markdown."""
    return f"*{card.definition}* {card.plain}".strip()


def method_details(card: Card) -> str:
    """Return the sections after the formula of a method in Markdown."""
    fields = {
        "When to use": card.when,
        "Assumptions": " ".join(card.assumes),
        "Not applicable": " ".join(card.refused),
        "Other definitions": " ".join(card.also),
        _card_text("page.limits"): _with_measured(" ".join(card.limits), card),
        _card_text("page.levels"): ", ".join(map(": ".join, card.levels.items())),
        "Functions": ", ".join(f"`{name.split('.')[-1]}`" for name in card.runs),
        "References": card.reference,
    }
    lines = "\n".join(f"* **{name}:** {text}" for name, text in fields.items() if text)
    return _with_names(f"{card.text.replace('{measures}', _measures())}\n\n{lines}".strip())


def cited_keys() -> list[str]:
    """Return the sorted keys of all publications cited by cards and chapters."""
    cards = [card for chapter in CHAPTERS for card in chapter.cards]
    texts = [chapter.text for chapter in CHAPTERS]
    texts += [" ".join((card.text, *card.also)) for card in cards]
    in_text = {key for text in texts for key in _MARK.findall(text)}
    return sorted(in_text.union(*(card.papers for card in cards)))


def _with_names(text: str) -> str:
    """Return a text with its citation keys ("@demsar2006") replaced by citations."""
    return _MARK.sub(lambda match: cite(match[1]), text)


def _with_measured(text: str, card: Card) -> str:
    """Return a text with the entries of tables for marks such as "{lowest COLUMN in KEY}"."""
    tables = {chapter.key: chapter.text for chapter in CHAPTERS}

    def entry(match: re.Match[str]) -> str:
        extreme, column, key = match.groups()
        table = card.text if not key else tables.get(key) or method_card(key).text
        return (min if extreme == "lowest" else max)(_column(table, column), key=float)

    return _MEASURED.sub(entry, text)


def _column(text: str, name: str) -> list[str]:
    """Return the entries, without standard errors, of the first column of tables with a name."""
    for table in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        header, _, *rows = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
        ]
        if name in header:
            return [row[header.index(name)].partition("±")[0].strip() for row in rows]
    raise KeyError(name)


def _levels() -> str:
    """Return a Markdown table of the measured type I error rates, one row per method that has any."""
    cards = [card for chapter in CHAPTERS for card in chapter.cards if card.levels]
    designs = list(dict.fromkeys(design for card in cards for design in card.levels))
    rows = [["test", *designs], [":--"] + ["--:"] * len(designs)]
    rows += [
        [method_title(card), *(card.levels.get(name, "") for name in designs)] for card in cards
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _measures() -> str:
    """Return the formulas of measures computed from confusion counts, separated by commas."""
    measures = (
        measure
        for measure in MEASURES.values()
        if any(count in measure.formula for count in (*COUNTS, "tpr"))
    )
    return ", ".join(f"{measure.name} = {measure.formula}" for measure in measures)
