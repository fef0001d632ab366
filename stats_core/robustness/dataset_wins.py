"""Wins over data sets: who is better on how many, and the sign test on these counts."""

from typing import Literal

from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count, join_names
from stats_core.core.validation import check_one_of, check_probability
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.adjust import FAMILY_METHODS, PAIR_METHODS
from stats_core.inference.multiplicity.corrections import CORRECTIONS, describe_fallback
from stats_core.inference.multiplicity.win_counts import Wins, adjusted_words, wins_from
from stats_core.robustness.dataset_winners import (
    Winners,
    winners_by_average,
    winners_by_test,
)

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

    Parameters
    ----------
    results : Results
        Two or more algorithms.
    measure : str
        The measure compared.
    by : {"average", "test"}
        A win is a better average, ties by `Results.averages` within 1e-9; or it is a test on
        the folds of the data set that rejects, and the better mean.
    test : str
        By "test": one of `PAIR_TESTS` or "Tukey"; the one that each design advises if empty.
    overlap : bool
        By "test": whether Tukey, and the choice of the advised test, allow for training sets
        that overlap; the papers did not.
    correction : str
        By "test": one of the methods of `adjust_pairs`, over the pairs of one data set. Tukey's
        p-values already pay for all pairs and are left as they are.
    alpha : float
        Level of the test on a data set, and of the sign test over them.
    sign_correction : {"none", "bonferroni", "holm", "hochberg", "hommel"}
        How the sign test pays for the number of pairs; by Bonferroni, as in the thesis, unless
        asked otherwise.
    test_fraction : float, optional
        By "test": n_test / (n_train + n_test) where neither the file nor the design tells it.

    Returns
    -------
    Wins

    Raises
    ------
    SettingError
        Unknown measure, test or correction; alpha outside (0, 1).
    DesignError
        Fewer than two algorithms, or no data set can be decided.

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
        found = winners_by_average(results, measure)
    else:
        found = winners_by_test(
            results,
            measure,
            test=test,
            correction=correction,
            alpha=alpha,
            overlap=overlap,
            test_fraction=test_fraction,
        )
    notes = describe_fallback(correction, len(results.algorithms), found.stood_in)
    paid = _paid(correction, found)
    win, rule = _rule(measure, found.tests, paid, alpha)
    return wins_from(
        dict(zip(found.datasets, found.better, strict=True)),
        results.algorithms,
        measures=(measure,),
        alpha=alpha,
        correction=sign_correction,
        win=win,
        rule=rule,
        skipped=found.skipped,
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


def _paid(correction: str, found: Winners) -> str:
    """Say how the tests on the data sets pay for the pairs, to go on; Tukey's have done so."""
    instead, n = len(found.stood_in), len(found.datasets)
    if set(found.tests) == {TUKEY}:
        return ""
    if instead == n:
        return f", {adjusted_words('shaffer')}"
    some = f" ({CORRECTIONS['shaffer']} on {format_count(instead, 'data set')})" if instead else ""
    return f", {adjusted_words(correction)}{some}"


def _rule(measure: str, tests: dict[str, int], paid: str, alpha: float) -> tuple[str, str]:
    """Say what decides on a data set, and in full what a win is."""
    if not tests:
        return f"average {measure}", f"better average {measure}"
    named = {key: "Tukey's test" if key == TUKEY else PAIR_TESTS[key].name for key in tests}
    if len(tests) == 1:
        (test,) = named.values()
        win = f"{test} on {measure}"
    else:
        test = join_names(
            [f"{named[key]} on {format_count(n, 'data set')}" for key, n in tests.items()]
        )
        win = f"the advised tests on {measure}"
    return win, f"better mean {measure} and p at most {alpha:g}, {test}{paid}"
