"""Recommended statistical test for given results, with reasons."""

import tomllib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from stats_core.comparison import comparison_text
from stats_core.comparison.cards import method_card
from stats_core.comparison.cards.method_card import Card
from stats_core.comparison.kinds import instances
from stats_core.comparison.kinds.benchmarks import BenchmarksComparison
from stats_core.comparison.kinds.instances import WAYS, CasesComparison
from stats_core.comparison.result import Comparison, adjusted_tests, rounding_only
from stats_core.core.errors import SettingError
from stats_core.core.formatting import format_count, measure_name, p_phrase
from stats_core.core.result_types import cached
from stats_core.core.validation import significant
from stats_core.data.measures import COUNTS
from stats_core.data.missing import count_missing
from stats_core.data.predictions import correct_cases
from stats_core.data.results import Results
from stats_core.data.settings import Settings, tested_share
from stats_core.inference import fold_tests, pairwise
from stats_core.inference.methods import CORRECTED_T, PAIR_TESTS
from stats_core.inference.multiplicity import adjust
from stats_core.inference.multiplicity.adjust import CONTROL_CORRECTIONS, CORRECTIONS
from stats_core.inference.paired import overlap_factor
from stats_core.inference.paired.t_tests import MOST_RESULTS
from stats_core.inference.ranks import unanimous_probability

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
    """Return the recommendation for the results of a comparison; of no test if all are identical."""
    settings, results = comparison.settings, comparison.results
    if comparison.obstacle == "identical":
        return _advice("identical", k=len(comparison.order), rounding=rounding_only(comparison))
    if comparison.shape.over == "cases":
        return _on_instances(cast(CasesComparison, comparison))
    if isinstance(comparison, BenchmarksComparison):
        return _on_benchmarks(comparison)
    measures = settings.measures or (COUNTS if settings.thresholds else ())
    return advise(
        results,
        settings.measure,
        settings.test_fraction,
        measures,
        settings.control,
        settings.alpha,
    )


def advise(
    results: Results,
    measure: str,
    test_fraction: float | None = None,
    measures: Sequence[str] = (),
    control: str = "",
    alpha: float = 0.05,
) -> Advice:
    r"""Return the recommended test of whether the algorithms differ on a measure, with reasons.

    Parameters
    ----------
    results : Results
        The results to compare.
    measure : str
        The measure to compare on.
    test_fraction : float, optional
        n_test / (n_train + n_test) if neither the file nor the design determines it.
    measures : sequence of str
        Measures to be compared together.
    control : str
        Over data sets, the algorithm with which all other algorithms are compared.
    alpha : float
        Family-wise significance level; over data sets, the recommendation depends on whether
        pairwise tests can reach it.

    Returns
    -------
    Advice
        The recommendation; `advise(...).test` names it, `because` gives the reasons.

    Raises
    ------
    SettingError
        The results do not have this measure.

    References
    ----------
    Demsar, JMLR 7 (2006); Garcia and Herrera, JMLR 9 (2008); Irsoy, Yildiz and Alpaydin,
    IEEE/ACM TCBB 9 (2012), Table II.

    Examples
    --------
    >>> import stats_core as fw
    >>> rows = "".join(f"set{i},0.9{i},0.8{i}\n" for i in range(6))
    >>> results = fw.read_results(("accuracy.csv", f"dataset,rf,svm\n{rows}".encode()))
    >>> fw.advise(results, "accuracy").test
    'Wilcoxon signed-rank test'
    """
    results.direction(measure)
    n, k, published = len(results.datasets), len(results.algorithms), results.published
    if published is not None:
        names: dict[str, Any] = {
            "k": len(published.names),
            "n": published.n,
            "lacks": published.lacks,
            "sided": published.sided,
        }
        return _advice(f"published {published.what}", **names)
    if len(measures) > 1:
        first = "hotelling_paired" if k == 2 else "manova"
        return _advice(
            "measures", k=k, measures=", ".join(map(measure_name, measures)), first=first
        )
    if n < 2:
        return _on_folds(results, measure, Settings(test_fraction=test_fraction))
    if k == 2:
        return _advice("two", n=n, k=k)
    if (
        not control
        and results.failures == "present"
        and (missing := count_missing(results, measure))
    ):
        return _advice("with missing results", n=n, k=k, missing=missing)
    settings = Settings(measure=measure, alpha=alpha, control=control)
    source = pairwise.pvalue_source(results, settings)
    least = (pairwise.smallest_control_pvalue if control else pairwise.smallest_pvalue)(
        k, n, Settings(source="wilcoxon")
    )
    return _advice(
        "control" if control else "several",
        n=n,
        k=k,
        same_order=unanimous_probability(results.averages(measure).rank(axis=1).to_numpy())
        is not None,
        control=control,
        source=source,
        other="wilcoxon" if source == "ranks" else "ranks",
        correction=adjust.usable_correction("", k, source=source),
        bound=p_phrase(least, alpha, "smallest possible adjusted p"),
        attainable=significant(least, alpha),
    )


