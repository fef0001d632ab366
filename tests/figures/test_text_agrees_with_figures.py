"""Tests that the texts of a comparison agree with its numbers.

In every text of every kind of comparison, numbers must be computed ones, ranges those of the values
named, and effects and tests those of the comparison.
"""

import ast
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import decide
from stats_core.core.formatting import MINUS, format_number
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.report.effect_text import estimate_label
from stats_core.report.latex_characters import keep_characters
from stats_core.report.methods_text import methods_pieces
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.verdict import verdict
from tests.figures.text_facts import (
    EFFECTS,
    card_of,
    everything,
    methods_of,
    named_effects,
    named_tests,
    unknown_numbers,
)
from tests.report.report_cases import KINDS, case
from tests.report.test_report_words import small_analyses

ROOT = Path(__file__).parents[2]
NUMBER = rf"{MINUS}?\d[\d,]*(?:\.\d+)?"
PRONOUNS = re.compile(r"\b[Tt]he (other|first|second|one|two|former|latter)\b(?! (of|hundred))")


@cache
def all_of(kind):
    """Return a comparison of a kind, its order by cost or None, and all its texts."""
    c, order = case(kind)
    return c, order, everything(c, order)


@pytest.fixture(params=KINDS)
def told(request):
    return all_of(request.param)


def names_of(c):
    """Return all names in a comparison, which may contain digits."""
    found = c.results
    return (*found.algorithms, *found.datasets, *found.measures, *found.costs, found.design_label)


def value(written):
    return float(written.replace(MINUS, "-").replace(",", ""))


def test_every_number_that_is_said_was_computed(told):
    c, _, texts = told
    lost = {one.where: unknown_numbers(one, names_of(c)) for one in texts}

    assert {where: numbers for where, numbers in lost.items() if numbers} == {}


def test_a_range_is_the_range_of_all(told):
    """A phrase such as "from A (x) to B (y)" gives the best and the worst of all algorithms."""
    c, _, texts = told
    for one in texts[:2]:
        check_range(c, one.text)


def check_range(c, text):
    """Assert that ranges, and values in parentheses next to a name, are those of the algorithms named."""
    by = c.ordered_by
    if by is None:
        return
    names = "|".join(map(re.escape, sorted(c.results.algorithms, key=len, reverse=True)))
    pattern = rf"(?:from|to|ranks?|and) ({NUMBER}) \(({names})\) to ({NUMBER}) \(({names})\)"
    for low, best, high, worst in re.findall(pattern, text):
        ordered = by.values.dropna().sort_values(kind="stable")
        assert (best, worst) == (ordered.index[0], ordered.index[-1])
        ends = (
            format_number(ordered.iloc[0], by.digits),
            format_number(ordered.iloc[-1], by.digits),
        )
        assert (low, high) == ends
    assert text.count(" ranged from ") <= len(re.findall(pattern, text))
    for name, written in re.findall(rf"(?<![\w-])({names}) \(({NUMBER})[;)]", text):
        assert written == by.of(name), text


def test_an_effect_is_named_as_it_was_estimated(told):
    """All texts of a figure name the same effect, and other texts that of the comparison."""
    c, _, texts = told
    own = named_effects(f"{estimate_label(c)} ") if estimate_label(c) else set()
    figures = {}
    for one in texts:
        figure, _, part = one.where.partition(": ")
        named = named_effects(one.text)
        if not part:
            assert named <= own | {"Mahalanobis distance"} or one.where.startswith("table"), one
        elif figure.startswith(("pairs", "from_best", "intervals")) and part != "title":
            figures.setdefault(figure, []).append(named)
    for figure, named in figures.items():
        said = [one for one in named if one]
        if (
            not own and not said
        ):  # differences in error or accuracy, whose name is that of no statistic
            continue
        assert said, figure
        assert all(one == said[0] for one in said), (figure, said)
        assert len(said[0]) == 1
        if said[0] != own:
            assert figure.startswith("pairs")
            assert said[0] <= {"difference in average rank", "Mahalanobis distance"}


def test_a_test_is_named_where_it_decides(told):
    """Card, sentence and figures name only tests of the comparison."""
    c, order, texts = told
    first = c.first_test.name if c.first_test else ""
    own = named_tests(f"{c.test_name}, {first}")
    allowed = own | named_tests(c.table().to_string() if len(c.order) == 2 else "")
    if c.kind in (
        "wins",
        "pair on measures",
        "measures",
    ):  # the tests on each data set, or one measure
        allowed |= named_tests(methods_of(c)) | {"MANOVA", "Hotelling"}
    notes = " ".join(note.said() if hasattr(note, "said") else str(note) for note in c.notes)
    for one in texts:
        figure = one.where.partition(": ")[0]
        if figure.startswith(("table", "order", "cost_plane", "paths", "qq", "sweep")):
            continue  # orders have tests of their own, see test_orders
        more = named_tests(notes) if one.where == "sentence" else set()
        assert named_tests(one.text) <= allowed | more, (one, own)
    decisive = own - {"Iman-Davenport"} if "Skillings" in first else own
    assert decisive <= named_tests(methods_of(c, order)) | {"cases and trainings"} or not len(
        c.pairs.decisions
    )


