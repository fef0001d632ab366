"""Cost curves: normalised expected cost by probability cost (class skew and misclassification cost)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import tick_axis, ticks
from foldwise.figures.label_placement import (
    Candidates,
    Label,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    join_points,
    points_along,
    text_size,
)
from foldwise.figures.spec import (
    Colours,
    FigureSpec,
    cached_figure,
    colors_of,
    figure_text,
    size_of_test_set,
)
from foldwise.figures.theme import MARKERS, Style
from foldwise.figures.traces import (
    SeriesStyle,
    draw_key,
    draw_line,
    draw_marks,
    key_height,
    series_styles,
    with_gaps,
)
from stats_core.comparison.cards import method_card
from stats_core.core.errors import SettingError
from stats_core.curves import curve_comparison
from stats_core.curves.curve_comparison import DataCurves

#: Cost of the trivial classifiers at probability cost 0.5.
_APEX = 0.5
#: If all curves stay below this cost, the axis is scaled to their maximum instead.
_LOW = 0.25
#: Costs of always predicting one class, as the two ends of a line.
_TRIVIAL = {
    "always negative": ((0.0, 0.0), (1.0, 1.0)),
    "always positive": ((0.0, 1.0), (1.0, 0.0)),
}
#: Largest number of algorithms whose operating points are drawn as lines, which cross the curves.
_MOST_LINES = 4
#: Distances in px: between a name and its curve, least to any other curve, and sufficient.
_GAP, _CLEAR, _ENOUGH = 3.0, 3.0, 30.0
#: Candidate positions of a name along its curve, the middle first.
_SHARES = sorted(np.linspace(0.12, 0.88, 39).tolist(), key=lambda share: abs(share - 0.5))
#: Positions of symbols on envelopes, shifted slightly from one algorithm to the next.
_MARKS = np.array([0.12, 0.3, 0.48, 0.66, 0.84])


@dataclass(frozen=True, kw_only=True, eq=False)
class CostCurves(FigureSpec):
    """Lower envelope of normalised expected cost over probability cost, per algorithm.

    The two trivial classifiers are dotted. Operating points of more than four algorithms are not
    drawn. The customdata of an envelope is the name of its algorithm.

    Attributes
    ----------
    envelopes : mapping of algorithm to DataFrame
        Columns ``pc`` (ascending, 0 to 1) and ``cost``.
    lines : mapping of algorithm to DataFrame, optional
        Columns ``fpr`` and ``fnr``: operating points, each a thin straight line
        ``fnr pc + fpr (1 - pc)``.
    at, theta : float, optional
        The current probability cost, marked by a line, and its threshold.
    colours, symbols_of : mapping, optional
        Colour and marker per algorithm, as on all pages.
    algorithms : sequence of str
        All algorithms; default colours follow their positions.
    unit : str
        Source of one curve per algorithm: "fold" or "run".
    n_folds : int
        Number of curves averaged.

    Raises
    ------
    SettingError
        If `envelopes` is empty.

    References
    ----------
    Drummond and Holte 2006, Cost curves: an improved method for visualizing classifier
    performance. Machine Learning 65.
    """

    zoom: ClassVar[str] = "xy"
    envelopes: Mapping[str, pd.DataFrame]
    lines: Mapping[str, pd.DataFrame] | None = None
    at: float | None = None
    theta: float | None = None
    symbols_of: Mapping[str, str] | None = None
    algorithms: Sequence[str] = ()
    unit: str = "fold"
    n_folds: int = 2

    def __post_init__(self) -> None:
        if not self.envelopes:
            raise SettingError(figure_text("cost_curves.no_envelope"))

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        tables = {str(name): table for name, table in self.envelopes.items()}
        straight = self._cost_lines()
        names = list(dict.fromkeys([*tables, *straight]))
        colours = colors_of(self.colours, self.algorithms or names, (), style)
        styles = series_styles(names, style, colours, self.symbols_of)
        margin = {
            "l": 4.2 * style.size,
            "r": style.px(14, 8),
            "t": style.px(8, 5),
            "b": 3.3 * style.size,
        }
        width = style.px(min(style.width, 600), style.width) - margin["l"] - margin["r"]
        plane = Plane(x=(0.0, 1.0), y=(0.0, _top(tables)), width=width, height=style.px(370, 186))
        named = [name for name in tables if styles[name].own or len(tables) == 1]
        shown = text.shorten(named, 0.3 * plane.width, style.size, serif=style.serif)
        curves = {
            name: table[["pc", "cost"]].to_numpy(dtype=float) for name, table in tables.items()
        }
        labels = place_names(shown, curves, list(self._obstacles(straight)), plane, style)
        if labels is None:
            margin["t"] += key_height(list(shown.values()), plane.width, style)
        fig = theme.new_figure(style, plane.height + margin["t"] + margin["b"], margin=margin)
        _draw_axes(fig, plane)
        _draw_trivial(fig, style)
        if self.at is not None:
            self._draw_current(fig, self.at, plane, style)
        for name, ends in straight.items():
            _draw_straight(fig, name, ends, styles[name], style)
        for name, curve in curves.items():
            _draw_envelope(fig, name, curve, styles[name], names.index(name), style)
        if labels is None:
            draw_key(fig, shown, styles, style)
            return fig
        font = {"size": style.size, "color": style.ink}
        notes = [
            annotation_at(shown[name], label, plane, style, name="algorithm", font=font)
            for name, label in labels.items()
        ]
        add_annotations(fig, notes)
        return fig

    def _draw_current(self, fig: go.Figure, at: float, plane: Plane, style: Style) -> None:
        """Draw a line at the current probability cost, as high as the trivial costs."""
        trivial_cost = min(at, 1 - at)
        height = min(max(trivial_cost, 0.03), plane.y[1])
        colour = style.leader if style.printed else style.second
        traces.add_line(fig, [at, at], [0.0, height], "at", colour, style.px(1, 0.6))

    @property
    def has_lines(self) -> bool:
        """Whether operating points are drawn as lines."""
        return 0 < len(self.lines or ()) <= _MOST_LINES

    def _cost_lines(self) -> dict[str, list[np.ndarray]]:
        """Return the lines of the operating points of each algorithm, if they are drawn."""
        lines = (self.lines or {}) if self.has_lines else {}
        return {str(name): _cost_lines(table) for name, table in lines.items()}

    def _obstacles(self, straight: Mapping[str, Sequence[np.ndarray]]) -> Iterator[np.ndarray]:
        """Yield the end points of all straight lines in the plot, which names must avoid."""
        for lines in straight.values():
            yield from lines
        yield from (np.array(ends) for ends in _TRIVIAL.values())
        if self.at is not None:
            yield np.array([[self.at, 0.0], [self.at, _APEX]])

    def caption(self, style: Style) -> str:
        """Return the caption: the meaning of the lines, and the number of folds."""
        return self.describe("cost_curves.caption", lines=self.has_lines, n=self.n_folds)

    @property
    def data(self) -> pd.DataFrame:
        """Table of the envelopes of all algorithms."""
        return pd.concat(self.envelopes, names=["algorithm", "point"])

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        return self.describe("cost_curves.how_to_read")

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters.

        Examples
        --------
        >>> table = pd.DataFrame({"pc": [0.0, 0.5, 1.0], "cost": [0.0, 0.1, 0.0]})
        >>> CostCurves(envelopes={"knn": table}).alt
        'Cost curves of 1 algorithm. Largest expected cost: knn 0.1.'
        """
        largest = {
            text.short_name(name, 60): float(np.nanmax(table["cost"]))
            for name, table in self.envelopes.items()
        }
        ascending = sorted(largest.items(), key=lambda item: item[1])
        parts = [f"{name} {cost:.3g}" for name, cost in ascending]
        described = figure_text(
            "cost_curves.alt", n=len(self.envelopes), largest=text.join_escaped(parts, 6)
        )
        return text.truncate_text(described)


