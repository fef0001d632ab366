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
#: Costs of always predicting the negative, and the positive class, as the two ends of a line.
_TRIVIAL = (((0.0, 0.0), (1.0, 1.0)), ((0.0, 1.0), (1.0, 0.0)))
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
        points = (
            {str(name): table for name, table in (self.lines or {}).items()}
            if self.has_lines
            else {}
        )
        names = list(dict.fromkeys([*tables, *points]))
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
        straight = {
            name: [
                np.array([[0.0, fpr], [1.0, fnr]])
                for fpr, fnr in table[["fpr", "fnr"]].to_numpy(dtype=float)
            ]
            for name, table in points.items()
        }
        labels = place_names(shown, curves, list(self._obstacles(straight)), plane, style)
        if labels is None:
            margin["t"] += key_height(list(shown.values()), plane.width, style)
        fig = theme.new_figure(style, plane.height + margin["t"] + margin["b"], margin=margin)
        _draw_axes(fig, plane)
        _draw_trivial(fig, style)
        if self.at is not None:
            height = min(max(min(self.at, 1 - self.at), 0.03), plane.y[1])
            pen = (style.px(style.second, style.leader), style.px(1, 0.6))
            traces.add_line(fig, [self.at, self.at], [0.0, height], "at", *pen)
        for name, lines in straight.items():
            _draw_straight(fig, name, lines, styles[name], style)
        for name, curve in curves.items():
            _draw_envelope(fig, name, curve, styles[name], names.index(name), style)
        if labels is None:
            draw_key(fig, shown, styles, style)
            return fig
        options = {"name": "algorithm", "font": {"size": style.size, "color": style.ink}}
        add_annotations(
            fig,
            [annotation_at(shown[name], labels[name], plane, style, **options) for name in labels],
        )
        return fig

    @property
    def has_lines(self) -> bool:
        """Whether operating points are drawn as lines."""
        return 0 < len(self.lines or ()) <= _MOST_LINES

    def _obstacles(self, straight: Mapping[str, Sequence[np.ndarray]]) -> Iterator[np.ndarray]:
        """Yield the end points of all straight lines in the plot, which names must avoid."""
        for lines in straight.values():
            yield from lines
        yield from map(np.array, _TRIVIAL)
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
        tables = self.envelopes.items()
        largest = {
            text.short_name(name, 60): float(np.nanmax(table["cost"])) for name, table in tables
        }
        parts = [
            f"{name} {cost:.3g}" for name, cost in sorted(largest.items(), key=lambda item: item[1])
        ]
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
    share = data.positive_share
    return share * (1 - theta) / (share * (1 - theta) + (1 - share) * theta)


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
    labels = {}
    for name in [name for name in words if len(paths[name])]:
        candidates = _name_positions(paths[name], text_size(words[name], style))
        candidates = replace(candidates, cost=-board.room(candidates, _ENOUGH, name))
        labels[name] = board.put(candidates, name)
        if labels[name] is None:
            return None
    return labels


def _name_positions(path: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name just above and below its curve."""
    positions, offset = [], []
    for share in _SHARES:
        point = path[round(share * (len(path) - 1))]
        curve_offsets = path[np.abs(path[:, 0] - point[0]) <= size[0] / 2 + _GAP, 1] - point[1]
        positions += [point, point]
        offset += [
            (0, curve_offsets.max() + _GAP + size[1] / 2),
            (0, curve_offsets.min() - _GAP - size[1] / 2),
        ]
    return Candidates.of(np.array(positions), np.array(offset), size)


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
    pen = {
        "colour": style.leader,
        "width": style.px(1.3, 0.8),
        "dash": style.px("2px,4px", "1px,2px"),
    }
    for name, ends in zip(("always negative", "always positive"), _TRIVIAL, strict=True):
        traces.add_line(fig, *zip(*ends, strict=True), name, **pen)


def _draw_straight(
    fig: go.Figure, name: str, lines: Sequence[np.ndarray], series: SeriesStyle, style: Style
) -> None:
    """Draw the cost lines of one algorithm's operating points as one trace."""
    if not lines:
        return
    finite = [ends.tolist() for ends in lines if np.isfinite(ends).all()]
    x = [value for _ in finite for value in (0.0, 1.0, None)]
    y = [value for (_, fpr), (_, fnr) in finite for value in (fpr, fnr, None)]
    options = {"dash": series.dash, "opacity": style.px(0.55, 1)}
    traces.add_line(
        fig,
        x,
        y,
        f"{text.escape(name)} operating points",
        series.colour,
        style.px(0.9, 0.45),
        **options,
    )


def _draw_envelope(
    fig: go.Figure, name: str, curve: np.ndarray, series: SeriesStyle, index: int, style: Style
) -> None:
    """Draw the envelope of an algorithm, with symbols if it has a colour of its own."""
    draw_line(
        fig,
        *map(with_gaps, curve.T),
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
    x, y = curve[np.isfinite(curve).all(axis=1)].T
    if series.own and len(x):
        positions = _MARKS + 0.02 * (index % 8)
        positions = positions[(positions >= x.min()) & (positions <= x.max())]
        marks = (
            positions.tolist(),
            np.interp(positions, x, y).tolist(),
            series,
            style.px(7, 4.6),
            style,
        )
        draw_marks(fig, *marks, name=f"{text.escape(name)} marks", cliponaxis=None)
