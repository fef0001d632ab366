"""Tests of the best algorithm by underlines and costs: printed examples, and agreement with MultiTest.

The examples are those of Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772.
"""

from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.core.errors import DataError
from stats_core.ordering.multitest import multitest
from stats_core.ordering.order import best_of_underlines


@pytest.mark.parametrize(
    ("order", "lines", "best", "condition"),
    [  # the examples of section 2.2; simpler is the smaller number
        ("2431", ["43"], "2", 1),
        ("4321", ["432"], "2", 2),
        ("1342", ["13", "34", "42"], "1", 3),
        ("4132", ["413", "32"], "1", 4),
        ("4321", ["432", "321"], "", 0),
    ],
)
def test_the_papers_five_examples(order, lines, best, condition):
    found = best_of_underlines(order, lines, "1234")

    assert (found.best, found.condition) == (best, condition)
    assert found.text.startswith(
        f"Based on the groups alone, {best or 'no algorithm'} would be first. "
    )


def test_a_line_under_one_algorithm_is_none():
    assert best_of_underlines("21", ["2", "1"], "12") == best_of_underlines("21", [], "12")
    assert best_of_underlines("21", [], "12").condition == 1


def test_one_line_under_all_names_the_cheapest():
    assert best_of_underlines("cab", ["cab"], "bca").best == "b"


def test_a_line_that_skips_one_is_refused():
    with pytest.raises(DataError, match="covers 1, 3 and 4, but not 2 between them"):
        best_of_underlines("1234", ["12", "134"], "1234")


@pytest.mark.parametrize("again", ["12", "21", "2", "123"])
def test_a_line_within_another_changes_nothing(again):
    """123 is the only maximal underline, and 3 its cheapest member: the second condition."""
    found = best_of_underlines("1234", ["123", again], "3214")

    assert found == best_of_underlines("1234", ["123"], "3214")
    assert (found.best, found.condition) == ("3", 2)


@pytest.mark.parametrize(
    ("order", "lines", "prior"),
    [
        ("ab", [], "abc"),
        ("abc", ["cd"], "abc"),
        ("", [], ""),
        ("aab", [], "ab"),
        ("abc", ["ab"], "aabc"),
    ],
)
def test_underlines_of_others_are_refused(order, lines, prior):
    with pytest.raises(DataError, match="must name the same algorithms"):
        best_of_underlines(order, lines, prior)


@st.composite
def lines_and_costs(draw):
    """Draw algorithms in order of rank, underlines of which none contains another, and a prior order."""
    order = [f"a{place}" for place in range(draw(st.integers(1, 7)))]
    ends = sorted(draw(st.integers(place, len(order) - 1)) for place in range(len(order)))
    # no line inside another
    starts = {end: ends.index(end) for end in set(ends)}
    return order, [order[a : b + 1] for b, a in starts.items()], draw(st.permutations(order))


@given(lines_and_costs())
def test_where_underlines_name_a_best_multitest_puts_it_first(case):
    """Two algorithms differ significantly if no underline contains both."""
    order, lines, prior = case
    apart = [
        (first, later)
        for first, later in combinations(order, 2)
        if not any(first in line and later in line for line in lines)
    ]
    better = pd.DataFrame(False, index=order, columns=order)
    for first, later in apart:
        better.loc[first, later] = True

    found = best_of_underlines(order, lines, prior)

    assert found.best in ("", multitest(prior, better).order[0])
