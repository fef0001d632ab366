import pytest

from foldwise.figures import theme
from foldwise.rendering.from_plotly import scene_from_figure

# A screen and a column of a paper hold what any figure must show; the dark ground, the narrow
# window and a page in colour matter to few.
STYLES = {
    "light": theme.screen(),
    "dark": theme.screen(dark=True, width=482),
    "column": theme.paper(),
    "page": theme.paper(6.75, serif=False, colour=True),
}


@pytest.fixture(params=["light", "column"])
def style(request):
    """A screen and a printed style, for what is drawn."""
    return STYLES[request.param]


@pytest.fixture(params=STYLES)
def every_style(request):
    """All kinds of styles, for what hangs on room and on colour."""
    return STYLES[request.param]


@pytest.fixture(autouse=True)
def _what_is_drawn_for_paper_can_be_printed(monkeypatch):
    """Whatever figure a test of figures draws in a printed style, the printer understands it."""
    drawn, make = [], theme.new_figure

    def noted(style, *args, **layout):
        figure = make(style, *args, **layout)
        drawn.extend([figure] if style.printed else [])
        return figure

    monkeypatch.setattr(theme, "new_figure", noted)
    yield
    for figure in drawn:
        if figure.data or figure.layout.annotations:
            scene_from_figure(figure)
