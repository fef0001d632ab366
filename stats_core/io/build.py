"""Combination of the tables read from several files into one validated `Results`."""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem
from stats_core.core.formatting import join_names, quote
from stats_core.core.messages import Message, fill_in, message
from stats_core.data import row_checks
from stats_core.data.measures import COUNTS, DERIVED, LOSSES, MEASURES, confusion_measures
from stats_core.data.predictions import (
    as_categories,
    fill_keys,
    is_common_test_set,
    rename_categories,
    stack_predictions,
)
from stats_core.data.results import Results
from stats_core.io import score_predictions, table_layout, text_cells, text_table, vocabulary
from stats_core.io.mapping import Mapping
from stats_core.io.problems import TEXTS, current_limits, data_error, problem_of
from stats_core.io.profile import is_off_scale
from stats_core.io.table_layout import KEY_ROLES, FileTable

KEYS = list(KEY_ROLES)
_FOLD = ["dataset", "repetition", "fold"]
_SIZE, _CORRELATION = (1, float("inf"), "size below one"), (-1, 1, "outside bounds")
# column -> least value, largest value, code of the problem
_BOUNDS = {"n_train": _SIZE, "n_test": _SIZE, "mcc": _CORRELATION, "kappa": _CORRELATION}


_WHAT = {"dataset": "data set"}
_SUM = re.compile(
    r"(average|avg|mean|median|total|sum|std|stdev|stddev|sd|overall|all)"
    r"(of|over|across)?(all)?(datasets|algorithms|methods|models|folds|runs)?"
)
_NOT_BELOW_ZERO = re.compile(r"time|duration|seconds|memory|_m?s$|rmse|rmsle|(^|_)m[as]e$|log_loss|brier")
_MINUS_ONE = re.compile(r"mcc|kappa|corr|spearman|pearson|tau|rho|silhouette|rand|r2|skill")
_SHOWN = 8  # rows shown with a question


def build_results(pieces: Sequence[FileTable], *, mapping: Mapping, digest: str) -> Results:
    """Return the results of all files, validated and on one scale; raise DataError or, if undecided, NeedsMapping."""
    _check_names(pieces)
    doubt_notes = _resolve_suspicious_values(pieces, mapping)
    problems = [p for piece in pieces for p in (*piece.problems, *_prepare(piece))]
    problems += _copies([piece for piece in pieces if piece.layout != "predictions"])
    if problems:
        raise DataError(problems)
    notes = [note for piece in pieces for note in piece.notes]
    notes += [*doubt_notes, *_merge_spellings(pieces)]
    tags, tag_notes = table_layout.tags_together(pieces)
    notes += tag_notes
    instances, costs = [], []
    directions: dict[str, str] = {}
    for piece in pieces:
        if piece.layout == "predictions":
            table, fold_notes = _fold_predictions(piece, mapping)
            instances.append(table)
            notes += fold_notes
        if set(COUNTS) <= set(piece.rows):
            problems += _derive(piece)
        directions |= piece.directions
        costs += [name for name in piece.costs if name not in costs]
    if problems:
        raise DataError(problems)
    for name in LOSSES:  # keep a loss only if every file has it
        if any(name not in piece.directions for piece in pieces if piece.layout == "predictions"):
            directions = {key: direction for key, direction in directions.items() if key != name}
    if not directions:
        first = str(pieces[0].rows["file"].iloc[0]) if len(pieces[0].rows) else ""
        raise data_error("no measure", first, none=not costs, costs=costs)
    predictions, hint, pairing_notes = _instances(instances, mapping, pieces[0].rows["file"].iloc[0])
    notes += pairing_notes
    rows = _together(pieces, directions, costs)
    repeats = len(pieces) > 1 and row_checks.distinct_rows(rows, KEYS) < len(rows)
    problems = [*(_conflicts(rows) if repeats else []), *_unpaired(rows)]
    if problems:
        raise DataError(problems)
    table = rows
    if repeats:
        numbers = rows.drop(columns=["line", "file", "column"], errors="ignore")
        table = numbers.groupby(KEYS, sort=False, as_index=False).first()
    if predictions is None and pieces[0].published is None:
        table, copy_notes = _settle_copies(table, list(directions), mapping, rows)
        notes += copy_notes
    predefined = {name: i for i, name in enumerate(MEASURES)}  # in this order, then others in that of the file
    order = sorted(directions, key=lambda name: (predefined.get(name, len(predefined)), _is_partial(name)))
    return Results.from_frame(
        table,
        directions={name: directions[name] for name in order},
        costs=sorted(costs),
        groups=tags,
        files=tuple(dict.fromkeys(f for p in pieces for f in p.rows["file"].unique())),
        digest=digest,
        layout=pieces[0].layout,
        predictions=predictions,
        notes=tuple(dict.fromkeys(notes)),
        published=pieces[0].published,
        design_hint=next((piece.design for piece in pieces if piece.design), hint),
    )


