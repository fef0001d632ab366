"""Tests of binary files that are damaged on purpose, or build far more than they hold."""

import bz2
import gzip
import io
import struct
import tarfile
import tracemalloc
import zipfile
from functools import cache

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest

from benchmarks.fuzz import binary_corpus
from stats_core.core.errors import DataError, InternalError
from stats_core.io import text_table
from stats_core.io.formats import arrow_sizes, binary, table_of, tar_files
from stats_core.io.problems import Budget
from stats_core.io.read import read_results
from tests.io.test_limits import workbook_with, zipped

CSV = b"dataset,algorithm,error\n" + b"".join(
    b"d%d,%s,0.%d\n" % (d, a, d + 1) for d in range(3) for a in (b"rf", b"svm")
)
TABLE = pa.table({"dataset": ["a", "b", "c"], "rf": [0.1, 0.2, 0.3], "svm": [0.2, 0.3, 0.1]})


def feather(table, **options):
    """Return a table as a Feather file."""
    file = io.BytesIO()
    pf.write_feather(table, file, **options)
    return file.getvalue()


def parquet(table, **options):
    """Return a table as a Parquet file."""
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return file.getvalue()


def with_offsets_outside():
    """Return a Feather file whose names lie behind the end of their letters."""
    content, right = feather(TABLE, compression="uncompressed"), struct.pack("<4i", 0, 1, 2, 3)
    assert content.count(right) == 1
    return content.replace(right, struct.pack("<4i", 0, 100_000, 200_000, 3))


