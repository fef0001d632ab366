"""Other names for algorithms and data sets change nothing but names."""

import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import SettingError
from stats_core.core.messages import IN_PAPER
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.read import read_results


def scores(n=8):
    rows = [
        (f"d{i}", name, 0.1 + (i * 7 % 5) / 50 + j * (0.02 + i / 900))
        for i in range(n)
        for j, name in enumerate("abc")
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])


def renamed(**names):
    return Results.from_frame(scores()).rename(**names)


def test_numbers_stay_under_other_names():
    plain = Results.from_frame(scores())
    other = plain.rename(algorithms={"a": "zeta", "c": "Alpha"}, datasets={"d3": "last"})

    assert other.algorithms == ("Alpha", "b", "zeta")
    assert other.datasets == ("d0", "d1", "d2", "d4", "d5", "d6", "d7", "last")
    assert analyse(other).omnibus.pvalue == pytest.approx(analyse(plain).omnibus.pvalue)
    assert analyse(other, Settings(without_algorithms=("zeta",))).results.algorithms == (
        "Alpha",
        "b",
    )


def test_renaming_and_back_gives_the_same_results():
    plain = Results.from_frame(scores())

    assert plain.rename(algorithms={"a": "x"}).rename(algorithms={"x": "a"}) == plain
    assert plain.rename(algorithms={"a": "a"}) is plain
    assert plain.rename(algorithms={"a": "b", "b": "a"}).algorithms == ("a", "b", "c")


def test_what_was_left_out_stays_left_out_under_other_names():
    table = scores()
    table.loc[0, "error"] = None
    kept = Results.from_frame(table).resolve("drop data sets").select(algorithms=["a", "b"])

    other = kept.rename(algorithms={"a": "x"}, datasets={"d1": "u"})

    assert other.datasets == ("d2", "d3", "d4", "d5", "d6", "d7", "u")
    assert other.missing.empty
    assert list(other.averages("error").columns) == ["b", "x"]


def test_cases_get_the_names_too():
    rows = [
        ("t", a, f, f"{f}{i}", str(i % 2), str((i + j) % 2))
        for j, a in enumerate("ab")
        for f in "12"
        for i in range(6)
    ]
    columns = ["dataset", "algorithm", "fold", "instance", "true", "predicted"]
    results = read_results(pd.DataFrame(rows, columns=columns)).rename(algorithms={"a": "x"})

    assert set(results.predictions["algorithm"]) == {"b", "x"}
    assert len(results.select(algorithms=["x"]).predictions) == 12


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"algorithms": {"q": "x"}}, 'There is no "q"; there are a, b and c'),
        ({"datasets": {"q": "x"}}, "Only data sets that are there"),
        ({"algorithms": {"a": "b"}}, '"a" and "b" would both be called "b"'),
        ({"algorithms": {"a": "x", "b": " x "}}, 'would both be called "x"'),
        ({"algorithms": {"a": " "}}, "A name of an algorithm needs letters, on one line"),
        ({"datasets": {"d0": "a\nb"}}, '"d0" would become "a b"'),
    ],
)
def test_names_that_cannot_be(names, said):
    with pytest.raises(SettingError, match=said):
        renamed(**names)


def test_other_names_are_recorded_once():
    note = renamed(algorithms={"a": "svm"}).notes[-1]

    assert note.code == "renamed"
    assert note["algorithms"] == (("a", "svm"),)
    assert note.said(IN_PAPER) == (
        "1 algorithm (svm for a) is called otherwise than in the files, by our choice."
    )
