"""Probability of each cost-aware order along a simulation parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import power_curves, text, theme, traces
from foldwise.figures.axis_parts import tick_axis, ticks
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    candidate_positions,
    join_points,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.spec import FigureSpec, figure_text
from foldwise.figures.theme import GREY, PX_PER_POINT, Style
from foldwise.figures.traces import SeriesStyle, draw_line, series_styles, with_gaps
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
    """Probability of each order along the simulated parameter, one line per frequent order.

    Up to six orders that exceed 0.2 anywhere, at least the most frequent one, have a line with
    their name next to its maximum, and the sum of all others is grey. Missing shares are gaps.

    Attributes
    ----------
    probabilities : DataFrame, lambda x order
        Shares of runs.
    standard_error : DataFrame, lambda x order, optional
        Standard errors of the probabilities; drawn as a band of two standard errors.
    half_power : Series, optional
        Parameter at which each pair differs significantly in half of the runs: a thin vertical
        line. The index holds (cheaper, more expensive), written "more expensive over cheaper", or
        strings. Parameters outside the range of the table are left out.
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
        """Probabilities as floats, with string column names; an unsuitable table raises DataError."""
        table = pd.DataFrame(self.probabilities).rename(columns=str)
        parameters = np.asarray(pd.to_numeric(table.index, errors="coerce"), dtype=float)
        if table.empty or table.columns.has_duplicates:
            rows, columns = table.shape
            raise DataError(
                [figure_text("order_probability.bad_table", rows=rows, columns=columns)]
            )
        if not np.isfinite(parameters).all() or (np.diff(parameters) <= 0).any():
            values = text.join_escaped(map(str, table.index), 4)
            raise DataError([figure_text("order_probability.bad_index", values=values)])
        values = table.astype(float).set_axis(parameters, axis=0)
        if ((values < -1e-9) | (values > 1 + 1e-9)).to_numpy().any():
            raise DataError([figure_text("order_probability.out_of_range")])
        return values

    @property
    def lines(self) -> dict[str, pd.Series]:
        """Lines to draw: frequent orders, and the sum of all others."""
        table = self.table
        top = table.max().sort_values(ascending=False, kind="stable")
        n_frequent = int((top > _SEEN).sum())
        n_lines = max(1, min(_MOST, n_frequent))
        seen = set(top.index[:n_lines])
        lines = {name: table[name].rename(name) for name in table.columns if name in seen}
        others = table.drop(columns=list(lines))
        if len(others.columns) and others.max().max() > 0:
            lines[OTHERS] = others.sum(axis=1, min_count=1).clip(upper=1).rename(OTHERS)
        return lines

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        lines, table = self.lines, self.table
        grey = GREY if style.colour else style.leader
        styles = series_styles([name for name in lines if name != OTHERS], style)
        styles[OTHERS] = SeriesStyle(
            colour=grey, fill=GREY, symbol="circle", dash="solid", own=False
        )
        errors = pd.DataFrame(np.nan, table.index, table.columns)
        if self.standard_error is not None:
            errors = self.standard_error.rename(columns=str).reindex_like(table)
        errors = errors.assign(**{OTHERS: np.nan})
        margin, plane, flags = self._lay_out(style)
        fig = theme.new_figure(style, plane.height + margin["t"] + margin["b"], margin=margin)
        most = max(min(10, plane.width / (4 * style.size)), 2)
        x_axis = tick_axis(*ticks(*plane.x, most), list(plane.x))
        y_axis = tick_axis(*ticks(0, 1, 5), list(plane.y))
        fig.update_xaxes(title={"text": text.escape(self.x_title), "standoff": 4}, **x_axis)
        fig.update_yaxes(title={"text": "probability", "standoff": 4}, **y_axis)
        for flag in flags:
            _write_flag(fig, flag, style)
        for name, values in lines.items():
            power_curves.draw_band(fig, values, errors[name], styles[name], style, most=1)
        for number, (name, values) in enumerate(lines.items()):
            self._draw_line(fig, values, errors[name], styles[name], number, style)
        inks = {name: style.second if name == OTHERS else style.ink for name in lines}
        _write_names(fig, lines, inks, flags, plane, style)
        return fig

    def _lay_out(self, style: Style) -> tuple[dict[str, float], Plane, list[_Flag]]:
        """Return margins, plot area, and the flags (labels) of vertical lines."""
        low, high = float(self.table.index[0]), float(self.table.index[-1])
        pad = 0.015 * (high - low) or 0.5
        low, high = low - pad, high + pad
        tick_width = text.text_width("0.0", style.tick_size, style.serif)
        left = tick_width + 1.5 * style.size + style.px(18, 10)
        pairs = pd.Series(dtype=float) if self.half_power is None else self.half_power
        right = style.px(18, 10)
        flags = _place_flags(pairs, (low, high), style.width - left - right, style)
        for flag in flags:  # flags near the right end extend into the margin
            share = (high - flag.x) / (high - low)
            right_of_flag = share * (style.width - left)
            overhang = _flag_width(flag.words, style) - right_of_flag
            right = max(right, overhang / max(1 - share, 0.5))
        height = style.px(230, 138)
        # Room for names above a line at 1, and for the line width at 0.
        above, below = 1.7 * style.size, style.px(4, 3)
        unit = 1 / (height - above - below)
        bottom = style.tick_size + style.size + style.px(24, 15)
        n_flag_rows = max((flag.row + 1 for flag in flags), default=0)
        flags_height = n_flag_rows * 1.2 * _small_text(style)
        margin = {"l": left, "r": right, "t": flags_height + style.px(8, 5), "b": bottom}
        ends = (-below * unit, 1 + above * unit)
        width = style.width - left - right
        return margin, Plane(x=(low, high), y=ends, width=width, height=height), flags

    def _draw_line(
        self,
        fig: go.Figure,
        values: pd.Series,
        error: pd.Series,
        series: SeriesStyle,
        number: int,
        style: Style,
    ) -> None:
        """Draw the line of one order; `number` offsets its symbols from those of other lines."""
        positions, shares = list(values.index), with_gaps(values)
        name, x_title = text.escape(values.name), text.escape(self.x_title)
        offset = number % _MARKED if len(positions) > _MARKED else 0
        every = range(offset, len(positions), _MARKED)
        marked = [i for i in every if (share := shares[i]) is None or share > _LOW]
        described = [
            _format_share(share, error[x]) for x, share in zip(positions, shares, strict=True)
        ]
        draw_line(
            fig,
            positions,
            shares,
            series,
            style,
            width=style.px(2, 0.9),
            name=name,
            symbols=traces.LineSymbols(marked, style.px(7, 4.6)) if series.own else None,
            hover_text=[
                f"<b>{name} at {x_title} {x:g}</b>: {share}"
                for x, share in zip(positions, described, strict=True)
            ],
        )

    def caption(self, style: Style) -> str:
        """Return the caption."""
        return self.describe(
            "order_probability.caption",
            others=OTHERS in self.lines,
            bands=self.standard_error is not None,
            lines=self.half_power is not None,
        )

    @property
    def data(self) -> pd.DataFrame:
        """Probabilities of all orders."""
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
        prior_share = float(table[prior].iloc[0]) if prior in table else 0.0
        top = str(table.iloc[-1].fillna(0).idxmax())
        top_share = table[top].iloc[-1]
        ends = {"first": f"{first:g}", "last": f"{last:g}"}
        end = figure_text(
            "order_probability.alt_end",
            share="" if prior_share >= 0.995 else f"{prior_share:.2f}",
            top_share="" if top_share >= 0.995 else f"{top_share:.2f}",
            outcome=_outcome(prior, top),
            **ends,
        )
        leaders = table.fillna(0).idxmax(axis=1)
        turns = leaders[leaders != leaders.shift()]
        phrases = [f"{text.short_name(name, 50)} from {x:g}" for x, name in turns.items()]
        parts = text.join_escaped(phrases, 5)
        start = figure_text(
            "order_probability.alt", n=table.shape[1], x=self.x_title, leaders=parts, **ends
        )
        return f"{text.truncate_text(start, max(299 - len(end), 1))} {end}"


