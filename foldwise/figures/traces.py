"""Lines, marks and words as all figures draw them: what hover says, what a click picks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import shapely

from foldwise.figures.theme import Style

# what a mark may stand for, kept as `meta` of its trace -> what a click on it does
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
    """Return the last line of what hover says: what a click does with a mark of this kind."""
    words = CLICK_ACTIONS[kind].replace(kind, noun or kind)
    return f"{_OFFER}{words if opens else words.split(';')[0]}"


def without_offers(figure: go.Figure) -> go.Figure:
    """Return a figure whose hover promises no click: a file has no page that answers."""
    offered = re.compile(f"<br>{_OFFER}[^<]*")

    def without(part: Any) -> Any:
        if isinstance(part, str):
            return offered.sub("", part)
        if isinstance(part, dict):
            return {key: without(value) for key, value in part.items()}
        if isinstance(part, list | tuple) or (
            isinstance(part, np.ndarray) and part.dtype.kind in "OU"
        ):
            return [without(value) for value in part]
        return part

    return go.Figure(without(figure.to_plotly_json()))


def line_click_mode(style: Style) -> dict[str, Any]:
    """Return the mode of a line that answers clicks: Plotly picks marks only, here unseen ones."""
    unseen = {"marker": {"opacity": 0}}  # of size 0 they would be seen
    more = {"marker": {"size": 6, "opacity": 0}, "selected": unseen, "unselected": unseen}
    return {"mode": "lines"} if style.printed else {"mode": "lines+markers", **more}


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
    **more: Any,
) -> None:
    """Draw a line; hover passes over one of which nothing is `said`."""
    look = {"color": colour, "width": width, "dash": dash}
    hover = "skip" if said is None else "text"
    more = {"mode": "lines", **more}
    fig.add_scatter(x=x, y=y, name=name, line=look, hovertext=said, hoverinfo=hover, **more)


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
    **more: Any,
) -> None:
    """Draw marks in full strength, whatever is selected, also beyond the axes.

    `edge` is the width and the colour of their outlines. A click picks the `customdata` of marks of
    which something is `said`, and dims no others; hover passes over marks of which nothing is.
    """
    marker = {"symbol": symbol, "size": size, "opacity": 1, "color": colour}
    if edge is not None:
        marker["line"] = {"width": edge[0], "color": edge[1]}
    if said is not None:
        more = {"hovertext": said, "unselected": {"marker": {"opacity": 1}}, **more}
    hover = "skip" if said is None else "text"
    more = {"mode": "markers", "cliponaxis": False, "hoverinfo": hover, **more}
    fig.add_scatter(x=x, y=y, name=name, marker=marker, **more)


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
    **more: Any,
) -> None:
    """Write at a place.

    `refs` and `anchor` are those of x and y, such as ``"paper, y"`` and ``"left, middle"``, and
    `shift` is in px, right and up. What is not given is Plotly's own.
    """
    x_ref, y_ref = refs.split(", ") if refs else (None, None)
    right, up = shift or (None, None)
    x_anchor, y_anchor = anchor.split(", ") if anchor else (None, None)
    fig.add_annotation(
        text=said,
        x=x,
        y=y,
        xref=x_ref,
        yref=y_ref,
        xanchor=x_anchor,
        yanchor=y_anchor,
        xshift=right,
        yshift=up,
        font={"size": size, "color": colour},
        **more,
    )


def split_by_selection(
    labels: Sequence[str], selected: Collection[str]
) -> Iterator[tuple[bool, list[int]]]:
    """Yield whether folds keep full strength, and which: first those that fade, then the others.

    All keep it where none of the labels is `selected`.
    """
    chosen = {str(label) for label in selected} & set(labels)
    for lit in (False, True):
        part = [i for i, label in enumerate(labels) if (not chosen or label in chosen) == lit]
        if part:
            yield lit, part


def add_areas(
    fig: go.Figure, x: Sequence, y: Sequence, name: str, fill: Any, said: Sequence[str], **more: Any
) -> None:
    """Draw bars without outlines that speak and come back from a click, as cells of images do not."""
    fig.add_bar(
        x=x,
        y=y,
        name=name,
        marker={"color": fill, "line": {"width": 0}},
        hovertext=said,
        hoverinfo="text",
        unselected={"marker": {"opacity": 1}},
        **more,
    )


def add_cell_text(
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    said: Sequence[str],
    size: Any,
    colour: Any,
    **more: Any,
) -> None:
    """Print short words in the middle of places that stretch with the figure."""
    more = {"textposition": "middle center", "mode": "text", "hoverinfo": "skip", **more}
    font = {"size": size, "color": colour}
    fig.add_scatter(x=x, y=y, name=name, text=said, textfont=font, cliponaxis=False, **more)


#: Share of the plot's side that a curve may move: less than half a pixel of 440.
TOLERANCE = 0.001


def thin_curves(curves: Sequence[pd.DataFrame], tolerance: float = TOLERANCE) -> list[pd.DataFrame]:
    """Return curves without the points that nobody could see.

    Examples
    --------
    >>> line = pd.DataFrame({"x": [0, 0.2, 0.4, 1], "y": [0, 0.2, 0.4, 1]})
    >>> len(thin_curves([line])[0])
    2
    """
    sizes = [len(curve) for curve in curves]
    if not sizes:
        return []
    places = np.concatenate([np.arange(size) for size in sizes])
    points = np.column_stack([pd.concat([c[["x", "y"]] for c in curves]).to_numpy(float), places])
    lines = shapely.linestrings(points, indices=np.repeat(np.arange(len(sizes)), sizes))
    kept = shapely.simplify(lines, tolerance, preserve_topology=False)
    found, owner = shapely.get_coordinates(kept, include_z=True, return_index=True)
    return [
        curve.iloc[found[owner == i, 2].astype(int)].reset_index(drop=True)
        for i, curve in enumerate(curves)
    ]
