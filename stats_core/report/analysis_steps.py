"""Steps of the analysis by kind of comparison, each with its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch

from stats_core.comparison.cards.bibliography import cite
from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.kinds.control_and_pairs import (
    ControlComparison,
    PresentComparison,
    TwoComparison,
)
from stats_core.comparison.kinds.datasets import RanksComparison, not_symmetric
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison, OnFolds
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.instances import (
    OMNIBUS_NAMES,
    CasesComparison,
    TrainingsComparison,
)
from stats_core.comparison.kinds.measure_vectors import (
    OnMeasures,
    PairOnMeasures,
    SeveralOnMeasures,
)
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    UntestedComparison,
)
from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.comparison.result import Comparison, OmnibusTest
from stats_core.core.formatting import format_count
from stats_core.core.messages import message
from stats_core.curves.threshold_sweep import DESCRIPTIVE, THETAS
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY
from stats_core.inference.anova import TukeyResult
from stats_core.inference.fold_tests import AS_IF_INDEPENDENT, CORRECTED, OVERLAP, PAIR_TESTS
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    fallback_message,
    usable_correction,
)
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.t_tests import CONSERVATIVE, PUBLISHED
from stats_core.inference.paired.vectorized_pairs import T_TESTS
from stats_core.ordering.multitest import RULE
from stats_core.report.effect_text import no_difference_possible

DEMSAR = cite("demsar2006")
IRSOY = cite("irsoy2012")
THESIS = cite("aslan2009")
MULTIVARIATE = cite("yildiz2011")
_DIETTERICH = cite("dietterich1998")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of an analysis.

    Attributes
    ----------
    question : str
        Question that the step answers.
    test : str
        The test, or the procedure if nothing is tested.
    why : str
        Why this one, in one sentence.
    reference : str
        Where that is argued.
    papers : str
        Choice of published papers, "" if it is the same.
    fails : str
        Assumptions that fail here, and their treatment; "" if none is known to fail.
    advised : bool
        Whether it is one of the tests that `Advice.test` names.
    """

    question: str
    test: str
    why: str
    reference: str
    papers: str = ""
    fails: str = ""
    advised: bool = False


def _averages(results: Results) -> Step:
    """Return the step that describes averages over data sets."""
    return Step(
        question="What is one result?",
        test=f"the average on a data set ({results.design_label})",
        why="Each data set counts once, whatever its number of folds; folds of one data set are "
        "not independent of one another.",
        reference=f"{DEMSAR}, section 3.1; {IRSOY}, section IV.C",
    )


def _folds(unit: str, design: str, label: str, fails: str) -> Step:
    """Return the step that describes results on folds of one data set."""
    thesis = "The thesis has 30 training sets from 30 folds and tests them on one test set."
    return Step(
        question="What is one result?",
        test=f"one {unit} ({label})",
        why="Paired results on the same folds show how much both training and test sets change a "
        "difference.",
        reference=f"{_DIETTERICH}; {IRSOY}, section III",
        papers=thesis if design == "5x2" else f"{IRSOY} work on 5 x 2 folds. {thesis}",
        fails=fails,
    )


def _groups() -> Step:
    """Return the step that forms groups of pairs without a difference."""
    return Step(
        question="Which belong together?",
        test="maximal groups without a separated pair",
        why="Every pair that is not separated is in a group, and no separated pair is.",
        reference=reference_of("compact_letters"),
        papers=f"{IRSOY}, section IV.B, underline from the ends inwards and do not look inside a "
        "group once it is accepted.",
    )


def _all_ranks(fails: str) -> Step:
    """Return the step of the omnibus test on ranks."""
    return Step(
        question="Do the algorithms differ at all?",
        test="Iman-Davenport",
        why=method_card("iman_davenport").why,
        reference=reference_of("iman_davenport"),
        papers=f"{IRSOY} take Friedman's test and name this F as the improved statistic; the "
        "thesis runs an analysis of variance on each data set and counts the wins.",
        fails=fails,
        advised=True,
    )


def _joined(sentences: Iterable[object]) -> str:
    """Join sentences by blanks, skipping empty ones."""
    return " ".join(str(sentence) for sentence in sentences if sentence)