def _outcome(prior: str, last: str) -> str:
    """Return in words how the most frequent order at the end relates to the prior order."""
    if last == prior:
        return "still first"
    joint = " - " if " - " in prior else "-"
    is_reversed = last.split(joint) == prior.split(joint)[::-1]
    return "reversed" if is_reversed else text.short_name(last, 50)


def _format_share(share: float | None, error: float) -> str:
    if share is None:
        return "unknown"
    return f"{share:.2f} ± {2 * error:.2f}" if np.isfinite(error) else f"{share:.2f}"


#: Distances of a name from its line, in heights of the text; all but the nearest with a leader.
_AWAY = (0.35, 1.0, 1.8, 2.8, 4.0, 5.5)
#: Names are placed where a line exceeds this share of its maximum, since lines meet near zero.
_NEAR_TOP = 0.55


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flag:
    """Label of a vertical line, right of its upper end, in row `row` above the plot."""

    words: str
    x: float
    row: int


def _small_text(style: Style) -> float:
    """Return the text size of flags in px: 7 points in print."""
    return style.px(style.tick_size - 1, 7 * PX_PER_POINT)


def _place_flags(
    places: pd.Series, reach: tuple[float, float], room: float, style: Style
) -> list[_Flag]:
    """Return a flag for every vertical line within `reach`, without overlaps of flags and lines.

    Of lines whose labels would touch, the leftmost has the highest label, so that every line
    ends below the labels that extend over it.
    """
    low, high = reach
    inside = places[places.between(low, high)].sort_values(kind="stable")
    labels = [_pair(pair) for pair in inside.index]
    short = text.shorten(labels, 0.32 * room, _small_text(style), serif=style.serif)
    flags: list[_Flag] = []
    cluster: list[tuple[str, float]] = []
    end = -np.inf
    narrowest = width_scales(style)[-1]
    for label, x in zip([short[name] for name in labels], inside, strict=True):
        start = (x - low) / (high - low) * room * narrowest
        if start > end:
            flags += _stacked(cluster)
            cluster = []
        cluster.append((label, float(x)))
        end = max(end, start + _flag_width(label, style) + style.px(6, 3))
    return flags + _stacked(cluster)


