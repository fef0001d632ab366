"""Decisions on single data sets: winners, agreement of two tests, intervals of a difference."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, assert_never

import numpy as np
import pandas as pd

from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.datasets import TwoComparison
from stats_core.core.errors import DesignError, FoldwiseError, SettingError
from stats_core.core.formatting import format_count, join_names, measure_name
from stats_core.core.messages import Message
from stats_core.core.result_types import cached, labeled_matrix
from stats_core.core.validation import check_one_of, check_probability, significant, tie_groups
from stats_core.data import predictions
from stats_core.data.results import Results
from stats_core.data.settings import (
    TUKEY,
    Analysed,
    Settings,
    results_and_settings,
    selected_results,
)
from stats_core.inference import anova, fold_pairs, fold_tests, pairwise
from stats_core.inference.fold_pairs import FoldData
from stats_core.inference.methods import PAIR_TESTS, FoldPair, Requires
from stats_core.inference.multiplicity import adjust, win_counts
from stats_core.inference.multiplicity.adjust import CORRECTIONS, FAMILY_METHODS, PAIR_METHODS
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.multivariate import hotelling
from stats_core.robustness import robustness_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Test, correction and level that decide each pair on a data set.

    Attributes
    ----------
    measure : str
        The measure compared.
    measures : tuple of str
        Two or more measures compared together by the paired Hotelling test, in place of `measure`
        and `test`.
    test : str
        One of `PAIR_TESTS` or "Tukey"; by default the test recommended for the design.
    overlap : bool
        Whether tests correct for overlapping training sets; the papers did not.
    correction : str
        One of the methods of `adjust_pairs`, over the pairs of one data set and repetition.
    alpha : float
        Significance level.
    test_fraction : float, optional
        n_test / (n_train + n_test) if neither the file nor the design determines it.
    """

    measure: str = ""
    measures: tuple[str, ...] = ()
    test: str = ""
    overlap: bool = True
    correction: str = "none"
    alpha: float = 0.05
    test_fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Winners:
    """Whether the row algorithm beats the column algorithm on each data set.

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


def _winners_by_average(results: Results, measure: str) -> Winners:
    """Return the winners by average on each data set; those with missing results are skipped unless these rank worst.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "error": [0.1, 0.2]})
    >>> _winners_by_average(Results.from_frame(table), "error").better[0].tolist()
    [[False, True], [False, False]]
    """
    averages = results.averages(measure)
    skipped = {}
    if results.failures != "worst rank":
        n_missing = averages.isna().sum(axis=1)
        choice_made = results.failures == "present"
        skipped = {
            name: robustness_text(
                "decisions.missing",
                missing=missing,
                n=averages.shape[1],
                measure=measure_name(measure),
                chosen=choice_made,
            )
            for name, missing in n_missing[n_missing > 0].items()
        }
    complete = averages.drop(index=list(skipped))
    better = _better(complete.to_numpy(), results.direction(measure))
    return Winners(datasets=tuple(complete.index), better=better, skipped=skipped, tests={})


def _winners_by_test(results: Results, rule: Rule) -> Winners:
    """Return the winners by a test on the folds of each data set; data sets that cannot be tested are skipped.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> rule = Rule(measure="error", test="paired t")
    >>> _winners_by_test(Results.from_frame(table), rule).better[0].tolist()
    [[False, True], [False, False]]
    """
    layers = {}
    skipped = {}
    stood_in = []
    tests: Counter[str] = Counter()
    for dataset in results.datasets:
        try:
            data = _fold_data(results, rule, dataset)
            used = rule.test or fold_tests.advised_test(data.test_fraction, len(data.matrix))
            pvalues = _every_pair(results, data, rule, used)
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        if used != TUKEY:  # Tukey's p-values are already adjusted
            pvalues = adjust.adjust_by_nearest(pvalues, rule.correction)
            if adjust.fallback_correction(pvalues):
                stood_in.append(dataset)
        tests[used] += 1
        means = data.matrix.to_numpy().mean(axis=0)
        better = _better(means[None], results.direction(rule.measure))[0]
        layers[dataset] = significant(pvalues.to_numpy(), rule.alpha) & better
    return Winners(
        datasets=tuple(layers),
        better=np.array(list(layers.values()), dtype=bool),
        skipped=skipped,
        tests=dict(tests),
        stood_in=tuple(stood_in),
    )


def _better(averages: np.ndarray, direction: str) -> np.ndarray:
    """Return whether the row's average is better than the column's beyond rounding, data set x row x column."""
    values = -averages if direction == "higher" else averages
    largest = np.abs(np.nan_to_num(values)).max(axis=1)
    ranks = tie_groups(values, largest)
    return ranks[:, :, None] < ranks[:, None, :]


def _every_pair(results: Results, data: FoldData, rule: Rule, test: str) -> pd.DataFrame:
    """Return the p-values of all pairs on the folds of one data set; DesignError if the test does not apply."""
    matrix = data.matrix
    if test == TUKEY:
        df_bound = fold_pairs.max_df(Settings(), len(matrix), data.test_fraction)
        return anova.tukey(matrix, test_fraction=data.test_fraction, max_df=df_bound).pvalues
    pairs = fold_pairs.fold_pairs(results, data, rule.measure, combinations(matrix.columns, 2))
    method = PAIR_TESTS[test]
    reason = method.refuses(next(iter(pairs.values())))
    if reason:
        raise DesignError.of("test does not apply", reason=reason, test=method.name)
    level = 0.95  # affects only the intervals
    return fold_pairs.run_fold_pair_tests(pairs, test, level).outcome.pvalues


BY = ("average", "test")


def set_wins(  # noqa: PLR0913
    results: Results | Analysed,
    *,
    measure: str | None = None,
    by: Literal["average", "test"] = "average",
    test: str = "",
    overlap: bool = True,
    correction: str = "bonferroni",
    alpha: float = 0.05,
    sign_correction: str = "bonferroni",
    test_fraction: float | None = None,
) -> Wins:
    """Return the numbers of data sets on which each algorithm beats each other algorithm, with sign tests.

    Parameters
    ----------
    results : Results
        Results on one or more data sets.
    measure : str, optional
        The measure compared; by default that of the comparison, or the first one.
    by : {"average", "test"}
        Whether the better average wins on a data set, or the algorithm that `test` finds
        significantly better.
    test, overlap, correction, alpha, test_fraction
        Fields of `Rule`, used by "test"; `alpha` is also the level of the sign tests. A `test`
        that corrects for overlap does so whatever `overlap` is.
    sign_correction : str
        Correction of the sign tests, one of `FAMILY_METHODS`.

    Returns
    -------
    Wins
        Numbers of wins and ties of each pair, and the sign tests.

    Raises
    ------
    SettingError, DesignError
        An option is unknown; there is only one algorithm.

    Notes
    -----
    A data set without a winner is a tie: in the sign test half of the ties count for each side and an
    odd one is dropped. Ulas et al. do not adjust the sign test for the number of pairs; the thesis
    does, by Bonferroni. Corrections that use logical relations among the hypotheses (Shaffer,
    Bergmann-Hommel) are not valid here: a may win as often as b, and b as often as c, while a wins
    more often than c. A data set with a failed run is skipped, unless failures are ranked worst: then,
    by "average", a failure loses to any result.

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
    settings = results_and_settings(results)[1]
    results = selected_results(results)
    if measure is None:
        measure = settings.measure or results.measures[0]
    rule = Rule(
        measure=measure,
        test=test,
        overlap=overlap or _corrects_overlap(test),
        correction=correction,
        alpha=alpha,
        test_fraction=test_fraction,
    )
    _check_rule(results, rule)
    check_one_of(by, BY, "by")
    check_one_of(sign_correction, FAMILY_METHODS, "sign_correction")
    if len(results.algorithms) < 2:
        raise DesignError.of("decisions of one", what="Wins", n=len(results.algorithms))
    winners = (
        _winners_by_average(results, measure)
        if by == "average"
        else _winners_by_test(results, rule)
    )
    notes = adjust.describe_fallback(correction, len(results.algorithms), winners.stood_in)
    adjustment = _adjustment_phrase(correction, winners)
    win, what_counts = _rule(measure_name(measure), winners.tests, adjustment, alpha)
    return win_counts.wins_from(
        dict(zip(winners.datasets, winners.better, strict=True)),
        results.algorithms,
        win_counts.WinDefinition(measures=(measure,), win=win, rule=what_counts),
        alpha=alpha,
        correction=sign_correction,
        skipped=winners.skipped,
        notes=notes,
    )


