"""`ResultTable`: columns, number formats, highlighted cells and caption."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from math import floor, log10, nan
from typing import Any

import numpy as np
import pandas as pd

from stats_core.comparison.pairs import Pairs
from stats_core.comparison.result import Comparison
from stats_core.core import formatting
from stats_core.core.messages import TextCatalog, read_texts
from stats_core.core.validation import tie_groups
from stats_core.report import effect_text, order_text

LONGEST = 60  # maximum number of rows of a printed table; the CSV has all
PAIR = ("first", "second")  # keys of the columns that name a row of a table of pairs
_WORD = 20  # letters that fit a cell; longer text counts as several cells


@dataclass(frozen=True, kw_only=True, eq=False)  # without slots, for cached properties
class ResultTable:
    """Table for page, report, CSV and LaTeX.

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
        """Return the table with the columns that the function `late` computes; the table itself if `late` is None."""
        if self.late is None:
            return self
        late_columns = self.late(self.frame.index)
        frame = self.frame.assign(**{str(name): late_columns[name] for name in late_columns})
        return replace(self, frame=frame, late=None)

    @cached_property
    def texts(self) -> pd.DataFrame:
        """Text of every cell; missing values are blank."""
        columns = {name: self._column(name) for name in self.frame}
        return pd.DataFrame(columns, index=self.frame.index, dtype=object)

    @property
    def numeric(self) -> dict[str, bool]:
        """Whether each column is numeric, and therefore right-aligned."""
        is_number = pd.api.types.is_numeric_dtype
        return {name: bool(is_number(self.frame[name])) for name in self.frame}

    @property
    def data(self) -> pd.DataFrame:
        """Numbers for CSV: `frame`, with standard deviations, if any, in separate columns."""
        frame = self.headed(self.frame)
        if self.spread is None:
            return frame
        spread = self.spread.reindex(frame.index)
        return pd.concat([frame, spread.add_suffix(" (sd)")], axis=1)

    def headed(self, cells: pd.DataFrame) -> pd.DataFrame:
        """Return the cells indexed by the columns `heads`; unchanged without any."""
        return cells.set_index(list(self.heads)) if self.heads else cells

    def only(self, rows: Sequence[int] | Sequence[bool]) -> "ResultTable":
        """Return the table restricted to some rows, given by position or as a mask."""
        frame = self.frame.iloc[np.asarray(rows)]
        spread = self.spread
        return replace(
            self,
            frame=frame,
            best={label: self.best[label] for label in frame.index if label in self.best},
            spread=None if spread is None else spread[spread.index.isin(frame.index)],
        )

    def parts(self, cells: int) -> list[range]:
        """Return ranges of rows with about `cells` cells each, without the summary rows."""
        body = len(self.frame) - self.summary
        texts = (
            self.frame[name].to_numpy(dtype=object)
            for name, is_number in self.numeric.items()
            if not is_number
        )
        words = (text for column in texts for text in column if isinstance(text, str))
        letters = sum(len(text) - _WORD for text in words if len(text) > _WORD)
        cells_per_row = self.frame.shape[1] + letters / _WORD / max(1, len(self.frame))
        step = max(1, int(cells / cells_per_row)) if cells_per_row else 1
        return [range(start, min(start + step, body)) for start in range(0, max(1, body), step)]

    def part(self, rows: range) -> "ResultTable":
        """Return a range of rows with the summary rows; the caption names the range."""
        part = self.only([*rows, *range(len(self.frame) - self.summary, len(self.frame))])
        return replace(part, caption=f"{self.caption} {self.rows_phrase(rows)}".strip())

    def rows_phrase(self, rows: range) -> str:
        """Return the sentence that names a range of rows."""
        body = len(self.frame) - self.summary
        return table_text("rows.part", start=rows.start + 1, stop=rows.stop, of=body)

    def printed(self, longest: int = LONGEST) -> "ResultTable":
        """Return the table without the columns `aside`, shortened to `longest` rows."""
        return replace(self, frame=self.frame.drop(columns=list(self.aside)), aside=()).shortened(
            longest
        )

    def shortened(self, longest: int) -> "ResultTable":
        """Return the table with at most `longest` rows before the summary rows; the caption states if some are omitted."""
        body = len(self.frame) - self.summary
        if body <= longest:
            return self
        note = table_text("rows.longest", shown=longest, of=body)
        first_rows = self.only([*range(longest), *range(body, len(self.frame))])
        return replace(first_rows, caption=f"{self.caption} {note}".strip())

    def _column(self, name: str) -> list[str]:
        """Return the cells of one column as text."""
        write, values = self.formats.get(name, str), list(self.frame[name])
        body = len(values) - self.summary
        texts = ["" if _missing(value) else write(value) for value in values[:body]]
        if self.spread is not None and name in self.spread:
            spread = self.spread[name].reindex(self.frame.index[:body])
            texts = [
                text if _missing(sd) else f"{text} ± {write(sd)}"
                for text, sd in zip(texts, spread, strict=True)
            ]
        return [*texts, *map(_two_digits, values[body:])]


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _two_digits(value: Any) -> str:
    return (
        ""
        if _missing(value)
        else formatting.format_number(value)
        if not isinstance(value, str)
        else value
    )


