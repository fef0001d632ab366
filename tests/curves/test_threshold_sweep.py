"""Tests of the threshold sweep on one data set and over data sets."""

from dataclasses import replace
from functools import partial
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.kinds.wins import wins
from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.curves.threshold_sweep import THETAS, over_data_sets, signs_turned, sweep
from stats_core.data.measures import confusion_measures
from stats_core.data.settings import Settings
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired import corrected_t, paired_t, sign_test
from tests.samples import shipped

COUNTS = ["tp", "fp", "tn", "fn"]
FOLDS, CASES = 10, 50  # cases of each class in a fold


def stacked(fn, fp):
    """Return confusion counts from errors in folds of 50 positive and 50 negative cases."""
    return np.stack([CASES - fn, fp, CASES - fp, fn], axis=-1).astype(float)


def crossing(rng):
    """Return counts of "low", better below theta = 0.5, "high", better above, and "other", as bad as the worse.

    The better one has 8 fewer false negatives or positives. At 0 every case is predicted positive,
    and at 1 none.
    """
    fn = rng.integers(0, 4, (len(THETAS), 3, FOLDS))
    fp = rng.integers(0, 4, (len(THETAS), 3, FOLDS))
    fn[THETAS < 0.5, 1:] += 8
    fp[THETAS > 0.5, 0] += 8
    fp[THETAS > 0.5, 2] += 8
    fn[0], fp[0], fn[-1], fp[-1] = 0, CASES, CASES, 0
    return stacked(fn, fp)


def one_threshold(rng, fn_means, fp_means):
    """Return counts at one threshold, with little noise around the given errors of each algorithm."""
    noise = rng.integers(-2, 3, (2, len(fn_means), FOLDS))
    fn, fp = np.array(fn_means)[:, None] + noise[0], np.array(fp_means)[:, None] + noise[1]
    return stacked(fn, fp)[None]


def measured(counts, measures):
    """Return measures at one threshold, algorithm x fold x measure, from the tables of `confusion_measures`."""
    tables = [pd.DataFrame(folds, columns=COUNTS) for folds in counts]
    return np.array([t.join(confusion_measures(t))[list(measures)].to_numpy() for t in tables])


def winner_of(found):
    """Return the winner at each theta of each pair, by theta and the set of the two algorithms."""
    table = found.to_frame()
    keys = [frozenset(pair) for pair in zip(table["first"], table["second"], strict=True)]
    return dict(zip(zip(table["theta"], keys, strict=True), table["winner"], strict=True))


@pytest.mark.parametrize("rule", ["risk", "thesis"])
def test_one_wins_at_low_and_another_at_high_thresholds(rng, rule):
    found = sweep(crossing(rng), ["low", "high", "other"], rule=rule)
    row = found.winners.loc["low / high"]

    assert found.thetas == tuple(THETAS)
    assert set(row[(THETAS > 0) & (THETAS < 0.5)]) == {"low"}
    assert set(row[(THETAS > 0.5) & (THETAS < 1)]) == {"high"}
    assert found.wins().loc["low", "high"] >= 9
    assert found.wins().loc["high", "low"] >= 9
    tally = found.tally().set_index(["first", "second"])
    assert not tally.loc[[("low", "high"), ("high", "low")], "beats"].any()  # 9 of 21 for each
    assert set(found.winners.loc["high / other", THETAS > 0.5]) == {"high", ""}
    assert (found.reasons == "").eq(found.winners != "").all(axis=None)
    assert (found.risks["low"] < found.risks["high"])[(THETAS > 0) & (THETAS < 0.5)].all()


def test_where_everything_is_positive_or_negative_nothing_varies(rng):
    found = sweep(crossing(rng), ["low", "high", "other"])

    for end in (0.0, 1.0):
        assert set(found.reasons[end]) == {"nothing varies"}
        assert set(found.winners[end]) == {""}
        assert np.isnan(found.manova[end])
        assert found.pvalues[end].isna().all()


@pytest.mark.parametrize("measures", [COUNTS, ["precision", "recall"], ["fpr", "tpr"]])
@pytest.mark.parametrize("algorithms", [2, 4])
def test_equal_algorithms_tie_everywhere_without_error(rng, measures, algorithms):
    counts = crossing(rng)[:, :1].repeat(algorithms, axis=1)
    found = sweep(counts, list("abcd")[:algorithms], measures=measures)

    assert (found.winners == "").all(axis=None)
    assert (found.reasons != "").all(axis=None)
    assert found.wins().to_numpy().sum() == 0
    # 21 ties: ten each, one dropped
    assert found.tally()["p"].to_numpy() == pytest.approx(stats.binom.sf(9, 20, 0.5))


