"""Outputs of a comparison agree about pairs, directions, numbers and tests, for drawn results."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from foldwise.figures.registry import drawings
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.plan import Role
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, TUKEY, Settings
from stats_core.inference.methods import PAIR_TESTS, Unit
from stats_core.report.analysis_steps import chain_of
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.tables.table_registry import main_table
from tests.comparison.test_small_designs import SHAPES, compared, table

ON_RESULTS = [key for key, method in PAIR_TESTS.items() if method.unit is Unit.RESULT]


def drawn(seed, n_datasets, n_folds):
    """Return errors of three to five algorithms that differ by up to three standard deviations."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    shape = (n_datasets, k, n_folds)
    error = 0.3 + 0.01 * rng.integers(0, 4, k)[:, None] + 0.01 * rng.normal(size=shape)
    places = np.indices(shape).reshape(3, -1)
    frame = pd.DataFrame(places.T, columns=["dataset", "algorithm", "fold"])
    frame = frame.assign(
        dataset="d" + frame["dataset"].astype(str),
        algorithm="a" + frame["algorithm"].astype(str),
        repetition=1 + frame["fold"] // 2,
        error=error.ravel().round(3),
    )
    frame["fold"] = 1 + frame["fold"] % 2
    frame = frame if n_folds > 1 else frame.drop(columns=["fold", "repetition"])
    return Results.from_frame(frame, directions={"error": "lower"})


def check_outputs(c):
    """Check that pairs, matrix, groups, decision, table, JSON and names of tests agree."""
    pairs, alpha = c.pairs(), c.settings.alpha
    differ = {
        frozenset(pair)
        for pair in pairs.loc[pairs["separated"].astype(bool), ["first", "second"]].to_numpy()
    }
    for row in pairs.to_dict("records"):
        first, second = row["first"], row["second"]
        assert row["separated"] == (row["p adjusted"] <= alpha)
        assert c.adjusted_pvalues.loc[first, second] == pytest.approx(row["p adjusted"])
        beats = c.beats.loc[first, second], c.beats.loc[second, first]
        if row["separated"] and row["estimate"]:
            assert sum(beats) == 1
        if not row["separated"]:
            assert not any(beats)
        if not np.isnan(row["low"]):
            assert (row["low"] > 0 or row["high"] < 0) == row["separated"]
    if c.groups:
        apart = {
            frozenset(pair)
            for pair in combinations(c.order, 2)
            if not any({*pair} <= {*group} for group in c.groups)
        }
        assert apart == differ
    if not c.obstacle:
        assert {frozenset(pair) for pair in decide(c).apart} == differ
    check_names(c)


def check_names(c):
    """Check that the planned tests are those named by steps, caption and methods paragraph."""
    if c.obstacle:
        assert c.plan == ()
        assert chain_of(c).test == "no test"
        return
    planned = [test for test in c.plan if test.decides]
    assert planned[-1].role is Role.PAIRWISE
    steps = [step.test for step in chain_of(c).steps if step.advised]
    assert len(steps) == len(planned)
    assert all(test.name in step for test, step in zip(planned, steps, strict=True))
    captions = [shown.caption for shown in main_table(c)]
    naming = [caption for caption in captions if re.search(r"\bTests?: ", caption)]
    assert all(c.test_name in caption for caption in naming)
    assert {test.population for test in planned} == {c.scope}
    assert methods_paragraph(c)


@pytest.mark.parametrize("settings", [Settings(), Settings(source="ranks"), Settings(control="a1")])
@pytest.mark.parametrize("n_folds", [1, 10])
def test_figures_name_the_test_of_the_pairs(n_folds, settings):
    results = drawn(2, n_datasets=12 if n_folds == 1 else 1, n_folds=n_folds)
    c = analyse(results, settings)
    lines = [drawing.tested for drawing in drawings(c, results=results) if drawing.tested]
    assert lines
    assert all(c.test_name in line for line in lines), (c.test_name, lines)


@pytest.mark.parametrize("source", ["", *SOURCES])
@pytest.mark.parametrize("seed", range(6))
def test_outputs_over_data_sets_agree(seed, source):
    results = drawn(seed, n_datasets=4 + 3 * seed, n_folds=1)
    k = len(results.algorithms)
    check_outputs(analyse(results, Settings(source=source)))
    if k > 2:
        check_outputs(analyse(results, Settings(source=source, control="a1")))


@pytest.mark.parametrize("test", ["", TUKEY, *ON_RESULTS])
@pytest.mark.parametrize("seed", range(3))
def test_outputs_on_folds_agree(seed, test):
    results = drawn(seed, n_datasets=1, n_folds=10)
    if len(results.algorithms) > 2 or test != TUKEY:
        check_outputs(analyse(results, Settings(test=test)))


@pytest.mark.parametrize("outcome", ["tied", "random", "same", "right"])
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_on_instances_agree(shape, outcome):
    shown = compared(table(shape, outcome))
    if shown is not None:
        check_outputs(shown.comparison)
