"""Comparisons side by side, such as one per group of data sets or per measure: rank diagrams and differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import cd_diagram, cd_layout, differences, text, theme, traces
from foldwise.figures.axis_parts import names_axis, ticks, value_axis
from foldwise.figures.cd_layout import DiagramLayout
from foldwise.figures.fold_rows import DIRECTIONS
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.datasets import RankedOnDatasets
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, measure_name
from stats_core.core.result_types import cached
from stats_core.report import effect_text, entry

MOST_PANELS = 12
#: Diagrams of more algorithms would be too high to be compared.
MOST_ALGORITHMS = 16
#: Number of diagrams from which wide print has two columns of them, and px of the narrowest column.
_FROM_TWO, _NARROWEST = 4, 280
_LEAST_WIDTH = (150, 84)  # px of a panel of differences, on the screen and in print


class _SharedAxis(cd_layout.RankAxis):
    """The axis of one diagram of several: all have the same range and the same margins."""

    def __init__(
        self,
        ranks: pd.Series,
        groups: Sequence[Sequence[str]],
        style: Style,
        *,
        span: tuple[int, int],
        sides: tuple[float, ...],
        first: bool,
        bold: Collection[str],
    ):
        super().__init__(ranks, groups, style, note="", bold=bold)
        self.low, self.high = span
        self.sides, self.first = sides, first

    def _side_names(self) -> dict[str, str]:
        m = self.measures
        rest = m.column(self.values) + 2 * m.spacing + m.between + m.pad
        return self.shorten(self.style.px(0.3, 0.34) * self.total - rest)

    def _side_widths(self, shown: Mapping[str, str]) -> list[float]:
        own = super()._side_widths(shown)
        return [max(pair) for pair in zip(own, self.sides, strict=True)] if self.sides else own

    def add_head(self, layout: DiagramLayout) -> None:
        """Lay out the ticks, with labels in the first diagram only."""
        super().add_head(layout)
        if not self.first:
            layout.texts.clear()
            layout.axis_y -= 1.25 * self.measures.tick_size


@dataclass(frozen=True, kw_only=True, eq=False)
class _AlignedDiagram(cd_diagram.CDDiagram):
    """One diagram of a sequence."""

    span: tuple[int, int] = (1, 2)
    sides: tuple[float, ...] = ()
    first: bool = True

    @cached
    def layout(self, style: Style, **options: Unpack[cd_layout.LayoutOptions]) -> DiagramLayout:
        """Return the layout on the common axis; it has no options."""
        axis = _SharedAxis(
            self.average_ranks.sort_values(kind="stable"),
            self.groups,
            style,
            span=self.span,
            sides=self.sides,
            first=self.first,
            bold=self.highlight,
        )
        return axis.diagram()

    def plain(self, style: Style) -> tuple[cd_layout.DiagramPainter, list[dict[str, Any]]]:
        """Return the painter, and the traces as dictionaries."""
        layout, names = self.layout(style), [str(name) for name in self.average_ranks.index]
        painter = cd_layout.DiagramPainter(
            style, layout, names, self.selected, self.highlight, self.colours
        )
        drawn = cd_layout.TraceList()
        painter.draw_axis(drawn)
        painter.draw_leaders(drawn)
        painter.draw_marks(drawn)
        painter.draw_bars(drawn)
        painter.draw_targets(drawn, cd_layout.Hover(self.average_ranks, layout.bars, self.pvalues))
        if style.printed:
            painter.draw_texts(drawn)
        return painter, list(drawn.traces.values())


@dataclass(frozen=True, kw_only=True, eq=False)
class RankSequence(FigureSpec):
    """Critical-difference diagrams of the same algorithms below each other, on a common axis.

    The customdata of a mark is that of `CDDiagram`.

    Attributes
    ----------
    ranks : DataFrame
        Average ranks, algorithm x panel, 1 is best; one diagram per column, from top to bottom.
    groups : mapping of str to sequence of tuples of str
        Maximal groups in which no pair differs, by panel.
    by : str
        What the panels differ in, such as ``"noise"`` or ``"measure"``.
    sizes : mapping of str to int, optional
        Number of data sets of each panel.
    pvalues : mapping of str to DataFrame, optional
        Adjusted p-values of each panel, algorithm x algorithm, shown on hover.
    selected, highlight : collection of str
        As in `CDDiagram`.
    tests : str
        The test, with its level.
    total : int
        Number of panels, of which the first ones are drawn.

    References
    ----------
    Demsar, JMLR 7 (2006), section 3.2.4.
    """

    ranks: pd.DataFrame
    groups: Mapping[str, Sequence[tuple[str, ...]]]
    by: str = "group"
    sizes: Mapping[str, int] | None = None
    pvalues: Mapping[str, pd.DataFrame] | None = None
    selected: Sequence[str] = ()
    highlight: Sequence[str] = ()
    tests: str = ""
    total: int = 0
    how_to_read: ClassVar[str] = figure_text("rank_sequence.how_to_read")

    @cached
    def _panels(self, style: Style) -> list[_AlignedDiagram]:
        """Return the diagrams, with the range and the margins that all of them need, in one or two columns."""
        n_columns, style = self._columns(style)
        n_rows = math.ceil(self.ranks.shape[1] / n_columns)
        ends = [cd_layout.axis_range(list(self.ranks[label])) for label in self.ranks]
        span = (min(low for low, _ in ends), max(high for _, high in ends))
        panels = [
            _AlignedDiagram(
                average_ranks=self.ranks[label],
                groups=self.groups[label],
                pvalues=(self.pvalues or {}).get(label),
                first=position % n_rows == 0,
                selected=self.selected,
                highlight=self.highlight,
                colours=self.colours,
                span=span,
            )
            for position, label in enumerate(self.ranks)
        ]
        layouts = [panel.layout(style) for panel in panels]
        sides = (max(layout.left for layout in layouts), max(layout.right for layout in layouts))
        return [replace(panel, sides=sides) for panel in panels]

    def _columns(self, style: Style) -> tuple[int, Style]:
        """Return the number of columns of diagrams, and the style of a diagram, which is narrower in two columns."""
        half = style.width // 2 - 12
        if not style.printed or half < _NARROWEST or self.ranks.shape[1] < _FROM_TWO:
            return 1, style
        return 2, replace(style, width=half)

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        n_columns, narrow = self._columns(style)
        n_rows = math.ceil(self.ranks.shape[1] / n_columns)
        panels = self._panels(style)
        # plain dictionaries, which Plotly does not validate, since that takes long
        diagrams = [panel.plain(narrow) for panel in panels]
        layout = diagrams[0][0].new_figure().to_plotly_json()["layout"]
        size = cd_layout.Measures(style, len(self.ranks)).size
        top, height = 0.0, 0.0
        data: list[dict[str, Any]] = []
        notes: list[dict[str, Any]] = []
        for position, label in enumerate(self.ranks):
            panel, (painter, drawn) = panels[position], diagrams[position]
            right = position // n_rows * (style.width - narrow.width)
            top = 0.0 if panel.first else top + 0.9 * size
            heading = self._heading(label, narrow.width, size, style)
            heading["xshift"] = style.px(8, 6) - layout["margin"]["l"] + right
            heading["y"] = top + 0.7 * size
            notes.append(heading)
            top += 1.2 * size
            for trace in drawn:
                x, y = _moved(trace["x"], right), _moved(trace["y"], top)
                data.append({**trace, "x": x, "y": y})
            if not style.printed:
                notes += [{**note, "y": note["y"] + top} for note in painter.annotations()]
            top += round(panel.layout(narrow).height)
            height = max(height, top)
        low, high = layout["xaxis"]["range"]
        layout["xaxis"]["range"] = [low, high + style.width - narrow.width]
        layout["yaxis"]["range"] = [round(height), 0]
        layout["annotations"] = notes
        layout["height"] = round(height)
        if style.printed:
            layout["width"] = style.width
        return theme.PageFigure(data, layout, _validate=False)

    def _heading(self, label: str, width: float, size: float, style: Style) -> dict[str, Any]:
        """Return the line above a diagram as an annotation without position."""
        differ = not any(len(group) > 1 for group in self.groups[label])
        room = width - style.px(16, 12)
        return {
            "text": _panel_label(self, label, room, size, style, differ=differ),
            "name": "label",
            "font": {"size": size, "color": style.ink},
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "yref": "y",
            "yanchor": "middle",
            "showarrow": False,
        }

    @property
    def data(self) -> pd.DataFrame:
        """The average ranks, algorithm x panel."""
        return self.ranks.rename_axis("algorithm")

    def caption(self, style: Style) -> str:
        """Return the caption."""
        diagram_style = self._columns(style)[1]
        layouts = [panel.layout(diagram_style) for panel in self._panels(style)]
        shortened: dict[str, str] = {}
        for layout in layouts:
            shortened |= layout.shortened
        caption = self.describe(
            "rank_sequence.caption",
            n=self.ranks.shape[1],
            joined=any(len(group) > 1 for groups in self.groups.values() for group in groups),
            dotted=any(layout.dotted for layout in layouts),
            sizes=_sizes(self),
        )
        return cd_diagram.with_names(caption, shortened)

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        best = [
            f"{label} {text.plain_text(str(self.ranks[label].idxmin()))}" for label in self.ranks
        ]
        head = self.describe("rank_sequence.alt", k=len(self.ranks))
        return text.fit_alt_text(head, best, ", ", ".", head)


@dataclass(frozen=True, kw_only=True, eq=False)
class DifferencesByGroup(FigureSpec):
    """The differences of one algorithm from each other algorithm, with intervals, one panel per group or measure.

    Panels of groups have the same axes. The customdata of a mark is its algorithm.

    Attributes
    ----------
    data : DataFrame
        One row per group and algorithm (two levels of the index) with the columns `difference`,
        `low` and `high`, which are NaN without an interval and infinite without a bound, and
        `differs`.
    first : str
        The algorithm from whose results those of the others are subtracted.
    measure : str
        Name of the measure.
    higher_is_better : bool or mapping of str to bool
        Direction of the measure; of each group if the groups are measures, which have their own
        axes.
    by : str
        What the groups differ in.
    sizes : mapping of str to int, optional
        Number of data sets of each group.
    effect, intervals, tests : str
        What a difference and an interval are, and the test with its level.
    total : int
        Number of groups, of which the first ones are drawn.
    best : bool
        Whether `first` was chosen as the best of all data.
    """

    data: pd.DataFrame
    first: str
    measure: str
    higher_is_better: bool | Mapping[str, bool]
    by: str = "group"
    sizes: Mapping[str, int] | None = None
    effect: str = "difference in means"
    intervals: str = "confidence intervals"
    tests: str = ""
    total: int = 0
    best: bool = False
    how_to_read: ClassVar[str] = figure_text("rank_sequence.how_to_read_differences")

    @property
    def _groups(self) -> list[str]:
        return list(dict.fromkeys(self.data.index.get_level_values(0)))

    @property
    def _names(self) -> list[str]:
        return list(dict.fromkeys(self.data.index.get_level_values(1)))

    @property
    def _spans(self) -> dict[str, tuple[float, float]]:
        """The range of each panel, which contains zero; that of all panels if they are groups."""
        data = self.data[["difference", "low", "high"]]
        return {
            group: differences.span_of(data.loc[[group]] if self.by == MEASURE else data)
            for group in self._groups
        }

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names, groups = self._names, self._groups
        grid = _PanelGrid(self, style)
        margin = {"l": grid.left, "r": grid.right, "t": 0, "b": 1.6 * style.size}
        fig = theme.new_figure(style, grid.rows * grid.row_height + margin["b"], margin=margin)
        for number, group in enumerate(groups, 1):
            axis = str(number) if number > 1 else ""
            across, down = grid.domains(number - 1)
            shown_names = grid.labels if (number - 1) % grid.columns == 0 else []
            rows = list(range(len(shown_names)))
            y_axis = {
                **names_axis(rows, shown_names, [len(names) - 0.5, -0.5]),
                "ticklabelstandoff": round(style.px(8, 5)),
                "domain": down,
                "anchor": f"x{axis}",
            }
            x_axis = {
                **value_axis(*self._spans[group], grid.most_ticks, grid.least_ticks),
                "domain": [min(max(end, 0.0), 1.0) for end in across],
                "anchor": f"y{axis}",
            }
            fig.update_layout({f"xaxis{axis}": x_axis, f"yaxis{axis}": y_axis})
            self._draw_panel(fig, group, names, {"xaxis": f"x{axis}", "yaxis": f"y{axis}"}, style)
            label = self._heading(group, grid, style)
            traces.add_text(
                fig,
                label,
                across[0],
                1,
                style.size,
                style.ink,
                refs=f"paper, y{axis} domain",
                anchor="left, bottom",
                shift=(0, style.px(4, 2)),
            )
        traces.add_text(
            fig,
            text.escape(self._axis_title(style)),
            0.5,
            0,
            style.size,
            style.ink,
            refs="paper, paper",
            anchor="center, top",
            shift=((grid.right - grid.left) / 2, 0),
        )
        return fig

    def _heading(self, group: str, grid: _PanelGrid, style: Style) -> str:
        """Return the line above a panel as markup, with the direction of its own measure."""
        room = grid.width + min(grid.spacing / 2, grid.right)
        direction = ""
        if isinstance(self.higher_is_better, Mapping):
            direction = DIRECTIONS[self.higher_is_better[group]]
        return _panel_label(self, group, room, style.size, style, more=direction)

    def _axis_title(self, style: Style) -> str:
        arrow = "\N{RIGHTWARDS ARROW}" if self.higher_is_better else "\N{LEFTWARDS ARROW}"

        def title(name: str) -> str:
            difference = f"{name} \N{MINUS SIGN} other algorithm"
            if self.by == MEASURE:
                return difference
            return f"{self.measure}: {difference} ({arrow} {name} better)"

        room = 0.96 * style.width - text.text_width(title(""), style.size, style.serif)
        n_mentions = 1 if self.by == MEASURE else 2
        most = max(room / n_mentions, 0)
        shown = text.shorten([self.first], most, style.size, serif=style.serif)
        return title(shown[self.first])

    def _draw_panel(
        self, fig: go.Figure, group: str, names: list[str], axes: traces.Axes, style: Style
    ) -> None:
        """Draw zero, intervals and differences of one group."""
        ends = [-0.5, len(names) - 0.5]
        traces.add_line(
            fig, [0, 0], ends, "no difference", style.leader, style.px(1.2, 0.7), **axes
        )
        rows = self.data.loc[group].reindex(names)
        y = np.arange(len(names))
        ranged = rows[["low", "high"]].notna().all(axis=1).to_numpy()
        differs = rows["differs"].fillna(False).to_numpy(dtype=bool)
        for heavy, width in ((False, style.px(1.2, 0.7)), (True, style.px(2.4, 1.4))):
            drawn = np.flatnonzero(ranged & (differs == heavy)).tolist()
            intervals = [(rows["low"].iloc[i], rows["high"].iloc[i], i) for i in drawn]
            name, colour = ("heavy", style.ink) if heavy else ("light", style.faint)
            traces.add_intervals(
                fig, intervals, name, colour, width, self._spans[group], style, **axes
            )
        hues = np.array(traces.mark_colours(names, self.colours, style))
        defined = np.flatnonzero(rows["difference"].notna().to_numpy())
        fills = [hues[i] if differs[i] else style.page for i in defined]
        traces.add_points(
            fig,
            rows["difference"].iloc[defined].tolist(),
            y[defined].tolist(),
            "difference",
            style.px(8, 4.6),
            "circle",
            fills,
            (style.px(1.6, 0.9), hues[defined].tolist()),
            hover_text=[self._hover(group, names[i], rows.iloc[i]) for i in defined],
            customdata=[names[i] for i in defined],
            meta="algorithm",
            **axes,
        )

    def _hover(self, group: str, name: str, row: pd.Series) -> str:
        places = text.decimals_for(self.data["difference"])
        interval = text.format_interval(float(row["low"]), float(row["high"]), places)
        value = text.format_signed(float(row["difference"]), places)
        pair = f"{text.escape(self.first)} \N{MINUS SIGN} {text.escape(name)}"
        lines = [
            f"<b>{text.escape(name)}</b>, {text.escape(group)}",
            f"{pair}: {value} {interval}".rstrip(),
        ]
        if row.get("interval"):
            lines.append(row["interval"])
        return "<br>".join([*lines, traces.click_hint("algorithm")])

    def caption(self, style: Style) -> str:
        """Return the caption."""
        ends = self.data[["low", "high"]].astype(float)
        return self.describe(
            "rank_sequence.caption_differences",
            sizes=_sizes(self),
            n=len(self._groups),
            own=self.by == MEASURE,
            open=np.isinf(ends).any(axis=None),
        )

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        counts = self.data["differs"].groupby(level=0, sort=False).sum()
        parts = [f"{group} {int(count)}" for group, count in counts.items()]
        head = self.describe("rank_sequence.alt_differences")
        return text.fit_alt_text(head, parts, ", ", ".", head)


class _PanelGrid:
    """Panels of `DifferencesByGroup` in rows as even as possible; sizes in px."""

    def __init__(self, spec: DifferencesByGroup, style: Style) -> None:
        """Compute numbers, sizes and printed names."""
        names, n_panels, size = spec._names, len(spec._groups), style.tick_size
        shown = text.shorten(
            names, 0.28 * style.width, size, serif=style.serif, lines=2 if len(names) <= 10 else 1
        )
        self.labels = [text.shortened_markup(shown[name]) for name in names]
        numbers = []
        for span in spec._spans.values():
            _, tick_labels = ticks(*span, 4)
            numbers += tick_labels
        widest = text.widest(numbers, size, style.serif)
        self.left = text.widest(shown.values(), size, style.serif) + style.px(18, 12)
        self.right = max(style.px(10, 6), widest / 2)
        self.spacing = max(style.px(22, 12), widest + style.px(8, 5))
        self.room = style.width - self.left - self.right
        least_width = style.px(*_LEAST_WIDTH)
        fitting = int((self.room + self.spacing) / (least_width + self.spacing))
        most_columns = min(max(fitting, 1), n_panels)
        self.rows = math.ceil(n_panels / most_columns)
        self.columns = math.ceil(n_panels / self.rows)  # rows of equal length
        between = (self.columns - 1) * self.spacing
        self.width = (self.room - between) / self.columns
        self.plot = text.row_height(shown.values(), size, 1.5 * size) * len(names)
        self.head = 1.7 * style.size
        self.row_height = self.plot + self.head + 2.0 * size
        self.most_ticks = max(self.width / max(4.5 * size, 1.6 * widest), 2)
        self.least_ticks = 3 if self.width > 6 * widest else 2

    def domains(self, index: int) -> tuple[list[float], list[float]]:
        """Return the ends of a panel from left to right and from bottom to top, as shares."""
        row, column = divmod(index, self.columns)
        left = column * (self.width + self.spacing)
        across = [left / self.room, (left + self.width) / self.room]
        top = 1 - row / self.rows
        height = self.rows * self.row_height
        bottom = top - (self.head + self.plot) / height
        return across, [max(bottom, 0.0), top - self.head / height]


def _panel_label(
    spec: RankSequence | DifferencesByGroup,
    label: str,
    room: float,
    size: float,
    style: Style,
    *,
    differ: bool = False,
    more: str = "",
) -> str:
    """Return the line above a panel as markup: measure or group, its data if they fit, and whether all pairs differ."""
    tag = "" if spec.by == MEASURE else text.plain_text(spec.by)
    sizes = [format_count(spec.sizes[label], "data set")] if spec.sizes else []
    longest_first = [*((tag, over) for over in (*sizes, "")), ("", "")]
    for tag, over in longest_first:
        words = figure_text(
            "rank_sequence.label",
            tag=tag,
            over=over,
            label=text.plain_text(label) + more,
            differ=differ,
        )
        if text.text_width(words, size, style.serif, bold=True) <= room:
            break
    shown = text.shorten([words], room, size, serif=style.serif, bold=True)[words]
    return f"<b>{text.escape(shown)}</b>"


def _sizes(spec: RankSequence | DifferencesByGroup) -> list[str]:
    """Return the number of data sets of each panel in words, or one number if it is that of all."""
    sizes = spec.sizes or {}
    if len(set(sizes.values())) < 2:
        return [format_count(n, "data set") for n in list(sizes.values())[:1]]
    return [f"{n} ({text.plain_text(label)})" for label, n in sizes.items()]


def _moved(values: Iterable[float | None], by: float) -> list[float | None]:
    """Return coordinates moved by a number of px; None stays None."""
    return [None if value is None else value + by for value in values]


def has_sequence(whole: Comparison) -> bool:
    """Return whether comparisons like this one can be drawn below each other: of ranks, and of few algorithms."""
    return entry.ranked(whole) is None and 3 <= len(whole.order) <= MOST_ALGORITHMS


@cached_figure
def sequence_drawings(
    whole: Comparison, comparisons: Mapping[str, Comparison], by: str
) -> list[FigureSpec]:
    """Return the figures of comparisons that differ in one respect: rank diagrams and, by group, differences.

    Comparisons of another kind or with other algorithms than `whole` are left out. The list is
    empty if fewer than two remain, if `whole` is neither of all pairs nor with a control over data
    sets, and for fewer than three or more than `MOST_ALGORITHMS` algorithms. The first
    `MOST_PANELS` are drawn. Comparisons with a control have differences from the control only, also
    by measure.
    """
    names = set(whole.order)
    fitting = {
        measure_name(label) if by == MEASURE else str(label): each
        for label, each in comparisons.items()
        if type(each) is type(whole)
        and isinstance(each, RankedOnDatasets)
        and set(each.order) == names
    }
    if len(fitting) < 2 or not has_sequence(whole):
        return []
    drawn = dict(list(fitting.items())[:MOST_PANELS])
    tests = " or ".join(dict.fromkeys(each.test_name for each in drawn.values()))
    shared: _SharedFields = {
        "by": by,
        "total": len(fitting),
        "sizes": {label: each.friedman.n for label, each in drawn.items()},
        "tests": f"{tests}, \N{GREEK SMALL LETTER ALPHA} = {whole.settings.alpha:g}",
    }
    specs: list[FigureSpec] = []
    if whole.shape.ranked_pairs:
        specs.append(_diagrams(whole, drawn, shared))
    if by != MEASURE or whole.shape.control:
        by_group = _differences(whole, drawn, shared)
        specs += [] if by_group is None else [by_group]
    return specs


class _SharedFields(TypedDict):
    """Fields of both figures."""

    by: str
    total: int
    sizes: dict[str, int]
    tests: str


def _file_stem(by: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in by)


def _diagrams(whole: Comparison, drawn: Mapping[str, Any], shared: _SharedFields) -> RankSequence:
    """Return the rank diagrams of comparisons of all pairs."""
    names = list(whole.order)
    by = shared["by"]
    average_ranks = {label: each.friedman.average_ranks[names] for label, each in drawn.items()}
    return RankSequence(
        name=f"ranks_by_{_file_stem(by)}",
        title=figure_text("rank_sequence.title", by=by),
        ranks=pd.DataFrame(average_ranks),
        groups={label: each.groups for label, each in drawn.items()},
        pvalues={label: each.adjusted for label, each in drawn.items()},
        **shared,
    )


def _differences(
    whole: Comparison, drawn: Mapping[str, Comparison], shared: _SharedFields
) -> DifferencesByGroup | None:
    """Return the differences from one algorithm; None if a panel has no interval."""
    compared = whole.settings.control or whole.order[0]
    by = shared["by"]
    tables = {label: differences.from_one(each, compared) for label, each in drawn.items()}
    if any(table["low"].isna().all() for table in tables.values()):
        return None
    directions = {label: each.higher_is_better for label, each in drawn.items()}
    decisions = [each for table in tables.values() for each in table["differs"]]
    return DifferencesByGroup(
        name=f"differences_by_{_file_stem(by)}",
        title=figure_text("rank_sequence.title_differences", first=compared, by=by),
        data=pd.concat(tables, names=[by, "algorithm"]),
        first=compared,
        measure=whole.measure_name,
        higher_is_better=directions if by == MEASURE else whole.higher_is_better,
        best=not whole.settings.control,
        effect=effect_text.estimate_label(whole, "bare" if by == MEASURE else "full"),
        intervals=effect_text.interval_words(whole, decisions),
        **shared,
    )


#: What comparisons by other measures differ in.
MEASURE = "measure"
