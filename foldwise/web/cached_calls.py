"""Library calls cached per session; cache keys are short strings, never tables."""

import csv
import hashlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pandas as pd
import streamlit as st

from foldwise.figures.registry import drawings as every_drawing
from foldwise.figures.roc import fold_paths as thin_fold_paths
from foldwise.figures.spec import FigureSpec
from foldwise.web import background_calls
from foldwise.web.background_calls import (
    BackgroundCall,
    comparison_seconds,
    instances_seconds,
    repetition_seconds,
    robustness_seconds,
)
from foldwise.web.session import DIGEST, SAMPLE, SAMPLES
from foldwise.web.session_cache import OF_A_SAMPLE, cached_in_session, qualified_name, session_cache
from stats_core.comparison.analyse import analyse, at_level
from stats_core.comparison.kinds.fold_comparisons import FoldsComparison
from stats_core.comparison.kinds.wins import DimensionTests, dimension_tests, dimensions_at, wins
from stats_core.comparison.result import Comparison
from stats_core.core.errors import FoldwiseError
from stats_core.curves.curve_comparison import (
    DataCurves,
    average_curves,
    curves_of_folds,
    one_fold_intervals,
    pairwise_delong,
)
from stats_core.curves.curve_comparison import hull_area as area_under_hulls
from stats_core.curves.curve_comparison import partial_areas as areas_of_parts
from stats_core.curves.delong import DeLongResult
from stats_core.curves.threshold_sweep import Sweep, over_data_sets, risks_over_sets, sweep_curves, sweep_each
from stats_core.curves.thresholds import at_threshold as count_at
from stats_core.data.labels import short_names
from stats_core.data.results import Results
from stats_core.data.settings import Settings, select
from stats_core.inference.multiplicity.win_counts import Wins
from stats_core.inference.resolve_settings import resolve_missing
from stats_core.io.infer_layout import LayoutMatch
from stats_core.io.mapping import Mapping
from stats_core.io.read import describe_columns, explain, read_results
from stats_core.ordering.one_sided_evidence import OneSidedEvidence, evidence_over
from stats_core.ordering.order import Order, OrderRules, Shared, order_of
from stats_core.ordering.order_sensitivity import (
    OrderPaths,
    order_by_cost,
    order_by_levels,
    order_by_scale,
    order_by_weight,
    order_changes,
    shared_order_parts,
    with_own_level,
)
from stats_core.power.detectable import detectable as what_was_detectable
from stats_core.report.paper_sentence import latex_block, paper_sentence
from stats_core.report.plan import chain as chain_of
from stats_core.report.tables.equivalence_tables import equivalence_table, equivalences_table
from stats_core.report.varied_verdicts import ByGroup, sensitivity
from stats_core.report.varied_verdicts import by_group as compare_groups
from stats_core.report.varied_verdicts import hole_choices as every_hole_choice
from stats_core.report.verdict import verdict
from stats_core.robustness.dataset_decisions import Agreement, Rule, by_dataset, set_wins
from stats_core.robustness.dataset_decisions import agreement as agree
from stats_core.robustness.leave_one_out import RESAMPLES
from stats_core.robustness.leave_one_out import leave_one_out as lost_without_each
from stats_core.robustness.leave_one_out import replication as repeats
from stats_core.robustness.leave_one_out import stability as left_out_in_turn
from stats_core.robustness.other_definitions import other_definitions as define_otherwise
from stats_core.robustness.other_measures import Learned, by_measure, decided_otherwise, other_measures
from stats_core.robustness.other_measures import findings as find
from stats_core.robustness.other_measures import learned_measures_of as learn
from stats_core.robustness.other_measures import permutation_test_of as shuffle
from stats_core.robustness.variations import every_omnibus

Names = dict[str, dict[str, str]]  # "algorithms" or "datasets" -> original name -> displayed name


@cache
def catalogue() -> tuple[dict[str, str], ...]:
    """Return the rows of catalog.csv, one per sample."""
    with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def first_sample() -> str:
    """Return the file of the sample that is open at first."""
    return catalogue()[0]["file"]


def sample_title(file: str) -> str:
    """Return the title of a sample, or the file name if it is not in the catalogue."""
    return next((row["title"] for row in catalogue() if row["file"] == file), file)


@cache
def sample_bytes(file: str) -> bytes:
    """Return the content of a sample listed in the catalogue."""
    if file not in {row["file"] for row in catalogue()}:
        raise KeyError(file)
    return (SAMPLES / file).read_bytes()


def open_sample() -> tuple[tuple[str, bytes], ...]:
    """Return the open sample as a pair (name, content) in a tuple, () if none is open."""
    file = st.session_state.get(SAMPLE, "")
    return ((file, sample_bytes(file)),) if file else ()


