"""Table of results: columns, number formats, marked cells and caption."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core import formatting
from stats_core.core.formatting import (
    ABOVE_ZERO,
    MINUS,
    capitalize_first,
    format_number,
    format_power_of_ten,
    p_text,
    score_digits,
    unused_label,
)
from stats_core.core.messages import fill_in, read_texts
from stats_core.core.validation import tie_groups
from stats_core.report import effect_text

LONGEST = 60  # maximum number of rows of a printed table; the CSV has all
_WORD = 20  # letters that fit a cell; longer text counts as several cells


@dataclass(frozen=True, kw_only=True, eq=False)  # without slots, for cached properties
class ResultTable:
    """A table for page, report, CSV and LaTeX.

    Attributes
    ----------
    name : str
        Start of its file names, and its key on a page.
    title : str
        Title of the table.
    frame : DataFrame
        Numbers and text; the index, whose labels are distinct, is the first column.
    formats : mapping of column to function
        Functions that format numbers; missing values are blank.
    best : mapping of row label to (columns, columns)
        Cells printed bold, and underlined.
    caption : str
        How to read it.
    spread : DataFrame or None
        Standard deviations over folds of some cells of `frame`, printed after them.
    summary : int
        Number of summary rows at the end; they are never omitted.
    heads : tuple of str
        Columns that name a row; on the screen and in files they replace the number of the row.
    aside : tuple of str
        Columns for the screen and files, for which print has no room.
    late : callable or None
        Function that returns slow columns for row labels; they are blank until `filled`.
    """

    name: str
    title: str
    frame: pd.DataFrame
    formats: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    best: Mapping[Any, tuple[Sequence[str], Sequence[str]]] = field(default_factory=dict)
    caption: str = ""
    spread: pd.DataFrame | None = None
    summary: int = 0
    heads: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    late: Callable[[pd.Index], pd.DataFrame] | None = None

    def filled(self) -> "ResultTable":
        """Return the table with its `late` columns computed."""
        if self.late is None:
            return self
        late_columns = self.late(self.frame.index)
        frame = self.frame.assign(**{str(name): late_columns[name] for name in late_columns})
        return replace(self, frame=frame, late=None)

    @cached_property
    def texts(self) -> pd.DataFrame:
        """Text of every cell, missing ones blank."""
        columns = {name: self._column(name) for name in self.frame}
        return pd.DataFrame(columns, index=self.frame.index, dtype=object)

    @property
    def numeric(self) -> dict[str, bool]:
        """Whether each column is numeric, and so aligned right."""
        is_number = pd.api.types.is_numeric_dtype
        return {name: bool(is_number(self.frame[name])) for name in self.frame}

    @property
    def data(self) -> pd.DataFrame:
        """Numbers for a CSV: `frame`, with standard deviations in columns of their own."""
        frame = self.headed(self.frame)
        if self.spread is None:
            return frame
        spread = self.spread.reindex(frame.index)
        return pd.concat([frame, spread.add_suffix(" (sd)")], axis=1)

    def headed(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Return the cells indexed by the columns that identify a row."""
        return cells.set_index(list(self.heads)) if self.heads else cells

    def only(self, rows: Sequence[int] | Sequence[bool]) -> "ResultTable":
        """Return the table with some rows, given by position or as a mask."""
        frame = self.frame.iloc[np.asarray(rows)]
        spread = self.spread
        return replace(
            self,
            frame=frame,
            best={label: self.best[label] for label in frame.index if label in self.best},
            spread=None if spread is None else spread[spread.index.isin(frame.index)],
        )

    def parts(self, cells: int) -> list[range]:
        """Return ranges of rows that have about the given number of cells each."""
        body = len(self.frame) - self.summary
        texts = (self.frame[name].to_numpy(dtype=object) for name, is_number in self.numeric.items() if not is_number)
        words = (text for column in texts for text in column if isinstance(text, str))
        letters = sum(len(text) - _WORD for text in words if len(text) > _WORD)
        cells_per_row = self.frame.shape[1] + letters / _WORD / max(1, len(self.frame))
        step = max(1, int(cells / cells_per_row)) if cells_per_row else 1
        return [range(start, min(start + step, body)) for start in range(0, max(1, body), step)]

    def part(self, rows: range) -> "ResultTable":
        """Return a range of rows with the summary, named in the caption."""
        part = self.only([*rows, *range(len(self.frame) - self.summary, len(self.frame))])
        return replace(part, caption=f"{self.caption} {self.rows_phrase(rows)}".strip())

    def rows_phrase(self, rows: range) -> str:
        """Return the sentence that names a range of rows."""
        body = len(self.frame) - self.summary
        return f"Rows {rows.start + 1:,} to {rows.stop:,} of {body:,}, which sort among themselves; Copy and Export have all."

    def printed(self, longest: int = LONGEST) -> "ResultTable":
        """Return the part that fits a page; the caption says what is left out."""
        shown = replace(self, frame=self.frame.drop(columns=list(self.aside)), aside=())
        body = len(self.frame) - self.summary
        if body <= longest:
            return shown
        note = f"Shown {longest} of {body}; all in the CSV."
        first_rows = shown.only([*range(longest), *range(body, len(self.frame))])
        return replace(first_rows, caption=f"{self.caption} {note}".strip())

    def _column(self, name: str) -> list[str]:
        """Return the cells of one column as text."""
        write, values = self.formats.get(name, str), list(self.frame[name])
        body = len(values) - self.summary
        texts = ["" if _missing(value) else write(value) for value in values[:body]]
        if self.spread is not None and name in self.spread:
            spread = self.spread[name].reindex(self.frame.index[:body])
            texts = [text if _missing(sd) else f"{text} ± {write(sd)}" for text, sd in zip(texts, spread, strict=True)]
        return [*texts, *map(_two_digits, values[body:])]


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _two_digits(value: Any) -> str:
    return "" if _missing(value) else format_number(value) if not isinstance(value, str) else value


