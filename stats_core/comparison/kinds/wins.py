"""Comparisons by numbers of data sets won, with sign tests of pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
import pandas as pd

from stats_core.comparison import comparison_text, plan, result
from stats_core.comparison.pairs import Pairs, ordered_pairs, pair_values, pairs_frame
from stats_core.comparison.plan import PlannedTest, Reason, Role
from stats_core.core.errors import DegenerateError, DesignError, FoldwiseError
from stats_core.core.messages import Message, message
from stats_core.core.result_types import cached
from stats_core.core.validation import check_probability, significant
from stats_core.curves import threshold_sweep, thresholds
from stats_core.curves.threshold_sweep import (
    NOTHING_VARIES,
    Sweep,
    ThresholdDecision,
    ThresholdRules,
)
from stats_core.data.results import Results
from stats_core.data.settings import (
    Analysed,
    Settings,
    corrected_share,
    results_and_settings,
    select,
)
from stats_core.inference import fold_pairs, pairwise
from stats_core.inference.methods import SIGN_TEST, Unit
from stats_core.inference.multiplicity import adjust, win_counts
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.multivariate.manova import DimensionResult, manova_dimension
from stats_core.inference.paired import overlap_factor

# data set -> tests, blocked and one-way as far as possible, and why one is missing
DimensionTests = dict[str, tuple[list[DimensionResult], str]]


def dimensions(
    results: Results | Analysed, measures: Sequence[str], settings: Settings | None = None
) -> pd.DataFrame:
    r"""Return the estimated dimension of the algorithms' means, one row per data set, by `manova_dimension`.

    Uses only the settings `alpha`, `overlap`, `df`, `test_fraction` and the selection; SettingError
    for invalid ones. Columns: blocked and one-way (the dimension by each MANOVA), largest
    dimension, p (of Bartlett's test, blocked, that all means are equal), reason (why there are no
    tests, else "").

    References
    ----------
    Aslan's thesis 2009, Tables 7.1 and 7.6.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> errors = {"a": [(1, 2), (2, 1), (1, 1), (2, 3), (0, 2)], "b": [(5, 4), (4, 6), (6, 5), (4, 4), (5, 7)]}
    >>> text = "algorithm,fold,tp,fp,tn,fn\n" + "".join(
    ...     f"{name},{fold},{20 - fn},{fp},{20 - fp},{fn}\n"
    ...     for name in errors for fold, (fp, fn) in enumerate(errors[name]))
    >>> dimensions(read_results(("d.csv", text.encode())), ["tp", "fp"], Settings(overlap="ignored"))["blocked"].item()
    '1 (line)'
    """
    results, settings = pairwise.apply_selection(*results_and_settings(results, settings))
    return dimensions_at(dimension_tests(results, measures, settings), settings.alpha)


def dimension_tests(
    results: Results, measures: Sequence[str], settings: Settings
) -> DimensionTests:
    """Return by data set the blocked and the one-way test behind `dimensions` and "", or no tests and the reason.

    Uses only `overlap`, `df`, `test_fraction` and the selection of the settings, so the tests hold
    at every level.
    """
    results, settings = pairwise.apply_selection(results, settings)
    tests_by_dataset: DimensionTests = {}
    for dataset in results.datasets:
        tests: list[DimensionResult] = []
        reason = ""
        try:
            vectors, fraction = _vectors(results, dataset, measures, settings)
            df_bound = fold_pairs.max_df(settings, vectors.shape[1], fraction, len(measures))
            dimension = partial(
                manova_dimension, vectors, test_fraction=fraction, max_df=df_bound, names=measures
            )
            tests += [dimension(blocked=blocked) for blocked in (True, False)]
        except FoldwiseError as error:
            reason = str(error)
        tests_by_dataset[dataset] = tests, reason
    return tests_by_dataset


def dimensions_at(tested: DimensionTests, alpha: float) -> pd.DataFrame:
    """Return the table of `dimensions` at a significance level."""
    rows = {}
    for dataset, (tests, reason) in tested.items():
        row = {"blocked": "", "one-way": "", "largest dimension": "", "p": np.nan, "reason": reason}
        row |= dict(
            zip(
                ("blocked", "one-way"), (test.at_level(alpha).label for test in tests), strict=False
            )
        )
        if tests:
            row |= {"largest dimension": str(tests[0].largest), "p": tests[0].pvalue}
        rows[dataset] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


def wins(
    results: Results | Analysed,
    measures: Sequence[str],
    settings: Settings | None = None,
    *,
    rule: Literal["risk", "thesis"] | None = None,
    theta: float = 0.5,
) -> Wins:
    r"""Return the numbers of data sets that algorithms win by several measures; the lower risk decides the winner.

    Parameters
    ----------
    results : Results
        With counts of false positives and negatives per fold; DesignError otherwise.
    measures : sequence of str
        Measures compared together.
    settings : Settings
        As in `decide_each`.
    rule : {"risk", "thesis"}, optional
        Whether the difference in risk must be significant, too; `settings.win` by default.
    theta : float
        Weight of a false positive in the risk; a false negative has weight 1 - theta.

    Notes
    -----
    On each data set, every pair is tested by the paired Hotelling test, adjusted over the pairs, and
    the difference in risk by the paired t test, adjusted likewise. MANOVA need not reject first: the
    adjusted pairwise tests control the family-wise error rate without it (see `decide_each` for its
    p). A pair that cannot be tested is a tie; a data set on which no pair can be tested is skipped. If
    two true risks are equal but the errors differ, the thesis' rule rejects and gives a random winner.
    In the sign test a data set without a winner is a tie.

    References
    ----------
    Aslan's thesis 2009, section 7.1 and Figure 7.1, lines 17 to 21.

    Examples
    --------
    >>> from stats_core.io.read import read_results
    >>> errors = {"a": [(1, 2), (2, 1), (1, 1), (2, 3), (0, 2)], "b": [(5, 4), (4, 6), (6, 5), (4, 4), (5, 7)]}
    >>> text = "algorithm,fold,tp,fp,tn,fn\n" + "".join(
    ...     f"{name},{fold},{20 - fn},{fp},{20 - fp},{fn}\n"
    ...     for name in errors for fold, (fp, fn) in enumerate(errors[name]))
    >>> found = wins(read_results(("d.csv", text.encode())), ["tp", "fp"], Settings(overlap="ignored"))
    >>> found.wins.loc["a", "b"].item()
    1
    """
    results, settings = results_and_settings(results, settings)
    results, settings = pairwise.apply_selection(
        results, replace(settings, win=settings.win if rule is None else rule)
    )
    decisions, skipped = decide_each(results, measures, settings, theta=theta)
    return count_wins(decisions, skipped, results, measures, settings, theta=theta)


def decide_each(
    results: Results, measures: Sequence[str], settings: Settings, *, theta: float = 0.5
) -> tuple[dict[str, ThresholdDecision], dict[str, str]]:
    """Return the decisions on all pairs by data set, and the reason for each skipped one; parameters as for `wins`.

    Uses only the settings `alpha`, `correction`, `overlap`, `df`, `test_fraction`, `win` and the
    selection. Raises DesignError without counts of false positives and negatives.
    """
    results, settings = pairwise.apply_selection(results, settings)
    check_probability(theta, "theta")
    try:
        results.resolve_name("fp")
        results.resolve_name("fn")
    except FoldwiseError:
        raise DesignError.of("risk without counts") from None
    decisions, skipped = {}, {}
    for dataset in results.datasets:
        try:
            decisions[dataset] = _decide(results, dataset, measures, settings, theta)
        except FoldwiseError as error:
            skipped[dataset] = str(error)
    return decisions, skipped


def count_wins(
    decisions: dict[str, ThresholdDecision],
    skipped: dict[str, str],
    results: Results,
    measures: Sequence[str],
    settings: Settings,
    *,
    theta: float = 0.5,
) -> Wins:
    """Return the wins counted from the decisions of `decide_each`; other parameters as for `wins`.

    Uses only the settings `alpha`, `correction`, `win` and the selection.
    """
    names = select(results, settings).algorithms
    return win_counts.wins_from(
        {dataset: _better(decision.winners, len(names)) for dataset, decision in decisions.items()},
        names,
        win_counts.WinDefinition(
            measures=tuple(measures),
            win=f"({', '.join(measures)}) and expected cost",
            rule=comparison_text(
                "comparison.win", measures=measures, rule=settings.win, theta=theta
            ),
        ),
        alpha=settings.alpha,
        correction=win_counts.wins_correction(settings.correction),
        skipped=skipped,
    )


def _better(winners: np.ndarray, k: int) -> np.ndarray:
    """Return whether the row algorithm wins over the column algorithm, from the winner of each pair."""
    rows, columns = np.triu_indices(k, 1)
    better = np.zeros((k, k), dtype=bool)
    better[rows, columns] = winners == rows
    better[columns, rows] = winners == columns
    return better


def _vectors(
    results: Results, dataset: str, measures: Sequence[str], settings: Settings
) -> tuple[np.ndarray, float | None]:
    layers = [
        fold_pairs.fold_matrix(results, dataset, measure).to_numpy().T for measure in measures
    ]
    return np.stack(layers, axis=2), corrected_share(results, dataset, settings)


def _decide(
    results: Results, dataset: str, measures: Sequence[str], settings: Settings, theta: float
) -> ThresholdDecision:
    """Return the decisions on one data set; DegenerateError if no pair can be tested although something varies."""
    fp, fn = (fold_pairs.fold_matrix(results, dataset, name) for name in ("fp", "fn"))
    risks = (theta * fp + (1 - theta) * fn).to_numpy().T
    vectors, fraction = _vectors(results, dataset, measures, settings)
    rules = ThresholdRules(
        measures=tuple(measures),
        alpha=settings.alpha,
        rule=settings.win,
        test_fraction=fraction,
        correction=adjust.usable_correction(settings.correction, len(risks)),
        gate=False,
        df=settings.df,
    )
    decision = threshold_sweep.decide_threshold(vectors, risks, rules)
    if np.isnan(decision.pvalues).all() and set(decision.reasons) != {NOTHING_VARIES}:
        raise DegenerateError.of(
            "no testable pair",
            dataset=dataset,
            measures=measures,
            reasons=", ".join(dict.fromkeys(decision.reasons)),
        )
    return decision


@dataclass(frozen=True, kw_only=True, eq=False)
class OnWins(result.Comparison):
    """Base class of comparisons by the number of data sets won.

    Attributes
    ----------
    wins : DataFrame, algorithm x algorithm
        Numbers of data sets on which the row wins over the column.
    raw, adjusted : DataFrame, algorithm x algorithm
        p-values of the two-sided sign test over data sets, ties split, before and after adjusting.
    n : int
        Number of data sets with a decision.
    correction : str
        Correction over the pairs, one of `CORRECTIONS`.
    """

    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    wins: pd.DataFrame
    raw: pd.DataFrame
    adjusted: pd.DataFrame
    n: int
    correction: str

    @property
    def order(self) -> list[str]:
        """Algorithms by decreasing difference of wins and losses."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return list(net.sort_values(ascending=False, kind="stable").index)

    @property
    def top(self) -> tuple[str, ...]:
        """All algorithms with the largest difference of wins and losses."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return tuple(net.index[net == net.max()])

    @property
    def differs(self) -> pd.DataFrame:
        """Whether each pair differs significantly by the sign test."""
        return significant(self.adjusted, self.settings.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row algorithm wins on significantly more data sets than the column algorithm."""
        return self.differs & (self.wins > self.wins.T)

    @property
    @cached
    def pairs(self) -> Pairs:
        """One row per pair, the one with more wins first, smallest adjusted p on top.

        Columns: `PAIR_COLUMNS`, where the estimate is the share of data sets won by the first
        minus that won by the second, and the statistic is the number won by the first; then wins,
        ties, losses (of the first).
        """
        order, (first, second) = self.order, ordered_pairs(self.order)
        wins, losses = pair_values(self.wins, order), pair_values(self.wins.T, order)
        first, second = np.where(wins >= losses, (first, second), (second, first))
        wins, losses = np.maximum(wins, losses), np.minimum(wins, losses)
        columns = {
            "first": first,
            "second": second,
            "estimate": (wins - losses) / max(self.n, 1),
            "statistic": wins,
            "p": self.raw,
            "p adjusted": self.adjusted,
            "wins": wins,
            "ties": self.n - wins - losses,
            "losses": losses,
        }
        rows = pairs_frame(order, columns, self.settings.alpha, by=["p adjusted"])
        return self._pairs_of(rows)

    @property
    def counted(self) -> result.Units:
        """Number of data sets with a decision."""
        return result.Units(n=self.n, noun="data set")

    def attainable(self, n: int) -> float:
        """Return the smallest adjusted p-value attainable: one algorithm wins on all n data sets."""
        return win_counts.smallest_sign_pvalue(len(self.wins), n, self.correction)

    @property
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """The sign test over data sets."""
        return (
            PlannedTest(
                role=Role.PAIRWISE,
                card="set_wins",
                label="set_wins",
                method=SIGN_TEST,
                correction=None if len(self.wins) == 2 else self.correction,
                unit=Unit.DATA_SET,
                population=self.scope,
                reason=Reason.SUITED,
            ),
        )

    @property
    def test_name(self) -> str:
        """Name of the sign test with its correction; without it for two algorithms."""
        test = comparison_text("comparison.sign_test", counted=self.counted)
        return (
            test if len(self.wins) == 2 else plan.adjusted_tests(test, CORRECTIONS[self.correction])
        )


