"""The "Save" panel of a figure: preview, download in several formats, and its numbers."""

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from foldwise.figures import axis_parts
from foldwise.figures.spec import FigureSpec
from foldwise.figures.theme import LEAST_POINTS, PX_PER_INCH, Style
from foldwise.rendering.figure_files import ENDINGS
from foldwise.rendering.from_plotly import Format, export
from foldwise.rendering.print_style import StylePanel, draw_for_print
from stats_core.core.errors import FoldwiseError
from stats_core.report.text_report import table_to_csv

WIDTHS = {"One column 3.25 in": 3.25, "Two columns 6.75 in": 6.75, "other": None}
FORMATS: dict[Format, str] = {
    "pdf": "application/pdf",
    "svg": "image/svg+xml",
    "png": "image/png",
    "tikz": "application/x-tex",
}
_SHARP = 2 * PX_PER_INCH  # dots per inch of the preview, for screens of high resolution


def figure_download(drawing: FigureSpec, seen: Style, *, selected: bool = False) -> None:
    """Draw a preview of a figure at its true size and buttons to download it."""
    name = drawing.name
    panel = _panel(drawing, selected)
    drawing = _formed(drawing, seen, panel)
    figure = _part(drawing, seen, panel)
    st.image(
        export(figure, "png", _SHARP),
        width=round(panel.width_in * PX_PER_INCH),
        caption=f"{panel.width_in:g} in wide, at its true size",
        output_format="PNG",
    )
    with st.container(horizontal=True):
        for kind, mime in FORMATS.items():
            st.download_button(
                "TikZ" if kind == "tikz" else kind.upper(),
                data=_file(figure, kind),
                file_name=f"foldwise_{name}_{panel.width_in:g}in.{ENDINGS.get(kind, kind)}",
                mime=mime,
                on_click="ignore",
                key=f"save_{name}_{kind}",
            )
        st.download_button(
            "Data (CSV)",
            data=lambda: table_to_csv(drawing.numbers()),
            file_name=f"foldwise_{name}.csv",
            mime="text/csv",
            on_click="ignore",
            key=f"save_{name}_csv",
        )


def _panel(drawing: FigureSpec, selected: bool) -> StylePanel:
    """Draw the widgets for the width and the other print options."""
    name = drawing.name
    choice = st.segmented_control(
        "Width", list(WIDTHS), default="One column 3.25 in", key=f"width_{name}", required=True
    )
    inches = WIDTHS[choice or "One column 3.25 in"]
    if inches is None:
        inches = st.number_input("Inches", 2.0, 20.0, 5.0, 0.25, key=f"inches_{name}")
    tested = keeps = False
    if drawing.tested:
        tested = st.checkbox(f"Print on it: {drawing.tested}", key=f"tested_{name}")
    if selected:
        keeps = st.checkbox("Keep what is selected", key=f"keeps_{name}")
    return StylePanel(width_in=inches, tested=tested, keeps=keeps)


def _formed(drawing: FigureSpec, seen: Style, panel: StylePanel) -> FigureSpec:
    """Draw a widget for the form of the figure, and a note if the paper form differs."""
    on_screen, fits = drawing.form_in(seen), drawing.form_in(panel.style)
    if not fits:
        return drawing
    chosen = st.segmented_control(
        "Form", ["diagram", "list"], default=fits, key=f"form_{drawing.name}_{fits}", required=True
    )
    if fits != on_screen:
        st.caption(
            f"The screen shows a {on_screen}. {panel.width_in:g} in have no room for one, even with "
            f"names of {LEAST_POINTS:g} points; a diagram would cut them."
        )
    return drawing.with_form(chosen or fits)


def _part(drawing: FigureSpec, seen: Style, panel: StylePanel) -> go.Figure:
    """Draw widgets for the ranges of the axes; a page cannot read the zoom of a figure."""
    full_figure, name = draw_for_print(drawing, panel), drawing.name
    free = axis_parts.free_axes(drawing.figure(seen))
    if not free or not st.checkbox("Only a part of the axes", key=f"part_{name}"):
        return full_figure
    ranges = {}
    for axis in free:
        low, high = (float(end) for end in sorted(full_figure.layout[axis].range))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            letter = axis[0]
            ranges[axis] = (
                st.number_input(f"{letter} from", value=low, format="%g", key=f"low_{name}_{axis}"),
                st.number_input("to", value=high, format="%g", key=f"high_{name}_{axis}"),
            )
    try:
        return axis_parts.crop_axes(full_figure, ranges)
    except FoldwiseError as error:
        st.warning(str(error))
        return full_figure


def _file(figure: go.Figure, kind: Format, dpi: int = 300) -> Callable[[], bytes]:
    return lambda: export(figure, kind, dpi)
