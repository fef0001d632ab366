"""Tests of pairs whose own tests contradict the average ranks, and of the top group then."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import DECIDED, LIMITED, decide
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings
from stats_core.inference.multiplicity.adjust import CORRECTIONS, corrections_for
from stats_core.report.paper_sentence import results_paragraph
from stats_core.report.verdict import verdict
from stats_core.robustness.leave_one_out import without_each_algorithm, without_each_dataset

BOTH_WAYS = [(1, "higher"), (-1, "lower")]


def results_of(table, sign=1, direction="higher"):
    """Return results with one value per cell, `sign` times the number in `table`."""
    long = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm")
    return Results.from_frame(
        long.assign(value=sign * long["value"]), directions={"value": direction}
    )


def against():
    """Return scores in which b beats a on 15 of 18 data sets, but is last on the other 3, where a is first."""
    rng = np.random.default_rng(1)
    others = {f"x{i}": [*8 * rng.random(15), *(5 + 4 * rng.random(3))] for i in range(5)}
    return pd.DataFrame({"a": [9.0] * 15 + [10.0] * 3, "b": [10.0] * 15 + [1.0] * 3, **others})


def circle():
    """Return scores in which each of a, b and c beats the next on 40 of 60 data sets; d is always last."""
    turns = [(3.0, 2.0, 1.0, 0.0), (1.0, 3.0, 2.0, 0.0), (2.0, 1.0, 3.0, 0.0)]
    return pd.DataFrame(turns * 20, columns=list("abcd"))


@pytest.mark.parametrize(("sign", "direction"), BOTH_WAYS)
def test_an_algorithm_that_is_significantly_worse_does_not_lead_whatever_its_rank(sign, direction):
    analysis = analyse(
        results_of(against(), sign, direction), Settings(source="sign", correction="none")
    )
    said = verdict(analysis)

    # by hand: a is second 15 times and first 3 times, b first 15 times and last (seventh) 3 times
    ranks = analysis.friedman.average_ranks
    assert (ranks["a"], ranks["b"]) == ((15 * 2 + 3) / 18, (15 + 3 * 7) / 18)
    assert analysis.order[:2] == ["a", "b"]
    # 2 P(Bin(18, 1/2) <= 3) = 0.0075
    assert analysis.adjusted.loc["a", "b"] == pytest.approx(0.00754, abs=5e-6)
    assert analysis.beats.loc["b", "a"]
    assert not analysis.beats.loc["a", "b"]
    assert list(decide(analysis).ahead) == ["b"]
    assert (
        said.headline
        == "b is significantly better than each of the other 6 algorithms in value over 18 data sets."
    )
    assert "against the ranks" in [note.code for note in said.notes]
    assert "although its average rank was worse: b vs. a" in results_paragraph(analysis)


def test_by_ranks_nothing_is_against_them():
    analysis = analyse(results_of(against()), Settings(correction="none", source="ranks"))

    assert "a" in list(decide(analysis).ahead)
    assert "worse average rank" not in verdict(analysis).sentences


@pytest.mark.parametrize(("sign", "direction"), BOTH_WAYS)
def test_where_each_is_beaten_nobody_leads(sign, direction):
    analysis = analyse(
        results_of(circle(), sign, direction), Settings(source="sign", correction="none")
    )
    said = verdict(analysis)

    # 2 P(Bin(60, 1/2) >= 40) = 0.0135, so a beats b, b beats c, c beats a
    assert analysis.adjusted.loc["a", "b"] == pytest.approx(0.0135, abs=5e-5)
    for first, second in ("ab", "bc", "ca"):
        assert analysis.beats.loc[first, second]
    assert list(decide(analysis).ahead) == []
    assert said.badge == DECIDED
    assert (
        said.headline
        == "Each of the 4 algorithms is significantly worse than at least one other algorithm in value over 60 data sets."
    )
    assert re.search(r"The average ranks range from 2.00 \(\w\) to 4.00 \(\w\)\.", said.detail)
    notes = " ".join(map(str, said.notes))
    assert "average rank is worse: a vs. b, b vs. c and c vs. a." in notes


def as_folds(table, sign, direction):
    """Return results on one data set, with one fold per row of the table."""
    folds = results_of(table, sign, direction).frame.assign(dataset="d")
    folds["fold"] = [str(1 + place // table.shape[1]) for place in range(len(folds))]
    return Results.from_frame(folds, directions={"value": direction})


@pytest.mark.parametrize("way", BOTH_WAYS)
def test_on_folds_who_is_beaten_does_not_lead_whatever_its_mean(way):
    settings = Settings(test="sign test", correction="none")
    analysis = analyse(as_folds(against(), *way), settings)
    said = verdict(analysis)

    # by hand: a (15 x 9 + 3 x 10) / 18 = 9.17, b (15 x 10 + 3 x 1) / 18 = 8.5
    assert analysis.order[:2] == ["a", "b"]
    # b is better than a in 15 of 18 folds: 2 P(Bin(18, 1/2) <= 3) = 0.0075
    assert analysis.adjusted.loc["a", "b"] == pytest.approx(0.00754, abs=5e-6)
    assert (
        said.headline
        == "b is significantly better than each of the other 6 algorithms in value on d."
    )
    assert "against the means" in [note.code for note in said.notes]


@pytest.mark.parametrize("way", BOTH_WAYS)
def test_on_folds_by_means_nothing_is_against_them(way):
    analysis = analyse(as_folds(against(), *way), Settings(test="paired t", correction="none"))
    said = verdict(analysis)

    assert said.headline.startswith(
        "a and b are significantly better than each of the other 5 algorithms"
    )
    assert "worse mean" not in said.sentences


@pytest.mark.parametrize("way", BOTH_WAYS)
def test_on_folds_where_each_is_beaten_nobody_leads(way):
    settings = Settings(test="sign test", correction="none")
    said = verdict(analyse(as_folds(circle(), *way), settings))

    assert said.badge == LIMITED  # the sign test over folds takes them as independent
    assert (
        said.headline
        == "Each of the 4 algorithms is significantly worse than at least one other algorithm in value on d."
    )


@st.composite
def tables(draw):
    """Draw scores of few algorithms on up to 20 data sets, possibly with differences and ties."""
    k, n = draw(st.integers(3, 5)), draw(st.integers(2, 20))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    gap, digits = draw(st.sampled_from([0, 0.5, 2])), draw(st.sampled_from([0, 3]))
    values = (rng.normal(size=(n, k)) + gap * np.arange(k)).round(digits)
    return pd.DataFrame(values, columns=[f"a{i}" for i in range(k)])


@given(
    tables(),
    st.sampled_from(list(SOURCES)),
    st.sampled_from(list(CORRECTIONS)),
    st.sampled_from(BOTH_WAYS),
)
def test_leaders_are_those_nobody_beats(table, source, correction, way):
    if correction == "nemenyi" and source != "ranks" or correction not in corrections_for(source):
        correction = "holm"
    analysis = analyse(results_of(table, *way), Settings(source=source, correction=correction))
    ahead, better, separated = (
        list(decide(analysis).ahead),
        analysis.beats,
        analysis.adjusted <= 0.05,
    )

    assert not (better & better.T).to_numpy().any()
    assert ((better | better.T) == separated).to_numpy().all()
    differ = separated.to_numpy().any()
    assert ahead == [name for name in analysis.order if differ and not better[name].any()]
    assert not separated.loc[ahead, ahead].to_numpy().any()
    if decide(analysis).claim == "leads":
        start = (
            f"{' and '.join(ahead)} {'is' if len(ahead) == 1 else 'are'} significantly better than "
        )
        assert verdict(analysis).headline.startswith(start)
    if differ and correction == "nemenyi":  # one gap of ranks separates, so the best rank leads
        best = analysis.order[0]
        assert ahead == [name for name in analysis.order if not separated.loc[best, name]]


@given(tables(), st.sampled_from(list(SOURCES)), st.sampled_from(BOTH_WAYS), st.integers(0, 19))
def test_leaders_without_one_data_set_are_those_of_the_analysis_without_it(
    table, source, way, place
):
    settings = Settings(source=source, correction="holm")
    analysis = analyse(results_of(table, *way), settings)

    if len(table) > 3:
        name = analysis.units[place % len(table)]
        without = analyse(results_of(table, *way), replace(settings, without_datasets=(name,)))
        runs = {run.name: run.comparison for run in without_each_dataset(analysis)}
        assert set(list(decide(runs[name]).ahead)) == set(list(decide(without).ahead))


def test_without_an_algorithm_the_leader_can_still_be_against_the_ranks():
    analysis = analyse(results_of(against()), Settings(source="sign", correction="none"))
    found = {run.name: run.comparison for run in without_each_algorithm(analysis)}["x4"]

    # without x4: a 15 x 2 + 3 x 1, b 15 x 1 + 3 x 6, of 18: the same sum, so both rank best
    assert set(found.top) == {"a", "b"}
    assert list(decide(found).ahead) == ["b"]


@pytest.mark.parametrize(("sign", "direction"), BOTH_WAYS)
def test_against_a_control_the_own_test_says_who_is_better(sign, direction):
    settings = Settings(control="a", source="sign", correction="none")
    analysis = analyse(results_of(against(), sign, direction), settings)
    ranks = analysis.friedman.average_ranks

    assert ranks["a"] < ranks["b"]
    assert "b" in analysis.sides()[0]
