"""Methods paragraph for a paper; its sentences are in `methods_sections`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from stats_core.comparison.result import Comparison
from stats_core.core import formatting
from stats_core.core.messages import IN_PAPER, Message
from stats_core.core.validation import check_one_of
from stats_core.curves import thresholds
from stats_core.data import measures
from stats_core.ordering.order import Order
from stats_core.report import methods_sections

JMLR = "JMLR"
NUMBER_STYLES = (JMLR, "APA")
_LEADING_ZERO = re.compile(r"(?<=[pα] [=<>≤] )0(?=\.\d)")
# codes of notes on the results that a paper states
IN_METHODS = ("renamed", "cases in order")


@dataclass(frozen=True, slots=True)
class CitedText:
    """Text with the publications cited after it.

    Attributes
    ----------
    text : str
        Text, with a leading blank if it continues a sentence or paragraph.
    keys : tuple of str
        Keys of `REFERENCES`.
    """

    text: str
    keys: tuple[str, ...] = ()

    @property
    def marked(self) -> str:
        """Text, followed by a mark for its citations if it has any.

        Examples
        --------
        >>> CitedText(" Holm's procedure", ("holm1979",)).marked
        " Holm's procedure [@holm1979]"
        """
        if not self.keys:
            return self.text
        return f"{self.text} [{'; '.join(f'@{key}' for key in self.keys)}]"


def cited_keys(pieces: Iterable[CitedText]) -> tuple[str, ...]:
    """Return the keys of the publications that text cites, in the order of citation."""
    return tuple(dict.fromkeys(key for piece in pieces for key in piece.keys))


def methods_paragraph(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> str:
    r"""Return a paragraph for a paper's methods section.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        The order by cost, from `order_of`.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032".

    Returns
    -------
    str
        The paragraph, with citations as marks.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(methods_paragraph(analyse(results)).split(". ")[0])
    We compared two algorithms (rf and svm) on 2 data sets by accuracy (higher is better)
    """
    pieces = methods_pieces(analysis, order, number_style=number_style)
    return "".join(piece.marked for piece in pieces).strip()


def in_number_style(text: str, style: str) -> str:
    """Return text with p-values and levels formatted in a style; SettingError for an unknown style.

    Examples
    --------
    >>> in_number_style("adjusted p < 0.001, α = 0.05, error 0.03", "APA")
    'adjusted p < .001, α = .05, error 0.03'
    """
    check_one_of(style, NUMBER_STYLES, "number_style")
    return text if style == JMLR else _LEADING_ZERO.sub("", text)


def readable_measures(text: str, comparison: Comparison) -> str:
    """Return text with measures as in papers ("AUC"), unless a name of the data contains one."""
    names = {*comparison.results.algorithms, *comparison.results.datasets}
    for measure in comparison.measures_compared:
        readable = formatting.measure_name(measure)
        if not any(measure in name for name in names):
            text = re.sub(rf"(?<!\w){re.escape(measure)}(?!\w)", readable, text)
    return text


def threshold_notes(c: Comparison) -> list[Message]:
    """Return the statement of the threshold if models on one test set are compared by classes."""
    if c.shape.over != "cases" or c.settings.measure in (*measures.AREAS, *measures.LOSSES):
        return []
    stated = thresholds.threshold_message(c.results)
    return [] if stated is None else [stated]


def methods_pieces(
    analysis: Comparison, order: Order | None = None, *, number_style: str = JMLR
) -> tuple[CitedText, ...]:
    """Return the methods paragraph in pieces with citations; SettingError for an unknown style."""
    text = in_number_style(readable_measures(_paragraph(analysis, order), analysis), number_style)
    return tuple(CitedText(*part) for part in methods_sections.split_citations(text))


def _paragraph(c: Comparison, order: Order | None) -> str:
    """Return the methods paragraph with marks for citations."""
    results = c.results
    stated = threshold_notes(c)
    notes = [note for note in results.notes if note.code in IN_METHODS or note in stated]
    return formatting.join_sentences(
        methods_sections.compared(c),
        methods_sections.origin(c),
        *(note.said(IN_PAPER) for note in notes),
        methods_sections.left_out(c.settings.without_algorithms, c.noun),
        methods_sections.left_out(c.settings.without_datasets, "data set"),
        methods_sections.tests(c),
        methods_sections.checks(c),
        methods_sections.equivalence(c),
        "" if order is None else methods_sections.ordered(order),
        *(choice.said(IN_PAPER) for choice in results.choices),
        methods_sections.none_missing(c),
        methods_sections.software(),
    )
