"""Tests that texts and tables of a report agree with the analysis and with each other."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards.method_card import cited_as, reference_text
from stats_core.comparison.decide import LIMITED, decide
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.measure_vectors import PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import PublishedDecisions, UntestedComparison
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.formatting import format_number, measure_name, score_digits, spell_count
from stats_core.core.messages import IN_PAPER, Message
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.methods import PAIR_TESTS
from stats_core.inference.paired import wilcoxon
from stats_core.ordering.order import order_of
from stats_core.report.html_report import to_html
from stats_core.report.latex_report import to_latex
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.paper_sentence import paper_sentence, results_paragraph
from stats_core.report.references import REFERENCES, bibtex, references_of
from stats_core.report.report_content import report_tables
from stats_core.report.tables.table import ResultTable, write_p
from stats_core.report.text_report import table_to_csv
from stats_core.report.verdict import verdict
from tests.figures.text_facts import TESTS
from tests.report.report_cases import KINDS, case
from tests.report.test_report_page import Page
from tests.strategies import few_examples

# "F(4, 116) = 14.3, p < 0.001", with the digits after the point of the statistic
STATISTIC = re.compile(r"(F|χ²)\(([\d.]+)(?:, ([\d.]+))?\) = (\d+\.(\d+)), p ([=<>]) (\d\.\d+)")
SEVERAL = (RanksComparison, FoldsComparison, SeveralOnMeasures, WinsComparison)


@pytest.fixture(params=KINDS)
def told(request):
    """An analysis of each kind, its order or None, and its tables by name."""
    analysis, order = case(request.param)
    tables = {table.name: table for table in report_tables(analysis, order)}
    return analysis, order, tables


def check_words(analysis, order, tables):
    """Assert that no sentence on the results contradicts a table."""
    said = f"{results_paragraph(analysis, order)} {verdict(analysis).sentences}"
    assert paper_sentence(analysis) in said
    assert not re.search(
        r"\byou(r|rs)?\b", results_paragraph(analysis, order) + methods_paragraph(analysis, order)
    )
    for text in (said, *(table.caption for table in tables.values())):
        check_statistics(text)
    if isinstance(analysis, SEVERAL):
        check_pairs(analysis, said, tables["pairs"])
        check_groups(analysis, said, tables["groups"])
    if isinstance(analysis, ControlComparison):
        check_sides(analysis, tables["comparisons"])


def check_statistics(text):
    """Assert that each p-value in a text is that of the statistic and the degrees of freedom before it."""
    for name, df, df_residual, value, decimals, sign, p in STATISTIC.findall(text):
        reference = (
            stats.chi2(float(df)) if name == "χ²" else stats.f(float(df), float(df_residual))
        )
        rounding = 0.5 * 10 ** -len(decimals)
        least, most = reference.sf([float(value) + rounding, float(value) - rounding])
        bounds = {
            "=": least - 0.0005 <= float(p) <= most + 0.0005,
            "<": least < float(p),
            ">": most > float(p),
        }
        assert bounds[sign], f"{name}({df}, {df_residual}) = {value}, p {sign} {p}"


def check_pairs(analysis, said, table):
    """Assert that counts, names, directions and p-values of pairs agree in sentences, table and analysis."""
    texts, pairs = table.texts, analysis.pairs.frame
    differs = texts[texts.index.isin(table.best)]
    k = len(analysis.results.algorithms)
    assert len(texts) == k * (k - 1) // 2
    separated = pairs[pairs["separated"].astype(bool)]
    assert set(zip(differs["algorithm A"], differs["algorithm B"], strict=True)) == {
        *zip(separated["first"], separated["second"], strict=True)
    }
    counts = re.findall(
        r"(\d+|[Aa]ll)(?: of)? (\d+) pairs? differ(?:s|ed)? significantly(?! at)", said
    )
    for counted, every in counts:
        assert (every if counted.lower() == "all" else counted, every) == (
            str(len(differs)),
            str(len(texts)),
        )
    words = r"None of the other (\d+) pairs differs|(Neither) of the other two|The (other) pair does not"
    others = re.findall(words, said)
    for several, two, single in others:
        n_others = 2 if two else 1 if single else int(several)
        assert n_others == len(texts) - len(differs)
    if len(texts) > 1:  # few pairs are named, and the others counted
        assert counts or others or not len(differs)
    elif len(differs):  # the only pair is named instead of counted
        assert re.search(
            rf"{re.escape(analysis.order[0])} (?:is|was|won|wins) significantly ", said
        )
    alpha = analysis.settings.alpha
    for first, second, p in zip(pairs["first"], pairs["second"], pairs["p adjusted"], strict=True):
        assert bool(p <= alpha) == (analysis.adjusted.loc[first, second] <= alpha)
    column = "adjusted p" if "adjusted p" in texts else "p"
    assert list(texts[column]) == [write_p(alpha)(p) for p in pairs["p adjusted"]]
    decided = decide(analysis)
    sentences = said.replace("Of the other pairs, ", "").split(". ")
    if 0 < len(differs) <= 12 and not decide(analysis).named:
        for row in differs.to_dict("records"):
            first, second, p = row["algorithm A"], row["algorithm B"], _signed(row[column])
            listed = any(
                sentence.startswith(f"{first} was significantly better than ")
                and re.search(rf"{re.escape(second)} \((un)?adjusted {re.escape(p)}", sentence)
                for sentence in sentences
            )
            in_claim = (
                (decided.claim == "leads" and first in decided.ahead)
                or (decided.claim == "behind" and second in decided.behind)
                or (decided.claim == "best" and first == decided.near[0])
            )
            assert listed or in_claim, (first, second)
            check_direction(analysis, first, second)
    for first, second in re.findall(r"(\S+) (?:is|was) significantly better than (\S+) in ", said):
        assert not {first, second} <= {*analysis.order} or analysis.beats.loc[first, second]


def _signed(p):
    """Return a p-value of a table in the form of sentences."""
    return f"p {p}" if p[0] in "<>" else f"p = {p}"


def check_direction(analysis, first, second):
    """Assert that the first of a pair is better by the ranks or means that are compared."""
    sign = 1 if analysis.higher_is_better else -1
    if isinstance(analysis, WinsComparison):
        assert analysis.wins.loc[first, second] > analysis.wins.loc[second, first]
    elif isinstance(analysis, RanksComparison):
        ranks = analysis.friedman.average_ranks
        assert ranks[first] < ranks[second]
        if analysis.settings.source == "sign":
            assert analysis.wins.loc[first, second] > analysis.wins.loc[second, first]
        if analysis.settings.source == "wilcoxon":
            x, y = (sign * analysis.scores[name] for name in (first, second))
            assert wilcoxon(x, y).pvalue_greater < 0.5  # "the first tends to be larger"
    elif analysis.test in ("Tukey", "5x2 cv F"):
        assert sign * (analysis.means[first] - analysis.means[second]) >= 0


def check_groups(analysis, said, table):
    """Assert that groups in sentences and in the table are those of the analysis."""
    assert list(table.frame["algorithms"]) == [", ".join(group) for group in analysis.groups]
    large = ["{" + ", ".join(group) + "}" for group in analysis.groups if len(group) > 1]
    if (
        large and len(large) <= 12 and max(map(len, analysis.groups)) < len(analysis.order)
    ):  # else the verdict says it
        assert len(re.findall("groups? without a significant difference (?:was|were) ", said)) == 1
        assert all(group in said for group in large)


def check_sides(analysis, table):
    """Assert that the verdict and the table agree on which algorithms are better or worse than the control."""
    headline = verdict(analysis).headline
    decided = decide(analysis)
    if decided.claim == "sides":
        words = ("significantly better", "significantly worse", "not differ significantly")
        for names, word in zip(analysis.sides(), words, strict=True):
            assert (word in headline) == bool(names)
            assert all(re.search(rf"{re.escape(name)}[^.]* {word}", headline) for name in names)
    if analysis.settings.source != "ranks":  # the pair's own test decides, not the ranks
        return
    for row in table.frame.to_dict("records"):
        if row["verdict"] in ("better", "worse"):
            assert (row["rank difference"] > 0) == (row["verdict"] == "better")


# -- words -------------------------------------------------------------------------------------


def test_no_sentence_contradicts_a_table(told):
    check_words(*told)


def test_degrees_of_freedom_of_another_statistic_are_found():
    check_statistics("MANOVA, F(12, 14) = 4.08, p = 0.007")
    with pytest.raises(AssertionError, match="4.08"):
        check_statistics("MANOVA, F(6, 8) = 4.08, p = 0.007")


def test_methods_name_what_was_compared_and_chosen(told):
    analysis, order, _ = told
    said = methods_paragraph(analysis, order)
    results, settings = analysis.results, analysis.settings

    assert spell_count(len(results.algorithms), results.noun) in said
    for name in results.algorithms:
        assert name in said
    if not isinstance(analysis, PublishedDecisions):  # which are of no measure
        for measure in getattr(analysis, "measures", (settings.measure,)):
            assert measure_name(measure) in said
    untested = isinstance(analysis, UntestedComparison | PublishedDecisions)
    if verdict(analysis).badge != LIMITED and not untested:
        assert f"α = {settings.alpha:g}" in said
    assert "Foldwise " in said
    for name in (*settings.without_algorithms, *settings.without_datasets):
        excluded = rf"{re.escape(name)}\b.* (?:was|were) excluded from the analysis"
        assert re.search(excluded, said)


@pytest.mark.parametrize(
    ("kind", "words", "keys"),
    [
        ("ranks", "Bergmann and Hommel's procedure", {"friedman1937", "iman1980", "bergmann1988"}),
        ("ranks by Nemenyi", "critical difference of average ranks 1.114", {"nemenyi1963"}),
        ("ranks by Wilcoxon", "with Holm's procedure", {"wilcoxon1945", "holm1979"}),
        ("ranks unadjusted", "not adjusted for multiple comparisons", {"demsar2006"}),
        ("ranks with folds, order", "5 × 2-fold cross-validation", {"ulas2012", "yildiz2006"}),
        ("control", "CN2 was the control", {"holm1979"}),
        ("control by Li", "with Li's procedure", {"li2008"}),
        ("two", "95% CI", {"wilcoxon1945", "hodges1963"}),
        (
            "folds, order",
            "and at most 9 degrees of freedom were used instead of all 99.",
            {"bergmann1988", "nadeau2003", "yildiz2006"},
        ),
        ("folds 5x2", "a mean was multiplied by 11", {"bergmann1988", "nadeau2003"}),
        ("folds by Tukey", "All 28 pairs were then compared", {"tukey1953"}),
        ("folds by F", "Shaffer's procedure", {"alpaydin1999", "shaffer1986"}),
        ("folds by Wilcoxon", "Folds were assumed independent", {"wilcoxon1945", "friedman1937"}),
        ("folds of one test set", "apply to this test set only", {"dietterich1998"}),
        (
            "pair on folds",
            "and at most 9 degrees of freedom were used instead of all 99.",
            {"nadeau2003", "bouckaert2004"},
        ),
        ("pair 5x2", "multiplied by 11", {"nadeau2003"}),
        ("pair by F", "5x2 cv F test", {"alpaydin1999"}),
        ("pair on measures", "paired Hotelling T² test", {"hotelling1931", "yildiz2011"}),
        ("several on measures", "TP + FN and FP + TN were the same", {"mardia1979", "rencher2002"}),
        (
            "wins",
            "expected cost was lower (0.5 FP + 0.5 FN",
            {"aslan2009", "bergmann1988", "hotelling1931"},
        ),
        ("wins limited", "not adjusted for multiple comparisons", {"aslan2009", "nadeau2003"}),
        ("wins of two", "multiplied by 12.11", {"aslan2009", "demsar2006", "nadeau2003"}),
        ("thresholds", "21 thresholds of the scores", {"aslan2009", "rencher2002", "dunn1961"}),
        ("thresholds of two", "paired Hotelling T² test", {"hotelling1931"}),
        ("untested", "No test was possible", set()),
        ("one algorithm", "No test was possible", set()),
    ],
)
def test_methods_say_which_tests_were_used(kind, words, keys):
    # 12.11 = 1 + 100 (1/9), formula 6.0 for 10 x 10 folds; 1.114 from Garcia and Herrera's table
    said = methods_paragraph(*case(kind))

    assert words in said
    assert keys <= set(references_of(*case(kind)))


@pytest.mark.parametrize("key", [key for key in PAIR_TESTS if "McNemar" not in key])
def test_every_test_of_a_pair_has_a_reference_and_a_name(key):
    analysis, _ = case("pair 5x2")

    said = methods_paragraph(analyse(analysis.results, Settings(test=key)))

    named = "conservative corrected t test" if key == "corrected t, conservative" else ""
    assert f"with the {named or PAIR_TESTS[key].name.split(' (')[0]} [@" in said


def test_no_word_claims_more_than_a_test_shows(told):
    analysis, order, tables = told
    text = " ".join(
        [
            methods_paragraph(analysis, order),
            results_paragraph(analysis, order),
            *(f"{table.title} {table.caption}" for table in tables.values()),
        ]
    )
    text = text.replace("almost perfectly correlated", "")

    assert not re.search(r"\bequal\b|\bprove|\btrend\b|\balmost\b|!", text, re.IGNORECASE)
    assert not re.search(r"\b1 (of [\w,]+ )?[a-z]+ ([a-z]+ )?(are|were|have|do|differ)\b", text)


def test_choices_about_holes_are_told_by_the_authors():
    table = pd.DataFrame(
        np.random.default_rng(3).random((9, 3)), columns=list("abc"), index=list("stuvwxyz1")
    )
    table.loc["s", "a"] = np.nan
    long = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm")
    results = Results.from_frame(long, directions={"value": "higher"}).resolve("worst rank")

    analysis = analyse(results)

    assert "Missing results were ranked worst." in methods_paragraph(analysis)
    assert "Blank cells: missing results, ranked worst." in report_tables(analysis)[0].caption
    assert report_tables(analysis)[0].texts.loc["s", "a"] == ""


# -- tables ------------------------------------------------------------------------------------


def test_scores_are_the_averages_with_the_best_marked(told):
    analysis, _, tables = told
    if "scores" not in tables:
        assert {"means", "wins", "ranks", "decisions"} & set(tables)
        return
    texts, best = tables["scores"].texts, tables["scores"].best
    digits = score_digits(analysis.scores)
    measure = measure_name(analysis.settings.measure)
    if isinstance(analysis, CasesComparison) and measure in texts:  # a row per model
        assert texts[measure].to_dict() == {
            name: format_number(value, digits) for name, value in analysis.scores.iloc[0].items()
        }
        marked = {name for name, marks in best.items() if measure in marks[0]}
        good = (
            analysis.scores.iloc[0].min()
            if not analysis.higher_is_better
            else analysis.scores.iloc[0].max()
        )
        assert marked == set(analysis.scores.columns[analysis.scores.iloc[0] == good])
        return
    for dataset, row in analysis.scores.iterrows():
        for name, value in row.items():
            shown = "" if np.isnan(value) else format_number(value, digits)
            assert texts.loc[dataset, name].split(" ± ")[0] == shown
        good = row.max() if analysis.higher_is_better else row.min()
        expected = set(row.index[np.isclose(row, good, rtol=1e-9, atol=0)])
        if expected != set(row.index):
            assert set(best[dataset][0]) == expected


def test_the_last_row_holds_the_average_ranks():
    analysis, _ = case("ranks with folds, order")
    table = report_tables(analysis)[0]

    assert list(table.frame) == analysis.order
    assert table.texts.loc["average rank"].tolist() == [
        f"{analysis.friedman.average_ranks[name]:.2f}" for name in analysis.order
    ]
    folds = analysis.results.matrix("zoo", "error")["SVM (degree 2)"]
    assert table.texts.loc["zoo", "SVM (degree 2)"] == f"{folds.mean():.4f} ± {folds.std():.4f}"
    assert table.data.loc["zoo", "SVM (degree 2) (sd)"] == pytest.approx(folds.std())


def test_the_order_is_the_same_in_sentence_and_table():
    for kind in ("ranks with folds, order", "folds, order"):
        analysis, order = case(kind)
        table = {t.name: t for t in report_tables(analysis, order)}["order"].frame

        said = re.search(r"ordered by [^:]*: (.*?)\.(?: |$)", results_paragraph(analysis, order))[1]
        assert said.split(", ") == list(table["algorithm"]) == list(order.ordering.order)
        by_test = (table["rank decided by"] == "test").sum()  # the others go by cost
        assert by_test == order.ordering.by_test


def test_means_and_tests_of_two_on_folds():
    analysis, _ = case("pair on folds")
    tables = {table.name: table for table in report_tables(analysis)}
    digits = score_digits(analysis.matrix)

    for name in ("Random forest", "Decision tree"):
        assert tables["means"].texts.loc[name, "mean"] == format_number(
            analysis.matrix[name].mean(), digits
        )
    won, tied, lost = analysis.record("Random forest")
    assert (
        f"Random forest is better in {won}, ties in {tied} and is worse in {lost} of 100 folds"
        in (tables["means"].caption)
    )
    tests = tables["tests"].texts
    decides = tests["applicability"].str.startswith("used")
    assert tests.index[decides].tolist() == [analysis.chosen.name]
    assert tests.loc[analysis.chosen.name, "p"] == write_p(0.05)(analysis.chosen.outcome.pvalue)
    assert (
        format_number(analysis.chosen.low, digits)
        == tests.loc[analysis.chosen.name, "95% CI lower limit"]
    )


def test_a_long_table_says_how_much_of_it_is_shown():
    frame = pd.DataFrame({"p": np.arange(180.0)}, index=[f"d{i}" for i in range(180)])
    table = ResultTable(
        name="x", title="X", frame=frame, best={"d0": (["p"], []), "d170": (["p"], [])}, summary=1
    )

    shown = table.printed()

    assert len(shown.frame) == 61
    assert shown.frame.index[-1] == "d179"
    assert shown.caption == "The table shows 60 of 179 rows. The CSV file contains all rows."
    assert set(shown.best) == {"d0"}
    assert len(table.data) == 180


def test_every_table_can_be_written_as_csv(told):
    *_, tables = told
    for table in tables.values():
        assert len(table_to_csv(table.data).splitlines()) >= len(table.frame) + 1


# -- references --------------------------------------------------------------------------------


def test_the_marks_in_the_methods_are_the_references(told):
    analysis, order, _ = told
    marked = re.findall(r"@(\w+)", methods_paragraph(analysis, order))

    assert list(dict.fromkeys(marked)) == references_of(analysis, order)
    assert set(marked) <= set(REFERENCES)


def test_bibtex_has_what_its_styles_ask_for():
    # required fields of the standard styles, from the manual of BibTeX (Patashnik 1988)
    required = {
        "article": {"journal", "volume"},
        "book": {"publisher"},
        "incollection": {"booktitle", "publisher"},
        "inproceedings": {"booktitle"},
        "phdthesis": {"school"},
        "mastersthesis": {"school"},
        "unpublished": {"note"},
    }
    for key, reference in REFERENCES.items():
        entry = bibtex([key])
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        assert required[reference.kind] <= set(reference.fields)
        assert str(reference.year) == key[-4:]
        assert str(reference.year) in reference_text(key)
        assert cited_as(key).endswith(str(reference.year))
        assert not re.search(r"[{}$]|\?\.", reference_text(key))


def test_an_unknown_reference_is_refused():
    with pytest.raises(SettingError, match="nobody2001"):
        bibtex(["nobody2001"])


# -- any results -------------------------------------------------------------------------------


@st.composite
def small_results(draw):
    """Draw results of few algorithms on few data sets with one or several folds, possibly with ties."""
    k, n = draw(st.integers(2, 4)), draw(st.integers(1, 7))
    folds = draw(st.sampled_from([1, 4, 10]))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    gap = draw(st.sampled_from([0, 0.1, 3]))
    rows = [
        (f"d{d}", f"a{a}", f, round(rng.normal() + gap * a, 2), rng.normal(), 1 + a % 2)
        for d in range(n)
        for a in range(k)
        for f in range(folds)
    ]
    table = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "x", "y", "time"])
    up = draw(st.sampled_from(["higher", "lower"]))
    return Results.from_frame(table, costs=["time"], directions={"x": up, "y": "lower"})


@st.composite
def small_analyses(draw):
    """Draw an analysis of small results, and its order or None."""
    results = draw(small_results())
    one, together = draw(st.booleans()), draw(st.booleans())
    chosen = Settings(
        alpha=draw(st.sampled_from([0.01, 0.05, 0.3])),
        dataset="d0" if one or together else "",
        measures=("x", "y") if together else (),
        control=draw(st.sampled_from(["", "a1"])),
        correction=draw(st.sampled_from(["", "holm", "hommel", "none"])),
        source=draw(st.sampled_from(["ranks", "wilcoxon", "sign"])),
        test=draw(st.sampled_from(["", "", "Wilcoxon", "paired t"])),
    )
    try:
        analysis = analyse(results, chosen)
    except FoldwiseError:
        analysis = analyse(results)
    try:
        order = order_of(analysis.results, chosen) if draw(st.booleans()) else None
    except FoldwiseError:
        order = None
    return analysis, order


@given(small_analyses())
def test_words_and_tables_agree_whatever_the_results(made):
    analysis, order = made
    tables = {table.name: table for table in report_tables(analysis, order)}

    check_words(analysis, order, tables)
    kinds = (TwoComparison, FoldPairComparison, PairOnMeasures)
    if isinstance(analysis, kinds):
        assert "tests" in tables


@few_examples
@given(small_analyses())
def test_documents_are_made_whatever_the_results(made):
    analysis, order = made

    assert not Page(to_html(analysis, order=order)).open
    assert to_latex(analysis, order=order).results.isascii()


# words of a result that cite a test -> words of its method
CITED_TESTS = {
    **{pattern: pattern for name, pattern in TESTS.items() if name != "cases and trainings"},
    "ormality test": "Shapiro and Wilk",
    "triples test": "triples test",
    "Mauchly": "Mauchly",
    "Greenhouse": "Greenhouse",
    "Mardia": "Mardia",
    "permutation test": "permutation test",
    "Welch": "Welch",
    "Diebold-Mariano": "Diebold-Mariano",
    "stratified": "stratified",
    "two-way t": "two-way|random effects|over instances and runs",
}


@pytest.mark.parametrize("name", KINDS)
def test_every_test_that_a_result_cites_has_its_method(name):
    analysis, order = case(name)
    methods = methods_paragraph(analysis, order)
    cited = results_paragraph(analysis, order)
    cited += " ".join(
        note.said(IN_PAPER)
        for note in analysis.notes
        if isinstance(note, Message) and note.code not in ("beside", "level not kept")
    )

    for result, method in CITED_TESTS.items():
        assert not re.search(result, cited) or re.search(method, methods), (result, methods)


@pytest.mark.parametrize("name", [name for name in KINDS if name.startswith(("folds", "pair "))])
def test_the_methods_of_folds_name_the_assumptions(name):
    analysis, _ = case(name)
    if analysis.kind in ("folds", "fold pair"):
        methods = methods_paragraph(analysis)
        assert ": Differences " in methods or "assumes sphericity" in methods
