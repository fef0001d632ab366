"""Tests of comparisons on one data set: tests, texts, and settings that are refused."""

import json
import re
import tomllib
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import foldwise
from benchmarks.simulated_error_rates import fold_rates
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED, NO_PAIR, NOT_SEPARATED
from stats_core.comparison.kinds.datasets import TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.published_summaries import UntestedComparison
from stats_core.core.errors import DegenerateError, DesignError, FoldwiseError, SettingError
from stats_core.data.predictions import correct_cases
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.anova import tukey
from stats_core.inference.fold_tests import advised_test, run_pair_test
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import adjust_pairs, fallback_message
from stats_core.inference.multiplicity.cliques import cliques, compact_letters, underlines
from stats_core.inference.paired import cv52_f, paired_t
from stats_core.io.read import read_results
from stats_core.report.advice import advice_on
from stats_core.report.analysis_steps import describe_steps
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_json
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.varied_verdicts import sensitivity
from stats_core.report.verdict import verdict
from stats_core.robustness.dataset_decisions import by_dataset
from stats_core.robustness.other_measures import by_measure, changed_decisions, other_measures
from tests.breast_cancer_data import runs
from tests.conftest import REFERENCE
from tests.monte_carlo import draws, share
from tests.samples import shipped
from tests.visible_strings import strings_of


def folds(scheme, measure="error"):
    """Return the results of the breast cancer experiment under a resampling scheme."""
    table = pd.read_csv(REFERENCE / f"D_bc_{scheme}_folds.csv")
    table = table.rename(columns={"repeat": "repetition"})
    keys = ["dataset", "algorithm", "repetition", "fold", "n_train", "n_test"]
    return Results.from_frame(
        table[[*keys, measure]], directions={measure: "lower" if measure == "error" else "higher"}
    )


def made(values, **columns):
    """Return results from a fold x algorithm table of errors, NaN if missing, with constant `columns`."""
    table = pd.DataFrame(values).rename_axis(index="fold", columns="algorithm")
    long = table.stack(future_stack=True).rename("error").reset_index().assign(**columns)
    return Results.from_frame(long)


@pytest.fixture(scope="module")
def ten_fold():
    return folds("cv10")


def test_ten_folds_call_for_the_corrected_t_of_each_pair(ten_fold):
    analysis = analyse(ten_fold)
    raw, names = analysis.raw.pvalues, list(analysis.adjusted.index)

    assert isinstance(analysis, FoldsComparison)
    assert (analysis.test, analysis.correction) == ("corrected t", "bergmann_hommel")
    assert analysis.test_fraction == pytest.approx(57 / 569, rel=0.01)
    np.testing.assert_allclose(analysis.adjusted, adjust_pairs(raw, "bergmann_hommel"))
    for a, b in combinations(names, 2):
        x, y = runs("cv10", "error")[[a, b]].T.to_numpy()
        assert raw.loc[a, b] == pytest.approx(by_hand(x, y, analysis.test_fraction))
    assert (analysis.first_test, analysis.guarantee.bounds) == (None, "family")


def by_hand(x, y, fraction, df=None):
    """Return Nadeau and Bengio's p-value by scipy's t distribution, with variance (1/J + n_test/n_train) s^2."""
    d = np.asarray(x) - np.asarray(y)
    error = np.sqrt((1 / len(d) + fraction / (1 - fraction)) * d.var(ddof=1))
    return 2 * stats.t.sf(abs(d.mean() / error), df or len(d) - 1)


def test_tukey_is_there_when_it_is_asked_for(ten_fold):
    analysis = analyse(ten_fold, Settings(test=TUKEY))

    assert analysis.guarantee.bounds == "nothing"
    expected = tukey(runs("cv10", "error"), test_fraction=analysis.test_fraction).pvalues
    names = list(analysis.adjusted.index)
    np.testing.assert_allclose(analysis.adjusted, expected.loc[names, names])
    assert analysis.order[0] == runs("cv10", "error").mean().idxmin()


def test_without_overlap_the_papers_numbers_stand(ten_fold):
    analysis = analyse(ten_fold, Settings(overlap="ignored"))

    assert analysis.test == "paired t"
    assert analysis.anova.statistic == pytest.approx(5.119918166491294)  # R aov, statsmodels
    assert analysis.uncorrected is None
    assert any("ignored, by your choice" in str(note) for note in verdict(analysis).notes)


def test_the_uncorrected_pvalues_stand_beside_the_corrected(ten_fold):
    analysis = analyse(ten_fold)
    plain = analyse(ten_fold, Settings(overlap="ignored"))

    np.testing.assert_allclose(analysis.uncorrected, plain.adjusted)
    assert (analysis.uncorrected <= analysis.adjusted + 1e-12).all().all()
    assert "Without the correction for overlap" in verdict(analysis).sentences