def _is_partial(measure: str) -> bool:
    """Return whether a name mentions an extreme or is not that of a known measure."""
    return vocabulary.mentions(measure, "extremes") or not vocabulary.known_measure(measure)


def _check_names(pieces: Sequence[FileTable]) -> None:
    """Raise DataError for more or longer names than the limits allow."""
    for key in ("algorithm", "dataset"):
        names: set[str] = set()
        for rows in (piece.rows for piece in pieces if key in piece.rows):
            unique_names = rows[key].unique()
            file = str(rows["file"].iloc[0]) if len(rows) else ""
            current_limits().check(file, "name", max(map(len, unique_names), default=0))
            names.update(unique_names)
            current_limits().check(file, f"{key}s", len(names))


def _prepare(piece: FileTable) -> list[Problem]:
    """Fill in absent keys and convert rates to fractions, in place; return problems such as empty names."""
    problems = []
    if piece.layout == "predictions":
        piece.rows = as_categories(piece.rows)
        fill_keys(piece.rows)
    for key in KEYS:
        if key not in piece.rows:
            piece.rows[key] = text_table.constant_column("1", piece.rows.index)
            continue
        label = {"dataset": "data set"}.get(key, key)
        for code, is_wrong in (("name missing", operator.not_), ("name on several lines", lambda name: "\n" in name)):
            if (mask := _mask_names(piece.rows[key], is_wrong)).any():
                wrong = piece.rows[mask]
                problems.append(_row_problem(wrong, code, label=label, n=_file_rows(wrong), name=wrong[key].iloc[0]))
    for measure in filter(vocabulary.is_rate, piece.directions):
        problems += _to_fraction(piece, measure)
    return problems + [p for name in _BOUNDS for p in _outside(piece, name)]


def _mask_names(names: pd.Series, wrong: Callable[[str], bool]) -> np.ndarray:
    """Return a mask of names for which `wrong` is True, evaluated once per category if the names are categorical."""
    if not isinstance(names.dtype, pd.CategoricalDtype):
        return np.fromiter(map(wrong, names.to_list()), bool, len(names))
    return names.isin([name for name in names.cat.categories if wrong(name)]).to_numpy()


def _row_problem(rows: pd.DataFrame, code: str, column: str = "", /, **values: Any) -> Problem:
    """Return a problem of some rows, with the line of the first one."""
    first = rows.iloc[0]
    line = int(first.get("line", first.name))
    return problem_of(code, first["file"], line, column and _file_column(first, column), **values)


def _file_rows(rows: pd.DataFrame) -> int:
    """Return the number of rows in the file behind some results; one row of a file may hold several."""
    columns = [name for name in ("file", "line") if name in rows]
    return len(rows[columns].drop_duplicates()) if "line" in rows else len(rows)


def _file_column(row: pd.Series, measure: str) -> str:
    """Return the column of the file behind a result: the algorithm in a wide table, else the measure."""
    return str(row.get("column") or measure)


def _outside(piece: FileTable, column: str) -> list[Problem]:
    """Return a list with the problem of values outside the permitted range of a column, [] if there is none."""
    if column not in piece.rows:
        return []
    low, high, code = _BOUNDS[column]
    wrong = piece.rows[(piece.rows[column] < low) | (piece.rows[column] > high)]
    if wrong.empty:
        return []
    return [_row_problem(wrong, code, column, value=wrong[column].iloc[0], n=_file_rows(wrong))]


