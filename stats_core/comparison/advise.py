"""Recommendation of a test from the shape of the results."""

from collections.abc import Sequence
from dataclasses import replace

from stats_core.comparison.advice import Advice, alternatives_from_cards, not_allowed_from_cards
from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.comparison.kinds.instances import WAYS, instance_test_for
from stats_core.core.formatting import format_count, p_text
from stats_core.core.significance import significant
from stats_core.data.instance_table import CaseTable, correct_cases
from stats_core.data.missing import HoleCount, count_holes
from stats_core.data.published import RANKS, WINS, Published
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings, tested_share
from stats_core.inference.fold_tests import advised_test
from stats_core.inference.multiplicity.corrections import CORRECTIONS, usable_correction
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.t_tests import CONSERVATIVE, MOST_RESULTS, PUBLISHED
from stats_core.inference.pairwise import smallest_control_pvalue, smallest_pvalue
from stats_core.inference.resolve_settings import pvalue_source

_WHY = {
    "mcnemar": "Both of a pair classified the same cases, so the cases on which they disagree tell.",
    "delong": "Both of a pair scored the same cases: what each case adds to both areas tells how "
    "much their difference varies.",
    "swaps": "If the two were equal, it would not matter which of them said what of a case: the "
    "answers to some cases are swapped, in every way or in many, and the difference is looked at "
    "anew.",
    "clusters": "Cases of one cluster are not independent, so their answers are swapped together.",
    "areas of clusters": "Cases of one cluster are not independent, so what they add to the area is summed up first.",
    "two-way": "New cases and new trainings would both give other numbers, so the variance over both is counted.",
    "two-way by clusters": "New clusters of cases and new trainings would both give other numbers, "
    "so the variance over both is counted.",
}


def advise_on_cases(table: CaseTable, measure: str, k: int) -> Advice:
    """Return the recommendation for the instances of one test set."""
    key, trainings = instance_test_for(table, measure), len(table.trainings)
    way, pairs = WAYS[key], k * (k - 1) // 2
    card = method_card(way.card)
    first = ("Cochran's Q" if way.first == "cochran_q" else "DeLong's test of all areas") + ", "
    test = f"{first if way.first else ''}{'then ' if way.first else ''}{card.name}"
    because: tuple[str, ...] = (
        f"There is one test set of {format_count(len(table.cases), 'case')}, each case is named, and "
        + (
            "each algorithm gave it one result." if trainings == 1 else f"each algorithm was trained {trainings} times."
        ),
        _WHY[key],
    )
    if k > 2:
        because += (f"{k} algorithms: {pairs} pairs share one family.",)
    independent = (
        f"Clusters are independent; there are {table.n_clusters}. Cases within one need not be."
        if way.unit == "cluster"
        else "Cases are independent, and drawn as those are on which the models will be used."
    )
    return Advice(
        question=_question(measure, trainings),
        test=f"{test}{' for each pair, adjusted' if k > 2 else ''}" if k > 2 else card.name,
        because=because,
        assumes=(independent, *(card.assumes if way.card != "delong" else ())),
        alternatives=_instead(trainings),
        not_allowed=(
            *((("Any test on folds", "Needs the result of every fold."),) if trainings == 1 else ()),
            ("Friedman or Wilcoxon over data sets", "They speak of two or more data sets."),
        ),
        reference=reference_of(*((way.first,) if way.first and k > 2 else ()), way.card),
    )


def _question(measure: str, trainings: int) -> str:
    if trainings > 1:
        return f"Which algorithm has the better {measure} on other cases, trained anew?"
    if measure in ("error", "accuracy"):
        return "Which of these trained models errs less on this population of cases?"
    return f"Which of these trained models has the better {measure} on this population of cases?"


def _instead(trainings: int) -> tuple[tuple[str, str], ...]:
    if trainings > 1:
        return (
            (
                "A test over trainings alone",
                "Speaks of this test set only: it takes its cases for the whole population.",
            ),
            ("k-fold cross-validation", "Other cases are tested by each training."),
        )
    return (("k-fold cross-validation", "Speaks of the algorithms: training varies there."),)


