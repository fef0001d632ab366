"""Where names, means and underlines of an ordering strip lie."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_layout import Head, RankAxis, Side, list_form
from foldwise.figures.cd_parts import (
    DiagramLayout,
    GroupBar,
    Leader,
    Segment,
    Text,
    consecutive_runs,
)
from foldwise.figures.cd_traces import (
    Hover,
    TraceStyle,
    draw_axis,
    draw_bars,
    draw_leaders,
    draw_marks,
    draw_targets,
    draw_texts,
    make_canvas,
)
from foldwise.figures.fold_histogram_parts import Numbers
from foldwise.figures.label_placement import pack_rows
from foldwise.figures.theme import Style

#: With more algorithms there is a row for each instead of a strip.
MOST_IN_STRIP = 12
#: The part of its end cells that an underline covers.
COVERED = 0.76


class StripFrame(RankAxis):
    """What strip and list share: means in order, their groups, the strings to print."""

    def __init__(
        self,
        means: pd.Series,
        groups: Sequence[Sequence[str]],
        style: Style,
        higher_is_better: bool,
        measure: str = "",
        letters: pd.Series | None = None,
        best: Side = "left",
        highlight: Collection[str] = (),
    ) -> None:
        if len(means) < 2:
            raise ValueError(f"an ordering strip needs two algorithms; got {len(means)}")
        bad = [str(n) for n, v in means.astype(float).items() if not math.isfinite(v)]
        if bad:
            raise ValueError(f"`means` must be finite numbers; got none for {bad[0]!r}")
        means = _ordered(means, higher_is_better)
        # On an axis that runs from good to bad, a higher measure lies at the left if it is better.
        ascends = (best == "left") != higher_is_better
        super().__init__(means, groups, style, None, "left" if ascends else "right", None)
        self.mirrored = best == "right"
        self.higher_is_better = higher_is_better
        self.measure = text.plain_text(measure)
        self.bold = frozenset(highlight)
        self.numbers = _numbers(self.ranks, measure)
        self.values = [self.numbers.say(v) for v in self.ranks]
        given = {} if letters is None else {str(n): text.plain_text(s) for n, s in letters.items()}
        self.letters = [given.get(name, "") for name in self.names]
        self.step, self.low, self.high = _axis_range(self.ranks)


def _ordered(means: pd.Series, higher_is_better: bool) -> pd.Series:
    return means.astype(float).sort_values(ascending=not higher_is_better, kind="stable")


def _numbers(values: Sequence[float], measure: str) -> Numbers:
    """Return the format with the fewest decimals, 1 to 4, that tells neighbours apart.

    Two digits of the span remain in any case.
    """
    unit = " %" if measure.rstrip().endswith("(%)") or measure.strip() == "%" else ""
    size = max(abs(v) for v in values)
    if size and not 1e-3 <= size < 1e9:
        return Numbers(None, unit)
    pairs = [
        (a, b)
        for a, b in zip(values, values[1:], strict=False)
        if not math.isclose(a, b, rel_tol=1e-9)
    ]
    span = max(values) - min(values)
    places = max(text.decimals_for([span] if pairs else values), 1)
    while places < 4 and any(f"{a:.{places}f}" == f"{b:.{places}f}" for a, b in pairs):
        places += 1
    return Numbers(places, unit)


def _nice(least: float) -> float:
    """Return the smallest of 1, 2, 5 x 10^m that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(f * power for f in (1, 2, 5, 10) if f * power >= least * (1 - 1e-9))


