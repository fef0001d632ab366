"""The differences of pairs, and what is known of them against regions of other widths."""

import numpy as np
import pandas as pd

from foldwise.figure_specs.figure_spec import FigureSpec, SliderLevels
from foldwise.figures.differences import (
    alt_pairs,
    caption_differences,
    differences,
    row_label,
)
from foldwise.figures.theme import Style
from foldwise.figures.zoom import enable_zoom
from stats_core.comparison.equivalence_text import BESIDE, region_steps_caption
from stats_core.comparison.interval_text import interval_words
from stats_core.comparison.result import Comparison
from stats_core.inference.equivalence_region import turning_widths

HOW_REGION = (
    " The slider shows the answers for regions of other widths; a region that is chosen after seeing "
    "what it gives shows no equivalence."
)
_MOST_STEPS = 40  # more are no longer told apart on a slider


def answers_by_width(c: Comparison, rows: pd.Index | None = None) -> pd.DataFrame | None:
    """Return what is known of pairs against regions of the widths at which that changes.

    Parameters
    ----------
    c : Comparison
    rows : Index, optional
        Of the rows of `pairs` that are drawn, all by default.

    Returns
    -------
    DataFrame, row x width, or None
        In words, at ascending widths with the chosen one among them; of too many widths some. None
        where no region is set, or where the pairs have no intervals.
    """
    region, ends = c.settings.region, c.region_ends if c.settings.region else None
    if not region or ends is None:
        return None
    drawn = pd.Series(ends, index=c.pairs().index)
    widths = turning_widths(drawn if rows is None else drawn[rows])
    some = np.unique(np.linspace(0, len(widths) - 1, _MOST_STEPS).round().astype(int))
    widths = widths if len(widths) <= _MOST_STEPS else [widths[place] for place in some]
    answers = pd.DataFrame(
        {
            width: [BESIDE[place] for place in c.regions_at(width)]
            for width in sorted({0.0, region, *widths})
        },
        index=drawn.index,
    )
    return answers if rows is None else answers.loc[rows]


def _steps(answers: pd.DataFrame, chosen: float) -> SliderLevels:
    """Name the rows of each answer, at every width."""
    names = answers.index.map(row_label)
    said = {
        width: f"Against \N{PLUS-MINUS SIGN}{width:g} "
        + "; ".join(
            f"{answer}: {', '.join(names[column == answer]) or 'none'}"
            for answer in dict.fromkeys(BESIDE.values())
        )
        for width, column in answers.items()
    }
    return SliderLevels(of="Region", said=said, chosen=chosen)


def pairs_drawing(
    c: Comparison,
    table: pd.DataFrame,
    rows: pd.Index | None = None,
    *,
    first: str = "",
    second: str = "",
    more: str = "",
    **about: str,
) -> FigureSpec:
    """Return the differences of pairs with their intervals; where a region is set, at other widths, too.

    Parameters
    ----------
    c : Comparison
    table : DataFrame
        As :func:`foldwise.figures.differences.differences` takes it, one row for each pair.
    rows : Index, optional
        Which rows of `pairs` these are, in this order; all by default.
    first, second : str
        The algorithm that every pair has in common, if the rows name the other one only: the one
        that others are subtracted from, or the one that is subtracted.
    more : str
        What else is to be said of how to read it.
    **about
        Name, title and, where something is tested, `tested` of the drawing.
    """
    answers = answers_by_width(c, rows)
    row = "algorithm" if first or second else "pair"
    of = f"{first or row} \N{MINUS SIGN} {second or row}" if row == "algorithm" else ""
    intervals = interval_words(c)
    how = (
        f"Each dot is the {c.effect}{f', {of}' if of else ''}. Bars: {intervals}, thicker where "
        f"the difference is significant.{more}"
    )
    if answers is not None:
        answers, how = answers.set_axis(table.index), how + HOW_REGION
    if row == "algorithm":
        ends = (first or f"other {row}", second or f"other {row}")
    else:
        ends = ("first of the pair", "second of the pair")
    drawn = {
        "first": ends[0],
        "second": ends[1],
        "measure": c.settings.measure,
        "higher_is_better": c.higher_is_better,
    }

    def caption(style: Style) -> str:
        moved = "" if answers is None or style.printed else f" {region_steps_caption(c)}"
        return f"{caption_differences(table, row, at=c.effect, intervals=intervals)}{moved}"

    return FigureSpec(
        how_to_read=how,
        alt=alt_pairs(table, effect=c.effect, first=first, second=second),
        data=table,
        build=enable_zoom(
            lambda style: differences(
                table, **drawn, style=style, region=c.settings.region, answers=answers
            ),
            "x",
        ),
        caption=caption,
        steps=None if answers is None else _steps(answers, c.settings.region),
        **about,
    )
