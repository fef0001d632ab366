"""Print style of figures, and checks that their text remains readable."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import plotly.graph_objects as go

from foldwise.figures import text
from foldwise.figures.spec import FigureSpec
from foldwise.figures.text import wrap_text
from foldwise.figures.theme import PX_PER_POINT, Style, paper
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from stats_core.core.errors import SettingError

#: Column widths in inches, as set by the templates of the venues.
VENUES = {
    "IEEE, one column": 3.5,
    "IEEE, two columns": 7.16,
    "ACM, one column": 3.33,
    "ACM, two columns": 7.0,
    "LNCS": 4.8,
    "JMLR": 6.0,
    "Elsevier, one column": 3.54,
    "Elsevier, two columns": 7.48,
}
_PAD = 4  # px, margin beside a title
_SIZE = re.compile(r"font-size:\s*([\d.]+)px")
_TAG = re.compile(r"<[^>]*>")
_AXIS = re.compile(r"[xy]axis\d*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StylePanel:
    """Print style shared by the figures of a paper.

    Attributes
    ----------
    width_in : float
        Width in inches, 1 to 20; see `VENUES`.
    serif, colour : bool
        Typeface family, and whether colour may be used.
    points : float
        Text size, 4 to 24.
    title : bool
        Whether each figure has its title above it.
    tested : bool
        Whether it has test, level and number of results below it.
    keeps : bool
        Whether the selection on the screen is emphasised.
    """

    width_in: float = 3.5
    serif: bool = True
    points: float = 8.0
    colour: bool = False
    title: bool = False
    tested: bool = False
    keeps: bool = False

    def __post_init__(self) -> None:
        for name, value, low, high in (("width_in", self.width_in, 1, 20), ("points", self.points, 4, 24)):
            if not low <= value <= high:
                raise SettingError(f"`{name}` must lie between {low} and {high}. {value:g} arrived. Choose another.")

    @property
    def style(self) -> Style:
        """The corresponding style for figure builders."""
        return paper(self.width_in, serif=self.serif, colour=self.colour, points=self.points, keeps=self.keeps)


def draw_for_print(drawing: FigureSpec, panel: StylePanel) -> go.Figure:
    """Return a figure in print style, with title and test line if the panel asks for them."""
    style = panel.style
    figure = drawing.figure(style)
    tested = drawing.tested if panel.tested else ""
    if panel.title or tested:
        figure = go.Figure(figure)
    if panel.title:
        _add_title(figure, drawing.title, style)
    if tested:
        _add_line(figure, tested, style)
    return figure


def _add_title(figure: go.Figure, title: str, style: Style) -> None:
    """Add a title above a figure, whose height grows accordingly."""
    lines = _wrapped(title, style)
    rows = 1.25 * style.size * len(lines) + 0.35 * style.size
    figure.update_layout(
        height=round(figure.layout.height + rows),
        margin={"t": (figure.layout.margin.t or 0) + rows},
        title={
            "text": "<br>".join(text.escape(line) for line in lines),
            "font": {"size": style.size, "color": style.ink},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": _PAD, "t": 0.1 * style.size},
            "automargin": False,
        },
    )


def _add_line(figure: go.Figure, words: str, style: Style) -> None:
    """Add a line of text below a figure, whose height grows accordingly."""
    lines = _wrapped(words, style)
    rows, margin = 1.3 * style.size * len(lines) + 0.4 * style.size, figure.layout.margin
    figure.update_layout(height=round(figure.layout.height + rows), margin={"b": (margin.b or 0) + rows})
    figure.add_annotation(
        text="<br>".join(text.escape(line) for line in lines),
        x=0,
        xref="paper",
        xanchor="left",
        xshift=_PAD - (margin.l or 0),
        y=0,
        yref="paper",
        yanchor="bottom",
        yshift=-((margin.b or 0) - 0.3 * style.size),
        align="left",
        font={"size": style.size, "color": style.ink},
    )


def _wrapped(title: str, style: Style) -> list[str]:
    """Return a title wrapped to the width, cut after three lines."""
    room, face = style.width - 2 * _PAD, {"serif": style.serif}
    return wrap_text(
        title,
        room,
        wide=lambda line: text.text_width(line, style.size, **face),
        cut=lambda line: text.shorten([line], room, style.size, **face)[line],
    )


def smallest_font(figure: go.Figure) -> float:
    """How large is the smallest printed text, in points?

    Examples
    --------
    >>> figure = go.Figure(layout={"annotations": [{"text": "p", "font": {"size": 8}}]})
    >>> figure.update_layout(xaxis_visible=False, yaxis_visible=False) and smallest_font(figure)
    6.0
    """
    sizes = [size for _, size in _texts(figure)]
    return round(min(sizes) / PX_PER_POINT, 2) if sizes else float("inf")


def shortened_names(figure: go.Figure, names: Iterable[object]) -> list[str]:
    """Which of these names are shortened in the figure for want of space?

    Examples
    --------
    >>> figure = go.Figure(layout={"annotations": [{"text": "rand…rest"}]})
    >>> shortened_names(figure, ["knn", "random forest"])
    ['random forest']
    """
    printed = [html.unescape(_TAG.sub("", words)) for words, _ in _texts(figure)]
    cut = [words.partition("\u2026") for words in printed if "\u2026" in words]
    shortened = []
    for name in dict.fromkeys(map(text.plain_text, names)):
        printed_in_full = any(name in words for words in printed)
        if not printed_in_full and any(
            name.startswith(head.strip()) and name.endswith(tail.strip()) for head, _, tail in cut
        ):
            shortened.append(name)
    return shortened


def _texts(figure: go.Figure) -> Iterator[tuple[str, float]]:
    """Yield every printed text with its size in px."""
    values = FigureValues(figure)
    layout = values.layout
    template = layout.template.layout
    usual = layout.font.size or template.font.size or 12
    for trace in values.data:
        yield from _of_trace(trace, usual)
    for note in layout.annotations:
        if note.visible is not False:
            yield from _sized(note.text, note.font.size or usual)
    yield from _sized(layout.title.text, layout.title.font.size or usual)
    for name in sorted({"xaxis", "yaxis", *filter(_AXIS.match, layout)}):
        alike = template[name[:5]] or PlainFigure({})
        yield from _of_axis(layout[name] or PlainFigure({}), alike, usual)
    if layout.showlegend:
        size = layout.legend.font.size or usual
        yield from ((trace.name, size) for trace in values.data if trace.showlegend is not False)


def _of_trace(trace: PlainFigure, usual: float) -> Iterator[tuple[str, float]]:
    words = trace.text
    written = trace.type not in ("scatter", "scattergl") or "text" in (trace.mode or "")
    if words is None or not written or trace.visible not in (None, True):
        return
    font = trace.textfont.size
    listed = [words] if isinstance(words, str) else list(words)
    sizes = [font or usual] * len(listed) if font is None or isinstance(font, int | float) else font
    for label, size in zip(listed, sizes, strict=False):
        yield from _sized(label, size)


def _of_axis(axis: PlainFigure, alike: PlainFigure, usual: float) -> Iterator[tuple[str, float]]:
    """Yield the texts of an axis; `alike` is the axis of the template."""
    if axis.visible is False:
        return
    if axis.showticklabels is not False:
        size = axis.tickfont.size or alike.tickfont.size or usual
        words = ["0"] if axis.ticktext is None else axis.ticktext
        for label in words:
            yield from _sized(label, size)
    yield from _sized(axis.title.text, axis.title.font.size or alike.title.font.size or usual)


def _sized(words: object, size: float) -> Iterator[tuple[str, float]]:
    """Yield a text with its size, or the smaller size in its markup; nothing for blanks."""
    if words is None or not str(words).strip():
        return
    inner = [float(match) for match in _SIZE.findall(str(words))]
    yield str(words), min([size, *inner])