_FRIEDMAN = ("Friedman or Wilcoxon over data sets", "They speak of two or more data sets; this comparison is on one.")
_PLAIN = ("Without the correction for overlap", "As in older papers; rejects too easily.")
_F_OF_PAIRS = (
    "5x2 cv F of each pair, adjusted",
    "As Irsoy, Yildiz and Alpaydin (2012); on some data it rejects more than twice as often as it says.",
)
_AT_MOST = (
    "More than ten results of the same cases show little more about their spread, so the tests use "
    "at most 9 degrees of freedom. The p-value with the published J − 1 stands beside it."
)
_TUKEY = (
    "Tukey's test",
    "Gives simultaneous intervals, but uses one variance for all pairs, so its type I error rate is "
    "not controlled where variances differ.",
)
_TRAINING_ONLY = (
    "All folds share one test set: tests on folds speak of this test set only, over training sets. "
    "Tests on cases speak of other cases."
)


def advise_without_folds() -> Advice:
    """Return the recommendation for one number per algorithm: no test is possible."""
    return Advice(
        question="Which algorithms differ on this data set?",
        test="none: there is one number for each algorithm",
        because=("Without several results of each algorithm nothing shows how much they vary.",),
        assumes=(),
        alternatives=(
            ("k-fold cross-validation", "Run it and upload the result of every fold."),
            ("Predictions", "With the prediction for every case, tests on cases are possible."),
        ),
        not_allowed=(("Any test on folds", "Needs the result of every fold."), _FRIEDMAN),
        reference=reference_of("anova", "overlap_factor"),
    )


def advise_on_folds(results: Results, dataset: str, measure: str, test_fraction: float | None) -> Advice:
    """Return the recommendation for the folds of one data set."""
    design, label = results.design_of(dataset), results.label_of(dataset)
    fraction = tested_share(results, dataset, Settings(test_fraction=test_fraction))
    n_results = len(results.matrix(dataset, measure))
    because: tuple[str, ...] = (f"Design: {label}, {format_count(n_results, 'result')} of each algorithm.",)
    because += _overlap(design, fraction, n_results)
    k = len(results.algorithms)
    if k == 2:
        cases = _has_cases(results, dataset)
        return _two(design if n_results == 10 else "", label, fraction, measure, because, cases, n_results)
    return _several(design if n_results == 10 else "", fraction, k, because, n_results)


def advise_on_measures(results: Results, measures: Sequence[str]) -> Advice:
    """Return the recommendation for several measures together."""
    k = len(results.algorithms)
    together = f"({', '.join(measures)})"
    if k == 2:
        test, deciding_key = "paired Hotelling T2, corrected for overlap", "hotelling_paired"
        reasons = ("Two algorithms on the same folds: one vector of differences for each fold.",)
    else:
        test = "MANOVA with folds as blocks, then paired Hotelling T2 for each pair, adjusted"
        deciding_key = "manova"
        reasons = (f"{k} algorithms on the same folds: all at once first, then the pairs.",)
    return Advice(
        question=f"Which algorithms differ when {together} count together?",
        test=test,
        because=(
            *reasons,
            "Two algorithms can have the same error and still err differently; measures taken one "
            "by one can miss what they show together.",
        ),
        assumes=method_card(deciding_key).assumes,
        alternatives=(
            *alternatives_from_cards("shuffled_hotelling" if k == 2 else "shuffled_manova", "hotelling_two_sample"),
            ("Each measure alone", "Adjusted over the measures; shown beside it."),
        ),
        not_allowed=not_allowed_from_cards("box_m"),
        reference=reference_of(deciding_key, "hotelling_paired", "hotelling_two_sample"),
    )


def _has_cases(results: Results, dataset: str) -> bool:
    cases = correct_cases(results, dataset)
    return cases is not None and not cases.empty


def _overlap(design: str, fraction: float | None, n: int) -> tuple[str, ...]:
    if design == "common test set":
        return (_TRAINING_ONLY,)
    if fraction is None:
        return ("The share of cases that is tested is not known, so overlap is not corrected.",)
    return (
        f"Training sets overlap; {fraction:.3g} of the cases are tested, so the variance of a mean "
        f"is taken as {overlap_factor(n, fraction):.3g} times what independent folds would give.",
        *([_AT_MOST] if n > MOST_RESULTS else []),
    )


