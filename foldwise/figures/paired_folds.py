"""Two algorithms fold by fold: a line from one result to the other, or one against the other."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import padded_range, tick_axis, ticks
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    points_along,
    spread_apart,
    text_size,
    width_scales,
)
from foldwise.figures.theme import FADED, Style

Form = Literal["automatic", "slopes", "scatter"]
#: With more folds lines would hide each other: one algorithm is drawn against the other.
MOST_SLOPES = 60
_DASH = {"first": "solid", "second": "dash", "tie": "dot"}
_NAME = {"first": "first better", "second": "second better", "tie": "tie"}
#: Where along a line it can be clicked besides its ends.
_ALONG = (0.0, 0.25, 0.5, 0.75, 1.0)
_MOST_CHOSEN_NAMED = 3
#: What words cost over the diagonal; over a mark they cost 1.
_OVER = 1000.0


def paired_folds(
    values: pd.DataFrame,
    *,
    measure: str,
    higher_is_better: bool,
    style: Style,
    form: Form = "automatic",
    unit: str = "fold",
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw the two results of every fold.

    Parameters
    ----------
    values : DataFrame
        One row per fold, the index its label; two columns, the first and the second algorithm.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool
        Its direction; it decides which lines are solid.
    style : Style
        Surface and width.
    form : {"automatic", "slopes", "scatter"}
        Lines up to 60 folds, above that the first upwards against the second, or as asked.
    unit : str
        What one result of each algorithm comes from: "fold", "run".
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Lines are solid where the first is better, dashed where the second is, dotted where both
        have the same result; the two folds that differ most either way are named, or those
        selected. Marks, and lines along their way, carry the label of their fold.
    """
    first, second = (str(name) for name in values.columns)
    advantage = (values.iloc[:, 0] - values.iloc[:, 1]) * (1 if higher_is_better else -1)
    better = np.select([advantage > 0, advantage < 0], ["first", "second"], "tie")
    chosen = {str(label) for label in selected} & {str(label) for label in values.index}
    table = pd.DataFrame(
        {
            "x": values.iloc[:, 0].to_numpy(dtype=float),
            "y": values.iloc[:, 1].to_numpy(dtype=float),
            "better": better,
            "label": [str(label) for label in values.index],
            "named": [f"{unit} {label}" for label in values.index],
        }
    )
    table["lit"] = table["label"].isin(chosen) if chosen else True
    pair = _FoldPair((first, second), measure, higher_is_better)
    table["hover"] = _hovers(table, pair.names, traces.click_hint("fold", noun=unit))
    if form == "scatter" or (form == "automatic" and len(values) > MOST_SLOPES):
        return _scatter(table, pair, style)
    return _slopes(table, pair, style)


@dataclass(frozen=True, slots=True)
class _FoldPair:
    names: tuple[str, str]
    measure: str
    higher_is_better: bool


def _hovers(table: pd.DataFrame, names: tuple[str, str], offer: str) -> list[str]:
    places = _places(table)
    first, second = (text.escape(name) for name in names)
    better = {"first": f"{first} better by ", "second": f"{second} better by "}
    lines = []
    for row in table.itertuples():
        gap = hover_number(abs(row.x - row.y), places)
        lines.append(
            f"<b>{text.escape(row.named)}</b><br>{first} {hover_number(row.x, places)}, "
            f"{second} {hover_number(row.y, places)}<br>"
            f"{better[row.better] + gap if row.better != 'tie' else 'the same result'}<br>{offer}"
        )
    return lines


def _places(table: pd.DataFrame) -> int:
    """Return the decimals that show the differences, or what varies if there are none."""
    gaps = table["x"] - table["y"]
    for sizes in (gaps, table["x"] - table["x"].mean(), table["x"]):
        if (sizes != 0).any():
            return text.decimals_for(sizes.tolist())
    return 1


def hover_number(value: float, places: int) -> str:
    """Return a number for hover; one too small for its decimals with three digits instead."""
    if value == 0 or abs(value) >= 10.0 ** (1 - places) or places < 4:
        return text.format_minus(value, places)
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def _widest(words: Iterable[str], style: Style) -> float:
    widths = (text.text_width(word, style.tick_size, style.serif) for word in words)
    return max(widths, default=0.0)


