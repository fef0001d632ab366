"""What would change the verdict: the same results under other settings."""

from dataclasses import replace

import pandas as pd

from stats_core.analyse import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    SOURCES,
    TUKEY,
    Analysis,
    ControlAnalysis,
    FoldPairAnalysis,
    FoldsAnalysis,
    RanksAnalysis,
    Settings,
    analyse,
)
from stats_core.errors import FoldwiseError
from stats_core.outcome import pairs_table
from stats_core.verdict import verdict

LEVELS = (0.01, 0.05, 0.10)


def sensitivity(analysis: Analysis) -> pd.DataFrame:
    """Would another level, correction, test or measure say something else?

    Parameters
    ----------
    analysis : Analysis
        From `analyse`.

    Returns
    -------
    DataFrame
        One row per setting changed alone: setting, verdict then, pairs that differ then, and
        whether the set of separated pairs changes. Another measure counts as changed if the
        headline does.

    Notes
    -----
    Looking at all of these and reporting the one that suits is not a test at that level any
    more; the table is for judging how firm the verdict is.

    Examples
    --------
    The 30 x 5 table of Garcia and Herrera (2008) at 0.05 with Holm: 0.01 separates fewer pairs.
    """
    before = _decisions(analysis)
    rows = []
    for label, settings in _alternatives(analysis):
        try:
            other = analyse(analysis.results, settings)
        except FoldwiseError as error:
            rows.append({"setting": label, "verdict then": str(error), "changed": False})
            continue
        same_measure = settings.measure == analysis.settings.measure
        changed = (
            _decisions(other) != before
            if same_measure
            else verdict(other).headline.replace(settings.measure, "")
            != verdict(analysis).headline.replace(analysis.settings.measure, "")
        )
        rows.append({"setting": label, "verdict then": verdict(other).headline, "changed": changed})
    return pd.DataFrame(rows, columns=["setting", "verdict then", "changed"])


def _alternatives(analysis: Analysis) -> list[tuple[str, Settings]]:
    now = analysis.settings
    options = [
        (f"alpha {level:g}", replace(now, alpha=level)) for level in LEVELS if level != now.alpha
    ]
    if isinstance(analysis, RanksAnalysis):
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
    if isinstance(analysis, ControlAnalysis):
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
    if isinstance(analysis, FoldPairAnalysis | FoldsAnalysis):
        options += _other_tests(analysis)
    options += [
        (f"measure {name}", replace(now, measure=name))
        for name in analysis.results.measures
        if name != now.measure
    ]
    return options


def _other_tests(analysis: FoldPairAnalysis | FoldsAnalysis) -> list[tuple[str, Settings]]:
    """Return the other tests of pairs that the design allows, and the other view of overlap."""
    now = replace(analysis.settings, test=analysis.test)
    if isinstance(analysis, FoldPairAnalysis):
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


def _decisions(analysis: Analysis) -> object:
    """Return what the analysis decides, in a form that can be compared."""
    if isinstance(analysis, ControlAnalysis):
        return tuple(map(tuple, analysis.sides()))
    if not isinstance(analysis, RanksAnalysis | FoldsAnalysis):
        return verdict(analysis).badge
    table = pairs_table(p=analysis.adjusted)
    decided = table[table["p"] <= analysis.settings.alpha]
    overall = isinstance(analysis, RanksAnalysis) and (
        analysis.omnibus.pvalue <= analysis.settings.alpha
    )
    return overall, set(zip(decided["first"], decided["second"], strict=True))
