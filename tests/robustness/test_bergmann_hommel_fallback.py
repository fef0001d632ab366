"""Tests that the use of Shaffer's procedure instead of Bergmann-Hommel is stated once, with the reason."""

import json

import numpy as np
import pandas as pd
import pytest

from foldwise.cli.commands import order_as_json as as_json
from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.order_text import describe_order_method, order_verdict
from stats_core.robustness.dataset_decisions import Rule, agreement, set_wins
from stats_core.robustness.leave_one_out import stability

ENDED = "Bergmann-Hommel procedure did not finish within 4,000,000 steps"
LIMIT = "The Bergmann-Hommel procedure is computed for at most 30 algorithms (here: 31). The Shaffer procedure"
ON_BOTH = (
    f"On 2 data sets (u and v), the {ENDED}. The Shaffer procedure, which is at least as conservative, is used on these "
    "data sets."
)


def close_ones(rng, k=12, sets=("u", "v"), folds=10, noise=None):
    """Return results of algorithms with small differences, for which Bergmann-Hommel has a long search."""
    keys = pd.MultiIndex.from_product(
        [sets, [f"a{i}" for i in range(k)], range(folds)], names=["dataset", "algorithm", "fold"]
    )
    place = keys.get_level_values("algorithm").str[1:].astype(int).to_numpy()
    noise = noise or dict.fromkeys(sets, 0.05)
    noise = keys.get_level_values("dataset").map(noise).to_numpy(dtype=float)
    error = 0.3 + 0.1 * place / k + noise * rng.normal(size=len(keys))
    table = pd.DataFrame({"error": error, "cost": 1.0 + place}, index=keys).reset_index()
    return Results.from_frame(table, costs=["cost"])


@pytest.fixture
def short(monkeypatch):
    """End the search of Bergmann-Hommel after 50 steps."""
    monkeypatch.setattr("stats_core.inference.multiplicity.bergmann_hommel.MOST_STEPS", 50)


def said_by(notes):
    """Return the notes on Shaffer's procedure as a replacement."""
    return [
        str(note)
        for note in notes
        if "Shaffer procedure, which is at least as conservative" in str(note)
    ]


def test_finished_nothing_is_said(rng):
    results = close_ones(rng, k=6)
    asked = Settings(measure="error", correction="bergmann_hommel", source="wilcoxon")
    rule = Rule(measure="error", test="paired t", correction="bergmann_hommel")
    order = order_of(results, asked, OrderRules(family="bergmann_hommel"))

    assert said_by(order_verdict(order).notes) == []
    assert "with Bergmann-Hommel adjustment." in describe_order_method(order)
    assert agreement(results, rule, rule).notes == ()
    wins = set_wins(results, measure="error", by="test", correction="bergmann_hommel")
    assert wins.notes == ()
    assert wins.rule.endswith("Bergmann-Hommel over pairs")


def test_an_order_over_data_sets_names_where(rng, short):
    rules = OrderRules(family="bergmann_hommel")
    order = order_of(close_ones(rng), Settings(test="paired t"), rules)
    by_shaffer = order_of(order.results, Settings(test="paired t"), OrderRules(family="shaffer"))

    assert [said[: len(ON_BOTH)] for said in said_by(order_verdict(order).notes)] == [ON_BOTH]
    assert "with Shaffer adjustment." in describe_order_method(order)
    assert order.each["u"].tests.equals(by_shaffer.each["u"].tests)
    assert len(said_by(json.loads(as_json(order))["verdict"]["notes"])) == 1


def test_an_order_names_both_where_only_one_data_set_was_finished(rng, short):
    results = close_ones(rng, noise={"u": 0.05, "v": 0.5})
    rules = OrderRules(family="bergmann_hommel")
    order = order_of(results, Settings(test="paired t"), rules)

    (said,) = said_by(order_verdict(order).notes)
    assert f"On 1 data set (u), the {ENDED}. The Shaffer procedure" in said
    assert "with Shaffer and Bergmann-Hommel adjustment." in describe_order_method(order)


def test_an_order_of_too_many_says_so_once(rng):
    results = close_ones(rng, k=31, sets=("u",))
    order = order_of(results, Settings(test="paired t"), OrderRules(family="bergmann_hommel"))

    (said,) = said_by(order_verdict(order).notes)
    assert said.startswith(LIMIT)


def test_groups_of_an_order_by_one_sided_tests_are_by_shaffer(rng, short):
    order = order_of(close_ones(rng, sets=("u",)), Settings(test="paired t"))

    (said,) = said_by(order_verdict(order).notes)
    assert said.startswith(f"The {ENDED}. The Shaffer procedure")
    assert "with Holm adjustment (" in describe_order_method(order)


def test_the_second_pass_of_many_algorithms_is_by_shaffer(rng):
    results = close_ones(rng, k=101, sets=("u", "v", "w"), folds=2)
    order = order_of(results, Settings(test="paired t"))

    (said,) = said_by(order_verdict(order).notes)
    assert "is computed for at most 100 algorithms (here: 101)" in said


@pytest.mark.parametrize(("k", "start"), [(12, ON_BOTH), (31, LIMIT)])
def test_an_agreement_says_so_once_for_both_rules(k, start, rng, short):
    results = close_ones(rng, k=k)
    rule = Rule(measure="error", test="paired t", correction="bergmann_hommel")
    shaffer = Rule(measure="error", test="paired t", correction="shaffer")

    found = agreement(results, rule, shaffer)

    assert [said[: len(start)] for said in said_by(found.notes)] == [start]
    np.testing.assert_array_equal(found.decisions["p one"], found.decisions["p other"])
    assert found.at_level(0.01, 0.01).notes == found.notes == agreement(results, rule, rule).notes


@pytest.mark.parametrize(("k", "start"), [(12, ON_BOTH), (31, LIMIT)])
def test_wins_by_a_test_name_the_correction_used(k, start, rng, short):
    rules = {"measure": "error", "by": "test", "test": "paired t"}
    found = set_wins(close_ones(rng, k=k), correction="bergmann_hommel", **rules)

    assert [said[: len(start)] for said in said_by(found.notes)] == [start]
    assert found.rule.endswith("paired t test, Shaffer over pairs")


def test_tukey_stands_for_itself(rng):
    found = set_wins(
        close_ones(rng, k=31),
        measure="error",
        by="test",
        test="Tukey",
        correction="bergmann_hommel",
    )

    assert found.notes == ()
    assert found.rule.endswith("Tukey's test")


def test_stability_names_the_runs(rng, monkeypatch):
    asked = Settings(measure="error", correction="bergmann_hommel", source="wilcoxon")
    sets = [f"d{i}" for i in range(12)]
    finished, ended = (analyse(close_ones(rng, sets=sets, folds=1), asked) for _ in range(2))
    assert stability(finished).note is None

    monkeypatch.setattr("stats_core.inference.multiplicity.bergmann_hommel.MOST_STEPS", 50)
    said = str(stability(ended).note)

    assert "In 24 runs (without d0, without d1" in said
    assert "The Shaffer procedure, which is at least as conservative, is used in" in said
