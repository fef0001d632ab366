"""What all figures of clouds share: who is drawn, how, and how far the axes reach."""

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
from stats_core.core.formatting import format_count, format_percent
from stats_core.data.measures import MEASURES, known_name

Window = tuple[tuple[float, float], ...]
#: Folds closer than this share of an axis cannot be told apart.
_SAME = 0.004


@dataclass(frozen=True, slots=True)
class CloudStyle:
    """How one algorithm is drawn."""

    name: str
    colour: str
    symbol: str
    dash: str
    strength: float
    own: bool  # whether its colour is its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Clouds:
    """Algorithms with their folds in some measures.

    Attributes
    ----------
    folds : mapping of algorithm to DataFrame
        One row per fold (the index its label), a column per measure.
    covariances : mapping of algorithm to array, measure x measure
        Of the folds.
    regions : mapping of algorithm to array, measure x measure
        Of the means, A of (mu - mean)' A^-1 (mu - mean) <= 1; empty where none are drawn.
    levels : tuple of float
        Shares of folds that contours hold.
    level : str
        Confidence of the regions, such as "95 %".
    unit : str
        What one result comes from, such as "fold".
    selected : collection of str
        Folds that keep full strength while the others fade.
    pens : tuple of Pen
    window : tuple of (float, float)
        The ends of the axis of each measure.
    cells : mapping of algorithm to array, fold x measure
        Numbers that are the same for folds which nobody could tell apart on that axis.
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
        """The measures, not escaped."""
        return [str(name) for name in next(iter(self.folds.values())).columns]

    def mean(self, name: str) -> np.ndarray:
        """Return the mean of an algorithm."""
        return self.folds[name].to_numpy(dtype=float).mean(axis=0)

    def in_plane(self, column: int, row: int) -> Clouds:
        """Return the same in two of the measures: x, then y."""
        both = [column, row]
        block = np.ix_(both, both)
        return replace(
            self,
            folds={name: table.iloc[:, both] for name, table in self.folds.items()},
            covariances={name: shape[block] for name, shape in self.covariances.items()},
            regions={name: shape[block] for name, shape in self.regions.items()},
            window=tuple(self.window[i] for i in both),
            cells={name: cells[:, both] for name, cells in self.cells.items()},
        )

    def of(self, name: str) -> Clouds:
        """Return one of the algorithms, on the same axes; alone it needs no dashes."""
        pens = tuple(replace(pen, dash=DASHES[0]) for pen in self.pens if pen.name == name)
        return replace(self, folds={name: self.folds[name]}, pens=pens)

    def by_look(self) -> list[list[CloudStyle]]:
        """Return the pens by their look; those without a colour of their own come first, together."""
        looks: dict[tuple, list[CloudStyle]] = {}
        for pen in self.pens:
            look = (pen.own, pen.colour, pen.symbol, pen.dash, pen.strength)
            looks.setdefault(look, []).append(pen)
        return sorted(looks.values(), key=lambda group: group[0].own)


def cloud_styles(
    names: Sequence[str], colours: Mapping[str, str] | None, lit: Collection[str], style: Style
) -> tuple[CloudStyle, ...]:
    """Return how algorithms are drawn; those that are not `lit` fade, if any is."""
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
    """Return the axis ranges: all folds, contours and regions, and 7 % more; rates end at 0 and 1."""
    outer = gaussian_radius(max(levels)) if levels else 0.0
    reach = []
    for name, table in folds.items():
        values = table.to_numpy(dtype=float)
        shapes = [outer**2 * covariances[name], *([regions[name]] if name in regions else [])]
        half = np.sqrt(np.clip([np.diag(shape) for shape in shapes], 0, None)).max(axis=0)
        reach += [values, values.mean(axis=0) - half, values.mean(axis=0) + half]
    every = np.vstack(reach)
    low, high = every.min(axis=0), every.max(axis=0)
    rates = [_is_rate(name) for name in next(iter(folds.values())).columns]
    low, high = np.where(rates, [np.maximum(low, 0), np.minimum(high, 1)], [low, high])
    pad = np.where(high > low, 0.07 * (high - low), 0.05 * np.maximum(np.abs(high), 1e-3))
    ends = zip((low - pad).tolist(), (high + pad).tolist(), strict=True)
    return tuple(
        (max(a, -0.02), min(b, 1.02)) if rate else (a, b)
        for (a, b), rate in zip(ends, rates, strict=True)
    )


def number_distinct_values(
    folds: Mapping[str, pd.DataFrame], window: Window
) -> dict[str, np.ndarray]:
    """Number the values of each measure so that those that cannot be told apart have one number."""
    values = np.concatenate([table.to_numpy(dtype=float) for table in folds.values()])
    cells = np.column_stack([_cells(values[:, i], window[i]) for i in range(values.shape[1])])
    ends = np.cumsum([len(table) for table in folds.values()])[:-1]
    return dict(zip(folds, np.split(cells, ends), strict=True))


def _cells(values: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """Number values; a number ends at a width from the first value that has it."""
    width, cells = _SAME * (ends[1] - ends[0]), np.zeros(len(values), dtype=int)
    first, cell = -math.inf, -1
    for place in np.argsort(values, kind="stable"):
        if values[place] > first + width:
            first, cell = values[place], cell + 1
        cells[place] = cell
    return cells


def _is_rate(name: object) -> bool:
    """Whether a measure lies in [0, 1] by definition."""
    known = MEASURES.get(known_name(str(name)))
    return known is not None and known.rate


def trace_group_name(pens: Sequence[CloudStyle]) -> str:
    """Return the name of traces of algorithms that look alike."""
    return text.escape(pens[0].name) if len(pens) == 1 else "others"


def short_hover(pens: Sequence[CloudStyle], said: str) -> dict[str, str]:
    """Return what hover says of every mark of several algorithms alike, below what it says of one."""
    if len(pens) == 1:
        return {}
    return {"hovertemplate": f"<b>%{{hovertext}}</b><br>{said}<extra></extra>"}


#: Strength of the shade of a region, in colour and without.
_SHADE, _GREY_SHADE = 0.35, 0.2


def draw_rings(fig: go.Figure, clouds: Clouds, *, outer_only: bool = False, **where: int) -> None:
    """Draw the regions of the means, then the contours of the folds, a trace for each level."""
    groups = clouds.by_look()
    for pens in groups if clouds.regions else ():
        _region(fig, clouds, pens, **where)
    for pens in groups:
        every = sorted(clouds.levels)
        for level in every[-1:] if outer_only or len(pens) > 1 else every:
            inner = len(every) > 1 and level == every[0]
            _contour(fig, clouds, pens, level, inner=inner, **where)


def _contour(
    fig: go.Figure,
    clouds: Clouds,
    pens: Sequence[CloudStyle],
    level: float,
    *,
    inner: bool,
    **where: int,
) -> None:
    """Draw the contours of one level of algorithms that look alike."""
    style, unit, shaded = clouds.style, clouds.unit, bool(clouds.regions)
    inside = (
        f"{format_percent(level)} of {unit}s would fall inside<br>{traces.click_hint('algorithm')}"
    )
    rings = _outlines(clouds, pens, clouds.covariances, gaussian_radius(level), inside)
    fig.add_scatter(
        **rings,
        **traces.line_click_mode(style),
        name=f"{trace_group_name(pens)} {format_percent(level)}",
        line={
            "color": pens[0].colour,
            "width": style.px(1.8, 0.9) if inner and not shaded else style.px(1.2, 0.6),
            "dash": "dot" if inner and shaded else pens[0].dash,  # not to be taken for its edge
        },
        **where,
    )


def _region(fig: go.Figure, clouds: Clouds, pens: Sequence[CloudStyle], **where: int) -> None:
    """Shade the regions of the means of algorithms that look alike; lines are for the spread of folds."""
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
        **where,
    )


def _region_line(clouds: Clouds, pens: Sequence[CloudStyle]) -> dict:
    """Return where the regions of the means end, and what they say: all of them that hangs on the level."""
    said = f"{clouds.level} region of the mean<br>{traces.click_hint('algorithm')}"
    return _outlines(clouds, pens, clouds.regions, 1.0, said)


def with_new_regions(traces: Iterable[dict], clouds: Clouds) -> None:
    """Put the regions of the means into traces of the same clouds with others, as Plotly's JSON."""
    for trace in traces:
        if trace.get("fill") == "toself":
            inside = {owner[0] for owner in trace["customdata"] if owner}
            pens = [pen for pen in clouds.pens if pen.name in inside]
            trace.update(_region_line(clouds, pens))


