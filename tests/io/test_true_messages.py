"""Tests that every number and every name in an error message is true of the file."""

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats_core import DataError, FoldwiseError, NeedsMapping, read_results

SETS, MODELS, FOLDS = ("iris", "wine", "glass"), ("rf", "svm", "knn"), (1, 2, 3)


def long(rng, measure):
    rows = [[s, m, f, f"{rng.uniform(0.5, 1):.3f}"] for s in SETS for m in MODELS for f in FOLDS]
    return [["dataset", "model", "fold", measure], *rows]


def wide(rng, measure):
    rows = [[s, f, *(f"{x:.3f}" for x in rng.uniform(0.5, 1, 3))] for s in SETS for f in FOLDS]
    return [["dataset", "fold", *MODELS], *rows]


def melted(rng, measure):
    rows = [
        [s, m, f, kind, f"{rng.uniform(0.5, 1):.3f}"]
        for s in SETS
        for m in MODELS
        for f in FOLDS
        for kind in ("accuracy", "auc")
    ]
    return [["dataset", "model", "fold", "metric", "value"], *rows]


def lists(rng, measure):
    rows = [[s, m, str(rng.uniform(0.5, 1, 4).round(3).tolist())] for s in SETS for m in MODELS]
    return [["dataset", "model", measure], *rows]


def predictions(rng, measure):
    rows = [[i, m, i % 2, f"{rng.random():.3f}"] for i in range(12) for m in MODELS]
    return [["case", "model", "label", "score"], *rows]


def headers(rng, measure):
    rows = [[m, *(f"{x:.3f}" for x in rng.uniform(0.5, 1, 6))] for m in MODELS]
    first = ["", "blur", "blur", "blur", "fog", "fog", "fog"]
    return [first, ["", "low", "mid", "high", "low", "mid", "high"], *rows]


def copied(rows, rng):
    return [*rows, *(rows[i] for i in rng.integers(1, len(rows), 4))]


def doubled(rows, rng):
    return [*rows, *rows[1:]]


def blanked(rows, rng):
    column = int(rng.integers(0, len(rows[0])))
    hit = set(rng.integers(1, len(rows), 4).tolist())
    return [
        ["" if i in hit and j == column else c for j, c in enumerate(r)] for i, r in enumerate(rows)
    ]


def misspelt(rows, rng):
    at = int(rng.integers(1, len(rows)))
    return [*rows[:at], [*rows[at][:-1], "see log"], *rows[at + 1 :]]


def cut(rows, rng):
    column = int(rng.integers(0, len(rows[0])))
    return [row[:column] + row[column + 1 :] for row in rows]


def coded(rows, rng):
    hit = set(rng.integers(1, len(rows), 3).tolist())
    return [[*row[:-1], "-999"] if i in hit else row for i, row in enumerate(rows)]


def renamed(rows, rng):
    return [["q" + str(name) for name in rows[0]], *rows[1:]]


def repeated_name(rows, rng):
    return [[*rows[0][:-1], rows[0][-2]], *rows[1:]]


def untouched(rows, rng):
    return rows


LAYOUTS = (long, wide, melted, lists, predictions, headers)
FAULTS = (copied, doubled, blanked, misspelt, cut, coded, renamed, repeated_name, untouched)
COUNTED = re.compile(
    r"(\d[\d,]*) (?:more )?(?:such )?(row|column|instance|cell|value|paired comparison|trial|file)s?\b"
)
GIVEN = {"row", "fold", "algorithm", "candidate 1"}  # names the reader gives, and says so


