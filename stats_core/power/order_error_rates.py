"""Error rates of simulated algorithms: what is true in simulations of orders."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from stats_core.core.errors import SettingError

LAMBDAS = tuple(step / 200 for step in range(21))
FEWEST, MOST = 2, 6  # algorithms


def rates_of(slopes: Sequence[float], lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + slope times lambda, lambda x algorithm, named "1", "2", ...

    Examples
    --------
    >>> rates_of((1, 0), [0.2]).loc[0.2].round(2).tolist()
    [0.7, 0.5]
    """
    index = pd.Index([float(value) for value in lambdas], name="lambda")
    columns = [str(place) for place in range(1, len(slopes) + 1)]
    return pd.DataFrame(0.5 + np.outer(index, slopes), index=index, columns=columns)


def rates_up_to(slopes: Sequence[float], most: float, *, shift: float = 0.0) -> pd.DataFrame:
    """Return `rates_of` 21 lambdas from 0 to `most`, if all of them can be error rates.

    Parameters
    ----------
    slopes : sequence of float
        One per classifier, cheapest first.
    most : float
        The largest lambda.
    shift : float
        By how much data sets move all rates up or down.

    Raises
    ------
    SettingError
        Too few or too many classifiers, a slope that is not finite, a rate outside [0, 1].

    Examples
    --------
    >>> rates_up_to((2, 0, -2), 0.1).iloc[-1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    if not FEWEST <= len(slopes) <= MOST:
        raise SettingError(
            f"It takes {FEWEST} to {MOST} classifiers, one number each. Found {len(slopes)}."
        )
    if not np.isfinite(slopes).all():
        raise SettingError("Every number must be finite. Try 2, 0, -2.")
    rates = rates_of(slopes, [most * step / 20 for step in range(21)])
    least, largest = min(rates.min().min(), 0.5) - shift, max(rates.max().max(), 0.5) + shift
    if least < 0 or largest > 1:
        raise SettingError(
            f"Error rates must lie between 0 and 1. These reach from {least:.4g} to "
            f"{largest:.4g}. Take a smaller lambda, or smaller numbers."
        )
    return rates


def rates_of_three(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + 2 lambda, .5 and .5 - 2 lambda, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 4.

    Examples
    --------
    >>> rates_of_three([0.1]).loc[0.1].round(2).tolist()
    [0.7, 0.5, 0.3]
    """
    return rates_of((2, 0, -2), lambdas)


def rates_of_four(lambdas: Sequence[float] = LAMBDAS) -> pd.DataFrame:
    """Return error rates .5 + 3, 1, -1 and -3 lambda, lambda x algorithm.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, section 4.6 and Fig. 5.

    Examples
    --------
    >>> rates_of_four([0.1]).loc[0.1].round(2).tolist()
    [0.8, 0.6, 0.4, 0.2]
    """
    return rates_of((3, 1, -1, -3), lambdas)


def check_rates(rates: pd.DataFrame, offset: tuple[float, float] = (0.0, 0.0)) -> pd.DataFrame:
    """Return the rates as floats if every rate is one, with any offset, and lambdas increase."""
    table = pd.DataFrame(rates)
    names = [str(name) for name in table.columns]
    if not FEWEST <= len(names) <= MOST or len(set(names)) < len(names):
        raise SettingError(
            f"`rates` needs {FEWEST} to {MOST} algorithms (columns) with names of their own. "
            f"It has {len(names)}, {len(set(names))} different. Name each once, or leave some out."
        )
    lambdas = np.asarray(pd.to_numeric(table.index, errors="coerce"), dtype=float)
    if not len(lambdas) or not np.isfinite(lambdas).all() or (np.diff(lambdas) <= 0).any():
        raise SettingError(
            "`rates` needs at least one lambda (row), and lambdas that increase. "
            f"It has {len(lambdas)}. Sort them and keep each once."
        )
    low, high = offset
    if not -1 <= low <= high <= 1:
        raise SettingError(
            "`offset` must be two shares, the smaller first. "
            f"It is ({low}, {high}). Try (-0.05, 0.05)."
        )
    table = table.apply(pd.to_numeric, errors="coerce").astype(float)
    least, most = table.to_numpy().min() + low, table.to_numpy().max() + high
    if not (least >= 0 and most <= 1):
        raise SettingError(
            "Error rates must lie between 0 and 1. "
            f"With the offset they reach from {least:.4g} to {most:.4g}. "
            "Take smaller lambdas or offsets."
        )
    return table