def _merge_spellings(pieces: Sequence[FileTable]) -> list[Message]:
    """Merge names that differ only in case, in place, unless two of them occur in one fold; return notes on both."""
    notes = []
    for key in ("dataset", "algorithm"):
        groups: dict[str, list[str]] = {}
        for name in sorted({name for piece in pieces for name in piece.rows[key].unique()}):
            groups.setdefault(name.casefold(), []).append(name)
        for spellings in (group for group in groups.values() if len(group) > 1):
            if _meet(pieces, key, spellings):
                notes.append(message("spellings kept apart", names=tuple(spellings)))
                continue
            replacements = dict.fromkeys(spellings, spellings[0])
            for piece in pieces:
                if key == "dataset":
                    piece.tags = piece.tags.rename(index=replacements)
                column = piece.rows[key]
                piece.rows[key] = (
                    rename_categories(column, partial(_replaced, replacements))
                    if piece.layout == "predictions"
                    else column.replace(replacements)
                )
            notes.append(message("spellings", names=tuple(spellings), one=spellings[0]))
    return notes


def _meet(pieces: Sequence[FileTable], key: str, spellings: list[str]) -> bool:
    """Return whether two spellings of a name occur in the same fold."""
    others = [name for name in KEYS if name != key]
    rows = pd.concat([piece.rows.loc[piece.rows[key].isin(spellings), KEYS] for piece in pieces])
    return bool(rows.drop_duplicates().duplicated(others).any())


def _instances(
    tables: Sequence[pd.DataFrame], mapping: Mapping, file: str
) -> tuple[pd.DataFrame | None, str, list[Message]]:
    """Return the instance predictions of all files, None without any, a design hint or "", and notes."""
    if not tables:
        return None, "", []
    table = stack_predictions([table.drop(columns="file") for table in tables])
    table, notes = score_predictions.with_cases(table, mapping, str(file))
    return table, "common test set" if is_common_test_set(table) else "", notes


def _fold_predictions(piece: FileTable, mapping: Mapping) -> tuple[pd.DataFrame, list[Message]]:
    """Replace the instance predictions in `piece` by fold results; return the predictions and notes."""
    file = str(piece.rows["file"].iloc[0])
    measure = next(iter(piece.directions), "")  # of items with one value each
    numbers = None if measure or mapping.positive else score_predictions.numbers_of(piece.rows, file)
    if numbers and numbers.doubtful and not _is_excluded("labels", piece.rows, mapping, "true"):
        numbers = None
    folds = score_predictions.fold_rows(piece.rows, mapping, file, piece.instance_column, measure, numbers)
    piece.rows = folds.rows
    piece.directions = piece.directions or {name: MEASURES[name].direction for name in folds.measures}
    return folds.instances, folds.notes


def _derive(piece: FileTable) -> list[Problem]:
    """Add measures derived from confusion counts, in place, if these are whole; return problems of the counts."""
    rows = piece.rows
    counts = rows[list(COUNTS)]
    values = counts.to_numpy(dtype=float)
    complete = ~np.isnan(values).any(axis=1)
    wrong = rows[(values < 0).any(axis=1) | (values.round() != values).any(axis=1) & complete]
    if len(wrong):
        text = ", ".join(f"{wrong[name].iloc[0]:g}" for name in COUNTS)
        return [_row_problem(wrong, "counts not whole", counts=text)]
    problems = _different_cases(rows)
    derived = confusion_measures(counts[complete])
    problems += _contradictions(piece, derived)
    new = [name for name in DERIVED if name not in piece.directions]
    piece.rows = piece.rows.assign(**derived[new].reindex(rows.index))
    piece.directions |= {name: MEASURES[name].direction for name in new}
    return problems


def _contradictions(piece: FileTable, derived: pd.DataFrame) -> list[Problem]:
    """Return problems if stated error or accuracy contradicts the counts; else replace it by exact values, in place."""
    problems = []
    for name in [name for name in ("error", "accuracy") if name in piece.directions]:
        stated = piece.rows.loc[derived.index, name]
        wrong = stated[(stated - derived[name]).abs() > 0.0051]  # half a unit of the second decimal
        if len(wrong):
            values = {"stated": wrong.iloc[0], "derived": derived.loc[wrong.index[0], name]}
            problems.append(_row_problem(piece.rows.loc[wrong.index], "counts contradicted", name, **values))
        else:
            piece.rows[name] = derived[name].reindex(piece.rows.index)
    return problems


