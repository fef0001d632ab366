"""Tests of risks over data sets, at all thresholds and for all pairs at once."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from stats_core.core.errors import DataError, DesignError, FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.result_types import labeled_matrix
from stats_core.core.validation import check_probability
from stats_core.curves.curve_comparison import DataCurves, curves_of_folds
from stats_core.curves.threshold_sweep import THETAS, Sweep, sweep
from stats_core.data.measures import COUNTS
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share
from stats_core.inference.multiplicity.win_counts import Wins, wins_from
from stats_core.inference.resolve_settings import apply_selection

EXACT = 13  # data sets up to which all sign flips are used
DRAWN = 10_000  # sign flips drawn otherwise
_CHUNK = 2_000  # sign flips of one batch, to bound memory
_ROUNDING = 1e-9  # statistics that differ by less are equal
_SAME = 1e-12  # risks that differ by less are equal


def risks_over_sets(sweeps: Mapping[str, Sweep]) -> pd.DataFrame:
    """At which thresholds do two algorithms differ in risk over data sets?

    Notes
    -----
    The statistic is that of Wilcoxon's signed ranks, standardised. If two algorithms are alike, the
    differences of a data set, at all thresholds together, are as likely with all signs turned. So
    signs are turned data set by data set, the same way for every pair and threshold: all ways up to
    13 data sets, 10,000 drawn at random (seed 0) beyond. Adjusted p-values compare each statistic
    with the largest of it and all smaller ones (step-down). Risks at neighbouring thresholds are
    nearly the same, which the largest statistic takes into account and Bonferroni's factor does not;
    the chance of any false difference is bounded by alpha all the same.

    References
    ----------
    Westfall and Young 1993.

    Examples
    --------
    Of one and the same counts nothing differs.

    >>> from stats_core.curves.threshold_sweep import sweep
    >>> same = sweep(np.ones((21, 2, 10, 4)), ["a", "b"])
    >>> risks_over_sets({"one": same, "two": same})["p adjusted"].unique().tolist()
    [1.0]
    """
    if len(sweeps) < 2:
        raise DesignError(
            f"Risks are tested over two data sets or more. There are {len(sweeps)}. Add data sets."
        )
    first = next(iter(sweeps.values()))
    names = list(first.names)
    risks = np.stack(
        [sweep_of_set.risks[names].to_numpy() for sweep_of_set in sweeps.values()]
    )  # set, theta, name
    pairs = list(combinations(range(len(names)), 2))
    differences = np.stack([risks[:, :, a] - risks[:, :, b] for a, b in pairs], axis=1)
    flat = differences.reshape(len(risks), -1)
    statistic, single, adjusted = signs_turned(flat)
    return pd.DataFrame(
        {
            "first": np.repeat([names[a] for a, _ in pairs], len(first.thetas)),
            "second": np.repeat([names[b] for _, b in pairs], len(first.thetas)),
            "theta": np.tile(first.thetas, len(pairs)),
            "estimate": np.median(flat, axis=0),
            "statistic": statistic,
            "p": single,
            "p adjusted": adjusted,
        }
    )


def least_of_sets(n: int) -> float:
    """Return the smallest p-value that differences over n data sets can reach.

    Examples
    --------
    >>> least_of_sets(3), least_of_sets(6)
    (0.25, 0.03125)
    """
    return 2.0 ** (1 - n) if n else 1.0


def signs_turned(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return statistics and p-values of the sign-flip test of many differences.

    Examples
    --------
    Two hypotheses that are one and the same cost nothing; with six data sets p is 2 of 64 ways.

    >>> column = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> [p.round(5).tolist() for p in signs_turned(np.hstack([column, 2 * column]))[1:]]
    [[0.03125, 0.03125], [0.03125, 0.03125]]
    """
    size = np.abs(np.where(np.abs(differences) < 1e-12, 0.0, differences))
    ranks = np.where(
        size > 0, rankdata(np.where(size > 0, size, np.nan), axis=0, nan_policy="omit"), 0
    )
    lengths = np.sqrt((ranks**2).sum(axis=0))
    scaled = np.sign(differences) * ranks / np.where(lengths > 0, lengths, 1.0)
    statistic = scaled.sum(axis=0)
    observed = np.abs(statistic) - _ROUNDING
    order = np.argsort(-observed, kind="stable")
    single, largest = np.zeros(len(observed)), np.zeros(len(observed))
    n_flips = 0
    for signs in _ways(len(differences)):
        flipped = np.abs(signs @ scaled)
        single += (flipped >= observed).sum(axis=0)
        # maximum over each statistic and all smaller ones
        after = np.maximum.accumulate(flipped[:, order[::-1]], axis=1)[:, ::-1]
        largest += (after >= observed[order]).sum(axis=0)
        n_flips += len(signs)
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(largest) / n_flips
    return statistic, single / n_flips, adjusted


