"""Export of figures to files, and a zip of all of them with numbers and captions."""

import html
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from foldwise.figures.registry import drawings
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import LEAST_POINTS, PX_PER_INCH, screen
from foldwise.figures.traces import without_offers
from foldwise.rendering.from_plotly import export
from foldwise.rendering.print_style import VENUES, StylePanel, draw_for_print, shortened_names, smallest_font
from stats_core.comparison.result import Comparison
from stats_core.core.errors import SettingError
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.text_report import table_to_csv

__all__ = [
    "FORMATS",
    "LEAST_POINTS",
    "VENUES",
    "StylePanel",
    "bundle",
    "redraw_and_zip",
    "draw_for_print",
    "figure_file",
    "file_stems",
    "shortened_names",
    "smallest_font",
]

FORMATS = ("pdf", "svg", "png", "html", "tikz")
ENDINGS = {"tikz": "tex"}
Progress = Callable[[int, int], object]
_SCRIPT = "plotly.min.js"
_LONGEST = 80  # largest number of characters in a file name


def file_stems(drawings: Sequence[FigureSpec]) -> list[str]:
    """Return file names without ending, one per figure and unique regardless of case.

    Accents are removed; everything but letters and digits becomes an underscore.
    """
    stems: list[str] = []
    for spec in drawings:
        plain = unicodedata.normalize("NFKD", spec.name).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:_LONGEST] or "figure"
        used, free, number = {existing.lower() for existing in stems}, stem, 1
        while free.lower() in used:
            number += 1
            free = f"{stem}_{number}"
        stems.append(free)
    return stems


def figure_file(drawing: FigureSpec, panel: StylePanel, fmt: str, *, dpi: int = 300) -> bytes:
    """Return the bytes of a figure in a format."""
    _check([fmt])
    if fmt == "html":
        return _page(drawing, f"<script>{get_plotlyjs()}</script>").encode()
    return export(draw_for_print(drawing, panel), fmt, dpi)


def redraw_and_zip(
    analysis: Comparison,
    names: Sequence[str],
    *,
    panel: StylePanel,
    formats: Sequence[str],
    dpi: int = 300,
    progress: Progress | None = None,
    **look: Any,
) -> bytes:
    """Build the named figures with options of `drawings` and return a zip of them."""
    by_name = {spec.name: spec for spec in drawings(analysis, **look)}
    chosen = [by_name[name] for name in names]
    extra = {"sentence.txt": paper_sentence(analysis).encode()}
    return bundle(chosen, panel, formats, dpi=dpi, progress=progress, extra=extra)


def bundle(
    drawings: Sequence[FigureSpec],
    panel: StylePanel,
    formats: Sequence[str],
    *,
    dpi: int = 300,
    progress: Progress | None = None,
    extra: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a zip of figures with their numbers and captions."""
    _check(formats)
    distinct_formats = list(dict.fromkeys(formats))
    collected = _Bundle(panel, dpi)
    for n_done, (spec, stem) in enumerate(zip(drawings, file_stems(drawings), strict=True), 1):
        collected.add(spec, stem, distinct_formats)
        if progress is not None:
            progress(n_done, len(drawings))
    if "html" in distinct_formats:
        collected.files[f"figures/{_SCRIPT}"] = get_plotlyjs().encode()
    collected.files["captions.txt"] = "\n".join(collected.captions).encode()
    return _zipped({**collected.files, **(extra or {})})


@dataclass(slots=True)
class _Bundle:
    """Files and captions collected for a zip."""

    panel: StylePanel
    dpi: int
    files: dict[str, bytes] = field(default_factory=dict)
    captions: list[str] = field(default_factory=list)

    def add(self, one: FigureSpec, stem: str, formats: Sequence[str]) -> None:
        """Add a figure in every format, its numbers and its caption."""
        figure = draw_for_print(one, self.panel)
        for fmt in formats:
            content = (
                _page(one, f'<script src="{_SCRIPT}"></script>').encode()
                if fmt == "html"
                else export(figure, fmt, self.dpi)
            )
            self.files[f"figures/{stem}.{ENDINGS.get(fmt, fmt)}"] = content
        self.files[f"data/{stem}.csv"] = table_to_csv(one.numbers()).encode()
        self.captions.append(_caption(one, stem, figure, self.panel))


def _check(formats: Sequence[str]) -> None:
    unknown = [fmt for fmt in formats if fmt not in FORMATS]
    if unknown:
        raise SettingError(f"`formats` must be of {', '.join(FORMATS)}. {', '.join(unknown)} arrived. Choose others.")


def _caption(spec: FigureSpec, stem: str, figure: go.Figure, panel: StylePanel) -> str:
    """Return title, caption, alternative text and size of a figure, with warnings."""
    lines = [
        stem,
        f"Title: {spec.title}",
        f"Caption: {spec.caption(panel.style)}",
        f"Alternative text: {spec.alt} The table is in data/{stem}.csv.",
        f"Size: {panel.width_in:g} x {figure.layout.height / PX_PER_INCH:.2f} in",
    ]
    cut = shortened_names(figure, _names(spec))
    if cut:
        lines.append(f"Shortened in the figure: {'; '.join(cut)}")
    if (points := smallest_font(figure)) < LEAST_POINTS:
        lines.append(f"Smallest text: {points:g} pt, less than {LEAST_POINTS:g}. Make it wider.")
    return "\n".join([*lines, ""])


def _names(spec: FigureSpec) -> list[object]:
    """Return the names in the index and columns of a figure's numbers."""
    table = spec.data
    labels = [label for level in range(table.index.nlevels) for label in _level(table, level)]
    return [name for name in [*labels, *table.columns] if isinstance(name, str)]


def _level(table, level: int) -> list[object]:
    return list(dict.fromkeys(table.index.get_level_values(level)))


def _page(spec: FigureSpec, script: str) -> str:
    """Return a figure as an HTML page."""
    style = screen()
    figure = without_offers(spec.figure(style))
    fragment = figure.to_html(
        full_html=False, include_plotlyjs=False, config={"displayModeBar": False, "responsive": True}
    )
    title, alt, caption = (html.escape(words) for words in (spec.title, spec.alt, spec.caption(style)))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{title}</title>\n{script}\n</head>\n"
        f'<body style="font-family: sans-serif; max-width: {style.width}px; margin: 1em auto">\n'
        f'<h1 style="font-size: 1.2em">{title}</h1>\n'
        f'<figure style="margin: 0"><div role="img" aria-label="{alt}">{fragment}</div>\n'
        f"<figcaption>{caption}</figcaption></figure>\n</body>\n</html>\n"
    )


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return buffer.getvalue()
