"""Algorithms ordered by mean, with underlines below groups without significant differences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import cd_layout, text, theme, traces
from foldwise.figures.axis_parts import tick_step
from foldwise.figures.cd_layout import DiagramLayout, DiagramPainter, GroupBar, Role, Side
from foldwise.figures.fold_rows import Numbers
from foldwise.figures.spec import (
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    figure_text,
    tested_line,
)
from foldwise.figures.theme import FADED, Style
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.core.formatting import format_count

#: With more algorithms the list form is drawn, with a row for each.
MOST_IN_STRIP = 12
_MOST_GROUPS = 30  # largest number of groups whose lines can be distinguished


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderingStrip(FigureSpec):
    """Algorithms ordered by mean, with underlines below groups that do not differ significantly.

    Names are arranged in a row; for more than twelve algorithms, or if names would be shortened too
    much, there is one row per algorithm and one column per group (list form). The customdata of an
    underline is the list of its members, that of a name its algorithm.

    Attributes
    ----------
    means : Series
        Mean per algorithm, in any order; equal means keep the order given.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. A group of one algorithm is not drawn.
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
        Algorithms whose names are bold and, if colours are used, in their own colour.
    colours : mapping, optional
        Colour per algorithm; by default by position in `algorithms`, or in `means`.
    best : {"left", "right"}
        The side of the best algorithm.
    algorithms : sequence of str
        All algorithms.
    opening : str
        Beginning of the caption.
    alt_groups : sequence of tuples of str, optional
        The groups in the alternative text, by default `groups`.
    joined : str
        Phrase that introduces the groups in the alternative text.
    drawn_as : OrderingStrip, optional
        A strip of another level with the same figure, drawn in its place to use its cache.
    unread : int
        Number of groups that are left out, because they are too many to be read.
    data : DataFrame, optional
        The table of numbers.
    how_to_read : str
        How to read the figure.

    Raises
    ------
    ValueError
        If there are fewer than two algorithms or a mean is not a finite number.
    """

    means: pd.Series
    groups: Sequence[tuple[str, ...]]
    higher_is_better: bool
    measure: str
    letters: pd.Series | None = None
    selected: Collection[str] = ()
    highlight: Collection[str] = ()
    best: Side = "left"
    algorithms: Sequence[str] = ()
    opening: str = ""
    alt_groups: Sequence[tuple[str, ...]] | None = None
    joined: str = "Underlined together"
    drawn_as: OrderingStrip | None = None
    unread: int = 0
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: str = ""

    def figure(self, style: Style) -> go.Figure:
        """Return the Plotly figure, that of `drawn_as` if it is set."""
        return super().figure(style) if self.drawn_as is None else self.drawn_as.figure(style)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        frame, colours = StripFrame(self, self.groups, style), self.colours
        names = [str(name) for name in self.means.index]
        if self.algorithms:
            colours = colors_of(colours, self.algorithms, self.highlight, style)
        painter = DiagramPainter(
            style, frame.layout(), names, self.selected, self.highlight, colours
        )
        fig = painter.new_figure()
        fig.update_layout(barmode="overlay")
        hover = _StripHover(frame, painter.layout)
        if painter.layout.form == "list":
            painter.draw_axis(fig)
            painter.draw_leaders(fig)
            painter.draw_bars(fig)
            painter.draw_marks(fig)
            painter.draw_targets(fig, hover)
            painter.draw_texts(fig)
        else:
            painter.draw_bars(fig, round_ends=False)
            painter.draw_targets(fig, hover, labels=False)
            _name_targets(fig, painter.layout, hover)
            _draw_strip_texts(fig, painter)
        return fig

    def caption(self, style: Style) -> str:
        """Return the caption."""
        dotted = cd_layout.skips(StripFrame(self, self.groups, theme.screen()).groups)
        return f"{self.opening} {figure_text('ordering_strip.dotted') if dotted else ''}".strip()

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters.

        Examples
        --------
        >>> OrderingStrip(
        ...     means=pd.Series({"lda": 6.1, "rf": 5.87}), groups=[("rf", "lda")],
        ...     measure="error (%)", higher_is_better=False,
        ... ).alt
        'Ordering of 2 algorithms by mean error (%), best rf 5.87%, worst lda 6.10%. Order: rf, lda. Underlined together: {rf, lda}.'
        """
        groups = self.groups if self.alt_groups is None else self.alt_groups
        frame = StripFrame(self, groups, theme.screen())
        names = [text.plain_text(name) for name in frame.names]
        sets = ["{" + ", ".join(names[i] for i in group) + "}" for group in frame.groups]
        described = ""
        for n_names, n_sets in _shares(frame.k, len(sets)):
            described = figure_text(
                "ordering_strip.alt",
                order=text.join_escaped(names, n_names),
                groups=self._describe_sets(sets, n_sets) if sets else frame.note.rstrip("."),
                k=frame.k,
                mean=f"mean {text.truncate_text(frame.measure, 60)}".rstrip(),
                best=frame.describe(0),
                worst=frame.describe(-1),
            )
            if len(described) <= 300:
                break
        return text.truncate_text(described)

    def _describe_sets(self, sets: Sequence[str], most: int) -> str:
        """Return the groups in words: at most `most` of them, or their number."""
        listed = text.join_escaped(sets, most) if most else format_count(len(sets), "group")
        return f"{self.joined}: {listed}"


