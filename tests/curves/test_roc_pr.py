"""Tests of ROC and precision-recall curves and their areas: other programs and identities."""

from functools import cache
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

from stats_core.core.errors import DataError, DegenerateError, SettingError
from stats_core.curves.curve_comparison import roc_hull
from stats_core.curves.roc_pr import partial_area, partial_auc, pr_auc, pr_curve, roc_auc, roc_curve
from stats_core.data import predictions as module
from stats_core.data.predictions import FoldCurves, fold_areas, fold_curves
from stats_core.io.read import read_results
from tests.breast_cancer_data import assert_expected
from tests.conftest import REFERENCE, load_oracles
from tests.strategies import few_examples

rankings = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=2, max_size=20).filter(
    lambda cases: len({positive for positive, _ in cases}) == 2
)
# cases of several test sets: group, positive, score; some test sets may lack a class
grouped = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.integers(-3, 3)), min_size=1, max_size=40
)
unit = st.integers(0, 20).map(lambda i: i / 20)
AREAS = {
    "auc_roc": roc_auc,
    "auc_pr.trapezoid": pr_auc,
    "auc_pr.average_precision": lambda y, s: pr_auc(y, s, method="average precision"),
    "auc_pr.davis_goadrich": lambda y, s: pr_auc(y, s, method="davis-goadrich"),
    "partial_auc.fpr_0_0.1.raw": lambda y, s: partial_auc(y, s, high=0.1),
    "partial_auc.fpr_0_0.2.raw": lambda y, s: partial_auc(y, s, high=0.2),
    "partial_auc.fpr_0_0.1.mcclish": lambda y, s: partial_auc(y, s, high=0.1, scaled=True),
    "partial_auc.fpr_0_0.2.mcclish": lambda y, s: partial_auc(y, s, high=0.2, scaled=True),
    "auc_roc_convex_hull": lambda y, s: partial_area(roc_hull(roc_curve(y, s)), low=0, high=1),
}


@cache
def oracles():
    return load_oracles("D_bc_roc")


@cache
def cases_of(fold, algorithm):
    """Return labels and scores of one fold of the breast cancer experiment, of all folds if None."""
    table = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")
    table = table[table["algorithm"] == algorithm]
    table = table if fold is None else table[table["fold"] == fold]
    return table["y"].to_numpy(), table["score"].to_numpy()


@cache
def scored():
    return read_results(REFERENCE / "D_bc_cv10_instances.csv")


def arrays(cases):
    """Return test sets, labels and scores as arrays; test sets are numbered from 0 without gaps."""
    group, positive, score = (np.array(column) for column in zip(*cases, strict=True))
    return np.unique(group, return_inverse=True)[1], positive, score.astype(float)


@pytest.mark.parametrize(
    ("measure", "key"), [("auc", "per_fold.auc_roc"), ("auc_pr", "per_fold.auc_pr.trapezoid")]
)
def test_areas_that_are_read_agree_with_scikit_learn_and_r(measure, key):
    oracle = oracles()[key]
    matrix = scored().matrix(scored().datasets[0], measure)
    for cell, expected in oracle["expected"].items():
        fold, algorithm = cell.split("|")

        assert_expected(matrix[algorithm].iloc[int(fold)], oracle, expected)


@pytest.mark.parametrize("name", AREAS)
def test_areas_of_folds_agree_with_scikit_learn_and_r(name):
    oracle = oracles()[f"per_fold.{name}"]
    for cell, expected in oracle["expected"].items():
        fold, algorithm = cell.split("|")

        assert_expected(AREAS[name](*cases_of(int(fold), algorithm)), oracle, expected)


@pytest.mark.parametrize("name", AREAS)
def test_areas_of_pooled_cases_agree_with_scikit_learn_and_r(name):
    oracle = oracles()[f"pooled.{name}"]
    for algorithm, expected in oracle["expected"].items():
        assert_expected(AREAS[name](*cases_of(None, algorithm)), oracle, expected)


def test_roc_points_agree_with_scikit_learn_and_rocr():
    oracle = oracles()["fold0.roc_points"]
    for algorithm, expected in oracle["expected"].items():
        labels, scores = cases_of(0, algorithm)
        points = fold_curves(np.zeros(len(labels), dtype=int), labels, scores).points(0)

        for column in ("tp", "fp"):
            assert points[column].tolist() == expected[column]
        assert points["threshold"].iloc[0] == np.inf
        # printed with twelve digits
        np.testing.assert_allclose(points["threshold"][1:], expected["threshold"][1:], rtol=1e-11)


