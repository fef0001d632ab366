"""The critical-difference diagram: average ranks, and bars over what is not separated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.cd_draw import (
    Brush,
    draw_axis,
    draw_bars,
    draw_leaders,
    draw_marks,
    draw_texts,
    make_canvas,
)
from foldwise.figures.cd_frame import Side
from foldwise.figures.cd_hover import Hover, draw_targets
from foldwise.figures.cd_layout import Form, cd_layout
from foldwise.figures.theme import Style

_DOTTED = "A dotted stretch passes algorithms that are not in the group."


def cd_diagram(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    critical_difference: tuple[float, str] | None = None,
    pvalues: pd.DataFrame | None = None,
    best: Side = "left",
    form: Form = "automatic",
    selected: Collection[str] = (),
    highlight: Collection[str] = (),
    colours: Mapping[str, str] | None = None,
    note: str | None = None,
) -> go.Figure:
    """Draw average ranks on an axis, with a bar over each group the data do not separate.

    Parameters
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. Groups of one draw nothing.
    style : Style
        Surface and width, see :mod:`foldwise.figures.theme`.
    critical_difference : (float, str), optional
        Value and origin, such as ``(1.114, "Nemenyi, \N{GREEK SMALL LETTER ALPHA} = 0.05")``.
        Only if one number separates all pairs.
    pvalues : DataFrame, optional
        Adjusted p-values, algorithms by algorithms, symmetric; shown on hover.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram, one row per algorithm, or whichever can be read.
    selected : collection of str
        Algorithms that keep full strength while the others fade; empty means all.
    highlight : collection of str
        Algorithms drawn in their own colour (bold where print has no colour).
    colours : mapping, optional
        Colour per algorithm, for example by family; mid-grey ones count as without.
    note : str, optional
        A line above the axis. By default it says so when all pairs differ; "" means none.

    Returns
    -------
    Figure
        A bar carries the list of its members as customdata, a label the name of its algorithm.
        A solid stretch covers members only; it turns dotted where it passes anyone else.
    """
    layout = cd_layout(
        average_ranks,
        groups,
        style=style,
        critical_difference=critical_difference,
        best=best,
        form=form,
        note=note,
        bold=highlight,
    )
    brush = Brush(
        style, layout, [str(n) for n in average_ranks.index], selected, highlight, colours
    )
    fig = make_canvas(style, layout)
    draw_axis(fig, brush)
    draw_leaders(fig, brush)
    draw_bars(fig, brush)
    draw_marks(fig, brush)
    hover = Hover(average_ranks, layout.bars, pvalues)
    draw_targets(fig, layout, hover)
    draw_texts(fig, brush)
    return fig


def caption(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    best: Side = "left",
    form: Form = "automatic",
    ruler: bool = False,
    tests: str = "",
    total: int = 0,
    what: str = "rank",
) -> str:
    """Return what a caption of this diagram says: places, bars, dotted stretches, short names.

    Parameters
    ----------
    average_ranks, groups, style, best, form
        As for `cd_diagram`.
    ruler, tests, total, what
        As for `meaning`.
    """
    layout = cd_layout(average_ranks, groups, style=style, best=best, form=form)
    short = "; ".join(f"{shown} = {text.plain(name)}" for name, shown in layout.shortened.items())
    parts = [
        meaning(average_ranks, groups, ruler=ruler, tests=tests, total=total, what=what),
        _DOTTED if layout.dotted else "",
        f"Shortened names: {short}." if short else "",
    ]
    return " ".join(part for part in parts if part)


def meaning(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    ruler: bool = False,
    tests: str = "",
    total: int = 0,
    what: str = "rank",
) -> str:
    """Return what places and bars mean, in either form, for the caption.

    Parameters
    ----------
    average_ranks, groups
        As for `cd_diagram`.
    ruler : bool
        Whether the critical difference is drawn.
    tests : str
        The tests and their level, such as ``"Holm on average ranks, alpha = 0.05"``.
    total : int
        How many algorithms there are, if more than are drawn.
    what : {"rank", "place"}
        What is averaged.

    Examples
    --------
    >>> meaning(pd.Series({"rf": 1.2, "nb": 1.8}), [("rf", "nb")], tests="sign test")
    'Algorithms at their average ranks, 1 is best. A bar joins those that are not separated, which does not make them equal (sign test).'
    """
    by = f" ({tests})" if tests else ""
    said = [f"Algorithms at their average {what}s, 1 is best."]
    if any(len(group) > 1 for group in groups):
        said.append(
            f"A bar joins those that are not separated, which does not make them equal{by}."
        )
    else:
        said.append(f"There is no bar, as all pairs differ{by}.")
    if ruler:
        said.append(f"Two differ if their average {what}s are farther apart than CD.")
    if total > len(average_ranks):
        said.append(f"Only the {len(average_ranks)} best of {total:,} are drawn.")
    return " ".join(said)


def alt(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    measure: str = "",
    over: str = "",
) -> str:
    """Return the alternative text of the diagram, at most 300 characters.

    `measure` and `over` say what was ranked and on what, such as ``"error"`` and
    ``"38 data sets"``.
    """
    ranks = average_ranks.sort_values(kind="stable")
    names = [text.plain(name) for name in ranks.index]
    real = [g for g in groups if len(g) > 1]
    head = "Critical-difference diagram" + (f" of {measure}" if measure else "")
    head += f" for {len(names)} algorithms" + (f" on {over}" if over else "") + ". "
    head += f"Best {names[0]} {ranks.iloc[0]:.2f}, worst {names[-1]} {ranks.iloc[-1]:.2f}. "
    tail = " Table below holds every value."
    if not real:
        return text.clip(head + "All pairs differ." + tail)
    shown = ["{" + ", ".join(text.plain(m) for m in group) + "}" for group in real]
    instead = f"{head}{len(real)} groups not separated.{tail}"
    return text.fitted(f"{head}Groups not separated: ", shown, "; ", f".{tail}", instead, " and ")
