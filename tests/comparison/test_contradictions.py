"""Tests of the sentences on pairs and omnibus tests that disagree, for every kind of comparison."""

import numpy as np
import pandas as pd
import pytest

from foldwise.web.views import curve_views
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED, NOT_SEPARATED, decide
from stats_core.core.formatting import p_phrase
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict
from tests.report.report_cases import predictions
from tests.samples import shipped

SEEDS = (26, *range(300))  # noise number 26 on cases is the first that does


def over_data_sets(rng):
    """Return random errors of six algorithms on ten data sets, and settings without adjustment."""
    rows = [(f"d{d}", f"a{a}", rng.random()) for d in range(10) for a in range(6)]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    return Results.from_frame(table), Settings(correction="none")


def on_folds(rng, columns=("error",), **settings):
    """Return random results of six algorithms on twelve folds, and unadjusted settings that ignore overlap."""
    rows = [(f"a{a}", f, *rng.random(len(columns))) for f in range(12) for a in range(6)]
    table = pd.DataFrame(rows, columns=["algorithm", "fold", *columns])
    results = Results.from_frame(table, directions=dict.fromkeys(columns, "lower"))
    return results, Settings(correction="none", overlap="ignored", **settings)


def on_measures(rng):
    """Return results and settings of `on_folds` with two measures, tested together."""
    return on_folds(rng, ("error", "loss"), measures=("error", "loss"))


def by_wilcoxon(rng):
    """Return results and settings of `on_folds` with Wilcoxon tests of the pairs."""
    return on_folds(rng, test="Wilcoxon")


def on_cases(rng):
    """Return predictions of five models with 6 to 14 random errors on 40 cases, and settings without adjustment."""
    wrong = {f"m{m}": rng.choice(40, rng.integers(6, 15), replace=False) for m in range(5)}
    return predictions(**wrong), Settings(correction="none")


def found(make, separated, rejects):
    """Return the first random comparison whose pairs and omnibus test decide as given; fail if there is none."""
    for seed in SEEDS:
        comparison = analyse(*make(np.random.default_rng(seed)))
        first = comparison.first_test.rejects(comparison.settings.alpha)
        if (bool(comparison.pairs.decisions["separated"].any()), first) == (separated, rejects):
            return comparison
    pytest.fail(f"no noise with {separated=} and {rejects=}")


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (over_data_sets, "ranks"),
        (by_wilcoxon, "folds"),
        (on_measures, "measures"),
        (on_cases, "cases"),
    ],
)
def test_pairs_that_differ_while_all_at_once_do_not(make, kind):
    comparison = found(make, separated=True, rejects=False)
    said, n = verdict(comparison), int(comparison.pairs.decisions["separated"].sum())

    assert comparison.kind == kind
    promised = comparison.guarantee.bounds != "nothing"
    assert said.badge == (DECIDED if promised else LIMITED)
    assert decide(comparison).claim == "pairs only"
    assert said.headline.startswith(
        f"{n} pair{'s differ' if n > 1 else ' differs'} significantly in "
    )
    assert (
        f"although the omnibus test is not significant ({comparison.first_test.name}"
        in said.headline
    )
    assert "family-wise error rate" in said.size or "may be false positives" in said.size
    assert (
        "Demšar (2006) recommends pairwise tests only if the omnibus test is significant."
        in said.detail
    )
    assert said.advice == "Report the rule."
    assert "not evidence" not in said.sentences


@pytest.mark.parametrize("make", [over_data_sets, by_wilcoxon, on_measures, on_cases])
def test_where_nothing_differs_it_is_said_in_one_form(make):
    comparison = found(make, separated=False, rejects=False)
    said, k = verdict(comparison), len(comparison.order)

    assert said.badge == NOT_SEPARATED
    assert said.headline.startswith(f"No two of the {k} {comparison.noun}s differ significantly ")
    smallest = p_phrase(
        comparison.pairs.frame["p adjusted"].min(), comparison.settings.alpha, "adjusted p"
    )
    assert smallest in said.detail
    assert "95% CI " in said.size or "not evidence of equivalence" in said.detail
    assert said.advice == ""


def test_page_and_report_mark_the_same_winners_on_each_data_set():
    """On these three data sets, several algorithms tie for the second place."""
    results = shipped("uci38_5x2.csv")
    (scores,) = tables_of(analyse(results, Settings(measure="error")), "scores")

    expected = {
        "haberman": ({"Logistic regression"}, {"Neural network", "SVM (RBF)"}),
        "iris": ({"Logistic regression"}, {"Multivariate tree", "SVM (linear)"}),
        "mushroom": ({"SVM (degree 2)"}, {"Logistic regression", "Neural network", "SVM (linear)"}),
    }
    assert {name: tuple(map(set, scores.best[name])) for name in expected} == expected
    assert set(scores.best) == set(results.datasets)


@pytest.mark.parametrize("overlap", ["corrected", "ignored"])
def test_page_and_library_count_the_same_wins_over_thresholds(overlap):
    """There are 18 wins with the correction for overlapping training sets, and 27 without."""
    results = shipped("twoclass_scores.csv.gz")
    settings = Settings(thresholds=True, overlap=overlap)

    on_page, skipped = curve_views.wins_of_sweep("twoclass", settings, "logistic", results)

    assert skipped == {}
    assert int(on_page.wins.to_numpy().sum()) == {"corrected": 18, "ignored": 27}[overlap]
    assert on_page.wins.equals(analyse(results, settings).wins)
