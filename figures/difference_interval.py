"""The difference of two algorithms in every fold, with the interval of one or more tests."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.theme import Style

FADED = 0.25


def difference_interval(
    differences: pd.Series,
    intervals: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
    style: Style,
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw each fold's difference above the mean and its interval.

    Parameters
    ----------
    differences : Series
        `first` minus `second` per fold, the index its label.
    intervals : DataFrame
        One row per test (the index its name), the one of the verdict on top: estimate, low,
        high; NaN where a test has no interval, infinite where it has no end.
    first, second : str
        The two algorithms.
    measure : str
        What was measured, for the axis.
    higher_is_better : bool
        Its direction; it decides who is better on which side.
    style : Style
        Surface and width.
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Folds as hollow circles, equal ones stacked; an upright stroke for the estimate and a bar
        for the interval of each test. Circles carry the label of their fold.
    """
    names = [str(name) for name in intervals.index]
    left = _left(names, style)
    margin = {"l": left, "r": style.px(14, 8), "t": 2.9 * style.size, "b": 3.0 * style.size}
    width = style.width - margin["l"] - margin["r"]
    low, high = _reach(differences, intervals)
    heights = _stacks(differences.to_numpy(dtype=float), (high - low) / width * style.px(9, 5.5))
    top = style.px(9, 5.5) * (max(heights, default=0) + 1.6)
    pitch = style.px(22, 13)
    plot = top + pitch * max(len(intervals), 1)
    fig = theme.figure(style, margin["t"] + plot + margin["b"], margin=margin)
    _zero(fig, plot, style)
    _rows(fig, intervals, (low, high), pitch, style)
    _folds(fig, differences, heights, (first, second), higher_is_better, selected, top, style)
    title = f"{text.escape(measure)}: {text.escape(first)} \N{MINUS SIGN} {text.escape(second)}"
    fig.update_xaxes(
        range=[low, high],
        title={"text": title, "standoff": 4},
        nticks=max(3, round(width / (6 * style.tick_size))),
        fixedrange=True,
    )
    fig.update_yaxes(
        range=[-pitch * max(len(intervals), 1), top],
        showline=False,
        ticks="",
        tickmode="array",
        tickvals=[-pitch * (place + 0.5) for place in range(len(names))],
        ticktext=[text.escape(name) for name in names],
        ticklabelstandoff=6,
        fixedrange=True,
    )
    _words(fig, (first, second), higher_is_better, (low, high), width, style)
    return fig


def _left(names: list[str], style: Style) -> float:
    widths = (text.width(name, style.tick_size, style.serif) for name in names)
    return max(widths, default=0.0) + style.px(22, 14)


