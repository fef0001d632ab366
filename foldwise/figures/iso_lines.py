"""Lines of equal error over (fpr, tpr), and of equal F over (recall, precision)."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from foldwise.figures import traces
from foldwise.figures.theme import Style
from stats_core.core.formatting import MANY, join_names

Window = tuple[tuple[float, float], ...]


def draw_iso(
    fig: go.Figure,
    iso: str,
    window: Window,
    share: float | None,
    style: Style,
    *,
    faint: bool = False,
    **subplot: int,
) -> None:
    """Draw lines of equal error, for a known `share` of positives, or of equal F."""
    if iso == "error" and share:
        _iso_error(fig, window, share, style, faint=faint, **subplot)
    if iso == "F":
        _iso_f(fig, window, style, faint=faint, **subplot)


def iso_words(iso: str, window: Window, share: float | None) -> str:
    """Return the caption sentence that names the levels of the lines, or "" without lines."""
    if iso == "error" and share:
        shown = [f"{100 * error:.3g}" for error in _errors(window, share)]
        return f"Grey lines: error {join_names(shown, MANY)} %." if shown else ""
    shown = [f"{value:.3g}" for value in _values(window)] if iso == "F" else []
    return f"Grey lines: F {join_names(shown, MANY)}." if shown else ""


def _errors(window: Window, share: float) -> list[float]:
    (x0, x1), (y0, y1) = window
    corners = [share * (1 - y) + (1 - share) * x for x in (x0, x1) for y in (y0, y1)]
    return _round_values(max(min(corners), 0), max(corners))


def _values(window: Window) -> list[float]:
    (x0, x1), (y0, y1) = window
    corners = [2 * x * y / (x + y) for x in (max(x0, 0.01), x1) for y in (max(y0, 0.01), y1)]
    return _round_values(min(corners), max(corners))


def _iso_error(
    fig: go.Figure, window: Window, share: float, style: Style, *, faint: bool, **subplot: int
) -> None:
    """Draw lines on which share (1 - tpr) + (1 - share) fpr is constant."""
    (x0, x1), (y0, y1) = window
    for position, error in enumerate(_errors(window, share)):
        xs = np.array([x0, x1])
        ys = 1 - (error - (1 - share) * xs) / share
        pen = (style.hairline if faint else style.leader, style.px(0.8, 0.5))
        traces.add_line(fig, xs.tolist(), ys.tolist(), "iso-error", *pen, **subplot)
        if faint:
            continue
        label = f"error {100 * error:.3g} %" if position == 0 else f"{100 * error:.3g} %"
        top_x = ((y1 - 1) * share + error) / (1 - share)
        at_right = ys[1] <= y1
        if at_right and ys[1] < y0:
            continue
        if not at_right and not x0 <= top_x <= x1:
            continue
        fig.add_annotation(
            text=label,
            x=x1 if at_right else float(top_x),
            y=float(ys[1]) if at_right else y1,
            xanchor="left" if at_right else "center",
            yanchor="middle" if at_right else "bottom",
            xshift=4 if at_right else 0,
            yshift=0 if at_right else 3,
            font={"size": style.tick_size * 0.9, "color": style.second},
        )


def _iso_f(fig: go.Figure, window: Window, style: Style, *, faint: bool, **subplot: int) -> None:
    """Draw curves of equal F over (recall, precision)."""
    (x0, x1), (y0, y1) = window
    for value in _values(window):
        xs = np.linspace(max(x0, value / 2 + 1e-3), x1, 60)
        ys = value * xs / (2 * xs - value)
        inside = (ys >= y0) & (ys <= y1)
        if inside.sum() < 2:
            continue
        pen = (style.hairline if faint else style.leader, style.px(0.8, 0.5))
        traces.add_line(fig, xs[inside].tolist(), ys[inside].tolist(), "iso-F", *pen, **subplot)
        if faint:
            continue
        fig.add_annotation(
            text=f"F {value:.3g}",
            x=float(xs[inside][-1]),
            y=float(ys[inside][-1]),
            xanchor="right",
            yanchor="bottom",
            font={"size": style.tick_size * 0.9, "color": style.second},
        )


def _round_values(low: float, high: float) -> list[float]:
    """Return four to seven round values between two numbers."""
    span = high - low
    if span <= 0:
        return []
    power = 10 ** np.floor(np.log10(span))
    steps = [power * factor / 10 for factor in (1, 2, 2.5, 5, 10, 20, 25, 50)]
    step = next(step for step in steps if span / step <= 7)
    first = np.ceil(low / step)
    return [float(k * step) for k in np.arange(first, np.floor(high / step) + 1) if k > 0]