@pytest.mark.parametrize("key", ["corrected t", "paired t", "Wilcoxon", "sign test", "sign flips"])
@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "hommel"])
def test_any_pair_test_with_any_correction(ten_fold, key, correction):
    analysis = analyse(ten_fold, Settings(test=key, correction=correction))
    pair = analyse(ten_fold, Settings(test=key, pair=("nb", "svc")))

    assert analysis.raw.pvalues.loc["nb", "svc"] == pytest.approx(pair.chosen.outcome.pvalue)
    assert (analysis.adjusted >= analysis.raw.pvalues - 1e-12).all().all()
    if key == "corrected t" and correction == "none":
        assert analysis.low.loc["nb", "svc"] == pytest.approx(pair.chosen.low)
        assert analysis.high.loc["svc", "nb"] == pytest.approx(-pair.chosen.low)
    if not np.isnan(analysis.low.loc["nb", "svc"]):
        out = (analysis.low > 0) | (analysis.high < 0)
        pd.testing.assert_frame_equal(out, analysis.adjusted <= 0.05, check_names=False)
    signs = np.sign(analysis.raw.statistics.loc["nb", "svc"])
    assert signs == np.sign((runs("cv10", "error")["nb"] - runs("cv10", "error")["svc"]).mean())


def test_alpaydins_f_is_there_for_five_by_two():
    results, asked = folds("cv5x2"), Settings(test="5x2 cv F")
    analysis, pair = analyse(results, asked), analyse(results, replace(asked, pair=("nb", "svc")))
    table = runs("cv5x2", "error")
    expected = cv52_f((table["nb"] - table["svc"]).to_numpy().reshape(5, 2))

    assert (analysis.test, pair.test, analysis.omnibus) == ("5x2 cv F", "5x2 cv F", None)
    assert pair.chosen.outcome.pvalue == pytest.approx(expected.pvalue, rel=1e-12)
    assert analysis.raw.pvalues.loc["svc", "nb"] == pytest.approx(expected.pvalue, rel=1e-12)
    assert pair.answer("corrected t").outcome.factor == pytest.approx(11, rel=0.01)


def test_the_pair_page_asks_every_test_and_says_why_some_do_not_apply(ten_fold):
    analysis = analyse(ten_fold, Settings(pair=("svc", "nb")))
    said = {answer.key: answer for answer in analysis.answers}

    assert isinstance(analysis, FoldPairComparison)
    assert list(said) == [key for key in PAIR_TESTS if key != "corrected t, conservative"]
    assert (analysis.first, analysis.second, analysis.test) == ("svc", "nb", "corrected t")
    assert (
        said["5x2 cv F"].reason
        == "needs 5 repetitions of 2-fold cross-validation, not 10-fold cross-validation"
    )
    assert said["McNemar"].reason.startswith("needs predictions")
    assert "inflated type I error" in said["paired t"].reason
    assert said["corrected t"].reason == ""
    assert all(answer.assumes for answer in analysis.answers)


def test_swapping_the_pair_flips_signs_only(ten_fold):
    one = analyse(ten_fold, Settings(pair=("svc", "nb")))
    other = analyse(ten_fold, Settings(pair=("nb", "svc")))

    assert one.chosen.outcome.pvalue == other.chosen.outcome.pvalue
    assert one.effects.mean == pytest.approx(-other.effects.mean)
    assert one.better == other.better == "svc"
    assert one.record("svc") == other.record("svc")


def test_mcnemar_takes_each_case_once():
    results = read_results(REFERENCE / "D_bc_cv10_instances.csv")
    dataset = results.datasets[0]
    cases = correct_cases(results, dataset)
    analysis = analyse(results, Settings(measure="error", pair=("tree", "nb"), test="McNemar"))

    assert cases.shape == (569, 6)
    outcome = analysis.chosen.outcome
    assert (outcome.n, outcome.estimate) == (
        569,
        pytest.approx((~cases["tree"]).mean() - (~cases["nb"]).mean()),
    )
    assert analyse(results, Settings(measure="error")).cochran.statistic == pytest.approx(
        25.320366132723112  # statsmodels, R
    )
    assert analyse(results, Settings(measure="auc")).cochran is None
    said = analyse(results, Settings(measure="auc", pair=("tree", "nb"))).answer("McNemar")
    assert "not auc" in said.reason


def test_repetitions_of_a_common_test_set_count_each_case_once():
    rows = [
        f"{name},{fold},{case},{case % 2},{(case + fold + len(name)) % 2}"
        for name in ("a", "bb")
        for fold in (1, 2, 3)
        for case in range(20)
    ]
    text = "algorithm,fold,instance,true,predicted\n" + "\n".join(rows)
    results = read_results(("x.csv", text.encode()))
    analysis = analyse(results, Settings(measure="error"))

    assert results.design == "common test set"
    assert (analysis.kind, str(analysis.counted)) == ("trainings", "20 instances")
    assert verdict(analysis).badge != DECIDED
    assert "share the same 20 test instances" in verdict(analysis).sentences
    (scores,) = tables_of(analysis, "scores")
    assert "The standard error includes the variance over runs." in scores.caption


