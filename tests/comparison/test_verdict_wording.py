"""Regression tests of sentences that claimed more than their tables support."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from foldwise.figures.spec import figure_text
from stats_core.comparison.analyse import analyse
from stats_core.core.formatting import join_names
from stats_core.core.messages import IN_PAPER, TO_USER, message
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.claim_phrases import PAST, PRESENT, describe_pairs
from stats_core.report.effect_text import describe_equivalence_counts
from stats_core.report.paper_sentence import paper_sentence, results_paragraph
from stats_core.report.tables.order_tables import tables_of_order
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import among_all, describe_scope, verdict
from tests.report.report_cases import case
from tests.samples import shipped


def test_an_interval_of_an_area_is_about_cases_and_the_folds_about_training():
    assert "cautious" not in figure_text("auc_histogram.how_to_read_areas", unit="fold")
    assert "The two widths need not agree" in figure_text(
        "auc_histogram.how_to_read_areas", unit="fold"
    )


def test_friedman_over_folds_says_that_it_takes_them_as_independent():
    (overlapping,) = tables_of(case("folds, order")[0], "anova")[:1]
    (by_wilcoxon,) = tables_of(case("folds by Wilcoxon")[0], "anova")[:1]

    assert "Friedman test over folds, which are assumed independent: " in overlapping.caption
    assert "is based on the Friedman test. " in by_wilcoxon.caption


def test_p_values_that_are_not_adjusted_are_not_called_so():
    (table,) = tables_of(case("ranks unadjusted")[0], "pairs")

    assert "adjusted p" not in table.frame
    assert "unadjusted p ≤ 0.01" in table.caption
    assert any(table.best.values())  # still bold where the pair differs


def test_the_size_is_named_as_what_it_is():
    said = verdict(case("present by sign test")[0])

    assert said.size.startswith("Median difference in error, a − b: ")


def test_a_typed_order_knows_no_cost():
    results = shipped("twoclass_counts.csv")
    prior = OrderRules(prior=results.algorithms[::-1])
    found = order_of(results, Settings(measure="error", dataset="pima"), prior)
    captions = " ".join(table.caption for table in tables_of_order(found))

    assert (
        "the first algorithm of your order that is not significantly worse than a later" in captions
    )
    assert "cost" not in captions.replace("your order", "")


def test_wins_on_common_test_sets_say_so():
    assert "Each win refers to one test set." in verdict(case("wins")[0]).numbers
    assert "Each win refers to one test set." not in verdict(case("wins limited")[0]).numbers


def test_a_paper_names_everybody_whose_results_are_not_normal():
    names = tuple("abcdef")

    assert "a, b, c and 3 others" in message("not normal together", names=names).said(TO_USER)
    assert "a, b, c, d, e and f" in message("not normal together", names=names).said(IN_PAPER)


def test_a_pair_with_missing_results_has_the_verdict_of_its_family():
    rng = np.random.default_rng(0)
    names, datasets = [*"abcd"], [f"d{i}" for i in range(20)]
    table = pd.DataFrame(
        {
            "dataset": np.repeat(datasets, 4),
            "algorithm": names * 20,
            "accuracy": rng.normal(0.8, 0.02, 80) + np.tile([0, 0.01, 0.02, 0.05], 20),
        }
    )
    table.loc[[3, 17, 30, 41], "accuracy"] = np.nan
    results = Results.from_frame(table, directions={"accuracy": "higher"})
    present = results.resolve("present", "accuracy")
    every = analyse(present, Settings(measure="accuracy"))
    for pair in combinations(names, 2):
        own = analyse(present, Settings(measure="accuracy", pair=pair))
        words = among_all(own, every)
        tested = every.pairs.decisions
        row = tested[tested["first"].isin(pair) & tested["second"].isin(pair)].iloc[0]
        adjusted = f"{row['p adjusted']:.3f}"
        assert (adjusted if row["p adjusted"] >= 0.001 else "p < 0.001") in f"{words.detail}"
        assert f"over {own.counted}" in words.headline


@pytest.mark.parametrize("form", ["marks", "scores", "labels"])
@pytest.mark.parametrize(
    ("names", "begins", "rest"),
    [
        (("a", "b"), "The model a has", "than the model b on"),
        (("Model A", "Model B"), "Model A has", "than Model B on"),
        (("supermodel", "b"), "supermodel has", "than b on"),
    ],
)
def test_a_noun_is_not_written_before_a_name_that_contains_it(form, names, begins, rest):
    rng = np.random.default_rng(2)
    parts = []
    for name, share in zip(names, (0.95, 0.4), strict=True):
        table = pd.DataFrame({"item": range(80), "model": name})
        right = rng.random(80) < share
        if form == "marks":
            table["correct"] = right.astype(int)
        elif form == "scores":
            table["f1"] = np.where(right, 0.8, 0.2) + rng.random(80) / 10
        else:
            table = table.assign(true=table["item"] % 2)
            table["predicted"] = np.where(right, table["true"], 1 - table["true"])
        parts.append(table)

    headline = fw.compare(pd.concat(parts), rows="items").verdict.headline

    assert str(headline).startswith(begins)
    assert rest in str(headline)


def test_control_is_not_written_before_a_control_of_that_name():
    scores = pd.DataFrame(np.random.default_rng(1).random((12, 4)), columns=["Control", *"abc"])
    found = fw.compare(scores, measure="accuracy", control="Control", rows="data sets")

    told = " ".join([str(found.verdict.detail), results_paragraph(found.comparison)])
    assert "control Control" not in told
    assert "Control has average rank" in told


@pytest.mark.parametrize("design", ["benchmarks", "items", "data sets", "folds", "runs"])
def test_a_pair_is_compared_where_all_pairs_are(design):
    """The verdict on a pair among all pairs names the units of the headline on all pairs."""
    rng = np.random.default_rng(0)
    n, key = {"data sets": (20, "dataset"), "folds": (10, "fold")}.get(design, (48, "item"))
    parts = []
    for name, share in zip("abc", (0.9, 0.4, 0.3), strict=True):
        for group in range(3 if design in ("benchmarks", "runs") else 1):
            right = (rng.random(n) < share).astype(float)
            table = pd.DataFrame({key: [f"{key}{i}" for i in range(n)], "model": name})
            column = {"benchmarks": "benchmark", "runs": "seed"}.get(design)
            if column:
                table[column] = f"x{group}" if column == "benchmark" else group
            if design == "benchmarks":
                table[key] += f" of {group}"
            if key != "item":
                table["accuracy"] = (0.5 + right / 4 + rng.random(n) / 5).round(4)
            else:
                table["correct"] = right.astype(int)
            parts.append(table)
    shown = fw.compare(pd.concat(parts, ignore_index=True))
    every = shown.comparison
    own = analyse(every.results, Settings(measure="accuracy", pair=("a", "b")))

    where = {
        "benchmarks": "over all 144 instances of these 3 benchmarks",
        "items": "on the test set",
        "data sets": "over 20 data sets",
    }.get(design, " on ")
    in_family = among_all(own, every)
    assert where in str(shown.verdict.headline)
    assert where in in_family.headline
    assert describe_scope(own) in in_family.headline


@pytest.mark.parametrize(
    ("pairs", "better", "clauses"),
    [
        (["ac", "bc"], ["ac", "bc"], "a and b are significantly better than c"),
        (["ab", "ac"], ["ab", "ac"], "a is significantly better than b and c"),
        (
            ["ab", "bc"],
            ["ab", "bc"],
            "a is significantly better than b and b is significantly better than c",
        ),
        (
            ["ac", "ab", "bc"],
            ["ac", "ab", "bc"],
            "a is significantly better than c and b, and b is significantly better than c",
        ),
        (["ba"], [], "b differs significantly from a"),
        (["ab", "bc"], [], "b differs significantly from a and c"),
        (["ab", "bc"], ["ab"], "b differs significantly from a and c"),
        (
            ["ab", "cd"],
            ["ab"],
            "a is significantly better than b and c differs significantly from d",
        ),
    ],
)
def test_pairs_that_differ_are_named_with_every_known_direction(pairs, better, clauses):
    names = [*"abcd"]
    beats = pd.DataFrame(False, index=names, columns=names)
    for a, b in better:
        beats.loc[a, b] = True
    comparison, pairs = SimpleNamespace(beats=beats), [tuple(pair) for pair in pairs]

    present, past = (
        describe_pairs(comparison, pairs, tense, lambda listed, _: join_names(listed))
        for tense in (PRESENT, PAST)
    )
    assert present == clauses
    assert past == clauses.replace("is ", "was ").replace("are ", "were ").replace("rs ", "red ")


@pytest.mark.parametrize(
    ("results", "counted"),
    [
        (["better", "equivalent", "not known"], "Of 3 pairs, 1 differs by more than 0.02, 1 is equivalent within ±0.02, and the equivalence test is inconclusive for 1."),
        (["worse", "better", "equivalent"], "Of 3 pairs, 2 differ by more than 0.02, and 1 is equivalent within ±0.02."),
        (["equivalent"] * 3, "All 3 pairs are equivalent within ±0.02."),
        (["better", "worse"], "Both pairs differ by more than 0.02."),
    ],
)  # fmt: skip
def test_pairs_within_a_margin_are_counted_without_zeros(results, counted):
    assert describe_equivalence_counts(results, "0.02") == counted


def test_many_pairs_that_differ_in_wins_are_named_once():
    cells = {(a, b): "20/0/0" if a < b else "0/0/20" for a in "abcd" for b in "abcd" if a != b}
    rows = [",".join([a, *(cells.get((a, b), "") for b in "abcd")]) for a in "abcd"]
    table = "\n".join(["row beats column,a,b,c,d", *rows])
    paragraph = results_paragraph(analyse(read_results(("wins.csv", table.encode()))))

    assert "a was significantly better than b, c and d in wins" in paragraph
    for worse in ("c (adjusted", "d (adjusted"):
        assert paragraph.count(f"b was significantly better than {worse}") <= 1
    assert paragraph.count("a was significantly better") == 1
    assert "won significantly" not in paragraph


def test_a_single_comparison_with_a_control_has_its_values_and_test():
    rng = np.random.default_rng(0)
    right = rng.random((60, 2)) < (0.9, 0.5)
    table = pd.DataFrame(right.astype(int), columns=["a", "b"])
    long = table.rename_axis("item").reset_index().melt("item", var_name="model")
    found = fw.compare(long.rename(columns={"value": "correct"}), rows="items", control="b")
    said = paper_sentence(found.comparison)

    assert found.comparison.test_name in said
    assert "None of 1" not in found.verdict.headline
    assert "1 of 1" not in found.verdict.detail
