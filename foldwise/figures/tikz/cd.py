"""The critical-difference diagram as TikZ, laid out as on the page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from foldwise.figures import theme
from foldwise.figures.cd_frame import Side
from foldwise.figures.cd_layout import Form, cd_layout
from foldwise.figures.cd_parts import Layout, Segment, Text
from foldwise.figures.theme import PX_PER_INCH, Style
from foldwise.figures.tikz.letters import comment, latex, name_comments, printable
from foldwise.figures.tikz.parts import TIKZ, bp, number, picture, text_style
from foldwise.figures.tikz.pens import Pen, pens
from foldwise.figures.tikz.words import LEAST_POINTS, Face, remark, shortened

_DOTTED = "A dotted stretch passes algorithms that are not in the group."
#: By how many px a name may be wider than measured: less than its margin.
_SPARE = 6.0
_ANCHORS = {"left": "base west", "center": "base", "right": "base east"}
#: More algorithms are set in seven eighths of the size, see :class:`foldwise.figures.cd_parts.Measures`.
_MOST_LARGE = 12


def cd_tikz(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    width_in: float = 3.25,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    title: str = "",
    best: Side = "left",
    form: Form = "automatic",
    critical_difference: tuple[float, str] | None = None,
    highlight: Collection[str] = (),
    colours: Mapping[str, str] | None = None,
    note: str | None = None,
) -> str:
    r"""Return average ranks on an axis, with a bar over each group not separated, as TikZ.

    Parameters
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. Groups of one draw nothing.
    width_in, serif, colour, points
        As :func:`foldwise.figures.theme.paper`.
    title : str
        Written above.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        As :func:`foldwise.figures.cd_diagram.cd_diagram`; more than 24 algorithms are a list.
    critical_difference : (float, str), optional
        Length of the ruler and its origin; only if one number separates all pairs.
    highlight : collection of str
        Algorithms in bold, and in their own colour if the figure may use colour.
    colours : mapping of str, optional
        Colour per algorithm, for example by family; mid-grey ones count as without.
    note : str, optional
        A line above the axis; by default it says so when all pairs differ, "" means none.

    Returns
    -------
    str
        A ``tikzpicture``; it needs the package tikz.

    Raises
    ------
    ValueError
        If there are fewer than two algorithms.

    Examples
    --------
    >>> ranks = pd.Series({"svm": 1.2, "knn": 1.8})
    >>> print(cd_tikz(ranks, [("svm", "knn")]).splitlines()[0])
    % Needs \usepackage{tikz}
    """
    shown = printable(average_ranks.index)
    renamed = average_ranks.rename(index=lambda name: shown[str(name)])
    members = [[shown[member] for member in group] for group in groups]
    bold = {shown[str(name)] for name in highlight if str(name) in shown}
    style = theme.paper(width_in, serif=serif, colour=colour, points=points)
    layout = _roomy(
        style,
        lambda width: cd_layout(
            renamed,
            members,
            style=theme.paper(width, serif=False, points=_points(points, len(renamed))),
            critical_difference=critical_difference,
            best=best,
            form=form,
            note=note,
            bold=renamed.index,
        ),
        bold,
    )
    hues = _hues(shown, highlight, colours) if colour else {}
    drawn, definitions = pens(list(shown.values()), hues)
    look = _Look(layout, Face(layout.measures.size, serif), drawn, frozenset(bold))
    remarks = [*name_comments(shown), *shortened(layout.shortened)]
    if layout.dotted:
        remarks.append(remark(_DOTTED))
    beside = (style.width - layout.width) / 2
    return picture(
        TIKZ,
        remarks,
        _styles(layout, look.face),
        (-layout.left - beside, layout.height, layout.plot + layout.right + beside, 0),
        [
            *definitions,
            *_axis(layout),
            *_leaders(look),
            *_bars(layout),
            *_marks(look),
            *_texts(look),
        ],
        face=Face.of(style),
        title=title,
        down=True,
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """A layout, the face of its words, and who stands out in it."""

    layout: Layout
    face: Face
    pens: Mapping[str, Pen]
    bold: frozenset[str]


def _points(points: float, k: int) -> float:
    """Return the size for `k` algorithms of which seven eighths are not below 6 points."""
    return max(points, min(points, LEAST_POINTS) * 8 / 7) if k > _MOST_LARGE else points


def _hues(
    shown: Mapping[str, str], highlight: Collection[str], colours: Mapping[str, str] | None
) -> dict[str, str]:
    """Return the colours of those that have one of their own, by the name that is printed."""
    given = colours or {}
    palette = given or theme.colours(list(shown), highlight)
    return {
        now: palette[name]
        for name, now in shown.items()
        if name in palette and (name in highlight or given.get(name, theme.GREY) != theme.GREY)
    }


def _roomy(style: Style, lay_out: Callable[[float], Layout], bold: Collection[str]) -> Layout:
    """Return a layout with room for names in the fonts of TeX.

    They are measured in bold Arial, which is as wide; where a name is wider than that, such as
    one in capitals, the diagram is laid out again between wider margins.
    """
    inches = style.width / PX_PER_INCH
    layout = lay_out(inches)
    face = Face(layout.measures.size, style.serif)
    names = [item for item in layout.texts if item.role == "name"]
    beyond = max(face.wide(t.string, bold=t.name in bold) - t.width for t in names) - _SPARE
    return layout if beyond <= 0 else lay_out(inches - 2 * beyond / PX_PER_INCH)


def _styles(layout: Layout, face: Face) -> list[str]:
    """Return a TikZ style for each kind of line and text."""
    m = layout.measures
    round_ends = "" if any(bar.dots for bar in layout.bars) else ", line cap=round"
    grey = "black!23" if layout.form == "list" else "black!60"
    dots = f"dash pattern=on {bp(m.thin)} off {bp(2 * m.thin)}"
    return [
        f"cd axis/.style={{black, line width={bp(m.axis)}}}",
        f"cd ruler/.style={{black, line width={bp(1.2 * m.axis)}}}",
        f"cd stem/.style={{{grey}, line width={bp(m.thin)}}}",
        f"cd bar/.style={{black, line width={bp(layout.bar_width)}{round_ends}}}",
        f"cd passed/.style={{black, line width={bp(m.thin)}, {dots}}}",
        f"cd text/.style={{{text_style(face)}}}",
    ]


def _axis(layout: Layout) -> list[str]:
    """Return the rank axis, its ticks, and the ruler if there is one."""
    m = layout.measures
    _, y, _, _ = layout.axis
    lines = ["% axis", _line("cd axis", [layout.axis])]
    ticks = [(x, y + m.axis / 2, x, y - m.tick) for x in layout.ticks]
    ticks += [(x, y, x, y - 0.6 * m.tick) for x in layout.minor]
    lines.append(_line("cd axis", ticks))
    if ruler := layout.ruler:
        ends = [ruler.start] if ruler.open_end else [ruler.start, ruler.end]
        caps = [(x, ruler.y - 3, x, ruler.y + 3) for x in ends]
        lines += [
            "% critical difference",
            _line("cd ruler", [(ruler.start, ruler.y, ruler.end, ruler.y), *caps]),
        ]
    return lines


def _leaders(look: _Look) -> list[str]:
    """Return the lines from ranks to labels, best first."""
    lines = ["% from ranks to names"]
    wide = bp(1.8 * look.layout.measures.thin)
    for leader in look.layout.leaders:
        path = " -- ".join(_at(x, y) for x, y in leader.points)
        own = f", {look.pens[leader.name].hue}, line width={wide}"
        style = f"cd stem{own if leader.name in look.bold else ''}"
        lines.append(rf"\draw[{style}] {path}; {comment(leader.name)}")
    return lines


def _bars(layout: Layout) -> list[str]:
    """Return the groups, each with its members in a comment."""
    lines = []
    for bar in layout.bars:
        lines.append(comment(f"not separated: {', '.join(bar.members)}"))
        if bar.dotted:
            lines.append(_line("cd passed", bar.dotted))
        if bar.solid:
            lines.append(_line("cd bar", bar.solid))
        if bar.dots:
            lines.append(_discs(bar.dots, layout.dot_width))
    return lines


def _marks(look: _Look) -> list[str]:
    """Return the average ranks of the list form."""
    places: dict[str, list[tuple[float, float]]] = {}
    for name, x, y in look.layout.marks:
        places.setdefault(look.pens[name].hue, []).append((x, y))
    lines = [_discs(found, 4.6, hue) for hue, found in places.items()]
    return ["% average ranks", *lines] if lines else []


def _texts(look: _Look) -> list[str]:
    return ["% words", *(_node(item, look) for item in look.layout.texts)]


def _node(item: Text, look: _Look) -> str:
    layout = look.layout
    x, anchor = item.x + (layout.plot if item.edge == "right" else 0.0), _ANCHORS[item.anchor]
    before = layout.ruler is not None and item.role == "ruler" and x < layout.ruler.start
    end = layout.plot + layout.right - 2
    if before:  # the distance to the ruler holds in any font
        x, anchor = x + item.width, "base east"
    elif item.role in ("ruler", "note") and x + look.face.wide(item.string) > end:
        x, anchor = end, "base east"
    own = ""
    if item.role == "name" and look.pens[item.name].hue != "black":
        own = f", text={look.pens[item.name].hue}"
    words = latex(item.string)
    if item.role == "name" and item.name in look.bold:
        words = rf"\textbf{{{words}}}"
    return rf"\node[cd text, anchor={anchor}{own}] at {_at(x, item.y)} {{{words}}};"


def _line(style: str, segments: Iterable[Segment]) -> str:
    paths = [f"{_at(a, b)} -- {_at(c, d)}" for a, b, c, d in segments]
    return rf"\draw[{style}] {' '.join(paths)};"


def _discs(places: Iterable[tuple[float, float]], width: float, hue: str = "black") -> str:
    paths = [f"{_at(x, y)} circle[radius={bp(width / 2)}]" for x, y in places]
    own = "" if hue == "black" else f"[{hue}]"
    return rf"\fill{own} {' '.join(paths)};"


def _at(x: float, y: float) -> str:
    return f"({number(x)},{number(y)})"
