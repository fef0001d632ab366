"""Questions that a way to read a table leaves open, with the consequence of each answer."""

import numpy as np

from stats_core.reading.evidence import Asks
from stats_core.reading.profile import Profile


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
        do=f'Choose below, or name the column "{measure} (higher is better)"',
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


def measure_question(name: str) -> Asks:
    """Ask what the numbers of a table of one measure are, and which of them are better."""
    unnamed = name in ("", "score")
    return ask(
        "direction",
        "What do the numbers measure, and are higher ones better?"
        if unnamed
        else f"Are higher values of {name} better?",
        must="needs to know what the numbers measure and which are better",
        found="Neither a name in the file nor the file's name tells",
        do="Say it below, or name the file after the measure, as accuracy.csv",
    )
