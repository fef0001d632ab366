"""Levels and coverage of the stratified tests over several benchmarks.

``python -m benchmarks.stratified_tests [TIMES]`` prints two tables. Scores: differences of two models
on each instance are normal, lognormal (standard deviation 1 of the logarithm, mean removed), or the
difference of two such lognormal scores. Answers: two models are correct independently, with the same
probabilities on all benchmarks.
"""

import sys

import numpy as np

from benchmarks.few_runs_and_times import share_with_error
from stats_core.comparison.kinds.strata import Strata

ALPHA = 0.05
SIZES = ((3, 3), (5, 5), (5, 5, 5), (10, 10), (5, 100))
OF_ANSWERS = (
    ((30,) * 5, (0.97, 0.95)),
    ((100, 20), (0.97, 0.95)),
    ((30,) * 5, (0.8, 0.8)),
    ((200, 60), (0.8, 0.7)),
)


def _normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n)


def _lognormal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.lognormal(size=n) - np.exp(0.5)


def _of_lognormals(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.lognormal(size=n) - rng.lognormal(size=n)


DRAWN = {"normal": _normal, "lognormal": _lognormal, "difference of lognormals": _of_lognormals}


def strata_of_scores(differences: list[np.ndarray]) -> Strata:
    """Return the strata of differences in scores, one array per benchmark."""
    sizes = np.array([len(each) for each in differences], dtype=float)
    return Strata(
        sizes=sizes,
        estimates=np.array([each.mean() for each in differences]),
        errors=np.array([each.std(ddof=1) for each in differences]) / np.sqrt(sizes),
        df=sizes - 1,
        counts=None,
        units=int(sizes.sum()),
    )


def strata_of_answers(counts: np.ndarray) -> Strata:
    """Return the strata of 2 x 2 tables of correct answers, one per benchmark."""
    sizes = counts.sum(axis=1).astype(float)
    return Strata(
        sizes=sizes,
        estimates=(counts[:, 1] - counts[:, 2]) / sizes,
        errors=np.ones(len(sizes)),
        df=sizes - 1,
        counts=counts,
        units=int(sizes.sum()),
    )


def rates_of_scores(sizes: tuple[int, ...], draw: str, times: int) -> list[np.ndarray]:
    """Return whether the tests of both means and of heterogeneity reject."""
    rng, rows = np.random.default_rng(1), []
    for _ in range(times):
        strata = strata_of_scores([DRAWN[draw](rng, n) for n in sizes])
        varies = strata.heterogeneity()
        p = (strata.pooled_pvalue(), strata.pvalue(strata.equal_weights), varies.pvalue)
        rows.append([each <= ALPHA for each in p])
    return list(np.array(rows).T)


def coverage_of_answers(
    sizes: tuple[int, ...], shares: tuple[float, float], times: int
) -> list[np.ndarray]:
    """Return coverage of both means, rejections of heterogeneity, and empty intervals."""
    rng, rows = np.random.default_rng(2), []
    first, second = shares
    cells = [first * second, first * (1 - second), (1 - first) * second, (1 - first) * (1 - second)]
    truth = first - second
    for _ in range(times):
        strata = strata_of_answers(np.array([rng.multinomial(n, cells) for n in sizes]))
        ends = [strata.interval(w, ALPHA) for w in (strata.size_weights, strata.equal_weights)]
        covered = [low <= truth <= high for low, high in ends]
        varies = strata.heterogeneity()
        empty = any(low == high for low, high in ends)
        rows.append([*covered, varies.pvalue <= ALPHA, empty])
    return list(np.array(rows).T)


def main(times: int) -> None:
    """Print both tables."""
    print("| instances | differences | all instances | mean of benchmarks | heterogeneity |")
    print("|---|---|---|---|---|")
    for sizes in SIZES:
        for draw in DRAWN:
            rates = [share_with_error(r) for r in rates_of_scores(sizes, draw, times)]
            print(f"| {' + '.join(map(str, sizes))} | {draw} | {' | '.join(rates)} |", flush=True)
    print(
        "\n| instances | accuracies | all instances | mean of benchmarks | heterogeneity | width 0 |"
    )
    print("|---|---|---|---|---|---|")
    for sizes, shares in OF_ANSWERS:
        covered = coverage_of_answers(sizes, shares, times)
        rates = [share_with_error(each) for each in covered]
        named = " and ".join(f"{share:g}" for share in shares)
        print(f"| {' + '.join(map(str, sizes))} | {named} | {' | '.join(rates)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
