"""Tests that `order --json` writes what docs/json.md describes."""

import json
import re
from pathlib import Path

import pytest

from foldwise.cli.main import ANSWERED, main
from stats_core.io.read import read_results
from stats_core.ordering.order import OrderRules, order_of
from tests.ordering.test_order import TYPED
from tests.samples import SAMPLES

ROOT = Path(__file__).parents[2]
UCI, AVERAGES = str(SAMPLES / "uci38_5x2.csv"), str(SAMPLES / "demsar_2006_auc.csv")
CASES = {
    "many data sets": [UCI, "--cost", "train_s"],
    "one data set": [UCI, "--cost", "size", "--dataset", "optdigits"],
    "costs with weights": [UCI, "--cost", "train_s=2", "--cost", "size=1"],
    "one number per cell": [AVERAGES, "--measure=auc", *(f"--prior={name}" for name in TYPED)],
}


@pytest.fixture(scope="module")
def section():
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    return page.split("## An order as JSON")[1].split("\n## ")[0]


@pytest.fixture
def written(capsys):
    def write(*options):
        assert main(["order", *options, "--json"]) == ANSWERED
        return json.loads(capsys.readouterr().out)

    return write


@pytest.mark.parametrize("case", CASES)
def test_the_documented_keys_are_those_written(section, written, case):
    found = written(*CASES[case])

    documented = re.findall(r"^\| `(\w+)` \| [^`]", section, flags=re.MULTILINE)
    assert documented == list(found)
    inside = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", section, flags=re.MULTILINE)
    said = {key: [part for other, part in inside if other == key] for key, _ in inside}
    assert list(said) == [key for key in found if key in ("steps", "verdict")]
    assert said["verdict"] == list(found["verdict"])
    for step in found["steps"]:
        assert said["steps"] == list(step)


def test_the_values_are_those_described(written):
    """On this data set, significant differences override the cost."""
    found = written(UCI, "--cost", "train_s", "--dataset", "optdigits")
    results = read_results(UCI).select(datasets=["optdigits"])
    ordering = order_of(results, rules=OrderRules(cost="train_s")).ordering

    assert found["format"] == 1
    assert found["order"] == list(ordering.order)
    assert found["prior"] == list(ordering.prior)
    assert [tuple(decision) for decision in found["decisions"]] == list(ordering.decisions)
    assert {by for *_, by in found["decisions"]} == {"test", "cost"}
    assert found["edges"]
    for cheaper, better in found["edges"]:
        assert found["prior"].index(cheaper) < found["prior"].index(better)
    assert [step["place"] for step in found["steps"]] == list(range(1, 9))
    assert [step["chosen"] for step in found["steps"]] == found["order"]
    assert all(step["chosen"] == step["candidates"][0] for step in found["steps"])
    assert found["places"] == {"optdigits": found["order"]}


def test_over_data_sets_there_are_places_and_a_test_of_them(written):
    found = written(*CASES["many data sets"])
    order = order_of(read_results(UCI), rules=OrderRules(cost="train_s"))

    assert found["friedman"] == order.second.friedman.pvalue
    assert found["places"]["optdigits"] == list(order.each["optdigits"].ordering.order)
    assert len(found["places"]) == 38
    assert found["skipped"] == {}


def test_what_is_null_or_empty_is_so_where_the_page_says(written):
    assert written(*CASES["one data set"])["friedman"] is None
    assert written(*CASES["one number per cell"])["places"] == {}
    assert written(*CASES["one number per cell"])["prior"] == list(TYPED)
