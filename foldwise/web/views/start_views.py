"""Start screen, shown while no results are open: upload, examples, and a sample result."""

from base64 import b64encode
from functools import cache
from pathlib import Path

import streamlit as st

from foldwise.figures import cd_diagram, theme
from foldwise.figures.spec import FigureSpec
from foldwise.web import browser, components, session
from foldwise.web.texts import page_text
from foldwise.web.views import upload_views
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.verdict import verdict

# picture of a tile, which names its texts, and the sample that it opens
TILES = {"datasets": "uci38_5x2.csv", "test_set": "two_models.csv", "table": "demsar_2006_auc.csv"}
EXAMPLE = TILES["datasets"]
_PICTURES = Path(__file__).parents[1] / "tiles"


def start() -> None:
    """Draw the start screen."""
    st.title(page_text("start_views.promise"))
    st.markdown(page_text("start_views.in_and_out"))
    left, right = st.columns(2, gap="medium")
    with left:
        with st.container(key="drop"):
            upload_views.upload_box()
        with st.container(key="tiles"):
            for column, tile in zip(st.columns(len(TILES)), TILES.items(), strict=True):
                with column:
                    _tile(*tile)
    with right.container(border=True):
        headline, drawing = example()
        st.caption(f"Example: {session.sample_title(EXAMPLE)}")
        st.markdown(f"**{components.escape(headline)}**")
        style = theme.screen(dark=components.is_dark(), width=browser.figure_width(560))
        st.plotly_chart(
            drawing.figure(style),
            theme=None,
            key="figure_example",
            alt=drawing.alt,
            config={"displayModeBar": False, "staticPlot": True},
        )


def _tile(picture: str, file: str) -> None:
    """Draw a button with a picture that opens a sample."""
    with st.container(border=True, height="stretch", key=f"tile_{picture}", gap="xsmall"):
        source = b64encode((_PICTURES / f"{picture}.svg").read_bytes()).decode()
        st.html(f'<img alt="" width="120" src="data:image/svg+xml;base64,{source}">')
        heading = page_text(f"start_views.{picture}")
        st.button(
            heading,
            key=f"start_{picture}",
            on_click=session.open_sample,
            args=(file,),
            type="tertiary",
        )
        st.caption(page_text(f"start_views.{picture}_line"))


@cache
def example() -> tuple[str, FigureSpec]:
    """Return headline and critical-difference diagram of a sample; cached for all sessions."""
    row = next(row for row in session.catalogue() if row["file"] == EXAMPLE)
    results = read_results(
        (EXAMPLE, session.sample_bytes(EXAMPLE)), mapping=Mapping(measure_name=row["measure"])
    )
    comparison = analyse(results, Settings(measure=row["measure"]))
    return verdict(comparison).headline, cd_diagram.cd_drawing(comparison).fixed()
