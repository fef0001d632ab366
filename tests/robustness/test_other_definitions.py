"""Tests of the same comparison by the definitions of other programs, against these programs."""

import json
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.distributions import studentized_range_sf
from stats_core.inference.paired import wilcoxon
from stats_core.robustness.other_definitions import (
    COLUMNS,
    PROGRAMS,
    other_definitions,
    wilcoxon_definitions,
)
from tests.breast_cancer_data import runs
from tests.comparison.test_analyse import results_from
from tests.comparison.test_folds import folds
from tests.conftest import REFERENCE, load_oracles, load_reference

NAMES = ["A_gh2008", "C_demsar2006"]
# question, definition -> oracle in tests/reference
BY_PAIR = {
    ("Nemenyi", "studentized range, ∞ df"): "posthoc.nemenyi_p.studentized_range",
    ("Nemenyi", "Bonferroni adjustment of the z test"): "posthoc.apv.bonferroni",
    (
        "Holm",
        "step-down over all pairs, two-sided p-values from average ranks (normal)",
    ): "posthoc.apv.holm",
    (
        "Bergmann-Hommel",
        "monotone adjusted p-values, from average ranks (normal)",
    ): "posthoc.apv.bergmann_hommel.monotone",
    (
        "Bergmann-Hommel",
        "adjusted p-values that need not be monotone, from average ranks (normal)",
    ): "posthoc.apv.bergmann_hommel.no_monotone_step",
    ("Wilcoxon", "exact distribution, zeros ranked (Pratt)"): "wilcoxon.pratt_exact",
    ("Wilcoxon", "exact distribution, zeros dropped"): "wilcoxon.exact_drop_zeros",
    ("Wilcoxon", "normal approximation, zeros ranked (Pratt)"): "wilcoxon.pratt_normal",
    ("Wilcoxon", "normal approximation, zeros dropped"): "wilcoxon.normal_drop_zeros",
    (
        "Wilcoxon",
        "normal approximation with continuity correction, zeros dropped",
    ): "wilcoxon.normal_cc_drop_zeros",
    ("Sign test", "ties split evenly, an odd tie dropped"): "sign_test.split_ties",
    ("Sign test", "ties dropped"): "sign_test.drop_ties",
}


@cache
def everything(name):
    """Return the definitions for each pair of a reference table, as a table by question and definition."""
    analysis = analyse(results_from(load_reference(name).scores))
    tables = {pair: other_definitions(analysis, pair=pair) for pair in pairs_of(name)}
    return {
        pair: table.assign(question=table["question"].str.split(",").str[0]).set_index(
            ["question", "definition"]
        )
        for pair, table in tables.items()
    }


def pairs_of(name):
    return list(combinations(load_reference(name).scores.columns, 2))


def first_of(name):
    return next(iter(everything(name).values()))


def close(actual, oracle, expected):
    tolerance = oracle["tolerance"]
    np.testing.assert_allclose(actual, expected, rtol=tolerance["rel"], atol=tolerance["abs"])


def peers(name, field):
    document = json.loads((REFERENCE / f"{name}.json").read_text(encoding="utf-8"))
    return document[field]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("place", "key"), BY_PAIR.items(), ids=lambda x: str(x))
def test_every_pair_agrees_with_the_other_programs(name, place, key):
    oracle = load_reference(name).oracles[key]
    tables = everything(name)
    checked = [pair for pair in tables if place in tables[pair].index]

    close(
        [tables[pair].loc[place, "p"] for pair in checked],
        oracle,
        [oracle["expected"]["|".join(pair)] for pair in checked],
    )
    assert len(checked) == len(tables)


