"""Recommended statistical test for given results, with reasons."""

import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from stats_core.comparison.analyse import analyse
from stats_core.comparison.cards import method_card
from stats_core.comparison.cards.method_card import Card
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison, compare_over_instances
from stats_core.comparison.kinds.control import ControlComparison
from stats_core.comparison.kinds.datasets import RanksComparison, TwoComparison
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.fold_pair import FoldPairComparison
from stats_core.comparison.kinds.incomplete_datasets import PresentComparison
from stats_core.comparison.kinds.instances import CasesComparison
from stats_core.comparison.kinds.published_summaries import (
    PublishedDecisions,
    PublishedRanks,
    PublishedWins,
    UntestedComparison,
)
from stats_core.comparison.result import Comparison, HasComparison, comparison_of, rounding_only
from stats_core.core.errors import FoldwiseError, SettingError
from stats_core.core.formatting import format_count, measure_name
from stats_core.core.result_types import cached
from stats_core.core.validation import given_or_new
from stats_core.data.missing import count_missing
from stats_core.data.predictions import correct_cases
from stats_core.data.results import Results
from stats_core.data.settings import Settings
from stats_core.inference import pairwise
from stats_core.inference.methods import CORRECTED_T, PAIR_TESTS, Assumption
from stats_core.inference.multiplicity.adjust import CORRECTIONS
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.t_tests import MOST_RESULTS
from stats_core.report import plan_text

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_TEXTS = tomllib.loads(files(__package__).joinpath("advice.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A recommended test with its reasons.

    Attributes
    ----------
    question : str
        Research question.
    test : str
        The test, or the sequence of tests, that answers it.
    because : tuple of str
        Reasons, one line each.
    assumes : tuple of str
        Assumptions, and whether they hold here.
    alternatives : tuple of (str, str)
        Other tests that could be used, and how they differ.
    not_allowed : tuple of (str, str)
        Tests that do not apply here, and why.
    reference : str
        Publications that argue for the choice.
    """

    question: str
    test: str
    because: tuple[str, ...]
    assumes: tuple[str, ...]
    alternatives: tuple[tuple[str, str], ...]
    not_allowed: tuple[tuple[str, str], ...]
    reference: str


@cached
def advice_on(comparison: Comparison) -> Advice:
    """Return the recommendation for a comparison; of no test if all results are identical."""
    if comparison.obstacle == "identical":
        return _advice("identical", k=len(comparison.order), rounding=rounding_only(comparison))
    c = _recommended(comparison)
    settings, results = c.settings, c.results
    if c.obstacle == "one algorithm":
        return _advice("one algorithm")
    match c:
        case CasesComparison():
            return _on_instances(c)
        case BenchmarksComparison():
            return _on_benchmarks(c)
        case UntestedComparison():
            return _advice("one number")
        case FoldsComparison() | FoldPairComparison():
            return _on_folds(c)
        case RanksComparison() | ControlComparison():
            return _over_datasets(c)
        case PresentComparison():
            missing = count_missing(results, settings.measure)
            return _planned("with missing results", c, n=c.counted.n, missing=missing)
        case TwoComparison():
            return _planned("two", c, n=c.counted.n)
        case PublishedRanks():
            return _planned("published average ranks", c, n=c.counted.n, lacks=c.published.lacks)
        case PublishedDecisions():
            sided = c.ordering is not None
            return _advice("published decisions", lacks=c.published.lacks, sided=sided)
        case PublishedWins():
            return _planned("published wins", c, lacks=c.published.lacks)
        case _:
            measures = ", ".join(map(measure_name, c.together))
            first = c.tests_of_design[0].card
            return _planned("measures", c, measures=measures, first=first)


def _recommended(comparison: Comparison) -> Comparison:
    """Return the comparison of the same results by recommended tests, or itself if impossible."""
    used = replace(comparison.settings, without_algorithms=(), without_datasets=(), only=())
    settings = replace(
        used, correction="", source="", test="", overlap="corrected", df="conservative", win="risk"
    )
    _, resolved = pairwise.resolve_settings(comparison.results, settings)
    if isinstance(comparison, BenchmarksComparison):
        resolved = replace(resolved, source="")
    with suppress(FoldwiseError):
        if resolved != used:
            return analyse(comparison.results, settings)
        if comparison.shape.averages:
            return compare_over_instances(comparison, settings) or comparison
    return comparison


def advise(
    results: Results | Comparison | HasComparison, settings: Settings | None = None
) -> Advice:
    r"""Return the recommended test of whether the algorithms differ, with reasons.

    Parameters
    ----------
    results : Results or Comparison
        The results to compare, or their comparison.
    settings : Settings, optional
        What is compared: `measure` or `measures`, a `control`, and the selection. Over data sets,
        the recommendation depends on whether pairwise tests can reach `alpha`. By default the
        settings of the comparison, or all pairs on the first measure.

    Returns
    -------
    Advice
        The recommendation; `advise(...).test` names it, `because` gives the reasons.

    Raises
    ------
    SettingError
        The results do not have this measure.
    DesignError, DegenerateError
        The results allow no comparison, as for `analyse`.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Irsoy, Yildiz and Alpaydin,
    IEEE/ACM TCBB 9 (2012), Table II.

    Examples
    --------
    >>> import stats_core as fw
    >>> rows = "".join(f"set{i},0.9{i},0.8{i}\n" for i in range(6))
    >>> results = fw.read_results(("accuracy.csv", f"dataset,rf,svm\n{rows}".encode()))
    >>> fw.advise(results).test
    'Wilcoxon signed-rank test'
    """
    if not isinstance(results, Results):
        comparison = comparison_of(results, "results")
        if settings is None:
            return advice_on(comparison)
        results = comparison.results
    return advice_on(analyse(results, given_or_new(settings, Settings, "settings")))


def _planned(key: str, c: Comparison, **values: Any) -> Advice:
    """Return a recommendation whose test and reasons are those of the plan of a comparison."""
    planned = c.tests_of_design.pairwise
    return _advice(
        key,
        k=len(c.order),
        tests=plan_text.name_of_tests(c),
        reason=plan_text.reason_text(planned, c),
        adjusted=plan_text.adjustment_text(planned.correction) if planned.correction else "",
        cards=[card for test in c.tests_of_design for card in (test.card, test.correction) if card],
        omnibus=c.tests_of_design.omnibus,
        planned=planned,
        **values,
    )


def _over_datasets(c: RanksComparison | ControlComparison) -> Advice:
    """Return the recommendation for three or more algorithms over data sets."""
    by_ranks, omnibus = c.settings.source == "ranks", c.tests_of_design.omnibus
    return _planned(
        "control" if c.settings.control else "several",
        c,
        n=c.counted.n,
        control=c.settings.control,
        other="wilcoxon" if by_ranks else "ranks",
        correction=c.tests_of_design.pairwise.correction,
        approximate=omnibus is not None and bool(omnibus.notes_on(Assumption.LARGE_SAMPLE)),
    )


def _on_folds(c: FoldsComparison | FoldPairComparison) -> Advice:
    """Return the recommendation for the folds of one data set."""
    n, fraction, method = c.n_folds, c.test_fraction, c.tests_of_design.pairwise.method
    predictions = correct_cases(c.results, c.dataset)
    published = method is not None and method.bounded_df
    advised = _planned(
        "two on folds" if c.shape.two else "several on folds",
        c,
        n=n,
        measure=c.measure_name,
        design=c.design,
        label=c.results.label_of(c.dataset),
        five_by_two=c.design == "5x2" and n == 10,
        fraction=fraction,
        factor=overlap_factor(n, fraction),
        bounded=c.design != "common test set" and fraction is not None and n > MOST_RESULTS,
        published=CORRECTED_T.key if published else "",
        predictions=predictions is not None and not predictions.empty,
    )
    if isinstance(c, FoldsComparison):
        return advised
    others = [answer.key for answer in c.answers if answer.applies and answer.key != c.test]
    cards = [method_card.method_card(PAIR_TESTS[key].card) for key in others]
    return replace(advised, alternatives=tuple((card.name, card.when) for card in cards))


def _on_instances(c: CasesComparison) -> Advice:
    """Return the recommendation for the instances of one test set."""
    return _planned(
        "instances",
        c,
        measure=c.results.resolve_name(c.settings.measure),
        control=c.control,
        cases=c.n_cases,
        clusters=c.n_clusters,
        trainings=c.cases.n_runs,
    )


def _on_benchmarks(c: BenchmarksComparison) -> Advice:
    """Return the recommendation for the instances of several benchmarks."""
    return _planned("benchmarks", c, measure=c.measure_name, control=c.control)


def _advice(key: str, /, k: int = 0, **values: Any) -> Advice:
    """Return a recommendation with its texts from `advice.toml`."""
    texts = _TEXTS[key]
    values |= {"k": k, "pairs": k * (k - 1) // 2}

    def filled(name: str) -> list[str]:
        every = [texts.get(name, [])] if isinstance(texts.get(name), str) else texts.get(name, [])
        return [
            text
            for text in (_template(template).render(values).strip() for template in every)
            if text
        ]

    return Advice(
        question=filled("question")[0],
        test=filled("test")[0],
        because=tuple(filled("because")),
        assumes=tuple(line for text in filled("assumes") for line in _assumptions(text)),
        alternatives=tuple(
            _with_reason(text, lambda card: card.when) for text in filled("alternatives")
        ),
        not_allowed=tuple(
            _with_reason(text, lambda card: card.refused[0]) for text in filled("not_allowed")
        ),
        reference=method_card.reference_of(*filled("reference")),
    )


def _assumptions(text: str) -> list[str]:
    """Return the text as a list; a text that ends in "@key" gives one item per assumption of that method."""
    before, at, key = text.rpartition("@")
    with suppress(SettingError):  # a name given by the user may contain "@"
        return (
            [before + assumption for assumption in method_card.method_card(key).assumes]
            if at
            else [text]
        )
    return [text]


def _with_reason(text: str, reason: Callable[[Card], str]) -> tuple[str, str]:
    """Return the parts of "name | reason"; for "@key" the name of that method's card and a reason from the card."""
    if text.startswith("@"):
        card = method_card.method_card(text[1:])
        return card.name, reason(card)
    name, _, given_reason = text.partition(" | ")
    return name, given_reason


@cache
def _environment() -> "Environment":
    """Return the Jinja environment of the templates in `advice.toml`; cached."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    shared = {name: text.strip() for name, text in _TEXTS["shared"].items()}
    environment = Environment(loader=DictLoader(shared), undefined=StrictUndefined)
    environment.filters["count"] = format_count
    environment.globals |= {"card": method_card.method_card, "corrections": CORRECTIONS}
    return environment


@cache
def _template(text: str) -> "Template":
    return _environment().from_string(text)
