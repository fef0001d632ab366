"""Tests of results at other thresholds, loss ratios, iso-cost lines and cost envelopes."""

from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from foldwise.figures.registry import drawings
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DataError, DesignError, NeedsMapping, SettingError
from stats_core.curves.curve_comparison import cost_envelope, curves_of_folds
from stats_core.curves.thresholds import (
    SCALES,
    at_threshold,
    cost_sentence,
    iso_cost_slope,
    loss_ratio,
    needs_scores,
    raw_thresholds,
    risk,
    threshold_used,
)
from stats_core.curves.trained_models import threshold_for_costs
from stats_core.data.settings import Settings
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report import methods_text
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.text_report import to_text
from tests.conftest import REFERENCE, load_oracles
from tests.strategies import few_examples

COUNTS = ["tp", "fp", "tn", "fn"]
KEYS = ["algorithm", "fold"]
thetas = st.integers(0, 20).map(lambda i: i / 20)
tenths = st.lists(st.integers(-50, 50).map(lambda i: i / 10), min_size=1, max_size=30)
odd_thetas = st.integers(0, 19).map(lambda i: (i + 0.3137) / 20)  # never at a score, on any scale


@st.composite
def experiments(draw, low=0, high=10):
    """Draw scores of two algorithms on the same cases of two folds, in tenths of `low` to `high`."""
    rows = []
    for fold in (1, 2):
        labels = [True, False, *draw(st.lists(st.booleans(), max_size=6))]
        for algorithm in "ab":
            rows += [
                (algorithm, fold, i, int(label), draw(st.integers(low, high)) / 10)
                for i, label in enumerate(labels)
            ]
    return pd.DataFrame(rows, columns=["algorithm", "fold", "case", "true", "score"])


def read(table, **mapping):
    text = table if isinstance(table, str) else table.to_csv(index=False)
    return read_results(("cases.csv", text.encode()), mapping=Mapping(**mapping))


def counted(table, called, actual=None):
    """Return confusion counts per algorithm and fold, computed with pandas."""
    actual = table["true"] == 1 if actual is None else actual
    cells = {
        "tp": called & actual,
        "fp": called & ~actual,
        "tn": ~called & ~actual,
        "fn": ~called & actual,
    }
    keys = [table[name].astype(str) for name in KEYS]
    return pd.DataFrame(cells).groupby(keys).sum().astype(float)


def counts_of(results):
    return results.frame.set_index(KEYS)[COUNTS].sort_index()


@few_examples
@given(experiments(), thetas)
def test_counts_at_a_threshold_are_those_counted_by_hand(table, theta):
    results = at_threshold(read(table, positive="1"), theta)

    pd.testing.assert_frame_equal(
        counts_of(results), counted(table, table["score"] >= theta), check_names=False
    )
    correct = (table["score"] >= theta) == (table["true"] == 1)
    assert results.predictions["correct"].tolist() == correct.tolist()


@few_examples
@given(experiments(), thetas)
def test_results_are_those_of_a_file_with_the_labels_of_that_threshold(table, theta):
    labelled = table.assign(predicted=(table["score"] >= theta).astype(int))

    results = at_threshold(read(table, positive="1"), theta)

    written = read(labelled, positive="1", score_direction="higher")
    assert results == written
    assert results.measures == written.measures
    assert results.missing.equals(written.missing)
    assert results.predictions["correct"].equals(written.predictions["correct"])


@few_examples
@given(experiments(-20, 20))
def test_results_as_read_are_those_at_theta_one_half(table):
    table.loc[0, "score"] = -2.0  # one algorithm has decision values, the other may not
    results = read(table, positive="1")

    assert counts_of(at_threshold(results, 0.5)).equals(counts_of(results))


