"""Folds in two measures, with the contours of a Gaussian fitted to each algorithm's folds."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import ink, text, theme
from foldwise.figures.ellipses import ellipse, gaussian_radius
from foldwise.figures.iso_lines import iso_error, iso_f
from foldwise.figures.placing import (
    Board,
    Candidates,
    Plane,
    along,
    annotate,
    box_of,
    joined,
    note_at,
    squeezes,
    text_size,
)
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, Style
from foldwise.figures.ticks import value_axis
from stats_core.data.measures import MEASURES, known_name

Iso = Literal["none", "error", "F"]
#: With more folds their marks are smaller.
_MANY = 40
#: How far out a name may stand, in radii of its contour; beyond the second a line leads to it.
_OUT = np.array((1.0, 1.12, 1.3, 1.55, 1.85, 2.2))
_DIRECTIONS = 24
#: A name stands beside its contour, not above or below it, that much off the middle.
_OFF_CENTRE = 0.35
#: What a name costs that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _TOUCHING, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4
#: So many names at most stand beside contours; hover says the others.
_NAMED = 20
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
    margin = {
        "l": style.px(58, 38),
        "r": style.px(64, 44) if iso == "error" else style.px(20, 12),
        "t": style.px(26, 16),
        "b": style.px(46, 32),
    }
    height = style.px(440, 262) if len(names) < 4 else style.px(520, 300)
    fig = theme.figure(style, height, margin=margin)
    window = _window(folds, covariances, levels)
    if iso == "error" and positive_share:
        iso_error(fig, window, positive_share, style)
    if iso == "F":
        iso_f(fig, window, style)
    pens = _pens(names, colours, lit, style)
    alike = _alike(pens)
    for group in alike:
        _clouds(fig, folds, group, selected, style)
    for group in alike:
        _rings(fig, folds, covariances, levels if len(group) == 1 else levels[-1:], group, style)
    for group in _by_strength(pens):
        _means(fig, folds, group, style)
    named = [pen.name for pen in pens if pen.own][:_NAMED] or names[:_NAMED]
    _names(fig, {name: folds[name] for name in named}, covariances, levels, window, style)
    fig.update_xaxes(title=text.escape(x_name), **value_axis(*window[0], 7))
    fig.update_yaxes(title=text.escape(y_name), **value_axis(*window[1], 7))
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
    measures = [str(name) for name in next(iter(folds.values())).columns][:MOST_PANELS]
    p = len(measures)
    side = style.px(220, max(90, style.width / (p - 1)))
    fig = theme.figure(style, side * (p - 1) + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46})
    close = {"horizontal_spacing": 0.03, "vertical_spacing": 0.03}
    fig.set_subplots(p - 1, p - 1, shared_xaxes=True, shared_yaxes=True, **close)
    pens = _pens(list(folds), colours, lit, style)
    for row in range(1, p):
        for column in range(row):
            where = {"row": row, "col": column + 1}
            pairs = {name: table.iloc[:, [column, row]] for name, table in folds.items()}
            block = np.ix_([column, row], [column, row])
            blocks = {pen.name: covariances[pen.name][block] for pen in pens}
            for group in _alike(pens):
                _clouds(fig, pairs, group, selected, style, small=True, **where)
                _rings(fig, pairs, blocks, levels[-1:], group, style, **where)
            for group in _by_strength(pens):
                _means(fig, pairs, group, style, **where)
            if column == 0:
                fig.update_yaxes(title=text.escape(measures[row]), **where)
            if row == p - 1:
                fig.update_xaxes(title=text.escape(measures[column]), **where)
    for row, column in ((r, c) for r in range(1, p) for c in range(r, p - 1)):
        fig.update_xaxes(visible=False, row=row, col=column + 1)
        fig.update_yaxes(visible=False, row=row, col=column + 1)
    window = [value_axis(*ends, 3) for ends in _window(folds, covariances, levels[-1:])]
    for row, column in ((r, c) for r in range(1, p) for c in range(r)):
        where = {"row": row, "col": column + 1}
        fig.update_xaxes(**window[column], **where)
        fig.update_yaxes(**window[row], **where)
    _key(fig, pens, style)
    return fig


def _window(folds, covariances, levels) -> list[tuple[float, float]]:
    """Return the axis ranges: the outer contours and all folds, and 7 % more; rates end at 0 and 1."""
    outer = gaussian_radius(max(levels)) if levels else 0.0
    reach = []
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)
        half = outer * np.sqrt(np.clip(np.diag(covariances[name]), 0, None))[: values.shape[1]]
        reach += [values, values.mean(axis=0) - half, values.mean(axis=0) + half]
    every = np.vstack(reach)
    low, high = every.min(axis=0), every.max(axis=0)
    rates = [_is_rate(name) for name in next(iter(folds.values())).columns]
    low, high = np.where(rates, [np.maximum(low, 0), np.minimum(high, 1)], [low, high])
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    ends = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
    return [
        (max(a, -0.02), min(b, 1.02)) if rate else (a, b)
        for (a, b), rate in zip(ends, rates, strict=True)
    ]


def _is_rate(name: object) -> bool:
    """Whether a measure lies in [0, 1] by definition."""
    known = MEASURES.get(known_name(str(name)))
    return known is not None and known.rate


@dataclass(frozen=True, slots=True)
class _Pen:
    """How one algorithm is drawn."""

    name: str
    colour: str
    symbol: str
    dash: str
    strength: float
    own: bool  # whether its colour is its own


def _pens(
    names: Sequence[str], colours: Mapping[str, str] | None, lit: Collection[str], style: Style
) -> list[_Pen]:
    hues = colours or theme.colours(list(names), dark=style.dark)
    return [
        _Pen(
            name,
            hues[name] if style.colour else style.ink,
            MARKERS[i % 8 if hues[name] != GREY else 0],
            DASHES[i % 6 if hues[name] != GREY and not style.colour else 0],
            FADED if lit and name not in lit else 1.0,
            hues[name] != GREY,
        )
        for i, name in enumerate(names)
    ]


def _alike(pens: Sequence[_Pen]) -> list[list[_Pen]]:
    """Return the pens by their look; those without a colour of their own share traces, below others."""
    looks: dict[tuple, list[_Pen]] = {}
    for pen in pens:
        looks.setdefault((pen.own, pen.colour, pen.symbol, pen.dash, pen.strength), []).append(pen)
    return sorted(looks.values(), key=lambda group: group[0].own)


def _by_strength(pens: Sequence[_Pen]) -> list[list[_Pen]]:
    """Return the pens that are faded and those that are not, if any."""
    parts = [[pen for pen in pens if pen.strength == one] for one in (FADED, 1.0)]
    return [part for part in parts if part]


def _named(pens: Sequence[_Pen]) -> str:
    return text.escape(pens[0].name) if len(pens) == 1 else "others"


def _short(pens: Sequence[_Pen], said: str) -> dict[str, str]:
    """Return what hover says of every mark of several algorithms alike, below what it says of one."""
    return (
        {}
        if len(pens) == 1
        else {"hovertemplate": f"<b>%{{hovertext}}</b><br>{said}<extra></extra>"}
    )


def _clouds(fig, folds, pens, selected, style, *, small=False, **where) -> None:
    """Draw the folds of algorithms that look alike."""
    tables = [folds[pen.name] for pen in pens]
    owners = [text.escape(pen.name) for pen in pens for _ in folds[pen.name].index]
    labels = [str(label) for table in tables for label in table.index]
    values = np.concatenate([table.to_numpy(dtype=float) for table in tables])
    x_name, y_name = (text.escape(column) for column in tables[0].columns)
    crowd = 1.0 if len(tables[0]) <= _MANY else 0.7
    for strong, part in ink.by_strength(labels, selected):
        ink.dots(
            fig,
            values[part, 0].tolist(),
            values[part, 1].tolist(),
            _named(pens),
            crowd * style.px(5 if small else 8, 3 if small else 4.5),
            pens[0].symbol,
            pens[0].colour,
            edge=(style.px(0.7, 0.5), style.ink),
            said=[
                f"<b>{owners[i]}, fold {text.escape(labels[i])}</b><br>{x_name} "
                f"{values[i, 0]:.4g}, {y_name} {values[i, 1]:.4g}<br>{ink.offer('fold')}"
                if len(pens) == 1
                else f"{owners[i]}, fold {text.escape(labels[i])}"
                for i in part
            ],
            **_short(pens, f"%{{x:.4~g}}, %{{y:.4~g}}<br>{ink.offer('fold')}"),
            opacity=pens[0].strength if strong else FADED,
            customdata=[labels[i] for i in part],
            meta="fold",
            **where,
        )


def _rings(fig, folds, covariances, levels, pens, style, **where) -> None:
    """Draw the contours of algorithms that look alike, a trace for each level."""
    step = 1 if len(pens) == 1 else 2  # half the points of a contour, which nobody can tell
    for level in sorted(levels):
        radius, inner = gaussian_radius(level), len(levels) > 1 and level == min(levels)
        points, owners = [], []
        for pen in pens:
            centre = folds[pen.name].mean().to_numpy()
            ring = ellipse(centre, covariances[pen.name], radius)[::step]
            points += [*_rounded(ring).tolist(), (None, None)]
            owners += [*[[pen.name]] * len(ring), None]
        inside = f"{100 * level:g} % of folds would fall inside<br>{ink.offer('algorithm')}"
        said = [owner and text.escape(owner[0]) for owner in owners[:-1]]
        fig.add_scatter(
            x=[x for x, _ in points[:-1]],
            y=[y for _, y in points[:-1]],
            **ink.clickable(style),
            name=f"{_named(pens)} {100 * level:g} %",
            opacity=pens[0].strength,
            customdata=owners[:-1],
            meta="algorithm",
            hovertext=f"<b>{said[0]}</b><br>{inside}" if len(pens) == 1 else said,
            hoverinfo="text",
            **_short(pens, inside),
            line={
                "color": pens[0].colour,
                "width": style.px(1.8, 0.9) if inner else style.px(1.2, 0.6),
                "dash": pens[0].dash,
            },
            **where,
        )


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return the points to a ten-thousandth of their extent, in half the letters."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring


def _means(fig, folds, pens, style, **where) -> None:
    """Draw the crosses at the means, with an edge of the ground that keeps them off the marks."""
    centres = [folds[pen.name].mean().to_numpy().tolist() for pen in pens]
    at = {
        "x": [x for x, _ in centres],
        "y": [y for _, y in centres],
        "mode": "markers",
        "opacity": pens[0].strength,
        **where,
    }
    size, line = style.px(13, 8), style.px(1.8, 1)
    marker = {"symbol": "cross-thin", "opacity": 1}
    edge = {"width": line + style.px(4, 2.4), "color": style.page}
    fig.add_scatter(
        name="halo",
        hoverinfo="skip",
        marker={**marker, "size": size + style.px(3, 1.8), "line": edge},
        **at,
    )
    fig.add_scatter(
        name="means",
        customdata=[[pen.name] for pen in pens],
        meta="algorithm",
        hovertext=[
            f"<b>{text.escape(pen.name)}, mean</b><br>{x:.4g}, {y:.4g}<br>" + ink.offer("algorithm")
            for pen, (x, y) in zip(pens, centres, strict=True)
        ],
        hoverinfo="text",
        marker={**marker, "size": size, "line": {"width": line, "color": style.ink}},
        **at,
    )


def _names(fig, folds, covariances, levels, window, style) -> None:
    """Write each name beside its outer contour where no mark lies; a line leads to a distant one."""
    radius = gaussian_radius(max(levels)) if levels else 1.0
    margin = fig.layout.margin
    plane = Plane(
        x=window[0],
        y=window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    rings = {
        name: plane.px(ellipse(table.mean().to_numpy(), covariances[name], radius))
        for name, table in folds.items()
    }
    tables = [table.to_numpy(dtype=float) for table in folds.values()]
    marks = plane.px(np.concatenate([*tables, *(table.mean(axis=0)[None] for table in tables)]))
    board = Board(
        plane.width,
        plane.height,
        gap=style.px(4, 2.5),
        squeezes=squeezes(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.draw(marks, cost=_MARK, gap=style.px(4, 2.5))
    lines = {name: along(ring) for name, ring in rings.items()}
    board.draw(lines, cost=_RING, gap=style.px(12, 7))
    board.draw(joined(lines.values()), cost=_RING)
    for note in fig.layout.annotations:
        board.take(box_of(note, plane, style))
    shown = text.shorten(list(folds), 0.35 * style.width, style.size, serif=style.serif)
    labels = {
        name: board.put(_around(rings[name], text_size(words, style)), name)
        for name, words in shown.items()
    }
    annotate(fig, [note_at(shown[name], label, plane, style) for name, label in labels.items()])


def _around(ring: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return the places of a name around a contour, and farther out with a line that leads there."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    centre, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    steps = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    out = np.repeat(_OUT, len(steps))
    points = np.tile(ring[steps], (len(_OUT), 1))
    away = points - centre
    far = np.abs(away / half) > _OFF_CENTRE
    offset = np.sign(away) * far * (np.array(size) / 2)
    offset[:, 1][(offset == 0).all(axis=1)] = size[1] / 2
    return Candidates.of(
        points, offset + (out - 1)[:, None] * away, size, 8 * (out - 1), out > _OUT[1]
    )


def _key(fig: go.Figure, pens: Sequence[_Pen], style: Style) -> None:
    """Write the names with their marks into the empty upper triangle."""
    sign = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))
    for place, pen in enumerate(pens[:12]):
        mark = f'<span style="color:{pen.colour}">{sign[pen.symbol]}</span>'
        at = {
            "refs": "paper, paper",
            "anchor": "right, top",
            "shift": (0, -1.5 * style.size * place),
        }
        ink.words(fig, f"{mark} {text.escape(pen.name)}", 1, 1, style.size, **at)


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
