"""Probability of each cost-aware order along a simulation parameter, one line per order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.axis_parts import tick_axis, ticks
from foldwise.figures.label_placement import Plane
from foldwise.figures.line_styles import SeriesStyle, draw_line, looks, with_gaps
from foldwise.figures.order_labels import Flag, flag_room, flag_width, place_flags, write_flag, write_names
from foldwise.figures.power_curves import draw_band
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import GREY, Style
from stats_core.core.errors import DataError

OTHERS = "other orders"
#: Orders that exceed this share anywhere get a line of their own, up to this number of orders.
_SEEN, _MOST = 0.2, 6
#: Each line has a symbol at every third position, shifted from line to line.
_MARKED = 3
#: Symbols are omitted below this share, where they would overlap along the axis.
_LOW = 0.02


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderProbability(FigureSpec):
    """The probability of every order along the parameter that separates algorithms.

    Up to six orders that exceed 0.2 anywhere have a line with their name beside its maximum, and the
    sum of all others is grey. Missing shares are gaps.

    Attributes
    ----------
    probabilities : DataFrame, lambda x order
        Shares of runs.
    standard_error : DataFrame, lambda x order, optional
        Of the shares; gives a band of two standard errors on either side.
    half_power : Series, optional
        Parameter at which each pair is separated in half of the runs: a thin vertical line. The
        index holds (cheaper, costlier), written "costlier over cheaper", or strings.
    x_title : str
        The parameter.
    prior : str
        The prior order, by default the most frequent one at the first parameter.
    method, how_to_read : str
        How the shares were simulated, and how to read the figure.

    Raises
    ------
    DataError
        No rows or columns, orders that repeat, an index that is not numbers or does not increase,
        or a share outside [0, 1].

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, Fig. 4 and 5.
    """

    zoom: ClassVar[str] = "xy"
    probabilities: pd.DataFrame
    standard_error: pd.DataFrame | None = None
    half_power: pd.Series | None = None
    x_title: str = "lambda"
    prior: str = ""
    method: str = ""
    how_to_read: str = ""

    @cached_property
    def table(self) -> pd.DataFrame:
        """The shares as floats with string columns."""
        table = pd.DataFrame(self.probabilities).rename(columns=str)
        parameters = np.asarray(pd.to_numeric(table.index, errors="coerce"), dtype=float)
        if table.empty or table.columns.has_duplicates:
            raise DataError(
                [
                    "Probabilities of orders need at least one row, and columns that differ. "
                    f"The table is {table.shape[0]} x {table.shape[1]}. Name each order once."
                ]
            )
        if not np.isfinite(parameters).all() or (np.diff(parameters) <= 0).any():
            raise DataError(
                [
                    "The index of the probabilities must be numbers that increase. "
                    f"It begins with {text.join_escaped(map(str, table.index), 4)}. Sort the rows."
                ]
            )
        values = table.astype(float).set_axis(parameters, axis=0)
        if ((values < -1e-9) | (values > 1 + 1e-9)).to_numpy().any():
            raise DataError(["Probabilities must lie between 0 and 1. Some do not. Divide counts by the runs."])
        return values

    @property
    def lines(self) -> dict[str, pd.Series]:
        """The lines to draw: the shares of orders with a line of their own, and the sum of the others."""
        table = self.table
        top = table.max().sort_values(ascending=False, kind="stable")
        seen = set(top.index[: max(1, min(_MOST, int((top > _SEEN).sum())))])
        lines = {name: table[name].rename(name) for name in table.columns if name in seen}
        others = table.drop(columns=list(lines))
        if len(others.columns) and others.max().max() > 0:
            lines[OTHERS] = others.sum(axis=1, min_count=1).clip(upper=1).rename(OTHERS)
        return lines

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        lines, table = self.lines, self.table
        grey = GREY if style.colour else style.leader
        styles = looks([name for name in lines if name != OTHERS], style)
        styles[OTHERS] = SeriesStyle(colour=grey, fill=GREY, symbol="circle", dash="solid", own=False)
        errors = table * np.nan if self.standard_error is None else self.standard_error.rename(columns=str)
        errors = errors.reindex_like(table).assign(**{OTHERS: np.nan})
        margin, plane, flags = self._lay_out(style)
        fig = theme.new_figure(style, plane.height + margin["t"] + margin["b"], margin=margin)
        x_axis = tick_axis(*ticks(*plane.x, max(min(10, plane.width / (4 * style.size)), 2)), list(plane.x))
        y_axis = tick_axis(*ticks(0, 1, 5), list(plane.y))
        fig.update_xaxes(title={"text": text.escape(self.x_title), "standoff": 4}, **x_axis)
        fig.update_yaxes(title={"text": "probability", "standoff": 4}, **y_axis)
        for flag in flags:
            write_flag(fig, flag, style)
        for name, values in lines.items():
            draw_band(fig, values, errors[name], styles[name], style, most=1)
        for number, (name, values) in enumerate(lines.items()):
            self._draw_line(fig, values, errors[name], styles[name], number, style)
        inks = {name: style.second if name == OTHERS else style.ink for name in lines}
        write_names(fig, lines, inks, flags, plane, style)
        return fig

    def _lay_out(self, style: Style) -> tuple[dict[str, float], Plane, list[Flag]]:
        """Return margins, plot area, and the flags of vertical lines above the plot."""
        low, high = float(self.table.index[0]), float(self.table.index[-1])
        pad = 0.015 * (high - low) or 0.5
        low, high = low - pad, high + pad
        left = text.text_width("0.0", style.tick_size, style.serif) + 1.5 * style.size + style.px(18, 10)
        pairs = pd.Series(dtype=float) if self.half_power is None else self.half_power
        right = style.px(18, 10)
        flags = place_flags(pairs, (low, high), style.width - left - right, style)
        for flag in flags:  # flags near the right end extend into the margin
            share = (high - flag.x) / (high - low)
            overhang = flag_width(flag.words, style) - share * (style.width - left)
            right = max(right, overhang / max(1 - share, 0.5))
        height = style.px(230, 138)
        # Room for names above a line at 1, and for the line width at 0.
        above, below = 1.7 * style.size, style.px(4, 3)
        unit = 1 / (height - above - below)
        bottom = style.tick_size + style.size + style.px(24, 15)
        margin = {"l": left, "r": right, "t": flag_room(flags, style) + style.px(8, 5), "b": bottom}
        ends = (-below * unit, 1 + above * unit)
        return margin, Plane(x=(low, high), y=ends, width=style.width - left - right, height=height), flags

    def _draw_line(
        self, fig: go.Figure, values: pd.Series, error: pd.Series, look: SeriesStyle, number: int, style: Style
    ) -> None:
        """Draw the line of one order; `number` shifts its symbols against those of other lines."""
        positions, shares, name = list(values.index), with_gaps(values), text.escape(values.name)
        offset = number % _MARKED if len(positions) > _MARKED else 0
        marked = [i for i in range(offset, len(positions), _MARKED) if shares[i] is None or shares[i] > _LOW]
        draw_line(
            fig,
            positions,
            shares,
            look,
            style,
            width=style.px(2, 0.9),
            name=name,
            marked=marked if look.own else None,
            size=style.px(7, 4.6),
            said=[
                f"<b>{name} at {text.escape(self.x_title)} {x:g}</b>: {_said(share, error[x])}"
                for x, share in zip(positions, shares, strict=True)
            ],
        )

    def caption(self, style: Style) -> str:
        """Return the caption sentences on the lines, bands and vertical lines that are drawn."""
        parts = ["Share of simulated runs in which each order comes out, best first."]
        if self.standard_error is not None:
            parts.append("Bands reach two Monte-Carlo standard errors to either side.")
        if self.half_power is not None:
            parts.append(
                "A vertical line marks where a costlier algorithm is found better than a cheaper one in half of the runs."
            )
        if OTHERS in self.lines:
            parts.append("Grey: the other orders together.")
        return " ".join([*parts, *([f"{self.method}."] if self.method else [])])

    @property
    def data(self) -> pd.DataFrame:
        """The shares."""
        return self.probabilities

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> table = pd.DataFrame({"1-2": [1.0, 0.0], "2-1": [0.0, 1.0]}, index=[0, 0.1])
        >>> print(OrderProbability(probabilities=table).alt[-42:])
        Prior order certain at 0, reversed at 0.1.
        """
        table = self.table
        first, last = table.index[[0, -1]]
        prior = self.prior or str(table.iloc[0].fillna(0).idxmax())
        prior_share = table.get(prior, pd.Series(0.0, index=table.index)).iloc[0]
        top = str(table.iloc[-1].fillna(0).idxmax())
        joint = " - " if " - " in prior else "-"
        outcome = "reversed" if top.split(joint) == prior.split(joint)[::-1] else _named(top)
        outcome = "still first" if top == prior else outcome
        certainty = "certain" if prior_share >= 0.995 else f"with probability {prior_share:.2f}"
        share = table[top].iloc[-1]
        end = f"Prior order {certainty} at {first:g}, {outcome}{'' if share >= 0.995 else f' with {share:.2f}'} at {last:g}."
        leaders = table.fillna(0).idxmax(axis=1)
        turns = leaders[leaders != leaders.shift()]
        parts = [f"{_named(name)} from {x:g}" for x, name in turns.items()]
        n_orders = table.shape[1]
        start = (
            f"Probability of {n_orders} order{'s' * (n_orders != 1)} for {self.x_title} {first:g} to {last:g}. "
            f"Most frequent: {text.join_escaped(parts, 5)}."
        )
        return f"{text.truncate_text(start, max(299 - len(end), 1))} {end}"


def order_probability(probabilities: pd.DataFrame, *, style: Style, **options: Any) -> go.Figure:
    """Draw the probability of every order; `options` are the fields of `OrderProbability`."""
    return OrderProbability(probabilities=probabilities, **options).draw(style)


def _said(share: float | None, error: float) -> str:
    if share is None:
        return "unknown"
    return f"{share:.2f} ± {2 * error:.2f}" if np.isfinite(error) else f"{share:.2f}"


def _named(order: str) -> str:
    return text.truncate_text(text.plain_text(order), 50)
