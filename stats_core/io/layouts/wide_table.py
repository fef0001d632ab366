"""One column per algorithm, one row per data set or fold; or the other way round."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.io.experiment_trackers import SETTINGS, is_setting
from stats_core.io.layouts.layout_messages import (
    UNNAMED,
    ask,
    measure_notes,
    measure_question,
    one_measure,
    role_reason,
    told_measure,
    upper_bound,
    weighted_observation,
)
from stats_core.io.profile import FEW, Profile, is_spread, speaks_of_measure
from stats_core.io.repetitions import counter_of_folds
from stats_core.io.scoring import (
    FAIR,
    NAME,
    STRONG,
    LayoutEvidence,
    LayoutHypothesis,
    NotResults,
    Question,
)
from stats_core.io.summary_rows import (
    companion_columns,
    difference_columns,
    of_one_kind,
    sums_up,
)
from stats_core.io.vocabulary import (
    is_descriptive,
    is_true_label,
    known_cost,
    known_measure,
    model_among,
    names_algorithms,
    names_folds,
    normalized_name,
    role_in_name,
    words_of,
)

_MOST_FOLDS = 100  # rows that may be folds where nothing names them
_INDEX = ("", "row", "index", "unnamed: 0")
_RANKS = {"rank", "ranks", "ranking"}


@dataclass(frozen=True, kw_only=True)
class Split:
    """The columns of numbers of a wide table: results, and what describes or sums up."""

    results: list[str]
    others: dict[str, str]  # column -> why it is no algorithm


def match_wide_table(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose averages, folds, and a table in which rows are algorithms."""
    named = {n: r for n, r in profile.named.items() if _may_be_key(profile, n, r)}
    if "true" in named.values() or "measure" in named.values():
        return
    if not {"algorithm", "dataset"} & set(named.values()):
        called = [n for n in profile.texts if profile[n].is_unique and names_algorithms(n)]
        named |= dict.fromkeys(called[:1], "algorithm")
    counter = _counter(profile, named)
    if counter:
        named[counter] = "fold"
    split = _split(profile, named)
    if len(split.results) < 2:
        return
    about = _about_columns(profile, split)
    if "algorithm" in named.values():
        yield from _transposed(profile, named, split, about)
        return
    first = _key(profile, named, split)
    if first is None:
        yield from _numbered_rows(profile, named, split, about)
        yield from _rows_as_folds(profile, named, split, about)
        return
    roles, seen, rows = first
    key = next((n for n, role in roles.items() if role == "dataset"), "")
    label = model_among(profile.frame[key]) if key and normalized_name(key) in _INDEX else ""
    crossed = bool(key) and normalized_name(key) in _INDEX and _cross_numbers(split.results)
    if rows or profile.said or not (label or crossed) or model_among(split.results):
        yield _hypothesis(profile, roles, split, [*seen, *about], rows)
        return
    by_custom = weighted_observation(FAIR, "first key by custom")
    by_labels = (
        weighted_observation(2 * STRONG, "headers count")
        if crossed
        else weighted_observation(FAIR, "rows named as models", label=label)
    )
    yield _hypothesis(profile, roles, split, [*seen, *about, by_custom], rows)
    turned = {**roles, key: "algorithm"}
    yield _hypothesis(profile, turned, split, [*seen, *about, by_labels], "", turned=True)


def _cross_numbers(headers: list[str]) -> bool:
    """Tell whether headers cross names with numbers, as kinds of noise with their strengths.

    Such are data sets or conditions. Rows are compared then.
    """
    parts = [re.fullmatch(r"(.*\D)(\d+)", header) for header in headers]
    found = [(match[1], match[2]) for match in parts if match]
    names, numbers = ({part[i] for part in found} for i in (0, 1))
    whole = len(found) == len(headers) == len(names) * len(numbers)
    return whole and min(len(names), len(numbers)) > 1 and not model_among(names)


