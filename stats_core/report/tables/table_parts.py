"""Tables and columns shared by several kinds of comparison."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core import formatting
from stats_core.core.formatting import capitalize_first, format_number, unused_label
from stats_core.core.messages import fill_in, read_texts
from stats_core.report.effect_text import interval_words, region_caption, region_column
from stats_core.report.tables.table import (
    ResultTable,
    best_and_second,
    bold_significant,
    deviations,
    format_records,
    name_index,
    with_row_numbers,
    write_ends,
    write_p,
    write_scores,
)

_TEXTS = "report/tables/tables.toml"
_P = ("p", "p raw", "p adjusted", "p corrected", "p published")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Options of a table of pairs.

    Attributes
    ----------
    caption : str
        Test and meaning of the columns.
    estimate, statistic : str
        Their names; "" where they are not shown.
    raw : bool
        Whether p before adjusting says anything.
    own : mapping of column to function
        Columns of the kind, right after the names, and how they are written.
    write : callable
        How the estimate and its interval are written.
    unit : str
        Noun for the results that p-values may assume independent: "fold".
    """

    caption: str
    estimate: str = "difference"
    statistic: str = "statistic"
    raw: bool = True
    own: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    write: Callable[[float], str] = format_number
    unit: str = "fold"


def table_text(section: str, table: str, /, **values: Any) -> dict[str, Any]:
    """Return title and caption of a table, or one of them, with the values inserted."""
    functions = vars(formatting) | {
        function.__name__: function
        for function in (if_independent, interval_words, p_words, published_caption, region_caption)
    }
    return {name: fill_in(text, functions | values) for name, text in read_texts(_TEXTS)[section][table].items()}


def p_words(c: Comparison) -> str:
    """Return a phrase for the deciding p-values, adjusted or not."""
    return "adjusted p" if c.guarantee.adjusted else "p, not adjusted for being many"


def write_every_p(c: Comparison, unit: str = "fold") -> dict[str, Callable[[float], str]]:
    """Return the formats of all columns of p-values."""
    return dict.fromkeys((*_P, if_independent(unit)), write_p(c.settings.alpha))


def if_independent(unit: str) -> str:
    """Return the heading of p-values that assume independent folds."""
    return f"p if {unit}s were independent"


def pairs_table(c: Comparison, said: Pairs, late: Callable[[pd.DataFrame], pd.DataFrame] | None = None) -> ResultTable:
    """Return the table of all pairs, smallest adjusted p first, differing pairs bold.

    The deciding columns come first: pair, difference with interval, adjusted p, decision. Given how
    rows of `tested` get their `details`, differences and intervals are `late`.
    """
    sizes = ["estimate", "low", "high"]
    pair_rows = c.tested().assign(**dict.fromkeys(sizes, nan)) if late else c.details()
    adjusted = "p adjusted" if c.guarantee.adjusted else "p"
    decision = "verdict" if "verdict" in pair_rows else "differs"
    differs = pd.Series(["yes" if differs else "no" for differs in pair_rows["separated"]], pair_rows.index)
    identical = {frozenset(pair) for pair in c.identical}
    if identical:
        differs[[frozenset(pair) in identical for pair in pair_rows[["first", "second"]].to_numpy()]] = "identical"
    pair_rows = pair_rows.assign(
        **{"differs": differs, "record": format_records(pair_rows) if "wins" in pair_rows else ""}
    )
    columns = {
        "first": "first",
        "second": "second",
        **({"estimate": said.estimate, "low": "low", "high": "high"} if said.estimate else {}),
        "p adjusted": adjusted,
        **({"p published": "p published"} if "p published" in pair_rows else {}),
        decision: decision,
        **{name: name for name in said.own},
        **({"record": "won/tied/lost"} if "wins" in pair_rows else {}),
        **({"statistic": said.statistic} if said.statistic else {}),
        **({"p": "p raw"} if said.raw and c.guarantee.adjusted else {}),
        **({"p uncorrected": if_independent(said.unit)} if "p uncorrected" in pair_rows else {}),
    }
    table = pair_rows[list(columns)].set_axis(list(columns.values()), axis=1)
    if late is None:
        empty = [name for name in ("low", "high") if name in table and table[name].isna().all()]
        table = table.drop(columns=empty)
    if region := region_column(c):
        table.insert(table.columns.get_loc(decision) + 1, *region)

    def sized(labels: pd.Index) -> pd.DataFrame:
        assert late is not None
        rows = late(pair_rows.drop(columns=sizes).iloc[labels - 1])[sizes]
        return rows.set_axis(labels).rename(columns={"estimate": said.estimate})

    return ResultTable(
        name="pairs",
        title="All pairs" if len(table) > 1 else "The pair",
        frame=with_row_numbers(table),
        formats={
            said.estimate: said.write,
            **dict.fromkeys(["low", "high"], write_ends(said.write)),
            said.statistic: format_number,
            **said.own,
            **write_every_p(c, said.unit),
        },
        best=bold_significant(pair_rows, adjusted),
        caption=f"{said.caption}{published_caption('p published' in pair_rows)}{region_caption(c)}",
        heads=("first", "second"),
        late=sized if late else None,
    )


