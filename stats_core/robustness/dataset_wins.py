"""Winners on each data set, by averages or by tests on the folds."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import pandas as pd

from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.significance import significant
from stats_core.core.validation import check_one_of, check_probability, tie_groups
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings
from stats_core.inference.anova import tukey
from stats_core.inference.fold_pairs import fold_data, fold_pairs, max_df, run_fold_pair_tests
from stats_core.inference.fold_tests import PAIR_TESTS, advised_test
from stats_core.inference.multiplicity.adjust import FAMILY_METHODS, PAIR_METHODS
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    adjust_by_nearest,
    describe_fallback,
    fallback_correction,
)
from stats_core.inference.multiplicity.win_counts import Wins, adjusted_words, wins_from


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Winners:
    """Whether the row algorithm wins over the column on each data set.

    Attributes
    ----------
    datasets : tuple of str
        The data sets that were decided.
    better : array of bool, data set x row x column
        Whether the row wins.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    tests : dict of str to int
        Keys of the tests used, each with its number of data sets; empty if averages decide.
    stood_in : tuple of str
        Data sets on which Shaffer replaced Bergmann-Hommel.
    """

    datasets: tuple[str, ...]
    better: np.ndarray
    skipped: dict[str, str]
    tests: dict[str, int]
    stood_in: tuple[str, ...] = ()


def winners_by_average(results: Results, measure: str) -> Winners:
    """Who has the better average on each data set?

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
    >>> winners_by_average(Results.from_frame(table), "error").better[0].tolist()
    [[False, True], [False, False]]
    """
    averages = results.averages(measure)
    skipped = {}
    if results.failures != "worst rank":
        n_missing = averages.isna().sum(axis=1)
        choice_made = results.failures == "present"
        skipped = {
            name: f"{missing} of {averages.shape[1]} averages of {measure} are missing."
            f"{'' if choice_made else ' Choose what to do with the missing cells.'}"
            for name, missing in n_missing[n_missing > 0].items()
        }
    complete = averages.drop(index=list(skipped))
    better = _better(complete.to_numpy(), results.direction(measure))
    return Winners(datasets=tuple(complete.index), better=better, skipped=skipped, tests={})


def winners_by_test(
    results: Results,
    measure: str,
    *,
    test: str = "",
    correction: str = "bonferroni",
    alpha: float = 0.05,
    overlap: bool = True,
    test_fraction: float | None = None,
) -> Winners:
    """Who has the better mean on each data set, where a test on its folds rejects?

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> winners_by_test(Results.from_frame(table), "error", test="paired t").better[0].tolist()
    [[False, True], [False, False]]
    """
    layers, skipped, stood_in = {}, {}, []
    tests: Counter[str] = Counter()
    folds = Settings(measure=measure, test_fraction=test_fraction)
    for dataset in results.datasets:
        try:
            shared = fold_data(results, dataset, folds)
            used = test or _advised(shared, overlap=overlap)
            pvalues = every_pair(results, shared, measure, used, overlap=overlap)
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        if used != TUKEY:  # Tukey's p-values are already adjusted
            pvalues = adjust_by_nearest(pvalues, correction)
            if fallback_correction(pvalues):
                stood_in.append(dataset)
        tests[used] += 1
        means = shared["matrix"].to_numpy().mean(axis=0)
        better = _better(means[None], results.direction(measure))[0]
        layers[dataset] = significant(pvalues.to_numpy(), alpha) & better
    return Winners(
        datasets=tuple(layers),
        better=np.array(list(layers.values()), dtype=bool),
        skipped=skipped,
        tests=dict(tests),
        stood_in=tuple(stood_in),
    )


def _better(averages: np.ndarray, direction: str) -> np.ndarray:
    """Return whether the row's average is better and not tied, data set x row x column."""
    values = -averages if direction == "higher" else averages
    largest = np.abs(np.nan_to_num(values)).max(axis=1)
    ranks = tie_groups(values, largest)
    return ranks[:, :, None] < ranks[:, None, :]


def _advised(shared: dict, *, overlap: bool) -> str:
    return advised_test(shared["test_fraction"] if overlap else None, len(shared["matrix"]))


def every_pair(
    results: Results, shared: dict, measure: str, test: str, *, overlap: bool
) -> pd.DataFrame:
    """Return p-values of all pairs of algorithms on the folds of one data set."""
    matrix = shared["matrix"]
    if test == TUKEY:
        fraction = shared["test_fraction"] if overlap else None
        df_bound = max_df(Settings(), len(matrix), fraction)
        return tukey(matrix, test_fraction=fraction, max_df=df_bound).pvalues
    pairs = fold_pairs(results, shared, measure, combinations(matrix.columns, 2))
    if reason := PAIR_TESTS[test].refuses(next(iter(pairs.values()))):
        raise DesignError(f"{PAIR_TESTS[test].name}: {reason}. Choose another test.")
    return run_fold_pair_tests(pairs, test, 0.95)[0].pvalues  # the level affects only intervals


