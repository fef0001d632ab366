"""Traces, hover text and click targets of a critical-difference diagram."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_parts import DiagramLayout, GroupBar, Segment, Text
from foldwise.figures.theme import FADED, Style

#: Px by which the plot area extends into the margins, so that nothing at its ends is clipped.
_BLEED = 4


class TraceList:
    """Traces by name as plain dictionaries, without the cost of Plotly's validation."""

    def __init__(self) -> None:
        self.traces: dict[str, dict[str, Any]] = {}

    def add_scatter(self, **trace: Any) -> None:
        """Store a scatter trace."""
        self._keep("scatter", trace)

    def add_bar(self, **trace: Any) -> None:
        """Store a bar trace."""
        self._keep("bar", trace)

    def _keep(self, kind: str, trace: dict[str, Any]) -> None:
        if trace["name"] in self.traces:
            raise ValueError(f"two traces are called {trace['name']!r}; names tell levels' traces")
        self.traces[trace["name"]] = {"type": kind, **trace}


class TraceStyle:
    """Colours and opacities of one figure."""

    def __init__(
        self,
        style: Style,
        layout: DiagramLayout,
        algorithms: list[str],
        selected: Collection[str],
        highlight: Collection[str],
        colours: Mapping[str, str] | None = None,
    ) -> None:
        self.style = style
        self.layout = layout
        self.m = layout.measures
        self.selected = frozenset(selected)
        self.highlight = frozenset(highlight)
        palette = colours or theme.colours(algorithms, highlight, style.dark)
        coloured = style.colour or not style.printed
        with_own_colour = [
            name for name in algorithms if name in self.highlight or (colours or {}).get(name, theme.GREY) != theme.GREY
        ]
        self.colour = {name: palette[name] for name in with_own_colour if coloured and name in palette}

    def fades(self, members: Iterable[str]) -> bool:
        """Return whether an element of `members` is outside the selection."""
        member_set = set(members)
        return bool(self.selected) and not (self.selected <= member_set or member_set <= self.selected)

    def opacity(self, members: Iterable[str]) -> float:
        """Return the opacity of an element of `members`."""
        return FADED if self.fades(members) else 1.0


def make_canvas(style: Style, layout: DiagramLayout) -> go.Figure:
    """Return an empty figure whose axes are in px of the layout, y downwards."""
    fig = theme.new_figure(style, layout.height)
    hidden = {"visible": False, "fixedrange": True}
    # In print the plot area is the whole page; on the screen the labels are in margins of a
    # fixed width, and only the area between them stretches.
    bleed = (layout.left, layout.right) if style.printed else (_BLEED, _BLEED)
    margins = {"l": layout.left - bleed[0], "r": layout.right - bleed[1], "t": 0, "b": 0}
    fig.update_layout(
        margin={**margins, "autoexpand": False},
        xaxis={"range": [-bleed[0], layout.plot + bleed[1]], **hidden},
        yaxis={"range": [round(layout.height), 0], **hidden},
        bargap=0,
    )
    return fig


def _lines(
    fig: go.Figure | TraceList, paths: Iterable[Sequence[tuple[float, float]]], name: str, **line: object
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
            x=x, y=y, mode="lines", name=name, line=line, opacity=opacity, hoverinfo="skip", cliponaxis=False
        )


def _dots(fig: go.Figure | TraceList, points: Sequence[tuple[float, float]], name: str, **marker: object) -> None:
    if points:
        fig.add_scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            mode="markers",
            name=name,
            marker={"opacity": 1, "line": {"width": 0}, **marker},
            unselected={"marker": {"opacity": marker.get("opacity", 1)}},
            hoverinfo="skip",
            cliponaxis=False,
        )


def _ends(segment: Segment) -> tuple[tuple[float, float], tuple[float, float]]:
    return (segment[0], segment[1]), (segment[2], segment[3])


def draw_axis(fig: go.Figure, brush: TraceStyle) -> None:
    """Draw the rank axis with its ticks."""
    layout, m, style = brush.layout, brush.m, brush.style
    x0, y, x1, _ = layout.axis
    _lines(fig, [((x0, y), (x1, y))], "axis", color=style.ink, width=m.axis)
    # Extended by half a line width, so that the end ticks are flush with the axis.
    ticks = [((x, y + m.axis / 2), (x, y - m.tick)) for x in layout.ticks]
    ticks += [((x, y), (x, y - 0.6 * m.tick)) for x in layout.minor]
    _lines(fig, ticks, "ticks", color=style.ink, width=m.axis)


def draw_ruler(fig: go.Figure | TraceList, brush: TraceStyle) -> None:
    """Draw the critical difference as a line with end caps, if there is one."""
    ruler, m, style = brush.layout.ruler, brush.m, brush.style
    if ruler:
        cap = style.px(4, 3)
        ends = [ruler.start] if ruler.open_end else [ruler.start, ruler.end]
        paths = [((ruler.start, ruler.y), (ruler.end, ruler.y))]
        paths += [((x, ruler.y - cap), (x, ruler.y + cap)) for x in ends]
        _lines(fig, paths, "critical difference", color=style.ink, width=1.2 * m.axis)


