"""Comparison as plain text, and tables as LaTeX and CSV."""

from collections.abc import Iterable, Sequence

import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core.formatting import escape_spreadsheet_formula, format_count, join_names, measure_name
from stats_core.core.messages import TextCatalog
from stats_core.data import missing
from stats_core.data.settings import describe_group
from stats_core.report import latex_characters
from stats_core.report.tables.table import ResultTable
from stats_core.report.verdict import verdict

report_text = TextCatalog("stats_core", "report/report.toml")


def to_text(analysis: Comparison) -> str:
    """Return the comparison and its verdict as text for a paper or a terminal.

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
    return f"{comparison_line(analysis)}\n{verdict(analysis).sentences}"


def comparison_line(analysis: Comparison) -> str:
    """Return one line with data sets, algorithms, design, measure and alpha."""
    results = analysis.results
    parts = [
        *([f"{results.size_label} {describe_group(analysis.settings)}".strip()] if results.size_label else []),
        format_count(len(results.algorithms), "algorithm"),
        results.design_label,
        join_names([*map(measure_name, analysis.together)], 9) or analysis.measure_label,
    ]
    if analysis.obstacle or not analysis.decided_elsewhere:
        parts.append(f"α = {analysis.settings.alpha:g}")
    codes = report_text.texts["missing"]
    treatments = [report_text(f"missing.{choice.code}") for choice in results.choices if choice.code in codes]
    is_complete = results.published is None and not missing.remaining_missing(results, analysis.measures_compared)
    if is_complete and not treatments:
        treatments = [report_text("missing.none")]
    parts += dict.fromkeys(treatments)
    return ", ".join(parts)


def table_to_latex(table: ResultTable) -> str:
    r"""Return a table as LaTeX with booktabs rules and escaped names.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a_1": [0.25]}, index=["iris"])
    >>> print(table_to_latex(ResultTable(name="x", title="X", frame=frame, formats={"a_1": "{:.2f}".format})))
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
    texts, numbers = _with_index_columns(table.headed(table.texts)), _with_index_columns(table.headed(table.frame))
    marks = [table.best.get(label, ((), ())) for label in table.frame.index]
    is_number = pd.api.types.is_numeric_dtype
    rows = [
        [_latex_cell(text, name, marked) for name, text in zip(texts, row, strict=True)]
        for row, marked in zip(texts.to_numpy(), marks, strict=True)
    ]
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{latex_characters.escape_latex(table.caption)}}}"] if table.caption else []),
        rf"\begin{{tabular}}{{{''.join('r' if is_number(numbers[name]) else 'l' for name in numbers)}}}",
        r"\toprule",
        _latex_row(map(latex_characters.escape_latex, texts)),
        r"\midrule",
        *map(_latex_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _latex_cell(text: str, name: str, marked: tuple[Sequence[str], Sequence[str]]) -> str:
    escaped = latex_characters.escape_latex(text)
    for names, command in zip(marked, ("textbf", "underline"), strict=False):
        if name in names and escaped:
            escaped = rf"\{command}{{{escaped}}}"
    return escaped


def table_to_csv(table: pd.DataFrame) -> str:
    """Return a table as CSV that spreadsheets do not interpret as formulas.

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
    safe = _with_index_columns(table)
    for column in safe.columns[[not pd.api.types.is_numeric_dtype(safe[c]) for c in safe]]:
        safe[column] = safe[column].map(escape_spreadsheet_formula)
    safe.columns = [escape_spreadsheet_formula(name) for name in safe.columns]
    return safe.to_csv(index=False, lineterminator="\n")


def _with_index_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its index as first columns."""
    return table.reset_index(names=[name or "" for name in table.index.names])
