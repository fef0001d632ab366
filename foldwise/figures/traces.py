"""Lines, marks, text and legends shared by all figures, with hover text and click behaviour.

Algorithms differ by colour or, in print without colour, by dash and symbol.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import shapely

from foldwise.figures import text, theme
from foldwise.figures.theme import GREY, MARKERS, Style

#: Kinds of marks (the `meta` of their traces) that answer clicks.
CLICK_ACTIONS = ("algorithm", "group", "pair", "data set", "fold", "theta")
_OFFER = "Click: "


def click_hint(kind: str, *, opens: bool = True, noun: str = "") -> str:
    """Return the last line of a hover text: what a click on this kind of mark does."""
    action = "set θ" if kind == "theta" else f"select the {noun or kind}"
    return f"{_OFFER}{action}{' (click again: open)' if opens and kind == 'pair' else ''}"


def without_offers(figure: go.Figure) -> go.Figure:
    """Return a copy of a figure without click hints in hover texts, for export."""
    hint_pattern = re.compile(f"<br>{_OFFER}[^<]*")

    def without(part: Any) -> Any:
        if isinstance(part, str):
            return hint_pattern.sub("", part)
        if isinstance(part, dict):
            return {key: without(value) for key, value in part.items()}
        if isinstance(part, list | tuple) or (
            isinstance(part, np.ndarray) and part.dtype.kind in "OU"
        ):
            return [without(value) for value in part]
        return part

    return go.Figure(without(figure.to_plotly_json()))


def line_click_mode(style: Style) -> dict[str, Any]:
    """Return trace properties that make a line clickable on the screen, through invisible markers."""
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
    hover_text: Sequence[str] | str | None = None,
    **options: Any,
) -> None:
    """Draw a line; it is ignored by the pointer if `hover_text` is None."""
    line = {"color": colour, "width": width, "dash": dash}
    hover = "skip" if hover_text is None else "text"
    options = {"mode": "lines", **options}
    fig.add_scatter(
        x=x, y=y, name=name, line=line, hovertext=hover_text, hoverinfo=hover, **options
    )


def add_paths(
    fig: Any,
    paths: Iterable[Sequence[tuple]],
    name: str,
    colour: str | None,
    width: float,
    **options: Any,
) -> None:
    """Draw several polylines as one trace."""
    points = [point for path in paths for point in (*path, (None, None))]
    if points:
        add_line(
            fig,
            *map(list, zip(*points, strict=True)),
            name,
            colour,
            width,
            **{"cliponaxis": False, **options},
        )


def add_intervals(
    fig: Any,
    intervals: Sequence[tuple[float, float, float]],
    name: str,
    colour: str,
    width: float,
    span: tuple[float, float],
    style: Style,
    **options: Any,
) -> None:
    """Draw intervals (low, high, y); ends beyond the axis `span` are arrowheads at its end."""
    paths = [((max(low, span[0]), y), (min(high, span[1]), y)) for low, high, y in intervals]
    add_paths(fig, paths, name, colour, width, cliponaxis=None, **options)
    beyond = {
        "left": [y for low, _, y in intervals if low < span[0]],
        "right": [y for _, high, y in intervals if high > span[1]],
    }
    for end, (side, y) in zip(span, beyond.items(), strict=True):
        if y:
            add_points(
                fig,
                [end] * len(y),
                y,
                f"{name} arrows",
                style.px(8, 5),
                f"triangle-{side}",
                colour,
                **options,
            )


def add_targets(
    fig: Any,
    points: Iterable[tuple],
    name: str,
    hover_text: Sequence[str],
    size: float = 10,
    **options: Any,
) -> None:
    """Draw invisible marks that show hover text and report clicks."""
    x, y = map(list, zip(*points, strict=True)) if points else ([], [])
    if x:
        add_points(
            fig,
            x,
            y,
            name,
            size,
            colour="rgba(0,0,0,0)",
            edge=(0, None),
            hover_text=hover_text,
            **options,
        )


def add_names(
    fig: go.Figure,
    names: Sequence[str],
    labels: Sequence[str],
    style: Style,
    kind: str = "algorithm",
) -> None:
    """Add invisible marks that tell figures.js which labels are clickable names of a kind; none in print."""
    if names and not style.printed:
        nowhere, options = (
            [None] * len(names),
            {"mode": "markers", "hoverinfo": "skip", "showlegend": False},
        )
        data = {"text": list(labels), "customdata": list(names), "meta": kind}
        fig.add_scatter(x=nowhere, y=nowhere, name="names", **data, **options)


def connect_names(fig: go.Figure, colours: Mapping[str, str], style: Style) -> None:
    """Write names of algorithms, also shortened ones, in their colours, and make them clickable, in place.

    These are annotations in ink, tick labels and text. Names that are numbers count on an axis of
    names only.
    """
    all_names = {text.plain_text(name): name for name in colours}
    names = {plain: name for plain, name in all_names.items() if not _is_number(name)}
    clickable: dict[str, str] = {}  # label -> name
    notes = fig.layout.to_plotly_json().get(
        "annotations", ()
    )  # Plotly takes long to look up and set each property
    colored = False
    for note in notes:
        font, name = note.get("font", {}), _named(note.get("text"), names)
        if name is not None:
            clickable[note["text"]] = name
            if colours[name] != GREY and font.get("color") in (None, style.ink, style.second):
                note["font"], colored = {**font, "color": colours[name]}, True
    if colored:
        fig.layout.annotations = notes
    written: dict[str, str] = {}
    for axis in (*fig.select_xaxes(), *fig.select_yaxes()):
        labels = list(map(str, axis.ticktext or ()))
        options = names if axis.showline is not False else all_names
        of_axis = {label: name for label in labels if (name := _named(label, options)) is not None}
        hues = {label: colours[name] for label, name in of_axis.items() if colours[name] != GREY}
        spans = {label: f"<span style='color:{hue}'>{label}</span>" for label, hue in hues.items()}
        if spans:
            axis.ticktext = [spans.get(label, label) for label in labels]
        written |= spans
        clickable |= {spans.get(label, label): name for label, name in of_axis.items()}
    for trace in fig.data:
        if trace.type == "scatter" and trace.text is not None and not isinstance(trace.text, str):
            if trace.mode == "text":
                clickable |= {
                    label: name
                    for label in trace.text
                    if (name := _named(label, names)) is not None
                }
            elif trace.mode == "markers":  # figures.js compares them with tick labels
                trace.text = [written.get(label, label) for label in trace.text]
                clickable = {
                    label: name for label, name in clickable.items() if label not in trace.text
                }
    add_names(fig, list(clickable.values()), list(clickable), style)


def mark_colours(
    names: Iterable[str], colours: Mapping[str, str] | None, style: Style
) -> list[str]:
    """Return the colours of marks of algorithms: their own, or ink."""
    own = (colours or {}) if style.colour else {}
    return [style.ink if own.get(str(name), GREY) == GREY else own[str(name)] for name in names]


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _named(markup: str | None, names: Mapping[str, str]) -> str | None:
    """Return the algorithm that a text names, perhaps shortened; None if no name or several match."""
    if not markup:
        return None
    printed = html.unescape(re.sub("<[^>]*>", "", markup.replace("<br>", " ")))
    if printed in names:
        return names[printed]
    head, cut, tail = printed.partition("\N{HORIZONTAL ELLIPSIS}")
    matching = [
        name
        for name in names
        if cut and name.startswith(head.strip()) and name.endswith(tail.strip())
    ]
    return names[matching[0]] if len(matching) == 1 else None


def add_points(  # noqa: PLR0913
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    size: Any,
    symbol: Any = None,
    colour: Any = None,
    edge: tuple[float, str] | None = None,
    *,
    hover_text: Sequence[str] | str | None = None,
    **options: Any,
) -> None:
    """Draw marks, also beyond the axes, at full opacity regardless of selection.

    `edge` is the width and the colour of the outlines. Marks with hover text `hover_text` return
    their `customdata` on a click, without dimming others; the pointer ignores marks without hover
    text.
    """
    marker = {"symbol": symbol, "size": size, "opacity": 1, "color": colour}
    if edge is not None:
        marker["line"] = {"width": edge[0], "color": edge[1]}
    if hover_text is not None:
        options = {"hovertext": hover_text, "unselected": {"marker": {"opacity": 1}}, **options}
    hover = "skip" if hover_text is None else "text"
    options = {"mode": "markers", "cliponaxis": False, "hoverinfo": hover, **options}
    fig.add_scatter(x=x, y=y, name=name, marker=marker, **options)


def add_text(  # noqa: PLR0913
    fig: go.Figure,
    label: str,
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
        text=label,
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


def split_by_selection(
    labels: Sequence[str], selected: Collection[str]
) -> Iterator[tuple[bool, list[int]]]:
    """Yield (is emphasised, fold indices), faded folds first.

    All folds are emphasised if none of the labels is `selected`.
    """
    emphasised_labels = {str(label) for label in selected} & set(labels)
    for emphasised in (False, True):
        indices = [
            i
            for i, label in enumerate(labels)
            if (not emphasised_labels or label in emphasised_labels) == emphasised
        ]
        if indices:
            yield emphasised, indices


#: Largest numbers of marks of one series, and of all series of a figure.
_MOST_MARKS, _MOST_IN_ALL = 2_000, 8_000


def most_marks(n_series: int = 1) -> int:
    """Return the largest number of marks of each of `n_series` series."""
    return max(min(_MOST_MARKS, _MOST_IN_ALL // n_series), 100)


def thin_marks(values: np.ndarray, n_series: int = 1, selected: Collection[int] = ()) -> np.ndarray:
    """Return the positions of the values to draw as marks: all, or of many the extremes and every k-th by rank.

    Examples
    --------
    >>> thin_marks(np.array([3.0, 1.0, 2.0])), len(thin_marks(np.arange(10_000.0)))
    (array([0, 1, 2]), 2000)
    """
    n, most = len(values), most_marks(n_series)
    if n <= most:
        return np.arange(n)
    ranks = np.linspace(0, n - 1, most).round().astype(int)
    return np.union1d(
        np.argsort(values, kind="stable")[ranks], np.asarray(list(selected), dtype=int)
    )


def add_areas(
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    fill: Any,
    hover_text: Sequence[str],
    **options: Any,
) -> None:
    """Draw bars without outlines that have hover text and report clicks."""
    fig.add_bar(
        x=x,
        y=y,
        name=name,
        marker={"color": fill, "line": {"width": 0}},
        hovertext=hover_text,
        hoverinfo="text",
        unselected={"marker": {"opacity": 1}},
        **options,
    )


def add_cells(
    fig: go.Figure,
    cells: Sequence[tuple[float, float]],
    name: str,
    fill: Any,
    hover_text: Sequence[str],
    *,
    width: float,
    height: float,
    **options: Any,
) -> None:
    """Draw the cells of a matrix as bars, because Plotly's heat maps do not report clicks."""
    x, y = zip(*cells, strict=True) if cells else ((), ())
    base = [centre - height / 2 for centre in y]
    add_areas(fig, x, [height] * len(x), name, fill, hover_text, base=base, width=width, **options)


