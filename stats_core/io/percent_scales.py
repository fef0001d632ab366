"""Conversion of rates in percent to fractions, and detection of mixed scales."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.core.errors import Problem
from stats_core.core.formatting import format_count
from stats_core.core.messages import message
from stats_core.io.parse_layout import FileTable
from stats_core.io.problems import problem_of
from stats_core.io.row_pairing import file_column
from stats_core.io.vocabulary import in_percent

_CLEAR = 10.0  # a score above this is not a fraction
_LIKELY = 0.3  # scores of a data set whose maximum lies between this and 1 are fractions
_HUNDRED = (30.0, 300.0)  # ratio of two algorithms if only one is in percent
_DECIMALS = 6  # numbers with more decimals are not rounded


def to_fraction(piece: FileTable, measure: str) -> list[Problem]:
    """Convert percentages to fractions, or return a problem if the scale is unclear."""
    values = piece.rows[measure].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    low, high = float(values.min()), float(values.max())
    problem = problem_of(
        "unclear scale", piece.rows["file"].iloc[0], None, measure, low=low, high=high
    )
    extreme = low if low < 0 else high
    first = piece.rows[piece.rows[measure] == extreme].iloc[0]
    problem = replace(problem, column=file_column(first, measure))
    if low < 0:
        return [replace(problem, do="Correct it: no rate is below 0")]
    if high > 100 * (1 + 1e-9):
        return [replace(problem, do="Correct it: no rate is above 100")]
    above_one = values[values > 1 + 1e-9]
    if low >= 0 and high <= 1.1 and 0 < len(above_one) <= 0.2 * len(values):
        piece.notes.append(message("rates above one", measure=measure, n=len(above_one), high=high))
        return []
    percent = measure in piece.percent or high > 1 + 1e-9
    if not percent or in_percent(measure):  # a unit in the name is kept and shown
        return []
    if measure not in piece.percent:
        rows = piece.rows[piece.rows[measure] > 0]
        extreme = _mixed(rows, measure, higher=piece.directions[measure] == "higher")
        if extreme.any():
            return [_where(problem, piece, rows, extreme, measure)]
    piece.rows[measure] = piece.rows[measure] / 100
    piece.notes.append(message("percent", measure=measure, low=low, high=high))
    return []


def _where(
    problem: Problem, piece: FileTable, rows: pd.DataFrame, odd: pd.Series, measure: str
) -> Problem:
    """Return the problem with the rows that seem to be fractions."""
    small, others = rows[odd], rows[~odd][measure]
    others = others[others > 1]
    names = [small[k].iloc[0] for k in ("algorithm", "dataset") if small[k].nunique() == 1]
    scope = f" ({' on '.join(names)})" if names else ""
    finding = (
        f"{format_count(len(small), 'value')}{scope} {'is' if len(small) == 1 else 'are'} "
        f"{_span(small[measure])}, others are {_span(others)}"
    )
    remedy = "write each with a % sign" if "column" in rows else f'name the column "{measure} (%)"'
    column = file_column(small.iloc[0], measure)
    return replace(
        problem,
        row=int(small["line"].iloc[0]),
        column=column,
        found=finding,
        do=f"Use one scale. If all are percentages, {remedy}",
    )


def _span(values: pd.Series) -> str:
    low, high = f"{values.min():g}", f"{values.max():g}"
    return low if low == high else f"{low} to {high}"


def _mixed(rows: pd.DataFrame, measure: str, *, higher: bool) -> pd.Series:
    """Return a mask of values that seem to be fractions among percentages."""
    small = rows[measure] <= 1
    if not small.any():
        return small
    return _mixed_scores(rows, measure, small) if higher else _mixed_errors(rows, measure, small)


def _mixed_scores(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of scores that seem to be fractions.

    A small score is a percentage if other scores on its data set are small, too.
    """
    if float(small.mean()) > 0.2:
        return small
    by_set = rows[measure].groupby(rows["dataset"])
    median, largest = by_set.transform("median"), by_set.transform("max")
    has_intermediate = ((rows[measure] > 1) & (rows[measure] <= _CLEAR)).groupby(rows["dataset"])
    separated = (largest > _CLEAR) & ~has_intermediate.transform("any")
    all_fractions = (largest <= 1) & (largest >= _LIKELY)
    return small & ((median > _CLEAR) | separated | all_fractions)


def _mixed_errors(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of errors that seem to be fractions.

    An error of 0.5 percent is common, so an entire algorithm, data set or cell of both must lie
    below 1 while others lie above, and further evidence is needed.
    """
    none = small & False
    shares = small.groupby(rows["algorithm"]).transform("mean")
    if (shares == 1).any() and (shares == 0).any():
        return shares == 1
    finer = _more_decimals(rows[measure], small)
    small_shares = small.groupby(rows["dataset"]).mean()
    if small_shares.isin([0, 1]).all() and small_shares.nunique() > 1:
        is_frequent = (small_shares == 1).sum() >= 2 and float((small_shares == 1).mean()) > 0.2
        return small if finer or is_frequent else none
    cell = [rows["dataset"], rows["algorithm"]]
    all_small = small.groupby(cell).transform("all")
    for name in rows["dataset"][all_small].unique():
        on_dataset = rows["dataset"] == name
        block, others = on_dataset & all_small, on_dataset & ~all_small
        if not others.any() or small[others].any():
            continue
        ratio = rows[measure][others].median() / rows[measure][block].median()
        has_folds = (
            block.groupby(cell).sum().max() >= 3 and rows["algorithm"][others].nunique() >= 2
        )
        if _HUNDRED[0] <= ratio <= _HUNDRED[1] and (has_folds or finer):
            return block
    return none


def _more_decimals(values: pd.Series, small: pd.Series) -> bool:
    """Return whether small values have two more decimals, as percentages divided by 100."""
    decimals = [_decimals(part) for part in (values[small], values[~small])]
    return max(decimals) <= _DECIMALS and decimals[0] >= decimals[1] + 2


def _decimals(values: pd.Series) -> int:
    """Return the median number of decimals."""
    texts = [f"{value:.12g}".partition(".")[2] for value in values.head(1000)]
    return int(np.median([len(text) for text in texts]))
