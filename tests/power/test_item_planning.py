"""Tests of numbers of instances and detectable differences on one test set, against formulas and simulation."""

import itertools
from math import isnan, nan, sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as other_mcnemar
from statsmodels.stats.proportion import proportion_confint

from foldwise.figures import theme
from foldwise.figures.simulation_figures import lab_drawings
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.data.settings import Settings
from stats_core.io.read import read_results
from stats_core.power.detectable import detectable
from stats_core.power.error_rates import level_of
from stats_core.power.item_planning import (
    ItemVariance,
    detectable_by_mcnemar,
    items_of,
    mcnemar_power,
    plan_items,
)
from stats_core.power.planning import plan_of
from stats_core.power.simulated_power import power_of
from stats_core.report.power_text import describe_simulation, lab_tables
from tests.inference.test_proportions import marks
from tests.report.report_cases import predictions


def connor(discordance, difference, level=0.05, power=0.8):
    """Return the number of instances of Connor, Biometrics 43 (1987) 207, for McNemar's test without correction."""
    z, w = stats.norm.isf(level / 2), stats.norm.ppf(power)
    return ((z * sqrt(discordance) + w * sqrt(discordance - difference**2)) / difference) ** 2


def needed(discordance, difference):
    """Return the number of instances for 80% power of the exact McNemar test."""
    parts = {
        "n": 1,
        "over_cases": nan,
        "over_trainings": 0.0,
        "design_effect": 1.0,
        "cluster_size": 1.0,
    }
    variance = ItemVariance(discordance=discordance, correlation=nan, **parts)
    return variance.needed(difference, 0.05, 0.8)


@pytest.mark.parametrize(
    ("discordance", "difference"), [(0.087, 0.033), (0.3, 0.05), (0.1, 0.02), (0.2, 0.01)]
)
def test_numbers_of_instances_are_those_of_connor_with_a_continuity_correction(
    discordance, difference
):
    approximate = connor(discordance, difference)

    assert approximate < needed(discordance, difference) < (approximate + 2 / difference) * 1.02


