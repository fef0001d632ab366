"""Report as LaTeX: document, section to paste, and bibliography."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.ordering.order import Order
from stats_core.report import latex_characters, methods_text, report_content, reproduce
from stats_core.report.methods_text import JMLR, CitedText
from stats_core.report.paper_sentence import paper_caption, paper_sentence
from stats_core.report.references import bibtex
from stats_core.report.report_content import ReportFigure
from stats_core.report.tables.table import ResultTable

__all__ = ["LatexReport", "to_latex"]

_MAIN_FIGURES = 2  # the other ones are in the appendix
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
        """Contents of the LaTeX folder by file name; PDF figures belong into its folder figures/."""
        return {"report.tex": self.document, "results.tex": self.results, "references.bib": self.bibliography}


def to_latex(
    analysis: Comparison,
    *,
    order: Order | None = None,
    figures: Sequence[ReportFigure] = (),
    title: str = "Results",
    notes: Sequence[str] = (),
    number_style: str = JMLR,
) -> LatexReport:
    r"""Return the report on an analysis as a LaTeX section.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.
    order : Order, optional
        From `order_of`, if the algorithms were also ordered.
    figures : sequence of ReportFigure
        Figures with TikZ source are inserted; the other ones are included from figures/.
    title : str
        Heading of the section.
    notes : sequence of str
        Sentences that follow the findings.
    number_style : {"JMLR", "APA"}
        "p = 0.032" or "p = .032" in sentences and captions.

    Returns
    -------
    LatexReport
        Plain ASCII except comments, for any LaTeX engine. Names that LaTeX cannot print are numbered;
        comments list the numbers.

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
    spelled = _speller(printed_names, number_style)
    figures = [figure for figure in figures if figure.tikz or figure.file]
    content = report_content.build_content(analysis, order)
    tables = content.tables
    keys = report_content.with_papers(content.references, figures)
    preamble = [_PACKAGES, *_tikz_packages(figures)]
    section = [
        f"% Made with Foldwise {reproduce.versions()['foldwise']}. Needs in the preamble:",
        *(f"% {line}" for line in preamble),
        *latex_characters.name_comments({name: printed for name, printed in printed_names.items() if printed != name}),
        FIT,
        "",
        rf"\section{{{latex_prose(spelled(title))}}}",
        r"{\emergencystretch=3em",
        r"\subsection{Methods}",
        text_with_citations(content.methods, spelled),
        "",
        r"\subsection{Findings}",
        latex_prose(spelled(" ".join(filter(None, [content.results, content.robustness, *notes]))))
        + _pointers(figures[:_MAIN_FIGURES], tables[:1]),
        r"\par}",
        "",
        *(_figure(figure, spelled) for figure in figures[:_MAIN_FIGURES]),
        *(part for table in tables[:1] for part in table_parts(table, spelled)),
        *_appendix(figures[_MAIN_FIGURES:], tables[1:], spelled),
        "",
    ]
    return LatexReport(
        document=_document(preamble, bool(keys)),
        results="\n".join(section),
        bibliography=bibtex(keys) if keys else _SOFTWARE.format(version=reproduce.versions()["foldwise"]),
    )


def _appendix(
    figures: Sequence[ReportFigure], tables: Sequence[ResultTable], spelled: Callable[[object], str]
) -> list[str]:
    """Return the LaTeX of additional figures and tables, on separate pages."""
    floats = [_figure(figure, spelled) for figure in figures]
    floats += [part for table in tables for part in table_parts(table, spelled)]
    return [r"\clearpage", r"\section*{Additional figures and tables}", *floats] if floats else []


def _document(preamble: list[str], cites: bool) -> str:
    """Return the main LaTeX document; without citations it cites Foldwise, because BibTeX needs an entry."""
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
    """Return the distinct preamble commands of all TikZ sources."""
    commands = []
    for figure in figures:
        first = figure.tikz.lstrip().split("\n", 1)[0]
        if first.startswith("%"):
            commands += _PREAMBLE.findall(first)
    return list(dict.fromkeys(commands))


