"""Tests of the smallest detectable difference: units, families, sentences, and analyses without one."""

from math import isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED
from stats_core.comparison.kinds.measure_vectors import PairOnMeasures, SeveralOnMeasures
from stats_core.core.errors import SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import cv52_combined_t, cv52_f, cv52_t, overlap_factor
from stats_core.inference.pairwise import smallest_pvalue
from stats_core.io.read import read_results
from stats_core.power.detectable import detectable, distance_by_hotelling, distance_by_manova
from stats_core.report.power_text import describe_detectable
from stats_core.report.verdict import verdict
from tests.power.test_power_functions import NEAR, RUNS, rejections, unit_spread
from tests.samples import shipped


def made(matrix, **columns):
    """Return results from a table (data set or fold) x algorithm of errors."""
    table = pd.DataFrame(matrix).rename_axis(columns="algorithm")
    long = table.stack(future_stack=True).rename("error").reset_index().assign(**columns)
    return Results.from_frame(long)


def on_folds(differences, n_train=90, n_test=10):
    """Return results of two algorithms on folds of one data set with the given differences."""
    matrix = pd.DataFrame({"a": differences, "b": np.zeros(len(differences))})
    return made(matrix.rename_axis("fold"), dataset="made", n_train=n_train, n_test=n_test)


def five_by_two(differences):
    """Return results of two algorithms on 5 x 2 folds with the given differences, shape (5, 2)."""
    keys = pd.MultiIndex.from_product([range(5), range(2)], names=["repetition", "fold"])
    matrix = pd.DataFrame({"a": np.ravel(differences), "b": 0.0}, index=keys)
    return made(matrix, dataset="made")


def over_sets(scores):
    """Return results with one value per algorithm and data set."""
    table = pd.DataFrame(scores)
    return made(table.set_axis([f"d{i}" for i in range(len(table))]).rename_axis("dataset"))


@pytest.fixture(scope="module")
def uci():
    return shipped("uci38_5x2.csv")


@pytest.mark.parametrize(("n", "alpha", "power"), [(10, 0.05, 0.8), (7, 0.05, 0.7), (30, 0.1, 0.5)])
def test_the_paired_t_agrees_with_statsmodels(rng, n, alpha, power):
    analysis = analyse(on_folds(unit_spread(rng, n)), Settings(test="paired t", alpha=alpha))
    found = detectable(analysis, power=power).difference
    # sigma^2 = df s^2 / chi^2 given s = 1: the effect in true spreads, drawn evenly from chi^2
    effects = found * np.sqrt(stats.chi2.ppf((np.arange(400) + 0.5) / 400, n - 1) / (n - 1))
    powers = [TTestPower().power(effect, nobs=n, alpha=alpha) for effect in effects]

    assert np.mean(powers) == pytest.approx(power, abs=0.002)  # statsmodels 0.15


def test_the_corrected_t_needs_the_root_of_the_overlap_factor_more(rng):
    results = on_folds(unit_spread(rng, 10))
    plain, corrected = (
        detectable(analyse(results, Settings(test=key))) for key in ("paired t", "corrected t")
    )
    # formula 6.0: half-widths times the root of c = 1 + J f / (1 - f), 2.111 for ten folds
    assert corrected.difference / plain.difference == pytest.approx(sqrt(1 + 10 / 9))
    assert "independent" in plain.method
    assert "correlation" in corrected.method


@pytest.mark.parametrize(
    ("key", "test"),
    [("5x2 cv F", cv52_f), ("5x2 cv t", cv52_t), ("combined 5x2 cv t", cv52_combined_t)],
)
def test_five_by_two_simulated(rng, key, test):
    seen = rng.normal(size=(5, 2))
    seen /= sqrt(((seen[:, 0] - seen[:, 1]) ** 2).sum() / 10)  # variance between halves 1
    shift = detectable(analyse(five_by_two(seen), Settings(test=key))).difference

    assert (
        rejections(lambda x: test(x).pvalue <= 0.05, lambda: shift + rng.normal(size=(5, 2)))
        == NEAR
    )


