"""Tests that every public function that takes settings uses all of them, or lists those that it uses."""

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import foldwise.figures
import stats_core
from foldwise.figures.curve_figures import (
    areas_figure,
    costs_figure,
    pr_figure,
    risks_figure,
    roc_figure,
    score_curves,
    winners_figure,
)
from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds import wins
from stats_core.comparison.kinds.fold_comparisons import possible_post_hocs
from stats_core.comparison.kinds.instances import compare_pair_on_cases
from stats_core.core.errors import DesignError, SettingError
from stats_core.core.result_types import ResultCache
from stats_core.curves.threshold_sweep import sweep_each
from stats_core.data import settings as asked_for
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, select
from stats_core.inference.fold_pairs import fold_data, possible_tests
from stats_core.inference.pairwise import apply_selection, resolve_settings
from stats_core.io.read import read_results
from stats_core.ordering.one_sided_evidence import evidence, evidence_over
from stats_core.ordering.order import OrderRules, order_of
from stats_core.power.error_rates import level_of
from stats_core.power.planning import plan_of
from stats_core.power.simulated_power import power_of
from stats_core.report.advice import advise
from stats_core.report.analysis_steps import chain
from stats_core.report.varied_verdicts import by_group
from stats_core.robustness.other_measures import findings

SAMPLES = Path(__file__).parents[1] / "sample_results"
TOGETHER = ("fpr", "tpr")
OUT = ("without_algorithms", "without_datasets", "only", "pair", "dataset")
TAGS = pd.DataFrame({"kind": ["odd", "even", "odd"]}, index=["d0", "d1", "d2"])


def order(results, settings):
    """Return the order by a prior order from the last name to the first, which tests can override."""
    names = select(results, settings).algorithms
    return order_of(results, settings, OrderRules(prior=names[::-1]))


def first_set(results, settings):
    return select(results, settings).datasets[0]


def left_out(settings):
    return Settings(**{name: getattr(settings, name) for name in OUT})


def curve_figures(results, settings):
    """Return name, title and numbers of every curve figure of the first data set."""
    kept = select(results, settings)
    curves = score_curves(results, kept.datasets[0], kept.algorithms, settings)
    makers = (roc_figure, pr_figure, areas_figure, risks_figure, winners_figure, costs_figure)
    found = [] if curves is None else [make(curves) for make in makers]
    return [(drawing.name, drawing.title, drawing.data) for drawing in found if drawing is not None]


def simulated(function, results, settings, **sizes):
    """Return the result of a simulation with few draws, or the text of its DesignError."""
    try:
        return function(results, settings, draws=20, **sizes)
    except DesignError as refusal:
        return str(refusal)


# how each function that takes results and settings is called
CALLS = {
    "advise": advise,
    "analyse": lambda r, s: (found := analyse(r, s), found.equivalence.results),
    "by_group": lambda r, s: by_group(r, s, "kind").table,
    "chain": chain,
    "compare_pair_on_cases": compare_pair_on_cases,
    "corrected_share": lambda r, s: corrected_share(r, first_set(r, s), s),
    "score_curves": curve_figures,
    "decide_each": lambda r, s: wins.decide_each(r, TOGETHER, s),
    "dimension_tests": lambda r, s: wins.dimension_tests(r, TOGETHER, s),
    "dimensions": lambda r, s: wins.dimensions(r, TOGETHER, s),
    "evidence": lambda r, s: evidence(r, first_set(r, s), s),
    "evidence_over": evidence_over,
    "findings": findings,
    "level_of": lambda r, s: simulated(level_of, r, s),
    "plan_of": lambda r, s: simulated(plan_of, r, s),
    "power_of": lambda r, s: simulated(power_of, r, s, n_sets=2, biases=(0.0, 40.0)),
    "fold_data": lambda r, s: fold_data(
        r, first_set(r, s), replace(s, measure=s.measure or "error")
    ),
    "order_of": order,
    "possible_post_hocs": lambda r, s: possible_post_hocs(r, first_set(r, s), s),
    "possible_tests": lambda r, s: possible_tests(r, first_set(r, s), s),
    "select": select,
    "apply_selection": apply_selection,
    "resolve_settings": resolve_settings,
    "sweep_each": sweep_each,
    "tested_share": lambda r, s: asked_for.tested_share(r, first_set(r, s), s),
    "wins": lambda r, s: wins.wins(r, TOGETHER, s),
    "count_wins": lambda r, s: wins.count_wins(
        *wins.decide_each(r, TOGETHER, left_out(s)), r, TOGETHER, s
    ),
}
# what makes a difference: setting -> (the other settings, its value)
CHANGES = {
    "measure": ({}, "tpr"),
    "alpha": ({}, 0.4),
    "correction": ({}, "none"),
    "control": ({}, "b"),
    "source": ({}, "sign"),
    "measures": ({}, TOGETHER),
    "test": ({"dataset": "d0"}, "sign test"),
    "overlap": ({"dataset": "d0"}, "ignored"),
    "test_fraction": ({"dataset": "d0"}, 0.4),
    "thresholds": ({}, True),
    "win": ({"measures": TOGETHER}, "thesis"),
    "margin": ({}, 0.5),
}
ALONE = {  # where a function is asked otherwise
    "analyse": {"alpha": ({"dataset": "d0", "pair": ("b", "d")}, 0.4)},
    "chain": {"alpha": ({"measures": TOGETHER}, 0.4), "measure": ({}, "none of them")},
    "dimensions": {"alpha": ({}, 1e-9)},
    "wins": {"overlap": ({}, "ignored")},
    "decide_each": {"correction": ({"dataset": "d0"}, "none")},
    "sweep_each": {"measures": ({}, ("precision", "recall"))},
    "compare_pair_on_cases": {"measure": ({}, "accuracy")},
    "level_of": {
        "correction": ({"dataset": "d0", "test": "paired t"}, "none"),
        "overlap": ({"dataset": "d0"}, "ignored"),
    },
    "plan_of": {"overlap": ({"test_fraction": 0.3}, "ignored"), "test_fraction": ({}, 0.4)},
    "by_group": {
        "overlap": ({"measures": TOGETHER}, "ignored"),
        "test_fraction": ({"measures": TOGETHER}, 0.4),
        "source": ({"alpha": 0.4}, "sign"),
        "correction": ({"alpha": 0.4}, "none"),
        "win": ({"measures": TOGETHER, "alpha": 0.9}, "thesis"),
    },
}


