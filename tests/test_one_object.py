"""Tests that every public function takes what `compare` returns, which equals its parts."""

import inspect
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import foldwise as fw
import stats_core
from stats_core.core.errors import FoldwiseError, InternalError
from stats_core.core.lazy_names import lazy_names
from stats_core.data.settings import select
from stats_core.robustness.dataset_decisions import Rule

ROOT = Path(__file__).parents[1]
# functions that read or make data, or take two sources
ON_DATA = {"cross_validate", "describe_columns", "explain", "read_results", "gate"}
RNG = np.random.default_rng(0)


def averages(n_sets=8, names="abc"):
    """Return averages of algorithms on data sets, with a cost."""
    rows = [
        (f"d{i}", name, 0.3 - 0.02 * place + 0.01 * RNG.normal(), 1.0 + place)
        for i in range(n_sets)
        for place, name in enumerate(names)
    ]
    return pd.DataFrame(rows, columns=["dataset", "algorithm", "error", "train_s"])


def folds(names="abc"):
    """Return counts of confusion on ten folds of one data set."""
    wrong = RNG.integers(5, 12, (len(names), 10, 2))
    rows = [
        (name, fold, 50 - missed, false, 50 - false, missed, 900, 100)
        for name, of_name in zip(names, wrong.tolist(), strict=True)
        for fold, (missed, false) in enumerate(of_name)
    ]
    columns = ["algorithm", "fold", "tp", "fp", "tn", "fn", "n_train", "n_test"]
    return pd.DataFrame(rows, columns=columns)


def answers(benchmarks=("x",)):
    """Return right and wrong answers of three models."""
    rows = [
        (benchmark, f"{benchmark}{i}", name, int(RNG.random() < 0.5 + 0.1 * place))
        for benchmark in benchmarks
        for i in range(60)
        for place, name in enumerate("abc")
    ]
    return pd.DataFrame(rows, columns=["dataset", "question_id", "model", "correct"])


def folds_of_sets(n_sets=4):
    """Return counts of confusion on ten folds of several data sets."""
    return pd.concat([folds().assign(dataset=f"d{i}") for i in range(n_sets)])


RANKS = b"algorithm,average rank,datasets\na,1.5,20\nb,1.9,20\nc,2.6,20\n"
KINDS = {
    "data sets": (averages(), {}),
    "two on data sets": (averages(), {"pair": ("a", "b")}),
    "control": (averages(), {"control": "a"}),
    "one data set": (folds(), {"measure": "error", "margin": 0.01}),
    "two on folds": (folds(), {"measure": "error", "pair": ("a", "c"), "test": "paired t"}),
    "folds of data sets": (folds_of_sets(), {"measure": "error"}),
    "measures": (folds(), {"settings": fw.Settings(measures=("fpr", "tpr"))}),
    "instances": (answers(), {}),
    "benchmarks": (answers(("x", "y")), {}),
    "published ranks": (("ranks.csv", RANKS), {}),
    "one algorithm": (averages(names="a"), {}),
}


@cache
def shown(kind):
    data, options = KINDS[kind]
    return fw.compare(data, **options)