def test_mcnemar_counts_the_cases_on_which_the_two_disagree():
    results = shipped("twoclass_scores.csv.gz")
    pair, dataset = results.algorithms[:2], results.datasets[0]
    settings = Settings(measure="error", dataset=dataset, pair=pair, test="McNemar")
    analysis = analyse(results, settings)
    found, outcome = detectable(analysis), analysis.chosen.outcome
    split = outcome.only_first + outcome.only_second
    share = (1 + found.difference * outcome.n / split) / 2

    assert describe_detectable(found).startswith(f"A new experiment with {outcome.n:,} instances")
    wins = np.arange(split + 1)
    rejects = [stats.binomtest(int(w), split).pvalue <= 0.05 for w in wins]  # scipy's exact test
    assert stats.binom.pmf(wins[rejects], split, share).sum() == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize("overlap", ["ignored", "corrected"])
def test_tukey_simulated(rng, overlap):
    a, n, f = 4, 10, 0.1
    seen = pd.DataFrame(rng.normal(size=(n, a)), columns=list("abcd")).rename_axis("fold")
    results = made(seen, dataset="made", n_train=90, n_test=10)
    analysis = analyse(results, Settings(overlap=overlap, test="Tukey"))
    factor = overlap_factor(n, f if overlap == "corrected" else None)
    error = analysis.anova.table.loc["residual", "MS"]
    shift = detectable(analysis).difference / sqrt(error)

    shared = sqrt(f / (1 - f)) * rng.normal(size=(RUNS, 1, a)) * (overlap == "corrected")
    runs = shared + rng.normal(size=(RUNS, n, a))
    runs[:, :, 0] += shift
    means = runs.mean(axis=1, keepdims=True)
    residuals = (
        runs - means - runs.mean(axis=2, keepdims=True) + runs.mean(axis=(1, 2), keepdims=True)
    )
    unit = np.sqrt((residuals**2).sum(axis=(1, 2)) / ((a - 1) * (n - 1)) / n * factor)
    q = np.abs(means[:, 0, 0] - means[:, 0, 1]) / unit
    critical = stats.studentized_range.isf(0.05, a, (a - 1) * (n - 1))  # formula 6.3

    assert (q > critical).mean() == NEAR


def test_nemenyi_starts_from_its_critical_difference(uci):
    analysis = analyse(uci, Settings(correction="nemenyi"))
    found = detectable(analysis)
    expected = analysis.critical_difference + stats.norm.ppf(0.8) * sqrt(8 * 9 / (6 * 38))

    assert found.difference == pytest.approx(expected, rel=1e-4)
    assert f"{analysis.critical_difference:.2f}" in found.method


def test_the_sentence_over_data_sets(uci):
    found = detectable(analyse(uci, Settings(source="ranks")))

    assert describe_detectable(found) == (
        "A new experiment with 38 data sets and 28 pairs has 80% power to detect a difference of 2.2 in average rank."
    )
    assert (found.family, found.unit) == ("all 28 pairs of 8 algorithms", "average ranks")
    assert "Bergmann-Hommel" in found.method


def test_seven_questions_cost_less_than_twenty_eight(uci):
    every, control = (
        detectable(analyse(uci, Settings(source="ranks", control=name)))
        for name in ("", "SVM (RBF)")
    )

    assert control.family == "7 comparisons with SVM (RBF)"
    assert control.difference < every.difference
    free = detectable(analyse(uci, Settings(correction="none", source="ranks")))
    assert free.family.endswith("unadjusted")
    assert free.difference < control.difference


def test_li_is_taken_where_all_others_equal_the_control(uci):
    li, dunn, free = (
        detectable(analyse(uci, Settings(control="SVM (RBF)", correction=name, source="ranks")))
        for name in ("li", "bonferroni_dunn", "none")
    )

    assert li.can_reject
    assert li.unit == "average ranks"
    assert free.difference < dunn.difference < li.difference
    assert "the least favourable case" in li.method
    assert "half of the time" in li.method
    for source in ("wilcoxon", "sign"):
        found = detectable(
            analyse(uci, Settings(control="SVM (RBF)", correction="li", source=source))
        )
        assert isnan(found.difference)
        assert "largest p-value" in found.reason


@pytest.mark.parametrize("source", ["wilcoxon", "sign"])
@pytest.mark.parametrize("control", ["", "SVM (RBF)"])
def test_other_sources_speak_in_their_own_unit(uci, source, control):
    found = detectable(analyse(uci, Settings(source=source, control=control)))

    assert found.unit == {"wilcoxon": "error", "sign": "share of wins"}[source]
    assert found.low <= found.difference <= found.high
    assert "independent" not in found.method


