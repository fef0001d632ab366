"""Tables on robustness: leave-one-out, other tests, definitions and measures, equivalence, assumptions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.cards import method_card
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.result import Comparison, PairComparison
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.formatting import format_number, format_set, measure_name
from stats_core.core.result_types import cached
from stats_core.inference import bayesian
from stats_core.inference.assumptions import MardiaResult
from stats_core.inference.bayesian import CorrelatedTResult, PosteriorResult, SignedRankResult
from stats_core.report import order_text, robustness_text
from stats_core.report.tables.table import (
    PAIR,
    ResultTable,
    make_table,
    table_text,
    write_scores,
    write_sizes,
)
from stats_core.report.varied_verdicts import ByGroup
from stats_core.robustness import other_measures
from stats_core.robustness.dataset_decisions import Agreement
from stats_core.robustness.leave_one_out import LeaveOneOut, Replication, Stability

_REPEATED = ["probability", "standard error"]
_probability = partial(format_number, digits=3)


@cached
def first_tests(c: RanksComparison | ControlComparison, rows: Sequence[dict]) -> ResultTable:
    """Return a table of all omnibus tests."""
    return make_table("every_first_test", pd.DataFrame(rows).set_index("test"), c, name="tests")


@cached
def contrast_table(c: Comparison, contrasts: pd.DataFrame) -> ResultTable:
    """Return a table of the contrast estimates of all pairs."""
    return make_table(
        "contrasts", contrasts, c, index="algorithm", own=dict.fromkeys(contrasts, write_sizes(c))
    )


def robustness(lost: LeaveOneOut, repeated: Replication | None) -> ResultTable:
    """Return a table of how often each significant difference is lost and, unless `repeated` is None, replicated."""
    frame = lost.pairs.rename(columns={"runs": "lost in runs"})
    if repeated is not None:
        frame = frame.assign(**repeated.pairs[_REPEATED])
    return make_table(
        "robustness", frame.rename_axis(None), heads=PAIR, n=lost.n, repeated=repeated is not None
    )


def left_out(lost: LeaveOneOut) -> ResultTable:
    """Return a table of the data sets without which a significant difference or the best algorithm is lost."""
    return make_table("leave_one_out", lost.which.rename_axis(None), heads=("left out",), n=lost.n)


@cached
def stability(result: Stability) -> list[ResultTable]:
    """Return tables of changed pairs, surviving groups, and all leave-one-out runs; empty ones are omitted."""
    groups = result.groups.assign(group=list(map(_as_set, result.groups["group"])))
    runs = robustness_text.stability_runs(result)
    runs["groups"] = [
        text if isinstance(text, str) else " ".join(map(_as_set, text)) for text in runs["groups"]
    ]
    tables = {
        "changed_pairs": (result.changed_pairs, ("left out", "name", *PAIR)),
        "group_survival": (groups, ("group",)),
        "stability_runs": (runs, ("left out", "name")),
    }
    return [
        make_table(key, frame.rename_axis(None), alpha=result.alpha, heads=heads)
        for key, (frame, heads) in tables.items()
        if len(frame)
    ]


def _as_set(group: Sequence[str] | str) -> str:
    return group if isinstance(group, str) else format_set(group)


def other_definitions_table(definitions: pd.DataFrame, alpha: float) -> ResultTable:
    """Return a table of the same tests as other programs compute them."""
    used = ["yes" if is_so else "" for is_so in definitions["used here"]]
    frame = definitions.assign(**{"used here": used}).rename_axis(None)
    return make_table("definitions", frame, alpha=alpha, heads=("question", "definition"))


def changed_pairs_table(comparisons: Sequence[FoldsComparison]) -> ResultTable:
    """Return a table of the pairs on which measures lead to different decisions."""
    changed, first = other_measures.changed_decisions(comparisons), comparisons[0]
    measures = [comparison.measure_name for comparison in comparisons]
    return make_table(
        "changed",
        changed.reset_index().rename(columns=measure_name),
        first,
        own=dict.fromkeys(map(measure_name, changed), str),
        heads=PAIR,
        changed=len(changed),
        pairs=len(first.pairs),
        measures=measures,
    )


def by_measure_table(c: FoldPairComparison, measures: pd.DataFrame) -> ResultTable:
    """Return a table of the test of one pair by every measure."""
    own = dict.fromkeys(measures.columns[:3], partial(format_number, digits=4))
    return make_table("by_measure", measures.rename(measure_name), c, name="measures", own=own)


def agreement_table(agreement: Agreement, first: str, second: str) -> ResultTable:
    """Return a table of the agreement of two tests, in counts and percent."""
    counts, shares = agreement.counts, agreement.percent
    name = lambda rule, decision: decision if decision == "total" else f"{rule} {decision}"  # noqa: E731
    cells = {
        name(second, column): [
            f"{n:,} ({share:.1f}%)" for n, share in zip(counts[column], shares[column], strict=True)
        ]
        for column in counts
    }
    decisions, index = (
        agreement.decisions,
        pd.Index([name(first, row) for row in counts.index], name="decision"),
    )
    return make_table(
        "agreement",
        pd.DataFrame(cells, index),
        own=dict.fromkeys(cells, str),
        first=first,
        second=second,
        decisions=len(decisions),
        pairs=len(decisions[list(PAIR)].drop_duplicates()),
        datasets=decisions["dataset"].nunique(),
        repetitions=len(decisions[["dataset", "repetition"]].drop_duplicates()),
        opposite=len(agreement.reversed),
    )


def dimension_table(dimensions: pd.DataFrame, measures: Sequence[str], alpha: float) -> ResultTable:
    """Return a table of the dimension of the means on each data set."""
    return make_table(
        "dimensions",
        dimensions,
        index="data set",
        alpha=alpha,
        measures=[*map(measure_name, measures)],
    )


def normality_table(c: OnMeasures, checks: dict[str, MardiaResult | str]) -> ResultTable:
    """Return a table of Mardia's tests, one row per check."""
    rows = {
        name: (np.nan,) * 4 + (check,) if isinstance(check, str) else _mardia(check)
        for name, check in checks.items()
    }
    columns = ["skewness", "p skewness", "kurtosis", "p kurtosis", "note"]
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("of")
    return make_table("mardia", frame, c)


