"""Tests of hull, dominance, crossings and averages of curves: other programs, geometry, identities."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import spatial, stats

from stats_core.core.errors import DataError, SettingError
from stats_core.curves.curve_comparison import (
    crossings,
    describe_crossings,
    dominates,
    hull_in_pr,
    roc_hull,
    threshold_average,
    usable,
    vertical_average,
)
from stats_core.curves.roc_pr import partial_area, pr_curve, roc_auc, roc_curve
from stats_core.data.predictions import fold_curves
from stats_core.inference.paired import overlap_factor
from tests.breast_cancer_data import assert_expected
from tests.conftest import REFERENCE, load_oracles
from tests.curves.test_roc_pr import arrays, rankings

# the same cases ranked by two algorithms
rivals = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=16
).filter(lambda cases: len({case[0] for case in cases}) == 2)
folds = st.lists(
    st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 5)), min_size=2, max_size=40
).filter(
    lambda cases: any((i, True) in kinds(cases) and (i, False) in kinds(cases) for i in range(4))
)


def kinds(cases):
    return {(group, positive) for group, positive, _ in cases}


def drawn(*points):
    """Return a ROC curve through points (fpr, tpr)."""
    return pd.DataFrame(points, columns=["fpr", "tpr"], dtype=float)


def two_curves(cases):
    labels, first, second = (np.array(column) for column in zip(*cases, strict=True))
    return roc_curve(labels, first), roc_curve(labels, second)


def height(roc, x):
    """Return the tpr of a curve just above and just below fpr = x."""
    fpr, tpr = roc["fpr"].to_numpy(), roc["tpr"].to_numpy()
    above = np.flatnonzero(fpr <= x)[-1]
    below = np.flatnonzero(fpr >= x)[0]
    line = np.interp(x, fpr, tpr)
    return (tpr[above] if fpr[above] == x else line, tpr[below] if fpr[below] == x else line)


def one_curve(labels, scores):
    return fold_curves(np.zeros(len(labels), dtype=int), labels, scores)


@given(rankings)
def test_no_point_lies_above_the_hull_and_it_bends_one_way(cases):
    roc = roc_curve(*np.array(cases).T)
    hull = roc_hull(roc)
    x, y = hull["fpr"].to_numpy(), hull["tpr"].to_numpy()
    steps_x, steps_y = np.diff(x), np.diff(y)

    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    # the slope falls strictly from each side to the next
    assert (steps_y[:-1] * steps_x[1:] > steps_y[1:] * steps_x[:-1]).all()
    assert (np.interp(roc["fpr"], x, y) >= roc["tpr"] - 1e-12).all()
    assert len(hull.merge(roc, on=["fpr", "tpr", "threshold"])) == len(hull)
    assert partial_area(hull, low=0, high=1) >= roc_auc(*np.array(cases).T) - 1e-12


@given(rivals)
def test_the_hull_of_two_curves_has_the_area_that_qhull_gives(cases):
    curves = two_curves(cases)
    points = np.vstack([curve[["fpr", "tpr"]] for curve in curves])

    hull = roc_hull(pd.concat(curves))

    qhull = spatial.ConvexHull(np.vstack([points, [[1, 0]]])).volume  # (1, 0) closes it below
    assert partial_area(hull, low=0, high=1) == pytest.approx(qhull)


def test_a_hull_begins_at_the_origin_even_if_the_points_do_not():
    hull = roc_hull(drawn((0.2, 0.7), (0.5, 0.6), (1, 1)))

    assert hull.to_numpy().tolist() == [[0, 0], [0.2, 0.7], [1, 1]]


@given(rankings)
def test_the_hull_in_precision_and_recall_lies_nowhere_below_the_curve(cases):
    labels, scores = np.array(cases).T
    curve = pr_curve(labels, scores, start="first precision")
    reached = hull_in_pr(roc_hull(roc_curve(labels, scores)), labels.mean())

    first = reached.drop_duplicates("recall")  # the best precision where a recall has several
    best = np.interp(curve["recall"], first["recall"], first["precision"])
    assert (best >= curve["precision"] - 1e-9)[curve["recall"] > 0].all()
    assert reached["recall"].is_monotonic_increasing
    assert reached["precision"].iloc[-1] == pytest.approx(labels.mean())


@given(rankings)
def test_the_hull_in_precision_and_recall_passes_through_its_own_points(cases):
    labels, scores = np.array(cases).T
    hull, share = roc_hull(roc_curve(labels, scores)), labels.mean()
    tp, fp = hull["tpr"] * share, hull["fpr"] * (1 - share)

    reached = hull_in_pr(hull, share, steps=1)

    later = tp > 0
    assert reached["recall"][1:].tolist() == hull["tpr"][later].tolist()
    np.testing.assert_allclose(reached["precision"][1:], (tp / (tp + fp))[later])


@given(rivals)
def test_a_curve_that_dominates_has_the_larger_area_and_crosses_nowhere(cases):
    first, second = two_curves(cases)
    x = np.unique([*first["fpr"], *second["fpr"]])
    gaps = np.array([np.subtract(height(first, at), height(second, at)) for at in x])
    above, below = (gaps > 1e-12).any(), (gaps < -1e-12).any()
    areas = [partial_area(curve, low=0, high=1) for curve in (first, second)]

    expected = {
        (True, True): "neither",
        (True, False): "first",
        (False, True): "second",
        (False, False): "equal",
    }[above, below]
    assert dominates(first, second) == expected
    assert dominates(second, first) == {"first": "second", "second": "first"}.get(
        expected, expected
    )
    assert bool(crossings(first, second)) == (expected == "neither")
    if expected == "first":
        assert areas[0] >= areas[1] - 1e-12
    if expected == "equal":
        assert areas[0] == pytest.approx(areas[1])


@given(rivals)
def test_between_crossings_one_curve_stays_on_top_and_they_take_turns(cases):
    first, second = two_curves(cases)
    met = crossings(first, second)
    ends = np.array([0, *met, 1])
    x = np.sort([*np.linspace(0, 1, 401), *first["fpr"], *second["fpr"]])
    leaders = []
    for low, high in zip(ends[:-1], ends[1:], strict=True):
        inside = x[(x > low + 2e-6) & (x < high - 2e-6)]  # crossings have six decimals
        gaps = [np.subtract(height(first, at), height(second, at)) for at in inside]
        sides = np.sign(np.round(gaps, 9))
        assert not ((sides > 0).any() and (sides < 0).any())
        leaders.append(sides.sum())
    told = [np.sign(side) for side in leaders if side]

    assert met == sorted(met)
    assert met == crossings(second, first)
    # a stretch may be empty if two curves change places twice at one jump
    if len(told) == len(met) + 1:
        assert all(a == -b for a, b in zip(told[:-1], told[1:], strict=True))


def test_curves_cross_where_one_of_them_jumps():
    # below by 0.2 up to fpr 0.5, above from there on
    first = drawn((0, 0), (0.5, 0.5), (0.5, 1), (1, 1))
    second = drawn((0, 0), (0, 0.2), (0.5, 0.7), (1, 1))

    assert crossings(first, second) == [0.5]
    assert dominates(first, second) == "neither"


def test_curves_that_run_together_change_places_where_they_meet():
    first = drawn((0, 0), (0.2, 0.6), (0.6, 0.8), (1, 1))
    second = drawn((0, 0), (0.2, 0.6), (0.2, 0.6), (0.6, 0.8), (0.8, 0.95), (1, 1))
    third = drawn((0, 0), (0.1, 0.5), (0.2, 0.6), (0.6, 0.8), (0.8, 0.85), (1, 1))

    assert (dominates(first, second), crossings(first, second)) == ("second", [])
    assert crossings(third, first) == [0.2]
    assert crossings(third, second) == [0.2]


def test_vertical_averages_agree_with_scikit_learn_and_rocr():
    oracle = load_oracles("D_bc_roc")["vertical_average_roc.grid101.upper"]
    table = pd.read_csv(REFERENCE / "D_bc_cv10_instances.csv")
    for algorithm, expected in oracle["expected"].items():
        own = table[table["algorithm"] == algorithm]
        curves = fold_curves(*(own[name].to_numpy() for name in ("fold", "y", "score")))

        assert_expected(vertical_average(curves)["y"], oracle, expected)


@given(rankings, st.integers(2, 30))
def test_the_vertical_average_of_one_curve_is_the_curve(cases, grid):
    labels, scores = np.array(cases).T
    curves, roc = one_curve(labels, scores), roc_curve(labels, scores)

    average = vertical_average(curves, grid=grid)

    assert average["x"].tolist() == np.linspace(0, 1, grid).tolist()
    for x, y in average[["x", "y"]].to_numpy():
        near = roc["tpr"][np.isclose(roc["fpr"], x, atol=1e-12)]
        assert y == pytest.approx(near.max() if len(near) else height(roc, x)[0])
    assert average["low"].equals(average["y"])
    assert average["high"].equals(average["y"])


@pytest.mark.parametrize("n", [49, 100, 107])  # k / n is rounded otherwise than the grid's k / n
def test_rounding_moves_no_point_of_the_grid_off_a_jump(n):
    # positive and negative in turns: every share of either class is a jump
    labels, scores = np.tile([True, False], n), -np.arange(2.0 * n)
    curves = one_curve(labels, scores)

    roc, pr = (vertical_average(curves, kind, grid=n + 1) for kind in ("roc", "pr"))

    k = np.arange(n + 1)
    np.testing.assert_allclose(roc["y"], np.minimum(k + 1, n) / n)
    # the k-th positive comes after k - 1 negatives
    np.testing.assert_allclose(pr["y"][1:], k[1:] / (2 * k[1:] - 1))


@given(rankings, st.integers(2, 30))
def test_between_thresholds_precision_follows_davis_and_goadrich(cases, grid):
    labels, scores = np.array(cases).T
    curves = one_curve(labels, scores)
    points = curves.points(0).drop_duplicates("tp")  # the fewest false alarms for each tp
    ends = curves.points(0).drop_duplicates("tp", keep="last")

    average = vertical_average(curves, "pr", grid=grid)

    for recall, precision in average[["x", "y"]].to_numpy()[1:]:
        tp = recall * labels.sum()
        after = int(np.argmax(points["tp"] >= tp - 1e-9))
        start, end = ends.iloc[after - 1], points.iloc[after]
        part = (tp - start["tp"]) / (end["tp"] - start["tp"])
        fp = start["fp"] + part * (end["fp"] - start["fp"])
        assert precision == pytest.approx(tp / (tp + fp))


@given(folds)
def test_averages_are_means_over_the_folds_with_both_classes(cases):
    group, positive, score = arrays(cases)
    curves = fold_curves(group, positive, score)
    kept = [j for j in range(len(curves)) if len(set(positive[group == j])) == 2]
    alone = [one_curve(positive[group == j], score[group == j]) for j in kept]

    for kind in ("roc", "pr"):
        single = [vertical_average(curve, kind, grid=11)["y"] for curve in alone]
        np.testing.assert_allclose(
            vertical_average(curves, kind, grid=11)["y"], np.mean(single, axis=0)
        )
    assert usable(curves).tolist() == kept


@given(folds)
def test_threshold_averages_are_mean_rates_counted_by_hand(cases):
    group, positive, score = arrays(cases)
    curves = fold_curves(group, positive, score)
    both = [group == j for j in usable(curves)]

    average = threshold_average(curves, grid=7)

    for x, y, threshold in average[["x", "y", "threshold"]].to_numpy():
        fpr = [(score[own & ~positive] >= threshold).mean() for own in both]
        tpr = [(score[own & positive] >= threshold).mean() for own in both]
        assert (x, y) == pytest.approx((np.mean(fpr), np.mean(tpr)))
    assert average[["x", "y"]].iloc[[0, -1]].to_numpy().tolist() == [[0, 0], [1, 1]]
    assert average["threshold"].is_monotonic_decreasing


@given(folds)
def test_mean_precision_leaves_out_folds_that_call_nothing_positive(cases):
    group, positive, score = arrays(cases)
    curves = fold_curves(group, positive, score)
    both = [group == j for j in usable(curves)]

    average = threshold_average(curves, "pr", grid=5)

    for x, y, threshold in average[["x", "y", "threshold"]].to_numpy():
        called = [own & (score >= threshold) for own in both]
        precision = [positive[part].mean() for part in called if part.any()]
        recall = [(score[own & positive] >= threshold).mean() for own in both]
        assert (x, y) == pytest.approx((np.mean(recall), np.mean(precision)))


@given(rankings)
def test_the_threshold_average_of_one_curve_lies_on_the_curve(cases):
    labels, scores = np.array(cases).T
    average = threshold_average(one_curve(labels, scores), grid=101)
    points = {tuple(point) for point in roc_curve(labels, scores)[["fpr", "tpr"]].to_numpy()}

    assert {tuple(point) for point in average[["x", "y"]].to_numpy()} == points


def test_bands_are_the_standard_error_and_t_with_the_overlap_of_training_sets(rng):
    group, positive = np.repeat(np.arange(5), 40), np.tile([True, False], 100)
    score = rng.normal(size=200) + positive
    curves = fold_curves(group, positive, score)
    rows = [
        vertical_average(one_curve(positive[group == j], score[group == j]), grid=3)["y"][0]
        for j in range(5)
    ]
    error, mean = np.std(rows, ddof=1) / np.sqrt(5), np.mean(rows)
    wide = stats.t.ppf(0.975, 4) * error

    def half(**options):
        first = vertical_average(curves, grid=3, **options).loc[0]
        assert first["y"] == pytest.approx(mean)
        assert first["high"] - first["y"] == pytest.approx(first["y"] - first["low"])
        return first["high"] - first["y"]

    assert half() == pytest.approx(error)
    assert half(test_fraction=0.2) == pytest.approx(error)
    assert half(band="95% pointwise") == pytest.approx(wide)
    corrected = wide * np.sqrt(overlap_factor(5, 0.2))
    assert half(band="95% pointwise", test_fraction=0.2) == pytest.approx(corrected)


@given(folds, st.sampled_from(["roc", "pr"]))
def test_bands_stay_within_the_square(cases, kind):
    curves = fold_curves(*arrays(cases))
    for average in (vertical_average, threshold_average):
        table = average(curves, kind, grid=9, band="95% pointwise", test_fraction=0.3)

        assert table.notna().all().all()
        assert table["low"].between(0, 1).all()
        assert table["high"].between(0, 1).all()
        assert (table["low"] <= table["y"] + 1e-12).all()
        assert (table["y"] <= table["high"] + 1e-12).all()


@given(folds, st.integers(0, 99))
def test_the_order_of_rows_and_the_scale_of_scores_change_no_average(cases, seed):
    group, positive, score = arrays(cases)
    mixed = np.random.default_rng(seed).permutation(len(group))
    curves = fold_curves(group, positive, score)
    same = fold_curves(group[mixed], positive[mixed], np.exp(score[mixed]))

    for kind in ("roc", "pr"):
        first, second = (vertical_average(c, kind, grid=13) for c in (curves, same))
        pd.testing.assert_frame_equal(first, second)


def test_bad_input_is_refused():
    roc = roc_curve([1, 0], [2, 1])
    only_positives = one_curve(np.array([True, True]), np.array([1.0, 2.0]))

    with pytest.raises(DataError, match="Missing: tpr"):
        roc_hull(roc.drop(columns="tpr"))
    with pytest.raises(DataError, match="Missing: fpr"):
        dominates(roc, roc.drop(columns="fpr"))
    with pytest.raises(SettingError, match="share"):
        hull_in_pr(roc, 1.5)
    with pytest.raises(DataError, match="no fold has both"):
        vertical_average(only_positives)
    with pytest.raises(DataError, match="no fold has both"):
        threshold_average(only_positives)
    with pytest.raises(SettingError, match="kind"):
        vertical_average(one_curve([1, 0], [2, 1]), "lift")
    with pytest.raises(SettingError, match="band"):
        threshold_average(one_curve([1, 0], [2, 1]), band="two sigma")


def test_two_curves_of_one_area_may_cross():
    first = drawn((0, 0), (0.2, 0.6), (1, 1))
    second = drawn((0, 0), (0.4, 0.8), (1, 1))  # the first one mirrored at the falling diagonal

    areas = [partial_area(curve, low=0, high=1) for curve in (first, second)]

    assert areas[0] == pytest.approx(areas[1])
    assert dominates(first, second) == "neither"
    # from (0.2, 0.6) with slope 1/2, and from the origin with slope 2: 0.5 + x / 2 = 2 x
    assert crossings(first, second) == [round(1 / 3, 6)]


def test_places_of_crossings_are_written_so_that_they_differ():
    """Segments that cross at 0.026 and 0.034 would both be printed as 0.03, and 0.002 as 0.00."""
    close = pd.DataFrame({"fpr": [0, 0.03, 0.04, 1], "tpr": [0, 0.5, 0.5, 1]})
    bent = pd.DataFrame({"fpr": [0, 0.022, 0.03, 0.038, 1], "tpr": [0, 0.30, 0.56, 0.44, 1]})
    early = pd.DataFrame({"fpr": [0, 0.001, 0.003, 1], "tpr": [0, 0.1, 0.3, 1]})
    late = pd.DataFrame({"fpr": [0, 0.001, 0.003, 1], "tpr": [0, 0.05, 0.35, 1]})

    said = describe_crossings(close, bent).replace(" and ", ", ").split(", ")
    assert len(said) == len(set(said)) == len(crossings(close, bent)) > 1
    assert [float(text) for text in said] == pytest.approx(crossings(close, bent), abs=0.0005)
    assert describe_crossings(early, late).startswith("0.002")
    assert describe_crossings(early, early) == ""
