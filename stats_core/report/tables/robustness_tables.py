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
        title=f"How far apart in {c.settings.measure}: contrasts of medians",
        frame=name_index(found, "algorithm"),
        formats=dict.fromkeys(found.columns, write_sizes(c)),
        caption="Row minus column, estimated from the medians of the differences on all data sets: an "
        "effect size that a few strange data sets cannot move (Garcia et al. 2010). It has no "
        "interval.",
    )


def robustness(lost: LeaveOneOut, repeated: Replication | None) -> ResultTable:
    """Return a table of how often each significant difference is lost or repeated."""
    frame = lost.pairs.rename(columns={"runs": f"lost in {lost.n} runs"})
    if repeated is not None:
        frame = frame.assign(**{name: repeated.pairs[name] for name in REPEATED})
    return ResultTable(
        name="robustness",
        title="Robustness of each significant difference",
        frame=with_row_numbers(frame),
        formats=dict.fromkeys(REPEATED, "{:.2f}".format),
        caption="Lost: leave-one-out runs in which the difference is not significant, or significant "
        "in the other direction. Probability: estimated chance that a new experiment of this size "
        f"finds it again. {LIMITS}",
        heads=("first", "second"),
    )


def left_out(lost: LeaveOneOut) -> ResultTable:
    """Return a table of the data sets without which a claim is lost."""
    return ResultTable(
        name="leave_one_out",
        title="Data sets without which a claim is lost",
        frame=with_row_numbers(lost.which),
        caption="Best: who is best then, if another algorithm is.",
        heads=("left out",),
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
            title="Pairs decided differently",
            frame=with_row_numbers(found.changed_pairs),
            formats={"p with": write, "p without": write},
            caption="Pairs decided otherwise when one data set or one algorithm is left out.",
            heads=("left out", "name", "first", "second"),
        ),
        ResultTable(
            name="group_survival",
            title="How often each group survives without one data set",
            frame=with_row_numbers(groups),
            caption="Maximal groups and in how many runs without one data set they survive.",
            heads=("group",),
        ),
        ResultTable(
            name="stability_runs",
            title="Every run",
            frame=with_row_numbers(runs),
            formats={"p": write},
            caption="The whole analysis without each data set and without each algorithm.",
            heads=("left out", "name"),
        ),
    ]
    return [table for table in tables if len(table.frame)]


def other_definitions_table(found: pd.DataFrame, alpha: float) -> ResultTable:
    """Return a table of the same comparison as defined by other programs."""
    used = ["yes" if is_so else "" for is_so in found["used here"]]
    return ResultTable(
        name="definitions",
        title="The same table, as others define the tests",
        frame=with_row_numbers(found.assign(**{"used here": used})),
        formats={"statistic": four_digits, "p": write_p(alpha)},
        caption="The same comparison under the definitions that other programs use. Two programs that "
        "print different numbers under one name usually differ in one of these choices. Say in a "
        "paper which you used.",
        heads=("question", "definition"),
    )


def changed_pairs_table(comparisons: Sequence[FoldsComparison]) -> ResultTable:
    """Return a table of the pairs decided differently by measures; it can be empty."""
    changed = changed_decisions(comparisons)
    names = join_names([comparison.settings.measure for comparison in comparisons], 6)
    total = format_count(len(comparisons[0].pairs()), "pair")
    return ResultTable(
        name="changed",
        title=f"{len(changed)} of {total} decided differently",
        frame=changed,
        caption=f"Pairs that {names} decide differently on {comparisons[0].dataset}: who is better.",
    )


def by_measure_table(c: FoldPairComparison, found: pd.DataFrame) -> ResultTable:
    """Return a table of the same pair by every measure."""
    return ResultTable(
        name="measures",
        title="By measure",
        frame=found,
        formats={**dict.fromkeys(found.columns[:3], four_decimals), "p": write_p(c.settings.alpha)},
        caption=f"{c.first} and {c.second} on {c.dataset} by every measure, each at its own level: "
        "looking for one that separates them is a search, so say how many you looked at.",
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
        title=f"{format_count(len(found.decisions), 'decision')}: {first} and {second}",
        frame=pd.DataFrame(cells, index=pd.Index(rows, name="decision")),
        caption=f"Decisions of {first} (rows) and {second} (columns), counts and percent. {_each_repetition(found)}",
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
        title="Dimensions in which the means differ",
        frame=found,
        formats={"p": write_p(alpha)},
        caption=f"Dimension of the means on ({', '.join(measures)}), folds as blocks and one-way.",
    )


def normality_table(c: OnMeasures, checks: dict[str, MardiaResult | str]) -> ResultTable:
    """Return a table of Mardia's tests, one row per check."""
    see = "gross departures only" if c.n_folds < 30 else "moderate departures"
    return ResultTable(
        name="mardia",
        title="Normality: Mardia's tests",
        frame=pd.DataFrame(
            [_mardia(check) for check in checks.values()],
            index=pd.Index(checks, name="of"),
            columns=["skewness", "p skewness", "kurtosis", "p kurtosis", "note"],
        ),
        formats={
            **dict.fromkeys(["skewness", "kurtosis"], format_number),
            **dict.fromkeys(["p skewness", "p kurtosis"], p_text),
        },
        caption=f"Mardia's skewness and kurtosis of {c.label} on {c.dataset}. With {c.counted} these "
        f"tests see {see}. The asymptotic forms printed by most programs almost never reject at ten. "
        "Box's M is not offered: on shared folds it almost never rejects.",
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
