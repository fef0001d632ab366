"""Scatter plots of folds in two measures, with Gaussian contours for each algorithm."""

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
    draw_iso,
    draw_marks,
    draw_means,
    draw_rings,
    draw_selected,
    ellipse,
    gaussian_radius,
    number_distinct_values,
    with_new_regions,
)
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
#: Largest number of measures in a matrix; more would make its panels too small.
MOST_PANELS = 5


def contours(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    levels: Sequence[float] = (0.5, 0.9),
    regions: Mapping[str, np.ndarray] | None = None,
    level: str = "95%",
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
    """Draw each algorithm's folds, their mean and contours that contain a given share of them.

    Parameters
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), two measures: x, then y.
    covariances : mapping of algorithm to 2 x 2 array
        Of the folds; a singular one is drawn as a segment.
    style : Style
        Surface and width.
    levels : sequence of float
        Shares of folds that the contours contain.
    regions : mapping of algorithm to 2 x 2 array, optional
        A of the region (mu - mean)' A^-1 (mu - mean) <= 1 of each mean, which is shaded; from
        `mean_region`.
    level : str
        Confidence level of the regions, as shown on hover.
    form : {"automatic", "together", "apart"}
        All algorithms in one panel, or one panel each on common axes; by default as decided by
        :func:`foldwise.figures.clouds.is_apart`.
    iso : {"none", "error", "F"}
        Lines of equal error over (fpr, tpr), or of equal F over (recall, precision).
    positive_share : float, optional
        Share of positive instances, for lines of equal error.
    unit : str
        Source of one result per algorithm: "fold" or "run".
    colours : mapping, optional
        Colour per algorithm.
    selected : collection of str
        Folds that keep full opacity while the others fade.
    lit : collection of str
        Algorithms that keep full opacity while the others fade; all if empty.
    window : sequence of (float, float), optional
        The axis ranges; by default they contain everything drawn.
    cells : mapping of algorithm to array, fold x measure, optional
        From `number_distinct_values`, which folds share a mark; by default indistinguishable ones.
    base : Figure, optional
        The same figure with other regions, which takes most of the time to draw: a copy of it gets
        these regions, and panels without lines of equal error or F also the axis ranges.

    Returns
    -------
    Figure
        Folds at the same position share a mark, whose area is their number. A mark of one fold carries its
        label; larger marks, contours, regions and means a list with the name of their algorithm.
    """
    clouds = _clouds(
        folds,
        covariances,
        style=style,
        regions=regions,
        levels=levels,
        colours=colours,
        emphasised=lit,
        window=window,
        cells=cells,
        level=level,
        unit=unit,
        selected=selected,
    )
    separate = form == "apart" or (form == "automatic" and is_apart(folds, covariances))
    if base is not None:
        return _shaded(base, clouds, panel_axes(clouds) if separate else None)
    if separate:
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
    level: str = "95%",
    unit: str = "fold",
    colours: Mapping[str, str] | None = None,
    selected: Collection[str] = (),
    lit: Collection[str] = (),
    cells: Mapping[str, np.ndarray] | None = None,
    base: go.Figure | None = None,
) -> go.Figure:
    """Draw every pair of three to five measures as a panel of a scatter plot matrix.

    Parameters
    ----------
    folds, covariances, regions
        As `contours`, with more measures; each panel shows the projection of the regions.
    style, levels, level, unit, colours, selected, lit, cells
        As `contours`.
    base : Figure, optional
        The same figure with other regions: a copy of it gets these regions and axis ranges.

    Returns
    -------
    Figure
        The lower triangle of panels, measures down the side and along the bottom.
    """
    folds = {name: table.iloc[:, :MOST_PANELS] for name, table in folds.items()}
    n_measures = next(iter(folds.values())).shape[1]
    leading = np.ix_(range(n_measures), range(n_measures))
    shapes = [{name: matrix[leading] for name, matrix in matrices.items()} for matrices in (covariances, regions or {})]
    clouds = _clouds(
        folds,
        shapes[0],
        style=style,
        regions=shapes[1],
        levels=levels,
        colours=colours,
        emphasised=lit,
        window=None,
        cells=cells,
        level=level,
        unit=unit,
        selected=selected,
    )
    axes = [value_axis(*ends, 3) for ends in clouds.window]
    if base is not None:
        return _shaded_matrix(base, clouds, axes)
    side = style.px(220, max(90, style.width / (n_measures - 1)))
    fig = theme.new_figure(style, side * (n_measures - 1) + 60, margin={"l": 58, "r": 20, "t": 30, "b": 46})
    spacing = {"horizontal_spacing": 0.03, "vertical_spacing": 0.03}
    fig.set_subplots(n_measures - 1, n_measures - 1, shared_xaxes=True, shared_yaxes=True, **spacing)
    titles = [text.escape(name) for name in clouds.measures]
    for row in range(1, n_measures):
        for column in range(n_measures - 1):
            subplot = {"row": row, "col": column + 1}
            if column >= row:
                fig.update_xaxes(visible=False, **subplot)
                fig.update_yaxes(visible=False, **subplot)
                continue
            plane = clouds.in_plane(column, row)
            draw_marks(fig, plane, small=True, **subplot)
            draw_rings(fig, plane, outer_only=True, **subplot)
            draw_selected(fig, plane, **subplot)
            draw_means(fig, plane, **subplot)
            at_bottom, at_left = row == n_measures - 1, column == 0
            fig.update_xaxes(title=titles[column] if at_bottom else None, **axes[column], **subplot)
            fig.update_yaxes(title=titles[row] if at_left else None, **axes[row], **subplot)
    write_key(fig, clouds)
    return fig


