"""Tests that a comparison at another significance level equals a new analysis at that level."""

import pickle
from dataclasses import replace

import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse, at_level
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.reproduce import to_json
from stats_core.report.verdict import verdict
from tests.samples import shipped

SETTINGS = (
    Settings(),
    Settings(source="ranks", correction="nemenyi"),
    Settings(source="sign", correction="bonferroni"),
    Settings(source="wilcoxon", correction="bonferroni"),
)


def afresh(results):
    """Return the same results without the values cached for them."""
    return pickle.loads(pickle.dumps(results))


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("alpha", [0.01, 0.2])
def test_another_level_gives_what_a_new_analysis_gives(settings, alpha):
    results = shipped("garcia_herrera_2008_accuracy.csv")
    asked = replace(settings, alpha=alpha)
    found, anew = (
        at_level(analyse(results, settings), results, asked),
        analyse(afresh(results), asked),
    )

    assert found.cache is not anew.cache
    assert verdict(found) == verdict(anew)
    assert found.settings == anew.settings
    assert found.critical_difference == anew.critical_difference
    assert found.groups == anew.groups
    pd.testing.assert_frame_equal(found.pairs.frame, anew.pairs.frame)
    row = anew.pairs.frame.iloc[3]
    pd.testing.assert_series_equal(
        found.pairs.of(row["second"], row["first"])[list(row.index)], row, check_names=False
    )


@pytest.mark.parametrize("together", [(), ("fpr", "tpr")])
def test_on_folds_another_level_gives_what_a_new_analysis_gives(together):
    results = shipped("twoclass_counts.csv")
    settings = Settings(dataset=results.datasets[0], measures=together, measure="error")
    asked = replace(settings, alpha=0.2)

    found, anew = (
        at_level(analyse(results, settings), results, asked),
        analyse(afresh(results), asked),
    )

    assert to_json(found) == to_json(anew) != to_json(analyse(results, settings))
    assert verdict(found) == verdict(anew)
    assert found.intervals(0.1) == anew.intervals(0.1)


def test_where_the_level_asks_for_other_tests_there_is_none():
    results = shipped("demsar_2006_auc.csv")
    advised = analyse(results).settings.source
    other = next(
        alpha
        for alpha in (0.001, 0.0001)
        if analyse(results, Settings(alpha=alpha)).settings.source != advised
    )

    assert at_level(analyse(results), results, Settings(alpha=other)) is None


def test_at_another_level_random_sign_flips_are_not_drawn_again(rng, monkeypatch):
    folds = [str(fold) for fold in range(20)]
    table = pd.DataFrame(
        {"fold": folds * 2, "algorithm": ["a"] * 20 + ["b"] * 20, "error": rng.random(40)}
    )
    results = Results.from_frame(table, directions={"error": "lower"})
    first = analyse(results, Settings(alpha=0.05))
    before = first.table()
    monkeypatch.setattr("stats_core.inference.paired.sign_flip_test", pytest.fail)

    after = analyse(results, Settings(alpha=0.01)).table()

    pd.testing.assert_series_equal(before["p"], after["p"])
    assert (before["low"] > after["low"]).any()


@pytest.mark.parametrize(
    ("dataset", "tests"),
    [
        ("", "stats_core.inference.pairwise.pairwise"),
        ("acceptors", "stats_core.inference.fold_pairs.pairs_by_t"),
    ],
)
def test_another_correction_or_control_repeats_no_test(dataset, tests, monkeypatch):
    results = shipped("twoclass_counts.csv")
    settings = Settings(dataset=dataset, source="wilcoxon", correction="holm")
    first = analyse(results, settings)
    before = first.pairs.frame
    monkeypatch.setattr(tests, lambda *_: pytest.fail("tested again"))

    after = analyse(results, replace(settings, correction="bonferroni")).pairs.decisions
    against = analyse(
        results, replace(settings, correction="holm", control=results.algorithms[0])
    ).pairs.decisions

    key = ["first", "second"]
    assert before.set_index(key)["p"].to_dict() == after.set_index(key)["p"].to_dict()
    assert set(against["p"]) <= set(before["p"])
