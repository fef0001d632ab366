"""What the pointer finds on a critical-difference diagram: words and things to click."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.cd_parts import DiagramLayout, GroupBar
from foldwise.figures.cd_traces import TraceList

_SELECT_GROUP = traces.click_hint("group")


class Hover:
    """What the pointer says, at most five lines."""

    def __init__(
        self, average_ranks: pd.Series, bars: Sequence[GroupBar], pvalues: pd.DataFrame | None
    ) -> None:
        self.ranks = {str(name): float(rank) for name, rank in average_ranks.items()}
        self.bars = bars
        self.pvalues = None
        if pvalues is not None:  # plain dictionaries: many pairs are looked up
            self.pvalues = pvalues.rename(index=str, columns=str).to_dict()

    def title(self, name: str) -> str:
        """Return the first line: name and rank in bold."""
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
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        """Return the pairs of `name` inside a group."""
        others = [o for o in members if o != name]
        if self.pvalues is None:
            return "<br>".join([self.title(name), f"Group: {_members(members)}", _SELECT_GROUP])
        others.sort(key=lambda o: -float(self.pvalues[name][o]))
        pairs = [f"{text.escape(o)}{self._p(name, o)}" for o in others[:2]]
        if len(others) > 2:
            pairs.append(f"and {len(others) - 2} more, all not separated")
        return "<br>".join([self.title(name), *pairs, _SELECT_GROUP])

    def _p(self, first: str, second: str) -> str:
        if self.pvalues is None:
            return ""
        return f", p adj {text.p_hover(float(self.pvalues[first][second]))}"


def _members(members: Sequence[str]) -> str:
    short = text.shorten(list(members), 160, 13)
    return text.join_escaped((text.escape(short[m]) for m in members), 4)


def draw_targets(fig: go.Figure | TraceList, layout: DiagramLayout, hover: Hover) -> None:
    """Add the invisible areas that take the pointer: bars, their members, labels."""
    m = layout.measures
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
            meta="group",
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


def _place(layout: DiagramLayout, bar: GroupBar, name: str) -> tuple[float, float]:
    """Return where `name` lies on `bar`."""
    first = (bar.solid or bar.dotted)[0]
    leader = next(le for le in layout.leaders if le.name == name)
    if layout.form == "list":
        return first[0], leader.points[0][1]
    return leader.points[1][0], first[1]


def _bar_targets(fig: go.Figure | TraceList, layout: DiagramLayout, thick: float) -> None:
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
    traces.add_areas(
        fig,
        length if lying else centre,
        centre if lying else length,
        "group targets",
        "rgba(0,0,0,0)",
        words,
        base=base,
        orientation="h" if lying else "v",
        width=[0.9 * thick] * len(stretches),
        customdata=_column([list(group) for _, group in stretches]),
        meta="group",
    )
