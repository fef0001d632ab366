"""Tests that the same table gives the same results in every format."""

import gzip
import io
import json
import subprocess
import sys
import zipfile

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError, FoldwiseError, NeedsMapping, SettingError
from stats_core.io.formats import table_of
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, explain, read_results
from tests.strategies import few_examples

FRAME = pd.DataFrame(
    {
        "dataset": ["iris", "wine", "glass", "heart"],
        "rf": [0.91, 0.93, 0.66, 0.8],
        "linear svm": [0.82, 0.1234567890123, 0.71, 0.79],
        "knn": [0.7, 0.75, 0.7, 0.81],
    }
)
ROWS = [list(FRAME), *(list(map(str, row)) for row in FRAME.itertuples(index=False))]
CSV = FRAME.to_csv(index=False)
ACCURACY = Mapping(measure_name="accuracy")


def written(write, **options) -> bytes:
    buffer = io.BytesIO()
    write(buffer, **options)
    return buffer.getvalue()


def workbook(*sheets) -> bytes:
    """Return a workbook of sheets given as (title, rows)."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    return written(book.save)


def in_markdown() -> str:
    rule = ["---"] * len(ROWS[0])
    return "\n".join(f"| {' | '.join(row)} |" for row in (ROWS[0], rule, *ROWS[1:]))


def in_latex(cell="{}") -> str:
    rows = [" & ".join([row[0], *(cell.format(text) for text in row[1:])]) for row in ROWS[1:]]
    body = "\\\\ \\midrule % the results\n".join([" & ".join(ROWS[0]), "\\\\[2pt]\n".join(rows)])
    return f"\\begin{{tabular}}{{@{{}}l|ccc@{{}}}} \\toprule\n{body}\\\\ \\bottomrule\n\\end{{tabular}}"


def in_arff() -> str:
    names = "\n".join(f"@attribute '{name}' numeric" for name in ROWS[0][1:])
    rows = "\n".join(",".join(row) for row in ROWS[1:])
    return f"% made by hand\n@relation results\n@attribute dataset string\n{names}\n@data\n{rows}\n"


FORMATS = {
    "xlsx": written(FRAME.to_excel, index=False),
    "parquet": written(FRAME.to_parquet, index=False),
    "parquet with an index": written(FRAME.set_index("dataset").to_parquet),
    "feather": written(FRAME.to_feather),
    "feather, packed anew": written(FRAME.to_feather, compression="zstd"),
    "records": json.dumps(FRAME.to_dict("records")).encode(),
    "columns": json.dumps(FRAME.to_dict("list")).encode(),
    "JSON by pandas": FRAME.to_json(double_precision=15).encode(),
    "JSON split": FRAME.to_json(orient="split", double_precision=15).encode(),
    "JSON by row": FRAME.set_index("dataset").to_json(orient="index", double_precision=15).encode(),
    "rows with a header": json.dumps(ROWS).encode(),
    "JSON lines": "\n".join(map(json.dumps, FRAME.to_dict("records"))).encode(),
    "records under a key": json.dumps({"by": "me", "runs": FRAME.to_dict("records")}).encode(),
    "arff": in_arff().encode(),
    "markdown": in_markdown().encode(),
    "markdown without outer bars": in_markdown().replace("\n| ", "\n")[2:].encode(),
    "latex": in_latex().encode(),
    "rows of latex": "\n".join(" & ".join(row) + r" \\" for row in ROWS).encode(),
    "tabs": "\n".join("\t".join(row) for row in ROWS).encode(),
    "printed": FRAME.to_string(index=False, float_format=str).encode(),
    "printed with row numbers": FRAME.to_string(float_format=str).encode(),
    "packed": gzip.compress(in_markdown().encode()),
}


@pytest.fixture(scope="module")
def of_csv():
    return read_results(("a.csv", CSV.encode()), mapping=ACCURACY)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["a.csv", "a"])
def test_the_same_table_gives_the_same_results_whatever_the_ending(kind, name, of_csv):
    results = read_results((name, FORMATS[kind]), mapping=ACCURACY)

    pd.testing.assert_frame_equal(results.frame, of_csv.frame)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_said_of_columns_is_the_same_too(kind):
    source = ("acc.any", FORMATS[kind])

    meanings = [one for one in describe_columns(source)["meaning"] if one != "ignore"]
    assert meanings == ["dataset", "result", "result", "result"]
    assert "3 algorithms" in explain(source).sentence


def notes(name: str, content: bytes | str) -> list[str]:
    content = content.encode() if isinstance(content, str) else content
    return [str(note) for note in table_of(name, content).notes]


def test_the_first_sheet_with_a_table_is_read_and_the_others_are_named():
    content = workbook(("About", [["by me"]]), ("Results", ROWS), ("Old", ROWS))

    table = table_of("a.xlsx", content)

    assert list(table.frame.columns) == ROWS[0]
    assert [str(note) for note in table.notes] == [
        'Only the sheet "Results" was read. The workbook also has About and Old.'
    ]


def test_a_title_above_a_sheet_is_left_out_and_lines_are_counted_as_in_the_sheet():
    table = table_of("a.xlsx", workbook(("A", [["My results"], [], *ROWS])))

    assert list(table.frame.index) == [4, 5, 6, 7]
    assert [str(note) for note in table.notes] == ["1 line above the table was left out."]


def test_hidden_rows_of_a_sheet_count_and_dates_and_whole_numbers_are_texts():
    book = openpyxl.Workbook()
    for row in (
        ["dataset", "day", "n"],
        ["iris", pd.Timestamp("2026-01-02"), 3],
        ["wine", None, 4],
    ):
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True

    frame = table_of("a.xlsx", written(book.save)).frame

    assert frame.to_numpy().tolist() == [["iris", "2026-01-02", "3"], ["wine", "", "4"]]


def test_a_workbook_that_is_too_large_is_refused_while_it_is_read(monkeypatch):
    content = workbook(("A", ROWS))
    monkeypatch.setenv("FOLDWISE_BUDGET", "cells=10")
    with pytest.raises(DataError, match="at most 10 cells"):
        table_of("a.xlsx", content)

    monkeypatch.setenv("FOLDWISE_BUDGET", f"size={len(content)}")
    with pytest.raises(DataError, match="MB when unpacked"):
        table_of("a.xlsx", content)


@pytest.mark.parametrize("kind", ["records", "parquet", "markdown"])
def test_other_files_that_are_too_large_are_refused(kind, monkeypatch):
    monkeypatch.setenv("FOLDWISE_BUDGET", "cells=10")

    with pytest.raises(DataError, match="at most 10 cells"):
        table_of("a", FORMATS[kind])


def test_what_is_no_workbook_is_no_zip_file_of_our_own():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a.csv", CSV)

    with pytest.raises(DataError, match="a zip file. Unpack the file"):
        table_of("a.xlsx", packed.getvalue())


def test_a_column_name_given_twice_is_named_in_parquet_too():
    table = pa.table([["x"], [0.1], [0.2]], names=["dataset", "rf", "rf"])

    with pytest.raises(DataError, match='"rf": Every column needs a unique name'):
        table_of("a.parquet", written(lambda file: pq.write_table(table, file)))


def test_objects_within_records_are_flattened_once():
    text = '[{"model": "rf", "params": {"depth": 3, "more": {"a": 1}}, "acc": 0.90, "ok": true}]'

    frame = table_of("a.json", text.encode()).frame

    assert frame.iloc[0].to_dict() == {
        **{"model": "rf", "params.depth": "3", "params.more": '{"a": "1"}'},
        **{"acc": "0.90", "ok": "true"},
    }


def harness(model: str, accuracy: float) -> tuple[str, bytes]:
    tasks = {
        "arc": {"alias": "arc", "acc,none": accuracy, "acc_stderr,none": 0.01},
        "boolq": {"alias": "boolq", "acc,none": accuracy + 0.1, "acc_stderr,none": 0.01},
        "crows": {"alias": "crows", "pct_stereotype,none": 0.5},
    }
    config = {"model": "hf", "model_args": f"pretrained=org/{model},revision=step1,dtype=float"}
    return f"{model}.json", json.dumps({"results": tasks, "config": config}).encode()


def test_objects_by_model_and_task_are_one_row_each():
    scores = {model: {task: {"acc": 0.5, "f1": 0.4} for task in ("x", "y")} for model in ("a", "b")}

    frame = table_of("a.json", json.dumps(scores).encode()).frame

    assert list(frame) == ["key 1", "key 2", "acc", "f1"]
    assert frame[["key 1", "key 2"]].to_numpy().tolist() == [
        ["a", "x"],
        ["a", "y"],
        ["b", "x"],
        ["b", "y"],
    ]


def test_results_of_the_evaluation_harness_are_one_row_a_task():
    results = read_results(harness("small", 0.3), harness("large", 0.5))

    assert results.algorithms == ("org/large step1", "org/small step1")
    assert results.datasets == ("arc", "boolq")
    assert results.measures == ("accuracy",)
    assert "data sets not measured" in [note.code for note in results.notes]


def test_a_failed_run_stays_a_hole_though_another_column_has_no_direction():
    csv = "dataset,model,acc,quality\nx,a,0.1,1\nx,b,,2\ny,a,0.2,1\ny,b,0.3,1\n"

    assert read_results(csv.encode()).missing_of("accuracy")["algorithm"].tolist() == ["b"]


README = """# Benchmark
<p align="center">one, two, "three"</p>

