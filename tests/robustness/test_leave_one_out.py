"""Tests of leave-one-out over data sets and algorithms, and of replication probabilities."""

import json
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import stats_core.inference.paired.signed_ranks as signed_ranks
from foldwise.cli.commands import robustness as printed
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.comparison.kinds.datasets import TwoComparison
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import wilcoxon
from stats_core.inference.ranks import exact_rank_pairs
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.reproduce import to_json
from stats_core.report.robustness_text import (
    describe_leave_one_out,
    describe_replication,
    describe_stability,
    stability_runs,
)
from stats_core.report.tables.robustness_tables import robustness as shown
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import (
    GAINED,
    _columns,
    claims_of,
    decisions_of,
    leave_one_out,
    lost_claims,
    replication,
    stability,
)
from tests.comparison.test_analyse import results_from
from tests.conftest import load_reference
from tests.samples import shipped

SIZES = [(3, 3), (65, 3), (35, 4), (7, 2), (9, 4), (16, 2), (14, 6)]  # data sets, algorithms


def table(n, k, *, seed=0, spread=0.5, holes=0):
    """Return rounded errors of k algorithms with small differences on n data sets, with ties and missing results."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + np.linspace(0, 0.8, k) + spread * rng.normal(size=(n, k))
    values[rng.integers(0, n, holes), rng.integers(0, k, holes)] = np.nan
    frame = pd.DataFrame(values.round(1), columns=[f"m{j}" for j in range(k)])
    frame["dataset"] = [f"d{i:02}" for i in range(n)]
    long = frame.melt("dataset", var_name="algorithm", value_name="error").dropna()
    return Results.from_frame(long, directions={"error": "lower"})


def directed(comparison):
    """Return (better, worse) of every pair that differs significantly."""
    found = comparison.pairs.frame[comparison.pairs.decisions["separated"].astype(bool)]
    return {
        (a, b) if comparison.beats.loc[a, b] else (b, a)
        for a, b in found[["first", "second"]].itertuples(index=False)
    }


def by_brute_force(results, settings, whole):
    """Return in how many analyses without one data set a claim, and in how many the best algorithm, is lost.

    A refused analysis loses all claims; the loss of the best algorithm is the loss of a claim, too.
    """
    before, lost, first = directed(whole), 0, 0
    for name in results.datasets:
        try:
            then = analyse(results, replace(settings, without_datasets=(name,)))
        except FoldwiseError:
            lost += 1
            continue
        no_best = whole.kind != "control" and whole.order[0] not in then.top
        first += no_best
        lost += bool(before - directed(then)) or no_best
    return lost, first


CASES = {
    "all pairs": Settings(),
    "by ranks": Settings(source="ranks", correction="nemenyi"),
    "by signs": Settings(source="sign", correction="holm"),
    "control": Settings(control="m0"),
}


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_number_is_that_of_every_analysis_without_one(name, size):
    results = table(*size, seed=sum(size))
    whole = analyse(results, CASES[name])
    found = leave_one_out(whole)

    lost, first = by_brute_force(results, whole.settings, whole)
    assert (found.n, found.lost) == (size[0], lost)
    assert found.best == (None if whole.kind == "control" else first)
    assert found.claimed == len(directed(whole)) == len(found.pairs)
    assert len(found.which) == found.lost
    said = f"{found.lost} of {size[0]} " if found.lost else "All significant differences"
    assert said in describe_leave_one_out(found) or not found.claimed


def test_some_of_these_tables_lose_something_and_some_lose_nothing():
    found = [leave_one_out(analyse(table(n, k, seed=n + k))) for n, k in SIZES]
    assert {0 < one.lost < one.n for one in found} == {True, False}
    assert any(one.claimed and not one.lost for one in found)


def test_with_holes_each_run_compares_what_both_have():
    results = table(20, 4, seed=3, holes=6).resolve("present")
    whole = analyse(results)
    assert whole.kind == "present"
    assert leave_one_out(whole).lost == by_brute_force(results, Settings(), whole)[0]


def test_wins_are_counted_without_each_data_set():
    results = shipped("thesis_counts.csv")
    settings = Settings(measures=("fpr", "tpr"))
    whole = analyse(results, settings)
    found = leave_one_out(whole)
    assert (found.lost, found.best) == by_brute_force(results, settings, whole)
    assert found.n == whole.n


def test_resampled_wins_are_those_of_the_drawn_data_sets():
    whole = analyse(shipped("thesis_counts.csv"), Settings(measures=("fpr", "tpr")))
    before = whole.pairs.frame
    rows = whole.resampled(np.array([0, 0, 1])).pairs.frame
    assert (rows["wins"] + rows["ties"] + rows["losses"] == 3).all()
    assert not rows["p adjusted"].equals(before["p adjusted"])


def test_gains_do_not_count():
    """By hand: with eight wins and one large loss, p is above 0.1; without the loss, it is 2^-7."""
    scores = pd.DataFrame({"a": [*range(1, 9), 0.0], "b": [0.0] * 8 + [9.0]})
    scores["dataset"] = [*"tuvwxyz", "s", "odd"]
    long = scores.melt("dataset", var_name="algorithm", value_name="accuracy")
    found = leave_one_out(analyse(Results.from_frame(long), Settings(alpha=0.01)))
    assert (found.claimed, found.lost, found.n) == (0, 0, 9)


def test_a_difference_that_turns_round_is_lost():
    """If the order of the algorithms is reversed on every data set, each pair differs in the other direction."""
    whole = analyse(table(30, 3, seed=1))
    reverse = np.tile(np.arange(3)[::-1], (30, 1))
    claims = claims_of(whole)
    gone, best = lost_claims(whole, claims, decisions_of(whole.resampled(np.arange(30), reverse)))
    assert claims.any()
    assert (gone == claims).all()
    assert best == whole.order[-1]


@pytest.mark.parametrize("size", [(9, 4), (35, 4)], ids=str)
def test_everything_that_shows_the_number_shows_the_same(size):
    whole = analyse(table(*size, seed=5))
    found = leave_one_out(whole)

    (line,) = printed(whole)
    document = json.loads(to_json(whole))["leave_one_out"]
    assert line == document["text"] == describe_leave_one_out(found)
    assert (document["lost"], document["n"]) == (found.lost, found.n)
    assert describe_leave_one_out(found) in to_html(whole)
    assert describe_leave_one_out(found).replace("...", "") in to_latex(whole).results
    assert list(
        shown(found, None).frame[f"runs in which the difference disappears (of {found.n})"]
    ) == list(found.pairs["runs"])


def test_words_make_no_test(monkeypatch):
    """Verdict and decision must not run tests, which would take as long as n analyses."""
    comparison = analyse(table(14, 6, seed=2))
    assert len(comparison.pairs.frame) == 15

    def refuse(*_, **__):
        raise AssertionError("a test was made")

    for name in ("signed_rank_rows", "signed_rank_pairs"):
        monkeypatch.setattr(signed_ranks, name, refuse)
    monkeypatch.setattr(type(comparison), "resampled", refuse)
    assert decide(comparison).badge == verdict(comparison).badge


def test_two_data_sets_and_one_data_set():
    two = leave_one_out(analyse(table(2, 4)))
    assert (two.n, two.lost) == (0, 0)
    assert describe_leave_one_out(two) == "Leave-one-out runs need at least 3 data sets."
    folds = [("d", f, a, (f * (3 + j)) % 7) for j, a in enumerate("abc") for f in range(10)]
    frame = pd.DataFrame(folds, columns=["dataset", "fold", "algorithm", "error"])
    one = analyse(Results.from_frame(frame, directions={"error": "lower"}))
    assert one.units == ()
    assert json.loads(to_json(one))["leave_one_out"] is None
    with pytest.raises(DesignError, match="several data sets"):
        one.resampled(np.arange(3))
    with pytest.raises(DesignError, match="at least 3 data sets"):
        replication(one)


def test_replication_is_repeated_by_its_seed_and_refuses_no_resamples():
    comparison = analyse(table(14, 6, seed=2))
    first, again = (replication(comparison, resamples=20, seed=4) for _ in range(2))
    assert first.pairs.equals(again.pairs)
    assert first.every == again.every
    assert not first.pairs.equals(replication(comparison, resamples=20, seed=5).pairs)
    with pytest.raises(SettingError, match="at least 1"):
        replication(comparison, resamples=0)


def test_what_is_certain_is_repeated_and_what_is_not_is_less_probable():
    """60 data sets with the same order repeat all claims; probabilities fall as p-values rise."""
    rows = [(f"d{i}", a, j + 0.001 * i) for i in range(60) for j, a in enumerate("abc")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    sure = replication(
        analyse(Results.from_frame(frame, directions={"error": "lower"})), resamples=30
    )
    assert sure.every == 1
    assert (sure.pairs["probability"] == 1).all()
    comparison = analyse(table(30, 5, seed=8))
    found = replication(comparison, resamples=50)
    p = comparison.pairs.frame.set_index(["first", "second"])["p"]
    share = found.pairs.set_index(["first", "second"])["probability"]
    assert len(share) > 3
    assert np.corrcoef(p[share.index], share)[0, 1] < 0
    assert found.every <= share.min()
    shares = found.pairs["probability"]
    np.testing.assert_allclose(found.pairs["standard error"], np.sqrt(shares * (1 - shares) / 50))


def test_effects_are_shrunken_by_the_size_of_all_of_them():
    """Twelve wins of twelve: p = 2 / 2^12, so shrinkage is 1 - 1 / z^2 with the z of 2^-12; for noise, it is small."""
    scores = pd.DataFrame({"a": range(1, 13), "b": [0] * 12, "dataset": [*"abcdefghijkl"]})
    results = Results.from_frame(scores.melt("dataset", var_name="algorithm", value_name="error"))
    z = stats.norm.isf(2.0**-12)
    shrinkage = replication(analyse(results), resamples=1).shrinkage
    assert shrinkage == pytest.approx(1 - 1 / z**2, rel=1e-9)
    noise = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 5)), columns=[*"abcde"])
    long = noise.assign(dataset=[f"d{i}" for i in range(30)]).melt(
        "dataset", var_name="algorithm", value_name="error"
    )
    found = replication(analyse(Results.from_frame(long)), resamples=1)
    assert found.shrinkage < 0.5
    assert describe_replication(found).startswith("No difference is significant")


def test_a_control_names_no_best_algorithm():
    found = replication(analyse(table(35, 4, seed=39), Settings(control="m0")), resamples=5)
    assert found.best is None
    assert "best algorithm" not in describe_replication(found)


def test_missing_results_stay_missing_where_they_are_mixed():
    comparison = analyse(table(20, 4, seed=3, holes=6).resolve("present"))
    places = np.arange(20)
    columns = _columns(comparison, places, np.ones(20, dtype=bool), np.random.default_rng(0))
    values = np.take_along_axis(comparison.scores.to_numpy(), columns, axis=1)
    assert (np.isnan(values) == comparison.scores.isna().to_numpy()).all()
    assert (np.sort(columns, axis=1) == np.arange(4)).all()
    assert (columns != np.arange(4)).any()


HOLM = Settings(correction="holm", source="ranks")
SETTINGS = (
    HOLM,
    Settings(correction="nemenyi"),
    Settings(correction="bergmann_hommel", alpha=0.1),
    Settings(correction="shaffer", source="wilcoxon"),
    Settings(correction="none", source="sign"),
)


@cache
def published(columns=None, rows=None):
    """Return the analysis by Holm of some algorithms and data sets of Garcia and Herrera 2008."""
    scores = load_reference("A_gh2008").scores
    return analyse(results_from(scores[list(columns or scores)].iloc[:rows]), HOLM)


@cache
def found(columns=None, rows=None):
    return stability(published(columns, rows))


def separated_pairs(analysis, names):
    return {
        frozenset(pair)
        for pair in combinations(names, 2)
        if analysis.adjusted.loc[pair] <= analysis.settings.alpha
    }


def bracketed(groups):
    return {frozenset(group) for group in groups if len(group) > 1}


def parsed(text):
    return {frozenset(group.split(", ")) for group in text.strip("{}").split("} {") if group}


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s.correction}-{s.source}")
def test_every_run_is_what_analyse_says_without_it(garcia_herrera, settings):
    """Expected: a new analysis with settings that leave out the data set or the algorithm."""
    results = results_from(garcia_herrera.scores.iloc[:12])
    full = analyse(results, settings)

    runs = stability(full).runs.set_index("name")

    assert list(runs.index) == [*full.scores.index, *full.order]
    for name in [*full.scores.index[[0, 5, 11]], *full.order]:
        left_out = "without_datasets" if name in full.scores.index else "without_algorithms"
        anew = analyse(results, replace(settings, **{left_out: (name,)}))
        run, names = runs.loc[name], list(anew.scores.columns)
        ranks = anew.friedman.average_ranks
        before = separated_pairs(full, names), full.omnibus.pvalue <= settings.alpha
        after = separated_pairs(anew, names), anew.omnibus.pvalue <= settings.alpha

        assert run["p"] == pytest.approx(anew.omnibus.pvalue, rel=1e-12)
        assert set(run["best"].split(", ")) == set(ranks.index[ranks == ranks.min()])
        assert run["separated"] == len(after[0])
        assert parsed(run["groups"]) == bracketed(anew.groups)
        assert run["changed"] == (before != after)


def test_a_pair_can_hang_on_a_third_algorithm(garcia_herrera):
    """Adjusted by Holm, C4.5 and CN2 have p = 0.0510 among five algorithms, and less among four (statsmodels)."""
    four = garcia_herrera.scores.drop(columns="Kernel")

    def by_holm(scores):
        ranks = pd.DataFrame(stats.rankdata(-scores, axis=1), columns=scores.columns)
        raw = exact_rank_pairs(ranks).pvalues
        names = list(combinations(scores.columns, 2))
        found = multipletests([raw.loc[pair] for pair in names], method="holm")[1]
        return dict(zip(names, found, strict=True))

    expected, whole = by_holm(four), by_holm(garcia_herrera.scores)

    fragile = found().changed_pairs
    row = fragile[(fragile["name"] == "Kernel") & (fragile["second"] == "CN2")].iloc[0]

    assert (row["left out"], row["first"], row["change"]) == ("algorithm", "C4.5", GAINED)
    assert row["p with"] == pytest.approx(whole["C4.5", "CN2"], rel=1e-8)
    # the normal approximation, as printed, is near
    printed = garcia_herrera.expected("posthoc.apv.holm")["C4.5|CN2"]
    assert row["p with"] == pytest.approx(printed, rel=0.01)
    assert row["p without"] == pytest.approx(expected["C4.5", "CN2"], rel=1e-9)


def test_fragile_pairs_lie_on_both_sides_of_alpha_and_mark_the_runs():
    fragile, runs = found().changed_pairs, found().runs
    inside = fragile["p without"] <= 0.05

    assert ((fragile["p with"] <= 0.05) != inside).all()
    assert (fragile["change"].eq(GAINED) == inside).all()
    turned = set(zip(fragile["left out"], fragile["name"], strict=True))
    marked = runs[runs["changed"]]
    assert turned == set(zip(marked["left out"], marked["name"], strict=True))
    assert 0 < len(marked) < len(runs)


def test_a_group_breaks_where_two_of_its_members_are_then_separated():
    groups, fragile = found().groups, found().changed_pairs
    by_dataset = fragile[(fragile["left out"] == "data set")]
    gained = by_dataset[by_dataset["change"] == GAINED]

    assert {frozenset(g) for g in published().groups} == set().union(*map(parsed, groups["group"]))
    assert (groups[["exactly", "within a larger one", "broken"]].sum(axis=1) == 30).all()
    for group, broken in zip(groups["group"], groups["broken"], strict=True):
        members = set(*parsed(group))
        inside = gained[gained["first"].isin(members) & gained["second"].isin(members)]
        assert broken == inside["name"].nunique()
    assert groups["broken"].sum() > 0
    assert groups["within a larger one"].sum() > 0


def test_shares_of_the_best_rank(garcia_herrera):
    """Expected by pandas: average ranks without each row, from ranks that are computed once."""
    ranks = garcia_herrera.scores.rank(axis=1, ascending=False)
    without = (ranks.sum() - ranks) / 29
    best = without.eq(without.min(axis=1), axis=0)
    expected = best.div(best.sum(axis=1), axis=0).mean()

    share = found().winner_share

    assert share.sum() == pytest.approx(1)
    assert share.is_monotonic_decreasing
    pd.testing.assert_series_equal(
        share, expected[list(share.index)], check_names=False, check_index_type=False
    )
    assert (expected.drop(list(share.index)) == 0).all()


def test_two_algorithms_hang_on_the_one_exception():
    """With eight wins and one large loss, p is above 0.1; without the loss, it is 2^-7."""
    names = [f"d{i}" for i in range(1, 9)] + ["odd"]
    scores = pd.DataFrame({"a": [*range(1, 9), 0.0], "b": [0.0] * 8 + [9.0]}, index=names)
    analysis = analyse(results_from(scores), Settings(alpha=0.01))

    result = stability(analysis)

    assert isinstance(analysis, TwoComparison)
    assert describe_stability(result) == ("In 9 leave-one-out runs, the decision changes in 1.")
    assert result.runs.set_index("name").loc["odd", "p"] == pytest.approx(2**-7)
    assert result.runs["changed"].sum() == 1
    assert result.changed_pairs["name"].tolist() == ["odd"]
    assert result.groups.to_dict("records") == [
        {
            "group": "{a, b}",
            "size": 2,
            "exactly": 8,
            "within a larger one": 0,
            "broken": 1,
            "runs": 9,
        }
    ]
    assert result.winner_share.to_dict() == {"a": 1.0}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_six_wins_in_six_cannot_lose_one(direction):
    """The smallest exact p-value is 2^-5 with six wins, and 2^-4 with five."""
    scores = pd.DataFrame(
        {"a": np.arange(1.0, 7.0), "b": np.zeros(6)}, index=[f"d{i}" for i in range(6)]
    )

    result = stability(analyse(results_from(scores, direction)))

    assert result.runs["p"].tolist() == pytest.approx([2**-4] * 6)
    assert result.runs["best"].eq("a" if direction == "higher" else "b").all()
    assert describe_stability(result) == ("In 6 leave-one-out runs, the decision changes in 6.")


def test_a_change_of_the_best_rank_alone_is_no_change_of_decision():
    """C4.5 and NaiveBayes exchange the best average rank, but never differ significantly."""
    result = found(("C4.5", "NaiveBayes", "CN2"))
    by_dataset = result.runs[result.runs["left out"] == "data set"]

    assert not by_dataset["changed"].any()
    assert stability_runs(result)["change"].str.contains("C4.5 replaces NaiveBayes").any()
    said = describe_stability(result)
    assert said.startswith("No decision changes in any of the 30 leave-one-out runs. ")
    assert "C4.5 (in 53% of runs) or NaiveBayes (in 47% of runs)" in said


def test_two_that_are_left_are_compared_by_wilcoxon(garcia_herrera):
    three = ("C4.5", "NaiveBayes", "CN2")
    runs = found(three).runs.set_index("name")

    for name in three:
        a, b = (other for other in three if other != name)
        expected = wilcoxon(garcia_herrera.scores[a], garcia_herrera.scores[b]).pvalue
        assert runs.loc[name, "p"] == pytest.approx(expected)
        assert runs.loc[name, "separated"] == (expected <= 0.05)


def test_a_failed_run_keeps_two_from_being_compared(garcia_herrera):
    scores = garcia_herrera.scores[["C4.5", "NaiveBayes", "CN2"]].copy()
    scores.iloc[0, 2] = np.nan
    results = results_from(scores.iloc[:8]).resolve("worst rank")

    runs = stability(analyse(results, HOLM)).runs.set_index("name")

    assert "1 of 16 cells" in runs.loc["C4.5", "refusal"]
    assert not runs.loc["C4.5", "changed"]
    assert runs.drop(index=["C4.5", "NaiveBayes"])["p"].between(0, 1).all()


def test_two_data_sets_are_too_few_to_leave_one_out():
    result = found(rows=2)

    assert set(result.runs["left out"]) == {"algorithm"}
    assert describe_stability(result).startswith(
        "Leave-one-out runs need at least 3 data sets. Without CN2, the Iman-Davenport test rejects"
    )
    assert (result.groups["runs"] == 0).all()
    assert result.winner_share.empty


def test_the_first_test_can_turn_alone():
    """Three data sets have one order and one the reverse: the omnibus test rejects only without the latter."""
    order = np.arange(4.0)
    scores = pd.DataFrame(
        [order, order, order, order[::-1]], columns=list("abcd"), index=list("wxyz")
    )
    full = analyse(results_from(scores), Settings(correction="bonferroni", alpha=0.01))

    runs = stability_runs(stability(full)).set_index("name")

    assert full.omnibus.pvalue > 0.01
    assert runs.loc["z", "p"] == pytest.approx((1 / 24) ** 2)  # three times the same order
    assert runs.loc["z", "change"].startswith("the Iman-Davenport test rejects (p = 0.002)")
    assert runs.loc["z", "changed"]


def test_the_leader_and_single_pairs_depend_on_different_numbers_of_data_sets():
    """On uci38, the top group depends on one data set, and decisions on pairs depend on several."""
    results = shipped("uci38_5x2.csv")
    ranked = Settings(measure="error", source="ranks")
    analysis = analyse(results, ranked)
    result = stability(analysis)
    fragile = result.changed_pairs[result.changed_pairs["left out"] == "data set"]
    pairs = fragile.groupby(["first", "second"]).size()
    moved = [
        name
        for name in results.datasets
        if decide(analyse(results, replace(ranked, without_datasets=(name,)))).ahead
        != decide(analysis).ahead
    ]

    assert len(moved) == 1
    (a, b), often = pairs.idxmax(), pairs.max()
    assert describe_stability(result).startswith(
        f"In 38 leave-one-out runs, the top group changes in 1 and the decision on at least one pair in "
        f"{fragile['name'].nunique()} (most often {a} vs. {b}, in {often})."
    )


def test_no_decision_depends_on_a_data_set_where_all_have_the_same_order():
    """All twelve data sets have the same order, so that no decision depends on one of them."""
    scores = pd.DataFrame(
        [np.arange(3.0)] * 12, columns=list("abc"), index=[f"d{i}" for i in range(12)]
    )

    result = stability(analyse(results_from(scores), HOLM))

    assert describe_stability(result) == (
        "No decision changes in any of the 12 leave-one-out runs. c is always the best algorithm."
    )
    assert not result.runs.loc[result.runs["left out"] == "data set", "changed"].any()
    assert result.winner_share.to_dict() == {"c": 1.0}


def test_progress_is_told_after_every_run_and_can_stop_it():
    told = []

    stability(published(rows=4), progress=lambda done, total: told.append((done, total)))

    assert told == [(done, 9) for done in range(1, 10)]

    class Cancelled(Exception):
        pass

    def stop(done, total):
        told.append(done)
        if done == 2:
            raise Cancelled

    told.clear()
    with pytest.raises(Cancelled):
        stability(published(rows=5), progress=stop)
    assert told == [1, 2]


def test_the_table_is_a_copy():
    frame = found().to_frame()
    frame["changed"] = False

    assert found().runs["changed"].any()


def test_folds_of_one_data_set_are_refused():
    rows = [
        {"dataset": "d", "algorithm": a, "fold": i, "error": (i * (3 + j)) % 7 / 10}
        for j, a in enumerate("abc")
        for i in range(10)
    ]
    analysis = analyse(Results.from_frame(pd.DataFrame(rows), directions={"error": "lower"}))

    with pytest.raises(DesignError, match="Stability needs a comparison of all pairs"):
        stability(analysis)
