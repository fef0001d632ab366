"""Tests of one-sided tests of all ordered pairs: tests of two algorithms, and values by hand."""

from dataclasses import replace
from functools import cache
from io import BytesIO
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from statsmodels.stats.multitest import multipletests

from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.core.result_types import labeled_matrix
from stats_core.data.predictions import correct_cases
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.fold_tests import ONE_SIDED, run_pair_test
from stats_core.inference.methods import PAIR_TESTS, FoldPair
from stats_core.inference.multiplicity.adjust import adjust_pairs
from stats_core.inference.paired import cv52_f, paired_t
from stats_core.io.read import read_results
from stats_core.ordering.one_sided_evidence import (
    FAMILIES,
    ONE_SIDED_FAMILIES,
    evidence,
    evidence_over,
)
from tests.breast_cancer_data import runs
from tests.conftest import REFERENCE

KEYS = ["dataset", "algorithm", "repetition", "fold"]
COUNTS = ["tp", "fp", "tn", "fn"]
PRIOR = ("nb", "tree", "knn", "svc", "logreg", "rf")
MCNEMAR = [key for key in PAIR_TESTS if key.startswith("McNemar")]


@cache
def breast(scheme, measure):
    """Return the results of the breast cancer experiment."""
    table = pd.read_csv(REFERENCE / f"D_bc_{scheme}_folds.csv")
    table = table.rename(columns={"repeat": "repetition"})
    return Results.from_frame(
        table[[*KEYS, "n_train", "n_test", measure]],
        directions={measure: "lower" if measure == "error" else "higher"},
    )


def counted(change=None):
    """Return the experiment on 5 x 2 folds as confusion counts, after `change` of the table if given."""
    table = pd.read_csv(REFERENCE / "D_bc_cv5x2_folds.csv")
    table = table.rename(columns={"repeat": "repetition"})[[*KEYS, *COUNTS]]
    table = table if change is None else change(table)
    return read_results(BytesIO(table.to_csv(index=False).encode()))


@cache
def cases():
    """Return the experiment as predictions of single cases."""
    return read_results(REFERENCE / "D_bc_cv10_instances.csv")


THREE = {"a": [0.1, 0.2, 0.4], "b": [0.2, 0.2, 0.1]}


def made(values, dataset="results", **details):
    """Return results from a fold x algorithm table of errors."""
    table = pd.DataFrame(values).rename_axis(index="fold", columns="algorithm")
    long = table.stack(future_stack=True).rename("error").reset_index()
    return Results.from_frame(long.assign(dataset=dataset), **details)


