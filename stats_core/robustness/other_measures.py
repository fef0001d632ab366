"""Comparisons by other measures, and differences that a single measure does not show."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd

from stats_core.comparison import conclusion_scope
from stats_core.comparison.decide import decide
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.measure_vectors import OnMeasures
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.core.formatting import format_interval
from stats_core.core.result_types import cached, labeled_matrix
from stats_core.core.validation import significant
from stats_core.data.results import Results
from stats_core.data.settings import Settings, corrected_share
from stats_core.inference import fold_pairs, pairwise
from stats_core.inference.anova import AnovaResult
from stats_core.inference.multiplicity.cliques import cliques
from stats_core.inference.multivariate import hotelling, learned_measures, manova
from stats_core.inference.multivariate.learned_measures import LearnedMeasures
from stats_core.inference.multivariate.manova import PermutationResult
from stats_core.robustness.dataset_decisions import Rule
from stats_core.robustness.variations import by_measures, distinct_measures

# one measure each of labels, of ranked scores and of probabilities
ASPECTS = ("error", "auc", "brier")


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """Significant differences by another measure that the compared measure lacks or contradicts.

    Attributes
    ----------
    measure : str
        The other measure.
    apart : tuple of (str, str)
        Pairs that differ, the better algorithm first, smallest p first.
    p : float
        The smallest p-value, adjusted over the pairs but not over the measures.
    test_name : str
        Name of the test.
    """

    measure: str
    apart: tuple[tuple[str, str], ...]
    p: float
    test_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherMeasures:
    """Decisions by the other measures of the same results.

    Attributes
    ----------
    looked_at : tuple of str
        The other measures that could be tested.
    findings : tuple of Otherwise
        Measures with other decisions, smallest p first.
    alpha : float
        The level.
    """

    looked_at: tuple[str, ...]
    findings: tuple[Otherwise, ...]
    alpha: float


def decided_otherwise(comparison: Comparison, pair: Collection[str] = ()) -> OtherMeasures:
    r"""Return the significant differences by other measures that the decisions by the compared measure miss.

    These are all differences if the compared measure shows none, else those in the opposite
    direction; only those of one `pair` if it is given.

    Notes
    -----
    p-values are unadjusted for the number of measures.

    Examples
    --------
    >>> from stats_core.comparison.analyse import analyse
    >>> from stats_core.io.read import read_results
    >>> rows = [f"d{i},a,1,0.{20 + i % 2},0.{30 + i}\nd{i},b,1,0.2,0.{50 + i}" for i in range(8)]
    >>> table = "dataset,algorithm,fold,error,auc\n" + "\n".join(rows)
    >>> found = decided_otherwise(analyse(read_results(("r.csv", table.encode()))))
    >>> found.findings[0].measure, found.findings[0].apart, round(found.findings[0].p, 4)
    ('auc', (('b', 'a'),), 0.0078)
    """
    alpha = comparison.settings.alpha

    def apart(decided: Comparison) -> list[tuple[str, str]]:
        return [each for each in decide(decided).apart if not pair or {*each} == {*pair}]

    before = {*apart(comparison)}
    looked_at = []
    other_decisions = []
    for variation in by_measures(comparison, distinct_measures(comparison, ASPECTS)):
        other = variation.comparison
        measure = variation.name
        if other is None or not conclusion_scope.may_cite(comparison, other, naming=["measures"]):
            continue
        looked_at.append(measure)
        pairs = [each for each in apart(other) if not before or each[::-1] in before]
        if pairs:
            p = float(other.adjusted_pvalues.loc[pairs[0]])
            other_decisions.append(
                Otherwise(measure=measure, apart=tuple(pairs), p=p, test_name=other.test_name)
            )
    other_decisions.sort(key=lambda finding: finding.p)
    return OtherMeasures(looked_at=tuple(looked_at), findings=tuple(other_decisions), alpha=alpha)


def by_measure(analysis: FoldPairComparison) -> pd.DataFrame:
    """Return the test of two algorithms by every measure, one row each; the verdict of a refused test is the reason."""
    first = analysis.first
    second = analysis.second
    rows: dict[str, dict] = {}
    for variation in by_measures(analysis, analysis.results.measures):
        measure = variation.name
        if variation.comparison is None:
            rows[measure] = {"verdict": variation.refusal}
            continue
        other = cast(FoldPairComparison, variation.comparison)
        means = other.matrix.mean()
        outcome = other.chosen.outcome
        row = {
            first: means[first],
            second: means[second],
            "difference": means[first] - means[second],
        }
        if outcome is None:
            rows[measure] = {**row, "verdict": other.chosen.reason}
            continue
        bounds = other.chosen.low, other.chosen.high
        rows[measure] = {
            **row,
            "interval": format_interval(*bounds, other.digits) if bounds[0] == bounds[0] else "",
            "p": outcome.pvalue,
            "verdict": f"{other.better} better"
            if significant(outcome.pvalue, analysis.settings.alpha)
            else "not significant",
        }
    columns = [first, second, "difference", "interval", "p", "verdict"]
    table = pd.DataFrame.from_dict(rows, orient="index").reindex(columns=columns)
    for name in ("interval", "verdict"):
        table[name] = table[name].astype(object).fillna("")
    return table.rename_axis("measure")


def other_measures(
    analysis: FoldsComparison, measures: Sequence[str]
) -> tuple[list[FoldsComparison], dict[str, str]]:
    """Return the same analysis by each measure that allows it, and the reason by measure for those that do not."""
    variations = list(by_measures(analysis, measures))
    analyses = [cast(FoldsComparison, each.comparison) for each in variations if each.comparison]
    return analyses, {each.name: each.refusal for each in variations if not each.comparison}


def changed_decisions(analyses: Sequence[FoldsComparison]) -> pd.DataFrame:
    """Return the better algorithm or "not significant" by each measure, for pairs on which the analyses disagree."""
    decided = {}
    for analysis in analyses:
        pairs = analysis.pairs.decisions
        decided[analysis.settings.measure] = {
            tuple(sorted((row["first"], row["second"]))): row["first"]
            if row["separated"]
            else "not significant"
            for _, row in pairs.iterrows()
        }
    table = pd.DataFrame(decided).sort_index()
    table.index = pd.MultiIndex.from_tuples(table.index, names=["first", "second"])
    return table[table.nunique(axis=1) > 1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """Discriminant measures (linear combinations that best separate the algorithms), with their tests.

    Attributes
    ----------
    model : LearnedMeasures
        Learned on all folds.
    permuted, crossed : PermutationResult, AnovaResult
        The two valid tests of M1, by permutation and by cross-fitting.
    pairs : DataFrame, algorithm x algorithm
        Adjusted p-values along the discriminant measures; descriptive only.
    """

    model: LearnedMeasures
    permuted: PermutationResult
    crossed: AnovaResult
    pairs: pd.DataFrame

    def groups(self, alpha: float) -> list[tuple[str, ...]]:
        """Return the maximal groups without a significant difference on the discriminant measures."""
        return cliques(self.pairs, alpha)


def learned_measures_of(comparison: OnMeasures) -> Learned:
    """Return the discriminant measures of a comparison on several measures, with their tests."""
    vectors = comparison.vectors
    names = comparison.measures
    fraction = comparison.test_fraction
    n = comparison.n_folds
    max_df_single, max_df_pair = (
        fold_pairs.max_df(comparison.settings, n, fraction, m) for m in (1, 2)
    )
    model = comparison.learned
    return Learned(
        model=model,
        permuted=learned_measures.learned_permutation(vectors, names),
        crossed=learned_measures.learned_crossfit(
            vectors, names, test_fraction=fraction, max_df=max_df_single
        ),
        pairs=learned_measures.learned_pairs(
            model, comparison.names, test_fraction=fraction, max_df=max_df_pair
        ),
    )


def permutation_test_of(comparison: OnMeasures) -> PermutationResult:
    """Return the permutation version of the test on several measures that a comparison uses."""
    if comparison.shape.two:
        return manova.shuffled_hotelling(
            *(comparison.cloud(name).to_numpy() for name in comparison.order)
        )
    return manova.shuffled_manova(comparison.vectors)


def one_or_several(measures: Sequence[str], settings: Settings) -> tuple[Rule, Rule]:
    """Return two rules: the uncorrected paired t test on one measure, and a multivariate test on several measures.

    Examples
    --------
    >>> one, several = one_or_several(("fpr", "tpr"), Settings(measure="error"))
    >>> one.test, several.measures
    ('paired t', ('fpr', 'tpr'))
    """
    single = Rule(measure=settings.measure, test="paired t", overlap=False, alpha=settings.alpha)
    return single, replace(single, measure="", measures=tuple(measures), test="")


# measure -> measures that may show differences it hides
_LOOKS = {"error": ("fpr", "tpr"), "f": ("recall", "precision")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Difference on several measures that a test on a single measure does not show.

    Attributes
    ----------
    dataset : str
        Name of the data set.
    measures : tuple of str
        The measures by which algorithms differ.
    measure : str
        The measure by which they do not.
    pair : tuple of str
        The two algorithms, () for a finding about groups.
    group : tuple of str
        Algorithms without a significant difference on `measures`, () for a finding about a pair.
    between : tuple of str
        Algorithms outside the group with a mean of `measure` between theirs.
    """

    dataset: str
    measures: tuple[str, ...]
    measure: str
    pair: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    between: tuple[str, ...] = ()


