"""Tests that every kind of comparison has all required texts."""

import pkgutil
from importlib import import_module

import pytest

from stats_core.comparison import kinds
from stats_core.comparison.decide import OBSTACLES, decide
from stats_core.comparison.kinds import KINDS
from stats_core.comparison.pairs import PAIR_COLUMNS
from stats_core.comparison.result import BOUNDS, SCOPES, Comparison
from stats_core.report import methods_sections, verdict_claims
from stats_core.report.analysis_steps import _steps_of
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.tables.table_registry import tables_of
from stats_core.report.verdict import verdict
from tests.report.report_cases import KINDS as CASES
from tests.report.report_cases import case


def subclasses(cls):
    """Return a class and all classes derived from it."""
    return {cls}.union(*(subclasses(one) for one in cls.__subclasses__()))


def test_every_kind_that_is_written_is_registered_and_lacks_nothing():
    for module in pkgutil.iter_modules(kinds.__path__):
        import_module(f"{kinds.__name__}.{module.name}")
    written = {one for one in subclasses(Comparison) if one.kind}

    assert written == set(KINDS.values())
    assert all(not one.__abstractmethods__ for one in written)


def test_every_kind_has_its_texts():
    missing = [
        one for one in KINDS.values() if _steps_of.dispatch(one) is _steps_of.dispatch(Comparison)
    ]
    assert missing == []
    assert set(KINDS.values()) == set(methods_sections._TESTS) == set(verdict_claims._VALUES)


def test_every_kind_is_reached_by_an_analysis():
    assert {case(name)[0].kind for name in CASES} == set(KINDS)


@pytest.mark.parametrize("name", CASES)
def test_tables_say_what_they_mark_and_can_be_told_apart(name):
    tables = tables_of(case(name)[0])
    names = [table.name for table in tables]

    assert len(set(names)) == len(names)
    for table in tables:
        assert table.caption
        assert table.frame.index.is_unique
        assert set(table.formats) >= {
            column for column in table.frame if table.frame[column].dtype.kind == "f"
        }
        for label, marks in table.best.items():
            assert {column for columns in marks for column in columns} <= set(table.frame)
            assert label in table.frame.index
        if any(table.best.values()):
            assert "bold" in table.caption.lower()


def test_every_claim_and_obstacle_has_words():
    of_every_kind = set(verdict_claims._CLAIMS)

    assert {comparison.shape.claim for comparison, _ in map(case, CASES)} - of_every_kind == {
        "sides"
    }  # written by its kind, ControlComparison
    assert set(OBSTACLES) - of_every_kind == {"test refused"}  # FoldPairComparison


@pytest.mark.parametrize("name", CASES)
def test_a_card_has_45_words_at_most(name):
    said = verdict(case(name)[0])

    text = f"{said.badge} {said.headline} {said.size}"
    for algorithm in sorted(case(name)[0].results.algorithms, key=len, reverse=True):
        text = text.replace(algorithm, "A")  # one word, however many its user gave it
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    assert len(words) <= 45  # signs such as = are no words


@pytest.mark.parametrize("name", [name for name in CASES if "threshold" not in name])
def test_the_facts_are_told_in_the_same_terms(name):
    comparison, _ = case(name)
    said, decision = verdict(comparison), decide(comparison)
    pairs = comparison.pairs.to_frame()

    first, second = comparison.order[:2] if len(comparison.order) > 1 else ("", "")
    has_published = bool(first) and comparison.pairs.published_p(first, second) is not None
    assert list(pairs) == [*PAIR_COLUMNS, "interval", *(["p published"] if has_published else [])]
    assert set(comparison.order) == set(comparison.results.algorithms)
    assert comparison.scope in SCOPES
    assert comparison.guarantee.bounds in BOUNDS
    assert comparison.guarantee.comparisons == len(pairs)
    if comparison.kind == "published decisions":  # whose p-values nobody knows
        assert pairs["p adjusted"].isna().all()
    else:
        assert pairs["p adjusted"].is_monotonic_increasing
        assert (pairs["p"] <= pairs["p adjusted"] + 1e-12).all()
    assert not (comparison.beats & comparison.beats.T).any(axis=None)
    if len(pairs) and pairs["p adjusted"].notna().all():
        assert decision.separated in (0, int(pairs["separated"].sum()))
        separated = pairs["p adjusted"] <= comparison.settings.alpha
        assert (pairs["separated"] == separated).all()
    assert said.badge == decision.badge
    tested = "No test was possible" not in methods_paragraph(comparison)
    assert tested == (comparison.kind != "untested")
    if decision.separated:  # one of the contradictions that were
        assert "not evidence of equivalence" not in said.sentences
