"""Tests that mutated tables give a report or an error message; `python -m benchmarks.fuzz` reads 10^5 of them."""

import os
import signal

import pytest

from benchmarks import fuzz
from benchmarks.fuzz import corpus, examined, mutated, outcome
from stats_core import DataError, read_results

FOUND = ((1, 326), (11, 26654), (11, 29194))  # seeds and numbers of inputs that once failed


def test_the_tables_that_are_mutated_are_read():
    assert all(outcome(content) == "answered" for content in corpus())


def test_some_dozens_of_mutations_end_in_a_report_or_a_reason():
    tables = corpus()

    found = {n: examined(mutated(17, n, tables)) for n in range(40)}

    assert {n: where for n, (_, where) in found.items() if where} == {}
    assert mutated(17, 3, tables) == mutated(17, 3, tables)


@pytest.mark.parametrize(("seed", "number"), FOUND)
def test_what_failed_once_is_answered(seed, number):
    assert examined(mutated(seed, number, corpus()))[1] == ""


def test_a_quotation_mark_after_a_blank_begins_a_cell():
    spaced = b'set, "rf, deep", svm\na, 0.9, 0.8\nb, 0.7, 0.6\n'

    assert read_results(("accuracy.csv", spaced)).algorithms == ("rf, deep", "svm")
    with pytest.raises(
        DataError, match=r"row 4: Every row needs 5 cells, as in the header. This row has 2"
    ):
        read_results(("accuracy.csv", b'set, "rf\na,0.9\nb",3,4,5\nc,0.7\n'))


def test_the_binary_files_that_are_mutated_are_read():
    files = list(fuzz.binary_corpus().items())

    found = fuzz.examined_in_children(files)

    assert {name: kind for (name, _), (kind, _) in zip(files, found, strict=True)} == {
        name: "read" for name, _ in files
    }


def test_mutated_binary_files_neither_end_their_process_nor_raise_other_errors():
    inputs = [fuzz.mutated_binary(17, n) for n in range(120)]

    found = fuzz.examined_in_children(inputs)

    assert {n: where for n, (_, where) in enumerate(found) if where} == {}
    assert fuzz.mutated_binary(17, 3) == inputs[3]


def test_a_file_that_ends_its_process_is_found_and_the_others_are_still_read(monkeypatch):
    def end(content, *, whole, name):
        if name == "dead":
            os.kill(os.getpid(), signal.SIGSEGV)
        return "read", ""

    monkeypatch.setattr(fuzz, "examined", end)

    found = fuzz.examined_in_children([("a", b""), ("dead", b""), ("b", b"")])

    assert found == [("read", ""), ("DIED", "signal 11"), ("read", "")]
