"""What each choice about missing cells would lead to, printed where the command asks for one."""

import pandas as pd

from foldwise.cli.options import as_option
from foldwise.cli.text_columns import format_columns
from stats_core.comparison.analyse import analyse
from stats_core.comparison.result import Comparison
from stats_core.comparison.tables.table import ResultTable
from stats_core.core.errors import FoldwiseError, MissingCells
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.robustness.missing_choices import (
    describe_missing_choices,
    describe_remainder,
    hole_choices,
)


def analyse_or_list_choices(results: Results, settings: Settings) -> Comparison:
    """Return the analysis; where missing cells stand in the way, say what each choice leads to."""
    try:
        return analyse(results, settings)
    except MissingCells as error:
        error.add_note(every_choice(results, settings))
        raise


def every_choice(results: Results, settings: Settings) -> str:
    """Return what each choice about missing cells leaves and decides, as text."""
    try:
        table = hole_choices(results, settings)
    except FoldwiseError:
        return ""
    if table.empty:
        return ""
    shown = pd.DataFrame(
        {
            "leaves": [describe_remainder(row) for _, row in table.iterrows()],
            "pairs separated": table["separated"].astype(int).to_numpy(),
            "verdict": table["verdict"].to_numpy(),
        },
        index=pd.Index(map(_option, table["choice"], table["baseline"]), name="--holes"),
    )
    columns = format_columns(ResultTable(name="choices", title="", frame=shown, caption=""))
    return f"{columns}\n\n{describe_missing_choices(table)}"


def _option(key: str, baseline: str) -> str:
    """Write a choice as it is asked for."""
    word = as_option(key)
    return f"{word} --baseline {baseline}" if baseline else word