def _on_folds(results: Results, measure: str, settings: Settings) -> Advice:
    """Return the recommendation for the folds of one data set."""
    dataset, k = results.datasets[0], len(results.algorithms)
    design = results.design_of(dataset)
    if design == "single":
        return _advice("one number")
    fraction, n = tested_share(results, dataset, settings), len(results.matrix(dataset, measure))
    test, predictions = fold_tests.advised_test(fraction, n), correct_cases(results, dataset)
    overlaps = design != "common test set" and fraction is not None
    return _advice(
        "two on folds" if k == 2 else "several on folds",
        k=k,
        n=n,
        measure=measure_name(measure),
        design=design,
        label=results.label_of(dataset),
        five_by_two=design == "5x2" and n == 10,
        fraction=fraction,
        factor=overlap_factor(n, fraction),
        bounded=overlaps and n > MOST_RESULTS,
        test=test,
        published=CORRECTED_T.key if PAIR_TESTS[test].bounded_df else "",
        correction=adjust.usable_correction("", k),
        predictions=predictions is not None and not predictions.empty,
    )


def _on_instances(comparison: CasesComparison) -> Advice:
    """Return the recommendation for the instances of one test set."""
    table, measure = comparison.cases, comparison.results.resolve_name(comparison.settings.measure)
    key = instances.instance_test_for(table, measure)
    way, k, control = WAYS[key], len(comparison.names), comparison.control
    recommended = next(iter(CONTROL_CORRECTIONS)) if control else adjust.usable_correction("", k)
    correction = (CONTROL_CORRECTIONS if control else CORRECTIONS)[recommended]
    return _advice(
        "instances",
        k=k,
        first=instances.OMNIBUS_NAMES.get(way.first),
        tests=way.short if k == 2 else adjusted_tests(way.on, correction),
        measure=measure_name(measure),
        key=key,
        way=way,
        control=control,
        cases=len(table.cases),
        clusters=table.n_clusters,
        trainings=table.n_runs,
    )


def _on_benchmarks(comparison: BenchmarksComparison) -> Advice:
    """Return the recommendation for the instances of several benchmarks."""
    k, control, names = len(comparison.order), comparison.control, comparison.test_names
    recommended = next(iter(CONTROL_CORRECTIONS)) if control else adjust.usable_correction("", k)
    correction = (CONTROL_CORRECTIONS if control else CORRECTIONS)[recommended]
    return _advice(
        "benchmarks",
        k=k,
        tests=names[0] if k == 2 else adjusted_tests(names[1], correction),
        measure=comparison.measure_name,
        control=control,
        cases=comparison.n_cases,
        sets=len(comparison.parts),
    )


def _advice(key: str, /, k: int = 0, **values: Any) -> Advice:
    """Return a recommendation with its texts from `advice.toml`."""
    texts = _TEXTS[key]
    values |= {"k": k, "pairs": k * (k - 1) // 2, "why": texts.get("why")}

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
    environment.globals |= {
        "card": method_card.method_card,
        "corrections": CORRECTIONS,
        "tests": comparison_text.texts["pair_tests"],
    }
    return environment


@cache
def _template(text: str) -> "Template":
    return _environment().from_string(text)
