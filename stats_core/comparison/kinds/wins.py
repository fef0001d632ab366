"""Comparisons by counts of wins over data sets and sign tests of pairs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from stats_core.comparison.cards.method_card import method_card
from stats_core.comparison.cited_text import (
    CitedText,
    adjustment_text,
    cite_test,
    ending_sentence,
    origin,
    overlap_text,
)
from stats_core.comparison.claims import FEW
from stats_core.comparison.detectable_inputs import (
    DetectableInput,
    ProportionDetectableInput,
    all_pairs,
)
from stats_core.comparison.detectable_inputs import one_pair as one_pair_family
from stats_core.comparison.kinds.several_measures import all_and_pairs, one_pair_step, vector_text
from stats_core.comparison.over_measures import count_wins, decide_each
from stats_core.comparison.pairs_frame import ordered_pairs, pair_values, pairs_frame
from stats_core.comparison.plan_steps import THESIS, Step
from stats_core.comparison.result import (
    Comparison,
    ErrorControl,
    Inputs,
    Shape,
    SmallestPValue,
    Units,
    cached_method,
)
from stats_core.core.errors import DesignError
from stats_core.core.formatting import format_count, join_names, p_phrase
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.core.significance import significant
from stats_core.curves.threshold_sweep import DESCRIPTIVE, THETAS, Sweep
from stats_core.curves.threshold_sweep_datasets import (
    least_of_sets,
    over_data_sets,
    risks_over_sets,
    sweep_each,
)
from stats_core.curves.thresholds import needs_scores
from stats_core.data.settings import corrected_share
from stats_core.inference.multiplicity.corrections import (
    CORRECTIONS,
    fallback_message,
    fallback_on_datasets_message,
    usable_correction,
)
from stats_core.inference.multiplicity.win_counts import Wins, smallest_sign_pvalue
from stats_core.inference.multivariate.threshold_tests import ThresholdDecision
from stats_core.inference.paired import overlap_factor


@dataclass(frozen=True, kw_only=True, eq=False)
class OnWins(Comparison):
    """Base class of comparisons by the number of data sets won.

    Attributes
    ----------
    wins : DataFrame, algorithm x algorithm
        Data sets on which the row wins over the column.
    raw, adjusted : DataFrame, algorithm x algorithm
        Two-sided sign test over data sets, ties split, before and after adjusting.
    n : int
        Data sets decided.
    correction : str
        Over the pairs, one of `CORRECTIONS`.
    """

    derived: ClassVar[tuple[str, ...]] = ("smallest_pvalue",)
    ahead: ClassVar[str] = "over"
    wins: pd.DataFrame
    raw: pd.DataFrame
    adjusted: pd.DataFrame
    n: int
    correction: str

    @property
    def order(self) -> list[str]:
        """Algorithms by wins minus losses, most first."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return list(net.sort_values(ascending=False, kind="stable").index)

    @property
    def top(self) -> tuple[str, ...]:
        """All algorithms with the largest wins minus losses."""
        net = self.wins.sum(axis=1) - self.wins.sum(axis=0)
        return tuple(net.index[net == net.max()])

    @property
    def differs(self) -> pd.DataFrame:
        """Whether the sign test separates each pair."""
        return significant(self.adjusted, self.settings.alpha)

    @property
    def beats(self) -> pd.DataFrame:
        """Whether the row wins on significantly more data sets than the column."""
        return self.differs & (self.wins > self.wins.T)

    @property
    def smallest_pvalue(self) -> float:
        """Smallest adjusted p-value attainable with this number of data sets."""
        return smallest_sign_pvalue(len(self.wins), self.n, self.correction)

    @cached_method
    def details(self) -> pd.DataFrame:
        """Return one row per pair, the one with more wins first, smallest adjusted p on top.

        Columns: those of `pairs`, where the estimate is the share of data sets won by the first
        less that won by the second and the statistic the number it wins; then wins, ties, losses
        (of the first).
        """
        order, (first, second) = self.order, ordered_pairs(self.order)
        wins, losses = pair_values(self.wins, order), pair_values(self.wins.T, order)
        first, second = np.where(wins >= losses, (first, second), (second, first))
        wins, losses = np.maximum(wins, losses), np.minimum(wins, losses)
        columns = {
            "estimate": (wins - losses) / max(self.n, 1),
            "statistic": wins,
            "p": pair_values(self.raw, order),
            "p adjusted": pair_values(self.adjusted, order),
            "wins": wins,
            "ties": self.n - wins - losses,
            "losses": losses,
        }
        return pairs_frame(first, second, columns, self.settings.alpha, by=["p adjusted"])

    @property
    def counted(self) -> Units:
        """Number of data sets that were decided."""
        return Units(n=self.n, noun="data set")

    @property
    def least(self) -> SmallestPValue:
        """Smallest p-value attainable by an algorithm that wins every data set."""
        k = len(self.wins)
        return self.least_by(
            self.smallest_pvalue,
            lambda n: smallest_sign_pvalue(k, n, self.correction),
            "one won every one",
            test=f"the {self.post},",
        )

    @property
    def guarantee(self) -> ErrorControl:
        """Error rate that alpha bounds: family-wise over all pairs if p-values are adjusted."""
        pairs = self.n_pairs
        bounds = "one" if pairs == 1 else "each" if self.correction == "none" else "family"
        return ErrorControl(bounds=bounds, comparisons=pairs, adjusted=bounds != "each")

    @property
    def post(self) -> str:
        """Name of the sign test with its correction."""
        return f"two-sided sign test over {self.counted}, ties split, {correction_name(self)}"

    tops = "stands first"
    effect = ""  # counts of wins describe it

    def told(self, claim: str, separated: int) -> tuple[str, str, str] | None:
        """Return headline, details and statistics with the winners and their counts."""
        table = self.details()
        if claim == "nothing" and len(table) == 1:
            (row,) = table.itertuples()
            return (
                f"The data do not separate {row.first} and {row.second} {self.where}, at this level.",
                f"{row.wins} to {row.losses}, {p_phrase(row.p, self.settings.alpha)} ({self.post}). "
                "This is not evidence that they are equal.",
                self.sizes([]),
            )
        separated_rows = table[table["separated"]]
        if not 0 < len(separated_rows) <= FEW:
            return None
        pvalue = (
            f", {p_phrase(separated_rows['p'].iloc[0], self.settings.alpha)}"
            if len(table) == 1
            else ""
        )
        labels = [
            f"{row.first} over {row.second} ({row.wins} to {row.losses})"
            for row in separated_rows.itertuples()
        ]
        return (
            f"More wins over {self.counted}: {join_names(labels)}.",
            "",
            f"{separated} of {format_count(len(table), 'pair')} {'differs' if separated == 1 else 'differ'}"
            f"{pvalue} ({self.post}). {self.sizes([])}",
        )

    def gap(self) -> DetectableInput:
        """Return the input for the smallest share of wins that the sign test can detect."""
        k, alpha = len(self.wins), self.settings.alpha
        family = one_pair_family(alpha) if k == 2 else all_pairs(k, alpha, self.correction)
        return ProportionDetectableInput(family=family, n=self.n)