def test_p_values_are_called_adjusted_where_they_are(told):
    c, _, texts = told
    wrong = "unadjusted p" if c.guarantee.adjusted else r"(?<!un)(?<!-)adjusted p"
    for one in texts:
        if (
            c.guarantee.comparisons > 1
            and one.where in ("sentence", "card")
            or "pairs" in one.where
        ):
            assert not re.search(rf"(?<!smallest ){wrong}\b(?! from)", one.text), one


def test_alternative_texts_name_algorithms_and_promise_no_table(told):
    _, _, texts = told
    for one in texts:
        if one.where.endswith(": alt"):
            assert not PRONOUNS.search(one.text), one.text
            assert not re.search(
                r"(?<!of the )\btable\b(?! of| for)|\bbelow\b|\babove\b",
                one.text.lower().replace("wins table", ""),
            ), one
            assert len(one.text) <= 300
            assert not re.search(r"(?<![\w.])-\d", one.text), one.text
        if one.where.endswith((": caption", ": title")):
            assert "table below" not in one.text.lower()


def own_numbers(name, data):
    """Return the numbers of an algorithm in a table: its rows, their mean, and its column's mean and range."""
    found = []
    if name in data.columns and data[name].dtype.kind in "fi":
        found += [data[name].mean(), data[name].min(), data[name].max()]
    for level in range(data.index.nlevels):
        rows = data[data.index.get_level_values(level) == name].select_dtypes("number")
        found += [*rows.to_numpy(dtype=float).ravel(), *rows.mean()]
    return np.array(found)


def test_a_number_beside_a_name_is_of_this_algorithm(told):
    """Alternative texts contain phrases such as "svm 0.21", "svm mean 0.21, range 0.1 to 0.3" or "best svm 1.5"."""
    c, _, texts = told
    names = "|".join(map(re.escape, sorted(c.results.algorithms, key=len, reverse=True)))
    number_of = rf"(?<![\w{MINUS}] )(?<![\w-])({names}) (?:mean )?({NUMBER})(?!\d| ?%|\w)"
    for one in texts:
        if not one.where.endswith(": alt") or one.where.startswith(("paths", "wins", "sweep")):
            continue
        for name, written in re.findall(number_of, one.text):
            if "." in written:
                half = 0.5000001 * 10.0 ** -len(written.partition(".")[2])
                assert (abs(own_numbers(name, one.data) - value(written)) <= half).any(), one
        for best, worst in re.findall(
            rf"[Bb]est (?:average \w+ )?({names}) .*?, worst ({names}) ", one.text
        ):
            means = (
                one.data.mean()
                if best in one.data
                else one.data.select_dtypes("number").iloc[:, -1]
            )
            ends = {means.idxmin(), means.idxmax()}
            assert {means[best], means[worst]} == {means[end] for end in ends}, one


def test_differences_have_the_sign_of_their_names(told):
    """A difference written as "a - b 0.03" is the estimate of the pair in this order."""
    c, _, texts = told
    if not estimate_label(c) or not len(c.pairs):
        return
    pairs = c.pairs.frame.set_index(["first", "second"])["estimate"]
    known = {**pairs.to_dict(), **{(b, a): -x for (a, b), x in pairs.items()}}
    names = "|".join(map(re.escape, sorted(c.results.algorithms, key=len, reverse=True)))
    seen = 0
    for one in texts:
        if "difference" in one.where or one.where.startswith(("table", "qq")):
            continue
        for a, b, written in re.findall(
            rf"({names}) {MINUS} ({names}):? ({NUMBER})(?![\d%])", one.text
        ):
            places = len(written.partition(".")[2])
            assert abs(value(written) - known[a, b]) <= 0.5000001 * 10.0**-places, one
            seen += 1
    assert seen or c.ordered_by is None or not decide(c).size


