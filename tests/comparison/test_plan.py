"""Notes, steps, recommendation, methods paragraph and captions describe the plan of a comparison."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.plan import Permutations, Reason, Role
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, TUKEY, Settings
from stats_core.inference.methods import PAIR_TESTS, Assumption, Scale, Unit
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, LOGICAL, corrections_for
from stats_core.inference.paired.instance_tests import MAX_ALL_SWAPS
from stats_core.inference.ranks import post_hoc_z
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.advice import advice_on
from stats_core.report.analysis_steps import chain_of, describe_steps
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.tables.table_registry import tables_of
from tests.conftest import REFERENCE
from tests.report.report_cases import KINDS, case, read

ON_RESULTS = [key for key, method in PAIR_TESTS.items() if method.unit is Unit.RESULT]


@cache
def five_by_two(k):
    """Return the errors of k algorithms on the 5 x 2 folds of the breast cancer experiment."""
    table = pd.read_csv(REFERENCE / "D_bc_cv5x2_folds.csv").rename(columns={"repeat": "repetition"})
    keys = ["dataset", "algorithm", "repetition", "fold", "n_train", "n_test"]
    results = Results.from_frame(table[[*keys, "error"]], directions={"error": "lower"})
    return results.select(algorithms=results.algorithms[:k])


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("test", ON_RESULTS)
def test_the_pairwise_test_is_last_with_its_reason(test, k):
    comparison, method = analyse(five_by_two(k), Settings(test=test)), PAIR_TESTS[test]
    planned = comparison.tests_of_design.pairwise

    assert planned is comparison.plan[-1]
    assert (planned.role, planned.method) == (Role.PAIRWISE, method)
    assert (planned.reason is Reason.REQUESTED) == method.on_request
    step = describe_steps(comparison)[len(comparison.plan)]
    assert (method.assumes if method.on_request else method_card(test).why) in step.why


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("test", [TUKEY, *ON_RESULTS])
def test_notes_and_steps_have_what_fails(test, k):
    comparison = analyse(five_by_two(k), Settings(test=test if k > 2 or test != TUKEY else ""))
    notes, steps = comparison.notes, describe_steps(comparison)[1:]
    for planned, step in zip(comparison.plan, steps, strict=False):
        for failed in planned.failed:
            assert failed.note in notes
            ignored = failed.assumption is Assumption.INDEPENDENT_RESULTS
            assert ("assumes independent folds" if ignored else str(failed.note)) in step.fails


@pytest.mark.parametrize("test", [TUKEY, *ON_RESULTS])
def test_the_methods_paragraph_names_every_planned_test(test):
    comparison = analyse(five_by_two(4), Settings(test=test))
    paragraph = methods_paragraph(comparison)
    assert all(method_card(planned.card).phrase in paragraph for planned in comparison.plan)


@pytest.mark.parametrize("test", [TUKEY, *ON_RESULTS])
def test_the_omnibus_test_matches_the_pairwise_test(test):
    comparison = analyse(five_by_two(4), Settings(test=test))
    scale = None if test == TUKEY else PAIR_TESTS[test].scale
    card = {None: "anova", Scale.INTERVAL: None, Scale.ORDINAL: "friedman"}[scale]
    planned = comparison.tests_of_design.omnibus

    assert (None if planned is None else planned.card) == card
    assert (comparison.first_test is None) == (card is None)
    outcomes = {None: None, "anova": comparison.anova, "friedman": comparison.friedman}
    assert comparison.omnibus is outcomes[card]


def test_mcnemar_follows_cochrans_q_on_instances():
    results = read_results(REFERENCE / "D_bc_cv10_instances.csv")
    comparison = analyse(results, Settings(measure="error", test="McNemar"))
    assert [planned.card for planned in comparison.plan] == ["cochran_q", "mcnemar"]
    assert {planned.unit for planned in comparison.plan} == {Unit.INSTANCE}
    assert comparison.omnibus is comparison.cochran


# -- over data sets ----------------------------------------------------------------------------

GARCIA = "garcia_herrera_2008_accuracy.csv"
ALL_PAIRS = [
    Settings(source=source, correction=correction)
    for source in SOURCES
    for correction in corrections_for(source)
]
WITH_CONTROL = [
    Settings(source=source, correction=correction, control="CN2")
    for source in SOURCES
    for correction in CONTROL_CORRECTIONS
]
WITH_HOLES = [
    Settings(source=source, correction=correction)
    for source in ("wilcoxon", "sign")
    for correction in corrections_for(source)
    if correction not in LOGICAL
]
OVER_DATASETS = [
    *((GARCIA, settings) for settings in (*ALL_PAIRS, *WITH_CONTROL)),
    *(("holes", settings) for settings in WITH_HOLES),
    (GARCIA, Settings(pair=("C4.5", "CN2"))),
]


def check_texts_on(comparison):
    """Check that steps and methods paragraph name each planned test, and that steps and captions name no other."""
    steps = [step.test for step in describe_steps(comparison) if step.advised]
    planned = [planned for planned in comparison.plan if planned.decides]
    paragraph = methods_paragraph(comparison)
    assert len(steps) == len(planned)
    for test, step in zip(planned, steps, strict=True):
        assert test.description in step
        assert method_card(test.card).phrase.split(" in the form")[0] in paragraph
    assert comparison.test_name == planned[-1].description
    captions = [table.caption for table in tables_of(comparison) if "Tests: " in table.caption]
    assert all(f"Tests: {comparison.test_name}" in caption for caption in captions)


@pytest.mark.parametrize(("name", "settings"), OVER_DATASETS)
def test_each_test_over_data_sets_is_planned_and_named(name, settings):
    comparison = analyse(read(name), settings)
    check_texts_on(comparison)
    assert {planned.unit for planned in comparison.plan} == {Unit.DATA_SET}
    assert {planned.population for planned in comparison.plan} == {comparison.scope}


@pytest.mark.parametrize("settings", WITH_CONTROL)
def test_the_planned_test_of_ranks_is_the_one_behind_the_p_values(settings):
    """Bonferroni-Dunn uses z tests of average ranks (Demsar 2006, section 3.2.2), which methods called exact."""
    comparison = analyse(read(GARCIA), settings)
    if settings.source == "ranks":
        z = post_hoc_z(comparison.friedman.average_ranks, comparison.counted.n)
        is_z = np.allclose(comparison.raw, z.pvalues.loc["CN2", comparison.raw.index], rtol=1e-9)
        assert is_z == (comparison.tests_of_design.pairwise.card == "post_hoc_z")
        assert is_z == ("z tests of the differences" in methods_paragraph(comparison))


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        (GARCIA, Settings(), Reason.OWN_TESTS_CAN_DECIDE),
        (GARCIA, Settings(source="sign"), Reason.REQUESTED),
        (GARCIA, Settings(correction="nemenyi"), Reason.REQUESTED),
        (GARCIA, Settings(alpha=1e-9), Reason.FEW_DATA_SETS),  # 10 / 2^29 = 1.9e-8
        ("holes", Settings(), Reason.SHARED_DATA_SETS),
        ("published ranks", Settings(), Reason.SUITED),
    ],
)
def test_reasons_for_tests_over_data_sets(name, settings, reason):
    assert analyse(read(name), settings).tests_of_design.pairwise.reason is reason


@pytest.mark.parametrize("settings", [*ALL_PAIRS[:9:4], *WITH_CONTROL[:9:4]])
def test_the_recommended_tests_are_those_of_the_default_settings(settings):
    recommended = analyse(read(GARCIA), Settings(control=settings.control))
    advice = advice_on(analyse(read(GARCIA), settings))
    assert advice == advice_on(recommended)
    assert advice.test == chain_of(recommended).test


def test_failed_assumptions_over_data_sets_are_those_of_the_notes():
    comparison = analyse(read(GARCIA), Settings(control="CN2"))
    (note,) = comparison.tests_of_design.pairwise.notes_on(Assumption.SYMMETRIC_DIFFERENCES)
    assert note in comparison.notes
    few = analyse(comparison.results.select(datasets=comparison.results.datasets[:6]))
    (note,) = few.tests_of_design.omnibus.notes_on(Assumption.LARGE_SAMPLE)
    assert note in few.notes


def test_identical_results_have_no_planned_test():
    results = read(GARCIA)
    frame = results.frame.assign(accuracy=0.5)
    comparison = analyse(Results.from_frame(frame, directions={"accuracy": "higher"}))
    assert comparison.obstacle == "identical"
    assert comparison.plan == ()
    assert [step.test for step in describe_steps(comparison)][1:] == ["no test"]
    assert "no test was possible" in methods_paragraph(comparison)


# -- on instances ------------------------------------------------------------------------------

ON_INSTANCES = {
    "cases": [Unit.INSTANCE] * 2,  # Cochran's Q and McNemar's test
    "cases against a control": [Unit.INSTANCE] * 2,
    "cases of two": [Unit.INSTANCE],
    "cases of four classes": [Unit.INSTANCE],
    "cases of regression": [Unit.INSTANCE],
    "trainings": [Unit.INSTANCE_AND_RUN],
    "trainings of two": [Unit.INSTANCE_AND_RUN],
}


@pytest.mark.parametrize("name", ON_INSTANCES)
def test_each_test_on_instances_is_planned_and_named(name):
    comparison = case(name)[0]
    check_texts_on(comparison)
    assert [planned.unit for planned in comparison.plan] == ON_INSTANCES[name]
    assert {planned.population for planned in comparison.plan} == {comparison.scope}
    assert (comparison.tests_of_design.omnibus is None) == (comparison.omnibus is None)
    assert advice_on(comparison).test == chain_of(comparison).test


def scores_of(values):
    """Return results of scores of three models from (true class, scores) of each instance."""
    lines = [
        f"d,{name},{i},{true},{score}"
        for i, (true, scores) in enumerate(values)
        for name, score in zip("abc", scores, strict=True)
    ]
    head = "dataset,algorithm,instance,true,score"
    return read_results(("d.csv", "\n".join([head, *lines]).encode()))


def test_areas_whose_difference_does_not_vary_have_a_permutation_test():
    """Model a is always right (area 1), b always wrong (0): DeLong's variance is 0, the difference 1."""
    rng = np.random.default_rng(1)
    rows = [
        (true, (0.8 if true else 0.2, 0.2 if true else 0.8, round(rng.random(), 2)))
        for true in [0, 1] * 8
    ]
    comparison = analyse(scores_of(rows), Settings(measure="auc"))
    used = {pair: test.method.name for pair, test in comparison.tests.items()}
    assert used["a", "b"] != used["a", "c"]
    cards = [planned.card for planned in comparison.plan if planned.role is Role.PAIRWISE]
    assert cards == ["delong", "swap_test"]
    for text in (comparison.test_name, methods_paragraph(comparison), chain_of(comparison).test):
        assert "DeLong" in text
        assert "permutation test" in text
    assert "random permutations" in methods_paragraph(comparison)


