"""Tests of displayed differences: open ends, identical pairs, many ties, and ranks that disagree with means."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from stats_core import Results, Settings, analyse, to_html, to_json, to_latex, to_text, verdict
from stats_core.comparison.decide import Decision
from stats_core.core.formatting import ABOVE_ZERO
from stats_core.report.effect_text import describe_effect
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.tables.table_registry import tables_of

EVENLY = np.linspace(0.7, 0.9, 15)
RNG = np.random.default_rng(28)


def results(columns, noun="dataset", measure="accuracy"):
    """Return results with one value per algorithm and data set, or per fold of one data set."""
    table = pd.DataFrame(columns).rename_axis(noun).reset_index()
    table[noun] = [f"d{i}" if noun == "dataset" else i for i in table[noun]]
    long = table.melt(noun, var_name="algorithm", value_name=measure)
    return Results.from_frame(long, directions={measure: "higher"})


def everything_said(comparison):
    """Return all texts on a comparison: verdict, text, HTML, LaTeX and table cells."""
    tables = tables_of(comparison)
    cells = [table.formats[name](value) for table in tables for name in table.frame
             if name in table.formats for value in table.frame[name].dropna()]  # fmt: skip
    said = [verdict(comparison).sentences, to_text(comparison), *cells]
    return "\n".join([*said, to_html(comparison), to_latex(comparison).results])


# --- open ends ------------------------------------------------------------------------------------


def rounded():
    """Return results with six wins of b and four ties on ten data sets; Wilcoxon p = 2 / 2^6 with Pratt's ranks."""
    a = np.round(EVENLY[:10], 2)
    return results({"a": a, "b": a + [0, 0, 0, 0, 0.01, 0.01, 0.01, 0.02, 0.02, 0.03]})


def test_an_end_at_zero_that_is_excluded_is_open_in_every_output():
    found = analyse(rounded())
    row = found.pairs.frame.iloc[0]

    assert row["separated"]
    assert row["high"] == -ABOVE_ZERO  # excluded, and nothing between it and zero
    assert "(0, " in verdict(found).size  # of b - a
    (table,) = (one for one in tables_of(found) if "95% CI upper limit" in one.frame)
    assert table.formats["95% CI upper limit"](row["high"]) == "< 0"
    assert json.loads(to_json(found))["analysis"]["pairs"][0]["high"] == -5e-324
    assert not re.search(r"10⁻(¹⁰|⁹|³²⁴)|e-(10|9|324)", everything_said(found))


def test_an_interval_without_a_bound_says_infinity():
    values = np.random.default_rng(1).uniform(0.5, 0.8, (8, 5))
    found = analyse(results(dict(zip("abcde", values.T, strict=True))), Settings(source="wilcoxon"))
    said = everything_said(found)

    assert np.isinf(found.pairs.frame[["low", "high"]]).any(axis=None)
    assert "∞" in said
    assert "infinite" not in said
    assert r"\infty" in to_latex(found).results


# --- identical results ------------------------------------------------------------------------------

SAME = [
    ({"a": EVENLY, "b": EVENLY}, "a and b have"),
    ({"a": EVENLY, "b": EVENLY, "c": EVENLY}, "All 3 algorithms have"),
]


@pytest.mark.parametrize("noun", ["dataset", "fold"])
@pytest.mark.parametrize(("columns", "who"), SAME)
@pytest.mark.parametrize(
    "options", [{}, {"control": "a"}, {"correction": "holm"}, {"test": "Wilcoxon"}]
)
def test_identical_results_have_nothing_to_test(columns, who, noun, options):
    if "control" in options and (noun == "fold" or len(columns) < 3):
        options = {}
    if "test" in options and noun == "dataset":
        options = {"source": "sign"}
    found = analyse(results(columns, noun), Settings(**options))
    where = "on all 15 data sets" if noun == "dataset" else "in all 15 folds"

    assert verdict(found).headline == f"{who} the same accuracy {where}, so no test is possible."
    said = f"{verdict(found).sentences} {to_text(found)}"
    for never in ("not evidence", "p > 0.999", "infinit", "∞", "instead of 0"):
        assert never not in said, said