class StripStyling(TypedDict, total=False):
    """Fields of `OrderingStrip` that pages set."""

    best: Side
    colours: Colours
    selected: Collection[str]
    highlight: Collection[str]


@cached_figure
def strip_drawing(
    analysis: FoldsComparison,
    *,
    notation: str = "maximal groups",
    title: str = "",
    **styling: Unpack[StripStyling],
) -> OrderingStrip:
    """Return the figure of algorithms ordered by mean, with groups without significant differences.

    `notation` is "maximal groups", "underlines" or "letters"; `styling` are attributes of
    `OrderingStrip`.
    """
    groups = analysis.underlined if notation == "underlines" else analysis.groups
    by_letters = notation == "letters"
    unread = 0 if by_letters or len(groups) <= _MOST_GROUPS else len(groups)
    drawn = _strip_of_groups(
        analysis,
        () if by_letters or unread else groups,
        analysis.letters if by_letters else None,
        unread=unread,
        **styling,
    )
    usual_title = figure_text(
        "ordering_strip.title", measure=analysis.measure_name, dataset=analysis.dataset
    )
    letters = analysis.letters.rename_axis("algorithm").to_frame("letters")
    return replace(
        drawn,
        name=f"order_{notation}_{analysis.dataset}_{analysis.settings.measure}",
        title=title or usual_title,
        tested=tested_line(analysis),
        how_to_read=figure_text(f"ordering_strip.how_to_read_{notation.split()[-1]}"),
        data=letters.assign(mean=analysis.means),
        opening=_describe_order(analysis, drawn, notation),
        alt_groups=groups,
        joined="Sharing a letter" if by_letters else drawn.joined,
        drawn_as=drawn,
    )


@cached_figure(at_every_level=True)
def _strip_of_groups(
    analysis: FoldsComparison,
    groups: Sequence[tuple[str, ...]],
    letters: pd.Series | None = None,
    *,
    unread: int = 0,
    **styling: Unpack[StripStyling],
) -> OrderingStrip:
    """Return the figure that `strip_drawing` completes; significance levels with equal groups and letters share it."""
    return OrderingStrip(
        means=analysis.means,
        groups=groups,
        letters=letters,
        measure=analysis.measure_name,
        higher_is_better=analysis.higher_is_better,
        algorithms=analysis.results.algorithms,
        unread=unread,
        **styling,
    )


def _describe_order(analysis: FoldsComparison, drawn: OrderingStrip, notation: str) -> str:
    """Return the caption: the order, the notation of the groups, and the test."""
    return figure_text(
        "ordering_strip.caption",
        notation=notation,
        measure=analysis.measure_name,
        lines=any(len(group) > 1 for group in drawn.groups),
        unread=drawn.unread,
        tested=tested_line(analysis),
    )


@cached_figure
def strip_drawings(
    analysis: FoldsComparison, **styling: Unpack[StripStyling]
) -> list[OrderingStrip]:
    """Return the figure of the order, or two if underlines and maximal groups differ."""
    if not analysis.notations_disagree:
        return [strip_drawing(analysis, **styling)]
    titles = {
        "maximal groups": figure_text("ordering_strip.title_groups"),
        "underlines": figure_text("ordering_strip.title_underlines"),
    }
    return [
        strip_drawing(analysis, notation=notation, title=title, **styling)
        for notation, title in titles.items()
    ]