def _axis_range(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the distance of ticks and the ends of an axis that holds `values`."""
    low, high = min(values), max(values)
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)):
        span = 0.1 * abs(low) or 1.0
        low, high = low - span / 2, high + span / 2
    step = _nice(span / 8)
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return step, first * step, last * step


def strip_layout(frame: StripFrame) -> DiagramLayout:
    """Return where everything lies: names side by side, or a row each where that cannot be read."""
    cell, room = _cells(frame) if frame.k <= MOST_IN_STRIP else (0.0, 0.0)
    return _strip(frame, cell, room) if cell else _list(frame)


def _cells(frame: StripFrame) -> tuple[float, float]:
    """Return the width of a cell and the room for its name; zero if a strip cannot be read."""
    m, style = frame.measures, frame.style
    gap = style.px(10, 6)
    most = (frame.total - 2 * _edge(style)) / frame.k
    usual = min(most, style.px(120, 90))
    wide = [frame.wide(i, text.plain_text(name)) for i, name in enumerate(frame.names)]
    others = [text.text_width(s, m.tick_size, m.serif) for s in (*frame.values, *frame.letters)]
    needed = max([*others, 0.0]) + gap
    if needed > most:
        return 0.0, 0.0
    # A long name may reach into the cells of short neighbours, but not over the edge.
    pairs = zip(wide, wide[1:], strict=False)
    full = max(needed, wide[0], wide[-1], *((a + b) / 2 + gap for a, b in pairs))
    if full <= most:
        return max(usual, full), math.inf
    room = most - gap
    if room < 5.5 * m.size or max(wide) > 1.6 * room:
        return 0.0, 0.0
    return most, room


def _edge(style: Style) -> float:
    return style.px(4, 2)


def _strip(frame: StripFrame, cell: float, room: float) -> DiagramLayout:
    """Return names side by side, means below them, underlines below those."""
    style, m = frame.style, replace(frame.measures, pitch=frame.style.px(9, 6))
    frame.lines = 1
    shown = frame.shorten(range(frame.k), room)
    plot = frame.total - 2 * _edge(style)
    # In a wide window a short strip begins at the left like the text around it; on paper it
    # is centred like the words of its caption.
    start = (plot - frame.k * cell) / 2 if style.printed else 0.0
    place = range(frame.k - 1, -1, -1) if frame.mirrored else range(frame.k)
    x = [start + (p + 0.5) * cell for p in place]
    lift = style.px(17, 13) if any(frame.letters) else 0.0
    y_name, y_mean = lift + style.px(17, 9.5), lift + style.px(32, 22)
    bars, rows = _underlines(frame, x, cell, y_mean + style.px(12, 9.5), m.pitch)
    texts = []
    for i, name in enumerate(frame.names):
        string, letters = shown[name], frame.letters[i]
        lines = [(frame.values[i], y_mean, "value"), (string, y_name, "name")]
        if letters:
            lines.append((letters, y_name - lift, "note"))
        texts += [Text(s, x[i], y, "center", role, m.wide(s), "left", name) for s, y, role in lines]
    height = y_mean + style.px(12, 9.5) + (rows - 1) * m.pitch + style.px(13, 10.5)
    if frame.note:
        y = y_mean + style.px(19, 14)
        middle = max(start + frame.k * cell / 2, m.wide(frame.note) / 2)
        texts.append(Text(frame.note, middle, y, "center", "note", m.wide(frame.note)))
        height = y + style.px(13, 8.5)
    return DiagramLayout(
        form="diagram",
        measures=m,
        left=_edge(style),
        right=_edge(style),
        plot=plot,
        height=height,
        axis=(0.0, 0.0, plot, 0.0),
        ticks=(),
        minor=(),
        texts=tuple(texts),
        # Not drawn; they say where a member lies on its underline.
        leaders=tuple(
            Leader(n, ((x[i], y_name), (x[i], y_mean))) for i, n in enumerate(frame.names)
        ),
        bars=tuple(bars),
        marks=(),
        targets=tuple((n, x[i], (y_name + y_mean) / 2) for i, n in enumerate(frame.names)),
        ruler=None,
        rows=rows,
        bar_width=m.bar,
        dot_width=m.dot,
        shortened={name: s for name, s in shown.items() if not text.is_whole(s, name)},
    )


def _underlines(
    frame: StripFrame, x: Sequence[float], cell: float, first: float, pitch: float
) -> tuple[list[GroupBar], int]:
    """Return one underline per group and the number of rows they take."""
    # Underlines end 24 % of a cell apart if groups follow on each other; in narrow cells that
    # would read as one line, so a whole cell is left between them.
    apart = 1.0 if (1 - COVERED) * cell >= frame.style.px(12, 8) else 2.0
    rows = pack_rows([(float(g[0]), float(g[-1])) for g in frame.groups], apart)
    gaps = any(len(consecutive_runs(g)) > 1 for g in frame.groups)
    half = COVERED * cell / 2
    bars = []
    for group, row in zip(frame.groups, rows, strict=True):
        y = first + row * pitch
        ends = [sorted((x[a], x[b])) for a, b in consecutive_runs(group)]
        solid: list[Segment] = [(a - half, y, b + half, y) for a, b in sorted(ends)]
        dotted = [(s[2], y, t[0], y) for s, t in zip(solid, solid[1:], strict=False)]
        dots = tuple((x[i], y) for i in group) if gaps else ()
        members = tuple(frame.names[i] for i in group)
        bars.append(GroupBar(members, tuple(solid), tuple(dotted), dots))
    return bars, max(rows, default=-1) + 1


def _list(frame: StripFrame) -> DiagramLayout:
    """Return one row per algorithm, with means instead of ranks, letters at the right."""
    m = frame.measures
    if any(frame.letters):
        frame.beyond = m.gap + m.column(frame.letters)
    layout = list_form(frame, _list_head)
    rows = [y for _, _, y in layout.marks]
    letters = tuple(
        Text(s, m.pad, y, "left", "value", m.wide(s), "right", name)
        for s, y, name in zip(frame.letters, rows, frame.names, strict=True)
        if s
    )
    return replace(layout, texts=layout.texts + letters)


def _list_head(frame: StripFrame, start: float, end: float, left: float, right: float) -> Head:
    """Lay out note, title and axis; which end is better stands beside the measure."""
    m, head = frame.measures, Head()
    y = 2.0
    if frame.note:
        head.texts.append(
            Text(frame.note, start, y + 0.75 * m.size, "left", "note", m.wide(frame.note))
        )
        y += 1.7 * m.size
    y = _title(frame, head, y, start, end)
    head.axis_y = y + 1.25 * m.tick_size + m.tick
    unit = (end - start) / (frame.high - frame.low)
    narrow = unit * frame.squeezed(end, left, right)
    low, high = round(frame.low / frame.step), round(frame.high / frame.step)
    for factor in (1, 2, 5, 10, 20):
        every = factor * frame.step
        places = max(0, -math.floor(math.log10(every) + 1e-9))
        steps = [n for n in range(low, high + 1) if n % factor == 0]
        strings = [text.format_minus(n * frame.step, places) for n in steps]
        widths = [text.text_width(s, m.tick_size, m.serif) for s in strings]
        if every * narrow >= max(widths, default=0.0) + 0.7 * m.tick_size:
            break
    head.ticks = tuple(frame.at(n * frame.step, start, end) for n in steps)
    if frame.step * unit >= 4:
        others = [n for n in range(low, high + 1) if n not in steps]
        head.minor = tuple(frame.at(n * frame.step, start, end) for n in others)
    for string, x, wide in zip(strings, head.ticks, widths, strict=True):
        head.texts.append(Text(string, x, y + 0.65 * m.tick_size, "center", "tick", wide))
    return head


def _title(frame: StripFrame, head: Head, y: float, start: float, end: float) -> float:
    """Add the measure and the arrow to the better side; return the y below them."""
    m = frame.measures
    arrow = "better \N{RIGHTWARDS ARROW}" if frame.mirrored else "\N{LEFTWARDS ARROW} better"
    room = end - start - m.wide(arrow) - m.size
    if not frame.measure:
        room = 0.0
    string = text.shorten([frame.measure], max(room, 1.0), m.size, serif=m.serif)[frame.measure]
    middle = y + 0.7 * m.size
    near, far = (end, start) if frame.mirrored else (start, end)
    sides = ("right", "left") if frame.mirrored else ("left", "right")
    head.texts.append(Text(arrow, near, middle, sides[0], "note", m.wide(arrow)))
    if room > 0:
        head.texts.append(Text(string, far, middle, sides[1], "ruler", m.wide(string)))
    return y + 1.5 * m.size


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