def _mardia(check: MardiaResult) -> tuple[float, float, float, float, str]:
    plain = check.asymptotic["p"]
    note = table_text("mardia.asymptotic", skewness=plain["skewness"], kurtosis=plain["kurtosis"])
    return check.skewness, check.pvalue, check.kurtosis, check.kurtosis_pvalue, note


MOST_PAIRS = 120  # maximum number of pairs, as each takes 0.1 s


def equivalence(comparison: PairComparison) -> PosteriorResult:
    """Return the Bayesian test of two algorithms against the equivalence region; SettingError without one."""
    return comparison.posterior(_region(comparison))


def equivalence_table(comparison: PairComparison) -> ResultTable:
    """Return the table of the Bayesian test of two algorithms."""
    posterior, region = equivalence(comparison), _region(comparison)
    better, worse = comparison.first, comparison.second
    if not comparison.higher_is_better:  # larger values are worse
        better, worse = worse, better
    columns, published_df = {}, 0
    if isinstance(posterior, SignedRankResult):
        columns = {
            "largest in": _shares(posterior),
            "mean share": posterior.shares.mean(axis=0)[::-1],
        }
    else:
        plain = comparison.posterior(region, published=True)
        assert isinstance(posterior, CorrelatedTResult)
        assert isinstance(plain, CorrelatedTResult)
        columns["probability"] = _shares(posterior)
        if plain.df != posterior.df:
            columns[table_text("bayes.original")], published_df = _shares(plain), plain.df
    rows = table_text("equivalence.rows", better=better, worse=worse, region=region).split("\n")
    return make_table(
        "bayes",
        pd.DataFrame(columns, index=pd.Index(rows, name="difference")),
        comparison,
        own=dict.fromkeys(columns, _probability),
        region=region,
        published_df=published_df,
        **_posterior_values(posterior),
    )


def _shares(posterior: PosteriorResult) -> tuple[float, float, float]:
    return posterior.right, posterior.rope, posterior.left


def _posterior_values(posterior: PosteriorResult) -> dict[str, Any]:
    """Return the caption values of a posterior."""
    by_draws = isinstance(posterior, SignedRankResult)
    card = method_card.method_card("bayesian_signed_rank" if by_draws else "correlated_t")
    return {"method": posterior.method, "by_draws": by_draws, "reference": card.reference}


