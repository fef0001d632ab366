"""Decision thresholds: the error costs for which each is optimal, and results at a threshold."""

from math import inf

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from stats_core.core.errors import DataError, DesignError, SettingError
from stats_core.core.messages import Message, message
from stats_core.core.validation import as_numbers, check_one_of
from stats_core.data import measures, predictions, row_checks
from stats_core.data.measures import COUNTS, DERIVED, MEASURES
from stats_core.data.predictions import FOLD
from stats_core.data.results import Results
from stats_core.data.row_checks import KEYS
from stats_core.data.settings import Analysed, selected_results
from stats_core.inference import inference_text


def loss_ratio(theta: float) -> float:
    """Return the cost of a false positive relative to a false negative for which `theta` is optimal; inf for 1.

    Raises SettingError for a `theta` outside [0, 1].

    References
    ----------
    Aslan's thesis 2009, equation 2.9.

    Examples
    --------
    >>> loss_ratio(0.5), loss_ratio(0.75), loss_ratio(1)
    (1.0, 3.0, inf)
    """
    theta = float(check_thresholds(theta))
    return inf if theta == 1 else theta / (1 - theta)


def risk(counts: ArrayLike, theta: ArrayLike) -> np.ndarray:
    """Return the total cost of errors, theta * fp + (1 - theta) * fn, of counts (..., 4) of tp, fp, tn, fn.

    Raises DataError for another shape, SettingError for a `theta` outside [0, 1].

    References
    ----------
    Aslan's thesis 2009, section 7.1.

    Examples
    --------
    >>> risk([[8, 1, 9, 2], [7, 3, 7, 3]], 0.5).tolist()
    [1.5, 3.0]
    """
    if isinstance(counts, pd.DataFrame):
        counts = counts[list(COUNTS)]
    values = np.asarray(counts, dtype=float)
    if not values.ndim or values.shape[-1] != len(COUNTS):
        raise DataError.of("counts must hold tp, fp, tn, fn last", shape=values.shape)
    weight = check_thresholds(theta)
    return weight * values[..., 1] + (1 - weight) * values[..., 3]


def iso_cost_slope(theta: float, positives: float, negatives: float) -> float:
    """Return the slope of iso-cost lines in ROC space, inf for a `theta` of 1.

    Raises SettingError for a `theta` outside [0, 1] or a class without instances.

    Notes
    -----
    theta = 0.5 gives the lines of equal error.

    References
    ----------
    Provost and Fawcett, Mach. Learn. 42 (2001) 203, section 3.

    Examples
    --------
    >>> iso_cost_slope(0.5, positives=20, negatives=80), iso_cost_slope(0.2, 20, 80)
    (4.0, 1.0)
    """
    if not (0 < positives < inf and 0 < negatives < inf):
        raise SettingError.of(
            "Lines of equal risk need instances of both classes",
            positives=positives,
            negatives=negatives,
        )
    return loss_ratio(theta) * negatives / positives


def check_thresholds(theta: ArrayLike) -> np.ndarray:
    """Return thresholds as a float array; raise SettingError if any lies outside [0, 1]."""
    values = as_numbers(theta, "theta")
    if not ((values >= 0) & (values <= 1)).all():
        raise SettingError.of("theta out of range", theta=theta)
    return values


USUAL = 0.5  # the threshold on probabilities unless another one is set
# codes of the statements of a threshold, set by the user or read with the file
SET_THRESHOLD = "threshold"
READ_THRESHOLD = "score counts as positive"
# how scores outside [0, 1] become probabilities before theta means a loss
SCALES = ("logistic", "between the extremes", "share of cases")


