"""Which test on the folds of one data set, and why."""

from collections.abc import Sequence

from stats_core.comparison.advice import Advice
from stats_core.core.words import count
from stats_core.data.results import Results
from stats_core.data.shared_cases import correct_cases
from stats_core.inference.fold_tests import PAIR_TESTS, advised_test
from stats_core.inference.paired import overlap_factor

_REFERENCE = (
    "Irsoy, Yildiz and Alpaydin, IEEE/ACM TCBB 9 (2012); Nadeau and Bengio, Mach. Learn. 52 "
    "(2003) 239; Bouckaert and Frank, PAKDD 2004."
)
_FRIEDMAN = (
    "Friedman or Wilcoxon over data sets",
    "They speak of two or more data sets; this comparison is on one.",
)
_TRAINING_ONLY = (
    "All folds share one test set: tests on folds speak of training randomness only. Tests on "
    "cases speak of the test set."
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
        reference=_REFERENCE,
    )


def advise_on_folds(
    results: Results, dataset: str, measure: str, test_fraction: float | None
) -> Advice:
    """Return the recommendation for two or several algorithms on one data set."""
    design, label = results.design_of(dataset), results.label_of(dataset)
    fraction = results.test_fraction(dataset)
    if fraction is None and design not in ("bootstrap", "common test set"):
        fraction = test_fraction
    shown = len(results.matrix(dataset, measure))
    because = (f"Design: {label}, {count(shown, 'result')} of each algorithm.",)
    because += _overlap(design, fraction, shown)
    k = len(results.algorithms)
    if k == 2:
        cases = _has_cases(results, dataset)
        return _two(design if shown == 10 else "", label, fraction, measure, because, cases)
    return _several(design if shown == 10 else "", fraction, k, because)


def advise_on_measures(results: Results, measures: Sequence[str]) -> Advice:
    """Return the recommendation for several measures at once."""
    k = len(results.algorithms)
    together = f"({', '.join(measures)})"
    if k == 2:
        test = "paired Hotelling T2, corrected for overlap"
        reasons = ("Two algorithms on the same folds: one vector of differences for each fold.",)
    else:
        test = "MANOVA with folds as blocks, then paired Hotelling T2 for each pair, adjusted"
        reasons = (f"{k} algorithms on the same folds: all at once first, then the pairs.",)
    return Advice(
        question=f"Which algorithms differ when {together} count together?",
        test=test,
        because=(
            *reasons,
            "Two algorithms can have the same error and still err differently; measures taken one "
            "by one can miss what they show together.",
        ),
        assumes=(
            "Differences are normal together (Assumptions); with ten folds only gross departures "
            "show.",
            "Combinations that no algorithm can change within a fold are left out of every degree "
            "of freedom.",
        ),
        alternatives=(
            ("Permutation", "Does without normality; takes folds as independent."),
            ("Two-sample Hotelling", "As in Aslan's thesis; forgets the pairing, finds less."),
            ("Each measure alone", "Adjusted over the measures; shown beside it."),
        ),
        not_allowed=(("Box's M", "Needs unpaired runs; on shared folds it almost never rejects."),),
        reference="Yildiz and Alpaydin, multivariate comparison of classifiers; Rencher, Methods "
        "of Multivariate Analysis, chapters 5 and 6; Aslan's thesis 2009.",
    )


def _has_cases(results: Results, dataset: str) -> bool:
    cases = correct_cases(results, dataset)
    return cases is not None and not cases.empty


def _overlap(design: str, fraction: float | None, n: int) -> tuple[str, ...]:
    if design == "common test set":
        return (_TRAINING_ONLY,)
    if design == "bootstrap":
        return ("Bootstrap samples overlap in a way for which no correction is defined.",)
    if fraction is None:
        return ("The share of cases that is tested is not known, so overlap is not corrected.",)
    return (
        f"Training sets overlap; {fraction:.3g} of the cases are tested, so the variance of a mean "
        f"is {overlap_factor(n, fraction):.3g} times what independent folds would give.",
    )


def _two(
    design: str,
    label: str,
    fraction: float | None,
    measure: str,
    because: tuple[str, ...],
    cases: bool,
) -> Advice:
    key = advised_test(design, fraction)
    not_allowed = [_FRIEDMAN]
    if design != "5x2":
        not_allowed.append(("5x2 cv F and t", f"Need 5 repetitions of 2 folds; this is {label}."))
    if not cases:
        not_allowed.append(("McNemar", "Needs predictions that name their cases."))
    elif measure not in ("error", "accuracy"):
        not_allowed.append(("McNemar", f"Compares errors; the measure is {measure}."))
    alternatives = [
        ("Paired t", "As in older papers; takes folds as independent and rejects too easily."),
        ("Wilcoxon, sign flips", "Need no normal differences; take folds as independent."),
    ]
    if key == "5x2 cv F":
        alternatives.insert(0, ("5x2 cv t", "Dietterich's; depends on which result is first."))
    elif key == "paired t":
        alternatives.pop(0)
    return Advice(
        question="Is one of the two better on this data set?",
        test=PAIR_TESTS[key].name,
        because=("Two algorithms: one comparison, nothing to adjust.", *because),
        assumes=(PAIR_TESTS[key].assumes, "Both algorithms ran on the same folds."),
        alternatives=tuple(alternatives),
        not_allowed=tuple(not_allowed),
        reference=f"{_REFERENCE} Alpaydin, Neural Comput. 11 (1999) 1885.",
    )


def _several(design: str, fraction: float | None, k: int, because: tuple[str, ...]) -> Advice:
    overlap = "" if fraction is None else ", corrected for overlap"
    many = f"{k} algorithms: {k * (k - 1) // 2} pairs share one family."
    if design == "5x2":
        test = "5x2 cv F for each pair, adjusted by Bergmann-Hommel"
        reasons = (
            many,
            *because,
            "The 5x2 F is made for this design; Bergmann-Hommel guards the family.",
        )
    else:
        test = f"analysis of variance with folds as blocks, then Tukey{overlap}"
        reasons = (many, *because, "All ran on the same folds, so folds explain a part.")
    return Advice(
        question="Which algorithms differ on this data set?",
        test=test,
        because=reasons,
        assumes=(
            "Residuals are normal, with equal variances, and all pairs vary alike (Assumptions).",
        )
        if design != "5x2"
        else (PAIR_TESTS["5x2 cv F"].assumes,),
        alternatives=(
            ("Any test of two algorithms", "For each pair, adjusted; needs fewer assumptions."),
            ("Friedman over folds", "Uses ranks only; takes folds as independent."),
            ("Without the correction for overlap", "As in older papers; rejects too easily."),
        ),
        not_allowed=(
            _FRIEDMAN,
            ("Nemenyi", "Speaks of average ranks over data sets; Holm is used in its place."),
        ),
        reference=_REFERENCE,
    )
