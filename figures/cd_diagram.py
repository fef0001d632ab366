"""The critical-difference diagram: average ranks, and bars over what is not separated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.cd_layout import Form, Side, cd_layout
from figures.cd_parts import Bar, Layout, Segment, Text
from figures.theme import Style

#: Strength of what is not selected.
_DIMMED = 0.25
#: The plot area reaches this far into the margins, so that nothing at its ends is clipped.
_BLEED = 4
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
        Surface and width, see :mod:`figures.theme`.
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
    brush = Brush(style, layout, [str(n) for n in average_ranks.index], selected, highlight)
    fig = make_canvas(style, layout)
    draw_axis(fig, brush)
    draw_leaders(fig, brush)
    _draw_bars(fig, brush)
    _draw_marks(fig, brush)
    hover = _Hover(average_ranks, layout.bars, pvalues)
    _draw_targets(fig, brush, hover)
    draw_texts(fig, brush)
    return fig


def caption(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    best: Side = "left",
    form: Form = "automatic",
) -> str:
    """Return the sentences a caption of this diagram needs: dotted stretches, short names."""
    layout = cd_layout(average_ranks, groups, style=style, best=best, form=form)
    short = "; ".join(f"{shown} = {text.plain(name)}" for name, shown in layout.shortened.items())
    parts = [_DOTTED if layout.dotted else "", f"Shortened names: {short}." if short else ""]
    return " ".join(part for part in parts if part)


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
    for most in range(len(shown), 0, -1):
        more = "" if most == len(shown) else f" and {len(shown) - most} more"
        full = head + "Groups not separated: " + "; ".join(shown[:most]) + more + "." + tail
        if len(full) <= 300:
            return full
    return text.clip(f"{head}{len(real)} groups not separated.{tail}")


class Brush:
    """Colours and strengths for one figure."""

    def __init__(
        self,
        style: Style,
        layout: Layout,
        algorithms: list[str],
        selected: Collection[str],
        highlight: Collection[str],
    ) -> None:
        self.style = style
        self.layout = layout
        self.m = layout.measures
        self.selected = frozenset(selected)
        self.highlight = frozenset(highlight)
        palette = theme.colours(algorithms, highlight, style.dark)
        coloured = style.colour or not style.printed
        self.colour = {n: palette[n] for n in algorithms if coloured and n in self.highlight}

    def fades(self, members: Iterable[str]) -> bool:
        """Whether what concerns `members` is outside the selection."""
        mine = set(members)
        return bool(self.selected) and not (self.selected <= mine or mine <= self.selected)

    def opacity(self, members: Iterable[str]) -> float:
        """Return the strength of what concerns `members`."""
        return _DIMMED if self.fades(members) else 1.0


def make_canvas(style: Style, layout: Layout) -> go.Figure:
    """Return the empty figure; both axes count px of the layout, y downwards."""
    fig = theme.figure(style, layout.height)
    hidden = {"visible": False, "fixedrange": True}
    # On paper the plot area is the whole page; on the screen the labels live in margins of a
    # fixed width, and only what lies between them stretches.
    beyond = (layout.left, layout.right) if style.printed else (_BLEED, _BLEED)
    margins = {"l": layout.left - beyond[0], "r": layout.right - beyond[1], "t": 0, "b": 0}
    fig.update_layout(
        margin={**margins, "autoexpand": False},
        xaxis={"range": [-beyond[0], layout.plot + beyond[1]], **hidden},
        yaxis={"range": [round(layout.height), 0], **hidden},
        bargap=0,
    )
    return fig


def _lines(
    fig: go.Figure, paths: Iterable[Sequence[tuple[float, float]]], name: str, **line: object
) -> None:
    """Draw polylines as one trace without hover."""
    opacity = line.pop("opacity", 1.0)
    x: list[float | None] = []
    y: list[float | None] = []
    for path in paths:
        x += [*(point[0] for point in path), None]
        y += [*(point[1] for point in path), None]
    if x:
        fig.add_scatter(
            x=x,
            y=y,
            mode="lines",
            name=name,
            line=line,
            opacity=opacity,
            hoverinfo="skip",
            cliponaxis=False,
        )


def _dots(
    fig: go.Figure, points: Sequence[tuple[float, float]], name: str, **marker: object
) -> None:
    if points:
        fig.add_scatter(
            x=[p[0] for p in points],
            y=[p[1] for p in points],
            mode="markers",
            name=name,
            marker={"opacity": 1, "line": {"width": 0}, **marker},
            unselected={"marker": {"opacity": marker.get("opacity", 1)}},
            hoverinfo="skip",
            cliponaxis=False,
        )


def _ends(segment: Segment) -> tuple[tuple[float, float], tuple[float, float]]:
    return (segment[0], segment[1]), (segment[2], segment[3])


def draw_axis(fig: go.Figure, brush: Brush) -> None:
    """Draw the rank axis with its ticks, and the ruler if there is one."""
    layout, m, style = brush.layout, brush.m, brush.style
    x0, y, x1, _ = layout.axis
    _lines(fig, [((x0, y), (x1, y))], "axis", color=style.ink, width=m.axis)
    # Half a line wider, so that the end ticks close flush with the axis.
    ticks = [((x, y + m.axis / 2), (x, y - m.tick)) for x in layout.ticks]
    ticks += [((x, y), (x, y - 0.6 * m.tick)) for x in layout.minor]
    _lines(fig, ticks, "ticks", color=style.ink, width=m.axis)
    ruler = layout.ruler
    if ruler:
        cap = style.px(4, 3)
        ends = [ruler.start] if ruler.open_end else [ruler.start, ruler.end]
        paths = [((ruler.start, ruler.y), (ruler.end, ruler.y))]
        paths += [((x, ruler.y - cap), (x, ruler.y + cap)) for x in ends]
        _lines(fig, paths, "critical difference", color=style.ink, width=1.2 * m.axis)


def draw_leaders(fig: go.Figure, brush: Brush) -> None:
    """Draw the lines from ranks to labels."""
    layout, m, style = brush.layout, brush.m, brush.style
    colour = style.hairline if layout.form == "list" else style.leader
    plain = [leader for leader in layout.leaders if leader.name not in brush.highlight]
    for faded in (True, False):
        paths = [le.points for le in plain if brush.fades([le.name]) is faded]
        opacity = _DIMMED if faded else 1.0
        _lines(fig, paths, "leaders", color=colour, width=m.thin, opacity=opacity)
    for leader in layout.leaders:
        if leader.name in brush.highlight:
            _lines(
                fig,
                [leader.points],
                "leaders",
                color=brush.colour.get(leader.name, style.ink),
                width=1.8 * m.thin,
                opacity=brush.opacity([leader.name]),
            )


def _draw_bars(fig: go.Figure, brush: Brush) -> None:
    """Draw faint bars first, so that the selected group lies on top."""
    layout, m, style = brush.layout, brush.m, brush.style
    for faded in (True, False):
        bars = [bar for bar in layout.bars if brush.fades(bar.members) is faded]
        look = {"color": style.ink, "opacity": _DIMMED if faded else 1.0}
        dotted = [_ends(s) for bar in bars for s in bar.dotted]
        solid = [_ends(s) for bar in bars for s in bar.solid]
        _lines(fig, dotted, "passed over", width=m.thin, dash="dot", **look)
        _lines(fig, solid, "groups", width=layout.bar_width, **look)
        caps = [end for path in solid for end in path]
        if not any(bar.dots for bar in bars):
            _dots(fig, caps, "caps", size=layout.bar_width, **look)
        members = [dot for bar in bars for dot in bar.dots]
        _dots(fig, members, "members", size=layout.dot_width, **look)


def _draw_marks(fig: go.Figure, brush: Brush) -> None:
    """Draw the average ranks of the list form."""
    for faded in (True, False):
        marks = [mark for mark in brush.layout.marks if brush.fades([mark[0]]) is faded]
        colours = [brush.colour.get(name, brush.style.ink) for name, _, _ in marks]
        opacity = _DIMMED if faded else 1.0
        points = [(x, y) for _, x, y in marks]
        _dots(fig, points, "ranks", size=brush.style.px(7, 4.6), color=colours, opacity=opacity)


class _Hover:
    """What the pointer says, at most five lines."""

    def __init__(
        self, average_ranks: pd.Series, bars: Sequence[Bar], pvalues: pd.DataFrame | None
    ) -> None:
        self.ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        self.bars = bars
        self.pvalues = None
        if pvalues is not None:
            self.pvalues = pvalues.set_axis([str(n) for n in pvalues.index], axis=0).set_axis(
                [str(n) for n in pvalues.columns], axis=1
            )

    def title(self, name: str) -> str:
        return f"<b>{text.escape(name)} {self.ranks[name]:.2f}</b>"

    def algorithm(self, name: str) -> str:
        """Return rank, groups and the nearest of those not separated."""
        groups = [bar for bar in self.bars if name in bar.members]
        lines = [self.title(name)]
        if not groups:
            lines.append("differs from all others")
        elif len(groups) == 1:
            lines.append(f"Group: {_members(groups[0].members)}")
        else:
            lines.append(f"in {len(groups)} groups")
        others = {m for bar in groups for m in bar.members} - {name}
        if others:
            near = min(others, key=lambda o: abs(self.ranks[o] - self.ranks[name]))
            lines.append(f"nearest not separated: {text.escape(near)}{self._p(name, near)}")
        return "<br>".join([*lines, "Click: select the algorithm"])

    def member(self, name: str, members: Sequence[str]) -> str:
        """Return the pairs of `name` inside a group."""
        others = [o for o in members if o != name]
        if self.pvalues is None:
            return "<br>".join([self.title(name), f"Group: {_members(members)}", _SELECT_GROUP])
        others.sort(key=lambda o: -float(self.pvalues.loc[name, o]))
        pairs = [f"{text.escape(o)}{self._p(name, o)}" for o in others[:2]]
        if len(others) > 2:
            pairs.append(f"and {len(others) - 2} more, all not separated")
        return "<br>".join([self.title(name), *pairs, _SELECT_GROUP])

    def _p(self, first: str, second: str) -> str:
        if self.pvalues is None:
            return ""
        return f", p adj {text.p_hover(float(self.pvalues.loc[first, second]))}"


_SELECT_GROUP = "Click: select the group"


def _members(members: Sequence[str]) -> str:
    short = text.shorten(list(members), 160, 13)
    return text.listed((text.escape(short[m]) for m in members), 4)


def _draw_targets(fig: go.Figure, brush: Brush, hover: _Hover) -> None:
    """Add the invisible areas that take the pointer: bars, their members, labels."""
    layout, m = brush.layout, brush.m
    _bar_targets(fig, layout, m.pitch)
    dots = [
        (*_place(layout, bar, name), list(bar.members), hover.member(name, bar.members))
        for bar in layout.bars
        for name in bar.members
    ]
    labels = [(x, y, name, hover.algorithm(name)) for name, x, y in layout.targets]
    for name, size, points in (
        ("member targets", m.pitch - 1, dots),
        ("label targets", 16, labels),
    ):
        if not points:
            continue
        fig.add_scatter(
            x=[p[0] for p in points],
            y=[p[1] for p in points],
            customdata=_column([p[2] for p in points]),
            hovertext=[p[3] for p in points],
            hoverinfo="text",
            mode="markers",
            name=name,
            marker={"size": size, "color": "rgba(0,0,0,0)", "opacity": 1, "line": {"width": 0}},
            unselected={"marker": {"opacity": 1}},
            cliponaxis=False,
        )


def _column(values: Sequence[object]) -> np.ndarray:
    """Return `values`, lists among them, as one value per point."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _place(layout: Layout, bar: Bar, name: str) -> tuple[float, float]:
    """Return where `name` lies on `bar`."""
    first = (bar.solid or bar.dotted)[0]
    leader = next(le for le in layout.leaders if le.name == name)
    if layout.form == "list":
        return first[0], leader.points[0][1]
    return leader.points[1][0], first[1]


