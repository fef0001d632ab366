"""Report as LaTeX: document, section to paste, and bibliography."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report.latex_characters import keep_characters, name_comments, one_line, printable_names, to_latex_text
from stats_core.report.latex_table import FIT, label_of, latex_prose, table_parts
from stats_core.report.methods_text import CitedText
from stats_core.report.references import bibtex
from stats_core.report.report_content import build_content
from stats_core.report.report_tables import ReportFigure, with_papers
from stats_core.report.reproduce import versions
from stats_core.report.tables.table import ResultTable

__all__ = ["LatexReport", "to_latex"]

_PACKAGES = r"\usepackage{array,booktabs,graphicx}"
_SOFTWARE = """@misc{{foldwise,
  key = {{Foldwise}},
  title = {{Foldwise: statistical comparison of learning algorithms}},
  note = {{Version {version}}},
}}
"""
# preamble commands in the first comment of a TikZ source
_PREAMBLE = re.compile(r"\\(?:usepackage|usetikzlibrary|usepgfplotslibrary|pgfplotsset)(?:\[[^]]*\])?\{[^}]*\}")


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
        """File name -> content, for one folder; PDF figures belong into figures/ below it."""
        return {"report.tex": self.document, "results.tex": self.results, "references.bib": self.bibliography}


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
    printed_names = _shown_names(analysis)
    spelled = _speller(printed_names)
    figures = [figure for figure in figures if figure.tikz or figure.file]
    content = build_content(analysis, order)
    tables = content.tables
    keys = with_papers(content.references, figures)
    preamble = [_PACKAGES, *_tikz_packages(figures)]
    section = [
        f"% Made with Foldwise {versions()['foldwise']}. Needs in the preamble:",
        *(f"% {line}" for line in preamble),
        *name_comments({name: printed for name, printed in printed_names.items() if printed != name}),
        FIT,
        "",
        rf"\section{{{latex_prose(spelled(title))}}}",
        r"{\emergencystretch=3em",
        r"\subsection{Methods}",
        text_with_citations(content.methods, spelled),
        "",
        r"\subsection{Findings}",
        latex_prose(spelled(" ".join(filter(None, [content.results, content.robustness, *notes]))))
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
    """Return the document; without citations it cites Foldwise, as BibTeX needs an entry."""
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
    """Return the preamble commands of all TikZ sources, each once."""
    commands = []
    for figure in figures:
        first = figure.tikz.lstrip().split("\n", 1)[0]
        if first.startswith("%"):
            commands += _PREAMBLE.findall(first)
    return list(dict.fromkeys(commands))


def _shown_names(analysis: Comparison) -> dict[str, str]:
    """Return the printed form of each name, algorithms first."""
    results = analysis.results
    names = (*results.algorithms, *results.datasets, *results.measures, *results.costs)
    names += (*analysis.settings.without_algorithms, *analysis.settings.without_datasets)
    return printable_names(dict.fromkeys(names))


def latex_name_replacer(analysis: Comparison) -> Callable[[object], str]:
    """Return a function that replaces names of a comparison by printable forms."""
    return _speller(_shown_names(analysis))


def _speller(printed_names: dict[str, str]) -> Callable[[object], str]:
    """Return a function that replaces names by their printed forms."""
    changed = {name: printed for name, printed in printed_names.items() if keep_characters(name) != one_line(name)}
    if not changed:
        return lambda words: keep_characters(words)
    longest_first = sorted(changed, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda words: keep_characters(pattern.sub(lambda match: changed[match[0]], str(words)))


def text_with_citations(pieces: Iterable[CitedText], spelled: Callable[[object], str]) -> str:
    """Return cited text as LaTeX with citation commands."""
    parts = []
    for piece in pieces:
        lead = " " if piece.text.startswith(" ") else ""
        prose = latex_prose(spelled(piece.text))
        cite = rf"~\cite{{{','.join(piece.keys)}}}" if piece.keys else ""
        parts.append(f"{lead}{prose}{cite}")
    return "".join(parts).strip()


def _citing(papers: Sequence[str]) -> str:
    """Return the citation of a caption, protected for lists of figures."""
    return rf" See~\protect\cite{{{','.join(papers)}}}." if papers else ""


def _pointers(figures: Sequence[ReportFigure], tables: Sequence[ResultTable]) -> str:
    """Return a sentence that refers to the figures and tables."""
    references = []
    for noun, labels in (
        ("Figure", [label_of("fig", figure.name) for figure in figures]),
        ("Table", [label_of("tab", table.name) for table in tables]),
    ):
        if len(labels) == 1:
            references.append(rf"{noun}~\ref{{{labels[0]}}}")
        elif labels:
            references.append(rf"{noun}s~\ref{{{labels[0]}}} to~\ref{{{labels[-1]}}}")
    return f" See {' and '.join(references)}." if references else ""


def _figure(figure: ReportFigure, spelled: Callable[[object], str]) -> str:
    if figure.tikz:
        body = [figure.tikz.strip() + "%"]
    else:
        path = f"figures/{figure.file}"
        body = [
            rf"\IfFileExists{{{path}}}{{\includegraphics{{{path}}}}}"
            rf"{{\fbox{{{to_latex_text(path)} is missing}}}}%"
        ]
    caption = f"{figure.title}. {figure.caption}" if figure.caption else figure.title
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            r"\begin{lrbox}{\foldwisebox}%",
            *body,
            r"\end{lrbox}\foldwisefit",
            rf"\caption{{{latex_prose(spelled(caption))}{_citing(figure.papers)}}}",
            rf"\label{{{label_of('fig', figure.name)}}}",
            r"\end{figure}",
        ]
    )