def best_and_second(
    scores: pd.DataFrame, higher: bool | Mapping[str, bool], *, by_column: bool = False
) -> dict[object, tuple[list[str], list[str]]]:
    """Return for each row with marks the columns to mark as best and second best in the row or (`by_column`) column.

    Ties share a mark. Of two values only the best is marked, of equal values none.

    Examples
    --------
    >>> best_and_second(pd.DataFrame({"a": [0.9], "b": [0.7], "c": [0.8]}, index=["iris"]), True)
    {'iris': (['a'], ['c'])}
    """
    table = scores.T if by_column else scores
    signs = [
        1 if (higher[line] if isinstance(higher, Mapping) else higher) else -1
        for line in table.index
    ]
    numbers = -table.to_numpy(dtype=float) * np.array(signs)[:, None]
    present = ~np.isnan(numbers)
    groups = tie_groups(numbers, np.where(present, np.abs(numbers), 0.0).max(axis=1, initial=0.0))
    second = (groups == 1) & present
    best = (groups == 0) & second.any(axis=1, keepdims=True)
    second &= present.sum(axis=1, keepdims=True) > 2
    marks: dict[object, tuple[list[str], list[str]]] = {}
    lines, names = table.index.tolist(), table.columns.tolist()
    for rank, marked in enumerate((best, second)):
        for i, j in np.argwhere(marked).tolist():
            row, column = (names[j], lines[i]) if by_column else (lines[i], names[j])
            marks.setdefault(row, ([], []))[rank].append(column)
    return marks


def write_p(alpha: float) -> Callable[[float], str]:
    """Return a function that formats p-values at a significance level.

    Examples
    --------
    >>> write_p(0.05)(0.0321), write_p(0.05)(0.00001), write_p(0.05)(1.0)
    ('0.032', '< 0.001', '> 0.999')
    """
    return lambda p: re.sub(r"(?<=^[<>])", " ", formatting.p_text(p, alpha))


def write_scores(scores: pd.DataFrame) -> Callable[[float], str]:
    """Return a function that formats numbers with decimals suited to these scores."""
    return partial(
        formatting.format_number,
        digits=formatting.score_digits(scores.fillna(0)) if scores.size else 4,
    )


def write_sizes(comparison: Comparison) -> Callable[[float], str]:
    """Return a function that formats estimates with the comparison's number of decimals."""
    return partial(formatting.format_number, digits=comparison.digits)


def _write_ends(write: Callable[[float], str]) -> Callable[[float], str]:
    """Return a function that formats interval ends, including ends open at zero.

    Examples
    --------
    >>> write, above_zero = _write_ends("{:.4f}".format), formatting.ABOVE_ZERO
    >>> write(0.0), write(above_zero), write(-above_zero)
    ('0.0000', '> 0', '< 0')
    """
    return lambda end: (
        {formatting.ABOVE_ZERO: "> 0", -formatting.ABOVE_ZERO: "< 0"}.get(end) or write(end)
    )


