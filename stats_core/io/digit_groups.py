"""Separators of thousands: removed where they are certain, a problem where they are not."""

import re
from collections.abc import Sequence

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.io.problems import data_error
from stats_core.io.text_cells import distinct_names

_SEPARATORS = ".,'\u2019 \u00a0\u2009\u202f"
_GROUPED = re.compile(
    rf"[+-]?[1-9][0-9]{{0,2}}(?P<mark>[{re.escape(_SEPARATORS)}])[0-9]{{3}}"
    r"(?P<more>(?:(?P=mark)[0-9]{3})*)(?P<decimals>[.,][0-9]+)?"
)
_PLAIN = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_WHOLE = re.compile(r"[+-]?[1-9][0-9]{2}")  # as long as the digits after a separator
_FIRST_ROWS = 2000


def without_groups(
    name: str, frame: pd.DataFrame, *, comma: bool
) -> tuple[dict[str, pd.Series], list[Message]]:
    """Return columns without separators of thousands, and a note.

    Raises DataError where the separators may be decimal marks.

    `comma` says whether commas separate the cells, so that one within a cell is no decimal mark.

    Examples
    --------
    >>> table = pd.DataFrame({"time": ["67,311,748", "1,105", "870"]})
    >>> without_groups("t.csv", table, comma=True)[0]["time"].tolist()
    ['67311748', '1105', '870']
    """
    changed: dict[str, pd.Series] = {}
    example = ("", "")
    for column in frame:
        head = frame[column].head(_FIRST_ROWS)
        if not any(_GROUPED.fullmatch(cell) for cell in distinct_names(head)):
            continue
        texts = [text for text in distinct_names(frame[column]) if text]
        mark = _separator(texts, comma=comma)
        if mark:
            changed[column] = frame[column].map(lambda text, mark=mark: text.replace(mark, ""))
            grouped = next(text for text in texts if mark in text)
            example = example if example[0] else (grouped, grouped.replace(mark, ""))
        elif ambiguous := _ambiguous(texts):
            row = frame.index[(frame[column] == ambiguous).to_numpy().argmax()]
            decimal, whole = re.sub(r"[.,]", ".", ambiguous), re.sub(r"[.,]", "", ambiguous)
            values = {"text": ambiguous, "decimal": decimal, "whole": whole}
            raise data_error("thousands or decimals", name, int(row), str(column), **values)
    if not changed:
        return {}, []
    note = message(
        "separators of thousands", columns=tuple(changed), text=example[0], read=example[1]
    )
    return changed, [note]


def _separator(texts: Sequence[str], *, comma: bool) -> str:
    """Return the mark that certainly separates thousands in a column, "" if none does."""
    matches = {text: _GROUPED.fullmatch(text) for text in texts}
    certain = {
        match["mark"] for match in matches.values() if match and _is_certain(match, comma=comma)
    }
    if len(certain) != 1:
        return ""
    (mark,) = certain
    are_numbers = all(
        (match and match["mark"] == mark) or (_PLAIN.fullmatch(text) and mark not in text)
        for text, match in matches.items()
    )
    return mark if are_numbers else ""


def _is_certain(match: re.Match[str], *, comma: bool) -> bool:
    """Return whether a grouped number cannot be a decimal number."""
    mark, decimals = match["mark"], match["decimals"] or ""
    if decimals.startswith(mark):
        return False
    return bool(match["more"] or decimals or mark not in ".," or (mark == "," and comma))


def _ambiguous(texts: Sequence[str]) -> str:
    """Return a number such as 1.105 among 870 if all marks precede three digits, else ""."""
    marked = [text for text in texts if "." in text or "," in text]
    has_whole = any(map(_WHOLE.fullmatch, texts))
    return marked[0] if has_whole and all(map(_GROUPED.fullmatch, marked)) else ""
