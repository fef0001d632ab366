"""Sign tests of the sweep: over thresholds, and over data sets against the tables of the thesis."""

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.curves.threshold_sweep import THETAS, sweep
from stats_core.curves.threshold_sweep_datasets import over_data_sets
from stats_core.inference.paired import sign_test
from tests.curves.test_threshold_sweep import crossing


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
    """Binomial table, n = 21: P(X >= 15) = 0.0392, P(X >= 14) = 0.0946."""
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
    assert "not independent" in found.note


def thesis_sweeps(table):
    """Fifteen sweeps in which each algorithm beats each other on as many data sets as printed."""
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
    """Tables 7.5 (page 69) and 7.10 (page 71): from those counts no pair, and one, differs."""
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
        "Over 15 data sets more wins by the sweep over thresholds go to Ripper than to NB "
        "(13 to 0, p 0.010) (sign test, Bonferroni over pairs)."
    )
    assert over_data_sets(thesis_sweeps(TABLE_7_4)[1]).text.startswith(
        "Over 15 data sets the sign test on wins by the sweep over thresholds separates none of 10 pairs"
    )
    few = dict(list(thesis_sweeps(TABLE_7_9)[1].items())[:8])
    # 10 pairs x 2 x 0.5^8 = 0.078: not even eight wins of eight are enough
    assert over_data_sets(few).smallest == pytest.approx(10 * 2 / 2**8)
    assert "reaches p 0.078 at best" in over_data_sets(few).text


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
    with pytest.raises(DataError, match="share thresholds"):
        over_data_sets({"one": one, "two": sweep(counts, names, rule="thesis")})
    with pytest.raises(DesignError, match="There is none"):
        over_data_sets({})
    with pytest.raises(SettingError, match="`alpha`"):
        over_data_sets({"one": one}, alpha=1)
