"""Tests of control characters in names, of numbers in typographic form, and of lost digits."""

import json
import unicodedata

import pandas as pd
import pytest

from foldwise.__main__ import main
from foldwise.web.components import escape
from stats_core.core.formatting import format_number, format_whole
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results

ROWS = [("a", 0.5, 0.2), ("b", 0.3, 0.1), ("c", 0.3, 0.2)]
UTILITY = Mapping(measure_name="utility", directions={"utility": "higher"})
CONTROLS = [*map(chr, [*range(1, 9), *range(14, 28), *range(0x7F, 0x85), *range(0x86, 0xA0)])]


def table(name="rf"):
    return "set,{},svm\n{}".format(name, "".join(f"{d},{x},{y}\n" for d, x, y in ROWS))


def sources(letter):
    """Return a table whose name "rf" holds a character, as CSV, JSON, data frame and dict."""
    frame = pd.DataFrame(ROWS, columns=["set", f"r{letter}f", "svm"])
    yield "a.csv", table(f"r{letter}f").encode()
    yield "a.json", json.dumps(frame.to_dict("records")).encode()
    yield frame
    yield frame.to_dict("list")


@pytest.mark.parametrize("letter", ["\x1b", "\x07", "\x7f", "\x9b"])
def test_control_characters_are_removed_from_names_with_a_note_whatever_the_source(letter):
    for source in sources(letter):
        results = read_results(source, mapping=UTILITY)

        assert results.algorithms == ("rf", "svm")
        assert "invisible letters" in [note.code for note in results.notes]


def test_null_characters_in_json_and_tables_in_memory_are_removed():
    for source in [*sources("\0")][1:]:
        assert read_results(source, mapping=UTILITY).algorithms == ("rf", "svm")


def test_every_control_character_is_removed():
    name = "r" + "".join(CONTROLS) + "f"

    assert read_results(("a.csv", table(name).encode()), mapping=UTILITY).algorithms[0] == "rf"


def test_new_names_hold_no_control_characters():
    results = read_results(("a.csv", table().encode()), mapping=UTILITY)

    assert results.rename(algorithms={"rf": "x\x1b[2J"}).algorithms == ("svm", "x[2J")


def test_the_command_line_prints_no_control_characters(tmp_path, capsys):
    path = tmp_path / "a\x1b[2J.csv"
    path.write_text("set,rf,svm\na,0.5,x\x1b]0;y\x07\nb,\x9b1,2\n", encoding="utf-8")

    main(["analyse", str(path)])
    main(["analyse", str(tmp_path / "none\x1b.csv")])

    printed = "".join(capsys.readouterr())
    assert printed
    assert {c for c in printed if unicodedata.category(c) == "Cc"} <= {"\n", "\t"}


@pytest.mark.parametrize("value", [-0.51, 1.23e-5, 1234.5])
def test_numbers_that_foldwise_prints_are_read_back(value):
    printed = format_number(value, 7 if abs(value) < 1 else 1).replace(",", "\u202f")
    text = f"set;rf;svm\na;{printed};2\nb;-3.5;1\n"

    results = read_results(("a.csv", text.encode()), mapping=UTILITY)

    assert results.averages("utility").loc["a", "rf"] == pytest.approx(value, rel=1e-2)


@pytest.mark.parametrize(
    ("numbers", "is_lost"),
    [
        ([2**63, 2**63 + 3, 2**63 + 7], True),
        ([2**53, 2**53 - 1, 2**53 - 2], False),
        (["0.12345678901234567891", "0.12345678901234567812", "0.5"], True),
        ([f"{1 / 3:.18e}", f"{2 / 3:.18e}", f"{1 / 7:.18e}"], False),
        ([repr(1 / 3), repr(2 / 3), repr(1 / 7)], False),
    ],
)
def test_digits_that_a_float_cannot_hold_are_noted(numbers, is_lost):
    rows = [[*numbers[i:], *numbers[:i]] for i in range(3)]
    text = "set,rf,svm,nb\n" + "".join(f"d{i},{x},{y},{z}\n" for i, (x, y, z) in enumerate(rows))

    results = read_results(("a.csv", text.encode()), mapping=UTILITY)

    assert ("digits lost" in [note.code for note in results.notes]) == is_lost


def test_a_count_has_a_bound():
    assert format_whole(10**5000) == "10⁵⁰⁰⁰"


@pytest.mark.parametrize("name", ["&lt;b&gt;", "x&amp;y", "&#65;", "a&copy;b", "&nbsp;"])
def test_no_html_entity_survives_the_escaping_for_markdown(name):
    assert "&" not in escape(name).replace("\\&", "")