def five_by_two(values):
    """Return results from a table of ten rows, as five replications of two halves."""
    table = pd.DataFrame(values)
    keys = [(str(place // 2 + 1), str(place % 2 + 1)) for place in range(10)]
    table.index = pd.MultiIndex.from_tuples(keys, names=["repetition", "fold"])
    long = table.rename_axis(columns="algorithm").stack(future_stack=True).rename("error")
    return Results.from_frame(long.reset_index().assign(n_train=50, n_test=50))


def pair_of(results, measure, a, b):
    """Return two algorithms on folds, without the use of `evidence`."""
    dataset = results.datasets[0]
    matrix, correct = results.matrix(dataset, measure), correct_cases(results, dataset)
    return FoldPair(
        x=matrix[a],
        y=matrix[b],
        measure=measure,
        design=results.design_of(dataset),
        label="",
        test_fraction=results.test_fraction(dataset),
        correct=None if correct is None else correct[[a, b]],
    )


def said_by(results, measure, test):
    """Return one-sided p-values of "the row is better", and two-sided p-values, from the tests of two algorithms."""
    names = list(results.algorithms)
    better, two_sided = labeled_matrix(1.0, names), labeled_matrix(1.0, names)
    for a, b in combinations(names, 2):
        outcome = run_pair_test(pair_of(results, measure, a, b), test).outcome
        larger, smaller = outcome.pvalue_greater, outcome.pvalue_less
        high = results.direction(measure) == "higher"
        better.loc[a, b], better.loc[b, a] = (larger, smaller) if high else (smaller, larger)
        two_sided.loc[a, b] = two_sided.loc[b, a] = outcome.pvalue
    return better, two_sided


APPLY = [
    *[("cv5x2", "error", test) for test in PAIR_TESTS if test not in MCNEMAR],
    *[("cv5x2", "auc_roc", test) for test in PAIR_TESTS if test not in MCNEMAR],
    *[("cv10", "error", test) for test in PAIR_TESTS if "5x2" not in test and test not in MCNEMAR],
    *[("cases", measure, test) for measure in ("error", "accuracy") for test in MCNEMAR],
]


@pytest.mark.parametrize(("scheme", "measure", "test"), APPLY)
def test_p_values_are_those_of_the_tests_of_two_algorithms(scheme, measure, test):
    results = cases() if scheme == "cases" else breast(scheme, measure)
    found = evidence(results, results.datasets[0], Settings(measure=measure, test=test))
    better, two_sided = said_by(results, measure, test)

    np.testing.assert_allclose(found.pvalues, better, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found.two_sided, two_sided, rtol=1e-9, atol=1e-15)
    assert (found.test, found.name) == (test, PAIR_TESTS[test].name)
    assert found.n == 10
    assert found.higher_is_better == (measure in ("auc_roc", "accuracy"))
    pd.testing.assert_series_equal(
        found.means, results.averages(measure).iloc[0], check_names=False, check_index_type=False
    )


def test_all_tests_were_held_against_it():
    assert {test for *_, test in APPLY} == set(PAIR_TESTS)


def test_it_agrees_with_one_test_from_the_file():
    """Expected: cv52_f on the table itself; naive Bayes has more errors than the support vector machine."""
    table = runs("cv5x2", "error")
    expected = cv52_f((table["nb"] - table["svc"]).to_numpy().reshape(5, 2))

    found = evidence(breast("cv5x2", "error"), "bc", Settings(test="5x2 cv F"))

    assert found.test == "5x2 cv F"
    assert found.pvalues.loc["svc", "nb"] == pytest.approx(expected.pvalue / 2)
    assert found.pvalues.loc["nb", "svc"] == pytest.approx(1 - expected.pvalue / 2)


def test_without_a_choice_the_advised_test_is_asked():
    assert evidence(breast("cv10", "error"), "bc", Settings()).test == "corrected t"
    assert evidence(breast("cv5x2", "error"), "bc", Settings()).test == "corrected t"
    for design, test in (("bootstrap", "corrected t"), ("common test set", "paired t")):
        assert evidence(made(THREE, design_hint=design), "results", Settings()).test == test


def test_the_undivided_f_is_the_whole_p_on_the_side_of_the_mean():
    results, asked = breast("cv5x2", "error"), Settings(test="5x2 cv F")
    half = evidence(results, "bc", asked)
    whole = evidence(results, "bc", asked, undivided=True)

    wanted = np.where(half.pvalues < 0.5, 2 * half.pvalues, 1.0)
    np.testing.assert_allclose(whole.pvalues, wanted)
    np.testing.assert_allclose(whole.two_sided, half.two_sided)  # no p is doubled twice


@pytest.mark.parametrize("test", [test for test in PAIR_TESTS if test != "5x2 cv F"])
def test_only_the_f_test_has_an_undivided_form(test):
    results = cases() if test in MCNEMAR else breast("cv5x2", "error")
    with pytest.raises(SettingError, match=f"F test, not to the {test}"):
        evidence(results, results.datasets[0], Settings(measure="error", test=test), undivided=True)


# -- what must not matter ----------------------------------------------------------------------

ten_by_three = arrays(float, (10, 3), elements=st.integers(0, 40)).map(
    lambda values: pd.DataFrame(values / 40, columns=list("abc"))
)


@pytest.mark.parametrize("test", ["5x2 cv F", "combined 5x2 cv t", "corrected t", "Wilcoxon"])
@given(table=ten_by_three)
def test_flipping_the_measure_flips_nothing_but_its_name(test, table):
    low = five_by_two(table)
    high = Results.from_frame(
        low.frame.assign(accuracy=1 - low.frame["error"]).drop(columns="error")
    )
    try:
        by_error = evidence(low, "results", Settings(test=test))
    except DegenerateError:
        with pytest.raises(DegenerateError):
            evidence(high, "results", Settings(test=test))
        return
    by_accuracy = evidence(high, "results", Settings(test=test))

    np.testing.assert_allclose(by_error.pvalues, by_accuracy.pvalues, atol=1e-9)
    assert (by_error.higher_is_better, by_accuracy.higher_is_better) == (False, True)


@pytest.mark.parametrize("test", ["5x2 cv F", "paired t", "sign test"])
def test_declaring_the_other_direction_transposes_the_matrix(test):
    table = breast("cv5x2", "error").frame
    up = Results.from_frame(table, directions={"error": "higher"})

    down = evidence(breast("cv5x2", "error"), "bc", Settings(test=test))
    np.testing.assert_allclose(evidence(up, "bc", Settings(test=test)).pvalues, down.pvalues.T)


@pytest.mark.parametrize("test", ["5x2 cv F", "5x2 cv t", "Wilcoxon"])
def test_shuffling_the_file_changes_nothing(rng, test):
    results = breast("cv5x2", "error")
    shuffled = Results.from_frame(
        results.frame.sample(frac=1, random_state=rng), directions={"error": "lower"}
    )
    first, second = (evidence(r, "bc", Settings(test=test)) for r in (results, shuffled))
    pd.testing.assert_frame_equal(first.pvalues, second.pvalues)


@given(table=ten_by_three)
def test_both_directions_of_a_continuous_test_add_up_to_one(table):
    try:
        found = evidence(five_by_two(table), "results", Settings(test="5x2 cv F"))
    except DegenerateError:
        return
    for a, b in combinations("abc", 2):
        total = found.pvalues.loc[a, b] + found.pvalues.loc[b, a]
        assert total == pytest.approx(2 if table[a].equals(table[b]) else 1)


# -- degenerate results ------------------------------------------------------------------------

RISING = [0.1, 0.3, 0.2, 0.5, 0.4, 0.1, 0.2, 0.6, 0.3, 0.2]


@pytest.mark.parametrize("test", [test for test in PAIR_TESTS if test not in MCNEMAR])
def test_identical_algorithms_have_p_1_both_ways(test):
    other = RISING[::-1]
    found = evidence(
        five_by_two({"a": RISING, "b": RISING, "c": other}), "results", Settings(test=test)
    )
    one_sided = found.pvalues.loc[["a", "b"], ["a", "b"]].to_numpy()
    # the sign test splits its ties: ten of them are 5 wins, P(Bin(10, 1/2) >= 5) = 638/1024
    at_least = 638 / 1024 if test == "sign test" else 1
    assert one_sided.tolist() == [[1, at_least], [at_least, 1]]
    assert found.two_sided.loc["a", "b"] == 1
    assert found.pvalues.loc["a", "c"] < 1


def test_rounding_noise_of_large_results_is_no_difference():
    large = 1e6 * np.array(RISING)
    noisy = {"a": large, "b": large * (1 + 1e-15), "c": large[::-1]}
    found = evidence(five_by_two(noisy), "results", Settings(test="paired t"))
    assert found.pvalues.loc["a", "b"] == found.pvalues.loc["b", "a"] == 1


def test_rounding_noise_of_a_mean_takes_no_side():
    """F is large, but the mean is 0 except for rounding errors, so p is 1/2."""
    halves = np.array([0.1, 0.1, -0.1, -0.1, 0.1, 0.1, -0.1, -0.1, 0.01, -0.01])
    results = five_by_two({"a": 0.3 + halves, "b": 0.3})
    matrix = results.matrix("results", "error")
    assert 0 < abs((matrix["a"] - matrix["b"]).mean()) < 1e-15

    found = evidence(results, "results", Settings(test="5x2 cv F"))
    assert found.pvalues.loc["a", "b"] == found.pvalues.loc["b", "a"] == 0.5


@pytest.mark.parametrize("test", [*ONE_SIDED, "sign test"])
def test_a_difference_that_never_varies_is_refused_by_name(test):
    shifted = {"a": RISING, "b": RISING[::-1], "plus": [value + 0.25 for value in RISING]}
    results = five_by_two(shifted)
    if test == "sign test":  # it needs no variation: 10 of 10, one-sided 2^-10
        assert evidence(results, "results", Settings(test=test)).pvalues.loc[
            "a", "plus"
        ] == pytest.approx(2**-10)
        return
    with pytest.raises(DegenerateError, match="The difference between a and plus does not"):
        evidence(results, "results", Settings(test=test))


def test_halves_that_agree_leave_the_5x2_tests_nothing_to_divide_by():
    halves = np.repeat([0.1, 0.2, 0.3, 0.4, 0.5], 2)
    results = five_by_two({"a": np.array(RISING) + halves, "b": RISING})
    with pytest.raises(DegenerateError, match="The difference between a and b does not"):
        evidence(results, "results", Settings(test="5x2 cv F"))
    assert evidence(results, "results", Settings(test="paired t")).pvalues.loc["b", "a"] < 0.01


def test_one_algorithm_has_nothing_to_compare():
    found = evidence(made({"a": [0.1, 0.2]}), "results", Settings())
    assert found.pvalues.to_numpy().tolist() == [[1]]
    for family in FAMILIES:
        assert found.tests(("a",), family=family).empty


# -- what is refused ---------------------------------------------------------------------------


def test_missing_folds_are_refused():
    with pytest.raises(DesignError, match=r"Tests on folds need every result\. On"):
        evidence(made({"a": [0.1, 0.2, 0.3], "b": [0.1, np.nan, 0.2]}), "results", Settings())


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("5x2 cv F", "needs 5 repetitions of 2-fold"),
        ("corrected t", "has no correction for folds with a common test set"),
        ("McNemar", "needs predictions with instance identifiers"),
    ],
)
def test_a_test_that_does_not_suit_the_design_is_refused(test, words):
    results = made(THREE, design_hint="common test set")
    with pytest.raises(DesignError, match=f"{words}.*Choose another test"):
        evidence(results, "results", Settings(test=test))


@pytest.mark.parametrize("test", [TUKEY, "t"])
def test_an_unknown_test_is_refused(test):
    with pytest.raises(SettingError, match="`test` must be one of corrected t"):
        evidence(breast("cv10", "error"), "bc", Settings(test=test))


# -- risks -------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [0.0, 0.2, 0.5, 1.0])
def test_risk_is_theta_fp_and_the_rest_fn(theta):
    table = {name: runs("cv5x2", name) for name in COUNTS}
    risks = theta * table["fp"] + (1 - theta) * table["fn"]

    settings = Settings(measure="accuracy", test="5x2 cv F")
    found = evidence(counted(), "bc", settings, theta=theta)

    assert (found.measure, found.higher_is_better) == (f"expected cost at θ = {theta:g}", False)
    assert found.means.to_dict() == pytest.approx(risks.mean().to_dict())
    for a, b in combinations(risks.columns, 2):
        wanted = cv52_f((risks[a] - risks[b]).to_numpy().reshape(5, 2))
        assert found.pvalues.loc[a, b] == pytest.approx(wanted.pvalue_less)


def test_holes_of_the_measure_do_not_matter_to_the_risk():
    def nothing_called_positive(table):
        table.loc[0, ["fn", "tn"]] += table.loc[0, ["tp", "fp"]].to_numpy()
        table.loc[0, ["tp", "fp"]] = 0
        return table

    results = counted(nothing_called_positive)
    by_precision, by_error = Settings(measure="precision"), Settings(measure="error")

    with pytest.raises(DesignError, match=r"Tests on folds need every result\. On bc, 1"):
        evidence(results, "bc", by_precision)
    pd.testing.assert_frame_equal(
        evidence(results, "bc", by_precision, theta=0.3).pvalues,
        evidence(results, "bc", by_error, theta=0.3).pvalues,
    )


def test_risk_needs_counts_of_every_fold():
    with pytest.raises(SettingError, match="Expected cost needs the counts tp, fp, tn and fn"):
        evidence(breast("cv5x2", "error"), "bc", Settings(), theta=0.5)
    with pytest.raises(DesignError, match="Expected cost needs the counts of every fold, but"):
        evidence(counted(lambda table: table.iloc[1:]), "bc", Settings(), theta=0.5)


@pytest.mark.parametrize("test", MCNEMAR)
def test_mcnemar_knows_no_risk(test):
    results = cases()
    with pytest.raises(DesignError, match="compares errors, not expected costs"):
        evidence(results, results.datasets[0], Settings(measure="error", test=test), theta=0.5)


# -- families ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found():
    return evidence(breast("cv5x2", "error"), "bc", Settings(test="5x2 cv F"))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_one_test_for_each_pair_of_a_cheaper_and_a_costlier(found, family):
    tests = found.tests(PRIOR, family=family)

    assert list(zip(tests["cheaper"], tests["costlier"], strict=True)) == list(
        combinations(PRIOR, 2)
    )
    assert len(tests) == 6 * 5 / 2
    assert (tests["p adjusted"] >= tests["p raw"] - 1e-15).all()


@pytest.mark.parametrize("family", ONE_SIDED_FAMILIES)
def test_one_sided_families_adjust_the_tests_of_the_costlier(found, family):
    """Expected: Holm and Bonferroni by statsmodels, over L(L - 1)/2 tests."""
    raw = [found.pvalues.loc[costlier, cheaper] for cheaper, costlier in combinations(PRIOR, 2)]
    wanted = raw if family == "none" else multipletests(raw, method=family)[1]

    tests = found.tests(PRIOR, family=family, alpha=0.2)

    assert tests["p raw"].tolist() == raw
    np.testing.assert_allclose(tests["p adjusted"], wanted)
    assert tests["better"].tolist() == (np.array(wanted) <= 0.2).tolist()
    assert tests["better"].any()


@pytest.mark.parametrize("family", ["bergmann_hommel", "shaffer"])
def test_two_sided_families_adjust_the_two_sided_tests_and_the_mean_gives_the_direction(
    found, family
):
    results = breast("cv5x2", "error")
    _, two_sided = said_by(results, "error", "5x2 cv F")
    adjusted = adjust_pairs(two_sided, family)
    errors = results.averages("error").iloc[0]

    tests = found.tests(PRIOR, family=family, alpha=0.35)

    for row in tests.itertuples():
        assert row[3] == pytest.approx(two_sided.loc[row.cheaper, row.costlier])
        assert row[4] == pytest.approx(adjusted.loc[row.cheaper, row.costlier])
        assert row.better == (row[4] <= 0.35 and errors[row.costlier] < errors[row.cheaper])
    assert tests["better"].any()
    backwards = found.tests(PRIOR[::-1], family=family, alpha=0.35)
    assert tests["better"].sum() + backwards["better"].sum() == (tests["p adjusted"] <= 0.35).sum()


def test_a_test_that_contradicts_the_mean_names_nobody_better():
    """Dietterich's t uses the first difference, which favours a, but the mean favours b."""
    differences = [-0.3, -0.29, *[0.1, 0.12, 0.11, 0.1, 0.12, 0.1, 0.1, 0.11]]
    results = five_by_two({"a": 0.5 + np.array(differences), "b": 0.5})
    found = evidence(results, "results", Settings(test="5x2 cv t"))

    assert found.means["b"] < found.means["a"]
    assert found.pvalues.loc["a", "b"] < 0.001
    for prior in ("ab", "ba"):
        assert not found.tests(tuple(prior), family="shaffer")["better"].any()
    assert found.tests(("b", "a"), family="holm")["better"].all()


def test_the_level_and_the_family_are_checked(found):
    with pytest.raises(SettingError, match=r"`family` must be one of holm.*Use, for example, holm"):
        found.tests(PRIOR, family="hommel")
    with pytest.raises(SettingError, match="`alpha` must lie strictly between 0 and 1"):
        found.tests(PRIOR, alpha=0)


def test_shaffer_stands_in_for_bergmann_hommel_above_30_algorithms(rng):
    names = [f"a{place:02}" for place in range(31)]
    found = evidence(made(pd.DataFrame(rng.random((5, 31)), columns=names)), "results", Settings())
    pd.testing.assert_frame_equal(
        found.tests(tuple(names), family="bergmann_hommel"),
        found.tests(tuple(names), family="shaffer"),
    )


# -- data set by data set ----------------------------------------------------------------------


def test_data_sets_that_cannot_be_tested_are_named_with_the_reason():
    good = made(THREE, dataset="good").frame
    holed = made({"a": [0.1, np.nan, 0.4], "b": [0.2, 0.2, 0.1]}, dataset="holed").frame
    still = made({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]}, dataset="still").frame
    results = Results.from_frame(pd.concat([good, holed, still]))
    calls = []

    found, skipped = evidence_over(
        results, Settings(test="paired t"), progress=lambda *at: calls.append(at)
    )

    assert list(found) == ["good"]
    wanted = paired_t(*THREE.values()).pvalue_less
    assert found["good"].pvalues.loc["a", "b"] == pytest.approx(wanted)
    assert list(skipped) == ["holed", "still"]
    assert "1 of 6 results of error is missing" in skipped["holed"]
    assert "The difference between a and b does not" in skipped["still"]
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_a_wrong_setting_is_not_a_reason_to_skip():
    results = breast("cv10", "error")
    with pytest.raises(SettingError):
        evidence_over(results, Settings(test="t"))
    with pytest.raises(SettingError):
        evidence_over(results, replace(Settings(), measure="speed"))
