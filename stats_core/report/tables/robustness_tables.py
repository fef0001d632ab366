"""Tables on the robustness of a comparison: data sets, measures, other procedures."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.result import Comparison, PairComparison
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.formatting import format_count, format_number, join_names, p_text
from stats_core.data.settings import Settings
from stats_core.inference.assumptions import MardiaResult
from stats_core.inference.bayesian import CorrelatedTResult, PosteriorResult, SignedRankResult, bayesian_signed_rank
from stats_core.report.robustness_text import stability_runs
from stats_core.report.tables import dataset_tables
from stats_core.report.tables.table import (
    ResultTable,
    four_decimals,
    four_digits,
    name_index,
    table_text,
    three_decimals,
    with_row_numbers,
    write_p,
    write_scores,
    write_sizes,
)
from stats_core.report.varied_verdicts import ByGroup
from stats_core.robustness.dataset_decisions import Agreement
from stats_core.robustness.leave_one_out import LeaveOneOut, Replication, Stability
from stats_core.robustness.other_measures import changed_decisions

REPEATED = ("probability", "standard error")
LIMITS = (
    "The standard error is that of the simulation alone. In benchmarks, estimates above 0.4 were "
    "right on average and lower ones too low (see Probability of replication in the methods)."
)


def first_tests(c: RanksComparison | ControlComparison, rows: Sequence[dict]) -> ResultTable:
    """Return a table of all omnibus tests."""
    plain = dataset_tables.first_tests(c)
    return replace(
        plain,
        title="All at once, by every test",
        frame=pd.DataFrame(rows).set_index("test"),
        caption=f"{plain.caption} Aligned ranks and Quade let the size of differences count across "
        "data sets; they see more where that makes sense, as for errors of similar problems.",
    )


def _braces(group: Sequence[str] | str) -> str:
    return group if isinstance(group, str) else "{" + ", ".join(map(str, group)) + "}"


def contrast_table(c: Comparison, contrasts: pd.DataFrame) -> ResultTable:
    """Return a table of the median-based estimates of all differences."""
    return ResultTable(
        name="contrasts",
        frame=name_index(contrasts, "algorithm"),
        formats=dict.fromkeys(contrasts.columns, write_sizes(c)),
        **table_text("robustness", "contrast_table", c=c),
    )


def robustness(lost: LeaveOneOut, repeated: Replication | None) -> ResultTable:
    """Return a table of how often each significant difference is lost or repeated."""
    frame = lost.pairs.rename(columns={"runs": f"lost in {lost.n} runs"})
    if repeated is not None:
        frame = frame.assign(**{name: repeated.pairs[name] for name in REPEATED})
    return ResultTable(
        name="robustness",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(REPEATED, "{:.2f}".format),
        heads=("first", "second"),
        **table_text("robustness", "robustness", LIMITS=LIMITS),
    )


def left_out(lost: LeaveOneOut) -> ResultTable:
    """Return a table of the data sets without which a claim is lost."""
    return ResultTable(
        name="leave_one_out",
        frame=with_row_numbers(lost.which),
        heads=("left out",),
        **table_text("robustness", "left_out"),
    )


def stability(result: Stability) -> list[ResultTable]:
    """Return tables of changed pairs, surviving groups, and all leave-one-out runs."""
    write = write_p(result.alpha)
    groups = result.groups.assign(group=list(map(_braces, result.groups["group"])))
    runs = stability_runs(result)
    runs["groups"] = [text if isinstance(text, str) else " ".join(map(_braces, text)) for text in runs["groups"]]
    tables = [
        ResultTable(
            name="changed_pairs",
            frame=with_row_numbers(result.changed_pairs),
            formats={"p with": write, "p without": write},
            heads=("left out", "name", "first", "second"),
            **table_text("robustness", "stability"),
        ),
        ResultTable(
            name="group_survival",
            frame=with_row_numbers(groups),
            heads=("group",),
            **table_text("robustness", "stability_2"),
        ),
        ResultTable(
            name="stability_runs",
            frame=with_row_numbers(runs),
            formats={"p": write},
            heads=("left out", "name"),
            **table_text("robustness", "stability_3"),
        ),
    ]
    return [table for table in tables if len(table.frame)]


def other_definitions_table(definitions: pd.DataFrame, alpha: float) -> ResultTable:
    """Return a table of the same comparison as defined by other programs."""
    used = ["yes" if is_so else "" for is_so in definitions["used here"]]
    return ResultTable(
        name="definitions",
        frame=with_row_numbers(definitions.assign(**{"used here": used})),
        formats={"statistic": four_digits, "p": write_p(alpha)},
        heads=("question", "definition"),
        **table_text("robustness", "other_definitions_table"),
    )


def changed_pairs_table(comparisons: Sequence[FoldsComparison]) -> ResultTable:
    """Return a table of the pairs decided differently by measures; it can be empty."""
    changed = changed_decisions(comparisons)
    names = join_names([comparison.settings.measure for comparison in comparisons], 6)
    total = format_count(len(comparisons[0].pairs()), "pair")
    return ResultTable(
        name="changed",
        frame=changed,
        **table_text(
            "robustness", "changed_pairs_table", changed=changed, total=total, names=names, comparisons=comparisons
        ),
    )


def by_measure_table(c: FoldPairComparison, measures: pd.DataFrame) -> ResultTable:
    """Return a table of the same pair by every measure."""
    return ResultTable(
        name="measures",
        frame=measures,
        formats={**dict.fromkeys(measures.columns[:3], four_decimals), "p": write_p(c.settings.alpha)},
        **table_text("robustness", "by_measure_table", c=c),
    )


def agreement_table(agreement: Agreement, first: str, second: str) -> ResultTable:
    """Return a table of how often two decision rules agree, in counts and percent."""
    counts, percent = agreement.counts, agreement.percent
    rows = [f"{first} {row}" if row != "total" else row for row in counts.index]
    cells = {
        f"{second} {name}" if name != "total" else name: [
            f"{n:,} ({share:.1f}%)" for n, share in zip(counts[name], percent[name], strict=True)
        ]
        for name in counts
    }
    return ResultTable(
        name="agreement",
        frame=pd.DataFrame(cells, index=pd.Index(rows, name="decision")),
        **table_text(
            "robustness",
            "agreement_table",
            found=agreement,
            first=first,
            second=second,
            each_repetition=_each_repetition(agreement),
        ),
    )


def _each_repetition(result: Agreement) -> str:
    """Return a sentence on the numbers of pairs, data sets and repetitions."""
    table = result.decisions
    pairs = len(table[["first", "second"]].drop_duplicates())
    sets = table["dataset"].nunique()
    tests = len(table[["dataset", "repetition"]].drop_duplicates())
    size = f"{format_count(pairs, 'pair')} on {format_count(sets, 'data set')}"
    if tests == sets:
        return f"{size}, one decision each."
    return (
        f"{size}; each repetition of a cross-validation is tested on its own, "
        f"{format_count(tests, 'repetition')} in all."
    )


def dimension_table(dimensions: pd.DataFrame, measures: Sequence[str], alpha: float) -> ResultTable:
    """Return a table of the dimension of the means on each data set."""
    return ResultTable(
        name="dimensions",
        frame=dimensions,
        formats={"p": write_p(alpha)},
        **table_text("robustness", "dimension_table", measures=measures),
    )


def normality_table(c: OnMeasures, checks: dict[str, MardiaResult | str]) -> ResultTable:
    """Return a table of Mardia's tests, one row per check."""
    see = "gross departures only" if c.n_folds < 30 else "moderate departures"
    return ResultTable(
        name="mardia",
        frame=pd.DataFrame(
            [_mardia(check) for check in checks.values()],
            index=pd.Index(checks, name="of"),
            columns=["skewness", "p skewness", "kurtosis", "p kurtosis", "note"],
        ),
        formats={
            **dict.fromkeys(["skewness", "kurtosis"], format_number),
            **dict.fromkeys(["p skewness", "p kurtosis"], p_text),
        },
        **table_text("robustness", "normality_table", c=c, see=see),
    )


