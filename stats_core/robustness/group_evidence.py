"""Default selection of algorithms and data set, and evidence that algorithms form a group."""

from collections.abc import Sequence

import pandas as pd

from stats_core.comparison.result import Comparison
from stats_core.core.formatting import format_count, join_names, p_phrase, p_text
from stats_core.core.messages import Audience, Message, message, message_text
from stats_core.data.results import Results
from stats_core.inference.ranks import rank_rows


def best_first(results: Results, measure: str) -> tuple[str, ...]:
    """Who did best, who is the runner-up, and who comes then?

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("d", "a", 0.3), ("d", "b", 0.1), ("d", "c", 0.2)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> best_first(Results.from_frame(table.assign(fold=1)), "error")
    ('b', 'c', 'a')
    """
    if len(results.algorithms) < 2:
        return results.algorithms
    return tuple(_ranks(results, measure).mean().sort_values(kind="stable").index)


def typical_dataset(results: Results, measure: str, among: Sequence[str]) -> str:
    """Which data set orders the algorithms most as all of them do on average?

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [(d, a, x) for d, xs in {"u": (3, 2, 1), "v": (1, 2, 3), "w": (1, 2, 4)}.items()
    ...         for a, x in zip("abc", xs)]
    >>> table = pd.DataFrame(rows, columns=["dataset", "algorithm", "error"])
    >>> typical_dataset(Results.from_frame(table.assign(fold=1)), "error", ("u", "v", "w"))
    'v'
    """
    if len(results.algorithms) < 2:
        return among[0]
    ranks = _ranks(results, measure)
    average = ranks.mean().rank()
    varied_ranks = ranks.loc[list(among)]
    varied_ranks = varied_ranks[varied_ranks.nunique(axis=1) > 1]
    if average.nunique() < 2 or varied_ranks.empty:
        return among[0]
    return str(varied_ranks.T.corrwith(average).idxmax())


def _ranks(results: Results, measure: str) -> pd.DataFrame:
    """Return the ranks of the algorithms on each data set, 1 is best."""
    higher = results.direction(measure) == "higher"
    return rank_rows(results.averages(measure), higher_is_better=higher, missing="worst")


def inside_group(comparison: Comparison, members: Sequence[str]) -> Message | None:
    """On which evidence are these algorithms one group, and what would split it?

    Notes
    -----
    A pair is separated where its adjusted p is at most alpha, so a group splits from the level on
    that is the smallest adjusted p of its pairs.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace
    >>> pairs = pd.DataFrame(
    ...     [("a", "b", 0.3), ("a", "c", 0.062), ("b", "c", 0.9)],
    ...     columns=["first", "second", "p adjusted"],
    ... ).assign(separated=False)
    >>> found = inside_group(
    ...     SimpleNamespace(pairs=lambda: pairs, settings=SimpleNamespace(alpha=0.05)), ["a", "b", "c"]
    ... )
    >>> found["nearest"], found["level"]
    (('a', 'c'), 0.062)
    """
    all_pairs, names = comparison.pairs(), list(dict.fromkeys(members))
    pairs = all_pairs[all_pairs["first"].isin(names) & all_pairs["second"].isin(names)]
    if not len(pairs) or len(pairs) < len(names) * (len(names) - 1) // 2:
        return None
    if pairs["p adjusted"].isna().any():
        return None
    ordered = pairs.sort_values("p adjusted", kind="stable")
    closest, farthest = ordered.iloc[0], ordered.iloc[-1]
    return message(
        "inside a group",
        members=tuple(names),
        pairs=len(pairs),
        separated=int(pairs["separated"].sum()),
        nearest=(str(closest["first"]), str(closest["second"])),
        level=float(closest["p adjusted"]),
        farthest=(str(farthest["first"]), str(farthest["second"])),
        largest=float(farthest["p adjusted"]),
        alpha=float(comparison.settings.alpha),
    )


@message_text("inside a group")
def _inside(
    voice: Audience,
    members: tuple[str, ...],
    pairs: int,
    separated: int,
    nearest: tuple[str, str],
    level: float,
    farthest: tuple[str, str],
    largest: float,
    alpha: float,
) -> str:
    head = f"{join_names(members, 12)}: "
    if separated:
        return f"{head}{separated} of {format_count(pairs, 'pair')} separated at {alpha:g}, so they are no group."
    if pairs == 1:
        opening = f"not separated at {alpha:g}, adjusted {p_phrase(level)}. "
        splits = (
            "No level separates them."
            if level >= 1
            else f"A level of {p_text(level)} or more would."
        )
        return f"{head}{opening}{splits} That does not make them equal."
    head += f"none of {format_count(pairs, 'pair')} is separated at {alpha:g}. "
    if level >= 1:
        return f"{head}Every adjusted p is 1, so no level splits the group. That does not make them equal."
    return (
        f"{head}The group splits from a level of {p_text(level)} on, between {join_names(nearest)}. Largest "
        f"adjusted p: {p_text(largest)}, {join_names(farthest)}. Not separated is not equal."
    )
