"""Wide tables: one column per algorithm, resample, split, or algorithm and measure; and transposed."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.core.messages import message
from stats_core.data import row_checks
from stats_core.io import vocabulary
from stats_core.io.mapping import NUMBERED, UNNAMED, possible_rows
from stats_core.io.problems import (
    NotResults,
    Question,
    guessed_roles,
    phrase,
    question_of,
    refusal_of,
    role_reason,
)
from stats_core.io.profile import (
    FAIR,
    FEW,
    NAME,
    STRONG,
    LayoutEvidence,
    LayoutHypothesis,
    Profile,
    observed,
    upper_bound,
)

SPLIT = re.compile(r"split(\d+)_(test_.+)")
_NUMBERED = re.compile(
    r"(?:resample|fold|cv|split|seed|run|rep|repetition|iteration|r|s|f)?[\s_\-]*(\d+)", re.I
)
_PARTS = re.compile(r"(.+?)(?:\s*~\s*|\s*[|/]\s*|\s+-\s+|__|[\s_.:])([^\s_.:~|/]+)")
_BY_CHANCE = 0.001  # largest probability of a coincidence
_Headers = dict[str, tuple[str, str]]  # column -> algorithm, kind of number
_IN_DOUBT, _CLEAR = 0.3, 4.0  # ratio of variances of mean ranks, columns to rows


_FEWEST_ITEMS = 20  # rows with numbered names that may be items


@dataclass(frozen=True, kw_only=True)
class Split:
    """Numeric columns of a wide table, split into results and other columns."""

    results: list[str]
    others: dict[str, str]  # column -> why it is not an algorithm
    doubtful: str = ""  # the result named like a size or cost of data sets


def match_wide_table(profile: Profile) -> Iterator[LayoutHypothesis]:  # noqa: C901
    """Yield hypotheses of averages or folds in columns of algorithms or, transposed, of data sets, likelier first."""
    items = vocabulary.with_role(profile.declared, "instance")
    named = {
        n: r
        for n, r in {**profile.named, **dict.fromkeys(items, "dataset")}.items()
        if _may_be_key(profile, n, r)
    }
    if "true" in named.values() or "measure" in named.values():
        return
    if not {"algorithm", "dataset"} & set(named.values()):
        labelled = [
            n
            for n in profile.texts
            if profile[n].is_unique and vocabulary.mentions(n, "algorithms")
        ]
        named |= dict.fromkeys(labelled[:1], "algorithm")
    if counter := _counter(profile, named):
        named[counter] = "fold"
    split = split_columns(profile, named)
    if len(split.results) < 2 or _is_interval(profile, split):
        return
    if are_measures(split.results) and not profile.declared:
        return
    evidence = _about_columns(profile, split)
    if "algorithm" in named.values():
        yield from _transposed(profile, named, split, evidence)
        return
    key_match = _key(profile, named, split)
    if key_match is None or not profile.unique(_row_keys(key_match[0])):
        numbered = list(_numbered_rows(profile, named))
        yield from numbered or (
            _unnamed_rows(profile, named, split, evidence) if key_match is None else ()
        )
        if numbered or key_match is None:
            return
    roles, key_evidence, rows = key_match
    evidence = [*key_evidence, *evidence]
    key = vocabulary.first_with_role(roles, "dataset")
    if key and not profile.declared and _are_kinds_of_results(profile.frame[key]):
        yield _one_number_of_each_kind(profile, key, evidence)
        return
    is_item = (
        key not in profile.declared
        and vocabulary.is_listed(key, "items")
        and profile[key].is_unique
    )
    if key in items or is_item:
        roles = {n: "ignore" if role == "group" else role for n, role in roles.items()}
        roles, rows = {**roles, key: "instance"}, "cases"
    parts = vocabulary.with_role(roles, "part of dataset")
    if parts and not profile.declared and rows_are_algorithms(profile, split, [key, *parts]):
        as_rows = roles | {key: "algorithm"} | dict.fromkeys(parts, "part of algorithm")
        yield hypothesis_of(profile, as_rows, split, evidence, "", turned=True)
    is_open = bool(key) and key not in named and profile[key].is_unique
    asks: tuple[Question, ...] = ()
    if is_open and not (is_item or profile.declared) and _is_numbered(profile, key):
        n = len(profile.frame)
        if not profile.mapping.rows:
            asks = (question_of("unnamed rows", n=n, name=key, numbered=True),)
        for rows in possible_rows(profile.mapping, n):
            yield hypothesis_of(
                profile, {**roles, key: NUMBERED[rows]}, split, evidence, rows, asks=asks
            )
        return
    averaged = any(
        why == "sums up" and vocabulary.mentions(n, "averages") for n, why in split.others.items()
    )
    spread_ratio = _level_of_columns(profile, split) if is_open else 0.0
    is_turned = is_open and bool(
        averaged or vocabulary.model_among(profile.frame[key]) or spread_ratio > _CLEAR
    )
    is_turned |= is_open and _cross_numbers(split.results)
    if counter and vocabulary.means_no_fold(counter):
        asks = (guessed_roles({counter: "fold"}),)
    if doubtful := [split.doubtful] * (split.doubtful in split.results):
        asks += (question_of("result or size", name=split.doubtful),)
    upright = hypothesis_of(profile, roles, split, evidence, rows, asks=asks)
    names_sets = vocabulary.is_listed(key, "numbered data sets")
    in_doubt = is_turned or (spread_ratio > _IN_DOUBT and not names_sets)
    if rows or profile.declared or not in_doubt or vocabulary.model_among(split.results):
        yield upright
        if doubtful:
            yield replace(upright, roles={**upright.roles, **dict.fromkeys(doubtful, "ignore")})
        return
    roles = {n: "ignore" if role == "group" else role for n, role in roles.items()} | {
        key: "algorithm"
    }
    split = split_columns(profile, {**named, key: "algorithm"})  # data sets may differ in scale
    turned = hypothesis_of(profile, roles, split, evidence, "", turned=True)
    yield from (turned, upright) if is_turned else (upright, turned)


def _are_kinds_of_results(labels: pd.Series) -> bool:
    """Return whether distinct row labels are mostly measures, costs and spreads."""
    names = labels.tolist()
    measures = [name for name in names if vocabulary.known_measure(name)]
    others = [n for n in names if vocabulary.known_cost(n) or vocabulary.is_spread(n)]
    is_mixed = len(set(measures)) > 1 or (bool(measures) and bool(others))
    return labels.is_unique and is_mixed and 2 * len({*measures, *others}) >= len(names)


def _one_number_of_each_kind(
    profile: Profile, key: str, evidence: list[LayoutEvidence]
) -> LayoutHypothesis:
    """Return the refusal of rows that are measures, with one number for each algorithm."""
    refusal = refusal_of("rows are measures", measures=profile.frame[key].tolist())
    return LayoutHypothesis(
        layout="no results", evidence=(*evidence, observed(STRONG, "no results")), refusal=refusal
    )


def _is_numbered(profile: Profile, key: str) -> bool:
    """Return whether the many names of rows are the same word with a number, such as q17, and no word for data sets."""
    names = profile.frame[key].str.lower()
    stems = names.str.rstrip("0123456789").unique()
    if len(names) < _FEWEST_ITEMS or len(stems) > 1 or not names.str[-1:].str.isdigit().all():
        return False
    return vocabulary.normalized_name(stems[0]) not in vocabulary.WORDS["numbered data sets"]


def _is_interval(profile: Profile, split: Split) -> bool:
    """Return whether, of three to five columns, three are a mean and its limits in every row, whatever their names."""
    if not 3 <= len(split.results) <= 5 or vocabulary.model_among(split.results):
        return False
    if _are_limits(profile, split.results):
        return True
    if all(profile.declared.get(name) == "result" for name in split.results):
        return False
    matrix = np.unique(profile.matrix(split.results), axis=0)
    unit = 10.0 ** -max(profile[name].decimals for name in split.results)
    if len(matrix) < 4:
        return False
    for low, mean, high in permutations(matrix.T, 3):
        is_between = bool(((low <= mean) & (mean <= high) & (low < high)).all())
        varies = np.ptp(high - low) > unit  # wide and narrow intervals
        if is_between and varies and np.abs((low + high) / 2 - mean).max() <= unit:
            return True
    return False


def _level_of_columns(profile: Profile, split: Split) -> float:
    """Return the ratio of variances of mean ranks, columns to rows: large if columns are data sets, 0 if unclear."""
    matrix = profile.matrix(split.results)
    if min(matrix.shape) < 2 or max(matrix.shape) < 4 or profile.magnitudes(split.results) > 3:
        return 0.0
    ranks = pd.DataFrame(matrix).stack().rank().unstack()
    of_columns, of_rows = (float(ranks.mean(axis=axis).var()) for axis in (0, 1))
    return of_columns / max(of_rows, 1e-12)


def are_measures(names: Sequence[str]) -> bool:
    """Return whether most columns are named as measures of several kinds, and none as a model."""
    named = [n for n in names if vocabulary.names_measure(n) or vocabulary.speaks_of_measure(n)]
    kinds = {vocabulary.measure_in_text(" ".join(vocabulary.words_of(n))) or n for n in named}
    return 2 * len(named) > len(names) and len(kinds) > 1 and not vocabulary.model_among(names)


def _are_limits(profile: Profile, names: Sequence[str]) -> bool:
    """Return whether two columns are named as limits and enclose a third one in every row."""
    named = [n for n in names if vocabulary.mentions(n, "limits") and n not in profile.declared]
    others = [n for n in names if n not in named]
    if len(named) != 2 or len(others) != 1:
        return False
    low, middle, high = np.sort(profile.matrix([named[0], *others, named[1]]), axis=1).T
    return bool(np.array_equal(middle, profile[others[0]].array) and (low < high).any())


def rows_are_algorithms(profile: Profile, split: Split, keys: Iterable[str]) -> bool:
    """Return whether rows rather than columns are algorithms, by names or else by ranks."""
    if vocabulary.model_among(split.results):
        return False
    if any(vocabulary.model_among(profile.frame[name]) for name in keys):
        return True
    return _level_of_columns(profile, split) > _CLEAR


def _numbered_rows(profile: Profile, named: dict[str, str]) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis, with a question, that the first numeric column names data sets (as task ids do)."""
    name = next(
        (n for n in profile.numbers if n not in named or n in profile.declared), profile.numbers[0]
    )
    column = profile[name]
    folds = [n for n, role in named.items() if role in ("fold", "repetition")]
    is_named = column.is_unique and not column.numbers_rows
    is_named |= bool(folds) and not column.is_unique and profile.unique([name, *folds])
    follows_texts = all(profile[n].is_text for n in list(profile.columns)[: column.position])
    if not (column.is_whole and is_named and follows_texts):
        return
    roles = {n: role for n, role in named.items() if role != "dataset"} | {name: "dataset"}
    remaining = split_columns(profile, roles)
    if len(remaining.results) < 2:
        return
    question = question_of("numbers as names", name=name, columns=profile.columns)
    yield hypothesis_of(
        profile, roles, remaining, _about_columns(profile, remaining), "", asks=(question,)
    )