def _numbered_rows(
    profile: Profile, named: dict[str, str], split: Split, about: list[LayoutEvidence]
) -> Iterator[LayoutHypothesis]:
    """Ask whether numbers in the first column name data sets, as the numbers of tasks do."""
    name = profile.numbers[0]
    column = profile[name]
    if column.place or not column.is_whole or not column.is_unique or column.numbers_rows:
        return
    rest = _split(profile, {**named, name: "dataset"})
    if len(rest.results) < 2:
        return
    found = _hypothesis(profile, {**named, name: "dataset"}, rest, about, "")
    question = ask(
        "columns",
        f'Which column names the data set? Guess: "{name}".',
        must="needs a column that names the data set or the fold",
        found=f"Found numbers only: {join_names(list(profile.columns), 5)}",
        do='Add a column "dataset" with a name in every row',
    )
    yield replace(found, asks=(question, *found.asks))


def _counter(profile: Profile, named: dict[str, str]) -> str:
    """Return the column that counts within each data set, which then numbers the folds."""
    if {"fold", "repetition", "algorithm"} & set(named.values()):
        return ""
    keys = [n for n, r in named.items() if r in ("dataset", "part of dataset")]
    repeated = [n for n in profile.texts if n not in named and not profile[n].is_unique]
    keys = keys or repeated[:1]
    return counter_of_folds(profile, named, keys) if keys else ""


def _rows_as_folds(
    profile: Profile, named: dict[str, str], split: Split, about: list[LayoutEvidence]
) -> Iterator[LayoutHypothesis]:
    """Ask whether rows that only their place or a counter tells apart are the folds."""
    if [n for n in profile.texts if n not in named] or set(named.values()) - {"result", "ignore"}:
        return
    first = next(iter(profile.columns))
    counts = profile[first].numbers_rows
    if counts and first in split.results or _magnitudes(profile, split.results) > 0:
        return
    n = len(profile.frame)
    if not 2 <= n <= _MOST_FOLDS or sum(one.weight for one in about) < STRONG:
        return
    roles = {first: "fold"} if counts else {}
    found = _hypothesis(profile, roles, split, about, "" if counts else "folds")
    told = f'"{first}" numbers them' if counts else "Nothing names them"
    question = ask(
        "rows",
        f"Are the {n} rows the folds of one data set?",
        must="needs to know what the rows are",
        found=f"{told}: they may be folds, data sets or cases",
        do="Say whether they are folds, or add a column that names the data sets",
    )
    said = bool(profile.mapping.rows)
    yield replace(found, asks=found.asks if said else (question, *found.asks))


def _may_be_key(profile: Profile, name: str, role: str) -> bool:
    """Names tell keys and what the user said; all else in a wide table is told by its numbers."""
    column = profile[name]
    if name in profile.said or role in ("true", "n_train", "n_test", "design"):
        return True
    if role == "algorithm":
        return column.is_text
    return role in ("dataset", "repetition", "fold") and (column.is_text or column.is_whole)


def _split(profile: Profile, named: dict[str, str]) -> Split:
    """Tell the columns that share a scale from those beside them that describe data sets."""
    said = [n for n, role in named.items() if role == "result"]
    free = [n for n in profile.numbers if n not in named]
    if said:
        return Split(results=said, others=dict.fromkeys(free, "not needed"))
    free = [n for n in free if not (profile[n].counts_up and profile[n].place == 0)]
    others: dict[str, str] = {}
    for name in free:
        if is_spread(name):
            others[name] = "spread"
        elif is_setting(name) and not _is_among_fractions(profile, name, free):
            others[name] = "setting"
    kept = [n for n in free if n not in others]
    others |= dict.fromkeys(difference_columns(profile, kept), "difference")
    beside = companion_columns(list(profile.columns), kept)
    alike = of_one_kind(profile, beside, kept)
    others |= dict.fromkeys([n for n in beside if n not in alike], "about another")
    ranked = [n for n in kept if _RANKS & set(words_of(n))]
    if 2 * len(ranked) < len(kept):
        others |= dict.fromkeys(ranked, "sums up")
    core = [n for n in free if n not in others and not is_descriptive(n) and not known_cost(n)]
    core = _one_scale(profile, core) if len(core) >= 2 else core
    for name in free:
        if name in others or (name in core and not speaks_of_measure(name)):
            continue
        if core and _is_other_measure(profile, name, core):
            others[name] = "other measure"
            continue
        apart = bool(core) and _is_apart(profile, name, core)
        margin = _at_margin(profile, name, core)
        if apart and (margin or is_descriptive(name)):
            others[name] = "cost" if known_cost(name) else "size"
        elif is_descriptive(name) and margin:
            others[name] = "cost" if known_cost(name) else "size"
    results = [n for n in free if n not in others]
    for name in list(results):
        called = words_of(name)[:1] in (["mean"], ["average"], ["avg"], ["overall"])
        if sums_up(profile, name, results) or (
            called
            and len(words_of(name)) > 1
            and _at_margin(profile, name, [n for n in results if n != name])
        ):
            others[name] = "sums up"
    return Split(results=[n for n in results if n not in others], others=others)


