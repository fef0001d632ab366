"""Tests that texts cite another comparison only if it has the same scope."""

import re
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.conclusion_scope import (
    may_cite,
    pairwise_comparison,
    pairwise_settings,
    scope_of,
)
from stats_core.comparison.decide import decide
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import p_phrase
from stats_core.data.costs import cost_columns
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.multiplicity.adjust import CORRECTIONS, adjust_pairs
from stats_core.ordering.order import OrderRules, order_of
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.order_text import describe_costs, order_verdict
from stats_core.report.paper_sentence import results_paragraph
from stats_core.report.verdict import among_all, describe_scope, if_chosen_beforehand, verdict
from tests.report.report_cases import KINDS as CASES
from tests.report.report_cases import case
from tests.samples import shipped

FOLDS, COUNTS = "uci38_5x2.csv", "twoclass_counts.csv"


def made(seed, n_sets=12, k=4, folds=10):
    """Return errors on folds with random effects, or none if `seed` is a multiple of 3, and costs."""
    rng = np.random.default_rng(seed)
    effects = 0.03 * rng.normal(size=k) * (seed % 3)
    rows = [
        (f"d{i}", f"a{j}", fold, 0.3 + effects[j] + 0.01 * rng.normal(), 10.0 * j + rng.random())
        for i, j, fold in product(range(n_sets), range(k), range(folds))
    ]
    names = ["dataset", "algorithm", "fold", "error", "train_s"]
    return Results.from_frame(pd.DataFrame(rows, columns=names), costs=["train_s"])


# -- orders ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def subset():
    """Results of four data sets of the sample, for fast tests."""
    results = shipped(FOLDS)
    return results.select(datasets=["ringnorm", "pima", "iris", "glass"])


def comparisons(results):
    """Yield comparisons of different scopes: other data sets, algorithms, measures, levels, tests, a pair."""
    yield analyse(results)
    yield analyse(results, Settings(alpha=0.2))
    yield analyse(results, Settings(measure=results.measures[1]))
    yield analyse(results, Settings(without_datasets=("iris",)))
    yield analyse(results, Settings(without_algorithms=("Multivariate tree",)))
    for name in ("ringnorm", "pima"):
        yield analyse(results, Settings(dataset=name))
    yield analyse(results, Settings(dataset="ringnorm", test="Tukey"))
    yield analyse(results, Settings(pair=("SVM (degree 2)", "Multivariate tree")))


def test_an_order_cites_no_comparison_of_another_scope(subset):
    orders = [
        order_of(subset),
        order_of(subset, Settings(alpha=0.2)),
        order_of(subset.select(datasets=["ringnorm"])),
        order_of(subset, Settings(without_algorithms=("Multivariate tree",))),
        order_of(subset, rules=OrderRules(theta=None, prior=tuple(subset.algorithms))),
    ]
    cited = 0
    for order, beside in product(orders, comparisons(subset)):
        alone, said = order_verdict(order).sentences, order_verdict(order, beside).sentences
        if scope_of(order) == scope_of(beside):
            cited += said != alone
        else:
            assert said == alone
        if said != alone:
            assert describe_scope(beside) in said
            assert beside.test_name in said
    assert cited  # some orders have something to cite


def test_an_order_on_one_data_set_cites_no_test_over_data_sets():
    """Regression test: the test over 38 data sets was cited for a single data set."""
    results = shipped(FOLDS)
    over = analyse(results)
    order = order_of(results.select(datasets=["ringnorm"]))

    assert "38 data sets" not in order_verdict(order, over).sentences
    assert may_cite(order, pairwise_comparison(order, over))
    assert pairwise_comparison(order, over).results.datasets == ("ringnorm",)


def headlines(order):
    """Return the short and the full headline of an order, and its paragraph for a paper."""
    said = order_verdict(order, pairwise_comparison(order))
    return said.headline, said.full, results_paragraph(analyse(order.results), order)


def check(order):
    """Check that headlines name the cost, and algorithms significantly better than the first; return whether any is."""
    beside, names = pairwise_comparison(order), order.ordering.order
    worse = []
    if beside is not None:
        pairs = beside.pairs.frame
        differ = pairs[pairs["separated"].astype(bool) & pairs["estimate"].notna()]
        worse = [
            {a, b} - {names[0]}
            for a, b in zip(differ["first"], differ["second"], strict=True)
            if names[0] in (a, b) and beside.beats.loc[b if a == names[0] else a, names[0]]
        ]
    for said in headlines(order):
        assert re.search(f"[Oo]rdered by {describe_costs(order.rules)}, ", said)
        assert bool(
            re.search(f"{re.escape(names[0])} (is|was) significantly worse than", said)
        ) == bool(worse)
    return bool(worse)


@pytest.mark.parametrize("sample", [FOLDS, COUNTS, "thesis_counts.csv"])
def test_the_headline_of_an_order_names_its_cost_and_who_is_better_than_the_first(sample):
    results = shipped(sample)
    small = results.select(datasets=results.datasets[:5], algorithms=results.algorithms[:4])
    for cost in cost_columns(small)[:3]:
        check(order_of(small, rules=OrderRules(cost=cost)))
        check(order_of(small.select(datasets=small.datasets[:1]), rules=OrderRules(cost=cost)))


def test_on_made_tables_the_headline_says_whenever_the_first_is_significantly_worse():
    """Headlines are compared with the table of pairs, over data sets and on one data set."""
    found = []
    for seed in range(5):
        results = made(seed, n_sets=8, k=4)
        found.append(check(order_of(results)))
        found.append(check(order_of(results.select(datasets=["d0"]))))
    assert {*found} == {True, False}  # both happen


