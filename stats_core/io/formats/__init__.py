"""File formats, recognized by content."""

from stats_core.core.errors import DataError
from stats_core.io import text_table
from stats_core.io.formats import binary, json_records, latex, plain_text
from stats_core.io.limits import current_limits
from stats_core.io.text_cells import TextTable

_BINARY = (
    (binary.is_excel, binary.read_excel),
    (binary.is_parquet, binary.read_parquet),
    (binary.is_feather, binary.read_feather),
)
_TEXT = (
    (plain_text.is_arff, plain_text.read_arff),
    (json_records.is_json, json_records.read_json),
    (plain_text.is_markdown, plain_text.read_markdown),
    (latex.is_latex, latex.read_latex),
)


def table_of(name: str, content: bytes) -> TextTable:
    r"""Return the table in a file.

    Examples
    --------
    >>> table_of("pasted.txt", b"| | rf | svm |\n|---|---|---|\n| iris | **0.9** | 0.8 |").frame
        row   rf  svm
    3  iris  0.9  0.8
    """
    content = text_table.decompress(name, content)
    current_limits().check_content(name, content)
    for is_format, read_binary in _BINARY:
        if is_format(content):
            return read_binary(name, content)
    text, notes = text_table.decode_text(name, content)
    for is_text_format, read_text in _TEXT:
        if is_text_format(text):
            return read_text(name, text, notes)
    try:
        return text_table.parse_delimited(name, text, notes)
    except DataError:
        if (table := plain_text.read_aligned(name, text, notes)) is None:
            raise
        return table
