"""Published summary tables: average ranks, wins or decisions."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats_core.core.formatting import format_count, join_names
from stats_core.core.messages import Audience, message, message_text
from stats_core.data.published import (
    DECISIONS,
    RANKS,
    WINS,
    Published,
    impossible_average_ranks,
    sum_of_ranks,
    wrong_sum,
)
from stats_core.io.layouts.layout_messages import role_reason, weighted_observation
from stats_core.io.layouts.pairwise_matrix import Square, square_of
from stats_core.io.profile import Profile
from stats_core.io.scoring import (
    FAIR,
    STRONG,
    LayoutEvidence,
    LayoutHypothesis,
    NotResults,
    Question,
)
from stats_core.io.vocabulary import normalized_name, words_of

_AVERAGE = {"average", "avg", "mean", "ave"}
_RANK = {"rank", "ranks", "ranking"}
_COUNTS = ("n", "ndatasets", "datasets", "numdatasets", "numberofdatasets", "nodatasets")
_MOST = 1000


def match_published_summary(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose a table of average ranks, wins or decisions without the results behind it."""
    mapping = profile.mapping
    if profile.several or profile.said and not (mapping.holds or mapping.n_datasets):
        return
    hypotheses = [
        hypothesis
        for hypothesis in (_average_ranks(profile), *_of_square(profile))
        if hypothesis is not None
    ]
    matching = [hypothesis for hypothesis in hypotheses if mapping.holds in ("", hypothesis.layout)]
    if mapping.holds and not matching:
        refusal = NotResults(
            must=f"needs to be a table of {mapping.holds}",
            found=f"The columns are {join_names(list(profile.columns), 6)}",
            do="See which tables are read in docs/formats.md, or leave out what it holds",
        )
        matching = [LayoutHypothesis(layout=mapping.holds, refusal=refusal)]
    yield from matching


def _average_ranks(profile: Profile) -> LayoutHypothesis | None:
    columns = _rank_column(profile) or _rank_row(profile)
    if columns is None:
        return None
    name, names, texts, roles = columns
    evidence = (weighted_observation(2 * STRONG + FAIR, "average ranks", column=name),)
    values = pd.to_numeric(pd.Series(texts).str.replace(",", ".", regex=False), errors="coerce")
    ranks = pd.Series(values.to_numpy(dtype=float), index=names)
    digits = max(1, *(_decimals(text) for text in texts))
    refusal = _no_average_ranks(name, ranks, digits)
    if refusal is not None:
        return LayoutHypothesis(layout=RANKS, evidence=evidence, refusal=refusal)
    if profile.mapping.directions.get(name) == "higher":
        ranks = (len(ranks) + 1 - ranks).round(digits)
    n = profile.mapping.n_datasets or _count_in(profile)
    return LayoutHypothesis(
        layout=RANKS,
        roles=roles,
        reasons={n: role_reason("name") for n, role in roles.items() if role != "ignore"},
        evidence=(*evidence, weighted_observation(STRONG, "ranks add up", k=len(ranks))),
        asks=() if n else (_how_many("average ranks"),),
        notes=_ranks_read(ranks, n, digits) if n else (),
        published=Published(
            what=RANKS,
            names=tuple(map(str, names)),
            n=n,
            ranks=tuple(float(rank) for rank in ranks),
            digits=digits,
        ),
    )


Columns = tuple[str, list[str], list[str], dict[str, str]]


def _rank_column(profile: Profile) -> Columns | None:
    """Return the average ranks of a table with one row per algorithm."""
    numbers = [n for n in profile.numbers if normalized_name(n) not in _COUNTS]
    ranks = [n for n in numbers if _RANK & set(words_of(n))]
    if len(numbers) > 2 or len(ranks) != 1 or not 2 <= len(profile.frame) <= _MOST:
        return None
    if {r for n, r in profile.named.items() if normalized_name(n) not in _COUNTS} & {
        "dataset",
        "fold",
    }:
        return None
    keys = [n for n in profile.texts if profile[n].is_unique and "" not in set(profile[n].texts)]
    if not keys:
        return None
    names, texts = list(profile.frame[keys[0]]), list(profile.frame[ranks[0]])
    roles = {n: "ignore" for n in profile.frame} | {keys[0]: "algorithm", ranks[0]: "measure"}
    return ranks[0], names, texts, roles


def _rank_row(profile: Profile) -> Columns | None:
    """Return the average ranks of a table with one column per algorithm and a single row."""
    if len(profile.frame) != 1 or len(profile.columns) < 3:
        return None
    first, *names = profile.columns
    label = str(profile.frame[first].iloc[0])
    words = set(words_of(label))
    if not (_RANK & words) or any(not profile[n].is_number for n in names):
        return None
    names = [n for n in names if normalized_name(n) not in _COUNTS]
    roles = {n: "result" if n in names else "ignore" for n in profile.frame}
    return label, names, [str(profile.frame[n].iloc[0]) for n in names], roles


def _decimals(text: str) -> int:
    match = re.search(r"[.,](\d+)\s*$", text)
    return min(len(match[1]), 12) if match else 0


