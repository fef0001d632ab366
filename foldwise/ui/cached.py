"""Cached calls of the library; keys are short texts, never tables (those would be sampled)."""

import csv
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pandas as pd
import streamlit as st

from foldwise.gallery import Drawing
from foldwise.gallery import drawings as every_drawing
from foldwise.gallery.curve_data import fold_paths as thin_fold_paths
from foldwise.ui import work
from foldwise.ui.memory import OF_A_SAMPLE, keep, memory, name_of
from foldwise.ui.state import DIGEST, SAMPLE, SAMPLES
from foldwise.ui.work import (
    Long,
    cost_of_comparing,
    cost_of_looking,
    cost_of_repeating,
    cost_on_cases,
)
from stats_core.comparison.analyse import analyse, at_level
from stats_core.comparison.base import Comparison
from stats_core.comparison.chain import chain as chain_of
from stats_core.comparison.kinds.folds import FoldsComparison
from stats_core.comparison.over_measures import (
    DimensionTests,
    dimension_tests,
    dimensions_at,
    wins,
)
from stats_core.comparison.verdict import verdict
from stats_core.core.errors import FoldwiseError
from stats_core.curves.delong import DeLongOutcome
from stats_core.curves.on_curves import DataCurves, curves_on, one_fold_intervals, pairwise_delong
from stats_core.curves.over_sweeps import over_data_sets, sweep_curves, sweep_each
from stats_core.curves.over_thresholds import risks_over_sets
from stats_core.curves.summed_up import average_curves
from stats_core.curves.summed_up import hull_area as area_under_hulls
from stats_core.curves.summed_up import partial_areas as areas_of_parts
from stats_core.curves.sweep import Sweep
from stats_core.curves.thresholds import at_threshold as count_at
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.data.short_names import short_names
from stats_core.inference.families.win_counts import Wins
from stats_core.inference.settled import resolved
from stats_core.looks.agreement import Agreement, Rule
from stats_core.looks.agreement import agreement as agree
from stats_core.looks.by_dataset import by_dataset
from stats_core.looks.by_group import ByGroup
from stats_core.looks.by_group import by_group as compare_groups
from stats_core.looks.by_measure import by_measure, decided_otherwise, other_measures
from stats_core.looks.equivalence import equivalence_table, equivalences_table
from stats_core.looks.every_omnibus import every_omnibus
from stats_core.looks.findings import findings as find
from stats_core.looks.hole_choices import hole_choices as every_hole_choice
from stats_core.looks.other_definitions import other_definitions as define_otherwise
from stats_core.looks.robustness import RESAMPLES
from stats_core.looks.robustness import leave_one_out as lost_without_each
from stats_core.looks.robustness import replication as repeats
from stats_core.looks.sensitivity import sensitivity
from stats_core.looks.set_wins import set_wins
from stats_core.looks.stability import stability as left_out_in_turn
from stats_core.looks.together import Learned
from stats_core.looks.together import learned as learn
from stats_core.looks.together import shuffled as shuffle
from stats_core.ordering.changes import OrderChanges, order_changes
from stats_core.ordering.evidence import Evidence, evidence_over
from stats_core.ordering.order import Order, OrderRules, order_of
from stats_core.ordering.sensitivity import (
    OrderPaths,
    order_by_cost,
    order_by_levels,
    order_by_scale,
    order_by_weight,
    share,
    with_own_level,
)
from stats_core.ordering.shared import Shared
from stats_core.papers.sentence import latex_block, paper_sentence
from stats_core.power.detectable import detectable as what_was_detectable
from stats_core.reading.reading import Mapping, describe_columns, explain, read_results
from stats_core.reading.understand import Understanding

Names = dict[str, dict[str, str]]  # "algorithms" and "datasets" -> name -> shown as


@cache
def catalogue() -> tuple[dict[str, str], ...]:
    """Return the shipped samples, one row of catalog.csv each."""
    with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@cache
def sample_bytes(file: str) -> bytes:
    """Return the content of a sample that the catalogue names."""
    if file not in {row["file"] for row in catalogue()}:
        raise KeyError(file)
    return (SAMPLES / file).read_bytes()


def open_sample() -> tuple[tuple[str, bytes], ...]:
    """Return the open sample as a file, () if none is open."""
    file = st.session_state.get(SAMPLE, "")
    return ((file, sample_bytes(file)),) if file else ()


def digest(sources: tuple[tuple[str, bytes], ...]) -> str:
    """Return what identifies named files, computed once while they stay open."""
    known, found = st.session_state.get(DIGEST, (None, ""))
    if known is sources:
        return found
    whole = hashlib.sha256()
    for name, content in sources:
        whole.update(name.encode() + b"\0")
        whole.update(content)
    found = (OF_A_SAMPLE if sources == open_sample() else "") + whole.hexdigest()
    st.session_state[DIGEST] = sources, found
    return found


