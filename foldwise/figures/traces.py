"""Lines, marks, text and legends shared by all figures, with hover text and click behaviour.

Algorithms differ by colour or, in print without colour, by dash and symbol.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, Unpack

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import shapely

from foldwise.figures import text, theme
from foldwise.figures.theme import GREY, MARKERS, Style

#: Kinds of marks (the `meta` of their traces) that answer clicks.
CLICK_ACTIONS = ("algorithm", "group", "pair", "data set", "fold", "theta")
_OFFER = "Click: "

#: One size or colour of all marks, or one per mark.
MarkSizes = float | Sequence[float]
MarkColours = str | Sequence[str] | None


class Subplot(TypedDict, total=False):
    """Row and column of a subplot, counted from 1; empty in a figure without subplots."""

    row: int
    col: int


class Axes(Subplot, total=False):
    """The axes of a trace, by subplot or by names such as "x2"; empty for the first axes."""

    xaxis: str
    yaxis: str


class ClickMode(TypedDict, total=False):
    """Plotly properties that decide whether a line reports clicks."""

    mode: str
    marker: dict[str, Any]
    selected: dict[str, Any]
    unselected: dict[str, Any]


class TraceOptions(Axes, total=False):
    """Plotly properties of any trace."""

    customdata: Sequence[Any] | np.ndarray
    meta: str
    mode: str
    opacity: float
    showlegend: bool
    cliponaxis: bool | None
    selected: dict[str, Any] | None
    unselected: dict[str, Any] | None


class IntervalOptions(Axes, total=False):
    """Plotly properties of intervals."""

    opacity: float


class LineOptions(TraceOptions, total=False):
    """Plotly properties of a line, its `dash`, and its hover text: one, or one per point."""

    hover_text: Sequence[str] | str | None
    dash: str | None
    fill: str
    fillcolor: str
    marker: dict[str, Any]
    error_y: dict[str, Any]
    hoveron: str
    connectgaps: bool
    line_simplify: bool


class TargetOptions(TraceOptions, total=False):
    """Plotly properties of invisible marks."""

    text: Sequence[str]


class PointOptions(TraceOptions, total=False):
    """Plotly properties of marks, of a line between them and of text at them, and hover text."""

    hover_text: Sequence[str] | str | None
    line: dict[str, Any]
    text: Sequence[str]
    textposition: str | Sequence[str] | None
    textfont: dict[str, Any]


class AreaOptions(Axes, total=False):
    """Plotly properties of bars."""

    base: Sequence[float]
    width: float | Sequence[float]
    orientation: str
    customdata: Sequence[Any] | np.ndarray
    meta: str
    opacity: float
    showlegend: bool


class CellTextOptions(Axes, total=False):
    """Plotly properties of short texts in data units."""

    textposition: str | Sequence[str] | None
    opacity: float
    showlegend: bool


class TextOptions(Subplot, total=False):
    """Position and further Plotly properties of an annotation.

    `refs` and `anchor` apply to x and y, such as ``"paper, y"`` and ``"left, middle"``; `shift` is
    in px, right and up. Omitted options keep Plotly's defaults.
    """

    refs: str
    anchor: str
    shift: tuple[float | None, float | None] | None
    name: str
    align: str
    bgcolor: str
    bordercolor: str
    borderwidth: float
    borderpad: float
    hovertext: str | None
    opacity: float
    textangle: float


class Marker(TypedDict):
    """Plotly properties of the marks of an algorithm."""

    symbol: str
    size: MarkSizes
    color: str
    opacity: float
    line: dict[str, Any]


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


def line_click_mode(style: Style) -> ClickMode:
    """Return trace properties that make a line clickable on the screen, through invisible markers."""
    if style.printed:
        return {"mode": "lines"}
    invisible = {"marker": {"opacity": 0}}  # markers of size 0 would be visible
    return {
        "mode": "lines+markers",
        "marker": {"size": 6, "opacity": 0},
        "selected": invisible,
        "unselected": invisible,
    }


def add_line(
    fig: go.Figure,
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    colour: str | None,
    width: float,
    **options: Unpack[LineOptions],
) -> None:
    """Draw a line; it is ignored by the pointer if it has no hover text."""
    hover_text = options.pop("hover_text", None)
    line = {"color": colour, "width": width, "dash": options.pop("dash", None)}
    hover = "skip" if hover_text is None else "text"
    properties = {"mode": "lines", **options}
    fig.add_scatter(
        x=x, y=y, name=name, line=line, hovertext=hover_text, hoverinfo=hover, **properties
    )


def add_paths(
    fig: go.Figure,
    paths: Iterable[Sequence[tuple[float, float]]],
    name: str,
    colour: str | None,
    width: float,
    **options: Unpack[LineOptions],
) -> None:
    """Draw several polylines as one trace."""
    x: list[float | None] = []
    y: list[float | None] = []
    for path in paths:
        x += [*(point[0] for point in path), None]
        y += [*(point[1] for point in path), None]
    options.setdefault("cliponaxis", False)
    if x:
        add_line(fig, x, y, name, colour, width, **options)


def add_intervals(
    fig: go.Figure,
    intervals: Sequence[tuple[float, float, float]],
    name: str,
    colour: str,
    width: float,
    span: tuple[float, float],
    style: Style,
    **options: Unpack[IntervalOptions],
) -> None:
    """Draw intervals (low, high, y); ends beyond the axis `span` are arrowheads at its end."""
    first, last = span
    paths = [((max(low, first), y), (min(high, last), y)) for low, high, y in intervals]
    add_paths(fig, paths, name, colour, width, cliponaxis=None, **options)
    beyond_first = [y for low, _, y in intervals if low < first]
    beyond_last = [y for _, high, y in intervals if high > last]
    arrows = [(first, beyond_first, "triangle-left"), (last, beyond_last, "triangle-right")]
    size = style.px(8, 5)
    for end, y, symbol in arrows:
        if y:
            x = [end] * len(y)
            add_points(fig, x, y, f"{name} arrows", size, symbol, colour, **options)


def add_targets(
    fig: go.Figure,
    points: Sequence[tuple[float, float]],
    name: str,
    hover_text: Sequence[str],
    size: float = 10,
    **options: Unpack[TargetOptions],
) -> None:
    """Draw invisible marks that show hover text and report clicks."""
    x, y = coordinates(points)
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


def coordinates(points: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the x and the y of points."""
    every = list(points)
    return [x for x, _ in every], [y for _, y in every]


