"""Folds in two measures, with the contours of a Gaussian fitted to each algorithm's folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme
from foldwise.figures.cloud_contours import draw_means, draw_rings, with_new_regions
from foldwise.figures.cloud_labels import write_key, write_names
from foldwise.figures.cloud_marks import draw_marks, draw_selected
from foldwise.figures.cloud_panels import draw_apart, is_apart, panel_axes
from foldwise.figures.cloud_parts import (
    Clouds,
    Window,
    axis_ranges,
    cloud_styles,
    number_distinct_values,
)
from foldwise.figures.iso_lines import draw_iso
from foldwise.figures.theme import Style
from foldwise.figures.ticks import value_axis
from stats_core.core.formatting import format_percent

Iso = Literal["none", "error", "F"]
Form = Literal["automatic", "together", "apart"]
#: More measures would make the panels of a matrix too small.
MOST_PANELS = 5


def contours(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    levels: Sequence[float] = (0.5, 0.9),
    regions: Mapping[str, np.ndarray] | None = None,
    level: str = "95 %",
    form: Form = "automatic",
    iso: Iso = "none",
    positive_share: float | None = None,
    unit: str = "fold",
    colours: Mapping[str, str] | None = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
    window: Window | None = None,
    cells: Mapping[str, np.ndarray] | None = None,
    base: go.Figure | None = None,
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
    regions : mapping of algorithm to 2 x 2 array, optional
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1 of each mean, which is shaded; from
        `mean_region`.
    level : str
        Confidence of the regions, as hover says it.
    form : {"automatic", "together", "apart"}
        All in one panel, or a panel for each on the same axes; by default as
        :func:`foldwise.figures.cloud_panels.is_apart` finds.
    iso : {"none", "error", "F"}
        Lines of equal error over (fpr, tpr), or of equal F over (recall, precision).
    positive_share : float, optional
        Share of positive cases, for lines of equal error.
    unit : str
        What one result of each algorithm comes from: "fold", "run".
    colours : mapping, optional
        Colour per algorithm.
    selected : collection of str
        Folds that keep full strength while the others fade.
    lit : collection of str
        Algorithms that keep full strength while the others fade; all if empty.
    window : sequence of (float, float), optional
        The ends of the axes; by default they hold all that is drawn.
    cells : mapping of algorithm to array, fold x measure, optional
        From `number_distinct_values`, which folds share a mark; by default those that nobody could tell apart.
    base : Figure, optional
        The same with any other regions, which takes most of the time: a copy of it gets these, and
        panels without lines of equal error or F also the ends of the axes.

    Returns
    -------
    Figure
        Folds at one place are one mark, whose area is their number. A mark of one fold carries its
        label; larger marks, contours, regions and means a list with the name of their algorithm.
    """
    clouds = _clouds(
        folds,
        covariances,
        style=style,
        regions=regions,
        levels=levels,
        colours=colours,
        lit=lit,
        window=window,
        cells=cells,
        level=level,
        unit=unit,
        selected=selected,
    )
    apart = form == "apart" or (form == "automatic" and is_apart(folds, covariances))
    if base is not None:
        return _shaded(base, clouds, panel_axes(clouds) if apart else None)
    if apart:
        return draw_apart(clouds, iso, positive_share)
    margin = {
        "l": style.px(58, 38),
        "r": style.px(64, 44) if iso == "error" else style.px(20, 12),
        "t": style.px(26, 16),
        "b": style.px(46, 32),
    }
    height = style.px(440, 262) if len(folds) < 4 else style.px(520, 300)
    fig = theme.new_figure(style, height, margin=margin)
    draw_iso(fig, iso, clouds.window, positive_share, style)
    draw_marks(fig, clouds)
    draw_rings(fig, clouds)
    draw_selected(fig, clouds)
    draw_means(fig, clouds)
    write_names(fig, clouds)
    x_name, y_name = clouds.measures
    fig.update_xaxes(title=text.escape(x_name), **value_axis(*clouds.window[0], 7))
    fig.update_yaxes(title=text.escape(y_name), **value_axis(*clouds.window[1], 7))
    return fig


def contour_matrix(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    levels: Sequence[float] = (0.5, 0.9),
    regions: Mapping[str, np.ndarray] | None = None,
    level: str = "95 %",
    unit: str = "fold",
    colours: Mapping[str, str] | None = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
    cells: Mapping[str, np.ndarray] | None = None,
    base: go.Figure | None = None,
) -> go.Figure:
    """Draw every pair of three to five measures as a panel of `contours`.

    Parameters
    ----------
    folds, covariances, regions
        As `contours`, with more measures; a panel shows the regions of all measures from its side.
    style, levels, level, unit, colours, selected, lit, cells
        As `contours`.
    base : Figure, optional
        The same with any other regions: a copy of it gets these, and the ends of the axes.

    Returns
    -------
    Figure
        The lower triangle of panels, measures down the side and along the bottom.
    """
    folds = {name: table.iloc[:, :MOST_PANELS] for name, table in folds.items()}
    p = next(iter(folds.values())).shape[1]
    most = np.ix_(range(p), range(p))
    shapes = [{name: a[most] for name, a in each.items()} for each in (covariances, regions or {})]
    clouds = _clouds(
        folds,
        shapes[0],
        style=style,
        regions=shapes[1],
        levels=levels,
        colours=colours,
        lit=lit,
        window=None,
        cells=cells,
        level=level,
        unit=unit,
        selected=selected,
    )
    axes = [value_axis(*ends, 3) for ends in clouds.window]
    if base is not None:
        return _shaded_matrix(base, clouds, axes)
    side = style.px(220, max(90, style.width / (p - 1)))
    fig = theme.new_figure(style, side * (p - 1) + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46})
    close = {"horizontal_spacing": 0.03, "vertical_spacing": 0.03}
    fig.set_subplots(p - 1, p - 1, shared_xaxes=True, shared_yaxes=True, **close)
    titles = [text.escape(name) for name in clouds.measures]
    for row in range(1, p):
        for column in range(p - 1):
            where = {"row": row, "col": column + 1}
            if column >= row:
                fig.update_xaxes(visible=False, **where)
                fig.update_yaxes(visible=False, **where)
                continue
            plane = clouds.in_plane(column, row)
            draw_marks(fig, plane, small=True, **where)
            draw_rings(fig, plane, outer_only=True, **where)
            draw_selected(fig, plane, **where)
            draw_means(fig, plane, **where)
            below, beside = row == p - 1, column == 0
            fig.update_xaxes(title=titles[column] if below else None, **axes[column], **where)
            fig.update_yaxes(title=titles[row] if beside else None, **axes[row], **where)
    write_key(fig, clouds)
    return fig


