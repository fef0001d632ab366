"""Letters that nobody sees, and letters that look like others."""

import unicodedata

import pandas as pd

from stats_core.core.formatting import format_count, quote
from stats_core.core.messages import Audience, Message, message, message_text

# zero width, soft hyphens, marks of direction; joiners stay, some scripts need them
_UNSEEN = dict.fromkeys(
    [0x00AD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2065)]
    + [*range(0x2066, 0x206A), 0xFEFF],
    "",
)
_BLANKS = dict.fromkeys([0x00A0, 0x2007, 0x202F, 0x3000], " ")
_ODD = {**_UNSEEN, **_BLANKS}
_ODD_LETTERS = frozenset(map(chr, _ODD))
# Cyrillic and Greek letters drawn as Latin ones are
_LOOKS = dict(
    zip(
        "авсԁеһіјӏмпорԛѕтԝхуАВСЕНІЈКМОРЅТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικ",
        "abcdehijlmnopqstwxyABCEHIJKMOPSTXYGABEZHIKMNOPTYXavopuik",
        strict=True,
    )
)


def remove_invisible(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return a table of texts without letters that nobody sees, and blanks as plain blanks.

    Examples
    --------
    >>> frame, notes = remove_invisible(pd.DataFrame([["rf", "s\u200bvm"]]))
    >>> frame.iloc[0].tolist()
    ['rf', 'svm']
    >>> print(notes[0])
    Invisible letters were left out of 1 cell, such as U+200B in "svm".
    """
    cells, example, changed = 0, ("", ""), {}
    for place, (_, texts) in enumerate(frame.items()):
        whole = "".join(texts.to_list())
        if whole.isascii() or _ODD_LETTERS.isdisjoint(whole):
            continue
        bare = texts.str.translate(_ODD)
        unlike = bare != texts
        unseen = texts[unlike & texts.map(lambda text: any(ord(c) in _UNSEEN for c in text))]
        cells += len(unseen)
        if len(unseen) and not example[0]:
            letter = next(c for c in unseen.iloc[0] if ord(c) in _UNSEEN)
            example = (f"U+{ord(letter):04X}", bare[unseen.index[0]])
        changed[place] = bare.str.strip()
    if not changed:
        return frame, []
    frame = frame.copy()
    for place, texts in changed.items():
        frame.isetitem(place, texts)
    said = [message("invisible letters", cells=cells, letter=example[0], name=example[1])]
    return frame, said if cells else []


@message_text("invisible letters")
def _invisible(voice: Audience, cells: int, letter: str, name: str) -> str:
    return (
        f"Invisible letters were left out of {format_count(cells, 'cell')}, such as {letter} in "
        f"{quote(name, 40)}."
    )


def visible_text(text: str) -> str:
    r"""Return one text without letters that nobody sees, on one line.

    Examples
    --------
    >>> visible_text(" balanced\u00a0accu\u200bracy\n")
    'balanced accuracy'
    """
    seen = (
        c
        for c in text.translate(_ODD)
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs")
    )
    return " ".join("".join(seen).split())


def latin_skeleton(name: str) -> str:
    """Return what a name looks like in Latin letters.

    Examples
    --------
    >>> latin_skeleton("ѕvм") == latin_skeleton("svm")
    True
    """
    if name.isascii():
        return name
    return "".join(_LOOKS.get(c, c) for c in unicodedata.normalize("NFKC", name[:1000]))


def odd_letters(name: str, beside: str) -> str:
    """Say which letter of a name another one does not have."""
    odd = next((c for c in name if c not in beside), name[0])
    called = unicodedata.name(odd, "a letter without a name").capitalize()
    return f"the letter {called} (U+{ord(odd):04X})"
