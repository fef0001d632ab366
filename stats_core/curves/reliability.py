"""Calibration in bins: the share of positive instances beside the predicted probability."""

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DesignError
from stats_core.core.validation import check_probability
from stats_core.data.instance_table import CaseTable

BINS = 10


def calibration_bins(
    table: CaseTable, *, bins: int = BINS, level: float = 0.95
) -> dict[str, pd.DataFrame]:
    r"""How often are instances positive at each predicted probability?

    Notes
    -----
    Several training runs predict the same cases, whose truth stays the same, and cases of one
    cluster are alike. The interval is that of the effective number of cases p (1 - p) / v, v the
    variance of the share p over clusters, or over cases where there are no clusters. It is at most
    the number of different cases, and smaller where there are few clusters. For one training run
    without clusters it is that number, so the interval is exact.

    References
    ----------
    Clopper and Pearson 1934; Korn and Graubard, Surv. Methodol. 24 (1998) 193;
    Niculescu-Mizil and Caruana, ICML 2005.

    Examples
    --------
    >>> from stats_core.data.instance_table import case_table
    >>> from stats_core.io.read import read_results
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
    return {
        name: _bins(table, table.score[:, :, model].ravel(), bins, level)
        for model, name in enumerate(table.names)
    }


def _bins(table: CaseTable, predicted: np.ndarray, bins: int, level: float) -> pd.DataFrame:
    """Return the calibration bins of one model; predictions are training x instance in one row."""
    n, cases = len(predicted), len(table.cases)
    edges = np.sort(predicted)[[-(-n * bin_numbers // bins) - 1 for bin_numbers in range(1, bins)]]
    _, bin_numbers = np.unique(np.searchsorted(edges, predicted, side="left"), return_inverse=True)
    # how often each bin, row by row, holds each case
    times = np.bincount(bin_numbers * cases + np.tile(np.arange(cases), n // cases))
    times = np.pad(times, (0, -len(times) % cases)).reshape(-1, cases)
    count, different = times.sum(axis=1), (times > 0).sum(axis=1)
    observed = times @ table.truth / count
    effective = _effective(times, observed, table, level)
    hits, tail = observed * effective, (1 - level) / 2
    low = np.where(hits > 0, stats.beta.ppf(tail, hits, effective - hits + 1), 0.0)
    high = np.where(observed < 1, stats.beta.ppf(1 - tail, hits + 1, effective - hits), 1.0)
    return pd.DataFrame(
        {
            "said": np.bincount(bin_numbers, weights=predicted) / count,
            "found": observed,
            "low": low,
            "high": high,
            "cases": different,
        }
    )


def _effective(
    times: np.ndarray, observed: np.ndarray, table: CaseTable, level: float
) -> np.ndarray:
    """Return the effective number of instances of each bin (Korn and Graubard 1998)."""
    sizes, off = times.astype(float), times * (table.truth - observed[:, None])
    if table.cluster is not None:
        sizes, off = (
            np.stack([np.bincount(table.cluster, weights=row) for row in values])
            for values in (sizes, off)
        )
    different, groups = (times > 0).sum(axis=1), (sizes > 0).sum(axis=1)
    # where all cases are of one class, nothing tells how alike those of a cluster are: one each
    alike = (observed == 0) | (observed == 1)
    share = np.where(alike, 1.0, observed * (1 - observed))
    spread = (np.where(alike[:, None], sizes, off) ** 2).sum(axis=1)
    number = share * sizes.sum(axis=1) ** 2 / np.maximum(spread, 1e-12)
    tail = (1 - level) / 2
    t_ratio = stats.t.isf(tail, np.maximum(groups - 1, 1)) / stats.t.isf(
        tail, np.maximum(different - 1, 1)
    )
    return np.where(groups > 1, np.minimum(number, different) / t_ratio**2, 1.0)
