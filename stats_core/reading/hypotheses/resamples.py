"""One algorithm per file: data sets in rows, resamples or folds in columns, as tsml and aeon write."""

import re
from collections.abc import Iterator

from stats_core.core.words import count
from stats_core.reading.columns import measure_in_name, without_measure
from stats_core.reading.evidence import FAIR, NAME, STRONG, Hypothesis, Refusal
from stats_core.reading.hypotheses.questions import (
    UNNAMED,
    bounded,
    measure_notes,
    measure_question,
    one_measure,
    told_measure,
)
from stats_core.reading.hypotheses.reasons import because, evidence
from stats_core.reading.profile import Profile

_NUMBERED = re.compile(
    r"(?:resample|fold|split|seed|run|rep|repetition|iteration|r|s|f)?[\s_\-]*(\d+)", re.I
)


def propose(profile: Profile) -> Iterator[Hypothesis]:
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
        evidence(STRONG + FAIR, "header counts", first=numbers[0], last=numbers[-1]),
        evidence(FAIR, "one unique key", column=key),
    ]
    if told := measure_in_name(profile.stem):
        seen.append(evidence(NAME, "one measure in file name", measure=told))
    asks = []
    if not direction:
        direction = "higher" if bounded(profile.matrix(list(numbered))) else ""
        found = f"No name tells what the {len(numbered)} columns of resamples hold"
        asks = [measure_question(measure, found)]
    rest = dict.fromkeys(profile.columns, "ignore")
    role = "algorithm" if rows_are_algorithms else "dataset"
    yield Hypothesis(
        layout="resamples",
        roles=rest | {key: role} | dict.fromkeys(numbered, "resample"),
        reasons={key: because("row labels"), **dict.fromkeys(numbered, because("resample"))},
        evidence=tuple(seen),
        measure=measure or UNNAMED,
        directions={measure or UNNAMED: direction} if direction else {},
        asks=tuple(asks),
        refusal=None if rows_are_algorithms else _alone(profile, len(numbers)),
        notes=measure_notes(profile, measure),
    )


def _alone(profile: Profile, resamples: int) -> Refusal | None:
    """Say what is missing where one such file stands alone."""
    if profile.several:
        return None
    name = without_measure(profile.stem)
    told = measure_in_name(profile.stem)
    who = f"{name}, told by the file's name" if told else "its name is nowhere in the file"
    return Refusal(
        must="needs the results of two algorithms at least",
        found=f"This is one algorithm ({who}): {count(len(profile.frame), 'data set')}, each with "
        f"{count(resamples, 'resample')}",
        do=f"Add the files of the algorithms to compare it with, each named after its algorithm"
        f"{'' if told else ' and measure, as HC2_accuracy.csv'}",
    )