@pytest.mark.parametrize("noun", ["dataset", "fold"])
def test_an_identical_pair_among_others_is_named(noun):
    other = EVENLY + RNG.normal(0.02, 0.01, 15)
    found = analyse(results({"a": EVENLY, "b": EVENLY, "c": other}, noun))
    where = "on all 15 data sets" if noun == "dataset" else "in all 15 folds"
    note = f"a and b have identical results {where}, so no test is possible."

    assert found.identical in ((("a", "b"),), (("b", "a"),))
    assert note in [str(one) for one in verdict(found).notes]
    table = next(one for one in tables_of(found) if one.name == "pairs").frame.set_index(
        ["algorithm A", "algorithm B"]
    )
    assert sorted(table["identical results"]) == ["", "", "yes"]
    assert found.pairs.of("a", "b")[["low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("noun", "scale", "shift", "test"),
    [("dataset", 1, 1e9, ""), ("fold", 1, 1e9, ""), ("fold", 1e-6, 1e6, "corrected t")],
)
@pytest.mark.parametrize("k", [2, 3])
def test_differences_below_the_tolerance_are_not_passed_over(noun, scale, shift, test, k):
    values = (EVENLY[:, None] + RNG.normal(0, 0.01, (15, k))) * scale + shift
    found = analyse(results(dict(zip("abc", values.T, strict=False)), noun), Settings(test=test))

    assert "the same accuracy except for rounding errors" in verdict(found).headline
    assert "below the tolerance for rounding errors" in verdict(found).sentences


# --- mostly equal -----------------------------------------------------------------------------------


def cases(k):
    """Return columns of 0 and 1, whether each of k algorithms is right on 60 cases; most agree with a."""
    rng = np.random.default_rng(1)
    first = rng.random(60) < 0.77
    columns = {"a": first}
    for name in "bc"[: k - 1]:
        columns[name] = np.where(rng.random(60) < 0.7, first, rng.random(60) < 0.5)
    return {name: column.astype(float) for name, column in columns.items()}


@pytest.mark.parametrize(
    ("k", "options"),
    [(2, {}), (3, {}), (3, {"source": "sign"}), (3, {"source": "ranks"}), (3, {"control": "a"})],
)
def test_no_interval_where_more_than_half_of_the_differences_are_zero(k, options):
    columns = cases(k)
    found = analyse(results(columns), Settings(margin=0.01, **options))
    pairs, said = found.pairs.frame, everything_said(found)

    assert pairs[["low", "high"]].isna().all(axis=None)
    assert set(found.equivalence.results) == {"not known"}
    assert "[0.0000, 0.0000]" not in said
    assert "ruled out" not in said
    if k == 2:
        mean = columns["a"].mean() - columns["b"].mean()
        equal = int((columns["a"] == columns["b"]).sum())
        assert f"Difference in mean accuracy, a − b: {mean:.4f}, " in verdict(found).sentences
        assert f"have the same accuracy on {equal} of 60 data sets" in verdict(found).sentences
    else:
        assert "more than half of the differences in accuracy are zero" in verdict(found).sentences


def test_who_is_better_follows_the_test_where_the_median_is_zero():
    """Sixteen ties and six wins of b: p = 2 / 2^6 with Pratt's ranks, and a median difference of 0."""
    a = np.linspace(0.5, 0.9, 22)
    found = analyse(results({"a": a, "b": a + np.r_[np.zeros(16), np.linspace(0.01, 0.06, 6)]}))

    assert (
        verdict(found).headline == "b is significantly better than a in accuracy over 22 data sets."
    )


# --- rank against mean ------------------------------------------------------------------------------


@pytest.mark.parametrize(("worse", "what"), [(0, ""), (6, "mean"), (14, "difference")])
def test_where_rank_and_difference_disagree_that_is_said(worse, what):
    """a is slightly better on most of 40 data sets, and much worse on `worse` of them."""
    noise = np.random.default_rng(14).normal(0, 0.002, (40, 2))
    b = 0.8 + noise[:, 1]
    a = b + np.where(np.arange(40) >= worse, 0.004, -0.3) + noise[:, 0] / 10
    found = analyse(results({"a": a, "b": b, "c": b - 0.4}))
    size, beside = describe_effect(found, Decision(badge="Decided", claim="best", size=("a", "b")))

    assert found.order[0] == "a"
    assert (found.scores["a"].mean() < found.scores["b"].mean()) == bool(worse)
    assert (found.pairs.of("a", "b")["estimate"] < 0) == (what == "difference")
    assert beside == (
        f"a has the better average rank, but b is better according to the {what}." if what else ""
    )


def test_algorithms_with_the_same_average_rank_are_named_together_and_not_ordered():
    """Of 20 data sets, a is slightly better than b on 10 and much worse on the others; c is between or beside them."""
    order, b = np.arange(20), np.linspace(0.7, 0.9, 20)
    a = b + np.where(order < 10, 0.001, -0.05)
    found = analyse(
        results({"a": a, "b": b, "c": np.where(order % 2, b - 0.06, b + 0.01), "d": b - 0.4})
    )
    _, beside = describe_effect(found, Decision(badge="Decided", claim="best", size=("a", "b")))

    assert found.ordered_by.leaders == ("a", "b", "c")  # average rank 2
    assert found.pairs.of("a", "b")["estimate"] < 0
    assert beside == ""
    assert " a, b and c had the lowest average rank for accuracy (2.00). No two " in paper_sentence(
        found
    )
