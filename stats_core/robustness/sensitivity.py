"""What would change the verdict: the same results under other settings and other choices."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.average_ranks import RanksComparison, compare_ranks
from stats_core.comparison.result import Comparison
from stats_core.comparison.verdict import headline
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.validation import check_kind
from stats_core.data.missing import ABOUT_HOLES
from stats_core.data.settings import Settings
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
    for label, look in [*_settings(analysis), *_holes(analysis)]:
        try:
            other = look()
        except FoldwiseError as error:
            rows.append((label, "", str(error), False, True))
            continue
        both = _among(before[1], other.order)
        changes = _changes((before[0], both), (_rejects(other), _separated(other)))
        rows.append((label, changes, headline(other), bool(changes), False))
    return pd.DataFrame(rows, columns=["setting", "changes", "verdict then", "changed", "refused"])


def _settings(analysis: Comparison) -> Iterable[Look]:
    for label, settings in _alternatives(analysis):
        yield label, partial(_again, analysis, settings)


def _holes(analysis: Comparison) -> Iterable[Look]:
    """Yield the other choices about missing cells, where one was made."""
    before = analysis.results.undecided
    if before is None:
        return
    made = {one["choice"] for one in analysis.results.choices if one.code in ABOUT_HOLES}
    table = other_choices(before, analysis.settings, made)
    for choice, baseline in table:
        named = f"missing cells: {NAMES[choice].lower()}"
        label = f"{named} ({baseline})" if baseline else named
        yield label, partial(under_choice, before, analysis.settings, choice, baseline)


def describe_unchanged(table: pd.DataFrame) -> str:
    """Say how many settings change nothing, and which cannot be used, of the table of `sensitivity`."""
    same, refused = table[~table["changed"] & ~table["refused"]], table[table["refused"]]
    others = "other " if table["changed"].any() else ""
    parts = []
    if len(same):
        verb = "changes" if len(same) == 1 else "change"
        parts.append(f"{format_count(len(same), f'{others}setting')} {verb} no decision.")
    if len(refused):
        parts.append(f"Not possible here: {join_names(list(refused['setting']), 6)}.")
    return " ".join(parts)


def _again(analysis: Comparison, settings: Settings) -> Comparison:
    """Return the analysis under other settings; the averages of one measure stay."""
    same = settings.measure == analysis.settings.measure
    if not (same and isinstance(analysis, RanksComparison)):
        return analyse(analysis.results, settings)
    kept = ("results", "higher_is_better", "scores", "advice")
    common = {name: getattr(analysis, name) for name in kept}
    raw = analysis.raw if settings.source == analysis.settings.source else None
    return compare_ranks({**common, "settings": settings}, raw)


def _alternatives(comparison: Comparison) -> list[tuple[str, Settings]]:
    now = comparison.settings
    options = [
        (f"alpha {level:g}", replace(now, alpha=level)) for level in LEVELS if level != now.alpha
    ]
    options += comparison.alternatives()
    others = measures_beside(comparison)
    return options + [(f"measure {name}", replace(now, measure=name)) for name in others]


def _rejects(analysis: Comparison) -> bool | None:
    """Tell whether the test of all at once rejects; None where there is none."""
    first = analysis.first_test
    return None if first is None else first.rejects(analysis.settings.alpha)


def _separated(analysis: Comparison) -> dict[frozenset[str], str]:
    """Return the pairs that differ, each with the one that is better, "" where no side is taken."""
    pairs, beats = analysis.pairs(), analysis.beats
    found = pairs.loc[pairs["separated"].astype(bool), ["first", "second"]]
    return {
        frozenset((a, b)): a if beats.loc[a, b] else b if beats.loc[b, a] else ""
        for a, b in found.itertuples(index=False)
    }


def _among(pairs: dict[frozenset[str], str], names: list[str]) -> dict[frozenset[str], str]:
    """Return the pairs of which nothing is left out."""
    return {pair: better for pair, better in pairs.items() if pair <= set(names)}


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
            names = join_names([" vs ".join(sorted(pair)) for pair in pairs], 3)
            parts.append(f"{format_count(len(pairs), 'pair')} {change}: {names}")
    return "; ".join(parts)
