"""The references of an analysis: which it rests on, as BibTeX and as text."""

import re
from collections.abc import Iterable

from stats_core.comparison.base import Comparison
from stats_core.core.errors import SettingError
from stats_core.core.words import listed
from stats_core.ordering.order import Order
from stats_core.papers.bibliography import REFERENCES, Reference
from stats_core.papers.latex_letters import latex
from stats_core.papers.methods_text import methods_pieces

__all__ = ["REFERENCES", "Reference", "bibtex", "cited_as", "reference_text", "references_of"]


def references_of(analysis: Comparison, order: Order | None = None) -> list[str]:
    r"""Which publications does this analysis rest on?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also put in order.

    Returns
    -------
    list of str
        Keys of `REFERENCES`, in the order in which `methods_paragraph` names them.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n")
    >>> references_of(analyse(results))[:2]
    ['wilcoxon1945', 'demsar2006']
    """
    pieces = methods_pieces(analysis, order)
    return list(dict.fromkeys(key for piece in pieces for key in piece.keys))


def bibtex(keys: Iterable[str]) -> str:
    r"""Return publications as BibTeX, plain ASCII.

    Parameters
    ----------
    keys : iterable of str
        Of `REFERENCES`.

    Raises
    ------
    SettingError
        An unknown key.

    Examples
    --------
    >>> print(bibtex(["demsar2006"]), end="")
    @article{demsar2006,
      author = {Dem{\v{s}}ar, Janez},
      title = {Statistical Comparisons of Classifiers over Multiple Data Sets},
      year = {2006},
      journal = {Journal of Machine Learning Research},
      volume = {7},
      pages = {1--30},
    }
    """
    return "\n".join(_entry(key, _known(key)) for key in keys)


def cited_as(key: str) -> str:
    """Return a publication as it is named in a sentence.

    Examples
    --------
    >>> cited_as("garcia2008"), cited_as("irsoy2012")
    ('García and Herrera, 2008', 'İrsoy et al., 2012')
    """
    reference = _known(key)
    names = [author.split(", ")[0] for author in reference.authors]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {reference.year}"


def reference_text(key: str) -> str:
    """Return a publication as one line for a list of references.

    Examples
    --------
    >>> reference_text("nadeau2003")
    'Nadeau, Claude and Bengio, Yoshua (2003). Inference for the Generalization Error. Machine Learning 52(3), 239–281.'
    """
    reference = _known(key)
    title = _spelled(reference.title)
    parts = [f"{listed(reference.authors, 9)} ({reference.year})", title, _where(reference)]
    return ". ".join(part for part in parts if part) + "."


def _where(reference: Reference) -> str:
    """Return the journal, book, school or publisher with volume and pages."""
    fields = reference.fields
    named = ("journal", "booktitle", "school", "edition", "publisher", "address", "note")
    if "edition" in fields:
        fields = {**fields, "edition": f"{fields['edition']} edition"}
    place = ", ".join(_spelled(fields[name]) for name in named if name in fields)
    if "volume" in fields:
        place += f" {fields['volume']}"
    if "number" in fields:
        place += f"({fields['number']})"
    if "pages" in fields:
        place += f", {_spelled(fields['pages'])}"
    return place


def _spelled(text: str) -> str:
    """Take BibTeX's braces, quotes and dashes out of a text."""
    text = re.sub(r"[{}$]", "", text)
    return text.replace("--", "–").replace("``", "“").replace("''", "”")


def _entry(key: str, reference: Reference) -> str:
    fields = {
        "author": " and ".join(reference.authors),
        "title": reference.title,
        "year": str(reference.year),
        **reference.fields,
    }
    lines = [f"  {name} = {{{_ascii(text)}}}," for name, text in fields.items()]
    return "\n".join([f"@{reference.kind}{{{key},", *lines, "}"]) + "\n"


def _ascii(text: str) -> str:
    """Write accented letters as commands in braces of their own; BibTeX sorts by them."""
    return "".join(c if c.isascii() else f"{{{latex(c)}}}" for c in text)


def _known(key: str) -> Reference:
    if key not in REFERENCES:
        raise SettingError(
            f'A reference must be one of those of Foldwise. "{key}" is none. '
            "Take keys from `references_of`."
        )
    return REFERENCES[key]
