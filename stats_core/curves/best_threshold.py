"""Best thresholds of trained models for a target, with intervals and values on new instances."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.validation import check_one_of, check_probability
from stats_core.curves.loss_sweep import threshold_for_costs
from stats_core.curves.risk_difference_bands import case_weights
from stats_core.data.instance_table import CaseTable

# target -> meaning of its amount
WISHES = {
    "cost": "cost of a false positive over that of a false negative",
    "recall": "share of positive cases that are called, at least",
    "precision": "share of called cases that are positive, at least",
    "alerts": "share of all cases that are called, at most",
}
# default targets with usual amounts
USUAL = {"cost": 1.0, "recall": 0.8, "precision": 0.8, "alerts": 0.1}
DRAWS = 999
PARTS = 10
_CELLS = 4_000_000  # draws times instances of one batch


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Instances of one model by falling score, and the possible thresholds."""

    score: np.ndarray
    order: np.ndarray
    positive: np.ndarray  # in that order
    last: np.ndarray  # last instance of each run of equal scores


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """True positives and positive calls at each threshold, for each row of weights."""

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
    targets = list(wishes)
    for wish, amount in targets:
        check_wish(wish, amount)
    check_probability(level, "level")
    if table.score is None or table.positive is None or table.truth.all() or not table.truth.any():
        raise DesignError(
            "A best threshold needs scores, and cases of both classes. Some are missing. Upload "
            "predictions with scores."
        )
    n, rng = len(table.cases), np.random.default_rng(seed)
    models = [_sorted(score, table.truth) for score in table.score[0].T]
    drawn_cuts: list[list[np.ndarray]] = [[] for _ in models]
    batch = max(1, _CELLS // n)
    for start in range(0, draws, batch):
        weights = case_weights(table.cluster, n, min(batch, draws - start), rng)
        for position, model in enumerate(models):
            drawn_cuts[position].append(_choices(model, weights, targets))
    part = _parts(table, rng)
    others = np.stack([part != k for k in range(part.max() + 1)]).astype(np.float32)
    blocks = []
    for name, model, drawn in zip(table.names, models, drawn_cuts, strict=True):
        chosen = _choices(model, np.ones((1, n), dtype=np.float32), targets)[0]
        outside = _choices(model, others, targets)[part]
        ends = [_ends(column, level) for column in np.concatenate(drawn).T]
        for position, (wish, amount) in enumerate(targets):
            theta, cut = threshold_for_costs(amount) if wish == "cost" else 0.5, chosen[position]
            low, high = ends[position] if not np.isnan(cut) else (np.nan, np.nan)
            same_values = _said(table.truth, model.score, np.full(n, cut), theta)
            new_values = _said(table.truth, model.score, outside[:, position], theta)
            blocks.append(
                (position, [wish, amount, name, cut, low, high, *same_values, *new_values])
            )
    value_names = ["recall", "precision", "alerts", "cost"]
    columns = ["wish", "amount", "algorithm", "threshold", "low", "high", *value_names]
    columns += [f"new {column_name}" for column_name in value_names]
    rows = [row for _, row in sorted(blocks, key=lambda block: block[0])]
    return pd.DataFrame(rows, columns=columns)


def check_wish(wish: str, amount: float) -> None:
    """Check the target of a threshold and its amount."""
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
    """Return the interval of thresholds from percentiles of the draws."""
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return np.nan, np.nan
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(low), float(high)


def _parts(table: CaseTable, rng: np.random.Generator) -> np.ndarray:
    """Return the cross-validation part of each instance, stratified by class or by cluster."""
    if table.cluster is not None:
        groups = table.n_clusters
        return (rng.permutation(groups) % min(PARTS, groups))[table.cluster]
    part = np.empty(len(table.cases), dtype=int)
    for positive in (True, False):
        own = np.flatnonzero(table.truth == positive)
        part[rng.permutation(own)] = np.arange(len(own)) % PARTS
    return np.unique(part, return_inverse=True)[1]


def _choices(model: _Sorted, weights: np.ndarray, asked: Sequence[tuple[str, float]]) -> np.ndarray:
    """Return a threshold for each row of weights and each target, NaN if there is none."""
    weights = weights[:, model.order]
    tp = np.cumsum(weights * model.positive, axis=1)[:, model.last]
    called = np.cumsum(weights, axis=1)[:, model.last]
    counts = _Counts(model.score[model.order[model.last]], tp, called)
    return np.stack([_choice(counts, wish, amount) for wish, amount in asked], axis=1)


def _choice(counts: _Counts, wish: str, amount: float) -> np.ndarray:
    """Return the threshold of each row for one target; inf if calling none costs least."""
    cuts, tp, called = counts.cuts, counts.tp, counts.called
    positives, total = tp[:, -1:], called[:, -1:]
    slack = 1e-6 * total
    if wish == "cost":
        theta = threshold_for_costs(amount)
        risk = theta * (called - tp) + (1 - theta) * (positives - tp)
        no_call_risk = (1 - theta) * positives[:, 0]
        return np.where(no_call_risk < risk.min(axis=1) - 1e-9, np.inf, cuts[risk.argmin(axis=1)])
    if wish == "recall":
        good = tp >= amount * positives - slack
        position = good.argmax(axis=1)
    else:
        margin = tp - amount * called if wish == "precision" else amount * total - called
        good = (margin >= -slack) & (called > 0)
        position = good.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
    return np.where(good.any(axis=1), cuts[position], np.nan)


def _said(truth: np.ndarray, score: np.ndarray, cut: np.ndarray, theta: float) -> list[float]:
    """Return recall, precision, share called and risk per instance; NaN without a threshold."""
    if np.isnan(cut).any():
        return [np.nan] * 4
    called = score >= cut
    tp, fp = int((truth & called).sum()), int((~truth & called).sum())
    precision = tp / (tp + fp) if tp + fp else np.nan
    risk = (theta * fp + (1 - theta) * (truth.sum() - tp)) / len(truth)
    return [tp / truth.sum(), precision, (tp + fp) / len(truth), float(risk)]