def _two(
    design: str, label: str, fraction: float | None, measure: str, because: tuple[str, ...], cases: bool, n: int
) -> Advice:
    key = advised_test(fraction, n)
    not_allowed = [_FRIEDMAN]
    if design != "5x2":
        not_allowed.append(("5x2 cv F and t", f"Need 5 repetitions of 2 folds; this is {label}."))
    if not cases:
        not_allowed += not_allowed_from_cards("mcnemar")
    elif measure not in ("error", "accuracy"):
        not_allowed.append((method_card("mcnemar").name, f"Compares errors; the measure is {measure}."))
    others = ["5x2 cv F"] if design == "5x2" else []
    others += _published(key)
    others += [] if key == "paired t" else ["paired t"]
    return Advice(
        question="Is one of the two better on this data set?",
        test=method_card(key).name,
        because=("Two algorithms: one comparison, nothing to adjust.", *because),
        assumes=(*method_card(key).assumes, "Both algorithms ran on the same folds."),
        alternatives=alternatives_from_cards(*others, "wilcoxon", "sign flips"),
        not_allowed=tuple(not_allowed),
        reference=reference_of(key, "overlap_factor"),
    )


def _published(key: str) -> list[str]:
    return [PUBLISHED] if key == CONSERVATIVE else []


def _several(design: str, fraction: float | None, k: int, because: tuple[str, ...], n: int) -> Advice:
    key = advised_test(fraction, n)
    by = CORRECTIONS[usable_correction("", k)]
    return Advice(
        question="Which algorithms differ on this data set?",
        test=f"{method_card(key).name} for each pair, adjusted by {by}",
        because=(
            f"{k} algorithms: {k * (k - 1) // 2} pairs share one family.",
            *because,
            "Each pair is tested with its own variance.",
        ),
        assumes=(*method_card(key).assumes, "All algorithms ran on the same folds."),
        alternatives=(
            _TUKEY,
            *([_F_OF_PAIRS] if design == "5x2" else []),
            *alternatives_from_cards(*_published(key)),
            ("Any other test of two algorithms", "For each pair, adjusted."),
            ("Friedman over folds", "Uses ranks only, and assumes independent folds."),
        ),
        not_allowed=(_FRIEDMAN, *not_allowed_from_cards("nemenyi")),
        reference=reference_of(key, "overlap_factor", usable_correction("", k)),
    )


def advise_published(published: Published) -> Advice:
    """Return the recommendation for published average ranks, wins or decisions."""
    advise = {RANKS: _ranks, WINS: _wins}.get(published.what, _decisions)
    return advise(published)


def _ranks(published: Published) -> Advice:
    k, n = len(published.names), published.n
    return Advice(
        question="Which algorithms differ in general, over data sets of this kind?",
        test="Iman-Davenport, then Bergmann-Hommel on average ranks",
        because=(
            "Average ranks and the number of data sets are all that these tests need.",
            f"{k} algorithms: one test for all first, then the {format_count(k * (k - 1) // 2, 'pair')} "
            "with p-values adjusted.",
            f"Bergmann-Hommel: {method_card('bergmann_hommel').why}",
        ),
        assumes=(
            *method_card("iman_davenport").assumes,
            f"The ranks are averages over the same {n} data sets, of all algorithms that were ranked.",
        ),
        alternatives=alternatives_from_cards("nemenyi", "shaffer", "holm", "hochberg", "hommel"),
        not_allowed=(
            ("Wilcoxon or sign test for each pair", published.lacks),
            ("Correction for ties", "Average ranks do not show them."),
        ),
        reference=reference_of("iman_davenport", "bergmann_hommel"),
    )


def _wins(published: Published) -> Advice:
    k = len(published.names)
    return Advice(
        question="Who wins on more data sets than chance would give?",
        test="Two-tailed sign test over data sets" + (", adjusted by Holm" if k > 2 else ""),
        because=("Wins, ties and losses are all that the sign test needs.", method_card("set_wins").why),
        assumes=method_card("sign_test").assumes,
        alternatives=alternatives_from_cards("hochberg", "hommel") if k > 2 else (),
        not_allowed=(
            ("Bergmann-Hommel, Shaffer", "Winning as often as another is not transitive."),
            ("Wilcoxon for each pair", published.lacks),
        ),
        reference=reference_of("sign_test"),
    )


def _decisions(published: Published) -> Advice:
    test = "MultiTest on the decisions given" if published.sided else "Groups of the decisions given"
    return Advice(
        question="Which order, or which groups, follow from these decisions?",
        test=test,
        because=(
            "Whether two differ is given as 0 or 1; there is nothing left to test.",
            "How the decisions were made, and what they were adjusted for, is not known here.",
        ),
        assumes=("The decisions were made at one level, each pair once.",),
        alternatives=(),
        not_allowed=(("Any test", published.lacks),),
        reference=reference_of("multitest" if published.sided else "cliques"),
    )


