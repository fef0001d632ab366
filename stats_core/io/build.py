"""Combination of the tables read from several files into one validated `Results`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from stats_core.core.errors import DataError, NeedsMapping, Problem
from stats_core.core.formatting import join_names, quote
from stats_core.core.messages import Message, fill_in, message
from stats_core.data import (
    class_measures,
    instance_checks,
    label_matching,
    labels,
    predictions,
    row_checks,
)
from stats_core.data.measures import COUNTS, DERIVED, LOSSES, MEASURES, confusion_measures
from stats_core.data.results import Results
from stats_core.io import table_layout, vocabulary
from stats_core.io.mapping import Mapping
from stats_core.io.problems import TEXTS, current_limits, data_error, problem_of, question_of
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
_NOT_BELOW_ZERO = re.compile(
    r"time|duration|seconds|memory|_m?s$|rmse|rmsle|(^|_)m[as]e$|log_loss|brier"
)
_MINUS_ONE = re.compile(r"mcc|kappa|corr|spearman|pearson|tau|rho|silhouette|rand|r2|skill")
_SHOWN = 8  # rows shown with a question


def build_results(pieces: Sequence[FileTable], *, mapping: Mapping, digest: str) -> Results:
    """Return the results of all files, validated and on one scale; raise DataError or, if undecided, NeedsMapping."""
    _check_names(pieces)
    doubt_notes = list(_resolve_suspicious_values(pieces, mapping))
    problems = [p for piece in pieces for p in (*piece.problems, *_prepare(piece))]
    problems += _copies([piece for piece in pieces if piece.layout != "predictions"])
    if problems:
        raise DataError(problems)
    notes = [note for piece in pieces for note in piece.notes]
    notes += [*doubt_notes, *_merge_spellings(pieces)]
    tags, tag_notes = table_layout.tags_together(pieces)
    notes += tag_notes
    of_items = all(piece.layout == "predictions" and piece.directions for piece in pieces)
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
    cases, hint = None, ""
    if instances:
        stacked = predictions.stack_predictions([table.drop(columns="file") for table in instances])
        cases, pairing_notes = _with_cases(stacked, mapping, str(pieces[0].rows["file"].iloc[0]))
        hint = "common test set" if predictions.is_common_test_set(cases) else ""
        notes += pairing_notes
    numbers = [*directions, *costs, *COUNTS, "n_train", "n_test"]
    columns = list(dict.fromkeys([*KEYS, "line", "file", *numbers]))
    rows = pd.concat(
        [piece.rows[[n for n in columns if n in piece.rows]] for piece in pieces], ignore_index=True
    )
    repeats = len(pieces) > 1 and row_checks.distinct_rows(rows, KEYS) < len(rows)
    problems = [*(_conflicts(rows) if repeats else []), *_unpaired(rows)]
    if problems:
        raise DataError(problems)
    table = rows
    if repeats:
        table = (
            rows.drop(columns=["line", "file"]).groupby(KEYS, sort=False, as_index=False).first()
        )
    if cases is None and pieces[0].published is None:
        table, copy_notes = _settle_copies(table, list(directions), mapping, rows)
        notes += copy_notes
    predefined = {
        name: i for i, name in enumerate(MEASURES)
    }  # in this order, then others in that of the file
    # last come extremes, such as the maximum, and measures without a known name
    partial = [
        n
        for n in directions
        if vocabulary.mentions(n, "extremes") or not vocabulary.known_measure(n)
    ]
    named = vocabulary.spelling(mapping.measure_name)
    others = [
        name for name in directions if vocabulary.spelling(name) != named
    ]  # the measure asked for comes first
    # those of items stay as in the file
    ranks = {
        n: not of_items and (predefined.get(n, len(predefined)), n in partial) for n in directions
    }
    order = sorted(directions, key=lambda n: (n in others, ranks[n]))
    return Results.from_frame(
        table,
        directions={name: directions[name] for name in order},
        costs=sorted(costs),
        groups=tags,
        files=tuple(dict.fromkeys(f for p in pieces for f in p.rows["file"].unique())),
        digest=digest,
        layout=pieces[0].layout,
        predictions=cases,
        notes=tuple(dict.fromkeys(notes)),
        published=pieces[0].published,
        design_hint=next((piece.design for piece in pieces if piece.design), hint),
        repeated_answers=bool(instances) and all(piece.answers for piece in pieces),
    )


def _check_names(pieces: Sequence[FileTable]) -> None:
    """Raise DataError for more or longer names than the limits allow."""
    for key in ("algorithm", "dataset"):
        names: set[str] = set()
        for rows in (piece.rows for piece in pieces if key in piece.rows):
            unique_names = predictions.distinct_names(rows[key])
            file = str(rows["file"].iloc[0]) if len(rows) else ""
            current_limits().check(file, "name", max(map(len, unique_names), default=0))
            names.update(unique_names)
            current_limits().check(file, f"{key}s", len(names))


def _prepare(piece: FileTable) -> list[Problem]:
    """Fill in absent keys and convert rates to fractions, in place; return problems such as empty names."""
    problems = []
    if piece.layout == "predictions":
        piece.rows = predictions.as_categories(piece.rows)
        predictions.fill_keys(piece.rows)
    for key in KEYS:
        if key not in piece.rows:
            piece.rows[key] = predictions.same("1", len(piece.rows))
            continue
        if piece.layout != "predictions" and hasattr(piece.rows[key], "cat"):
            # empty records were left out, and their names stayed
            piece.rows[key] = piece.rows[key].cat.remove_unused_categories()
        names = predictions.distinct_names(piece.rows[key])
        for code, faulty in (
            ("name missing", [""]),
            ("name on several lines", [n for n in names if "\n" in n]),
        ):
            if not set(faulty).isdisjoint(names):
                wrong = piece.rows[piece.rows[key].isin(faulty)]
                values = {
                    "label": _WHAT.get(key, key),
                    "n": _file_rows(wrong),
                    "name": wrong[key].iloc[0],
                }
                problems.append(_row_problem(wrong, code, **values))
    for measure in filter(vocabulary.is_rate, piece.directions):
        problems += _to_fraction(piece, measure)
    for column, (low, high, code) in _BOUNDS.items():
        if column not in piece.rows:
            continue
        values = piece.rows[column]
        if len(wrong := piece.rows[(values < low) | (values > high)]):
            problems.append(
                _row_problem(wrong, code, column, value=wrong[column].iloc[0], n=_file_rows(wrong))
            )
    return problems


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


def _merge_spellings(pieces: Sequence[FileTable]) -> list[Message]:
    """Merge names that differ only in case, in place, unless two of them occur in one fold; return notes on both."""
    notes = []
    for key in ("dataset", "algorithm"):
        groups: dict[str, list[str]] = {}
        for name in sorted(
            {name for piece in pieces for name in predictions.distinct_names(piece.rows[key])}
        ):
            groups.setdefault(name.casefold(), []).append(name)
        for spellings in (group for group in groups.values() if len(group) > 1):
            if _meet(pieces, key, spellings):
                notes.append(message("spellings kept apart", names=tuple(spellings)))
            else:
                notes.append(_unify(pieces, key, spellings))
    return notes


def _unify(pieces: Sequence[FileTable], key: str, names: Sequence[str]) -> Message:
    """Replace names by the first one of them, in place, and return a note."""
    replacements = dict.fromkeys(names, names[0])
    for piece in pieces:
        if key == "dataset":
            piece.tags = piece.tags.rename(index=replacements)
        piece.rows[key] = labels.renamed_column(piece.rows[key], replacements)
    return message("spellings", names=tuple(names), one=names[0])


def _meet(pieces: Sequence[FileTable], key: str, spellings: list[str]) -> bool:
    """Return whether two spellings of a name occur in the same fold."""
    others = [name for name in KEYS if name != key]
    rows = pd.concat([piece.rows.loc[piece.rows[key].isin(spellings), KEYS] for piece in pieces])
    return bool(rows.drop_duplicates().duplicated(others).any())


def _fold_predictions(piece: FileTable, mapping: Mapping) -> tuple[pd.DataFrame, list[Message]]:
    """Replace the instance predictions in `piece` by fold results; return the predictions and notes."""
    file = str(piece.rows["file"].iloc[0])
    measures = tuple(piece.directions)  # of items with values
    numbers = None if measures or mapping.positive else class_measures.numbers_of(piece.rows)
    if numbers and numbers.doubtful and not _is_excluded("labels", piece.rows, mapping, "true"):
        numbers = None
    folds = _fold_rows(piece, mapping, file, measures, numbers)
    piece.rows = folds.rows
    piece.directions = piece.directions or {
        name: MEASURES[name].direction for name in folds.measures
    }
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
            problems.append(
                _row_problem(piece.rows.loc[wrong.index], "counts contradicted", name, **values)
            )
        else:
            piece.rows[name] = derived[name].reindex(piece.rows.index)
    return problems


def _different_cases(rows: pd.DataFrame) -> list[Problem]:
    """Return problems of folds in which algorithms differ in numbers of positives or negatives, [] if none do."""
    problems = []
    test_set = row_checks.number_labels(rows, _FOLD)[1]
    for kind, counts in (
        ("positives", rows["tp"] + rows["fn"]),
        ("negatives", rows["fp"] + rows["tn"]),
    ):
        low, high = np.full((2, len(rows)), np.nan)
        np.fmin.at(low, test_set, counts)
        np.fmax.at(high, test_set, counts)
        differing = (
            rows.assign(n=counts)[(low < high)[test_set]]
            .dropna(subset="n")
            .drop_duplicates([*_FOLD, "n"])
        )
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
        problems.append(
            _copy_problem(first, f"{first['file']}, rows {lines[0]} and {lines[1]}", total)
        )
    return problems


def _copy_problem(first: pd.Series, location: str, total: int) -> Problem:
    key = [first["dataset"], first["algorithm"]]
    key += [first["repetition"]] if first["repetition"] != "1" else []
    text = ", ".join(part[:80] for part in [*key, first["fold"]])
    return problem_of("repeated key", location, key=text, total=total, more=total - 1)


def _unpaired(rows: pd.DataFrame) -> list[Problem]:
    """Return a list with one problem if there are several algorithms and no two share a fold, else []."""
    are_shared = row_checks.distinct_rows(rows, [*_FOLD, "algorithm"]) > row_checks.distinct_rows(
        rows, _FOLD
    )
    if are_shared or rows["algorithm"].nunique() < 2:
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
    locations = " and ".join(
        f"{row['file']} row {row['line']}" for _, row in copies.head(2).iterrows()
    )
    repeated = rows[rows.duplicated(KEYS)]
    clashing = pd.MultiIndex.from_frame(repeated[KEYS]).isin(clash[clash].index)
    return [_copy_problem(copies.iloc[0], locations, _file_rows(repeated[clashing]))]


def _to_fraction(piece: FileTable, measure: str) -> list[Problem]:
    """Convert percentages to fractions, in place, unless the name states percent; return problems of the scale."""
    values = piece.rows[measure].to_numpy(dtype=float)
    values = values[np.isfinite(values)]
    if not len(values) or is_off_scale(values, piece.directions[measure]):
        return []
    low, high = float(values.min()), float(values.max())
    in_percent = measure in piece.percent or vocabulary.in_percent(measure)
    if high > 1 and vocabulary.may_be_no_rate(measure) and not in_percent:
        return []  # an error of unknown range, such as a scaled error
    first = piece.rows[piece.rows[measure] == (low if low < 0 else high)].iloc[0]
    if low < 0 or high > 100 * (1 + 1e-9):
        texts = {"low": low, "high": high, "negative": low < 0}
        return [
            problem_of(
                "rate out of range", first["file"], None, _file_column(first, measure), **texts
            )
        ]
    above_one = values[values > 1 + 1e-9]
    if low >= 0 and high <= 1.1 and 0 < len(above_one) <= 0.2 * len(values):
        piece.notes.append(message("rates above one", measure=measure, n=len(above_one), high=high))
        return []
    percent = measure in piece.percent or high > 1 + 1e-9
    if not percent or vocabulary.in_percent(measure):  # a unit in the name is kept and shown
        return []
    if measure not in piece.percent:
        rows = piece.rows[piece.rows[measure] > 0]
        extreme = row_checks.mixed_fractions(
            rows, measure, higher=piece.directions[measure] == "higher"
        )
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
    texts = {
        "small": _span(small[measure]),
        "others": _span(others),
        "n": len(small),
        "measure": measure,
    }
    texts |= {"scope": f" ({' on '.join(names)})" if names else "", "signs": "column" in rows}
    return _row_problem(small, "unclear scale", measure, **texts)


def _span(values: pd.Series) -> str:
    low, high = f"{values.min():g}", f"{values.max():g}"
    return low if low == high else f"{low} to {high}"


def _is_excluded(
    kind: str, rows: pd.DataFrame, mapping: Mapping, column: str = "", /, **values: Any
) -> bool:
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
            (texts[answer], replace(mapping, doubts={**mapping.doubts, kind: answer}))
            for answer in ("leave", "keep")
        ),
    )


def _resolve_suspicious_values(pieces: Sequence[FileTable], mapping: Mapping) -> Iterator[Message]:
    """Apply the user's answers on suspicious names and numbers to `pieces`, and yield notes; or raise NeedsMapping."""
    score_tables = [p for p in pieces if p.layout != "predictions" and p.published is None]
    for piece in score_tables:
        yield from _settle_values(piece, mapping)
        yield from _settle_sums(piece, mapping)
    yield from _settle_lookalikes(score_tables, mapping)


