"""Which lines of the file rows of results stood on, for messages."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem
from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.numbers import NumericTable
from stats_core.data.predictions import FOLD, group_numbers
from stats_core.io.infer_layout import LayoutMatch
from stats_core.io.mapping import Mapping
from stats_core.io.parse_layout import FileTable


def file_rows(rows: pd.DataFrame) -> int:
    """Return on how many rows of the files some results stood; one row may hold several.

    Examples
    --------
    >>> file_rows(pd.DataFrame({"line": [2, 2, 3], "algorithm": ["rf", "svm", "rf"]}))
    2
    """
    places = [name for name in ("file", "line") if name in rows]
    return len(rows[places].drop_duplicates()) if "line" in rows else len(rows)


def put_lines(piece: FileTable, table: NumericTable) -> None:
    """Number the rows of a piece as the file does, where a row of the file was taken apart."""
    if not table.lines:
        return
    if "line" in piece.rows:
        piece.rows["line"] = [table.lines.get(int(line), line) for line in piece.rows["line"]]
    piece.problems = [
        problem if problem.row is None else replace(problem, row=table.lines.get(problem.row))
        for problem in piece.problems
    ]


def file_column(row: pd.Series, measure: str) -> str:
    """Return the column of the file that a result stood in; of a wide table it is the algorithm."""
    return str(row.get("column") or measure)


def leave_out_unmeasured(piece: FileTable, found: LayoutMatch) -> None:
    """Leave out data sets that have none of the measures, but others nobody can rank by.

    A failed run stays, as a hole; a task that is scored in another way was never measured so.
    """
    reasons = found.taken.reasons
    unused = [
        name
        for name, role in found.roles.items()
        if role == "ignore" and name in reasons and reasons[name].code == "role: no direction"
    ]
    if not unused or not piece.directions or "dataset" not in piece.rows:
        return
    rows = piece.rows
    measured = rows[list(piece.directions)].notna().any(axis=1)
    scored = (found.table.frame.loc[rows.index, unused] != "").any(axis=1)
    of_set = rows["dataset"]
    apart = set(of_set[scored]) - set(of_set[measured])
    if apart and measured.any():
        piece.rows = rows[~of_set.isin(apart)]
        piece.notes.append(message("data sets not measured", names=tuple(sorted(apart))))


@message_text("data sets not measured")
def _not_measured(voice: Audience, names: tuple) -> str:
    which = join_names(list(names), 3)
    return (
        f"{format_count(len(names), 'data set')} left out that no measure is given for ({which})."
    )


_TEST_SET = ["dataset", "repetition", "fold"]
QUESTION = "Are the rows of each algorithm the same cases in the same order?"


def with_cases(
    cases: pd.DataFrame, mapping: Mapping, file: str
) -> tuple[pd.DataFrame, list[Message]]:
    """Name cases by the order of their rows where the user said so; ask where that is likely."""
    if "instance" in cases or mapping.rows not in ("", "cases"):
        return cases, []
    if not mapping.rows and not _one_test_set(cases):
        return cases, []
    test_set, sets = group_numbers(cases, _TEST_SET)
    result, _ = group_numbers(cases, FOLD)
    place = pd.Series(result).groupby(result).cumcount().to_numpy()
    starts = np.cumsum([0, *pd.Series(place).groupby(test_set).max() + 1])[:-1]
    number = place + starts[test_set]
    alike = _alike(cases, number, test_set, result)
    if mapping.rows:
        if not alike:
            raise DataError(
                [_problem(file, "Their numbers or their true labels differ row by row")]
            )
        n = int(number.max()) + 1
        return cases.assign(instance=number.astype(np.int32)), [message("cases in order", n=n)]
    labels = cases["true"].cat.codes.to_numpy()[result == 0]
    changes = int((labels[1:] != labels[:-1]).sum())
    if not alike or changes < len(cases["true"].cat.categories):  # sorted labels agree anyway
        return cases, []
    raise _asking(cases, mapping, file, int(place.max()) + 1)


def _one_test_set(cases: pd.DataFrame) -> bool:
    """Tell whether several algorithms have one result each on one data set."""
    one = all(len(cases[name].unique()) == 1 for name in _TEST_SET)
    return one and len(cases["algorithm"].unique()) > 1


def _alike(
    cases: pd.DataFrame, number: np.ndarray, test_set: np.ndarray, result: np.ndarray
) -> bool:
    """Tell whether algorithms have as many rows and row by row the same true labels."""
    label = pd.Series(cases["true"].cat.codes.to_numpy()).groupby(number)
    many = pd.Series(result).groupby(test_set).nunique()
    whole = label.size().to_numpy() == many.to_numpy()[pd.Series(test_set).groupby(number).first()]
    return bool(whole.all() and (label.nunique() == 1).all())


def _problem(file: str, found: str) -> Problem:
    return Problem(
        file=file,
        must="needs to know which rows of two algorithms are the same case",
        found=found,
        do='Add a column "case" with a name for every case, the same for all algorithms',
    )


def _asking(cases: pd.DataFrame, mapping: Mapping, file: str, n: int) -> NeedsMapping:
    found = (
        f"No column is seen to name the cases; each algorithm has {format_count(n, 'row')}, with the same "
        "true labels"
    )
    told = {**mapping.to_dict()}
    ways = {
        "cases": "If they are, the algorithms are compared case by case, and every report says so.",
        "apart": "If not, or if nobody knows, no two algorithms can be paired, and nothing is tested.",
    }
    return NeedsMapping(
        [_problem(file, found)],
        guess=mapping,
        preview=cases.drop(columns=["correct", "positive"], errors="ignore").head(8),
        question=QUESTION,
        about="cases",
        options=tuple((said, Mapping(**{**told, "rows": rows})) for rows, said in ways.items()),
    )


@message_text("cases in order")
def _in_order(voice: Audience, n: int) -> str:
    return (
        f"The file names no cases; {voice.you} took the rows of each algorithm for the same "
        f"{format_count(n, 'case')} in the same order."
    )
