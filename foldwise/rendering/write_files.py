"""Export of figures to PDF, SVG, PNG and TikZ without a browser."""

from typing import Literal

import plotly.graph_objects as go

from foldwise.rendering.from_plotly import scene_from_figure

Format = Literal["pdf", "svg", "png", "tikz"]


def export(figure: go.Figure, fmt: Format, dpi: int = 300) -> bytes:
    """Return a figure as a file, at the size its layout states."""
    scene = scene_from_figure(figure)
    if fmt == "tikz":
        from foldwise.rendering.tikz import tikz  # shapely and matplotlib load slowly

        return tikz(scene).encode()
    if fmt not in ("pdf", "svg", "png"):
        raise ValueError(f"`fmt` must be pdf, svg, png or tikz; got {fmt!r}")
    from foldwise.rendering.painter import paint

    return paint(scene, fmt, dpi)
