"""Tests of the gate: in Python and by `foldwise gate`."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from foldwise.cli.commands import GATE_FAILED
from foldwise.cli.main import ANSWERED, REFUSED, main
from stats_core.core.errors import SettingError
from stats_core.inference.paired.proportions import newcombe_interval
from stats_core.report.gate import FAIL_IF, gate

N = 400


def items(n_correct, model=None):
    """Results of one model on N items, of which the first `n_correct` are correct."""
    table = pd.DataFrame(
        {"item": [f"q{i}" for i in range(N)], "correct": (np.arange(N) < n_correct).astype(int)}
    )
    return table if model is None else table.assign(model=model)


def averages(shift, name="accuracy"):
    """Averages of one algorithm on 10 data sets."""
    rng = np.random.default_rng(1)
    base = 0.8 + 0.05 * rng.random(10)
    noise = 0.002 * np.random.default_rng(abs(int(1000 * shift))).random(10)
    return pd.DataFrame(
        {"dataset": [f"d{i}" for i in range(10)], name: (base + shift + noise).round(4)}
    )


@pytest.mark.parametrize("model", [None, "llm"])
def test_one_model_and_its_baseline_are_paired_by_item(model):
    new, old = items(300, model).sample(frac=1, random_state=0), items(320, model)

    result = gate(new, old)

    # 20 items are correct only for the baseline: exact McNemar test, 2 * 0.5**20; Newcombe's
    # interval
    assert result.estimate == pytest.approx(-20 / N)
    assert result.pvalue == pytest.approx(2 * 0.5**20)
    low, high = newcombe_interval(300, 0, 20, 80)
    assert (result.low, result.high) == pytest.approx((low, high))
    assert not result
    assert result.outcome == "worse"


def test_a_failed_assertion_shows_the_rule_the_reason_and_the_numbers():
    """The numbers are those of the test above; pytest shortens texts of more than 240 characters."""
    result = gate(items(300), items(320), fail_if="inferior", margin=0.01)
    said = "Gate failed (fail_if='inferior', margin=0.01). The new model is significantly worse than the baseline by more than"
    assert (
        repr(result)
        == f"{said} 0.01. Difference in accuracy, new − baseline: −0.0500, 95% CI [−0.0730, −0.0282], p < 0.001."
    )
    assert len(repr(result)) <= 240
    assert repr(gate(items(320), items(300))).startswith(
        "Gate passed (fail_if='worse', margin=0). The new model is"
    )


# fail_if -> passes if the new model is clearly worse, slightly worse, about the same, clearly
# better; margin 0.01
PASSES = {
    "worse": (False, True, True, True),
    "not better": (False, False, False, True),
    "not equivalent": (False, True, True, False),
    "inferior": (False, True, True, True),
}


@pytest.mark.parametrize("fail_if", FAIL_IF)
@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_each_condition_follows_the_margin(fail_if, measure):
    sign = 1 if measure == "accuracy" else -1
    shifts = (-0.03, -0.004, 0, 0.03)

    results = [
        gate(averages(sign * s, measure), averages(0, measure), fail_if=fail_if, margin=0.01)
        for s in shifts
    ]

    assert tuple(result.passed for result in results) == PASSES[fail_if]


def test_too_few_items_pass_only_where_a_difference_must_be_shown():
    few = {"margin": 0.02}
    new, old = items(300), items(301)

    assert gate(new, old)
    assert gate(new, old, fail_if="inferior", **few)
    assert not gate(new, old, fail_if="not better")
    assert not gate(items(290), items(301), fail_if="inferior", **few)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fail_if": "not equivalent"}, "needs a margin above 0"),
        ({"fail_if": "slower"}, "fail_if"),
        ({"margin": -1}, "region"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(SettingError, match=words):
        gate(items(300), items(301), **arguments)


def test_identical_results_pass_unless_the_model_must_be_better():
    same = averages(0)

    results = {fail_if: gate(same, same, fail_if=fail_if, margin=0.01) for fail_if in FAIL_IF}

    assert [fail_if for fail_if, result in results.items() if not result] == ["not better"]
    assert {(result.outcome, result.estimate) for result in results.values()} == {("identical", 0)}


def test_several_algorithms_are_refused():
    both = pd.concat([items(300, "a"), items(310, "b")])

    with pytest.raises(SettingError, match="has the algorithms a and b"):
        gate(both, items(300, "a"))


def test_the_command_exits_with_3_and_writes_files_for_a_build(tmp_path, capsys):
    for name, table in {"old.csv": items(320), "new.csv": items(300)}.items():
        table.to_csv(tmp_path / name, index=False)
    new, old, xml, page = (
        str(tmp_path / name) for name in ("new.csv", "old.csv", "gate.xml", "gate.md")
    )

    assert (
        main(
            ["gate", new, "--baseline", old, "--format", "github", "--write", xml, "--write", page]
        )
        == GATE_FAILED
    )
    assert capsys.readouterr().out.startswith(
        "::error title=Foldwise gate::Gate failed. The new model is significantly worse"
    )
    suite = ET.parse(xml).getroot()
    assert suite.get("failures") == "1"
    assert "Gate failed" in suite.find("testcase/failure").get("message")
    assert "| accuracy | −0.0500 | [" in (tmp_path / "gate.md").read_text()

    assert (
        main(["gate", old, "--baseline", new, "--fail-if", "not-better", "--format", "json"])
        == ANSWERED
    )
    facts = json.loads(capsys.readouterr().out)
    assert (facts["passed"], facts["outcome"]) == (True, "better")

    assert main(["gate", new, "--baseline", old, "--fail-if", "not-equivalent"]) == REFUSED
    assert "Set --margin" in capsys.readouterr().err
