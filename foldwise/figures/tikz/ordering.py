"""The ordering graph as TikZ, for papers that set their figures in LaTeX."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from foldwise.figures import graph_parts, text, theme
from foldwise.figures.cd_parts import Bar
from foldwise.figures.graph_parts import Arc, Edge, Layout
from foldwise.figures.ordering_graph import checked, make_room, turned, without_crowded
from foldwise.figures.theme import PX_PER_POINT, Style
from foldwise.figures.tikz.letters import comment, latex, name_comments, printable
from foldwise.figures.tikz.words import LEAST_POINTS, Face, Headline, remark, shortened
from stats_core.core.errors import SettingError

#: The first line of every picture.
NEEDS = r"% Needs \usepackage{tikz} \usetikzlibrary{arrows.meta}"

_BP = 0.75  # big points, 72 to the inch, in a CSS pixel
#: TikZ sets control points this far from the ends of a curve, as a share of their distance.
_REACH = 0.3915


def ordering_tikz(
    prior: Sequence[str],
    edges: Collection[Edge],
    *,
    order: Sequence[str] = (),
    groups: Sequence[Collection[str]] = (),
    width_in: float = 3.25,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    title: str = "",
) -> str:
    r"""Return the ordering graph in its final state as LaTeX source.

    Parameters
    ----------
    prior : sequence of str
        Algorithms from cheapest to costliest, from left to right.
    edges : collection of (cheaper, better)
        Pairs of which the costlier algorithm is better by the test.
    order : sequence of str
        The algorithms by their place, the first place first; written below the nodes.
    groups : sequence of collections of str
        Maximal groups of algorithms that no test separates, as underlines.
    width_in, serif, colour, points
        As :func:`foldwise.figures.theme.paper`. In its final state the graph is black in either case.
    title : str
        Written above.

    Returns
    -------
    str
        A ``tikzpicture`` laid out as the figure in print. Its first line is a comment that
        names what the preamble needs.

    Raises
    ------
    SettingError
        A name is not in `prior` or stands twice, an edge does not lead from a cheaper to a
        costlier algorithm, or the width is not a positive number.

    Notes
    -----
    Names are text, see :mod:`foldwise.figures.tikz.letters`. All arrows are drawn, also those of more
    than 20 algorithms.

    Examples
    --------
    >>> print(ordering_tikz(["5nn", "svm"], [("5nn", "svm")]).splitlines()[-2])
      \draw[better] (n1.52) to[out=82.81, in=97.19, looseness=0.37] (n2.128);
    """
    names, pairs = checked(prior, edges)
    places = _places(names, order)
    if not (math.isfinite(width_in) and width_in > 0):
        raise SettingError(
            f"`width_in` must be a positive number of inches. {width_in!r} arrived. "
            "Pass the width of a column, such as 3.25."
        )
    style = theme.paper(width_in, serif=serif, colour=colour, points=points)
    printed = printable(names)
    pairs = [(printed[a], printed[b]) for a, b in pairs]
    places = {printed[name]: place for name, place in places.items()}
    groups = [[printed[str(name)] for name in group] for group in groups]
    layout, measured, size = _laid_out(list(printed.values()), pairs, style)
    layout, bars, level = make_room(layout, groups, bool(places), measured)
    layout = without_crowded(layout, [n for edge in pairs for n in edge])
    face, head = Face(size, serif), Headline.of(title, Face.of(style), layout.width)
    lines = [f"{NEEDS}{Face.of(style).packages}", *name_comments(printed), *head.comments]
    lines += [*_remarks(layout), *_opening(layout, face, head), *_nodes(layout)]
    lines += _numbers(places, layout, level, measured)
    lines += [line for bar in bars for line in _underline(bar)]
    lines += _ends(layout, measured) if len(names) > 1 else []
    lines += [_arrow(arc, layout) for arc in graph_parts.arcs(layout, pairs, measured)]
    lines += _title(head, layout)
    return "\n".join([*lines, r"\end{tikzpicture}", ""])


def _places(names: list[str], order: Sequence[str]) -> dict[str, int]:
    given = [str(name) for name in order]
    for name in given:
        if name not in names or given.count(name) > 1:
            raise SettingError(
                f"`order` must hold each algorithm of `prior` at most once. {name!r} is not in "
                "`prior` or stands in `order` twice. Pass the order that follows from the edges."
            )
    return {name: place for place, name in enumerate(given, 1)}


def _laid_out(names: list[str], pairs: list[Edge], style: Style) -> tuple[Layout, Style, float]:
    """Return a layout with room for names in the fonts of TeX, its style, and their size in px."""
    face = Face.of(style)
    # Names are measured in Times; how much wider those of TeX are is known.
    style = replace(style, serif=True)
    layout = graph_parts.lay_out(names, pairs, style)
    if layout.inside and all(face.wide(name) <= 2 * layout.radius - 2 for name in names):
        return layout, style, layout.size
    least = min(style.size, LEAST_POINTS * PX_PER_POINT)
    # Upright names may be set smaller, where TeX's letters are wider.
    wider = face.beyond_times
    wide = replace(style, tick_size=wider * style.tick_size)
    layout = graph_parts.lay_out(names, pairs, wide)
    size = max(layout.size / wider, least)
    tall = (-layout.foot - layout.radius) * Face(size, face.serif).beyond_times * size / layout.size
    return replace(layout, foot=-layout.radius - tall), wide, size


def _remarks(layout: Layout) -> list[str]:
    """Return what the caption has to say: short names, and nodes without a name."""
    lost = [text.plain(name) for name in layout.names if not layout.shown[name]]
    left_out = []
    if lost:
        left_out = [remark(f"Without their name, for want of room: {', '.join(lost)}.")]
    return [*shortened(layout.shown), *left_out]


def _opening(layout: Layout, face: Face, head: Headline) -> list[str]:
    """Return the first lines: styles, and the area the picture takes."""
    font, top = f"font={face.command}", layout.above + head.height
    line, arrow = _length(layout.line), _length(layout.head)
    return [
        r"\begin{tikzpicture}[x=1bp, y=1bp,",
        f"  algorithm/.style={{circle, draw, line width={line}, inner sep=0pt,"
        f" minimum size={_length(2 * layout.radius)}, {font}}},",
        f"  word/.style={{inner sep=0pt, {font}}},",
        rf"  better/.style={{-{{Latex[length={arrow}, width={_length(0.7 * layout.head)}]}},"
        f" line width={line}}},",
        f"  group/.style={{line width={_length(1.8)}}},",
        f"  passed/.style={{dotted, line width={_length(0.6)}}}]",
        rf"  \useasboundingbox {_at(0, -layout.below)} rectangle {_at(layout.width, top)};",
    ]


def _title(head: Headline, layout: Layout) -> list[str]:
    """Return the lines of the title above the graph."""
    top = layout.above + head.height
    shift = f"yshift={_length(-0.33 * head.face.px)}"
    return [
        rf"  \node[inner sep=0pt, anchor=base west, {shift}, font={head.face.command}]"
        rf" at {_at(x, top - y)} {{{words}}};"
        for x, y, words in head.places(0.0)
    ]


def _nodes(layout: Layout) -> list[str]:
    """Return the nodes from left to right with their names inside or below."""
    lines = []
    for number, name in enumerate(layout.names, 1):
        x, shown = layout.x[name], latex(layout.shown[name])
        inside = shown if layout.inside else ""
        full = "" if layout.shown[name] == name else f"  {comment(name)}"
        lines.append(rf"  \node[algorithm] (n{number}) at {_at(x, 0)} {{{inside}}};{full}")
        if not layout.inside and shown:
            turn = "rotate=90, anchor=east" if layout.upright else "anchor=north"
            below = _at(x, -layout.radius - 4)
            lines.append(rf"  \node[word, {turn}] at {below} {{{shown}\strut}};")
    return lines


def _numbers(places: dict[str, int], layout: Layout, level: float, style: Style) -> list[str]:
    """Return the places below the nodes."""
    turn = ", rotate=90" if turned(layout, style) else ""
    return [
        rf"  \node[word{turn}] at {_at(layout.x[name], level)} {{{places[name]}.}};"
        for name in layout.names
        if name in places and layout.shown[name]
    ]


def _underline(bar: Bar) -> list[str]:
    """Return one group: solid and dotted stretches, and dots at its members if any group has."""
    lines = [
        rf"  \draw[{kind}] {_at(x0, y0)} -- {_at(x1, y1)};"
        for kind, segments in (("passed", bar.dotted), ("group", bar.solid))
        for x0, y0, x1, y1 in segments
    ]
    return lines + [rf"  \fill {_at(*dot)} circle[radius={_length(2.3)}];" for dot in bar.dots]


def _ends(layout: Layout, style: Style) -> list[str]:
    """Return what the left and the right end of the line mean."""
    y = layout.foot - 0.3 * style.tick_size
    edge = layout.x[layout.names[0]] - layout.radius
    return [
        rf"  \node[word, anchor=north {side}, black!73] at {_at(x, y)} {{{words}\strut}};"
        for side, x, words in (
            ("west", edge, "cheapest"),
            ("east", layout.width - edge, "costliest"),
        )
    ]


def _arrow(arc: Arc, layout: Layout) -> str:
    """Return one arrow; the options of ``to`` give the Bezier curve of the arc."""
    ends, controls = arc.points[[0, -1]], arc.controls
    steps = controls - ends
    out, into = (math.degrees(math.atan2(dy, dx)) for dx, dy in steps)
    reach = np.linalg.norm(steps, axis=1).mean()
    looseness = reach / (_REACH * np.linalg.norm(ends[1] - ends[0]))
    nodes = []
    for name, (x, y) in zip(arc.edge, ends, strict=True):
        angle = math.degrees(math.atan2(y, x - layout.x[name]))
        nodes.append(f"(n{layout.names.index(name) + 1}.{angle:.0f})")
    return (
        rf"  \draw[better] {nodes[0]} to[out={_number(out)}, in={_number(into)}, "
        rf"looseness={_number(float(looseness))}] {nodes[1]};"
    )


def _at(x: float, y: float) -> str:
    """Return a place, given in px, as a coordinate."""
    return f"({_number(x * _BP)}, {_number(y * _BP)})"


def _length(px: float) -> str:
    return f"{_number(px * _BP)}bp"


def _number(value: float) -> str:
    """Return a number with at most two decimals."""
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
