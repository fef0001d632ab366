"""Clouds side by side: a panel for each algorithm, all on the same axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.cloud_contours import draw_crosses, draw_means, draw_rings
from foldwise.figures.cloud_marks import draw_marks, draw_selected
from foldwise.figures.cloud_parts import Clouds, CloudStyle
from foldwise.figures.ellipses import gaussian_radius
from foldwise.figures.iso_lines import draw_iso
from foldwise.figures.theme import Style
from foldwise.figures.ticks import value_axis

#: More in one panel hide each other.
MOST_TOGETHER = 5
#: More panels would be pages of them.
MOST_APART = 16


def is_apart(folds: Mapping[str, pd.DataFrame], covariances: Mapping[str, np.ndarray]) -> bool:
    """Tell whether clouds have a panel each unless asked otherwise.

    They do where there are six to sixteen, and where the means of most of three to five lie inside
    the contour that holds half of another's folds.
    """
    names = list(folds)
    if not 2 < len(names) <= MOST_APART:
        return False
    if len(names) > MOST_TOGETHER:
        return True
    centres = np.array([table.to_numpy(dtype=float).mean(axis=0) for table in folds.values()])
    inverse = np.array([np.linalg.pinv(covariances[name], hermitian=True) for name in names])
    away = centres[:, None] - centres
    inside = np.einsum("abi,bij,abj->ab", away, inverse, away) < gaussian_radius(0.5) ** 2
    return int((inside & ~np.eye(len(names), dtype=bool)).any(axis=1).sum()) > len(names) / 2


def draw_apart(clouds: Clouds, iso: str, share: float | None) -> go.Figure:
    """Draw a panel for each algorithm, with the means of the others faint, all on the same axes."""
    style, count = clouds.style, len(clouds.pens)
    columns = _columns(style, count)
    rows = -(-count // columns)
    margin = {
        "l": style.px(58, 38),
        "r": style.px(20, 10),
        "t": style.px(30, 18),
        "b": style.px(46, 32),
    }
    side, above = style.px(230, 112), style.px(32, 18)
    tall = rows * side + (rows - 1) * above
    wide = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, tall + margin["t"] + margin["b"], margin=margin)
    beside = style.px(16, 10)
    spacing = {"horizontal_spacing": beside / wide, "vertical_spacing": above / tall}
    fig.set_subplots(rows, columns, **spacing)
    room = (wide - (columns - 1) * beside) / columns
    axes = panel_axes(clouds)
    x_name, y_name = map(text.escape, clouds.measures)
    short = text.shorten(list(clouds.folds), room - 2 * style.size, style.size, serif=style.serif)
    for place, pen in enumerate(clouds.pens):
        row, column = divmod(place, columns)
        where = {"row": row + 1, "col": column + 1}
        _panel(fig, clouds, pen, iso, share, **where)
        below, first = place + columns >= count, column == 0
        match = {} if place == 0 else {"matches": "x"}
        fig.update_xaxes(
            title=x_name if below else None, showticklabels=below, **axes[0], **match, **where
        )
        match = {} if place == 0 else {"matches": "y"}
        fig.update_yaxes(
            title=y_name if first else None, showticklabels=first, **axes[1], **match, **where
        )
        _title(fig, short[pen.name], pen, style, **where)
    for place in range(count, rows * columns):
        row, column = divmod(place, columns)
        fig.update_xaxes(visible=False, row=row + 1, col=column + 1)
        fig.update_yaxes(visible=False, row=row + 1, col=column + 1)
    return fig


def panel_axes(clouds: Clouds) -> list[dict]:
    """Return the axes that all panels have: x, then y."""
    return [value_axis(*ends, clouds.style.px(5, 3)) for ends in clouds.window]


def _columns(style: Style, count: int) -> int:
    """Return how many panels stand side by side, the rows as even as can be."""
    most = max(2, int(style.width // style.px(300, 156)))
    return -(-count // -(-count // most))


def _panel(
    fig: go.Figure, clouds: Clouds, pen: CloudStyle, iso: str, share: float | None, **where: int
) -> None:
    """Draw one algorithm, and the means of the others."""
    style, alone = clouds.style, clouds.of(pen.name)
    draw_iso(fig, iso, clouds.window, share, style, faint=True, **where)
    draw_marks(fig, alone, small=True, **where)
    draw_rings(fig, alone, **where)
    draw_selected(fig, alone, **where)
    others = [name for name in clouds.folds if name != pen.name]
    faint = (style.px(8, 5), style.px(1.2, 0.7), style.leader)
    if others:
        draw_crosses(fig, clouds, others, faint, name="other means", **where)
    draw_means(fig, alone, small=True, **where)


def _title(fig: go.Figure, words: str, pen: CloudStyle, style: Style, **where: int) -> None:
    """Write the name of an algorithm above its panel, in its colour."""
    fig.add_annotation(
        text=text.escape(words),
        xref="x domain",
        yref="y domain",
        x=0,
        y=1,
        xanchor="left",
        yanchor="bottom",
        yshift=style.px(2, 1),
        showarrow=False,
        opacity=pen.strength,
        font={"size": style.size, "color": pen.colour},
        **where,
    )
