"""Tables of comparisons over data sets, of published summaries, and of averages without a test."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
)
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_number, unused_label
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.settings import corrected_share
from stats_core.inference import fold_pairs
from stats_core.inference.paired.t_tests import corrected_t
from stats_core.report.tables.table import (
    PAIR,
    ResultTable,
    best_and_second,
    deviations,
    make_table,
    pair_heads,
    pairs_table,
    tests_table,
    with_equivalence,
    write_scores,
    write_sizes,
    yes_no,
)

_STATISTICS = {"ranks": "z", "wilcoxon": "rank-biserial", "sign": "wins - losses"}


def _scores_table(
    c: Comparison,
    names: list[str],
    *,
    frame: pd.DataFrame | None = None,
    ranks: pd.Series | None = None,
    own: Mapping[Any, Callable[[float], str]] | None = None,
) -> ResultTable:
    """Return a table of averages per data set, or `frame` in their place, with average ranks below if given."""
    scores = c.scores[names]
    columns = scores.copy() if frame is None else frame
    if ranks is not None:
        columns.loc[unused_label("average rank", list(columns.index))] = ranks[names]
    designs = {c.results.design_of(name) for name in c.results.with_folds}
    varying = "runs" if designs <= _RUNS else "folds"
    return make_table(
        "scores",
        columns,
        c,
        index="data set",
        own=dict.fromkeys(columns, write_scores(scores)) | ({} if own is None else dict(own)),
        best=best_and_second(scores, c.higher_is_better),
        spread=_spread(c, names),
        summary=int(ranks is not None),
        names=names,
        varying="runs" if c.shape.over == "cases" else varying,
        # otherwise values come from one test set each
        averaged=bool(c.results.with_folds),
        missing=bool(scores.isna().to_numpy().any()),
        ranked_worst=c.results.failures == "worst rank" and ranks is not None,
    )


# designs whose results of one algorithm on a data set are called runs
_RUNS = {"common test set", "seeds"}


@cached(across_alpha=True)
def _spread(c: Comparison, names: list[str]) -> pd.DataFrame | None:
    """Return standard deviations over folds, data set x algorithm; None without folds."""
    rows = {}
    for dataset in c.results.with_folds:
        matrix = c.results.matrix(dataset, c.settings.measure).reindex(columns=names)
        rows[dataset] = deviations(matrix).where(c.scores.loc[dataset, names].notna())
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    return table if table.notna().to_numpy().any() else None


def untested_tables(c: Comparison) -> list[ResultTable]:
    """Return the table of averages for a comparison without a test; [] without averages."""
    return [_scores_table(c, list(c.scores.columns))] if c.scores.size else []


@cached(across_alpha=True)
def scores(c: RanksComparison | ControlComparison) -> ResultTable:
    """Return a table of averages, best algorithm first, with average ranks below."""
    return _scores_table(c, c.order, ranks=c.friedman.average_ranks)


def first_tests(c: RanksComparison | ControlComparison | PublishedRanks) -> ResultTable:
    """Return a table of the Friedman and Iman-Davenport tests."""
    return tests_table(
        "first_tests", {"Friedman": c.friedman, "Iman-Davenport": c.omnibus}, c, name="tests"
    )


def pairs_of_ranks(c: RanksComparison, *, late: bool = False) -> ResultTable:
    """Return a table of all pairs with differences of average ranks and of the measure."""
    statistic = _STATISTICS[c.settings.source]
    return pairs_table(
        "pairs_of_ranks",
        c,
        statistic=statistic,
        own={"rank gap": None},
        write=write_sizes(c),
        late=late,
    )


def lazy_pairs_of_ranks(c: RanksComparison) -> ResultTable:
    """Return `pairs_of_ranks` with intervals computed later, unless equivalence tests need them."""
    return pairs_of_ranks(c, late=c.settings.margin is None)


def _matrix_of_records(won: pd.DataFrame, tied: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """Return wins/ties/losses of the row against the column algorithm as text, "" on the diagonal."""
    won, tied = (table.loc[order, order].to_numpy() for table in (won, tied))
    k = range(len(order))
    cells = [["" if i == j else f"{won[i, j]}/{tied[i, j]}/{won[j, i]}" for j in k] for i in k]
    return pd.DataFrame(cells, order, order, dtype=object)


def wins_of_ranks(c: RanksComparison | PublishedWins) -> ResultTable:
    """Return a matrix of data sets won, tied and lost."""
    frame = _matrix_of_records(c.wins, c.ties, c.order)
    return make_table(
        "records", frame, c, name="wins", index="algorithm", own=dict.fromkeys(frame, str)
    )


def comparisons(c: ControlComparison) -> ResultTable:
    """Return a table of the comparisons with the control."""
    statistic = _STATISTICS[c.settings.source]
    table = pairs_table(
        "comparisons", c, statistic=statistic, own={"rank gap": None}, write=write_sizes(c)
    )
    first, second = pair_heads(c.noun)
    frame = table.frame.rename(columns={first: "algorithm"}).drop(columns=second)
    return replace(table, name="comparisons", frame=frame, heads=("algorithm",))


def marked_scores(c: ControlComparison) -> ResultTable | None:
    """Return scores with marks where the corrected t test finds a difference from the control; None if untested."""
    names, write, spread = (
        [c.control, *c.others],
        write_scores(c.scores),
        _spread(c, [c.control, *c.others]),
    )
    tested = pd.DataFrame(
        {dataset: _signs(c, dataset) for dataset in c.results.with_folds}, index=c.others
    ).T
    if spread is None or tested.isna().to_numpy().all():
        return None
    cells = c.scores[names].map(write, na_action="ignore")
    sds = spread.reindex(cells.index).map(write, na_action="ignore")
    cells = cells.where(sds.isna(), cells + " ± " + sds).fillna("")
    marks = tested.reindex(cells.index).replace({1.0: f" {_BETTER}", -1.0: f" {_WORSE}"})
    cells[c.others] += marks.where(marks.isin([f" {_BETTER}", f" {_WORSE}"]), "")
    counts = [[str((tested[name] == sign).sum()) for sign in (1, 0, -1)] for name in c.others]
    label = unused_label("wins/ties/losses", list(cells.index))
    cells.loc[label] = ["", *map("/".join, counts)]
    return make_table(
        "marked_scores",
        cells,
        c,
        index="data set",
        own=dict.fromkeys(cells, str),
        best=best_and_second(c.scores[names], c.higher_is_better),
        summary=1,
        better=_BETTER,
        worse=_WORSE,
        untested=len(cells) - 1 - int(tested.notna().any(axis=1).sum()),
    )


_BETTER, _WORSE = "∘", "•"  # as in the LaTeX tables of Weka


def _signs(c: ControlComparison, dataset: str) -> pd.Series:
    """Return 1 for each algorithm better than the control on a data set, -1 if worse, 0 if neither, NaN if untested."""
    matrix, share = (
        c.results.matrix(dataset, c.settings.measure),
        corrected_share(c.results, dataset, c.settings),
    )
    signs = pd.Series(np.nan, c.others)
    if share is None:
        return signs
    limit = fold_pairs.max_df(c.settings, len(matrix), share)
    for name in c.others:
        with suppress(FoldwiseError):  # differences that are constant or too few
            test = corrected_t(matrix[name], matrix[c.control], test_fraction=share, max_df=limit)
            differs = significant(test.pvalue, c.settings.alpha)
            signs[name] = differs * np.sign(test.estimate) * (1 if c.higher_is_better else -1)
    return signs


def differences(c: TwoComparison) -> ResultTable:
    """Return a table of both averages and their difference per data set, sorted by difference."""
    names = [c.first, c.second]
    columns = [
        *names,
        *(unused_label(name, names) for name in ("difference", "rank of difference")),
    ]
    frame = c.differences().set_axis(columns, axis=1)
    own = {name: write_sizes(c) for name in columns[:3]} | {columns[3]: "{:g}".format}
    return _scores_table(c, names, frame=frame, own=own)


def both_tests(c: TwoComparison) -> ResultTable:
    """Return a table of the Wilcoxon test and the sign test."""
    tests = c.table().set_index("test").drop(columns="region", errors="ignore")
    frame = with_equivalence(c, tests, "Wilcoxon")
    return make_table(
        "both_tests", frame, c, name="tests", write=write_sizes(c), record=c.record(c.first)
    )


def symmetry(c: RanksComparison | ControlComparison | TwoComparison) -> ResultTable | None:
    """Return a table of tests of symmetric differences, which the Wilcoxon test assumes; None if untested."""
    checks = c.symmetry()
    if checks is None:
        return None
    frame = checks.assign(asymmetric=np.where(checks["asymmetric"], "yes", ""))
    frame = frame if len(checks) > 1 else frame.drop(columns="p adjusted")
    return make_table("symmetry", frame, c, heads=PAIR)


def scores_of_present(c: PresentComparison) -> ResultTable:
    """Return a table of averages, best algorithm first."""
    return _scores_table(c, c.order)


def standing(c: PresentComparison) -> ResultTable:
    """Return a table of average ranks among the algorithms present, with numbers of data sets."""
    return make_table("standing", c.standing, c, index="algorithm")


def test_of_present(c: PresentComparison) -> ResultTable:
    """Return a table of the Skillings-Mack test."""
    return tests_table("test_of_present", {"Skillings-Mack": c.omnibus}, c, name="tests")


def pairs_of_present(c: PresentComparison) -> ResultTable:
    """Return a table of all pairs with differences on shared data sets."""
    statistic = _STATISTICS["sign" if c.settings.source == "sign" else "wilcoxon"]
    return pairs_table(
        "pairs_of_present", c, statistic=statistic, own={"data sets": None}, write=write_sizes(c)
    )


def published_ranks(c: PublishedRanks) -> ResultTable:
    """Return a table of the published average ranks, best first."""
    frame = c.friedman.average_ranks[c.order].rename("average rank").to_frame()
    own = {"average rank": lambda rank: format_number(rank, c.published.digits)}
    return make_table("ranks", frame, c, index="algorithm", own=own)


def published_pairs(c: PublishedRanks) -> ResultTable:
    """Return a table of all pairs with differences of published average ranks."""
    return pairs_table("pairs_of_published_ranks", c, statistic="z")


def published_decisions(c: PublishedDecisions) -> ResultTable:
    """Return a matrix of the published decisions as 0 and 1."""
    cells = c.decided.loc[c.order, c.order].astype(int).astype(str)
    cells = cells.mask(np.eye(len(cells), dtype=bool), "")
    return make_table("decisions", cells, c, index="algorithm", own=dict.fromkeys(cells, str))


def decided_pairs(c: PublishedDecisions) -> ResultTable:
    """Return a table of all pairs, significantly different ones first."""
    rows = c.pairs.decisions
    frame = rows[["first", "second"]].assign(differs=yes_no(rows["separated"]))
    return make_table("pairs_of_decisions", frame.rename_axis(None), c, name="pairs", heads=PAIR)


def published_order(c: PublishedDecisions) -> ResultTable | None:
    """Return a table of the MultiTest steps; None if decisions have no direction."""
    if c.ordering is None:
        return None
    steps = c.ordering.steps
    columns = {"algorithm": [step.chosen for step in steps], "why": [step.text for step in steps]}
    frame = pd.DataFrame(columns, index=pd.Index([step.place for step in steps], name="rank"))
    return make_table("published_order", frame, name="order")