@singledispatch
def describe_steps(comparison: Comparison) -> list[Step]:
    """Return the analysis steps, each with its reason and the choice of published papers."""
    raise NotImplementedError(comparison.kind)


@describe_steps.register
def _ranks_steps(c: RanksComparison) -> list[Step]:
    """Return the analysis steps for algorithms over data sets (scenario 4, Irsoy et al.)."""
    card = method_card(c.settings.correction)
    papers = (
        "The thesis takes the sign test of wins with Bonferroni, with Nemenyi's test beside it."
    )
    if c.settings.correction != "nemenyi":
        papers = f"{IRSOY} take Nemenyi's test, which finds less. {papers}"
    pairs = Step(
        question="Which pairs differ?",
        test=c.post,
        why=card.why,
        reference=card.reference,
        papers=papers,
        fails=no_difference_possible(c) or _joined(not_symmetric(c.symmetry())),
        advised=True,
    )
    first = _all_ranks(_joined(c.omnibus.warnings))
    return [_averages(c.results), first, pairs, _groups()]


@describe_steps.register
def _present_steps(c: PresentComparison) -> list[Step]:
    """Return the analysis steps for several algorithms with missing results."""
    first = Step(
        question="Do the algorithms differ at all?",
        test="Skillings-Mack",
        why="It is Friedman's test for tables with holes: ranks among those present, weighted "
        "by how many there are.",
        reference=reference_of("skillings_mack"),
        papers="Most leave out data sets or algorithms until no cell is missing.",
        fails=_joined(c.omnibus.warnings),
        advised=True,
    )
    pairs = Step(
        question="Which pairs differ?",
        test=c.post,
        why="Average ranks of algorithms that met different rivals are not comparable; two "
        "algorithms on the data sets that both have are.",
        reference=f"{DEMSAR}, section 3.1.3; {method_card(c.settings.correction).reference}",
        fails=no_difference_possible(c),
        advised=True,
    )
    return [_averages(c.results), first, pairs, _groups()]


@describe_steps.register
def _control_steps(c: ControlComparison) -> list[Step]:
    """Return the analysis steps for comparisons with a control over data sets."""
    card = method_card(c.settings.correction)
    comparisons = Step(
        question=f"Which differ from {c.control}?",
        test=f"each against {c.control} by {c.post}",
        why=f"{format_count(len(c.adjusted), 'comparison')} instead of all pairs. {card.why}",
        reference=f"{DEMSAR}, section 3.2.2; {card.reference}",
        papers=f"{IRSOY} and the thesis compare all pairs, also where one algorithm is new.",
        fails=no_difference_possible(c) or _joined(not_symmetric(c.symmetry())),
        advised=True,
    )
    return [_averages(c.results), _all_ranks(_joined(c.omnibus.warnings)), comparisons]


@describe_steps.register
def _two_steps(c: TwoComparison) -> list[Step]:
    """Return the analysis steps for two algorithms over data sets."""
    test = Step(
        question="Is one of the two better in general?",
        test="Wilcoxon signed-rank test",
        why=method_card("wilcoxon").why,
        reference=f"{DEMSAR}, section 3.1.3; {IRSOY}, section IV.C",
        papers="The thesis counts wins by a test on each data set and takes the sign test, "
        "which finds less.",
        fails=no_difference_possible(c) or _joined(not_symmetric(c.symmetry())),
        advised=True,
    )
    return [_averages(c.results), test]


def _fold_result(c: OnFolds) -> Step:
    """Return the analysis step that describes how the results were obtained."""
    fails = _joined(c.design_notes())
    return _folds(c.unit, c.design, c.design_label, fails)


def _not_independent(c: OnFolds) -> str:
    """Return a warning that the test assumes independent folds, or ""."""
    if c.test not in AS_IF_INDEPENDENT or c.test_fraction is None:
        return ""
    return f"This test {OVERLAP}; the corrected t test stands beside it."