def _mardia(check: MardiaResult | str) -> dict[str, float | str]:
    if isinstance(check, str):
        return {"note": check}
    plain = check.asymptotic["p"]
    return {
        "skewness": check.skewness,
        "p skewness": check.pvalue,
        "kurtosis": check.kurtosis,
        "p kurtosis": check.kurtosis_pvalue,
        "note": f"asymptotic p {p_text(plain['skewness'])}, {p_text(plain['kurtosis'])}",
    }


MOST_PAIRS = 120  # maximum number of pairs, as each takes 0.1 s


def equivalence(comparison: PairComparison) -> PosteriorResult:
    """Return the Bayesian test of two algorithms against the equivalence region.

    Examples
    --------
    See the page Pair.
    """
    return comparison.posterior(_region(comparison))


def equivalence_table(comparison: PairComparison) -> ResultTable:
    """Return the table of the Bayesian test of two algorithms."""
    posterior, region = equivalence(comparison), _region(comparison)
    higher, lower = comparison.first, comparison.second
    if not comparison.higher_is_better:  # larger values are worse
        higher, lower = lower, higher
    rows = [f"{higher} better by more", f"within ±{region:g}", f"{lower} better by more"]
    values = [posterior.right, posterior.rope, posterior.left]
    if isinstance(posterior, SignedRankResult):
        mean = posterior.shares.mean(axis=0)[::-1]
        frame, caption = {_LARGEST: values, _MEAN: mean}, _of_draws(posterior)
    else:
        frame, caption = {"probability": values}, _of_posterior(posterior)
        plain = comparison.posterior(region, published=True)
        assert isinstance(posterior, CorrelatedTResult)
        assert isinstance(plain, CorrelatedTResult)
        if plain.df != posterior.df:
            frame["published df"] = [plain.right, plain.rope, plain.left]
            caption += f" Published df: J − 1 = {plain.df}."
    table = pd.DataFrame(frame, index=pd.Index(rows, name="difference"))
    return ResultTable(
        name="bayes",
        title=f"Bayesian test against ±{region:g} {comparison.settings.measure}",
        frame=table,
        formats=dict.fromkeys(frame, three_decimals),
        caption=caption,
    )