def _slopes(table: pd.DataFrame, pair: _FoldPair, style: Style) -> go.Figure:
    both = table[["x", "y"]].to_numpy()
    low, high = padded_range(float(both.min()), float(both.max()))
    height, em = style.px(255, 176), style.size
    margin = {"t": 2.2 * em, "b": style.px(10, 6)}
    plot = height - margin["t"] - margin["b"]
    at, shown = ticks(low, high, plot / (2.6 * style.tick_size))
    ends = _ends(table, (high - low) / plot, style)
    margin["l"] = _widest(shown, style) + style.px(14, 9) + 1.5 * em
    margin["r"] = _widest((word for word, _ in ends), style) + style.px(14, 9)
    fig = theme.new_figure(style, height, margin=margin)
    for lit in (False, True):
        for better in _DASH:
            part = table[(table["lit"] == lit) & (table["better"] == better)]
            if len(part):
                _lines(fig, part, better, 1.0 if lit else FADED, style)
    _means(fig, table, pair.names, style)
    for word, y in ends:
        fig.add_annotation(
            text=text.escape(word),
            x=1,
            xref="x",
            xanchor="left",
            xshift=style.px(9, 6),
            y=y,
            yref="y",
            yanchor="middle",
            font={"size": style.tick_size, "color": style.second},
        )
    room = (style.width - margin["l"] - margin["r"]) / 2 - 0.6 * em
    short = text.shorten(list(pair.names), room, em, serif=style.serif)
    for x, name, anchor in ((0, pair.names[0], "left"), (1, pair.names[1], "right")):
        fig.add_annotation(
            text=text.escape(short[name]),
            x=x,
            xanchor=anchor,
            xref="x",
            y=1,
            yref="paper",
            yanchor="bottom",
            yshift=style.px(8, 5),
            font={"size": em},
        )
    fig.update_xaxes(range=[-0.02, 1.02], visible=False, fixedrange=True)
    title = _measured(pair, plot + 2 * margin["b"], style)
    fig.update_yaxes(title=text.escape(title), **tick_axis(at, shown, [low, high]))
    return fig


def _measured(pair: _FoldPair, room: float, style: Style) -> str:
    """Return the measure with its direction, without it if there is no room."""
    full = f"{text.plain_text(pair.measure)}, {'higher' if pair.higher_is_better else 'lower'} is better"
    if text.text_width(full, style.size, style.serif) <= room:
        return full
    return text.shorten([pair.measure], room, style.size, serif=style.serif)[pair.measure]


def _lines(fig: go.Figure, part: pd.DataFrame, better: str, opacity: float, style: Style) -> None:
    """Draw the lines of some folds as one trace."""
    size, steps = style.px(6, 3.2), len(_ALONG) + 1
    fig.add_scatter(
        x=[*_ALONG, None] * len(part),
        y=[
            v
            for row in part.itertuples()
            for v in (*(row.x + share * (row.y - row.x) for share in _ALONG[:-1]), row.y, None)
        ],
        mode="lines+markers",
        name=_NAME[better],
        opacity=opacity,
        line={"color": style.second, "width": style.px(1.2, 0.6), "dash": _DASH[better]},
        marker={
            "size": [size, *[0] * (steps - 3), size, 0] * len(part),
            "opacity": 1,
            "color": style.second,
            "line": {"width": 0},
        },
        customdata=[label for label in part["label"] for _ in range(steps)],
        meta="fold",
        hovertext=[said for said in part["hover"] for _ in range(steps)],
        hoverinfo="text",
        connectgaps=False,
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
    )


def _means(fig: go.Figure, table: pd.DataFrame, names: tuple[str, str], style: Style) -> None:
    means = [float(table["x"].mean()), float(table["y"].mean())]
    places = _places(table)
    fig.add_scatter(
        x=[0, 1],
        y=means,
        mode="lines+markers",
        name="means",
        hovertext=[
            f"<b>mean</b><br>{text.escape(name)} {hover_number(mean, places)}"
            for name, mean in zip(names, means, strict=True)
        ],
        hoverinfo="text",
        line={"color": style.ink, "width": style.px(4.5, 2.6)},
        marker={"size": style.px(10, 6), "opacity": 1, "symbol": "diamond", "color": style.ink},
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
    )


