"""Detection of columns and rows that summarize others."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.io.profile import Profile, is_spread
from stats_core.io.vocabulary import WORDS, is_descriptive, normalized_name, words_of

_SUMS = re.compile(
    r"(average|avg|mean|median|total|sum|best|min|max|std|stdev)(s|of)?(rank|ranks|ranking|error|"
    r"accuracy|auc|score)?|ranks?|(avg|average|mean)?rank(s|ing)?|w(in)?t(ie)?l(oss)?|"
    r"(wins|losses|ties)+|(mean|average|avg)(and)?(std|stdev|sd|se)(dev)?"
)


def without_summary_rows(frame: pd.DataFrame, names: str) -> tuple[pd.DataFrame, list[Message]]:
    """Drop trailing rows that hold averages or ranks, with a note."""
    last = len(frame)
    cells = frame[names].to_list()
    while last and _SUMS.fullmatch(re.sub(r"\W+", "", normalized_name(cells[last - 1]))):
        last -= 1
    if last in (0, len(frame)):
        return frame, []
    return frame[:last], [message("rows that sum up", names=tuple(cells[last:]))]


def sums_up(profile: Profile, name: str, results: Sequence[str]) -> bool:
    """Return whether a column is named as a summary and is the mean, median, best or worst."""
    if not _SUMS.fullmatch(normalized_name(name)):
        return False
    others = [n for n in results if not _SUMS.fullmatch(normalized_name(n))]
    numbers = profile[name].numbers
    return numbers is not None and _sums_up(
        numbers, pd.DataFrame({n: profile[n].numbers for n in others})
    )


def companion_columns(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return columns that describe another column: "iris_failures" next to "iris".

    Examples
    --------
    >>> companion_columns(["iris", "wine", "iris_n", "wine_n"], ["iris", "wine", "iris_n", "wine_n"])
    ['iris_n', 'wine_n']
    """
    by_suffix: dict[str, list[str]] = {}
    for name in names:
        for base in columns:
            if base and name != base and name.startswith(f"{base}_"):
                by_suffix.setdefault(name.removeprefix(f"{base}_"), []).append(name)
    return [
        name
        for suffixed in by_suffix.values()
        if len(suffixed) > 1
        for name in dict.fromkeys(suffixed)
    ]


def of_one_kind(profile: Profile, names: Sequence[str], results: Sequence[str]) -> list[str]:
    """Return columns that hold fractions or percentages like the results.

    Sizes and costs such as "iris_n" or "iris_time" are excluded.
    """
    others = [n for n in results if n not in names]
    for scale in (1.0, 100.0):
        if others and all(profile[n].within(0, scale * (1 + 1e-9)) for n in others):
            in_range = [n for n in names if profile[n].within(0, scale * (1 + 1e-9))]
            return [n for n in in_range if not profile[n].is_whole and not _tells_beside(n)]
    return []


def _tells_beside(name: str) -> bool:
    """Return whether the last word of a name denotes a companion such as a rank or bound."""
    words = words_of(name)
    return is_spread(name) or is_descriptive(words[-1]) or words[-1] in WORDS["companions"]


def difference_columns(profile: Profile, names: Sequence[str]) -> list[str]:
    """Return columns that are the absolute or percentage difference of two earlier columns.

    Only earlier columns are compared, as differences follow the measured values.
    """
    differences = []
    for i in range(2, len(names)):
        if WORDS["differences"] & re.findall(r"[^\W\d_]+", names[i].lower()):
            numbers = profile.matrix([*names[:i], names[i]])
            if _is_difference(numbers[:, :-1], numbers[:, -1]):
                differences.append(names[i])
    return differences


def _is_difference(earlier: np.ndarray, last: np.ndarray) -> bool:
    for i in range(earlier.shape[1]):
        for j in range(earlier.shape[1]):
            difference = earlier[:, i] - earlier[:, j]
            with np.errstate(divide="ignore", invalid="ignore"):
                percent = 100 * difference / earlier[:, j]
            for option in (difference, percent):
                tolerance = 0.02 * max(1e-9, float(np.nanmax(np.abs(option), initial=0.0)))
                if i != j and bool(np.nanmax(np.abs(option - last), initial=0.0) <= tolerance):
                    return True
    return False


def _sums_up(numbers: pd.Series, others: pd.DataFrame) -> bool:
    """Return whether a column is the mean, median, best or worst of others in every row."""
    if others.shape[1] < 2:
        return False
    tolerance = 0.006 * max(1.0, float(np.nanmax(np.abs(others.to_numpy()), initial=0.0)))
    options = (others.mean(axis=1), others.median(axis=1), others.min(axis=1), others.max(axis=1))
    return any(bool(((numbers - option).abs().dropna() <= tolerance).all()) for option in options)
