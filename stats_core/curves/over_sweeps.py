"""Sweeps over thresholds on many data sets: who wins the sweep on more of them."""

from collections.abc import Mapping, Sequence

import numpy as np

from stats_core.core.checks import check_probability
from stats_core.core.errors import DataError, DesignError
from stats_core.core.outcomes import square
from stats_core.core.words import count, listed
from stats_core.curves.sweep import Sweep
from stats_core.inference.families.win_counts import Wins, wins_from


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
    >>> from stats_core.curves.sweep import sweep
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
        rule=f"more of {count(len(first.thetas), 'threshold')} won, "
        + ("each by the lower risk where vectors differ, " if first.rule == "thesis" else "")
        + "by a right-tailed sign test",
    )


def _beats(found: Sweep, names: Sequence[str], alpha: float) -> np.ndarray:
    """Return where the row algorithm wins the sweep over the column."""
    beats = np.zeros((len(names), len(names)), dtype=bool)
    beats[~np.eye(len(names), dtype=bool)] = found.tally(alpha)["beats"]
    return square(beats, found.names).loc[list(names), list(names)].to_numpy()


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
                    f"{listed(first.names)}, and {listed(other.names)}. Select what all share."
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