def _adjustment_phrase(correction: str, winners: Winners) -> str:
    """Return the correction of the tests on data sets as a phrase; "" if all are Tukey's."""
    n_replaced = len(winners.stood_in)
    n = len(winners.datasets)
    if set(winners.tests) == {TUKEY}:
        return ""
    if n and n_replaced == n:
        return f", {win_counts.adjusted_words('shaffer')}"
    phrase = f", {win_counts.adjusted_words(correction)}"
    if n_replaced == 0:
        return phrase
    return f"{phrase} ({CORRECTIONS['shaffer']} on {format_count(n_replaced, 'data set')})"


def _rule(measure: str, tests: dict[str, int], adjustment: str, alpha: float) -> tuple[str, str]:
    """Return a short and a full definition of a win, as text."""
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
        win = robustness_text("decisions.recommended", measure=measure)
    return win, robustness_text(
        "decisions.rule", measure=measure, alpha=alpha, test=test, adjustment=adjustment
    )


_KEYS = ["dataset", "repetition", "first", "second"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agreement:
    """Decisions of two tests on the same pairs, cross-tabulated.

    Attributes
    ----------
    decisions : DataFrame
        One row per data set, repetition and pair: dataset, repetition, first, second, p one,
        p other, one, other (whether each rejects), ahead one, ahead other (the algorithm with the
        better mean; "" for a tie or for several measures).
    skipped : dict of str to str
        Data sets that a rule could not decide, with the reason.
    notes : tuple of Message
        Corrections that were replaced, and why.
    """

    decisions: pd.DataFrame
    skipped: dict[str, str]
    notes: tuple[Message, ...] = ()

    @property
    def counts(self) -> pd.DataFrame:
        """Two-by-two table of rejections with totals; rows are the first test, columns the second."""
        labels = ["rejects", "does not reject"]
        table = pd.DataFrame(0, index=labels, columns=labels)
        for row, first in zip(labels, (True, False), strict=True):
            for column, second in zip(labels, (True, False), strict=True):
                table.loc[row, column] = len(self.cell(first=first, second=second))
        table["total"] = table.sum(axis=1)
        table.loc["total"] = table.sum()
        return table

    @property
    def directions(self) -> pd.DataFrame:
        """Three-by-three table: whether the first algorithm of a pair is better, worse or neither.

        Rows are the first test, columns the second. Tests on several measures have no direction, so
        their pairs are left out.
        """
        decided = {name: self._direction(name) for name in ("one", "other")}
        labels = ["better", "no difference", "worse"]
        table = pd.crosstab(decided["one"], decided["other"])
        return table.reindex(index=labels, columns=labels, fill_value=0).rename_axis(
            index=None, columns=None
        )

    def _direction(self, name: str) -> pd.Series:
        """Return "better", "worse" or "no difference" of the first algorithm in each decision."""
        ahead = self.decisions[f"ahead {name}"]
        rejects = self.decisions[name]
        better = np.where(ahead == self.decisions["first"], "better", "worse")
        direction = pd.Series(np.where(rejects, better, "no difference"), self.decisions.index)
        return direction.mask(rejects & (ahead == ""))

    @property
    def reversed(self) -> pd.DataFrame:
        """The decisions in which both tests reject, but favour opposite algorithms."""
        names = self.decisions[["ahead one", "ahead other"]]
        both = self.decisions["one"] & self.decisions["other"]
        opposite = (names != "").all(axis=1) & (names.nunique(axis=1) > 1)
        return self.decisions[both & opposite].reset_index(drop=True)

    @property
    def percent(self) -> pd.DataFrame:
        """Two-by-two table of rejections in percent of all decisions."""
        return 100 * self.counts / max(len(self.decisions), 1)

    def at_level(self, one: float, other: float) -> "Agreement":
        """Return the agreement of the same tests at significance levels `one` and `other`."""
        levels = {"one": one, "other": other}
        for name, alpha in levels.items():
            check_probability(alpha, name)
        rejections = {
            name: significant(self.decisions[f"p {name}"], alpha) for name, alpha in levels.items()
        }
        return replace(self, decisions=self.decisions.assign(**rejections))

    def cell(self, *, first: bool, second: bool) -> pd.DataFrame:
        """Return the decisions in one cell of the two-by-two table."""
        in_cell = (self.decisions["one"] == first) & (self.decisions["other"] == second)
        return self.decisions[in_cell].reset_index(drop=True)


def agreement(results: Results | Analysed, one: Rule, other: Rule) -> Agreement:
    """Return the rejections by two rules over data sets, repetitions and pairs, cross-tabulated.

    Notes
    -----
    Each repetition of a cross-validation is tested separately, so 4 data sets, 21 pairs and 10
    repetitions give 840 decisions. 5x2 folds are tested together, because two folds have almost no
    power. By default p-values are not adjusted, as in the papers. DesignError is raised for a single
    algorithm, or if no data set can be decided by both rules; other errors are raised for an invalid rule.

    References
    ----------
    Yildiz and Alpaydin, multivariate comparison, Tables 1 and 2; Aslan's thesis 2009, section
    3.3.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"algorithm": list("ab") * 4, "fold": list("11223344"),
    ...                       "error": [0.1, 0.2, 0.1, 0.3, 0.2, 0.3, 0.1, 0.2]})
    >>> rules = (Rule(measure="error", test=test) for test in ("paired t", "sign flips"))
    >>> found = agreement(Results.from_frame(table), *rules)
    >>> found.decisions[["one", "other"]].to_numpy().tolist()
    [[True, False]]
    """
    results = selected_results(results)
    for rule in (one, other):
        _check_rule(results, rule)
    if len(results.algorithms) < 2:
        raise DesignError.of("decisions of one", what="Decisions", n=len(results.algorithms))
    rule_blocks = []
    skipped = {}
    for dataset in results.datasets:
        try:
            blocks_of_dataset = [_decide(results, rule, dataset) for rule in (one, other)]
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        rule_blocks.append(blocks_of_dataset)
    if not rule_blocks:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(skipped.items())[:3])
        raise DesignError.of("rules do not apply", reasons=reasons)
    first, second = (pd.concat(blocks) for blocks in zip(*rule_blocks, strict=True))
    joined = first.merge(second, on=_KEYS, suffixes=(" one", " other"))
    joined = joined.rename(columns={"reject one": "one", "reject other": "other"})
    columns = [*_KEYS, "p one", "p other", "one", "other", "ahead one", "ahead other"]
    return Agreement(
        decisions=joined[columns],
        skipped=skipped,
        notes=_replaced(results, (one, other), rule_blocks),
    )


