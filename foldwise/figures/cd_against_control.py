"""Average ranks against a control: who differs from it, and who is not separated."""

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
        Value and origin, only where one number decides (Bonferroni-Dunn). Draws the ruler and
        a band that far to both sides of the control, never over a dot that differs.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram or one row per algorithm.
    levels : collection of float
        Other levels; on the screen a slider moves between them and `alpha`.

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
    p = {str(name): float(value) for name, value in pvalues.items()}
    brush = TraceStyle(style, layout, names, (), (control,))
    if control in brush.colour:
        brush.colour[control] = style.accent
    fig = make_canvas(style, layout)
    places = _places(layout)
    others = [name for name in names if name != control]
    if critical_difference is not None:
        ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        reach = critical_difference[0] * _unit(layout, ranks)
        differs = {name: significant(p.get(name, 1.0), alpha) for name in others}
        _draw_band(fig, layout, places, control, differs, reach, style)
    draw_axis(fig, brush)
    draw_leaders(fig, brush)
    sketches = {}
    for level in sorted({alpha, *(() if style.printed else levels)}):
        sketches[level] = sketch = TraceList()
        differs = {name: significant(p.get(name, 1.0), level) for name in others}
        if level == alpha:
            draw_ruler(sketch, brush)
        _draw_dots(sketch, average_ranks, places, control, differs, p, layout, style)
    drawn = draw_levels(fig, sketches, alpha)
    draw_texts(fig, brush)
    if len(sketches) > 1:
        add_slider(fig, sketches, alpha, drawn, of_one_level(fig, layout), style)
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
    """Return what the marks mean, for the caption."""
    layout = cd_layout(
        average_ranks, [], style=style, best=best, form=form, note="", bold=(control,)
    )
    by = f" ({tests})" if tests else ""
    others = pvalues.drop(control, errors="ignore")
    said = [f"Algorithms at their average ranks, 1 is best. Diamond: {text.plain_text(control)}."]
    if levels and not style.printed:
        said.append(
            "At the level shown filled dots differ from it, hollow ones are not separated, which does "
            f"not make them equal. The slider's steps are {steps}; verdict and tables are at the "
            f"chosen level{by}."
        )
    elif significant(others, alpha).any():
        said.append(f"Filled dots differ from it{by}.")
    if (style.printed or not levels) and not significant(others, alpha).all():
        said.append(
            "Hollow dots are not separated from it, which does not make them equal"
            f"{by if not significant(others, alpha).any() else ''}."
        )
    said.append("Dots are not compared with each other.")
    if rows := no_room(layout.form, len(average_ranks), form, style):
        said.append(rows)
    short = "; ".join(
        f"{shown} = {text.plain_text(name)}" for name, shown in layout.shortened.items()
    )
    if short:
        said.append(f"Shortened names: {short}.")
    return " ".join(said)


def alt_control(
    average_ranks: pd.Series, control: str, pvalues: pd.Series, alpha: float, *, over: str = ""
) -> str:
    """Return the alternative text of the diagram, at most 300 characters."""
    others = [name for name in average_ranks.index if name != control]
    same = sum(not significant(pvalues[name], alpha) for name in others)
    rank = average_ranks[control]
    better = sum(significant(pvalues[n], alpha) and average_ranks[n] < rank for n in others)
    head = f"Average ranks of {len(average_ranks)} algorithms" + (f" on {over}" if over else "")
    parts = [f"{same} not separated", f"{len(others) - same - better} worse"]
    parts += [f"{better} better"] if better else []
    words = f"{head}. Against {text.plain_text(control)} ({rank:.2f}): {', '.join(parts)}."
    return text.truncate_text(words)


def _places(layout: DiagramLayout) -> dict[str, tuple[float, float]]:
    """Return where the mark of each algorithm goes."""
    if layout.form == "list":
        return {name: (x, y) for name, x, y in layout.marks}
    m = layout.measures
    y = layout.axis[1] + m.shoulder + 0.6 * m.pitch
    return {leader.name: (leader.points[1][0], y) for leader in layout.leaders}