def _is_among_fractions(profile: Profile, name: str, beside: list[str]) -> bool:
    """Tell whether a column called "param_tuning" holds fractions as all beside it do."""
    if (
        re.search(r"[./:]|__", name)
        or normalized_name(name) in SETTINGS
        or profile[name].is_constant
    ):
        return False
    return all(profile[n].within(0, 1) and not profile[n].is_whole for n in (name, *beside))


def _one_scale(profile: Profile, names: list[str]) -> list[str]:
    """Return the columns that lie in one bounded scale where most do, else all."""
    for low, high in ((0, 1), (-1, 1), (0, 100)):
        inside = [n for n in names if profile[n].within(low, high * (1 + 1e-9))]
        if high == 100 and inside and _limits(profile, inside)[1] <= 50:
            continue  # nothing says that these are percentages
        fractions = [n for n in inside if not profile[n].is_whole]
        if 3 * len(inside) >= 2 * len(names) and (fractions or len(inside) == len(names)):
            return inside if fractions else names
    return names


def _is_apart(profile: Profile, name: str, core: list[str]) -> bool:
    """Tell whether a column is of another scale than fractions or percentages beside it.

    Of unbounded results, such as times, no scale can tell: only a name then speaks against one.
    """
    column = profile[name]
    low, high = _limits(profile, core)
    top = max(-low, high)
    largest = float(column.measured.abs().max())
    if top <= 1 + 1e-9:
        return largest > 1.5
    if low >= 0 and 50 < high <= 100 + 1e-9:
        return largest > 150
    middle = float(np.nanmedian(np.abs(profile.matrix(core))))
    ratio = float(column.values.abs().median()) / middle if middle else np.inf
    return is_descriptive(name) and not 1e-3 < ratio < 1e3


def _is_other_measure(profile: Profile, name: str, core: list[str]) -> bool:
    """Tell whether a column beside percentages is called a measure and holds fractions."""
    rest = [n for n in core if n != name]
    if not rest or not speaks_of_measure(name) or not _at_margin(profile, name, rest):
        return False
    if model_among([name]) or not profile[name].within(-1, 1):
        return False
    return all(profile[n].limits[0] > 1 for n in rest)


def _at_margin(profile: Profile, name: str, core: list[str]) -> bool:
    """Tell whether a column stands before or after all that share a scale."""
    places = [profile[n].place for n in core]
    return not places or not min(places) < profile[name].place < max(places)


def _about_columns(profile: Profile, split: Split) -> list[LayoutEvidence]:
    """Weigh headers and scales: columns named after measures, each with its scale, are measures."""
    found = []
    measures = [
        n
        for n in split.results
        if known_measure(n) or is_spread(n) or (speaks_of_measure(n) and not model_among([n]))
    ]
    if 2 * len(measures) >= len(split.results):
        found.append(
            weighted_observation(-2 * STRONG, "measures named", columns=tuple(measures[:4]))
        )
    for name in split.results:
        if role_in_name(name) == "true" or is_true_label(name):
            found.append(weighted_observation(-STRONG, "truth named", column=name))
    spread = _magnitudes(profile, split.results)
    if spread <= 3:
        low, high = _limits(profile, split.results)
        found.append(
            weighted_observation(
                STRONG, "one scale", columns=len(split.results), low=low, high=high
            )
        )
    else:
        found.append(weighted_observation(-FAIR, "scales apart", columns=tuple(split.results[:4])))
    if label := model_among(split.results):
        found.append(weighted_observation(NAME, "columns named as models", label=label))
    return found


