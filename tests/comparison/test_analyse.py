"""Tests of comparisons from the table to the texts: chosen tests, and agreement of sentences and numbers."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from stats_core.comparison.analyse import analyse
from stats_core.comparison.decide import LIMITED, NO_PAIR, NOT_SEPARATED, decide
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.published_summaries import UntestedComparison
from stats_core.core.errors import DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings
from stats_core.inference.multiplicity.adjust import CORRECTIONS, corrections_for
from stats_core.inference.pairwise import smallest_control_pvalue, smallest_pvalue
from stats_core.inference.ranks import post_hoc_z
from stats_core.io.mapping import Mapping
from stats_core.io.read import read_results
from stats_core.report.advice import advise
from stats_core.report.latex_table import table_to_latex
from stats_core.report.methods_text import methods_paragraph
from stats_core.report.tables.procedure_tables import procedures_of
from stats_core.report.tables.table import ResultTable
from stats_core.report.text_report import comparison_line, table_to_csv, to_text
from stats_core.report.varied_verdicts import sensitivity
from stats_core.report.verdict import among_all, verdict
from tests.samples import shipped

MEASURES = ("fpr", "tpr")


def results_from(scores, direction="higher", measure="accuracy"):
    """Return results with one value for each cell of a data set x algorithm table."""
    long = scores.rename_axis("dataset").reset_index()
    long = long.melt(id_vars="dataset", var_name="algorithm", value_name=measure)
    return Results.from_frame(long, directions={measure: direction})


@pytest.fixture
def published(garcia_herrera):
    return results_from(garcia_herrera.scores)


def test_garcia_and_herrera_from_table_to_sentence(published, garcia_herrera):
    analysis = analyse(published, Settings(correction="nemenyi"))

    assert isinstance(analysis, RanksComparison)
    assert analysis.order == ["C4.5", "NaiveBayes", "CN2", "1-NN", "Kernel"]
    expected = garcia_herrera.expected("nemenyi.cliques.alpha_0.05")
    assert {frozenset(g) for g in analysis.groups} == {frozenset(g) for g in expected}
    assert analysis.critical_difference == pytest.approx(1.1136, abs=1e-4)
    assert verdict(analysis).badge == LIMITED  # average ranks: the global null only
    assert list(decide(analysis).ahead) == ["C4.5", "NaiveBayes", "CN2"]
    assert verdict(analysis).headline == (
        "C4.5 has the lowest average rank for accuracy (2.10) over 30 data sets, but does not differ significantly from "
        "NaiveBayes (2.20) or CN2 (3.12)."
    )
    assert "4 of 10 pairs differ significantly" in verdict(analysis).detail


def test_only_nemenyi_has_one_critical_difference(published):
    for correction in CORRECTIONS:
        analysis = analyse(published, Settings(correction=correction))

        assert (analysis.critical_difference is not None) == (correction == "nemenyi")


def test_pairs_agree_with_the_matrices_and_the_counts(published):
    analysis = analyse(published, Settings(source="ranks"))
    pairs = analysis.pairs.frame
    n = len(published.datasets)

    assert len(pairs) == 10
    assert (pairs[["wins", "ties", "losses"]].sum(axis=1) == n).all()
    assert (pairs["rank gap"] >= 0).all()
    assert pairs["p adjusted"].is_monotonic_increasing
    assert (pairs["p adjusted"] >= pairs["p"]).all()
    assert (pairs["separated"] == (pairs["p adjusted"] <= 0.05)).all()
    row = pairs[(pairs["first"] == "C4.5") & (pairs["second"] == "Kernel")].iloc[0]
    assert row["rank gap"] == pytest.approx(67 / 30)
    # 4.487e-8 by the normal approximation, as Garcia and Herrera print it; exact it is smaller
    assert post_hoc_z(analysis.friedman.average_ranks, n).pvalues.loc["C4.5", "Kernel"] == (
        pytest.approx(4.487e-8, rel=1e-3)
    )
    assert row["p"] < 4.487e-8


def test_flipping_the_direction_gives_the_same_answer(garcia_herrera):
    up = analyse(results_from(garcia_herrera.scores))
    down = analyse(results_from(1 - garcia_herrera.scores, "lower", "error"))

    assert up.order == down.order
    assert up.groups == down.groups
    pd.testing.assert_frame_equal(up.adjusted, down.adjusted)
    pd.testing.assert_frame_equal(up.wins, down.wins)


@pytest.mark.parametrize("source", ["wilcoxon", "sign"])
def test_pairs_from_their_own_data_ignore_the_other_algorithms(published, source):
    every = analyse(published, Settings(source=source))
    fewer = analyse(published, Settings(source=source, without_algorithms=("CN2",)))

    assert every.raw.pvalues.loc["C4.5", "1-NN"] == fewer.raw.pvalues.loc["C4.5", "1-NN"]


def test_wilcoxon_with_holm_agrees_with_r(published, garcia_herrera):
    """Reference: R's coin (exact, zeros dropped) and p.adjust; without zeros, Pratt's method gives the same p-value."""
    analysis = analyse(published, Settings(source="wilcoxon", correction="holm"))
    expected = garcia_herrera.expected("wilcoxon.exact_drop_zeros.holm")

    pair = ("NaiveBayes", "Kernel")
    assert analysis.adjusted.loc[pair] == pytest.approx(expected["|".join(pair)], rel=1e-8)


def test_two_algorithms_use_wilcoxon(published):
    analysis = analyse(published, Settings(without_algorithms=("CN2", "Kernel", "NaiveBayes")))

    assert isinstance(analysis, TwoComparison)
    assert analysis.wilcoxon.pvalue == pytest.approx(0.004180118441581726)
    assert analysis.better == "C4.5"
    assert (
        verdict(analysis).headline
        == "C4.5 is significantly better than 1-NN in accuracy over 30 data sets."
    )
    wins, ties, losses = analysis.record("C4.5")
    assert (wins + ties + losses, wins > losses) == (30, True)
    assert (
        f"C4.5 wins on {wins}, ties on {ties} and loses on {losses} of 30 data sets."
        in verdict(analysis).detail
    )
    assert analysis.record("1-NN") == (losses, ties, wins)


def test_the_better_of_two_does_not_depend_on_the_direction(published, garcia_herrera):
    settings = Settings(without_algorithms=("CN2", "Kernel", "NaiveBayes"))
    down = analyse(results_from(1 - garcia_herrera.scores, "lower", "error"), settings)

    assert down.better == "C4.5"
    assert down.record("C4.5") == analyse(published, settings).record("C4.5")


def test_two_that_tie_everywhere_leave_nothing_to_test():
    scores = pd.DataFrame({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})

    said = verdict(analyse(results_from(scores)))

    assert "no test is possible" in said.headline
    assert said.badge == NOT_SEPARATED


def test_five_data_sets_are_too_few_for_two_algorithms():
    scores = pd.DataFrame({"a": [0.9, 0.8, 0.7, 0.6, 0.5], "b": [0.1, 0.2, 0.3, 0.4, 0.45]})

    said = verdict(analyse(results_from(scores)))

    assert said.badge == LIMITED
    assert said.headline == "5 data sets are too few for a significant difference."
    assert "(p = 0.062, " in said.detail
    assert "At least 6 data sets are needed." in said.detail


def test_too_few_data_sets_for_many_algorithms_say_how_many_it_takes(rng):
    scores = pd.DataFrame(rng.random((10, 8)))

    analysis = analyse(results_from(scores), Settings(source="wilcoxon"))

    assert smallest_pvalue(8, 10, analysis.settings) == 28 * 2 * 0.5**10
    assert "At least 11 data sets" in verdict(analysis).detail


def test_no_difference_is_never_written_as_equal(rng):
    scores = pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd"))
    said = verdict(analyse(results_from(scores, measure="mcc")))

    assert said.badge == NOT_SEPARATED
    assert "No two of the 4 algorithms differ significantly" in said.headline
    assert "95% CI [" in said.size


def test_omnibus_without_a_pair_and_pairs_without_omnibus_are_explained():
    """Each of the two kinds of disagreement has its own sentence."""
    seen = set()
    for seed in range(10):
        scores = pd.DataFrame(np.random.default_rng(seed).normal(size=(9, 4)) + [0, 0.2, 0.5, 0.8])
        analysis = analyse(results_from(scores, measure="mcc"), Settings(alpha=0.1))
        said = verdict(analysis)
        rejected = analysis.omnibus.pvalue <= 0.1
        separated = analysis.pairs.decisions["separated"].any()
        if rejected and not separated:
            assert "but no pair differs significantly" in said.headline
            assert said.badge == NO_PAIR
        if separated and not rejected:
            assert "although the omnibus test is not significant" in said.headline
        seen.add((rejected, separated))
    assert (True, False) in seen


def test_missing_cells_are_refused_until_chosen_and_the_choice_is_printed():
    scores = pd.DataFrame(
        {"a": [0.9, 0.8, np.nan, 0.7], "b": [0.5] * 4, "c": [0.1, 0.2, 0.3, 0.4]},
        index=["w", "x", "y", "z"],
    )
    results = results_from(scores)

    with pytest.raises(
        DesignError, match=r"1 accuracy value of a is missing on 1 of 4 data sets \(1 of 12 cells\)"
    ):
        analyse(results)
    dropped = analyse(results.resolve("drop data sets"))
    assert dropped.friedman.n == 3
    assert "1 of 4 data sets was left out" in to_text(dropped)
    worst = analyse(results.resolve("worst rank"))
    assert worst.friedman.ranks.loc["y"].tolist() == [3, 1, 2]
    assert worst.wins.loc["b", "a"] == 1
    assert "ranked worst, by your choice" in to_text(worst)


def test_one_algorithm_or_one_data_set_is_not_compared(published):
    one = analyse(published.select(algorithms=["C4.5"]))
    single = analyse(published.select(datasets=["Autos"]))

    assert type(one) is type(single) is UntestedComparison
    assert (
        verdict(one).headline == "There is only one algorithm (C4.5), so no comparison is possible."
    )
    assert verdict(single).badge == LIMITED


def test_impossible_settings_are_refused_when_they_are_made():
    for name, value, message in [
        ("alpha", 5, "`alpha` must lie strictly between 0 and 1"),
        ("correction", "bonferoni", "must be one of bergmann_hommel, .*bonferroni.*'bonferoni'"),
        ("source", "t", "must be one of ranks, wilcoxon"),
        ("overlap", "no", "`overlap`"),
        ("test_fraction", 10, "`test_fraction`"),
        ("margin", -0.1, "`margin`"),
        ("pair", ("a", "a"), "two different"),
    ]:
        with pytest.raises(SettingError, match=message):
            Settings(**{name: value})


def test_settings_are_checked_with_the_results(published):
    for settings, message in [
        (Settings(measure="auc"), 'no measure "auc"'),
        (Settings(correction="nemenyi", source="sign"), "average ranks"),
        (Settings(correction="shaffer", source="sign"), "a = b and b = c imply a = c"),
        (Settings(correction="bergmann_hommel", source="sign"), "Set `correction` to holm"),
    ]:
        with pytest.raises(SettingError, match=message):
            analyse(published, settings)


@pytest.mark.parametrize("source", SOURCES)
def test_no_setting_that_is_recommended_or_offered_is_refused(published, source):
    """Every alternative leads to an analysis; Holm is the default adjustment of sign tests only."""
    analysis = analyse(published, Settings(source=source))
    offered = [settings for _, settings in analysis.alternatives()]

    assert {one.source for one in offered} == set(SOURCES)
    for settings in (analysis.settings, *offered):
        found = analyse(published, settings)
        assert found.settings.correction in corrections_for(found.settings.source)
        assert found.settings.correction == settings.correction
        assert set(procedures_of(found).names) - {"nemenyi"} <= {
            *corrections_for(found.settings.source)
        }
    assert (analysis.settings.correction == "holm") == (source == "sign")


def test_what_the_signed_rank_test_assumes_is_said_with_every_correction(published):
    said = "The signed-rank test assumes that the differences are symmetric about their median."
    for source in SOURCES:
        for correction in corrections_for(source):
            if correction in ("none", "nemenyi"):
                continue
            settings = Settings(source=source, correction=correction)
            text = methods_paragraph(analyse(published, settings))
            assert (said in text) == (source == "wilcoxon"), (source, correction)
    advice = advise(published)
    assert any("a = b and b = c" in one for one in advice.assumes)


def test_headlines_stay_short_and_true_for_every_setting(published):
    asked = [*((key, 0.05) for key in CORRECTIONS), ("holm", 0.001), ("holm", 0.3), ("none", 0.3)]
    for correction, alpha in asked:
        analysis = analyse(published, Settings(correction=correction, alpha=alpha))
        said = verdict(analysis)

        assert len(said.headline.split()) <= 25
        assert analysis.order[0] in said.headline or decide(analysis).claim == "behind"
        assert f"{analysis.pairs.frame['separated'].sum()} of 10 pairs" in said.detail


def test_sensitivity_repeats_the_analysis_under_each_setting(published):
    table = sensitivity(analyse(published))

    row = table.set_index("setting").loc["α = 0.01"]
    stricter = analyse(published, Settings(alpha=0.01))
    assert row["verdict then"] == verdict(stricter).headline
    assert row["changed"]
    before, after = (
        {
            frozenset(pair)
            for pair in a.pairs.frame[["first", "second"]][
                a.pairs.decisions["separated"]
            ].to_numpy()
        }
        for a in (analyse(published), stricter)
    )
    (lost,) = (len(before - after),)
    assert row["changes"].startswith(f"{lost} pair{'s' * (lost > 1)} no longer significant: ")
    assert not after - before
    same = table[~table["changed"]]
    assert (same["changes"] == "").all()
    assert {"correction Nemenyi", "p from average ranks"} <= set(table["setting"])


def test_what_was_compared_in_one_line(published):
    assert comparison_line(analyse(published)) == (
        "30 data sets, 5 algorithms, one result per algorithm and data set, accuracy (higher is better), α = 0.05, no missing results"
    )


def test_the_reader_and_the_chain_agree_with_the_table(garcia_herrera):
    """The statistic is still the published one after writing the table to CSV and reading it."""
    content = garcia_herrera.scores.to_csv().encode()

    results = read_results(content, mapping=Mapping(measure_name="accuracy"))

    analysis = analyse(results)
    assert analysis.friedman.uncorrected_statistic == pytest.approx(39.6467, abs=1e-4)


def test_latex_escapes_names_and_marks_the_best():
    frame = pd.DataFrame({"a_1": [0.25], "b&c": [0.5]}, index=["50% <x>"])
    text = table_to_latex(
        ResultTable(
            name="x",
            title="X",
            frame=frame,
            formats={"a_1": "{:.2f}".format},
            best={"50% <x>": (["a_1"], ["b&c"])},
            caption="100% $",
        )
    )

    assert r"50\% \textless{}x\textgreater{} & \textbf{0.25} & \underline{0.5} \\" in text
    assert r" & a\_1 & b\&c \\" in text
    assert r"\caption{100\% $\mathdollar$}" in text
    for rule in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert rule in text


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_csv_defuses_formulas_in_names(name):
    table = pd.DataFrame({name: [name], "p": [0.5]}, index=[name])

    lines = table_to_csv(table).splitlines()

    assert f"'{name}" in lines[0]
    assert lines[1].count(f"'{name}") == 2
    assert lines[1].endswith("0.5")


@pytest.mark.parametrize("settings", [Settings(dataset="balance"), Settings(measures=MEASURES)])
def test_a_control_without_use_changes_nothing(settings):
    sample = "uci38_5x2.csv" if settings.dataset else "twoclass_counts.csv"
    results = shipped(sample)
    plain = analyse(results, settings)
    for correction in ("", "finner"):  # finner exists for a control only
        other = analyse(
            results, replace(settings, control=results.algorithms[0], correction=correction)
        )
        assert other.settings == plain.settings
        pd.testing.assert_frame_equal(other.adjusted, plain.adjusted)


def test_what_was_chosen_for_all_pairs_holds_beside_a_control_without_use():
    results = shipped("uci38_5x2.csv")
    settings = Settings(dataset="balance", control="C4.5", correction="shaffer")

    assert analyse(results, settings).settings == replace(settings, control="", measure="error")


def test_sensitivity_says_where_the_first_test_decides_otherwise():
    """The omnibus test rejects for error, but not for some other measures."""
    results = shipped("twoclass_counts.csv")
    settings = Settings(measure="error", control="10-NN", source="wilcoxon")
    analysis = analyse(results, settings)

    changes = sensitivity(analysis).set_index("setting")["changes"]

    others = [name for name in results.measures if name != "error"]
    ps = {name: analyse(results, replace(settings, measure=name)).omnibus.pvalue for name in others}
    assert analysis.omnibus.pvalue <= 0.05
    assert min(ps.values()) <= 0.05 < max(ps.values())
    repeated = {"accuracy", "tnr", "fnr", "recall"}  # 1 - error, 1 - fpr, 1 - tpr, tpr
    assert {name for name in others if f"measure {name}" not in changes} <= repeated
    assert "measure accuracy" not in changes
    for name, p in ps.items():
        if f"measure {name}" not in changes:
            continue
        assert ("the omnibus test no longer rejects" in changes[f"measure {name}"]) == (p > 0.05)


def test_the_smallest_pvalue_against_a_control():
    """Two of the 2^7 sign patterns of seven differences are the most extreme; Holm multiplies by 3."""
    settings = Settings(measure="error", source="wilcoxon", correction="holm")

    assert smallest_control_pvalue(4, 7, settings) == 3 * 2 / 2**7
    assert smallest_control_pvalue(4, 7, replace(settings, correction="hochberg")) == 2 / 2**7


@pytest.mark.parametrize(
    ("n", "pair", "own", "said"),
    [
        (5, ("a0", "a4"), "5 data sets are too few", "better than"),
        (7, ("a0", "a1"), "p = 0.016", "do not differ significantly"),
        (7, ("a0", "a4"), "p = 0.016", "better than"),  # 2 / 2^7
    ],
)
def test_the_family_decides_about_a_pair_whatever_its_own_test_gives(n, pair, own, said):
    """Each algorithm is worse than the previous one on every data set."""
    scores = 0.9 - 0.05 * np.arange(5) ** 1.2 - 0.01 * np.arange(n)[:, None]
    rows = [(f"d{i}", f"a{j}", score) for (i, j), score in np.ndenumerate(scores)]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "accuracy"])
    results = Results.from_frame(frame, directions={"accuracy": "higher"})
    two, every = analyse(results, Settings(pair=pair)), analyse(results)
    found = among_all(two, every)
    assert said in found.headline
    assert found.notes[0].startswith(
        "If the pair was chosen beforehand, no adjustment is needed (Wilcoxon signed-rank test): "
    )
    assert own in found.notes[0]
