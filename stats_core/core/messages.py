"""Messages to the user: a code with values, written as a sentence on output.

The texts are in TOML files, read when the first message is made. A text such as "{rows:count row}
of {names:join}" inserts values in the forms of `_FORMS`. A text with "{{" or "{%" is a Jinja
template; its filters are the functions of `core/formatting.py` under their own names, and a few
more.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Any

from stats_core.core import formatting
from stats_core.core.formatting import (
    capitalize_first,
    format_count,
    format_number,
    format_percent,
    join_names,
    quote,
)

if TYPE_CHECKING:
    from jinja2 import Environment, Template


@dataclass(frozen=True, slots=True)
class Audience:
    """The person and the medium that a sentence is written for.

    Attributes
    ----------
    you, your : str
        Pronouns for the user who made the choices.
    in_paper : bool
        Whether the sentence is for a paper; hints to the user are then omitted.
    """

    you: str
    your: str
    in_paper: bool


TO_USER = Audience("you", "your", False)
IN_PAPER = Audience("we", "our", True)

# tables of messages: file, name of the table, prefix of its codes
_TABLES = (
    ("report/messages.toml", "messages", ""),
    ("io/messages.toml", "notes", ""),
    ("io/messages.toml", "roles", "role: "),
    ("io/messages.toml", "evidence", "seen: "),
)


@cache
def read_texts(file: str, package: str = "stats_core") -> dict[str, Any]:
    """Return the tables of a TOML file of a package, such as "io/messages.toml"."""
    return tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))


@cache
def _texts() -> dict[str, tuple[str, str]]:
    """Return by message code the text for the user and the text for a paper."""
    texts = {}
    for file, table, prefix in _TABLES:
        tables = read_texts(file)
        for code, text in tables[table].items():
            texts[prefix + code] = (text, tables["in_paper"].get(code, text))
    return texts


# form of a value in a text -> the value and the rest of the form as words
_FORMS: dict[str, Callable[[Any, str], str]] = {
    "capitalize": lambda text, _: capitalize_first(text),
    "count": lambda n, noun: format_count(_number(n), noun),
    "either": lambda n, options: _either(_number(n), options),
    "join": lambda names, most: join_names(list(names), int(most or 4)),
    "list": lambda names, _: ", ".join(names),
    "number": lambda value, digits: format_number(value, int(digits)),
    "or": lambda names, most: join_names(list(names), int(most or 4), "or"),
    "p": lambda p, alpha: formatting.p_phrase(p, float(alpha) if alpha else None),
    "percent": lambda share, _: format_percent(round(share, 2)),
    "quote": lambda text, most: quote(text, int(most or 80)),
    "quoted": lambda names, most: join_names([f'"{name}"' for name in names], int(most or 4)),
    "spell": lambda n, noun: formatting.spell_count(_number(n), noun),
}


def _either(n: int, options: str) -> str:
    """Return the singular or the plural of options such as "is|are"."""
    singular, plural = options.split("|")
    return singular if n == 1 else plural


def _number(value: Any) -> int:
    """Return a number unchanged, or the length of a collection."""
    return len(value) if hasattr(value, "__len__") else value


class _Texts(Formatter):
    """Formatter of texts such as "{rows:count row} of {names:join}"."""

    def format_field(self, value: Any, format_spec: str) -> str:
        form, _, rest = format_spec.partition(" ")
        if isinstance(value, int) and not isinstance(value, bool) and form in ("", ","):
            return formatting.format_whole(value) if form or abs(value) >= 10**15 else str(value)
        return _FORMS[form](value, rest) if form in _FORMS else format(value, format_spec)


def fill_in(text: str, values: Mapping[str, Any]) -> str:
    """Return a text, which is a Jinja template or has placeholders with formats of `_FORMS`, with values inserted.

    Examples
    --------
    >>> fill_in("{rows:count row} of {names:join} {rows:either is|are} empty", {"rows": 2, "names": "ab"})
    '2 rows of a and b are empty'
    >>> fill_in("{% if n > 1 %}{{ n }} of {{ names | join_names }}{% endif %}", {"n": 2, "names": "ab"})
    '2 of a and b'
    """
    if "{{" in text or "{%" in text:
        return _template(text).render(values)
    return _Texts().vformat(text, (), values)


@dataclass(frozen=True, slots=True)
class TextCatalog:
    """The texts of a TOML file, by the key "table.name"; values are inserted as by `fill_in`.

    Examples
    --------
    >>> advice_text = TextCatalog("stats_core", "report/advice.toml")
    >>> type(advice_text.texts)
    <class 'dict'>
    """

    package: str
    file: str

    @property
    def texts(self) -> dict[str, Any]:
        """The tables of the file."""
        return read_texts(self.file, self.package)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the text of a key, "table.name" or the name of a text outside tables, with its values inserted."""
        table, _, name = key.partition(".")
        return fill_in(self.texts[table][name] if name else self.texts[table], values)


@cache
def _template(text: str) -> "Template":
    return _environment().from_string(_on_one_line(text))


def _on_one_line(text: str) -> str:
    """Return a template with each line break replaced by a space, or removed next to a {% %} or {# #} tag."""
    return re.sub(r"\n+ *(?={[%#])|(?<=[%#]})\n+", "", text.strip("\n")).replace("\n", " ")


@cache
def _environment() -> "Environment":
    """Return the Jinja environment; its filters are the functions of `core/formatting.py`, each, percent and lookup."""
    from jinja2 import Environment, StrictUndefined  # takes a tenth of a second

    environment = Environment(undefined=StrictUndefined, autoescape=False)
    environment.filters |= {
        name: value for name, value in vars(formatting).items() if callable(value)
    }
    environment.filters |= {
        "each": _each,
        "percent": lambda share: format_percent(round(share, 2)),
        "lookup": lambda key, pairs: dict(pairs)[key],
    }
    environment.globals["MANY"] = formatting.MANY
    return environment


def _each(items: Iterable[Any], text: str, **values: Any) -> list[str]:
    """Return `text` filled in for each item: {0} is the item, or {0}, {1} ... are the elements of a tuple."""
    rows = (item if isinstance(item, tuple) else (item,) for item in items)
    return [_Texts().vformat(text, row, values) for row in rows]


@dataclass(frozen=True, slots=True)
class Message:
    """A message: programs use the code and the values, people read the sentence.

    Attributes
    ----------
    code : str
        Key of the text.
    values : tuple of (str, object)
        The values inserted into the sentence.

    Examples
    --------
    >>> ignored = message("overlap ignored")
    >>> str(ignored)
    'The overlap of training sets is ignored, by your choice, so the test is liberal.'
    >>> ignored.said(IN_PAPER)
    'The tests were not corrected for overlapping training sets.'
    >>> message("manova rejects", rejects=1, n=3)["n"]
    3
    """

    code: str
    values: tuple[tuple[str, object], ...] = ()

    def __getitem__(self, name: str) -> Any:
        """Return a value by name."""
        return dict(self.values)[name]

    def said(self, voice: Audience = TO_USER) -> str:
        """Return the message as a sentence for an audience, by default the user."""
        pronouns = {"you": voice.you, "your": voice.your, "in_paper": voice.in_paper}
        return fill_in(_texts()[self.code][voice.in_paper], pronouns | dict(self.values))

    def __str__(self) -> str:
        """Return the sentence for the user of the program."""
        return self.said()


def message(code: str, **values: object) -> Message:
    """Return a message with these values; raise KeyError for a code without a text."""
    if code not in _texts():
        raise KeyError(f"no text: {code!r}")
    return Message(code, tuple(values.items()))