def add_names(
    fig: go.Figure,
    names: Sequence[str],
    labels: Sequence[str],
    style: Style,
    kind: str = "algorithm",
) -> None:
    """Add invisible marks that tell figures.js which labels are clickable names of a kind; none in print."""
    if not names or style.printed:
        return
    nowhere = [None] * len(names)
    fig.add_scatter(
        x=nowhere,
        y=nowhere,
        name="names",
        text=list(labels),
        customdata=list(names),
        meta=kind,
        mode="markers",
        hoverinfo="skip",
        showlegend=False,
    )


def connect_names(fig: go.Figure, colours: Mapping[str, str], style: Style) -> None:
    """Write names of algorithms, also shortened ones, in their colours, and make them clickable, in place.

    These are annotations in ink, tick labels and text. Names that are numbers count on an axis of
    names only.
    """
    all_names = {text.plain_text(name): name for name in colours}
    names = {plain: name for plain, name in all_names.items() if not _is_number(name)}
    clickable = _colour_annotations(fig, names, colours, style)  # label -> name
    coloured_labels: dict[str, str] = {}  # label -> markup
    for axis in (*fig.select_xaxes(), *fig.select_yaxes()):
        counted = names if axis.showline is not False else all_names
        markup, named = _colour_tick_labels(axis, counted, colours)
        coloured_labels |= markup
        clickable |= named
    for trace in fig.data:
        if not _has_texts(trace):
            continue
        if trace.mode == "text":
            clickable |= _named_labels(trace.text, names)
        elif trace.mode == "markers":  # figures.js compares them with tick labels
            trace.text = [coloured_labels.get(label, label) for label in trace.text]
            for label in trace.text:
                clickable.pop(label, None)
    add_names(fig, list(clickable.values()), list(clickable), style)


