"""Long tables with one row per result, and files of one algorithm with one column per resample."""

from collections.abc import Iterator
from itertools import combinations

from stats_core.core.formatting import join_names
from stats_core.io import vocabulary
from stats_core.io.problems import NotResults, Question, question_of, refusal_of, role_reason
from stats_core.io.profile import FEW, Column, Profile
from stats_core.io.repetitions import counted, counter_of_folds, settle_repetition
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutEvidence, LayoutHypothesis, observed, upper_bound
from stats_core.io.vocabulary import is_listed, mentions, with_role

COUNTS = ("tp", "fp", "tn", "fn")
KEYS = ("dataset", "algorithm", "repetition", "fold", "part of dataset", "part of algorithm")


def match_long_table(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose one row per result if columns name the algorithm and a measure."""
    named, notes = settle_repetition(profile.frame, dict(profile.named), profile.said)
    if {"true", "result", "resample"} & set(named.values()):
        return
    counts = set(COUNTS) <= set(named.values())
    evidence = [observed(2 * STRONG, "counts")] if counts else []
    _name_keys(profile, named)
    _name_folds(profile, named)
    _name_finer_sets(profile, named)
    measures = _measures(profile, named)
    unnamed = _guess_names(profile, named)
    if counter := _counter(profile, {**named, **unnamed}):
        named[counter] = "fold"
        notes = [*notes, counted(counter)]
        measures = [n for n in measures if n != counter]
    guessed_measures = [] if counts or measures else _only_number(profile, {**named, **unnamed})
    if not (counts or measures or guessed_measures or (profile.several and profile.costs)):
        return
    named |= unnamed
    measures = measures or guessed_measures
    if not with_role(named, "algorithm") and not profile.several and "dataset" not in named.values():
        return
    numbers = [n for n in profile.numbers if n not in named and n not in profile.costs]
    numbers = [n for n in numbers if not vocabulary.is_setting(n)]
    has_keys = {"dataset", "algorithm"} <= set(named.values()) or profile.several
    if not has_keys and 2 * len(measures) < len(numbers) and not profile.said:
        evidence.append(observed(-STRONG, "columns unused", columns=numbers[:4]))
    evidence += _evidence_of_names(profile, named, measures)
    extra_keys = [] if profile.unique(_keys(named)) else _parting(profile, named, measures)
    folds = _rows_as_folds(profile, named, extra_keys)
    evidence.append(
        observed(FAIR, "keys unique")
        if profile.unique([*_keys(named), *extra_keys])
        else observed(-NAME, "keys repeat")
    )
    roles = {**named, **dict.fromkeys(measures, "measure")}
    reasons = {name: role_reason(_why(profile, name)) for name in profile.columns}
    asks = [
        *_ask_names(unnamed, guessed_measures),
        *_ask_parts(profile, named, extra_keys),
        *_ask_folds(profile, named, extra_keys, folds),
    ]
    roles |= _roles_of_parts(profile, named, extra_keys)
    mapping = profile.mapping
    is_directed = len(measures) == 1 and mapping.measure_name and mapping.direction_of(mapping.measure_name)
    undirected = [] if is_directed else [name for name in measures if not mapping.direction_of(name)]
    directions = dict(mapping.directions)
    directions |= {name: "higher" for name in undirected if upper_bound(profile.matrix([name]))}
    set_directions = {mapping.direction_of(name) for name in measures if name not in undirected}
    if len(set_directions) == 1:  # all other measures agree, so assume the same direction
        directions |= {name: direction for direction in set_directions for name in undirected if name not in directions}
    asks += [question_of("direction of a measure", measure=name) for name in undirected]
    costs = [name for name in profile.costs if name not in roles]
    roles |= dict.fromkeys(costs, "cost")
    unused = [name for name in profile.columns if name not in roles]
    yield LayoutHypothesis(
        layout="confusion counts" if counts else "fold scores",
        roles=roles | dict.fromkeys(unused, "ignore"),
        reasons=reasons,
        evidence=tuple(evidence),
        directions=directions,
        rows="folds" if folds else profile.mapping.rows,
        asks=tuple(asks),
        refusal=_one_number_each(profile, named, measures, counts),
        notes=tuple(notes),
    )


def _keys(named: dict[str, str]) -> list[str]:
    return [name for name, role in named.items() if role in KEYS]


def _name_keys(profile: Profile, named: dict[str, str]) -> None:
    """Use a column of instances or problems as data sets if no other column names them."""
    if "dataset" in named.values() or "algorithm" not in named.values():
        return
    for name in profile.texts:
        if name not in named and vocabulary.normalized_name(name) in ("instance", "instances", "problem"):
            named[name] = "dataset"
            return


def _guess_names(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Guess which columns of repeated texts name the algorithm and the data set."""
    if "algorithm" in named.values():
        return {}
    if profile.several:
        return _guess_rows_of_file(profile, named)
    texts = [
        name
        for name in profile.texts
        if name not in named
        and 1 < profile[name].distinct
        and not vocabulary.known_measure(name)
        and not vocabulary.is_bookkeeping(name)
        and not any(profile.determines(key, name) for key in with_role(named, "dataset"))
    ]
    if set(named.values()) & {"dataset", "fold", "repetition"} and len(profile.frame) > 2:
        texts = [name for name in texts if not profile[name].is_unique]
    constant = [n for n in profile.texts if n not in named and profile[n].is_constant]
    if constant_models := [n for n in constant if vocabulary.model_among(profile.frame[n].head(1))]:
        return {constant_models[0]: "algorithm"} if "dataset" in named.values() else {}
    repeated = [name for name in texts if 2 * profile[name].distinct <= len(profile.frame)]
    if "dataset" not in named.values() and len(repeated) > 1:
        algorithm = _most_like_models(profile, repeated)
        dataset = next(n for n in repeated if n != algorithm)
        return {dataset: "dataset", algorithm: "algorithm"}
    keyed = [name for name in texts if profile.unique([*_keys(named), name])]
    return dict.fromkeys([*repeated, *keyed, *texts][:1], "algorithm")


def _guess_rows_of_file(profile: Profile, named: dict[str, str]) -> dict[str, str]:
    """Guess what the first text column names if each file holds one algorithm or data set."""
    if set(named.values()) & {"dataset", "fold", "repetition"} or len(profile.frame) < 2:
        return {}
    free = [n for n in profile.texts if n not in named and not vocabulary.is_bookkeeping(n)]
    texts = [n for n in free if profile[n].is_unique]
    constant = [n for n in free if profile[n].is_constant and mentions(n, "algorithms")]
    if not texts:
        return {}
    if len(constant) == 1:
        return {texts[0]: "dataset", constant[0]: "algorithm"}
    if vocabulary.names_dates(profile.frame[texts[0]]):
        return {texts[0]: "repetition"}
    are_models = vocabulary.model_among(profile.frame[texts[0]]) or mentions(texts[0], "algorithms")
    return {texts[0]: "algorithm" if are_models else "dataset"}


def _most_like_models(profile: Profile, names: list[str]) -> str:
    """Return the column most likely to name algorithms, the second if there is no evidence."""
    instances = [n for n in names if vocabulary.role_in_name(n) == "instance"]
    free = [n for n in names if n not in instances]
    for is_model_column in (
        lambda n: vocabulary.model_among(profile.frame[n]),
        lambda n: vocabulary.contrast_among(profile.frame[n].unique()),
        lambda n: mentions(n, "algorithms", "variants"),
    ):
        if matching := [n for n in free if is_model_column(n)]:
            return matching[0]
    return free[0] if instances and free else names[1]


def _name_folds(profile: Profile, named: dict[str, str]) -> None:
    """Use a text column with values such as "Fold1", "Fold2" as the fold number."""
    if {"fold", "repetition"} & set(named.values()):
        return
    for name in profile.texts:
        if name not in named and vocabulary.names_folds(profile.frame[name].to_list()):
            named[name] = "fold"
            return


def _name_finer_sets(profile: Profile, named: dict[str, str]) -> None:
    """Use a finer column as data sets if it subdivides the column named as data set.

    If every "series" belongs to one "archive", series are the data sets and archives their groups.
    """
    coarse = [n for n in with_role(named, "dataset") if n not in profile.said]
    if not coarse or profile.said or profile.unique(_keys(named)):
        return
    rows = len(profile.frame)
    for name in profile.texts:
        column = profile[name]
        finer = profile[coarse[0]].distinct < column.distinct < rows and not vocabulary.is_bookkeeping(name)
        if name in named or not finer or 3 * column.distinct > 2 * rows:
            continue
        if profile.determines(name, coarse[0]) and not _is_about_algorithms(profile, named, name):
            named[coarse[0]], named[name] = "group", "dataset"
            return


def _is_about_algorithms(profile: Profile, named: dict[str, str], name: str) -> bool:
    """Return whether a column names models or variants of the algorithms."""
    if mentions(name, "algorithms", "variants") or vocabulary.model_among(profile.frame[name].unique()):
        return True
    return any(profile.determines(name, key) for key in with_role(named, "algorithm"))


def _counter(profile: Profile, named: dict[str, str]) -> str:
    """Return the column that counts rows within each algorithm and so numbers the folds."""
    if {"fold", "repetition"} & set(named.values()):
        return ""
    if not profile.several and "algorithm" not in named.values():
        return ""
    return counter_of_folds(profile, named, _keys(named))


def _only_number(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return the only column of fractions besides complete keys, which may hold a measure."""
    if "algorithm" not in named.values() or not set(named.values()) & {"dataset", "fold"}:
        return []
    free = [n for n in profile.numbers if n not in named and not profile[n].counts_up]
    fractions = [n for n in free if not profile[n].is_whole]
    is_single = len(free) == 1 and len(fractions) == 1 and profile.unique(_keys(named))
    return fractions if is_single and not profile.costs else []


def _ask_names(unnamed: dict[str, str], likely: list[str]) -> list[Question]:
    """Return the question about all guessed columns, with the guesses."""
    descriptions = {
        "dataset": "names the data set",
        "algorithm": "names the algorithm",
        "repetition": "numbers the repetitions",
    }
    roles = [*(descriptions[role] for role in unnamed.values()), *(["holds a measure"] if likely else [])]
    if not roles:
        return []
    described = join_names([roles[0], *(f"which {role}" for role in roles[1:])])
    guess = join_names([f'"{name}"' for name in (*unnamed, *likely)])
    return [
        question_of(
            "unnamed columns",
            described=described,
            guess=guess,
            role=roles[-1],
            example='"error"' if likely else f'"{list(unnamed.values())[-1]}"',
        )
    ]


def _measures(profile: Profile, named: dict[str, str]) -> list[str]:
    """Return the columns of scores: named after a measure, or the only one called score."""
    declared = with_role(profile.said, "measure")
    declared += [n for n in profile.mapping.directions if n in profile.numbers and n not in named]
    recognized = [n for n in profile.measures if n not in named and n not in profile.said]
    measures = [n for n in profile.columns if n in declared or n in recognized]
    if measures:
        enclosed = [] if declared else _between(profile, named, measures)
        return [n for n in profile.columns if n in measures or n in enclosed]
    scores = [n for n in profile.numbers if n not in named and is_listed(n, "scores")]
    if scores or "algorithm" not in named.values() or profile.several:
        return scores[:1]
    times = [n for n in profile.costs if n not in named and mentions(n, "times")]
    return [] if set(profile.numbers) - set(profile.costs) - set(named) else times[:1]


def _between(profile: Profile, named: dict[str, str], measures: list[str]) -> list[str]:
    """Return columns of fractions with unknown names that lie between columns of measures."""
    positions = [profile[n].place for n in measures if profile[n].within(0, 1)]
    if len(positions) < 2:
        return []
    enclosed = [n for n in profile.numbers if min(positions) < profile[n].place < max(positions)]
    return [
        n
        for n in enclosed
        if n not in named
        and n not in measures
        and not profile[n].is_whole
        and profile[n].within(0, 1)
        and not (
            vocabulary.is_spread(n) or vocabulary.is_setting(n) or n in profile.costs or vocabulary.names_measure(n)
        )
        and not mentions(n, "beside measures")
    ]


def _evidence_of_names(profile: Profile, named: dict, measures: list[str]) -> list[LayoutEvidence]:
    evidence = []
    for name in with_role(named, "algorithm"):
        evidence.append(observed(FAIR, "algorithms named", column=name))
        if profile[name].is_text and not profile[name].is_unique and not profile[name].is_constant:
            evidence.append(observed(NAME, "algorithms repeat", column=name, n=profile[name].distinct))
    if not with_role(named, "algorithm") and profile.several:
        evidence.append(observed(NAME, "one file each"))
    evidence += [observed(NAME, "datasets named", column=n) for n in with_role(named, "dataset")]
    evidence += [observed(NAME, "folds named", column=n) for n in with_role(named, "fold")]
    if measures:
        evidence.append(observed(FAIR, "measures named", columns=measures))
    return evidence


def _parting(profile: Profile, named: dict[str, str], measures: list[str]) -> list[str]:
    """Return the fewest columns that make keys unique, none if more than three are needed."""
    free = [
        name
        for name, column in profile.columns.items()
        if name not in named
        and name not in measures
        and (name not in profile.costs or vocabulary.normalized_name(name) == "size")
        and not vocabulary.is_spread(name)
        and not vocabulary.is_bookkeeping(name)
        and not (column.is_number and vocabulary.names_measure(name))
        and 1 < column.distinct < max(3, int((column.texts != "").sum()))
        and (column.is_text or _tells_levels(column, len(profile.frame)))
        and not column.is_unique
    ]
    for size in (1, 2, 3):
        for subset in combinations(free[:12], size):
            if profile.unique([*_keys(named), *subset]):
                return list(subset)
    return _parting_evenly(profile, named, free)


def _tells_levels(column: Column, rows: int) -> bool:
    """Return whether a numeric column may hold levels, as of noise or size, not results."""
    return column.distinct <= 50 and (column.is_whole or 2 * column.distinct <= rows)


def _parting_evenly(profile: Profile, named: dict[str, str], free: list[str]) -> list[str]:
    """Return a text column that divides the rows of every key into groups of equal size.

    The rows within each group may then be the folds, which would be mixed otherwise.
    """
    keys = _keys(named)
    if not keys or set(named.values()) & {"fold", "repetition"}:
        return []
    for name in free:
        column = profile[name]
        if not column.is_text or column.distinct > FEW:
            continue
        sizes = profile.frame.groupby([*keys, name]).size()
        groups = profile.frame.groupby(keys)[name].nunique()
        if groups.eq(column.distinct).all() and 2 <= int(sizes.min()) == int(sizes.max()) <= 100:
            return [name]
    return []


def _roles_of_parts(profile: Profile, named: dict, parts: list[str]) -> dict[str, str]:
    """Assign extra key columns to the algorithm or data set, so that few pairs are empty."""
    algorithm, dataset = with_role(named, "algorithm")[:1], with_role(named, "dataset")[:1]
    if not parts:
        return {}
    if not algorithm and not profile.several:
        return {**dict.fromkeys(parts, "part of algorithm"), parts[0]: "algorithm"}
    if not dataset:
        levels = profile.frame[parts].drop_duplicates().shape[0]
        crossed = profile.frame[[*algorithm, *parts]].drop_duplicates().shape[0]
        algorithms = profile.frame[algorithm].drop_duplicates().shape[0] if algorithm else 1
        mostly_crossed = crossed >= 0.5 * levels * algorithms
        return dict.fromkeys(parts[:1], "dataset" if mostly_crossed else "part of algorithm")
    if not algorithm:
        return dict.fromkeys(parts, "part of dataset")

    def holes(first: list[str], second: list[str]) -> int:
        sizes = [profile.frame[names].drop_duplicates().shape[0] for names in (first, second)]
        present = profile.frame[[*first, *second]].drop_duplicates().shape[0]
        return sizes[0] * sizes[1] - present

    to_algorithm = holes(dataset, [*algorithm, *parts])
    to_dataset = holes([*dataset, *parts], algorithm)
    has_few_levels = profile.frame[parts].drop_duplicates().shape[0] <= FEW
    # such as noise levels, sizes or budgets
    are_numbers = all(profile[name].is_number for name in parts)
    fits_algorithm = to_algorithm < 0.8 * to_dataset if are_numbers else to_algorithm <= to_dataset
    assigned_role = "part of algorithm" if fits_algorithm and has_few_levels else "part of dataset"
    return dict.fromkeys(parts, assigned_role)


def _rows_as_folds(profile: Profile, named: dict, parts: list[str]) -> bool:
    """Return whether rows of one key may be folds: equally many per key, 2 to 100."""
    keys = [*_keys(named), *parts]
    if profile.mapping.rows or profile.unique(keys):
        return False
    if set(named.values()) & {"fold", "repetition"}:
        return False
    if not keys:
        return profile.several and 2 <= len(profile.frame) <= 100
    sizes = profile.frame.groupby(keys).size()
    return int(sizes.min()) == int(sizes.max()) and 2 <= int(sizes.max()) <= 100


def _ask_parts(profile: Profile, named: dict, parts: list[str]) -> list[Question]:
    if not parts:
        return []
    role = _roles_of_parts(profile, named, parts)[parts[0]]
    return [question_of(f"parts of keys: {role}", parts=parts)]


def _ask_folds(profile: Profile, named: dict, parts: list[str], folds: bool) -> list[Question]:
    if not folds:
        return []
    keys = [*_keys(named), *parts]
    n = int(profile.frame.groupby(keys).size().max()) if keys else len(profile.frame)
    unit = "an algorithm on a data set" if with_role(named, "dataset") else "an algorithm"
    return [question_of("rows as folds", n=n, unit=unit)]


def _one_number_each(profile: Profile, named: dict, measures: list[str], counts: bool) -> NotResults | None:
    """Return a refusal if there is only one number per algorithm and measure."""
    algorithm = with_role(named, "algorithm")
    if profile.several or profile.said or counts or not algorithm:
        return None
    if set(named.values()) & {"dataset", "fold", "repetition"} or not profile.unique(algorithm):
        return None
    return refusal_of(
        "one number per algorithm",
        unit=vocabulary.normalized_name(algorithm[0]) or "algorithm",
        n_rows=len(profile.frame),
        measures=measures,
    )


def _why(profile: Profile, name: str) -> str:
    column = profile[name]
    if name in profile.said:
        return "said"
    if name in profile.named:
        return "name"
    if column.is_empty:
        return "empty"
    if name in profile.measures:
        return "measure by name"
    if name in profile.costs:
        return "cost by name"
    if column.is_constant:
        return "constant"
    if vocabulary.is_spread(name):
        return "spread"
    if vocabulary.is_setting(name) or vocabulary.is_bookkeeping(name):
        return "setting" if vocabulary.is_setting(name) else "bookkeeping"
    if column.is_number and vocabulary.names_measure(name):
        return "validation"
    if column.is_number:
        return "counter" if column.counts_up else "no direction"
    return "text"
