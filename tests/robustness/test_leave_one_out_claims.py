"""What is lost without one data set, and what a new experiment repeats: one number, and the right one."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import stats_core.inference.paired.signed_ranks as signed_ranks
from foldwise.cli.analyse_command import robustness as printed
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.reproduce import to_json
from stats_core.report.tables.robustness_tables import robustness as shown
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import claims_of, leave_one_out, lost_claims
from stats_core.robustness.replication import _columns, replication
from tests.samples import shipped

SIZES = [(3, 3), (7, 2), (9, 4), (16, 2), (14, 6), (35, 4), (65, 3)]  # data sets, algorithms


def table(n, k, *, seed=0, spread=0.5, holes=0):
    """Errors of algorithms that differ a little, rounded so that some tie."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1)) + np.linspace(0, 0.8, k) + spread * rng.normal(size=(n, k))
    values[rng.integers(0, n, holes), rng.integers(0, k, holes)] = np.nan
    frame = pd.DataFrame(values.round(1), columns=[f"m{j}" for j in range(k)])
    frame["dataset"] = [f"d{i:02}" for i in range(n)]
    long = frame.melt("dataset", var_name="algorithm", value_name="error").dropna()
    return Results.from_frame(long, directions={"error": "lower"})


def directed(comparison):
    """The significant differences, by the printed pairs: (better, worse)."""
    found = comparison.pairs()[comparison.pairs()["separated"].astype(bool)]
    return {
        (a, b) if comparison.beats.loc[a, b] else (b, a)
        for a, b in found[["first", "second"]].itertuples(index=False)
    }


def by_brute_force(results, settings, whole):
    """Leave each data set out of the results, analyse them, and compare what is printed."""
    before, lost, first = directed(whole), 0, 0
    for name in results.datasets:
        try:
            then = analyse(results, replace(settings, without_datasets=(name,)))
        except FoldwiseError:
            lost += 1
            continue
        no_best = whole.kind != "control" and whole.order[0] not in then.top
        first += no_best
        lost += bool(before - directed(then)) or no_best
    return lost, first


CASES = {
    "all pairs": Settings(),
    "by ranks": Settings(source="ranks", correction="nemenyi"),
    "by signs": Settings(source="sign", correction="holm"),
    "control": Settings(control="m0"),
}


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_the_number_is_that_of_every_analysis_without_one(name, size):
    results = table(*size, seed=sum(size))
    whole = analyse(results, CASES[name])
    found = leave_one_out(whole)

    lost, first = by_brute_force(results, whole.settings, whole)
    assert (found.n, found.lost) == (size[0], lost)
    assert found.best == (None if whole.kind == "control" else first)
    assert found.claimed == len(directed(whole)) == len(found.pairs)
    assert len(found.which) == found.lost
    assert f"{found.lost} of {size[0]} runs" in found.text or not found.claimed


def test_some_of_these_tables_lose_something_and_some_lose_nothing():
    found = [leave_one_out(analyse(table(n, k, seed=n + k))) for n, k in SIZES]
    assert {0 < one.lost < one.n for one in found} == {True, False}
    assert any(one.claimed and not one.lost for one in found)


def test_with_holes_each_run_compares_what_both_have():
    results = table(20, 4, seed=3, holes=6).resolve("present")
    whole = analyse(results)
    assert whole.kind == "present"
    assert leave_one_out(whole).lost == by_brute_force(results, Settings(), whole)[0]


@pytest.mark.few(1)
def test_wins_are_counted_without_each_data_set():
    results = shipped("thesis_counts.csv")
    settings = Settings(measures=("fpr", "tpr"))
    whole = analyse(results, settings)
    found = leave_one_out(whole)
    assert (found.lost, found.best) == by_brute_force(results, settings, whole)
    assert found.n == whole.n


def test_gains_do_not_count():
    """By hand: eight wins and one large loss have p above 0.1, without the loss 2^-7."""
    scores = pd.DataFrame({"a": [*range(1, 9), 0.0], "b": [0.0] * 8 + [9.0]})
    scores["dataset"] = [*"tuvwxyz", "s", "odd"]
    long = scores.melt("dataset", var_name="algorithm", value_name="accuracy")
    found = leave_one_out(analyse(Results.from_frame(long), Settings(alpha=0.01)))
    assert (found.claimed, found.lost, found.n) == (0, 0, 9)


def test_a_difference_that_turns_round_is_lost():
    """Where the order of the algorithms is reversed on every data set, each pair differs the other way."""
    whole = analyse(table(30, 3, seed=1))
    reverse = np.tile(np.arange(3)[::-1], (30, 1))
    claims = claims_of(whole)
    gone, best = lost_claims(whole, claims, whole.resampled(np.arange(30), reverse))
    assert claims.any()
    assert (gone == claims).all()
    assert best == whole.order[-1]


