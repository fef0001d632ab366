"""Outputs of a comparison agree about pairs, directions, numbers, tests and units, for drawn results and settings."""

import json
import re
from dataclasses import replace
from html import unescape
from itertools import combinations

import numpy as np
import pytest

from foldwise.api import ComparisonDisplay
from foldwise.figures import theme
from foldwise.figures.cd_diagram import CDDiagram
from foldwise.figures.differences import PairDifferences
from foldwise.figures.pair_matrix import PairMatrix
from foldwise.figures.registry import drawings
from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.decide import decide
from stats_core.comparison.kinds import KINDS
from stats_core.comparison.plan import Role
from stats_core.core.errors import SettingError
from stats_core.core.formatting import p_phrase, p_text
from stats_core.data.settings import SOURCES, TUKEY
from stats_core.inference.methods import PAIR_TESTS, Unit
from stats_core.inference.multiplicity.adjust import CORRECTIONS, corrections_for
from stats_core.report.analysis_steps import chain_of
from stats_core.report.gate import (
    BASELINE,
    FAIL_IF,
    FAILED,
    GATE_FORMATS,
    NEW,
    PASSED,
    UNDECIDED,
    check_difference,
)
from stats_core.report.html_report import table_to_html, to_html
from stats_core.report.latex_characters import latex_prose
from stats_core.report.latex_report import to_latex
from stats_core.report.latex_table import table_to_latex
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.reproduce import to_json
from stats_core.report.tables.table_registry import main_table
from stats_core.report.text_report import to_text
from stats_core.report.verdict import verdict
from tests.comparison import printed_claims as claims
from tests.comparison.drawn_comparisons import DRAWN, drawn_comparison
from tests.comparison.test_small_designs import MODELS, SHAPES, compared, table

ON_RESULTS = [key for key, method in PAIR_TESTS.items() if method.unit is Unit.RESULT]
SEEDS = range(6)
# unit of the plan -> beginnings of the nouns by which texts count it
NOUNS = {
    Unit.DATA_SET: ("data set", "shared data set"),
    Unit.RESULT: ("fold", "run", "bootstrap sample"),
    Unit.INSTANCE: ("instance",),
    Unit.INSTANCE_AND_RUN: ("instance",),
    Unit.CLUSTER: ("cluster",),
    Unit.CLUSTER_AND_RUN: ("cluster",),
}


def differing(c):
    """Return the pairs that differ, by `Comparison.pairs`."""
    pairs = c.pairs.frame
    rows = pairs.loc[pairs["separated"].astype(bool), ["first", "second"]]
    return {frozenset(pair) for pair in rows.to_numpy()}


def check_pairs(c):
    """Check that pairs, matrix, groups, directions and decision agree."""
    alpha, differ = c.settings.alpha, differing(c)
    for row in c.pairs.frame.to_dict("records"):
        first, second = row["first"], row["second"]
        beats = c.beats.loc[first, second], c.beats.loc[second, first]
        if not c.shape.decided_elsewhere:
            assert row["separated"] == (row["p adjusted"] <= alpha)
            assert c.adjusted_pvalues.loc[first, second] == pytest.approx(row["p adjusted"])
        if row["separated"] and row["estimate"] and not c.shape.several_measures:
            assert sum(beats) == 1 or np.isnan(row["estimate"])
        if not row["separated"]:
            assert not any(beats)
        if not np.isnan(row["low"]):
            assert (row["low"] > 0 or row["high"] < 0) == row["separated"]
    if c.groups:
        apart = {
            frozenset(pair)
            for pair in combinations(c.order, 2)
            if not any({*pair} <= {*group} for group in c.groups)
        }
        assert apart == differ
    if not c.obstacle:
        decision = decide(c)
        assert {frozenset(pair) for pair in decision.apart} == differ
        directed = {pair for pair in decision.apart if c.beats.loc[pair]}
        assert directed == {(a, b) for a in c.order for b in c.order if c.beats.loc[a, b]}