def test_two_algorithms_are_the_paired_hotelling_test_and_the_t_test_of_risk(rng):
    counts = crossing(rng)[:, :2]
    found = sweep(counts, ["low", "high"], measures=["fpr", "tpr"], test_fraction=0.1)

    for t in range(1, 20):
        x, y = measured(counts[t], ["fpr", "tpr"])
        expected = hotelling_paired(x, y, test_fraction=0.1).pvalue
        assert found.pvalues.iloc[0, t] == pytest.approx(expected)
        assert found.manova.iloc[t] == pytest.approx(expected)
        risks = THETAS[t] * counts[t, :, :, 1] + (1 - THETAS[t]) * counts[t, :, :, 3]
        decided = corrected_t(*risks, test_fraction=0.1).pvalue <= 0.05 and expected <= 0.05
        assert (found.winners.iloc[0, t] != "") == decided
        np.testing.assert_allclose(found.risks.iloc[t], risks.mean(axis=1) / (2 * CASES))
    assert "c = 2.111" in found.method  # formulas for ten folds: 1 + 10/9


def test_several_are_manova_then_hotelling_with_bonferroni(rng):
    counts = crossing(rng)
    found = sweep(counts, ["low", "high", "other"])

    for t in range(1, 20):
        values = measured(counts[t], COUNTS)
        omnibus = manova(values, blocked=True).pvalue
        assert found.manova.iloc[t] == pytest.approx(omnibus)
        for row, (i, j) in enumerate(combinations(range(3), 2)):
            if omnibus > 0.05:
                assert np.isnan(found.pvalues.iloc[row, t])
                assert found.reasons.iloc[row, t].startswith("MANOVA p = 0.")
            else:
                pair = hotelling_paired(values[i], values[j]).pvalue
                assert found.pvalues.iloc[row, t] == pytest.approx(min(1, 3 * pair))
    assert (found.manova > 0.05).any()  # at theta = 0.5 nothing was planted
    assert found.reasons.loc["high / other", 0.25].startswith("Hotelling p ")


@pytest.mark.parametrize("fraction", [None, 0.1])
def test_of_several_a_winner_needs_every_step(rng, fraction):
    """Effects are moderate, so that each step decides some pairs; expected from the test of each step."""
    fn, fp = (
        rng.binomial(CASES, np.array(shares)[:, None], (60, 3, FOLDS))
        for shares in ((0.2, 0.24, 0.28), (0.26, 0.24, 0.23))
    )
    thetas = np.linspace(0.3, 0.7, 60)
    counts = stacked(fn, fp)
    found = sweep(
        counts, list("abc"), thetas=thetas, measures=["fpr", "tpr"], test_fraction=fraction
    )
    t_test = partial(corrected_t, test_fraction=fraction) if fraction else paired_t
    stopped = {"manova": 0, "hotelling": 0, "risk": 0, "won": 0}

    for t, theta in enumerate(thetas):
        values = measured(counts[t], ["fpr", "tpr"])
        risks = theta * counts[t, :, :, 1] + (1 - theta) * counts[t, :, :, 3]
        for row, (i, j) in enumerate(combinations(range(3), 2)):
            steps = {
                "manova": manova(values, test_fraction=fraction).pvalue,
                "hotelling": 3
                * hotelling_paired(values[i], values[j], test_fraction=fraction).pvalue,
                "risk": 3 * t_test(risks[i], risks[j]).pvalue,
            }
            stop = next((step for step, p in steps.items() if p > 0.05), "won")
            stopped[stop] += 1
            better = "abc"[i if risks[i].sum() < risks[j].sum() else j]
            assert found.winners.iloc[row, t] == (better if stop == "won" else "")
    assert min(stopped.values()) > 0


def test_order_of_folds_and_of_algorithms_changes_nothing(rng):
    counts, names = crossing(rng), np.array(["low", "high", "other"])
    found = sweep(counts, names)
    folds, order = rng.permutation(FOLDS), [2, 0, 1]
    shuffled = sweep(counts[:, :, folds], names)
    relabelled = sweep(counts[:, order], names[order])

    assert winner_of(shuffled) == winner_of(found)
    assert winner_of(relabelled) == winner_of(found)
    np.testing.assert_allclose(shuffled.pvalues, found.pvalues, rtol=1e-6)
    np.testing.assert_allclose(relabelled.manova, found.manova, rtol=1e-6)
    assert relabelled.wins().loc[names, names].equals(found.wins())


