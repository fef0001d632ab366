"""Tests of wins over data sets: printed tables, definitions of a win, invalid input."""

from dataclasses import dataclass, replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.anova import tukey
from stats_core.inference.fold_pairs import fold_data, fold_pairs, quick_pvalues
from stats_core.inference.fold_tests import run_pair_test
from stats_core.inference.multiplicity.win_counts import sign_matrix
from stats_core.inference.paired import corrected_t, cv52_f, paired_t, sign_test, wilcoxon
from stats_core.inference.pairwise import count_wins
from stats_core.robustness.dataset_decisions import Rule, agreement, set_wins
from tests.comparison.test_folds import folds
from tests.samples import shipped

ULAS = ("c45", "mdt", "mlp", "lnp", "svl", "sv2", "svr", "5nn")
# Ulas, Yildiz and Alpaydin 2012, Table 4: data sets of 38 with the better average accuracy
ULAS_4 = [
    [0, 19, 16, 16, 11, 17, 5, 15],
    [19, 0, 11, 16, 9, 18, 6, 18],
    [22, 27, 0, 22, 9, 19, 7, 24],
    [22, 22, 16, 0, 8, 22, 8, 21],
    [26, 29, 29, 30, 0, 25, 17, 31],
    [20, 20, 18, 16, 12, 0, 7, 17],
    [33, 32, 31, 30, 21, 31, 0, 33],
    [23, 20, 14, 17, 7, 21, 5, 0],
]
# the same, Table 6: data sets won by the 5x2 cv F test
ULAS_6 = [
    [0, 5, 3, 4, 2, 5, 0, 4],
    [5, 0, 0, 2, 0, 10, 0, 7],
    [11, 7, 0, 6, 3, 10, 3, 9],
    [7, 3, 1, 0, 0, 9, 0, 5],
    [9, 6, 4, 6, 0, 13, 2, 12],
    [7, 9, 8, 6, 5, 0, 1, 8],
    [14, 14, 10, 10, 8, 16, 0, 16],
    [6, 4, 4, 3, 1, 10, 1, 0],
]

FIVE = ("k-NN", "C4.5", "Ripper", "LP", "NB")
WORST = {("k-NN", "NB"), ("C4.5", "NB"), ("Ripper", "NB"), ("LP", "NB")}


@dataclass(frozen=True)
class Printed:
    """Wins over 15 data sets in Aslan's thesis 2009, the pairs that it marks, and its totals if printed."""

    wins: list
    differ: set
    total: list | None