def digest(sources: tuple[tuple[str, bytes], ...]) -> str:
    """Return a hash of named files, computed once while they stay open."""
    known_sources, digest_text = st.session_state.get(DIGEST, (None, ""))
    if known_sources is sources:
        return digest_text
    sha256 = hashlib.sha256()
    for name, content in sources:
        sha256.update(name.encode() + b"\0")
        sha256.update(content)
    digest_text = (OF_A_SAMPLE if sources == open_sample() else "") + sha256.hexdigest()
    st.session_state[DIGEST] = sources, digest_text
    return digest_text


def read_uploads(key: str, mapping: Mapping | None, sources: tuple[tuple[str, bytes], ...]) -> Results:
    """Read files once per content and mapping; large files in a worker process."""
    cache_key = ("read", key, mapping)
    cost = 0.0 if key.startswith(OF_A_SAMPLE) else background_calls.reading_seconds(sources)
    call = partial(read_results, *sources, mapping=mapping)
    return session_cache(key).recall(
        cache_key, lambda: background_calls.run_in_background(call, key=cache_key, cost=cost, doing="Reading ...")
    )


@cached_in_session
def column_roles(key: str, mapping: Mapping, *, several: bool, _source) -> pd.DataFrame:
    """Return the role of every column of a file, with the reason."""
    return describe_columns(_source, mapping, several=several)


@cached_in_session
def explain_layout(key: str, mapping: Mapping, place: int, *, several: bool, _source) -> LayoutMatch | None:
    """Return the evidence for the layout as which a file is read."""
    return explain(_source, mapping, several=several)


@cached_in_session
def shorten_names(names: tuple[str, ...]) -> dict[str, str]:
    """Return the shortened form of each name."""
    return short_names(names)


@cached_in_session
def with_display_names(key: str, _read: Results, _rule: Names, _typed: Names) -> Results:
    """Return the results with shortened names, which names typed by the user override."""
    names = {kind: {**_rule.get(kind, {}), **_typed.get(kind, {})} for kind in {**_rule, **_typed}}
    return _read.rename(**names)


@cached_in_session(said="Comparing groups ...", cost=repetition_seconds)
def by_group(
    key: str, settings: Settings, tag: str, rules: OrderRules | None, _results: Results, _whole: Comparison
) -> ByGroup:
    """Analyse every group of data sets separately."""
    return BackgroundCall(compare_groups, _results, settings, tag, rules=rules, whole=_whole)


@cached_in_session(said="Testing areas ...", cost=instances_seconds)
def delong_pairs(
    key: str, dataset: str, place: int, _read: Results, _data: DataCurves
) -> dict[tuple[str, str], DeLongResult]:
    """Run DeLong's test of all pairs on the instances of one fold."""
    return BackgroundCall(pairwise_delong, _read, dataset, tuple(_data.folds.iloc[place]))


@cached_in_session(said="Sweeping thresholds ...", cost=instances_seconds)
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
    """Return the winners at each threshold on one data set."""
    options = {"measures": measures, "rule": rule, "alpha": alpha, "test_fraction": fraction}
    return BackgroundCall(sweep_curves, _data, names, scale=scale, **options)


@cached_in_session
def sweep_all(key: str, settings: Settings, scale: str, _read: Results) -> tuple[Wins | None, dict[str, str]]:
    """Count wins of the threshold sweep over data sets; return skipped ones with reasons, too."""
    sweeps_by_dataset, skipped = _sweeps(key, settings, scale, _read)
    return (over_data_sets(sweeps_by_dataset, alpha=settings.alpha) if sweeps_by_dataset else None), skipped


@cached_in_session
def risks_all(key: str, settings: Settings, scale: str, _read: Results) -> pd.DataFrame | None:
    """Return the thresholds at which risks differ over data sets; None with fewer than two."""
    sweeps_by_dataset, _ = _sweeps(key, settings, scale, _read)
    return risks_over_sets(sweeps_by_dataset) if len(sweeps_by_dataset) > 1 else None


@cached_in_session(said="Sweeping every data set ...", cost=instances_seconds)
def _sweeps(key: str, settings: Settings, scale: str, _read: Results):
    return BackgroundCall(sweep_each, _read, settings, scale=scale)


@cached_in_session(said="Deciding it every way ...", cost=repetition_seconds)
def hole_choices(key: str, settings: Settings, baseline: str, _results: Results) -> pd.DataFrame:
    """Return the remaining data and the decisions under each treatment of missing results."""
    return BackgroundCall(every_hole_choice, _results, settings, baseline=baseline)


