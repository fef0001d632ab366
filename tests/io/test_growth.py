"""Tests that reading takes linear time; `python -m benchmarks.growth` searches for texts where it does not."""

import pytest

from benchmarks import growth

FRAMES = {frame.name: frame for frame in growth.FRAMES}
# frames and tokens whose reading once took quadratic time or memory
FOUND = (
    ("LaTeX, alone", "\\begin{tabular}{"),
    ("LaTeX, above", "\\begin{tabular}{"),
    ("Markdown, heading", "~~a "),
    ("Markdown, heading", "_a "),
    ("Markdown, alone", "-\n|\n|-\n"),
)


@pytest.mark.parametrize(("name", "token"), FOUND)
def test_the_time_of_reading_grows_with_the_size_of_a_text(name, token):
    assert growth.growth(FRAMES[name], (token,), 2_000) <= growth.MOST_GROWTH


def test_the_memory_of_reading_grows_with_the_size_of_a_text():
    overlapping = FRAMES["Markdown, alone"]

    grown = growth.growth(overlapping, ("-\n|\n|-\n",), 1_000, growth.memory)

    assert grown <= growth.MOST_GROWTH


def test_growth_that_is_not_linear_is_found():
    def squared(content):
        return len(content) ** 2

    assert growth.growth(FRAMES["HTML"], ("<",), 1_000, squared) > growth.MOST_GROWTH
