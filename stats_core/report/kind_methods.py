"""Methods paragraph by kind of comparison."""

from collections.abc import Iterable
from functools import singledispatch

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.kinds.control_and_pairs import ControlComparison, PresentComparison, TwoComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison, OnFolds
from stats_core.comparison.kinds.instances import OMNIBUS_NAMES, CasesComparison, TrainingsComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures, PairOnMeasures, SeveralOnMeasures
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    UntestedComparison,
)
from stats_core.comparison.kinds.wins import OnWins, WinsComparison
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, join_names, lower_first
from stats_core.curves.threshold_sweep import THETAS
from stats_core.data.settings import TUKEY
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.corrections import usable_correction
from stats_core.report.cited_text import (
    CitedText,
    adjustment_text,
    cite_source,
    cite_test,
    critical,
    ending_sentence,
    error_control_text,
    friedman_text,
    origin,
    overlap_text,
    ranking_text,
)
from stats_core.report.effect_text import interval_methods, interval_words
from stats_core.report.plan import first_card, variance_factor

_SPLIT = "ties split evenly and an odd one dropped"
_NAMED = 12  # maximum number of data sets listed by name


@singledispatch
def describe_methods(comparison: Comparison) -> Iterable[CitedText]:
    """Return the methods text with its citations."""
    raise NotImplementedError(comparison.kind)


@singledispatch
def describe_origin(comparison: Comparison) -> CitedText:
    """Return the sentence on how the results of an algorithm were obtained."""
    return origin(comparison.results)


# population the conclusion generalizes to -> sentence
_SPEAKS = {
    "cases": "This speaks of these trained models on the population of the cases; how results vary "
    "with training was not seen",
    "cases and trainings": "This speaks of the algorithms on other cases of this population, trained "
    "anew on data that vary as theirs did",
}


@describe_methods.register
def _ranks_methods(c: RanksComparison) -> Iterable[CitedText]:
    """Yield the text that describes ranks, omnibus test and pairwise tests."""
    yield from ranking_text()
    yield from _pairs_by_ranks(c, c.settings.source)
    if c.settings.correction != "nemenyi":
        yield from interval_methods(c)


def _pairs_by_ranks(c: RanksComparison | PublishedRanks, test: str) -> Iterable[CitedText]:
    """Yield the text on Nemenyi's test, or on tests of all pairs and their adjustment."""
    settings, bounds = c.settings, c.guarantee.bounds
    opening = f" The {format_count(c.guarantee.comparisons, 'pair')} of algorithms were then compared"
    if settings.correction == "nemenyi":
        yield cite_test(f"{opening} by", "nemenyi")
        yield critical(c.critical_difference or 0.0)
        yield error_control_text(settings.alpha, bounds)
    else:
        by = "by" if settings.source == "ranks" else "by the"
        yield cite_test(f"{opening} {by}", test)
        yield from adjustment_text(settings.correction, settings.alpha, bounds, source=settings.source)


@describe_methods.register
def _present_methods(c: PresentComparison) -> Iterable[CitedText]:
    """Yield the text that describes ranks, omnibus test and pairwise tests."""
    yield ending_sentence("On each data set the algorithms that have a result there were ranked")
    yield cite_test(" The", "skillings_mack")
    yield ending_sentence(" asked whether they differ by more than chance")
    pairs = format_count(c.guarantee.comparisons, "pair")
    opening = f" The {pairs} were then compared, each on the data sets that both have,"
    yield cite_source(opening, c.settings.source)
    yield from adjustment_text(c.settings.correction, c.settings.alpha, c.guarantee.bounds)
    yield from interval_methods(c)


@describe_methods.register
def _control_methods(c: ControlComparison) -> Iterable[CitedText]:
    """Yield the text that describes ranks, omnibus test and comparisons with the control."""
    settings = c.settings
    yield from ranking_text()
    yield ending_sentence(f"{c.control} was the control, which assumes that it was chosen before the results were seen")
    others = format_count(len(c.adjusted), "algorithm")
    yield cite_source(f" Each of the other {others} was compared with it", settings.source)
    yield from adjustment_text(settings.correction, settings.alpha, c.guarantee.bounds)
    yield from interval_methods(c)