class StripFrame(cd_layout.RankAxis):
    """Sorted means, groups and printed names, from which strip and list are laid out."""

    def __init__(self, spec: OrderingStrip, groups: Sequence[Sequence[str]], style: Style) -> None:
        """Set sorted means, number format and axis; raise ValueError for fewer than two means, or one not finite."""
        means = spec.means.astype(float)
        if len(means) < 2:
            raise ValueError(figure_text("ordering_strip.too_few", n=len(means)))
        invalid = [str(name) for name, value in means.items() if not math.isfinite(value)]
        if invalid:
            raise ValueError(figure_text("ordering_strip.not_finite", name=invalid[0]))
        means = means.sort_values(ascending=not spec.higher_is_better, kind="stable")
        # On an axis from good to bad a higher measure lies at the left if it is better.
        ascending = (spec.best == "left") != spec.higher_is_better
        side: Side = "left" if ascending else "right"
        lines = 1 if len(means) > cd_layout.MOST_IN_DIAGRAM else 2
        note = None if spec.letters is None and not spec.unread else ""
        super().__init__(
            means, groups, style, best=side, bold=spec.highlight, note=note, lines=lines
        )
        self.mirrored = spec.best == "right"
        self.higher_is_better = spec.higher_is_better
        self.measure = text.plain_text(spec.measure)
        self.numbers = _numbers(self.ranks, spec.measure)
        self.values = [self.numbers.say(value) for value in self.ranks]
        letters = {} if spec.letters is None else spec.letters.rename(str).to_dict()
        self.letters = [text.plain_text(letters.get(name, "")) for name in self.names]
        self.step, self.low, self.high = _axis_range(self.ranks)

    def describe(self, index: int) -> str:
        """Return an algorithm with its mean, as text."""
        name = text.truncate_text(text.plain_text(self.names[index]), 50)
        return f"{name} {self.numbers.full(self.ranks[index])}"

    def layout(self) -> DiagramLayout:
        """Return the layout: a strip of names, or a list if the strip would be illegible."""
        cell, room = self._cells() if self.k <= MOST_IN_STRIP else (0.0, 0.0)
        return self._strip(cell, room) if cell else self._list()

    def _cells(self) -> tuple[float, float]:
        """Return the width in px of a cell and of its name, inf if names are whole; (0, 0) if a strip is illegible."""
        m, style = self.measures, self.style
        spacing = style.px(10, 6)
        plot = self.total - 2 * _edge(style)
        available = plot / self.k
        preferred = min(available, style.px(120, 90))
        names = [self.wide(name, text.plain_text(name)) for name in self.names]
        labels = [*self.values, *self.letters]
        needed = text.widest(labels, m.tick_size, m.serif) + spacing
        if needed > available:
            return 0.0, 0.0
        # A long name may extend into the cells of short neighbours, but not beyond the edge.
        neighbours = [(a + b) / 2 + spacing for a, b in itertools.pairwise(names)]
        required = max(needed, names[0], names[-1], *neighbours)
        # cells become narrower in narrow windows, names do not
        narrowest_plot = cd_layout.NARROWEST - 2 * _edge(style)
        narrowest = 1.0 if style.printed else min(1.0, narrowest_plot / plot)
        if required <= available * narrowest:
            return max(preferred, required / narrowest), math.inf
        room = available * narrowest - spacing
        if room < 5.5 * m.size or max(names) > 1.6 * room:
            return 0.0, 0.0
        return available, room

    def _strip(self, cell: float, room: float) -> DiagramLayout:
        """Return the strip layout: names in a row, means below, then underlines."""
        style, m = self.style, self.measures
        m.pitch = style.px(9, 6)
        self.lines = 1
        edge = _edge(style)
        layout = self.new_layout("diagram", edge, edge, self.shorten(room))
        # On the screen a short strip is left-aligned like the surrounding text; on paper it
        # is centred like its caption.
        width = self.k * cell
        start = (layout.plot - width) / 2 if style.printed else 0.0
        centres = [start + (position + 0.5) * cell for position in range(self.k)]
        x = centres[::-1] if self.mirrored else centres
        lift = style.px(17, 13) if any(self.letters) else 0.0
        y_name, y_mean = lift + style.px(17, 9.5), lift + style.px(32, 22)
        first, half = y_mean + style.px(12, 9.5), cd_layout.COVERED * cell / 2
        layout.bars, layout.rows = cd_layout.underlines(
            self.names, self.groups, x, half, first, m.pitch, style
        )
        for i, name in enumerate(self.names):
            self._add_cell_text(layout, i, self.values[i], x[i], y_mean, "value")
            self._add_cell_text(layout, i, layout.shown[name], x[i], y_name, "name")
            if self.letters[i]:
                self._add_cell_text(layout, i, self.letters[i], x[i], y_name - lift, "note")
            # Not drawn; they give the positions of members on their underlines.
            layout.leaders.append(cd_layout.Leader(name, ((x[i], y_name), (x[i], y_mean))))
            layout.targets.append((name, x[i], (y_name + y_mean) / 2))
        layout.height = first + (layout.rows - 1) * m.pitch + style.px(13, 10.5)
        if self.note:
            y, note_width = y_mean + style.px(19, 14), m.wide(self.note)
            x_note = max(start + width / 2, note_width / 2)
            note = cd_layout.Text(self.note, x_note, y, "center", "note", note_width)
            layout.texts.append(note)
            layout.height = y + style.px(13, 8.5)
        return layout

    def _add_cell_text(
        self, layout: DiagramLayout, i: int, line: str, x: float, y: float, role: Role
    ) -> None:
        """Lay out a line of the cell of an algorithm."""
        width = self.measures.wide(line)
        layout.texts.append(
            cd_layout.Text(line, x, y, "center", role, width, "left", self.names[i])
        )

    def _list(self) -> DiagramLayout:
        """Return the list layout: one row per algorithm, with mean and letters."""
        m = self.measures
        if any(self.letters):
            self.beyond = m.spacing + m.column(self.letters)
        layout = self.list_form()
        layout.texts += [
            cd_layout.Text(letter, m.pad, y, "left", "value", m.wide(letter), "right", name)
            for letter, (name, _, y) in zip(self.letters, layout.marks, strict=True)
            if letter
        ]
        return layout

    def add_head(self, layout: DiagramLayout) -> None:
        """Lay out note, title and axis."""
        m, start, end = self.measures, layout.axis_start, layout.plot
        y = 2.0
        if self.note:
            width = m.wide(self.note)
            layout.texts.append(
                cd_layout.Text(self.note, start, y + 0.75 * m.size, "left", "note", width)
            )
            y += 1.7 * m.size
        y = self._add_title(layout, y)
        layout.axis_y = y + 1.25 * m.tick_size + m.tick
        span = self.high - self.low
        least_unit = self.least_length(layout) / span
        low, high = round(self.low / self.step), round(self.high / self.step)
        every = range(low, high + 1)
        for factor in (1, 2, 5, 10, 20):
            step = factor * self.step
            decimals = max(0, -math.floor(math.log10(step) + 1e-9))
            multiples = [multiple for multiple in every if multiple % factor == 0]
            values = [multiple * self.step for multiple in multiples]
            strings = [text.format_minus(value, decimals) for value in values]
            widest = text.widest(strings, m.tick_size, m.serif)
            if step * least_unit >= widest + 0.7 * m.tick_size:
                break
        layout.ticks = tuple(self.at(value, start, end) for value in values)
        if self.step * (end - start) / span >= 4:
            minor = [multiple * self.step for multiple in every if multiple not in multiples]
            layout.minor = tuple(self.at(value, start, end) for value in minor)
        self.add_ticks(layout, strings, y)

    def _add_title(self, layout: DiagramLayout, y: float) -> float:
        """Lay out the measure, on a line of its own if it is long, with an arrow towards better values; return the y below."""
        m, start, end = self.measures, layout.axis_start, layout.plot
        arrow = "better \N{RIGHTWARDS ARROW}" if self.mirrored else "\N{LEFTWARDS ARROW} better"
        room = end - start - m.wide(arrow) - m.size
        is_long = m.wide(self.measure) > room
        shown = text.shorten([self.measure], layout.left + end, m.size, serif=m.serif)
        title = shown[self.measure]
        y_title = y_arrow = y + 0.7 * m.size
        if is_long:
            y_arrow += 1.5 * m.size
        ends: dict[Side, float] = {"left": start, "right": end}
        better: Side = "right" if self.mirrored else "left"
        worse: Side = "left" if self.mirrored else "right"
        side = "right" if is_long else worse
        if self.measure:
            width = m.wide(title)
            layout.texts.append(cd_layout.Text(title, ends[side], y_title, side, "ruler", width))
        width = m.wide(arrow)
        layout.texts.append(cd_layout.Text(arrow, ends[better], y_arrow, better, "note", width))
        return y_arrow + 0.8 * m.size


