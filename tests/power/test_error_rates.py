"""Tests of error rates that are simulated under null models on the design of an analysis."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from foldwise.figures.simulation_figures import lab_drawings
from foldwise.figures.theme import screen
from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.anova import tukey
from stats_core.inference.fold_pairs import quick_pvalues
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.signed_ranks import sign_flip_distribution
from stats_core.power.error_rates import IGNORED, fold_tests_of, level_of, null_folds
from stats_core.report.power_text import decide_level, describe_simulation, lab_tables

UPPER = np.triu_indices(4, 1)


def pairs_from(k):
    return list(combinations(range(k), 2))


def results_of(values, *, folds=False):
    """Return results of an array, data set x algorithm, or fold x algorithm if `folds`."""
    name = "fold" if folds else "dataset"
    table = pd.DataFrame(values, columns=list("abcdefgh")[: values.shape[1]]).rename_axis(name)
    return Results.from_frame(
        table.reset_index().melt(name, var_name="algorithm", value_name="error"),
        directions={"error": "lower"},
    )


def levels(found, world):
    return found.frame[found.frame["world"] == world].set_index("procedure")


def test_worlds_over_data_sets_have_the_exact_levels_of_tests_of_signs():
    """Also if the algorithms differ, since their names are permuted within each data set."""
    values = np.random.default_rng(0).normal([0, 1, 2, 5], 1, size=(12, 4))
    signs = stats.binom(12, 0.5)
    sign = sum(signs.pmf(w) for w in range(13) if 2 * signs.sf(max(w, 12 - w) - 1) <= 0.05)
    chances = sign_flip_distribution(np.arange(1.0, 13))[::2]
    lower = np.minimum(chances.cumsum(), chances[::-1].cumsum()[::-1])
    ranks = chances[2 * lower <= 0.05].sum()

    found = level_of(results_of(values), draws=4000)

    for world in ("labels", "pair"):
        rows = levels(found, world)
        for test, exact in (("sign tests", sign), ("Wilcoxon signed-rank tests", ranks)):
            row = rows.loc[f"unadjusted {test}"]
            assert abs(row["pair"] - exact) < 4 * row["se"], (world, test)
        adjusted = rows[rows["bounds"] == "family"]
        assert (adjusted["level"] == adjusted["family"]).all()
        assert (adjusted["family"] <= 0.05 + 4 * adjusted["se"]).all()
    assert not found.frame["above"].any()
    # where one pair alone is equal, a family is as wrong as that pair
    assert (levels(found, "pair")["pair"] == levels(found, "pair")["family"]).all()
    assert found.chosen == "Wilcoxon signed-rank tests with Bergmann-Hommel adjustment"
    assert found.frame["chosen"].sum() == 2


def test_folds_keep_their_covariance_and_are_correlated_by_the_share_tested():
    folds = np.random.default_rng(1).normal([0.1, 0.2, 0.3], [0.01, 0.02, 0.03], size=(10, 3))
    wanted = np.cov(folds.T)

    drawn = null_folds(np.random.default_rng(2), folds, 0.2, 40_000)

    assert abs(drawn.mean(axis=(0, 1)) / folds.std(axis=0)).max() < 0.02
    first, second = drawn[:, 0], drawn[:, 1]
    shared = (first[:, :, None] * second[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(shared, wanted * 0.25, atol=0.03 * wanted.max())  # f / (1 - f)
    apart = drawn - drawn.mean(axis=1, keepdims=True)
    within = (apart[..., :, None] * apart[..., None, :]).sum(axis=1).mean(axis=0) / 9
    np.testing.assert_allclose(within, wanted, atol=0.03 * wanted.max())


def test_every_test_judges_a_world_of_folds_as_the_library_does():
    worlds = np.random.default_rng(3).normal(size=(3, 10, 4)).round(1)  # ties, and zeros

    for one in fold_tests_of(4, 0.5, 10, five_by_two=True):
        if one.correction not in ("", "none"):
            continue
        found = one.adjusted(worlds, {})
        for world, p in zip(worlds, found, strict=True):
            if one.correction:
                wanted = quick_pvalues(world, one.test, 0.5)
            else:
                share = None if one.test == IGNORED else 0.5
                wanted = tukey(pd.DataFrame(world), test_fraction=share).pvalues.to_numpy()
            np.testing.assert_allclose(p, wanted[UPPER], atol=1e-9, err_msg=one.name)


def test_a_warning_names_the_test_that_ignores_overlap_but_not_the_corrected_one():
    values = np.random.default_rng(4).normal(0.2, 0.02, size=(10, 2))
    # t of correlated results is too large by the root of the overlap factor
    rate = 2 * stats.t.sf(stats.t.isf(0.025, 9) / np.sqrt(overlap_factor(10, 0.1)), 9)

    found = level_of(results_of(values, folds=True), Settings(test="paired t"), draws=700)

    rows = levels(found, "folds")
    assert (found.noun, found.n, found.correlation) == ("fold", 10, 0.1)
    assert rows.loc["unadjusted paired t test", "level"] == pytest.approx(rate, abs=0.04)
    assert rows.loc["unadjusted paired t test", "above"]
    assert not rows.loc["unadjusted Nadeau-Bengio corrected t test", "above"]
    assert decide_level(found).above == ("folds",)
    assert decide_level(found).versus_alpha == "above"
    assert "Use another procedure" in describe_simulation(found).warning
    advised = level_of(results_of(values, folds=True), draws=300)
    assert advised.chosen == "unadjusted Nadeau-Bengio corrected t test"
    assert describe_simulation(advised).warning == ""


def drawn_rates(found, name):
    """Return the rates drawn for a procedure if no algorithm differs, by title of the axis."""
    fig = lab_drawings(found)[0].figure(screen())
    titles = {one.plotly_name.replace("axis", ""): one.title.text for one in fig.select_xaxes()}
    return {
        titles[marks.xaxis]: [
            float(x)
            for x, said in zip(marks.x, marks.text, strict=True)
            if f"<b>{name}</b>" in said
        ]
        for marks in fig.data
        if marks.mode == "markers" and marks.name == "none differs"
    }


def test_the_error_drawn_of_unadjusted_tests_is_that_of_the_family_and_that_of_a_pair():
    """Expected: names permuted and folds drawn by numpy, tests by scipy, rejections counted here."""
    rng, n, k, draws = np.random.default_rng(8), 20, 5, 1500
    values = rng.normal(size=(n, k))
    dealt = np.stack([rng.permuted(values, axis=1) for _ in range(draws)])
    wins = np.stack([(dealt[..., a] > dealt[..., b]).sum(axis=1) for a, b in pairs_from(k)], axis=1)
    p = np.minimum(1, 2 * stats.binom.sf(np.maximum(wins, n - wins) - 1, n, 0.5))
    over_sets = level_of(results_of(values), draws=draws)

    folds = rng.normal(0.2, 0.02, size=(10, k))
    again = rng.multivariate_normal(np.zeros(k), np.cov(folds.T), size=(draws, 11))
    again = again[:, :10] + again[:, 10:] / 3  # two of ten folds correlate by 0.1: 1/9 of 10/9
    sides = np.transpose(pairs_from(k))
    q = stats.ttest_rel(again[..., sides[0]], again[..., sides[1]], axis=1).pvalue
    asked = Settings(test="paired t", correction="none")
    alone = level_of(results_of(folds, folds=True), asked, draws=draws)

    error = 4 * np.sqrt(0.5 * 0.5 * 2 / draws)  # of two rates, at most
    for found, name, pvalues in (
        (over_sets, "unadjusted sign tests", p),
        (alone, "unadjusted paired t test", q),
    ):
        rates = drawn_rates(found, name)
        family, pair = (pvalues <= 0.05).any(axis=1).mean(), (pvalues <= 0.05).mean()
        assert family > pair + 2 * error  # so that one cannot be drawn for the other
        assert rates["family-wise error rate"] == [pytest.approx(family, abs=error)]
        assert rates["error rate per pair"] == [pytest.approx(pair, abs=error / 4)]
        columns = {"procedure", "family", "pair"} & set(lab_tables(found)[0].frame)
        assert columns == {"procedure", "family", "pair"}
        assert found.frame[["family", "pair"]].notna().all(axis=None)
    assert "Its family-wise error rate is" in describe_simulation(alone).detail


def test_the_chosen_one_is_what_the_settings_take_and_folds_overlap_for_all_of_them():
    values = np.random.default_rng(4).normal(0.2, 0.02, size=(10, 4))
    ask = partial(level_of, results_of(values, folds=True), draws=250)

    ignored = ask(Settings(overlap="ignored", test="Tukey"))

    assert (ignored.chosen, ignored.correlation) == (IGNORED, 0.1)
    assert decide_level(ignored).versus_alpha == "above"
    assert (
        ask(Settings(overlap="ignored")).chosen == "paired t test with Bergmann-Hommel adjustment"
    )
    assert (
        ask(Settings(correction="holm")).chosen
        == "Nadeau-Bengio corrected t test with Holm adjustment"
    )
    assert ask(Settings(test="Tukey")).chosen == "Tukey"
    assert (
        ask(Settings(test="paired t", correction="holm")).chosen
        == "paired t test with Holm adjustment"
    )
    assert ask(Settings(test="paired t")).chosen == "paired t test with Bergmann-Hommel adjustment"


def test_few_folds_alone_are_no_reason_for_a_warning():
    """With eight equal algorithms, Tukey's test rejects in 0.07 of simulated samples, but in 0.05 of new ones."""
    values = np.random.default_rng(6).normal(0.2, 0.02, size=(10, 8))

    found = level_of(results_of(values, folds=True), Settings(test="Tukey"), draws=1000)

    row = levels(found, "folds").loc["Tukey"]
    worlds = null_folds(np.random.default_rng(7), values, 0.1, 4000)
    (by_tukey, *_) = fold_tests_of(8, 0.1, 10, five_by_two=False)
    as_simulated = (by_tukey.adjusted(worlds, {}) <= 0.05).any(axis=1).mean()
    assert as_simulated > 0.055
    assert abs(row["family"] - 0.05) < 3 * row["family se"]
    assert row["level"] == row["family"] < as_simulated
    assert not found.frame[found.frame["procedure"].str.contains("corrected t")]["above"].any()
    # signs of these deviations changed fold by fold would give 0.04: their spread hardly varies
    own = levels(found, "folds").loc["unadjusted Nadeau-Bengio corrected t test"]
    assert abs(own["level"] - 0.05) < 3 * own["se"] < 0.01