@few_examples
@given(experiments(-20, 20), odd_thetas, st.sampled_from(list(SCALES)))
def test_decision_values_are_brought_to_each_scale_algorithm_by_algorithm(table, theta, scale):
    table.loc[[0, 1], "score"] = [-2.0, 2.0]  # the data set has decision values in any case
    called = pd.Series(False, index=table.index)
    for _, own in table.groupby("algorithm"):
        score = own["score"]
        if score.between(0, 1).all():
            called[own.index] = score >= theta
        elif scale == "logistic":
            called[own.index] = 1 / (1 + np.exp(-score)) >= theta
        elif scale == "between the extremes":
            span = score.max() - score.min()
            called[own.index] = (score - score.min()) / span >= theta if span else True
        else:
            called[own.index] = score >= score.quantile(theta)

    results = at_threshold(read(table, positive="1"), theta, scale)

    pd.testing.assert_frame_equal(counts_of(results), counted(table, called), check_names=False)


@given(tenths, st.sampled_from(list(SCALES)))
def test_thresholds_grow_with_theta_from_all_cases_to_none_but_the_surest(scores, scale):
    cuts = raw_thresholds(scores, np.linspace(0, 1, 21), scale)
    scores = np.array(scores)

    assert (np.diff(cuts[np.isfinite(cuts)]) >= -1e-12).all()
    assert (scores >= cuts[0]).all()
    surest = scores >= cuts[-1]
    if scores.min() >= 0 and scores.max() <= 1:
        assert surest.tolist() == (scores == 1).tolist()
    elif scale == "logistic":
        assert not surest.any()
    else:
        assert surest.tolist() == (scores == scores.max()).tolist()


def test_the_largest_score_is_called_at_theta_1_in_spite_of_rounding():
    # -0.1 + (0.3 + 0.1) is a little more than 0.3
    assert raw_thresholds([-0.1, 0.3], [1], "between the extremes").tolist() == [0.3]
    assert raw_thresholds([-0.7, -0.7], [0.35], "between the extremes").tolist() == [-0.7]


def test_counts_of_the_reference_agree_with_scikit_learn_and_pandas():
    results = at_threshold(read_results(REFERENCE / "D_bc_cv10_instances.csv"), 0.5)
    pooled = results.frame.groupby("algorithm")[COUNTS].sum()

    # probabilities are cut at 0.5, the decision values of svc at 0, the log odds of 0.5
    oracle = load_oracles("D_bc_roc")["pooled.confusion_at_default_threshold"]
    for algorithm, expected in oracle["expected"].items():
        assert pooled.loc[algorithm].to_dict() == expected["ge"]


def test_areas_and_everything_else_stay_as_they_were():
    results = read_results(REFERENCE / "D_bc_cv10_instances.csv")
    later = at_threshold(results, 0.9)

    for measure in ("auc", "auc_pr"):
        assert later.frame[measure].equals(results.frame[measure])
    assert later.measures == results.measures
    assert (later.design, later.notes, later.digest) == (
        results.design,
        results.notes,
        results.digest,
    )
    assert not later.frame["tp"].equals(results.frame["tp"])
    error = (later.frame["fp"] + later.frame["fn"]) / later.frame[COUNTS].sum(axis=1)
    np.testing.assert_allclose(later.frame["error"], error)


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5, 1.0])
def test_a_threshold_implies_no_cost_unless_scores_are_calibrated(theta):
    assert cost_sentence(theta).count("if scores are calibrated probabilities") == 1


@few_examples
@given(experiments(), thetas, thetas)
def test_a_second_threshold_replaces_the_first(table, first, second):
    results = read(table, positive="1")

    twice = at_threshold(at_threshold(results, first), second)

    assert twice == at_threshold(results, second)
    (chosen,) = twice.choices
    assert (chosen.code, chosen["theta"]) == ("threshold", second)
    assert f"at least {second:g}" in str(chosen)
    assert (chosen["formula"] in str(chosen)) == chosen["rescaled"]


