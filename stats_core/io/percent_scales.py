"""Rates in percent and as fractions: which they are, and where a table mixes the two."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.formatting import format_count
from stats_core.core.messages import Audience, message, message_text
from stats_core.io.parse_layout import FileTable
from stats_core.io.row_pairing import file_column
from stats_core.io.vocabulary import in_percent

_CLEAR = 10.0  # a score above this is no fraction, even if it is a poor percentage
_LIKELY = 0.3  # scores of a data set that reach this and not more than 1 are fractions
_HUNDRED = (30.0, 300.0)  # how far apart two algorithms seem if one is given in percent
_DECIMALS = 6  # numbers with more are not rounded


def to_fraction(piece: FileTable, measure: str) -> list[Problem]:
    """Turn percentages into fractions, or say why the scale cannot be known."""
    values = piece.rows[measure].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    low, high = float(values.min()), float(values.max())
    problem = Problem(
        file=piece.rows["file"].iloc[0],
        column=measure,
        must="needs 0-1 or 0-100",
        found=f"Found {low:g} ... {high:g}",
        do="Use one scale",
    )
    odd = low if low < 0 else high
    first = piece.rows[piece.rows[measure] == odd].iloc[0]
    problem = replace(problem, column=file_column(first, measure))
    if low < 0:
        return [replace(problem, do="Correct it: no rate is below 0")]
    if high > 100 * (1 + 1e-9):
        return [replace(problem, do="Correct it: no rate is above 100")]
    above = values[values > 1 + 1e-9]
    if low >= 0 and high <= 1.1 and 0 < len(above) <= 0.2 * len(values):
        piece.notes.append(message("rates above one", measure=measure, n=len(above), high=high))
        return []
    percent = measure in piece.percent or high > 1 + 1e-9
    if not percent or in_percent(measure):  # a unit in the name is shown with it
        return []
    if measure not in piece.percent:
        rows = piece.rows[piece.rows[measure] > 0]
        odd = _mixed(rows, measure, higher=piece.directions[measure] == "higher")
        if odd.any():
            return [_where(problem, piece, rows, odd, measure)]
    piece.rows[measure] = piece.rows[measure] / 100
    piece.notes.append(message("percent", measure=measure, low=low, high=high))
    return []


@message_text("rates above one")
def _above_one(voice: Audience, measure: str, n: int, high: float) -> str:
    return f"{format_count(n, 'value')} of {measure} lie above 1 (up to {high:g}); they are kept as they are."


@message_text("percent")
def _percent(voice: Audience, measure: str, low: float, high: float) -> str:
    return f"{measure} was given in percent ({low:g} to {high:g}) and is kept as a fraction."


def _where(
    problem: Problem, piece: FileTable, rows: pd.DataFrame, odd: pd.Series, measure: str
) -> Problem:
    """Say which values seem to be fractions, and what to do."""
    small, rest = rows[odd], rows[~odd][measure]
    rest = rest[rest > 1]
    names = [small[k].iloc[0] for k in ("algorithm", "dataset") if small[k].nunique() == 1]
    which = f" ({' on '.join(names)})" if names else ""
    found = (
        f"{format_count(len(small), 'value')}{which} {'is' if len(small) == 1 else 'are'} "
        f"{_span(small[measure])}, others are {_span(rest)}"
    )
    named = "write each with a % sign" if "column" in rows else f'name the column "{measure} (%)"'
    column = file_column(small.iloc[0], measure)
    return replace(
        problem,
        row=int(small["line"].iloc[0]),
        column=column,
        found=found,
        do=f"Use one scale. If all are percentages, {named}",
    )


def _span(values: pd.Series) -> str:
    low, high = f"{values.min():g}", f"{values.max():g}"
    return low if low == high else f"{low} to {high}"


def _mixed(rows: pd.DataFrame, measure: str, *, higher: bool) -> pd.Series:
    """Tell which values seem to be fractions among percentages."""
    small = rows[measure] <= 1
    if not small.any():
        return small
    return _mixed_scores(rows, measure, small) if higher else _mixed_errors(rows, measure, small)


def _mixed_scores(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Tell which scores seem to be fractions.

    A small score is a percentage where the others on its data set are small, too.
    """
    if float(small.mean()) > 0.2:
        return small
    by_set = rows[measure].groupby(rows["dataset"])
    middle, top = by_set.transform("median"), by_set.transform("max")
    between = ((rows[measure] > 1) & (rows[measure] <= _CLEAR)).groupby(rows["dataset"])
    apart = (top > _CLEAR) & ~between.transform("any")
    alone = (top <= 1) & (top >= _LIKELY)
    return small & ((middle > _CLEAR) | apart | alone)


def _mixed_errors(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Tell which errors seem to be fractions.

    An error of 0.5 percent is common, so a whole algorithm, data set or cell of both must lie
    below 1 where the rest lies above it, and more must tell the two apart.
    """
    none = small & False
    shares = small.groupby(rows["algorithm"]).transform("mean")
    if (shares == 1).any() and (shares == 0).any():
        return shares == 1
    finer = _more_decimals(rows[measure], small)
    sets = small.groupby(rows["dataset"]).mean()
    if sets.isin([0, 1]).all() and sets.nunique() > 1:
        many = (sets == 1).sum() >= 2 and float((sets == 1).mean()) > 0.2
        return small if finer or many else none
    cell = [rows["dataset"], rows["algorithm"]]
    whole = small.groupby(cell).transform("all")
    for name in rows["dataset"][whole].unique():
        here = rows["dataset"] == name
        block, rest = here & whole, here & ~whole
        if not rest.any() or small[rest].any():
            continue
        ratio = rows[measure][rest].median() / rows[measure][block].median()
        folds = block.groupby(cell).sum().max() >= 3 and rows["algorithm"][rest].nunique() >= 2
        if _HUNDRED[0] <= ratio <= _HUNDRED[1] and (folds or finer):
            return block
    return none


def _more_decimals(values: pd.Series, small: pd.Series) -> bool:
    """Tell whether small values have two decimals more than others, as percentages divided by 100."""
    found = [_decimals(part) for part in (values[small], values[~small])]
    return max(found) <= _DECIMALS and found[0] >= found[1] + 2


def _decimals(values: pd.Series) -> int:
    """Return with how many decimals most of some numbers are written."""
    texts = [f"{value:.12g}".partition(".")[2] for value in values.head(1000)]
    return int(np.median([len(text) for text in texts]))