def best_and_second(
    scores: pd.DataFrame, higher: bool | Mapping[str, bool], *, by_column: bool = False
) -> dict[object, tuple[list[str], list[str]]]:
    """Return the columns with the best and the second-best value of each row.

    Examples
    --------
    >>> best_and_second(pd.DataFrame({"a": [0.9], "b": [0.7], "c": [0.8]}, index=["iris"]), True)
    {'iris': (['a'], ['c'])}
    """
    marks: dict[object, tuple[list[str], list[str]]] = {}
    lines = scores.items() if by_column else scores.iterrows()
    for line, values in lines:
        higher_is_better = higher[line] if isinstance(higher, Mapping) else higher
        for rank, names in enumerate(_best_two(values.dropna() * (1 if higher_is_better else -1))):
            for name in names:
                row, column = (name, line) if by_column else (line, name)
                marks.setdefault(row, ([], []))[rank].append(column)
    return marks


def _best_two(values: pd.Series) -> tuple[list, list]:
    """Return the labels with the largest value and with the second largest."""
    if values.empty:
        return [], []
    numbers = -values.to_numpy(dtype=float)
    groups = tie_groups(numbers[None], np.abs(numbers).max(keepdims=True))[0]
    best, second = (list(values.index[groups == group]) for group in (0, 1))
    if not second:
        return [], []
    return best, second if len(values) > 2 else []


def write_p(alpha: float) -> Callable[[float], str]:
    """Return a function that formats p-values at a significance level."""
    return lambda p: p_text(p, alpha)


def write_scores(scores: pd.DataFrame) -> Callable[[float], str]:
    """Return a function that formats numbers with digits fitting these scores."""
    digits = score_digits(scores.fillna(0)) if scores.size else 4
    return lambda value: format_number(value, digits)


def write_sizes(comparison: Comparison) -> Callable[[float], str]:
    """Return a function that formats estimates with the digits of the comparison."""
    digits = comparison.digits
    return lambda value: format_number(value, digits)


def write_ends(write: Callable[[float], str]) -> Callable[[float], str]:
    """Return a function that formats interval ends, including ends open at zero.

    Examples
    --------
    >>> write = write_ends(four_decimals)
    >>> write(0.0), write(ABOVE_ZERO), write(-ABOVE_ZERO), write(float("inf"))
    ('0.0000', '> 0', '< 0', '∞')
    """
    return lambda end: {ABOVE_ZERO: "> 0", -ABOVE_ZERO: "< 0"}.get(end) or write(end)


def deviations(matrix: pd.DataFrame) -> pd.Series:
    """Return the standard deviation of each column without overflow of squares.

    Examples
    --------
    >>> deviations(pd.DataFrame({"a": [1e200, 3e200], "b": [1e200, 1e200]})).tolist()
    [1.414213562373095e+200, 0.0]
    """
    largest = matrix.abs().max().max()
    unit = largest if largest and not 1e-100 < largest < 1e100 else 1.0
    return (matrix / unit).std(ddof=1) * unit


def three_decimals(value: float) -> str:
    """Return a number with three decimals."""
    return format_number(value, 3)


