"""Tests of corrected tests with conservative and with published degrees of freedom."""

import json
import re
from functools import cache
from math import isclose

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import SettingError
from stats_core.core.formatting import p_phrase, p_text
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.anova import anova, tukey
from stats_core.inference.bayesian import correlated_t
from stats_core.inference.multivariate.hotelling import hotelling_paired
from stats_core.inference.paired import corrected_t
from stats_core.report.paper_sentence import paper_sentence
from stats_core.report.report_content import report_tables
from stats_core.report.reproduce import to_json, to_script
from stats_core.report.tables.robustness_tables import equivalence_table
from stats_core.report.verdict import among_all, verdict

# repetitions, folds, columns: 10-fold, 5 x 2, 10 x 10, 30 partitions that test a tenth
DESIGNS = {
    "10-fold": (1, 10, {}),
    "5x2": (5, 2, {}),
    "10 x 10": (10, 10, {}),
    "30 hold-outs": (30, 1, {"n_train": 180, "n_test": 20}),
}
MANY = ("10 x 10", "30 hold-outs")
TOGETHER = ("error", "loss")
QUESTIONS = {
    "pair": Settings(measure="error", pair=("a", "b")),
    "several": Settings(measure="error"),
    "several by Tukey": Settings(measure="error", test=TUKEY),
    "pair on measures": Settings(measure="error", measures=TOGETHER, pair=("a", "b")),
    "several on measures": Settings(measure="error", measures=TOGETHER),
}


@cache
def folds(design, algorithms=4):
    """Return normal results on the folds of a design, with differences about as large as their standard errors."""
    repetitions, k, columns = DESIGNS[design]
    rng = np.random.default_rng(11)
    rows = [
        {
            "algorithm": name,
            "repetition": r + 1,
            "fold": f + 1,
            "error": 0.2 + 0.012 * place + rng.normal(0, 0.02),
            "loss": 0.4 + 0.006 * place + rng.normal(0, 0.02),
            **columns,
        }
        for place, name in enumerate("abcdefgh"[:algorithms])
        for r in range(repetitions)
        for f in range(k)
    ]
    return Results.from_frame(
        pd.DataFrame(rows).assign(dataset="made"), directions={"error": "lower", "loss": "lower"}
    )


@cache
def asked(design, question, df="conservative"):
    settings = QUESTIONS[question]
    return analyse(
        folds(design, 2 if settings.pair else 4),
        Settings(**{name: getattr(settings, name) for name in settings.__slots__} | {"df": df}),
    )


def both_by_hand(analysis, first, second):
    """Return p-values of Nadeau and Bengio's t with at most 9 and with J - 1 degrees of freedom, by scipy's t."""
    d = (analysis.matrix[first] - analysis.matrix[second]).to_numpy()
    n, f = len(d), analysis.test_fraction
    t = abs(d.mean()) / np.sqrt((1 / n + f / (1 - f)) * d.var(ddof=1))
    return tuple(2 * stats.t.sf(t, df) for df in (min(9, n - 1), n - 1))


def pairs_of_p(analysis):
    """Return (conservative, published) p-values of all pairs and, if there is one, of the omnibus test."""
    found = analysis.pairs.frame
    rows = found[["p adjusted", "p published"]].itertuples(index=False, name=None)
    first = analysis.first_test
    more = [] if first is None else [(first.outcome.pvalue, first.published)]
    return [*rows, *more]


