"""Tests of texts for users: no banned words, and few long sentences and semicolons."""

import tomllib
from functools import cache

import pytest

from tests.visible_strings import BANNED, ROOT, all_faults, faults_of, strings_of

LIMITS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["foldwise"][
    "max_in_texts"
]

#: Matches that are no fault: file and line, words.
ALLOWED = {
    ("foldwise/cli/options.toml:0", "holes")  # name of an argument, not shown
}


@cache
def faults() -> dict[str, list[str]]:
    """Return place and text of every fault, by kind of fault, with allowed ones as "exceptions"."""
    found: dict[str, list[str]] = {"exceptions": []}
    for where, fault, words in all_faults():
        key = "exceptions" if (where, words) in ALLOWED else fault
        found.setdefault(key, []).append(f"{where}: {words}")
    return found


@pytest.mark.parametrize("better", BANNED)
def test_no_banned_word(better):
    assert faults().get(better, []) == []


@pytest.mark.parametrize("fault", LIMITS)
def test_faults_only_fall(fault):
    """If there are fewer faults, lower the number in pyproject.toml."""
    where = faults().get(fault, [])

    assert len(where) <= LIMITS[fault], "\n".join(where)


def test_every_exception_is_needed():
    assert len(faults()["exceptions"]) == len(ALLOWED)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("svr is not separated from it.", ["differ significantly"]),
        ("X leads on error, but decisions lead to costs.", ["significantly better"]),
        ("{a} less {b}", ["minus"]),
        ("All {trainings} training runs of {{ holes }}", []),
        ("{% if trainings > 1 %}It has 2 holes.{% endif %}", ["missing result"]),
        ("{{ 'unbeaten by far' if x else y }}", ["top group"]),
        ("It is better; it is faster.", ["semicolon"]),
        ("Demšar, JMLR 7 (2006) 1; Rencher 2002, chapter 6", []),
        ("{{ p }} %, p {{ p }}", ["p without sign", "space before %"]),
        ("word " * 26, ["long sentence"]),
        ("word " * 20 + ". " + "word " * 20, []),
    ],
)
def test_faults_of_a_string(tmp_path, text, expected):
    file = tmp_path / "texts.toml"
    file.write_text(f'a = """{text}"""', encoding="utf-8")

    assert sorted(fault for _, part in strings_of(file) for fault, _ in faults_of(part)) == expected