@pytest.mark.parametrize("name", NAMES)
def test_demsars_wilcoxon_and_its_half(name):
    """Reference: numpy, and scmamp, which returns the lower tail only."""
    oracle = load_reference(name).oracles["wilcoxon.zsplit_demsar"]
    for pair, table in everything(name).items():
        expected = oracle["expected"]["|".join(pair)]
        two = table.loc[
            ("Wilcoxon", "normal approximation without correction for ties, zeros split evenly")
        ]
        half = table.loc[
            (
                "Wilcoxon",
                "normal approximation without correction for ties, zeros split evenly, only the lower tail (half of p)",
            )
        ]

        close([two["statistic"], two["p"]], oracle, [expected["T"], expected["p_two_sided_normal"]])
        close(half["p"], oracle, expected["p_two_sided_normal"] / 2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("program", "peer"),
    [
        ("scipy (default)", "scipy auto"),
        ("R wilcox.test (default)", "R wilcox.test default"),
        ('scipy (method="exact")', "scipy exact (ties present -> permutation?)"),
        ("coin and exactRankTests in R", "coin exact, zero.method=Wilcoxon"),
    ],
)
def test_the_row_named_after_a_program_is_its_output(name, program, peer):
    expected = peers(name, "peer_wilcoxon_defaults")
    seen = 0
    for pair, table in everything(name).items():
        rows = table[table["who prints it"].str.contains(program, regex=False)]
        assert len(rows) <= 1
        for p in rows["p"]:
            assert p == pytest.approx(expected["|".join(pair)][peer], rel=1e-8)
            seen += 1
    assert seen >= len(everything(name)) - 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("place", "key", "field"),
    [
        (("Friedman", "with correction for ties"), "friedman.tie_corrected", "chi2"),
        (("Friedman", "without correction for ties"), "friedman.uncorrected", "chi2"),
        (
            ("Iman-Davenport", "from χ² with correction for ties"),
            "iman_davenport.tie_corrected",
            "F",
        ),
        (
            ("Iman-Davenport", "from χ² without correction for ties"),
            "iman_davenport.uncorrected",
            "F",
        ),
    ],
)
def test_first_tests_agree_with_scipy_r_and_scmamp(name, place, key, field):
    oracle = load_reference(name).oracles[key]
    row = first_of(name).loc[place]

    close([row["statistic"], row["p"]], oracle, [oracle["expected"][f] for f in (field, "p")])


@pytest.mark.parametrize("name", NAMES)
def test_pingouin_prints_another_p_for_the_same_f(name):
    printed = peers(name, "extra_peer_output")["pingouin.friedman method=f"][0]
    table = first_of(name).loc["Iman-Davenport"]
    row = table[table["who prints it"].str.startswith("pingouin")].iloc[0]

    assert row["statistic"] == pytest.approx(printed["F"], rel=1e-9)
    assert row["p"] == pytest.approx(printed["p_unc"], rel=1e-9)


@pytest.mark.parametrize(
    ("name", "alpha", "scmamp"),
    [
        ("A_gh2008", 0.01, 1.353894),
        ("A_gh2008", 0.05, 1.127747),
        ("A_gh2008", 0.1, 1.013997),
        ("C_demsar2006", 0.05, 1.295068),
    ],
)
def test_critical_differences(name, alpha, scmamp):
    """Reference: R (infinite df, Bonferroni-Dunn), and scmamp by the given values."""
    reference = load_reference(name)
    analysis = analyse(results_from(reference.scores), Settings(alpha=alpha))
    table = other_definitions(analysis)
    table = table[table["question"].str.startswith("Critical difference")]
    value = dict(zip(table["who prints it"].str.split(",").str[0], table["statistic"], strict=True))
    by_name = dict(zip(table["definition"], table["statistic"], strict=True))

    nemenyi = by_name["Nemenyi, q / √2 with ∞ df"]
    reference.assert_close(nemenyi, f"nemenyi.cd.alpha_{alpha:g}")
    dunn = by_name["Bonferroni-Dunn, comparisons with one control only"]
    reference.assert_close(dunn, f"bonferroni_dunn.cd.alpha_{alpha:g}")
    assert value["scmamp"] == pytest.approx(scmamp, abs=1e-6)
    k, n = reference.scores.shape[::-1]
    z = stats.norm.isf(alpha / 2 / comb(k, 2))  # each of all pairs two-sided at alpha / pairs
    bonferroni = by_name["Bonferroni adjustment of the z test, all pairs"]
    assert bonferroni == pytest.approx(z * (k * (k + 1) / (6 * n)) ** 0.5)
    assert by_name["q without the division by √2 (too large)"] == pytest.approx(2**0.5 * nemenyi)
    first, second = table["question"].iloc[0].removeprefix("Critical difference, ").split(" vs ")
    ranks = analysis.friedman.average_ranks
    apart = table["statistic"] <= abs(ranks[first] - ranks[second])
    assert (table["decision"].eq("significant") == apart).all()


def test_aeon_takes_the_value_of_one_algorithm_more(garcia_herrera):
    """With three algorithms, it takes 2.569 instead of 2.344 standard errors (Demsar's Table 5a)."""
    three = garcia_herrera.scores.iloc[:, :3]
    at_5 = other_definitions(analyse(results_from(three))).set_index("who prints it")["statistic"]
    at_2 = other_definitions(analyse(results_from(three), Settings(alpha=0.02)))

    error = (3 * 4 / (6 * 30)) ** 0.5
    assert at_5["aeon"] / error == pytest.approx(2.569, abs=1e-3)
    right = at_5["Demšar 2006, R qtukey (df = Inf), autorank (from rounded q)"]
    assert right / error == pytest.approx(2.344, abs=1e-3)
    assert "aeon" not in set(at_2["who prints it"])


