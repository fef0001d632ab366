"""Tests that numbers, decisions and texts of every kind of comparison are those of the record."""

import json

import pytest

from tests.golden.record import (
    FOLDER,
    NAMES,
    OFFERED,
    differences,
    file_of,
    offered_by,
    text_of,
    values_of,
)

AGAIN = "If the change is meant: python -m tests.golden, and review git diff tests/golden."


@pytest.mark.parametrize("name", NAMES)
def test_values_are_those_recorded(name):
    stored = json.loads(file_of(name, "values", ".json").read_text(encoding="utf-8"))
    found = differences(stored, json.loads(json.dumps(values_of(name))))

    assert not found, "\n".join([*found[:20], AGAIN])


@pytest.mark.parametrize("name", NAMES)
def test_text_is_that_recorded(name):
    assert text_of(name) == file_of(name, "text", ".md").read_text(encoding="utf-8"), AGAIN


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_figures_offered_are_those_recorded(name):
    assert offered_by(name) == json.loads(OFFERED.read_text(encoding="utf-8"))[name], AGAIN


def test_every_recorded_file_belongs_to_a_comparison():
    expected = {file_of(n, f, s) for n in NAMES for f, s in (("values", ".json"), ("text", ".md"))}

    assert {*FOLDER.glob("values/*"), *FOLDER.glob("text/*")} == expected


def test_a_changed_number_is_found():
    stored = {"pairs": [{"p": 0.04}, {"p": 0.5}], "badge": "x"}

    assert differences(stored, {"pairs": [{"p": 0.04}, {"p": 0.51}], "badge": "x"})
    assert differences(stored, {"pairs": [{"p": 0.04}], "badge": "x"})
    assert not differences(stored, {"pairs": [{"p": 0.04 + 1e-12}, {"p": 0.5}], "badge": "x"})
