"""Critical-difference diagrams: average ranks with bars over groups, or relative to a control."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypedDict, Unpack

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import cd_layout, text, traces
from foldwise.figures.axis_parts import add_slider, slider_step
from foldwise.figures.cd_layout import DiagramLayout, DiagramPainter, LayoutOptions, Side
from foldwise.figures.spec import (
    MOST_NAMES,
    Colours,
    FigureSpec,
    alt_head,
    cached_figure,
    figure_text,
    tested_line,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import ByAverageRanks, RanksComparison
from stats_core.comparison.kinds.published_summaries import PublishedRanks
from stats_core.core.formatting import format_count, format_set, measure_name, p_phrase
from stats_core.core.validation import significant
from stats_core.ordering.order import Order
from stats_core.report.tables import order_tables

#: Groups by significance level, ascending: the steps of the slider.
Levels = Mapping[float, Sequence[tuple[str, ...]]]
#: More steps cannot be distinguished on a slider, which then has the usual levels.
_MOST_STEPS = 60
_USUAL = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)
#: With more algorithms, the groups at all levels would make the page too large.
_MOST_SLIDING = 24
_DIFFERS, _SIMILAR = "significant difference", "no significant difference"  # from the control
#: Properties of a trace that depend on the level.
_MOVES = ("x", "y", "customdata", "hovertext", "base", "width")
_COLOR = "marker.color"  # of the dots of members


def with_names(caption: str, shortened: Mapping[str, str]) -> str:
    """Return a caption with the full names of shortened ones."""
    if not shortened:
        return caption
    cut = "; ".join(
        f"{' '.join(short.split())} = {text.plain_text(name)}" for name, short in shortened.items()
    )
    return f"{caption} {figure_text('cd_diagram.shortened', names=cut)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class RankDiagram(FigureSpec):
    """Average ranks on an axis, for one significance level or with a slider of levels.

    Attributes
    ----------
    average_ranks : Series
        Average rank per algorithm; a lower rank is better.
    critical_difference : (float, str), optional
        Value and origin, such as ``(1.114, "Nemenyi, \N{GREEK SMALL LETTER ALPHA} = 0.05")``.
        Only if one number decides about all pairs drawn.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        Classic diagram, or a list with one row per algorithm; by default the diagram if it is
        legible.
    measure : str
        The measure as text.
    over : str
        The data as text, such as ``"38 data sets"``.
    tests : str
        The test, with its level.
    """

    average_ranks: pd.Series
    critical_difference: tuple[float, str] | None = None
    best: Side = "left"
    form: cd_layout.Form = "automatic"
    measure: str = ""
    over: str = ""
    tests: str = ""

    def layout(self, style: Style, **options: Unpack[LayoutOptions]) -> DiagramLayout:
        """Return the layout of the diagram; subclasses define this."""
        raise NotImplementedError

    def form_in(self, style: Style) -> str:
        """Return the form of the diagram in a style, "diagram" or "list"."""
        return self.layout(style).form

    def _draw_levels(
        self,
        fig: go.Figure,
        painter: DiagramPainter,
        at: Mapping[float, cd_layout.TraceList],
        default: float,
    ) -> None:
        """Draw the level-dependent traces for each level, and a slider that switches between levels.

        Traces that do not occur at the level `default` are added empty; note, ruler label and band
        are shown at that level only.
        """
        distinct = dict.fromkeys(name for drawn in at.values() for name in drawn.traces)
        names = sorted(distinct, key=lambda name: "targets" in name)  # hover targets last
        first = len(fig.data)
        for name in names:
            fig.add_trace(at[default].traces.get(name) or _emptied(name, at.values()))
        painter.draw_texts(fig)
        if len(at) < 2:
            return
        fixed = _fixed_parts(fig, painter.layout)
        indices = list(range(first, len(fig.data)))
        steps = []
        for level, drawn in at.items():
            visible = dict.fromkeys(fixed, level == default)
            arguments = [_properties(drawn, names), visible, indices]
            steps.append(slider_step(level, level == default, arguments))
        add_slider(fig, steps, list(at).index(default), "Level shown: \u03b1 = ", painter.style)


def _emptied(name: str, drawn: Iterable[cd_layout.TraceList]) -> dict[str, Any]:
    """Return the first trace of a name, without its points."""
    trace = next(
        traces_of_level.traces[name] for traces_of_level in drawn if name in traces_of_level.traces
    )
    return {**trace, **{key: () for key in _MOVES if key in trace}}


def _fixed_parts(fig: go.Figure, layout: DiagramLayout) -> list[str]:
    """Return the parts shown at the level of the figure only: ruler label, note and band."""
    notes = [i for i, item in enumerate(layout.texts) if item.role in ("ruler", "note")]
    bands = range(len(fig.layout.shapes))
    return [*(f"annotations[{i}].visible" for i in notes), *(f"shapes[{i}].visible" for i in bands)]


def _properties(drawn: cd_layout.TraceList, names: Sequence[str]) -> dict[str, list[Any]]:
    """Return the properties that depend on the level, with one value per trace of `names`."""
    every = [drawn.traces.get(name, {}) for name in names]
    properties = {key: [list(trace.get(key, ())) for trace in every] for key in _MOVES}
    colours = [trace.get("marker", {}).get("color") for trace in every]
    return {**properties, _COLOR: colours}


@dataclass(frozen=True, kw_only=True, eq=False)
class CDDiagram(RankDiagram):
    """Critical-difference diagram: average ranks, with a bar over each group without significant differences.

    The customdata of a bar is the list of its members, that of a label the name of its algorithm. A
    bar is solid over its members and dotted where it skips other algorithms.

    Attributes
    ----------
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. A group of one algorithm is not drawn.
    pvalues : DataFrame, optional
        Adjusted p-values, algorithms by algorithms, symmetric; shown on hover.
    selected : collection of str
        Algorithms that keep full opacity while the others fade; empty means all. Print shows no
        selection unless its style keeps it.
    highlight : collection of str
        Algorithms with bold names, drawn in their own colour except in print without colour.
    colours : mapping, optional
        Colour per algorithm, for example by family; mid-grey counts as no colour.
    note : str, optional
        A line above the axis. By default a note if all pairs differ; "" means none.
    levels : mapping of float to groups, optional
        Groups at other significance levels, ascending; `groups` applies at `alpha`. On
        the screen a slider switches between them; print has none.
    what : {"rank", "cost-aware rank"}
        Kind of rank that is averaged.
    alpha : float, optional
        The significance level of `groups`; required with `levels`.
    total : int
        Number of algorithms compared; `average_ranks` may hold only the best of them.
    rank_label : str
        Heading of the ranks in the table of numbers.
    """

    groups: Sequence[tuple[str, ...]]
    pvalues: pd.DataFrame | None = None
    selected: Collection[str] = ()
    highlight: Collection[str] = ()
    note: str | None = None
    levels: Levels | None = None
    what: str = "rank"
    alpha: float | None = None
    total: int = 0
    rank_label: str = "average rank"

    @property
    def how_to_read(self) -> str:
        """How to read the diagram."""
        return figure_text("cd_diagram.how_to_read", slider=bool(self.levels))

    @property
    def data(self) -> pd.DataFrame:
        """The average ranks, best first."""
        ranks = self.average_ranks.rename(self.rank_label).rename_axis("algorithm")
        return ranks.sort_values().to_frame()

    def fixed(self) -> CDDiagram:
        """Return the diagram for its own significance level, without a slider."""
        return replace(self, levels=None)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names = [str(name) for name in self.average_ranks.index]
        painters = {
            level: DiagramPainter(style, layout, names, self.selected, self.highlight, self.colours)
            for level, layout in self._layouts(style).items()
        }
        painter = painters[self._level]
        fig = painter.new_figure()
        painter.draw_axis(fig)
        painter.draw_leaders(fig)
        painter.draw_marks(fig)
        traces_by_level = {}
        for level, level_painter in painters.items():
            drawn = traces_by_level[level] = cd_layout.TraceList()
            if level == self._level:
                level_painter.draw_ruler(drawn)
            level_painter.draw_bars(drawn)
            hover = cd_layout.Hover(self.average_ranks, level_painter.layout.bars, self.pvalues)
            level_painter.draw_targets(drawn, hover)
        self._draw_levels(fig, painter, traces_by_level, self._level)
        return fig

    @property
    def _level(self) -> float:
        """The level of `groups`; 0 if it is unknown, which is no level of a slider."""
        return 0.0 if self.alpha is None else self.alpha

    def layout(
        self,
        style: Style,
        *,
        groups: Sequence[tuple[str, ...]] | None = None,
        **options: Unpack[LayoutOptions],
    ) -> DiagramLayout:
        """Return the layout with `groups`, by default those at `alpha`."""
        usual: LayoutOptions = {
            "note": self.note,
            "form": self.form,
            "best": self.best,
            "critical_difference": self.critical_difference,
            "bold": self.highlight,
        }
        usual.update(options)
        drawn = self.groups if groups is None else groups
        return cd_layout.cd_layout(self.average_ranks, drawn, style=style, **usual)

    def _layouts(self, style: Style) -> dict[float, DiagramLayout]:
        """Return the layout at each level, with the same room for bars at all levels."""
        first = self.layout(style)
        if not self.levels or style.printed:
            return {self._level: first}
        groups_by_level = {**self.levels, self._level: self.groups}
        if len(groups_by_level) == 1:
            return {self._level: first}
        note = next((item.string for item in first.texts if item.role == "note"), "")
        same: LayoutOptions = {"note": note, "form": first.form}
        layouts = [self.layout(style, groups=groups, **same) for groups in groups_by_level.values()]
        same["least_rows"] = max(layout.rows for layout in layouts)
        return {
            level: self.layout(style, groups=groups, **same)
            for level, groups in sorted(groups_by_level.items())
        }

    def caption(self, style: Style) -> str:
        """Return the caption."""
        layout = self.layout(style, note=None, critical_difference=None, bold=())
        shown = self.levels if self.levels and not style.printed else {}
        names = list(self.average_ranks.sort_values(kind="stable").index)
        drawn = [cd_layout.drawn_groups(names, groups) for groups in (self.groups, *shown.values())]
        caption = self.describe(
            "cd_diagram.caption",
            joined=any(len(group) > 1 for group in self.groups),
            tests=f" ({self.tests})" if self.tests else "",
            slider=shown,
            ruler=self.critical_difference is not None,
            n=len(names),
            dotted=any(cd_layout.skips(groups) for groups in drawn),
        )
        return with_names(caption, layout.shortened)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        level = "" if self.alpha is None else f" (\u03b1 = {self.alpha:g})"
        ranks = self.average_ranks.sort_values(kind="stable")
        names = [text.plain_text(name) for name in ranks.index]
        head = self.describe(
            "cd_diagram.alt_best",
            head=alt_head("Critical-difference diagram", len(names), self.measure, self.over),
            best=names[0],
            low=ranks.iloc[0],
            worst=names[-1],
            high=ranks.iloc[-1],
        )
        groups = [
            format_set(map(text.plain_text, group)) for group in self.groups if len(group) > 1
        ]
        if not groups:
            return text.truncate_text(figure_text("cd_diagram.alt_none", head=head, level=level))
        fallback = figure_text("cd_diagram.alt_many", head=head, n=len(groups), level=level)
        start = figure_text("cd_diagram.alt_groups", head=head, level=level)
        return text.fit_alt_text(start, groups, ", ", ".", fallback, " and ")


def slider_levels(analysis: ByAverageRanks, names: Sequence[str]) -> list[float]:
    """Return the slider's levels: 0.001, alpha, those where decisions change or usual ones; [] for many algorithms."""
    if len(names) > _MOST_SLIDING:
        return []
    changes = analysis.split_levels(list(names))
    shown = _USUAL if len(changes) > _MOST_STEPS else changes
    return sorted({_USUAL[0], analysis.settings.alpha, *shown})