def _shaded_matrix(base: go.Figure, clouds: Clouds, axes: Sequence[dict]) -> go.Figure:
    """Return a copy of a matrix of the same folds with other regions and axis ranges."""
    spec, n_columns = base.to_plotly_json(), len(axes) - 1
    for row in range(1, n_columns + 1):
        for column in range(row):
            panel = (row - 1) * n_columns + column + 1  # Plotly numbers panels from 1 and omits the first number
            number = str(panel) if panel > 1 else ""
            traces = (trace for trace in spec["data"] if trace.get("xaxis", "x") == f"x{number}")
            with_new_regions(traces, clouds.in_plane(column, row))
            spec["layout"][f"xaxis{number}"].update(axes[column])
            spec["layout"][f"yaxis{number}"].update(axes[row])
    return go.Figure(spec)


def _clouds(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    *,
    style: Style,
    regions: Mapping[str, np.ndarray] | None,
    levels: Sequence[float],
    colours: Mapping[str, str] | None,
    emphasised: Collection[str],
    window: Window | None,
    cells: Mapping[str, np.ndarray] | None,
    **fields: Any,
) -> Clouds:
    """Return the data to draw; `fields` are fields of `Clouds` passed unchanged."""
    window = window or axis_ranges(folds, covariances, regions or {}, levels)
    return Clouds(
        folds=folds,
        covariances=covariances,
        regions=regions or {},
        levels=tuple(levels),
        pens=cloud_styles(list(folds), colours, emphasised, style),
        window=window,
        cells=cells or number_distinct_values(folds, window),
        style=style,
        **fields,
    )


def _shaded(base: go.Figure, clouds: Clouds, axes: list[dict] | None) -> go.Figure:
    """Return a copy of a figure of the same folds with other regions and axis ranges."""
    spec = base.to_plotly_json()
    with_new_regions(spec["data"], clouds)
    for name, axis in spec["layout"].items():
        if axes and name[:5] in ("xaxis", "yaxis") and "range" in axis:
            axis.update(axes[name[0] == "y"])
    return go.Figure(spec)


def alt_contours(folds: Mapping[str, pd.DataFrame], *, unit: str = "fold") -> str:
    """Return the alternative text of the figure, at most 300 characters."""
    first = next(iter(folds.values()))
    means = [
        f"{text.plain_text(name)} ({', '.join(map(_three_digits, table.mean()))})" for name, table in folds.items()
    ]
    measures = ", ".join(text.plain_text(name) for name in first.columns)
    head = f"{unit.capitalize()}s in ({measures}) for {len(folds)} algorithms with Gaussian contours"
    return text.truncate_text(f"{head}. Means: {text.join_escaped(means, 8)}.")


