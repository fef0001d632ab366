"""Tables on the robustness of a comparison: data sets, measures, other procedures."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from stats_core.comparison.kinds.control_and_pairs import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, format_number, join_names, p_text
from stats_core.inference.assumptions import MardiaResult
from stats_core.report.robustness_text import stability_runs
from stats_core.report.tables import dataset_tables
from stats_core.report.tables.table import (
    ResultTable,
    four_decimals,
    four_digits,
    name_index,
    with_row_numbers,
    write_p,
    write_sizes,
)
from stats_core.report.tables.table_parts import table_text
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


def contrast_table(c: Comparison, found: pd.DataFrame) -> ResultTable:
    """Return a table of the median-based estimates of all differences."""
    return ResultTable(
        name="contrasts",
        frame=name_index(found, "algorithm"),
        formats=dict.fromkeys(found.columns, write_sizes(c)),
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


def stability(found: Stability) -> list[ResultTable]:
    """Return tables of changed pairs, surviving groups, and all leave-one-out runs."""
    write = write_p(found.alpha)
    groups = found.groups.assign(group=list(map(_braces, found.groups["group"])))
    runs = stability_runs(found)
    runs["groups"] = [text if isinstance(text, str) else " ".join(map(_braces, text)) for text in runs["groups"]]
    tables = [
        ResultTable(
            name="changed_pairs",
            frame=with_row_numbers(found.changed_pairs),
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


def other_definitions_table(found: pd.DataFrame, alpha: float) -> ResultTable:
    """Return a table of the same comparison as defined by other programs."""
    used = ["yes" if is_so else "" for is_so in found["used here"]]
    return ResultTable(
        name="definitions",
        frame=with_row_numbers(found.assign(**{"used here": used})),
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


def by_measure_table(c: FoldPairComparison, found: pd.DataFrame) -> ResultTable:
    """Return a table of the same pair by every measure."""
    return ResultTable(
        name="measures",
        frame=found,
        formats={**dict.fromkeys(found.columns[:3], four_decimals), "p": write_p(c.settings.alpha)},
        **table_text("robustness", "by_measure_table", c=c),
    )


def agreement_table(found: Agreement, first: str, second: str) -> ResultTable:
    """Return a table of how often two decision rules agree, in counts and percent."""
    counts, percent = found.counts, found.percent
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
            found=found,
            first=first,
            second=second,
            each_repetition=_each_repetition(found),
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


def dimension_table(found: pd.DataFrame, measures: Sequence[str], alpha: float) -> ResultTable:
    """Return a table of the dimension of the means on each data set."""
    return ResultTable(
        name="dimensions",
        frame=found,
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
