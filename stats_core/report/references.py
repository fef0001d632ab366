"""References cited by an analysis, as BibTeX and as text."""

from collections.abc import Iterable

from stats_core.comparison.cards import method_card
from stats_core.comparison.cards.method_card import REFERENCES, Reference
from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report import latex_characters, methods_text

__all__ = ["REFERENCES", "bibtex", "references_of"]


def references_of(analysis: Comparison, order: Order | None = None) -> list[str]:
    r"""Return the keys of the publications that an analysis cites.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> references_of(analyse(results))[:2]
    ['wilcoxon1945', 'pratt1959']
    """
    return list(methods_text.cited_keys(methods_text.methods_pieces(analysis, order)))


def bibtex(keys: Iterable[str]) -> str:
    r"""Return publications as BibTeX in ASCII.

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
      url = {https://www.jmlr.org/papers/v7/demsar06a.html},
    }
    """
    return "\n".join(_entry(key, method_card.reference(key)) for key in keys)


def _entry(key: str, publication: Reference) -> str:
    """Return the BibTeX entry of a publication."""
    fields = {
        "author": " and ".join(publication.authors),
        "title": publication.title,
        "year": str(publication.year),
        **publication.fields,
    }
    lines = [f"  {name} = {{{_ascii(text)}}}," for name, text in fields.items()]
    return "\n".join([f"@{publication.kind}{{{key},", *lines, "}"]) + "\n"


def _ascii(text: str) -> str:
    """Return text with accented letters as LaTeX commands in braces."""
    return "".join(c if c.isascii() else f"{{{latex_characters.to_latex_text(c)}}}" for c in text)