| a | b |
|---|---|
| 1 | 2 |

| | Default [A](https://x.org) | *Tuned* `B`
--- | ---: | :---:
[Adult](https://x.org/adult) | 0.272978 (\u00b10.0004) (+1.20%) | _**0.269741**_ (\u00b10.0001)
Click_2 | **0.39** (\u00b10.0001) (+0.05%) | 0.40*
"""


def test_stars_that_print_bold_leave_the_number_in_a_csv():
    table = table_of("a.csv", b"data,a,b\niris,**0.9 +- 0.1**,0.8\nwine,0.7*,***0.8***\n")
    assert table.frame.to_numpy().tolist() == [
        ["iris", "0.9 +- 0.1", "0.8"],
        ["wine", "0.7*", "0.8"],
    ]


def test_the_largest_table_of_a_readme_is_read_without_its_markup():
    table = table_of("README.md", README.encode())

    assert list(table.frame.columns) == ["row", "Default A", "Tuned B"]
    assert table.frame.to_numpy().tolist() == [
        ["Adult", "0.272978", "0.269741"],
        ["Click_2", "0.39", "0.40"],
    ]
    assert list(map(str, table.notes)) == [
        "The text has 2 tables. Only the largest table was read (2 rows, from line 8).",
        "Only the first number was read in 4 cells with more text. For example, (±0.0004) (+1.20%) was left out.",
    ]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("| rf | svm |\n|---|---|---|", "| iris | 0.1 | 0.2 |\n| wine | 0.3 | 0.4 |"),
        ("| set | rf | svm | |\n|---|---|---|---|", "| iris | 0.1 | 0.2 |\n| wine | 0.3 | 0.4 |"),
        ("| set | rf | svm |\n|---|---|---|", "| iris | 0.1 | 0.2 | |\n| wine | 0.3 | 0.4 |"),
        ("+-----+----+-----+\n| set | rf | svm |\n+=====+====+=====+", "| a | 0.1 | 0.2 |\n+---+---+---+"),
    ],
)  # fmt: skip
def test_a_header_may_have_a_cell_fewer_or_more_than_the_rows(header, rows):
    frame = table_of("a.md", f"{header}\n{rows}".encode()).frame

    assert list(frame.columns[1:]) == ["rf", "svm"]
    assert frame.iloc[0, 1:].tolist() == ["0.1", "0.2"]


def test_a_csv_with_markdown_in_its_cells_is_a_csv():
    csv = 'dataset,model,acc,remark\nx,a,0.5,"| a | b |\n|---|---|\n| 1 | 2 |"\ny,a,0.6,none\n'

    assert list(table_of("a.csv", csv.encode()).frame["acc"]) == ["0.5", "0.6"]


@pytest.mark.parametrize(
    "cell",
    [
        r"\textbf{{{}}}",
        r"${} \pm 0.02$",
        r"\underline{{{}}}$^{{\dagger}}$",
        r"${{{}}}_{{\pm 0.1}}$",
        r"\cellcolor{{gray!20}}\textcolor{{red}}{{{}}}*",
        r"\multicolumn{{1}}{{c|}}{{\textit{{{}}}}}",
        r"{{\bf {}}} {{\scriptsize (0.1)}}",
        r"\makecell{{{}}}~\cite{{me}}",
    ],
)
def test_latex_around_numbers_is_taken_off(cell, of_csv):
    text = f"\\begin{{table}}\n{in_latex(cell)}\n\\caption{{All}}\\end{{table}}"

    results = read_results(("a.tex", text.encode()), mapping=ACCURACY)

    pd.testing.assert_frame_equal(results.frame, of_csv.frame)


def test_names_over_several_rows_are_repeated_and_headings_over_columns_left_out():
    text = r"""
\begin{tabularx}{\textwidth}{llc}
 & \multicolumn{2}{c}{Test set} \\ \cmidrule(lr){2-3}
Data set & Model & Error $\downarrow$ \\ \hline
\multirow{2}{*}{R\&D} & rf & 12.5\,\% \\
 & svm & 10\% \\
\end{tabularx}"""

    table = table_of("a.tex", text.encode())

    assert list(table.frame.columns) == ["Data set", "Model", "Error (lower is better)"]
    assert table.frame.to_numpy().tolist() == [["R&D", "rf", "12.5%"], ["R&D", "svm", "10%"]]
    assert list(table.frame.index) == [5, 6]
    assert notes("a.tex", text) == ["1 row with cells that span several columns was left out."]


def test_arff_has_quoted_names_unknown_values_and_sparse_rows():
    text = (
        "@RELATION 'a, b'\n@ATTRIBUTE Dataset {iris, 'two words'}\n@attribute 'my rf' REAL\n"
        "@attribute svm numeric\n@inputs my rf\n@DATA\niris, ?, 1e-3\n'two words',0.5,0.25\n"
        "% done\n{0 'it\\'s', 2 7}\n"
    )

    frame = table_of("a.arff", text.encode()).frame

    assert list(frame.columns) == ["Dataset", "my rf", "svm"]
    assert frame.to_numpy().tolist() == [
        ["iris", "", "1e-3"],
        ["two words", "0.5", "0.25"],
        ["it's", "0", "7"],
    ]


def test_names_of_several_words_are_told_by_the_numbers_behind_them():
    text = (
        "Dataset C4.5 1-NN\nBreast cancer 0.91 \u00b1 0.1 0.92\niris 0.9 0.85 (2)\nwine 0.8 0.7\n"
    )

    frame = table_of("pasted.txt", text.encode()).frame

    assert frame.to_numpy().tolist() == [
        ["Breast cancer", "0.91", "0.92"],
        ["iris", "0.9", "0.85"],
        ["wine", "0.8", "0.7"],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "It was the best of times\nit was the worst of times\nit was the age of wisdom\n",
        "Dear all\nsee chapter 3\nbest wishes\n",
    ],
)
def test_prose_is_no_table(text):
    with pytest.raises(DataError, match="between columns"):
        table_of("a.txt", text.encode())


def test_names_with_numbers_and_brackets_stay_as_they_are():
    text = "| model | acc |\n|---|---|\n| ResNet-50 (ours) | 0.9 |\n| 3-NN (k) | 0.8 (1) |\n"

    assert list(table_of("a.md", text.encode()).frame["model"]) == ["ResNet-50 (ours)", "3-NN (k)"]


HOSTILE = {
    "deep JSON": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "half a character": b'[{"model": "\\ud800", "acc": 0.5}, {"model": "b", "acc": 0.4}]',
    "a long rule": b"a|b\n" + b"|" * 100_000 + b" " * 100_000 + b"x",
    "many stars": b"| a | b |\n|---|---|\n| " + b"*" * 100_000 + b" | 1 |",
    "many braces": b"\\begin{tabular}{" + b"{" * 50_000 + b"\na & b \\\\\n",
    "many blanks": b"a" + b" " * 100_000 + b"b\n" * 3,
    "many keys": b"[" + b",".join(b'{"k%d": 1}' % i for i in range(9000)) + b"]",
    "no rows": b'{"results": {"a": {}}, "versions": {}}',
    "wide sparse rows": b"@relation a\n"
    + b"".join(b"@attribute a%d numeric\n" % i for i in range(6000))
    + b"@data\n"
    + b"{0 1}\n" * 9000,
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_files_are_refused_in_words(what):
    with pytest.raises(FoldwiseError) as refused:
        read_results(("a", HOSTILE[what]))

    assert "Traceback" not in str(refused.value)


def refusal(content: bytes) -> str:
    """Return the error message for a file, "" without an error."""
    try:
        read_results(("a", content))
    except FoldwiseError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", ["xlsx", "parquet", "feather", "records", "JSON lines", "packed"])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_files_that_are_cut_off_are_refused_as_such(kind, share):
    said = refusal(FORMATS[kind][: int(share * len(FORMATS[kind]))])

    assert "must be a complete" in said or "must be complete" in said
    assert len(said.split(". ")) == 3


@given(st.sampled_from(sorted(FORMATS)), st.binary(max_size=8), st.floats(0, 1), st.integers(0, 40))
@few_examples
def test_any_bytes_give_results_or_a_refusal(kind, bytes_, place, cut):
    content = FORMATS[kind]
    at = int(place * len(content))

    said = refusal(content[:at] + bytes_ + content[at + cut :])

    assert all(len(line.split(". ")) >= 3 for line in said.splitlines())


def test_reading_a_csv_imports_no_other_format():
    code = "import sys, stats_core as sc; sc.read_results('sample_results/demsar_2006_auc.csv')"
    code += "; print([name for name in sys.modules if name.startswith('stats_core.io.formats.')])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


ENCODED = {
    "GB18030": (
        "gb18030",
        ("\u9e22\u5c3e\u82b1", "\u968f\u673a\u68ee\u6797", "\u652f\u6301\u5411\u91cf\u673a"),
    ),
    "Shift-JIS": ("cp932", ("\u30a2\u30e4\u30e1", "\u68ee\u6797", "\u7dda\u5f62\u56de\u5e30")),
    "UTF-7": ("utf-7", ("na\u00efve", "B\u00e9zier", "rf")),
    "UTF-16": ("utf-16-be", ("na\u00efve", "B\u00e9zier", "rf")),
    "Windows-1252": ("cp1252", ("jalape\u00f1o", "B\u00e9zier", "rf")),
}


def encoded(title):
    """Return the bytes of fold scores with names in an encoding."""
    encoding, (dataset, *algorithms) = ENCODED[title]
    rows = "".join(f"{dataset},{name},{fold},0.{fold}\n" for name in algorithms for fold in (1, 2))
    return f"dataset,algorithm,fold,error\n{rows}".encode(encoding)


@pytest.mark.parametrize("title", ENCODED)
def test_an_encoding_that_is_guessed_is_named(title):
    dataset, *algorithms = ENCODED[title][1]

    results = read_results(("a.csv", encoded(title)))

    assert results.datasets == (dataset,)
    assert set(results.algorithms) == set(algorithms)
    assert f"was read as {title}" in " ".join(map(str, results.notes))


HEAD = b"dataset,algorithm,fold,error\n"
UNKNOWN = [
    (b"x,\xa5\xdb\xff\x98\xaa,1,1\n", "row 2.*Byte 3 .*cannot be determined"),
    ("x,\u674e\u660e,1,1\n".encode("gb18030"), "row 2.*Byte 3 .*cannot be determined"),
    ("x,\u30a2\u30e4\u30e1,1,1\n".encode("euc_jp"), "row 2.*Byte 3 .*cannot be determined"),
    ("x,\u674e\u660e,1,1\n".encode("big5"), "row 2.*Byte 3 .*cannot be determined"),
    (
        "x,na\u00efve,1,1\nx,".encode() + "B\u00e9zier,1,1\n".encode("cp1252"),
        "row 3.*Byte 4 .*but other lines are",
    ),
]


@pytest.mark.parametrize(("content", "place"), UNKNOWN)
def test_letters_of_unknown_or_several_encodings_are_refused_with_their_place(content, place):
    with pytest.raises(DataError, match=place):
        read_results(("a.csv", HEAD + content))


@pytest.mark.parametrize(
    ("content", "name", "encoding"),
    [
        ("x,\ub300\ud55c\ubbfc\uad6d,1,1\n".encode("euc_kr"), "\ub300\ud55c\ubbfc\uad6d", "EUC-KR"),
        (b"x,na\x81ve,1,1\n", "na\u00fcve", "DOS (code page 437)"),
    ],
)
def test_a_single_word_is_read_in_the_likeliest_encoding(content, name, encoding):
    results = read_results(("a.csv", HEAD + content))

    assert results.algorithms == (name,)
    assert f"read as {encoding}" in str(results.notes[0])


def test_no_encoding_is_offered_that_gives_control_characters():
    """In ISO 8859-15, the bytes are of unused characters."""
    with pytest.raises(NeedsMapping, match="several fit. Set `encoding`, for example to mac_roman"):
        read_results(("a.csv", HEAD + b"x,na\x81\x8dve,1,1\n"))


LANGUAGES = {
    "cp1251": "\u0441\u043b\u0443\u0447\u0430\u0439\u043d\u044b\u0439 \u043b\u0435\u0441,\u041c\u043e\u0441\u043a\u0432\u0430,\u0434\u0435\u0440\u0435\u0432\u043e \u0440\u0435\u0448\u0435\u043d\u0438\u0439",
    "koi8-r": "\u0441\u043b\u0443\u0447\u0430\u0439\u043d\u044b\u0439 \u043b\u0435\u0441,\u041c\u043e\u0441\u043a\u0432\u0430,\u0434\u0435\u0440\u0435\u0432\u043e \u0440\u0435\u0448\u0435\u043d\u0438\u0439",
    "cp1253": "\u03c4\u03c5\u03c7\u03b1\u03af\u03bf \u03b4\u03ac\u03c3\u03bf\u03c2,\u0391\u03b8\u03ae\u03bd\u03b1,\u03b4\u03ad\u03bd\u03c4\u03c1\u03bf",
    "cp1255": "\u05d9\u05e2\u05e8 \u05d0\u05e7\u05e8\u05d0\u05d9,\u05d9\u05e8\u05d5\u05e9\u05dc\u05d9\u05dd,\u05e8\u05d2\u05e8\u05e1\u05d9\u05d4 \u05dc\u05d5\u05d2\u05d9\u05e1\u05d8\u05d9\u05ea",
    "cp1256": "\u063a\u0627\u0628\u0629 \u0639\u0634\u0648\u0627\u0626\u064a\u0629,\u0627\u0644\u0642\u0627\u0647\u0631\u0629,\u0634\u062c\u0631\u0629 \u0627\u0644\u0642\u0631\u0627\u0631",
    "cp1257": "\u0105\u017euolas,\u0160iauliai,sprendim\u0173 medis",
    "euc_kr": "\ub79c\ub364 \ud3ec\ub808\uc2a4\ud2b8,\uc11c\uc6b8,\uacb0\uc815 \ud2b8\ub9ac",
    "big5": "\u96a8\u6a5f\u68ee\u6797,\u53f0\u5317,\u6c7a\u7b56\u6a39",
    "euc_jp": "\u30e9\u30f3\u30c0\u30e0\u30d5\u30a9\u30ec\u30b9\u30c8,\u6771\u4eac,\u6c7a\u5b9a\u6728",
    "cp1252": "na\u00efve,B\u00e9zier,\u00c5ngstr\u00f6m",
}


@pytest.mark.parametrize("encoding", LANGUAGES)
def test_names_of_other_languages_are_read_in_the_encoding_of_their_letters(encoding):
    """Two algorithms and a town in a language whose letters, in another encoding, are rare or form no words."""
    first, town, second = LANGUAGES[encoding].split(",")

    results = read_results(
        ("a.csv", _towns(town).replace("rf", first).replace("svm", second).encode(encoding))
    )

    assert (results.algorithms, results.datasets) == (tuple(sorted((first, second))), (town,))
    assert any(note.code == "not UTF-8" for note in results.notes)


def test_each_file_has_its_own_encoding_and_an_answer_holds_where_it_fits():
    """Byte F2 is \u0148 in Windows-1250 and \u00f2 in Windows-1252; the Cyrillic file is text in KOI8-R only."""
    towns = LANGUAGES["koi8-r"].split(",")
    files = [
        ("a.csv", _towns("Plze\u0148").encode("cp1250")),
        ("b.csv", _towns(*towns).encode("koi8-r")),
    ]

    assert set(read_results(*files, encoding="cp1250").datasets) == {"Plze\u0148", *towns}
    assert set(
        read_results(("c.csv", _towns("K\u00f6ln").encode("cp1252")), files[1]).datasets
    ) == {"K\u00f6ln", *towns}


def test_each_of_several_files_is_asked_about_and_gets_the_answer_about_it():
    """Both towns are words in Greek and in Cyrillic: \u039b\u03ac\u03c1\u03b9\u03c3\u03b1 in Windows-1253, \u0440\u0430\u0439\u043e\u043d in Windows-1251."""
    towns = {
        "a=b.csv": ("\u039b\u03ac\u03c1\u03b9\u03c3\u03b1", "cp1253"),
        "d; e.csv": ("\u0440\u0430\u0439\u043e\u043d", "cp1251"),
    }
    files = [(file, _towns(town).encode(encoding)) for file, (town, encoding) in towns.items()]
    mapping = None

    for file, (town, _) in towns.items():
        with pytest.raises(NeedsMapping) as asked:
            read_results(*files, mapping=mapping)
        assert file in str(asked.value)
        mapping = dict(asked.value.options)[town]

    assert mapping.encoding == "a=b.csv=cp1253; d; e.csv=cp1251"
    assert {*read_results(*files, mapping=mapping).datasets} == {town for town, _ in towns.values()}
    assert (
        explain(files[1], mapping, several=True)
        .columns()["example"]
        .str.contains(towns["d; e.csv"][0])
        .any()
    )


def test_the_note_on_the_encoding_of_a_log_is_kept():
    records = [
        {"doc_id": i, "doc": {"question": f"n\u00e9 {i}"}, "target": "a", "resps": [], "acc": i % 2}
        for i in (1, 2)
    ]
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode("cp1252")
    logs = [(f"{model}/samples_x_2024-01-01T00-00-00.jsonl", lines) for model in "ab"]

    notes = [note for note in read_results(*logs).notes if note.code == "not UTF-8"]

    assert [note["word"] for note in notes] == ["n\u00e9", "n\u00e9"]


TWO_VALUES = b'[{"model": "a", "acc": 0.5, "acc": 0.6}]'


def test_two_values_of_one_key_are_refused_in_json_but_a_repeated_value_is_not():
    with pytest.raises(
        DataError, match='The key "acc" has the values "0.5" and "0.6" in one object'
    ):
        table_of("a.json", TWO_VALUES)
    assert table_of("a.json", b'[{"model": "a", "acc": 0.5, "acc": 0.5}]').frame[
        "acc"
    ].tolist() == ["0.5"]


def test_quoted_cells_and_lines_of_dense_arff_are_as_in_the_file():
    text = "@relation x\n@attribute set string\n@attribute 'a, b' numeric\n@data\n'it\\'s, x', ?\n% no\nplain,0.5\n"

    frame = table_of("a.arff", text.encode()).frame

    assert list(frame) == ["set", "a, b"]
    assert frame.to_numpy().tolist() == [["it's, x", ""], ["plain", "0.5"]]
    assert list(frame.index) == [5, 7]


def test_cells_in_double_quotes_of_arff_are_as_in_the_file():
    """The quotation marks of a cell go, those within it stay."""
    text = '@relation x\n@attribute set string\n@attribute \'b\' numeric\n@data\n"it\'s, x", ?\n"two words",0.5\n5" disk,1\n'

    assert table_of("a.arff", text.encode()).frame["set"].tolist() == [
        "it's, x",
        "two words",
        '5" disk',
    ]
    plain = text.replace("it's, x", "it is").replace('5" disk', '"a"')
    assert table_of("a.arff", plain.encode()).frame["set"].tolist() == ["it is", "two words", "a"]


TABLE_OF_A_PAPER = """Data set       C4.5     1-NN     SVM
adult         84.70    84.64   90.27*
breast-c.     83.56    83.71   87.33*
colic         87.46   89.13*    88.91
"""


CAPTIONS = [
    "Table 3: Accuracy (%) of the algorithms.\n",
    "Table 3: Accuracy (%) of the algorithms on\nthree data sets from 30 repositories\n",
    "Tab. 3. Accuracy, in percent, over 10\nfolds.\n",
    "Tabelle 3: Accuracy (%)\n\n",
    "The accuracy (%).\nBold: best.\n\n",
    "Accuracy (%) of the algorithms on 3\n\n",
]


@pytest.mark.parametrize("blanks", [True, False])
@pytest.mark.parametrize("place", ["above", "below", "around"])
@pytest.mark.parametrize("caption", CAPTIONS)
def test_a_caption_of_aligned_columns_is_the_title_of_the_table(caption, place, blanks):
    text = {
        "above": caption + TABLE_OF_A_PAPER,
        "below": TABLE_OF_A_PAPER + ("\n" if caption.endswith("\n\n") else "") + caption,
        "around": caption + TABLE_OF_A_PAPER + "* significantly better\nthan the others\n",
    }[place]
    if not blanks:  # as copied from a PDF file
        text = "\n".join(" ".join(line.split()) for line in text.split("\n"))

    results = read_results(("pasted.txt", text.encode()))

    assert set(results.algorithms) == {"C4.5", "1-NN", "SVM"}
    assert list(results.datasets) == ["adult", "breast-c.", "colic"]
    assert results.direction("accuracy") == "higher"
    assert results.averages("accuracy").loc["colic", "1-NN"] == pytest.approx(
        0.8913
    )  # the 89.13* of the text


def test_the_caption_that_names_a_measure_is_the_title():
    text = "Table 3: Three algorithms.\n" + TABLE_OF_A_PAPER + "Note: accuracy in percent.\n"

    assert table_of("pasted.txt", text.encode()).title == "Note: accuracy in percent."


@pytest.mark.parametrize(
    "text",
    [
        "Trees      Nearest     Kernels\n" + TABLE_OF_A_PAPER,
        TABLE_OF_A_PAPER + "heart\n",
        TABLE_OF_A_PAPER + "\nheart 84.7 83.5 ?? n/k\n",
        "A long text.\n" * 11 + TABLE_OF_A_PAPER,
    ],
    ids=["a second header", "a row without results", "an odd row", "a long text"],
)
def test_lines_around_aligned_columns_that_may_be_parts_of_the_table_are_no_caption(text):
    text = "\n".join(" ".join(line.split()) for line in text.split("\n"))

    with pytest.raises(DataError):
        table_of("pasted.txt", text.encode())


EUROPEAN = {
    ("cp1250", "Windows-1250"): (
        "\u0141\u00f3d\u017a",
        "W\u00f3jcik",
        "Pozna\u0144",
        "\u017b\u00f3\u0142\u0107",
    ),
    ("iso-8859-2", "ISO 8859-2"): (
        "Dvo\u0159\u00e1k",
        "\u017di\u017ekov",
        "\u0160koda",
        "Ple\u0161",
    ),
    ("mac_roman", "Mac Roman"): ("M\u00fcller", "Gr\u00f6\u00dfe", "\u00dcbung"),
    ("cp1252", "Windows-1252"): ("For\u00eat", "r\u00e9seau", "O\u00f9 \u00e7a"),
}


@pytest.mark.parametrize("encoding", EUROPEAN, ids=str)
def test_european_letters_are_read_in_the_encoding_that_spells_words(encoding):
    """Names of places and people whose bytes in another code page give signs or capitals within a word."""
    rows = "".join(f"rf,{name},0.9\nsvm,{name},0.8\n" for name in EUROPEAN[encoding])

    table = table_of("a.csv", f"model,set,acc\n{rows}".encode(encoding[0]))

    assert tuple(dict.fromkeys(table.frame["set"])) == EUROPEAN[encoding]
    assert encoding[1] in str(table.notes[0])


def test_two_readings_that_fit_are_both_named():
    """Byte F2 is \u0148 in Windows-1250 and \u00f2 in Windows-1252."""
    table = table_of(
        "a.csv", "model,set,acc\nrf,Plze\u0148,0.9\nsvm,Plze\u0148,0.8\n".encode("cp1250")
    )

    assert "Plze\u00f2" in str(table.notes[0])
    assert "Plze\u0148" in str(table.notes[0])


def _towns(*names: str) -> str:
    rows = "".join(
        f"{model},{name},{fold},0.{fold}{k}\n"
        for name in names
        for fold in (7, 8)
        for k, model in ((1, "rf"), (2, "svm"))
    )
    return f"model,dataset,fold,acc\n{rows}"


def test_two_spellings_of_a_name_are_asked_about_and_the_answer_is_used():
    """Byte F2 is \u0148 in Windows-1250 and \u00f2 in Windows-1252."""
    content = _towns("Plze\u0148", "Kladno").encode("cp1250")

    with pytest.raises(NeedsMapping) as asked:
        read_results(("a.csv", content))

    answers = {text: mapping for text, mapping in asked.value.options}
    assert asked.value.about == "encoding"
    assert 2 <= len(answers) <= 5
    assert "Plze\u0148" in read_results(("a.csv", content), mapping=answers["Plze\u0148"]).datasets
    assert "Plze\u0148" in read_results(("a.csv", content), encoding="cp1250").datasets


def test_an_answer_on_the_encoding_renames_the_columns_set_before():
    content = _towns("Kladno", "Brno").replace("acc", "m\u011b\u0148a").encode("cp1250")
    read = content.decode("cp1252").split("\n")[0].split(",")[3]

    with pytest.raises(NeedsMapping) as asked:
        read_results(
            ("a.csv", content), mapping=Mapping(roles={read: "measure"}, directions={read: "lower"})
        )

    mapping = dict(asked.value.options)["m\u011b\u0148a"]
    assert read_results(("a.csv", content), mapping=mapping).direction("m\u011b\u0148a") == "lower"


def test_spellings_in_a_column_left_out_are_not_asked_about():
    content = (
        _towns("a", "b")
        .replace("\n", ",Plze\u0148\n")
        .replace("Plze\u0148", "place", 1)
        .encode("cp1250")
    )

    assert read_results(
        ("a.csv", content), mapping=Mapping(roles={"place": "ignore"})
    ).datasets == ("a", "b")


@pytest.mark.parametrize("encoding", ["xx", "hex", "punycode", "a\0b", 5])
def test_an_unknown_encoding_is_refused(encoding):
    with pytest.raises(SettingError, match="no encoding"):
        Mapping(encoding=encoding)


def test_a_wrong_encoding_is_refused_with_the_place():
    with pytest.raises(DataError, match="Byte 8 of this line is not utf-8"):
        read_results(("a.csv", _towns("Plze\u0148").encode("cp1250")), encoding="utf-8")


def test_an_encoding_leaves_utf_8_as_it_is():
    files = [
        ("a.csv", _towns("Plze\u0148").encode("cp1250")),
        ("b.csv", _towns("K\u00f6ln").encode()),
    ]

    assert set(read_results(*files, encoding="cp1250").datasets) == {"Plze\u0148", "K\u00f6ln"}


@pytest.mark.parametrize("name", ["\u0130zmir", "A\u011fr\u0131"])
def test_turkish_names_are_never_read_wrongly(name):
    """Bytes DD, F0 and FD are \u0130, \u011f and \u0131 in Windows-1254, \u00dd, \u00f0 and \u00fd in Windows-1252."""
    with pytest.raises(NeedsMapping) as asked:
        read_results(("a.csv", _towns(name, "Bursa").encode("cp1254")))

    assert name in dict(asked.value.options)


def test_records_without_a_result_leave_no_empty_names():
    keys = [(name, fold) for name in ("rf", "svm") for fold in range(3)]
    records = [
        {"dataset": "p", "algorithm": name, "fold": fold, "error": 0.1 + fold / 100, "train_s": 1.0}
        for name, fold in keys
    ]
    text = json.dumps(records + [{"note": 0.5, "train_s": 2.0}] * 2).encode()
    assert read_results(("t.json", text)).algorithms == ("rf", "svm")
