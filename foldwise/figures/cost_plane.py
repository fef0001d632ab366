"""Scatter plot of performance against cost, with the Pareto front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import (
    LOGARITHMIC,
    log_ticks,
    padded_range,
    tick_axis,
    ticks,
    value_axis,
)
from foldwise.figures.label_placement import ALL_NAMED, Plane, name_marks, numbered_marks
from foldwise.figures.spec import FigureSpec, cached_figure, figure_text, tested_line
from foldwise.figures.theme import Style
from stats_core.comparison import conclusion_scope
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import capitalize_first
from stats_core.ordering.order import Order
from stats_core.report import order_text, robustness_text
from stats_core.report.tables import order_tables
from stats_core.robustness import algorithm_standing
from stats_core.robustness.algorithm_standing import BEATEN, BEHIND, UNDOMINATED

MARKS = {UNDOMINATED: "circle", BEHIND: "circle-open", BEATEN: "x-thin-open"}


@dataclass(frozen=True, kw_only=True, eq=False)
class CostPlaneFigure(FigureSpec):
    """Scatter plot of performance (upwards) against cost (to the right), one point per algorithm.

    Attributes
    ----------
    data : DataFrame by algorithm
        Columns `cost`, `value`, `standing` (a key of `MARKS`) and `by`, the names of the algorithms
        that dominate it as one text, "" if there are none.
    cost, value : str
        Names of cost and result.
    higher_is_better : bool
        Direction of the result.
    finding : str
        First sentence of the caption.
    """

    data: pd.DataFrame
    cost: str
    value: str
    higher_is_better: bool
    finding: str
    zoom: ClassVar[str] = "xy"
    how_to_read: ClassVar[str] = figure_text("cost_plane.how_to_read")

    @property
    def _drawn(self) -> pd.DataFrame:
        """The algorithms with a cost and a result."""
        return self.data.dropna(subset=["cost", "value"])

    @property
    def _n_undominated(self) -> int:
        """Number of algorithms on the Pareto front."""
        return int((self._drawn["standing"] == UNDOMINATED).sum())

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        table = self._drawn
        if table.empty:
            fig = theme.new_figure(style, style.px(60, 40))
            fig.update_xaxes(visible=False).update_yaxes(visible=False)
            traces.add_text(
                fig,
                figure_text("cost_plane.empty"),
                0.5,
                0.5,
                style.size,
                style.second,
                refs="paper, paper",
                anchor="center, middle",
            )
            return fig
        costs = table["cost"]
        log = bool(costs.min() > 0 and costs.max() >= LOGARITHMIC * costs.min())
        positions = table.assign(x=np.log10(costs) if log else costs)
        margin = {
            "l": 4.2 * style.size,
            "r": style.px(14, 8),
            "t": style.px(12, 7),
            "b": 3.4 * style.size,
        }
        height = style.px(340, 175)
        fig = theme.new_figure(style, height, margin=margin)
        plane = Plane(
            x=padded_range(positions["x"].min(), positions["x"].max()),
            y=padded_range(positions["value"].min(), positions["value"].max()),
            width=style.width - margin["l"] - margin["r"],
            height=height - margin["t"] - margin["b"],
        )
        steps = _steps(positions[positions["standing"] == UNDOMINATED])
        steps_x, steps_y = steps.T.tolist()
        width = style.px(1.4, 0.8)
        traces.add_line(fig, steps_x, steps_y, "undominated", style.leader, width, dash="dot")
        for standing, symbol in MARKS.items():
            self._draw_marks(fig, positions[positions["standing"] == standing], symbol, style)
        self._draw_axes(fig, plane, log, style)
        points = plane.px(positions[["x", "value"]].to_numpy())
        point_of = dict(zip(positions.index, points, strict=True))
        best_first = {name: point_of[name] for name in self._by_standing()}
        undominated = list(table.index[table["standing"] == UNDOMINATED])
        named = [] if len(table) <= ALL_NAMED else undominated
        name_marks(fig, best_first, [plane.px(steps)], plane, style, named)
        return fig

    def _draw_marks(self, fig: go.Figure, rows: pd.DataFrame, symbol: str, style: Style) -> None:
        """Draw the algorithms in `rows`, which have one standing."""
        if rows.empty:
            return
        hues = traces.mark_colours(rows.index, self.colours, style)
        traces.add_points(
            fig,
            rows["x"].to_list(),
            rows["value"].to_list(),
            text.escape(rows["standing"].iloc[0]),
            style.px(10, 5.4),
            symbol,
            hues,
            edge=(style.px(1.6, 0.9), hues),
            hover_text=[self._hover(name, row) for name, row in rows.iterrows()],
            customdata=[str(name) for name in rows.index],
            meta="algorithm",
        )

    def _draw_axes(self, fig: go.Figure, plane: Plane, log: bool, style: Style) -> None:
        size = style.tick_size
        if log:
            positions, labels = log_ticks(*plane.x, max(plane.width / (6 * size), 2))
        else:
            positions, labels = ticks(*plane.x, max(plane.width / (5 * size), 2))
        x_axis = tick_axis(positions, labels, list(plane.x))
        y_axis = value_axis(*plane.y, max(plane.height / (3 * size), 2), least=3)
        x_title = f"{self.cost}, lower is better"
        y_title = f"{self.value}, {'higher' if self.higher_is_better else 'lower'} is better"
        if text.text_width(y_title, style.size, style.serif) > plane.height:
            y_title = self.value
        fig.update_xaxes(title={"text": text.escape(x_title), "standoff": 4}, **x_axis)
        fig.update_yaxes(title={"text": text.escape(y_title), "standoff": 4}, **y_axis)

    def _by_standing(self) -> list[str]:
        """Return the algorithms drawn, best first: by standing, then by result."""
        best_first = self._drawn.sort_values(
            "value", ascending=not self.higher_is_better, kind="stable"
        )
        standings = best_first["standing"]
        return [name for standing in MARKS for name in standings.index[standings == standing]]

    def _hover(self, name: str, row: pd.Series) -> str:
        """Return the hover text of an algorithm: result, cost, and the algorithms that dominate it."""
        standing = row["standing"]
        lines = [
            f"<b>{text.escape(name)}</b>",
            f"{text.escape(self.value)}: {row['value']:.4g}",
            f"{text.escape(self.cost)}: {row['cost']:.4g}",
            text.escape(f"{standing}: {row['by']}" if row["by"] else standing),
        ]
        return "<br>".join([*lines, traces.click_hint("algorithm", opens=False)])

    def caption(self, style: Style) -> str:
        """Return the caption."""
        if self._drawn.empty:
            return figure_text("cost_plane.empty")
        fig, n = self.figure(style), len(self._drawn)
        n_named = n if n <= ALL_NAMED else self._n_undominated
        standings = set(self._drawn["standing"])
        return self.describe(
            "cost_plane.caption",
            numbers=numbered_marks(fig),
            unnamed=len(fig.layout.annotations) < n_named,
            frontier=self._n_undominated if n > ALL_NAMED else 0,
            hollow=BEHIND in standings,
            cross=BEATEN in standings,
        )

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        undominated = self.data.index[self.data["by"] == ""]
        first = text.join_escaped((text.plain_text(name) for name in undominated), 8)
        return text.truncate_text(self.describe("cost_plane.alt", n=len(self.data), first=first))


@cached_figure
def cost_plane_of(comparison: Comparison, order: Order) -> CostPlaneFigure | None:
    """Return the figure of performance against cost for an order.

    None if the order has no cost or another scope, if several measures are analysed together, or if
    results are missing.
    """
    costs = order.average_cost
    if costs is None or comparison.together or comparison.scores.isna().to_numpy().any():
        return None
    if not conclusion_scope.may_cite(order, comparison, naming=["population", "measures"]):
        return None  # costs and results would be of different data sets
    plane = algorithm_standing.cost_plane(comparison, costs, order_text.describe_costs(order.rules))
    return CostPlaneFigure(
        name=f"cost_plane_{comparison.settings.measure}",
        title=f"{capitalize_first(comparison.measure_name)} against {order_text.describe_costs(order.rules)}",
        data=plane.table,
        cost=order_tables.cost_title(order),
        value=plane.value,
        higher_is_better=plane.higher_is_better,
        finding=robustness_text.describe_cost_plane(plane),
        tested=tested_line(comparison),
    )


def _steps(front: pd.DataFrame) -> np.ndarray:
    """Return the corners of the step line through the Pareto-optimal algorithms."""
    points = front[["x", "value"]].to_numpy(dtype=float)
    corners = [points[:1]]
    for before, after in zip(points[:-1], points[1:], strict=True):
        corners.append(np.array([[after[0], before[1]], after]))
    return np.concatenate(corners)