def _different_cases(rows: pd.DataFrame) -> list[Problem]:
    """Return problems of folds in which algorithms differ in numbers of positives or negatives, [] if none do."""
    problems = []
    for kind, counts in (("positives", rows["tp"] + rows["fn"]), ("negatives", rows["fp"] + rows["tn"])):
        first: dict[tuple, float] = {}
        folds = zip(*(rows[key].to_list() for key in _FOLD), strict=True)
        if all(n != n or first.setdefault(fold, n) == n for fold, n in zip(folds, counts.to_list(), strict=True)):
            continue  # n != n if it is missing
        distinct = rows.assign(n=counts).dropna(subset="n").drop_duplicates([*_FOLD, "n"])
        differing = distinct[distinct.duplicated(_FOLD, keep=False)]
        for (name, repetition, fold), block in differing.groupby(_FOLD, sort=False):
            a, b = block.iloc[0], block.iloc[1]
            of_repetition = f" of repetition {repetition}" if repetition != "1" else ""
            location = f"{a['file']}, {name}, fold {fold}{of_repetition}"
            values = {"first": a["algorithm"], "n_first": a["n"], "what": kind}
            values |= {"second": b["algorithm"], "n_second": b["n"]}
            problems.append(problem_of("different cases", location, **values))
    return problems


def _copies(pieces: Sequence[FileTable]) -> list[Problem]:
    """Return one problem for each file in which keys repeat, [] if there is none."""
    problems = []
    for piece in pieces:
        if row_checks.distinct_rows(piece.rows, KEYS) == len(piece.rows):
            continue
        repeated = piece.rows.duplicated(KEYS, keep=False)
        first = piece.rows[repeated].iloc[0]
        copies = piece.rows[(piece.rows[KEYS] == first[KEYS]).all(axis=1)]
        lines = sorted(int(line) for line in copies["line"])[:2]
        total = _file_rows(piece.rows[piece.rows.duplicated(KEYS)])
        problems.append(_copy_problem(first, f"{first['file']}, rows {lines[0]} and {lines[1]}", total))
    return problems


def _copy_problem(first: pd.Series, location: str, total: int) -> Problem:
    key = [first["dataset"], first["algorithm"]]
    key += [first["repetition"]] if first["repetition"] != "1" else []
    text = ", ".join(part[:80] for part in [*key, first["fold"]])
    return problem_of("repeated key", location, key=text, total=total, more=total - 1)


def _together(pieces: Sequence[FileTable], directions: dict, costs: list[str]) -> pd.DataFrame:
    numbers = [*directions, *costs, *COUNTS, "n_train", "n_test"]
    columns = [*KEYS, "line", "file"]
    tables = [piece.rows[columns + [name for name in dict.fromkeys(numbers) if name in piece.rows]] for piece in pieces]
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0].reset_index(drop=True)


def _unpaired(rows: pd.DataFrame) -> list[Problem]:
    """Return a list with one problem if there are several algorithms and no two share a fold, else []."""
    if (
        row_checks.distinct_rows(rows, [*_FOLD, "algorithm"]) > row_checks.distinct_rows(rows, _FOLD)
        or rows["algorithm"].nunique() < 2
    ):
        return []
    firsts = rows.drop_duplicates("algorithm").head(2)
    examples = [f"{row['algorithm']} has ({', '.join(row[_FOLD])})" for _, row in firsts.iterrows()]
    return [problem_of("unpaired", rows["file"].iloc[0], examples=" and ".join(examples))]


def _conflicts(rows: pd.DataFrame) -> list[Problem]:
    """Return a list with one problem if two files give the same column for the same keys, else []."""
    numbers = [name for name in rows.columns if name not in (*KEYS, "line", "file")]
    counts = rows.groupby(KEYS, sort=False)[numbers].count()
    clash = (counts > 1).any(axis=1)
    if not clash.any():
        return []
    key = clash[clash].index[0]
    copies = rows[(rows[KEYS] == pd.Series(key, index=KEYS)).all(axis=1)]
    locations = " and ".join(f"{row['file']} row {row['line']}" for _, row in copies.head(2).iterrows())
    repeated = rows[rows.duplicated(KEYS)]
    clashing = pd.MultiIndex.from_frame(repeated[KEYS]).isin(clash[clash].index)
    return [_copy_problem(copies.iloc[0], locations, _file_rows(repeated[clashing]))]


