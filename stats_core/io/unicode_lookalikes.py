"""Removal of invisible characters, and detection of letters that look like others."""

import unicodedata

import pandas as pd

from stats_core.core.messages import Message, message

# zero width, soft hyphens, direction marks; joiners stay, as some scripts need them
_UNSEEN = dict.fromkeys(
    [0x00AD, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2060, 0x2065)]
    + [*range(0x2066, 0x206A), 0xFEFF],
    "",
)
_BLANKS = dict.fromkeys([0x00A0, 0x2007, 0x202F, 0x3000], " ")
_ODD = {**_UNSEEN, **_BLANKS}
_ODD_LETTERS = frozenset(map(chr, _ODD))
# Cyrillic and Greek letters that look like Latin ones
_LOOKS = dict(
    zip(
        "авсԁеһіјӏмпорԛѕтԝхуАВСЕНІЈКМОРЅТХУԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧανορυικ",
        "abcdehijlmnopqstwxyABCEHIJKMOPSTXYGABEZHIKMNOPTYXavopuik",
        strict=True,
    )
)


def remove_invisible(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Message]]:
    """Return a table of texts without invisible characters, with plain blanks.

    Examples
    --------
    >>> frame, notes = remove_invisible(pd.DataFrame([["rf", "s\u200bvm"]]))
    >>> frame.iloc[0].tolist()
    ['rf', 'svm']
    >>> print(notes[0])
    Invisible letters were left out of 1 cell, such as U+200B in "svm".
    """
    cells, example, changed = 0, ("", ""), {}
    for position, (_, texts) in enumerate(frame.items()):
        joined = "".join(texts.to_list())
        if joined.isascii() or _ODD_LETTERS.isdisjoint(joined):
            continue
        visible = texts.str.translate(_ODD)
        differs = visible != texts
        affected = texts[differs & texts.map(lambda text: any(ord(c) in _UNSEEN for c in text))]
        cells += len(affected)
        if len(affected) and not example[0]:
            letter = next(c for c in affected.iloc[0] if ord(c) in _UNSEEN)
            example = (f"U+{ord(letter):04X}", visible[affected.index[0]])
        changed[position] = visible.str.strip()
    if not changed:
        return frame, []
    frame = frame.copy()
    for position, texts in changed.items():
        frame.isetitem(position, texts)
    notes = [message("invisible letters", cells=cells, letter=example[0], name=example[1])]
    return frame, notes if cells else []


def visible_text(text: str) -> str:
    r"""Return a text on one line without invisible characters.

    Examples
    --------
    >>> visible_text(" balanced\u00a0accu\u200bracy\n")
    'balanced accuracy'
    """
    visible = (
        c
        for c in text.translate(_ODD)
        if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs")
    )
    return " ".join("".join(visible).split())


def latin_skeleton(name: str) -> str:
    """Return a name with look-alike letters replaced by Latin letters.

    Examples
    --------
    >>> latin_skeleton("ѕvм") == latin_skeleton("svm")
    True
    """
    if name.isascii():
        return name
    return "".join(_LOOKS.get(c, c) for c in unicodedata.normalize("NFKC", name[:1000]))


def odd_letters(name: str, beside: str) -> str:
    """Return a description of the first letter in a name that the other name lacks."""
    odd = next((c for c in name if c not in beside), name[0])
    letter_name = unicodedata.name(odd, "a letter without a name").capitalize()
    return f"the letter {letter_name} (U+{ord(odd):04X})"
