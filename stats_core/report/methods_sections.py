"""Sentences of the methods paragraph, in the past tense of a paper.

Each function returns whole sentences, "" if there is nothing to say, except those whose docstring
names a phrase. `cite` names a method by its card and cites its publications, `papers` only cites.
"""

import re
from collections.abc import Callable, Collection, Iterator

from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds import (
    BenchmarksComparison,
    CasesComparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    PresentComparison,
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    RanksComparison,
    SeveralOnMeasures,
    TrainingsComparison,
    TwoComparison,
    UntestedComparison,
    WinsComparison,
)
from stats_core.comparison.kinds.datasets import ByAverageRanks
from stats_core.comparison.kinds.fold_pair import OnFolds, OnOneDataset
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.kinds.wins import OnWins
from stats_core.comparison.plan import FailedAssumption, Permutations, PlannedTest, Role
from stats_core.comparison.result import FDR, Comparison, everywhere, rounding_only
from stats_core.core.formatting import (
    MINUS,
    capitalize_first,
    format_count,
    format_percent,
    join_names,
    join_sentences,
    measure_name,
    spell_count,
)
from stats_core.curves.threshold_sweep import THETAS
from stats_core.data.missing import remaining_missing
from stats_core.data.predictions import CaseTable
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, describe_group
from stats_core.inference.methods import Estimate
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import LOGICAL
from stats_core.ordering.order import Order
from stats_core.report import order_text, reproduce
from stats_core.report.analysis_steps import variance_factor
from stats_core.report.claim_phrases import level
from stats_core.report.effect_text import ci, interval_words, region_family

_CITED = re.compile("\x02(.*?)\x03")  # keys of publications between text
MANY_NAMES = 12  # maximum number of names that are listed
_TIES = "ties split evenly, an odd tie dropped"
_SYMMETRY = "The signed-rank test assumes that the differences are symmetric about their median."
_TAKEN = "were taken as published. The underlying results were not available."
# designs whose label is their number of folds
_OF_FOLDS = ("k-fold", "r x k-fold", "5x2")
_RESAMPLING = {
    "holdout": "random partitions",
    "seeds": "runs with different random seeds",
    "bootstrap": "bootstrap samples",
    "common test set": "several runs on one common test set",
}
# measures whose losses a test over time compares
_LOSSES_IN_TIME = {"rmse": "squared errors", "r2": "squared errors", "mae": "absolute errors"}


# -- citations ----------------------------------------------------------------------------------


def papers(*keys: str) -> str:
    """Return the mark that cites publications, as `split_citations` finds it; "" without keys."""
    return f"\x02{' '.join(keys)}\x03" if keys else ""


