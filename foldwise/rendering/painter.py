"""Export of a scene to PDF, SVG and PNG with matplotlib, with Plotly's marker symbols."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import cos, pi, sin, sqrt
from typing import Literal

import numpy as np
from fontTools import subset
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D, Bbox

from foldwise.figures import text
from foldwise.rendering.scene import Box, Disc, LineStyle, Scene, SceneText, Shape

Rings = list[list[tuple[float, float]]]


def _star(r: float) -> Rings:
    r *= 1.4
    ring = []
    for i in range(10):
        reach, angle = r * (1 if i % 2 == 0 else 0.382), pi * i / 5
        ring.append((reach * sin(angle), -reach * cos(angle)))
    return [ring]


def _cross(r: float) -> Rings:
    a, b = 0.4 * r, 1.2 * r
    return [
        [(b, a), (a, a), (a, b), (-a, b), (-a, a), (-b, a)] + [(-b, -a), (-a, -a), (-a, -b), (a, -b), (a, -a), (b, -a)]
    ]


def _x(r: float) -> Rings:
    a = 0.8 * r / sqrt(2)
    corners = [(0, 1), (1, 2), (2, 1), (1, 0), (2, -1), (1, -2), (0, -1), (-1, -2), (-2, -1)]
    return [[(a * x, a * y) for x, y in [*corners, (-1, 0), (-2, 1), (-1, 2)]]]


def _polygon(corners: int) -> Callable[[float], Rings]:
    def ring(r: float) -> Rings:
        angles = [2 * pi * i / corners for i in range(corners)]
        return [[(r * sin(angle), -r * cos(angle)) for angle in angles]]

    return ring


def _up(r: float) -> Rings:
    t = 2 * r / sqrt(3)
    return [[(-t, r / 2), (t, r / 2), (0, -r)]]


def _arrow(r: float) -> Rings:
    x, y = 2 * r * cos(pi / 2.5), 2 * r * sin(pi / 2.5)
    return [[(0, 0), (-x, y), (x, y)]]


_CLOSED: dict[str, Callable[[float], Rings]] = {
    "square": lambda r: [[(r, r), (-r, r), (-r, -r), (r, -r)]],
    "diamond": lambda r: [[(1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0), (0, -1.3 * r)]],
    "diamond-tall": lambda r: [[(0, 1.4 * r), (0.7 * r, 0), (0, -1.4 * r), (-0.7 * r, 0)]],
    "diamond-wide": lambda r: [[(0, 0.7 * r), (1.4 * r, 0), (0, -0.7 * r), (-1.4 * r, 0)]],
    "cross": _cross,
    "x": _x,
    "triangle-up": _up,
    "triangle-down": lambda r: [[(x, -y) for x, y in _up(r)[0]]],
    "triangle-left": lambda r: [[(y, x) for x, y in _up(r)[0]]],
    "triangle-right": lambda r: [[(-y, x) for x, y in _up(r)[0]]],
    "hexagon": _polygon(6),
    "pentagon": _polygon(5),
    "star": _star,
    "arrow": _arrow,
}
_OPEN: dict[str, Callable[[float], Rings]] = {
    "cross-thin": lambda r: [[(0, 1.4 * r), (0, -1.4 * r)], [(1.4 * r, 0), (-1.4 * r, 0)]],
    "x-thin": lambda r: [[(r, r), (-r, -r)], [(r, -r), (-r, r)]],
    "line-ew": lambda r: [[(1.4 * r, 0), (-1.4 * r, 0)]],
    "line-ns": lambda r: [[(0, 1.4 * r), (0, -1.4 * r)]],
}


def is_line(symbol: str) -> bool:
    """Return whether a symbol consists of lines only."""
    return symbol in _OPEN


def symbol_outline(symbol: str, radius: float, angle: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return the paths of a symbol around the origin in px, rotated clockwise by degrees.

    Circles have no outline; draw them as discs.
    """
    outline = {**_CLOSED, **_OPEN}.get(symbol)
    if outline is None:
        raise ValueError(f"`symbol` must be one of {', '.join([*_CLOSED, *_OPEN])}; got {symbol!r}")
    c, s = cos(angle * pi / 180), sin(angle * pi / 180)
    return tuple(np.array(ring, float) @ np.array([[c, s], [-s, c]]) for ring in outline(radius))


Format = Literal["pdf", "svg", "png"]
_PER_POINT = 96 / 72
# matplotlib's settings and fonts are global, so only one thread may draw at a time
_LOCK = threading.Lock()
_SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "foldwise"}


def paint(scene: Scene, fmt: Format, dpi: int = 300) -> bytes:
    """Return a scene as a PDF, SVG or PNG file of its size, with embedded fonts."""
    with _LOCK, rc_context(_SETTINGS):
        figure = Figure(figsize=(scene.width / 96, scene.height / 96), frameon=False)
        FigureCanvasAgg(figure)
        figure.add_artist(_Picture(scene))
        buffer = io.BytesIO()
        metadata_by_format = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": None}
        figure.savefig(buffer, format=fmt, dpi=dpi, metadata=metadata_by_format[fmt])
    return _with_fonts(buffer.getvalue(), scene) if fmt == "svg" else buffer.getvalue()


