"""Tests of trained models on one test set: risk bands, best thresholds and calibration."""

from dataclasses import replace

import numpy as np
import pytest
from pandas.testing import assert_frame_equal
from scipy import stats

from foldwise.figures.instance_figures import calibration_drawing, risks_drawing
from foldwise.figures.registry import drawings
from foldwise.figures.theme import paper, screen
from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.instances import losses_tested, thresholds_wished
from stats_core.core.errors import DesignError, SettingError
from stats_core.curves.trained_models import USUAL, best_thresholds, calibration_bins, risk_bands
from stats_core.data.predictions import CaseTable
from stats_core.data.settings import Settings
from stats_core.io.read import read_results


@pytest.fixture
def table():
    """Scores of a calibrated and of a less discriminating model on 300 cases."""
    rng = np.random.default_rng(5)
    chance = rng.beta(0.6, 1.2, size=300)
    positive = rng.random(300) < chance
    blurred = np.clip(chance * 0.4 + 0.2 + 0.15 * rng.normal(size=300), 0.01, 0.99)
    score = np.stack([chance, blurred], axis=1)[None]
    return CaseTable(
        dataset="d",
        names=("sharp", "blurred"),
        trainings=(("1", "1"),),
        cases=np.arange(300),
        positive=positive,
        correct=(score >= 0.5) == positive[None, :, None],
        score=score,
        cluster=None,
        left_out=0,
    )


def test_risks_are_those_of_the_counts_and_the_band_is_around_them(table):
    found = risk_bands(table, thetas=[0.2, 0.5], draws=499)

    called = table.score[0, :, 0] >= 0.2
    fp, fn = (called & ~table.positive).sum(), (~called & table.positive).sum()
    assert found.risks.loc[0.2, "sharp"] == pytest.approx((0.2 * fp + 0.8 * fn) / 300)
    band = found.bands["sharp", "blurred"]
    assert (band["low"] <= band["difference"]).all()
    assert (band["difference"] <= band["high"]).all()
    assert found.away()["less by first"].tolist() == ["0.20 to 0.50"]
    again = risk_bands(table, thetas=[0.2, 0.5], draws=499)
    assert again.to_frame().equals(found.to_frame())


def test_clusters_are_drawn_whole_so_the_band_is_wider(table):
    twice = replace(
        table,
        cases=np.arange(1200),
        positive=np.repeat(table.positive, 4),
        correct=np.repeat(table.correct, 4, axis=1),
        score=np.repeat(table.score, 4, axis=1),
    )
    clustered = replace(twice, cluster=np.repeat(np.arange(300), 4))
    width = {}
    for name, one in (("cases", twice), ("clusters", clustered)):
        band = risk_bands(one, thetas=[0.5], draws=499).bands["sharp", "blurred"]
        width[name] = float((band["high"] - band["low"]).iloc[0])
    assert width["clusters"] == pytest.approx(2 * width["cases"], rel=0.2)


@pytest.mark.parametrize(("wish", "amount"), [("recall", 0.8), ("precision", 0.7), ("alerts", 0.2)])
def test_a_best_threshold_grants_its_wish_and_the_next_does_not_do_better(table, wish, amount):
    found = best_thresholds(table, [(wish, amount)], draws=99).set_index("algorithm")
    for name, row in found.iterrows():
        assert row["low"] <= row["threshold"] <= row["high"]
        score = table.score[0, :, table.names.index(name)]
        assert row["alerts"] == pytest.approx((score >= row["threshold"]).mean())
        assert row[wish] <= amount + 1e-9 if wish == "alerts" else row[wish] >= amount - 1e-9


def test_the_cost_is_least_and_dearer_on_new_cases(table):
    found = best_thresholds(table, [("cost", 2.0)], draws=99).set_index("algorithm")
    for place, name in enumerate(table.names):
        score = table.score[0, :, place]
        risks = [
            (2 * ((score >= t) & ~table.positive).sum() + ((score < t) & table.positive).sum())
            / 900
            for t in score
        ]
        assert found.loc[name, "cost"] == pytest.approx(min(risks))
        assert found.loc[name, "new cost"] >= found.loc[name, "cost"]