@pytest.mark.parametrize("design", ["common test set", "seeds"])
@pytest.mark.parametrize("n", [2, 3])
def test_no_text_asserts_a_training_that_runs_do_not_show(design, n, rng):
    """A run may differ in its seed only: its number says nothing about the training set."""
    results = replace(made(rng.normal(size=(12, n))), design_hint=design)
    analysis = analyse(results, Settings(measure="error"))
    tables = [table.caption for table in report_tables(analysis)]
    steps = [f"{step.test} {step.why}" for step in describe_steps(analysis)]
    said = " ".join([verdict(analysis).sentences, methods_paragraph(analysis), *tables, *steps])

    assert analysis.unit == "run"
    assert "12 runs" in said
    assert "due to training" not in said
    # conditional and negated statements remain, such as "if training sets overlap"
    unconditional = re.sub(r"(if|overlap of|(for|of) overlapping) training sets", "", said)
    assert "training set" not in unconditional


@pytest.mark.parametrize(
    ("design", "scope"),
    [("seeds", "runs"), ("common test set", "test set"), ("k-fold", "training sets")],
)
@pytest.mark.parametrize("n", [2, 3])
def test_the_scope_of_runs_is_runs(design, scope, n, rng):
    analysis = analyse(replace(made(rng.normal(size=(12, n))), design_hint=design))
    assert json.loads(to_json(analysis))["analysis"]["scope"] == scope


TRAINED = re.compile(r"\btrained (models?|classifiers?)\b|(?<!such as )\btraining runs?\b")
ROOT = Path(__file__).parents[2]