def test_errors_of_another_kind_at_the_same_risk_win_by_the_thesis_only(rng):
    counts = one_threshold(rng, fn_means=(5, 15), fp_means=(15, 5))
    by_risk, by_thesis = (
        sweep(counts, ["a", "b"], thetas=[0.5], rule=rule) for rule in ("risk", "thesis")
    )
    risks = (counts[0, :, :, 1] + counts[0, :, :, 3]) / 2
    p = paired_t(*risks).pvalue

    assert by_risk.pvalues.iloc[0, 0] < 0.001
    assert p > 0.05
    assert by_risk.winners.iloc[0, 0] == ""
    assert by_risk.reasons.iloc[0, 0].endswith(
        f"no significant difference in expected cost (p = {p:.3f})"
    )
    assert by_thesis.winners.iloc[0, 0] == "ab"[risks.mean(axis=1).argmin()]


def test_the_same_mean_risk_is_a_tie_by_either_rule(rng):
    fn, fp = rng.integers(0, 9, (2, FOLDS))
    counts = stacked(np.stack([fn, fp[::-1] + 10]), np.stack([fp + 10, fn[::-1]]))[None]

    for rule in ("risk", "thesis"):
        found = sweep(counts, ["a", "b"], thetas=[0.5], rule=rule)
        assert (
            found.reasons.iloc[0, 0]
            == "significantly different errors, but the same mean expected cost"
        )


def test_folds_without_a_positive_prediction_are_left_out_for_all(rng):
    counts = one_threshold(rng, fn_means=(5, 15, 10), fp_means=(15, 5, 10))
    counts[0, 1, :3] = [0, 0, CASES, CASES]  # nothing called positive
    measures = ["precision", "recall"]
    found = sweep(counts, list("abc"), thetas=[0.5], measures=measures)
    kept = measured(counts[0, :, 3:], measures)

    assert found.left_out.iloc[0] == 3
    assert found.manova.iloc[0] == pytest.approx(manova(kept).pvalue)
    expected = 3 * hotelling_paired(kept[0], kept[1]).pvalue
    assert found.pvalues.iloc[0, 0] == pytest.approx(expected)
    assert sweep(counts, list("abc"), thetas=[0.5]).left_out.iloc[0] == 0  # counts are defined


@pytest.mark.parametrize(
    ("defined", "reason"),
    [
        (0, "no fold with a defined precision"),
        (1, "1 fold with a defined precision is too few"),
        (2, "2 folds with a defined precision are too few"),  # Hotelling on 2 measures needs 3
    ],
)
def test_too_few_defined_folds_are_a_tie_that_says_so(rng, defined, reason):
    counts = one_threshold(rng, fn_means=(5, 15), fp_means=(15, 5))
    counts[0, 0, defined:] = [0, 0, CASES, CASES]
    found = sweep(counts, ["a", "b"], thetas=[0.5], measures=["precision", "recall"])

    assert found.reasons.iloc[0, 0] == reason
    assert found.left_out.iloc[0] == FOLDS - defined
    assert found.risks.notna().all(axis=None)


def test_two_folds_are_too_few_for_two_dimensions():
    counts = stacked(np.array([[5, 9], [8, 8]]), np.array([[3, 4], [5, 9]]))[None]
    found = sweep(counts, ["a", "b"], thetas=[0.5])

    assert found.reasons.iloc[0, 0] == "2 folds are too few"


def test_a_pair_without_variation_is_a_tie_and_the_others_are_tested(rng):
    counts = one_threshold(rng, fn_means=(5, 5, 20), fp_means=(15, 15, 3))
    counts[0, 1] = counts[0, 0] + [1, -2, 2, -1]  # the same distance in every fold
    found = sweep(counts, list("abc"), thetas=[0.5])
    values = measured(counts[0], COUNTS)

    assert found.reasons.iloc[0, 0] == "the results do not vary between folds"
    assert np.isnan(found.pvalues.iloc[0, 0])
    assert found.pvalues.iloc[1, 0] == pytest.approx(
        3 * hotelling_paired(values[0], values[2]).pvalue
    )


