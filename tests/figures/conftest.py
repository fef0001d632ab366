import pytest

from foldwise.figures import theme

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
