"""Layout with one row per result: fold scores and confusion counts."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pandas as pd

from stats_core.core.messages import Message, message
from stats_core.data.measures import COUNTS
from stats_core.io import vocabulary
from stats_core.io.mapping import possible_rows
from stats_core.io.problems import (
    NotResults,
    Question,
    guessed_roles,
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
)

_KEYS = ("dataset", "algorithm", "repetition", "fold", "part of dataset", "part of algorithm")
_ALIKE = 2 / 3  # correlation of a measure with one of known direction that implies its direction


def match_long_table(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield hypotheses of one row per result, as far as keys and measures can be found."""
    named, notes = _settle_repetition(profile)
    if {"true", "result", "resample"} & set(named.values()):
        return
    runs = [
        n for n, role in named.items() if role in ("fold", "repetition") and profile[n].is_unique
    ]
    is_single = any(profile[n].is_constant for n in vocabulary.with_role(named, "algorithm"))
    loose = [
        n
        for n in runs
        if not (profile.several or is_single or n in profile.declared or profile[n].numbers_rows)
    ]
    named = {
        n: role for n, role in named.items() if n not in loose
    }  # such as a random seed of every run
    named |= profile.named_folds(named)
    named |= _finer_sets(profile, named)
    for likely in _factorizations(profile, named) or _guess_names(profile, named):
        guess = _dates_as_folds(profile, named, likely)
        counted = vocabulary.with_role(likely, "fold")
        certain = {n: r for n, r in guess.items() if n in counted}
        certain |= {n: r for n, r in guess.items() if _is_certain(profile, named, n, r)}
        unnamed = {n: role for n, role in guess.items() if n not in certain}
        noted = [message("column counts folds", column=n) for n in counted]
        for hypothesis in _hypothesis(profile, named | certain, unnamed, [*notes, *noted]):
            yield hypothesis
            yield from _as_fold(profile, hypothesis)


def _dates_as_folds(
    profile: Profile, named: dict[str, str], guess: dict[str, str]
) -> dict[str, str]:
    """Return guessed roles with dates as folds (windows of one series), unless folds are known."""
    if _has_folds(named) or "fold" in guess.values():
        return guess
    dates = [
        n
        for n in vocabulary.with_role(guess, "dataset")
        if profile[n].is_text and vocabulary.names_dates(profile.frame[n])
    ]
    return guess | dict.fromkeys(dates, "fold")