def _replaced(
    results: Results, rules: tuple[Rule, Rule], decided: list[list[pd.DataFrame]]
) -> tuple[Message, ...]:
    """Return one note for each correction that was replaced by another."""
    notes: list[Message] = []
    for rule, blocks in zip(rules, zip(*decided, strict=True), strict=True):
        datasets = [block["dataset"].iloc[0] for block in blocks if block["stands in"].any()]
        notes += adjust.describe_fallback(rule.correction, len(results.algorithms), tuple(datasets))
    return tuple(dict.fromkeys(notes))


def _check_rule(results: Results, rule: Rule) -> None:
    """Raise an error if a measure, the test, the correction or the level of a rule is not valid."""
    for name in rule.measures or (rule.measure,):
        results.resolve_name(name)
    if not rule.measures:
        results.direction(rule.measure)
    check_probability(rule.alpha, "alpha")
    check_one_of(rule.correction, PAIR_METHODS, "correction")
    if rule.test:
        check_one_of(rule.test, (TUKEY, *PAIR_TESTS), "test")
    if _corrects_overlap(rule.test) and not rule.overlap:
        raise SettingError.of("corrected test without overlap", test=rule.test)


def _corrects_overlap(test: str) -> bool:
    """Return whether a test given by its key corrects for overlap whatever the rule."""
    return test in PAIR_TESTS and PAIR_TESTS[test].corrects_overlap


