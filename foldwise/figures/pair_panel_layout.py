"""Layout of the panels of a pair: columns, rows, titles, notes and axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.axis_parts import tick_axis
from foldwise.figures.pair_panel_data import Panel
from foldwise.figures.theme import Style
from foldwise.figures.threshold_axes import key_height

#: Least width in px of a panel with its axis, on the screen and in print.
_LEAST = (240, 150)
_MOST_COLUMNS = 3
#: Largest number of lines of a note.
_MOST_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The axes of one panel."""

    x: tuple[float, float]  # x, y: ranges of the axes
    y: tuple[float, float]
    x_ticks: tuple[list[float], list[str]]  # x_ticks, y_ticks: positions and labels
    y_ticks: tuple[list[float], list[str]]
    x_title: str  # x_title, y_title: not escaped
    y_title: str
    square: bool = False  # whether both axes have the same scale


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelGrid:
    """Sizes in px, and text shortened to fit."""

    margin: dict[str, float]
    height: float
    columns: int  # panels in a row
    plot: float  # plot, side: width and height of the plot of one panel
    side: float
    gap: float  # gap, foot: space left of a plot and below it
    foot: float
    # heads, tops: per row of panels: room above the plots, and top of the plots, from the
    # upper edge of the first
    heads: list[float]
    tops: list[float]
    size: float  # size, small: of text: titles; numbers and notes
    small: float
    titles: list[str]  # per panel, not escaped
    notes: list[list[str]]  # lines per panel, not escaped
    key: dict[str, str]  # legend text of each algorithm


def panel_grid(
    panels: Sequence[Panel], names: tuple[str, str], style: Style, numbers: float = 0.0
) -> PanelGrid:
    """Return the sizes for `panels` with numbers `numbers` px wide at the left of the plots."""
    column = style.printed and style.width < 480
    size = 9.33 if column else style.size
    small = 8.0 if column else style.px(style.tick_size, 9.33)
    max_columns = int(style.width / style.px(*_LEAST))
    columns = min(len(panels), max(max_columns, 1), _MOST_COLUMNS)
    gap = max(2.6 * small, numbers) + 0.7 * small + 1.3 * size
    pad = style.px(10, 6)
    plot = (style.width - columns * (gap + pad)) / columns
    side = min(plot, style.px(260, 190))
    cell = plot + 0.6 * gap
    notes = [_wrapped(panel.note, cell, small, style) for panel in panels]
    titles = [f"({chr(97 + i)}) {text.plain_text(panel.label)}" for i, panel in enumerate(panels)]
    short = text.shorten(titles, cell, size, serif=style.serif, bold=True)
    foot = style.px(4, 3) + 1.4 * small + 1.9 * size
    key = text.shorten(list(names), 0.36 * style.width, style.size, serif=style.serif)
    legend_height = key_height(list(key.values()), style.width - gap, style) + style.px(6, 4)
    heads = [
        1.5 * size + 1.3 * small * max(map(len, notes[i : i + columns])) + style.px(8, 4)
        for i in range(0, len(panels), columns)
    ]
    tops = [i * (side + foot) + sum(heads[1 : i + 1]) for i in range(len(heads))]
    return PanelGrid(
        margin={"l": gap, "r": pad, "t": legend_height + heads[0], "b": foot},
        height=legend_height + heads[0] + tops[-1] + side + foot,
        columns=columns,
        plot=plot,
        side=side,
        gap=gap + pad,
        foot=foot,
        heads=heads,
        tops=tops,
        size=size,
        small=small,
        titles=[short[title] for title in titles],
        notes=notes,
        key=key,
    )


def _wrapped(note: str, room: float, size: float, style: Style) -> list[str]:
    """Return a note in lines that fit; the last line is shortened in the middle if necessary."""
    lines: list[str] = []
    words = text.plain_text(note).split()
    while words:
        count = 1
        while count < len(words) and _fits(words[: count + 1], room, size, style):
            count += 1
        if len(lines) == _MOST_LINES - 1:
            count = len(words)
        line = " ".join(words[:count])
        lines.append(text.shorten([line], room, size, serif=style.serif)[line])
        words = words[count:]
    return lines


def _fits(words: Sequence[str], room: float, size: float, style: Style) -> bool:
    return text.text_width(" ".join(words), size, style.serif) <= room


def axis_names(place: int) -> dict[str, str]:
    """Return the axis names of the traces of a panel."""
    number = str(place + 1) if place else ""
    return {"xaxis": f"x{number}", "yaxis": f"y{number}"}


def draw_frame(fig: go.Figure, views: Sequence[View], frame: PanelGrid, style: Style) -> None:
    """Set the axes of every panel, and write its title and note."""
    width = frame.columns * frame.plot + (frame.columns - 1) * frame.gap
    height = frame.tops[-1] + frame.side
    for index, view in enumerate(views):
        row, column = divmod(index, frame.columns)
        left, top = column * (frame.plot + frame.gap), height - frame.tops[row]
        number = str(index + 1) if index else ""
        x_axis = _axis(view.x, view.x_ticks, view.x_title, frame)
        y_axis = _axis(view.y, view.y_ticks, view.y_title, frame)
        x_axis["domain"] = [left / width, min((left + frame.plot) / width, 1.0)]
        y_axis["domain"] = [max((top - frame.side) / height, 0.0), min(top / height, 1.0)]
        x_axis["anchor"], y_axis["anchor"] = f"y{number}", f"x{number}"
        if view.square:
            x_axis |= {"constrain": "domain", "constraintoward": "left"}
            y_axis |= {"constrain": "domain", "scaleanchor": f"x{number}", "scaleratio": 1}
        fig.update_layout({f"xaxis{number}": x_axis, f"yaxis{number}": y_axis})
        _head(fig, frame, index, left / width, top / height, style)


def _axis(
    span: tuple[float, float], numbers: tuple[list[float], list[str]], title: str, frame: PanelGrid
) -> dict[str, Any]:
    return {
        **tick_axis(numbers[0], numbers[1], list(span)),
        "tickangle": 0,
        "tickfont": {"size": frame.small},
        "title": {"text": text.escape(title), "standoff": 3, "font": {"size": frame.size}},
    }


def _head(fig: go.Figure, frame: PanelGrid, index: int, x: float, y: float, style: Style) -> None:
    """Write the title of a panel in bold, and its note below, above the plot."""
    position = {
        "xref": "paper",
        "yref": "paper",
        "x": x,
        "y": y,
        "xanchor": "left",
        "xshift": -0.6 * frame.gap,
        "align": "left",
    }
    lines, head = frame.notes[index], frame.heads[index // frame.columns]
    if lines:
        fig.add_annotation(
            text="<br>".join(text.escape(line) for line in lines),
            name="note",
            yanchor="top",
            yshift=head - 1.5 * frame.size - style.px(2, 1),
            font={"size": frame.small, "color": style.second},
            **position,
        )
    fig.add_annotation(
        text=f"<b>{text.escape(frame.titles[index])}</b>",
        name="title",
        yanchor="top",
        yshift=head - style.px(2, 1),
        font={"size": frame.size, "color": style.ink},
        **position,
    )
