"""Square tables of algorithms against algorithms: wins, ties or decisions."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from stats_core.io.problems import NotResults, refusal_of
from stats_core.io.profile import Profile

_BLANK = {"", "-", "--", "\u2013", "\u2014", "x", ".", "nan", "na", "n/a", "none", "0", "0.0"}
_THREE = re.compile(r"(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})")
_TRUTH = {"0": 0.0, "1": 1.0, "false": 0.0, "true": 1.0}
_BEATS = r"\b{0}s?\b\W+(?:\w+\W+)?(?:beats?|wins?|better|defeats?)|(?:wins?|better)\b.*\b(?:of|is)\b.*\b{0}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Square:
    """A square table of algorithms against algorithms with an empty diagonal.

    Attributes
    ----------
    key : str
        The column of names.
    names : tuple of str
    roles : dict of column to role
    cells : DataFrame of str, algorithm x algorithm
    wins, ties : array or None
        Wins of the row or of the column, which may be unknown; ties if the cells give them.
    decided : array or None
        Zeros and ones.
    faulty : tuple of str
        Contradictions in the table, as sentences.
    half : bool
        Whether the order of wins, ties and losses is unknown.
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
        """Whether decisions only state that two algorithms differ, not which is better."""
        return self.decided is not None and bool(
            self.decided.any() and (self.decided == self.decided.T).all()
        )

    @property
    def has_sides(self) -> bool:
        """Whether it matters if a cell counts wins of the row or of the column."""
        if self.decided is not None:
            return bool(self.decided.any()) and not self.mirrored
        return True

    @property
    def side(self) -> str:
        """Whether cells count wins of the "row" or "column" according to the corner, else ""."""
        corner = self.key.lower()
        sides = [side for side in ("row", "column") if re.search(_BEATS.format(side), corner)]
        return sides[0] if len(sides) == 1 else ""

    @property
    def example(self) -> tuple[str, str, str]:
        """A cell that decides between two algorithms: its row, column and text."""
        counted = self.decided if self.decided is not None else self.wins
        assert counted is not None
        i, j = np.unravel_index(int((counted - counted.T).argmax()), counted.shape)
        return self.names[i], self.names[j], str(self.cells.iloc[i, j])

    @property
    def n(self) -> int:
        """Number of data sets behind the wins if the table determines it, else 0."""
        if self.wins is None:
            return 0
        rows, columns = np.triu_indices(len(self.names), 1)
        total = self.wins + self.wins.T + (0 if self.ties is None else self.ties)
        sums = set(total[rows, columns].tolist())
        is_determined = self.ties is not None or len(self.names) > 2
        return sums.pop() if is_determined and len(sums) == 1 else 0

    def contradiction(self, n: int) -> NotResults | None:
        """Return a refusal if the table contradicts itself or the number of data sets."""
        if self.half:
            return refusal_of("order of wins unknown")
        if self.faulty:
            return refusal_of("cells contradict", faulty=self.faulty)
        if self.wins is None:
            return None
        total = self.wins + self.wins.T + (0 if self.ties is None else self.ties)
        i, j = np.unravel_index(int(total.argmax()), total.shape)
        largest, a, b = int(total[i, j]), self.names[i], self.names[j]
        if self.ties is not None and not (self.n and self.n >= 2):
            return refusal_of("sums of wins differ", a=a, b=b, largest=largest)
        if n and (n < largest or self.ties is not None and n != largest):
            return refusal_of("more wins than data sets", a=a, b=b, largest=largest, n=n)
        return None


def square_of(profile: Profile) -> Square | None:
    """Return a square table of algorithms, None if the profile is not one."""
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
    empty_diagonal = not (diagonal - _BLANK - {"0/0/0", "0-0-0"})
    if not empty_diagonal:
        return None
    roles = {name: "result" for name in names} | {key: "algorithm"}
    fields = {"key": str(key), "names": tuple(map(str, names)), "roles": roles, "cells": cells}
    return _of_three(fields) or _of_numbers(fields)


def _of_three(fields: dict) -> Square | None:
    """Read cells such as 12/3/5: wins, ties and losses in an order to be determined."""
    cells: pd.DataFrame = fields["cells"]
    k = len(cells)
    counts = np.full((k, k, 3), -1)
    for i in range(k):
        for j in range(k):
            match = _THREE.fullmatch(cells.iloc[i, j])
            if i != j and match:
                counts[i, j] = [int(part) for part in match.groups()]
    filled = counts[:, :, 0] >= 0
    off_diagonal = ~np.eye(k, dtype=bool)
    if not (filled | filled.T)[off_diagonal].all():
        return None
    mirrored_pairs = filled & filled.T
    tie_index = (
        _half(fields["key"]) if not mirrored_pairs.any() else _tie_place(counts, mirrored_pairs)
    )
    if tie_index is None:
        blank = np.zeros((k, k), int)
        if not mirrored_pairs.any():
            return Square(**fields, wins=blank, ties=blank, half=True)
        faulty = ("The cells of one half do not mirror those of the other",)
        return Square(**fields, wins=blank, ties=blank, faulty=faulty)
    loss_index = 3 - tie_index
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j in zip(*np.nonzero(filled), strict=True):
        wins[i, j], wins[j, i] = counts[i, j, 0], counts[i, j, loss_index]
        ties[i, j] = ties[j, i] = counts[i, j, tie_index]
    return Square(**fields, wins=wins, ties=ties)


def _half(corner: str) -> int | None:
    """Return the position of ties in a cell according to the corner, None if it gives none."""
    letters = re.findall(r"\b[a-z]", corner.lower())
    order = "".join(letter for letter in letters if letter in "wtdl")
    if "wtl" in order or "wdl" in order:
        return 1
    return 2 if "wlt" in order or "wld" in order else None


def _tie_place(counts: np.ndarray, mirrored_pairs: np.ndarray) -> int | None:
    """Return the position of ties at which both halves agree, None if neither fits."""
    mirrored = counts.transpose(1, 0, 2)
    for tie_index, mirrored_order in ((1, (2, 1, 0)), (2, (1, 0, 2))):
        if (counts[mirrored_pairs] == mirrored[mirrored_pairs][:, mirrored_order]).all():
            return tie_index
    return None


def _of_numbers(fields: dict) -> Square | None:
    """Read zeros and ones as decisions, larger whole numbers as wins."""
    cells: pd.DataFrame = fields["cells"]
    k = len(cells)
    off_diagonal = ~np.eye(k, dtype=bool)
    texts = cells.to_numpy(dtype=object)
    numbers = np.zeros((k, k))
    for i, j in zip(*np.nonzero(off_diagonal), strict=True):
        text = str(texts[i, j]).lower()
        number = _TRUTH.get(text, pd.to_numeric(text, errors="coerce"))
        if not np.isfinite(number) or number != round(number) or number < 0:
            return None
        numbers[i, j] = number
    counts = numbers.astype(int)
    if counts.max() <= 1:
        mirrored = bool((counts == counts.T).all())
        pairs = [(i, j) for i, j in np.argwhere(counts & counts.T) if i < j]
        names = fields["names"]
        contradictions = [
            f"{names[i]} is better than {names[j]} and {names[j]} better than {names[i]}"
            for i, j in pairs
        ]
        return Square(**fields, decided=counts, faulty=() if mirrored else tuple(contradictions))
    if (counts == counts.T).all():
        return None  # similarities
    return Square(**fields, wins=counts)