def _fold_data(results: Results, rule: Rule, dataset: str) -> FoldData:
    """Return the folds of a data set, without a test fraction if the rule ignores overlap."""
    measure = rule.measures[0] if rule.measures else rule.measure
    settings = Settings(measure=measure, test_fraction=rule.test_fraction)
    data = fold_pairs.fold_data(results, dataset, settings)
    return data if rule.overlap else replace(data, test_fraction=None)


def _decide(results: Results, rule: Rule, dataset: str) -> pd.DataFrame:
    """Return p-value and decision of every pair, separately for each repetition of r x k-fold cross-validation."""
    blocks = []
    case_pvalues = None if rule.measures else _on_cases(results, rule, dataset)
    repetitions = _repetitions(results, rule, dataset) if case_pvalues is None else [("all", None)]
    for repetition, data in repetitions:
        raw = case_pvalues if data is None else _pvalues(results, rule, dataset, data)
        pvalues = adjust.adjust_by_nearest(raw, rule.correction)
        rows, columns = np.triu_indices(len(pvalues), 1)
        blocks.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "repetition": repetition,
                    "first": pvalues.index[rows],
                    "second": pvalues.index[columns],
                    "p": pvalues.to_numpy()[rows, columns],
                    "stands in": adjust.fallback_correction(pvalues),
                    "ahead": _ahead(results, rule, dataset, data, pvalues.index)[rows, columns],
                }
            )
        )
    table = pd.concat(blocks, ignore_index=True)
    return table.assign(reject=significant(table["p"], rule.alpha))


