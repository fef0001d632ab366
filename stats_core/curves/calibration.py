"""Do probabilities mean what they say? Calibration in bins, Brier score and log loss of each model."""

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.checks import check_probability
from stats_core.core.errors import DesignError
from stats_core.data.case_table import CaseTable

BINS = 10


def calibration_bins(
    table: CaseTable, *, bins: int = BINS, level: float = 0.95
) -> dict[str, pd.DataFrame]:
    r"""How often is a case positive where a model says so with some probability?

    Parameters
    ----------
    table : CaseTable
        With probabilities; all trainings count.
    bins : int
        Bins of equally many cases; equal probabilities stay in one bin.
    level : float
        Coverage of the interval of each share.

    Returns
    -------
    dict of algorithm to DataFrame
        One row per bin: said (mean probability), found (share of positive cases), low, high (exact,
        Clopper and Pearson; of several trainings, and of clusters, too narrow), cases.

    Raises
    ------
    DesignError
        Scores are no probabilities.

    References
    ----------
    Clopper and Pearson 1934; Niculescu-Mizil and Caruana, ICML 2005.

    Examples
    --------
    >>> from stats_core.data.case_table import case_table
    >>> from stats_core.reading.reading import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{(0.8 if i % 2 else 0.3) if m == 'a' else 0.4 + i % 3 / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> bins = calibration_bins(case_table(read_results(("d.csv", text.encode())), "d"))
    >>> bins["a"]["found"].tolist()
    [0.0, 1.0]
    """
    check_probability(level, "level")
    if not table.probabilities or table.score is None:
        raise DesignError(
            "Calibration needs scores that are probabilities of the positive class, in [0, 1]. "
            "These are not. Upload probabilities."
        )
    truth = np.tile(table.truth, len(table.trainings))
    return {
        name: _bins(truth, table.score[:, :, place].ravel(), bins, level)
        for place, name in enumerate(table.names)
    }


def _bins(truth: np.ndarray, said: np.ndarray, bins: int, level: float) -> pd.DataFrame:
    edges = np.unique(np.quantile(said, np.linspace(0, 1, bins + 1)[1:-1]))
    place = np.searchsorted(edges, said, side="left")
    _, place = np.unique(place, return_inverse=True)
    n = np.bincount(place)
    hits = np.bincount(place, weights=truth).astype(int)
    tail = (1 - level) / 2
    low = np.where(hits > 0, stats.beta.ppf(tail, hits, n - hits + 1), 0.0)
    high = np.where(hits < n, stats.beta.ppf(1 - tail, hits + 1, n - hits), 1.0)
    return pd.DataFrame(
        {
            "said": np.bincount(place, weights=said) / n,
            "found": hits / n,
            "low": low,
            "high": high,
            "cases": n,
        }
    )
