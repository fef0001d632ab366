"""Trained models on one test set: calibration, risk differences, best thresholds."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isinf, nan
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
    tables = {}
    for model, name in enumerate(table.names):
        predicted = table.score[:, :, model].ravel()
        tables[name] = _bins(table, predicted, bins, confidence_level)
    return tables


def _bins(
    table: CaseTable, predicted: np.ndarray, bins: int, confidence_level: float
) -> pd.DataFrame:
    """Return the calibration bins of one model; `predicted` is run x instance, flattened."""
    n = len(predicted)
    n_cases = len(table.cases)
    last_of_bin = [math.ceil(n * number / bins) - 1 for number in range(1, bins)]
    edges = np.sort(predicted)[last_of_bin]
    _, bin_numbers = np.unique(np.searchsorted(edges, predicted, side="left"), return_inverse=True)
    # how often each bin, row by row, holds each case
    case = np.tile(np.arange(n_cases), n // n_cases)
    times = np.bincount(bin_numbers * n_cases + case)
    times = np.pad(times, (0, -len(times) % n_cases)).reshape(-1, n_cases)
    count = times.sum(axis=1)
    observed = times @ table.truth / count
    effective = _effective(times, observed, table, confidence_level)
    hits = observed * effective
    tail = (1 - confidence_level) / 2
    low = np.where(hits > 0, stats.beta.ppf(tail, hits, effective - hits + 1), 0.0)
    high = np.where(observed < 1, stats.beta.ppf(1 - tail, hits + 1, effective - hits), 1.0)
    columns = {
        "said": np.bincount(bin_numbers, weights=predicted) / count,
        "found": observed,
        "low": low,
        "high": high,
        "cases": (times > 0).sum(axis=1),
    }
    return pd.DataFrame(columns)


def _effective(
    times: np.ndarray, observed: np.ndarray, table: CaseTable, confidence_level: float
) -> np.ndarray:
    """Return the effective number of instances in each bin (Korn and Graubard 1998)."""
    sizes = times.astype(float)
    deviations = times * (table.truth - observed[:, None])
    if table.cluster is not None:
        sizes = _cluster_sums(sizes, table.cluster)
        deviations = _cluster_sums(deviations, table.cluster)
    n_cases = (times > 0).sum(axis=1)
    n_groups = (sizes > 0).sum(axis=1)
    # with cases of one class only, the correlation within clusters is unknown: count each cluster
    # once
    is_pure = (observed == 0) | (observed == 1)
    variance = np.where(is_pure, 1.0, observed * (1 - observed))
    squares = (np.where(is_pure[:, None], sizes, deviations) ** 2).sum(axis=1)
    effective = variance * sizes.sum(axis=1) ** 2 / np.maximum(squares, 1e-12)
    tail = (1 - confidence_level) / 2
    t_of_groups = stats.t.isf(tail, np.maximum(n_groups - 1, 1))
    t_of_cases = stats.t.isf(tail, np.maximum(n_cases - 1, 1))
    t_ratio = t_of_groups / t_of_cases
    return np.where(n_groups > 1, np.minimum(effective, n_cases) / t_ratio**2, 1.0)


def _cluster_sums(rows: np.ndarray, cluster: np.ndarray) -> np.ndarray:
    """Return the sums of each row over clusters."""
    return np.stack([np.bincount(cluster, weights=row) for row in rows])


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
            less_by_first = theta_ranges(self.thetas, band["high"].to_numpy() < 0)
            less_by_second = theta_ranges(self.thetas, band["low"].to_numpy() > 0)
            rows.append((first, second, less_by_first, less_by_second))
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
    n_groups = n if cluster is None else int(cluster.max()) + 1
    first_cell = n_groups * np.arange(draws)[:, None]
    picked = rng.integers(0, n_groups, size=(draws, n_groups)) + first_cell
    times = np.bincount(picked.ravel(), minlength=draws * n_groups)  # faster than multinomial
    weights = times.reshape(draws, n_groups).astype(np.float32)
    return weights if cluster is None else weights[:, cluster]


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
    risks, bootstrapped = _bootstrapped_risks(table, theta_values, scale, draws, rng)
    models = np.argsort(risks.mean(axis=0), kind="stable").tolist()  # the lower average risk first
    pairs = [*combinations(models, 2)]
    if control in table.names:
        last = table.names.index(control)
        pairs = [(i, last) for i in models if i != last]
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    bands = {}
    for i, j in pairs:
        low, high = np.quantile(bootstrapped[i] - bootstrapped[j], tails, axis=0)
        columns = {"difference": risks[:, i] - risks[:, j], "low": low, "high": high}
        bands[table.names[i], table.names[j]] = pd.DataFrame(columns, index=theta_values)
    return RiskBands(
        thetas=theta_values,
        risks=pd.DataFrame(risks, index=theta_values, columns=list(table.names)),
        bands=bands,
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
    false_positive_cost = thetas[:, None, None]
    false_negative_cost = (1 - thetas)[:, None, None]
    cost_if_positive = false_negative_cost * ~called
    cost_if_negative = false_positive_cost * called
    return np.where(table.truth, cost_if_positive, cost_if_negative).mean(axis=1)


@cached
def _bootstrapped_risks(
    table: CaseTable, thetas: np.ndarray, scale: str, draws: int, rng: Rng
) -> tuple[np.ndarray, np.ndarray]:
    """Return the risks, theta x algorithm, and the bootstrapped risks, algorithm x draw x theta."""
    costs = np.stack([_costs(table, model, thetas, scale) for model in range(len(table.names))])
    n_models, n_thetas, n_cases = costs.shape
    costs_of_case = costs.reshape(-1, n_cases).T.astype(np.float32)
    generator = np.random.default_rng(rng)
    step = max(1, _CELLS // n_cases)
    parts = []
    for first in range(0, draws, step):
        n_draws = min(step, draws - first)
        weights = _case_weights(table.cluster, n_cases, n_draws, generator)
        parts.append(weights @ costs_of_case / weights.sum(axis=1, keepdims=True))
    bootstrapped = np.concatenate(parts).reshape(draws, n_models, n_thetas)
    return costs.mean(axis=2).T, bootstrapped.transpose(1, 0, 2)


@dataclass(frozen=True, slots=True, eq=False)
class _Cuts:
    """Thresholds of one model for each target.

    `best` is chosen on all instances, `outside` without the fold of each instance (instance x
    target), `bootstrapped` on bootstrap samples (draw x target).
    """

    best: np.ndarray
    outside: np.ndarray
    bootstrapped: np.ndarray


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
    cuts_of_models = _chosen_cuts(table, targets, draws, rng)
    rows = []
    for position, (wish, amount) in enumerate(targets):
        theta = threshold_for_costs(amount) if wish == "cost" else 0.5
        for name, score, cuts in zip(table.names, table.score[0].T, cuts_of_models, strict=True):
            cut = cuts.best[position]
            low = high = nan
            if not np.isnan(cut):
                low, high = _threshold_interval(cuts.bootstrapped[:, position], confidence_level)
            same_cut = np.full(len(score), cut)
            values = _predicted_values(table.truth, score, same_cut, theta)
            new_values = _predicted_values(table.truth, score, cuts.outside[:, position], theta)
            rows.append([wish, amount, name, cut, low, high, *values, *new_values])
    value_names = ["recall", "precision", "alerts", "cost"]
    columns = ["wish", "amount", "algorithm", "threshold", "low", "high", *value_names]
    columns += [f"new {column_name}" for column_name in value_names]
    return pd.DataFrame(rows, columns=columns)


@cached
def _chosen_cuts(
    table: CaseTable, targets: Sequence[tuple[str, float]], draws: int, rng: Rng
) -> list[_Cuts]:
    """Return the thresholds of each model."""
    assert table.score is not None  # checked by the caller
    n = len(table.cases)
    generator = np.random.default_rng(rng)
    models = [_sorted(score, table.truth) for score in table.score[0].T]
    bootstrapped: list[list[np.ndarray]] = [[] for _ in models]
    batch = max(1, _MOST_CELLS // n)
    for start in range(0, draws, batch):
        weights = _case_weights(table.cluster, n, min(batch, draws - start), generator)
        for position, model in enumerate(models):
            bootstrapped[position].append(_choices(model, weights, targets))
    fold = _fold_numbers(table, generator)
    outside_fold = [fold != k for k in range(fold.max() + 1)]
    weights_outside = np.stack(outside_fold).astype(np.float32)
    equal_weights = np.ones((1, n), dtype=np.float32)
    cuts = []
    for model, parts in zip(models, bootstrapped, strict=True):
        best = _choices(model, equal_weights, targets)[0]
        outside = _choices(model, weights_outside, targets)[fold]
        cuts.append(_Cuts(best, outside, np.concatenate(parts)))
    return cuts


def check_wish(wish: str, amount: float) -> None:
    """Raise SettingError for an unknown target of a threshold or an amount out of range."""
    check_one_of(wish, USUAL, "wish")
    is_share = wish != "cost"
    if not (0 < amount < np.inf) or (is_share and amount > 1):
        raise SettingError.of(
            "The wish is out of range",
            wish=wish,
            limit=" and at most 1" if is_share else "",
            amount=amount,
            usual=USUAL[wish],
        )


def _sorted(score: np.ndarray, truth: np.ndarray) -> _Sorted:
    order = np.argsort(-score, kind="stable")
    is_last = np.append(np.diff(score[order]) != 0, True)
    return _Sorted(score, order, truth[order], np.flatnonzero(is_last))


def _threshold_interval(drawn: np.ndarray, confidence_level: float) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a threshold, NaN if no sample has one."""
    finite = drawn[~np.isnan(drawn)]
    if not len(finite):
        return np.nan, np.nan
    tails = [(1 - confidence_level) / 2, (1 + confidence_level) / 2]
    low, high = np.quantile(finite, tails, method="nearest")
    return float(low), float(high)


