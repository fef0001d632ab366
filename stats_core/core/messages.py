"""Messages to the user: a code with values, written as a sentence on output."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from string import Formatter
from typing import Any

from stats_core.core.formatting import format_count, format_percent, join_names, quote


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


# form of a value in a text -> the value and the rest of the form as words
_FORMS: dict[str, Callable[[Any, str], str]] = {
    "count": lambda n, noun: format_count(_number(n), noun),
    "either": lambda n, options: options.split("|")[_number(n) != 1],
    "join": lambda names, most: join_names(list(names), int(most or 4)),
    "list": lambda names, _: ", ".join(names),
    "or": lambda names, most: join_names(list(names), int(most or 4), "or"),
    "percent": lambda share, _: format_percent(round(share, 2)),
    "quote": lambda text, most: quote(text, int(most or 80)),
    "quoted": lambda names, most: join_names([f'"{name}"' for name in names], int(most or 4)),
}


def _number(value: Any) -> int:
    """Return a number, or how many there are of several values."""
    return len(value) if hasattr(value, "__len__") else value


class _Texts(Formatter):
    """Formatter of texts such as "{rows:count row} of {names:join}"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        form, _, rest = format_spec.partition(" ")
        return _FORMS[form](value, rest) if form in _FORMS else format(value, format_spec)


def fill_in(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with values inserted in the given forms.

    Examples
    --------
    >>> fill_in("{rows:count row} of {names:join} {rows:either is|are} empty", {"rows": 2, "names": "ab"})
    '2 rows of a and b are empty'
    """
    return _Texts().vformat(text, (), values)


def register_texts(texts: Mapping[str, str], in_paper: Mapping[str, str], home: str) -> None:
    """Register a text for each code, other texts for a paper; `home` is the module that does so."""
    for code, text in texts.items():
        write = _writer(text, in_paper.get(code, text))
        write.__module__ = home
        message_text(code)(write)


def _writer(text: str, in_paper: str) -> Callable[..., str]:
    def write(voice: Audience, /, **values: object) -> str:
        pronouns = {"you": voice.you, "your": voice.your}
        return fill_in(in_paper if voice.in_paper else text, pronouns | values)

    return write


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