@pytest.mark.parametrize("test", ["", "Tukey", "corrected t", "5x2 cv t", "combined 5x2 cv t"])
def test_pairs_on_folds_name_the_middle_pair(uci, test):
    analysis = analyse(uci, Settings(dataset="australian", test=test))
    found = detectable(analysis)

    assert found.low <= found.difference <= found.high
    assert (found.low < found.high) == (test != "Tukey")
    assert ("depending on the pair" in describe_detectable(found)) == (test != "Tukey")
    pair = Settings(
        dataset="australian", pair=("SVM (RBF)", "C4.5"), test=test if test != "Tukey" else ""
    )
    one = detectable(analyse(uci, pair))
    assert one.family == "one pair"
    assert one.difference < found.high or test == "Tukey"  # of unlike tests


@pytest.mark.parametrize("test", ["Wilcoxon", "sign test", "sign flips"])
def test_ten_folds_cannot_separate_eight_by_counting(uci, test):
    analysis = analyse(uci, Settings(dataset="australian", test=test))
    found = detectable(analysis)

    # 28 pairs at 2^-9 each: DESIGN's trap, 0.0547
    assert (found.can_reject, found.smallest_pvalue) == (False, 28 / 512)
    assert isnan(found.difference)
    assert "smallest attainable p-value is too large (p = 0.055" in describe_detectable(found)
    assert verdict(analysis).badge == LIMITED


@pytest.mark.parametrize("n", [3, 5, 6, 9])
@pytest.mark.parametrize("source", ["ranks", "wilcoxon", "sign"])
def test_can_reject_is_what_the_verdict_says(rng, n, source):
    analysis = analyse(over_sets(rng.normal(size=(n, 4))), Settings(source=source))
    found = detectable(analysis)

    assert found.smallest_pvalue == smallest_pvalue(4, n, analysis.settings)
    assert found.can_reject == (verdict(analysis).badge != LIMITED)
    assert isnan(found.difference) != found.can_reject


@pytest.mark.parametrize("n", [4, 5, 6, 12])
def test_two_algorithms_need_six_data_sets(rng, n):
    analysis = analyse(over_sets(rng.normal(size=(n, 2))))
    found = detectable(analysis)

    assert found.smallest_pvalue == 2.0 ** (1 - n)  # both tails of 2^n equally likely sign choices
    assert found.can_reject == (n >= 6)
    assert found.can_reject == (verdict(analysis).badge != LIMITED)


def test_hochberg_can_reject_only_all_at_once():
    # 3 algorithms on 2 data sets: the largest gap has p 2 / 36, above 0.1 / 2, but Hochberg may
    # use that every comparison is as extreme
    scores = np.tile(np.arange(3.0), (2, 1))
    settings = Settings(control="0", correction="hochberg", alpha=0.1)
    found = detectable(analyse(over_sets(scores), settings))

    assert found.can_reject
    assert isnan(found.difference)
    assert "everal differences together" in found.reason


@pytest.mark.parametrize("key", ["corrected t", "paired t", "Wilcoxon", "sign flips"])
def test_the_note_says_what_is_done_about_a_spread_known_roughly(rng, key):
    found = detectable(analyse(on_folds(rng.normal(size=10)), Settings(test=key)))

    rough = "overstates power on average by 0.1 (6 normal differences), 0.06 (10)" in found.method
    averaged = "averaged over the uncertainty of the standard deviation" in found.method
    assert (averaged, rough) == ((True, False) if key.endswith(" t") else (False, True))
    assert ("skewed" in found.method) == (key in ("Wilcoxon", "sign flips"))


@pytest.mark.parametrize("control", ["", "SVM (RBF)"])
def test_the_note_says_when_gaps_of_ranks_vary_more(uci, control):
    found = detectable(analyse(uci, Settings(control=control, source="ranks")))

    assert "Power may be lower by 0.1 if one algorithm is first on some" in found.method


def test_larger_scores_need_larger_differences(rng):
    seen = rng.normal(size=12)
    for key in ("corrected t", "Wilcoxon", "sign flips"):
        small, large = (
            detectable(analyse(on_folds(factor * seen), Settings(test=key))).difference
            for factor in (1, 10)
        )
        assert large == pytest.approx(10 * small)