def wrong_in(problem, rows, files: int = 1) -> list[str]:
    """Return the statements of a problem that are not true of the file."""
    body, cells = rows[1:], {str(cell) for row in rows for cell in row}
    text = f"{problem.must}. {problem.found}"
    most = {
        "row": len(body),
        "instance": len(body),
        "paired comparison": len(body),
        "trial": len(body),
        "column": len(rows[0]),
        "cell": sum(map(len, rows)),
        "value": sum(map(len, rows)),
        "file": files,
    }
    found = []
    for number, what in COUNTED.findall(text):
        if int(number.replace(",", "")) > files * most[what]:
            found.append(f"{number} {what}s of {most[what]}")
    for number in re.findall(r"and (\d[\d,]*) more", text):
        if int(number.replace(",", "")) >= files * len(body):
            found.append(f"{number} more of {len(body)} rows")
    if problem.row is not None and not 1 <= problem.row <= len(rows):
        found.append(f"row {problem.row} of {len(rows)}")
    for name in [problem.column, *re.findall(r'"([^"]+)"', problem.found)]:
        # a header in two rows is "blur | low", the fourth row of iris as a fold "iris 4"
        words = [w for w in re.split(r"[ |]+", name.removesuffix(" ...")) if not w.isdigit()]
        if name not in GIVEN and any(word not in " ".join(cells) for word in words):
            found.append(f'no "{name}"')
    if "only numbers" in text:
        named = re.split(
            r", | and ", text.partition(" contain only numbers")[0].rpartition("The columns ")[2]
        )
        for name in (n for n in named if n in map(str, rows[0])):
            column = [str(row[rows[0].index(name)]) for row in body]
            if not any(re.fullmatch(r"-?\d*\.?\d+", cell) for cell in column):
                found.append(f'"{name}" has no number')
    return found


def problems_of(*sources) -> list:
    """Return the problems found in reading files, also with the reader's own guess."""
    found = []
    try:
        read_results(*sources)
    except NeedsMapping as asked:
        found += asked.problems
        try:
            read_results(*sources, mapping=asked.guess)
        except DataError as again:
            found += again.problems
        except FoldwiseError:
            pass
    except DataError as refused:
        found += refused.problems
    return found


def as_csv(rows) -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


@given(
    layout=st.sampled_from(LAYOUTS),
    faults=st.lists(st.sampled_from(FAULTS), min_size=1, max_size=2),
    measure=st.sampled_from(["accuracy", "error", "quality"]),
    name=st.sampled_from(["x.csv", "accuracy.csv"]),
    twice=st.booleans(),
    seed=st.integers(0, 9999),
)
@settings(max_examples=50)
def test_facts_in_refusals_are_true(layout, faults, measure, name, twice, seed):
    rng = np.random.default_rng(seed)
    rows = layout(rng, measure)
    for fault in faults:
        rows = fault(rows, rng)
    sources = [(name, as_csv(rows)), *([("other.csv", as_csv(rows))] if twice else [])]

    for problem in problems_of(*sources):
        assert wrong_in(problem, rows, len(sources)) == [], str(problem)


def test_false_facts_in_refusals_are_found():
    rows = [["model", "AUC"], ["rf", "a"], ["svm", "b"]]
    false = (
        ({"found": "Both rows are (rf, 1), and 7049 more rows"}, "7049 rows of 2"),
        ({"found": "The columns model and AUC contain only numbers"}, '"model" has no number'),
        ({"found": 'The column "accuracy" is empty'}, 'no "accuracy"'),
        ({"row": 9}, "row 9 of 3"),
    )
    from stats_core.core.errors import Problem

    for values, said in false:
        problem = Problem(**{"file": "x.csv", "must": "", "found": "", "do": "", **values})
        assert said in wrong_in(problem, rows)


@pytest.mark.parametrize("second", [("1", "2", "1", "2"), ("a", "b", "a", "b")])
def test_two_header_rows_are_called_so(second):
    rows = [["model", "blur", "blur", "fog", "fog"], ["kind", *second], ["rf", 0.5, "x", "y", "z"]]

    (problem,) = problems_of(("x.csv", as_csv(rows)))

    assert "two header rows" in problem.found
    assert "Rename all but one" not in problem.do