def texts_of(table):
    """Yield the texts of a table of a TOML file."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, dict | list):
        for value in table.values() if isinstance(table, dict) else table:
            yield from texts_of(value)


def test_no_docstring_or_text_calls_what_is_compared_trained():
    """Answers of language models and runs of a deterministic method were not trained for the file."""
    spaces = (foldwise.stats, foldwise.power, foldwise.io, foldwise)
    said = {
        name: getattr(getattr(space, name), "__doc__", None) or ""
        for space in spaces
        for name in dir(space)
    }
    said["json.md"] = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    for file in [*ROOT.glob("stats_core/**/*.toml"), *ROOT.glob("foldwise/**/*.toml")]:
        if file.name != "numbers.toml":  # of simulations, in which models were trained
            said[file.name] = "\n".join(texts_of(tomllib.loads(file.read_text(encoding="utf-8"))))
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name in rules["tool"]["foldwise"]["documents"]:
        said[name] = "\n".join(text for _, text in strings_of(ROOT / name))
    asserted = {
        name: TRAINED.search(text.replace("compares training runs", ""))
        for name, text in said.items()
    }
    assert {name: found[0] for name, found in asserted.items() if found} == {}


@pytest.mark.parametrize(
    ("fraction", "expected"), [(0.5, "corrected t"), (0.1, "corrected t"), (None, "paired t")]
)
def test_overlap_is_corrected_where_the_share_tested_is_known(fraction, expected):
    assert advised_test(fraction, 10) == advised_test(fraction, 30, "published") == expected
    conservative = expected.replace("corrected t", "corrected t, conservative")
    assert advised_test(fraction, 11) == conservative


def test_a_given_fraction_is_used_where_nothing_else_tells_it(rng):
    table = made(rng.normal(size=(12, 2)))
    frame = table.frame.assign(repetition=table.frame["fold"], fold="1")
    results = Results.from_frame(frame)
    plain = analyse(results)
    given = analyse(results, Settings(test_fraction=0.25))
    x, y = results.matrix("results", "error").T.to_numpy()

    assert (plain.test, given.test) == ("paired t", "corrected t, conservative")
    assert given.chosen.outcome.pvalue == pytest.approx(by_hand(x, y, 0.25, df=9))
    assert "share unknown" in {note.code for note in verdict(plain).notes}


def test_verdict_of_a_pair_in_words(ten_fold):
    decided = verdict(analyse(ten_fold, Settings(pair=("nb", "svc"), test="paired t")))
    open_ = verdict(analyse(ten_fold, Settings(pair=("tree", "logreg"))))

    assert decided.badge == LIMITED  # the plain t test takes folds as independent
    assert decided.headline.startswith("svc is significantly better than nb in ")
    assert ", p = 0.00" in decided.size
    assert "paired t test" in decided.numbers
    assert open_.badge == NOT_SEPARATED
    assert open_.headline.startswith("tree and logreg do not differ significantly in ")
    assert "95% CI [−" in open_.size


def test_the_plain_t_is_called_too_eager_where_the_decision_hangs_on_it(ten_fold):
    seen = set()
    for a, b in combinations(ten_fold.algorithms, 2):
        analysis = analyse(ten_fold, Settings(pair=(a, b), alpha=0.01))
        plain, corrected = analysis.answer("paired t").outcome, analysis.chosen.outcome
        hangs = plain.pvalue <= 0.01 < corrected.pvalue
        assert ("is liberal if training sets overlap" in verdict(analysis).sentences) == hangs
        seen.add(hangs)
    assert seen == {True, False}


def test_tests_by_ranks_that_cannot_reject_say_so():
    results = folds("cv10")
    words = verdict(analyse(results, Settings(test="Wilcoxon", alpha=0.01)))

    assert words.headline == "10 folds are too few for a significant difference."
    assert "p = 0.029, α = 0.01). At least 12 folds are needed." in words.detail


def test_identical_constant_and_parallel_results():
    same = made({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})
    shifted = made({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.4]})

    assert "no test is possible" in verdict(analyse(same)).headline
    assert analyse(same).chosen.outcome.pvalue == 1
    words = verdict(analyse(shifted))
    assert words.badge == LIMITED
    assert "no variation" in words.detail
    assert analyse(shifted, Settings(test="sign test")).chosen.outcome.pvalue == 0.25
    with pytest.raises(DegenerateError, match="no variation"):
        analyse(made({"a": [0.1, 0.2], "b": [0.2, 0.3], "c": [0.4, 0.5]}))
    three = made({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3], "c": [0.1, 0.2, 0.3]})
    assert verdict(analyse(three)).badge == NOT_SEPARATED


def test_one_fold_is_one_number():
    single = made({"a": [0.1], "b": [0.2]})

    assert type(analyse(single)) is UntestedComparison
    assert (
        verdict(analyse(single)).headline
        == "There is one result per algorithm, so no test is possible."
    )


def test_holes_on_folds_wait_for_a_choice():
    table = {"a": [0.1, 0.3, 0.2, 0.4], "b": [0.2, np.nan, 0.3, 0.1], "c": [0.4, 0.1, 0.2, 0.2]}
    results = made(table)
    with pytest.raises(DesignError, match="fold 1"):
        analyse(results)

    kept = results.resolve("drop folds")
    analysis = analyse(kept)

    assert analysis.n_folds == 3
    assert (kept.design, kept.design_label) == ("k-fold", "4-fold cross-validation")
    assert kept.test_fraction("results") == 0.25
    assert "1 of 4 folds was left out" in verdict(analysis).sentences
    assert len(kept.missing) == 0
    assert kept.select(algorithms=["a", "b"]).design_label == "4-fold cross-validation"


def test_five_by_two_with_a_missing_half_refuses_only_the_5x2_tests():
    frame = folds("cv5x2").frame
    frame.loc[(frame["repetition"] == "3") & (frame["fold"] == "1"), "error"] = np.nan
    results = Results.from_frame(frame).resolve("drop folds")
    analysis = analyse(results, Settings(pair=("nb", "svc"), test="corrected t"))

    assert results.design == "5x2"
    assert analysis.answer("5x2 cv F").reason == "needs all ten results, but only 9 are left"
    assert analysis.answer("corrected t").outcome.n == 9
    assert analyse(results, Settings(pair=("nb", "svc"))).test == "corrected t"
    assert analyse(results).test == "corrected t"
    with pytest.raises(DesignError, match="needs all ten"):
        analyse(results, Settings(pair=("nb", "svc"), test="5x2 cv F"))


def test_leaving_out_folds_must_leave_some():
    with pytest.raises(Exception, match="would leave no fold of"):
        made({"a": [0.1, np.nan], "b": [np.nan, 0.2]}).resolve("drop folds")


def test_settings_that_cannot_be():
    results = folds("cv10")
    with pytest.raises(DesignError, match="needs 5 repetitions"):
        analyse(results, Settings(test="5x2 cv F"))
    with pytest.raises(SettingError, match="test"):
        analyse(results, Settings(test="F"))
    with pytest.raises(SettingError, match="two different"):
        analyse(results, Settings(pair=("nb", "nb")))
    with pytest.raises(SettingError, match="no data set"):
        analyse(results, Settings(dataset="nowhere"))


def test_a_data_set_is_chosen_from_many():
    results = shipped("uci38_5x2.csv")
    one = analyse(results, Settings(dataset="iris"))

    assert isinstance(one, FoldsComparison)
    assert one.dataset == "iris"
    assert isinstance(analyse(results, Settings(pair=("SVM (RBF)", "C4.5"))), TwoComparison)
    pair = analyse(results, Settings(pair=("SVM (RBF)", "C4.5")))
    assert (pair.first, pair.second) == ("SVM (RBF)", "C4.5")


def test_underlines_can_hold_a_pair_that_differs():
    p = pd.DataFrame(1.0, index=list("abcd"), columns=list("abcd"))
    p.loc["a", "b"] = p.loc["b", "a"] = 0.01
    p.loc["a", "d"] = p.loc["d", "a"] = 0.01

    assert underlines("abcd", p, 0.05) == [("a", "b", "c"), ("b", "c", "d")]
    assert cliques(p, 0.05) == [("a", "c"), ("b", "c", "d")]
    assert compact_letters(cliques(p, 0.05)).to_dict() == {"a": "a", "c": "ab", "b": "b", "d": "b"}


def recursive_underlines(order, p, alpha):
    """Return the underlines of the published procedure: compare both ends, else leave out either end."""
    found = []

    def look(i, j):
        if i >= j or any(a <= i and j <= b for a, b in found):
            return
        if p.loc[order[i], order[j]] > alpha:
            found.append((i, j))
            return
        look(i, j - 1)
        look(i + 1, j)

    look(0, len(order) - 1)
    # a stretch found on the way can lie inside a later, longer one: only the longest are drawn
    longest = [
        (i, j)
        for i, j in found
        if not any(a <= i and j <= b and (a, b) != (i, j) for a, b in found)
    ]
    return {tuple(order[i : j + 1]) for i, j in longest}


def test_underlines_are_those_of_the_recursive_procedure(rng):
    for _ in range(300):
        k = int(rng.integers(1, 8))
        raw = np.triu(rng.random((k, k)) ** 2, 1)
        order = [f"a{i}" for i in rng.permutation(k)]
        p = pd.DataFrame(raw + raw.T + np.eye(k), index=order, columns=order)

        assert set(underlines(order, p, 0.2)) == recursive_underlines(order, p, 0.2)


def test_algorithms_without_a_common_letter_differ(rng):
    for _ in range(100):
        raw = np.triu(rng.random((6, 6)), 1)
        p = pd.DataFrame(raw + raw.T + np.eye(6), index=list("uvwxyz"), columns=list("uvwxyz"))
        letters = compact_letters(cliques(p, 0.5))
        for a in p:
            for b in p:
                shared = set(letters[a]) & set(letters[b])
                assert bool(shared) == (p.loc[a, b] > 0.5 or a == b)


def test_pairs_carry_everything_and_are_sorted(ten_fold):
    pairs = analyse(ten_fold).pairs.frame

    assert len(pairs) == 15
    assert pairs["p adjusted"].is_monotonic_increasing
    assert (pairs["estimate"] <= 0).all()  # error: the better comes first
    assert (pairs["wins"] + pairs["ties"] + pairs["losses"] == 10).all()
    assert ((pairs["low"] <= pairs["estimate"]) & (pairs["estimate"] <= pairs["high"])).all()


def test_one_answer_is_the_function_behind_it(ten_fold):
    analysis = analyse(ten_fold, Settings(pair=("nb", "svc"), alpha=0.1))
    x, y = analysis.matrix["nb"], analysis.matrix["svc"]

    assert analysis.answer("paired t").low == paired_t(x, y, confidence_level=0.9).low
    with pytest.raises(SettingError, match="test"):
        run_pair_test(None, "no such test")


def test_donors_ordered_by_error_auc_and_area_under_pr():
    """As in Irsoy et al.: five algorithms, three measures, and overlapping underlines."""
    results = shipped("twoclass_scores.csv.gz")
    five = tuple(name for name in results.algorithms if name not in ("10-NN", "QDA"))[:5]
    settings = Settings(
        measure="error",
        dataset="donors",
        without_algorithms=tuple(set(results.algorithms) - set(five)),
    )
    analysis = analyse(results, settings)
    others, refused = other_measures(analysis, ["auc", "auc_pr"])
    changed = changed_decisions([analysis, *others])

    assert refused == {}
    assert [other.settings.measure for other in others] == ["auc", "auc_pr"]
    assert list(changed.columns) == ["error", "auc", "auc_pr"]
    assert len(changed) > 0
    overlapping = [
        set(one) & set(other)
        for analysis_ in (analysis, *others)
        for one in analysis_.groups
        for other in analysis_.groups
        if one < other
    ]
    assert any(overlapping)


def test_a_pair_by_every_measure_says_why_one_cannot_be():
    results = shipped("twoclass_counts.csv")
    analysis = analyse(
        results, Settings(measure="error", dataset="donors", pair=("Decision tree", "LDA"))
    )
    table = by_measure(analysis)

    assert list(table.index) == list(results.measures)
    assert table.loc["error", "p"] == analysis.chosen.outcome.pvalue
    assert set(table["verdict"]) > {"not significant"}


def test_settings_survive_replace():
    assert replace(Settings(), dataset="x").dataset == "x"


def test_what_would_change_a_verdict_on_folds(ten_fold):
    several = sensitivity(analyse(ten_fold)).set_index("setting")
    pair = sensitivity(analyse(ten_fold, Settings(pair=("nb", "svc")))).set_index("setting")

    assert {"α = 0.01", "pairs by Tukey"} <= set(several.index)
    assert not {"pairs by 5x2 cv F", "pairs by Wilcoxon", "overlap ignored"} & set(several.index)
    assert not {"test paired t", "test sign test", "test corrected t"} & set(pair.index)


def test_what_ignored_overlap_may_be_changed_to_what_does_not(ten_fold):
    ignored = sensitivity(analyse(ten_fold, Settings(overlap="ignored"))).set_index("setting")
    plain = Settings(pair=("nb", "svc"), test="paired t")
    pair = sensitivity(analyse(ten_fold, plain)).set_index("setting")

    assert ignored.loc["overlap corrected", "changed"]
    assert not any(setting.startswith("test ") for setting in pair.index.drop("test corrected t"))


def test_five_by_two_folds_may_be_judged_by_the_f_of_other_papers():
    several = sensitivity(analyse(folds("cv5x2")))
    assert "pairs by 5x2 cv F" in set(several["setting"])


def test_a_pair_on_every_data_set_has_its_interval_and_record():
    results = shipped("uci38_5x2.csv")
    analysis = analyse(results, Settings(pair=("SVM (RBF)", "C4.5")))
    table = by_dataset(analysis)
    one = analyse(results, Settings(pair=("SVM (RBF)", "C4.5"), dataset="iris"))

    assert len(table) == 38
    assert (table.loc["iris", "low"], table.loc["iris", "high"]) == (
        one.chosen.low,
        one.chosen.high,
    )
    assert table.loc["iris", "wins"] == "/".join(map(str, one.record("SVM (RBF)")))
    assert table["difference"].is_monotonic_increasing
    averages = shipped("demsar_2006_auc.csv", "auc")
    without = by_dataset(analyse(averages, Settings(pair=("C4.5", "C4.5+m"))))
    assert without["low"].isna().all()
    assert not without["wins"].any()


@draws(300, 2000)
def test_sizes_of_tests_under_the_null_of_their_design(draws):
    """Formulas 6.18: t test on 10 folds .154, ANOVA of 8 .424, t test on 10 x 10 folds .570, corrected tests .050."""
    table = fold_rates(draws).set_index(["design", "test"])["rejects"]

    assert table["10-fold", "paired t"] == share(0.154, draws)
    assert table["10-fold", "blocked ANOVA of 8, independent folds"] == share(0.424, draws)
    assert table["10 x 10-fold", "paired t"] == share(0.570, draws)
    corrected = [value for (_, test), value in table.items() if "corrected" in test]
    assert len(corrected) == 18
    for design in ("10 x 10-fold", "30 partitions, 1/3 tested"):  # exact where folds correlate by f
        assert table[design, "corrected t"] == share(0.05, draws)
    assert table["10-fold", "Hotelling of 2 measures, independent folds"] == share(0.183, draws)
    at_most = {
        key: size for key, size in table.items() if "corrected" in key[1] and "10-fold" != key[0]
    }
    exact = [size for key, size in table.items() if "corrected" in key[1] and key not in at_most]
    assert all(size == share(0.05, draws) for size in exact)
    assert all(size <= share(0.05, draws).expected + 0.03 for size in at_most.values())


@pytest.mark.parametrize("key", ["", "paired t", "Wilcoxon"])
def test_numbers_at_the_ends_of_the_scale(rng, key):
    with pytest.raises(FoldwiseError, match=r"Results must be below 1e\+70, but the largest"):
        analyse(made(1e200 * rng.random((8, 3))), Settings(test=key))

    with pytest.raises(FoldwiseError, match=r"Results must exceed 1e-70 in size somewhere"):
        analyse(made(1e-200 * rng.random((8, 3))), Settings(test=key))


@pytest.mark.parametrize("key", ["", "paired t", "Wilcoxon"])
def test_two_algorithms_with_tiny_results_are_compared_as_in_another_unit(rng, key):
    values = rng.random((8, 2))
    tiny, usual = (analyse(made(unit * values), Settings(test=key)) for unit in (2.0**-600, 1.0))
    assert tiny.chosen.outcome.pvalue == pytest.approx(usual.chosen.outcome.pvalue, rel=1e-12)
    assert tiny.effects.standardised == pytest.approx(usual.effects.standardised, rel=1e-9)
    assert "nan" not in verdict(tiny).sentences


def test_a_difference_that_hardly_varies_is_answered(rng):
    x = 0.1 * rng.random(10) + 0.5
    y = x + 0.1
    y[3] += 1e-6
    effects = analyse(made({"a": x, "b": y})).effects

    assert effects.standardised_low < effects.standardised < effects.standardised_high < 0


def scored(rng, *, restart=False):
    """Return CSV lines of random predictions of two algorithms: 3 repetitions of 4 folds of 5 cases.

    If `restart`, the numbers of cases start again at 0 in each fold.
    """
    rows = [
        (name, r, f, case if restart else 5 * f + case, (case + f) % 2, int(rng.random() < 0.5))
        for name in ("a", "b")
        for r in range(3)
        for f in range(4)
        for case in range(5)
    ]
    return ["algorithm,repetition,fold,instance,true,predicted"] + [
        ",".join(map(str, row)) for row in rows
    ]


def test_cases_do_not_depend_on_the_order_of_rows(rng):
    head, *rows = scored(rng)
    tables = []
    for _ in range(3):
        text = "\n".join([head, *rows])
        tables.append(correct_cases(read_results(("x.csv", text.encode())), "x"))
        rng.shuffle(rows)

    assert tables[0].shape == (20, 2)
    for other in tables[1:]:
        assert other.sort_index().equals(tables[0].sort_index())


def test_numbers_that_start_again_in_every_fold_are_different_cases(rng):
    text = "\n".join(scored(rng, restart=True))

    assert correct_cases(read_results(("x.csv", text.encode())), "x").shape == (20, 2)


def test_the_test_names_the_better_even_against_the_mean():
    x = np.array([0.1] * 11 + [2.9])
    y = np.array([0.2] * 11 + [0.1]) + 0.001 * np.arange(12)
    pair = analyse(made({"a": x, "b": y}), Settings(test="sign test"))
    words = verdict(pair)

    assert pair.chosen.outcome.pvalue < 0.05
    assert words.headline.startswith("a is significantly better than b in ")
    assert "b has the better mean over folds." in words.sentences
    several = analyse(
        made({"a": x, "b": y, "c": y + 0.3 + 0.001 * np.arange(12)[::-1]}),
        Settings(test="sign test", correction="none"),
    )
    row = several.pairs.frame.set_index(["first", "second"]).loc[("a", "b")]
    assert row["separated"]
    assert row["wins"] == 11


def test_what_no_pair_can_reach_depends_on_the_correction():
    rows = {f"a{i}": 0.1 * i + 0.01 * np.arange(6) * (i + 1) for i in range(3)}
    hochberg = analyse(made(rows), Settings(test="Wilcoxon", correction="hochberg"))
    holm = analyse(made(rows), Settings(test="Wilcoxon", correction="holm"))

    assert hochberg.least.pvalue == 2.0**-5
    assert holm.least.pvalue == 3 * 2.0**-5
    assert "too few" in verdict(holm).headline
    assert "too few" not in verdict(hochberg).headline


def test_drawn_sign_flips_have_a_floor_that_folds_do_not_lower(rng):
    analysis = analyse(made(rng.random((20, 34))), Settings(test="sign flips"))

    assert analysis.least.pvalue == pytest.approx(561e-4)
    assert "It remains above α for any number of folds." in verdict(analysis).detail


def test_tests_that_forget_the_overlap_say_so_in_the_verdict(ten_fold):
    for key in ("paired t", "Wilcoxon", "sign flips"):
        pair = verdict(analyse(ten_fold, Settings(pair=("nb", "svc"), test=key)))
        several = verdict(analyse(ten_fold, Settings(test=key, correction="none")))
        assert "assumes independent folds" in pair.sentences
        assert "assumes independent folds" in several.sentences


def test_unadjusted_pairs_guard_nothing(rng):
    for seed in range(40):
        noise = np.random.default_rng(seed).random((10, 6))
        settings = Settings(test="Wilcoxon", correction="none", overlap="ignored")
        words = verdict(analyse(made(noise), settings))
        if "although the omnibus test is not significant" in words.headline:
            assert "false positives" in words.detail
            return
    pytest.fail("no table of noise with a pair and without an overall difference")


def test_cases_of_folds_that_are_left_out_are_left_out_too():
    rows = ["algorithm,fold,instance,true,score"]
    for name in ("a", "b", "c"):
        for fold in (1, 2, 3):
            for case in range(6):
                label = 1 if fold == 2 else case % 2
                rows.append(f"{name},{fold},{10 * fold + case},{label},{(case * 7 + fold) % 5 / 5}")
    results = read_results(("x.csv", "\n".join(rows).encode()))
    kept = results.resolve("drop folds", measure="auc")

    assert len(correct_cases(kept, "x")) == 12
    assert len(correct_cases(results, "x")) == 18


def test_a_test_over_data_sets_speaks_of_them_and_here_is_one(ten_fold):
    for settings in (Settings(), Settings(pair=("nb", "svc"))):
        reasons = dict(advice_on(analyse(ten_fold, settings)).not_allowed)

        assert reasons["Friedman test or Wilcoxon signed-rank test over data sets"] == (
            "These tests need at least two data sets. This comparison is on one data set."
        )


def test_a_first_test_without_a_pair_has_a_badge_and_a_sentence_of_its_own():
    """With this seed, the analysis of variance rejects, but no pair differs significantly."""
    matrix = np.random.default_rng(48).normal(size=(10, 4)) + [0, 0.4, 0.8, 0.6]
    results = made(dict(zip("abcd", matrix.T.tolist(), strict=True)))
    analysis = analyse(results, Settings(test=TUKEY))
    assert analysis.omnibus.pvalue <= 0.05 < analysis.adjusted.to_numpy().min()
    said = verdict(analysis)

    assert said.badge == NO_PAIR
    assert "(analysis of variance: p = 0.0" in said.headline
    assert verdict(analyse(results)).badge == DECIDED  # each pair has its own variance


def test_intervals_of_effects_say_whose_they_are():
    results = shipped("uci38_5x2.csv")
    settings = Settings(measure="error", dataset="iris", pair=("SVM (RBF)", "C4.5"))
    decided, other = (
        analyse(results, replace(settings, test="5x2 cv F")),
        analyse(results, settings),
    )
    counted = analyse(results, replace(settings, test="sign test"))

    own = "The confidence intervals of the effect sizes are based on the Nadeau-Bengio corrected t test"
    assert (
        decided.effects_by
        == f"{own}, and the interval of the mean difference is based on the 5x2 cv F test."
    )
    assert other.effects_by == counted.effects_by == f"{own}."


def test_the_pair_table_says_where_statistic_and_means_take_different_sides():
    """a is slightly lower than b in 7 of 10 folds, and higher by more in 3; c is far from both."""
    steps = np.arange(10) / 1000
    above = np.array([0.001] * 7 + [-0.004] * 3)
    values = {"a": 0.2 + steps, "b": 0.2 + steps + above, "c": 0.4 + 2 * steps}

    def pairs_by(test):
        analysis = analyse(made(values), Settings(measure="error", test=test))
        (table,) = (table for table in report_tables(analysis) if table.name == "pairs")
        return analysis.pairs.frame, table.caption

    found, said = pairs_by("sign test")
    one = found[found["first"].isin(["a", "b"]) & found["second"].isin(["a", "b"])].iloc[0]

    assert (one["first"], one["estimate"], one["statistic"]) == ("b", pytest.approx(0.001), 4)
    assert said.endswith(
        "In 1 pair, the statistic and the difference in means have opposite signs."
    )
    assert "different sides" not in pairs_by("paired t")[1]


def test_a_correction_that_is_too_costly_on_folds_is_replaced_and_said(rng):
    """Bergmann-Hommel is exact for up to 30 algorithms; 31 are adjusted by Shaffer's procedure."""
    analysis = analyse(
        made(rng.normal(size=(10, 31))), Settings(test="paired t", correction="bergmann_hommel")
    )

    (said,) = [note for note in analysis.notes if note.code == "correction replaced"]
    assert said == fallback_message("bergmann_hommel", 31)
    expected = adjust_pairs(analysis.raw.pvalues, "shaffer")
    pd.testing.assert_frame_equal(analysis.adjusted, expected)