def _unit(layout: DiagramLayout, ranks: dict[str, float]) -> float:
    """Return how many px one rank is wide."""
    at = {le.name: le.points[-1 if layout.form == "list" else 0][0] for le in layout.leaders}
    low, high = min(ranks, key=ranks.__getitem__), max(ranks, key=ranks.__getitem__)
    reach = ranks[high] - ranks[low]
    return abs(at[high] - at[low]) / reach if reach else 0.0


def _draw_band(
    fig: go.Figure,
    layout: DiagramLayout,
    places: dict[str, tuple[float, float]],
    control: str,
    differs: dict[str, bool],
    reach: float,
    style: Style,
) -> None:
    """Draw what the control is not separated from, clear of every dot that differs."""
    centre = places[control][0]
    clear = style.px(8, 5.4) / 2 + 2
    low = max(centre - reach, layout.axis[0])
    high = min(centre + reach, layout.axis[2])
    for name, apart in differs.items():
        x = places[name][0]
        if apart and centre < x < high + clear:
            high = min(high, x - clear)
        if apart and low - clear < x < centre:
            low = max(low, x + clear)
    y = [place[1] for place in places.values()]
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
    places: dict[str, tuple[float, float]],
    control: str,
    differs: dict[str, bool],
    p: dict[str, float],
    layout: DiagramLayout,
    style: Style,
) -> None:
    ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
    look = {
        "differs": ("circle", style.ink, style.ink, style.px(8, 5.4)),
        "not separated": ("circle", style.page, style.ink, style.px(8, 5.4)),
        "control": ("diamond", style.accent, style.accent, style.px(10, 6)),
    }
    kinds: dict[str, list[str]] = {kind: [] for kind in look}
    for name in places:
        kind = "control" if name == control else "differs" if differs[name] else "not separated"
        kinds[kind].append(name)
    targets = {name: (x, y) for name, x, y in layout.targets}
    for kind, members in kinds.items():
        if not members:
            continue
        symbol, fill, edge, size = look[kind]
        words = [_hover(name, control, ranks, differs, p) for name in members]
        shared = {
            "customdata": members if kind == "control" else [[n, control] for n in members],
            "meta": "algorithm" if kind == "control" else "pair",
            "hovertext": words,
            "hoverinfo": "text",
            "mode": "markers",
            "unselected": {"marker": {"opacity": 1}},
            "cliponaxis": False,
        }
        line = {"width": style.px(1.4, 0.8), "color": edge}
        fig.add_scatter(
            x=[places[n][0] for n in members],
            y=[places[n][1] for n in members],
            name=kind,
            marker={"symbol": symbol, "color": fill, "size": size, "opacity": 1, "line": line},
            **shared,
        )
        fig.add_scatter(
            x=[targets[n][0] for n in members],
            y=[targets[n][1] for n in members],
            name=f"{kind} targets",
            marker={"size": 16, "color": "rgba(0,0,0,0)", "opacity": 1, "line": {"width": 0}},
            **shared,
        )


def _hover(
    name: str, control: str, ranks: dict[str, float], differs: dict[str, bool], p: dict[str, float]
) -> str:
    if name == control:
        return f"<b>{text.escape(name)} {ranks[name]:.2f}</b><br>control<br>{traces.click_hint('algorithm')}"
    verdict = "differs" if differs[name] else "not separated"
    away = text.format_signed(ranks[name] - ranks[control], 2)
    return "<br>".join(
        [
            f"<b>{text.escape(name)} vs {text.escape(control)}</b>: {verdict}",
            f"rank {ranks[name]:.2f}, difference {away}",
            f"p adj {text.p_hover(p.get(name, float('nan')))}",
            traces.click_hint("pair"),
        ]
    )
