"""Tables with two-part headers: algorithm and measure, or algorithm and statistic."""

import re
from collections.abc import Iterator

from stats_core.core.formatting import join_names
from stats_core.io import vocabulary
from stats_core.io.problems import NotResults, refusal_of, role_reason
from stats_core.io.profile import Profile
from stats_core.io.scoring import (
    FAIR,
    NAME,
    STRONG,
    UNNAMED,
    LayoutHypothesis,
    measure_notes,
    measure_question,
    observed,
    one_measure,
    told_measure,
    upper_bound,
)
from stats_core.io.vocabulary import is_listed, with_role

SPLIT = re.compile(r"split(\d+)_(test_.+)")


_NUMBERED = re.compile(r"(?:resample|fold|split|seed|run|rep|repetition|iteration|r|s|f)?[\s_\-]*(\d+)", re.I)


_PARTS = re.compile(r"(.+?)(?:\s*~\s*|\s*[|/]\s*|\s+-\s+|__|[\s_.:])([^\s_.:~|/]+)")
_Headers = dict[str, tuple[str, str]]  # column -> algorithm, kind of number


def headers_of(columns: list[str]) -> _Headers:
    """Return the two parts of headers that cross names with kinds of numbers.

    Examples
    --------
    >>> headers_of(["rf~Accuracy", "rf~Kappa", "svm~Accuracy", "svm~Kappa"])["svm~Kappa"]
    ('svm', 'Kappa')
    >>> headers_of(["random_forest", "naive_bayes"])
    {}
    """
    parts = {name: match.groups() for name in columns if (match := _PARTS.fullmatch(name))}
    names = {first for first, _ in parts.values()}
    kinds = {second for _, second in parts.values()}
    known_kinds = [
        k
        for k in kinds
        if vocabulary.known_measure(k)
        or vocabulary.normalized_name(k)
        in vocabulary.WORDS["results of headers"] | vocabulary.WORDS["others of headers"]
    ]
    if len(known_kinds) < len(kinds) or len(names) < 2 or len(parts) < len(columns):
        return {}
    if 2 * sum(vocabulary.known_measure(name) is not None for name in names) >= len(names):
        return {}  # headers are measures and their spreads
    if set(parts.values()) != {(name, kind) for name in names for kind in kinds}:
        return {}
    return {name: (first, second) for name, (first, second) in parts.items()}