def test_sign_tests_on_folds_are_adjusted_by_holm_and_it_is_said(rng):
    analysis = analyse(
        made(rng.normal(size=(10, 4))), Settings(test="sign test", correction="bergmann_hommel")
    )

    (said,) = [note for note in analysis.notes if note.code == "correction replaced"]
    assert "a = b and b = c imply a = c" in str(said)
    assert analysis.correction == "holm"
    expected = adjust_pairs(analysis.raw.pvalues, "holm")
    pd.testing.assert_frame_equal(analysis.adjusted, expected)


@pytest.mark.parametrize("test", ["5x2 cv F", "5x2 cv t", "combined 5x2 cv t"])
def test_no_level_is_promised_by_the_tests_of_five_by_two(test):
    """For nearest neighbours on twonorm, the F test rejects with rate .137 (docs/methods.md)."""
    some = shipped("uci38_5x2.csv").select(datasets=["car"])
    pair = analyse(some, Settings(measure="error", test=test, pair=("5-NN", "SVM (degree 2)")))
    several = analyse(some, Settings(measure="error", test=test))

    assert {pair.guarantee.bounds, several.guarantee.bounds} == {"nothing"}
    assert verdict(pair).badge != DECIDED != verdict(several).badge


def test_tukey_promises_no_level(rng):
    """Tukey's test assumes equal variances, and rejects too often if one algorithm varies more."""
    alike = made(rng.normal(0.2, 0.01, (10, 4)) + [0.0, 0.1, 0.2, 0.3])
    unlike = made(rng.normal(0.2, [0.1, 0.01, 0.01, 0.01], (10, 4)) + [0.0, 0.3, 0.6, 0.9])

    def told(results, **settings):
        c = analyse(results, Settings(**settings))
        return c.guarantee.bounds, verdict(c).badge, {one.code for one in c.notes}

    for results in (alike, unlike):
        bounds, badge, codes = told(results, test=TUKEY)
        assert (bounds, badge, "pooled variance" in codes) == ("nothing", LIMITED, True)
        bounds, badge, codes = told(results)
        assert bounds == "family"
        assert badge == DECIDED
        assert "pooled variance" not in codes


