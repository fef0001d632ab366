"""Tests of intervals over data sets, which exclude zero exactly if the test rejects."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from stats_core import Results, Settings, analyse
from stats_core.comparison.decide import DECIDED
from stats_core.inference.multiplicity.adjust import LOGICAL, is_transitive
from stats_core.inference.pair_intervals import rank_shift
from stats_core.inference.paired import hodges_lehmann_interval, sign_interval, sign_test, wilcoxon
from stats_core.inference.paired.signed_ranks import (
    consistent_interval,
    ordered_sums,
    typical_differences,
)
from stats_core.inference.pairwise import advised_source, smallest_pvalue
from stats_core.inference.ranks import rank_rows
from stats_core.report.advice import advice_on
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.tables.dataset_tables import lazy_pairs_of_ranks, pairs_of_ranks
from stats_core.report.verdict import verdict

# whole numbers: ties and zeros everywhere
COLUMNS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=25)
TABLES = st.integers(3, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 8), min_size=k, max_size=k), min_size=2, max_size=14)
)
SOURCES = ("ranks", "wilcoxon", "sign")


def over_sets(values, direction="lower"):
    """Return results with one value per algorithm and data set."""
    table = pd.DataFrame(values, columns=[f"a{i}" for i in range(np.shape(values)[1])])
    long = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm")
    long["dataset"] = "d" + long["dataset"].astype(str)
    name = "error" if direction == "lower" else "accuracy"
    return Results.from_frame(long.rename(columns={"value": name}), directions={name: direction})


def holds_zero(low, high):
    return low <= 0 <= high


@given(COLUMNS, st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_zero_is_outside_exactly_where_the_test_of_two_rejects(pairs, alpha):
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    for test, interval in ((wilcoxon, hodges_lehmann_interval), (sign_test, sign_interval)):
        low, high = interval(x, y, confidence_level=1 - alpha)
        assert low <= high
        assert holds_zero(low, high) == (test(x, y).pvalue > alpha)


def test_the_interval_of_signs_is_the_order_statistics():
    # 2 P(Bin(12, 1/2) <= 2) = 0.039: from the third smallest to the third largest
    low, high = sign_interval(np.arange(1.0, 13.0), np.zeros(12))
    assert (low, high) == (3.0, 10.0)
    assert sign_interval([1.0, 2.0, 3.0], [0.0] * 3) == (-np.inf, np.inf)


@given(TABLES, st.sampled_from(SOURCES), st.sampled_from(["lower", "higher"]))
@pytest.mark.parametrize("correction", ["none", "holm", "bergmann_hommel", "bonferroni", "nemenyi"])
def test_no_significant_pair_has_zero_in_its_interval(correction, values, source, direction):
    if correction == "nemenyi":
        source = "ranks"
    assume(correction not in LOGICAL or is_transitive(source))
    settings = Settings(source=source, correction=correction)
    pairs = analyse(over_sets(values, direction), settings).pairs.frame

    scores = analyse(over_sets(values, direction), settings).scores
    for row in pairs.itertuples():
        zeros = (scores[row.first] == scores[row.second]).sum()
        if 2 * zeros > len(scores):  # the median is zero, whatever the other differences are
            assert np.isnan([row.estimate, row.low, row.high]).all()
        else:
            assert row.low <= row.high
            assert holds_zero(row.low, row.high) != row.separated


@given(TABLES, st.sampled_from(SOURCES))
def test_no_significant_comparison_with_a_control_has_zero_in_its_interval(values, source):
    for correction in ("holm", "bonferroni_dunn", "none"):
        settings = Settings(source=source, correction=correction, control="a0")
        pairs = analyse(over_sets(values), settings).pairs.frame

        inside = (pairs["low"] <= 0) & (pairs["high"] >= 0)
        assert not (inside & pairs["separated"]).any()


def test_a_shift_is_where_the_test_of_ranks_turns(rng):
    """Expected by brute force: a and c are shifted apart by every value of a grid, and ranked again."""
    scores = pd.DataFrame(rng.normal(size=(9, 4)), columns=list("abcd"))
    critical = 12.0
    estimate, low, high = rank_shift(scores.to_numpy(), (0, 2), critical)

    def apart(shift):
        moved = scores.assign(a=scores["a"] - shift / 2, c=scores["c"] + shift / 2)
        sums = rank_rows(moved, higher_is_better=False).sum()
        return sums["a"] - sums["c"]

    for shift in np.linspace(-4, 4, 401):
        assert (abs(apart(shift)) < critical) == (low < shift < high)
    assert low < estimate < high
    assert apart(estimate - 1e-6) >= 0 >= apart(estimate + 1e-6)


def test_failed_runs_have_ranks_and_nothing_else(rng):
    table = pd.DataFrame(rng.uniform(size=(12, 4)))
    table[3] += 1
    table.iloc[[1, 5], 0] = np.nan
    results = over_sets(table).resolve("worst rank", "error")
    analysis = analyse(results)

    assert analysis.settings.source == "ranks"
    pairs = analysis.pairs.frame
    inside = (pairs["low"] <= 0) & (pairs["high"] >= 0)
    assert (inside != pairs["separated"]).all()
    assert not pairs[["estimate", "low", "high"]].isna().any(axis=None)


def test_the_source_is_told_by_the_numbers_alone(rng):
    # 28 pairs: 28 x 2^-9 = 0.055 on ten data sets, 0.027 on eleven
    assert advised_source(8, 10, Settings()) == "ranks"
    assert advised_source(8, 11, Settings()) == "wilcoxon"
    assert advised_source(8, 10, Settings(alpha=0.06)) == "wilcoxon"
    assert advised_source(8, 10, Settings(control="a0")) == "wilcoxon"  # 7 x 2^-9
    assert advised_source(8, 6, Settings(correction="none")) == "wilcoxon"
    assert advised_source(8, 50, Settings(correction="nemenyi")) == "ranks"
    for n, source in ((10, "ranks"), (11, "wilcoxon")):
        for scores in (rng.normal(size=(n, 8)), np.tile(np.arange(8.0), (n, 1))):
            analysis = analyse(over_sets(scores))
            assert analysis.settings.source == source
            assert {"ranks": "average ranks", "wilcoxon": "Wilcoxon"}[source] in advice_on(
                analysis
            ).test


def test_what_is_asked_for_is_obeyed(rng):
    results = over_sets(rng.normal(size=(10, 8)))
    for source in SOURCES:
        assert analyse(results, Settings(source=source)).settings.source == source
    assert smallest_pvalue(8, 10, Settings(source="wilcoxon")) == 28 / 512


def test_many_algorithms_by_their_own_tests_take_shaffer(rng):
    analysis = analyse(over_sets(rng.normal(size=(20, 31))))

    assert (analysis.settings.source, analysis.settings.correction) == ("wilcoxon", "shaffer")
    assert (
        advice_on(analysis).test
        == "Iman-Davenport test, then Wilcoxon signed-rank tests with Shaffer adjustment"
    )


def test_both_counts_stand_beside_each_other(rng):
    scores = rng.normal(size=(12, 4)) * 0.3 + np.arange(4.0)
    analysis = analyse(over_sets(scores))
    other = analyse(analysis.results, Settings(source="ranks"))
    counts = [int(a.pairs.decisions["separated"].sum()) for a in (analysis, other)]

    (said,) = (str(note) for note in analysis.notes if note.code == "beside")
    assert said == (
        f"With pairwise tests of average ranks with Bergmann-Hommel adjustment, {counts[1]} pairs would differ significantly instead of {counts[0]}. "
        "This procedure ranks all algorithms together."
    )


def test_equal_counts_are_said_to_be_the_same(rng):
    analysis = analyse(over_sets(rng.normal(size=(20, 3)) * 0.01 + np.arange(3.0)))

    (said,) = (str(note) for note in analysis.notes if note.code == "beside")
    assert "the same number of pairs would differ significantly (3 of 3)." in said


@pytest.mark.parametrize(("n", "k", "needed"), [(8, 6, 10), (5, 3, 7), (9, 10, 11), (40, 4, 0)])
def test_where_own_tests_cannot_decide_the_first_sentence_says_how_many_sets_are_needed(
    rng, n, k, needed
):
    """By hand: k (k - 1) / 2 pairs times 2^(1 - n), the smallest exact p-value, must be at most 0.05."""
    analysis = analyse(over_sets(rng.normal(size=(n, k))))
    said = verdict(analysis)

    pairs = k * (k - 1) / 2
    assert not needed or pairs * 2.0 ** (1 - needed) <= 0.05 < pairs * 2.0 ** (2 - needed)
    expected = f"With fewer than {needed} data sets, no Wilcoxon test"
    assert (expected in said.size) == (needed > 0)
    assert (expected in paper_sentence(analysis)) == (needed > 0)
    assert (analysis.guarantee.bounds == "global null") == (needed > 0)
    assert said.badge != DECIDED or not needed


def all_sums(values):
    """Return all sums of two values, or of a value and itself, by definition."""
    rows, columns = np.triu_indices(len(values))
    return np.sort(values[rows] + values[columns])


SPREADS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "few values": lambda rng, n: rng.normal(size=n).round(1),
    "two values": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "one value": lambda rng, n: np.zeros(n),
    "half zero": lambda rng, n: np.where(np.arange(n) < n / 2, 0.0, rng.normal(size=n)),
    "differences of decimals": lambda rng, n: (
        rng.uniform(size=n).round(3) - rng.uniform(size=n).round(3)
    ),
    "sixty powers of ten": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n),
}


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize(
    "n", [1, 2, 5, 400, 401, 900, 2_500]
)  # up to 400 values all sums are formed
def test_sums_at_positions_are_those_of_all_sums_in_order(rng, n, spread):
    values = SPREADS[spread](rng, n)
    sums = all_sums(values)
    last = len(sums) - 1
    positions = [
        0,
        last,
        last // 2,
        (last + 1) // 2,
        last // 40,
        last - last // 40,
        *rng.integers(0, last + 1, 3),
    ]

    assert ordered_sums(values, positions).tolist() == sums[positions].tolist()


@pytest.mark.parametrize("n", [2, 9, 40, 71])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_typical_differences_of_all_pairs_are_those_one_by_one(rng, n, digits):
    x, y = rng.normal(0.3, size=(2, 8, n)).round(digits)
    y[0] = x[0] + 1e-13  # counts as no difference
    found = typical_differences(x, y, confidence_level=0.95)

    for row, one, other in zip(found, x, y, strict=True):
        means = all_sums(one - other) / 2
        test = wilcoxon(one, other)
        ends = consistent_interval(
            tuple(row[1:]),
            rejects=test.pvalue <= 0.05,
            ahead=test.w_plus - test.w_minus,
            scale=max(np.abs(one).max(), np.abs(other).max()),
        )
        assert ends == hodges_lehmann_interval(one, other)
        assert row[0] == np.median(means)


def test_a_part_of_the_pairs_has_the_intervals_of_the_whole(rng):
    results = over_sets(rng.normal(size=(12, 5)))
    for correction in ("holm", "bonferroni"):  # the level of an interval is that of all pairs
        settings = Settings(source="wilcoxon", correction=correction)
        whole = pairs_of_ranks(analyse(results, settings)).only(range(3, 7)).frame
        part = lazy_pairs_of_ranks(analyse(results, settings)).part(range(3, 7))
        pd.testing.assert_frame_equal(part.filled().frame, whole)
        assert part.frame["95% CI lower limit"].isna().all()
