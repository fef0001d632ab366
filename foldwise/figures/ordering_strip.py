"""The ordering strip: names by mean, underlined in groups without a significant difference."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.cd_layout import Head, RankAxis, Side, list_form
from foldwise.figures.cd_parts import DiagramLayout, GroupBar, Leader, Segment, Text, consecutive_runs
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
from foldwise.figures.fold_histogram import Numbers
from foldwise.figures.label_placement import pack_rows
from foldwise.figures.theme import Style

#: With more algorithms the list form is drawn, with a row for each.
MOST_IN_STRIP = 12
#: Share of its end cells covered by an underline.
COVERED = 0.76


class StripFrame(RankAxis):
    """Data shared by strip and list: sorted means, groups, and the strings to print."""

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
        invalid = [str(n) for n, value in means.astype(float).items() if not math.isfinite(value)]
        if invalid:
            raise ValueError(f"`means` must be finite numbers; got none for {invalid[0]!r}")
        means = _ordered(means, higher_is_better)
        # On an axis from good to bad a higher measure lies at the left if it is better.
        ascending = (best == "left") != higher_is_better
        super().__init__(means, groups, style, None, "left" if ascending else "right", None)
        self.mirrored = best == "right"
        self.higher_is_better = higher_is_better
        self.measure = text.plain_text(measure)
        self.bold = frozenset(highlight)
        self.numbers = _numbers(self.ranks, measure)
        self.values = [self.numbers.say(value) for value in self.ranks]
        letters_by_name = (
            {} if letters is None else {str(n): text.plain_text(letters_of) for n, letters_of in letters.items()}
        )
        self.letters = [letters_by_name.get(name, "") for name in self.names]
        self.step, self.low, self.high = _axis_range(self.ranks)


def _ordered(means: pd.Series, higher_is_better: bool) -> pd.Series:
    return means.astype(float).sort_values(ascending=not higher_is_better, kind="stable")


def _numbers(values: Sequence[float], measure: str) -> Numbers:
    """Return the format with the fewest decimals, 1 to 4, that distinguishes neighbours.

    At least two digits of the span are printed.
    """
    unit = "%" if measure.rstrip().endswith("(%)") or measure.strip() == "%" else ""
    size = max(abs(value) for value in values)
    if size and not 1e-3 <= size < 1e9:
        return Numbers(None, unit)
    pairs = [(a, b) for a, b in zip(values, values[1:], strict=False) if not math.isclose(a, b, rel_tol=1e-9)]
    span = max(values) - min(values)
    decimals = max(text.decimals_for([span] if pairs else values), 1)
    while decimals < 4 and any(f"{a:.{decimals}f}" == f"{b:.{decimals}f}" for a, b in pairs):
        decimals += 1
    return Numbers(decimals, unit)


def _nice(least: float) -> float:
    """Return the smallest of 1, 2, 5 x 10^m that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _axis_range(values: Sequence[float]) -> tuple[float, float, float]:
    """Return tick distance and ends of an axis that contains `values`."""
    low, high = min(values), max(values)
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)):
        span = 0.1 * abs(low) or 1.0
        low, high = low - span / 2, high + span / 2
    step = _nice(span / 8)
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return step, first * step, last * step


def strip_layout(frame: StripFrame) -> DiagramLayout:
    """Return the layout: names side by side, or a list if that would be illegible."""
    cell, room = _cells(frame) if frame.k <= MOST_IN_STRIP else (0.0, 0.0)
    return _strip(frame, cell, room) if cell else _list(frame)