def _bar_targets(fig: go.Figure, layout: Layout, thick: float) -> None:
    """Add one transparent bar per stretch; thicker than what is seen, easier to hit."""
    stretches = [(s, bar.members) for bar in layout.bars for s in (*bar.solid, *bar.dotted)]
    if not stretches:
        return
    lying = layout.form == "diagram"
    start, across = (0, 1) if lying else (1, 0)
    base = [min(s[start], s[start + 2]) for s, _ in stretches]
    length = [abs(s[start + 2] - s[start]) for s, _ in stretches]
    centre = [s[across] for s, _ in stretches]
    words = [
        "<br>".join([f"<b>{_members(g)}</b>", "not separated", _SELECT_GROUP]) for _, g in stretches
    ]
    fig.add_bar(
        base=base,
        x=length if lying else centre,
        y=centre if lying else length,
        orientation="h" if lying else "v",
        width=[0.9 * thick] * len(stretches),
        customdata=_column([list(group) for _, group in stretches]),
        hovertext=words,
        hoverinfo="text",
        name="group targets",
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        unselected={"marker": {"opacity": 1}},
    )


def _across(item: Text, layout: Layout) -> dict[str, object]:
    """Return where a text lies across: on the axis, or so many px from the plot area."""
    if item.role in ("tick", "ruler", "note") and 0 <= item.x <= layout.plot:
        return {"xref": "x", "x": item.x}
    if item.edge == "right":
        return {"xref": "paper", "x": 1, "xshift": item.x - _BLEED}
    return {"xref": "paper", "x": 0, "xshift": item.x + _BLEED}


