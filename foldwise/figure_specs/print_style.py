"""How figures look on paper: one style for all, and whether its text can still be read."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import plotly.graph_objects as go

from foldwise.figure_specs.figure_spec import FigureSpec
from foldwise.figures import text
from foldwise.figures.text import wrap_text
from foldwise.figures.theme import PX_PER_POINT, Style, paper
from foldwise.rendering.plain_figure import FigureValues, PlainFigure
from stats_core.core.errors import SettingError

#: Widths of columns in inches, as the venues' templates set them.
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
_PAD = 4  # px beside a title
_SIZE = re.compile(r"font-size:\s*([\d.]+)px")
_TAG = re.compile(r"<[^>]*>")
_AXIS = re.compile(r"[xy]axis\d*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StylePanel:
    """What the figures of one paper share.

    Attributes
    ----------
    width_in : float
        Width in inches, 1 to 20; see `VENUES`.
    serif, colour : bool
        Typeface family, and whether colour may be used.
    points : float
        Text size, 4 to 24.
    title : bool
        Whether each figure carries its title in a line above it.
    tested : bool
        Whether it carries test, level and number of results in a line below it.
    keeps : bool
        Whether what is selected on the screen stands out.
    """

    width_in: float = 3.5
    serif: bool = True
    points: float = 8.0
    colour: bool = False
    title: bool = False
    tested: bool = False
    keeps: bool = False

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("width_in", self.width_in, 1, 20),
            ("points", self.points, 4, 24),
        ):
            if not low <= value <= high:
                raise SettingError(
                    f"`{name}` must lie between {low} and {high}. {value:g} arrived. "
                    "Choose another."
                )

    @property
    def style(self) -> Style:
        """The style that builders take."""
        return paper(
            self.width_in,
            serif=self.serif,
            colour=self.colour,
            points=self.points,
            keeps=self.keeps,
        )


def draw_for_print(drawing: FigureSpec, panel: StylePanel) -> go.Figure:
    """Return a figure as it will be printed, with the lines around it that the panel wants."""
    style = panel.style
    figure = drawing.build(style)
    tested = drawing.tested if panel.tested else ""
    if panel.title or tested:
        figure = go.Figure(figure)
    if panel.title:
        _add_title(figure, drawing.title, style)
    if tested:
        _add_line(figure, tested, style)
    return figure


def _add_title(figure: go.Figure, title: str, style: Style) -> None:
    """Write a title in lines of their own; the figure grows by their height."""
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
    """Write words in lines of their own below a figure, which grows by their height."""
    lines = _wrapped(words, style)
    rows, margin = 1.3 * style.size * len(lines) + 0.4 * style.size, figure.layout.margin
    figure.update_layout(
        height=round(figure.layout.height + rows), margin={"b": (margin.b or 0) + rows}
    )
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
    """Return a title in lines that fit; what three lines do not hold is cut."""
    room, face = style.width - 2 * _PAD, {"serif": style.serif}
    return wrap_text(
        title,
        room,
        wide=lambda line: text.text_width(line, style.size, **face),
        cut=lambda line: text.shorten([line], room, style.size, **face)[line],
    )


def smallest_font(figure: go.Figure) -> float:
    """How many points has the smallest text that is printed?

    Examples
    --------
    >>> figure = go.Figure(layout={"annotations": [{"text": "p", "font": {"size": 8}}]})
    >>> figure.update_layout(xaxis_visible=False, yaxis_visible=False) and smallest_font(figure)
    6.0
    """
    sizes = [size for _, size in _texts(figure)]
    return round(min(sizes) / PX_PER_POINT, 2) if sizes else float("inf")


def shortened_names(figure: go.Figure, names: Iterable[object]) -> list[str]:
    """Which of these names lost their middle, for want of room?

    Examples
    --------
    >>> figure = go.Figure(layout={"annotations": [{"text": "rand…rest"}]})
    >>> shortened_names(figure, ["knn", "random forest"])
    ['random forest']
    """
    printed = [html.unescape(_TAG.sub("", words)) for words, _ in _texts(figure)]
    cut = [words.partition("\u2026") for words in printed if "\u2026" in words]
    found = []
    for name in dict.fromkeys(map(text.plain_text, names)):
        whole = any(name in words for words in printed)
        if not whole and any(
            name.startswith(head.strip()) and name.endswith(tail.strip()) for head, _, tail in cut
        ):
            found.append(name)
    return found


def _texts(figure: go.Figure) -> Iterator[tuple[str, float]]:
    """Yield every text that is printed with its size in px."""
    said = FigureValues(figure)
    layout = said.layout
    template = layout.template.layout
    usual = layout.font.size or template.font.size or 12
    for trace in said.data:
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
        yield from ((trace.name, size) for trace in said.data if trace.showlegend is not False)


def _of_trace(trace: PlainFigure, usual: float) -> Iterator[tuple[str, float]]:
    words = trace.text
    written = trace.type not in ("scatter", "scattergl") or "text" in (trace.mode or "")
    if words is None or not written or trace.visible not in (None, True):
        return
    font = trace.textfont.size
    listed = [words] if isinstance(words, str) else list(words)
    sizes = [font or usual] * len(listed) if font is None or isinstance(font, int | float) else font
    for said, size in zip(listed, sizes, strict=False):
        yield from _sized(said, size)


def _of_axis(axis: PlainFigure, alike: PlainFigure, usual: float) -> Iterator[tuple[str, float]]:
    """Yield texts of an axis; `alike` is what the template says of those of its direction."""
    if axis.visible is False:
        return
    if axis.showticklabels is not False:
        size = axis.tickfont.size or alike.tickfont.size or usual
        words = ["0"] if axis.ticktext is None else axis.ticktext
        for said in words:
            yield from _sized(said, size)
    yield from _sized(axis.title.text, axis.title.font.size or alike.title.font.size or usual)


def _sized(words: object, size: float) -> Iterator[tuple[str, float]]:
    """Yield a text with its size, smaller where its markup says so; nothing for a blank."""
    if words is None or not str(words).strip():
        return
    inner = [float(found) for found in _SIZE.findall(str(words))]
    yield str(words), min([size, *inner])