def graded_of(n, n_clusters=None):
    """Return results of graded scores of two models on n instances, in clusters if given."""
    values = np.random.default_rng(n).random((n, 2)).round(2)
    frame = pd.DataFrame({"instance": range(n), "a": values[:, 0], "b": values[:, 1]})
    roles = {"instance": "instance"}
    if n_clusters:
        frame["cluster"] = np.arange(n) % n_clusters
        roles["cluster"] = "cluster"
    mapping = Mapping(roles=roles, measure_name="score", directions={"score": "higher"})
    return read_results(frame, mapping=mapping)


@pytest.mark.parametrize("sizes", [(10,), (60,), (60, 9), (60, 20)], ids=str)
def test_methods_name_the_permutations_that_the_tests_used(sizes):
    """p is a multiple of 1 / (B + 1) for B random permutations, of 2 / 2^n for all of n units."""
    comparison = analyse(graded_of(*sizes))
    (planned,) = comparison.tests_of_pairs
    (test,) = comparison.tests.values()
    paragraph = methods_paragraph(comparison)
    if test.method.exact:
        assert planned.permutations == Permutations(listed=True, drawn=())
        assert (test.pvalue * 2 ** (sizes[-1] - 1)).is_integer()
        assert "(all permutations, two-sided" in paragraph
    else:
        (drawn,) = planned.permutations.drawn
        assert test.pvalue * (drawn + 1) == pytest.approx(round(test.pvalue * (drawn + 1)))
        assert f"({drawn:,} random permutations, seed 0, two-sided" in paragraph
    assert test.method.exact == (sizes[-1] <= MAX_ALL_SWAPS)


