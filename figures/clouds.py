"""Folds in two measures, with the contours of a Gaussian fitted to each algorithm's folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from figures import text, theme
from figures.ellipses import ellipse, gaussian_radius
from figures.theme import DASHES, MARKERS, Style

Iso = Literal["none", "error", "F"]
FADED = 0.25
#: More measures would make the panels of a matrix too small.
MOST_PANELS = 5


def contours(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    levels: Sequence[float] = (0.5, 0.9),
    iso: Iso = "none",
    positive_share: float | None = None,
    colours: Mapping[str, str] | None = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> go.Figure:
    """Draw each algorithm's folds, their mean and the contours that hold a share of them.

    Parameters
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), two measures: x, then y.
    covariances : mapping of algorithm to 2 x 2 array
        Of the folds; a singular one is drawn as a segment.
    style : Style
        Surface and width.
    levels : sequence of float
        Shares of folds that the contours hold.
    iso : {"none", "error", "F"}
        Lines of equal error over (fpr, tpr), or of equal F over (recall, precision).
    positive_share : float, optional
        Share of positive cases, for lines of equal error.
    colours : mapping, optional
        Colour per algorithm.
    selected : collection of str
        Folds that keep full strength while the others fade.
    lit : collection of str
        Algorithms that keep full strength while the others fade; all if empty.

    Returns
    -------
    Figure
        Fold marks carry their label, contours a list with the name of their algorithm.
    """
    names = list(folds)
    x_name, y_name = (str(name) for name in next(iter(folds.values())).columns)
    hues = dict(colours or theme.colours(names, dark=style.dark))
    margin = {
        "l": style.px(58, 38),
        "r": style.px(64, 44) if iso == "error" else style.px(20, 12),
        "t": style.px(26, 16),
        "b": style.px(46, 32),
    }
    fig = theme.figure(
        style, style.px(440, 262) if len(names) < 4 else style.px(520, 300), margin=margin
    )
    window = _window(folds, covariances, levels)
    if iso == "error" and positive_share:
        _iso_error(fig, window, positive_share, style)
    if iso == "F":
        _iso_f(fig, window, style)
    marks = {name: (MARKERS[i % 8], DASHES[i % 6]) for i, name in enumerate(names)}
    for name in names:
        faint = bool(lit) and name not in lit
        _cloud(fig, name, folds[name], hues[name], marks[name][0], selected, style, faint=faint)
        _rings(
            fig,
            name,
            folds[name],
            covariances[name],
            levels,
            hues[name],
            marks[name][1],
            style,
            faint=faint,
        )
    _names(fig, folds, covariances, levels, window, style)
    axis = {"fixedrange": True, "nticks": 7}
    fig.update_xaxes(range=list(window[0]), title=text.escape(x_name), **axis)
    fig.update_yaxes(range=list(window[1]), title=text.escape(y_name), **axis)
    return fig


def contour_matrix(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    levels: Sequence[float] = (0.5, 0.9),
    colours: Mapping[str, str] | None = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
) -> go.Figure:
    """Draw every pair of three to five measures as a panel of `contours`.

    Parameters
    ----------
    folds, covariances
        As `contours`, with more measures.
    style, levels, colours, selected, lit
        As `contours`.

    Returns
    -------
    Figure
        The lower triangle of panels, measures down the side and along the bottom.
    """
    names = list(folds)
    measures = [str(name) for name in next(iter(folds.values())).columns][:MOST_PANELS]
    p = len(measures)
    hues = dict(colours or theme.colours(names, dark=style.dark))
    side = style.px(220, max(90, style.width / (p - 1)))
    fig = theme.figure(style, side * (p - 1) + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46})
    fig.set_subplots(
        p - 1,
        p - 1,
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=0.03,
    )
    marks = {name: (MARKERS[i % 8], DASHES[i % 6]) for i, name in enumerate(names)}
    for row in range(1, p):
        for column in range(row):
            where = {"row": row, "col": column + 1}
            for name in names:
                faint = bool(lit) and name not in lit
                pair = folds[name].iloc[:, [column, row]]
                block = covariances[name][np.ix_([column, row], [column, row])]
                _cloud(
                    fig,
                    name,
                    pair,
                    hues[name],
                    marks[name][0],
                    selected,
                    style,
                    faint=faint,
                    small=True,
                    **where,
                )
                _rings(
                    fig,
                    name,
                    pair,
                    block,
                    levels[-1:],
                    hues[name],
                    marks[name][1],
                    style,
                    faint=faint,
                    **where,
                )
            if column == 0:
                fig.update_yaxes(title=text.escape(measures[row]), **where)
            if row == p - 1:
                fig.update_xaxes(title=text.escape(measures[column]), **where)
    for row, column in ((r, c) for r in range(1, p) for c in range(r, p - 1)):
        fig.update_xaxes(visible=False, row=row, col=column + 1)
        fig.update_yaxes(visible=False, row=row, col=column + 1)
    fig.update_xaxes(fixedrange=True, nticks=4)
    fig.update_yaxes(fixedrange=True, nticks=4)
    _key(fig, names, hues, marks, style)
    return fig


def _window(folds, covariances, levels) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the axis ranges: the outer contours and all folds, and 7 % more."""
    outer = gaussian_radius(max(levels)) if levels else 0.0
    points = [table.to_numpy(dtype=float) for table in folds.values()]
    points += [
        ellipse(table.mean().to_numpy(), covariances[name], outer) for name, table in folds.items()
    ]
    every = np.concatenate(points)
    low, high = every.min(axis=0), every.max(axis=0)
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    return tuple(zip((low - pad).tolist(), (high + pad).tolist(), strict=True))