def _outlines(
    clouds: Clouds,
    pens: Sequence[CloudStyle],
    shapes: Mapping[str, np.ndarray],
    radius: float,
    said: str,
) -> dict:
    """Return the ellipses of algorithms that look alike as one line with holes, and what they say."""
    step = 1 if len(pens) == 1 else 2  # half the points of a contour, which nobody can tell
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
        "hovertext": f"<b>{names[0]}</b><br>{said}" if len(pens) == 1 else names,
        "hoverinfo": "text",
        **short_hover(pens, said),
    }


def _rounded(ring: np.ndarray) -> np.ndarray:
    """Return the points to a ten-thousandth of their extent, in half the letters."""
    extent = float(np.ptp(ring, axis=0).max())
    return ring.round(4 - math.floor(math.log10(extent))) if extent > 0 else ring


def draw_means(fig: go.Figure, clouds: Clouds, *, small: bool = False, **where: int) -> None:
    """Draw the crosses at the means, with an edge of the ground that keeps them off the marks."""
    for strength in (FADED, 1.0):
        names = [pen.name for pen in clouds.pens if pen.strength == strength]
        if names:
            _crosses(fig, clouds, names, strength, small=small, **where)


def _crosses(
    fig: go.Figure,
    clouds: Clouds,
    names: Sequence[str],
    strength: float,
    *,
    small: bool,
    **where: int,
) -> None:
    style, share = clouds.style, 0.7 if small else 1.0
    size, line = share * style.px(13, 8), style.px(1.8, 1)
    edge = {"width": line + share * style.px(4, 2.4), "color": style.page}
    centres = [clouds.mean(name).tolist() for name in names]
    fig.add_scatter(
        x=[x for x, _ in centres],
        y=[y for _, y in centres],
        mode="markers",
        name="halo",
        opacity=strength,
        hoverinfo="skip",
        marker={
            "symbol": "cross-thin",
            "opacity": 1,
            "size": size + share * style.px(3, 1.8),
            "line": edge,
        },
        **where,
    )
    draw_crosses(fig, clouds, names, (size, line, style.ink), opacity=strength, **where)