def read(key: str, mapping: Mapping | None, sources: tuple[tuple[str, bytes], ...]) -> Results:
    """Read files once per content and mapping; large ones in a process of their own."""
    kept = ("read", key, mapping)
    cost = 0.0 if key.startswith(OF_A_SAMPLE) else work.cost_of_reading(sources)
    asked = partial(read_results, *sources, mapping=mapping)
    return memory(key).recall(
        kept, lambda: work.run(asked, key=kept, cost=cost, doing="Reading ...")
    )


@keep
def columns(key: str, mapping: Mapping, *, several: bool, _source) -> pd.DataFrame:
    """Return every column of a file with its role and the reason."""
    return describe_columns(_source, mapping, several=several)


@keep
def explained(
    key: str, mapping: Mapping, place: int, *, several: bool, _source
) -> Understanding | None:
    """Return what speaks for the way a file is read."""
    return explain(_source, mapping, several=several)


@keep
def short(names: tuple[str, ...]) -> dict[str, str]:
    """Shorten names by the rule."""
    return short_names(names)


@keep
def renamed(key: str, _read: Results, _rule: Names, _typed: Names) -> Results:
    """Return the results under other names: those of the rule, and over them what was typed."""
    names = {kind: {**_rule.get(kind, {}), **_typed.get(kind, {})} for kind in {**_rule, **_typed}}
    return _read.rename(**names)


@keep(said="Comparing groups ...", cost=cost_of_repeating)
def by_group(
    key: str,
    settings: Settings,
    tag: str,
    rules: OrderRules | None,
    _results: Results,
    _whole: Comparison,
) -> ByGroup:
    """Analyse every group of data sets."""
    return Long(compare_groups, _results, settings, tag, rules=rules, whole=_whole)


@keep
def hull_area(key: str, name: str, _data: DataCurves) -> float:
    """Return the mean area under the hulls of all folds of one algorithm."""
    return area_under_hulls(_data.curves[name])


@keep
def partial_areas(
    key: str, name: str, over: str, low: float, high: float, _data: DataCurves
) -> tuple[float, float]:
    """Return the mean partial area of one algorithm, raw and scaled."""
    return areas_of_parts(_data.curves[name], over, low, high)


@keep(said="Testing areas ...", cost=cost_on_cases)
def delong_pairs(
    key: str, dataset: str, place: int, _read: Results, _data: DataCurves
) -> dict[tuple[str, str], DeLongOutcome]:
    """Test the areas of all pairs on the cases of one training."""
    return Long(pairwise_delong, _read, dataset, tuple(_data.folds.iloc[place]))


@keep(said="Sweeping thresholds ...", cost=cost_on_cases)
def sweep_on(
    key: str,
    names: tuple[str, ...],
    measures: tuple[str, ...],
    rule: str,
    alpha: float,
    fraction: float | None,
    scale: str,
    _data: DataCurves,
) -> Sweep:
    """Return who wins at which threshold on one data set."""
    options = {"measures": measures, "rule": rule, "alpha": alpha, "test_fraction": fraction}
    return Long(sweep_curves, _data, names, scale=scale, **options)


@keep
def sweep_all(
    key: str, settings: Settings, scale: str, _read: Results
) -> tuple[Wins | None, dict[str, str]]:
    """Return who wins the sweep on how many data sets, and the data sets left out, with why."""
    found, skipped = _sweeps(key, settings, scale, _read)
    return (over_data_sets(found, alpha=settings.alpha) if found else None), skipped


@keep
def risks_all(key: str, settings: Settings, scale: str, _read: Results) -> pd.DataFrame | None:
    """Return at which thresholds risks differ over data sets; None with fewer than two."""
    found, _ = _sweeps(key, settings, scale, _read)
    return risks_over_sets(found) if len(found) > 1 else None


@keep(said="Sweeping every data set ...", cost=cost_on_cases)
def _sweeps(key: str, settings: Settings, scale: str, _read: Results):
    return Long(sweep_each, _read, settings, scale=scale)


@keep
def resolve(key: str, choice: str, measure: str, _results: Results) -> Results:
    """Apply a choice about the missing cells of one measure."""
    return _results.resolve(choice, measure=measure)


@keep(said="Deciding it every way ...", cost=cost_of_repeating)
def hole_choices(key: str, settings: Settings, baseline: str, _results: Results) -> pd.DataFrame:
    """Return what each choice about missing cells leaves and decides."""
    return Long(every_hole_choice, _results, settings, baseline=baseline)


@keep(said="Testing all at once ...")
def first_tests(
    key: str, settings: Settings, exact: bool, _analysis: Comparison
) -> tuple[list[dict], dict[str, str]]:
    """Return every test of all algorithms at once, and why others refuse."""
    return Long(every_omnibus, _analysis, exact=exact)