def raw_thresholds(scores: ArrayLike, thetas: ArrayLike, scale: str = "logistic") -> np.ndarray:
    """Return the thresholds on an algorithm's own scale of scores; `thetas` if all scores lie within [0, 1].

    On the scale "logistic" they are the log odds of `thetas`; "between the extremes" interpolates
    between the lowest and the highest score, and "share of cases" takes quantiles of the scores.
    Missing scores are ignored. Raises SettingError for other scales or `thetas` outside [0, 1].

    Examples
    --------
    >>> raw_thresholds([-2.0, 3.0], [0.5, 0.8]).round(3).tolist()
    [0.0, 1.386]
    >>> raw_thresholds([0.2, 0.9], [0.5, 0.8]).tolist()
    [0.5, 0.8]
    """
    check_one_of(scale, SCALES, "scale")
    scores = np.asarray(scores, dtype=float)
    thetas = check_thresholds(thetas)
    low = np.nanmin(scores)
    high = np.nanmax(scores)
    if low >= 0 and high <= 1:
        return thetas
    if scale == "logistic":
        with np.errstate(divide="ignore"):
            return np.log(thetas) - np.log1p(-thetas)
    if scale == "between the extremes":
        return np.clip(low * (1 - thetas) + high * thetas, low, high)  # exact at both ends
    return np.nanquantile(scores, thetas)


def needs_scores(results: Results) -> str:
    """Return why results have no curves, "" if they have."""
    cases = results.predictions
    if cases is None:
        return inference_text("reason.no_scores")
    if "score" not in cases:
        return inference_text("reason.labels_only")
    return inference_text("reason.no_positive_class") if "positive" not in cases else ""


def at_threshold(results: Results | Analysed, theta: float, scale: str = "logistic") -> Results:
    r"""Return the results recomputed with instances predicted positive if their score reaches `theta`.

    Parameters
    ----------
    results : Results
        With a score for each instance.
    theta : float
        Threshold in [0, 1]. If any score is outside [0, 1], it is converted by `raw_thresholds`.
    scale : str
        One of `SCALES`: the conversion of scores outside [0, 1].

    Returns
    -------
    Results
        With other counts and measures of counts; areas and losses do not change.

    Raises
    ------
    DesignError, SettingError
        The results have no scores of two classes; `theta` is outside [0, 1], or `scale` unknown.

    References
    ----------
    Aslan's thesis 2009, equations 2.9 to 2.12.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"algorithm,fold,true,score\na,1,1,0.6\na,1,0,0.3\na,2,1,0.9\na,2,0,0.7\n"
    >>> at_threshold(read_results(text), 0.8).frame["fn"].tolist()
    [1.0, 0.0]
    """
    results = selected_results(results)
    reason = needs_scores(results)
    if reason:
        raise DesignError.of(
            "A threshold needs a score for each instance", source=results.source, reason=reason
        )
    check_thresholds(theta)
    check_one_of(scale, SCALES, "scale")
    cases = results.predictions
    assert cases is not None  # or `needs_scores` has a reason
    score = cases["score"].to_numpy()
    positive = cases["positive"].to_numpy()
    called = score >= _thresholds_of_rows(cases, theta, scale)
    failed = np.isnan(score)
    group, keys = predictions.group_numbers(cases, FOLD)
    rows = keys.assign(**predictions.case_counts(group, positive, called))
    n_failed = np.bincount(group[failed], minlength=len(rows))
    rows.loc[n_failed > 0, list(COUNTS)] = np.nan
    correct = pd.array(positive == called, dtype="boolean")
    correct[failed] = pd.NA
    choice = message(
        SET_THRESHOLD,
        theta=float(theta),
        scale=scale,
        rescaled=not _are_fractions(score),
        formula=inference_text(f"scale.{scale}"),
    )
    return results.with_rows(
        _with_counts(results.frame, rows),
        directions=_directions(results),
        predictions=cases.assign(correct=correct),
        choices=(*_other_choices(results), choice),
        notes=tuple(note for note in results.notes if note.code != READ_THRESHOLD),
    )


def _are_fractions(score: np.ndarray) -> bool:
    """Return whether all scores lie in [0, 1], except missing ones."""
    is_outside = (score < 0) | (score > 1)
    return not is_outside.any()