def draw_crosses(
    fig: go.Figure,
    clouds: Clouds,
    names: Sequence[str],
    look: tuple[float, float, str],
    **more: Any,
) -> None:
    """Draw a thin cross at each mean; `look` is its size, the width and the colour of its lines."""
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
        marker={
            "symbol": "cross-thin",
            "opacity": 1,
            "size": look[0],
            "line": {"width": look[1], "color": look[2]},
        },
        **{"name": "means", **more},
    )


#: With more folds their marks are smaller.
_MANY = 40
#: So many folds at one place are named in hover.
_TOLD = 6


def count_folds_by_position(clouds: Clouds) -> pd.DataFrame:
    """Return the folds by place."""
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
    here = ["strong", "column", "row"]
    middle = rows.groupby(here)[["x", "y"]].transform("mean")
    rows[["x", "y"]] = middle.where(rows.duplicated(here, keep=False), rows[["x", "y"]])
    found = rows.groupby([*here, "owner"], sort=False, as_index=False).agg(
        x=("x", "first"), y=("y", "first"), labels=("label", list), n=("label", "size")
    )
    found = found.sort_values("n", kind="stable")
    found["within"] = found.groupby(here)["n"].cumsum()
    found["layer"] = found.groupby(here).cumcount(ascending=False)
    return found.sort_values(["strong", "layer"], kind="stable")


def largest_place(folds: Mapping[str, pd.DataFrame], window: Window) -> int:
    """Return how many folds of one algorithm lie at one place of two measures, at most."""
    cells = number_distinct_values(folds, window).values()
    return max(int(np.unique(each, axis=0, return_counts=True)[1].max()) for each in cells)


