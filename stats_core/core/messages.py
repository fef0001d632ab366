"""What a reader must know, recorded as a code with its values and written as a sentence last."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Audience:
    """Who speaks to whom.

    Attributes
    ----------
    you, your : str
        How those are called who made the choices.
    in_paper : bool
        Whether the sentence is for a paper, where the program gives no hints.
    """

    you: str
    your: str
    in_paper: bool


TO_USER = Audience("you", "your", False)
IN_PAPER = Audience("we", "our", True)

_SENTENCES: dict[str, Callable[..., str]] = {}


def message_text(code: str) -> Callable:
    """Register the function that writes the notes of one code.

    It stands in the module that makes these notes, takes the voice and the values, and returns
    one sentence or several, "" where there is nothing to say in that voice.
    """

    def register(write: Callable[..., str]) -> Callable[..., str]:
        if code in _SENTENCES:
            raise ValueError(f"The code {code!r} has words already.")
        _SENTENCES[code] = write
        return write

    return register


@dataclass(frozen=True, slots=True)
class Message:
    """One thing to know: programs look at the code and the values, people read the sentence.

    Attributes
    ----------
    code : str
        What it is about; a key of the wordings.
    values : tuple of (str, object)
        What the sentence is made from.

    Examples
    --------
    >>> @message_text("an example")
    ... def _example(voice, n):
    ...     return f"{n} results were left out, by {voice.your} choice."
    >>> left_out = message("an example", n=2)
    >>> str(left_out), left_out.said(IN_PAPER)
    ('2 results were left out, by your choice.', '2 results were left out, by our choice.')
    >>> left_out.code, left_out["n"]
    ('an example', 2)
    """

    code: str
    values: tuple[tuple[str, object], ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Return one of the values."""
        return dict(self.values)[name]

    def said(self, voice: Audience = TO_USER) -> str:
        """Write the note as a sentence."""
        return _SENTENCES[self.code](voice, **dict(self.values))

    def __str__(self) -> str:
        """Write the note for the user of the program."""
        return self.said()

    def __reduce__(self) -> tuple:
        """Take along, into another process, where the words stand."""
        return _arrived, (self.code, self.values, _SENTENCES[self.code].__module__)


def _arrived(code: str, values: tuple[tuple[str, object], ...], home: str) -> Message:
    import_module(home)
    return Message(code, values)


def message(code: str, **values: object) -> Message:
    """Return a note; refuse a code that nobody has words for."""
    if code not in _SENTENCES:
        raise KeyError(f"No words are registered for the code {code!r}.")
    return Message(code, tuple(values.items()))
