"""Text in figures: escaping, measuring, shortening, and number formats."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from itertools import combinations
from os.path import commonprefix
from pathlib import Path

from PIL import ImageFont

from stats_core.core import formatting

_FINE = 2048  # font size at which ascent and descent are measured
_EM = 100  # fonts are opened at this size and scaled; metrics are linear
_CANDIDATES = {
    False: ("LiberationSans", "Arimo", "Arial", "Helvetica", "DejaVuSans"),
    True: ("LiberationSerif", "Tinos", "Times New Roman", "Times", "STIXGeneral", "DejaVuSerif"),
}
_SUFFIXES = {False: ("-Regular", ""), True: ("-Bold", " Bold", "Bol")}
#: Possible line breaks in names: after a blank, "_", "-" or "/", and before a capital.
_BREAKS = re.compile(r"(?<=[\s_\-/])(?=[^\s_\-/])|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: Line spacing of names in text sizes, on the screen and in print.
LINE = 1.3
_CONTROLS = ("Cc", "Zl", "Zp")  # Unicode categories
_RISE = 0.7  # text sizes between an axis and the start of rotated tick labels
#: Safety factor for widths measured with Pillow's built-in font, which is narrower than drawn text.
_UNKNOWN_FONT = 1.15


def plain_text(name: object) -> str:
    """Return `name` on one line, with control characters replaced by blanks."""
    string = str(name)
    if string.isprintable():
        return string
    return "".join(" " if unicodedata.category(c) in _CONTROLS else c for c in string)


def escape(name: object) -> str:
    """Return `name` escaped so that Plotly does not read it as markup.

    Examples
    --------
    >>> escape("a<b> & c")
    'a&lt;b&gt; &amp; c'
    """
    return plain_text(name).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shortened_markup(shown: str) -> str:
    r"""Return a name shortened by `shorten` as Plotly markup.

    Examples
    --------
    >>> shortened_markup("Random\nForest <2>")
    'Random<br>Forest &lt;2&gt;'
    """
    return "<br>".join(map(escape, shown.split("\n")))


def row_height(shown: Iterable[str], px: float, row: float = 0.0) -> float:
    r"""Return the distance in px between rows of names: `row`, or more if any name takes two lines.

    Examples
    --------
    >>> row_height(["rf", "svm"], 10, 15), round(row_height(["rf", "deep_\nnet"], 10, 15), 1)
    (15, 31.2)
    """
    most = max((name.count("\n") for name in shown), default=0)
    return max(row, LINE * (most + 1.4) * px) if most else row


def is_whole(shown: str, name: object) -> bool:
    """Return whether `shown` is the full name, possibly wrapped."""
    return "".join(shown.split()) == "".join(plain_text(name).split())


@lru_cache(maxsize=1)
def _shipped() -> Path:
    """Return the folder of matplotlib's fonts, found without importing matplotlib."""
    matplotlib = find_spec("matplotlib")
    assert matplotlib is not None  # foldwise requires it
    assert matplotlib.origin is not None
    return Path(matplotlib.origin).parent / "mpl-data" / "fonts" / "ttf"


@lru_cache(maxsize=4)
def _font(serif: bool, bold: bool) -> tuple[ImageFont.FreeTypeFont | ImageFont.ImageFont, float]:
    """Return the font for measuring text, and a correction factor for its widths."""
    for face in _CANDIDATES[serif]:
        for suffix in _SUFFIXES[bold]:
            file = f"{face}{suffix}.ttf"
            for path in (file, _shipped() / file):
                try:
                    return ImageFont.truetype(path, _EM), 1.0
                except OSError:
                    continue
    return ImageFont.load_default(_EM), _UNKNOWN_FONT * (1.08 if bold else 1.0)


def font_file(serif: bool, bold: bool) -> str | None:
    """Return the path of the font used to measure text; None for Pillow's built-in font."""
    return getattr(_font(serif, bold)[0], "path", None)


@lru_cache(maxsize=256)
def text_extent(px: float, serif: bool = False) -> tuple[float, float]:
    """Return ascent and descent in px of text of size `px`.

    Both are whole px, rounded as browsers do, so that centred text has the same position.
    """
    path = font_file(serif, False)
    ascent, descent = 0.9, 0.22  # in text sizes, of Pillow's built-in font
    if path:
        up, down = ImageFont.truetype(path, _FINE).getmetrics()
        ascent, descent = up / _FINE, down / _FINE
    return float(round(ascent * px - 0.01)), float(round(descent * px + 0.05))


def rotate_point(
    point: tuple[float, float], degrees: float, x: float, y: float
) -> tuple[float, float]:
    """Return a point rotated clockwise around (x, y), with y downwards."""
    angle, dx, dy = math.radians(degrees), point[0] - x, point[1] - y
    cosine, sine = math.cos(angle), math.sin(angle)
    return x + dx * cosine - dy * sine, y + dx * sine + dy * cosine