def _why_this_pair(key: str) -> tuple[str, str, str]:
    """Return why a pairwise test on folds is used, its reference, and what papers use."""
    irsoy_then_thesis = f"{IRSOY} take the 5x2 cv F test on 5 x 2 folds; the thesis"
    card = method_card(key)
    papers = {
        "5x2 cv F": f"{IRSOY} do the same; the thesis takes the paired t test on k folds.",
        PUBLISHED: f"{irsoy_then_thesis} the paired t test on k folds, uncorrected.",
        CONSERVATIVE: f"{irsoy_then_thesis} the paired t test on k folds, uncorrected.",
        "paired t": f"{irsoy_then_thesis} does the same as here.",
    }.get(key, f"{irsoy_then_thesis} the paired t test on k folds.")
    reason = card.why if key in ("5x2 cv F", PUBLISHED, CONSERVATIVE, "paired t") else ""
    return reason or f"It was asked for. {PAIR_TESTS[key].assumes}", card.reference, papers


@describe_steps.register
def _folds_steps(c: FoldsComparison) -> list[Step]:
    """Return the analysis steps for several algorithms on one data set (thesis, case 2)."""
    steps = [_fold_result(c)]
    if c.first_test is not None:
        steps.append(_folds_first_step(c, c.first_test))
    steps.append(_tukey_step(c) if c.test == TUKEY else _folds_pairs_step(c))
    return [*steps, _groups()]


def _folds_first_step(c: FoldsComparison, first: OmnibusTest) -> Step:
    card, by_anova = method_card(first_card(c)), c.omnibus is c.anova
    by_ranks = "It goes with the test of pairs: both use ranks only."
    montgomery = "Montgomery, Design and Analysis of Experiments"
    return Step(
        question="Do the algorithms differ at all?",
        test=card.phrase if by_anova else first.name,
        why=by_ranks if c.omnibus is c.friedman else card.why,
        reference=f"{THESIS}, section 4.2; {montgomery}" if by_anova else card.reference,
        papers=f"{IRSOY} do not block (equation 6); the thesis blocks. Both take folds as "
        "independent."
        if by_anova
        else f"{IRSOY} and the thesis take the analysis of variance.",
        fails=_joined(c.failed_assumptions()) if by_anova else "",
        advised=True,
    )


def first_card(c: FoldsComparison) -> str:
    """Return the card of the omnibus test."""
    if c.omnibus is c.anova:
        return "anova"
    return "friedman" if c.omnibus is c.friedman else "cochran_q"


def _tukey_step(c: FoldsComparison) -> Step:
    corrected = variance_factor(c) != 1
    overlap = " Training sets share cases, which one factor allows for." if corrected else ""
    thesis = " The thesis takes Tukey's test without that factor." if corrected else ""
    return Step(
        question="Which pairs differ?",
        test=f"{TUKEY}, corrected for overlap" if corrected else TUKEY,
        why=f"{method_card(TUKEY).why}{overlap}",
        reference=reference_of(TUKEY, *(["overlap_factor"] if corrected else [])),
        papers=f"{IRSOY} take the 5x2 cv F test of each pair and name no adjustment there.{thesis}",
        advised=True,
    )


def _folds_pairs_step(c: FoldsComparison) -> Step:
    why, reference, _ = _why_this_pair(c.test)
    card, correction = method_card(c.correction), c.correction
    by = "unadjusted" if correction == "none" else f"adjusted by {CORRECTIONS[correction]}"
    no_omnibus = c.omnibus is None
    first = "run an unblocked analysis of variance first and " if no_omnibus else ""
    requested, k = c.settings.correction, len(c.order)
    fallback = fallback_message(requested, k, source=c.test, used=c.correction)
    doubt = c.normality_notes() if c.test in T_TESTS else []
    return Step(
        question="Which pairs differ?",
        test=f"{PAIR_TESTS[c.test].name} for each pair, {by}",
        why=f"{why} {card.why}",
        reference=f"{reference}; {card.reference}",
        papers=f"{IRSOY} {first}take the 5x2 cv F test of each pair and name no adjustment there; "
        "the thesis takes a blocked analysis of variance, then Tukey's test.",
        fails=_joined([_not_independent(c), *doubt, fallback, no_difference_possible(c)]),
        advised=True,
    )


