"""Recommendation of a test from the shape of the results."""

from collections.abc import Sequence
from dataclasses import replace

from stats_core.comparison.advice import Advice, alternatives_from_cards, not_allowed_from_cards
from stats_core.comparison.advice_by_design import (
    advise_on_folds,
    advise_on_measures,
    advise_published,
    advise_without_folds,
)
from stats_core.comparison.cards.method_card import method_card, reference_of
from stats_core.core.formatting import format_count, p_text
from stats_core.core.significance import significant
from stats_core.data.missing import HoleCount, count_holes
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Settings
from stats_core.inference.multiplicity.corrections import CORRECTIONS, usable_correction
from stats_core.inference.pairwise import smallest_control_pvalue, smallest_pvalue
from stats_core.inference.resolve_settings import pvalue_source

__all__ = ["Advice", "advise"]

_FROM = {True: SOURCES["ranks"], False: SOURCES["wilcoxon"]}
_OWN = Settings(source="wilcoxon")
_NO_T = (
    "Paired t test on averages over data sets",
    "The data sets' differences are not on one scale and not normal.",
)


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
            f"{k} algorithms: one test for all first, then the {k * (k - 1) // 2} pairs with their "
            "p-values adjusted.",
            _why_source(n, smallest_pvalue(k, n, _OWN), settings),
            f"{CORRECTIONS[correction]}: {method_card(correction).why}",
            method_card("friedman").why,
        ),
        assumes=(
            *method_card("iman_davenport").assumes,
            f"Here are {n}" + ("." if n >= 10 else ", so read the first test with care."),
            *_assumed(by_ranks),
            *(
                f"{CORRECTIONS[correction]}: {assumption}"
                for assumption in method_card(correction).assumes
            ),
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
            (
                "Shaffer, Bergmann-Hommel",
                "On different data sets a = b and b = c do not make a = c.",
            ),
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
    return tuple(
        f"{method_card(key).name}: {assumption}" for assumption in method_card(key).assumes
    )


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
            f"{k - 1} comparisons with {control} instead of all {k * (k - 1) // 2} pairs: fewer "
            "questions cost less.",
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
            *alternatives_from_cards(
                "finner", "hochberg", "hommel", "rom", "li", "bonferroni_dunn"
            ),
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
            "Large differences count more than small ones, but only by rank: one strange data "
            "set cannot decide.",
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
