"""The ordering strip: names from best to worst, underlines below what is not separated."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_axis import Side
from foldwise.figures.cd_hover import Hover, draw_targets
from foldwise.figures.cd_parts import DiagramLayout, GroupBar, consecutive_runs
from foldwise.figures.cd_traces import (
    TraceStyle,
    draw_axis,
    draw_bars,
    draw_leaders,
    draw_marks,
    draw_texts,
    make_canvas,
)
from foldwise.figures.ordering_strip_layout import COVERED, StripFrame, strip_layout
from foldwise.figures.theme import Style

_DOTTED = "A dotted stretch passes algorithms that are not in the group."


def ordering_strip(
    means: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    style: Style,
    higher_is_better: bool,
    measure: str,
    letters: pd.Series | None = None,
    selected: Collection[str] = (),
    highlight: Collection[str] = (),
    colours: dict[str, str] | None = None,
    best: Side = "left",
) -> go.Figure:
    """Draw the order of algorithms by their mean, and underline what the data do not separate.

    Parameters
    ----------
    means : Series
        Mean per algorithm, in any order; equal means keep the order given.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. Groups of one draw nothing.
    style : Style
        Surface and width, see :mod:`foldwise.figures.theme`.
    higher_is_better : bool
        Direction of the measure.
    measure : str
        What was measured, for hover and for the axis of the list form. ``"... (%)"`` makes
        the means percentages.
    letters : Series, optional
        Compact letters per algorithm, such as ``"ab"``: above the names, in the list form at
        the right.
    selected : collection of str
        Algorithms that keep full strength while the others fade; empty means all.
    highlight : collection of str
        Algorithms whose names are bold and, where there is colour, in their own.
    colours : dict, optional
        Colour per algorithm; by default :func:`foldwise.figures.theme.colours` of `means` as given.
    best : {"left", "right"}
        The side of the best algorithm.

    Returns
    -------
    Figure
        Names side by side, or, for more than twelve or where names would be cut beyond
        recognition, one row per algorithm and a column per group. An underline carries the
        list of its members as customdata, a name the name of its algorithm.

    Raises
    ------
    ValueError
        If there are fewer than two algorithms or a mean is not a finite number.
    """
    frame = StripFrame(means, groups, style, higher_is_better, measure, letters, best, highlight)
    layout = strip_layout(frame)
    brush = TraceStyle(style, layout, [str(n) for n in means.index], selected, highlight)
    if colours is not None:
        brush.colour = {n: colours.get(n, style.ink) for n in brush.colour}
    fig = make_canvas(style, layout)
    fig.update_layout(barmode="overlay")
    hover = _Words(frame, layout)
    if layout.form == "list":
        draw_axis(fig, brush)
        draw_leaders(fig, brush)
        draw_bars(fig, brush)
        draw_marks(fig, brush)
        draw_targets(fig, layout, hover)
        draw_texts(fig, brush)
    else:
        draw_bars(fig, brush, round_ends=False)
        draw_targets(fig, replace(layout, targets=()), hover)
        _name_targets(fig, layout, hover)
        _draw_strip_texts(fig, brush)
    fig.update_traces(
        hovertext=[hover.group(bar) for bar in layout.bars for _ in (*bar.solid, *bar.dotted)],
        selector={"name": "group targets"},
    )
    return fig


class _Words(Hover):
    """What the pointer says: means instead of ranks, groups by their number."""

    def __init__(self, frame: StripFrame, layout: DiagramLayout) -> None:
        super().__init__(pd.Series(dict(zip(frame.names, frame.ranks, strict=True))), (), None)
        self.bars = layout.bars
        self.frame = frame
        self.said = {bar.members: _group(n, bar) for n, bar in enumerate(layout.bars, 1)}

    def title(self, name: str) -> str:
        return f"<b>{text.escape(name)} {self.frame.numbers.full(self.ranks[name])}</b>"

    def _groups(self, name: str) -> str:
        numbers = [str(n) for n, bar in enumerate(self.bars, 1) if name in bar.members]
        if not numbers:
            return "differs from all others"
        if len(numbers) == 1:
            return f"in group {numbers[0]}"
        return f"in groups {', '.join(numbers[:-1])} and {numbers[-1]}"

    def algorithm(self, name: str) -> str:
        direction = "higher" if self.frame.higher_is_better else "lower"
        what = text.escape(text.truncate_text(self.frame.measure, 60))
        lines = [self.title(name), self._groups(name)]
        lines.append(f"mean {what}, {direction} is better" if what else f"{direction} is better")
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        return f"{self.title(name)}<br>{self.said[tuple(members)]}"

    def group(self, bar: GroupBar) -> str:
        return self.said[bar.members]


def _group(number: int, bar: GroupBar) -> str:
    short = text.shorten(bar.members, 160, 13)
    names = text.join_escaped((text.escape(short[m]) for m in bar.members), 4)
    return f"<b>Group {number}</b>: {names}<br>not separated<br>{traces.click_hint('group')}"


def _name_targets(fig: go.Figure, layout: DiagramLayout, hover: _Words) -> None:
    """Make name and mean one area that takes the pointer, as wide as their cell."""
    x = [place for _, place, _ in layout.targets]
    cell = abs(x[1] - x[0])
    lines = layout.leaders[0].points
    tall = lines[1][1] - lines[0][1]
    traces.add_areas(
        fig,
        [COVERED * cell] * len(x),
        [y for _, _, y in layout.targets],
        "label targets",
        "rgba(0,0,0,0)",
        [hover.algorithm(name) for name, _, _ in layout.targets],
        base=[v - COVERED * cell / 2 for v in x],
        width=[2 * tall - 2] * len(x),
        orientation="h",
        customdata=np.array([name for name, _, _ in layout.targets], dtype=object),
        meta="algorithm",
    )


def _draw_strip_texts(fig: go.Figure, brush: TraceStyle) -> None:
    """Print names, means and letters where their cells are, however wide the window is."""
    m, style = brush.m, brush.style
    for opacity in (0.25, 1.0):
        items = [
            t for t in brush.layout.texts if (brush.opacity([t.name]) if t.name else 1.0) == opacity
        ]
        if not items:
            continue
        bold = [t.role == "name" and t.name in brush.highlight for t in items]
        strings = [text.escape(t.string) for t in items]
        traces.add_cell_text(
            fig,
            [t.x for t in items],
            # Plotly centres the line; this centres its digits.
            [t.y + 0.07 * m.size for t in items],
            "text",
            [f"<b>{s}</b>" if b else s for s, b in zip(strings, bold, strict=True)],
            [m.size if t.role == "name" or not t.name else m.tick_size for t in items],
            [
                brush.colour.get(t.name or "", style.ink) if t.role == "name" else style.second
                for t in items
            ],
            opacity=opacity,
        )


def alt_strip(
    means: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    measure: str,
    higher_is_better: bool,
    joined: str = "underlined together",
) -> str:
    """Return the alternative text of the strip, at most 300 characters; `joined` are the groups.

    Examples
    --------
    >>> alt_strip(
    ...     pd.Series({"lda": 6.1, "rf": 5.87}), [("rf", "lda")],
    ...     measure="error (%)", higher_is_better=False,
    ... )
    'Ordering of 2 algorithms by mean error (%), best rf 5.87 %, worst lda 6.10 %. Order: rf, lda; underlined together: {rf, lda}.'
    """
    frame = StripFrame(means, groups, theme.screen(), higher_is_better, measure)
    names = [text.plain_text(name) for name in frame.names]
    real = ["{" + ", ".join(names[i] for i in group) + "}" for group in frame.groups]
    say = frame.numbers.full
    what = text.truncate_text(frame.measure, 60)
    head = f"Ordering of {frame.k} algorithms by mean {what}, ".replace("mean ,", "mean,")
    head += f"best {text.truncate_text(names[0], 50)} {say(frame.ranks[0])}, "
    head += f"worst {text.truncate_text(names[-1], 50)} {say(frame.ranks[-1])}. "
    tail = ""
    for most, kept in _shares(frame.k, len(real)):
        tail = f"Order: {text.join_escaped(names, most)}"
        if not real:
            tail += f"; {frame.note[0].lower()}{frame.note[1:]}"
        elif not kept:
            tail += f"; {joined}: {len(real)} groups."
        else:
            rest = f" and {len(real) - kept} more" if kept < len(real) else ""
            tail += f"; {joined}: {'; '.join(real[:kept])}{rest}."
        if len(head + tail) <= 300:
            return head + tail
    return text.truncate_text(head + tail)


def _shares(names: int, groups: int) -> Iterator[tuple[int, int]]:
    """Return how many names and groups to list: all of them first, then ever fewer."""
    for most in [n for n in (names, 12, 8, 5, 3, 2, 1) if n <= names]:
        for kept in range(groups, -1, -1):
            if kept or most <= 5 or not groups:
                yield most, kept


def caption_strip(
    means: pd.Series, groups: Sequence[tuple[str, ...]], *, higher_is_better: bool = False
) -> str:
    """Return the sentence a caption needs if any group skips an algorithm between its members.

    The direction matters only where means are equal.
    """
    frame = StripFrame(means, groups, theme.screen(), higher_is_better)
    return _DOTTED if any(len(consecutive_runs(group)) > 1 for group in frame.groups) else ""
