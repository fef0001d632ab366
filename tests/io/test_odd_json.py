"""Tests that JSON of any structure is read, asked about or refused in a sentence.

`python -m benchmarks.growth --json` reads all variants of the documents.
"""

import copy
import json

import pytest

from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.io.read import read_results

ODD = (True, None, 0, -1.5, "x", "", "\ud800", [], [1], ["x"], [None], [{}], {}, {"x": 1})
ODD += ({"\udfff": {"x": []}}, [["x", 1]], 10**400, "9" * 5000, "\u0000\u001b[2J", {"": None})

MOST = 20  # variants of each document

_SCORES = {"acc,none": 0.5, "acc_stderr,none": 0.1, "alias": "t"}
_HARNESS = {
    "results": {"t1": _SCORES, "t2": {**_SCORES, "acc,none": 0.7}, "all": _SCORES},
    "group_subtasks": {"all": ["t1", "t2"]},
    "higher_is_better": {"t1": {"acc": True}},
    "config": {"model": "hf", "model_args": "pretrained=m,revision=r"},
}
_SAMPLES = [
    {"doc_id": i, "doc": {"question": f"q{i}"}, "target": "a", "filter": "none", "metrics": ["acc"]}
    | {"acc": i % 2}
    for i in range(3)
]
_INSPECT = {
    "eval": {"model": "m", "task": "t", "created": "2024", "model_args": {"a": 1}},
    "samples": [
        {"id": i, "epoch": 1, "input": [{"content": "q"}], "metadata": {"subject": "s"}}
        | {"scores": {"match": {"value": grade}}}
        for i, grade in enumerate("CIC")
    ],
}
_SOLVED = {"total_instances": 5, "resolved_ids": ["a"], "unresolved_ids": ["b", "c"]}
DOCUMENTS = {
    "harness": _HARNESS,
    "harness with samples": {**_HARNESS, "samples": {"t1": _SAMPLES}},
    "samples": _SAMPLES,
    "Inspect": _INSPECT,
    "SWE-bench": _SOLVED,
    "records": [{"set": "a", "rf": 1, "svm": {"acc": 2}}, {"set": "b", "rf": 2, "svm": {"acc": 1}}],
    "columns": {"set": ["a", "b"], "rf": [1, 2], "svm": [2, 1]},
    "rows": {"columns": ["set", "rf"], "data": [["a", 1], ["b", {"value": 2}]]},
    "folds": {"rf": {"acc": [0.1, 0.2]}, "svm": {"acc": [0.2, 0.3]}},
    "frame": {"rf": {"0": 1, "1": 2}, "svm": {"0": 3, "1": 4}},
    "by model and task": {"rf": {"a": {"acc": 1}}, "svm": {"a": {"acc": 2}}},
    "lists": [["set", "rf", "svm"], ["a", 1, 2], ["b", 2, 1]],
    "list of names": ["a", "b", "c"],
}


def places(value):
    """Yield the path of every part of a JSON value."""
    yield ()
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield from ((key, *path) for path in places(part))


def changed(value, path, part, *, is_key=False):
    """Return a copy of a JSON value with another part, or with another key, at a path."""
    if not path:
        return part
    value = copy.copy(value)
    if len(path) == 1 and is_key and isinstance(value, dict):
        return {(part if key == path[0] else key): inner for key, inner in value.items()}
    value[path[0]] = changed(value[path[0]], path[1:], part, is_key=is_key)
    return value


def variants(value):
    """Yield a JSON value with each part in turn replaced by each odd one, and each key by odd texts."""
    for path in places(value):
        yield from (changed(value, path, odd) for odd in ODD)
        if path and isinstance(path[-1], str):
            yield from (
                changed(value, path, odd, is_key=True) for odd in ODD if isinstance(odd, str)
            )


def raised(*sources):
    """Return the unexpected error of reading files, None if they are read, asked about or refused."""
    try:
        read_results(*sources)
    except InternalError as error:
        return error.__cause__ or error
    except FoldwiseError as error:
        str(error).encode()
    return None


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_with_any_odd_part_is_answered(name):
    if name == "list of names":  # which is read beside a log
        files = [
            (("a.json", json.dumps(_SOLVED)), ("names.json", json.dumps(other)))
            for other in variants(DOCUMENTS[name])
        ]
    else:
        files = [(("a.json", json.dumps(other)),) for other in variants(DOCUMENTS[name])]

    errors = {}
    for sources in files[:: max(len(files) // MOST, 1)]:
        if error := raised(*((file, text.encode()) for file, text in sources)):
            errors.setdefault(repr(error)[:200], sources[-1][1][:300])

    assert errors == {}