@keep(said="Counting wins ...")
def wins_over_sets(
    key: str, settings: Settings, by: str, within: str, over: str, _results: Results
) -> Wins:
    """Count on how many data sets each algorithm wins over each other."""
    average = by == "average"
    return Long(
        set_wins,
        _results,
        measure=settings.measure,
        by="average" if average else "test",
        test="" if average or by == "advised test" else by,
        correction=within,
        alpha=settings.alpha,
        sign_correction=over,
        overlap=settings.overlap == "corrected",
        test_fraction=settings.test_fraction,
    )


@keep
def drawings(
    key: str,
    settings: Settings,
    rules: OrderRules | None,
    highlight: tuple[str, ...],
    theta: float,
    _analysis: Comparison,
    _look: dict,
) -> list[Drawing]:
    """Return every figure of an analysis, to be drawn when asked for."""
    return every_drawing(_analysis, **_look)


@keep
def order(
    key: str, settings: Settings, rules: OrderRules, datasets: tuple[str, ...], _results, _found
) -> Order:
    """Order algorithms by tests that were made before."""
    return order_of(_results, settings, rules, found=_found)


def order_paths(
    key: str, order: Order, found, what: str, costs: tuple[str, ...] = ()
) -> OrderPaths:
    """Order again by other levels, costs, weights or scales; by other levels once for all of them."""
    settings = order.settings if what != "alpha" else replace(order.settings, alpha=0.05)
    tested = _tested(order.settings, order.rules, order.results)
    shared = _in_common(key, *tested, order, found)
    about = (settings, order.rules, order.results.datasets, what, costs)
    paths = _order_paths(key, *about, order, found, shared)
    return with_own_level(paths, order) if what == "alpha" else paths


@keep(said="Ordering again ...", cost=cost_of_repeating)
def _order_paths(
    key: str,
    settings: Settings,
    rules: OrderRules,
    datasets: tuple[str, ...],
    what: str,
    costs: tuple[str, ...],
    _order: Order,
    _found,
    _shared: Shared,
) -> OrderPaths:
    if what in ("alpha", "scale"):
        again = order_by_levels if what == "alpha" else order_by_scale
        return Long(again, _order, _found, shared=_shared)
    again = order_by_weight if what == "weight" else order_by_cost
    return Long(again, _order, _found, costs, shared=_shared)


@keep
def changes_between(
    key: str,
    settings: Settings,
    other: Settings,
    rules: OrderRules,
    datasets: tuple[str, ...],
    _orders: tuple[Order, Order],
) -> OrderChanges:
    """Compare the orders of the same algorithms by two measures."""
    return order_changes(*_orders)


@keep
def other_definitions(
    key: str, settings: Settings, pair: tuple[str, str] | None, _analysis: Comparison
) -> pd.DataFrame:
    """Return the same comparison as other programs define it."""
    return define_otherwise(_analysis, pair=pair)


@keep(said="Trying other measures ...", cost=cost_of_repeating)
def orders(
    key: str, settings: Settings, measures: tuple[str, ...], _analysis: FoldsComparison
) -> tuple[list[FoldsComparison], dict[str, str]]:
    """Order the same algorithms by other measures."""
    return Long(other_measures, _analysis, measures)


def dimensions(
    key: str, settings: Settings, measures: tuple[str, ...], results: Results
) -> pd.DataFrame:
    """Return in how many dimensions the means differ on each data set, tested once for all levels."""
    tested = _dimension_tests(key, replace(settings, alpha=0.05), measures, results)
    return dimensions_at(tested, settings.alpha)


@keep(said="Looking at every data set ...", cost=cost_of_repeating)
def _dimension_tests(
    key: str, settings: Settings, measures: tuple[str, ...], _results: Results
) -> DimensionTests:
    return Long(dimension_tests, _results, measures, settings)


@keep(said="Looking at every data set ...", cost=cost_of_repeating)
def wins_by_risk(
    key: str, settings: Settings, measures: tuple[str, ...], theta: float, _results: Results
) -> Wins:
    """Count who wins on how many data sets at a weight of a false positive."""
    return Long(wins, _results, measures, settings, theta=theta)


@keep(said="Testing every data set ...")
def _evidence(
    key: str,
    datasets: tuple[str, ...],
    told: tuple,
    theta: float | None,
    undivided: bool,
    _settings: Settings,
    _results: Results,
):
    return Long(evidence_over, _results, _settings, theta=theta, undivided=undivided)


def order_evidence(
    key: str, settings: Settings, rules: OrderRules, results: Results
) -> tuple[dict[str, Evidence], dict[str, str]]:
    """Test all ordered pairs on every data set; other settings and rules change nothing of it."""
    return _evidence(key, *_tested(settings, rules, results), settings, results)