def variance_factor(c: FoldsComparison) -> float:
    """Return the factor of variances that allows for overlapping training sets."""
    if isinstance(c.raw, TukeyResult):
        return c.raw.factor
    corrected = c.test in CORRECTED
    return overlap_factor(c.n_folds, c.test_fraction) if corrected else 1.0


@describe_steps.register
def _fold_pair_steps(c: FoldPairComparison) -> list[Step]:
    """Return the analysis steps for two algorithms on one data set (thesis, case 1)."""
    why, reference, papers = _why_this_pair(c.test)
    refused = "" if c.chosen.outcome is not None else c.chosen.reason
    doubt = () if c.obstacle else c.normality_notes()
    test = Step(
        question="Is one of the two better on this data set?",
        test=c.chosen.name,
        why=why,
        reference=reference,
        papers=papers,
        fails=_joined([_not_independent(c), *doubt, refused, no_difference_possible(c)]),
        advised=True,
    )
    return [_fold_result(c), test]


def _vector_result(c: OnMeasures) -> Step:
    """Return the analysis step that describes the vector of measures."""
    return _vector_text(c.measures, c.design_label, fails=_joined(c.doubts()))


def _vector_text(measures: Sequence[str], design: str, fails: str = "") -> Step:
    """Return the step stating that the vector of one fold is one result."""
    return Step(
        question="What is one result?",
        test=f"the vector ({', '.join(measures)}) of one fold ({design})",
        why="Measures taken one by one can miss what they show together.",
        reference=MULTIVARIATE,
        papers=f"{IRSOY} take one measure at a time.",
        fails=fails,
    )


def _all_and_pairs(correction: str, *, gate: bool) -> list[Step]:
    """Return the steps of MANOVA, as a gate or only reported, and of the pairwise tests."""
    role = (
        "Pairs are looked at only where it rejects."
        if gate
        else "It is reported; pairs are tested whatever it says."
    )
    named = "unadjusted" if correction == "none" else "adjusted"
    by = "" if correction == "none" else f" Adjusted by {CORRECTIONS[correction]}."
    return [
        Step(
            question="Do the algorithms differ at all when these measures count together?",
            test="MANOVA with folds as blocks",
            why=f"{method_card('manova').why} {role}",
            reference=f"{MULTIVARIATE}, section 2.2; {THESIS}, section 4.5; "
            f"{cite('rencher2002', 'chapter 6')}",
            papers="Yildiz and Alpaydin do not block; the thesis does. Both take folds as "
            "independent.",
            advised=True,
        ),
        Step(
            question="Which pairs differ?",
            test=f"paired Hotelling T2 for each pair, {named}",
            why=f"{method_card('hotelling_paired').why}{by}",
            reference=f"{MULTIVARIATE}, section 2.2; {cite('garcia2008')}",
            papers="The thesis takes the two-sample test with Bonferroni, which forgets the "
            "pairing; Yildiz and Alpaydin the paired test with Holm.",
            advised=True,
        ),
    ]


def _one_pair_step(overlap_said: str) -> Step:
    """Return the step of Hotelling's paired test."""
    return Step(
        question="Do the two differ when these measures count together?",
        test=f"paired Hotelling T2{overlap_said}",
        why=method_card("hotelling_paired").why,
        reference=f"{MULTIVARIATE}, equation 1; {cite('rencher2002', 'section 5.7')}",
        papers="The thesis has no case for two classifiers on several measures; its two-sample test "
        "forgets the pairing.",
        advised=True,
    )


def _each_measure() -> Step:
    """Return the step that explains a difference of vectors by single measures."""
    return Step(
        question="Which measures make the difference?",
        test="each measure alone, and the direction that separates most",
        why="It explains a difference of vectors; it does not decide.",
        reference=f"{MULTIVARIATE}, section 2",
    )


@describe_steps.register
def _several_measures_steps(c: SeveralOnMeasures) -> list[Step]:
    """Return the analysis steps for several measures on one data set (thesis, case 3)."""
    both = _all_and_pairs(c.correction, gate=False)
    return [_vector_result(c), *both, _groups(), _each_measure()]


