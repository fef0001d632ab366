"""Problems, refusals, questions and notes of reading; their texts are in messages.toml."""

from dataclasses import dataclass
from typing import Any

from stats_core.core.errors import DataError, Problem, SettingError
from stats_core.core.messages import Message, fill_in, message, read_texts

TEXTS = read_texts("io/messages.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProblemTexts:
    """The parts of a problem: the requirement, the finding and the remedy."""

    must: str
    found: str
    do: str

    def problem(self, file: str) -> Problem:
        """Return the problem of a file."""
        return Problem(file=file, must=self.must, found=self.found, do=self.do)


class NotResults(_ProblemTexts):
    """The reason why a table has no comparable results."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(_ProblemTexts):
    """A question to the user before a table can be read.

    Attributes
    ----------
    about : {"direction", "columns", "rows", "class", "published"}
    question : str
        The question, with the consequence of the guess.
    must, found, do : str
        The same as a problem of the file.
    field : str
        The field of the mapping that answers, "" for the columns.
    """

    about: str
    question: str
    field: str = ""


def _filled(kind: str, code: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the texts of one code with the values inserted."""
    return {name: fill_in(text, values) if isinstance(text, str) else text for name, text in TEXTS[kind][code].items()}


def problem_of(code: str, file: str = "", row: int | None = None, column: str = "", /, **values: Any) -> Problem:
    """Return a problem of a file."""
    return Problem(file=file, row=row, column=column, **_filled("problems", code, values))


def data_error(code: str, file: str = "", row: int | None = None, column: str = "", /, **values: Any) -> DataError:
    """Return the error of a single problem."""
    return DataError([problem_of(code, file, row, column, **values)])


def setting_error(code: str, /, **values: Any) -> SettingError:
    """Return the error of a setting."""
    return SettingError(fill_in(TEXTS["settings"][code], values))


def refusal_of(code: str, /, **values: Any) -> NotResults:
    """Return the refusal of a table without comparable results."""
    return NotResults(**_filled("refusals", code, values))


def question_of(code: str, /, **values: Any) -> Question:
    """Return a question to the user."""
    return Question(**_filled("questions", code, values))


def role_reason(code: str) -> Message:
    """Return the message with the reason for a column's role."""
    return message(f"role: {code}")
