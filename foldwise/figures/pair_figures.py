"""Figures of pairs: differences with intervals, and matrices."""

import numpy as np
import pandas as pd

from foldwise.figures.axis_parts import enable_zoom
from foldwise.figures.differences import MOST_NAMED, alt_pairs, caption_differences, differences, row_label
from foldwise.figures.spec import BuiltSpec, FigureSpec, SliderLevels, cached_figure
from foldwise.figures.theme import Style
from stats_core.comparison.result import Comparison
from stats_core.inference.pair_intervals import turning_widths
from stats_core.report.effect_text import BESIDE, interval_words, region_steps_caption

HOW_REGION = (
    " The slider shows the answers for regions of other widths; a region that is chosen after seeing "
    "what it gives shows no equivalence."
)
_MOST_STEPS = 40  # more steps cannot be distinguished on a slider


def answers_by_width(c: Comparison, rows: pd.Index | None = None) -> pd.DataFrame | None:
    """Return the conclusion on each pair against regions of varying width, pair x width."""
    region, ends = c.settings.region, c.region_ends if c.settings.region else None
    if not region or ends is None:
        return None
    ends_of_pairs = pd.Series(ends, index=c.pairs().index)
    widths = turning_widths(ends_of_pairs if rows is None else ends_of_pairs[rows])
    positions = np.unique(np.linspace(0, len(widths) - 1, _MOST_STEPS).round().astype(int))
    widths = widths if len(widths) <= _MOST_STEPS else [widths[position] for position in positions]
    answers = pd.DataFrame(
        {width: [BESIDE[position] for position in c.regions_at(width)] for width in sorted({0.0, region, *widths})},
        index=ends_of_pairs.index,
    )
    return answers if rows is None else answers.loc[rows]


def _steps(answers: pd.DataFrame, chosen: float) -> SliderLevels:
    """Return the slider over widths, which lists the pairs of each conclusion."""
    names = answers.index.map(row_label)
    texts = {
        width: f"Against \N{PLUS-MINUS SIGN}{width:g} "
        + "; ".join(
            f"{conclusion}: {', '.join(names[column == conclusion]) or 'none'}"
            for conclusion in dict.fromkeys(BESIDE.values())
        )
        for width, column in answers.items()
    }
    return SliderLevels(of="Region", said=texts, chosen=chosen)


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
    """Return the figure of pairwise differences with intervals, and a slider over regions."""
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
    texts = {"first": ends[0], "second": ends[1], "measure": c.settings.measure, "higher_is_better": c.higher_is_better}

    def caption(style: Style) -> str:
        moved = "" if answers is None or style.printed else f" {region_steps_caption(c)}"
        return f"{caption_differences(table, row, at=c.effect, intervals=intervals)}{moved}"

    return BuiltSpec(
        how_to_read=how,
        alt=alt_pairs(table, effect=c.effect, first=first, second=second),
        data=table,
        build=enable_zoom(
            lambda style: differences(table, **texts, style=style, region=c.settings.region, answers=answers), "x"
        ),
        caption=caption,
        steps=None if answers is None else _steps(answers, c.settings.region),
        **about,
    )


HOW = " {best} was chosen as the best by the same results, which makes its lead look slightly larger than it is."


@cached_figure
def from_best_drawing(analysis: Comparison) -> FigureSpec | None:
    """Return the differences of the best from each other algorithm; None without intervals."""
    if len(analysis.order) > MOST_NAMED:
        return None
    best, pairs = analysis.order[0], analysis.pairs()
    pairs = pairs[(pairs["first"] == best) | (pairs["second"] == best)]
    if pairs["low"].isna().all():
        return None
    turned = pairs["second"] == best
    sign = turned.map({True: -1.0, False: 1.0})
    low, high = (pairs["low"].where(~turned, -pairs["high"]), pairs["high"].where(~turned, -pairs["low"]))
    other_names = pairs["first"].where(turned, pairs["second"])
    table = pd.DataFrame(
        {"difference": sign * pairs["estimate"], "low": low, "high": high, "differs": pairs["separated"]}
    ).set_axis(pd.Index(other_names, name="algorithm"))
    return pairs_drawing(
        analysis,
        table,
        pairs.index,
        first=best,
        more=HOW.format(best=best),
        name=f"from_best_{analysis.settings.measure}",
        title=f"Differences from {best}",
    )