def add_cell_text(
    fig: go.Figure,
    x: Sequence,
    y: Sequence,
    name: str,
    labels: Sequence[str],
    size: Any,
    colour: Any,
    **options: Any,
) -> None:
    """Draw short texts centred at positions in data units."""
    options = {"textposition": "middle center", "mode": "text", "hoverinfo": "skip", **options}
    font = {"size": size, "color": colour}
    fig.add_scatter(x=x, y=y, name=name, text=labels, textfont=font, cliponaxis=False, **options)


#: Largest displacement of a simplified curve as a share of the plot's side: under half a px of 440.
TOLERANCE = 0.001


def thin_curves(curves: Sequence[pd.DataFrame], tolerance: float = TOLERANCE) -> list[pd.DataFrame]:
    """Return curves without points whose removal is not visible.

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
    points = np.column_stack(
        [pd.concat([c[["x", "y"]] for c in curves]).to_numpy(float), positions]
    )
    lines = shapely.linestrings(points, indices=np.repeat(np.arange(len(sizes)), sizes))
    simplified = shapely.simplify(lines, tolerance, preserve_topology=False)
    coordinates, owner = shapely.get_coordinates(simplified, include_z=True, return_index=True)
    return [
        curve.iloc[coordinates[owner == i, 2].astype(int)].reset_index(drop=True)
        for i, curve in enumerate(curves)
    ]


#: The theme's dashes in px, short enough for lines of one inch in print.
_DASHES = ("solid", "4px,2px", "1px,2px", "4px,2px,1px,2px", "9px,2px", "9px,2px,1px,2px")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesStyle:
    """Colour, fill, symbol and dash of one algorithm's line."""

    colour: str  # of lines; ink in print without colour
    fill: str  # of marks; in print without colour every second algorithm is white
    # symbol, dash: marker and, in print without colour, dash; lines in colour are solid
    symbol: str
    dash: str
    own: bool  # whether the algorithm has a colour or, in print, a dash of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedStyle(SeriesStyle):
    """Style of an algorithm with its name, and with an opacity that depends on the selection."""

    name: str
    strength: float


