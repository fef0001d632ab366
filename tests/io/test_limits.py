"""Tests of limits, which are checked before anything is built."""

import contextlib
import gzip
import io
import unicodedata
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stats_core.core.errors import DataError, NeedsMapping, SettingError
from stats_core.data.row_checks import natural_order
from stats_core.io import text_table
from stats_core.io.formats import table_of
from stats_core.io.problems import Budget, current_limits
from stats_core.io.read import read_results
from tests.io import bad_files

HEAD = "dataset,algorithm,fold,error\n"
ROWS = "".join(f"d{d},{a},{f},0.{d + f}\n" for d in range(3) for a in "xy" for f in range(4))


@pytest.mark.parametrize(
    "limit",
    ["files=1", "size=50", "lines=20", "columns=3", "cells=60", "cell=4", "name=1", "folds=3"],
)
def test_each_limit_of_the_environment_is_said_with_what_to_do(limit, monkeypatch):
    content = (HEAD + ROWS.replace("d2", "long2")).encode()
    monkeypatch.setenv("FOLDWISE_BUDGET", limit)

    with pytest.raises(DataError, match="(may have|may unpack to) at most|At most") as refused:
        read_results(("a.csv", content), ("b.csv", content))

    assert len(str(refused.value.problems[0]).split(". ")) >= 3


@pytest.mark.parametrize(
    ("limit", "words"), [("algorithms=1", "algorithms"), ("datasets=2", "data")]
)
def test_names_of_all_files_together_are_counted(limit, words, monkeypatch):
    monkeypatch.setenv("FOLDWISE_BUDGET", limit)

    with pytest.raises(DataError, match=f"at most {limit[-1]} {words}"):
        read_results(("a.csv", (HEAD + ROWS).encode()))


@pytest.mark.parametrize("text", ["cells=0", "cells=many", "cats=3", "cells"])
def test_a_limit_that_is_none_is_refused(text, monkeypatch):
    monkeypatch.setenv("FOLDWISE_BUDGET", text)

    with pytest.raises(SettingError, match="FOLDWISE_BUDGET must list limits"):
        current_limits()


def zipped(mode=zipfile.ZIP_DEFLATED, **files):
    """Return a zip archive of files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", mode) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def sparse_tar():
    """Return a tar archive whose only file is stated to have 8 GB of zeros, in the old sparse format of GNU tar."""
    head = bytearray(512)
    head[:5], head[124:136], head[156:157], head[257:265] = (
        b"a.csv",
        b"0" * 11 + b"\0",
        b"S",
        b"ustar  \0",
    )
    head[483:495], head[148:156] = b"7" * 11 + b"\0", b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + bytes(1024)


def bombs():
    """Return files that are much larger when unpacked."""
    zeros, lines = bytes(30_000_000), gzip.compress(b"a,b\n" * 4_000_000)
    return {
        "zeros in gzip": ("a.csv.gz", gzip.compress(zeros, 1)),
        "zeros in a workbook": (
            "a.xlsx",
            zipped(**{"[Content_Types].xml": b"", "xl/sharedStrings.xml": zeros}),
        ),
        "a sparse file in tar": ("a.tar", sparse_tar()),
        "lines in gzip in a zip": (
            "a.zip",
            zipped(zipfile.ZIP_STORED, **{f"{i}.csv.gz": lines for i in range(3)}),
        ),
    }


def test_what_is_packed_too_well_is_not_unpacked():
    for bomb in bombs().values():
        with pytest.raises(DataError, match="200 times its packed|1,000 times the|sparse file"):
            read_results(bomb)


def test_a_parquet_file_is_counted_by_what_its_columns_hold_when_spread_out():
    places = pa.array(np.zeros(30_000, np.int32))
    texts = pa.DictionaryArray.from_arrays(places, pa.array(["x" * 90_000]))
    file = io.BytesIO()
    pq.write_table(pa.table({"dataset": texts, "error": np.zeros(30_000)}), file)

    with pytest.raises(DataError, match="at most"):
        read_results(("a.parquet", file.getvalue()))


def test_many_accents_are_refused_before_they_are_composed(monkeypatch):
    """Composing a run of accents takes a time proportional to the square of its length."""
    compose = unicodedata.normalize

    def short(form, text):
        assert len(text) == 1
        return compose(form, text)

    with monkeypatch.context() as patch:
        patch.setattr(unicodedata, "normalize", short)
        with pytest.raises(DataError, match=r"row 2.*at most 30 accents"):
            Budget().composed("a.csv", "x\na" + "\u0301\u0316" * 100_000)
    assert Budget().composed("", "e\u0301") == "\u00e9"


def test_names_of_many_digits_are_in_the_order_of_their_numbers():
    large = "9" * 5000

    assert natural_order(["a10", f"a{large}", "a9", "a007"]) == ("a007", "a9", "a10", f"a{large}")


def test_a_name_seldom_is_read_in_more_than_its_length_of_time():
    frame = pd.DataFrame({"dataset": ["a", "b"], "rf": [0.1, 0.2], "svm": [0.3, 0.2]})

    assert read_results(("error.csv", frame.to_csv(index=False).encode())).algorithms == (
        "rf",
        "svm",
    )


def sheet(rows):
    """Return a workbook whose only sheet has these rows in XML."""
    content, packed = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(content)
    with (
        zipfile.ZipFile(content) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        for name in source.namelist():
            is_sheet = name.startswith("xl/worksheets/")
            file.writestr(
                name,
                source.read(name).replace(
                    b"<sheetData></sheetData>", b"<sheetData>%s</sheetData>" % rows
                )
                if is_sheet
                else source.read(name),
            )
    return packed.getvalue()


def workbook_with(part, before, after):
    """Return a workbook with XML inserted in a part before a mark."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(sheet(b""))) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        for name in source.namelist():
            content = source.read(name)
            file.writestr(
                name, content.replace(before, after + before) if name == part else content
            )
    return packed.getvalue()


