"""Where names, means and underlines of an ordering strip lie."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from foldwise.figures import text
from foldwise.figures.cd_axis import Head, RankAxis, Side
from foldwise.figures.cd_layout import list_form
from foldwise.figures.cd_parts import (
    DiagramLayout,
    GroupBar,
    Leader,
    Segment,
    Text,
    consecutive_runs,
)
from foldwise.figures.fold_histogram_bins import Numbers
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
