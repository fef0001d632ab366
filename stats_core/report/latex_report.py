"""A report as LaTeX: a document that compiles, a section to paste, its bibliography."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.table import ResultTable
from stats_core.ordering.order import Order
from stats_core.report.latex_characters import (
    keep_characters,
    name_comments,
    one_line,
    printable_names,
    to_latex_text,
)
from stats_core.report.latex_table import FIT, label_of, latex_prose, table_parts
from stats_core.report.methods_text import CitedText
from stats_core.report.references import bibtex
from stats_core.report.report_content import build_content
from stats_core.report.report_tables import ReportFigure, with_papers
from stats_core.report.reproduce import versions

__all__ = ["LatexReport", "to_latex"]

_PACKAGES = r"\usepackage{array,booktabs,graphicx}"
_SOFTWARE = """@misc{{foldwise,
  key = {{Foldwise}},
  title = {{Foldwise: statistical comparison of learning algorithms}},
  note = {{Version {version}}},
}}
"""
# commands of the first comment of a TikZ source that belong into the preamble
_PREAMBLE = re.compile(
    r"\\(?:usepackage|usetikzlibrary|usepgfplotslibrary|pgfplotsset)(?:\[[^]]*\])?\{[^}]*\}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatexReport:
    """A report in the files of a LaTeX folder.

    Attributes
    ----------
    document : str
        Compiles with pdflatex, bibtex, pdflatex, pdflatex; reads the other two files.
    results : str
        The section, to be pasted into a paper; its first lines name the packages it needs.
    bibliography : str
        BibTeX of the publications cited.
    """

    document: str
    results: str
    bibliography: str

    @property
    def files(self) -> dict[str, str]:
        """File name -> content, for one folder; PDF figures go into figures/ below it."""
        return {
            "report.tex": self.document,
            "results.tex": self.results,
            "references.bib": self.bibliography,
        }


def to_latex(
    analysis: Comparison,
    *,
    order: Order | None = None,
    figures: Sequence[ReportFigure] = (),
    title: str = "Results",
    notes: Sequence[str] = (),
) -> LatexReport:
    r"""How does this analysis stand in a paper?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also put in order.
    figures : sequence of ReportFigure
        Those with TikZ source are written into the section, the others read from figures/.
    title : str
        Heading of the section.
    notes : sequence of str
        Sentences that follow the findings.

    Returns
    -------
    LatexReport
        Plain ASCII but for comments, so for any engine. Names without a form in LaTeX are
        numbered; a comment tells which is which.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> report = to_latex(analyse(results))
    >>> "We compared 2 algorithms (rf\\_2 and svm) on 2 data sets" in report.results
    True
    """
    shown = _shown_names(analysis)
    spelled = _speller(shown)
    figures = [figure for figure in figures if figure.tikz or figure.file]
    told = build_content(analysis, order)
    tables = told.tables
    keys = with_papers(told.references, figures)
    preamble = [_PACKAGES, *_tikz_packages(figures)]
    section = [
        f"% Made with Foldwise {versions()['foldwise']}. Needs in the preamble:",
        *(f"% {line}" for line in preamble),
        *name_comments({name: now for name, now in shown.items() if now != name}),
        FIT,
        "",
        rf"\section{{{latex_prose(spelled(title))}}}",
        r"{\emergencystretch=3em",
        r"\subsection{Methods}",
        text_with_citations(told.methods, spelled),
        "",
        r"\subsection{Findings}",
        latex_prose(spelled(" ".join(filter(None, [told.results, told.robustness, *notes]))))
        + _pointers(figures, tables),
        r"\par}",
        "",
        *(_figure(figure, spelled) for figure in figures),
        *(part for table in tables for part in table_parts(table, spelled)),
        "",
    ]
    return LatexReport(
        document=_document(preamble, bool(keys)),
        results="\n".join(section),
        bibliography=bibtex(keys) if keys else _SOFTWARE.format(version=versions()["foldwise"]),
    )


def _document(preamble: list[str], cites: bool) -> str:
    """Return the document; where nothing is cited the software is, for BibTeX fails without."""
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[textwidth=6.5in,textheight=9in]{geometry}",
            *preamble,
            r"\begin{document}",
            r"\input{results}",
            r"\clearpage",
            *([] if cites else [r"\nocite{foldwise}"]),
            r"\bibliographystyle{plain}",
            r"\bibliography{references}",
            r"\end{document}",
            "",
        ]
    )


def _tikz_packages(figures: Iterable[ReportFigure]) -> list[str]:
    """Return what the first comments of the TikZ sources ask for, each once."""
    found = []
    for figure in figures:
        first = figure.tikz.lstrip().split("\n", 1)[0]
        if first.startswith("%"):
            found += _PREAMBLE.findall(first)
    return list(dict.fromkeys(found))


def _shown_names(analysis: Comparison) -> dict[str, str]:
    """Return what to print for each name; algorithms come first, so their numbers are places."""
    results = analysis.results
    names = (*results.algorithms, *results.datasets, *results.measures, *results.costs)
    names += (*analysis.settings.without_algorithms, *analysis.settings.without_datasets)
    return printable_names(dict.fromkeys(names))


def latex_name_replacer(analysis: Comparison) -> Callable[[object], str]:
    """Return the function that replaces names of a comparison by what LaTeX can print."""
    return _speller(_shown_names(analysis))


def _speller(shown: dict[str, str]) -> Callable[[object], str]:
    """Return the function that replaces names by what is printed for them."""
    changed = {name: now for name, now in shown.items() if keep_characters(name) != one_line(name)}
    if not changed:
        return lambda words: keep_characters(words)
    longest_first = sorted(changed, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda words: keep_characters(pattern.sub(lambda found: changed[found[0]], str(words)))


def text_with_citations(pieces: Iterable[CitedText], spelled: Callable[[object], str]) -> str:
    """Write pieces as text with citations."""
    parts = []
    for piece in pieces:
        lead = " " if piece.text.startswith(" ") else ""
        said = latex_prose(spelled(piece.text))
        cite = rf"~\cite{{{','.join(piece.keys)}}}" if piece.keys else ""
        parts.append(f"{lead}{said}{cite}")
    return "".join(parts).strip()


def _citing(papers: Sequence[str]) -> str:
    """Cite in a caption; the command is kept from moving into a list of figures unprotected."""
    return rf" See~\protect\cite{{{','.join(papers)}}}." if papers else ""


def _pointers(figures: Sequence[ReportFigure], tables: Sequence[ResultTable]) -> str:
    """Point to the figures and the tables."""
    said = []
    for noun, labels in (
        ("Figure", [label_of("fig", figure.name) for figure in figures]),
        ("Table", [label_of("tab", table.name) for table in tables]),
    ):
        if len(labels) == 1:
            said.append(rf"{noun}~\ref{{{labels[0]}}}")
        elif labels:
            said.append(rf"{noun}s~\ref{{{labels[0]}}} to~\ref{{{labels[-1]}}}")
    return f" See {' and '.join(said)}." if said else ""


def _figure(figure: ReportFigure, spelled: Callable[[object], str]) -> str:
    if figure.tikz:
        drawn = [figure.tikz.strip() + "%"]
    else:
        path = f"figures/{figure.file}"
        drawn = [
            rf"\IfFileExists{{{path}}}{{\includegraphics{{{path}}}}}"
            rf"{{\fbox{{{to_latex_text(path)} is missing}}}}%"
        ]
    caption = f"{figure.title}. {figure.caption}" if figure.caption else figure.title
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            r"\begin{lrbox}{\foldwisebox}%",
            *drawn,
            r"\end{lrbox}\foldwisefit",
            rf"\caption{{{latex_prose(spelled(caption))}{_citing(figure.papers)}}}",
            rf"\label{{{label_of('fig', figure.name)}}}",
            r"\end{figure}",
        ]
    )