def _row_keys(roles: dict[str, str]) -> list[str]:
    return [
        n
        for n, role in roles.items()
        if role in ("dataset", "part of dataset", "fold", "repetition")
    ]


def _counter(profile: Profile, named: dict[str, str]) -> str:
    """Return the column that numbers the rows of each data set, and therefore the folds; "" if there is none."""
    if {"fold", "repetition", "algorithm"} & set(named.values()):
        return ""
    keys = [n for n, r in named.items() if r in ("dataset", "part of dataset")]
    repeated = [n for n in profile.texts if n not in named and not profile[n].is_unique]
    keys = keys or repeated[:1]
    levels = [n for n in profile.numbers if n not in named and vocabulary.mentions(n, "levels")]
    levels = [
        n for n in levels if keys and not profile.unique(keys) and profile.counts_within(n, keys)
    ]
    return next(iter(levels), "") or profile.counter_of_folds(named, keys) if keys else ""


def _unnamed_rows(
    profile: Profile, named: dict[str, str], split: Split, evidence: list[LayoutEvidence]
) -> Iterator[LayoutHypothesis]:
    """Yield a hypothesis per possible meaning of unnamed rows, folds first, with a question unless the user set it."""
    if [n for n in profile.texts if n not in named] or set(named.values()) - {"result", "ignore"}:
        return
    first_name = next(iter(profile.columns))
    is_counter = profile[first_name].numbers_rows
    if is_counter and first_name in split.results or profile.magnitudes(split.results) > 0.5:
        return
    n, labels = (
        len(profile.frame),
        [c for c in split.results if profile[c].is_whole and profile[c].distinct == 2],
    )
    are_mixed = bool(labels) and not all(profile[c].is_whole for c in split.results)
    if n < 2 or are_mixed or sum(observation.weight for observation in evidence) < STRONG:
        return
    question = question_of("unnamed rows", n=n, name=first_name, numbered=is_counter)
    for rows in possible_rows(profile.mapping, n):
        roles = {first_name: NUMBERED[rows]} if is_counter else {}
        yield hypothesis_of(
            profile, roles, split, evidence, rows, asks=() if profile.mapping.rows else (question,)
        )