# table of wins and page / table of 0 and 1 and page
THESIS = {
    "6.3, 59 / 6.4, 59": Printed(
        [[0, 7, 5, 7, 15], [3, 0, 3, 6, 14], [3, 8, 0, 6, 14], [7, 8, 7, 0, 14], [0, 0, 0, 0, 0]],
        WORST,
        [15, 14, 14, 14, 0],
    ),
    # section 6.2 names NB and LP as different here; Table 6.6 does not, and 11 : 1 is not enough
    "6.5, 60 / 6.6, 60": Printed(
        [[0, 12, 13, 6, 9], [2, 0, 8, 3, 5], [2, 2, 0, 2, 5], [6, 11, 12, 0, 11], [3, 8, 9, 1, 0]],
        set(),
        [14, 11, 7, 13, 10],
    ),
    "6.7, 60 / 6.8, 61": Printed(
        [[0, 7, 7, 7, 15], [4, 0, 4, 5, 14], [5, 6, 0, 6, 13], [7, 9, 7, 0, 15], [0, 0, 0, 0, 0]],
        WORST,
        [15, 14, 13, 15, 0],
    ),
    "6.9, 61 / 6.10, 61": Printed(
        [[0, 13, 13, 7, 11], [2, 0, 6, 3, 5], [2, 2, 0, 2, 5], [7, 12, 12, 0, 14], [3, 8, 8, 1, 0]],
        {("LP", "NB")},
        [14, 9, 7, 14, 9],
    ),
    "6.12, 64 / 6.13, 65": Printed(
        [[0, 11, 8, 4, 7], [2, 0, 3, 3, 4], [3, 8, 0, 3, 5], [5, 11, 10, 0, 7], [3, 10, 6, 1, 0]],
        set(),
        [14, 6, 13, 13, 12],
    ),
    "6.14, 65 / 6.15, 65": Printed(
        [[0, 11, 10, 5, 11], [3, 0, 2, 3, 5], [4, 5, 0, 3, 7], [8, 11, 12, 0, 12], [4, 8, 6, 1, 0]],
        set(),
        [14, 6, 10, 13, 11],
    ),
    "7.2, 68 / 7.3, 68": Printed(
        [[0, 8, 7, 7, 14], [5, 0, 3, 6, 13], [6, 6, 0, 7, 14], [7, 8, 7, 0, 14], [0, 1, 0, 0, 0]],
        WORST,
        [14, 14, 14, 14, 1],
    ),
    "7.4, 69 / 7.5, 69": Printed(
        [[0, 0, 0, 2, 3], [2, 0, 1, 4, 6], [3, 1, 0, 4, 5], [2, 1, 0, 0, 5], [0, 0, 0, 0, 0]],
        set(),
        None,
    ),
    "7.7, 70 / 7.8, 70": Printed(
        [[0, 7, 9, 7, 15], [7, 0, 4, 7, 14], [5, 5, 0, 7, 14], [7, 8, 8, 0, 14], [0, 1, 1, 1, 0]],
        WORST,
        [15, 15, 15, 15, 11],
    ),
    "7.9, 70 / 7.10, 71": Printed(
        [[0, 5, 5, 5, 11], [3, 0, 2, 6, 11], [5, 4, 0, 6, 13], [5, 5, 1, 0, 11], [0, 1, 0, 1, 0]],
        {("Ripper", "NB")},
        None,
    ),
}


def square(values, names):
    return pd.DataFrame(values, index=list(names), columns=list(names))


def separated(pvalues, alpha=0.05):
    return {(a, b) for a, b in combinations(pvalues.index, 2) if pvalues.loc[a, b] <= alpha}


@pytest.mark.parametrize("table", THESIS)
@pytest.mark.parametrize("correction", ["bonferroni", "holm"])
def test_the_thesis_marks_the_pairs_that_its_wins_separate(table, correction):
    """Bonferroni as in Figure 7.1, page 73; Holm's procedure finds no other pairs here."""
    printed = THESIS[table]
    found = sign_matrix(square(printed.wins, FIVE), 15, correction=correction)

    assert separated(found) == printed.differ


@pytest.mark.parametrize("table", [name for name in THESIS if THESIS[name].total])
def test_printed_totals_are_unions(table):
    """A union is at least the largest number in its row, and at most the sum (section 7.2, page 67)."""
    wins = np.array(THESIS[table].wins)
    total = np.array(THESIS[table].total)
    possible = (wins.max(axis=1) <= total) & (total <= np.minimum(15, wins.sum(axis=1)))

    # Table 7.7, page 70, prints 11 for NB, which wins 0, 1, 1 and 1: a union of 3 at most
    assert list(possible) == [True, True, True, True, not table.startswith("7.7")]


def test_ulas_et_al_by_average():
    """In Table 4, svl and svr differ significantly from the six others, and mlp from mdt.

    Section 4.2 names these as examples, and the table gives no others.
    """
    wins = square(ULAS_4, ULAS)
    others = [name for name in ULAS if name not in ("svl", "svr")]
    expected = {frozenset((best, other)) for best in ("svl", "svr") for other in others}

    found = {frozenset(pair) for pair in separated(sign_matrix(wins, 38))}
    assert found == expected | {frozenset(("mlp", "mdt"))}
    for best in ("svl", "svr"):
        assert (wins.loc[best, others] > wins.loc[others, best]).all()
    assert wins.loc["mlp", "mdt"] > wins.loc["mdt", "mlp"]


