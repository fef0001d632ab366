"""File formats, recognized by content."""

from stats_core.core.errors import DataError
from stats_core.io.formats.aligned import read_aligned
from stats_core.io.formats.arff import is_arff, read_arff
from stats_core.io.formats.columnar import is_feather, is_parquet, read_feather, read_parquet
from stats_core.io.formats.excel import is_excel, read_excel
from stats_core.io.formats.json_records import is_json, read_json
from stats_core.io.formats.latex import is_latex, read_latex
from stats_core.io.formats.markdown import is_markdown, read_markdown
from stats_core.io.limits import current_limits
from stats_core.io.text_cells import TextTable
from stats_core.io.text_table import decode_text, decompress, parse_delimited

_BINARY = ((is_excel, read_excel), (is_parquet, read_parquet), (is_feather, read_feather))
_TEXT = ((is_arff, read_arff), (is_json, read_json), (is_markdown, read_markdown), (is_latex, read_latex))


def table_of(name: str, content: bytes) -> TextTable:
    r"""Return the table in a file.

    Examples
    --------
    >>> table_of("pasted.txt", b"| | rf | svm |\n|---|---|---|\n| iris | **0.9** | 0.8 |").frame
        row   rf  svm
    3  iris  0.9  0.8
    """
    content = decompress(name, content)
    current_limits().check_content(name, content)
    for is_format, read_binary in _BINARY:
        if is_format(content):
            return read_binary(name, content)
    text, notes = decode_text(name, content)
    for is_text_format, read_text in _TEXT:
        if is_text_format(text):
            return read_text(name, text, notes)
    try:
        return parse_delimited(name, text, notes)
    except DataError:
        if (table := read_aligned(name, text, notes)) is None:
            raise
        return table
