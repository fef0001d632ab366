"""What the figure of ROC curves says in words: axes, alternative text, caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd

from foldwise.figures import text

Kind = Literal["roc", "pr", "sensitivity"]
#: Short names of x and y, for hover and alternative text.
AXES = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}
TITLES = {
    "roc": ("false positive rate (fpr)", "true positive rate (tpr)"),
    "pr": ("recall", "precision"),
    "sensitivity": ("specificity", "sensitivity"),
}
_CURVES = {"roc": "ROC", "pr": "Precision-recall", "sensitivity": "Sensitivity-specificity"}
_AREAS = {"roc": "AUC", "pr": "AUC-PR", "sensitivity": "AUC"}


def check_kind(kind: str) -> None:
    """Refuse any other kind of curve than the three there are."""
    if kind not in AXES:
        raise ValueError(f"`kind` must be roc, pr or sensitivity; got {kind!r}")


def alt_roc(
    averages: Mapping[str, pd.DataFrame],
    *,
    kind: Kind,
    areas: Mapping[str, float],
    folds: int = 2,
) -> str:
    """Return the alternative text of the figure, at most 300 characters.

    Parameters
    ----------
    averages : mapping of algorithm to DataFrame
        As for :func:`foldwise.figures.roc.roc`; with two of them it is said where they first cross.
    kind : {"roc", "pr", "sensitivity"}
        What x and y are.
    areas : mapping of algorithm to float
        Mean area under the curves of the folds; what is missing is left out.
    folds : int
        How many there are; of one test set nothing is a mean.

    Examples
    --------
    >>> knn = pd.DataFrame({"x": [0, 0.4, 1], "y": [0, 0.9, 1]})
    >>> mdt = pd.DataFrame({"x": [0, 0.1, 1], "y": [0, 0.7, 1]})
    >>> said = alt_roc({"knn": knn, "mdt": mdt}, kind="roc", areas={"knn": 0.76, "mdt": 0.8})
    >>> said.split(". ")[1]
    'Mean AUC knn 0.76, mdt 0.80; curves cross at fpr 0.35.'
    """
    check_kind(kind)
    names = list(dict.fromkeys([*averages, *areas]))
    head = f"{_CURVES[kind]} curves of {len(names)} algorithm{'s' * (len(names) != 1)}."
    known = [(name, value) for name, value in areas.items() if np.isfinite(value)]
    each = [f"{text.truncate_text(text.plain_text(name), 48)} {value:.2f}" for name, value in known]
    crossing = _crossing_words(averages, AXES[kind][0])
    said = f" {crossing[0].upper()}{crossing[1:]}." if crossing else ""
    end = f"{'; ' + crossing if crossing else ''}."
    start = f"{head} {'Mean ' if folds > 1 else ''}{_AREAS[kind]} "
    return text.fit_alt_text(start, each, ", ", end, f"{head}{said}", " and ")


def _crossing_words(averages: Mapping[str, pd.DataFrame], axis: str) -> str:
    """Return where two averages cross; nothing is said of more or fewer."""
    tables = [table.dropna(subset=["x", "y"]) for table in averages.values()]
    if len(tables) != 2 or not all(len(table) for table in tables):
        return ""
    place = first_crossing(*tables)
    return "curves do not cross" if np.isnan(place) else f"curves cross at {axis} {place:.2g}"


def first_crossing(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Return the smallest x at which two curves change places, NaN if there is none.

    Parameters
    ----------
    first, second : DataFrame
        Columns x and y. Between its points a curve is straight.

    Returns
    -------
    float
        Where the sign of the difference changes; the middle of a stretch on which the curves
        are one. Common ends are no crossing.

    Examples
    --------
    >>> line = pd.DataFrame({"x": [0, 1], "y": [0.0, 1.0]})
    >>> bent = pd.DataFrame({"x": [0, 0.25, 1], "y": [0.5, 0.5, 0.5]})
    >>> first_crossing(line, bent)
    0.5
    """
    first, second = (table.sort_values("x", kind="stable") for table in (first, second))
    low = max(first["x"].iloc[0], second["x"].iloc[0])
    high = min(first["x"].iloc[-1], second["x"].iloc[-1])
    grid = np.union1d(first["x"], second["x"])
    grid = grid[(grid >= low) & (grid <= high)]
    gap = np.interp(grid, first["x"], first["y"]) - np.interp(grid, second["x"], second["y"])
    apart = np.flatnonzero(np.abs(gap) > 1e-9)
    for before, after in zip(apart[:-1], apart[1:], strict=True):
        if gap[before] * gap[after] > 0:
            continue
        if after > before + 1:
            return float(grid[before + 1] + grid[after - 1]) / 2
        share = gap[before] / (gap[before] - gap[after])
        return float(grid[before] + share * (grid[after] - grid[before]))
    return float("nan")


def caption_roc(
    kind: Kind,
    average: str,
    band: str,
    n_folds: int,
    *,
    folds_of: Sequence[str] | None = None,
    unit: str = "fold",
    inset: bool = False,
) -> str:
    """Return the sentence under the figure.

    Parameters
    ----------
    kind, average, band
        As for :func:`foldwise.figures.roc.roc`.
    n_folds : int
        Number of folds.
    folds_of : sequence of str, optional
        The algorithms whose single folds are drawn; None if that is not known.
    unit : str
        What one curve of each algorithm comes from.
    inset : bool
        Whether the best corner is drawn larger.

    Examples
    --------
    >>> caption_roc("roc", "", "", 10)
    'Thin curves: the ROC curves of 10 folds. Dotted: guessing.'
    """
    check_kind(kind)
    what = "ROC" if kind == "roc" else _CURVES[kind].lower()
    tail = "Dotted: guessing." + " Inset: the framed corner." * inset
    if n_folds == 1:
        return f"The {what} curve of each on its one set of cases: no average, no band. {tail}"
    curves = f"{what} curves of {n_folds} {unit}s"
    words = f"Thick curves: {text.plain_text(average)} of the {curves}"
    if folds_of is None:
        words += f"; thin ones, where drawn, are single {unit}s."
    elif folds_of:
        words += f"; thin ones: the single {unit}s of {text.join_escaped(map(text.plain_text, folds_of), 3)}."
    else:
        words += "."
    if not average:
        words = f"Thin curves: the {curves}."
    if band:
        words += f" Band: {text.plain_text(band)}."
    return f"{words} {tail}"