def _three_digits(value: float) -> str:
    """Return a number with three significant digits and U+2212 as minus sign."""
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
    sentences = [
        f"Contours hold {' and '.join(shares)} of the {unit}s that a Gaussian with their mean and covariance "
        f"would give: they describe the spread of {unit}s, not the uncertainty of the mean."
    ]
    if level:
        method = "widened for training sets that overlap" if widened else f"{unit}s as independent"
        sentences.append(
            f"Shaded: the {level} region of each mean, {method}. It is no test of a pair, which looks "
            f"at the differences {unit} by {unit}: two whose regions overlap can still differ"
            + f"{', and adjusted for many pairs, two whose regions lie apart need not' * several}."
        )
    if most > 1:
        sentences.append(f"The area of a mark is the number of {unit}s at its place, at most {most}.")
    if lines:
        sentences.append(lines)
    return " ".join(sentences)


#: Distances of a name from the mean, in radii of its contour; beyond the second with a leader line.
_OUT = np.array((1.0, 1.12, 1.3, 1.55, 1.85, 2.2))
_DIRECTIONS = 24
#: Offset from the centre from which a name is placed to the side of its contour, in half widths.
_OFF_CENTRE = 0.35
#: Costs of a name that leaves the plot, covers another name, covers a mark, or a contour point.
_OUTSIDE, _TOUCHING, _MARK, _RING = 1000.0, 60.0, 12.0, 0.4
#: Largest number of names beside contours; the others appear on hover only.
_NAMED = 20
_SIGNS = dict(zip(MARKERS, "●■◆✚✖▲★⬢", strict=True))


def write_names(fig: go.Figure, clouds: Clouds) -> None:
    """Write each name beside its outer contour, clear of marks, with a leader line if far away."""
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
    rings = {name: plane.px(ellipse(clouds.mean(name), clouds.covariances[name], radius)) for name in folds}
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
    for annotation in fig.layout.annotations:
        board.take(annotation_box(annotation, plane, style))
    shown = text.shorten(list(folds), 0.35 * style.width, style.size, serif=style.serif)
    labels = {
        name: board.put(_around(rings[name], text_size(label_text, style)), name) for name, label_text in shown.items()
    }
    add_annotations(fig, [annotation_at(shown[name], label, plane, style) for name, label in labels.items()])