def split_citations(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return text split after each mark of `papers`, each part with the keys cited after it."""
    parts = [*_CITED.split(text), ""]
    return [(part, tuple(keys.split())) for part, keys in zip(parts[::2], parts[1::2], strict=True)]


def papers_of(card: str) -> str:
    """Return the mark that cites the publications of a method card."""
    return papers(*method_card.method_card(card).papers)


def cite(card: str, after: str = "") -> str:
    """Return the phrase of a method card, then `after`, then its citations."""
    return f"{method_card.method_card(card).phrase}{after}{papers_of(card)}"


# -- data ---------------------------------------------------------------------------------------


def compared(c: Comparison) -> str:
    """Return which algorithms were compared, on what, by which measures."""
    names = c.results.algorithms
    verb = "evaluated" if len(names) == 1 else "compared"
    counted, listed = spell_count(len(names), c.noun), join_names(names, MANY_NAMES)
    return f"We {verb} {counted} ({listed}){compared_on(c)}{_by_measures(c)}."


def compared_on(c: Comparison) -> str:
    """Return the phrase for the data sets compared, " on 38 data sets", or ""."""
    datasets, size, settings = c.results.datasets, c.results.size_label, c.settings
    if c.results.published is not None:
        return f" on {size}" if size else ""
    if settings.only and not settings.dataset:
        sets = (
            f"{datasets[0]}, a data set" if len(datasets) == 1 else f"the {len(datasets)} data sets"
        )
        return f" on {sets} {describe_group(settings)}"
    if isinstance(c, BenchmarksComparison):
        return f" on {spell_count(len(datasets), 'benchmark')}"
    return f" on {c.dataset_label if len(datasets) == 1 else size}"


def _by_measures(c: Comparison) -> str:
    """Return the phrase for the measures, " by error (lower is better)", "" if there are none."""
    if c.shape.decided_elsewhere:
        return ""
    if c.together:
        return f" by {_names_of_measures(c.together)} jointly"
    return f" by {c.measure_name if isinstance(c, PublishedWins) else c.measure_label}"


def _names_of_measures(measures: Collection[str]) -> str:
    return join_names([measure_name(measure) for measure in measures], 9)


def left_out(names: Collection[str], noun: str) -> str:
    """Return which algorithms or data sets were excluded."""
    if not names:
        return ""
    nouns = noun if len(names) == 1 else f"{noun}s"
    listed = join_names(list(names), MANY_NAMES)
    return f"The {nouns} {listed} {_was(names)} excluded from the analysis."


def _was(names: Collection[str]) -> str:
    return "was" if len(names) == 1 else "were"


def none_missing(c: Comparison) -> str:
    """Return that no results are missing, "" if some are or that is not known."""
    results = c.results
    if results.published is not None or results.choices:
        return ""
    missed = remaining_missing(results, c.measures_compared)
    return "" if missed else "There were no missing results."


# -- how results were obtained ------------------------------------------------------------------


def origin(c: Comparison) -> str:
    """Return how the results of an algorithm were obtained, and by what they were paired."""
    match c:
        case TrainingsComparison():
            runs = spell_count(c.n_trainings, "run")
            return f"Each algorithm had {runs}, evaluated on the same instances of one test set."
        case CasesComparison():
            return _origin_of_instances(c.cases)
        case BenchmarksComparison():
            runs = f", in {c.n_trainings} runs" if c.n_trainings > 1 else ""
            return f"All models were evaluated on the same instances of each benchmark{runs}."
        case PublishedRanks():
            return f"Their average ranks over {c.counted} (1 = best) {_TAKEN}"
        case PublishedDecisions():
            return f"{_published_decisions(c)} {_TAKEN}"
        case PublishedWins():
            return f"The numbers of wins over {c.counted} {_TAKEN}"
    return _origin_of_averages(c)


def _origin_of_averages(c: Comparison) -> str:
    """Return how the results of folds or data sets were obtained."""
    results = c.results
    if results.design == "single":
        each = "algorithm and data set" if len(results.datasets) > 1 else "algorithm"
        return f"There was one result per {each}."
    if len(results.datasets) == 1:
        unit = c.unit if isinstance(c, OnOneDataset) else "fold"
        if isinstance(c, OnFolds) and c.method is not None and c.method.on_instances:
            return (
                f"Results came from {_resampling(results)}. The predictions of all {unit}s were"
                " pooled and paired by instance."
            )
        return f"Results came from {_resampling(results)} and were paired by {unit}."
    if isinstance(c, OnWins):
        unit = "run" if results.design in ("common test set", "seeds") else "fold"
        return (
            f"Results on each data set came from {_resampling(results)} and were paired by {unit}."
        )
    averaged = "the folds of " if results.design in _OF_FOLDS else ""
    return f"Results on each data set were averaged over {averaged}{_resampling(results)}."


def _resampling(results: Results) -> str:
    """Return the phrase for the resampling design."""
    if results.design in (*_OF_FOLDS, "leave-one-out"):
        return results.design_label
    return _RESAMPLING.get(results.design, "its folds")


def _origin_of_instances(cases: CaseTable) -> str:
    """Return how often each instance of a test set was answered, and what was averaged."""
    if cases.answers == 1:
        return "All models were evaluated on the same instances of one test set."
    if cases.runs_averaged:
        return _averaged_runs(cases)
    return f"{_answered(cases)} {_averaged_answers(cases)}"


def _averaged_runs(cases: CaseTable) -> str:
    fewest, most = cases.fewest_answers, format_count(cases.answers, "run")
    if cases.value is None:
        averaged = f"measures of the {format_count(fewest, 'run')} of every model"
    else:
        averaged = "values of each instance"
        most = f"{fewest} to {most}" if fewest < cases.answers else most
    return (
        f"The models predicted every instance of one test set in {most}. The {averaged} were"
        " averaged, and the tests are over instances. The runs are fixed, so their variability is"
        " not included."
    )


def _answered(cases: CaseTable) -> str:
    every = "Each model answered every instance of one test set"
    if cases.n_fewer:
        fewer = format_count(cases.n_fewer, "instance")
        return (
            f"{every} {cases.fewest_answers} to {cases.answers} times."
            f" For {fewer}, a model had fewer than {cases.answers} answers."
        )
    varies = cases.fewest_answers < cases.answers and cases.value is None
    return f"{every} {'up to ' if varies else ''}{spell_count(cases.answers, 'time')}."


def _averaged_answers(cases: CaseTable) -> str:
    if cases.value is not None:
        averaged = "answers"
    elif cases.fewest_answers == cases.answers:
        averaged = "measures of the answers"
    else:
        runs = format_count(cases.fewest_answers, "run")
        averaged = f"measures of the {runs} with answers of every model"
    return f"The {averaged} were averaged, and the tests are over instances."


def _published_decisions(c: PublishedDecisions) -> str:
    """Return the subject of the sentence on published decisions."""
    decided = (
        "algorithms differ significantly"
        if c.ordering is None
        else "algorithm is significantly better than another"
    )
    over = f" over {c.published.over}" if c.published.over else ""
    return f"The decisions on which {decided}{over}"


# -- tests --------------------------------------------------------------------------------------


def tests(c: Comparison) -> str:
    """Return the tests on which the decisions are based."""
    if c.obstacle and not isinstance(c, UntestedComparison):
        return _obstacle(c)
    return _TESTS[type(c)](c)


def _obstacle(c: Comparison) -> str:
    if c.obstacle != "identical":
        return "No test was possible."
    of_all = "" if len(c.order) == 2 else f" of all {c.noun}s"
    same = "differed by rounding errors only" if rounding_only(c) else "were identical"
    return f"The results{of_all} {same} {everywhere(c)}, so no test was possible."


# -- tests over data sets -----------------------------------------------------------------------


def _ranking(c: ByAverageRanks) -> str:
    ranked = "On each data set, the algorithms were ranked (1 = best, ties averaged)."
    return f"{ranked} {_omnibus_of_ranks(c)}."


def _omnibus_of_ranks(c: ByAverageRanks) -> str:
    """Return the sentence on the omnibus test of average ranks, without its full stop."""
    return f"Differences among average ranks were tested with the {_cited_omnibus(c)}"


def _cited_omnibus(c: Comparison) -> str:
    """Return the name of the omnibus test with its publications."""
    planned = c.tests_of_design.omnibus
    assert planned is not None  # of ranks, there is one
    if planned.card != "iman_davenport":
        return cite(planned.card)
    # published by different authors than the test that it modifies
    friedman, modified = papers_of("friedman"), papers_of("iman_davenport")
    return f"Friedman test{friedman} in the form of Iman and Davenport{modified}"


def _pairs_of_ranks(c: ByAverageRanks) -> str:
    pairs = spell_count(c.guarantee.comparisons, "pair")
    return f"All {pairs} were then compared with {_by_test_of_pairs(c)}"


def _ranks(c: RanksComparison) -> str:
    return f"{_ranking(c)} {_pairs_of_ranks(c)}"


def _present(c: PresentComparison) -> str:
    pairs = spell_count(c.guarantee.comparisons, "pair")
    return (
        "On each data set, the algorithms with a result were ranked. Differences among the ranks"
        f" were tested with the {_cited_omnibus(c)}. All {pairs} were then compared on the data"
        f" sets with results of both algorithms, with {_by_test_of_pairs(c)}"
    )


def _control(c: ControlComparison) -> str:
    others = spell_count(len(c.adjusted), "algorithm")
    return (
        f"{_ranking(c)} {c.control} was the control. The other {others} were compared with"
        f" {c.control} by {_by_test_of_pairs(c)}"
    )


def _by_test_of_pairs(c: Comparison) -> str:
    """Return the pairwise test, from within a sentence, then its estimates and intervals."""
    planned = c.tests_of_design.pairwise
    test = f"{'' if planned.method is None else 'the '}{cite(planned.card)}"
    if planned.correction is None:
        difference = c.critical_difference if isinstance(c, ByAverageRanks) else None
        critical = f" (critical difference of average ranks {difference or 0:.3f})"
        return f"{test}{critical}{_control_of_errors(c)}"
    assumed = _SYMMETRY if c.estimate is Estimate.PSEUDO_MEDIAN else ""
    return join_sentences(
        f"{test}{_adjustment(c, planned.correction)}", assumed, _estimated(c), _intervals(c)
    )


def _two(c: TwoComparison) -> str:
    exact = "exact" if c.wilcoxon.method.exact else "normal approximation"
    zeros = (
        f", zero differences handled as in Pratt{papers('pratt1959')}" if c.wilcoxon.n_zero else ""
    )
    return (
        f"The paired results were compared with the {cite(c.tests_of_design.pairwise.card)}"
        f" (two-sided, {exact}, {level(c)}{zeros})."
        f" The difference {c.first} {MINUS} {c.second} is reported as the Hodges-Lehmann estimate"
        f" with its {interval_words(c)}{papers_of('hodges_lehmann_interval')}. {_SYMMETRY}"
    )


# -- tests on folds -----------------------------------------------------------------------------


def _folds(c: FoldsComparison) -> str:
    omnibus, planned = c.tests_of_design.omnibus, c.tests_of_design.pairwise
    pairs = spell_count(c.guarantee.comparisons, "pair")
    then = "" if omnibus is None else "then "
    if planned.method is None:
        controlled = _control_of_errors(c, joined=" and")
        test = f"{cite(planned.card)}, which assumes sphericity{controlled}"
    else:
        test = f"the {cite(planned.card)}{_adjustment(c, c.correction)}"
    has_intervals = c.low.notna().to_numpy().any()
    return join_sentences(
        "" if omnibus is None else _omnibus_of_folds(omnibus),
        f"All {pairs} were {then}compared with {test}",
        _estimated(c),
        _intervals(c) if has_intervals else "",
        _overlap_of_folds(c, variance_factor(c)),
        "" if planned.method is None else f"Assumptions of the tests: {planned.method.assumes}",
    )


def _omnibus_of_folds(planned: PlannedTest) -> str:
    over = {
        "friedman": ", over folds instead of data sets",
        "cochran_q": ", on single instances",
    }.get(planned.card, "")
    article = "an" if planned.card == "anova" else "the"
    cited = cite(planned.card, over)
    return f"Differences among all algorithms were tested with {article} {cited}."


def _fold_pair(c: FoldPairComparison) -> str:
    planned = c.tests_of_design.pairwise
    assert planned.method is not None  # the tests of two algorithms on folds have records
    factor = getattr(c.chosen.outcome, "factor", 1.0)
    return join_sentences(
        f"{c.first} and {c.second} were compared with the {cite(planned.card)} (two-sided,"
        f" {level(c)}).",
        _estimated(c),
        _overlap_of_folds(c, factor),
        f"Assumptions of the test: {planned.method.assumes}",
    )


def _overlap_of_folds(c: OnFolds, factor: float) -> str:
    """Return how the overlap of training sets, or one common test set, was taken into account."""
    if factor != 1:
        limit = ""
        if c.max_df is not None:
            limit = (
                f", and at most {c.max_df} degrees of freedom were used instead of all"
                f" {c.published_df}"
            )
        return f"{_overlap(factor, factor, c.unit)}{limit}."
    if c.design == "common test set":
        return "All runs shared one test set, so the results apply to this test set only."
    return _independent(c.unit) if c.overlap_ignored else ""


def _overlap(low: float, high: float, unit: str = "fold") -> str:
    """Return the sentence on the correction for overlap, without its full stop."""
    varying = "" if low == high else f" to {high:.4g}, depending on the data set"
    return (
        f"Because training sets of different {unit}s overlap, the variance of a mean was"
        f" multiplied by {low:.4g}{varying}{papers_of('overlap_factor')}"
    )


def _independent(unit: str = "fold") -> str:
    units = f"{capitalize_first(unit)}s"
    return f"{units} were assumed independent. The tests are liberal if training sets overlap."


# -- tests on several measures ------------------------------------------------------------------


def _several_measures(c: SeveralOnMeasures) -> str:
    pairs = spell_count(c.guarantee.comparisons, "pair")
    wilks = cite("manova", " (Wilks' lambda, Rao's F)")
    also = (
        f"Each measure was also tested with an {cite(planned.card)}, which does not decide on"
        " pairs."
        for planned in c.plan
        if not planned.decides
    )
    return join_sentences(
        f"Differences among mean vectors were tested with a {wilks}. All {pairs} were then compared"
        f" with the {cite('hotelling_paired')}{_adjustment(c, c.correction, sided='')}",
        "The dimension of the differences between mean vectors was determined by Bartlett's"
        f" sequential χ² tests{papers_of('manova_dimension')}.",
        _dimensions_used(c),
        _overlap_of_vectors(c, c.manova.factor),
        *also,
    )


def _pair_on_measures(c: PairOnMeasures) -> str:
    univariate = "".join(cite(planned.card) for planned in c.plan if not planned.decides)
    return join_sentences(
        f"The vectors of measures were compared with the {cite('hotelling_paired')} ({level(c)}).",
        _dimensions_used(c),
        _overlap_of_vectors(c, c.hotelling.factor),
        f"Each measure was also compared with the {univariate}, with p-values adjusted over the"
        f" {spell_count(len(c.measures), 'measure')}.",
    )


def _dimensions_used(c: OnMeasures) -> str:
    """Return which measures are constant within a fold, and the dimension that remains."""
    constant = c.space.constant
    if not constant:
        return ""
    return (
        f"Within a fold, {join_names(constant)} {_was(constant)} the same for every algorithm, so"
        " the degrees of freedom were based on"
        f" {spell_count(c.space.dimension, 'dimension')} instead of {spell_count(len(c.measures))}."
    )


def _overlap_of_vectors(c: OnMeasures, factor: float) -> str:
    if factor == 1:
        return "Folds were assumed independent."
    limit = ""
    if c.max_df is not None:
        limit = f", and at most {c.max_df} degrees of freedom were used (conservative form)"
    return f"{_overlap(factor, factor)}{limit}."


# -- wins over data sets ------------------------------------------------------------------------


def _wins(c: WinsComparison) -> str:
    skipped = ""
    if c.skipped:
        n_skipped = format_count(len(c.skipped), "data set")
        names = join_names(list(c.skipped), MANY_NAMES)
        skipped = f"{n_skipped} could not be decided and {_was(c.skipped)} left out: {names}."
    return join_sentences(
        _wins_at_thresholds(c) if c.sweeps else _wins_by_risk(c),
        skipped,
        f"Over {c.counted}, the wins and losses of {_compared_by_wins(c)} were compared with the"
        f" exact sign test{papers('demsar2006', 'aslan2009')}{_sign_tests(c)}",
    )


def _compared_by_wins(c: OnWins) -> str:
    """Return the phrase for the algorithms whose wins are compared."""
    return join_names(c.results.algorithms) if len(c.wins) == 2 else "each pair"


def _sign_tests(c: OnWins) -> str:
    """Return how ties and several comparisons are treated, from within a sentence."""
    if len(c.wins) == 2:
        return f" ({_TIES}, two-sided, {level(c)})."
    return _adjustment(c, c.correction, sided=f" ({_TIES}, two-sided)")


def _wins_by_risk(c: WinsComparison) -> str:
    correction = adjust.usable_correction(c.settings.correction, len(c.wins))
    hotelling = f"paired Hotelling T² test{papers_of('hotelling_paired')}"
    lower = _lower_cost(c, "0.5 FP + 0.5 FN of a fold", correction)
    several = (
        f"A {_manova_of_wins(c)} was computed for each data set, but pairs were tested regardless"
        " of its result."
    )
    return join_sentences(
        f"On each data set, an algorithm won against another if {_names_of_measures(c.measures)}"
        f" differed significantly ({hotelling}{_adjusted_over_pairs(c, correction)}, {level(c)})"
        f" and its expected cost was lower{lower}.",
        several if len(c.wins) > 2 else "",
        _overlap_of_wins(c),
    )


def _wins_at_thresholds(c: WinsComparison) -> str:
    first, second, last = THETAS[0], THETAS[1], THETAS[-1]
    several = len(c.wins) > 2
    test = "paired Hotelling T² test"
    tests_of_each = f"a {_manova_of_wins(c)}, then the {test}" if several else test
    adjusted = _adjusted_over_pairs(c, "bonferroni")
    each = "each at " if several else ""
    lower = _lower_cost(c, "θ FP + (1 − θ) FN", "bonferroni")
    return join_sentences(
        f"On each data set, we used {len(THETAS)} thresholds of the scores, θ = {first:g},"
        f" {second:g}, ..., {last:g}{papers('aslan2009')}. Scores outside [0, 1] were transformed by"
        " the logistic function. At a threshold, an algorithm won against another if"
        f" {_names_of_measures(c.measures)} differed significantly"
        f" ({tests_of_each}{papers_of('hotelling_paired')}{adjusted}, {each}{level(c)}) and its"
        f" expected cost was lower{lower}. The p-values were not adjusted for the number of"
        " thresholds.",
        _overlap_of_wins(c),
        "An algorithm won against another on a data set if it won at significantly more thresholds"
        f" (right-tailed sign test, {level(c)}, {_TIES}). Because neighbouring thresholds share"
        " instances, this is a rule for counting wins and not a valid test.",
    )


def _manova_of_wins(c: WinsComparison) -> str:
    """Return the phrase for the multivariate analysis of variance on a data set."""
    return (
        f"multivariate analysis of variance of {_names_of_measures(c.measures)} with folds as"
        f" blocks by Wilks' lambda{papers_of('manova')}"
    )


def _adjusted_over_pairs(c: WinsComparison, correction: str) -> str:
    """Return the phrase for the adjustment of the tests on a data set; "" for one pair."""
    if len(c.wins) == 2:
        return ""
    if correction == "none":
        return ", not adjusted for multiple comparisons"
    return f", adjusted over pairs with {cite(correction)}"


def _lower_cost(c: WinsComparison, cost: str, correction: str) -> str:
    """Return the expected cost and its test, in parentheses."""
    test = ""
    if c.settings.win == "risk":
        is_corrected = any(factor != 1 for factor in c.factors.values())
        card = "corrected t" if is_corrected else "paired t"
        test = (
            f", significantly lower in a two-sided paired t test of expected cost{papers_of(card)}"
        )
        if len(c.wins) > 2 and correction != "none":
            test += ", with the same adjustment"
    return f" ({cost}{papers('aslan2009')}{test})"


def _overlap_of_wins(c: WinsComparison) -> str:
    low, high = min(c.factors.values()), max(c.factors.values())
    if high != 1:
        return f"{_overlap(low, high)}."
    if "common test set" in {c.results.design_of(name) for name in c.factors}:
        return (
            "The tests were not corrected for the dependence of folds, because no correction is"
            " known for this design."
        )
    return _independent()


# -- instances of a test set, or of several benchmarks ------------------------------------------


def _instances(c: CasesComparison) -> str:
    return join_sentences(
        _omnibus_of_instances(c),
        _pairs_on_instances(c),
        _clusters(c),
        _intervals(c),
        _intervals_of_instances(c),
        _rank_intervals(c),
        _losses_in_time(c) if c.way == "diebold-mariano" else "",
        _population_of_instances(c),
    )


def _omnibus_of_instances(c: CasesComparison) -> str:
    planned = c.tests_of_design.omnibus
    if planned is None:
        return ""
    test = (
        f"{planned.name}{' test' if planned.card == 'cochran_q' else ''}{papers_of(planned.card)}"
    )
    return (
        f"Differences among all models on the {c.counted} of the test set were tested with {test}."
    )


def _pairs_on_instances(c: CasesComparison) -> str:
    variant = _variant(c)
    if len(c.tests) == 1:
        names = join_names(sorted(c.order))
        return (
            f"{names} were compared in {c.measure_name} on the {c.counted} of the test set with"
            f" {_tests_of_pairs(c)} ({variant}two-sided, {level(c)})."
        )
    if c.control:
        others = spell_count(len(c.tests), c.noun)
        subject = f"{c.control} was the control. The other {others} were compared with {c.control}"
    else:
        then = "" if c.tests_of_design.omnibus is None else "then "
        subject = f"All {spell_count(len(c.tests), 'pair')} were {then}compared"
    where = f" on the {c.counted} of the test set" if c.tests_of_design.omnibus is None else ""
    adjusted = _adjustment(c, c.correction, sided=f" ({variant}two-sided)")
    return f"{subject} in {c.measure_name}{where} with {_tests_of_pairs(c)}{adjusted}"


def _variant(c: CasesComparison) -> str:
    """Return the variant of the tests as a phrase before "two-sided"."""
    if c.way == "diebold-mariano" and c.settings.horizon > 1:
        return f"horizon {c.settings.horizon}, "
    return "".join(
        f"{_permuted(planned.permutations)}, "
        for planned in c.plan
        if planned.permutations is not None
    )


def _permuted(permutations: Permutations) -> str:
    """Return the numbers of permutations: "9,999 random permutations, seed 0"."""
    if not permutations.drawn:
        return "all permutations"
    fewest, most = permutations.drawn[0], permutations.drawn[-1]
    numbers = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    listed = ", or all permutations if there are few" if permutations.listed else ""
    return f"{numbers} random permutations, seed 0{listed}"


def _tests_of_pairs(c: CasesComparison) -> str:
    """Return the names of the pairwise test and of the one that replaces it for constant areas."""
    named = list(_named_tests(c))
    return named[0] + "".join(
        f", or with {other} where a difference of two areas does not vary" for other in named[1:]
    )


def _named_tests(c: CasesComparison) -> Iterator[str]:
    """Yield the name of each pairwise test with its publications."""
    for planned in c.plan:
        if planned.role is not Role.PAIRWISE:
            continue
        article = "" if planned.card == "delong" else "the "
        if c.way == "answers":
            yield f"{article}{planned.name_of_one}{papers_of(planned.card)}"
        else:
            yield f"{article}{cite(planned.card)}"


def _clusters(c: CasesComparison) -> str:
    if not c.how.of_clusters:
        return ""
    units = (
        "Clusters were the independent units (effective number"
        f" {c.effective_clusters:.1f}{papers('kish1965')})."
    )
    if c.how.card != "two_way_test":
        return units
    return (
        f"{units} The variance over clusters was CR2, with the degrees of freedom of Bell and"
        f" McCaffrey{papers('bell2002')}."
    )


def _intervals_of_instances(c: CasesComparison) -> str:
    """Return how the intervals were computed, where they are not those of the test."""
    if c.how.card == "swap_test" and (c.n_clusters or c.cases.value is not None):
        return "Intervals contain the differences that the permutation test does not reject."
    if c.way == "mcnemar":
        end = (
            ", with the end closer to 0 set to 0 if it disagreed with the exact test"
            if c.extended
            else ""
        )
        newcombe = papers("newcombe1998")
        return f"The interval of a difference in {c.measure_name} is Newcombe's{newcombe}{end}."
    return ""


def _rank_intervals(c: CasesComparison | BenchmarksComparison) -> str:
    if c.rank_intervals() is None:
        return ""
    return (
        f"The ranks of all models have simultaneous {ci(c.settings.alpha)}s from stepdown tests of"
        f" all differences{papers_of('rank_intervals')}."
    )


def _losses_in_time(c: CasesComparison) -> str:
    losses, horizon = _LOSSES_IN_TIME.get(c.settings.measure), c.settings.horizon
    compared_losses = f"The losses compared were {losses}." if losses else ""
    if horizon > 1:
        assumed = (
            "Their differences were assumed stationary, and uncorrelated over"
            f" {horizon} or more steps."
        )
    else:
        assumed = (
            "Their differences were assumed stationary. The variance of the mean was estimated from"
            " equally weighted cosine coefficients, with fixed-b critical"
            f" values{papers('lazarus2018')}."
        )
    return join_sentences(compared_losses, assumed)


def _population_of_instances(c: CasesComparison) -> str:
    if c.way == "diebold-mariano":
        return "The tests concern these models at other times of the same stationary process."
    if c.scope == "cases":
        return "The tests concern these models on other instances of the same population."
    return (
        "The tests concern the algorithms on other instances of the same population and new runs."
    )


def _benchmarks(c: BenchmarksComparison) -> str:
    if c.exact:
        cited = papers("mcnemar1947", "mantel1959", "agresti2013")
        combined = (
            "The disagreements of all benchmarks were added, which conditions on benchmark and"
            " instance."
        )
        newcombe = papers("newcombe1998", "donner2012")
        ends = (
            f"Intervals combine Newcombe's intervals of the benchmarks{newcombe}, with the end"
            " closer to 0 set to 0 if it disagreed with the exact test."
        )
    else:
        cited = papers("satterthwaite1946")
        combined = (
            f"The differences were weighted by the numbers of {c.counted.several}, with"
            " Satterthwaite's degrees of freedom."
        )
        ends = "The intervals are those of the t test."
    models = "the algorithms in new runs and on" if c.n_trainings > 1 else "these models on"
    return join_sentences(
        _pairs_on_benchmarks(c, f"the {c.tests_of_design.pairwise.name_of_one}{cited}"),
        combined,
        _intervals(c),
        ends,
        "The mean of the benchmarks gives each benchmark the same weight. Whether the differences"
        f" vary between benchmarks was tested with the {cite('welch_test')}.",
        _rank_intervals(c),
        f"The tests concern {models} other instances of these benchmarks, not other benchmarks.",
    )


def _pairs_on_benchmarks(c: BenchmarksComparison, test: str) -> str:
    where = f"in {c.measure_name} over {c.where} with {test}"
    if len(c.order) == 2:
        names = join_names(sorted(c.order))
        return f"{names} were compared {where} (two-sided, {level(c)})."
    adjusted = _adjustment(c, c.correction)
    if c.control:
        others = spell_count(len(c.order) - 1, c.noun)
        return (
            f"{c.control} was the control. The other {others} were compared with {c.control}"
            f" {where}{adjusted}"
        )
    return f"All {spell_count(c.guarantee.comparisons, 'pair')} were compared {where}{adjusted}"


# -- published results, or none -----------------------------------------------------------------


def _published_ranks(c: PublishedRanks) -> str:
    return f"{_omnibus_of_ranks(c)}, without a correction for ties. {_pairs_of_ranks(c)}"


def _published_wins(c: PublishedWins) -> str:
    return (
        f"The wins and losses of {_compared_by_wins(c)} were compared with the exact"
        f" {cite('sign_test')}{_sign_tests(c)}"
    )


def _published_groups_or_order(c: PublishedDecisions) -> str:
    if c.ordering is None:
        return (
            "We report the maximal groups of algorithms without a significant"
            f" difference{papers_of('cliques')}."
        )
    prior = join_names(list(c.ordering.prior), MANY_NAMES)
    return (
        f"The algorithms were ordered with MultiTest{papers_of('multitest')} from the prior order"
        f" {prior}. At each step, the first remaining algorithm that was not significantly worse"
        " than a later one was placed next."
    )


def _untested(c: UntestedComparison) -> str:
    return "No test was possible."


# sentences on the tests of each kind of comparison
_TESTS: dict[type[Comparison], Callable[..., str]] = {
    RanksComparison: _ranks,
    PresentComparison: _present,
    ControlComparison: _control,
    TwoComparison: _two,
    FoldsComparison: _folds,
    FoldPairComparison: _fold_pair,
    SeveralOnMeasures: _several_measures,
    PairOnMeasures: _pair_on_measures,
    WinsComparison: _wins,
    CasesComparison: _instances,
    TrainingsComparison: _instances,
    BenchmarksComparison: _benchmarks,
    UntestedComparison: _untested,
    PublishedRanks: _published_ranks,
    PublishedWins: _published_wins,
    PublishedDecisions: _published_groups_or_order,
}


# -- adjustment, estimates, intervals -----------------------------------------------------------


def _adjustment(c: Comparison, correction: str, *, sided: str = " (two-sided)") -> str:
    """Return the sidedness of the tests, then a sentence on the adjustment of their p-values."""
    bounds = c.guarantee.bounds
    if correction == "none":
        each = " for each comparison" if bounds == "each" else ""
        return f"{sided}. P-values were not adjusted for multiple comparisons ({level(c)}{each})."
    controlled = _control_of_errors(c, correction)
    return f"{sided}. P-values were adjusted with {cite(correction)}{controlled}"


def _control_of_errors(c: Comparison, correction: str = "", *, joined: str = ", which") -> str:
    """Return the end of a sentence: the error rate controlled, and what this assumes."""
    bounds = c.guarantee.bounds
    if bounds == "nothing":
        controlled = f" ({level(c)})."
    else:
        rate = bounds if bounds == FDR else "family-wise error rate"
        weakly = " only if no algorithms differ" if bounds == "global null" else ""
        weak = "weak control, " if bounds == "global null" else ""
        controlled = f"{joined} controls the {rate}{weakly} ({weak}{level(c)})."
    if correction and correction not in LOGICAL and method_card.method_card(correction).assumes:
        return f"{controlled} The procedure assumes that the tests are independent or positively dependent."
    return controlled


def _estimated(c: Comparison) -> str:
    """Return what is reported as the difference, unless it is one of means or instances."""
    match c.estimate:
        case Estimate.PSEUDO_MEDIAN:
            cited = papers_of("hodges_lehmann_interval")
            return f"Differences are reported as Hodges-Lehmann estimates{cited}."
        case Estimate.MEDIAN:
            return "Differences are reported as medians."
        case Estimate.FIRST_FOLD:
            return "Differences are reported for the first fold, from which the test is computed."
        case _:
            return ""


def _intervals(c: Comparison) -> str:
    """Return what the intervals of the differences guarantee."""
    guarantees, name = c.pairs.guarantees(), f"{ci(c.settings.alpha)}s"
    sentences = []
    if "unadjusted" in guarantees:
        sentences.append(f"The {name} of the differences were not adjusted.")
    if "selection-adjusted" in guarantees:
        selected = papers("benjamini2005")
        sentences.append(
            f"The {name} of significant differences were adjusted for selection{selected}."
        )
    if "simultaneous" in guarantees:
        other = "other " if len(guarantees) > 1 else ""
        level = f" (confidence level 1 − α/{c.guarantee.comparisons})"
        by_design = "" if c.pair_test == TUKEY else level
        sentences.append(f"The {name} of the {other}differences were simultaneous{by_design}.")
    return " ".join(sentences)


def equivalence(c: Comparison) -> str:
    """Return the margin of equivalence and its tests; "" without a margin or intervals."""
    margin, alpha = c.settings.margin, c.settings.alpha
    if margin is None or not c.equivalence.results:
        return ""
    unit = "common units" if c.together else c.measure_name
    narrow, wide = format_percent(1 - 2 * alpha), format_percent(1 - alpha)
    two_one_sided = papers(method_card.method_card("against_region").papers[0])
    return (
        f"The equivalence margin was ±{margin:g} in {unit}. Two algorithms were called equivalent"
        f" if the {narrow} CI of their difference lay inside the margin (two one-sided"
        f" tests){two_one_sided}. An algorithm was called better by more than {margin:g} if the"
        f" difference was significant and its {wide} CI lay beyond the margin. These tests used"
        f" {region_family(c)}."
    )


# -- checks of assumptions ----------------------------------------------------------------------


def checks(c: Comparison) -> str:
    """Return the tests that reject an assumption, and the additional tests on folds."""
    failures = [failed for planned in c.plan for failed in planned.failed]
    checked = [failed.check for failed in failures]
    return join_sentences(
        *map(_check_of_normality, failures),
        *(_additional(planned) for planned in c.plan if c.shape.folds and not planned.decides),
        _check_of_sphericity() if "sphericity" in checked else "",
        _check_of_vectors() if "mardia" in checked else "",
        _check_of_symmetry(c) if "symmetric_differences" in checked else "",
    )


def _check_of_normality(failed: FailedAssumption) -> str:
    if failed.check not in ("normality", "normal_differences"):
        return ""
    is_shapiro = failed.note["test"] == "Shapiro-Wilk"
    test = (
        f"test of Shapiro and Wilk{papers_of(failed.check)}"
        if is_shapiro
        else f"{failed.note['test']} test"
    )
    return f"Normality of the {failed.note['of']} was tested with the {test}."


def _additional(planned: PlannedTest) -> str:
    return (
        f"Differences among all algorithms were also tested with an {cite(planned.card)}, which"
        " does not decide on pairs."
    )


def _check_of_sphericity() -> str:
    return (
        f"Sphericity was tested with Mauchly's test{papers_of('sphericity')}. The"
        f" Greenhouse-Geisser correction{papers('greenhouse1959')} reduces the degrees of freedom of"
        " the analysis of variance for violations of sphericity."
    )


def _check_of_vectors() -> str:
    return (
        "Multivariate normality was tested with Mardia's tests of skewness and"
        f" kurtosis{papers_of('mardia')}."
    )


def _check_of_symmetry(c: Comparison) -> str:
    adjusted = ", with p-values adjusted by Holm's procedure" if len(c.pairs) > 1 else ""
    return (
        "The symmetry of the differences was tested with the triples"
        f" test{papers_of('symmetric_differences')}{adjusted}."
    )


# -- order by cost ------------------------------------------------------------------------------


def ordered(order: Order) -> str:
    """Return how the algorithms were ordered by cost."""
    rules, several = order.rules, order.second is not None
    if rules.prior:
        prior = join_names(rules.prior, MANY_NAMES, "then")
        placed, first, later = f"placed in our prior order ({prior})", "first", "later"
    else:
        placed = f"ordered by {order_text.describe_costs(rules)}"
        first, later = "cheapest", "more expensive"
    by_rank = ""
    if several:
        by_rank = " in average cost-aware rank" if order.each else " in average rank"
    procedure = "MultiTest and Multi2Test" if several else "MultiTest"
    cited = papers("yildiz2006", "ulas2012") if several else papers("yildiz2006")
    return (
        f"The algorithms were {placed} with {procedure}{cited}. At each step, the {first} algorithm"
        f" that was not significantly worse than a {later} remaining algorithm{by_rank} was placed"
        f" next. The order was based on {order_text.paper_method(order)}"
        f"{papers(*_papers_on_order(order))}."
    )


def _papers_on_order(order: Order) -> tuple[str, ...]:
    """Return the keys of publications on the tests and procedures of an order."""
    tests_used = {on_dataset.evidence.test for on_dataset in order.each.values()}
    procedures = [order.rules.family] if order.each else []
    if order.second is not None:
        procedures.append(order.second.post_hoc)
    cards = [method_card.method_card(key) for key in (*sorted(tests_used), *procedures)]
    return tuple(dict.fromkeys(key for card in cards for key in card.papers))


# -- software -----------------------------------------------------------------------------------


def software() -> str:
    """Return the versions of the programs that were used."""
    versions = reproduce.versions()
    return (
        f"Analyses used Foldwise {versions['foldwise']} (Python {versions['python']}, NumPy"
        f" {versions['numpy']}, SciPy {versions['scipy']}, pandas {versions['pandas']})."
    )