_FROM = {True: SOURCES["ranks"], False: SOURCES["wilcoxon"]}
_OWN = Settings(source="wilcoxon")
_NO_T = ("Paired t test on averages over data sets", "The data sets' differences are not on one scale and not normal.")


def advise(
    results: Results,
    measure: str,
    test_fraction: float | None = None,
    measures: Sequence[str] = (),
    control: str = "",
    alpha: float = 0.05,
) -> Advice:
    """Which test answers "do these algorithms differ on this measure"?

    Parameters
    ----------
    results : Results
        The results to compare.
    measure : str
        The measure to compare on.
    test_fraction : float, optional
        n_test / (n_train + n_test) where neither the file nor the design tells it.
    measures : sequence of str
        Measures to be compared together.
    control : str
        Over data sets, the algorithm all others are compared with.
    alpha : float
        Level of the family; over data sets it tells whether the tests of pairs can reach it.

    Returns
    -------
    Advice
        The recommendation; `advise(...).test` names it, `because` gives the reasons.

    Raises
    ------
    SettingError
        The results do not have this measure.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Irsoy, Yildiz and Alpaydin,
    IEEE/ACM TCBB 9 (2012), Table II.

    Examples
    --------
    With 5 algorithms on 30 data sets: "Iman-Davenport, then Bergmann-Hommel on Wilcoxon".
    """
    results.direction(measure)
    if results.published is not None:
        return advise_published(results.published)
    n, k = len(results.datasets), len(results.algorithms)
    if len(measures) > 1:
        return advise_on_measures(results, measures)
    if n < 2:
        return _one_dataset(results, measure, test_fraction)
    if k == 2:
        return _two_algorithms(n)
    if not control and results.failures == "present":
        if holes := count_holes(results, measure):
            return _those_present(n, k, holes)
    settings = Settings(measure=measure, alpha=alpha, control=control)
    settings = replace(settings, source=pvalue_source(results, settings))
    return (_against_control if control else _several_algorithms)(n, k, settings)


def _several_algorithms(n: int, k: int, settings: Settings) -> Advice:
    by_ranks = settings.source == "ranks"
    correction = usable_correction("", k, source=settings.source)
    return Advice(
        question="Which algorithms differ in general, over data sets of this kind?",
        test=f"Iman-Davenport, then {CORRECTIONS[correction]} on {_FROM[by_ranks]}",
        because=(
            f"{format_count(n, 'data set')}: each counts once, whatever its number of folds.",
            f"{k} algorithms: one test for all first, then the {k * (k - 1) // 2} pairs with their p-values adjusted.",
            _why_source(n, smallest_pvalue(k, n, _OWN), settings),
            f"{CORRECTIONS[correction]}: {method_card(correction).why}",
            method_card("friedman").why,
        ),
        assumes=(
            *method_card("iman_davenport").assumes,
            f"Here are {n}" + ("." if n >= 10 else ", so read the first test with care."),
            *_assumed(by_ranks),
            *(f"{CORRECTIONS[correction]}: {assumption}" for assumption in method_card(correction).assumes),
        ),
        alternatives=(
            *_other_sources(by_ranks),
            *alternatives_from_cards(
                *(key for key in ("bergmann_hommel", "shaffer", "holm") if key != correction),
                *("nemenyi", "hochberg", "hommel"),
            ),
        ),
        not_allowed=(
            _NO_T,
            (
                "Fold-based tests (5x2 F, corrected t)",
                "They speak of one data set. Choose one on the page One data set.",
            ),
        ),
        reference=reference_of("iman_davenport", str(settings.source), correction),
    )