def _cells(frame: StripFrame) -> tuple[float, float]:
    """Return the width of a cell and the room for its name; (0, 0) if a strip is illegible."""
    m, style = frame.measures, frame.style
    gap = style.px(10, 6)
    available = (frame.total - 2 * _edge(style)) / frame.k
    preferred = min(available, style.px(120, 90))
    name_widths = [frame.wide(index, text.plain_text(name)) for index, name in enumerate(frame.names)]
    label_widths = [text.text_width(label, m.tick_size, m.serif) for label in (*frame.values, *frame.letters)]
    needed = max([*label_widths, 0.0]) + gap
    if needed > available:
        return 0.0, 0.0
    # A long name may extend into the cells of short neighbours, but not beyond the edge.
    pairs = zip(name_widths, name_widths[1:], strict=False)
    required = max(needed, name_widths[0], name_widths[-1], *((a + b) / 2 + gap for a, b in pairs))
    if required <= available:
        return max(preferred, required), math.inf
    room = available - gap
    if room < 5.5 * m.size or max(name_widths) > 1.6 * room:
        return 0.0, 0.0
    return available, room


def _edge(style: Style) -> float:
    return style.px(4, 2)


def _strip(frame: StripFrame, cell: float, room: float) -> DiagramLayout:
    """Return the layout with names side by side, means below them, then underlines."""
    style, m = frame.style, replace(frame.measures, pitch=frame.style.px(9, 6))
    frame.lines = 1
    shown = frame.shorten(range(frame.k), room)
    plot = frame.total - 2 * _edge(style)
    # On the screen a short strip is left-aligned like the surrounding text; on paper it
    # is centred like its caption.
    start = (plot - frame.k * cell) / 2 if style.printed else 0.0
    positions = range(frame.k - 1, -1, -1) if frame.mirrored else range(frame.k)
    x = [start + (position + 0.5) * cell for position in positions]
    lift = style.px(17, 13) if any(frame.letters) else 0.0
    y_name, y_mean = lift + style.px(17, 9.5), lift + style.px(32, 22)
    bars, rows = _underlines(frame, x, cell, y_mean + style.px(12, 9.5), m.pitch)
    texts = []
    for i, name in enumerate(frame.names):
        string, letters = shown[name], frame.letters[i]
        lines = [(frame.values[i], y_mean, "value"), (string, y_name, "name")]
        if letters:
            lines.append((letters, y_name - lift, "note"))
        texts += [Text(line, x[i], y, "center", role, m.wide(line), "left", name) for line, y, role in lines]
    height = y_mean + style.px(12, 9.5) + (rows - 1) * m.pitch + style.px(13, 10.5)
    if frame.note:
        y = y_mean + style.px(19, 14)
        x_note = max(start + frame.k * cell / 2, m.wide(frame.note) / 2)
        texts.append(Text(frame.note, x_note, y, "center", "note", m.wide(frame.note)))
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
        # Not drawn; they give the positions of members on their underlines.
        leaders=tuple(Leader(n, ((x[i], y_name), (x[i], y_mean))) for i, n in enumerate(frame.names)),
        bars=tuple(bars),
        marks=(),
        targets=tuple((n, x[i], (y_name + y_mean) / 2) for i, n in enumerate(frame.names)),
        ruler=None,
        rows=rows,
        bar_width=m.bar,
        dot_width=m.dot,
        shortened={name: line for name, line in shown.items() if not text.is_whole(line, name)},
    )


def _underlines(
    frame: StripFrame, x: Sequence[float], cell: float, first: float, pitch: float
) -> tuple[list[GroupBar], int]:
    """Return one underline per group, and the number of rows they need."""
    # Underlines of adjacent groups end 24% of a cell apart; in narrow cells that
    # would look like one line, so a full cell is left between them.
    separation = 1.0 if (1 - COVERED) * cell >= frame.style.px(12, 8) else 2.0
    rows = pack_rows(
        [(float(group_indices[0]), float(group_indices[-1])) for group_indices in frame.groups], separation
    )
    has_gaps = any(len(consecutive_runs(group_indices)) > 1 for group_indices in frame.groups)
    half = COVERED * cell / 2
    bars = []
    for group, row in zip(frame.groups, rows, strict=True):
        y = first + row * pitch
        ends = [sorted((x[a], x[b])) for a, b in consecutive_runs(group)]
        solid: list[Segment] = [(a - half, y, b + half, y) for a, b in sorted(ends)]
        dotted = [(s[2], y, t[0], y) for s, t in zip(solid, solid[1:], strict=False)]
        dots = tuple((x[i], y) for i in group) if has_gaps else ()
        members = tuple(frame.names[i] for i in group)
        bars.append(GroupBar(members, tuple(solid), tuple(dotted), dots))
    return bars, max(rows, default=-1) + 1