def test_ulas_et_al_by_test():
    """In Table 6 and section 4.4, svr wins against c45, mdt, sv2 and 5nn only.

    The paper does not adjust; adjusted over the 28 pairs, no pair would differ.
    """
    wins = square(ULAS_6, ULAS)
    found = sign_matrix(wins, 38)

    assert {frozenset(pair) for pair in separated(found)} == {
        frozenset(("svr", other)) for other in ("c45", "mdt", "sv2", "5nn")
    }
    # 14 wins, 24 ties: 26 of 38; 16 wins, 1 loss, 21 ties, one dropped: 26 of 37
    assert found.loc["svr", "c45"] == pytest.approx(stats.binomtest(26, 38).pvalue)
    assert found.loc["svr", "sv2"] == pytest.approx(stats.binomtest(26, 37).pvalue)
    assert separated(sign_matrix(wins, 38, correction="holm")) == set()


@pytest.fixture(scope="module")
def uci():
    return shipped("uci38_5x2.csv")


def scores(table, **columns):
    """Return results of averages, data set x algorithm."""
    table = pd.DataFrame(table).rename_axis(index="dataset", columns="algorithm")
    return Results.from_frame(
        table.stack(future_stack=True).rename("error").reset_index(), **columns
    )


def test_by_average_the_better_average_wins(uci):
    """Expected from `count_wins`, which counts pair by pair with another definition of ties."""
    found = set_wins(uci, measure="error")
    wins, ties = count_wins(uci.averages("error"), higher_is_better=False)

    pd.testing.assert_frame_equal(found.wins, wins)
    pd.testing.assert_frame_equal(found.ties, ties)
    assert found.n == 38
    assert (found.wins + found.wins.T + found.ties).iloc[0, 1] == 38


def test_the_test_over_data_sets_is_the_sign_test_on_averages(uci):
    found = set_wins(uci, measure="error", sign_correction="none")
    averages = uci.averages("error")
    for a, b in combinations(uci.algorithms, 2):
        assert found.pvalues.loc[a, b] == pytest.approx(sign_test(averages[a], averages[b]).pvalue)
    assert (np.diag(found.pvalues) == 1).all()
    paid = set_wins(uci, measure="error")  # Bonferroni unless asked otherwise
    np.testing.assert_allclose(paid.pvalues, np.minimum(28 * found.pvalues, 1))


def test_the_total_is_a_union_and_the_wins_have_names(uci):
    found = set_wins(uci, measure="error", by="test")
    for a in found.names:
        behind = [found.won[a, b] for b in found.names if b != a]
        assert found.total[a] == len(set().union(*behind))
        assert [len(sets) for sets in behind] == found.wins.loc[a].drop(a).tolist()
    assert found.total["SVM (RBF)"] < found.wins.loc["SVM (RBF)"].sum()
    assert set().union(*found.won.values()) <= set(uci.datasets)


@pytest.mark.parametrize(
    ("test", "called"),
    [
        ("", lambda x, y: corrected_t(x, y, test_fraction=0.5)),
        ("5x2 cv F", lambda x, y: cv52_f((x - y).to_numpy().reshape(5, 2))),
        ("paired t", paired_t),
        ("corrected t", lambda x, y: corrected_t(x, y, test_fraction=0.5)),
        ("Wilcoxon", wilcoxon),
    ],
)
def test_by_test_a_win_is_a_test_that_rejects_and_the_better_mean(uci, test, called):
    some = uci.select(datasets=["zoo", "car", "glass", "nursery"])
    found = set_wins(some, measure="error", by="test", test=test, correction="none")
    for dataset in some.datasets:
        runs = some.matrix(dataset, "error")
        for a, b in permutations(some.algorithms, 2):
            rejects = called(runs[a], runs[b]).pvalue <= 0.05
            assert (dataset in found.won[a, b]) == (rejects and runs[a].mean() < runs[b].mean())
    assert found.wins.to_numpy().sum() > 0