_CLEAR = 10.0  # a score above this is not a fraction
_LIKELY = 0.3  # scores of a data set whose maximum lies between this and 1 are fractions
_HUNDRED = (30.0, 300.0)  # ratio of two algorithms if only one is in percent
_DECIMALS = 6  # numbers with more decimals are not rounded


def _to_fraction(piece: FileTable, measure: str) -> list[Problem]:
    """Convert percentages to fractions, in place, unless the name states percent; return problems of the scale."""
    values = piece.rows[measure].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    if is_off_scale(values, piece.directions[measure]):
        return []
    low, high = float(values.min()), float(values.max())
    first = piece.rows[piece.rows[measure] == (low if low < 0 else high)].iloc[0]
    if low < 0 or high > 100 * (1 + 1e-9):
        texts = {"low": low, "high": high, "negative": low < 0}
        return [problem_of("rate out of range", first["file"], None, _file_column(first, measure), **texts)]
    above_one = values[values > 1 + 1e-9]
    if low >= 0 and high <= 1.1 and 0 < len(above_one) <= 0.2 * len(values):
        piece.notes.append(message("rates above one", measure=measure, n=len(above_one), high=high))
        return []
    percent = measure in piece.percent or high > 1 + 1e-9
    if not percent or vocabulary.in_percent(measure):  # a unit in the name is kept and shown
        return []
    if measure not in piece.percent:
        rows = piece.rows[piece.rows[measure] > 0]
        extreme = _mixed(rows, measure, higher=piece.directions[measure] == "higher")
        if extreme.any():
            return [_mixed_scales(rows, extreme, measure)]
    piece.rows[measure] = piece.rows[measure] / 100
    piece.notes.append(message("percent", measure=measure, low=low, high=high))
    return []


def _mixed_scales(rows: pd.DataFrame, odd: pd.Series, measure: str) -> Problem:
    """Return the problem of rows that seem to be fractions among percentages."""
    small, others = rows[odd], rows[~odd][measure]
    others = others[others > 1]
    names = [small[k].iloc[0] for k in ("algorithm", "dataset") if small[k].nunique() == 1]
    texts = {"small": _span(small[measure]), "others": _span(others), "n": len(small), "measure": measure}
    texts |= {"scope": f" ({' on '.join(names)})" if names else "", "signs": "column" in rows}
    return _row_problem(small, "unclear scale", measure, **texts)


def _span(values: pd.Series) -> str:
    low, high = f"{values.min():g}", f"{values.max():g}"
    return low if low == high else f"{low} to {high}"


def _mixed(rows: pd.DataFrame, measure: str, *, higher: bool) -> pd.Series:
    """Return a mask of values that seem to be fractions among percentages."""
    small = rows[measure] <= 1
    if not small.any():
        return small
    return _mixed_scores(rows, measure, small) if higher else _mixed_errors(rows, measure, small)