def correction_name(analysis: OnWins) -> str:
    """Return a phrase for how the sign tests are adjusted."""
    if len(analysis.wins) == 2:
        return "one pair"
    name = CORRECTIONS[analysis.correction]
    return "unadjusted" if name == "none" else name


def risks_noted(found: pd.DataFrame | None, alpha: float, total: int) -> list[Message]:
    """Return a note on how many pairs differ in risk at some threshold, if tested."""
    if found is None:
        return []
    significant_rows = found[significant(found["p adjusted"], alpha)]
    return [
        message(
            "risks differ", pairs=len(significant_rows.groupby(["first", "second"])), total=total
        )
    ]


@message_text("risks differ")
def _risks_differ(voice: Audience, pairs: int, total: int) -> str:
    return (
        "A win needs folds that decide most thresholds of a data set; all other data sets count as "
        f"ties. Tested over data sets as risks, all thresholds and pairs at once, {pairs} of "
        f"{format_count(total, 'pair')} {'differs' if pairs == 1 else 'differ'} at some threshold."
    )


@message_text("manova rejects")
def _manova_rejects(voice: Audience, rejects: int, n: int) -> str:
    return f"MANOVA rejects on {rejects} of {format_count(n, 'data set')}."


@message_text("not decided")
def _not_decided(voice: Audience, skipped: tuple[tuple[str, str], ...]) -> str:
    name, why = skipped[0]
    return f"{format_count(len(skipped), 'data set')} left out, first {name}: {why}"


