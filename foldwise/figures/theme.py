"""Figure styles: colours, fonts and sizes for the screen (light or dark) and for print."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Unpack

import plotly.graph_objects as go
import plotly.io as pio

PX_PER_INCH = 96
PX_PER_POINT = PX_PER_INCH / 72

#: Legible as text and distinguishable with colour vision deficiency and in grey: docs/decisions.md.
PALETTE = ("#127BBE", "#A75813", "#014B34", "#6A124C", "#594496", "#7C4E55", "#554916", "#326C77")
#: The same hues on the dark page.
PALETTE_DARK = (
    *("#8FC6FF", "#E2925B", "#99BC99", "#FEBED7"),
    *("#8581D2", "#BA6457", "#ECDFA2", "#5EA2A8"),
)
#: The grey of algorithms without a colour of their own.
GREY = "#8A8F98"
#: Share of an algorithm's colour in its light fill, mixed with the page colour.
_LIGHT = 0.4
#: Least legible text size on paper, in points.
LEAST_POINTS = 6.0
#: Opacity of items that are not selected.
FADED = 0.25
MARKERS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "star", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

_SCREEN_FAMILY = ", ".join(
    ["'Source Sans'", "'Source Sans Pro'", "'Liberation Sans'", "Arial", "sans-serif"]
)
_SERIF_FAMILY = ", ".join(["'Liberation Serif'", "'Times New Roman'", "Tinos", "serif"])
_SANS_FAMILY = ", ".join(["'Liberation Sans'", "Arial", "Helvetica", "Arimo", "sans-serif"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Colours, fonts and sizes of the surface that a figure is drawn on.

    Attributes
    ----------
    kind : {"screen", "print"}
        Screen figures stretch with the window, print figures have a fixed size.
    dark : bool
        Whether the page is dark; always False in print.
    width : int
        Width in CSS pixels, 96 to the inch.
    serif, colour : bool
        Whether text has serifs, and whether colours are used (always on the screen).
    family : str
        CSS font family.
    size, tick_size : float
        Sizes of text and of tick labels in px. Tick labels are one px smaller on the screen, equal
        in print.
    ink, second, faint, hairline, leader, ground, accent, tint, tint_worse, blank : str
        Colours by role: text and marks, secondary text, faint text, hairlines, leader lines,
        background (transparent on the screen), accent colour, the two tints of a decision (equally
        light, so that they are alike in grey copies) and the fill of empty cells.
    keeps : bool
        Whether print emphasises the items selected on the screen.
    """

    kind: Literal["screen", "print"]
    dark: bool
    width: int
    serif: bool
    colour: bool
    family: str
    size: float
    tick_size: float
    ink: str
    second: str
    faint: str
    hairline: str
    leader: str
    ground: str
    accent: str
    tint: str
    tint_worse: str
    blank: str
    keeps: bool = False

    @property
    def template(self) -> str:
        """Name of the Plotly template registered for this surface and the default text size."""
        if self.kind == "print":
            return "foldwise_print_serif" if self.serif else "foldwise_print_sans"
        return "foldwise_dark" if self.dark else "foldwise_light"

    @property
    def page(self) -> str:
        """Opaque colour of the page, unlike `ground`, which is transparent on the screen."""
        return "#0E1117" if self.dark else "#FFFFFF"

    @property
    def veil(self) -> str:
        """Page colour with partial transparency, as background of text."""
        return "rgba(14,17,23,0.75)" if self.dark else "rgba(255,255,255,0.75)"

    @property
    def printed(self) -> bool:
        """Whether the style is for print."""
        return self.kind == "print"

    @property
    def selects(self) -> bool:
        """Whether selected items are emphasised."""
        return self.keeps or not self.printed

    def px(self, on_screen: float, in_print: float) -> float:
        """Return `on_screen` or `in_print`, whichever applies to this surface."""
        return in_print if self.printed else on_screen


class _Roles(TypedDict):
    """The colours of a surface by role, as in `Style`."""

    ink: str
    second: str
    faint: str
    hairline: str
    leader: str
    accent: str
    tint: str
    tint_worse: str
    blank: str


