"""Which test on the folds of one data set, and why."""

from collections.abc import Sequence

from stats_core.comparison.advice import Advice, instead, refused
from stats_core.comparison.cards.card import card, reference_of
from stats_core.core.words import count
from stats_core.data.results import Results
from stats_core.data.settings import Settings, tested_share
from stats_core.data.shared_cases import correct_cases
from stats_core.inference.families.corrections import CORRECTIONS, usable_correction
from stats_core.inference.fold_tests import advised_test
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.t_tests import CONSERVATIVE, MOST_RESULTS, PUBLISHED

_FRIEDMAN = (
    "Friedman or Wilcoxon over data sets",
    "They speak of two or more data sets; this comparison is on one.",
)
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
    """Return what can be said of one number per algorithm: nothing can be tested."""
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


def advise_on_folds(
    results: Results, dataset: str, measure: str, test_fraction: float | None
) -> Advice:
    """Return the recommendation for two or several algorithms on one data set."""
    design, label = results.design_of(dataset), results.label_of(dataset)
    fraction = tested_share(results, dataset, Settings(test_fraction=test_fraction))
    shown = len(results.matrix(dataset, measure))
    because: tuple[str, ...] = (f"Design: {label}, {count(shown, 'result')} of each algorithm.",)
    because += _overlap(design, fraction, shown)
    k = len(results.algorithms)
    if k == 2:
        cases = _has_cases(results, dataset)
        return _two(design if shown == 10 else "", label, fraction, measure, because, cases, shown)
    return _several(design if shown == 10 else "", fraction, k, because, shown)


def advise_on_measures(results: Results, measures: Sequence[str]) -> Advice:
    """Return the recommendation for several measures at once."""
    k = len(results.algorithms)
    together = f"({', '.join(measures)})"
    if k == 2:
        test, decides = "paired Hotelling T2, corrected for overlap", "hotelling_paired"
        reasons = ("Two algorithms on the same folds: one vector of differences for each fold.",)
    else:
        test = "MANOVA with folds as blocks, then paired Hotelling T2 for each pair, adjusted"
        decides = "manova"
        reasons = (f"{k} algorithms on the same folds: all at once first, then the pairs.",)
    return Advice(
        question=f"Which algorithms differ when {together} count together?",
        test=test,
        because=(
            *reasons,
            "Two algorithms can have the same error and still err differently; measures taken one "
            "by one can miss what they show together.",
        ),
        assumes=card(decides).assumes,
        alternatives=(
            *instead("shuffled_hotelling" if k == 2 else "shuffled_manova", "hotelling_two_sample"),
            ("Each measure alone", "Adjusted over the measures; shown beside it."),
        ),
        not_allowed=refused("box_m"),
        reference=reference_of(decides, "hotelling_paired", "hotelling_two_sample"),
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
    design: str,
    label: str,
    fraction: float | None,
    measure: str,
    because: tuple[str, ...],
    cases: bool,
    n: int,
) -> Advice:
    key = advised_test(fraction, n)
    not_allowed = [_FRIEDMAN]
    if design != "5x2":
        not_allowed.append(("5x2 cv F and t", f"Need 5 repetitions of 2 folds; this is {label}."))
    if not cases:
        not_allowed += refused("mcnemar")
    elif measure not in ("error", "accuracy"):
        not_allowed.append((card("mcnemar").name, f"Compares errors; the measure is {measure}."))
    others = ["5x2 cv F"] if design == "5x2" else []
    others += _published(key)
    others += [] if key == "paired t" else ["paired t"]
    return Advice(
        question="Is one of the two better on this data set?",
        test=card(key).name,
        because=("Two algorithms: one comparison, nothing to adjust.", *because),
        assumes=(*card(key).assumes, "Both algorithms ran on the same folds."),
        alternatives=instead(*others, "wilcoxon", "sign flips"),
        not_allowed=tuple(not_allowed),
        reference=reference_of(key, "overlap_factor"),
    )


def _published(key: str) -> list[str]:
    return [PUBLISHED] if key == CONSERVATIVE else []


def _several(
    design: str, fraction: float | None, k: int, because: tuple[str, ...], n: int
) -> Advice:
    key = advised_test(fraction, n)
    by = CORRECTIONS[usable_correction("", k)]
    return Advice(
        question="Which algorithms differ on this data set?",
        test=f"{card(key).name} for each pair, adjusted by {by}",
        because=(
            f"{k} algorithms: {k * (k - 1) // 2} pairs share one family.",
            *because,
            "Each pair is tested with its own variance.",
        ),
        assumes=(*card(key).assumes, "All algorithms ran on the same folds."),
        alternatives=(
            _TUKEY,
            *([_F_OF_PAIRS] if design == "5x2" else []),
            *instead(*_published(key)),
            ("Any other test of two algorithms", "For each pair, adjusted."),
            ("Friedman over folds", "Uses ranks only, and assumes independent folds."),
        ),
        not_allowed=(_FRIEDMAN, *refused("nemenyi")),
        reference=reference_of(key, "overlap_factor", usable_correction("", k)),
    )
