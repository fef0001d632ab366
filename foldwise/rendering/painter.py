"""Export of a scene to PDF, SVG and PNG by matplotlib."""

from __future__ import annotations

import base64
import io
import threading
from functools import cache, lru_cache
from typing import Literal

import numpy as np
from fontTools import subset
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, fontManager
from matplotlib.path import Path as Outline
from matplotlib.transforms import Affine2D, Bbox

from foldwise.figures import text
from foldwise.rendering.scene import Box, Disc, LineStyle, Scene, ScenePath, SceneText

Format = Literal["pdf", "svg", "png"]
_PER_POINT = 96 / 72
# matplotlib's settings and fonts are global, so only one thread may draw at a time
_LOCK = threading.Lock()


def paint(scene: Scene, fmt: Format, dpi: int = 300) -> bytes:
    """Return a scene as the content of a PDF, SVG or PNG file; PDF and SVG have embedded fonts."""
    with (
        _LOCK,
        rc_context(
            {
                "pdf.fonttype": 42,
                "svg.fonttype": "none",
                "svg.hashsalt": "foldwise",
                "text.hinting": "no_hinting",
            }
        ),
    ):
        figure = Figure(figsize=(scene.width / 96, scene.height / 96), frameon=False)
        FigureCanvasAgg(figure)
        figure.add_artist(_Picture(scene))
        buffer = io.BytesIO()
        metadata_by_format = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": None}
        figure.savefig(buffer, format=fmt, dpi=dpi, metadata=metadata_by_format[fmt])
    return _with_fonts(buffer.getvalue(), scene) if fmt == "svg" else buffer.getvalue()


def _with_fonts(svg: bytes, scene: Scene) -> bytes:
    """Return an SVG with the used glyphs embedded as fonts."""
    styles = []
    for bold in (False, True):
        path = text.font_file(scene.serif, bold)
        strings = {
            part.text for part in scene.parts if isinstance(part, SceneText) and part.bold == bold
        }
        if path and strings:
            name = FontProperties(fname=path).get_name()
            weight = "bold" if bold else "normal"
            letters = "".join(sorted(set("".join(strings))))
            data = base64.b64encode(_letters(path, letters)).decode()
            face = {
                "font-family": f"'{name}'",
                "font-weight": weight,
                "src": f"url(data:font/woff;base64,{data})",
            }
            styles.append(f"@font-face{{{';'.join(map(':'.join, face.items()))}}}")
    head, tag, body = svg.partition(b" <defs>")
    return head + f"<style>{''.join(styles)}</style>\n".encode() + tag + body


@lru_cache(maxsize=64)
def _letters(path: str, letters: str) -> bytes:
    """Return a WOFF subset of a font file with the given characters."""
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
    """Matplotlib artist that draws a scene."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    def draw(self, renderer: RendererBase) -> None:
        """Draw all elements, from back to front."""
        scale = float(np.asarray(renderer.points_to_pixels(1))) / _PER_POINT
        to_page = Affine2D().scale(scale, -scale).translate(0, scale * self._scene.height)
        for part in self._scene.parts:
            if isinstance(part, SceneText):
                x, y = to_page.transform((part.x, part.y))
                if renderer.flipy():
                    # such renderers place text from the top, but paths from the bottom
                    y = scale * self._scene.height - y
                _write(renderer, part, self._scene.serif, x, y)
            else:
                _draw(renderer, part, to_page)


def _draw(renderer: RendererBase, shape: ScenePath | Disc, to_page: Affine2D) -> None:
    """Draw a path or a disc, clipped to its box."""
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


def _outline(shape: ScenePath) -> Outline:
    rings = []
    for ring in shape.rings:
        if shape.closed:
            rings.append(Outline([*ring, ring[0]], closed=True))
        else:
            rings.append(Outline(ring))
    return rings[0] if len(rings) == 1 else Outline.make_compound_path(*rings)


def _take(gc: GraphicsContextBase, pen: LineStyle | None) -> None:
    """Set colour, width and dashes of a line; draw no line without a pen."""
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


def _write(renderer: RendererBase, item: SceneText, serif: bool, x: float, y: float) -> None:
    gc = renderer.new_gc()
    gc.set_foreground(item.colour, isRGBA=True)
    gc.set_alpha(item.colour[3])
    font = _font(serif, item.bold).copy()
    font.set_size(item.size / _PER_POINT)
    renderer.draw_text(gc, x, y, item.text, font, -item.angle)
    gc.restore()


@cache
def _font(serif: bool, bold: bool) -> FontProperties:
    """Return the font in which text was measured, with fallbacks for missing characters."""
    path = text.font_file(serif, bold)
    if path is None:
        return FontProperties(family=["DejaVu Sans"], weight="bold" if bold else "normal")
    fontManager.addfont(path)
    name = FontProperties(fname=path).get_name()
    fallbacks = [font.name for font in fontManager.ttflist if "CJK" in font.name][:1]
    return FontProperties(
        family=[name, "DejaVu Sans", *fallbacks], weight="bold" if bold else "normal"
    )
