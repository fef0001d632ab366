"""What drawings share: names of folds, colours of algorithms, words."""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from foldwise.figures import theme
from foldwise.figures.theme import Style
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_percent

MOST_NAMES = 60  # algorithms a matrix or a map has room for

Colours = Mapping[str, str] | None


def fold_labels(table: pd.DataFrame | pd.Series) -> pd.DataFrame | pd.Series:
    """Name folds as the figures do: "7", or "2.7" for fold 7 of repetition 2.

    Parameters
    ----------
    table : DataFrame or Series
        With the levels repetition and fold in its index.

    Returns
    -------
    The same with one level, fold.
    """
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


def test_line(analysis: Comparison) -> str:
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