def _with_fonts(svg: bytes, scene: Scene) -> bytes:
    """Embed the used glyphs into an SVG, so that it looks the same everywhere."""
    styles = []
    for bold in (False, True):
        path = text.font_file(scene.serif, bold)
        strings = {part.text for part in scene.parts if isinstance(part, SceneText) and part.bold == bold}
        if path and strings:
            name = FontProperties(fname=path).get_name()
            weight = "bold" if bold else "normal"
            data = base64.b64encode(_letters(path, "".join(sorted(set("".join(strings)))))).decode()
            styles.append(
                f"@font-face{{font-family:'{name}';font-weight:{weight};src:url(data:font/woff;base64,{data})}}"
            )
    head, tag, body = svg.partition(b" <defs>")
    return head + f"<style>{''.join(styles)}</style>\n".encode() + tag + body


@lru_cache(maxsize=64)
def _letters(path: str, letters: str) -> bytes:
    """Return a subset of a font file with the given characters, as WOFF."""
    options = subset.Options(flavor="woff", recalc_timestamp=False)
    options.drop_tables += ["FFTM"]
    buffer = io.BytesIO()
    with subset.load_font(path, options) as font:
        subsetter = subset.Subsetter(options)
        subsetter.populate(text=letters)
        subsetter.subset(font)
        subset.save_font(font, buffer, options)
    return buffer.getvalue()


class _Picture(Artist):
    """A matplotlib artist that draws a scene."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    def draw(self, renderer) -> None:
        """Draw all elements, from back to front."""
        scale = renderer.points_to_pixels(1) / _PER_POINT
        to_page = Affine2D().scale(scale, -scale).translate(0, scale * self._scene.height)
        for part in self._scene.parts:
            if isinstance(part, SceneText):
                position = to_page.transform((part.x, part.y))
                if renderer.flipy():  # such renderers place text from the top, but paths from the bottom
                    position[1] = scale * self._scene.height - position[1]
                _write(renderer, part, self._scene.serif, position)
            else:
                _draw(renderer, part, to_page)


def _draw(renderer, shape: Shape | Disc, to_page: Affine2D) -> None:
    gc = renderer.new_gc()
    gc.set_snap(False)
    _take(gc, shape.pen)
    if shape.clip is not None:
        gc.set_clip_rectangle(_page_box(shape.clip, to_page))
    fill = shape.fill if shape.fill[3] else None
    if isinstance(shape, Disc):
        transform = Affine2D().scale(shape.radius).translate(shape.x, shape.y) + to_page
        renderer.draw_path(gc, Outline.unit_circle(), transform, fill)
    else:
        renderer.draw_path(gc, _outline(shape), to_page, fill)
    gc.restore()


def _outline(shape: Shape) -> Outline:
    rings = []
    for ring in shape.rings:
        if shape.closed:
            rings.append(Outline([*ring, ring[0]], closed=True))
        else:
            rings.append(Outline(ring))
    return rings[0] if len(rings) == 1 else Outline.make_compound_path(*rings)


def _take(gc, pen: LineStyle | None) -> None:
    if pen is None:
        gc.set_linewidth(0)
        return
    gc.set_foreground(pen.colour, isRGBA=True)
    gc.set_linewidth(pen.width / _PER_POINT)
    gc.set_capstyle("butt")
    gc.set_joinstyle("miter")
    if pen.dashes:
        gc.set_dashes(0, [part / _PER_POINT for part in pen.dashes])


def _page_box(box: Box, to_page: Affine2D) -> Bbox:
    left, top, right, bottom = box
    return Bbox([(left, bottom), (right, top)]).transformed(to_page)


def _write(renderer, item: SceneText, serif: bool, position: Sequence[float]) -> None:
    gc = renderer.new_gc()
    gc.set_foreground(item.colour, isRGBA=True)
    gc.set_alpha(item.colour[3])
    font = _font(serif, item.bold).copy()
    font.set_size(item.size / _PER_POINT)
    renderer.draw_text(gc, *position, item.text, font, -item.angle)
    gc.restore()


@cache
def _font(serif: bool, bold: bool) -> FontProperties:
    """Return the font used to measure text, with fallbacks for missing characters."""
    path = text.font_file(serif, bold)
    if path is None:
        return FontProperties(family=["DejaVu Sans"], weight="bold" if bold else "normal")
    fontManager.addfont(path)
    name = FontProperties(fname=path).get_name()
    fallbacks = [font.name for font in fontManager.ttflist if "CJK" in font.name][:1]
    return FontProperties(family=[name, "DejaVu Sans", *fallbacks], weight="bold" if bold else "normal")