@describe_steps.register
def _measure_pair_steps(c: PairOnMeasures) -> list[Step]:
    """Return the analysis steps for two algorithms on several measures."""
    corrected = ", corrected for overlap" if c.test_fraction is not None else ""
    return [_vector_result(c), _one_pair_step(corrected), _each_measure()]


@describe_steps.register
def _wins_steps(c: WinsComparison) -> list[Step]:
    """Return the analysis steps for measures (thesis, case 5) or thresholds (case 6)."""
    k, swept = len(c.wins), bool(c.sweeps)
    correction = "bonferroni" if swept else usable_correction(c.settings.correction, k)
    corrected = any(factor != 1 for factor in c.factors.values())
    overlap_said = ", corrected for overlap" if corrected else ""
    return [
        _vector_text(c.measures, c.results.design_label),
        *([_at_thresholds()] if swept else []),
        *(_all_and_pairs(correction, gate=swept) if k > 2 else [_one_pair_step(overlap_said)]),
        _who_wins(c, correction, overlap_said),
        *([_wins_of_a_sweep()] if swept else []),
        *([_sign_step(c)] if len(c.results.datasets) > 1 else []),
    ]


def _who_wins(c: WinsComparison, correction: str, overlap_said: str) -> Step:
    two, by_risk = len(c.wins) == 2, c.settings.win == "risk"
    by = "" if two or correction == "none" else f", {CORRECTIONS[correction]} over the pairs"
    return Step(
        question="Who wins?" if two else "Who wins each pair?",
        test=f"lower risk, paired t test of risk{overlap_said}{by}"
        if by_risk
        else "lower risk wherever the vectors differ",
        why=method_card("wins").why,
        reference=f"{THESIS}, section 7.1",
        papers="The thesis gives the win to the lower risk wherever the vectors differ; here the "
        "difference of risk must be significant, too."
        if by_risk
        else "",
        fails=""
        if by_risk
        else "Where two err differently at the same risk, it names a winner at random. By "
        "default the difference of risk must be significant, too.",
    )


def _sign_step(c: WinsComparison) -> Step:
    single_pair = len(c.wins) == 2
    unadjusted = single_pair or c.correction == "none"
    by = "" if unadjusted else f", {CORRECTIONS[c.correction]} over the pairs"
    return Step(
        question="Who wins on more data sets?",
        test=f"two-tailed sign test over data sets{by}",
        why="Over data sets only wins can be counted; a data set without a winner is a tie, "
        "split evenly.",
        reference=f"{THESIS}, sections 4.6 and 7.1",
        papers=""
        if single_pair or c.correction == "bonferroni"
        else "The thesis takes Bonferroni.",
        fails=no_difference_possible(c),
    )


def _at_thresholds() -> Step:
    return Step(
        question="At which thresholds?",
        test=f"theta = {THETAS[0]:g}, {THETAS[1]:g}, ..., {THETAS[-1]:g}: {len(THETAS)} thresholds",
        why="A threshold stands for a ratio of losses; the curve is all of them.",
        reference=f"{THESIS}, section 7.1",
    )


def _wins_of_a_sweep() -> Step:
    return Step(
        question="Who wins the thresholds on one data set?",
        test="right-tailed sign test over thresholds, ties split",
        why="It counts who has the lower risk at more thresholds.",
        reference=f"{THESIS}, Figure 7.1, line 25",
        fails=DESCRIPTIVE,
    )


@describe_steps.register
def _cases_steps(c: CasesComparison) -> list[Step]:
    """Return the analysis steps for trained models on one test set."""
    unit = Step(
        question="What is one result?",
        test=f"one case of the test set ({format_count(c.n_cases, 'case')})",
        why=c.advice.because[1],
        reference=f"{cite('dietterich1998')}, section 3.1",
        papers="Every scenario and case of the papers starts from several results of each "
        "algorithm.",
        fails=str(message("trained models")),
    )
    pairs = Step(
        question=f"Which of these trained models differ in {c.settings.measure}?",
        test=c.post,
        why=method_card(c.how.card).why or method_card(c.how.card).question,
        reference=reference_of(c.how.card),
        advised=True,
    )
    if c.omnibus is None:
        return [unit, pairs, *([_groups()] if len(c.tests) > 1 else [])]
    first = Step(
        question="Do the models differ at all?",
        test=OMNIBUS_NAMES[c.how.first],
        why=method_card(c.how.first).why or method_card(c.how.first).question,
        reference=method_card(c.how.first).reference,
        advised=True,
    )
    return [unit, first, pairs, _groups()]


