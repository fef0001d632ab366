"""Folds in two measures, with the contours of a Gaussian fitted to each algorithm's folds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.axis_parts import value_axis
from foldwise.figures.cloud_parts import (
    Clouds,
    CloudStyle,
    Window,
    axis_ranges,
    cloud_styles,
    draw_crosses,
    draw_marks,
    draw_means,
    draw_rings,
    draw_selected,
    ellipse,
    gaussian_radius,
    number_distinct_values,
    with_new_regions,
)
from foldwise.figures.iso_lines import draw_iso
from foldwise.figures.label_placement import (
    Candidates,
    PlacementBoard,
    Plane,
    add_annotations,
    annotation_at,
    annotation_box,
    join_points,
    points_along,
    text_size,
    width_scales,
)
from foldwise.figures.theme import MARKERS, Style
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
        :func:`foldwise.figures.clouds.is_apart` finds.
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


#: How far out a name may stand, in radii of its contour; beyond the second a line leads to it.
_OUT = np.array((1.0, 1.12, 1.3, 1.55, 1.85, 2.2))
_DIRECTIONS = 24
#: A name stands beside its contour, not above or below it, that much off the middle.
_OFF_CENTRE = 0.35
#: What a name costs that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _TOUCHING, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4
#: So many names at most stand beside contours; hover says the others.
_NAMED = 20
_SIGNS = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))


def write_names(fig: go.Figure, clouds: Clouds) -> None:
    """Write each name beside its outer contour where no mark lies; a line leads to a distant one."""
    style = clouds.style
    names = [pen.name for pen in clouds.pens if pen.own][:_NAMED] or list(clouds.folds)[:_NAMED]
    folds = {name: clouds.folds[name] for name in names}
    radius = gaussian_radius(max(clouds.levels)) if clouds.levels else 1.0
    margin = fig.layout.margin
    plane = Plane(
        x=clouds.window[0],
        y=clouds.window[1],
        width=style.width - margin.l - margin.r,
        height=fig.layout.height - margin.t - margin.b,
    )
    rings = {
        name: plane.px(ellipse(clouds.mean(name), clouds.covariances[name], radius))
        for name in folds
    }
    tables = [table.to_numpy(dtype=float) for table in folds.values()]
    marks = plane.px(np.concatenate([*tables, *(table.mean(axis=0)[None] for table in tables)]))
    board = PlacementBoard(
        plane.width,
        plane.height,
        gap=style.px(4, 2.5),
        squeezes=width_scales(style),
        outside=_OUTSIDE,
        touching=_TOUCHING,
    )
    board.draw(marks, cost=_MARK, gap=style.px(4, 2.5))
    lines = {name: points_along(ring) for name, ring in rings.items()}
    board.draw(lines, cost=_RING, gap=style.px(12, 7))
    board.draw(join_points(lines.values()), cost=_RING)
    for note in fig.layout.annotations:
        board.take(annotation_box(note, plane, style))
    shown = text.shorten(list(folds), 0.35 * style.width, style.size, serif=style.serif)
    labels = {
        name: board.put(_around(rings[name], text_size(words, style)), name)
        for name, words in shown.items()
    }
    add_annotations(
        fig, [annotation_at(shown[name], label, plane, style) for name, label in labels.items()]
    )


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


def write_key(fig: go.Figure, clouds: Clouds) -> None:
    """Write the names with their marks into the empty upper triangle."""
    size = clouds.style.size
    for place, pen in enumerate(clouds.pens[:12]):
        at = {"refs": "paper, paper", "anchor": "right, top", "shift": (0, -1.5 * size * place)}
        # the mark comes last: its font may be wider than is measured
        mark = f'<span style="color:{pen.colour}">{_SIGNS[pen.symbol]}</span>'
        traces.add_text(fig, f"{text.escape(pen.name)} {mark}", 1, 1, size, **at)


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
