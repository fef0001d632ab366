"""Tests that broken files get clear error messages, and that their document is current."""

from pathlib import Path

import pytest

from tests.io.bad_files import FILES, message, render

DOCUMENT = Path(__file__).parents[2] / "docs" / "bad-input.md"


@pytest.mark.parametrize(("title", "name", "content"), FILES, ids=[file[0] for file in FILES])
def test_the_message_says_where_what_must_hold_what_arrived_and_what_to_do(title, name, content):
    for line in message(name, content).splitlines():
        where, _, rest = line.partition(": ")

        assert where.startswith(name)
        assert len([part for part in rest.split(". ") if part]) >= 3
        assert line.endswith(".")
        assert "Traceback" not in line
    assert message(name, content)


def test_every_problem_of_a_file_is_reported_together():
    kinds = dict((title, (name, content)) for title, name, content in FILES)

    lines = message(*kinds["two kinds of problem"]).splitlines()

    assert lines == [
        'a.csv, row 2, "error": Every value in this column must be a number. The cell contains "oops". Enter a number, or leave the cell empty if the run failed.',
        "a.csv, row 3: Every row must name the data set. The cell is empty. Enter the name, or remove the row.",
    ]


def test_at_least_thirty_broken_files_are_documented():
    assert len(FILES) >= 30
    assert DOCUMENT.read_text(encoding="utf-8") == render()
