"""What the verdict hangs on: against the analysis run anew, by hand, and in words."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import undefeated
from stats_core.comparison.kinds.control_and_pairs import TwoComparison
from stats_core.core.errors import DesignError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import wilcoxon
from stats_core.inference.rank_differences import exact_rank_pairs
from stats_core.robustness.leave_one_out import stability
from tests.comparison.test_analyse import results_from
from tests.conftest import load_reference
from tests.samples import shipped

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
    """The analysis by Holm of some algorithms and data sets of Garcia and Herrera 2008."""
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
@pytest.mark.few(3)
def test_every_run_is_what_analyse_says_without_it(garcia_herrera, settings):
    """The other route: leave it out by the settings and run the whole chain."""
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
    """C4.5 and CN2 by Holm: 0.0510 of five, less of four, whose tests are those of statsmodels."""
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

    assert (row["left out"], row["first"], row["change"]) == ("algorithm", "C4.5", "then separated")
    assert row["p with"] == pytest.approx(whole["C4.5", "CN2"], rel=1e-8)
    # the normal approximation, as printed, is near
    printed = garcia_herrera.expected("posthoc.apv.holm")["C4.5|CN2"]
    assert row["p with"] == pytest.approx(printed, rel=0.01)
    assert row["p without"] == pytest.approx(expected["C4.5", "CN2"], rel=1e-9)


def test_fragile_pairs_lie_on_both_sides_of_alpha_and_mark_the_runs():
    fragile, runs = found().changed_pairs, found().runs
    inside = fragile["p without"] <= 0.05

    assert ((fragile["p with"] <= 0.05) != inside).all()
    assert (fragile["change"].eq("then separated") == inside).all()
    turned = set(zip(fragile["left out"], fragile["name"], strict=True))
    marked = runs[runs["changed"]]
    assert turned == set(zip(marked["left out"], marked["name"], strict=True))
    assert 0 < len(marked) < len(runs)


def test_a_group_breaks_where_two_of_its_members_are_then_separated():
    groups, fragile = found().groups, found().changed_pairs
    by_dataset = fragile[(fragile["left out"] == "data set")]
    gained = by_dataset[by_dataset["change"] == "then separated"]

    assert {frozenset(g) for g in published().groups} == set().union(*map(parsed, groups["group"]))
    assert (groups[["exactly", "within a larger one", "broken"]].sum(axis=1) == 30).all()
    for group, broken in zip(groups["group"], groups["broken"], strict=True):
        members = set(*parsed(group))
        inside = gained[gained["first"].isin(members) & gained["second"].isin(members)]
        assert broken == inside["name"].nunique()
    assert groups["broken"].sum() > 0
    assert groups["within a larger one"].sum() > 0


def test_shares_of_the_best_rank(garcia_herrera):
    """By pandas: rank once, average the ranks without each row."""
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
    """Eight wins and one large loss: p = 2^-7 without the loss, otherwise above 0.1."""
    names = [f"d{i}" for i in range(1, 9)] + ["odd"]
    scores = pd.DataFrame({"a": [*range(1, 9), 0.0], "b": [0.0] * 8 + [9.0]}, index=names)
    analysis = analyse(results_from(scores), Settings(alpha=0.01))

    result = stability(analysis)

    assert isinstance(analysis, TwoComparison)
    assert (
        result.text
        == "1 of 9 runs without one data set changes the decision. Without odd, a and b are separated (p 0.008)."
    )
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
    """The exact test falls to 2^-5 with six wins and to 2^-4 with five."""
    scores = pd.DataFrame(
        {"a": np.arange(1.0, 7.0), "b": np.zeros(6)}, index=[f"d{i}" for i in range(6)]
    )

    result = stability(analyse(results_from(scores, direction)))

    assert result.runs["p"].tolist() == pytest.approx([2**-4] * 6)
    assert result.runs["best"].eq("a" if direction == "higher" else "b").all()
    assert result.text == (
        "6 of 6 runs without one data set change the decision. Without d0, "
        f"{'a and b' if direction == 'higher' else 'b and a'} are no longer separated (p 0.062)."
    )


def test_a_change_of_the_best_rank_alone_is_no_change_of_decision():
    """C4.5 and NaiveBayes swap places on average, but no test tells them apart."""
    result = found(("C4.5", "NaiveBayes", "CN2"))
    by_dataset = result.runs[result.runs["left out"] == "data set"]

    assert not by_dataset["changed"].any()
    assert by_dataset["change"].str.contains("ranks best instead of").any()
    assert result.text.startswith("None of 30 runs without one data set changes a decision. ")
    assert "C4.5 (53 %) and NaiveBayes (47 %)" in result.text


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

    assert "1 of 16 cells" in runs.loc["C4.5", "change"]
    assert not runs.loc["C4.5", "changed"]
    assert runs.drop(index=["C4.5", "NaiveBayes"])["p"].between(0, 1).all()


def test_two_data_sets_are_too_few_to_leave_one_out():
    result = found(rows=2)

    assert set(result.runs["left out"]) == {"algorithm"}
    assert result.text.startswith(
        "Two data sets are too few to leave one out. Without CN2, Iman-Davenport rejects"
    )
    assert (result.groups["runs"] == 0).all()
    assert result.winner_share.empty


def test_the_first_test_can_turn_alone():
    """Three data sets of one order and one against it: chi-square above its limit only without."""
    order = np.arange(4.0)
    scores = pd.DataFrame(
        [order, order, order, order[::-1]], columns=list("abcd"), index=list("wxyz")
    )
    full = analyse(results_from(scores), Settings(correction="bonferroni", alpha=0.01))

    runs = stability(full).runs.set_index("name")

    assert full.omnibus.pvalue > 0.01
    assert runs.loc["z", "p"] == pytest.approx((1 / 24) ** 2)  # three times the same order
    assert runs.loc["z", "change"].startswith("Iman-Davenport rejects (p 0.002)")
    assert runs.loc["z", "changed"]


def test_who_leads_and_single_pairs_hang_on_data_sets_of_their_own_number():
    """uci38: the leading group loses a member without one data set, some pair without 29."""
    results = shipped("uci38_5x2.csv")
    ranked = Settings(measure="error", source="ranks")
    analysis = analyse(results, ranked)
    result = stability(analysis)
    fragile = result.changed_pairs[result.changed_pairs["left out"] == "data set"]
    pairs = fragile.groupby(["first", "second"]).size()
    moved = [
        name
        for name in results.datasets
        if undefeated(analyse(results, replace(ranked, without_datasets=(name,))))
        != undefeated(analysis)
    ]

    (one,) = moved
    (a, b), often = pairs.idxmax(), pairs.max()
    assert result.text.startswith(
        f"38 runs without one data set change the top group in 1 and at least one pair in "
        f"{fragile['name'].nunique()} (most often {a} vs. {b}, in {often}). Without {one}, "
    )


def test_nothing_to_hang_on():
    """Twelve data sets of one order: whatever is left out, the ends stay apart."""
    scores = pd.DataFrame(
        [np.arange(3.0)] * 12, columns=list("abc"), index=[f"d{i}" for i in range(12)]
    )

    result = stability(analyse(results_from(scores), HOLM))

    assert result.text == (
        "None of 12 runs without one data set changes a decision. c always ranks best."
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
        stability(published(rows=4), progress=stop)
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

    with pytest.raises(DesignError, match="over data sets. This one is over 10 folds"):
        stability(analysis)
