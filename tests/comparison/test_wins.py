"""Tests of wins over data sets, by measures and by thresholds, in all outputs."""

import json
import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

import stats_core as fw
from stats_core.comparison.decide import DECIDED, LIMITED, NOT_SEPARATED
from stats_core.comparison.kinds.wins import WinsComparison, wins
from stats_core.core.errors import DesignError, SettingError
from stats_core.curves.curve_comparison import curves_of_folds
from stats_core.curves.threshold_sweep import THETAS, over_data_sets, sweep
from stats_core.data.measures import COUNTS
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.paired import corrected_t, paired_t
from stats_core.power.detectable import detectable
from stats_core.report.analysis_steps import chain
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_json, to_script
from stats_core.report.tables.win_tables import spans
from stats_core.report.verdict import verdict
from tests.report.report_cases import case, read
from tests.samples import shipped

Settings = fw.Settings
TOGETHER = ("fpr", "tpr")


def counts_of(errors, n_folds=10, seed=4):
    """Return results with confusion counts, from data set -> algorithm -> mean errors among 50 cases of each class.

    Errors vary from fold to fold, by at most one case.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, by_algorithm in errors.items():
        for algorithm, wrong in by_algorithm.items():
            for fold in range(1, n_folds + 1):
                fn, fp = (int(w) for w in wrong + rng.integers(-1, 2, 2))
                rows.append((dataset, algorithm, fold, 50 - fn, fp, 50 - fp, fn))
    columns = ["dataset", "algorithm", "fold", "tp", "fp", "tn", "fn"]
    text = pd.DataFrame(rows, columns=columns).to_csv(index=False)
    return fw.read_results(text.encode())


def won_on(n, a=5, b=20, **others):
    """Return counts of n data sets; a has fewer errors than b on all of them."""
    return counts_of({f"d{i}": {"a": a, "b": b, **others} for i in range(n)})


def scored(n_sets, seed=2):
    """Return predictions of two algorithms on `n_sets` data sets; the scores of "good" separate the classes."""
    rng = np.random.default_rng(seed)
    parts = []
    for d in range(n_sets):
        for fold in range(1, 11):
            truth = np.repeat([0, 1], 20)
            for name, part in (("good", 4), ("bad", 0.3)):
                score = 1 / (1 + np.exp(-rng.normal(part * (truth - 0.5), 1)))
                table = pd.DataFrame({"true": truth, "score": score, "instance": range(40)})
                parts.append(table.assign(dataset=f"d{d}", algorithm=name, fold=fold))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def good():
    """Results read from predictions on six data sets."""
    return fw.read_results(scored(6).to_csv(index=False).encode())


# -- the same numbers as the parts it is made of ----------------------------------------------


@pytest.mark.parametrize("correction", ["bergmann_hommel", "hommel", "none"])
def test_by_measures_it_is_wins(correction):
    results, settings = read("thesis_counts.csv"), Settings(correction=correction)
    analysis = fw.analyse(results, replace(settings, measures=TOGETHER))
    found = wins(results, TOGETHER, replace(settings, measure=results.measures[0]))

    assert isinstance(analysis, WinsComparison)
    pd.testing.assert_frame_equal(analysis.wins, found.wins)
    pd.testing.assert_frame_equal(analysis.adjusted, found.pvalues)
    pd.testing.assert_series_equal(analysis.total, found.total)
    assert (analysis.won, analysis.n, analysis.skipped) == (found.won, found.n, found.skipped)
    assert analysis.sweeps == {}
    # Shaffer and Bergmann-Hommel need that differing is transitive; wins are not
    assert analysis.correction == ("holm" if correction == "bergmann_hommel" else correction)


def test_by_thresholds_it_is_the_sweeps():
    analysis, _ = case("thresholds")
    results, names = analysis.results, analysis.results.algorithms
    sweeps = {}
    for dataset in results.datasets:
        data = curves_of_folds(results, dataset)
        places = [data.names.index(name) for name in names]
        sweeps[dataset] = sweep(
            data.counts(THETAS)[:, places], names, measures=COUNTS, test_fraction=0.1
        )
    found = over_data_sets(sweeps)

    assert results.design_label == "10-fold cross-validation"  # so a tenth is tested
    pd.testing.assert_frame_equal(analysis.wins, found.wins)
    pd.testing.assert_frame_equal(analysis.adjusted, found.pvalues)
    assert analysis.won == found.won
    assert analysis.n == found.n == 3
    assert analysis.correction == "bonferroni"
    for dataset, one in analysis.sweeps.items():
        pd.testing.assert_frame_equal(one.winners, sweeps[dataset].winners)
    for name in names:
        won = {s for other in names if other != name for s in found.won[name, other]}
        assert analysis.total[name] == len(won)


def test_overlap_ignored_sweeps_as_if_folds_were_independent():
    results = read("twoclass_scores.csv.gz")
    pair = Settings(thresholds=True, pair=("LDA", "SVM (degree 2)"))
    corrected, ignored = (
        fw.analyse(results, replace(pair, overlap=overlap)) for overlap in ("corrected", "ignored")
    )

    for dataset in results.datasets:
        p, less = (one.sweeps[dataset].pvalues.stack().dropna() for one in (corrected, ignored))
        assert len(p) > 5
        assert (p >= less).all()
    assert "multiplied by 2.111" in methods_paragraph(corrected)  # 1 + 10 (1/9), formula 6.0
    assert "assumed independent" in methods_paragraph(ignored)


# -- on each data set: the vectors, then risk ---------------------------------------------------


def by_brute_force(results, dataset, measures, rule, alpha=0.05):
    """Return the pairs (winner, loser) by Holm over Hotelling tests and, by rule "risk", over t tests of risk."""
    names, fraction = results.algorithms, results.test_fraction(dataset)
    vectors = dict(zip(names, results.vectors(dataset, measures), strict=True))
    risk = 0.5 * results.matrix(dataset, "fp") + 0.5 * results.matrix(dataset, "fn")
    many = fraction is not None and vectors[names[0]].shape[0] > 10
    options = {} if fraction is None else {"test_fraction": fraction}
    together, alone = (options | ({"max_df": df} if many else {}) for df in (8, 9))
    t_test = paired_t if fraction is None else corrected_t
    pairs = list(combinations(names, 2))
    differ = [hotelling_paired(vectors[a], vectors[b], **together).pvalue for a, b in pairs]
    apart = [t_test(risk[a], risk[b], **alone).pvalue for a, b in pairs]
    both = multipletests(differ, alpha, "holm")[0]  # statsmodels' own Holm
    if rule == "risk":
        both &= multipletests(apart, alpha, "holm")[0]
    means = risk.mean()
    return {
        (a, b) if means[a] < means[b] else (b, a)
        for (a, b), yes in zip(pairs, both, strict=True)
        if yes
    }


@pytest.mark.parametrize("rule", ["risk", "thesis"])
@pytest.mark.parametrize("file", ["thesis_counts.csv", "twoclass_counts.csv"])
def test_a_win_is_a_difference_of_vectors_and_a_lower_risk(file, rule):
    results = read(file).select(datasets=read(file).datasets[:2])
    settings = Settings(measures=TOGETHER, correction="holm", win=rule)
    analysis = fw.analyse(results, settings)

    for dataset in results.datasets:
        expected = by_brute_force(results, dataset, TOGETHER, rule)
        assert {pair for pair, sets in analysis.won.items() if dataset in sets} == expected


def crossed(n=7):
    """Return counts in which a has more false positives, b more false negatives, and a fewer errors by one."""
    rng, rows = np.random.default_rng(5), []
    for d in range(n):
        for fold in range(10):
            for name, fn, fp in (("a", 5, 14), ("b", 15, 5)):
                fn, fp = (int(wrong) for wrong in np.array([fn, fp]) + rng.integers(-3, 4, 2))
                rows.append((f"d{d}", name, fold, 50 - fn, fp, 50 - fp, fn))
    columns = ["dataset", "algorithm", "fold", "tp", "fp", "tn", "fn"]
    return fw.read_results(pd.DataFrame(rows, columns=columns).to_csv(index=False).encode())


def test_who_errs_differently_at_nearly_the_same_risk_wins_by_the_thesis_only():
    by_risk, by_thesis = (
        fw.analyse(crossed(), Settings(measures=TOGETHER, win=rule)) for rule in ("risk", "thesis")
    )

    assert (by_risk.tests["p measures"] <= 0.001).all()
    assert by_risk.wins.to_numpy().sum() == 0
    assert by_risk.tests["reason"].str.startswith("significantly different errors, but no").all()
    assert by_thesis.wins.to_numpy().sum() == 7
    assert (by_thesis.tests["reason"] == "").all()
    assert by_thesis.tests["p risk"].isna().all()
    pd.testing.assert_series_equal(by_thesis.tests["p measures"], by_risk.tests["p measures"])


def test_counts_of_a_fold_carry_two_dimensions_here_too():
    """tp + fn and fp + tn are the same for every algorithm (formula 6.4)."""
    four, two = (
        fw.analyse(read("twoclass_counts.csv"), Settings(measures=measures))
        for measures in (("tp", "fp", "tn", "fn"), ("fp", "fn"))
    )

    np.testing.assert_allclose(four.tests["p measures"], two.tests["p measures"], rtol=1e-6)
    np.testing.assert_allclose(four.manova, two.manova, rtol=1e-6)
    assert four.won == two.won


def test_manova_is_reported_by_data_set_and_is_no_gate():
    analysis = fw.analyse(read("twoclass_counts.csv"), Settings(measures=TOGETHER))
    for dataset in analysis.results.datasets:
        alone = fw.analyse(analysis.results, Settings(measures=TOGETHER, dataset=dataset))
        assert analysis.manova[dataset] == pytest.approx(alone.manova.pvalue)
        own = analysis.tests[analysis.tests["data set"] == dataset].set_index(["first", "second"])
        for a, b in combinations(analysis.results.algorithms, 2):
            assert own.loc[(a, b), "p measures"] == pytest.approx(alone.adjusted.loc[a, b])
    rejects = (analysis.manova <= 0.05).sum()
    of_all = "all" if rejects == 7 else f"{rejects} of"
    assert f"MANOVA is significant on {of_all} 7 data sets." in map(str, verdict(analysis).notes)
    equal = counts_of({f"d{i}": dict.fromkeys("abc", 12) for i in range(6)})
    quiet = fw.analyse(equal, Settings(measures=TOGETHER))
    silent = quiet.manova.index[quiet.manova > 0.05]
    assert len(silent) > 3
    assert quiet.tests.loc[quiet.tests["data set"].isin(silent), "p measures"].notna().all()


def test_a_pair_that_cannot_be_tested_is_a_tie_with_its_reason():
    """b has exactly five more errors of each class than a in every fold; c varies independently."""
    rng, rows = np.random.default_rng(5), []
    for d in range(6):
        for fold in range(10):
            fn, fp = (int(wrong) for wrong in rng.integers(5, 15, 2))
            other = [int(wrong) for wrong in rng.integers(20, 40, 2)]
            for name, wrong in (("a", (fn, fp)), ("b", (fn + 5, fp + 5)), ("c", other)):
                rows.append((f"d{d}", name, fold, 50 - wrong[0], wrong[1], 50 - wrong[1], wrong[0]))
    columns = ["dataset", "algorithm", "fold", "tp", "fp", "tn", "fn"]
    table = pd.DataFrame(rows, columns=columns)
    analysis = fw.analyse(
        fw.read_results(table.to_csv(index=False).encode()), Settings(measures=TOGETHER)
    )
    own = analysis.tests[(analysis.tests["first"] == "a") & (analysis.tests["second"] == "b")]

    assert analysis.n == 6
    assert own["p measures"].isna().all()
    assert set(own["reason"]) == {"the results do not vary between folds"}
    assert analysis.wins.loc["a", "c"] == analysis.wins.loc["b", "c"] == 6
    tests = {t.name: t for t in report_tables(analysis)}["tests"].frame
    assert tests["pairs not tested"].tolist() == [1] * 6
    check_all(analysis)

    few = table[(table["dataset"] != "d0") | (table["fold"] < 2)]
    left = fw.analyse(
        fw.read_results(few.to_csv(index=False).encode()), Settings(measures=TOGETHER)
    )
    assert list(left.skipped) == ["d0"]
    assert "2 folds are too few. Use fewer measures" in left.skipped["d0"]


def test_thresholds_go_by_the_rule_of_the_settings(good):
    for rule in ("risk", "thesis"):
        analysis = fw.analyse(good, Settings(thresholds=True, win=rule))
        assert {one.rule for one in analysis.sweeps.values()} == {rule}
        assert ("lower expected cost where vectors differ" in analysis.win) == (rule == "thesis")
        assert ("paired t test of expected cost" in methods_paragraph(analysis)) == (rule == "risk")
    with pytest.raises(SettingError, match="`win`"):
        fw.analyse(good, Settings(thresholds=True, win="luck"))


@pytest.mark.parametrize("rule", ["risk", "thesis"])
@pytest.mark.parametrize("pair", [(), ("Random forest", "Decision tree")])
def test_words_say_what_was_done(rule, pair):
    settings = Settings(measures=TOGETHER, win=rule, pair=pair, correction="holm")
    analysis = fw.analyse(read("twoclass_counts.csv"), settings)
    said, by_risk = methods_paragraph(analysis), rule == "risk"
    steps = {step.question: step for step in chain(analysis.results, settings).steps}
    who = steps["Wins on a data set"]
    tables = {table.name: table for table in report_tables(analysis)}

    assert "paired Hotelling T²" in analysis.win
    assert "paired Hotelling T² test" in said
    assert ("multivariate analysis of variance" in said) == (not pair)
    assert ("MANOVA" in verdict(analysis).sentences) == (not pair)
    assert any(step.test.startswith("MANOVA") for step in steps.values()) == (not pair)
    for text in (analysis.win, said, who.test):
        assert ("paired t test" in text) == by_risk
    assert ("the winner is random" in who.fails) == (not by_risk)
    assert "not tested" not in said
    if pair:
        assert ("p of the t test of expected cost" in tables["tests"].frame) == by_risk
        assert tables["tests"].frame["winner"].tolist() == analysis.tests["winner"].tolist()
        return
    assert "adjusted over pairs with Holm's procedure" in said
    assert ("with the same adjustment" in said) == by_risk
    for dataset, row in tables["tests"].frame.iterrows():
        own = analysis.tests[analysis.tests["data set"] == dataset]
        assert row["p of MANOVA"] == analysis.manova[dataset]
        assert row["number of significant pairs"] == (own["p measures"] <= 0.05).sum()
        assert row["pairs with a winner"] == sum(dataset in sets for sets in analysis.won.values())


# -- by hand ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("k", "n", "correction", "expected"),
    [
        (2, 6, "holm", 2 / 2**6),  # one pair, 2 (1/2)^n
        (2, 5, "holm", 2 / 2**5),
        (3, 6, "holm", 3 * 2 / 2**6),
        (3, 6, "bonferroni", 3 * 2 / 2**6),
        (3, 6, "none", 2 / 2**6),
        (3, 6, "hommel", 2 / 2**6),  # all three pairs could be as small
        (4, 3, "holm", 1.0),  # 6 (2/8) is more than 1
    ],
)
def test_the_smallest_pvalue_is_that_of_winning_all(k, n, correction, expected):
    wrong = dict(zip("abcd"[:k], (3, 12, 21, 30), strict=False))
    results = counts_of({f"d{i}": wrong for i in range(n)})
    analysis = fw.analyse(results, Settings(measures=TOGETHER, correction=correction))

    assert analysis.least.pvalue == pytest.approx(expected)
    assert analysis.wins.loc["a", "b"] == n
    assert analysis.adjusted.to_numpy().min() >= analysis.least.pvalue - 1e-12


def test_pairs_groups_and_order_by_hand():
    """a wins over b and c on all of eight data sets, b over c on six, and c over b on one."""
    errors = {f"d{i}": {"a": 5, "b": 20, "c": 35} for i in range(6)}
    errors |= {"d6": {"a": 5, "b": 35, "c": 20}, "d7": {"a": 5, "b": 20, "c": 20}}
    analysis = fw.analyse(counts_of(errors), Settings(measures=TOGETHER, correction="none"))

    assert analysis.order == ["a", "b", "c"]
    counted = ["first", "second", "wins", "ties", "losses", "separated"]
    assert analysis.pairs.frame[counted].to_numpy().tolist() == [
        ["a", "b", 8, 0, 0, True],
        ["a", "c", 8, 0, 0, True],
        ["b", "c", 6, 1, 1, False],
    ]
    # 2 (1/2)^8; of 6 to 1 with one tie, dropped: 2 P(Bin(7, 1/2) >= 6) = 2 (7 + 1) / 128
    assert analysis.pairs.frame["p adjusted"].tolist() == pytest.approx(
        [2 / 256, 2 / 256, 16 / 128]
    )
    assert set(analysis.groups) == {("a",), ("b", "c")}
    assert analysis.total.to_dict() == {"a": 8, "b": 6, "c": 1}
    assert analysis.beats.to_numpy().tolist() == [[False, True, True], [False] * 3, [False] * 3]
    tables = {table.name: table for table in report_tables(analysis)}
    assert tables["datasets"].texts.loc["d6"].tolist() == ["2/0/0", "0/0/2", "1/0/1"]
    assert tables["datasets"].texts.loc["d7"].tolist() == ["2/0/0", "0/1/1", "0/1/1"]
    assert tables["winners"].texts.iloc[:2].to_numpy().tolist() == [
        ["d0", "a", "b and c"],
        ["d0", "b", "c"],
    ]
    assert tables["wins"].texts.to_numpy().tolist() == [
        ["", "8", "8", "8"],
        ["0", "", "6", "6"],
        ["0", "1", "", "1"],
    ]


def test_spans_join_neighbours():
    assert spans(THETAS, THETAS <= 0.1) == "0 to 0.1"
    assert spans(THETAS, np.isin(THETAS, [0.15, 0.5, 0.55, 1])) == "0.15, 0.5 to 0.55, 1"
    assert spans(THETAS, [False] * len(THETAS)) == ""


# -- verdicts ---------------------------------------------------------------------------------


def test_too_few_data_sets_are_said_to_be_too_few():
    said = verdict(fw.analyse(won_on(5), Settings(measures=TOGETHER)))

    assert said.badge == LIMITED
    assert said.headline == "5 data sets are too few for a significant difference."
    assert "(p = 0.062, " in said.detail  # 2 (1/2)^5 = 0.0625


def test_six_wins_of_six_decide_between_two():
    analysis = fw.analyse(won_on(6), Settings(measures=TOGETHER))
    said = verdict(analysis)

    assert said.badge == DECIDED
    assert said.headline == "a wins significantly more often than b (6 to 0) over 6 data sets."
    assert said.numbers.startswith("Two-sided sign test: p = 0.031.")  # 2 / 64
    assert analysis.guarantee.bounds == "one"  # there is no family of pairs
    assert "the wins and losses of a and b were compared" in methods_paragraph(analysis)


def test_nobody_is_shown_to_win_more():
    errors = {f"d{i}": {"a": 5, "b": 20} if i % 2 else {"a": 20, "b": 5} for i in range(6)}
    said = verdict(fw.analyse(counts_of(errors), Settings(measures=TOGETHER)))

    assert said.badge == NOT_SEPARATED
    assert said.headline == "a and b do not differ significantly in wins over 6 data sets (3 to 3)."
    assert ": p > 0.999. A non" in said.detail
    assert "not evidence of equivalence" in said.detail


def test_many_that_differ_are_named_up_to_three():
    wrong = {"a": 3, "b": 14, "c": 25, "d": 36}
    results = counts_of({f"d{i}": wrong for i in range(12)})
    analysis = fw.analyse(results, Settings(measures=TOGETHER))

    assert "All 6 pairs differ significantly" in verdict(analysis).detail
    assert (
        verdict(analysis).headline
        == "a is significantly better than b, c and d in wins over 12 data sets."
    )
    assert analysis.pairs.decisions["separated"].sum() == 6


# -- few, and none ----------------------------------------------------------------------------


def test_thresholds_of_one_data_set_are_counted_but_decide_nothing():
    results = read("twoclass_scores.csv.gz")
    analysis = fw.analyse(results, Settings(thresholds=True, dataset="donors"))
    names = [table.name for table in report_tables(analysis)]

    assert (analysis.n, list(analysis.sweeps)) == (1, ["donors"])
    assert analysis.least.pvalue == 1
    assert verdict(analysis).headline == "1 data set is too few for a significant difference."
    assert names == ["wins", "pairs", "groups", "datasets", "winners", "thresholds_1"]
    assert set(np.unique(analysis.wins)) == {0, 1}


def test_what_cannot_be_decided_is_left_out_and_said():
    """On data set d6, the result of b in one fold is missing."""
    results = won_on(7)
    gap = (results.frame["dataset"] == "d6") & (results.frame["algorithm"] == "b")
    table = results.frame[~(gap & (results.frame["fold"] == "3"))]
    holed = fw.read_results(table.to_csv(index=False).encode())
    analysis = fw.analyse(holed, Settings(measures=TOGETHER))

    assert (analysis.n, list(analysis.skipped)) == (6, ["d6"])
    assert str(verdict(analysis).notes[0]).startswith("1 data set was left out. d6: Tests on folds")
    assert "1 data set could not be decided and was left out: d6." in methods_paragraph(analysis)
    tables = {table.name: table for table in report_tables(analysis)}
    assert list(tables["skipped"].frame.index) == ["d6"]
    assert "d6" not in set(tables["winners"].frame["data set"])


def test_without_counts_or_scores_it_is_refused():
    with pytest.raises(DesignError, match="Wins by expected cost need the counts tp, fp, tn and"):
        fw.analyse(shipped("uci38_5x2.csv"), Settings(measures=("error", "test_error")))
    with pytest.raises(DesignError, match="A threshold sweep needs predictions"):
        fw.analyse(read("thesis_counts.csv"), Settings(thresholds=True))


# -- everything answers -----------------------------------------------------------------------


def check_all(analysis):
    """Assert that sentences, tables and documents of an analysis of wins agree with its numbers."""
    pairs, alpha = analysis.pairs.frame, analysis.settings.alpha
    k, said = len(analysis.wins), verdict(analysis)
    assert len(pairs) == k * (k - 1) // 2
    assert (pairs["wins"] + pairs["ties"] + pairs["losses"] == analysis.n).all()
    assert (pairs["wins"] >= pairs["losses"]).all()
    for first, second, p in pairs[["first", "second", "p adjusted"]].itertuples(index=False):
        assert p == analysis.adjusted.loc[first, second] == analysis.adjusted.loc[second, first]
        assert any({first, second} <= set(group) for group in analysis.groups) == (p > alpha)
    expected = DECIDED if pairs["separated"].any() else NOT_SEPARATED
    assert said.badge == (LIMITED if analysis.least.pvalue > alpha else expected)
    assert pairs["p adjusted"].min() >= analysis.least.pvalue - 1e-12
    for first, second, won, lost in re.findall(
        r"(\w+) wins significantly more often than (\w+) \((\d+) to (\d+)\)", said.headline
    ):
        assert analysis.wins.loc[first, second] == int(won)
        assert analysis.wins.loc[second, first] == int(lost)
        assert analysis.beats.loc[first, second]

    for (a, b), sets in analysis.won.items():
        if not analysis.sweeps:
            own = analysis.tests[analysis.tests["winner"] == a]
            beaten = own[(own["first"] == b) | (own["second"] == b)]
            assert tuple(beaten["data set"]) == sets
    if not analysis.sweeps:
        assert (analysis.tests["p measures"][analysis.tests["winner"] != ""] <= alpha).all()
        assert ((analysis.tests["winner"] == "") == (analysis.tests["reason"] != "")).all()

    pd.testing.assert_frame_equal(analysis.table(), pairs.drop(columns=["low", "high"]))
    document = json.loads(to_json(analysis))
    assert document["analysis"]["kind"] == "wins"
    assert document["analysis"]["smallest_pvalue"] == analysis.least.pvalue
    assert document["verdict"]["headline"] == said.headline
    compile(to_script(analysis, ["results.csv"]), "script", "exec")
    seen = detectable(analysis)
    assert seen.can_reject == (analysis.least.pvalue <= alpha)
    steps = chain(analysis.results, analysis.settings).steps
    assert any("sign test" in step.test for step in steps)
    tables = {table.name: table for table in report_tables(analysis)}
    assert tables["wins"].frame.loc[analysis.order, analysis.order].sum().sum() == (
        analysis.wins.to_numpy().sum()
    )
    page = to_html(analysis)
    assert said.headline.replace("&", "&amp;") in page
    assert to_latex(analysis).results.isascii()


def test_everything_answers_for_thresholds(good):
    analysis = fw.analyse(good, Settings(thresholds=True))

    check_all(analysis)
    # six of six: 2 (1/2)^6 = 0.031
    assert (
        verdict(analysis).headline
        == "good wins significantly more often than bad (6 to 0) over 6 data sets."
    )
    tables = {table.name: table for table in report_tables(analysis)}
    for place, found in enumerate(analysis.sweeps.values(), start=1):
        row = tables[f"thresholds_{place}"].frame.iloc[0]
        won, tied, lost = (int(part) for part in row["wins/ties/losses"].split("/"))
        winners = found.winners.to_numpy()[0]
        assert (row["algorithm A"], row["algorithm B"]) == ("good", "bad")
        assert (won, lost) == ((winners == "good").sum(), (winners == "bad").sum())
        assert won + tied + lost == 21
        assert row["thresholds θ at which good wins"] == spans(found.thetas, winners == "good")
        assert tables[f"thresholds_{place}"].best == {1: (["algorithm A"], [])}


@st.composite
def small_wins(draw):
    """Draw an analysis of wins of few algorithms on few data sets."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(2, 9))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    spread = draw(st.sampled_from([1, 4, 20]))
    errors = {
        f"d{i}": {name: 2 + int(rng.integers(0, spread)) for name in "abcd"[:k]} for i in range(n)
    }
    chosen = Settings(
        measures=TOGETHER,
        alpha=draw(st.sampled_from([0.01, 0.05, 0.3])),
        correction=draw(st.sampled_from(["", "holm", "hommel", "hochberg", "nemenyi", "none"])),
        overlap=draw(st.sampled_from(["corrected", "ignored"])),
        win=draw(st.sampled_from(["risk", "thesis"])),
    )
    try:
        return fw.analyse(counts_of(errors, draw(st.sampled_from([3, 10]))), chosen)
    except DesignError as error:  # of three folds, differences can all lie on one line
        if "to which the test can be applied" not in str(error):
            raise
        reject()


@hypothesis_settings(max_examples=hypothesis_settings.default.max_examples // 4)
@given(small_wins())
def test_everything_answers_whatever_the_counts(analysis):
    check_all(analysis)


@hypothesis_settings(max_examples=hypothesis_settings.default.max_examples // 4)
@given(small_wins())
def test_wins_do_not_depend_on_the_order_of_algorithms(analysis):
    frame = analysis.results.frame
    turned = frame.iloc[::-1].to_csv(index=False).encode()
    again = fw.analyse(fw.read_results(turned), analysis.settings)

    for a, b in combinations(analysis.wins.index, 2):
        assert set(again.won[a, b]) == set(analysis.won[a, b])
        assert again.adjusted.loc[a, b] == pytest.approx(analysis.adjusted.loc[a, b])