def _may_be_key(profile: Profile, name: str, role: str) -> bool:
    """Return whether a column may keep its role; keys need texts or, unless they name algorithms, whole numbers."""
    column = profile[name]
    if name in profile.declared or role in ("true", "n_train", "n_test", "design"):
        return True
    if role == "algorithm":
        return column.is_text
    return role in ("dataset", "repetition", "fold") and (column.is_text or column.is_whole)


def split_columns(profile: Profile, named: dict[str, str]) -> Split:
    """Return the numeric columns without roles: results, and others, such as sizes, costs or means, with reasons."""
    declared = vocabulary.with_role(named, "result")
    free = [n for n in profile.numbers if n not in named]
    if declared:
        return Split(results=declared, others=dict.fromkeys(free, "not needed"))
    free = [n for n in free if not (profile[n].counts_up and profile[n].position == 0)]
    others = dict.fromkeys(filter(vocabulary.is_spread, free), "spread")
    others |= dict.fromkeys([n for n in free if profile.completes_keys(n, named)], "counter")
    stated = vocabulary.measure_in_name(profile.stem) or vocabulary.known_cost(profile.stem)
    bounded = "algorithm" not in named.values() and (not stated or vocabulary.is_rate(stated))
    settings = [n for n in free if n not in others and vocabulary.is_setting(n)]
    others |= dict.fromkeys(
        [n for n in settings if not _is_among_fractions(profile, n, free)], "setting"
    )
    candidates = [n for n in free if n not in others]
    others |= dict.fromkeys(_counts_among(profile, candidates), "size")
    candidates = [n for n in candidates if n not in others]
    pairs = enumerate(candidates)  # differences follow the columns they compare
    others |= {
        n: "difference"
        for i, n in pairs
        if profile.is_difference(n) or (i > 1 and _is_difference(profile, n, candidates[:i]))
    }
    core = [
        n
        for n in free
        if not (n in others or vocabulary.is_descriptive(n) or vocabulary.known_cost(n))
    ]
    core = _one_scale(profile, core) if len(core) >= 2 else core
    doubtful, usual = "", set(core)
    limits, middle = (
        (profile.limits_of(core), float(np.nanmedian(np.abs(profile.matrix(core)))))
        if core
        else ((0, 0), 0)
    )
    sized = [n for n in free if others.get(n, "size") == "size"]
    others |= dict.fromkeys(_descriptions(profile, sized, core), "size")
    core = [n for n in core if n not in others]
    for name in free:
        if name in others or (name in usual and not vocabulary.speaks_of_measure(name)):
            continue
        if core and _is_other_measure(profile, name, core):
            others[name] = "other measure"
            continue
        off_scale = bool(core) and _is_apart(profile, name, limits, middle, bounded=bounded)
        is_margin, is_descriptive = _at_margin(profile, name, core), vocabulary.is_descriptive(name)
        if off_scale + is_margin + is_descriptive < 2:
            continue
        follows_sizes = any(
            why == "size" and abs(profile[n].position - profile[name].position) == 1
            for n, why in others.items()
        )
        if off_scale or follows_sizes or profile[name].is_whole or len(core) < 2:
            others[name] = "cost" if vocabulary.known_cost(name) else "size"
        else:
            doubtful = name
    results = [n for n in free if n not in others]
    others |= {n: "sums up" for n in results if _is_summary(profile, n, results)}
    return Split(results=[n for n in results if n not in others], others=others, doubtful=doubtful)


def _descriptions(profile: Profile, names: list[str], core: list[str]) -> list[str]:
    """Return columns next to the results of which most are off their scale; [] if none.

    The results must be on a bounded scale. Descriptions of data sets, such as lengths and ratios, are
    written side by side, so that a ratio among lengths is one of them.
    """
    usual, high = set(core), profile.limits_of(core)[1] if core else 0.0
    scale = 1 if high <= 1 + 1e-9 else 100 if 50 < high <= 100 + 1e-9 else 0
    if not scale or len(usual) < 2:
        return []
    off_scale = [
        n not in usual and float(profile[n].measured.abs().max()) > 1.5 * scale for n in names
    ]
    for ordered, flags in ((names, off_scale), (names[::-1], off_scale[::-1])):
        n_described = _tail(flags)
        described = ordered[len(ordered) - n_described :]
        if 2 <= n_described <= len(names) / 2 and not vocabulary.model_among(described):
            return described
    return []


def _tail(flags: list[bool]) -> int:
    """Return the length of the end of a list that begins with True if most of it is True, else 0.

    Examples
    --------
    >>> _tail([False, False, True, True, False]), _tail([True, False, False, True])
    (3, 0)
    """
    if True not in flags:
        return 0
    end = flags[flags.index(True) :]
    return len(end) if 2 * sum(end) > len(end) else 0