_LIGHT_PAGE: _Roles = {
    "ink": "#1F2937",
    "second": "#4B5563",
    "faint": "#6B7280",
    "hairline": "#E5E7EB",
    "leader": "#9CA3AF",
    "accent": "#D55E00",
    "tint": "#CFE3F1",
    "tint_worse": "#F7D9C4",
    "blank": "#F1F2F4",
}
_DARK_PAGE: _Roles = {
    "ink": "#E8EAED",
    "second": "#B6BDC8",
    "faint": "#9AA3B2",
    "hairline": "#2B313C",
    "leader": "#6B7280",
    "accent": "#D55E00",
    "tint": "#16384F",
    "tint_worse": "#4A2A12",
    "blank": "#171B24",
}
_PRINT: _Roles = {
    "ink": "#000000",
    "second": "#000000",
    "faint": "#444444",
    "hairline": "#C4C4C4",
    "leader": "#666666",
    "accent": "#000000",
    "tint": "#DEDEDE",
    "tint_worse": "#DEDEDE",
    "blank": "#F4F4F4",
}
_COLOUR_PRINT: _Roles = {
    "ink": "#000000",
    "second": "#000000",
    "faint": "#444444",
    "hairline": "#C4C4C4",
    "leader": "#666666",
    "accent": "#D55E00",
    "tint": "#CFE3F1",
    "tint_worse": "#F7D9C4",
    "blank": "#F1F2F4",
}


def screen(dark: bool = False, width: int = 980) -> Style:
    """Return the style of figures in the browser, at most `width` px wide."""
    return Style(
        kind="screen",
        dark=dark,
        width=width,
        serif=False,
        colour=True,
        family=_SCREEN_FAMILY,
        size=13,
        tick_size=12,
        ground="rgba(0,0,0,0)",
        **(_DARK_PAGE if dark else _LIGHT_PAGE),
    )


def paper(
    width_in: float = 3.25,
    *,
    serif: bool = True,
    colour: bool = False,
    points: float = 8,
    keeps: bool = False,
) -> Style:
    """Return the style of printed figures, `width_in` inches wide with text of `points`."""
    return Style(
        kind="print",
        dark=False,
        width=round(width_in * PX_PER_INCH),
        serif=serif,
        colour=colour,
        family=_SERIF_FAMILY if serif else _SANS_FAMILY,
        size=points * PX_PER_POINT,
        tick_size=points * PX_PER_POINT,
        ground="#FFFFFF",
        keeps=keeps,
        **(_COLOUR_PRINT if colour else _PRINT),
    )