@cache
def scored():
    """Return results of four algorithms on three data sets, each with ten folds of 24 scored cases."""
    rng = np.random.default_rng(3)
    rows = [
        (f"d{d}", name, str(fold), f"{fold}-{case}", truth, truth * gain + noise)
        for d in range(3)
        for place, (name, gain) in enumerate(zip("abcd", (0.2, 0.5, 0.9, 1.5), strict=True))
        for fold in range(10)
        for case, (truth, noise) in enumerate(
            zip([0, 1] * 12, rng.normal(-0.4 + 0.1 * place, 0.7, 24), strict=True)
        )
    ]
    names = ["dataset", "algorithm", "fold", "instance", "true", "score"]
    table = pd.DataFrame(rows, columns=names)
    table["score"] = 1 / (1 + np.exp(-table["score"]))
    results = read_results(("scored.csv", table.to_csv(index=False).encode()))
    return replace(results, _tags=TAGS)


def of(name: str, results: Results) -> Results:
    """Return the results that a function can be called with: one fold of them for tests on cases, else all."""
    if name != "compare_pair_on_cases":
        return results
    cases = results.predictions
    first = cases[cases["fold"] == "0"].rename(columns={"positive": "ignored"})
    kept = first[["dataset", "algorithm", "instance", "true", "score"]]
    results = read_results(("one.csv", kept.to_csv(index=False).encode()))
    return replace(results, _tags=TAGS)