def _no_average_ranks(name: str, ranks: pd.Series, digits: int) -> NotResults | None:
    """Return a refusal if numbers named as ranks cannot be a full set of average ranks."""
    k = len(ranks)
    must = f"needs an average rank from 1 to {k} for each of the {k} algorithms"
    if ranks.isna().any():
        names_missing = join_names([str(n) for n in ranks.index[ranks.isna()]])
        return NotResults(must=must, found=f"There is none for {names_missing}", do="Fill it in")
    are_places = not _AVERAGE & set(words_of(name)) and bool((ranks == ranks.round()).all())
    if are_places and ranks.is_unique:
        return NotResults(
            must="needs the ranks or results on each data set, or their averages",
            found=f'"{name}" holds the places 1 to {k}, which nothing can be tested on',
            do='Give the average ranks (as "average rank"), or each algorithm\'s results',
        )
    if ranks.min() < 1 - 1e-9 or ranks.max() > k + 1e-9:
        return NotResults(
            must=must,
            found=f"They go from {ranks.min():g} to {ranks.max():g}; perhaps not all algorithms of "
            "the paper are in the table",
            do="Add those that are missing: each rank depends on who else was ranked",
        )
    total = wrong_sum(ranks, digits)
    if total is not None:
        return NotResults(
            must="needs the average ranks of all algorithms that were ranked together",
            found=f"Those of {k} algorithms add up to {sum_of_ranks(k):g}, these to {total:.6g}; perhaps not all algorithms of the paper are in the table",
            do="Add those that are missing, or correct the ranks",
        )
    return None


def _ranks_read(ranks: pd.Series, n: int, digits: int) -> tuple:
    misfits = impossible_average_ranks(ranks, n, digits)
    warnings = (message("ranks do not fit", names=tuple(misfits), n=n),) if misfits else ()
    return (message("average ranks read", k=len(ranks), n=n, digits=digits), *warnings)


def _count_in(profile: Profile) -> int:
    """Return the number of data sets given in a column of the table, 0 if there is none."""
    for name, column in profile.columns.items():
        if normalized_name(name) in _COUNTS and column.is_whole and column.is_constant:
            return int(column.values.iloc[0]) if column.values.iloc[0] >= 2 else 0
    return 0


def _how_many(what: str) -> Question:
    return Question(
        about="published",
        question=f"Over how many data sets are these {what}?",
        must="needs the number of data sets",
        found=f"The table holds {what} and does not say over how many",
        do="Give their number (n_datasets of the mapping, --datasets of the command)",
        field="n_datasets",
    )


def _of_square(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose wins or decisions if rows and columns are the same algorithms."""
    square = square_of(profile)
    if square is None:
        return
    refusal = square.contradiction(profile.mapping.n_datasets)
    layout = DECISIONS if square.decided is not None else WINS
    evidence = (
        weighted_observation(3 * STRONG, "matrix of itself", column=square.key),
        weighted_observation(FAIR, "empty diagonal"),
        weighted_observation(FAIR, "zeros and ones" if layout == DECISIONS else "counts of wins"),
    )
    if refusal is not None:
        yield LayoutHypothesis(layout=layout, evidence=evidence, refusal=refusal)
        return
    yield (_decisions if layout == DECISIONS else _wins)(profile, square, evidence)


def _sides(profile: Profile, square: Square) -> tuple[str, tuple[Question, ...]]:
    """Return whether cells count wins of the row or of the column, and a question if unclear."""
    side = profile.mapping.winner or square.side
    if side or not square.has_sides:
        return side or "row", ()
    row, column, cell = square.example
    asks = Question(
        about="published",
        question=f'Row "{row}", column "{column}" says {cell}. Who wins: the row or the column?',
        must="needs to say whose wins a cell counts",
        found="Neither the corner of the table nor its numbers tell",
        do='Choose, or write "row beats column" into the corner (winner of the mapping, --winner '
        "of the command)",
        field="winner",
    )
    return "row", (asks,)


def _wins(
    profile: Profile, square: Square, evidence: tuple[LayoutEvidence, ...]
) -> LayoutHypothesis:
    assert square.wins is not None
    side, asks = _sides(profile, square)
    wins, ties = square.wins, square.ties
    n = profile.mapping.n_datasets or square.n
    if n and ties is None:
        ties = n - wins - wins.T
        np.fill_diagonal(ties, 0)
    wins = wins if side == "row" else wins.T
    asks = asks if n else (_how_many("numbers of wins"), *asks)
    return LayoutHypothesis(
        layout=WINS,
        roles=square.roles,
        evidence=evidence,
        asks=asks,
        notes=(message("wins read", n=n, side=side, told=square.ties is not None),),
        published=Published(
            what=WINS,
            names=square.names,
            n=n,
            wins=_whole(wins),
            ties=() if ties is None else _whole(ties),
        ),
    )


def _decisions(
    profile: Profile, square: Square, evidence: tuple[LayoutEvidence, ...]
) -> LayoutHypothesis:
    assert square.decided is not None
    side, asks = _sides(profile, square)
    decided = square.decided if side == "row" else square.decided.T
    return LayoutHypothesis(
        layout=DECISIONS,
        roles=square.roles,
        evidence=evidence,
        asks=asks,
        notes=(message("decisions read", sided=square.has_sides, side=side),),
        published=Published(
            what=DECISIONS,
            names=square.names,
            n=profile.mapping.n_datasets,
            decided=tuple(tuple(bool(cell) for cell in row) for row in decided),
            sided=not square.mirrored,
        ),
    )


def _whole(matrix: np.ndarray) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(cell) for cell in row) for row in matrix)


@message_text("average ranks read")
def _ranks_note(voice: Audience, k: int, n: int, digits: int) -> str:
    return (
        f"Read as the average ranks of {format_count(k, 'algorithm')} over {format_count(n, 'data set')}, 1 is "
        "best."
    )


@message_text("wins read")
def _wins_note(voice: Audience, n: int, side: str, told: bool) -> str:
    ties = "" if told else "; what is neither a win nor a loss counts as a tie"
    return f"Read as wins of the {side} over {format_count(n, 'data set')}{ties}."


@message_text("decisions read")
def _decisions_note(voice: Audience, sided: bool, side: str) -> str:
    means = f"the {side} is better" if sided else "the two differ"
    return f"Read as decisions: 1 says that {means}. They are taken as given; nothing is tested."
