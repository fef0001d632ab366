"""Ranks of algorithms with marginal and simultaneous confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import names_axis, value_axis
from foldwise.figures.spec import (
    MOST_NAMES,
    Colours,
    FigureSpec,
    cached_figure,
    counted_in,
    coverage_text,
    figure_text,
)
from foldwise.figures.theme import Style
from stats_core.comparison.kinds import strata
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.result import Comparison

if TYPE_CHECKING:
    from stats_core.inference.rank_intervals import RankIntervalsResult


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksWithIntervals(FigureSpec):
    """Rank of each algorithm with its marginal (thick) and simultaneous (thin) interval, best on top.

    Attributes
    ----------
    table : DataFrame by algorithm
        Columns of `RankIntervalsResult.table`.
    measure, noun, level : str
        Name of the measure, noun for an algorithm, and coverage as text.
    best : tuple of str
        Algorithms that can have rank 1.
    fixed_sets : bool
        Whether the instances are those of several benchmarks, for which alone the intervals hold.
    """

    how_to_read: ClassVar[str] = figure_text("ranks_with_intervals.how_to_read")
    table: pd.DataFrame
    measure: str
    noun: str
    level: str
    best: tuple[str, ...]
    fixed_sets: bool = False

    @property
    def data(self) -> pd.DataFrame:
        """The ranks and intervals."""
        return self.table

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        rows = self.table[:MOST_NAMES]
        names = list(map(str, rows.index))
        places = list(range(len(rows)))
        size = style.tick_size
        short = text.shorten(names, 0.4 * style.width, size, serif=style.serif)
        labels = [text.shortened_markup(short[name]) for name in names]
        left = max(text.text_width(name, size, style.serif) for name in short.values()) + style.px(
            16, 10
        )
        margin = {
            "l": left,
            "r": style.px(14, 10),
            "t": style.px(6, 4),
            "b": 1.3 * size + 1.8 * style.size,
        }
        fig = theme.new_figure(
            style, margin["t"] + 1.5 * style.size * len(rows) + margin["b"], margin=margin
        )
        span = (0.5, float(rows["high all"].max()) + 0.5)
        for which, colour, width in (
            (" all", style.faint, style.px(1.4, 0.8)),
            ("", style.ink, style.px(3, 1.8)),
        ):
            bars = [*zip(rows[f"low{which}"], rows[f"high{which}"], places, strict=True)]
            traces.add_intervals(fig, bars, f"interval{which}", colour, width, span, style)
        hues = traces.mark_colours(names, self.colours, style)
        hover = [
            figure_text(
                "ranks_with_intervals.hover", name=text.escape(name), row=row, level=self.level
            )
            for name, row in zip(names, rows.to_dict("records"), strict=True)
        ]
        traces.add_points(
            fig,
            rows["rank"].to_list(),
            places,
            "rank",
            style.px(8, 5),
            "circle",
            hues,
            hover_text=hover,
        )
        title = {
            "text": figure_text("ranks_with_intervals.axis", measure=self.measure),
            "standoff": 4,
        }
        most = min(max((style.width - left) / (4 * size), 2), span[1] - 0.5)
        fig.update_xaxes(
            title=title, showgrid=True, gridcolor=style.hairline, **value_axis(*span, most)
        )
        fig.update_yaxes(
            ticklabelstandoff=style.px(8, 5), **names_axis(places, labels, [len(rows) - 0.5, -0.5])
        )
        return fig

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return figure_text("ranks_with_intervals.caption", spec=self, drawn=MOST_NAMES)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        ends = self.table[["low all", "high all"]].itertuples(name=None)
        ranges = [
            figure_text("ranks_with_intervals.alt_row", name=name, low=low, high=high)
            for name, low, high in ends
        ]
        head = figure_text(
            "ranks_with_intervals.alt",
            n=len(self.table),
            noun=self.noun,
            measure=self.measure,
            level=self.level,
        )
        return text.fit_alt_text(head, ranges, ", ", ".", head, " and ")


@cached_figure
def ranks_drawing(analysis: CasesComparison, colours: Colours = None) -> RanksWithIntervals | None:
    """Return the ranks with intervals; None for two models."""
    result = analysis.rank_intervals()
    return _drawing(analysis, result, counted_in(analysis), colours) if result else None


@cached_figure
def ranks_over_instances(
    analysis: Comparison, colours: Colours = None
) -> RanksWithIntervals | None:
    """Return the ranks over all instances of several benchmarks; None unless `stratified_ranks` are known."""
    result = strata.stratified_ranks(analysis)
    if result is None:
        return None
    over = figure_text(
        "ranks_with_intervals.over_instances", n=result.items, sets=len(analysis.results.datasets)
    )
    return replace(_drawing(analysis, result, over, colours), fixed_sets=True)


def _drawing(
    analysis: Comparison, result: RankIntervalsResult, counted: str, colours: Colours
) -> RanksWithIntervals:
    return RanksWithIntervals(
        name=f"rank_intervals_{analysis.settings.measure}",
        title=figure_text("ranks_with_intervals.title", measure=analysis.measure_name),
        table=result.table,
        measure=analysis.measure_name,
        noun=analysis.noun,
        level=coverage_text(analysis),
        best=tuple(map(str, result.best())),
        counted=counted,
        papers=("mogstad2024",),
        colours=colours,
    )
