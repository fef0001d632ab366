"""One-sided tests of all ordered pairs of algorithms on the folds of a data set."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd

from stats_core.core.errors import (
    DegenerateError,
    DesignError,
    FoldwiseError,
    MissingCells,
    SettingError,
)
from stats_core.core.result_types import labeled_matrix, square_matrix
from stats_core.core.validation import check_one_of, check_probability, significant
from stats_core.curves import thresholds
from stats_core.data import costs
from stats_core.data.results import Results
from stats_core.data.settings import Analysed, Settings, corrected_share, results_and_settings
from stats_core.inference import fold_pairs, fold_tests, pairwise
from stats_core.inference.fold_pairs import FoldDifferences
from stats_core.inference.methods import PAIR_TESTS, FoldPair, PairMethod
from stats_core.inference.multiplicity import adjust

# key of the correction of the L(L - 1)/2 tests on one data set -> name shown
ONE_SIDED_FAMILIES = {"holm": "Holm", "bonferroni": "Bonferroni", "none": "none"}
# these use which algorithms can be equal, so they need two-sided tests
TWO_SIDED_FAMILIES = {
    "bergmann_hommel": "Bergmann-Hommel, two-sided",
    "shaffer": "Shaffer, two-sided",
}
FAMILIES = {**ONE_SIDED_FAMILIES, **TWO_SIDED_FAMILIES}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneSidedEvidence:
    """One-sided tests of all ordered pairs on one data set.

    Attributes
    ----------
    dataset, measure : str
        Data set; measure, or "expected cost at θ = ..." for a risk.
    test, name : str
        Key and name of the test.
    n : int
        Number of results of each algorithm.
    means : Series by algorithm
        Mean of each algorithm, in the order of the data.
    higher_is_better : bool
        Whether higher values are better.
    pvalues : DataFrame, algorithm x algorithm
        One-sided p-values, for the alternative that the row is better than the column.
    two_sided : DataFrame, algorithm x algorithm
        Twice the smaller p-value of the two directions, at most 1 (not doubled if undivided); 1 on
        the diagonal.
    """

    dataset: str
    measure: str
    test: str
    name: str
    n: int
    means: pd.Series
    higher_is_better: bool
    pvalues: pd.DataFrame
    two_sided: pd.DataFrame
    _adjusted: dict[str, pd.DataFrame] = field(default_factory=dict, repr=False)

    def adjusted(self, correction: str) -> pd.DataFrame:
        """Return `two_sided` adjusted by one of `CORRECTIONS`, or by a feasible substitute; cached."""
        if correction not in self._adjusted:
            usable = adjust.usable_correction(correction, len(self.two_sided), source=self.test)
            self._adjusted[correction] = adjust.adjust_by_nearest(self.two_sided, usable)
        return self._adjusted[correction]

    def used(self, correction: str) -> str:
        """Return the correction that `adjusted` applies."""
        return adjust.used_correction(correction, self.adjusted(correction), source=self.test)

    def tests(
        self, prior: tuple[str, ...], *, family: str = "holm", alpha: float = 0.05
    ) -> pd.DataFrame:
        """Return tests that the more expensive of each pair is better; p is two-sided for `TWO_SIDED_FAMILIES`.

        Columns: cheaper, costlier, p raw, p adjusted, better (whether the more expensive is
        significantly better). Raises SettingError for an invalid prior order, family or alpha.
        """
        check_probability(alpha, "alpha")
        rows, columns, raw, adjusted, agrees = self._compared(prior, family)
        names = np.array(prior, dtype=object)
        return pd.DataFrame(
            {
                "cheaper": names[rows],
                "costlier": names[columns],
                "p raw": raw,
                "p adjusted": adjusted,
                "better": significant(adjusted, alpha) & agrees,
            }
        )

    def edges(
        self, prior: tuple[str, ...], *, family: str = "holm", alpha: float = 0.05
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs (cheaper, more expensive) in which the more expensive algorithm is significantly better."""
        check_probability(alpha, "alpha")
        return edges_at(prior, self.least_levels(prior, family), alpha)

    def least_levels(self, prior: tuple[str, ...], family: str) -> np.ndarray:
        """Return the smallest alpha at which the more expensive of each pair of `prior` is better, inf if none."""
        *_, adjusted, agrees = self._compared(prior, family)
        return np.where(agrees, adjusted, np.inf)

    def _compared(self, prior: tuple[str, ...], family: str) -> tuple[np.ndarray, ...]:
        """Return by pair positions in `prior` (cheaper, costlier), p, adjusted p, whether p can favour the costlier."""
        if family not in FAMILIES:
            raise SettingError.of("unknown family", family=family, options=FAMILIES)
        position = {name: i for i, name in enumerate(self.means.index)}
        order = [position[name] for name in costs.check_prior(prior, tuple(position))]
        rows, columns = np.triu_indices(len(prior), 1)
        one_sided = self.pvalues.to_numpy()[np.ix_(order, order)]
        raw = one_sided[
            columns, rows
        ]  # of the alternative that the more expensive algorithm is better
        if family in ONE_SIDED_FAMILIES:
            return (
                rows,
                columns,
                raw,
                adjust.adjust_family(raw, family),
                np.ones(len(raw), dtype=bool),
            )
        raw = self.two_sided.to_numpy()[np.ix_(order, order)][rows, columns]
        adjusted = self.adjusted(family).to_numpy()[np.ix_(order, order)][rows, columns]
        gain = self.means.to_numpy()[order] * (1 if self.higher_is_better else -1)
        agrees = (gain[columns] > gain[rows]) & (one_sided < one_sided.T)[columns, rows]
        return rows, columns, raw, adjusted, agrees