def _ways(n: int) -> Iterator[np.ndarray]:
    """Yield sign flips of n data sets in chunks, the unflipped signs first."""
    if n <= EXACT:  # one of two opposite flips, which have the same statistic
        codes = np.arange(2 ** (n - 1))
        for start in range(0, len(codes), _CHUNK):
            bits = codes[start : start + _CHUNK, None] >> np.arange(n) & 1
            yield 1.0 - 2.0 * bits
        return
    draws = np.random.default_rng(0)
    yield np.ones((1, n))
    for start in range(1, DRAWN, _CHUNK):
        yield 1.0 - 2.0 * draws.integers(0, 2, (min(_CHUNK, DRAWN - start), n))


def sweep_curves(
    data: DataCurves, names: Sequence[str], *, scale: str = "logistic", **options: Any
) -> Sweep:
    """Who wins at which threshold on one data set, given its curves?"""
    if missing := [name for name in names if name not in data.names]:
        raise DesignError(
            f"A sweep needs the curves of every algorithm. On {data.dataset}, {join_names(missing)} "
            "failed on some fold. Leave that out."
        )
    positions = [data.names.index(name) for name in names]
    return sweep(data.counts(THETAS, scale)[:, positions], names, **options)


def sweep_each(
    results: Results, settings: Settings, *, scale: str = "logistic"
) -> tuple[dict[str, Sweep], dict[str, str]]:
    """Who wins at which threshold, data set by data set?

    References
    ----------
    Aslan's thesis 2009, section 7.1.

    Examples
    --------
    See the page Curves, Thresholds and losses.
    """
    selected, settings = apply_selection(results, settings)
    sweeps, skipped = {}, {}
    for dataset in selected.datasets:
        try:
            sweeps[dataset] = sweep_curves(
                curves_of_folds(selected, dataset),
                selected.algorithms,
                scale=scale,
                measures=settings.measures or COUNTS,
                alpha=settings.alpha,
                rule=settings.win,
                test_fraction=corrected_share(selected, dataset, settings),
            )
        except FoldwiseError as error:
            skipped[dataset] = str(error)
    return sweeps, skipped


def over_data_sets(sweeps: Mapping[str, Sweep], *, alpha: float = 0.05) -> Wins:
    """Which algorithm wins the sweep over thresholds on more data sets than another?

    Notes
    -----
    On a data set i beats l if the right-tailed sign test over thresholds rejects (`Sweep.tally`);
    there it is a rule that counts a win, not a test, since neighbouring thresholds are not
    independent. Data sets are: the two-tailed sign test over them is a test, with data sets that
    neither wins split evenly, an odd one dropped.

    References
    ----------
    Aslan's thesis 2009, section 7.1, Tables 7.4, 7.5, 7.9 and 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from stats_core.curves.threshold_sweep import sweep
    >>> same = sweep(np.ones((21, 2, 10, 4)), ["a", "b"])
    >>> over_data_sets({"one": same, "two": same}).smallest
    0.5
    """
    check_probability(alpha, "alpha")
    names = _check_sweeps(sweeps)
    beaten = {
        str(dataset): _beats(sweep_of_set, names, alpha) for dataset, sweep_of_set in sweeps.items()
    }
    first = next(iter(sweeps.values()))
    return wins_from(
        beaten,
        names,
        measures=first.measures,
        alpha=alpha,
        correction="bonferroni",
        win="the sweep over thresholds",
        rule=f"more of {format_count(len(first.thetas), 'threshold')} won, "
        + ("each by the lower risk where vectors differ, " if first.rule == "thesis" else "")
        + "by a right-tailed sign test",
    )


def _beats(sweep_of_set: Sweep, names: Sequence[str], alpha: float) -> np.ndarray:
    """Return whether the row algorithm wins the sweep over the column algorithm."""
    beats = np.zeros((len(names), len(names)), dtype=bool)
    beats[~np.eye(len(names), dtype=bool)] = sweep_of_set.tally(alpha)["beats"]
    return labeled_matrix(beats, sweep_of_set.names).loc[list(names), list(names)].to_numpy()


def _check_sweeps(sweeps: Mapping[str, Sweep]) -> Sequence[str]:
    """Return the algorithms; refuse sweeps of other algorithms or by other rules."""
    if not sweeps:
        raise DesignError("A test over data sets needs sweeps. There is none. Sweep one data set.")
    first, *others = sweeps.values()
    for other in others:
        if set(other.names) != set(first.names):
            raise DataError(
                [
                    "Sweeps must compare the same algorithms. They compare "
                    f"{join_names(first.names)}, and {join_names(other.names)}. Select what all share."
                ]
            )
        same = (first.thetas, first.measures, first.alpha, first.rule)
        if (other.thetas, other.measures, other.alpha, other.rule) != same:
            raise DataError(
                [
                    "Sweeps must share thresholds, measures, alpha and rule. They do not. "
                    "Sweep all data sets in the same way."
                ]
            )
    return first.names