def test_by_tukey_with_and_without_overlap(uci):
    some = uci.select(datasets=["car", "nursery", "pageblock"])
    for overlap, fraction in ((True, 0.5), (False, None)):
        found = set_wins(some, measure="error", by="test", test="Tukey", overlap=overlap)
        expected = sum(
            int(
                (tukey(some.matrix(d, "error"), test_fraction=fraction).pvalues <= 0.05).sum().sum()
            )
            for d in some.datasets
        )
        assert found.wins.to_numpy().sum() == expected // 2
    adjusted = set_wins(some, measure="error", by="test", test="Tukey", correction="holm")
    plain = set_wins(some, measure="error", by="test", test="Tukey")
    pd.testing.assert_frame_equal(adjusted.wins, plain.wins)
    assert plain.wins.to_numpy().sum() > 0


def test_a_correction_or_a_smaller_alpha_only_takes_wins_away(uci):
    plain = set_wins(uci, measure="error", by="test", correction="none")
    holm = set_wins(uci, measure="error", by="test", correction="holm")
    strict = set_wins(uci, measure="error", by="test", alpha=0.01, correction="none")

    for fewer in (holm, strict):
        assert (fewer.wins <= plain.wins).all(axis=None)
        assert fewer.wins.to_numpy().sum() < plain.wins.to_numpy().sum()
    assert "Holm over pairs" in holm.method
    assert "p ≤ 0.01" in strict.method


def test_the_advised_test_follows_each_design(uci):
    frame = uci.select(datasets=["zoo", "iris", "car"]).frame
    zoo = frame["dataset"] == "zoo"
    folds = frame[zoo].assign(fold=lambda t: t["repetition"] + "." + t["fold"], repetition="1")
    mixed = Results.from_frame(pd.concat([folds, frame[~zoo]]), directions=uci.directions)

    found = set_wins(mixed, measure="error", by="test")
    assert "Nadeau-Bengio corrected t test" in found.method
    plain = set_wins(mixed, measure="error", by="test", overlap=False)
    assert "paired t test" in plain.method


def test_ties_are_within_floating_point_noise_and_never_won():
    noisy = 0.1 + 0.2
    found = set_wins(scores({"a": [0.3, 0.3], "b": [noisy, 0.4], "c": [0.5, 0.5]}), measure="error")

    assert found.ties.loc["a", "b"] == found.ties.loc["b", "a"] == 1
    assert found.won["a", "b"] == ("1",)
    assert found.wins.loc["b", "a"] == 0
    assert (np.diag(found.ties) == 0).all()


def test_the_direction_turns_the_wins(rng):
    table = pd.DataFrame(rng.random((9, 4)), columns=list("abcd"))
    lower = set_wins(scores(table), measure="error")
    higher = set_wins(scores(table, directions={"error": "higher"}), measure="error")

    pd.testing.assert_frame_equal(lower.wins, higher.wins.T)
    pd.testing.assert_frame_equal(lower.pvalues, higher.pvalues)


def test_the_order_of_rows_does_not_matter(uci, rng):
    frame = uci.select(datasets=["zoo", "car", "glass"]).frame
    shuffled = Results.from_frame(
        frame.sample(frac=1, random_state=rng), directions=uci.directions, costs=uci.costs
    )
    for by in ("average", "test"):
        pd.testing.assert_frame_equal(
            set_wins(shuffled, measure="error", by=by).wins,
            set_wins(uci.select(datasets=["zoo", "car", "glass"]), measure="error", by=by).wins,
        )


def test_holes_are_left_out_with_the_reason_or_lose_if_failures_rank_worst():
    table = {"a": [0.1, 0.1, np.nan], "b": [0.2, np.nan, np.nan], "c": [0.3, 0.3, 0.3]}
    results = scores(table)
    found = set_wins(results, measure="error")
    assert found.datasets == ("0",)
    assert found.skipped["2"].startswith("2 of 3 averages of error are missing.")
    assert found.n == 1

    worst = set_wins(results.resolve("worst rank"), measure="error")
    assert worst.n == 3
    assert worst.won["c", "b"] == ("1", "2")
    assert worst.won["a", "b"] == ("0", "1")
    assert worst.ties.loc["a", "b"] == 1