@lru_cache(maxsize=65536)
def text_width(text: str, px: float, serif: bool = False, bold: bool = False) -> float:
    """Return the width in px of `text` at size `px`.

    Measured with Liberation, whose widths equal those of Arial and Times New Roman. East Asian
    wide characters, which it lacks, count as one em. The longest of several lines counts.
    """
    if "\n" in text:
        return max(text_width(line, px, serif, bold) for line in text.split("\n"))
    font, factor = _font(serif, bold)
    wide = [c for c in text if unicodedata.east_asian_width(c) in "WF"]
    narrow = "".join(c for c in text if unicodedata.east_asian_width(c) not in "WF")
    return (font.getlength(narrow) / _EM * factor + len(wide)) * px


def widest(strings: Iterable[str], px: float, serif: bool = False, bold: bool = False) -> float:
    """Return the width in px of the widest of `strings` at size `px`, 0 without any."""
    return max((text_width(string, px, serif, bold) for string in strings), default=0.0)


def shorten(
    names: Sequence[str],
    max_px: float,
    px: float,
    *,
    serif: bool = False,
    bold: bool = False,
    lines: int = 1,
) -> dict[str, str]:
    r"""Return a distinct string for each name, of at most `max_px` px if that fits a letter and an ellipsis.

    Long names are wrapped if `lines` allows it; lines that are still too wide lose their middle.
    The results are always distinct: if two shortened names are equal, the cut moves to another
    position, then to the start, which the names have in common. If that does not help, the names
    are numbered.

    Examples
    --------
    >>> shorten(["RandomForestClassifier"], 90, 12, lines=2)
    {'RandomForestClassifier': 'RandomForest\nClassifier'}
    >>> shorten(["accuracy: LightGBM"], 90, 12, lines=2)
    {'accuracy: LightGBM': 'accuracy:\nLightGBM'}
    """

    def fits(text: str) -> bool:
        return text_width(text, px, serif, bold) <= max_px

    shown = {name: _wrapped(plain_text(name), fits, lines) for name in names}
    for share in (0.7, 0.3, 0.85, 0.15, 1.0, 0.0):
        twins = _twins(shown)
        if not twins:
            return shown
        shown.update({name: _cut(plain_text(name), fits, share) for name in twins})
    twins = [name for name in _twins(shown) if not fits(plain_text(name))]
    start = len(commonprefix([plain_text(name) for name in twins]))
    for name in twins:
        shown[name] = _cut(_without_start(plain_text(name), start), fits, 1.0)
    return _numbered(shown, fits)


def column_headers(
    names: Sequence[str], column: float, room: float, px: float, *, serif: bool = False
) -> dict[str, str]:
    """Return column headers: on up to two lines if all fit, else on one line to be rotated."""
    level = shorten(names, column - 4, px, serif=serif, lines=2)
    if all(is_whole(shown, name) for name, shown in level.items()):
        return level
    return shorten(names, room, px, serif=serif)


def header_height(
    shown: Iterable[str], column: float, px: float, *, serif: bool = False
) -> tuple[float, bool]:
    """Return the height in px that column headers take above the cells, and whether they are rotated."""
    shown = list(shown)
    width = widest(shown, px, serif)
    if width > column - 4:
        return width + _RISE * px, True
    return row_height(shown, px, px), False


def _wrapped(name: str, fits: Callable[[str], bool], lines: int) -> str:
    """Return a name in as few balanced lines as possible, broken between words if it fits; long lines are shortened."""
    pieces, best = _BREAKS.split(name), name
    for count in range(1, min(lines, len(pieces)) + 1):
        ways: dict[
            str, tuple[int, int]
        ] = {}  # breaks within words, and letters of the longest line
        for cuts in combinations(range(1, len(pieces)), count - 1):
            bounds = itertools.pairwise((0, *cuts, len(pieces)))
            parts = ["".join(pieces[start:end]).strip() for start, end in bounds]
            broken = [pieces[cut - 1] for cut in cuts if pieces[cut - 1][-1].isalnum()]
            ways["\n".join(parts)] = len(broken), max(len(part) for part in parts)
        if fitting := [way for way in ways if fits(way)]:
            return min(fitting, key=ways.__getitem__)
        best = min(ways, key=lambda way: ways[way][1])
    return "\n".join(_cut(line, fits, 0.5) for line in best.split("\n"))


def _twins(shown: dict[str, str]) -> list[str]:
    count = Counter(shown.values())
    return [name for name, text in shown.items() if count[text] > 1]


