"""What leaves from beside a figure: the figure as a file, and its numbers."""

from collections.abc import Callable

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from foldwise.figures.printing.export import export
from foldwise.figures.theme import Style, paper
from foldwise.gallery.bundle import ENDINGS
from stats_core.papers.report import table_to_csv

WIDTHS = {"One column 3.25 in": 3.25, "Two columns 6.75 in": 6.75, "other": None}
FORMATS = {
    "PDF": "application/pdf",
    "SVG": "image/svg+xml",
    "PNG": "image/png",
    "TikZ": "application/x-tex",
}


def offer(
    build: Callable[[Style], go.Figure],
    name: str,
    data: pd.DataFrame,
) -> None:
    """Offer a figure as a file, of the width that a column needs, and its numbers."""
    choice = st.segmented_control(
        "Width", list(WIDTHS), default="One column 3.25 in", key=f"width_{name}", required=True
    )
    inches = WIDTHS[choice or "One column 3.25 in"]
    if inches is None:
        inches = st.number_input("Inches", 2.0, 20.0, 5.0, 0.25, key=f"inches_{name}")
    with st.container(horizontal=True):
        for label, mime in FORMATS.items():
            kind = label.lower()
            st.download_button(
                label,
                data=_file(build, kind, inches),
                file_name=f"foldwise_{name}_{inches:g}in.{ENDINGS.get(kind, kind)}",
                mime=mime,
                on_click="ignore",
                key=f"save_{name}_{kind}",
            )
        st.download_button(
            "Data (CSV)",
            data=table_to_csv(data),
            file_name=f"foldwise_{name}.csv",
            mime="text/csv",
            on_click="ignore",
            key=f"save_{name}_csv",
        )


def _file(build: Callable[[Style], go.Figure], kind: str, inches: float) -> Callable[[], bytes]:
    def make() -> bytes:
        return export(build(paper(inches)), kind)

    return make