@describe_methods.register
def _two_methods(c: TwoComparison) -> Iterable[CitedText]:
    """Yield the text that describes the test, its estimate and the sign test."""
    alpha = c.settings.alpha
    yield CitedText(
        " The paired averages were compared by the Wilcoxon signed-rank test", ("wilcoxon1945", "demsar2006")
    )
    if c.wilcoxon.n_zero:
        yield CitedText(" with differences of zero by Pratt's rule", ("pratt1959",))
    exact = "exact" if c.wilcoxon.method.exact else "by its normal approximation"
    yield ending_sentence(f", two-sided, {exact}, at alpha {alpha:g}")
    yield CitedText(
        f" The difference {c.first} − {c.second} is given as the Hodges-Lehmann estimate with its {interval_words(c)}",
        method_card("hodges_lehmann_interval").papers,
    )
    yield ending_sentence(", and the sign test for comparison")


def _fold_overlap(c: OnFolds, factor: float) -> Iterable[CitedText]:
    """Yield the text on how overlapping training sets were handled."""
    if factor != 1:
        yield overlap_text(factor, c.unit)
        if c.max_df is not None:
            yield CitedText(
                f", and at most {c.max_df} degrees of freedom were used instead of the published {c.published_df}"
            )
        yield CitedText(".")
    elif c.design == "common test set":
        yield ending_sentence(
            "The training sets share one test set; the tests speak of other training sets on this test set only"
        )
    elif c.overlap_ignored:
        yield ending_sentence(
            f"Results of different {c.unit}s were taken as independent, though training "
            "sets may share cases; that rejects too easily"
        )


@describe_methods.register
def _folds_methods(c: FoldsComparison) -> Iterable[CitedText]:
    """Yield the text that describes the omnibus test, if any, and the pairwise tests."""
    alpha, bounds = c.settings.alpha, c.guarantee.bounds
    pairs = f"{format_count(c.guarantee.comparisons, 'pair')} of algorithms were compared by"
    if c.omnibus is not None:
        over = ", over folds instead of data sets" if c.omnibus is c.friedman else ""
        over = ", on single cases" if c.omnibus is c.cochran else over
        article = {c.anova: " An", c.friedman: " The"}.get(c.omnibus, "")
        yield cite_test(article, first_card(c), over)
        yield ending_sentence(" asked of all at once whether they differ")
    then = " The " if c.omnibus is None else " Then the "
    if c.test == TUKEY:
        yield cite_test(f"{then}{pairs}", TUKEY)
        yield CitedText(", which pays for all pairs itself and takes for granted that they vary alike")
        yield error_control_text(alpha, bounds)
    else:
        yield cite_test(f"{then}{pairs} the", c.test)
        yield from adjustment_text(c.correction, alpha, bounds, source=c.test)
    if c.low.notna().to_numpy().any():
        yield from interval_methods(c)
    yield from _fold_overlap(c, variance_factor(c))


@describe_methods.register
def _fold_pair_methods(c: FoldPairComparison) -> Iterable[CitedText]:
    """Yield the text that describes the deciding test."""
    yield cite_test(" The two were compared by the", c.test)
    yield ending_sentence(f", two-sided, at alpha {c.settings.alpha:g}")
    yield from _fold_overlap(c, getattr(c.chosen.outcome, "factor", 1.0))
    assumes = PAIR_TESTS[c.test].assumes
    yield CitedText(f" The test assumes: {lower_first(assumes)}")


def _dimensions_used(c: OnMeasures) -> Iterable[CitedText]:
    """Yield text on the effective dimension, if smaller than the number of measures."""
    constant = c.space.constant
    if constant:
        verb = "was" if len(constant) == 1 else "were"
        yield ending_sentence(
            f"Within a fold {join_names(constant, 4)} {verb} the same for every algorithm, so all "
            f"degrees of freedom used {format_count(c.space.dimension, 'dimension')} for "
            f"{format_count(len(c.measures), 'measure')}"
        )


