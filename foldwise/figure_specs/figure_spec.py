"""A figure with everything that goes with it: title, caption and numbers."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial, wraps
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import theme
from foldwise.figures.theme import Style
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_percent
from stats_core.core.process_cache import ProcessLocalDict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FigureSpec:
    """A figure of an analysis, drawn when asked for.

    Attributes
    ----------
    name : str
        Start of its file names; unique within an analysis.
    title : str
        What is drawn, or the finding.
    how_to_read : str
        What one mark is, what to look for, what not to conclude.
    alt : str
        For screen readers.
    data : DataFrame
        The numbers drawn.
    build : callable
        Style in, Plotly figure out.
    caption : callable
        Style in, caption out.
    papers : tuple of str
        Keys of the publications that what is drawn rests on, if no methods paragraph cites them.
    tested : str
        Test, level and number of results in one line, "" where nothing is tested.
    forms : Forms, optional
        Where the figure has two forms.
    steps : Steps, optional
        Where it has a slider on the screen.
    whole : callable, optional
        Returns the numbers of everything, where only part of it is drawn.
    """

    name: str
    title: str
    how_to_read: str
    alt: str
    data: pd.DataFrame
    build: Callable[[Style], go.Figure]
    caption: Callable[[Style], str] = lambda style: ""
    papers: tuple[str, ...] = ()
    tested: str = ""
    forms: "FigureVariants | None" = None
    steps: "SliderLevels | None" = None
    whole: Callable[[], pd.DataFrame] | None = None

    def numbers(self) -> pd.DataFrame:
        """Return what a file of its numbers holds: everything, drawn or not."""
        return self.data if self.whole is None else self.whole()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FigureVariants:
    """The two forms of a figure: a diagram, and a list with a row for each name.

    Attributes
    ----------
    taken : callable
        Style in, the form out that the figure has there.
    made : callable
        Form in, the drawing out.
    """

    taken: Callable[[Style], str]
    made: Callable[[str], FigureSpec]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SliderLevels:
    """What a slider shows, in words.

    Attributes
    ----------
    of : str
        What it moves, such as ``"Level"``.
    said : mapping of float to str
        What holds at each step, ascending.
    chosen : float
        The step of everything else that is said.
    """

    of: str
    said: Mapping[float, str]
    chosen: float


DRAWINGS = "_drawings"  # under which name they are kept with what they draw
_MOST = 24  # drawings kept with what they draw; those used longest ago leave first
_STYLES = 2  # figures kept with one drawing
_NOT_KEPT = object()


def cached_figure(
    function: Callable[..., Any] | None = None, *, at_every_level: bool = False
) -> Callable[..., Any]:
    """Keep the drawings of a comparison used last, with their figures, in the comparison itself.

    The first argument is what is drawn. Calls are alike where the others are equal, tables by what
    they hold; a call with something else that has no hash is not kept. Who changes a figure copies it first.
    What is the same `at_every_level` of significance is kept with the results that are compared.
    """
    if function is None:
        return partial(cached_figure, at_every_level=at_every_level)

    @wraps(function)
    def made(subject: Any, *more: Any, **how: Any) -> Any:
        holder, settings = subject, None
        if at_every_level:
            holder, settings = subject.results, replace(subject.settings, alpha=0.05)
        try:
            key = (function, settings, _frozen(more), _frozen(how))
        except TypeError:  # no hash
            return function(subject, *more, **how)
        store = ProcessLocalDict()
        if hasattr(holder, "__dict__"):
            store = vars(holder).setdefault(DRAWINGS, store)
        found = store.pop(key, _NOT_KEPT)
        if found is _NOT_KEPT:
            found = _remembering(function(subject, *more, **how))
            while len(store) >= _MOST:
                store.pop(next(iter(store)), None)
        store[key] = found
        return found

    vars(made)["at_every_level"] = at_every_level
    return made


def _frozen(value: Any) -> Hashable:
    """Return what stands for a value in a key."""
    if isinstance(value, dict):
        return tuple((name, _frozen(one)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, pd.DataFrame | pd.Series):
        return tuple(_frozen(part.to_numpy()) for part in (*value.axes, value))
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return _frozen(value.tolist())
        return value.shape, value.dtype.str, sha256(value.tobytes()).digest()
    hash(value)
    return value


def _remembering(found: Any) -> Any:
    """Return a drawing, or a list of them, whose figures and captions are made once per style."""
    if isinstance(found, list):
        return [_remembering(one) for one in found]
    if isinstance(found, FigureSpec):
        once = lru_cache(maxsize=_STYLES)
        return replace(found, build=once(found.build), caption=once(found.caption))
    return found


MOST_NAMES = 60  # algorithms a matrix or a map has room for

Colours = Mapping[str, str] | None


def fold_labels(table: pd.DataFrame | pd.Series) -> pd.DataFrame | pd.Series:
    """Name folds as the figures do: "7", or "2.7" for fold 7 of repetition 2."""
    names = fold_names(table.index.to_frame(index=False))
    return table.set_axis(pd.Index(names, name="fold"))


def fold_names(folds: pd.DataFrame) -> list[str]:
    """Return the names of folds from their columns repetition and fold."""
    names = folds["fold"].astype(str)
    if folds["repetition"].nunique() < 2:
        return list(names)
    if folds["fold"].nunique() < 2:  # runs: the repetition tells them apart
        return list(folds["repetition"].astype(str))
    return list(folds["repetition"].astype(str) + "." + names)


def coverage_text(analysis: Comparison) -> str:
    """Return the coverage of intervals, for example "95 %"."""
    return format_percent(1 - analysis.settings.alpha)


def colors_of(
    given: Colours, algorithms: Sequence[str], highlight: Collection[str], style: Style
) -> dict[str, str]:
    """Return the colour of every algorithm: the given one, or the one its place in the data has."""
    if given is not None:
        return dict(given)
    return theme.colours(list(algorithms), highlight, dark=style.dark)


def screen_selection(names: Collection[str], style: Style) -> Collection[str]:
    """Return what is selected, which print shows only where the style keeps it."""
    return names if style.selects else ()


def tested_line(analysis: Comparison) -> str:
    """Return test, level and number of results in one line, to be printed on a figure.

    Such as "Bergmann-Hommel on Wilcoxon, alpha = 0.05, 38 data sets".
    """
    return f"{analysis.post}, \u03b1 = {analysis.settings.alpha:g}, {analysis.counted}"


def win_tie_loss_texts(wins: pd.DataFrame, ties: pd.DataFrame) -> pd.DataFrame:
    """Return "won/tied/lost" of the row against the column."""
    won, tied = wins.to_numpy(), ties.loc[wins.index, wins.columns].to_numpy()
    cells = [
        [f"{w}/{t}/{lost}" for w, t, lost in zip(*rows, strict=True)]
        for rows in zip(won, tied, won.T, strict=True)
    ]
    return pd.DataFrame(cells, index=wins.index, columns=wins.columns)


def pairwise_differences(values: pd.Series) -> pd.DataFrame:
    """Return the value of the row minus that of the column."""
    found = values.to_numpy()
    return pd.DataFrame(found[:, None] - found, index=values.index, columns=values.index)