@few_examples
@given(experiments(), thetas, st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(table, theta, seed):
    mixed = table.sample(frac=1, random_state=seed)

    assert at_threshold(read(mixed, positive="1"), theta) == at_threshold(
        read(table, positive="1"), theta
    )


def test_a_failed_run_stays_a_hole():
    rows = "a,1,1,0.9\na,1,0,\na,2,1,0.8\na,2,0,0.1\nb,1,1,0.6\nb,1,0,0.3\nb,2,1,0.7\nb,2,0,0.2\n"
    results = read("algorithm,fold,true,score\n" + rows)

    for theta in (0, 0.5, 1):
        moved = at_threshold(results, theta)
        counts = counts_of(moved)
        assert counts.loc[("a", "1")].isna().all()
        assert counts.drop(index=("a", "1")).notna().all().all()
        # the case that has a score says whether it is right, the whole fold does not count
        assert moved.predictions["correct"].isna().tolist() == [False, True, *[False] * 6]
        assert moved.failures == "unresolved"
        holes = moved.missing[(moved.missing["algorithm"] == "a") & (moved.missing["fold"] == "1")]
        assert set(holes["reason"]) == {"no value"}


def test_runs_that_all_failed_stay_holes():
    moved = at_threshold(read("algorithm,fold,true,score\na,1,1,\na,1,0,\n"), 0.5)

    assert counts_of(moved).isna().all().all()
    assert moved.failures == "unresolved"


def test_predicted_labels_of_the_file_give_way_to_the_threshold():
    text = "algorithm,fold,true,score,predicted\na,1,1,0.6,0\na,1,0,0.3,1\na,1,1,0.2,0\n"
    results = read(text, score_direction="higher")

    assert counts_of(results).iloc[0].tolist() == [0, 1, 0, 2]
    assert counts_of(at_threshold(results, 0.25)).iloc[0].tolist() == [1, 1, 0, 1]
    assert counts_of(at_threshold(results, 0.5)).iloc[0].tolist() == [1, 0, 1, 1]


@pytest.mark.parametrize("positive", ["x", "y", "z"])
def test_one_of_several_classes_against_the_others(positive):
    table = pd.DataFrame(
        {
            "algorithm": "a",
            "fold": [1] * 4 + [2] * 4,
            "true": list("xyzx") * 2,
            "score": [0.9, 0.2, 0.6, 0.4, 0.1, 0.7, 0.5, 0.8],
        }
    )

    results = read(table, positive=positive)

    for theta in (0.3, 0.6):
        expected = counted(table, table["score"] >= theta, table["true"] == positive)
        pd.testing.assert_frame_equal(
            counts_of(at_threshold(results, theta)), expected, check_names=False
        )
    assert any("compared with all other classes" in str(note) for note in results.notes)


@pytest.mark.parametrize("positive", ["x", "y", "z"])
def test_columns_of_class_probabilities_follow_the_chosen_class(positive):
    table = pd.DataFrame(
        {
            "algorithm": "a",
            "fold": [1] * 3 + [2] * 3,
            "true": list("xyz") * 2,
            "prob_x": [0.6, 0.2, 0.1, 0.5, 0.3, 0.3],
            "prob_y": [0.3, 0.5, 0.2, 0.1, 0.4, 0.3],
            "prob_z": [0.1, 0.3, 0.7, 0.4, 0.3, 0.4],
        }
    )

    results = read(table, positive=positive)

    chosen = table[f"prob_{positive}"]
    assert results.predictions["score"].tolist() == chosen.tolist()
    expected = counted(table, chosen >= 0.4, table["true"] == positive)
    pd.testing.assert_frame_equal(
        counts_of(at_threshold(results, 0.4)), expected, check_names=False
    )
    # before, the likeliest class is the predicted one
    likeliest = table[["prob_x", "prob_y", "prob_z"]].idxmax(axis=1) == f"prob_{positive}"
    expected = counted(table, likeliest, table["true"] == positive)
    pd.testing.assert_frame_equal(counts_of(results), expected, check_names=False)


@pytest.mark.parametrize("first", ["x", "a"])  # "prob_a" is no "proba"
def test_columns_of_two_classes_give_areas_however_labels_are_written(first):
    text = f"algorithm,fold,true,prob_{first},prob_z\na,1,{first},0.6,0.4\na,1,z,0.3,0.7\n"
    numbers = "algorithm,fold,true,p0,p1\na,1,1.0,0.4,0.6\na,1,0.0,0.7,0.3\n"

    for results in (read(text, positive="z"), read(numbers)):
        assert results.frame["auc"].item() == 1
        assert results.frame["error"].item() == 0


def test_several_classes_without_a_chosen_one_have_no_curves():
    text = "algorithm,fold,true,prob_x,prob_y,prob_z\na,1,x,0.6,0.3,0.1\na,1,y,0.2,0.5,0.3\n"
    results = read(text + "a,1,z,0.1,0.2,0.7\n")

    assert needs_scores(results) != ""
    with pytest.raises(DesignError, match="Provide predictions with scores"):
        at_threshold(results, 0.5)


@pytest.mark.parametrize("told", ["lower", ""])
def test_lower_scores_may_mean_more_positive_as_told_or_as_labels_show(told):
    table = pd.DataFrame(
        {
            "algorithm": "a",
            "fold": 1,
            "true": [1, 0, 1, 0],
            "score": [0.1, 0.9, 0.3, 0.2],
            "predicted": [1, 0, 1, 1],
        }
    )

    results = read(table, score_direction=told)

    turned = 1 - table["score"]
    np.testing.assert_allclose(results.predictions["score"], turned)
    assert results.frame["auc"].item() == 0.75  # of four pairs only (0.3, 0.2) is the wrong way
    expected = counted(table, turned >= 0.75)
    pd.testing.assert_frame_equal(
        counts_of(at_threshold(results, 0.75)), expected, check_names=False
    )
    (said,) = (note for note in results.notes if note.code == "lower scores positive")
    assert str(said).startswith("Lower scores indicate the positive class")
    assert ("according to the predicted labels" in str(said)) == (told == "")


def test_lower_decision_values_are_turned_round_at_zero():
    text = "algorithm,fold,true,score\na,1,1,-2\na,1,0,0.5\na,1,1,1\na,1,0,3\n"

    results = read(text, score_direction="lower", positive="1")

    assert results.predictions["score"].tolist() == [2, -0.5, -1, -3]
    assert counts_of(at_threshold(results, 0.5)).iloc[0].tolist() == [1, 0, 2, 1]


@few_examples
@given(experiments(), st.lists(thetas, min_size=1, max_size=5))
def test_curves_and_thresholds_count_alike(table, several):
    results = read(table, positive="1")
    curves = curves_of_folds(results, "cases")

    counts = curves.counts(several)

    for i, theta in enumerate(several):
        by_run = counts_of(at_threshold(results, theta))
        for j, name in enumerate(curves.names):
            for fold, row in zip(curves.folds["fold"], counts[i, j], strict=True):
                assert row.tolist() == by_run.loc[(name, fold)].tolist()
    assert curves.probabilities
    assert curves.positive_share == pytest.approx(table["true"].mean())


def test_the_areas_of_the_curves_are_those_that_were_read():
    results = read_results(REFERENCE / "D_bc_cv10_instances.csv")
    name = results.datasets[0]
    curves = curves_of_folds(results, name)

    for measure in ("auc", "auc_pr"):
        matrix = results.matrix(name, measure)
        for algorithm, table in curves.areas().items():
            np.testing.assert_allclose(table[measure], matrix[algorithm], rtol=1e-12)
    assert curves.names == results.algorithms
    assert not curves.probabilities  # svc has decision values


def test_algorithms_that_failed_and_folds_of_one_class_are_named():
    rows = "a,1,1,0.9\na,1,0,0.1\na,2,1,0.8\na,2,1,0.3\nb,1,1,\nb,1,0,\nb,2,1,0.7\nb,2,1,0.2\n"
    results = read("algorithm,fold,true,score\n" + rows, positive="1")

    curves = curves_of_folds(results, "cases")

    assert curves.names == ("a",)
    assert curves.left_out == {"b": "the scores of the algorithm are missing in at least one fold"}
    assert curves.one_class == ("Fold 2 of cases has no negative instance, so it has no curve.",)
    with pytest.raises(DesignError, match="cases has none"):
        curves_of_folds(results.select(algorithms=["b"]), "cases")


def test_results_without_scores_and_thresholds_that_are_none_are_refused():
    scored = read("algorithm,fold,true,score\na,1,1,0.9\na,1,0,0.1\n")
    labelled = read("algorithm,fold,true,predicted\na,1,1,1\na,1,0,0\n")
    several = "algorithm,fold,true,predicted,score\na,1,x,x,0.9\na,1,y,y,0.1\na,1,z,z,0.2\n"
    averages = read_results(b"dataset,algorithm,error\niris,rf,0.1\niris,svm,0.2\n")

    with pytest.raises(DesignError, match="A threshold needs a score for each instance"):
        at_threshold(averages, 0.5)
    with pytest.raises(DesignError, match="labels without scores"):
        at_threshold(labelled, 0.5)
    with pytest.raises(DesignError, match="more than two classes"):
        at_threshold(read(several), 0.5)
    with pytest.raises(DesignError, match="labels without scores"):
        curves_of_folds(labelled, "cases")
    with pytest.raises(SettingError, match="1.5"):
        at_threshold(scored, 1.5)
    with pytest.raises(SettingError, match="scale"):
        at_threshold(scored, 0.5, "probit")


def test_scores_alone_of_several_classes_ask_for_the_class():
    rows = "".join(f"a,1,{label},0.{i}\n" for i, label in enumerate("hgfedcbaa"))
    with pytest.raises(NeedsMapping) as caught:
        read(f"algorithm,fold,true,score\n{rows}")

    (problem,) = caught.value.problems
    assert problem.must == "The class that high scores indicate must be known"
    assert problem.found == "There are scores and 8 classes, a, b, c, d, e and 3 others"
    assert (problem.file, caught.value.guess) == ("cases.csv", Mapping())
    assert problem.do == "Set the positive class with `positive`, or add the predicted labels"
    assert caught.value.question == "Which class do high scores indicate?"
    assert caught.value.classes == tuple("abcdefgh")
    assert caught.value.preview["score"].tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]


