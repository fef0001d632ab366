"""Fold histogram of few values: one brick per fold, bins shared by all algorithms."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.fold_histogram_bins import Bins, Numbers, bin_edges
from foldwise.figures.fold_histogram_pair import facing_histograms, overlaid_histograms
from foldwise.figures.fold_histogram_rows import histogram_rows, tick_rows
from foldwise.figures.fold_histogram_values import (
    MOST_BRICKS,
    HistogramFolds,
    describe_range,
    fills_by_algorithm,
)
from foldwise.figures.theme import Style

__all__ = [
    "MOST_ROWS",
    "Form",
    "alt_fold_histogram",
    "bin_edges",
    "fold_histogram",
    "caption_fold_histogram",
    "form_of",
]

Form = Literal["automatic", "facing", "rows", "overlaid"]
#: With more algorithms there are strips of ticks instead of bricks.
MOST_ROWS = 8


def fold_histogram(
    values: pd.DataFrame,
    *,
    measure: str,
    higher_is_better: bool | None,
    style: Style,
    form: Form = "automatic",
    colours: dict[str, str] | None = None,
    selected: Collection[str] = (),
    unit: str = "fold",
) -> go.Figure:
    """Draw the values of all folds as bricks, algorithms in bins they share.

    Parameters
    ----------
    values : DataFrame
        One row per fold, the index its label such as ``"7"`` or ``"2.7"``; one column per
        algorithm, best first. No holes.
    measure : str
        What was measured, for the axis. ``"... (%)"`` makes values percentages.
    higher_is_better : bool
        Its direction; it decides which links are solid. None for values without one, such as
        residuals.
    style : Style
        Surface and width.
    form : {"automatic", "facing", "rows", "overlaid"}
        Facing and overlaid are for two algorithms, otherwise rows are drawn; automatic is
        facing for two. More than eight algorithms are always strips of ticks.
    colours : dict, optional
        Colour per algorithm; by default :func:`foldwise.figures.theme.colours` of the columns. Print
        without colour ignores it.
    selected : collection of str
        Folds that keep full strength while the others fade. Unknown labels count for nothing.
    unit : str
        What one value of each algorithm comes from: "fold", "run".

    Returns
    -------
    Figure
        Bricks and ticks carry the label of their fold as ``customdata``. With more than 60
        folds, or where bricks would be too flat to tell apart, bins are ordinary bars, which
        carry none; the ticks still do. Triangles stand at
        the means and carry none.

    Raises
    ------
    ValueError
        If there is no value or one that is not finite.
    """
    data = values.to_numpy(dtype=float)
    if not data.size or not np.isfinite(data).all():
        raise ValueError("`values` needs at least one fold and one algorithm, all values finite")
    names, labels = [str(c) for c in values.columns], [str(i) for i in values.index]
    drawn = form_of(values, form)
    lit = np.isin(np.array(labels, dtype=object), list(selected))
    folds = HistogramFolds(
        names=names,
        labels=labels,
        values=data,
        measure=measure,
        higher_is_better=higher_is_better,
        bins=Bins.of(data),
        numbers=Numbers.of(values, measure),
        style=style,
        fills=fills_by_algorithm(names, colours, style, drawn),
        lit=lit if lit.any() else np.ones(len(labels), dtype=bool),
        binned=drawn != "strips",
        unit=unit,
    )
    return {
        "facing": facing_histograms,
        "rows": histogram_rows,
        "overlaid": overlaid_histograms,
        "strips": tick_rows,
    }[drawn](folds)


def form_of(
    values: pd.DataFrame, form: Form = "automatic"
) -> Literal["facing_histograms", "histogram_rows", "overlaid_histograms", "tick_rows"]:
    """Return the form in which `values` are drawn when `form` is asked for."""
    if form not in ("automatic", "facing", "rows", "overlaid"):
        raise ValueError(f"`form` must be automatic, facing, rows or overlaid; got {form!r}")
    k = values.shape[1]
    if k > MOST_ROWS:
        return "strips"
    if k != 2 or form == "rows":
        return "rows"
    return "overlaid" if form == "overlaid" else "facing"


def alt_fold_histogram(
    values: pd.DataFrame, *, measure: str, higher_is_better: bool | None, unit: str = "fold"
) -> str:
    """Return the alternative text of the histogram, at most 300 characters."""
    numbers = Numbers.of(values, measure)
    k, count = values.shape[1], len(values)
    direction = {None: "", True: ", higher is better", False: ", lower is better"}[higher_is_better]
    head = (
        f"{unit.capitalize()} histogram of {text.truncate_text(text.plain_text(measure), 60)} for {k} "
        f"algorithm{'s' * (k > 1)} on {count} {unit}{'s' * (count > 1)}{direction}."
    )
    each = []
    for name in values.columns:
        column = values[name].to_numpy(dtype=float)
        mean = numbers.say(float(column.mean()))
        short = text.truncate_text(text.plain_text(name), 48)
        each.append(f"{short} mean {mean}, range {describe_range(column, numbers)}")
    return text.fit_alt_text(f"{head} ", each, "; ", ".", head)


def caption_fold_histogram(
    values: pd.DataFrame,
    *,
    measure: str,
    form: Form = "automatic",
    style: Style | None = None,
    unit: str = "fold",
) -> str:
    """Return what the marks mean, in full sentences for the caption.

    Parameters
    ----------
    values, measure, form
        As for `fold_histogram`.
    style : Style, optional
        The style drawn in, where flat bricks become bars; without one only many folds do.
    unit : str
        What one value of each algorithm comes from.

    Examples
    --------
    >>> caption_fold_histogram(pd.DataFrame({"rf": [0.90, 0.95, 1.0]}), measure="accuracy")
    'One brick per fold; bins of 0.01. Triangles are means.'
    """
    drawn = form_of(values, form)
    bins, numbers = Bins.of(values.to_numpy(dtype=float)), Numbers.of(values, measure)
    if drawn == "strips":
        return f"One tick per {unit}. Triangles are means."
    width = "one bin, as all values are equal"
    if not bins.constant:
        points = " points" if numbers.unit else ""
        width = f"bins of {text.format_minus(bins.width, bins.places)}{points}"
    what = f"Bars count {unit}s" if _has_bars(values, drawn, style) else f"One brick per {unit}"
    words = f"{what}; {width}. Triangles are means."
    if drawn == "facing":
        first, second = (text.plain_text(name) for name in values.columns)
        words += (
            f" Lines join the two values of a {unit}: solid where {first} is better, dashed where "
            f"{second} is"
        )
        equal = values.iloc[:, 0].to_numpy() == values.iloc[:, 1].to_numpy()
        words += ", dotted where they are equal." if equal.any() else "."
    return words


def _has_bars(values: pd.DataFrame, form: Form, style: Style | None) -> bool:
    """Whether bins are bars in place of bricks."""
    if style is None or len(values) > MOST_BRICKS:
        return len(values) > MOST_BRICKS
    fig = fold_histogram(values, measure="", higher_is_better=None, style=style, form=form)
    return all(trace.customdata is None for trace in fig.select_traces({"type": "bar"}))
