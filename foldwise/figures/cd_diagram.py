"""The critical-difference diagram: average ranks, with bars over groups without a difference."""

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

# kind of rank -> meaning of rank 1, and terms for the best and the worst end
FIRST_OF = {"rank": "1 is best", "cost-aware rank": "1 = first in the cost-aware order"}
ENDS_OF = {"rank": ("Best", "worst"), "cost-aware rank": ("First", "last")}
#: Groups by significance level, ascending: the steps of the slider.
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
    """Draw average ranks on an axis, with a bar over each group without significant differences.

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
        Classic diagram, one row per algorithm, or the legible one of them.
    selected : collection of str
        Algorithms that keep full opacity while the others fade; empty means all.
    highlight : collection of str
        Algorithms drawn in their own colour (bold where print has no colour).
    colours : mapping, optional
        Colour per algorithm, for example by family; mid-grey counts as no colour.
    note : str, optional
        A line above the axis. By default a note if all pairs differ; "" means none.
    levels : mapping of float to groups, optional
        Groups at other significance levels, ascending; `groups` applies at the `chosen` level. On
        the screen a slider switches between them; print has none.
    chosen : float
        The level of `groups`.

    Returns
    -------
    Figure
        A bar carries the list of its members as customdata, a label the name of its algorithm.
        A bar is solid over its members and dotted where it passes other algorithms.
    """
    groups_by_level = (
        {chosen: groups} if style.printed or not levels else {**levels, chosen: groups}
    )
    layouts = _laid(
        groups_by_level,
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
    styles_by_level = {
        level: TraceStyle(style, layout, names, selected, highlight, colours)
        for level, layout in layouts.items()
    }
    trace_style = styles_by_level[chosen]
    fig = make_canvas(style, trace_style.layout)
    draw_axis(fig, trace_style)
    draw_leaders(fig, trace_style)
    draw_marks(fig, trace_style)
    traces_by_level = {}
    for level, level_style in styles_by_level.items():
        traces_by_level[level] = trace_list = TraceList()
        if level == chosen:
            draw_ruler(trace_list, level_style)
        draw_bars(trace_list, level_style)
        draw_targets(
            trace_list, level_style.layout, Hover(average_ranks, level_style.layout.bars, pvalues)
        )
    trace_positions = draw_levels(fig, traces_by_level, chosen)
    draw_texts(fig, trace_style)
    if len(groups_by_level) > 1:
        add_slider(
            fig,
            traces_by_level,
            chosen,
            trace_positions,
            of_one_level(fig, trace_style.layout),
            style,
        )
    return fig


def _laid(
    groups_by_level: Levels, chosen: float, ranks: pd.Series, **options: Any
) -> dict[float, DiagramLayout]:
    """Return the layout at each level, with equal space for bars so that nothing else moves."""
    first = cd_layout(ranks, groups_by_level[chosen], **options)
    if len(groups_by_level) == 1:
        return {chosen: first}
    note = next((item.string for item in first.texts if item.role == "note"), "")
    options |= {"note": note, "form": first.form}
    n_rows = max(cd_layout(ranks, groups, **options).rows for groups in groups_by_level.values())
    return {
        level: cd_layout(ranks, groups, least_rows=n_rows, **options)
        for level, groups in sorted(groups_by_level.items())
    }


def diagram_form(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    highlight: Collection[str] = (),
    **how: Any,
) -> str:
    """Return the form of a diagram, "diagram" or "list"; options as for `cd_diagram`."""
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
    """Return the caption of a diagram: positions, bars, dotted stretches, shortened names."""
    layout = cd_layout(average_ranks, groups, style=style, best=best, form=form)
    shown = levels if levels and not style.printed else {}
    names = list(average_ranks.sort_values(kind="stable").index)
    passes = any(_passes(names, level_groups) for level_groups in (groups, *shown.values()))
    abbreviations = "; ".join(
        f"{cut} = {text.plain_text(name)}" for name, cut in layout.shortened.items()
    )
    options = {"ruler": ruler, "tests": tests, "total": total, "what": what}
    parts = [
        describe_marks(average_ranks, groups, **options, steps=steps if shown else ""),
        _DOTTED if passes else "",
        no_room(layout.form, len(names), form, style),
        f"Shortened names: {abbreviations}." if abbreviations else "",
    ]
    return " ".join(part for part in parts if part)


def _passes(names: Sequence[str], groups: Sequence[tuple[str, ...]]) -> bool:
    """Return whether any group skips an algorithm between its members."""
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
    """Return the caption sentences on positions and bars, for both forms.

    Examples
    --------
    >>> describe_marks(pd.Series({"rf": 1.2, "nb": 1.8}), [("rf", "nb")], tests="sign test")
    'Algorithms at their average ranks, 1 is best. A bar joins those that are not separated, which does not make them equal (sign test).'
    """
    tests_note = f" ({tests})" if tests else ""
    sentences = [f"Algorithms at their average {what}s, {FIRST_OF[what]}."]
    if steps:
        sentences.append(
            "A bar joins those that are not separated at the level shown, which does not make them "
            f"equal. The slider's steps are {steps}; verdict and tables are at the chosen level{tests_note}."
        )
    elif any(len(group) > 1 for group in groups):
        sentences.append(
            f"A bar joins those that are not separated, which does not make them equal{tests_note}."
        )
    else:
        sentences.append(f"There is no bar, as all pairs differ{tests_note}.")
    if ruler:
        subject = "At the chosen level two" if steps else "Two"
        sentences.append(f"{subject} differ if their average {what}s are farther apart than CD.")
    if total > len(average_ranks):
        sentences.append(f"Only the {len(average_ranks)} best of {total:,} are drawn.")
    return " ".join(sentences)


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

    `measure` and `over` name the measure and the data, such as ``"error"`` and
    ``"38 data sets"``; `alpha` is the level of the groups; `what` as for `describe_marks`.
    """
    level = "" if alpha is None else f" at alpha {alpha:g}"
    ranks = average_ranks.sort_values(kind="stable")
    names = [text.plain_text(name) for name in ranks.index]
    shown_groups = [g for g in groups if len(g) > 1]
    head = "Critical-difference diagram" + (f" of {measure}" if measure else "")
    head += f" for {len(names)} algorithms" + (f" on {over}" if over else "") + ". "
    best, worst = ENDS_OF[what]
    head += f"{best} average {what} {names[0]} {ranks.iloc[0]:.2f}, {worst} {names[-1]} {ranks.iloc[-1]:.2f}. "
    if not shown_groups:
        return text.truncate_text(f"{head}All pairs differ{level}.")
    shown = [
        "{" + ", ".join(text.plain_text(member) for member in group) + "}" for group in shown_groups
    ]
    fallback = f"{head}{len(shown_groups)} groups not separated{level}."
    return text.fit_alt_text(
        f"{head}Groups not separated{level}: ", shown, "; ", ".", fallback, " and "
    )