def _ends(table: pd.DataFrame, per_px: float, style: Style) -> list[tuple[str, float]]:
    """Return what to write at the right ends and where, in values, none upon another."""
    words = [("mean", float(table["y"].mean()))]
    chosen = table[table["lit"]] if not table["lit"].all() else table.iloc[:0]
    if chosen.empty or len(chosen) > _MOST_CHOSEN_NAMED:
        gap = table["y"] - table["x"]
        chosen = table.loc[list(dict.fromkeys([gap.idxmax(), gap.idxmin()]))]
        if gap.max() == gap.min():
            chosen = table.iloc[:0]
    full = chosen["named"].to_list()
    short = text.shorten(full, 0.2 * style.width, style.tick_size, serif=style.serif)
    words += [(short[name], y) for name, y in zip(full, chosen["y"], strict=True)]
    words.sort(key=lambda word: word[1])
    places = spread_apart([y for _, y in words], 1.15 * style.tick_size * per_px)
    return [(word, place) for (word, _), place in zip(words, places, strict=True)]


def _scatter(table: pd.DataFrame, pair: _FoldPair, style: Style) -> go.Figure:
    height, em = style.px(255, 176), style.size
    both = table[["x", "y"]].to_numpy()
    low, high = padded_range(float(both.min()), float(both.max()))
    margin = {"r": style.px(14, 8), "t": style.px(10, 6), "b": 3.2 * em}
    plot = height - margin["t"] - margin["b"]
    at, shown = ticks(low, high, plot / (2.6 * style.tick_size))
    margin["l"] = _widest(shown, style) + style.px(14, 9) + 1.5 * em
    across = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, height, margin=margin)
    traces.add_line(fig, [low, high], [low, high], "equal", style.leader, style.px(1.2, 0.7))
    _points(fig, table, style)
    for update, name, room in (
        (fig.update_xaxes, pair.names[1], across),
        (fig.update_yaxes, pair.names[0], plot),
    ):
        update(
            title={"text": _against(pair, name, room, style), "standoff": 4},
            **tick_axis(at, shown, [low, high]),
        )
    plane = Plane(x=(low, high), y=(low, high), width=across, height=plot)
    _sides(fig, table, pair, plane, style)
    return fig


def _points(fig: go.Figure, table: pd.DataFrame, style: Style) -> None:
    symbols = {"first": "circle", "second": "circle-open", "tie": "x-thin-open"}
    crowd = 1.0 if len(table) <= 150 else 0.7
    for lit in (False, True):
        for better, symbol in symbols.items():
            part = table[(table["lit"] == lit) & (table["better"] == better)]
            if part.empty:
                continue
            traces.add_points(
                fig,
                part["y"].to_list(),
                part["x"].to_list(),
                _NAME[better],
                crowd * style.px(7, 4.2),
                symbol,
                style.ink,
                edge=(style.px(1.2, 0.7), style.ink),
                said=part["hover"].to_list(),
                customdata=part["label"].to_list(),
                meta="fold",
                opacity=1.0 if lit else FADED,
            )


def _against(pair: _FoldPair, name: str, room: float, style: Style) -> str:
    """Return the title of an axis: the measure and the algorithm, both cut if need be."""
    size, serif = style.size, style.serif
    full = f"{text.plain_text(pair.measure)}, {text.plain_text(name)}"
    if text.text_width(full, size, serif) <= room:
        return text.escape(full)
    what = text.shorten([pair.measure], 0.4 * room, size, serif=serif)[pair.measure]
    room -= text.text_width(f"{what}, ", size, serif)
    return text.escape(f"{what}, {text.shorten(list(pair.names), room, size, serif=serif)[name]}")


