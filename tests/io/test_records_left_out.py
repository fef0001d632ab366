"""Tests that every record of a JSON log is read, counted in a note, or refused."""

import json

import numpy as np
import pytest

from stats_core.core.errors import FoldwiseError
from stats_core.io.read import read_results

COUNTED = {"records left out", "data sets not measured"}
LOGS = {
    "data sets": [
        {"dataset": f"d{i}", "rf": 0.5 + i / 50, "svm": 0.4 + i / 45, "knn": 0.3 + i / 70}
        for i in range(10)
    ],
    "folds": [
        {"algorithm": name, "fold": fold, "accuracy": 0.5 + fold / 50, "seconds": fold + 1.5}
        for fold in range(8)
        for name in "xyz"
    ],
    "folds of data sets": [
        {
            "dataset": f"d{i}",
            "algorithm": name,
            "fold": fold,
            "error": 0.3 + fold / 50,
            "seconds": 1.5,
        }
        for i in range(3)
        for fold in range(5)
        for name in "xyz"
    ],
    "items": [
        {"id": f"q{i}", "model": name, "correct": (7 * i + ord(name)) % 3 % 2, "cost": 0.1}
        for i in range(30)
        for name in "ab"
    ],
    "items by model": [{"id": f"q{i}", "a": i % 2, "b": i // 2 % 2} for i in range(30)],
    "answers": [
        {"item": f"q{i}", "model": name, "epoch": epoch, "correct": (i + ord(name) + epoch) % 2}
        for i in range(20)
        for name in "ab"
        for epoch in range(3)
    ],
    "predictions": [
        {"id": i, "model": name, "true": i % 2, "predicted": (3 * i + ord(name)) % 2}
        for i in range(30)
        for name in "ab"
    ],
}
ODD = [
    {"seconds": 3.5},
    {"total_cost": 12.5},
    {"total_cost": 12.5, "n": 3},
    {"note": "done"},
    {"accuracy": 0.5},
    {"model": "a"},
    {"dataset": "d99"},
    {"fold": 3},
    {"id": "q99"},
]
EMPTY = [{}, {"seconds": None}, {"dataset": None, "algorithm": None}, {"id": "", "model": " "}]


def lines(records):
    return "\n".join(map(json.dumps, records))


def split(records):
    header = list(dict.fromkeys(key for record in records for key in record))
    rows = [[record.get(key) for key in header] for record in records]
    return json.dumps({"columns": header, "data": rows})


def table(records):
    content = json.loads(split(records))
    return json.dumps([content["columns"], *content["data"]])


FORMS = {"lines": lines, "list": json.dumps, "split": split, "table": table}


def read(text):
    """Return the results, None if they are refused."""
    try:
        return read_results(("accuracy.json", text.encode()))
    except FoldwiseError:
        return None


def size(results):
    """Return the number of results and of predictions."""
    return len(results.frame), 0 if results.predictions is None else len(results.predictions)


def left_out(results):
    """Return the number of records that notes count as left out."""
    return sum(note["n"] for note in results.notes if note.code == "records left out")


@pytest.mark.parametrize("form", ["lines", "table"])
@pytest.mark.parametrize("log", LOGS)
def test_no_record_is_dropped_without_a_note(log, form):
    rng, records = np.random.default_rng(7), LOGS[log]
    usual = size(read(lines(records)))
    for odd in ODD:
        place = int(rng.integers(len(records) + 1))
        results = read(FORMS[form]([*records[:place], odd, *records[place:]]))
        if results is not None and not COUNTED & {note.code for note in results.notes}:
            assert size(results) > usual, (odd, place)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("odd", [{"seconds": 3.5}, {"total_cost": 12.5}, {"train_s": 2.0}])
@pytest.mark.parametrize("log", ["folds", "folds of data sets", "data sets"])
def test_records_of_costs_only_are_counted_with_empty_ones(log, odd, form):
    records = LOGS[log]
    usual = read(lines(records))
    results = read(FORMS[form]([*records, odd, {}, odd]))
    assert size(results) == size(usual)
    assert (results.algorithms, results.costs) == (usual.algorithms, usual.costs)
    assert left_out(results) == 3


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("log", LOGS)
def test_records_without_values_are_counted(log, form):
    records = LOGS[log]
    results = read(FORMS[form]([records[0], *EMPTY[:1], *records[1:-1], *EMPTY[1:], records[-1]]))
    assert size(results) == size(read(lines(records)))
    assert left_out(results) == len(EMPTY)


@pytest.mark.parametrize("log", LOGS)
def test_records_that_lack_some_fields_are_counted(log):
    """Any part of a record of another data set or item is kept, counted or refused."""
    rng, records = np.random.default_rng(8), LOGS[log]
    usual = size(read(lines(records)))
    for _ in range(8):
        place = int(rng.integers(len(records)))
        other = {"dataset": "d99", "id": "q99" if log != "predictions" else 99, "item": "q99"}
        full = {key: other.get(key, value) for key, value in records[place].items()}
        part = {key: value for key, value in full.items() if rng.random() < 0.5}
        results = read(lines([*records[:place], part, *records[place:]]))
        if results is None or COUNTED & {note.code for note in results.notes}:
            continue
        assert size(results) > usual, part


def test_other_values_among_rows_are_counted_and_longer_rows_refused():
    content = json.loads(split(LOGS["data sets"]))
    content["data"] += ["done", None, 5]
    results = read(json.dumps(content))
    assert left_out(results) == 3
    content["data"] = [*content["data"][:10], ["d99", 0.1, 0.2, 0.3, 0.4]]
    assert read(json.dumps(content)) is None
    assert read(json.dumps([content["columns"], *content["data"]])) is None


def test_columns_of_other_lengths_lose_no_results():
    records = LOGS["data sets"]
    columns = {key: {str(i): r[key] for i, r in enumerate(records)} for key in records[0]}
    del columns["knn"]["9"]
    results = read(json.dumps(columns))
    assert size(results) == size(read(lines(records)))
    assert len(results.missing) == 1


@pytest.mark.parametrize("odd", [5, None, "done", {"cost": 3}])
def test_samples_that_are_none_are_counted(odd):
    samples = [
        {"id": i, "epoch": 1, "input": f"q{i}", "scores": {"match": {"value": "CI"[i % 2]}}}
        for i in range(20)
    ]
    logs = [
        (f"{model}.json", {"eval": {"task": "t", "model": model}, "samples": [*samples, odd]})
        for model in ("m1", "m2")
    ]
    results = read_results(*[(name, json.dumps(log).encode()) for name, log in logs])
    assert size(results)[1] == 40
    assert left_out(results) == 2
