"""Simulated type I error rates of procedures under null models based on the user's results."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, ClassVar, assert_never

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison import plan, result
from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.core.validation import all_within_rounding, significant
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Analysed, Settings, results_and_settings
from stats_core.inference import distributions, fold_pairs, fold_tests, pairwise
from stats_core.inference.methods import CORRECTED_T, PAIR_TESTS, PairMethod, Statistic
from stats_core.inference.multiplicity import adjust, bergmann_hommel
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FALSE_DISCOVERY
from stats_core.inference.multiplicity.bergmann_hommel import MAX_ALGORITHMS_OF_ROWS
from stats_core.inference.paired import corrected_df, overlap_factor, signed_ranks
from stats_core.power import order_simulation, simulated_power, simulation
from stats_core.power.simulated_power import Blocks, Experiments, Procedure
from stats_core.power.simulation import Simulation, Sums

# family-wise and per-comparison error rate, false discovery rate
_RATES = ("family", "pair", result.FDR)
_ABOUT = (
    "n",
    "noun",
    "correlation",
    "dataset",
    "measure",
    "alpha",
    "seed",
)  # fields of a simulation in its result
_SURE = 0.01  # probability that any valid procedure is flagged


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelOnDesign:
    """Simulated type I error rates of procedures.

    Attributes
    ----------
    frame : DataFrame
        One row per hypothesis and procedure: ``world``, ``procedure``; ``pair``, the share of true
        hypotheses rejected, ``family``, the share of draws in which any is, and ``false discovery
        rate``, the mean share of true hypotheses among those rejected, each with its standard error
        ("pair se") and whether it is higher than alpha by more than chance explains ("pair above").
        ``bounds`` says which of them the procedure controls ("pair" if nothing is adjusted, "false
        discovery rate" for Benjamini-Hochberg, else "family"); ``level``, ``se`` and ``above``
        repeat that one. ``chosen`` marks the procedure of the analysis.
    chosen : str
        The procedure that an analysis with these settings uses.
    draws, seed, n : int
        Draws per hypothesis; random seed; number of data sets or folds.
    noun : {"data set", "fold"}
        Unit that `n` counts.
    correlation : float or None
        Correlation of two folds; None over data sets.
    dataset, measure : str
        The data set of the folds, "" over data sets; the measure.
    alpha : float
        Significance level.
    """

    frame: pd.DataFrame
    chosen: str
    draws: int
    seed: int
    n: int
    noun: str
    correlation: float | None
    dataset: str
    measure: str
    alpha: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Worlds(Simulation):
    """Base class of simulations of type I error rates under null models.

    Attributes
    ----------
    procedures : tuple
        Procedures simulated; each has a name and a correction.
    chosen : str
        Name of the procedure that an analysis takes.
    hypotheses : tuple of str
        Class attribute: the null models that are simulated, of "labels", "pair" and "folds".
    noun : str
        Class attribute: "data set" or "fold".
    n : int
        Number of data sets, or of folds.
    alpha, measure, dataset, correlation
        As in `LevelOnDesign`.
    """

    hypotheses: ClassVar[tuple[str, ...]]
    noun: ClassVar[str]
    procedures: tuple[Any, ...]
    chosen: str
    alpha: float
    measure: str
    dataset: str = ""
    correlation: float | None = None
    n: int

    def result(self, sums: Sums, n: int) -> LevelOnDesign:
        """Return the error rates with their standard errors, from `n` draws."""
        frames = [self.levels(sums, hypothesis, n) for hypothesis in self.hypotheses]
        frame = pd.concat(frames, ignore_index=True)
        certain = stats.norm.isf(_SURE / len(frame))
        for rate in _RATES:
            error = frame[f"{rate} se"].clip(lower=1e-12)
            frame[f"{rate} above"] = (frame[rate] - self.alpha) / error > certain
        # the columns of the rate that each procedure bounds
        for position, (name, suffix) in enumerate(
            {"level": "", "se": " se", "above": " above"}.items(), 3
        ):
            values = [frame.at[row, f"{rate}{suffix}"] for row, rate in frame["bounds"].items()]
            frame.insert(position, name, values)
        frame["chosen"] = frame["procedure"] == self.chosen
        return LevelOnDesign(
            frame=frame,
            chosen=self.chosen,
            draws=n,
            **{name: getattr(self, name) for name in _ABOUT},
        )

    def levels(self, sums: Sums, hypothesis: str, n: int) -> pd.DataFrame:
        """Return the error rates under one null hypothesis, one row per procedure."""
        controlled = {"none": "pair", FALSE_DISCOVERY: result.FDR}
        bounds = [controlled.get(procedure.correction, "family") for procedure in self.procedures]
        columns: dict[str, Any] = {
            "world": hypothesis,
            "procedure": [procedure.name for procedure in self.procedures],
            "bounds": bounds,
        }
        # a rate of 0 gets the standard error of the rate alpha: no estimate is without error
        least = sqrt(self.alpha * (1 - self.alpha) / n)
        for rate in ("pair", "family", result.FDR):
            mean = sums[f"{hypothesis} {rate}"] / n
            mean_square = sums[f"{hypothesis} {rate} squares"] / n
            error = np.sqrt(np.maximum(mean_square - mean**2, 0) / n)
            columns[rate] = mean
            columns[f"{rate} se"] = np.where(error > 0, error, least)
        return pd.DataFrame(columns)


def _add_wrong(sums: Sums, hypothesis: str, rejects: np.ndarray, true: np.ndarray) -> None:
    """Add the false ones of the rejections (procedure x draw x comparison) to the running sums, in place."""
    is_wrong = rejects & true
    n_wrong = is_wrong.sum(axis=2)
    n_rejected = np.maximum(rejects.sum(axis=2), 1)
    rates = {
        "pair": n_wrong / true.sum(axis=1),
        "family": is_wrong.any(axis=2).astype(float),
        result.FDR: n_wrong / n_rejected,
    }
    for rate, values in rates.items():
        added = {f"{hypothesis} {rate}": values, f"{hypothesis} {rate} squares": values**2}
        for key, numbers in added.items():
            sums[key] = sums.get(key, np.zeros(len(rejects))) + numbers.sum(axis=1)


IGNORED = "Tukey, overlap ignored"
_AGAIN = 25  # inner simulations per draw, which estimate the bias due to few folds
_INNER_CELLS = 2_000_000  # cells of one inner batch, to bound memory


@dataclass(frozen=True, slots=True)
class FoldTest:
    """A pairwise test on folds with its correction; Tukey's test needs no correction.

    Attributes
    ----------
    test : str
        A key of `PAIR_TESTS` or "Tukey", or "Tukey, overlap ignored".
    correction : str
        One of `CORRECTIONS`, "" for Tukey's test.
    test_fraction : float or None
        The test fraction; None if it is unknown.
    df : {"conservative", "published"}
        Degrees of freedom of Tukey's test, as in `Settings`.
    """

    test: str
    correction: str
    test_fraction: float | None
    df: str = "conservative"

    @property
    def name(self) -> str:
        """Display name: the test with its correction ("sign test with Holm adjustment"), or the key of Tukey's test."""
        if not self.correction:
            return self.test
        test = PAIR_TESTS[self.test].name if self.test in PAIR_TESTS else self.test
        return plan.adjusted_tests(test, CORRECTIONS[self.correction])

    def adjusted(self, values: np.ndarray, pvalues_by_test: dict[str, np.ndarray]) -> np.ndarray:
        """Return adjusted p-values, draw x pair, of values, draw x fold x algorithm.

        `pvalues_by_test` caches the unadjusted p-values by test.
        """
        if self.test not in pvalues_by_test:
            pvalues_by_test[self.test] = _pvalues(values, self)
        if self.correction == "bergmann_hommel":
            return bergmann_hommel.bergmann_hommel_rows(pvalues_by_test[self.test])
        return adjust.adjust_rows(pvalues_by_test[self.test], self.correction or "none")


def fold_tests_of(
    k: int,
    test_fraction: float | None,
    n_results: int,
    *,
    five_by_two: bool,
    df: str = "conservative",
) -> tuple[FoldTest, ...]:
    """Return every combination of test and correction of the family-wise error rate for k algorithms on these folds.

    Tukey's tests, which pool the variance, come first; `df`, as in `Settings`, applies to these
    only.

    Examples
    --------
    >>> [one.name for one in fold_tests_of(2, 0.1, 10, five_by_two=False)][:2]
    ['Tukey', 'Tukey, overlap ignored']
    """
    tests = []
    for method in sorted(PAIR_TESTS.values(), key=_position):
        is_applicable = (test_fraction or not method.corrects_overlap) and (
            five_by_two or not method.five_by_two
        )
        if _vectorized(method) is None or not is_applicable:
            continue
        if not fold_tests.redundant(method.key, n_results):
            tests.append(method.key)
    left_out = {FALSE_DISCOVERY}
    if k > MAX_ALGORITHMS_OF_ROWS:
        left_out.add("bergmann_hommel")
    pooling_tests = (TUKEY, IGNORED) if test_fraction else (TUKEY,)
    combinations = [FoldTest(test, "", test_fraction, df) for test in pooling_tests]
    for test in tests:
        allowed = ["none"] if k == 2 else [*adjust.corrections_for(test)]
        for correction in allowed:
            if correction not in left_out:
                combinations.append(FoldTest(test, correction, test_fraction))
    return tuple(combinations)


def _position(method: PairMethod) -> tuple[bool, bool]:
    """Return the sort key of a test: first those that correct for overlap, as published."""
    return (not method.corrects_overlap, method.bounded_df)


def null_folds(
    rng: np.random.Generator, tables: np.ndarray, correlation: float, n: int
) -> np.ndarray:
    """Return n draws (..., draw, fold, algorithm) with the covariance of `tables` and without differences.

    Notes
    -----
    Flipping the signs of the observed deviations would keep the variance nearly the same in every draw,
    while that of new folds varies: with a component shared by all folds, a corrected t test would then
    reject in 0.03 of the draws on 5x2 folds and in 0.04 on ten, while its true level is 0.05.
    """
    folds = tables.shape[-2]
    parts = tables - tables.mean(axis=-2, keepdims=True)
    triangle = np.asarray(np.linalg.qr(parts, mode="r")) / np.sqrt(folds - 1)
    root = np.expand_dims(triangle, -3)
    shape = (*tables.shape[:-2], n)
    own = rng.normal(size=(*shape, folds, root.shape[-2]))
    shared = rng.normal(size=(*shape, 1, root.shape[-2]))
    return (own + np.sqrt(correlation / (1 - correlation)) * shared) @ root


@dataclass(frozen=True, kw_only=True, eq=False)
class FoldWorlds(Worlds):
    """Simulation of the type I error rates of all tests on the folds (`matrix`, fold x algorithm) of one data set."""

    hypotheses = ("folds",)
    noun = "fold"
    matrix: np.ndarray

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the sums over draws of false rejections by test, and of two rates of the tests that pool the variance.

        "again" is the rate of rejecting in simulations based on each draw, "twice" that of
        rejecting in two of these.
        """
        values = null_folds(rng, self.matrix, self.correlation or 0.0, n)
        raw_pvalues: dict[str, np.ndarray] = {}
        rejections = []
        for test in self.procedures:
            rejections.append(significant(test.adjusted(values, raw_pvalues), self.alpha))
        rejects = np.stack(rejections)
        sums: Sums = {}
        _add_wrong(sums, "folds", rejects, np.ones(rejects.shape[1:], dtype=bool))
        size = min(_AGAIN, max(2, _INNER_CELLS // values.size))
        inner = null_folds(rng, values, self.correlation or 0.0, size)
        shares = [_any_by_tukey(inner, test, self.alpha).mean(axis=1) for test in self._pool]
        share = np.stack(shares)
        both = share * (share * size - 1) / (size - 1)
        return sums | {"again": share.sum(axis=1), "twice": both.sum(axis=1)}

    @property
    def _pool(self) -> list[FoldTest]:
        """Tests that pool the variance over all pairs; these are listed first."""
        return [test for test in self.procedures if test.test in (TUKEY, IGNORED)]

    def levels(self, sums: Sums, hypothesis: str, n: int) -> pd.DataFrame:
        """Return the error rates, with the small-sample bias of tests with pooled variance corrected.

        Only the family-wise error is corrected; the share of rejected pairs is as simulated.
        """
        frame = super().levels(sums, hypothesis, n)
        pooled = range(len(self._pool))
        again = sums["again"] / n
        of_folds = np.maximum(sums["twice"] / n - again**2, 0)  # variance between draws
        family = frame.loc[pooled, "family"]
        error = frame.loc[pooled, "family se"]
        frame.loc[pooled, "family"] = (2 * family - again).clip(0, 1)
        # the standard error of the corrected rate is at most twice that of the simulated one
        frame.loc[pooled, "family se"] = np.sqrt(4 * error**2 + 4 * of_folds)
        return frame


def _pvalues(values: np.ndarray, fold_test: FoldTest) -> np.ndarray:
    """Return the p-values of a test, draw x pair; unadjusted except for Tukey's."""
    if fold_test.test in (TUKEY, IGNORED):
        return _tukey(values, fold_test)
    pvalues_of = _vectorized(PAIR_TESTS[fold_test.test])
    assert pvalues_of is not None  # or `fold_tests_of` leaves it out
    return pvalues_of(values, fold_test.test_fraction)


def _vectorized(method: PairMethod) -> Callable[[np.ndarray, float | None], np.ndarray] | None:
    """Return a function of values, draw x fold x algorithm, that returns p-values; None if none."""
    match method.statistic:
        case Statistic.MEAN_T | Statistic.CV52_F:
            return partial(_by_means, method.key)
        case Statistic.SIGNED_RANKS:
            return partial(_by_steps, signed_ranks.wilcoxon_two_sided)
        case Statistic.SIGNS:
            return partial(_by_steps, signed_ranks.sign_two_sided)
        case Statistic.CV52_FIRST_T | Statistic.CV52_MEAN_T | Statistic.SIGN_FLIPS:
            return None
        case Statistic.DISAGREEMENTS | Statistic.DISAGREEMENTS_CHI_SQUARE:
            return None
        case _:
            assert_never(method.statistic)


def _by_means(test: str, values: np.ndarray, test_fraction: float | None) -> np.ndarray:
    p = fold_pairs.pvalues_of_pairs(values, test, test_fraction)
    assert p is not None  # simulated differences vary
    return p


def _by_steps(
    two_sided: Callable[[np.ndarray], np.ndarray], values: np.ndarray, test_fraction: float | None
) -> np.ndarray:
    draws, n, k = values.shape
    first, second = np.triu_indices(k, 1)
    x = values[..., first].swapaxes(1, 2).reshape(-1, n)
    y = values[..., second].swapaxes(1, 2).reshape(-1, n)
    return two_sided(signed_ranks.signed_steps(x, y).reshape(draws, -1, n))


def _tukey(values: np.ndarray, test: FoldTest) -> np.ndarray:
    n, k = values.shape[-2:]
    rows, columns = np.triu_indices(k, 1)
    means, unit, df = _pooled(values, test)
    q = np.abs(means[:, rows] - means[:, columns]) / unit[:, None]
    return distributions.studentized_range_sf(q.ravel(), k, df).reshape(q.shape)


def _any_by_tukey(values: np.ndarray, test: FoldTest, alpha: float) -> np.ndarray:
    """Return whether Tukey's test rejects any pair, for values (..., fold, algorithm)."""
    means, standard_error, df = _pooled(values, test)
    k = values.shape[-1]
    critical = distributions.studentized_range_isf(alpha, k, df)
    return np.ptp(means, axis=-1) >= critical * standard_error


def _pooled(values: np.ndarray, test: FoldTest) -> tuple[np.ndarray, np.ndarray, int]:
    """Return means (..., algorithm), their pooled standard error and its degrees of freedom."""
    n, k = values.shape[-2:]
    means = values.mean(axis=-2)
    residuals = values - means[..., None, :] - values.mean(axis=-1, keepdims=True)
    residuals += means.mean(axis=-1)[..., None, None]
    df = (k - 1) * (n - 1)
    error = np.einsum("...ij,...ij->...", residuals, residuals) / df
    fraction = test.test_fraction if test.test == TUKEY else None
    published = fraction is None or test.df == "published"
    used = df if published else corrected_df(n, df)
    return means, np.sqrt(error / n * overlap_factor(n, fraction)), used


_CELLS = 2_000_000  # cells of one batch, to bound memory


@dataclass(frozen=True, kw_only=True, eq=False)
class SwappedLabels(Worlds):
    """Simulation of type I error rates over data sets, by permuted algorithm labels.

    `ranks` and `steps` are as in `Blocks`; `control` is the index of the control, None if all pairs
    are compared.
    """

    hypotheses = ("labels", "pair")
    noun = "data set"
    ranks: np.ndarray
    steps: np.ndarray
    control: int | None

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the sums of false rejections over draws, by procedure."""
        sets, k = self.ranks.shape
        comparisons = simulated_power.compared_pairs(k, self.control)
        at_once = max(1, _CELLS // (sets * len(comparisons[0])))
        sums: Sums = {}
        for start in range(0, n, at_once):
            size = min(at_once, n - start)
            turn = np.arange(start, start + size) % len(comparisons[0])
            for hypothesis in self.hypotheses:
                permute = _dealt if hypothesis == "labels" else _swapped
                names = permute(rng, (size, sets, k), comparisons, turn)
                true = np.ones((size, len(comparisons[0])), dtype=bool)
                if hypothesis == "pair":
                    true = np.arange(true.shape[1]) == turn[:, None]
                adjusted = self._under(names, comparisons).adjusted(self.procedures)
                rejects = np.stack(
                    [significant(adjusted[procedure], self.alpha) for procedure in self.procedures]
                )
                _add_wrong(sums, hypothesis, rejects, true)
        return sums

    def _under(self, names: np.ndarray, comparisons: tuple[np.ndarray, np.ndarray]) -> Experiments:
        """Return the simulated experiments with permuted labels `names`, draw x data set x position."""
        first, second = comparisons
        own = np.arange(len(self.ranks))[:, None]
        blocks = Blocks(ranks=self.ranks, steps=self.steps)
        return Experiments(
            ranks=self.ranks[own, names],
            steps=self.steps[own, names[..., first], names[..., second]],
            patterns=np.broadcast_to(blocks.patterns(), names.shape[:2]),
            first=first,
            second=second,
        )


def _dealt(
    rng: np.random.Generator, shape: tuple, comparisons: tuple, turn: np.ndarray
) -> np.ndarray:
    return rng.permuted(np.broadcast_to(np.arange(shape[2]), shape).copy(), axis=2)


def _swapped(
    rng: np.random.Generator, shape: tuple, comparisons: tuple, turn: np.ndarray
) -> np.ndarray:
    names = np.broadcast_to(np.arange(shape[2]), shape).copy()
    draw, own = np.nonzero(rng.random(shape[:2]) < 0.5)
    first, second = (side[turn[draw]] for side in comparisons)
    names[draw, own, first], names[draw, own, second] = second, first
    return names


@simulation.simulated
def level_of(
    results: Results | Analysed,
    settings: Settings | None = None,
    *,
    draws: int = 2000,
    seed: int = 2008,
) -> SwappedLabels | FoldWorlds:
    """Return the type I error rate of each procedure, simulated from results without true differences.

    Raise SettingError for invalid options or a test that is not simulated; DesignError for missing
    results, or fewer than two algorithms or three results per algorithm; DegenerateError if
    differences do not vary over folds.

    Notes
    -----
    Over data sets, the labels of all algorithms are permuted within each data set (all equal), or the
    labels of one pair are swapped (only this pair equal). These null models are exact for tests of
    results that are independent between data sets.

    On folds (with `settings.dataset`, or if there is one data set), results are drawn from a normal
    distribution with the observed covariance of the algorithms. All folds share a component with f
    / (1 - f) times the variance of a fold, where f is the test fraction, so two folds have
    correlation f, as Nadeau and Bengio assume. No such model exists for bootstrap samples or a
    common test set: f is then 0, as for independent results. The level of a test of one pair's
    differences does not depend on the covariance. Tukey's test pools all pairs, and with few folds
    the estimated variances differ more than the true ones, which inflates its simulated level. Each
    simulated table is therefore simulated from once more, and the inflation so estimated is
    subtracted; its variation is part of the standard error.

    A procedure is "above" if its level exceeds alpha by more than simulation error explains: with
    probability 0.99, no procedure that controls its level is "above".

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Benavoli, Corani and Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(np.random.default_rng(1).normal(size=(12, 3)), columns=list("abc"))
    >>> table = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm",
    ...                                                         value_name="error")
    >>> found = level_of(Results.from_frame(table), draws=400)
    >>> found.chosen, found.frame.query("chosen and world == 'labels'")["level"].item()
    ('Wilcoxon signed-rank tests with Bergmann-Hommel adjustment', 0.04)
    """
    order_simulation.check_whole(draws, "draws", 2)
    results, settings = results_and_settings(results, settings)
    if settings.dataset or len(results.datasets) < 2:
        return _of_folds(results, settings, draws, seed)
    simulated_power.check_units(results, settings)
    selected, settings = pairwise.resolve_settings(results, settings)
    scores, _ = simulated_power.averages_of(selected, settings)
    names = list(scores.columns)
    control = names.index(settings.control) if settings.control else None
    procedures = simulated_power.all_procedures(len(names), control=control is not None)
    blocks = simulated_power.blocks_of(selected, settings.measure)
    source = settings.source or "wilcoxon"
    correction = settings.correction if len(names) > 2 else "none"
    procedure = Procedure("ranks" if correction == "nemenyi" else source, correction)
    return SwappedLabels(
        ranks=blocks.ranks,
        steps=blocks.steps,
        n=len(scores),
        control=control,
        procedures=tuple(dict.fromkeys((*procedures, procedure))),
        chosen=procedure.name,
        alpha=settings.alpha,
        measure=settings.measure,
        draws=draws,
        seed=seed,
    )


def _of_folds(results: Results, settings: Settings, draws: int, seed: int) -> FoldWorlds:
    """Return the simulation of all tests on the folds of one data set; raise an error for unsuitable results."""
    selected, settings = pairwise.apply_selection(results, settings)
    dataset = settings.dataset or selected.datasets[0]
    data = fold_pairs.fold_data(selected, dataset, settings)
    matrix = data.matrix.to_numpy()
    n, k = matrix.shape
    if n < 3 or k < 2:
        raise DesignError.of(
            "Two or more algorithms with three or more results", dataset=dataset, k=k, n=n
        )
    residuals = matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()
    if all_within_rounding(residuals, matrix, matrix):
        raise DegenerateError.of("Differences need to vary from fold to fold")
    share = data.test_fraction
    five_by_two = data.design == "5x2"
    tests = fold_tests_of(k, share, n, five_by_two=five_by_two, df=settings.df)
    test, correction = _chosen_on_folds(settings, k, share, n)
    tests += (FoldTest(test, correction, share),) if correction == FALSE_DISCOVERY else ()
    procedure_names = [
        candidate.name
        for candidate in tests
        if candidate.test == test and candidate.correction in ("", correction)
    ]
    if not procedure_names:
        raise SettingError.of(
            "test and correction must be simulated",
            test=PAIR_TESTS[test].name if test in PAIR_TESTS else test,
            correction=CORRECTIONS[correction],
            simulated=", ".join(dict.fromkeys(candidate.test for candidate in tests)),
        )
    return FoldWorlds(
        matrix=matrix,
        n=n,
        procedures=tests,
        correlation=share or 0.0,
        dataset=dataset,
        chosen=procedure_names[0],
        alpha=settings.alpha,
        measure=settings.measure,
        draws=draws,
        seed=seed,
    )


def _chosen_on_folds(settings: Settings, k: int, share: float | None, n: int) -> tuple[str, str]:
    """Return the pairwise test and correction of an analysis with these settings, or the nearest simulated ones."""
    corrected_share = share if settings.overlap == "corrected" else None
    test = settings.test or fold_tests.advised_test(corrected_share, n, settings.df)
    test = CORRECTED_T.key if test != TUKEY and fold_tests.redundant(test, n) else test
    if test == TUKEY and share and corrected_share is None:
        test = IGNORED
    if k == 2:
        return test, "none"
    correction = adjust.usable_correction(settings.correction, k, source=test)
    unlisted = correction == "bergmann_hommel" and k > MAX_ALGORITHMS_OF_ROWS
    return test, "shaffer" if unlisted else correction
