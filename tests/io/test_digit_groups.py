"""Separators of thousands: removed where certain, asked about where in doubt."""

import pytest

import stats_core as sc
from stats_core.core.errors import DataError


def read(*lines, separator=",", name="time.csv"):
    return sc.read_results(
        (name, "\n".join(line.replace(";", separator) for line in lines).encode())
    )


def values(results):
    return results.averages(results.measures[0]).to_numpy().tolist()


@pytest.mark.parametrize(
    ("first", "second", "separator"),
    [
        ('"67,311,748"', '"870"', ","),
        ('"67,311,748.50"', '"870.25"', ","),
        ("67.311.748", "870", ";"),
        ("67.311.748,5", "870,5", ";"),
        ("67 311 748", "870", ";"),
        ("67'311'748", "870", ","),
    ],
)
def test_separators_that_can_be_nothing_else_are_removed(first, second, separator):
    rows = [f"set{i};{first};{second}" for i in range(3)]
    if separator == ",":
        rows = [row.replace(";", ",") for row in rows]

    results = read("dataset;old;new".replace(";", separator), *rows, separator=separator)

    (large, small), *_ = [sorted(row, reverse=True) for row in values(results)]
    assert large == pytest.approx(67_311_748, rel=1e-6)
    assert small == pytest.approx(870, rel=1e-3)


def test_a_quoted_comma_in_a_file_of_commas_separates_thousands():
    results = read("dataset,old,new", 'a,"870","1,105"', 'b,"950","1,249"')

    assert sorted(values(results)[0]) == [870, 1105]
    assert any("1,105" in str(note) for note in results.notes)


@pytest.mark.parametrize("mark", [".", ","])
def test_a_mark_before_three_digits_among_whole_numbers_is_asked_about(mark):
    rows = ["a;870;1{m}105", "b;950;1{m}249", "c;1{m}020;999"]

    with pytest.raises(DataError, match="could be 1.020 or 1020"):
        read("dataset;alt;neu", *(row.format(m=mark) for row in rows), separator=";")


@pytest.mark.parametrize(
    "cells",
    [
        ("1.105", "0.870"),  # begins with 0
        ("1.105", "2.25"),  # other numbers of decimals
        ("1.105", "12"),  # no whole number of three digits
        ("1.105", "2.205"),  # no whole number at all
    ],
)
def test_decimals_remain_decimals(cells):
    results = read("dataset,alt,neu", *(f"{name},{cells[0]},{cells[1]}" for name in "abc"))

    assert sorted(values(results)[0]) == sorted(map(float, cells))


def test_versions_in_names_remain():
    results = read(
        "dataset,model,time", "a,1.10.200,3.5", "a,870,4.5", "b,1.10.200,2.5", "b,870,1.5"
    )

    assert set(results.algorithms) == {"1.10.200", "870"}
