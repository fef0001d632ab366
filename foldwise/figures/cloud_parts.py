"""Shared parts of the fold scatter plots: data, styles, axis ranges, lines, marks and contours."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from foldwise.figures import text, theme, traces
from foldwise.figures.theme import DASHES, FADED, GREY, MARKERS, Style
from stats_core.core.formatting import MANY, format_count, format_percent, join_names
from stats_core.data.measures import MEASURES, known_name

Window = tuple[tuple[float, float], ...]


def draw_iso(
    fig: go.Figure, iso: str, window: Window, share: float | None, style: Style, *, faint: bool = False, **subplot: int
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
        return f"Grey lines: error {join_names(shown, MANY)}%." if shown else ""
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


def _iso_error(fig: go.Figure, window: Window, share: float, style: Style, *, faint: bool, **subplot: int) -> None:
    """Draw lines on which share (1 - tpr) + (1 - share) fpr is constant."""
    (x0, x1), (y0, y1) = window
    for position, error in enumerate(_errors(window, share)):
        xs = np.array([x0, x1])
        ys = 1 - (error - (1 - share) * xs) / share
        pen = (style.hairline if faint else style.leader, style.px(0.8, 0.5))
        traces.add_line(fig, xs.tolist(), ys.tolist(), "iso-error", *pen, **subplot)
        if faint:
            continue
        label = f"error {100 * error:.3g}%" if position == 0 else f"{100 * error:.3g}%"
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


#: Folds closer than this share of an axis are indistinguishable.
_SAME = 0.004


@dataclass(frozen=True, slots=True)
class CloudStyle:
    """Colour, symbol, dash and opacity of one algorithm."""

    name: str
    colour: str
    symbol: str
    dash: str
    strength: float
    own: bool  # whether the algorithm has a colour of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Clouds:
    """Folds of several algorithms in two or more measures, with everything needed to draw them.

    Attributes
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), a column per measure.
    covariances : mapping of algorithm to array, measure x measure
        Of the folds.
    regions : mapping of algorithm to array, measure x measure
        Of the means, A of (mu - mean)' A^-1 (mu - mean) <= 1; empty where none are drawn.
    levels : tuple of float
        Shares of folds that contours contain.
    level : str
        Confidence of the regions, such as "95%".
    unit : str
        Source of one result, such as "fold".
    selected : collection of str
        Folds that keep full opacity while the others fade.
    pens : tuple of CloudStyle
    window : tuple of (float, float)
        The ends of the axis of each measure.
    cells : mapping of algorithm to array, fold x measure
        Cell numbers, equal for folds that are indistinguishable on that axis.
    style : Style
    """

    folds: Mapping[str, pd.DataFrame]
    covariances: Mapping[str, np.ndarray]
    regions: Mapping[str, np.ndarray]
    levels: tuple[float, ...]
    level: str
    unit: str
    selected: Collection[str]
    pens: tuple[CloudStyle, ...]
    window: Window
    cells: Mapping[str, np.ndarray]
    style: Style

    @property
    def measures(self) -> list[str]:
        """Names of the measures, not escaped."""
        return [str(name) for name in next(iter(self.folds.values())).columns]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of an algorithm's folds in every measure."""
        return self.folds[name].to_numpy(dtype=float).mean(axis=0)

    def in_plane(self, column: int, row: int) -> Clouds:
        """Return the same data restricted to two measures: x, then y."""
        indices = [column, row]
        block = np.ix_(indices, indices)
        return replace(
            self,
            folds={name: table.iloc[:, indices] for name, table in self.folds.items()},
            covariances={name: shape[block] for name, shape in self.covariances.items()},
            regions={name: shape[block] for name, shape in self.regions.items()},
            window=tuple(self.window[i] for i in indices),
            cells={name: cells[:, indices] for name, cells in self.cells.items()},
        )

    def of(self, name: str) -> Clouds:
        """Return the data of a single algorithm on the same axes, with solid lines."""
        pens = tuple(replace(pen, dash=DASHES[0]) for pen in self.pens if pen.name == name)
        return replace(self, folds={name: self.folds[name]}, pens=pens)

    def by_look(self) -> list[list[CloudStyle]]:
        """Return styles grouped by appearance, those without a colour of their own first."""
        looks: dict[tuple, list[CloudStyle]] = {}
        for pen in self.pens:
            look = (pen.own, pen.colour, pen.symbol, pen.dash, pen.strength)
            looks.setdefault(look, []).append(pen)
        return sorted(looks.values(), key=lambda group: group[0].own)


