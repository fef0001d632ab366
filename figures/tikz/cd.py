"""The critical-difference diagram as TikZ, laid out as on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pandas as pd

from figures import text, theme
from figures.cd_frame import Side
from figures.cd_layout import Form, cd_layout
from figures.cd_parts import Layout, Segment, Text
from figures.theme import PX_PER_INCH, Style
from figures.tikz.letters import comment, latex, name_comments, printable
from figures.tikz.parts import TIKZ, bp, number, picture, text_style, wide

_DOTTED = "% A dotted stretch passes algorithms that are not in the group."
#: By how many px a name may be wider than measured: less than its margin.
_SPARE = 6.0
_ANCHORS = {"left": "base west", "center": "base", "right": "base east"}


def cd_tikz(
    average_ranks: pd.Series,
    groups: Sequence[tuple[str, ...]],
    *,
    width_in: float = 3.25,
    best: Side = "left",
    form: Form = "automatic",
    critical_difference: tuple[float, str] | None = None,
    note: str | None = None,
) -> str:
    r"""Return average ranks on an axis, with a bar over each group not separated, as TikZ.

    Parameters
    ----------
    average_ranks : Series
        Average rank per algorithm, 1 is best.
    groups : sequence of tuples of str
        Maximal groups in which no pair differs. Groups of one draw nothing.
    width_in : float
        Width in inches.
    best : {"left", "right"}
        The side of rank 1.
    form : {"automatic", "diagram", "list"}
        As :func:`figures.cd_diagram.cd_diagram`; more than 24 algorithms are a list.
    critical_difference : (float, str), optional
        Length of the ruler and its origin; only if one number separates all pairs.
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
    layout = _roomy(
        width_in,
        lambda style: cd_layout(
            renamed,
            members,
            style=style,
            critical_difference=critical_difference,
            best=best,
            form=form,
            note=note,
            bold=renamed.index,
        ),
    )
    remarks = [*name_comments(shown), *_short(layout.shortened)]
    if layout.dotted:
        remarks.append(_DOTTED)
    beside = (theme.paper(width_in).width - layout.width) / 2
    return picture(
        TIKZ,
        remarks,
        _styles(layout),
        (-layout.left - beside, layout.height, layout.plot + layout.right + beside, 0),
        [*_axis(layout), *_leaders(layout), *_bars(layout), *_marks(layout), *_texts(layout)],
        down=True,
    )


def _roomy(width_in: float, lay_out: Callable[[Style], Layout]) -> Layout:
    """Return a layout with room for names in Computer Modern.

    They are measured in bold Arial, which is as wide; where a name is wider than that, such as
    one in capitals, the diagram is laid out again between wider margins.
    """
    layout = lay_out(theme.paper(width_in, serif=False))
    names = [item for item in layout.texts if item.role == "name"]
    beyond = max(wide(t.string, layout.measures.size) - t.width for t in names) - _SPARE
    if beyond <= 0:
        return layout
    return lay_out(theme.paper(width_in - 2 * beyond / PX_PER_INCH, serif=False))


def _short(shortened: dict[str, str]) -> list[str]:
    return [comment(f'"{now}" is short for "{text.plain(n)}".') for n, now in shortened.items()]


def _styles(layout: Layout) -> list[str]:
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
        f"cd text/.style={{{text_style(m.size)}}}",
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


def _leaders(layout: Layout) -> list[str]:
    """Return the lines from ranks to labels, best first."""
    lines = ["% from ranks to names"]
    for leader in layout.leaders:
        path = " -- ".join(_at(x, y) for x, y in leader.points)
        lines.append(rf"\draw[cd stem] {path}; {comment(leader.name)}")
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


def _marks(layout: Layout) -> list[str]:
    """Return the average ranks of the list form."""
    if not layout.marks:
        return []
    return ["% average ranks", _discs([(x, y) for _, x, y in layout.marks], 4.6)]


def _texts(layout: Layout) -> list[str]:
    return ["% words", *(_node(item, layout) for item in layout.texts)]


def _node(item: Text, layout: Layout) -> str:
    x, anchor = item.x + (layout.plot if item.edge == "right" else 0.0), _ANCHORS[item.anchor]
    before = layout.ruler is not None and item.role == "ruler" and x < layout.ruler.start
    end = layout.plot + layout.right - 2
    if before:  # the distance to the ruler holds in any font
        x, anchor = x + item.width, "base east"
    elif item.role in ("ruler", "note") and x + 1.1 * item.width > end:
        x, anchor = end, "base east"
    return rf"\node[cd text, anchor={anchor}] at {_at(x, item.y)} {{{latex(item.string)}}};"


def _line(style: str, segments: Iterable[Segment]) -> str:
    paths = [f"{_at(a, b)} -- {_at(c, d)}" for a, b, c, d in segments]
    return rf"\draw[{style}] {' '.join(paths)};"


def _discs(places: Iterable[tuple[float, float]], width: float) -> str:
    paths = [f"{_at(x, y)} circle[radius={bp(width / 2)}]" for x, y in places]
    return rf"\fill {' '.join(paths)};"


def _at(x: float, y: float) -> str:
    return f"({number(x)},{number(y)})"
