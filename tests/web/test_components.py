"""Tests of what all pages display in the same way: escaped texts, tables, headings."""

import re

import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.elements.lib.pandas_styler_utils import marshall_styler
from streamlit.proto.ArrowData_pb2 import ArrowData

from foldwise.web import components
from foldwise.web.components import displayed_table, numeric_texts, page_count, page_of
from stats_core.core.formatting import format_number, p_text
from stats_core.report.tables.table import ResultTable
from tests.web.conftest import page, texts, upload

JOINER = "\N{WORD JOINER}"
# what the renderer of Markdown takes for an address, after backslashes are gone
# (mdast-util-gfm-autolink-literal, lib/index.js, findUrl and findEmail)
ADDRESS = r"(?i)(?:https?://|www(?=\.))[-.\w]+|[-.\w+]+@[-\w]+(?:\.[-\w]+)+"


def displayed(styler) -> pd.DataFrame:
    """Return the texts that Streamlit sends for the numbers of a table."""
    proto = ArrowData()
    marshall_styler(proto, styler, "table")
    return convert_arrow_bytes_to_pandas_df(proto.styler.display_values)


@pytest.mark.parametrize(
    "name",
    ["[link](http://x.y)", "https://z.org/a_b", "HTTP://Z.ORG", "www.foo.org", "me@mail.org"],
)
def test_addresses_in_names_stay_text(name):
    assert pd.Series([name]).str.contains(ADDRESS).all()
    printed = components.escape(name).replace("\\", "")

    assert not pd.Series([printed]).str.contains(ADDRESS).any()
    assert printed.replace(JOINER, "") == name


@pytest.mark.parametrize("name", ["C4.5", "www", "http", "a:b//c", "7%"])
def test_other_names_are_not_touched(name):
    assert JOINER not in components.escape(name)


def test_numbers_are_written_as_pandas_would_write_them():
    frame = pd.DataFrame(
        {"p": [8.077e-22, 0.25, 0.0499], "z": [-10.55, 3.0, 0.0], "verdict": ["a", "b", "c"]},
        index=pd.MultiIndex.from_tuples(list("xy zw uv".split()), names=["one", "other"]),
    )
    formats = {"p": p_text, "z": format_number}
    table = ResultTable(name="x", title="X", frame=frame, formats=formats)
    shown, by_pandas = (displayed(s) for s in (displayed_table(table), frame.style.format(formats)))

    pd.testing.assert_frame_equal(shown, by_pandas)
    assert list(shown["p"]) == ["<0.001", "0.250", "0.050"]
    assert list(shown["z"]) == ["\N{MINUS SIGN}10.55", "3.00", "0.00"]
    assert list(displayed_table(table).data["p"]) == [8.077e-22, 0.25, 0.0499]


def test_missing_cells_are_blank_and_the_best_are_bold():
    frame = pd.DataFrame({"a": ["x", "y"], "p": [0.25, float("nan")], "q": [1.0, 2.0]})
    best = {0: (["q"], ["p"]), 1: (["p"], [])}
    table = ResultTable(
        name="x", title="X", frame=frame, formats={"p": p_text}, best=best, heads=("a",)
    )
    proto = ArrowData()
    marshall_styler(proto, displayed_table(table), "table")

    assert displayed(displayed_table(table))["p"].tolist() == ["0.250", ""]
    assert list(displayed_table(table).data.index) == ["x", "y"]
    assert re.findall(r"row\d_col\d|bold", proto.styler.styles) == [
        *("row0_col1", "row1_col0", "bold")
    ]


def test_each_cell_of_sixteen_thousand_pairs_is_written_at_most_once():
    n, asked = 15_931, []  # pairs of 179 algorithms
    names = ("p", "z", "raw", "d")
    frame = pd.DataFrame({name: [0.5] * n for name in names}).assign(verdict="a")

    def counted(value):
        asked.append(value)
        return format_number(value)

    table = ResultTable(name="x", title="X", frame=frame, formats=dict.fromkeys(names, counted))
    shown = displayed(displayed_table(table))

    assert len(asked) <= n * len(names)
    assert (shown["p"] == "0.50").all()


