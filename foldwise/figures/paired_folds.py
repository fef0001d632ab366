"""Results of two algorithms per fold, as connecting lines or as a scatter plot."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import fold_rows, label_placement, text, theme, traces
from foldwise.figures.axis_parts import padded_range, tick_axis, ticks
from foldwise.figures.spec import FigureSpec, cached_figure, fold_labels, thinned
from foldwise.figures.theme import FADED, Style
from stats_core.comparison.kinds.fold_pair import FoldPairComparison

Form = Literal["automatic", "slopes", "scatter"]
#: With more folds lines would overlap, and a scatter plot is drawn.
MOST_SLOPES = 60
_DASH = {"first": "solid", "second": "dash", "tie": "dot"}
_NAME = {"first": "first better", "second": "second better", "tie": "tie"}
#: Clickable positions along a line.
_ALONG = (0.0, 0.25, 0.5, 0.75, 1.0)
_MOST_CHOSEN_NAMED = 3
#: Cost of a label on the diagonal, relative to one on a mark.
_OVER = 1000.0


@dataclass(frozen=True, kw_only=True, eq=False)
class PairedFolds(FigureSpec):
    """Results of two algorithms on every fold, joined by lines or as a scatter plot.

    Lines are solid if the first algorithm is better, dashed if the second is, dotted for ties; the
    folds with the largest difference in either direction are named, or up to three selected folds.
    The customdata of marks and of points along the lines is the label of the fold.

    Attributes
    ----------
    values : DataFrame
        One row per fold, the index its label; two columns, the first and the second algorithm.
    measure : str
        Name of the measure, for the axis.
    higher_is_better : bool
        Direction of the measure; it decides which lines are solid.
    form : {"automatic", "slopes", "scatter"}
        Automatic draws lines for up to 60 folds, else a scatter plot of the first algorithm
        (upwards) against the second.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    selected : collection of str
        Folds that keep full opacity while the others fade.
    """

    zoom: ClassVar[str] = "xy"
    values: pd.DataFrame
    measure: str
    higher_is_better: bool
    form: Form = "automatic"
    unit: str = "fold"
    selected: Collection[str] = ()

    def draw(self, style: Style) -> go.Figure:
        """Return the Plotly figure."""
        return (_draw_scatter if self.scattered else _draw_slopes)(self, style)

    def caption(self, style: Style) -> str:
        """Return the caption."""
        form = "scatter" if self.scattered else "lines"
        caption = self.describe(f"paired_folds.caption_{form}", **self._values())
        return caption + thinned(len(self.values), self.unit)

    def _values(self, most: int | None = None) -> dict[str, Any]:
        """Return the values inserted into caption and alternative text."""
        first, second = map(text.plain_text, self.names)
        if most is not None:
            first = text.truncate_text(first, most)
            second = text.truncate_text(second, most)
        return {"first": first, "second": second, "n": len(self.values), **self.counts}

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of folds on which the first algorithm wins, loses and ties."""
        advantage = self.advantage
        return {
            "wins": int((advantage > 0).sum()),
            "losses": int((advantage < 0).sum()),
            "ties": int((advantage == 0).sum()),
        }

    @property
    def data(self) -> pd.DataFrame:
        """Results of both algorithms on every fold."""
        return self.values

    @property
    def how_to_read(self) -> str:
        """Text on how to read the figure."""
        first, second = self.names
        form = "scatter" if self.scattered else "lines"
        return self.describe(f"paired_folds.how_to_read_{form}", first=first, second=second)

    @property
    def alt(self) -> str:
        """Alternative text, at most 300 characters."""
        measure = text.short_name(self.measure, 60)
        return self.describe("paired_folds.alt", measure=measure, **self._values(most=35))

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two algorithms."""
        first, second = map(str, self.values.columns)
        return first, second

    @property
    def scattered(self) -> bool:
        """Whether the figure is a scatter plot instead of lines."""
        is_long = len(self.values) > MOST_SLOPES
        return self.form == "scatter" or (self.form == "automatic" and is_long)

    @property
    def advantage(self) -> pd.Series:
        """Advantage of the first algorithm in each fold, positive if it is better."""
        difference = self.values.iloc[:, 0] - self.values.iloc[:, 1]
        return difference * (1 if self.higher_is_better else -1)

    def table(self) -> pd.DataFrame:
        """Return one row per fold drawn: results, better algorithm, label, name, whether emphasised, hover text."""
        advantage = self.advantage.to_numpy(dtype=float)
        selected = self.values.index.astype(str).isin(self.selected)
        drawn = traces.thin_marks(advantage, selected=np.flatnonzero(selected))
        values = self.values.iloc[drawn]
        advantage = advantage[drawn]
        labels = [str(label) for label in values.index]
        table = pd.DataFrame(
            {
                "x": values.iloc[:, 0].to_numpy(dtype=float),
                "y": values.iloc[:, 1].to_numpy(dtype=float),
                "better": np.select([advantage > 0, advantage < 0], ["first", "second"], "tie"),
                "label": labels,
                "named": [f"{self.unit} {label}" for label in labels],
                "lit": selected[drawn] | (not selected.any()),
            }
        )
        decimals = _places(table)
        hint = traces.click_hint("fold", noun=self.unit)
        first, second = map(text.escape, self.names)
        hovers = []
        for row in table.itertuples():
            x = hover_number(row.x, decimals)
            y = hover_number(row.y, decimals)
            outcome = "tie"
            if row.better != "tie":
                winner = first if row.better == "first" else second
                outcome = f"{winner} better by {hover_number(abs(row.x - row.y), decimals)}"
            results = f"{first} {x}, {second} {y}"
            hovers.append(f"<b>{text.escape(row.named)}</b><br>{results}<br>{outcome}<br>{hint}")
        return table.assign(hover=hovers)


@cached_figure(at_every_level=True)
def paired_drawing(analysis: FoldPairComparison, *, selected: Collection[str] = ()) -> PairedFolds:
    """Return the figure of paired fold results; a scatter plot for many folds."""
    measure = analysis.measure_name
    return PairedFolds(
        name=f"paired_{analysis.dataset}_{analysis.settings.measure}",
        title=f"Paired {measure} per {analysis.unit} on {analysis.dataset}",
        values=fold_labels(analysis.matrix[[analysis.first, analysis.second]]),
        measure=measure,
        higher_is_better=analysis.higher_is_better,
        unit=analysis.unit,
        selected=selected,
    )


def _places(table: pd.DataFrame) -> int:
    """Return the number of decimals that resolves the differences or, if all are zero, the results."""
    differences = table["x"] - table["y"]
    for sizes in (differences, table["x"] - table["x"].mean(), table["x"]):
        if (sizes != 0).any():
            return text.decimals_for(sizes.tolist())
    return 1


def hover_number(value: float, places: int) -> str:
    """Return a number for hover text; very small ones with three significant digits."""
    if value == 0 or abs(value) >= 10.0 ** (1 - places) or places < 4:
        return text.format_minus(value, places)
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _groups(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, float]]:
    """Yield the better algorithm, its folds and their opacity, faded folds first."""
    for is_emphasised in (False, True):
        for better in _DASH:
            rows = table[(table["lit"] == is_emphasised) & (table["better"] == better)]
            if len(rows):
                yield better, rows, 1.0 if is_emphasised else FADED


def _frame(
    pair: PairedFolds, style: Style, margin: dict[str, float]
) -> tuple[go.Figure, tuple[float, float], tuple[list[float], list[str]]]:
    """Return an empty figure with the axis range of results and its ticks; set the left margin in `margin`."""
    height = style.px(255, 176)
    results = pair.values.to_numpy(dtype=float)
    span = padded_range(float(results.min()), float(results.max()))
    plot_height = height - margin["t"] - margin["b"]
    numbers = ticks(*span, plot_height / (2.6 * style.tick_size))
    labels = text.widest(numbers[1], style.tick_size, style.serif)
    margin["l"] = labels + style.px(14, 9) + 1.5 * style.size
    return theme.new_figure(style, height, margin=margin), span, numbers


def _draw_slopes(pair: PairedFolds, style: Style) -> go.Figure:
    """Return the figure with a line per fold from the first to the second result, and a thick one for the means."""
    table = pair.table()
    names = pair.names
    margin = {"t": 2.2 * style.size, "b": style.px(10, 6)}
    fig, span, numbers = _frame(pair, style, margin)
    height = fig.layout.height - margin["t"] - margin["b"]
    ends = _end_labels(table, (span[1] - span[0]) / height, style)
    ends_width = text.widest((label for label, _ in ends), style.tick_size, style.serif)
    right = ends_width + style.px(14, 9)
    fig.update_layout(margin={"r": right})
    for better, rows, opacity in _groups(table):
        _draw_lines(fig, rows, better, opacity, style)
    _draw_mean_line(fig, pair, _places(table), style)
    for label, y in ends:
        traces.add_text(
            fig,
            text.escape(label),
            1,
            y,
            style.tick_size,
            style.second,
            refs="x, y",
            anchor="left, middle",
            shift=(style.px(9, 6), 0),
        )
    room = (style.width - margin["l"] - right) / 2 - 0.6 * style.size
    short = text.shorten(list(names), room, style.size, serif=style.serif)
    for x, name, side in ((0, names[0], "left"), (1, names[1], "right")):
        traces.add_text(
            fig,
            text.escape(short[name]),
            x,
            1,
            style.size,
            refs="x, paper",
            anchor=f"{side}, bottom",
            shift=(0, style.px(8, 5)),
        )
    fig.update_xaxes(range=[-0.02, 1.02], visible=False, fixedrange=True)
    title = fold_rows.title_with_direction(
        pair.measure, pair.higher_is_better, height + 2 * margin["b"], style
    )
    return fig.update_yaxes(title=title, **tick_axis(*numbers, list(span)))


def _draw_mean_line(fig: go.Figure, pair: PairedFolds, decimals: int, style: Style) -> None:
    """Draw the line that joins the means."""
    means = pair.values.astype(float).mean().to_list()
    traces.add_line(
        fig,
        [0, 1],
        means,
        "means",
        style.ink,
        style.px(4.5, 2.6),
        hover_text=[
            f"<b>mean</b><br>{text.escape(name)} {hover_number(mean, decimals)}"
            for name, mean in zip(pair.names, means, strict=True)
        ],
        mode="lines+markers",
        marker={"size": style.px(10, 6), "opacity": 1, "symbol": "diamond", "color": style.ink},
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
    )


def _draw_lines(
    fig: go.Figure, rows: pd.DataFrame, better: str, opacity: float, style: Style
) -> None:
    """Draw the lines of some folds as one trace."""
    size = style.px(6, 3.2)
    steps = len(_ALONG) + 1
    visible_at_ends = [size, *[0] * (steps - 3), size, 0]
    y: list[float | None] = []
    for row in rows.itertuples():
        y += [row.x + share * (row.y - row.x) for share in _ALONG[:-1]]
        y += [row.y, None]
    traces.add_line(
        fig,
        [*_ALONG, None] * len(rows),
        y,
        _NAME[better],
        style.second,
        style.px(1.2, 0.6),
        dash=_DASH[better],
        hover_text=[hover for hover in rows["hover"] for _ in range(steps)],
        mode="lines+markers",
        opacity=opacity,
        marker={
            "size": visible_at_ends * len(rows),
            "opacity": 1,
            "color": style.second,
            "line": {"width": 0},
        },
        customdata=[label for label in rows["label"] for _ in range(steps)],
        meta="fold",
        connectgaps=False,
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
    )


def _end_labels(table: pd.DataFrame, per_px: float, style: Style) -> list[tuple[str, float]]:
    """Return labels at the right ends of lines, with y values spread to avoid overlap."""
    labels = [("mean", float(table["y"].mean()))]
    named = table[table["lit"]] if not table["lit"].all() else table.iloc[:0]
    if named.empty or len(named) > _MOST_CHOSEN_NAMED:
        differences = table["y"] - table["x"]
        named = table.loc[list(dict.fromkeys([differences.idxmax(), differences.idxmin()]))]
        if differences.max() == differences.min():
            named = table.iloc[:0]
    fold_names = named["named"].to_list()
    short = text.shorten(fold_names, 0.2 * style.width, style.tick_size, serif=style.serif)
    labels += [(short[name], y) for name, y in zip(fold_names, named["y"], strict=True)]
    labels.sort(key=lambda label: label[1])
    spread = label_placement.spread_apart([y for _, y in labels], 1.15 * style.tick_size * per_px)
    return [(label, y_label) for (label, _), y_label in zip(labels, spread, strict=True)]


def _draw_scatter(pair: PairedFolds, style: Style) -> go.Figure:
    """Return the figure with the first against the second result of every fold."""
    table, (first, second) = pair.table(), pair.names
    margin = {"r": style.px(14, 8), "t": style.px(10, 6), "b": 3.2 * style.size}
    fig, span, numbers = _frame(pair, style, margin)
    height = fig.layout.height - margin["t"] - margin["b"]
    width = style.width - margin["l"] - margin["r"]
    traces.add_line(fig, span, span, "equal", style.leader, style.px(1.2, 0.7))
    size = (1.0 if len(table) <= 150 else 0.7) * style.px(7, 4.2)
    symbols = {"first": "circle", "second": "circle-open", "tie": "x-thin-open"}
    for better, rows, opacity in _groups(table):
        traces.add_points(
            fig,
            rows["y"].to_list(),
            rows["x"].to_list(),
            _NAME[better],
            size,
            symbols[better],
            style.ink,
            edge=(style.px(1.2, 0.7), style.ink),
            hover_text=rows["hover"].to_list(),
            customdata=rows["label"].to_list(),
            meta="fold",
            opacity=opacity,
        )
    axis = tick_axis(*numbers, list(span))
    fig.update_xaxes(title={"text": _against(pair, second, width, style), "standoff": 4}, **axis)
    fig.update_yaxes(title={"text": _against(pair, first, height, style), "standoff": 4}, **axis)
    plane = label_placement.Plane(x=span, y=span, width=width, height=height)
    _write_sides(fig, table, pair, plane, style)
    return fig


def _against(pair: PairedFolds, name: str, room: float, style: Style) -> str:
    """Return an axis title with measure and algorithm, shortened to fit."""
    size, serif = style.size, style.serif
    title = f"{text.plain_text(pair.measure)}, {text.plain_text(name)}"
    if text.text_width(title, size, serif) <= room:
        return text.escape(title)
    short_measure = text.shorten([pair.measure], 0.4 * room, size, serif=serif)[pair.measure]
    room -= text.text_width(f"{short_measure}, ", size, serif)
    short_names = text.shorten(list(pair.names), room, size, serif=serif)
    return text.escape(f"{short_measure}, {short_names[name]}")


def _write_sides(
    fig: go.Figure,
    table: pd.DataFrame,
    pair: PairedFolds,
    plane: label_placement.Plane,
    style: Style,
) -> None:
    """Write better algorithm and number of wins on both sides of the labelled diagonal."""
    room = 0.55 * plane.width - 7 * style.size
    short = text.shorten(list(pair.names), room, style.size, serif=style.serif)
    first, second = (short[name] for name in pair.names)
    labels = [f"{first} better: {pair.counts['wins']}", f"{second} better: {pair.counts['losses']}"]
    if not pair.higher_is_better:
        labels.reverse()
    board = label_placement.PlacementBoard(
        plane.width,
        plane.height,
        squeezes=label_placement.width_scales(style),
        touching=_OVER,
        outside=_OVER,
    )
    marks = plane.px(table[["y", "x"]].to_numpy(dtype=float))
    diagonal = plane.px(np.array([[end, end] for end in plane.x]))
    board.draw(marks, cost=1, clearance=style.px(5, 3))
    board.draw(label_placement.points_along(diagonal), cost=_OVER)
    for turn, words in enumerate(labels):
        label = board.put(_corner(label_placement.text_size(words, style), plane, turn))
        if label is not None:
            annotation = label_placement.annotation_at(words, label, plane, style)
            label_placement.add_annotations(fig, [annotation])
    write_equal(fig, marks, plane, style)


def _corner(
    size: tuple[float, float], plane: label_placement.Plane, turn: int
) -> label_placement.Candidates:
    """Return candidate positions above (turn 0) or below (turn 1) the diagonal, corner first."""
    y, x = np.meshgrid(np.linspace(0.98, 0.2, 31), np.linspace(0.02, 0.7, 30))
    shares = np.column_stack([x.ravel(), y.ravel()])
    shares = shares[shares[:, 0] < shares[:, 1]]
    cost = 0.5 * np.hypot(shares[:, 0], 1 - shares[:, 1])
    offset = np.array([0.5, -0.5]) * size * (1 - 2 * turn)
    return label_placement.Candidates.of(
        abs(turn - shares) * (plane.width, plane.height), offset, size, cost
    )


def write_equal(
    fig: go.Figure, marks: np.ndarray, plane: label_placement.Plane, style: Style
) -> None:
    """Write the label of the diagonal just below it, where it is farthest from marks."""
    shares = np.linspace(0.08, 0.92, 29)
    slope = math.atan2(plane.height, plane.width)
    offset = 0.8 * style.tick_size * np.array([math.sin(slope), -math.cos(slope)])
    candidates = label_placement.Candidates.of(
        shares[:, None] * (plane.width, plane.height), offset, (0, 0)
    )
    board = label_placement.PlacementBoard(plane.width, plane.height)
    board.draw(marks)
    room = board.room(candidates, 3 * style.tick_size)
    best = candidates.take(int(np.argmax(room + 0.5 * shares)))
    annotation = label_placement.annotation_at("equal", best, plane, style)
    annotation["textangle"] = -math.degrees(slope)
    annotation["font"] = {"size": style.tick_size, "color": style.second}
    label_placement.add_annotations(fig, [annotation])