def test_labels_of_several_classes_become_the_share_of_wrong_ones():
    rows = [
        *("p,rf,1,a,a", "p,rf,1,b,c", "p,rf,1,c,c", "p,svm,1,a,b", "p,svm,1,b,a", "p,svm,1,c,c"),
        *("q,rf,1,a,a", "q,rf,1,b,b", "q,rf,1,d,d", "q,rf,1,e,z", "q,svm,1,a,a", "q,svm,1,b,b"),
        *("q,svm,1,d,", "q,svm,1,d,d"),
    ]
    text = "".join(f"{row},0.2,0.3,0.5\n" for row in rows)
    results = read(f"dataset,algorithm,fold,true,predicted,prob_a,prob_b,prob_c\n{text}")

    error = results.averages("error")
    assert error.loc["p"].tolist() == pytest.approx([1 / 3, 2 / 3])
    assert error.loc["q", "rf"] == 1 / 4  # a label that is never true is wrong
    assert np.isnan(error.loc["q", "svm"])  # one run lacks a label
    correct = results.predictions.set_index(["dataset", "algorithm"])["correct"]
    assert correct.loc["q", "rf"].tolist() == [True, True, True, False]
    assert correct.loc["q", "svm"].isna().tolist() == [False, False, True, False]
    assert results.measures[:2] == (
        "error",
        "accuracy",
    )  # and no measure of the scores of three of five classes
    assert "macro_auc" not in results.measures
    assert not [name for name in results.predictions if str(name).startswith("score of")]
    assert any(said.code == "several classes" and said["classes"] == 4 for said in results.notes)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("a,1,1,1.2\na,1,0,0.1\n", "must be probabilities from 0 to 1, or decision values"),
        ("a,1,1,inf\na,1,0,0.1\n", "number must be finite"),
        ("a,1,1,-inf\na,1,0,0.1\n", "number must be finite"),
        ("a,1,1,high\na,1,0,0.1\n", "must be a number"),
    ],
)
def test_scores_that_are_none_are_refused(rows, words):
    with pytest.raises(DataError, match=words):
        read("algorithm,fold,true,score\n" + rows)