def test_no_residual_variation_at_all_is_a_tie():
    counts = stacked(np.full((3, FOLDS), 5), np.arange(3)[:, None] + np.zeros(FOLDS))[None]
    found = sweep(counts, list("abc"), thetas=[0.5])

    assert set(found.reasons[0.5]) == {"the results do not vary between folds"}
    assert np.isnan(found.manova.iloc[0])


def test_a_constant_difference_of_risk_is_not_significant(rng):
    fn, fp = rng.integers(10, 20, (2, FOLDS))
    fewer = rng.integers(3, 8, FOLDS)  # false negatives, and one more false positive than that
    counts = stacked(np.stack([fn, fn - fewer]), np.stack([fp, fp + fewer + 1]))[None]
    by_risk, by_thesis = (
        sweep(counts, ["a", "b"], thetas=[0.5], measures=["tpr"], rule=rule)
        for rule in ("risk", "thesis")
    )

    assert by_risk.reasons.iloc[0, 0].startswith("the difference in expected cost is the same")
    assert by_thesis.winners.iloc[0, 0] == "a"


def test_at_one_threshold_winners_are_those_of_wins_where_manova_rejects():
    """Expected from `wins` of the same counts by the same rule, which has no omnibus test."""
    counts = shipped("twoclass_counts.csv")
    together = ("fpr", "tpr")
    settings = Settings(measure="error", correction="bonferroni")
    won = wins(counts, together, settings, rule="thesis", theta=0.5).won
    named = 0
    for dataset in counts.datasets:
        values = counts.vectors(dataset, COUNTS)[None]
        fraction = counts.test_fraction(dataset)
        options = {"measures": together, "rule": "thesis", "test_fraction": fraction}
        found = sweep(values, counts.algorithms, thetas=[0.5], **options)
        assert found.manova.iloc[0] <= 0.05
        for (a, b), winner in zip(found.pairs, found.winners[0.5], strict=True):
            assert (winner == a) == (dataset in won[a, b])
            assert (winner == b) == (dataset in won[b, a])
            named += winner != ""
    assert named > 20


def test_the_long_table_repeats_what_the_parts_say(rng):
    found = sweep(crossing(rng), ["low", "high", "other"])
    table = found.to_frame()
    row = table[(table["theta"] == 0.25) & (table["second"] == "other")].iloc[0]

    assert len(table) == 21 * 3
    assert row["first"] == "low"
    assert row["winner"] == found.winners.loc["low / other", 0.25] == "low"
    assert row["risk first"] == found.risks.loc[0.25, "low"]
    assert row["p adjusted"] == found.pvalues.loc["low / other", 0.25]
    assert (table["reason"] == "").eq(table["winner"] != "").all()


@pytest.mark.parametrize("algorithms", [2, 3])
def test_without_any_difference_a_winner_is_named_at_most_at_alpha(rng, algorithms):
    """300 independent thresholds without a difference: at most 15 expected, standard deviation 3.8."""
    fn, fp = rng.binomial(CASES, 0.3, (2, 300, algorithms, FOLDS))
    found = sweep(
        stacked(fn, fp), list("abc")[:algorithms], thetas=np.linspace(0, 1, 300), rule="thesis"
    )
    named = (found.winners != "").any(axis=0).sum()

    assert 1 <= named <= 15 + 3 * 3.8


