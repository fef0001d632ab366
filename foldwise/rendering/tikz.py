r"""A scene as TikZ, in the fonts of the paper.

The source needs nothing but the package tikz. Words wider in the fonts of the paper than in those
they were measured with are narrowed, so that everything stands where it stands in the PDF.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from math import cos, radians, sin

import numpy as np
from shapely import LineString

from foldwise.rendering.scene import Box, Colour, Disc, LineStyle, Scene, SceneText, Shape
from stats_core.report.latex_characters import name_comments, printable_names, to_latex_text

_POINTS = 72 / 96  # of a px
_TOLERANCE = 0.05  # px by which a line may be simplified
_LONG = 100  # points from which a line is simplified
_FIT = (
    r"\providecommand{\foldwiseword}[2]{\sbox0{#2}\ifdim\wd0>#1"
    r"\resizebox{#1}{\height}{\usebox0}\else\usebox0\fi}%"
)


def tikz(scene: Scene) -> str:
    r"""Return a scene as the source of one ``tikzpicture``."""
    words = dict.fromkeys(part.text for part in scene.parts if isinstance(part, SceneText))
    shown = printable_names(words)
    lines = [r"% \usepackage{tikz}", *name_comments(shown), _FIT]
    lines.append(r"\begin{tikzpicture}[x=0.75bp, y=-0.75bp, inner sep=0pt, outer sep=0pt]")
    lines.append(rf"\useasboundingbox (0,0) rectangle ({scene.width:g},{scene.height:g});")
    for clip, parts in groupby(scene.parts, key=lambda part: getattr(part, "clip", None)):
        drawn = [line for part in parts for line in _part(part, scene.serif, shown)]
        lines += drawn if clip is None else _clipped(clip, drawn)
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _clipped(box: Box, lines: list[str]) -> list[str]:
    left, top, right, bottom = map(_number, box)
    clip = rf"\clip ({left},{top}) rectangle ({right},{bottom});"
    return [r"\begin{scope}", clip, *lines, r"\end{scope}"]


def _part(part: Shape | Disc | SceneText, serif: bool, shown: dict[str, str]) -> Iterator[str]:
    if isinstance(part, SceneText):
        yield _words(part, serif, shown[part.text])
        return
    look = [*_filled(part.fill), *_drawn(part.pen)]
    if not look:
        return
    if isinstance(part, Disc):
        place = f"({_number(part.x)},{_number(part.y)}) circle[radius={_number(part.radius)}]"
    else:
        end = " -- cycle" if part.closed else ""
        place = " ".join(" -- ".join(map(_at, _simple(ring))) + end for ring in part.rings)
    yield rf"\path[{', '.join(look)}] {place};"


def _simple(ring: np.ndarray) -> np.ndarray:
    """Leave out points that nobody would miss."""
    if len(ring) < _LONG:
        return ring
    return np.array(LineString(ring).simplify(_TOLERANCE).coords)


def _at(place: np.ndarray) -> str:
    return f"({_number(place[0])},{_number(place[1])})"


def _number(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def _colour(colour: Colour) -> str:
    red, green, blue = (round(255 * part) for part in colour[:3])
    return f"{{rgb,255:red,{red};green,{green};blue,{blue}}}"


def _filled(colour: Colour) -> Iterator[str]:
    if colour[3]:
        yield f"fill={_colour(colour)}"
        if colour[3] < 1:
            yield f"fill opacity={colour[3]:.3g}"


def _drawn(pen: LineStyle | None) -> Iterator[str]:
    if pen is None or not pen.seen:
        return
    yield f"draw={_colour(pen.colour)}"
    yield f"line width={pen.width * _POINTS:.3g}bp"
    if pen.colour[3] < 1:
        yield f"draw opacity={pen.colour[3]:.3g}"
    if pen.dashes:
        pairs = zip(pen.dashes[::2], pen.dashes[1::2], strict=True)
        yield "dash pattern=" + " ".join(
            f"on {on * _POINTS:.3g}bp off {off * _POINTS:.3g}bp" for on, off in pairs
        )


def _words(words: SceneText, serif: bool, said: str) -> str:
    size = round(words.size * _POINTS, 2)
    face = r"\rmfamily" if serif else r"\sffamily"
    bold = r"\bfseries" if words.bold else ""
    text = (
        rf"{face}{bold}\fontsize{{{size:g}}}{{{1.2 * size:.4g}}}\selectfont {to_latex_text(said)}"
    )
    angle, along = radians(words.angle), words.share * words.width
    x, y = words.x + along * cos(angle), words.y + along * sin(angle)
    look = ["anchor=base" + {0.0: " west", 1.0: " east"}.get(words.share, "")]
    if words.colour[:3] != (0.0, 0.0, 0.0):
        look.append(f"text={_colour(words.colour)}")
    if words.colour[3] < 1:
        look.append(f"opacity={words.colour[3]:.3g}")
    if words.angle:
        look.append(f"rotate={-words.angle:g}")
    room = f"{words.width * _POINTS:.2f}bp"
    return (
        rf"\node[{', '.join(look)}] at ({_number(x)},{_number(y)}) "
        rf"{{\foldwiseword{{{room}}}{{{text}}}}};"
    )