def _magnitudes(profile: Profile, names: list[str]) -> float:
    """Return over how many powers of ten the columns' medians spread."""
    medians = [float(np.median(np.abs(v))) for n in names if len(v := profile[n].values.to_numpy())]
    medians = [m for m in medians if m > 0]
    low, high = _limits(profile, names)
    if not medians or (low >= -1 and high <= 1) or (low >= 0 and high <= 100):
        return 0.0
    return float(np.log10(max(medians) / min(medians)))


def _limits(profile: Profile, names: list[str]) -> tuple[float, float]:
    matrix = profile.matrix(names)
    return float(np.nanmin(matrix)), float(np.nanmax(matrix))


Keys = tuple[dict[str, str], list[LayoutEvidence], str]


def _key(profile: Profile, named: dict[str, str], split: Split) -> Keys | None:
    """Find what names the rows; return the roles of keys, evidence, and whether rows are folds."""
    roles = {n: r for n, r in named.items() if r != "result"}
    if not set(roles.values()) & {"fold", "repetition"}:
        called = [n for n in profile.texts if n not in roles and names_folds(profile.frame[n])]
        roles |= dict.fromkeys(called[:1], "fold")
    texts = [n for n in profile.texts if n not in roles]
    folds = [n for n, r in roles.items() if r in ("fold", "repetition")]
    seen = [
        weighted_observation(NAME, "folds named", column=n) for n in folds if roles[n] == "fold"
    ]
    dataset = [n for n, r in roles.items() if r == "dataset"]
    finer = [n for n in texts if dataset and _tells_finer(profile, n, dataset[0], folds)]
    if finer:  # "domain" or "type" beside the names of the data sets
        roles[dataset[0]] = "group"
        dataset = finer[:1]
        roles[dataset[0]] = "dataset"
        seen.append(weighted_observation(FAIR, "one unique key", column=dataset[0]))
    elif dataset:
        seen.append(weighted_observation(FAIR, "datasets named", column=dataset[0]))
    else:
        dataset = _rows_named_by(profile, texts, folds)
        if not dataset and not folds:
            return None
        roles |= dict.fromkeys(dataset, "dataset")
    for name in texts:
        if name not in roles and dataset and 1 < profile[name].distinct <= FEW:
            roles[name] = "group" if profile.determines(dataset[0], name) else "ignore"
    keys = [
        n for n, r in roles.items() if r in ("dataset", "part of dataset", "fold", "repetition")
    ]
    if profile.unique(keys):
        seen.append(weighted_observation(FAIR, "one unique key", column=keys[0]))
        return roles, seen, profile.mapping.rows
    sizes = profile.frame.groupby(keys).size()
    before = profile[keys[0]].place < min(profile[n].place for n in split.results)
    if not folds and before and 1 < int(sizes.min()) == int(sizes.max()) <= 30:
        seen.append(
            weighted_observation(FAIR, "equal repetition", column=keys[0], n=int(sizes.max()))
        )
        return roles, seen, "folds"
    seen.append(weighted_observation(-FAIR, "keys repeat"))
    return roles, seen, profile.mapping.rows


def _tells_finer(profile: Profile, name: str, named: str, folds: list[str]) -> bool:
    """Tell whether a column names the rows that one named as data set only puts into groups."""
    if named in profile.said or profile.unique([named, *folds]):
        return False
    return profile.unique([name, *folds]) and profile.determines(name, named)


def _rows_named_by(profile: Profile, texts: list[str], folds: list[str]) -> list[str]:
    """Return the column of texts that names the rows: unique, or first and repeated alike."""
    unique = [n for n in texts if profile.unique([n, *folds])]
    if unique:
        return unique[:1]
    return [n for n in texts if 1 < profile[n].distinct < len(profile.frame)][:1]


