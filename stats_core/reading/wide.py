"""Which columns and rows of a wide table only sum up the others."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.words import listed
from stats_core.reading.columns import plain
from stats_core.reading.profile import Profile

_SUMS = re.compile(
    r"(average|avg|mean|median|total|sum|best|min|max|std|stdev)(s|of)?(rank|ranks|ranking|error|"
    r"accuracy|auc|score)?|ranks?|(avg|average|mean)?rank(s|ing)?|w(in)?t(ie)?l(oss)?|"
    r"(wins|losses|ties)+"
)


def without_summary_rows(frame: pd.DataFrame, names: str) -> tuple[pd.DataFrame, list[Note]]:
    """Leave out rows under the table that hold averages or ranks, and say so."""
    sums = frame[names].map(lambda text: bool(_SUMS.fullmatch(plain(text))))
    below = sums[::-1].cummin()[::-1].astype(bool)
    if not below.any() or below.all():
        return frame, []
    return frame[~below], [note("rows that sum up", names=tuple(frame.loc[below, names]))]


@worded("rows that sum up")
def _rows_that_sum_up(voice: Voice, names: tuple) -> str:
    left = listed([f'"{name}"' for name in names], 6)
    return f"Rows that only sum up were left out: {left}."


def sums_up(profile: Profile, name: str, results: Sequence[str]) -> bool:
    """Tell whether a column is called a sum and is the mean, median, best or worst of the others."""
    if not _SUMS.fullmatch(plain(name)):
        return False
    rest = [n for n in results if not _SUMS.fullmatch(plain(n))]
    numbers = profile[name].numbers
    return numbers is not None and _sums_up(
        numbers, pd.DataFrame({n: profile[n].numbers for n in rest})
    )


def _sums_up(numbers: pd.Series, rest: pd.DataFrame) -> bool:
    """Tell whether a column is the mean, median, best or worst of the others in every row."""
    if rest.shape[1] < 2:
        return False
    scale = 0.006 * max(1.0, float(np.nanmax(np.abs(rest.to_numpy()), initial=0.0)))
    options = (rest.mean(axis=1), rest.median(axis=1), rest.min(axis=1), rest.max(axis=1))
    return any(bool(((numbers - option).abs().dropna() <= scale).all()) for option in options)
