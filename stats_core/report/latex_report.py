"""Report as LaTeX: document, section to paste, and bibliography."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from stats_core.comparison.result import Comparison, HasComparison
from stats_core.ordering.order import Order
from stats_core.report import latex_characters, latex_table, methods_text, report_content
from stats_core.report.latex_characters import latex_prose
from stats_core.report.methods_text import JMLR, CitedText
from stats_core.report.references import bibtex
from stats_core.report.report_content import Node, Paragraph, ReportFigure, Section
from stats_core.report.tables.table import ResultTable

__all__ = ["LatexReport", "to_latex"]

_PACKAGES = r"\usepackage{array,booktabs,graphicx}"
_DOCUMENT = r"""\documentclass{article}
\usepackage[textwidth=6.5in,textheight=9in]{geometry}
%s
\begin{document}
\input{results}
\clearpage%s
\bibliographystyle{plain}
\bibliography{references}
\end{document}
"""
# cited where nothing else is, because BibTeX needs an entry
_SOFTWARE = """@misc{{foldwise,
  key = {{Foldwise}},
  title = {{Foldwise: statistical comparison of learning algorithms}},
  note = {{Version {version}}},
}}
"""
# preamble commands in the first comment of a TikZ source
_PREAMBLE = re.compile(
    r"\\(?:usepackage|usetikzlibrary|usepgfplotslibrary|pgfplotsset)(?:\[[^]]*\])?\{[^}]*\}"
)

# scales the box down to the line and to most of a page
FIT = r"""\ifdefined\foldwisebox\else\newsavebox{\foldwisebox}\fi
\providecommand{\foldwisefit}{%
  \ifdim\wd\foldwisebox>\linewidth
    \sbox{\foldwisebox}{\resizebox{\linewidth}{!}{\usebox{\foldwisebox}}}\fi
  \ifdim\dimexpr\ht\foldwisebox+\dp\foldwisebox\relax>0.8\textheight
    \sbox{\foldwisebox}{\resizebox*{!}{0.8\textheight}{\usebox{\foldwisebox}}}\fi
  \usebox{\foldwisebox}}"""


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
        """Contents of the LaTeX folder by file name; PDF figures belong in its folder figures/."""
        return {
            "report.tex": self.document,
            "results.tex": self.results,
            "references.bib": self.bibliography,
        }


def to_latex(
    analysis: Comparison | HasComparison,
    *,
    order: Order | None = None,
    figures: Sequence[ReportFigure] = (),
    title: str = "Results",
    notes: Sequence[str] = (),
    number_style: str = JMLR,
) -> LatexReport:
    r"""Return the report on an analysis as LaTeX: section, document and bibliography.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also ordered.
    figures : sequence of ReportFigure
        Figures with TikZ source are inserted, those with a file included from figures/, others
        omitted.
    title : str
        Heading of the section.
    notes : sequence of str
        Sentences that follow the findings.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032" in sentences and captions.

    Returns
    -------
    LatexReport
        Plain ASCII except comments, for any LaTeX engine. Names that LaTeX cannot print are
        shortened or numbered, as listed in comments.

    Raises
    ------
    SettingError
        The number style is unknown.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> report = to_latex(analyse(results))
    >>> "We compared two algorithms (rf\\_2 and svm) on 2 data sets" in report.results
    True
    """
    figures = [figure for figure in figures if figure.tikz or figure.file]
    report = report_content.build_report(analysis, order=order, figures=figures, notes=notes)
    spelled = latex_name_replacer(report.names, number_style)
    preamble = [_PACKAGES, *_tikz_packages(figures)]
    section = [
        f"% Made with Foldwise {report.versions['foldwise']}. Needs in the preamble:",
        *(f"% {line}" for line in preamble),
        *latex_characters.name_comments(latex_characters.printable_names(report.names)),
        FIT,
        "",
        rf"\section{{{latex_prose(spelled(title))}}}",
        r"{\emergencystretch=3em",
        *(line for part in report.paper for line in _section(part, spelled)),
        r"\par}",
        "",
    ]
    return LatexReport(
        document=_DOCUMENT % ("\n".join(preamble), "" if report.keys else "\n\\nocite{foldwise}"),
        results="\n".join(section),
        bibliography=bibtex(report.keys)
        if report.keys
        else _SOFTWARE.format(version=report.versions["foldwise"]),
    )


def _section(section: Section, spelled: Callable[[object], str]) -> Iterator[str]:
    """Yield the heading of a section and its content; an appendix begins a page."""
    if section.appendix:
        yield r"\clearpage"
    yield rf"\{'section*' if section.appendix else 'subsection'}{{{section.heading}}}"
    for node in section.nodes:
        match node:
            case Paragraph():
                yield text_with_citations(node.pieces, spelled) + _pointers(node.see) + "\n"
            case ReportFigure():
                yield _figure(node, spelled)
            case ResultTable():
                yield from latex_table.table_parts(node, spelled)


def _tikz_packages(figures: Iterable[ReportFigure]) -> list[str]:
    """Return the distinct preamble commands of all TikZ sources."""
    first_lines = (figure.tikz.lstrip().split("\n", 1)[0] for figure in figures)
    comments = (line for line in first_lines if line.startswith("%"))
    return list(dict.fromkeys(command for line in comments for command in _PREAMBLE.findall(line)))


def latex_name_replacer(names: Iterable[str], number_style: str = JMLR) -> Callable[[object], str]:
    """Return a function that replaces names in a text by printable forms, and formats its numbers in a style."""
    changed = {
        name: printed
        for name, printed in latex_characters.printable_names(names).items()
        if latex_characters.keep_characters(name) != latex_characters.one_line(name)
    }
    longest_first = sorted(changed, key=len, reverse=True)
    pattern = re.compile(
        "|".join(map(re.escape, longest_first)) or "(?!)"
    )  # without names, no match
    return lambda words: latex_characters.keep_characters(
        pattern.sub(
            lambda match: changed[match[0]], methods_text.in_number_style(str(words), number_style)
        )
    )


def text_with_citations(pieces: Iterable[CitedText], spelled: Callable[[object], str]) -> str:
    """Return cited text as LaTeX, its citations as commands."""
    parts = []
    for piece in pieces:
        lead = " " if piece.text.startswith(" ") else ""
        prose = latex_prose(spelled(piece.text))
        cite = rf"~\cite{{{','.join(piece.keys)}}}" if piece.keys else ""
        parts.append(f"{lead}{prose}{cite}")
    return "".join(parts).strip()


def _pointers(nodes: Sequence[Node]) -> str:
    """Return a sentence that refers to figures and tables; "" without any."""
    references = []
    for noun, kind, node_class in (("Figure", "fig", ReportFigure), ("Table", "tab", ResultTable)):
        labels = [
            latex_table.label_of(kind, node.name) for node in nodes if isinstance(node, node_class)
        ]
        if len(labels) == 1:
            references.append(rf"{noun}~\ref{{{labels[0]}}}")
        elif labels:
            references.append(rf"{noun}s~\ref{{{labels[0]}}} to~\ref{{{labels[-1]}}}")
    return f" See {' and '.join(references)}." if references else ""


def _figure(figure: ReportFigure, spelled: Callable[[object], str]) -> str:
    """Return a figure of a report as LaTeX, scaled down to the line; if its file is missing, LaTeX prints a note."""
    path = f"figures/{figure.file}"
    graphic = figure.tikz.strip() or (
        rf"\IfFileExists{{{path}}}{{\includegraphics{{{path}}}}}"
        rf"{{\fbox{{{latex_characters.to_latex_text(path)} is missing}}}}"
    )
    body = [r"\begin{lrbox}{\foldwisebox}%", f"{graphic}%", r"\end{lrbox}\foldwisefit"]
    return figure_block(figure, spelled, options="[htbp]", body=body)


def figure_block(
    figure: ReportFigure,
    spelled: Callable[[object], str],
    *,
    options: str = "",
    body: Sequence[str] = (),
) -> str:
    r"""Return a figure environment, by default without commands defined by Foldwise.

    Examples
    --------
    >>> print(figure_block(ReportFigure(name="cd", title="Ranks", caption="n = 9.", file="cd.pdf"), str))
    \begin{figure}
    \centering
    \includegraphics{cd.pdf}
    \caption{Ranks. n = 9.}
    \label{fig:cd}
    \end{figure}
    """
    caption = f"{figure.title}. {figure.caption}" if figure.caption else figure.title
    cited = (
        rf" See~\protect\cite{{{','.join(figure.papers)}}}." if figure.papers else ""
    )  # for lists of figures
    lines = [
        rf"\begin{{figure}}{options}",
        r"\centering",
        *(body or [rf"\includegraphics{{{figure.file}}}"]),
        rf"\caption{{{latex_prose(spelled(caption))}{cited}}}",
        rf"\label{{{latex_table.label_of('fig', figure.name)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines)
