"""Tables in LaTeX: tabular and its kin, or rows copied out of one."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.io.formats.cell_grid import Row, as_written

_KINDS = r"(?:tabular[*xy]?|tabulary|longtable|supertabular|array|NiceTabular|tblr)"
_BEGIN = re.compile(rf"\\begin\s*\{{({_KINDS})\}}")
_FLOAT = re.compile(r"\\(begin|end)\s*\{\w*(?:table|figure)\w*\*?\}")
_CAPTION = re.compile(r"\\caption(?:of\s*\{\w+\})?\*?\s*(?:\[[^\]]*\])?\s*(?=\{)")
_ROW_END = re.compile(r"(?<!\\)(?:\\\\(?:\*?\s*\[[^\]]*\])?|\\tabularnewline\b|\\cr\b)")
_COMMENT = re.compile(r"(?<!\\)%.*")
_ARGUMENT = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot)\b(?:\[[^\]]*\])?"
    r"|\\(?:cmidrule|cline)\b(?:\[[^\]]*\])?(?:\([^)]*\))?(?:\[[^\]]*\])?\{[^{}]*\}"
    r"|\\addlinespace\b(?:\[[^\]]*\])?|\\specialrule(?:\{[^{}]*\}){3}"
    r"|\\(?:rowcolor|noalign|caption|label)\b(?:\[[^\]]*\])?" + _ARGUMENT
)
_SPAN = re.compile(
    r"\\multicolumn\s*\{\s*(\d+)\s*\}\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\s*" + _ARGUMENT
)
_MULTIROW = re.compile(
    r"\\multirow(?:\[[^\]]*\])?\s*\{\s*(\d+)\s*\}\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}"
)
_SYMBOLS = {
    **dict.fromkeys(("dagger", "dag", "textdagger"), "\u2020"),
    **dict.fromkeys(("ddagger", "ddag"), "\u2021"),
    **dict.fromkeys(("ast", "star", "bullet", "circ", "textasteriskcentered", "bigstar"), "*"),
    **{"pm": "\u00b1", "textpm": "\u00b1", "uparrow": "\u2191", "downarrow": "\u2193"},
    **{"times": "x", "cdot": "", "quad": " ", "textbackslash": "\\", "textendash": "-"},
    **{
        "alpha": "\u03b1",
        "beta": "\u03b2",
        "gamma": "\u03b3",
        "lambda": "\u03bb",
        "epsilon": "\u03b5",
    },
}
# commands whose first argument is no text: a colour, a reference
_SILENT = re.compile(
    r"\\(?:cellcolor|color|cite[a-z]*|ref|footnote|footnotemark|label|vspace|hspace|rowcolor)\*?"
    r"\s*(?:\[[^\]]*\])?\s*(?:\{[^{}]*\})?"
)
_FIRST_SILENT = re.compile(
    r"\\(?:textcolor|colorbox|fontsize|rotatebox|raisebox|resizebox|scalebox)\*?(?:\[[^\]]*\])?\{[^{}]*\}"
)


def is_latex(text: str) -> bool:
    """Tell whether a text holds a tabular, or starts with rows of one."""
    if "\\" not in text:
        return False
    if any(line.lstrip().startswith("\\begin") for line in text.splitlines()):
        return bool(_BEGIN.search(text))
    lines = [line for line in map(str.strip, _COMMENT.sub("", text).splitlines()) if line]
    ends = [line for line in lines if re.search(r"\\\\(\[[^\]]*\])?(\s*\\[a-z]+)?$", line)]
    return bool(ends) and 2 * len(ends) >= len(lines) and sum("&" in line for line in ends) >= 2


def read_latex(name: str, text: str, notes: Sequence[Message] = ()) -> NumericTable:
    """Read the largest table of a text in LaTeX."""
    text = _COMMENT.sub("", text)
    bodies = list(_bodies(text))
    tables = [list(_rows(body, line)) for body, line in bodies]
    largest = max(tables, key=len)
    title = _caption(text, bodies[tables.index(largest)][0])
    if len(tables) > 1:
        first = largest[0][0] if largest else 1
        notes = [
            *notes,
            message("largest table", tables=len(tables), rows=max(len(largest) - 1, 0), line=first),
        ]
    first = next((i for i, (_, cells) in enumerate(largest) if _has_number(cells)), 0)
    above = [(line, _widened(cells)) for line, cells in largest[:first] if _groups(cells)]
    below = [(line, _filled(cells)) for line, cells in largest[first:] if not _spans(cells)]
    rows = [*above, *below]
    if left := len(largest) - len(rows):
        notes = [*notes, message("spanning rows", rows=left)]
    return replace(as_written(name, _repeated(rows), notes, plain_cell), title=title)


@message_text("spanning rows")
def _spanning_rows(voice: Audience, rows: int) -> str:
    return f"{format_count(rows, 'row')} with cells that span several columns left out."


def _bodies(text: str) -> Iterator[tuple[str, int]]:
    """Return what stands in each tabular, with its first line; the whole text if there is none."""
    found = list(_BEGIN.finditer(text))
    for match in found:
        start = _after_arguments(text, match.end())
        end = text.find(f"\\end{{{match[1]}}}", start)
        yield text[start : end if end >= 0 else len(text)], text.count("\n", 0, start) + 1
    if not found:
        yield text, 1


def _caption(text: str, body: str) -> str:
    """Return the caption in the float around the body of a table, "" if there is none."""
    at = text.index(body)
    floats = [(match[1], match.start()) for match in _FLOAT.finditer(text)]
    start = max((place for _, place in floats if place < at), default=0)
    end = min((place for what, place in floats if what == "end" and place > at), default=len(text))
    found = _CAPTION.search(text, start, end)
    if found is None:
        return ""
    return plain_cell(text[found.end() : _after_arguments(text, found.end())])


def _after_arguments(text: str, at: int) -> int:
    r"""Return where the arguments after \begin{tabular} end: width, position, columns."""
    while at < len(text) and text[at] in "{[":
        depth, close = 0, {"{": "}", "[": "]"}[text[at]]
        opened = text[at]
        while at < len(text):
            depth += (text[at] == opened) - (text[at] == close)
            at += 1
            if not depth:
                break
    return at


def _rows(body: str, line: int) -> Iterator[Row]:
    at, body = 0, _without_inner_ends(body)
    for end in [*(m for m in _ROW_END.finditer(body)), None]:
        stop = end.start() if end else len(body)
        row = _RULES.sub(_blanked, body[at:stop])
        start = line + body.count("\n", 0, at) + row[: -len(row.lstrip()) or None].count("\n")
        if row.strip() and "&" in row:
            yield start, [cell.strip() for cell in re.split(r"(?<!\\)&", row)]
        at = end.end() if end else stop


def _without_inner_ends(body: str) -> str:
    r"""Blank the ends of lines inside braces, as in \makecell{two\\lines}: they end no row."""
    found, depth, at = [], 0, 0
    while at < len(body):
        if body.startswith("\\\\", at):
            found.append("  " if depth > 0 else "\\\\")
            at += 2
            continue
        if body[at] == "\\":
            found.append(body[at : at + 2])
            at += 2
            continue
        depth += (body[at] == "{") - (body[at] == "}")
        found.append(body[at])
        at += 1
    return "".join(found)


def _blanked(rule: re.Match) -> str:
    """Return the lines that a rule stands on."""
    return "\n" * rule[0].count("\n")


def _spans(cells: Sequence[str]) -> bool:
    return any(int(match[1]) > 1 for cell in cells for match in _SPAN.finditer(cell))


def _has_number(cells: Sequence[str]) -> bool:
    return any(re.fullmatch(r"[+-]?\d*[.,]?\d+\s*%?(?:\s*\u00b1.*)?", plain_cell(c)) for c in cells)


def _groups(cells: Sequence[str]) -> bool:
    """Tell whether a row above the numbers names columns, or groups of them, and is no title."""
    return len([cell for cell in cells if cell]) > 1


def _widened(cells: Sequence[str]) -> list[str]:
    r"""Return cells with the columns that each \multicolumn covers."""
    found: list[str] = []
    for cell in cells:
        span = _SPAN.search(cell)
        found += [*_filled([cell]), *([""] * (int(span[1]) - 1 if span else 0))]
    return found


def _filled(cells: Sequence[str]) -> list[str]:
    r"""Return cells without the command of a \multicolumn of one column."""
    return [_SPAN.sub(lambda match: match[2], cell) for cell in cells]


def _repeated(rows: Sequence[Row]) -> list[Row]:
    r"""Write what a \multirow says into each of its rows."""
    waiting: dict[int, tuple[int, str]] = {}
    done = []
    for line, cells in rows:
        for place, cell in enumerate(cells):
            if match := _MULTIROW.search(cell):
                cells[place] = cell[: match.start()] + cell[match.end() :]
                waiting[place] = int(match[1]) - 1, cells[place]
            elif place in waiting and waiting[place][0] > 0 and not cell:
                left, text = waiting[place]
                cells[place], waiting[place] = text, (left - 1, text)
        done.append((line, cells))
    return done


def plain_cell(text: str) -> str:
    r"""Return a cell as it is printed.

    Examples
    --------
    >>> plain_cell(r"\textbf{0.93} $\pm$ 0.02"), plain_cell(r"$0.9_{\pm 0.1}^{\dagger}$")
    ('0.93 ± 0.02', '0.9±0.1†')
    >>> plain_cell(r"Na\"{i}ve Bayes~\cite{a}"), plain_cell(r"10\,\%"), plain_cell(r"C4.5\_u")
    ('Naïve Bayes', '10%', 'C4.5_u')
    """
    text = _SILENT.sub("", _FIRST_SILENT.sub("", text))
    text = _accented(text)
    text = re.sub(r"\\[,;:!> ]", "", text).replace("~", " ").replace("---", "-").replace("--", "-")
    text = re.sub(r"\\([A-Za-z]+)\*?\s?(?:\[[^\]]*\])?", _symbol, text)
    text = re.sub(r"(?<!\\)[_^]\s*(?=[{\u00b1\u2020\u2021*+-])", "", text)
    text = re.sub(r"(?<!\\)[{}$]", "", text)
    text = re.sub(r"\\([%&_#${}])", r"\1", text)
    return re.sub(r"\s+", " ", text.replace("\\", "")).strip()


def _symbol(match: re.Match) -> str:
    return _SYMBOLS.get(match[1], "")


_MARKS = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303"}


def _accented(text: str) -> str:
    def joined(match: re.Match) -> str:
        return unicodedata.normalize("NFC", match[2] + _MARKS[match[1]])

    return re.sub(r"\\([\"'`^~])\s*\{?([A-Za-z])\}?", joined, text)
