"""A table of a report as LaTeX: parts that fit a page, names that any engine prints."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import ceil

import pandas as pd

from stats_core.comparison.tables.table import ResultTable
from stats_core.report.latex_characters import to_latex_text

LINE = 469.0  # points of text width of the document
_SHRINK = 1.3  # a table this much wider than the line is scaled, a wider one is parted
_ROWS = 40  # of one part
_GAP = 12.0  # points between columns
_LONG_TEXT = 150.0  # points of a column of text that is broken into lines
_LONG_WORD = 18  # letters of a word that may be broken anywhere
_VERY_LONG_WORD = 40  # and of one in which every other letter needs a place to break
_TURNED = 100.0  # points of a name that is turned upright if it is far wider than its column
_P_VALUE = re.compile(r"(?<![\w\\])p (?=\d|\\textless)")  # not to be parted

_SIGNS = {r"\textless{}": "<", r"\textgreater{}": ">", "=": "=", r"$\leq$": r"\leq"}
_EQUATION = re.compile(rf"(?<![\w\\])p ({'|'.join(map(re.escape, _SIGNS))}) ([\d.]*\d)")

# shrinks what stands in the box to the line, and to most of a page
FIT = r"""\ifdefined\foldwisebox\else\newsavebox{\foldwisebox}\fi
\providecommand{\foldwisefit}{%
  \ifdim\wd\foldwisebox>\linewidth
    \sbox{\foldwisebox}{\resizebox{\linewidth}{!}{\usebox{\foldwisebox}}}\fi
  \ifdim\dimexpr\ht\foldwisebox+\dp\foldwisebox\relax>0.8\textheight
    \sbox{\foldwisebox}{\resizebox*{!}{0.8\textheight}{\usebox{\foldwisebox}}}\fi
  \usebox{\foldwisebox}}"""


def latex_prose(words: object) -> str:
    r"""Return text as LaTeX in which long names may be broken.

    Examples
    --------
    >>> print(latex_prose("a_b differs from gradient_boosting_of_trees"))
    a\_b differs from gradient\allowbreak{}\_boostin\allowbreak{}g\_of\_tre\allowbreak{}es
    >>> print(latex_prose("adjusted p < 0.001 and p \u2264 0.013."))
    adjusted $p < 0.001$ and $p \leq 0.013$.
    """
    said = " ".join(_breakable(word) for word in str(words).split(" "))
    said = _EQUATION.sub(lambda found: f"$p {_SIGNS[found[1]]} {found[2]}$", said)
    return _P_VALUE.sub("p~", said)


def _breakable(word: str) -> str:
    if len(word) <= _LONG_WORD:
        return to_latex_text(word)
    if "-" in word[1:-1]:  # LaTeX breaks after a hyphen by itself
        return "-".join(_breakable(part) for part in word.split("-"))
    size = 8 if len(word) <= _VERY_LONG_WORD else 2
    pieces = [word[at : at + size] for at in range(0, len(word), size)]
    return r"\allowbreak{}".join(to_latex_text(piece) for piece in pieces)


def table_parts(table: ResultTable, spelled: Callable[[object], str]) -> list[str]:
    """Return a table as one or more `table` environments."""
    shown = table.printed()
    texts = shown.texts.map(spelled)
    rows = [spelled(label) for label in texts.index]
    parts = []
    for names in _column_blocks(texts, rows, spelled):
        for chosen in _row_blocks(len(texts), shown.summary):
            parts.append(_tabular(shown, texts, rows, names, chosen, spelled))
    return [
        _float(shown, body, place, len(parts), spelled) for place, body in enumerate(parts, start=1)
    ]


def _float(
    table: ResultTable, body: str, place: int, n: int, spelled: Callable[[object], str]
) -> str:
    caption = f"{table.title}. {table.caption}".strip()
    if place > 1:
        caption = f"{table.title}, part {place} of {n}."
    elif n > 1:
        caption = f"{table.title}, part 1 of {n}. {table.caption}".strip()
    lines = [
        r"\begin{table}[htbp]",
        *([r"\addtocounter{table}{-1}"] if place > 1 else []),
        r"\centering\small",
        rf"\caption{{{latex_prose(spelled(caption))}}}",
        *([rf"\label{{{label_of('tab', table.name)}}}"] if place == 1 else []),
        r"\par\smallskip",
        r"\begin{lrbox}{\foldwisebox}",
        body,
        r"\end{lrbox}\foldwisefit",
        r"\end{table}",
    ]
    return "\n".join(lines)


def label_of(kind: str, name: str) -> str:
    """Return a label for cross-references made of plain letters.

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
    chosen: range,
    spelled: Callable[[object], str],
) -> str:
    columns = {name: texts[name].iloc[chosen.start : chosen.stop] for name in names}
    kinds = [_kind(table, name, texts[name], spelled) for name in names]
    labels = rows[chosen.start : chosen.stop]
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
    for place, label in zip(chosen, labels, strict=True):
        if place == summary_from and place != chosen.start:
            lines.append(r"\midrule")
        marks = table.best.get(texts.index[place], ((), ()))
        cells = [_cell(columns[name].iloc[place - chosen.start], name, marks) for name in names]
        lines.append(_line([latex_prose(label), *cells]))
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _line(cells: Iterable[str]) -> str:
    row = " & ".join(cells)
    # After the end of a row TeX takes a star or a bracket as that command's option.
    guard = "{}" if row.startswith(("*", "[")) else ""
    return rf"{guard}{row} \\"


