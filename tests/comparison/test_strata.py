"""Tests of the stratified comparison of two models on the instances of several benchmarks."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.oneway import anova_oneway

from benchmarks.stratified_tests import strata_of_answers, strata_of_scores
from foldwise.figures import theme
from foldwise.figures.ranks_with_intervals import ranks_over_instances
from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED, decide
from stats_core.comparison.kinds.strata import (
    Strata,
    stratified_of,
    stratified_pairs,
    stratified_ranks,
)
from stats_core.data.settings import Settings
from stats_core.inference.heterogeneity import welch_test
from stats_core.inference.paired import newcombe_interval
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.power.detectable import detectable
from stats_core.power.item_planning import mcnemar_power
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.power_text import describe_detectable
from stats_core.report.reproduce import to_json
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict

CELLS = [(1, 1), (1, 0), (0, 1), (0, 0)]
THREE = {"x": (40, 12, 5, 43), "y": (20, 3, 9, 28), "z": (10, 6, 2, 12)}


def benchmarks(counts):
    """Return results of models a and b with these counts in each benchmark: both, only a, only b, neither correct."""
    tables = []
    for name, cells in counts.items():
        marks = (
            pd.DataFrame(np.repeat(CELLS, cells, axis=0), columns=["a", "b"])
            .rename_axis("item")
            .reset_index()
        )
        tables.append(
            marks.melt("item", var_name="model", value_name="correct").assign(dataset=name)
        )
    text = (
        pd.concat(tables)
        .assign(question_id=lambda t: t["dataset"] + t["item"].astype(str))
        .drop(columns="item")
    )
    return read_results(("marks.csv", text.to_csv(index=False).encode()))


def test_all_instances_are_tested_as_mantel_and_haenszel_do():
    found = stratified_of(analyse(benchmarks(THREE)))
    sign = 1 if found.first == "a" else -1

    # R 4.2.2, mantelhaen.test(exact=TRUE) with one stratum per instance
    assert found.pooled["p"] == pytest.approx(0.511375781585, abs=1e-11)
    assert sign * found.pooled["estimate"] == pytest.approx((12 + 3 + 6 - 5 - 9 - 2) / 190)
    ends = [newcombe_interval(*cells) for cells in THREE.values()]
    for (low, high), name in zip(ends, THREE, strict=True):
        row = found.frame.loc[name]
        assert sorted([sign * row["low"], sign * row["high"]]) == pytest.approx(
            [min(low, 0), high if high > 0 else 0]
        )


def test_the_mean_of_benchmarks_combines_the_intervals_of_the_benchmarks():
    found = stratified_of(analyse(benchmarks(THREE)))
    cells = np.array(list(THREE.values()))[:, [0, 1, 2, 3] if found.first == "a" else [0, 2, 1, 3]]
    differences = (cells[:, 1] - cells[:, 2]) / cells.sum(axis=1)
    ends = np.array([newcombe_interval(*map(int, row)) for row in cells])
    reach = np.sqrt(((ends - differences[:, None]) ** 2).sum(axis=0)) / 3  # MOVER

    assert found.macro["estimate"] == pytest.approx(np.mean(differences))
    assert found.macro["estimate"] - found.macro["low"] == pytest.approx(reach[0])
    assert found.macro["high"] - found.macro["estimate"] == pytest.approx(reach[1])


def test_opposite_directions_are_named():
    found = analyse(benchmarks({"big": (500, 90, 60, 150), "small": (10, 2, 30, 18)}))
    note = next(str(note) for note in verdict(found).notes if note.code == "opposite benchmarks")

    assert note.startswith(
        "a has the better accuracy over all instances, but b has the better accuracy on small and in"
    )
    assert (
        "On small, the difference has the opposite sign"
        in tables_of(found, "benchmarks")[0].caption
    )
    alike = analyse(benchmarks({"big": (500, 90, 60, 150), "small": (10, 30, 2, 18)}))
    assert not [note for note in verdict(alike).notes if note.code == "opposite benchmarks"]


def test_one_benchmark_is_not_stratified_and_six_keep_their_test():
    assert stratified_of(analyse(benchmarks({"x": THREE["x"]}))) is None
    six = {f"d{i}": (40 + i, 12 + i, 3, 40) for i in range(6)}
    found = analyse(benchmarks(six))

    assert found.test_name.startswith("Wilcoxon")
    assert found.wilcoxon.pvalue == pytest.approx(0.03125)
    table = tables_of(found, "benchmarks")[0]
    assert list(table.frame.index[-2:]) == ["all instances", "mean of benchmarks"]


def test_too_few_benchmarks_are_answered_over_all_instances():
    settings = Settings(alpha=0.1)
    found = analyse(
        benchmarks({"x": (40, 22, 5, 43), "y": (20, 13, 9, 28), "z": (10, 6, 2, 12)}), settings
    )
    said, paper = verdict(found), paper_sentence(found)

    p = stats.binomtest(22 + 13 + 6, 22 + 13 + 6 + 5 + 9 + 2).pvalue
    assert p == pytest.approx(0.00126, abs=1e-5)
    assert said.badge == LIMITED
    assert said.headline == (
        "a is significantly better than b in accuracy over all 210 instances of these 3 benchmarks."
    )
    assert said.size.startswith("Difference in accuracy, a − b: 0.1190, 90% CI [0.06")  # 25 / 210
    assert said.size.endswith("p = 0.001.")
    assert "The conclusion is limited to these benchmarks, because 3 benchmarks" in said.sentences
    assert paper.startswith(
        "Over all 210 instances of these 3 benchmarks, a was significantly better than b in accuracy"
    )
    assert "The conclusion is limited to these benchmarks" in paper
    alike = verdict(analyse(benchmarks(THREE)))
    assert alike.headline == (
        "a and b do not differ significantly in accuracy over all 190 instances of these 3 benchmarks."
    )


def test_differences_that_cancel_but_for_rounding_have_p_1():
    found = analyse(benchmarks({"x": (5, 2, 1, 2), "y": (5, 2, 1, 2), "z": (4, 1, 3, 2)}))
    mean = found.pairs.frame["macro"].iloc[0]

    assert 0 < abs(mean) < 1e-15  # or the case tests nothing
    assert found.pairs.frame["macro p"].iloc[0] == 1


def test_all_pairs_of_several_models_are_adjusted():
    tables = []
    for name in "xy":
        answers = {"a": [1] * 40 + [0] * 10, "b": [1] * 30 + [0] * 20, "c": [0] * 45 + [1] * 5}
        rows = (
            pd.DataFrame(answers)
            .rename_axis("item")
            .reset_index()
            .melt("item", var_name="model", value_name="correct")
        )
        tables.append(
            rows.assign(dataset=name, question_id=name + rows["item"].astype(str)).drop(
                columns="item"
            )
        )
    found = analyse(read_results(("m.csv", pd.concat(tables).to_csv(index=False).encode())))
    row = found.pairs.of("a", "b")

    assert decide(found).claim == "leads"
    assert row["p"] == pytest.approx(stats.binomtest(20, 20).pvalue)  # 20 disagreements
    assert row["p adjusted"] >= row["p"]
    ends = newcombe_interval(30, 10, 0, 10)  # of each benchmark
    assert row["low"] == pytest.approx(0.2 - (0.2 - ends[0]) / np.sqrt(2))
    said = verdict(found)
    assert said.headline == (
        "a is significantly better than b and c in accuracy over all 100 instances of these 2 benchmarks."
    )
    assert "selection-adjusted 95% CI" in said.size
    assert "stratified exact McNemar tests with Bergmann-Hommel adjustment" in said.numbers


def test_the_interval_over_all_instances_agrees_with_the_exact_test():
    found = stratified_of(analyse(benchmarks({"x": (20, 3, 0, 20), "y": (20, 2, 0, 20)})))

    assert found.pooled["p"] == pytest.approx(2 / 2**5)
    assert 0 in (found.pooled["low"], found.pooled["high"])


def test_averages_without_instances_have_no_strata():
    table = b"dataset,a,b\nu,0.9,0.8\nv,0.8,0.7\nw,0.7,0.6\n"
    found = analyse(read_results(("accuracy.csv", table)), Settings())

    assert stratified_of(found) is None
    assert tables_of(found, "benchmarks") == []


def three_models(counts=((60, 20, 50), (90, 40, 70)), seeds=1, documents=0):
    """Return results of models a, b and c on two benchmarks; `counts` are the numbers of 100 correct answers."""
    rng, tables = np.random.default_rng(8), []
    for name, of_models in zip("xy", counts, strict=True):
        for seed in range(seeds):
            answers = {
                model: rng.permutation(100) < n for model, n in zip("abc", of_models, strict=True)
            }
            rows = pd.DataFrame(answers).astype(int).rename_axis("item").reset_index()
            rows = rows.melt("item", var_name="model", value_name="correct").assign(
                dataset=name, seed=seed
            )
            rows["document"] = name + (rows["item"] // max(documents, 1)).astype(str)
            tables.append(
                rows.assign(question_id=name + rows["item"].astype(str)).drop(columns="item")
            )
    table = pd.concat(tables).drop(
        columns=[*([] if seeds > 1 else ["seed"]), *([] if documents else ["document"])]
    )
    mapping = Mapping(roles={"document": "cluster"}) if documents else Mapping()
    return read_results(("m.csv", table.to_csv(index=False).encode()), mapping=mapping)


def test_all_pairs_over_instances_are_adjusted_and_agree_with_their_intervals():
    found = analyse(three_models(), Settings(correction="holm"))
    pairs = stratified_pairs(found)
    wide = found.results.predictions.pivot(
        index=["dataset", "instance"], columns="algorithm", values="correct"
    )

    raw = []
    for row in pairs.itertuples():
        first, second = (wide[name].astype(bool) for name in (row.first, row.second))
        b, c = int((first & ~second).sum()), int((~first & second).sum())
        raw.append(stats.binomtest(b, b + c).pvalue)
        assert row.estimate == pytest.approx((b - c) / 200)
    assert pairs["p"].tolist() == pytest.approx(raw)
    assert pairs["p adjusted"].tolist() == pytest.approx(multipletests(raw, method="holm")[1])
    excludes = (pairs["low"] > 0) | (pairs["high"] < 0)
    assert excludes.tolist() == (pairs["p adjusted"] <= 0.05).tolist() == [True, True, True]
    (table,) = tables_of(found, "pairs")
    assert sorted(table.frame["adjusted p"]) == sorted(pairs["p adjusted"])


def test_ranks_over_instances_are_those_of_strata():
    for results in (three_models(), three_models(documents=5), three_models(seeds=3)):
        found = analyse(results)
        ranks, pairs = stratified_ranks(found), stratified_pairs(found)
        estimates = (
            ranks.table["value"][pairs["first"]].to_numpy()
            - ranks.table["value"][pairs["second"]].to_numpy()
        )

        assert estimates == pytest.approx(pairs["estimate"].to_numpy())
        assert ranks.n == (200 if "cluster" not in results.predictions else 40)
        assert ranks.table["low all"].tolist() == [1, 2, 3]
    assert stratified_ranks(analyse(benchmarks(THREE))) is None


def test_captions_of_pooled_benchmarks_limit_conclusions_to_them():
    found = analyse(three_models())
    captions = [table.caption for table in tables_of(found, "pairs")]
    captions.append(ranks_over_instances(found).caption(theme.screen()))
    assert len(captions) == 2
    assert all("these benchmarks only" in caption for caption in captions)


def runs_on_benchmarks(names):
    """Return answers of models a and b in four runs; the runs of a differ, on all benchmarks."""
    rng, tables = np.random.default_rng(3), []
    for i, name in enumerate(names):
        shares = np.array([[0.3, 0.5, 0.7, 0.9], [0.5, 0.5, 0.5, 0.5]])
        answers = rng.random((30 + 10 * i, 2, 4)) < shares
        index = pd.MultiIndex.from_product(
            [[f"{name}{item}" for item in range(len(answers))], ["a", "b"], range(4)],
            names=["item", "model", "seed"],
        )
        table = pd.Series(answers.ravel().astype(int), index, name="correct").reset_index()
        tables.append(table.assign(benchmark=name))
    return pd.concat(tables)


@pytest.mark.parametrize("names", ["xy", "uvwxyz"])
def test_runs_on_benchmarks_add_the_variance_of_their_weighted_means(names):
    """A run that is better on all benchmarks does not cancel."""
    table = runs_on_benchmarks(names)
    results = read_results(("t.csv", table.to_csv(index=False).encode()))
    found = stratified_of(analyse(results))
    wide = table.pivot(index=["benchmark", "item", "seed"], columns="model", values="correct")
    difference = (wide[found.first] - wide[found.second]).unstack()
    items = difference.mean(axis=1).groupby("benchmark")
    of_items = (items.size() / len(difference)) ** 2 * items.var() / items.size()
    of_runs = difference.mean().var() / 4
    df = of_items.sum() ** 2 / (of_items**2 / (items.size() - 1)).sum()

    assert found.variances == pytest.approx((of_items.sum(), of_runs))
    assert found.df == pytest.approx((df, 3))
    # Banerjee's critical value at the level of p is the statistic
    squared = np.dot(found.variances, stats.t.isf(found.pooled["p"] / 2, found.df) ** 2)
    assert found.pooled["estimate"] ** 2 == pytest.approx(squared, rel=1e-6)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 3), (5, 2)])
@pytest.mark.parametrize(("score", "most"), [("accuracy", 1), ("score", np.inf)])
def test_intervals_of_few_instances_keep_to_the_range_and_to_what_can_be_rejected(
    sizes, score, most
):
    rng, tables = np.random.default_rng(1), []
    for name, n in zip("xy", sizes, strict=True):
        index = pd.MultiIndex.from_product(
            [[f"{name}{i}" for i in range(n)], list("abc"), range(4)],
            names=["item", "model", "epoch"],
        )
        tables.append(pd.Series(rng.random(n * 12), index, name=score).reset_index())
        tables[-1]["benchmark"] = name
    text = pd.concat(tables).to_csv(index=False).encode()
    results = read_results(("t.csv", text), mapping=Mapping(directions={score: "higher"}))
    found = analyse(results, Settings(measure=score))
    strata = [Strata.of(found.parts, *pair) for pair in found.compared_pairs()]

    for each in strata:
        low, high = each.interval(each.size_weights, 0.05)
        if 2.0 ** (1 - sum(sizes)) > 0.05 and each.varies(each.size_weights):
            assert (low, high) == (-most, most)
        assert np.isnan(low) or -most <= low <= high <= most


def test_the_detectable_difference_is_that_of_all_instances():
    found = analyse(benchmarks(THREE))
    effect = detectable(found)

    share = (12 + 5 + 3 + 9 + 6 + 2) / 190
    assert mcnemar_power(190, share, effect.difference) == pytest.approx(0.8)
    assert describe_detectable(effect).startswith(
        "A new experiment with 190 instances of these 3 benchmarks has 80% power to detect a difference of 0.0"
    )
    three = detectable(analyse(three_models()), over_instances=True)
    assert three.size == "200 instances of these 2 benchmarks and 3 pairs"


def scores(sizes, shift=0.0, seed=0, lognormal=False):
    """Return graded scores of models a and b on benchmarks of these sizes."""
    rng, tables = np.random.default_rng(seed), []
    for place, n in enumerate(sizes):
        for model, level in {"a": shift, "b": 0.0}.items():
            score = rng.lognormal(level, 1, n) if lognormal else rng.normal(level, 1, n)
            rows = pd.DataFrame({"question_id": [f"{place}q{i}" for i in range(n)], "score": score})
            tables.append(rows.assign(dataset=f"d{place}", model=model))
    table = pd.concat(tables).to_csv(index=False).encode()
    return read_results(("t.csv", table), mapping=Mapping(directions={"score": "higher"}))


def test_scores_are_tested_as_a_mean_with_satterthwaites_degrees_of_freedom():
    results = scores((6, 9, 15), 0.4)
    row = analyse(results).pairs.of("a", "b")
    wide = results.predictions.pivot(
        index=["dataset", "instance"], columns="algorithm", values="value"
    )
    difference = (wide[row["first"]] - wide[row["second"]]).groupby("dataset")

    n = difference.size()
    variances = (n / n.sum()) ** 2 * difference.var() / n
    df = variances.sum() ** 2 / (variances**2 / (n - 1)).sum()
    estimate = (difference.mean() * n).sum() / n.sum()
    t = estimate / np.sqrt(variances.sum())
    assert (row["estimate"], row["p"]) == pytest.approx((estimate, 2 * stats.t.sf(abs(t), df)))
    reach = stats.t.isf(0.025, df) * np.sqrt(variances.sum())
    assert (row["low"], row["high"]) == pytest.approx((estimate - reach, estimate + reach))


@pytest.mark.parametrize("sizes", [(5, 9), (4, 7, 30), (6,) * 5])
def test_heterogeneity_is_welchs_analysis_of_variance(sizes):
    rng = np.random.default_rng(len(sizes))
    groups = [rng.normal(place, 1 + place, n) for place, n in enumerate(sizes)]
    result = welch_test(
        [group.mean() for group in groups],
        [stats.sem(group) for group in groups],
        [len(group) - 1 for group in groups],
    )

    expected = anova_oneway(groups, use_var="unequal")  # statsmodels
    assert (result.statistic, result.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert welch_test([0.1, 0.2], [0.0, 1.0], [3, 3]) is None


@pytest.mark.parametrize("sizes", [(3, 3), (2, 2), (10, 10)])
def test_constant_differences_are_no_more_significant_than_sign_flips(sizes):
    table = pd.DataFrame(
        [
            (f"{place}q{i}", f"d{place}", model, 0.5 + 0.1 * (model == "a") + 0.01 * i)
            for place, n in enumerate(sizes)
            for i in range(n)
            for model in "ab"
        ],
        columns=["question_id", "dataset", "model", "score"],
    ).to_csv(index=False)
    mapping = Mapping(directions={"score": "higher"})
    row = analyse(read_results(("t.csv", table.encode()), mapping=mapping)).pairs.of("a", "b")

    assert row["p"] >= 2.0 ** (1 - sum(sizes))
    assert not row["low"] == row["high"]  # no interval of width 0


@pytest.mark.parametrize(
    ("sizes", "lognormal", "most"),
    [((3, 3), False, 0.05), ((5, 5, 5), False, 0.05), ((5, 100), False, 0.07)],
)
def test_the_level_of_the_t_test_is_kept(sizes, lognormal, most):
    rng, times, rejected = np.random.default_rng(5), 600, 0
    for _ in range(times):
        strata = strata_of_scores([rng.normal(size=n) for n in sizes])
        rejected += strata.pooled_pvalue() <= 0.05

    assert rejected / times <= most + 2.5 * np.sqrt(0.05 * 0.95 / times)


def test_the_mean_of_benchmarks_is_covered_and_its_interval_has_a_width():
    rng, covered = np.random.default_rng(7), 0
    cells = [0.97 * 0.95, 0.97 * 0.05, 0.03 * 0.95, 0.03 * 0.05]
    for _ in range(200):
        strata = strata_of_answers(rng.multinomial(30, cells, size=5))
        low, high = strata.interval(strata.equal_weights, 0.05)
        assert low < high
        covered += low <= 0.02 <= high

    assert covered >= 0.92 * 200


@pytest.mark.parametrize("seed", range(8))
def test_the_p_value_of_the_mean_of_benchmarks_inverts_its_interval(seed):
    rng = np.random.default_rng(seed)
    strata = strata_of_answers(rng.multinomial(40, [0.5, 0.25, 0.1, 0.15], size=3))
    p = strata.pvalue(strata.equal_weights)

    low, high = strata.interval(strata.equal_weights, p)
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-6)


# name -> function that returns results of benchmarks, and settings
OF_BENCHMARKS = {
    "two": (lambda: benchmarks(THREE), Settings()),
    "two that differ": (
        lambda: benchmarks({"x": (40, 30, 5, 43), "y": (20, 13, 9, 28)}),
        Settings(),
    ),
    "three": (three_models, Settings()),
    "by Holm": (three_models, Settings(correction="holm")),
    "unadjusted": (lambda: three_models(((60, 50, 55), (90, 80, 84))), Settings(correction="none")),
    "control": (three_models, Settings(control="b")),
    "clusters": (lambda: three_models(documents=5), Settings()),
    "runs": (lambda: three_models(seeds=3), Settings()),
    "scores": (lambda: scores((12, 30), 0.8), Settings()),
    "skewed scores": (lambda: scores((12, 30), 0.8, lognormal=True), Settings()),
    "few scores": (lambda: scores((2, 3), 0.8), Settings()),
}


@pytest.mark.parametrize("name", OF_BENCHMARKS)
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_every_product_says_what_the_sentence_says(name, alpha):
    make, settings = OF_BENCHMARKS[name]
    found = analyse(make(), replace(settings, alpha=alpha))
    said, pairs, decision = verdict(found), found.pairs.frame, decide(found)

    assert found.kind == "benchmarks"
    differing = {frozenset(pair) for pair in found.pairs.differing}
    assert {frozenset(pair) for pair in decision.apart} == (
        set() if decision.claim == "too few" else differing
    )
    for row in pairs.itertuples():
        together = any({row.first, row.second} <= set(group) for group in found.groups)
        if not settings.control:
            assert together == (frozenset((row.first, row.second)) not in differing)
        if not np.isnan(row.low):
            assert (row.low > 0 or row.high < 0) == row.separated
    document = json.loads(to_json(found))["analysis"]
    recorded = [(row["first"], row["separated"]) for row in document["pairs"]]
    assert recorded == list(zip(pairs["first"], pairs["separated"], strict=True))
    captions = " ".join(table.caption for table in tables_of(found))
    texts = [said.sentences, paper_sentence(found), methods_paragraph(found), captions]
    for text in texts:
        assert "Wilcoxon" not in text
        assert "ranks control" not in text
        assert "Hodges" not in text
    test = found.tests_of_design.pairwise.name_of_one.removeprefix("stratified ")
    assert all(test in text for text in (said.sentences, *texts[1:3]))
    if found.guarantee.comparisons > 1 and found.correction != "none":
        assert "adjusted p" in said.sentences
        assert found.correction_name in found.test_name
    significantly = "significantly" in said.headline and "not differ" not in said.headline
    assert significantly == bool(differing) or decision.claim in ("too few", "best", "sides")


def test_sizes_that_decide_are_in_the_headline_with_both_answers():
    counts = {"big": (150, 70, 10, 20), "small": (20, 0, 20, 20)}
    found = analyse(benchmarks(counts))
    said = verdict(found)

    assert said.headline == (
        "a is significantly better than b in accuracy over all 310 instances of these 2 benchmarks, "
        "but not in the mean of the benchmarks, so the benchmark sizes decide."
    )
    assert (
        "Averaged over the benchmarks, each with the same weight, the difference is −0.0467, 95% CI ["
        in said.numbers
    )
    assert "The differences vary between benchmarks (Welch test: p < 0.001)" in said.numbers
    assert "The sizes of the benchmarks decided" in paper_sentence(found)
    alike = {name: tuple(2 * np.array(cells)) for name, cells in {"x": (50, 20, 2, 28)}.items()}
    assert (
        "sizes decide" not in verdict(analyse(benchmarks(alike | {"y": (50, 20, 2, 28)}))).headline
    )


def test_sizes_decide_for_some_pairs_of_several_models():
    counts = {"x": {"a": 0.9, "b": 0.6, "c": 0.5}, "y": {"a": 0.3, "b": 0.9, "c": 0.1}}
    tables = [
        pd.DataFrame(
            {
                "question_id": [f"{name}{i}" for i in range(n)],
                "dataset": name,
                "model": model,
                "correct": (np.random.default_rng(len(model)).permutation(n) < share * n).astype(
                    int
                ),
            }
        )
        for (name, of_models), n in zip(counts.items(), (400, 60), strict=True)
        for model, share in of_models.items()
    ]
    found = analyse(read_results(("t.csv", pd.concat(tables).to_csv(index=False).encode())))

    assert found.weights_decide() == [("a", "b")]
    assert verdict(found).headline.endswith("The benchmark sizes decide for a vs. b.")