def findings(results: Results, settings: Settings) -> list[Finding]:
    """Return pairs that differ on several measures but not on one, and a group not contiguous in the order by error.

    Notes
    -----
    FPR and TPR are compared with error, recall and precision with F. At most one pair is returned for each of
    error and F, and at most one group. All data sets and pairs are searched at the unadjusted level: the
    results are exploratory, not tests.
    """
    results, settings = pairwise.apply_selection(results, settings)
    all_findings = []
    for measure, measures in _LOOKS.items():
        datasets = _datasets(results, measure, measures, replace(settings, alpha=0.5))
        pair = _pair(datasets, measure, measures, settings.alpha)
        if pair is not None:
            all_findings.append(pair)
        if (
            measure == "error"
            and (groups := _groups(datasets, measures, settings.alpha)) is not None
        ):
            all_findings.append(groups)
    return all_findings


@cached
def _datasets(
    results: Results, measure: str, measures: tuple[str, ...], settings: Settings
) -> list[tuple[str, pd.Series, pd.DataFrame, pd.DataFrame]]:
    """Return name, means by `measure`, and p-values by `measure` and by `measures` of each data set with such tests."""
    tested = []
    for dataset in results.with_folds:
        try:
            data = fold_pairs.fold_data(results, dataset, replace(settings, measure=measure))
            layers = [
                fold_pairs.fold_matrix(results, dataset, name).to_numpy().T for name in measures
            ]
            fraction = corrected_share(results, dataset, settings)
            matrix = data.matrix.to_numpy()
            names = results.algorithms
            df_bounds = [
                fold_pairs.max_df(settings, len(matrix), fraction, m) for m in (1, len(measures))
            ]
            single_pvalues = labeled_matrix(
                pairwise.pairwise_t(matrix, fraction, max_df=df_bounds[0]), names
            )
            joint_pvalues = hotelling.pairwise_hotelling(
                np.stack(layers, axis=2), names, test_fraction=fraction, max_df=df_bounds[1]
            ).pvalues
        except FoldwiseError:
            continue
        tested.append((dataset, data.matrix.mean(), single_pvalues, joint_pvalues))
    return tested