def _numbers(values: Sequence[float], measure: str) -> Numbers:
    """Return the number format with the fewest decimals that distinguishes neighbouring means.

    At least two digits of the span and at most four decimals are printed, and three significant
    digits of very small or very large means.
    """
    is_percentage = measure.rstrip().endswith("(%)") or measure.strip() == "%"
    unit = "%" if is_percentage else ""
    size = max(abs(value) for value in values)
    if size and not 1e-3 <= size < 1e9:
        return Numbers(None, unit)
    neighbours = itertools.pairwise(values)
    pairs = [(a, b) for a, b in neighbours if not math.isclose(a, b, rel_tol=1e-9)]
    span = max(values) - min(values)
    decimals = max(text.decimals_for([span] if pairs else values), 1)
    while decimals < 4 and any(f"{a:.{decimals}f}" == f"{b:.{decimals}f}" for a, b in pairs):
        decimals += 1
    return Numbers(decimals, unit)


def _axis_range(values: Sequence[float]) -> tuple[float, float, float]:
    """Return tick distance, start and end of an axis that contains the values."""
    low, high = min(values), max(values)
    span = high - low
    if span <= 1e-9 * max(abs(low), abs(high)):
        span = 0.1 * abs(low) or 1.0
        low, high = low - span / 2, high + span / 2
    step = tick_step(span, 8 * (1 + 1e-9))
    first, last = math.floor(low / step + 1e-6), math.ceil(high / step - 1e-6)
    return step, first * step, last * step


