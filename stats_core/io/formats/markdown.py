"""Markdown input: tables, alone or inside a longer text."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

from stats_core.core.messages import Message, message
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import Row, as_written
from stats_core.io.vocabulary import measure_in_text

_RULE = re.compile(r"[|+]?:?[-=]+:?([|+]:?[-=]+:?)*[|+]?")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*")
_LONGEST = 300  # longest paragraph that is taken as a caption, in characters
_BAR = re.compile(r"(?<!\\)\|")
_MARKUP = (
    (re.compile(r"!?\[([^\]]*)\]\([^)]*\)"), r"\1"),  # pictures and links
    (re.compile(r"!?\[([^\]]*)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"<[^<>]*>"), " "),
    (re.compile(r"`+([^`]*)`+"), r"\1"),
    (re.compile(r"(\*\*\*|\*\*|\*|~~)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<!\w)(___|__|_)(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
)


def is_markdown(text: str) -> bool:
    """Return whether a text holds a Markdown table outside quoted CSV cells."""
    lines = text.splitlines()
    quotes = list(accumulate(line.count('"') for line in lines))
    return any(quotes[i] % 2 == 0 for i in _rules(lines))


def read_markdown(name: str, text: str, notes: Sequence[Message] = ()) -> TextTable:
    """Read the largest table of a Markdown text."""
    lines = text.splitlines()
    tables = [_rows(lines, i) for i in _rules(lines)]
    largest = max(tables, key=len)
    if len(tables) > 1:
        rows, line = len(largest) - 1, largest[0][0]
        notes = [*notes, message("largest table", tables=len(tables), rows=rows, line=line)]
    table = as_written(name, largest, notes, plain_cell)
    titles = [plain_cell(title) for title in _above(lines[: largest[0][0] - 1])]
    mentions = (title for title in titles if measure_in_text(title))
    return replace(table, title=next(mentions, titles[0] if titles else ""))


def _above(lines: Sequence[str]) -> Iterator[str]:
    """Yield the paragraph above a table, then the headings above it, nearest first."""
    text_lines = list(lines)
    while text_lines and not text_lines[-1].strip():
        text_lines.pop()
    first = len(text_lines)
    while first and text_lines[first - 1].strip() and not _level(text_lines, first - 1):
        first -= 1
    paragraph = " ".join(line.strip() for line in text_lines[first:])
    if paragraph and len(paragraph) <= _LONGEST and "|" not in paragraph:
        yield paragraph
    depth = 7
    for i in range(first - 1, -1, -1):
        if 0 < _level(text_lines, i) < depth:
            depth = _level(text_lines, i)
            heading = _HEADING.fullmatch(text_lines[i])
            yield heading[2] if heading else text_lines[i - 1].strip()


def _level(lines: Sequence[str], position: int) -> int:
    """Return the level of the heading that ends on a line, 0 if none."""
    if heading := _HEADING.fullmatch(lines[position]):
        return len(heading[1])
    underlined = position > 0 and re.fullmatch(r"=+|-{2,}", lines[position].strip()) and lines[position - 1].strip()
    return (1 if lines[position].strip()[0] == "=" else 2) if underlined else 0


def _rules(lines: Sequence[str]) -> list[int]:
    """Return the indices of the lines between header and rows."""
    return [
        i
        for i in range(1, len(lines))
        if ("|" in lines[i] or "+" in lines[i])
        and _is_rule(lines[i])
        and _BAR.search(lines[i - 1])
        and (i < 2 or not _BAR.search(lines[i - 2]))
    ]


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch("".join(line.split())) is not None


def _rows(lines: Sequence[str], rule: int) -> list[Row]:
    rows = [(rule, _cells(lines[rule - 1]))]
    for i in range(rule + 1, len(lines)):
        if _is_rule(lines[i]):
            continue
        if not _BAR.search(lines[i]):
            break
        rows.append((i + 1, _cells(lines[i])))
    return rows


def _cells(line: str) -> list[str]:
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    if line.endswith("|") and not line.endswith("\\|"):
        line = line[:-1]
    return [cell.strip() for cell in _BAR.split(line)]


def plain_cell(text: str) -> str:
    """Return a cell without links, emphasis, code and tags.

    Examples
    --------
    >>> plain_cell("_**0.27**_ (\u00b10.1)"), plain_cell("[Adult](https://x.org)"), plain_cell("a_b")
    ('0.27 (\u00b10.1)', 'Adult', 'a_b')
    """
    for pattern, replacement in (*_MARKUP, _MARKUP[-2]):  # repeat emphasis, which may be nested
        text = pattern.sub(replacement, text)
    text = re.sub(r"\\([\\`*_{}\[\]()#+\-.!|~<>])", r"\1", text)
    return re.sub(r"\s+", " ", html.unescape(text)).strip()