def published_caption(shown: bool) -> str:
    """Return the caption of the published p-values, "" if they are not shown."""
    return " p published: the same with the published degrees of freedom." if shown else ""


def with_equivalence(c: Comparison, table: pd.DataFrame, test: str) -> pd.DataFrame:
    """Insert the result of the equivalence test for the deciding test, if a region is set."""
    if region := region_column(c):
        table = table.copy()
        table.insert(
            table.columns.get_loc("p") + 1, region[0], [region[1][0] if name == test else None for name in table.index]
        )
    return table


def groups_table(c: Comparison, values: pd.Series | None = None, what: str = "") -> ResultTable:
    """Return the maximal groups without a separated pair, one per row."""
    table = pd.DataFrame({"algorithms": [", ".join(group) for group in c.groups]}, dtype=object)
    table.insert(0, "size", [len(group) for group in c.groups])
    ends = {f"{what} of the first": 0, f"{what} of the last": -1} if values is not None else {}
    write: Callable[[float], str] = format_number
    if values is not None:
        for end, index in ends.items():
            table[end] = [values[group[index]] for group in c.groups]
        write = write_scores(values.to_frame()) if what == "mean" else format_number
    return ResultTable(
        name="groups",
        title="Groups",
        frame=table.set_axis(pd.RangeIndex(1, len(table) + 1, name="group")),
        formats=dict.fromkeys(ends, write),
        caption=f"Maximal groups of {c.noun}s of which no pair is separated at {c.settings.alpha:g}. Not "
        "separated is not the same as equally good.",
    )


def scores_table(c: Comparison, names: list[str], *, ranks: pd.Series | None = None, more: str = "") -> ResultTable:
    """Return the averages per data set, optionally with average ranks below."""
    scores = c.scores[names]
    frame = scores.copy()
    if ranks is not None:
        frame.loc[unused_label("average rank", list(frame.index))] = ranks[names]
    spread = _spread(c, names)
    marks_text = "best bold, second underlined." if len(names) > 2 else "the better one bold."
    spread_text = f" ± standard deviation over {_varying(c)}" if c.results.with_folds else ""
    missing_text = ""
    if scores.isna().to_numpy().any():
        ranked_text = ", ranked worst" if c.results.failures == "worst rank" and ranks is not None else ""
        missing_text = f" Blank: results are missing{ranked_text}."
    measure = c.settings.measure
    # otherwise values come from one test set each
    averaged = c.results.with_folds or c.results.predictions is None
    subject = f"Average {c.measure_label}" if averaged else capitalize_first(c.measure_label)
    return ResultTable(
        name="scores",
        title=f"{capitalize_first(measure)} on {'each data set' if len(scores) > 1 else scores.index[0]}",
        frame=name_index(frame, "data set"),
        formats=dict.fromkeys(names, write_scores(scores)),
        best=best_and_second(scores, c.higher_is_better),
        caption=f"{subject}{spread_text}; {marks_text}{missing_text}{more}",
        spread=spread,
        summary=int(ranks is not None),
    )


def _varying(c: Comparison) -> str:
    """Return the noun for what varies between results of one algorithm on a data set."""
    designs = {c.results.design_of(name) for name in c.results.with_folds}
    if designs <= {"common test set"}:
        return "training sets"
    return "runs" if designs <= {"seeds"} else "folds"


def _spread(c: Comparison, names: list[str]) -> pd.DataFrame | None:
    """Return standard deviations over folds, data set x algorithm; None without folds."""
    rows = {}
    for dataset in c.results.with_folds:
        matrix = c.results.matrix(dataset, c.settings.measure).reindex(columns=names)
        rows[dataset] = deviations(matrix).where(c.scores.loc[dataset, names].notna())
    table = pd.DataFrame.from_dict(rows, orient="index", columns=names)
    return table if table.notna().to_numpy().any() else None


def untested_tables(c: Comparison) -> list[ResultTable]:
    """Return the table of averages if nothing can be tested."""
    return [scores_table(c, list(c.scores.columns))] if c.scores.size else []


def tests_table(rows: Mapping[str, Any], **about: Any) -> ResultTable:
    """Return a table of tests with statistic, df and p-value."""
    frame = pd.DataFrame(
        {
            "statistic": [test.statistic for test in rows.values()],
            "df": [df_text(test.df) for test in rows.values()],
            "p": [test.pvalue for test in rows.values()],
        },
        index=pd.Index(list(rows), name="test"),
    )
    return ResultTable(frame=frame, **about)


def df_text(df: object) -> str:
    """Return degrees of freedom as text, "3, 87"; "" for None."""
    parts = df if isinstance(df, tuple) else () if df is None else (df,)
    return ", ".join(f"{part:g}" for part in parts)
