"""Agreement of the decisions of two tests or two measures."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.comparison.compare_instances import can_test_cases
from stats_core.comparison.kinds.instances_base import measures_on_cases, pair_tests
from stats_core.core.errors import DesignError, FoldwiseError
from stats_core.core.messages import Message
from stats_core.core.result_types import labeled_matrix
from stats_core.core.significance import significant
from stats_core.core.validation import check_one_of, check_probability
from stats_core.data.instance_table import case_table
from stats_core.data.results import Results
from stats_core.data.settings import TUKEY, Settings, tested_share
from stats_core.inference.fold_pairs import fold_data, fold_matrix, max_df
from stats_core.inference.fold_tests import CORRECTED, PAIR_TESTS, advised_test
from stats_core.inference.multiplicity.adjust import PAIR_METHODS
from stats_core.inference.multiplicity.corrections import (
    adjust_by_nearest,
    describe_fallback,
    fallback_correction,
)
from stats_core.inference.multivariate.hotelling import pairwise_hotelling
from stats_core.inference.paired.vectorized_pairs import QUICK, quick_pvalues
from stats_core.robustness.dataset_wins import every_pair

HOTELLING = "paired Hotelling T2"
_KEYS = ["dataset", "repetition", "first", "second"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule that decides a pair.

    Attributes
    ----------
    measure : str
        The measure compared.
    measures : tuple of str
        Two or more measures compared together by the paired Hotelling test instead.
    test : str
        One of `PAIR_TESTS` or "Tukey"; the one the design advises if empty.
    overlap : bool
        Whether tests by means allow for training sets that overlap; the papers did not.
    correction : str
        One of the methods of `adjust_pairs`, over the pairs of one data set and repetition.
    alpha : float
        Its level.
    test_fraction : float, optional
        n_test / (n_train + n_test) where neither the file nor the design tells it.
    """

    measure: str = ""
    measures: tuple[str, ...] = ()
    test: str = ""
    overlap: bool = True
    correction: str = "none"
    alpha: float = 0.05
    test_fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agreement:
    """Decisions of two rules on the same pairs.

    Attributes
    ----------
    decisions : DataFrame
        One row per data set, repetition and pair: dataset, repetition, first, second, p one,
        p other, one, other (whether each rejects).
    skipped : dict of str to str
        Data sets that a rule could not decide, with the reason.
    notes : tuple of Note
        Corrections that were replaced, and why.
    """

    decisions: pd.DataFrame
    skipped: dict[str, str]
    notes: tuple[Message, ...] = ()

    @property
    def counts(self) -> pd.DataFrame:
        """Two-by-two table with totals; rows are the first rule, columns the second."""
        labels = ["rejects", "does not reject"]
        table = pd.DataFrame(0, index=labels, columns=labels)
        for row, first in zip(labels, (True, False), strict=True):
            for column, second in zip(labels, (True, False), strict=True):
                table.loc[row, column] = len(self.cell(first=first, second=second))
        table["total"] = table.sum(axis=1)
        table.loc["total"] = table.sum()
        return table

    @property
    def percent(self) -> pd.DataFrame:
        """Two-by-two table in percent of all decisions."""
        return 100 * self.counts / max(len(self.decisions), 1)

    def at_level(self, one: float, other: float) -> "Agreement":
        """Return the agreement of the same tests at other significance levels."""
        levels = {"one": one, "other": other}
        for name, alpha in levels.items():
            check_probability(alpha, name)
        rejections = {
            name: significant(self.decisions[f"p {name}"], alpha) for name, alpha in levels.items()
        }
        return replace(self, decisions=self.decisions.assign(**rejections))

    def cell(self, *, first: bool, second: bool) -> pd.DataFrame:
        """Return the pairs of one cell of the two-by-two table."""
        chosen = (self.decisions["one"] == first) & (self.decisions["other"] == second)
        return self.decisions[chosen].reset_index(drop=True)


def agreement(results: Results, one: Rule, other: Rule) -> Agreement:
    """How often do two rules reject the same pairs, over data sets, pairs and repetitions?

    Notes
    -----
    Each repetition of a cross-validation is tested on its own, so 4 data sets, 21 pairs and 10
    repetitions give 840 decisions. 5 x 2 folds are tested together: two folds alone show
    next to nothing. By default each rule keeps its own level unadjusted, as in the papers.

    References
    ----------
    Yildiz and Alpaydin, multivariate comparison, Tables 1 and 2; Aslan's thesis 2009, section
    3.3.
    """
    for rule in (one, other):
        _check(results, rule)
    if len(results.algorithms) < 2:
        raise DesignError(
            f"Decisions need at least 2 algorithms. There is {len(results.algorithms)}. Add another."
        )
    blocks_of_rules, skipped = [], {}
    for dataset in results.datasets:
        try:
            blocks_of_dataset = [_decide(results, rule, dataset) for rule in (one, other)]
        except FoldwiseError as error:
            skipped[dataset] = str(error)
            continue
        blocks_of_rules.append(blocks_of_dataset)
    if not blocks_of_rules:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in list(skipped.items())[:3])
        raise DesignError(f"Both rules must apply to some data set. {reasons}. Choose other tests.")
    first, second = (pd.concat(blocks) for blocks in zip(*blocks_of_rules, strict=True))
    joined = first.merge(second, on=_KEYS, suffixes=(" one", " other"))
    joined = joined.rename(columns={"reject one": "one", "reject other": "other"})
    columns = [*_KEYS, "p one", "p other", "one", "other"]
    return Agreement(
        decisions=joined[columns],
        skipped=skipped,
        notes=_instead(results, (one, other), blocks_of_rules),
    )