def ragged(last):
    """Return 60,000 results of folds and a last row."""
    rows = (b"d%d,a%d,%d,0.5\n" % (i // 200, i // 10 % 20, i % 10) for i in range(60_000))
    return HEAD.encode() + b"".join(rows) + last


def made(file):
    """Return name and content of a file, which is made for its test, not at collection."""
    name, make = file
    return name, make()


MANY = {
    "styles of a workbook": (
        "a.xlsx",
        lambda: workbook_with("xl/styles.xml", b"</cellXfs>", b"<xf/>" * 60_000),
    ),
    "merged cells": (
        "a.xlsx",
        lambda: sheet(b"</sheetData><mergeCells>" + b'<mergeCell ref="A1:B1"/>' * 60_000),
    ),
    "empty objects": ("a.json", lambda: b"[" + b"{}," * 2_100_000 + b"{}]"),
    "files of a zip": (
        "a.zip",
        lambda: zipped(zipfile.ZIP_STORED, **{f"{i}.txt": b"" for i in range(5_000)}),
    ),
    "long names in a zip": (
        "a.zip",
        lambda: zipped(**{f"{'d' * 60_000}{i}.csv": b"a,b\n" for i in range(3)}),
    ),
    "files of a tar": ("a.tar", lambda: bad_files.tar_of("a.png", b"")[:512] * 30_001),
    "parts of gzip": ("a.csv.gz", lambda: gzip.compress(b"") * 100_001),
    "comments in the table": (
        "a.csv",
        lambda: HEAD.encode() + b"# a comment\nd,a,1,0.5\n" * 100_000,
    ),
    "a short row at the end": ("a.csv", lambda: ragged(b"d,a,1\n")),
    "a long row at the end": ("a.csv", lambda: ragged(b"d,a,1,0.5,0.6\n")),
}


@pytest.mark.parametrize("what", MANY)
def test_what_is_too_much_is_refused_before_it_is_parsed(what, monkeypatch):
    for module, function in (
        (pd, "read_csv"),
        (openpyxl, "load_workbook"),
        (text_table, "as_table"),
    ):
        monkeypatch.setattr(module, function, None)

    with pytest.raises(
        DataError,
        match="[Aa]t most|more than 100,000 parts|more than 30,000 files|Every row needs 4 cells",
    ):
        read_results(made(MANY[what]))


def test_comments_above_a_table_are_left_out_however_many():
    table = table_of("a.csv", b"# a comment\n" * 200 + HEAD.encode() + b"d,a,1,0.5\nd,b,1,0.4\n")

    assert table.frame.index.tolist() == [202, 203]


def test_emphasis_of_many_stars_stays_as_it_is():
    """From each star the text is searched for a second one."""
    cells = ["**x " * 70 + str(i) for i in range(2)]

    table = table_of(
        "a.md", ("|a|b|\n|---|---|\n" + "".join(f"|{cell}|1|\n" for cell in cells)).encode()
    )

    assert table.frame["a"].tolist() == cells


CELL = b'<row r="%d"><c r="%s%d"><v>1</v></c></row>'
ATTRIBUTES = (
    b"@relation x\n" + b"".join(b"@attribute c%d numeric\n" % i for i in range(2_000)) + b"@data\n"
)
FAR = {
    "a far cell": (
        "a.xlsx",
        lambda: sheet(CELL % (1, b"A", 1) + CELL % (1_048_576, b"XFD", 1_048_576)),
    ),
    "far cells": (
        "a.xlsx",
        lambda: sheet(b"".join(CELL % (i, b"ABC", i) for i in range(1, 1_000))),
    ),
    "empty rows": ("a.xlsx", lambda: sheet(b"<row/>" * 300_002)),
    "sparse rows": ("a.arff", lambda: ATTRIBUTES + b"{0 1}\n" * 200),
    "short rows below a wide header": (
        "a.csv",
        lambda: b",".join(b"c%d" % i for i in range(2_000)) + b"\n" + b"1\n" * 200,
    ),
    "rows of Markdown": ("a.md", lambda: b"|a|b|\n|---|---|\n" + b"|x|1|\n" * 120_000),
    "rows of LaTeX": ("a.tex", lambda: b"\\begin{tabular}{lc}\n" + b"a & 1 \\\\\n" * 300_001),
    "a wide cell of LaTeX": (
        "a.tex",
        lambda: (
            b"\\begin{tabular}{lc}\n"
            + b"a & \\multicolumn{9999}{c}{b} & c\\\\\n" * 40
            + b"x & 1\\\\\n"
        ),
    ),
    "records with other keys": (
        "a.json",
        lambda: b"[" + b",".join(b'{"k%d": 1}' % i for i in range(600)) + b"]",
    ),
}


@pytest.mark.parametrize("what", FAR)
def test_cells_are_counted_before_they_are_built(what, monkeypatch):
    monkeypatch.setattr(text_table, "as_table", None)  # would build them

    with pytest.raises(
        DataError,
        match="at most 300,000 cells|150,000 empty rows|Every row needs 2,000 cells|at most 5,000 columns|the same keys",
    ):
        read_results(made(FAR[what]))


ENDLESS = {
    "blanks in Markdown": ("a.md", "# a" + " " * 30_000 + "x\n|a|b|\n|---|---|\n|x|1|\n"),
    "brackets in Markdown": ("a.md", "|a|b|\n|---|---|\n" + ("|" + "[" * 299 + "|1|\n") * 300),
    "rules of LaTeX": (
        "a.tex",
        "\\begin{tabular}{lc}\na & b\\\\\n" + "\\hline[" * 30_000 + "\nx & 1\\\\\n\\end{tabular}",
    ),
    "blanks in LaTeX": (
        "a.tex",
        "\\caption" + " " * 30_000 + "\n\\begin{tabular}{lc}\na & b\\\\\nx & 1\\\\\n\\end{tabular}",
    ),
    "a name of LaTeX": (
        "a.tex",
        "\\begin{"
        + "table" * 6_000
        + "\n\\begin{tabular}{lc}\na & b\\\\\nx & 1\\\\\n\\end{tabular}",
    ),
    "backslashes in ARFF": (
        "a.arff",
        '@relation x\n@attribute "' + "\\" * 60 + '\n@attribute b numeric\n@data\n1,"2"\n',
    ),
    "one long line of text": ("a.txt", "a b\n" * 90_000 + "x " * 2_400 + "1\n"),
    "blanks in JSON": ("a.json", '[{"a": "1' + " " * 3_000 + 'x", "b": 1}]'),
    "braces in a cell": (
        "a.csv",
        "model,acc,p\n" + "".join('a,1,"{' + "a:" * 20_000 + '"\n' for _ in range(3)),
    ),
}


@pytest.mark.parametrize(("name", "text"), ENDLESS.values(), ids=ENDLESS)
def test_text_that_never_ends_a_pattern_is_read_in_linear_time(name, text):
    """Without care each of them takes minutes, as brackets, blanks or backslashes are tried again from every place."""
    with contextlib.suppress(DataError):
        read_results((name, text.encode()))


def test_a_leaderboard_of_five_thousand_questions_asks_what_its_columns_are():
    header = ",".join(["model", *(f"q{i}" for i in range(4_999))])
    rows = [
        ",".join([f"m{j}", *("1" if (i * j) % 3 else "0" for i in range(4_999))]) for j in range(2)
    ]

    with pytest.raises(NeedsMapping) as asked:
        read_results(("marks.csv", "\n".join([header, *rows]).encode()))

    assert len(asked.value.guess.roles) == 5_000


def test_dense_records_and_sheets_may_have_more_cells_than_sparse_ones():
    """400,000 values present are read; as many cells of which a tenth is present are refused."""
    limits = Budget()

    limits.check_built("a.json", 400_000, present=400_000)
    with pytest.raises(DataError, match="at most 300,000 cells"):
        limits.check_built("a.json", 400_000, present=40_000)


def test_a_sheet_keeps_dates_texts_and_gaps():
    """Values as openpyxl wrote them: a date without a time, rich numbers, a missing cell and a truth value."""
    from datetime import datetime

    book, content = openpyxl.Workbook(), io.BytesIO()
    rows = [
        ["set", "day", "rf", "svm"],
        ["a", datetime(2026, 1, 2), 0.95, None],
        ["b", datetime(2026, 1, 3, 4), 7, True],
    ]
    for row in rows:
        book.active.append(row)
    book.save(content)

    frame = table_of("a.xlsx", content.getvalue()).frame

    assert frame.to_numpy().tolist() == [
        ["a", "2026-01-02", "0.95", ""],
        ["b", "2026-01-03 04:00:00", "7", "True"],
    ]


def test_a_workbook_beyond_a_limit_ends_the_reading_of_its_archive():
    """A zip that is stored without compression is no workbook itself; its second workbook is not read."""
    book, content, packed = openpyxl.Workbook(), io.BytesIO(), io.BytesIO()
    book.active["A1"], book.active["A1048576"] = "dataset", "far"
    book.save(content)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("first.xlsx", content.getvalue())
        archive.writestr("second.xlsx", content.getvalue())

    with pytest.raises(DataError) as refused:
        read_results(("far.zip", packed.getvalue()))
    assert [problem.file for problem in refused.value.problems] == ["first.xlsx"]
