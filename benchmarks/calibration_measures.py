"""How often do the tests of several measures on folds name a difference that is not there?

Run with ``python -m benchmarks.calibration_measures --data FOLDER [--samples 500] [--keep FOLDER]
[--only-kept]``, on the samples of `calibration`. The two measures are the errors on cases of the
first class and on all others. Beside what is advised stands what the degrees of freedom of
independent results would give. On the first samples the decisions are compared with those of
`stats_core`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.calibration import ALGORITHMS, ALPHA, CHECKED, DESIGNS, PAIRS, TESTED, levels, print_rates_by_design
from stats_core.comparison.analyse import analyse
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference.paired import corrected_df, overlap_factor

P = 2  # number of measures
_FLAT = 1e-12  # eigenvalue below which results do not vary


@dataclass(frozen=True)
class MeasureRates:
    """p-values of the pairs, sample x pair, and of MANOVA, per sample."""

    pairs: np.ndarray
    manova: np.ndarray


def two_errors(x: np.ndarray) -> np.ndarray:
    """Return the errors on the first class and on the others, sample x result x algorithm x 2."""
    return np.stack([x[..., 0], x[..., 1:].sum(axis=-1)], axis=-1)


def judged(x: np.ndarray, design: str, *, capped: bool) -> MeasureRates:
    """Return the p-values of Hotelling's T2 of every pair and of MANOVA, with overlap factor."""
    n, fraction = x.shape[1], TESTED[design][0]
    factor = overlap_factor(n, fraction)
    spread = corrected_df(n, n - 1, P) if capped else n - 1
    error = (ALGORITHMS - 1) * (n - 1)
    used = corrected_df(n, error, P) if capped else error
    pairs = [_hotelling(x[:, :, a] - x[:, :, b], factor, spread) for a, b in PAIRS]
    return MeasureRates(np.array(pairs).T, _manova(x, factor, used))


def _hotelling(d: np.ndarray, factor: float, spread: int) -> np.ndarray:
    """Return the p-value per sample; d is sample x result x measure."""
    n, mean = d.shape[1], d.mean(axis=1)
    centred = d - mean[:, None]
    scatter = centred.swapaxes(1, 2) @ centred / (n - 1)
    varies = np.linalg.eigvalsh(scatter)[:, 0] > _FLAT
    pvalues = np.ones(len(d))
    weights = np.linalg.solve(scatter[varies], mean[varies][:, :, None])[:, :, 0]
    t2 = n * (mean[varies] * weights).sum(axis=1) / factor
    df = (P, spread + 1 - P)
    pvalues[varies] = stats.f.sf(df[1] / (P * spread) * t2, *df)
    return pvalues


def _manova(x: np.ndarray, factor: float, used: int) -> np.ndarray:
    """Return the p-value of Wilks' lambda per sample; Rao's F is exact for two measures."""
    samples, n, a, _ = x.shape
    means, folds = x.mean(axis=1, keepdims=True), x.mean(axis=2, keepdims=True)
    grand = x.mean(axis=(1, 2), keepdims=True)
    residuals = (x - means - folds + grand).reshape(samples, -1, P)
    effects = (means - grand)[:, 0]
    e = residuals.swapaxes(1, 2) @ residuals / ((a - 1) * (n - 1)) * used
    h = n * effects.swapaxes(1, 2) @ effects
    varies = np.linalg.eigvalsh(e)[:, 0] > _FLAT
    roots = np.linalg.eigvals(np.linalg.solve(e[varies], h[varies])).real.clip(0) / factor
    root = np.sqrt(1 / (1 + roots).prod(axis=1))
    df = (P * (a - 1), 2 * (used - 1))
    pvalues = np.ones(samples)
    pvalues[varies] = stats.f.sf((1 - root) / root * df[1] / df[0], *df)
    return pvalues


def as_results(one: np.ndarray, design: str) -> Results:
    """Return one sample as results read from a file; each result is a fold."""
    rows = [
        {"algorithm": f"a{algorithm}", "fold": fold, "first": first, "others": others}
        for fold, results in enumerate(one)
        for algorithm, (first, others) in enumerate(results)
    ]
    return Results.from_frame(
        pd.DataFrame(rows).assign(dataset="sample"),
        directions={"first": "lower", "others": "lower"},
        design_hint="holdout",
    )


def check(x: np.ndarray, design: str) -> None:
    """Exit if the library has other p-values on the first samples."""
    ours, fraction = judged(x[:CHECKED], design, capped=True), TESTED[design][0]
    together = Settings(measure="first", measures=("first", "others"), test_fraction=fraction, correction="none")
    for number in range(min(CHECKED, len(x))):
        result = analyse(as_results(x[number], design), together)
        p = result.raw.pvalues.to_numpy()[tuple(np.array(PAIRS).T)]
        theirs = [result.manova.pvalue, *p]
        if not np.allclose(theirs, [ours.manova[number], *ours.pairs[number]], atol=1e-9):
            raise SystemExit(f"{design}: the calibration and stats_core disagree")


def rows_of(design: str, every: dict[str, np.ndarray]) -> Iterator[dict]:
    """Yield the rates over populations, with and without capped degrees of freedom."""
    n = next(iter(every.values())).shape[1]
    for capped in (False, True) if n > 10 else (True,):
        by_population = {name: judged(x, design, capped=capped) for name, x in every.items()}
        pair, family, manova = ({}, {}, {})
        for name, pvalues in by_population.items():
            pair[name] = (pvalues.pairs <= ALPHA).mean(axis=1)
            # Holm rejects if the smallest p is at most alpha divided by the number of pairs
            family[name] = pvalues.pairs.min(axis=1) <= ALPHA / len(PAIRS)
            manova[name] = pvalues.manova <= ALPHA
        df = corrected_df(n, n - 1, P) if capped else n - 1
        yield {
            "design": design,
            "residual df": f"{df} ({'now' if capped else 'before'})",
            **levels("a pair", pair),
            **levels("one of six pairs", family),
            **levels("MANOVA", manova),
        }


if __name__ == "__main__":
    print_rates_by_design(__doc__, DESIGNS, two_errors, check, rows_of)