def test_a_sweep_of_eight_algorithms_looks_at_every_pair(rng):
    fn, fp = rng.integers(5, 20, (2, 21, 8, FOLDS))
    found = sweep(stacked(fn, fp + np.arange(8)[:, None]), list("abcdefgh"))

    assert found.winners.shape == (28, 21)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"counts": np.ones((21, 2, 10))}, DataError, "theta × algorithm × fold × 4"),
        ({"counts": np.full((21, 2, 10, 4), np.nan)}, DataError, "finite and nonnegative"),
        ({"counts": -np.ones((21, 2, 10, 4))}, DataError, "finite and nonnegative"),
        ({"counts": np.zeros((21, 2, 10, 4))}, DataError, "Every fold needs instances"),
        ({"counts": np.ones((21, 2, 1, 4))}, DesignError, "at least 2"),
        ({"counts": np.ones((21, 1, 10, 4)), "names": ["a"]}, DesignError, "2 algorithms"),
        ({"names": ["a", "a"]}, DataError, "name every algorithm once"),
        ({"names": ["a", ""]}, DataError, "name every algorithm once"),
        ({"names": ["a"]}, DataError, "name every algorithm once"),
        ({"thetas": THETAS[::-1]}, SettingError, "must increase, but 0.95 follows 1"),
        ({"thetas": THETAS[:5]}, SettingError, r"must be 21 values.* has shape \(5,\)"),
        ({"thetas": THETAS + 0.5}, SettingError, r"lie in \[0, 1\]"),
        ({"measures": ["speed"]}, SettingError, "`measures` must be one of"),
        ({"measures": []}, SettingError, "each measure once"),
        ({"measures": ["tpr", "tpr"]}, SettingError, "each measure once"),
        ({"rule": "lottery"}, SettingError, "`rule` must be one of"),
        ({"alpha": 0}, SettingError, "`alpha`"),
        ({"test_fraction": 1.0}, SettingError, "`test_fraction`"),
    ],
)
def test_what_cannot_be_swept_is_refused_in_words(change, error, message):
    given = {"counts": np.ones((21, 2, 10, 4)), "names": ["a", "b"]} | change
    with pytest.raises(error, match=message):
        sweep(given.pop("counts"), given.pop("names"), **given)


def test_counts_in_another_order_are_noticed(rng):
    counts = crossing(rng)

    with pytest.raises(DataError, match="tp, fp, tn, fn in this order"):
        sweep(counts[..., [2, 1, 3, 0]], ["low", "high", "other"])  # tn, fp, fn, tp


@pytest.mark.parametrize(
    ("won", "lost"), [(21, 0), (15, 6), (14, 7), (10, 3), (9, 2), (0, 0), (2, 12)]
)
def test_the_tally_is_the_right_tailed_sign_test(rng, won, lost):
    found = sweep(crossing(rng)[:, :2], ["low", "high"])
    row = ["low"] * won + ["high"] * lost + [""] * (21 - won - lost)
    frame = pd.DataFrame([row], index=["low / high"], columns=THETAS, dtype=object)
    tally = replace(found, winners=frame).tally().set_index(["first", "second"])
    ties = 21 - won - lost
    n, half = 21 - ties % 2, ties // 2

    for pair, up, down in ((("low", "high"), won, lost), (("high", "low"), lost, won)):
        expected = stats.binomtest(up + half, n, alternative="greater").pvalue
        again = sign_test(
            [1] * up + [0] * (21 - up), [0] * up + [1] * down + [0] * ties, alternative="greater"
        )
        assert tally.loc[pair, ["wins", "losses", "ties"]].tolist() == [up, down, ties]
        assert tally.loc[pair, "p"] == pytest.approx(expected)
        assert again.pvalue == pytest.approx(expected)
        assert tally.loc[pair, "beats"] == (expected <= 0.05)


def test_fifteen_of_21_thresholds_beat_and_fourteen_do_not(rng):
    """Binomial distribution, n = 21: P(X >= 15) = 0.0392, P(X >= 14) = 0.0946."""
    found = sweep(crossing(rng)[:, :2], ["low", "high"])
    tallies = {}
    for won in (14, 15):
        row = ["low"] * won + ["high"] * (21 - won)
        frame = pd.DataFrame([row], columns=THETAS, dtype=object)
        tallies[won] = replace(found, winners=frame).tally().iloc[0]

    assert tallies[15]["p"] == pytest.approx(0.0392, abs=5e-5)
    assert tallies[14]["p"] == pytest.approx(0.0946, abs=5e-5)
    assert (tallies[15]["beats"], tallies[14]["beats"]) == (True, False)
    assert replace(found, winners=frame).tally(0.01)["beats"].sum() == 0


def thesis_sweeps(table):
    """Return the algorithms and fifteen sweeps, with as many data sets won by each as in a printed table."""
    names = ["k-NN", "C4.5", "Ripper", "LP", "NB"]
    base = sweep(np.ones((21, 5, 2, 4)), names)
    sweeps = {}
    for d in range(15):
        winners = base.winners.copy()
        for row, (i, j) in enumerate(combinations(range(5), 2)):
            if d < table[i][j]:
                winners.iloc[row] = names[i]
            elif d < table[i][j] + table[j][i]:
                winners.iloc[row] = names[j]
        sweeps[f"set {d + 1}"] = replace(base, winners=winners)
    return names, sweeps