def equivalences_table(comparison: Comparison) -> ResultTable | None:
    """Return the Bayesian tests of every pair over data sets; None if there are too many."""
    region, pairs = _region(comparison), comparison.pairs()[["first", "second"]]
    if len(pairs) > MOST_PAIRS:
        return None
    names = ("first better by more", f"within ±{region:g}", "second better by more")
    rows, posterior = [], None
    for first, second in pairs.itertuples(index=False):
        shares: Any = (np.nan, np.nan, np.nan)
        try:
            posterior = _over_sets(comparison.scores, first, second, region)
            shares = (posterior.right, posterior.rope, posterior.left)
        except FoldwiseError:
            pass  # too few shared data sets: left blank
        rows.append(shares if comparison.higher_is_better else shares[::-1])
    if posterior is None:
        return None
    frame = pd.concat([pairs, pd.DataFrame(rows, index=pairs.index, columns=list(names))], axis=1)
    return ResultTable(
        name="bayes",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(names, three_decimals),
        heads=("first", "second"),
        **table_text(
            "equivalence",
            "equivalences_table",
            region=region,
            comparison=comparison,
            of_draws=_of_draws(posterior, mean=False),
        ),
    )


_LARGEST, _MEAN = "largest in", "mean share"


def _region(comparison: Comparison) -> float:
    if comparison.settings.region is None:
        raise SettingError(
            "Bayesian tests need `region`, up to which differences do not matter. None is set. "
            "Try 0.01 for an accuracy."
        )
    return comparison.settings.region


def _over_sets(scores: pd.DataFrame, first: str, second: str, region: float) -> SignedRankResult:
    paired = scores[[first, second]].dropna()
    return bayesian_signed_rank(paired[first] - paired[second], rope=region)


def _of_draws(posterior: SignedRankResult, *, mean: bool = True) -> str:
    """Return the caption that explains the shares of draws."""
    share = " Mean share: how many pairs of data sets have their mean difference there, on average."
    return (
        f"{'Largest in: the' if mean else 'The'} share of draws in which more differences lie there "
        "than in either other region. It says how sure it is which region holds most, and is not the "
        f"probability of being equivalent.{share if mean else ''} {posterior.method}. Not a p-value. "
        f"{method_card('bayesian_signed_rank').reference}."
    )