def _pair(
    datasets: Iterable[tuple], measure: str, measures: tuple[str, ...], alpha: float
) -> Finding | None:
    """Return a finding for the smallest joint p below alpha among pairs with single p above 0.2 and alpha, or None."""
    best = None
    smallest = alpha
    for dataset, _, single, joint in datasets:
        rows, columns = np.triu_indices(len(single), 1)
        p_one = single.to_numpy()[rows, columns]
        p_many = joint.to_numpy()[rows, columns]
        candidate_p = np.where(p_one > max(0.2, alpha), p_many, 1.0)
        position = int(candidate_p.argmin()) if len(candidate_p) else 0
        if len(candidate_p) and candidate_p[position] < smallest:
            smallest = float(candidate_p[position])
            best = dataset, single.index[rows[position]], single.index[columns[position]]
    if best is None:
        return None
    dataset, first, second = best
    return Finding(dataset=dataset, measures=measures, measure=measure, pair=(first, second))


def _groups(datasets: Iterable[tuple], measures: tuple[str, ...], alpha: float) -> Finding | None:
    """Return a finding for the first joint group that is not contiguous in the order by error, else None."""
    for dataset, means, _, joint in datasets:
        order = list(means.sort_values(kind="stable").index)
        position_of = {name: i for i, name in enumerate(order)}
        for group in cliques(joint.loc[order, order], alpha):
            positions = [position_of[name] for name in group]
            between = [name for name in order[positions[0] : positions[-1]] if name not in group]
            if len(group) > 1 and between:
                return Finding(
                    dataset=dataset,
                    measures=measures,
                    measure="error",
                    group=tuple(group),
                    between=tuple(between),
                )
    return None