def _as_fold(profile: Profile, hypothesis: LayoutHypothesis) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis that a counter is the fold instead of a part of names, such as "k" from 1 to 5."""
    if profile.declared or _has_folds(dict(hypothesis.roles)):
        return
    parts = [n for n, role in hypothesis.roles.items() if role.startswith("part of")]
    sets = [n for n, role in hypothesis.roles.items() if role.endswith("dataset")]
    counters = [
        n for n in dict.fromkeys([*parts, *(sets if len(sets) > 1 else [])]) if profile[n].restarts
    ]
    if len(parts) == len(counters) == 1:
        named = dict.fromkeys([n for n in sets if n not in counters][:1], "dataset")
        yield replace(hypothesis, roles={**hypothesis.roles, **named, counters[0]: "fold"})


def _is_certain(profile: Profile, named: dict[str, str], name: str, role: str) -> bool:
    """Return whether a guessed text column surely names data sets, as another column names the algorithms."""
    is_text = (
        profile[name].is_text
        and name.strip()
        and not vocabulary.mentions(name, "variants", "levels")
    )
    return bool(role == "dataset" and is_text and "algorithm" in named.values())


def _factorizations(profile: Profile, named: dict[str, str]) -> list[dict[str, str]]:
    """Return roles of unnamed columns by which each algorithm has one row per data set and fold; [] if none fit.

    The best fit comes first: few combinations are missing, and the fewest columns are needed.
    Algorithms and data sets that could be exchanged give two assignments. Nothing is guessed, [],
    if the user set roles.
    """
    if profile.declared:
        return []
    n, keys = len(profile.frame), {role: vocabulary.with_role(named, role) for role in _KEYS}
    columns = [n for n in (*profile.texts, *profile.numbers) if _may_be_key(profile, named, n)]
    counters = [
        name for name in columns if profile[name].restarts and not vocabulary.means_no_fold(name)
    ]
    counters = [] if _texts_suffice(profile, named) else counters
    names = [name for name in columns if name not in counters]
    of_file = [""] if profile.several else []
    algorithms = (
        keys["algorithm"] and [""] or [name for name in names if profile[name].is_text] + of_file
    )
    is_complete = profile.unique(_keys(named))  # no number is needed, such as the size of a fold
    datasets = (
        keys["dataset"]
        and [""]
        or [n for n in names if profile[n].is_text or not is_complete] + of_file
    )
    folds = [""] if _has_folds(named) else ["", *counters]
    fitting: list[tuple[float, dict[str, str]]] = []
    for fold, dataset, algorithm in product(folds, datasets, algorithms):
        guess = {
            name: role
            for name, role in ((dataset, "dataset"), (algorithm, "algorithm"), (fold, "fold"))
            if name
        }
        units = [
            n for role in ("dataset", "part of dataset", "fold", "repetition") for n in keys[role]
        ]
        units += filter(None, (dataset, fold))
        compared = [*keys["algorithm"], *keys["part of algorithm"], *filter(None, [algorithm])]
        if (
            len(guess) < sum(map(bool, (dataset, algorithm, fold)))
            or not guess
            or not (units or profile.several)
        ):
            continue
        n_units, n_compared = (profile.distinct_rows(k) if k else 1 for k in (units, compared))
        fill = n / (n_units * n_compared)
        is_crossed = n_units > 1 and (n_compared > 1 or profile.several)
        if 0.6 < fill <= 1 and is_crossed and profile.unique([*units, *compared]):
            fitting.append((round(fill, 1) - 0.2 * bool(fold), guess))
    best = max((fit for fit, _ in fitting), default=0)
    likely = [guess for fit, guess in fitting if fit == best]
    exchanged = (
        [g for g in likely if set(g) == set(likely[0]) and g != likely[0]][:1] if likely else []
    )
    if exchanged and _most_like_models(profile, list(likely[0])) != vocabulary.first_with_role(
        likely[0], "algorithm"
    ):
        return [*exchanged, likely[0]]
    return [*likely[:1], *exchanged]


def _texts_suffice(profile: Profile, named: dict[str, str]) -> bool:
    """Return whether text columns that may be keys exist and, with the known keys, identify every row."""
    texts = [name for name in profile.texts if _may_be_key(profile, named, name)]
    return bool(texts) and profile.unique([*_keys(named), *texts])


def _may_be_key(profile: Profile, named: dict[str, str], name: str) -> bool:
    """Return whether a column without a role has repeated texts or whole numbers, as keys have.

    A column that only renames the folds, such as the date of each window, is no key.
    """
    column = profile[name]
    folds = [*vocabulary.with_role(named, "fold"), *vocabulary.with_role(named, "repetition")]
    if any(profile.determines(n, name) and profile.determines(name, n) for n in folds):
        return False
    if name in named or not 2 <= column.distinct <= len(profile.frame) / 2 or column.has_blanks:
        return False
    if (
        vocabulary.is_bookkeeping(name)
        or vocabulary.is_setting(name)
        or vocabulary.known_cost(name)
    ):
        return False
    return column.is_text or (column.is_whole and not vocabulary.names_measure(name))


def _hypothesis(
    profile: Profile, named: dict[str, str], unnamed: dict[str, str], notes: list[Message]
) -> Iterator[LayoutHypothesis]:
    """Yield hypotheses of one row per result, with guessed keys; `named` is completed in place."""
    counts = set(COUNTS) <= set(named.values())
    roles = {**named, **unnamed}
    has_algorithms = profile.several or "algorithm" in roles.values()
    may_count = has_algorithms and not (_has_folds(roles) or _texts_suffice(profile, roles))
    if may_count and (counter := profile.counter_of_folds(roles, _keys(roles))):
        named[counter] = "fold"
        notes = [*notes, message("column counts folds", column=counter)]
    measures = _measures(profile, {**named, **unnamed})
    guessed_measures = (
        [] if counts or measures else _unnamed_measures(profile, {**named, **unnamed})
    )
    if not (counts or measures or guessed_measures or (profile.several and profile.costs)):
        return
    named |= unnamed
    measures = measures or guessed_measures
    if not {"algorithm", "dataset"} & set(named.values()) and not profile.several:
        return
    keys = _keys(named)
    parts = [] if profile.unique(keys) else _parting(profile, named, measures)
    n_rows = _equal_rows(profile, named, parts)
    part_roles = _roles_of_parts(profile, named, parts)
    sets = {role.removeprefix("part of ") for role in (*named.values(), *part_roles.values())}
    if measures:
        of_time = [n for n in profile.costs if n not in named and vocabulary.mentions(n, "times")]
        compared = _not_given_by_units(profile, {**named, **part_roles}, measures)
        measures = compared or of_time or measures
    answers = possible_rows(profile.mapping, n_rows, keys=sets) if n_rows else []
    asks = [
        *(_ask_names(profile, unnamed, guessed_measures) if unnamed else []),
        *_ask_parts(part_roles),
        *([question_of("rows as folds", n=n_rows, sets="dataset" in sets)] if answers else []),
    ]
    directions, undirected = _directions(profile, named, measures)
    asks += [question_of("direction of a measure", measure=name) for name in undirected]
    roles = {**named, **dict.fromkeys(measures, "measure"), **part_roles}
    roles |= dict.fromkeys([name for name in profile.costs if name not in roles], "cost")
    times = (
        measures
        if len(measures) > 1 and set(measures) <= set(profile.costs) and not profile.declared
        else []
    )
    if times:
        asks = [*_ask_names(profile, {}, times), *asks]
    hypothesis = LayoutHypothesis(
        layout="confusion counts" if counts else "fold scores",
        roles={**profile.ignored, **roles},
        reasons={name: role_reason(profile.reason(name)) for name in profile.columns},
        evidence=tuple(_evidence(profile, named, measures, unique=profile.unique([*keys, *parts]))),
        directions=directions,
        rows=profile.mapping.rows,
        asks=tuple(asks),
        refusal=_one_number_each(profile, named, measures, counts),
        notes=tuple(notes),
    )
    for rows in answers or [profile.mapping.rows]:
        yield replace(hypothesis, rows=rows)
    for name in times:  # the only measure, next to costs
        others = dict.fromkeys([other for other in times if other != name], "cost")
        yield replace(hypothesis, roles={**hypothesis.roles, **others})


def _directions(
    profile: Profile, named: dict[str, str], measures: list[str]
) -> tuple[dict[str, str], list[str]]:
    """Return the known or guessed directions of measures, and the measures to ask about."""
    mapping = profile.mapping
    is_directed = (
        len(measures) == 1 and mapping.measure_name and mapping.direction_of(mapping.measure_name)
    )
    by_name = {name: mapping.direction_of(name) for name in measures}
    by_name |= {n: "higher" for n in measures if not by_name[n] and _is_outcome(profile, n)}
    undirected = [] if is_directed else [name for name in measures if not by_name[name]]
    directed = {name: by_name[name] for name in measures if name not in undirected}
    guessed = {name: direction_like(profile, named, name, directed) for name in undirected}
    outcomes = {n: way for n, way in directed.items() if way and not mapping.direction_of(n)}
    directions = {name: way for name, way in guessed.items() if way}
    return {**outcomes, **directions, **mapping.directions}, undirected


def _not_given_by_units(profile: Profile, roles: dict[str, str], measures: list[str]) -> list[str]:
    """Return the measures without unknown ones that are the same for all algorithms."""
    units = [n for n, role in roles.items() if role in _KEYS and not role.endswith("algorithm")]
    n_units = profile.distinct_rows(units) if units else 1
    if not units or n_units == len(profile.frame):
        return measures
    return [
        name
        for name in measures
        if name in profile.measures
        or name in profile.declared
        or profile.distinct_rows([*units, name]) > n_units
    ]


def direction_like(
    profile: Profile, named: dict[str, str], name: str, directed: dict[str, str]
) -> str:
    """Return the direction of a measure by its name or correlation with known measures on the data sets, else ""."""
    if vocabulary.mentions(name, "scores"):
        return "higher"
    if not directed or len(profile.frame) < 10:
        return ""
    table = pd.DataFrame(profile.matrix([name, *directed])).rank()
    if sets := vocabulary.with_role(named, "dataset"):
        table -= table.groupby(profile.frame[sets[0]].to_numpy()).transform("mean")
    likeness = table.corr(min_periods=10)[0].iloc[1:].fillna(0.0)
    best = int(likeness.abs().to_numpy().argmax())
    if abs(likeness.iloc[best]) < _ALIKE:
        return ""
    way = list(directed.values())[best]
    return way if likeness.iloc[best] > 0 else {"higher": "lower", "lower": "higher"}[way]


def _keys(named: dict[str, str]) -> list[str]:
    return [name for name, role in named.items() if role in _KEYS]


def _has_folds(named: dict[str, str]) -> bool:
    return not {"fold", "repetition"}.isdisjoint(named.values())


def _guess_names(profile: Profile, named: dict[str, str]) -> list[dict[str, str]]:
    """Return guessed roles of a column of algorithms or, in one of several files, of rows; [{}] if there is none."""
    if profile.several and all(
        profile[n].is_constant for n in vocabulary.with_role(named, "algorithm")
    ):
        return _guess_rows_of_file(profile, named)
    if "algorithm" in named.values():
        return [{}]
    free = [name for name in profile.texts if name not in named]
    sets = vocabulary.with_role(named, "dataset")
    texts = [n for n in free if not (vocabulary.known_measure(n) or vocabulary.is_bookkeeping(n))]
    texts = [
        n
        for n in texts
        if profile[n].distinct > 1 and not any(profile.determines(key, n) for key in sets)
    ]
    if {"dataset", "fold", "repetition"} & set(named.values()) and len(profile.frame) > 2:
        texts = [name for name in texts if not profile[name].is_unique]
    constant = [
        n
        for n in free
        if profile[n].is_constant and vocabulary.model_among(profile.frame[n].head(1))
    ]
    if constant:
        return [{constant[0]: "algorithm"} if "dataset" in named.values() else {}]
    repeated = [name for name in texts if 2 * profile[name].distinct <= len(profile.frame)]
    keyed = [name for name in texts if profile.unique([*_keys(named), name])]
    if repeated:
        return [{_most_like_models(profile, repeated): "algorithm"}]
    return [dict.fromkeys([*keyed, *texts][:1], "algorithm")]


def _guess_rows_of_file(profile: Profile, named: dict[str, str]) -> list[dict[str, str]]:
    """Return guessed roles of a column that names the rows of one of several files, likelier first; [{}] if none."""
    if set(named.values()) & {"dataset", "fold", "repetition"} or len(profile.frame) < 2:
        return [{}]
    free = [n for n in profile.texts if n not in named and not vocabulary.is_bookkeeping(n)]
    numbers = [
        n
        for n in profile.numbers
        if n not in named and profile[n].is_whole and not profile[n].numbers_rows
    ]
    texts = [n for n in [*free, *numbers] if profile[n].is_unique]
    constant = [n for n in free if profile[n].is_constant and vocabulary.mentions(n, "algorithms")]
    if not texts:
        return [{}]
    name = texts[0]
    if len(constant) == 1:
        return [{name: "dataset", constant[0]: "algorithm"}]
    if vocabulary.names_dates(profile.frame[name]):
        return [{name: "repetition"}]
    are_models = vocabulary.model_among(profile.frame[name]) or vocabulary.mentions(
        name, "algorithms"
    )
    return [{name: role} for role in sorted(("algorithm", "dataset"), reverse=not are_models)]


def _most_like_models(profile: Profile, names: list[str]) -> str:
    """Return the column most likely to name algorithms; else the one whose values explain the results least."""
    for is_model_column in (
        lambda n: vocabulary.model_among(profile.frame[n]),
        lambda n: vocabulary.mentions(n, "algorithms", "variants"),
    ):
        if matching := [n for n in names if is_model_column(n)]:
            return matching[0]
    results = profile.measures or profile.results_by({})
    if not results:
        return names[-1]
    return min(names, key=lambda name: profile.explained(results[0], name))


def _finer_sets(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Return roles with a finer column as data set if it subdivides the column named "dataset", else {}.

    If every "series" belongs to one "archive", series are the data sets and archives their groups.
    """
    coarse = vocabulary.with_role(named, "dataset")
    if not coarse or profile.declared or profile.unique(_keys(named)):
        return {}
    most = min(2 * len(profile.frame) / 3, len(profile.frame) - 1)
    for name in profile.texts:
        if name in named or not profile[coarse[0]].distinct < profile[name].distinct <= most:
            continue
        if profile.determines(name, coarse[0]) and not _is_about_algorithms(profile, named, name):
            return {coarse[0]: "group", name: "dataset"}
    return {}