def check_names(c):
    """Check that the planned tests are those named by steps, caption and methods paragraph."""
    paragraph = methods_paragraph(c)
    if c.obstacle:
        assert c.plan == ()
        if len(c.results.algorithms) > 1:
            assert chain_of(c).test.startswith("no test")
        return
    planned = [test for test in c.plan if test.decides]
    if not c.shape.decided_elsewhere:
        assert planned[-1].role is Role.PAIRWISE
        assert {test.population for test in planned if test.role is not Role.WIN} == {c.scope}
        steps = [step.test for step in chain_of(c).steps if step.advised]
        assert len(steps) == len(planned)
        assert all(test.name in step for test, step in zip(planned, steps, strict=True))
        assert c.tested_units.noun.startswith(NOUNS[planned[-1].unit])
    for test in planned:
        of_card = method_card(test.card).phrase.partition(" in the form")[0]
        of_test = test.name_of_one.partition(" over ")[0].removeprefix("two-sided ")
        assert of_card in paragraph or of_test in paragraph
    captions = [shown.caption for shown in main_table(c)]
    naming = [caption for caption in captions if re.search(r"\bTests?: ", caption)]
    assert all(c.test_name in caption for caption in naming)


def check_json(c):
    """Check that the JSON has the pairs, groups, plan and decision of the comparison."""
    document = json.loads(to_json(c))
    found, decision = document["analysis"], decide(c)
    for written, row in zip(found["pairs"], c.pairs.frame.to_dict("records"), strict=True):
        for key in ("first", "second", "estimate", "p adjusted", "separated"):
            is_missing = isinstance(row[key], float) and np.isnan(row[key])
            assert written[key] == (None if is_missing else row[key])
    assert [tuple(group) for group in found["groups"]] == list(c.groups)
    assert [test["test"] for test in found["plan"]] == [test.description for test in c.plan]
    assert [test["unit"] for test in found["plan"]] == [test.unit.value for test in c.plan]
    rejected = [failed["check"] for test in found["plan"] for failed in test["failed"]]
    assert all(method_card(card).papers for card in rejected if card is not None)
    assert [tuple(pair) for pair in found["decision"]["apart"]] == list(decision.apart)
    assert found["decision"]["badge"] == document["verdict"]["badge"] == decision.badge


def check_sentences(c, text):
    """Check what sentences claim on pairs, and the numbers and levels that they print."""
    order, differ, alpha = list(c.order), differing(c), c.settings.alpha
    better = claims.better_pairs(text, order)
    assert all(c.beats.loc[pair] for pair in better), better
    assert claims.different_pairs(text, order) <= differ
    together = c.shape.several_measures  # the algorithms may not differ in one of the measures
    assert together or not claims.same_pairs(text, order) & differ, text
    if claims.NONE.search(text):
        assert not differ
    for n, of in claims.COUNT.findall(text):
        assert (int(n), int(of)) == (len(differ), len(c.pairs))
    for effect in claims.effects(text):
        check_effect(c, effect)
    check_regions(c, text)
    of_data = re.sub(r"In simulations .* at α = 0\.05\.", "", text)
    assert {float(level) for level in re.findall(r"α = (\d\.\d+)", of_data)} <= {alpha}
    levels = {1 - alpha} | (
        {1 - 2 * alpha} if c.equivalence.results else set()
    )  # of two one-sided tests
    printed = {f"{100 * level:.4g}" for level in levels}
    assert {level for level in re.findall(r"([\d.]+)% CI", text)} <= printed


def check_effect(c, effect):
    """Check that a printed difference is that of `Comparison.sized`."""
    row = c.pairs.of(effect.first, effect.second)
    is_turned = row["first"] != effect.first
    sign = -1 if is_turned else 1
    low, high = (-row["high"], -row["low"]) if is_turned else (row["low"], row["high"])
    assert claims.is_printed(sign * row["estimate"], effect.estimate), (effect, dict(row))
    if effect.low is not None and effect.high is not None:
        assert claims.is_printed(low, effect.low), (effect, dict(row))
        assert claims.is_printed(high, effect.high), (effect, dict(row))
    if effect.p is not None:
        assert claims.is_printed_p(row["p adjusted"], effect.sign, effect.p), (effect, dict(row))


def check_regions(c, text):
    """Check that sentences on the equivalence margin repeat `Comparison.regions`."""
    rows = c.pairs.frame
    results = {
        (row["first"], row["second"]): region
        for row, region in zip(rows.to_dict("records"), c.equivalence.results, strict=False)
    }
    turned = {"better": "worse", "worse": "better"}
    results |= {(b, a): turned.get(region, region) for (a, b), region in results.items()}
    assert all(results[pair] == "better" for pair in claims.MORE.findall(text))
    assert all(results[pair] == "equivalent" for pair in claims.EQUIVALENT.findall(text))
    assert all(results[pair] == "not known" for pair in claims.UNKNOWN.findall(text))