def test_other_tests_name_no_permutations():
    scores = np.random.default_rng(3).random((40, 3))
    rows = [(i % 2, of_models) for i, of_models in enumerate(scores)]
    for measure in ("auc", "error"):
        comparison = analyse(scores_of(rows), Settings(measure=measure))
        assert [planned.permutations for planned in comparison.tests_of_pairs] == [None]
        assert "permutations" not in methods_paragraph(comparison)


# -- on benchmarks -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in KINDS if name.startswith("benchmarks")])
def test_each_test_on_benchmarks_is_planned_and_named(name):
    comparison = case(name)[0]
    paragraph, steps = methods_paragraph(comparison), describe_steps(comparison)
    pairs, *additional = comparison.plan

    assert comparison.test_name == pairs.description
    assert advice_on(comparison).test == chain_of(comparison).test == pairs.description
    assert pairs.name_of_one in paragraph
    assert pairs.reason is Reason.FEW_BENCHMARKS
    assert {planned.population for planned in comparison.plan} == {"benchmarks"}
    assert [planned.role for planned in additional] == [Role.ADDITIONAL, Role.ADDITIONAL]
    for planned in additional:
        assert planned.name in steps[2].test
        assert planned.name.replace("Welch's", "Welch") in paragraph


# -- several measures, wins and published results ----------------------------------------------

