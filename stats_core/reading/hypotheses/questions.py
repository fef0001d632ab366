"""Questions that a way to read a table leaves open, with the consequence of each answer."""

import numpy as np

from stats_core.core.notes import Note, Voice, note, worded
from stats_core.core.words import quoted
from stats_core.reading.columns import (
    declared,
    direction_of,
    is_rate,
    measure_in_name,
    measure_in_text,
)
from stats_core.reading.evidence import Asks
from stats_core.reading.profile import Profile

UNNAMED = "score"  # what a measure is called that nobody named


def ask(about: str, text: str, *, must: str, found: str, do: str) -> Asks:
    """Return a question."""
    return Asks(about=about, question=text, must=must, found=found, do=do)


def direction_question(profile: Profile, measure: str) -> Asks:
    """Ask which values of a measure are better, since neither its name nor the file's tells."""
    return ask(
        "direction",
        f'Which values of "{measure}" are better, higher or lower ones?',
        must=f'needs to know which values of "{measure}" are better',
        found="Its name does not tell",
        do=f'Give it with `directions`, or name the column "{measure} (higher is better)"',
    )


def bounded(numbers: np.ndarray) -> float:
    """Return 1 or 100 if all numbers lie between 0 and that and many in the upper half, else 0.

    Rates that are good if high fill the upper half of their scale; errors seldom do.
    """
    found = numbers[~np.isnan(numbers)]
    for scale in (1.0, 100.0):
        if len(found) and found.min() >= 0 and found.max() <= scale * (1 + 1e-9):
            return scale if np.mean(found > scale / 2) >= 0.25 else 0.0
    return 0.0


def told_measure(profile: Profile, results: list[str]) -> str:
    """Return the measure that the file's name or the text over the table mentions, "" if none.

    Names that contradict each other, and a rate that the numbers cannot be, mention none.
    """
    by_file, by_title = measure_in_name(profile.stem), measure_in_text(profile.table.title)
    if by_title and not _may_be(by_title, profile.matrix(results)):
        by_title = ""
    if by_file and by_title and direction_of(by_file) != direction_of(by_title):
        return ""
    return by_file or by_title


def _may_be(measure: str, numbers: np.ndarray) -> bool:
    """Tell whether numbers lie where a measure must, as fractions or in percent."""
    low, high = np.nanmin(numbers), np.nanmax(numbers)
    return not is_rate(measure) or bool(low >= 0 and high <= 100 * (1 + 1e-9))


def one_measure(profile: Profile, told: str) -> tuple[str, str]:
    """Return the name and the direction of the measure of a table, each "" where nothing tells.

    What the user says goes before what the table tells, and stays as it is written.
    """
    said = profile.mapping
    name = said.measure_name or told
    if not name and len(said.directions) == 1:
        name = next(iter(said.directions))
    way = said.direction_of(name)
    bare, declared_way = declared(name)
    return (bare if declared_way in ("lower", "higher") else name), way


def measure_notes(profile: Profile, measure: str) -> tuple[Note, ...]:
    """Return the note that the text over the table gave the measure, if it did."""
    title = profile.table.title
    by_file = measure_in_name(profile.stem)
    if profile.mapping.measure_name or by_file or measure_in_text(title) != measure or not measure:
        return ()
    return (note("measure in title", title=title, measure=measure),)


@worded("measure in title")
def _in_title(voice: Voice, title: str, measure: str) -> str:
    return f"Measure taken from the caption or heading {quoted(title)}: {measure}."


def measure_question(name: str, found: str) -> Asks:
    """Ask what the numbers of a table of one measure are, and which of them are better."""
    return ask(
        "direction",
        f"Are higher values of {name} better?"
        if name
        else "What do the numbers measure, and are higher ones better?",
        must="needs to know what the numbers measure and which are better",
        found=found,
        do="Name the measure with `measure_name`, such as accuracy"
        if not name
        else "Give the direction, higher or lower, with `directions`",
    )