def check_texts(c, results):
    """Check sentences and groups of the verdict, the paper, the printed object and the reports."""
    words, latex_name = verdict(c), latex_prose(c.test_name)
    shown = ComparisonDisplay(comparison=c, results=results, settings=c.settings)
    page, article = unescape(to_html(c)), to_latex(c).results
    for text in (
        *(words.headline, words.full, words.detail, paper_sentence(c), repr(shown), to_text(c)),
        methods_paragraph(c),
    ):
        check_sentences(c, text)
    assert words.headline in page
    for group in c.groups:
        assert c.obstacle or f"{{{', '.join(group)}}}" in repr(shown)
    if not c.obstacle and not c.shape.decided_elsewhere:
        assert c.test_name.casefold() in repr(shown).casefold()
        assert c.test_name in page
        assert latex_name in article
    if c.groups:
        letters = shown.to_frame()["groups"]
        for a, b in combinations(c.order, 2):
            together = any({a, b} <= {*group} for group in c.groups)
            assert bool({*letters[a]} & {*letters[b]}) == together


def check_tables(c):
    """Check that the main table prints p and decision of each pair, in HTML and LaTeX, too."""
    rows, alpha = c.pairs.frame, c.settings.alpha
    for shown in main_table(c):
        shown = shown.filled()
        if shown.name not in ("pairs", "comparisons") or c.shape.decided_elsewhere:
            continue
        assert len(shown.frame) == len(rows)
        p_column = next(name for name in shown.texts if name in ("adjusted p", "p"))
        latex, page = table_to_latex(shown).splitlines(), table_to_html(shown)
        for label, cells in shown.texts.iterrows():
            named = list(cells[list(shown.heads)])
            row = c.pairs.of(named[0], named[1] if len(named) > 1 else c.settings.control)
            bold = p_column in shown.best.get(label, ((), ()))[0]
            assert bold == bool(row["separated"])
            printed = p_text(row["p adjusted"], alpha)
            assert cells[p_column].replace(" ", "") == printed
            line = next(one for one in latex if one.startswith(" & ".join(named)))
            assert (r"\textbf{" in line) == bold
        assert page.count("<b>") == latex_bold(latex) == int(rows["separated"].sum())


def latex_bold(lines):
    """Return the number of bold cells."""
    return sum(line.count(r"\textbf{") for line in lines)


def check_figures(c, results):
    """Check that figures name the test of the comparison, and show its pairs, groups and level."""
    for drawing in drawings(c, results=results):
        if drawing.tested:
            assert c.test_name in drawing.tested
            assert f"α = {c.settings.alpha:g}" in drawing.tested
        match drawing:
            case PairMatrix():
                for (first, second), row in drawing.data.iterrows():
                    own = c.pairs.of(first, second)
                    assert row["p adjusted"] == own["p adjusted"]
                    assert row["separated"] == own["separated"]
                    assert drawing.pvalues.loc[first, second] == pytest.approx(own["p adjusted"])
            case PairDifferences():
                for name, row in drawing.data.iterrows():
                    check_row(c, drawing._pair(name), row)
            case CDDiagram():
                drawn = {group for group in drawing.groups if len(group) > 1}
                assert drawn == {group for group in c.groups if len(group) > 1}
            case _:
                pass
        check_sentences(c, drawing.caption(theme.paper()))


def check_row(c, pair, row):
    """Check a row of a figure of differences."""
    own = c.pairs.of(*pair)
    sign = 1 if own["first"] == pair[0] else -1
    low, high = (own["low"], own["high"]) if sign > 0 else (-own["high"], -own["low"])
    expected = [sign * own["estimate"], low, high]
    drawn = row[["difference", "low", "high"]].to_numpy(dtype=float)
    assert drawn == pytest.approx(expected, nan_ok=True)
    assert bool(row["differs"]) == bool(own["separated"])


def check_outputs(c, results):
    """Check that all outputs of a comparison agree."""
    check_pairs(c)
    check_names(c)
    check_json(c)
    check_texts(c, results)
    check_tables(c)
    check_figures(c, results)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", DRAWN)
def test_outputs_of_a_drawn_comparison_agree(kind, seed):
    check_outputs(*drawn_comparison(kind, seed))


@pytest.mark.parametrize("test", [TUKEY, *ON_RESULTS])
def test_outputs_agree_for_every_test_on_folds(test):
    check_outputs(*drawn_comparison("folds", 3, test=test))


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("source", SOURCES)
def test_outputs_agree_for_every_test_over_data_sets(source, correction):
    if correction in corrections_for(source):
        check_outputs(*drawn_comparison("ranks", 3, source=source, correction=correction))