def test_data_sets_that_an_order_skips_are_left_out_of_what_it_cites():
    results = made(2, n_sets=6)
    frame = results.frame.copy()
    frame.loc[(frame["dataset"] == "d0") & (frame["fold"] == "1"), "error"] = np.nan
    holed = Results.from_frame(frame, costs=["train_s"])
    order = order_of(holed)

    assert "d0" in order.skipped
    beside = pairwise_comparison(order)
    assert set(beside.results.datasets) == {*holed.datasets} - {"d0"}
    assert pairwise_settings(order, Settings()).without_datasets == ("d0",)


# -- pairs -------------------------------------------------------------------------------------

FAMILIES = [
    name for name, (_, settings) in CASES.items() if not settings.pair and name != "one algorithm"
]


def own_of(every, pair):
    """Return the comparison of a pair alone, None if it is refused."""
    settings = every.settings
    try:
        return analyse(
            every.results,
            Settings(
                measure=settings.measure,
                alpha=settings.alpha,
                measures=settings.measures,
                dataset=settings.dataset,
                pair=pair,
            ),
        )
    except FoldwiseError:
        return None


@pytest.mark.parametrize("name", FAMILIES)
def test_a_pair_of_a_family_has_the_verdict_of_the_family_and_no_other(name):
    every = case(name)[0]
    rows = every.pairs.decisions.head(6)
    for row in rows.to_dict("records"):
        own = own_of(every, (row["first"], row["second"]))
        if own is None or own.kind == every.kind == "untested":
            continue
        said = among_all(own, every)
        if said is None:
            assert not may_cite(own, every, naming=["algorithms"])
            continue
        if not np.isnan(row["p adjusted"]):
            assert p_phrase(row["p adjusted"], every.settings.alpha) in said.sentences
        assert ("not differ significantly" in said.headline) == (not row["separated"])
        assert describe_scope(own) in said.headline
        beside = str(said.notes[0])
        minuend = rf", {re.escape(own.pairs.decisions['first'].iloc[0])} \u2212 "
        assert re.search(minuend, said.size) or not re.search(", .+ \u2212 .+: ", said.size)
        assert beside == if_chosen_beforehand(own)
        assert beside.startswith("If the pair was chosen beforehand, no adjustment is needed")
        if decide(own).apart:  # its own claim is not repeated beside that of the family
            assert verdict(own).headline not in said.sentences.removeprefix(said.headline)


def test_a_pair_of_other_results_has_no_family(subset):
    own = analyse(subset, Settings(pair=("SVM (degree 2)", "Multivariate tree"), dataset="pima"))
    others = [one for one in comparisons(subset) if one.results.datasets != ("pima",)]

    assert len(others) > 3
    assert all(among_all(own, every) is None for every in others)
    assert among_all(own, analyse(subset, Settings(dataset="pima"))) is not None


# -- names of corrections ----------------------------------------------------------------------


def corrections_in(words):
    """Return the names of corrections in a text, without "none"; "Bergmann-Hommel" does not count as Hommel."""
    words = words.replace("Bergmann and Hommel", "Bergmann-Hommel")
    found = re.findall("|".join(sorted(CORRECTIONS.values(), key=len, reverse=True)), words)
    return {*found} - {"none"}


def wide(k, n=20):
    """Return random errors of k algorithms on n data sets."""
    rng = np.random.default_rng(k)
    scores = 0.02 * np.arange(k) + 0.02 * rng.normal(size=(n, k))
    rows = [(f"d{i}", f"a{j:03}", value) for (i, j), value in np.ndenumerate(scores)]
    return Results.from_frame(pd.DataFrame(rows, columns=["dataset", "algorithm", "error"]))


@pytest.mark.parametrize("k", [3, 8, 30, 31, 40])
@pytest.mark.parametrize("source", ["", "ranks", "sign"])
def test_the_correction_named_is_the_one_behind_the_p_values(k, source):
    """Expected p-values are computed from the unadjusted ones in the table."""
    found = analyse(wide(k), Settings(source=source))
    pairs, names = found.pairs.frame, list(found.order)
    raw = pd.DataFrame(1.0, index=names, columns=names)
    for row in pairs.to_dict("records"):
        raw.loc[row["first"], row["second"]] = raw.loc[row["second"], row["first"]] = row["p"]
    (name,) = corrections_in(found.test_name)
    key = next(key for key, words in CORRECTIONS.items() if words == name)
    ranks = found.friedman.average_ranks if source == "ranks" else None
    adjusted = adjust_pairs(raw, key, average_ranks=ranks)
    expected = [adjusted.loc[a, b] for a, b in zip(pairs["first"], pairs["second"], strict=True)]
    np.testing.assert_allclose(pairs["p adjusted"], expected, rtol=1e-9)
    said = methods_paragraph(found)
    unfinished = re.search(r" The (\S+) procedure did not finish within [\d,]+ steps\.", said)
    if unfinished:  # the recommended one, which is therefore replaced
        assert unfinished[1] == "Bergmann-Hommel"
        said = said.replace(unfinished[0], "")
    assert corrections_in(said) == {name}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_methods_name_the_correction_that_the_sidebar_names(name):
    comparison = case(name)[0]
    named = corrections_in(comparison.test_name)

    assert len(named) < 2
    assert named <= corrections_in(methods_paragraph(comparison))


def test_pairs_are_in_both_orders(subset):
    """The verdict does not depend on which algorithm of a pair is named first."""
    every = analyse(subset)
    for a, b in combinations(subset.algorithms[:3], 2):
        said = [
            among_all(analyse(subset, Settings(pair=pair)), every).headline
            for pair in ((a, b), (b, a))
        ]
        assert len({*said}) == 1