@keep
def _in_common(
    key: str,
    datasets: tuple[str, ...],
    told: tuple,
    theta: float | None,
    undivided: bool,
    _order: Order,
    _found,
) -> Shared:
    return share(_order, _found)


def _tested(settings: Settings, rules: OrderRules, results: Results) -> tuple:
    """Return what the tests of all ordered pairs hang on."""
    told = (settings.measure, settings.test, settings.test_fraction, settings.overlap)
    return results.datasets, told, rules.theta, rules.undivided


def agreement(key: str, one: Rule, other: Rule, results: Results) -> Agreement:
    """Return how often two rules decide alike, tested once for all levels."""
    at_once = (replace(rule, alpha=0.05) for rule in (one, other))
    return _agreement(key, *at_once, results).at_level(one.alpha, other.alpha)


def learned(key: str, settings: Settings, analysis: Comparison) -> Learned:
    """Return what is learned of measures, once for all levels."""
    return _learned(key, replace(settings, alpha=0.05), analysis)


def _for_a_paper(analysis: Comparison) -> tuple[str, str]:
    """Return what a paper prints of an analysis: a sentence, and a block of LaTeX."""
    return paper_sentence(analysis), latex_block(analysis)


def _ask(
    about: Callable, said: str = "", *, name: str = "", cost: Callable[..., float] = cost_of_looking
):
    """Return a question `(key, *how, whom)` whose answer, `about(whom, *how)`, is kept.

    What says what it is doing may take long.
    """

    def ask(key: str, *how: Any, _whom: Any) -> Any:
        return Long(about, _whom, *how) if said else about(_whom, *how)

    asked = keep(ask, said=said, name=name or name_of(about), cost=cost)
    return lambda key, *given: asked(key, *given[:-1], _whom=given[-1])


def _of_analysis(
    about: Callable[[Any], Any],
    said: str = "",
    cost: Callable[[Long], float] = cost_of_looking,
):
    """Return a question `(key, settings, analysis)` whose answer, `about(analysis)`, is kept."""

    def ask(key: str, settings: Settings, _analysis: Any) -> Any:
        return Long(about, _analysis) if said else about(_analysis)

    return keep(ask, said=said, name=name_of(about), cost=cost)


@keep(said="Comparing ...", name=name_of(analyse), cost=cost_of_comparing)
def analysis(key: str, settings: Settings, _results: Results) -> Comparison | Long:
    """Analyse once per results and settings, test once for all levels; many in another process."""
    store, tests = memory(key), ("tests", key, replace(settings, alpha=0.05))
    first = (name_of(analyse), key, store.recall(tests, lambda: settings))
    with suppress(FoldwiseError):  # a refusal may be of that level alone
        known = store.recall(first, lambda: None) if first in store else None
        if known is not None and (found := at_level(known, _results, settings)) is not None:
            return found
    return Long(analyse, _results, settings)


# the results as they are compared, and what is asked of them under settings
at_threshold = _ask(count_at)
decided = _ask(resolved)
kept = _ask(select)
chain = _ask(chain_of, "Looking at each step ...")
findings = _ask(find)
_agreement = _ask(agree, "Counting decisions ...", cost=cost_of_repeating)
# the curves of one data set, and what is asked of them
curves = _ask(curves_on, "Drawing curves ...", cost=cost_on_cases)
curve_areas = _ask(DataCurves.areas)
curve_averages = _ask(average_curves)
fold_paths = _ask(thin_fold_paths)
area_intervals = _ask(one_fold_intervals)
# what is asked of an analysis
words = _of_analysis(verdict)
copied = _of_analysis(_for_a_paper)
detectable = _of_analysis(what_was_detectable)
bayes = _of_analysis(equivalence_table, "Drawing posteriors ...")
every_bayes = _of_analysis(equivalences_table, "Drawing posteriors ...")
stability = _of_analysis(left_out_in_turn, "Leaving out ...", cost_of_repeating)
leave_one_out = _of_analysis(
    lost_without_each, "Leave-one-out: checking ...", work.cost_of_resampling
)
replication = _of_analysis(
    repeats, "Resampling ...", partial(work.cost_of_resampling, times=RESAMPLES)
)
otherwise = _of_analysis(decided_otherwise, "Trying other measures ...", cost_of_repeating)
changes = _of_analysis(sensitivity, "Trying other settings ...", cost_of_repeating)
datasets = _of_analysis(by_dataset, "Looking at every data set ...")
measures = _of_analysis(by_measure, "Trying other measures ...")
_learned = _of_analysis(learn, "Learning a measure ...")
shuffled = _of_analysis(shuffle, "Permuting ...", cost_of_repeating)
