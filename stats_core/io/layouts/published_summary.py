"""Published summary tables: average ranks, wins or decisions."""

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.core.messages import message
from stats_core.data.published import (
    DECISIONS,
    RANKS,
    WINS,
    Published,
    impossible_average_ranks,
    sum_of_ranks,
    wrong_sum,
)
from stats_core.io.layouts.pairwise_matrix import Square, square_of
from stats_core.io.problems import NotResults, Question, question_of, refusal_of, role_reason
from stats_core.io.profile import Profile
from stats_core.io.scoring import FAIR, STRONG, LayoutEvidence, LayoutHypothesis, observed
from stats_core.io.vocabulary import WORDS, normalized_name, words_of

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
        refusal = refusal_of("not as declared", holds=mapping.holds, columns=profile.columns)
        matching = [LayoutHypothesis(layout=mapping.holds, refusal=refusal)]
    yield from matching


def _average_ranks(profile: Profile) -> LayoutHypothesis | None:
    columns = _rank_column(profile) or _rank_row(profile)
    if columns is None:
        return None
    name, names, texts, roles = columns
    evidence = (observed(2 * STRONG + FAIR, "average ranks", column=name),)
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
        evidence=(*evidence, observed(STRONG, "ranks add up", k=len(ranks))),
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
    numbers = [
        n for n in profile.numbers if normalized_name(n) not in WORDS["numbers of data sets"]
    ]
    ranks = [n for n in numbers if WORDS["ranks"] & words_of(n)]
    if len(numbers) > 2 or len(ranks) != 1 or not 2 <= len(profile.frame) <= _MOST:
        return None
    if {
        r
        for n, r in profile.named.items()
        if normalized_name(n) not in WORDS["numbers of data sets"]
    } & {"dataset", "fold"}:
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
    if WORDS["ranks"].isdisjoint(words) or any(not profile[n].is_number for n in names):
        return None
    names = [n for n in names if normalized_name(n) not in WORDS["numbers of data sets"]]
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
        return refusal_of("rank missing", must=must, names=names_missing)
    are_places = not WORDS["averages"] & words_of(name) and bool((ranks == ranks.round()).all())
    if are_places and ranks.is_unique:
        return refusal_of("places", name=name, k=k)
    if ranks.min() < 1 - 1e-9 or ranks.max() > k + 1e-9:
        return refusal_of("ranks out of range", must=must, min=ranks.min(), max=ranks.max())
    total = wrong_sum(ranks, digits)
    if total is not None:
        return refusal_of("sum of ranks", k=k, expected=sum_of_ranks(k), total=total)
    return None


def _ranks_read(ranks: pd.Series, n: int, digits: int) -> tuple:
    misfits = impossible_average_ranks(ranks, n, digits)
    warnings = (message("ranks do not fit", names=tuple(misfits), n=n),) if misfits else ()
    return (message("average ranks read", k=len(ranks), n=n, digits=digits), *warnings)


def _count_in(profile: Profile) -> int:
    """Return the number of data sets given in a column of the table, 0 if there is none."""
    for name, column in profile.columns.items():
        if (
            normalized_name(name) in WORDS["numbers of data sets"]
            and column.is_whole
            and column.is_constant
        ):
            return int(column.values.iloc[0]) if column.values.iloc[0] >= 2 else 0
    return 0


def _how_many(what: str) -> Question:
    return question_of("number of data sets", what=what)


def _of_square(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Propose wins or decisions if rows and columns are the same algorithms."""
    square = square_of(profile)
    if square is None:
        return
    refusal = square.contradiction(profile.mapping.n_datasets)
    layout = DECISIONS if square.decided is not None else WINS
    evidence = (
        observed(3 * STRONG, "matrix of itself", column=square.key),
        observed(FAIR, "empty diagonal"),
        observed(FAIR, "zeros and ones" if layout == DECISIONS else "counts of wins"),
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
    asks = question_of("winner", row=row, column=column, cell=cell)
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