def test_precision_recall_points_agree_with_scikit_learn_and_rocr():
    oracle = oracles()["fold0.pr_points"]
    for algorithm, expected in oracle["expected"].items():
        curve = pr_curve(*cases_of(0, algorithm))

        assert_expected(curve["recall"], oracle, expected["recall"])
        assert_expected(curve["precision"], oracle, expected["precision"])


def test_counts_at_the_usual_threshold_agree_with_scikit_learn_and_pandas():
    oracle = oracles()["pooled.confusion_at_default_threshold"]
    for algorithm, expected in oracle["expected"].items():
        labels, scores = cases_of(None, algorithm)
        curves = fold_curves(np.zeros(len(labels), dtype=int), labels, scores)

        counts = curves.counts_at([expected["threshold"]])[0, 0]

        wanted = expected["ge"]
        assert counts.tolist() == [wanted[name] for name in ("tp", "fp", "tn", "fn")]


def test_cases_know_whether_they_were_classified_correctly():
    cases = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")

    assert scored().predictions["correct"].tolist() == (cases["y"] == cases["pred"]).tolist()


@given(rankings)
def test_areas_equal_those_of_scikit_learn(cases):
    labels, scores = np.array(cases).T
    pairs = list(product(scores[labels == 1], scores[labels == 0]))
    wilcoxon = np.mean([(a > b) + (a == b) / 2 for a, b in pairs])
    ranks = stats.mannwhitneyu(scores[labels == 1], scores[labels == 0]).statistic / len(pairs)
    precision, recall, _ = precision_recall_curve(labels, scores)

    assert roc_auc(labels, scores) == pytest.approx(roc_auc_score(labels, scores))
    assert roc_auc(labels, scores) == pytest.approx(wilcoxon)
    assert roc_auc(labels, scores) == pytest.approx(ranks)
    assert roc_auc(labels, -scores) == pytest.approx(1 - wilcoxon)
    assert roc_auc(labels[::-1], scores[::-1]) == pytest.approx(wilcoxon)
    assert pr_auc(labels, scores, method="average precision") == pytest.approx(
        average_precision_score(labels, scores)
    )
    assert pr_auc(labels, scores) == pytest.approx(-np.trapezoid(precision, recall))


@given(rankings, st.integers(1, 5), st.integers(-3, 3))
def test_only_the_order_of_scores_plays_a_part(cases, stretch, shift):
    labels, scores = np.array(cases).T

    for area in AREAS.values():
        expected = area(labels, scores)
        assert area(labels, np.exp(stretch * scores + shift)) == expected
        assert area(labels, scores.astype(float) ** 3) == expected


@given(rankings)
def test_davis_goadrich_is_the_integral_of_the_interpolated_precision(cases):
    labels, scores = np.array(cases).T
    points = fold_curves(np.zeros(len(labels), dtype=int), labels, scores).points(0)
    total = 0.0
    for (_, tp0, fp0), (_, tp, fp) in pairwise(points.to_numpy()):
        if tp > tp0:
            slope = (fp - fp0) / (tp - tp0)

            def precision(t, tp0=tp0, fp0=fp0, slope=slope):
                return t / (t + fp0 + slope * (t - tp0)) if t else float(fp0 + slope == 0)

            total += integrate.quad(precision, tp0, tp)[0]

    area = pr_auc(labels, scores, method="davis-goadrich")

    assert area == pytest.approx(total / labels.sum(), rel=1e-7)


@given(rankings)
def test_straight_lines_are_too_optimistic_where_the_roc_curve_is_convex(cases):
    labels, scores = np.array(cases).T
    curves = convex(fold_curves(np.zeros(len(labels), dtype=int), labels, scores))

    straight = curves.areas(start="first precision")["auc_pr"].iloc[0]

    assert curves.davis_goadrich()[0] <= straight + 1e-12


def convex(curves):
    """Return the curve that has only the points on its ROC hull."""
    roc = curves.roc(0)
    kept = np.isin(roc["threshold"][1:], roc_hull(roc)["threshold"])
    return FoldCurves(
        start=np.array([0, kept.sum()]),
        threshold=curves.threshold[kept],
        tp=curves.tp[kept],
        fp=curves.fp[kept],
        positives=curves.positives,
        negatives=curves.negatives,
    )


