"""Data sets that only measures speak of which are not used."""

from stats_core.core.notes import Voice, note, worded
from stats_core.core.words import count, listed
from stats_core.reading.layouts import Piece
from stats_core.reading.understand import Understanding


def leave_out_unmeasured(piece: Piece, found: Understanding) -> None:
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
        piece.notes.append(note("data sets not measured", names=tuple(sorted(apart))))


@worded("data sets not measured")
def _not_measured(voice: Voice, names: tuple) -> str:
    which = listed(list(names), 3)
    return f"{count(len(names), 'data set')} left out that no measure is given for ({which})."
