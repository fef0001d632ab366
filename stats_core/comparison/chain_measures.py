"""The steps of a chain of tests on several measures at once, and at many thresholds."""

from collections.abc import Sequence

from stats_core.comparison.chain_steps import GARCIA, IRSOY, THESIS, Step, groups
from stats_core.comparison.kinds.measure_pair import PairOnMeasures
from stats_core.comparison.on_measures import OnMeasures
from stats_core.core.words import p_text
from stats_core.curves.sweep import DESCRIPTIVE, THETAS
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.families.corrections import CORRECTIONS, STEP_DOWN, usable_correction
from stats_core.inference.families.win_counts import wins_correction

_MULTIVARIATE = "Yildiz and Alpaydin, Multivariate comparison of classification algorithms"
_RENCHER = "Rencher, Methods of Multivariate Analysis"
_PAIRED = (
    "Both ran on the same folds, so the vector of differences in each fold carries the comparison."
)
_AT_RANDOM = (
    "Where two err differently at the same risk, it names a winner at random. By default the "
    "difference of risk must be significant, too."
)
_SIGN = (
    "Over data sets only wins can be counted; a data set without a winner is a tie, split evenly."
)


def on_one_dataset(analysis: OnMeasures) -> list[Step]:
    """Several measures on one data set (case 3 of the thesis)."""
    first = _vector(analysis.measures, analysis.design_label, fails=_doubts(analysis))
    corrected = ", corrected for overlap" if analysis.test_fraction is not None else ""
    if isinstance(analysis, PairOnMeasures):
        return [first, _pair(corrected), _each_measure()]
    correction = usable_correction(analysis.settings.correction, len(analysis.names))
    return [first, *_all_and_pairs(correction, gate=False), groups(), _each_measure()]


def over_datasets(results: Results, settings: Settings) -> list[Step]:
    """Several measures over data sets (case 5 of the thesis)."""
    k, overlap = len(results.algorithms), _overlap(results, settings)
    correction = usable_correction(settings.correction, k)
    return [
        _vector(settings.measures, results.design_label),
        *_on_each(k, correction, overlap, gate=False),
        _who_wins(settings, k, correction, overlap),
        _sign_step(results, settings.alpha, wins_correction(correction)),
    ]


def over_thresholds(results: Results, settings: Settings) -> list[Step]:
    """Several measures at many thresholds (case 6 of the thesis)."""
    k, overlap = len(results.algorithms), _overlap(results, settings)
    steps = [
        _vector(settings.measures or COUNTS, results.design_label),
        Step(
            question="At which thresholds?",
            test=f"theta = {THETAS[0]:g}, {THETAS[1]:g}, ..., {THETAS[-1]:g}: {len(THETAS)} thresholds",
            why="A threshold stands for a ratio of losses; the curve is all of them.",
            reference=f"{THESIS}, section 7.1",
        ),
        *_on_each(k, "bonferroni", overlap, gate=True),
        _who_wins(settings, k, "bonferroni", overlap),
        Step(
            question="Who wins the thresholds on one data set?",
            test="right-tailed sign test over thresholds, ties split",
            why="It counts who has the lower risk at more thresholds.",
            reference=f"{THESIS}, Figure 7.1, line 25",
            fails=DESCRIPTIVE,
        ),
    ]
    if len(results.datasets) > 1:
        steps.append(_sign_step(results, settings.alpha, "bonferroni"))
    return steps


def _vector(measures: Sequence[str], design: str, fails: str = "") -> Step:
    return Step(
        question="What is one result?",
        test=f"the vector ({', '.join(measures)}) of one fold ({design})",
        why="Measures taken one by one can miss what they show together.",
        reference=_MULTIVARIATE,
        papers=f"{IRSOY} take one measure at a time.",
        fails=fails,
    )


def _doubts(analysis: OnMeasures) -> str:
    return " ".join(map(str, analysis.doubts()))


def _overlap(results: Results, settings: Settings) -> str:
    """Say that overlap is corrected, where it is on some data set."""
    known = [results.test_fraction(name) for name in results.datasets]
    if settings.overlap == "ignored" or all(fraction is None for fraction in known):
        return ""
    return ", corrected for overlap"


def _all_and_pairs(correction: str, *, gate: bool) -> list[Step]:
    """Return MANOVA, which is a gate before the pairs or reported beside them, and the pairs."""
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
            why="One test on all measures takes their correlation into account; folds are a "
            f"nuisance that blocks remove. {role}",
            reference=f"{_MULTIVARIATE}, section 2.2; {THESIS}, section 4.5; {_RENCHER}, chapter 6",
            papers="Yildiz and Alpaydin do not block; the thesis does. Both take folds as "
            "independent.",
            advised=True,
        ),
        Step(
            question="Which pairs differ?",
            test=f"paired Hotelling T2 for each pair, {named}",
            why=f"{_PAIRED}{by}",
            reference=f"{_MULTIVARIATE}, section 2.2; {GARCIA}",
            papers="The thesis takes the two-sample test with Bonferroni, which forgets the "
            "pairing; Yildiz and Alpaydin the paired test with Holm.",
            advised=True,
        ),
    ]


def _on_each(k: int, correction: str, overlap: str, *, gate: bool) -> list[Step]:
    return _all_and_pairs(correction, gate=gate) if k > 2 else [_pair(overlap)]


def _pair(overlap: str) -> Step:
    return Step(
        question="Do the two differ when these measures count together?",
        test=f"paired Hotelling T2{overlap}",
        why=_PAIRED,
        reference=f"{_MULTIVARIATE}, equation 1; {_RENCHER}, section 5.7",
        papers="The thesis has no case for two classifiers on several measures; its two-sample test "
        "forgets the pairing.",
        advised=True,
    )


def _who_wins(settings: Settings, k: int, correction: str, overlap: str) -> Step:
    by = "" if k == 2 or correction == "none" else f", {CORRECTIONS[correction]} over the pairs"
    by_risk = settings.win == "risk"
    return Step(
        question="Who wins?" if k == 2 else "Who wins each pair?",
        test=f"lower risk, paired t test of risk{overlap}{by}"
        if by_risk
        else "lower risk wherever the vectors differ",
        why="Vectors have no order; risk weighs false positives and false negatives into one number.",
        reference=f"{THESIS}, section 7.1",
        papers="The thesis gives the win to the lower risk wherever the vectors differ; here the "
        "difference of risk must be significant, too."
        if by_risk
        else "",
        fails="" if by_risk else _AT_RANDOM,
    )


def _sign_step(results: Results, alpha: float, correction: str) -> Step:
    k, n = len(results.algorithms), len(results.datasets)
    paid = k * (k - 1) // 2 if correction in STEP_DOWN else 1
    least = min(1.0, paid * 2.0 ** (1 - n))  # all data sets won by the same one
    fails = f"{n} data sets cannot show it: p cannot fall below {p_text(least)} (alpha {alpha:g})."
    by = "" if k == 2 or correction == "none" else f", {CORRECTIONS[correction]} over the pairs"
    return Step(
        question="Who wins on more data sets?",
        test=f"two-tailed sign test over data sets{by}",
        why=_SIGN,
        reference=f"{THESIS}, sections 4.6 and 7.1",
        papers="" if k == 2 or correction == "bonferroni" else "The thesis takes Bonferroni.",
        fails=fails if least > alpha else "",
    )


def _each_measure() -> Step:
    return Step(
        question="Which measures make the difference?",
        test="each measure alone, and the direction that separates most",
        why="It explains a difference of vectors; it does not decide.",
        reference=f"{_MULTIVARIATE}, section 2",
    )
