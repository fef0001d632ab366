"""Comparison of algorithms at each of many decision thresholds, on one data set and over data sets."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from stats_core.core import validation
from stats_core.core.errors import (
    DataError,
    DegenerateError,
    DesignError,
    FoldwiseError,
    SettingError,
)
from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.result_types import cached, labeled_matrix, square_matrix
from stats_core.curves import curve_comparison
from stats_core.curves.curve_comparison import DataCurves
from stats_core.curves.thresholds import check_thresholds, risk, theta_ranges
from stats_core.data.measures import COUNTS, confusion_measures
from stats_core.data.results import Results
from stats_core.data.settings import DFS, WINS, Df, Settings, corrected_share
from stats_core.inference import inference_text, pairwise
from stats_core.inference.multiplicity import adjust, win_counts
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.multivariate import hotelling
from stats_core.inference.multivariate.manova import manova
from stats_core.inference.paired import conservative_df, overlap_factor, signed_ranks

NO_WINNER = -1
NOTHING_VARIES = "nothing varies"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRules:
    """Rules that decide the winners at one threshold of one data set.

    Attributes
    ----------
    measures, alpha, rule, test_fraction
        As for `sweep`.
    correction : str
        Correction over the pairs, for the Hotelling tests and the t tests of risk.
    gate : bool
        Whether pairs are tested only if MANOVA rejects.
    df : {"conservative", "published"}
        As in `Settings`.
    """

    measures: tuple[str, ...]
    alpha: float
    rule: str
    test_fraction: float | None
    correction: str = "bonferroni"
    gate: bool = True
    df: Df = "conservative"

    def max_df(self, n_results: int, measures: int) -> int | None:
        """Return the limit on the degrees of freedom of a test, None if there is none."""
        if self.test_fraction is None or self.df == "published":
            return None
        return conservative_df(n_results, measures)

    def overlap(self, values: np.ndarray) -> dict:
        """Return the keyword arguments that correct multivariate tests of `values` for overlapping training sets."""
        max_df = self.max_df(values.shape[1], values.shape[2])
        return {"test_fraction": self.test_fraction, "max_df": max_df}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThresholdDecision:
    """Decisions about all pairs at one threshold.

    Attributes
    ----------
    winners : array of int, one per pair
        Index of the winner among the algorithms, `NO_WINNER` for a tie.
    pvalues : array, one per pair
        p-values of the Hotelling tests, adjusted; NaN where not tested.
    risk_pvalues : array, one per pair
        p-values of the t tests of risk, adjusted; all NaN by the rule "thesis", or if no pair is
        tested because the omnibus test does not reject or is not possible.
    manova : float
        p of MANOVA (for two algorithms, of Hotelling's test); NaN where it is not possible.
    reasons : list of str, one per pair
        Reason for a tie, "" if there is a winner.
    left_out : int
        Number of folds on which a measure is undefined for some algorithm.
    correction : str
        The correction actually used over the pairs, "" if nothing was adjusted.
    """

    winners: np.ndarray
    pvalues: np.ndarray
    risk_pvalues: np.ndarray
    manova: float
    reasons: list[str]
    left_out: int
    correction: str = ""


def decide_threshold(
    values: np.ndarray, risks: np.ndarray, rules: ThresholdRules
) -> ThresholdDecision:
    """Return which algorithm wins each pair at one threshold, with p-values and the reasons for ties.

    `values` are algorithm x fold x measure, `risks` algorithm x fold.

    Examples
    --------
    >>> import numpy as np
    >>> same = np.ones((3, 10, 2))
    >>> rules = ThresholdRules(measures=("tpr", "fpr"), alpha=0.05, rule="risk", test_fraction=None)
    >>> decide_threshold(same, same[:, :, 0], rules).reasons[0]
    'nothing varies'
    """
    return _ThresholdTests(values, risks, rules).decide(rules)


class _ThresholdTests:
    """Tests at one threshold, each computed once, when a decision needs it; p-values do not depend on the level."""

    def __init__(self, values: np.ndarray, risks: np.ndarray, rules: ThresholdRules) -> None:
        self.risks = risks
        self.rules = rules
        is_undefined = np.isnan(values)
        has_undefined = is_undefined.any(axis=(0, 2))  # by fold
        self.defined = values[:, ~has_undefined]
        self.left_out = int(has_undefined.sum())
        is_lacking = is_undefined.any(axis=(0, 1))  # by measure
        lacking = [name for name, lacks in zip(rules.measures, is_lacking, strict=True) if lacks]
        self.few_folds = _few_folds(self.defined.shape[1], lacking)

    @cached_property
    def omnibus(self) -> tuple[float, str]:
        """The p-value of the test of all algorithms (NaN if none), and why pairs cannot be tested ("" if they can)."""
        if self.defined.shape[1] < 2:
            return np.nan, self.few_folds
        if validation.all_within_rounding(self.defined - self.defined[0], self.defined):
            return np.nan, NOTHING_VARIES
        return _omnibus(self.defined, self.rules, self.few_folds)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, list[str], str]:
        """Hotelling's adjusted p-values (NaN if untested), why each pair is untested ("" if tested), the correction."""
        return _pairs(self.defined, self.rules, self.few_folds)

    @cached_property
    def by_risk(self) -> tuple[np.ndarray, str]:
        """Adjusted p-values of the t tests of risk, 1 for pairs that cannot be tested, and the correction."""
        n_folds = self.risks.shape[1]
        max_df = self.rules.max_df(n_folds, 1)
        square = pairwise.pairwise_t(self.risks.T, self.rules.test_fraction, max_df=max_df)
        raw = np.nan_to_num(_upper_triangle(square), nan=1.0)
        return _adjusted(raw, len(self.risks), self.rules)

    def decide(self, rules: ThresholdRules) -> ThresholdDecision:
        """Return the decisions at the level of `rules`."""
        k = len(self.risks)
        omnibus_p, refusal = self.omnibus
        if not refusal and rules.gate and k > 2:
            if not validation.significant(omnibus_p, rules.alpha):
                refusal = f"MANOVA {p_phrase(omnibus_p, rules.alpha)}"
        if refusal:
            return replace(_all_tie(k, refusal, omnibus_p), left_out=self.left_out)
        pvalues, reasons, correction = self.pairs
        if k == 2:
            omnibus_p = float(pvalues[0])
        risk_pvalues = np.full(len(pvalues), np.nan)
        if rules.rule == "risk":
            risk_pvalues, correction_of_risk = self.by_risk
            if correction == rules.correction:
                correction = correction_of_risk
        winners, reasons = _winners(self.risks, pvalues, risk_pvalues, reasons, rules)
        return ThresholdDecision(
            winners=winners,
            pvalues=pvalues,
            risk_pvalues=risk_pvalues,
            manova=omnibus_p,
            reasons=reasons,
            left_out=self.left_out,
            correction=correction,
        )


def _all_tie(algorithms: int, reason: str, p_all: float = np.nan) -> ThresholdDecision:
    """Return the decision that all pairs tie for one reason, with NaN as p-values of pairs."""
    pairs = algorithms * (algorithms - 1) // 2
    return ThresholdDecision(
        winners=np.full(pairs, NO_WINNER),
        pvalues=np.full(pairs, np.nan),
        risk_pvalues=np.full(pairs, np.nan),
        manova=p_all,
        reasons=[reason] * pairs,
        left_out=0,
    )


def _few_folds(n_folds: int, lacking: Sequence[str]) -> str:
    """Return the reason that this number of folds, on which all measures are defined, is too small."""
    defined = f" with a defined {join_names(lacking)}" if lacking else ""
    if n_folds == 0:
        return f"no fold{defined}"
    verb = "is" if n_folds == 1 else "are"
    return f"{format_count(n_folds, 'fold')}{defined} {verb} too few"


def _refused(error: DesignError | DegenerateError, few_folds: str) -> str:
    return few_folds if isinstance(error, DesignError) else inference_text("reason.constant")


def _omnibus(values: np.ndarray, rules: ThresholdRules, few_folds: str) -> tuple[float, str]:
    """Return the p-value of the blocked MANOVA (NaN if none), and why pairs cannot be tested ("" if they can)."""
    if len(values) == 2:
        return np.nan, ""  # with two algorithms the Hotelling test of the pair is the omnibus test
    try:
        p = manova(values, blocked=True, **rules.overlap(values)).pvalue
    except (DesignError, DegenerateError) as error:
        return np.nan, _refused(error, few_folds) if rules.gate else ""
    is_refused = rules.gate and np.isnan(p)
    return p, few_folds if is_refused else ""


def _pairs(
    values: np.ndarray, rules: ThresholdRules, few_folds: str
) -> tuple[np.ndarray, list[str], str]:
    """Return Hotelling's adjusted p-values (NaN if untested), why each pair is untested ("" if not), the correction."""
    rows, columns = np.triu_indices(len(values), 1)
    reasons = [""] * len(rows)
    names = [str(index) for index in range(len(values))]
    try:
        table = hotelling.pairwise_hotelling(values, names, **rules.overlap(values)).pvalues
        raw = _upper_triangle(table.to_numpy())
    except (DesignError, DegenerateError):
        raw = np.full(len(rows), np.nan)
        for index, (i, j) in enumerate(zip(rows, columns, strict=True)):
            try:
                pair = hotelling.hotelling_paired(values[i], values[j], **rules.overlap(values))
                raw[index] = pair.pvalue
            except (DesignError, DegenerateError) as error:
                reasons[index] = _refused(error, few_folds)
    adjusted, used = _adjusted(raw, len(values), rules)
    return adjusted, reasons, used


def _upper_triangle(square: np.ndarray) -> np.ndarray:
    """Return the elements of a symmetric matrix above the diagonal, row by row."""
    return square[np.triu_indices(len(square), 1)]


def _adjusted(raw: np.ndarray, algorithms: int, rules: ThresholdRules) -> tuple[np.ndarray, str]:
    """Return adjusted p-values and the correction; an untested pair is NaN but counts as p = 1 in the family."""
    is_untested = np.isnan(raw)
    square = square_matrix(algorithms, np.where(is_untested, 1.0, raw), diagonal=1.0)
    table = labeled_matrix(square, [str(index) for index in range(algorithms)])
    adjusted_table = adjust.adjust_by_nearest(table, rules.correction)
    adjusted = np.where(is_untested, np.nan, _upper_triangle(adjusted_table.to_numpy()))
    return adjusted, adjust.used_correction(rules.correction, adjusted_table)


def _winners(
    risks: np.ndarray,
    pvalues: np.ndarray,
    by_risk: np.ndarray,
    reasons: list[str],
    rules: ThresholdRules,
) -> tuple[np.ndarray, list[str]]:
    """Return the winner's index for every pair (`NO_WINNER` for a tie), and the reason for a tie ("" for a winner)."""
    rows, columns = np.triu_indices(len(risks), 1)
    mean_risk = risks.mean(axis=1)
    winners = np.full(len(rows), NO_WINNER)
    messages = list(reasons)
    for index, (i, j) in enumerate(zip(rows, columns, strict=True)):
        if messages[index]:
            continue
        if not validation.significant(pvalues[index], rules.alpha):
            messages[index] = f"Hotelling {p_phrase(pvalues[index], rules.alpha)}"
        elif validation.ties_mask(mean_risk[i], mean_risk[j]):
            messages[index] = inference_text("reason.same_risk")
        elif rules.rule == "risk" and not validation.significant(by_risk[index], rules.alpha):
            differences = risks[i] - risks[j]
            messages[index] = _risk_unproven(differences, risks, by_risk[index], rules.alpha)
        else:
            winners[index] = i if mean_risk[i] < mean_risk[j] else j
    return winners, messages


def _risk_unproven(differences: np.ndarray, risks: np.ndarray, p: float, alpha: float) -> str:
    if validation.all_within_rounding(differences - differences.mean(), risks):
        return inference_text("reason.constant_risk")
    return inference_text("reason.risk_unproven", p=p_phrase(p, alpha))


THETAS = np.linspace(0, 1, 21).round(2)  # 0.15, not 0.15000000000000002
THETAS.setflags(write=False)
DESCRIPTIVE = inference_text("reason.descriptive")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sweep:
    """Winners of all pairs at each threshold on one data set.

    Attributes
    ----------
    thetas : tuple of float
        The thresholds.
    names : tuple of str
        The algorithms.
    measures : tuple of str
        The measures of the multivariate tests.
    alpha : float
        Level of the tests at each threshold.
    rule : {"risk", "thesis"}
        Winner of a pair that differs: "risk", the significantly lower risk; "thesis", the lower
        risk (Aslan).
    winners : DataFrame of str, pair x theta
        The winner of "a / b", "" for a tie; pairs in the order of `pairs`.
    pvalues : DataFrame, pair x theta
        p-values of the Hotelling tests, adjusted by Bonferroni over the pairs; NaN where not
        tested.
    manova : Series by theta
        p of the blocked MANOVA (for two algorithms, of Hotelling's test); NaN where it is not
        possible.
    reasons : DataFrame of str, pair x theta
        Reason for a tie, "" if there is a winner.
    risks : DataFrame, theta x algorithm
        Mean total risk of a fold divided by its mean number of cases: risk per case.
    left_out : Series by theta
        Number of folds left out of the multivariate tests because a measure is undefined for some
        algorithm.
    method : str
        The tests actually used.
    """

    thetas: tuple[float, ...]
    names: tuple[str, ...]
    measures: tuple[str, ...]
    alpha: float
    rule: str
    winners: pd.DataFrame
    pvalues: pd.DataFrame
    manova: pd.Series
    reasons: pd.DataFrame
    risks: pd.DataFrame
    left_out: pd.Series
    method: str

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Pair of algorithms of each row of `winners`."""
        return list(combinations(self.names, 2))

    def won_at(self) -> pd.DataFrame:
        """Return the ranges of thresholds at which each algorithm of a pair wins, pairs with a winner first.

        Columns: first, second, less by first, less by second (ranges as text, "" if nowhere), thresholds
        (number with a winner), as in `RiskBands.away`.
        """
        thetas = np.array(self.thetas)
        rows = []
        for (first, second), winners in zip(self.pairs, self.winners.to_numpy(), strict=True):
            row = {
                "first": first,
                "second": second,
                "less by first": theta_ranges(thetas, winners == first),
                "less by second": theta_ranges(thetas, winners == second),
                "thresholds": int((winners != "").sum()),
            }
            rows.append(row)
        table = pd.DataFrame(rows)
        return table.sort_values("thresholds", ascending=False, kind="stable", ignore_index=True)

    def wins(self) -> pd.DataFrame:
        """Return the number of thresholds at which the row algorithm wins over the column."""
        names = np.array(self.names, dtype=object)
        winners = self.winners.to_numpy()
        rows, columns = np.triu_indices(len(names), 1)  # the order of `pairs`
        counts = np.zeros((len(names), len(names)), dtype=int)
        counts[rows, columns] = (winners == names[rows, None]).sum(axis=1)
        counts[columns, rows] = (winners == names[columns, None]).sum(axis=1)
        return labeled_matrix(counts, names)

    def tally(self, alpha: float | None = None) -> pd.DataFrame:
        """Return the one-sided sign test over thresholds, one row per ordered pair.

        Columns: first, second, wins, losses, ties, p, beats (p <= `alpha`, by default the level of
        the sweep).
        """
        level = self.alpha if alpha is None else validation.check_probability(alpha, "alpha")
        counts = self.wins().to_numpy()
        n = len(self.thetas)
        names = np.array(self.names, dtype=object)
        rows, columns = np.nonzero(~np.eye(len(names), dtype=bool))
        wins = counts[rows, columns]
        losses = counts[columns, rows]
        table = pd.DataFrame({"first": names[rows], "second": names[columns]})
        table["wins"] = wins
        table["losses"] = losses
        table["ties"] = n - wins - losses
        table["p"] = signed_ranks.sign_pvalues(wins, losses, n, two_sided=False)
        table["beats"] = validation.significant(table["p"], level)
        return table

    def to_frame(self) -> pd.DataFrame:
        """Return one row per theta and pair.

        Columns: theta, first, second, winner, p adjusted, p manova, risk first, risk second,
        left out, reason.
        """
        n_pairs = len(self.pairs)
        n_thetas = len(self.thetas)
        first = [pair[0] for pair in self.pairs]
        second = [pair[1] for pair in self.pairs]

        def by_both(table: pd.DataFrame) -> list:
            return table.to_numpy().T.ravel().tolist()

        columns = {
            "theta": np.repeat(self.thetas, n_pairs),
            "first": first * n_thetas,
            "second": second * n_thetas,
            "winner": by_both(self.winners),
            "p adjusted": by_both(self.pvalues),
            "p manova": np.repeat(self.manova.to_numpy(), n_pairs),
            "risk first": self.risks[first].to_numpy().ravel(),
            "risk second": self.risks[second].to_numpy().ravel(),
            "left out": np.repeat(self.left_out.to_numpy(), n_pairs),
            "reason": by_both(self.reasons),
        }
        return pd.DataFrame(columns)


def sweep(
    counts: ArrayLike,
    names: Sequence[str],
    *,
    thetas: ArrayLike = THETAS,
    measures: Sequence[str] = COUNTS,
    alpha: float = 0.05,
    rule: Literal["risk", "thesis"] = "risk",
    test_fraction: float | None = None,
    df: Df = "conservative",
) -> Sweep:
    """Return the winner of each pair at each threshold, that is for each ratio of the costs of errors.

    `counts` are theta x algorithm x fold x (tp, fp, tn, fn). `df` is "conservative" or "published",
    as in `Settings`. Raises DataError for unsuitable counts or names, DesignError for fewer than
    two algorithms or folds, SettingError for other unsuitable arguments.

    Notes
    -----
    At each theta: blocked MANOVA at `alpha`, with three or more algorithms; if it rejects, the paired Hotelling test
    of every pair, Bonferroni over the pairs; then total risk theta fp + (1 - theta) fn. Its difference is
    tested by the paired t test, Bonferroni over the pairs, unless `rule` is "thesis". All are corrected for overlap if
    `test_fraction` is given. Folds on which a measure is undefined are left out of the
    multivariate tests of that theta for all algorithms, and counted; risk is always defined and
    uses every fold. A pair that cannot be tested is a tie, with the reason. Equal risks are a tie,
    where the thesis draws the winner at random. p-values are not adjusted for the
    number of thresholds.

    References
    ----------
    Aslan's thesis 2009, section 7.1 and Figure 7.1, lines 22 to 25.

    Examples
    --------
    Ten folds of 50 positive and 50 negative cases; the scores of "late" are lower throughout.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> positive, negative = rng.beta(4, 2, (10, 50)), rng.beta(2, 4, (10, 50))
    >>> def counted(shift, theta):
    ...     tp = (positive - shift >= theta).sum(axis=1)
    ...     fp = (negative - shift >= theta).sum(axis=1)
    ...     return np.column_stack([tp, fp, 50 - fp, 50 - tp])
    >>> counts = [[counted(shift, theta) for shift in (0, 0.2)] for theta in (0.25, 0.75)]
    >>> found = sweep(counts, ["full", "late"], thetas=[0.25, 0.75])
    >>> found.winners.iloc[0].tolist()
    ['', 'full']
    """
    options: dict[str, Any] = {"thetas": thetas, "measures": measures, "rule": rule}
    options |= {"test_fraction": test_fraction, "df": df}
    return _SweepTests(counts, names, **options).decide(alpha)


class _SweepTests:
    """The tests of a sweep, for decisions at several levels; arguments as for `sweep`."""

    def __init__(
        self,
        counts: ArrayLike,
        names: Sequence[str],
        *,
        thetas: ArrayLike = THETAS,
        measures: Sequence[str] = COUNTS,
        rule: Literal["risk", "thesis"] = "risk",
        test_fraction: float | None = None,
        df: Df = "conservative",
    ) -> None:
        self.values = _check_counts(counts)
        self.algorithms = _check_names(names, self.values.shape[1])
        self.thetas = _check_thetas(thetas, len(self.values))
        self.rules = ThresholdRules(
            measures=_check_measures(measures),
            alpha=0.05,
            rule=validation.check_one_of(rule, WINS, "rule"),
            test_fraction=test_fraction,
            df=validation.check_one_of(df, DFS, "df"),
        )
        self.factor = overlap_factor(self.values.shape[2], test_fraction)
        measured = _measure(self.values, self.rules.measures)
        self.risks = risk(self.values, self.thetas[:, None, None])
        self.tests = [
            _ThresholdTests(m, r, self.rules) for m, r in zip(measured, self.risks, strict=True)
        ]

    def decide(self, alpha: float) -> Sweep:
        """Return the sweep at a level."""
        rules = replace(self.rules, alpha=validation.check_probability(alpha, "alpha"))
        decisions = [tests.decide(rules) for tests in self.tests]
        pairs = [f"{a} / {b}" for a, b in combinations(self.algorithms, 2)]
        label = np.array([*self.algorithms, ""], dtype=object)  # the last is NO_WINNER

        def by_pair(rows: list, dtype: type | None = None) -> pd.DataFrame:
            return pd.DataFrame(np.array(rows, dtype=dtype).T, index=pairs, columns=self.thetas)

        mean_cases = self.values.sum(axis=3).mean(axis=2)
        risks = self.risks.mean(axis=2) / mean_cases
        return Sweep(
            thetas=tuple(self.thetas.tolist()),
            names=self.algorithms,
            measures=rules.measures,
            alpha=rules.alpha,
            rule=rules.rule,
            winners=by_pair([label[decision.winners] for decision in decisions]),
            pvalues=by_pair([decision.pvalues for decision in decisions]),
            manova=pd.Series([decision.manova for decision in decisions], index=self.thetas),
            reasons=by_pair([decision.reasons for decision in decisions], object),
            risks=pd.DataFrame(risks, index=self.thetas, columns=list(self.algorithms)),
            left_out=pd.Series([decision.left_out for decision in decisions], index=self.thetas),
            method=_method(len(self.algorithms), rules, self.factor),
        )


def _measure(counts: np.ndarray, measures: Sequence[str]) -> np.ndarray:
    """Return the measures computed from counts, theta x algorithm x fold x measure."""
    table = pd.DataFrame(counts.reshape(-1, len(COUNTS)), columns=list(COUNTS))
    if not set(measures) <= set(COUNTS):
        table = table.join(confusion_measures(table))
    return table[list(measures)].to_numpy().reshape(*counts.shape[:3], len(measures))


def _method(algorithms: int, rules: ThresholdRules, factor: float) -> str:
    """Return the tests at each threshold as a sentence."""
    n_pairs = algorithms * (algorithms - 1) // 2
    hotelling_step = "paired Hotelling T\N{SUPERSCRIPT TWO}"
    if n_pairs > 1:
        hotelling_step += f", Bonferroni over {n_pairs} pairs"
    is_by_risk = rules.rule == "risk"
    risk_step = inference_text("method.t_of_risk") if is_by_risk else "lower expected cost"
    steps = [hotelling_step, risk_step]
    if algorithms > 2:
        steps.insert(0, "blocked MANOVA")
    overlap = f", corrected for overlap (c = {factor:.4g})" if factor != 1 else ""
    return f"At each threshold: {', then '.join(steps)}{overlap}"


def _check_counts(counts: ArrayLike) -> np.ndarray:
    """Return counts as floats, theta x algorithm x fold x 4; raise DataError or DesignError for unsuitable ones."""
    values = np.asarray(counts, dtype=float)
    if values.ndim != 4 or values.shape[-1] != len(COUNTS) or not values.size:
        raise DataError.of("counts must be theta x algorithm x fold", shape=values.shape)
    is_valid = np.isfinite(values) & (values >= 0)
    if not is_valid.all():
        raise DataError.of("counts not finite")
    validation.check_results(values.shape[2])
    tp, fp, tn, fn = np.moveaxis(values, -1, 0)
    positives = tp + fn
    negatives = fp + tn
    for of_class in (positives, negatives):
        if not np.allclose(of_class, of_class[0]):
            raise DataError.of("counts of a class must not change with the threshold")
    if not (positives + negatives > 0).all():
        raise DataError.of("folds without instances")
    return values


def _check_names(names: Sequence[str], algorithms: int) -> tuple[str, ...]:
    labels = tuple(str(name) for name in names)
    different = len(set(labels) - {""})
    if len(labels) != algorithms or different != algorithms:
        raise DataError.of(
            "names must name every algorithm once", different=different, algorithms=algorithms
        )
    if algorithms < 2:
        raise DesignError.of("sweep of one")
    return labels


def _check_thetas(thetas: ArrayLike, expected: int) -> np.ndarray:
    theta_values = check_thresholds(thetas)
    if theta_values.shape != (expected,):
        shape = theta_values.shape
        raise SettingError.of("thetas must be as many as counts", shape=shape, expected=expected)
    falls = np.flatnonzero(np.diff(theta_values) <= 0)
    if len(falls):
        first, second = theta_values[falls[0] : falls[0] + 2]
        raise SettingError.of("thetas must increase", first=first, second=second)
    return theta_values


def _check_measures(measures: Sequence[str]) -> tuple[str, ...]:
    """Return the names of measures as a tuple; raise SettingError if one is unknown or repeated."""
    counts = pd.DataFrame([[1.0] * len(COUNTS)], columns=list(COUNTS))
    available = [*COUNTS, *confusion_measures(counts)]
    names = (measures,) if isinstance(measures, str) else tuple(measures)
    for measure in names:
        validation.check_one_of(measure, available, "measures")
    if not names or len(set(names)) != len(names):
        raise SettingError.of(
            "measures must name each measure once", named=join_names(names) or "none"
        )
    return names


_EXACT = 13  # data sets up to which all sign flips are used
_DRAWN = 10_000  # sign flips drawn otherwise
_ROUNDING = 1e-9  # statistics that differ by less are equal
_SAME = 1e-12  # risks that differ by less are equal


def risks_over_sets(sweeps: Mapping[str, Sweep]) -> pd.DataFrame:
    """Return permutation tests of the risk of each pair over data sets, one row per pair and threshold.

    `sweeps` are by data set, of the same algorithms and thresholds. Columns: first, second, theta,
    estimate (median difference), statistic, p, p adjusted. Raises DesignError for fewer than two
    data sets.

    Notes
    -----
    The statistic is Wilcoxon's standardised signed-rank statistic. If two algorithms do not differ,
    the signs of a data set's differences, at all thresholds together, can be flipped without changing
    their distribution. Signs are therefore flipped by data set, the same for every pair and threshold:
    all combinations up to 13 data sets, 10,000 random ones (seed 0) beyond. Adjusted p-values use the
    step-down maximum statistic, which controls the family-wise error rate and, unlike Bonferroni,
    takes into account that risks at neighbouring thresholds are nearly the same.

    References
    ----------
    Westfall and Young 1993.

    Examples
    --------
    With the same counts for both algorithms, nothing differs:

    >>> from stats_core.curves.threshold_sweep import sweep
    >>> same = sweep(np.ones((21, 2, 10, 4)), ["a", "b"])
    >>> risks_over_sets({"one": same, "two": same})["p adjusted"].unique().tolist()
    [1.0]
    """
    if len(sweeps) < 2:
        raise DesignError.of("sweeps of few", n=len(sweeps))
    first_sweep = next(iter(sweeps.values()))
    names = list(first_sweep.names)
    thetas = first_sweep.thetas
    # data set x theta x algorithm
    risks = np.stack([of_set.risks[names].to_numpy() for of_set in sweeps.values()])
    first, second = np.triu_indices(len(names), 1)
    by_theta = risks[:, :, first] - risks[:, :, second]
    differences = by_theta.transpose(0, 2, 1).reshape(len(risks), -1)
    statistic, pvalues, adjusted = signs_turned(differences)
    columns = {
        "first": np.repeat([names[i] for i in first], len(thetas)),
        "second": np.repeat([names[i] for i in second], len(thetas)),
        "theta": np.tile(thetas, len(first)),
        "estimate": np.median(differences, axis=0),
        "statistic": statistic,
        "p": pvalues,
        "p adjusted": adjusted,
    }
    return pd.DataFrame(columns)


def least_of_sets(n: int) -> float:
    """Return the smallest possible p-value of the sign-flip test over n data sets, 1 for none.

    Examples
    --------
    >>> least_of_sets(3), least_of_sets(6), least_of_sets(20)
    (0.25, 0.03125, 0.0001)
    """
    if n == 0:
        return 1.0
    of_all_flips = 2.0 ** (1 - n)
    return max(of_all_flips, 1 / _DRAWN) if n > _EXACT else of_all_flips


def signs_turned(differences: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return statistics, p-values and max-T adjusted p-values of sign-flip tests, one per column (rows are data sets).

    Examples
    --------
    Two hypotheses that are one and the same cost nothing; with six data sets p is 2 of 64 ways.

    >>> column = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> [p.round(5).tolist() for p in signs_turned(np.hstack([column, 2 * column]))[1:]]
    [[0.03125, 0.03125], [0.03125, 0.03125]]
    """
    sizes = np.abs(differences)
    is_nonzero = sizes >= _SAME
    ranks = rankdata(np.where(is_nonzero, sizes, np.nan), axis=0, nan_policy="omit")
    ranks = np.where(is_nonzero, ranks, 0)
    lengths = np.sqrt((ranks**2).sum(axis=0))
    scaled = np.sign(differences) * ranks / np.where(lengths > 0, lengths, 1.0)
    statistic = scaled.sum(axis=0)
    observed = np.abs(statistic) - _ROUNDING
    order = np.argsort(-observed, kind="stable")
    n_single = np.zeros(len(observed))
    n_largest = np.zeros(len(observed))
    n_flips = 0
    for signs in _sign_flips(len(differences)):
        flipped = np.abs(signs @ scaled)
        n_single += (flipped >= observed).sum(axis=0)
        # maximum over each statistic and all smaller ones
        largest = np.maximum.accumulate(flipped[:, order[::-1]], axis=1)[:, ::-1]
        n_largest += (largest >= observed[order]).sum(axis=0)
        n_flips += len(signs)
    adjusted = np.empty(len(observed))
    adjusted[order] = np.maximum.accumulate(n_largest) / n_flips
    return statistic, n_single / n_flips, adjusted


def _sign_flips(n: int) -> Iterator[np.ndarray]:
    """Yield sign flips of n data sets in batches, original signs first: one of each opposite pair, or 10,000 drawn."""
    if n <= _EXACT:  # one of two opposite flips, which have the same statistic
        codes = np.arange(2 ** (n - 1))
        for part in validation.batches(len(codes), n):
            is_flipped = codes[part, None] >> np.arange(n) & 1
            yield 1.0 - 2.0 * is_flipped
        return
    draws = np.random.default_rng(0)
    yield np.ones((1, n))
    for part in validation.batches(_DRAWN - 1, n):
        is_flipped = draws.integers(0, 2, (part.stop - part.start, n))
        yield 1.0 - 2.0 * is_flipped


def sweep_curves(
    data: DataCurves,
    names: Sequence[str],
    *,
    scale: str = "logistic",
    alpha: float = 0.05,
    **options: Any,
) -> Sweep:
    """Return the threshold sweep of one data set from its curves, at the thresholds `THETAS`.

    `options` are those of `sweep`. Raises DesignError if an algorithm in `names` has no curves.
    """
    return _tests_of_curves(data, tuple(names), scale=scale, **options).decide(alpha)


@cached
def _tests_of_curves(
    data: DataCurves, names: tuple[str, ...], *, scale: str, **options: Any
) -> _SweepTests:
    """Return the tests of a sweep from curves, cached with them; raise DesignError if an algorithm has no curves."""
    missing = [name for name in names if name not in data.names]
    if missing:
        raise DesignError.of(
            "A sweep needs the curves of every algorithm",
            dataset=data.dataset,
            missing=join_names(missing),
        )
    positions = [data.names.index(name) for name in names]
    return _SweepTests(data.counts(THETAS, scale)[:, positions], names, **options)


def sweep_each(
    results: Results, settings: Settings, *, scale: str = "logistic"
) -> tuple[dict[str, Sweep], dict[str, str]]:
    """Return the threshold sweep of each data set, and the reason for each skipped data set.

    References
    ----------
    Aslan's thesis 2009, section 7.1.

    Examples
    --------
    See the page Curves, Thresholds and losses.
    """
    selected, settings = pairwise.apply_selection(results, settings)
    sweeps = {}
    skipped = {}
    for dataset in selected.datasets:
        try:
            sweeps[dataset] = sweep_curves(
                curve_comparison.curves_of_folds(selected, dataset),
                selected.algorithms,
                scale=scale,
                measures=settings.measures or COUNTS,
                alpha=settings.alpha,
                rule=settings.win,
                test_fraction=corrected_share(selected, dataset, settings),
            )
        except FoldwiseError as error:
            skipped[dataset] = str(error)
    return sweeps, skipped


def over_data_sets(sweeps: Mapping[str, Sweep], *, alpha: float = 0.05) -> Wins:
    """Return the wins of the threshold sweep over data sets, with sign tests of pairs.

    `alpha` is the level of the sign tests. Raises DesignError without sweeps, DataError if they
    differ in algorithms, thresholds, measures, level or rule, SettingError for `alpha` outside (0,
    1).

    Notes
    -----
    On a data set, i beats l if the right-tailed sign test over thresholds rejects (`Sweep.tally`).
    This is a rule for a win, not a valid test, since neighbouring thresholds are not independent. Data
    sets are independent: the two-tailed sign test over them is valid. Data sets without a winner are
    split evenly between both algorithms, an odd one is dropped.

    References
    ----------
    Aslan's thesis 2009, section 7.1, Tables 7.4, 7.5, 7.9 and 7.10.

    Examples
    --------
    >>> import numpy as np
    >>> from stats_core.curves.threshold_sweep import sweep
    >>> same = sweep(np.ones((21, 2, 10, 4)), ["a", "b"])
    >>> over_data_sets({"one": same, "two": same}).smallest
    0.5
    """
    validation.check_probability(alpha, "alpha")
    names = _check_sweeps(sweeps)
    beaten = {
        str(dataset): _beats(sweep_of_set, names, alpha) for dataset, sweep_of_set in sweeps.items()
    }
    first = next(iter(sweeps.values()))
    return win_counts.wins_from(
        beaten,
        names,
        win_counts.WinDefinition(
            measures=tuple(first.measures),
            win=inference_text("method.sweep"),
            rule=inference_text("wins.sweep", n=len(first.thetas), by_risk=first.rule == "thesis"),
        ),
        alpha=alpha,
        correction="bonferroni",
    )


def _beats(sweep_of_set: Sweep, names: Sequence[str], alpha: float) -> np.ndarray:
    """Return whether the row algorithm beats the column algorithm in the sweep of one data set, as an array."""
    beats = np.zeros((len(names), len(names)), dtype=bool)
    beats[~np.eye(len(names), dtype=bool)] = sweep_of_set.tally(alpha)["beats"]
    return labeled_matrix(beats, sweep_of_set.names).loc[list(names), list(names)].to_numpy()


def _check_sweeps(sweeps: Mapping[str, Sweep]) -> Sequence[str]:
    """Return the algorithms; raise DesignError without sweeps, DataError if they differ in algorithms or rules."""
    if not sweeps:
        raise DesignError.of("no sweeps")
    first, *others = sweeps.values()
    for other in others:
        if set(other.names) != set(first.names):
            raise DataError.of(
                "Sweeps must compare the same algorithms",
                names=join_names(first.names),
                other_names=join_names(other.names),
            )
        same = (first.thetas, first.measures, first.alpha, first.rule)
        if (other.thetas, other.measures, other.alpha, other.rule) != same:
            raise DataError.of("Sweeps must share thresholds, measures, alpha and rule")
    return first.names