def _those_present(n: int, k: int, holes: HoleCount) -> Advice:
    return Advice(
        question="Which algorithms differ in general, where not all have every data set?",
        test="Skillings-Mack, then Holm on Wilcoxon on shared data sets",
        because=(
            f"{holes}.",
            f"{format_count(n, 'data set')}: each counts once, for the algorithms that it has.",
            f"{format_count(k * (k - 1) // 2, 'pair')}, each on the data sets that both have: its answer "
            "does not depend on what the others lack.",
            "Holm needs no independence of the pairs.",
        ),
        assumes=(*method_card("skillings_mack").assumes, *method_card("wilcoxon").assumes),
        alternatives=(
            *alternatives_from_cards("bonferroni", "hochberg", "hommel"),
            ("Sign test for each pair", "Counts wins only; the most robust, finds least."),
            (
                "A baseline's value, or the worst rank, for runs that failed",
                "Where they failed because the algorithm could not do better.",
            ),
        ),
        not_allowed=(
            (
                "Average ranks for pairs (Nemenyi, Bergmann-Hommel on ranks)",
                "Ranks among different rivals are not on one scale.",
            ),
            ("Shaffer, Bergmann-Hommel", "On different data sets a = b and b = c do not make a = c."),
            _NO_T,
        ),
        reference=reference_of("skillings_mack", "wilcoxon"),
    )


def _why_source(n: int, least: float, settings: Settings) -> str:
    """Return the reason for the source of p-values; `least` is the pairwise test's bound."""
    bound = p_text(least, settings.alpha)
    if settings.source == "wilcoxon":
        return (
            "Wilcoxon: each pair by its own test, in which the other algorithms play no part. On "
            f"{format_count(n, 'data set')} it can decide: adjusted, p can fall to {bound}."
        )
    if significant(least, settings.alpha):
        return "Average ranks: a failed run has a rank, and no result that its pair could be tested on."
    return (
        f"Average ranks: on {format_count(n, 'data set')} the pairs' own Wilcoxon tests could decide "
        f"nothing, as p, adjusted, cannot fall below {bound}. The distribution is exact."
    )


def _assumed(by_ranks: bool) -> tuple[str, ...]:
    """Return the assumptions of the pairwise test, each with its name."""
    key = "ranks" if by_ranks else "wilcoxon"
    return tuple(f"{method_card(key).name}: {assumption}" for assumption in method_card(key).assumes)


def _other_sources(by_ranks: bool) -> tuple[tuple[str, str], ...]:
    """Return the pairwise tests that are not recommended, and when to use them."""
    other = "wilcoxon" if by_ranks else "ranks"
    return (
        (f"{method_card(other).name} for each pair", method_card(other).when),
        ("Sign test for each pair", "Counts wins only; assumes least, finds least."),
    )


def _against_control(n: int, k: int, settings: Settings) -> Advice:
    control, by_ranks = settings.control, settings.source == "ranks"
    return Advice(
        question=f"Which algorithms differ from {control} in general?",
        test=f"Iman-Davenport, then each against {control} by Holm on {_FROM[by_ranks]}",
        because=(
            f"{k - 1} comparisons with {control} instead of all {k * (k - 1) // 2} pairs: fewer questions cost less.",
            f"{format_count(n, 'data set')}: each counts once, whatever its number of folds.",
            _why_source(n, smallest_control_pvalue(k, n, _OWN), settings),
            "Holm needs no independence of the comparisons, which all share the control.",
        ),
        assumes=(
            *method_card("iman_davenport").assumes,
            f"{control} was chosen before the results were seen. If it is the best of the table, "
            "compare all pairs instead.",
            *_assumed(by_ranks),
        ),
        alternatives=(
            *_other_sources(by_ranks),
            *alternatives_from_cards("finner", "hochberg", "hommel", "rom", "li", "bonferroni_dunn"),
        ),
        not_allowed=not_allowed_from_cards("bergmann_hommel", "shaffer"),
        reference=reference_of("iman_davenport", str(settings.source), "holm", "finner"),
    )


def _two_algorithms(n: int) -> Advice:
    return Advice(
        question="Is one of the two better in general, over data sets of this kind?",
        test="Wilcoxon signed-rank test",
        because=(
            "Two algorithms: one comparison, nothing to adjust.",
            f"{format_count(n, 'data set')}, each giving one pair of averages.",
            "Large differences count more than small ones, but only by rank: one strange data set cannot decide.",
        ),
        assumes=method_card("wilcoxon").assumes,
        alternatives=alternatives_from_cards("sign_test"),
        not_allowed=(*not_allowed_from_cards("friedman"), _NO_T),
        reference=reference_of("wilcoxon", "sign_test"),
    )


def _one_dataset(results: Results, measure: str, test_fraction: float | None) -> Advice:
    dataset = results.datasets[0]
    if results.design_of(dataset) == "single":
        return advise_without_folds()
    return advise_on_folds(results, dataset, measure, test_fraction)