@cached_in_session(said="Testing all at once ...")
def first_tests(key: str, settings: Settings, exact: bool, _analysis: Comparison) -> tuple[list[dict], dict[str, str]]:
    """Return every omnibus test of all algorithms, and the reasons why others do not apply."""
    return BackgroundCall(every_omnibus, _analysis, exact=exact)


@cached_in_session(said="Counting wins ...")
def wins_over_sets(key: str, settings: Settings, by: str, within: str, over: str, _results: Results) -> Wins:
    """Count the data sets on which each algorithm beats each other one."""
    average = by == "average"
    return BackgroundCall(
        set_wins,
        _results,
        measure=settings.measure,
        by="average" if average else "test",
        test="" if average or by == "recommended test" else by,
        correction=within,
        alpha=settings.alpha,
        sign_correction=over,
        overlap=settings.overlap == "corrected",
        test_fraction=settings.test_fraction,
    )


@cached_in_session
def drawings(
    key: str,
    settings: Settings,
    rules: OrderRules | None,
    highlight: tuple[str, ...],
    theta: float,
    _analysis: Comparison,
    _look: dict,
) -> list[FigureSpec]:
    """Return the specifications of all figures of an analysis."""
    return every_drawing(_analysis, **_look)


@cached_in_session
def order(key: str, settings: Settings, rules: OrderRules, datasets: tuple[str, ...], _results, _found) -> Order:
    """Order algorithms by tests computed before."""
    return order_of(_results, settings, rules, found=_found)


def order_paths(key: str, order: Order, found, what: str, costs: tuple[str, ...] = ()) -> OrderPaths:
    """Return the orders over varying levels, costs, weights or scales."""
    settings = order.settings if what != "alpha" else replace(order.settings, alpha=0.05)
    tested = _tested(order.settings, order.rules, order.results)
    shared = _in_common(key, *tested, order, found)
    arguments = (settings, order.rules, order.results.datasets, what, costs)
    paths = _order_paths(key, *arguments, order, found, shared)
    return with_own_level(paths, order) if what == "alpha" else paths


@cached_in_session(said="Ordering again ...", cost=repetition_seconds)
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
        function = order_by_levels if what == "alpha" else order_by_scale
        return BackgroundCall(function, _order, _found, shared=_shared)
    function = order_by_weight if what == "weight" else order_by_cost
    return BackgroundCall(function, _order, _found, costs, shared=_shared)


@cached_in_session(said="Trying other measures ...", cost=repetition_seconds)
def orders(
    key: str, settings: Settings, measures: tuple[str, ...], _analysis: FoldsComparison
) -> tuple[list[FoldsComparison], dict[str, str]]:
    """Order the same algorithms by other measures."""
    return BackgroundCall(other_measures, _analysis, measures)


def dimensions(key: str, settings: Settings, measures: tuple[str, ...], results: Results) -> pd.DataFrame:
    """Return the dimension of the means on each data set; tests are shared by all levels."""
    tested = _dimension_tests(key, replace(settings, alpha=0.05), measures, results)
    return dimensions_at(tested, settings.alpha)


@cached_in_session(said="Looking at every data set ...", cost=repetition_seconds)
def _dimension_tests(key: str, settings: Settings, measures: tuple[str, ...], _results: Results) -> DimensionTests:
    return BackgroundCall(dimension_tests, _results, measures, settings)


@cached_in_session(said="Looking at every data set ...", cost=repetition_seconds)
def wins_by_risk(key: str, settings: Settings, measures: tuple[str, ...], theta: float, _results: Results) -> Wins:
    """Count wins by risk over data sets, for a given weight of false positives."""
    return BackgroundCall(wins, _results, measures, settings, theta=theta)


@cached_in_session(said="Testing every data set ...")
def _evidence(
    key: str,
    datasets: tuple[str, ...],
    told: tuple,
    theta: float | None,
    undivided: bool,
    _settings: Settings,
    _results: Results,
):
    return BackgroundCall(evidence_over, _results, _settings, theta=theta, undivided=undivided)


def order_evidence(
    key: str, settings: Settings, rules: OrderRules, results: Results
) -> tuple[dict[str, OneSidedEvidence], dict[str, str]]:
    """Test all ordered pairs on every data set, once for all settings that do not matter."""
    return _evidence(key, *_tested(settings, rules, results), settings, results)


@cached_in_session
def _in_common(
    key: str, datasets: tuple[str, ...], told: tuple, theta: float | None, undivided: bool, _order: Order, _found
) -> Shared:
    return shared_order_parts(_order, _found)


def _tested(settings: Settings, rules: OrderRules, results: Results) -> tuple:
    """Return the settings on which the tests of all ordered pairs depend."""
    test_settings = (settings.measure, settings.test, settings.test_fraction, settings.overlap)
    return results.datasets, test_settings, rules.theta, rules.undivided


