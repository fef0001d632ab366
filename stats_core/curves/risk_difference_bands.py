"""Bands for differences of risk along thresholds on one test set, by bootstrap of instances."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError
from stats_core.core.validation import check_probability
from stats_core.curves.loss_sweep import check_thresholds
from stats_core.curves.threshold_sweep import THETAS
from stats_core.curves.thresholds import raw_thresholds
from stats_core.data.instance_table import CaseTable

DRAWS = 1999
_CELLS = 4_000_000  # draws times cases that are held at once


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskBands:
    """Differences of risk of every pair along theta.

    Attributes
    ----------
    thetas : array
        Weight of a false positive; a false negative weighs 1 - theta.
    risks : DataFrame, theta x algorithm
        Risk per case.
    bands : dict of (first, second) to DataFrame
        difference (first minus second), low, high, by theta.
    level : float
        Pointwise coverage.
    unit : {"case", "cluster"}
        What was drawn.
    draws : int
    """

    thetas: np.ndarray
    risks: pd.DataFrame
    bands: dict[tuple[str, str], pd.DataFrame]
    level: float
    unit: str
    draws: int

    def away(self) -> pd.DataFrame:
        """Return where each band excludes 0: first, second, thetas at which each has less risk."""
        rows = []
        for (first, second), band in self.bands.items():
            low, high = band["low"].to_numpy(), band["high"].to_numpy()
            rows.append(
                (first, second, _spans(self.thetas, high < 0), _spans(self.thetas, low > 0))
            )
        return pd.DataFrame(rows, columns=["first", "second", "less by first", "less by second"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair and theta."""
        named = {f"{a} - {b}": band for (a, b), band in self.bands.items()}
        return pd.concat(named, names=["pair", "theta"]).reset_index()


def case_weights(
    cluster: np.ndarray | None, n: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return how often each instance is drawn, draw x instance; clusters are drawn whole.

    Examples
    --------
    >>> case_weights(None, 4, 2, np.random.default_rng(0)).sum(axis=1).tolist()
    [4.0, 4.0]
    """
    groups = n if cluster is None else int(cluster.max()) + 1
    picked = rng.integers(0, groups, size=(draws, groups)) + groups * np.arange(draws)[:, None]
    times = np.bincount(picked.ravel(), minlength=draws * groups)  # faster than multinomial
    drawn = times.reshape(draws, groups).astype(np.float32)
    return drawn if cluster is None else drawn[:, cluster]


def risk_bands(
    table: CaseTable,
    *,
    thetas: Sequence[float] | np.ndarray = THETAS,
    scale: str = "logistic",
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> RiskBands:
    r"""At which costs of errors does one trained model have a lower risk than another?

    Notes
    -----
    Percentile intervals, pointwise: at each theta alone the band holds the difference with the
    level given, not at all thetas at once. Of several trainings the risk is the mean over them,
    and only cases are drawn anew.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; Aslan's thesis 2009,
    section 7.1.

    Examples
    --------
    >>> from stats_core.data.instance_table import case_table
    >>> from stats_core.io.read import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{(0.8 if i % 2 else 0.3) if m == 'a' else 0.4 + i % 3 / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> found = risk_bands(case_table(read_results(("d.csv", text.encode())), "d"), draws=99)
    >>> found.away()["less by first"].tolist()
    ['0.35 to 0.80']
    """
    check_probability(level, "level")
    if table.score is None or table.positive is None or len(table.names) < 2:
        raise DesignError(
            "Risks along thresholds need the scores of two algorithms on named cases. Some are "
            "missing. Upload predictions with scores."
        )
    theta_values = np.asarray(check_thresholds(thetas), dtype=float)
    costs = np.stack(
        [_costs(table, model, theta_values, scale) for model in range(len(table.names))]
    )  # algorithm x theta x case
    risks = costs.mean(axis=2).T
    pairs = list(combinations(range(len(table.names)), 2))
    drawn = _drawn(table, costs, draws, seed)
    ends = {}
    for i, j in pairs:
        low, high = np.quantile(drawn[i] - drawn[j], [(1 - level) / 2, (1 + level) / 2], axis=0)
        ends[table.names[i], table.names[j]] = pd.DataFrame(
            {"difference": risks[:, i] - risks[:, j], "low": low, "high": high}, index=theta_values
        )
    return RiskBands(
        thetas=theta_values,
        risks=pd.DataFrame(risks, index=theta_values, columns=list(table.names)),
        bands=ends,
        level=level,
        unit="case" if table.cluster is None else "cluster",
        draws=draws,
    )


def _costs(table: CaseTable, model: int, thetas: np.ndarray, scale: str) -> np.ndarray:
    """Return the cost of each instance at each theta, theta x instance, mean over trainings."""
    assert table.score is not None  # the caller looked
    score = table.score[:, :, model]
    cuts = raw_thresholds(score, thetas, scale)
    called = score[None] >= cuts[:, None, None]  # theta x training x case
    positive = table.truth
    return (
        np.where(positive, (1 - thetas)[:, None, None] * ~called, thetas[:, None, None] * called)
    ).mean(axis=1)


def _drawn(table: CaseTable, costs: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Return the risks of all draws, algorithm x draw x theta."""
    rng, n = np.random.default_rng(seed), costs.shape[2]
    step = max(1, _CELLS // n)
    flat = costs.reshape(-1, n).T.astype(np.float32)
    parts = []
    for first in range(0, draws, step):
        weights = case_weights(table.cluster, n, min(step, draws - first), rng)
        parts.append(weights @ flat / weights.sum(axis=1, keepdims=True))
    risks = np.concatenate(parts)
    return risks.reshape(draws, costs.shape[0], costs.shape[1]).transpose(1, 0, 2)


def _spans(thetas: np.ndarray, holds: np.ndarray) -> str:
    """Return the ranges of thetas where a condition holds, as text: "0.15 to 0.40, 0.70"."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], holds.astype(int), [0]])))
    parts = []
    for start, end in zip(edges[::2], edges[1::2] - 1, strict=True):
        a, b = thetas[start], thetas[end]
        parts.append(f"{a:.2f}" if a == b else f"{a:.2f} to {b:.2f}")
    return ", ".join(parts)
