"""What each choice about missing cells would lead to, printed where the command asks for one."""

import pandas as pd

from foldwise.command.columns import in_columns
from foldwise.command.options import as_option
from stats_core.comparison.analyse import analyse
from stats_core.comparison.base import Comparison
from stats_core.comparison.tables.table import Table
from stats_core.core.errors import FoldwiseError, MissingCells
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.looks.hole_choices import choices_said, hole_choices, leaves_said


def analysed(results: Results, settings: Settings) -> Comparison:
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
            "leaves": [leaves_said(row) for _, row in table.iterrows()],
            "pairs separated": table["separated"].astype(int).to_numpy(),
            "verdict": table["verdict"].to_numpy(),
        },
        index=pd.Index(map(_option, table["choice"], table["baseline"]), name="--holes"),
    )
    columns = in_columns(Table(name="choices", title="", frame=shown, caption=""))
    return f"{columns}\n\n{choices_said(table)}"


def _option(key: str, baseline: str) -> str:
    """Write a choice as it is asked for."""
    word = as_option(key)
    return f"{word} --baseline {baseline}" if baseline else word