def equivalences_table(comparison: Comparison) -> ResultTable | None:
    """Return a table of Bayesian tests of every pair over data sets; None if there are too many pairs or no test."""
    region, pairs = _region(comparison), comparison.pairs.decisions[list(PAIR)]
    if len(pairs) > MOST_PAIRS:
        return None
    rows, posterior = [], None
    for first, second in pairs.itertuples(index=False):
        shares: Any = (np.nan, np.nan, np.nan)
        try:
            posterior = _over_sets(comparison.scores, first, second, region)
            shares = _shares(posterior)
        except FoldwiseError:
            pass  # too few shared data sets: left blank
        rows.append(shares if comparison.higher_is_better else shares[::-1])
    if posterior is None:
        return None
    names = table_text(
        "equivalence.rows", better="algorithm A", worse="algorithm B", region=region
    ).split("\n")
    frame = pd.concat(
        [pairs, pd.DataFrame(rows, index=pairs.index, columns=names)], axis=1
    ).rename_axis(None)
    own, about = dict.fromkeys(names, _probability), _posterior_values(posterior)
    return make_table(
        "bayes_of_pairs",
        frame,
        comparison,
        name="bayes",
        own=own,
        heads=PAIR,
        region=region,
        **about,
    )


def _region(comparison: Comparison) -> float:
    if comparison.settings.margin is None:
        raise SettingError(table_text("equivalence.no_region"))
    return comparison.settings.margin


def _over_sets(scores: pd.DataFrame, first: str, second: str, region: float) -> SignedRankResult:
    paired = scores[[first, second]].dropna()
    return bayesian.bayesian_signed_rank(paired[first] - paired[second], rope=region)


def tables_by_group(by_group: ByGroup, suffix: str = "") -> list[ResultTable]:
    """Return the table of groups of data sets and, if any, that of orders by cost; `suffix` ends the table names."""
    orders = [_orders_side_by_side(by_group, f"orders_by_group{suffix}")] if by_group.orders else []
    return [_side_by_side(by_group, f"by_group{suffix}"), *orders]


def _side_by_side(groups: ByGroup, name: str) -> ResultTable:
    """Return the table of groups of data sets, without columns that are empty for all groups."""
    table, settings = groups.table, groups.settings
    numbers = ["first test p", "p Holm over groups", "average", "average rank"]
    frame = table.assign(
        **table[numbers].apply(pd.to_numeric), **{"significant pairs": _counted(table, "of")}
    )
    if has_region := bool(table["by more"].notna().any()):
        frame[f"±{settings.margin:g}"] = _counted(table, "region")
    frame = frame.drop(
        columns=["pairs", "by more", "equivalent", "pairs separated", "verdict"]
    ).assign(verdict=table["verdict"])
    empty = [column for column in numbers[1:] if frame[column].isna().all()]
    return make_table(
        "by_group",
        frame.drop(columns=empty),
        name=name,
        alpha=settings.alpha,
        write=write_scores(frame[["average"]]),
        groups=groups,
        holm="p Holm over groups" not in empty,
        region=settings.margin if has_region else None,
    )


def _counted(table: pd.DataFrame, key: str) -> list[str]:
    """Return by row the numbers of significant (`key` "of") or of relevant and equivalent pairs as text, or ""."""
    columns = ["pairs separated", "pairs"] if key == "of" else ["by more", "equivalent"]
    return [
        table_text(f"counts.{key}", n=int(n), of=int(of))
        if n == n and of == of and (key == "region" or of)
        else ""
        for n, of in table[columns].itertuples(index=False)
    ]


def _orders_side_by_side(groups: ByGroup, name: str) -> ResultTable:
    frame = pd.DataFrame(
        {value: list(order.ordering.order) for value, order in groups.orders.items()}
    )
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="rank")
    by = order_text.describe_costs(next(iter(groups.orders.values())).rules)
    own = dict.fromkeys(frame, str)
    return make_table(
        "orders_by_group",
        frame,
        name=name,
        alpha=groups.settings.alpha,
        own=own,
        by=by,
        groups=groups,
    )
