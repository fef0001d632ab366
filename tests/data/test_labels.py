"""Tests that renaming algorithms and data sets changes names only."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import SettingError
from stats_core.core.messages import IN_PAPER
from stats_core.data.labels import short_names
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
        ({"algorithms": {"q": "x"}}, 'no algorithm "q" to rename. The results have a, b and c'),
        ({"datasets": {"q": "x"}}, 'no data set "q" to rename. The results have d0, d1'),
        ({"algorithms": {"a": "b"}}, '"a" and "b" would both become "b"'),
        ({"algorithms": {"a": "x", "b": " x "}}, '"a" and "b" would both become "x"'),
        (
            {"algorithms": {"a": " "}},
            'name of an algorithm must be non-empty text on one line, but "a" would become ""',
        ),
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
    assert note.said(IN_PAPER) == "1 algorithm (svm for a) was renamed."


texts = st.text(max_size=20) | st.from_regex(
    r"(runs/)?(A|Bb|SVC?)(Classifier|Regressor)?(_[a-c])?(\((a=[12])?(, b='[,)]')?\))?",
    fullmatch=True,
)


@given(st.lists(texts, max_size=12))
def test_no_two_names_become_alike_and_short_names_stay(names):
    short = short_names(names)

    assert list(short) == list(dict.fromkeys(names))
    assert len(set(short.values())) == len(short)
    assert all(len(new) <= len(old) for old, new in short.items())
    assert all(new == old or len(new) > 1 for old, new in short.items())
    assert short_names(short.values()) == {new: new for new in short.values()}


@given(st.lists(texts, max_size=8, unique=True), st.randoms())
def test_the_order_of_names_does_not_matter(names, random):
    shuffled = random.sample(names, len(names))

    assert short_names(shuffled) == short_names(names)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["exp1_rf_seed0", "exp1_svm_seed0"], ["rf", "svm"]),
        (["exp 1: naive bayes", "exp 1: nearest neighbour"], ["naive bayes", "nearest neighbour"]),
        (["runs/7/rf.csv", "runs/8/rf.csv", "runs/8/svm.csv"], ["7/rf", "8/rf", "8/svm"]),
        (["org/Llama-2-7b", "other/Mistral-7B"], ["Llama-2-7b", "Mistral-7B"]),
        (["C:\\out\\knn.csv", "C:\\out\\tree.csv"], ["knn", "tree"]),
        (["MLPClassifier", "KNeighborsClassifier", "SVC"], ["MLP", "KNeighbors", "SVC"]),
        (["SVC(C=1,\n    kernel='rbf')", "SVC(C=2, kernel='rbf')"], ["SVC(C=1)", "SVC(C=2)"]),
        (["SVC(C=1, gamma=2)", "SVC(C=1)", "KNN(k=3)"], ["SVC(gamma=2)", "SVC", "KNN"]),
        (
            ["Ridge(alpha=[1, 2], tol=1)", "Ridge(alpha=[1, 3], tol=1)"],
            ["Ridge(alpha=[1, 2])", "Ridge(alpha=[1, 3])"],
        ),
    ],
)
def test_what_all_share_goes(names, expected):
    assert list(short_names(names).values()) == expected


@pytest.mark.parametrize(
    "names",
    [
        ["model_1", "model_2"],  # numbers alone cannot be read
        ["RandomForestClassifier", "RandomForestRegressor"],  # both would be RandomForest
        ["SVMClassifier", "SVM"],  # the other one is called so
        ["SVMClassifier", "svm"],  # that would differ in case only
        ["C4.5", "C4.5-m", "C4.5-cf"],
        ["rf", "svm"],
        ["Classifier", "Regressor"],
        ["", " ", ".", "(((", "f(a", "f)a(", "=", "/", "//", "_", "a_", "\n", "𝛼", "\u202edcba"],
        ["<b>x</b>", "=1+A1", "'; drop table", "a,b", 'q"uote'],
        [],
    ],
)
def test_names_without_a_better_form_stay(names):
    assert short_names(names) == {name: name for name in names}


def test_179_algorithms_keep_179_names():
    names = [
        f"sklearn.Pipe_{kind}Classifier(depth={depth}, n_jobs=4, seed={seed})_cv10"
        for kind in ("Forest", "Tree", "Boost")
        for depth in range(1, 13)
        for seed in range(5)
    ][:179]

    short = short_names(names)

    assert len(set(short.values())) == 179
    assert sum(map(len, short.values())) < 0.8 * sum(map(len, names))
