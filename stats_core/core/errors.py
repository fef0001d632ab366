"""Exceptions raised by Foldwise.

    FoldwiseError(ValueError)
    ├── DataError            a file or table cannot be read as results; carries every Problem
    │   └── NeedsMapping     the columns were read but not all were recognised; carries a guess
    ├── DesignError          the test does not apply to this resampling design or this many results
    │   └── MissingCells     results that the analysis needs are missing
    ├── DegenerateError      results or labels do not vary
    ├── SettingError         an option is outside what the function accepts
    │   └── NeedsCost        an order needs a cost, and there is none of that name, or none at all
    └── InternalError        an unexpected error; the log has details under the reference given

Every message states the requirement, the finding and the remedy.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from stats_core.core.formatting import quote
from stats_core.core.messages import fill_in, read_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem in a file or table.

    Attributes
    ----------
    must, found, do : str
        The requirement, the finding and the remedy: three sentences without their full stops.
    file : str
        Name of the file, "" for a table in memory.
    row : int or None
        Line as a spreadsheet counts it, where the header is row 1; None if it concerns no single
        row.
    column : str
        Name of the column, "" if it concerns the whole row or file.
    repeats : bool
        Whether several rows have a key that must be unique.
    """

    must: str
    found: str
    do: str
    file: str = ""
    row: int | None = None
    column: str = ""
    repeats: bool = False

    def __str__(self) -> str:
        location = [self.file or "table"]
        if self.row is not None:
            location.append(f"row {self.row}")
        if self.column:
            location.append(quote(self.column))
        return f"{', '.join(location)}: {self.must}. {self.found}. {self.do}."


class FoldwiseError(ValueError):
    """Base class of all intended errors; the text is written for the user."""

    @classmethod
    def of(cls, code: str, /, **values: object) -> Self:
        """Return the error with the text of `code` in `refusals.toml`, with `values` inserted.

        Examples
        --------
        >>> raise DesignError.of("too few folds", least=2, n=1)
        Traceback (most recent call last):
        stats_core.core.errors.DesignError: A test on folds needs at least 2 folds, but there is 1. ...
        """
        error = cls(fill_in(read_texts("core/refusals.toml")[code], values))
        error.code = code
        return error

    code = ""  # key of the text

    def __reduce__(self) -> tuple:
        """Pickle the error with all its attributes."""
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[FoldwiseError], args: tuple, carried: dict) -> FoldwiseError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(carried)
    return error


class DataError(FoldwiseError):
    """A file or table cannot be read as results.

    Parameters
    ----------
    problems : sequence of Problem, or str
        All problems, in the order of the file, or the only one as a text.
    """

    def __init__(self, problems: Sequence[object]) -> None:
        self.problems: tuple[Any, ...] = (
            (problems,) if isinstance(problems, str) else tuple(problems)
        )
        super().__init__("\n".join(str(problem) for problem in self.problems))


class NeedsMapping(DataError):
    """The file is readable, but a question about it must be answered first.

    Parameters
    ----------
    problems : sequence of Problem
        Why the table cannot be read without an answer.
    guess : Mapping
        The best guess, to be corrected and passed to `read_results(..., mapping=)`.
    preview : DataFrame
        The first rows, as read.
    question : str
        The question to the user; further questions follow its answer.
    classes : tuple of str
        If the question is which class is the positive one, the classes to choose from.
    about : {"columns", "direction", "rows", "cases", "class", "published", "doubt", "encoding", "nothing"}
        The subject of the question: roles of columns; direction of a measure; whether rows are
        folds; whether rows are the same instances for all algorithms; the positive class; details
        of published average ranks, wins or decisions; whether a suspicious value is intended; the
        encoding. "nothing" if the table does not seem to contain results.
    options : tuple of (str, Mapping)
        Possible readings of the table, the guess first, each with its description.
    fields : tuple of str
        Fields of the mapping to be answered: "n_datasets" or "winner" for published summaries, the
        key in `doubts` for a suspicious value; the columns of unknown direction, which the guess
        leaves out if other measures are known; () for other questions.
    """

    def __init__(
        self,
        problems: Sequence[object],
        *,
        guess: Any,
        preview: Any,
        question: str,
        classes: tuple[str, ...] = (),
        about: str = "columns",
        options: tuple[tuple[str, Any], ...] = (),
        fields: tuple[str, ...] = (),
    ) -> None:
        super().__init__(problems)
        self.guess = guess
        self.preview = preview
        self.question = question
        self.classes = classes
        self.about = about
        self.options = options
        self.fields = fields

    @property
    def columns(self) -> list[str]:
        """The column names, as read."""
        return list(self.preview.columns)

    @property
    def undirected(self) -> tuple[str, ...]:
        """Columns of measures whose directions are asked for; () for other questions."""
        return self.fields if self.about == "direction" else ()


class DesignError(FoldwiseError):
    """The test does not apply to this design or to this many results."""


class MissingCells(DesignError):
    """Results that the analysis needs are missing."""


class DegenerateError(FoldwiseError):
    """Results or labels do not vary, so there is nothing to test against."""


class SettingError(FoldwiseError):
    """An option has a value that the function does not accept."""


class NeedsCost(SettingError):
    """An order needs a cost, but the named cost, or any cost, is absent."""


class InternalError(FoldwiseError):
    """An unexpected error: a bug, or too little memory.

    Parameters
    ----------
    doing : str
        The interrupted task, such as "Reading this file".
    reference : str
        Reference under which the log has the details.
    out_of_memory : bool
        Whether memory was exhausted.
    """

    def __init__(self, doing: str, reference: str, *, out_of_memory: bool = False) -> None:
        self.reference = reference
        values = {"doing": doing, "reference": reference, "out_of_memory": out_of_memory}
        super().__init__(fill_in(read_texts("core/refusals.toml")["internal"], values))


_LOG = logging.getLogger("foldwise")


@contextmanager
def error_boundary(doing: str) -> Iterator[None]:
    """Convert unexpected exceptions into an `InternalError` with a log reference.

    Examples
    --------
    >>> logging.getLogger("foldwise").addHandler(logging.NullHandler())
    >>> with error_boundary("Adding"):
    ...     1 + 1
    2
    """
    try:
        yield
    except FoldwiseError:
        raise
    except Exception as error:
        reference = secrets.token_hex(4)
        _LOG.exception("%s failed, reference %s", doing, reference)
        is_memory_error = isinstance(error, MemoryError)
        raise InternalError(doing, reference, out_of_memory=is_memory_error) from error