def agreement(key: str, one: Rule, other: Rule, results: Results) -> Agreement:
    """Return how often two decision rules agree; tests are shared by all levels."""
    at_once = (replace(rule, alpha=0.05) for rule in (one, other))
    return _agreement(key, *at_once, results).at_level(one.alpha, other.alpha)


def learned_measures_cached(key: str, settings: Settings, analysis: Comparison) -> Learned:
    """Return the learned measures; the computation is shared by all levels."""
    return _learned(key, replace(settings, alpha=0.05), analysis)


def _for_a_paper(analysis: Comparison) -> tuple[str, str]:
    """Return the sentence and the LaTeX block about an analysis for a paper."""
    return paper_sentence(analysis), latex_block(analysis)


def _ask(about: Callable, said: str = "", *, name: str = "", cost: Callable[..., float] = robustness_seconds):
    """Return a cached function `(key, *options, subject)` that calls `about(subject, *options)`.

    With a progress message, it may run in a worker process.
    """

    def compute(key: str, *options: Any, _whom: Any) -> Any:
        return BackgroundCall(about, _whom, *options) if said else about(_whom, *options)

    cached = cached_in_session(compute, said=said, name=name or qualified_name(about), cost=cost)
    return lambda key, *arguments: cached(key, *arguments[:-1], _whom=arguments[-1])


def _of_analysis(
    about: Callable[[Any], Any], said: str = "", cost: Callable[[BackgroundCall], float] = robustness_seconds
):
    """Return a cached function `(key, settings, analysis)` that calls `about(analysis)`."""

    def compute(key: str, settings: Settings, _analysis: Any) -> Any:
        return BackgroundCall(about, _analysis) if said else about(_analysis)

    return cached_in_session(compute, said=said, name=qualified_name(about), cost=cost)


@cached_in_session(said="Comparing ...", name=qualified_name(analyse), cost=comparison_seconds)
def analysis(key: str, settings: Settings, _results: Results) -> Comparison | BackgroundCall:
    """Analyse results once per settings; tests are shared by all levels."""
    store, tests = session_cache(key), ("tests", key, replace(settings, alpha=0.05))
    first_key = (qualified_name(analyse), key, store.recall(tests, lambda: settings))
    with suppress(FoldwiseError):  # the error may concern only the level of the first analysis
        first_analysis = store.recall(first_key, lambda: None) if first_key in store else None
        if first_analysis is not None and (at_new_level := at_level(first_analysis, _results, settings)) is not None:
            return at_new_level
    return BackgroundCall(analyse, _results, settings)


# functions of results
at_threshold = _ask(count_at)
decided = _ask(resolve_missing)
kept = _ask(select)
chain = _ask(chain_of, "Looking at each step ...")
findings = _ask(find)
_agreement = _ask(agree, "Counting decisions ...", cost=repetition_seconds)
resolve_missing_cached = _ask(Results.resolve)
# functions of the curves of one data set
curves = _ask(curves_of_folds, "Drawing curves ...", cost=instances_seconds)
curve_areas = _ask(DataCurves.areas)
curve_averages = _ask(average_curves)
fold_paths = _ask(thin_fold_paths)
area_intervals = _ask(one_fold_intervals)
# functions of the curves of one algorithm, whose name is part of the key
hull_area = _ask(area_under_hulls)
partial_areas = _ask(areas_of_parts)
changes_between = _ask(lambda orders, *about: order_changes(*orders), name="changes_between")
# functions of an analysis
other_definitions = _ask(
    lambda analysis, settings, pair: define_otherwise(analysis, pair=pair), name="other_definitions"
)
words = _of_analysis(verdict)
copied = _of_analysis(_for_a_paper)
detectable = _of_analysis(what_was_detectable)
bayes = _of_analysis(equivalence_table, "Drawing posteriors ...")
every_bayes = _of_analysis(equivalences_table, "Drawing posteriors ...")
stability = _of_analysis(left_out_in_turn, "Leaving out ...", repetition_seconds)
leave_one_out = _of_analysis(lost_without_each, "Leave-one-out: checking ...", background_calls.cost_of_resampling)
replication = _of_analysis(repeats, "Resampling ...", partial(background_calls.cost_of_resampling, times=RESAMPLES))
otherwise = _of_analysis(decided_otherwise, "Trying other measures ...", repetition_seconds)
changes = _of_analysis(sensitivity, "Trying other settings ...", repetition_seconds)
datasets = _of_analysis(by_dataset, "Looking at every data set ...")
measures = _of_analysis(by_measure, "Trying other measures ...")
_learned = _of_analysis(learn, "Learning a measure ...")
shuffled = _of_analysis(shuffle, "Permuting ...", repetition_seconds)