def _fold_numbers(table: CaseTable, rng: np.random.Generator) -> np.ndarray:
    """Return the cross-validation fold of each instance; folds are stratified by class, or keep clusters whole."""
    if table.cluster is not None:
        n_clusters = table.n_clusters
        fold_of_cluster = rng.permutation(n_clusters) % min(_PARTS, n_clusters)
        return fold_of_cluster[table.cluster]
    fold = np.empty(len(table.cases), dtype=int)
    for positive in (True, False):
        own = np.flatnonzero(table.truth == positive)
        fold[rng.permutation(own)] = np.arange(len(own)) % _PARTS
    _, consecutive = np.unique(fold, return_inverse=True)
    return consecutive


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
    cuts = counts.cuts
    tp = counts.tp
    called = counts.called
    n_positive = tp[:, -1:]
    n = called[:, -1:]
    slack = 1e-6 * n
    if wish == "cost":
        theta = threshold_for_costs(amount)
        risk = theta * (called - tp) + (1 - theta) * (n_positive - tp)
        no_call_risk = (1 - theta) * n_positive[:, 0]
        is_none_better = no_call_risk < risk.min(axis=1) - 1e-9
        return np.where(is_none_better, np.inf, cuts[risk.argmin(axis=1)])
    if wish == "recall":
        reaches = tp >= amount * n_positive - slack
        position = reaches.argmax(axis=1)
    else:
        margin = tp - amount * called if wish == "precision" else amount * n - called
        reaches = (margin >= -slack) & (called > 0)
        last = reaches.shape[1] - 1
        position = last - reaches[:, ::-1].argmax(axis=1)
    return np.where(reaches.any(axis=1), cuts[position], np.nan)


def _predicted_values(
    truth: np.ndarray, score: np.ndarray, cut: np.ndarray, theta: float
) -> list[float]:
    """Return recall, precision (NaN if nothing is predicted positive), alerts and cost; all NaN if a cut is NaN."""
    if np.isnan(cut).any():
        return [np.nan] * 4
    n = len(truth)
    n_positive = truth.sum()
    called = score >= cut
    tp = int((truth & called).sum())
    fp = int((~truth & called).sum())
    n_called = tp + fp
    precision = tp / n_called if n_called > 0 else np.nan
    risk = (theta * fp + (1 - theta) * (n_positive - tp)) / n
    return [tp / n_positive, precision, n_called / n, float(risk)]