def threshold_message(results: Results) -> Message | None:
    r"""Return the statement of the threshold in force: as set, else as read; None without one.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> text = b"algorithm,fold,true,score\na,1,1,0.6\na,1,0,0.3\na,2,1,0.9\na,2,0,0.7\n"
    >>> read = read_results(text)
    >>> str(threshold_message(read))
    'Instances with a score of at least 0.5 are predicted positive.'
    >>> str(threshold_message(at_threshold(read, 0.8)))
    'Instances with a score of at least 0.8 were predicted positive.'
    """
    for text in (*results.choices, *results.notes):
        if text.code in (SET_THRESHOLD, READ_THRESHOLD):
            return text
    return None


def threshold_used(results: Results) -> float:
    """Return the threshold in force on probabilities, 0.5 unless another one was set."""
    stated = threshold_message(results)
    if stated is None or stated.code != SET_THRESHOLD:
        return USUAL
    return float(stated["theta"])


def theta_ranges(thetas: np.ndarray, holds: np.ndarray) -> str:
    """Return the ranges of theta where a condition holds, as text; "" if nowhere.

    Examples
    --------
    >>> theta_ranges(np.array([0.1, 0.2, 0.3, 0.4]), np.array([True, True, False, True]))
    '0.10 to 0.20, 0.40'
    """
    padded = np.concatenate([[0], holds.astype(int), [0]])
    edges = np.flatnonzero(np.diff(padded))
    parts = []
    for start, end in zip(edges[::2], edges[1::2] - 1, strict=True):
        first = thetas[start]
        last = thetas[end]
        parts.append(f"{first:.2f}" if first == last else f"{first:.2f} to {last:.2f}")
    return ", ".join(parts)


def cost_sentence(theta: float) -> str:
    """Return a sentence on the ratio of error costs for which a threshold is optimal.

    Examples
    --------
    >>> cost_sentence(0.8)
    'θ = 0.8 minimises the expected cost if scores are calibrated probabilities and a false positive costs 4 times as much as a false negative.'
    """
    return inference_text("curve.cost", theta=theta, ratio=loss_ratio(theta))


def _other_choices(results: Results) -> list[Message]:
    """Return the recorded choices except that of the threshold."""
    return [choice for choice in results.choices if choice.code != SET_THRESHOLD]


def _thresholds_of_rows(cases: pd.DataFrame, theta: float, scale: str) -> np.ndarray:
    """Return the threshold of every row on the scale of its scores; a single one if all scores lie in [0, 1]."""
    score = cases["score"].to_numpy()
    if _are_fractions(score):
        return np.full(1, theta)
    block, names = predictions.group_numbers(cases, ["dataset", "algorithm"])
    order = np.argsort(block, kind="stable")
    ends = np.searchsorted(block[order], np.arange(len(names) + 1))
    thresholds = np.empty(len(names))
    for i in range(len(names)):
        own = score[order[ends[i] : ends[i + 1]]]
        thresholds[i] = theta if np.isnan(own).all() else raw_thresholds(own, [theta], scale)[0]
    return thresholds[block]


def _with_counts(frame: pd.DataFrame, counts: pd.DataFrame) -> pd.DataFrame:
    """Return result rows with these confusion counts, and with the measures derived from them."""
    keys = list(KEYS)
    counts = counts.astype(dict.fromkeys(keys, "str"))
    rows = frame.drop(columns=[name for name in COUNTS if name in frame])
    rows = rows.merge(counts, on=keys, how="left")
    is_complete = rows[list(COUNTS)].notna().all(axis=1)
    derived = measures.confusion_measures(rows.loc[is_complete, list(COUNTS)])
    for name in DERIVED:
        rows[name] = derived[name].reindex(rows.index)
    added = [name for name in rows if name not in frame]
    return row_checks.sort_rows(rows[[*frame.columns, *added]])


def _directions(results: Results) -> dict[str, str]:
    """Return the directions of all measures, including those derived from counts, in the order of `MEASURES`."""
    directions = {name: MEASURES[name].direction for name in DERIVED} | dict(results.directions)
    predefined = [name for name in MEASURES if name in directions]
    others = [name for name in directions if name not in MEASURES]
    return {name: directions[name] for name in (*predefined, *others)}
