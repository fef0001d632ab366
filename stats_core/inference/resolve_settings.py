"""Resolution of settings for given results: selection, checks and defaults."""

from dataclasses import replace

import numpy as np

from stats_core.core.errors import SettingError
from stats_core.core.formatting import join_names
from stats_core.core.validation import check_one_of, check_probability
from stats_core.data.results import Results
from stats_core.data.settings import ASKED_SOURCES, DFS, OVERLAPS, SOURCES, TUKEY, WINS, Settings, Source, select
from stats_core.inference.fold_tests import PAIR_TESTS
from stats_core.inference.multiplicity.corrections import (
    CONTROL_CORRECTIONS,
    CORRECTIONS,
    LOGICAL,
    NOT_TRANSITIVE,
    WHY_NOT_TRANSITIVE,
    usable_correction,
)
from stats_core.inference.pair_intervals import check_region
from stats_core.inference.pairwise import advised_source


def resolve_settings(results: Results, settings: Settings) -> tuple[Results, Settings]:
    """Return the selected results, and the settings with defaults filled in.

    A control is only used for one measure over several data sets; otherwise it is dropped, together
    with the correction and source recommended for it.
    """
    settings = check_settings(results, settings)
    selected = select(results, settings)
    together = settings.measures or settings.thresholds
    many_pairs = len(selected.datasets) > 1 and len(selected.algorithms) > 2 and not together
    resolved = _with_correction(settings, control=bool(settings.control and many_pairs))
    if not many_pairs:
        return selected, resolved
    resolved = replace(resolved, source=pvalue_source(selected, resolved))
    if not settings.correction and not resolved.control:
        correction = usable_correction("", len(selected.algorithms), source=resolved.source)
        resolved = replace(resolved, correction=correction)
    return selected, resolved


def apply_selection(results: Results, settings: Settings) -> tuple[Results, Settings]:
    """Return the selected results, and the settings checked and filled in, without a control.

    For analyses without a control: it is dropped, and so is a correction that needs a control.
    """
    if settings.control:
        correction = settings.correction if settings.correction in CORRECTIONS else ""
        settings = replace(settings, control="", correction=correction)
    settings = check_settings(results, settings)
    return select(results, settings), settings


def resolve_missing(before: Results, settings: Settings, choice: str, baseline: str = "") -> Results:
    """Resolve the missing results of the selection by a choice.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": list("uuuvvv"), "algorithm": list("abcabc"),
    ...                       "error": [0.1, 0.2, None, 0.1, 0.2, 0.3]})
    >>> settings = Settings(without_algorithms=("c",))
    >>> resolve_missing(Results.from_frame(table), settings, "drop data sets").datasets
    ('u', 'v')
    """
    left_out = tuple(name for name in settings.without_algorithms if name != baseline)
    pair = settings.pair
    if pair and baseline in before.algorithms and baseline not in pair:
        pair = (*pair, baseline)
    selected = select(before, replace(settings, without_algorithms=left_out, pair=pair))
    for measure in settings.measures or (settings.measure or selected.measures[0],):
        selected = selected.resolve(choice, measure, baseline=baseline)
    return selected


def check_settings(results: Results, settings: Settings) -> Settings:
    """Return checked settings with the measure filled in."""
    check_probability(settings.alpha, "alpha")
    _check_control(results, settings)
    check_one_of(settings.source, ASKED_SOURCES, "source")
    check_one_of(settings.overlap, OVERLAPS, "overlap")
    check_one_of(settings.df, DFS, "df")
    check_one_of(settings.win, WINS, "win")
    if settings.test:
        check_one_of(settings.test, (TUKEY, *PAIR_TESTS), "test")
    if settings.test_fraction is not None:
        check_probability(settings.test_fraction, "test_fraction")
    if settings.region is not None:
        check_region(settings.region)
    if settings.correction == "nemenyi" and settings.source not in ("", "ranks"):
        raise SettingError.of("Nemenyi needs p-values from average ranks", source=SOURCES[settings.source])
    if settings.correction in LOGICAL and settings.source in NOT_TRANSITIVE:
        raise SettingError.of(
            "The sign test does not allow correction",
            correction=CORRECTIONS[settings.correction],
            why=WHY_NOT_TRANSITIVE,
        )
    if settings.pair and len(set(settings.pair)) != 2:
        raise SettingError.of("pair must name two different algorithms", pair=join_names(settings.pair))
    measure = settings.measure or results.measures[0]
    results.direction(measure)
    if settings.measures and len(set(settings.measures)) < 2:
        raise SettingError.of("measures must name two or more different measures", measure=settings.measures[0])
    for name in settings.measures:
        results.resolve_name(name)
    return replace(settings, measure=measure)


def _with_correction(settings: Settings, *, control: bool) -> Settings:
    """Return the settings for comparisons with the control, or for all pairs without it.

    The correction is the requested one, else the recommended one. Without a control, a correction that
    exists only for comparisons with a control is ignored.
    """
    if control:
        correction = settings.correction or next(iter(CONTROL_CORRECTIONS))
        check_one_of(correction, CONTROL_CORRECTIONS, "correction")
        return replace(settings, correction=correction)
    is_pairwise = settings.correction in CORRECTIONS
    correction = settings.correction if is_pairwise else next(iter(CORRECTIONS))
    return replace(settings, control="", correction=correction)


def pvalue_source(results: Results, settings: Settings) -> Source:
    """Return the source of p-values of pairs over data sets, requested or recommended.

    With failed runs ranked worst, or published average ranks, only average ranks are possible.
    """
    if settings.source:
        return settings.source
    failed = results.failures == "worst rank" and results.averages(settings.measure).isna().to_numpy()
    if results.published is not None or np.any(failed):  # a failed run has a rank but no value
        return "ranks"
    return advised_source(len(results.algorithms), len(results.datasets), settings)


def _check_control(results: Results, settings: Settings) -> None:
    if settings.control and settings.control not in results.algorithms:
        raise SettingError.of(
            "The control must be one of the algorithms",
            control=settings.control,
            algorithms=join_names(results.algorithms, 8),
        )
    if settings.correction:
        corrections = CONTROL_CORRECTIONS | CORRECTIONS if settings.control else CORRECTIONS
        check_one_of(settings.correction, corrections, "correction")