def _counts_among(profile: Profile, names: list[str]) -> list[str]:
    """Return whole-numbered columns among columns with decimals, if off their range or named as sizes; [] if none."""
    counts = [n for n in names if profile[n].is_whole and profile[n].limits[1] > 1]
    others = [n for n in names if n not in counts]
    if len(others) < 2 or len(profile.frame) < 3:
        return []
    numbers = profile.matrix(others)
    if np.mean(numbers[np.isfinite(numbers)] % 1 > 0) < 0.6:
        return []
    low, high = profile.limits_of(others)
    counts = [
        n for n in counts if profile[n].decimals < max(profile[name].decimals for name in others)
    ]
    return [
        n
        for n in counts
        if vocabulary.is_descriptive(n) or not low <= profile[n].values.median() <= high
    ]


def _is_among_fractions(profile: Profile, name: str, neighbors: list[str]) -> bool:
    """Return whether a column named like a setting holds fractions, as its neighbours do."""
    if (
        re.search(r"[./:]|__", name)
        or vocabulary.is_listed(name, "settings")
        or profile[name].is_constant
    ):
        return False
    return all(profile[n].within(0, 1) and not profile[n].is_whole for n in (name, *neighbors))


def _one_scale(profile: Profile, names: list[str]) -> list[str]:
    """Return the columns on one bounded scale if at least two thirds are and some are not whole, else all columns."""
    for low, high in ((0, 1), (-1, 1), (0, 100)):
        inside = [n for n in names if profile[n].within(low, high * (1 + 1e-9))]
        if high == 100 and inside and profile.limits_of(inside)[1] <= 50:
            continue  # there is no sign that these are percentages
        fractions = [n for n in inside if not profile[n].is_whole]
        if 3 * len(inside) >= 2 * len(names) and (fractions or len(inside) == len(names)):
            return inside if fractions else names
    return names


def _is_apart(
    profile: Profile, name: str, limits: tuple[float, float], middle: float, *, bounded: bool
) -> bool:
    """Return whether a column is outside the scale of others, given their limits and median magnitude.

    Errors may be on both sides of 1, so a column with decimals and another name is outside only if
    its median is more than twice theirs or the file names a rate. Unbounded results, such as times,
    have no scale; then only a column named like a size or cost, and larger or smaller by a factor
    of more than 1000, is outside.
    """
    column, is_descriptive = profile[name], vocabulary.is_descriptive(name)
    low, high = limits
    ratio = float(column.values.abs().median()) / middle if middle else np.inf
    scale = 1 if max(-low, high) <= 1 + 1e-9 else 100 if low >= 0 and 50 < high <= 100 + 1e-9 else 0
    if not scale:
        return is_descriptive and not 1e-3 < ratio < 1e3
    is_clear = (
        is_descriptive or ratio > 2 or vocabulary.is_rate(vocabulary.measure_in_name(profile.stem))
    )
    is_clear |= bool(vocabulary.known_cost(name))
    return float(column.measured.abs().max()) > 1.5 * scale and (
        column.is_whole or (bounded and is_clear)
    )


def _is_other_measure(profile: Profile, name: str, core: list[str]) -> bool:
    """Return whether an outer column named after a measure is within [-1, 1], and other columns in `core` above 1."""
    if (
        core == [name]
        or not vocabulary.speaks_of_measure(name)
        or not _at_margin(profile, name, core)
    ):
        return False
    if vocabulary.model_among([name]) or not profile[name].within(-1, 1):
        return False
    return all(profile[n].limits[0] > 1 for n in core if n != name)


def _at_margin(profile: Profile, name: str, core: list[str]) -> bool:
    """Return whether a column is left or right of all columns in `core`, which are in order, or `core` is empty."""
    return (
        not core
        or not profile[core[0]].position < profile[name].position < profile[core[-1]].position
    )


def _about_columns(profile: Profile, split: Split) -> list[LayoutEvidence]:
    """Return evidence for and against columns being algorithms, from headers and scales."""
    evidence = []
    recognized = [
        n for n in split.results if vocabulary.known_measure(n) or vocabulary.is_spread(n)
    ]
    if not vocabulary.measure_in_name(profile.stem):  # else a word such as error is part of a name
        speaking = [
            n
            for n in split.results
            if vocabulary.speaks_of_measure(n) and not vocabulary.model_among([n])
        ]
        measures = list(dict.fromkeys([*recognized, *speaking]))
    else:
        measures = recognized
    if not share_measure(split.results) and (
        2 * len(measures) >= len(split.results) + (not recognized)
    ):
        evidence.append(observed(-2 * STRONG, "measures named", columns=measures[:4]))
    is_settled = all(profile.declared.get(name) == "result" for name in split.results)
    if len(split.results) > 2 and not is_settled and all(map(_NUMBERED.fullmatch, split.results)):
        evidence.append(
            observed(-STRONG, "header counts", first=split.results[0], last=split.results[-1])
        )
    evidence += [
        observed(-STRONG, "truth named", column=n)
        for n in split.results
        if vocabulary.is_true_label(n)
    ]
    spread = profile.magnitudes(split.results)
    if spread <= 3:
        low, high = profile.limits_of(split.results)
        evidence.append(
            observed(STRONG, "one scale", columns=len(split.results), low=low, high=high)
        )
    else:
        evidence.append(observed(-FAIR, "scales apart", columns=split.results[:4]))
    if label := vocabulary.model_among(split.results):
        evidence.append(observed(NAME, "columns named as models", label=label))
    return evidence


def share_measure(names: Sequence[str]) -> str:
    """Return the measure of which all names speak, as "raw_acc" and "tuned_acc"; "" if none.

    Examples
    --------
    >>> share_measure(["Baseline_AUC", "Tuned_AUC"]), share_measure(["macro_f1", "micro_f1"])
    ('auc', '')
    """
    if len(names) < 2 or any(map(vocabulary.known_measure, names)):
        return ""
    kinds = {vocabulary.measure_in_text(" ".join(vocabulary.words_of(name))) for name in names}
    return kinds.pop() if len(kinds) == 1 else ""


