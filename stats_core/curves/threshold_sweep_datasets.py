"""Sweeps over thresholds on many data sets: who wins the sweep on more of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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


def sweep_curves(
    data: DataCurves, names: Sequence[str], *, scale: str = "logistic", **options: Any
) -> Sweep:
    """Who wins at which threshold on one data set, given its curves?

    Parameters
    ----------
    data : DataCurves
    names : sequence of str
        Which algorithms to compare, two or more.
    scale : str
        How scores become probabilities, see `raw_thresholds`.
    **options
        As `sweep`: measures, alpha, rule, test_fraction.

    Returns
    -------
    Sweep

    Raises
    ------
    DesignError
        Some algorithm has no curves on this data set.
    """
    if lacking := [name for name in names if name not in data.names]:
        raise DesignError(
            f"A sweep needs the curves of every algorithm. On {data.dataset}, {join_names(lacking)} "
            "failed on some fold. Leave that out."
        )
    places = [data.names.index(name) for name in names]
    return sweep(data.counts(THETAS, scale)[:, places], names, **options)


def sweep_each(
    results: Results, settings: Settings, *, scale: str = "logistic"
) -> tuple[dict[str, Sweep], dict[str, str]]:
    """Who wins at which threshold, data set by data set?

    Parameters
    ----------
    results : Results
        With a score per instance.
    settings : Settings
        Only `measures` (tp, fp, tn and fn if there are none), `alpha`, `win`, `overlap`,
        `test_fraction` and what is left out count.
    scale : str
        How scores become probabilities, see `raw_thresholds`.

    Returns
    -------
    dict of str to Sweep
        By data set.
    dict of str to str
        Data sets that cannot be swept, with the reason.

    References
    ----------
    Aslan's thesis 2009, section 7.1.

    Examples
    --------
    See the page Curves, Thresholds and losses.
    """
    kept, settings = apply_selection(results, settings)
    sweeps, skipped = {}, {}
    for dataset in kept.datasets:
        try:
            sweeps[dataset] = sweep_curves(
                curves_of_folds(kept, dataset),
                kept.algorithms,
                scale=scale,
                measures=settings.measures or COUNTS,
                alpha=settings.alpha,
                rule=settings.win,
                test_fraction=corrected_share(kept, dataset, settings),
            )
        except FoldwiseError as error:
            skipped[dataset] = str(error)
    return sweeps, skipped


def over_data_sets(sweeps: Mapping[str, Sweep], *, alpha: float = 0.05) -> Wins:
    """Which algorithm wins the sweep over thresholds on more data sets than another?

    Parameters
    ----------
    sweeps : mapping of data set to Sweep
        Of the same algorithms, measures, thresholds and rule.
    alpha : float
        Level of the right-tailed sign test on each data set, and of the test over them.

    Returns
    -------
    Wins
        `measures` are those of the sweeps, the correction is Bonferroni's.

    Raises
    ------
    DataError, DesignError, SettingError
        No sweep at all; sweeps of different algorithms or made in different ways; `alpha` outside
        (0, 1).

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
    found = {str(dataset): _beats(one, names, alpha) for dataset, one in sweeps.items()}
    first = next(iter(sweeps.values()))
    return wins_from(
        found,
        names,
        measures=first.measures,
        alpha=alpha,
        correction="bonferroni",
        win="the sweep over thresholds",
        rule=f"more of {format_count(len(first.thetas), 'threshold')} won, "
        + ("each by the lower risk where vectors differ, " if first.rule == "thesis" else "")
        + "by a right-tailed sign test",
    )


def _beats(found: Sweep, names: Sequence[str], alpha: float) -> np.ndarray:
    """Return where the row algorithm wins the sweep over the column."""
    beats = np.zeros((len(names), len(names)), dtype=bool)
    beats[~np.eye(len(names), dtype=bool)] = found.tally(alpha)["beats"]
    return labeled_matrix(beats, found.names).loc[list(names), list(names)].to_numpy()


def _check_sweeps(sweeps: Mapping[str, Sweep]) -> Sequence[str]:
    """Return the algorithms, if all sweeps are of the same ones and made alike."""
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
