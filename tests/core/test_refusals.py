"""Texts of errors by code: each code has a text, each text is used, and the values are those that the text names."""

import ast
from pathlib import Path
from string import Formatter

import pytest

import stats_core
from stats_core.core.errors import DataError, DesignError, _refusals


def raised():
    """Every code in the source with the names of its values."""
    for path in Path(stats_core.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "of":
                if ast.unparse(node.func.value).endswith("Error"):
                    yield node.args[0].value, {keyword.arg for keyword in node.keywords}


def test_codes_and_texts_agree():
    values = {code: {name for _, name, _, _ in Formatter().parse(text) if name} for code, text in _refusals().items()}
    assert {code for code, _ in raised()} == set(values)
    for code, names in raised():
        assert names == values[code], code


def test_a_text_says_what_arrived():
    error = DesignError.of("Exhaustive sets are listed for few algorithms", most=6, n_names=9)
    assert str(error).startswith("Exhaustive sets are listed for 2 to 6 algorithms. There are 9.")
    error = DataError.of("pvalues must name every algorithm once", repeated="a, b")
    assert error.problems == (str(error),)
    assert "Repeated: a, b." in str(error)
    with pytest.raises(KeyError):
        DesignError.of("no such code")