def _list(frame: StripFrame) -> DiagramLayout:
    """Return the list layout: one row per algorithm with its mean, letters at the right."""
    m = frame.measures
    if any(frame.letters):
        frame.beyond = m.gap + m.column(frame.letters)
    layout = list_form(frame, _list_head)
    rows = [y for _, _, y in layout.marks]
    letters = tuple(
        Text(letter, m.pad, y, "left", "value", m.wide(letter), "right", name)
        for letter, y, name in zip(frame.letters, rows, frame.names, strict=True)
        if letter
    )
    return replace(layout, texts=layout.texts + letters)


def _list_head(frame: StripFrame, start: float, end: float, left: float, right: float) -> Head:
    """Lay out note, title and axis; the arrow to the better end stands beside the measure."""
    m, head = frame.measures, Head()
    y = 2.0
    if frame.note:
        head.texts.append(Text(frame.note, start, y + 0.75 * m.size, "left", "note", m.wide(frame.note)))
        y += 1.7 * m.size
    y = _title(frame, head, y, start, end)
    head.axis_y = y + 1.25 * m.tick_size + m.tick
    unit = (end - start) / (frame.high - frame.low)
    least_unit = unit * frame.squeezed(end, left, right)
    low, high = round(frame.low / frame.step), round(frame.high / frame.step)
    for factor in (1, 2, 5, 10, 20):
        step = factor * frame.step
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        multiples = [multiple for multiple in range(low, high + 1) if multiple % factor == 0]
        strings = [text.format_minus(multiple * frame.step, decimals) for multiple in multiples]
        widths = [text.text_width(s, m.tick_size, m.serif) for s in strings]
        if step * least_unit >= max(widths, default=0.0) + 0.7 * m.tick_size:
            break
    head.ticks = tuple(frame.at(multiple * frame.step, start, end) for multiple in multiples)
    if frame.step * unit >= 4:
        minor = [multiple for multiple in range(low, high + 1) if multiple not in multiples]
        head.minor = tuple(frame.at(multiple * frame.step, start, end) for multiple in minor)
    for string, x, width in zip(strings, head.ticks, widths, strict=True):
        head.texts.append(Text(string, x, y + 0.65 * m.tick_size, "center", "tick", width))
    return head