def _transposed(
    profile: Profile, named: dict[str, str], split: Split, about: list[LayoutEvidence]
) -> Iterator[LayoutHypothesis]:
    """Propose rows as algorithms and columns as data sets: each algorithm once, or once per run."""
    key = next(n for n, role in named.items() if role == "algorithm")
    runs = [n for n, role in named.items() if role in ("fold", "repetition")]
    if "dataset" in named.values() or not profile.unique([key, *runs]):
        return
    seen = [weighted_observation(FAIR, "algorithms named", column=key)]
    if runs:
        seen.append(weighted_observation(FAIR, "keys unique"))
    else:
        seen.append(weighted_observation(FAIR, "one unique key", column=key))
    if len(profile.frame) < 2 and not profile.several and not profile.said:
        alone = NotResults(
            must="needs the results of two algorithms at least",
            found=f'There is one row, of {profile.frame[key].iloc[0]} ("{key}")',
            do="Add those of another",
        )
        yield LayoutHypothesis(layout="no results", evidence=(*seen, *seen[:1]), refusal=alone)
        return
    yield _hypothesis(profile, dict(named), split, [*seen, *about], "", turned=True)


def _hypothesis(
    profile: Profile,
    roles: dict[str, str],
    split: Split,
    seen: list[LayoutEvidence],
    rows: str,
    *,
    turned: bool = False,
) -> LayoutHypothesis:
    """Put together a way to read the table, with what has to be asked about its measure."""
    measure, direction, asks = _measure(profile, split, roles)
    refusal = _not_one_measure(profile, roles, split) or _no_measure(profile, split)
    folds = rows or set(roles.values()) & {"fold", "repetition"}
    results = dict.fromkeys(split.results, "result")
    rest = dict.fromkeys(profile.columns, "ignore")
    given = {**rest, **roles, **results}
    whys = {n: role_reason(_why(profile, n, given[n], split)) for n in profile.columns}
    return LayoutHypothesis(
        layout="transposed table" if turned else "wide folds" if folds else "wide table",
        roles=given,
        reasons=whys,
        evidence=tuple(seen),
        measure=measure,
        directions={measure: direction} if direction else {},
        rows=rows,
        asks=tuple(asks),
        refusal=refusal,
        notes=measure_notes(profile, measure),
    )


def _why(profile: Profile, name: str, role: str, split: Split) -> str:
    if name in profile.said:
        return "said"
    if name in split.others:
        return split.others[name]
    if role == "result":
        return "sibling"
    if name in profile.named and role == profile.named[name]:
        return "name"
    column = profile[name]
    if role == "dataset":
        return "unique key" if column.is_unique else "repeated key"
    if role == "algorithm":
        return "row labels"
    if role == "group":
        return "tags"
    if column.is_empty:
        return "empty"
    return "counter" if column.counts_up else "text"


def _measure(
    profile: Profile, split: Split, roles: dict[str, str]
) -> tuple[str, str, list[Question]]:
    """Return what the numbers are and which are better, with the question where nothing tells."""
    ranks = _are_ranks(profile, split.results)
    told = "" if ranks else _measure_of_names(profile, roles, split)
    name, way = one_measure(profile, told)
    if ranks and _RANKS & set(words_of(name)):
        way = "lower"
    if way:
        return name or UNNAMED, way, []
    if ranks:
        asks = [
            ask(
                "direction",
                "Are these ranks, 1 the best?",
                must="needs to know what the numbers are",
                found="In every row they are the ranks from 1 on",
                do="Name them with `measure_name`, such as rank, or what else they measure",
            )
        ]
        return "rank", "lower", asks
    scale = upper_bound(profile.matrix(split.results)) or {"score", "scores"} & set(
        words_of(profile.stem)
    )
    low, high = _limits(profile, split.results)
    columns = join_names(split.results, 3)
    found = f"No name tells what {columns} hold" if not name else f"{columns} hold {name}"
    found += f" ({low:.4g} to {high:.4g}). {_consequence(profile, split, roles)}"
    return name or UNNAMED, "higher" if scale else "", [measure_question(name, found)]