def _write_statistics(column: pd.Series) -> Callable[[float], str]:
    """Return a function that formats a column of statistics with at most three decimals, equal ones unless tests differ.

    Examples
    --------
    >>> _write_statistics(pd.Series([47.0, 23.0]))(47.0), _write_statistics(pd.Series([47.5, 2.125]))(47.5)
    ('47', '47.500')
    >>> _write_statistics(pd.Series({"exact": 210.0, "chi-square": 2.125}).rename_axis("test"))(210.0)
    '210'
    """

    def digits_of(values: np.ndarray) -> int:
        return next((d for d in (0, 1) if (values == np.round(values, d)).all()), 3)

    values = column.dropna().to_numpy(dtype=float)
    of_one_test = (
        column.index.name != "test"
    )  # counts are whole numbers, whatever other tests compute
    return lambda value: formatting.format_number(
        value, digits_of(values if of_one_test else np.array(value))
    )


def _write_sums(column: pd.Series) -> Callable[[float], str]:
    """Return a function that formats sums with 2 to 6 decimals, so that the smallest has three significant digits.

    Examples
    --------
    >>> _write_sums(pd.Series([0.0514, 0.00943]))(0.0514)
    '0.05140'
    """
    sizes = column[column != 0].abs()
    return partial(
        formatting.format_number,
        digits=min(6, max(2, 2 - floor(log10(sizes.min())))) if len(sizes) else 2,
    )


def _write_costs(column: pd.Series) -> Callable[[float], str]:
    """Return a function that formats costs with equal decimals, or with four digits each if their range is wide.

    Examples
    --------
    >>> _write_costs(pd.Series([0.34, 0.2574]))(0.34), _write_costs(pd.Series([0.34, 2574.0]))(0.34)
    ('0.340', '0.34')
    """
    sizes = column[column != 0].abs()
    even = len(sizes) > 0 and 1e-4 <= sizes.min() and sizes.max() <= min(10_000, 1000 * sizes.min())
    return _write_sums(column) if even else _four_digits


def deviations(matrix: pd.DataFrame) -> pd.Series:
    """Return the standard deviation of each column, avoiding overflow of squares.

    Examples
    --------
    >>> deviations(pd.DataFrame({"a": [1e200, 3e200], "b": [1e200, 1e200]})).tolist()
    [1.414213562373095e+200, 0.0]
    """
    largest = matrix.abs().max().max()
    unit = largest if largest and not 1e-100 < largest < 1e100 else 1.0
    return (matrix / unit).std(ddof=1) * unit


def _four_digits(value: float) -> str:
    """Return a number with four significant digits, rounded if it is large, with a power of ten if extreme.

    Examples
    --------
    >>> _four_digits(-0.681512), _four_digits(699), _four_digits(123456.7)
    ('−0.6815', '699', '123,457')
    >>> _four_digits(0.0000123)
    '1.23×10⁻⁵'
    """
    if np.isinf(value) or (value and not 1e-4 <= abs(value) < 1e12):
        return (
            formatting.format_power_of_ten(value)
            if np.isfinite(value)
            else formatting.format_number(value)
        )
    text = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return text.replace("-", formatting.MINUS)


