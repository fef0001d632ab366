"""The line of no difference: who is better on which side of it, and the title of its axis."""

from __future__ import annotations

import plotly.graph_objects as go

from foldwise.figures import text, traces
from foldwise.figures.theme import Style

#: What the line means.
ZERO = "no difference"


def draw_zero(fig: go.Figure, low: float, high: float, style: Style) -> None:
    """Draw the line."""
    traces.add_line(fig, [0, 0], [low, high], ZERO, style.ink, style.px(1.4, 0.9))


def draw_region(
    fig: go.Figure, region: float | None, low: float, high: float, style: Style
) -> None:
    """Draw the band of differences that do not matter, behind everything else."""
    if region:
        fig.add_scatter(
            x=band_corners(region),
            y=[low, low, high, high],
            fill="toself",
            mode="lines",
            name=no_matter(region),
            line={"width": 0},
            fillcolor=style.tint if style.colour else style.blank,
            hoverinfo="skip",
        )


def band_corners(region: float) -> list[float]:
    """Return where along the axis the corners of the band lie."""
    return [-region, region, region, -region]


def no_matter(region: float | None) -> str:
    """Return what the middle of the axis means: no difference, or one that does not matter."""
    return f"does not matter: \N{PLUS-MINUS SIGN}{region:g}" if region else ZERO


def side_labels(left: str, right: str) -> tuple[str, str]:
    """Return what to write on either side, not escaped."""
    return f"\N{LEFTWARDS ARROW} {left} better", f"{right} better \N{RIGHTWARDS ARROW}"


def write_sides(
    fig: go.Figure,
    words: tuple[str, str],
    anchor: str,
    lifts: tuple[float, float],
    style: Style,
    region: float | None = None,
) -> None:
    """Write above the plot who is better on which side, and what zero, or the band around it, means.

    `lifts` are how many px up the two stand; the axis must be set before.
    """
    for x, side, said in ((0, "left", words[0]), (1, "right", words[1])):
        at = {"refs": "paper, paper", "anchor": f"{side}, {anchor}", "shift": (0, lifts[0])}
        traces.add_text(fig, text.escape(said), x, 1, style.size, **at)
    low, high = fig.layout.xaxis.range
    zero = -low / (high - low)
    side = "left" if zero < 0.12 else "right" if zero > 0.88 else "center"
    at = {"refs": "x, paper", "anchor": f"{side}, {anchor}", "shift": (0, lifts[1])}
    traces.add_text(fig, no_matter(region), 0, 1, style.size, style.second, **at)


def difference_axis_title(
    measure: object, joint: str, first: str, second: str, room: float, share: float, style: Style
) -> str:
    """Return measure, joint, "first minus second", cut such that the line has room.

    A measure takes at most a `share` of it, and a short name leaves its room to the other.
    """
    size, serif = style.size, style.serif

    def joined(what: str, a: str, b: str) -> str:
        return f"{what}{joint}{a} \N{MINUS SIGN} {b}"

    what, a, b = text.plain_text(measure), text.plain_text(first), text.plain_text(second)
    if text.text_width(joined(what, a, b), size, serif) > room:
        room -= text.text_width(joined("", "", ""), size, serif)
        what = text.shorten([what], share * room, size, serif=serif)[what]
        room -= text.text_width(what, size, serif)
        least = min(text.text_width(name, size, serif) for name in (a, b))
        short = text.shorten([a, b], max(room / 2, room - least), size, serif=serif)
        a, b = short[a], short[b]
    return text.escape(joined(what, a, b))
