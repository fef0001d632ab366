"""Tests of the analysis steps, which are those of `analyse` and of published scenarios.

Expected scenarios and tests: Irsoy, Yildiz and Alpaydin 2012, Table II; expected cases: Aslan's
thesis 2009, Figure 7.1.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.core.errors import DesignError, SettingError
from stats_core.curves.threshold_sweep import over_data_sets, sweep
from stats_core.data.settings import SOURCES, Settings
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    LOGICAL,
    is_transitive,
)
from stats_core.report.advice import advice_on
from stats_core.report.analysis_steps import chain
from stats_core.report.verdict import verdict
from tests.power.test_detectable import five_by_two, made, on_folds, over_sets
from tests.report.report_cases import KINDS, case
from tests.samples import shipped

FILES = (
    "uci38_5x2.csv",
    "twoclass_counts.csv",
    "twoclass_scores.csv.gz",
    "thesis_counts.csv",
    "thesis_scores.csv.gz",
    "garcia_herrera_2008_accuracy.csv",
    "demsar_2006_auc.csv",
)
TOGETHER = ("fpr", "tpr")


@pytest.fixture(scope="module")
def samples():
    return {name: shipped(name) for name in FILES}


@pytest.fixture(scope="module")
def uci(samples):
    return samples["uci38_5x2.csv"]


@pytest.fixture(scope="module")
def counts(samples):
    return samples["twoclass_counts.csv"]


def link(found, words):
    """Return the only step whose test contains `words`."""
    (step,) = [step for step in found.steps if words in step.test]
    return step


def questions(results):
    """Return settings for each kind of comparison by one measure of a sample."""
    first, pair = results.datasets[0], results.algorithms[:2]
    return (
        Settings(),
        Settings(control=results.algorithms[0]),
        Settings(pair=pair),
        Settings(dataset=first),
        Settings(dataset=first, pair=pair),
    )


@pytest.mark.parametrize("name", FILES)
def test_the_chain_is_what_the_advice_says(samples, name):
    for settings in questions(samples[name]):
        found = chain(samples[name], settings)
        advice = advice_on(analyse(samples[name], settings))

        assert found.test == advice.test == found.advised


ON_INSTANCES = [name for name in KINDS if name.startswith(("cases", "trainings"))]


@pytest.mark.parametrize("name", ON_INSTANCES)
def test_the_chain_on_instances_is_what_the_advice_says(name):
    results = case(name)[0].results
    some = [Settings(), *(Settings(pair=pair) for pair in combinations(results.algorithms[:3], 2))]
    for settings in [*some, Settings(control=results.algorithms[0])]:
        found = chain(results, settings)

        assert found.test == found.advised


@pytest.mark.parametrize("name", FILES[1:5])
def test_the_chain_on_measures_is_what_the_analysis_does(samples, name):
    results = samples[name]
    several = Settings(dataset=results.datasets[0], measures=TOGETHER)
    assert chain(results, several).test == advice_on(analyse(results, several)).test

    pair = replace(several, pair=results.algorithms[:2])
    analysis = analyse(results, pair)
    corrected = ", corrected for overlap" if analysis.hotelling.factor != 1 else ""
    assert chain(results, pair).test == f"paired Hotelling T² test{corrected}"


# Table II of Irsoy et al.: rows L = 2, L > 2; columns M = 1, M > 1
@pytest.mark.parametrize(
    ("settings", "number", "tests"),
    [
        (Settings(dataset="australian", pair=("SVM (RBF)", "C4.5")), 1, "5x2 cv F test"),
        (
            Settings(dataset="australian"),
            2,
            "analysis of variance, then the 5x2 cv F test of each pair",
        ),
        (Settings(pair=("SVM (RBF)", "C4.5")), 3, "Wilcoxon signed-rank test"),
        (Settings(), 4, "Friedman test, then Nemenyi's test"),
    ],
)
def test_the_four_scenarios(uci, settings, number, tests):
    found = chain(uci, settings)

    assert found.scenario.startswith(f"scenario {number}: ")
    assert f"Table II: {tests})" in found.scenario


# Figure 7.1 of the thesis, lines 4 to 26
@pytest.mark.parametrize(
    ("settings", "thresholds", "number", "tests"),
    [
        (Settings(dataset="pima", pair=("Decision tree", "LDA")), False, 1, "paired t test"),
        (
            Settings(dataset="pima"),
            False,
            2,
            "analysis of variance with folds as blocks, then Tukey's test",
        ),
        (Settings(dataset="pima", measures=TOGETHER), False, 3, "two-sample Hotelling tests"),
        (Settings(), False, 4, "(case 2)"),
        (Settings(measures=TOGETHER), False, 5, "(case 3)"),
        (Settings(measures=TOGETHER), True, 6, "right-tailed sign tests across thresholds"),
    ],
)
def test_the_six_cases(samples, settings, thresholds, number, tests):
    found = chain(samples["twoclass_scores.csv.gz"], settings, thresholds=thresholds)

    assert found.case.startswith(f"case {number}: ")
    assert tests in found.case
    assert found.test == found.advised


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (Settings(pair=("Decision tree", "LDA")), "univariate, two classifiers, several data sets"),
        (
            Settings(pair=("Decision tree", "LDA"), dataset="pima", measures=TOGETHER),
            "multivariate, two classifiers, one data set",
        ),
        (
            Settings(pair=("Decision tree", "LDA"), measures=TOGETHER),
            "multivariate, two classifiers, several data sets",
        ),
    ],
)
def test_what_the_thesis_has_no_case_for(counts, settings, what):
    assert chain(counts, settings).case.startswith(f"none of the six cases of the thesis: {what} ")


@pytest.mark.parametrize("correction", [*CORRECTIONS])
@pytest.mark.parametrize("source", [*SOURCES])
def test_corrections_over_data_sets_are_named_as_in_the_verdict(uci, correction, source):
    settings = Settings(correction=correction, source=source)
    refused = {}
    if source != "ranks":
        refused["nemenyi"] = "Nemenyi test needs p-values from average ranks"
    if not is_transitive(source):
        refused |= dict.fromkeys(LOGICAL, "cannot be combined with the sign test")
    if correction in refused:
        with pytest.raises(SettingError, match=refused[correction]):
            chain(uci, settings)
        return
    found = chain(uci, settings)

    first, then = found.test.split(", then ")
    assert first == "Iman-Davenport test"
    assert f": {then} (" in verdict(analyse(uci, settings)).detail


@pytest.mark.parametrize("correction", [*CONTROL_CORRECTIONS])
def test_corrections_against_a_control_are_named_as_in_the_verdict(uci, correction):
    settings = Settings(control="SVM (RBF)", correction=correction)
    by = chain(uci, settings).test.split("algorithm with SVM (RBF) by ")[1]

    assert by.lower() in verdict(analyse(uci, settings)).detail.lower()


@pytest.mark.parametrize("test", ["Tukey", *PAIR_TESTS])
def test_a_test_of_ones_own_is_named(uci, samples, test):
    if test.startswith("McNemar"):
        results, settings = samples["twoclass_scores.csv.gz"], Settings(measure="error")
    else:
        results, settings = uci, Settings()
    settings = replace(settings, dataset=results.datasets[0], test=test)
    several = chain(results, settings)
    analysis = analyse(results, settings)
    assert isinstance(analysis, FoldsComparison)

    pairs = [step for step in several.steps if step.question == "Pairwise tests"]
    assert pairs[0].test.startswith(
        "Tukey's test, " if test == "Tukey" else f"{PAIR_TESTS[test].name} for each pair"
    )
    assert (len([step for step in several.steps if step.advised]) == 2) == (
        analysis.omnibus is not None
    )
    if test == "Tukey":
        return
    pair = replace(settings, pair=results.algorithms[:2])
    assert isinstance(analyse(results, pair), FoldPairComparison)
    assert chain(results, pair).test == PAIR_TESTS[test].name


def test_without_the_correction_for_overlap_it_is_not_named(counts):
    settings = Settings(dataset="pima", test="Tukey")
    corrected = chain(counts, settings)
    ignored = chain(counts, replace(settings, overlap="ignored"))

    assert corrected.test.endswith("Tukey's test, corrected for overlap")
    assert ignored.test.endswith("then Tukey's test")
    assert "without correction for overlap" in corrected.steps[2].papers
    assert "without correction for overlap" not in ignored.steps[2].papers
    assert "by your choice" in ignored.steps[0].fails


def test_wins_over_data_sets_end_in_a_sign_test(counts):
    found = chain(counts, Settings(measures=TOGETHER, correction="holm"))
    last = link(found, "sign test")

    assert last.test == "two-sided sign test over data sets with Holm adjustment"
    # 21 pairs times 2 / 2^7 = 0.328
    assert "the smallest attainable p-value is 0.328" in last.fails
    assert "Bonferroni" in last.papers


def test_thresholds_end_in_the_sign_tests_that_the_sweep_makes(samples, rng):
    found = chain(samples["thesis_scores.csv.gz"], thresholds=True)
    tp, fp = rng.integers(0, 11, size=(2, 2, 3, 6))  # of ten positives and ten negatives
    counted = np.stack([tp, fp, 10 - fp, 10 - tp], axis=-1)
    swept = sweep(counted, list("abc"), thetas=[0.25, 0.75])
    over = over_data_sets({"x": swept, "y": swept, "z": swept})

    assert link(found, "21 thresholds")
    assert link(found, "(TP, FP, TN, FN)")
    assert link(found, "MANOVA with folds as blocks")
    for tests in ("paired t tests of expected cost", "paired Hotelling"):
        assert tests.replace("tests", "test") in swept.method
        assert link(found, tests)
    assert "not an error rate" in link(found, "right-tailed sign test across thresholds").fails
    last = link(found, "two-sided sign test over data sets")
    assert "Bonferroni" in last.test
    assert "Bonferroni" in over.method
    # 5 algorithms on 3 data sets: 10 pairs times 2 / 2^3, more than 1
    assert "the smallest attainable p-value is 1 " in last.fails


def test_thresholds_need_scores(counts):
    with pytest.raises(DesignError, match="a score for every instance"):
        chain(counts, thresholds=True)


def test_failed_assumptions_are_named_with_what_was_done(counts):
    found = chain(counts, Settings(dataset=counts.datasets[0], test="Tukey"))
    omnibus = found.steps[1]

    assert "Sphericity is doubtful" in omnibus.fails
    assert (
        "With the Greenhouse-Geisser correction, which does not assume sphericity" in omnibus.fails
    )
    assert "Friedman" not in omnibus.fails  # over folds it ignores overlap


def test_doubtful_normality_sends_nobody_to_a_test_that_ignores_overlap():
    skewed = np.array([0.01, 0.02, 0.01, 0.03, 0.02, 0.01, 0.02, 0.9, 0.01, 0.02])
    fails = chain(on_folds(skewed)).steps[1].fails

    assert "Normality of the differences is doubtful" in fails
    assert "A p-value near 0.05 is only approximate" in fails
    assert "sign-flip" not in fails
    assert not chain(on_folds(np.linspace(-1, 1.2, 10))).steps[1].fails


def test_a_common_test_set_is_named(samples):
    results = samples["thesis_counts.csv"]
    found = chain(results, Settings(dataset=results.datasets[0]))

    assert "share one test set" in found.steps[0].fails
    assert found.test.startswith("paired t test for each pair")


def test_too_few_results_are_named(rng):
    few = chain(over_sets(rng.normal(size=(5, 2))))
    assert "the smallest attainable p-value is 0.062" in few.steps[1].fails  # 2^-4 = 0.0625
    enough = chain(over_sets(rng.normal(size=(6, 2))))
    assert not enough.steps[1].fails

    folds = pd.DataFrame(rng.normal(size=(10, 8)), columns=list("abcdefgh")).rename_axis("fold")
    found = chain(made(folds, dataset="made"), Settings(test="Wilcoxon"))
    assert (
        "the smallest attainable p-value is 0.0547" in found.steps[2].fails
    )  # 28 / 2^9, DESIGN's trap


def test_costs_bring_an_order(uci, rng):
    def last(settings):
        return chain(uci, settings).steps[-1].test

    assert last(Settings()) == "Multi2Test"
    assert last(Settings(dataset="australian")) == "MultiTest"
    assert not any("MultiTest" in s.test for s in chain(five_by_two(rng.normal(size=(5, 2)))).steps)


def test_one_number_per_algorithm_leaves_nothing_to_test(samples):
    results = samples["demsar_2006_auc.csv"]
    found = chain(results, Settings(dataset="iris"))

    assert found.test == "no test, because there is only one result of each algorithm"
    assert found.scenario.startswith("scenario 2")


def test_one_algorithm_has_no_chain(uci):
    others = tuple(uci.algorithms[1:])
    with pytest.raises(DesignError, match="need at least two algorithms"):
        chain(uci, Settings(without_algorithms=others))


@pytest.mark.parametrize("name", FILES)
def test_every_step_says_why_and_where_that_is_argued(samples, name):
    for settings in questions(samples[name]):
        found = chain(samples[name], settings)
        table = found.to_frame()

        assert list(table) == ["question", "test", "why", "reference", "papers", "fails"]
        assert len(table) == len(found.steps)
        for step in found.steps:
            assert step.question
            assert step.why.endswith(".")
            assert step.reference
            assert not step.papers or step.papers.endswith(".")
            assert "  " not in "|".join([step.test, step.why, step.papers, step.fails])