def test_labels_never_seen_are_refused():
    with pytest.raises(DataError, match='a predicts "2", but the true labels of cases are 0 and 1'):
        read("algorithm,fold,true,predicted\na,1,1,2\na,1,0,0\n")


rates = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=12)


def trivial(envelope):
    """Return the cost of "always positive" or "always negative", whichever is cheaper."""
    return np.minimum(envelope["pc"], 1 - envelope["pc"])


# Aslan's thesis 2009, equations 2.10 to 2.12
@pytest.mark.parametrize(("ratio", "theta"), [(0.5, 1 / 3), (1, 1 / 2), (2, 2 / 3)])
def test_thresholds_and_loss_ratios_as_printed(ratio, theta):
    assert threshold_for_costs(ratio) == pytest.approx(theta)
    assert loss_ratio(theta) == pytest.approx(ratio)


def test_ends_of_the_scale():
    assert loss_ratio(0) == 0
    assert loss_ratio(1) == inf
    assert threshold_for_costs(0) == 0
    assert threshold_for_costs(inf) == 1


@given(st.floats(0, 0.999))
def test_theta_and_loss_ratio_are_inverse(theta):
    assert threshold_for_costs(loss_ratio(theta)) == pytest.approx(theta)


@pytest.mark.parametrize("theta", [-0.1, 1.1, float("nan")])
def test_a_threshold_lies_between_0_and_1(theta):
    with pytest.raises(SettingError, match=r"`theta` must lie in \[0, 1\]"):
        loss_ratio(theta)
    with pytest.raises(SettingError, match="`theta` must lie"):
        risk(np.ones((2, 4)), theta)


