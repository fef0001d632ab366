"""No code reads sentences: what a program must know is a field or a code."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# what sentences are called; `text` and `words` are also what is typed, read or drawn
PROSE = {
    *("advice", "alt", "because", "caption", "choice", "detail", "details", "error", "explanation"),
    *("headline", "message", "method", "note", "problem", "reason", "remark", "said", "sentence"),
    *("sentences", "told", "verdict", "warning", "why"),
}
OF_SOMETHING = PROSE | {"text", "words"}
METHODS = {
    *("count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "replace"),
    *("rfind", "rindex", "rpartition", "rsplit", "split", "splitlines", "startswith"),
}
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
# file and function -> why it may
ALLOWED = {
    "stats_core/comparison/cards/method_card.py chapter_introduction": "fills in what the card leaves open",
    "stats_core/comparison/cards/method_card.py method_details": "fills in what the card leaves open",
    "stats_core/report/latex_report.py text_with_citations": "a blank between two pieces",
    "stats_core/io/text_table.py _unclosed": "pandas has no code for it",
}


def is_prose(node):
    """Whether an expression is called like a sentence: `said`, `found.text`, `str(error)`."""
    match node:
        case ast.Name(id=name):
            return name in PROSE
        case ast.Attribute(attr=name):
            return name in OF_SOMETHING
        case ast.Subscript(value=inner):
            return is_prose(inner)
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return is_prose(inner)
        case ast.Call(func=ast.Attribute(attr="said" | "sentence")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="lower" | "strip")):
            return is_prose(inner)
    return False


def reads_prose(node):
    """Whether a string method, a pattern or `in` looks into a sentence."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=given):
            return (name in METHODS and is_prose(inner)) or (name in PATTERNS and any(map(is_prose, given)))
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[where]):
            sought = isinstance(left, ast.Constant | ast.JoinedStr) and len(ast.unparse(left)) > 4
            return sought and is_prose(where)
    return False


def readers(tree):
    """The functions that look into sentences, with the line."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                if reads_prose(node):
                    yield function.name, node.lineno


@pytest.mark.parametrize("room", ["stats_core", "foldwise", "pages"])
def test_no_code_reads_sentences(room):
    found = {
        f"{path.relative_to(ROOT)} {name}": line
        for path in sorted((ROOT / room).rglob("*.py"))
        for name, line in readers(ast.parse(path.read_text(encoding="utf-8")))
    }
    allowed = {place for place in ALLOWED if place.startswith(room)}

    assert {place: line for place, line in found.items() if place not in allowed} == {}
    assert allowed <= set(found)  # none is allowed that does not have to be


@pytest.mark.parametrize(
    "line",
    [
        'if "below chance" in note: pass',
        'return " exact," in outcome.method',
        'return "missing" in str(error)',
        'return choice.startswith("Instances with")',
        'return found.text.removesuffix(".")',
        're.match(r"Based on", sentence)',
        'return alt.replace("data sets", "pairs")',
        'return verdict.said().split(". ")',
    ],
)
def test_the_test_sees_who_reads_sentences(line):
    assert [*readers(ast.parse(f"def f():\n    {line}"))] == [("f", 2)]
