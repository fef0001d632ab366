"""The critical-difference diagram: average ranks, and bars over what is not separated."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.cd_layout import Form, Side, cd_layout, no_room
from foldwise.figures.cd_parts import DiagramLayout, consecutive_runs, drawn_groups
from foldwise.figures.cd_slider import add_slider, draw_levels, of_one_level
from foldwise.figures.cd_traces import (
    Hover,
    TraceList,
    TraceStyle,
    draw_axis,
    draw_bars,
    draw_leaders,
    draw_marks,
    draw_ruler,
    draw_targets,
    draw_texts,
    make_canvas,
)
from foldwise.figures.theme import Style

# what is averaged -> what 1 is, and the words for the two ends; cost decides a cost-aware rank, too
FIRST_OF = {"rank": "1 is best", "cost-aware rank": "1 = first in the cost-aware order"}
ENDS_OF = {"rank": ("Best", "worst"), "cost-aware rank": ("First", "last")}
#: Groups by level, ascending: what the slider moves between.
Levels = Mapping[float, Sequence[tuple[str, ...]]]
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
    levels: Levels | None = None,
    chosen: float = 0.05,
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
    levels : mapping of float to groups, optional
        Groups at other levels, ascending, and at the `chosen` one `groups`. On the screen a slider
        moves between them; print has none.
    chosen : float
        The level of `groups`.

    Returns
    -------
    Figure
        A bar carries the list of its members as customdata, a label the name of its algorithm.
        A solid stretch covers members only; it turns dotted where it passes anyone else.
    """
    at = {chosen: groups} if style.printed or not levels else {**levels, chosen: groups}
    laid = _laid(
        at,
        chosen,
        average_ranks,
        style=style,
        critical_difference=critical_difference,
        best=best,
        form=form,
        note=note,
        bold=highlight,
    )
    names = [str(name) for name in average_ranks.index]
    brushes = {
        level: TraceStyle(style, layout, names, selected, highlight, colours)
        for level, layout in laid.items()
    }
    brush = brushes[chosen]
    fig = make_canvas(style, brush.layout)
    draw_axis(fig, brush)
    draw_leaders(fig, brush)
    draw_marks(fig, brush)
    sketches = {}
    for level, one in brushes.items():
        sketches[level] = sketch = TraceList()
        if level == chosen:
            draw_ruler(sketch, one)
        draw_bars(sketch, one)
        draw_targets(sketch, one.layout, Hover(average_ranks, one.layout.bars, pvalues))
    places = draw_levels(fig, sketches, chosen)
    draw_texts(fig, brush)
    if len(at) > 1:
        add_slider(fig, sketches, chosen, places, of_one_level(fig, brush.layout), style)
    return fig


def _laid(at: Levels, chosen: float, ranks: pd.Series, **how: Any) -> dict[float, DiagramLayout]:
    """Lay out the diagram at each level, with room for the most rows of bars, so that nothing else moves."""
    first = cd_layout(ranks, at[chosen], **how)
    if len(at) == 1:
        return {chosen: first}
    note = next((item.string for item in first.texts if item.role == "note"), "")
    how |= {"note": note, "form": first.form}
    most = max(cd_layout(ranks, groups, **how).rows for groups in at.values())
    return {
        level: cd_layout(ranks, groups, least_rows=most, **how)
        for level, groups in sorted(at.items())
    }


def diagram_form(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    highlight: Collection[str] = (),
    **how: Any,
) -> str:
    """Return the form that a diagram has on a surface, "diagram" or "list"; options as for `cd_diagram`."""
    return cd_layout(average_ranks, groups, style=style, bold=highlight, **how).form


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
    levels: Levels | None = None,
    steps: str = "",
) -> str:
    """Return what a caption of this diagram says: places, bars, dotted stretches, short names."""
    layout = cd_layout(average_ranks, groups, style=style, best=best, form=form)
    shown = levels if levels and not style.printed else {}
    names = list(average_ranks.sort_values(kind="stable").index)
    passes = any(_passes(names, one) for one in (groups, *shown.values()))
    short = "; ".join(f"{cut} = {text.plain_text(name)}" for name, cut in layout.shortened.items())
    about = {"ruler": ruler, "tests": tests, "total": total, "what": what}
    parts = [
        describe_marks(average_ranks, groups, **about, steps=steps if shown else ""),
        _DOTTED if passes else "",
        no_room(layout.form, len(names), form, style),
        f"Shortened names: {short}." if short else "",
    ]
    return " ".join(part for part in parts if part)


def _passes(names: Sequence[str], groups: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether a group passes over an algorithm that is not in it."""
    return any(len(consecutive_runs(group)) > 1 for group in drawn_groups(names, groups))


def describe_marks(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    ruler: bool = False,
    tests: str = "",
    total: int = 0,
    what: str = "rank",
    steps: str = "",
) -> str:
    """Return what places and bars mean, in either form, for the caption.

    Examples
    --------
    >>> describe_marks(pd.Series({"rf": 1.2, "nb": 1.8}), [("rf", "nb")], tests="sign test")
    'Algorithms at their average ranks, 1 is best. A bar joins those that are not separated, which does not make them equal (sign test).'
    """
    by = f" ({tests})" if tests else ""
    said = [f"Algorithms at their average {what}s, {FIRST_OF[what]}."]
    if steps:
        said.append(
            "A bar joins those that are not separated at the level shown, which does not make them "
            f"equal. The slider's steps are {steps}; verdict and tables are at the chosen level{by}."
        )
    elif any(len(group) > 1 for group in groups):
        said.append(
            f"A bar joins those that are not separated, which does not make them equal{by}."
        )
    else:
        said.append(f"There is no bar, as all pairs differ{by}.")
    if ruler:
        at = "At the chosen level two" if steps else "Two"
        said.append(f"{at} differ if their average {what}s are farther apart than CD.")
    if total > len(average_ranks):
        said.append(f"Only the {len(average_ranks)} best of {total:,} are drawn.")
    return " ".join(said)


def alt(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    measure: str = "",
    over: str = "",
    alpha: float | None = None,
    what: str = "rank",
) -> str:
    """Return the alternative text of the diagram, at most 300 characters.

    `measure` and `over` say what was ranked and on what, such as ``"error"`` and
    ``"38 data sets"``; `alpha` is the level of the groups; `what` as for `describe_marks`.
    """
    at = "" if alpha is None else f" at alpha {alpha:g}"
    ranks = average_ranks.sort_values(kind="stable")
    names = [text.plain_text(name) for name in ranks.index]
    real = [g for g in groups if len(g) > 1]
    head = "Critical-difference diagram" + (f" of {measure}" if measure else "")
    head += f" for {len(names)} algorithms" + (f" on {over}" if over else "") + ". "
    best, worst = ENDS_OF[what]
    head += f"{best} average {what} {names[0]} {ranks.iloc[0]:.2f}, {worst} {names[-1]} {ranks.iloc[-1]:.2f}. "
    if not real:
        return text.truncate_text(f"{head}All pairs differ{at}.")
    shown = ["{" + ", ".join(text.plain_text(m) for m in group) + "}" for group in real]
    instead = f"{head}{len(real)} groups not separated{at}."
    return text.fit_alt_text(
        f"{head}Groups not separated{at}: ", shown, "; ", ".", instead, " and "
    )