def test_finite_df_lie_between_the_exact_and_the_coarse(garcia_herrera):
    """Reference: another integration of the studentized range; fewer df give larger p-values."""
    table = everything("A_gh2008")["C4.5", "1-NN"].loc["Nemenyi"]
    z = abs(garcia_herrera.expected("posthoc.z")["C4.5|1-NN"])

    assert table["p"].iloc[[0, 2, 3]].is_monotonic_increasing
    for df in (145, 116):
        row = table[table.index.str.endswith(f"= {df} df")].iloc[0]
        expected = studentized_range_sf(np.array([2**0.5 * z]), 5, df)[0]
        assert row["p"] == pytest.approx(expected, abs=1e-7)


def test_what_aeon_calls_holm(garcia_herrera):
    """The one-sided p-value of scipy's default for the better ranked algorithm is compared with alpha / (k - 1)."""
    scores = garcia_herrera.scores.round(10)
    for pair, table in everything("A_gh2008").items():
        row = table[table["who prints it"] == 'aeon (correction="holm")'].iloc[0]
        ranks = scores.rank(axis=1, ascending=False).mean()
        better, worse = sorted(pair, key=ranks.get)
        differences = (scores[better] - scores[worse]).round(10)
        expected = stats.wilcoxon(differences, alternative="greater", correction=False)
        assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (row["decision"] == "significant") == (expected.pvalue <= 0.05 / 4)


def test_holm_on_wilcoxon_is_another_holm(garcia_herrera):
    """Reference: statsmodels and R on exact p-values without zeros; this pair has no zeros."""
    expected = garcia_herrera.expected("wilcoxon.exact_drop_zeros.holm")
    row = ("Holm", "step-down over all pairs, two-sided p-values from Wilcoxon")
    p = everything("A_gh2008")["C4.5", "Kernel"].loc[row, "p"]

    assert p == pytest.approx(expected["C4.5|Kernel"], rel=1e-9)


def two(x, y=None, **settings):
    """Return the definitions for algorithms a and b with results x and y, by default 0, as a table."""
    x = np.asarray(x, dtype=float)
    y = np.zeros(len(x)) if y is None else y
    scores = pd.DataFrame({"a": x, "b": y}, index=[f"d{i:03}" for i in range(len(x))])
    table = other_definitions(analyse(results_from(scores), Settings(**settings)))
    return table.assign(question=table["question"].str.split(",").str[0])


def test_stac_leaves_the_count_itself_out():
    """STAC gives p = 0 for five wins in five (correct: 0.0625) and 0.021 for eight in ten (correct: 0.109)."""
    five = two(np.arange(1.0, 6)).set_index("who prints it")
    ten = two([*range(1, 9), -9.5, -10.5]).set_index("who prints it")

    assert five.loc["STAC", "p"] == 0
    assert ten.loc["STAC", "p"] == pytest.approx(0.021, abs=5e-4)
    sign = ten[(ten["question"] == "Sign test") & ten["used here"]].iloc[0]
    assert sign["p"] == pytest.approx(0.109, abs=5e-4)
    assert "STAC" not in set(two([1.0, 2, 3, 0])["who prints it"])


def test_statds_rejects_five_wins():
    """The normal approximation gives p = 0.043; no exact test of five pairs has p below 0.0625."""
    table = two(np.arange(1.0, 6))
    row = table[table["who prints it"].str.contains("StaTDS")].iloc[0]
    used = table[(table["question"] == "Wilcoxon") & table["used here"]].iloc[0]

    assert row["p"] == pytest.approx(0.043, abs=5e-4)
    assert row["decision"] == "significant"
    assert (used["p"], used["decision"]) == (0.0625, "not significant")


def test_autorank_halves_p_for_two_algorithms(garcia_herrera):
    columns = ["NaiveBayes", "CN2"]
    table = other_definitions(analyse(results_from(garcia_herrera.scores[columns])))
    row = table[table["who prints it"].str.startswith("autorank")].iloc[0]
    scipy_auto = peers("A_gh2008", "peer_wilcoxon_defaults")["NaiveBayes|CN2"]["scipy auto"]

    assert row["p"] == pytest.approx(scipy_auto / 2, rel=1e-8)
    assert set(table["question"]) == {"Wilcoxon, NaiveBayes vs CN2", "Sign test, NaiveBayes vs CN2"}


