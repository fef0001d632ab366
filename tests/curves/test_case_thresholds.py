"""One test set along its thresholds: risks with a band, best thresholds, calibration."""

from dataclasses import replace

import numpy as np
import pytest

from foldwise.figures.theme import paper, screen
from foldwise.gallery.on_cases import case_drawings
from stats_core.comparison.beside_cases import losses_tested, thresholds_wished
from stats_core.core.errors import DesignError, SettingError
from stats_core.curves.best_threshold import WISHES, best_thresholds
from stats_core.curves.calibration import calibration_bins
from stats_core.curves.risk_bands import risk_bands
from stats_core.data.case_table import CaseTable


@pytest.fixture
def table():
    """Two calibrated models, the second less sharp, on 300 cases."""
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

    assert every["wish"].unique().tolist() == [*WISHES]
    assert len(every) == 2 * len(WISHES)
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
    frame = losses_tested(table, table.names, 0.05, "")
    assert frame["loss"].tolist() == ["brier", "logloss"]
    assert frame["of first"].tolist() < frame["of second"].tolist()


def test_figures_are_drawn_on_screen_and_paper(table):
    drawn = case_drawings(table)

    assert [one.name for one in drawn] == ["risk_differences_d", "calibration_d"]
    for one in drawn:
        for style in (screen(), screen(dark=True), paper(3.25)):
            assert one.build(style).data
        assert one.alt
        assert one.caption(screen())


def test_what_does_not_fit_is_refused(table):
    with pytest.raises(SettingError, match="at most 1"):
        best_thresholds(table, [("recall", 1.5)])
    with pytest.raises(SettingError, match="wish"):
        best_thresholds(table, [("luck", 0.5)])
    bare = replace(table, score=None)
    for refuse in (
        risk_bands,
        calibration_bins,
        best_thresholds,
    ):
        with pytest.raises(DesignError):
            refuse(bare)