def _title(frame: StripFrame, head: Head, y: float, start: float, end: float) -> float:
    """Add the measure and the arrow to the better side; return the y below them."""
    m = frame.measures
    arrow = "better \N{RIGHTWARDS ARROW}" if frame.mirrored else "\N{LEFTWARDS ARROW} better"
    room = end - start - m.wide(arrow) - m.size
    if not frame.measure:
        room = 0.0
    string = text.shorten([frame.measure], max(room, 1.0), m.size, serif=m.serif)[frame.measure]
    y_text = y + 0.7 * m.size
    better_end, worse_end = (end, start) if frame.mirrored else (start, end)
    sides = ("right", "left") if frame.mirrored else ("left", "right")
    head.texts.append(Text(arrow, better_end, y_text, sides[0], "note", m.wide(arrow)))
    if room > 0:
        head.texts.append(Text(string, worse_end, y_text, sides[1], "ruler", m.wide(string)))
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
    """Draw algorithms by their mean, and underline groups that do not differ significantly.

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
        Name of the measure, for hover and for the axis of the list form. ``"... (%)"`` marks
        the means as percentages.
    letters : Series, optional
        Compact letters per algorithm, such as ``"ab"``: above the names, in the list form at
        the right.
    selected : collection of str
        Algorithms that keep full opacity while the others fade; empty means all.
    highlight : collection of str
        Algorithms whose names are bold and, where there is colour, in their own.
    colours : dict, optional
        Colour per algorithm; by default :func:`foldwise.figures.theme.colours` of the index of `means`.
    best : {"left", "right"}
        The side of the best algorithm.

    Returns
    -------
    Figure
        Names side by side, or, for more than twelve algorithms or names that would be cut too
        much, one row per algorithm and a column per group. Underlines carry the list of their
        members as customdata, names their algorithm.

    Raises
    ------
    ValueError
        If there are fewer than two algorithms or a mean is not a finite number.
    """
    frame = StripFrame(means, groups, style, higher_is_better, measure, letters, best, highlight)
    layout = strip_layout(frame)
    trace_style = TraceStyle(style, layout, [str(name) for name in means.index], selected, highlight)
    if colours is not None:
        trace_style.colour = {name: colours.get(name, style.ink) for name in trace_style.colour}
    fig = make_canvas(style, layout)
    fig.update_layout(barmode="overlay")
    hover = _Words(frame, layout)
    if layout.form == "list":
        draw_axis(fig, trace_style)
        draw_leaders(fig, trace_style)
        draw_bars(fig, trace_style)
        draw_marks(fig, trace_style)
        draw_targets(fig, layout, hover)
        draw_texts(fig, trace_style)
    else:
        draw_bars(fig, trace_style, round_ends=False)
        draw_targets(fig, replace(layout, targets=()), hover)
        _name_targets(fig, layout, hover)
        _draw_strip_texts(fig, trace_style)
    fig.update_traces(
        hovertext=[hover.group(bar) for bar in layout.bars for _ in (*bar.solid, *bar.dotted)],
        selector={"name": "group targets"},
    )
    return fig


class _Words(Hover):
    """Hover text of a strip: means instead of ranks, groups by their number."""

    def __init__(self, frame: StripFrame, layout: DiagramLayout) -> None:
        super().__init__(pd.Series(dict(zip(frame.names, frame.ranks, strict=True))), (), None)
        self.bars = layout.bars
        self.frame = frame
        self.said = {bar.members: _group(number, bar) for number, bar in enumerate(layout.bars, 1)}

    def title(self, name: str) -> str:
        return f"<b>{text.escape(name)} {self.frame.numbers.full(self.ranks[name])}</b>"

    def _groups(self, name: str) -> str:
        numbers = [str(number) for number, bar in enumerate(self.bars, 1) if name in bar.members]
        if not numbers:
            return "differs from all others"
        if len(numbers) == 1:
            return f"in group {numbers[0]}"
        return f"in groups {', '.join(numbers[:-1])} and {numbers[-1]}"

    def algorithm(self, name: str) -> str:
        direction = "higher" if self.frame.higher_is_better else "lower"
        measure = text.escape(text.truncate_text(self.frame.measure, 60))
        lines = [self.title(name), self._groups(name)]
        lines.append(f"mean {measure}, {direction} is better" if measure else f"{direction} is better")
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        return f"{self.title(name)}<br>{self.said[tuple(members)]}"

    def group(self, bar: GroupBar) -> str:
        return self.said[bar.members]


def _group(number: int, bar: GroupBar) -> str:
    short = text.shorten(bar.members, 160, 13)
    names = text.join_escaped((text.escape(short[member]) for member in bar.members), 4)
    return f"<b>Group {number}</b>: {names}<br>not separated<br>{traces.click_hint('group')}"


def _name_targets(fig: go.Figure, layout: DiagramLayout, hover: _Words) -> None:
    """Draw one invisible hover target over name and mean, as wide as their cell."""
    x = [position for _, position, _ in layout.targets]
    cell = abs(x[1] - x[0])
    lines = layout.leaders[0].points
    height = lines[1][1] - lines[0][1]
    traces.add_areas(
        fig,
        [COVERED * cell] * len(x),
        [y for _, _, y in layout.targets],
        "label targets",
        "rgba(0,0,0,0)",
        [hover.algorithm(name) for name, _, _ in layout.targets],
        base=[position_x - COVERED * cell / 2 for position_x in x],
        width=[2 * height - 2] * len(x),
        orientation="h",
        customdata=np.array([name for name, _, _ in layout.targets], dtype=object),
        meta="algorithm",
    )


