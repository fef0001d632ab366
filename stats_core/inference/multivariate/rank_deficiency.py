"""Degrees of freedom of vectors of measures, and the F scaling of Hotelling's T2."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from stats_core.core.errors import DataError, DesignError
from stats_core.core.messages import Message, message
from stats_core.core.validation import as_numbers, check_results
from stats_core.inference.paired import at_most


def spread_df(n: int, p: int, max_df: int | None) -> int:
    """Return the degrees of freedom of a covariance of `n` results in `p` dimensions.

    Examples
    --------
    >>> spread_df(100, 2, 8), spread_df(100, 2, None)
    (8, 99)
    """
    spread = at_most(n - 1, max_df)
    if p and n < p + 1:
        raise DesignError(too_few(n, p, n - 1))
    if spread < p:
        raise DesignError(too_many(p, spread))
    return spread


def f_scale(df: tuple[int, int]) -> float:
    """Return the factor that makes an F of T2 with these degrees of freedom."""
    return df[1] / (df[0] * (sum(df) - 1)) if df[0] else 0.0


def region_scale(df: tuple[int, int], n: int, factor: float, confidence: float) -> float:
    """Return the factor of the covariance of `n` results for the region of their mean.

    Examples
    --------
    >>> round(region_scale((2, 8), 10, 1.0, 0.95), 4)
    1.0033
    """
    return factor / n / f_scale(df) * float(stats.f.isf(1 - confidence, *df))


def too_many(p: int, max_df: int) -> str:
    """Return the message that `max_df` is too small for this number of measures."""
    return (
        f"With at most {max_df} degrees of freedom a test allows at most {max_df} measures. There "
        f"are {p}. Use fewer measures, or the published degrees of freedom."
    )


def too_few(n: int, p: int, most: int) -> str:
    """Return the message that this number of measures needs more folds."""
    advice = f"With {n} folds use at most {most} measures." if most >= 2 else "Test the measures one by one."
    return f"A test on {p} measures needs at least {p + 1} folds. There are {n}. {advice}"


_RANK_TOLERANCE = 1e-8  # of singular values, relative to the largest
_LARGEST_DENOMINATOR = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EffectiveSpace:
    """Directions in which algorithms can differ within a fold.

    Attributes
    ----------
    names : tuple of str
        The measures, in order.
    basis : array, measure x dimension
        Multiply vectors of measures by it to get coordinates of full rank.
    constant : tuple of str
        Combinations of measures that are the same for every algorithm within every fold, each as
        text such as "tp + fn".
    """

    names: tuple[str, ...]
    basis: np.ndarray
    constant: tuple[str, ...]

    @property
    def dimension(self) -> int:
        """Number of effective dimensions, p in the degrees of freedom."""
        return self.basis.shape[1]

    @property
    def note(self) -> Message | None:
        """Message on redundant measures, None if every measure adds a dimension."""
        if not self.constant:
            return None
        sizes = {"measures": len(self.names), "dimensions": self.dimension}
        return message("effective dimensions", constant=self.constant, **sizes)

    def coordinates(self, values: np.ndarray) -> np.ndarray:
        """Return vectors of measures (last axis) as coordinates of the effective space."""
        return values @ self.basis


def effective_space(vectors: ArrayLike, names: Sequence[str] = ()) -> EffectiveSpace:
    """Return the directions in which algorithms can differ within a fold.

    Notes
    -----
    Measures are centred by fold over the algorithms and scaled by their root mean square; the
    dimension is the number of singular values above 1e-8 times the largest. Four counts of a
    confusion matrix carry two dimensions, because positives and negatives of a fold are fixed.

    Examples
    --------
    >>> import numpy as np
    >>> counts = np.array([[[8, 1, 9, 2], [7, 2, 8, 3]], [[9, 3, 7, 1], [6, 1, 9, 4]]])  # tp fp tn fn
    >>> space = effective_space(counts, ["tp", "fp", "tn", "fn"])
    >>> space.dimension, space.constant
    (2, ('tp + fn', 'fp + tn'))
    """
    values = check_vectors(vectors)
    p = values.shape[2]
    labels = tuple(names) or tuple(f"measure {i + 1}" for i in range(p))
    if len(labels) != p:
        raise DataError([f"`names` must name every measure. It has {len(labels)} for {p} measures. Complete it."])
    within = (values - values.mean(axis=0)).reshape(-1, p)
    scale = np.sqrt((within**2).mean(axis=0))
    idle = scale <= 1e-12 * np.maximum(1.0, np.abs(values).max(axis=(0, 1)))
    scale[idle] = 1.0
    within[:, idle] = 0.0
    # every direction is wanted, of the rows (algorithms times folds) none
    _, singular, right = np.linalg.svd(within / scale, full_matrices=len(within) < p)
    singular = np.append(singular, np.zeros(p - len(singular)))
    rank = int((singular > _RANK_TOLERANCE * max(singular[0], 1e-300)).sum()) if any(~idle) else 0
    basis = right[:rank].T / scale[:, None]
    return EffectiveSpace(names=labels, basis=basis, constant=_combinations(right[rank:] / scale, labels))


def check_vectors(vectors: ArrayLike, *, algorithms: int = 2) -> np.ndarray:
    """Return a checked float array, algorithm x fold x measure."""
    values = as_numbers(vectors, "vectors")
    if values.ndim != 3 or not values.size:
        raise DataError(
            [f"`vectors` must be algorithm x fold x measure. Its shape is {values.shape}. Use `Results.vectors`."]
        )
    if not np.isfinite(values).all():
        raise DataError(["`vectors` must be finite. Some values are not. Leave out those folds by your choice."])
    if len(values) < algorithms:
        raise DesignError(f"This needs at least {algorithms} algorithms. There is {len(values)}. Add another.")
    check_results(values.shape[1])
    return values


def _combinations(directions: np.ndarray, names: Sequence[str]) -> tuple[str, ...]:
    """Return the constant directions as row-reduced combinations of measures, in words."""
    rows = _row_reduced(directions)
    return tuple(_written(row, names) for row in rows)


def _row_reduced(rows: np.ndarray) -> np.ndarray:
    rows = rows.copy()
    pivot = 0
    for column in range(rows.shape[1]):
        if pivot == len(rows):
            break
        best = pivot + int(np.abs(rows[pivot:, column]).argmax())
        if abs(rows[best, column]) < 1e-9 * max(np.abs(rows).max(), 1e-300):
            continue
        rows[[pivot, best]] = rows[[best, pivot]]
        rows[pivot] /= rows[pivot, column]
        others = np.arange(len(rows)) != pivot
        rows[others] -= np.outer(rows[others, column], rows[pivot])
        pivot += 1
    return rows


def _written(row: np.ndarray, names: Sequence[str]) -> str:
    terms = []
    for value, name in zip(row, names, strict=True):
        if abs(value) < 1e-7:
            continue
        sign = "\N{MINUS SIGN}" if value < 0 else "+"
        size = _coefficient(abs(value))
        terms.append((sign, f"{size} {name}".strip()))
    text = " ".join(f"{sign} {term}" for sign, term in terms)
    return text.removeprefix("+ ")


def _coefficient(size: float) -> str:
    fraction = Fraction(size).limit_denominator(_LARGEST_DENOMINATOR)
    if abs(float(fraction) - size) > 1e-6 * max(size, 1):
        return f"{size:.3g}"
    return "" if fraction == 1 else str(fraction)