def public_functions():
    """Return the functions that the stubs of the library declare, by name."""
    functions = {}
    for stub in sorted([*ROOT.glob("foldwise/*.pyi"), ROOT / "stats_core" / "__init__.pyi"]):
        package = ".".join(stub.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        find, _ = lazy_names(package, str(stub.with_suffix(".py")))
        for name in find("__all__"):
            if inspect.isfunction(function := find(name)):
                functions[name] = function
    return functions


def takes_a_comparison(function):
    """Return whether the first argument is a comparison or results, or whether the function draws a figure."""
    if "kind" in vars(function):
        return True
    first = next(iter(inspect.signature(function).parameters.values()))
    return bool(re.search("Comparison|Results|Analysed", str(first.annotation)))


FUNCTIONS = public_functions()
TAKE_ONE = sorted(
    {name for name, each in FUNCTIONS.items() if takes_a_comparison(each)} | {"compare"}
)
# functions of numbers, tables, curves or orders, which a comparison does not stand for
ON_NUMBERS = set(FUNCTIONS) - set(TAKE_ONE) - ON_DATA
# arguments after the comparison, and small numbers of simulations
MORE = {
    "agreement": lambda c: ([Rule(measure=c.results.measures[0])] * 2, {}),
    "at_threshold": lambda c: ([0.5], {}),
    "cost_table": lambda c: (["train_s"], {}),
    "dimensions": lambda c: ([("fpr", "tpr")], {}),
    "evidence": lambda c: ([c.results.datasets[0]], {}),
    "level_of": lambda c: ([], {"draws": 20}),
    "plan_of": lambda c: ([], {"draws": 20}),
    "power_of": lambda c: ([], {"draws": 20, "biases": (0.0, 10.0)}),
    "replication": lambda c: ([], {"resamples": 3}),
    "stratified_difference": lambda c: (list("ab"), {}),
    "to_script": lambda c: ([["results.csv"]], {}),
    "wins": lambda c: ([("fpr", "tpr")], {}),
}


def outcome(function, *values, **options):
    """Return the type and a text of what a call returns, or of the error that it raises."""
    try:
        value = function(*values, **options)
    except InternalError:
        raise
    except FoldwiseError as error:
        if error.code == "argument kind":
            raise
        return type(error), str(error)
    if isinstance(value, go.Figure):
        return go.Figure, value.to_json()
    if isinstance(value, tuple | list) and value and hasattr(value[0], "name"):
        return type(value), [each.name for each in value]
    plain = getattr(value, "frame", value)
    text = plain.to_csv() if hasattr(plain, "to_csv") else repr(plain)
    return type(value), re.sub(r" at 0x\w+", "", text)


def test_every_function_is_of_a_comparison_of_data_or_of_numbers():
    assert set(FUNCTIONS) >= ON_DATA
    assert len(TAKE_ONE) > 50
    for name in ON_NUMBERS:
        first = next(iter(inspect.signature(FUNCTIONS[name]).parameters.values()))
        assert first.name not in ("results", "comparison", "analysis", "c"), name


@pytest.mark.parametrize("name", TAKE_ONE)
@pytest.mark.parametrize("kind", KINDS)
def test_a_function_takes_what_compare_returns(kind, name):
    c, function = shown(kind), FUNCTIONS[name]
    values, options = MORE[name](c) if name in MORE else ([], {})
    parameters = inspect.signature(function).parameters
    first, of_it = next(iter(parameters)), outcome(function, c, *values, **options)
    if first == "results":
        settings = {"settings": c.settings} if "settings" in parameters else {}
        if name == "advise":  # of instances and benchmarks, it is read off the comparison
            assert of_it == outcome(function, c.comparison)
        elif settings:
            assert of_it == outcome(function, c.results, *values, **options, **settings)
        elif name != "set_wins":  # its measure is that of the comparison
            assert of_it == outcome(function, select(c.results, c.settings), *values, **options)
    elif name != "compare":
        assert of_it == outcome(function, c.comparison, *values, **options)


def test_most_calls_are_answered():
    """Each function of a comparison answers for some kind, and does not only refuse."""
    for name in TAKE_ONE:
        function = FUNCTIONS[name]
        if "kind" in vars(function) or name in ("at_threshold", "cd_diagram"):
            continue  # figures of other numbers; scores
        more = [(shown(kind), *MORE.get(name, lambda c: ([], {}))(shown(kind))) for kind in KINDS]
        kinds = [outcome(function, c, *values, **options)[0] for c, values, options in more]
        assert any(not issubclass(kind, Exception) for kind in kinds), name


def test_figures_of_a_comparison_are_those_of_its_plots():
    c = shown("data sets")
    assert fw.cd_diagram(c) == c.plot.cd(width=fw.plot.screen().width)
    with pytest.raises(FoldwiseError, match="has no figure `roc`. It has cd_diagram, pair_matrix"):
        fw.plot.roc(c)
    with pytest.raises(FoldwiseError, match="has no figure `cd_diagram`"):
        fw.cd_diagram(shown("two on folds"))


def test_the_parts_of_a_comparison_give_it_again():
    for kind in KINDS:
        c = shown(kind)
        again = fw.analyse(c.results, c.settings)
        assert fw.to_json(again) == fw.to_json(c) == fw.to_json(fw.compare(c)), kind
    assert len(fw.compare(shown("data sets"), control="a", alpha=0.01).pairs) == 2


def test_a_gate_has_a_comparison_too():
    new, old = (averages().query("algorithm == @name") for name in "ab")
    result = fw.gate(new, old)
    assert fw.verdict(result) == fw.verdict(result.comparison)


def test_the_library_alone_offers_the_same_functions():
    assert set(stats_core.__all__) <= set(fw.__all__)
