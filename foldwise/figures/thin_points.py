"""Fewer points for the same picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import shapely

#: Share of the plot's side that a curve may move: less than half a pixel of 440.
TOLERANCE = 0.001


def thin_curves(curves: Sequence[pd.DataFrame], tolerance: float = TOLERANCE) -> list[pd.DataFrame]:
    """Return curves without the points that nobody could see.

    Parameters
    ----------
    curves : sequence of DataFrame
        Columns x and y within the unit square, and any others.
    tolerance : float
        How far the curve may lie from a point left out.

    Returns
    -------
    list of DataFrame
        Rows of the same curves, the first and last of each included (Douglas and Peucker's
        rule).

    Examples
    --------
    >>> line = pd.DataFrame({"x": [0, 0.2, 0.4, 1], "y": [0, 0.2, 0.4, 1]})
    >>> len(thin_curves([line])[0])
    2
    """
    sizes = [len(curve) for curve in curves]
    if not sizes:
        return []
    places = np.concatenate([np.arange(size) for size in sizes])
    points = np.column_stack([pd.concat([c[["x", "y"]] for c in curves]).to_numpy(float), places])
    lines = shapely.linestrings(points, indices=np.repeat(np.arange(len(sizes)), sizes))
    kept = shapely.simplify(lines, tolerance, preserve_topology=False)
    found, owner = shapely.get_coordinates(kept, include_z=True, return_index=True)
    return [
        curve.iloc[found[owner == i, 2].astype(int)].reset_index(drop=True)
        for i, curve in enumerate(curves)
    ]