# Aslan's thesis 2009, Tables 7.4 (page 69) and 7.9 (page 70): data sets won over 21 thresholds
TABLE_7_4 = [[0, 0, 0, 2, 3], [2, 0, 1, 4, 6], [3, 1, 0, 4, 5], [2, 1, 0, 0, 5], [0, 0, 0, 0, 0]]
TABLE_7_9 = [
    [0, 5, 5, 5, 11],
    [3, 0, 2, 6, 11],
    [5, 4, 0, 6, 13],
    [5, 5, 1, 0, 11],
    [0, 1, 0, 1, 0],
]


@pytest.mark.parametrize(("table", "differ"), [(TABLE_7_4, set()), (TABLE_7_9, {("Ripper", "NB")})])
def test_over_data_sets_the_thesis_is_reproduced(table, differ):
    """Tables 7.5 (page 69) and 7.10 (page 71): no pair differs for the first, and one for the second."""
    names, sweeps = thesis_sweeps(table)
    found = over_data_sets(sweeps, alpha=0.05)
    rows = found.to_frame()

    np.testing.assert_array_equal(found.wins.loc[names, names], table)
    assert (
        set(rows.loc[rows["differs"], ["first", "second"]].itertuples(index=False, name=None))
        == differ
    )
    assert (found.pvalues == found.pvalues.T).all(axis=None)
    for i, j in combinations(range(5), 2):
        won, lost = table[i][j], table[j][i]
        ties = 15 - won - lost
        plain = stats.binomtest(max(won, lost) + ties // 2, 15 - ties % 2).pvalue
        assert found.pvalues.iloc[i, j] == pytest.approx(min(1, 10 * plain))
        assert len(found.won[names[i], names[j]]) == won


def test_over_data_sets_says_what_it_found_in_a_sentence():
    assert over_data_sets(thesis_sweeps(TABLE_7_9)[1]).text == (
        "Ripper and NB differ significantly in wins (13 vs. 0, p = 0.010, sign test, Bonferroni over pairs)."
    )
    assert over_data_sets(thesis_sweeps(TABLE_7_4)[1]).text.startswith(
        "None of 10 pairs differs significantly in wins"
    )
    few = dict(list(thesis_sweeps(TABLE_7_9)[1].items())[:8])
    # 10 pairs x 2 x 0.5^8 = 0.078: not even eight wins of eight are enough
    assert over_data_sets(few).smallest == pytest.approx(10 * 2 / 2**8)
    assert "smallest attainable p = 0.078" in over_data_sets(few).text


def test_over_data_sets_goes_by_name_and_wants_sweeps_made_alike(rng):
    counts, names = crossing(rng), np.array(["low", "high", "other"])
    one, turned = sweep(counts, names), sweep(counts[:, [2, 1, 0]], names[[2, 1, 0]])
    found = over_data_sets({"one": one, "two": turned})

    assert set(np.unique(found.wins)) <= {0, 2}
    for a, b in permutations(names, 2):
        beats = one.tally().set_index(["first", "second"]).loc[(a, b), "beats"]
        assert found.wins.loc[a, b] == 2 * beats
    with pytest.raises(DataError, match="same algorithms"):
        over_data_sets({"one": one, "two": sweep(counts[:, :2], names[:2])})
    with pytest.raises(DataError, match="same thresholds"):
        over_data_sets({"one": one, "two": sweep(counts, names, rule="thesis")})
    with pytest.raises(DesignError, match="there is none"):
        over_data_sets({})
    with pytest.raises(SettingError, match="`alpha`"):
        over_data_sets({"one": one}, alpha=1)


def test_one_difference_is_wilcoxons_exact_test(rng):
    x = rng.normal(0.4, 1, (9, 1))
    _, single, adjusted = signs_turned(x)

    assert single == pytest.approx(stats.wilcoxon(x[:, 0], method="exact").pvalue)
    assert adjusted == single


def test_what_differs_is_found_beside_thresholds_that_do_not_and_dependence_costs_little(rng):
    shared = rng.normal(size=(12, 1))
    alike = shared + 0.01 * rng.normal(size=(12, 40))  # nearly one and the same
    apart = rng.uniform(1, 2, (12, 1))
    _, single, adjusted = signs_turned(np.hstack([apart, alike]))

    assert adjusted[0] == adjusted.min() <= 2 * single[0]
    assert (adjusted >= single).all()
    assert adjusted[1:].max() <= 1
    assert adjusted[1:].min() < 5 * single[1:].min()  # Bonferroni's factor is 41
