"""Words broken into lines."""

from __future__ import annotations

from collections.abc import Callable

from foldwise.figures import text


def wrap_text(
    words: str,
    room: float,
    *,
    wide: Callable[[str], float],
    cut: Callable[[str], str],
    most: int = 3,
) -> list[str]:
    """Break words into lines that fit; what does not fit into the last line is cut.

    Parameters
    ----------
    words : str
        Any text; line breaks count as blanks.
    room : float
        Width of a line, in the unit of `wide`.
    wide : callable
        Text in, its width out.
    cut : callable
        Text in, a form of it out that is at most `room` wide.
    most : int
        Lines at most.

    Returns
    -------
    list of str
        Nothing for a text without words.

    Examples
    --------
    >>> wrap_text("one two three four", 9, wide=len, cut=lambda line: line[:8] + ".", most=2)
    ['one two', 'three fo.']
    """
    lines = [""]
    split = text.plain_text(words).split()
    for place, word in enumerate(split):
        longer = f"{lines[-1]} {word}".strip()
        if wide(longer) <= room or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = " ".join([lines[-1], *split[place:]])
            break
        else:
            lines.append(word)
    return [line if wide(line) <= room else cut(line) for line in lines if line]
