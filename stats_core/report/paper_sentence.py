"""The one sentence that a paper prints of a comparison, and the LaTeX that goes with it."""

from stats_core.comparison.decide import decide
from stats_core.comparison.equivalence_text import describe_equivalence
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import headline_parts, verdict
from stats_core.core.formatting import MANY, capitalize_first, format_count, join_names
from stats_core.core.messages import IN_PAPER, Message
from stats_core.report.latex_report import latex_name_replacer, text_with_citations
from stats_core.report.latex_table import latex_prose
from stats_core.report.methods_text import compared_on, methods_pieces
from stats_core.report.paper_claim import claim_said, tests_said
from stats_core.report.references import bibtex

BESIDE = ("beside",)  # codes of notes about tests that do not decide


def paper_sentence(comparison: Comparison) -> str:
    r"""What does a paper print of this comparison?

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.

    Returns
    -------
    str
        What is claimed with every name, then test, adjustment, number of results, p of the pair
        that the claim rests on and its difference with interval; then what a reader must know.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(paper_sentence(analyse(results)).split(". ")[0])
    2 data sets are too few to decide
    """
    said, found = verdict(comparison), decide(comparison)
    notes = [
        note.said(IN_PAPER) if isinstance(note, Message) else note
        for note in said.notes
        if not (isinstance(note, Message) and note.code in BESIDE)
    ]
    claim = claim_said(comparison, found)
    first = (
        [claim]
        if claim
        else [said.full or said.headline, *headline_parts(comparison, found, MANY)[1:]]
    )
    return " ".join(part for part in (*first, describe_equivalence(comparison), *notes) if part)


def latex_block(comparison: Comparison) -> str:
    r"""What can be pasted into a paper: sentence, methods, caption and references, as LaTeX?

    Parameters
    ----------
    comparison : Comparison
        From `analyse`.

    Returns
    -------
    str
        The sentence, the methods paragraph with its citations, a caption, and the BibTeX entries of
        what is cited, each under a comment that names it. Plain ASCII.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(latex_block(analyse(results)).splitlines()[0])
    % The result
    """
    pieces, spelled = methods_pieces(comparison), latex_name_replacer(comparison)
    keys = dict.fromkeys(key for piece in pieces for key in piece.keys)
    parts = [
        "% The result",
        latex_prose(spelled(paper_sentence(comparison))),
        "",
        "% Methods",
        text_with_citations(pieces, spelled),
        "",
        "% Caption",
        rf"\caption{{{latex_prose(spelled(paper_caption(comparison)))}}}",
        "",
        "% For the .bib file",
        bibtex(keys).strip(),
    ]
    return "\n".join(parts).rstrip() + "\n"


def paper_caption(comparison: Comparison) -> str:
    """Say what is compared, on what, by which measure, and how it was tested."""
    what = format_count(len(comparison.results.algorithms), "algorithm")
    by = join_names(comparison.together, MANY) or comparison.measure_label
    if comparison.decided_elsewhere:
        tested = f"{capitalize_first(comparison.post)}."
    elif comparison.guarantee.comparisons:
        tested = f"Tests: {tests_said(comparison)}."
    else:
        tested = "Nothing was tested."
    return f"Comparison of {what}{compared_on(comparison)} by {by}. {tested}"
