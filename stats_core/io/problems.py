"""Problems, questions and refusals raised on reading (texts in messages.toml), and limits on input size.

A server may have limits of its own: `FOLDWISE_BUDGET="size=200e6 algorithms=200"`.
"""

import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from stats_core.core.errors import DataError, Problem, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.messages import Message, fill_in, message, read_texts

TEXTS = read_texts("io/messages.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProblemTexts:
    """The parts of a problem: the requirement, the finding and the remedy."""

    must: str
    found: str
    do: str

    def problem(self, file: str) -> Problem:
        """Return these texts as a problem of a file."""
        return Problem(file=file, must=self.must, found=self.found, do=self.do)


class NotResults(_ProblemTexts):
    """Reason why a table has no comparable results."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(_ProblemTexts):
    """A question to the user before a table can be read.

    Attributes
    ----------
    about : {"direction", "columns", "rows", "cases", "class", "published", "encoding"}
        The subject of the question, as in `NeedsMapping`.
    question : str
        The question, with the consequence of the guess.
    must, found, do : str
        Requirement, finding and remedy, as in `Problem`.
    field : str
        The field of the mapping that answers, "" for the columns.
    """

    about: str
    question: str
    field: str = ""


def _filled(kind: str, code: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the entries of one code, with values inserted in its texts."""
    return {
        name: fill_in(text, values) if isinstance(text, str) else text
        for name, text in TEXTS[kind][code].items()
    }


def problem_of(
    code: str, file: str = "", row: int | None = None, column: str = "", /, **values: Any
) -> Problem:
    """Return the problem with a code, at a place in a file, with values inserted in its texts."""
    return Problem(file=file, row=row, column=column, **_filled("problems", code, values))


def data_error(
    code: str, file: str = "", row: int | None = None, column: str = "", /, **values: Any
) -> DataError:
    """Return the DataError of a single problem; the arguments are those of `problem_of`."""
    return DataError([problem_of(code, file, row, column, **values)])


class OverLimit(DataError):
    """A file exceeds a limit, so that no other file is read."""


def not_a_table(kind: str, file: str) -> DataError:
    """Return the DataError for a file that holds no table; `kind` is a key of "other files" in messages.toml."""
    return data_error("not a table", file, kind=kind, do=TEXTS["other files"][kind]["do"])


def setting_error(code: str, /, **values: Any) -> SettingError:
    """Return the SettingError with a code."""
    return SettingError(fill_in(TEXTS["settings"][code], values))


def refusal_of(code: str, /, **values: Any) -> NotResults:
    """Return the refusal, with a code, of a table without comparable results."""
    return NotResults(**_filled("refusals", code, values))


def question_of(code: str, /, **values: Any) -> Question:
    """Return the question to the user with a code."""
    return Question(**_filled("questions", code, values))


def guessed_roles(roles: Mapping[str, str]) -> Question:
    """Return the question whether columns have the roles that were guessed."""
    labels = list(dict.fromkeys({"dataset": "data set"}.get(role, role) for role in roles.values()))
    last = [*roles.values()][-1]
    guess = join_names([f'"{name}"' for name in roles])
    example = '"error"' if last == "measure" else f'"{last}"'
    return question_of(
        "unnamed columns", roles=labels, guess=guess, role=labels[-1], example=example
    )


def phrase(code: str, /, **values: Any) -> str:
    """Return a sentence or part of a sentence by its code."""
    return fill_in(TEXTS["phrases"][code], values)


def role_reason(code: str) -> Message:
    """Return the message with the reason for a column's role."""
    return message(f"role: {code}")


_VARIABLE = "FOLDWISE_BUDGET"
_FEW_CELLS = 300_000  # that any file may have, however many are empty
_PIECE = 2**18  # bytes in which lines are counted at once
_SMALL = 20_000_000  # bytes that any file may unpack to, whatever its compression ratio
_CELL = 70  # bytes that a cell takes while its table is built
_SMALL_TABLE = 500_000_000  # bytes that any table may take, whatever the size of its file


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Limits on the size of input.

    Attributes
    ----------
    files : int
        Files read together.
    size : int
        Bytes of one file, unpacked.
    expansion : int
        Largest ratio of unpacked to packed size, for files of more than 20 MB unpacked.
    lines, columns, cells : int
        Largest numbers in one table; cells of blank lines and of short rows count.
    growth : int
        Largest ratio of the memory that the cells of a table take, at 70 bytes each, to the size of
        its packed file, for tables that take more than 500 MB.
    markup : int
        Largest number of cells in Excel and JSON, of which at least a quarter must be present in
        the file; these two, Markdown, LaTeX and sparse ARFF may always have 300,000 cells, which
        are read one by one.
    cell, name : int
        Characters of one cell, and of one name.
    marks : int
        Accents on one letter, as in Unicode's stream-safe text; composing more takes quadratic
        time.
    algorithms, datasets : int
        Largest numbers of algorithms and data sets in all files together.
    folds : int
        Largest number of distinct folds, or repetitions, in one table.
    """

    files: int = 500
    size: int = 1_000_000_000
    expansion: int = 200
    lines: int = 50_000_000
    columns: int = 5_000
    cells: int = 50_000_000
    growth: int = 1_000
    markup: int = 2_000_000
    cell: int = 100_000
    name: int = 1_000
    marks: int = 30
    algorithms: int = 2_000
    datasets: int = 20_000
    folds: int = 300_000

    def check(self, file: str, limit: str, n: int, *, row: int | None = None) -> None:
        """Raise DataError if `n` exceeds the limit with the name `limit`."""
        if limit == "markup":
            self.check(file, "cells", n)
        maximum = getattr(self, limit)
        if n <= maximum:
            return
        limit_text = f"{maximum / 1_000_000:g}" if limit == "size" else f"{maximum:,}"
        raise OverLimit([problem_of(f"limit of {limit}", file, row, limit=limit_text, n=f"{n:,}")])

    def check_built(self, file: str, cells: int, present: int) -> None:
        """Raise DataError for too many cells read one by one, or for many of which few are present in the file."""
        limit = min(self.markup, self.cells, max(_FEW_CELLS, 4 * present))
        if cells > limit:
            replace(self, markup=limit).check(file, "markup", cells)

    def check_unpacked(self, file: str, packed: int, unpacked: int) -> None:
        """Raise DataError for a compressed file that is too large, absolutely or relative to its packed size."""
        self.check(file, "size", unpacked)
        if unpacked > _SMALL:
            self.check(file, "expansion", unpacked // max(packed, 1))

    def check_expanded(self, file: str, packed: int, cells: int) -> None:
        """Raise DataError for too many cells, absolutely or relative to the packed file."""
        self.check(file, "cells", cells)
        if cells * _CELL > _SMALL_TABLE:
            self.check(file, "growth", cells * _CELL // max(packed, 1))

    def largest_unpacked(self, packed: int) -> int:
        """Return the most bytes that a compressed file of `packed` bytes may have."""
        return min(self.size, max(_SMALL, self.expansion * packed))

    def check_content(self, file: str, content: bytes) -> None:
        """Raise DataError for an unpacked file with too many bytes or lines."""
        self.check(file, "size", len(content))
        if len(content) > self.lines:
            letters = np.frombuffer(content, dtype=np.uint8)
            parts = [letters[start : start + _PIECE] for start in range(0, len(letters), _PIECE)]
            counts = [[np.count_nonzero(part == ord(end)) for part in parts] for end in "\n\r"]
            self.check(file, "lines", int(np.sum(counts, axis=1).max()))

    def check_size(self, file: str, rows: int, columns: int) -> None:
        """Raise DataError for a table with too many columns or cells; each row counts as `columns` cells."""
        self.check(file, "columns", columns)
        self.check(file, "cells", rows * columns)

    def composed(self, file: str, text: str) -> str:
        """Return a text in Unicode normal form NFC; raise DataError for too many accents on one letter."""
        if text.isascii():
            return text
        marks = {c for c in set(text) if unicodedata.combining(unicodedata.normalize("NFD", c)[0])}
        if marks:
            runs = re.finditer(f"[{re.escape(''.join(marks))}]+", text)
            longest = max(runs, key=lambda run: len(run[0]))
            self.check(file, "marks", len(longest[0]), row=text.count("\n", 0, longest.start()) + 1)
        return unicodedata.normalize("NFC", text)


@lru_cache(maxsize=8)
def _of(text: str) -> Budget:
    """Return the limits set by a text such as "size=200e6 files=9"; SettingError for unknown names and values < 1."""
    defaults = {field.name: field.default for field in fields(Budget)}
    requested: dict[str, int] = {}
    for part in text.replace(",", " ").split():
        name, _, value = part.partition("=")
        try:
            requested[name] = int(float(value))
        except (ValueError, OverflowError):
            requested[name] = 0
        if name not in defaults or requested[name] < 1:
            raise setting_error("limits", variable=_VARIABLE, part=part[:80], known=list(defaults))
    return Budget(**requested)


def current_limits() -> Budget:
    """Return the limits in force: the default ones, except those set by the environment variable FOLDWISE_BUDGET."""
    return _of(os.environ.get(_VARIABLE, ""))