def test_a_long_table_on_a_page(app):
    rows = "".join(
        f"d{i}," + ",".join(f"{0.9 - j / 100 + (i * j) % 7 / 500:.4f}" for j in range(65)) + "\n"
        for i in range(40)
    )
    header = "dataset," + ",".join(f"a{j}" for j in range(65)) + "\n"
    upload(app, ("many_accuracy.csv", (header + rows).encode()))
    app.query_params["tab"] = "All pairs"
    app.switch_page("pages/results.py").run()

    assert not app.exception
    frame = next(f for f in app.dataframe if "adjusted p" in f.value)
    assert len(frame.value) == 4_000 // 10  # a page of them
    assert any("rows 1 to 400 of 2,080" in said.value.replace("\\", "") for said in app.caption)
    shown = convert_arrow_bytes_to_pandas_df(frame.proto.arrow_data.styler.display_values)
    assert shown["adjusted p"].str.fullmatch(r"< ?0\.001|[01]\.\d{3,}").all()


@pytest.mark.parametrize(
    ("column", "right"),
    [
        (["4.000", "", "\u22120.31"], True),
        (["<0.001", "n/a"], True),
        (["24/3/11", "1/0/9"], True),
        (["[\u22120.90, 0.30]", ""], True),
        (["1, 9", "10"], True),
        (["2,730", "12%"], True),
        (["856 (58.2%)", "42 (2.9%)"], True),
        (["2 (plane)", "1 (line)"], False),
        (["yes", "1"], False),
        (["", ""], False),
        (["5x2"], False),
        ([1.5, 2.0], False),  # numbers stand right by themselves
    ],
)
def test_numbers_written_as_text_stand_right(column, right):
    assert numeric_texts(pd.DataFrame({"x": column})) == (["x"] if right else [])


def test_the_tests_of_a_pair_have_their_numbers_at_the_right(app):
    app.query_params |= {
        "sample": "uci38_5x2.csv",
        "ds": "australian",
        "more_interval_and_tests": "true",
    }
    app.switch_page("pages/compare.py").run()

    assert not app.exception
    frame = next(f for f in app.dataframe if "applicability" in f.value)
    for column in ("test statistic", "p"):
        assert is_numeric_dtype(frame.value[column])  # numbers stand right by themselves
    assert '"df": {"alignment": "right"' in frame.proto.columns
    assert '"assumes"' not in frame.proto.columns


def test_a_table_of_many_cells_comes_in_parts_with_its_summary():
    frame = pd.DataFrame({"p": range(8), "of": range(8)}, index=[*"abcdefg", "average"])
    table = ResultTable(name="x", title="X", frame=frame, summary=1)
    parts = [table.part(rows) for rows in table.parts(6)]

    assert ["".join(part.frame.index[:-1]) for part in parts] == ["abc", "def", "g"]
    assert all(part.frame.index[-1] == "average" for part in parts)
    assert parts[1].caption.startswith("The table shows rows 4 to 6 of 7,")
    assert table.parts(16) == [range(7)]
    wordy = ResultTable(name="x", title="X", frame=frame.assign(of="many words " * 20))
    assert len(wordy.parts(16)) > 4 > len(table.parts(16))


def test_pages_of_a_table_are_made_once_and_hold_all_rows():
    """A table of 5,000 rows has several pages, of which each is created once."""
    frame = pd.DataFrame({"p": np.linspace(0, 1, 5000), "said": "yes"})
    table = ResultTable(name="long", title="Long", frame=frame)
    pages = [page_of(table, place) for place in range(1, page_count(table) + 1)]
    assert len(pages) > 1
    assert pages[1] is page_of(table, 2)
    shown = pd.concat([page.table.frame for page in pages])
    pd.testing.assert_frame_equal(shown, frame)


def test_the_answer_is_full_on_results_and_one_line_on_export(app):
    page(app, "demsar_2006_auc.csv", "results")
    place = next(i for i, block in enumerate(app.markdown) if block.value.startswith("# "))
    headline, effect = (app.markdown[i].value for i in (place, place + 1))
    app.query_params["etab"] = "Figures"
    page(app, "demsar_2006_auc.csv", "export")
    card = next(block.value for block in app.markdown if "-badge[" in block.value)

    assert card.endswith(f" **{headline.removeprefix('# ')}**")
    assert effect.replace("\\", "").replace("\u00a0", " ").split(". ")[0] in texts(
        app
    )  # in the popover