def four_decimals(value: float) -> str:
    """Return a number with four decimals."""
    return format_number(value, 4)


def four_digits(value: float) -> str:
    """Return a number with four significant digits, or rounded if it is large.

    Examples
    --------
    >>> four_digits(-0.681512), four_digits(699), four_digits(123456.7)
    ('−0.6815', '699', '123,457')
    >>> four_digits(0.0000123)
    '1.23×10⁻⁵'
    """
    if np.isinf(value) or (value and not 1e-4 <= abs(value) < 1e12):
        return format_power_of_ten(value) if np.isfinite(value) else format_number(value)
    text = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return text.replace("-", MINUS)


def name_index(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Name the index, avoiding names of columns."""
    return table.rename_axis(index=unused_label(label, list(table.columns)), columns=None)


def with_row_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with rows numbered from 1."""
    return table.set_axis(pd.RangeIndex(1, len(table) + 1, name="no."))


def bold_significant(pairs: pd.DataFrame, column: str = "p adjusted") -> dict[int, tuple[list[str], list[str]]]:
    """Return marks that print p-values of differing pairs bold, rows numbered from 1."""
    return {number: ([column], []) for number, differs in enumerate(pairs["separated"], 1) if differs}


def format_records(pairs: pd.DataFrame) -> list[str]:
    """Return wins, ties and losses of each pair as "20/1/9"."""
    return [f"{w}/{t}/{x}" for w, t, x in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)]


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
        Column names of estimate and statistic; "" if they are not shown.
    raw : bool
        Whether the unadjusted p-value is shown.
    own : mapping of column to function
        Columns of the kind, right after the names, and how they are written.
    write : callable
        Function that formats the estimate and its interval.
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
        for function in (
            effect_text.estimate_label,
            if_independent,
            effect_text.interval_words,
            p_words,
            published_caption,
            effect_text.region_caption,
        )
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


def pairs_table(
    c: Comparison, layout: Pairs, late: Callable[[pd.DataFrame], pd.DataFrame] | None = None
) -> ResultTable:
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
        **({"estimate": layout.estimate, "low": "low", "high": "high"} if layout.estimate else {}),
        "p adjusted": adjusted,
        **({"p published": "p published"} if "p published" in pair_rows else {}),
        decision: decision,
        **{name: name for name in layout.own},
        **({"record": "won/tied/lost"} if "wins" in pair_rows else {}),
        **({"statistic": layout.statistic} if layout.statistic else {}),
        **({"p": "p raw"} if layout.raw and c.guarantee.adjusted else {}),
        **({"p uncorrected": if_independent(layout.unit)} if "p uncorrected" in pair_rows else {}),
    }
    table = pair_rows[list(columns)].set_axis(list(columns.values()), axis=1)
    if late is None:
        empty = [name for name in ("low", "high") if name in table and table[name].isna().all()]
        table = table.drop(columns=empty)
    if region := effect_text.region_column(c):
        table.insert(table.columns.get_loc(decision) + 1, *region)

    def sized(labels: pd.Index) -> pd.DataFrame:
        assert late is not None
        rows = late(pair_rows.drop(columns=sizes).iloc[labels - 1])[sizes]
        return rows.set_axis(labels).rename(columns={"estimate": layout.estimate})

    return ResultTable(
        name="pairs",
        title="All pairs" if len(table) > 1 else "The pair",
        frame=with_row_numbers(table),
        formats={
            layout.estimate: layout.write,
            **dict.fromkeys(["low", "high"], write_ends(layout.write)),
            layout.statistic: format_number,
            **layout.own,
            **write_every_p(c, layout.unit),
        },
        best=bold_significant(pair_rows, adjusted),
        caption=f"{layout.caption}{published_caption('p published' in pair_rows)}{effect_text.region_caption(c)}",
        heads=("first", "second"),
        late=sized if late else None,
    )


def published_caption(shown: bool) -> str:
    """Return the caption of the published p-values, "" if they are not shown."""
    return " p published: the same with the published degrees of freedom." if shown else ""


def with_equivalence(c: Comparison, table: pd.DataFrame, test: str) -> pd.DataFrame:
    """Insert the result of the equivalence test for the deciding test, if a region is set."""
    if region := effect_text.region_column(c):
        table = table.copy()
        table.insert(
            table.columns.get_loc("p") + 1, region[0], [region[1][0] if name == test else None for name in table.index]
        )
    return table


def groups_table(c: Comparison, values: pd.Series | None = None, what: str = "") -> ResultTable:
    """Return the maximal groups without a significant difference, one per row."""
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