def _mixed_scores(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of scores that seem to be fractions among percentages.

    All scores of at most 1 count as fractions if they are more than a fifth. Otherwise, those on one data set do
    if its median exceeds 10, if all its scores above 1 exceed 10, or if its largest score is between 0.3 and 1.
    """
    if float(small.mean()) > 0.2:
        return small
    by_set = rows[measure].groupby(rows["dataset"])
    median, largest = by_set.transform("median"), by_set.transform("max")
    has_intermediate = ((rows[measure] > 1) & (rows[measure] <= _CLEAR)).groupby(rows["dataset"])
    separated = (largest > _CLEAR) & ~has_intermediate.transform("any")
    all_fractions = (largest <= 1) & (largest >= _LIKELY)
    return small & ((median > _CLEAR) | separated | all_fractions)


def _mixed_errors(rows: pd.DataFrame, measure: str, small: pd.Series) -> pd.Series:
    """Return a mask of errors that seem to be fractions among percentages.

    An error of 0.5 percent is common, so single small values are no evidence. It suffices that all errors
    of an algorithm are at most 1 while another algorithm has none so small. For a data set, or an algorithm
    on one data set, the number of decimals, the frequency or the ratio must confirm it.
    """
    none = small & False
    shares = small.groupby(rows["algorithm"]).transform("mean")
    if (shares == 1).any() and (shares == 0).any():
        return shares == 1
    finer = _more_decimals(rows[measure], small)
    small_shares = small.groupby(rows["dataset"]).mean()
    if small_shares.isin([0, 1]).all() and small_shares.nunique() > 1:
        is_frequent = (small_shares == 1).sum() >= 2 and float((small_shares == 1).mean()) > 0.2
        return small if finer or is_frequent else none
    cell = [rows["dataset"], rows["algorithm"]]
    all_small = small.groupby(cell).transform("all")
    for name in rows["dataset"][all_small].unique():
        on_dataset = rows["dataset"] == name
        block, others = on_dataset & all_small, on_dataset & ~all_small
        if not others.any() or small[others].any():
            continue
        ratio = rows[measure][others].median() / rows[measure][block].median()
        has_folds = block.groupby(cell).sum().max() >= 3 and rows["algorithm"][others].nunique() >= 2
        if _HUNDRED[0] <= ratio <= _HUNDRED[1] and (has_folds or finer):
            return block
    return none


def _more_decimals(values: pd.Series, small: pd.Series) -> bool:
    """Return whether the small values have at least two more decimals (in the median), as if divided by 100."""
    decimals = [_decimals(part) for part in (values[small], values[~small])]
    return max(decimals) <= _DECIMALS and decimals[0] >= decimals[1] + 2


def _decimals(values: pd.Series) -> int:
    """Return the median number of decimals of the first 1000 values."""
    texts = [f"{value:.12g}".partition(".")[2] for value in values.head(1000)]
    return int(np.median([len(text) for text in texts]))


def _replaced(replacements: dict[str, str], name: str) -> str:
    """Return the replacement of a name, or the name itself if it has none."""
    return replacements.get(name, name)


def _is_excluded(kind: str, rows: pd.DataFrame, mapping: Mapping, column: str = "", /, **values: Any) -> bool:
    """Return whether the user's answer on suspicious rows is "leave"; raise NeedsMapping without an answer."""
    if kind in mapping.doubts:
        return mapping.doubts[kind] == "leave"
    texts = {name: fill_in(text, values) for name, text in TEXTS["doubts"][kind].items()}
    first = rows.iloc[0]
    problem = Problem(
        file=str(first.get("file", "")),
        row=int(first["line"]) if "line" in first else None,
        column=_file_column(first, column),
        must=texts["must"],
        found=texts["found"],
        do=texts["do"],
    )
    raise NeedsMapping(
        [problem],
        guess=mapping,
        preview=rows.head(_SHOWN).drop(columns="column", errors="ignore"),
        question=texts["question"],
        about="doubt",
        fields=(kind,),
        options=tuple(
            (texts[answer], replace(mapping, doubts={**mapping.doubts, kind: answer})) for answer in ("leave", "keep")
        ),
    )


def _resolve_suspicious_values(pieces: Sequence[FileTable], mapping: Mapping) -> list[Message]:
    """Apply the user's answers on suspicious names and numbers to `pieces`; return notes, or raise NeedsMapping."""
    notes: list[Message] = []
    score_tables = [p for p in pieces if p.layout != "predictions" and p.published is None]
    for piece in score_tables:
        notes += _settle_codes(piece, mapping)
        notes += _settle_signs(piece, mapping)
        notes += _settle_sums(piece, mapping)
    return [*notes, *_settle_lookalikes(score_tables, mapping)]


def _settle_codes(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Make codes such as -999 missing, in place, if excluded, and yield notes; raise NeedsMapping if undecided."""
    for name in [name for name in (*piece.directions, *piece.costs) if name in piece.rows]:
        values = piece.rows[name]
        for code in text_cells.failure_codes(values):
            if code == -1 and _MINUS_ONE.search(name.lower()):
                continue
            others, rows = values[values != code], piece.rows[values == code]
            texts = {"code": code, "name": name, "n": _file_rows(rows), "low": others.min(), "high": others.max()}
            if _is_excluded("codes", rows, mapping, name, **texts):
                piece.rows[name] = piece.rows[name].where(values != code)
                yield message("codes left out", value=code, column=name, rows=_file_rows(rows))


def _settle_signs(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Make impossible negative values missing, in place, if excluded; yield notes; raise NeedsMapping if undecided."""
    for name in [name for name in (*piece.directions, *piece.costs) if name in piece.rows]:
        values = piece.rows[name]
        if not _NOT_BELOW_ZERO.search(name.lower()) or not (values < 0).any() or not (values > 0).any():
            continue
        rows = piece.rows[values < 0]
        first, n = float(rows[name].iloc[0]), _file_rows(rows)
        if _is_excluded("signs", rows, mapping, name, name=name, first=first, n=len(rows)):
            piece.rows[name] = values.mask(values < 0)
            yield message("codes left out", value=first, column=name, rows=n)


def _settle_sums(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Remove rows that summarize others, in place, if excluded, and yield notes; raise NeedsMapping if undecided."""
    for key in ("dataset", "algorithm", "fold"):
        if key not in piece.rows:
            continue
        names = [str(name) for name in piece.rows[key].unique()]
        named = [name for name in names if _SUM.fullmatch(vocabulary.normalized_name(name))]
        if key == "algorithm":  # "mean" may also be a method
            last = "" if "column" in piece.rows else names[-1]
            named = [name for name in named if name == last or _sums_up(piece, name, named)]
        else:
            named = [name for name in names if name in named or vocabulary.names_summary(re.sub(r"\W+", "", name))]
        summary_names = named or _means_of_others(piece, key, names)
        if not summary_names or len(summary_names) == len(names):
            continue
        rows = piece.rows[piece.rows[key].isin(summary_names)]
        texts = {
            "label": _WHAT.get(key, key),
            "names": join_names([quote(name) for name in summary_names]),
            "n": _file_rows(rows),
            "n_names": len(summary_names),
            "named": bool(named),
        }
        if _is_excluded("sums", rows, mapping, **texts):
            piece.rows = piece.rows[~piece.rows[key].isin(summary_names)]
            yield message("rows that sum up", names=tuple(summary_names))


def _sums_up(piece: FileTable, name: str, named: Sequence[str]) -> bool:
    """Return whether an algorithm's results are a statistic of those of algorithms that are not in `named`."""
    table = _by_key(piece, "algorithm")
    return table is not None and text_cells.is_statistic(table[name].to_numpy(), table.drop(columns=named).to_numpy())


def _by_key(piece: FileTable, key: str) -> pd.DataFrame | None:
    """Return the first measure with one column per name of `key`; None without it or other keys, or if keys repeat."""
    others = [name for name in KEYS if name in piece.rows and name != key]
    measure = next((m for m in piece.directions if m in piece.rows), "")
    if not measure or not others or row_checks.distinct_rows(piece.rows, [key, *others]) < len(piece.rows):
        return None
    (rows, row_index), (names, column_index) = (
        row_checks.number_labels(piece.rows, labels) for labels in (others, [key])
    )
    values = np.full((len(rows), len(names)), np.nan)
    values[row_index, column_index] = piece.rows[measure]
    return pd.DataFrame(values, columns=[name for (name,) in names])


def _means_of_others(piece: FileTable, key: str, names: Sequence[str]) -> list[str]:
    """Return a list of the first or last name if its results are the others' means, too exactly for chance; else []."""
    table = _by_key(piece, key) if len(names) >= 4 and len(piece.rows) <= 2_000_000 else None
    if table is None:
        return []
    values = table.dropna()
    outermost = [name for name in (names[0], names[-1]) if len(values) > 2]
    means = [n for n in outermost if text_cells.is_mean(values[n].to_numpy(), values.drop(columns=n).to_numpy())]
    return means if len(means) == 1 else []


def _settle_lookalikes(pieces: Sequence[FileTable], mapping: Mapping) -> Iterator[Message]:
    """Give look-alike names one spelling, in place, if so decided; yield notes; raise NeedsMapping if undecided."""
    for key in ("dataset", "algorithm"):
        names = {str(name) for piece in pieces if key in piece.rows for name in piece.rows[key].unique()}
        names = set() if all(name.isascii() for name in names) else names
        by_skeleton: dict[str, list[str]] = {}
        for name in sorted(names, key=lambda name: (not name.isascii(), row_checks.natural_key(name))):
            by_skeleton.setdefault(text_cells.latin_skeleton(name), []).append(name)
        for first, *variants in by_skeleton.values():
            if variants:
                yield from _one_name(pieces, key, first, variants, mapping)


def _one_name(
    pieces: Sequence[FileTable], key: str, first: str, variants: Sequence[str], mapping: Mapping
) -> Iterator[Message]:
    """Replace `variants` by `first`, in place, if so decided, and yield a note; raise NeedsMapping if undecided."""
    named = [piece for piece in pieces if key in piece.rows]
    rows = pd.concat([piece.rows[piece.rows[key].isin(variants)] for piece in named])
    texts = {"first": first, "second": variants[0], "what": _WHAT.get(key, key)}
    if _is_excluded("look-alikes", rows, mapping, letter=text_cells.odd_letters(variants[0], first), **texts):
        for piece in named:
            piece.rows[key] = piece.rows[key].replace(dict.fromkeys(variants, first))
        yield message("spellings", names=(first, *variants), one=first)


def _settle_copies(
    table: pd.DataFrame, measures: Sequence[str], mapping: Mapping, where: pd.DataFrame
) -> tuple[pd.DataFrame, list[Message]]:
    """Return the table, without copied folds or data sets if excluded, and notes; raise NeedsMapping if undecided."""
    for keys, unit in ((["dataset", "repetition", "fold"], "fold"), (["dataset"], "data set")):
        copies = _copies_of(table, keys, measures)
        if not copies:
            continue
        mask = pd.MultiIndex.from_frame(table[keys]).isin(list(copies))
        lines = where.merge(table.loc[mask, keys].drop_duplicates(), on=keys)
        first, original = next(iter(copies.items()))
        examples = [quote(" ".join(dict.fromkeys((label[0], *label[-1:])))) for label in (first, original)]
        texts = {"unit": unit, "n": len(copies), "first": examples[0], "original": examples[1]}
        if _is_excluded("copies", lines if len(lines) else table[mask], mapping, **texts):
            note = message("copies left out", what=unit, n=len(copies))
            return table[~mask].reset_index(drop=True), [note]
    return table, []


_Label = tuple[str, ...]


def _copies_of(table: pd.DataFrame, keys: list[str], measures: Sequence[str]) -> dict[_Label, _Label]:
    """Return a mapping from blocks of rows to earlier blocks with identical numbers; {} for more than 2,000,000 rows.

    Few or rounded numbers may agree by chance. Data sets count only if three rows differ and have more than
    three decimals, folds only if each of the six or more folds of a data set has a copy.
    """
    if len(table) > 2_000_000 or not len(table):
        return {}
    labels, block_index = row_checks.number_labels(table, keys)
    inner = row_checks.number_labels(table, [key for key in KEYS if key not in keys])[1]
    numbers = np.column_stack([table[name].to_numpy(dtype=float) for name in measures])
    sums = np.zeros(len(labels), np.uint64)  # sums of row codes do not depend on row order
    np.add.at(sums, block_index, _codes([inner, *numbers.T]))
    blocks = dict(zip(labels, sums.tolist(), strict=True))
    if len(set(sums.tolist())) == len(labels):
        return {}
    if keys == ["dataset"]:
        exact = (np.abs(numbers - numbers.round(3)) > 1e-9).any(axis=1)
        rows = zip(block_index[exact].tolist(), _codes(numbers[exact].T).tolist(), strict=True)
        varied = Counter(block for block, _ in set(rows))
        # values with fewer digits may agree by chance
        return _pairs({label: blocks[label] for i, label in enumerate(labels) if varied[i] >= 3})
    duplicates: dict[_Label, _Label] = {}
    for name in dict.fromkeys(label[0] for label in labels):
        folds = {label: code for label, code in blocks.items() if label[0] == name}
        repeats = Counter(folds.values())
        if len(folds) < 6 or not 3 <= len(repeats) <= len(folds) // 2 or min(repeats.values()) < 2:
            continue
        block_numbers = numbers[(table["dataset"] == name).to_numpy()]
        if min(len(np.unique(column)) for column in block_numbers.T) > len(repeats):
            duplicates |= _pairs(folds)
    return duplicates


def _codes(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Return a hash of each row; equal rows have equal hashes."""
    codes = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        codes = pd.util.hash_array(codes * np.uint64(1_000_003) + pd.util.hash_array(column))
    return codes


def _pairs(part: dict[_Label, int]) -> dict[_Label, _Label]:
    """Return a mapping from the labels of duplicate blocks to the label of the first such block."""
    first: dict[int, _Label] = {}
    labels = sorted(part, key=lambda label: tuple(map(row_checks.natural_key, label)))
    originals = [first.setdefault(part[label], label) for label in labels]
    return {label: original for label, original in zip(labels, originals, strict=True) if original != label}
