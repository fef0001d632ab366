"""The matrix of all pairs: its picture and its words come from one name of the effect."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figure_specs.spec_parts import test_line
from foldwise.figures.pair_matrix import alt_matrix, caption_matrix, how_matrix, pair_matrix
from foldwise.figures.theme import Style
from stats_core.comparison.result import Comparison


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effects:
    """What stands above the diagonal.

    Attributes
    ----------
    values : DataFrame, algorithm x algorithm
        By how much the row is better; of `sided` False how far two lie apart.
    name : str
        The effect in words, such as ``"difference in average rank"``.
    sided : bool
        Whether one of two is the better one.
    """

    values: pd.DataFrame
    name: str
    sided: bool = True


def matrix_of(
    c: Comparison,
    effects: Effects,
    adjusted: pd.DataFrame,
    order: Sequence[str],
    *,
    name: str,
    measure: str,
    over: str,
    data: pd.DataFrame,
    wins: pd.DataFrame | None = None,
    more: str = "",
    whole: Callable[[], pd.DataFrame] | None = None,
) -> FigureSpec:
    """Return the matrix of all pairs: effect above the diagonal, p below.

    Parameters
    ----------
    c : Comparison
    effects : Effects
    adjusted : DataFrame, algorithm x algorithm
        The p-values that decide.
    order : sequence of str
        The algorithms that are drawn.
    name : str
        Of the drawing.
    measure, over : str
        What was measured, and on what.
    data : DataFrame
        The rows of `details` of the pairs that are drawn.
    wins : DataFrame, optional
        Won, tied and lost by the row, as text.
    more : str
        What else is to be said of how to read it.
    whole : callable, optional
        As in `FigureSpec`.
    """
    alpha, order = c.settings.alpha, list(order)
    drawn = (effects.values, adjusted)
    look = {
        "alpha": alpha,
        "order": order,
        "beats": c.beats if effects.sided else None,
        "effect_name": effects.name,
        "sided": effects.sided,
    }
    pvalue = "adjusted p" if c.guarantee.adjusted else "unadjusted p"

    def build(style: Style) -> go.Figure:
        return pair_matrix(*drawn, style=style, wins=wins, **look)

    return FigureSpec(
        name=name,
        title="Pairwise comparisons",
        how_to_read=f"{how_matrix(effects.name, pvalue, sided=effects.sided)} {more}".strip(),
        alt=alt_matrix(
            *drawn, alpha=alpha, order=order, measure=measure, over=over, effect_name=effects.name
        ),
        data=data.set_index(["first", "second"]),
        whole=whole,
        build=build,
        caption=lambda style: caption_matrix(
            *drawn, style=style, **look, pvalue=pvalue, tests=c.post, total=len(c.order)
        ),
        tested=test_line(c),
    )
