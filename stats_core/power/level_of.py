"""Does it keep its level on results like mine? Worlds without differences, made of one's own results."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.core.errors import DesignError, SettingError
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.families.corrections import CORRECTIONS, usable_correction
from stats_core.inference.families.partition_rows import LARGEST_LISTED
from stats_core.inference.fold_pairs import folds_of
from stats_core.inference.fold_tests import PAIR_TESTS, advised_test
from stats_core.inference.settled import selected, settled
from stats_core.power.engine import Keeping, Progress, Simulation, Sums, run
from stats_core.power.fold_worlds import (
    IGNORED,
    FoldTest,
    fold_tests_of,
    normal_folds,
    null_folds,
)
from stats_core.power.order_draws import check_whole
from stats_core.power.power_of import averages_of
from stats_core.power.procedures import Blocks, Experiments, Procedure, offered, pairs_of

# world -> how it is made, as a sentence
WORLDS = {
    "labels": "The names of all algorithms are dealt anew on every data set, so that none differ.",
    "pair": "The names of one pair, each in turn, are swapped on every data set or not, by chance; the "
    "others stay as they are, so that this pair alone is known not to differ.",
    "folds": "Deviations from each algorithm's mean change sign fold by fold, all algorithms together, "
    "and get a part that all folds share, so that folds are correlated as their training sets overlap.",
}
_CELLS = 2_000_000  # at a time, to bound memory
_PART = 50  # draws of each made-up table of folds
_SURE = 0.01  # chance that any procedure that holds is called one that does not


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelOnDesign:
    """How often each procedure finds a difference where there is none.

    Attributes
    ----------
    frame : DataFrame
        One row per world and procedure: ``world``, ``procedure``, ``bounds`` ("pair" if nothing is
        adjusted, else "family"), ``level`` (share of draws, or of pairs in them, in which what it bounds
        went wrong) with its standard error ``se``; ``pair``, the share of true hypotheses rejected, and
        ``family``, of draws with any, on folds before they are corrected for how few there are; ``above``, if the level is higher than
        alpha by more than chance explains; ``chosen``.
    chosen : str
        The procedure that an analysis with these settings takes.
    draws, seed, n : int
        Draws of each world; what gives the random numbers; data sets, or folds.
    noun : {"data set", "fold"}
    correlation : float or None
        Of two folds; None over data sets.
    dataset, measure : str
        The one data set whose folds these are, or "".
    alpha : float
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
class _Worlds(Simulation):
    """What worlds over data sets and of folds have in common."""

    chosen: str
    alpha: float
    measure: str

    def result(self, sums: Sums, n: int) -> LevelOnDesign:
        """Return the levels with their standard errors."""
        frames = [self._levels(sums, world, n) for world in self.worlds()]
        frame = pd.concat(frames, ignore_index=True)
        excess = (frame["level"] - self.alpha) / frame["se"].clip(lower=1e-12)
        frame["above"] = excess > stats.norm.isf(_SURE / len(frame))
        frame["chosen"] = frame["procedure"] == self.chosen
        return LevelOnDesign(
            frame=frame,
            chosen=self.chosen,
            draws=n,
            seed=self.seed,
            alpha=self.alpha,
            measure=self.measure,
            **self.about(),
        )

    def worlds(self) -> tuple[str, ...]:
        """Return which of `WORLDS` are simulated."""
        raise NotImplementedError

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        raise NotImplementedError

    def about(self) -> dict:
        """Return what is known of the results."""
        raise NotImplementedError

    def _levels(self, sums: Sums, world: str, n: int) -> pd.DataFrame:
        names, adjusts = zip(*self.names(), strict=True)
        pair, family = sums[f"{world} pair"] / n, sums[f"{world} family"] / n
        spread = np.maximum(sums[f"{world} squares"] / n - pair**2, 0)
        se = np.where(adjusts, np.sqrt(family * (1 - family) / n), np.sqrt(spread / n))
        return pd.DataFrame(
            {
                "world": world,
                "procedure": names,
                "bounds": np.where(adjusts, "family", "pair"),
                "level": np.where(adjusts, family, pair),
                # as if at alpha where nothing was seen: no estimate is without error
                "se": np.where(se > 0, se, sqrt(self.alpha * (1 - self.alpha) / n)),
                "pair": pair,
                "family": family,
            }
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SwappedLabels(_Worlds):
    """Worlds over data sets, judged by every procedure on offer."""

    ranks: np.ndarray
    steps: np.ndarray
    control: int | None
    procedures: tuple[Procedure, ...]

    def worlds(self) -> tuple[str, ...]:
        """Return which of `WORLDS` are simulated."""
        return ("labels", "pair")

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        return [(one.name, one.correction != "none") for one in self.procedures]

    def about(self) -> dict:
        """Return what is known of the results."""
        return {"n": len(self.ranks), "noun": "data set", "correlation": None, "dataset": ""}

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return how many true hypotheses and families were rejected, by procedure."""
        sets, k = self.ranks.shape
        comparisons = pairs_of(k, self.control)
        at_once = max(1, _CELLS // (sets * len(comparisons[0])))
        found: Sums = {}
        for start in range(0, n, at_once):
            size = min(at_once, n - start)
            turn = np.arange(start, start + size) % len(comparisons[0])
            for world in self.worlds():
                deal = _dealt if world == "labels" else _swapped
                names = deal(rng, (size, sets, k), comparisons, turn)
                true = np.ones((size, len(comparisons[0])), dtype=bool)
                if world == "pair":
                    true = np.arange(true.shape[1]) == turn[:, None]
                adjusted = self._under(names, comparisons).adjusted(self.procedures)
                rejects = np.stack([adjusted[one] <= self.alpha for one in self.procedures])
                _add(found, world, rejects & true, true)
        return found

    def _under(self, names: np.ndarray, comparisons: tuple[np.ndarray, np.ndarray]) -> Experiments:
        """Return the experiments in which algorithms bear these names, draw x data set x place."""
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


def _add(found: Sums, world: str, wrong: np.ndarray, true: np.ndarray) -> None:
    """Add what was rejected wrongly, procedure x draw x comparison, to the sums."""
    share = wrong.sum(axis=2) / true.sum(axis=1)
    for name, values in (
        ("pair", share),
        ("squares", share**2),
        ("family", wrong.any(axis=2)),
    ):
        key = f"{world} {name}"
        found[key] = found.get(key, np.zeros(len(wrong))) + values.sum(axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlippedFolds(_Worlds):
    """Worlds of the folds of one data set, judged by every test of folds."""

    matrix: np.ndarray
    tests: tuple[FoldTest, ...]
    correlation: float
    dataset: str

    def worlds(self) -> tuple[str, ...]:
        """Return which of `WORLDS` are simulated."""
        return ("folds",)

    def names(self) -> list[tuple[str, bool]]:
        """Return each procedure, and whether it adjusts for a family."""
        return [(one.name, one.correction != "none") for one in self.tests]

    def about(self) -> dict:
        """Return what is known of the results."""
        return {
            "n": len(self.matrix),
            "noun": "fold",
            "correlation": self.correlation,
            "dataset": self.dataset,
        }

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return how many hypotheses and families were rejected, by test."""
        rejects = self._rejects(null_folds(rng, self.matrix, self.correlation, n))
        found: Sums = {}
        _add(found, "folds", rejects, np.ones(rejects.shape[1:], dtype=bool))
        parts = max(1, n // _PART)
        copied, true = np.zeros((2, parts, len(self.tests)))
        for part in range(parts):
            made = rng.normal(size=self.matrix.shape)
            copied[part] = self._rates(null_folds(rng, made, self.correlation, _PART))
            true[part] = self._rates(normal_folds(rng, made.shape, self.correlation, _PART))
        for name, rates in (("copied", copied), ("true", true)):
            found |= {name: rates.sum(axis=0), f"{name} squares": (rates**2).sum(axis=0)}
        return found | {"parts": np.array(parts)}

    def _rejects(self, values: np.ndarray) -> np.ndarray:
        """Return what each test rejects, test x draw x pair."""
        kept: dict[str, np.ndarray] = {}
        return np.stack([one.adjusted(values, kept) <= self.alpha for one in self.tests])

    def _rates(self, values: np.ndarray) -> np.ndarray:
        """Return the share of draws, or of pairs in them, that went wrong, by test."""
        rejects = self._rejects(values)
        adjusts = np.array([adjusts for _, adjusts in self.names()])
        return np.where(adjusts, rejects.any(axis=2).mean(axis=1), rejects.mean(axis=(1, 2)))

    def _levels(self, sums: Sums, world: str, n: int) -> pd.DataFrame:
        """Take from the levels what the few folds alone add to them, and say how sure that is."""
        frame, parts = super()._levels(sums, world, n), float(sums["parts"])
        copied, true = sums["copied"] / parts, sums["true"] / parts
        spreads = [
            np.maximum(sums[f"{name} squares"] / parts - mean**2, 0)
            for name, mean in (("copied", copied), ("true", true))
        ]
        of_folds = np.maximum(spreads[0] - spreads[1], 0)  # from one table of folds to the next
        se = np.sqrt(frame["se"] ** 2 + of_folds + sum(spreads) / parts)
        return frame.assign(level=(frame["level"] - (copied - true)).clip(0, 1), se=se)


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

    Parameters
    ----------
    results : Results
        Over data sets, without holes; or of one data set, if there is one or `settings` name one.
    settings : Settings, optional
        As for `analyse`: give the procedure that is chosen, and what it is compared on. `region` and
        `win` have no part.
    draws, seed : int
        Draws of each world.
    executor, progress, kept
        As `run`.

    Returns
    -------
    LevelOnDesign

    Raises
    ------
    DesignError, SettingError, DegenerateError
        Holes, too few algorithms or folds, no variation, a number out of its range.

    Notes
    -----
    Over data sets the names of algorithms are dealt anew within each (all equal), or the names of one
    pair swapped (this pair equal, the others as they are): exact worlds of tests that look at each
    data set alone. On folds each fold's deviations from the means change sign together and
    all folds share a part with variance f / (1 - f) times theirs, f the share tested: two folds are
    then correlated by f, as Nadeau and Bengio take them to be. That is a model, and for bootstrap
    samples or a common test set there is none: f is then taken as 0, and the level as that of
    independent results. Few folds make variances look more unlike than they are. How much that adds to a
    level is simulated, too: tables of normal folds of the same size, all alike, are treated as the
    results are, and their levels compared with those of new folds; the difference is taken
    off, and its variation from table to table is part of the standard error. A procedure is "above" if its level exceeds alpha by so much that all that hold
    stay below together with a chance of 0.99.

    References
    ----------
    Nadeau and Bengio, Mach. Learn. 52 (2003) 239; Benavoli, Corani and Mangili, JMLR 17 (2016) 5.

    Examples
    --------
    >>> table = pd.DataFrame(np.random.default_rng(1).normal(size=(12, 3)), columns=list("abc"))
    >>> table = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm",
    ...                                                         value_name="error")
    >>> found = level_of(Results.from_frame(table), draws=400)
    >>> found.chosen, found.frame.query("chosen and world == 'labels'")["level"].item()
    ('Bergmann-Hommel on Wilcoxon', 0.025)
    """
    work = null_worlds(results, settings or Settings(), draws=draws, seed=seed)
    return run(work, executor=executor, progress=progress, kept=kept)


def null_worlds(
    results: Results, settings: Settings, *, draws: int = 2000, seed: int = 2008
) -> SwappedLabels | FlippedFolds:
    """Return the simulation of `level_of`, to be run, kept and looked at elsewhere."""
    check_whole(draws, "draws", 2)
    if settings.dataset or len(results.datasets) < 2:
        return _of_folds(results, settings, draws, seed)
    kept, settings = settled(results, settings)
    scores, higher = averages_of(kept, settings)
    names = list(scores.columns)
    control = names.index(settings.control) if settings.control else None
    procedures = offered(len(names), control=control is not None)
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


def _of_folds(results: Results, settings: Settings, draws: int, seed: int) -> FlippedFolds:
    kept, settings = selected(results, settings)
    dataset = settings.dataset or kept.datasets[0]
    shared = folds_of(kept, dataset, settings)
    matrix = shared["matrix"].to_numpy()
    n, k = matrix.shape
    if n < 3 or k < 2:
        raise DesignError(
            f"Two or more algorithms with three or more results each are needed. On {dataset} there "
            f"are {k} with {n}. Take a data set with folds."
        )
    share = shared["test_fraction"]
    tests = fold_tests_of(k, share, five_by_two=shared["design"] == "5x2")
    test, correction = _chosen_on_folds(settings, k, share)
    chosen = [one.name for one in tests if one.test == test and one.correction in ("", correction)]
    if not chosen:
        raise SettingError(
            "`test` and `correction` must be ones that are simulated. They are "
            f"{PAIR_TESTS[test].name if test in PAIR_TESTS else test} and {CORRECTIONS[correction]}. "
            f"There are {', '.join(dict.fromkeys(one.test for one in tests))}."
        )
    return FlippedFolds(
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


def _chosen_on_folds(settings: Settings, k: int, share: float | None) -> tuple[str, str]:
    """Return the test of pairs and the correction that an analysis takes."""
    counted = share if settings.overlap == "corrected" else None
    test = settings.test or (TUKEY if k > 2 else advised_test(counted))
    if test == TUKEY and share and counted is None:
        test = IGNORED
    if k == 2:
        return test, "none"
    correction = usable_correction(settings.correction, k)
    unlisted = correction == "bergmann_hommel" and k > LARGEST_LISTED
    return test, "shaffer" if unlisted else correction