def _risks_noted(risks: pd.DataFrame | None, alpha: float, total: int) -> list[Message]:
    """Return a note on the number of pairs whose risks differ at some threshold; [] if `risks` is None."""
    if risks is None:
        return []
    significant_rows = risks[significant(risks["p adjusted"], alpha)]
    return [
        message(
            "risks differ", pairs=len(significant_rows.groupby(["first", "second"])), total=total
        )
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class WinsComparison(OnWins):
    """Numbers of data sets won by several measures, where the lower risk decides the winner.

    Attributes
    ----------
    measures : tuple of str
        Measures compared as one vector.
    won : mapping of (str, str) to tuple of str
        The data sets on which the first algorithm of a pair wins.
    total : Series by algorithm
        Number of data sets on which the algorithm wins over at least one other.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    win : str
        Definition of a win on a data set.
    tests : DataFrame
        One row per data set and pair: data set, first, second, winner ("" for a tie), p measures
        (Hotelling, adjusted over the pairs; NaN if not tested), p risk (t test, adjusted likewise;
        NaN by the thesis' rule), reason for a tie. Empty for a sweep over thresholds.
    manova : Series by data set
        p of MANOVA on the measures, NaN if it is not possible; empty for two algorithms or a sweep.
    sweeps : dict of str to Sweep
        The threshold sweep of each data set; empty without a sweep.
    counts : Wins
        Counts of wins, with their tests.
    stood_in : tuple of str
        Data sets on which Shaffer replaced Bergmann-Hommel, whose search was not finished.
    """

    kind: ClassVar[str] = "wins"
    shape = result.Shape(wins=True)
    measures: tuple[str, ...]
    won: Mapping[tuple[str, str], tuple[str, ...]]
    total: pd.Series
    skipped: dict[str, str]
    win: str
    tests: pd.DataFrame
    manova: pd.Series
    sweeps: dict[str, Sweep]
    counts: Wins = field(metadata=result.NOT_IN_JSON)
    stood_in: tuple[str, ...] = ()

    @property
    def together(self) -> tuple[str, ...]:
        """Names of the measures compared as one vector."""
        return self.measures

    @property
    @cached
    def _planned_tests(self) -> tuple[PlannedTest, ...]:
        """Tests on each data set that decide on wins, and the sign test over data sets."""
        swept, several = bool(self.sweeps), len(self.wins) > 2
        correction = adjust.usable_correction(self.settings.correction, len(self.wins))
        on_dataset = PlannedTest(
            role=Role.WIN,
            card="hotelling_paired",
            label="hotelling",
            method=None,
            correction=("bonferroni" if swept else correction) if several else None,
            unit=Unit.RESULT,
            population=result.population_of_folds(self.results.design),
            reason=Reason.SUITED,
            corrects_overlap=any(factor != 1 for factor in self.factors.values()),
        )
        tests = []
        if several:
            role = Role.WIN if swept else Role.ADDITIONAL
            tests.append(plan.of_all("manova", role, Unit.RESULT, on_dataset.population))
        tests.append(on_dataset)
        if self.settings.win == "risk":
            card = "corrected_t" if on_dataset.corrects_overlap else "paired_t"
            tests.append(replace(on_dataset, card=card, label="t_of_cost"))
        if swept:
            across = replace(on_dataset, card="sign_test", label="across_thresholds")
            across = replace(across, correction=None, corrects_overlap=False)
            tests.append(replace(across, unit=Unit.THRESHOLD))
        return (*tests, *super()._planned_tests)

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets with a decision."""
        return self.counts.datasets

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> result.Comparison:
        """Return the comparison on resampled data sets, with the decision on each data set unchanged."""
        wins = self.counts.resampled(places, columns)
        return _analysis(
            self.inputs.varied(),
            wins,
            self.tests,
            manova=self.manova,
            sweeps=self.sweeps,
            stood_in=self.stood_in,
        )

    @property
    def on_one_test_set(self) -> bool:
        """Whether each data set has a single test set, to which its decision is limited."""
        return self.results.design == "common test set"

    @property
    @cached
    def factors(self) -> dict[str, float]:
        """Variance inflation factor for overlapping training sets, by data set with a decision."""
        results, settings, factors = self.results, self.settings, {}
        for dataset in results.datasets:
            if dataset not in self.skipped:
                n_folds = len(results.matrix(dataset, settings.measure))
                share = corrected_share(results, dataset, settings)
                factors[dataset] = overlap_factor(n_folds, share)
        return factors

    @property
    def notes(self) -> tuple[Message, ...]:
        """Notes on MANOVA, risks, replaced corrections, data sets without a decision, and choices."""
        undecided = (
            [message("not decided", skipped=tuple(self.skipped.items()))] if self.skipped else []
        )
        requested, k = self.settings.correction, len(self.wins)
        fallbacks = (
            ()
            if self.sweeps
            else (
                adjust.fallback_message(requested, k),
                adjust.fallback_on_datasets_message(requested, self.stood_in),
            )
        )
        risks = _risks_noted(self.risks(), self.settings.alpha, self.guarantee.comparisons)
        return (
            *self._by_manova(),
            *risks,
            *filter(None, fallbacks),
            *undecided,
            *self.results.choices,
        )

    @cached
    def risks(self) -> pd.DataFrame | None:
        """Return the tests of risks over data sets; None if none could be significant."""
        attainable = significant(
            threshold_sweep.least_of_sets(len(self.sweeps)), self.settings.alpha
        )
        return threshold_sweep.risks_over_sets(self.sweeps) if attainable else None

    def _by_manova(self) -> list[Message]:
        """Return a note on the number of data sets on which MANOVA rejects; [] without MANOVA."""
        if not len(self.manova):
            return []
        rejects = int(significant(self.manova, self.settings.alpha).sum())
        return [message("manova rejects", rejects=rejects, n=self.n)]


def compare_wins(inputs: result.Inputs) -> WinsComparison:
    """Return the comparison of algorithms by numbers of data sets won on several measures."""
    results, settings = inputs.results, inputs.settings
    measures = tuple(settings.measures)
    decisions, skipped = decide_each(results, measures, settings)
    wins = count_wins(decisions, skipped, results, measures, settings)
    several = len(results.algorithms) > 2
    usable = adjust.usable_correction(settings.correction, len(results.algorithms))
    manova = (
        {dataset: decision.manova for dataset, decision in decisions.items()} if several else {}
    )
    return _analysis(
        inputs,
        wins,
        tests=_tests(decisions, results.algorithms),
        manova=pd.Series(manova, dtype=float),
        sweeps={},
        stood_in=tuple(
            name for name, decision in decisions.items() if decision.correction not in ("", usable)
        ),
    )


def _analysis(
    inputs: result.Inputs,
    wins: Wins,
    tests: pd.DataFrame,
    *,
    manova: pd.Series,
    sweeps: dict[str, Sweep],
    stood_in: tuple[str, ...] = (),
) -> WinsComparison:
    """Return the comparison by these counts of wins, with the tests and sweeps behind them."""
    return WinsComparison(
        inputs=inputs,
        measures=wins.measures,
        wins=wins.wins,
        won=wins.won,
        total=wins.total,
        raw=wins.raw,
        adjusted=wins.pvalues,
        n=wins.n,
        skipped=wins.skipped,
        win=wins.rule,
        correction=wins.correction,
        counts=wins,
        tests=tests,
        manova=manova,
        sweeps=sweeps,
        stood_in=stood_in,
    )


def _tests(decisions: dict[str, ThresholdDecision], names: Sequence[str]) -> pd.DataFrame:
    """Return the tests of every pair on every data set, as `WinsComparison.tests`."""
    labels = [*names, ""]  # index -1, NO_WINNER, gives ""
    rows = [
        (dataset, a, b, labels[winner], p, by_risk, reason)
        for dataset, decision in decisions.items()
        for (a, b), winner, p, by_risk, reason in zip(
            combinations(names, 2),
            decision.winners,
            decision.pvalues,
            decision.risk_pvalues,
            decision.reasons,
            strict=True,
        )
    ]
    columns = ["data set", "first", "second", "winner", "p measures", "p risk", "reason"]
    return pd.DataFrame(rows, columns=columns)


def compare_thresholds(inputs: result.Inputs) -> WinsComparison:
    """Return the comparison by wins over 21 thresholds (Aslan's thesis, case 6); DesignError if no sweep is made."""
    results, settings = inputs.results, inputs.settings
    if reason := thresholds.needs_scores(results):
        raise DesignError.of("sweep without scores", source=results.source, reason=reason)
    sweeps, skipped = threshold_sweep.sweep_each(results, settings)
    if not sweeps:
        raise DesignError.of("no sweep", reason=next(iter(skipped.values()), ""))
    wins = replace(threshold_sweep.over_data_sets(sweeps, alpha=settings.alpha), skipped=skipped)
    return _analysis(
        inputs, wins, tests=_tests({}, ()), manova=pd.Series(dtype=float), sweeps=sweeps
    )
