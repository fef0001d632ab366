"""Tests of confidence intervals for ranks: other programs, identities, coverage, invalid input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.inference.paired import paired_t
from stats_core.inference.paired.instance_tests import two_way_test
from stats_core.inference.rank_intervals import paired_moments, rank_intervals
from tests.monte_carlo import draws, share


def answers():
    """Return correct answers of 8 models to 400 questions, without random numbers."""
    item, model = np.arange(400)[:, None], np.arange(8)
    noise = (
        item * 7919 + (item**2 % 97) * (model + 3) ** 2 * 607 + (item**3 % 89) * (model + 1) * 131
    ) % 1000
    accuracy = np.array([820, 820, 780, 720, 720, 640, 630, 400])
    return pd.DataFrame((noise < accuracy).astype(int), columns=[f"m{j + 1}" for j in model])


def test_intervals_and_best_algorithms_agree_with_csranks():
    """Expected numbers: `csranks` and `cstaubest` of the R package csranks 1.2.3, R = 20000, from means and cov / n."""
    found = rank_intervals(answers(), higher_is_better=True)
    table = found.table.loc[answers().columns]

    assert table["rank"].tolist() == [1, 2, 3, 4, 5, 6, 6, 8]
    for which in ("", " all"):
        assert table[f"low{which}"].tolist() == [1, 1, 1, 3, 3, 4, 4, 8]
        assert table[f"high{which}"].tolist() == [3, 3, 5, 7, 7, 7, 7, 8]
    assert [len(found.best(tau)) for tau in (1, 2, 3, 4)] == [3, 3, 5, 7]


def test_adjusted_pvalues_agree_with_multcomp():
    """Expected numbers: `summary(glht(parm(...)), test = adjusted("free"))` of multcomp 1.4.22, one-sided contrasts."""
    names = ["m1", "m3", "m4", "m6"]
    found = rank_intervals(answers()[names], higher_is_better=True, draws=100_000).pvalues.loc[
        names, names
    ]
    expected = {
        (0, 1): 0.27119,
        (0, 2): 0.00183921,
        (1, 2): 0.165058,
        (1, 3): 0.000448606,
        (2, 3): 0.165058,
    }

    for (first, second), p in expected.items():
        assert found.iloc[first, second] == share(p, 100_000), (first, second)
    assert (found.to_numpy()[np.tril_indices(4)] > 0.999).all()


@given(st.integers(0, 10**6), st.integers(3, 60), st.floats(0, 1))
def test_two_algorithms_have_certain_ranks_exactly_if_the_paired_t_test_rejects(seed, n, shift):
    scores = np.random.default_rng(seed).normal(size=(n, 2)) + [shift, 0]
    found = rank_intervals(pd.DataFrame(scores, columns=["a", "b"]), higher_is_better=True)
    p = paired_t(*scores.T).pvalue
    both = found.pvalues.to_numpy().min()

    assert both >= p * (1 - 1e-9)
    assert both == share(p, 9999) or both == pytest.approx(p, abs=2e-4)
    if abs(p - 0.05) > 0.01:
        certain = [[1, 1], [2, 2]] if p < 0.05 else [[1, 2], [1, 2]]
        for which in ("", " all"):
            assert found.table[[f"low{which}", f"high{which}"]].to_numpy().tolist() == certain
        assert len(found.groups()) == (2 if p < 0.05 else 1)


def test_copied_items_in_clusters_are_one_item():
    once = rank_intervals(answers(), higher_is_better=True)
    copies = pd.concat([answers()] * 3, ignore_index=True)
    clustered = rank_intervals(copies, higher_is_better=True, clusters=np.tile(np.arange(400), 3))

    pd.testing.assert_frame_equal(clustered.table, once.table)
    assert clustered.n == once.n == 400
    assert (
        rank_intervals(copies, higher_is_better=True).table["error"] < 0.6 * once.table["error"]
    ).all()


def test_errors_have_the_ranks_of_accuracies():
    right = rank_intervals(answers(), higher_is_better=True).table.drop(columns="value")
    wrong = rank_intervals(1 - answers(), higher_is_better=False).table.drop(columns="value")

    pd.testing.assert_frame_equal(wrong, right)


def test_marginal_intervals_lie_within_the_simultaneous_ones_and_cover_the_rank():
    for seed in range(20):
        scores = np.random.default_rng(seed).normal(size=(30, 7)) + np.arange(7) / 4
        table = rank_intervals(pd.DataFrame(scores), higher_is_better=True).table

        assert (table["low all"] <= table["low"]).all()
        assert (table["low"] <= table["rank"]).all()
        assert (table["rank"] <= table["high"]).all()
        assert (table["high"] <= table["high all"]).all()


def test_equal_columns_share_all_ranks():
    scores = answers()[["m1", "m8", "m1"]].set_axis(["a", "b", "c"], axis=1)
    table = rank_intervals(scores, higher_is_better=True).table.loc[["a", "c", "b"]]

    assert table[["rank", "low all", "high all"]].to_numpy().tolist() == [
        [1, 1, 2],
        [1, 1, 2],
        [3, 3, 3],
    ]


@pytest.mark.parametrize(("n", "separate"), [(4, False), (6, True)])
def test_a_constant_difference_counts_as_zero_on_one_item(n, separate):
    scores = pd.DataFrame({"a": np.ones(n), "b": np.zeros(n)})
    found = rank_intervals(scores, higher_is_better=True)

    one_zero = paired_t([1.0] * (n - 1) + [0.0], np.zeros(n))
    assert one_zero.statistic == pytest.approx(n - 1)
    expected = max(one_zero.pvalue, 2 / 2**n)  # of sign flips
    assert found.pvalues.loc["a", "b"] == pytest.approx(expected)
    assert (found.pvalues.loc["a", "b"] < 0.05) == separate


def of_runs(rng, runs=4, n=60, k=2):
    """Return right answers, run x item x model, that vary with the item, the run and the model."""
    latent = (
        rng.normal(size=(1, n, 1))
        + 0.5 * rng.normal(size=(runs, 1, k))
        + rng.normal(size=(runs, n, k))
    )
    return (latent < np.linspace(0.9, 0.3, k)).astype(float)


def test_two_algorithms_after_several_runs_are_compared_by_the_two_way_test():
    right = of_runs(np.random.default_rng(2))
    means, runs = pd.DataFrame(right.mean(axis=0)), pd.DataFrame(right.mean(axis=1))
    test = two_way_test("accuracy", np.ones(60), *np.moveaxis(right, 2, 0))
    moments = paired_moments(means, runs=runs)
    found = rank_intervals(means, higher_is_better=True, runs=runs)

    parts = test.over_cases**2, test.over_trainings**2
    satterthwaite = sum(parts) ** 2 / (parts[0] ** 2 / 59 + parts[1] ** 2 / 3)
    tail = 2 * stats.t.sf(abs(test.statistic), satterthwaite)

    assert np.sqrt(moments.variances[0, 1]) == pytest.approx(test.error)
    assert moments.df[0, 1] == pytest.approx(satterthwaite)
    assert found.pvalues.to_numpy().min() == share(tail, 9999)


def test_strata_add_the_squared_standard_errors_of_their_sums():
    strata = np.repeat(["x", "y", "z"], [50, 150, 200])
    moments = paired_moments(answers(), strata=strata)
    differences = (answers()["m1"] - answers()["m4"]).groupby(strata)
    parts = differences.count() ** 2 * differences.var() / differences.count() / 400**2

    assert moments.variances[0, 3] == pytest.approx(parts.sum())
    assert moments.df[0, 3] == pytest.approx(
        parts.sum() ** 2 / (parts**2 / (differences.count() - 1)).sum()
    )
    one = rank_intervals(
        answers(), higher_is_better=True, strata=np.zeros(400)
    ).table  # normal instead of t
    pd.testing.assert_frame_equal(one, rank_intervals(answers(), higher_is_better=True).table)


@draws(200, 2000)
@pytest.mark.parametrize("kind", ["items", "clusters", "strata", "runs"])
def test_intervals_cover_the_ranks_of_equal_models(draws, kind):
    rng, covered = np.random.default_rng(3), 0
    groups = {
        "clusters": {"clusters": np.arange(120) // 3},
        "strata": {"strata": np.arange(120) // 60},
    }.get(kind, {})
    opposite = np.zeros(
        (120, 6)
    )  # differences between models, as large in one stratum as in the other
    if kind == "strata":
        opposite[:] = np.where(np.arange(120) < 60, 0.5, -0.5)[:, None] * np.tile([1, -1], 3)
    for seed in range(draws):
        difficulty = rng.normal(size=(120, 1))
        if kind == "clusters":
            difficulty = difficulty + np.repeat(rng.normal(size=(40, 6)), 3, axis=0)
        if kind == "runs":
            difficulty = difficulty + 0.3 * rng.normal(size=(4, 1, 6))
        right = difficulty + rng.normal(size=(*difficulty.shape[:-1], 6)) + opposite < 0
        runs = {"runs": pd.DataFrame(right.mean(axis=1))} if kind == "runs" else {}
        values = pd.DataFrame(right.mean(axis=0) if runs else right.astype(float))
        table = rank_intervals(
            values, higher_is_better=True, draws=999, rng=seed, **groups, **runs
        ).table
        covered += bool((table["low all"] == 1).all() and (table["high all"] == 6).all())

    # the interaction of instances and runs counts in both variances, so coverage is higher
    enough = kind == "runs" and covered / draws > 0.95
    assert enough or covered / draws == share(0.95, draws)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        (
            {"values": pd.DataFrame({"a": [1.0, np.nan], "b": [0.0, 1.0]})},
            DataError,
            "missing|finite",
        ),
        ({"values": answers()[["m1"]]}, DesignError, "algorithm"),
        ({"values": answers()[:1]}, DesignError, "at least 2 instances"),
        ({"clusters": np.zeros(400)}, DesignError, "at least 2 instances"),
        ({"clusters": np.arange(399)}, DataError, "has 399 known values for 400 items"),
        (
            {"clusters": [None] + ["x"] * 200 + ["y"] * 199},
            DataError,
            "has 399 known values for 400 items",
        ),
        ({"strata": [0] * 399 + [1]}, DesignError, "at least 2 instances"),
        ({"runs": answers()[:1]}, DesignError, "at least 2 instances"),
        ({"confidence_level": 95}, SettingError, "confidence_level"),
        ({"draws": 0}, SettingError, "draws"),
    ],
)
def test_invalid_input_is_refused(changes, error, words):
    with pytest.raises(error, match=words):
        rank_intervals(**{"values": answers(), "higher_is_better": True} | changes)
