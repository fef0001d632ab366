"""A scene as PDF, SVG or PNG, painted by matplotlib in this process."""

from __future__ import annotations

import base64
import io
import threading
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

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

Format = Literal["pdf", "svg", "png"]
_PER_POINT = 96 / 72
# one at a time: matplotlib's settings and its fonts belong to the process
_LOCK = threading.Lock()
_SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "foldwise"}


def paint(scene: Scene, fmt: Format, dpi: int = 300) -> bytes:
    """Return a scene as a file of its size, fonts embedded.

    Parameters
    ----------
    scene : Scene
    fmt : {"pdf", "svg", "png"}
    dpi : int
        Dots per inch of a PNG, which also carries the number as a tag.

    Returns
    -------
    bytes
        The same for the same scene.
    """
    with _LOCK, rc_context(_SETTINGS):
        figure = Figure(figsize=(scene.width / 96, scene.height / 96), frameon=False)
        FigureCanvasAgg(figure)
        figure.add_artist(_Picture(scene))
        out = io.BytesIO()
        unstamped = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": None}
        figure.savefig(out, format=fmt, dpi=dpi, metadata=unstamped[fmt])
    return _with_fonts(out.getvalue(), scene) if fmt == "svg" else out.getvalue()


def _with_fonts(svg: bytes, scene: Scene) -> bytes:
    """Put into an SVG the letters that it uses, so that it looks the same everywhere."""
    styles = []
    for bold in (False, True):
        path = text.font_file(scene.serif, bold)
        words = {w.text for w in scene.parts if isinstance(w, SceneText) and w.bold == bold}
        if path and words:
            name = FontProperties(fname=path).get_name()
            weight = "bold" if bold else "normal"
            data = base64.b64encode(_letters(path, "".join(sorted(set("".join(words)))))).decode()
            styles.append(
                f"@font-face{{font-family:'{name}';font-weight:{weight};"
                f"src:url(data:font/woff;base64,{data})}}"
            )
    head, tag, rest = svg.partition(b" <defs>")
    return head + f"<style>{''.join(styles)}</style>\n".encode() + tag + rest


@lru_cache(maxsize=64)
def _letters(path: str, letters: str) -> bytes:
    """Return the font of a file with some of its letters only, as WOFF."""
    options = subset.Options(flavor="woff", recalc_timestamp=False)
    options.drop_tables += ["FFTM"]
    out = io.BytesIO()
    with subset.load_font(path, options) as font:
        chosen = subset.Subsetter(options)
        chosen.populate(text=letters)
        chosen.subset(font)
        subset.save_font(font, out, options)
    return out.getvalue()


class _Picture(Artist):
    """A scene that a matplotlib renderer paints."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self._scene = scene

    def draw(self, renderer) -> None:
        """Paint all parts, back to front."""
        scale = renderer.points_to_pixels(1) / _PER_POINT
        to_page = Affine2D().scale(scale, -scale).translate(0, scale * self._scene.height)
        for part in self._scene.parts:
            if isinstance(part, SceneText):
                place = to_page.transform((part.x, part.y))
                if renderer.flipy():  # words count from the top there, paths do not
                    place[1] = scale * self._scene.height - place[1]
                _write(renderer, part, self._scene.serif, place)
            else:
                _draw(renderer, part, to_page)


def _draw(renderer, part: Shape | Disc, to_page: Affine2D) -> None:
    gc = renderer.new_gc()
    gc.set_snap(False)
    _take(gc, part.pen)
    if part.clip is not None:
        gc.set_clip_rectangle(_page_box(part.clip, to_page))
    fill = part.fill if part.fill[3] else None
    if isinstance(part, Disc):
        place = Affine2D().scale(part.radius).translate(part.x, part.y) + to_page
        renderer.draw_path(gc, Outline.unit_circle(), place, fill)
    else:
        renderer.draw_path(gc, _outline(part), to_page, fill)
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


def _write(renderer, words: SceneText, serif: bool, place: Sequence[float]) -> None:
    gc = renderer.new_gc()
    gc.set_foreground(words.colour, isRGBA=True)
    gc.set_alpha(words.colour[3])
    font = _font(serif, words.bold).copy()
    font.set_size(words.size / _PER_POINT)
    renderer.draw_text(gc, *place, words.text, font, -words.angle)
    gc.restore()


@cache
def _font(serif: bool, bold: bool) -> FontProperties:
    """Return the font that words are measured with, and others for letters it lacks."""
    path = text.font_file(serif, bold)
    if path is None:
        return FontProperties(family=["DejaVu Sans"], weight="bold" if bold else "normal")
    fontManager.addfont(path)
    name = FontProperties(fname=path).get_name()
    others = [font.name for font in fontManager.ttflist if "CJK" in font.name][:1]
    return FontProperties(
        family=[name, "DejaVu Sans", *others], weight="bold" if bold else "normal"
    )