def colours(
    algorithms: Sequence[str],
    highlight: Collection[str] = (),
    dark: bool = False,
    families: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the colour of each algorithm, by its family or, without families, by its position.

    The first eight families have a colour; without families, all of at most eight algorithms, and
    of more algorithms the first eight in `highlight`. The others are grey.
    """
    palette = PALETTE_DARK if dark else PALETTE
    if families:
        order = dict.fromkeys(families[name] for name in algorithms if families.get(name))
        hues = dict(zip(order, palette, strict=False))
        return {name: hues.get(families.get(name, ""), GREY) for name in algorithms}
    if len(algorithms) <= len(palette):
        return dict(zip(algorithms, palette, strict=False))
    highlighted = dict(zip(filter(set(algorithms).__contains__, highlight), palette, strict=False))
    return {name: highlighted.get(name, GREY) for name in algorithms}


def colours_on_page(colours: Mapping[str, str] | None, style: Style) -> Mapping[str, str] | None:
    """Return colours for the page of a style: those of the dark palette on a dark page only; None stays None."""
    if not colours:
        return colours
    ends = (PALETTE, PALETTE_DARK) if style.dark else (PALETTE_DARK, PALETTE)
    turned = dict(zip(*ends, strict=True))
    return {name: turned.get(colour, colour) for name, colour in colours.items()}


def light_fill(colour: str, style: Style) -> str:
    """Return a pale fill for marks with an edge of the given colour."""
    return mix(style.page, colour, _LIGHT)


def mix(first: str, second: str, share: float) -> str:
    """Return a mixture of two colours, with a `share` of the second."""
    channels = zip(rgb(first), rgb(second), strict=True)
    return "#{:02X}{:02X}{:02X}".format(*(round(a + share * (b - a)) for a, b in channels))


def rgb(colour: str) -> tuple[int, ...]:
    """Return the red, green and blue of a colour, given as #RRGGBB."""
    return tuple(bytes.fromhex(colour[1:]))


def transparent(colour: str, opacity: float) -> str:
    """Return a colour, given as #RRGGBB, with an opacity."""
    return f"rgba({','.join(map(str, rgb(colour)))},{opacity:g})"


class PageFigure(go.Figure):
    """Figure whose properties change without messages to a widget and whose traces are validated once, not twice."""

    def add_scatter(
        self, *, row: int | None = None, col: int | None = None, **trace: Any
    ) -> go.Figure:
        """Add a scatter trace."""
        return self.add_trace({"type": "scatter", **trace}, row=row, col=col)

    def add_bar(self, *, row: int | None = None, col: int | None = None, **trace: Any) -> go.Figure:
        """Add a bar trace."""
        return self.add_trace({"type": "bar", **trace}, row=row, col=col)

    def batch_update(self) -> AbstractContextManager[None]:
        """Return a context in which changes apply at once."""
        return nullcontext()

    def _relayout_child(self, *_: Any) -> None:
        pass

    def _restyle_child(self, *_: Any) -> None:
        pass


class FigureLayout(TypedDict, total=False):
    """Plotly properties of the layout of a figure that do not follow from its style."""

    margin: Mapping[str, float | bool]
    xaxis: dict[str, Any]
    yaxis: dict[str, Any]
    bargap: float
    barmode: str


def new_figure(style: Style, height: float, **layout: Unpack[FigureLayout]) -> go.Figure:
    """Return an empty figure with the style's template, height and, in print, width.

    Clicks select points without dimming the others; pages redraw the figure themselves.
    """
    options = {
        "template": _template_of(style),
        "height": round(height),
        "width": style.width if style.printed else None,
        "clickmode": "event+select",
        "dragmode": False,
        "hovermode": "closest",
        "showlegend": False,
    }
    fig = PageFigure(layout=options)
    return fig.update_layout(**layout) if layout else fig


def _template_of(style: Style) -> str | go.layout.Template:
    """Return the name of the registered template, or a new template for other text sizes."""
    registered = pio.templates[style.template].layout
    same_sizes = (registered.font.size, registered.xaxis.tickfont.size) == (
        style.size,
        style.tick_size,
    )
    return style.template if same_sizes else _template(style)


def _template(style: Style) -> go.layout.Template:
    """Return the Plotly template of a style."""
    line = style.px(1.2, 0.8)
    axis = {
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "linecolor": style.ink,
        "linewidth": line,
        "ticks": "outside",
        "ticklen": style.px(4, 3),
        "tickwidth": line,
        "tickcolor": style.ink,
        "tickfont": {"size": style.tick_size, "color": style.ink},
        "title": {"font": {"size": style.size, "color": style.ink}, "standoff": 6},
        "automargin": False,
    }
    template = go.layout.Template()
    template.layout = {
        "font": {"family": style.family, "size": style.size, "color": style.ink},
        "colorway": list(PALETTE_DARK if style.dark else PALETTE),
        "paper_bgcolor": style.ground,
        "plot_bgcolor": style.ground,
        "xaxis": axis,
        "yaxis": axis,
        "hoverlabel": {
            "align": "left",
            "bgcolor": "#232936" if style.dark else "#FFFFFF",
            "bordercolor": style.leader,
            "font": {"family": style.family, "size": 13, "color": style.ink},
        },
        "annotationdefaults": {"showarrow": False, "borderpad": 0, "borderwidth": 0},
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
    }
    return template


for _style in (screen(), screen(dark=True), paper(), paper(serif=False)):
    pio.templates[_style.template] = _template(_style)
