"""Tests of effects, p-values and names in sentences, against independent computations."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.core.formatting import MINUS, measure_name
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.claim_phrases import ahead_by_measure
from stats_core.report.effect_text import (
    describe_equivalence,
    describe_pvalue,
    needs_more_sets,
    no_difference_possible,
    why_no_interval,
)
from stats_core.report.methods_sections import compared_on
from stats_core.report.methods_text import methods_paragraph, readable_measures
from stats_core.report.order_text import describe_rule
from stats_core.report.paper_sentence import describe_results, paper_sentence
from stats_core.report.varied_verdicts import describe_unchanged, sensitivity
from stats_core.report.verdict import describe_datasets, headline, verdict
from tests.report.report_cases import case


def results_of(scores, measure="accuracy", direction="higher"):
    """Return results of a data set x algorithm table."""
    long = (
        pd.DataFrame(scores)
        .rename_axis("dataset")
        .reset_index()
        .melt("dataset", var_name="algorithm")
    )
    return Results.from_frame(
        long.rename(columns={"value": measure}), directions={measure: direction}
    )


@pytest.fixture
def two(rng):
    """Scores of two algorithms on 14 data sets; a is better by 0.02 on average."""
    b = rng.uniform(0.5, 0.9, 14)
    return {"a": b + rng.normal(0.02, 0.02, 14), "b": b}


def test_the_answer_has_effect_interval_and_p(two):
    said = verdict(analyse(results_of(two)))
    differences = two["a"] - two["b"]
    walsh = np.add.outer(differences, differences)[np.triu_indices(14)] / 2

    p = stats.wilcoxon(differences, method="exact").pvalue
    assert f": {np.median(walsh):.4f}, 95% CI [" in said.size
    assert said.size.endswith(f"p = {p:.3f}." if p >= 0.001 else "p < 0.001.")


def test_the_p_value_of_a_pair_is_that_of_scipy(two):
    p = stats.wilcoxon(two["a"], two["b"], method="exact").pvalue

    assert describe_pvalue(analyse(results_of(two)), "b", "a") in (f"p = {p:.3f}", "p < 0.001")
    three = analyse(results_of({**two, "c": two["b"] - 0.3}), Settings(correction="bonferroni"))
    assert describe_pvalue(three, "a", "c") == "adjusted p < 0.001"  # 3 * 2 / 2**14 = 0.0004


def test_equivalence_follows_two_one_sided_tests(two):
    differences = np.abs(two["a"] - two["b"]).max()
    wide, narrow = (
        analyse(results_of(two), Settings(margin=region)) for region in (2 * differences, 1e-9)
    )

    assert "are equivalent within" in describe_equivalence(
        wide
    ) or "but are equivalent" in describe_equivalence(wide)
    assert describe_equivalence(narrow).endswith(("by more than 1e-09.", "inconclusive."))
    assert describe_equivalence(analyse(results_of(two))) == ""


def test_too_few_data_sets_are_counted_by_hand(rng):
    few = analyse(results_of(rng.random((4, 2))))

    assert "is 0.125 (α = 0.05)" in no_difference_possible(few)  # 2 / 2**4
    assert "At least 6 data sets are needed." in verdict(few).size  # 2 / 2**6 < 0.05 < 2 / 2**5
    assert needs_more_sets(few, decide(few)) == ""  # the claim says so


def test_equal_results_are_counted(two):
    same = two["b"].copy()
    same[:5] += [0.01, 0.02, 0.03, -0.01, 0.05]
    found = analyse(results_of({"a": same, "b": two["b"]}))

    assert "have the same accuracy on 9 of 14 data sets." in why_no_interval(found, "a", "b")
    assert "identical on all 14 data sets" in why_no_interval(
        analyse(results_of({"a": same, "b": same})), "a", "b"
    )


def test_measures_are_written_as_in_a_paper(two):
    analysis = analyse(results_of(two, "test_accuracy"))

    assert "test_accuracy" not in paper_sentence(analysis) + methods_paragraph(analysis)
    assert (
        readable_measures("test_accuracy of test_accuracy_2", analysis)
        == "test accuracy of test_accuracy_2"
    )
    assert compared_on(analysis) == " on 14 data sets"
    assert describe_datasets(analysis.results.datasets) == "over 14 data sets"


def test_numbers_in_the_style_of_apa_have_no_leading_zero():
    analysis, _ = case("ranks")
    plain, apa = (paper_sentence(analysis, number_style=style) for style in ("JMLR", "APA"))

    assert re.sub(r"([pα] [=<>≤] )0\.", r"\1.", plain) == apa
    assert "p < .001" in apa
    assert "95% CI [−0.0245, 0.0710]" in apa  # differences can exceed 1 in other measures
    assert "(α = .05)" in methods_paragraph(analysis, number_style="APA")


def test_the_better_of_two_by_each_measure_has_the_better_mean():
    analysis, _ = case("pair on measures")

    for name, rows in ahead_by_measure(analysis).items():
        for word, measure, best, other in rows:
            key = next(each for each in analysis.measures if measure_name(each) == measure)
            means = analysis.means[key]
            assert (word == "higher") == (analysis.results.direction(key) == "higher")
            assert f"{means[name]:.4f}" == best
            assert f"{means.drop(name).iloc[0]:.4f}" == other


def test_a_headline_and_the_paragraph_of_results_agree_on_the_best():
    analysis, _ = case("ranks")
    best = analysis.friedman.average_ranks.idxmin()

    assert headline(analysis).startswith(f"{best} has the lowest average rank")
    assert f" {best} had the lowest average rank" in describe_results(analysis, None)


def test_settings_that_change_nothing_are_counted():
    table = sensitivity(case("two")[0])
    unchanged = len(table) - table["changed"].sum() - table["refused"].sum()

    assert f"{unchanged} " in describe_unchanged(table)


def test_the_rule_of_an_order_names_whose_order_it_is():
    analysis, _ = case("ranks with folds, order")
    small = analysis.results.select(
        datasets=analysis.results.datasets[:3], algorithms=("C4.5", "Multivariate tree")
    )

    assert "the cheapest algorithm" in describe_rule(order_of(small))
    assert "the first algorithm of your order" in describe_rule(
        order_of(small, rules=OrderRules(prior=("Multivariate tree", "C4.5")))
    )


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize("n_sets", [1, 12])
@pytest.mark.parametrize("names", ["ab", "ba"])
def test_the_sign_of_a_difference_agrees_with_the_sentence(names, n_sets, measure):
    rng, sign = np.random.default_rng(4), 1 if measure == "accuracy" else -1
    rows = [
        (f"d{place}", name, fold, 0.5 + 0.1 * sign * (name == "b") + 0.01 * rng.normal())
        for place in range(n_sets)
        for fold in range(1, 11)
        for name in names
    ]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", measure])
    found = analyse(
        Results.from_frame(table, directions={measure: "higher" if sign > 0 else "lower"})
    )
    said = verdict(found)

    assert said.headline.startswith("b is significantly better than a")
    minus = MINUS if sign < 0 else ""
    for text in (said.size, paper_sentence(found)):
        assert re.search(rf"b {MINUS} a(: |, was ){minus}0\.", text), text
