r"""Export of a scene as TikZ source, typeset in the fonts of the paper.

The source requires only the package tikz. Text that is wider in the fonts of the paper than in the
fonts it was measured with is narrowed, so that all positions equal those in the PDF.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, groupby
from math import cos, radians, sin

import numpy as np
from shapely import LineString

from foldwise.rendering.scene import Box, Colour, Disc, LineStyle, Scene, ScenePath, SceneText
from stats_core.report import latex_characters

_POINTS = 72 / 96  # points per px
_TOLERANCE = 0.05  # px by which a line may be simplified
_LONG = 100  # least number of points of a line that is simplified
_FIT = (
    r"\providecommand{\foldwiseword}[2]{\sbox0{#2}%",
    r"  \ifdim\wd0>#1\resizebox{#1}{\height}{\usebox0}%",
    r"  \else\usebox0\fi}%",
)


def tikz(scene: Scene) -> str:
    r"""Return a scene as the source of one ``tikzpicture``."""
    strings = dict.fromkeys(part.text for part in scene.parts if isinstance(part, SceneText))
    printable = latex_characters.printable_names(strings)
    lines = [r"% \usepackage{tikz}", *latex_characters.name_comments(printable), *_FIT]
    lines.append(r"\begin{tikzpicture}[x=0.75bp, y=-0.75bp, inner sep=0pt, outer sep=0pt]")
    lines.append(rf"\useasboundingbox (0,0) rectangle ({scene.width:g},{scene.height:g});")
    for clip, parts in groupby(scene.parts, key=lambda part: getattr(part, "clip", None)):
        clipped_lines = [line for part in parts for line in _part(part, scene.serif, printable)]
        lines += clipped_lines if clip is None else _clipped(clip, clipped_lines)
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _clipped(box: Box, lines: list[str]) -> list[str]:
    left, top, right, bottom = map(_number, box)
    clip = rf"\clip ({left},{top}) rectangle ({right},{bottom});"
    return [r"\begin{scope}", clip, *lines, r"\end{scope}"]


def _part(
    element: ScenePath | Disc | SceneText, serif: bool, printable: dict[str, str]
) -> Iterator[str]:
    """Yield the source of an element; nothing if it is invisible."""
    if isinstance(element, SceneText):
        yield _words(element, serif, printable[element.text])
        return
    options = [*_filled(element.fill), *_drawn(element.pen)]
    if not options:
        return
    if isinstance(element, Disc):
        centre = f"({_number(element.x)},{_number(element.y)})"
        path = f"{centre} circle[radius={_number(element.radius)}]"
    else:
        end = " -- cycle" if element.closed else ""
        rings = (" -- ".join(map(_at, _simple(ring))) for ring in element.rings)
        path = " ".join(f"{ring}{end}" for ring in rings)
    yield rf"\path[{', '.join(options)}] {path};"


def _simple(ring: np.ndarray) -> np.ndarray:
    """Return a path simplified within an invisible tolerance; a short path is unchanged."""
    if len(ring) < _LONG:
        return ring
    return np.array(LineString(ring).simplify(_TOLERANCE).coords)


def _at(point: np.ndarray) -> str:
    return f"({_number(point[0])},{_number(point[1])})"


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
    """Yield the TikZ options of a line; nothing without a visible pen."""
    if pen is None or not pen.seen:
        return
    yield f"draw={_colour(pen.colour)}"
    yield f"line width={pen.width * _POINTS:.3g}bp"
    if pen.colour[3] < 1:
        yield f"draw opacity={pen.colour[3]:.3g}"
    if pen.dashes:
        lengths = zip(cycle(("on", "off")), pen.dashes, strict=False)
        yield "dash pattern=" + " ".join(
            f"{word} {length * _POINTS:.3g}bp" for word, length in lengths
        )


def _words(item: SceneText, serif: bool, string: str) -> str:
    """Return the source of a text, narrowed to its measured width if it is wider in the fonts of the paper."""
    size = round(item.size * _POINTS, 2)
    family = r"\rmfamily" if serif else r"\sffamily"
    bold = r"\bfseries" if item.bold else ""
    font = rf"{family}{bold}\fontsize{{{size:g}}}{{{1.2 * size:.4g}}}\selectfont"
    text = f"{font} {latex_characters.to_latex_text(string)}"
    angle = radians(item.angle)
    distance = item.share * item.width
    x = item.x + distance * cos(angle)
    y = item.y + distance * sin(angle)
    options = ["anchor=base" + {0.0: " west", 1.0: " east"}.get(item.share, "")]
    if item.colour[:3] != (0.0, 0.0, 0.0):
        options.append(f"text={_colour(item.colour)}")
    if item.colour[3] < 1:
        options.append(f"opacity={item.colour[3]:.3g}")
    if item.angle:
        options.append(f"rotate={-item.angle:g}")
    width = f"{item.width * _POINTS:.2f}bp"
    node = rf"\node[{', '.join(options)}] at ({_number(x)},{_number(y)})"
    return rf"{node} {{\foldwiseword{{{width}}}{{{text}}}}};"