def _key(
    profile: Profile, named: dict[str, str], split: Split
) -> tuple[dict[str, str], list[LayoutEvidence], str] | None:
    """Return roles of key columns, evidence, and what rows with equal keys are ("" if unset); None without keys."""
    roles = {n: r for n, r in named.items() if r != "result"}
    roles |= profile.named_folds(roles)
    texts = [n for n in profile.texts if n not in roles]
    folds = [n for n, r in roles.items() if r in ("fold", "repetition")]
    evidence = [observed(NAME, "folds named", column=n) for n in folds if roles[n] == "fold"]
    dataset = vocabulary.with_role(roles, "dataset")
    is_coarse = (
        bool(dataset)
        and dataset[0] not in profile.declared
        and not profile.unique([dataset[0], *folds])
    )
    finer = [
        n
        for n in texts
        if is_coarse and profile.unique([n, *folds]) and profile.determines(n, dataset[0])
    ]
    if finer:  # a coarser column such as "domain" or "type" next to the names of the data sets
        roles[dataset[0]] = "group"
        dataset = finer[:1]
        roles[dataset[0]] = "dataset"
        evidence.append(observed(FAIR, "one unique key", column=dataset[0]))
    elif dataset:
        evidence.append(observed(FAIR, "datasets named", column=dataset[0]))
    else:
        unique = [n for n in texts if profile.unique([n, *folds])]
        dataset = (unique or [n for n in texts if 1 < profile[n].distinct < len(profile.frame)])[:1]
        if not dataset and not folds:
            return None
        roles |= dict.fromkeys(dataset, "dataset")
    for name in texts:
        if name not in roles and dataset and 1 < profile[name].distinct <= FEW:
            roles[name] = "group" if profile.determines(dataset[0], name) else "ignore"
    roles |= _second_part(profile, roles, split)
    keys = _row_keys(roles)
    if profile.unique(keys):
        evidence.append(observed(FAIR, "one unique key", column=keys[0]))
        return roles, evidence, profile.mapping.rows
    sizes = profile.frame.groupby(keys).size()
    precedes_results = profile[keys[0]].position < min(profile[n].position for n in split.results)
    is_long = any(
        profile.unique([*keys, n]) for n in texts if n not in keys and not profile[n].is_unique
    )
    if (
        not folds
        and not is_long
        and precedes_results
        and 1 < int(sizes.min()) == int(sizes.max()) <= 30
    ):
        evidence.append(observed(FAIR, "equal repetition", column=keys[0], n=int(sizes.max())))
        return roles, evidence, profile.mapping.rows or "folds"
    evidence.append(observed(-FAIR, "keys repeat"))
    return roles, evidence, profile.mapping.rows


def _second_part(profile: Profile, roles: dict[str, str], split: Split) -> dict[str, str]:
    """Return the role of the text column that with the data set names every row; {} if none.

    Columns named as measures would rather be those of one row per algorithm.
    """
    keys = _row_keys(roles)
    if profile.declared or profile.unique(keys) or len(split.results) < 3:
        return {}
    if any(map(vocabulary.speaks_of_measure, split.results)):
        return {}
    if len(keys) != 1:
        return {}
    free = [n for n in profile.texts if roles.get(n, "ignore") == "ignore"]
    parts = [n for n in free if not profile[n].is_unique and profile.unique([*keys, n])]
    return dict.fromkeys(parts[:1], "part of dataset")


def _transposed(
    profile: Profile, named: dict[str, str], split: Split, columns_evidence: list[LayoutEvidence]
) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of rows as algorithms and columns as data sets, or the refusal of a single row."""
    key = next(n for n, role in named.items() if role == "algorithm")
    runs = [n for n, role in named.items() if role in ("fold", "repetition")]
    parts = vocabulary.with_role(named, "part of algorithm")
    if "dataset" in named.values() or not profile.unique([key, *parts, *runs]):
        return
    unique = observed(FAIR, "keys unique") if runs else observed(FAIR, "one unique key", column=key)
    evidence = [observed(FAIR, "algorithms named", column=key), unique]
    if len(profile.frame) < 2 and not profile.several and not profile.declared:
        refusal = refusal_of("one row", algorithm=profile.frame[key].iloc[0], key=key)
        yield LayoutHypothesis(
            layout="no results", evidence=(*evidence, *evidence[:1]), refusal=refusal
        )
        return
    yield hypothesis_of(
        profile, dict(named), split, [*evidence, *columns_evidence], "", turned=True
    )


def hypothesis_of(
    profile: Profile,
    roles: dict[str, str],
    split: Split,
    evidence: list[LayoutEvidence],
    rows: str,
    *,
    asks: tuple[Question, ...] = (),
    turned: bool = False,
) -> LayoutHypothesis:
    """Return the hypothesis of a wide or (`turned`) transposed table, with `asks` and questions about its measure."""
    folds = {NUMBERED.get(rows, ""), *roles.values()} & {"fold", "repetition"}
    all_roles = {**profile.ignored, **roles, **dict.fromkeys(split.results, "result")}
    measured = _measure(profile, split, roles)
    measured["asks"] = (*asks, *measured["asks"])
    return LayoutHypothesis(
        layout="transposed table" if turned else "wide folds" if folds else "wide table",
        roles=all_roles,
        reasons={n: role_reason(_why(profile, n, all_roles[n], split)) for n in profile.columns},
        evidence=tuple(evidence),
        rows=rows,
        refusal=_not_one_measure(profile, roles, split),
        **measured,
    )


def _why(profile: Profile, name: str, role: str, split: Split) -> str:
    """Return the message code of the reason for a column's role."""
    if name in profile.declared or name in split.others:
        return split.others[name] if name not in profile.declared else "said"
    by_role = {"result": "sibling", "algorithm": "row labels", "group": "tags"}
    by_role["dataset"] = "unique key" if profile[name].is_unique else "repeated key"
    is_by_name = role != "result" and role == profile.named.get(name)
    return profile.reason(name, "" if is_by_name else by_role.get(role, ""))


def _measure(profile: Profile, split: Split, roles: dict[str, str]) -> dict[str, Any]:
    """Return the hypothesis fields on the measure and its direction, with a question if the direction is unknown."""

    def finding(name: str) -> str:
        low, high = profile.limits_of(split.results)
        texts = {"columns": join_names(split.results, 3), "low": low, "high": high}
        averages = phrase("averages", **_extremes(profile, split, roles))
        return phrase(
            "known measure" if name else "unknown measure", name=name, averages=averages, **texts
        )

    if not _are_ranks(profile, split.results):
        named = _measure_of_names(profile, roles, split)
        is_score = not {"score", "scores"}.isdisjoint(vocabulary.words_of(profile.stem))
        return _measure_fields(
            profile, split.results, named, finding, likely="higher" if is_score else ""
        )
    name, direction = _one_measure(profile, "")
    direction = "lower" if vocabulary.mentions(name, "ranks") else direction
    if direction:
        return {"measure": name or UNNAMED, "directions": {name or UNNAMED: direction}, "asks": ()}
    return {"measure": "rank", "directions": {"rank": "lower"}, "asks": (question_of("ranks"),)}