def _shaded_matrix(base: go.Figure, clouds: Clouds, axes: Sequence[dict]) -> go.Figure:
    """Return a copy of a matrix of the same clouds with their regions, and with other axes."""
    drawn, wide = base.to_plotly_json(), len(axes) - 1
    for row in range(1, wide + 1):
        for column in range(row):
            panel = (row - 1) * wide + column + 1  # as Plotly counts them, the first without number
            number = str(panel) if panel > 1 else ""
            traces = (one for one in drawn["data"] if one.get("xaxis", "x") == f"x{number}")
            with_new_regions(traces, clouds.in_plane(column, row))
            drawn["layout"][f"xaxis{number}"].update(axes[column])
            drawn["layout"][f"yaxis{number}"].update(axes[row])
    return go.Figure(drawn)


def _clouds(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    regions: Mapping[str, np.ndarray] | None,
    levels: Sequence[float],
    colours: Mapping[str, str] | None,
    lit: Collection[str],
    window: Window | None,
    cells: Mapping[str, np.ndarray] | None,
    **told: Any,
) -> Clouds:
    """Return what is drawn; `told` are the fields of `Clouds` that are as given."""
    window = window or axis_ranges(folds, covariances, regions or {}, levels)
    return Clouds(
        folds=folds,
        covariances=covariances,
        regions=regions or {},
        levels=tuple(levels),
        pens=cloud_styles(list(folds), colours, lit, style),
        window=window,
        cells=cells or number_distinct_values(folds, window),
        style=style,
        **told,
    )


def _shaded(base: go.Figure, clouds: Clouds, axes: list[dict] | None) -> go.Figure:
    """Return a copy of a figure of the same clouds with their regions, and with other axes."""
    drawn = base.to_plotly_json()
    with_new_regions(drawn["data"], clouds)
    for name, axis in drawn["layout"].items():
        if axes and name[:5] in ("xaxis", "yaxis") and "range" in axis:
            axis.update(axes[name[0] == "y"])
    return go.Figure(drawn)


def alt_contours(folds: Mapping[str, pd.DataFrame], *, unit: str = "fold") -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first = next(iter(folds.values()))
    means = [
        f"{text.plain_text(name)} ({', '.join(map(_three_digits, table.mean()))})"
        for name, table in folds.items()
    ]
    measures = ", ".join(text.plain_text(name) for name in first.columns)
    head = (
        f"{unit.capitalize()}s in ({measures}) for {len(folds)} algorithms with Gaussian contours"
    )
    return text.truncate_text(f"{head}. Means: {text.join_escaped(means, 8)}.")


def _three_digits(value: float) -> str:
    """Write a number with three digits and a true minus."""
    return f"{value:.3g}".replace("-", "\N{MINUS SIGN}")


def caption_contours(
    levels: Sequence[float] = (0.5, 0.9),
    *,
    unit: str = "fold",
    level: str = "",
    widened: bool = False,
    several: bool = False,
    most: int = 1,
    lines: str = "",
) -> str:
    """Return the sentences under the figure.

    Parameters
    ----------
    levels : sequence of float
        Shares that the contours hold.
    unit : str
        What one result comes from.
    level : str
        Confidence of the shaded regions, "" where there are none.
    widened : bool
        Whether regions allow for training sets that overlap.
    several : bool
        Whether there are more than two algorithms.
    most : int
        How many lie at one place, at most.
    lines : str
        What lines behind the marks say where none is labelled.

    Examples
    --------
    >>> caption_contours((0.9,), unit="run", most=3)[-72:]
    ' mean. The area of a mark is the number of runs at its place, at most 3.'
    """
    shares = [format_percent(share) for share in sorted(levels)]
    if level and shares[1:]:
        shares[0] += " (dotted)"
    said = [
        f"Contours hold {' and '.join(shares)} of the {unit}s that a Gaussian with their mean and covariance "
        f"would give: they describe the spread of {unit}s, not the uncertainty of the mean."
    ]
    if level:
        how = "widened for training sets that overlap" if widened else f"{unit}s as independent"
        said.append(
            f"Shaded: the {level} region of each mean, {how}. It is no test of a pair, which looks "
            f"at the differences {unit} by {unit}: two whose regions overlap can still differ"
            + f"{', and adjusted for many pairs, two whose regions lie apart need not' * several}."
        )
    if most > 1:
        said.append(f"The area of a mark is the number of {unit}s at its place, at most {most}.")
    if lines:
        said.append(lines)
    return " ".join(said)