def _vector_overlap(c: OnMeasures, factor: float) -> Iterable[CitedText]:
    """Yield the text on how overlapping training sets were handled."""
    if factor == 1:
        yield ending_sentence("Folds were taken as independent")
    else:
        yield overlap_text(factor)
        if c.max_df is not None:
            yield CitedText(f", and at most {c.max_df} degrees of freedom were used instead of the published ones")
        yield CitedText(".")


@describe_methods.register
def _several_measures_methods(c: SeveralOnMeasures) -> Iterable[CitedText]:
    """Yield the text on MANOVA, the paired Hotelling tests and the dimension of the means."""
    yield cite_test(" A", "manova", " (Wilks' lambda by Rao's F)")
    yield ending_sentence(" asked of all at once whether they differ")
    pairs = format_count(c.guarantee.comparisons, "pair")
    yield cite_test(f" Then the {pairs} of algorithms were compared by the", "hotelling_paired")
    yield from adjustment_text(c.correction, c.settings.alpha, c.guarantee.bounds, sided="")
    yield CitedText(
        " The dimension of the differences between mean vectors was determined by Bartlett's "
        "sequential \N{GREEK SMALL LETTER CHI}\N{SUPERSCRIPT TWO} tests",
        method_card("manova_dimension").papers,
    )
    yield CitedText(".")
    yield from _dimensions_used(c)
    yield from _vector_overlap(c, c.manova.factor)


@describe_methods.register
def _measure_pair_methods(c: PairOnMeasures) -> Iterable[CitedText]:
    """Yield the text that describes Hotelling's test and the tests of single measures."""
    yield cite_test(" The vectors of measures were compared by the", "hotelling_paired")
    yield ending_sentence(f" at alpha {c.settings.alpha:g}")
    yield from _dimensions_used(c)
    yield from _vector_overlap(c, c.hotelling.factor)
    yield ending_sentence(
        "Each measure alone was then compared by a t test, with p-values adjusted over the "
        f"{format_count(len(c.measures), 'measure')}"
    )


@describe_origin.register
def _wins_origin(c: WinsComparison) -> CitedText:
    """Return the sentence on how the results were obtained."""
    return origin(c.results, by_fold=True)


@describe_methods.register
def _wins_methods(c: WinsComparison) -> Iterable[CitedText]:
    """Yield the text on what counts as a win and on the sign test over data sets."""
    yield from _wins_at_thresholds(c) if c.sweeps else _wins_by_risk(c)
    if c.skipped:
        verb = "was" if len(c.skipped) == 1 else "were"
        yield ending_sentence(
            f"{format_count(len(c.skipped), 'data set')} could not be decided and {verb} left out: "
            f"{join_names(list(c.skipped), _NAMED)}"
        )
    pairs = "the two" if len(c.wins) == 2 else "each pair"
    yield CitedText(
        f" Over {c.counted} the wins and losses of {pairs} were compared by the exact sign test",
        ("demsar2006", "aslan2009"),
    )
    yield from _sign_tests_adjusted(c)


def _sign_tests_adjusted(c: OnWins) -> Iterable[CitedText]:
    """Yield the text on ties and on the adjustment of sign tests; continues a sentence."""
    yield CitedText(f", {_SPLIT}")
    if len(c.wins) == 2:
        yield ending_sentence(f", two-sided, at alpha {c.settings.alpha:g}")
    else:
        yield from adjustment_text(c.correction, c.settings.alpha, c.guarantee.bounds)


def _wins_by_risk(c: WinsComparison) -> Iterable[CitedText]:
    k, vectors = len(c.wins), join_names(c.measures, 9)
    yield ending_sentence("On each data set it was asked in turn who errs differently and who errs at the lower cost")
    hotelling = method_card("hotelling_paired").papers
    if k > 2:
        yield _manova_of_wins(c)
        yield ending_sentence(" was done on each; pairs were tested whatever it said")
        yield CitedText(" For each pair the paired Hotelling T2 test", hotelling)
    else:
        yield CitedText(f" The paired Hotelling T2 test of {vectors}", hotelling)
    yield CitedText(" had to reject")
    correction = usable_correction(c.settings.correction, k)
    yield from _adjusted_over_pairs(c, correction)
    yield CitedText(f", at alpha {c.settings.alpha:g}")
    yield from _lower_risk(c, "0.5 fp + 0.5 fn of a fold", correction)
    yield CitedText(".")
    yield from _wins_overlap(c)