OF_VECTORS = {
    "several on measures": ["manova", "hotelling_paired", "anova"],
    "pair on measures": ["hotelling_paired", "conservative_t"],
    "wins": ["manova", "hotelling_paired", "paired_t", "set_wins"],
    "wins of two": ["hotelling_paired", "corrected_t", "set_wins"],
    "thresholds": ["manova", "hotelling_paired", "corrected_t", "sign_test", "set_wins"],
    "thresholds of two": ["hotelling_paired", "corrected_t", "sign_test", "set_wins"],
    "published wins": ["set_wins"],
    "published wins of two": ["set_wins"],
}
IN_METHODS = {"manova": "multivariate analysis of variance", "set_wins": "sign test"}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_each_test_of_vectors_and_wins_is_planned_and_named(name):
    comparison = case(name)[0]
    paragraph, steps = (
        methods_paragraph(comparison),
        [step.test for step in describe_steps(comparison)],
    )

    assert [planned.card for planned in comparison.plan] == OF_VECTORS[name]
    for planned in comparison.plan:
        assert any(planned.description in step for step in steps)
        words = IN_METHODS.get(planned.card, planned.name_of_one.split(" of ")[0])
        assert words.removeprefix("right-tailed ").split(" across")[0] in paragraph
    decides = comparison.tests_of_design.pairwise.description
    assert comparison.test_name == decides.replace(" over data sets", "")
    if comparison.settings.correction in ("holm", "bergmann_hommel"):
        assert advice_on(comparison).test == chain_of(comparison).test


@pytest.mark.parametrize("overlap", ["corrected", "ignored"])
@pytest.mark.parametrize("pair", [(), ("Random forest", "Decision tree")])
def test_the_correction_for_overlap_of_vectors_is_named_where_it_is_used(overlap, pair):
    settings = Settings(dataset="pima", measures=("fpr", "tpr"), overlap=overlap, pair=pair)
    comparison = analyse(read("twoclass_counts.csv"), settings)
    steps = chain_of(comparison).test
    assert ("corrected for overlap" in steps) == (overlap == "corrected")
    assert ("Because training sets" in methods_paragraph(comparison)) == (overlap == "corrected")
    assert "corrected for overlap" in advice_on(comparison).test  # recommended, whatever is used


@pytest.mark.parametrize("name", ["untested", "one algorithm", "published decisions"])
def test_without_a_test_nothing_is_planned(name):
    assert case(name)[0].plan == ()
    assert case(name)[0].tests_of_design.omnibus is None