def draw_leaders(fig: go.Figure, brush: TraceStyle) -> None:
    """Draw the lines from ranks to labels."""
    layout, m, style = brush.layout, brush.m, brush.style
    colour = style.hairline if layout.form == "list" else style.leader
    plain = [leader for leader in layout.leaders if leader.name not in brush.highlight]
    for faded in (True, False):
        paths = [plain_leader.points for plain_leader in plain if brush.fades([plain_leader.name]) is faded]
        opacity = FADED if faded else 1.0
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


def draw_bars(fig: go.Figure | TraceList, brush: TraceStyle, *, round_ends: bool = True) -> None:
    """Draw the group bars, faded ones first, so that the selected group lies on top."""
    layout, m, style = brush.layout, brush.m, brush.style
    for faded in (True, False):
        bars = [bar for bar in layout.bars if brush.fades(bar.members) is faded]
        options = {"color": style.ink, "opacity": FADED if faded else 1.0}
        suffix = " behind" if faded else ""
        dotted = [_ends(segment) for bar in bars for segment in bar.dotted]
        solid = [_ends(segment) for bar in bars for segment in bar.solid]
        _lines(fig, dotted, f"passed over{suffix}", width=m.thin, dash="dot", **options)
        _lines(fig, solid, f"groups{suffix}", width=layout.bar_width, **options)
        caps = [end for path in solid for end in path]
        # Round caps, except on faded bars, where the overlap would be visible.
        if round_ends and not faded and not any(bar.dots for bar in bars):
            _dots(fig, caps, "caps", size=layout.bar_width, **options)
        members = [dot for bar in bars for dot in bar.dots]
        _dots(fig, members, f"members{suffix}", size=layout.dot_width, **options)


def draw_marks(fig: go.Figure, brush: TraceStyle) -> None:
    """Draw the average ranks in the list form."""
    for faded in (True, False):
        marks = [mark for mark in brush.layout.marks if brush.fades([mark[0]]) is faded]
        colours = [brush.colour.get(name, brush.style.ink) for name, _, _ in marks]
        opacity = FADED if faded else 1.0
        points = [(x, y) for _, x, y in marks]
        _dots(fig, points, "ranks", size=brush.style.px(7, 4.6), color=colours, opacity=opacity)


def _across(item: Text, layout: DiagramLayout) -> dict[str, object]:
    """Return the horizontal position of a text: on the axis, or in px from the plot area."""
    if item.role in ("tick", "ruler", "note") and 0 <= item.x <= layout.plot:
        return {"xref": "x", "x": item.x}
    if item.edge == "right":
        return {"xref": "paper", "x": 1, "xshift": item.x - _BLEED}
    return {"xref": "paper", "x": 0, "xshift": item.x + _BLEED}


def draw_texts(fig: go.Figure, brush: TraceStyle) -> None:
    """Print all text, as annotations on the screen and as a text trace in print.

    Annotations keep their distance from the axis when the window stretches the figure, but
    snap to whole pixels; print does not stretch, and a text trace aligns exactly.
    """
    texts, m = brush.layout.texts, brush.m
    if not brush.style.printed:
        fig.update_layout(annotations=[_annotation(brush, item) for item in texts])
        return
    text_positions = {"left": "middle right", "center": "middle center", "right": "middle left"}
    fig.add_scatter(
        x=[t.x + (brush.layout.plot if t.edge == "right" else 0.0) for t in texts],
        # Plotly centres the line of text; the offset centres its digits.
        y=[t.y + 0.07 * m.size for t in texts],
        text=[_markup(brush, t) for t in texts],
        textposition=[text_positions[t.anchor] for t in texts],
        textfont={
            "size": [m.tick_size if t.role == "tick" else m.size for t in texts],
            "color": [_text_colour(brush, t) for t in texts],
        },
        mode="text",
        name="text",
        hoverinfo="skip",
        cliponaxis=False,
    )


def _markup(brush: TraceStyle, item: Text) -> str:
    string = text.shortened_markup(item.string)
    bold = item.role == "name" and item.name in brush.highlight
    return f"<b>{string}</b>" if bold else string


def _text_colour(brush: TraceStyle, item: Text) -> str:
    style = brush.style
    if item.role == "name" and item.name in brush.colour:
        return brush.colour[item.name]
    if style.printed and item.name and brush.fades([item.name]):
        return style.leader
    return style.second if item.role in ("value", "note") else style.ink


def _annotation(brush: TraceStyle, item: Text) -> dict[str, object]:
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
        "font": {"size": m.tick_size if item.role == "tick" else m.size, "color": _text_colour(brush, item)},
        "opacity": brush.opacity([item.name]) if item.name else 1.0,
    }


_SELECT_GROUP = traces.click_hint("group")