_NAMED = 12  # maximum number of data sets listed by name
_SPLIT = "ties split evenly and an odd one dropped"


@dataclass(frozen=True, kw_only=True, eq=False)
class WinsComparison(OnWins):
    """Wins over data sets, where errors of both kinds are weighted by their cost.

    Attributes
    ----------
    measures : tuple of str
        Measures compared as one vector.
    won : mapping of (str, str) to tuple of str
        The data sets behind each count.
    total : Series by algorithm
        Data sets on which it wins over at least one other.
    skipped : dict of str to str
        Data sets that could not be decided, with the reason.
    win : str
        Definition of a win on a data set.
    tests : DataFrame
        On measures, one row per data set and pair: data set, first, second, winner ("" for a tie),
        p measures (Hotelling, adjusted over the pairs; NaN where it cannot be tested), p risk
        (t test, adjusted likewise; NaN by the thesis' rule), reason for a tie. Empty if thresholds
        were swept.
    manova : Series by data set
        p of the test of all algorithms on the measures; empty for two algorithms, NaN where it
        could not be done.
    sweeps : dict of str to Sweep
        By data set, if thresholds were swept; else empty.
    counts : Wins
        The wins as they were counted.
    stood_in : tuple of str
        Data sets on which Shaffer replaced Bergmann-Hommel, whose search was not finished.
    """

    kind: ClassVar[str] = "wins"
    shape = Shape(wins=True)
    kept_out: ClassVar[tuple[str, ...]] = ("counts",)
    measures: tuple[str, ...]
    won: Mapping[tuple[str, str], tuple[str, ...]]
    total: pd.Series
    skipped: dict[str, str]
    win: str
    tests: pd.DataFrame
    manova: pd.Series
    sweeps: dict[str, Sweep]
    counts: Wins
    stood_in: tuple[str, ...] = ()

    @property
    def together(self) -> tuple[str, ...]:
        """Names of the measures compared together."""
        return self.measures

    @property
    def units(self) -> tuple[str, ...]:
        """Names of the data sets that were decided."""
        return self.counts.datasets

    def resampled(self, places: np.ndarray, columns: np.ndarray | None = None) -> Comparison:
        """Return the comparison on resampled data sets; only wins are counted again."""
        wins = self.counts.resampled(places, columns)
        names = ("tests", "manova", "sweeps", "stood_in")
        return _analysis(self.inputs, wins, **{name: getattr(self, name) for name in names})

    @property
    def where(self) -> str:
        """Phrase that names wins and the number of data sets."""
        return f"in wins over {self.counted}"

    def sizes(self, near: Sequence[str]) -> str:
        """Return a sentence that defines a win."""
        limit = " Each holds on its test set." if self.on_one_test_set else ""
        return f"A win is {self.win}.{limit}"

    @property
    def on_one_test_set(self) -> bool:
        """Whether the tests on each data set hold for its single test set only."""
        return self.results.design == "common test set"

    def origin(self) -> CitedText:
        """Return the sentence on how the results were obtained."""
        return origin(self.results, by_fold=True)

    def steps(self) -> list[Step]:
        """Return the analysis steps for measures (thesis, case 5) or thresholds (case 6)."""
        k, swept = len(self.wins), bool(self.sweeps)
        correction = "bonferroni" if swept else usable_correction(self.settings.correction, k)
        corrected = any(factor != 1 for factor in self.factors.values())
        overlap_said = ", corrected for overlap" if corrected else ""
        return [
            vector_text(self.measures, self.results.design_label),
            *([_at_thresholds()] if swept else []),
            *(all_and_pairs(correction, gate=swept) if k > 2 else [one_pair_step(overlap_said)]),
            self._who_wins(correction, overlap_said),
            *([_wins_of_a_sweep()] if swept else []),
            *([self._sign_step()] if len(self.results.datasets) > 1 else []),
        ]

    def _who_wins(self, correction: str, overlap_said: str) -> Step:
        two, by_risk = len(self.wins) == 2, self.settings.win == "risk"
        by = "" if two or correction == "none" else f", {CORRECTIONS[correction]} over the pairs"
        return Step(
            question="Who wins?" if two else "Who wins each pair?",
            test=f"lower risk, paired t test of risk{overlap_said}{by}"
            if by_risk
            else "lower risk wherever the vectors differ",
            why=method_card("wins").why,
            reference=f"{THESIS}, section 7.1",
            papers="The thesis gives the win to the lower risk wherever the vectors differ; here the "
            "difference of risk must be significant, too."
            if by_risk
            else "",
            fails=""
            if by_risk
            else "Where two err differently at the same risk, it names a winner at random. By "
            "default the difference of risk must be significant, too.",
        )

    def _sign_step(self) -> Step:
        single_pair = len(self.wins) == 2
        unadjusted = single_pair or self.correction == "none"
        by = "" if unadjusted else f", {CORRECTIONS[self.correction]} over the pairs"
        return Step(
            question="Who wins on more data sets?",
            test=f"two-tailed sign test over data sets{by}",
            why="Over data sets only wins can be counted; a data set without a winner is a tie, "
            "split evenly.",
            reference=f"{THESIS}, sections 4.6 and 7.1",
            papers=""
            if single_pair or self.correction == "bonferroni"
            else "The thesis takes Bonferroni.",
            fails=self.cannot(),
        )

    def methods(self) -> Iterable[CitedText]:
        """Yield the text on what counts as a win and on the sign test over data sets."""
        yield from self._swept() if self.sweeps else self._by_risk()
        if self.skipped:
            verb = "was" if len(self.skipped) == 1 else "were"
            yield ending_sentence(
                f"{format_count(len(self.skipped), 'data set')} could not be decided and {verb} left out: "
                f"{join_names(list(self.skipped), _NAMED)}"
            )
        pairs = "the two" if len(self.wins) == 2 else "each pair"
        yield CitedText(
            f" Over {self.counted} the wins and losses of {pairs} were compared by the exact sign "
            "test",
            ("demsar2006", "aslan2009"),
        )
        yield CitedText(f", {_SPLIT}")
        if len(self.wins) == 2:
            yield ending_sentence(f", two-sided, at alpha {self.settings.alpha:g}")
        else:
            yield from adjustment_text(self.correction, self.settings.alpha, self.guarantee.bounds)

    def _by_risk(self) -> Iterable[CitedText]:
        k, vectors = len(self.wins), join_names(self.measures, 9)
        yield ending_sentence(
            "On each data set it was asked in turn who errs differently and who errs at the lower "
            "cost"
        )
        hotelling = method_card("hotelling_paired").papers
        if k > 2:
            yield self._manova_piece()
            yield ending_sentence(" was done on each; pairs were tested whatever it said")
            yield CitedText(" For each pair the paired Hotelling T2 test", hotelling)
        else:
            yield CitedText(f" The paired Hotelling T2 test of {vectors}", hotelling)
        yield CitedText(" had to reject")
        correction = usable_correction(self.settings.correction, k)
        yield from self._over_pairs(correction)
        yield CitedText(f", at alpha {self.settings.alpha:g}")
        yield from self._lower_risk("0.5 fp + 0.5 fn of a fold", correction)
        yield CitedText(".")
        yield from self._allowance()

    def _swept(self) -> Iterable[CitedText]:
        alpha, k, vectors = self.settings.alpha, len(self.wins), join_names(self.measures, 9)
        yield CitedText(
            f" On each data set the scores were cut at {len(THETAS)} thresholds, theta = "
            f"{THETAS[0]:g}, {THETAS[1]:g}, ..., {THETAS[-1]:g}",
            ("aslan2009",),
        )
        yield ending_sentence(
            "; scores outside [0, 1] were taken there by the logistic function. At each of them it "
            "was asked in turn who errs differently and who errs at the lower cost"
        )
        hotelling = method_card("hotelling_paired").papers
        if k > 2:
            yield self._manova_piece()
            yield CitedText(
                " had to reject, then for a pair the paired Hotelling T2 test", hotelling
            )
        else:
            yield CitedText(f" The paired Hotelling T2 test of {vectors} had to reject", hotelling)
        yield from self._over_pairs("bonferroni")
        yield CitedText(f", {'each ' if k > 2 else ''}at alpha {alpha:g}")
        yield from self._lower_risk("theta fp + (1 - theta) fn", "bonferroni")
        yield ending_sentence("; thresholds were not corrected for each other")
        yield from self._allowance()
        yield ending_sentence(
            "An algorithm won over another on a data set if it won at more thresholds by the "
            f"right-tailed sign test at {alpha:g}, {_SPLIT}; neighbouring thresholds share their "
            "cases, so there it is a rule that counts a win, not a test"
        )

    def _manova_piece(self) -> CitedText:
        vectors = join_names(self.measures, 9)
        return CitedText(
            f" A multivariate analysis of variance of {vectors}, folds as blocks (Wilks' lambda by "
            "Rao's F)",
            method_card("manova").papers,
        )

    def _over_pairs(self, correction: str) -> Iterable[CitedText]:
        if len(self.wins) > 2 and correction == "none":
            yield CitedText(", with p-values not adjusted for being many")
        elif len(self.wins) > 2:
            yield cite_test(
                ", with p-values adjusted over the pairs of the data set by", correction
            )

    def _lower_risk(self, risk: str, correction: str) -> Iterable[CitedText]:
        yield CitedText(f"; the lower risk {risk} then won", ("aslan2009",))
        if self.settings.win == "risk":
            corrected = any(factor != 1 for factor in self.factors.values())
            test = method_card("corrected t" if corrected else "paired t")
            yield CitedText(" if the paired t test of risk, two-sided", test.papers)
            likewise = len(self.wins) > 2 and correction != "none"
            yield CitedText(f"{', adjusted likewise' if likewise else ''}, rejected, too")

    def _allowance(self) -> Iterable[CitedText]:
        low, high = min(self.factors.values()), max(self.factors.values())
        if high == 1:
            designs = {self.results.design_of(name) for name in self.factors}
            overlaps = "common test set" not in designs
            yield ending_sentence(
                "Results of different folds were taken as independent, though training sets may "
                "share cases; that rejects too easily"
                if overlaps
                else "No correction for the dependence of folds is defined for this design"
            )
            return
        range_text = CitedText(
            " Training sets of different folds share cases; for that the variance of a mean was "
            f"multiplied by {low:.4g} to {high:.4g}, by data set",
            method_card("overlap_factor").papers,
        )
        yield overlap_text(high) if low == high else range_text
        yield CitedText(".")

    @property
    @cached_method
    def factors(self) -> dict[str, float]:
        """Variance inflation factor for overlap on each decided data set."""
        results, settings, factors = self.results, self.settings, {}
        for dataset in results.datasets:
            if dataset not in self.skipped:
                n_folds = len(results.matrix(dataset, settings.measure))
                share = corrected_share(results, dataset, settings)
                factors[dataset] = overlap_factor(n_folds, share)
        return factors

    @property
    def notes(self) -> tuple[Message, ...]:
        """Results of MANOVA, undecided data sets, choices."""
        undecided = (
            [message("not decided", skipped=tuple(self.skipped.items()))] if self.skipped else []
        )
        requested, k = self.settings.correction, len(self.wins)
        fallbacks = (
            ()
            if self.sweeps
            else (
                fallback_message(requested, k),
                fallback_on_datasets_message(requested, self.stood_in),
            )
        )
        risks = risks_noted(self.risks(), self.settings.alpha, self.guarantee.comparisons)
        return (
            *self._by_manova(),
            *risks,
            *filter(None, fallbacks),
            *undecided,
            *self.results.choices,
        )

    @cached_method
    def risks(self) -> pd.DataFrame | None:
        """Return the tests of risks over data sets; None if they cannot be significant."""
        attainable = significant(least_of_sets(len(self.sweeps)), self.settings.alpha)
        return risks_over_sets(self.sweeps) if attainable else None

    def _by_manova(self) -> list[Message]:
        """Return a note on how many data sets MANOVA rejects, if it was done."""
        if not len(self.manova):
            return []
        rejects = int(significant(self.manova, self.settings.alpha).sum())
        return [message("manova rejects", rejects=rejects, n=self.n)]