def best_ranked(
    analysis: RanksComparison | PublishedRanks, most: int | None
) -> tuple[pd.Series, tuple[tuple[str, ...], ...]]:
    """Return the average ranks of the `most` best algorithms, of all if None, and their groups."""
    ranks = analysis.friedman.average_ranks
    if most is None or len(ranks) <= most:
        return ranks, analysis.groups
    best = analysis.order[:most]
    among = analysis.groups_at(analysis.settings.alpha, best)
    return ranks[best], tuple(sorted(among, key=lambda group: ranks[list(group)].mean()))


class _RankFields(TypedDict):
    """The fields common to both diagrams."""

    tested: str
    critical_difference: tuple[float, str] | None
    over: str
    tests: str
    alpha: float


def _rank_fields(
    analysis: RanksComparison | ControlComparison | PublishedRanks, method: str
) -> _RankFields:
    """Return the fields common to both diagrams; `method` is the origin of the critical difference."""
    level, reach = f"\u03b1 = {analysis.settings.alpha:g}", analysis.critical_difference
    return {
        "tested": tested_line(analysis),
        "critical_difference": None if reach is None else (reach, f"{method}, {level}"),
        "over": format_count(analysis.friedman.n, "data set"),
        "tests": f"{analysis.test_name}, {level}",
        "alpha": analysis.settings.alpha,
    }