def _has_texts(trace: Any) -> bool:
    """Return whether a trace has one text per point."""
    return trace.type == "scatter" and trace.text is not None and not isinstance(trace.text, str)


def _colour_annotations(
    fig: go.Figure, names: Mapping[str, str], colours: Mapping[str, str], style: Style
) -> dict[str, str]:
    """Colour the annotations that name an algorithm, and return their texts with the names."""
    # Plotly takes long to look up and set each property
    notes = fig.layout.to_plotly_json().get("annotations", ())
    named: dict[str, str] = {}
    colored = False
    for note in notes:
        name = _named(note.get("text"), names)
        if name is None:
            continue
        named[note["text"]] = name
        font = note.get("font", {})
        in_ink = font.get("color") in (None, style.ink, style.second)
        if in_ink and colours[name] != GREY:
            note["font"] = {**font, "color": colours[name]}
            colored = True
    if colored:
        fig.layout.annotations = notes
    return named


def _colour_tick_labels(
    axis: Any, names: Mapping[str, str], colours: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Colour the tick labels that name an algorithm.

    Return the markup of those in colour, and all those as written with the names.
    """
    labels = [str(label) for label in axis.ticktext or ()]
    named = _named_labels(labels, names)
    markup = _coloured_markup(named, colours)
    if markup:
        axis.ticktext = [markup.get(label, label) for label in labels]
    return markup, {markup.get(label, label): name for label, name in named.items()}


def _coloured_markup(named: Mapping[str, str], colours: Mapping[str, str]) -> dict[str, str]:
    """Return the markup of labels in the colours of the algorithms they name, without grey ones."""
    hues = {label: colours[name] for label, name in named.items()}
    return {
        label: f"<span style='color:{hue}'>{label}</span>"
        for label, hue in hues.items()
        if hue != GREY
    }


def _named_labels(labels: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the labels that name an algorithm, each with the name."""
    named = {label: _named(label, names) for label in labels}
    return {label: name for label, name in named.items() if name is not None}


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


def add_points(
    fig: go.Figure,
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    size: MarkSizes,
    symbol: str | Sequence[str] | None = None,
    colour: MarkColours = None,
    edge: tuple[MarkSizes, MarkColours] | None = None,
    **options: Unpack[PointOptions],
) -> None:
    """Draw marks, also beyond the axes, at full opacity regardless of selection.

    `edge` is the width and the colour of the outlines. Marks with hover text return their
    `customdata` on a click, without dimming others; the pointer ignores marks without hover text.
    """
    hover_text = options.pop("hover_text", None)
    marker: dict[str, Any] = {"symbol": symbol, "size": size, "opacity": 1, "color": colour}
    if edge is not None:
        width, edge_colour = edge
        marker["line"] = {"width": width, "color": edge_colour}
    properties: dict[str, Any] = {"mode": "markers", "cliponaxis": False}
    if hover_text is None:
        properties["hoverinfo"] = "skip"
    else:
        unfaded = {"marker": {"opacity": 1}}
        properties |= {"hoverinfo": "text", "hovertext": hover_text, "unselected": unfaded}
    fig.add_scatter(x=x, y=y, name=name, marker=marker, **{**properties, **options})


def add_text(
    fig: go.Figure,
    label: str,
    x: Any,
    y: Any,
    size: float | None = None,
    colour: str | None = None,
    **options: Unpack[TextOptions],
) -> None:
    """Add an annotation without an arrow."""
    x_ref, y_ref = _of_x_and_y(options.pop("refs", ""))
    x_anchor, y_anchor = _of_x_and_y(options.pop("anchor", ""))
    x_shift, y_shift = options.pop("shift", None) or (None, None)
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


def _of_x_and_y(both: str) -> tuple[str | None, str | None]:
    """Return the parts of a string such as "left, middle", for x and y."""
    if not both:
        return None, None
    x, y = both.split(", ")
    return x, y


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
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    fill: MarkColours,
    hover_text: Sequence[str],
    **options: Unpack[AreaOptions],
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
    fill: MarkColours,
    hover_text: Sequence[str],
    *,
    height: float,
    **options: Unpack[AreaOptions],
) -> None:
    """Draw the cells of a matrix as bars, because Plotly's heat maps do not report clicks."""
    x, centres = coordinates(cells)
    options["base"] = [centre - height / 2 for centre in centres]
    add_areas(fig, x, [height] * len(x), name, fill, hover_text, **options)


