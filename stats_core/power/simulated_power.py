"""Simulated power of procedures when drawn data sets increasingly favour one algorithm."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf, sqrt
from typing import Literal

import numpy as np
import pandas as pd
from scipy import stats

from stats_core.comparison import comparison_text, plan
from stats_core.comparison.analyse import analyse
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.formatting import join_names
from stats_core.core.result_types import cached
from stats_core.core.validation import check_one_of, significant
from stats_core.data.results import Results
from stats_core.data.settings import SOURCES, Analysed, Settings, Source, results_and_settings
from stats_core.inference import pairwise
from stats_core.inference.multiplicity import bergmann_hommel
from stats_core.inference.multiplicity.adjust import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    FALSE_DISCOVERY,
    LOGICAL,
    WHY_NOT_TRANSITIVE,
    adjust_rows,
    corrections_for,
    is_transitive,
)
from stats_core.inference.multiplicity.bergmann_hommel import MAX_ALGORITHMS_OF_ROWS
from stats_core.inference.paired import signed_ranks
from stats_core.inference.ranks import rank_rows, two_sided_tail
from stats_core.power import order_simulation, simulation
from stats_core.power.simulation import Simulation, Sums

# "z" is the normal test of average ranks, as published; an analysis uses the exact test
TESTS = {**SOURCES, "z": "z of average ranks"}
_BY_NAME = {"nemenyi": "nemenyi", "bonferroni_dunn": "z"}  # corrections with a test of their own


@dataclass(frozen=True, slots=True, order=True)
class Procedure:
    """A pairwise test with a correction, such as Wilcoxon signed-rank tests with Holm adjustment.

    Attributes
    ----------
    source : str
        One of `TESTS`.
    correction : str
        One of `CORRECTIONS`, or of `CONTROL_CORRECTIONS` where there is a control.
    """

    source: str
    correction: str

    @property
    def name(self) -> str:
        """Display name of the procedure."""
        name = (CORRECTIONS | CONTROL_CORRECTIONS)[self.correction]
        tests = comparison_text(f"tests.{self.source}", plural=True)
        return name if self.correction in _BY_NAME else plan.adjusted_tests(tests, name)

    @property
    def test(self) -> str:
        """Key of the test whose p-values are adjusted."""
        return _BY_NAME.get(self.correction, self.source)

    def adjust(self, raw: np.ndarray) -> np.ndarray:
        """Return adjusted p-values, experiment x comparison; `raw` itself for Nemenyi and without correction."""
        if self.correction in ("nemenyi", "none"):
            return raw
        if self.correction == "bergmann_hommel":
            return bergmann_hommel.bergmann_hommel_rows(raw)
        return adjust_rows(raw, self.correction.removesuffix("_dunn"))


def all_procedures(
    k: int, *, control: bool, tests: Iterable[str] = SOURCES
) -> tuple[Procedure, ...]:
    """Return the procedures that can be simulated for k algorithms, with p-values from one of `tests`.

    Bergmann-Hommel's procedure is left out for more than `MAX_ALGORITHMS_OF_ROWS` algorithms, and
    Benjamini-Hochberg's because it controls another error rate.

    Examples
    --------
    >>> len(all_procedures(8, control=False)), len(all_procedures(8, control=True))
    (20, 22)
    """
    candidates = [
        Procedure(source, correction)
        for source in tests
        for correction in (CONTROL_CORRECTIONS if control else corrections_for(source))
    ]
    return tuple(
        procedure
        for procedure in candidates
        if procedure.correction != FALSE_DISCOVERY
        and not (procedure.correction in _BY_NAME and procedure.source != "ranks")
        and not (procedure.correction == "bergmann_hommel" and k > MAX_ALGORITHMS_OF_ROWS)
    )


def default_procedures(
    k: int, *, control: bool, source: Source | Literal[""] = ""
) -> tuple[Procedure, ...]:
    """Return the procedures that are simulated by default, with those of a chosen test."""
    corrections = ("holm", "finner") if control else ("holm", "shaffer", "bergmann_hommel")
    first = Procedure("ranks", "bonferroni_dunn" if control else "nemenyi")
    tests = dict.fromkeys(("ranks", "wilcoxon", source or "wilcoxon"))
    own = [Procedure(*procedure) for procedure in product(tests, corrections)]
    available = all_procedures(k, control=control)
    return tuple(procedure for procedure in (first, *own) if procedure in available)


def names_by_test(procedures: Iterable[Procedure]) -> list[str]:
    """Return display names of procedures, with one name for all corrections of the same test.

    Examples
    --------
    >>> names_by_test(Procedure("wilcoxon", correction) for correction in ("holm", "shaffer"))
    ['Wilcoxon signed-rank tests with Holm and Shaffer adjustment']
    """
    names: dict[str, list[str]] = {}
    for procedure in procedures:
        is_own = procedure.correction in _BY_NAME or procedure.correction == "none"
        if is_own:
            names[procedure.name] = []
        else:
            correction = (CORRECTIONS | CONTROL_CORRECTIONS)[procedure.correction]
            names.setdefault(comparison_text(f"tests.{procedure.source}", plural=True), []).append(
                correction
            )
    return [
        plan.adjusted_tests(name, join_names(corrections, 9)) if corrections else name
        for name, corrections in names.items()
    ]


def parse_procedure(text: str, k: int, *, control: bool) -> Procedure:
    """Return the procedure with a name such as "holm on wilcoxon" or "nemenyi"; SettingError if it is not simulated.

    Examples
    --------
    >>> parse_procedure("bergmann-hommel on z", 8, control=False).name
    'z tests of average ranks with Bergmann-Hommel adjustment'
    """
    correction, _, source = text.strip().lower().replace("-", "_").partition(" on ")
    source = source.strip() or "ranks"
    check_one_of(source, TESTS, "procedure, after on,")
    check_one_of(correction, CONTROL_CORRECTIONS if control else CORRECTIONS, "procedure")
    procedure = Procedure("ranks" if correction in _BY_NAME else source, correction)
    if not control and correction in LOGICAL and not is_transitive(source):
        raise SettingError.of(
            "The sign test does not allow the correction of a procedure",
            correction=CORRECTIONS[correction],
            why=WHY_NOT_TRANSITIVE,
        )
    if correction != FALSE_DISCOVERY and procedure not in all_procedures(
        k, control=control, tests=TESTS
    ):
        raise SettingError.of(
            "Bergmann-Hommel is simulated for few algorithms", most=MAX_ALGORITHMS_OF_ROWS, k=k
        )
    return procedure


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """Results over data sets, reduced to ranks and signed dense ranks of differences.

    Attributes
    ----------
    ranks : array of int, data set x algorithm
        Twice the mid-ranks, 2 is best.
    steps : array of int, data set x algorithm x algorithm
        Signed dense rank of the difference, row minus column, by absolute value; 0 for ties.
        Positive if the row has the larger score.
    """

    ranks: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(cls, scores: pd.DataFrame, *, higher_is_better: bool) -> "Blocks":
        """Return the blocks of a table of averages, data set x algorithm."""
        ranks = np.rint(2 * rank_rows(scores, higher_is_better=higher_is_better).to_numpy())
        row, column = np.broadcast_arrays(
            scores.to_numpy()[:, :, None], scores.to_numpy()[:, None, :]
        )
        steps = signed_ranks.signed_steps(row.reshape(1, -1), column.reshape(1, -1)).reshape(
            row.shape
        )
        return cls(ranks=ranks.astype(int), steps=steps)

    def patterns(self) -> np.ndarray:
        """Return the index of the pattern of ties on each data set."""
        return np.unique(np.sort(self.ranks, axis=1), axis=0, return_inverse=True)[1].ravel()


@cached
def blocks_of(results: Results, measure: str) -> Blocks:
    """Return the blocks of the averages of a measure, cached with the results."""
    return Blocks.of(
        results.averages(measure), higher_is_better=results.direction(measure) == "higher"
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiments:
    """Many simulated experiments of the same size.

    Attributes
    ----------
    ranks : array of int, experiment x data set x algorithm
        Twice the mid-ranks.
    steps : array of int, experiment x data set x comparison
        Signed dense ranks, as in `Blocks`.
    patterns : array of int, experiment x data set
        Indices of the tie patterns, as in `Blocks`.
    first, second : array of int, comparison
        Indices of the algorithms of each comparison.
    """

    ranks: np.ndarray
    steps: np.ndarray
    patterns: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def pvalues(self, test: str) -> np.ndarray:
        """Return the p-values of one test, experiment x comparison, unadjusted except for Nemenyi's."""
        if test == "wilcoxon":
            return signed_ranks.wilcoxon_two_sided(self.steps.swapaxes(1, 2))
        if test == "sign":
            return signed_ranks.sign_two_sided(self.steps.swapaxes(1, 2))
        sums = self.ranks.sum(axis=1)
        differences = np.abs(sums[:, self.first] - sums[:, self.second])
        return self._exact(differences) if test == "ranks" else self._normal(test)[differences]

    def adjusted(self, procedures: Sequence[Procedure]) -> dict[Procedure, np.ndarray]:
        """Return adjusted p-values of each procedure, experiment x comparison."""
        raw = {test: self.pvalues(test) for test in {procedure.test for procedure in procedures}}
        return {procedure: procedure.adjust(raw[procedure.test]) for procedure in procedures}

    def _normal(self, test: str) -> np.ndarray:
        """Return a lookup table of normal or Nemenyi p-values by doubled difference of rank sums."""
        _, n, k = self.ranks.shape
        z = np.arange(2 * n * (k - 1) + 1) / (2 * n) / sqrt(k * (k + 1) / (6 * n))
        if test == "nemenyi":
            return np.clip(stats.studentized_range.sf(sqrt(2) * z, k, inf), 0, 1)
        return 2 * stats.norm.sf(z)

    def _exact(self, differences: np.ndarray) -> np.ndarray:
        """Return exact p-values of rank-sum differences; equal tie patterns share one distribution."""
        pvalues = np.empty(differences.shape)
        kinds, first, kind = np.unique(
            np.sort(self.patterns, axis=1), axis=0, return_index=True, return_inverse=True
        )
        by_kind = np.split(
            np.argsort(kind.ravel(), kind="stable"), np.bincount(kind.ravel()).cumsum()
        )
        for index, members in zip(first, by_kind[: len(kinds)], strict=True):
            pvalues[members] = two_sided_tail(self.ranks[index] / 2)[differences[members]]
        return pvalues


