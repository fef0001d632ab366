"""Which columns and rows of a wide table only sum up the others."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.io.profile import Profile, is_spread
from stats_core.io.vocabulary import is_descriptive, normalized_name, words_of

_SUMS = re.compile(
    r"(average|avg|mean|median|total|sum|best|min|max|std|stdev)(s|of)?(rank|ranks|ranking|error|"
    r"accuracy|auc|score)?|ranks?|(avg|average|mean)?rank(s|ing)?|w(in)?t(ie)?l(oss)?|"
    r"(wins|losses|ties)+|(mean|average|avg)(and)?(std|stdev|sd|se)(dev)?"
)


def without_summary_rows(frame: pd.DataFrame, names: str) -> tuple[pd.DataFrame, list[Message]]:
    """Leave out rows under the table that hold averages or ranks, and say so."""
    last = len(frame)
    cells = frame[names].to_list()
    while last and _SUMS.fullmatch(re.sub(r"\W+", "", normalized_name(cells[last - 1]))):
        last -= 1
    if last in (0, len(frame)):
        return frame, []
    return frame[:last], [message("rows that sum up", names=tuple(cells[last:]))]


@message_text("rows that sum up")
def _rows_that_sum_up(voice: Audience, names: tuple) -> str:
    left = join_names([f'"{name}"' for name in names], 6)
    return f"Rows that only sum up were left out: {left}."


def sums_up(profile: Profile, name: str, results: Sequence[str]) -> bool:
    """Tell whether a column is called a sum and is the mean, median, best or worst of the others."""
    if not _SUMS.fullmatch(normalized_name(name)):
        return False
    rest = [n for n in results if not _SUMS.fullmatch(normalized_name(n))]
    numbers = profile[name].numbers
    return numbers is not None and _sums_up(
        numbers, pd.DataFrame({n: profile[n].numbers for n in rest})
    )


def companion_columns(columns: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return columns that say something about another: "iris_failures" beside "iris".

    Examples
    --------
    >>> companion_columns(["iris", "wine", "iris_n", "wine_n"], ["iris", "wine", "iris_n", "wine_n"])
    ['iris_n', 'wine_n']
    """
    ends: dict[str, list[str]] = {}
    for name in names:
        for base in columns:
            if base and name != base and name.startswith(f"{base}_"):
                ends.setdefault(name.removeprefix(f"{base}_"), []).append(name)
    return [name for found in ends.values() if len(found) > 1 for name in dict.fromkeys(found)]


def of_one_kind(profile: Profile, names: Sequence[str], results: Sequence[str]) -> list[str]:
    """Return columns that hold fractions or percentages as the results do, so that they are some.

    A size or a cost beside a column, "iris_n" or "iris_time", does not.
    """
    rest = [n for n in results if n not in names]
    for top in (1.0, 100.0):
        if rest and all(profile[n].within(0, top * (1 + 1e-9)) for n in rest):
            alike = [n for n in names if profile[n].within(0, top * (1 + 1e-9))]
            return [n for n in alike if not profile[n].is_whole and not _tells_beside(n)]
    return []


def _tells_beside(name: str) -> bool:
    """Tell whether a name's last word is one of what stands beside results."""
    words = words_of(name)
    beside = {"train", "training", "rank", "lower", "upper", "min", "max", "low", "high", "p"}
    return is_spread(name) or is_descriptive(words[-1]) or words[-1] in beside


def difference_columns(profile: Profile, names: Sequence[str]) -> list[str]:
    """Return columns that are the difference of two others, or that in percent of one of them.

    Only the last of three is looked for: first what was measured, then how far it lies apart.
    """
    found = []
    for place in range(2, len(names)):
        if {"delta", "diff", "difference", "change", "gain", "\u03b4"} & set(_words(names[place])):
            numbers = profile.matrix([*names[:place], names[place]])
            if _is_difference(numbers[:, :-1], numbers[:, -1]):
                found.append(names[place])
    return found


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", name.lower())


def _is_difference(before: np.ndarray, last: np.ndarray) -> bool:
    for i in range(before.shape[1]):
        for j in range(before.shape[1]):
            apart = before[:, i] - before[:, j]
            with np.errstate(divide="ignore", invalid="ignore"):
                percent = 100 * apart / before[:, j]
            for option in (apart, percent):
                scale = 0.02 * max(1e-9, float(np.nanmax(np.abs(option), initial=0.0)))
                if i != j and bool(np.nanmax(np.abs(option - last), initial=0.0) <= scale):
                    return True
    return False


def _sums_up(numbers: pd.Series, rest: pd.DataFrame) -> bool:
    """Tell whether a column is the mean, median, best or worst of the others in every row."""
    if rest.shape[1] < 2:
        return False
    scale = 0.006 * max(1.0, float(np.nanmax(np.abs(rest.to_numpy()), initial=0.0)))
    options = (rest.mean(axis=1), rest.median(axis=1), rest.min(axis=1), rest.max(axis=1))
    return any(bool(((numbers - option).abs().dropna() <= scale).all()) for option in options)