def test_each_usual_wish_is_granted_unless_one_is_asked_for(table):
    every = thresholds_wished(table, (), 0.1)
    one = thresholds_wished(table, ("recall", 0.9), 0.1)

    assert every["wish"].unique().tolist() == [*USUAL]
    assert len(every) == 2 * len(USUAL)
    assert one["wish"].unique().tolist() == ["recall"]
    assert (one["recall"] >= 0.9).all()
    wider = thresholds_wished(table, ("recall", 0.9), 0.01)
    assert (wider["high"] - wider["low"] > one["high"] - one["low"]).all()


def test_a_wish_that_no_threshold_grants_is_blank(table):
    off = replace(
        table, score=np.where(table.positive[None, :, None], 0.1, 0.9) * np.ones((1, 300, 2))
    )
    found = best_thresholds(off, [("precision", 0.9)], draws=19)
    assert found.iloc[:, 3:].isna().all(axis=None)
    (none, _) = best_thresholds(off, [("cost", 2.0)], draws=19).to_dict("records")
    assert (none["threshold"], none["recall"], none["alerts"]) == (np.inf, 0, 0)  # calls no case


def test_calibrated_probabilities_lie_on_the_diagonal(table):
    bins = calibration_bins(table)

    assert bins["sharp"]["cases"].sum() == 300
    sharp = bins["sharp"]
    assert ((sharp["low"] <= sharp["said"]) & (sharp["said"] <= sharp["high"])).mean() >= 0.8
    frame = losses_tested(table, table.names, Settings())
    assert frame["loss"].tolist() == ["brier", "logloss"]
    assert frame["of first"].tolist() < frame["of second"].tolist()


