"""Tables without results: published summaries, which are analysed as such, and others, which are refused."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.formatting import join_names
from stats_core.core.messages import message
from stats_core.data import published
from stats_core.data.published import DECISIONS, RANKS, WINS, Published
from stats_core.io import vocabulary
from stats_core.io.problems import NotResults, Question, question_of, refusal_of, role_reason
from stats_core.io.profile import (
    FAIR,
    FEW,
    NAME,
    STRONG,
    LayoutHypothesis,
    Profile,
    observed,
    refused,
)

_BLANK = {
    "",
    "-",
    "--",
    "\u2013",
    "\u2014",
    "x",
    ".",
    "nan",
    "na",
    "n/a",
    "none",
    "0",
    "0.0",
    "0/0/0",
    "0-0-0",
}
_THREE = re.compile(r"(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})\s*[/:\-\u2013]\s*(\d{1,9})")
_BEATS = r"\b{0}s?\b\W+(?:\w+\W+)?(?:beats?|wins?|better|defeats?)|(?:wins?|better)\b.*\b(?:of|is)\b.*\b{0}"


@dataclass(frozen=True, kw_only=True, eq=False)
class _Square:
    """Square table, algorithm x algorithm, with an empty diagonal."""

    key: str  # the column of names
    names: tuple[str, ...]  # the algorithms, in row order
    cells: pd.DataFrame  # algorithm x algorithm, as written
    wins: np.ndarray | None = (
        None  # data sets that the row, or the column, wins; None in a table of decisions
    )
    ties: np.ndarray | None = None  # None if the cells do not give them
    decided: np.ndarray | None = (
        None  # 1 if one algorithm is declared better, else 0; None in a table of wins
    )
    refusal: NotResults | None = None

    @property
    def mirrored(self) -> bool:
        """Whether there are decisions and they are symmetric, so that the better algorithm is unknown."""
        return self.decided is not None and bool(
            self.decided.any() and (self.decided == self.decided.T).all()
        )

    @property
    def has_sides(self) -> bool:
        """Whether the reading depends on cells counting wins of the row or of the column."""
        return self.decided is None or bool(self.decided.any()) and not self.mirrored

    @property
    def side(self) -> str:
        """Whether cells count wins of the "row" or "column", by the corner cell; "" if unknown."""
        corner = self.key.lower()
        sides = [side for side in ("row", "column") if re.search(_BEATS.format(side), corner)]
        return sides[0] if len(sides) == 1 else ""

    @property
    def example(self) -> dict[str, str]:
        """The cell that favours its row most over the mirrored cell: row, column and text."""
        counted = self.decided if self.decided is not None else self.wins
        assert counted is not None
        i, j = np.unravel_index(int((counted - counted.T).argmax()), counted.shape)
        return {"row": self.names[i], "column": self.names[j], "cell": str(self.cells.iloc[i, j])}

    @property
    def _total(self) -> np.ndarray:
        """Numbers of data sets on which either algorithm of each pair wins or, if the table gives ties, both tie."""
        assert self.wins is not None
        return self.wins + self.wins.T + (0 if self.ties is None else self.ties)

    @property
    def n(self) -> int:
        """Number of data sets if the table determines it, else 0."""
        sums = set(self._total[np.triu_indices(len(self.names), 1)].tolist())
        is_determined = self.ties is not None or len(self.names) > 2
        return sums.pop() if is_determined and len(sums) == 1 else 0

    def contradiction(self, n: int) -> NotResults | None:
        """Return a refusal if the table contradicts itself or the number of data sets (0 if not set), else None."""
        if self.refusal is not None or self.wins is None:
            return self.refusal
        i, j = np.unravel_index(int(self._total.argmax()), self._total.shape)
        largest, a, b = int(self._total[i, j]), self.names[i], self.names[j]
        if self.ties is not None and self.n < 2:
            return refusal_of("sums of wins differ", a=a, b=b, largest=largest)
        if n and (n < largest or self.ties is not None and n != largest):
            return refusal_of("more wins than data sets", a=a, b=b, largest=largest, n=n)
        return None


def _square_of(profile: Profile) -> _Square | None:
    """Return the profiled table as a square table of wins or decisions, None if it is not one."""
    frame = profile.frame
    if frame.shape[1] < 3 or len(frame) != frame.shape[1] - 1:
        return None
    key, *columns = frame.columns
    names = list(frame[key])
    if "" in names or sorted(names) != sorted(columns):
        return None
    cells = frame.set_index(key)[names].map(lambda text: str(text).strip())
    if {cell.lower() for cell in np.diagonal(cells)} - _BLANK:
        return None
    fields = {"key": str(key), "names": tuple(map(str, names)), "cells": cells}
    return _of_three(fields) or _of_numbers(fields)


def _of_three(fields: dict) -> _Square | None:
    """Return the table of cells such as 12/3/5 (wins, ties and losses in unknown order), None for other cells.

    If the order remains unknown, or both halves contradict each other, the table has a refusal and
    no wins.
    """
    cells = fields["cells"].to_numpy(dtype=object)
    k = len(cells)
    off_diagonal = ~np.eye(k, dtype=bool)
    counts = np.full((k, k, 3), -1)
    for i, j in np.argwhere(off_diagonal):
        if match := _THREE.fullmatch(cells[i, j]):
            counts[i, j] = [int(part) for part in match.groups()]
    filled = counts[:, :, 0] >= 0
    if not (filled | filled.T)[off_diagonal].all():
        return None
    mirrored_pairs = filled & filled.T
    tie_index = (
        _half(fields["key"]) if not mirrored_pairs.any() else _tie_place(counts, mirrored_pairs)
    )
    if tie_index is None:
        unclear = refusal_of(
            "halves contradict" if mirrored_pairs.any() else "order of wins unknown"
        )
        return _Square(**fields, refusal=unclear)
    wins, ties = np.zeros((k, k), int), np.zeros((k, k), int)
    for i, j in np.argwhere(filled):
        wins[i, j], wins[j, i] = counts[i, j, 0], counts[i, j, 3 - tie_index]
        ties[i, j] = ties[j, i] = counts[i, j, tie_index]
    return _Square(**fields, wins=wins, ties=ties)


def _half(corner: str) -> int | None:
    """Return the position of ties within cells according to the corner cell, None if not given."""
    order = "".join(letter for letter in re.findall(r"\b[a-z]", corner.lower()) if letter in "wtdl")
    positions = {"wtl": 1, "wdl": 1, "wlt": 2, "wld": 2}
    return next((position for letters, position in positions.items() if letters in order), None)


def _tie_place(counts: np.ndarray, mirrored_pairs: np.ndarray) -> int | None:
    """Return the position of ties that makes both triangles consistent, None if none does."""
    mirrored = counts.transpose(1, 0, 2)
    for tie_index, mirrored_order in ((1, (2, 1, 0)), (2, (1, 0, 2))):
        if (counts[mirrored_pairs] == mirrored[mirrored_pairs][:, mirrored_order]).all():
            return tie_index
    return None


def _of_numbers(fields: dict) -> _Square | None:
    """Return the table of zeros and ones (decisions) or larger integers (wins), None for symmetric wins and others."""
    texts = fields["cells"].map(str.lower).replace({"false": "0", "true": "1"})
    table = texts.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float, copy=True)
    np.fill_diagonal(table, 0)
    if not np.isfinite(table).all() or (table != table.round()).any() or (table < 0).any():
        return None
    counts = table.astype(int)
    if counts.max() > 1:
        is_symmetric = (counts == counts.T).all()  # similarities
        return None if is_symmetric else _Square(**fields, wins=counts)
    pairs = [
        (fields["names"][i], fields["names"][j]) for i, j in np.argwhere(counts & counts.T) if i < j
    ]
    if not pairs or (counts == counts.T).all():
        return _Square(**fields, decided=counts)
    (a, b), *_ = pairs
    return _Square(
        **fields, decided=counts, refusal=refusal_of("cells contradict", a=a, b=b, n=len(pairs))
    )


_MOST = 1000


def match_published_summary(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield hypotheses of a published summary, or a refusal if the user's kind of summary does not fit the table."""
    mapping = profile.mapping
    if profile.several or profile.declared and not (mapping.holds or mapping.n_datasets):
        return
    hypotheses = [*_average_ranks(profile), *_of_square(profile)]
    matching = [hypothesis for hypothesis in hypotheses if mapping.holds in ("", hypothesis.layout)]
    if mapping.holds and not matching:
        refusal = refusal_of("not as declared", holds=mapping.holds, columns=profile.columns)
        matching = [LayoutHypothesis(layout=mapping.holds, refusal=refusal)]
    yield from matching