def test_straight_lines_may_also_be_too_pessimistic():
    # one negative on top, then two tied positives: precision t / (t + 1) for t up to 2
    labels, scores = [0, 1, 1], [2, 1, 1]

    assert pr_auc(labels, scores) == pytest.approx(1 / 3)
    assert pr_auc(labels, scores, method="davis-goadrich") == pytest.approx(1 - np.log(3) / 2)


@given(rankings, st.lists(unit, max_size=4))
def test_partial_areas_over_a_partition_add_up(cases, cuts):
    labels, scores = np.array(cases).T
    ends = sorted({0.0, 1.0, *cuts})

    for over in ("fpr", "tpr"):
        parts = [
            partial_auc(labels, scores, over=over, low=low, high=high)
            for low, high in pairwise(ends)
        ]
        assert sum(parts) == pytest.approx(roc_auc(labels, scores))
        for part, (low, high) in zip(parts, pairwise(ends), strict=True):
            assert -1e-12 <= part <= high - low + 1e-12


@given(rankings, unit, unit)
def test_the_area_over_true_positives_is_that_of_the_other_class_called_positive(cases, a, b):
    # turning labels and scores round turns (fpr, tpr) into (1 - tpr, 1 - fpr)
    labels, scores = np.array(cases).T
    low, high = sorted((a, b))
    assume(low < high)

    over_tpr = partial_auc(labels, scores, over="tpr", low=low, high=high)

    turned = partial_auc(1 - labels, -scores, low=1 - high, high=1 - low)
    assert over_tpr == pytest.approx(turned, abs=1e-12)


@given(unit, unit)
def test_scaled_partial_areas_are_one_half_for_chance_and_one_for_the_best(a, b):
    low, high = sorted((a, b))
    assume(low < high)
    useless, best = ([0, 1, 0, 1], [1, 1, 1, 1]), ([0, 1, 0, 1], [0, 1, 0, 1])

    assert partial_auc(*useless, low=low, high=high, scaled=True) == pytest.approx(0.5)
    assert partial_auc(*best, low=low, high=high, scaled=True) == pytest.approx(1)


@given(grouped, st.lists(st.floats(-4, 4), max_size=5))
def test_counts_at_thresholds_are_those_counted_by_hand(cases, thresholds):
    group, positive, score = arrays(cases)
    thresholds = [*thresholds, -np.inf, np.inf, score[0]]

    counts = fold_curves(group, positive, score).counts_at(thresholds)

    assert counts.shape == (len(thresholds), group.max() + 1, 4)
    for i, threshold in enumerate(thresholds):
        for j in range(group.max() + 1):
            called, actual = score[group == j] >= threshold, positive[group == j]
            by_hand = [called & actual, called & ~actual, ~called & ~actual, ~called & actual]
            assert counts[i, j].tolist() == [part.sum() for part in by_hand]


@pytest.mark.parametrize("block", [1, 3, 2**18])
@few_examples
@given(cases=grouped, seed=st.integers(0, 99))
def test_areas_of_many_test_sets_are_those_of_each_alone_in_any_order(block, cases, seed):
    group, positive, score = arrays(cases)
    mixed = np.random.default_rng(seed).permutation(len(group))
    backwards = np.argsort(-group, kind="stable")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        tables = [
            fold_areas(group[order], positive[order], score[order])
            for order in (mixed, backwards, np.argsort(group, kind="stable"))
        ]
    curves = fold_curves(group[mixed], positive[mixed], score[mixed])

    for table in (*tables, curves.areas()):
        assert len(table) == len(curves) == group.max() + 1
        for j in range(len(table)):
            own = group == j
            if len(set(positive[own])) < 2:
                assert table.loc[j].isna().all()
                continue
            alone = positive[own], score[own]
            assert table["auc"][j] == pytest.approx(roc_auc(*alone), abs=1e-12)
            assert table["auc_pr"][j] == pytest.approx(pr_auc(*alone), abs=1e-12)
            assert table["average precision"][j] == pytest.approx(
                pr_auc(*alone, method="average precision"), abs=1e-12
            )