def draw_texts(fig: go.Figure, brush: Brush) -> None:
    """Print all text: placed to the pixel on the screen, to its fraction on paper.

    Annotations keep their distance from the axis when the window stretches the figure, but
    snap to whole pixels; on paper, where nothing stretches, a text trace aligns exactly.
    """
    texts, m = brush.layout.texts, brush.m
    if not brush.style.printed:
        fig.update_layout(annotations=[_annotation(brush, item) for item in texts])
        return
    places = {"left": "middle right", "center": "middle center", "right": "middle left"}
    fig.add_scatter(
        x=[t.x + (brush.layout.plot if t.edge == "right" else 0.0) for t in texts],
        # Plotly centres the line; this centres its digits.
        y=[t.y + 0.07 * m.size for t in texts],
        text=[_markup(brush, t) for t in texts],
        textposition=[places[t.anchor] for t in texts],
        textfont={
            "size": [m.tick_size if t.role == "tick" else m.size for t in texts],
            "color": [_text_colour(brush, t) for t in texts],
        },
        mode="text",
        name="text",
        hoverinfo="skip",
        cliponaxis=False,
    )


def _markup(brush: Brush, item: Text) -> str:
    string = text.escape(item.string)
    bold = item.role == "name" and item.name in brush.highlight
    return f"<b>{string}</b>" if bold else string


def _text_colour(brush: Brush, item: Text) -> str:
    style = brush.style
    if item.role == "name" and item.name in brush.colour:
        return brush.colour[item.name]
    if style.printed and item.name and brush.fades([item.name]):
        return style.leader
    return style.second if item.role in ("value", "note") else style.ink


def _annotation(brush: Brush, item: Text) -> dict[str, object]:
    m = brush.m
    return {
        "text": _markup(brush, item),
        "yref": "y",
        "y": item.y,
        **_across(item, brush.layout),
        "xanchor": item.anchor,
        "yanchor": "middle",
        "showarrow": False,
        "borderpad": 0,
        "borderwidth": 0,
        "font": {
            "size": m.tick_size if item.role == "tick" else m.size,
            "color": _text_colour(brush, item),
        },
        "opacity": brush.opacity([item.name]) if item.name else 1.0,
    }