def name_index(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Return the table with its index named `label`, made distinct from column names."""
    return table.rename_axis(
        index=formatting.unused_label(label, list(table.columns)), columns=None
    )


def yes_no(decisions: Iterable[Any]) -> list[str]:
    """Return decisions as "yes" and "no"."""
    return ["yes" if decision else "no" for decision in decisions]


def format_records(pairs: pd.DataFrame) -> list[str]:
    """Return wins, ties and losses of each pair as "20/1/9"."""
    return [
        f"{w}/{t}/{x}"
        for w, t, x in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    ]


def table_text(key: str, /, **values: Any) -> str:
    """Return a text of `tables.toml` with values inserted."""
    return _catalog(key, **_FUNCTIONS, **values)


_catalog = TextCatalog("stats_core", "report/tables/tables.toml")
_FUNCTIONS = {
    "describe_costs": order_text.describe_costs,
    "estimate_label": effect_text.estimate_label,
    "interval_words": effect_text.interval_words,
    "name_of_p": effect_text.pvalue_name,
}
# form of a column -> function that writes its numbers, of the column, the significance level and
# the form of scores
_FORMS: dict[str, Callable[..., Callable[[float], str]]] = {
    "p": lambda column, alpha, write: write_p(alpha),
    "score": lambda column, alpha, write: write,
    "end": lambda column, alpha, write: _write_ends(write),
    "statistic": lambda column, alpha, write: _write_statistics(column),
    "sum": lambda column, alpha, write: _write_sums(column.dropna()),
    "cost": lambda column, alpha, write: _write_costs(column.dropna()),
    "count": lambda column, alpha, write: "{:,.0f}".format,
    "general": lambda column, alpha, write: (
        lambda value: value if isinstance(value, str) else f"{value:g}"
    ),
    **{
        str(n): lambda column, alpha, write, n=n: partial(formatting.format_number, digits=n)
        for n in (2, 3, 4)
    },
}


def make_table(  # noqa: PLR0913
    key: str,
    frame: pd.DataFrame,
    c: Comparison | None = None,
    /,
    *,
    name: str = "",
    index: str = "",
    alpha: float = 0.05,
    write: Callable[[float], str] = formatting.format_number,
    own: Mapping[Any, Callable[[float], str]] | None = None,
    best: Mapping[Any, tuple[Sequence[str], Sequence[str]]] | None = None,
    bold: Mapping[str, Iterable[bool]] | None = None,
    spread: pd.DataFrame | None = None,
    summary: int = 0,
    heads: tuple[str, ...] = (),
    aside: tuple[str, ...] = (),
    late: Callable[[pd.Index], pd.DataFrame] | None = None,
    **values: Any,
) -> ResultTable:
    """Return a table whose columns have the headers and formats of `columns.toml`.

    Parameters
    ----------
    key : str
        Key in `tables.toml` of title and caption; also the name by default.
    frame : DataFrame
        Columns are keys of `columns.toml`, except those of `own`; an index without a name becomes
        row numbers.
    c : Comparison, optional
        Known to the texts as `c`; its significance level replaces `alpha`.
    index : str
        Name of the index.
    alpha : float
        Significance level without `c`.
    write : callable
        Function that writes numbers in the unit of the measure.
    own : mapping of column to function
        Columns that are named in the data, which keep their name.
    bold : mapping of column to booleans
        Rows in which the column is bold.
    values
        Values of the texts.
    name, best, spread, summary, heads, aside, late
        As in `ResultTable`, with the names of columns in `frame`.
    """
    own = {} if own is None else own
    alpha = alpha if c is None else c.settings.alpha
    values = _text_values(frame, c, alpha, values)
    if index:
        frame = name_index(frame, index)
    if frame.index.name is None:
        frame = frame.set_axis(pd.RangeIndex(1, len(frame) + 1, name="no."))
    specs = {
        column: _columns()[column] for column in frame if column not in own and column in _columns()
    }
    labels = {
        column: head.format(**{"ci": effect_text.ci(alpha)} | values)
        for column, (head, _) in specs.items()
    }
    formats = {
        labels[column]: _FORMS[form](frame[column], alpha, write)
        for column, (_, form) in specs.items()
        if form
    }
    return ResultTable(
        name=name or key,
        title=table_text(f"{key}.title", **values),
        caption=_caption(key, frame, c, values),
        frame=frame.rename(columns=labels),
        formats=formats | {column: form for column, form in own.items() if column in frame},
        best=_marks(frame.index, labels, best, bold),
        spread=spread,
        summary=summary,
        heads=tuple(labels.get(column, column) for column in heads),
        aside=tuple(labels.get(column, column) for column in aside),
        late=None if late is None else lambda rows: late(rows).rename(columns=labels),
    )


def _text_values(
    frame: pd.DataFrame, c: Comparison | None, alpha: float, values: dict[str, Any]
) -> dict[str, Any]:
    """Return the values of the texts of a table, with the names of its pair if it has only one."""
    noun = values.get("noun", "algorithm" if c is None else c.noun)
    minuend, subtrahend = "A", "B"
    first, second = pair_heads(noun)
    if len(frame) == 1 and {*PAIR} <= {*frame}:
        first, second = minuend, subtrahend = frame[list(PAIR)].iloc[0].tolist()
    pair = {"minuend": minuend, "subtrahend": subtrahend, "first": first, "second": second}
    about = {"c": c, "noun": noun, "alpha": alpha, "columns": list(frame)}
    return about | pair | values


def _caption(key: str, frame: pd.DataFrame, c: Comparison | None, values: Mapping[str, Any]) -> str:
    """Return the caption, with sentences on the region of equivalence and identical results."""
    caption = table_text(f"{key}.caption", **values).strip().replace("\n", " ")
    if c is not None and c.settings.margin is not None and f"±{c.settings.margin:g}" in frame:
        caption += effect_text.region_caption(c)
    if "identical" in frame:
        caption += effect_text.identical_caption()
    return caption


def _marks(
    index: pd.Index,
    labels: Mapping[str, str],
    best: Mapping[Any, tuple[Sequence[str], Sequence[str]]] | None,
    bold: Mapping[str, Iterable[bool]] | None,
) -> dict[Any, tuple[list[str], list[str]]]:
    """Return the columns that are best and second best, or bold, in each row."""
    best, bold = {} if best is None else best, {} if bold is None else bold
    marks = {label: (list(first), list(second)) for label, (first, second) in best.items()}
    for column, rows in bold.items():
        for label in index[np.fromiter(rows, dtype=bool)]:
            marks.setdefault(label, ([], []))[0].append(labels.get(column, column))
    return marks


def pair_heads(noun: str = "algorithm") -> tuple[str, str]:
    """Return the headers of the two columns that name a pair."""
    first, second = (_columns()[column][0].format(noun=noun) for column in PAIR)
    return first, second


@cache
def _columns() -> dict[str, tuple[str, str]]:
    """Return header and format of each column by key."""
    return {
        key: (head, *form, "")[:2]
        for key, (head, *form) in read_texts("report/tables/columns.toml").items()
    }


def pairs_table(
    key: str,
    c: Comparison,
    /,
    *,
    statistic: str = "statistic",
    size: bool = True,
    raw: bool = True,
    own: Mapping[str, Callable[[float], str] | None] | None = None,
    late: bool = False,
    **about: Any,
) -> ResultTable:
    """Return a table of all pairs, smallest adjusted p first, significant pairs bold.

    The main columns come first: pair, difference with interval, adjusted p, decision. `statistic`
    is the key of its column, `raw` whether the unadjusted p is shown, `own` the columns of this
    kind of comparison with their number format, None for the format in `columns.toml`. With `late`,
    differences are blank until `filled`.
    """
    sizes, own = ["estimate", "low", "high"] if size else [], {} if own is None else own
    rows = c.pairs.decisions.assign(**dict.fromkeys(sizes, nan)) if late else c.pairs.frame
    is_adjusted = c.guarantee.adjusted and c.guarantee.comparisons > 1
    adjusted = "p adjusted" if is_adjusted else "p"
    columns: dict[str, Any] = {name: rows[name] for name in ("first", "second", *sizes)}
    columns[adjusted] = rows["p adjusted"]
    columns |= _columns_of_pairs(c, rows, own, statistic)
    if raw and is_adjusted:
        columns["p raw"] = rows["p"]
    if "p uncorrected" in rows:
        columns["p uncorrected"] = rows["p uncorrected"]
    table = pd.DataFrame(columns, index=rows.index)
    if not late:
        table = table.drop(columns=[name for name in sizes[1:] if table[name].isna().all()])

    return make_table(
        key,
        table.rename_axis(None),
        c,
        **{
            "name": "pairs",
            "heads": PAIR,
            "aside": tuple(name for name in table if name in _NOT_PRINTED),
        }
        | about,
        own={formatting.measure_name(name): form for name, form in own.items() if form is not None},
        bold={adjusted: rows["separated"]},
        late=partial(_sizes_at, c.pairs, sizes) if late else None,
    )


def _sizes_at(pairs: Pairs, names: list[str], labels: pd.Index) -> pd.DataFrame:
    """Return the columns `names` of the rows with these labels, which are numbers from 1."""
    rows = pairs.with_intervals(pairs.decisions.iloc[labels - 1])
    return rows[names].set_axis(labels)


def _columns_of_pairs(
    c: Comparison,
    rows: pd.DataFrame,
    own: Mapping[str, Callable[[float], str] | None],
    statistic: str,
) -> dict[str, Any]:
    """Return the columns from the published p-value to the statistic that this comparison has."""
    columns: dict[str, Any] = {}
    if "p published" in rows:
        columns["p published"] = rows["p published"]
    if "verdict" in rows:
        columns["verdict"] = rows["verdict"]
    elif c.identical:
        columns["identical"] = _identical(c, rows)
    if region := effect_text.region_column(c):
        name, values = region
        columns[name] = values
    for name, form in own.items():
        columns[name if form is None else formatting.measure_name(name)] = rows[name]
    if "wins" in rows:
        columns["record"] = format_records(rows)
    if statistic:
        columns[statistic] = rows["statistic"]
    return columns


def _identical(c: Comparison, rows: pd.DataFrame) -> list[str]:
    """Return "yes" for each pair with identical results, "" for others."""
    identical = {frozenset(pair) for pair in c.identical}
    pairs = map(frozenset, rows[["first", "second"]].to_numpy())
    return ["yes" if pair in identical else "" for pair in pairs]


# columns of pairs that print has no room for: bold p-values show what is significant
_NOT_PRINTED = {
    "variance items",
    "variance runs",
    "odds low",
    "odds high",
    "identical",
    "p raw",
    "p uncorrected",
    *("rank-biserial", "wins - losses", "z", "q", "t", "F", "statistic"),
}


def with_equivalence(c: Comparison, table: pd.DataFrame, test: str) -> pd.DataFrame:
    """Return the table with the equivalence result in the row of the test used; unchanged without a result."""
    if region := effect_text.region_column(c):
        table = table.copy()
        cells = [region[1][0] if name == test else None for name in table.index]
        table.insert(table.columns.get_loc("p") + 1, region[0], cells)
    return table


def groups_table(c: Comparison) -> ResultTable:
    """Return a table of the maximal groups without a significant difference, with average ranks or means of their ends."""
    table = pd.DataFrame(
        {"size": list(map(len, c.groups)), "algorithms": list(map(", ".join, c.groups))}
    )
    write: Callable[[float], str] = formatting.format_number
    by_means = c.shape.folds or c.shape.over == "benchmarks"
    if c.ordered_by is not None:
        values, what = c.ordered_by.values, "mean" if by_means else "rank"
        table[f"best {what}"] = [values[group[0]] for group in c.groups]
        table[f"worst {what}"] = [values[group[-1]] for group in c.groups]
        write = write_scores(values.to_frame()) if by_means else write
    table.index = pd.RangeIndex(1, len(table) + 1, name="group")
    return make_table("groups", table, c, write=write)


def tests_table(
    key: str, rows: Mapping[str, Any], c: Comparison | None, **about: Any
) -> ResultTable:
    """Return a table of tests with statistic, degrees of freedom and p-value."""
    cells = [(test.statistic, df_text(test.df), test.pvalue) for test in rows.values()]
    frame = pd.DataFrame(cells, index=list(rows), columns=["statistic", "df", "p"])
    return make_table(key, frame, c, index="test", **about)


def df_text(df: object) -> str:
    """Return degrees of freedom as text, "3, 87"; "" for None."""
    parts = df if isinstance(df, tuple) else () if df is None else (df,)
    return ", ".join(f"{part:g}" for part in parts)
