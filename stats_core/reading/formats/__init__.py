"""Which table does a file hold: told by its content, whatever its name ends in."""

from stats_core.core.errors import DataError
from stats_core.core.numbers import Table
from stats_core.reading.formats.aligned import aligned
from stats_core.reading.formats.arff import arff, is_arff
from stats_core.reading.formats.columnar import feather, is_feather, is_parquet, parquet
from stats_core.reading.formats.excel import excel, is_excel
from stats_core.reading.formats.json_records import is_json, json_records
from stats_core.reading.formats.latex import is_latex, latex
from stats_core.reading.formats.markdown import is_markdown, markdown
from stats_core.reading.tables import decoded, separated, unpacked

_BINARY = ((is_excel, excel), (is_parquet, parquet), (is_feather, feather))
_TEXT = ((is_arff, arff), (is_json, json_records), (is_markdown, markdown), (is_latex, latex))


def table_of(name: str, content: bytes) -> Table:
    r"""Which table does this file hold?

    Parameters
    ----------
    name : str
        Name of the file; nothing is concluded from its ending.
    content : bytes
        CSV, Excel, Parquet, Feather, JSON, ARFF, Markdown, LaTeX or text in columns; plain or
        gzip.

    Returns
    -------
    Table
        Of texts, with what was assumed.

    Raises
    ------
    DataError
        It holds no table, or a broken one.

    Examples
    --------
    >>> table_of("pasted.txt", b"| | rf | svm |\n|---|---|---|\n| iris | **0.9** | 0.8 |").frame
        row   rf  svm
    3  iris  0.9  0.8
    """
    content = unpacked(name, content)
    for is_one, read in _BINARY:
        if is_one(content):
            return read(name, content)
    text, notes = decoded(name, content)
    for tells, read_text in _TEXT:
        if tells(text):
            return read_text(name, text, notes)
    try:
        return separated(name, text, notes)
    except DataError:
        if (table := aligned(name, text, notes)) is None:
            raise
        return table
