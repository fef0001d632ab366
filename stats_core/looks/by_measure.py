"""The same comparison by other measures: which decisions change?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar, cast

import pandas as pd

from stats_core.comparison.analyse import analyse
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.on_folds import OnFolds
from stats_core.core.errors import FoldwiseError
from stats_core.core.words import interval, score_digits
from stats_core.inference.fold_tests import ON_CASES

Same = TypeVar("Same", bound=OnFolds)


def by_measure(analysis: FoldPairComparison) -> pd.DataFrame:
    """What does the same test say about two algorithms by every measure?

    Parameters
    ----------
    analysis : FoldPairComparison
        On one of the measures.

    Returns
    -------
    DataFrame
        One row per measure: the means of both, difference, interval, p, verdict; the reason
        instead of a verdict where a measure cannot be tested.

    Examples
    --------
    See the page Pair.
    """
    first, second = analysis.first, analysis.second
    rows: dict[str, dict] = {}
    for measure in analysis.results.measures:
        try:
            said = _again(analysis, measure)
        except FoldwiseError as error:
            rows[measure] = {"verdict": str(error)}
            continue
        means, outcome = said.matrix.mean(), said.chosen.outcome
        row = {
            first: means[first],
            second: means[second],
            "difference": means[first] - means[second],
        }
        if outcome is None:
            rows[measure] = {**row, "verdict": said.chosen.reason}
            continue
        bounds = said.chosen.low, said.chosen.high
        rows[measure] = {
            **row,
            "interval": interval(*bounds, score_digits(said.matrix))
            if bounds[0] == bounds[0]
            else "",
            "p": outcome.pvalue,
            "verdict": f"{said.better} better"
            if outcome.pvalue <= analysis.settings.alpha
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
    """Return the same analysis by other measures, and why some cannot be done.

    Parameters
    ----------
    analysis : FoldsComparison
    measures : sequence of str
        The measures to try, in order.
    """
    done, refused = [], {}
    for measure in measures:
        try:
            done.append(_again(analysis, measure))
        except FoldwiseError as error:
            refused[measure] = str(error)
    return done, refused


def changed_decisions(analyses: Sequence[FoldsComparison]) -> pd.DataFrame:
    """On which pairs do analyses of the same algorithms by several measures decide differently?

    Parameters
    ----------
    analyses : sequence of FoldsComparison
        One per measure.

    Returns
    -------
    DataFrame
        One row per pair that is not decided alike, indexed (first, second); one column per
        measure: the name of the better algorithm, or "not separated".

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
    """Compare by another measure; the kind of comparison stays."""
    test = analysis.settings.test
    if test in ON_CASES and measure not in ("error", "accuracy"):
        test = ""
    asked = replace(analysis.settings, measure=measure, test=test)
    return cast(Same, analyse(analysis.results, asked))
