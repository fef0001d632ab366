"""Each property of the pairwise tests is compared with what the test does."""

from dataclasses import fields, replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards import method_card as cards
from stats_core.comparison.cards.method_card import method_card
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference import fold_pairs, fold_tests, methods, paired
from stats_core.inference.fold_tests import run_pair_test
from stats_core.inference.methods import (
    PAIR_TESTS,
    PAIRED_T,
    Assumption,
    Estimate,
    FoldPair,
    Interval,
    MethodTexts,
    Overlap,
    PairMethod,
    Requires,
    Scale,
    Statistic,
    Unit,
)
from stats_core.inference.multiplicity import adjust
from stats_core.power.detectable import detectable_text
from stats_core.report.analysis_steps import describe_steps
from stats_core.report.tables.fold_tables import every_test
from stats_core.report.verdict import verdict

METHODS = [pytest.param(method, id=key) for key, method in PAIR_TESTS.items()]
ON_RESULTS = [pytest.param(m, id=m.key) for m in PAIR_TESTS.values() if m.unit is Unit.RESULT]


def fold_pair(x, y, design="5x2", test_fraction=0.5, n_instances=40):
    """Return a pair with these results, and with instances of which the two classify some differently."""
    keys = [(str(i // 2), str(i % 2)) for i in range(len(x))]
    index = pd.MultiIndex.from_tuples(keys, names=["repetition", "fold"])
    instances = np.arange(n_instances)
    return FoldPair(
        x=pd.Series(x, index, dtype=float),
        y=pd.Series(y, index, dtype=float),
        measure="error",
        design=design,
        label=design,
        test_fraction=test_fraction,
        correct=pd.DataFrame({"a": instances % 3 > 0, "b": instances % 5 < 4}),
    )


@pytest.fixture
def ten(rng):
    """Return ten paired results of 5 x 2 folds."""
    x = rng.normal(size=10)
    return fold_pair(x, x - rng.normal(0.8, 1, size=10))


# -- the records -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [field.name for field in fields(PairMethod)])
def test_a_test_that_forgets_a_property_is_not_built(name):
    values = {field.name: getattr(PAIRED_T, field.name) for field in fields(PairMethod)}
    assert PairMethod(**values).run is PAIRED_T.run

    del values[name]
    with pytest.raises(TypeError, match=f"'{name}'"):
        PairMethod(**values)


def test_every_record_can_be_requested():
    records = [value for value in vars(methods).values() if isinstance(value, PairMethod)]
    assert set(records) == set(PAIR_TESTS.values())
    assert all(method.key == key for key, method in PAIR_TESTS.items())


def test_every_test_has_texts_and_a_card_of_its_own():
    cards = [method_card(key) for key in PAIR_TESTS]
    assert [card.key for card in cards] == [method.card for method in PAIR_TESTS.values()]
    assert [card.name for card in cards] == [method.name for method in PAIR_TESTS.values()]
    assert len({card.key for card in cards}) == len(PAIR_TESTS)
    assert methods._TEXTS.keys() == PAIR_TESTS.keys()


@pytest.mark.parametrize("statistic", Statistic)
def test_every_statistic_has_a_text_on_its_power(statistic):
    assert detectable_text(f"tests.{statistic.value}", corrected=False).startswith(("Power", "The"))
    assert statistic in {method.statistic for method in PAIR_TESTS.values()}


@pytest.mark.parametrize("method", METHODS)
def test_properties_do_not_contradict_each_other(method):
    """How a test treats overlap is what it assumes, and needs the results for it."""
    dependence = {
        Overlap.CORRECTED: Assumption.BOUNDED_CORRELATION,
        Overlap.IGNORED: Assumption.INDEPENDENT_RESULTS,
        Overlap.BY_DESIGN: Assumption.INDEPENDENT_HALVES,
        Overlap.ABSENT: Assumption.INDEPENDENT_INSTANCES,
    }
    assert method.assumptions & set(dependence.values()) == {dependence[method.overlap]}
    assert (method.overlap is Overlap.CORRECTED) == (method.requires is Requires.TEST_FRACTION)
    assert method.overlap is not Overlap.BY_DESIGN or method.requires is Requires.FIVE_BY_TWO
    on_instances = {
        method.unit is Unit.INSTANCE,
        method.requires is Requires.INSTANCES,
        method.scale is Scale.NOMINAL,
        method.overlap is Overlap.ABSENT,
    }
    assert len(on_instances) == 1
    assert not method.bounded_df or method.overlap is Overlap.CORRECTED


@pytest.mark.parametrize("method", METHODS)
def test_a_test_that_is_not_only_for_requests_states_why_it_is_used(method):
    assert method.on_request or method_card(method.key).why


@pytest.mark.parametrize("method", METHODS)
def test_a_test_counts_as_keeping_its_level_only_if_its_levels_are_measured(method):
    """`keeps_its_level` follows from the treatment of overlap: the card must have evidence."""
    assert not method.corrects_overlap or method_card(method.key).levels


@pytest.mark.parametrize("method", METHODS)
def test_assumptions_in_words_are_those_of_the_record(method):
    words = {
        Assumption.NORMAL_DIFFERENCES: "normally distributed",
        Assumption.SYMMETRIC_DIFFERENCES: "symmetric",
        Assumption.BOUNDED_CORRELATION: "at most the test fraction",
        Assumption.INDEPENDENT_HALVES: "two folds of a repetition are independent",
        Assumption.INDEPENDENT_INSTANCES: "Instances are independent",
    }
    told = {assumption for assumption, words in words.items() if words in method.assumes}
    assert told == method.assumptions - {Assumption.INDEPENDENT_RESULTS}


# -- what the tests do -------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_test_applies_if_the_results_that_it_requires_exist(method, ten):
    refused = {
        Requires.RESULTS: [],
        Requires.TEST_FRACTION: [replace(ten, test_fraction=None)],
        Requires.FIVE_BY_TWO: [
            replace(ten, design="k-fold"),
            replace(ten, x=ten.x[:8], y=ten.y[:8]),
        ],
        Requires.INSTANCES: [replace(ten, correct=None), replace(ten, measure="auc")],
    }
    assert method.refuses(ten) == ""
    for requires, pairs in refused.items():
        for pair in pairs:
            assert bool(method.refuses(pair)) == (method.requires is requires)


@pytest.mark.parametrize("n", range(3, 9))
@pytest.mark.parametrize("key", ["Wilcoxon", "sign test", "sign flips"])
def test_the_smallest_p_is_the_smallest_over_all_signs(key, n):
    sizes = np.sqrt(np.arange(1, n + 1))
    pvalues = [
        run_pair_test(fold_pair(sizes * signs, np.zeros(n), "k-fold"), key).outcome.pvalue
        for signs in product([-1, 1], repeat=n)
    ]
    assert min(pvalues) == pytest.approx(PAIR_TESTS[key].smallest_pvalue(n), rel=1e-12)


def test_the_smallest_p_of_drawn_sign_flips_does_not_fall_with_the_number_of_results():
    smallest = PAIR_TESTS["sign flips"].smallest_pvalue
    assert smallest(14) == 2**-13
    assert smallest(15) == smallest(100) == 1e-4
    shifted = run_pair_test(fold_pair(np.arange(1.0, 41), np.zeros(40), "k-fold"), "sign flips")
    assert shifted.outcome.pvalue == pytest.approx(1e-4)


@pytest.mark.parametrize("method", ON_RESULTS)
def test_tests_without_a_smallest_p_reach_any_p(method, ten):
    bounded = method.smallest_pvalue(10) > 0
    spread = ten.y + 1 + 1e-7 * (ten.x - ten.y)
    p = run_pair_test(replace(ten, x=spread), method.key).outcome.pvalue

    assert (p > 1e-6) == bounded
    assert p >= method.smallest_pvalue(10)


@pytest.mark.parametrize("method", METHODS)
def test_a_test_has_the_interval_of_its_record(method, ten):
    answers = [run_pair_test(ten, method.key, confidence_level=level) for level in (0.8, 0.95)]
    for answer, level in zip(answers, (0.8, 0.95), strict=True):
        expected = {
            Interval.NONE: (np.nan, np.nan),
            Interval.OF_TEST: tuple(
                getattr(method.run(ten, level), end, None) for end in ("low", "high")
            ),
            Interval.HODGES_LEHMANN: paired.hodges_lehmann_interval(
                ten.x, ten.y, confidence_level=level
            ),
        }[method.interval]
        if method.on_instances:  # Newcombe's interval can exclude zero if the test does not reject
            rejects = answer.outcome.pvalue <= 1 - level
            assert (answer.low > 0 or answer.high < 0) == rejects
            expected = expected if rejects else (min(expected[0], 0.0), max(expected[1], 0.0))
        assert (answer.low, answer.high) == pytest.approx(expected, nan_ok=True)
        assert np.isnan(answer.low) == (method.interval is Interval.NONE)
    narrow, wide = (answer.high - answer.low for answer in answers)
    assert method.interval is Interval.NONE or narrow < wide


@pytest.mark.parametrize("method", METHODS)
def test_a_test_estimates_what_its_record_says(method, ten):
    differences = (ten.x - ten.y).to_numpy()
    sums = np.add.outer(differences, differences)[np.triu_indices(10)]
    expected = {
        Estimate.MEAN: differences.mean(),
        Estimate.MEDIAN: np.median(differences),
        Estimate.PSEUDO_MEDIAN: np.median(sums) / 2,  # Hodges and Lehmann 1963
        Estimate.FIRST_FOLD: differences[0],
        Estimate.INSTANCES: ten.correct["b"].mean() - ten.correct["a"].mean(),  # of the error
    }[method.estimate]
    answer = run_pair_test(ten, method.key)
    tests = fold_pairs.run_fold_pair_tests({("a", "b"): ten}, method.key, 0.95)

    assert answer.estimate == pytest.approx(expected, rel=1e-12)
    assert tests.estimate.loc["a", "b"] == -tests.estimate.loc["b", "a"]
    assert tests.estimate.loc["a", "b"] == pytest.approx(expected, rel=1e-12)
    assert not answer.estimate < answer.low
    assert not answer.estimate > answer.high


@pytest.mark.parametrize("method", ON_RESULTS)
def test_a_third_algorithm_does_not_change_the_estimate_of_a_pair(method, rng):
    keys = pd.MultiIndex.from_product([range(5), range(2)], names=["repetition", "fold"])
    table = pd.DataFrame(rng.gamma(2, size=(10, 3)), keys, list("abc"))
    long = table.melt(ignore_index=False, var_name="algorithm", value_name="error").reset_index()
    results, settings = Results.from_frame(long), Settings(test=method.key)

    of_two = analyse(results.select(algorithms=["a", "b"]), settings).pairs.of("a", "b")
    of_three = analyse(results, settings).pairs.of("a", "b")
    sign = 1 if of_two["first"] == of_three["first"] else -1

    assert of_two["estimate"] == pytest.approx(sign * of_three["estimate"], rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_only_a_signed_statistic_turns_with_the_pair(method, ten):
    result = fold_pairs.run_fold_pair_tests({("a", "b"): ten}, method.key, 0.95).outcome
    there, back = result.statistics.loc["a", "b"], result.statistics.loc["b", "a"]
    assert there != 0
    assert back == (-there if method.signed else there)


@pytest.mark.parametrize("method", METHODS)
def test_a_symbol_is_that_of_the_distribution(method, ten):
    outcome = run_pair_test(ten, method.key).outcome
    if method.symbol == "t":
        df = np.ravel(outcome.df)[0]
        assert outcome.pvalue == pytest.approx(2 * stats.t.sf(abs(outcome.statistic), df))
    if method.symbol == "F":
        assert outcome.pvalue == pytest.approx(stats.f.sf(outcome.statistic, *outcome.df))
    assert method.symbol in {"t", "F", None}


@pytest.mark.parametrize("method", METHODS)
def test_what_a_test_uses_of_the_results(method, ten):
    """Ranks do not change if differences are cubed, and no result of a fold changes a test on instances."""
    differences = ten.x - ten.y
    p, cubed, other = (
        run_pair_test(replace(ten, x=ten.y + changed), method.key).outcome.pvalue
        for changed in (differences, differences**3, differences + 0.5)
    )
    assert (p == pytest.approx(cubed)) == (method.scale is not Scale.INTERVAL)
    assert (p == pytest.approx(other)) == (method.scale is Scale.NOMINAL)


@pytest.mark.parametrize("method", METHODS)
def test_only_a_corrected_test_depends_on_the_test_fraction(method, ten):
    p, larger = (
        run_pair_test(replace(ten, test_fraction=fraction), method.key).outcome.pvalue
        for fraction in (0.1, 0.5)
    )
    assert (p < larger) == method.corrects_overlap
    assert method.corrects_overlap or p == larger


@pytest.mark.parametrize("method", METHODS)
def test_degrees_of_freedom_are_bounded_as_stated(method, rng):
    twenty = fold_pair(rng.normal(size=20), rng.normal(size=20), "holdout", 0.3)
    if not method.refuses(twenty) and method.statistic is Statistic.MEAN_T:
        assert run_pair_test(twenty, method.key).outcome.df == (9 if method.bounded_df else 19)
    assert fold_tests.redundant(method.key, 10) == method.bounded_df
    assert not fold_tests.redundant(method.key, 11)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("design", ["5x2", "k-fold", "holdout", "unknown"])
@pytest.mark.parametrize("fraction", [None, 0.5])
def test_a_test_that_ignores_overlap_has_the_caution(method, design, fraction, ten):
    answer = run_pair_test(replace(ten, design=design, test_fraction=fraction), method.key)
    if answer.outcome is not None:
        overlaps = design != "unknown" or fraction is not None
        assert answer.reason == (
            fold_tests.OVERLAP if method.overlap is Overlap.IGNORED and overlaps else ""
        )


@pytest.mark.parametrize("n", [2, 10, 11, 100])
@pytest.mark.parametrize("df", ["conservative", "published"])
def test_a_test_that_ignores_overlap_is_never_advised_on_overlapping_folds(n, df):
    for fraction in (0.1, 0.5):
        assert PAIR_TESTS[fold_tests.advised_test(fraction, n, df)].overlap is Overlap.CORRECTED
    assert not any(
        PAIR_TESTS[fold_tests.advised_test(fraction, n, df)].on_request for fraction in (0.1, None)
    )


@pytest.mark.parametrize("method", METHODS)
def test_logical_corrections_apply_to_transitive_hypotheses(method):
    logical = set(adjust.LOGICAL) & set(adjust.corrections_for(method.key))
    assert logical == (set(adjust.LOGICAL) if method.transitive else set())


@pytest.mark.parametrize("method", METHODS)
def test_one_sided_tests_by_row_are_those_of_the_pair(method, ten):
    row = (ten.x - ten.y).to_numpy()
    if method.one_sided is None:
        with pytest.raises(FoldwiseError, match="must be one of"):
            fold_tests.one_sided(row, method.key)
    else:
        p = fold_tests.one_sided(row, method.key, test_fraction=ten.test_fraction)
        assert p == pytest.approx(run_pair_test(ten, method.key).outcome.pvalue_greater)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("method", ON_RESULTS)
def test_doubtful_normality_is_noted_for_tests_that_assume_it(method, k, rng):
    keys = pd.MultiIndex.from_product([range(5), range(2)], names=["repetition", "fold"])
    skewed = pd.DataFrame(np.exp(3 * rng.normal(size=(10, k))), keys, list("abc")[:k])
    long = skewed.melt(ignore_index=False, var_name="algorithm", value_name="error").reset_index()
    results = Results.from_frame(long)

    codes = {note.code for note in analyse(results, Settings(test=method.key)).notes}

    assert ("not normal" in codes) == method.assumes_that(Assumption.NORMAL_DIFFERENCES)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("method", ON_RESULTS)
def test_a_given_test_fraction_shows_the_overlap_of_any_design(method, k, rng):
    """The notes, the row of the test and the analysis steps decide alike, for two algorithms and several."""
    folds = [(repetition, fold) for repetition, n in enumerate([3, 4, 3]) for fold in range(n)]
    keys = pd.MultiIndex.from_tuples(folds, names=["repetition", "fold"])
    table = pd.DataFrame(rng.normal(size=(10, k)) + 3 * np.arange(k), keys, list("abc")[:k])
    long = table.melt(ignore_index=False, var_name="algorithm", value_name="error").reset_index()
    results, settings = Results.from_frame(long), Settings(test=method.key, test_fraction=0.3)
    assert results.design == "unknown"
    if method.five_by_two:
        with pytest.raises(DesignError):
            analyse(results, settings)
        return

    comparison = analyse(results, settings)

    cautions = [note.code for note in comparison.notes].count("as if independent")
    assert cautions == (1 if method.ignores_overlap else 0)
    last = [step for step in describe_steps(comparison) if "test" in step.question.lower()][-1]
    assert ("assumes independent folds" in last.fails) == method.ignores_overlap
    if k == 2:
        assert (comparison.chosen.reason == fold_tests.OVERLAP) == method.ignores_overlap


# -- a new test --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_a_liberal_copy_of_a_test_does_not_decide_without_the_caution(monkeypatch, rng, k):
    texts = MethodTexts(name="median t test", assumes=PAIRED_T.assumes)
    copy = replace(PAIRED_T, key="median t", texts=texts)
    monkeypatch.setitem(PAIR_TESTS, copy.key, copy)
    monkeypatch.setitem(cards._CARDS, copy.key, method_card(PAIRED_T.key))
    noise = rng.normal(size=(10, k)) + 2 * np.arange(k)
    table = pd.DataFrame(noise, columns=list("abc")[:k]).rename_axis(index="fold")
    long = table.melt(ignore_index=False, var_name="algorithm", value_name="error").reset_index()
    results = Results.from_frame(long)

    by_copy, by_paired, by_corrected = (
        analyse(results, Settings(test=key)) for key in ("median t", "paired t", "corrected t")
    )

    assert by_copy.guarantee.bounds == "nothing"
    assert "as if independent" in {note.code for note in by_copy.notes}
    assert "as if independent" not in {note.code for note in by_corrected.notes}
    assert verdict(by_copy).headline == verdict(by_paired).headline
    if k == 2:
        role = every_test(by_copy).frame.at["median t test", "applicability"]
        assert role == f"used for the decision: {fold_tests.OVERLAP}"
