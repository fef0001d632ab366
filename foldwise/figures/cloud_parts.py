"""What all figures of clouds share: who is drawn, how, and how far the axes reach."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from foldwise.figures import text, theme
from foldwise.figures.ellipses import gaussian_radius
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, Style
from stats_core.data.measures import MEASURES, known_name

Window = tuple[tuple[float, float], ...]
#: Folds closer than this share of an axis cannot be told apart.
_SAME = 0.004


@dataclass(frozen=True, slots=True)
class CloudStyle:
    """How one algorithm is drawn."""

    name: str
    colour: str
    symbol: str
    dash: str
    strength: float
    own: bool  # whether its colour is its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Clouds:
    """Algorithms with their folds in some measures.

    Attributes
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), a column per measure.
    covariances : mapping of algorithm to array, measure x measure
        Of the folds.
    regions : mapping of algorithm to array, measure x measure
        Of the means, A of (mu - mean)' A^-1 (mu - mean) <= 1; empty where none are drawn.
    levels : tuple of float
        Shares of folds that contours hold.
    level : str
        Confidence of the regions, such as "95 %".
    unit : str
        What one result comes from, such as "fold".
    selected : collection of str
        Folds that keep full strength while the others fade.
    pens : tuple of Pen
    window : tuple of (float, float)
        The ends of the axis of each measure.
    cells : mapping of algorithm to array, fold x measure
        Numbers that are the same for folds which nobody could tell apart on that axis.
    style : Style
    """

    folds: Mapping[str, pd.DataFrame]
    covariances: Mapping[str, np.ndarray]
    regions: Mapping[str, np.ndarray]
    levels: tuple[float, ...]
    level: str
    unit: str
    selected: Collection[str]
    pens: tuple[CloudStyle, ...]
    window: Window
    cells: Mapping[str, np.ndarray]
    style: Style

    @property
    def measures(self) -> list[str]:
        """The measures, not escaped."""
        return [str(name) for name in next(iter(self.folds.values())).columns]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of an algorithm."""
        return self.folds[name].to_numpy(dtype=float).mean(axis=0)

    def in_plane(self, column: int, row: int) -> Clouds:
        """Return the same in two of the measures: x, then y."""
        both = [column, row]
        block = np.ix_(both, both)
        return replace(
            self,
            folds={name: table.iloc[:, both] for name, table in self.folds.items()},
            covariances={name: shape[block] for name, shape in self.covariances.items()},
            regions={name: shape[block] for name, shape in self.regions.items()},
            window=tuple(self.window[i] for i in both),
            cells={name: cells[:, both] for name, cells in self.cells.items()},
        )

    def of(self, name: str) -> Clouds:
        """Return one of the algorithms, on the same axes; alone it needs no dashes."""
        pens = tuple(replace(pen, dash=DASHES[0]) for pen in self.pens if pen.name == name)
        return replace(self, folds={name: self.folds[name]}, pens=pens)

    def by_look(self) -> list[list[CloudStyle]]:
        """Return the pens by their look; those without a colour of their own come first, together."""
        looks: dict[tuple, list[CloudStyle]] = {}
        for pen in self.pens:
            look = (pen.own, pen.colour, pen.symbol, pen.dash, pen.strength)
            looks.setdefault(look, []).append(pen)
        return sorted(looks.values(), key=lambda group: group[0].own)


def cloud_styles(
    names: Sequence[str], colours: Mapping[str, str] | None, lit: Collection[str], style: Style
) -> tuple[CloudStyle, ...]:
    """Return how algorithms are drawn; those that are not `lit` fade, if any is."""
    hues = colours or theme.colours(list(names), dark=style.dark)
    return tuple(
        CloudStyle(
            name,
            hues[name] if style.colour else style.ink,
            MARKERS[i % 8 if hues[name] != GREY else 0],
            DASHES[i % 6 if hues[name] != GREY and not style.colour else 0],
            FADED if lit and name not in lit else 1.0,
            hues[name] != GREY,
        )
        for i, name in enumerate(names)
    )


def axis_ranges(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    regions: Mapping[str, np.ndarray],
    levels: Sequence[float],
) -> Window:
    """Return the axis ranges: all folds, contours and regions, and 7 % more; rates end at 0 and 1."""
    outer = gaussian_radius(max(levels)) if levels else 0.0
    reach = []
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)
        shapes = [outer**2 * covariances[name], *([regions[name]] if name in regions else [])]
        half = np.sqrt(np.clip([np.diag(shape) for shape in shapes], 0, None)).max(axis=0)
        reach += [values, values.mean(axis=0) - half, values.mean(axis=0) + half]
    every = np.vstack(reach)
    low, high = every.min(axis=0), every.max(axis=0)
    rates = [_is_rate(name) for name in next(iter(folds.values())).columns]
    low, high = np.where(rates, [np.maximum(low, 0), np.minimum(high, 1)], [low, high])
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    ends = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
    return tuple(
        (max(a, -0.02), min(b, 1.02)) if rate else (a, b)
        for (a, b), rate in zip(ends, rates, strict=True)
    )


def number_distinct_values(
    folds: Mapping[str, pd.DataFrame], window: Window
) -> dict[str, np.ndarray]:
    """Number the values of each measure so that those that cannot be told apart have one number."""
    values = np.concatenate([table.to_numpy(dtype=float) for table in folds.values()])
    cells = np.column_stack([_cells(values[:, i], window[i]) for i in range(values.shape[1])])
    ends = np.cumsum([len(table) for table in folds.values()])[:-1]
    return dict(zip(folds, np.split(cells, ends), strict=True))


def _cells(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Number values; a number ends at a width from the first value that has it."""
    width, cells = _SAME * (ends[1] - ends[0]), np.zeros(len(values), dtype=int)
    first, cell = -math.inf, -1
    for place in np.argsort(values, kind="stable"):
        if values[place] > first + width:
            first, cell = values[place], cell + 1
        cells[place] = cell
    return cells


def _is_rate(name: object) -> bool:
    """Whether a measure lies in [0, 1] by definition."""
    known = MEASURES.get(known_name(str(name)))
    return known is not None and known.rate


def trace_group_name(pens: Sequence[CloudStyle]) -> str:
    """Return the name of traces of algorithms that look alike."""
    return text.escape(pens[0].name) if len(pens) == 1 else "others"


def short_hover(pens: Sequence[CloudStyle], said: str) -> dict[str, str]:
    """Return what hover says of every mark of several algorithms alike, below what it says of one."""
    if len(pens) == 1:
        return {}
    return {"hovertemplate": f"<b>%{{hovertext}}</b><br>{said}<extra></extra>"}