class DiagramStyling(TypedDict, total=False):
    """Fields of rank diagrams that pages set."""

    best: Side
    form: cd_layout.Form
    colours: Colours
    selected: Collection[str]
    highlight: Collection[str]


@cached_figure
def cd_drawing(
    analysis: RanksComparison | PublishedRanks,
    *,
    most: int | None = MOST_NAMES,
    **styling: Unpack[DiagramStyling],
) -> CDDiagram:
    """Return the critical-difference diagram of the `most` best algorithms of a comparison, of all if None."""
    ranks, groups = best_ranked(analysis, most)
    measure = analysis.measure_name
    published = analysis.shape.published
    names = list(ranks.index)
    return CDDiagram(
        name="average_ranks" if published else f"ranks_{analysis.settings.measure}",
        title="Average ranks" if published else f"Average ranks for {measure}",
        average_ranks=ranks,
        groups=groups,
        pvalues=analysis.adjusted,
        levels={
            level: analysis.groups_at(level, names) for level in slider_levels(analysis, names)
        },
        measure="" if published else measure,
        total=len(analysis.order),
        **_rank_fields(analysis, "Nemenyi"),
        **styling,
    )


@cached_figure
def cd_diagram_of_order(order: Order) -> CDDiagram | None:
    """Return the critical-difference diagram of a cost-aware order; None on one data set."""
    if order.second is None:
        return None
    ranks = order.second.average_ranks
    groups = [group for group in order.groups if len(group) > 1]
    over = format_count(len(order.second.positions), "data set")
    measure = "cost-aware ranks" if order.each else measure_name(order.settings.measure)
    rank_name = "cost-aware rank" if order.each else "rank"
    return CDDiagram(
        name=f"order_ranks_{order.settings.measure}",
        title=f"Average {rank_name}s",
        average_ranks=ranks,
        groups=groups,
        pvalues=order.second.adjusted,
        what=rank_name,
        measure=measure,
        over=over,
        tests=f"{order_tables.order_test_name(order)}, \u03b1 = {order.settings.alpha:g}",
        rank_label=order_tables.score_name(order),
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class CDControlDiagram(RankDiagram):
    """Average ranks of a control (diamond) and the other algorithms (dots).

    Filled dots differ significantly from the control, hollow dots do not. The customdata of a mark
    and its label is the pair with the control, for the control itself its name.

    Attributes
    ----------
    control : str
        The algorithm with which the other algorithms are compared.
    pvalues : Series
        Adjusted p-value of every other algorithm against the control.
    alpha : float
        An algorithm differs if its adjusted p-value is at most this.
    critical_difference : (float, str), optional
        Value and origin, only if one number decides (Bonferroni-Dunn). Draws the ruler and a band
        of this half-width around the control, never over a dot that differs.
    levels : collection of float
        Other significance levels; on the screen a slider switches between them and `alpha`.
    data : DataFrame
        The table of the comparisons.
    """

    control: str
    pvalues: pd.Series
    alpha: float
    levels: Collection[float] = ()
    data: pd.DataFrame = field(default_factory=pd.DataFrame)
    how_to_read: ClassVar[str] = figure_text("cd_diagram.how_to_read_control")

    def fixed(self) -> CDControlDiagram:
        """Return the diagram for its own significance level, without a slider."""
        return replace(self, levels=())

    def layout(self, style: Style, **options: Unpack[LayoutOptions]) -> DiagramLayout:
        """Return the layout without groups."""
        usual: LayoutOptions = {"best": self.best, "form": self.form, "bold": (self.control,)}
        usual.update(options)
        return cd_layout.cd_layout(self.average_ranks, (), style=style, **usual)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        layout = self.layout(
            style, note="", dot_row=True, critical_difference=self.critical_difference
        )
        names = [str(name) for name in self.average_ranks.index]
        own = self.colours or {self.control: style.accent}
        painter = DiagramPainter(style, layout, names, (), (self.control,), own)
        fig = painter.new_figure()
        positions = {name: (x, y) for name, x, y in layout.marks}
        if self.critical_difference is not None:
            self._draw_band(fig, layout, positions, self.critical_difference[0], style)
        painter.draw_axis(fig)
        painter.draw_leaders(fig)
        levels = {self.alpha} if style.printed else {self.alpha, *self.levels}
        traces_by_level = {}
        for level in sorted(levels):
            drawn = traces_by_level[level] = cd_layout.TraceList()
            if level == self.alpha:
                painter.draw_ruler(drawn)
            self._draw_dots(drawn, layout, positions, level, style)
        self._draw_levels(fig, painter, traces_by_level, self.alpha)
        return fig

    def _kind(self, name: str, level: float) -> str:
        """Return the mark type: "control", or whether the algorithm differs from the control at a level."""
        if name == self.control:
            return "control"
        return _DIFFERS if significant(float(self.pvalues.get(name, 1.0)), level) else _SIMILAR

    def _draw_band(
        self,
        fig: go.Figure,
        layout: DiagramLayout,
        positions: dict[str, tuple[float, float]],
        critical_difference: float,
        style: Style,
    ) -> None:
        """Draw the band of the critical difference around the control's rank, which ends before dots that differ."""
        centre = positions[self.control][0]
        least_distance = style.px(8, 5.4) / 2 + 2
        reach = critical_difference * self._unit(layout)
        low, high = max(centre - reach, layout.axis_start), min(centre + reach, layout.plot)
        differing = [name for name in positions if self._kind(name, self.alpha) == _DIFFERS]
        for x in (positions[name][0] for name in differing):
            if centre < x < high + least_distance:
                high = min(high, x - least_distance)
            if low - least_distance < x < centre:
                low = max(low, x + least_distance)
        y = [position[1] for position in positions.values()]
        half = style.px(7, 4.5)
        fig.add_shape(
            name="band",
            type="rect",
            x0=low,
            x1=high,
            y0=min(y) - half,
            y1=max(y) + half,
            layer="below",
            fillcolor=style.tint_worse,
            line_width=0,
        )

    def _unit(self, layout: DiagramLayout) -> float:
        """Return the width in px of one rank; 0 if all average ranks are equal."""
        point = -1 if layout.form == "list" else 0
        x = {leader.name: leader.points[point][0] for leader in layout.leaders}
        ranks = self.average_ranks.rename(str)
        first, last = ranks.idxmin(), ranks.idxmax()
        if ranks[first] == ranks[last]:
            return 0.0
        return abs(x[last] - x[first]) / (ranks[last] - ranks[first])

    def _draw_dots(
        self,
        fig: cd_layout.TraceList,
        layout: DiagramLayout,
        positions: dict[str, tuple[float, float]],
        level: float,
        style: Style,
    ) -> None:
        """Draw the marks for one level, with invisible hover targets over the labels."""
        targets = {name: (x, y) for name, x, y in layout.targets}
        for kind in (_DIFFERS, _SIMILAR, "control"):
            members = [name for name in positions if self._kind(name, level) == kind]
            if not members:
                continue
            hover_text = [self._hover(name, kind) for name in members]
            clicks = self._clicks(members, kind)
            self._draw_marks(fig, members, kind, positions, hover_text, clicks, style)
            at = [targets[name] for name in members]
            traces.add_targets(fig, at, f"{kind} targets", hover_text, size=16, **clicks)

    def _clicks(self, members: list[str], kind: str) -> _Clicks:
        """Return what a click on a mark reports: the control, or a pair with it."""
        if kind == "control":
            return {"customdata": members, "meta": "algorithm"}
        return {"customdata": [[name, self.control] for name in members], "meta": "pair"}

    def _draw_marks(
        self,
        fig: cd_layout.TraceList,
        members: list[str],
        kind: str,
        positions: dict[str, tuple[float, float]],
        hover_text: list[str],
        clicks: _Clicks,
        style: Style,
    ) -> None:
        """Draw the marks of one kind: a diamond, or dots that are filled where they differ."""
        is_control = kind == "control"
        edge = style.accent if is_control else style.ink
        own = traces.mark_colours(members, self.colours, style)
        hues = [edge if hue == style.ink else hue for hue in own]
        x, y = traces.coordinates([positions[name] for name in members])
        traces.add_points(
            fig,
            x,
            y,
            kind,
            style.px(10, 6) if is_control else style.px(8, 5.4),
            "diamond" if is_control else "circle",
            style.page if kind == _SIMILAR else hues,
            edge=(style.px(1.4, 0.8), hues),
            hover_text=hover_text,
            **clicks,
        )

    def _hover(self, name: str, kind: str) -> str:
        """Return the hover text of a mark."""
        rank, control = float(self.average_ranks[name]), text.escape(self.control)
        if kind == "control":
            return f"<b>{control} {rank:.2f}</b><br>control<br>{traces.click_hint('algorithm')}"
        difference = text.format_signed(rank - float(self.average_ranks[self.control]), 2)
        p = float(self.pvalues.get(name, float("nan")))
        lines = [
            f"<b>{text.escape(name)} vs {control}</b>: {kind}",
            f"rank {rank:.2f}, difference {difference}",
            p_phrase(p, self.alpha, "adjusted p"),
            traces.click_hint("pair"),
        ]
        return "<br>".join(lines)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        differs = significant(self.pvalues.drop(self.control, errors="ignore"), self.alpha)
        caption = self.describe(
            "cd_diagram.caption_control",
            differ=differs.any(),
            similar=not differs.all(),
            tests=f" ({self.tests})" if self.tests else "",
            slider=self.levels and not style.printed,
        )
        return with_names(caption, self.layout(style, note="").shortened)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        ranks, rank = self.average_ranks, self.average_ranks[self.control]
        others = ranks.drop(self.control)
        differs = significant(self.pvalues[others.index], self.alpha)
        alt = self.describe(
            "cd_diagram.alt_control",
            n=len(ranks),
            rank=rank,
            worse=int((differs & (others >= rank)).sum()),
            better=int((differs & (others < rank)).sum()),
            similar=int((~differs).sum()),
        )
        return text.truncate_text(alt)


class _Clicks(TypedDict):
    customdata: Sequence[Any]
    meta: str


@cached_figure
def control_drawing(analysis: ControlComparison) -> CDControlDiagram:
    """Return the diagram of average ranks relative to the control."""
    measure = analysis.measure_name
    return CDControlDiagram(
        name=f"control_{analysis.settings.measure}",
        title=figure_text("cd_diagram.title_control", measure=measure, control=analysis.control),
        average_ranks=analysis.friedman.average_ranks,
        control=analysis.control,
        pvalues=analysis.adjusted,
        levels=slider_levels(analysis, list(analysis.adjusted.index)),
        measure=measure,
        data=analysis.pairs.frame.set_index("first"),
        **_rank_fields(analysis, "Bonferroni-Dunn"),
    )