def test_many_data_sets_are_tested_by_the_normal_approximation(rng):
    """With more than 60 data sets, the library itself uses the normal approximation."""
    x = rng.normal(0.3, 1, 80)
    table = two(x)
    used = table[table["used here"]].set_index("question")

    assert used.loc["Wilcoxon", "definition"] == "normal approximation, zeros ranked (Pratt)"
    assert used.loc["Wilcoxon", "p"] == pytest.approx(wilcoxon(x, np.zeros(80)).pvalue)
    assert not table["definition"].str.startswith("exact").any()


@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        Settings(correction="nemenyi"),
        Settings(correction="holm", source="wilcoxon"),
        Settings(correction="none", source="sign", alpha=0.01),
    ],
    ids=lambda s: f"{s.correction}-{s.source}",
)
def test_one_row_of_each_question_is_used_here(garcia_herrera, settings):
    analysis = analyse(results_from(garcia_herrera.scores), settings)

    table = other_definitions(analysis, pair=("CN2", "C4.5"))

    assert list(table.columns) == COLUMNS
    assert (table.groupby("question")["used here"].sum() == 1).all()
    # of sign tests there is no Bergmann-Hommel, so one question less
    assert table["question"].nunique() == 8 - (settings.source == "sign")
    used = table[table["used here"]].set_index("question")["p"]
    assert used["Friedman"] == analysis.friedman.pvalue
    assert used["Iman-Davenport"] == analysis.omnibus.pvalue
    if settings.correction in ("holm", "nemenyi"):
        question = f"{settings.correction.title()}, C4.5 vs CN2"
        assert used[question] == pytest.approx(analysis.adjusted.loc["C4.5", "CN2"], rel=1e-12)
    known = table[table["p"].notna() & ~table["definition"].str.contains("not Holm")]
    below = known["p"] <= settings.alpha
    assert known["decision"].isin(["significant", "rejects"]).eq(below).all()


def test_the_default_pair_is_the_closest_to_alpha(garcia_herrera):
    """Adjusted by Holm, the p-value of 1-NN and NaiveBayes is the closest to .05."""
    settings = Settings(correction="holm", source="ranks")
    analysis = analyse(results_from(garcia_herrera.scores), settings)

    table = other_definitions(analysis)

    assert table["question"].iloc[-1] == "Sign test, NaiveBayes vs 1-NN"


def test_two_that_never_differ():
    table = two(np.ones(4), np.ones(4))

    assert table[["definition", "p", "decision"]].to_numpy().tolist() == [
        ["all results tied", 1.0, "not significant"],
        ["ties split evenly, an odd tie dropped", 1.0, "not significant"],
        ["ties dropped", 1.0, "not significant"],
    ]


def test_data_sets_that_agree_completely():
    """F is then infinite; pingouin's form is undefined and left out."""
    scores = pd.DataFrame([[1.0, 2, 3]] * 5, columns=list("abc"), index=list("vwxyz"))

    table = other_definitions(analyse(results_from(scores)))

    first = table[table["question"] == "Iman-Davenport"]
    assert first["statistic"].tolist() == [np.inf, np.inf]
    assert first["p"].tolist() == [pytest.approx(6.0**-4)] * 2


def test_failed_runs_leave_out_what_needs_every_number(garcia_herrera):
    scores = garcia_herrera.scores.copy()
    scores.loc[scores.index[0], "CN2"] = np.nan
    analysis = analyse(results_from(scores).resolve("worst rank"))

    failed = other_definitions(analysis, pair=("C4.5", "CN2"))
    whole = other_definitions(analysis, pair=("C4.5", "1-NN"))

    assert not failed["question"].str.contains("Wilcoxon|Sign").any()
    assert whole["question"].str.contains("Wilcoxon").any()
    assert (failed.groupby("question")["used here"].sum() == 1).all()


def test_programs_with_a_version_are_named_somewhere():
    on_folds = other_definitions(analyse(folds("cv10"), Settings(pair=("tree", "logreg"))))
    tables = [first_of("A_gh2008"), two(np.arange(1.0, 6)), on_folds]
    named = " ".join(who for table in tables for who in table["who prints it"])

    assert {program for program in PROGRAMS if program not in named} == set()


@pytest.mark.parametrize("pair", [("C4.5", "C4.5"), ("C4.5", "svm")])
def test_a_pair_must_be_two_of_the_algorithms(garcia_herrera, pair):
    analysis = analyse(results_from(garcia_herrera.scores))

    with pytest.raises(SettingError, match="`pair` must name two different compared"):
        other_definitions(analysis, pair=pair)


