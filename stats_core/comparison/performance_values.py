"""Values that order the algorithms."""

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
        Name of the values: "average rank for error".
    lowest : bool
        Whether the lowest is the best.
    digits : int
        Number of decimals in text.
    """

    values: pd.Series
    name: str
    lowest: bool
    digits: int = 2

    @property
    def best(self) -> str:
        """Which end of the values is best, "lowest" or "highest"."""
        return "lowest" if self.lowest else "highest"

    @property
    def leaders(self) -> tuple[str, ...]:
        """Algorithms with the best value, including ties up to rounding.

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 1.5, "knn": 3.0, "rf": 1.5}), name="", lowest=True).leaders
        ('svm', 'rf')
        """
        distance = (
            self.values - self.values.min() if self.lowest else self.values.max() - self.values
        )
        return tuple(self.values.index[distance <= 1e-9])

    def of(self, algorithm: str) -> str:
        """Return the value of one algorithm as text."""
        return format_number(self.values[algorithm], self.digits)

    def valued(self, algorithms: Iterable[str], more: str = "") -> list[str]:
        """Return names with their values: "svm (1.50)"."""
        return [f"{name} ({self.of(name)}{more})" for name in algorithms]

    @property
    def range(self) -> str:
        """Range of the values, best to worst: "1.25 (rf) to 5.00 (knn)".

        Examples
        --------
        >>> Standing(values=pd.Series({"svm": 2.0, "knn": 5.0, "rf": 1.25}), name="", lowest=True).range
        '1.25 (rf) to 5.00 (knn)'
        """
        ordered = self.values.dropna().sort_values(ascending=self.lowest, kind="stable")
        ends = (ordered.index[0], ordered.index[-1])
        return " to ".join(f"{self.of(name)} ({name})" for name in ends)