def _ahead(
    results: Results, rule: Rule, dataset: str, data: FoldData | None, names: pd.Index
) -> np.ndarray:
    """Return the algorithm with the better mean of each pair, row x column; "" for a tie."""
    if rule.measures:
        return np.full((len(names),) * 2, "", dtype=object)
    means = results.averages(rule.measure).loc[dataset] if data is None else data.matrix.mean()
    better = _better(means[list(names)].to_numpy()[None], results.direction(rule.measure))[0]
    labels = np.asarray(names, dtype=object)
    return np.where(better, labels[:, None], np.where(better.T, labels, ""))


def _on_cases(results: Results, rule: Rule, dataset: str) -> pd.DataFrame | None:
    """Return the p-values of all pairs by tests on instances; None if the data set or the measure allows none."""
    if not instances.can_test_cases(results, dataset):
        return None
    measure = results.resolve_name(rule.measure)
    table = predictions.case_table(results, dataset, measure)
    if table is None or measure not in instances.measures_on_cases(table):
        return None
    pvalues = labeled_matrix(np.ones((len(table.names),) * 2), table.names)
    for (a, b), test in instances.pair_tests(table, measure, table.names, 1 - rule.alpha).items():
        pvalues.loc[a, b] = pvalues.loc[b, a] = test.pvalue
    return pvalues


