"""Tests that no argument is ignored because Python takes it for false."""

import ast
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from stats_core.core.errors import FoldwiseError, SettingError

ROOT = Path(__file__).parents[1]
RNG = np.random.default_rng(0)
SCORES = pd.DataFrame(
    RNG.normal(0.8, 0.01, (12, 3)) + [0, 0.02, 0.04],
    index=[f"d{i}" for i in range(12)],
    columns=["0", "False", "rf"],
)
FALSY = [0, 0.0, False, "", [], (), {}]
OPTIONS = [
    "measure",
    "higher_is_better",
    "alpha",
    "control",
    "correction",
    "missing",
    "rows",
    "algorithms",
]


@pytest.mark.parametrize("value", FALSY, ids=repr)
@pytest.mark.parametrize("option", OPTIONS)
def test_false_arguments_of_compare_are_used_or_refused(option, value):
    arguments = {"measure": "score", "higher_is_better": True, option: value}
    if option == "higher_is_better" and value is False:
        assert fw.compare(SCORES, **arguments).comparison.higher_is_better is False
    elif option == "control" and str(value) == "0":
        assert fw.compare(SCORES, **arguments).comparison.settings.control == "0"
    else:
        with pytest.raises(FoldwiseError):
            fw.compare(SCORES, **arguments)


@pytest.mark.parametrize("value", [0, False, None, []], ids=repr)
@pytest.mark.parametrize("name", ["measure", "control", "correction", "dataset", "test", "source"])
def test_settings_that_are_no_texts_are_refused(name, value):
    with pytest.raises(SettingError, match=f"`{name}` must"):
        fw.Settings(**{name: value})


@pytest.mark.parametrize("name", ["pair", "measures", "without_algorithms", "prior", "only"])
def test_settings_that_are_no_tuples_are_refused(name):
    for value in (0, False, "", None, {}):
        with pytest.raises(SettingError, match=f"`{name}` must have the type"):
            fw.Settings(**{name: value})


@pytest.mark.parametrize("value", [0, False, "", [], {}], ids=repr)
def test_other_objects_than_settings_are_refused(value):
    results = fw.read_results(("accuracy.csv", SCORES.to_csv(index_label="dataset").encode()))
    for function in (fw.analyse, fw.order_of, fw.power.power_of, fw.power.plan_of):
        with pytest.raises(SettingError, match="`settings` must have the type Settings"):
            function(results, value)
    with pytest.raises(SettingError, match="`mapping` must have the type Mapping"):
        fw.read_results("accuracy.csv", mapping=value)


def test_a_class_named_0_is_the_positive_class():
    assert fw.Mapping(positive=0).positive == "0"


def test_no_scorers_are_refused():
    from sklearn.dummy import DummyClassifier

    data = (np.zeros((20, 1)), np.arange(20) % 2)
    with pytest.raises(SettingError, match="at least one scorer"):
        fw.cross_validate({"model": DummyClassifier()}, data, scoring=[])


def test_results_in_hand_refuse_arguments_of_reading():
    results = fw.read_results(("accuracy.csv", SCORES.to_csv(index_label="dataset").encode()))
    for option in ({"rows": "items"}, {"algorithms": ["a"]}, {"encoding": "cp1250"}):
        with pytest.raises(SettingError, match=f"Omit `{next(iter(option))}`"):
            fw.compare(results, **option)


def _replaced(function):
    """Yield `x or default` of arguments x whose default is None."""
    arguments = function.args
    positional = arguments.posonlyargs + arguments.args
    defaults = dict(
        zip(
            [*reversed([each.arg for each in positional])],
            [*reversed(arguments.defaults)],
            strict=False,
        )
    )
    defaults |= {
        each.arg: default
        for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    }
    optional = {
        name
        for name, default in defaults.items()
        if isinstance(default, ast.Constant) and default.value is None
    }
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            for value in node.values[:-1]:
                if isinstance(value, ast.Name) and value.id in optional:
                    yield ast.unparse(node)


def test_no_function_replaces_a_false_argument_by_its_default():
    files = [*(ROOT / "stats_core").rglob("*.py"), *(ROOT / "foldwise").glob("*.py")]
    replaced = [
        f"{file.relative_to(ROOT)}: {text}"
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        for text in _replaced(node)
    ]
    assert len(files) > 100
    assert replaced == []