def _of_posterior(posterior: PosteriorResult) -> str:
    assert isinstance(posterior, CorrelatedTResult)
    return (
        f"Posterior probability that the mean difference lies there. {posterior.method}. Not a p-value. "
        f"{method_card('correlated_t').reference}."
    )


def tables_by_group(by_group: ByGroup, number_of: str = "") -> list[ResultTable]:
    """Return the table of groups, and the orders by cost if there are any."""
    orders = [_orders_side_by_side(by_group, f"orders_by_group{number_of}")] if by_group.orders else []
    return [_side_by_side(by_group, f"by_group{number_of}"), *orders]


def _side_by_side(groups: ByGroup, name: str) -> ResultTable:
    table, settings = groups.table, groups.settings
    scores = pd.to_numeric(table["average"]).to_frame()
    frame = table.assign(
        **{
            "first test p": pd.to_numeric(table["first test p"]),
            "p Holm over groups": pd.to_numeric(table["p Holm over groups"]),
            "average": scores["average"],
            "average rank": pd.to_numeric(table["average rank"]),
            "pairs separated": _of_all(table),
        }
    ).drop(columns=["pairs", "by more", "equivalent"])
    if table["by more"].notna().any():
        frame[f"±{settings.region:g}"] = _of_region(table)
    frame = frame[[*(name for name in frame if name != "verdict"), "verdict"]]
    empty = ["p Holm over groups", "average", "average rank"]
    frame = frame.drop(columns=[column for column in empty if frame[column].isna().all()])
    k = len(groups.groups)
    untagged_text = f" In no group: {join_names(groups.untagged, 6)}." if groups.untagged else ""
    return ResultTable(
        name=name,
        frame=frame,
        formats={
            "first test p": write_p(settings.alpha),
            "p Holm over groups": write_p(settings.alpha),
            "average": write_scores(scores),
            "average rank": format_number,
        },
        **table_text(
            "group",
            "side_by_side",
            groups=groups,
            doubts=_doubts(k, settings, holm="p Holm over groups" in frame),
            region_told=_describe_region(settings, frame),
            untagged_text=untagged_text,
        ),
    )


def _doubts(k: int, settings: Settings, *, holm: bool) -> str:
    """Return sentences on the error rate over several groups."""
    if k < 2:
        return f"There is one group, tested at {settings.alpha:g}."
    holm_text = " Holm over groups bounds it for the first tests alone." if holm else ""
    return (
        f"{k} groups are {k} families, each tested at {settings.alpha:g}; nothing bounds the chance "
        f"of a false difference over all of them together.{holm_text} That one group decides and another "
        "does not is no sign that they differ."
    )


def _of_all(table: pd.DataFrame) -> list[str]:
    return [
        f"{int(n_separated)} of {int(n_pairs)}" if n_pairs == n_pairs and n_pairs else ""
        for n_separated, n_pairs in zip(table["pairs separated"], table["pairs"], strict=True)
    ]


def _describe_region(settings: Settings, frame: pd.DataFrame) -> str:
    """Return the caption of the equivalence column; "" if there is none."""
    if settings.region is None or (head := f"±{settings.region:g}") not in frame:
        return ""
    return f" {head}: pairs shown to differ by more than that, or to be equivalent within it."


def _of_region(table: pd.DataFrame) -> list[str]:
    """Return texts with the numbers of pairs beyond the region and equivalent."""
    return [
        f"{int(n_beyond)} by more, {int(n_equivalent)} equivalent" if n_beyond == n_beyond else ""
        for n_beyond, n_equivalent in zip(table["by more"], table["equivalent"], strict=True)
    ]


def _orders_side_by_side(groups: ByGroup, name: str) -> ResultTable:
    columns = {value: list(order.ordering.order) for value, order in groups.orders.items()}
    frame = pd.DataFrame(columns)
    frame.index = pd.RangeIndex(1, len(frame) + 1, name="place")
    by = next(iter(groups.orders.values())).rules.cost_label
    reasons = "".join(f" {value}: {reason}" for value, reason in groups.unordered.items())
    return ResultTable(
        name=name, frame=frame, **table_text("group", "orders_side_by_side", by=by, groups=groups, reasons=reasons)
    )
