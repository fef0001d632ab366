"""Trained models on one test set: calibration, risk differences, best thresholds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isinf
from numbers import Real

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DesignError, SettingError
from stats_core.core.result_types import Rng, cached
from stats_core.core.validation import check_one_of, check_probability
from stats_core.curves.threshold_sweep import THETAS
from stats_core.curves.thresholds import check_thresholds, raw_thresholds, theta_ranges
from stats_core.data.predictions import CaseTable

_BINS = 10


def threshold_for_costs(loss_ratio: float) -> float:
    """Return the threshold that minimizes risk, given the cost of a false positive over that of a false negative.

    Raises SettingError for a negative ratio.

    References
    ----------
    Aslan's thesis 2009, equations 2.9 to 2.12.

    Examples
    --------
    >>> threshold_for_costs(1), threshold_for_costs(4), threshold_for_costs(float("inf"))
    (0.5, 0.8, 1.0)
    """
    if not (isinstance(loss_ratio, Real) and loss_ratio >= 0):
        raise SettingError.of("loss ratio negative", loss_ratio=loss_ratio)
    return 1.0 if isinf(loss_ratio) else loss_ratio / (1 + loss_ratio)


def calibration_bins(
    table: CaseTable, *, bins: int = _BINS, confidence_level: float = 0.95
) -> dict[str, pd.DataFrame]:
    r"""Return the share of positives within up to `bins` bins of equally many predictions, for each model.

    Columns: mean predicted probability (said), share of positives (found), low, high, distinct
    instances (cases). Low and high are the ends of an interval for the share, with coverage
    `confidence_level`. Raises DesignError unless scores are probabilities, SettingError for a
    `confidence_level` outside (0, 1).

    Notes
    -----
    Predictions of several runs on the same case, and of cases in one cluster, are dependent.
    The Clopper-Pearson interval therefore uses the effective number of cases p (1 - p) / v, with v the
    variance of the share p over clusters, or over cases without clusters. It is at most the number of
    distinct cases, and smaller with few clusters. For one run without clusters it equals
    that number, and the interval is exact.

    References
    ----------
    Clopper and Pearson 1934; Korn and Graubard, Surv. Methodol. 24 (1998) 193;
    Niculescu-Mizil and Caruana, ICML 2005.

    Examples
    --------
    >>> from stats_core.data.predictions import case_table
    >>> from stats_core.io.read import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{(0.8 if i % 2 else 0.3) if m == 'a' else 0.4 + i % 3 / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> bins = calibration_bins(case_table(read_results(("d.csv", text.encode())), "d"))
    >>> bins["a"]["found"].tolist()
    [0.0, 1.0]
    """
    check_probability(confidence_level, "confidence_level")
    if not table.probabilities or table.score is None:
        raise DesignError.of("Calibration needs scores that are probabilities")
    return {
        name: _bins(table, table.score[:, :, model].ravel(), bins, confidence_level)
        for model, name in enumerate(table.names)
    }


def _bins(
    table: CaseTable, predicted: np.ndarray, bins: int, confidence_level: float
) -> pd.DataFrame:
    """Return the calibration bins of one model; `predicted` is run x instance, flattened."""
    n, cases = len(predicted), len(table.cases)
    edges = np.sort(predicted)[[-(-n * bin_numbers // bins) - 1 for bin_numbers in range(1, bins)]]
    _, bin_numbers = np.unique(np.searchsorted(edges, predicted, side="left"), return_inverse=True)
    # how often each bin, row by row, holds each case
    times = np.bincount(bin_numbers * cases + np.tile(np.arange(cases), n // cases))
    times = np.pad(times, (0, -len(times) % cases)).reshape(-1, cases)
    count, different = times.sum(axis=1), (times > 0).sum(axis=1)
    observed = times @ table.truth / count
    effective = _effective(times, observed, table, confidence_level)
    hits, tail = observed * effective, (1 - confidence_level) / 2
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
    times: np.ndarray, observed: np.ndarray, table: CaseTable, confidence_level: float
) -> np.ndarray:
    """Return the effective number of instances in each bin (Korn and Graubard 1998)."""
    sizes, off = times.astype(float), times * (table.truth - observed[:, None])
    if table.cluster is not None:
        sizes, off = (
            np.stack([np.bincount(table.cluster, weights=row) for row in values])
            for values in (sizes, off)
        )
    different, groups = (times > 0).sum(axis=1), (sizes > 0).sum(axis=1)
    # with cases of one class only, the correlation within clusters is unknown: count each cluster
    # once
    alike = (observed == 0) | (observed == 1)
    share = np.where(alike, 1.0, observed * (1 - observed))
    spread = (np.where(alike[:, None], sizes, off) ** 2).sum(axis=1)
    number = share * sizes.sum(axis=1) ** 2 / np.maximum(spread, 1e-12)
    tail = (1 - confidence_level) / 2
    t_ratio = stats.t.isf(tail, np.maximum(groups - 1, 1)) / stats.t.isf(
        tail, np.maximum(different - 1, 1)
    )
    return np.where(groups > 1, np.minimum(number, different) / t_ratio**2, 1.0)


_BAND_DRAWS = 1999
_CELLS = 4_000_000  # draws times cases that are held at once


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskBands:
    """Confidence bands for the risk difference of every pair, as a function of theta.

    Attributes
    ----------
    thetas : array
        Weight of a false positive; a false negative weighs 1 - theta.
    risks : DataFrame, theta x algorithm
        Risk per case.
    bands : dict of (first, second) to DataFrame
        difference (first minus second), low, high, by theta. The algorithm with the lower average
        risk is first, or any with the control second.
    confidence_level : float
        Pointwise coverage.
    unit : {"case", "cluster"}
        The sampling unit of the bootstrap.
    draws : int
        Number of bootstrap samples.
    """

    thetas: np.ndarray
    risks: pd.DataFrame
    bands: dict[tuple[str, str], pd.DataFrame]
    confidence_level: float
    unit: str
    draws: int

    def away(self) -> pd.DataFrame:
        """Return the ranges of theta in which each band excludes 0, as text ("" if nowhere), one row per pair.

        Columns: first, second, less by first, less by second (where that algorithm has less risk).
        """
        rows = []
        for (first, second), band in self.bands.items():
            low, high = band["low"].to_numpy(), band["high"].to_numpy()
            rows.append(
                (
                    first,
                    second,
                    theta_ranges(self.thetas, high < 0),
                    theta_ranges(self.thetas, low > 0),
                )
            )
        return pd.DataFrame(rows, columns=["first", "second", "less by first", "less by second"])

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair and theta; columns pair ("a - b"), theta, difference, low, high."""
        named = {f"{a} - {b}": band for (a, b), band in self.bands.items()}
        return pd.concat(named, names=["pair", "theta"]).reset_index()


def _case_weights(
    cluster: np.ndarray | None, n: int, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return bootstrap weights, draw x instance; clusters are resampled as a whole.

    Examples
    --------
    >>> _case_weights(None, 4, 2, np.random.default_rng(0)).sum(axis=1).tolist()
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
    confidence_level: float = 0.95,
    draws: int = _BAND_DRAWS,
    rng: Rng = 0,
    control: str = "",
) -> RiskBands:
    r"""Return bootstrap confidence bands of the risk difference of each pair of models, by theta.

    With a `control`, only the differences from it are returned, the control second. `scale` is one
    of `SCALES`. Raises DesignError unless two or more models have scores of two classes,
    SettingError for another scale, `thetas` outside [0, 1] or a `confidence_level` outside (0, 1).

    Notes
    -----
    The band is pointwise: bootstrap percentile intervals cover the difference with the given level at
    each theta, not at all thetas simultaneously. Cases are resampled, clusters as a whole. With several
    runs, risk is the mean over them; runs are not resampled.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13; Aslan's thesis 2009,
    section 7.1.

    Examples
    --------
    >>> from stats_core.data.predictions import case_table
    >>> from stats_core.io.read import read_results
    >>> text = "algorithm,instance,true,score\n" + "".join(
    ...     f"{m},{i},{i % 2},{(0.8 if i % 2 else 0.3) if m == 'a' else 0.4 + i % 3 / 10:.1f}\n"
    ...     for m in "ab" for i in range(60))
    >>> found = risk_bands(case_table(read_results(("d.csv", text.encode())), "d"), draws=99)
    >>> found.away()["less by first"].tolist()
    ['0.35 to 0.80']
    """
    check_probability(confidence_level, "confidence_level")
    if table.score is None or table.positive is None or len(table.names) < 2:
        raise DesignError.of("Risks along thresholds need the scores of two algorithms")
    theta_values = np.asarray(check_thresholds(thetas), dtype=float)
    risks, drawn = _bootstrapped_risks(table, theta_values, scale, draws, rng)
    ends = {}
    models = np.argsort(risks.mean(axis=0), kind="stable").tolist()  # the lower average risk first
    pairs = [*combinations(models, 2)]
    if control in table.names:
        last = table.names.index(control)
        pairs = [(i, last) for i in models if i != last]
    for i, j in pairs:
        low, high = np.quantile(
            drawn[i] - drawn[j], [(1 - confidence_level) / 2, (1 + confidence_level) / 2], axis=0
        )
        ends[table.names[i], table.names[j]] = pd.DataFrame(
            {"difference": risks[:, i] - risks[:, j], "low": low, "high": high}, index=theta_values
        )
    return RiskBands(
        thetas=theta_values,
        risks=pd.DataFrame(risks, index=theta_values, columns=list(table.names)),
        bands=ends,
        confidence_level=confidence_level,
        unit="case" if table.cluster is None else "cluster",
        draws=draws,
    )


def _costs(table: CaseTable, model: int, thetas: np.ndarray, scale: str) -> np.ndarray:
    """Return the cost of each instance at each theta, theta x instance, averaged over runs."""
    assert table.score is not None  # checked by the caller
    score = table.score[:, :, model]
    cuts = raw_thresholds(score, thetas, scale)
    called = score[None] >= cuts[:, None, None]  # theta x training x case
    positive = table.truth
    return (
        np.where(positive, (1 - thetas)[:, None, None] * ~called, thetas[:, None, None] * called)
    ).mean(axis=1)


@cached
def _bootstrapped_risks(
    table: CaseTable, thetas: np.ndarray, scale: str, draws: int, rng: Rng
) -> tuple[np.ndarray, np.ndarray]:
    """Return the risks, theta x algorithm, and the bootstrapped risks, algorithm x draw x theta."""
    costs = np.stack([_costs(table, model, thetas, scale) for model in range(len(table.names))])
    rng, n = np.random.default_rng(rng), costs.shape[2]
    step = max(1, _CELLS // n)
    flat = costs.reshape(-1, n).T.astype(np.float32)
    parts = []
    for first in range(0, draws, step):
        weights = _case_weights(table.cluster, n, min(step, draws - first), rng)
        parts.append(weights @ flat / weights.sum(axis=1, keepdims=True))
    drawn = np.concatenate(parts).reshape(draws, *costs.shape[:2]).transpose(1, 0, 2)
    return costs.mean(axis=2).T, drawn


# default targets with usual amounts
USUAL = {"cost": 1.0, "recall": 0.8, "precision": 0.8, "alerts": 0.1}
_THRESHOLD_DRAWS = 999
_PARTS = 10
_MOST_CELLS = 4_000_000  # draws times instances of one batch


@dataclass(frozen=True, slots=True, eq=False)
class _Sorted:
    """Scores of one model; by decreasing score, the order of instances, their labels, and the last of each score."""

    score: np.ndarray
    order: np.ndarray
    positive: np.ndarray  # in that order
    last: np.ndarray  # last instance of each run of equal scores


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Thresholds, and the true and the predicted positives at each, for each row of weights."""

    cuts: np.ndarray
    tp: np.ndarray
    called: np.ndarray


def best_thresholds(
    table: CaseTable,
    wishes: Iterable[tuple[str, float]] = tuple(USUAL.items()),
    *,
    confidence_level: float = 0.95,
    draws: int = _THRESHOLD_DRAWS,
    rng: Rng = 0,
) -> pd.DataFrame:
    r"""Return the best threshold of each model for each target, with intervals.

    `wishes` are the targets: "cost" with a ratio of costs, or "recall", "precision" or "alerts"
    with a share in (0, 1]. One row per target and model: wish, amount (the target), algorithm,
    threshold, low, high (its interval), recall, precision, alerts and cost at the threshold, and
    their cross-validated values ("new ..."). Values are NaN if no threshold reaches the target. Of
    several runs only the first is used. Raises DesignError without scores or without
    instances of both classes, SettingError for an invalid target or a `confidence_level` outside
    (0, 1).

    Notes
    -----
    For a ratio of costs, the threshold of least risk, infinite if predicting no positives costs least; for a recall,
    the highest threshold that reaches it; for a precision, the lowest that reaches it, which predicts most positives;
    for a share of alerts, the lowest that does not exceed it. Intervals are bootstrap percentiles over cases, or over
    clusters as a whole; samples without such a threshold are omitted. Cost is risk per case with weights that sum to
    1 (1/2 each unless the target is a cost). Values on the cases a threshold was chosen on are optimistic; check it
    on new cases.

    Examples
    --------
    >>> from stats_core.data.predictions import case_table
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
    check_probability(confidence_level, "confidence_level")
    if table.score is None or table.positive is None or table.truth.all() or not table.truth.any():
        raise DesignError.of("A best threshold needs scores and both classes")
    blocks = []
    for name, score, (cuts, outside, drawn) in zip(
        table.names, table.score[0].T, _chosen_cuts(table, targets, draws, rng), strict=True
    ):
        for position, (wish, amount) in enumerate(targets):
            theta, cut = threshold_for_costs(amount) if wish == "cost" else 0.5, cuts[position]
            low, high = (
                _threshold_interval(drawn[:, position], confidence_level)
                if not np.isnan(cut)
                else (np.nan, np.nan)
            )
            same_values = _predicted_values(table.truth, score, np.full(len(score), cut), theta)
            new_values = _predicted_values(table.truth, score, outside[:, position], theta)
            blocks.append(
                (position, [wish, amount, name, cut, low, high, *same_values, *new_values])
            )
    value_names = ["recall", "precision", "alerts", "cost"]
    columns = ["wish", "amount", "algorithm", "threshold", "low", "high", *value_names]
    columns += [f"new {column_name}" for column_name in value_names]
    rows = [row for _, row in sorted(blocks, key=lambda block: block[0])]
    return pd.DataFrame(rows, columns=columns)


@cached
def _chosen_cuts(
    table: CaseTable, targets: Sequence[tuple[str, float]], draws: int, rng: Rng
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return each model's thresholds: of each target, chosen without the fold of each instance, and bootstrapped."""
    assert table.score is not None  # checked by the caller
    n, rng = len(table.cases), np.random.default_rng(rng)
    models = [_sorted(score, table.truth) for score in table.score[0].T]
    drawn_cuts: list[list[np.ndarray]] = [[] for _ in models]
    batch = max(1, _MOST_CELLS // n)
    for start in range(0, draws, batch):
        weights = _case_weights(table.cluster, n, min(batch, draws - start), rng)
        for position, model in enumerate(models):
            drawn_cuts[position].append(_choices(model, weights, targets))
    part = _fold_numbers(table, rng)
    others = np.stack([part != k for k in range(part.max() + 1)]).astype(np.float32)
    every = np.ones((1, n), dtype=np.float32)
    return [
        (
            _choices(model, every, targets)[0],
            _choices(model, others, targets)[part],
            np.concatenate(drawn),
        )
        for model, drawn in zip(models, drawn_cuts, strict=True)
    ]


def check_wish(wish: str, amount: float) -> None:
    """Raise SettingError for an unknown target of a threshold or an amount out of range."""
    check_one_of(wish, USUAL, "wish")
    if not (amount > 0 and (wish == "cost" or amount <= 1) and np.isfinite(amount)):
        raise SettingError.of(
            "The wish is out of range",
            wish=wish,
            limit="" if wish == "cost" else " and at most 1",
            amount=amount,
            usual=USUAL[wish],
        )


def _sorted(score: np.ndarray, truth: np.ndarray) -> _Sorted:
    order = np.argsort(-score, kind="stable")
    last = np.flatnonzero(np.append(np.diff(score[order]) != 0, True))
    return _Sorted(score, order, truth[order], last)


def _threshold_interval(drawn: np.ndarray, confidence_level: float) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a threshold, NaN if no sample has one."""
    finite = drawn[~np.isnan(drawn)]
    if not len(finite):
        return np.nan, np.nan
    low, high = np.quantile(
        finite, [(1 - confidence_level) / 2, (1 + confidence_level) / 2], method="nearest"
    )
    return float(low), float(high)


def _fold_numbers(table: CaseTable, rng: np.random.Generator) -> np.ndarray:
    """Return the cross-validation fold of each instance; folds are stratified by class, or keep clusters whole."""
    if table.cluster is not None:
        groups = table.n_clusters
        return (rng.permutation(groups) % min(_PARTS, groups))[table.cluster]
    part = np.empty(len(table.cases), dtype=int)
    for positive in (True, False):
        own = np.flatnonzero(table.truth == positive)
        part[rng.permutation(own)] = np.arange(len(own)) % _PARTS
    return np.unique(part, return_inverse=True)[1]


def _choices(
    model: _Sorted, weights: np.ndarray, targets: Sequence[tuple[str, float]]
) -> np.ndarray:
    """Return the best threshold for each row of weights and each target, NaN if none qualifies."""
    weights = weights[:, model.order]
    tp = np.cumsum(weights * model.positive, axis=1)[:, model.last]
    called = np.cumsum(weights, axis=1)[:, model.last]
    counts = _Counts(model.score[model.order[model.last]], tp, called)
    return np.stack([_choice(counts, wish, amount) for wish, amount in targets], axis=1)


def _choice(counts: _Counts, wish: str, amount: float) -> np.ndarray:
    """Return the best threshold of each row for one target, NaN if none; inf if predicting no positives costs least."""
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


def _predicted_values(
    truth: np.ndarray, score: np.ndarray, cut: np.ndarray, theta: float
) -> list[float]:
    """Return recall, precision (NaN if nothing is predicted positive), alerts and cost; all NaN if a cut is NaN."""
    if np.isnan(cut).any():
        return [np.nan] * 4
    called = score >= cut
    tp, fp = int((truth & called).sum()), int((~truth & called).sum())
    precision = tp / (tp + fp) if tp + fp else np.nan
    risk = (theta * fp + (1 - theta) * (truth.sum() - tp)) / len(truth)
    return [tp / truth.sum(), precision, (tp + fp) / len(truth), float(risk)]