@cached_figure
def cost_drawing(
    data: DataCurves,
    points: Mapping[str, pd.DataFrame],
    counts: Mapping[str, np.ndarray],
    *,
    theta: float,
    algorithms: Sequence[str] = (),
    colours: Colours = None,
) -> CostCurves:
    """Return the figure of cost curves of one data set."""
    lines = {}
    for name in points:
        tp, fp, tn, fn = counts[name].sum(axis=0).astype(float)
        lines[name] = pd.DataFrame({"fpr": [fp / (fp + tn)], "fnr": [fn / (fn + tp)]})
    names = list(algorithms or data.names)
    return CostCurves(
        name=f"cost_{data.dataset}",
        title=f"Cost curves on {data.dataset_label}",
        papers=method_card.method_card("cost_envelope").papers,
        envelopes={
            name: curve_comparison.cost_envelope(table["x"], table["y"])
            for name, table in points.items()
        },
        lines=lines,
        at=cost_share(data, theta),
        theta=theta,
        colours=colours,
        symbols_of={name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)},
        algorithms=names,
        unit=data.unit,
        n_folds=len(data.folds),
        counted=size_of_test_set(data),
    )


def cost_share(data: DataCurves, theta: float) -> float:
    """Return the probability cost at theta: the share of the largest possible cost that is due to positives."""
    positive_cost = data.positive_share * (1 - theta)
    negative_cost = (1 - data.positive_share) * theta
    return positive_cost / (positive_cost + negative_cost)