def _instead(
    results: Results, rules: tuple[Rule, Rule], decided: list[list[pd.DataFrame]]
) -> tuple[Message, ...]:
    """Return notes on corrections that were replaced, each once."""
    notes: list[Message] = []
    for rule, blocks in zip(rules, zip(*decided, strict=True), strict=True):
        datasets = [block["dataset"].iloc[0] for block in blocks if block["stands in"].any()]
        notes += describe_fallback(rule.correction, len(results.algorithms), tuple(datasets))
    return tuple(dict.fromkeys(notes))


def _check(results: Results, rule: Rule) -> None:
    for name in rule.measures or (rule.measure,):
        results.resolve_name(name)
    if not rule.measures:
        results.direction(rule.measure)
    check_probability(rule.alpha, "alpha")
    check_one_of(rule.correction, PAIR_METHODS, "correction")
    if rule.test:
        check_one_of(rule.test, (TUKEY, *PAIR_TESTS), "test")


def _test(results: Results, rule: Rule, dataset: str, n_results: int) -> str:
    if rule.measures:
        return HOTELLING
    share = tested_share(results, dataset, Settings(test_fraction=rule.test_fraction))
    return rule.test or advised_test(share, n_results)


def _decide(results: Results, rule: Rule, dataset: str) -> pd.DataFrame:
    """Return the p-value and the decision of every pair, repetition by repetition."""
    blocks = []
    case_pvalues = None if rule.measures else _on_cases(results, rule, dataset)
    repetitions = _repetitions(results, rule, dataset) if case_pvalues is None else [("all", {})]
    for repetition, shared in repetitions:
        raw = _pvalues(results, rule, dataset, shared) if case_pvalues is None else case_pvalues
        pvalues = adjust_by_nearest(raw, rule.correction)
        rows, columns = np.triu_indices(len(pvalues), 1)
        blocks.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "repetition": repetition,
                    "first": pvalues.index[rows],
                    "second": pvalues.index[columns],
                    "p": pvalues.to_numpy()[rows, columns],
                    "stands in": fallback_correction(pvalues),
                }
            )
        )
    table = pd.concat(blocks, ignore_index=True)
    return table.assign(reject=significant(table["p"], rule.alpha))


def _on_cases(results: Results, rule: Rule, dataset: str) -> pd.DataFrame | None:
    """Return p-values of all pairs on the instances of a test set; None with folds."""
    if not can_test_cases(results, dataset):
        return None
    table, measure = case_table(results, dataset), results.resolve_name(rule.measure)
    if table is None or measure not in measures_on_cases(table):
        return None
    pvalues = labeled_matrix(np.ones((len(table.names),) * 2), table.names)
    for (a, b), test in pair_tests(table, measure, table.names, 1 - rule.alpha).items():
        pvalues.loc[a, b] = pvalues.loc[b, a] = test.pvalue
    return pvalues


def _pvalues(results: Results, rule: Rule, dataset: str, shared: dict) -> pd.DataFrame:
    """Return p-values of all pairs on the given folds."""
    fraction = shared["test_fraction"] if rule.overlap else None
    if rule.measures:
        matrices = [
            fold_matrix(results, dataset, name).loc[shared["matrix"].index]
            for name in rule.measures
        ]
        vectors = np.stack([matrix.to_numpy().T for matrix in matrices], axis=2)
        df_bound = max_df(Settings(), vectors.shape[1], fraction, len(rule.measures))
        return pairwise_hotelling(
            vectors,
            results.algorithms,
            test_fraction=fraction,
            max_df=df_bound,
            names=rule.measures,
        ).pvalues
    test = _test(results, rule, dataset, len(shared["matrix"]))
    if test in QUICK and _fits(test, shared):
        pvalues = quick_pvalues(shared["matrix"].to_numpy(), test, shared["test_fraction"])
        if pvalues is not None:
            return labeled_matrix(pvalues, shared["matrix"].columns)
    return every_pair(results, shared, rule.measure, test, overlap=rule.overlap)


def _fits(test: str, shared: dict) -> bool:
    """Return whether the folds meet the needs of the vectorized tests of means."""
    n, five_by_two = len(shared["matrix"]), shared["design"] == "5x2"
    if test in CORRECTED:
        return n > 1 and shared["test_fraction"] is not None
    return n == 10 and five_by_two if test == "5x2 cv F" else n > 1


def _repetitions(results: Results, rule: Rule, dataset: str) -> Iterator[tuple[str, dict]]:
    """Yield the folds of each repetition, or all folds together, with their design."""
    measure = rule.measures[0] if rule.measures else rule.measure
    shared = fold_data(
        results, dataset, Settings(measure=measure, test_fraction=rule.test_fraction)
    )
    matrix = shared["matrix"]
    repetitions = matrix.index.get_level_values("repetition")
    if shared["design"] != "r x k-fold":
        yield "all", shared
        return
    for name in dict.fromkeys(repetitions):
        part = matrix[repetitions == name]
        yield (
            name,
            {**shared, "matrix": part, "design": "k-fold", "design_label": f"{len(part)}-fold"},
        )
