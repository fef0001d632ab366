"""An analysis and its tables as text and LaTeX."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pandas as pd

from stats_core.comparison.base import Comparison
from stats_core.comparison.verdict import verdict
from stats_core.core.words import MINUS, count, listed

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u2212": "$-$",
}


POWER_OF_TEN = re.compile("×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")


def to_text(analysis: Comparison) -> str:
    """Return what was compared and what follows, as a paragraph for a paper or a terminal.

    Parameters
    ----------
    analysis : Comparison
        From `analyse`.

    Returns
    -------
    str
        Two lines: the comparison, then the verdict with its notes.

    Examples
    --------
    See the README.
    """
    return f"{compared(analysis)}\n{verdict(analysis).sentences}"


def compared(analysis: Comparison) -> str:
    """Return what was compared in one line: data sets, algorithms, design, measure, alpha."""
    results = analysis.results
    parts = [
        count(len(results.datasets), "data set"),
        count(len(results.algorithms), "algorithm"),
        results.design_label,
        listed(analysis.together, 9) or analysis.measure_label,
        f"alpha {analysis.settings.alpha:g}",
    ]
    if any(choice.code == "based on" for choice in results.choices):
        parts.append("missing cells left out")
    elif results.failures == "worst rank":
        parts.append("failed results ranked worst")
    elif not len(results.missing):
        parts.append("nothing missing")
    return ", ".join(parts)


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it stands.

    Examples
    --------
    >>> escape_latex("C4.5_m & 100%")
    'C4.5\\_m \\& 100\\%'
    """
    said = "".join(_LATEX.get(character, character) for character in str(text))
    return POWER_OF_TEN.sub(lambda found: power_to_latex(found[1]), said)


def power_to_latex(raised: str) -> str:
    r"""Return the power of ten that `wording.power_of_ten` writes, as LaTeX.

    Examples
    --------
    >>> print(power_to_latex("⁻⁵"))
    $\times10^{-5}$
    """
    return rf"$\times10^{{{unicodedata.normalize('NFKC', raised).replace(MINUS, '-')}}}$"


def table_to_latex(
    table: pd.DataFrame,
    *,
    formats: Mapping[str, Callable[[float], str]] | None = None,
    best: Mapping[object, Sequence[str]] | None = None,
    caption: str = "",
) -> str:
    r"""Return a table as LaTeX with booktabs rules and escaped names.

    Parameters
    ----------
    table : DataFrame
        Text and numbers; the index becomes the first column.
    formats : mapping of column to function, optional
        How numbers are written; columns without one are printed as they are.
    best : mapping of row label to (best column, second column), optional
        Cells printed bold and underlined; names may be missing.
    caption : str
        Text of the caption, escaped.

    Returns
    -------
    str
        A `table` environment that needs the package booktabs.

    Examples
    --------
    >>> import pandas as pd
    >>> print(table_to_latex(pd.DataFrame({"a_1": [0.25]}, index=["iris"]), formats={"a_1": "{:.2f}".format}))
    \begin{table}
    \centering
    \begin{tabular}{lr}
    \toprule
     & a\_1 \\
    \midrule
    iris & 0.25 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    formats, best = formats or {}, best or {}
    flat = _flat(table)
    writers = {column: partial(_latex_cell, write=formats.get(column, str)) for column in flat}
    styler = flat.style.format(writers).format_index(escape_latex, axis=1).hide(axis=0)
    for label, columns in best.items():
        row = table.index.get_loc(label)
        for column, command in zip(columns, ("textbf", "underline"), strict=False):
            styler = styler.map(lambda _, c=command: f"{c}:--rwrap;", subset=(row, column))
    alignment = "".join("r" if pd.api.types.is_numeric_dtype(flat[c]) else "l" for c in flat)
    return styler.to_latex(
        column_format=alignment,
        hrules=True,
        position_float="centering",
        caption=escape_latex(caption) or None,
    ).rstrip()


def table_to_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV that a spreadsheet will not take for formulas.

    Notes
    -----
    Text that begins with = + - @, a tab or a carriage return is prefixed with an apostrophe.

    Examples
    --------
    >>> import pandas as pd
    >>> print(table_to_csv(pd.DataFrame({"p": [0.5]}, index=["=SUM(A1)"])))
    ,p
    '=SUM(A1),0.5
    <BLANKLINE>
    """
    safe = _flat(table)
    for column in safe.columns[[not pd.api.types.is_numeric_dtype(safe[c]) for c in safe]]:
        safe[column] = safe[column].map(_without_formula)
    safe.columns = [_without_formula(name) for name in safe.columns]
    return safe.to_csv(index=False, lineterminator="\n")


def _flat(table: pd.DataFrame) -> pd.DataFrame:
    """Make the index the first columns."""
    return table.reset_index(names=[name or "" for name in table.index.names])


def _latex_cell(value: object, write: Callable[[object], str]) -> str:
    return escape_latex(write(value))


def _without_formula(value: object) -> object:
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return f"'{value}"
    return value
