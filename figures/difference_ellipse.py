"""The paired difference in two measures, with the region the test does not rule out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.ellipses import ellipse
from figures.theme import Style

FADED = 0.25


def difference_ellipse(
    differences: pd.DataFrame,
    region: np.ndarray,
    *,
    first: str,
    second: str,
    rejects: bool,
    style: Style,
    positive_share: float | None = None,
    selected: Collection[str] = (),
) -> go.Figure:
    """Draw each fold's difference, their mean and its confidence ellipse, and the origin.

    Parameters
    ----------
    differences : DataFrame
        `first` minus `second` per fold (the index its label), two measures: x, then y.
    region : array, 2 x 2
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1.
    first, second : str
        The two algorithms.
    rejects : bool
        Whether the test rejects: then the origin lies outside.
    style : Style
        Surface and width.
    positive_share : float, optional
        Over (fpr, tpr), draws the line on which the two have the same error.
    selected : collection of str
        Folds that keep full strength while the others fade.

    Returns
    -------
    Figure
        Fold marks carry their label.
    """
    values = differences.to_numpy(dtype=float)
    mean = values.mean(axis=0)
    ring = ellipse(mean, region)
    window = _window(values, ring)
    margin = {
        "l": style.px(58, 40),
        "r": style.px(20, 12),
        "t": style.px(34, 22),
        "b": style.px(46, 32),
    }
    fig = theme.figure(style, style.px(440, 262), margin=margin)
    (x0, x1), (y0, y1) = window
    for x, y in (([0, 0], [y0, y1]), ([x0, x1], [0, 0])):
        _line(fig, x, y, "zero", style.hairline if not style.printed else style.leader, style)
    if positive_share:
        slope = (1 - positive_share) / positive_share
        _line(
            fig, [x0, x1], [slope * x0, slope * x1], "same error", style.second, style, dash="dash"
        )
    fig.add_scatter(
        x=ring[:, 0].tolist(),
        y=ring[:, 1].tolist(),
        mode="lines",
        name="region",
        fill="toself",
        fillcolor="rgba(138,143,152,0.12)",
        line={"color": style.ink, "width": style.px(1.6, 0.9)},
        hoverinfo="skip",
    )
    _folds(fig, differences, first, second, selected, style)
    _mark(fig, mean, "mean", "cross-thin", style.ink, style.px(15, 9), style)
    _mark(fig, np.zeros(2), "no difference", "circle-open", style.accent, style.px(13, 8), style)
    axis = {"fixedrange": True, "nticks": 6}
    names = [text.escape(name) for name in differences.columns]
    gap = f"{text.escape(first)} \N{MINUS SIGN} {text.escape(second)}"
    fig.update_xaxes(range=[x0, x1], title=f"{names[0]}: {gap}", **axis)
    fig.update_yaxes(range=[y0, y1], title=names[1], **axis)
    _words(fig, window, positive_share, style, rejects=rejects)
    return fig


def _window(
    values: np.ndarray, ring: np.ndarray
) -> tuple[tuple[float, float], tuple[float, float]]:
    every = np.concatenate([values, ring, np.zeros((1, 2))])
    low, high = every.min(axis=0), every.max(axis=0)
    pad = np.where(high > low, 0.08 * (high - low), 0.05)
    return tuple(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))


def _line(fig, x, y, name: str, colour: str, style: Style, dash: str = "solid") -> None:
    fig.add_scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": colour, "width": style.px(1.2, 0.7), "dash": dash},
        hoverinfo="skip",
    )


def _folds(fig, differences: pd.DataFrame, first: str, second: str, selected, style: Style) -> None:
    labels = [str(label) for label in differences.index]
    chosen = {str(label) for label in selected} & set(labels)
    values = differences.to_numpy(dtype=float)
    names = [text.escape(name) for name in differences.columns]
    for strong in (False, True):
        part = [i for i, label in enumerate(labels) if (not chosen or label in chosen) == strong]
        if not part:
            continue
        fig.add_scatter(
            x=values[part, 0].tolist(),
            y=values[part, 1].tolist(),
            mode="markers",
            name="folds" if strong else "other folds",
            opacity=1.0 if strong else FADED,
            customdata=[labels[i] for i in part],
            hovertext=[
                f"<b>fold {text.escape(labels[i])}</b><br>{names[0]} {text.signed(values[i, 0], 4)}, "
                f"{names[1]} {text.signed(values[i, 1], 4)}<br>Click: select the fold"
                for i in part
            ],
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


def _mark(
    fig, point: np.ndarray, name: str, symbol: str, colour: str, size: float, style: Style
) -> None:
    fig.add_scatter(
        x=[float(point[0])],
        y=[float(point[1])],
        mode="markers",
        name=name,
        hovertext=f"<b>{name}</b><br>{point[0]:.4g}, {point[1]:.4g}",
        hoverinfo="text",
        marker={
            "symbol": symbol,
            "size": size,
            "opacity": 1,
            "color": colour,
            "line": {"width": style.px(2.2, 1.2), "color": colour},
        },
        cliponaxis=False,
    )


def _words(fig, window, positive_share, style: Style, *, rejects: bool) -> None:
    (x0, x1), (y0, y1) = window
    fig.add_annotation(
        text="origin outside: differs" if rejects else "origin inside: not separated",
        xref="paper",
        yref="paper",
        x=0,
        y=1,
        xanchor="left",
        yanchor="bottom",
        yshift=6,
        font={"size": style.size, "color": style.ink},
    )
    right = -x0 > x1
    fig.add_annotation(
        text="no difference",
        x=0,
        y=0,
        xanchor="left" if not right else "right",
        yanchor="top",
        xshift=8 if not right else -8,
        yshift=-4,
        font={"size": style.tick_size, "color": style.second},
    )
    if not positive_share:
        return
    slope = (1 - positive_share) / positive_share
    x = min(x1, y1 / slope) * 0.8 if x1 > -x0 else max(x0, y0 / slope) * 0.8
    fig.add_annotation(
        text="same error",
        x=x,
        y=slope * x,
        xanchor="left" if x > 0 else "right",
        yanchor="top" if x > 0 else "bottom",
        font={"size": style.tick_size, "color": style.second},
    )


def alt_difference_ellipse(
    differences: pd.DataFrame, *, first: str, second: str, rejects: bool
) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    mean = differences.mean()
    said = ", ".join(
        f"{text.plain(name)} {text.signed(float(value), 4)}" for name, value in mean.items()
    )
    return text.clip(
        f"Paired differences of {text.plain(first)} and {text.plain(second)} in {len(differences)} "
        f"folds with the region of the mean: {said}. Origin lies "
        f"{'outside' if rejects else 'inside'} the ellipse."
    )