def _pvalues(results: Results, rule: Rule, dataset: str, data: FoldData) -> pd.DataFrame:
    """Return the p-values of all pairs on the given folds."""
    fraction = data.test_fraction
    if rule.measures:
        matrices = [
            fold_pairs.fold_matrix(results, dataset, name).loc[data.matrix.index]
            for name in rule.measures
        ]
        vectors = np.stack([matrix.to_numpy().T for matrix in matrices], axis=2)
        df_bound = fold_pairs.max_df(Settings(), vectors.shape[1], fraction, len(rule.measures))
        return hotelling.pairwise_hotelling(
            vectors,
            results.algorithms,
            test_fraction=fraction,
            max_df=df_bound,
            names=rule.measures,
        ).pvalues
    test = rule.test or fold_tests.advised_test(fraction, len(data.matrix))
    if test in PAIR_TESTS and _fits(test, data):
        pvalues = fold_pairs.quick_pvalues(data.matrix.to_numpy(), test, data.test_fraction)
        if pvalues is not None:
            return labeled_matrix(pvalues, data.matrix.columns)
    return _every_pair(results, data, rule, test)


def _fits(test: str, data: FoldData) -> bool:
    """Return whether a vectorized test of means applies to these folds."""
    n = len(data.matrix)
    requires = PAIR_TESTS[test].requires
    match requires:
        case Requires.RESULTS:
            return n > 1
        case Requires.TEST_FRACTION:
            return n > 1 and data.test_fraction is not None
        case Requires.FIVE_BY_TWO:
            return n == 10 and data.design == "5x2"
        case Requires.INSTANCES:
            return False
        case _:
            assert_never(requires)


def _repetitions(results: Results, rule: Rule, dataset: str) -> Iterator[tuple[str, FoldData]]:
    """Yield name and fold data of each repetition of an r x k-fold design, or "all" and the data of other designs."""
    data = _fold_data(results, rule, dataset)
    matrix = data.matrix
    repetitions = matrix.index.get_level_values("repetition")
    if data.design != "r x k-fold":
        yield "all", data
        return
    for name in dict.fromkeys(repetitions):
        part = matrix[repetitions == name]
        yield (
            name,
            replace(
                data,
                matrix=part,
                design="k-fold",
                design_label=f"{len(part)}-fold cross-validation",
            ),
        )


def by_dataset(analysis: TwoComparison) -> pd.DataFrame:
    """Return the difference of two algorithms on each data set, smallest first, with interval, p and wins in folds."""
    rows = {name: _row(analysis, *folds) for name, folds in _folds_and_wins(analysis).items()}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("dataset")
    differences = analysis.scores[analysis.first] - analysis.scores[analysis.second]
    table.insert(0, "difference", differences)
    return table.sort_values("difference", kind="stable")


@cached(across_alpha=True)
def _folds_and_wins(analysis: TwoComparison) -> dict[str, tuple[FoldPair | None, str]]:
    """Return the paired folds of each data set (None if not tested), and wins/ties/losses in folds ("" if none)."""
    results = analysis.results
    names = (analysis.first, analysis.second)
    rows: dict[str, tuple[FoldPair | None, str]] = dict.fromkeys(analysis.scores.index, (None, ""))
    for dataset in rows:
        if results.design_of(dataset) == "single":
            continue
        try:
            data = fold_pairs.fold_data(results, dataset, analysis.settings)
            (pair,) = fold_pairs.fold_pairs(
                results, data, analysis.settings.measure, [names]
            ).values()
        except FoldwiseError:
            continue
        wins, ties = pairwise.count_wins(
            data.matrix[list(names)], higher_is_better=analysis.higher_is_better
        )
        rows[dataset] = pair, f"{wins.loc[names]}/{ties.loc[names]}/{wins.loc[names[::-1]]}"
    return rows


def _row(analysis: TwoComparison, pair: FoldPair | None, wins: str) -> dict:
    """Return interval and p of the test on the folds of a data set (NaN if not tested), and the wins."""
    row = {"low": np.nan, "high": np.nan, "p": np.nan, "wins": wins}
    if pair is None:
        return row
    fraction = pair.test_fraction if analysis.settings.overlap == "corrected" else None
    key = fold_tests.advised_test(fraction, len(pair.x), analysis.settings.df)
    answer = fold_tests.run_pair_test(pair, key, confidence_level=1 - analysis.settings.alpha)
    if answer.outcome is not None:
        row |= {"low": answer.low, "high": answer.high, "p": answer.outcome.pvalue}
    return row
