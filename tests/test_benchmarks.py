"""Tests of the runner of benchmarks: the row furthest from its target is named."""

from math import inf, nan

import pytest

from benchmarks import __main__ as runner
from benchmarks.benchmark_row import Row

NEAR, FAR, NO_PEER = (
    Row("near", 1.9, 2),
    Row("far", 4, 1.5, 1, "peer", of_peer=True),
    Row("none", 9, 1, of_peer=True),
)


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        (
            [NEAR, FAR, NO_PEER],
            "Furthest from its target: far (2.67 times the target, MISSED)",
        ),  # 4 / 1.5
        ([NO_PEER, NEAR], "Furthest from its target: near (0.95 times the target, met)"),  # 1.9 / 2
    ],
)
def test_the_row_furthest_from_its_target_is_named_at_the_end(monkeypatch, capsys, rows, last):
    monkeypatch.setattr(runner, "SHORT", {"some": lambda: iter(rows)})

    assert runner.main([]) == int("MISSED" in last)
    assert capsys.readouterr().out.splitlines()[-1] == last


def test_a_multiple_of_the_target_is_infinite_above_a_target_of_zero():
    assert Row("errors", 0, 0).of_target == 0
    assert Row("errors", 2, 0).of_target == inf
    assert Row("near", nan, 2).met is None