def edges_at(
    prior: tuple[str, ...], least_levels: np.ndarray, alpha: float
) -> tuple[tuple[str, str], ...]:
    """Return the pairs (cheaper, more expensive) whose more expensive algorithm is significantly better at alpha.

    `least_levels` is from `OneSidedEvidence.least_levels`, for the same prior order.
    """
    pairs = zip(combinations(prior, 2), least_levels, strict=True)
    return tuple(pair for pair, least in pairs if significant(least, alpha))


def evidence(
    results: Results | Analysed,
    dataset: str,
    settings: Settings | None = None,
    *,
    theta: float | None = None,
    undivided: bool = False,
) -> OneSidedEvidence:
    """Return one-sided p-values of all ordered pairs of algorithms on the folds of one data set.

    With `theta`, the risk theta * fp + (1 - theta) * fn replaces the measure. With `undivided`, the
    p-value of the 5x2 cv F test, the only test that allows it, is not halved. Raises DesignError if
    the test does not apply, DegenerateError for constant differences, MissingCells for missing
    results, and SettingError for an unknown test, `undivided` with another test, or `theta` without
    counts.

    References
    ----------
    Yildiz and Alpaydin, IEEE TPAMI 28 (2006) 392, section 3; formulas in docs/methods.md.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> found = evidence(Results.from_frame(table), "results", Settings(test="paired t"))
    >>> found.pvalues.loc["a", "b"].round(4).item(), found.pvalues.loc["b", "a"].round(4).item()
    (0.0077, 0.9923)
    """
    results, settings = results_and_settings(results, settings)
    if settings.test:
        check_one_of(settings.test, PAIR_TESTS, "test")
    results, settings = pairwise.apply_selection(results, settings)
    measure = settings.measure
    higher = results.direction(settings.measure) == "higher"
    if theta is None:
        data = fold_pairs.fold_data(results, dataset, settings)
    else:
        if settings.test and PAIR_TESTS[settings.test].on_instances:
            raise DesignError.of("McNemar on risks")
        risks = _risks(results, dataset, theta)
        higher = False
        measure = f"expected cost at θ = {theta:g}"
        # missing results of the measure do not affect the risk
        data = replace(
            fold_pairs.fold_data(results, dataset, replace(settings, measure="fp")), matrix=risks
        )
    matrix = data.matrix
    fraction = data.test_fraction
    share = corrected_share(results, dataset, settings)
    test = settings.test or fold_tests.advised_test(share, len(matrix), settings.df)
    all_pairs = list(combinations(matrix.columns, 2))
    method = PAIR_TESTS[test]
    tested = all_pairs if method.one_sided is None else all_pairs[:1]
    pairs = fold_pairs.fold_pairs(results, data, settings.measure, tested)
    if pairs and (reason := method.refuses(next(iter(pairs.values())))):
        raise DesignError.of("test does not apply", reason=reason, test=method.name)
    if undivided and method.signed:
        raise SettingError.of("undivided needs F", test=test)
    options = {"test_fraction": fraction, "undivided": undivided}
    # p against "the row's result is larger"
    greater = (
        _one_by_one(matrix, pairs, test)
        if method.one_sided is None
        else _at_once(matrix, method, options)
    )
    pvalues = greater if higher else greater.T
    sides = 1 if undivided else 2
    two_sided = np.minimum(sides * np.minimum(pvalues, pvalues.T), 1)
    np.fill_diagonal(two_sided, 1.0)
    names = [str(name) for name in matrix.columns]
    return OneSidedEvidence(
        dataset=dataset,
        measure=measure,
        test=test,
        name=method.name,
        n=len(matrix),
        means=matrix.mean().set_axis(names),
        higher_is_better=higher,
        pvalues=labeled_matrix(pvalues, names),
        two_sided=labeled_matrix(two_sided, names),
    )


