"""What would change the verdict: the same results under other settings."""

from dataclasses import replace

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    Comparison,
    ControlComparison,
    FoldPairComparison,
    FoldsComparison,
    PairOnMeasures,
    RanksComparison,
    SeveralOnMeasures,
    TwoComparison,
    WinsComparison,
    analyse,
)
from stats_core.comparison.kinds.cases import CasesComparison
from stats_core.comparison.kinds.ranks import compare_ranks
from stats_core.comparison.verdict import verdict
from stats_core.core.checks import check_kind
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import count, listed
from stats_core.data.settings import SOURCES, TUKEY, Settings
from stats_core.looks.stability_words import GAINED, LOST

LEVELS = (0.01, 0.05, 0.10)


def sensitivity(analysis: Comparison) -> pd.DataFrame:
    """Would another level, correction, test or measure say something else?

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.

    Returns
    -------
    DataFrame
        One row per setting changed alone: setting, changes (in words: which pairs are then
        separated or no longer, or turned round, and whether the first test says otherwise; "" if
        none), verdict then (the headline), changed (whether anything is decided otherwise).

    Raises
    ------
    SettingError
        Not an analysis.

    Notes
    -----
    Looking at all of these and reporting the one that suits is not a test at that level any
    more; the table is for judging how firm the verdict is.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: 0.01 separates fewer pairs.
    """
    check_kind(analysis, Comparison, "analysis", "Use `analyse`")
    before = _rejects(analysis), _separated(analysis)
    rows = []
    for label, settings in _alternatives(analysis):
        try:
            other = _again(analysis, settings)
        except FoldwiseError as error:
            rows.append((label, "", str(error), False))
            continue
        changes = _changes(before, (_rejects(other), _separated(other)))
        rows.append((label, changes, verdict(other).headline, bool(changes)))
    return pd.DataFrame(rows, columns=["setting", "changes", "verdict then", "changed"])


def _again(analysis: Comparison, settings: Settings) -> Comparison:
    """Return the analysis under other settings; the averages of one measure stay."""
    same = settings.measure == analysis.settings.measure
    if not (same and isinstance(analysis, RanksComparison)):
        return analyse(analysis.results, settings)
    kept = ("results", "higher_is_better", "scores", "advice")
    common = {name: getattr(analysis, name) for name in kept}
    return compare_ranks({**common, "settings": settings})


def _alternatives(analysis: Comparison) -> list[tuple[str, Settings]]:
    now = analysis.settings
    options = [
        (f"alpha {level:g}", replace(now, alpha=level)) for level in LEVELS if level != now.alpha
    ]
    if isinstance(analysis, RanksComparison):
        options += [
            (f"correction {name}", replace(now, correction=key))
            for key, name in CORRECTIONS.items()
            if key not in (now.correction, "none") and (key != "nemenyi" or now.source == "ranks")
        ]
        options += [
            (f"p from {name}", replace(now, source=key, correction=_holm_for_nemenyi(now)))
            for key, name in SOURCES.items()
            if key != now.source
        ]
    if isinstance(analysis, ControlComparison):
        options += [
            (f"correction {name}", replace(now, correction=key))
            for key, name in CONTROL_CORRECTIONS.items()
            if key not in (now.correction, "none")
        ]
        options += [
            (f"p from {name}", replace(now, source=key))
            for key, name in SOURCES.items()
            if key != now.source
        ]
    if isinstance(analysis, FoldPairComparison | FoldsComparison):
        options += _other_tests(analysis)
    if not now.measures:  # together they are what is compared
        options += [
            (f"measure {name}", replace(now, measure=name))
            for name in analysis.results.measures
            if name != now.measure
        ]
    return options


def _other_tests(analysis: FoldPairComparison | FoldsComparison) -> list[tuple[str, Settings]]:
    """Return the other tests of pairs that the design allows, and the other view of overlap."""
    now = replace(analysis.settings, test=analysis.test)
    if isinstance(analysis, FoldPairComparison):
        keys = [said.key for said in analysis.answers if said.applies]
        return [(f"test {key}", replace(now, test=key)) for key in keys if key != analysis.test]
    keys = (TUKEY, "corrected t", "5x2 cv F", "Wilcoxon")
    options = [(f"pairs by {key}", replace(now, test=key)) for key in keys if key != analysis.test]
    if analysis.test == TUKEY and analysis.test_fraction is not None:
        other = "ignored" if now.overlap == "corrected" else "corrected"
        options.append((f"overlap {other}", replace(now, overlap=other)))
    return [
        (label, settings)
        for label, settings in options
        if settings.test != "5x2 cv F" or analysis.design == "5x2"
    ]


def _holm_for_nemenyi(settings: Settings) -> str:
    return "holm" if settings.correction == "nemenyi" else settings.correction


def _rejects(analysis: Comparison) -> bool | None:
    """Tell whether the test of all at once rejects; None where there is none."""
    match analysis:
        case SeveralOnMeasures():
            omnibus = analysis.manova
        case RanksComparison() | FoldsComparison():
            omnibus = analysis.omnibus
        case _:
            omnibus = None
    return None if omnibus is None else bool(omnibus.pvalue <= analysis.settings.alpha)


def _separated(analysis: Comparison) -> dict[frozenset[str], str]:
    """Return the pairs that differ, each with the one that is better, "" where no side is taken."""
    alpha = analysis.settings.alpha
    match analysis:
        case ControlComparison():
            better, worse, _ = analysis.sides()
            first = {frozenset((name, analysis.control)): name for name in better}
            return first | {frozenset((name, analysis.control)): analysis.control for name in worse}
        case TwoComparison() | FoldPairComparison():
            two = isinstance(analysis, TwoComparison)
            outcome = analysis.wilcoxon if two else analysis.chosen.outcome
            if outcome is None or outcome.pvalue > alpha:
                return {}
            return {frozenset((analysis.first, analysis.second)): analysis.better}
        case PairOnMeasures():
            differ = analysis.hotelling.pvalue <= alpha
            return {frozenset((analysis.first, analysis.second)): ""} if differ else {}
        case RanksComparison():
            names, apart = analysis.adjusted.index, analysis.adjusted.to_numpy() <= alpha
            better = analysis.better.to_numpy()
            return {
                frozenset((names[i], names[j])): names[i]
                if better[i, j]
                else names[j]
                if better[j, i]
                else ""
                for i, j in np.argwhere(np.triu(apart, 1))
            }
        case FoldsComparison() | SeveralOnMeasures() | WinsComparison() | CasesComparison():
            pairs = analysis.pairs()
            found = pairs.loc[pairs["separated"], ["first", "second"]].itertuples(index=False)
            sided = not isinstance(analysis, SeveralOnMeasures)
            return {frozenset(pair): pair[0] if sided else "" for pair in found}
        case _:
            return {}


def _changes(before: tuple, after: tuple) -> str:
    """Say what is decided otherwise."""
    (rejected, old), (rejects, new) = before, after
    parts = []
    if None not in (rejected, rejects) and rejected != rejects:
        parts.append(f"the first test {'then rejects' if rejects else 'no longer rejects'}")
    lost, gained = [p for p in old if p not in new], [p for p in new if p not in old]
    turned = [p for p in old if p in new and {old[p], new[p]} - {""} and old[p] != new[p]]
    for pairs, change in ((lost, LOST), (gained, GAINED), (turned, "turned round")):
        if pairs:
            names = listed([" vs ".join(sorted(pair)) for pair in pairs], 3)
            parts.append(f"{count(len(pairs), 'pair')} {change}: {names}")
    return "; ".join(parts)