def test_ignored_overlap_reaches_the_test_beside_hotelling(ten_fold):
    names = ten_fold.algorithms[:2]
    x, y = (ten_fold.matrix(ten_fold.datasets[0], "error")[name] for name in names)
    expected = paired_t(x, y).pvalue
    pair = Settings(measure="error", pair=names, overlap="ignored")
    alone = analyse(ten_fold, pair)
    assert (alone.test, alone.pairs.frame["p"].iloc[0]) == ("paired t", pytest.approx(expected))
    corrected = analyse(ten_fold, replace(pair, overlap="corrected"))
    assert corrected.pairs.frame["p"].iloc[0] > expected

    costs = ten_fold.frame.assign(squared=ten_fold.frame["error"] ** 2)
    results = ten_fold.with_rows(costs, directions={**ten_fold.directions, "squared": "lower"})
    together = analyse(results, replace(pair, measures=("error", "squared")))
    assert together.on_one_measure.pairs.frame["p"].iloc[0] == pytest.approx(expected)


def test_an_analysis_of_variance_that_rejects_alone_is_named():
    rng = np.random.default_rng(2)
    effects = np.linspace(0, 0.024, 5)
    table = pd.DataFrame(
        {
            "algorithm": np.repeat([*"abcde"], 10),
            "fold": [str(fold) for fold in range(10)] * 5,
            "error": (0.2 + effects[:, None] + rng.normal(0, 0.012, (5, 10))).ravel(),
            "n_train": 90,
            "n_test": 10,
        }
    )
    comparison = analyse(Results.from_frame(table))
    assert comparison.anova.pvalue <= 0.05
    assert not comparison.pairs.differing
    words = verdict(comparison).sentences
    assert f"analysis of variance is significant (p = {comparison.anova.pvalue:.3f})" in words
    further = table["algorithm"].map(dict(zip("abcde", 4 * effects, strict=True)))
    larger = table.assign(error=table["error"] + further)
    assert (
        "analysis of variance finds" not in verdict(analyse(Results.from_frame(larger))).sentences
    )
