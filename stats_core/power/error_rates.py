"""Simulated error rates of procedures under null models made from the user's results."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from stats_core.core.errors import DegenerateError, DesignError, SettingError
from stats_core.core.significance import significant
from stats_core.core.validation import all_within_rounding
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.fold_pairs import fold_data
from stats_core.inference.fold_tests import PAIR_TESTS, advised_test, redundant
from stats_core.inference.multiplicity.corrections import CORRECTIONS, usable_correction
from stats_core.inference.multiplicity.step_procedures import LARGEST_LISTED
from stats_core.inference.paired.t_tests import PUBLISHED
from stats_core.inference.resolve_settings import apply_selection, resolve_settings
from stats_core.power.null_models import (
    IGNORED,
    FoldWorlds,
    LevelOnDesign,
    Worlds,
    add_wrong,
    fold_tests_of,
)
from stats_core.power.order_error_rates import check_whole
from stats_core.power.simulated_power import averages_of
from stats_core.power.simulated_procedures import (
    Blocks,
    Experiments,
    Procedure,
    all_procedures,
    compared_pairs,
)
from stats_core.power.simulation import Keeping, Progress, Sums, run_simulation

_CELLS = 2_000_000  # cells of one batch, to bound memory


@dataclass(frozen=True, kw_only=True, eq=False)
class SwappedLabels(Worlds):
    """Null models over data sets by permuted labels, with every procedure on offer."""

    ranks: np.ndarray
    steps: np.ndarray
    control: int | None
    procedures: tuple[Procedure, ...]

    def worlds(self) -> tuple[str, ...]:
        """Return the null models that are simulated, keys of `WORLDS`."""
        return ("labels", "pair")

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        return [(procedure.name, procedure.correction != "none") for procedure in self.procedures]

    def about(self) -> dict:
        """Return the fields of `LevelOnDesign` that describe the results."""
        return {"n": len(self.ranks), "noun": "data set", "correlation": None, "dataset": ""}

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the numbers of rejected true hypotheses and families, by procedure."""
        sets, k = self.ranks.shape
        comparisons = compared_pairs(k, self.control)
        at_once = max(1, _CELLS // (sets * len(comparisons[0])))
        sums: Sums = {}
        for start in range(0, n, at_once):
            size = min(at_once, n - start)
            turn = np.arange(start, start + size) % len(comparisons[0])
            for world in self.worlds():
                permute = _dealt if world == "labels" else _swapped
                names = permute(rng, (size, sets, k), comparisons, turn)
                true = np.ones((size, len(comparisons[0])), dtype=bool)
                if world == "pair":
                    true = np.arange(true.shape[1]) == turn[:, None]
                adjusted = self._under(names, comparisons).adjusted(self.procedures)
                rejects = np.stack(
                    [significant(adjusted[procedure], self.alpha) for procedure in self.procedures]
                )
                add_wrong(sums, world, rejects & true, true)
        return sums

    def _under(self, names: np.ndarray, comparisons: tuple[np.ndarray, np.ndarray]) -> Experiments:
        """Return the experiments with these permuted labels, draw x data set x position."""
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


def level_of(
    results: Results,
    settings: Settings | None = None,
    *,
    draws: int = 2000,
    seed: int = 2008,
    executor: Executor | None = None,
    progress: Callable[[Progress], object] | None = None,
    kept: Keeping | None = None,
) -> LevelOnDesign:
    """How often does each procedure find a difference on results like these if there is none?

    Notes
    -----
    Over data sets the names of algorithms are dealt anew within each (all equal), or the names of one
    pair swapped (this pair equal, the others as they are): exact worlds of tests that look at each
    data set alone. On folds, normal worlds are drawn with the covariance of the algorithms that was seen,
    and all folds share a part with variance f / (1 - f) times theirs, f the share tested: two folds are
    then correlated by f, as Nadeau and Bengio take them to be. That is a model, and for bootstrap
    samples or a common test set there is none: f is then taken as 0, and the level as that of
    independent results. Tests of a pair by its own differences have the same level whatever that
    covariance is. Tukey's pools all pairs, and few folds make variances look more unlike than they are: so
    every world is taken as a table of results from which worlds are made once more, and what that
    adds to the level is taken off; how it varies is part of the standard error. A procedure is "above" if its
    level exceeds alpha by so much that all that hold stay below together with a chance of 0.99.

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
    ('Bergmann-Hommel on Wilcoxon', 0.04)
    """
    work = null_worlds(results, settings or Settings(), draws=draws, seed=seed)
    return run_simulation(work, executor=executor, progress=progress, kept=kept)


def null_worlds(
    results: Results, settings: Settings, *, draws: int = 2000, seed: int = 2008
) -> SwappedLabels | FoldWorlds:
    """Return the simulation of `level_of` without running it."""
    check_whole(draws, "draws", 2)
    if settings.dataset or len(results.datasets) < 2:
        return _of_folds(results, settings, draws, seed)
    selected, settings = resolve_settings(results, settings)
    scores, higher = averages_of(selected, settings)
    names = list(scores.columns)
    control = names.index(settings.control) if settings.control else None
    procedures = all_procedures(len(names), control=control is not None)
    blocks = Blocks.of(scores, higher_is_better=higher)
    source = settings.source or "wilcoxon"
    correction = settings.correction if len(names) > 2 else "none"
    chosen = Procedure("ranks" if correction == "nemenyi" else source, correction)
    return SwappedLabels(
        ranks=blocks.ranks,
        steps=blocks.steps,
        control=control,
        procedures=tuple(dict.fromkeys((*procedures, chosen))),
        chosen=chosen.name,
        alpha=settings.alpha,
        measure=settings.measure,
        draws=draws,
        seed=seed,
    )


def _of_folds(results: Results, settings: Settings, draws: int, seed: int) -> FoldWorlds:
    selected, settings = apply_selection(results, settings)
    dataset = settings.dataset or selected.datasets[0]
    shared = fold_data(selected, dataset, settings)
    matrix = shared["matrix"].to_numpy()
    n, k = matrix.shape
    if n < 3 or k < 2:
        raise DesignError(
            f"Two or more algorithms with three or more results each are needed. On {dataset} there "
            f"are {k} with {n}. Take a data set with folds."
        )
    residuals = matrix - matrix.mean(axis=0) - matrix.mean(axis=1, keepdims=True) + matrix.mean()
    if all_within_rounding(residuals, matrix, matrix):
        raise DegenerateError(
            "Results need to vary from fold to fold. All algorithms keep their distances in all "
            "folds. Take another data set, or more folds."
        )
    share = shared["test_fraction"]
    five_by_two = shared["design"] == "5x2"
    tests = fold_tests_of(k, share, n, five_by_two=five_by_two, df=settings.df)
    test, correction = _chosen_on_folds(settings, k, share, n)
    chosen = [
        candidate.name
        for candidate in tests
        if candidate.test == test and candidate.correction in ("", correction)
    ]
    if not chosen:
        raise SettingError(
            "`test` and `correction` must be ones that are simulated. They are "
            f"{PAIR_TESTS[test].name if test in PAIR_TESTS else test} and {CORRECTIONS[correction]}. "
            f"There are {', '.join(dict.fromkeys(candidate.test for candidate in tests))}."
        )
    return FoldWorlds(
        matrix=matrix,
        tests=tests,
        correlation=share or 0.0,
        dataset=dataset,
        chosen=chosen[0],
        alpha=settings.alpha,
        measure=settings.measure,
        draws=draws,
        seed=seed,
    )


def _chosen_on_folds(settings: Settings, k: int, share: float | None, n: int) -> tuple[str, str]:
    """Return the test of pairs and the correction that an analysis with these settings uses."""
    corrected_share = share if settings.overlap == "corrected" else None
    test = settings.test or advised_test(corrected_share, n, settings.df)
    test = PUBLISHED if redundant(test, n) else test
    if test == TUKEY and share and corrected_share is None:
        test = IGNORED
    if k == 2:
        return test, "none"
    correction = usable_correction(settings.correction, k, source=test)
    unlisted = correction == "bergmann_hommel" and k > LARGEST_LISTED
    return test, "shaffer" if unlisted else correction