def _stacked(cluster: Sequence[tuple[str, float]]) -> list[_Flag]:
    top = len(cluster) - 1
    return [_Flag(words=label, x=x, row=top - i) for i, (label, x) in enumerate(cluster)]


def _pair(pair: object) -> str:
    """Return the label of a pair (cheaper, more expensive) or of a string."""
    if isinstance(pair, tuple) and len(pair) == 2:
        return f"{text.plain_text(pair[1])} over {text.plain_text(pair[0])}"
    return text.plain_text(pair)


def _flag_width(words: str, style: Style) -> float:
    """Return the width in px that a flag takes right of its line."""
    return text.text_width(words, _small_text(style), style.serif) + style.px(8, 5)


def _write_flag(fig: go.Figure, flag: _Flag, style: Style) -> None:
    """Draw a vertical line with its label (flag)."""
    size = _small_text(style)
    rise = flag.row * 1.2 * size + style.px(3, 2)
    line = {
        "type": "line",
        "name": "half power",
        "x0": flag.x,
        "x1": flag.x,
        "yref": "paper",
        "layer": "below",
        "line": {
            "color": style.leader,
            "width": style.px(1, 0.5),
            "dash": "1px,2px" if style.printed else "dot",
        },
    }
    fig.add_shape(**line, y0=0, y1=1)
    fig.add_shape(**line, ysizemode="pixel", yanchor=1, y0=0, y1=rise + 0.9 * size)
    traces.add_text(
        fig,
        text.escape(flag.words),
        flag.x,
        1,
        size,
        style.second,
        name="half power",
        refs="x, paper",
        anchor="left, middle",
        shift=(style.px(4, 3), rise + 0.5 * size),
    )


def _write_names(
    fig: go.Figure,
    lines: Mapping[str, pd.Series],
    colours: Mapping[str, str],
    flags: Sequence[_Flag],
    plane: Plane,
    style: Style,
) -> None:
    """Write each name near the maximum of its line, where it overlaps least.

    A figure on the screen shrinks with its window, but its text does not: a position must be clear
    both at full width and in the narrowest window.
    """
    short = text.shorten(list(lines), 0.35 * plane.width, style.size, serif=style.serif)
    paths = {name: _path(values, plane) for name, values in lines.items()}
    paths = {name: path for name, path in paths.items() if len(path)}
    board = PlacementBoard(
        plane.width,
        plane.height,
        clearance=style.px(5, 3),
        inset=(2, 2, 0, -1),
        squeezes=width_scales(style),
    )
    board.draw(join_points(paths.values()), cost=6, clearance=style.px(4, 2.5))
    verticals = [plane.px(np.array([[flag.x, end] for end in plane.y])) for flag in flags]
    board.draw(join_points(points_along(line, 4) for line in verticals), cost=2, clearance=1)
    zero = plane.px(np.zeros(2))[1]
    new_annotations = []
    highest_first = sorted(paths, key=lambda name: -paths[name][:, 1].max())
    for name in highest_first:
        label = board.put(_candidates(paths[name], zero, text_size(short[name], style)))
        if label is not None:
            font = {"size": style.size, "color": colours[name]}
            note = annotation_at(short[name], label, plane, style, font=font, name="order")
            new_annotations.append(note)
    add_annotations(fig, new_annotations)


def _path(values: pd.Series, plane: Plane) -> np.ndarray:
    """Return points in px along a line."""
    return points_along(plane.px(np.column_stack([values.index, values])))


def _candidates(path: np.ndarray, zero: float, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name around the upper part of its line."""
    x, y = path.T
    top = y.max()
    peak_x = x[y >= top - 2]
    high = path[y >= zero + _NEAR_TOP * (top - zero)]
    points = np.concatenate([path[[y.argmax()]], high[::10]])
    distances = [away * size[1] for away in _AWAY]
    candidates, order = candidate_positions(points, size, distances, led=distances[0])
    below = top - points[:, 1]
    aside = np.abs(peak_x - points[:, [0]]).min(axis=1)
    point, distance, side = order.T
    from_peak = (1.5 * below + 0.5 * aside)[point]
    cost = from_peak * (1 + distance) + 2 * side + 10 * distance
    return replace(candidates, cost=cost)