def _average_ranks(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of average ranks, one per algorithm, or its refusal."""
    columns = _rank_column(profile) or _rank_row(profile)
    if columns is None:
        return
    name, names, texts, roles = columns
    evidence = (observed(2 * STRONG + FAIR, "average ranks", column=name),)
    values = pd.to_numeric(pd.Series(texts).str.replace(",", ".", regex=False), errors="coerce")
    ranks = pd.Series(values.to_numpy(dtype=float), index=names)
    decimals = (text.replace(",", ".").strip().partition(".")[2] for text in texts)
    digits = min(max(1, *map(len, decimals)), 12)
    if refusal := _no_average_ranks(name, ranks, digits):
        yield LayoutHypothesis(layout=RANKS, evidence=evidence, refusal=refusal)
        return
    if profile.mapping.directions.get(name) == "higher":
        ranks = (len(ranks) + 1 - ranks).round(digits)
    n = profile.mapping.n_datasets or _count_in(profile)
    notes = [message("average ranks read", k=len(ranks), n=n, digits=digits)]
    if misfits := published.impossible_average_ranks(ranks, n, digits) if n else []:
        notes.append(message("ranks do not fit", names=tuple(misfits), n=n))
    yield LayoutHypothesis(
        layout=RANKS,
        roles=roles,
        reasons={n: role_reason("name") for n, role in roles.items() if role != "ignore"},
        evidence=(*evidence, observed(STRONG, "ranks add up", k=len(ranks))),
        asks=() if n else (question_of("number of data sets", what="average ranks"),),
        notes=tuple(notes) if n else (),
        published=Published(
            what=RANKS,
            names=tuple(map(str, names)),
            n=n,
            ranks=tuple(map(float, ranks)),
            digits=digits,
        ),
    )


_Columns = tuple[str, list[str], list[str], dict[str, str]]


def _rank_column(profile: Profile) -> _Columns | None:
    """Return label, algorithms, ranks as text and column roles of a column of average ranks, None if there is none."""
    others = [n for n in profile.columns if not vocabulary.is_listed(n, "numbers of data sets")]
    numbers = [n for n in profile.numbers if not vocabulary.is_listed(n, "numbers of data sets")]
    ranks = [n for n in numbers if vocabulary.mentions(n, "ranks")]
    if len(numbers) > 2 or len(ranks) != 1 or not 2 <= len(profile.frame) <= _MOST:
        return None
    if {"dataset", "fold"} & {profile.named.get(name) for name in others}:
        return None
    keys = [n for n in profile.texts if profile[n].is_unique and "" not in set(profile[n].texts)]
    if not keys:
        return None
    roles = profile.ignored | {keys[0]: "algorithm", ranks[0]: "measure"}
    return ranks[0], list(profile.frame[keys[0]]), list(profile.frame[ranks[0]]), roles


def _rank_row(profile: Profile) -> _Columns | None:
    """Return label, algorithms, ranks as text and column roles of one row of average ranks, None for other tables."""
    if len(profile.frame) != 1 or len(profile.columns) < 3:
        return None
    first, *names = profile.columns
    label = str(profile.frame[first].iloc[0])
    if not vocabulary.mentions(label, "ranks") or any(not profile[n].is_number for n in names):
        return None
    roles = {
        n: "ignore" if vocabulary.is_listed(n, "numbers of data sets") else "result" for n in names
    }
    names = vocabulary.with_role(roles, "result")
    return label, names, [str(profile.frame[n].iloc[0]) for n in names], {first: "ignore"} | roles


def _no_average_ranks(name: str, ranks: pd.Series, digits: int) -> NotResults | None:
    """Return a refusal if numbers named as ranks cannot be complete average ranks, else None."""
    k = len(ranks)
    if ranks.isna().any():
        names_missing = join_names([str(n) for n in ranks.index[ranks.isna()]])
        return refusal_of("rank missing", k=k, names=names_missing)
    are_places = not vocabulary.mentions(name, "averages") and bool((ranks == ranks.round()).all())
    if are_places and ranks.is_unique:
        return refusal_of("places", name=name, k=k)
    if ranks.min() < 1 - 1e-9 or ranks.max() > k + 1e-9:
        return refusal_of("ranks out of range", k=k, min=ranks.min(), max=ranks.max())
    total = published.wrong_sum(ranks, digits)
    if total is not None:
        return refusal_of("sum of ranks", k=k, expected=published.sum_of_ranks(k), total=total)
    return None


def _count_in(profile: Profile) -> int:
    """Return the number of data sets given in a constant column, 0 if there is none or it is below 2."""
    listed = [profile[name] for name in _named_as(profile, "numbers of data sets")]
    counts = [
        int(column.values.iloc[0]) for column in listed if column.is_whole and column.is_constant
    ]
    return next((n for n in counts if n >= 2), 0)


def _of_square(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield the hypothesis of wins or decisions, or its refusal, if rows and columns list the same algorithms."""
    square = _square_of(profile)
    if square is None:
        return
    layout = DECISIONS if square.decided is not None else WINS
    roles = {name: "algorithm" if name == square.key else "result" for name in profile.frame}
    hypothesis = LayoutHypothesis(
        layout=layout,
        evidence=(
            observed(3 * STRONG, "matrix of itself", column=square.key),
            observed(FAIR, "empty diagonal"),
            observed(FAIR, "zeros and ones" if layout == DECISIONS else "counts of wins"),
        ),
        refusal=square.contradiction(profile.mapping.n_datasets),
    )
    if hypothesis.refusal is None:
        hypothesis = replace(hypothesis, roles=roles, **_content(profile, square))
    yield hypothesis


def _content(profile: Profile, square: _Square) -> dict[str, Any]:
    """Return the hypothesis fields of a square table: the published summary, questions and notes."""
    side = profile.mapping.winner or square.side
    asks: list[Question] = []
    if not side and square.has_sides:
        asks.append(question_of("winner", **square.example))
    side = side or "row"

    def cells(matrix: np.ndarray) -> tuple[tuple, ...]:
        return tuple(map(tuple, (matrix if side == "row" else matrix.T).tolist()))

    if square.decided is not None:
        summary = Published(
            what=DECISIONS,
            names=square.names,
            n=profile.mapping.n_datasets,
            decided=cells(square.decided.astype(bool)),
            sided=not square.mirrored,
        )
        notes = (message("decisions read", sided=square.has_sides, side=side),)
        return {"asks": tuple(asks), "notes": notes, "published": summary}
    assert square.wins is not None
    n, ties = profile.mapping.n_datasets or square.n, square.ties
    if n and ties is None:
        ties = n - square.wins - square.wins.T
        np.fill_diagonal(ties, 0)
    asks = asks if n else [question_of("number of data sets", what="numbers of wins"), *asks]
    ties_cells = () if ties is None else cells(ties)  # symmetric
    summary = Published(
        what=WINS, names=square.names, n=n, wins=cells(square.wins), ties=ties_cells
    )
    notes = (message("wins read", n=n, side=side, told=square.ties is not None),)
    return {"asks": tuple(asks), "notes": notes, "published": summary}


_SIDES = (("modela", "modelb"), ("a", "b"), ("systema", "systemb"), ("method1", "method2"))


def match_not_results(profile: Profile) -> Iterator[LayoutHypothesis]:
    """Yield a refusal for each kind of other data that the table seems to hold; none if the user set roles."""
    if profile.declared:
        return
    yield from filter(None, (detect(profile) for detect in _DETECTORS))


def _named_as(profile: Profile, word_list: str) -> list[str]:
    """Return the columns whose names are in a word list."""
    return [name for name in profile.columns if vocabulary.is_listed(name, word_list)]


def _finished_test_or_runs(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of results of finished tests or of the run list of an experiment tracker, else None."""
    tested, columns = _named_as(profile, "finished test"), _named_as(profile, "runs of a tracker")
    if len(tested) > bool(profile.measures):
        return refused(3 * STRONG, "finished test", tested=tested)
    if len(columns) > 1 and not profile.measures:
        return refused(2 * STRONG, "list of runs", n_rows=len(profile.frame), columns=columns)
    return None


def _course_of_training(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of training histories (increasing steps, or a tracker's minima and maxima), else None."""
    keys = [n for n, role in profile.named.items() if role in ("algorithm", "dataset", "fold")]
    has_validation = any(n.startswith("val_") and n[4:] in profile.columns for n in profile.numbers)
    for name in profile.numbers:
        if not vocabulary.is_listed(name, "training steps"):
            continue
        rises = _rises_within(profile, keys, name) if keys else profile[name].rises
        if rises and (not keys or has_validation or _changes_smoothly(profile, keys)):
            return refused(3 * STRONG, "course of training", column=name)
    tracked = [n for n in profile.columns if n.endswith(("__MIN", "__MAX"))]
    return refused(3 * STRONG, "curves of a tracker", columns=tracked) if len(tracked) > 1 else None


def _rises_within(profile: Profile, keys: list[str], step: str) -> bool:
    """Return whether all groups have five or more rows and a column increases within each."""
    steps = profile.grouped(step, keys)
    rises = steps.apply(lambda part: (part.diff().dropna() > 0).all())
    return bool((steps.size() >= 5).all() and rises.all())


def _changes_smoothly(profile: Profile, keys: list[str]) -> bool:
    """Return whether measures change much less between consecutive rows of a key than among all its rows."""
    parts = [
        part
        for name in profile.measures
        for _, part in profile.grouped(name, keys)
        if len(part) >= 5
    ]
    ratios = [part.diff().abs().median() / part.std() for part in parts if part.std() > 0]
    return bool(ratios) and float(np.median(ratios)) < 0.6


def _curve(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of a single curve (two numeric columns, the first increasing), else None."""
    if len(profile.numbers) != 2 or len(profile.columns) != 2 or profile.several:
        return None
    first, second = profile.numbers
    if not profile[first].rises or profile.named.get(first) in ("fold", "repetition"):
        return None
    return refused(2 * STRONG, "curve", first=first, second=second)


def _metrics_of_models(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of one row per model and one column per measure, without repetitions, else None."""
    numbers = [n for n in profile.numbers if not profile[n].counts_up]
    measures = [
        n
        for n in numbers
        if vocabulary.known_measure(n) or vocabulary.is_spread(n) or vocabulary.speaks_of_measure(n)
    ]
    keys = [n for n in profile.texts if profile[n].is_unique]
    if profile.several or not numbers or not keys or 2 * len(measures) < len(numbers):
        return None
    if profile.has_role("dataset", "fold", "repetition", "true"):
        return None
    if len(numbers) < 2 and not vocabulary.is_spread(numbers[0]):
        return None
    repeated = [n for n in profile.texts if 1 < profile[n].distinct < len(profile.frame)]
    if any(profile.unique(pair) for pair in combinations(repeated[:6], 2)):
        return None  # rows cross two keys, so there are several numbers per model
    key, n_rows = keys[0] or "row", len(profile.frame)
    return refused(
        STRONG + 2 * FAIR, "one number per model", key=key, n_rows=n_rows, measures=measures
    )


def _ranks_among_others(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of average ranks that cannot be read (without names, or next to other files), else None."""
    ranks = [n for n in profile.numbers if {"rank", "ranks"} & set(vocabulary.words_of(n))]
    if (
        len(profile.numbers) > 2
        or not ranks
        or len(profile.frame) > 1000
        or profile.has_role("dataset", "fold")
    ):
        return None
    code = (
        "ranks among others"
        if any(profile[n].is_unique for n in profile.texts)
        else "ranks without names"
    )
    return refused(STRONG + FAIR, code, column=ranks[0])


def _sizes_of_datasets(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of tables of data set properties, such as numbers of instances, else None."""
    sizes = [n for n in profile.numbers if vocabulary.mentions(n, "sizes of data sets")]
    others = [n for n in profile.numbers if n not in sizes and not profile[n].counts_up]
    if (
        len(sizes) < max(3, len(others))
        or profile.measures
        or profile.has_role("algorithm", "fold")
    ):
        return None
    return refused(2 * STRONG + FAIR, "sizes of data sets", columns=sizes)


def _one_models_folds(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of the folds of a single model (columns are measures, rows have no names), else None."""
    numbers = profile.free_numbers
    abbreviated = _named_as(profile, "abbreviated measures")
    measures = [n for n in numbers if vocabulary.known_measure(n) or n in abbreviated]
    fewest = 1 if profile.has_role("fold", "repetition") else 2
    if (
        profile.several
        or len(measures) < fewest
        or 2 * len(measures) < len(numbers)
        or profile.free_texts
    ):
        return None
    if profile.has_role("algorithm", "dataset", "true", "tp"):
        return None
    return refused(
        2 * STRONG + FAIR, "folds of one model", n_rows=len(profile.frame), measures=measures
    )


def _raw_data(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of raw data (texts, codes and other numbers, no measure or algorithm named), else None."""
    if profile.measures or profile.has_role("algorithm", "predicted", "score"):
        return None
    texts = profile.free_texts
    numbers = [n for n in profile.numbers if not profile[n].is_unique or not profile[n].is_whole]
    coded = [n for n in numbers if profile[n].is_whole and profile[n].distinct <= FEW]
    if (
        len(texts) < 2
        or len(profile.frame) < 20
        or not 1 <= len(coded) < len(numbers)
        or len(texts) + len(coded) < 4
    ):
        return None
    if profile.crosses([n for n in texts if not profile[n].is_constant]):
        return None  # an experiment
    return refused(2 * STRONG, "raw data", columns=[*texts[:2], *coded[:2]])


def _features_and_class(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of raw data (numeric features, with the class in the last column), else None."""
    *_, label = profile.columns.values()
    numbers = [n for n in profile.numbers if n != label.name and not profile[n].counts_up]
    numbers = [n for n in numbers if vocabulary.role_in_name(n) != "instance"]
    is_class = label.is_text or (label.is_whole and label.distinct <= 10)
    if len(profile.frame) < 20 or len(numbers) < 3 or not (is_class and 2 <= label.distinct <= FEW):
        return None
    if (
        set(profile.texts) - {label.name}
        or profile.measures
        or profile.has_role("algorithm", "dataset", "fold")
    ):
        return None
    if all(set(profile[n].values.unique()) <= set(label.values.unique()) for n in numbers):
        return None  # labels next to labels
    if all(profile[n].within(0, 1) for n in numbers):
        return None  # scores next to labels
    return refused(2 * STRONG, "features and class", columns=numbers, class_column=label.name)


def _confusion(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of a confusion matrix (the same classes in rows and columns), else None."""
    if len(profile.texts) != 1 or len(profile.numbers) < 2:
        return None
    key = profile[profile.texts[0]]
    labels = key.coded[1]
    if not key.is_unique or not len(profile.numbers) >= len(labels) >= 2:
        return None
    named_by_class = [n for n in profile.numbers if any(n.endswith(label) for label in labels)]
    if len(named_by_class) < len(labels):
        return None
    if not all(profile[n].is_whole for n in profile.numbers):
        return None
    return refused(3 * STRONG, "confusion")


def _labels_without_truth(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of predictions without true labels (an instance number and one label), else None."""
    if len(profile.columns) != 2 or len(profile.frame) < 20 or profile.has_role("true"):
        return None
    first, second = profile.columns.values()
    if not first.is_unique or second.distinct > FEW or not (second.is_whole or second.is_text):
        return None
    return refused(2 * STRONG + NAME, "labels without truth", column=second.name)


def _matrix_of_itself(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of a square matrix with the same names in rows and columns, else None."""
    key = profile.texts[0] if profile.texts else ""
    names = (
        list(profile.frame[key]) if key and 2 <= len(profile.frame) < len(profile.columns) else []
    )
    if not names or not set(names) <= set(profile.numbers) or not profile[key].is_unique:
        return None
    matrix = profile.matrix(names)
    present = ~np.isnan(matrix) & ~np.isnan(matrix.T)
    mirrored = np.allclose(matrix[present], matrix.T[present])
    content = "similarities or p-values" if mirrored else "wins or decisions"
    return refused(3 * STRONG, "matrix of itself", content=content)


def _duels(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of pairwise outcomes (two columns of names, and a winner per pair), else None."""
    columns = {vocabulary.normalized_name(name): name for name in profile.columns}
    pair = next((sides for sides in _SIDES if set(sides) <= set(columns)), None)
    if pair is None or not all(profile[columns[side]].is_text for side in pair):
        return None
    first, second = (columns[side] for side in pair)
    winner = next((n for n in _named_as(profile, "winner of a duel") if profile[n].is_text), "")
    if not winner:
        return None
    return refused(
        3 * STRONG, "duels", n_rows=len(profile.frame), winner=winner, first=first, second=second
    )


def _trials(profile: Profile) -> LayoutHypothesis | None:
    """Return the refusal of a hyperparameter search (numbered trials with states), else None."""
    if profile.has_role("algorithm", "dataset", "fold", "true"):
        return None
    numbered = [
        n
        for n in _named_as(profile, "number of a trial")
        if profile[n].is_whole and profile[n].is_unique
    ]
    known_states = vocabulary.WORDS["states of a trial"]
    states = [
        n
        for n in profile.texts
        if vocabulary.is_bookkeeping(n) and set(profile[n].texts.str.lower()) <= known_states
    ]
    return refused(3 * STRONG, "trials", n_rows=len(profile.frame)) if numbered and states else None


_DETECTORS: tuple[Callable[[Profile], LayoutHypothesis | None], ...] = (
    *(
        _finished_test_or_runs,
        _course_of_training,
        _curve,
        _metrics_of_models,
        _ranks_among_others,
        _sizes_of_datasets,
    ),
    *(_one_models_folds, _raw_data, _features_and_class, _confusion, _labels_without_truth),
    *(_matrix_of_itself, _duels, _trials),
)