def _sides(
    fig: go.Figure, table: pd.DataFrame, pair: _FoldPair, plane: Plane, style: Style
) -> None:
    """Write who is better on which side of the diagonal, and how often; then name the diagonal."""
    short = text.shorten(
        list(pair.names), 0.55 * plane.width - 7 * style.size, style.size, serif=style.serif
    )
    said = [
        f"{short[name]} better: {int((table['better'] == key).sum())}"
        for name, key in zip(pair.names, ("first", "second"), strict=True)
    ]
    board = PlacementBoard(
        plane.width, plane.height, squeezes=width_scales(style), touching=_OVER, outside=_OVER
    )
    marks = plane.px(table[["y", "x"]].to_numpy(dtype=float))
    ends = plane.px(np.array([[end, end] for end in plane.x]))
    board.draw(marks, cost=1, gap=style.px(5, 3))
    board.draw(points_along(ends), cost=_OVER)
    for words, turn in zip(said if pair.higher_is_better else said[::-1], (0, 1), strict=True):
        label = board.put(_corner(text_size(words, style), plane, turn))
        if label is not None:
            add_annotations(fig, [annotation_at(words, label, plane, style)])
    write_equal(fig, marks, plane, style)


def _corner(size: tuple[float, float], plane: Plane, turn: int) -> Candidates:
    """Return the places of words above the diagonal, or `turn`ed below it, its corner first."""
    y, x = np.meshgrid(np.linspace(0.98, 0.2, 31), np.linspace(0.02, 0.7, 30))
    shares = np.column_stack([x.ravel(), y.ravel()])
    shares = shares[shares[:, 0] < shares[:, 1]]
    cost = 0.5 * np.hypot(shares[:, 0], 1 - shares[:, 1])
    offset = np.array([0.5, -0.5]) * size * (1 - 2 * turn)
    return Candidates.of(abs(turn - shares) * (plane.width, plane.height), offset, size, cost)


def write_equal(fig: go.Figure, marks: np.ndarray, plane: Plane, style: Style) -> None:
    """Name the diagonal of a plot, just below it, where the fewest marks are in the way."""
    shares = np.linspace(0.08, 0.92, 29)
    slope = math.atan2(plane.height, plane.width)
    down = 0.8 * style.tick_size * np.array([math.sin(slope), -math.cos(slope)])
    spots = Candidates.of(shares[:, None] * (plane.width, plane.height), down, (0, 0))
    board = PlacementBoard(plane.width, plane.height)
    board.draw(marks)
    room = board.room(spots, 3 * style.tick_size)
    best = spots.take(int(np.argmax(room + 0.5 * shares)))
    font = {"size": style.tick_size, "color": style.second}
    turn = {"textangle": -math.degrees(slope), "font": font}
    add_annotations(fig, [annotation_at("equal", best, plane, style, **turn)])


def caption_paired_folds(
    values: pd.DataFrame, *, higher_is_better: bool, unit: str = "fold"
) -> str:
    """Return what lines or marks mean, for the caption."""
    first, second = (text.plain_text(name) for name in values.columns)
    gap = (values.iloc[:, 0] - values.iloc[:, 1]) * (1 if higher_is_better else -1)
    tied = bool((gap == 0).any())
    if len(values) > MOST_SLOPES:
        marks = f"One mark per {unit}: filled where {first} is better, hollow where {second} is"
        return f"{marks}{'; crosses: the same result' * tied}."
    lines = f"One line per {unit}: solid where {first} is better, dashed where {second} is"
    return f"{lines}{', dotted: the same result' * tied}. The thick line joins the means."


def alt_paired_folds(
    values: pd.DataFrame, *, measure: str, higher_is_better: bool, unit: str = "fold"
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first, second = (text.truncate_text(text.plain_text(name), 60) for name in values.columns)
    gap = (values.iloc[:, 0] - values.iloc[:, 1]) * (1 if higher_is_better else -1)
    ties = int((gap == 0).sum())
    same = f"the same result in {ties}, " if ties else ""
    ending = (
        f"{first} better in {int((gap > 0).sum())}, {same}{second} better in "
        f"{int((gap < 0).sum())} of {len(values)} {unit}s."
    )
    words = f"{text.plain_text(measure)} of {first} and {second} {unit} by {unit}."
    return f"{text.truncate_text(words, 299 - len(ending))} {ending}"