def _settle_values(piece: FileTable, mapping: Mapping) -> Iterator[Message]:
    """Make codes such as -999 and impossible negative values missing, in place, if excluded, and yield notes."""
    for name in [name for name in (*piece.directions, *piece.costs) if name in piece.rows]:
        for code in row_checks.failure_codes(piece.rows[name]):
            if code == -1 and _MINUS_ONE.search(name.lower()):
                continue
            is_code = piece.rows[name] == code
            others = piece.rows[name][~is_code]
            yield from _blank(
                piece,
                name,
                is_code,
                mapping,
                "codes",
                code=code,
                low=others.min(),
                high=others.max(),
            )
        values = piece.rows[name]
        if _NOT_BELOW_ZERO.search(name.lower()) and (values < 0).any() and (values > 0).any():
            yield from _blank(
                piece, name, values < 0, mapping, "signs", first=float(values[values < 0].iloc[0])
            )


def _blank(
    piece: FileTable, name: str, mask: pd.Series, mapping: Mapping, kind: str, **values: float
) -> Iterator[Message]:
    """Make the values in `mask` missing, in place, if excluded, and yield a note; raise NeedsMapping if undecided."""
    rows = piece.rows[mask]
    n, first = _file_rows(rows), float(rows[name].iloc[0])
    if _is_excluded(kind, rows, mapping, name, name=name, n=n, **values):
        piece.rows[name] = piece.rows[name].mask(mask)
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
            named = [
                name
                for name in names
                if name in named or vocabulary.names_summary(re.sub(r"\W+", "", name))
            ]
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
    return table is not None and row_checks.is_statistic(
        table[name].to_numpy(), table.drop(columns=named).to_numpy()
    )


