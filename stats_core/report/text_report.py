"""Comparison as plain text, and tables as CSV."""

import pandas as pd

from stats_core.comparison.result import Comparison, HasComparison, comparison_of
from stats_core.core.formatting import (
    escape_spreadsheet_formula,
    format_count,
    join_names,
    measure_name,
)
from stats_core.core.messages import TextCatalog
from stats_core.data import missing
from stats_core.data.settings import describe_group
from stats_core.report.verdict import verdict

report_text = TextCatalog("stats_core", "report/report.toml")


def to_text(analysis: Comparison | HasComparison) -> str:
    r"""Return the comparison and its verdict as text for a paper or a terminal.

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
    >>> import stats_core as fw
    >>> rows = "".join(f"set{i},0.9{i},0.8{i}\n" for i in range(6))
    >>> results = fw.read_results(("accuracy.csv", f"dataset,rf,svm\n{rows}".encode()))
    >>> fw.to_text(fw.analyse(results)).split(", α = ")[0]
    '6 data sets, 2 algorithms, one result per algorithm and data set, accuracy (higher is better)'
    """
    analysis = comparison_of(analysis, "analysis")
    return f"{comparison_line(analysis)}\n{verdict(analysis).sentences}"


def comparison_line(analysis: Comparison) -> str:
    """Return a line with data sets, algorithms, design, measure, alpha, missing results, each if it applies."""
    results = analysis.results
    parts = [
        *(
            [f"{results.size_label} {describe_group(analysis.settings)}".strip()]
            if results.size_label
            else []
        ),
        format_count(len(results.algorithms), results.noun),
        results.design_label,
        join_names([*map(measure_name, analysis.together)], 9) or analysis.measure_label,
    ]
    if analysis.obstacle or not analysis.shape.decided_elsewhere:
        parts.append(f"α = {analysis.settings.alpha:g}")
    codes = report_text.texts["missing"]
    treatments = [
        report_text(f"missing.{choice.code}") for choice in results.choices if choice.code in codes
    ]
    is_complete = results.published is None and not missing.remaining_missing(
        results, analysis.measures_compared
    )
    if is_complete and not treatments:
        treatments = [report_text("missing.none")]
    parts += dict.fromkeys(treatments)
    return ", ".join(parts)


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
    safe = with_index_columns(table)
    for column in safe.columns[[not pd.api.types.is_numeric_dtype(safe[c]) for c in safe]]:
        safe[column] = safe[column].map(escape_spreadsheet_formula)
    safe.columns = [escape_spreadsheet_formula(name) for name in safe.columns]
    return safe.to_csv(index=False, lineterminator="\n")


def with_index_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its index as first columns."""
    return table.reset_index(names=[name or "" for name in table.index.names])
