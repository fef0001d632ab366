"""Comparisons of few items, drawn at random: all that is said must agree, whatever the design."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import foldwise as fw
from stats_core.core.errors import FoldwiseError
from stats_core.inference.rank_intervals import paired_moments, rank_intervals
from stats_core.report import methods_text, paper_sentence

MODELS = ["A", "B", "C"]
UNCLEAR = re.compile(r"\bnan\b|\binf\b|\{\{|[−-]0\.0+\b(?!\d)", re.IGNORECASE)
SHAPES = {  # clusters, numbers of items of each benchmark, runs, answers to each item
    "items": ("", (6,), 1, 1),
    "two items": ("", (2,), 1, 1),
    "one cluster": ("one", (8,), 1, 1),
    "giant cluster": ("giant", (12,), 1, 1),
    "clusters": ("pairs", (14,), 1, 1),
    "clusters and answers": ("pairs", (12,), 1, 2),
    "answers": ("", (7,), 1, 3),
    "runs": ("", (6,), 2, 1),
    "benchmarks": ("", (5, 3), 1, 1),
    "benchmark of one item": ("", (6, 1), 1, 1),
    "benchmarks and clusters": ("pairs", (6, 8), 1, 1),
}


def table(shape, outcome, seed=0):
    """Return results of three models, one row per answer."""
    clusters, sizes, runs, answers = SHAPES[shape]
    rng, rows = np.random.default_rng(seed), []
    for number, n in enumerate(sizes):
        for item in range(n):
            level = rng.integers(5) / 10
            of = {"one": 0, "giant": max(item - n // 2, 0), "pairs": item // 2}.get(clusters)
            for place, model in enumerate(MODELS):
                for answer in range(runs * answers):
                    row = {"item": f"q{item:02}", "model": model}
                    if len(sizes) > 1:
                        row["dataset"] = f"bench{number}"
                    if clusters:
                        row["document"] = f"doc{number}_{of}"
                    if runs > 1:
                        row["seed"] = answer
                    elif answers > 1:
                        row["epoch"] = answer
                    row["score"] = {
                        "constant": level + 0.2 * (2 - place),
                        "tied": rng.integers(3) / 2,
                        "random": rng.random(),
                        "same": level,
                        "one differs": 1.0 if place == item == 0 else level,
                        "right": float(rng.random() < 0.9 - 0.3 * place),
                    }[outcome]
                    rows.append(row)
    return pd.DataFrame(rows)


def compared(frame, **options):
    """Return the comparison, None if it is refused, with warnings as errors."""
    if frame["score"].isin([0, 1]).all():
        options["measure"], frame = "accuracy", frame.rename(columns={"score": "accuracy"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return fw.compare(
                frame, **{"measure": "score", "higher_is_better": True, "rows": "items"} | options
            )
        except FoldwiseError:
            return None


def by_pair(pairs, names=None):
    """Return estimate, p and adjusted p of each pair of names in alphabetic order."""
    found = {}
    for first, second, *numbers in pairs[
        ["first", "second", "estimate", "p", "p_adjusted"]
    ].itertuples(index=False):
        one, other = ((names or {}).get(name, name) for name in (first, second))
        sign = 1 if one < other else -1
        found[frozenset((one, other))] = [sign * numbers[0], *numbers[1:]]
    return found


def check_pair(row, alpha, beats):
    estimate, low, high = row["estimate"], row["ci_low"], row["ci_high"]
    assert 0 <= row["p"] <= row["p_adjusted"] + 1e-12 <= 1 + 1e-12
    assert row["significant"] == (row["p_adjusted"] <= alpha)
    assert np.isnan(low) == np.isnan(high)
    if not np.isnan(low):
        assert low - 1e-12 <= estimate <= high + 1e-12
        assert (low > 0 or high < 0) == row["significant"]
    if row["significant"]:
        better, worse = ("first", "second") if estimate > 0 else ("second", "first")
        assert beats.loc[row[better], row[worse]]


@pytest.mark.parametrize("outcome", ["constant", "tied", "random", "same", "one differs", "right"])
@pytest.mark.parametrize("shape", SHAPES)
def test_pairs_groups_and_sentences_agree(shape, outcome):
    shown = compared(table(shape, outcome))
    if shown is None:
        return
    pairs, c = shown.pairs, shown.comparison
    for _, row in pairs.iterrows():
        check_pair(row, 0.05, c.beats)
    differ = {
        frozenset(pair) for pair in pairs.loc[pairs["significant"], ["first", "second"]].values
    }
    for first, second in pairs[["first", "second"]].values:
        together = any({first, second} <= set(group) for group in shown.groups)
        assert together != (frozenset((first, second)) in differ)
    said = str(shown.verdict.headline)
    if not differ:
        assert not re.search("is significantly|are significantly", said)
    if len(pairs) and not c.obstacle:
        assert pairs["p_adjusted"].min() >= c.least.pvalue - 1e-12
    for text in (
        repr(shown),
        shown.summary(),
        fw.to_text(c),
        paper_sentence.results_paragraph(c),
        methods_text.methods_paragraph(c),
    ):
        assert not UNCLEAR.search(str(text))


UNITS = {  # instances or clusters of each shape on one test set
    "items": 6,
    "two items": 2,
    "one cluster": 8,
    "giant cluster": 6,
    "clusters": 7,
    "clusters and answers": 6,
    "answers": 7,
    "runs": 6,
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("shape", UNITS)
def test_constant_differences_have_the_p_of_sign_flips_in_every_design(shape, k):
    frame = table(shape, "constant")
    shown = compared(frame[frame["model"].isin(MODELS[:k])])
    least = 2 / 2 ** UNITS[shape]
    assert shown.pairs["p"].tolist() == pytest.approx([least] * (k * (k - 1) // 2))
    significant = shown.pairs["significant"].tolist()
    assert significant == (shown.pairs["p_adjusted"] <= 0.05).tolist()
    assert any(significant) == (least * (1 if k == 2 else 3) <= 0.05)
    assert "80% power" not in str(shown.verdict.detail)  # nothing varies


@pytest.mark.parametrize("outcome", ["tied", "right"])
@pytest.mark.parametrize("shape", SHAPES)
def test_neither_names_nor_the_order_of_rows_nor_the_level_change_pairs(shape, outcome):
    frame = table(shape, outcome, seed=3)
    shown = compared(frame)
    if shown is None:
        return
    expected = by_pair(shown.pairs)
    others = dict(zip(MODELS, "zyx", strict=True))
    renamed = compared(frame.assign(model=frame["model"].map(others)))
    shuffled = compared(frame.sample(frac=1, random_state=1))
    back = {new: old for old, new in others.items()}
    for found in (by_pair(renamed.pairs, back), by_pair(shuffled.pairs)):
        assert found.keys() == expected.keys()
        for pair, numbers in expected.items():
            np.testing.assert_allclose(found[pair], numbers, atol=1e-9)
    at = {alpha: compared(frame, alpha=alpha).pairs for alpha in (0.05, 0.2)}
    sets = [
        {frozenset(pair) for pair in rows.loc[rows["significant"], ["first", "second"]].values}
        for rows in at.values()
    ]
    assert sets[0] <= sets[1]


@pytest.mark.parametrize("runs", [2, 3])
def test_intervals_of_accuracies_over_few_runs_lie_within_their_range(runs):
    rng = np.random.default_rng(runs)
    rows = [
        (f"q{item}", model, run, int(rng.random() < 0.2 + 0.3 * run * (model == "A")))
        for item in range(30)
        for model in "AB"
        for run in range(runs)
    ]
    frame = pd.DataFrame(rows, columns=["item", "model", "seed", "accuracy"])
    (row,) = fw.compare(frame, rows="items").pairs.to_dict("records")
    assert -1 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1


@pytest.mark.parametrize("column", ["epoch", "seed"])
@pytest.mark.parametrize("n", [2, 3, 5, 6])
def test_nearly_constant_differences_of_few_items_are_no_evidence(column, n):
    rows = [
        (f"q{item}", model, run, 0.1 * item + 0.5 * (model == "A") + 1e-3 * (item == run == 0))
        for item in range(n)
        for model in "AB"
        for run in range(3)
    ]
    rows = [(*row[:3], row[3] * (1.001 if row[1] == "A" else 1)) for row in rows]
    frame = pd.DataFrame(rows, columns=["item", "model", column, "score"])
    shown = fw.compare(frame, measure="score", higher_is_better=True, rows="items")
    (row,) = shown.pairs.to_dict("records")
    assert row["p"] >= 2 / 2**n  # of sign flips, as without repetitions
    assert row["significant"] == (n >= 6) == (row["ci_low"] > 0)
    assert ("too few" in str(shown.verdict.headline)) == (n < 6)


def test_constant_differences_in_strata_have_degrees_of_freedom():
    level = np.array([0.37, 0.11, 0.93, 0.55, 0.29, 0.71, 0.13, 0.47, 0.83, 0.61])
    scores = pd.DataFrame({name: level * 0.5 + 0.1 * k for k, name in enumerate("abcd")}).round(3)
    strata = [0] * 4 + [1] * 6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rank_intervals(scores, higher_is_better=True, strata=strata)
    moments = paired_moments(scores, strata=strata)
    constant = ~np.eye(4, dtype=bool) & (moments.variances == 0)
    assert constant.any()
    assert set(moments.df[constant]) == {8.0}  # 10 items less 2 strata
    assert (found.pvalues.to_numpy() >= 0).all()


def test_items_that_a_model_lacks_are_named_without_a_fold():
    frame = table("benchmarks", "tied").drop(index=4)
    with pytest.raises(FoldwiseError, match="bench0: All algorithms need the same test instances"):
        fw.compare(frame, measure="score", higher_is_better=True, rows="items")