def test_a_data_set_that_the_test_does_not_fit_is_left_out(uci):
    frame = uci.select(datasets=["zoo", "iris"]).frame
    short = frame[(frame["dataset"] == "zoo") | (frame["repetition"] != "5")]
    results = Results.from_frame(short, directions=uci.directions, costs=uci.costs)
    found = set_wins(results, measure="error", by="test", test="5x2 cv F")

    assert found.datasets == ("zoo",)
    assert found.skipped["iris"].startswith("5x2 cv F test needs 5 repetitions")
    with pytest.raises(
        DesignError, match="at least one data set to which the test can be applied. 5x2 cv F"
    ):
        set_wins(results.select(datasets=["iris"]), measure="error", by="test", test="5x2 cv F")


@pytest.mark.parametrize("correction", ["none", "bonferroni", "holm", "hochberg", "hommel"])
@pytest.mark.parametrize("n", [4, 6, 8, 11])
def test_the_smallest_p_is_that_of_the_same_order_everywhere(n, correction):
    found = set_wins(
        scores({"a": [1.0] * n, "b": [2.0] * n, "c": [3.0] * n, "d": [4.0] * n}),
        measure="error",
        sign_correction=correction,
    )
    reached = found.pvalues.to_numpy()[np.triu_indices(4, 1)].min()
    assert found.smallest == pytest.approx(reached)
    assert ("no difference in wins can be significant" in found.text) == (reached > 0.05)


def test_one_row_per_pair_and_the_better_side(uci):
    found = set_wins(uci, measure="error", by="test")
    rows = found.to_frame()

    assert list(rows.columns) == [
        *("first", "second", "wins", "losses", "ties", "p", "p adjusted", "differs")
    ]
    assert len(rows) == 28
    assert (rows[["wins", "losses", "ties"]].sum(axis=1) == 38).all()
    assert rows["differs"].sum() == found.beats.to_numpy().sum()
    for row in rows[rows["differs"]].itertuples():
        assert found.beats.loc[row.first, row.second] == (row.wins > row.losses)
        assert found.beats.loc[row.second, row.first] == (row.losses > row.wins)


def test_in_a_sentence():
    same = {"a": [1.0] * 8, "b": [2.0] * 8}
    assert set_wins(scores(same), measure="error").text == (
        "a and b differ significantly in wins (8 vs. 0, p = 0.008, sign test, Bonferroni over pairs)."
    )
    three = {**same, "c": [3.0] * 8}
    said = set_wins(scores(three), measure="error", sign_correction="bonferroni").text
    assert "3 of 3 pairs differ significantly in wins" in said
    few = {name: values[:3] for name, values in same.items()}
    assert "smallest attainable p = 0.250)" in set_wins(scores(few), measure="error").text
    even = {"a": [1.0, 2.0] * 4, "b": [2.0, 1.0] * 4}
    said = set_wins(scores(even), measure="error").text
    assert said == "a and b do not differ significantly in wins (sign test, p > 0.999)."
    many = {name: [float(place)] * 9 for place, name in enumerate("abcd")}
    assert (
        "6 of 6 pairs differ significantly in wins (sign test"
        in set_wins(scores(many), measure="error").text
    )


def test_what_is_refused(uci):
    for options, message in (
        ({"measure": "speed"}, "no measure"),
        ({"measure": "error", "by": "luck"}, "`by`"),
        ({"measure": "error", "by": "test", "test": "z"}, "`test`"),
        ({"measure": "error", "correction": "x"}, "`correction`"),
        ({"measure": "error", "sign_correction": "shaffer"}, "`sign_correction`"),
        ({"measure": "error", "alpha": 1}, "`alpha`"),
    ):
        with pytest.raises(SettingError, match=message):
            set_wins(uci, **options)
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        set_wins(uci.select(algorithms=["SVM (RBF)"]), measure="error")


def test_a_printed_table_is_checked():
    wins = square([[0, 3], [2, 0]], "ab")
    with pytest.raises(DataError, match="add up to at most 4"):
        sign_matrix(wins, 4)
    with pytest.raises(DataError, match="`wins` must be integers, and the wins and"):
        sign_matrix(wins / 2, 5)
    with pytest.raises(DataError, match="square"):
        sign_matrix(wins.assign(total=[3, 2]), 5)
    with pytest.raises(SettingError, match="`correction`"):
        sign_matrix(wins, 5, correction="bergmann_hommel")
    np.fill_diagonal(full := wins.to_numpy().astype(float), np.nan)
    assert sign_matrix(square(full, "ab"), 5).iloc[0, 1] == 1.0