def _reach(differences: pd.Series, intervals: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of the axis: all folds, zero, and intervals as far as they stay readable."""
    folds = differences.to_numpy(dtype=float)
    inner = np.append(folds, 0.0)
    span = float(np.ptp(inner)) or 1.0
    ends = intervals[["low", "high"]].to_numpy(dtype=float)
    ends = ends[np.isfinite(ends)]
    low = max(min(inner.min(), *ends, inner.min()), inner.min() - 1.5 * span)
    high = min(max(inner.max(), *ends, inner.max()), inner.max() + 1.5 * span)
    pad = 0.05 * (high - low)
    return float(low - pad), float(high + pad)


def _stacks(values: np.ndarray, width: float) -> list[int]:
    """Return how many circles each one lies above: those within one width stand on each other."""
    columns = np.round(values / width).astype(int) if width else np.zeros(len(values), dtype=int)
    seen: dict[int, int] = {}
    heights = []
    for column in columns:
        heights.append(seen.get(column, 0))
        seen[column] = heights[-1] + 1
    if max(seen.values(), default=0) > 12:  # many folds: keep the figure low
        scale = 12 / max(seen.values())
        heights = [round(height * scale) for height in heights]
    return heights


def _zero(fig: go.Figure, plot: float, style: Style) -> None:
    fig.add_scatter(
        x=[0, 0],
        y=[-plot, plot],
        mode="lines",
        name="no difference",
        line={"color": style.ink, "width": style.px(1.4, 0.9)},
        hoverinfo="skip",
    )


def _rows(
    fig: go.Figure,
    intervals: pd.DataFrame,
    span: tuple[float, float],
    pitch: float,
    style: Style,
) -> None:
    places = text.decimals(intervals["estimate"].dropna().tolist()) + 1
    for place, (name, row) in enumerate(intervals.iterrows()):
        y = -pitch * (place + 0.5)
        bold = place == 0
        colour = style.ink if bold else style.faint
        width = style.px(3, 1.8) if bold else style.px(1.8, 1)
        low, high, estimate = (float(row[key]) for key in ("low", "high", "estimate"))
        inside = text.interval(low, high, places)
        said = f"<b>difference {text.signed(estimate, places)} {inside}</b><br>{text.escape(name)}"
        if not np.isnan([low, high]).any():
            ends = [max(low, span[0]), min(high, span[1])]
            symbols = [
                "triangle-left" if low < span[0] else "line-ns",
                "triangle-right" if high > span[1] else "line-ns",
            ]
            fig.add_scatter(
                x=ends,
                y=[y, y],
                mode="lines+markers",
                name=f"interval {place + 1}",
                line={"color": colour, "width": width},
                marker={
                    "symbol": symbols,
                    "size": style.px(9, 5.5),
                    "opacity": 1,
                    "color": colour,
                    "line": {"width": width * 0.7, "color": colour},
                },
                hovertext=[said, said],
                hoverinfo="text",
                cliponaxis=False,
            )
        fig.add_scatter(
            x=[estimate],
            y=[y],
            mode="markers",
            name=f"estimate {place + 1}",
            marker={
                "symbol": "line-ns",
                "size": style.px(15, 9),
                "opacity": 1,
                "line": {"width": style.px(2.4, 1.4), "color": colour},
            },
            hovertext=[said],
            hoverinfo="text",
            cliponaxis=False,
        )


def _folds(
    fig: go.Figure,
    differences: pd.Series,
    heights: list[int],
    names: tuple[str, str],
    higher_is_better: bool,
    selected: Collection[str],
    top: float,
    style: Style,
) -> None:
    labels = [str(label) for label in differences.index]
    chosen = {str(label) for label in selected} & set(labels)
    values = differences.to_numpy(dtype=float)
    places = text.decimals(values.tolist()) + 1
    step, most = style.px(9, 5.5), max(heights, default=0)
    for lit in (False, True):
        part = [i for i, label in enumerate(labels) if (not chosen or label in chosen) == lit]
        if not part:
            continue
        fig.add_scatter(
            x=[values[i] for i in part],
            y=[step * (0.8 + heights[i]) if most else top / 2 for i in part],
            mode="markers",
            name="folds" if lit else "other folds",
            opacity=1.0 if lit else FADED,
            customdata=[labels[i] for i in part],
            hovertext=[_hover(labels[i], values[i], names, higher_is_better, places) for i in part],
            hoverinfo="text",
            marker={
                "symbol": "circle-open",
                "size": style.px(8, 4.6),
                "opacity": 1,
                "color": style.ink,
                "line": {"width": style.px(1.2, 0.7), "color": style.ink},
            },
            unselected={"marker": {"opacity": 1}},
            cliponaxis=False,
        )


def _hover(
    label: str, value: float, names: tuple[str, str], higher_is_better: bool, places: int
) -> str:
    better = names[0] if (value > 0) == higher_is_better else names[1]
    said = "the same result" if value == 0 else f"{text.escape(better)} better"
    return (
        f"<b>fold {text.escape(label)}</b><br>{text.signed(value, places)}, {said}<br>"
        "Click: select the fold"
    )


def _words(
    fig: go.Figure,
    names: tuple[str, str],
    higher_is_better: bool,
    span: tuple[float, float],
    width: float,
    style: Style,
) -> None:
    """Write who is better on which side, and what zero means."""
    low, high = span
    zero = (0 - low) / (high - low)
    ends = (names[1], names[0]) if higher_is_better else names
    em = style.size
    short = text.shorten(list(ends), max(width / 2 - 5 * em, 30), em, serif=style.serif)
    top = {"yref": "paper", "y": 1, "yanchor": "middle"}
    for x, anchor, string in (
        (0, "left", f"\N{LEFTWARDS ARROW} {text.escape(short[ends[0]])} better"),
        (1, "right", f"{text.escape(short[ends[1]])} better \N{RIGHTWARDS ARROW}"),
    ):
        fig.add_annotation(
            {
                **top,
                "text": string,
                "xref": "paper",
                "x": x,
                "xanchor": anchor,
                "yshift": 2.1 * em,
                "font": {"size": em},
            }
        )
    fig.add_annotation(
        {
            **top,
            "text": "no difference",
            "xref": "x",
            "x": 0,
            "xanchor": "left" if zero < 0.12 else "right" if zero > 0.88 else "center",
            "yshift": 0.7 * em,
            "font": {"size": em, "color": style.second},
        }
    )


def alt_difference_interval(
    differences: pd.Series,
    intervals: pd.DataFrame,
    *,
    first: str,
    second: str,
    measure: str,
    higher_is_better: bool,
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    values = differences.to_numpy(dtype=float)
    better = (values > 0) if higher_is_better else (values < 0)
    a, b = text.plain(first), text.plain(second)
    places = text.decimals(values.tolist()) + 1
    words = (
        f"Differences in {measure}, {a} minus {b}, in {len(values)} folds: mean "
        f"{text.signed(float(values.mean()), places)}, {a} better in {int(better.sum())}."
    )
    if len(intervals):
        low, high = (float(intervals.iloc[0][key]) for key in ("low", "high"))
        if not np.isnan([low, high]).any():
            verb = "excludes" if low > 0 or high < 0 else "includes"
            return text.clip(f"{words} Table below holds every value. Interval {verb} zero.")
    return text.clip(f"{words} Table below holds every value.")