def workbook_of_one_part(n):
    """Return a workbook of n sheets, all of which are stored at the same place."""
    more = b"".join(
        b'<sheet xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
        b'name="s%d" sheetId="%d" state="visible" r:id="rId1"/>' % (i, i)
        for i in range(2, n + 1)
    )
    content, packed = workbook_with("xl/workbook.xml", b"</sheets>", more), io.BytesIO()
    rows = b'<row r="1"><c r="A1" t="inlineStr"><is><t>text</t></is></c></row>' * 50
    with (
        zipfile.ZipFile(io.BytesIO(content)) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        for name in source.namelist():
            part = source.read(name)
            if name.startswith("xl/worksheets/"):
                part = part.replace(b"<sheetData></sheetData>", b"<sheetData>%s</sheetData>" % rows)
            file.writestr(name, part)
    return packed.getvalue()


def workbook_of_one_text():
    """Return a workbook whose 3,000 cells are one text of 30,000 letters, stored once."""
    book, content = openpyxl.Workbook(), io.BytesIO()
    for _ in range(1_000):
        book.active.append(["x" * 30_000] * 3)
    book.save(content)
    return content.getvalue()


def zip_of_a_long_bz2():
    """Return a zip archive whose file states 10 bytes and unpacks to 50 MB."""
    content = zipped(zipfile.ZIP_STORED, **{"a.csv": bz2.compress(bytes(50_000_000))})
    size = struct.pack("<I", len(bz2.compress(bytes(50_000_000))))
    place = content.find(b"PK\1\2")
    local, central = content[:place], content[place:]
    local = local[:8] + b"\x0c\0" + local[10:22] + struct.pack("<I", 10) + local[26:]
    central = central[:10] + b"\x0c\0" + central[12:]
    return local + central.replace(size + size, size + struct.pack("<I", 10))


def extended(records):
    """Return an extended header of tar with these records."""
    info = tarfile.TarInfo("x")
    info.type, info.size = b"x", len(records)
    return info.tobuf(tarfile.USTAR_FORMAT) + records + bytes(-len(records) % 512)


def damaged_lzma(**files):
    """Return a zip archive whose first file is damaged in the middle."""
    content = zipped(zipfile.ZIP_LZMA, **files)
    start = content.find(b"]\0\0") + 12
    return content[:start] + bytes(20) + content[start + 20 :]


@cache
def hostile():
    """Return what is hostile about a file -> its name and content."""
    zeros = pa.array(np.zeros(15_000_000, np.int8))
    many = pa.table({f"c{i}": zeros for i in range(4)})
    texts = pa.table(
        {"dataset": ["x" * 10_000 + str(i) for i in range(3_000)], "error": [0.1] * 3_000}
    )
    delta = {"use_dictionary": False, "column_encoding": {"dataset": "DELTA_BYTE_ARRAY"}}
    rows = gzip.compress(b"a,b\n" + b"1,2\n" * 12_000_000)
    pad = bytes(range(1, 256)) * 1_000  # as the name of the file in gzip
    return {
        "columns of zeros in Feather": ("a.feather", feather(many, compression="zstd")),
        "names outside of their letters": ("a.feather", with_offsets_outside()),
        "texts of one beginning in Parquet": ("a.parquet", parquet(texts, **delta)),
        "cells of zeros in Parquet": ("a.parquet", parquet(many.slice(0, 10_000_000))),
        "cells of zeros in gzip": (
            "a.csv.gz",
            rows[:3] + b"\x08" + rows[4:10] + pad + b"\0" + rows[10:],
        ),
        "sheets of one part": ("a.xlsx", workbook_of_one_part(1_500)),
        "cells of one text": ("a.xlsx", workbook_of_one_text()),
        "an entity in a workbook": (
            "a.xlsx",
            workbook_with("xl/styles.xml", b"<styleSheet", b"<!DOCTYPE a>"),
        ),
        "empty styles": (
            "a.xlsx",
            workbook_with("xl/styles.xml", b"</fonts>", b"<font/>" * 500_000),
        ),
        "a damaged LZMA file": ("a.zip", damaged_lzma(**{"a.csv": CSV * 50})),
        "a damaged log": (
            "a.eval",
            damaged_lzma(**{"header.json": b'{"eval": {"model": "m"}}' * 9}),
        ),
        "bzip2 beyond its stated size": ("a.zip", zip_of_a_long_bz2()),
        "a sparse header of tar": ("a.tar", extended(b"22 GNU.sparse.major=1\n") + bytes(1024)),
        "a header of tar without an end": ("a.tar", extended(b"12 hdrcharset=" * 30_000)),
        "digits in a header of tar": ("a.tar", extended(b"1" * 300_000 + b" hdrcharset=BINARY\n")),
    }


@pytest.mark.parametrize("what", hostile())
def test_a_hostile_file_is_refused_in_one_sentence_before_a_table_is_built(what, monkeypatch):
    monkeypatch.setattr(text_table, "as_table", None)
    monkeypatch.setattr(text_table, "texts_of", None)

    with pytest.raises(DataError) as refused:
        read_results(hostile()[what])

    assert not isinstance(refused.value, InternalError)
    assert len(refused.value.problems) == 1


def test_sizes_of_feather_are_refused_before_arrow_reads_them(monkeypatch):
    monkeypatch.setattr(pa.ipc, "open_file", None)

    with pytest.raises(DataError, match="at most 50,000,000 cells. This table has 60,000,000"):
        read_results(hostile()["columns of zeros in Feather"])


def test_batches_count_as_often_as_a_file_refers_to_them():
    content = feather(TABLE, compression="uncompressed", chunksize=1)
    footer_size = struct.unpack("<i", content[-10:-6])[0]
    footer = content[-10 - footer_size : -10]
    first, *others = [
        struct.pack("<qiiq", *block)
        for block in arrow_sizes._Table.root(footer).structs(3, arrow_sizes._BLOCK)
    ]
    for other in others:
        footer = footer.replace(other, first)
    repeated = content[: -10 - footer_size] + footer + content[-10:]

    sizes = arrow_sizes.sizes_of_arrow(repeated, 9)

    assert len(others) == 2
    assert (sizes.rows, sizes.cells) == (3, 9)


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
def test_the_sizes_of_arrow_files_are_those_of_their_buffers(compression):
    numbers = pa.table({"a": np.zeros(10_000), "b": np.arange(10_000, dtype=np.int32)})

    sizes = arrow_sizes.sizes_of_arrow(feather(numbers, compression=compression), 9)

    assert (sizes.columns, sizes.rows, sizes.cells) == (2, 10_000, 20_000)
    assert sizes.size == pytest.approx(120_000, rel=0.01)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_the_sizes_of_parquet_files_are_those_of_their_pages(version, use_dictionary):
    table = pa.table({"a": np.arange(50_000) % 7, "b": np.random.default_rng(0).random(50_000)})
    content = parquet(
        table, data_page_version=version, use_dictionary=use_dictionary, data_page_size=9_000
    )
    metadata = pq.read_metadata(io.BytesIO(content))
    stated = sum(
        metadata.row_group(0).column(i).total_uncompressed_size for i in range(2)
    )  # with the headers

    sizes = arrow_sizes.sizes_of_parquet(content, metadata)

    assert 0.95 * stated < sizes.size < stated
    assert not sizes.can_repeat


@pytest.mark.parametrize(
    "column",
    [
        pa.RunEndEncodedArray.from_arrays([3], ["x"]),
        pa.array([[1]] * 3, pa.list_view(pa.int64())),
        pa.array([["x"]] * 3, pa.list_(pa.string_view())),
        pa.UnionArray.from_sparse(pa.array([0] * 3, pa.int8()), [pa.array([1, 2, 3])]),
    ],
    ids=lambda column: str(column.type)[:12],
)
def test_a_column_of_another_type_is_named(column):
    with pytest.raises(DataError, match=r'a\.feather, "odd": .*lists of these. This column has'):
        table_of("a.feather", feather(TABLE.append_column("odd", column)))


def test_numbers_texts_times_and_lists_of_all_types_are_read():
    cells = table_of("a.feather", binary_corpus()["many.zstd.feather"]).frame.iloc[4].to_dict()

    assert cells == {
        "dataset": "d4",
        "rf": "0.54",
        "svm": "0.25",
        "empty": "",
        "coded": "word 1 of several letters",
        "view": "word 1 of several letters",
        "large": "word 1 of several letters",
        "bytes": r"b'\xff\x00'",
        "list": "[4.0, 1.0]",
        "struct": "{'x': 4, 'y': 'z'}",
        "money": "4.00",
        "day": "1970-01-05",
        "time": "1970-01-01 00:00:00.000000004+00:00",
        "truth": "True",
    }


@pytest.mark.parametrize(
    "text", ["5", "[", '{"index_columns": 5}', '{"index_columns": [{}, 1]}', "[" * 100_000]
)
def test_metadata_that_pandas_did_not_write_is_not_used(text):
    table = TABLE.replace_schema_metadata({"pandas": text})

    for content in (feather(table), parquet(table)):
        assert list(table_of("a", content).frame) == ["dataset", "rf", "svm"]


def test_the_first_version_of_feather_is_refused():
    with pytest.raises(DataError, match="must have version 2"):
        table_of("a.feather", b"FEA1" + bytes(100))


def test_texts_stored_as_differences_are_read_in_parts():
    frame = table_of("a.parquet", parquet(TABLE, use_dictionary=False, column_encoding={"dataset": "DELTA_BYTE_ARRAY"})).frame  # fmt: skip

    assert frame["dataset"].tolist() == ["a", "b", "c"]


def test_a_part_of_a_workbook_is_parsed_at_most_twice_however_many_sheets_name_it(monkeypatch):
    from openpyxl.worksheet._reader import WorkSheetParser

    parse, calls = WorkSheetParser.parse, []
    monkeypatch.setattr(WorkSheetParser, "parse", lambda self: (calls.append(1), parse(self))[1])

    with pytest.raises(DataError, match="only one column"):
        read_results(("a.xlsx", workbook_of_one_part(500)))

    assert len(calls) == 2


def test_other_sheets_are_named_after_their_first_row():
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in (["set", "rf", "svm"], ["a", 0.1, 0.2], ["b", 0.2, 0.3]):
        book.active.append(row)
    book.create_sheet("Empty")
    for _ in range(5):
        book.create_sheet(f"Other {len(book.worksheets)}").append(["x"] * 9)
    book.save(content)

    notes = table_of("a.xlsx", content.getvalue()).notes

    assert "Other 3" in str(notes[0])
    assert "Empty" not in str(notes[0])


@pytest.mark.parametrize("error", [MemoryError, RecursionError, NotImplementedError, KeyError])
def test_whatever_a_parser_raises_is_a_problem_of_the_file(error, monkeypatch):
    def fail(*_, **__):
        raise error("\ud800 odd")

    files = [
        ("a.zip", zipped(**{"a.csv": CSV})),
        ("a.feather", feather(TABLE)),
        ("a.csv.gz", gzip.compress(CSV)),
    ]
    for module, function in ((zipfile.ZipFile, "open"), (pa.ipc, "open_file"), (gzip.GzipFile, "read")):  # fmt: skip
        monkeypatch.setattr(module, function, fail)
    for file in files:
        with pytest.raises(DataError, match="damaged|cannot be unpacked|too little memory"):
            read_results(file)


@pytest.mark.unforeseen
def test_a_fault_of_our_own_beside_a_parser_is_an_internal_error(monkeypatch):
    monkeypatch.setattr(binary, "_check_members", lambda *_: 1 / 0)

    with pytest.raises(InternalError):
        read_results(("a.zip", zipped(**{"a.csv": CSV})))


def test_no_more_is_unpacked_than_a_file_states():
    content = zip_of_a_long_bz2()
    tracemalloc.start()
    try:
        with pytest.raises(DataError):
            read_results(("a.zip", content))
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_files_in_tar_are_those_that_python_finds(kind):
    names = ["a.csv", "d/b.csv", "d/" * 70 + "c.csv"]
    names += ["é/" * 80 + "e.csv"] * (kind != tarfile.USTAR_FORMAT)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=kind) as archive:
        for folder in ("d", "d/d"):
            info = tarfile.TarInfo(folder)
            info.type = tarfile.DIRTYPE
            archive.addfile(info)
        link = tarfile.TarInfo("link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        for i, name in enumerate(names):
            info = tarfile.TarInfo(name)
            info.size = 600 * i
            archive.addfile(info, io.BytesIO(b"%d" % i * info.size))
    content = packed.getvalue()

    found = tar_files.members(content)

    assert [member.path for member in found] == names
    for i, member in enumerate(found):
        assert content[member.start : member.start + member.size] == b"%d" % i * 600 * i


@pytest.mark.parametrize(
    ("cells", "packed", "fits"),
    [
        (48_000_000, 500_000, False),  # lines of two digits in gzip
        (7_000_000, 10, True),
        (40_000_000, 5_000_000, True),  # five million predictions in Parquet
        (16_000_000, 4_000_000, True),  # four million results of folds
    ],
)
def test_cells_are_limited_by_the_memory_they_take(cells, packed, fits):
    if fits:
        return Budget().check_expanded("a", packed, cells)
    with pytest.raises(DataError, match="at most 1,000 times"):
        Budget().check_expanded("a", packed, cells)


def test_cells_of_delimited_text_are_counted_without_parsing_it():
    assert text_table.cells_of(CSV) == 7 * 3
    assert text_table.cells_of(b'{"a": 1, "b": 2}\n' * 9) == 0
    assert text_table.cells_of(b"") == 0


def test_a_number_of_columns_beyond_the_limit_is_not_parsed_further():
    wide = feather(pa.table({f"c{i}": [1] for i in range(20)}))

    assert arrow_sizes.sizes_of_arrow(wide, 9) == arrow_sizes.Sizes(columns=20)


def test_periods_and_intervals_of_pandas_are_read_as_they_are_stored():
    frame = pd.DataFrame(
        {"set": ["a", "b"], "rf": [0.1, 0.2], "when": pd.period_range("2020", periods=2, freq="Y")}
    )
    file = io.BytesIO()
    frame.to_feather(file)

    assert table_of("a.feather", file.getvalue()).frame["when"].tolist() == ["50", "51"]