@pytest.mark.parametrize("outcome", ["tied", "random", "same", "right"])
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_on_few_instances_agree(shape, outcome):
    models = {model: f"a{place}" for place, model in enumerate(MODELS)}
    shown = compared(table(shape, outcome).replace({"model": models}))
    if shown is not None:
        check_outputs(shown.comparison, shown.results)


def test_every_kind_is_drawn():
    assert {drawn_comparison(kind, 0)[0].kind for kind in DRAWN} == set(KINDS)


# -- the gate ----------------------------------------------------------------------------------

MARGINS = (0.0, 0.01, 0.05)


def pair_of(kind, seed):
    """Return the comparison of two drawn algorithms, and the same results of a new model and its baseline."""
    c, results = drawn_comparison(kind, seed)
    pair = tuple(c.results.algorithms[:2])
    # the correction and the source of several algorithms do not apply to one pair
    settings = replace(c.settings, control="", correction="", source="", margin=None, pair=pair)
    renamed = results.rename(algorithms=dict(zip(pair, (NEW, BASELINE), strict=True)))
    return analyse(results, settings), renamed, replace(settings, pair=(NEW, BASELINE))


def outcome_of(c, margin):
    """Return what a comparison shows of the first model against the margin, as the gate names it."""
    first, second = c.settings.pair
    if margin == 0:
        return {(True, False): "better", (False, True): "worse"}.get(
            (bool(c.beats.loc[first, second]), bool(c.beats.loc[second, first])), "not known"
        )
    (result,) = c.equivalence.results_at(margin) or ("not known",)
    is_turned = c.pairs.frame["first"].iloc[0] != first
    turned = {"better": "worse", "worse": "better"}
    return turned.get(result, result) if is_turned else result


def check_gate(c, gate):
    """Check that a gate repeats the comparison of its two models."""
    first, _ = c.settings.pair
    (row,) = c.pairs.frame.to_dict("records")
    sign = 1 if row["first"] == first else -1
    ends = (row["low"], row["high"]) if sign > 0 else (-row["high"], -row["low"])
    if not np.isnan(row["estimate"]):
        assert gate.estimate == sign * row["estimate"]
    assert (gate.low, gate.high, gate.pvalue) == pytest.approx(
        (*ends, row["p adjusted"]), nan_ok=True
    )
    shown = outcome_of(c, gate.margin)
    if gate.outcome != "identical":
        assert gate.outcome == shown or (shown, gate.outcome) == ("not known", "non-inferior")
    expected = {
        "worse": {"better": PASSED, "worse": FAILED, "equivalent": PASSED},
        "not better": {"better": PASSED, "worse": FAILED, "equivalent": FAILED},
        "not equivalent": {"better": FAILED, "worse": FAILED, "equivalent": PASSED},
        "inferior": {"better": PASSED, "worse": FAILED, "equivalent": PASSED},
    }[gate.fail_if].get(shown)
    assert expected in (None, gate.decision)
    if gate.decision == UNDECIDED:
        assert shown == "not known"
        assert c.obstacle or not differing(c) or gate.margin or not c.beats.to_numpy().any()
    assert bool(gate) == (gate.decision == PASSED)
    texts = {name: write(gate) for name, write in GATE_FORMATS.items()}
    document = json.loads(texts.pop("json"))
    assert (document["decision"], document["outcome"]) == (gate.decision, gate.outcome)
    assert document["pvalue"] == (None if np.isnan(gate.pvalue) else gate.pvalue)
    for name, text in texts.items():
        if not np.isnan(gate.pvalue) and (name, gate.decision) != ("junit", PASSED):
            assert p_phrase(gate.pvalue, c.settings.alpha) in unescape(text)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", sorted(set(DRAWN) - {"published ranks", "untested"}))
def test_the_gate_repeats_the_comparison_of_its_models(kind, seed):
    c, results, settings = pair_of(kind, seed)
    gated = analyse(results, settings)
    for fail_if in FAIL_IF:
        for margin in MARGINS:
            if c.equivalence.ends is None and len(c.pairs) and (margin or fail_if == "inferior"):
                with pytest.raises(SettingError, match="provides none"):
                    check_difference(gated, fail_if=fail_if, margin=margin)
            else:
                check_gate(c, check_difference(gated, fail_if=fail_if, margin=margin))
