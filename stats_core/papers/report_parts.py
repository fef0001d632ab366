"""What a report is put together from: tables and figures as plain data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.core.words import MINUS, number, p_text, power_of_ten, score_digits
from stats_core.ordering.order import Order

LONGEST = 60  # rows of a printed table; the rest is in the CSV


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportFigure:
    """A figure of a report, ready to be placed.

    Attributes
    ----------
    name : str
        Start of its file names.
    title, caption : str
        Plain text; the caption says how to read it.
    file : str
        Name of its PDF in the folder figures/ beside the document, "" if there is none.
    tikz : str
        TikZ or PGFPlots source, whose first line is a comment with the packages it needs; it is
        preferred to the PDF.
    html : str
        A fragment of HTML, trusted as it is.
    alt : str
        For screen readers; the caption if empty.
    """

    name: str
    title: str
    caption: str = ""
    file: str = ""
    tikz: str = ""
    html: str = ""
    alt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReportTable:
    """A table of a report.

    Attributes
    ----------
    name : str
        Start of its file names.
    title : str
        What it holds.
    frame : DataFrame
        Numbers and text; the index, whose labels are distinct, is the first column.
    formats : mapping of column to function
        How numbers are written; missing ones are left blank.
    best : mapping of row label to (columns, columns)
        Cells printed bold, and underlined.
    caption : str
        How to read it.
    spread : DataFrame or None
        Standard deviations over folds of some cells of `frame`, printed after them.
    summary : int
        How many of the last rows sum up the others; they are never left out.
    """

    name: str
    title: str
    frame: pd.DataFrame
    formats: Mapping[str, Callable[[float], str]] = field(default_factory=dict)
    best: Mapping[object, tuple[Sequence[str], Sequence[str]]] = field(default_factory=dict)
    caption: str = ""
    spread: pd.DataFrame | None = None
    summary: int = 0

    @property
    def texts(self) -> pd.DataFrame:
        """Every cell as it is printed, missing ones blank."""
        columns = {name: self._column(name) for name in self.frame}
        return pd.DataFrame(columns, index=self.frame.index, dtype=object)

    @property
    def numeric(self) -> dict[str, bool]:
        """Whether a column holds numbers, to be aligned right."""
        is_number = pd.api.types.is_numeric_dtype
        return {name: bool(is_number(self.frame[name])) for name in self.frame}

    @property
    def data(self) -> pd.DataFrame:
        """The numbers for a CSV: `frame`, with standard deviations in columns of their own."""
        if self.spread is None:
            return self.frame
        spread = self.spread.reindex(self.frame.index)
        return pd.concat([self.frame, spread.add_suffix(" (sd)")], axis=1)

    def printed(self, longest: int = LONGEST) -> "ReportTable":
        """Return the table with no more than `longest` rows, and a caption that says so."""
        body = len(self.frame) - self.summary
        if body <= longest:
            return self
        kept = [*range(longest), *range(body, len(self.frame))]
        note = f"Shown {longest} of {body}; all in the CSV."
        frame = self.frame.iloc[kept]
        return replace(
            self,
            frame=frame,
            caption=f"{self.caption} {note}".strip(),
            best={label: marks for label, marks in self.best.items() if label in frame.index},
            spread=None
            if self.spread is None
            else self.spread[self.spread.index.isin(frame.index)],
        )

    def _column(self, name: str) -> list[str]:
        """Write one column."""
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


def _two_digits(value: object) -> str:
    return "" if _missing(value) else number(value) if not isinstance(value, str) else value


def best_and_second(
    scores: pd.DataFrame, higher: bool | Mapping[str, bool], *, by_column: bool = False
) -> dict[object, tuple[list[str], list[str]]]:
    """Which cells of each row are best, and which second?

    Parameters
    ----------
    scores : DataFrame
        Missing cells are neither.
    higher : bool, or mapping of column to bool
        Whether larger is better.
    by_column : bool
        Whether the best of each column is asked for, not of each row.

    Returns
    -------
    dict
        Row label -> (best, second). All that tie for best are best; nothing where all tie, and
        no second where there are fewer than three.

    Examples
    --------
    >>> best_and_second(pd.DataFrame({"a": [0.9], "b": [0.7], "c": [0.8]}, index=["iris"]), True)
    {'iris': (['a'], ['c'])}
    """
    found: dict[object, tuple[list[str], list[str]]] = {}
    lines = scores.items() if by_column else scores.iterrows()
    for line, values in lines:
        up = higher[line] if isinstance(higher, Mapping) else higher
        for place, names in enumerate(_best_two(values.dropna() * (1 if up else -1))):
            for name in names:
                row, column = (name, line) if by_column else (line, name)
                found.setdefault(row, ([], []))[place].append(column)
    return found


def _best_two(values: pd.Series) -> tuple[list, list]:
    """Return who has the largest value and who the next; larger is better here."""
    near = 1e-9 * values.abs().max() if len(values) else 0
    best = values[values >= values.max() - near]
    rest = values.drop(best.index)
    if rest.empty:
        return [], []
    second = rest[rest >= rest.max() - near] if len(values) > 2 else rest[:0]
    return list(best.index), list(second.index)


def write_p(alpha: float) -> Callable[[float], str]:
    """Return the function that writes p-values at this level."""
    return lambda p: p_text(p, alpha)


def write_scores(scores: pd.DataFrame) -> Callable[[float], str]:
    """Return the function that writes numbers of this size."""
    digits = score_digits(scores.fillna(0)) if scores.size else 4
    return lambda value: number(value, digits)


def deviations(matrix: pd.DataFrame) -> pd.Series:
    """Return the standard deviation of each column, also of numbers whose squares have no form.

    Examples
    --------
    >>> deviations(pd.DataFrame({"a": [1e200, 3e200], "b": [1e200, 1e200]})).tolist()
    [1.414213562373095e+200, 0.0]
    """
    largest = matrix.abs().max().max()
    unit = largest if largest and not 1e-100 < largest < 1e100 else 1.0
    return (matrix / unit).std(ddof=1) * unit


def three_decimals(value: float) -> str:
    """Write a statistic."""
    return number(value, 3)


def significant(value: float) -> str:
    """Write four significant digits, and large numbers as whole ones.

    Examples
    --------
    >>> significant(-0.681512), significant(699), significant(123456.7)
    ('−0.6815', '699', '123,457')
    >>> significant(0.0000123)
    '1.23×10⁻⁵'
    """
    if np.isinf(value) or (value and not 1e-4 <= abs(value) < 1e12):
        return power_of_ten(value) if np.isfinite(value) else number(value)
    text = f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    return text.replace("-", MINUS)


def distinct(label: str, taken: Sequence[str]) -> str:
    """Return a label that no name has taken."""
    while label in taken:
        label += " (all)"
    return label


def indexed(table: pd.DataFrame, label: str) -> pd.DataFrame:
    """Name the index, unless a column has that name."""
    return table.rename_axis(index=distinct(label, list(table.columns)), columns=None)


def numbered(table: pd.DataFrame) -> pd.DataFrame:
    """Number the rows from 1."""
    return table.set_axis(pd.RangeIndex(1, len(table) + 1, name="no."))


def differing(pairs: pd.DataFrame) -> dict[int, tuple[list[str], list[str]]]:
    """Print the adjusted p of the pairs that differ bold; the table is numbered from 1."""
    return {
        place: (["p adjusted"], []) for place, is_so in enumerate(pairs["separated"], 1) if is_so
    }


def records(pairs: pd.DataFrame) -> list[str]:
    """Write wins, ties and losses as "20/1/9"."""
    return [
        f"{w}/{t}/{x}"
        for w, t, x in zip(pairs["wins"], pairs["ties"], pairs["losses"], strict=True)
    ]


def groups_table(
    analysis: Comparison, groups: Sequence[Sequence[str]], values: pd.Series | None, what: str
) -> ReportTable:
    """Return the maximal groups without a separated pair, one a row.

    Parameters
    ----------
    analysis : Comparison
    groups : sequence of sequence of str
    values : Series by algorithm or None
        What the members have in common, from its best to its worst.
    what : str
        Its name.
    """
    table = pd.DataFrame({"algorithms": [", ".join(group) for group in groups]}, dtype=object)
    table.insert(0, "size", [len(group) for group in groups])
    if values is not None:
        table[f"{what} of the first"] = [values[group[0]] for group in groups]
        table[f"{what} of the last"] = [values[group[-1]] for group in groups]
        write = write_scores(values.to_frame()) if what == "mean" else number
        formats = dict.fromkeys([f"{what} of the first", f"{what} of the last"], write)
    return ReportTable(
        name="groups",
        title="Groups",
        frame=table.set_axis(pd.RangeIndex(1, len(table) + 1, name="group")),
        formats=formats if values is not None else {},
        caption="Maximal groups of algorithms of which no pair differs at "
        f"{analysis.settings.alpha:g}. Not separated is not the same as equally good.",
    )


def places_table(order: Order) -> list[ReportTable]:
    """Return the order of the algorithms, and their places on each data set."""
    table = order.table().set_index("place")
    value = "mean" if "mean" in table else "average rank"
    write = number
    if value == "mean":
        write = write_scores(table[["mean"]])
    if order.average_cost is None:
        table = table.drop(columns="cost")
    else:
        table["cost"] = table["cost"].astype(float)
    tables = [
        ReportTable(
            name="order",
            title="Order",
            frame=table,
            formats={
                value: write,
                "cost": significant,
                "p adjusted": write_p(order.settings.alpha),
            },
            caption=f"From best to worst by {order.measure}; the cheaper goes first by "
            f"{order.rules.cost_label} unless the costlier is better. Whether the test or the cost "
            "puts an algorithm before the next one.",
        )
    ]
    if order.second is not None:
        tables.append(_agreement(order))
        if order.each:
            tables.append(_places_on_each(order))
    return tables


def _agreement(order: Order) -> ReportTable:
    """Return Friedman's test of the places, or of the ranks where there are no folds."""
    test = order.second.friedman
    what = "places" if order.each else "ranks"
    return ReportTable(
        name="order_test",
        title=f"Test of the {what} behind the order",
        frame=pd.DataFrame(
            {
                "data sets": [test.n],
                "statistic": test.statistic,
                "df": test.df[0],
                "p": test.pvalue,
            },
            index=pd.Index(["Friedman"], name="test"),
        ),
        formats={
            "statistic": number,
            "df": "{:g}".format,
            "p": write_p(order.settings.alpha),
        },
        caption=f"Whether the data sets agree on the {what}; if it does not reject, the cost alone "
        "orders.",
    )


def _places_on_each(order: Order) -> ReportTable:
    names = list(order.ordering.order)
    places = {name: one.ordering.places for name, one in order.each.items()}
    frame = pd.DataFrame(places).T[names].astype(float)
    label = distinct("average place", list(frame.index))
    whole = dict.fromkeys(names, "{:g}".format)
    frame.loc[label] = frame.mean()
    return ReportTable(
        name="places",
        title="Places on each data set",
        frame=indexed(frame, "data set"),
        formats=whole,
        caption="Places by MultiTest on each data set, 1 is best.",
        summary=1,
    )