def add_cell_text(
    fig: go.Figure,
    x: Sequence[Any],
    y: Sequence[Any],
    name: str,
    labels: Sequence[str],
    size: MarkSizes,
    colour: MarkColours,
    **options: Unpack[CellTextOptions],
) -> None:
    """Draw short texts centred at positions in data units."""
    options.setdefault("textposition", "middle center")
    fig.add_scatter(
        x=x,
        y=y,
        name=name,
        text=labels,
        textfont={"size": size, "color": colour},
        mode="text",
        hoverinfo="skip",
        cliponaxis=False,
        **options,
    )


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
        hue = hues.get(name, GREY)
        pen = _Pen(hue, hue, "solid") if style.colour else _pen_without_colour(index, style)
        styles[name] = SeriesStyle(
            colour=pen.colour,
            fill=pen.fill,
            symbol=(symbols or {}).get(name, MARKERS[position % len(MARKERS)]),
            dash=pen.dash,
            own=index is not None,
        )
    return styles


class _Pen(NamedTuple):
    """Colour of a line, fill of its marks, and dash."""

    colour: str
    fill: str
    dash: str


def _pen_without_colour(index: int | None, style: Style) -> _Pen:
    """Return the pen of the algorithm at an index among those with their own; grey for None."""
    if index is None:
        return _Pen(style.leader, style.leader, "solid")
    fill = "#FFFFFF" if index % 2 else style.ink
    return _Pen(style.ink, fill, _DASHES[index % len(_DASHES)])


def with_gaps(values: Iterable[float]) -> list[float | None]:
    """Return `values` as a list with None for values that are not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


class LineSymbols(NamedTuple):
    """Symbols on a line: at which of its points, and their size."""

    indices: Sequence[int]
    size: float


def draw_line(
    fig: go.Figure,
    x: Sequence[float | None],
    y: Sequence[float | None],
    series: SeriesStyle,
    style: Style,
    *,
    width: float,
    name: str,
    symbols: LineSymbols | None = None,
    **options: Unpack[LineOptions],
) -> None:
    """Draw a line in the style of its algorithm, with symbols if given."""
    options["dash"] = series.dash
    add_line(fig, x, y, name, series.colour, width, **options)
    if symbols is not None:
        marked_x = [x[i] for i in symbols.indices]
        marked_y = [y[i] for i in symbols.indices]
        axes = _axes_of(options)
        draw_marks(
            fig, marked_x, marked_y, series, symbols.size, style, name=f"{name} marks", **axes
        )


def draw_marks(
    fig: go.Figure,
    x: Sequence[float | None],
    y: Sequence[float | None],
    series: SeriesStyle,
    size: MarkSizes,
    style: Style,
    *,
    name: str,
    **options: Unpack[TraceOptions],
) -> None:
    """Draw the symbols of a line, without hover text."""
    options.setdefault("cliponaxis", False)
    fig.add_scatter(
        x=x,
        y=y,
        name=name,
        marker=algorithm_marker(series, size, style),
        mode="markers",
        hoverinfo="skip",
        **options,
    )


def _axes_of(options: TraceOptions) -> Axes:
    """Return the axes that the options of a trace name."""
    axes: Axes = {}
    if "xaxis" in options:
        axes["xaxis"] = options["xaxis"]
    if "yaxis" in options:
        axes["yaxis"] = options["yaxis"]
    return axes


def algorithm_marker(
    series: SeriesStyle, size: MarkSizes, style: Style, edge: float | None = None
) -> Marker:
    """Return the marker of an algorithm, with an edge in ink that is `edge` px wide."""
    width = style.px(0.7, 0.6) if edge is None else edge
    return {
        "symbol": series.symbol,
        "size": size,
        "color": series.fill,
        "opacity": 1,
        "line": {"width": width, "color": style.ink},
    }


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