@given(grouped, st.integers(0, 99))
def test_curves_of_many_test_sets_are_those_of_each_alone(cases, seed):
    group, positive, score = arrays(cases)
    mixed = np.random.default_rng(seed).permutation(len(group))
    curves = fold_curves(group[mixed], positive[mixed], score[mixed])
    areas = curves.davis_goadrich()

    for j in range(len(curves)):
        own = group == j
        alone = positive[own], score[own]
        counts = curves.positives[j], curves.negatives[j]
        assert counts == (positive[own].sum(), (~positive[own]).sum())
        if min(counts):
            pd.testing.assert_frame_equal(curves.roc(j), roc_curve(*alone))
            pd.testing.assert_frame_equal(curves.pr(j), pr_curve(*alone))
            assert areas[j] == pytest.approx(pr_auc(*alone, method="davis-goadrich"))
        else:
            assert np.isnan(areas[j])
            assert curves.roc(j)[["fpr", "tpr"]].isna().all().any()


def test_more_test_sets_than_short_numbers_can_hold(rng):
    n = 2**16 + 1
    group = np.repeat(np.arange(n), 2)
    positive, score = np.tile([True, False], n), rng.integers(0, 3, 2 * n).astype(float)
    mixed = rng.permutation(2 * n)

    areas = fold_areas(group[mixed], positive[mixed], score[mixed])["auc"]

    # of one pair the area is 1, 0, or one half for a tie
    expected = (np.sign(score[::2] - score[1::2]) + 1) / 2
    assert areas.tolist() == expected.tolist()


def test_the_start_of_the_precision_recall_curve_can_be_chosen():
    labels, scores = [0, 1, 1], [3, 2, 1]

    assert pr_curve(labels, scores)["precision"].iloc[0] == 1
    assert pr_curve(labels, scores, start="first precision")["precision"].iloc[0] == 0
    # the first positive comes after one negative: recall 0, 0, 1/2, 1 and precision 0, 1/2, 2/3
    assert pr_auc(labels, scores) == pytest.approx((0 + 1 / 2) / 4 + (1 / 2 + 2 / 3) / 4)
    # all tied: from (0, 1) or from (0, 2/3) to (1, 2/3)
    assert pr_auc(labels, [1, 1, 1]) == pytest.approx(5 / 6)
    assert pr_auc(labels, [1, 1, 1], start="first precision") == pytest.approx(2 / 3)


def test_a_perfect_and_a_useless_ranking():
    assert (roc_auc([1, 1, 0], [3, 2, 1]), pr_auc([1, 1, 0], [3, 2, 1])) == (1, 1)
    assert pr_auc([1, 1, 0], [3, 2, 1], method="davis-goadrich") == 1
    assert roc_auc([1, 0, 1, 0], [0.5] * 4) == 0.5


def test_bad_input_is_refused():
    with pytest.raises(DegenerateError, match="only one class"):
        roc_auc([1, 1], [0.1, 0.2])
    with pytest.raises(DataError, match="same length"):
        roc_auc([1, 0], [0.1])
    with pytest.raises(DataError, match="same length"):
        roc_curve([], [])
    with pytest.raises(DataError, match="finite"):
        pr_auc([1, 0], [0.1, np.nan])
    with pytest.raises(DataError, match="0 or 1"):
        roc_curve([1, 2], [0.1, 0.2])
    with pytest.raises(SettingError, match="but are 0.5 and 0.2"):
        partial_auc([1, 0], [0.1, 0.2], low=0.5, high=0.2)
    with pytest.raises(SettingError, match="method"):
        pr_auc([1, 0], [0.1, 0.2], method="simpson")
    with pytest.raises(SettingError, match="over"):
        partial_auc([1, 0], [0.1, 0.2], over="recall")


def test_a_fold_of_one_class_is_a_hole_with_its_reason():
    rows = [("a", 1, 1, 0.9), ("a", 1, 0, 0.2), ("a", 2, 1, 0.7), ("a", 2, 1, 0.4)]
    text = "algorithm,fold,true,score\n" + "\n".join(",".join(map(str, row)) for row in rows)
    results = read_results(("scores.csv", text.encode()))
    holes = results.missing[results.missing["measure"] == "auc"]

    assert holes[["fold", "reason"]].to_numpy().tolist() == [
        ["2", "0/0: only one class in the fold"]
    ]
    assert results.matrix("scores", "auc").iloc[0, 0] == 1
