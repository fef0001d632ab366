"""Tests that every text in messages.toml is used, with all the values that it names."""

import ast
from pathlib import Path
from string import Formatter

from stats_core.core.messages import IN_PAPER, TO_USER, message
from stats_core.io.problems import TEXTS, data_error, question_of

IO = Path(__file__).parents[2] / "stats_core" / "io"
TABLES = {
    "problem_of": "problems",
    "data_error": "problems",
    "refusal_of": "refusals",
    "question_of": "questions",
    "setting_error": "settings",
    "observed": "evidence",
    "message": "notes",
    "role_reason": "roles",
    "_is_excluded": "doubts",
    "phrase": "phrases",
}
GIVEN = {"you", "your"}  # by the audience


def calls():
    """Yield table, code and keywords of every call that names a text."""
    for path in sorted(IO.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in TABLES:
                continue
            codes = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            code = next((code for code in codes if isinstance(code, str)), None)
            keywords = {keyword.arg for keyword in node.keywords}
            if code is not None and TABLES[node.func.id] != "roles":
                yield TABLES[node.func.id], code, keywords


def fields(texts):
    """Return the names of the values in the texts of one code, including those in format specifications."""
    names = set()
    for text in (
        [texts] if isinstance(texts, str) else filter(lambda t: t is not True, texts.values())
    ):
        if "{{" in text or "{%" in text:
            continue  # a template reports absent values itself
        for _, name, form, _ in Formatter().parse(text):
            names |= {name} if name else set()
            names |= fields(form) if form else set()
    return names


def test_calls_give_every_value_of_their_texts():
    lacking = [
        (table, code, fields(TEXTS[table][code]) - GIVEN - keywords)
        for table, code, keywords in calls()
        if code in TEXTS[table] and None not in keywords
    ]

    assert [found for found in lacking if found[2]] == []


def test_calls_name_a_text_that_is_there():
    in_python = {"positive class", "ranks do not fit"}
    absent = {(table, code) for table, code, _ in calls() if code not in TEXTS[table]}

    assert absent == {("notes", code) for code in in_python}


FORMED = ("limit of ", "parts of keys: ", "archive: ")  # starts of codes put together in the code


def test_every_text_is_used():
    source = "\n".join(path.read_text(encoding="utf-8") for path in sorted(IO.rglob("*.py")))
    unused = {
        (table, code)
        for table, codes in TEXTS.items()
        if table not in ("other files", "layouts")  # read as a whole
        for code in codes
        if f'"{code}"' not in source and not code.startswith(FORMED)
    }

    assert unused == set()


def test_a_problem_names_its_place():
    error = data_error("repeated column name", "a.csv", 1, "auc", n=2)

    assert [(p.file, p.row, p.column) for p in error.problems] == [("a.csv", 1, "auc")]
    assert "2 times" in str(error)


def test_a_question_names_the_field_that_answers():
    assert question_of("number of data sets", what="ranks").field == "n_datasets"


def test_a_note_may_be_worded_otherwise_in_a_paper():
    note = message("several classes", classes=3)

    assert "are up to 3 classes" in note.said(TO_USER)
    assert "were up to 3 classes" in note.said(IN_PAPER)