def _cut(text: str, fits: Callable[[str], bool], share: float, tail: str = "") -> str:
    """Return `text` + `tail`, with `text` cut as little as needed to fit and a `share` of it before the ellipsis."""
    if fits(text + tail):
        return text + tail
    low, high = 1, len(text) - 1
    best = text[:1] + "…" + tail
    while low <= high:
        keep = (low + high) // 2
        head = math.ceil(keep * share)
        end = len(text) - (keep - head)
        candidate = text[:head].rstrip() + "…" + text[end:].lstrip() + tail
        if fits(candidate):
            best, low = candidate, keep + 1
        else:
            high = keep - 1
    return best


def _without_start(name: str, length: int) -> str:
    """Return an ellipsis and the end of a name, from the last word that starts in its first `length` letters on."""
    word_starts = [match.start() for match in _BREAKS.finditer(name)]
    start = max((at for at in word_starts if at <= length), default=0)
    return "…" + name[start:]


def _numbered(shown: dict[str, str], fits: Callable[[str], bool]) -> dict[str, str]:
    """Return texts made distinct by numbers at the end."""
    twins = set(_twins(shown))
    result = {name: text for name, text in shown.items() if name not in twins}
    used = set(result.values())
    number = 0
    for name in shown:
        if name not in twins:
            continue
        text = shown[name]
        while text in used:
            number += 1
            text = _cut(plain_text(name), fits, 1.0, tail=f" {number}")
        used.add(text)
        result[name] = text
    return {name: result[name] for name in shown}


def format_signed(value: float, decimals: int) -> str:
    """Return a number with its sign, U+2212 for minus; zero has no sign."""
    text = f"{abs(value):.{decimals}f}"
    if float(text) == 0:
        return text
    return ("+" if value > 0 else "\N{MINUS SIGN}") + text


def format_minus(value: float, decimals: int) -> str:
    """Return a number with U+2212 as minus sign."""
    return format_signed(value, decimals).removeprefix("+")


def join_escaped(items: Iterable[str], most: int) -> str:
    """Return at most `most` items separated by commas, and the number of omitted items."""
    every = list(items)
    n_omitted = len(every) - most
    return ", ".join(every[:most]) + (f" and {n_omitted} more" if n_omitted > 0 else "")


def truncate_text(text: str, most: int = 300) -> str:
    """Return `text`, truncated at a word with an ellipsis if longer than `most`."""
    if len(text) <= most:
        return text
    whole_words = text[: most - 1].rsplit(" ", 1)[0]
    return whole_words.rstrip(",;") + "…"


def short_name(name: object, most: int) -> str:
    """Return `name` on one line of at most `most` characters."""
    return truncate_text(plain_text(name), most)


def fit_alt_text(
    head: str, clauses: Sequence[str], joint: str, end: str, instead: str, more: str = ""
) -> str:
    """Return an alternative text with as many clauses as fit into 300 characters.

    Clauses are joined by `joint`; the number of omitted clauses follows `more`. If not even the
    first clause fits, return `instead`, truncated.
    """
    for shown in range(len(clauses), 0, -1):
        omitted = f"{more or joint}{len(clauses) - shown} more" if shown < len(clauses) else ""
        sentence = f"{head}{joint.join(clauses[:shown])}{omitted}{end}"
        if len(sentence) <= 300:
            return sentence
    return truncate_text(instead)


def decimals_for(values: Iterable[float]) -> int:
    """Return the number of decimals, at most 4, that shows two digits of the median size; 1 without nonzero values."""
    sizes = sorted(abs(v) for v in values if math.isfinite(v) and v != 0)
    if not sizes:
        return 1
    typical = sizes[len(sizes) // 2]
    return min(max(1 - math.floor(math.log10(typical)), 0), 4)


def format_interval(low: float, high: float, places: int) -> str:
    """Return an interval as text, with parentheses at infinite ends; "" if an end is missing."""
    if math.isnan(low) or math.isnan(high):
        return ""
    return formatting.format_interval(low, high, places)


def wrap_text(
    words: str,
    room: float,
    *,
    wide: Callable[[str], float],
    cut: Callable[[str], str],
    most: int = 3,
) -> list[str]:
    """Return text wrapped into at most `most` lines; `cut` shortens those wider than `room`.

    Examples
    --------
    >>> wrap_text("one two three four", 9, wide=len, cut=lambda line: line[:8] + ".", most=2)
    ['one two', 'three fo.']
    """
    lines = [""]
    parts = plain_text(words).split()
    for position, word in enumerate(parts):
        longer = f"{lines[-1]} {word}".strip()
        if wide(longer) <= room or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] = " ".join([lines[-1], *parts[position:]])
            break
        else:
            lines.append(word)
    return [line if wide(line) <= room else cut(line) for line in lines if line]