def _is_about_algorithms(profile: Profile, named: dict[str, str], name: str) -> bool:
    """Return whether a column names models or variants, or whether each of its values belongs to one algorithm."""
    if vocabulary.mentions(name, "algorithms", "variants") or vocabulary.model_among(
        profile.frame[name].unique()
    ):
        return True
    return any(profile.determines(name, key) for key in vocabulary.with_role(named, "algorithm"))


def _unnamed_measures(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return columns that may hold unnamed measures; [] if keys are incomplete or the columns are rather algorithms."""
    results = profile.results_by(named) if "algorithm" in named.values() else []
    means = [n for n in {*results[:1], *results[-1:]} if profile.is_mean_of(n, results)]
    results = [n for n in results if n not in means]
    are_numbered = len({re.sub(r"\d+", "", name) for name in results}) == 1
    named_keys = {"algorithm", "dataset"} & set(profile.named.values())
    side_by_side = len(results) > 2 and "algorithm" not in named_keys
    if len(results) > 1 and (are_numbered or side_by_side or not named_keys):
        return []  # rather algorithms or folds
    keys = _keys(named)
    parts = [] if profile.unique(keys) else _parting(profile, named, results)
    is_keyed = bool(set(named.values()) & {"dataset", "fold"} or parts)
    return results if is_keyed and profile.unique([*keys, *parts]) else []


def _ask_names(profile: Profile, unnamed: dict[str, str], likely: list[str]) -> list[Question]:
    """Return a list of one question about all columns whose roles were guessed, [] if there are none."""
    roles = unnamed | dict.fromkeys(likely, "measure")
    if profile.several and list(roles.values()) in (["algorithm"], ["dataset"]):
        return [question_of("files or rows", name=next(iter(roles)))]
    return [guessed_roles(roles)] if roles else []


def _ask_parts(roles: dict[str, str]) -> Iterator[Question]:
    """Yield a question about the further columns of names of algorithms, and one about those of data sets, if any."""
    for kind in ("algorithm", "dataset"):
        if parts := [name for name, role in roles.items() if role.endswith(kind)]:
            yield question_of(f"parts of keys: {roles[parts[0]]}", parts=parts)


def _measures(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return the measures: set or named columns and unknown results, else the first score, else times, else []."""
    declared = vocabulary.with_role(profile.declared, "measure")
    declared += [n for n in profile.mapping.directions if n in profile.numbers and n not in named]
    recognized = [
        n
        for n in profile.measures
        if not (n in named or n in profile.declared or profile.is_difference(n))
    ]
    outcomes = [] if declared else [n for n in profile.numbers if _is_outcome(profile, n)]
    measures = [n for n in profile.columns if n in {*declared, *recognized, *outcomes}]
    if measures:
        repeated = [n for n in vocabulary.with_role(named, "algorithm") if not profile[n].is_unique]
        has_algorithms = bool(repeated) or profile.several
        unknown = profile.results_by(named, measures) if has_algorithms and not declared else []
        return [n for n in profile.columns if n in measures or n in unknown]
    scores = [n for n in profile.numbers if n not in named and vocabulary.is_listed(n, "scores")]
    has_algorithms = profile.several or "algorithm" in named.values()
    if (
        scores
        or not has_algorithms
        or set(COUNTS) <= set(named.values())
        or profile.results_by(named)
    ):
        return scores[:1]
    return [n for n in profile.costs if n not in named and vocabulary.mentions(n, "times")]


def _is_outcome(profile: Profile, name: str) -> bool:
    """Return whether a column says by 1 and 0 or true and false whether something was solved."""
    return profile[name].holds_marks and vocabulary.mentions(name, "right answers")


def _evidence(
    profile: Profile, named: dict, measures: list[str], *, unique: bool
) -> Iterator[LayoutEvidence]:
    """Yield the evidence for and against one row per result."""
    counts = set(COUNTS) <= set(named.values())
    if counts:
        yield observed(2 * STRONG, "counts")
    numbers = [
        n
        for n in profile.numbers
        if n not in (*named, *profile.costs) and not vocabulary.is_setting(n)
    ]
    has_keys = {"dataset", "algorithm"} <= set(named.values()) or profile.several
    unnamed = "algorithm" not in named.values()
    if not has_keys and 2 * len(measures) < len(numbers) + unnamed and not profile.declared:
        yield observed(-STRONG, "columns unused", columns=numbers[:4])
    for name in vocabulary.with_role(named, "algorithm"):
        yield observed(FAIR, "algorithms named", column=name)
        if profile[name].is_text and not profile[name].is_unique and not profile[name].is_constant:
            yield observed(NAME, "algorithms repeat", column=name, n=profile[name].distinct)
    if "algorithm" not in named.values() and profile.several:
        yield observed(NAME, "one file each")
    for role in ("dataset", "fold"):
        for name in vocabulary.with_role(named, role):
            yield observed(NAME, f"{role}s named", column=name)
    recognized = [n for n in measures if n in profile.measures or n in profile.declared]
    has_named_rows = not {"algorithm", "fold"}.isdisjoint(profile.named.values())
    if (
        2 * len(recognized) < len(measures)
        and (recognized or not has_named_rows)  # else unknown measures, or times
        and not has_keys
        and profile.magnitudes(measures) < 1
    ):
        low, high = profile.limits_of(
            measures
        )  # rather algorithms, of which some are named like a measure
        yield observed(-FAIR, "one scale", columns=len(measures), low=low, high=high)
    elif measures:
        yield observed(FAIR, "measures named", columns=measures)
    yield observed(FAIR, "keys unique") if unique else observed(-NAME, "keys repeat")


def _parting(profile: Profile, named: dict[str, str], measures: list[str]) -> list[str]:
    """Return columns that make keys unique, texts first; else one that splits rows evenly; [] if none."""
    free = [
        name
        for name in profile.columns
        if name not in (*named, *measures) and _may_part(profile, name)
    ]
    crossed = [
        n
        for n in free
        if profile.unique([*_keys(named), n]) and profile.crosses([*_keys(named), n])
    ]
    if crossed:
        return crossed[:1]
    for candidates in ([name for name in free if profile[name].is_text], free):
        if not profile.unique([*_keys(named), *candidates]):
            continue
        needed = next(
            ([name] for name in candidates if profile.unique([*_keys(named), name])), candidates
        )
        for name in sorted(needed, key=lambda n: (profile[n].is_text, -profile[n].distinct)):
            fewer = [other for other in needed if other != name]
            needed = fewer if fewer and profile.unique([*_keys(named), *fewer]) else needed
        return needed
    return _parting_evenly(profile, named, free)


def _may_part(profile: Profile, name: str) -> bool:
    """Return whether a column may be a further key: repeated texts, or numbers of few values, as levels have."""
    column = profile[name]
    if (
        column.distinct < 2
        or column.is_unique
        or 3 * column.distinct > max(6, 2 * int((column.texts != "").sum()))
    ):
        return False  # rows that share no value cannot be compared
    if (
        name in profile.costs and column.values.value_counts().nunique() > 1
    ):  # no level that was varied on purpose
        return False
    if vocabulary.is_spread(name) or vocabulary.is_bookkeeping(name):
        return False
    are_levels = column.distinct <= 50 and (
        column.is_whole or 2 * column.distinct <= len(profile.frame)
    )
    return column.is_text or (are_levels and not vocabulary.names_measure(name))


def _parting_evenly(profile: Profile, named: dict[str, str], free: list[str]) -> list[str]:
    """Return a list of the text column that splits the rows of every key into equally large groups, [] if none does.

    The rows within each group may then be the folds, which would be mixed otherwise.
    """
    keys = [] if _has_folds(named) else _keys(named)
    texts = [name for name in free if profile[name].is_text and profile[name].distinct <= FEW]
    for name in texts if keys else ():
        sizes = profile.frame.groupby([*keys, name]).size()
        groups = profile.frame.groupby(keys)[name].nunique()
        if (
            groups.eq(profile[name].distinct).all()
            and 2 <= int(sizes.min()) == int(sizes.max()) <= 100
        ):
            return [name]
    return []


def _roles_of_parts(profile: Profile, named: dict, parts: list[str]) -> dict[str, str]:
    """Return roles of further key columns as parts of algorithm or data set, so that few combinations are empty."""
    algorithm, dataset = (
        vocabulary.with_role(named, "algorithm")[:1],
        vocabulary.with_role(named, "dataset")[:1],
    )
    if not parts:
        return {}
    variants = (
        [name for name in parts if _is_about_algorithms(profile, named, name)] if algorithm else []
    )
    if 0 < len(variants) < len(parts):
        roles = dict.fromkeys(variants, "part of algorithm")
        return roles | _roles_of_parts(
            profile, named | roles, [name for name in parts if name not in variants]
        )

    def n(*names: str) -> int:
        return profile.distinct_rows(names)

    algorithm += vocabulary.with_role(named, "part of algorithm")
    if not dataset:
        # slow algorithms may lack large sizes
        least = 0.6 if all(profile[name].is_number for name in parts) else 0.9
        mostly_crossed = n(*algorithm, *parts) >= least * n(*parts) * (
            n(*algorithm) if algorithm else 1
        )
        if not mostly_crossed:
            return dict.fromkeys(parts, "part of algorithm")
        return {**dict.fromkeys(parts, "part of dataset"), parts[0]: "dataset"}
    if not algorithm:
        return dict.fromkeys(parts, "part of dataset")
    all_cells = n(*dataset, *algorithm, *parts)
    to_algorithm = n(*dataset) * n(*algorithm, *parts) - all_cells  # empty cells
    to_dataset = n(*dataset, *parts) * n(*algorithm) - all_cells
    # such as noise levels, sizes or budgets
    has_levels = any(profile[name].is_number for name in parts)
    fits_algorithm = to_algorithm < 0.8 * to_dataset if has_levels else to_algorithm <= to_dataset
    role = "part of algorithm" if fits_algorithm and n(*parts) <= FEW else "part of dataset"
    return dict.fromkeys(parts, role)


def _equal_rows(profile: Profile, named: dict, parts: list[str]) -> int:
    """Return the number of rows of every key, 0 if it varies or is 1.

    It is also 0 if the user states what the rows are, if a column numbers folds, or if complete
    rows are equal.
    """
    keys = [*_keys(named), *parts]
    if (
        profile.mapping.rows
        or _has_folds(named)
        or profile.unique(keys)
        or profile.frame.duplicated().any()
    ):
        return 0
    sizes = profile.frame.groupby(keys).size() if keys else pd.Series([len(profile.frame)])
    return int(sizes.min()) if 2 <= int(sizes.min()) == int(sizes.max()) else 0


def _one_number_each(
    profile: Profile, named: dict, measures: list[str], counts: bool
) -> NotResults | None:
    """Return a refusal if there is a single number per algorithm and measure, else None."""
    algorithm = vocabulary.with_role(named, "algorithm")
    if profile.several or profile.declared or counts or not algorithm:
        return None
    if set(named.values()) & {"dataset", "fold", "repetition"} or not profile.unique(algorithm):
        return None
    return refusal_of(
        "one number per algorithm",
        unit=vocabulary.normalized_name(algorithm[0]) or "algorithm",
        n_rows=len(profile.frame),
        measures=measures,
    )


def _settle_repetition(profile: Profile) -> tuple[dict[str, str], list[Message]]:
    """Return the roles, in which a column such as "seed" is the repetition only if keys need it, and notes."""
    roles, declared = dict(profile.named), profile.declared
    if (
        "algorithm" not in roles.values()
        or "repetition" in declared.values()
        or "true" in roles.values()
    ):
        return roles, []
    for loose in filter(_is_loose, vocabulary.with_role(roles, "repetition")):
        roles_without = {name: role for name, role in roles.items() if name != loose}
        if profile.unique(_keys(roles_without)) and not _shared(profile, roles_without, loose):
            return roles_without, [message("column parts algorithms", column=loose)]
    if "repetition" in roles.values() or profile.unique(_keys(roles)):
        return roles, []
    for name in [
        name for name in profile.columns if name not in (*roles, *declared) and _is_loose(name)
    ]:
        if profile.unique([*_keys(roles), name]) and _shared(profile, roles, name):
            return {**roles, name: "repetition"}, [
                message("column numbers repetitions", column=name)
            ]
    return roles, []


def _shared(profile: Profile, roles: dict[str, str], column: str) -> bool:
    """Return whether two algorithms share a value of a column within any fold."""
    keys = [*(name for name in _keys(roles) if not roles[name].endswith("algorithm")), column]
    algorithm = vocabulary.first_with_role(roles, "algorithm")
    return profile.distinct_rows([*keys, algorithm]) > profile.distinct_rows(keys)


def _is_loose(name: str) -> bool:
    """Return whether a column may number repetitions or be irrelevant to the pairing."""
    return vocabulary.is_listed(name, "runs") or vocabulary.normalized_name(name) == "split"