def compared_pairs(k: int, control: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the index arrays of first and second algorithm of each comparison; a control is always first."""
    if control is None:
        rows, columns = np.triu_indices(k, 1)
        return rows, columns
    others = np.delete(np.arange(k), control)
    return np.full(k - 1, control), others


_BIASES = tuple(float(bias) for bias in range(21))
SETS = 10  # data sets of one draw, as in the papers
_MEANS = ("rejected", "pvalue", "pair rejected", "pair pvalue")


@dataclass(frozen=True, kw_only=True, eq=False)
class ProcedurePower:
    """Simulated rejections by each procedure as draws increasingly favour one algorithm.

    Attributes
    ----------
    frame : DataFrame
        One row per bias and procedure: ``bias``, ``procedure``; means over draws of ``rejected``
        (number of significant comparisons), ``pvalue`` (adjusted, over all comparisons), ``pair
        rejected`` (share of draws in which the pair is significant) and ``pair pvalue``; each with
        its Monte Carlo standard error, ``rejected se`` and so on.
    procedures : tuple of Procedure
        In the order of the rows.
    pair : tuple of str
        The algorithm that the draws favour, and the algorithm it is compared with.
    control : str
        The control; "" if all pairs are compared.
    comparisons, n_sets, from_sets, draws, seed : int
        Hypotheses of a family; data sets of a draw, and those they are drawn from; draws at each
        bias; random seed.
    alpha : float
        Significance level.
    measure : str
        The measure.
    """

    frame: pd.DataFrame
    procedures: tuple[Procedure, ...]
    pair: tuple[str, str]
    control: str
    comparisons: int
    n_sets: int
    from_sets: int
    draws: int
    seed: int
    alpha: float
    measure: str


@dataclass(frozen=True, kw_only=True, eq=False)
class BiasedDraws(Simulation):
    """Simulation behind `power_of`: biased draws of data sets, tested by every procedure.

    Attributes
    ----------
    ranks, steps : array
        As in `Blocks`.
    lead : array, data set
        Advantage of the first algorithm of the pair, in the measure's units.
    pair : int
        Index of the pair among the comparisons.
    pair_names : tuple of str
        The favoured algorithm, and the one it is compared with.
    control : int or None
        Index of the control; None if all pairs are compared.
    control_name : str
        The control; "" if all pairs are compared.
    biases : tuple of float
        Strengths of the preference, increasing.
    n_sets, procedures, alpha, measure
        As in `ProcedurePower`.
    """

    ranks: np.ndarray
    steps: np.ndarray
    lead: np.ndarray
    pair: int
    pair_names: tuple[str, str]
    control: int | None
    control_name: str
    biases: tuple[float, ...]
    n_sets: int
    procedures: tuple[Procedure, ...]
    alpha: float
    measure: str

    def draw(self, rng: np.random.Generator, n: int) -> Sums:
        """Return the sums and sums of squares of each quantity, bias x procedure x quantity."""
        noise = rng.gumbel(size=(n, len(self.lead)))  # the same at every bias
        sets = np.concatenate([draw_sets(self.lead, b, noise, self.n_sets) for b in self.biases])
        first, second = compared_pairs(self.ranks.shape[1], self.control)
        blocks = Blocks(ranks=self.ranks, steps=self.steps)
        drawn = Experiments(
            ranks=self.ranks[sets],
            steps=self.steps[:, first, second][sets],
            patterns=blocks.patterns()[sets],
            first=first,
            second=second,
        )
        adjusted = drawn.adjusted(self.procedures)
        values = np.stack(
            [self._means(adjusted[procedure]) for procedure in self.procedures], axis=1
        )
        by_bias = values.reshape(len(self.biases), n, len(self.procedures), len(_MEANS))
        return {"sum": by_bias.sum(axis=1), "squares": (by_bias**2).sum(axis=1)}

    def _means(self, p: np.ndarray) -> np.ndarray:
        """Return the quantities `_MEANS` of each experiment, experiment x quantity."""
        rejects = significant(p, self.alpha)
        of_pair = rejects[:, self.pair], p[:, self.pair]
        return np.column_stack([rejects.sum(axis=1), p.mean(axis=1), *of_pair])

    def result(self, sums: Sums, n: int) -> ProcedurePower:
        """Return the means over draws with their standard errors."""
        means = sums["sum"] / n
        variance = np.maximum(sums["squares"] / n - means**2, 0) / max(n - 1, 1)
        names = [procedure.name for procedure in self.procedures]
        index = pd.MultiIndex.from_product([self.biases, names], names=["bias", "procedure"])
        columns = {
            f"{name}{end}": values[..., position].ravel()
            for position, name in enumerate(_MEANS)
            for end, values in (("", means), (" se", np.sqrt(variance)))
        }
        return ProcedurePower(
            frame=pd.DataFrame(columns, index=index).reset_index(),
            procedures=self.procedures,
            pair=self.pair_names,
            control=self.control_name,
            comparisons=len(compared_pairs(self.ranks.shape[1], self.control)[0]),
            n_sets=self.n_sets,
            from_sets=len(self.lead),
            draws=n,
            seed=self.seed,
            alpha=self.alpha,
            measure=self.measure,
        )


@simulation.simulated
def power_of(
    results: Results | Analysed,
    settings: Settings | None = None,
    *,
    pair: tuple[str, str] | None = None,
    procedures: Sequence[str] = (),
    biases: Sequence[float] = _BIASES,
    n_sets: int | None = None,
    draws: int = 1000,
    seed: int = 2008,
) -> BiasedDraws:
    """Return the simulated power of each procedure on data sets drawn in favour of one algorithm.

    `pair` is by default the best and the worst algorithm or, with a control, the best other
    algorithm and the control. `procedures` are by default those of average ranks, of Wilcoxon tests,
    and of the test `settings.source`. `n_sets` is by default 10, or half of the data sets if there are at
    most 10. Raise SettingError for invalid options, DesignError for missing results, one algorithm
    or fewer than three data sets.

    Notes
    -----
    A data set is drawn with probability proportional to 1 / (1 + exp(-b d)), where d is the advantage
    of the first algorithm on it, in the measure's units. For measures from 0 to 1 the published range
    of b is 0 to 20. Every bias b uses the same random numbers, so that curves differ by b alone. Since
    draws come from these data sets only, the power does not generalise to other results.

    References
    ----------
    Garcia and Herrera, JMLR 9 (2008) 2677, section 4; Demsar, JMLR 7 (2006) 1, section 4.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> table = pd.DataFrame(rng.normal([0.1, 0.2, 0.3], 0.05, (30, 3)), columns=list("abc"))
    >>> table = table.rename_axis("dataset").reset_index().melt("dataset", var_name="algorithm",
    ...                                                         value_name="error")
    >>> found = power_of(Results.from_frame(table), biases=[0.0, 20.0], draws=100)
    >>> found.pair, found.frame.set_index(["bias", "procedure"]).loc[(0.0, "Nemenyi"), "rejected"].item()
    (('a', 'c'), 1.51)
    """
    results, settings = results_and_settings(results, settings)
    source = settings.source
    check_units(results, settings)
    selected, settings = pairwise.resolve_settings(results, settings)
    scores, higher = averages_of(selected, settings)
    names = list(scores.columns)
    if n_sets is None:
        n_sets = SETS if len(scores) > SETS else max(2, len(scores) // 2)
    _check_sizes(len(scores), n_sets, draws, biases)
    favoured = _pair(scores, pair, settings.control, higher)
    positions = [names.index(name) for name in favoured]
    control = names.index(settings.control) if settings.control else None
    requested = [
        parse_procedure(text, len(names), control=control is not None) for text in procedures
    ]
    sign = 1 if higher else -1
    blocks = blocks_of(selected, settings.measure)
    compared = [
        set(comparison) for comparison in zip(*compared_pairs(len(names), control), strict=True)
    ]
    return BiasedDraws(
        ranks=blocks.ranks,
        steps=blocks.steps,
        lead=sign * (scores[favoured[0]] - scores[favoured[1]]).to_numpy(),
        pair=compared.index(set(positions)),
        pair_names=favoured,
        control=control,
        control_name=settings.control,
        biases=tuple(float(bias) for bias in biases),
        n_sets=n_sets,
        procedures=tuple(dict.fromkeys(requested))
        or default_procedures(len(names), control=control is not None, source=source),
        alpha=settings.alpha,
        measure=settings.measure,
        draws=draws,
        seed=seed,
    )


def draw_sets(lead: np.ndarray, bias: float, noise: np.ndarray, size: int) -> np.ndarray:
    """Return the data sets drawn in each experiment, without replacement, draw x position.

    Taking the largest sums of log weight and Gumbel noise is equivalent to drawing one after the
    other, in proportion to the remaining weights (Yellott 1977).
    """
    keys = noise - np.logaddexp(0, -bias * lead)
    return np.argpartition(-keys, size - 1, axis=1)[:, :size]


def check_units(results: Results, settings: Settings) -> None:
    """Raise DesignError if a comparison would test instances where a simulation draws data sets.

    A source of p-values in `settings` settles that data sets are the unit.
    """
    if results.predictions is None or settings.source:
        return
    try:
        comparison = analyse(results, settings)
    except FoldwiseError:
        return  # the simulation gives its own reason
    if comparison.shape.over == "benchmarks":
        raise DesignError.of("A simulation draws data sets", n=len(comparison.results.datasets))


def averages_of(results: Results, settings: Settings) -> tuple[pd.DataFrame, bool]:
    """Return averages, data set x algorithm, and whether higher is better; DesignError for missing or too few cells."""
    scores = results.averages(settings.measure)
    missing = int(scores.isna().to_numpy().sum())
    if missing:
        raise DesignError.of(
            "Every algorithm needs a result on every data set", missing=missing, size=scores.size
        )
    if len(scores) < 2 or scores.shape[1] < 2:
        raise DesignError.of(
            "Two or more algorithms on two or more data sets",
            n_algorithms=scores.shape[1],
            n_scores=len(scores),
        )
    return scores, results.direction(settings.measure) == "higher"


def _check_sizes(sets: int, size: int, draws: int, biases: Sequence[float]) -> None:
    """Raise an error for sizes, numbers of draws or biases that cannot be simulated."""
    order_simulation.check_whole(size, "n_sets", 2)
    order_simulation.check_whole(draws, "draws", 2)
    if sets < 3:
        raise DesignError.of("few to draw from", sets=sets)
    if size >= sets:
        raise SettingError.of(
            "n_sets must be below the number of data sets",
            size=size,
            sets=sets,
            better=max(2, sets // 3),
        )
    if not len(biases) or not np.isfinite(biases).all() or (np.diff(biases) <= 0).any():
        raise SettingError.of("biases not increasing")


def _pair(
    scores: pd.DataFrame, pair: tuple[str, str] | None, control: str, higher: bool
) -> tuple[str, str]:
    """Return the given pair, else as in `power_of`; SettingError for an invalid pair."""
    means = scores.mean().sort_values(ascending=not higher, kind="stable")
    if pair is None:
        others = [name for name in means.index if name != control]
        return (others[0], control or others[-1])
    first, second = pair
    if first == second or not {first, second} <= set(means.index):
        raise SettingError.of(
            "pair must name two different algorithms of these",
            names=", ".join(means.index),
            first=first,
            second=second,
        )
    if control and control not in pair:
        raise SettingError.of(
            "pair must include the control", control=control, first=first, second=second
        )
    return first, second
