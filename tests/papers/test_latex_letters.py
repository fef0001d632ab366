"""Names as LaTeX that every engine prints."""

import pytest

from stats_core.papers.latex_letters import latex, name_comments, printable


def test_commands_of_tex_are_printed_as_they_stand():
    # By hand, from the LaTeX names of the ten special characters; the dollar from a math font.
    assert latex(r"_&%{}\$#~^") == (
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
        ("--", "-{}-"),
        ("?`", "?{}`"),
        ("机", ""),
    ],
)
def test_letters_have_a_form_in_plain_tex(name, expected):
    assert latex(name) == expected


def test_names_that_cannot_be_printed_stay_apart_and_are_explained():
    names = ["knn", "随机", "随机 knn", "森林 knn", "name 2", "机 knn", "a\nb", "a b"]
    shown = printable(names)
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