def floats(value):
    """Yield every float in a JSON document."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from floats(one)
    elif isinstance(value, float):
        yield value


def sentences(text):
    return re.split(r"(?<=[.;!])\s+(?=[A-Z*])", text)


# -- the two tests ------------------------------------------------------------------------------


def test_0_145_with_99_df_is_0_176_with_9():
    """One t statistic with 99 (published) and 9 (conservative) degrees of freedom; expected by scipy.stats.t."""
    t = stats.t.isf(0.145 / 2, 99)
    d = np.random.default_rng(1).normal(size=100)
    d = (d - d.mean()) / d.std(ddof=1)
    d += t * np.sqrt(1 / 100 + 1 / 9)

    published = corrected_t(d, 0 * d, test_fraction=0.1)
    conservative = corrected_t(d, 0 * d, test_fraction=0.1, max_df=9)

    assert (published.df, published.pvalue) == (99, pytest.approx(0.145))
    assert (conservative.df, conservative.pvalue) == (9, pytest.approx(2 * stats.t.sf(t, 9)))
    assert f"{conservative.pvalue:.3f}" == "0.176"
    assert conservative.published_pvalue == published.published_pvalue == published.pvalue
    assert conservative.low < published.low < published.high < conservative.high


def test_every_corrected_function_is_published_unless_max_df_says_otherwise(rng):
    runs = rng.normal(size=(30, 3)) + [0, 0.5, 1]
    x, y, f = runs[:, 0], runs[:, 1], 0.1
    table = pd.DataFrame(runs, columns=list("abc"))
    c = 1 + 30 * f / (1 - f)

    d = x - y
    t = d.mean() / np.sqrt(c / 30 * d.var(ddof=1))
    for df, options in ((29, {}), (9, {"max_df": 9})):
        greater = correlated_t(d, rope=0, test_fraction=f, **options).right
        assert greater == pytest.approx(stats.t.cdf(t, df))
        assert corrected_t(x, y, test_fraction=f, **options).pvalue == pytest.approx(
            2 * stats.t.sf(abs(t), df)
        )
    model = anova(table)  # without correction: 2 and 58 df
    for df, options in ((58, {}), (9, {"max_df": 9})):
        found = anova(table, test_fraction=f, **options)
        assert found.pvalue == pytest.approx(stats.f.sf(model.statistic / c, 2, df))
        assert found.published_pvalue == pytest.approx(stats.f.sf(model.statistic / c, 2, 58))
        q = abs(x.mean() - y.mean()) / np.sqrt(model.mean_square_error / 30 * c)
        pairs = tukey(table, test_fraction=f, **options).pvalues
        expected = stats.studentized_range.sf(q, 3, df)
        assert pairs.loc["a", "b"] == pytest.approx(expected, abs=1e-6)
    d2 = runs[:, :2] - runs[:, 1:]
    t2 = 30 * d2.mean(axis=0) @ np.linalg.solve(np.cov(d2.T), d2.mean(axis=0)) / c
    for v, options in ((29, {}), (8, {"max_df": 8})):
        found = hotelling_paired(d2, 0 * d2, test_fraction=f, **options)
        assert found.pvalue == pytest.approx(stats.f.sf((v - 1) / (2 * v) * t2, 2, v - 1))
        assert found.published_pvalue == pytest.approx(stats.f.sf(28 / 58 * t2, 2, 28))


@pytest.mark.parametrize("max_df", [0, -1, 2.5])
def test_a_maximum_below_one_or_no_whole_number_is_refused(max_df):
    with pytest.raises(SettingError, match="max_df"):
        corrected_t([1.0, 2, 4], [1.0, 1, 1], test_fraction=0.1, max_df=max_df)


# -- in comparisons -----------------------------------------------------------------------------


@pytest.mark.parametrize("design", DESIGNS)
def test_pairs_decide_by_the_conservative_test_with_the_published_p_beside_it(design):
    pair, several = asked(design, "pair"), asked(design, "several")
    conservative, published = both_by_hand(pair, "a", "b")

    assert pair.pairs.frame["p"].iloc[0] == pytest.approx(conservative)
    assert (pair.pairs.published_p("a", "b") is not None) == (design in MANY)
    if design in MANY:
        assert pair.pairs.published_p("a", "b") == pytest.approx(published)
        assert pair.test == several.test == "corrected t, conservative"
    else:
        assert pair.test == several.test == "corrected t"
        assert conservative == published
    for a, b in (("a", "b"), ("b", "d")):
        assert several.raw.pvalues.loc[a, b] == pytest.approx(both_by_hand(several, a, b)[0])


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("design", MANY)
def test_the_published_p_stands_wherever_the_conservative_one_does(design, question):
    analysis = asked(design, question)
    both = pairs_of_p(analysis)
    # studentized ranges with few and with many degrees of freedom cross where p is near 1
    likely = 0.5 if analysis.settings.test == TUKEY else 1.0
    assert all(
        published < conservative for conservative, published in both if conservative <= likely
    )

    texts = {"verdict": verdict(analysis).sentences, "paper": paper_sentence(analysis)}
    for name, text in texts.items():
        for sentence in sentences(text):
            said = [pair for pair in both if re.search(rf"[p=<] {p_text(pair[0])}\b", sentence)]
            assert not said or "limit on degrees of freedom" in sentence, (name, sentence)
    for table in report_tables(analysis):
        if table.name in ("steps", "acceptance"):  # how the deciding test is adjusted
            continue
        numbers = table.frame.select_dtypes("number").to_numpy().ravel()
        for conservative, published in both:
            if np.isclose(numbers, conservative, rtol=1e-9).any():
                assert np.isclose(numbers, published, rtol=1e-9).any(), table.name
    numbers = list(floats(json.loads(to_json(analysis))))
    for pair in both:
        for p in pair:
            assert any(isclose(p, number, rel_tol=1e-9) for number in numbers)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("design", ["10-fold", "5x2"])
def test_up_to_ten_results_there_is_one_test(design, question):
    analysis = asked(design, question)

    assert "p published" not in analysis.pairs.frame
    assert "limit on degrees of freedom" not in verdict(analysis).sentences + paper_sentence(
        analysis
    )
    for table in report_tables(analysis):
        assert "p (no limit on df)" not in table.frame
        assert "conservative" not in " ".join(map(str, table.frame.index))


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_published_test_can_be_chosen(question):
    conservative, published = (
        asked("10 x 10", question, df) for df in ("conservative", "published")
    )

    key = ["first", "second"]
    one, other = (
        found.pairs.frame.set_index(key).sort_index() for found in (conservative, published)
    )
    assert published.pairs.frame.get("p published") is None
    if not QUESTIONS[question].test == TUKEY and not QUESTIONS[question].measures:
        assert published.test == "corrected t"
        assert published.guarantee.bounds == "nothing"
    np.testing.assert_allclose(sorted(one["p published"]), sorted(other["p adjusted"]), rtol=1e-9)
    script = to_script(published, files=("made.csv",))
    assert 'df="published"' in script.replace("'", '"')


def test_a_disagreement_about_significance_is_said():
    """The statistic lies between the critical values with 99 and with 9 degrees of freedom."""
    rng = np.random.default_rng(5)
    d = rng.normal(size=100)
    d = (d - d.mean()) / d.std(ddof=1) * 0.01
    t = (stats.t.isf(0.025, 99) + stats.t.isf(0.025, 9)) / 2
    rows = [
        (name, i // 10 + 1, i % 10 + 1, 0.2 + rest)
        for name, results in (("a", np.zeros(100)), ("b", d + t * 0.01 * np.sqrt(1 / 100 + 1 / 9)))
        for i, rest in enumerate(results)
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "repetition", "fold", "error"])
    results = Results.from_frame(table)
    said = verdict(analyse(results)).sentences

    p, published = p_text(2 * stats.t.sf(t, 9)), p_text(2 * stats.t.sf(t, 99))
    assert "Without the limit on degrees of freedom, the difference between a and b" in said
    assert f"p = {published} instead of p = {p}" in said
    assert (
        "would be significant" not in verdict(analyse(results, Settings(df="published"))).sentences
    )


@pytest.mark.parametrize("design", MANY)
def test_the_posterior_has_both_degrees_of_freedom(design):
    settings = Settings(measure="error", pair=("a", "b"), margin=0.005)
    analysis = analyse(folds(design, 2), settings)
    table = equivalence_table(analysis)
    d, f, n = analysis.differences, analysis.test_fraction, analysis.n_folds
    scale = np.sqrt((1 / n + f / (1 - f)) * d.var(ddof=1))

    for column, df in (("probability", 9), ("probability (no limit on df)", n - 1)):
        upper = stats.t.sf(0.005, df, loc=d.mean(), scale=scale)
        assert table.frame[column].iloc[0] == pytest.approx(upper)  # b errs less by more
        assert table.frame[column].sum() == pytest.approx(1)


@pytest.mark.parametrize("design", MANY)
def test_a_pair_opened_from_a_family_has_both_p_in_its_headline(design):
    every = asked(design, "several")
    own = analyse(folds(design), Settings(measure="error", pair=("a", "b")))
    said = among_all(own, every)

    published = every.pairs.published_p("a", "b")
    assert f"{p_phrase(published)} without the limit on degrees of freedom" in said.size
    alone = p_phrase(own.pairs.published_p("a", "b"))
    assert f"{alone} without the limit on degrees of freedom" in said.notes[0]