@pytest.fixture(scope="module")
def counts():
    return shipped("twoclass_counts.csv")


def test_every_pair_of_every_repetition_is_one_decision(counts):
    """There are 840 decisions, as in the paper: 4 data sets, 21 pairs, 10 repetitions."""
    four = counts.select(datasets=counts.datasets[:4])
    found = agreement(four, Rule(measure="error"), Rule(measure="f"))

    assert len(found.decisions) == 840
    assert found.counts.loc["total", "total"] == 840
    assert found.percent.loc["total", "total"] == 100
    assert found.counts.iloc[:2, :2].to_numpy().sum() == 840
    np.testing.assert_array_equal(
        found.counts.loc["total"].iloc[:2], found.counts.iloc[:2, :2].sum()
    )


def test_one_decision_is_the_test_on_its_repetition(counts):
    rule = Rule(measure="error", test="paired t")
    found = agreement(counts.select(datasets=["pima"]), rule, rule)
    row = found.decisions[found.decisions["repetition"] == "3"].iloc[0]
    matrix = counts.matrix("pima", "error").loc["3"]

    assert row["p one"] == paired_t(matrix[row["first"]], matrix[row["second"]]).pvalue
    assert len(matrix) == 10


def test_a_rule_agrees_with_itself(counts):
    rule = Rule(measure="error", test="corrected t")
    table = agreement(counts.select(datasets=["pima", "german"]), rule, rule).counts

    assert table.loc["rejects", "does not reject"] == 0
    assert table.loc["does not reject", "rejects"] == 0


def test_a_rule_that_ignores_overlap_is_the_paired_t_test(counts):
    two = counts.select(datasets=["pima", "german"])
    plain = agreement(
        two, Rule(measure="error", overlap=False), Rule(measure="error", test="paired t")
    ).decisions
    corrected = agreement(two, Rule(measure="error"), Rule(measure="error")).decisions

    assert plain["p one"].tolist() == plain["p other"].tolist()
    assert (plain["p one"] <= corrected["p one"]).all()
    assert (plain["p one"] < corrected["p one"]).any()
    with pytest.raises(SettingError, match='Use "paired t"'):
        agreement(
            two, Rule(measure="error", test="corrected t", overlap=False), Rule(measure="error")
        )


def test_tests_that_favour_opposite_algorithms_are_told_apart():
    rng = np.random.default_rng(0)
    low, high = 0.1 + rng.normal(0, 0.001, 10), 0.2 + rng.normal(0, 0.001, 10)
    same = 0.3 + rng.normal(0, 0.05, 10)
    table = pd.DataFrame(
        {
            "algorithm": np.repeat(["a", "b", "c"], 10),
            "fold": [str(fold) for fold in range(10)] * 3,
            "error": np.concatenate([low, high, same]),
            "auc": np.concatenate([low, high, same]),
        }
    )
    results = Results.from_frame(table, directions={"error": "lower", "auc": "higher"})
    found = agreement(results, Rule(measure="error"), Rule(measure="auc"))

    # a has the lowest error and the lowest AUC, so each pair that differs is reversed
    opposite = found.reversed[["first", "second", "ahead one", "ahead other"]]
    assert ["a", "b", "a", "b"] in opposite.to_numpy().tolist()
    assert found.directions.loc["better", "worse"] == len(opposite) == found.counts.iloc[0, 0]
    assert found.directions.loc["better", "better"] == 0
    assert found.directions.to_numpy().sum() == len(found.decisions)
    again = agreement(results, Rule(measure="error"), Rule(measure="error"))
    assert again.reversed.empty
    assert again.directions.loc["better", "better"] == again.counts.iloc[0, 0]
    together = agreement(results, Rule(measure="error"), Rule(measures=("error", "auc")))
    assert together.reversed.empty


