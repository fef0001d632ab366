"""Scatter plot of two algorithms over data sets, with the diagonal of equal results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import padded_range, tick_step
from foldwise.figures.label_placement import Plane
from foldwise.figures.paired_folds import write_equal
from foldwise.figures.spec import FigureSpec, cached_figure
from foldwise.figures.theme import Style
from stats_core.comparison.kinds.control_and_pairs import TwoComparison


@dataclass(frozen=True, kw_only=True, eq=False)
class Scatter(FigureSpec):
    """Values of `first` (upwards) against `second` (to the right) over data sets.

    Filled points where the first is better, hollow ones where the second is, crosses where both are
    equal. Points carry the name of their data set. The figure is square, at most 482 px wide.

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
    """

    first: pd.Series
    second: pd.Series
    names: tuple[str, str]
    measure: str
    higher_is_better: bool
    zoom: ClassVar[str] = "xy"

    @property
    def data(self) -> pd.DataFrame:
        """The values of both algorithms."""
        return pd.DataFrame(dict(zip(self.names, (self.first, self.second), strict=True)))

    @property
    def _table(self) -> pd.DataFrame:
        """The values on the data sets of both, and the advantage of the first."""
        table = pd.DataFrame({"first": self.first, "second": self.second}).dropna()
        sign = 1 if self.higher_is_better else -1
        return table.assign(advantage=sign * (table["first"] - table["second"]))

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        names, table = self.names, self._table
        advantage, table = table["advantage"], table[["first", "second"]]
        width = min(style.width, 482) if not style.printed else style.width
        margin = {"l": 4.2 * style.size, "r": style.px(14, 8), "t": style.px(10, 6), "b": 3.2 * style.size}
        height = width - margin["l"] - margin["r"] + margin["t"] + margin["b"]
        fig = theme.new_figure(style, height, margin=margin)
        low, high = _reach(table)
        traces.add_line(fig, [low, high], [low, high], "equal", style.leader, style.px(1.2, 0.7))
        _points(fig, table, advantage, names, self.measure, style)
        _axes(fig, low, high, names, self.measure, style)
        plot = width - margin["l"] - margin["r"]
        plane = Plane(x=(low, high), y=(low, high), width=plot, height=plot)
        write_equal(fig, plane.px(table[["second", "first"]]), plane, style)
        _regions(fig, advantage, names, self.higher_is_better, plot, style)
        return fig

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return "One mark per data set, at the averages of both algorithms; on the diagonal they are the same."

    @property
    def how_to_read(self) -> str:
        """How to read the figure."""
        first, second = self.names
        return (
            f"Each dot is a data set: {first} up, {second} across. On the diagonal both have the same "
            f"average. Look for dots far from the diagonal. A crowd near it is not evidence that {first} and "
            f"{second} are equal."
        )

    @property
    def alt(self) -> str:
        """The alternative text, at most 300 characters."""
        advantage = self._table["advantage"]
        a, b = (text.plain_text(name) for name in self.names)
        return text.truncate_text(
            f"Scatter of {self.measure}, {a} against {b}, on {len(advantage)} data sets. "
            f"{a} better on {int((advantage > 0).sum())}, {b} on {int((advantage < 0).sum())}, "
            f"the same result on {int((advantage == 0).sum())}."
        )


def scatter(first: pd.Series, second: pd.Series, *, style: Style, **options: Any) -> go.Figure:
    """Draw two algorithms over data sets; options are the attributes of `Scatter`."""
    return Scatter(first=first, second=second, **options).draw(style)


@cached_figure(at_every_level=True)
def scatter_of_two(analysis: TwoComparison) -> Scatter:
    """Return the scatter plot of two algorithms over data sets."""
    first, second = analysis.first, analysis.second
    return Scatter(
        name=f"scatter_{analysis.settings.measure}",
        title=f"{first} over {second}",
        first=analysis.scores[first],
        second=analysis.scores[second],
        names=(first, second),
        measure=analysis.settings.measure,
        higher_is_better=analysis.higher_is_better,
    )


def _reach(table: pd.DataFrame) -> tuple[float, float]:
    if table.empty:
        return 0.0, 1.0
    low, high = float(table.min().min()), float(table.max().max())
    return padded_range(low, high)


def _points(
    fig: go.Figure, table: pd.DataFrame, advantage: pd.Series, names: tuple[str, str], measure: str, style: Style
) -> None:
    places = text.decimals_for((table["first"] - table["second"]).tolist()) + 1
    groups = (
        (f"{names[0]} better", "circle", advantage > 0),
        (f"{names[1]} better", "circle-open", advantage < 0),
        ("equal values", "x-thin-open", advantage == 0),
    )
    for label, symbol, chosen in groups:
        rows = table[chosen]
        if rows.empty:
            continue
        traces.add_points(
            fig,
            rows["second"].to_list(),
            rows["first"].to_list(),
            text.escape(label),
            style.px(8, 4.6),
            symbol,
            style.ink,
            edge=(style.px(1.4, 0.8), style.ink),
            said=[
                "<br>".join(
                    [
                        f"<b>{text.escape(name)}</b>",
                        f"{text.escape(names[0])}: {row['first']:.{places}f}",
                        f"{text.escape(names[1])}: {row['second']:.{places}f}",
                        text.escape(label if symbol != "x-thin-open" else f"equal {measure}"),
                        traces.click_hint("data set"),
                    ]
                )
                for name, row in rows.iterrows()
            ],
            customdata=[str(name) for name in rows.index],
            meta="data set",
        )


def _axes(fig: go.Figure, low: float, high: float, names: tuple[str, str], measure: str, style: Style) -> None:
    step = tick_step(high - low, style.px(6, 5))
    decimals = max(0, -int(np.floor(np.log10(step))))
    axis = {"range": [low, high], "tick0": 0, "dtick": step, "tickformat": f".{decimals}f", "fixedrange": True}
    short_names = text.shorten(list(names), 0.6 * style.px(420, style.width), style.size)
    measure_text = text.escape(measure)
    fig.update_xaxes(title={"text": f"{measure_text}, {text.escape(short_names[names[1]])}", "standoff": 4}, **axis)
    fig.update_yaxes(
        title={"text": f"{measure_text}, {text.escape(short_names[names[0]])}", "standoff": 4},
        scaleanchor="x",
        scaleratio=1,
        constrain="domain",
        **axis,
    )
    fig.update_xaxes(constrain="domain")


def _regions(
    fig: go.Figure, advantage: pd.Series, names: tuple[str, str], higher_is_better: bool, plot: float, style: Style
) -> None:
    """Label the two sides of the diagonal with the better algorithm and its number of wins."""
    above, below = names if higher_is_better else names[::-1]
    shown = text.shorten(list(names), plot / 2 - 7 * style.size, style.size, serif=style.serif)
    wins = {names[0]: int((advantage > 0).sum()), names[1]: int((advantage < 0).sum())}
    font_size = style.size
    for name, x, y, sign in ((above, 0, 1, 1), (below, 1, 0, -1)):
        fig.add_annotation(
            text=f"{text.escape(shown[name])} better: {wins[name]}",
            xref="x domain",
            yref="y domain",
            x=x,
            y=y,
            xanchor="left" if x == 0 else "right",
            yanchor="top" if y == 1 else "bottom",
            xshift=sign * 0.6 * font_size,
            yshift=-sign * 0.4 * font_size,
            font={"size": font_size, "color": style.ink},
        )
