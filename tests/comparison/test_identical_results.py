"""Tests that all outputs of identical models agree: nothing is tested, whatever the design."""

import json
import re
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from stats_core.report import methods_text, paper_sentence
from stats_core.report.advice import advice_on
from stats_core.report.analysis_steps import chain_of
from stats_core.report.tables.table_registry import tables_of
from tests.comparison.test_small_designs import SHAPES, table

NAMES = "ABC"
SCORES = {"measure": "score", "higher_is_better": True, "rows": "items"}
OF_TESTS = re.compile(
    "McNemar|t test|Wilcoxon|DeLong|permutation|Diebold|Cochran|Friedman|ANOVA|adjusted|CI"
)


def shaped(shape, k, binary):
    """Return results of k identical models on items of a shape, and the options of `compare`."""
    frame = table(shape, "same")
    frame = frame[frame["model"].isin([*NAMES[:k]])]
    if not binary:
        return frame, SCORES
    frame = frame.assign(accuracy=(frame["score"] > 0.2).astype(int)).drop(columns="score")
    return frame, {"measure": "accuracy", "rows": "items"}


def predicted(k, kind, folds=1):
    """Return predictions of k identical models, with labels, scores, numbers or numbers in time."""
    rng, n, rows = np.random.default_rng(4), 20, []
    for fold in range(folds):
        truth = rng.integers(0, 2, n)
        score = (rng.random(n) / 2 + 0.4 * truth).round(3)
        numbers = kind in ("numbers", "times")
        for name in NAMES[:k]:
            for i in range(n):
                row = {"algorithm": name, "instance": fold * n + i, "true": truth[i]}
                if numbers:
                    row |= {"true": truth[i] + score[i], "predicted": score[i]}
                elif kind == "scores":
                    row["score"] = score[i]
                else:
                    row["predicted"] = int(score[i] > 0.45)
                if kind == "times":
                    row["time"] = f"2020-01-{i + 1:02}"
                if folds > 1:
                    row["fold"] = fold
                rows.append(row)
    return pd.DataFrame(rows)


def measured(k, datasets, folds):
    """Return errors of k identical algorithms on folds of data sets."""
    rng, rows = np.random.default_rng(5), []
    for dataset in range(datasets):
        for fold in range(folds):
            error, tp = round(rng.random(), 3), int(rng.integers(5, 40))
            for name in NAMES[:k]:
                row = {"dataset": f"d{dataset}", "algorithm": name, "fold": fold, "error": error}
                rows.append(row | {"tp": tp, "fn": 50 - tp, "fp": 50 - tp, "tn": tp})
    one_result = ["fold", "tp", "fn", "fp", "tn"]
    return pd.DataFrame(rows).drop(columns=["error"] if folds > 1 else one_result)


CASES = {
    **{f"{shape}, scores": (shaped, shape, False) for shape in SHAPES},
    **{f"{shape}, right or wrong": (shaped, shape, True) for shape in SHAPES},
    "labels": (predicted, "labels"),
    "labels by MCC": (predicted, "labels", 1, {"measure": "mcc"}),
    "scores": (predicted, "scores", 1, {"measure": "auc"}),
    "numbers": (predicted, "numbers"),
    "times": (predicted, "times"),
    "folds of predictions": (predicted, "labels", 5),
    "folds": (measured, 1, 5),
    "data sets": (measured, 12, 1),
    "folds of data sets": (measured, 12, 3),
}


def identical(case, k):
    """Return the comparison of k identical models."""
    make, *about = CASES[case]
    options = about.pop() if isinstance(about[-1], dict) else {}
    if make is shaped:
        frame, options = shaped(about[0], k, about[1])
    else:
        frame = make(k, *about)
    return fw.compare(frame, **options)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("case", CASES)
def test_nothing_is_said_to_be_tested_if_all_results_are_identical(case, k):
    shown = identical(case, k)
    c = shown.comparison
    assert c.obstacle == "identical"
    assert (shown.pairs[["p", "p_adjusted"]] == 1).all(axis=None)
    assert not shown.pairs["significant"].any()
    headline = str(shown.verdict.headline)
    assert "so no test is possible" in headline
    methods = methods_text.methods_paragraph(c)
    paper = paper_sentence.results_paragraph(c)
    for text in (methods, paper):
        assert "so no test was possible" in text
    advised, steps = advice_on(c), chain_of(c)
    assert advised.test == "no test"
    assert advised.because == ("All results are identical, so no test is possible.",)
    assert (steps.test, steps.scenario) == ("no test", "")
    told = [str(asdict(advised)), str(asdict(steps))]
    for text in (methods, paper, repr(shown), fw.to_text(c), *map(str, shown.verdict.notes), *told):
        assert not OF_TESTS.search(text), text
    document = json.loads(fw.to_json(c))
    assert document["advice"]["test"] == "no test"
    assert document["verdict"]["headline"] == headline
    assert {pair["p"] for pair in document["analysis"].get("pairs", [{"p": 1.0}])} == {1.0}
    assert headline in re.sub(r"'\n\s*'", "", fw.to_script(c))
    for made in (made for made in tables_of(c) if made.name == "pairs"):
        assert "Identical results are not tested, and have p = 1." in made.caption


def test_a_refused_test_leaves_no_groups_and_can_be_printed():
    frame = measured(2, 1, 5)
    frame["error"] = np.tile([0.1, 0.2], 5)
    shown = fw.compare(frame[["dataset", "algorithm", "fold", "error"]])
    assert shown.comparison.obstacle == "test refused"
    assert shown.groups == ()
    assert repr(shown).startswith(str(shown.verdict.headline))
    assert "No test was possible." in methods_text.methods_paragraph(shown.comparison)