@pytest.mark.parametrize("ratio", [-1, float("nan")])
def test_a_loss_ratio_is_not_negative(ratio):
    with pytest.raises(SettingError, match="0 or positive"):
        threshold_for_costs(ratio)


def test_risk_weighs_false_positives_by_theta():
    counts = np.array([[8, 1, 9, 2], [7, 3, 7, 3]])  # tp fp tn fn

    # by hand: 0.8 x 1 + 0.2 x 2 and 0.8 x 3 + 0.2 x 3
    np.testing.assert_allclose(risk(counts, 0.8), [1.2, 3.0])
    np.testing.assert_array_equal(risk(counts, 1), counts[:, 1])
    np.testing.assert_array_equal(risk(counts, 0), counts[:, 3])
    # half the number of errors
    np.testing.assert_allclose(risk(counts, 0.5), (counts[:, 1] + counts[:, 3]) / 2)


def test_risk_takes_one_theta_per_row_and_columns_in_any_order():
    counts = np.array([[8, 1, 9, 2], [7, 3, 7, 3]])
    table = pd.DataFrame(counts, columns=["tp", "fp", "tn", "fn"])[["fn", "tp", "tn", "fp"]]

    np.testing.assert_allclose(risk(counts, [0.8, 0.0]), [1.2, 3.0])
    np.testing.assert_allclose(risk(table, 0.8), [1.2, 3.0])
    with pytest.raises(DataError, match="last dimension"):
        risk(counts[:, :3], 0.5)


def test_points_on_an_iso_cost_line_have_the_same_risk():
    positives, negatives, theta = 30, 70, 0.6
    slope = iso_cost_slope(theta, positives, negatives)
    fpr = np.array([0.1, 0.2, 0.3])
    tpr = 0.2 + slope * fpr
    counts = np.column_stack(
        [tpr * positives, fpr * negatives, (1 - fpr) * negatives, (1 - tpr) * positives]
    )

    np.testing.assert_allclose(np.diff(risk(counts, theta)), 0, atol=1e-12)


def test_iso_cost_lines_of_the_ends_and_of_one_class():
    assert iso_cost_slope(1, 10, 10) == inf
    assert iso_cost_slope(0, 10, 10) == 0
    with pytest.raises(SettingError, match="both classes"):
        iso_cost_slope(0.5, 0, 10)


@given(rates)
def test_an_envelope_is_the_cheapest_point_at_every_cost_and_concave(points):
    fpr, tpr = np.array([*points, (0, 0), (1, 1)]).T
    found = cost_envelope(fpr, tpr, grid=21)
    pc, cost = found["pc"].to_numpy(), found["cost"].to_numpy()
    every = (1 - tpr) * pc[:, None] + fpr * (1 - pc[:, None])  # the definition

    np.testing.assert_allclose(cost, every.min(axis=1), atol=1e-12)
    assert (cost <= trivial(found) + 1e-12).all()
    # a tpr one rounding step below 1 leaves that step as cost
    np.testing.assert_allclose([cost[0], cost[-1]], 0, atol=1e-12)
    middle = (pc[1:-1] - pc[:-2]) / (pc[2:] - pc[:-2])
    chord = cost[:-2] + middle * (cost[2:] - cost[:-2])
    assert (cost[1:-1] >= chord - 1e-12).all()


