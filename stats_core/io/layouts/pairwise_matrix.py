"""Tables whose rows and columns are the same algorithms: what their cells count."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.io.profile import Profile
from stats_core.io.scoring import NotResults

_BLANK = {"", "-", "--", "\u2013", "\u2014", "x", ".", "nan", "na", "n/a", "none", "0", "0.0"}
_THREE = re.compile(r"(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})")
_TRUTH = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}
_BEATS = r"\b{0}s?\b\W+(?:\w+\W+)?(?:beats?|wins?|better|defeats?)|(?:wins?|better)\b.*\b(?:of|is)\b.*\b{0}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Square:
    """A table of algorithms against themselves, its diagonal empty.

    Attributes
    ----------
    key : str
        The column of names.
    names : tuple of str
    roles : dict of column to role
    cells : DataFrame of str, algorithm x algorithm
    wins, ties : array or None
        Wins of the row, or of the column, which the table need not tell; ties where cells do.
    decided : array or None
        Zeros and ones.
    faulty : tuple of str
        What contradicts itself, in words.
    half : bool
        Whether nothing tells in which order wins, ties and losses stand.
    """

    key: str
    names: tuple[str, ...]
    roles: dict[str, str]
    cells: pd.DataFrame
    wins: np.ndarray | None = None
    ties: np.ndarray | None = None
    decided: np.ndarray | None = None
    faulty: tuple[str, ...] = ()
    half: bool = False

    @cached_property
    def mirrored(self) -> bool:
        """Whether decisions say that two differ, and not who is better."""
        return self.decided is not None and bool(
            self.decided.any() and (self.decided == self.decided.T).all()
        )

    @property
    def has_sides(self) -> bool:
        """Whether it matters whose wins a cell counts."""
        if self.decided is not None:
            return bool(self.decided.any()) and not self.mirrored
        return True

    @property
    def side(self) -> str:
        """Whose wins a cell counts, as the corner says: "row", "column" or ""."""
        corner = self.key.lower()
        found = [side for side in ("row", "column") if re.search(_BEATS.format(side), corner)]
        return found[0] if len(found) == 1 else ""

    @property
    def example(self) -> tuple[str, str, str]:
        """A cell that says who wins: its row, its column, and what it says."""
        counted = self.decided if self.decided is not None else self.wins
        assert counted is not None
        i, j = np.unravel_index(int((counted - counted.T).argmax()), counted.shape)
        return self.names[i], self.names[j], str(self.cells.iloc[i, j])

    @property
    def n(self) -> int:
        """Over how many data sets wins are, where the table tells; 0 where it does not."""
        if self.wins is None:
            return 0
        rows, columns = np.triu_indices(len(self.names), 1)
        total = self.wins + self.wins.T + (0 if self.ties is None else self.ties)
        sums = set(total[rows, columns].tolist())
        told = self.ties is not None or len(self.names) > 2
        return sums.pop() if told and len(sums) == 1 else 0

    def contradiction(self, n: int) -> NotResults | None:
        """Say what in the table cannot be, given how many data sets there are, 0 if not known."""
        if self.half:
            return NotResults(
                must="needs to say in which order wins, ties and losses stand",
                found="Only one half of the table is filled, and the corner does not say it",
                do='Write "w/t/l" or "w/l/t" into the corner, or fill the other half',
            )
        if self.faulty:
            return NotResults(
                must="needs cells that agree with each other",
                found=join_names(self.faulty, 3),
                do="Correct one of the cells",
            )
        if self.wins is None:
            return None
        total = self.wins + self.wins.T + (0 if self.ties is None else self.ties)
        i, j = np.unravel_index(int(total.argmax()), total.shape)
        most, a, b = int(total[i, j]), self.names[i], self.names[j]
        if self.ties is not None and not (self.n and self.n >= 2):
            return NotResults(
                must="needs the same number of data sets in each cell",
                found=f"Wins, ties and losses of {a} and {b} add up to {most}, those of others to less",
                do="Correct the cells, or leave out those who were not run on all data sets",
            )
        if n and (n < most or self.ties is not None and n != most):
            return NotResults(
                must="needs wins that fit the number of data sets",
                found=f"{a} and {b} met on {most} data sets or more, and there are to be {n}",
                do="Correct the number of data sets",
            )
        return None


def square_of(profile: Profile) -> Square | None:
    """Return a table of algorithms against themselves; None if it is none, or holds other things."""
    frame = profile.frame
    if frame.shape[1] < 3 or len(frame) < 2:
        return None
    key = frame.columns[0]
    names = list(frame[key])
    if len(set(names)) < len(names) or "" in names or not set(names) <= set(frame.columns[1:]):
        return None
    if len(names) < frame.shape[1] - 1:
        return None
    cells = frame.set_index(key)[names].map(lambda text: str(text).strip())
    diagonal = {str(cells.iloc[i, i]).lower() for i in range(len(names))}
    three = not (diagonal - _BLANK - {"0/0/0", "0-0-0"})
    if not three:
        return None
    roles = {name: "result" for name in names} | {key: "algorithm"}
    made = {"key": str(key), "names": tuple(map(str, names)), "roles": roles, "cells": cells}
    return _of_three(made) or _of_numbers(made)


def _of_three(made: dict) -> Square | None:
    """Read cells such as 12/3/5: wins, ties, losses in an order that the other half tells."""
    cells: pd.DataFrame = made["cells"]
    k = len(cells)
    found = np.full((k, k, 3), -1)
    for i in range(k):
        for j in range(k):
            match = _THREE.fullmatch(cells.iloc[i, j])
            if i != j and match:
                found[i, j] = [int(part) for part in match.groups()]
    given = found[:, :, 0] >= 0
    off = ~np.eye(k, dtype=bool)
    if not (given | given.T)[off].all():
        return None
    both = given & given.T
    middle = _half(made["key"]) if not both.any() else _tie_place(found, both)
    if middle is None:
        blank = np.zeros((k, k), int)
        if not both.any():
            return Square(**made, wins=blank, ties=blank, half=True)
        faulty = ("The cells of one half do not mirror those of the other",)
        return Square(**made, wins=blank, ties=blank, faulty=faulty)
    lost = 3 - middle
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j in zip(*np.nonzero(given), strict=True):
        wins[i, j], wins[j, i] = found[i, j, 0], found[i, j, lost]
        ties[i, j] = ties[j, i] = found[i, j, middle]
    return Square(**made, wins=wins, ties=ties)


def _half(corner: str) -> int | None:
    """Return where the corner says that ties stand."""
    letters = re.findall(r"\b[a-z]", corner.lower())
    order = "".join(letter for letter in letters if letter in "wtdl")
    if "wtl" in order or "wdl" in order:
        return 1
    return 2 if "wlt" in order or "wld" in order else None


def _tie_place(found: np.ndarray, both: np.ndarray) -> int | None:
    """Return where ties stand, told by the cells of the other half; None if neither fits."""
    mirrored = found.transpose(1, 0, 2)
    for middle, turned in ((1, (2, 1, 0)), (2, (1, 0, 2))):
        if (found[both] == mirrored[both][:, turned]).all():
            return middle
    return None


def _of_numbers(made: dict) -> Square | None:
    """Read zeros and ones, or numbers of wins."""
    cells: pd.DataFrame = made["cells"]
    k = len(cells)
    off = ~np.eye(k, dtype=bool)
    texts = cells.to_numpy(dtype=object)
    numbers = np.zeros((k, k))
    for i, j in zip(*np.nonzero(off), strict=True):
        text = str(texts[i, j]).lower()
        number = _TRUTH.get(text, pd.to_numeric(text, errors="coerce"))
        if not np.isfinite(number) or number != round(number) or number < 0:
            return None
        numbers[i, j] = number
    whole = numbers.astype(int)
    if whole.max() <= 1:
        mirrored = bool((whole == whole.T).all())
        pairs = [(i, j) for i, j in np.argwhere(whole & whole.T) if i < j]
        names = made["names"]
        both = [
            f"{names[i]} is better than {names[j]} and {names[j]} better than {names[i]}"
            for i, j in pairs
        ]
        return Square(**made, decided=whole, faulty=() if mirrored else tuple(both))
    if (whole == whole.T).all():
        return None  # similarities
    return Square(**made, wins=whole)
