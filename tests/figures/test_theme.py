import plotly.io as pio
import pytest

from foldwise.figures import theme


@pytest.mark.parametrize(
    "style",
    [theme.screen(), theme.screen(dark=True), theme.paper(), theme.paper(6.75, serif=False)],
)
def test_every_style_has_its_template(style):
    layout = pio.templates[style.template].layout
    assert layout.font.size == pytest.approx(style.size)
    assert layout.font.color == style.ink
    assert layout.paper_bgcolor == style.ground


def test_the_screen_ground_is_transparent_and_paper_is_white():
    assert theme.screen().ground == "rgba(0,0,0,0)"
    assert theme.paper().ground == "#FFFFFF"


def test_paper_is_measured_in_inches():
    assert theme.paper().width == 312
    assert theme.paper(6.75).width == 648


def test_colour_follows_the_order_of_the_data():
    assert theme.colours(["b", "a"]) == {"b": "#0072B2", "a": "#D55E00"}


def test_black_and_blue_are_lighter_on_a_dark_ground():
    dark = theme.colours(list("abcdefgh"), dark=True)
    assert dark["a"] == "#2A7FBF"
    assert dark["g"] == "#E8EAED"


def test_nobody_gets_a_ninth_hue():
    names = [f"a{i}" for i in range(12)]
    assert set(theme.colours(names).values()) == {theme.GREY}
    lit = theme.colours(names, highlight=names)
    assert [lit[n] for n in names[:8]] == list(theme.PALETTE)
    assert {lit[n] for n in names[8:]} == {theme.GREY}
    assert theme.colours(names, highlight=["a11"])["a11"] == theme.PALETTE[0]


def test_families_share_a_colour_in_the_order_of_the_data():
    """Palette places by hand: "rf" names the trees first, "svm" the kernels second."""
    families = {"svm": "kernels", "gb": "trees", "rf": "trees", "gp": "kernels"}
    given = theme.colours(["rf", "svm", "gb", "gp"], families=families)
    assert list(given.values()) == ["#0072B2", "#D55E00", "#0072B2", "#D55E00"]


def test_an_algorithm_without_a_family_is_grey_and_takes_no_hue():
    given = theme.colours(["knn", "rf"], families={"rf": "trees", "absent": "kernels"})
    assert given == {"knn": theme.GREY, "rf": theme.PALETTE[0]}


def test_the_ninth_family_is_grey_whatever_is_highlighted():
    names = [f"a{i}" for i in range(18)]
    families = {name: f"family {i % 9}" for i, name in enumerate(names)}
    given = theme.colours(names, highlight=["a8"], families=families, dark=True)
    assert [given[n] for n in names[:9]] == [*theme.PALETTE_DARK, theme.GREY]
    assert [given[n] for n in names[9:]] == [given[n] for n in names[:9]]


def test_the_default_template_of_others_stays():
    assert not pio.templates.default.startswith("foldwise")