def _cloud(
    fig, name, table, colour, symbol, selected, style, *, faint, small=False, **where
) -> None:
    labels = [str(label) for label in table.index]
    chosen = {str(label) for label in selected} & set(labels)
    values = table.to_numpy(dtype=float)
    x_name, y_name = (text.escape(column) for column in table.columns)
    for strong in (False, True):
        part = [i for i, label in enumerate(labels) if (not chosen or label in chosen) == strong]
        if not part:
            continue
        fig.add_scatter(
            x=values[part, 0].tolist(),
            y=values[part, 1].tolist(),
            mode="markers",
            name=text.escape(name),
            opacity=FADED if faint or not strong else 1.0,
            customdata=[labels[i] for i in part],
            hovertext=[
                f"<b>{text.escape(name)}, fold {text.escape(labels[i])}</b><br>{x_name} "
                f"{values[i, 0]:.4g}, {y_name} {values[i, 1]:.4g}<br>Click: select the fold"
                for i in part
            ],
            hoverinfo="text",
            marker={
                "symbol": symbol,
                "size": style.px(5 if small else 8, 3 if small else 4.5),
                "color": colour if style.colour else style.ink,
                "opacity": 1,
                "line": {"width": style.px(0.7, 0.5), "color": style.ink},
            },
            unselected={"marker": {"opacity": 1}},
            cliponaxis=False,
            **where,
        )


def _rings(fig, name, table, covariance, levels, colour, dash, style, *, faint, **where) -> None:
    centre = table.mean().to_numpy()
    for level in sorted(levels):
        points = ellipse(centre, covariance, gaussian_radius(level))
        inner = len(levels) > 1 and level == min(levels)
        fig.add_scatter(
            x=points[:, 0].tolist(),
            y=points[:, 1].tolist(),
            mode="lines",
            name=f"{text.escape(name)} {100 * level:g} %",
            opacity=FADED if faint else 1.0,
            customdata=[[name]] * len(points),
            hovertext=f"<b>{text.escape(name)}</b><br>{100 * level:g} % of folds would fall inside",
            hoverinfo="text",
            line={
                "color": colour if style.colour else style.ink,
                "width": style.px(1.8, 0.9) if inner else style.px(1.2, 0.6),
                "dash": "solid" if style.colour else dash,
            },
            **where,
        )
    fig.add_scatter(
        x=[centre[0]],
        y=[centre[1]],
        mode="markers",
        name=f"{text.escape(name)} mean",
        customdata=[[name]],
        hovertext=f"<b>{text.escape(name)}, mean</b><br>{centre[0]:.4g}, {centre[1]:.4g}",
        hoverinfo="text",
        opacity=FADED if faint else 1.0,
        marker={
            "symbol": "cross-thin",
            "size": style.px(13, 8),
            "opacity": 1,
            "line": {"width": style.px(1.8, 1), "color": style.ink},
        },
        **where,
    )


