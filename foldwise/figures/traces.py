"""Lines, marks and text shared by all figures, with their hover text and click behaviour."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import shapely

from foldwise.figures.theme import Style

# kind of a mark (the `meta` of its trace) -> effect of a click on it
CLICK_ACTIONS = {
    "algorithm": "select the algorithm",
    "group": "select the group",
    "pair": "select the pair; again: open it",
    "data set": "select the data set",
    "fold": "select the fold",
    "theta": "set theta",
}


_OFFER = "Click: "


def click_hint(kind: str, *, opens: bool = True, noun: str = "") -> str:
    """Return the last line of a hover text: the effect of a click on a mark of this kind."""
    action = CLICK_ACTIONS[kind].replace(kind, noun or kind)
    return f"{_OFFER}{action if opens else action.split(';')[0]}"


def without_offers(figure: go.Figure) -> go.Figure:
    """Return a figure without click hints in its hover text, for export to a file."""
    hint_pattern = re.compile(f"<br>{_OFFER}[^<]*")

    def without(part: Any) -> Any:
        if isinstance(part, str):
            return hint_pattern.sub("", part)
        if isinstance(part, dict):
            return {key: without(value) for key, value in part.items()}
        if isinstance(part, list | tuple) or (isinstance(part, np.ndarray) and part.dtype.kind in "OU"):
            return [without(value) for value in part]
        return part

    return go.Figure(without(figure.to_plotly_json()))


def line_click_mode(style: Style) -> dict[str, Any]:
    """Return the mode of a clickable line: Plotly selects markers only, here invisible ones."""
    invisible = {"marker": {"opacity": 0}}  # markers of size 0 would be visible
    options = {"marker": {"size": 6, "opacity": 0}, "selected": invisible, "unselected": invisible}
    return {"mode": "lines"} if style.printed else {"mode": "lines+markers", **options}


def add_line(
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    colour: str | None,
    width: float,
    *,
    dash: str | None = None,
    said: Sequence[str] | str | None = None,
    **options: Any,
) -> None:
    """Draw a line; without hover text `said` the pointer ignores it."""
    line = {"color": colour, "width": width, "dash": dash}
    hover = "skip" if said is None else "text"
    options = {"mode": "lines", **options}
    fig.add_scatter(x=x, y=y, name=name, line=line, hovertext=said, hoverinfo=hover, **options)


def add_paths(
    fig: Any, paths: Iterable[Sequence[tuple]], name: str, colour: str | None, width: float, **options: Any
) -> None:
    """Draw polylines, each a sequence of points, as one line; nothing without polylines."""
    points = [point for path in paths for point in (*path, (None, None))]
    if points:
        add_line(fig, *map(list, zip(*points, strict=True)), name, colour, width, **{"cliponaxis": False, **options})


def add_targets(
    fig: Any, points: Iterable[tuple], name: str, said: Sequence[str], size: float = 10, **options: Any
) -> None:
    """Draw invisible marks that show hover text and report clicks; nothing without points."""
    x, y = map(list, zip(*points, strict=True)) if points else ([], [])
    if x:
        add_points(fig, x, y, name, size, colour="rgba(0,0,0,0)", edge=(0, None), said=said, **options)


def add_points(
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    size: Any,
    symbol: Any = None,
    colour: Any = None,
    edge: tuple[float, str] | None = None,
    *,
    said: Sequence[str] | str | None = None,
    **options: Any,
) -> None:
    """Draw marks at full opacity regardless of selection, also beyond the axes.

    `edge` is the width and the colour of the outlines. Marks with hover text `said` return their
    `customdata` on a click, without dimming others; the pointer ignores marks without hover text.
    """
    marker = {"symbol": symbol, "size": size, "opacity": 1, "color": colour}
    if edge is not None:
        marker["line"] = {"width": edge[0], "color": edge[1]}
    if said is not None:
        options = {"hovertext": said, "unselected": {"marker": {"opacity": 1}}, **options}
    hover = "skip" if said is None else "text"
    options = {"mode": "markers", "cliponaxis": False, "hoverinfo": hover, **options}
    fig.add_scatter(x=x, y=y, name=name, marker=marker, **options)


def add_text(
    fig: go.Figure,
    said: str,
    x: Any,
    y: Any,
    size: float | None = None,
    colour: str | None = None,
    *,
    refs: str = "",
    anchor: str = "",
    shift: tuple[float, float] | None = None,
    **options: Any,
) -> None:
    """Add an annotation without an arrow.

    `refs` and `anchor` apply to x and y, such as ``"paper, y"`` and ``"left, middle"``; `shift` is
    in px, right and up. Omitted arguments keep Plotly's defaults.
    """
    x_ref, y_ref = refs.split(", ") if refs else (None, None)
    x_shift, y_shift = shift or (None, None)
    x_anchor, y_anchor = anchor.split(", ") if anchor else (None, None)
    fig.add_annotation(
        text=said,
        x=x,
        y=y,
        xref=x_ref,
        yref=y_ref,
        xanchor=x_anchor,
        yanchor=y_anchor,
        xshift=x_shift,
        yshift=y_shift,
        font={"size": size, "color": colour},
        **options,
    )


def split_by_selection(labels: Sequence[str], selected: Collection[str]) -> Iterator[tuple[bool, list[int]]]:
    """Yield (is emphasised, indices of folds): first the faded folds, then the others.

    All folds are emphasised if none of the labels is `selected`.
    """
    chosen = {str(label) for label in selected} & set(labels)
    for emphasised in (False, True):
        indices = [i for i, label in enumerate(labels) if (not chosen or label in chosen) == emphasised]
        if indices:
            yield emphasised, indices


def add_areas(
    fig: go.Figure, x: Sequence, y: Sequence, name: str, fill: Any, said: Sequence[str], **options: Any
) -> None:
    """Draw bars without outlines that have hover text and report clicks, unlike heat map cells."""
    fig.add_bar(
        x=x,
        y=y,
        name=name,
        marker={"color": fill, "line": {"width": 0}},
        hovertext=said,
        hoverinfo="text",
        unselected={"marker": {"opacity": 1}},
        **options,
    )


def add_cell_text(
    fig: go.Figure, x: Sequence, y: Sequence, name: str, said: Sequence[str], size: Any, colour: Any, **options: Any
) -> None:
    """Print short text centred at positions that stretch with the figure."""
    options = {"textposition": "middle center", "mode": "text", "hoverinfo": "skip", **options}
    font = {"size": size, "color": colour}
    fig.add_scatter(x=x, y=y, name=name, text=said, textfont=font, cliponaxis=False, **options)


#: Largest displacement of a simplified curve as a share of the plot's side: under half a px of 440.
TOLERANCE = 0.001


def thin_curves(curves: Sequence[pd.DataFrame], tolerance: float = TOLERANCE) -> list[pd.DataFrame]:
    """Return curves without points whose removal is invisible.

    Examples
    --------
    >>> line = pd.DataFrame({"x": [0, 0.2, 0.4, 1], "y": [0, 0.2, 0.4, 1]})
    >>> len(thin_curves([line])[0])
    2
    """
    sizes = [len(curve) for curve in curves]
    if not sizes:
        return []
    positions = np.concatenate([np.arange(size) for size in sizes])
    points = np.column_stack([pd.concat([c[["x", "y"]] for c in curves]).to_numpy(float), positions])
    lines = shapely.linestrings(points, indices=np.repeat(np.arange(len(sizes)), sizes))
    simplified = shapely.simplify(lines, tolerance, preserve_topology=False)
    coordinates, owner = shapely.get_coordinates(simplified, include_z=True, return_index=True)
    return [curve.iloc[coordinates[owner == i, 2].astype(int)].reset_index(drop=True) for i, curve in enumerate(curves)]
