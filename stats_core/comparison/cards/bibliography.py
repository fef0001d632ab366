"""Publications behind the methods, read from `references.bib`, and their citation styles."""

import re
from dataclasses import dataclass
from importlib.resources import files

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)\n\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reference:
    """One publication.

    Attributes
    ----------
    kind : str
        BibTeX's type of entry.
    authors : tuple of str
        "Last, First", in the order of the paper.
    title : str
        With braces around capitals that stay.
    year : int
        Year of publication.
    fields : dict of str to str
        Journal, volume, pages and so on, by their names in BibTeX.
    short : str
        Short name of journal or publisher; "" if citations give the year only.
    """

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str]
    short: str = ""


def parse_bibtex(text: str) -> dict[str, Reference]:
    r"""Parse BibTeX entries with one field per line, in braces.

    Examples
    --------
    >>> found = parse_bibtex("@book{a2001,\n  author = {A, B},\n  title = {T},\n  year = {2001},\n}")
    >>> found["a2001"].authors, found["a2001"].year
    (('A, B',), 2001)
    """
    return {key: _entry(kind, dict(_FIELD.findall(body))) for kind, key, body in _ENTRY.findall(text)}


def reference(key: str) -> Reference:
    """Return one publication by its key."""
    if key not in REFERENCES:
        raise SettingError(
            f'A reference must be one of those of Foldwise. "{key}" is none. Take keys from `references_of`.'
        )
    return REFERENCES[key]


def cited_as(key: str) -> str:
    """Return the citation of a publication in brackets.

    Examples
    --------
    >>> cited_as("garcia2008"), cited_as("irsoy2012")
    ('García and Herrera, 2008', 'İrsoy et al., 2012')
    """
    return f"{_who(key, 2)}, {reference(key).year}"


def cite(key: str, place: str = "") -> str:
    """Return the citation of a publication for text without a list of references.

    Examples
    --------
    >>> cite("demsar2006", "section 3.2.2"), cite("bouckaert2004"), cite("conover1999")
    ('Demšar, JMLR 7 (2006) 1, section 3.2.2', 'Bouckaert and Frank, PAKDD 2004', 'Conover 1999')
    """
    publication = reference(key)
    volume, first = (publication.fields.get("volume"), publication.fields.get("pages", "").split("--")[0])
    if not publication.short:
        citation = f"{_who(key, 3)} {publication.year}"
    elif volume:
        citation = f"{_who(key, 3)}, {publication.short} {volume} ({publication.year}) {first}".strip()
    else:
        citation = f"{_who(key, 3)}, {publication.short} {publication.year}"
    return f"{citation}, {place}" if place else citation


def reference_text(key: str) -> str:
    """Return a publication as one line for a list of references.

    Examples
    --------
    >>> reference_text("nadeau2003")
    'Nadeau, Claude and Bengio, Yoshua (2003). Inference for the Generalization Error. Machine Learning 52(3), 239–281. https://doi.org/10.1023/A:1024068626366'
    """
    publication = reference(key)
    parts = [
        f"{join_names(publication.authors, 9)} ({publication.year})",
        _spelled(publication.title),
        _where(publication),
    ]
    text = f"{'. '.join(part for part in parts if part)}.".replace("?.", "?")
    return f"{text} {address(publication)}".rstrip()


def address(found: Reference) -> str:
    """Return the address of a publication, from its DOI if known; "" if none."""
    doi = found.fields.get("doi", "")
    return f"https://doi.org/{doi}" if doi else found.fields.get("url", "")


def _entry(kind: str, fields: dict[str, str]) -> Reference:
    authors = tuple(fields.pop("author").split(" and "))
    title, year = fields.pop("title"), int(fields.pop("year"))
    short = fields.pop("shortjournal", "") or fields.get("journal", "")
    return Reference(kind, authors, title, year, fields, short)


def _who(key: str, limit: int) -> str:
    """Return the last names of the authors, or the first and "et al." if there are more."""
    names = [author.split(", ")[0] for author in reference(key).authors]
    return join_names(names, limit) if len(names) <= limit else f"{names[0]} et al."


def _where(publication: Reference) -> str:
    """Return the journal, book, school or publisher with volume and pages."""
    fields = publication.fields
    names = ("journal", "booktitle", "school", "edition", "publisher", "address", "note")
    if "edition" in fields:
        fields = {**fields, "edition": f"{fields['edition']} edition"}
    text = ", ".join(_spelled(fields[name]) for name in names if name in fields)
    if "volume" in fields:
        text += f" {fields['volume']}"
    if "number" in fields:
        text += f"({_spelled(fields['number'])})"
    if "pages" in fields:
        text += f", {_spelled(fields['pages'])}"
    return text


def _spelled(text: str) -> str:
    """Return text without BibTeX braces, quotes and dashes."""
    text = re.sub(r"[{}$]", "", text)
    return text.replace("--", "–").replace("``", "“").replace("''", "”")


REFERENCES = parse_bibtex(files(__package__).joinpath("references.bib").read_text(encoding="utf-8"))