def _wins_at_thresholds(c: WinsComparison) -> Iterable[CitedText]:
    alpha, k, vectors = c.settings.alpha, len(c.wins), join_names(c.measures, 9)
    yield CitedText(
        f" On each data set the scores were cut at {len(THETAS)} thresholds, theta = "
        f"{THETAS[0]:g}, {THETAS[1]:g}, ..., {THETAS[-1]:g}",
        ("aslan2009",),
    )
    yield ending_sentence(
        "; scores outside [0, 1] were taken there by the logistic function. At each of them it "
        "was asked in turn who errs differently and who errs at the lower cost"
    )
    hotelling = method_card("hotelling_paired").papers
    if k > 2:
        yield _manova_of_wins(c)
        yield CitedText(" had to reject, then for a pair the paired Hotelling T2 test", hotelling)
    else:
        yield CitedText(f" The paired Hotelling T2 test of {vectors} had to reject", hotelling)
    yield from _adjusted_over_pairs(c, "bonferroni")
    yield CitedText(f", {'each ' if k > 2 else ''}at alpha {alpha:g}")
    yield from _lower_risk(c, "theta fp + (1 - theta) fn", "bonferroni")
    yield ending_sentence("; thresholds were not corrected for each other")
    yield from _wins_overlap(c)
    yield ending_sentence(
        "An algorithm won over another on a data set if it won at more thresholds by the "
        f"right-tailed sign test at {alpha:g}, {_SPLIT}; neighbouring thresholds share their "
        "cases, so there it is a rule that counts a win, not a test"
    )


def _manova_of_wins(c: WinsComparison) -> CitedText:
    vectors = join_names(c.measures, 9)
    return CitedText(
        f" A multivariate analysis of variance of {vectors}, folds as blocks (Wilks' lambda by Rao's F)",
        method_card("manova").papers,
    )


def _adjusted_over_pairs(c: WinsComparison, correction: str) -> Iterable[CitedText]:
    if len(c.wins) > 2 and correction == "none":
        yield CitedText(", with p-values not adjusted for being many")
    elif len(c.wins) > 2:
        yield cite_test(", with p-values adjusted over the pairs of the data set by", correction)


def _lower_risk(c: WinsComparison, risk: str, correction: str) -> Iterable[CitedText]:
    yield CitedText(f"; the lower risk {risk} then won", ("aslan2009",))
    if c.settings.win == "risk":
        corrected = any(factor != 1 for factor in c.factors.values())
        test = method_card("corrected t" if corrected else "paired t")
        yield CitedText(" if the paired t test of risk, two-sided", test.papers)
        likewise = len(c.wins) > 2 and correction != "none"
        yield CitedText(f"{', adjusted likewise' if likewise else ''}, rejected, too")


def _wins_overlap(c: WinsComparison) -> Iterable[CitedText]:
    low, high = min(c.factors.values()), max(c.factors.values())
    if high == 1:
        designs = {c.results.design_of(name) for name in c.factors}
        overlaps = "common test set" not in designs
        yield ending_sentence(
            "Results of different folds were taken as independent, though training sets may "
            "share cases; that rejects too easily"
            if overlaps
            else "No correction for the dependence of folds is defined for this design"
        )
        return
    range_text = CitedText(
        " Training sets of different folds share cases; for that the variance of a mean was "
        f"multiplied by {low:.4g} to {high:.4g}, by data set",
        method_card("overlap_factor").papers,
    )
    yield overlap_text(high) if low == high else range_text
    yield CitedText(".")


@describe_origin.register
def _cases_origin(c: CasesComparison) -> CitedText:
    """Return the sentence on how the results were obtained."""
    return ending_sentence("Each was trained once and gave a prediction for every case of one test set")


