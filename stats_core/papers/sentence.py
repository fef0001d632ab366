"""The one sentence that a paper prints of a comparison, and the LaTeX that goes with it."""

from math import isfinite

from stats_core.comparison.base import Comparison
from stats_core.comparison.claims import Decision
from stats_core.comparison.decide import decide
from stats_core.comparison.firmness import size_said
from stats_core.comparison.region_words import region_said
from stats_core.comparison.verdict import chain_said, told, verdict
from stats_core.core.notes import IN_PAPER, Note
from stats_core.core.words import MANY, capital, count, p_phrase
from stats_core.papers.latex_table import prose
from stats_core.papers.methods_text import methods_pieces
from stats_core.papers.references import bibtex
from stats_core.papers.report import compared
from stats_core.papers.to_latex import cited, speller

BESIDE = ("beside", "own tests cannot")  # codes of notes about tests that do not decide


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
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(paper_sentence(analyse(results)).split(". ")[0])
    2 data sets are too few to decide
    """
    said, found = verdict(comparison), decide(comparison)
    first = said.full or said.headline
    notes = [
        note.said(IN_PAPER) if isinstance(note, Note) else note
        for note in said.notes
        if not (isinstance(note, Note) and note.code in BESIDE)
    ]
    parts = (first, _behind(comparison, found), region_said(comparison), *notes)
    return " ".join(part for part in parts if part)


def _behind(comparison: Comparison, found: Decision) -> str:
    """Return the numbers behind a claim of who stands before whom; elsewhere those on the card."""
    if found.size is None or len(comparison.order) < 3 or comparison.decided_elsewhere:
        return " ".join(told(comparison, found, MANY)[1:]).strip()
    pairs = comparison.pairs()
    row = pairs[pairs["first"].isin(found.size) & pairs["second"].isin(found.size)]
    of_pair = ""
    if len(row) and isfinite(row["p adjusted"].iloc[0]):
        p = p_phrase(row["p adjusted"].iloc[0], comparison.settings.alpha)
        kind = "adjusted " if comparison.guarantee.adjusted else ""
        of_pair = f"{row['first'].iloc[0]} against {row['second'].iloc[0]}: {kind}{p}."
    numbers = (
        _tested(comparison, found),
        of_pair,
        *size_said(comparison, found),
        comparison.sizes(list(found.near)),
    )
    return " ".join(part for part in numbers if part)


def _tested(comparison: Comparison, found: Decision) -> str:
    """Say how many pairs differ, over what, by which tests and at which level."""
    total, alpha = len(comparison.pairs()), f"alpha {comparison.settings.alpha:g}"
    if found.claim == "differ" and not 0 < len(found.named) < total:  # the headline counts them
        return f"{capital(chain_said(comparison))}, {comparison.counted}, {alpha}."
    verb = "differs" if found.separated == 1 else "differ"
    return (
        f"{found.separated:,} of {count(total, 'pair')} {verb} over {comparison.counted} "
        f"({chain_said(comparison)}; {alpha})."
    )


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
    >>> from stats_core.reading.reading import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(latex_block(analyse(results)).splitlines()[0])
    % The result
    """
    pieces, spelled = methods_pieces(comparison), speller(comparison)
    keys = dict.fromkeys(key for piece in pieces for key in piece.keys)
    parts = [
        "% The result",
        prose(spelled(paper_sentence(comparison))),
        "",
        "% Methods",
        cited(pieces, spelled),
        "",
        "% Caption",
        rf"\caption{{{prose(spelled(_caption(comparison)))}}}",
        "",
        "% For the .bib file",
        bibtex(keys).strip(),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _caption(comparison: Comparison) -> str:
    return f"Comparison of {compared(comparison)}; {chain_said(comparison)}."
