"""What every analysis starts from and carries: the settings, the results, the advice."""

from dataclasses import dataclass

import pandas as pd

from stats_core.comparison.advise import Advice
from stats_core.data.results import Results
from stats_core.data.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """What every analysis carries, and all there is when nothing can be tested.

    Attributes
    ----------
    results : Results
        The results the analysis speaks of, after leaving out.
    settings : Settings
        With the measure filled in.
    higher_is_better : bool
        Direction of the measure.
    scores : DataFrame, data set x algorithm
        The averages that were compared.
    advice : Advice
        The recommended test and why.
    """

    results: Results
    settings: Settings
    higher_is_better: bool
    scores: pd.DataFrame
    advice: Advice

    @property
    def measure_label(self) -> str:
        """The measure with its direction, for example "error (lower is better)"."""
        return (
            f"{self.settings.measure} ({'higher' if self.higher_is_better else 'lower'} is better)"
        )