def match_multi_header(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose one column per algorithm and measure if the headers cross the two."""
    keys = {n: r for n, r in profile.named.items() if r in ("dataset", "repetition", "fold")}
    free = [n for n in profile.numbers if n not in keys and not profile[n].counts_up]
    headers = headers_of(free)
    kinds = list(dict.fromkeys(kind for _, kind in headers.values()))
    results = [k for k in kinds if not vocabulary.is_spread(k) and not is_listed(k, "others of headers")]
    if vocabulary.names_dates(name for name, _ in headers.values()):
        return  # runs of one algorithm
    if not headers or not results or {"measure", "true"} & set(profile.said.values()):
        return
    if "algorithm" in profile.named.values():
        return  # the headers then cross data sets and measures
    label = next((n for n in profile.texts if n not in keys), "")
    if label and "dataset" not in keys.values() and vocabulary.model_among(profile.frame[label]):
        return  # the rows are algorithms, and the headers cross variants of them with measures
    if "dataset" not in keys.values():
        keys |= dict.fromkeys([n for n in profile.texts if n not in keys][:1], "dataset")
    if not keys or not profile.unique(keys):
        return
    columns = [n for n, (_, kind) in headers.items() if kind in results]
    roles = profile.ignored | keys | dict.fromkeys(columns, "result")
    measures = [k for k in results if vocabulary.known_measure(k)]
    name, direction = ("", "") if measures else one_measure(profile, told_measure(profile, columns))
    guess = direction or ("higher" if upper_bound(profile.matrix(columns)) else "")
    measure = "" if measures else name or UNNAMED
    finding = f"No name tells what {join_names(results)} of each algorithm measure"
    reasons = {n: role_reason("spread" if vocabulary.is_spread(n) else "not needed") for n in free}
    yield LayoutHypothesis(
        layout="crossed headers",
        roles=roles,
        reasons=reasons | dict.fromkeys(columns, role_reason("crossed")),
        evidence=(
            observed(3 * STRONG, "crossed", kinds=join_names(kinds), n=len(headers) // len(kinds)),
            observed(FAIR, "one unique key", column=next(iter(keys))),
        ),
        measure=measure,
        directions={measure: guess} if measure and guess else {},
        asks=() if measures or direction else (measure_question(name, finding),),
        notes=measure_notes(profile, name),
    )


def match_fold_columns(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose one column per resample if the headers count up and another column names the rows."""
    if {"result", "measure"} & set(profile.said.values()):
        return
    numbered = {n: int(m[1]) for n in profile.numbers if (m := _NUMBERED.fullmatch(n))}
    numbers = list(numbered.values())
    declared = "resample" in profile.said.values()
    if len(numbers) < 3 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return
    key = next((n for n in profile.columns if n not in numbered and profile[n].is_unique), "")
    if not key or numbers[0] > 1 or (profile[key].is_number and not declared):
        return
    rows_are_algorithms = profile.named.get(key) == "algorithm"
    measure, direction = one_measure(profile, told_measure(profile, list(numbered)))
    evidence = [
        observed(STRONG + FAIR, "header counts", first=numbers[0], last=numbers[-1]),
        observed(FAIR, "one unique key", column=key),
    ]
    if file_measure := vocabulary.measure_in_name(profile.stem):
        evidence.append(observed(NAME, "one measure in file name", measure=file_measure))
    asks = []
    if not direction:
        direction = "higher" if upper_bound(profile.matrix(list(numbered))) else ""
        finding = f"No name tells what the {len(numbered)} columns of resamples hold"
        asks = [measure_question(measure, finding)]
    role = "algorithm" if rows_are_algorithms else "dataset"
    yield LayoutHypothesis(
        layout="resamples",
        roles=profile.ignored | {key: role} | dict.fromkeys(numbered, "resample"),
        reasons={key: role_reason("row labels"), **dict.fromkeys(numbered, role_reason("resample"))},
        evidence=tuple(evidence),
        measure=measure or UNNAMED,
        directions={measure or UNNAMED: direction} if direction else {},
        asks=tuple(asks),
        refusal=None if rows_are_algorithms else _alone(profile, len(numbers)),
        notes=measure_notes(profile, measure),
    )


def _alone(profile: Profile, resamples: int) -> NotResults | None:
    """Return a refusal if a file of one algorithm is the only file."""
    if profile.several:
        return None
    name = vocabulary.without_measure(profile.stem)
    file_measure = vocabulary.measure_in_name(profile.stem)
    source = f"{name}, told by the file's name" if file_measure else "its name is nowhere in the file"
    return refusal_of(
        "one algorithm",
        source=source,
        n_rows=len(profile.frame),
        resamples=resamples,
        example="" if file_measure else " and measure, as HC2_accuracy.csv",
    )


def match_grid_search(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose candidates in rows and splits in columns."""
    splits = [name for name in profile.numbers if SPLIT.fullmatch(name)]
    if len(splits) < 2:
        return
    roles = profile.ignored | dict.fromkeys(splits, "resample")
    names = with_role(profile.named, "algorithm")
    names = names or [n for n in profile.columns if n == "params"]
    roles |= {n: r for n, r in profile.named.items() if r == "dataset"}
    roles |= dict.fromkeys(names[:1], "algorithm")
    yield LayoutHypothesis(
        layout="grid search",
        roles=roles,
        reasons=dict.fromkeys(splits, role_reason("column of a split")),
        evidence=(observed(3 * STRONG, "columns of splits", columns=len(splits)),),
    )
