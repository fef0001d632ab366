"""Detection of file formats by content; each reader is imported on demand."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import accumulate

from stats_core.core.errors import DataError
from stats_core.io import text_table
from stats_core.io.problems import current_limits
from stats_core.io.text_cells import TextTable

MOST_MEMBERS = 30_000  # files in an archive, also those without tables
_KINDS = r"(?:tabular[*xy]?|tabulary|longtable|supertabular|array|NiceTabular|tblr)"
TABULAR = re.compile(rf"\\begin\s*\{{({_KINDS})\}}")
LATEX_COMMENT = re.compile(r"(?<!\\)%.*")
BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|+]?:?[-=]++:?(?:[|+]:?[-=]++:?)*+[|+]?")
_ARFF = re.compile(
    r"(?:\s|^%.*\n)*+@relation", re.IGNORECASE | re.MULTILINE
)  # below blank lines and comments
_JSON = re.compile(r"\s*(\{\s*[\"}]|\[\s*[\[{\]\"0-9-])")


def is_excel(content: bytes) -> bool:
    """Return whether content is a spreadsheet in a zip file (xlsx or ods), also a broken one."""
    if not content.startswith(b"PK\x03\x04") or b"opendocument.spreadsheet" in content[:200]:
        return content.startswith(b"PK\x03\x04")
    if b"xl/" not in content and b"[Content_Types].xml" not in content:
        return False
    if content.count(b"PK\1\2") > MOST_MEMBERS:
        return False
    with suppress(Exception), zipfile.ZipFile(io.BytesIO(content)) as packed:
        return any(
            part == "[Content_Types].xml" or part.startswith("xl/") for part in packed.namelist()
        )
    return True


def _is_markdown(text: str) -> bool:
    """Return whether a text holds a Markdown table outside quoted CSV cells."""
    if "|" not in text:
        return False
    lines = text.splitlines()
    quotes = list(accumulate(line.count('"') for line in lines))
    return any(quotes[rule] % 2 == 0 for rule, _ in markdown_tables(lines))


def markdown_tables(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield for each Markdown table the index of its rule and of the line after its last row.

    No line is in two tables: what looks like a header within a table is a row.
    """
    end = 0
    for i in range(1, len(lines)):
        if (
            i > end
            and ("|" in lines[i] or "+" in lines[i])
            and is_rule(lines[i])
            and BAR.search(lines[i - 1])
            and (i < 2 or not BAR.search(lines[i - 2]))
        ):
            end = i + 1
            while end < len(lines) and (BAR.search(lines[end]) or is_rule(lines[end])):
                end += 1
            yield i, end


def is_rule(line: str) -> bool:
    """Return whether a line is the rule below the header of a Markdown table."""
    return _RULE.fullmatch("".join(line.split())) is not None


def _is_latex(text: str) -> bool:
    """Return whether a text has a tabular environment or, without any environment, is at least half table rows."""
    if "\\" not in text:
        return False
    if any(line.lstrip().startswith("\\begin") for line in text.splitlines()):
        return bool(TABULAR.search(text))
    lines = [line for line in map(str.strip, LATEX_COMMENT.sub("", text).splitlines()) if line]
    ends = [line for line in lines if re.search(r"\\\\(\[[^\][]*\])?(\s*\\[a-z]+)?$", line)]
    return bool(ends) and 2 * len(ends) >= len(lines) and sum("&" in line for line in ends) >= 2


# whether a file has the format, the module that reads it, and its function; the first that matches
# is taken
_BINARY: tuple[tuple[Callable[[bytes], bool], str, str], ...] = (
    (is_excel, "binary", "read_excel"),
    (lambda content: content.startswith(b"PAR1"), "arrow_files", "read_parquet"),
    (lambda content: content.startswith((b"ARROW1", b"FEA1")), "arrow_files", "read_feather"),
)
_TEXT: tuple[tuple[Callable[[str], bool], str, str], ...] = (
    (lambda text: _ARFF.match(text) is not None, "plain_text", "read_arff"),
    (lambda text: _JSON.match(text) is not None, "json_records", "read_json"),
    (_is_markdown, "plain_text", "read_markdown"),
    (_is_latex, "latex", "read_latex"),
)


def _reader(module: str, function: str) -> Callable[..., TextTable]:
    return getattr(import_module(f"{__name__}.{module}"), function)


def table_of(name: str, content: bytes, encoding: str = "") -> TextTable:
    r"""Return the table in a file, whose format is detected; raise DataError if there is none.

    Examples
    --------
    >>> table_of("pasted.txt", b"| | rf | svm |\n|---|---|---|\n| iris | **0.9** | 0.8 |").frame
        row   rf  svm
    3  iris  0.9  0.8
    """
    current_limits().check_content(name, content)
    for is_format, module, function in _BINARY:
        if is_format(content):
            return _reader(module, function)(name, content)
    text, notes = text_table.decode_text(name, content, encoding)
    for is_text_format, module, function in _TEXT:
        if is_text_format(text):
            return _reader(module, function)(name, text, notes)
    try:
        return text_table.parse_delimited(name, text, notes)
    except DataError:
        if (table := _reader("plain_text", "read_aligned")(name, text, notes)) is None:
            raise
        return table