def _consequence(profile: Profile, split: Split, roles: dict[str, str]) -> str:
    """Say which algorithm would stand first either way."""
    matrix = profile.matrix(split.results)
    compared: list[str] = list(split.results)
    rows = [name for name, role in roles.items() if role == "algorithm"]
    if rows:  # one row per algorithm
        means = pd.DataFrame(matrix).groupby(profile.frame[rows[0]].to_numpy()).mean().mean(axis=1)
    else:
        whole = matrix[~np.isnan(matrix).any(axis=1)]
        means = pd.DataFrame(whole if len(whole) else matrix, columns=compared).mean()
    return f"{means.idxmax()} has the highest average, {means.idxmin()} the lowest"


def _measure_of_names(profile: Profile, roles: dict[str, str], split: Split) -> str:
    """Return the measure that the file's name, the text over the table or its corner holds."""
    if found := told_measure(profile, split.results):
        return found
    if re.search(r"(^|[_\s\-.])(time|times|runtime|duration)s?($|[_\s\-.])", profile.stem, re.I):
        return "time"
    keys = [n for n, role in roles.items() if role in ("dataset", "fold")]
    return next((known[0] for key in keys if (known := known_measure(key))), "")


def _are_ranks(profile: Profile, names: list[str]) -> bool:
    """Tell whether every row holds the ranks 1 to k, ties halved, in all columns but failed ones."""
    matrix = profile.matrix(names)
    kept = matrix[~np.isnan(matrix).any(axis=1)]
    k = len(names)
    if len(kept) < 2 or k < 3:
        return False
    sums = np.isclose(kept.sum(axis=1), k * (k + 1) / 2)
    inside = (kept >= 1) & (kept <= k) & np.isclose(kept * 2, np.round(kept * 2))
    ordered = np.sort(kept, axis=1)
    smallest = ordered[:, 0] <= (k + 1) / 2
    return bool(np.mean(sums & inside.all(axis=1) & smallest) >= 0.95)


def _not_one_measure(profile: Profile, roles: dict[str, str], split: Split) -> NotResults | None:
    """Refuse a table whose groups of rows hold values of different kinds."""
    matrix = profile.matrix(split.results)
    for name in [n for n, role in roles.items() if role == "group"]:
        inside: list[tuple[str, np.ndarray]] = []
        outside: list[tuple[str, np.ndarray]] = []
        for value, rows in profile.frame.groupby(name).indices.items():
            part = matrix[rows]
            if np.isnan(part).all():
                continue
            rate = np.nanmin(part) >= 0 and np.nanmax(part) <= 1
            (inside if rate else outside).append((str(value), part))
        if not inside or not outside:
            continue
        positive = all(np.nanmin(part) >= 0 for _, part in outside)
        above = any(np.nanmax(part) > 1.5 for _, part in outside)
        floor = any(upper_bound(part) for _, part in inside)
        if positive and above and floor:
            some, others = join_names([v for v, _ in inside]), join_names([v for v, _ in outside])
            top = max(float(np.nanmax(part)) for _, part in outside)
            return NotResults(
                must="needs one measure with one direction",
                found=f'Rows with "{name}" = {some} lie between 0 and 1, those with {others} go '
                f"up to {top:.4g}: they seem to hold different measures",
                do="Keep the rows of one measure, or give each measure a column or file of its own",
            )
    return None


def _no_measure(profile: Profile, split: Split) -> NotResults | None:
    """Refuse whole numbers that are the same on nearly all data sets: settings, not results."""
    if not all(profile[n].is_whole for n in split.results) or profile.mapping.measure_name:
        return None
    low, high = _limits(profile, split.results)
    same = [
        n for n in split.results if profile[n].values.value_counts(normalize=True).iloc[0] > 0.9
    ]
    if high <= 20 or 4 * len(same) < len(split.results) or len(profile.frame) < 4:
        return None
    return NotResults(
        must="needs results that say how well each algorithm did",
        found=f"There are whole numbers from {low:g} to {high:g}, and {join_names(same)} "
        f"{'has' if len(same) == 1 else 'have'} the same nearly everywhere: counts or settings",
        do="Give the measured results, for example the accuracy",
    )
