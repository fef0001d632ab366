"""The walls of the house: what may import what, and what is public."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def imports(path):
    """Top-level names of the modules a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def test_the_library_brings_neither_streamlit_nor_plotly():
    code = "import sys, stats_core; print(sorted({'streamlit', 'plotly'} & set(sys.modules)))"

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("folder", "forbidden"),
    [
        ("stats_core", {"streamlit", "plotly", "figures", "ui", "pages"}),
        ("figures", {"streamlit", "ui", "pages", "stats_core.ranks", "stats_core.paired"}),
        ("gallery", {"streamlit", "ui", "pages"}),
        ("pages", {"plotly", "scipy", "numpy", "stats_core.ranks", "stats_core.paired"}),
    ],
)
def test_no_room_imports_through_a_wall(folder, forbidden):
    for path in (ROOT / folder).glob("*.py"):
        used = {name for name in imports(path)}
        tops = used | {name.split(".")[0] for name in used}

        assert not tops & forbidden, path.name


def test_only_reading_touches_the_disk():
    for path in (ROOT / "stats_core").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        opens = [
            word for word in (".read_bytes(", ".read_text(", "open(", ".write") if word in text
        ]
        if path.name not in ("reading.py", "_tables.py", "__main__.py"):
            assert opens == [], path.name


def test_the_readme_session_prints_what_it_says():
    """The library session in the README is run, and its output compared."""
    import doctest

    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)

    assert result.attempted >= 5
    assert result.failed == 0