def _at_thresholds() -> Step:
    return Step(
        question="At which thresholds?",
        test=f"theta = {THETAS[0]:g}, {THETAS[1]:g}, ..., {THETAS[-1]:g}: {len(THETAS)} thresholds",
        why="A threshold stands for a ratio of losses; the curve is all of them.",
        reference=f"{THESIS}, section 7.1",
    )


def _wins_of_a_sweep() -> Step:
    return Step(
        question="Who wins the thresholds on one data set?",
        test="right-tailed sign test over thresholds, ties split",
        why="It counts who has the lower risk at more thresholds.",
        reference=f"{THESIS}, Figure 7.1, line 25",
        fails=DESCRIPTIVE,
    )


def compare_wins(inputs: Inputs) -> WinsComparison:
    """Count wins by several measures, then risk, over data sets (thesis, case 5)."""
    results, settings = inputs.results, inputs.settings
    measures = tuple(settings.measures)
    decisions, skipped = decide_each(results, measures, settings)
    wins = count_wins(decisions, skipped, results, measures, settings)
    several = len(results.algorithms) > 2
    usable = usable_correction(settings.correction, len(results.algorithms))
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


def _analysis(inputs: Inputs, wins: Wins, **parts: Any) -> WinsComparison:
    return WinsComparison(
        **vars(inputs),
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
        **parts,
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


def compare_thresholds(inputs: Inputs) -> WinsComparison:
    """Sweep 21 thresholds on each data set and count wins (thesis, case 6)."""
    results, settings = inputs.results, inputs.settings
    if reason := needs_scores(results):
        raise DesignError(
            f"Thresholds need predictions with a score for every case. {results.source} {reason}. "
            "Upload predictions, or compare counts at one threshold."
        )
    sweeps, skipped = sweep_each(results, settings)
    if not sweeps:
        raise DesignError(f"No data set can be swept. {next(iter(skipped.values()), '')}")
    wins = replace(over_data_sets(sweeps, alpha=settings.alpha), skipped=skipped)
    return _analysis(
        inputs, wins, tests=_tests({}, ()), manova=pd.Series(dtype=float), sweeps=sweeps
    )