def told(value):
    """Return an answer as plain data, with None for settings and caches."""
    if isinstance(value, Settings | ResultCache):
        return None
    if isinstance(value, Results):
        return (value.datasets, value.algorithms, value.n_rows)
    if isinstance(value, pd.DataFrame | pd.Series):
        return (value.index.tolist(), np.asarray(value).tolist())
    if isinstance(value, np.ndarray):
        return value.tolist()
    if is_dataclass(value):
        return {one.name: told(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): told(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [told(item) for item in value]
    return value


def answer(name: str, results: Results, settings: Settings) -> str:
    return repr(told(CALLS[name](results, settings)))


@cache
def on_scored(name: str, settings: Settings) -> str:
    return answer(name, of(name, scored()), settings)


def taking_settings():
    """Return every public function of library and figures that takes results and settings, by name."""
    found = {}
    for package in (stats_core, foldwise.figures):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            for name, one in vars(importlib.import_module(module.name)).items():
                if name.startswith("_") or not inspect.isfunction(one):
                    continue
                taken = inspect.signature(one).parameters
                asked = any("ettings" in name + str(p.annotation) for name, p in taken.items())
                if asked and "results" in taken and one.__module__ == module.name:
                    found[name] = one
    return found


TAKING = taking_settings()


def test_every_function_that_takes_settings_is_known_here():
    # choices about holes are looked at in tests/report/test_varied_verdicts.py: here are none
    elsewhere = {
        "check_settings",
        "compare_missing_choices",
        "missing_choices",
        "remaining_by_choice",
        "results_under_choice",
    }
    elsewhere |= {"at_level", "on_benchmarks", "stratified_difference"}  # in tests/comparison
    elsewhere |= {"items_of", "decide_gate"}  # in tests/cli
    # they take a comparison, but no other settings: tests/test_one_object.py
    elsewhere |= {"agreement", "at_threshold", "cost_table", "set_wins"}
    # parts of simulations and of comparisons that are called here
    within = {
        "estimate_variance_components",
        "averages_of",
        "check_units",
        "check_present",
        "pvalue_source",
        "check_plan",
        "relative_size_of_analysis",
    }
    assert set(TAKING) == {*CALLS, *elsewhere, *within, "simulation_script"}


@pytest.mark.parametrize("name", sorted(CALLS))
@pytest.mark.parametrize(
    "out",
    [
        {"without_algorithms": ("b",)},
        {"without_datasets": ("d0",)},
        {"pair": ("b", "d")},
        {"dataset": "d1"},
        {"only": ("kind", "odd")},
        {"without_algorithms": ("a", "d"), "without_datasets": ("d2",)},
    ],
    ids=lambda out: ",".join(out),
)
def test_what_is_left_out_has_no_part_in_the_answer(name, out):
    results, base = of(name, scored()), {}
    if name == "compare_pair_on_cases":
        base = {"pair": ("b", "d"), "dataset": "d1"}
    asked = Settings(**{**base, **out})
    inside = TAGS.index[TAGS["kind"] == "odd"] if asked.only else results.datasets
    kept = results.select(
        datasets=[asked.dataset]
        if asked.dataset
        else [d for d in inside if d not in asked.without_datasets],
        algorithms=asked.pair
        or [a for a in results.algorithms if a not in asked.without_algorithms],
    )

    assert on_scored(name, asked) == answer(name, kept, Settings(**base))


# the settings that change the answer of each function; the others are known to have no part in it
COUNTING = {
    "advise": {"control", "measure", "measures", "test_fraction", "thresholds"},
    "analyse": set(CHANGES),
    "by_group": set(CHANGES) - {"test"},
    "chain": set(CHANGES) - {"measure", "margin"},
    "compare_pair_on_cases": {"alpha", "measure"},
    "corrected_share": {"overlap", "test_fraction"},
    "count_wins": {"alpha", "correction", "win"},
    "score_curves": {"alpha", "overlap", "test_fraction", "win"},
    "decide_each": {"alpha", "correction", "overlap", "test_fraction", "win"},
    "dimension_tests": {"overlap", "test_fraction"},
    "dimensions": {"alpha", "overlap", "test_fraction"},
    "evidence": {"measure", "overlap", "test", "test_fraction"},
    "evidence_over": {"measure", "overlap", "test", "test_fraction"},
    "findings": {"alpha", "overlap", "test_fraction"},
    "fold_data": {"measure", "test_fraction"},
    "level_of": set(CHANGES) - {"margin", "win"},
    "order_of": {"alpha", "measure", "overlap", "test", "test_fraction"},
    "plan_of": {"alpha", "control", "correction", "measure", "overlap", "test_fraction"},
    "possible_post_hocs": {"measure", "test_fraction"},
    "possible_tests": {"measure", "test_fraction"},
    "power_of": {"alpha", "control", "measure", "source"},
    "sweep_each": {"alpha", "measures", "overlap", "test_fraction", "win"},
    "tested_share": {"test_fraction"},
    "wins": {"alpha", "correction", "overlap", "test_fraction", "win"},
}
REFUSED = {("chain", "measure"): "no measure", ("order_of", "margin"): "`margin` is 0.5"}


@pytest.mark.parametrize("setting", sorted(CHANGES))
@pytest.mark.parametrize("name", sorted(COUNTING))
def test_a_setting_changes_the_answer_where_it_counts(name, setting):
    base, value = {**CHANGES, **ALONE.get(name, {})}[setting]
    ask = partial(on_scored, name)
    if setting == "test_fraction":
        ask = partial(answer, name, replace(of(name, scored()), design_hint="holdout"))
    if name == "compare_pair_on_cases":
        base = {"pair": ("b", "d"), "dataset": "d1"}
    before, after = (Settings(**base), Settings(**{**base, setting: value}))

    if refusal := REFUSED.get((name, setting)):
        with pytest.raises(SettingError, match=refusal):
            ask(after)
    else:
        assert (ask(before) != ask(after)) == (setting in COUNTING[name])


def test_every_function_called_here_has_its_settings():
    assert set(COUNTING) == set(CALLS) - {"select", "apply_selection", "resolve_settings"}


def test_a_selection_of_everything_is_the_same_object():
    results = read_results(SAMPLES / "uci38_5x2.csv")

    assert select(results, Settings(without_algorithms=("none of them",))) is results
    assert select(results, Settings(without_algorithms=results.algorithms[:1])) is not results
