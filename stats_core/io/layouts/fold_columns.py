"""One algorithm per file: data sets in rows, resamples or folds in columns, as tsml and aeon write."""

import re
from collections.abc import Iterator

from stats_core.core.formatting import format_count
from stats_core.io.layouts.layout_messages import (
    UNNAMED,
    measure_notes,
    measure_question,
    one_measure,
    role_reason,
    told_measure,
    upper_bound,
    weighted_observation,
)
from stats_core.io.profile import Profile
from stats_core.io.scoring import FAIR, NAME, STRONG, LayoutHypothesis, NotResults
from stats_core.io.vocabulary import measure_in_name, without_measure

_NUMBERED = re.compile(
    r"(?:resample|fold|split|seed|run|rep|repetition|iteration|r|s|f)?[\s_\-]*(\d+)", re.I
)


def match_fold_columns(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose resamples in columns where the headers count on and a first column names rows."""
    if {"result", "measure"} & set(profile.said.values()):
        return
    numbered = {n: int(m[1]) for n in profile.numbers if (m := _NUMBERED.fullmatch(n))}
    numbers = list(numbered.values())
    said = "resample" in profile.said.values()
    if len(numbers) < 3 or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return
    key = next((n for n in profile.columns if n not in numbered and profile[n].is_unique), "")
    if not key or numbers[0] > 1 or (profile[key].is_number and not said):
        return
    rows_are_algorithms = profile.named.get(key) == "algorithm"
    measure, direction = one_measure(profile, told_measure(profile, list(numbered)))
    seen = [
        weighted_observation(STRONG + FAIR, "header counts", first=numbers[0], last=numbers[-1]),
        weighted_observation(FAIR, "one unique key", column=key),
    ]
    if told := measure_in_name(profile.stem):
        seen.append(weighted_observation(NAME, "one measure in file name", measure=told))
    asks = []
    if not direction:
        direction = "higher" if upper_bound(profile.matrix(list(numbered))) else ""
        found = f"No name tells what the {len(numbered)} columns of resamples hold"
        asks = [measure_question(measure, found)]
    rest = dict.fromkeys(profile.columns, "ignore")
    role = "algorithm" if rows_are_algorithms else "dataset"
    yield LayoutHypothesis(
        layout="resamples",
        roles=rest | {key: role} | dict.fromkeys(numbered, "resample"),
        reasons={
            key: role_reason("row labels"),
            **dict.fromkeys(numbered, role_reason("resample")),
        },
        evidence=tuple(seen),
        measure=measure or UNNAMED,
        directions={measure or UNNAMED: direction} if direction else {},
        asks=tuple(asks),
        refusal=None if rows_are_algorithms else _alone(profile, len(numbers)),
        notes=measure_notes(profile, measure),
    )


def _alone(profile: Profile, resamples: int) -> NotResults | None:
    """Say what is missing where one such file stands alone."""
    if profile.several:
        return None
    name = without_measure(profile.stem)
    told = measure_in_name(profile.stem)
    who = f"{name}, told by the file's name" if told else "its name is nowhere in the file"
    return NotResults(
        must="needs the results of two algorithms at least",
        found=f"This is one algorithm ({who}): {format_count(len(profile.frame), 'data set')}, each with "
        f"{format_count(resamples, 'resample')}",
        do=f"Add the files of the algorithms to compare it with, each named after its algorithm"
        f"{'' if told else ' and measure, as HC2_accuracy.csv'}",
    )