@describe_steps.register
def _trainings_steps(c: TrainingsComparison) -> list[Step]:
    """Return the analysis steps for several trainings on one test set."""
    unit = Step(
        question="What is one result?",
        test=f"one case after one training ({format_count(c.n_cases, 'case')}, "
        f"{format_count(c.n_trainings, 'training')})",
        why=c.advice.because[1],
        reference=reference_of("two_way_test"),
        papers="The thesis tests over trainings and speaks of its test set.",
    )
    pairs = Step(
        question=f"Which algorithms differ in {c.settings.measure}?",
        test=c.post,
        why=method_card("two_way_test").why,
        reference=reference_of("two_way_test"),
        advised=True,
    )
    return [unit, pairs, *([_groups()] if len(c.tests) > 1 else [])]


@describe_steps.register
def _untested_steps(c: UntestedComparison) -> list[Step]:
    """Return the step that explains why there is no test."""
    return [
        Step(
            question="Which algorithms differ on this data set?",
            test=c.advice.test,
            why=c.advice.because[0],
            reference=f"{IRSOY}, section III",
            papers="Every scenario and case of the papers starts from several results of each "
            "algorithm.",
            advised=True,
        )
    ]


@describe_steps.register
def _published_ranks_steps(c: PublishedRanks) -> list[Step]:
    """Return the analysis steps for published average ranks."""
    card = method_card(c.settings.correction)
    pairs = Step(
        question="Which pairs differ?",
        test=c.post,
        why=card.why,
        reference=card.reference,
        fails=no_difference_possible(c),
        advised=True,
    )
    origin = Step(
        question="What is one result?",
        test="an average rank, as published",
        why="The tests of average ranks need nothing else but the number of data sets.",
        reference=f"{DEMSAR}, section 3.2.2",
        fails=c.published.lacks,
    )
    return [origin, _all_ranks(_joined(c.omnibus.warnings)), pairs, _groups()]


@describe_steps.register
def _published_decisions_steps(c: PublishedDecisions) -> list[Step]:
    """Return the analysis steps for published decisions."""
    decisions = Step(
        question="Which pairs differ?",
        test="decisions as published",
        why="Whether two differ is given; there is nothing left to test.",
        reference=reference_of("multitest"),
        fails=c.published.lacks,
    )
    if c.ordering is None:
        grouping = replace(_groups(), test="Groups of the decisions given", advised=True)
        return [decisions, grouping]
    card = method_card("multitest")
    order = Step(
        question="Which order follows?",
        test="MultiTest on the decisions given",
        why=card.why or RULE.format(first="the first algorithm of the prior order", later="later"),
        reference=card.reference,
        advised=True,
    )
    return [decisions, _groups(), order]


@describe_steps.register
def _published_wins_steps(c: PublishedWins) -> list[Step]:
    """Return the analysis steps for published counts of wins."""
    single_pair = len(c.wins) == 2
    adjustment = (
        ""
        if single_pair or c.correction == "none"
        else f", adjusted by {CORRECTIONS[c.correction]}"
    )
    origin = Step(
        question="What is one result?",
        test="a win, a tie or a loss on a data set, as published",
        why="The sign test needs nothing else but their numbers.",
        reference=f"{DEMSAR}, section 3.1.4",
        fails=c.published.lacks,
    )
    sign = Step(
        question="Who wins on more data sets?",
        test=f"Two-tailed sign test over data sets{adjustment}",
        why="A data set without a winner is a tie, split evenly.",
        reference=f"{DEMSAR}, section 3.1.4; {THESIS}, section 4.6",
        fails=no_difference_possible(c),
        advised=True,
    )
    return [origin, sign, *([] if single_pair else [_groups()])]