def _draw_strip_texts(fig: go.Figure, brush: TraceStyle) -> None:
    """Print names, means and letters at the centres of their cells."""
    m, style = brush.m, brush.style
    for opacity in (0.25, 1.0):
        items = [item for item in brush.layout.texts if (brush.opacity([item.name]) if item.name else 1.0) == opacity]
        if not items:
            continue
        bold = [item.role == "name" and item.name in brush.highlight for item in items]
        strings = [text.escape(item.string) for item in items]
        traces.add_cell_text(
            fig,
            [item.x for item in items],
            # Plotly centres the line of text; the offset centres its digits.
            [item.y + 0.07 * m.size for item in items],
            "text",
            [f"<b>{string}</b>" if is_bold else string for string, is_bold in zip(strings, bold, strict=True)],
            [m.size if item.role == "name" or not item.name else m.tick_size for item in items],
            [brush.colour.get(item.name or "", style.ink) if item.role == "name" else style.second for item in items],
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
    """Return the alternative text, at most 300 characters; `joined` introduces the groups.

    Examples
    --------
    >>> alt_strip(
    ...     pd.Series({"lda": 6.1, "rf": 5.87}), [("rf", "lda")],
    ...     measure="error (%)", higher_is_better=False,
    ... )
    'Ordering of 2 algorithms by mean error (%), best rf 5.87%, worst lda 6.10%. Order: rf, lda; underlined together: {rf, lda}.'
    """
    frame = StripFrame(means, groups, theme.screen(), higher_is_better, measure)
    names = [text.plain_text(name) for name in frame.names]
    group_texts = ["{" + ", ".join(names[i] for i in group) + "}" for group in frame.groups]
    format_value = frame.numbers.full
    measure_text = text.truncate_text(frame.measure, 60)
    head = f"Ordering of {frame.k} algorithms by mean {measure_text}, ".replace("mean ,", "mean,")
    head += f"best {text.truncate_text(names[0], 50)} {format_value(frame.ranks[0])}, "
    head += f"worst {text.truncate_text(names[-1], 50)} {format_value(frame.ranks[-1])}. "
    tail = ""
    for n_names, n_groups in _shares(frame.k, len(group_texts)):
        tail = f"Order: {text.join_escaped(names, n_names)}"
        if not group_texts:
            tail += f"; {frame.note[0].lower()}{frame.note[1:]}"
        elif not n_groups:
            tail += f"; {joined}: {len(group_texts)} groups."
        else:
            omitted = f" and {len(group_texts) - n_groups} more" if n_groups < len(group_texts) else ""
            tail += f"; {joined}: {'; '.join(group_texts[:n_groups])}{omitted}."
        if len(head + tail) <= 300:
            return head + tail
    return text.truncate_text(head + tail)


def _shares(names: int, groups: int) -> Iterator[tuple[int, int]]:
    """Yield numbers of names and groups to list: all of them first, then fewer."""
    for n_names in [limit for limit in (names, 12, 8, 5, 3, 2, 1) if limit <= names]:
        for n_groups in range(groups, -1, -1):
            if n_groups or n_names <= 5 or not groups:
                yield n_names, n_groups


def caption_strip(means: pd.Series, groups: Sequence[tuple[str, ...]], *, higher_is_better: bool = False) -> str:
    """Return the sentence on dotted underlines if any group skips an algorithm, else "".

    The direction matters only if means are equal.
    """
    frame = StripFrame(means, groups, theme.screen(), higher_is_better)
    return _DOTTED if any(len(consecutive_runs(group)) > 1 for group in frame.groups) else ""