def test_what_has_no_world_is_refused():
    with pytest.raises(DesignError, match="3 results each"):
        level_of(results_of(np.ones((2, 2)), folds=True))
    still = np.arange(10.0)[:, None] + [[0.0, 1.0, 2.0]]
    with pytest.raises(DegenerateError, match="same in every fold"):
        level_of(results_of(still, folds=True), draws=10)
    varied = np.random.default_rng(5).normal(size=(10, 2))
    with pytest.raises(SettingError, match="sign-flip permutation test"):
        level_of(results_of(varied, folds=True), Settings(test="sign flips"))


def test_a_world_of_many_folds_is_judged_by_the_conservative_test_too():
    """By hand: t tests of 30 results by scipy, with 29 and with 9 degrees of freedom."""
    worlds = np.random.default_rng(8).normal(size=(20, 30, 2))
    d = worlds[..., 0] - worlds[..., 1]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) * np.sqrt(1 / 30 + 1 / 9))
    found = {one.test: one for one in fold_tests_of(2, 0.1, 30, five_by_two=False)}

    for test, df in (("corrected t", 29), ("corrected t, conservative", 9)):
        p = found[test].adjusted(worlds, {})[:, 0]
        np.testing.assert_allclose(p, 2 * stats.t.sf(abs(t), df))
    chosen = level_of(results_of(worlds[0], folds=True), Settings(test_fraction=0.1), draws=50)
    assert chosen.chosen == "unadjusted conservative corrected t test"