@describe_methods.register
def _cases_methods(c: CasesComparison) -> Iterable[CitedText]:
    """Yield the text that describes the tests on instances."""
    alpha, on_units = c.settings.alpha, f"on the {c.counted} of the test set"
    if c.omnibus is not None:
        yield CitedText(f" O{on_units[1:]}, {OMNIBUS_NAMES[c.how.first]}", method_card(c.how.first).papers)
        yield ending_sentence(" asked whether all are alike but for chance")
        on_units = "on the same cases"
    if len(c.tests) == 1:
        yield cite_test(f" The two were compared in {c.settings.measure} {on_units} by the", c.how.card)
        yield ending_sentence(f"{_random_swaps(c)}, two-sided, at alpha {alpha:g}")
    else:
        yield cite_test(
            f" The {format_count(len(c.tests), 'pair')} were compared in {c.settings.measure} {on_units} by the",
            c.how.card,
        )
        if drawn := _random_swaps(c):
            yield CitedText(drawn)
        yield from adjustment_text(c.correction, alpha, c.guarantee.bounds)
    yield from interval_methods(c)
    yield ending_sentence(_SPEAKS[c.scope])


def _random_swaps(c: CasesComparison) -> str:
    """Return a phrase on random swaps, or "" if all tests are exact."""
    if c.how.card != "swap_test" or all(test.method.exact for test in c.tests.values()):
        return ""
    return " with ways to swap drawn at random (seed 0)"


@describe_origin.register
def _trainings_origin(c: TrainingsComparison) -> CitedText:
    """Return the sentence on how the results were obtained."""
    return ending_sentence(
        f"Each was trained {c.n_trainings} times and each time gave a prediction for every case of one common test set"
    )


@describe_methods.register
def _untested_methods(c: UntestedComparison) -> Iterable[CitedText]:
    """Yield the sentence that nothing was tested."""
    yield ending_sentence("Nothing was tested")


@describe_origin.register
def _published_ranks_origin(c: PublishedRanks) -> CitedText:
    """Return the sentence that the ranks were taken as published."""
    return ending_sentence(
        f"Their average ranks over {c.counted}, 1 for the best, were taken as published; the "
        "results behind them were not at hand"
    )


@describe_methods.register
def _published_ranks_methods(c: PublishedRanks) -> Iterable[CitedText]:
    """Yield the text that describes the omnibus test and the pairwise tests."""
    yield from friedman_text(", without a correction for ties, asked whether they differ by more than chance")
    yield from _pairs_by_ranks(c, "post_hoc_z")


@describe_origin.register
def _published_decisions_origin(c: PublishedDecisions) -> CitedText:
    """Return the sentence that the decisions were taken as published."""
    over = f" over {c.published.over}" if c.published.over else ""
    subject = "Whether two differ" if c.ordering is None else "Who is better than whom"
    return ending_sentence(f"{subject}{over} was taken as published; the results were not at hand")


@describe_methods.register
def _published_decisions_methods(c: PublishedDecisions) -> Iterable[CitedText]:
    """Yield the text that describes the order or the groups."""
    if c.ordering is None:
        yield CitedText(" Groups are maximal sets without a pair that differs", method_card("cliques").papers)
        yield CitedText(".")
        return
    yield CitedText(" They were put in order by MultiTest", method_card("multitest").papers)
    yield ending_sentence(
        ", the earlier in the prior order first unless the later was better; that order was "
        f"{join_names(list(c.ordering.prior), 12)}"
    )


@describe_origin.register
def _published_wins_origin(c: PublishedWins) -> CitedText:
    """Return the sentence that the wins were taken as published."""
    return ending_sentence(
        f"On how many of {c.counted} each was better than each other was taken as published; "
        "the results behind that were not at hand"
    )


@describe_methods.register
def _published_wins_methods(c: PublishedWins) -> Iterable[CitedText]:
    """Yield the text that describes the sign test."""
    whose = "the two" if len(c.wins) == 2 else "each pair"
    yield cite_test(f" The wins and losses of {whose} were compared by the exact", "sign_test")
    yield from _sign_tests_adjusted(c)
