"""The best threshold of each trained model for a wish, with its interval and its value on new cases."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.validation import check_one_of, check_probability
from stats_core.curves.loss_sweep import threshold_for_costs
from stats_core.curves.risk_difference_bands import case_weights
from stats_core.data.instance_table import CaseTable

# what is wished -> what its number means
WISHES = {
    "cost": "cost of a false positive over that of a false negative",
    "recall": "share of positive cases that are called, at least",
    "precision": "share of called cases that are positive, at least",
    "alerts": "share of all cases that are called, at most",
}
# what is asked where nobody said: each wish with a usual number
USUAL = {"cost": 1.0, "recall": 0.8, "precision": 0.8, "alerts": 0.1}
DRAWS = 999
PARTS = 10
_CELLS = 4_000_000  # draws times cases that are held at once


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """The cases of one model by falling score, and where thresholds may lie."""

    score: np.ndarray
    order: np.ndarray
    positive: np.ndarray  # in that order
    last: np.ndarray  # last case of each run of equal scores


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Of each row of weights: true positives and cases called at each threshold."""

    cuts: np.ndarray
    tp: np.ndarray
    called: np.ndarray


def best_thresholds(
    table: CaseTable,
    wishes: Iterable[tuple[str, float]] = tuple(USUAL.items()),
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> pd.DataFrame:
    r"""From which score on should each trained model call a case positive?

    Notes
    -----
    Under a ratio of costs the threshold of least risk; for a recall the highest that reaches it;
    for a precision the lowest that keeps it, which calls most; for alerts the lowest that stays
    within. Intervals are percentiles over the draws; draws without such a threshold are left out.
    Cost is risk per case with weights that add up to 1. A threshold does best on the cases it was
    chosen on, so what counts is the value on new cases.

    Examples
    --------
    >>> from stats_core.data.instance_table import case_table
    >>> from stats_core.io.read import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{0.3 * (i % 2) + (i % 7 if m == 'a' else i % 5) / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> table = case_table(read_results(("d.csv", text.encode())), "d")
    >>> found = best_thresholds(table, [("recall", 0.9)], draws=49)
    >>> found.loc[0, ["threshold", "recall"]].astype(float).tolist()
    [0.3, 1.0]
    """
    asked = list(wishes)
    for wish, amount in asked:
        check_wish(wish, amount)
    check_probability(level, "level")
    if table.score is None or table.positive is None or table.truth.all() or not table.truth.any():
        raise DesignError(
            "A best threshold needs scores, and cases of both classes. Some are missing. Upload "
            "predictions with scores."
        )
    n, rng = len(table.cases), np.random.default_rng(seed)
    models = [_sorted(score, table.truth) for score in table.score[0].T]
    found: list[list[np.ndarray]] = [[] for _ in models]
    most = max(1, _CELLS // n)
    for start in range(0, draws, most):
        weights = case_weights(table.cluster, n, min(most, draws - start), rng)
        for place, model in enumerate(models):
            found[place].append(_choices(model, weights, asked))
    part = _parts(table, rng)
    others = np.stack([part != k for k in range(part.max() + 1)]).astype(np.float32)
    blocks = []
    for name, model, drawn in zip(table.names, models, found, strict=True):
        chosen = _choices(model, np.ones((1, n), dtype=np.float32), asked)[0]
        outside = _choices(model, others, asked)[part]
        ends = [_ends(each, level) for each in np.concatenate(drawn).T]
        for place, (wish, amount) in enumerate(asked):
            theta, cut = threshold_for_costs(amount) if wish == "cost" else 0.5, chosen[place]
            low, high = ends[place] if not np.isnan(cut) else (np.nan, np.nan)
            here = _said(table.truth, model.score, np.full(n, cut), theta)
            new = _said(table.truth, model.score, outside[:, place], theta)
            blocks.append((place, [wish, amount, name, cut, low, high, *here, *new]))
    four = ["recall", "precision", "alerts", "cost"]
    columns = ["wish", "amount", "algorithm", "threshold", "low", "high", *four]
    columns += [f"new {one}" for one in four]
    rows = [row for _, row in sorted(blocks, key=lambda block: block[0])]
    return pd.DataFrame(rows, columns=columns)


def check_wish(wish: str, amount: float) -> None:
    """Refuse what cannot be asked of a threshold."""
    check_one_of(wish, WISHES, "wish")
    if not (amount > 0 and (wish == "cost" or amount <= 1) and np.isfinite(amount)):
        raise SettingError(
            f"The {wish} wished must be above 0{'' if wish == 'cost' else ' and at most 1'}. It is "
            f"{amount:g}. Try {USUAL[wish]:g}."
        )


def _sorted(score: np.ndarray, truth: np.ndarray) -> _Sorted:
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    return _Sorted(score, order, truth[order], last)


def _ends(drawn: np.ndarray, level: float) -> tuple[float, float]:
    """Return the percentiles of the thresholds that were drawn."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(low), float(high)


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


def _choices(model: _Sorted, weights: np.ndarray, asked: Sequence[tuple[str, float]]) -> np.ndarray:
    """Return a threshold for each row of weights of cases and each wish, NaN where there is none."""
    weights = weights[:, model.order]
    tp = np.cumsum(weights * model.positive, axis=1)[:, model.last]
    called = np.cumsum(weights, axis=1)[:, model.last]
    counts = _Counts(model.score[model.order[model.last]], tp, called)
    return np.stack([_choice(counts, wish, amount) for wish, amount in asked], axis=1)


def _choice(counts: _Counts, wish: str, amount: float) -> np.ndarray:
    """Return the threshold of each row for one wish; inf where to call no case costs least."""
    cuts, tp, called = counts.cuts, counts.tp, counts.called
    positives, total = tp[:, -1:], called[:, -1:]
    slack = 1e-6 * total
    if wish == "cost":
        theta = threshold_for_costs(amount)
        risk = theta * (called - tp) + (1 - theta) * (positives - tp)
        none = (1 - theta) * positives[:, 0]
        return np.where(none < risk.min(axis=1) - 1e-9, np.inf, cuts[risk.argmin(axis=1)])
    if wish == "recall":
        good = tp >= amount * positives - slack
        place = good.argmax(axis=1)
    else:
        held = tp - amount * called if wish == "precision" else amount * total - called
        good = (held >= -slack) & (called > 0)
        place = good.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
    return np.where(good.any(axis=1), cuts[place], np.nan)


def _said(truth: np.ndarray, score: np.ndarray, cut: np.ndarray, theta: float) -> list[float]:
    """Return recall, precision, share called and risk per case; NaN without a threshold."""
    if np.isnan(cut).any():
        return [np.nan] * 4
    called = score >= cut
    tp, fp = int((truth & called).sum()), int((~truth & called).sum())
    precision = tp / (tp + fp) if tp + fp else np.nan
    risk = (theta * fp + (1 - theta) * (truth.sum() - tp)) / len(truth)
    return [tp / truth.sum(), precision, (tp + fp) / len(truth), float(risk)]