def test_another_level_decides_as_tests_made_there(counts):
    two = counts.select(datasets=["pima", "german"])
    rules = (Rule(measure="error"), Rule(measures=("fpr", "tpr"), correction="holm"))
    anew = agreement(two, *(replace(rule, alpha=0.2) for rule in rules))
    found = agreement(two, *rules)

    pd.testing.assert_frame_equal(found.at_level(0.2, 0.2).decisions, anew.decisions)
    assert not found.decisions.equals(anew.decisions)


def test_a_correction_only_takes_rejections_away(counts):
    some = counts.select(datasets=["pima"])
    plain, holm = Rule(measure="error"), Rule(measure="error", correction="holm")

    assert agreement(some, plain, holm).counts.loc["does not reject", "rejects"] == 0


def test_5x2_tests_look_at_all_replications_and_so_does_the_other():
    found = agreement(
        folds("cv5x2"),
        Rule(measure="error", test="5x2 cv F"),
        Rule(measure="error", test="paired t"),
    )

    assert set(found.decisions["repetition"]) == {"all"}
    assert len(found.decisions) == 15


def test_cells_hold_their_pairs(counts):
    found = agreement(counts, Rule(measure="error"), Rule(measure="fpr"))
    cell = found.cell(first=True, second=False)

    assert len(cell) == found.counts.loc["rejects", "does not reject"]
    assert ((cell["p one"] <= 0.05) & (cell["p other"] > 0.05)).all()
    assert sum(
        len(found.cell(first=a, second=b)) for a in (True, False) for b in (True, False)
    ) == (len(found.decisions))


def test_what_cannot_be_decided_is_named():
    results = folds("cv10")
    with pytest.raises(DesignError, match="needs 5 repetitions"):
        agreement(results, Rule(measure="error", test="5x2 cv F"), Rule(measure="error"))
    with pytest.raises(SettingError, match="correction"):
        agreement(results, Rule(measure="error", correction="shaffer?"), Rule(measure="error"))
    with pytest.raises(SettingError, match="no measure"):
        agreement(results, Rule(measure="error"), Rule(measure="speed"))


def test_a_data_set_that_cannot_be_decided_is_left_out_with_its_reason():
    good = folds("cv10").frame
    single = good[good["fold"] == "0"].assign(dataset="single")
    results = type(folds("cv10")).from_frame(pd.concat([good, single], ignore_index=True))
    found = agreement(results, Rule(measure="error"), Rule(measure="error", test="Wilcoxon"))

    assert list(found.skipped) == ["single"]
    assert set(found.decisions["dataset"]) == {"bc"}


def test_one_algorithm_makes_no_decision(counts):
    with pytest.raises(DesignError, match="at least 2 algorithms"):
        agreement(counts.select(algorithms=["LDA"]), Rule(measure="error"), Rule(measure="f"))


T_TESTS = ("corrected t", "corrected t, conservative", "paired t")


@pytest.mark.parametrize("test", [*T_TESTS, "5x2 cv F", "Wilcoxon", "sign test", "sign flips"])
def test_all_pairs_at_once_are_the_tests_pair_by_pair(test):
    """Two columns are equal, and p is 1 for them."""
    results = shipped("uci38_5x2.csv")
    data = fold_data(results, "iris", Settings(measure="error"))
    matrix = data.matrix.assign(twin=data.matrix.iloc[:, 0])
    pairs = fold_pairs(
        results, replace(data, matrix=matrix), "error", combinations(matrix.columns, 2)
    )

    quick = quick_pvalues(matrix.to_numpy(), test, data.test_fraction)

    expected = [run_pair_test(pair, test).outcome.pvalue for pair in pairs.values()]
    np.testing.assert_allclose(quick[np.triu_indices(len(quick), 1)], expected, rtol=1e-9)
    assert quick[0, -1] == 1


def test_a_constant_difference_is_left_to_the_test_that_refuses_it():
    folds_with_one = np.arange(10.0)[:, None] + [0, 1]

    assert quick_pvalues(folds_with_one, "paired t", None) is None
    assert quick_pvalues(folds_with_one, "5x2 cv F", None) is None
    assert quick_pvalues(folds_with_one, "Wilcoxon", None)[0, 1] == 2**-9
