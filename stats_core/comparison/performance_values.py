"""What algorithms are ordered by: a value of each, with its name."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from stats_core.core.formatting import format_number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """A value of each algorithm, such as its average rank.

    Attributes
    ----------
    values : Series
        By algorithm.
    name : str
        What a value is: "average rank for error".
    lowest : bool
        Whether the lowest is the best.
    digits : int
        Decimals to write it with.
    """

    values: pd.Series
    name: str
    lowest: bool
    digits: int = 2

    @property
    def best(self) -> str:
        """Which value is the best one, for a sentence."""
        return "lowest" if self.lowest else "highest"

    @property
    def leaders(self) -> tuple[str, ...]:
        """The algorithms of the best value, all that tie for it but for rounding.

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 1.5, "knn": 3.0, "rf": 1.5}), name="", lowest=True).leaders
        ('svm', 'rf')
        """
        away = self.values - self.values.min() if self.lowest else self.values.max() - self.values
        return tuple(self.values.index[away <= 1e-9])

    def of(self, algorithm: str) -> str:
        """Write the value of one algorithm."""
        return format_number(self.values[algorithm], self.digits)

    def valued(self, algorithms: Iterable[str], more: str = "") -> list[str]:
        """Write names with their values: "svm (1.50)"."""
        return [f"{name} ({self.of(name)}{more})" for name in algorithms]

    @property
    def range(self) -> str:
        """Write the values of the best and the worst of all: "1.25 (rf) to 5.00 (knn)".

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 2.0, "knn": 5.0, "rf": 1.25}), name="", lowest=True).range
        '1.25 (rf) to 5.00 (knn)'
        """
        ordered = self.values.dropna().sort_values(ascending=self.lowest, kind="stable")
        ends = (ordered.index[0], ordered.index[-1])
        return " to ".join(f"{self.of(name)} ({name})" for name in ends)
