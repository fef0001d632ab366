"""Tests of the arguments that `compare`, `gate` and the command line share."""

import inspect
from dataclasses import fields
from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.cli import COMMANDS
from foldwise.cli.options import _options_of, name_as_options
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.data.missing import CHOICES, Missing
from stats_core.data.settings import (
    ASKED_SOURCES,
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    TUKEY,
    Correction,
    Settings,
    Source,
)
from stats_core.inference.methods import PAIR_TESTS, RequestedTest
from stats_core.io.mapping import ROWS as MAPPED_ROWS
from stats_core.io.mapping import Mapping
from stats_core.report.arguments import ROWS, Arguments, Rows
from stats_core.report.gate import GateArguments

NAMES = [field.name for field in fields(Arguments)]
# arguments that hold objects of Python
NO_OPTIONS = {"algorithms", "mapping", "settings"}
# options whose names are not those of fields of `Mapping` or `Settings`
OTHER_OPTIONS = {
    "direction": "directions",
    "suspicious": "doubts",
    "positive-class": "positive",
    "all-thresholds": "thresholds",
    "target": "wish",
    "without-algorithm": "without_algorithms",
    "without-dataset": "without_datasets",
}
RNG = np.random.default_rng(5)
SCORES = pd.DataFrame(
    RNG.normal([0.80, 0.82, 0.85], 0.02, (10, 3)).round(3),
    columns=["nb", "rf", "svm"],
    index=[f"set{i}" for i in range(10)],
)
ANSWERS = pd.DataFrame(
    {
        "item": [*range(60)] * 2,
        "model": ["a"] * 60 + ["b"] * 60,
        "correct": (RNG.random(120) < 0.7).astype(int),
        "colour": [f"{i % 6}" for i in range(60)] * 2,
    }
)


def options_of(command):
    """Return the names of the options of a command, without hyphens at the start."""
    groups = COMMANDS[command]["groups"].values()
    flags = {flag for names in groups for flag in _options_of(names, ("text",))}
    return {flag.removeprefix("--") for flag in flags}


@pytest.mark.parametrize("command", ["analyse", "gate"])
def test_options_are_named_like_arguments(command):
    offered = options_of(command)
    wanted = {name.replace("_", "-") for name in NAMES if name not in NO_OPTIONS}
    assert wanted - offered == ({"control"} if command == "gate" else set())

    described = {field.name for record in (Settings, Mapping) for field in fields(record)}
    own = {field.name for field in fields(GateArguments)} - {*NAMES}
    files = {"baseline", "format", "json", "output", "write", "table", "by", "number-style"}
    names = {"rename", "short-names", "threshold", "score-scale"}  # of results that are read
    others = offered - wanted - files - names - {name.replace("_", "-") for name in own}
    assert {OTHER_OPTIONS.get(name, name.replace("-", "_")) for name in others} <= described


@pytest.mark.parametrize("function", [fw.compare, fw.gate])
def test_signature_and_docstring_name_every_argument(function):
    parameters = inspect.signature(function).parameters
    assert [name for name in parameters if name in NAMES] == NAMES
    for name, parameter in parameters.items():
        assert f"\n{name}" in function.__doc__ or f"{name}, " in function.__doc__
        if name in NAMES:
            assert parameter.kind is parameter.KEYWORD_ONLY
            assert parameter.default == getattr(Arguments(), name)
    assert function.__doc__.index("\nmeasure : ") < function.__doc__.index("\nReturns\n")


def test_the_values_that_types_list_are_those_that_are_taken():
    assert set(get_args(Correction)) == {*CORRECTIONS, *CONTROL_CORRECTIONS}
    assert set(get_args(Source)) == {*ASKED_SOURCES} - {""}
    assert set(get_args(RequestedTest)) == {TUKEY, *PAIR_TESTS}
    assert set(get_args(Missing)) == {"raise", *CHOICES} - {"baseline"}
    assert set(get_args(Rows)) == set(ROWS)
    assert set(ROWS.values()) == set(MAPPED_ROWS)
    assert set(get_type_hints(Arguments)) == set(NAMES)


FALSY = [0, 0.0, False, "", [], (), {}]
USED = {
    ("higher_is_better", "False"),
    ("control", "0"),
    ("dataset", "0"),
    ("margin", "0"),
    ("margin", "0.0"),
    ("roles", "{}"),
}


