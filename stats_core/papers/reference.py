"""One publication, as data."""

from dataclasses import dataclass, field


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
    """

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    fields: dict[str, str] = field(default_factory=dict)


def article(authors: str, title: str, year: int, journal: str, **fields: str) -> Reference:
    """Return a paper in a journal; its authors are parted by semicolons."""
    return Reference("article", _people(authors), title, year, {"journal": journal, **fields})


def other(kind: str, authors: str, title: str, year: int, **fields: str) -> Reference:
    """Return a publication of another kind; its authors are parted by semicolons."""
    return Reference(kind, _people(authors), title, year, fields)


def _people(authors: str) -> tuple[str, ...]:
    return tuple(authors.split("; "))