BY = ("average", "test")


def set_wins(
    results: Results,
    *,
    measure: str,
    by: Literal["average", "test"] = "average",
    test: str = "",
    overlap: bool = True,
    correction: str = "bonferroni",
    alpha: float = 0.05,
    sign_correction: str = "bonferroni",
    test_fraction: float | None = None,
) -> Wins:
    """On how many data sets does each algorithm win over each other, and is it more than chance?

    Notes
    -----
    A data set without a winner is a tie: in the sign test half of the ties count for each side
    and an odd one is dropped. Ulas et al. do not adjust the sign test for the number of pairs,
    the thesis does, by Bonferroni. The corrections that use which hypotheses can be true
    together (Shaffer, Bergmann-Hommel) do not hold here: a may win as often as b, and b as
    often as c, while a wins more often than c. A data set with a failed run is left out, unless
    the user let failures rank worst: then, by "average", a failure loses to any result.

    References
    ----------
    Ulas, Yildiz and Alpaydin, Pattern Recognition 45 (2012) 1772, sections 2.1, 4.2 and 4.4;
    Aslan's thesis 2009, sections 4.6, 6.1 and 7.2 (the total).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("uuvvwwxxyyzz"), "algorithm": list("ab") * 6,
    ...                       "error": [0.1, 0.2] * 6})
    >>> found = set_wins(Results.from_frame(table), measure="error")
    >>> int(found.wins.loc["a", "b"]), float(found.pvalues.loc["a", "b"])
    (6, 0.03125)
    """
    _check(results, measure, by, test, correction, alpha, sign_correction)
    if by == "average":
        winners = winners_by_average(results, measure)
    else:
        winners = winners_by_test(
            results,
            measure,
            test=test,
            correction=correction,
            alpha=alpha,
            overlap=overlap,
            test_fraction=test_fraction,
        )
    notes = describe_fallback(correction, len(results.algorithms), winners.stood_in)
    adjustment = _paid(correction, winners)
    win, rule = _rule(measure, winners.tests, adjustment, alpha)
    return wins_from(
        dict(zip(winners.datasets, winners.better, strict=True)),
        results.algorithms,
        measures=(measure,),
        alpha=alpha,
        correction=sign_correction,
        win=win,
        rule=rule,
        skipped=winners.skipped,
        notes=notes,
    )


def _check(
    results: Results,
    measure: str,
    by: str,
    test: str,
    correction: str,
    alpha: float,
    sign_correction: str,
) -> None:
    results.direction(measure)
    check_one_of(by, BY, "by")
    check_one_of(correction, PAIR_METHODS, "correction")
    check_one_of(sign_correction, FAMILY_METHODS, "sign_correction")
    check_probability(alpha, "alpha")
    if test:
        check_one_of(test, (TUKEY, *PAIR_TESTS), "test")
    if len(results.algorithms) < 2:
        raise DesignError(
            f"Wins need at least 2 algorithms. There is {len(results.algorithms)}. Add another."
        )


def _paid(correction: str, winners: Winners) -> str:
    """Return a phrase on the adjustment of the tests on data sets; "" for Tukey's."""
    n_replaced, n = len(winners.stood_in), len(winners.datasets)
    if set(winners.tests) == {TUKEY}:
        return ""
    if n_replaced == n:
        return f", {adjusted_words('shaffer')}"
    replaced_text = (
        f" ({CORRECTIONS['shaffer']} on {format_count(n_replaced, 'data set')})"
        if n_replaced
        else ""
    )
    return f", {adjusted_words(correction)}{replaced_text}"


def _rule(measure: str, tests: dict[str, int], adjustment: str, alpha: float) -> tuple[str, str]:
    """Return a short and a full description of what counts as a win."""
    if not tests:
        return f"average {measure}", f"better average {measure}"
    names = {key: "Tukey's test" if key == TUKEY else PAIR_TESTS[key].name for key in tests}
    if len(tests) == 1:
        (test,) = names.values()
        win = f"{test} on {measure}"
    else:
        test = join_names(
            [f"{names[key]} on {format_count(n, 'data set')}" for key, n in tests.items()]
        )
        win = f"the advised tests on {measure}"
    return win, f"better mean {measure} and p at most {alpha:g}, {test}{adjustment}"