def series_styles(
    names: Sequence[str],
    style: Style,
    colours: Mapping[str, str] | None = None,
    symbols: Mapping[str, str] | None = None,
) -> dict[str, SeriesStyle]:
    """Return the line and mark style of every algorithm."""
    hues = theme.colours(list(names), dark=style.dark) if colours is None else colours
    coloured = [name for name in names if hues.get(name, GREY) != GREY]
    styles = {}
    for position, name in enumerate(names):
        index = coloured.index(name) if name in coloured else None
        fields = {
            "symbol": (symbols or {}).get(name, MARKERS[position % len(MARKERS)]),
            "own": index is not None,
        }
        if style.colour:
            fields |= {
                "colour": hues.get(name, GREY),
                "fill": hues.get(name, GREY),
                "dash": "solid",
            }
        elif index is None:
            fields |= {"colour": style.leader, "fill": style.leader, "dash": "solid"}
        else:
            fill = "#FFFFFF" if index % 2 else style.ink
            fields |= {"colour": style.ink, "fill": fill, "dash": _DASHES[index % len(_DASHES)]}
        styles[name] = SeriesStyle(**fields)
    return styles


def with_gaps(values: Iterable[float]) -> list[float | None]:
    """Return `values` as a list with None for values that are not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


def draw_line(  # noqa: PLR0913
    fig: go.Figure,
    x: Sequence[float | None],
    y: Sequence[float | None],
    series: SeriesStyle,
    style: Style,
    *,
    width: float,
    name: str,
    marked: Sequence[int] | None = None,
    size: float = 0,
    **options: Any,
) -> None:
    """Draw a line in the style of its algorithm, with symbols at the indices `marked`."""
    axes = {key: options[key] for key in ("xaxis", "yaxis") if key in options}
    add_line(fig, x, y, name, series.colour, width, dash=series.dash, **options)
    if marked is not None:
        marked_points = [x[i] for i in marked], [y[i] for i in marked]
        draw_marks(fig, *marked_points, series, size, style, name=f"{name} marks", **axes)


def draw_marks(
    fig: go.Figure,
    x: Sequence[float],
    y: Sequence[float | None],
    series: SeriesStyle,
    size: float,
    style: Style,
    **options: Any,
) -> None:
    """Draw the symbols of a line, without hover text."""
    options = {"mode": "markers", "hoverinfo": "skip", "cliponaxis": False, **options}
    fig.add_scatter(x=x, y=y, marker=algorithm_marker(series, size, style), **options)


def algorithm_marker(
    series: SeriesStyle, size: Any, style: Style, edge: float | None = None
) -> dict[str, Any]:
    """Return the marker of an algorithm, with an edge in ink that is `edge` px wide."""
    line = {"width": style.px(0.7, 0.6) if edge is None else edge, "color": style.ink}
    return {"symbol": series.symbol, "size": size, "color": series.fill, "opacity": 1, "line": line}


def key_height(words: Sequence[str], room: float, style: Style) -> float:
    """Return the height in px of a legend with entries `words` and width `room` px."""
    swatch = style.px(50, 44)  # line, symbol and the space around a name
    item_widths = [text.text_width(word, style.size, style.serif) + swatch for word in words]
    rows = (
        1
        if sum(item_widths) <= room
        else math.ceil(len(item_widths) / max(int(room / max(item_widths)), 1))
    )
    return rows * 1.55 * style.size + style.px(6, 3)


def draw_key(
    fig: go.Figure, words: Mapping[str, str], drawn: Mapping[str, SeriesStyle], style: Style
) -> None:
    """Draw a legend of the algorithms in `words` along the upper edge."""
    for name, word in words.items():
        line_style = drawn[name]
        fig.add_scatter(
            x=[None],
            y=[None],
            mode="lines+markers",
            name=text.escape(word),
            line={"color": line_style.colour, "width": style.px(2.2, 1.1), "dash": line_style.dash},
            marker=algorithm_marker(line_style, style.px(8, 5), style),
            showlegend=True,
            hoverinfo="skip",
        )
    for trace in fig.data[: -len(words)]:
        trace.showlegend = False
    fig.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "xref": "paper",
            "x": 0,
            "xanchor": "left",
            "yref": "container",
            "y": 1,
            "yanchor": "top",
            "itemclick": False,
            "itemdoubleclick": False,
            "tracegroupgap": 0,
            "bgcolor": "rgba(0,0,0,0)",
            "font": {"size": style.size, "color": style.ink},
        },
    )


_POINTS = 97  # of an ellipse


def cut_ring(ring: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """Return the pieces of a closed line within a rectangle: [the line] if all of it is inside, [] if nothing is."""
    inside = ((ring >= low) & (ring <= high)).all(axis=1)
    if inside.all():
        return [ring]
    start = int(np.argmin(inside))  # outside, so that no piece is divided
    ring = np.vstack([ring[start:-1], ring[: start + 1]])
    return [
        shapely.get_coordinates(part)
        for part in shapely.get_parts(shapely.clip_by_rect(shapely.LineString(ring), *low, *high))
    ]


def ellipse(centre: np.ndarray, matrix: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Return a closed path of points x with (x - centre)' matrix^-1 (x - centre) = radius^2.

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
    """Return the Mahalanobis radius that contains probability `level` of a bivariate Gaussian.

    Examples
    --------
    >>> round(gaussian_radius(0.5) ** 2, 3), round(gaussian_radius(0.9) ** 2, 3)
    (1.386, 4.605)
    """
    return float(np.sqrt(-2 * np.log(1 - level)))