class Hover:
    """Hover texts of at most five lines."""

    def __init__(self, average_ranks: pd.Series, bars: Sequence[GroupBar], pvalues: pd.DataFrame | None) -> None:
        self.ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        self.bars = bars
        self.pvalues = None
        if pvalues is not None:  # plain dictionaries, since many pairs are looked up
            self.pvalues = pvalues.rename(index=str, columns=str).to_dict()

    def title(self, name: str) -> str:
        """Return the first line: name and rank in bold."""
        return f"<b>{text.escape(name)} {self.ranks[name]:.2f}</b>"

    def algorithm(self, name: str) -> str:
        """Return the hover text of an algorithm: rank, groups, and its nearest group member."""
        groups = [bar for bar in self.bars if name in bar.members]
        lines = [self.title(name)]
        if not groups:
            lines.append("differs from all others")
        elif len(groups) == 1:
            lines.append(f"Group: {_members(groups[0].members)}")
        else:
            lines.append(f"in {len(groups)} groups")
        others = {member for bar in groups for member in bar.members} - {name}
        if others:
            nearest = min(others, key=lambda other: abs(self.ranks[other] - self.ranks[name]))
            lines.append(f"nearest not separated: {text.escape(nearest)}{self._p(name, nearest)}")
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        """Return the hover text of `name` on the bar of a group."""
        others = [other for other in members if other != name]
        if self.pvalues is None:
            return "<br>".join([self.title(name), f"Group: {_members(members)}", _SELECT_GROUP])
        others.sort(key=lambda other: -float(self.pvalues[name][other]))
        pairs = [f"{text.escape(other)}{self._p(name, other)}" for other in others[:2]]
        if len(others) > 2:
            pairs.append(f"and {len(others) - 2} more, all not separated")
        return "<br>".join([self.title(name), *pairs, _SELECT_GROUP])

    def _p(self, first: str, second: str) -> str:
        if self.pvalues is None:
            return ""
        return f", p adj {text.p_hover(float(self.pvalues[first][second]))}"


def _members(members: Sequence[str]) -> str:
    short = text.shorten(list(members), 160, 13)
    return text.join_escaped((text.escape(short[member]) for member in members), 4)


def draw_targets(fig: go.Figure | TraceList, layout: DiagramLayout, hover: Hover) -> None:
    """Add invisible hover targets: bars, their members, labels."""
    m = layout.measures
    _bar_targets(fig, layout, m.pitch)
    dots = [
        (*_place(layout, bar, name), list(bar.members), hover.member(name, bar.members))
        for bar in layout.bars
        for name in bar.members
    ]
    labels = [(x, y, name, hover.algorithm(name)) for name, x, y in layout.targets]
    for name, size, points in (("member targets", m.pitch - 1, dots), ("label targets", 16, labels)):
        if not points:
            continue
        fig.add_scatter(
            x=[point[0] for point in points],
            y=[point[1] for point in points],
            customdata=_column([point[2] for point in points]),
            meta="group",
            hovertext=[point[3] for point in points],
            hoverinfo="text",
            mode="markers",
            name=name,
            marker={"size": size, "color": "rgba(0,0,0,0)", "opacity": 1, "line": {"width": 0}},
            unselected={"marker": {"opacity": 1}},
            cliponaxis=False,
        )


def _column(values: Sequence[object]) -> np.ndarray:
    """Return `values`, which may contain lists, as an object array with one entry per point."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _place(layout: DiagramLayout, bar: GroupBar, name: str) -> tuple[float, float]:
    """Return the position of `name` on `bar`."""
    first = (bar.solid or bar.dotted)[0]
    leader = next(candidate for candidate in layout.leaders if candidate.name == name)
    if layout.form == "list":
        return first[0], leader.points[0][1]
    return leader.points[1][0], first[1]


def _bar_targets(fig: go.Figure | TraceList, layout: DiagramLayout, thickness: float) -> None:
    """Add a transparent bar per stretch, thicker than the visible one and easier to hit."""
    stretches = [(segment, bar.members) for bar in layout.bars for segment in (*bar.solid, *bar.dotted)]
    if not stretches:
        return
    horizontal = layout.form == "diagram"
    start, cross_axis = (0, 1) if horizontal else (1, 0)
    base = [min(segment[start], segment[start + 2]) for segment, _ in stretches]
    length = [abs(segment[start + 2] - segment[start]) for segment, _ in stretches]
    centre = [segment[cross_axis] for segment, _ in stretches]
    hover_texts = [
        "<br>".join([f"<b>{_members(group_members)}</b>", "not separated", _SELECT_GROUP])
        for _, group_members in stretches
    ]
    traces.add_areas(
        fig,
        length if horizontal else centre,
        centre if horizontal else length,
        "group targets",
        "rgba(0,0,0,0)",
        hover_texts,
        base=base,
        orientation="h" if horizontal else "v",
        width=[0.9 * thickness] * len(stretches),
        customdata=_column([list(group) for _, group in stretches]),
        meta="group",
    )
