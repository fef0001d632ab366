"""Test that the text that compares simulations with papers can be generated again."""

import re

import pytest

from benchmarks import lab_patterns


@pytest.mark.slow
def test_the_text_made_anew_has_the_rows_of_the_one_in_the_project(tmp_path, monkeypatch):
    monkeypatch.setattr(lab_patterns, "PICTURES", tmp_path)
    rows = re.compile("^(?:#.*|[|][^|]*[|])", re.M)  # headings, and the first cells of all tables

    made, kept = lab_patterns.text(20), (lab_patterns.ROOT / "docs" / "lab.md").read_text("utf-8")

    assert rows.findall(made) == rows.findall(kept)
    assert {path.name for path in tmp_path.iterdir()} == {
        path.name for path in (lab_patterns.ROOT / "docs" / "lab").iterdir()
    }
