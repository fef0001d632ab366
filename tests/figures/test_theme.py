import numpy as np
import plotly.io as pio
import pytest

from foldwise.figures import theme
from tests.figures import color_distance

#: Least CIEDE2000 difference to each kind of eyes, least step of L* in grey.
REACHED = {
    theme.screen(): ({"normal": 17.3, "protan": 10.6, "deutan": 10.8, "tritan": 10.6}, 3.5),
    theme.screen(dark=True): ({"normal": 18.7, "protan": 11.9, "deutan": 13.6, "tritan": 11.5}, 5),
}


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
    assert theme.colours(["b", "a"]) == {"b": theme.PALETTE[0], "a": theme.PALETTE[1]}
    assert theme.colours(["b", "a"], dark=True) == {
        "b": theme.PALETTE_DARK[0],
        "a": theme.PALETTE_DARK[1],
    }


def test_the_measure_of_colours_is_the_published_one():
    """Reference: pairs 1, 25 and 16 in table 1 of Sharma, Wu and Dalal (2005), to the four decimals printed."""
    first = np.array([[50, 2.6772, -79.7751], [60.2574, -34.0099, 36.2677], [50, 2.5, 0]])
    second = np.array([[50, 0, -82.7485], [60.4626, -34.1751, 39.4387], [50, 0, -2.5]])
    differences = color_distance.ciede2000(first, second)
    np.testing.assert_allclose(differences, [2.0425, 1.2644, 4.3065], atol=5e-5)


@pytest.mark.parametrize("style", list(REACHED))
def test_all_eyes_tell_eight_hues_apart_and_read_them(style):
    palette = theme.PALETTE_DARK if style.dark else theme.PALETTE
    differences, step = REACHED[style]
    for eyes, least in differences.items():
        assert color_distance.least_difference(palette, eyes) >= least
        # two algorithms are most often compared: the first two differ by far more
        assert color_distance.least_difference(palette[:2], eyes) >= 40
    assert color_distance.steps_in_grey(palette).min() >= step
    assert color_distance.contrast(palette, style.page).min() >= 4.5  # WCAG AA for text
    for hue in palette:
        assert color_distance.least_difference([hue, theme.GREY], "normal") >= 14
        assert color_distance.least_difference([hue, theme.light_fill(hue, style)], "normal") >= 14


def test_at_most_eight_algorithms_have_a_colour():
    names = [f"a{i}" for i in range(12)]
    assert set(theme.colours(names).values()) == {theme.GREY}
    lit = theme.colours(names, highlight=names)
    assert [lit[n] for n in names[:8]] == list(theme.PALETTE)
    assert {lit[n] for n in names[8:]} == {theme.GREY}
    assert theme.colours(names, highlight=["a11"])["a11"] == theme.PALETTE[0]


def test_families_share_a_colour_in_the_order_of_the_data():
    """The family of "rf" comes first in the data, and that of "svm" second."""
    families = {"svm": "kernels", "gb": "trees", "rf": "trees", "gp": "kernels"}
    given = theme.colours(["rf", "svm", "gb", "gp"], families=families)
    assert list(given.values()) == [*theme.PALETTE[:2]] * 2


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