def cloud_styles(
    names: Sequence[str], colours: Mapping[str, str] | None, lit: Collection[str], style: Style
) -> tuple[CloudStyle, ...]:
    """Return the style of each algorithm; those not in `lit` fade if any is."""
    hues = colours or theme.colours(list(names), dark=style.dark)
    return tuple(
        CloudStyle(
            name,
            hues[name] if style.colour else style.ink,
            MARKERS[i % 8 if hues[name] != GREY else 0],
            DASHES[i % 6 if hues[name] != GREY and not style.colour else 0],
            FADED if lit and name not in lit else 1.0,
            hues[name] != GREY,
        )
        for i, name in enumerate(names)
    )


def axis_ranges(
    folds: Mapping[str, pd.DataFrame],
    covariances: Mapping[str, np.ndarray],
    regions: Mapping[str, np.ndarray],
    levels: Sequence[float],
) -> Window:
    """Return axis ranges with all folds, contours and regions plus 7%; rates end near 0 and 1."""
    outer = gaussian_radius(max(levels)) if levels else 0.0
    extremes = []
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)
        shapes = [outer**2 * covariances[name], *([regions[name]] if name in regions else [])]
        half = np.sqrt(np.clip([np.diag(shape) for shape in shapes], 0, None)).max(axis=0)
        extremes += [values, values.mean(axis=0) - half, values.mean(axis=0) + half]
    points = np.vstack(extremes)
    low, high = points.min(axis=0), points.max(axis=0)
    rates = [_is_rate(name) for name in next(iter(folds.values())).columns]
    low, high = np.where(rates, [np.maximum(low, 0), np.minimum(high, 1)], [low, high])
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    ends = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
    return tuple((max(a, -0.02), min(b, 1.02)) if rate else (a, b) for (a, b), rate in zip(ends, rates, strict=True))


def number_distinct_values(folds: Mapping[str, pd.DataFrame], window: Window) -> dict[str, np.ndarray]:
    """Return cell numbers per measure, equal for values too close to be told apart."""
    values = np.concatenate([table.to_numpy(dtype=float) for table in folds.values()])
    cells = np.column_stack([_cells(values[:, i], window[i]) for i in range(values.shape[1])])
    ends = np.cumsum([len(table) for table in folds.values()])[:-1]
    return dict(zip(folds, np.split(cells, ends), strict=True))


