"""Tests of ranks with intervals: the comparison, its table and its figure."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from foldwise.figures import theme
from foldwise.figures.ranks_with_intervals import ranks_drawing
from foldwise.figures.registry import drawings
from stats_core.comparison.analyse import analyse
from stats_core.data.settings import Settings
from stats_core.inference.rank_intervals import rank_intervals
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.tables.table_registry import tables_of
from tests.figures.drawn_figures import trace
from tests.report.report_cases import case

NAMES = ["big", "large", "mid", "small"]


def answers(n=200, names=NAMES, **columns):
    """Return answers of models to n questions, item x model; accuracies fall from one model to the next."""
    table = pd.DataFrame(
        np.random.default_rng(5).random((n, len(names))) < np.linspace(0.85, 0.5, len(names))
    )
    return (
        table.astype(int)
        .set_axis(list(names), axis=1)
        .rename_axis("question_id")
        .reset_index()
        .assign(**columns)
    )


def compared(table, *columns, **settings):
    """Return the comparison of answers, read in the long layout with columns of clusters."""
    rows = table.melt(["question_id", *columns], var_name="model", value_name="correct")
    mapping = Mapping(roles=dict.fromkeys(columns, "cluster"))
    return analyse(
        read_results(("bench.csv", rows.to_csv(index=False).encode()), mapping=mapping),
        Settings(**settings),
    )


def test_the_comparison_ranks_its_answers():
    analysis = compared(answers(), alpha=0.1)
    expected = rank_intervals(answers()[NAMES], higher_is_better=True, confidence_level=0.9)

    pd.testing.assert_frame_equal(analysis.rank_intervals().table, expected.table)
    assert expected.table.index.tolist() == analysis.order


def test_every_rank_of_a_few_models_has_a_tick():
    axis = ranks_drawing(compared(answers())).draw(theme.screen()).layout.xaxis
    assert list(axis.tickvals) == [1, 2, 3, 4]


def test_clusters_are_the_units():
    documents = np.arange(200) // 5
    found = compared(answers(document=documents), "document").rank_intervals()
    expected = rank_intervals(answers()[NAMES], higher_is_better=True, clusters=documents)

    assert found.n == 40
    pd.testing.assert_frame_equal(found.table, expected.table)


def test_other_measures_are_ranked_by_their_influences():
    analysis = analyse(case("cases")[0].results, Settings(measure="balanced_accuracy"))
    table, positive = analysis.rank_intervals().table, analysis.cases.truth

    assert table.index.tolist() == analysis.order
    for name in analysis.names:
        right = analysis.cases.correct[0][:, analysis.cases.names.index(name)]
        shares = [right[positive].mean(), right[~positive].mean()]
        variance = sum(
            p * (1 - p) / (positive == label).sum()
            for p, label in zip(shares, (True, False), strict=True)
        )
        assert table.loc[name, "value"] == pytest.approx(np.mean(shares))
        assert table.loc[name, "error"] == pytest.approx(np.sqrt(variance / 4 * 40 / 39))


def test_two_models_have_no_rank_intervals():
    analysis = case("cases of two")[0]
    assert analysis.rank_intervals() is None
    assert tables_of(analysis, "ranks") == []
    assert not any(one.name.startswith("rank_intervals") for one in drawings(analysis))


def test_several_training_runs_are_included():
    analysis = case("trainings")[0]
    assert "on 40 instances of d in 5 runs" in ranks_drawing(analysis).caption(theme.screen())
    found = analysis.rank_intervals()

    of_runs = np.array(
        [analysis.cases.correct[:, :, j].mean(axis=1) for j in range(len(analysis.names))]
    )
    wrong = 1 - pd.Series(of_runs.mean(axis=1), index=analysis.cases.names)
    assert found.table["value"].to_dict() == pytest.approx(wrong.to_dict())
    assert (
        "The intervals include the variance over runs." in tables_of(analysis, "ranks")[0].caption
    )
    assert any(one.name.startswith("rank_intervals") for one in drawings(analysis))


def test_the_table_has_ranks_letters_and_candidates():
    analysis = compared(answers())
    (table,) = tables_of(analysis, "ranks")
    found = analysis.rank_intervals()

    assert table.frame["rank"].tolist() == [1, 2, 3, 4]
    for a, b in combinations(NAMES, 2):
        differ = found.pvalues.loc[[a, b], [a, b]].to_numpy().min() <= 0.05
        assert differ == set(table.frame["group"][a]).isdisjoint(table.frame["group"][b]), (a, b)
    assert (found.table["low all"] == 1).tolist() == [True, False, False, False]
    assert table.caption.endswith("Candidates for rank 1: big.")


def test_bars_are_the_intervals_and_dots_the_ranks():
    analysis = compared(answers())
    drawn, table = ranks_drawing(analysis), analysis.rank_intervals().table
    fig = drawn.figure(theme.screen())

    assert list(trace(fig, "rank").x) == table["rank"].tolist()
    for which in ("", " all"):
        ends = [end for end in trace(fig, f"interval{which}").x if end is not None]
        assert ends == table[[f"low{which}", f"high{which}"]].to_numpy().ravel().tolist()
    assert drawn.alt == (
        "Ranks of 4 models by accuracy with simultaneous 95% confidence intervals: "
        "big 1 to 1, large 2 to 3, mid 2 to 4, small 3 to 4."
    )
    assert "on 200 instances of the test set (1 = best)" in drawn.caption(theme.screen())


@pytest.mark.parametrize("k", [60, 70])
def test_at_most_sixty_models_are_drawn(k):
    analysis = compared(answers(60, [f"m{i}" for i in range(k)]))
    drawn = ranks_drawing(analysis)

    assert len(trace(drawn.figure(theme.screen()), "rank").x) == 60
    assert len(drawn.data) == k
    assert ("Only the best 60" in drawn.caption(theme.screen())) == (k > 60)
