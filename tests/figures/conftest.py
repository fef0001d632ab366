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
    """A style for the screen and one for print."""
    return STYLES[request.param]


@pytest.fixture(params=STYLES)
def every_style(request):
    """All styles, for tests that depend on width or colour."""
    return STYLES[request.param]


@pytest.fixture(autouse=True)
def _what_is_drawn_for_paper_can_be_printed(monkeypatch):
    """Check that the print renderer reads every figure that a test draws in a print style."""
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