@pytest.mark.parametrize("size", [(9, 4), (35, 4)], ids=str)
def test_everything_that_shows_the_number_shows_the_same(size):
    whole = analyse(table(*size, seed=5))
    found = leave_one_out(whole)

    (line,) = printed(whole)
    document = json.loads(to_json(whole))["leave_one_out"]
    assert line == document["text"] == found.text
    assert (document["lost"], document["n"]) == (found.lost, found.n)
    assert found.text in to_html(whole)
    assert found.text.replace("...", "") in to_latex(whole).results
    assert list(shown(found, None).frame[f"lost in {found.n} runs"]) == list(found.pairs["runs"])


def test_words_make_no_test(monkeypatch):
    """Neither verdict nor decision compares anything: that would take as long as n analyses."""
    comparison = analyse(table(14, 6, seed=2))
    comparison.pairs()

    def refuse(*_, **__):
        raise AssertionError("a test was made")

    for name in ("signed_rank_rows", "signed_rank_pairs"):
        monkeypatch.setattr(signed_ranks, name, refuse)
    monkeypatch.setattr(type(comparison), "resampled", refuse)
    assert decide(comparison).badge == verdict(comparison).badge


def test_two_data_sets_and_one_data_set():
    two = leave_one_out(analyse(table(2, 4)))
    assert (two.n, two.lost) == (0, 0)
    assert two.text == "Leave-one-out: not possible, it needs at least 3 data sets."
    folds = [("d", f, a, (f * (3 + j)) % 7) for j, a in enumerate("abc") for f in range(10)]
    frame = pd.DataFrame(folds, columns=["dataset", "fold", "algorithm", "error"])
    one = analyse(Results.from_frame(frame, directions={"error": "lower"}))
    assert one.units == ()
    assert json.loads(to_json(one))["leave_one_out"] is None
    with pytest.raises(DesignError, match="several data sets"):
        one.resampled(np.arange(3))
    with pytest.raises(DesignError, match="at least 3 data sets"):
        replication(one)


def test_replication_is_repeated_by_its_seed_and_refuses_no_resamples():
    comparison = analyse(table(14, 6, seed=2))
    first, again = (replication(comparison, resamples=20, seed=4) for _ in range(2))
    assert first.pairs.equals(again.pairs)
    assert first.every == again.every
    assert not first.pairs.equals(replication(comparison, resamples=20, seed=5).pairs)
    with pytest.raises(SettingError, match="at least 1"):
        replication(comparison, resamples=0)


def test_what_is_certain_is_repeated_and_what_is_not_is_less_probable():
    """60 data sets of one order repeat all; the pairs come as the table of pairs has them."""
    rows = [(f"d{i}", a, j + 0.001 * i) for i in range(60) for j, a in enumerate("abc")]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    sure = replication(
        analyse(Results.from_frame(frame, directions={"error": "lower"})), resamples=30
    )
    assert sure.every == 1
    assert (sure.pairs["probability"] == 1).all()
    comparison = analyse(table(30, 5, seed=8))
    found = replication(comparison, resamples=100)
    p = comparison.pairs().set_index(["first", "second"])["p"]
    share = found.pairs.set_index(["first", "second"])["probability"]
    assert len(share) > 3
    assert np.corrcoef(p[share.index], share)[0, 1] < 0
    assert found.every <= share.min()
    shares = found.pairs["probability"]
    np.testing.assert_allclose(found.pairs["standard error"], np.sqrt(shares * (1 - shares) / 100))


def test_effects_are_shrunken_by_the_size_of_all_of_them():
    """Twelve wins of twelve: p = 2 / 2^12, so s = 1 - 1 / z^2 with z of 2^-12; of noise it is small."""
    scores = pd.DataFrame({"a": range(1, 13), "b": [0] * 12, "dataset": [*"abcdefghijkl"]})
    results = Results.from_frame(scores.melt("dataset", var_name="algorithm", value_name="error"))
    z = stats.norm.isf(2.0**-12)
    shrinkage = replication(analyse(results), resamples=1).shrinkage
    assert shrinkage == pytest.approx(1 - 1 / z**2, rel=1e-9)
    noise = pd.DataFrame(np.random.default_rng(1).normal(size=(30, 5)), columns=[*"abcde"])
    long = noise.assign(dataset=[f"d{i}" for i in range(30)]).melt(
        "dataset", var_name="algorithm", value_name="error"
    )
    found = replication(analyse(Results.from_frame(long)), resamples=1)
    assert found.shrinkage < 0.5
    assert found.text == "Replication: no significant difference to repeat."


def test_a_control_names_no_best_algorithm():
    found = replication(analyse(table(35, 4, seed=39), Settings(control="m0")), resamples=5)
    assert found.best is None
    assert "best algorithm" not in found.text


def test_missing_results_stay_missing_where_they_are_mixed():
    comparison = analyse(table(20, 4, seed=3, holes=6).resolve("present"))
    places = np.arange(20)
    columns = _columns(comparison, places, np.ones(20, dtype=bool), np.random.default_rng(0))
    values = np.take_along_axis(comparison.scores.to_numpy(), columns, axis=1)
    assert (np.isnan(values) == comparison.scores.isna().to_numpy()).all()
    assert (np.sort(columns, axis=1) == np.arange(4)).all()
    assert (columns != np.arange(4)).any()
