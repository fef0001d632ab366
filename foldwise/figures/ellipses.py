"""Ellipses of a covariance, as points to draw; a singular one is the segment it is."""

from __future__ import annotations

import numpy as np
import pandas as pd

_POINTS = 97


def ellipse(centre: np.ndarray, matrix: np.ndarray, radius: float = 1.0) -> np.ndarray:
    """Return points x with (x - centre)' matrix^-1 (x - centre) = radius^2, closed.

    Parameters
    ----------
    centre : array of 2
    matrix : array, 2 x 2
        Symmetric, positive semi-definite.
    radius : float

    Returns
    -------
    array, points x 2

    Examples
    --------
    >>> import numpy as np
    >>> ellipse(np.zeros(2), np.eye(2), 2.0)[0].tolist()
    [2.0, 0.0]
    """
    values, axes = np.linalg.eigh(np.asarray(matrix, dtype=float))
    half = np.sqrt(np.clip(values, 0, None))
    angle = np.linspace(0, 2 * np.pi, _POINTS)
    unit = np.column_stack([np.cos(angle), np.sin(angle)])
    if np.allclose(axes, np.eye(2)):
        return np.asarray(centre) + radius * unit * half
    return np.asarray(centre) + radius * (unit * half) @ axes.T


def gaussian_radius(level: float) -> float:
    """Return the Mahalanobis radius inside which a share `level` of a plane Gaussian lies.

    Examples
    --------
    >>> round(gaussian_radius(0.5) ** 2, 3), round(gaussian_radius(0.9) ** 2, 3)
    (1.386, 4.605)
    """
    return float(np.sqrt(-2 * np.log(1 - level)))


def gaussian_ellipse(points: pd.DataFrame, level: float = 0.5) -> pd.DataFrame | None:
    """Return the ellipse that holds this share of normal points like these; None on a spot.

    Examples
    --------
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 1, 2], "y": [0.0, 2, 1]})).shape[1]
    2
    >>> gaussian_ellipse(pd.DataFrame({"x": [0.0, 0, 0], "y": [1.0, 1, 1]}))
    """
    spread = np.cov(points.to_numpy().T)
    if len(points) < 3 or np.linalg.eigvalsh(spread)[-1] <= 0:
        return None
    ring = ellipse(points.mean().to_numpy(), spread, gaussian_radius(level))
    return pd.DataFrame(ring, columns=["x", "y"])
