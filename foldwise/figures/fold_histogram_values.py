"""The values a fold histogram draws, with their bins, words and fills."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from foldwise.figures import text, theme, traces
from foldwise.figures.fold_histogram_bins import Bins, Numbers
from foldwise.figures.theme import Style

#: With more folds a bin is one ordinary bar.
MOST_BRICKS = 60
CLEAR = "rgba(0,0,0,0)"
GREY_FILL = "#BDBDBD"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramFolds:
    """Everything the forms need to know."""

    names: list[str]  # names, labels: algorithms and folds
    labels: list[str]
    values: np.ndarray  # folds by algorithms
    measure: str
    higher_is_better: bool | None
    bins: Bins
    numbers: Numbers
    style: Style
    fills: list[str]  # colour per algorithm
    lit: np.ndarray  # which folds keep full strength
    binned: bool  # whether the form draws bins
    unit: str = "fold"  # what one value of each algorithm comes from

    @property
    def single(self) -> bool:
        """Whether every fold has a brick of its own."""
        return len(self.labels) <= MOST_BRICKS

    def plain(self, unit: float) -> bool:
        """Whether a bin is one bar: folds would be too many, or bricks of `unit` px too flat."""
        return not self.single or abs(unit) < self.style.px(4.0, 2.4)

    def tallest(self, algorithm: int) -> int:
        """Return the height of the highest stack of an algorithm in folds."""
        return int(np.bincount(self.bins.index(self.values[:, algorithm])).max())

    def constant_words(self) -> str:
        """Return what is written where all values are equal."""
        count = len(self.labels)
        which = f"the only {self.unit}" if count == 1 else f"all {count} {self.unit}s"
        return f"{which} {self.numbers.say(float(self.values.flat[0]))}"

    def hovers(self, algorithm: int) -> list[str]:
        """Return the hover text of every value of an algorithm."""
        values = self.values[:, algorithm]
        bins = [""] * len(values)
        if self.binned and not self.bins.constant:
            index = self.bins.index(values)
            held = np.bincount(index)
            bins = [f"<br>bin {self.bins.name(int(i))} holds {held[i]}" for i in index]
        name = text.escape(self.names[algorithm])
        return [
            f"<b>{name}, {self.unit} {text.escape(label)}</b>: {self.numbers.full(float(value))}{held_in}"
            f"<br>{traces.click_hint('fold', noun=self.unit)}"
            for label, value, held_in in zip(self.labels, values, bins, strict=True)
        ]


def fill_and_edge(colour: str, style: Style) -> tuple[str, str]:
    """Return fill and edge of an area: light within its colour; without colour, grey within ink."""
    if style.colour:
        return theme.light_fill(colour, style), colour
    return colour, style.page if colour == style.ink else style.ink


def describe_range(values: np.ndarray, numbers: Numbers) -> str:
    """Return the range of `values` in words."""
    return f"{numbers.say(float(values.min()))} to {numbers.say(float(values.max()))}"


def short_names(
    folds: HistogramFolds, share: float, size: float, pitch: float = math.inf
) -> tuple[list[str], float]:
    """Return the names to print, escaped, none wider than a share, and the widest of them.

    They take two lines where rows are far enough apart, in px.
    """
    style = folds.style
    lines = 2 if pitch >= text.row_height(["\n"], size) else 1
    short = text.shorten(folds.names, share * style.width, size, serif=style.serif, lines=lines)
    widest = max(text.text_width(s, size, style.serif) for s in short.values())
    return [text.shortened_markup(short[name]) for name in folds.names], widest


def fills_by_algorithm(
    names: Sequence[str], colours: dict[str, str] | None, style: Style, form: str
) -> list[str]:
    """Return the fill of every algorithm: its colour, or in print without colour a grey."""
    if style.printed and not style.colour:
        pair = {"facing": ["#000000", "#FFFFFF"], "overlaid": [GREY_FILL, CLEAR]}
        return pair.get(form, [GREY_FILL] * len(names))
    known = theme.colours(list(names), dark=style.dark) if colours is None else colours
    return [known.get(name, theme.GREY) for name in names]