def test_perfect_and_useless_classifiers():
    perfect = cost_envelope([0], [1])
    useless = cost_envelope([0.3, 0.7], [0.3, 0.7])
    none = cost_envelope([], [])

    assert (perfect["cost"] == 0).all()
    np.testing.assert_allclose(useless["cost"], trivial(useless))
    np.testing.assert_allclose(none["cost"], trivial(none))
    assert (np.diff(none["pc"]) > 0).all()


def test_corners_of_one_operating_point_are_exact():
    """With fpr = fnr = e, the envelope is min(pc, e, 1 - pc), and its area is e (1 - e)."""
    e = 0.137
    found = cost_envelope([e], [1 - e], grid=2)

    np.testing.assert_allclose(found["pc"], [0, e, 1 - e, 1])
    np.testing.assert_allclose(found["cost"], [0, e, e, 0], atol=1e-15)
    assert np.trapezoid(found["cost"], found["pc"]) == pytest.approx(e * (1 - e))


def test_the_area_is_the_brier_score_of_calibrated_scores(rng):
    """The area below the envelope is the Brier score after isotonic calibration, with equal weights of the classes."""
    label = rng.random(400) < 0.3
    score = rng.normal(size=400) + label
    order = np.argsort(score)
    label = label[order]
    weight = np.where(label, 0.5 / label.sum(), 0.5 / (~label).sum())
    calibrated = isotonic_regression(label.astype(float), weights=weight).x
    brier = (weight * (label - calibrated) ** 2).sum()
    fpr = np.cumsum(~label[::-1]) / (~label).sum()
    tpr = np.cumsum(label[::-1]) / label.sum()
    found = cost_envelope(fpr, tpr)

    assert np.trapezoid(found["cost"], found["pc"]) == pytest.approx(brier, abs=1e-12)


@pytest.mark.parametrize(
    ("fpr", "tpr", "message"),
    [
        ([0.1], [0.5, 0.6], "same length"),
        ([1.2], [0.5], r"lie in \[0, 1\]"),
        ([float("nan")], [0.5], r"lie in \[0, 1\]"),
    ],
)
def test_rates_are_rates(fpr, tpr, message):
    with pytest.raises(DataError, match=message):
        cost_envelope(fpr, tpr)


def test_a_grid_has_two_ends():
    with pytest.raises(SettingError, match="at least 2"):
        cost_envelope([0.1], [0.9], grid=1)


def test_texts_and_figures_state_the_threshold_in_force():
    rng = np.random.default_rng(0)
    label = np.arange(80) % 2
    scores = {
        name: 1 / (1 + np.exp(-(rng.normal(size=80) + gap * (2 * label - 1))))
        for name, gap in (("sharp", 1.5), ("dull", 0.6))
    }
    text = pd.DataFrame({"id": range(80), "y_true": label, **scores}).to_csv(index=False)
    read = read_results(("predictions.csv", text.encode()))
    moved = at_threshold(read, 0.3)
    settings = Settings(measure="error")
    for results, said, other in ((read, "0.5", "0.3"), (moved, "0.3", "0.5")):
        comparison = analyse(results, settings)
        words = [
            to_text(comparison),
            methods_text.methods_paragraph(comparison),
            paper_sentence(comparison),
            *map(str, results.notes),
            to_html(comparison),
            to_latex(comparison).results,
        ]
        everything = " ".join(words)
        assert f"at least {said}" in everything
        assert f"at least {other}" not in everything
        assert threshold_used(results) == float(said)
        roc = next(spec for spec in drawings(comparison, results=read) if spec.name[:4] == "roc_")
        assert roc.theta == float(said)
    assert "at least 0.3" in paper_sentence(analyse(moved, settings))
