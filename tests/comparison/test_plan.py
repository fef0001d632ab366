"""The plan of a comparison on folds is what notes, analysis steps and the methods paragraph describe."""

from functools import cache

import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.plan import Reason, Role
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.methods import PAIR_TESTS, Assumption, Scale, Unit
from stats_core.io.read import read_results
from stats_core.report.analysis_steps import describe_steps
from stats_core.report.methods_text import methods_paragraph
from tests.conftest import REFERENCE

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
    planned = comparison.pairwise_test

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
    planned = comparison.omnibus_test

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
