"""Methods paragraphs of wins over data sets: by risk at one threshold, or over many."""

from collections.abc import Iterable

from stats_core.comparison.kinds.wins import WinsComparison
from stats_core.core.words import count, listed
from stats_core.curves.sweep import THETAS
from stats_core.inference.families.corrections import usable_correction
from stats_core.inference.fold_pairs import tested_share as fraction_of
from stats_core.inference.paired import overlap_factor
from stats_core.papers.methods_folds import PAPERS
from stats_core.papers.methods_words import Piece, adjusted, named, overlap, sentence

_NAMED = 12  # data sets named one by one
_THESIS = "aslan2009"
_HOTELLING = ("hotelling1931", "yildiz2011")
_SPLIT = "ties split evenly and an odd one dropped"


def of_wins(analysis: WinsComparison) -> Iterable[Piece]:
    """Describe what a win on a data set is, and the sign test over data sets."""
    yield from (_won_thresholds if analysis.sweeps else _won_by_risk)(analysis)
    yield from _left_out(analysis)
    settings, sets = analysis.settings, count(analysis.n, "data set")
    whose = "the two" if len(analysis.wins) == 2 else "each pair"
    yield Piece(
        f" Over {sets} the wins and losses of {whose} were compared by the exact sign test",
        ("demsar2006", _THESIS),
    )
    yield Piece(f", {_SPLIT}")
    if len(analysis.wins) == 2:
        yield sentence(f", two-sided, at alpha {settings.alpha:g}")
    else:
        yield from adjusted(analysis.correction, settings.alpha)


def _won_by_risk(analysis: WinsComparison) -> Iterable[Piece]:
    settings, k = analysis.settings, len(analysis.wins)
    yield sentence(
        "On each data set it was asked in turn who errs differently and who errs at the lower cost"
    )
    if k > 2:
        yield from _manova(analysis)
        yield sentence(" was done on each; pairs were tested whatever it said")
        yield Piece(" For each pair the paired Hotelling T2 test", _HOTELLING)
    else:
        yield Piece(f" The paired Hotelling T2 test of {_vector(analysis)}", _HOTELLING)
    yield Piece(" had to reject")
    correction = usable_correction(settings.correction, k)
    yield from _over_pairs(correction, k)
    yield Piece(f", at alpha {settings.alpha:g}")
    yield from _lower_risk(analysis, "0.5 fp + 0.5 fn of a fold", correction)
    yield Piece(".")
    yield from _allowance(analysis)


def _won_thresholds(analysis: WinsComparison) -> Iterable[Piece]:
    alpha, k = analysis.settings.alpha, len(analysis.wins)
    yield Piece(
        f" On each data set the scores were cut at {len(THETAS)} thresholds, theta = {THETAS[0]:g}, "
        f"{THETAS[1]:g}, ..., {THETAS[-1]:g}",
        (_THESIS,),
    )
    yield sentence(
        "; scores outside [0, 1] were taken there by the logistic function. At each of them it was "
        "asked in turn who errs differently and who errs at the lower cost"
    )
    if k > 2:
        yield from _manova(analysis)
        yield Piece(" had to reject, then for a pair the paired Hotelling T2 test", _HOTELLING)
    else:
        yield Piece(
            f" The paired Hotelling T2 test of {_vector(analysis)} had to reject", _HOTELLING
        )
    yield from _over_pairs("bonferroni", k)
    yield Piece(f", each at alpha {alpha:g}" if k > 2 else f", at alpha {alpha:g}")
    yield from _lower_risk(analysis, "theta fp + (1 - theta) fn", "bonferroni")
    yield sentence("; thresholds were not corrected for each other")
    yield from _allowance(analysis)
    yield sentence(
        "An algorithm won over another on a data set if it won at more thresholds by the "
        f"right-tailed sign test at {alpha:g}, {_SPLIT}; neighbouring thresholds share their cases, "
        "so there it is a rule that counts a win, not a test"
    )


def _manova(analysis: WinsComparison) -> Iterable[Piece]:
    """Name the test of all algorithms; goes on with a verb."""
    yield Piece(
        f" A multivariate analysis of variance of {_vector(analysis)}, folds as blocks (Wilks' "
        "lambda by Rao's F)",
        ("rencher2002", "yildiz2011"),
    )


def _vector(analysis: WinsComparison) -> str:
    return listed(analysis.measures, 9)


def _lower_risk(analysis: WinsComparison, risk: str, correction: str) -> Iterable[Piece]:
    """Say whom the win goes to where vectors differ; goes on with a sentence."""
    likewise = ", adjusted likewise" if len(analysis.wins) > 2 and correction != "none" else ""
    yield Piece(f"; the lower risk {risk} then won", (_THESIS,))
    if analysis.settings.win == "risk":
        yield Piece(" if the paired t test of risk, two-sided", _of_t_test(analysis))
        yield Piece(f"{likewise}, rejected, too")


def _over_pairs(correction: str, k: int) -> Iterable[Piece]:
    """Say how the tests on one data set pay for being many; goes on with a sentence."""
    if k == 2:
        return
    if correction == "none":
        yield Piece(", with p-values not adjusted for being many")
    else:
        name, keys = named(correction)
        yield Piece(f", with p-values adjusted over the pairs of the data set by {name}", keys)


def _left_out(analysis: WinsComparison) -> Iterable[Piece]:
    """Name the data sets without an answer."""
    if analysis.skipped:
        verb = "was" if len(analysis.skipped) == 1 else "were"
        yield sentence(
            f"{count(len(analysis.skipped), 'data set')} could not be decided and {verb} left out: "
            f"{listed(list(analysis.skipped), _NAMED)}"
        )


def _of_t_test(analysis: WinsComparison) -> tuple[str, ...]:
    corrected = any(factor != 1 for factor in _factors(analysis).values())
    return PAPERS["corrected t" if corrected else "paired t"]


def _allowance(analysis: WinsComparison) -> Iterable[Piece]:
    """Say what was done about training sets that overlap."""
    factors = _factors(analysis)
    low, high = min(factors.values()), max(factors.values())
    if high == 1:
        designs = {analysis.results.design_of(name) for name in factors}
        if designs & {"bootstrap", "common test set"}:
            yield sentence("No correction for the dependence of folds is defined for this design")
        else:
            yield sentence(
                "Results of different folds were taken as independent, though training sets may "
                "share cases; that rejects too easily"
            )
        return
    yield (
        overlap(high)
        if low == high
        else Piece(
            " Training sets of different folds share cases; for that the variance of a mean was "
            f"multiplied by {low:.4g} to {high:.4g}, by data set",
            PAPERS["corrected t"],
        )
    )
    yield Piece(".")


def _factors(analysis: WinsComparison) -> dict[str, float]:
    """Return by what the variance of a mean was multiplied on each data set decided."""
    results, settings, factors = analysis.results, analysis.settings, {}
    for dataset in results.datasets:
        if dataset not in analysis.skipped:
            n_folds = len(results.matrix(dataset, settings.measure))
            fraction = fraction_of(results, dataset, settings)
            corrected = fraction if settings.overlap == "corrected" else None
            factors[dataset] = overlap_factor(n_folds, corrected)
    return factors
