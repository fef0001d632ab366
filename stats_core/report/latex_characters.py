r"""Unicode text as LaTeX that compiles with every engine and font encoding.

The result is plain ASCII: accents become commands (``\'{e}``), Greek letters and signs become
math. Characters without such a form, such as Chinese or Cyrillic ones, are left out; names
that contain them are listed in comments, see :func:`printable_names` and :func:`name_comments`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial

from stats_core.core.formatting import MINUS
from stats_core.core.messages import read_texts

_POWER_OF_TEN = re.compile("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_CHARACTERS = read_texts("report/latex_characters.toml")
_ACCENTS = _CHARACTERS["accents"]
_BELOW = "cdb"
_WITH_ACCENT = re.compile(f"[A-Za-z][{''.join(_ACCENTS)}]|.", re.DOTALL)
_FORMS = {
    **{character: f"$\\{command}$" for character, command in _CHARACTERS["math"].items()},
    **_CHARACTERS["letters"],
    **_CHARACTERS["signs"],
}
_LONG_WORD = 18  # length from which a word may be broken anywhere
_VERY_LONG_WORD = 40  # length from which a word may be broken after every second letter
_P_VALUE = re.compile(r"(?<![\w\\])p (?=\d|\\textless)")  # kept on one line
_SIGNS = {r"\textless{}": "<", r"\textgreater{}": ">", "=": "=", r"$\leq$": r"\leq"}
_EQUATION = re.compile(rf"(?<![\w\\])p ({'|'.join(map(re.escape, _SIGNS))}) ([\d.]*\d)")
_NUMBER = r"((?:\d|\.\d)[\d.,]*\d|\d)"
_STATISTICS = (
    (re.compile(rf"\$\\alpha\$ = {_NUMBER}"), r"$\\alpha = \1$"),
    (re.compile(rf"\$\\chi\$\S*?\((\d+)\) = {_NUMBER}"), r"$\\chi^2(\1) = \2$"),
    (re.compile(rf"\bF\(([\d.]+), ([\d.]+)\) = {_NUMBER}"), r"$F(\1, \2) = \3$"),
)
#: Pairs of characters that TeX's fonts would join to a ligature.
_LIGATURES = {"--", "''", "``", ",,", "!`", "?`"}


def _power_to_latex(raised: str) -> str:
    r"""Return a power of ten with Unicode superscripts as LaTeX.

    Examples
    --------
    >>> print(_power_to_latex("⁻⁵"))
    $\times10^{-5}$
    """
    return rf"$\times10^{{{unicodedata.normalize('NFKC', raised).replace(MINUS, '-')}}}$"


def one_line(words: object) -> str:
    """Return text on one line, with control characters replaced by spaces."""
    string = str(words)
    return "".join(" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in string)


def to_latex_text(words: object, *, keep: bool = False) -> str:
    r"""Return text escaped so that LaTeX prints it literally.

    Characters without a form in LaTeX are left out unless `keep`; use :func:`printable_names`
    first.

    Examples
    --------
    >>> print(to_latex_text("a_b & 100% é β"))
    a\_b \& 100\% \'{e} $\beta$
    """
    string = str(words)
    if string.isascii() and string.replace(".", "").isalnum():  # most names and numbers
        return string
    string = unicodedata.normalize("NFC", one_line(words))
    pieces = _POWER_OF_TEN.split(string)  # text and exponents alternate
    if len(pieces) > 1:
        write = (partial(to_latex_text, keep=keep), _power_to_latex)
        return "".join(write[index % 2](piece) for index, piece in enumerate(pieces))
    parts = []
    position = 0
    for character in _characters(string):
        opens = character == '"' and (not position or string[position - 1] in " (/[")
        parts.append(r"\textquotedblleft{}" if opens else _form(character) or character * keep)
        if string[position : position + 2] in _LIGATURES:
            parts.append("{}")
        position += len(character)
    return "".join(parts)


def latex_prose(words: object, *, breaks: bool = True) -> str:
    r"""Return text as LaTeX, with equations and, by default, line breaks allowed within long names.

    Characters without a form in LaTeX are kept.

    Examples
    --------
    >>> print(latex_prose("a_b differs from gradient_boosting_of_trees"))
    a\_b differs from gradient\allowbreak{}\_boostin\allowbreak{}g\_of\_tre\allowbreak{}es
    >>> print(latex_prose("adjusted p < 0.001 and p \u2264 0.013."))
    adjusted $p < 0.001$ and $p \leq 0.013$.
    >>> print(latex_prose("F(4, 116) = 14.3, \u03c7\u00b2(4) = 10.4, \u03b1 = 0.05."))
    $F(4, 116) = 14.3$, $\chi^2(4) = 10.4$, $\alpha = 0.05$.
    """
    escape = _breakable if breaks else partial(to_latex_text, keep=True)
    prose = " ".join(map(escape, str(words).split(" ")))
    prose = _EQUATION.sub(lambda match: f"$p {_SIGNS[match[1]]} {match[2]}$", prose)
    for statistic, equation in _STATISTICS:
        prose = statistic.sub(equation, prose)
    return _P_VALUE.sub("p~", prose)


def _breakable(word: str) -> str:
    if len(word) <= _LONG_WORD:
        return to_latex_text(word, keep=True)
    if "-" in word[1:-1]:  # LaTeX itself breaks after hyphens
        return "-".join(_breakable(part) for part in word.split("-"))
    size = 8 if len(word) <= _VERY_LONG_WORD else 2
    pieces = [word[start : start + size] for start in range(0, len(word), size)]
    return r"\allowbreak{}".join(to_latex_text(piece, keep=True) for piece in pieces)


def printable_names(names: Iterable[object]) -> dict[str, str]:
    """Return a distinct printable form of each name, with only characters that :func:`to_latex_text` can write.

    Examples
    --------
    >>> printable_names(["knn", "支持 SVM", "随机森林"])
    {'knn': 'knn', '支持 SVM': '… SVM', '随机森林': 'name 3'}
    """
    all_names = [str(name) for name in names]
    shown = {}
    for number, name in enumerate(all_names, start=1):
        printable = keep_characters(name)
        shown[name] = printable if printable.strip(" …") else f"name {number}"
    while True:
        count = Counter(shown.values())
        duplicates = [name for name in all_names if count[shown[name]] > 1 and shown[name] != name]
        if not duplicates:
            return shown
        for name in duplicates:
            shown[name] = f"{shown[name]} ({all_names.index(name) + 1})"


def keep_characters(words: object) -> str:
    """Return the printable part of a text on one line, with an ellipsis for each omitted run.

    Examples
    --------
    >>> keep_characters("fpr (假阳性率)")
    'fpr (…)'
    """
    representable = ""
    for character in _characters(unicodedata.normalize("NFC", one_line(words))):
        if _form(character) is not None:
            representable += character if _form(character) else ""
        elif not representable.endswith("…"):
            representable += "…"
    return representable.strip()


def name_comments(shown: Mapping[str, str]) -> list[str]:
    """Return a comment for each name that is printed differently from its spelling.

    Examples
    --------
    >>> name_comments({"knn": "knn", "随机森林": "name 2"})
    ['% "name 2" stands for "随机森林".']
    """
    return [
        latex_comment(f'"{printed}" stands for "{name}".')
        for name, printed in shown.items()
        if printed != unicodedata.normalize("NFC", one_line(name))
    ]


def latex_comment(words: object) -> str:
    """Return a one-line TeX comment, whatever `words` contains."""
    line = one_line(words).encode("utf-8", "backslashreplace").decode()
    return f"% {line}"


def _characters(string: str) -> list[str]:
    """Return the characters of a string, each ASCII letter with a combining accent that follows."""
    return _WITH_ACCENT.findall(string)


def _form(character: str) -> str | None:
    """Return the LaTeX form of a character with its accents, None if there is none; "" for joiners and lone accents."""
    if len(character) > 1:
        return _accented(character[0], character[0], _ACCENTS[character[1]])
    if " " <= character <= "~":
        return _FORMS.get(character, character)
    if character in _FORMS:
        return _FORMS[character]
    if unicodedata.category(character) in ("Cf", "Mn"):
        return ""  # joiners and combining marks without a letter
    return " " if unicodedata.category(character) == "Zs" else _decomposed(character)


def _decomposed(character: str) -> str | None:
    """Return the LaTeX form of a character by its Unicode decomposition, or None."""
    parts = unicodedata.decomposition(character).split()
    if not parts:
        return None
    kind = parts.pop(0) if parts[0].startswith("<") else ""
    characters = [chr(int(code, 16)) for code in parts]
    forms = [form for c in characters if (form := _form(c)) is not None]
    if len(forms) < len(characters):
        return None
    if kind in ("<super>", "<sub>"):
        sign = "^" if kind == "<super>" else "_"
        return f"${sign}{{\\mathrm{{{''.join(forms).replace('$', '')}}}}}$"
    if not kind and len(characters) == 2 and characters[1] in _ACCENTS:
        return _accented(characters[0], forms[0], _ACCENTS[characters[1]])
    return "".join(forms)


def _accented(base: str, form: str, accent: str) -> str:
    """Return a letter with an accent command, or `form` unchanged if LaTeX cannot accent it."""
    if not (base.isascii() and base.isalpha()):
        return form
    if base in "ij" and accent not in _BELOW:
        form = rf"\{base}"
    return rf"\{accent}{{{form}}}"