def _edge(style: Style) -> float:
    return style.px(4, 2)


class _StripHover(cd_layout.Hover):
    """Hover texts of a strip, with means instead of ranks."""

    def __init__(self, frame: StripFrame, layout: DiagramLayout) -> None:
        means = pd.Series(dict(zip(frame.names, frame.ranks, strict=True)))
        super().__init__(means, layout.bars, None)
        self.frame = frame
        self.group_texts = {
            bar.members: _group(number, bar) for number, bar in enumerate(layout.bars, 1)
        }

    def title(self, name: str) -> str:
        return f"<b>{text.escape(name)} {self.frame.numbers.full(self.ranks[name])}</b>"

    def _groups(self, name: str) -> str:
        numbers = [str(number) for number, bar in enumerate(self.bars, 1) if name in bar.members]
        if not numbers:
            return figure_text("ordering_strip.isolated")
        if len(numbers) == 1:
            return f"in group {numbers[0]}"
        return f"in groups {', '.join(numbers[:-1])} and {numbers[-1]}"

    def algorithm(self, name: str) -> str:
        direction = "higher" if self.frame.higher_is_better else "lower"
        measure = text.escape(text.truncate_text(self.frame.measure, 60))
        better = f"{direction} is better"
        described = f"mean {measure}, {better}" if measure else better
        lines = [self.title(name), self._groups(name), described]
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def member(self, name: str, members: Sequence[str]) -> str:
        return f"{self.title(name)}<br>{self.group_texts[tuple(members)]}"

    def group(self, bar: GroupBar) -> str:
        return self.group_texts[bar.members]


def _group(number: int, bar: GroupBar) -> str:
    names, hint = cd_layout.list_members(bar.members), traces.click_hint("group")
    return figure_text("ordering_graph.hover_group", number=number, names=names, hint=hint)


def _name_targets(fig: go.Figure, layout: DiagramLayout, hover: _StripHover) -> None:
    """Draw an invisible hover target over each name and mean."""
    x = [position for _, position, _ in layout.targets]
    cell = abs(x[1] - x[0])
    lines = layout.leaders[0].points
    height = lines[1][1] - lines[0][1]
    traces.add_areas(
        fig,
        [cd_layout.COVERED * cell] * len(x),
        [y for _, _, y in layout.targets],
        "label targets",
        "rgba(0,0,0,0)",
        [hover.algorithm(name) for name, _, _ in layout.targets],
        base=[position_x - cd_layout.COVERED * cell / 2 for position_x in x],
        width=[2 * height - 2] * len(x),
        orientation="h",
        customdata=np.array([name for name, _, _ in layout.targets], dtype=object),
        meta="algorithm",
    )


def _draw_strip_texts(fig: go.Figure, painter: DiagramPainter) -> None:
    """Draw names, means and letters, centred in their cells."""
    m, style = painter.m, painter.style
    for opacity in (FADED, 1.0):
        items = [item for item in painter.layout.texts if painter.opacity_of(item) == opacity]
        if not items:
            continue
        sizes = [m.size if item.role == "name" or not item.name else m.tick_size for item in items]
        inks = [
            painter.colour.get(item.name or "", style.ink) if item.role == "name" else style.second
            for item in items
        ]
        traces.add_cell_text(
            fig,
            [item.x for item in items],
            # Plotly centres the line of text; the offset centres its digits.
            [item.y + 0.07 * m.size for item in items],
            "text",
            [painter.markup(item) for item in items],
            sizes,
            inks,
            opacity=opacity,
        )


def _shares(names: int, groups: int) -> Iterator[tuple[int, int]]:
    """Yield decreasing numbers of names and groups to list in a text."""
    limits = [limit for limit in (names, 12, 8, 5, 3, 2, 1) if limit <= names]
    for n_names in limits:
        for n_groups in range(groups, -1, -1):
            if n_groups or n_names <= 5 or not groups:
                yield n_names, n_groups