def _extremes(profile: Profile, split: Split, roles: dict[str, str]) -> dict[str, Any]:
    """Return the algorithms with the highest and the lowest average, for the question."""
    matrix = profile.matrix(split.results)
    rows = vocabulary.with_role(roles, "algorithm")
    if rows:  # one row per algorithm
        means = pd.DataFrame(matrix).groupby(profile.frame[rows[0]].to_numpy()).mean().mean(axis=1)
    else:
        table = pd.DataFrame(matrix, columns=split.results)
        complete = table.dropna()
        means = (complete if len(complete) else table).mean()
    return {"best": means.idxmax(), "worst": means.idxmin()}


def _measure_of_names(profile: Profile, roles: dict[str, str], split: Split) -> str:
    """Return the measure named by the file name, the table's caption or its corner cell, "" if none is."""
    if measure := _declared_measure(profile, split.results):
        return measure
    keys = [n for n, role in roles.items() if role in ("dataset", "fold")]
    return next(
        (recognized[0] for key in keys if (recognized := vocabulary.known_measure(key))), ""
    )


def _are_ranks(profile: Profile, names: list[str]) -> bool:
    """Return whether nearly all complete rows, two or more, are the ranks 1 to k >= 3, ties averaged."""
    matrix = profile.matrix(names)
    complete = matrix[~np.isnan(matrix).any(axis=1)]
    k = len(names)
    if len(complete) < 2 or k < 3:
        return False
    sums = np.isclose(complete.sum(axis=1), k * (k + 1) / 2)
    inside = (complete >= 1) & (complete <= k) & np.isclose(complete * 2, np.round(complete * 2))
    ordered = np.sort(complete, axis=1)
    smallest = ordered[:, 0] <= (k + 1) / 2
    return bool(np.mean(sums & inside.all(axis=1) & smallest) >= 0.95)


def _not_one_measure(profile: Profile, roles: dict[str, str], split: Split) -> NotResults | None:
    """Return a refusal if groups of rows hold values of different measures, else None."""
    matrix = profile.matrix(split.results)
    measure = _declared_measure(profile, split.results)
    if measure and not vocabulary.is_rate(measure):
        return None
    for name in [n for n in vocabulary.with_role(roles, "group") if profile[n].is_text]:
        parts = {
            str(value): matrix[rows] for value, rows in profile.frame.groupby(name).indices.items()
        }
        ranges = {
            value: (np.nanmin(p), np.nanmax(p))
            for value, p in parts.items()
            if not np.isnan(p).all()
        }
        inside = [value for value, (low, high) in ranges.items() if low >= 0 and high <= 1]
        outside = {value: limits for value, limits in ranges.items() if value not in inside}
        within = [bool(np.nanmax(row, initial=0) <= 1) for value in outside for row in parts[value]]
        n_inside = sum(len(parts[value]) for value in inside)
        if (
            not inside
            or not outside
            or ((sum(within) + 1) / (len(within) + 2)) ** n_inside > _BY_CHANCE
        ):
            continue
        low, top = (
            min(low for low, _ in outside.values()),
            max(high for _, high in outside.values()),
        )
        if low >= 0 and top > 1.5 and any(upper_bound(parts[value]) for value in inside):
            names = {"inside_names": join_names(inside), "outside_names": join_names(list(outside))}
            return refusal_of("several measures", name=name, **names, top=float(top))
    return None


def _is_summary(profile: Profile, name: str, results: Sequence[str]) -> bool:
    """Return whether a column summarizes other columns: their mean, or by its name another summary."""
    # an algorithm among others may be half-way between two by chance
    is_outermost, is_named = name in (results[0], results[-1]), vocabulary.names_summary(name)
    others = [n for n in results if n != name] if is_outermost or is_named else []
    unnamed = [n for n in others if not vocabulary.names_summary(n)]
    others = unnamed if len(unnamed) > 1 else others
    if len(others) < 2:
        return False
    if is_outermost and profile.is_mean_of(name, others):
        return True
    if is_outermost and _names_average_of_all(name):
        return True
    return is_named and row_checks.is_statistic(
        profile.matrix([name])[:, 0], profile.matrix(others)
    )


def _names_average_of_all(name: str) -> bool:
    """Return whether a name denotes an average over several data sets, such as "Average on 38 datasets"."""
    first, *others = vocabulary.words_of(name) or ("",)
    of_all = vocabulary.WORDS["averages over"]
    return (
        first in vocabulary.WORDS["averages"]
        and bool(others)
        and all(word in of_all or word.isdigit() for word in others)
    )


def _is_difference(profile: Profile, name: str, earlier: Sequence[str]) -> bool:
    """Return whether a column named as a difference is that, plain or in percent, of two earlier columns."""
    if not vocabulary.WORDS["differences"] & re.findall(r"[^\W\d_]+", name.lower()):
        return False
    numbers = profile.matrix([name])[:, 0]
    for a, b in permutations(profile.matrix(earlier).T, 2):
        with np.errstate(divide="ignore", invalid="ignore"):
            options = (a - b, 100 * (a - b) / b)
        for option in options:
            tolerance = 0.02 * max(1e-9, float(np.nanmax(np.abs(option), initial=0.0)))
            if np.nanmax(np.abs(option - numbers), initial=0.0) <= tolerance:
                return True
    return False