def _by_key(piece: FileTable, key: str) -> pd.DataFrame | None:
    """Return the first measure with one column per name of `key`; None without it or other keys, or if keys repeat."""
    others = [name for name in KEYS if name in piece.rows and name != key]
    measure = next((m for m in piece.directions if m in piece.rows), "")
    if (
        not measure
        or not others
        or row_checks.distinct_rows(piece.rows, [key, *others]) < len(piece.rows)
    ):
        return None
    (rows, row_index), (names, column_index) = (
        row_checks.number_labels(piece.rows, k) for k in (others, [key])
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
    means = [
        n
        for n in outermost
        if row_checks.is_mean(values[n].to_numpy(), values.drop(columns=n).to_numpy())
    ]
    return means if len(means) == 1 else []


def _settle_lookalikes(pieces: Sequence[FileTable], mapping: Mapping) -> Iterator[Message]:
    """Give look-alike names one spelling, in place, if so decided; yield notes; raise NeedsMapping if undecided."""
    for key in ("dataset", "algorithm"):
        names = {
            str(name) for piece in pieces if key in piece.rows for name in piece.rows[key].unique()
        }
        names = set() if all(name.isascii() for name in names) else names
        by_skeleton: dict[str, list[str]] = {}
        for name in sorted(
            names, key=lambda name: (not name.isascii(), row_checks.natural_key(name))
        ):
            by_skeleton.setdefault(labels.latin_skeleton(name), []).append(name)
        named = [piece for piece in pieces if key in piece.rows]
        for first, *variants in filter(lambda alike: len(alike) > 1, by_skeleton.values()):
            rows = pd.concat([piece.rows[piece.rows[key].isin(variants)] for piece in named])
            letter = labels.odd_letters(variants[0], first)
            texts = {
                "first": first,
                "second": variants[0],
                "what": _WHAT.get(key, key),
                "letter": letter,
            }
            if _is_excluded("look-alikes", rows, mapping, **texts):
                yield _unify(named, key, (first, *variants))


def _settle_copies(
    table: pd.DataFrame, measures: Sequence[str], mapping: Mapping, where: pd.DataFrame
) -> tuple[pd.DataFrame, list[Message]]:
    """Return the table, without copied folds or data sets if excluded, and notes; raise NeedsMapping if undecided."""
    for keys, unit in ((["dataset", "repetition", "fold"], "fold"), (["dataset"], "data set")):
        copies = row_checks.copied_blocks(table, keys, measures)
        if not copies:
            continue
        mask = pd.MultiIndex.from_frame(table[keys]).isin(list(copies))
        lines = where.merge(table.loc[mask, keys].drop_duplicates(), on=keys)
        first, original = next(iter(copies.items()))
        examples = [
            quote(" ".join(dict.fromkeys((label[0], *label[-1:])))) for label in (first, original)
        ]
        texts = {"unit": unit, "n": len(copies), "first": examples[0], "original": examples[1]}
        if _is_excluded("copies", lines if len(lines) else table[mask], mapping, **texts):
            note = message("copies left out", what=unit, n=len(copies))
            return table[~mask].reset_index(drop=True), [note]
    return table, []


_POSITIVE = ("1", "1.0", "+1", "pos", "positive", "yes", "true", "t", "y", "case", "+")


def _fold_rows(
    piece: FileTable,
    mapping: Mapping,
    file: str,
    measures: Sequence[str] = (),
    numbers: class_measures.PredictedNumbers | None = None,
) -> predictions.ScoredFolds:
    """Return the results of each algorithm on each fold, NaN if the run failed; labels are normalized in place.

    With `measures`, columns of these names hold one value per item, and results are their means;
    with `numbers`, results are errors of these. Two classes, or a positive class in `mapping`, give
    counts, areas and losses, and several classes give their own measures. Raise DataError for
    contradictory instances or labels, and NeedsMapping if there are scores for more than two
    classes without labels.
    """
    instances = piece.rows
    group, keys = predictions.group_numbers(instances, predictions.FOLD)
    first = predictions.first_places(group)
    keys["line"] = instances.index.take(first).to_numpy()  # take() keeps a range index
    keys["file"] = instances["file"].iloc[first].astype(str).to_numpy()
    try:
        instance_checks.check_instances(instances, group, keys, may_lack=piece.answers)
    except DataError:
        instance_checks.check_instance_names(instances, piece.instance_column)
        raise
    if measures:
        return predictions.average_items(instances, keys, group, measures)
    if numbers:
        return class_measures.score_numbers(instances, keys, group, numbers.true, numbers.predicted)
    for name in ("true", "predicted"):
        if name in instances:
            instances[name] = predictions.rename_categories(
                instances[name], predictions.plain_label
            )
    instance_checks.check_labels(instances)
    instances, label_notes = label_matching.match_labels(instances)
    label_counts = predictions.label_counts(instances)
    n_classes = (label_counts > 0).sum(axis=1)
    if n_classes.max() > 2 and not mapping.positive:
        if predictions.lacks_label(instances).any():
            raise _ask_for_class(instances, label_counts, file, mapping)
        folds = class_measures.score_classes(
            instances, keys, group, (int(n_classes.min()), int(n_classes.max()))
        )
        return replace(folds, notes=[*label_notes, *folds.notes])
    positives = {
        str(name): _positive_class(row, mapping.positive, file)
        for name, row in label_counts.iterrows()
    }
    folds = predictions.score_folds(instances, keys, group, positives, mapping.score_direction)
    return replace(
        folds, notes=[*label_notes, _positive_note(positives, label_counts), *folds.notes]
    )


def _positive_class(counts: pd.Series, positive: str, file: str) -> str:
    """Return the positive class: as set, by its name, or the rarest; raise DataError if the set one is absent."""
    classes = [str(name) for name in counts.index[counts > 0]]
    if positive:
        if positive not in classes:
            raise data_error("unknown positive class", file, classes=classes, positive=positive)
        return positive
    named = [name for name in classes if name.lower() in _POSITIVE]
    rarest = min(classes, key=lambda name: (counts[name], -classes.index(name)))
    return named[0] if len(named) == 1 else rarest


def _positive_note(positives: dict[str, str], label_counts: pd.DataFrame) -> Message:
    """Return the note on the positive class of each data set and the shares of positives."""
    shares = [
        label_counts.at[name, label] / label_counts.loc[name].sum()
        for name, label in positives.items()
    ]
    return message(
        "positive class",
        classes=tuple(sorted(set(positives.values()))),
        least=float(min(shares)),
        most=float(max(shares)),
        others=bool(((label_counts > 0).sum(axis=1) > 2).any()),
    )


def _ask_for_class(
    instances: pd.DataFrame, label_counts: pd.DataFrame, file: str, mapping: Mapping
) -> NeedsMapping:
    """Return the error that asks to which class the scores refer."""
    classes = [str(name) for name in label_counts.columns[(label_counts > 0).any()]]
    question = question_of("class of scores", n=len(classes), classes=classes)
    return NeedsMapping(
        [question.problem(file)],
        guess=mapping,
        preview=instances.head(8),
        question=question.question,
        classes=tuple(classes),
    )


def _with_cases(
    cases: pd.DataFrame, mapping: Mapping, file: str
) -> tuple[pd.DataFrame, list[Message]]:
    """Return predictions and notes; rows are numbered as instances if the user states that their order is the same.

    Raise NeedsMapping if this seems to be so, and DataError if it is stated but the true labels
    contradict it.
    """
    if "instance" in cases or mapping.rows not in ("", "cases"):
        return cases, []
    # several algorithms with one fold each on one data set
    n_names = {name: len(predictions.distinct_names(cases[name])) for name in KEYS}
    is_one_set = all(n_names[name] == 1 for name in _FOLD) and n_names["algorithm"] > 1
    if not mapping.rows and not is_one_set:
        return cases, []
    number = instance_checks.numbers_in_order(cases)
    if mapping.rows:
        if number is None:
            raise data_error("cases differ", file)
        return cases.assign(instance=number), [message("cases in order", n=int(number.max()) + 1)]
    if number is None:
        return cases, []
    labels = cases["true"].cat.codes.to_numpy()[np.unique(number, return_index=True)[1]]
    if (labels[1:] != labels[:-1]).sum() < len(cases["true"].cat.categories):
        return cases, []  # sorted labels agree in any order
    question = question_of("same cases", n=int(number.max()) + 1)
    raise NeedsMapping(
        [question.problem(file)],
        guess=mapping,
        preview=cases.drop(columns=["correct", "positive"], errors="ignore").head(8),
        question=question.question,
        about=question.about,
        options=tuple(
            (text, replace(mapping, rows=rows)) for rows, text in TEXTS["same cases"].items()
        ),
    )
