"""How far the others are from the best: the sizes of the differences that answer first."""

import pandas as pd

from foldwise.figure_specs.figure_spec import FigureSpec, cached_figure
from foldwise.figure_specs.pair_differences import pairs_drawing
from foldwise.figures.differences import MOST_NAMED
from stats_core.comparison.result import Comparison

HOW = (
    " {best} was chosen as the best by the same results, which makes its lead look slightly larger than "
    "it is."
)


@cached_figure
def from_best_drawing(analysis: Comparison) -> FigureSpec | None:
    """Return the difference of the best from each other one; None where there are no intervals."""
    if len(analysis.order) > MOST_NAMED:
        return None
    best, pairs = analysis.order[0], analysis.pairs()
    pairs = pairs[(pairs["first"] == best) | (pairs["second"] == best)]
    if pairs["low"].isna().all():
        return None
    turned = pairs["second"] == best
    sign = turned.map({True: -1.0, False: 1.0})
    low, high = (
        pairs["low"].where(~turned, -pairs["high"]),
        pairs["high"].where(~turned, -pairs["low"]),
    )
    others = pairs["first"].where(turned, pairs["second"])
    table = pd.DataFrame(
        {
            "difference": sign * pairs["estimate"],
            "low": low,
            "high": high,
            "differs": pairs["separated"],
        }
    ).set_axis(pd.Index(others, name="algorithm"))
    return pairs_drawing(
        analysis,
        table,
        pairs.index,
        first=best,
        more=HOW.format(best=best),
        name=f"from_best_{analysis.settings.measure}",
        title=f"Differences from {best}",
    )
