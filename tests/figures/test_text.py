import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldwise.figures import text
from stats_core.core.formatting import p_text

NAMES = st.lists(
    st.text(
        alphabet=string.ascii_letters + string.digits + " -_()<>&\n世界機械学習",
        min_size=1,
        max_size=80,
    ),
    min_size=1,
    max_size=30,
    unique=True,
)


def test_markup_in_a_name_is_text():
    assert text.escape("<b>C4.5</b> & co") == "&lt;b&gt;C4.5&lt;/b&gt; &amp; co"


def test_entities_in_a_name_stay_as_written():
    assert text.escape("a&lt;b") == "a&amp;lt;b"


@pytest.mark.parametrize("blank", ["\n", "\t", "\r", "\u2028", "\x00"])
def test_a_name_stays_on_one_line(blank):
    assert text.escape(f"a{blank}b") == "a b"


def test_width_grows_with_size_and_weight():
    assert text.text_width("svm", 26) == pytest.approx(2 * text.text_width("svm", 13))
    assert text.text_width("svm", 13, bold=True) > text.text_width("svm", 13)
    assert text.text_width("", 13) == 0


def test_wide_characters_count_one_em():
    assert text.text_width("機械学習", 10) == pytest.approx(40)
    assert text.text_width("a機", 10) == pytest.approx(10 + text.text_width("a", 10))


def test_long_names_lose_their_middle_only():
    full = "Gradient boosting with feature selection (variant 8)"
    shown = text.shorten([full, "svm"], 150, 13)
    head, tail = shown[full].split("…")
    assert full.startswith(head)
    assert full.endswith(tail)
    assert head
    assert tail
    assert shown["svm"] == "svm"


def test_names_that_differ_in_the_middle_stay_apart():
    names = [f"Gradient boosting, depth {i}, with feature selection and weights" for i in range(9)]
    shown = text.shorten(names, 120, 13)
    assert len(set(shown.values())) == len(names)


def test_names_alike_on_one_line_are_numbered():
    shown = text.shorten(["a b", "a\nb", "a\tb"], 200, 13)
    assert shown["a b"] == "a b"
    assert len(set(shown.values())) == 3


@given(names=NAMES, room=st.floats(40, 300))
def test_short_forms_are_distinct_and_fit(names, room):
    shown = text.shorten(names, room, 13)
    assert list(shown) == names
    assert len(set(shown.values())) == len(names)
    assert all(text.text_width(s, 13) <= room for s in shown.values())


@pytest.mark.parametrize(
    ("p", "printed"),
    [(0.0, "<0.001"), (0.00099, "<0.001"), (0.05, "0.050"), (1.2, ">0.999"), (float("nan"), "n/a")],
)
def test_p_values_are_never_zero_nor_above_one(p, printed):
    assert p_text(p) == printed


def test_minus_is_a_minus_and_zero_has_no_sign():
    assert text.format_signed(-0.52, 1) == "\N{MINUS SIGN}0.5"
    assert text.format_signed(-0.04, 1) == "0.0"
    assert text.format_signed(0.52, 1) == "+0.5"
    assert text.format_minus(0.52, 1) == "0.5"


def test_lists_say_how_many_are_left_out():
    assert text.join_escaped("abc", 3) == "a, b, c"
    assert text.join_escaped("abcde", 3) == "a, b, c and 2 more"
