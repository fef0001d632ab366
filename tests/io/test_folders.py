"""Tests of files with the same name in several folders, and of counters that number the folds."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats_core import DataError, NeedsMapping, read_results
from stats_core.report.varied_verdicts import possible_answers

TASKS = ("arc", "boolq", "copa", "piqa")


@pytest.fixture
def put(tmp_path, rng):
    """A function that writes a file, whose content is made from random numbers, and returns its path."""

    def write(path, make):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(make(lambda: round(float(rng.uniform(0.6, 0.95)), 4)))
        return file

    return write


def folds(r, header="fold_id", n=5):
    return "\n".join([f"{header},accuracy", *(f"{k},{r()}" for k in range(n))])


def records(r):
    return json.dumps([{"dataset": task, "accuracy": r()} for task in TASKS])


def columns(r):
    return json.dumps({task: {"accuracy": r(), "f1": r()} for task in TASKS})


def harness(r):
    scores = {task: {"acc,none": r()} for task in TASKS}
    return json.dumps({"results": scores, "versions": {}, "config": {}, "date": r()})


@pytest.mark.parametrize("make", [folds, records, columns, harness])
def test_the_folder_is_the_algorithm(put, make):
    files = [put(f"out/{model}/eval/results.json", make) for model in ("first", "second", "third")]

    try:
        results = read_results(*files)
    except NeedsMapping as asked:
        results = read_results(*files, mapping=asked.guess)

    assert results.algorithms == ("first", "second", "third")
    assert results.n_datasets == (1 if make is folds else len(TASKS))
    assert set(results.measures) <= {"accuracy", "f"}
    assert results.n_rows == 3 * (5 if make is folds else len(TASKS))


def test_the_folder_is_the_data_set_where_a_column_names_the_algorithm(put):
    def make(r):
        lines = [f"{model},{k},{r()}" for model in ("rf", "svm") for k in range(5)]
        return "\n".join(["model,fold,accuracy", *lines])

    results = read_results(*(put(f"{name}/scores.csv", make) for name in ("iris", "wine")))

    assert (results.datasets, results.algorithms) == (("iris", "wine"), ("rf", "svm"))


def test_folders_at_two_levels_are_told_by_the_names_of_models(put):
    pairs = [(name, model) for name in ("iris", "wine") for model in ("rf", "svm")]

    for order in ("{0}/{1}/scores.csv", "{1}/{0}/scores.csv"):
        results = read_results(*(put(order.format(*pair), folds) for pair in pairs))

        assert (results.datasets, results.algorithms) == (("iris", "wine"), ("rf", "svm"))


def test_folders_may_number_the_folds(put):
    def make(r):
        return "\n".join(["dataset,accuracy", *(f"{task},{r()}" for task in TASKS)])

    pairs = [(model, k) for model in ("rf", "svm") for k in (1, 2, 3)]
    results = read_results(*(put(f"{model}/fold_{k}/scores.csv", make) for model, k in pairs))

    assert results.algorithms == ("rf", "svm")
    assert (results.n_datasets, results.n_rows) == (4, 4 * 2 * 3)


@pytest.mark.parametrize("pattern", ["{0}/{1}/scores.csv", "{0}_{1}.csv"])
def test_names_that_may_mean_two_things_are_refused(put, pattern):
    pairs = [(a, b) for a in ("alpha", "beta") for b in ("gamma", "delta")]

    with pytest.raises(
        DataError, match="alpha and beta, and gamma and delta.*could name the algorithm"
    ):
        read_results(*(put(pattern.format(*pair), folds) for pair in pairs))


def test_files_of_one_name_without_folders_are_refused(put):
    content = put("a/scores.csv", folds).read_bytes()

    with pytest.raises(DataError, match='2 files are called "scores.csv".*Name each file'):
        read_results(("scores.csv", content), ("scores.csv", content))


def test_files_of_folds_alone_are_of_one_data_set(put):
    results = read_results(put("rf.csv", folds), put("svm.csv", folds))

    assert (results.algorithms, results.n_datasets, results.n_rows) == (("rf", "svm"), 1, 10)


def test_dates_are_neither_algorithms_nor_measures(put):
    def make(r):
        days = (f"2024-0{month}-17" for month in (1, 2, 3))
        return json.dumps({"results": {day: {"acc": r(), "f1": r()} for day in days}})

    files = [put(f"{model}/results.json", make) for model in ("bert", "gpt")]
    with pytest.raises(NeedsMapping, match="column for the repetition") as asked:
        read_results(*files)
    results = read_results(*files, mapping=asked.value.guess)

    assert results.algorithms == ("bert", "gpt")
    assert results.measures == ("accuracy", "f")
    assert results.n_rows == 6


# -- counters --------------------------------------------------------------------------------

NAMES = ("fold_index", "fold_idx", "foldnr", "cv", "split", "part", "outer", "zz")


@given(
    name=st.sampled_from(NAMES),
    sets=st.sampled_from([(), ("iris", "wine"), ("a", "b", "c")]),
    n=st.integers(3, 10),
    start=st.sampled_from([0, 1]),
    wide=st.booleans(),
    seed=st.integers(0, 999),
)
@settings(max_examples=settings.default.max_examples * 2)
def test_a_counter_within_each_algorithm_numbers_the_folds(name, sets, n, start, wide, seed):
    rng = np.random.default_rng(seed)
    lines = ["dataset," * bool(sets) + (f"{name},rf,svm" if wide else f"model,{name},accuracy")]
    for one in sets or ("",):
        before = f"{one}," if one else ""
        for k in range(start, start + n):
            a, b = rng.uniform(0.5, 1, 2).round(4)
            cells = [f"{k},{a},{b}"] if wide else [f"rf,{k},{a}", f"svm,{k},{b}"]
            lines += [before + cell for cell in cells]
    source = ("accuracy.csv", "\n".join(rng.permutation(lines[1:]).tolist()).encode())
    source = (source[0], lines[0].encode() + b"\n" + source[1])

    try:
        results = read_results(source)
    except NeedsMapping as asked:  # of one table of numbers only the rows may be anything
        assert wide
        assert not sets
        results = read_results(source, mapping=asked.guess)

    assert results.algorithms == ("rf", "svm")
    assert results.n_datasets == max(1, len(sets))
    assert results.n_rows == 2 * n * max(1, len(sets))
    folds_seen = set(results.frame["fold"]) | set(results.frame["repetition"])
    assert set(map(str, range(start, start + n))) <= folds_seen


@pytest.mark.parametrize("name", ["depth", "severity", "n_estimators", "subject", "augmented"])
def test_levels_and_flags_are_no_folds(rng, name):
    values = (0, 1) if name == "augmented" else (1, 2, 3)
    lines = [f"dataset,model,{name},accuracy"]
    for one in ("iris", "wine"):
        for model in ("rf", "svm"):
            lines += [f"{one},{model},{v},{rng.uniform(0.5, 1):.3f}" for v in values]

    with pytest.raises(NeedsMapping, match=f'differ in "{name}"'):
        read_results(("x.csv", "\n".join(lines).encode()))


@pytest.mark.parametrize("header", ["rf,svm,knn", ",rf,svm"])
def test_rows_that_nothing_names_are_asked_about(rng, header):
    numbers = rng.uniform(0.5, 1, (8, 3)).round(3)
    rows = [
        ",".join([str(i), *map(str, row[1:])] if header[0] == "," else map(str, row))
        for i, row in enumerate(numbers)
    ]
    source = ("accuracy.csv", "\n".join([header, *rows]).encode())

    with pytest.raises(NeedsMapping, match="No column names the rows") as asked:
        read_results(source)

    answers = {key: mapping for key, _, mapping in possible_answers(asked.value)}
    read = {key: read_results(source, mapping=mapping) for key, mapping in answers.items()}
    assert asked.value.guess == answers["folds"]
    for results in read.values():
        assert set(results.algorithms) == {name for name in header.split(",") if name}
        values = results.frame if results.predictions is None else results.predictions
        assert len(values) == 8 * len(results.algorithms)
    sizes = {
        key: (results.n_datasets, results.design_of(results.datasets[0]))
        for key, results in read.items()
    }
    assert sizes == {
        "folds": (1, "k-fold"),
        "seeds": (1, "seeds"),
        "cases": (1, "single"),
        "datasets": (8, "single"),
    }
