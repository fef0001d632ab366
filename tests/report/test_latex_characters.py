"""Tests that every LaTeX engine prints names."""

import ast
import re
import unicodedata
from pathlib import Path

import pytest

from stats_core.report.latex_characters import (
    keep_characters,
    name_comments,
    printable_names,
    to_latex_text,
)

ROOT = Path(__file__).parents[2]
ROOMS = ["stats_core", "foldwise/figures", "foldwise/rendering"]
# what is read, not printed: look-alikes of Latin letters, lines of a terminal, bytes that are no
# text
NOT_PRINTED = {"io", "labels.py", "latex_characters.py", "latex_characters.toml", "errors.py"}


def templates(path):
    """Return the strings of a file that can reach a page or a paper: all except docstrings."""
    if path.suffix != ".py":
        return [path.read_text(encoding="utf-8")]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return [node.value for node in found if isinstance(node.value, str) and id(node) not in docs]


@pytest.mark.parametrize("room", ROOMS)
def test_every_character_of_every_template_has_a_form_in_latex(room):
    """A character without a form would be printed as an ellipsis, or be lost in a TikZ figure."""
    occurring = {
        (path.name, character)
        for path in (ROOT / room).rglob("*")
        if path.suffix in (".py", ".toml", ".bib") and not NOT_PRINTED & {*path.parts, path.name}
        for text in templates(path)
        for character in re.findall(r"\w?[^\x00-\x7f]", unicodedata.normalize("NFC", text))
    }
    assert occurring
    assert {one for one in occurring if "…" in keep_characters(one[1].replace("…", ""))} == set()
    assert {one for one in occurring if len(to_latex_text(one[1])) <= len(one[1][:-1])} == set()


def test_marks_of_figures_are_told_apart_in_latex():
    """The key of a scatter plot matrix contains the mark of each algorithm, also in TikZ."""
    forms = [to_latex_text(mark) for mark in "●■◆✚✖▲★⬢○◇□▼"]
    assert len(set(forms)) == len(forms)


def test_commands_of_tex_are_printed_as_they_stand():
    # By hand, from the LaTeX names of the ten special characters; the dollar from a math font.
    assert to_latex_text(r"_&%{}\$#~^") == (
        r"\_\&\%\{\}\textbackslash{}$\mathdollar$\#\textasciitilde{}\textasciicircum{}"
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("é", r"\'{e}"),
        ("e\u0301", r"\'{e}"),  # the same letter in two characters
        ("ï", r"\"{\i}"),
        ("ç", r"\c{c}"),
        ("ą", "a"),  # Computer Modern has no ogonek
        ("α", r"$\alpha$"),
        ("R²", r"R$^{\mathrm{2}}$"),
        ("x₁", r"x$_{\mathrm{1}}$"),
        ("½", "1/2"),
        ("Ｗ", "W"),
        ("\u22121", "$-$1"),
        ("x\u0304", r"\={x}"),  # no letter of its own
        ("●", r"$\bullet$"),
        ("--", "-{}-"),
        ("?`", "?{}`"),
        ("机", ""),
    ],
)
def test_letters_have_a_form_in_plain_tex(name, expected):
    assert to_latex_text(name) == expected


def test_names_that_cannot_be_printed_stay_apart_and_are_explained():
    names = ["knn", "随机", "随机 knn", "森林 knn", "name 2", "机 knn", "a\nb", "a b"]
    shown = printable_names(names)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert shown["knn"] == "knn"
    assert "name 2" in shown["随机"]
    assert shown["name 2"] == "name 2"
    assert shown["a b"] == "a b"
    said = "\n".join(name_comments(shown))
    assert all(name in said for name in ["随机", "随机 knn", "森林 knn", "机 knn"])
    assert '"knn"' not in said
    name_comments({"\ud800": "name 1"})[0].encode()