def draw_marks(fig: go.Figure, clouds: Clouds, *, small: bool = False, **where: int) -> None:
    """Draw the folds: light, and where several algorithms share a place around each other.

    What is seen of each has the area of its own number. A mark of one fold stands for the fold,
    one of several for its algorithm. Of folds that are selected `draw_selected` draws the marks.
    """
    found, style = count_folds_by_position(clouds), clouds.style
    largest = style.px(18, 10) if small else style.px(26, 15)
    crowd = 1.0 if len(next(iter(clouds.folds.values()))) <= _MANY else 0.7
    usual = style.px(5, 3) if small else style.px(8, 4.5)
    one = min(crowd * usual, largest / found["within"].max() ** 0.5)
    some = not found["strong"].all()
    edge = (style.px(0.7, 0.4), "" if style.colour else style.leader)
    fill = "light" if style.colour else style.blank
    weak = found[~found["strong"]] if some else found
    _draw(fig, clouds, weak, (one, fill, edge), FADED if some else 1.0, **where)


def draw_selected(fig: go.Figure, clouds: Clouds, **where: int) -> None:
    """Draw the marks of the selected folds, if any is, in full strength over all else."""
    if not clouds.selected:
        return
    found, style = count_folds_by_position(clouds), clouds.style
    if not found["strong"].all():
        look = (style.px(9, 5), "", (style.px(1, 0.6), style.ink))
        _draw(fig, clouds, found[found["strong"]], look, 1.0, **where)


def _draw(
    fig: go.Figure,
    clouds: Clouds,
    found: pd.DataFrame,
    look: tuple[float, str, tuple[float, str]],
    strength: float,
    **where: int,
) -> None:
    """Draw marks; `look` is the size of one fold, fill and edge, where "" is the own colour."""
    one, fill, (wide, edge) = look
    groups = clouds.by_look()
    place_of = {pen.name: place for place, pens in enumerate(groups) for pen in pens}
    keys = [
        "layer",
        found["owner"].map(place_of).rename("look"),
        (found["n"] == 1).rename("single"),
    ]
    for (_, place, single), part in found.groupby(keys):
        pens = groups[place]
        own = pens[0].colour
        traces.add_points(
            fig,
            part["x"].to_list(),
            part["y"].to_list(),
            trace_group_name(pens),
            (one * np.sqrt(part["within"])).round(2).to_list(),
            pens[0].symbol,
            theme.light_fill(own, clouds.style) if fill == "light" else fill or own,
            edge=(wide, edge or own),
            opacity=min(strength, pens[0].strength),
            **_said(part, pens, clouds, bool(single)),
            **where,
        )


def _said(part: pd.DataFrame, pens: Sequence[CloudStyle], clouds: Clouds, single: bool) -> dict:
    """Return what marks say and stand for."""
    kind = "fold" if single else "algorithm"
    offer = traces.click_hint(kind, noun=clouds.unit if single else "")
    first = part["labels"].str[0]
    heads = [
        f"{text.escape(owner)}, {clouds.unit} {text.escape(label)}"
        if single
        else f"{format_count(n, clouds.unit)} of {text.escape(owner)} here"
        for owner, label, n in zip(part["owner"], first, part["n"], strict=True)
    ]
    short = short_hover(pens, f"%{{x:.4~g}}, %{{y:.4~g}}<br>{offer}")
    x_name, y_name = map(text.escape, clouds.measures)
    tails = [
        f"{x_name} {x:.4g}, {y_name} {y:.4g}"
        + ("" if single else f"<br>{text.escape(text.join_escaped(labels, _TOLD))}")
        for x, y, labels in zip(part["x"], part["y"], part["labels"], strict=True)
    ]
    full = [f"<b>{head}</b><br>{tail}<br>{offer}" for head, tail in zip(heads, tails, strict=True)]
    return {
        "said": heads if short else full,
        "customdata": first.to_list() if single else [[owner] for owner in part["owner"]],
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
    """Return the ellipse that holds this share of normal points like these; None on a spot.

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
