"""Sensitivity of the verdict to settings and choices."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.average_ranks import RanksComparison, compare_ranks
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.validation import check_kind
from stats_core.data.missing import ABOUT_HOLES
from stats_core.data.settings import Settings
from stats_core.report.verdict import headline
from stats_core.robustness.by_measure import measures_beside
from stats_core.robustness.missing_choices import NAMES, other_choices, under_choice
from stats_core.robustness.stability import GAINED, LOST

Look = tuple[str, Callable[[], Comparison]]
LEVELS = (0.01, 0.05, 0.10)


def sensitivity(analysis: Comparison) -> pd.DataFrame:
    """Would another level, correction, test or measure say something else?

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
    for label, compute in [*_settings(analysis), *_holes(analysis)]:
        try:
            alternative = compute()
        except FoldwiseError as error:
            rows.append((label, "", str(error), False, True))
            continue
        shared_pairs = _among(before[1], alternative.order)
        changes = _changes(
            (before[0], shared_pairs), (_rejects(alternative), _separated(alternative))
        )
        rows.append((label, changes, headline(alternative), bool(changes), False))
    return pd.DataFrame(rows, columns=["setting", "changes", "verdict then", "changed", "refused"])


def _settings(analysis: Comparison) -> Iterable[Look]:
    for label, settings in _alternatives(analysis):
        yield label, partial(_again, analysis, settings)


def _holes(analysis: Comparison) -> Iterable[Look]:
    """Yield the other choices about missing results, if one was made."""
    before = analysis.results.undecided
    if before is None:
        return
    chosen = {choice["choice"] for choice in analysis.results.choices if choice.code in ABOUT_HOLES}
    table = other_choices(before, analysis.settings, chosen)
    for choice, baseline in table:
        description = f"missing cells: {NAMES[choice].lower()}"
        label = f"{description} ({baseline})" if baseline else description
        yield label, partial(under_choice, before, analysis.settings, choice, baseline)


def describe_unchanged(table: pd.DataFrame) -> str:
    """Return how many settings change nothing and which fail, from the `sensitivity` table."""
    unchanged, refused = table[~table["changed"] & ~table["refused"]], table[table["refused"]]
    prefix = "other " if table["changed"].any() else ""
    parts = []
    if len(unchanged):
        verb = "changes" if len(unchanged) == 1 else "change"
        parts.append(f"{format_count(len(unchanged), f'{prefix}setting')} {verb} no decision.")
    if len(refused):
        parts.append(f"Not possible here: {join_names(list(refused['setting']), 6)}.")
    return " ".join(parts)


def _again(analysis: Comparison, settings: Settings) -> Comparison:
    """Return the analysis under other settings, reusing averages of the same measure."""
    same_measure = settings.measure == analysis.settings.measure
    if not (same_measure and isinstance(analysis, RanksComparison)):
        return analyse(analysis.results, settings)
    raw = analysis.raw if settings.source == analysis.settings.source else None
    return compare_ranks(replace(analysis.inputs, settings=settings), raw)


def _alternatives(comparison: Comparison) -> list[tuple[str, Settings]]:
    settings = comparison.settings
    options = [
        (f"alpha {level:g}", replace(settings, alpha=level))
        for level in LEVELS
        if level != settings.alpha
    ]
    options += comparison.alternatives()
    others = measures_beside(comparison)
    return options + [(f"measure {name}", replace(settings, measure=name)) for name in others]


def _rejects(analysis: Comparison) -> bool | None:
    """Return whether the omnibus test rejects; None if there is none."""
    first = analysis.first_test
    return None if first is None else first.rejects(analysis.settings.alpha)


def _separated(analysis: Comparison) -> dict[frozenset[str], str]:
    """Return the pairs that differ, each with its better algorithm ("" if undirected)."""
    pairs, beats = analysis.pairs(), analysis.beats
    rows = pairs.loc[pairs["separated"].astype(bool), ["first", "second"]]
    return {
        frozenset((a, b)): a if beats.loc[a, b] else b if beats.loc[b, a] else ""
        for a, b in rows.itertuples(index=False)
    }


def _among(pairs: dict[frozenset[str], str], names: list[str]) -> dict[frozenset[str], str]:
    """Return the pairs of which both algorithms are in `names`."""
    return {pair: better for pair, better in pairs.items() if pair <= set(names)}


def _changes(before: tuple, after: tuple) -> str:
    """Return the changed decisions as text."""
    (rejected, old), (rejects, new) = before, after
    parts = []
    if None not in (rejected, rejects) and rejected != rejects:
        parts.append(f"the first test {'then rejects' if rejects else 'no longer rejects'}")
    lost, gained = (
        [pair for pair in old if pair not in new],
        [pair for pair in new if pair not in old],
    )
    reversed_pairs = [
        pair
        for pair in old
        if pair in new and {old[pair], new[pair]} - {""} and old[pair] != new[pair]
    ]
    for pairs, change in ((lost, LOST), (gained, GAINED), (reversed_pairs, "turned round")):
        if pairs:
            names = join_names([" vs ".join(sorted(pair)) for pair in pairs], 3)
            parts.append(f"{format_count(len(pairs), 'pair')} {change}: {names}")
    return "; ".join(parts)
