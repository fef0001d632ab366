"""Several measures over data sets: dimensions of the means, and wins."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd

from stats_core.core.errors import DegenerateError, DesignError, FoldwiseError
from stats_core.core.validation import check_probability
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share, select
from stats_core.inference.fold_pairs import fold_matrix, max_df
from stats_core.inference.multiplicity.corrections import usable_correction
from stats_core.inference.multiplicity.win_counts import Wins, wins_correction, wins_from
from stats_core.inference.multivariate.manova import DimensionResult, manova_dimension
from stats_core.inference.multivariate.threshold_tests import (
    NOTHING_VARIES,
    ThresholdDecision,
    ThresholdRules,
    decide_threshold,
)
from stats_core.inference.resolve_settings import apply_selection

# data set -> tests, blocked and one-way as far as possible, and why one is missing
DimensionTests = dict[str, tuple[list[DimensionResult], str]]


def dimensions(results: Results, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """In how many dimensions do the algorithms' means differ on each data set?

    References
    ----------
    Aslan's thesis 2009, Tables 7.1 and 7.6.

    Examples
    --------
    See the page Multivariate, over data sets.
    """
    results, settings = apply_selection(results, settings)
    return dimensions_at(dimension_tests(results, measures, settings), settings.alpha)


def dimension_tests(
    results: Results, measures: Sequence[str], settings: Settings
) -> DimensionTests:
    """Return the tests of `dimensions` by data set, with the reason if one is missing.

    Only `overlap`, `test_fraction` and what is left out count: they are the same at every level.
    """
    results, settings = apply_selection(results, settings)
    tests_by_dataset: DimensionTests = {}
    for dataset in results.datasets:
        tests: list[DimensionResult] = []
        reason = ""
        try:
            vectors, fraction = _vectors(results, dataset, measures, settings)
            df_bound = max_df(settings, vectors.shape[1], fraction, len(measures))
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
        row = {"blocked": "", "one-way": "", "largest": "", "p": np.nan, "reason": reason}
        row |= dict(
            zip(
                ("blocked", "one-way"), (test.at_level(alpha).label for test in tests), strict=False
            )
        )
        if tests:
            row |= {"largest": str(tests[0].largest), "p": tests[0].pvalue}
        rows[dataset] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")


def wins(
    results: Results,
    measures: Sequence[str],
    settings: Settings,
    *,
    rule: Literal["risk", "thesis"] | None = None,
    theta: float = 0.5,
) -> Wins:
    """On how many data sets does each algorithm beat each other, errors weighed by their cost?

    Notes
    -----
    On each data set the paired Hotelling test of every pair, adjusted over the pairs; then risk,
    its difference tested by the paired t test, adjusted likewise. MANOVA is no gate here: the
    adjusted tests of pairs hold their level without it (see `decide_each` for its p). A pair that
    cannot be tested is a tie, a data set without any pair that can is left out. Where two risks
    are equal in truth but the errors differ, the thesis' rule rejects and then names a winner at
    random. The sign test counts a data set without a winner as a tie.

    References
    ----------
    Aslan's thesis 2009, section 7.1 and Figure 7.1, lines 17 to 21.

    Examples
    --------
    See the page Multivariate, over data sets.
    """
    results, settings = apply_selection(results, replace(settings, win=rule or settings.win))
    decisions, skipped = decide_each(results, measures, settings, theta=theta)
    return count_wins(decisions, skipped, results, measures, settings, theta=theta)


def decide_each(
    results: Results, measures: Sequence[str], settings: Settings, *, theta: float = 0.5
) -> tuple[dict[str, ThresholdDecision], dict[str, str]]:
    """Return the winner of every pair on each data set; parameters as in `wins`.

    Of the settings only `alpha`, `correction`, `overlap`, `test_fraction` and `win` count.
    """
    results, settings = apply_selection(results, settings)
    check_probability(theta, "theta")
    try:
        results.resolve_name("fp")
        results.resolve_name("fn")
    except FoldwiseError:
        raise DesignError(
            "Wins by risk need the counts tp, fp, tn, fn of every fold. These results have none. "
            "Upload counts or predictions."
        ) from None
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
    """Count wins from decisions of `decide_each`; other parameters as in `wins`.

    Of the settings only `alpha`, `correction` and `win` count here.
    """
    names = select(results, settings).algorithms
    return wins_from(
        {dataset: _better(decision.winners, len(names)) for dataset, decision in decisions.items()},
        names,
        measures=measures,
        alpha=settings.alpha,
        correction=wins_correction(settings.correction),
        win=f"({', '.join(measures)}) and risk",
        rule=f"a difference of ({', '.join(measures)}) by paired Hotelling T2 and "
        + _by_risk(settings.win, theta),
        skipped=skipped,
    )


def _by_risk(rule: str, theta: float) -> str:
    lower = f"the lower risk at theta {theta:g}"
    return lower if rule == "thesis" else f"{lower}, shown by the paired t test, too"


def _better(winners: np.ndarray, k: int) -> np.ndarray:
    """Return whether the row wins over the column, from the winners of all pairs."""
    rows, columns = np.triu_indices(k, 1)
    better = np.zeros((k, k), dtype=bool)
    better[rows, columns] = winners == rows
    better[columns, rows] = winners == columns
    return better


def _vectors(
    results: Results, dataset: str, measures: Sequence[str], settings: Settings
) -> tuple[np.ndarray, float | None]:
    layers = [fold_matrix(results, dataset, measure).to_numpy().T for measure in measures]
    return np.stack(layers, axis=2), corrected_share(results, dataset, settings)


def _decide(
    results: Results, dataset: str, measures: Sequence[str], settings: Settings, theta: float
) -> ThresholdDecision:
    """Decide one data set; raise DegenerateError if none of its pairs can be tested."""
    fp, fn = (fold_matrix(results, dataset, name) for name in ("fp", "fn"))
    risks = (theta * fp + (1 - theta) * fn).to_numpy().T
    vectors, fraction = _vectors(results, dataset, measures, settings)
    rules = ThresholdRules(
        measures=tuple(measures),
        alpha=settings.alpha,
        rule=settings.win,
        test_fraction=fraction,
        correction=usable_correction(settings.correction, len(risks)),
        gate=False,
        df=settings.df,
    )
    decision = decide_threshold(vectors, risks, rules)
    if np.isnan(decision.pvalues).all() and set(decision.reasons) != {NOTHING_VARIES}:
        raise DegenerateError(
            f"On {dataset} some pair must be testable on ({', '.join(measures)}). None is: "
            f"{'; '.join(dict.fromkeys(decision.reasons))}. Use fewer measures, or leave {dataset} out."
        )
    return decision