def place_names(
    words: Mapping[str, str],
    curves: Mapping[str, np.ndarray],
    others: Sequence[np.ndarray],
    plane: Plane,
    style: Style,
) -> dict[str, Label] | None:
    """Return the label of each curve at its position; None if any label does not fit. Empty curves have none."""
    board = PlacementBoard(plane.width, plane.height, clearance=_CLEAR, inset=(2, 2, 2, 0))
    paths = {name: points_along(plane.px(curve), 3) for name, curve in curves.items()}
    board.draw(paths, clearance=_CLEAR)
    board.draw(join_points(points_along(plane.px(line), 3) for line in others), clearance=_CLEAR)
    labels: dict[str, Label] = {}
    for name, word in words.items():
        if not len(paths[name]):
            continue
        candidates = _name_positions(paths[name], text_size(word, style))
        candidates = replace(candidates, cost=-board.room(candidates, _ENOUGH, name))
        label = board.put(candidates, name)
        if label is None:
            return None
        labels[name] = label
    return labels


def _name_positions(path: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name just above and below its curve."""
    width, height = size
    positions: list[np.ndarray] = []
    offsets: list[tuple[float, float]] = []
    for share in _SHARES:
        point = path[round(share * (len(path) - 1))]
        is_near = np.abs(path[:, 0] - point[0]) <= width / 2 + _GAP
        curve_offsets = path[is_near, 1] - point[1]
        above = curve_offsets.max() + _GAP + height / 2
        below = curve_offsets.min() - _GAP - height / 2
        positions += [point, point]
        offsets += [(0, above), (0, below)]
    return Candidates.of(np.array(positions), np.array(offsets), size)


def _cost_lines(table: pd.DataFrame) -> list[np.ndarray]:
    """Return the line of costs of each operating point, as its two ends."""
    rates = table[["fpr", "fnr"]].to_numpy(dtype=float)
    return [np.array([[0.0, fpr], [1.0, fnr]]) for fpr, fnr in rates]


def _top(tables: Mapping[str, pd.DataFrame]) -> float:
    """Return the upper end of the cost axis.

    The axis includes the triangle of the trivial classifiers unless all curves are far below its
    top and would be indistinguishable.
    """
    costs = np.concatenate([table["cost"].to_numpy(dtype=float) for table in tables.values()])
    highest = float(np.max(costs[np.isfinite(costs)], initial=0.0))
    if 0 < highest < _LOW:
        return 1.4 * highest
    return 1.06 * max(_APEX, highest)


def _draw_axes(fig: go.Figure, plane: Plane) -> None:
    x_axis = tick_axis(*ticks(0.0, 1.0, 10 if plane.width > 300 else 5), [0, 1])
    y_axis = tick_axis(*ticks(0.0, plane.y[1], 6), [0, plane.y[1]])
    fig.update_xaxes(title={"text": "probability cost", "standoff": 4}, **x_axis)
    fig.update_yaxes(title={"text": "normalised expected cost", "standoff": 4}, **y_axis)


def _draw_trivial(fig: go.Figure, style: Style) -> None:
    """Draw the costs of always predicting one class."""
    dash = "1px,2px" if style.printed else "2px,4px"
    for name, ends in _TRIVIAL.items():
        x, y = zip(*ends, strict=True)
        traces.add_line(fig, x, y, name, style.leader, style.px(1.3, 0.8), dash=dash)


def _draw_straight(
    fig: go.Figure, name: str, lines: Sequence[np.ndarray], series: SeriesStyle, style: Style
) -> None:
    """Draw the cost lines of one algorithm's operating points as one trace."""
    if not lines:
        return
    finite = [ends.tolist() for ends in lines if np.isfinite(ends).all()]
    x = [value for _ in finite for value in (0.0, 1.0, None)]
    y = [value for (_, fpr), (_, fnr) in finite for value in (fpr, fnr, None)]
    traces.add_line(
        fig,
        x,
        y,
        f"{text.escape(name)} operating points",
        series.colour,
        style.px(0.9, 0.45),
        dash=series.dash,
        opacity=style.px(0.55, 1),
    )


def _draw_envelope(
    fig: go.Figure, name: str, curve: np.ndarray, series: SeriesStyle, index: int, style: Style
) -> None:
    """Draw the envelope of an algorithm, with symbols if it has a colour of its own."""
    x, y = (with_gaps(values) for values in curve.T)
    draw_line(
        fig,
        x,
        y,
        series,
        style,
        width=style.px(2.4, 1.1) if series.own else style.px(1, 0.5),
        name=text.escape(name),
        customdata=[[name]] * len(curve),
        hover_text=[
            f"<b>{text.escape(name)}</b><br>{figure_text('cost_curves.hover', x=probability_cost, y=cost)}"
            for probability_cost, cost in curve
        ],
    )
    shares, costs = curve[np.isfinite(curve).all(axis=1)].T
    if series.own and len(shares):
        positions = _MARKS + 0.02 * (index % 8)
        positions = positions[(positions >= shares.min()) & (positions <= shares.max())]
        draw_marks(
            fig,
            positions.tolist(),
            np.interp(positions, shares, costs).tolist(),
            series,
            style.px(7, 4.6),
            style,
            name=f"{text.escape(name)} marks",
            cliponaxis=None,
        )
