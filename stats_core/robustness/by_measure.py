"""Comparison by other measures, and the decisions that change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np
import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.claims import claimed
from stats_core.comparison.conclusion_scope import may_cite
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import capitalize_first, format_interval, join_names, p_phrase
from stats_core.core.significance import significant
from stats_core.data.measures import AREAS, DERIVED, LOSSES
from stats_core.inference.fold_tests import ON_CASES

Same = TypeVar("Same", bound=Comparison)
# one measure each of labels, of ranked scores and of probabilities
ASPECTS = ("error", "auc", "brier")


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """Decisions by another measure that the measure of a comparison lacks or contradicts.

    Attributes
    ----------
    measure : str
    apart : tuple of (str, str)
        The better one first, smallest p on top.
    p : float
        The smallest adjusted p-value, as if this measure were the only one.
    post : str
        Its test.
    """

    measure: str
    apart: tuple[tuple[str, str], ...]
    p: float
    post: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherMeasures:
    """Decisions by other measures of the same results.

    Attributes
    ----------
    looked_at : tuple of str
        The other measures that could be tested.
    found : tuple of Otherwise
        Those that decide otherwise, smallest p on top.
    alpha : float
        The level.
    """

    looked_at: tuple[str, ...]
    found: tuple[Otherwise, ...]
    alpha: float

    @property
    def text(self) -> str:
        """Two sentences on the other decisions, adjusted for looking at several measures."""
        if not self.found:
            return ""
        findings = "; ".join(self._one(finding) for finding in self.found[:2])
        ending = f"; and {len(self.found) - 2} more" if len(self.found) > 2 else ""
        factor = len(self.looked_at) + 1
        still_significant = [
            finding.measure for finding in self.found if significant(factor * finding.p, self.alpha)
        ]
        verb = "decides" if len(still_significant) == 1 else "decide"
        conclusion = (
            f"{join_names(still_significant)} still {verb}"
            if still_significant
            else "none of them decides"
        )
        return (
            f"{capitalize_first(findings)}{ending}. Each measure looked at is one more chance to find a "
            f"difference: with p times {factor}, {conclusion}."
        )

    def _one(self, each: Otherwise) -> str:
        pairs = join_names([f"{better} is better than {worse}" for better, worse in each.apart], 2)
        if len(each.apart) > 2:
            pairs = f"{len(each.apart)} pairs differ"
        return f"by {each.measure}, {pairs} ({each.post}, {p_phrase(each.p, self.alpha)})"


def decided_otherwise(comparison: Comparison) -> OtherMeasures:
    r"""Does another measure of the same results name a difference that this one does not?

    Notes
    -----
    p-values are those of each measure alone; `text` says what is left when they are multiplied by
    the number of measures.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> rows = [f"d{i},a,1,0.{20 + i % 2},0.{30 + i}\nd{i},b,1,0.2,0.{50 + i}" for i in range(8)]
    >>> table = "dataset,algorithm,fold,error,auc\n" + "\n".join(rows)
    >>> found = decided_otherwise(analyse(read_results(("r.csv", table.encode()))))
    >>> found.found[0].measure, found.found[0].apart, round(found.found[0].p, 4)
    ('auc', (('b', 'a'),), 0.0078)
    """
    alpha = comparison.settings.alpha
    before = {*claimed(comparison).apart}
    looked_at, other_decisions = [], []
    for measure in measures_beside(comparison, ASPECTS):
        try:
            other = _again(comparison, measure)
        except FoldwiseError:
            continue
        if not may_cite(comparison, other, naming=["measures"]):
            continue
        looked_at.append(measure)
        pairs = [pair for pair in claimed(other).apart if not before or pair[::-1] in before]
        if pairs:
            p = float(other.sized(*pairs[0])["p adjusted"])
            other_decisions.append(
                Otherwise(measure=measure, apart=tuple(pairs), p=p, post=other.post)
            )
    other_decisions.sort(key=lambda finding: finding.p)
    return OtherMeasures(looked_at=tuple(looked_at), found=tuple(other_decisions), alpha=alpha)


def measures_beside(comparison: Comparison, derived: Sequence[str] = ()) -> Iterable[str]:
    """Yield the other measures, skipping those equivalent to an earlier one (tnr, 1 - fpr).

    If `derived` is given, other measures derived from predictions or counts are skipped. Nothing
    is yielded if several measures or thresholds are compared together.
    """
    settings, results = comparison.settings, comparison.results
    if settings.measures or settings.thresholds:
        return
    seen: list[np.ndarray] = []
    # if all derived measures are present, they come from counts
    from_counts = derived and {*DERIVED} <= {*results.measures}
    redundant = {*DERIVED, *AREAS, *LOSSES} - {*derived} if from_counts else set()
    for name in (
        settings.measure,
        *(measure for measure in results.measures if measure not in redundant),
    ):
        values = results.averages(name).to_numpy(dtype=float)
        equal = (np.allclose(values, previous, equal_nan=True) for previous in seen)
        complements = (np.allclose(1 - values, previous, equal_nan=True) for previous in seen)
        if not (any(equal) or any(complements)):
            yield from [name] if seen else []
            seen.append(values)


def by_measure(analysis: FoldPairComparison) -> pd.DataFrame:
    """What does the same test say about two algorithms by every measure?

    Examples
    --------
    See the page Pair.
    """
    first, second = analysis.first, analysis.second
    rows: dict[str, dict] = {}
    for measure in analysis.results.measures:
        try:
            other = _again(analysis, measure)
        except FoldwiseError as error:
            rows[measure] = {"verdict": str(error)}
            continue
        means, outcome = other.matrix.mean(), other.chosen.outcome
        row = {
            first: means[first],
            second: means[second],
            "difference": means[first] - means[second],
        }
        if outcome is None:
            rows[measure] = {**row, "verdict": other.chosen.reason}
            continue
        bounds = other.chosen.low, other.chosen.high
        rows[measure] = {
            **row,
            "interval": format_interval(*bounds, other.digits) if bounds[0] == bounds[0] else "",
            "p": outcome.pvalue,
            "verdict": f"{other.better} better"
            if significant(outcome.pvalue, analysis.settings.alpha)
            else "not separated",
        }
    columns = [first, second, "difference", "interval", "p", "verdict"]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    for name in ("interval", "verdict"):
        table[name] = table[name].astype(object).fillna("")
    return table.rename_axis("measure")


def other_measures(
    analysis: FoldsComparison, measures: Sequence[str]
) -> tuple[list[FoldsComparison], dict[str, str]]:
    """Return the same analysis by other measures, and the reasons if one fails."""
    analyses, refused = [], {}
    for measure in measures:
        try:
            analyses.append(_again(analysis, measure))
        except FoldwiseError as error:
            refused[measure] = str(error)
    return analyses, refused


def changed_decisions(analyses: Sequence[FoldsComparison]) -> pd.DataFrame:
    """On which pairs do analyses of the same algorithms by several measures decide differently?

    Examples
    --------
    See the page One data set.
    """
    decided = {}
    for analysis in analyses:
        pairs = analysis.pairs()
        decided[analysis.settings.measure] = {
            tuple(sorted((row["first"], row["second"]))): row["first"]
            if row["separated"]
            else "not separated"
            for _, row in pairs.iterrows()
        }
    table = pd.DataFrame(decided).sort_index()
    table.index = pd.MultiIndex.from_tuples(table.index, names=["first", "second"])
    return table[table.nunique(axis=1) > 1]


def _again(analysis: Same, measure: str) -> Same:
    """Return the same kind of comparison by another measure."""
    test = analysis.settings.test
    if test in ON_CASES and measure not in ("error", "accuracy"):
        test = ""
    requested = replace(analysis.settings, measure=measure, test=test)
    return cast(Same, analyse(analysis.results, requested))