def headers_of(columns: list[str]) -> _Headers:
    """Return both parts of headers that combine names with kinds of numbers, by header; {} for other headers.

    Examples
    --------
    >>> headers_of(["rf~Accuracy", "rf~Kappa", "svm~Accuracy", "svm~Kappa"])["svm~Kappa"]
    ('svm', 'Kappa')
    >>> headers_of(["AUC | rf", "AUC | svm", "F1 | rf", "F1 | svm"])["F1 | svm"]
    ('svm', 'F1')
    >>> headers_of(["random_forest", "naive_bayes"])
    {}
    """
    parts = {name: match.groups() for name in columns if (match := _PARTS.fullmatch(name))}
    if parts and all(vocabulary.known_measure(first) for first, _ in parts.values()):
        parts = {name: (second, first) for name, (first, second) in parts.items()}
    names = {first for first, _ in parts.values()}
    kinds = {second for _, second in parts.values()}
    listed = vocabulary.WORDS["results of headers"] | vocabulary.WORDS["others of headers"]
    are_known = all(
        vocabulary.known_measure(k) or vocabulary.normalized_name(k) in listed for k in kinds
    )
    if not are_known or len(names) < 2 or len(parts) < len(columns):
        return {}
    if 2 * sum(vocabulary.known_measure(name) is not None for name in names) >= len(names):
        return {}  # headers are measures and their spreads
    if set(parts.values()) != {(name, kind) for name in names for kind in kinds}:
        return {}
    return {name: (first, second) for name, (first, second) in parts.items()}


