"""The corrections that can be asked for by name, and which of them a case allows."""

from stats_core.core.notes import Note, Voice, note, worded
from stats_core.inference.families.bergmann_hommel import LARGEST_ANY

# correction -> the name shown, the advised one first
CORRECTIONS = {
    "bergmann_hommel": "Bergmann-Hommel",
    "shaffer": "Shaffer",
    "holm": "Holm",
    "hommel": "Hommel",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "nemenyi": "Nemenyi",
    "none": "none",
}
# the same for comparisons with a control
CONTROL_CORRECTIONS = {
    "holm": "Holm",
    "finner": "Finner",
    "hochberg": "Hochberg",
    "hommel": "Hommel",
    "rom": "Rom",
    "li": "Li",
    "bonferroni_dunn": "Bonferroni-Dunn",
    "none": "none",
}
# corrections under which the smallest of m p-values is multiplied by m whatever the others are
STEP_DOWN = ("bergmann_hommel", "shaffer", "holm", "bonferroni", "nemenyi")
LARGEST_RANKS = 60  # algorithms; Bergmann-Hommel on average ranks takes a second here
LARGEST_SHAFFER = 100


def usable_correction(correction: str, k: int, *, from_ranks: bool = False) -> str:
    """Return the correction, or the nearest one that k algorithms and their p-values allow.

    Parameters
    ----------
    correction : str
        One of `CORRECTIONS`, the advised one if empty.
    k : int
        Number of algorithms.
    from_ranks : bool
        Whether the p-values come from average ranks.

    Returns
    -------
    str
        Shaffer for Bergmann-Hommel above 14 algorithms (60 on average ranks); Holm for Shaffer
        above 100, and for Nemenyi where there are no ranks.

    Examples
    --------
    >>> usable_correction("bergmann_hommel", 22), usable_correction("nemenyi", 5)
    ('shaffer', 'holm')
    >>> usable_correction("bergmann_hommel", 22, from_ranks=True)
    'bergmann_hommel'
    """
    correction = correction or next(iter(CORRECTIONS))
    if correction == "nemenyi" and not from_ranks:
        return "holm"
    if correction == "bergmann_hommel" and k > (LARGEST_RANKS if from_ranks else LARGEST_ANY):
        correction = "shaffer"
    return "holm" if correction == "shaffer" and k > LARGEST_SHAFFER else correction


def replaced(correction: str, k: int, *, from_ranks: bool = False) -> Note | None:
    """Say which correction stands in for the one asked for, None if none has to.

    Examples
    --------
    >>> print(replaced("bergmann_hommel", 22))
    Bergmann-Hommel is exact to 14 algorithms on these p-values; there are 22, so Shaffer, the nearest, is used.
    """
    used = usable_correction(correction, k, from_ranks=from_ranks)
    if used == (correction or used):
        return None
    limit = LARGEST_SHAFFER
    if correction == "bergmann_hommel":
        limit = LARGEST_RANKS if from_ranks else LARGEST_ANY
    return note("correction replaced", asked=correction, used=used, k=k, limit=limit)


@worded("correction replaced")
def _replaced(voice: Voice, asked: str, used: str, k: int, limit: int) -> str:
    if asked == "nemenyi":
        return "Nemenyi speaks of ranks over data sets; Holm is used here."
    return (
        f"{CORRECTIONS[asked]} is exact to {limit} algorithms on these p-values; there are "
        f"{k}, so {CORRECTIONS[used]}, the nearest, is used."
    )
