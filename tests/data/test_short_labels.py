"""Short names: one-to-one whatever the names, and what the rule is for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.data.labels import short_names

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