def _names(fig, folds, covariances, levels, window, style) -> None:
    """Write each name at the point of its outer contour that is farthest from the other means."""
    means = {name: table.mean().to_numpy() for name, table in folds.items()}
    span = np.array([high - low for low, high in window])
    placed: list[np.ndarray] = []
    for name, centre in means.items():
        radius = gaussian_radius(max(levels)) if levels else 1.0
        ring = ellipse(centre, covariances[name], radius)
        others = [mean for other, mean in means.items() if other != name] + placed
        if others:
            gaps = np.min([(((ring - other) / span) ** 2).sum(axis=1) for other in others], axis=0)
            point = ring[int(gaps.argmax())]
        else:
            point = ring[len(ring) // 8]
        placed.append(point)
        low = np.array([side[0] for side in window])
        share = (point - low) / span
        fig.add_annotation(
            text=text.escape(
                text.shorten([name], 0.35 * style.width, style.size, serif=style.serif)[name]
            ),
            x=float(point[0]),
            y=float(point[1]),
            xanchor="right" if share[0] > 0.75 else "left" if share[0] < 0.25 else "center",
            yanchor="bottom" if point[1] >= centre[1] and share[1] < 0.95 else "top",
            font={"size": style.size},
        )


def _iso_error(fig: go.Figure, window, share: float, style: Style) -> None:
    """Draw lines on which share (1 - tpr) + (1 - share) fpr is the same."""
    (x0, x1), (y0, y1) = window
    corners = [share * (1 - y) + (1 - share) * x for x in (x0, x1) for y in (y0, y1)]
    for place, error in enumerate(_round_values(max(min(corners), 0), max(corners))):
        xs = np.array([x0, x1])
        ys = 1 - (error - (1 - share) * xs) / share
        fig.add_scatter(
            x=xs.tolist(),
            y=ys.tolist(),
            mode="lines",
            name="iso-error",
            line={"color": style.leader, "width": style.px(0.8, 0.5)},
            hoverinfo="skip",
        )
        said = f"error {100 * error:.3g} %" if place == 0 else f"{100 * error:.3g} %"
        top_x = ((y1 - 1) * share + error) / (1 - share)
        at_right = ys[1] <= y1
        if at_right and ys[1] < y0:
            continue
        if not at_right and not x0 <= top_x <= x1:
            continue
        fig.add_annotation(
            text=said,
            x=x1 if at_right else float(top_x),
            y=float(ys[1]) if at_right else y1,
            xanchor="left" if at_right else "center",
            yanchor="middle" if at_right else "bottom",
            xshift=4 if at_right else 0,
            yshift=0 if at_right else 3,
            font={"size": style.tick_size * 0.9, "color": style.second},
        )


def _iso_f(fig: go.Figure, window, style: Style) -> None:
    """Draw curves of equal F over (recall, precision)."""
    (x0, x1), (y0, y1) = window
    corners = [2 * x * y / (x + y) for x in (max(x0, 0.01), x1) for y in (max(y0, 0.01), y1)]
    for value in _round_values(min(corners), max(corners)):
        xs = np.linspace(max(x0, value / 2 + 1e-3), x1, 60)
        ys = value * xs / (2 * xs - value)
        inside = (ys >= y0) & (ys <= y1)
        if inside.sum() < 2:
            continue
        fig.add_scatter(
            x=xs[inside].tolist(),
            y=ys[inside].tolist(),
            mode="lines",
            name="iso-F",
            line={"color": style.leader, "width": style.px(0.8, 0.5)},
            hoverinfo="skip",
        )
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


def _key(fig, names, hues, marks, style) -> None:
    """Write the names with their marks into the empty upper triangle."""
    for place, name in enumerate(names[:12]):
        colour = hues[name] if style.colour else style.ink
        sign = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))
        fig.add_annotation(
            text=f'<span style="color:{colour}">{sign[marks[name][0]]}</span> {text.escape(name)}',
            xref="paper",
            yref="paper",
            x=1,
            y=1,
            xanchor="right",
            yanchor="top",
            yshift=-1.5 * style.size * place,
            font={"size": style.size},
        )


def alt_contours(folds: Mapping[str, pd.DataFrame]) -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first = next(iter(folds.values()))
    means = [
        f"{text.plain(name)} ({', '.join(f'{value:.3g}' for value in table.mean())})"
        for name, table in folds.items()
    ]
    measures = ", ".join(text.plain(name) for name in first.columns)
    head = f"Folds in ({measures}) for {len(folds)} algorithms with Gaussian contours. Means: "
    return text.clip(f"{head}{text.listed(means, 8)}.")


def caption_contours(levels: Sequence[float] = (0.5, 0.9)) -> str:
    """Return the sentence under the figure."""
    shares = " and ".join(f"{100 * level:g} %" for level in sorted(levels))
    return (
        f"Contours hold {shares} of the folds that a Gaussian with their mean and covariance would "
        "give: they describe the spread of folds, not the uncertainty of the mean."
    )
