"""Tests of the gate: in Python and by `foldwise gate`."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from foldwise.cli.commands import GATE_FAILED, GATE_UNDECIDED
from foldwise.cli.main import ANSWERED, REFUSED, main
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired.proportions import newcombe_interval
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.power.detectable import detectable
from stats_core.report.gate import BASELINE, FAIL_IF, NEW, check_difference, gate, loss_line
from stats_core.report.verdict import verdict

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


@pytest.mark.parametrize("wide", [True, False])
def test_a_pair_names_two_models_in_a_column_or_in_a_column_each(wide):
    scores = averages(0.01, "rf").assign(svm=averages(0.0)["accuracy"])
    if not wide:
        scores = scores.melt("dataset", var_name="model", value_name="accuracy")

    result = gate(scores, scores, measure="accuracy", pair=("rf", "svm"))

    alone = gate(averages(0.01), averages(0.0))
    assert (result.outcome, result.estimate) == (alone.outcome, alone.estimate) != ("not known", 0)
    with pytest.raises(SettingError, match="has the algorithms rf and svm"):
        gate(scores, scores, measure="accuracy")
    with pytest.raises(SettingError, match="source `baseline` has the algorithms"):
        gate(scores, scores, measure="accuracy", pair=("rf", "knn"))


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
        ({"margin": -1}, "`margin` must be 0"),
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


def rows_of(kind, seed, shift):
    """Return results of the models "new" and "baseline", and settings: one comparison of a kind, `shift` in its spreads."""
    rng = np.random.default_rng([seed, len(kind)])
    names, shifts = (NEW, BASELINE), {NEW: shift, BASELINE: 0.0}
    if kind == "published wins":
        wins = int(rng.integers(0, 21))
        text = f"row beats column,new,baseline\nnew,,{wins}/0/{20 - wins}\nbaseline,{20 - wins}/0/{wins},\n"
        return read_results(("wins.csv", text.encode())), Settings()
    if kind.startswith(("items", "benchmarks", "clusters", "scores")):
        sizes = {"items": (int(rng.integers(3, 120)),), "clusters": (40,)}.get(kind.split()[0])
        sizes = sizes or tuple(rng.integers(3, 60, size=int(rng.integers(2, 6))).tolist())
        tables = []
        for place, n in enumerate(sizes):
            for name in names:
                value = rng.normal(shifts[name], 1, n)
                if not kind.startswith("scores"):
                    value = (value > 0).astype(int)
                table = pd.DataFrame({"question_id": [f"{place}q{i}" for i in range(n)]})
                table = table.assign(dataset=f"d{place}", model=name, value=value)
                if kind == "clusters":
                    table["document"] = np.arange(n) // 4
                tables.append(table)
        measure = "score" if kind.startswith("scores") else "correct"
        table = pd.concat(tables).rename(columns={"value": measure})
        mapping = Mapping(
            roles={"document": "cluster"} if kind == "clusters" else {},
            directions={"score": "higher"} if kind.startswith("scores") else {},
        )
        return read_results(
            ("t.csv", table.to_csv(index=False).encode()), mapping=mapping
        ), Settings()
    if kind == "wins":
        rows = []
        for place in range(int(rng.integers(2, 9))):
            for name in names:
                right = rng.binomial(100, 0.8 + 0.05 * shifts[name], size=(6, 2))
                rows += [
                    (f"d{place}", name, fold, a, 100 - b, b, 100 - a)
                    for fold, (a, b) in enumerate(right.tolist())
                ]
        columns = ["dataset", "algorithm", "fold", "tp", "fp", "tn", "fn"]
        table = pd.DataFrame(rows, columns=columns).to_csv(index=False)
        return read_results(("counts.csv", table.encode())), Settings(measures=("fpr", "tpr"))
    n_sets = 1 if "folds" in kind or kind == "vectors" else int(rng.integers(2, 12))
    n_folds = 10 if kind in ("folds", "vectors") else 1
    rows = []
    for place in range(n_sets):
        level = rng.normal()
        for name in names:
            for fold in range(n_folds):
                one, other = 0.3 * rng.normal(size=2) + level - 0.3 * shifts[name]
                rows.append((f"d{place}", name, fold, one, other))
    columns = ["dataset", "algorithm", "fold", "error", "loss"]
    table = pd.DataFrame(rows, columns=columns)
    table = table if n_folds > 1 else table.drop(columns="fold")
    results = Results.from_frame(table, directions={"error": "lower", "loss": "lower"})
    together = ("error", "loss") if kind == "vectors" else ()
    return results, Settings(measure="error", measures=together)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shift", [-2.0, -0.4, 0.0, 0.4])
@pytest.mark.parametrize(
    "kind",
    [
        *("data sets", "folds", "items", "benchmarks", "scores of benchmarks", "clusters"),
        *("vectors", "wins", "published wins"),
    ],
)
def test_the_decision_is_that_of_the_comparison(kind, shift, seed):
    comparison = analyse(*rows_of(kind, seed, shift))
    result = check_difference(comparison, fail_if="worse", margin=0)

    said = verdict(comparison)
    is_worse = bool(comparison.beats.loc[BASELINE, NEW])
    assert (result.decision == "failed") == is_worse
    assert result.passed == (result.decision == "passed")
    claims = f"{said.headline} {said.size}"
    if "significantly" in claims and "do not differ" not in claims and not is_worse:
        assert comparison.beats.loc[NEW, BASELINE] or result.decision == "undecided"
    if result.passed:
        assert "too few" not in said.headline
        assert not comparison.pairs.differing or comparison.beats.loc[NEW, BASELINE]
    better = check_difference(comparison, fail_if="not better", margin=0)
    assert better.passed == bool(comparison.beats.loc[NEW, BASELINE])
    for fail_if in ("not equivalent", "inferior"):
        if comparison.equivalence.ends is None:
            with pytest.raises(SettingError):
                check_difference(comparison, fail_if=fail_if, margin=0.1)
            continue
        shown = check_difference(comparison, fail_if=fail_if, margin=0.1)
        low, high = comparison.equivalence.ends[0][1]
        if shown.passed and shown.outcome == "equivalent":
            assert -0.1 <= low <= high <= 0.1


def same_results(kind, n):
    """Return the results of one model on n data sets, folds, items or items of two benchmarks."""
    rng = np.random.default_rng(3)
    if kind in ("data sets", "folds"):
        table = pd.DataFrame({"dataset": "d", "fold": range(1, n + 1), "accuracy": rng.random(n)})
        return (
            table if kind == "folds" else table.assign(dataset=table["fold"]).drop(columns="fold")
        )
    table = pd.DataFrame({"question_id": range(n), "correct": rng.integers(0, 2, n)})
    return table if kind == "items" else table.assign(benchmark=table["question_id"] % 2)


@pytest.mark.parametrize("fail_if", ["not equivalent", "inferior"])
@pytest.mark.parametrize(
    ("kind", "n", "passes"),
    [
        *(("data sets", n, n >= 5) for n in (2, 3, 4, 5, 10)),  # 2^-n <= 0.05
        *(("folds", n, False) for n in (3, 10)),
        *(("items", n, n == 1000) for n in (2, 5, 100, 1000)),  # Newcombe's interval
        *(("benchmarks", n, n == 1000) for n in (6, 100, 1000)),
    ],
)
def test_identical_results_are_no_evidence_of_equivalence_by_themselves(kind, n, passes, fail_if):
    same = same_results(kind, n)
    result = gate(same, same, fail_if=fail_if, margin=0.01)

    assert result.passed == passes
    assert gate(same, same, fail_if="not better").passed is False


@pytest.mark.parametrize(
    ("on_undecided", "code", "level", "passed"),
    [
        ("warn", GATE_UNDECIDED, "warning", False),
        ("fail", GATE_FAILED, "error", False),
        ("pass", ANSWERED, "notice", True),
    ],
)
def test_a_gate_without_a_decision_has_its_own_exit_code(
    tmp_path, capsys, on_undecided, code, level, passed
):
    for name, shift in {"old.csv": 0, "new.csv": -0.01}.items():
        averages(shift).head(3).to_csv(tmp_path / name, index=False)
    new, old, xml = (str(tmp_path / name) for name in ("new.csv", "old.csv", "gate.xml"))

    options = ["--on-undecided", on_undecided, "--format", "github", "--write", xml]
    assert main(["gate", new, "--baseline", old, *options]) == code
    said = capsys.readouterr().out
    assert said.startswith(f"::{level} title=Foldwise gate::Gate undecided. The results allow no")
    assert "3 data sets are too few for a significant difference." in said
    suite = ET.parse(xml).getroot()
    counts = {"warning": ("0", "1"), "error": ("1", "0"), "notice": ("0", "0")}[level]
    assert (suite.get("failures"), suite.get("skipped")) == counts
    result = gate(new, old, on_undecided=on_undecided)
    assert (result.decision, bool(result)) == ("undecided", passed)
    with pytest.raises(SettingError, match="on_undecided"):
        gate(new, old, on_undecided="ask")


@pytest.mark.parametrize("kind", ["data sets", "folds", "items", "benchmarks"])
def test_a_gate_gives_the_smallest_loss_that_it_detects(kind):
    shift = 0.0 if kind in ("items", "benchmarks") else -0.1
    comparison = analyse(*rows_of(kind, 3, shift))
    result = check_difference(comparison, fail_if="worse", margin=0)

    assert result.detectable == pytest.approx(detectable(comparison).difference, nan_ok=True)
    if np.isfinite(result.detectable):
        assert "80% power to detect a loss of" in loss_line(result)
    assert ("folds" in loss_line(result)) == (kind == "folds")