@pytest.mark.parametrize("bins", [1, 3, 7, 10])
@pytest.mark.parametrize("n", [7, 20, 23])
def test_identical_training_runs_leave_the_calibration_as_one_run_has_it(table, bins, n):
    """Identical runs add no information, so the intervals are those of one run."""
    one = replace(
        table,
        cases=table.cases[:n],
        positive=table.positive[:n],
        correct=table.correct[:, :n],
        score=table.score[:, :n],
    )
    for clusters in (None, np.arange(n) // 2):
        one = replace(one, cluster=clusters)
        ten = replace(
            one,
            trainings=tuple((str(run), "1") for run in range(10)),
            correct=np.repeat(one.correct, 10, axis=0),
            score=np.repeat(one.score, 10, axis=0),
        )
        once, again = calibration_bins(one, bins=bins), calibration_bins(ten, bins=bins)
        for name in table.names:
            assert_frame_equal(once[name], again[name], rtol=1e-9)
            assert np.isfinite(once[name]).all(axis=None)


def test_calibration_of_one_training_run_has_the_exact_binomial_interval(table):
    """Expected from scipy's exact binomial interval."""
    for _, row in calibration_bins(table)["sharp"].iterrows():
        count = int(row["cases"])
        exact = stats.binomtest(round(row["found"] * count), count).proportion_ci(method="exact")
        assert (row["low"], row["high"]) == pytest.approx((exact.low, exact.high))


def test_intervals_of_calibration_cover_where_runs_and_clusters_share_cases():
    """True shares are known by construction; intervals that ignore clusters or runs cover too rarely."""
    levels, runs, groups, size, repetitions = np.arange(1, 5) / 5, 5, 60, 4, 300
    n, rng = groups * size, np.random.default_rng(11)
    # a prediction is the chance of its case with probability 0.7, each other level with 0.1
    truth = 0.7 * levels + 0.1 * (levels.sum() - levels)
    cluster = np.repeat(np.arange(groups), size)
    covered = {"cluster": [], "case": [], "prediction": []}
    for _ in range(repetitions):
        chance = rng.integers(4, size=n)
        other = (chance + rng.integers(1, 4, size=(runs, n))) % 4
        said = levels[np.where(rng.random((runs, n)) < 0.7, chance, other)]
        draw = np.where(rng.random(groups) < 0.5, rng.random(groups), np.nan)[cluster]
        positive = np.where(np.isnan(draw), rng.random(n), draw) < levels[chance]
        table = CaseTable(
            dataset="d",
            names=("m",),
            trainings=tuple((str(run), "1") for run in range(runs)),
            cases=np.arange(n),
            positive=positive,
            correct=((said >= 0.5) == positive)[:, :, None],
            score=said[:, :, None],
            cluster=cluster,
            left_out=0,
        )
        alone = replace(
            table,
            trainings=(("1", "1"),),
            cases=np.arange(n * runs),
            positive=np.tile(positive, runs),
            correct=table.correct.reshape(1, -1, 1),
            score=table.score.reshape(1, -1, 1),
            cluster=None,
        )
        cases = replace(table, cluster=None)
        for how, one in (("cluster", table), ("case", cases), ("prediction", alone)):
            found = calibration_bins(one)["m"]
            assert found["said"].tolist() == pytest.approx(levels)
            covered[how] += list((found["low"] <= truth) & (truth <= found["high"]))
    share = {how: np.mean(each) for how, each in covered.items()}
    error = np.sqrt(0.95 * 0.05 / repetitions)  # if the four levels of a draw were one
    assert 0.95 - 2 * error <= share["cluster"] <= 0.99
    assert share["prediction"] < share["case"] < share["cluster"]
    assert share["prediction"] < 0.85


def test_figures_are_drawn_on_screen_and_paper(table):
    drawn = [
        risks_drawing(table, risk_bands(table), 0.5),
        calibration_drawing(table, calibration_bins(table)),
    ]

    assert [one.name for one in drawn] == ["risk_differences_d", "calibration_d"]
    for one in drawn:
        for style in (screen(), screen(dark=True), paper(3.25)):
            assert one.figure(style).data
        assert one.alt
        assert one.caption(screen())


def test_curves_and_risks_follow_a_control():
    rng = np.random.default_rng(6)
    rows = [
        (m, i, i % 2, round(i % 2 + noise * rng.normal(), 3))
        for m, noise in zip("abc", (0.5, 1, 2), strict=True)
        for i in range(80)
    ]
    text = "algorithm,instance,true,score\n" + "".join(
        ",".join(map(str, row)) + "\n" for row in rows
    )
    results = read_results(("d.csv", text.encode()))
    analysis = analyse(results, Settings(measure="auc", control="a"))
    drawn = {one.name.split("_")[0]: one for one in drawings(analysis, results=results)}
    roc, risks = drawn["roc"], drawn["risk"]
    widths = {
        trace.name: trace.line.width for trace in roc.figure(screen()).data if trace.line.width
    }

    assert list(risks.bands) == [("b", "a"), ("c", "a")]
    assert widths["a"] == pytest.approx(1.8 * widths["b"])
    assert "Wide line: a (control)." in roc.caption(screen())
    every = risk_bands(analysis.cases)
    assert risks.bands["b", "a"]["low"].tolist() == pytest.approx(
        (-every.bands["a", "b"]["high"]).tolist()
    )


def test_what_does_not_fit_is_refused(table):
    with pytest.raises(SettingError, match="at most 1"):
        best_thresholds(table, [("recall", 1.5)])
    with pytest.raises(SettingError, match="wish"):
        best_thresholds(table, [("luck", 0.5)])
    bare = replace(table, score=None)
    for refuse in (risk_bands, calibration_bins, best_thresholds):
        with pytest.raises(DesignError):
            refuse(bare)