def test_counts_are_those_of_the_numbers(told):
    c, _, texts = told
    pairs = c.pairs.decisions
    separated = int(pairs["separated"].astype(bool).sum()) if len(pairs) else 0
    for one in texts:
        if one.where.startswith(("order", "ordering", "table", "cost", "paths")):
            continue
        for some, of in re.findall(r"([\d,]+) of ([\d,]+) pairs? differ", one.text):
            assert (value(some), value(of)) == (separated, len(pairs)), one
        for some, of in re.findall(r"(\d+) of (\d+) intervals excludes? zero", one.text):
            assert (int(some), int(of)) == clear_of_zero(one.data), one
        for verb in re.findall(r"The interval (excludes|includes) zero", one.text):
            if len(one.data) == 1:  # not the mean of the differences on several folds
                assert (int(verb == "excludes"), 1) == clear_of_zero(one.data), one


def clear_of_zero(table):
    """Return how many intervals of a table exclude zero, and how many there are."""
    ends = table[["low", "high"]].dropna()
    return int(((ends["low"] > 0) | (ends["high"] < 0)).sum()), len(ends)


@hypothesis_settings(max_examples=12)
@given(small_analyses())
def test_sentences_agree_with_the_numbers_whatever_the_results(made):
    c, _ = made
    for text in (card_of(c), paper_sentence(c)):
        check_range(c, text)
        for some, of in re.findall(r"([\d,]+) of ([\d,]+) pairs? differ", text):
            assert value(of) == len(c.pairs)
            assert value(some) == c.pairs.decisions["separated"].astype(bool).sum()


def noise(rng, spread):
    """Return random results of five algorithms on twelve data sets, with differences proportional to `spread`."""
    shift = np.array([0, 0, 1, 2, 3]) * spread
    rows = [(f"d{d}", f"a{a}", shift[a] + rng.normal()) for d in range(12) for a in range(5)]
    return Results.from_frame(pd.DataFrame(rows, columns=["dataset", "algorithm", "error"]))


def test_every_claim_of_several_algorithms_has_a_true_sentence():
    """Random results have different spreads, so that every claim about data sets occurs."""
    seen = {}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        settings = Settings(
            source=("ranks", "wilcoxon")[seed % 2], correction=("", "none")[seed % 3 == 0]
        )
        c = analyse(noise(rng, (0, 0.4, 0.8, 1.5, 4)[seed % 5]), settings)
        seen.setdefault(decide(c).claim, []).append(c)
    assert set(seen) >= {"best", "few", "nothing", "leads", "pairs only"}
    for claim, found in seen.items():
        for c in found[:3]:
            text = paper_sentence(c)
            check_range(c, text)
            assert " significant" in text, claim
            assert not re.search(r"\bit\b", text.split("Average ranks")[0].split("Another")[0]), (
                text
            )


STATIC = {  # a constant that names a test -> why it is always true
    "HOW_WINS": "wins are compared by the sign test only",
    "HOW_GRAPH": "an arrow is a decision of the sign test",
    "HOW_SWEEP": "a mark is a decision of the multivariate test",
}


@pytest.mark.parametrize("room", ["foldwise/figures", "foldwise/web", "pages"])
def test_constant_words_name_no_test_and_no_effect(room):
    """A constant heading or explanation cannot depend on the chosen test."""
    found = []
    for path in sorted((ROOT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                    constant = "HOW" in name and name not in STATIC
                case ast.Constant(value=str(text)) if text.startswith("#"):
                    name, constant = text, True
                case _:
                    continue
            if constant and (named_tests(text) or named_effects(text) & set(EFFECTS[:6])):
                found.append((path.name, name))
    assert found == []


def test_nothing_that_is_said_is_lost_in_latex(told):
    c, order, texts = told
    for said in [*(one.text for one in texts), methods_of(c, order)]:
        assert "…" not in keep_characters(said.replace("…", "")), said


def test_methods_say_what_was_done_and_read_without_their_citations(told):
    """Numeric citations are printed as "[12]", so no sentence may end with a word that needs the author."""
    c, order, _ = told
    for piece in methods_pieces(c, order):
        if piece.keys:
            assert not re.search(r"\b(after|as|by|from|in|of|see|to|with)$", piece.text), piece
    assert not re.search(r"Planning|would be found|can easily be missed", methods_of(c, order))


def test_a_headline_against_a_control_repeats_its_name():
    """A pronoun could be understood as the last algorithm named."""
    for kind in ("control", "control by Li"):
        c, _ = case(kind)
        headline = verdict(c).headline
        assert not re.search(r"\b(it|them|these)\b", headline)
        assert headline.count(c.control) == headline.count(".") - headline.count("C4.5")


def test_no_line_about_foldwise_claims_to_know_what_is_real():
    """A test shows whether a difference is significant, not whether it is real."""
    lines = [
        line
        for name in ("README.md", "app.py", "pyproject.toml", "CITATION.cff")
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines()[:20]
    ]
    assert not [line for line in lines if re.search(r"\b(real|honest|true) ?(diff|comp|\?)", line)]