@pytest.mark.parametrize("source", ["ranks", "wilcoxon", "sign"])
def test_more_power_and_a_smaller_alpha_ask_for_more(uci, source):
    analysis = analyse(uci, Settings(source=source))
    strict = analyse(uci, Settings(source=source, alpha=0.01))

    shifts = [detectable(analysis, power=power).difference for power in (0.5, 0.8, 0.95)]
    assert shifts == sorted(shifts)
    assert shifts[0] < shifts[1] < detectable(strict).difference
    assert "95% power" in describe_detectable(detectable(analysis, power=0.95))


def test_several_measures_speak_of_a_distance():
    results = shipped("twoclass_counts.csv")
    together = Settings(measure="error", dataset="pima", measures=("fpr", "tpr"))
    several = analyse(results, together)
    pair = analyse(
        results,
        Settings(
            measure="error", dataset="pima", measures=("fpr", "tpr"), pair=("Decision tree", "LDA")
        ),
    )
    assert isinstance(several, SeveralOnMeasures)
    assert isinstance(pair, PairOnMeasures)

    assert "Mahalanobis" in detectable(several).unit
    found = detectable(several)
    expected, df = distance_by_manova(7, 100, 2, overlap_factor(100, 0.1), 0.05, 0.8, max_df=8)
    assert found.omnibus == pytest.approx(expected)
    assert f"({df[0]}, {df[1]:.4g}) df" in found.method
    assert (
        f"MANOVA has 80% power to detect a Mahalanobis distance of {expected:.1f}"
        in describe_detectable(found)
    )
    assert "MANOVA" not in describe_detectable(detectable(pair)) + detectable(pair).method
    assert isnan(detectable(pair).omnibus)
    assert detectable(pair).difference < detectable(several).difference


def test_counts_of_a_confusion_matrix_span_two_dimensions():
    results = shipped("twoclass_counts.csv")

    def distance(*measures):
        pair = ("Decision tree", "LDA")
        settings = Settings(measure="error", dataset="pima", measures=measures, pair=pair)
        return detectable(analyse(results, settings)).difference

    # formula 6.4: tp + fn and fp + tn are the same for every algorithm
    assert distance("tp", "fp", "tn", "fn") == pytest.approx(distance("tp", "fp"))


def test_pairs_that_differ_in_fewer_directions_are_found_nearer(rng):
    """b differs from a in fp only, and c in both; each pair is tested in its own space (formula 6.4)."""
    rows = []
    for fold in range(10):
        fn, fp = (int(wrong) for wrong in rng.integers(10, 20, 2))
        one, more, other = (int(wrong) for wrong in rng.integers(3, 9, 3))
        for name, wrong in (("a", (fn, fp)), ("b", (fn, fp + one)), ("c", (fn + more, fp + other))):
            rows.append(("made", name, fold, 50 - wrong[0], wrong[1], 50 - wrong[1], wrong[0]))
    columns = ["dataset", "algorithm", "fold", "tp", "fp", "tn", "fn"]
    results = read_results(pd.DataFrame(rows, columns=columns).to_csv(index=False).encode())
    analysis = analyse(results, Settings(measures=("fp", "fn"), correction="holm"))
    found = detectable(analysis)

    for (first, second), expected in ((("a", "b"), found.low), (("b", "c"), found.high)):
        alone = analyse(results, Settings(measures=("fp", "fn"), pair=(first, second)))
        p = alone.hotelling.df[0]
        assert expected == pytest.approx(
            distance_by_hotelling(10, p, overlap_factor(10, 0.1), 0.05 / 3, 0.8)
        )
    assert "(1, 9) or (2, 8) df" in found.method
    assert "depending on the pair" in describe_detectable(found)


def test_nothing_to_test_is_said():
    found = detectable(analyse(shipped("demsar_2006_auc.csv").select(datasets=["iris"])))

    assert not found.can_reject
    assert isnan(found.smallest_pvalue)
    assert "no test" in found.reason


def test_identical_algorithms_have_no_spread():
    for test in ("paired t", "Wilcoxon", "sign flips"):
        found = detectable(analyse(on_folds(np.zeros(8)), Settings(test=test)))
        assert isnan(found.difference)
        assert found.reason


@pytest.mark.parametrize("power", [0.3, 1.0, "much"])
def test_power_must_be_a_share(rng, power):
    analysis = analyse(on_folds(rng.normal(size=10)))
    with pytest.raises(SettingError, match="`power` must lie strictly between 0.5 and 1"):
        detectable(analysis, power=power)
