"""Critical-difference diagram of comparisons with a control."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.cd_layout import Form, Side, cd_layout, no_room
from foldwise.figures.cd_parts import DiagramLayout
from foldwise.figures.cd_slider import add_slider, draw_levels, of_one_level
from foldwise.figures.cd_traces import (
    TraceList,
    TraceStyle,
    draw_axis,
    draw_leaders,
    draw_ruler,
    draw_texts,
    make_canvas,
)
from foldwise.figures.theme import Style
from stats_core.core.significance import significant


def cd_diagram_control(
    average_ranks: pd.Series,
    control: str,
    pvalues: pd.Series,
    alpha: float,
    *,
    style: Style,
    critical_difference: tuple[float, str] | None = None,
    best: Side = "left",
    form: Form = "automatic",
    levels: Collection[float] = (),
) -> go.Figure:
    """Draw average ranks with the control as a diamond and the others as dots.

    Parameters
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    control : str
        The algorithm the others are compared with.
    pvalues : Series
        Adjusted p-value of every other algorithm against the control.
    alpha : float
        An algorithm differs if its adjusted p-value is at most this.
    style : Style
        Surface and width.
    critical_difference : (float, str), optional
        Value and origin, only if one number decides (Bonferroni-Dunn). Draws the ruler and a band
        of this half-width around the control, never over a dot that differs.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram or one row per algorithm.
    levels : collection of float
        Other significance levels; on the screen a slider switches between them and `alpha`.

    Returns
    -------
    Figure
        Filled dots differ from the control, hollow ones are not separated from it. Marks and
        labels carry the pair with the control.
    """
    layout = cd_layout(
        average_ranks,
        [],
        style=style,
        critical_difference=critical_difference,
        best=best,
        form=form,
        note="",
        dot_row=True,
        bold=(control,),
    )
    names = [str(name) for name in average_ranks.index]
    pvalue_of = {str(name): float(value) for name, value in pvalues.items()}
    trace_style = TraceStyle(style, layout, names, (), (control,))
    if control in trace_style.colour:
        trace_style.colour[control] = style.accent
    fig = make_canvas(style, layout)
    positions = _places(layout)
    others = [name for name in names if name != control]
    if critical_difference is not None:
        ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        half_width = critical_difference[0] * _unit(layout, ranks)
        differs = {name: significant(pvalue_of.get(name, 1.0), alpha) for name in others}
        _draw_band(fig, layout, positions, control, differs, half_width, style)
    draw_axis(fig, trace_style)
    draw_leaders(fig, trace_style)
    traces_by_level = {}
    for level in sorted({alpha, *(() if style.printed else levels)}):
        traces_by_level[level] = trace_list = TraceList()
        differs = {name: significant(pvalue_of.get(name, 1.0), level) for name in others}
        if level == alpha:
            draw_ruler(trace_list, trace_style)
        _draw_dots(trace_list, average_ranks, positions, control, differs, pvalue_of, layout, style)
    trace_positions = draw_levels(fig, traces_by_level, alpha)
    draw_texts(fig, trace_style)
    if len(traces_by_level) > 1:
        add_slider(fig, traces_by_level, alpha, trace_positions, of_one_level(fig, layout), style)
    return fig


def caption_control(
    average_ranks: pd.Series,
    control: str,
    pvalues: pd.Series,
    alpha: float,
    *,
    style: Style,
    tests: str = "",
    best: Side = "left",
    form: Form = "automatic",
    levels: Collection[float] = (),
    steps: str = "",
) -> str:
    """Return the caption sentences on the marks."""
    layout = cd_layout(
        average_ranks, [], style=style, best=best, form=form, note="", bold=(control,)
    )
    tests_note = f" ({tests})" if tests else ""
    others = pvalues.drop(control, errors="ignore")
    sentences = [
        f"Algorithms at their average ranks, 1 is best. Diamond: {text.plain_text(control)}."
    ]
    if levels and not style.printed:
        sentences.append(
            "At the level shown filled dots differ from it, hollow ones are not separated, which does "
            f"not make them equal. The slider's steps are {steps}; verdict and tables are at the "
            f"chosen level{tests_note}."
        )
    elif significant(others, alpha).any():
        sentences.append(f"Filled dots differ from it{tests_note}.")
    if (style.printed or not levels) and not significant(others, alpha).all():
        sentences.append(
            "Hollow dots are not separated from it, which does not make them equal"
            f"{tests_note if not significant(others, alpha).any() else ''}."
        )
    sentences.append("Dots are not compared with each other.")
    if form_note := no_room(layout.form, len(average_ranks), form, style):
        sentences.append(form_note)
    abbreviations = "; ".join(
        f"{short_name} = {text.plain_text(name)}" for name, short_name in layout.shortened.items()
    )
    if abbreviations:
        sentences.append(f"Shortened names: {abbreviations}.")
    return " ".join(sentences)


def alt_control(
    average_ranks: pd.Series, control: str, pvalues: pd.Series, alpha: float, *, over: str = ""
) -> str:
    """Return the alternative text of the diagram, at most 300 characters."""
    others = [name for name in average_ranks.index if name != control]
    n_not_separated = sum(not significant(pvalues[name], alpha) for name in others)
    rank = average_ranks[control]
    n_better = sum(significant(pvalues[n], alpha) and average_ranks[n] < rank for n in others)
    head = f"Average ranks of {len(average_ranks)} algorithms" + (f" on {over}" if over else "")
    parts = [
        f"{n_not_separated} not separated",
        f"{len(others) - n_not_separated - n_better} worse",
    ]
    parts += [f"{n_better} better"] if n_better else []
    sentences = f"{head}. Against {text.plain_text(control)} ({rank:.2f}): {', '.join(parts)}."
    return text.truncate_text(sentences)


def _places(layout: DiagramLayout) -> dict[str, tuple[float, float]]:
    """Return the position of the mark of each algorithm."""
    if layout.form == "list":
        return {name: (x, y) for name, x, y in layout.marks}
    m = layout.measures
    y = layout.axis[1] + m.shoulder + 0.6 * m.pitch
    return {leader.name: (leader.points[1][0], y) for leader in layout.leaders}


def _unit(layout: DiagramLayout, ranks: dict[str, float]) -> float:
    """Return the width of one rank in px."""
    positions = {
        leader.name: leader.points[-1 if layout.form == "list" else 0][0]
        for leader in layout.leaders
    }
    low, high = min(ranks, key=ranks.__getitem__), max(ranks, key=ranks.__getitem__)
    rank_range = ranks[high] - ranks[low]
    return abs(positions[high] - positions[low]) / rank_range if rank_range else 0.0


def _draw_band(
    fig: go.Figure,
    layout: DiagramLayout,
    positions: dict[str, tuple[float, float]],
    control: str,
    differs: dict[str, bool],
    reach: float,
    style: Style,
) -> None:
    """Draw the band of ranks not separated from the control, clear of every dot that differs."""
    centre = positions[control][0]
    least_distance = style.px(8, 5.4) / 2 + 2
    low = max(centre - reach, layout.axis[0])
    high = min(centre + reach, layout.axis[2])
    for name, is_different in differs.items():
        x = positions[name][0]
        if is_different and centre < x < high + least_distance:
            high = min(high, x - least_distance)
        if is_different and low - least_distance < x < centre:
            low = max(low, x + least_distance)
    y = [position[1] for position in positions.values()]
    half = style.px(7, 4.5)
    top, bottom = min(y) - half, max(y) + half
    fig.add_shape(
        name="band",
        type="rect",
        x0=low,
        x1=high,
        y0=top,
        y1=bottom,
        layer="below",
        fillcolor=style.tint_worse,
        line_width=0,
    )


def _draw_dots(
    fig: TraceList,
    average_ranks: pd.Series,
    positions: dict[str, tuple[float, float]],
    control: str,
    differs: dict[str, bool],
    pvalue_of: dict[str, float],
    layout: DiagramLayout,
    style: Style,
) -> None:
    ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
    styles = {
        "differs": ("circle", style.ink, style.ink, style.px(8, 5.4)),
        "not separated": ("circle", style.page, style.ink, style.px(8, 5.4)),
        "control": ("diamond", style.accent, style.accent, style.px(10, 6)),
    }
    kinds: dict[str, list[str]] = {kind: [] for kind in styles}
    for name in positions:
        kind = "control" if name == control else "differs" if differs[name] else "not separated"
        kinds[kind].append(name)
    targets = {name: (x, y) for name, x, y in layout.targets}
    for kind, members in kinds.items():
        if not members:
            continue
        symbol, fill, edge, size = styles[kind]
        hover_texts = [_hover(name, control, ranks, differs, pvalue_of) for name in members]
        shared = {
            "customdata": members
            if kind == "control"
            else [[member, control] for member in members],
            "meta": "algorithm" if kind == "control" else "pair",
            "hovertext": hover_texts,
            "hoverinfo": "text",
            "mode": "markers",
            "unselected": {"marker": {"opacity": 1}},
            "cliponaxis": False,
        }
        line = {"width": style.px(1.4, 0.8), "color": edge}
        fig.add_scatter(
            x=[positions[member][0] for member in members],
            y=[positions[member][1] for member in members],
            name=kind,
            marker={"symbol": symbol, "color": fill, "size": size, "opacity": 1, "line": line},
            **shared,
        )
        fig.add_scatter(
            x=[targets[member][0] for member in members],
            y=[targets[member][1] for member in members],
            name=f"{kind} targets",
            marker={"size": 16, "color": "rgba(0,0,0,0)", "opacity": 1, "line": {"width": 0}},
            **shared,
        )


def _hover(
    name: str,
    control: str,
    ranks: dict[str, float],
    differs: dict[str, bool],
    pvalue_of: dict[str, float],
) -> str:
    if name == control:
        return f"<b>{text.escape(name)} {ranks[name]:.2f}</b><br>control<br>{traces.click_hint('algorithm')}"
    verdict = "differs" if differs[name] else "not separated"
    difference = text.format_signed(ranks[name] - ranks[control], 2)
    return "<br>".join(
        [
            f"<b>{text.escape(name)} vs {text.escape(control)}</b>: {verdict}",
            f"rank {ranks[name]:.2f}, difference {difference}",
            f"p adj {text.p_hover(pvalue_of.get(name, float('nan')))}",
            traces.click_hint("pair"),
        ]
    )
