"""Scatter plot of two algorithms over data sets, with the diagonal of equal results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import paired_folds, text, theme, traces
from foldwise.figures.axis_parts import padded_range, tick_step
from foldwise.figures.label_placement import Plane
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.datasets import TwoComparison


@dataclass(frozen=True, kw_only=True, eq=False)
class Scatter(FigureSpec):
    """Scatter plot of the results of two algorithms over data sets.

    Filled points where the first is better, hollow ones where the second is, crosses where both are
    equal. The customdata of a point is its data set. The figure is square, at most 482 px wide.

    Attributes
    ----------
    first, second : Series
        One value per data set. Data sets missing in either are left out.
    names : (str, str)
        The two algorithms.
    measure : str
        Name of the measure.
    higher_is_better : bool
        Direction of the measure; it decides which side of the diagonal belongs to which algorithm.
    averaged : bool
        Whether the values are means over several results on a data set.
    """

    first: pd.Series
    second: pd.Series
    names: tuple[str, str]
    measure: str
    higher_is_better: bool
    averaged: bool = True
    zoom: ClassVar[str] = "xy"
    how_to_read: ClassVar[str] = figure_text("scatter.how_to_read")

    @property
    def data(self) -> pd.DataFrame:
        """Results of both algorithms on each data set."""
        first_name, second_name = self.names
        return pd.DataFrame({first_name: self.first, second_name: self.second})

    @cached_property
    def _table(self) -> pd.DataFrame:
        """Results on data sets with both values, and the advantage of the first algorithm."""
        table = pd.DataFrame({"first": self.first, "second": self.second}).dropna()
        sign = 1 if self.higher_is_better else -1
        return table.assign(advantage=sign * (table["first"] - table["second"]))

    @property
    def _wins(self) -> tuple[int, int, int]:
        """Numbers of data sets on which the first algorithm wins, loses and ties."""
        advantage = self._table["advantage"]
        return int((advantage > 0).sum()), int((advantage < 0).sum()), int((advantage == 0).sum())

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        values = self._table[["first", "second"]]
        width = style.px(min(style.width, 482), style.width)
        margin = {
            "l": 4.2 * style.size,
            "r": style.px(14, 8),
            "t": style.px(10, 6),
            "b": 3.2 * style.size,
        }
        plot = width - margin["l"] - margin["r"]
        fig = theme.new_figure(style, plot + margin["t"] + margin["b"], margin=margin)
        low, high = 0.0, 1.0
        if not values.empty:
            low, high = padded_range(float(values.min().min()), float(values.max().max()))
        traces.add_line(fig, [low, high], [low, high], "equal", style.leader, style.px(1.2, 0.7))
        self._draw_points(fig, style)
        step = tick_step(high - low, style.px(6, 5))
        decimals = max(0, -int(np.floor(np.log10(step))))
        axis = {
            "range": [low, high],
            "tick0": 0,
            "dtick": step,
            "tickformat": f".{decimals}f",
            "fixedrange": True,
        }
        short = text.shorten(list(self.names), 0.6 * style.px(420, style.width), style.size)
        y_title, x_title = (
            {"text": f"{text.escape(self.measure)}, {text.escape(short[name])}", "standoff": 4}
            for name in self.names
        )
        fig.update_xaxes(title=x_title, constrain="domain", **axis)
        fig.update_yaxes(title=y_title, scaleanchor="x", scaleratio=1, constrain="domain", **axis)
        plane = Plane(x=(low, high), y=(low, high), width=plot, height=plot)
        paired_folds.write_equal(fig, plane.px(values[["second", "first"]]), plane, style)
        self._write_sides(fig, plot, style)
        return fig

    def _draw_points(self, fig: go.Figure, style: Style) -> None:
        """Draw a point per data set, with a symbol that shows which algorithm is better."""
        advantage = self._table["advantage"]
        first, second = (f"{text.escape(name)} better" for name in self.names)
        equal = f"equal {text.escape(self.measure)}"
        self._draw_group(fig, self._table[advantage > 0], first, first, "circle", style)
        self._draw_group(fig, self._table[advantage < 0], second, second, "circle-open", style)
        ties = self._table[advantage == 0]
        self._draw_group(fig, ties, "equal values", equal, "x-thin-open", style)

    def _draw_group(
        self,
        fig: go.Figure,
        rows: pd.DataFrame,
        label: str,
        verdict: str,
        symbol: str,
        style: Style,
    ) -> None:
        """Draw the points of the data sets in `rows`, which have one verdict."""
        if rows.empty:
            return
        differences = self._table["first"] - self._table["second"]
        places = text.decimals_for(differences.tolist()) + 1
        first_name, second_name = (text.escape(name) for name in self.names)
        hint = traces.click_hint("data set")
        hover_texts = [
            f"<b>{text.escape(name)}</b><br>"
            f"{first_name}: {first:.{places}f}<br>"
            f"{second_name}: {second:.{places}f}<br>"
            f"{verdict}<br>{hint}"
            for name, first, second in zip(rows.index, rows["first"], rows["second"], strict=True)
        ]
        traces.add_points(
            fig,
            rows["second"].to_list(),
            rows["first"].to_list(),
            label,
            style.px(8, 4.6),
            symbol,
            style.ink,
            edge=(style.px(1.4, 0.8), style.ink),
            hover_text=hover_texts,
            customdata=[str(name) for name in rows.index],
            meta="data set",
        )

    def _write_sides(self, fig: go.Figure, plot: float, style: Style) -> None:
        """Write better algorithm and number of wins on each side of the diagonal."""
        size = style.size
        shown = text.shorten(list(self.names), plot / 2 - 7 * size, size, serif=style.serif)
        labels = [
            f"{text.escape(shown[name])} better: {n}"
            for name, n in zip(self.names, self._wins, strict=False)
        ]
        above, below = labels if self.higher_is_better else labels[::-1]
        right, down = 0.6 * size, 0.4 * size  # of the label from the corner
        top_left: traces.TextOptions = {
            "refs": "x domain, y domain",
            "anchor": "left, top",
            "shift": (right, -down),
        }
        bottom_right: traces.TextOptions = {
            "refs": "x domain, y domain",
            "anchor": "right, bottom",
            "shift": (-right, down),
        }
        traces.add_text(fig, above, 0, 1, size, style.ink, **top_left)
        traces.add_text(fig, below, 1, 0, size, style.ink, **bottom_right)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        first, second = map(text.plain_text, self.names)
        return self.describe("scatter.caption", first=first, second=second, n=len(self._table))

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        first, second = map(text.plain_text, self.names)
        wins, losses, ties = self._wins
        return text.truncate_text(
            self.describe(
                "scatter.alt",
                first=first,
                second=second,
                n=len(self._table),
                wins=wins,
                losses=losses,
                ties=ties,
            )
        )


@cached_figure(at_every_level=True)
def scatter_of_two(analysis: TwoComparison) -> Scatter:
    """Return the scatter plot of two algorithms over data sets."""
    first, second = analysis.first, analysis.second
    return Scatter(
        name=f"scatter_{analysis.settings.measure}",
        title=f"{first} against {second}",
        first=analysis.scores[first],
        second=analysis.scores[second],
        names=(first, second),
        measure=analysis.measure_name,
        higher_is_better=analysis.higher_is_better,
        averaged=bool(analysis.results.with_folds),
    )
