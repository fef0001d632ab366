"""Export of figures in print style: single files, checks of their text, and a zip with numbers."""

import html
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from foldwise.figures import registry, text, theme, traces
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import LEAST_POINTS, PX_PER_INCH, PX_PER_POINT, Style
from foldwise.rendering import from_plotly
from foldwise.rendering.scene import rendering_text
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError
from stats_core.report import text_report
from stats_core.report.paper_sentence import paper_sentence

FORMATS = ("pdf", "svg", "png", "html", "tikz")
ENDINGS = {"tikz": "tex"}
FORMAT_OF = {f".{ENDINGS.get(fmt, fmt)}": fmt for fmt in FORMATS}  # by the ending of a path
Progress = Callable[[int, int], object]
_SCRIPT = "plotly.min.js"
_LONGEST = 80  # largest number of characters in a file name
#: Column widths in inches, as set by the templates of the venues.
VENUES = {
    "IEEE, one column": 3.5,
    "IEEE, two columns": 7.16,
    "ACM, one column": 3.33,
    "ACM, two columns": 7.0,
    "LNCS": 4.8,
    "JMLR": 6.0,
    "NeurIPS": 5.5,
    "APA": 6.5,
    "Elsevier, one column": 3.54,
    "Elsevier, two columns": 7.48,
}
_PAD = 4  # px, margin next to a title
_SIZE = re.compile(r"font-size:\s*([\d.]+)px")
_TAG = re.compile(r"<[^>]*>")
_AXIS = re.compile(r"[xy]axis\d*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class StylePanel:
    """Print style shared by the figures of a paper; SettingError for a width or text size out of range.

    Attributes
    ----------
    width_in : float
        Width in inches, 1 to 20, as in `VENUES`.
    serif, colour : bool
        Whether text has serifs, and whether colour may be used.
    points : float
        Text size in points, 4 to 24.
    title : bool
        Whether each figure has its title above it.
    tested : bool
        Whether each figure has test, level and number of results below it.
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
        for name, value, low, high in (
            ("width_in", self.width_in, 1, 20),
            ("points", self.points, 4, 24),
        ):
            if not low <= value <= high:
                raise SettingError(
                    rendering_text(
                        "figure_files.out_of_range", name=name, value=value, low=low, high=high
                    )
                )

    @property
    def style(self) -> Style:
        """Print style of these settings."""
        return theme.paper(
            self.width_in,
            serif=self.serif,
            colour=self.colour,
            points=self.points,
            keeps=self.keeps,
        )


def draw_for_print(drawing: FigureSpec, panel: StylePanel) -> go.Figure:
    """Return a figure in print style, with title and test line if the panel has them.

    With neither, it is the cached figure itself, which must not be changed.
    """
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
    """Add a title above a figure in place, increasing its height."""
    words, n_lines = _wrapped(title, style)
    rows = 1.25 * style.size * n_lines + 0.35 * style.size
    at = {
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
    }
    font = {"size": style.size, "color": style.ink}
    pad = {"l": _PAD, "t": 0.1 * style.size}
    figure.update_layout(
        height=round(figure.layout.height + rows),
        margin={"t": (figure.layout.margin.t or 0) + rows},
        title={"text": words, "font": font, "pad": pad, "automargin": False, **at},
    )


def _add_line(figure: go.Figure, line: str, style: Style) -> None:
    """Add a line of text below a figure in place, increasing its height."""
    words, n_lines = _wrapped(line, style)
    rows = 1.3 * style.size * n_lines + 0.4 * style.size
    margin = figure.layout.margin
    figure.update_layout(
        height=round(figure.layout.height + rows), margin={"b": (margin.b or 0) + rows}
    )
    shift = (_PAD - (margin.l or 0), -((margin.b or 0) - 0.3 * style.size))
    traces.add_text(
        figure,
        words,
        0,
        0,
        style.size,
        style.ink,
        refs="paper, paper",
        anchor="left, bottom",
        shift=shift,
        align="left",
    )


def _wrapped(words: str, style: Style) -> tuple[str, int]:
    """Return text as markup wrapped to the figure's width, and the number of its lines, at most three."""
    room = style.width - 2 * _PAD
    face = {"serif": style.serif}
    lines = text.wrap_text(
        words,
        room,
        wide=lambda line: text.text_width(line, style.size, **face),
        cut=lambda line: text.shorten([line], room, style.size, **face)[line],
    )
    return "<br>".join(map(text.escape, lines)), len(lines)


def smallest_font(figure: go.Figure) -> float:
    """Return the smallest font size in a figure, in points; inf without text.

    Examples
    --------
    >>> figure = go.Figure(layout={"annotations": [{"text": "p", "font": {"size": 8}}]})
    >>> figure.update_layout(xaxis_visible=False, yaxis_visible=False) and smallest_font(figure)
    6.0
    """
    sizes = [size for _, size in _texts(figure)]
    return round(min(sizes) / PX_PER_POINT, 2) if sizes else float("inf")


def shortened_names(figure: go.Figure, names: Iterable[object]) -> list[str]:
    """Return the names that appear in a figure in shortened form only.

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
    values = from_plotly.plain_values(figure)
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
        alike = template[name[:5]] or from_plotly.PlainFigure({})
        yield from _of_axis(layout[name] or from_plotly.PlainFigure({}), alike, usual)
    if layout.showlegend:
        size = layout.legend.font.size or usual
        yield from ((trace.name, size) for trace in values.data if trace.showlegend is not False)


def _of_trace(trace: from_plotly.PlainFigure, usual: float) -> Iterator[tuple[str, float]]:
    """Yield the texts of a trace with their sizes in px; nothing if they are not drawn."""
    words = trace.text
    written = trace.type not in ("scatter", "scattergl") or "text" in (trace.mode or "")
    if words is None or not written or trace.visible not in (None, True):
        return
    font = trace.textfont.size
    listed = [words] if isinstance(words, str) else list(words)
    is_common = font is None or isinstance(font, int | float)
    sizes = [font or usual] * len(listed) if is_common else font
    for label, size in zip(listed, sizes, strict=False):
        yield from _sized(label, size)


def _of_axis(
    axis: from_plotly.PlainFigure, alike: from_plotly.PlainFigure, usual: float
) -> Iterator[tuple[str, float]]:
    """Yield the texts of a visible axis with their sizes in px; `alike` is the template's axis."""
    if axis.visible is False:
        return
    if axis.showticklabels is not False:
        size = axis.tickfont.size or alike.tickfont.size or usual
        words = ["0"] if axis.ticktext is None else axis.ticktext
        for label in words:
            yield from _sized(label, size)
    size_of_title = axis.title.font.size or alike.title.font.size or usual
    yield from _sized(axis.title.text, size_of_title)


def _sized(words: object, size: float) -> Iterator[tuple[str, float]]:
    """Yield a text with its size, or the smaller size in its markup; nothing for blanks."""
    if words is None or not str(words).strip():
        return
    inner = [float(match) for match in _SIZE.findall(str(words))]
    yield str(words), min([size, *inner])


def file_stems(drawings: Sequence[FigureSpec]) -> list[str]:
    """Return file names without extension, distinct regardless of case.

    Accents are removed, everything but letters and digits becomes an underscore, and names are cut
    to 80 characters before a number is added. A name without letters and digits becomes "figure".
    """
    stems: list[str] = []
    for spec in drawings:
        plain = unicodedata.normalize("NFKD", spec.name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:_LONGEST] or "figure"
        used = {existing.lower() for existing in stems}
        free = stem
        number = 1
        while free.lower() in used:
            number += 1
            free = f"{stem}_{number}"
        stems.append(free)
    return stems


def figure_file(drawing: FigureSpec, panel: StylePanel, fmt: str, *, dpi: int = 300) -> bytes:
    """Return a figure as the content of a file; raise SettingError for a format not in `FORMATS`."""
    _check([fmt])
    if fmt == "html":
        return _page(drawing, f"<script>{get_plotlyjs()}</script>")
    return from_plotly.export(draw_for_print(drawing, panel), fmt, dpi)


def redraw_and_zip(
    analysis: Comparison,
    names: Sequence[str],
    *,
    panel: StylePanel,
    formats: Sequence[str],
    dpi: int = 300,
    progress: Progress | None = None,
    **styling: Any,
) -> bytes:
    """Draw the named figures of an analysis; return a zip with them, their numbers, captions and a results sentence."""
    by_name = {spec.name: spec for spec in registry.drawings(analysis, **styling)}
    specs = [by_name[name] for name in names]
    extra = {"sentence.txt": paper_sentence(analysis).encode()}
    return bundle(specs, panel, formats, dpi=dpi, progress=progress, extra=extra)


def bundle(
    drawings: Sequence[FigureSpec],
    panel: StylePanel,
    formats: Sequence[str],
    *,
    dpi: int = 300,
    progress: Progress | None = None,
    extra: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a zip of figures with numbers and captions, and of the files `extra`; SettingError for unknown formats."""
    _check(formats)
    files: dict[str, bytes] = {}
    captions = []
    for n_done, (spec, stem) in enumerate(zip(drawings, file_stems(drawings), strict=True), 1):
        figure = draw_for_print(spec, panel)
        for fmt in dict.fromkeys(formats):
            as_page = fmt == "html"
            content = (
                _page(spec, f'<script src="{_SCRIPT}"></script>')
                if as_page
                else from_plotly.export(figure, fmt, dpi)
            )
            files[f"figures/{stem}.{ENDINGS.get(fmt, fmt)}"] = content
        files[f"data/{stem}.csv"] = text_report.table_to_csv(spec.numbers()).encode()
        captions.append(_caption(spec, stem, figure, panel))
        if progress is not None:
            progress(n_done, len(drawings))
    if "html" in formats:
        files[f"figures/{_SCRIPT}"] = get_plotlyjs().encode()
    files["captions.txt"] = "\n".join(captions).encode()
    return zip_files({**files, **(extra or {})})


def _check(formats: Sequence[str]) -> None:
    if unknown := [fmt for fmt in formats if fmt not in FORMATS]:
        raise SettingError(
            rendering_text("figure_files.no_such_format", known=FORMATS, unknown=unknown)
        )


def _caption(spec: FigureSpec, stem: str, figure: go.Figure, panel: StylePanel) -> str:
    """Return title, caption, alternative text and size of a figure, with warnings."""
    size = {"width": panel.width_in, "height": figure.layout.height / PX_PER_INCH}
    described = {"title": spec.title, "caption": spec.caption(panel.style), "alt": spec.alt}
    caption = rendering_text("figure_files.caption", stem=stem, **described, **size)
    if cut := shortened_names(figure, _names(spec)):
        caption += rendering_text("figure_files.shortened", names=cut)
    if (points := smallest_font(figure)) < LEAST_POINTS:
        caption += rendering_text("figure_files.small_text", points=points, least=LEAST_POINTS)
    return caption


def _names(spec: FigureSpec) -> list[str]:
    """Return the names in the index and columns of a figure's numbers."""
    table = spec.data
    labels = [table.index.get_level_values(level).unique() for level in range(table.index.nlevels)]
    return [name for axis in (*labels, table.columns) for name in axis if isinstance(name, str)]


def html_fragment(figure: go.Figure, **layout: Any) -> str:
    """Return a figure with the given layout as an HTML fragment, without Plotly's script and without click hints."""
    config = {"displayModeBar": False, "responsive": True}
    figure = traces.without_offers(figure).update_layout(**layout)
    return figure.to_html(full_html=False, include_plotlyjs=False, config=config)


def _page(spec: FigureSpec, script: str) -> bytes:
    """Return a figure for the screen as the content of an HTML file."""
    style = theme.screen()
    described = {"title": spec.title, "alt": spec.alt, "caption": spec.caption(style)}
    escaped = {key: html.escape(words) for key, words in described.items()}
    parts = {"script": script, "fragment": html_fragment(spec.figure(style)), "width": style.width}
    return rendering_text("figure_files.page", **parts, **escaped).encode()


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files, given by their paths and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()