@pytest.mark.parametrize(("n", "discordance", "difference"), [(662, 0.087, 0.033), (60, 0.3, 0.2)])
def test_power_is_that_of_simulated_test_sets(n, discordance, difference):
    rng, draws = np.random.default_rng(7), 20_000
    shares = [(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
    counts, times = np.unique(rng.multinomial(n, shares, draws)[:, :2], axis=0, return_counts=True)
    rejects = [
        other_mcnemar([[0, b], [c, 0]], exact=True).pvalue <= 0.05 if b + c else False
        for b, c in counts
    ]
    power = float(np.array(rejects) @ times / draws)

    assert power == pytest.approx(
        mcnemar_power(n, discordance, difference), abs=4 * sqrt(power * (1 - power) / draws)
    )


def test_a_detectable_difference_is_detected_with_its_power():
    seen = detectable(analyse(marks([710, 60, 27, 203])))
    weak = detectable(analyse(marks([40, 3, 2, 5])))

    assert mcnemar_power(1000, 0.087, seen.difference) == pytest.approx(0.8)
    assert not weak.can_reject  # five disagreements have p = 0.0625 at least
    assert weak.smallest_pvalue == 0.0625
    assert isnan(detectable_by_mcnemar(50, 0.1, 0.05, 0.8))


def test_clusters_multiply_the_number_by_their_design_effect():
    counts = (300, 60, 20, 120)
    clusters = np.arange(500) // 20  # neighbours are alike
    plain, clustered = (
        plan_items(analyse(marks(counts, c)), difference=0.05) for c in (None, clusters)
    )
    variance = clustered.variance
    rows = np.repeat([0.0, 1, -1, 0], counts)
    sums = np.bincount(clusters, weights=rows - rows.mean())
    effect = (sums**2).sum() * 25 / 24 / (((rows - rows.mean()) ** 2).sum() * 500 / 499)

    assert variance.design_effect == pytest.approx(effect)
    assert variance.correlation == pytest.approx((effect - 1) / 19)
    expected = (
        (stats.norm.isf(0.025) + stats.norm.ppf(0.8)) ** 2 * variance.over_cases * 500 / 0.05**2
    )
    assert clustered.needed % 20 == 0  # whole clusters
    assert expected < clustered.needed < 1.02 * expected + 60  # t instead of normal quantiles
    assert clustered.needed > 3 * plain.needed
    assert "The correlation within clusters is" in describe_simulation(clustered).text
    assert list(lab_tables(clustered)[0].frame) == [
        "80% power",
        "90% power",
        "clusters (80% power)",
    ]


def traces_of(fig, ending):
    """Return the traces of a figure whose name has this ending."""
    return [trace for trace in fig.data if str(trace.name).endswith(ending)]


def test_plans_say_what_is_impossible():
    against = analyse(predictions(a=range(2), b=range(12), c=range(1, 14)), Settings(control="b"))
    assert plan_items(against).pair == ("a", "b")
    with pytest.raises(SettingError, match="must include the control, b, but is a and c"):
        plan_items(against, pair=("a", "c"))
    found = analyse(marks([710, 60, 27, 203]))
    with pytest.raises(SettingError, match="two different"):
        plan_items(found, pair=("a", "x"))
    with pytest.raises(SettingError):
        plan_items(found, difference=-0.1)
    with pytest.raises(DegenerateError):
        plan_items(analyse(marks([30, 0, 0, 10])))
    with pytest.raises(SettingError, match="exceeds the proportion of discordant instances"):
        mcnemar_power(100, 0.1, 0.2)
    equal = plan_items(analyse(marks([30, 5, 5, 10])))
    assert "the observed difference cannot be planned for" in describe_simulation(equal).text


@pytest.mark.parametrize("clusters", [None, np.arange(500) // 20])
def test_the_curve_passes_through_the_pilot_and_the_planned_number(clusters):
    plan = plan_items(analyse(marks((300, 60, 20, 120), clusters)), difference=0.05)
    curve = plan.curve.set_index("instances")

    assert plan.needed == plan.needed_if_exact  # the difference was given
    assert curve.loc[500, "detectable"] == pytest.approx(plan.detectable)
    assert curve.loc[plan.needed, "detectable"] == pytest.approx(0.05, rel=0.01)
    assert curve.loc[plan.needed, "power"] == pytest.approx(0.8, abs=0.005)
    slack = 0 if clusters is None else 0.02  # simulated for up to 40 clusters
    assert (np.diff(np.log(curve["detectable"].dropna())) <= slack).all()
    assert (np.diff(curve["power"]) >= -slack).all()
    (drawing,) = lab_drawings(plan)
    for mark, column in zip(traces_of(drawing.figure(theme.screen()), "marks"), curve, strict=True):
        assert (list(mark.x), list(mark.y)) == (
            drawing.x_of([500]),
            [pytest.approx(curve.loc[500, column])],
        )
    assert "Mark: the pilot (500 instances). Test: " in drawing.caption(theme.screen())


def test_without_an_observed_difference_the_curve_has_no_power():
    (drawing,) = lab_drawings(plan_items(analyse(marks([30, 5, 5, 10]))))

    assert [title for _, title in drawing.curves.panels] == ["detectable difference"]
    assert drawing.caption(theme.screen()).startswith(
        "Difference between a and b that is detected with 80% power, against"
    )


def test_an_observed_difference_is_planned_once_and_intervals_have_equal_decimals():
    plan = plan_items(analyse(marks([90, 31, 29, 50])), difference=1 - 0.99)  # 0.010000000000000009

    assert plan.frame["difference"].map("{:.3g}".format).tolist() == [
        "0.005",
        "0.01",
        "0.02",
        "0.05",
    ]
    low, high = proportion_confint(60, 200, method="wilson")
    said = f"on 30.0% of the instances (95% CI [{100 * low:.1f}%, {100 * high:.1f}%])"
    assert said in describe_simulation(plan).text


def answers_on_benchmarks():
    """Return two answers of two models to each of 40 questions on each of two benchmarks."""
    rng = np.random.default_rng(7)
    keys = itertools.product("pq", range(40), ("a", "b"), (1, 2))
    share = {"a": 0.7, "b": 0.4}
    rows = [
        f"{benchmark},{benchmark}{question},{model},{attempt},{int(rng.random() < share[model])}"
        for benchmark, question, model, attempt in keys
    ]
    text = "\n".join(["benchmark,question,model,attempt,correct", *rows])
    return read_results(("answers.csv", text.encode()))


def test_instances_of_one_benchmark_are_planned_if_the_others_are_excluded():
    results = answers_on_benchmarks()

    plan = items_of(results, Settings(without_datasets=("q",)))
    alone = items_of(results.select(datasets=["p"]), Settings())

    pd.testing.assert_frame_equal(plan.frame, alone.frame)
    assert plan.needed == alone.needed


def test_instances_of_several_benchmarks_are_not_planned_by_a_test_fraction():
    results = answers_on_benchmarks()

    with pytest.raises(DesignError, match="results per fold, but p has results per instance"):
        plan_of(results, Settings())


def test_simulations_of_data_sets_are_refused_where_instances_are_compared():
    rng = np.random.default_rng(4)
    table = pd.DataFrame(
        [
            (dataset, algorithm, item, int(rng.random() < rate))
            for dataset in "pqr"
            for algorithm, rate in {"a": 0.6, "b": 0.7, "c": 0.8}.items()
            for item in range(40)
        ],
        columns=["dataset", "algorithm", "instance", "correct"],
    )
    results = read_results(("answers.csv", table.to_csv(index=False).encode()))
    assert analyse(results).shape.over == "benchmarks"

    for simulate in (power_of, level_of):
        with pytest.raises(DesignError, match="over all instances of these 3 data sets"):
            simulate(results, draws=10)
    over_datasets = level_of(results, Settings(source="wilcoxon"), draws=10)
    assert over_datasets.draws == 10