def _cells(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Return cell numbers of values; a cell has a fixed width from its smallest value."""
    width, cells = _SAME * (ends[1] - ends[0]), np.zeros(len(values), dtype=int)
    start, cell = -math.inf, -1
    for index in np.argsort(values, kind="stable"):
        if values[index] > start + width:
            start, cell = values[index], cell + 1
        cells[index] = cell
    return cells


def _is_rate(name: object) -> bool:
    """Return whether a measure lies in [0, 1] by definition."""
    known = MEASURES.get(known_name(str(name)))
    return known is not None and known.rate


def trace_group_name(pens: Sequence[CloudStyle]) -> str:
    """Return the trace name of algorithms drawn alike."""
    return text.escape(pens[0].name) if len(pens) == 1 else "others"


def short_hover(pens: Sequence[CloudStyle], said: str) -> dict[str, str]:
    """Return the hover template shared by the marks of several algorithms; empty for one."""
    if len(pens) == 1:
        return {}
    return {"hovertemplate": f"<b>%{{hovertext}}</b><br>{said}<extra></extra>"}


#: Opacity of the fill of a region, with and without colour.
_SHADE, _GREY_SHADE = 0.35, 0.2


def draw_rings(fig: go.Figure, clouds: Clouds, *, outer_only: bool = False, **subplot: int) -> None:
    """Draw the regions of the means, then the contours of the folds, a trace for each level."""
    groups = clouds.by_look()
    for pens in groups if clouds.regions else ():
        _region(fig, clouds, pens, **subplot)
    for pens in groups:
        levels = sorted(clouds.levels)
        for level in levels[-1:] if outer_only or len(pens) > 1 else levels:
            inner = len(levels) > 1 and level == levels[0]
            _contour(fig, clouds, pens, level, inner=inner, **subplot)


def _contour(
    fig: go.Figure, clouds: Clouds, pens: Sequence[CloudStyle], level: float, *, inner: bool, **subplot: int
) -> None:
    """Draw the contours of one level of algorithms that look alike."""
    style, unit, shaded = clouds.style, clouds.unit, bool(clouds.regions)
    hover = f"{format_percent(level)} of {unit}s would fall inside<br>{traces.click_hint('algorithm')}"
    rings = _outlines(clouds, pens, clouds.covariances, gaussian_radius(level), hover)
    fig.add_scatter(
        **rings,
        **traces.line_click_mode(style),
        name=f"{trace_group_name(pens)} {format_percent(level)}",
        line={
            "color": pens[0].colour,
            "width": style.px(1.8, 0.9) if inner and not shaded else style.px(1.2, 0.6),
            "dash": "dot"
            if inner and shaded
            else pens[0].dash,  # distinguishes the contour from the edge of the region
        },
        **subplot,
    )


def _region(fig: go.Figure, clouds: Clouds, pens: Sequence[CloudStyle], **subplot: int) -> None:
    """Shade the regions of the means of algorithms drawn alike; lines are reserved for contours."""
    style = clouds.style
    red, green, blue = (int(pens[0].colour[i : i + 2], 16) for i in (1, 3, 5))
    fig.add_scatter(
        **_region_line(clouds, pens),
        **traces.line_click_mode(style),
        name=f"{trace_group_name(pens)} region",
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},{_SHADE if style.colour else _GREY_SHADE:g})",
        line={"width": 0},
        hoveron="points",
        **subplot,
    )


def _region_line(clouds: Clouds, pens: Sequence[CloudStyle]) -> dict:
    """Return outlines and hover text of the regions: everything that depends on the level."""
    hover = f"{clouds.level} region of the mean<br>{traces.click_hint('algorithm')}"
    return _outlines(clouds, pens, clouds.regions, 1.0, hover)


def with_new_regions(traces: Iterable[dict], clouds: Clouds) -> None:
    """Replace the regions of the means in Plotly JSON traces of the same folds."""
    for trace in traces:
        if trace.get("fill") == "toself":
            inside = {owner[0] for owner in trace["customdata"] if owner}
            pens = [pen for pen in clouds.pens if pen.name in inside]
            trace.update(_region_line(clouds, pens))


def _outlines(
    clouds: Clouds, pens: Sequence[CloudStyle], shapes: Mapping[str, np.ndarray], radius: float, hover: str
) -> dict:
    """Return the ellipses of algorithms drawn alike as one line with gaps, with hover text."""
    step = 1 if len(pens) == 1 else 2  # half the points are enough where many contours are drawn
    points, owners = [], []
    for pen in pens:
        ring = ellipse(clouds.mean(pen.name), shapes[pen.name], radius)[::step]
        points += [*_rounded(ring).tolist(), (None, None)]
        owners += [*[[pen.name]] * len(ring), None]
    names = [owner and text.escape(owner[0]) for owner in owners[:-1]]
    return {
        "x": [x for x, _ in points[:-1]],
        "y": [y for _, y in points[:-1]],
        "opacity": pens[0].strength,
        "customdata": owners[:-1],
        "meta": "algorithm",
        "hovertext": f"<b>{names[0]}</b><br>{hover}" if len(pens) == 1 else names,
        "hoverinfo": "text",
        **short_hover(pens, hover),
    }


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return points rounded to a ten-thousandth of their extent, to halve the size of the JSON."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring


def draw_means(fig: go.Figure, clouds: Clouds, *, small: bool = False, **subplot: int) -> None:
    """Draw crosses at the means, with an edge in the page colour that sets them off from marks."""
    for strength in (FADED, 1.0):
        names = [pen.name for pen in clouds.pens if pen.strength == strength]
        if names:
            _crosses(fig, clouds, names, strength, small=small, **subplot)


def _crosses(
    fig: go.Figure, clouds: Clouds, names: Sequence[str], strength: float, *, small: bool, **subplot: int
) -> None:
    style, scale = clouds.style, 0.7 if small else 1.0
    size, line = scale * style.px(13, 8), style.px(1.8, 1)
    edge = {"width": line + scale * style.px(4, 2.4), "color": style.page}
    centres = [clouds.mean(name).tolist() for name in names]
    fig.add_scatter(
        x=[x for x, _ in centres],
        y=[y for _, y in centres],
        mode="markers",
        name="halo",
        opacity=strength,
        hoverinfo="skip",
        marker={"symbol": "cross-thin", "opacity": 1, "size": size + scale * style.px(3, 1.8), "line": edge},
        **subplot,
    )
    draw_crosses(fig, clouds, names, (size, line, style.ink), opacity=strength, **subplot)


def draw_crosses(
    fig: go.Figure, clouds: Clouds, names: Sequence[str], look: tuple[float, float, str], **options: Any
) -> None:
    """Draw a thin cross at each mean; `look` is (size, line width, line colour)."""
    centres = [clouds.mean(name).tolist() for name in names]
    fig.add_scatter(
        x=[x for x, _ in centres],
        y=[y for _, y in centres],
        mode="markers",
        customdata=[[name] for name in names],
        meta="algorithm",
        hovertext=[
            f"<b>{text.escape(name)}, mean</b><br>{x:.4g}, {y:.4g}<br>{traces.click_hint('algorithm')}"
            for name, (x, y) in zip(names, centres, strict=True)
        ],
        hoverinfo="text",
        marker={"symbol": "cross-thin", "opacity": 1, "size": look[0], "line": {"width": look[1], "color": look[2]}},
        **{"name": "means", **options},
    )


#: With more folds their marks are smaller.
_MANY = 40
#: Largest number of folds listed in the hover text of a mark.
_TOLD = 6


def count_folds_by_position(clouds: Clouds) -> pd.DataFrame:
    """Return one row per algorithm and position, with the folds that lie there."""
    tables = clouds.folds.items()
    values = np.concatenate([table.to_numpy(dtype=float) for _, table in tables])
    cells = np.concatenate([clouds.cells[name] for name in clouds.folds])
    labels = [str(label) for _, table in tables for label in table.index]
    chosen = {str(label) for label in clouds.selected} & set(labels)
    rows = pd.DataFrame(
        {
            "owner": [name for name, table in tables for _ in table.index],
            "label": labels,
            "x": values[:, 0],
            "y": values[:, 1],
            "column": cells[:, 0],
            "row": cells[:, 1],
            "strong": [not chosen or label in chosen for label in labels],
        }
    )
    position = ["strong", "column", "row"]
    centre = rows.groupby(position)[["x", "y"]].transform("mean")
    rows[["x", "y"]] = centre.where(rows.duplicated(position, keep=False), rows[["x", "y"]])
    groups = rows.groupby([*position, "owner"], sort=False, as_index=False).agg(
        x=("x", "first"), y=("y", "first"), labels=("label", list), n=("label", "size")
    )
    groups = groups.sort_values("n", kind="stable")
    groups["within"] = groups.groupby(position)["n"].cumsum()
    groups["layer"] = groups.groupby(position).cumcount(ascending=False)
    return groups.sort_values(["strong", "layer"], kind="stable")


def largest_place(folds: Mapping[str, pd.DataFrame], window: Window) -> int:
    """Return the largest number of folds of one algorithm at one position."""
    cells = number_distinct_values(folds, window).values()
    return max(int(np.unique(numbers, axis=0, return_counts=True)[1].max()) for numbers in cells)


def draw_marks(fig: go.Figure, clouds: Clouds, *, small: bool = False, **subplot: int) -> None:
    """Draw the folds lightly; algorithms that share a position are drawn as nested marks.

    The visible area of each mark is proportional to its number of folds. A mark of one fold
    identifies the fold, a larger one its algorithm. `draw_selected` draws the selected folds.
    """
    groups, style = count_folds_by_position(clouds), clouds.style
    largest = style.px(18, 10) if small else style.px(26, 15)
    scale = 1.0 if len(next(iter(clouds.folds.values()))) <= _MANY else 0.7
    usual_size = style.px(5, 3) if small else style.px(8, 4.5)
    unit_size = min(scale * usual_size, largest / groups["within"].max() ** 0.5)
    has_selection = not groups["strong"].all()
    edge = (style.px(0.7, 0.4), "" if style.colour else style.leader)
    fill = "light" if style.colour else style.blank
    unselected = groups[~groups["strong"]] if has_selection else groups
    _draw(fig, clouds, unselected, (unit_size, fill, edge), FADED if has_selection else 1.0, **subplot)


def draw_selected(fig: go.Figure, clouds: Clouds, **subplot: int) -> None:
    """Draw the marks of the selected folds, if any, at full opacity over all others."""
    if not clouds.selected:
        return
    groups, style = count_folds_by_position(clouds), clouds.style
    if not groups["strong"].all():
        appearance = (style.px(9, 5), "", (style.px(1, 0.6), style.ink))
        _draw(fig, clouds, groups[groups["strong"]], appearance, 1.0, **subplot)


def _draw(
    fig: go.Figure,
    clouds: Clouds,
    rows: pd.DataFrame,
    appearance: tuple[float, str, tuple[float, str]],
    strength: float,
    **subplot: int,
) -> None:
    """Draw marks; `appearance` is (size of one fold, fill, edge), "" for the own colour."""
    unit_size, fill, (edge_width, edge) = appearance
    groups = clouds.by_look()
    position_of = {pen.name: position for position, pens in enumerate(groups) for pen in pens}
    keys = ["layer", rows["owner"].map(position_of).rename("look"), (rows["n"] == 1).rename("single")]
    for (_, position, single), part in rows.groupby(keys):
        pens = groups[position]
        colour = pens[0].colour
        traces.add_points(
            fig,
            part["x"].to_list(),
            part["y"].to_list(),
            trace_group_name(pens),
            (unit_size * np.sqrt(part["within"])).round(2).to_list(),
            pens[0].symbol,
            theme.light_fill(colour, clouds.style) if fill == "light" else fill or colour,
            edge=(edge_width, edge or colour),
            opacity=min(strength, pens[0].strength),
            **_said(part, pens, clouds, bool(single)),
            **subplot,
        )


def _said(rows: pd.DataFrame, pens: Sequence[CloudStyle], clouds: Clouds, single: bool) -> dict:
    """Return hover text, customdata and meta of marks."""
    kind = "fold" if single else "algorithm"
    hint = traces.click_hint(kind, noun=clouds.unit if single else "")
    first = rows["labels"].str[0]
    heads = [
        f"{text.escape(owner)}, {clouds.unit} {text.escape(label)}"
        if single
        else f"{format_count(n, clouds.unit)} of {text.escape(owner)} here"
        for owner, label, n in zip(rows["owner"], first, rows["n"], strict=True)
    ]
    short = short_hover(pens, f"%{{x:.4~g}}, %{{y:.4~g}}<br>{hint}")
    x_name, y_name = map(text.escape, clouds.measures)
    tails = [
        f"{x_name} {x:.4g}, {y_name} {y:.4g}"
        + ("" if single else f"<br>{text.escape(text.join_escaped(labels, _TOLD))}")
        for x, y, labels in zip(rows["x"], rows["y"], rows["labels"], strict=True)
    ]
    full = [f"<b>{head}</b><br>{tail}<br>{hint}" for head, tail in zip(heads, tails, strict=True)]
    return {
        "said": heads if short else full,
        "customdata": first.to_list() if single else [[owner] for owner in rows["owner"]],
        "meta": kind,
        **short,
    }


_POINTS = 97


def ellipse(centre: np.ndarray, matrix: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Return points x with (x - centre)' matrix^-1 (x - centre) = radius^2, closed.

    Examples
    --------
    >>> import numpy as np
    >>> ellipse(np.zeros(2), np.eye(2), 2.0)[0].tolist()
    [2.0, 0.0]
    """
    values, axes = np.linalg.eigh(np.asarray(matrix, dtype=float))
    half = np.sqrt(np.clip(values, 0, None))
    angle = np.linspace(0, 2 * np.pi, _POINTS)
    unit = np.column_stack([np.cos(angle), np.sin(angle)])
    if np.allclose(axes, np.eye(2)):
        return np.asarray(centre) + radius * unit * half
    return np.asarray(centre) + radius * (unit * half) @ axes.T


def gaussian_radius(level: float) -> float:
    """Return the Mahalanobis radius inside which a share `level` of a plane Gaussian lies.

    Examples
    --------
    >>> round(gaussian_radius(0.5) ** 2, 3), round(gaussian_radius(0.9) ** 2, 3)
    (1.386, 4.605)
    """
    return float(np.sqrt(-2 * np.log(1 - level)))


def gaussian_ellipse(points: pd.DataFrame, level: float = 0.5) -> pd.DataFrame | None:
    """Return the ellipse that contains this share of a fitted Gaussian; None without spread.

    Examples
    --------
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 2, 1]})).shape[1]
    2
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 0, 0], "y": [1.0, 1, 1]}))
    """
    spread = np.cov(points.to_numpy().T)
    if len(points) < 3 or np.linalg.eigvalsh(spread)[-1] <= 0:
        return None
    ring = ellipse(points.mean().to_numpy(), spread, gaussian_radius(level))
    return pd.DataFrame(ring, columns=["x", "y"])
