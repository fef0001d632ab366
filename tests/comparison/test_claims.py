"""Tests of the claims about pairs that differ significantly, and of the effects given with them."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.core.formatting import p_text
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.paper_sentence import copied_sentence, paper_sentence
from stats_core.report.verdict import verdict
from tests.samples import shipped


def over_data_sets(levels, *, n=24, spread=0.3, seed=3):
    """Return errors of algorithms with the given means, with noise on each of `n` data sets."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=(n, 1))
    values = hard + np.array(list(levels.values())) + spread * rng.normal(size=(n, len(levels)))
    table = pd.DataFrame(values, columns=list(levels))
    table["dataset"] = [f"d{place:02}" for place in range(n)]
    long = table.melt("dataset", var_name="algorithm", value_name="error")
    return Results.from_frame(long, directions={"error": "lower"})


@pytest.mark.parametrize(
    ("levels", "claim", "headline"),
    [
        (
            {"a": 0, "b": 2, "c": 2, "d": 2},
            "leads",
            "a is significantly better than d, c and b in error over 24 data sets.",
        ),
        ({"a": 0, "b": 0, "c": 2, "d": 2, "e": 2}, "leads", " in error over 24 data sets."),
        ({"a": 0, "b": 0, "c": 0, "d": 0, "nb": 2}, "behind", " in error over 24 data sets."),
        (
            {"a": 0, "b": 0, "c": 0, "d": 2, "e": 2},
            "behind",
            " worse than b, a and c in error over 24 data sets.",
        ),
    ],
)
def test_who_stands_out(levels, claim, headline):
    comparison = analyse(over_data_sets(levels), Settings(correction="holm"))

    assert decide(comparison).claim == claim
    assert verdict(comparison).headline.endswith(headline)


def test_pairs_that_differ_stand_in_the_order_of_their_table():
    analysis = analyse(over_data_sets({"a": 0, "b": 0.4, "c": 0.8, "d": 3}, n=12))
    adjusted = analysis.adjusted * 0 + 0.01  # all alike: the raw p decides
    tied = replace(analysis, adjusted=adjusted)

    rows = tied.pairs.decisions
    assert rows["p"].is_monotonic_increasing
    assert tied.pairs.differing == list(zip(rows["first"], rows["second"], strict=True))


def test_half_of_them_do_not_lead():
    found = decide(analyse(over_data_sets({"a": 0, "b": 0, "c": 2, "d": 2})))

    assert len(found.ahead) == 2
    assert found.claim == "best"


def test_a_leader_is_separated_from_every_other():
    for seed in range(20):
        comparison = analyse(
            over_data_sets({"a": 0, "b": 0.2, "c": 0.3, "d": 0.5, "e": 0.6}, seed=seed)
        )
        found = decide(comparison)
        if found.claim == "leads":
            rest = [name for name in comparison.order if name not in found.ahead]
            assert 2 * len(found.ahead) < 5
            assert comparison.beats.loc[list(found.ahead), rest].to_numpy().all()
        if found.claim == "few":
            said = verdict(comparison).headline
            assert all(a in said and b in said for a, b in found.apart)
            assert " significantly better than " in said


def test_what_is_not_separated_is_so_at_this_level_and_not_equal():
    said = verdict(analyse(over_data_sets({"a": 0, "b": 0, "c": 0}, seed=1)))

    assert (
        said.headline
        == "No two of the 3 algorithms differ significantly in error over 24 data sets."
    )
    assert re.search(r"95% CI \[−0\.\d+, 0\.\d+\], adjusted p = 0\.\d+\.", said.size)


def test_the_size_stands_beside_the_claim_and_agrees_with_it():
    comparison = analyse(over_data_sets({"a": 0, "b": 2, "c": 2, "d": 2}))
    found, pairs = decide(comparison), comparison.pairs.frame
    first, second = found.size
    row = pairs[pairs["first"].isin(found.size) & pairs["second"].isin(found.size)].iloc[0]

    assert (first, row["separated"]) == ("a", True)
    assert f"Hodges-Lehmann estimate, a − {second}: " in verdict(comparison).detail
    assert not row["low"] <= 0 <= row["high"]


def test_the_sentence_of_a_paper_names_all_and_the_copied_one_has_the_test_without_the_omnibus_test():
    levels = {f"method_{place}": 0 for place in range(7)} | {"worst": 3}
    comparison = analyse(over_data_sets(levels))
    said, copied = paper_sentence(comparison), copied_sentence(comparison)

    assert said.startswith(
        "Over 24 data sets, worst (average rank 8.00) was significantly worse than the other seven algorithms in "
        "error (adjusted p < 0.001). "
    )
    assert (
        "Overall, 7 of 28 pairs differed significantly (Iman-Davenport test, F(7, 161) = " in said
    )
    assert "α = 0.05)." in said
    assert copied.startswith(said.partition(" (adjusted p")[0])
    assert copied.endswith(", Wilcoxon signed-rank tests with Bergmann-Hommel adjustment).")
    assert "Iman-Davenport" not in copied


@pytest.mark.parametrize(
    "name",
    ["two_models.csv", "graded.csv", "demsar_2006_auc.csv", "garcia_herrera_2008_accuracy.csv"],
)
def test_a_copied_sentence_has_claim_interval_p_and_test_in_60_words(name):
    comparison = analyse(shipped(name))
    said = copied_sentence(comparison)

    assert len(said.split()) <= 60
    assert f"({comparison.counted})" in said or f"Over {comparison.counted}, " in said
    assert re.search(r"95% CI \[.+\]", said)
    assert re.search(r"\bp [=<] 0\.", said)
    assert comparison.test_name in said
    assert not any(str(note) in said for note in comparison.notes)


def test_a_pvalue_of_several_pairs_is_that_of_the_table():
    comparison = analyse(shipped("graded.csv"))
    rows = comparison.pairs.frame
    first = comparison.order[0]
    largest = rows.loc[(rows["first"] == first) | (rows["second"] == first), "p adjusted"].max()

    assert f"largest adjusted p = {p_text(largest)})" in paper_sentence(comparison)


def test_the_reported_difference_is_one_from_the_best():
    """The figures show the differences from the first in order: "c is worse than a and b" reports a and c."""
    values = np.random.default_rng(4).normal(size=(20, 3)) * 0.01
    scores = pd.DataFrame(values + [0.901, 0.9, 0.7], columns=list("abc"))
    scores.index = pd.Index([f"d{i}" for i in range(20)], name="dataset")
    c = analyse(
        Results.from_frame(
            scores.stack().rename("accuracy").rename_axis(["dataset", "algorithm"]).reset_index()
        )
    )
    decision = decide(c)

    assert decision.claim == "behind"
    assert decision.size == (c.order[0], "c")