@pytest.mark.parametrize("value", FALSY, ids=repr)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", ["compare", "gate"])
def test_false_arguments_are_used_or_refused(function, name, value):
    data = SCORES.rename(columns={"nb": "0"}, index={"set0": "0"})
    options = {"measure": "score", "higher_is_better": True, name: value}
    new, old = (data[[each]].rename(columns={each: "score"}) for each in ("0", "svm"))
    sources = (data,) if function == "compare" else (new, old)
    if (name, repr(value)) in USED and function == "compare":
        used = fw.compare(*sources, **options).settings
        assert getattr(used, name, value) in (value, str(value))
        return
    if (name, repr(value)) in USED and name != "control":
        return  # a gate needs more results
    with pytest.raises(FoldwiseError):
        getattr(fw, function)(*sources, **options)


def test_arguments_choose_what_settings_choose():
    pair = fw.compare(SCORES, measure="accuracy", pair=("rf", "nb"), source="sign", margin=0.01)
    settings = Settings(measure="accuracy", pair=("rf", "nb"), source="sign", margin=0.01)
    assert pair.settings == settings
    assert fw.to_json(pair) == fw.to_json(fw.compare(SCORES, measure="accuracy", settings=settings))
    assert set(pair.pairs.loc[0, ["first", "second"]]) == {"rf", "nb"}
    long = SCORES.rename_axis("task").reset_index().melt("task", var_name="kind", value_name="acc")
    with pytest.raises(FoldwiseError):
        fw.compare(long)
    roles = {"task": "dataset", "kind": "algorithm"}
    by_roles = fw.compare(long, roles=roles)
    by_mapping = fw.compare(long, mapping=Mapping(roles=roles))
    pd.testing.assert_frame_equal(by_roles.pairs, by_mapping.pairs)


def test_a_cluster_is_named_by_its_column():
    clustered = fw.compare(ANSWERS, cluster="colour")
    assert clustered.comparison.n_clusters == 6
    assert fw.compare(ANSWERS).comparison.n_clusters == 0
    halves = [ANSWERS[ANSWERS["model"] == name].drop(columns="model") for name in "ab"]
    assert fw.gate(*halves, cluster="colour").comparison.n_clusters == 6


def test_a_gate_names_the_pair_of_two_files_of_several():
    tables = [ANSWERS[ANSWERS["model"] == name] for name in "ab"]
    by_pair = fw.gate(ANSWERS, ANSWERS, pair=("b", "a"))
    alone = fw.gate(*tables[::-1])
    assert by_pair.estimate == alone.estimate
    assert by_pair.pvalue == alone.pvalue
    with pytest.raises(SettingError, match="as `pair`"):
        fw.gate(ANSWERS, ANSWERS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.1, "settings": Settings(alpha=0.01)}, "`alpha` is 0.1, but `alpha` of `set"),
        ({"margin": 0.1, "settings": Settings(margin=0.2)}, "`margin` is 0.1, but `margin` of"),
        (
            {"measure": "acc", "settings": Settings(measure="auc")},
            "`measure` is 'acc', but `measure` of",
        ),
        ({"rows": "items", "mapping": Mapping(rows="folds")}, "`rows` is 'cases', but"),
        ({"roles": {"x": "fold"}, "cluster": "x"}, '"x" has two different roles'),
        ({"pair": "rf"}, "`pair` must be a list of names"),
        ({"pair": ("rf", "rf")}, "two different algorithms"),
        ({"dataset": "nowhere"}, "nowhere"),
        ({"test": "t"}, "`test` must be one of"),
        ({"margin": -1}, "`margin` must be 0 or a positive number"),
        ({"settings": {}}, "`settings` must have the type Settings"),
    ],
)
def test_contradictions_are_refused_in_one_sentence(options, message):
    with pytest.raises(FoldwiseError, match=message) as caught:
        fw.compare(SCORES, **{"measure": "accuracy", **options})
    assert "\n" not in str(caught.value)


def test_a_wrong_keyword_is_answered_by_the_right_one():
    for function, wrong, right in [
        (fw.compare, "measures", "measure"),
        (fw.compare, "higher_better", "higher_is_better"),
        (fw.gate, "fails_if", "fail_if"),
    ]:
        sources = (SCORES,) if function is fw.compare else (SCORES, SCORES)
        with pytest.raises(TypeError, match=f"has no argument '{wrong}'. Use '{right}'"):
            function(*sources, **{wrong: 1})
    with pytest.raises(SettingError, match="no use for `control`"):
        fw.gate(SCORES, SCORES, control="a")


def test_the_command_line_names_options_in_messages_on_arguments():
    flags = {"measure": "--measure", "margin": "--margin"}
    assert name_as_options("`measure_name` and `margin`", flags) == "--measure and --margin"
