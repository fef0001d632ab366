"""Data sets that only measures speak of which are not used."""

from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, message, message_text
from stats_core.io.infer_layout import LayoutMatch
from stats_core.io.parse_layout import FileTable


def leave_out_unmeasured(piece: FileTable, found: LayoutMatch) -> None:
    """Leave out data sets that have none of the measures, but others nobody can rank by.

    A failed run stays, as a hole; a task that is scored in another way was never measured so.

    Parameters
    ----------
    piece : Piece
        Fold scores, with names of data sets.
    found : Understanding
        The table they were read from.
    """
    reasons = found.taken.reasons
    unused = [
        name
        for name, role in found.roles.items()
        if role == "ignore" and name in reasons and reasons[name].code == "role: no direction"
    ]
    if not unused or not piece.directions or "dataset" not in piece.rows:
        return
    rows = piece.rows
    measured = rows[list(piece.directions)].notna().any(axis=1)
    scored = (found.table.frame.loc[rows.index, unused] != "").any(axis=1)
    of_set = rows["dataset"]
    apart = set(of_set[scored]) - set(of_set[measured])
    if apart and measured.any():
        piece.rows = rows[~of_set.isin(apart)]
        piece.notes.append(message("data sets not measured", names=tuple(sorted(apart))))


@message_text("data sets not measured")
def _not_measured(voice: Audience, names: tuple) -> str:
    which = join_names(list(names), 3)
    return (
        f"{format_count(len(names), 'data set')} left out that no measure is given for ({which})."
    )