def _around(ring: np.ndarray, size: tuple[float, float]) -> Candidates:
    """Return candidate positions of a name around a contour; distant ones have a leader line."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    centre, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
    indices = np.unique(np.linspace(0, len(ring) - 1, _DIRECTIONS).astype(int))
    factors = np.repeat(_OUT, len(indices))
    points = np.tile(ring[indices], (len(_OUT), 1))
    from_centre = points - centre
    is_far = np.abs(from_centre / half) > _OFF_CENTRE
    offset = np.sign(from_centre) * is_far * (np.array(size) / 2)
    offset[:, 1][(offset == 0).all(axis=1)] = size[1] / 2
    return Candidates.of(
        points, offset + (factors - 1)[:, None] * from_centre, size, 8 * (factors - 1), factors > _OUT[1]
    )


def write_key(fig: go.Figure, clouds: Clouds) -> None:
    """Write the names with their marks into the empty upper triangle."""
    size = clouds.style.size
    for position, pen in enumerate(clouds.pens[:12]):
        label_place = {"refs": "paper, paper", "anchor": "right, top", "shift": (0, -1.5 * size * position)}
        # The mark comes last because its font may be wider than measured.
        mark = f'<span style="color:{pen.colour}">{_SIGNS[pen.symbol]}</span>'
        traces.add_text(fig, f"{text.escape(pen.name)} {mark}", 1, 1, size, **label_place)


#: Largest number of algorithms drawn in one panel by default.
MOST_TOGETHER = 5
#: Largest number of separate panels.
MOST_APART = 16


def is_apart(folds: Mapping[str, pd.DataFrame], covariances: Mapping[str, np.ndarray]) -> bool:
    """Return whether each algorithm gets a panel of its own by default.

    True for six to sixteen algorithms, and for three to five if the means of most lie inside the
    50% contour of another algorithm.
    """
    names = list(folds)
    if not 2 < len(names) <= MOST_APART:
        return False
    if len(names) > MOST_TOGETHER:
        return True
    centres = np.array([table.to_numpy(dtype=float).mean(axis=0) for table in folds.values()])
    inverse = np.array([np.linalg.pinv(covariances[name], hermitian=True) for name in names])
    offsets = centres[:, None] - centres
    inside = np.einsum("abi,bij,abj->ab", offsets, inverse, offsets) < gaussian_radius(0.5) ** 2
    return int((inside & ~np.eye(len(names), dtype=bool)).any(axis=1).sum()) > len(names) / 2


def draw_apart(clouds: Clouds, iso: str, share: float | None) -> go.Figure:
    """Draw a panel for each algorithm on common axes, with the means of the others in grey."""
    style, count = clouds.style, len(clouds.pens)
    columns = _columns(style, count)
    rows = -(-count // columns)
    margin = {"l": style.px(58, 38), "r": style.px(20, 10), "t": style.px(30, 18), "b": style.px(46, 32)}
    side, row_gap = style.px(230, 112), style.px(32, 18)
    plot_height = rows * side + (rows - 1) * row_gap
    plot_width = style.width - margin["l"] - margin["r"]
    fig = theme.new_figure(style, plot_height + margin["t"] + margin["b"], margin=margin)
    column_gap = style.px(16, 10)
    spacing = {"horizontal_spacing": column_gap / plot_width, "vertical_spacing": row_gap / plot_height}
    fig.set_subplots(rows, columns, **spacing)
    panel_width = (plot_width - (columns - 1) * column_gap) / columns
    axes = panel_axes(clouds)
    x_name, y_name = map(text.escape, clouds.measures)
    short = text.shorten(list(clouds.folds), panel_width - 2 * style.size, style.size, serif=style.serif)
    for position, pen in enumerate(clouds.pens):
        row, column = divmod(position, columns)
        subplot = {"row": row + 1, "col": column + 1}
        _panel(fig, clouds, pen, iso, share, **subplot)
        at_bottom, at_left = position + columns >= count, column == 0
        match = {} if position == 0 else {"matches": "x"}
        fig.update_xaxes(title=x_name if at_bottom else None, showticklabels=at_bottom, **axes[0], **match, **subplot)
        match = {} if position == 0 else {"matches": "y"}
        fig.update_yaxes(title=y_name if at_left else None, showticklabels=at_left, **axes[1], **match, **subplot)
        _title(fig, short[pen.name], pen, style, **subplot)
    for position in range(count, rows * columns):
        row, column = divmod(position, columns)
        fig.update_xaxes(visible=False, row=row + 1, col=column + 1)
        fig.update_yaxes(visible=False, row=row + 1, col=column + 1)
    return fig


def panel_axes(clouds: Clouds) -> list[dict]:
    """Return the x axis and the y axis shared by all panels."""
    return [value_axis(*ends, clouds.style.px(5, 3)) for ends in clouds.window]


def _columns(style: Style, count: int) -> int:
    """Return the number of panels per row such that rows are as even as possible."""
    most = max(2, int(style.width // style.px(300, 156)))
    return -(-count // -(-count // most))


def _panel(fig: go.Figure, clouds: Clouds, pen: CloudStyle, iso: str, share: float | None, **subplot: int) -> None:
    """Draw one algorithm, and the means of the others in grey."""
    style, single = clouds.style, clouds.of(pen.name)
    draw_iso(fig, iso, clouds.window, share, style, faint=True, **subplot)
    draw_marks(fig, single, small=True, **subplot)
    draw_rings(fig, single, **subplot)
    draw_selected(fig, single, **subplot)
    others = [name for name in clouds.folds if name != pen.name]
    faint = (style.px(8, 5), style.px(1.2, 0.7), style.leader)
    if others:
        draw_crosses(fig, clouds, others, faint, name="other means", **subplot)
    draw_means(fig, single, small=True, **subplot)


def _title(fig: go.Figure, label: str, pen: CloudStyle, style: Style, **subplot: int) -> None:
    """Write the name of an algorithm above its panel, in its colour."""
    fig.add_annotation(
        text=text.escape(label),
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
        **subplot,
    )