def evidence_over(
    results: Results | Analysed,
    settings: Settings | None = None,
    *,
    theta: float | None = None,
    undivided: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[dict[str, OneSidedEvidence], dict[str, str]]:
    """Return the evidence by data set, and the reason for each skipped data set; raise only SettingError.

    The other arguments are those of `evidence`. `progress` is called with the number of data sets
    done and the total.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> found, skipped = evidence_over(Results.from_frame(table), Settings(test="paired t"))
    >>> found["results"].pvalues.loc["a", "b"].round(4).item(), skipped
    (0.0077, {})
    """
    results, settings = pairwise.apply_selection(*results_and_settings(results, settings))
    by_dataset = {}
    skipped = {}
    for done, dataset in enumerate(results.datasets, 1):
        try:
            by_dataset[dataset] = evidence(
                results, dataset, settings, theta=theta, undivided=undivided
            )
        except SettingError:
            raise
        except FoldwiseError as error:
            skipped[dataset] = str(error)
        if progress is not None:
            progress(done, len(results.datasets))
    return by_dataset, skipped


def _risks(results: Results, dataset: str, theta: float) -> pd.DataFrame:
    """Return the risk theta * fp + (1 - theta) * fn, fold x algorithm; SettingError without counts, or MissingCells."""
    try:
        counts = [results.matrix(dataset, name) for name in ("tp", "fp", "tn", "fn")]
    except SettingError:
        raise SettingError.of("Risk needs counts of both kinds of error") from None
    if any(table.isna().to_numpy().any() for table in counts):
        raise MissingCells.of("risk incomplete", dataset=dataset)
    values = thresholds.risk(np.stack([table.to_numpy() for table in counts], axis=-1), theta)
    return pd.DataFrame(values, index=counts[0].index, columns=counts[0].columns)


def _at_once(matrix: pd.DataFrame, method: PairMethod, options: dict) -> np.ndarray:
    """Return one-sided p-values that the row is larger; DegenerateError if the differences of a pair are constant."""
    pairs = FoldDifferences.of(matrix.to_numpy())
    differences = np.where(pairs.identical, 0.0, pairs.values)  # up to rounding
    deviations = differences - differences.mean(axis=0)
    if method.five_by_two:
        deviations = differences[0::2] - differences[1::2]
    constant = pairs.constant(deviations)
    if constant.any():
        first, second = list(combinations(matrix.columns, 2))[constant.argmax()]
        raise DegenerateError.of(
            "The differences of first and second must vary", first=first, second=second
        )
    greater, less = (
        fold_tests.one_sided(side.T, method.key, **options) for side in (differences, -differences)
    )
    return square_matrix(matrix.shape[1], greater, less, diagonal=1.0)


def _one_by_one(
    matrix: pd.DataFrame, pairs: dict[tuple[str, str], FoldPair], test: str
) -> np.ndarray:
    """Return one-sided p-values that the row's results are larger, by pair; DegenerateError if a pair is refused."""
    position = {name: i for i, name in enumerate(matrix.columns)}
    pvalues = np.ones((len(position), len(position)))
    for (a, b), pair in pairs.items():
        answer = fold_tests.run_pair_test(pair, test)
        if answer.outcome is None:
            raise DegenerateError.of("pair refused", reason=answer.reason, first=a, second=b)
        pvalues[position[a], position[b]] = answer.outcome.pvalue_greater
        pvalues[position[b], position[a]] = answer.outcome.pvalue_less
    return pvalues
