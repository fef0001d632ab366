"""The best threshold of each trained model for a wish, with its interval and its value on new cases."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.checks import check_one_of, check_probability
from stats_core.core.errors import DesignError, SettingError
from stats_core.curves.losses import theta_of
from stats_core.curves.risk_bands import case_weights
from stats_core.data.case_table import CaseTable

# what is wished -> what its number means
WISHES = {
    "cost": "cost of a false positive over that of a false negative",
    "recall": "share of positive cases that are called, at least",
    "precision": "share of called cases that are positive, at least",
    "alerts": "share of all cases that are called, at most",
}
DRAWS = 999
PARTS = 10


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """The cases of one model by falling score, and where thresholds may lie."""

    score: np.ndarray
    positive: np.ndarray
    last: np.ndarray  # last case of each run of equal scores


def best_thresholds(
    table: CaseTable,
    wish: str,
    amount: float,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    r"""From which score on should each trained model call a case positive?

    Parameters
    ----------
    table : CaseTable
        With a score per case; of several trainings the first counts.
    wish : {"cost", "recall", "precision", "alerts"}
        What is asked of the threshold, see `WISHES`.
    amount : float
        The ratio of costs, or the share wished.
    level : float
        Coverage of the intervals.
    draws, seed
        Of the bootstrap over cases, or clusters.

    Returns
    -------
    DataFrame, one row per algorithm
        threshold, low, high; recall, precision, alerts and cost at it, on these cases; the same
        four on new cases ("new recall", ...): each tenth of the cases is called by the threshold
        chosen on the other nine. NaN where no threshold grants the wish.

    Raises
    ------
    SettingError, DesignError
        An unknown wish, an amount outside its range; no scores, a class is missing.

    Notes
    -----
    Under a ratio of costs the threshold of least risk; for a recall the highest that reaches it;
    for a precision the lowest that keeps it, which calls most; for alerts the lowest that stays
    within. Intervals are percentiles over the draws; draws without such a threshold are left out.
    Cost is risk per case with weights that add up to 1. A threshold does best on the cases it was
    chosen on, so what counts is the value on new cases.

    Examples
    --------
    >>> from stats_core.data.case_table import case_table
    >>> from stats_core.reading.reading import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{0.3 * (i % 2) + (i % 7 if m == 'a' else i % 5) / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> table = case_table(read_results(("d.csv", text.encode())), "d")
    >>> best_thresholds(table, "recall", 0.9, draws=49).loc["a", ["threshold", "recall"]].tolist()
    [0.3, 1.0]
    """
    check_one_of(wish, WISHES, "wish")
    check_probability(level, "level")
    if not (amount > 0 and (wish == "cost" or amount <= 1) and np.isfinite(amount)):
        raise SettingError(
            f"The {wish} wished must be above 0{'' if wish == 'cost' else ' and at most 1'}. It is "
            f"{amount!r}."
        )
    if table.score is None or table.positive is None or table.truth.all() or not table.truth.any():
        raise DesignError(
            "A best threshold needs scores, and cases of both classes. Some are missing. Upload "
            "predictions with scores."
        )
    theta = theta_of(amount) if wish == "cost" else 0.5
    n, rng = len(table.cases), np.random.default_rng(seed)
    weights = case_weights(table.cluster, n, draws, rng)
    part = _parts(table, rng)
    rows = {}
    for place, name in enumerate(table.names):
        score = table.score[0, :, place]
        order = np.argsort(-score, kind="stable")
        last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
        cases = _Sorted(score[order], table.truth[order], last)
        choose = _chooser(cases, wish, amount, theta)
        chosen = choose(np.ones((1, n), dtype=np.float32))[0]
        drawn = choose(weights[:, order])
        drawn = drawn[np.isfinite(drawn)]
        ends = (np.nan, np.nan)
        if np.isfinite(chosen) and len(drawn):
            ends = tuple(np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], method="nearest"))
        outside = choose(
            np.stack([part != k for k in range(part.max() + 1)])[:, order].astype(np.float32)
        )
        with np.errstate(invalid="ignore"):
            new = score >= outside[part]
        new_said = _said(table.truth, new, theta) if np.isfinite(outside).all() else [np.nan] * 4
        said = _said(table.truth, score >= chosen, theta) if np.isfinite(chosen) else [np.nan] * 4
        rows[name] = [chosen, *ends, *said, *new_said]
    four = ["recall", "precision", "alerts", "cost"]
    columns = ["threshold", "low", "high", *four, *(f"new {one}" for one in four)]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def _parts(table: CaseTable, rng: np.random.Generator) -> np.ndarray:
    """Return in which tenth each case is, both classes shared out; clusters stay together."""
    if table.cluster is not None:
        groups = table.n_clusters
        return (rng.permutation(groups) % min(PARTS, groups))[table.cluster]
    part = np.empty(len(table.cases), dtype=int)
    for positive in (True, False):
        own = np.flatnonzero(table.truth == positive)
        part[rng.permutation(own)] = np.arange(len(own)) % PARTS
    return np.unique(part, return_inverse=True)[1]


def _chooser(
    cases: _Sorted, wish: str, amount: float, theta: float
) -> Callable[[np.ndarray], np.ndarray]:
    """Return what chooses a threshold for each row of weights of cases, inf where there is none."""
    cuts = cases.score[cases.last]

    def choose(weights: np.ndarray) -> np.ndarray:
        tp = np.cumsum(weights * cases.positive, axis=1)[:, cases.last]
        called = np.cumsum(weights, axis=1)[:, cases.last]
        positives, total = tp[:, -1:], called[:, -1:]
        slack = 1e-6 * total
        if wish == "cost":
            risk = theta * (called - tp) + (1 - theta) * (positives - tp)
            none = (1 - theta) * positives[:, 0]  # nothing is called
            best = risk.argmin(axis=1)
            found = cuts[best]
            return np.where(none < risk.min(axis=1) - 1e-9, np.inf, found)
        if wish == "recall":
            good = tp >= amount * positives - slack
            place = good.argmax(axis=1)
        else:
            held = tp - amount * called if wish == "precision" else amount * total - called
            good = (held >= -slack) & (called > 0)
            place = good.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
        return np.where(good.any(axis=1), cuts[place], np.nan)

    return choose


def _said(truth: np.ndarray, called: np.ndarray, theta: float) -> list[float]:
    """Return recall, precision, share called and risk per case."""
    tp, fp = int((truth & called).sum()), int((~truth & called).sum())
    precision = tp / (tp + fp) if tp + fp else np.nan
    risk = (theta * fp + (1 - theta) * (truth.sum() - tp)) / len(truth)
    return [tp / truth.sum(), precision, (tp + fp) / len(truth), float(risk)]