def _shown_names(analysis: Comparison) -> dict[str, str]:
    """Return the printable form of each name, algorithms first."""
    results = analysis.results
    names = (*results.algorithms, *results.datasets, *results.measures, *results.costs)
    names += (*analysis.settings.without_algorithms, *analysis.settings.without_datasets)
    return latex_characters.printable_names(dict.fromkeys(names))


def latex_block(comparison: Comparison, *, number_style: str = JMLR) -> str:
    r"""Return LaTeX to paste into a paper: results, methods, caption and references.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> results = read_results(("acc.csv", b"dataset,rf_2,svm\niris,0.9,0.8\nwine,0.7,0.6\n"))
    >>> print(latex_block(analyse(results)).splitlines()[0])
    % The result
    """
    pieces, spelled = methods_text.methods_pieces(comparison), latex_name_replacer(comparison, number_style)
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


def latex_name_replacer(analysis: Comparison, number_style: str = JMLR) -> Callable[[object], str]:
    """Return a function that makes the names in a text printable and formats its numbers."""
    return _speller(_shown_names(analysis), number_style)


def _speller(printed_names: dict[str, str], number_style: str) -> Callable[[object], str]:
    """Return a function that replaces names by printable forms and formats numbers in a style."""
    changed = {
        name: printed
        for name, printed in printed_names.items()
        if latex_characters.keep_characters(name) != latex_characters.one_line(name)
    }
    if not changed:
        return lambda words: latex_characters.keep_characters(methods_text.in_number_style(str(words), number_style))
    longest_first = sorted(changed, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return lambda words: latex_characters.keep_characters(
        pattern.sub(lambda match: changed[match[0]], methods_text.in_number_style(str(words), number_style))
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


def _citing(papers: Sequence[str]) -> str:
    """Return the citation command of a caption, protected for lists of figures."""
    return rf" See~\protect\cite{{{','.join(papers)}}}." if papers else ""


def _pointers(figures: Sequence[ReportFigure], tables: Sequence[ResultTable]) -> str:
    """Return a sentence that refers to all figures and tables."""
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
            rf"{{\fbox{{{latex_characters.to_latex_text(path)} is missing}}}}%"
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


def figure_block(figure: ReportFigure, spelled: Callable[[object], str]) -> str:
    r"""Return a figure environment that needs no commands defined by Foldwise.

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
    caption = f"{figure.title}. {figure.caption}".strip()
    lines = [
        r"\begin{figure}",
        r"\centering",
        rf"\includegraphics{{{figure.file}}}",
        rf"\caption{{{latex_prose(spelled(caption))}{_citing(figure.papers)}}}",
        rf"\label{{{label_of('fig', figure.name)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines)


LINE = 469.0  # text width of the document in points
_SHRINK = 1.3  # tables up to this ratio to the line are scaled, wider ones are split
_ROWS = 40  # maximum rows of one part
_GAP = 12.0  # points between columns
_LONG_TEXT = 150.0  # width in points from which text columns wrap
_LONG_WORD = 18  # length from which a word may be broken anywhere
_VERY_LONG_WORD = 40  # length from which a word may be broken after every second letter
_TURNED = 100.0  # width in points from which long column heads are rotated
_P_VALUE = re.compile(r"(?<![\w\\])p (?=\d|\\textless)")  # kept on one line

_SIGNS = {r"\textless{}": "<", r"\textgreater{}": ">", "=": "=", r"$\leq$": r"\leq"}
_EQUATION = re.compile(rf"(?<![\w\\])p ({'|'.join(map(re.escape, _SIGNS))}) ([\d.]*\d)")

_NUMBER = r"((?:\d|\.\d)[\d.,]*\d|\d)"
_STATISTICS = (
    (re.compile(rf"\$\\alpha\$ = {_NUMBER}"), r"$\\alpha = \1$"),
    (re.compile(rf"\$\\chi\$\S*?\((\d+)\) = {_NUMBER}"), r"$\\chi^2(\1) = \2$"),
    (re.compile(rf"\bF\(([\d.]+), ([\d.]+)\) = {_NUMBER}"), r"$F(\1, \2) = \3$"),
)

# scales the box down to the line and to most of a page
FIT = r"""\ifdefined\foldwisebox\else\newsavebox{\foldwisebox}\fi
\providecommand{\foldwisefit}{%
  \ifdim\wd\foldwisebox>\linewidth
    \sbox{\foldwisebox}{\resizebox{\linewidth}{!}{\usebox{\foldwisebox}}}\fi
  \ifdim\dimexpr\ht\foldwisebox+\dp\foldwisebox\relax>0.8\textheight
    \sbox{\foldwisebox}{\resizebox*{!}{0.8\textheight}{\usebox{\foldwisebox}}}\fi
  \usebox{\foldwisebox}}"""


def latex_prose(words: object) -> str:
    r"""Return text as LaTeX, with line breaks allowed within long names.

    Examples
    --------
    >>> print(latex_prose("a_b differs from gradient_boosting_of_trees"))
    a\_b differs from gradient\allowbreak{}\_boostin\allowbreak{}g\_of\_tre\allowbreak{}es
    >>> print(latex_prose("adjusted p < 0.001 and p \u2264 0.013."))
    adjusted $p < 0.001$ and $p \leq 0.013$.
    >>> print(latex_prose("F(4, 116) = 14.3, \u03c7\u00b2(4) = 10.4, \u03b1 = 0.05."))
    $F(4, 116) = 14.3$, $\chi^2(4) = 10.4$, $\alpha = 0.05$.
    """
    prose = " ".join(_breakable(word) for word in str(words).split(" "))
    prose = _EQUATION.sub(lambda match: f"$p {_SIGNS[match[1]]} {match[2]}$", prose)
    for statistic, equation in _STATISTICS:
        prose = statistic.sub(equation, prose)
    return _P_VALUE.sub("p~", prose)


def _breakable(word: str) -> str:
    if len(word) <= _LONG_WORD:
        return latex_characters.to_latex_text(word)
    if "-" in word[1:-1]:  # LaTeX itself breaks after hyphens
        return "-".join(_breakable(part) for part in word.split("-"))
    size = 8 if len(word) <= _VERY_LONG_WORD else 2
    pieces = [word[start : start + size] for start in range(0, len(word), size)]
    return r"\allowbreak{}".join(latex_characters.to_latex_text(piece) for piece in pieces)


def table_parts(table: ResultTable, spelled: Callable[[object], str]) -> list[str]:
    """Return a table as one or more `table` environments."""
    shown = table.printed()
    texts = shown.texts.map(spelled)
    rows = [spelled(label) for label in texts.index]
    parts = []
    for names in _column_blocks(texts, rows, spelled):
        for row_range in _row_blocks(len(texts), shown.summary):
            parts.append(_tabular(shown, texts, rows, names, row_range, spelled))
    return [_float(shown, body, number, len(parts), spelled) for number, body in enumerate(parts, start=1)]


def _float(table: ResultTable, body: str, number: int, n: int, spelled: Callable[[object], str]) -> str:
    caption = f"{table.title}. {table.caption}".strip()
    if number > 1:
        caption = f"{table.title}, part {number} of {n}."
    elif n > 1:
        caption = f"{table.title}, part 1 of {n}. {table.caption}".strip()
    lines = [
        r"\begin{table}[htbp]",
        *([r"\addtocounter{table}{-1}"] if number > 1 else []),
        r"\centering\small",
        rf"\caption{{{latex_prose(spelled(caption))}}}",
        *([rf"\label{{{label_of('tab', table.name)}}}"] if number == 1 else []),
        r"\par\smallskip",
        r"\begin{lrbox}{\foldwisebox}",
        body,
        r"\end{lrbox}\foldwisefit",
        r"\end{table}",
    ]
    return "\n".join(lines)


def label_of(kind: str, name: str) -> str:
    """Return a label for cross-references, made of ASCII letters and digits.

    Examples
    --------
    >>> label_of("fig", "cd_diagram")
    'fig:cd-diagram'
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in name)
    return f"{kind}:{plain}"


def _tabular(
    table: ResultTable,
    texts: pd.DataFrame,
    rows: list[str],
    names: list[str],
    positions: range,
    spelled: Callable[[object], str],
) -> str:
    columns = {name: texts[name].iloc[positions.start : positions.stop] for name in names}
    kinds = [_kind(table, name, texts[name], spelled) for name in names]
    labels = rows[positions.start : positions.stop]
    first = "r" if all(label.isdigit() for label in rows) else _text_kind(rows)
    heads = [spelled(table.frame.index.name or ""), *map(spelled, names)]
    widths = [0.0, *(max(map(text_width_points, texts[name]), default=0.0) for name in names)]
    lines = [
        rf"\begin{{tabular}}{{{first}{''.join(kinds)}}}",
        r"\toprule",
        _line(_head(head, width) for head, width in zip(heads, widths, strict=True)),
        r"\midrule",
    ]
    summary_from = len(texts) - table.summary if table.summary else -1
    for position, label in zip(positions, labels, strict=True):
        if position == summary_from and position != positions.start:
            lines.append(r"\midrule")
        marks = table.best.get(texts.index[position], ((), ()))
        cells = [_cell(columns[name].iloc[position - positions.start], name, marks) for name in names]
        lines.append(_line([latex_prose(label), *cells]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _line(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After a row end TeX would parse a star or bracket as an option of that command.
    guard = "{}" if row.startswith(("*", "[")) else ""
    return rf"{guard}{row} \\"


def _cell(text: str, name: str, marks: tuple[Sequence[str], Sequence[str]]) -> str:
    content = latex_prose(text)
    if not content:
        return ""
    if name in marks[0]:
        return rf"\textbf{{{content}}}"
    return rf"\underline{{{content}}}" if name in marks[1] else content


def _head(text: str, width: float) -> str:
    """Return a column header, rotated if it is much wider than its cells."""
    if text_width_points(text) > max(2 * width, _TURNED):
        return rf"\rotatebox{{90}}{{{latex_characters.to_latex_text(text)}}}"
    return latex_characters.to_latex_text(text)


def _kind(table: ResultTable, name: str, texts: pd.Series, spelled: Callable[[object], str]) -> str:
    if table.numeric[name]:
        return "r"
    if all(not text or text[0].isdigit() for text in texts):
        return "r"
    return _text_kind(texts)


def _text_kind(texts: Iterable[str]) -> str:
    """Return the column type of a text column: wrapped if any cell is long."""
    longest = max(map(text_width_points, texts), default=0.0)
    if longest <= _LONG_TEXT:
        return "l"
    share = min(0.5, max(0.3, longest / LINE))
    return rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"


def _row_blocks(n: int, summary: int) -> list[range]:
    """Return evenly sized ranges of rows; summary rows stay in the last range."""
    body = n - summary
    count = max(1, ceil(body / _ROWS))
    size = ceil(body / count) if body else 0
    starts = [index * size for index in range(count)]
    return [range(start, n if index == count - 1 else start + size) for index, start in enumerate(starts)]


def _column_blocks(texts: pd.DataFrame, rows: list[str], spelled: Callable[[object], str]) -> list[list[str]]:
    """Return groups of columns, each about as wide as a text line."""
    names = list(texts.columns)
    first = min(_LONG_TEXT, max(map(text_width_points, rows), default=0.0)) + _GAP
    widths = {name: _width(texts[name], spelled(name)) + _GAP for name in names}
    available_width = max(_SHRINK * LINE - first, 1.0)
    count = min(max(1, ceil(sum(widths.values()) / available_width)), max(1, len(names)))
    size = ceil(len(names) / count) if names else 1
    return [names[start : start + size] for start in range(0, len(names), size)] or [[]]


def _width(texts: pd.Series, head: str) -> float:
    cells = max(map(text_width_points, texts), default=0.0)
    if cells > _LONG_TEXT:
        return min(cells, 0.5 * LINE)
    return max(cells, min(text_width_points(head), max(2 * cells, _TURNED)))


def text_width_points(text: str) -> float:
    """Return the estimated width of text at the font size of tables, in points."""
    return sum(
        4.7 if c.isdigit() else 6.8 if c.isupper() or c in "mw±−%@" else 2.9 if c in " .,il" else 4.6 for c in text
    )
