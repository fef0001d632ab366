"""Tests of groups of data sets: values, thirds of numbers, and groups after leaving out data sets."""

import pandas as pd
import pytest

from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.settings import groups_of

NAMES = [f"d{i}" for i in range(12)]


def tagged(**columns):
    rows = [(d, a, i / 20) for i, d in enumerate(NAMES) for a in "ab"]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    return Results.from_frame(frame, groups=pd.DataFrame(columns, index=NAMES))


def test_groups_are_the_values_in_natural_order():
    results = tagged(domain=["b10"] * 5 + ["b9"] * 6 + [None])

    assert groups_of(results, "domain") == {"b9": tuple(NAMES[5:11]), "b10": tuple(NAMES[:5])}
    assert results.groups.loc["d11", "domain"] == ""


def test_many_numbers_are_cut_into_thirds_that_carry_their_bounds():
    results = tagged(size=[10 * i for i in range(12)])

    assert list(groups_of(results, "size")) == ["0 to 30", "40 to 70", "80 to 110"]


def test_bounds_stay_when_data_sets_are_left_out():
    results = tagged(size=[10 * i for i in range(12)]).select(datasets=["d1", "d11"])

    assert groups_of(results, "size") == {"0 to 30": ("d1",), "80 to 110": ("d11",)}
    assert list(results.groups.index) == ["d1", "d11"]


def test_few_numbers_stay_as_they_are():
    assert list(groups_of(tagged(classes=[2, 3, 10] * 4), "classes")) == ["2", "3", "10"]


def test_every_third_of_tied_numbers_has_data_sets():
    values = [1] * 3 + list(range(2, 11))

    groups = groups_of(tagged(size=values), "size")

    assert sum(map(len, groups.values())) == 12
    assert all(groups.values())


def test_groups_follow_their_data_sets_to_other_names():
    results = tagged(domain=["x", "y"] * 6).rename(datasets={"d0": "zero"})

    assert "zero" in groups_of(results, "domain")["x"]


def test_without_a_tag_of_that_name():
    with pytest.raises(SettingError, match=r'No column "q" groups the data sets\. Choose one'):
        groups_of(tagged(domain=["x"] * 12), "q")
    with pytest.raises(SettingError, match="Assign the role group to a column"):
        groups_of(tagged(), "q")
