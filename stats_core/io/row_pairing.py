"""Line numbers of results for messages, and pairing of instances by row order."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem
from stats_core.core.formatting import format_count
from stats_core.core.messages import Message, message
from stats_core.data.predictions import FOLD, group_numbers
from stats_core.io.cell_numbers import TextTable
from stats_core.io.infer_layout import LayoutMatch
from stats_core.io.mapping import Mapping
from stats_core.io.parse_layout import FileTable
from stats_core.io.problems import problem_of


def file_rows(rows: pd.DataFrame) -> int:
    """Return the number of file rows behind some results; one row may hold several.

    Examples
    --------
    >>> file_rows(pd.DataFrame({"line": [2, 2, 3], "algorithm": ["rf", "svm", "rf"]}))
    2
    """
    columns = [name for name in ("file", "line") if name in rows]
    return len(rows[columns].drop_duplicates()) if "line" in rows else len(rows)


def put_lines(piece: FileTable, table: TextTable) -> None:
    """Replace row numbers by file lines if rows of the file were split."""
    if not table.lines:
        return
    if "line" in piece.rows:
        piece.rows["line"] = [table.lines.get(int(line), line) for line in piece.rows["line"]]
    piece.problems = [
        problem if problem.row is None else replace(problem, row=table.lines.get(problem.row))
        for problem in piece.problems
    ]


def file_column(row: pd.Series, measure: str) -> str:
    """Return the file column of a result: the algorithm in a wide table, else the measure."""
    return str(row.get("column") or measure)


def leave_out_unmeasured(piece: FileTable, found: LayoutMatch) -> None:
    """Drop data sets with none of the measures but other, unranked scores.

    A failed run stays as a missing result; a task with another score was never measured.
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
    dataset_of = rows["dataset"]
    unmeasured = set(dataset_of[scored]) - set(dataset_of[measured])
    if unmeasured and measured.any():
        piece.rows = rows[~dataset_of.isin(unmeasured)]
        piece.notes.append(message("data sets not measured", names=tuple(sorted(unmeasured))))


_TEST_SET = ["dataset", "repetition", "fold"]
QUESTION = "Are the rows of each algorithm the same cases in the same order?"


def with_cases(
    cases: pd.DataFrame, mapping: Mapping, file: str
) -> tuple[pd.DataFrame, list[Message]]:
    """Number instances by row order if the user confirmed it; ask if that is likely."""
    if "instance" in cases or mapping.rows not in ("", "cases"):
        return cases, []
    if not mapping.rows and not _one_test_set(cases):
        return cases, []
    test_set, sets = group_numbers(cases, _TEST_SET)
    result, _ = group_numbers(cases, FOLD)
    position = pd.Series(result).groupby(result).cumcount().to_numpy()
    starts = np.cumsum([0, *pd.Series(position).groupby(test_set).max() + 1])[:-1]
    number = position + starts[test_set]
    is_consistent = _alike(cases, number, test_set, result)
    if mapping.rows:
        if not is_consistent:
            raise DataError(
                [_problem(file, "Their numbers or their true labels differ row by row")]
            )
        n = int(number.max()) + 1
        return cases.assign(instance=number.astype(np.int32)), [message("cases in order", n=n)]
    labels = cases["true"].cat.codes.to_numpy()[result == 0]
    changes = int((labels[1:] != labels[:-1]).sum())
    # sorted labels agree in any order
    if not is_consistent or changes < len(cases["true"].cat.categories):
        return cases, []
    raise _asking(cases, mapping, file, int(position.max()) + 1)


def _one_test_set(instances: pd.DataFrame) -> bool:
    """Return whether several algorithms have one fold each on one data set."""
    single = all(len(instances[name].unique()) == 1 for name in _TEST_SET)
    return single and len(instances["algorithm"].unique()) > 1


def _alike(
    instances: pd.DataFrame, number: np.ndarray, test_set: np.ndarray, result: np.ndarray
) -> bool:
    """Return whether algorithms have equally many rows with the same true labels."""
    label = pd.Series(instances["true"].cat.codes.to_numpy()).groupby(number)
    n_results = pd.Series(result).groupby(test_set).nunique()
    complete = (
        label.size().to_numpy() == n_results.to_numpy()[pd.Series(test_set).groupby(number).first()]
    )
    return bool(complete.all() and (label.nunique() == 1).all())


def _problem(file: str, found: str) -> Problem:
    return problem_of("cases not named", file, found=found)


def _asking(instances: pd.DataFrame, mapping: Mapping, file: str, n: int) -> NeedsMapping:
    finding = (
        f"No column is seen to name the cases; each algorithm has {format_count(n, 'row')}, with the same "
        "true labels"
    )
    fields = {**mapping.to_dict()}
    options = {
        "cases": "If they are, the algorithms are compared case by case, and every report says so.",
        "apart": "If not, or if nobody knows, no two algorithms can be paired, and nothing is tested.",
    }
    return NeedsMapping(
        [_problem(file, finding)],
        guess=mapping,
        preview=instances.drop(columns=["correct", "positive"], errors="ignore").head(8),
        question=QUESTION,
        about="cases",
        options=tuple(
            (description, Mapping(**{**fields, "rows": rows}))
            for rows, description in options.items()
        ),
    )
