"""The papers and books behind the methods, read from `references.bib`, and how they are named."""

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
        Of publication.
    fields : dict of str to str
        Journal, volume, pages and so on, by their names in BibTeX.
    short : str
        Where it was published as sentences name it; "" if they give the year alone.
    """

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str]
    short: str = ""


def parse_bibtex(text: str) -> dict[str, Reference]:
    r"""Read entries of BibTeX that have one field per line, in braces.

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
    """Return one publication."""
    if key not in REFERENCES:
        raise SettingError(
            f'A reference must be one of those of Foldwise. "{key}" is none. '
            "Take keys from `references_of`."
        )
    return REFERENCES[key]


def cited_as(key: str) -> str:
    """Return a publication as it is named in brackets.

    Examples
    --------
    >>> cited_as("garcia2008"), cited_as("irsoy2012")
    ('García and Herrera, 2008', 'İrsoy et al., 2012')
    """
    return f"{_who(key, 2)}, {reference(key).year}"


def cite(key: str, place: str = "") -> str:
    """Return a publication as it is named where no list of references follows.

    Examples
    --------
    >>> cite("demsar2006", "section 3.2.2"), cite("bouckaert2004"), cite("conover1999")
    ('Demšar, JMLR 7 (2006) 1, section 3.2.2', 'Bouckaert and Frank, PAKDD 2004', 'Conover 1999')
    """
    found = reference(key)
    volume, first = found.fields.get("volume"), found.fields.get("pages", "").split("--")[0]
    if not found.short:
        said = f"{_who(key, 3)} {found.year}"
    elif volume:
        said = f"{_who(key, 3)}, {found.short} {volume} ({found.year}) {first}".strip()
    else:
        said = f"{_who(key, 3)}, {found.short} {found.year}"
    return f"{said}, {place}" if place else said


def reference_text(key: str) -> str:
    """Return a publication as one line for a list of references.

    Examples
    --------
    >>> reference_text("nadeau2003")
    'Nadeau, Claude and Bengio, Yoshua (2003). Inference for the Generalization Error. Machine Learning 52(3), 239–281. https://doi.org/10.1023/A:1024068626366'
    """
    found = reference(key)
    parts = [f"{join_names(found.authors, 9)} ({found.year})", _spelled(found.title), _where(found)]
    said = f"{'. '.join(part for part in parts if part)}.".replace("?.", "?")
    return f"{said} {address(found)}".rstrip()


def address(found: Reference) -> str:
    """Return where a publication is found, its DOI as an address; "" if that is not known."""
    doi = found.fields.get("doi", "")
    return f"https://doi.org/{doi}" if doi else found.fields.get("url", "")


def _entry(kind: str, fields: dict[str, str]) -> Reference:
    authors = tuple(fields.pop("author").split(" and "))
    title, year = fields.pop("title"), int(fields.pop("year"))
    short = fields.pop("shortjournal", "") or fields.get("journal", "")
    return Reference(kind, authors, title, year, fields, short)


def _who(key: str, most: int) -> str:
    """Return the last names, the first alone if there are more than the most."""
    names = [author.split(", ")[0] for author in reference(key).authors]
    return join_names(names, most) if len(names) <= most else f"{names[0]} et al."


def _where(found: Reference) -> str:
    """Return the journal, book, school or publisher with volume and pages."""
    fields = found.fields
    named = ("journal", "booktitle", "school", "edition", "publisher", "address", "note")
    if "edition" in fields:
        fields = {**fields, "edition": f"{fields['edition']} edition"}
    place = ", ".join(_spelled(fields[name]) for name in named if name in fields)
    if "volume" in fields:
        place += f" {fields['volume']}"
    if "number" in fields:
        place += f"({_spelled(fields['number'])})"
    if "pages" in fields:
        place += f", {_spelled(fields['pages'])}"
    return place


def _spelled(text: str) -> str:
    """Take BibTeX's braces, quotes and dashes out of a text."""
    text = re.sub(r"[{}$]", "", text)
    return text.replace("--", "–").replace("``", "“").replace("''", "”")


REFERENCES = parse_bibtex(files(__package__).joinpath("references.bib").read_text(encoding="utf-8"))
