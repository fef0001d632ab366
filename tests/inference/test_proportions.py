"""Tests of intervals of accuracies, their difference and odds ratio, against printed examples and other programs."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as other_mcnemar
from statsmodels.stats.proportion import proportion_confint

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError, SettingError
from stats_core.inference.paired import (
    conditional_odds_ratio,
    mcnemar,
    newcombe_interval,
    wilson_interval,
)
from stats_core.inference.paired.instance_tests import mcnemar_tests, mean_of_instances, swap_test
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.power.item_planning import mcnemar_power
from stats_core.report.tables.table_registry import tables_of


@pytest.mark.parametrize(
    ("successes", "n", "expected"),
    [  # Newcombe, Stat. Med. 17 (1998) 857, Table I, method 3
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
    ],
)
def test_wilson_intervals_as_newcombe_prints_them(successes, n, expected):
    assert wilson_interval(successes, n) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("successes", "n", "confidence_level"), [(770, 1000, 0.95), (3, 50, 0.99), (50, 50, 0.9)]
)
def test_wilson_intervals_agree_with_statsmodels(successes, n, confidence_level):
    expected = proportion_confint(successes, n, alpha=1 - confidence_level, method="wilson")

    assert wilson_interval(successes, n, confidence_level=confidence_level) == pytest.approx(
        expected, abs=1e-12
    )


@pytest.mark.parametrize(
    ("counts", "confidence_level", "expected"),
    [  # confIntPairedProportion of the R package biostatUZH, R 4.2.2
        (
            (14, 5, 0, 22),
            0.95,
            (0.011483241383, 0.226492684351),
        ),  # Altman et al., Statistics with Confidence, p. 52
        ((36, 12, 2, 0), 0.95, (0.0569295840032, 0.3404276029749)),
        ((1, 1, 7, 12), 0.95, (-0.5069202266861, -0.0255591241649)),
        ((53, 0, 1, 0), 0.95, (-0.0977143748878, 0.0496216618894)),
        ((0, 29, 25, 0), 0.95, (-0.18789287958, 0.32620197764)),
        ((710, 60, 27, 203), 0.99, (0.0089519481395, 0.0572832903842)),
    ],
)
def test_newcombe_intervals_agree_with_r(counts, confidence_level, expected):
    both, b, c, neither = counts
    low, high = newcombe_interval(*counts, confidence_level=confidence_level)

    assert (low, high) == pytest.approx(expected, abs=1e-11)
    assert newcombe_interval(
        both, c, b, neither, confidence_level=confidence_level
    ) == pytest.approx((-high, -low))
    assert newcombe_interval(
        neither, c, b, both, confidence_level=confidence_level
    ) == pytest.approx((-high, -low))  # of errors


def test_the_odds_ratio_agrees_with_statsdirect_and_r():
    # StatsDirect, McNemar, example of Armitage and Berry (1994, p. 127)
    assert conditional_odds_ratio(12, 2) == pytest.approx((6, 1.335744, 55.197091), abs=1e-6)
    # R 4.2.2: binom.test(60, 87)$conf.int as odds; survival::clogit estimates exp(0.798507696218)
    expected = (np.exp(0.798507696218), 1.38909991267, 3.64111607058)
    assert conditional_odds_ratio(60, 27) == pytest.approx(expected, abs=1e-9)
    assert conditional_odds_ratio(0, 0)[1:] == (0, np.inf)
    assert conditional_odds_ratio(4, 0)[::2] == (np.inf, np.inf)


def test_the_odds_ratio_excludes_one_exactly_if_mcnemar_rejects():
    for b in range(20):
        for c in range(20):
            _, low, high = conditional_odds_ratio(b, c)
            p = stats.binomtest(b, b + c).pvalue if b + c else 1
            assert (low > 1 or high < 1) == (p <= 0.05)


@pytest.mark.parametrize(
    "call", [lambda: wilson_interval(3, 2), lambda: newcombe_interval(0, 0, 0, 0)]
)
def test_impossible_counts_are_refused(call):
    with pytest.raises(DataError, match="counts between 0 and n"):
        call()


def test_an_impossible_confidence_is_refused():
    with pytest.raises(SettingError, match="confidence_level"):
        conditional_odds_ratio(1, 1, confidence_level=1)


def marks(counts, clusters=None):
    """Return results of two models with these counts: both, only a, only b, neither correct."""
    rows = np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], counts, axis=0)
    table = pd.DataFrame(rows, columns=["a", "b"]).rename_axis("question_id").reset_index()
    roles = {} if clusters is None else {"document": "cluster"}
    table = table if clusters is None else table.assign(document=clusters)
    text = table.melt(
        [*table.columns.drop(["a", "b"])], var_name="model", value_name="correct"
    ).to_csv(index=False)
    return read_results(("marks.csv", text.encode()), mapping=Mapping(roles=roles))


def test_the_comparison_uses_these_intervals():
    found = analyse(marks([710, 60, 27, 203]))
    (row,) = found.pairs.frame.to_dict("records")

    assert (row["low"], row["high"]) == newcombe_interval(710, 60, 27, 203)
    assert (row["odds ratio"], row["odds low"], row["odds high"]) == conditional_odds_ratio(60, 27)
    assert tuple(found.models().loc["b", ["low", "high"]]) == wilson_interval(737, 1000)
    assert found.models()["value"].tolist() == [0.77, 0.737]


def test_interval_and_exact_test_never_contradict_each_other():
    extended = analyse(marks([456, 27, 14, 3]))  # p = 0.060, while Newcombe's interval excludes 0
    (row,) = extended.pairs.frame.to_dict("records")

    assert mcnemar(*extended.correct.to_numpy().T).low > 0
    assert (row["p"] > 0.05, row["low"]) == (True, 0)
    assert "the end closer to 0 set to 0" in tables_of(extended, "pairs")[0].caption


def test_standard_errors_of_equal_clusters_are_those_of_statsmodels():
    rng = np.random.default_rng(3)
    group = rng.permutation(np.arange(390) % 30)
    right = rng.random(390) < np.clip(0.7 + 0.3 * rng.normal(size=30), 0.05, 0.95)[group]
    fit = sm.OLS(right.astype(float), np.ones(390)).fit()
    robust = fit.get_robustcov_results("cluster", groups=group, use_correction=False)
    expected = float(robust.bse[0]) * np.sqrt(30 / 29)
    found = mean_of_instances("accuracy", np.ones(390, dtype=bool), [right], group)

    assert found["standard error"] == pytest.approx(expected, rel=1e-10)
    assert found["design effect"] > 1


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_all_pairs_have_the_numbers_of_single_permutation_tests(measure):
    rng, names = np.random.default_rng(4), list("abcdef")
    right = dict(zip("abcde", (rng.random((90, 5)) < [0.9, 0.8, 0.8, 0.6, 0.5]).T, strict=True))
    right["f"] = right["a"]  # never disagrees with a
    counted = {name: column == (measure == "accuracy") for name, column in right.items()}
    levels = dict.fromkeys(combinations(names, 2), 0.95)
    fields = (
        "statistic",
        "pvalue",
        "pvalue_greater",
        "pvalue_less",
        "estimate",
        "error",
        "values",
        "n",
    )

    for (a, b), found in mcnemar_tests(measure, counted, levels).items():
        single = swap_test(measure, np.ones(90, dtype=bool), right[a], right[b])
        for field in fields:
            assert getattr(found, field) == pytest.approx(getattr(single, field), abs=1e-12), (
                a,
                b,
                field,
            )
        assert (str(found.method), found.about, found.warnings) == (
            str(single.method),
            single.about,
            single.warnings,
        )
        table = pd.crosstab(right[a], right[b]).reindex(
            index=[True, False], columns=[True, False], fill_value=0
        )
        assert found.pvalue == pytest.approx(
            other_mcnemar(table, exact=True).pvalue if table.iloc[0, 1] + table.iloc[1, 0] else 1
        )


def discordant(b, c, agree=7):
    return [1] * b + [0] * c + [1] * agree, [0] * b + [1] * c + [1] * agree


@pytest.mark.parametrize(
    ("b", "c", "exact", "mid_p"),
    [  # exact minus the point mass of the observed table, by scipy.stats.binom; 1 for equal numbers
        (15, 5, 0.04138946533203125, 0.026603698730468753),
        (5, 15, 0.04138946533203125, 0.026603698730468753),
        (4, 4, 1.0, 1.0),
        (6, 0, 0.03125, 0.015625),
        (0, 0, 1.0, 1.0),
    ],
)
def test_the_mid_p_counts_the_observed_table_half(b, c, exact, mid_p):
    pair = discordant(b, c)
    assert mcnemar(*pair).pvalue == pytest.approx(exact, rel=1e-12)
    assert mcnemar(*pair, mid_p=True).pvalue == pytest.approx(mid_p, rel=1e-12)
    assert "mid-p" in str(mcnemar(*pair, mid_p=True).method)
    with pytest.raises(SettingError, match="binomial test"):
        mcnemar(*pair, mid_p=True, exact=False)


@pytest.mark.parametrize(("b", "c"), [(15, 5), (2, 9), (3, 3)])
def test_one_sided_mcnemar_tests_are_binomial_tests(b, c):
    """Against scipy.stats.binomtest; chi-square as half of the two-sided p on the side of the larger number."""
    pair = discordant(b, c)
    for side in ("greater", "less"):
        expected = stats.binomtest(b, b + c, alternative=side).pvalue
        tested = mcnemar(*pair, alternative=side)
        assert tested.pvalue == pytest.approx(expected, rel=1e-12)
        assert side in str(tested.method)
        assert (tested.low, tested.high) == (mcnemar(*pair).low, mcnemar(*pair).high)
    two_sided = mcnemar(*pair, exact=False).pvalue
    greater = mcnemar(*pair, exact=False, alternative="greater").pvalue
    assert greater == pytest.approx(two_sided / 2 if b >= c else 1 - two_sided / 2)
    with pytest.raises(SettingError, match="alternative"):
        mcnemar(*pair, alternative="more")


@pytest.mark.parametrize("count", [3.5, -1, float("nan"), float("inf"), "3", None])
def test_counts_that_are_none_are_refused(count):
    for call in (
        lambda: conditional_odds_ratio(count, 1),
        lambda: conditional_odds_ratio(1, count),
        lambda: newcombe_interval(count, 1, 2, 3),
        lambda: newcombe_interval(3, 1, 2, count),
    ):
        with pytest.raises(DataError, match="must be a nonnegative integer, but is"):
            call()
    with pytest.raises(SettingError, match="`n` must be a nonnegative integer, but is"):
        mcnemar_power(count, 0.2, 0.1)