def match_multi_header(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one column per algorithm and measure if headers combine the two."""
    keys = {n: r for n, r in profile.named.items() if r in ("dataset", "repetition", "fold")}
    free = [n for n in profile.numbers if n not in keys and not profile[n].counts_up]
    headers = headers_of(free)
    kinds = list(dict.fromkeys(kind for _, kind in headers.values()))
    results = [
        k
        for k in kinds
        if not vocabulary.is_spread(k) and not vocabulary.is_listed(k, "others of headers")
    ]
    if not headers or vocabulary.names_dates(name for name, _ in headers.values()):
        return  # runs of one algorithm
    if not results or {"measure", "true"} & set(profile.declared.values()):
        return
    if "algorithm" in profile.named.values():
        return  # the headers then cross data sets and measures
    label = next((n for n in profile.texts if n not in keys), "")
    if label and "dataset" not in keys.values() and vocabulary.model_among(profile.frame[label]):
        return  # the rows are algorithms, and the headers cross variants of them with measures
    if "dataset" not in keys.values():
        keys |= dict.fromkeys([n for n in profile.texts if n not in keys][:1], "dataset")
    if not profile.unique(keys):
        return
    columns = [n for n, (_, kind) in headers.items() if kind in results]
    measured: dict[str, Any] = {}
    if not any(map(vocabulary.known_measure, results)):
        finding = phrase("measure of headers", results=results)
        measured = _measure_fields(
            profile, columns, _declared_measure(profile, columns), lambda _: finding
        )
    reasons = {n: role_reason("spread" if vocabulary.is_spread(n) else "not needed") for n in free}
    yield LayoutHypothesis(
        layout="crossed headers",
        roles=profile.ignored | keys | dict.fromkeys(columns, "result"),
        reasons=reasons | dict.fromkeys(columns, role_reason("crossed")),
        evidence=(
            observed(3 * STRONG, "crossed", kinds=join_names(kinds), n=len(headers) // len(kinds)),
            observed(FAIR, "one unique key", column=next(iter(keys))),
        ),
        **measured,
    )


def match_fold_columns(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield hypotheses of one column per resample if headers are numbered from 0 or 1; likelier roles of keys first."""
    numbered, is_usual = _numbered_headers(profile)
    if (
        not numbered
        or _cross_numbers(profile.numbers)
        or {"result", "measure"} & set(profile.declared.values())
        or any(vocabulary.is_listed(n, "items") and profile[n].is_unique for n in profile.columns)
    ):
        return
    declared = "resample" in profile.declared.values()
    keyed = [n for n, role in profile.declared.items() if role in ("dataset", "algorithm")]
    usual = vocabulary.with_role(profile.named, "dataset") + vocabulary.with_role(
        profile.named, "algorithm"
    )
    whole = [n for n in profile.free_numbers if profile[n].is_whole and not profile[n].is_unique]
    likely_keys, numbers = {*usual, *whole}, set(numbered)
    may_be_keys = [n for n in profile.columns if n in likely_keys or not profile[n].is_number]
    candidates = keyed or [n for n in may_be_keys if n not in numbers]
    pairs = combinations([n for n in candidates if not profile[n].is_constant][:4], 2)
    unique: list[tuple[str, ...]] = [(n,) for n in candidates if profile[n].is_unique]
    unique = unique or [pair for pair in pairs if profile.unique(pair)]
    for keys in unique[:1]:
        named = {
            n: r for n, r in profile.named.items() if n in keys and r in ("algorithm", "dataset")
        }
        asks: tuple[Question, ...] = ()
        guesses = [named]
        if len(keys) == 2 and len(set(named.values())) < 2:
            of_algorithms = min(keys, key=lambda name: profile.explained(numbered[0], name))
            orders = (keys, keys[::-1]) if of_algorithms == keys[1] else (keys[::-1], keys)
            guesses = [dict(zip(order, ("dataset", "algorithm"), strict=True)) for order in orders]
            guesses = [guess for guess in guesses if named.items() <= guess.items()]
        elif not named:
            matrix = profile.matrix(numbered)
            differ = np.nanstd(np.nanmean(matrix, axis=1)) > 2 * np.nanmean(
                np.nanstd(matrix, axis=1)
            )
            corner = vocabulary.words_of(keys[0])  # "Resamples:" names the columns
            of_columns = any(
                vocabulary.names_folds([f"{word.removesuffix('s')} 1"]) for word in corner
            )
            likely = (
                ["dataset"]
                if of_columns or profile.several
                else ["algorithm", *["dataset"] * bool(differ)]
            )
            guesses = [dict.fromkeys(keys, role) for role in likely]
        if "algorithm" in guesses[0].values() and not (named and (is_usual or declared)):
            asks = (guessed_roles(guesses[0]),)
        for roles in guesses:
            if not (is_usual or declared or profile.several or "algorithm" in roles.values()):
                continue  # names of algorithms can be numbered, too
            yield _resamples(profile, numbered, roles, asks, is_usual=is_usual or declared)


def _families(headers: Iterable[str]) -> list[dict[str, int]]:
    """Return the numbers of headers that end in a number, by header, grouped by the rest of the header."""
    families: dict[tuple[str, str], dict[str, int]] = {}
    for name in headers:
        if match := re.fullmatch(r"(.*?)(\d+)(\D?)", name):
            families.setdefault((match[1], match[3]), {})[name] = int(match[2])
    return list(families.values())


def _cross_numbers(headers: Sequence[str]) -> bool:
    """Return whether headers cross names with numbers, as noise types with levels do, and name no algorithms."""
    first, *others = [[*family.values()] for family in _families(headers)] or [[]]
    is_complete = bool(others) and len(first) > 1 and len(first) * (len(others) + 1) == len(headers)
    return (
        is_complete
        and all(other == first for other in others)
        and not vocabulary.model_among(headers)
    )


def _numbered_headers(profile: Profile) -> tuple[list[str], bool]:
    """Return three or more columns numbered from 0 or 1, else [], and whether they are named as folds usually are."""
    for family in _families(profile.numbers):
        first, *_ = numbers = list(family.values())
        if (
            len(numbers) >= 3
            and first in (0, 1)
            and numbers == list(range(first, first + len(numbers)))
        ):
            return list(family), all(map(_NUMBERED.fullmatch, family))
    return [], False


def _resamples(
    profile: Profile,
    numbered: list[str],
    keys: dict[str, str],
    asks: tuple[Question, ...],
    *,
    is_usual: bool,
) -> LayoutHypothesis:
    """Return the hypothesis of one column per resample, with roles of the keys."""
    evidence = [
        observed(
            STRONG + (FAIR if is_usual else NAME),
            "header counts",
            first=numbered[0],
            last=numbered[-1],
        ),
        observed(FAIR * len(keys), "one unique key", column=next(iter(keys))),
    ]
    if file_measure := vocabulary.measure_in_name(profile.stem):
        evidence.append(observed(NAME, "one measure in file name", measure=file_measure))
    refusal = None
    if "algorithm" not in keys.values() and not profile.several:
        texts = {"name": vocabulary.without_measure(profile.stem), "named": bool(file_measure)}
        refusal = refusal_of(
            "one algorithm", **texts, n_rows=len(profile.frame), resamples=len(numbered)
        )
    finding = phrase("measure of resamples", n=len(numbered))
    measured = _measure_fields(
        profile, numbered, _declared_measure(profile, numbered), lambda _: finding
    )
    return LayoutHypothesis(
        layout="resamples",
        roles=profile.ignored | keys | dict.fromkeys(numbered, "resample"),
        reasons={
            **dict.fromkeys(keys, role_reason("row labels")),
            **dict.fromkeys(numbered, role_reason("resample")),
        },
        evidence=tuple(evidence),
        refusal=refusal,
        **{**measured, "asks": (*asks, *measured["asks"])},
    )


def match_grid_search(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of one row per candidate and one column per split, as in scikit-learn's cv_results_."""
    splits = [name for name in profile.numbers if SPLIT.fullmatch(name)]
    if len(splits) < 2:
        return
    roles = profile.ignored | dict.fromkeys(splits, "resample")
    names = vocabulary.with_role(profile.named, "algorithm")
    names = names or [n for n in profile.columns if n == "params"]
    roles |= dict.fromkeys(names[:1], "algorithm")
    yield LayoutHypothesis(
        layout="grid search",
        roles=roles,
        reasons=dict.fromkeys(splits, role_reason("column of a split")),
        evidence=(observed(3 * STRONG, "columns of splits", columns=len(splits)),),
    )


def _declared_measure(profile: Profile, results: list[str]) -> str:
    """Return the measure or time named by the file name or the table title, "" if there is none.

    A title with a rate that does not fit the numbers is ignored; names of opposite directions give
    "".
    """
    by_file, by_title = (
        vocabulary.measure_in_name(profile.stem),
        vocabulary.measure_in_text(profile.table.title),
    )
    if by_title and vocabulary.is_rate(by_title):
        low, high = profile.limits_of(results)
        by_title = by_title if low >= 0 and high <= 100 * (1 + 1e-9) else ""
    if (
        by_file
        and by_title
        and vocabulary.direction_of(by_file) != vocabulary.direction_of(by_title)
    ):
        return ""
    if by_file or by_title:
        return by_file or by_title
    if re.search(r"(^|[_\s\-.])(time|times|runtime|duration)s?($|[_\s\-.])", profile.stem, re.I):
        return "time"
    if vocabulary.mentions(profile.stem, "times") and vocabulary.known_cost(profile.stem):
        return profile.stem
    return ""


def _one_measure(profile: Profile, named: str) -> tuple[str, str]:
    """Return name and direction of a table's only measure, "" where unknown.

    The user's settings take precedence over the table and are not respelled.
    """
    mapping = profile.mapping
    name = mapping.measure_name or named
    if not name and len(mapping.directions) == 1:
        name = next(iter(mapping.directions))
    direction = mapping.direction_of(name)
    bare_name, declared = vocabulary.split_declared_role(name)
    return (bare_name if declared in ("lower", "higher") else name), direction


def _measure_fields(
    profile: Profile,
    columns: list[str],
    named: str,
    finding: Callable[[str], str],
    *,
    likely: str = "",
) -> dict[str, Any]:
    """Return hypothesis fields on the measure: name, direction, question and notes.

    An unknown direction is guessed from the scale, else `likely` is used; `finding` returns a
    sentence on the table, given the name of the measure.
    """
    name, direction = _one_measure(profile, named)
    asks: tuple[Question, ...] = ()
    if not direction:
        direction = "higher" if upper_bound(profile.matrix(columns)) else likely
        values = {"name": name, "found": finding(name)}
        asks = (question_of("direction", **values) if name else question_of("measure", **values),)
    measure = name or UNNAMED
    title = profile.table.title
    is_in_title = (
        bool(name)
        and not profile.mapping.measure_name
        and not vocabulary.measure_in_name(profile.stem)
    )
    notes = is_in_title and vocabulary.measure_in_text(title) == name
    return {
        "measure": measure,
        "directions": {measure: direction} if direction else {},
        "asks": asks,
        "notes": (message("measure in title", title=title, measure=name),) if notes else (),
    }