def test_the_false_discovery_rate_is_the_mean_share_of_false_rejections():
    """Expected: one pair swapped by numpy, Wilcoxon tests by scipy, adjusted by statsmodels, shares counted here."""
    rng, draws = np.random.default_rng(11), 150
    values = rng.normal([0, 0.2, 2, 2.2], 1, size=(10, 4))
    found = level_of(
        results_of(values), Settings(correction="benjamini_hochberg", source="wilcoxon"), draws=4000
    )
    rows = found.frame[found.frame["chosen"]].set_index("world")

    swapped = np.tile(values, (6 * draws, 1, 1))
    for draw in range(6 * draws):
        turned, (a, b) = rng.random(10) < 0.5, pairs_from(4)[draw % 6]
        swapped[np.ix_([draw], turned, [a, b])] = swapped[np.ix_([draw], turned, [b, a])]
    p = [
        stats.wilcoxon(swapped[..., a], swapped[..., b], axis=1, method="exact").pvalue
        for a, b in pairs_from(4)
    ]
    rejects = [multipletests(one, 0.05, method="fdr_bh")[0] for one in np.transpose(p)]
    shares = [one[draw % 6] / max(one.sum(), 1) for draw, one in enumerate(rejects)]

    assert (rows["bounds"] == "false discovery rate").all()
    assert rows.loc["labels", "level"] == rows.loc["labels", "family"]
    error = np.hypot(np.std(shares) / np.sqrt(len(shares)), rows.loc["pair", "se"])
    assert 0 < rows.loc["pair", "level"] < rows.loc["pair", "family"]
    assert abs(rows.loc["pair", "level"] - np.mean(shares)) < 4 * error
    assert describe_simulation(found).headline.startswith(
        "The false discovery rate of Wilcoxon signed-rank tests"
    )
    assert "false discovery rate" in lab_tables(found)[0].frame
