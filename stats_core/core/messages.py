"""Messages to the user: a code with values, written as a sentence on output."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Audience:
    """The person and the medium that a sentence is written for.

    Attributes
    ----------
    you, your : str
        Pronouns for the user who made the choices.
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
    """Register the function that writes the sentences of one code.

    It is defined in the module that creates these messages, takes the audience and the values, and
    returns one or more sentences, "" if there is nothing to say to that audience.
    """

    def register(write: Callable[..., str]) -> Callable[..., str]:
        if code in _SENTENCES:
            raise ValueError(f"The code {code!r} has words already.")
        _SENTENCES[code] = write
        return write

    return register


@dataclass(frozen=True, slots=True)
class Message:
    """A message: programs use the code and the values, people read the sentence.

    Attributes
    ----------
    code : str
        The subject; a key of the registered texts.
    values : tuple of (str, object)
        The values inserted into the sentence.

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
        """Return a value by name."""
        return dict(self.values)[name]

    def said(self, voice: Audience = TO_USER) -> str:
        """Return the message as a sentence."""
        return _SENTENCES[self.code](voice, **dict(self.values))

    def __str__(self) -> str:
        """Return the sentence for the user of the program."""
        return self.said()

    def __reduce__(self) -> tuple:
        """Pickle with the module that registers the text of the code."""
        return _arrived, (self.code, self.values, _SENTENCES[self.code].__module__)


def _arrived(code: str, values: tuple[tuple[str, object], ...], home: str) -> Message:
    import_module(home)
    return Message(code, values)


def message(code: str, **values: object) -> Message:
    """Return a message; refuse a code without a registered text."""
    if code not in _SENTENCES:
        raise KeyError(f"No words are registered for the code {code!r}.")
    return Message(code, tuple(values.items()))