def _cell(text: str, name: str, marks: tuple[Sequence[str], Sequence[str]]) -> str:
    said = latex_prose(text)
    if not said:
        return ""
    if name in marks[0]:
        return rf"\textbf{{{said}}}"
    return rf"\underline{{{said}}}" if name in marks[1] else said


def _head(text: str, width: float) -> str:
    """Turn a name that is much longer than what stands below it."""
    if text_width_points(text) > max(2 * width, _TURNED):
        return rf"\rotatebox{{90}}{{{to_latex_text(text)}}}"
    return to_latex_text(text)


def _kind(table: ResultTable, name: str, texts: pd.Series, spelled: Callable[[object], str]) -> str:
    if table.numeric[name]:
        return "r"
    if all(not text or text[0].isdigit() for text in texts):
        return "r"
    return _text_kind(texts)


def _text_kind(texts: Iterable[str]) -> str:
    """Return the alignment of text: broken into lines if some of it is long."""
    longest = max(map(text_width_points, texts), default=0.0)
    if longest <= _LONG_TEXT:
        return "l"
    share = min(0.5, max(0.3, longest / LINE))
    return rf">{{\raggedright\arraybackslash}}p{{{share:.2f}\linewidth}}"


def _row_blocks(n: int, summary: int) -> list[range]:
    """Part rows evenly; the summary stays with the last of the others."""
    body = n - summary
    count = max(1, ceil(body / _ROWS))
    size = ceil(body / count) if body else 0
    starts = [place * size for place in range(count)]
    return [
        range(start, n if place == count - 1 else start + size)
        for place, start in enumerate(starts)
    ]


def _column_blocks(
    texts: pd.DataFrame, rows: list[str], spelled: Callable[[object], str]
) -> list[list[str]]:
    """Part columns evenly, so that no part is much wider than a line."""
    names = list(texts.columns)
    first = min(_LONG_TEXT, max(map(text_width_points, rows), default=0.0)) + _GAP
    widths = {name: _width(texts[name], spelled(name)) + _GAP for name in names}
    room = max(_SHRINK * LINE - first, 1.0)
    count = min(max(1, ceil(sum(widths.values()) / room)), max(1, len(names)))
    size = ceil(len(names) / count) if names else 1
    return [names[at : at + size] for at in range(0, len(names), size)] or [[]]


def _width(texts: pd.Series, head: str) -> float:
    cells = max(map(text_width_points, texts), default=0.0)
    if cells > _LONG_TEXT:
        return min(cells, 0.5 * LINE)
    return max(cells, min(text_width_points(head), max(2 * cells, _TURNED)))


def text_width_points(text: str) -> float:
    """Estimate how wide text is at the size of tables, in points."""
    return sum(
        4.7
        if c.isdigit()
        else 6.8
        if c.isupper() or c in "mw±−%@"
        else 2.9
        if c in " .,il"
        else 4.6
        for c in text
    )
