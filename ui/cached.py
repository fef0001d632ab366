"""Cached calls of the library; keys are short texts, never tables (those would be sampled)."""

import csv
import hashlib

import pandas as pd
import streamlit as st

from stats_core.agreement import Agreement, Rule
from stats_core.agreement import agreement as agree
from stats_core.analyse import (
    Analysis,
    FoldPairAnalysis,
    FoldsAnalysis,
    OnMeasures,
    PairOnMeasures,
    Settings,
    TwoAnalysis,
    analyse,
)
from stats_core.anova import AnovaOutcome
from stats_core.by_dataset import by_dataset
from stats_core.by_measure import by_measure, other_measures
from stats_core.errors import FoldwiseError
from stats_core.findings import Finding
from stats_core.findings import findings as find
from stats_core.learned import (
    LearnedMeasures,
    learned_crossfit,
    learned_groups,
    learned_measures,
    learned_permutation,
)
from stats_core.over_measures import Wins, dimensions, wins
from stats_core.reading import Mapping, read_results
from stats_core.results import Results
from stats_core.sensitivity import sensitivity
from stats_core.shuffles import ShuffleOutcome, shuffled_hotelling, shuffled_manova
from stats_core.verdict import Verdict, verdict
from ui.state import SAMPLE, SAMPLES

_KEPT = 32  # entries per cache; results are shared between sessions and never changed


@st.cache_resource(show_spinner=False)
def catalogue() -> tuple[dict[str, str], ...]:
    """Return the shipped samples, one row of catalog.csv each."""
    with (SAMPLES / "catalog.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


@st.cache_resource(show_spinner=False)
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
    """Return the sha256 of named files."""
    whole = hashlib.sha256()
    for name, content in sources:
        whole.update(name.encode() + b"\0" + content)
    return whole.hexdigest()


@st.cache_resource(max_entries=_KEPT, show_spinner="Reading the results ...")
def read(key: str, mapping: Mapping | None, _sources: tuple[tuple[str, bytes], ...]) -> Results:
    """Read files once per content and mapping."""
    return read_results(*_sources, mapping=mapping)


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def resolve(key: str, choice: str, measure: str, _results: Results) -> Results:
    """Apply the choice about missing cells."""
    return _results.resolve(choice, measure=measure)


@st.cache_resource(max_entries=4 * _KEPT, show_spinner="Comparing ...")
def analysis(key: str, settings: Settings, _results: Results) -> Analysis:
    """Analyse once per results and settings."""
    return analyse(_results, settings)


@st.cache_resource(max_entries=4 * _KEPT, show_spinner=False)
def words(key: str, settings: Settings, _analysis: Analysis) -> Verdict:
    """Put an analysis into words once."""
    return verdict(_analysis)


@st.cache_resource(max_entries=_KEPT, show_spinner="Trying other settings ...")
def changes(key: str, settings: Settings, _analysis: Analysis) -> pd.DataFrame:
    """Return what other settings would say."""
    return sensitivity(_analysis)


@st.cache_resource(max_entries=_KEPT, show_spinner="Looking at every data set ...")
def datasets(key: str, settings: Settings, _analysis: TwoAnalysis) -> pd.DataFrame:
    """Compare two algorithms on every data set by its folds."""
    return by_dataset(_analysis)


@st.cache_resource(max_entries=_KEPT, show_spinner="Trying other measures ...")
def measures(key: str, settings: Settings, _analysis: FoldPairAnalysis) -> pd.DataFrame:
    """Compare the same two algorithms by every measure."""
    return by_measure(_analysis)


@st.cache_resource(max_entries=_KEPT, show_spinner="Trying other measures ...")
def orders(
    key: str, settings: Settings, measures: tuple[str, ...], _analysis: FoldsAnalysis
) -> tuple[list[FoldsAnalysis], dict[str, str]]:
    """Order the same algorithms by other measures."""
    return other_measures(_analysis, measures)


@st.cache_resource(max_entries=_KEPT, show_spinner="Counting decisions ...")
def agreement(key: str, one: Rule, other: Rule, _results: Results) -> Agreement:
    """Count how often two rules decide alike."""
    return agree(_results, one, other)


@st.cache_resource(max_entries=_KEPT, show_spinner="Learning a measure ...")
def learned(
    key: str, settings: Settings, measures: tuple[str, ...], _analysis: OnMeasures
) -> tuple[LearnedMeasures, ShuffleOutcome, AnovaOutcome, list[tuple]]:
    """Learn the measures that separate most, with both honest tests of M1 and the groups."""
    vectors, fraction = _analysis.vectors, _analysis.test_fraction
    model = learned_measures(vectors, measures)
    return (
        model,
        learned_permutation(vectors, measures),
        learned_crossfit(vectors, measures, test_fraction=fraction),
        learned_groups(model, _analysis.names, alpha=settings.alpha, test_fraction=fraction),
    )


@st.cache_resource(max_entries=_KEPT, show_spinner=False)
def findings(key: str, settings: Settings, _results: Results) -> list[Finding]:
    """Look for what one measure hides."""
    return find(_results, settings)


@st.cache_resource(max_entries=_KEPT, show_spinner="Permuting ...")
def shuffled(key: str, settings: Settings, _analysis: OnMeasures) -> ShuffleOutcome:
    """Test by permutation what the analysis tests."""
    if isinstance(_analysis, PairOnMeasures):
        x, y = (_analysis.cloud(name).to_numpy() for name in (_analysis.first, _analysis.second))
        return shuffled_hotelling(x, y)
    return shuffled_manova(_analysis.vectors)


@st.cache_resource(max_entries=_KEPT, show_spinner="Looking at every data set ...")
def over_measures(
    key: str,
    settings: Settings,
    measures: tuple[str, ...],
    rule: str,
    theta: float,
    _results: Results,
) -> tuple[pd.DataFrame | None, Agreement | None, Wins | None]:
    """Return dimensions, agreement with one measure, and wins over all data sets."""
    one = Rule(measure=settings.measure, test="paired t", overlap=False, alpha=settings.alpha)
    together = Rule(measures=measures, overlap=False, alpha=settings.alpha)
    return (
        dimensions(_results, measures, settings) if len(_results.algorithms) > 2 else None,
        _or_none(lambda: agree(_results, one, together)),
        _or_none(lambda: wins(_results, measures, settings, rule=rule, theta=theta)),
    )


def _or_none(make):
    try:
        return make()
    except FoldwiseError:
        return None