def test_folds_of_one_data_set_are_refused():
    rows = [
        {"dataset": "d", "algorithm": a, "fold": i, "error": (i * (3 + j)) % 7 / 10}
        for j, a in enumerate("abc")
        for i in range(10)
    ]
    analysis = analyse(Results.from_frame(pd.DataFrame(rows), directions={"error": "lower"}))

    with pytest.raises(DesignError, match="Other definitions need a comparison of all"):
        other_definitions(analysis)


def test_r_is_exact_below_fifty_differences_without_ties_or_zeros():
    """As in R's help of wilcox.test; five differences of one sign have p = 2 / 2^5."""
    x = pd.Series([1.0, 2.5, 4, 5.5, 7])
    rows = wilcoxon_definitions(x, pd.Series(np.zeros(5)), only_two=True)

    (row,) = [row for row in rows if "R wilcox.test (default)" in row.who]
    assert row.p == 2 / 2**5


PAIR = ("tree", "logreg")


def table_of(scheme, **settings):
    analysis = analyse(folds(scheme), Settings(pair=PAIR, **settings))
    return analysis, other_definitions(analysis)


def rows_of(table, who):
    return table[table["who prints it"].str.contains(who, regex=False)]


@pytest.mark.parametrize("scheme", ["cv10", "rcv10x10", "cv5x2"])
def test_one_row_of_each_question_is_used_and_all_programs_are_named(scheme):
    _, table = table_of(scheme)

    assert list(table) == COLUMNS
    assert (table.groupby("question")["used here"].sum() == 1).all()
    named = " ".join(table["who prints it"])
    for program in ("Weka", "scikit-learn", "baycomp", "correctR", "correctipy", "mlxtend"):
        assert program in named
    assert ("5x2 cv F, tree vs logreg" in set(table["question"])) == (scheme == "cv5x2")


@pytest.mark.parametrize("scheme", ["cv10", "rcv10x10"])
def test_the_programs_print_what_their_code_computes(scheme):
    analysis, table = table_of(scheme)
    d = analysis.differences.to_numpy()
    n, ratio = len(d), analysis.test_fraction / (1 - analysis.test_fraction)
    t = d.mean() / np.sqrt((1 / n + ratio) * d.var(ddof=1))
    # Weka: FProbability(t^2, 1, n - 1); scikit-learn: t.sf(abs(t), n - 1); correctipy: no root
    weka = stats.f.sf(t**2, 1, n - 1)
    example = stats.t.sf(abs(t), n - 1)
    no_root = d.mean() / (d.std(ddof=1) * (1 / n + ratio))

    assert rows_of(table, "Weka")["p"].tolist() == [pytest.approx(weka)]
    assert rows_of(table, "scikit-learn")["p"].iloc[0] == pytest.approx(example)
    assert rows_of(table, "correctipy")[["statistic", "p"]].iloc[0].tolist() == [
        pytest.approx(no_root),
        pytest.approx(stats.t.sf(abs(no_root), n - 1)),
    ]
    plain = stats.ttest_rel(*runs(scheme, "error")[list(PAIR)].T.to_numpy())
    assert rows_of(table, "mlxtend")["p"].iloc[0] == pytest.approx(plain.pvalue)
    conservative = table[table["definition"].str.contains("conservative")]
    assert len(conservative) == (scheme == "rcv10x10")
    for _, row in conservative.iterrows():
        assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), 9))
        assert row["used here"]


@pytest.mark.parametrize(("scheme", "key"), [("cv10", "cv10"), ("rcv10x10", "10x10cv")])
def test_baycomp_takes_the_share_from_the_number_of_folds(scheme, key):
    """Reference: tests/reference, p of the corrected t with n_test/n_train = 1/9, checked against baycomp."""
    oracle = load_oracles("D_bc")[f"error.nadeau_bengio_corrected_t.{key}"]
    expected = {frozenset(pair.split("|")): one["p"] for pair, one in oracle["expected"].items()}
    _, table = table_of(scheme)

    assert rows_of(table, "baycomp")["p"].tolist() == [
        pytest.approx(expected[frozenset(PAIR)], rel=1e-9)
    ]


def test_the_published_test_is_marked_where_it_is_chosen():
    _, table = table_of("rcv10x10", test="corrected t")

    used = table[table["used here"] & table["question"].str.startswith("Corrected t")]
    assert used["who prints it"].str.contains("Weka").all()
